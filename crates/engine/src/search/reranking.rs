//! The best hits of a search, put in another order by a reranker.

use std::{num::NonZeroUsize, time::Instant};

use aforesaid_core::{
    Locality,
    pipeline::{Detail, Pipeline, confidence::Confidence, legs::TimeOrderLeg},
    rerank::{CandidateScore, RerankCandidate, RerankError, Reranker, order, standardised},
    store::Store,
    time::Times,
    types::{Query, Record, Sensitivity, Seq},
};
use aforesaid_llm::{ChatRequest, JudgeSettings};

use super::{
    found::{FoundHits, Searched},
    llm_reranker::requests,
    prepared::{PreparedQuery, RerankPlan},
};
use crate::{
    answer::{NoHits, Warning, millis},
    error::Error,
    memory::Memory,
};

/// How a search is reranked.
///
/// The reranker is shown the best turns of the first stage, and the hits they stand for are put in the order of its scores.
/// Equal ones keep the order of the first stage, as do those without a score, which come after the others. Hits below the
/// `depth` best stay as they are. A remote reranker is not shown sensitive memories: these keep their places.
#[derive(Clone, Copy)]
pub struct Reranking<'a> {
    /// What scores them.
    pub reranker: &'a dyn Reranker,
    /// How many turns it is shown.
    pub depth: NonZeroUsize,
}

impl<'a> Reranking<'a> {
    /// To the reranker's own depth.
    pub fn new(reranker: &'a dyn Reranker) -> Self {
        Self { reranker, depth: reranker.default_depth() }
    }

    /// To this depth, where one is given.
    pub fn to_depth(self, depth: Option<NonZeroUsize>) -> Self {
        Self { depth: depth.unwrap_or(self.depth), ..self }
    }

    pub(super) fn plan(self) -> RerankPlan {
        RerankPlan { depth: self.depth, is_calibrated: self.reranker.is_calibrated() }
    }
}

impl std::fmt::Debug for Reranking<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reranking").field("reranker", &self.reranker.name()).field("depth", &self.depth).finish()
    }
}

/// What a reranker is shown.
struct Shown {
    candidates: Vec<RerankCandidate>,
    /// The hit that each candidate stands for.
    hits: Vec<Option<usize>>,
    /// Hits that it must not see.
    hidden: Vec<usize>,
}

/// What a reranker may see, and wants to.
#[derive(Clone, Copy)]
struct Seen {
    locality: Locality,
    neighbours: u32,
}

impl Seen {
    fn may_show(self, memory: &Record) -> bool {
        memory.sensitivity == Sensitivity::Ordinary || self.locality == Locality::Local
    }

    /// What was said before and after a memory in its session, within the part of the history that is asked.
    fn around(self, store: &dyn Store, posed: &PreparedQuery<'_>, memory: &Record) -> Result<[Vec<String>; 2], Error> {
        if self.neighbours == 0 || memory.session.is_none() {
            return Ok([Vec::new(), Vec::new()]);
        }
        let part = &posed.part;
        let records = store.around(&posed.query.namespace, memory.seq, self.neighbours, self.neighbours)?;
        let is_asked = |other: &Record| {
            self.may_show(other) && part.before.is_none_or(|end| other.seq < end) && part.scope.covers(other.said_at)
        };
        let place = records.iter().position(|other| other.seq == memory.seq).unwrap_or(records.len());
        let texts = |records: &[Record]| records.iter().filter(|other| is_asked(other)).map(Record::passage).collect();
        Ok([texts(&records[..place]), texts(records.get(place + 1..).unwrap_or_default())])
    }
}

impl Memory {
    /// What a reranker with so many neighbours is shown of the best turns for a query.
    ///
    /// # Errors
    /// As [`Memory::search_reranked`].
    pub fn rerank_candidates(
        &self,
        query: &Query,
        pipeline: &Pipeline,
        depth: NonZeroUsize,
        neighbours: u32,
    ) -> Result<Vec<RerankCandidate>, Error> {
        let posed = self.pose(query, pipeline, Detail::Scores, Some(RerankPlan::to(depth)))?;
        if posed.unanswerable().is_some() {
            return Ok(Vec::new());
        }
        let seen = Seen { locality: Locality::Local, neighbours };
        Ok(self.find(&posed, |store, found| Self::shown(store, &posed, seen, found))?.made.candidates)
    }

