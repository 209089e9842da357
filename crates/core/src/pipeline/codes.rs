//! Numbers and codes of a query that the namespace writes with other separators, or with none.
//!
//! `BZ-4471-K`, `bz 4471k` and `BZ4471K` are one code, and so are `40-1187` and `401187`. The pieces of a query that stand
//! side by side are joined, without what stands between them, and looked up as the namespace may write them: as one term,
//! or as terms that follow one another in a text.

use std::{
    cell::{Cell, OnceCell},
    collections::BTreeMap,
};

use crate::{analysis::folded, index::Index};

/// Pieces of one code.
const MOST_PIECES: usize = 6;
/// Letters and digits of one code.
pub(super) const LONGEST: usize = 40;
/// Digits from which a number without a letter is a code: shorter ones are counts, years and times of day.
pub(super) const SHORTEST_NUMBER: usize = 5;
/// Letters of a piece without a digit: longer ones are words.
const MOST_LETTERS: usize = 3;
/// Pieces of one query that are looked at; a pasted log has thousands.
const MOST_LOOKED_AT: usize = 64;
/// Ways of taking codes apart that are tried for one query; a history of digits has no end of them.
const MOST_TRIES: usize = 2_000;

/// A code of a query, and how the namespace writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    /// As the query has it.
    pub(super) written: String,
    /// The terms of the query that it is made of.
    pub(super) pieces: Vec<String>,
    /// The terms of the namespace, in the order in which a text has them.
    pub(super) terms: Vec<String>,
}

/// A piece of a text: letters and digits without anything between them, and where it stands.
struct Piece {
    text: String,
    from: usize,
    to: usize,
}

/// The codes of a query that the namespace has, but writes otherwise; the longest from each place on.
pub(super) fn codes(query: &str, index: &Index) -> Vec<Code> {
    let pieces = pieces(query);
    let known = Written { index, separated: OnceCell::new(), tries: Cell::new(0) };
    let mut found = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let spans = (1..=MOST_PIECES.min(pieces.len() - at)).rev().map(|length| &pieces[at..at + length]);
        let longest = spans.filter_map(|span| Some((span.len(), known.code(query, span)?))).next();
        at += longest.as_ref().map_or(1, |(length, _)| *length);
        found.extend(longest.and_then(|(_, code)| code));
    }
    found
}

impl Piece {
    fn has_digit(&self) -> bool {
        self.text.bytes().any(|byte| byte.is_ascii_digit())
    }
}

/// Whether some pieces, joined, may be a code: ASCII letters and digits, of pieces that have a digit or few letters.
fn may_be_code(span: &[Piece], joined: &str) -> bool {
    let has_digit = span.iter().any(Piece::has_digit);
    let has_letter = joined.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_digit
        && joined.is_ascii()
        && joined.len() <= LONGEST
        && (has_letter || joined.len() >= SHORTEST_NUMBER)
        && span.iter().all(|piece| piece.has_digit() || piece.text.len() <= MOST_LETTERS)
}

/// The runs of letters and digits of a query, folded as terms are.
fn pieces(query: &str) -> Vec<Piece> {
    let mut from = 0;
    let mut pieces = Vec::new();
    // Each part ends with the separator that follows it, the last one without any.
    for part in query.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            pieces.push(Piece { text: folded(word).into_owned(), from, to: from + word.len() });
        }
        from += part.len();
    }
    pieces.truncate(MOST_LOOKED_AT);
    pieces
}

/// How an index writes codes.
struct Written<'i> {
    index: &'i Index,
    /// Terms with a digit and separators, such as `38,700`, by what is left without these. Made when it is first needed.
    separated: OnceCell<BTreeMap<String, &'i str>>,
    /// Ways of taking codes apart that were tried.
    tries: Cell<usize>,
}

