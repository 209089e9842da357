//! What a `tokenizer.json` may ask for.
//!
//! The file is a program: rules that rewrite a text one after the other, regular expressions, templates, a vocabulary.
//! The tokenizers crate runs whatever it says. Here it is held to what the tokenizers of the BERT, RoBERTa, XLM-R and
//! MPNet families say, with room to spare: then a text grows no more than [`MOST_GROWTH`] times, and nothing is read
//! over and over.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

/// How many times its bytes a text may become at most by all rules together.
const MOST_GROWTH: usize = 600;
/// Steps of a normalizer, a pre-tokenizer, a post-processor or a decoder at most.
const MOST_STEPS: usize = 16;
/// Regular expressions and literal patterns of all of them at most,
const MOST_PATTERNS: usize = 16;
/// and bytes of each.
const LONGEST_PATTERN: usize = 1_000;
/// Bytes of a string in the model at most: its vocabulary becomes a tree that is as deep.
const LONGEST_STRING: usize = 512;
/// Characters of a word that are compared with the vocabulary, whose cost is their cube.
const MOST_WORD: u64 = 200;
/// Added tokens at most,
const MOST_ADDED: usize = 10_000;
/// bytes of each,
const LONGEST_ADDED: usize = 256;
/// and of all together.
const MOST_ADDED_BYTES: usize = 256 << 10;
/// Pieces of a template at most.
const MOST_PIECES: usize = 64;

/// What was found and what was expected.
pub(super) type Refusal = (String, String);

/// Checks a tokenizer; returns how many times its bytes a text may become by it.
///
/// # Errors
/// When it is no JSON of a tokenizer, or asks for more than it may.
pub(super) fn check(bytes: &[u8]) -> Result<usize, Refusal> {
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| (error.to_string(), "the JSON of a Hugging Face tokenizer".to_owned()))?;
    check_added(&file.added_tokens)?;
    let parts = [&file.normalizer, &file.pre_tokenizer, &file.post_processor, &file.decoder];
    let patterns: usize = parts.into_iter().map(check_patterns).sum::<Result<_, _>>()?;
    at_most("patterns", patterns, MOST_PATTERNS)?;
    let mut growth = 1_usize;
    for step in steps(&file.normalizer, "normalizers")? {
        growth = growth.saturating_mul(normalizer_growth(step)?);
    }
    for step in steps(&file.pre_tokenizer, "pretokenizers")? {
        growth = growth.saturating_mul(pre_tokenizer_growth(step)?);
    }
    for step in steps(&file.post_processor, "processors")? {
        check_template(step)?;
    }
    steps(&file.decoder, "decoders")?;
    at_most("times its bytes that a text may become", growth, MOST_GROWTH)?;
    Ok(growth)
}

/// The parts of the file. One that is there twice is an error, as it is not said which of them is used.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    added_tokens: Vec<Added>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    #[serde(default)]
    decoder: Value,
    #[serde(rename = "model")]
    _model: Model,
}

#[derive(Deserialize)]
struct Added {
    content: String,
}

fn at_most(what: &str, found: usize, most: usize) -> Result<(), Refusal> {
    if found > most { Err((format!("{found} {what}"), format!("at most {most}"))) } else { Ok(()) }
}

fn check_added(tokens: &[Added]) -> Result<(), Refusal> {
    at_most("added tokens", tokens.len(), MOST_ADDED)?;
    let longest = tokens.iter().map(|token| token.content.len()).max().unwrap_or_default();
    at_most("bytes of an added token", longest, LONGEST_ADDED)?;
    at_most("bytes of added tokens", tokens.iter().map(|token| token.content.len()).sum(), MOST_ADDED_BYTES)
}

/// A part's steps in their order, sequences among them: a step may claim to be one and be another.
fn steps<'a>(part: &'a Value, list: &str) -> Result<Vec<&'a Value>, Refusal> {
    let (mut found, mut open) = (Vec::new(), vec![part]);
    while let Some(step) = open.pop() {
        open.extend(step.get(list).and_then(Value::as_array).into_iter().flatten().rev());
        if !step.is_null() {
            found.push(step);
        }
        at_most(list, found.len() + open.len(), MOST_STEPS)?;
    }
    Ok(found)
}

