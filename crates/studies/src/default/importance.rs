//! The importance prior, `(fused - least) * (0.7 + 0.3 * importance)`, on made-up importance.
//!
//! No public data set says how important its memories are. So every turn becomes a note of the same words, and its
//! importance is drawn: of notes that some question has as gold from `Beta(4 + s, 4 - s)`, of all others from
//! `Beta(4 - s, 4 + s)`. The means are `s / 4` apart: at `s = 0` importance is noise, below it misleads.

use std::collections::HashSet;

use super::{
    gains::{Gain, Resampling, adjust},
    ground::Ground,
    pieces,
};
use crate::{
    Section, StudyError,
    figures::{Estimate, LineSeries, Lines, Point, Reference, Titles},
};
use aforesaid::{
    Pipeline,
    formats::Captions,
    fusion::{Fusion, Method, RRF_K},
    types::{Draft, Granularity, Importance, Note, Sensitivity},
};
use aforesaid_eval::{
    datasets::{Benchmark, Group},
    experiments::{Bench, Observer},
    measures::{Evaluation, Measure, Run, evaluate},
    recipe::Equipment,
    reports::{Table, four},
    statistics::{Draws, SEED},
};

/// How far the importance of gold and of other notes is shifted apart.
const SHIFTS: [isize; 7] = [-3, -2, -1, 0, 1, 2, 3];

/// Parameters of the two distributions add up to twice this.
const HALF: usize = 4;

/// What the prior leaves of a score at importance 0, and at importance 1: the formula of the decision record.
const LEAST_SHARE: f64 = 0.7;

const FUSIONS: [(&str, Option<Method>); 3] =
    [("hybrid's", None), ("minmax(0.5)", Some(Method::MinMax)), ("rrf, equal weights", Some(Method::Rrf { k: RRF_K }))];

/// The prior on one ground.
pub(super) struct Prior {
    name: &'static str,
    notes: usize,
    /// Notes that some question has as gold.
    gold: usize,
    resampling: Resampling,
    /// By fusion.
    fused: Vec<Fused>,
    /// By shift: how often a gold note is more important than another note, ties half.
    informed: Vec<f64>,
}

/// One fusion of notes.
struct Fused {
    /// Where all notes are equally important.
    even: Evaluation,
    /// Mean number of notes that could pass the first one by importance alone.
    reach: f64,
    /// By shift.
    shifted: Vec<Evaluation>,
}

/// Whether the prior can be tried on a ground: it is one of turns, and of several histories with draws of their own.
pub(super) fn applies(ground: &Ground) -> bool {
    ground.plan.unit == Granularity::Turn && ground.benchmark.groups.len() > 1
}

impl Prior {
    pub(super) fn of(ground: &Ground, equipment: &Equipment, observe: &Observer<'_>) -> Result<Self, StudyError> {
        let mut draws = Draws::new(SEED);
        let default = pieces::hybrid();
        let presets = FUSIONS.map(|(_, method)| {
            let fusion = method.map_or_else(|| default.fusion.clone(), |method| Fusion::even(method, 2));
            Pipeline { fusion, ..default.clone() }
        });
        let qrels = ground.benchmark.qrels()?;
        let setup = equipment.setup(Captions::Keep);
        let measured = |benchmark: &Benchmark| -> Result<Vec<(Run, Evaluation)>, StudyError> {
            let bench = Bench::new(benchmark, &setup, observe)?;
            let measured = presets.iter().map(|pipeline| {
                let run = bench.run("notes", |_| pipeline, observe)?;
                let evaluation = evaluate(&run, &qrels, &[Measure::Mrr])?;
                Ok((run, evaluation))
            });
            measured.collect()
        };
        let even = as_notes(&ground.benchmark, |_| Importance::default());
        let mut fused: Vec<Fused> = measured(&even)?
            .into_iter()
            .map(|(run, even)| Fused { even, reach: reach(&run), shifted: Vec::new() })
            .collect();
        let mut informed = Vec::new();
        for shift in SHIFTS {
            let (mut gold, mut others) = (Vec::new(), Vec::new());
            let notes = as_notes(&ground.benchmark, |is_gold| {
                let (up, down) = (HALF.saturating_add_signed(shift), HALF.saturating_add_signed(-shift));
                let value = if is_gold { draws.beta(up, down) } else { draws.beta(down, up) };
                if is_gold {
                    gold.push(value)
                } else {
                    others.push(value)
                }
                // A beta lies in [0, 1].
                Importance::new(value).unwrap_or_default()
            });
            informed.push(concordance(gold, others));
            for (fused, (_, evaluation)) in fused.iter_mut().zip(measured(&notes)?) {
                fused.shifted.push(evaluation);
            }
        }
        let clusters = ground.benchmark.groups.iter().enumerate();
        let clusters = clusters.flat_map(|(place, group)| vec![place; group.questions.len()]).collect();
        let gold = |group: &Group| gold_of(group).len();
        Ok(Self {
            name: ground.plan.name,
            notes: ground.benchmark.groups.iter().map(|group| group.memories.len()).sum(),
            gold: ground.benchmark.groups.iter().map(gold).sum(),
            resampling: Resampling::of(clusters),
            fused,
            informed,
        })
    }

