//! A language model that puts the best hits in order.

use std::{collections::HashMap, num::NonZeroUsize, time::Instant};

use aforesaid_core::{
    index::Index,
    pipeline::{Detail, Preset, RankedHit},
    store::Store,
    types::{Query, Sensitivity, Seq},
};
use aforesaid_llm::{Chat, ChatRequest, JudgeCandidate, JudgeSettings, Judgement, LlmError, judge, order};

use super::{Finished, Found, Place, Posed};
use crate::{
    answer::{Warning, millis},
    calendar::calendar,
    error::Error,
    memory::Memory,
};

/// How a judge reorders a search (ROXY 3.4).
///
/// It is shown the best turns of the first stage, as they are indexed and with their dates, and the hits they stand for
/// are put in the order of its scores; equal ones, and after the scored ones those that it left out, stand in the order
/// of the first stage. What comes after the `depth` best stays as it is. A sensitive memory is not sent to a server: the
/// judge does not see it, and it keeps its place.
#[derive(Debug, Clone)]
pub struct Judging<'a> {
    /// The model. What its cache holds is not asked for again, so that judgements made elsewhere can be used: see
    /// [`Memory::judge_requests`].
    pub chat: &'a Chat,
    /// By what it judges.
    pub settings: JudgeSettings,
    /// How many turns it is shown (k_ret).
    pub depth: NonZeroUsize,
}

impl<'a> Judging<'a> {
    /// Turns that a judge is shown by default, as in the paper.
    pub const DEPTH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(39);

    /// The paper's judge.
    pub fn new(chat: &'a Chat) -> Self {
        Self { chat, settings: JudgeSettings::default(), depth: Self::DEPTH }
    }
}

/// A turn or note that a judge is shown.
pub(super) struct Evidence {
    seq: Seq,
    /// The hit that it stands for; a turn may be of a session that is none of the best.
    hit: Option<usize>,
}

/// What a judge gets to see.
struct Shown {
    candidates: Vec<JudgeCandidate>,
    /// The hit that each candidate stands for.
    hits: Vec<Option<usize>>,
    /// Hits that it must not see.
    hidden: Vec<usize>,
}

impl Evidence {
    /// Of turns, the best speak for themselves.
    pub(super) fn of_turns(places: &[Place], depth: NonZeroUsize) -> Vec<Self> {
        let best = places.iter().take(depth.get()).enumerate();
        best.flat_map(|(hit, place)| place.seqs.iter().map(move |&seq| Self { seq, hit: Some(hit) })).collect()
    }

    /// Of sessions, the best turns speak for the session they are of.
    pub(super) fn of_sessions(index: &Index, sessions: &[RankedHit], turns: &[RankedHit]) -> Vec<Self> {
        let documents = index.documents();
        let best: HashMap<u32, usize> =
            sessions.iter().enumerate().map(|(place, session)| (session.candidate, place)).collect();
        let of =
            |turn: &RankedHit| documents.session_of(turn.candidate).and_then(|session| best.get(&session).copied());
        turns.iter().map(|turn| Self { seq: documents.seq(turn.candidate), hit: of(turn) }).collect()
    }
}

impl Memory {
    /// The requests that [`Memory::search_judged`] and [`Memory::rank_judged`] would send at first, for a batch service.
    ///
    /// Whoever puts the answers into a [`ResponseCache`](aforesaid_llm::ResponseCache) under the keys of these requests,
    /// as [`Batch`](aforesaid_llm::Batch) does, and judges through a chat with that cache, sends nothing, as long as
    /// every answer can be read.
    ///
    /// # Errors
    /// As [`Memory::search_judged`].
    pub fn judge_requests(
        &self,
        query: &Query,
        preset: &Preset,
        settings: &JudgeSettings,
        depth: NonZeroUsize,
    ) -> Result<Vec<ChatRequest>, Error> {
        settings.check()?;
        let posed = self.pose(query, preset, Detail::Scores, Some(depth))?;
        if posed.unanswerable().is_some() {
            return Ok(Vec::new());
        }
        let shown = self.find(&posed, |store, found| Self::shown(store, query, found))?.made;
        Ok(settings.requests(&query.text, &shown.candidates))
    }

