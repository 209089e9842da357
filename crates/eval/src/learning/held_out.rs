//! Trains without a part of the groups, and measures there.

use std::{collections::BTreeMap, panic::resume_unwind, thread};

use aforesaid::pipeline::candidate::Tree;

use super::{
    boosting::{Boosting, train},
    examples::Example,
};

/// A measure is taken after so many trees of each forest each time.
const STEP: usize = 10;

/// What came of training without each part.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// How many trees of a forest are best over all parts, for a training on all.
    pub trees: usize,
    /// Recall in the first ten and reciprocal rank of each example: before, and with a ranker that was trained without its
    /// part, of as many trees as are best on the other parts.
    pub before: Vec<[f64; 2]>,
    /// The same after.
    pub after: Vec<[f64; 2]>,
    /// The trees that were grown without each part, as many as are best over all.
    pub without: Vec<Vec<Tree>>,
    /// The part of each group.
    pub parts: BTreeMap<usize, usize>,
}

/// Measures of the examples of one part after every [`STEP`] trees, the first without any.
struct Curve {
    places: Vec<usize>,
    /// By step, by place.
    steps: Vec<Vec<[f64; 2]>>,
    trees: Vec<Tree>,
}

impl Curve {
    /// The sum of what is wanted after some trees: both measures count alike.
    fn sum(&self, step: usize) -> f64 {
        let step = step.min(self.steps.len() - 1);
        self.steps[step].iter().map(|[recall, rank]| recall + rank).sum()
    }
}

/// Trains once for each of `parts` parts of the groups, on all other groups, side by side on some threads.
///
/// Groups are dealt to the parts in turn, in the order they first appear.
pub fn held_out(settings: &Boosting, examples: &[Example], parts: usize, threads: usize) -> HeldOut {
    let mut groups: Vec<usize> = Vec::new();
    for example in examples {
        if !groups.contains(&example.group) {
            groups.push(example.group);
        }
    }
    let parts = parts.clamp(2, groups.len().max(2));
    let part_of = |example: &Example| groups.iter().position(|group| *group == example.group).unwrap_or(0) % parts;
    let curve = |part: usize| {
        let (held, seen): (Vec<usize>, Vec<usize>) =
            (0..examples.len()).partition(|&at| part_of(&examples[at]) == part);
        let seen: Vec<&Example> = seen.into_iter().map(|at| &examples[at]).collect();
        curve_of(settings, &seen, held, examples)
    };
    let mut curves: Vec<Curve> = Vec::with_capacity(parts);
    for some in (0..parts).collect::<Vec<_>>().chunks(threads.max(1)) {
        let made: Vec<Curve> = thread::scope(|scope| {
            let running: Vec<_> = some.iter().map(|&part| scope.spawn(move || curve(part))).collect();
            let finished = running.into_iter().map(|running| running.join());
            finished.map(|made| made.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        curves.extend(made);
    }
    let steps = curves.iter().map(|curve| curve.steps.len()).max().unwrap_or(1);
    // The first of the best: fewer trees where more are no better.
    let best = |without: Option<usize>| {
        let sum = |step: usize| -> f64 {
            let others = curves.iter().enumerate().filter(|(part, _)| Some(*part) != without);
            others.map(|(_, curve)| curve.sum(step)).sum()
        };
        (0..steps)
            .map(|step| (step, sum(step)))
            .fold((0, f64::MIN), |best, next| if next.1 > best.1 { next } else { best })
            .0
    };
    let (trees, forests) = (best(None) * STEP, settings.forests.max(1));
    let mut found = HeldOut {
        trees,
        before: vec![[0.0; 2]; examples.len()],
        after: vec![[0.0; 2]; examples.len()],
        without: curves.iter().map(|curve| curve.trees[..(trees * forests).min(curve.trees.len())].to_vec()).collect(),
        parts: groups.iter().enumerate().map(|(place, group)| (*group, place % parts)).collect(),
    };
    for (part, curve) in curves.iter().enumerate() {
        let step = best(Some(part)).min(curve.steps.len() - 1);
        for (i, &at) in curve.places.iter().enumerate() {
            found.before[at] = curve.steps[0][i];
            found.after[at] = curve.steps[step][i];
        }
    }
    found
}

fn curve_of(settings: &Boosting, seen: &[&Example], places: Vec<usize>, examples: &[Example]) -> Curve {
    let base = |&at: &usize| -> Vec<f64> { examples[at].base.iter().map(|base| settings.base_weight * base).collect() };
    let mut scores: Vec<Vec<f64>> = places.iter().map(base).collect();
    let measured = |scores: &[Vec<f64>]| -> Vec<[f64; 2]> {
        places.iter().zip(scores).map(|(&at, scores)| examples[at].measures(scores)).collect()
    };
    let mut steps = vec![measured(&scores)];
    let trees = train(settings, seen, |number, tree: &Tree| {
        for (scores, &at) in scores.iter_mut().zip(&places) {
            scores.iter_mut().zip(examples[at].rows()).for_each(|(score, row)| *score += f64::from(tree.score(row)));
        }
        if number % (STEP * settings.forests.max(1)) == 0 {
            steps.push(measured(&scores));
        }
    });
    Curve { places, steps, trees }
}
