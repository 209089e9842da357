//! Values whose place says that they are secret.

use super::Check;

/// Rules by what stands before a value; the first group is the value.
pub(super) const RULES: &[(&str, &str, Check)] = &[
    (
        "authorization header",
        r#"(?i)\bauthorization["'`]?\s*[:=]\s*["'`]?(?:bearer|basic|token|bot|digest|apikey)\s+([A-Za-z0-9._~+/=:-]{8,})"#,
        Check::Value,
    ),
    ("bearer token", r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,})", Check::Random),
    ("password in a url", r#"\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'<>]*:([^\s/@"'<>]{3,})@"#, Check::Value),
    (
        "environment variable",
        r#"(?m)^[ \t>+-]*(?:export[ \t]+|set[ \t]+|ENV[ \t]+)?(?:[A-Z0-9_]+_)?(?:API_?KEY|KEY|TOKEN|SECRET|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY|PASSWORD|PASSWD|PASSPHRASE|PWD|PASS|CREDENTIALS?|AUTH)(?:_[0-9A-Z])?[ \t]*=[ \t]*["']?([^\s"'#]{6,})"#,
        Check::Value,
    ),
    (
        "password",
        r#"(?i)\b[a-z0-9_.-]*(?:password|passwd|passphrase)["'`]?\s*(?::|=|=>|:=|\bis\b)\s*["'`]?([^\s"'`,;)}\]]{8,})"#,
        Check::Random,
    ),
    (
        "secret beside its name",
        r#"(?i)\b[a-z0-9_.-]*(?:secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key|signing[_ -]?key|encryption[_ -]?key|account[_ -]?key|auth[_ -]?key|credential)s?(?:[_-](?:id|key|value|base))?["'`]?\s*(?::|=|=>|:=|\bis\b)\s*["'`]?([^\s"'`,;)}\]]{12,})"#,
        Check::Random,
    ),
    (
        "secret option",
        r#"(?i)--(?:token|password|secret|api-key|access-token|auth-token)[= ]["']?([^\s"'-][^\s"']{7,})"#,
        Check::Random,
    ),
    (
        "password",
        r#"(?i)\b(?:[a-z0-9_.-]*(?:password|passwd|passphrase)|[a-zäöü-]*(?:passwort|kennwort)|contraseña)["'`*]*\s*(?::|=|\b(?:is|ist|lautet|es)\b)["'`*\s]*([^\s"'`,;)}\]]{8,})"#,
        Check::Mixed,
    ),
    (
        "password",
        r"(?im)^[ \t|>*-]*(?:[a-z0-9_.-]+[ _.-])?(?:password|passwd|passphrase|passwort|kennwort|contraseña)(?: {2,}| *\t[ \t]*| *\| *)([^\s|]{8,})[ \t]*(?:\r?$|\||[ \t]{2})",
        Check::Mixed,
    ),
    (
        "secret beside its name",
        r"(?im)^[ \t|>*-]*(?:[a-z0-9_.-]+[ _.-])?(?:secret|token|api[_ -]?key|access[_ -]?key)(?: {2,}| *\t[ \t]*| *\| *)([^\s|]{12,})[ \t]*(?:\r?$|\||[ \t]{2})",
        Check::Random,
    ),
    // All of the header, since any of its values may open a session.
    ("cookie", r#"(?i)\b(?:set-)?cookie["'`]?\s*:\s*["'`]?([a-z0-9_.-]+=[a-z0-9%][^\r\n"'`]{5,})"#, Check::None),
];

/// Parts of values that stand for a secret in documents.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "your",
    "xxx",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "redacted",
    "dummy",
    "***",
    "...",
    "…",
    "todo",
    "replace",
    "insert",
    "sample",
    "fake",
    "<",
    "[cut:",
    "12345678",
];
/// Words that are no values.
const WORDS: &[&str] = &[
    "none",
    "null",
    "undefined",
    "true",
    "false",
    "string",
    "required",
    "optional",
    "password",
    "secret",
    "hidden",
    "unset",
    "token",
    "pass",
    "value",
];
/// Beginnings of references to where a value is.
const REFERENCES: &[&str] = &[
    "$",
    "%",
    "{",
    "(",
    "process.",
    "os.",
    "env.",
    "env[",
    "env(",
    "secrets.",
    "vars.",
    "file:",
    "/",
    "./",
    "~/",
    "@",
    "&",
    "vault:",
    "op://",
    "http://",
    "https://",
    "arn:",
    "projects/",
];

/// Whether a value is none of those that stand for one.
pub(super) fn is_value(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_call = value.contains('(') || value.contains("::") || value.ends_with("()");
    !(is_call
        || PLACEHOLDERS.iter().any(|part| lower.contains(part))
        || WORDS.contains(&lower.trim_matches(|c: char| !c.is_alphanumeric()))
        || REFERENCES.iter().any(|begin| lower.starts_with(begin))
        || value.bytes().all(|byte| byte.is_ascii_digit() || b".,:_-".contains(&byte)))
}

