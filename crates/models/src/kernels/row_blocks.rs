//! Blocks of rows for the tiles of a processor family.

use super::simd::Simd;

/// First row and height of each block of `rows` rows; the last one may reach beyond them.
#[inline(always)]
pub(super) fn blocks<S: Simd>(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let left = rows.checked_sub(first).filter(|left| *left > 0)?;
        let height = left.next_multiple_of(S::ROW_STEP).min(S::ROWS);
        first += height;
        Some((first - height, height))
    })
}
