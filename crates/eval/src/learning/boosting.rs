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
    /// Trees at most.
    pub trees: usize,
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

/// Grows trees on examples, the same from the same seed; `grown` is shown each with its number from 1.
///
/// Fewer trees than asked for where nothing is left to learn.
pub fn train(settings: &Boosting, examples: &[&Example], mut grown: impl FnMut(usize, &Tree)) -> Vec<Tree> {
    let examples: Vec<&Example> = examples.iter().copied().filter(|example| example.teaches()).collect();
    let binned = Binned::of(&examples);
    let mut scores: Vec<Vec<f64>> =
        examples.iter().map(|example| example.base.iter().map(|base| settings.base_weight * base).collect()).collect();
    let rows: usize = scores.iter().map(Vec::len).sum();
    let mut gradients = vec![Gradient::default(); rows];
    let (mut draws, mut trees) = (Draws::new(settings.seed), Vec::new());
    for number in 1..=settings.trees {
        let mut chosen = Vec::with_capacity(rows);
        let mut start = 0;
        for (example, scores) in examples.iter().zip(&scores) {
            let end = start + scores.len();
            if draws.uniform() < settings.questions {
                lambdas(example, scores, settings.cut, &mut gradients[start..end]);
                chosen.extend(start as u32..end as u32);
            }
            start = end;
        }
        let features = some_features(settings.features, &mut draws);
        let growth = Growth { settings, binned: &binned, gradients: &gradients, features: &features };
        // Another draw of questions and features may have something left.
        let Some(root) = growth.tree(chosen) else { continue };
        let tree = Tree::new(&root);
        for (example, scores) in examples.iter().zip(&mut scores) {
            scores.iter_mut().zip(example.rows()).for_each(|(score, row)| *score += f64::from(tree.score(row)));
        }
        grown(number, &tree);
        trees.push(tree);
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
    fn nothing_is_learned_where_nothing_can_be_told_apart() {
        let mut all = examples(4);
        all.iter_mut().for_each(|example| example.gold.fill(false));
        assert!(train(&settings(), &all.iter().collect::<Vec<_>>(), |_, _| {}).is_empty());
        assert!(train(&settings(), &[], |_, _| {}).is_empty());
    }
}