    /// Changes of MRR by fusion and shift; one family of comparisons a fusion.
    fn gains(&self) -> Result<Vec<Vec<Gain>>, StudyError> {
        let of_fusion = |fused: &Fused| {
            let gain = |shifted| self.resampling.gain_in(Measure::Mrr, &fused.even, shifted);
            let mut gains = fused.shifted.iter().map(gain).collect::<Result<Vec<_>, _>>()?;
            adjust(&mut gains)?;
            Ok(gains)
        };
        self.fused.iter().map(of_fusion).collect()
    }
}

fn gold_of(group: &Group) -> HashSet<&str> {
    group.questions.iter().flat_map(|question| question.gold.iter().map(String::as_str)).collect()
}

/// The same words as notes; `importance` is told whether a note is gold.
fn as_notes(benchmark: &Benchmark, mut importance: impl FnMut(bool) -> Importance) -> Benchmark {
    let mut notes = benchmark.clone();
    for (group, original) in notes.groups.iter_mut().zip(&benchmark.groups) {
        let gold = gold_of(original);
        for draft in &mut group.memories {
            let importance = importance(draft.id().is_some_and(|id| gold.contains(id.as_str())));
            *draft = Draft::Note(Note {
                id: draft.id().cloned(),
                conversation: draft.conversation().cloned(),
                text: draft.passage(),
                said_at: None,
                importance,
                tags: Vec::new(),
                sensitivity: Sensitivity::Ordinary,
                source: Vec::new(),
            });
        }
    }
    notes
}

/// Mean number of notes whose score, from the least on, is at least 0.7 of the first one's.
///
/// Such a note of importance 1 passes a first one of importance 0.
fn reach(run: &Run) -> f64 {
    let within = |ranking: &[(String, f64)]| {
        let least = ranking.last().map_or(0.0, |(_, least)| least.min(0.0));
        let first = ranking.first().map_or(0.0, |(_, first)| first - least);
        ranking.iter().skip(1).filter(|(_, score)| score - least >= LEAST_SHARE * first).count()
    };
    let counts: Vec<usize> = run.rankings().map(|(_, ranking)| within(ranking)).collect();
    counts.iter().sum::<usize>() as f64 / counts.len() as f64
}

/// How often a value of the first is above one of the second, ties half (the area under the ROC curve).
fn concordance(mut first: Vec<f64>, mut second: Vec<f64>) -> f64 {
    let pairs = (first.len() * second.len()) as f64;
    first.sort_unstable_by(f64::total_cmp);
    second.sort_unstable_by(f64::total_cmp);
    let below = |value: f64| second.partition_point(|other| *other < value) as f64;
    let up_to = |value: f64| second.partition_point(|other| *other <= value) as f64;
    first.iter().map(|&value| f64::midpoint(below(value), up_to(value))).sum::<f64>() / pairs
}

/// Difference of the means of gold and other notes.
fn apart(shift: isize) -> f64 {
    shift as f64 / HALF as f64
}

const NOTE: &str = "No public data set says how important its memories are, so this is a simulation: what the prior does \
    if importance were so. Every turn is stored as a note of the same words (a note has no session and no neighbours), \
    with an importance that is drawn at random: of notes that are gold of some question from Beta(4 + s, 4 - s), of the \
    others from Beta(4 - s, 4 + s). Their means are s / 4 apart. At 0 importance is noise; below 0 it misleads. One draw \
    a note and level, the same for all fusions. Importance acts on turns and notes, not on sessions.";