/// Whether a value has no pattern, as made by chance.
pub(super) fn is_random(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ':', '!', '?']);
    if !is_value(value) || value.len() < 8 {
        return false;
    }
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let kinds =
        [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase].into_iter().filter(|is| has(*is)).count();
    let kinds = kinds + usize::from(value.bytes().any(|byte| byte.is_ascii_punctuation() && !b"-_./".contains(&byte)));
    let entropy = entropy(value);
    match value.len() {
        ..12 => kinds >= 3 && entropy >= 2.5 && !is_words(value),
        12..20 => kinds >= 2 && entropy >= 3.0 && has(u8::is_ascii_digit) && !is_words(value),
        _ => kinds >= 2 && entropy >= 3.0 && !is_words(value),
    }
}

/// Whether a value has letters and, besides, digits or signs, as a password has that a person chose.
///
/// What has signs of code or a hyphen must not be made of words: `str|None`, `case-sensitive`. Three groups of letters with
/// digits are none: `Qx7-vLm2-Zr9p`.
pub(super) fn is_mixed(value: &str) -> bool {
    let value = value.trim_end_matches(|c: char| c.is_ascii_punctuation());
    let is_sign = |byte: u8| byte.is_ascii_punctuation() && !b"-_./".contains(&byte);
    let is_compound = value.bytes().any(|byte| b"-_./|:&?*[]<>+=!".contains(&byte));
    is_value(value)
        && value.len() >= 6
        && value.chars().any(char::is_alphabetic)
        && value.bytes().any(|byte| byte.is_ascii_digit() || is_sign(byte))
        && (!is_compound || !is_words(value) || groups(value) >= 3)
}

/// Parts between hyphens that have letters and digits.
fn groups(value: &str) -> usize {
    let is_group = |part: &&str| {
        part.bytes().any(|byte| byte.is_ascii_digit()) && part.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    value.split('-').filter(is_group).count()
}

/// Whether a value is made of words, as names of variables, files and modules are.
///
/// A part between separators, or between a small and a capital letter, is a word where it has no digit and no more than 14
/// letters, with a vowel among them; a part of digits is a number. Three quarters of the letters must be in such parts.
fn is_words(value: &str) -> bool {
    let (mut words, mut all) = (0usize, 0usize);
    for part in value.split(|c: char| !c.is_alphanumeric()) {
        for word in camel(part) {
            all += word.len();
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() <= 4;
            if is_number || is_word(word) {
                words += word.len();
            }
        }
    }
    all > 0 && words * 4 >= all * 3
}

fn is_word(part: &str) -> bool {
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = part.len() - letters.len();
    let upper = letters.bytes().filter(u8::is_ascii_uppercase).count();
    let vowels = letters.bytes().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    let is_cased =
        upper == 0 || upper == letters.len() || upper == 1 && letters.starts_with(|c: char| c.is_ascii_uppercase());
    digits <= 2
        && is_cased
        && !letters.is_empty()
        && letters.len() <= 14
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (letters.len() <= 3 || vowels * 5 >= letters.len())
}

/// The parts of a name in camel case.
fn camel(part: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let mut before = None::<char>;
    for (at, c) in part.char_indices() {
        if c.is_uppercase() && before.is_some_and(char::is_lowercase) {
            parts.push(&part[from..at]);
            from = at;
        }
        before = Some(c);
    }
    parts.push(&part[from..]);
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// Shannon's entropy of the bytes, in bits a byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len().max(1) as f64;
    let part = |count: &u32| f64::from(*count) / length;
    -counts.iter().filter(|count| **count > 0).map(|count| part(count) * part(count).log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_its_definition() {
        assert_eq!(entropy("aaaa"), 0.0);
        assert_eq!(entropy("abab"), 1.0);
        assert_eq!(entropy("abcd"), 2.0);
    }

    #[test]
    fn names_are_words_and_keys_are_not() {
        for name in
            ["access_token_secret", "getTokenFromStore", "user.session.token", "TokenProvider2", "my-app-password"]
        {
            assert!(!is_random(name), "{name}");
        }
        for key in ["q8Zr1xW0vT5yLk3N", "f3a9c1d07be24486a0b1", "Tr0ub4dor&3x", "zK!92mQpl#"] {
            assert!(is_random(key), "{key}");
        }
    }

    #[test]
    fn passwords_are_mixed_and_words_are_not() {
        for word in
            ["required", "str|None", "case-sensitive", "base64-encoded", "Mapped[str", "incorrect!", "user.password2"]
        {
            assert!(!is_mixed(word), "{word}");
        }
        for password in ["hunter22", "Sommer2024!", "Qx7-vLm2-Zr9p-88aT", "Blau#Wal9", "käse%Brot"] {
            assert!(is_mixed(password), "{password}");
        }
    }

    #[test]
    fn references_are_no_values() {
        for value in ["${API_KEY}", "process.env.KEY", "<your-key>", "changeme", "get_token()", "3600", "None"] {
            assert!(!is_value(value), "{value}");
        }
        assert!(is_value("hunter2hunter2"));
    }
}
