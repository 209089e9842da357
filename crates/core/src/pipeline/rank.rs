//! Runs a pipeline over an index.

use super::{
    candidate::{CandidateRanker, FeatureTable, Ground, Misfit, Reordered, ReorderedSessions, ReorderedTurns},
    combine::{Combined, combine},
    confidence::{self, Passage, Signals},
    definition::Pipeline,
    request::{Detail, Exact, Legs, Request, SearchContext, SearchError},
    scope::Candidates,
    shared::Shared,
    signals::SignalTable,
};
use crate::{
    explain::Explain,
    index::Index,
    ranking::{Ranking, Scored},
    types::{CueId, Granularity, Unmatched},
    windows::NumberedWindow,
};

/// Fusion sees this many of the best of each leg, or `k` where that is more: a score is measured against others that could
/// be returned, not against a whole history.
const POOL: usize = 1_000;

/// A candidate that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedHit {
    /// Text position for [`Granularity::Turn`], session number for [`Granularity::Session`].
    pub candidate: u32,
    /// Final score; only its order means something.
    pub score: f64,
    /// Where it stands in each leg; of the first hit only under [`Detail::Scores`].
    pub legs: Legs,
    /// The best turns of a session, by text position; empty for a turn.
    pub best_turns: Vec<u32>,
    /// The window that speaks most for each text that is shown, the hit or its best turns; `None` for a text that has one.
    pub windows: Vec<Option<NumberedWindow>>,
    /// The cue question that speaks most for it, if cue questions count.
    pub cue: Option<CueId>,
    /// How the score came about, if asked for.
    pub explain: Option<Explain>,
}

/// The hits of one request, and what confidence is calibrated on.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedCandidates {
    /// Best first.
    pub hits: Vec<RankedHit>,
    /// What the first hits show; `None` without any.
    pub signals: Option<Signals>,
    /// Why the pipeline's learned stage was left out, where it was.
    pub misfit: Option<Misfit>,
}

/// Ranks the candidates of one request.
///
/// # Errors
/// When a score is not a number, the query vector does not fit the index, or `exact` fails.
pub fn rank(
    index: &Index,
    pipeline: &Pipeline,
    candidates: &Candidates,
    request: &Request<'_>,
    exact: Exact<'_>,
) -> Result<RankedCandidates, SearchError> {
    let context = SearchContext { index, candidates, request };
    let scoring = Scoring::of(pipeline, context, exact)?;
    let ranked = scoring.ranked(scoring.scores());
    let mut ranking = Ranking::top(ranked, request.k.get().max(confidence::LOOKED_AT))?;
    let looked_at: Vec<usize> = scoring.places(&ranking).take(confidence::LOOKED_AT).collect();
    ranking.truncate(request.k.get());
    let at: Vec<usize> = scoring.places(&ranking).collect();
    let mut standings = match request.detail {
        Detail::Scores => scoring.table.standings(at.get(..1).unwrap_or_default()),
        Detail::BestTurns | Detail::Explained => scoring.table.standings(&at),
    };
    standings.resize(at.len(), Legs::default());
    let signals = scoring.signals(&looked_at, standings.first());
    let hits = ranking.iter().zip(&at).zip(standings);
    let hits = hits.map(|((scored, &place), legs)| scoring.hit(scored, place, legs));
    Ok(RankedCandidates { hits: hits.collect(), signals, misfit: scoring.misfit })
}

/// The features of the best candidates of one request, for who learns to rank them.
///
/// # Errors
/// As [`rank`].
pub fn candidate_features(
    index: &Index,
    pipeline: &Pipeline,
    candidates: &Candidates,
    request: &Request<'_>,
    exact: Exact<'_>,
) -> Result<FeatureTable, SearchError> {
    let scoring = Scoring::first_stage(pipeline, SearchContext { index, candidates, request }, exact)?;
    Ok(FeatureTable::of(&scoring.ground()).0)
}

/// Every score of one request: a ranking and the report on one candidate rest on the same.
pub(super) struct Scoring<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) context: SearchContext<'a>,
    pub(super) table: SignalTable,
    /// Candidates that are fused, as places in unit order, ascending.
    pub(super) pool: Vec<usize>,
    /// How many of the best of each leg are fused at the most.
    pub(super) width: usize,
    pub(super) combined: Combined,
    /// `None` where no learned stage follows.
    pub(super) reordered: Option<Reordered<'a>>,
    /// Why a learned stage was left out.
    misfit: Option<Misfit>,
}

impl<'a> Scoring<'a> {
    pub(super) fn of(
        pipeline: &'a Pipeline,
        context: SearchContext<'a>,
        exact: Exact<'_>,
    ) -> Result<Self, SearchError> {
        let mut scoring = Self::first_stage(pipeline, context, exact)?;
        match pipeline.ranker(context) {
            Ok(None) => {}
            Ok(Some(ranker)) => scoring.reordered = Some(scoring.reorder(ranker, exact)?),
            Err(misfit) => scoring.misfit = Some(misfit),
        }
        Ok(scoring)
    }

    /// The scores before a learned stage.
    fn first_stage(pipeline: &'a Pipeline, context: SearchContext<'a>, exact: Exact<'_>) -> Result<Self, SearchError> {
        let units = context.units().len();
        let shared = Shared::new(context, pipeline.term_weights());
        let mut table = SignalTable::of(pipeline, context, &shared, exact)?;
        let all = context.request.unmatched == Unmatched::Include;
        let width = if all { units } else { POOL.max(context.request.k.get()) };
        // Where all there is fits into the pool, all of it is fused; a part of it that fits is still a part.
        let pool = table.pool(units, context.candidate_count(), width);
        table.fill_pool(context, &shared, &pool)?;
        let combined = combine(pipeline, context, &table, &pool)?;
        Ok(Self { pipeline, context, table, pool, width, combined, reordered: None, misfit: None })
    }

