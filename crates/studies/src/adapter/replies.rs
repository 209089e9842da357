//! What an assistant was asked and what it answered: pairs that nobody had to write.

use aforesaid::models::training::{TrainingPair, TrainingSet};

use super::sessions::{Session, forms};

/// Words of a request that says enough to be looked for.
const LEAST_WORDS: usize = 6;
/// Words of an answer that says enough to be found.
const LEAST_ANSWER: usize = 12;

/// What was said in a session, each with whether the assistant said it.
pub(super) type Said = Vec<(bool, String)>;

/// A set of sessions in which requests are the questions and the answers right after them the passages.
pub(super) fn set(name: String, sessions: &[Session], weight: f64) -> TrainingSet {
    let mut set = TrainingSet { name, weight, ..TrainingSet::default() };
    for session in sessions.iter().map(|session| &session.said) {
        let first = set.passages.len();
        set.passages.extend(session.iter().map(|(by_assistant, text)| forms(*by_assistant, text)));
        let words = |text: &str| text.split_whitespace().count();
        for (place, pair) in session.windows(2).enumerate() {
            let [(false, asked), (true, answered)] = pair else { continue };
            if words(asked) >= LEAST_WORDS && words(answered) >= LEAST_ANSWER {
                // What was asked holds the question's words, and the rest of its session is about the same.
                let also = (first..first + session.len()).collect();
                set.pairs.push(TrainingPair { questions: vec![asked.clone()], passage: first + place + 1, also });
            }
        }
    }
    set
}
