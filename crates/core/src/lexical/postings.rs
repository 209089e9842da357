//! Which texts hold a term, and how often.

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
    total_terms: u64,
}

impl Postings {
    /// Appends the next text by its terms, and returns its position.
    pub fn push<'t>(&mut self, terms: impl IntoIterator<Item = &'t str>) -> u32 {
        let text = self.lengths.len() as u32;
        let mut length = 0;
        for term in terms {
            length += 1;
            let list = match self.terms.get(term) {
                Some(&list) => &mut self.lists[list as usize],
                None => {
                    self.terms.insert(term.into(), self.lists.len() as u32);
                    self.lists.push(Vec::new());
                    let last = self.lists.len() - 1;
                    &mut self.lists[last]
                }
            };
            match list.last_mut() {
                Some(last) if last.text == text => last.count += 1,
                _ => list.push(Posting { text, count: 1 }),
            }
        }
        self.lengths.push(length);
        self.total_terms += u64::from(length);
        text
    }

    /// The texts that hold `term`, in order of arrival.
    pub fn of(&self, term: &str) -> &[Posting] {
        self.terms.get(term).map_or(&[], |&list| &self.lists[list as usize])
    }

    /// Terms of each text, repeats included.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Terms of all texts, repeats included.
    pub fn total_terms(&self) -> u64 {
        self.total_terms
    }

    /// Bytes held, approximately.
    pub fn heap_bytes(&self) -> usize {
        let postings: usize = self.lists.iter().map(|list| list.capacity() * size_of::<Posting>() + 24).sum();
        let terms: usize = self.terms.keys().map(|term| term.len() + 32).sum();
        postings + terms + self.lengths.capacity() * 4
    }

    /// Each term with its texts, in the order terms were first seen.
    pub(crate) fn entries(&self) -> Vec<(&str, &[Posting])> {
        let mut entries = vec![("", &[][..]); self.lists.len()];
        for (term, &list) in &self.terms {
            entries[list as usize] = (term, &self.lists[list as usize]);
        }
        entries
    }

    /// Puts back what [`Postings::entries`] and [`Postings::lengths`] gave.
    pub(crate) fn from_entries(entries: Vec<(Box<str>, Vec<Posting>)>, lengths: Vec<u32>) -> Self {
        let mut terms = HashMap::with_capacity(entries.len());
        let mut lists = Vec::with_capacity(entries.len());
        for (list, (term, postings)) in (0u32..).zip(entries) {
            terms.insert(term, list);
            lists.push(postings);
        }
        let total_terms = lengths.iter().copied().map(u64::from).sum();
        Self { terms, lists, lengths, total_terms }
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
    }
}
