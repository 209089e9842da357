//! From two legs to one score: fusion, cue questions, what was said when the question says, importance.

use super::{Candidates, Preset, cues::Cued, dated, legs::LegScores};
use crate::{
    analysis::Question,
    explain::{Arithmetic, Explain},
    fusion::{Contribution, Leg, mean_and_deviation},
    index::Index,
    prior,
    ranking::NotANumber,
    types::Unit,
};

/// Scores of the pool after every stage, and what each was made of.
pub(super) struct Fused {
    pub(super) lexical: Option<Share>,
    pub(super) dense: Option<Share>,
    /// The sum of both legs.
    pub(super) legs: Vec<f64>,
    /// What cue questions add, by words and by meaning; `None` where nothing has any.
    pub(super) cues: [Option<Cued>; 2],
    /// `None` where the question names no date, or dates do not count.
    pub(super) dated: Option<Dated>,
    /// `None` where all are equally important.
    pub(super) prior: Option<Prior>,
    /// What is ranked.
    pub(super) totals: Vec<f64>,
}

/// One leg's part in the fused scores.
pub(super) struct Share {
    /// Its own scores.
    own: Vec<f64>,
    fused: Contribution,
}

/// What was said when the question says goes up.
pub(super) struct Dated {
    /// Each fit in [0, 1].
    pub(super) fits: Vec<f64>,
    /// What a whole fit adds.
    weight: f64,
}

/// What is important goes up.
pub(super) struct Prior {
    /// Scores before it.
    before: Vec<f64>,
    /// What was taken as zero.
    least: f64,
}

/// What a leg says of its own score: a label, and parts that add up to it, if any.
pub(super) struct Own {
    pub(super) label: String,
    pub(super) parts: Vec<Explain>,
}

/// Fuses the scores of the `pool`, which are places in unit order.
pub(super) fn fuse(
    index: &Index,
    preset: &Preset,
    candidates: &Candidates,
    (question, unit): (&Question, Unit),
    legs: &LegScores,
    pool: &[usize],
) -> Result<Fused, NotANumber> {
    let pooled = |scores: &[f64]| pool.iter().map(|&unit| scores[unit]).collect::<Vec<_>>();
    let (words, meaning) = (legs.lexical().map(pooled), legs.dense().map(pooled));
    let [lexical, dense] = preset.fusion.contributions(
        words.as_deref().map(|scores| Leg { scores, floor: Some(0.0) }),
        meaning.as_deref().map(|scores| Leg { scores, floor: Some(-1.0) }),
    )?;
    let share = |(own, fused)| Share { own, fused };
    let (lexical, dense) = (words.zip(lexical).map(share), meaning.zip(dense).map(share));
    let of = |leg: &Option<Share>, i: usize| leg.as_ref().map_or(0.0, |leg| leg.fused.shares[i]);
    let fused: Vec<f64> = (0..pool.len()).map(|i| of(&lexical, i) + of(&dense, i)).collect();

    let deviation = mean_and_deviation(&fused).1;
    let mut totals = fused.clone();
    let [words, meaning] = legs.cued(pool);
    let cues = preset.cues.adds(words, meaning, deviation.unwrap_or(1.0));
    cues.iter().flatten().for_each(|cued| cued.add_to(&mut totals));
    let units: Vec<u32> = pool.iter().map(|&place| candidates.units(unit)[place]).collect();
    let fits = match preset.dated > 0.0 {
        true => dated::fits(question, index, candidates, &units, unit),
        false => None,
    };
    let dated = fits.map(|fits| {
        let weight = preset.dated * deviation.unwrap_or(0.0);
        totals.iter_mut().zip(&fits).for_each(|(total, fit)| *total += fit * weight);
        Dated { fits, weight }
    });

    let mut prior = None;
    if unit == Unit::Turn {
        let before = totals.clone();
        let least = prior::apply(&mut totals, |i| index.documents().importance(units[i]));
        prior = least.map(|least| Prior { before, least });
    }
    Ok(Fused { lexical, dense, legs: fused, cues, dated, prior, totals })
}

impl Fused {
    /// Scores after the dates a question names.
    pub(super) fn before_prior(&self) -> &[f64] {
        self.prior.as_ref().map_or(&self.totals, |prior| &prior.before)
    }

    /// Scores after cue questions; `None` where nothing has any.
    pub(super) fn after_cues(&self) -> Option<Vec<f64>> {
        let counts = self.cues.iter().any(Option::is_some);
        counts.then(|| self.legs.iter().enumerate().map(|(i, legs)| legs + self.cued(i)).collect())
    }

    /// What cue questions add to a candidate.
    pub(super) fn cued(&self, i: usize) -> f64 {
        self.cues.iter().flatten().map(|cued| cued.of(i)).sum()
    }

    /// What the dates a question names add to a candidate.
    pub(super) fn dated(&self, i: usize) -> f64 {
        self.dated.as_ref().map_or(0.0, |dated| dated.fits[i] * dated.weight)
    }

    /// What importance adds to a candidate, or takes.
    pub(super) fn prior(&self, i: usize) -> f64 {
        self.totals[i] - self.before_prior()[i]
    }

    /// The arithmetic of a score, stage by stage, down to each leg's own score and its parts.
    pub(super) fn explain(&self, preset: &Preset, i: usize, importance: f64, lexical: Own, dense: Own) -> Explain {
        let legs = [(&self.lexical, "lexical", lexical), (&self.dense, "dense", dense)];
        let mut parts: Vec<Explain> = legs
            .into_iter()
            .filter_map(|(share, name, own)| Some(share.as_ref()?.explain(name, preset, i, own)))
            .collect();
        for (cued, by) in self.cues.iter().zip(["words", "meaning"]) {
            let Some(cued) = cued else { continue };
            let how = Arithmetic::Scaled { weight: cued.weight, minus: cued.mean, over: cued.over };
            let own = Explain::leaf(format!("its best cue question by {by}"), cued.own[i]);
            parts.push(Explain::from_part(&format!("cue questions by {by}"), cued.of(i), how, own));
        }
        if let Some(dated) = self.dated.as_ref().filter(|dated| dated.fits[i] > 0.0) {
            let how = Arithmetic::Scaled { weight: dated.weight, minus: 0.0, over: 1.0 };
            let fit = Explain::leaf("how well its time fits, from 0 to 1", dated.fits[i]);
            parts.push(Explain::from_part("said when it asks for", self.dated(i), how, fit));
        }
        let sum = Explain::sum(preset.to_string(), self.before_prior()[i], parts);
        match &self.prior {
            None => sum,
            Some(prior) => {
                let weight = prior::factor(importance);
                let how = Arithmetic::Scaled { weight, minus: prior.least, over: 1.0 };
                let label = format!("prior of importance {importance:.2}, factor {weight:.3}");
                Explain::from_part(&label, self.totals[i], how, sum)
            }
        }
    }
}

impl Share {
    /// What the leg adds to a candidate.
    pub(super) fn of(&self, i: usize) -> f64 {
        self.fused.shares[i]
    }

    fn explain(&self, name: &str, preset: &Preset, i: usize, own: Own) -> Explain {
        let part = match own.parts.is_empty() {
            true => Explain::leaf(own.label, self.own[i]),
            false => Explain::sum(own.label, self.own[i], own.parts),
        };
        let label = format!("{name} leg by {}", preset.fusion.name());
        Explain::from_part(&label, self.of(i), self.fused.arithmetic(i), part)
    }
}
