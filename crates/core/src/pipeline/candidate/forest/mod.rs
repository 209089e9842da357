//! Boosted trees: a score for each row of features.

use serde::{Deserialize, Serialize};

mod quick_scorer;

pub(super) use quick_scorer::QuickScorer;

/// In the place of a feature: the node is a leaf.
const LEAF: u16 = u16::MAX;
/// Nodes of a tree at most.
const MOST_NODES: usize = 1 << 12;

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    feature: u16,
    /// Where a row goes that has no value of the feature.
    missing_left: bool,
    /// The other child stands right after the left one.
    left: u16,
    /// Rows with at most this go left.
    threshold: f32,
    /// What the tree gives a row that ends here, or the mean of those that pass.
    value: f32,
}

/// A regression tree; its first node is the root, and children stand after their parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Columns", into = "Columns")]
pub struct Tree(Vec<Node>);

/// A part of a tree on its way into one.
#[derive(Debug, Clone, PartialEq)]
pub enum Branch {
    /// An end.
    Leaf {
        /// What a row gets that ends here.
        value: f32,
    },
    /// A question about one feature.
    Split {
        /// Which, by its place among the ranker's features.
        feature: u16,
        /// Rows with at most this go left.
        threshold: f32,
        /// Where rows without a value go.
        missing: Side,
        /// The mean of the rows that pass.
        value: f32,
        /// Left and right.
        children: Box<[Branch; 2]>,
    },
}

/// One of two children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

impl Tree {
    /// Lays a tree out.
    pub fn new(root: &Branch) -> Self {
        let mut nodes = vec![Node::leaf(0.0)];
        let mut open = vec![(0usize, root)];
        while let Some((at, branch)) = open.pop() {
            match branch {
                Branch::Leaf { value } => nodes[at] = Node::leaf(*value),
                Branch::Split { feature, threshold, missing, value, children } => {
                    let left = nodes.len();
                    nodes.extend([Node::leaf(0.0); 2]);
                    nodes[at] = Node {
                        feature: *feature,
                        missing_left: *missing == Side::Left,
                        left: left as u16,
                        threshold: *threshold,
                        value: *value,
                    };
                    let [first, second] = &**children;
                    open.extend([(left + 1, second), (left, first)]);
                }
            }
        }
        Self(nodes)
    }

    /// Its leaves and questions.
    pub fn nodes(&self) -> usize {
        self.0.len()
    }

    /// The largest place of a feature that it asks for, if it asks at all.
    pub(super) fn last_feature(&self) -> Option<u16> {
        self.features().max()
    }

    /// The features that it asks for, with repeats.
    pub(super) fn features(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().map(|node| node.feature).filter(|feature| *feature != LEAF)
    }

    /// Gives the features that it asks for other places.
    pub(super) fn rename(&mut self, place: impl Fn(u16) -> u16) {
        self.0.iter_mut().filter(|node| node.feature != LEAF).for_each(|node| node.feature = place(node.feature));
    }

    /// What it gives a row.
    pub fn score(&self, row: &[f32]) -> f32 {
        let mut node = &self.0[0];
        while node.feature != LEAF {
            node = &self.0[node.next(row)];
        }
        node.value
    }

    /// Adds to each feature what it changes on a row's way from the root to its leaf; returns the root's value.
    pub(super) fn contribute(&self, row: &[f32], to: &mut [f64]) -> f64 {
        let mut node = &self.0[0];
        let start = f64::from(node.value);
        while node.feature != LEAF {
            let next = &self.0[node.next(row)];
            to[usize::from(node.feature)] += f64::from(next.value) - f64::from(node.value);
            node = next;
        }
        start
    }
}

impl Node {
    fn leaf(value: f32) -> Self {
        Self { feature: LEAF, missing_left: true, left: 0, threshold: 0.0, value }
    }

    fn next(&self, row: &[f32]) -> usize {
        let value = row[usize::from(self.feature)];
        let right = if value.is_nan() { !self.missing_left } else { value > self.threshold };
        usize::from(self.left) + usize::from(right)
    }
}

/// A tree as it is written: a column a part of its nodes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    /// Place of the feature, -1 for a leaf.
    feature: Vec<i32>,
    /// 1 where rows without a value go left.
    missing: Vec<u8>,
    /// Place of the left child; the right one follows.
    left: Vec<u16>,
    threshold: Vec<f32>,
    value: Vec<f32>,
}

