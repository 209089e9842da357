//! What a model thinks before it answers, in `<think>` and `</think>`, is no part of the answer.

const BEGIN: &str = "<think>";
const END: &str = "</think>";

/// What a text says after its reasoning; nothing where the reasoning does not end.
///
/// Servers differ in whether they keep the first mark: the last one alone ends reasoning too.
pub fn without_reasoning(text: &str) -> &str {
    match text.rsplit_once(END) {
        Some((_, answer)) => answer,
        None if text.trim_start().starts_with(BEGIN) => "",
        None => text,
    }
}

/// Passes the pieces of an answer on as they come, without the reasoning at its beginning.
///
/// Reasoning of which only the end is marked is passed on: nobody knows what it is until it is over.
pub struct StreamFilter<'a> {
    each: &'a mut dyn FnMut(&str),
    /// What has not been passed on.
    held: String,
    /// Bytes of white space that `held` begins with: they are not looked at again with each piece.
    blank: usize,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It may still turn out to begin with reasoning.
    Beginning,
    Thinking,
    /// Between the reasoning and the first sign of the answer.
    Pausing,
    Speaking,
}

impl<'a> StreamFilter<'a> {
    /// Passes on to `each`.
    pub fn new(each: &'a mut dyn FnMut(&str)) -> Self {
        Self { each, held: String::new(), blank: 0, stage: Stage::Beginning }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) {
        self.held.push_str(piece);
        if self.stage == Stage::Beginning {
            let begun = self.held[self.blank..].trim_start();
            self.blank = self.held.len() - begun.len();
            self.stage = match begun.strip_prefix(BEGIN) {
                Some(_) => Stage::Thinking,
                None if BEGIN.starts_with(begun) => Stage::Beginning,
                None => Stage::Speaking,
            };
        }
        if self.stage == Stage::Thinking {
            if let Some(end) = self.held.find(END) {
                self.held.drain(..end + END.len());
                self.stage = Stage::Pausing;
            } else {
                // Enough to see a mark that comes in pieces.
                let kept = self.held.ceil_char_boundary(self.held.len().saturating_sub(END.len()));
                self.held.drain(..kept);
            }
        }
        if self.stage == Stage::Pausing {
            self.held.drain(..self.held.len() - self.held.trim_start().len());
            if !self.held.is_empty() {
                self.stage = Stage::Speaking;
            }
        }
        if self.stage == Stage::Speaking {
            self.pass_on();
        }
    }

    /// Passes on what might have been the beginning of reasoning.
    pub fn end(mut self) {
        if self.stage == Stage::Beginning {
            self.pass_on();
        }
    }

    fn pass_on(&mut self) {
        if !self.held.is_empty() {
            (self.each)(&self.held);
            self.held.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filter(pieces: &[&str]) -> Vec<String> {
        let mut heard = Vec::new();
        let mut each = |piece: &str| heard.push(piece.to_owned());
        let mut filter = StreamFilter::new(&mut each);
        pieces.iter().for_each(|piece| filter.push(piece));
        filter.end();
        heard
    }

    #[test]
    fn reasoning_is_left_out() {
        for (text, answer) in [
            ("The kite [1].", "The kite [1]."),
            ("<think>A kite [2]?</think>The kite [1].", "The kite [1]."),
            ("\n<think>\nA kite?\n", ""),
            ("A kite?</think> The kite.", " The kite."),
            ("1 <think> 2", "1 <think> 2"),
            ("<thin", "<thin"),
        ] {
            assert_eq!(without_reasoning(text), answer, "{text}");
        }
    }

    #[test]
    fn pieces_of_an_answer_come_at_once_and_those_of_reasoning_do_not() {
        assert_eq!(filter(&["The ", "kite."]), ["The ", "kite."]);
        assert_eq!(filter(&["<th", "ink>A ki", "te? </th", "ink>\n", "\nThe ", "kite."]), ["The ", "kite."]);
        assert_eq!(filter(&["<", "3 to all"]), ["<3 to all"]);
        assert_eq!(filter(&["<thi"]), ["<thi"]);
        assert!(filter(&["<think>A kite?"]).is_empty());
        assert_eq!(filter(&[" ", "\n", "<3"]), [" \n<3"]);
        assert_eq!(filter(&[" ", "\n", "<thin", "k>A kite?</think>", " ", "\n", " Yes"]), ["Yes"]);
    }

    /// White space in pieces was looked through from its beginning with each piece: a quarter of a million took minutes.
    #[test]
    fn endless_white_space_costs_its_length() {
        let spaces = vec![" "; 250_000];
        assert_eq!(filter(&spaces).concat().len(), spaces.len());
        let thought: Vec<_> = ["<think></think>"].into_iter().chain(spaces).collect();
        assert!(filter(&thought).is_empty());
    }

    proptest! {
        #[test]
        fn cut_anywhere_the_same_is_said(
            thought in prop::option::of("[a-z<>/é ]{0,20}"), answer in "[a-zé][a-z<>/é ]{0,20}", cuts in prop::collection::vec(1usize..6, 0..40),
        ) {
            let text = thought.map_or(String::new(), |thought| format!("<think>{thought}</think>\n")) + &answer;
            prop_assume!(text.matches(END).count() < 2 && !answer.contains(END));
            let (mut rest, mut pieces) = (text.as_str(), Vec::new());
            for cut in cuts {
                let (piece, after) = rest.split_at(rest.ceil_char_boundary(cut.min(rest.len())));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            prop_assert_eq!(filter(&pieces).concat(), answer);
            prop_assert_eq!(without_reasoning(&text).trim_start(), filter(&pieces).concat());
        }
    }
}
