//! One tree, grown leaf by leaf.

use aforesaid::pipeline::candidate::{Branch, Side};

use super::{bins::Binned, boosting::Boosting, lambdas::Gradient};

/// Sums over the rows of one bin.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    first: f64,
    second: f64,
    rows: u32,
}

/// The best way to split a leaf.
#[derive(Debug, Clone, Copy)]
struct Cut {
    gain: f64,
    feature: usize,
    bin: usize,
    missing: Side,
}

/// A leaf that may be split.
struct Leaf {
    rows: Vec<u32>,
    histograms: Vec<Vec<Sums>>,
    sums: Sums,
    cut: Option<Cut>,
}

/// What became of a leaf, by its number.
enum Grown {
    Leaf,
    Split { cut: Cut, children: [usize; 2] },
}

pub(super) struct Growth<'a> {
    pub(super) settings: &'a Boosting,
    pub(super) binned: &'a Binned,
    pub(super) gradients: &'a [Gradient],
    /// Features that the tree may ask for, ascending.
    pub(super) features: &'a [usize],
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.first += other.first;
        self.second += other.second;
        self.rows += other.rows;
    }

    fn less(&self, other: &Sums) -> Sums {
        Sums { first: self.first - other.first, second: self.second - other.second, rows: self.rows - other.rows }
    }
}

impl Growth<'_> {
    /// Grows a tree over some rows; `None` where no split helps.
    pub(super) fn tree(&self, rows: Vec<u32>) -> Option<Branch> {
        let histograms = self.histograms(&rows);
        let mut leaves = vec![self.leaf(rows, histograms)];
        let mut grown = vec![Grown::Leaf];
        for _ in 1..self.settings.leaves {
            let open = (0..leaves.len()).filter(|&at| matches!(grown[at], Grown::Leaf));
            let best = open.filter_map(|at| Some((at, leaves[at].cut?)));
            // Of equals the first, so that a seed gives the same tree everywhere.
            let Some((at, cut)) = best.reduce(|best, next| if next.1.gain > best.1.gain { next } else { best }) else {
                break;
            };
            let children = self.split(&mut leaves[at], cut);
            grown[at] = Grown::Split { cut, children: [leaves.len(), leaves.len() + 1] };
            leaves.extend(children);
            grown.extend([Grown::Leaf, Grown::Leaf]);
        }
        (leaves.len() > 1).then(|| self.branch(&leaves, &grown, 0))
    }

    fn leaf(&self, rows: Vec<u32>, histograms: Vec<Vec<Sums>>) -> Leaf {
        let mut sums = Sums::default();
        histograms.first().into_iter().flatten().for_each(|bin| sums.add(bin));
        let cut = self.best_cut(&histograms, sums);
        Leaf { rows, histograms, sums, cut }
    }

    fn histograms(&self, rows: &[u32]) -> Vec<Vec<Sums>> {
        let of_feature = |&feature: &usize| {
            let mut sums = vec![Sums::default(); self.binned.bins(feature)];
            let column = self.binned.column(feature);
            for &row in rows {
                let (of, gradient) = (&mut sums[usize::from(column[row as usize])], &self.gradients[row as usize]);
                of.first += gradient.first;
                of.second += gradient.second;
                of.rows += 1;
            }
            sums
        };
        self.features.iter().map(of_feature).collect()
    }

    /// Parts the rows of a leaf; of the smaller part sums are taken, and those of the other are what is left.
    fn split(&self, leaf: &mut Leaf, cut: Cut) -> [Leaf; 2] {
        let column = self.binned.column(cut.feature);
        let goes_left = |row: &u32| match usize::from(column[*row as usize]) {
            0 => cut.missing == Side::Left,
            bin => bin <= cut.bin,
        };
        let (left, right): (Vec<u32>, Vec<u32>) = std::mem::take(&mut leaf.rows).into_iter().partition(goes_left);
        let mut whole = std::mem::take(&mut leaf.histograms);
        let left_is_smaller = left.len() < right.len();
        let smaller = self.histograms(if left_is_smaller { &left } else { &right });
        for (whole, part) in whole.iter_mut().zip(&smaller) {
            whole.iter_mut().zip(part).for_each(|(whole, part)| *whole = whole.less(part));
        }
        let [of_left, of_right] = if left_is_smaller { [smaller, whole] } else { [whole, smaller] };
        [self.leaf(left, of_left), self.leaf(right, of_right)]
    }

    fn best_cut(&self, histograms: &[Vec<Sums>], all: Sums) -> Option<Cut> {
        let mut best: Option<Cut> = None;
        if (all.rows as usize) < 2 * self.settings.min_rows {
            return None;
        }
        for (&feature, bins) in self.features.iter().zip(histograms) {
            let missing = bins[0];
            let mut below = Sums::default();
            for (bin, sums) in bins.iter().enumerate().take(bins.len() - 1).skip(1) {
                below.add(sums);
                let with_missing = {
                    let mut left = below;
                    left.add(&missing);
                    left
                };
                // Without a row that misses the value, both ways are one.
                let sides = [(with_missing, Side::Left), (below, Side::Right)];
                for (left, missing) in sides.into_iter().take(if missing.rows > 0 { 2 } else { 1 }) {
                    let gain = self.gain(left, all);
                    if gain > best.map_or(0.0, |cut| cut.gain) {
                        best = Some(Cut { gain, feature, bin, missing });
                    }
                }
            }
        }
        best
    }

    fn gain(&self, left: Sums, all: Sums) -> f64 {
        let right = all.less(&left);
        let least = self.settings.min_rows as u32;
        let curve = self.settings.min_curvature;
        if left.rows < least || right.rows < least || left.second < curve || right.second < curve {
            return 0.0;
        }
        let of = |sums: Sums| sums.first * sums.first / (sums.second + self.settings.l2);
        of(left) + of(right) - of(all)
    }

    fn branch(&self, leaves: &[Leaf], grown: &[Grown], at: usize) -> Branch {
        self.valued(leaves, grown, at).0
    }

    /// A branch with its value, and its rows.
    fn valued(&self, leaves: &[Leaf], grown: &[Grown], at: usize) -> (Branch, f64, f64) {
        let sums = leaves[at].sums;
        let rows = f64::from(sums.rows);
        match &grown[at] {
            Grown::Leaf => {
                let value = -sums.first / (sums.second + self.settings.l2) * self.settings.rate;
                (Branch::Leaf { value: value as f32 }, value, rows)
            }
            Grown::Split { cut, children: [left, right] } => {
                let (left, left_value, left_rows) = self.valued(leaves, grown, *left);
                let (right, right_value, right_rows) = self.valued(leaves, grown, *right);
                let value = (left_value * left_rows + right_value * right_rows) / (left_rows + right_rows);
                let branch = Branch::Split {
                    feature: cut.feature as u16,
                    threshold: self.binned.threshold(cut.feature, cut.bin),
                    missing: cut.missing,
                    value: value as f32,
                    children: Box::new([left, right]),
                };
                (branch, value, rows)
            }
        }
    }
}