impl From<Tree> for Columns {
    fn from(tree: Tree) -> Self {
        let nodes = &tree.0;
        Self {
            feature: nodes.iter().map(|node| if node.feature == LEAF { -1 } else { i32::from(node.feature) }).collect(),
            missing: nodes.iter().map(|node| u8::from(node.missing_left)).collect(),
            left: nodes.iter().map(|node| node.left).collect(),
            threshold: nodes.iter().map(|node| node.threshold).collect(),
            value: nodes.iter().map(|node| node.value).collect(),
        }
    }
}

impl TryFrom<Columns> for Tree {
    type Error = String;

    fn try_from(columns: Columns) -> Result<Self, String> {
        let Columns { feature, missing, left, threshold, value } = columns;
        let count = feature.len();
        if count == 0 || count > MOST_NODES || [missing.len(), left.len(), threshold.len(), value.len()] != [count; 4] {
            return Err(format!("a tree of {count} nodes whose columns are not of one length from 1 to {MOST_NODES}"));
        }
        let (mut nodes, mut has_parent) = (Vec::with_capacity(count), vec![false; count]);
        for at in 0..count {
            let feature = match feature[at] {
                -1 => LEAF,
                place => u16::try_from(place).ok().filter(|place| *place != LEAF).ok_or("a feature out of range")?,
            };
            // Children stand after their parent, so that every way ends.
            let inside = usize::from(left[at]) > at && usize::from(left[at]) + 1 < count;
            if feature != LEAF && !inside {
                return Err(format!("node {at} of a tree has its children at {}, expected after it", left[at]));
            }
            let children = if feature == LEAF { 0..0 } else { usize::from(left[at])..usize::from(left[at]) + 2 };
            for child in children {
                if std::mem::replace(&mut has_parent[child], true) {
                    return Err(format!("node {child} of a tree is the child of two nodes"));
                }
            }
            if !threshold[at].is_finite() || !value[at].is_finite() {
                return Err(format!("node {at} of a tree holds a number that is not finite"));
            }
            let (missing_left, left) = (missing[at] != 0, left[at]);
            nodes.push(Node { feature, missing_left, left, threshold: threshold[at], value: value[at] });
        }
        Ok(Self(nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(value: f32) -> Branch {
        Branch::Leaf { value }
    }

    fn split(feature: u16, threshold: f32, missing: Side, value: f32, children: [Branch; 2]) -> Branch {
        Branch::Split { feature, threshold, missing, value, children: Box::new(children) }
    }

    fn tree() -> Tree {
        let right = split(1, 5.0, Side::Right, 2.0, [leaf(1.0), leaf(4.0)]);
        Tree::new(&split(0, 0.5, Side::Left, 0.5, [leaf(-1.0), right]))
    }

    #[test]
    fn a_row_goes_left_up_to_the_threshold_and_where_it_is_told_to_without_a_value() {
        let scores = |rows: &[[f32; 2]]| rows.iter().map(|row| tree().score(row)).collect::<Vec<f32>>();
        let found = scores(&[[0.5, 9.0], [0.6, 5.0], [0.6, 5.1], [f32::NAN, 9.0], [1.0, f32::NAN]]);
        assert_eq!(found, [-1.0, 1.0, 4.0, -1.0, 4.0]);
    }

    #[test]
    fn contributions_and_the_root_are_the_score() {
        for row in [[0.5, 9.0], [0.6, 5.0], [0.6, 5.1]] {
            let mut parts = [0.0; 2];
            let start = tree().contribute(&row, &mut parts);
            assert_eq!(start + parts.iter().sum::<f64>(), f64::from(tree().score(&row)));
        }
        let mut parts = [0.0; 2];
        tree().contribute(&[0.6, 5.1], &mut parts);
        assert_eq!(parts, [1.5, 2.0]);
    }

    #[test]
    fn a_tree_reads_back_and_one_that_never_ends_is_refused() {
        let written = serde_json::to_string(&tree()).unwrap();
        assert_eq!(serde_json::from_str::<Tree>(&written).unwrap(), tree());
        let endless = written.replace("\"left\":[1,", "\"left\":[0,");
        assert!(serde_json::from_str::<Tree>(&endless).unwrap_err().to_string().contains("children at 0"));
        assert!(serde_json::from_str::<Tree>(&written.replace("\"left\":[1,", "\"left\":[4,")).is_err());
        let shared = written.replace("\"left\":[1,", "\"left\":[3,");
        assert!(serde_json::from_str::<Tree>(&shared).unwrap_err().to_string().contains("child of two nodes"));
        assert!(serde_json::from_str::<Tree>(&written.replace("\"missing\":[1,", "\"missing\":[")).is_err());
    }
}
