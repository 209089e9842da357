//! Function words of languages other than English: what a question in one of them does not ask for.
//!
//! They are left out of queries alone. A text may be of any language, and of several.

use super::{
    language::{CHINESE, JAPANESE, Language},
    words::is_han,
};

/// Folded, as the words of a text are.
const WORDS: [(&str, &str); 6] = [
    (
        "German",
        "aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da dabei dafur damit dann \
         das dass dein deine deinem deinen deiner dem den denn der des dessen die dies diese diesem diesen dieser dieses \
         doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure fur gegen gibt hab habe haben \
         habt hast hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jeden jeder \
         jedes jetzt kann kannst kein keine keinen konnen konnte konnten mal man mehr mein meine meinem meinen meiner \
         mich mir mit muss musste mussten nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem \
         seinen seiner seit sich sie sind so soll sollen sollte sollten sondern sonst uber um und uns unser unsere \
         unserem unseren unserer unter viel viele vom von vor wann war waren warst warum was weil welche welchem welchen \
         welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder wieso wieviel wieviele will wir wird wo \
         wofur woher wohin womit worden wurde wurden zu zum zur zwischen",
    ),
    (
        "Spanish",
        "a al algo alguien algun alguna algunos algunas antes aquel aquella aqui asi aun aunque cada casi como con cual \
         cuales cuando cuanta cuantas cuanto cuantos de del desde donde durante e el ella ellas ellos en entre era eran \
         eres es esa esas ese eso esos esta estaba estaban estan estar estas este esto estos estoy fue fueron fui fuimos \
         ha habia habian han has hasta hay he hemos la las le les lo los mas me mi mia mio mis mucho muy nada ni no nos \
         nosotros nuestra nuestro nuestras nuestros o os para pero por porque pues que quien quienes se sea ser si sido \
         sin sobre somos son soy su sus tambien tan tanto te tengo tenia tiene tienen tu tus tuvo un una unas uno unos \
         usted ustedes va vamos y ya yo",
    ),
    (
        "French",
        "a ai as au aux avait avaient avec avez avons c'est c'etait ce cela ces cet cette chez combien comme comment d'un \
         d'une dans de depuis des donc dont du elle elles en entre est et etaient etait ete etre eu eux il ils j'ai \
         j'avais je l'on la le les leur leurs lui ma mais me meme mes moi mon n'est ne ni nos notre nous on ont ou par \
         parce pas pendant peu plus pour pourquoi puis qu'est qu'il qu'elle qu'on quand que quel quelle quelles quels qui \
         quoi s'est sa sans se sera ses si son sont sous sur ta te tes toi ton tous tout toute toutes tres tu un une va \
         vers vos votre vous y",
    ),
    (
        "Italian",
        "a abbiamo ad agli ai al alla alle allo anche ancora aveva avevano avere c'e c'era che chi ci come con cosa cui da \
         dagli dai dal dalla dalle degli dei del della delle dello di dopo dov'e dove e ed era erano essere fra gli ha hai \
         hanno ho i il in io la le lei li lo loro lui ma me mi mia mie miei mio molto ne nei nel nella nelle noi non \
         nostra nostro o per perche piu poi quale quali quando quanta quante quanti quanto quella quelle quelli quello \
         questa queste questi questo se sei si sia siamo sono sta stata stato su sua sue sugli sul sulla suo suoi tra tu \
         tua tuo un un'altra una uno vi voi",
    ),
    (
        "Portuguese",
        "a ao aos as ate com como da das de dela delas dele deles do dos e ela elas ele eles em entre era eram essa esse \
         esta estao estava este eu foi foram ha isso isto ja la lhe mais mas me mesmo meu meus minha minhas muito na nao \
         nas nem no nos nossa nosso num numa o onde os ou para pela pelo por porque quais qual quando quanta quantas \
         quanto quantos que quem sao se sem ser seu seus so sua suas tambem te tem tinha tinham um uma umas uns voce \
         voces",
    ),
    (
        "Dutch",
        "aan al als ben bij daar dan dat de der deze die dit doch door dus een en er geen had hadden heb hebben heeft hem \
         het hier hij hoe hoeveel ik in is ja je jij jouw jullie kon me meer men met mij mijn na naar niet nog nu of om \
         omdat ons onze ook op te toch tot u uit uw van vanaf veel voor waar waarom wanneer want waren was wat we wel \
         welk welke wie wij worden wordt zal ze zich zij zijn zo zonder zou",
    ),
];

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
        (Language::Named(name), ..) => {
            let words = WORDS.iter().find(|(language, _)| *language == name);
            words.is_some_and(|(_, words)| words.split(' ').any(|word| word == term))
        }
        _ => false,
    }
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Analyzer, folded};

    #[test]
    fn every_word_of_a_list_is_one_a_text_can_have() {
        for (language, words) in WORDS {
            for word in words.split(' ') {
                assert!(!word.is_empty() && folded(word) == word, "{language}: {word:?}");
            }
        }
        let pairs = KANA_PAIRS.split(' ').filter(|pair| pair.chars().count() == 2);
        assert_eq!(pairs.count(), KANA_PAIRS.split(' ').count());
    }

    #[test]
    fn a_question_asks_for_its_content_in_its_language() {
        for (question, terms) in [
            ("Auf welcher Parzelle standen die Bienen zuerst?", &["parzell", "standen", "bienen", "zuerst"][..]),
            ("¿Cuántas personas se inscribieron al principio?", &["persona", "inscribieron", "principio"]),
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
    fn an_english_question_and_a_text_keep_every_word() {
        let terms = |text: &str| {
            let mut terms = Vec::new();
            Analyzer::English.session().terms(text, &mut |term| terms.push(term.to_owned()));
            terms
        };
        let question = "What does die Bahn charge for the ride?";
        assert_eq!(Analyzer::English.query_terms(question), terms(question));
        assert!(terms("Wir waren auf der Parzelle").contains(&"auf".to_owned()));
    }
}
