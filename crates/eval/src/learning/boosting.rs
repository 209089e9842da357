//! One tree after another, each by what the ones before leave to do.

use aforesaid::pipeline::candidate::{FEATURE_COUNT, Tree};

use super::{
    bins::Binned,
    examples::Example,
    growth::Growth,
    lambdas::{Gradient, lambdas},
};
use crate::statistics::Draws;

/// How trees are grown.
#[derive(Debug, Clone, PartialEq)]
pub struct Boosting {
    /// Trees of a forest at most.
    pub trees: usize,
    /// Forests that are grown apart, from other draws, and averaged: a single one follows its draws.
    pub forests: usize,
    /// What each tree counts.
    pub rate: f64,
    /// Leaves of a tree at most.
    pub leaves: usize,
    /// Rows that a leaf has at least.
    pub min_rows: usize,
    /// Sum of second derivatives that a leaf has at least.
    pub min_curvature: f64,
    /// What is added to that sum where it divides.
    pub l2: f64,
    /// Share of the features that a tree may ask for.
    pub features: f64,
    /// Share of the questions that a tree is grown on.
    pub questions: f64,
    /// The place up to which nDCG is measured.
    pub cut: usize,
    /// What the first stage's score counts, in its standard deviations: trees only correct it.
    pub base_weight: f64,
    /// The seed of what is drawn.
    pub seed: u64,
}

impl Default for Boosting {
    fn default() -> Self {
        Self {
            trees: 200,
            forests: 1,
            rate: 0.05,
            leaves: 15,
            min_rows: 60,
            min_curvature: 0.01,
            l2: 5.0,
            features: 0.5,
            questions: 0.8,
            cut: 20,
            base_weight: 1.0,
            seed: 7,
        }
    }
}

/// What one forest is grown from: the scores of all examples under its trees, and its draws.
struct Forest {
    scores: Vec<Vec<f64>>,
    draws: Draws,
}

/// Grows trees on examples, the same from the same seed, one of each forest in turn; `grown` is shown each with its number
/// from 1. The forests are averaged: a tree's values are their part of that.
///
/// Fewer trees than asked for where nothing is left to learn.
pub fn train(settings: &Boosting, examples: &[&Example], mut grown: impl FnMut(usize, &Tree)) -> Vec<Tree> {
    let examples: Vec<&Example> = examples.iter().copied().filter(|example| example.teaches()).collect();
    let binned = Binned::of(&examples);
    let base = |example: &&Example| example.base.iter().map(|base| settings.base_weight * base).collect();
    let begin: Vec<Vec<f64>> = examples.iter().map(base).collect();
    let rows: usize = begin.iter().map(Vec::len).sum();
    let count = settings.forests.max(1);
    let part = Boosting { rate: settings.rate / count as f64, ..settings.clone() };
    let forest = |number: u64| Forest { scores: begin.clone(), draws: Draws::new(settings.seed.wrapping_add(number)) };
    let mut forests: Vec<Forest> = (0..count as u64).map(forest).collect();
    let (mut gradients, mut trees) = (vec![Gradient::default(); rows], Vec::new());
    for _ in 0..settings.trees {
        for Forest { scores, draws } in &mut forests {
            let mut chosen = Vec::with_capacity(rows);
            let mut start = 0;
            for (example, scores) in examples.iter().zip(&*scores) {
                let end = start + scores.len();
                if draws.uniform() < settings.questions {
                    lambdas(example, scores, settings.cut, &mut gradients[start..end]);
                    chosen.extend(start as u32..end as u32);
                }
                start = end;
            }
            let features = some_features(settings.features, draws);
            let growth = Growth { settings: &part, binned: &binned, gradients: &gradients, features: &features };
            // Another draw of questions and features may have something left.
            let Some(root) = growth.tree(chosen) else { continue };
            let tree = Tree::new(&root);
            for (example, scores) in examples.iter().zip(scores) {
                let whole = |row| count as f64 * f64::from(tree.score(row));
                scores.iter_mut().zip(example.rows()).for_each(|(score, row)| *score += whole(row));
            }
            grown(trees.len() + 1, &tree);
            trees.push(tree);
        }
    }
    trees
}

