//! From the table of signals to one score: fusion, boosts, importance, in that order.

use super::{
    boost::BoostMeasure,
    definition::Pipeline,
    request::{LegHit, SearchContext},
    signals::{Filled, SignalTable},
};
use crate::{
    explain::{Arithmetic, Explain},
    fusion::{Contribution, LegScores, mean_and_deviation},
    prior,
    ranking::NotANumber,
    types::Granularity,
};

/// Candidates that are so many standard deviations of the fused scores behind the best are not among the best.
const REACH: f64 = 4.0;

/// The name of the last stage, in which importance counts.
pub(super) const IMPORTANCE: &str = "importance";

/// Scores of the pool after every stage, and what each was made of.
pub(super) struct Combined {
    /// By column of the table; `None` for one that adds nothing.
    pub(super) shares: Vec<Option<Share>>,
    /// The sum of the fused legs.
    pub(super) fused: Vec<f64>,
    /// Scores after each boost that adds something, with its word.
    pub(super) boosted: Vec<(&'static str, Vec<f64>)>,
    /// `None` where all are equally important.
    pub(super) prior: Option<Prior>,
    /// What is ranked.
    pub(super) totals: Vec<f64>,
}

/// What one column adds to the score of each candidate of the pool.
pub(super) struct Share {
    /// The leg's own scores.
    own: Vec<f64>,
    adds: Adds,
}

enum Adds {
    /// By fusion.
    Fused(Contribution),
    /// `weight * (own - minus) / over`.
    Boost { weight: f64, minus: f64, over: f64 },
    /// `weight * own`, each with a weight of its own.
    Weighted(Vec<f64>),
}

/// The scores before importance.
pub(super) struct Prior {
    before: Vec<f64>,
    /// What was taken as zero.
    least: f64,
}

/// Combines the scores of the `pool`, which are places in unit order.
///
/// # Errors
/// When a score is NaN.
pub(super) fn combine(
    pipeline: &Pipeline,
    context: SearchContext<'_>,
    table: &SignalTable,
    pool: &[usize],
) -> Result<Combined, NotANumber> {
    let mut shares = fused_shares(pipeline, table, pool)?;
    let mut fused = vec![0.0; pool.len()];
    for share in shares.iter().flatten() {
        fused.iter_mut().enumerate().for_each(|(i, sum)| *sum += share.of(i));
    }
    // Where all are alike, a time still tells them apart, as one who says when it is asked or goes on with something expects.
    let question = context.request.question;
    let asked = question.times.is_some() || question.continues > 0.0;
    let deviation = mean_and_deviation(&fused).1.or(asked.then_some(1.0));
    let (mut totals, mut boosted) = (fused.clone(), Vec::new());
    let mut columns = table.columns[table.fused..].iter();
    for boost in &pipeline.boosts {
        let counting = boost.legs.iter().filter(|(_, weight)| *weight > 0.0);
        let before = shares.len();
        for ((_, weight), filled) in counting.zip(columns.by_ref()) {
            shares.push(boost_share(boost.measure, *weight, (deviation, &totals), filled.pooled(pool)));
        }
        if shares[before..].iter().any(Option::is_some) {
            for share in shares[before..].iter().flatten() {
                totals.iter_mut().enumerate().for_each(|(i, total)| *total += share.of(i));
            }
            boosted.push((boost.word, totals.clone()));
        }
    }
    let mut prior = None;
    if context.request.unit == Granularity::Turn {
        let before = totals.clone();
        let importance = |i: usize| context.index.documents().importance(context.units()[pool[i]]);
        prior = prior::apply(&mut totals, importance).map(|least| Prior { before, least });
    }
    Ok(Combined { shares, fused, boosted, prior, totals })
}

fn fused_shares(pipeline: &Pipeline, table: &SignalTable, pool: &[usize]) -> Result<Vec<Option<Share>>, NotANumber> {
    let columns = &table.columns[..table.fused];
    let own: Vec<Option<Vec<f64>>> = columns.iter().map(|filled| filled.pooled(pool)).collect();
    let floor = |filled: &Filled| filled.column.as_ref().and_then(|column| column.floor());
    let scores = own.iter().zip(columns);
    let legs: Vec<Option<LegScores<'_>>> =
        scores.map(|(own, filled)| Some(LegScores { scores: own.as_deref()?, floor: floor(filled) })).collect();
    let contributions = pipeline.fusion.contributions(&legs)?;
    let share =
        |(own, adds): (Option<Vec<f64>>, Option<Contribution>)| Some(Share { own: own?, adds: Adds::Fused(adds?) });
    Ok(own.into_iter().zip(contributions).map(share).collect())
}

/// What a boosted column adds to the scores so far, where a standard deviation of the fused ones is `deviation`.
pub(super) fn boost_share(
    measure: BoostMeasure,
    weight: f64,
    (deviation, scores): (Option<f64>, &[f64]),
    own: Option<Vec<f64>>,
) -> Option<Share> {
    let own = own?;
    if measure == BoostMeasure::AmongBest {
        return among_best(weight, (deviation?, scores), &own);
    }
    let adds = match measure {
        BoostMeasure::ZScore => {
            let (mean, over) = mean_and_deviation(&own);
            Adds::Boost { weight: weight * deviation.unwrap_or(1.0), minus: mean, over: over? }
        }
        BoostMeasure::Plain | BoostMeasure::AmongBest => {
            Adds::Boost { weight: weight * deviation.unwrap_or(0.0), minus: 0.0, over: 1.0 }
        }
    };
    Some(Share { own, adds })
}

/// As [`BoostMeasure::AmongBest`]; nothing where fewer than two of the best have different scores.
fn among_best(weight: f64, (deviation, scores): (f64, &[f64]), own: &[f64]) -> Option<Share> {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let closeness = |score: &f64| (1.0 - (best - score) / (REACH * deviation)).max(0.0);
    let weights: Vec<f64> = scores.iter().map(closeness).collect();
    let near = weights.iter().zip(own).filter(|(weight, own)| **weight > 0.0 && **own > 0.0);
    let mut near: Vec<f64> = near.map(|(_, own)| *own).collect();
    near.sort_unstable_by(f64::total_cmp);
    near.dedup();
    let steps = near.len().checked_sub(1).filter(|steps| *steps > 0)? as f64;
    let place = |own: &f64| match *own > 0.0 {
        true => near.partition_point(|other| other < own) as f64 / steps,
        false => 0.5,
    };
    let weights = weights.into_iter().map(|closeness| weight * deviation * closeness).collect();
    Some(Share { own: own.iter().map(place).collect(), adds: Adds::Weighted(weights) })
}

impl Share {
    /// What is added to a candidate.
    pub(super) fn of(&self, i: usize) -> f64 {
        match &self.adds {
            Adds::Fused(contribution) => contribution.shares[i],
            Adds::Boost { weight, minus, over } => weight * (self.own[i] - minus) / over,
            Adds::Weighted(weights) => weights[i] * self.own[i],
        }
    }

