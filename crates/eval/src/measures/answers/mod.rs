//! How well an answer in words matches the gold answer: the scores of LoCoMo.
//!
//! Maharana et al. 2024, "Evaluating very long-term conversational memory of LLM agents"; where its text leaves a
//! choice, the authors' `task_eval/evaluation.py` decides.

mod porter;

use std::{collections::BTreeMap, str::FromStr};

/// Left out of an answer where they are whole words.
const ARTICLES: [&str; 4] = ["a", "an", "the", "and"];

/// What says, in lower case, that the conversation has no answer.
const ABSTENTIONS: [&str; 2] = ["no information available", "not mentioned"];

/// The kind of a LoCoMo question; the number is its code in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// The answer joins several turns; the gold lists its parts between commas.
    MultiHop = 1,
    /// The answer is a date or a duration.
    Temporal = 2,
    /// The answer needs knowledge of the world; the gold may explain itself after a semicolon.
    OpenDomain = 3,
    /// The answer is in one turn.
    SingleHop = 4,
    /// The conversation has no answer.
    Adversarial = 5,
}

/// A question category nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("category {found:?}: expected multi-hop, temporal, open-domain, single-hop or adversarial")]
pub struct UnknownCategory {
    /// The word found.
    pub found: String,
}

/// How well `prediction` answers a question of the category whose answer is `gold`, from 0 to 1.
///
/// - Multi-hop: both are lists between commas; for each part of the gold the best [`f1`] of any part of the
///   prediction, and the mean of these. An empty part counts, and scores 0.
/// - Temporal, single-hop: [`f1`].
/// - Open-domain: [`f1`] against the gold up to its first semicolon.
/// - Adversarial: 1 where the prediction says "no information available" or "not mentioned" in any case of letters,
///   else 0, whatever the gold.
///
/// Source: `eval_question_answering` of LoCoMo.
pub fn score(prediction: &str, gold: &str, category: Category) -> f64 {
    match category {
        Category::MultiHop => multi_hop_f1(prediction, gold),
        Category::Temporal | Category::SingleHop => f1(prediction, gold),
        Category::OpenDomain => f1(prediction, gold.split(';').next().unwrap_or(gold)),
        Category::Adversarial => {
            let prediction = prediction.to_lowercase();
            f64::from(u8::from(ABSTENTIONS.iter().any(|abstention| prediction.contains(abstention))))
        }
    }
}

/// `2 p r / (p + r)` over the tokens of [`normalize`], from 0 to 1; 0 where they have none in common.
///
/// `p` is the share of the predicted tokens that are also in the gold, `r` the share of the gold tokens that are also
/// predicted; a token counts as often as it stands in both. Source: `f1_score` of LoCoMo, after SQuAD
/// (Rajpurkar et al. 2016).
pub fn f1(prediction: &str, gold: &str) -> f64 {
    token_f1(&normalize(prediction), &normalize(gold))
}

/// The stems by which answers are compared, in their order.
///
/// Commas go, letters become lower case, ASCII punctuation goes (so "ice-cream" is one word), the words "a", "an",
/// "the" and "and" go, and the rest is cut at white space and stemmed (Porter, as in NLTK). Source: `normalize_answer`
/// of LoCoMo, in its order.
pub fn normalize(answer: &str) -> Vec<String> {
    // Commas first, though they are punctuation too: how a sigma becomes lower case depends on what follows it.
    let answer = answer.replace(',', "").to_lowercase();
    let bare: String = answer.chars().filter(|c| !c.is_ascii_punctuation()).collect();
    without_articles(&bare).split(is_space).filter(|word| !word.is_empty()).map(porter::stem).collect()
}

/// The text with a space in place of each article: between signs, such as dashes, as well as between spaces.
fn without_articles(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c| !is_word(c)) {
        let word = piece.trim_end_matches(|c| !is_word(c));
        if ARTICLES.contains(&word) {
            kept.push(' ');
            kept.push_str(&piece[word.len()..]);
        } else {
            kept.push_str(piece);
        }
    }
    kept
}

