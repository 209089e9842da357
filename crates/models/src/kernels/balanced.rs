//! Bytes whose products are added up in 16 bits, four at a time, and never overflow there.
//!
//! A row's steps are counted from the one of the number 0, so that most are small
//! and the signed bytes of four products, each with a weight from 1 to 255, add up
//! within 16 bits. Where they would not, a number is cut, and what was cut off is
//! multiplied apart: the sum is exact.
//!
//! Word `j` of a run of `n` words holds the numbers `j`, `j + n`, `j + 2 n` and
//! `j + 3 n` of the run: the lanes of a vector make words without changing places.
//! The four products are of the lower halves, or of the upper halves, of two words that follow one another.

/// Words of a whole run; even, so that no group is in two runs.
pub(super) const RUN: usize = 16;

/// Words whose products are added up in 16 bits.
pub(super) const GROUP: usize = 2;

/// Most that the positive numbers of a group may add up to: 255 times as much is within 16 bits, and it is a signed byte.
const MOST: i32 = 127;

/// Least that the negative numbers of a group may add up to.
const LEAST: i32 = -128;

/// What was cut off a number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excess {
    /// The place of the number's word.
    pub(super) place: u32,
    /// What was cut off as a signed byte in the number's place, beside three that are 0.
    pub(super) word: u32,
}

/// The numbers of each of the four bytes of a run of `length` words that begins with word `at` of a row.
#[inline(always)]
pub(super) fn parts<T>(row: &[T], at: usize, length: usize) -> [&[T]; 4] {
    std::array::from_fn(|i| {
        let start = 4 * at + i * length;
        &row[start.min(row.len())..(start + length).min(row.len())]
    })
}

/// Writes a row's steps, from -255 to 255, as words of signed bytes; what does not fit is added to `excesses`.
/// Returns the sum of all steps, cut or not.
#[inline(always)]
pub(super) fn encode(row: &[f32], words: &mut [u32], step: impl Fn(f32) -> i32, excesses: &mut Vec<Excess>) -> i32 {
    let mut total = [0; RUN];
    for (r, run) in words.chunks_mut(RUN).enumerate() {
        let numbers = parts(row, r * RUN, run.len());
        let mut steps = [[0; RUN]; 4];
        let (mut sides, mut made) = ([[0; RUN]; 2], [0; RUN]);
        if let [Some(a), Some(b), Some(c), Some(d)] = numbers.map(|part| part.first_chunk::<RUN>()) {
            // In one loop that is too long to be unrolled before it is vectorised.
            let (mut sa, mut sb, mut sc, mut sd) = ([0; RUN], [0; RUN], [0; RUN], [0; RUN]);
            let (mut lower, mut upper) = ([0; RUN], [0; RUN]);
            for j in 0..RUN {
                let [a, b, c, d] = [step(a[j]), step(b[j]), step(c[j]), step(d[j])];
                (sa[j], sb[j], sc[j], sd[j]) = (a, b, c, d);
                (lower[j], upper[j]) = (both_sides(a, b), both_sides(c, d));
                total[j] += a + b + c + d;
                made[j] = word([a, b, c, d]);
            }
            (steps, sides) = ([sa, sb, sc, sd], [lower, upper]);
        } else {
            for (steps, part) in steps.iter_mut().zip(numbers) {
                steps.iter_mut().zip(part).for_each(|(slot, value)| *slot = step(*value));
            }
            for j in 0..RUN {
                let [a, b, c, d] = [steps[0][j], steps[1][j], steps[2][j], steps[3][j]];
                (sides[0][j], sides[1][j]) = (both_sides(a, b), both_sides(c, d));
                total[j] += a + b + c + d;
                made[j] = word([a, b, c, d]);
            }
        }
        let mut over = [[0; RUN / GROUP]; 2];
        for (over, sides) in over.iter_mut().zip(&sides) {
            for (over, [first, second]) in over.iter_mut().zip(sides.as_chunks::<GROUP>().0) {
                *over = beyond(first + second);
            }
        }
        if over.as_flattened().iter().fold(0, |any, over| any | over) != 0 {
            cut_run(&over, &mut steps, &mut made, r * RUN, excesses);
        }
        match run.first_chunk_mut::<RUN>() {
            Some(run) => *run = made,
            None => run.copy_from_slice(&made[..run.len()]),
        }
    }
    total.iter().sum()
}

