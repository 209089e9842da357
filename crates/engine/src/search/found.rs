//! The hits of a query, between the index and what is shown of them.

use std::{collections::HashMap, num::NonZeroUsize};

use aforesaid_core::{
    analysis::Analyzer,
    index::Index,
    pipeline::{Legs, RankedHit, confidence::Confidence},
    rerank::CandidateScore,
    types::{Granularity, Seq, Timestamp},
};

use crate::answer::{NoHits, Warning};

/// The hits of one query without their content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Best first.
    pub hits: Vec<Ranked>,
    /// What made the ranking less than it could be, such as a leg that is missing.
    pub warnings: Vec<Warning>,
    /// How sure the search is of its first hit, with the signals it was made from.
    pub confidence: Confidence,
}

/// A hit without its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Id of the turn or note; name of the session.
    pub id: String,
    /// Its position; of a session, that of one of its turns. Ids and names stand in several conversations.
    pub memory: Seq,
    /// Fused score; comparable within one answer only.
    pub score: f64,
    /// Where each leg put it; told of the first hit of the first stage only.
    pub legs: Legs,
    /// Its score by a reranker.
    pub rerank_score: Option<f64>,
}

/// What was made of the hits of a query.
pub(super) struct Searched<T> {
    pub(super) made: T,
    pub(super) found: FoundHits,
    pub(super) encoding_millis: f64,
    /// What loading the encoder took, where it was not loaded before.
    pub(super) loading_millis: Option<f64>,
}

/// Hits by position in an index, translated to places in the store.
pub(super) struct FoundHits {
    pub(super) hits: Vec<RankedHit>,
    pub(super) places: Vec<HitContent>,
    /// What a reranker is shown, best first.
    pub(super) evidence: Vec<Evidence>,
    /// How many candidates there were.
    pub(super) searched: usize,
    /// What made the terms of the query, and what each weighs; empty where no content is loaded.
    pub(super) analyzer: Analyzer,
    pub(super) terms: Vec<(String, f64)>,
    /// What reranking took, where there is a reranker.
    pub(super) rerank_millis: Option<f64>,
    pub(super) reason: Option<NoHits>,
    pub(super) warnings: Vec<Warning>,
    pub(super) confidence: Confidence,
}

/// Where a hit's content is.
pub(super) struct HitContent {
    /// The session, where the hit is one.
    pub(super) session: Option<SessionPlace>,
    /// The hit itself, or a session's best turns.
    pub(super) seqs: Vec<Seq>,
    /// What a reranker says of it.
    pub(super) rerank: CandidateScore,
}

pub(super) struct SessionPlace {
    pub(super) name: String,
    pub(super) began: Option<Timestamp>,
}

impl HitContent {
    /// Where the content of a hit of an index is.
    pub(super) fn of(index: &Index, hit: &RankedHit, unit: Granularity) -> Self {
        let documents = index.documents();
        match unit {
            Granularity::Turn => {
                Self { session: None, seqs: vec![documents.seq(hit.candidate)], rerank: CandidateScore::default() }
            }
            Granularity::Session => {
                let session = &documents.sessions()[hit.candidate as usize];
                // A session that is only listed has no turn with evidence: its first stands for it.
                let turns = if hit.best_turns.is_empty() { &session.turns[..1] } else { &hit.best_turns[..] };
                Self {
                    session: Some(SessionPlace {
                        name: session.name.clone(),
                        began: session.turns.iter().filter_map(|&turn| documents.said_at(turn)).min(),
                    }),
                    seqs: turns.iter().map(|&turn| documents.seq(turn)).collect(),
                    rerank: CandidateScore::default(),
                }
            }
        }
    }
}

/// A turn or note that a reranker is shown.
pub(super) struct Evidence {
    pub(super) seq: Seq,
    /// Its score in the first stage.
    pub(super) score: f64,
    /// Where it stands in each leg.
    pub(super) legs: Legs,
    /// The hit that it stands for; a turn may be of a session that is none of the best.
    pub(super) hit: Option<usize>,
}

impl Evidence {
    /// Of turns, the best stand for themselves.
    pub(super) fn of_turns(hits: &[RankedHit], places: &[HitContent], depth: NonZeroUsize) -> Vec<Self> {
        let best = hits.iter().zip(places).take(depth.get()).enumerate();
        let evidence = |(place, (hit, of)): (usize, (&RankedHit, &HitContent))| {
            let turn = |&seq: &Seq| Self { seq, score: hit.score, legs: hit.legs.clone(), hit: Some(place) };
            of.seqs.iter().map(turn).collect::<Vec<_>>()
        };
        best.flat_map(evidence).collect()
    }

    /// Of sessions, the best turns stand for the session they are of.
    pub(super) fn of_sessions(index: &Index, sessions: &[RankedHit], turns: &[RankedHit]) -> Vec<Self> {
        let documents = index.documents();
        let best: HashMap<u32, usize> =
            sessions.iter().enumerate().map(|(place, session)| (session.candidate, place)).collect();
        let of =
            |turn: &RankedHit| documents.session_of(turn.candidate).and_then(|session| best.get(&session).copied());
        let evidence = |turn: &RankedHit| Self {
            seq: documents.seq(turn.candidate),
            score: turn.score,
            legs: turn.legs.clone(),
            hit: of(turn),
        };
        turns.iter().map(evidence).collect()
    }
}

impl FoundHits {
    /// Where the content of all hits is, in their order.
    pub(super) fn seqs(&self) -> Vec<Seq> {
        self.places.iter().flat_map(|place| place.seqs.iter().copied()).collect()
    }

    /// The hits that the first one supersedes.
    pub(super) fn superseded(&self) -> impl Iterator<Item = usize> {
        let first = self.places.first().map(|place| place.rerank).unwrap_or_default();
        let places = self.places.iter().enumerate();
        places.filter(move |(_, place)| first.supersedes(&place.rerank)).map(|(place, _)| place)
    }

    pub(super) fn nothing(reason: NoHits) -> Self {
        Self {
            hits: Vec::new(),
            places: Vec::new(),
            evidence: Vec::new(),
            searched: 0,
            analyzer: Analyzer::default(),
            terms: Vec::new(),
            rerank_millis: None,
            reason: Some(reason),
            warnings: Vec::new(),
            confidence: Confidence::default(),
        }
    }
}
