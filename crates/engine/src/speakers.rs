//! Who said something in a namespace, and whom a name stands for.

use std::cmp::Reverse;

use aforesaid_core::{
    store::SpeakerSummary,
    types::{MemoryFilter, Namespace, Scope, Seq, Timestamp},
};
use serde::Serialize;

use crate::{error::Error, memory::Memory};

/// Names that an error shows.
const SHOWN: usize = 5;

/// A speaker, and what a scope has of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedSpeaker {
    /// The name as it is stored.
    pub speaker: String,
    /// Turns.
    pub turns: u64,
    /// When the first was said.
    pub first: Option<Timestamp>,
    /// When the last was said.
    pub last: Option<Timestamp>,
    #[serde(skip)]
    latest: Seq,
}

impl Memory {
    /// The speakers of a scope, that of the last turn first; those without times come last.
    ///
    /// # Errors
    /// When the namespace does not exist, a named part of it holds nothing, or the store fails.
    pub fn speakers(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<ListedSpeaker>, Error> {
        self.must_exist(namespace)?;
        let scope = self.resolve_scope(namespace, scope)?;
        let all = self.speakers_within(namespace, &scope)?;
        self.some_of(namespace, &scope, all.len() as u64)?;
        Ok(all)
    }

    /// The speaker that a name stands for: of exactly this name; where there is none, the only one of that name in other case;
    /// and else the only one whose name begins with it and goes on with another word.
    ///
    /// # Errors
    /// When nobody is called so, several are, the namespace does not exist, or the store fails.
    pub fn resolve_speaker(&self, namespace: &Namespace, name: &str) -> Result<String, Error> {
        self.speaker_of(namespace, name, begins_with_words)
    }

    /// The speaker of exactly this name, or the only one of that name in other case. First words stand for nobody here: whoever
    /// forgets Priya twice does not forget Priya Raman.
    ///
    /// # Errors
    /// As of [`Memory::resolve_speaker`].
    pub fn resolve_whole_speaker(&self, namespace: &Namespace, name: &str) -> Result<String, Error> {
        self.speaker_of(namespace, name, |_, _| false)
    }

    /// `may_mean` says, in lower case, whether what is asked for may mean a speaker of another name.
    fn speaker_of(&self, namespace: &Namespace, name: &str, may_mean: fn(&str, &str) -> bool) -> Result<String, Error> {
        self.must_exist(namespace)?;
        let filter = MemoryFilter { speakers: vec![name.to_owned()], ..MemoryFilter::default() };
        let exactly = Scope { filter, ..Scope::default() };
        if !self.store.latest(namespace, &exactly, 1)?.is_empty() {
            return Ok(name.to_owned());
        }
        let known: Vec<String> =
            self.speakers_within(namespace, &Scope::default())?.into_iter().map(|of| of.speaker).collect();
        let asked = name.trim().to_lowercase();
        let those = |are_meant: fn(&str, &str) -> bool| -> Vec<&String> {
            known.iter().filter(|known| are_meant(&asked, &known.to_lowercase())).collect()
        };
        let same = those(|asked, known| asked == known.trim());
        let meant = if same.is_empty() { those(may_mean) } else { same };
        match meant.as_slice() {
            [one] => Ok((*one).clone()),
            [] => {
                let total = known.len();
                let known = nearest(&asked, known);
                Err(Error::UnknownSpeaker { name: name.to_owned(), namespace: namespace.clone(), known, total })
            }
            several => {
                let total = several.len();
                let speakers = several.iter().take(SHOWN).map(|speaker| (*speaker).clone()).collect();
                Err(Error::AmbiguousSpeaker { name: name.to_owned(), speakers, total })
            }
        }
    }

    fn speakers_within(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<ListedSpeaker>, Error> {
        let summaries = self.store.speakers(namespace, scope)?;
        let mut all: Vec<ListedSpeaker> = summaries.into_iter().map(ListedSpeaker::of).collect();
        all.sort_by_key(|of| Reverse((of.last, of.latest)));
        Ok(all)
    }
}

impl ListedSpeaker {
    fn of(summary: SpeakerSummary) -> Self {
        let SpeakerSummary { speaker, turns, first, last, latest } = summary;
        Self { speaker, turns, first, last, latest }
    }
}

/// Whether a name begins with these words: `priya` begins `priya raman`, and not `priyanka`.
fn begins_with_words(words: &str, name: &str) -> bool {
    let ends = |rest: &str| rest.starts_with(|next: char| !next.is_alphanumeric());
    !words.is_empty() && name.trim().strip_prefix(words).is_some_and(ends)
}

/// The names that are most like the one asked for, the most like first.
fn nearest(asked: &str, mut known: Vec<String>) -> Vec<String> {
    known.sort_by_cached_key(|name| {
        let name = name.to_lowercase();
        let parts = name.split_whitespace().map(|part| edits(asked, part));
        parts.chain([edits(asked, &name)]).min()
    });
    known.truncate(SHOWN);
    known
}

/// How many characters are to be put in, taken out or replaced to make one text of another (Levenshtein's distance).
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, own) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], above + 1);
        for (place, &theirs) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(own != theirs);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_begins_with_whole_words() {
        assert!(begins_with_words("priya", "priya raman") && begins_with_words("priya", "priya-ann"));
        assert!(
            !begins_with_words("priya", "priyanka") && !begins_with_words("", " x") && !begins_with_words("a", "a")
        );
    }

    #[test]
    fn edits_are_levenshteins_distance() {
        for (one, other, expected) in [("kitten", "sitting", 3), ("", "ab", 2), ("ab", "", 2), ("maya", "maya", 0)] {
            assert_eq!(edits(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn the_names_most_like_it_are_shown() {
        let known = ["Zoe", "Tomas Berg", "Maya", "Ann", "Bo", "Cyd"].map(str::to_owned).to_vec();
        assert_eq!(nearest("tomsa", known).first().map(String::as_str), Some("Tomas Berg"));
    }
}
