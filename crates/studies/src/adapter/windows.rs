//! Long turns as windows, as a search has them: what a question asks for may stand at the end of a long answer.

use std::{collections::HashSet, convert::Infallible, ops::Range};

use aforesaid::{
    analysis::Analyzer,
    models::training::{TrainingPair, TrainingSet},
    windows::windows,
};

/// Words of a window: about as many as training reads tokens of.
const WORDS: usize = 90;

/// A set whose long passages are several, each a window.
///
/// A pair's passage is the window that has most of its question's words; the others of the turn are no wrong answers.
pub(super) fn split(set: TrainingSet) -> TrainingSet {
    let mut passages: Vec<Vec<String>> = Vec::with_capacity(set.passages.len());
    let mut of_turn: Vec<Range<usize>> = Vec::with_capacity(set.passages.len());
    for forms in &set.passages {
        let first = passages.len();
        passages.extend(windows_of(forms));
        of_turn.push(first..passages.len());
    }
    let terms: Vec<HashSet<String>> =
        passages.iter().map(|forms| forms.last().map_or_else(HashSet::new, |text| terms_of(text))).collect();
    let pair = |pair: TrainingPair| {
        let windows = of_turn[pair.passage].clone();
        let sought = terms_of(pair.questions.first().map_or("", String::as_str));
        let held = |window: &usize| (terms[*window].intersection(&sought).count(), std::cmp::Reverse(*window));
        let passage = windows.clone().max_by_key(held).unwrap_or(windows.start);
        let others = pair.also.iter().flat_map(|turn| of_turn[*turn].clone());
        let also = windows.clone().chain(others).filter(|place| *place != passage).collect();
        TrainingPair { questions: pair.questions, passage, also }
    };
    let pairs = set.pairs.into_iter().map(pair).collect();
    TrainingSet { passages, pairs, ..set }
}

/// The windows of a turn in its forms. Who said it stands before the first.
fn windows_of(forms: &[String]) -> Vec<Vec<String>> {
    let Some(text) = forms.last() else { return vec![Vec::new()] };
    let count = |part: &str| Ok::<_, Infallible>(part.split_whitespace().count());
    let Ok(ranges) = windows(text, WORDS, count);
    if ranges.len() < 2 {
        return vec![forms.to_vec()];
    }
    let window = |(place, bytes): (usize, Range<usize>)| {
        let part = &text[bytes];
        let with = |form: &String| form.strip_suffix(text.as_str()).map(|before| format!("{before}{part}"));
        if place == 0 { forms.iter().filter_map(with).collect() } else { vec![part.to_owned()] }
    };
    ranges.into_iter().enumerate().map(window).collect()
}

fn terms_of(text: &str) -> HashSet<String> {
    Analyzer::English.query_terms(text).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn of three sentences of sixty words, each with words of its own.
    fn long(names: [&str; 3]) -> String {
        let sentence = |name: &str| format!("The {name} is {}.", "so very big ".repeat(19).trim());
        names.map(sentence).join(" ")
    }

    #[test]
    fn a_question_belongs_to_the_window_that_has_its_words() {
        let text = long(["boat", "kiln", "plough"]);
        let set = TrainingSet {
            passages: vec![vec!["Ann: hi".into(), "hi".into()], vec![format!("Ann: {text}"), text.clone()]],
            pairs: vec![
                TrainingPair { questions: vec!["which plough?".into()], passage: 1, also: Vec::new() },
                TrainingPair { questions: vec!["which boat?".into()], passage: 1, also: vec![0] },
                TrainingPair { questions: vec!["who greets?".into()], passage: 0, also: vec![1] },
            ],
            weight: 1.0,
            ..TrainingSet::default()
        };
        let set = split(set);
        assert_eq!(set.passages.len(), 4);
        assert_eq!(set.passages[1].len(), 2, "the first window is with and without who said it");
        assert!(set.passages[1][0].starts_with("Ann: The boat"), "{:?}", set.passages[1]);
        let found: Vec<(usize, &[usize])> = set.pairs.iter().map(|pair| (pair.passage, pair.also.as_slice())).collect();
        assert_eq!(found, [(3, [1, 2].as_slice()), (1, &[2, 3, 0]), (0, &[1, 2, 3])]);
        let whole: String = set.passages[1..].iter().map(|forms| forms.last().unwrap().as_str()).collect();
        assert_eq!(whole, text, "no word is lost");
    }
}