/// Whether no article begins or ends beside the character: `\w` of the `regex` package of Python.
///
/// Which takes in marks, here those of accents, emoji and keycaps, and leaves out numbers that are not digits, here
/// those of Latin-1. Rarer characters follow [`char::is_alphanumeric`].
fn is_word(c: char) -> bool {
    match c {
        '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{200c}' | '\u{200d}' => true,
        '²' | '³' | '¹' | '¼' | '½' | '¾' => false,
        _ => c.is_alphanumeric(),
    }
}

/// White space as Python has it: the four separators of ASCII belong to it.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Source: `f1` of LoCoMo.
fn multi_hop_f1(prediction: &str, gold: &str) -> f64 {
    let predicted: Vec<Vec<String>> = prediction.split(',').map(normalize).collect();
    let best: Vec<f64> = gold
        .split(',')
        .map(normalize)
        .map(|gold| predicted.iter().map(|prediction| token_f1(prediction, &gold)).fold(0.0, f64::max))
        .collect();
    best.iter().sum::<f64>() / best.len() as f64
}

fn token_f1(prediction: &[String], gold: &[String]) -> f64 {
    let mut unmatched: BTreeMap<&str, usize> = BTreeMap::new();
    for token in gold {
        *unmatched.entry(token).or_default() += 1;
    }
    let mut common = 0;
    for token in prediction {
        if let Some(count) = unmatched.get_mut(token.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    if common == 0 {
        return 0.0;
    }
    let precision = f64::from(common) / prediction.len() as f64;
    let recall = f64::from(common) / gold.len() as f64;
    2.0 * precision * recall / (precision + recall)
}

impl FromStr for Category {
    type Err = UnknownCategory;

    /// Reads the name that the data set gives it.
    fn from_str(name: &str) -> Result<Self, UnknownCategory> {
        match name {
            "multi-hop" => Ok(Category::MultiHop),
            "temporal" => Ok(Category::Temporal),
            "open-domain" => Ok(Category::OpenDomain),
            "single-hop" => Ok(Category::SingleHop),
            "adversarial" => Ok(Category::Adversarial),
            _ => Err(UnknownCategory { found: name.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATEGORIES: [Category; 5] =
        [Category::MultiHop, Category::Temporal, Category::OpenDomain, Category::SingleHop, Category::Adversarial];

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn answers_become_stems() {
        assert_eq!(normalize("The kites, and an OWL's kite!"), ["kite", "owl", "kite"]);
        assert_eq!(normalize("Dying ponies; news of a ferry"), ["die", "poni", "news", "of", "ferri"]);
        // No comma, no word apart: "1,200" is one number, "red,blue" one word.
        assert_eq!(normalize("1,200 ice-creams red,blue"), ["1200", "icecream", "redblu"]);
        assert_eq!(normalize("ΟΔΟΣ, ΑΣ,Α"), ["οδος", "ασα"]);
    }

    #[test]
    fn articles_go_after_punctuation_and_as_whole_words() {
        assert_eq!(normalize("another band at Andes"), ["anoth", "band", "at", "and"]);
        assert_eq!(normalize("(the) \"a\" t-h-e and/an"), ["andan"]);
        // Signs beyond ASCII stay, and words end there; accents do not end one.
        assert_eq!(normalize("red–the–kite a’s"), ["red–", "–kite", "’s"]);
        assert_eq!(normalize("a\u{301} ❤\u{fe0f}the ½a"), ["a\u{301}", "❤\u{fe0f}the", "½"]);
    }

    #[test]
    fn nothing_is_left_of_articles_and_signs() {
        for answer in ["", " \t\n", "the", "A, an & the... and", "\u{1c}\u{a0}\u{3000}"] {
            assert!(normalize(answer).is_empty(), "{answer:?}");
        }
    }

    #[test]
    fn f1_by_hand() {
        // red, kite and hill of four and three: 2 * 3/4 * 1 / (3/4 + 1)
        close(f1("red kites over hills", "the red kite, a hill"), 6.0 / 7.0);
        close(f1("kite", "owl"), 0.0);
        close(f1("She flies kites", "she flies kites"), 1.0);
        // Order is nothing.
        close(f1("hill red", "red hills"), 1.0);
    }

    #[test]
    fn a_token_counts_as_often_as_it_stands_in_both() {
        // kite twice of three and two: 2 * 2/3 * 1 / (2/3 + 1); the other way about it is the same.
        close(f1("kite kite kite", "kite kite"), 0.8);
        close(f1("kite kite", "kite kite kite"), 0.8);
        // kite once of one and three.
        close(f1("kite", "kites kite kiting"), 0.5);
    }

    #[test]
    fn f1_with_nothing_is_zero() {
        for (prediction, gold) in [("", ""), ("the", "the"), ("kite", ""), ("", "kite"), ("a, an", "kite")] {
            assert_eq!(f1(prediction, gold), 0.0, "{prediction:?} {gold:?}");
        }
    }

    #[test]
    fn multi_hop_answers_are_lists() {
        let multi_hop = |prediction, gold| score(prediction, gold, Category::MultiHop);
        // red kite: 1; owl: 2 * 1/2 * 1 / (1/2 + 1) = 2/3; drum: 0
        close(multi_hop("snowy owls, red kites", "red kite, owl, drum"), 5.0 / 9.0);
        // One part may answer two.
        close(multi_hop("kite", "kite, kites"), 1.0);
        // What is too much costs nothing.
        close(multi_hop("drum, kite, owl", "owl"), 1.0);
        // An empty part counts.
        close(multi_hop("kite", "kite,"), 0.5);
        close(multi_hop("", ""), 0.0);
    }

    #[test]
    fn other_answers_are_not_split_at_commas() {
        // red, kite and owl of three; owl of four: 2 * 3/3 * 3/4 / (1 + 3/4)
        for category in [Category::Temporal, Category::OpenDomain, Category::SingleHop] {
            close(score("red kite, owl", "owl, red kite, drum", category), 6.0 / 7.0);
        }
    }

    #[test]
    fn open_domain_golds_end_at_a_semicolon() {
        close(score("Likely yes", "Likely yes; she paints owls; often", Category::OpenDomain), 1.0);
        close(score("Likely yes", "; she paints owls", Category::OpenDomain), 0.0);
        // likely and yes of two and of three
        close(score("Likely yes", "Likely; yes owls", Category::SingleHop), 0.8);
    }

    #[test]
    fn adversarial_answers_abstain() {
        let adversarial = |prediction| score(prediction, "a red kite", Category::Adversarial);
        for prediction in ["Not mentioned", "It is NOT MENTIONED there.", "no information available"] {
            assert_eq!(adversarial(prediction), 1.0, "{prediction}");
        }
        for prediction in ["", "a red kite", "not  mentioned", "not-mentioned", "unknown", "no information"] {
            assert_eq!(adversarial(prediction), 0.0, "{prediction}");
        }
    }

    #[test]
    fn categories_have_the_names_of_the_data_set() {
        let names = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"];
        assert_eq!(names.map(|name| name.parse::<Category>().unwrap()), CATEGORIES);
        assert_eq!(CATEGORIES.map(|category| category as u8), [1, 2, 3, 4, 5]);
        let unknown = "Temporal".parse::<Category>().unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "category \"Temporal\": expected multi-hop, temporal, open-domain, single-hop or adversarial"
        );
    }

    #[test]
    fn any_two_texts_have_a_score_and_f1_is_symmetric() {
        let texts = [
            "",
            ",",
            ";,;",
            "the",
            "kite",
            "Red KITES, owls",
            "İstanbul ΟΔΟΣ",
            "ß and ẞ",
            "日本語、凧",
            "🪁🏽\u{200d}🦉",
            "e\u{301}e\u{301}ing",
            "\u{1c}a\u{85}\u{feff}b",
            "\0\u{10ffff}",
            "ññed ½s ²ied",
            "\u{202e}eti\u{300}k",
        ];
        for prediction in texts {
            for gold in texts {
                close(f1(prediction, gold), f1(gold, prediction));
                for category in CATEGORIES {
                    assert!((0.0..=1.0).contains(&score(prediction, gold, category)), "{prediction:?} {gold:?}");
                }
            }
            let own = if normalize(prediction).is_empty() { 0.0 } else { 1.0 };
            close(f1(prediction, prediction), own);
        }
    }
}