/// A share of all features, ascending.
fn some_features(share: f64, draws: &mut Draws) -> Vec<usize> {
    let mut all: Vec<usize> = (0..FEATURE_COUNT).collect();
    let count = ((share * FEATURE_COUNT as f64).round() as usize).clamp(1, FEATURE_COUNT);
    for place in 0..count {
        let other = place + draws.below(FEATURE_COUNT - place);
        all.swap(place, other);
    }
    all.truncate(count);
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gold candidate is the one whose feature 5 lies between 0.4 and 0.6 and whose feature 9 is missing.
    fn examples(count: usize) -> Vec<Example> {
        let mut draws = Draws::new(3);
        let mut one = |group: usize| {
            let mut example = Example { group, golds: 1, base: Vec::new(), values: Vec::new(), gold: Vec::new() };
            for place in 0..12 {
                let mut row: Vec<f32> = (0..FEATURE_COUNT).map(|_| draws.uniform() as f32).collect();
                let gold = place == 7;
                if gold {
                    row[5] = 0.4 + 0.2 * row[5];
                } else if row[5] > 0.4 && row[5] < 0.6 {
                    row[5] += 0.3;
                }
                row[9] = if gold || place < 3 { f32::NAN } else { row[9] };
                example.base.push(1.0 - f64::from(place) * 0.1);
                example.values.extend(row);
                example.gold.push(gold);
            }
            example
        };
        (0..count).map(&mut one).collect()
    }

    fn settings() -> Boosting {
        Boosting { trees: 60, min_rows: 10, ..Boosting::default() }
    }

    fn mrr(trees: &[Tree], examples: &[Example]) -> f64 {
        let of = |example: &Example| {
            let score =
                |(row, base): (&[f32], &f64)| base + trees.iter().map(|tree| f64::from(tree.score(row))).sum::<f64>();
            let scores: Vec<f64> = example.rows().zip(&example.base).map(score).collect();
            example.measures(&scores)[1]
        };
        examples.iter().map(of).sum::<f64>() / examples.len() as f64
    }

    #[test]
    fn a_rule_of_two_features_is_learned_and_holds_for_others() {
        let all = examples(300);
        let (seen, unseen) = all.split_at(200);
        let trees = train(&settings(), &seen.iter().collect::<Vec<_>>(), |_, _| {});
        assert!(mrr(&[], unseen) < 0.2, "{}", mrr(&[], unseen));
        assert!(mrr(&trees, unseen) > 0.95, "{}", mrr(&trees, unseen));
    }

    #[test]
    fn a_seed_gives_the_same_trees() {
        let all = examples(40);
        let all: Vec<&Example> = all.iter().collect();
        let short = Boosting { trees: 5, ..settings() };
        let trees = |seed: u64| train(&Boosting { seed, ..short.clone() }, &all, |_, _| {});
        assert_eq!(trees(7), trees(7));
        assert_ne!(trees(7), trees(8));
    }

    #[test]
    fn forests_are_those_of_their_seeds_averaged() {
        let all = examples(120);
        let (seen, unseen) = all.split_at(100);
        let seen: Vec<&Example> = seen.iter().collect();
        let scores = |seed: u64, forests: usize| -> Vec<f64> {
            let mut numbers = Vec::new();
            let settings = Boosting { seed, forests, trees: 5, ..settings() };
            let trees = train(&settings, &seen, |number, _| numbers.push(number));
            assert_eq!((trees.len(), numbers), (5 * forests, (1..=5 * forests).collect()));
            let score = |row: &[f32]| trees.iter().map(|tree| f64::from(tree.score(row))).sum::<f64>();
            unseen.iter().flat_map(|example| example.rows().map(score)).collect()
        };
        let apart: Vec<Vec<f64>> = (1..=3).map(|seed| scores(seed, 1)).collect();
        for (place, together) in scores(1, 3).into_iter().enumerate() {
            let mean = apart.iter().map(|scores| scores[place]).sum::<f64>() / 3.0;
            assert!((together - mean).abs() < 1e-5, "{place}: {together}, {mean}");
        }
        assert_ne!(apart[0], apart[1]);
    }

    #[test]
    fn nothing_is_learned_where_nothing_can_be_told_apart() {
        let mut all = examples(4);
        all.iter_mut().for_each(|example| example.gold.fill(false));
        assert!(train(&settings(), &all.iter().collect::<Vec<_>>(), |_, _| {}).is_empty());
        assert!(train(&settings(), &[], |_, _| {}).is_empty());
    }
}
