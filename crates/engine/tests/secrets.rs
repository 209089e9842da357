//! Secrets are found and look-alikes are left, on a corpus that is made here: no key in it opens anything.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use aforesaid::secrets::SecretCutter;

/// Variants of each shape.
const VARIANTS: u64 = 8;

const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[(self.next() % letters.len() as u64) as usize]).collect()
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[(self.next() % all.len() as u64) as usize]
    }
}

/// Keys of providers, put together here so that no scanner takes this file for a leak.
fn keys(chance: &mut Chance) -> Vec<String> {
    let c = chance;
    vec![
        format!("{}{}", c.pick(&["AKIA", "ASIA"]), c.of(UPPER, 16)),
        format!("{}_{}", c.pick(&["ghp", "gho", "ghs"]), c.of(ALNUM, 36)),
        format!("github_{}_{}_{}", "pat", c.of(ALNUM, 22), c.of(ALNUM, 59)),
        format!("gl{}-{}", "pat", c.of(ALNUM, 20)),
        format!("sk-{}-api03-{}-{}AA", "ant", c.of(ALNUM, 60), c.of(ALNUM, 32)),
        format!("sk-{}-{}", "proj", c.of(ALNUM, 74)),
        format!("sk-{}", c.of(ALNUM, 48)),
        format!("sk-or-v1-{}", c.of(HEX, 64)),
        format!("AI{}{}", "za", c.of(ALNUM, 35)),
        format!("ya29.{}", c.of(ALNUM, 60)),
        format!("xox{}-{}-{}-{}", c.pick(&["b", "p"]), c.of(DIGITS, 12), c.of(DIGITS, 12), c.of(ALNUM, 24)),
        format!("https://hooks.slack.com/{}/T{}/B{}/{}", "services", c.of(UPPER, 8), c.of(UPPER, 8), c.of(ALNUM, 24)),
        format!("{}k_{}_{}", c.pick(&["s", "r"]), "live", c.of(ALNUM, 24)),
        format!("S{}{}", "K", c.of(HEX, 32)),
        format!("SG.{}.{}", c.of(ALNUM, 22), c.of(ALNUM, 43)),
        format!("n{}_{}", "pm", c.of(ALNUM, 36)),
        format!("pypi-{}{}", "AgEIcHlwaS5vcmc", c.of(ALNUM, 70)),
        format!("dckr_{}_{}", "pat", c.of(ALNUM, 27)),
        format!("h{}_{}", "f", c.of(LETTERS, 34)),
        format!("r8_{}", c.of(ALNUM, 37)),
        format!("gsk_{}", c.of(ALNUM, 52)),
        format!("dop_v1_{}", c.of(HEX, 64)),
        format!("shp{}_{}", "at", c.of(HEX, 32)),
        format!("lin_{}_{}", "api", c.of(ALNUM, 40)),
        format!("glsa_{}_{}", c.of(ALNUM, 32), c.of(HEX, 8)),
        format!("hvs.{}", c.of(ALNUM, 40)),
        format!("{}:AA{}", c.of(DIGITS, 10), c.of(ALNUM, 33)),
        format!("eyJ{}.eyJ{}.{}", c.of(ALNUM, 24), c.of(ALNUM, 60), c.of(ALNUM, 43)),
        format!("M{}.{}.{}", c.of(ALNUM, 23), c.of(ALNUM, 6), c.of(ALNUM, 38)),
        format!("dapi{}", c.of(HEX, 32)),
    ]
}

/// Sentences that a key may stand in.
const AROUND: [(&str, &str); 5] = [
    ("", ""),
    ("I used ", " and it worked."),
    ("key: \"", "\","),
    ("curl -H 'X-Key: ", "' https://api.test"),
    ("(", ")"),
];

/// Texts with the secret that is in each.
fn positives() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for variant in 0..VARIANTS {
        let c = &mut Chance(variant + 1);
        for key in keys(c) {
            let (before, after) = AROUND[(c.next() % 5) as usize];
            all.push((format!("{before}{key}{after}"), key));
        }
        let random = c.of(ALNUM, 32);
        let short = format!("{}{}{}{}", c.of(LETTERS, 5), c.pick(&["!", "#", "%"]), c.of(DIGITS, 3), c.of(LETTERS, 4));
        let hex = c.of(HEX, 40);
        let azure = format!("{}==", c.of(ALNUM, 86));
        let pem = format!("{}\n{}\n{}", c.of(ALNUM, 64), c.of(ALNUM, 64), c.of(ALNUM, 20));
        let kind = c.pick(&["RSA ", "EC ", "OPENSSH ", ""]);
        for (text, secret) in [
            (format!("-----BEGIN {kind}PRIVATE KEY-----\n{pem}\n-----END {kind}PRIVATE KEY-----"), &pem),
            (format!("cat key.pem\n-----BEGIN {kind}PRIVATE KEY-----\n{pem}"), &pem),
            (format!("DATABASE_PASSWORD={short}"), &short),
            (format!("# .env\nexport API_TOKEN=\"{random}\"\nDEBUG=1"), &random),
            (format!("SECRET_KEY='{random}'"), &random),
            (format!("Authorization: Bearer {random}"), &random),
            (format!("-H \"authorization: token {hex}\""), &hex),
            (format!("it answers to Bearer {random} only"), &random),
            (format!("postgres://app:{short}@db.test:5432/kites"), &short),
            (format!("{{\"client_secret\": \"{random}\"}}"), &random),
            (format!("the api key is {hex}"), &hex),
            (format!("token = '{random}'"), &random),
            (format!("password: {short}"), &short),
            (format!("deploy --token {random} --now"), &random),
            (format!("AccountName=kites;AccountKey={azure};"), &azure),
        ] {
            all.push((text, secret.clone()));
        }
    }
    all
}

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
