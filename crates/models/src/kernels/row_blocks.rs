//! Blocks of rows for the tiles of a processor family.

use super::{simd::Simd, weights::PANEL};

/// First row and height of each block of `rows` rows; the last one may reach beyond them.
#[inline(always)]
pub(super) fn blocks<S: Simd>(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let left = rows.checked_sub(first).filter(|left| *left > 0)?;
        let padded = left.next_multiple_of(S::ROW_STEP);
        // Two blocks of like height where the last one would have too few sums to fill the time that one takes.
        let few = S::ROWS < padded && padded < S::ROWS + S::ROWS / 2;
        let height = if few && S::STRIP < PANEL { padded / 2 } else { padded.min(S::ROWS) };
        first += height;
        Some((first - height, height))
    })
}
