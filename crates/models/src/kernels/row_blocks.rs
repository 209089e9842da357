//! Blocks of rows for the tiles of a processor family.

/// First row and height of each block of `rows` rows: at most `most`, a multiple of `step`; the last one may reach
/// beyond them.
#[inline(always)]
pub(super) fn blocks(rows: usize, most: usize, step: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let left = rows.checked_sub(first).filter(|left| *left > 0)?;
        let height = left.next_multiple_of(step).min(most);
        first += height;
        Some((first - height, height))
    })
}
