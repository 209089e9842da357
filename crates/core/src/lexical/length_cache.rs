//! What depends on the length of a text only, worked out once for lengths that are usual.

/// Lengths from 0 on that are worked out before.
const USUAL: u32 = 256;

/// A function of a text's terms.
pub struct LengthCache<F> {
    usual: Vec<f64>,
    of: F,
}

impl<F: Fn(u32) -> f64> LengthCache<F> {
    /// Of so many texts; of few, nothing is worked out before.
    pub fn new(texts: usize, of: F) -> Self {
        let usual = if texts < USUAL as usize { 0 } else { USUAL };
        Self { usual: (0..usual).map(&of).collect(), of }
    }

    /// Of a text of so many terms.
    pub fn at(&self, terms: u32) -> f64 {
        self.usual.get(terms as usize).copied().unwrap_or_else(|| (self.of)(terms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_or_not_is_no_difference() {
        let root = |terms: u32| f64::from(terms).sqrt();
        for texts in [1, 1000] {
            let cache = LengthCache::new(texts, root);
            assert!((0..2 * USUAL).all(|terms| cache.at(terms) == root(terms)));
        }
    }
}