    /// What a ranker of turns makes of the first stage: sessions are ranked by their turns.
    fn reorder(&self, ranker: &'a CandidateRanker, exact: Exact<'_>) -> Result<Reordered<'a>, SearchError> {
        if self.context.request.unit == Granularity::Turn {
            return Ok(Reordered::Turns(ReorderedTurns::of(ranker, &self.ground())));
        }
        let request = Request { unit: Granularity::Turn, detail: Detail::Scores, ..*self.context.request };
        let turns = Scoring::first_stage(self.pipeline, SearchContext { request: &request, ..self.context }, exact)?;
        let of_turns = turns.ground();
        let reordered = ReorderedTurns::of(ranker, &of_turns);
        Ok(Reordered::Sessions(ReorderedSessions::of(&self.ground(), reordered, &of_turns)))
    }

    fn ground(&self) -> Ground<'_> {
        Ground {
            context: self.context,
            table: &self.table,
            pool: &self.pool,
            totals: &self.combined.totals,
            weights: self.pipeline.term_weights(),
        }
    }

    /// The score of each candidate of the pool after the last stage.
    pub(super) fn scores(&self) -> &[f64] {
        self.reordered.as_ref().map_or(&self.combined.totals, |reordered| reordered.scores())
    }

    /// Where ranked candidates stand in unit order, best first.
    fn places<'r>(&'r self, ranking: &'r Ranking) -> impl Iterator<Item = usize> + 'r {
        ranking.iter().map(|scored| self.pool[scored.candidate as usize])
    }

    fn hit(&self, scored: &Scored, place: usize, legs: Legs) -> RankedHit {
        let SearchContext { index, candidates, request } = self.context;
        let candidate = self.context.units()[place];
        let best_turns = match request.unit {
            Granularity::Session if request.detail != Detail::Scores => {
                let turns = candidates.shown_turns_of(index, candidate);
                let best = self.table.best_turns(self.pipeline, &turns);
                match best.is_empty() && candidates.is_filtered() {
                    // The first turn stands for a session without evidence, and may be none that is asked for.
                    true => turns.first().copied().into_iter().collect(),
                    false => best,
                }
            }
            _ => Vec::new(),
        };
        let explain =
            (request.detail == Detail::Explained).then(|| self.explain((scored.candidate as usize, place), &legs));
        let cue = self.cue(self.context.texts_of(&candidate));
        let shown = if best_turns.is_empty() { std::slice::from_ref(&candidate) } else { &best_turns[..] };
        let windows = match (request.unit, best_turns.is_empty()) {
            (Granularity::Session, true) => Vec::new(),
            _ => shown.iter().map(|&text| self.best_window(text)).collect(),
        };
        RankedHit { candidate, score: scored.score, legs, best_turns, windows, cue, explain }
    }

    fn best_window(&self, text: u32) -> Option<NumberedWindow> {
        self.table.filled().find_map(|(_, column)| column.best_window(self.context.index, text))
    }

    /// The cue question that speaks most for some texts: by the last column that reads cue questions.
    fn cue(&self, texts: &[u32]) -> Option<CueId> {
        let columns = self.table.columns.iter().rev().filter_map(|filled| filled.column.as_ref());
        columns.map(|column| column.best_cue(self.context, texts)).find_map(|cue| cue).flatten()
    }

    /// What the first hits show; `first` is where the first of them stands in each leg.
    fn signals(&self, looked_at: &[usize], first: Option<&Legs>) -> Option<Signals> {
        let SearchContext { index, candidates, request } = self.context;
        let passages = looked_at.iter().map(|&place| self.passages(place));
        Signals::of(&confidence::Scene {
            index,
            candidates,
            question: request.question,
            unit: request.unit,
            hits: &passages.collect::<Vec<_>>(),
            best_texts: &|| self.table.filled().flat_map(|(_, column)| column.best_texts(self.context)).collect(),
            first: first.unwrap_or(&Legs::default()),
            scores: &self.combined.totals,
        })
    }

    /// What of a candidate a reader would look at: the text, or the best turns of a session.
    fn passages(&self, place: usize) -> Vec<Passage> {
        let SearchContext { index, candidates, request } = self.context;
        let unit = self.context.units()[place];
        let cosine = |text: u32| self.table.filled().find_map(|(_, column)| column.cosine(self.context, text));
        let passage = |text: u32| Passage { text, cosine: cosine(text) };
        match request.unit {
            Granularity::Turn => vec![passage(unit)],
            Granularity::Session => {
                let shown = candidates.shown_turns_of(index, unit);
                let turns = self.table.best_turns(self.pipeline, &shown);
                turns.into_iter().map(passage).collect()
            }
        }
    }

    /// Those of the pool that may be returned, each with its one of `scores`.
    pub(super) fn ranked(&self, scores: &[f64]) -> Vec<Scored> {
        (0u32..)
            .zip(scores)
            .filter(|(i, _)| self.may_return(*i as usize))
            .map(|(candidate, &score)| Scored { candidate, score })
            .collect()
    }

    /// Whether a candidate of the pool may be returned.
    pub(super) fn may_return(&self, pooled: usize) -> bool {
        self.context.request.unmatched == Unmatched::Include || self.table.has_evidence(self.pool[pooled])
    }

    /// How the score of a candidate of the pool came about.
    pub(super) fn explain(&self, (pooled, place): (usize, usize), legs: &Legs) -> Explain {
        let first = self.combined.explain(self.pipeline, self.context, &self.table, (pooled, place), legs);
        match &self.reordered {
            Some(reordered) => reordered.explain(pooled, first),
            None => first,
        }
    }
}
