//! What the kernels' tests share.

use super::{Arithmetic, simd::Family};
use crate::{Instructions, Precision};

/// Every processor family that this machine has.
pub(crate) fn families() -> impl Iterator<Item = Family> {
    Instructions::ALL.into_iter().filter_map(Family::of)
}

/// Every precision on every processor family that this machine has.
pub(crate) fn arithmetics() -> impl Iterator<Item = Arithmetic> {
    let every = Precision::ALL.into_iter().flat_map(|precision| Instructions::ALL.map(|family| (precision, family)));
    every.filter_map(|(precision, family)| Arithmetic::new(precision, family))
}

/// A precision on every processor family that this machine has.
pub(crate) fn families_of(precision: Precision) -> impl Iterator<Item = Arithmetic> {
    Instructions::ALL.into_iter().filter_map(move |family| Arithmetic::new(precision, family))
}
