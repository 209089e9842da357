//! The leg `title_match`: a query that names a session by its title is answered by what was said in it.

use std::collections::HashSet;

use crate::{
    analysis::Analyzer,
    error::StoreError,
    index::Titles,
    pipeline::{
        leg::{Column, Leg, LegInput, LegReader},
        matches::FeatureMatch,
        request::SearchContext,
    },
    types::Granularity,
};

/// How well the title of each candidate's session and the query fit, in [0, 1]; no column where none fits.
///
/// The fit of a title is `p * sqrt(r)`. `p` is the part of the title that the query has, `r` the part of the query that
/// the title has, both by inverse frequency among the namespace's titles. A title that is asked for word by word
/// has 1; a long question that only touches on one has little. Words for a conversation, as in "the chat titled ..", are
/// no part of the query where no title has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TitleLeg;

/// Reads `title_match`.
pub(super) const READER: LegReader = LegReader { word: "title_match", read: |call| LegReader::plain(call, TitleLeg) };

/// What a conversation and its title are called, in English, German and Spanish.
const FOR_CONVERSATIONS: &str = "chat chats conversation discussion session thread open title titled called named \
                                 gespräch unterhaltung sitzung titel namens \
                                 charla conversación sesión título titulada llamada";

/// The fit from which a title is evidence enough for a hit, whatever was said.
const EVIDENCE: f64 = 0.5;

impl TitleLeg {
    /// Its name in pipelines and results.
    pub const NAME: &'static str = "title_match";
}

impl Leg for TitleLeg {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        Ok(fits(input).map(|fits| Box::new(TitleColumn(fits)) as Box<dyn Column>))
    }
}

struct TitleColumn(Vec<f64>);

impl Column for TitleColumn {
    fn scores(&self) -> &[f64] {
        &self.0
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    fn is_evidence(&self, score: f64) -> bool {
        score >= EVIDENCE
    }

    /// Else every session of whose title the query has one word would be fused in a long history.
    fn enters_pool(&self, score: f64) -> bool {
        self.is_evidence(score)
    }

    /// In parts of a whole fit: the boost's weight is not known here.
    fn features(&self, _context: SearchContext<'_>, place: usize) -> Vec<FeatureMatch> {
        let (fit, label) = (self.0[place], "said under the title that the query names");
        vec![FeatureMatch { feature: "title_match", label, met: fit > 0.0, adds: fit, at_best: 1.0 }]
    }

    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        Some("it was said under another title".to_owned())
    }
}

fn fits(input: &LegInput<'_>) -> Option<Vec<f64>> {
    let SearchContext { index, request, .. } = input.context;
    if index.titles().is_empty() {
        return None;
    }
    let question = request.question;
    let unasked = index.spec().analyzer.query_terms(FOR_CONVERSATIONS);
    // A title may be too short to tell its language: it has its words in another form then than the texts.
    let words: Vec<&[String]> = question.terms.iter().map(|term| question.forms_of(term)).collect();
    let fits = of_titles(index.titles(), &words, &unasked)?;
    let documents = index.documents();
    let mut of_session = vec![0.0; documents.sessions().len()];
    for (&session, fit) in index.titles().sessions().iter().zip(fits) {
        of_session[session as usize] = fit;
    }
    let fit = |unit: &u32| match request.unit {
        Granularity::Session => of_session[*unit as usize],
        Granularity::Turn => documents.session_of(*unit).map_or(0.0, |session| of_session[session as usize]),
    };
    let scores: Vec<f64> = input.units.iter().map(fit).collect();
    scores.iter().any(|&fit| fit > 0.0).then_some(scores)
}

/// The fit of each title; `None` where no title has a word of the query, which are given by the terms that each may be.
/// `unasked` are terms that only count where a title has them.
fn of_titles(titles: &Titles, words: &[&[String]], unasked: &[String]) -> Option<Vec<f64>> {
    let postings = titles.postings();
    let count = postings.lengths().len() as f64;
    let weight = |holders: usize| (1.0 + (count - holders as f64 + 0.5) / (holders as f64 + 0.5)).ln();
    let (mut shared, mut asked) = (vec![0.0; postings.lengths().len()], 0.0);
    let mut counted: HashSet<&[String]> = HashSet::new();
    for forms in words {
        // Two terms of a query may be of one word.
        if !counted.insert(forms) {
            continue;
        }
        let mut holders: Vec<u32> =
            forms.iter().flat_map(|form| postings.of(form)).map(|posting| posting.text).collect();
        holders.sort_unstable();
        holders.dedup();
        if holders.is_empty() && forms.iter().any(|form| unasked.contains(form)) {
            continue;
        }
        asked += weight(holders.len());
        holders.iter().for_each(|&title| shared[title as usize] += weight(holders.len()));
    }
    if shared.iter().all(|&shared| shared == 0.0) {
        return None;
    }
    let whole = |title: usize| {
        let mut terms = postings.terms_of(title as u32).to_vec();
        terms.sort_unstable();
        terms.dedup();
        terms.into_iter().map(|term| weight(postings.holding(term).len())).sum::<f64>()
    };
    let fit = |(title, &shared): (usize, &f64)| {
        if shared > 0.0 { shared / whole(title) * (shared / asked).sqrt() } else { 0.0 }
    };
    Some(shared.iter().enumerate().map(fit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_conversation_are_no_part_of_what_is_asked() {
        let (analyzer, mut titles) = (Analyzer::English, Titles::default());
        for (number, title) in (1..).zip(["Comparing loans for the car", "The car again", "Chat with the bank"]) {
            titles.push(number, number as u32, &analyzer.query_terms(title));
        }
        let fits = |query: &str| {
            let unasked = analyzer.query_terms(FOR_CONVERSATIONS);
            let terms = analyzer.query_terms(query);
            let words: Vec<&[String]> = terms.iter().map(std::slice::from_ref).collect();
            of_titles(&titles, &words, &unasked).unwrap()
        };
        let named = fits("comparing loans for the car");
        assert!((named[0] - 1.0).abs() < 1e-12, "{named:?}");
        assert!(named[1] < 0.5 && named[2] == 0.0, "{named:?}");
        assert_eq!(fits("the session titled comparing loans for the car"), named);
        assert!(fits("who is comparing loans for the car on Tuesday")[0] < 1.0);
        assert!(fits("the chat with the bank")[2] > fits("the bank")[2], "a word that a title has is asked for");
    }
}