    /// The requests that a search reranked by a language model sends at first, for a batch service.
    ///
    /// Whoever puts the answers into a [`ResponseCache`](aforesaid_llm::ResponseCache) under the keys of these requests,
    /// as [`Batch`](aforesaid_llm::Batch) does, and reranks through a chat with that cache, sends nothing, as long as every
    /// answer can be read.
    ///
    /// # Errors
    /// As [`Memory::search_reranked`].
    pub fn rerank_requests(
        &self,
        query: &Query,
        pipeline: &Pipeline,
        settings: &JudgeSettings,
        depth: NonZeroUsize,
    ) -> Result<Vec<ChatRequest>, Error> {
        settings.check()?;
        let posed = self.pose(query, pipeline, Detail::Scores, Some(RerankPlan::to(depth)))?;
        if posed.unanswerable().is_some() {
            return Ok(Vec::new());
        }
        let seen = Seen { locality: Locality::Remote, neighbours: 0 };
        let shown = self.find(&posed, |store, found| Self::shown(store, &posed, seen, found))?.made;
        Ok(requests(settings, &query.text, &shown.candidates))
    }

    /// [`Memory::find`], and the reranker where there is one.
    pub(super) fn find_reranked<T>(
        &self,
        posed: &PreparedQuery<'_>,
        reranking: Option<Reranking<'_>>,
        finish: impl Fn(&dyn Store, &FoundHits) -> Result<Option<T>, Error>,
    ) -> Result<Searched<T>, Error> {
        if let Some(Reranking { reranker, .. }) = reranking {
            reranker.check().map_err(|error| refused(reranker, error))?;
        }
        self.find(posed, |store, found| match reranking {
            Some(reranking) if !Self::rerank(store, reranking, posed, found)? => Ok(None),
            _ => finish(store, found),
        })
    }

    /// Reorders what was found and cuts it at `k`; `false` where something of it is gone since.
    fn rerank(
        store: &dyn Store,
        reranking: Reranking<'_>,
        posed: &PreparedQuery<'_>,
        found: &mut FoundHits,
    ) -> Result<bool, Error> {
        let (Reranking { reranker, depth }, query) = (reranking, posed.query);
        let started = Instant::now();
        let seen = Seen { locality: reranker.locality(), neighbours: reranker.neighbours() };
        let Some(shown) = Self::shown(store, posed, seen, found)? else { return Ok(false) };
        let scored = reranker.score_candidates(&query.text, &shown.candidates);
        // Checked once for all rerankers; the order of hits follows below.
        let scored = scored.and_then(|of| order(&scores(&of), shown.candidates.len()).map(|_| of));
        match scored {
            Ok(scored) => {
                found.reorder(&shown, &scored, reranker, depth);
                if reranker.is_calibrated() {
                    found.confidence = found.reranked_confidence();
                }
            }
            Err(RerankError::Failed(reason)) => found.warnings.push(Warning::RerankSkipped { reason }),
            Err(error) => return Err(refused(reranker, error)),
        }
        found.rerank_millis = Some(millis(started));
        if !posed.is_sure_at_once() {
            found.withhold_below(query.min_confidence);
        }
        found.hits.truncate(query.k.get());
        found.places.truncate(query.k.get());
        Ok(true)
    }

    /// What a reranker may see of what was found; `None` where something of it is gone since.
    fn shown(
        store: &dyn Store,
        posed: &PreparedQuery<'_>,
        seen: Seen,
        found: &mut FoundHits,
    ) -> Result<Option<Shown>, Error> {
        let namespace = &posed.query.namespace;
        let seqs: Vec<Seq> = found.evidence.iter().map(|evidence| evidence.seq).collect();
        let Some(memories) = Self::fetch_all(store, namespace, &seqs)? else { return Ok(None) };
        let mut shown = Shown { candidates: Vec::new(), hits: Vec::new(), hidden: Vec::new() };
        let asks_for_now = posed.question.times.as_ref().is_some_and(Times::asks_for_now);
        for (memory, evidence) in memories.iter().zip(&found.evidence) {
            if !seen.may_show(memory) {
                shown.hidden.extend(evidence.hit);
                continue;
            }
            let [before, after] = seen.around(store, posed, memory)?;
            shown.candidates.push(RerankCandidate {
                id: memory.id.to_string(),
                text: memory.passage(),
                said_at: memory.said_at,
                score: evidence.score,
                legs: evidence.legs.clone(),
                position: memory.seq.0,
                recency: asks_for_now.then(|| evidence.legs.get(TimeOrderLeg::NAME).map_or(0.0, |hit| hit.score)),
                fields: memory.meta.iter().flat_map(|meta| meta.keys().cloned()).collect(),
                before,
                after,
            });
            shown.hits.push(evidence.hit);
        }
        Ok(Some(shown))
    }
}

