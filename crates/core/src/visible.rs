//! Which characters of a text may be shown as they are; the only place that decides.
//!
//! Texts of users and of models reach terminals, JSON and exports. Some characters act there instead of being read:
//! controls move the cursor or begin a line, bidirectional controls reorder what is around them, and characters without
//! a shape hide text. They are replaced by U+FFFD, or in JSON escaped, which is the same text to whoever parses it.
//!
//! What living scripts and emoji need stays: joiners and variation selectors after what they can change, and the tags of
//! the three flags made of them. Right-to-left letters need no controls.

use std::borrow::Cow;

/// What is shown for a character that is not.
const SHOWN: char = char::REPLACEMENT_CHARACTER;

/// A waving black flag, which tags make another flag.
const FLAG: char = '\u{1F3F4}';
/// The tags of the flags of England, Scotland and Wales, as letters; U+E007F ends them.
const REGIONS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
const TAGS: u32 = 0xE0000;

/// What a character does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is read.
    Read,
    /// It acts, or cannot be seen.
    Acts,
    /// It joins or parts what is around it.
    Joins,
    /// It chooses a shape of the character before it.
    Varies,
}

fn role(c: char) -> Role {
    match c {
        '\n' | '\t' => Role::Read,
        c if c.is_control() => Role::Acts,
        '\u{200B}'..='\u{200D}' => Role::Joins,
        '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => Role::Varies,
        // Bidirectional controls, and what ends a line or a paragraph.
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{206F}' => Role::Acts,
        // Characters without a shape: joiners of words, fillers, annotations, controls of notation, tags.
        '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}' | '\u{2060}'..='\u{2065}' => {
            Role::Acts
        }
        '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' => Role::Acts,
        '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}' => Role::Acts,
        _ => Role::Read,
    }
}

/// Whether a character may be shown as it is after another.
fn is_shown(c: char, before: Option<char>) -> bool {
    match (role(c), before) {
        (Role::Read, _) => true,
        (Role::Acts, _) | (_, None) => false,
        // Latin, Greek and Cyrillic letters join nothing; scripts that do come after them, and so do emoji.
        (Role::Joins, Some(before)) => {
            before >= '\u{590}' && !('\u{2000}'..='\u{206F}').contains(&before) && before != SHOWN
        }
        (Role::Varies, Some(before)) if role(before) != Role::Read || before == SHOWN => false,
        (Role::Varies, Some(before)) if c >= '\u{E0100}' => before >= '\u{2E80}',
        (Role::Varies, Some(before)) => !before.is_ascii_alphabetic() && !before.is_whitespace(),
    }
}

/// How many bytes of a text that begins with a flag are that flag and its tags.
fn tagged_flag(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(FLAG)?;
    let tags = REGIONS.into_iter().map(tags_of).find(|tags| rest.starts_with(tags.as_str()))?;
    Some(FLAG.len_utf8() + tags.len())
}

fn tags_of(region: &str) -> String {
    region.bytes().chain([0x7F]).filter_map(|letter| char::from_u32(TAGS + u32::from(letter))).collect()
}

/// Makes the characters of a text visible that comes piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    before: Option<char>,
}

impl Reader {
    /// The next piece with U+FFFD in the place of what is not shown. A line break of two characters becomes one.
    pub fn read<'t>(&mut self, piece: &'t str) -> Cow<'t, str> {
        self.replace(piece, |found, next, out| match (found, next) {
            ('\r', Some('\n')) => {}
            _ => out.push(SHOWN),
        })
    }

    fn replace<'t>(&mut self, text: &'t str, mut instead: impl FnMut(char, Option<char>, &mut String)) -> Cow<'t, str> {
        let mut made: Option<String> = None;
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let end = at + tagged_flag(&text[at..]).unwrap_or(c.len_utf8());
            match is_shown(c, self.before) {
                true => {
                    if let Some(made) = &mut made {
                        made.push_str(&text[at..end]);
                    }
                    self.before = Some(c);
                }
                false => {
                    let next = text[end..].chars().next();
                    instead(c, next, made.get_or_insert_with(|| text[..at].to_owned()));
                    self.before = Some(SHOWN);
                }
            }
            at = end;
        }
        made.map_or(Cow::Borrowed(text), Cow::Owned)
    }
}