impl<'i> Written<'i> {
    /// The code that a span is, if it is one that the index has; `Some(None)` where it is written there as it is here.
    fn code(&self, query: &str, span: &[Piece]) -> Option<Option<Code>> {
        let joined: String = span.iter().map(|piece| piece.text.as_str()).collect();
        if !may_be_code(span, &joined) {
            return None;
        }
        let written = &query[span.first()?.from..span.last()?.to];
        let pieces = self.index.spec().analyzer.query_terms(written);
        if self.stand_together(&pieces) {
            return Some(None);
        }
        let terms = self.reading(&joined, &cuts(span, &joined))?;
        Some(Some(Code { written: written.to_owned(), pieces, terms }))
    }

    /// Whether a text has these terms, one right after the other.
    fn stand_together<T: AsRef<str>>(&self, terms: &[T]) -> bool {
        let postings = self.index.postings();
        let numbers: Option<Vec<u32>> = terms.iter().map(|term| postings.number_of(term.as_ref())).collect();
        let Some(numbers) = numbers else { return false };
        // Reading the texts of the rarest term is the least work.
        let rarest = numbers.iter().map(|&number| postings.holding(number)).min_by_key(|texts| texts.len());
        let has = |text: u32| postings.terms_of(text).windows(numbers.len()).any(|terms| terms == numbers);
        rarest.unwrap_or_default().iter().any(|posting| has(posting.text))
    }

    /// The terms that make up a code, in the order of a text: one, one with separators of its own, or several that meet at
    /// some of these places.
    fn reading(&self, joined: &str, cuts: &[usize]) -> Option<Vec<String>> {
        let postings = self.index.postings();
        // The ending of a code that is letters may be taken for one of grammar.
        if let [term] = &self.index.spec().analyzer.query_terms(joined)[..]
            && !postings.of(term).is_empty()
        {
            return Some(vec![term.clone()]);
        }
        if let Some(term) = self.separated.get_or_init(|| separated(self.index)).get(joined) {
            return Some(vec![(*term).to_owned()]);
        }
        let mut terms = Vec::new();
        self.take_apart((joined, 0), cuts, &mut terms).then(|| terms.into_iter().map(str::to_owned).collect())
    }

    /// Takes the rest of a code apart into terms that follow one another, longer ones first; whether that went to its end.
    fn take_apart<'j>(&self, (joined, from): (&'j str, usize), cuts: &[usize], terms: &mut Vec<&'j str>) -> bool {
        if from == joined.len() {
            return terms.len() > 1;
        }
        if terms.len() == MOST_PIECES {
            return false;
        }
        for &to in cuts.iter().rev().take_while(|&&to| to > from) {
            self.tries.set(self.tries.get() + 1);
            if self.tries.get() > MOST_TRIES {
                return false;
            }
            terms.push(&joined[from..to]);
            if self.stand_together(terms) && self.take_apart((joined, to), cuts, terms) {
                return true;
            }
            terms.pop();
        }
        false
    }
}

/// Where a code may be cut, ascending, its end included: between pieces, beside a digit, and never within letters.
fn cuts(span: &[Piece], joined: &str) -> Vec<usize> {
    let bytes = joined.as_bytes();
    let ends = span.iter().scan(0, |end, piece| {
        *end += piece.text.len();
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    let beside_digit = |at: usize| [at - 1, at].into_iter().filter_map(|at| bytes.get(at)).any(u8::is_ascii_digit);
    (1..=joined.len()).filter(|&at| at == joined.len() || ends.contains(&at) || beside_digit(at)).collect()
}

/// The terms of an index that have a digit and separators, by what is left without these; of several the first by bytes.
fn separated(index: &Index) -> BTreeMap<String, &str> {
    let terms = index.postings().counted_terms().map(|(term, _)| term);
    let is_one = |term: &&str| {
        term.is_ascii()
            && term.bytes().any(|byte| byte.is_ascii_digit())
            && !term.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let mut found = BTreeMap::new();
    for term in terms.filter(is_one) {
        let bare = term.chars().filter(char::is_ascii_alphanumeric).collect();
        let first = found.entry(bare).or_insert(term);
        *first = term.min(first);
    }
    found
}
