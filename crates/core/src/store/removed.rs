//! Which rows went: numbers, and nothing of what they held.

use std::collections::VecDeque;

use super::segment::BLOCK;

/// How many spans a store remembers of a namespace; an index that is older than those is made anew.
pub const REMEMBERED_SPANS: usize = 16_384;

/// Whole numbers in order, kept as runs without a gap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spans(Vec<(u64, u64)>);

impl Spans {
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
    pub memories: Spans,
    /// Cues whose memories may have stayed, by id.
    pub cues: Spans,
}

impl Removed {
    /// Whether nothing went.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.cues.is_empty()
    }

    /// Spans that a store has to remember.
    pub fn spans(&self) -> usize {
        self.memories.runs().len() + self.cues.runs().len()
    }
}

/// What went of a namespace of late.
#[derive(Debug, Clone, Default)]
pub(super) struct RemovalLog {
    /// How often something went.
    pub(super) last: u64,
    /// The last of those.
    entries: VecDeque<Removed>,
}

impl RemovalLog {
    pub(super) fn push(&mut self, removed: Removed) {
        if removed.is_empty() {
            return;
        }
        self.last += 1;
        self.entries.push_back(removed);
        let mut spans: usize = self.entries.iter().map(Removed::spans).sum();
        while spans > REMEMBERED_SPANS {
            spans -= self.entries.pop_front().map_or(spans, |entry| entry.spans());
        }
    }

    /// What went after the removal of a number; `None` where that is not known any more.
    pub(super) fn since(&self, number: u64) -> Option<Removed> {
        let missed = usize::try_from(self.last.checked_sub(number)?).ok()?;
        let from = self.entries.len().checked_sub(missed)?;
        let of = |spans: fn(&Removed) -> &Spans| {
            Spans::of_runs(self.entries.iter().skip(from).flat_map(|entry| spans(entry).runs().iter().copied()))
        };
        Some(Removed { memories: of(|entry| &entry.memories), cues: of(|entry| &entry.cues) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_together_in_runs() {
        let spans = Spans::of([7, 3, 4, 4, 9, 8, 1]);
        assert_eq!(spans.runs(), [(1, 1), (3, 4), (7, 9)]);
        let found: Vec<u64> = (0..12).filter(|number| spans.contains(*number)).collect();
        assert_eq!(found, [1, 3, 4, 7, 8, 9]);
        assert_eq!(Spans::of_runs([(5, 9), (1, 6), (3, 2)]).runs(), [(1, 9)]);
        assert_eq!(Spans::of_runs([(1, 2), (4, BLOCK), (3 * BLOCK, 3 * BLOCK)]).blocks(), [0, 1, 3]);
    }

    #[test]
    fn an_old_removal_is_forgotten_and_said_to_be() {
        let removed = |number: u64| Removed { memories: Spans::of([number]), cues: Spans::default() };
        let mut log = RemovalLog::default();
        log.push(Removed::default());
        assert_eq!(log.last, 0, "nothing went");
        (1..=5).for_each(|number| log.push(removed(2 * number)));
        assert_eq!(log.since(3), Some(Removed { memories: Spans::of([8, 10]), cues: Spans::default() }));
        assert!(log.since(5).unwrap().is_empty() && log.since(6).is_none());
        let many = Spans::of((0..REMEMBERED_SPANS as u64).map(|number| 2 * number));
        log.push(Removed { memories: many, cues: Spans::default() });
        assert!(log.since(5).is_some() && log.since(4).is_none());
        log.push(removed(1));
        assert!(log.since(5).is_none() && log.since(6).is_some());
    }
}