    /// [`Memory::find`], and the judge where there is one.
    pub(super) fn find_judged<T>(
        &self,
        posed: &Posed<'_>,
        judging: Option<&Judging<'_>>,
        finish: impl Fn(&dyn Store, &Found) -> Result<Option<T>, Error>,
    ) -> Result<Finished<T>, Error> {
        judging.map_or(Ok(()), |judging| judging.settings.check())?;
        self.find(posed, |store, found| match judging {
            Some(judging) if !Self::judge(store, judging, posed.query, found)? => Ok(None),
            _ => finish(store, found),
        })
    }

    /// Reorders what was found and cuts it at `k`; `false` where something of it is gone since.
    fn judge(store: &dyn Store, judging: &Judging<'_>, query: &Query, found: &mut Found) -> Result<bool, Error> {
        let Some(shown) = Self::shown(store, query, found)? else { return Ok(false) };
        let started = Instant::now();
        let skipped = match judge(judging.chat, &judging.settings, &query.text, &shown.candidates) {
            Ok(Judgement::Scored(scores)) => {
                found.reorder(&shown, &scores, judging.depth);
                None
            }
            Ok(Judgement::Skipped(fault)) => Some(fault.to_string()),
            Err(error @ LlmError::Setting { .. }) => return Err(error.into()),
            Err(error) => Some(error.to_string()),
        };
        found.warnings.extend(skipped.map(|reason| Warning::JudgeSkipped { reason }));
        found.judging_millis = Some(millis(started));
        found.hits.truncate(query.k.get());
        found.places.truncate(query.k.get());
        Ok(true)
    }

    /// What a judge may see of what was found; `None` where something of it is gone since.
    fn shown(store: &dyn Store, query: &Query, found: &mut Found) -> Result<Option<Shown>, Error> {
        let seqs: Vec<Seq> = found.evidence.iter().map(|evidence| evidence.seq).collect();
        let Some(memories) = Self::fetch_all(store, &query.namespace, &seqs)? else { return Ok(None) };
        let mut shown = Shown { candidates: Vec::new(), hits: Vec::new(), hidden: Vec::new() };
        for (memory, evidence) in memories.iter().zip(&found.evidence) {
            match memory.sensitivity {
                Sensitivity::Sensitive => shown.hidden.extend(evidence.hit),
                Sensitivity::Ordinary => {
                    let said_at = memory.said_at.map(calendar);
                    shown.candidates.push(JudgeCandidate { text: memory.passage(), said_at });
                    shown.hits.push(evidence.hit);
                }
            }
        }
        Ok(Some(shown))
    }
}

impl Found {
    /// Puts the best hits in the order of a judge's scores of what it was shown.
    fn reorder(&mut self, shown: &Shown, scores: &[Option<f64>], depth: NonZeroUsize) {
        let best = self.hits.len().min(depth.get());
        for (&hit, &score) in shown.hits.iter().zip(scores) {
            if let Some(place) = hit.filter(|&hit| hit < best).and_then(|hit| self.places.get_mut(hit)) {
                place.judged = [place.judged, score].into_iter().flatten().reduce(f64::max);
            }
        }
        let judged: Vec<Option<f64>> = self.places[..best].iter().map(|place| place.judged).collect();
        let order = rearranged(&judged, &shown.hidden);
        permute(&mut self.hits, &order);
        permute(&mut self.places, &order);
    }
}

/// Which hit comes to each place: `hidden` ones stay where they are, and the others share the rest by their scores.
fn rearranged(scores: &[Option<f64>], hidden: &[usize]) -> Vec<usize> {
    let open: Vec<usize> = (0..scores.len()).filter(|place| !hidden.contains(place)).collect();
    let of_open: Vec<Option<f64>> = open.iter().map(|&place| scores[place]).collect();
    let mut arranged: Vec<usize> = (0..scores.len()).collect();
    for (&place, from) in open.iter().zip(order(&of_open)) {
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