/// Four steps as signed bytes.
#[inline(always)]
fn word(steps: [i32; 4]) -> u32 {
    let [a, b, c, d] = steps.map(|step| step.cast_unsigned() & 0xff);
    a | b << 8 | c << 16 | d << 24
}

/// What the positive ones of two steps add up to in the lower 16 bits, and minus what the negative ones do in the upper ones.
#[inline(always)]
fn both_sides(a: i32, b: i32) -> u32 {
    let (above, below) = (a.max(0) + b.max(0), a.min(0) + b.min(0));
    above.cast_unsigned() | (-below).cast_unsigned() << 16
}

/// Not 0 where a sum of [`both_sides`] is more than a group may hold.
#[inline(always)]
fn beyond(sides: u32) -> u32 {
    // What is more reaches the highest bit of its half.
    const TO_THE_TOP: u32 = (0x7fff - MOST.cast_unsigned()) | (0x7fff - LEAST.unsigned_abs()) << 16;
    (sides + TO_THE_TOP) & 0x8000_8000
}

/// Cuts the numbers of a run's groups, of the lower and the upper halves of its words, that are `over`.
fn cut_run(
    over: &[[u32; RUN / GROUP]; 2],
    steps: &mut [[i32; RUN]; 4],
    words: &mut [u32; RUN],
    at: usize,
    excesses: &mut Vec<Excess>,
) {
    let mut left =
        over.as_flattened().iter().enumerate().fold(0u32, |bits, (i, over)| bits | u32::from(*over != 0) << i);
    while left != 0 {
        let place = left.trailing_zeros() as usize;
        left &= left - 1;
        let (half, first) = (place / (RUN / GROUP) * 2, place % (RUN / GROUP) * GROUP);
        for side in [1, -1] {
            let most = if side > 0 { MOST } else { -LEAST };
            loop {
                let (mut sum, mut largest, mut slot) = (0, 0, (half, first));
                for (i, j) in [(half, first), (half + 1, first), (half, first + 1), (half + 1, first + 1)] {
                    let step = (steps[i][j] * side).max(0);
                    sum += step;
                    if step > largest {
                        (largest, slot) = (step, (i, j));
                    }
                }
                if sum <= most {
                    break;
                }
                // No more than a signed byte holds.
                let cut = (sum - most).min(largest).min(most);
                let (i, j) = slot;
                steps[i][j] -= cut * side;
                let word = ((cut * side).cast_unsigned() & 0xff) << (8 * i);
                excesses.push(Excess { place: (at + j) as u32, word });
            }
        }
        for j in first..first + GROUP {
            words[j] = word([steps[0][j], steps[1][j], steps[2][j], steps[3][j]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_group_fits_and_nothing_is_lost(row in prop::collection::vec(-255i32..=255, 1..300)) {
            let numbers: Vec<f32> = row.iter().map(|step| *step as f32).collect();
            let (mut words, mut excesses) = (vec![0; row.len().div_ceil(4).next_multiple_of(GROUP)], Vec::new());
            let total = encode(&numbers, &mut words, |value| value as i32, &mut excesses);
            prop_assert_eq!(total, row.iter().sum::<i32>());
            let bytes = |word: u32| word.to_le_bytes().map(|byte| i32::from(byte.cast_signed()));
            let mut found: Vec<[i32; 4]> = words.iter().copied().map(bytes).collect();
            let fits = |words: &[[i32; 4]], half: std::ops::Range<usize>| {
                let side = |sign: i32| words.iter().flat_map(|word| &word[half.clone()]).map(|step| (step * sign).max(0)).sum::<i32>();
                255 * side(1) <= i32::from(i16::MAX) && -255 * side(-1) >= i32::from(i16::MIN)
            };
            for group in found.chunks(GROUP) {
                prop_assert!(fits(group, 0..2) && fits(group, 2..4), "{:?}", group);
            }
            for excess in &excesses {
                let cut = bytes(excess.word);
                prop_assert!(fits(&[cut], 0..2) && fits(&[cut], 2..4), "{:?}", cut);
                found[excess.place as usize].iter_mut().zip(cut).for_each(|(step, cut)| *step += cut);
            }
            // The same order, of the numbers themselves.
            let mut expected = vec![[0; 4]; words.len()];
            for (r, run) in expected.chunks_mut(RUN).enumerate() {
                for (i, part) in parts(&row, r * RUN, run.len()).into_iter().enumerate() {
                    run.iter_mut().zip(part).for_each(|(word, step)| word[i] = *step);
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
