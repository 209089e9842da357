//! A text word for word in English.

use super::{
    column,
    side::{Piece, Side},
    table::{ROWS, words},
};
use crate::analysis::Language;

/// A text in another language word for word in English, for a model that reads English alone; `None` for one that tells no
/// language, an English one, and one in a language that the dictionary lacks.
///
/// Words that the dictionary lacks stay as they are written, names among them.
pub fn gloss(text: &str) -> Option<String> {
    gloss_as(text, Language::of(text)?)
}

/// The same of a text in a language, such as one too short to tell it.
pub fn gloss_as(text: &str, language: Language) -> Option<String> {
    let column = column(language).filter(|&column| column > 0)?;
    let mut glossed = String::with_capacity(text.len() + text.len() / 4);
    Side::of(column).read(text, &mut |piece| match piece {
        Piece::Meant(meanings) => {
            let usual = meanings.first().and_then(|meaning| words(ROWS[usize::from(meaning.row)][0]).next());
            glossed.push_str(usual.unwrap_or_default());
        }
        Piece::Function(gloss) => glossed.push_str(gloss),
        Piece::Other(text) => glossed.push_str(text),
    });
    Some(glossed.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether texts in a language can be read in English.
pub fn can_gloss(language: Language) -> bool {
    column(language).is_some_and(|column| column > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_read_word_for_word() {
        for (text, glossed) in [
            ("Mia: Wann wird die Wohnung frei?", "Mia: when will the flat free?"),
            ("Wo sind die Wohnungsschlüssel?", "where are the flat key?"),
            ("¿Dónde dejamos las llaves del coche?", "¿where lets the key of the car?"),
            ("Мы купили новую машину", "we buy new car"),
            ("我们什么时候搬家？", "we when relocation ？"),
        ] {
            assert_eq!(gloss(text).as_deref(), Some(glossed));
        }
    }

    #[test]
    fn english_and_unknown_languages_stay() {
        for text in ["When did we move?", "slow cooker", "고양이", "", "42"] {
            assert_eq!(gloss(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_stays_as_it_is_written() {
        let glossed = gloss("Hat Friederike den Flügel von Herrn Zwickau gekauft?").unwrap();
        assert!(glossed.contains("Friederike") && glossed.contains("Zwickau"), "{glossed}");
    }

    /// Each of its ends was looked up.
    #[test]
    fn an_endless_word_is_no_compound() {
        let endless = format!("Wann haben wir das {}?", "tür".repeat(100_000));
        assert_eq!(gloss(&endless).map(|glossed| glossed.len() > 300_000), Some(true));
    }

    #[test]
    fn words_side_by_side_are_no_phrase() {
        let glossed = gloss("Wir haben das am猫Wochenende mit den Nachbarn gesehen").unwrap();
        assert!(glossed.contains('猫') && glossed.contains("weekend"), "{glossed}");
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "(wann |ich |und |la |el |\\PC{0,6} |猫は|的了|я ){0,8}") {
            let _ = gloss(&text);
        }
    }
}
