//! BM25 (Robertson and Zaragoza 2009).

/// Parameters of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How slowly repeats of a term stop counting; at least 0.
    pub k1: f64,
    /// How much a long text is marked down, in [0, 1].
    pub b: f64,
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k1: 1.5, b: 0.75 }
    }
}

/// Size of the collection that term weights are measured on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Collection {
    /// Texts.
    pub texts: usize,
    /// Terms in all of them, repeats included, weighted where they stand in several fields.
    pub terms: f64,
}

impl Collection {
    /// Mean terms a text; 1 for an empty collection, whose texts nobody scores.
    pub(crate) fn mean_length(self) -> f64 {
        if self.terms == 0.0 { 1.0 } else { self.terms / self.texts as f64 }
    }
}

impl Bm25 {
    /// Robertson-Sparck-Jones weight `ln((N - df + 0.5) / (df + 0.5) + 1)`; never negative.
    pub fn idf(texts: usize, containing: usize) -> f64 {
        let (n, df) = (texts as f64, containing as f64);
        ((n - df + 0.5) / (df + 0.5) + 1.0).ln()
    }

    /// Adds one term's scores, times `weight`, to `scores`.
    ///
    /// `texts` is how many the collection has; `occurrences` are those that hold the term, so many, with its
    /// count there, weighted where it stands in several fields; `norm` gives a text's [`Bm25::norm`].
    pub fn add_term(
        self,
        weight: f64,
        texts: usize,
        (holders, occurrences): (usize, impl Iterator<Item = (u32, f64)>),
        norm: impl Fn(u32) -> f64,
        scores: &mut [f64],
    ) {
        let idf = weight * Self::idf(texts, holders);
        for (text, count) in occurrences {
            scores[text as usize] += idf * self.saturate(count, norm(text));
        }
    }

    /// `k1 (1 - b + b length)`, the length as a multiple of the collection's mean.
    pub fn norm(self, relative_length: f64) -> f64 {
        self.k1 * (1.0 - self.b + self.b * relative_length)
    }

    /// `tf (k1 + 1) / (tf + norm)`.
    pub fn saturate(self, tf: f64, norm: f64) -> f64 {
        tf * (self.k1 + 1.0) / (tf + norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_an_independent_computation() {
        // Python, doubles: N=3, df=2, lengths 4, 6, 2, k1=1.5, b=0.75, term counts 1 and 3.
        //   idf = math.log((3-2+.5)/(2+.5)+1)
        //   idf*tf*2.5/(tf+1.5*(1-.75+.75*len/4))
        let mut scores = [0.0; 3];
        let bm25 = Bm25::default();
        let mean = Collection { texts: 3, terms: 12.0 }.mean_length();
        let norm = |text| bm25.norm([4.0, 6.0, 2.0][text as usize] / mean);
        bm25.add_term(1.0, 3, (2, [(0, 1.0), (1, 3.0)].into_iter()), norm, &mut scores);
        assert!((scores[0] - 0.470_003_629_245_735_6).abs() < 1e-15, "{scores:?}");
        assert!((scores[1] - 0.696_301_672_956_644_6).abs() < 1e-15, "{scores:?}");
        assert_eq!(scores[2], 0.0);
    }

    #[test]
    fn a_term_everywhere_still_counts_a_little() {
        assert!(Bm25::idf(10, 10) > 0.0 && Bm25::idf(10, 1) > Bm25::idf(10, 2));
    }
}
