//! The part of a text that shows why it was found.

#[cfg(test)]
mod assistant_turns;
mod cut;
mod excerpt;
mod heaviest;
mod laid;
mod passage;
mod sentences;
mod units;
mod wanted;

use std::{collections::HashMap, ops::Range};

use serde::Serialize;

use self::{excerpt::Window, laid::Laid, wanted::Quantity};
use crate::analysis::{Analysis, Analyzer};

/// Characters of a snippet of a longer text at the most, without what says that something was left out.
pub const SNIPPET_CHARS: usize = 240;

/// Characters of the beginning of a long text that an excerpt has besides, at the most: who says it and what it goes by.
const OPENING_CHARS: usize = 50;

/// Characters of a text that is shown whole, where a part has so many: to leave a few out says no less in no less room.
const fn whole(chars: usize) -> usize {
    chars + chars / 4
}

/// What stands for the text that was left out.
const CUT: &str = "\u{2026}";

/// Characters of a word at the most that a cut goes around; a longer one is cut in two.
const LONG_WORD: usize = 40;

/// A further mention of a term counts as this share of its first.
const REPEAT: f64 = 0.1;

/// A part of a text on one line, and the words in it that matched.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Snippet {
    /// The text, with single spaces, and an ellipsis where it was cut.
    pub text: String,
    /// The words that matched, as bytes of the text from the first to before the last, in order; none overlaps another.
    pub marks: Vec<[usize; 2]>,
}

/// The beginning of a long text, and the part of it that has most of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Excerpt {
    /// Both on one line, with an ellipsis where something was left out.
    pub text: String,
    /// Their share of the text, from 0 to 1.
    pub share: f64,
}

/// A word of a text that matched a term of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// Which term it matched.
    term: usize,
}

impl Snippet {
    /// The beginning of a text, where nothing is looked for.
    pub fn beginning(text: &str) -> Self {
        Highlighter::new(Analyzer::Plain, []).snippet(text)
    }
}

/// Finds the terms of one query in texts, as the index has them.
pub struct Highlighter {
    analysis: Analysis,
    terms: HashMap<String, usize>,
    weights: Vec<f64>,
    asked: Vec<Quantity>,
}

impl Highlighter {
    /// A highlighter of terms with their weights.
    pub fn new(analyzer: Analyzer, terms: impl IntoIterator<Item = (String, f64)>) -> Self {
        let (mut numbers, mut weights) = (HashMap::new(), Vec::new());
        for (term, weight) in terms {
            numbers.insert(term, weights.len());
            weights.push(weight);
        }
        Self { analysis: analyzer.session(), terms: numbers, weights, asked: Vec::new() }
    }

    /// Lets snippets prefer, of parts that are as good, one with a figure where the question asks for a quantity or a time:
    /// the terms do not have "how much" and "when".
    #[must_use]
    pub fn for_question(mut self, question: &str) -> Self {
        self.asked = wanted::asked(question);
        self
    }