pub(super) fn sections(priors: &[Prior]) -> Result<Vec<Section>, StudyError> {
    if priors.is_empty() {
        let note = "Not run: it takes a data set of turns with several histories (LoCoMo or BEAM).";
        return Ok(vec![Section::note("Importance", note)]);
    }
    let mut sections = vec![
        Section::table("Importance: MRR by how much it tells", NOTE, changes(priors)?),
        Section::table(
            "Importance: how far it reaches",
            "How many notes, at the mean, importance alone could put before the first one: those whose fused score is at \
             least 0.7 of the first one's (of importance 1 against importance 0). A score counts from the least of the \
             candidates where that is negative, as it is for z-scores.",
            reaches(priors),
        ),
    ];
    for prior in priors {
        sections.push(figure(prior)?);
    }
    Ok(sections)
}

fn changes(priors: &[Prior]) -> Result<Table, StudyError> {
    let mut table = Table::new(["measured on", "fusion", "all alike: MRR"]);
    table.head.extend(SHIFTS.map(|shift| format!("means {:+.2} apart", apart(shift))));
    for prior in priors {
        let shares = prior.informed.iter().map(|share| format!("{share:.2}"));
        let of_notes = format!("{} of {} notes are gold", prior.gold, prior.notes);
        let named = [prior.name.to_owned(), "gold above others, share of pairs".to_owned(), of_notes];
        table.push(named.into_iter().chain(shares));
        for (((name, _), fused), gains) in FUSIONS.iter().zip(&prior.fused).zip(prior.gains()?) {
            let even = fused.even.mean(Measure::Mrr).map(four).unwrap_or_default();
            let named = [prior.name.to_owned(), (*name).to_owned(), even];
            table.push(named.into_iter().chain(gains.iter().map(Gain::with_interval)));
        }
    }
    Ok(table)
}

fn reaches(priors: &[Prior]) -> Table {
    let mut table = Table::new(["measured on"]);
    table.head.extend(FUSIONS.map(|(name, _)| name.to_owned()));
    for prior in priors {
        let cells = prior.fused.iter().map(|fused| format!("{:.1}", fused.reach));
        table.push([prior.name.to_owned()].into_iter().chain(cells));
    }
    table
}

fn figure(prior: &Prior) -> Result<Section, StudyError> {
    let mut series = Vec::new();
    for ((name, _), gains) in FUSIONS.iter().zip(prior.gains()?) {
        let points = SHIFTS.iter().zip(gains).map(|(&shift, Gain { paired, .. })| Point {
            x: apart(shift),
            y: Estimate { value: 100.0 * paired.difference, interval: Some((100.0 * paired.low, 100.0 * paired.high)) },
        });
        series.push(LineSeries { name: (*name).to_owned(), points: points.collect() });
    }
    let figure = Lines {
        titles: Titles {
            chart: format!("Importance of notes: {}", prior.name),
            x: "mean importance of gold notes above that of others".to_owned(),
            y: "change of MRR, points".to_owned(),
        },
        series,
        references: vec![Reference { label: "no importance".to_owned(), value: 0.0 }],
        marks: Vec::new(),
        range: None,
    };
    let stem = format!("figure-importance-{}", prior.name.to_lowercase().replace(',', "").replace(' ', "-"));
    Ok(Section::figure(format!("Figure: importance, {}", prior.name), "", &stem, figure.draw()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concordance_by_hand() {
        // Pairs: 0.9 beats both; 0.5 beats 0.1 and ties 0.5.
        assert_eq!(concordance(vec![0.9, 0.5], vec![0.1, 0.5]), 3.5 / 4.0);
        assert_eq!(concordance(vec![0.2], vec![0.3]), 0.0);
    }

    #[test]
    fn reach_counts_from_the_least_score() {
        let mut run = Run::new("r").unwrap();
        // From -1 on: 5, 3.6, 3.4, 0; 0.7 of 5 is 3.5.
        run.rank("a", vec![("1", 4.0), ("2", 2.6), ("3", 2.4), ("4", -1.0)]).unwrap();
        // From 0 on: 1, 0.8, 0.7, 0.6.
        run.rank("b", vec![("1", 1.0), ("2", 0.8), ("3", 0.7), ("4", 0.6)]).unwrap();
        assert_eq!(reach(&run), 1.5);
    }
}
