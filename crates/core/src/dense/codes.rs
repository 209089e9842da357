//! Vectors in one byte a component, for scanning many of them.

use super::dot::dots_of_codes;

/// Largest magnitude of a code.
const LARGEST: f32 = 127.0;

/// Vectors quantised symmetrically, each with its own scale: `component = code * scale`.
///
/// Dot products of unit vectors are off by about 0.002; the best are computed
/// again from the real vectors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Codes {
    dim: usize,
    codes: Vec<i8>,
    scales: Vec<f32>,
}

/// A query in the same form.
#[derive(Debug, Clone, PartialEq)]
pub struct CodedQuery {
    codes: Vec<i8>,
    scale: f32,
}

/// A query in the forms that rows are compared with.
pub(super) struct ScanQuery<'a> {
    pub(super) exact: &'a [f32],
    pub(super) coded: CodedQuery,
}

impl<'a> ScanQuery<'a> {
    pub(super) fn new(query: &'a [f32]) -> Self {
        Self { exact: query, coded: CodedQuery::new(query) }
    }
}

impl Codes {
    /// No vectors yet, of `dim` components each.
    pub fn new(dim: usize) -> Self {
        Self { dim, ..Self::default() }
    }

    /// Components of a vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Appends a vector of `dim` components.
    pub fn push(&mut self, vector: &[f32]) {
        self.scales.push(quantise(vector, &mut self.codes));
    }

    /// Appends a row of others, of as many components.
    pub(crate) fn push_row(&mut self, other: &Self, row: u32) {
        let row = row as usize;
        self.codes.extend_from_slice(&other.codes[row * self.dim..(row + 1) * self.dim]);
        self.scales.push(other.scales[row]);
    }

    /// Puts the row at `from` in the place of the one at `to`.
    pub(crate) fn move_row(&mut self, from: usize, to: usize) {
        self.codes.copy_within(from * self.dim..(from + 1) * self.dim, to * self.dim);
        self.scales[to] = self.scales[from];
    }

    /// Keeps the first `rows` only.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.codes.truncate(rows * self.dim);
        self.scales.truncate(rows);
    }

    /// Puts back what [`Codes::parts`] gave; `None` when the sizes do not agree.
    pub fn from_parts(dim: usize, codes: Vec<i8>, scales: Vec<f32>) -> Option<Self> {
        (codes.len() == dim * scales.len()).then_some(Self { dim, codes, scales })
    }

    /// The codes, row after row, and the scale of each row.
    pub fn parts(&self) -> (&[i8], &[f32]) {
        (&self.codes, &self.scales)
    }

    /// Approximate dot products of a query with the vectors of `rows`.
    pub fn scan(&self, query: &CodedQuery, rows: &[u32]) -> Vec<f32> {
        let dots = dots_of_codes(&query.codes, &self.codes, rows);
        let scale = |(dot, &row): (i32, &u32)| dot as f32 * (self.scales[row as usize] * query.scale);
        dots.into_iter().zip(rows).map(scale).collect()
    }
}

impl CodedQuery {
    /// Codes of a vector.
    pub fn new(query: &[f32]) -> Self {
        let mut codes = Vec::with_capacity(query.len());
        let scale = quantise(query, &mut codes);
        Self { codes, scale }
    }
}

fn quantise(vector: &[f32], codes: &mut Vec<i8>) -> f32 {
    let largest = vector.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        codes.extend(std::iter::repeat_n(0, vector.len()));
        return 0.0;
    }
    codes.extend(vector.iter().map(|x| (x / largest * LARGEST).round() as i8));
    largest / LARGEST
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(mut vector: Vec<f32>) -> Vec<f32> {
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-6);
        vector.iter_mut().for_each(|x| *x /= norm);
        vector
    }

    proptest! {
        #[test]
        fn a_scan_is_close(
            a in prop::collection::vec(-1.0f32..1.0, 64), b in prop::collection::vec(-1.0f32..1.0, 64),
        ) {
            let (a, b) = (unit(a), unit(b));
            let mut codes = Codes::new(64);
            codes.push(&a);
            let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let found = codes.scan(&CodedQuery::new(&b), &[0]);
            prop_assert!((found[0] - exact).abs() < 0.02, "{} {}", found[0], exact);
        }
    }

    #[test]
    fn a_zero_vector_is_no_division_by_zero() {
        let mut codes = Codes::new(4);
        codes.push(&[0.0; 4]);
        assert_eq!(codes.scan(&CodedQuery::new(&[1.0, 0.0, 0.0, 0.0]), &[0]), [0.0]);
        assert_eq!(codes.scan(&CodedQuery::new(&[0.0; 4]), &[0]), [0.0]);
    }
}
