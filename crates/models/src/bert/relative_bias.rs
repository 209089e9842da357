//! MPNet's relative position bias: what attention adds to a score for how far the two tokens are apart.
//!
//! All layers share it. Distances fall into buckets as in T5 (Raffel et al. 2020, section 2.1), with MPNet's
//! sign: 16 buckets for keys at or before the query, 16 for keys after it; of those, 8 for distances 0 to 7
//! and 8 that grow logarithmically up to 128, the last for all beyond.

use super::Tensors;
use crate::{ModelError, kernels::ScoreBias};

/// Buckets of both directions together; transformers computes no other number.
pub(super) const BUCKETS: usize = 32;

/// Distances from here on share the last bucket of their direction.
const MAX_DISTANCE: usize = 128;

/// The bias of every head at every distance.
pub(crate) struct RelativeBias {
    /// `[2 longest - 1, heads]`: at `longest - 1 + d` the biases of a key `d` tokens after the query.
    table: Vec<f32>,
    longest: usize,
}

impl RelativeBias {
    /// Reads the bias of `heads` heads for texts of up to `longest` tokens.
    ///
    /// # Errors
    /// When the tensor is missing or of another shape or type.
    pub(super) fn load(tensors: &Tensors, heads: usize, longest: usize) -> Result<Self, ModelError> {
        let buckets = tensors.read("encoder.relative_attention_bias.weight", &[BUCKETS, heads])?;
        Ok(Self::of_buckets(&buckets, heads, longest))
    }

    /// Spreads `[buckets, heads]` over distances.
    fn of_buckets(buckets: &[f32], heads: usize, longest: usize) -> Self {
        let span = longest as isize;
        let at = |distance| &buckets[bucket(distance) * heads..][..heads];
        Self { table: (1 - span..span).flat_map(at).copied().collect(), longest }
    }

    /// What attention adds to scores, which are those after the division by the root of the head's size.
    pub(super) fn of_scores(&self) -> ScoreBias<'_> {
        ScoreBias { table: &self.table, reach: self.longest }
    }
}

/// The bucket of a key `distance` tokens after the query, negative if before.
fn bucket(distance: isize) -> usize {
    const ONE_WAY: usize = BUCKETS / 2;
    const EXACT: usize = ONE_WAY / 2;
    let direction = if distance > 0 { ONE_WAY } else { 0 };
    let far = distance.unsigned_abs();
    if far < EXACT {
        return direction + far;
    }
    // In single precision, as the models were trained: a boundary would else fall into another bucket.
    let octaves = (far as f32 / EXACT as f32).ln() / ((MAX_DISTANCE / EXACT) as f32).ln();
    direction + (EXACT + (octaves * (ONE_WAY - EXACT) as f32) as usize).min(ONE_WAY - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_equal_those_of_transformers() {
        // MPNetEncoder.relative_position_bucket of transformers 5.23 at these distances.
        let expected = [
            (0, 0),
            (-1, 1),
            (-7, 7),
            (-8, 8),
            (-11, 8),
            (-12, 9),
            (-15, 9),
            (-16, 10),
            (-23, 11),
            (-32, 12),
            (-45, 12),
            (-46, 13),
            (-64, 14),
            (-90, 14),
            (-91, 15),
            (-127, 15),
            (-128, 15),
            (-400, 15),
            (1, 17),
            (7, 23),
            (8, 24),
            (16, 26),
            (31, 27),
            (127, 31),
            (500, 31),
        ];
        for (distance, expected) in expected {
            assert_eq!(bucket(distance), expected, "{distance}");
        }
    }

    #[test]
    fn a_distance_has_a_bias_for_each_head() {
        // Bucket b has bias b in head 0 and 100 + b in head 1.
        let buckets: Vec<f32> = (0..BUCKETS).flat_map(|b| [b as f32, 100.0 + b as f32]).collect();
        let bias = RelativeBias::of_buckets(&buckets, 2, 3);
        assert_eq!(bias.table, [2., 102., 1., 101., 0., 100., 17., 117., 18., 118.]);
    }
}