/// A text with U+FFFD in the place of every character that acts on a terminal or hides.
///
/// Line feeds and tabs stay; whoever prints several lines sees to where they begin.
pub fn visible(text: &str) -> Cow<'_, str> {
    Reader::default().read(text)
}

/// A JSON document with the characters that [`visible`] would replace escaped: the same document to every parser.
///
/// They stand in strings only, since what is around strings is ASCII.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    Reader::default().replace(json, |found, _, out| {
        let mut units = [0; 2];
        for unit in found.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_acts_or_hides_is_replaced() {
        for (text, expected) in [
            ("\u{1b}]0;owned\u{7} ok\n", "\u{FFFD}]0;owned\u{FFFD} ok\n"),
            ("a\u{9b}31m\u{7f}\u{85}b", "a\u{FFFD}31m\u{FFFD}\u{FFFD}b"),
            ("pay \u{202e}001\u{202c} \u{2066}x\u{2069}", "pay \u{FFFD}001\u{FFFD} \u{FFFD}x\u{FFFD}"),
            ("\u{200e}\u{200f}\u{61c}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("one\u{2028}two\u{2029}", "one\u{FFFD}two\u{FFFD}"),
            ("pass\u{200b}word\u{200d}\u{2060}\u{feff}", "pass\u{FFFD}word\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("hi\u{E0068}\u{E0069}", "hi\u{FFFD}\u{FFFD}"),
            ("\u{1F3F4}\u{E0068}\u{E0069}\u{E007F}", "\u{1F3F4}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("\u{1F600}\u{FE0F}\u{FE01}\u{E0101}", "\u{1F600}\u{FE0F}\u{FFFD}\u{FFFD}"),
            ("\u{5d0}\u{200d}\u{200d}", "\u{5d0}\u{200d}\u{FFFD}"),
            ("one\r\ntwo\rthree", "one\ntwo\u{FFFD}three"),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
    }

    #[test]
    fn scripts_and_emoji_stay_as_they_are() {
        for text in [
            "The kite\tis red.\n\u{e9}t\u{e9}, e\u{301}, \u{732b}, \u{ac00}",
            "\u{1F468}\u{200d}\u{1F469}\u{200d}\u{1F467}\u{200d}\u{1F466}",
            "\u{2764}\u{FE0F}\u{200d}\u{1F525} 1\u{FE0F}\u{20E3} \u{a9}\u{FE0F} \u{1F44D}\u{1F3FD}",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} \u{1F1EB}\u{1F1F7}",
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd}, \u{627}\u{644}\u{633}\u{644}\u{627}\u{645} 42",
            "\u{915}\u{94d}\u{200d}\u{937} \u{dc1}\u{dca}\u{200d}\u{dbb}",
            "\u{1797}\u{17b6}\u{200b}\u{1781}",
            "\u{845b}\u{E0100} \u{8fbb}\u{FE00}",
        ] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text:?} is {:?}", visible(text));
        }
    }

    #[test]
    fn pieces_are_read_as_one_text() {
        let mut reader = Reader::default();
        let pieces = ["\u{1F468}", "\u{200d}", "\u{1F469} a", "\u{200d}\u{1b}", "[2J"];
        let read: String = pieces.iter().map(|piece| reader.read(piece)).collect();
        assert_eq!(read, "\u{1F468}\u{200d}\u{1F469} a\u{FFFD}\u{FFFD}[2J");
    }

    #[test]
    fn escaped_json_is_ascii_where_it_would_act() {
        let json = serde_json::to_string("\u{9b}\u{7f}\u{202e}\u{E0041}\u{1F468}\u{200d}\u{1F469}").unwrap();
        assert_eq!(escaped_json(&json), "\"\\u009b\\u007f\\u202e\\udb40\\udc41\u{1F468}\u{200d}\u{1F469}\"");
    }

    proptest! {
        #[test]
        fn nothing_that_acts_is_left_and_json_means_the_same(text in any::<String>()) {
            let shown = visible(&text).into_owned();
            prop_assert!(shown.chars().all(|c| role(c) != Role::Acts || (TAGS..TAGS + 0x80).contains(&(c as u32))));
            prop_assert_eq!(visible(&shown), shown.as_str(), "once is enough");
            let json = serde_json::to_string(&text).unwrap();
            let escaped = escaped_json(&json);
            prop_assert_eq!(visible(&escaped), escaped.as_ref());
            prop_assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
        }
    }
}
