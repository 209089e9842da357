//! A ranker as the last stage of a pipeline.

use std::sync::{Arc, OnceLock};

use super::{
    catalogue::FEATURES,
    features::Ground,
    pooled::ReorderedSessions,
    ranker::{CandidateRanker, Misfit},
    table::FeatureTable,
};
use crate::{
    explain::{Arithmetic, Explain},
    fusion::mean_and_deviation,
};

/// Features whose part of a score is told one by one.
const TOLD: usize = 12;

/// What puts the candidates of a pipeline in another order at last.
#[derive(Debug, Clone)]
pub enum CandidateStage {
    /// A ranker.
    Ranker(Arc<CandidateRanker>),
    /// One that cannot be used: searches go on without it and say why.
    Unusable {
        /// What it is called.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl CandidateStage {
    /// The ranker that ships.
    pub fn shipped() -> Self {
        static SHIPPED: OnceLock<CandidateStage> = OnceLock::new();
        let read = || Self::read("shipped", include_bytes!("shipped.ranker"));
        SHIPPED.get_or_init(read).clone()
    }

    /// The ranker of a file's bytes, or why it cannot be used.
    pub fn read(name: &str, bytes: &[u8]) -> Self {
        match CandidateRanker::read(bytes) {
            Ok(ranker) => Self::Ranker(Arc::new(ranker)),
            Err(error) => Self::Unusable { name: name.to_owned(), reason: error.to_string() },
        }
    }

    /// What tells it from others: of a ranker its id.
    pub fn id(&self) -> &str {
        match self {
            Self::Ranker(ranker) => ranker.id(),
            Self::Unusable { name, .. } => name,
        }
    }

    /// Whether it is the ranker that ships.
    pub fn is_shipped(&self) -> bool {
        self.id() == Self::shipped().id()
    }

    /// The ranker, if there is one that can be used.
    ///
    /// # Errors
    /// Why there is none.
    pub fn ranker(&self) -> Result<&CandidateRanker, Misfit> {
        match self {
            Self::Ranker(ranker) => Ok(ranker),
            Self::Unusable { reason, .. } => Err(Misfit::Unusable { reason: reason.clone() }),
        }
    }
}

impl PartialEq for CandidateStage {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

/// The candidates of one request after a ranker.
pub(in crate::pipeline) enum Reordered<'a> {
    /// Turns and notes.
    Turns(ReorderedTurns<'a>),
    /// Sessions, by their turns.
    Sessions(ReorderedSessions<'a>),
}

impl Reordered<'_> {
    /// The score of each candidate of the pool.
    pub(in crate::pipeline) fn scores(&self) -> &[f64] {
        match self {
            Self::Turns(turns) => &turns.scores,
            Self::Sessions(sessions) => &sessions.scores,
        }
    }

    /// How the score of a candidate of the pool follows from that of the first stage.
    pub(in crate::pipeline) fn explain(&self, pooled: usize, first_stage: Explain) -> Explain {
        match self {
            Self::Turns(turns) => turns.explain(pooled, first_stage),
            Self::Sessions(sessions) => sessions.explain(pooled, first_stage),
        }
    }
}

/// The turns and notes of one request after a ranker.
pub(in crate::pipeline) struct ReorderedTurns<'a> {
    ranker: &'a CandidateRanker,
    table: FeatureTable,
    /// The row of each candidate of the pool in the table; `None` for one that is not among the best.
    rows: Vec<Option<usize>>,
    /// What a score of the first stage is measured by: their mean and standard deviation.
    mean: f64,
    over: f64,
    /// How much lower a candidate is set that is not among the best.
    drop: f64,
    /// The score of each candidate of the pool.
    pub(super) scores: Vec<f64>,
}

impl<'a> ReorderedTurns<'a> {
    /// Ranks the best candidates; the others stay behind them in the order of the first stage.
    pub(in crate::pipeline) fn of(ranker: &'a CandidateRanker, ground: &Ground<'_>) -> Self {
        let (table, best) = FeatureTable::of(ground);
        let (mean, deviation) = mean_and_deviation(ground.totals);
        let (over, weight) = (deviation.unwrap_or(1.0), ranker.record.base_weight);
        let mut scores: Vec<f64> = ground.totals.iter().map(|total| weight * (total - mean) / over).collect();
        let mut rows = vec![None; scores.len()];
        let reranked = ranker.scores(&table);
        best.iter().enumerate().for_each(|(row, &i)| rows[i] = Some(row));
        let tail = scores.iter().zip(&rows).filter(|(_, row)| row.is_none()).map(|(score, _)| *score);
        let lowest = reranked.iter().copied().fold(f64::INFINITY, f64::min);
        let drop = tail.reduce(f64::max).map_or(0.0, |highest| (highest - lowest).max(0.0) + 1.0);
        for (score, row) in scores.iter_mut().zip(&rows) {
            *score = row.map_or(*score - drop, |row| reranked[row]);
        }
        Self { ranker, table, rows, mean, over, drop, scores }
    }

    /// How the score of a candidate of the pool follows from that of the first stage.
    pub(super) fn explain(&self, pooled: usize, first_stage: Explain) -> Explain {
        let (weight, over) = (self.ranker.record.base_weight, self.over);
        let Some(row) = self.rows[pooled] else {
            // A score that counts nothing has nothing to be lowered by.
            let minus = if weight == 0.0 { self.mean } else { self.mean + self.drop * over / weight };
            let how = Arithmetic::Scaled { weight, minus, over };
            return Explain::from_part("not reranked, below all that are", self.scores[pooled], how, first_stage);
        };
        let base = weight * self.table.base[row];
        let how = Arithmetic::Scaled { weight, minus: self.mean, over };
        let values = self.table.rows().nth(row).unwrap_or_default();
        let shares = self.ranker.shares(values);
        let mut parts = vec![Explain::from_part("first stage", base, how, first_stage)];
        let told = |(feature, adds): &(usize, f64)| {
            let (of, value) = (FEATURES[*feature], values[*feature]);
            let value = if value.is_nan() { "none".to_owned() } else { format!("{value:.3}") };
            Explain::leaf(format!("{} {value}: {}", of.name, of.doc), *adds)
        };
        parts.extend(shares.features.iter().take(TOLD).map(told));
        let others: f64 = shares.features.iter().skip(TOLD).map(|(_, adds)| adds).sum();
        parts.push(Explain::leaf("other features, and what every candidate starts with", others + shares.start));
        let score = self.scores[pooled];
        Explain::sum(format!("candidate ranker {}", self.ranker.id()), score, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Pipeline;

    #[test]
    fn the_shipped_ranker_is_of_the_adapted_and_for_people() {
        let shipped = CandidateStage::shipped();
        let record = &shipped.ranker().unwrap().record;
        let learned_over = Pipeline::adapted().without_query_adapter().to_string();
        assert_eq!((&record.pipeline, record.among_people, record.plain_queries), (&learned_over, true, true));
    }
}