/// How many patterns a part has, each of which is one that is searched for in linear time.
fn check_patterns(part: &Value) -> Result<usize, Refusal> {
    let (mut count, mut open) = (0, vec![part]);
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (name, value) in fields {
                    if let ("Regex" | "String", Some(pattern)) = (name.as_str(), value.as_str()) {
                        count += 1;
                        at_most("bytes of a pattern", pattern.len(), LONGEST_PATTERN)?;
                    }
                    match value.as_str() {
                        Some(pattern) if name == "Regex" && backtracks(pattern) => {
                            let expected = "one without looking around, references and possessive repetition";
                            return Err((
                                "a pattern that has to be tried again and again".to_owned(),
                                expected.to_owned(),
                            ));
                        }
                        _ => open.push(value),
                    }
                }
            }
            _ => {}
        }
    }
    Ok(count)
}

/// Whether a pattern has what an automaton cannot do.
fn backtracks(pattern: &str) -> bool {
    let groups = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "(?(", "(?P=", "(?P>", "(?R", "(?&", "(*"];
    let possessive = ["++", "*+", "?+"];
    let refers = |letter: u8| letter.is_ascii_digit() || b"kgGKz".contains(&letter);
    groups.iter().chain(&possessive).any(|mark| pattern.contains(mark))
        || pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && refers(pair[1]))
}

/// How many times its bytes a text may become by a normalizer.
///
/// What a step's fields would do counts whatever its type is: the library goes by the fields where it does not know the
/// type.
fn normalizer_growth(step: &Value) -> Result<usize, Refusal> {
    let by_type = match kind(step) {
        // What filters does not grow.
        "Sequence" | "Strip" | "StripAccents" | "Nmt" | "Prepend" | "Replace" | "Precompiled" => 1,
        // Composed characters into letters and marks, and a letter into two; a space on both sides of a character.
        "Bert" | "BertNormalizer" => 6,
        "NFC" | "NFD" | "Lowercase" => 3,
        // U+FDFA, of 3 bytes, becomes 33.
        "NFKC" | "NFKD" => 11,
        // Bytes to characters of two.
        "ByteLevel" => 2,
        _ => return Err(unknown("a normalizer", step)),
    };
    let prepended = step.get("prepend").map_or(1, |sign| 1 + length(sign));
    let replaced = step.get("pattern").map_or(1, |pattern| replace_growth(pattern, step));
    let mapped = match step.get("precompiled_charsmap") {
        None => 1,
        Some(charsmap) => charsmap.as_str().and_then(longest_replacement).ok_or_else(|| {
            ("a table of characters that cannot be read".to_owned(), "one that sentencepiece wrote".to_owned())
        })?,
    };
    Ok(by_type.max(prepended).max(replaced).max(mapped))
}

/// How many times its bytes a text may become by a pre-tokenizer, likewise.
fn pre_tokenizer_growth(step: &Value) -> Result<usize, Refusal> {
    let by_type = match kind(step) {
        "Sequence" | "BertPreTokenizer" | "Whitespace" | "WhitespaceSplit" | "Punctuation" | "Digits" | "Split"
        | "Delimiter" | "UnicodeScripts" | "FixedLength" | "Metaspace" => 1,
        // Before each word a sign may be put, and each byte may become two.
        "ByteLevel" => 4,
        _ => return Err(unknown("a pre-tokenizer", step)),
    };
    // Likewise, with a sign of its own.
    let signed = step.get("replacement").map_or(1, |sign| 1 + length(sign));
    Ok(by_type.max(signed))
}