    /// Lets each term weigh by how few of some texts have it: ln(1 + texts / texts that have it).
    pub fn weigh_by_rarity<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        let (mut all, mut having) = (0.0, vec![0.0f64; self.weights.len()]);
        for text in texts {
            all += 1.0;
            let mut terms: Vec<usize> = self.marks(text).into_iter().map(|mark| mark.term).collect();
            terms.sort_unstable();
            terms.dedup();
            terms.into_iter().for_each(|term| having[term] += 1.0);
        }
        self.weights = having.into_iter().map(|having| (1.0 + all / having.max(1.0)).ln()).collect();
    }

    /// An excerpt of a text of more than some 375 characters; `None` of a shorter one, which is read whole.
    pub fn excerpt(&mut self, text: &str) -> Option<Excerpt> {
        let text = on_one_line(text);
        let marks = self.marks(&text);
        let Range { start, end } = Window { text: &text, marks: &marks, weights: &self.weights }.choose();
        if end - start == text.len() {
            return None;
        }
        let opening = beginning(&text, OPENING_CHARS);
        // What begins near the beginning goes from there.
        let (opening, start) = if start <= whole(opening.len()) { ("", 0) } else { (opening, start) };
        let part = text[start..end].trim();
        let gap = if start > 0 { " \u{2026} " } else { "" };
        let rest = if end < text.len() { " \u{2026}" } else { "" };
        let share = (opening.len() + part.len()) as f64 / text.len() as f64;
        Some(Excerpt { text: format!("{opening}{gap}{part}{rest}"), share })
    }

    /// The words of a text that match, in the order of their beginnings; of a script without spaces, they may overlap.
    pub fn marks(&mut self, text: &str) -> Vec<Mark> {
        let mut marks: Vec<Mark> = Vec::new();
        let terms = &self.terms;
        self.analysis.located_terms(text, &mut |bytes, term| {
            if let Some(&term) = terms.get(term) {
                marks.push(Mark { bytes, term });
            }
        });
        marks
    }

    /// The parts of a text, of about [`SNIPPET_CHARS`] characters, that answer best by the weight of their marks; the
    /// beginning of a text without marks. A text that is hardly longer is whole.
    ///
    /// A part begins with a sentence, an item of a list, a row of a table or a line of code that has a mark, or with their
    /// heading, and goes on with what follows. The header of a table and, where there is room, a sentence with words that the
    /// part lacks are shown besides.
    pub fn snippet(&mut self, text: &str) -> Snippet {
        self.snippet_near(text, 0..text.len())
    }

    /// As [`Highlighter::snippet`], of the part of a text that speaks most for it: from there, unless the best of the rest
    /// holds more than twice its weight. `part` are bytes of the text, at the bounds of characters.
    pub fn snippet_near(&mut self, text: &str, part: Range<usize>) -> Snippet {
        let laid = Laid::of(text, part);
        let marks = self.marks(&laid.line);
        let parts = laid.choose(&marks, &self.weights, &self.asked);
        laid.show(&marks, parts)
    }
}

/// Ranges of marks, joined where they overlap.
pub fn joined(marks: &[Mark]) -> Vec<[usize; 2]> {
    let mut joined: Vec<[usize; 2]> = Vec::new();
    for Mark { bytes, .. } in marks {
        match joined.last_mut().filter(|last| bytes.start < last[1]) {
            Some(last) => last[1] = last[1].max(bytes.end),
            None => joined.push([bytes.start, bytes.end]),
        }
    }
    joined
}

/// A text with a single space in the place of every run of white space, and none at its ends.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// So many characters of a text at the most, which end with a word where one ends.
fn beginning(text: &str, chars: usize) -> &str {
    let most = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let end = text[..most].rfind(' ').filter(|_| most < text.len()).unwrap_or(most);
    &text[..end]
}

