//! What a text is like apart from its topic: does it ask, does it say when.

use super::{Language, languages::LANGUAGES, time_words, wishes};

/// What kind of statement a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Form {
    /// Of its letters and digits, the share that stands in questions, in 255ths.
    asking: u8,
    /// Whether it names a time: a day, a date, a while ago.
    pub tells_when: bool,
    /// Whether it says how somebody wants things to be: an instruction that goes on, a taste, a limit.
    pub states_a_wish: bool,
    /// The language it is in, by number, where it tells: see [`Language::number`].
    language: Option<u8>,
}

impl Form {
    /// Looks at a text, without its speaker and caption.
    pub fn of(text: &str) -> Self {
        let language = Language::of(text).and_then(Language::number).map(|number| number as u8);
        Self {
            asking: asking(text),
            tells_when: time_words::tells_when(text),
            states_a_wish: wishes::states_a_wish(text),
            language,
        }
    }

    /// Share of the text that asks, in [0, 1].
    pub fn asking(self) -> f64 {
        f64::from(self.asking) / 255.0
    }

    /// The number of the language it is in, where that is another than English and its words are known.
    pub(crate) fn language_number(self) -> Option<usize> {
        self.language.map(usize::from)
    }

    /// One number for all; see [`Form::from_code`].
    pub(crate) fn code(self) -> u16 {
        let language = self.language.map_or(0, |number| u16::from(number) + 1);
        let [wish, when] = [self.states_a_wish, self.tells_when].map(u16::from);
        language << 10 | wish << 9 | u16::from(self.asking) << 1 | when
    }

    /// Puts back what [`Form::code`] gave; `None` for any other number.
    pub(crate) fn from_code(code: u16) -> Option<Self> {
        let asking = (code >> 1) as u8;
        let language = (code >> 10).checked_sub(1).map(|number| number as u8);
        let is_known = language.is_none_or(|number| usize::from(number) < LANGUAGES.len());
        let is_set = |bit: u16| code >> bit & 1 == 1;
        is_known.then_some(Self { asking, tells_when: is_set(0), states_a_wish: is_set(9), language })
    }
}

/// Letters stand for words, so that scripts without spaces are measured too.
fn asking(text: &str) -> u8 {
    let (mut asked, mut total, mut sentence) = (0u64, 0u64, 0u64);
    for c in text.chars() {
        match c {
            '?' | '\u{FF1F}' | '\u{061F}' | '\u{037E}' => {
                asked += sentence;
                sentence = 0;
            }
            '.' | '!' | '\n' | '\u{2026}' | '\u{3002}' | '\u{FF01}' | '\u{0964}' => sentence = 0,
            c if c.is_alphanumeric() => {
                sentence += 1;
                total += 1;
            }
            _ => {}
        }
    }
    (asked * 255).checked_div(total).map_or(0, |share| share as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_question_asks_and_a_statement_does_not() {
        assert_eq!(Form::of("Where are you?").asking(), 1.0);
        assert_eq!(Form::of("I am here.").asking(), 0.0);
        assert_eq!(Form::of("I see! Why?").asking(), (3.0f64 / 7.0 * 255.0).trunc() / 255.0);
        assert_eq!(Form::of("猫はどこ？ここ。").asking(), (4.0f64 / 6.0 * 255.0).trunc() / 255.0);
        assert_eq!(Form::of("?!").asking(), 0.0);
    }

    proptest! {
        #[test]
        fn a_form_is_kept_by_its_number(text in "\\PC{0,60}") {
            let form = Form::of(&text);
            prop_assert!((0.0..=1.0).contains(&form.asking()));
            prop_assert_eq!(Form::from_code(form.code()), Some(form));
        }
    }
}