fn kind(step: &Value) -> &str {
    step.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn unknown(part: &str, step: &Value) -> Refusal {
    let kind: String = kind(step).chars().take(40).collect();
    (format!("{part} of the type {kind:?}"), "one that models of the BERT family use".to_owned())
}

fn length(text: &Value) -> usize {
    text.as_str().map_or(0, str::len)
}

/// A pattern of some bytes becomes the content; a regular expression may find the empty text everywhere.
fn replace_growth(pattern: &Value, step: &Value) -> usize {
    let content = step.get("content").map_or(0, length);
    let literal = pattern.get("String").and_then(Value::as_str);
    match literal.map(str::len) {
        None | Some(0) => 1 + content,
        Some(pattern) => content.div_ceil(pattern).max(1),
    }
}

/// Bytes of the longest text that a table of sentencepiece puts in the place of a character.
///
/// The table is the size of a trie, the trie, and the texts, each with a zero byte at its end.
fn longest_replacement(charsmap: &str) -> Option<usize> {
    let table = base64(charsmap)?;
    let (size, rest) = table.split_first_chunk::<4>()?;
    let texts = rest.get(u32::from_le_bytes(*size) as usize..)?;
    texts.split(|byte| *byte == 0).map(|text| text.len().max(1)).max()
}

/// The bytes that a text in base64 stands for.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0;
        for c in four {
            bits = bits << 6 | u32::from(digit(*c)?);
        }
        bits <<= 6 * (4 - four.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len().max(1)]);
    }
    Some(bytes)
}

/// A template may show each text once.
fn check_template(step: &Value) -> Result<(), Refusal> {
    for template in ["single", "pair"] {
        let pieces = step.get(template).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        at_most("pieces of a template", pieces.len(), MOST_PIECES)?;
        for id in ["A", "B"] {
            let shows = |piece: &&Value| piece.pointer("/Sequence/id").and_then(Value::as_str) == Some(id);
            at_most("times a text in a template", pieces.iter().filter(shows).count(), 1)?;
        }
    }
    Ok(())
}

/// A model whose strings are short and whose words are.
struct Model;

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields).map(|()| Self)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a model")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<String>()? {
            if name != "max_input_chars_per_word" {
                fields.next_value_seed(Short)?;
                continue;
            }
            let most: u64 = fields.next_value()?;
            if most > MOST_WORD {
                return Err(A::Error::custom(format!("{name} is {most}, expected at most {MOST_WORD}")));
            }
        }
        Ok(())
    }
}

/// Any value whose strings are short.
#[derive(Clone, Copy)]
struct Short;

impl<'de> DeserializeSeed<'de> for Short {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Short {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if text.len() > LONGEST_STRING {
            return Err(E::custom(format!("a token of {} bytes, expected at most {LONGEST_STRING}", text.len())));
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key_seed(self)?.is_some() {
            fields.next_value_seed(self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TINY: &str = include_str!("../../tests/reference/tiny/tokenizer.json");
    const ROBERTA: &str = include_str!("../../tests/reference/tiny-roberta/tokenizer.json");
    const MPNET: &str = include_str!("../../tests/reference/tiny-mpnet/tokenizer.json");
    const XLM_ROBERTA: &str = include_str!("../../tests/reference/tiny-xlm-roberta/tokenizer.json");

    /// A tokenizer with a part in the place of its own.
    fn with(part: &str, value: Value) -> Result<usize, Refusal> {
        let mut file: Value = serde_json::from_str(TINY).unwrap();
        file[part] = value;
        check(file.to_string().as_bytes())
    }

    fn refused(part: &str, value: Value) -> String {
        let (found, expected) = with(part, value).unwrap_err();
        format!("{found}; {expected}")
    }

    #[test]
    fn the_families_are_permitted() {
        for (file, growth) in [(TINY, 6), (MPNET, 6), (ROBERTA, 4), (XLM_ROBERTA, 4 * 4)] {
            assert_eq!(check(file.as_bytes()), Ok(growth));
        }
    }

    fn doubling() -> Value {
        json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})
    }