fn last_until(ascending: &[usize], most: usize) -> Option<usize> {
    ascending[..ascending.partition_point(|&bound| bound <= most)].last().copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn snippet(query: &str, text: &str) -> Snippet {
        let terms = Analyzer::English.query_terms(query);
        Highlighter::new(Analyzer::English, terms.into_iter().map(|term| (term, 1.0))).snippet(text)
    }

    fn marked(query: &str, text: &str) -> String {
        let Snippet { mut text, marks } = snippet(query, text);
        for [from, to] in marks.into_iter().rev() {
            text.insert(to, '*');
            text.insert(from, '*');
        }
        text
    }

    /// Sentences of filling, 25 characters each with the space after them.
    fn filling(sentences: usize) -> String {
        "Nothing is to be found. ".repeat(sentences)
    }

    #[test]
    fn a_short_text_is_whole_and_on_one_line() {
        assert_eq!(marked("slow cooker", "My slow\n\n  cookers, Slowly."), "My *slow* *cookers*, Slowly.");
        assert_eq!(snippet("kite", " \n"), Snippet::default());
        assert_eq!(marked("Ann", "Ann's kite is Ann\u{2019}s"), "*Ann*'s kite is *Ann*\u{2019}s");
    }

    #[test]
    fn the_window_is_where_most_of_the_query_is() {
        let text = format!("A kite. {}The red kite sank. {}", filling(20), filling(20));
        let shown = marked("red kite", &text);
        assert!(shown.starts_with("\u{2026} The *red*") && shown.ends_with(". \u{2026}"), "{shown}");
        assert!(shown.contains("The *red* *kite* sank. Nothing"), "{shown}");
        assert!(shown.chars().count() <= SNIPPET_CHARS + 8, "{shown}");
    }

    #[test]
    fn a_rare_term_weighs_more_than_many_mentions_of_a_common_one() {
        let text = format!("{}{}A zeppelin. {}", "Kite kite kite. ".repeat(3), filling(20), filling(20));
        let terms = [("kite".to_owned(), 0.5), ("zeppelin".to_owned(), 4.0)];
        let shown = Highlighter::new(Analyzer::English, terms).snippet(&text);
        assert!(shown.text.contains("A zeppelin."), "{shown:?}");
    }

    #[test]
    fn a_match_at_the_very_end_is_shown() {
        let shown = marked("kite", &format!("{}It was the kite", filling(30)));
        assert!(shown.starts_with("\u{2026} Nothing") && shown.ends_with("It was the *kite*"), "{shown}");
    }

    #[test]
    fn without_a_match_it_is_the_beginning() {
        let shown = marked("zeppelin", &filling(30));
        assert!(shown.starts_with("Nothing is") && shown.ends_with("found. \u{2026}"), "{shown}");
        assert!(shown.chars().count() > SNIPPET_CHARS / 2, "{shown}");
    }

    #[test]
    fn it_is_of_the_part_that_speaks_for_the_text_unless_the_words_stand_elsewhere() {
        let text = format!("The red kite. {}The red boat. {}", filling(20), filling(20));
        let near = |query: &str, part: &str| {
            let start = text.find(part).unwrap();
            let terms = Analyzer::English.query_terms(query).into_iter().map(|term| (term, 1.0));
            let mut highlighter = Highlighter::new(Analyzer::English, terms);
            highlighter.snippet_near(&text, start..text.len()).text
        };
        assert!(near("a red flag", "The red boat").contains("red boat"), "as good as the first");
        assert!(near("red", "The red kite").starts_with("The red kite."));
        assert!(near("a flag", "The red boat").contains("red boat"), "its beginning, where no word is there");
        let rare = near("kite", "The red boat");
        assert!(rare.starts_with("The red kite."), "{rare}");
    }

    #[test]
    fn a_word_that_is_too_long_is_cut() {
        let long = "k".repeat(1000);
        let shown = marked("zeppelin", &format!("a {long}"));
        assert_eq!(shown.chars().count(), SNIPPET_CHARS + 2, "{shown}");
        let shown = marked(&long, &format!("{}{long} {}", filling(3), filling(3)));
        assert!(shown.starts_with("\u{2026} *kkk") && shown.ends_with("kkk* \u{2026}"), "{shown}");
    }

    #[test]
    fn characters_without_spaces_are_marked_and_cut() {
        let text = format!("{}\u{9ed2}\u{732b}\u{3092}{}", "\u{96e8}\u{306e}".repeat(150), "\u{96e8}".repeat(300));
        let shown = marked("\u{9ed2}\u{732b}", &text);
        assert!(shown.contains("\u{306e}*\u{9ed2}\u{732b}*\u{3092}"), "{shown}");
        assert!(shown.starts_with(CUT) && shown.ends_with(CUT), "{shown}");
    }

    #[test]
    fn controls_are_kept_for_those_who_show_them_to_replace() {
        assert_eq!(snippet("kite", "a\u{1b}[2J kite\u{7}").text, "a\u{1b}[2J kite\u{7}");
    }

    proptest! {
        #[test]
        fn any_text_gives_a_part_of_it(
            text in "([a-e]{1,8} |kite[.!] |kites |\u{732b}{1,3}|\u{1F468}\u{200d}\u{1F469}|\n|\\PC){0,200}",
            query in "(kite|[a-e]{1,3}|\u{732b}| ){0,4}",
        ) {
            let shown = snippet(&query, &text);
            let bare = shown.text.strip_prefix("\u{2026} ").unwrap_or(&shown.text);
            let bare = bare.strip_suffix(" \u{2026}").unwrap_or(bare);
            prop_assert!(on_one_line(&text).contains(bare));
            prop_assert!(shown.text.chars().count() <= whole(SNIPPET_CHARS));
            let mut last = 0;
            for [from, to] in shown.marks {
                prop_assert!(last <= from && from < to);
                prop_assert!(shown.text.get(from..to).is_some());
                last = to;
            }
        }
    }
}
