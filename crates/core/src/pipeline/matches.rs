//! What a candidate has of a query, whatever its score.

use serde::Serialize;

/// A term of the query, as one candidate sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermMatch {
    /// The term, as the analyzer makes it.
    pub term: String,
    /// Where it stands.
    pub place: TermPlace,
    /// Its inverse document frequency, as BM25 weighs it; never negative.
    pub idf: f64,
    /// How many texts hold it, or how many sessions where sessions are ranked, of those that statistics are measured on.
    pub holders: usize,
}

/// Where a term stands, as one candidate sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TermPlace {
    /// Nowhere that counts for the candidate.
    Missing,
    /// Only elsewhere in the turn's session.
    Session,
    /// Only in the neighbouring turns.
    Around,
    /// In the turn, note or session itself.
    Own,
}

/// A feature of the answer that the query leads one to expect, and what a candidate has of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FeatureMatch {
    /// The signal's name, such as `speaker_match`.
    pub feature: &'static str,
    /// The feature in words, such as "said by whom the query is about".
    #[serde(skip)]
    pub label: &'static str,
    /// Whether the candidate has it, a date at least nearly; of a session, whether its best turn does.
    pub met: bool,
    /// What that adds, in standard deviations: of the fused scores for a date, else of the turns' BM25.
    pub adds: f64,
    /// What it adds at best.
    pub at_best: f64,
}
