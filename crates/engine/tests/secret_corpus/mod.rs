//! Texts with secrets in them, made here: no key in them opens anything.
#![allow(dead_code, reason = "each test file uses a part")]

/// Variants of each shape.
pub(crate) const VARIANTS: u64 = 8;

pub(crate) const DIGITS: &str = "0123456789";
pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(crate) const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
pub(crate) const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn of(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[(self.next() % letters.len() as u64) as usize]).collect()
    }

    pub(crate) fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
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
pub(crate) fn positives() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for variant in 0..VARIANTS {
        let c = &mut Chance(variant + 1);
        for key in keys(c) {
            let (before, after) = AROUND[(c.next() % 5) as usize];
            all.push((format!("{before}{key}{after}"), key));
        }
        let random = c.of(ALNUM, 32);
        let short = format!("{}{}{}{}", c.of(LETTERS, 5), c.pick(&["!", "#", "%"]), c.of(DIGITS, 3), c.of(LETTERS, 4));
        let chosen = format!("{}{}", c.pick(&["drachen", "Spule", "milan%"]), c.of(DIGITS, 4));
        let grouped =
            format!("Q{}7-v{}2-Z{}9-8{}T", c.of(LETTERS, 2), c.of(LETTERS, 2), c.of(LETTERS, 2), c.of(LETTERS, 2));
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
            (format!("curl -sS 'https://api.test/?a=1&b=2' -u ann:{short}"), &short),
            (format!("curl \\\n  --user 'ann:{short}' \\\n  https://api.test"), &short),
            (format!("mysql -h db.test -u app -p{short} kites"), &short),
            (format!("pg_tool --password={short} --now"), &short),
            (format!("pg_tool --password {short} --now"), &short),
            (format!("sshpass -p '{short}' ssh ann@host.test"), &short),
            (format!("docker login -u ann -p {short} forge.test"), &short),
            (format!("redis-cli -h db.test -a {short} ping"), &short),
            (format!("http --auth ann:{short} api.test"), &short),
            (format!("http -a ann:{short} api.test"), &short),
            (format!("curl -H 'Cookie: theme=dark; sid={random}' https://api.test"), &random),
            (format!("< Set-Cookie: sid={random}; Path=/; Domain=example.com"), &random),
            (format!("user        ann\npassword    {grouped}\n"), &grouped),
            (format!("db password\t{short}"), &short),
            (format!("the password is {chosen}, do not tell"), &chosen),
            (format!("Passwort: {chosen}"), &chosen),
            (format!("Das Passwort ist {grouped}."), &grouped),
            (format!("contraseña: {chosen}"), &chosen),
        ] {
            all.push((text, secret.clone()));
        }
    }
    all
}
