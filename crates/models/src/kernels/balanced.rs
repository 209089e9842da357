//! Bytes whose products are added up in pairs of 16 bits and never overflow there.
//!
//! A row's steps are counted from the one of the number 0, so that most are small
//! and the signed bytes of two products, each with a weight from 1 to 255, add up
//! within 16 bits. Where they would not, a number is cut, and what was cut off is
//! multiplied apart: the sum is exact.
//!
//! Word `j` of a run of `n` words holds the numbers `j`, `j + n`, `j + 2 n` and
//! `j + 3 n` of the run: the lanes of a vector make words without changing places.

/// Words of a whole run.
pub(super) const RUN: usize = 16;

/// What was cut off a number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excess {
    /// The number's word.
    pub(super) word: u32,
    /// Bits below its byte.
    pub(super) shift: u32,
    /// How many steps were cut off.
    pub(super) steps: i32,
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
        let (mut over, mut made) = ([[0; RUN]; 2], [0; RUN]);
        if let [Some(a), Some(b), Some(c), Some(d)] = numbers.map(|part| part.first_chunk::<RUN>()) {
            // In one loop that is too long to be unrolled before it is vectorised.
            let (mut sa, mut sb, mut sc, mut sd) = ([0; RUN], [0; RUN], [0; RUN], [0; RUN]);
            let (mut first, mut second) = ([0; RUN], [0; RUN]);
            for j in 0..RUN {
                let [a, b, c, d] = [step(a[j]), step(b[j]), step(c[j]), step(d[j])];
                (sa[j], sb[j], sc[j], sd[j]) = (a, b, c, d);
                (first[j], second[j]) = (beyond(a, b), beyond(c, d));
                total[j] += a + b + c + d;
                made[j] = word([a, b, c, d]);
            }
            (steps, over) = ([sa, sb, sc, sd], [first, second]);
        } else {
            for (steps, part) in steps.iter_mut().zip(numbers) {
                steps.iter_mut().zip(part).for_each(|(slot, value)| *slot = step(*value));
            }
            for j in 0..RUN {
                let [a, b, c, d] = [steps[0][j], steps[1][j], steps[2][j], steps[3][j]];
                (over[0][j], over[1][j]) = (beyond(a, b), beyond(c, d));
                total[j] += a + b + c + d;
                made[j] = word([a, b, c, d]);
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

/// Not 0 where the products of two numbers with weights up to 255 may leave 16 bits.
#[inline(always)]
fn beyond(a: i32, b: i32) -> i32 {
    let above = a.max(0) + b.max(0);
    let below = a.min(0) + b.min(0);
    // 127 is the largest signed byte, -128 the least.
    (above | (-1 - below).max(0)) >> 7
}

/// Cuts the numbers of a run whose pair, the first or the second of its word, is `over`.
fn cut_run(
    over: &[[i32; RUN]; 2],
    steps: &mut [[i32; RUN]; 4],
    words: &mut [u32; RUN],
    at: usize,
    excesses: &mut Vec<Excess>,
) {
    const MOST: i32 = 63;
    let mut left =
        over.as_flattened().iter().enumerate().fold(0u32, |bits, (i, over)| bits | u32::from(*over != 0) << i);
    while left != 0 {
        let place = left.trailing_zeros() as usize;
        left &= left - 1;
        let (pair, j) = (place / RUN * 2, place % RUN);
        while beyond(steps[pair][j], steps[pair + 1][j]) != 0 {
            let larger = pair + usize::from(steps[pair][j].abs() <= steps[pair + 1][j].abs());
            let kept = steps[larger][j].clamp(-MOST, MOST);
            let cut = steps[larger][j] - kept;
            excesses.push(Excess { word: (at + j) as u32, shift: 8 * larger as u32, steps: cut });
            steps[larger][j] = kept;
        }
        words[j] = word([steps[0][j], steps[1][j], steps[2][j], steps[3][j]]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_pair_fits_and_nothing_is_lost(row in prop::collection::vec(-255i32..=255, 1..300)) {
            let numbers: Vec<f32> = row.iter().map(|step| *step as f32).collect();
            let (mut words, mut excesses) = (vec![0; row.len().div_ceil(4)], Vec::new());
            let total = encode(&numbers, &mut words, |value| value as i32, &mut excesses);
            prop_assert_eq!(total, row.iter().sum::<i32>());
            let mut found: Vec<[i32; 4]> = words.iter().map(|word| word.to_le_bytes().map(|byte| i32::from(byte.cast_signed()))).collect();
            for [a, b, c, d] in &found {
                for (a, b) in [(a, b), (c, d)] {
                    prop_assert!(255 * (a.max(&0) + b.max(&0)) <= 32_767 && 255 * (a.min(&0) + b.min(&0)) >= -32_768);
                }
            }
            for excess in &excesses {
                found[excess.word as usize][excess.shift as usize / 8] += excess.steps;
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