    /// Ten rules that double a text took memory without bound.
    #[test]
    fn rules_may_not_multiply_a_text() {
        let rules = |count: usize| json!({"type": "Sequence", "normalizers": vec![doubling(); count]});
        assert_eq!(with("normalizer", rules(9)), Ok(512));
        let message = "times its bytes that a text may become; at most 600";
        assert_eq!(refused("normalizer", rules(10)), format!("1024 {message}"));
        let nested = json!({"type": "Sequence", "normalizers": [rules(5), rules(5)]});
        assert_eq!(refused("normalizer", nested), format!("1024 {message}"));
        let long = json!({"type": "Replace", "pattern": {"Regex": "x*"}, "content": "x".repeat(1_000)});
        assert_eq!(refused("normalizer", long), format!("1001 {message}"));
        let long = json!({"type": "Prepend", "prepend": "x".repeat(1_000)});
        assert_eq!(refused("normalizer", long), format!("1001 {message}"));
        let sign = json!({"type": "Metaspace", "replacement": "x".repeat(1_000), "prepend_scheme": "always"});
        assert_eq!(refused("pre_tokenizer", sign), format!("6006 {message}"));
        assert_eq!(refused("normalizer", rules(17)), "17 patterns; at most 16");
        let many = json!({"type": "Sequence", "normalizers": vec![json!({"type": "Nmt"}); 16]});
        assert_eq!(refused("normalizer", many), "17 normalizers; at most 16");
    }

    #[test]
    fn a_step_is_what_its_fields_make_it() {
        let mut disguised = doubling();
        disguised["type"] = json!("BertNormalizer");
        disguised["content"] = json!("a".repeat(1_000));
        assert!(with("normalizer", disguised).is_err());
        let mut hidden = doubling();
        hidden["content"] = json!("a".repeat(1_000));
        hidden["normalizers"] = json!([]);
        assert!(with("normalizer", hidden).is_err());
        assert!(refused("normalizer", json!({"type": "Else"})).starts_with("a normalizer of the type \"Else\""));
        assert!(refused("pre_tokenizer", json!({})).starts_with("a pre-tokenizer of the type \"\""));
    }

    #[test]
    fn a_table_of_characters_is_measured() {
        // A trie of 4 bytes; then texts of 5, 0 and 3 bytes.
        let table = "BAAAAAAAAABhYmNkZQAAeHl6";
        assert_eq!(base64(table).unwrap(), b"\x04\0\0\0\0\0\0\0abcde\0\0xyz");
        assert_eq!(longest_replacement(table), Some(5));
        assert_eq!(base64("YQ==").unwrap(), b"a");
        for broken in ["", "AAA", "/////w==", "!!!!"] {
            assert_eq!(longest_replacement(broken), None, "{broken}");
        }
        assert!(refused("normalizer", json!({"type": "Precompiled", "precompiled_charsmap": 1})).contains("a table"));
    }

    #[test]
    fn patterns_are_few_and_need_no_second_try() {
        let split = |pattern: &str| json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false});
        assert_eq!(with("pre_tokenizer", split(" {2,}|\\s+|\\p{L}+?")), Ok(6));
        for pattern in ["(a+)+(?=b)", "(a)\\1", "a++b", "(?>a)"] {
            assert!(refused("pre_tokenizer", split(pattern)).contains("again and again"), "{pattern}");
        }
        assert!(refused("pre_tokenizer", split(&"a".repeat(1_001))).contains("bytes of a pattern"));
        let many = json!({"type": "Sequence", "decoders": vec![doubling(); 9], "x": vec![doubling(); 9]});
        assert_eq!(refused("decoder", many), "18 patterns; at most 16");
    }

    #[test]
    fn vocabularies_added_tokens_and_templates_are_bounded() {
        let file: Value = serde_json::from_str(TINY).unwrap();
        let mut model = file["model"].clone();
        model["vocab"]["x".repeat(513)] = json!(1);
        assert!(refused("model", model).contains("a token of 513 bytes, expected at most 512"));
        let mut model = file["model"].clone();
        model["max_input_chars_per_word"] = json!(1_000_000);
        assert!(refused("model", model).contains("max_input_chars_per_word is 1000000, expected at most 200"));
        assert!(refused("added_tokens", json!([{"content": "x".repeat(257)}])).contains("bytes of an added token"));
        let mut template = file["post_processor"].clone();
        let piece = json!({"Sequence": {"id": "A", "type_id": 0}});
        template["single"] = json!([piece, piece]);
        assert_eq!(refused("post_processor", template), "2 times a text in a template; at most 1");
        let twice = TINY.replacen("\"model\"", "\"normalizer\": null, \"model\"", 1);
        assert!(check(twice.as_bytes()).unwrap_err().0.contains("duplicate field"));
    }
}
