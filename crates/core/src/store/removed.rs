//! Which rows went: numbers, and nothing of what they held.

use super::segment::BLOCK;

/// How many spans a store remembers of a namespace; an index that is older than those is made anew.
pub const REMEMBERED_SPANS: usize = 16_384;

/// Whole numbers in order, kept as runs without a gap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdRanges(Vec<(u64, u64)>);

impl IdRanges {
    /// Runs of numbers that come in any order.
    pub fn of(numbers: impl IntoIterator<Item = u64>) -> Self {
        Self::of_runs(numbers.into_iter().map(|number| (number, number)))
    }

    /// Runs, each by its first and last number, that come in any order.
    pub fn of_runs(runs: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut runs: Vec<(u64, u64)> = runs.into_iter().filter(|(first, last)| first <= last).collect();
        runs.sort_unstable();
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for (first, last) in runs {
            match spans.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => spans.push((first, last)),
            }
        }
        Self(spans)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The runs, each by its first and last number, in order.
    pub fn runs(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// The blocks that some of them lie in, in order.
    pub fn blocks(&self) -> Vec<u64> {
        let mut blocks: Vec<u64> = self.0.iter().flat_map(|(first, last)| first / BLOCK..=last / BLOCK).collect();
        blocks.dedup();
        blocks
    }

    /// Whether `number` is among them.
    pub fn contains(&self, number: u64) -> bool {
        let at = self.0.partition_point(|(first, _)| *first <= number);
        at > 0 && number <= self.0[at - 1].1
    }
}

/// Rows that an index may hold and the store does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// Memories by place; their cues went with them.
    pub memories: IdRanges,
    /// Cues whose memories may have stayed, by id.
    pub cues: IdRanges,
}

impl Removed {
    /// Whether nothing went.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.cues.is_empty()
    }

    /// IdRanges that a store has to remember.
    pub fn spans(&self) -> usize {
        self.memories.runs().len() + self.cues.runs().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_together_in_runs() {
        let spans = IdRanges::of([7, 3, 4, 4, 9, 8, 1]);
        assert_eq!(spans.runs(), [(1, 1), (3, 4), (7, 9)]);
        let found: Vec<u64> = (0..12).filter(|number| spans.contains(*number)).collect();
        assert_eq!(found, [1, 3, 4, 7, 8, 9]);
        assert_eq!(IdRanges::of_runs([(5, 9), (1, 6), (3, 2)]).runs(), [(1, 9)]);
        assert_eq!(IdRanges::of_runs([(1, 2), (4, BLOCK), (3 * BLOCK, 3 * BLOCK)]).blocks(), [0, 1, 3]);
    }
}
