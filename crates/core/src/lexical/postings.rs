//! Which texts hold a term, how often, and beside which other.

use std::collections::HashMap;

/// One text that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Position of the text in order of arrival.
    pub text: u32,
    /// Times the term occurs in it; at least 1.
    pub count: u32,
}

/// An inverted index that grows at the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Postings {
    terms: HashMap<Box<str>, u32>,
    lists: Vec<Vec<Posting>>,
    lengths: Vec<u32>,
    /// Terms of all texts by number, in the order they stand.
    sequence: Vec<u32>,
    /// Where each text begins in `sequence`.
    starts: Vec<usize>,
}

impl Postings {
    /// Appends the next text by its terms, and returns its position.
    pub fn push<'t>(&mut self, terms: impl IntoIterator<Item = &'t str>) -> u32 {
        let start = self.sequence.len();
        for term in terms {
            let number = match self.terms.get(term) {
                Some(&number) => number,
                None => self.number(term.into()),
            };
            self.sequence.push(number);
        }
        self.close(start)
    }

    fn number(&mut self, term: Box<str>) -> u32 {
        let number = self.lists.len() as u32;
        self.terms.insert(term, number);
        self.lists.push(Vec::new());
        number
    }

    /// Makes a text of what stands in the sequence from `start` on.
    fn close(&mut self, start: usize) -> u32 {
        let text = self.lengths.len() as u32;
        for &term in &self.sequence[start..] {
            let list = &mut self.lists[term as usize];
            match list.last_mut() {
                Some(last) if last.text == text => last.count += 1,
                _ => list.push(Posting { text, count: 1 }),
            }
        }
        self.lengths.push((self.sequence.len() - start) as u32);
        self.starts.push(start);
        text
    }

    /// Appends texts whose terms are numbers of a vocabulary: as if each were pushed by its terms.
    ///
    /// Every number is a place in `vocabulary`.
    pub(crate) fn append<'t>(&mut self, vocabulary: &[&str], texts: impl IntoIterator<Item = &'t [u32]>) {
        const UNKNOWN: u32 = u32::MAX;
        let mut numbers = vec![UNKNOWN; vocabulary.len()];
        for text in texts {
            let start = self.sequence.len();
            for &term in text {
                let number = &mut numbers[term as usize];
                if *number == UNKNOWN {
                    let term = vocabulary[term as usize];
                    *number = self.number_of(term).unwrap_or_else(|| self.number(term.into()));
                }
                self.sequence.push(*number);
            }
            self.close(start);
        }
    }

    /// Takes texts out: `now` says by position where each that stays comes to stand, in the same order, and `gone` for
    /// the others. Terms that no text holds any more go, and the others are numbered as if what is left were pushed.
    pub(crate) fn retain(&mut self, now: &[u32], gone: u32) {
        const UNKNOWN: u32 = u32::MAX;
        let mut numbers = vec![UNKNOWN; self.lists.len()];
        let (mut terms, mut texts, mut end) = (0, 0, 0);
        for text in (0..now.len()).filter(|&text| now[text] != gone) {
            let (start, length) = (self.starts[text], self.lengths[text]);
            (self.starts[texts], self.lengths[texts]) = (end, length);
            texts += 1;
            for at in start..start + length as usize {
                let number = &mut numbers[self.sequence[at] as usize];
                if *number == UNKNOWN {
                    *number = terms;
                    terms += 1;
                }
                self.sequence[end] = *number;
                end += 1;
            }
        }
        self.starts.truncate(texts);
        self.lengths.truncate(texts);
        self.sequence.truncate(end);
        self.terms.retain(|_, number| {
            *number = numbers[*number as usize];
            *number != UNKNOWN
        });
        let mut lists = vec![Vec::new(); terms as usize];
        for (number, mut list) in numbers.into_iter().zip(std::mem::take(&mut self.lists)) {
            if number != UNKNOWN {
                list.retain_mut(|posting| {
                    posting.text = now[posting.text as usize];
                    posting.text != gone
                });
                lists[number as usize] = list;
            }
        }
        self.lists = lists;
    }

    /// The texts that hold `term`, in order of arrival.
    pub fn of(&self, term: &str) -> &[Posting] {
        self.terms.get(term).map_or(&[], |&list| &self.lists[list as usize])
    }

    /// Every term with the number of texts that hold it, in no order.
    pub fn counted_terms(&self) -> impl Iterator<Item = (&str, usize)> {
        self.terms.iter().map(|(term, &number)| (&**term, self.lists[number as usize].len()))
    }

    /// The number of a term; `None` where no text holds it.
    pub fn number_of(&self, term: &str) -> Option<u32> {
        self.terms.get(term).copied()
    }

    /// The texts that hold the term of a number, in order of arrival.
    pub fn holding(&self, term: u32) -> &[Posting] {
        &self.lists[term as usize]
    }

    /// The terms of a text by number, in the order they stand.
    pub fn terms_of(&self, text: u32) -> &[u32] {
        let start = self.starts[text as usize];
        &self.sequence[start..start + self.lengths[text as usize] as usize]
    }

    /// The texts in which `second` stands right after `first`, and how often, in order of arrival.
    pub fn of_pair(&self, first: &str, second: &str) -> Vec<Posting> {
        let (Some(&first), Some(&second)) = (self.terms.get(first), self.terms.get(second)) else { return Vec::new() };
        let times = |text: u32| {
            self.terms_of(text).windows(2).filter(|pair| pair[0] == first && pair[1] == second).count() as u32
        };
        // Reading the texts of the rarer term is less work than finding out which hold both.
        let rarer = [first, second].map(|term| self.holding(term)).into_iter().min_by_key(|list| list.len());
        let texts = rarer.unwrap_or_default().iter().map(|posting| posting.text);
        texts.map(|text| Posting { text, count: times(text) }).filter(|posting| posting.count > 0).collect()
    }

    /// Terms of each text, repeats included.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Terms of all texts, repeats included.
    pub fn total_terms(&self) -> u64 {
        self.sequence.len() as u64
    }

    /// Bytes held, approximately.
    pub fn heap_bytes(&self) -> usize {
        let postings: usize = self.lists.iter().map(|list| list.capacity() * size_of::<Posting>() + 24).sum();
        let terms: usize = self.terms.keys().map(|term| term.len() + 32).sum();
        postings + terms + self.lengths.capacity() * 4 + self.sequence.capacity() * 4 + self.starts.capacity() * 8
    }

    /// Terms in the order they were first seen: a term's place is its number.
    pub(crate) fn vocabulary(&self) -> Vec<&str> {
        let mut vocabulary = vec![""; self.lists.len()];
        for (term, &number) in &self.terms {
            vocabulary[number as usize] = term;
        }
        vocabulary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_terms_by_text() {
        let mut postings = Postings::default();
        postings.push(["cat", "dog", "cat"]);
        postings.push([]);
        postings.push(["dog"]);
        assert_eq!(postings.of("cat"), [Posting { text: 0, count: 2 }]);
        assert_eq!(postings.of("dog"), [Posting { text: 0, count: 1 }, Posting { text: 2, count: 1 }]);
        assert!(postings.of("bird").is_empty());
        assert_eq!(postings.lengths(), [3, 0, 1]);
        assert_eq!(postings.total_terms(), 4);
    }

    #[test]
    fn a_pair_stands_side_by_side_in_order() {
        let mut postings = Postings::default();
        postings.push(["red", "kite", "red", "kite"]);
        postings.push(["kite", "red"]);
        postings.push(["red", "big", "kite"]);
        postings.push(["a", "red", "kite"]);
        let found = postings.of_pair("red", "kite");
        assert_eq!(found, [Posting { text: 0, count: 2 }, Posting { text: 3, count: 1 }]);
        assert!(postings.of_pair("red", "boat").is_empty() && postings.of_pair("big", "red").is_empty());
    }

    #[test]
    fn texts_of_others_are_appended_as_if_they_were_pushed() {
        let texts: [&[&str]; 4] = [&["red", "kite", "red"], &[], &["boat"], &["kite", "boat", "sail"]];
        let pushed = |chosen: &[usize]| {
            let mut postings = Postings::default();
            chosen.iter().for_each(|&text| _ = postings.push(texts[text].iter().copied()));
            postings
        };
        let all = pushed(&[0, 1, 2, 3]);
        let chosen = [3, 1, 0];
        let mut appended = pushed(&[2]);
        appended.append(&all.vocabulary(), chosen.map(|text| all.terms_of(text)));
        assert_eq!(appended, pushed(&[2, 3, 1, 0]));
    }

    #[test]
    fn what_is_left_is_as_if_nothing_else_had_been_pushed() {
        let texts: [&[&str]; 4] = [&["red", "kite"], &["boat", "kite", "boat"], &[], &["sail", "boat"]];
        let pushed = |chosen: &[usize]| {
            let mut postings = Postings::default();
            chosen.iter().for_each(|&text| _ = postings.push(texts[text].iter().copied()));
            postings
        };
        let mut all = pushed(&[0, 1, 2, 3]);
        all.retain(&[9, 0, 1, 2], 9);
        assert_eq!(all, pushed(&[1, 2, 3]));
        all.retain(&[9, 0, 1], 9);
        assert_eq!(all, pushed(&[2, 3]));
        all.retain(&[9, 9], 9);
        assert_eq!(all, Postings::default());
    }
}
