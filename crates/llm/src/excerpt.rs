//! What a server said, made fit for a message.

use std::collections::HashSet;

use serde_json::Value;

use crate::Secret;

/// Characters of a server's text that a message holds.
const LONGEST: usize = 300;

/// The beginning of a text on one line, without the key and with control characters escaped.
pub(crate) fn excerpt(text: &str, key: Option<&Secret>) -> String {
    let text = key.map_or_else(|| text.to_owned(), |key| key.hide_in(text));
    let text = text.trim();
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        match c {
            _ if i == LONGEST => {
                out.push('…');
                break;
            }
            c if disturbs(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character would act on a terminal, or on the order of those around it.
fn disturbs(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The message in an error's body, in the shapes servers use, or else all of the body; without what was said in the request `sent`.
pub(crate) fn server_message(body: &[u8], key: Option<&Secret>, sent: &str) -> String {
    let said = serde_json::from_slice::<Value>(body).ok().and_then(|value| error_text(&value));
    let said = said.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    let said = excerpt(&without_sent(&said, sent), key);
    if said.is_empty() { "no explanation".to_owned() } else { said }
}

/// Characters in a row from which a server is taken to repeat what it was sent.
const REPEATED: usize = 12;
/// What stands for it.
const SENT: &str = "[what was sent]";

/// A server's text without what it repeats of the messages or texts in a request's body: some servers show what they refuse.
pub(crate) fn without_sent(said: &str, sent: &str) -> String {
    let chars: Vec<char> = said.chars().collect();
    let mut is_sent = vec![false; chars.len()];
    let parts: HashSet<&[char]> = chars.windows(REPEATED).collect();
    let mut found = HashSet::new();
    for text in texts_of(sent) {
        let text: Vec<char> = text.chars().collect();
        found.extend(text.windows(REPEATED).filter_map(|part| parts.get(part).copied()));
    }
    for (at, _) in chars.windows(REPEATED).enumerate().filter(|(_, part)| found.contains(part)) {
        is_sent[at..at + REPEATED].fill(true);
    }
    let mut out = String::new();
    for (at, c) in chars.into_iter().enumerate() {
        match is_sent[at] {
            false => out.push(c),
            true if at == 0 || !is_sent[at - 1] => out.push_str(SENT),
            true => {}
        }
    }
    out
}

/// What was said in a request: the contents of its messages, or the texts to embed.
fn texts_of(sent: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(sent).unwrap_or_default();
    let all = |field: &str| body.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
    let contents = all("messages").into_iter().filter_map(|message| message.get("content").cloned());
    let texts = contents.chain(all("input"));
    texts.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// `{"error": {"message": ..}}`, `{"error": ".."}`, `{"message": ..}` or `{"detail": ..}`.
pub(crate) fn error_text(body: &Value) -> Option<String> {
    let error = body.get("error").filter(|error| !error.is_null());
    let nested = error.and_then(|error| error.get("message"));
    let found = nested.or(error).or_else(|| body.get("message")).or_else(|| body.get("detail"))?;
    Some(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_one_short_line_without_the_key() {
        let key = Secret::new("sk-0123456789").unwrap();
        assert_eq!(excerpt("\u{1b}[31mred\r\nkey sk-0123456789 ", Some(&key)), "\\u{1b}[31mred\\r\\nkey [key]");
        assert_eq!(excerpt("a\u{202e}b", None), "a\\u{202e}b");
        let long = excerpt(&"é".repeat(1000), None);
        assert_eq!(long, "é".repeat(300) + "…");
        // The key is hidden before the text is cut: half of it would be worth something too.
        let at_the_edge = "x".repeat(295) + "sk-0123456789";
        assert_eq!(excerpt(&at_the_edge, Some(&key)), "x".repeat(295) + "[key]");
    }

    #[test]
    fn finds_the_message_in_every_shape() {
        for body in [
            r#"{"error": {"message": "too long", "type": "x"}}"#,
            r#"{"error": "too long"}"#,
            r#"{"object": "error", "message": "too long"}"#,
            r#"{"detail": "too long"}"#,
            r#"{"error": null, "message": "too long"}"#,
            "too long\n",
        ] {
            assert_eq!(server_message(body.as_bytes(), None, ""), "too long", "{body}");
        }
        assert_eq!(server_message(b"", None, ""), "no explanation");
        assert_eq!(server_message(br#"{"detail": [{"loc": 1}]}"#, None, ""), r#"[{"loc":1}]"#);
        assert_eq!(server_message(b"\xff\xfe", None, ""), "\u{fffd}\u{fffd}");
    }

    /// A server that showed what it refused had errors print what was said.
    #[test]
    fn what_was_sent_is_not_repeated() {
        let asked = r#"{"model": "a-model-with-a-name", "messages": [{"role": "user", "content": "Nora: we sold the red kite.\n\"ok\""}]}"#;
        let said = r#"{"detail": "no a-model-with-a-name; input_value='Nora: we sold the red kite.', type=str"}"#;
        assert_eq!(
            server_message(said.as_bytes(), None, asked),
            "no a-model-with-a-name; input_value='[what was sent]', type=str"
        );
        let texts = r#"{"input": ["too short", "we sold the red kite"]}"#;
        assert_eq!(server_message(b"sold the red kite? red kite", None, texts), "[what was sent]? red kite");
        assert_eq!(without_sent("", texts), "");
    }
}
