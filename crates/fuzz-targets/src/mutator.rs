//! Inputs made of others by small changes, the same ones from the same seed.

/// Bytes of an input at most.
const LONGEST: usize = 32 << 10;

/// Makes inputs.
pub struct Mutator<'a> {
    state: u64,
    corpus: &'a [Vec<u8>],
    words: &'a [&'a str],
}

impl<'a> Mutator<'a> {
    /// One that begins with `seed`.
    pub fn new(seed: u64, corpus: &'a [Vec<u8>], words: &'a [&'a str]) -> Self {
        Self { state: seed, corpus, words }
    }

    /// The next input: one of the corpus after one to eight changes.
    pub fn input(&mut self) -> Vec<u8> {
        let mut input = self.entry().to_vec();
        for _ in 0..=self.below(8) {
            self.change(&mut input);
            input.truncate(LONGEST);
        }
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let (from, to) = self.range(input.len());
        match self.below(9) {
            0 => {
                if let Some(byte) = input.get_mut(from) {
                    *byte ^= 1 << self.below(8);
                }
            }
            1 => {
                if let Some(byte) = input.get_mut(from) {
                    *byte = self.next() as u8;
                }
            }
            2 => drop(input.drain(from..to)),
            3 => {
                let copy = input[from..to].to_vec();
                let times = 1 + self.below(4);
                input.splice(from..from, copy.repeat(times));
            }
            4 | 5 => {
                let word = self.word();
                let times = if self.below(16) == 0 { 1 + self.below(300) } else { 1 };
                input.splice(from..from, word.repeat(times));
            }
            6 => drop(input.splice(from..to, self.word())),
            7 => {
                let other = self.entry();
                let (begin, end) = self.range(other.len());
                input.splice(from..to, other[begin..end].iter().copied());
            }
            _ => input.truncate(from),
        }
    }

    /// A range of so many bytes, mostly a short one.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let from = self.below(length + 1);
        let most = if self.below(4) == 0 { length } else { 16 };
        (from, (from + self.below(most + 1)).min(length))
    }

    fn entry(&mut self) -> &'a [u8] {
        let place = self.below(self.corpus.len().max(1));
        self.corpus.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    fn word(&mut self) -> Vec<u8> {
        let place = self.below(self.words.len().max(1));
        self.words.get(place).map_or_else(Vec::new, |word| word.as_bytes().to_vec())
    }

    /// A number below `most`, which is not 0.
    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    /// SplitMix64 (Steele, Lea and Flood 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_inputs_and_they_differ() {
        let corpus = [b"{\"a\": 1}".to_vec(), b"[2]".to_vec()];
        let inputs = |seed| {
            let mut mutator = Mutator::new(seed, &corpus, &["null"]);
            (0..100).map(|_| mutator.input()).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        let different: std::collections::BTreeSet<_> = inputs(1).into_iter().collect();
        assert!(different.len() > 80, "{}", different.len());
    }
}