fn scores(scored: &[CandidateScore]) -> Vec<Option<f64>> {
    scored.iter().map(|of| of.score).collect()
}

fn refused(reranker: &dyn Reranker, error: RerankError) -> Error {
    Error::Reranker { reranker: reranker.name(), problem: error.to_string() }
}

impl FoundHits {
    /// The confidence in the first hit of a reranker that it was fitted on.
    fn reranked_confidence(&self) -> Confidence {
        let scored = self.places.iter().map(|place| place.rerank).take_while(|of| of.score.is_some());
        match self.hits.first() {
            Some(first) => self.confidence.reranked(&first.legs, &scored.collect::<Vec<_>>()),
            None => self.confidence,
        }
    }

    /// Gives no hits where the search is less sure than asked for.
    fn withhold_below(&mut self, least: f64) {
        if !self.hits.is_empty() && self.confidence.probability < least {
            self.hits.clear();
            self.places.clear();
            self.reason = Some(NoHits::LowConfidence);
        }
    }

    /// Puts the best hits in the order of a reranker's scores of what it was shown. A session has one by its turns.
    fn reorder(&mut self, shown: &Shown, scored: &[CandidateScore], reranker: &dyn Reranker, depth: NonZeroUsize) {
        let best = self.hits.len().min(depth.get());
        let mut turns = vec![Vec::new(); best];
        for (&hit, of) in shown.hits.iter().zip(scored) {
            if let Some(turns) = hit.and_then(|hit| turns.get_mut(hit)).filter(|_| of.score.is_some()) {
                turns.push(*of);
            }
        }
        let first_stage = standardised(&self.hits[..best].iter().map(|hit| hit.score).collect::<Vec<_>>());
        for ((place, turns), first_stage) in self.places.iter_mut().zip(&turns).zip(first_stage) {
            place.rerank = match place.session {
                Some(_) if !turns.is_empty() => reranker.score_session(turns, first_stage),
                _ => CandidateScore::best_of(turns),
            };
        }
        let scored: Vec<CandidateScore> = self.places[..best].iter().map(|place| place.rerank).collect();
        let order = rearranged(&scores(&scored), &shown.hidden);
        permute(&mut self.hits, &order);
        permute(&mut self.places, &order);
    }
}

/// Which hit comes to each place: `hidden` ones stay where they are, and the others share the rest by their scores.
fn rearranged(scores: &[Option<f64>], hidden: &[usize]) -> Vec<usize> {
    let open: Vec<usize> = (0..scores.len()).filter(|place| !hidden.contains(place)).collect();
    let of_open: Vec<Option<f64>> = open.iter().map(|&place| scores[place]).collect();
    let mut arranged: Vec<usize> = (0..scores.len()).collect();
    // The scores were proven to be numbers, one a candidate.
    let by_score = order(&of_open, open.len()).unwrap_or_else(|_| (0..open.len()).collect());
    for (&place, from) in open.iter().zip(by_score) {
        arranged[place] = open[from];
    }
    arranged
}

/// Puts the first items in another order: the one at `order[place]` comes to `place`.
fn permute<T>(items: &mut Vec<T>, order: &[usize]) {
    let rest = items.split_off(order.len());
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.iter().filter_map(|&from| taken[from].take()));
    items.extend(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_hits_keep_their_places_and_those_left_out_their_order() {
        let scores = [Some(0.1), None, None, Some(0.9), None, Some(0.1)];
        assert_eq!(rearranged(&scores, &[1]), [3, 1, 0, 5, 2, 4]);
        assert_eq!(rearranged(&scores, &[]), [3, 0, 5, 1, 2, 4]);
        assert_eq!(rearranged(&[None, None], &[0, 1]), [0, 1]);
    }

    #[test]
    fn only_the_first_items_move() {
        let mut items = vec!['a', 'b', 'c', 'd'];
        permute(&mut items, &[2, 0, 1]);
        assert_eq!(items, ['c', 'a', 'b', 'd']);
        permute(&mut items, &[]);
        assert_eq!(items.len(), 4);
    }
}
