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
        // The ending of a Japanese word whose beginning was read.
        Piece::Other(text) if is_ending(text) => {}
        Piece::Other(text) => glossed.push_str(text),
    });
    Some(glossed.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a text is a single letter of Hiragana.
fn is_ending(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|letter| ('\u{3041}'..='\u{3096}').contains(&letter)) && letters.next().is_none()
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
            ("Мы купили новую машину", "we bought new car"),
            ("我们什么时候搬家？", "we when relocation ？"),
            ("8月にパリへ行った", "8 month to パリ to went"),
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

    #[test]
    fn a_name_is_no_word() {
        for (text, glossed) in [
            ("Hoe reageerden Bas en Lotte op het nieuws?", "how react Bas and Lotte on the news?"),
            ("Rosa: ¿dónde está la casa?", "Rosa: ¿where is the home?"),
            ("Ich wohne in der Lindenstraße", "i live in the Lindenstraße"),
            ("ロッテはもう帰った", "ロッテ already return did"),
        ] {
            assert_eq!(gloss(text).as_deref(), Some(glossed));
        }
    }

    #[test]
    fn forms_that_the_stemmer_leaves_are_known() {
        for (text, glossed) in [
            ("Er hat gefragt, was die Wohnung kostet", "he has ask, what the flat cost"),
            ("Vem har tagit nyckeln från lådan?", "who have taken key from box?"),
            ("она предложила тебе работу", "she suggest you work"),
        ] {
            assert_eq!(gloss(text).as_deref(), Some(glossed));
        }
    }

    #[test]
    fn an_accent_tells_words_apart() {
        for (text, glossed) in [
            ("Onde a mãe machucou a mão?", "where the mother bruised the hand?"),
            ("Wer hat den Kuchen in die Küche gestellt?", "who has the cake in the kitchen rack?"),
        ] {
            assert_eq!(gloss(text).as_deref(), Some(glossed));
        }
    }

    #[test]
    fn what_is_joined_by_a_hyphen_is_one_word_where_the_dictionary_has_it() {
        let glossed = gloss("Ma grand-mère vient avec le porte-bagages").unwrap();
        assert_eq!(glossed, "my grandmother come with the door-luggage");
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
