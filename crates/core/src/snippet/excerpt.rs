//! The part of a long text that a reranker reads of it. Rerankers learned from such parts: they stay as they are.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{LONG_WORD, Mark, heaviest::heaviest, last_until, whole};

/// Characters of the part, at the most.
const EXCERPT_CHARS: usize = 300;

/// How far back a part goes for the beginning of a sentence, as a share of the characters it has to spare.
const LEAD: f64 = 0.6;

/// What a part of a text is chosen by.
pub(super) struct Window<'a> {
    pub(super) text: &'a str,
    pub(super) marks: &'a [Mark],
    pub(super) weights: &'a [f64],
}

impl Window<'_> {
    /// The bytes of the best part; all of a text that is hardly longer.
    pub(super) fn choose(&self) -> Range<usize> {
        let chars = EXCERPT_CHARS;
        // Where each character begins, and the end.
        let at: Vec<usize> = self.text.char_indices().map(|(at, _)| at).chain([self.text.len()]).collect();
        let all = at.len() - 1;
        if all <= whole(chars) {
            return 0..self.text.len();
        }
        let number = |byte: usize| at.partition_point(|&start| start < byte);
        let spans: Vec<Range<usize>> =
            self.marks.iter().map(|mark| number(mark.bytes.start)..number(mark.bytes.end)).collect();
        let Range { start, end } = heaviest(self.marks, &spans, self.weights, chars).map_or(0..0, |(_, span)| span);
        let end = end.min(start + chars);
        let spare = chars - (end - start);
        // Nothing further away than a snippet is long is looked at.
        let bounds = Bounds::of(self.text, &at, start.saturating_sub(2 * chars)..(end + 2 * chars).min(all));
        // At the end of a text there is room before.
        let first = bounds.start(start, (spare as f64 * LEAD) as usize, spare / 3);
        let first = bounds.first_from(all - chars, first);
        let last = bounds.end(first, end, (first + chars).min(all));
        at[first]..at[last]
    }
}

/// Where a part of a text can be cut, by character.
struct Bounds {
    /// Where words begin; none where a sign does.
    words: Vec<usize>,
    sentences: Vec<usize>,
}

impl Bounds {
    /// `at` says where each character begins. What is found at the ends of the part may be no bound of the text.
    fn of(text: &str, at: &[usize], part: Range<usize>) -> Self {
        let from = at[part.start];
        let text = &text[from..at[part.end]];
        let number = |byte: usize| at.partition_point(|&start| start < from + byte);
        let is_word = |(_, part): &(usize, &str)| part.chars().any(char::is_alphanumeric);
        let words = text.split_word_bound_indices().filter(is_word).map(|(start, _)| number(start));
        let sentences = text.split_sentence_bound_indices().map(|(start, _)| number(start));
        Self { words: words.collect(), sentences: sentences.collect() }
    }

    /// Where to begin before `start`: at a sentence at most `far` back, or else at a word at most `near` back.
    fn start(&self, start: usize, far: usize, near: usize) -> usize {
        let sentence = last_until(&self.sentences, start).filter(|&sentence| start - sentence <= far);
        let first = start.saturating_sub(near);
        let word = self.words.get(self.words.partition_point(|&word| word < first)).copied();
        sentence.or(word.filter(|&word| word <= start)).unwrap_or(start)
    }

    /// The first sentence from `least` on, or else the first word, where that comes before `first`.
    fn first_from(&self, least: usize, first: usize) -> usize {
        let from = |ascending: &[usize]| {
            let bound = ascending.get(ascending.partition_point(|&bound| bound < least)).copied();
            bound.filter(|&bound| bound < first)
        };
        from(&self.sentences).or_else(|| from(&self.words)).unwrap_or(first)
    }

    /// Where to end after `end` and until `most`: after a sentence that leaves little room, or else after a word.
    fn end(&self, first: usize, end: usize, most: usize) -> usize {
        let room = (most - first) / 4;
        let sentence = last_until(&self.sentences, most).filter(|&sentence| sentence >= end && most - sentence <= room);
        let word = last_until(&self.words, most).filter(|&word| word >= end && most - word <= LONG_WORD);
        sentence.or(word).filter(|&last| last > first).unwrap_or(most)
    }
}
