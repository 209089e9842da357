//! Trees asked of many rows at once.
//!
//! A row that walks down a tree waits for each answer before the next question. Here every question of a tree is asked of
//! every row, and an answer "right" strikes the leaves on the left off a row's list; the first leaf that is left is the one
//! the walk ends at (QuickScorer: Lucchese et al., SIGIR 2015, section 3). Rows stand side by side, so that the processor
//! compares several at once.

use super::{LEAF, Tree};
use crate::pipeline::candidate::catalogue::FEATURE_COUNT;

/// Rows that are asked together.
const BLOCK: usize = 64;

/// Trees as lists of questions.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::pipeline::candidate) struct QuickScorer {
    trees: Vec<Listed>,
    /// Features that are asked for, ascending: a column of a block each.
    features: Vec<u16>,
}

/// One tree of a scorer.
#[derive(Debug, Clone, PartialEq)]
enum Listed {
    /// Of as many leaves as a mask has bits, at most.
    Questions {
        questions: Vec<Question>,
        /// What each leaf gives, from left to right.
        leaves: Vec<f32>,
    },
    /// A larger one, which rows walk down.
    Walked(Tree),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Question {
    /// Place of the feature among the scorer's.
    column: u16,
    missing_left: bool,
    /// Rows with at most this go left.
    threshold: f32,
    /// A bit for each leaf that a row which goes right may still end at.
    right: u32,
}

impl QuickScorer {
    pub(in crate::pipeline::candidate) fn of(trees: &[Tree]) -> Self {
        let mut features: Vec<u16> = trees.iter().flat_map(Tree::features).collect();
        features.sort_unstable();
        features.dedup();
        let listed = |tree: &Tree| Listed::of(tree, &features);
        Self { trees: trees.iter().map(listed).collect(), features }
    }

    /// Adds to each score what the trees give its row, a tree after the other.
    ///
    /// `values` holds a row of [`FEATURE_COUNT`] numbers for each score.
    pub(in crate::pipeline::candidate) fn add(&self, values: &[f32], scores: &mut [f64]) {
        let mut columns = vec![[0.0; BLOCK]; self.features.len()];
        for (rows, scores) in values.chunks(BLOCK * FEATURE_COUNT).zip(scores.chunks_mut(BLOCK)) {
            for (column, &feature) in columns.iter_mut().zip(&self.features) {
                let of_rows = rows.iter().skip(usize::from(feature)).step_by(FEATURE_COUNT);
                column.iter_mut().zip(of_rows).for_each(|(slot, value)| *slot = *value);
            }
            self.trees.iter().for_each(|tree| tree.add(&columns, rows, scores));
        }
    }
}

impl Listed {
    fn of(tree: &Tree, features: &[u16]) -> Self {
        let count = tree.0.iter().filter(|node| node.feature == LEAF).count();
        if count > u32::BITS as usize {
            return Self::Walked(tree.clone());
        }
        let (mut questions, mut leaves) = (Vec::new(), Vec::new());
        list(tree, 0, features, &mut questions, &mut leaves);
        Self::Questions { questions, leaves }
    }

    /// `scores` are of the rows of one block, whose features are in `columns`.
    fn add(&self, columns: &[[f32; BLOCK]], rows: &[f32], scores: &mut [f64]) {
        match self {
            Self::Walked(tree) => {
                let rows = rows.chunks_exact(FEATURE_COUNT);
                scores.iter_mut().zip(rows).for_each(|(score, row)| *score += f64::from(tree.score(row)));
            }
            Self::Questions { questions, leaves } => {
                let mut open = [u32::MAX; BLOCK];
                questions
                    .iter()
                    .for_each(|question| question.strike(&columns[usize::from(question.column)], &mut open));
                for (score, open) in scores.iter_mut().zip(open) {
                    // The last leaf is on the right of every question, so that one is always left.
                    *score += f64::from(leaves[open.trailing_zeros() as usize]);
                }
            }
        }
    }
}

impl Question {
    /// Strikes the leaves off that rows cannot end at by this question.
    fn strike(&self, column: &[f32; BLOCK], open: &mut [u32; BLOCK]) {
        let Self { missing_left, threshold, right, .. } = *self;
        let rows = open.iter_mut().zip(column);
        // A number that is missing is neither above nor at most the threshold.
        match missing_left {
            true => rows.for_each(|(open, value)| *open &= if *value > threshold { right } else { u32::MAX }),
            false => rows.for_each(|(open, value)| *open &= if *value <= threshold { u32::MAX } else { right }),
        }
    }
}

/// Lists the questions and leaves below a node, from left to right.
fn list(tree: &Tree, at: usize, features: &[u16], questions: &mut Vec<Question>, leaves: &mut Vec<f32>) {
    let node = tree.0[at];
    if node.feature == LEAF {
        return leaves.push(node.value);
    }
    let first = leaves.len();
    list(tree, usize::from(node.left), features, questions, leaves);
    let of_left = leaves.len() - first;
    let column = features.binary_search(&node.feature).unwrap_or_default() as u16;
    // Fewer than all bits: the right side has a leaf too.
    let right = !(((1u32 << of_left) - 1) << first);
    questions.push(Question { column, missing_left: node.missing_left, threshold: node.threshold, right });
    list(tree, usize::from(node.left) + 1, features, questions, leaves);
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Branch, Side},
        *,
    };

    /// Numbers that look random, from 0 to 1.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1 << 24) as f32
        }

        fn below(&mut self, end: usize) -> usize {
            (self.next() * end as f32) as usize
        }

        fn tree(&mut self, leaves: usize) -> Branch {
            if leaves == 1 {
                return Branch::Leaf { value: self.next() - 0.5 };
            }
            let left = 1 + self.below(leaves - 1);
            let missing = if self.next() < 0.5 { Side::Left } else { Side::Right };
            let children = Box::new([self.tree(left), self.tree(leaves - left)]);
            // Few thresholds, so that rows hold some of them exactly.
            let (feature, threshold) = (self.below(FEATURE_COUNT) as u16, self.below(8) as f32 / 8.0);
            Branch::Split { feature, threshold, missing, value: 0.0, children }
        }

        fn value(&mut self) -> f32 {
            match self.below(5) {
                0 => f32::NAN,
                1 => self.below(8) as f32 / 8.0,
                _ => self.next(),
            }
        }
    }

    #[test]
    fn a_scorer_gives_each_row_what_walking_its_trees_gives_to_the_last_bit() {
        let mut numbers = Numbers(7);
        let sizes = [1, 2, 3, 15, 31, 32, 33, 200];
        let trees: Vec<Tree> =
            sizes.iter().flat_map(|&leaves| [leaves; 6]).map(|n| Tree::new(&numbers.tree(n))).collect();
        for rows in [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 5] {
            let values: Vec<f32> = (0..rows * FEATURE_COUNT).map(|_| numbers.value()).collect();
            let start: Vec<f64> = (0..rows).map(|row| row as f64 / 7.0).collect();
            let mut walked = start.clone();
            for tree in &trees {
                let rows = values.chunks_exact(FEATURE_COUNT);
                walked.iter_mut().zip(rows).for_each(|(score, row)| *score += f64::from(tree.score(row)));
            }
            let mut found = start;
            QuickScorer::of(&trees).add(&values, &mut found);
            assert!(found.iter().zip(&walked).all(|(a, b)| a.to_bits() == b.to_bits()), "{rows} rows");
        }
    }
}
