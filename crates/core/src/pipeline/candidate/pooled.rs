//! Sessions by their best turn after a ranker.
//!
//! A session's score is that of the first stage and that of its best turn, each in standard deviations of its kind. A session
//! none of whose turns is among the best has the score of the last of those.

use super::{features::Ground, stage::ReorderedTurns};
use crate::{
    explain::{Arithmetic, Explain},
    fusion::mean_and_deviation,
};

/// Turns that are looked at: the best ones after the ranker.
const LOOKED_AT: usize = 100;
/// What the best turn counts beside the first stage's score of the session.
///
/// On LoCoMo, weights from 0.8 to 5 differ by 0.001 of recall in the first five.
const TURN_WEIGHT: f64 = 1.0;

/// The sessions of one request after a ranker of turns.
pub(in crate::pipeline) struct ReorderedSessions<'a> {
    turns: ReorderedTurns<'a>,
    /// Of each session of the pool its best turn among those looked at: its place in the pool of turns, and the score of the
    /// first stage.
    best: Vec<Option<(usize, f64)>>,
    /// What a score of the first stage is measured by: the mean and standard deviation of the sessions'.
    of_sessions: (f64, f64),
    /// The same of the turns looked at, after the ranker.
    of_turns: (f64, f64),
    /// The score of the last turn that is looked at.
    lowest: f64,
    /// The score of each session of the pool.
    pub(super) scores: Vec<f64>,
}

impl<'a> ReorderedSessions<'a> {
    /// Ranks the sessions of `ground` by `turns`, which a ranker made of `of_turns`: the same request asked for turns.
    pub(in crate::pipeline) fn of(ground: &Ground<'_>, turns: ReorderedTurns<'a>, of_turns: &Ground<'_>) -> Self {
        let documents = ground.context.index.documents();
        let mut order: Vec<usize> = (0..turns.scores.len()).collect();
        order.sort_unstable_by(|&a, &b| turns.scores[b].total_cmp(&turns.scores[a]).then(a.cmp(&b)));
        order.truncate(LOOKED_AT);
        let looked_at: Vec<f64> = order.iter().map(|&i| turns.scores[i]).collect();
        let mut by_session = vec![None; documents.sessions().len()];
        for &i in &order {
            let text = of_turns.context.units()[of_turns.pool[i]];
            if let Some(session) = documents.session_of(text) {
                by_session[session as usize].get_or_insert((i, of_turns.totals[i]));
            }
        }
        let session_of = |place: &usize| ground.context.units()[*place];
        let measured = |scores: &[f64]| match mean_and_deviation(scores) {
            _ if scores.is_empty() => (0.0, 1.0),
            (mean, deviation) => (mean, deviation.unwrap_or(1.0)),
        };
        let mut sessions = Self {
            best: ground.pool.iter().map(|place| by_session[session_of(place) as usize]).collect(),
            of_sessions: measured(ground.totals),
            of_turns: measured(&looked_at),
            lowest: looked_at.last().copied().unwrap_or(0.0),
            scores: Vec::new(),
            turns,
        };
        let first_stage = |total: &f64| (total - sessions.of_sessions.0) / sessions.of_sessions.1;
        sessions.scores =
            ground.totals.iter().enumerate().map(|(i, total)| first_stage(total) + sessions.turn_part(i)).collect();
        sessions
    }

    /// What the best turn of a session of the pool adds.
    fn turn_part(&self, pooled: usize) -> f64 {
        let score = self.best[pooled].map_or(self.lowest, |(turn, _)| self.turns.scores[turn]);
        let (mean, over) = self.of_turns;
        TURN_WEIGHT * (score - mean) / over
    }

    /// How the score of a session of the pool follows from that of the first stage.
    pub(super) fn explain(&self, pooled: usize, first_stage: Explain) -> Explain {
        let scaled = |weight: f64, (minus, over): (f64, f64)| Arithmetic::Scaled { weight, minus, over };
        let turn_part = self.turn_part(pooled);
        let first = Explain::from_part(
            "first stage",
            self.scores[pooled] - turn_part,
            scaled(1.0, self.of_sessions),
            first_stage,
        );
        let of_turn = match self.best[pooled] {
            Some((turn, total)) => {
                self.turns.explain(turn, Explain::leaf("score of the turn in the first stage", total))
            }
            None => Explain::leaf("that of the last turn looked at: it has none among them", self.lowest),
        };
        let label = "best turn after the candidate ranker";
        let turn = Explain::from_part(label, turn_part, scaled(TURN_WEIGHT, self.of_turns), of_turn);
        Explain::sum("session by its best turn", self.scores[pooled], vec![first, turn])
    }
}
