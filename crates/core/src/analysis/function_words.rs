//! Function words of languages other than English: what a question in one of them does not ask for.
//!
//! They are left out of queries alone. A text may be of any language, and of several.

use super::{
    language::{CHINESE, JAPANESE, Language},
    languages::says_little,
    words::is_han,
};

/// Chinese particles: a pair of characters with one of them is no word.
const PARTICLES: &str = "的了吗嗎呢吧啊么麼们們着著";
/// Chinese characters that say little alone, and together.
const LITTLE: &str = "是在我你他她它这這那哪什就都也还還和与與跟很又要会會能可以把被从從到对對给給让讓为為因而但如果所几幾多少怎\
                      样樣个個次有没沒不上下过過说說时時候之谁誰";

/// Japanese pairs of kana that are grammar.
const KANA_PAIRS: &str = "です ます まし した して てい いる いた ませ せん でし たか すか ある あり あっ った ない なか から まで など \
                          こと もの ため よう れる られ せる たい だっ って とき この その あの どの これ それ あれ どれ ここ そこ どこ \
                          いつ だれ どう なぜ なに いく くら くつ つか うか たの のか のは には では とは でも にも との への とし しま \
                          ので のに けど さん ちゃ ゃん くだ ださ さい なり なっ する すれ につ つい いて なん";

/// Whether a folded term of a query in a language says nothing of what is asked for.
pub(super) fn is_function_word(language: Language, term: &str) -> bool {
    let mut letters = term.chars();
    match (language, letters.next(), letters.next(), letters.next()) {
        (CHINESE, Some(one), None, _) => PARTICLES.contains(one) || LITTLE.contains(one),
        (CHINESE, Some(one), Some(other), None) if is_han(one) && is_han(other) => {
            PARTICLES.contains([one, other]) || (LITTLE.contains(one) && LITTLE.contains(other))
        }
        (JAPANESE, Some(one), None, _) => is_hiragana(one),
        (JAPANESE, Some(one), Some(_), None) if is_hiragana(one) => KANA_PAIRS.split(' ').any(|pair| pair == term),
        _ => language.number().is_some_and(|number| says_little(term, Some(number))),
    }
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{
        Analyzer, folded,
        languages::{KnownLanguage, LANGUAGES},
    };

    #[test]
    fn every_word_of_a_list_is_one_a_text_can_have() {
        for KnownLanguage { name, function_words, .. } in &LANGUAGES {
            for word in function_words.split(' ') {
                assert!(!word.is_empty() && folded(word) == word, "{name}: {word:?}");
            }
        }
        let pairs = KANA_PAIRS.split(' ').filter(|pair| pair.chars().count() == 2);
        assert_eq!(pairs.count(), KANA_PAIRS.split(' ').count());
    }

    #[test]
    fn a_question_asks_for_its_content_in_its_language() {
        for (question, terms) in [
            ("Auf welcher Parzelle standen die Bienen zuerst?", &["parzell", "stand", "bien", "zuerst"][..]),
            ("¿Cuántas personas se inscribieron al principio?", &["person", "inscrib", "principi"]),
            ("Où est-ce que nous avons déjeuné dimanche ?", &["dejeun", "dimanch"]),
            ("现在的房租是多少？", &["现", "现在", "房", "房租", "租", "租是"]),
            ("叔父は雪について", &["叔", "叔父", "父", "父は", "は雪", "雪", "雪に"]),
        ] {
            assert_eq!(Analyzer::English.query_terms(question), terms, "{question}");
        }
    }

    #[test]
    fn a_question_of_function_words_alone_keeps_them() {
        assert!(!Analyzer::English.query_terms("Wer war das und warum ist es so?").is_empty());
        assert!(!Analyzer::English.query_terms("他是谁？").is_empty());
    }

    #[test]
    fn an_english_question_keeps_every_word() {
        let terms = |text: &str| {
            let mut terms = Vec::new();
            Analyzer::English.session().terms(text, &mut |term| terms.push(term.to_owned()));
            terms
        };
        let question = "What does die Bahn charge for the ride?";
        assert_eq!(Analyzer::English.query_terms(question), terms(question));
    }
}
