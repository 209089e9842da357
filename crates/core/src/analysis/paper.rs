//! The analyzer of the published baseline (fusion study, section 4; evaluation protocol S).

/// Longest token: one leading character and up to 30 more.
const LONGEST: usize = 31;
/// Shortest kept token.
const SHORTEST: usize = 3;

#[rustfmt::skip]
const STOP_WORDS: [&str; 50] = [
    "the", "and", "for", "with", "from", "this", "that", "what", "where", "when", "how", "why", "who", "are", "you",
    "was", "have", "has", "did", "do", "does", "is", "it", "be", "been", "an", "as", "we", "me", "my", "i", "your",
    "yours", "our", "of", "to", "on", "in", "at", "by", "or", "if", "but", "not", "a", "so", "all", "any", "no",
    "yes",
];

/// Calls `found` with each match of `[a-z0-9][a-z0-9\-_']{1,30}` in the lower-cased
/// text that has at least three characters and is no stop word; nothing is stemmed.
pub(super) fn terms(text: &str, found: &mut dyn FnMut(&str)) {
    let text = text.to_lowercase();
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        if !starts(bytes[start]) {
            start += 1;
            continue;
        }
        let longest = bytes.len().min(start + LONGEST);
        let end = start + 1 + bytes[start + 1..longest].iter().take_while(|b| continues(**b)).count();
        let token = &text[start..end];
        if token.len() >= SHORTEST && !STOP_WORDS.contains(&token) {
            found(token);
        }
        start = end;
    }
}

fn starts(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn continues(byte: u8) -> bool {
    starts(byte) || matches!(byte, b'-' | b'_' | b'\'')
}

#[cfg(test)]
mod tests {
    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        super::terms(text, &mut |term| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn matches_what_the_regular_expression_matches() {
        // Expected values from Python: re.findall(r"[a-z0-9][a-z0-9\-_']{1,30}", text.lower())
        assert_eq!(terms("Ann's e-mail: it's a-ok, _x_ 7 42 101"), ["ann's", "e-mail", "it's", "a-ok", "101"]);
        assert_eq!(terms("naïve café"), ["caf"]);
        let long = "x".repeat(40);
        assert_eq!(terms(&long), ["x".repeat(31), "x".repeat(9)]);
        assert_eq!(terms("The WHAT and you"), Vec::<String>::new());
    }
}
