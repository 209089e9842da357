//! Secrets are found and look-alikes are left, on a corpus that is made here: no key in it opens anything.

use aforesaid::secrets::SecretCutter;

use crate::secret_corpus::{ALNUM, Chance, DIGITS, HEX, VARIANTS, positives};

/// Texts that look like secrets and are none.
fn look_alikes() -> Vec<String> {
    let mut all = Vec::new();
    for variant in 0..VARIANTS {
        let c = &mut Chance(1_000 + variant);
        let uuid = format!("{}-{}-{}-{}-{}", c.of(HEX, 8), c.of(HEX, 4), c.of(HEX, 4), c.of(HEX, 4), c.of(HEX, 12));
        let (sha, digest, number) = (c.of(HEX, 40), c.of(HEX, 64), c.of(DIGITS, 5));
        let word = c.pick(&["kite", "reel", "spool", "tail"]);
        all.extend([
            format!("commit {sha}"),
            format!("Merge {} into {}", &sha[..7], c.of(HEX, 7)),
            format!("sha256:{digest}"),
            format!("\"integrity\": \"sha512-{}==\"", c.of(ALNUM, 86)),
            format!("checksum = \"{digest}\""),
            format!("session {uuid} was opened"),
            format!("request_id={uuid}"),
            format!("const token = await get_{word}_token(user)"),
            format!("let api_key = std::env::var(\"{}_API_KEY\")?;", word.to_uppercase()),
            format!("API_KEY=${{{}_API_KEY}}", word.to_uppercase()),
            format!("{}_API_KEY=your-api-key-here", word.to_uppercase()),
            format!("PASSWORD=<your {word} password>"),
            format!("TOKEN_TTL={number}"),
            format!("max_tokens: {number}"),
            format!("the {word} token count is {number} of 200000"),
            format!("password: string; // of the {word}"),
            format!("secret: Option<{}Secret>", word),
            format!("fn parse_{word}_token(token: &str) -> Result<Token>"),
            format!("Use a Bearer token for the {word} endpoint."),
            format!("Authorization: Bearer <token of the {word}>"),
            format!("Authorization: Bearer ${{{}_TOKEN}}", word.to_uppercase()),
            format!("sk-learn and {word}-sk-test pass"),
            format!("sk-{word}-xxxxxxxxxxxxxxxxxxxxxxxx"),
            format!("https://forge.test/ann/{word}/commit/{sha}"),
            format!("https://{word}.test:8443/path?page={number}"),
            format!("git@forge.test:ann/{word}.git"),
            format!("postgres://app:${{DB_PASSWORD}}@db.test/{word}"),
            format!("postgres://app:<password>@db.test/{word}"),
            format!("target/debug/deps/{word}-{}", c.of(HEX, 16)),
            format!("/home/ann/{word}s/src/secret_santa_{number}.rs"),
            format!("data:image/png;base64,iVBORw0KGgo{}", c.of(ALNUM, 60)),
            format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----", c.of(ALNUM, 64)),
            format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----", c.of(ALNUM, 64)),
            format!("AKIA is how such a {word} key begins"),
            format!("the {word} secret is in the vault, ask Ann"),
            format!("secret = secrets.{}_DEPLOY", word.to_uppercase()),
            format!("access_token: process.env.{}_ACCESS_TOKEN", word.to_uppercase()),
            format!("token: {word}TokenProvider.current"),
            format!("private_key_path = \"~/.ssh/{word}_ed25519\""),
            format!("let private_key = load_{word}_private_key();"),
            format!("rust_version = \"1.{}.0\", token_version: 2.{}.1", &number[..2], &number[2..4]),
            format!("credentials: \"{word}/service-account.json\""),
            format!("deploy --token-file /run/secrets/{word}"),
            format!("v{}.{}.{}-rc.1+build.{}", &number[..1], &number[1..2], &number[2..3], c.of(HEX, 7)),
            format!("password: str  # of the {word}"),
            format!("the {word} password is required"),
            "the password is case-sensitive and base64-encoded".to_owned(),
            "password    required\ntoken       optional\n".to_owned(),
            "password    varchar(255)\n".to_owned(),
            "Passwort: vergessen? Das Passwort ist vertraulich.".to_owned(),
            format!("docker run -p 8080:80 -u 1000:1000 {word}"),
            "docker run --name mysql -p 3306:3306 mysql".to_owned(),
            format!("mkdir -p src/{word} && cp -a {word} {word}2 && git commit -a"),
            format!("ssh -p 22 {word}.test"),
            format!("curl https://{word}.test && chown -R user:group1 x"),
            format!("curl -u ann:$PASSWORD https://{word}.test"),
            "pg_tool --password prompts for it; --password=PASSWORD tells it".to_owned(),
            format!("Cookie: a small file of {word}"),
            "mysql -p kites".to_owned(),
            format!("{}:{} hello", c.of(DIGITS, 2), c.of(DIGITS, 2)),
        ]);
    }
    all
}

#[test]
fn secrets_are_cut_and_look_alikes_are_not() {
    let cutter = SecretCutter::new(None).unwrap();
    let (positives, look_alikes) = (positives(), look_alikes());
    assert!(positives.len() >= 300 && look_alikes.len() >= 300, "{} {}", positives.len(), look_alikes.len());
    let missed: Vec<&String> = positives
        .iter()
        .filter(|(text, secret)| cutter.cut(text).text.contains(secret.as_str()))
        .map(|(text, _)| text)
        .collect();
    let wrong: Vec<&String> = look_alikes.iter().filter(|text| cutter.cut(text).text != text.as_str()).collect();
    let found = positives.len() - missed.len();
    let recall = found as f64 / positives.len() as f64;
    let precision = found as f64 / (found + wrong.len()) as f64;
    println!(
        "{} secrets, {} look-alikes: recall {recall:.4}, precision {precision:.4}",
        positives.len(),
        look_alikes.len()
    );
    println!("missed: {missed:#?}\ncut without need: {wrong:#?}");
    assert!(recall >= 0.98, "recall {recall}: {missed:#?}");
    assert!(precision >= 0.95, "precision {precision}: {wrong:#?}");
}

#[test]
fn the_mark_says_what_was_there_and_the_rest_stays() {
    let cutter = SecretCutter::new(None).unwrap();
    let key = format!("{}_{}", "ghp", Chance(7).of(ALNUM, 36));
    let said = format!("first {key}, then `API_TOKEN={key}` — done");
    let cut = cutter.cut(&said);
    let text = cut.text.to_string();
    assert_eq!(text, "first [cut: github token], then `API_TOKEN=[cut: github token]` — done");
    assert_eq!(cut.cut.into_iter().collect::<Vec<_>>(), [("github token".to_owned(), 2)]);
    // What was cut is not cut again.
    assert_eq!(cutter.cut(&text).text, text);
}

#[test]
fn rules_of_ones_own_add_and_allow() {
    let rules = "allow = ['^ghp_a+$']\n[[rule]]\nname = 'house key'\npattern = 'HK-([0-9]{4})'\n";
    let cutter = SecretCutter::new(Some(rules)).unwrap();
    let allowed = format!("{}_{}", "ghp", "a".repeat(36));
    assert_eq!(cutter.cut(&format!("HK-1234 and {allowed}")).text, format!("HK-[cut: house key] and {allowed}"));
    for (rules, expected) in [
        ("[[rule]]\nname = 'a'", "missing field `pattern`"),
        ("deny = []", "unknown field `deny`"),
        ("[[rule]]\nname = 'a'\npattern = '('", "the pattern of \"a\" cannot be used"),
    ] {
        let message = SecretCutter::new(Some(rules)).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}