    fn arithmetic(&self, i: usize) -> Arithmetic {
        match &self.adds {
            Adds::Fused(contribution) => contribution.arithmetic(i),
            Adds::Boost { weight, minus, over } => Arithmetic::Scaled { weight: *weight, minus: *minus, over: *over },
            Adds::Weighted(weights) => Arithmetic::Scaled { weight: weights[i], minus: 0.0, over: 1.0 },
        }
    }
}

impl Combined {
    /// Scores before importance.
    pub(super) fn before_prior(&self) -> &[f64] {
        self.prior.as_ref().map_or(&self.totals, |prior| &prior.before)
    }

    /// What importance adds to a candidate, or takes.
    pub(super) fn prior(&self, i: usize) -> f64 {
        self.totals[i] - self.before_prior()[i]
    }

    /// The arithmetic of a score, stage by stage, down to each leg's own score and its parts.
    pub(super) fn explain(
        &self,
        pipeline: &Pipeline,
        context: SearchContext<'_>,
        table: &SignalTable,
        (i, place): (usize, usize),
        standing: &super::request::Legs,
    ) -> Explain {
        let mut parts = Vec::new();
        for (number, (filled, share)) in table.columns.iter().zip(&self.shares).enumerate() {
            let Some(share) = share else { continue };
            let by = if number < table.fused { pipeline.fusion.method.name() } else { "boost" };
            let name = filled.leg.name();
            // A date that does not fit adds nothing, and is not mentioned.
            if number >= table.fused && share.of(i) == 0.0 {
                continue;
            }
            let own = own_score(filled, context, (share.own[i], place), standing.get(name));
            let label = if number < table.fused { format!("{name} leg by {by}") } else { format!("{name} {by}") };
            parts.push(Explain::from_part(&label, share.of(i), share.arithmetic(i), own));
        }
        let sum = Explain::sum(pipeline.first_stage(), self.before_prior()[i], parts);
        let Some(prior) = &self.prior else { return sum };
        let importance = context.index.documents().importance(context.units()[place]);
        let weight = prior::factor(importance);
        let how = Arithmetic::Scaled { weight, minus: prior.least, over: 1.0 };
        let label = format!("{IMPORTANCE} {importance:.2}, factor {weight:.3}");
        Explain::from_part(&label, self.totals[i], how, sum)
    }
}

fn own_score(
    filled: &Filled,
    context: SearchContext<'_>,
    (score, place): (f64, usize),
    hit: Option<LegHit>,
) -> Explain {
    let row = filled.row(place);
    let own = filled.column.as_ref().zip(row).and_then(|(column, row)| column.explain(context, row, hit));
    own.unwrap_or_else(|| {
        let name = filled.leg.name();
        Explain::leaf(
            match hit {
                Some(hit) => format!("{name} score, rank {}", hit.rank),
                None => format!("{name} score: not found"),
            },
            score,
        )
    })
}
