//! Cue questions: what a memory answers, written when it is indexed (ROXY, section 3.2).

use serde::{Deserialize, Serialize};

/// Counts the arrivals of cues in a namespace, from 1; never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
#[serde(transparent)]
pub struct CueId(pub u64);

/// Who wrote cues, and how they were asked to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CueSource {
    /// The model, or another name for whoever wrote them.
    pub model: String,
    /// The prompt and its version, such as `contextual/1`, and how many turns before a turn it shows where that is not
    /// [`USUAL_BEFORE`]: `contextual/1 before=9`.
    pub prompt: String,
}

/// Turns before a turn that a prompt for cues shows, unless it says otherwise.
pub const USUAL_BEFORE: u32 = 6;
/// Turns before a turn that a prompt for cues shows at most.
pub const MOST_BEFORE: u32 = 16;

impl CueSource {
    /// Turns before a turn that whoever wrote its cues was shown at most: what these say can be in its questions.
    pub fn turns_before(&self) -> u32 {
        if self.prompt.starts_with("isolated/") {
            return 0;
        }
        let named = self.prompt.split_once(" before=").and_then(|(_, number)| number.parse().ok());
        named.unwrap_or(USUAL_BEFORE).min(MOST_BEFORE)
    }
}

/// The cues of one memory; no question at all where there was nothing to ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cues {
    /// Where they come from.
    #[serde(flatten)]
    pub source: CueSource,
    /// The questions, in the order they were written.
    pub questions: Vec<String>,
}

/// A memory's text with its questions, as one text to encode (ROXY, equation 3 and appendix A.3).
pub fn cued_passage<'q>(passage: &str, questions: impl IntoIterator<Item = &'q str>) -> String {
    let questions: Vec<&str> = questions.into_iter().collect();
    match questions.is_empty() {
        true => passage.to_owned(),
        false => format!("{passage} [Potential questions: {}]", questions.join(" | ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_follow_the_text() {
        assert_eq!(cued_passage("Ann: a kite", ["Who?", "What?"]), "Ann: a kite [Potential questions: Who? | What?]");
        assert_eq!(cued_passage("Ann: a kite", []), "Ann: a kite");
    }
}
