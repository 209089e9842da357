//! The vectors of a namespace, and a scan over all of them.

use super::{
    codes::{Codes, ScanQuery},
    dot::{dot, dots},
};
use crate::{error::StoreError, ranking::best_places, types::Vectors};

/// Up to this many vectors are held as they are; above, as one byte a component.
pub const EXACT_LIMIT: usize = 32_768;

/// Fetches the real vectors of some texts, by position, for a scan over codes.
pub type Rescore<'a> = dyn Fn(&[u32]) -> Result<Vectors, StoreError> + 'a;

#[derive(Debug, Clone, PartialEq)]
enum Rows {
    Exact(Vec<f32>),
    Compact(Codes),
}

/// One vector a text, in order of arrival; a text may have none.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseIndex {
    dim: usize,
    present: Vec<bool>,
    rows: Rows,
    /// How many are held as they are: [`EXACT_LIMIT`], but in tests.
    limit: usize,
}

/// The parts of a [`DenseIndex`] that a snapshot keeps.
pub(crate) enum Parts<'a> {
    Exact(&'a [f32]),
    Compact(&'a [i8], &'a [f32]),
}

impl DenseIndex {
    /// No vectors yet, of `dim` components each.
    pub fn new(dim: usize) -> Self {
        Self { dim, present: Vec::new(), rows: Rows::Exact(Vec::new()), limit: EXACT_LIMIT }
    }

    /// No vectors yet, of a kind with `other`.
    pub(crate) fn like(other: &Self) -> Self {
        Self { limit: other.limit, ..Self::new(other.dim) }
    }

    /// Holds no more than `limit` as they are, to see with few what happens with many.
    #[cfg(test)]
    pub(crate) fn limited(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Components of a vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Whether the text at `position` has a vector.
    pub fn has(&self, position: usize) -> bool {
        self.present.get(position).copied().unwrap_or(false)
    }

    /// Whether any text has a vector.
    pub fn has_any(&self) -> bool {
        self.present.contains(&true)
    }

    /// Texts with a vector.
    pub fn vectors(&self) -> usize {
        self.present.iter().filter(|present| **present).count()
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> usize {
        let rows = match &self.rows {
            Rows::Exact(rows) => rows.capacity() * 4,
            Rows::Compact(codes) => codes.parts().0.len() + codes.parts().1.len() * 4,
        };
        rows + self.present.capacity()
    }

    /// Appends the vector of the next text, if it has one, of [`DenseIndex::dim`] components.
    pub fn push(&mut self, vector: Option<&[f32]>) {
        debug_assert!(vector.is_none_or(|v| v.len() == self.dim));
        if self.present.len() == self.limit {
            self.compact();
        }
        let nothing;
        let row = match vector {
            Some(vector) => vector,
            None => {
                nothing = vec![0.0; self.dim];
                &nothing
            }
        };
        self.present.push(vector.is_some());
        match &mut self.rows {
            Rows::Exact(rows) => rows.extend_from_slice(row),
            Rows::Compact(codes) => codes.push(row),
        }
    }

    /// Appends rows of another, of as many components, by their places there.
    ///
    /// Codes are taken as they are, and make codes of the vectors before them.
    pub(crate) fn take(&mut self, other: &Self, places: impl IntoIterator<Item = u32>) {
        let dim = self.dim;
        let row = |place: u32| place as usize * dim..(place as usize + 1) * dim;
        match &other.rows {
            Rows::Exact(rows) => {
                for place in places {
                    self.push(other.has(place as usize).then(|| &rows[row(place)]));
                }
            }
            Rows::Compact(coded) => {
                self.compact();
                if let Rows::Compact(codes) = &mut self.rows {
                    for place in places {
                        self.present.push(other.has(place as usize));
                        codes.push_row(coded, place);
                    }
                }
            }
        }
    }

    /// Takes rows out that `stays` does not name by place.
    pub(crate) fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        let (dim, mut end) = (self.dim, 0);
        for place in (0..self.present.len()).filter(|&place| stays(place)) {
            if end < place {
                self.present[end] = self.present[place];
                match &mut self.rows {
                    Rows::Exact(rows) => rows.copy_within(place * dim..(place + 1) * dim, end * dim),
                    Rows::Compact(codes) => codes.move_row(place, end),
                }
            }
            end += 1;
        }
        self.present.truncate(end);
        match &mut self.rows {
            Rows::Exact(rows) => rows.truncate(end * dim),
            Rows::Compact(codes) => codes.truncate(end),
        }
    }

    /// Whether it holds codes though there is room for the vectors: what is made anew holds those.
    pub(crate) fn is_needlessly_coded(&self) -> bool {
        !self.is_exact() && self.present.len() <= self.limit
    }

    fn compact(&mut self) {
        if let Rows::Exact(rows) = &self.rows {
            let mut codes = Codes::new(self.dim);
            rows.chunks_exact(self.dim.max(1)).for_each(|row| codes.push(row));
            self.rows = Rows::Compact(codes);
        }
    }

    /// Whether a scan needs no second look: up to [`EXACT_LIMIT`] texts.
    pub fn is_exact(&self) -> bool {
        matches!(self.rows, Rows::Exact(_))
    }

    /// Cosines of a unit-length query with the texts of `texts`; what a text without a vector gets means nothing.
    pub(super) fn block(&self, query: &ScanQuery<'_>, texts: &[u32]) -> Vec<f32> {
        match &self.rows {
            Rows::Exact(rows) => dots(query.exact, rows, texts),
            Rows::Compact(codes) => codes.scan(&query.coded, texts),
        }
    }

    /// Cosines of the real vectors of the best `n` of some approximate ones, each by its place among them; `text_of` says
    /// whose a place is. None in an index that [is exact](DenseIndex::is_exact).
    ///
    /// # Errors
    /// When `rescore` fails.
    pub fn rescored(
        &self,
        (query, n): (&[f32], usize),
        known: impl Iterator<Item = (usize, f64)>,
        text_of: impl Fn(usize) -> u32,
        rescore: &Rescore<'_>,
    ) -> Result<Vec<(usize, f64)>, StoreError> {
        if self.is_exact() {
            return Ok(Vec::new());
        }
        let best = best_places(known, n);
        let texts: Vec<u32> = best.iter().map(|&place| text_of(place)).collect();
        let real = rescore(&texts)?;
        Ok(best.into_iter().zip(real.iter().map(|vector| f64::from(dot(query, vector)))).collect())
    }

    /// The vector of the text at `position`, of an index over codes an approximate one; zeros where it has none.
    pub fn vector(&self, position: u32) -> Vec<f32> {
        let row = position as usize * self.dim..(position as usize + 1) * self.dim;
        match &self.rows {
            Rows::Exact(rows) => rows[row].to_vec(),
            Rows::Compact(codes) => {
                let (codes, scales) = codes.parts();
                codes[row].iter().map(|code| f32::from(*code) * scales[position as usize]).collect()
            }
        }
    }

    /// Length of the mean of the vectors of `texts`, for mean pooling; 0 where none has one.
    pub fn mean_norm(&self, texts: &[u32]) -> f64 {
        let mut sum = vec![0.0f64; self.dim];
        let mut count = 0.0;
        for &text in texts.iter().filter(|text| self.has(**text as usize)) {
            let row = text as usize * self.dim..(text as usize + 1) * self.dim;
            match &self.rows {
                Rows::Exact(rows) => sum.iter_mut().zip(&rows[row]).for_each(|(s, x)| *s += f64::from(*x)),
                Rows::Compact(codes) => {
                    let (codes, scales) = codes.parts();
                    let scale = f64::from(scales[text as usize]);
                    sum.iter_mut().zip(&codes[row]).for_each(|(s, x)| *s += f64::from(*x) * scale);
                }
            }
            count += 1.0;
        }
        if count == 0.0 { 0.0 } else { sum.iter().map(|s| s * s).sum::<f64>().sqrt() / count }
    }

    pub(crate) fn parts(&self) -> (&[bool], Parts<'_>) {
        let rows = match &self.rows {
            Rows::Exact(rows) => Parts::Exact(rows),
            Rows::Compact(codes) => {
                let (codes, scales) = codes.parts();
                Parts::Compact(codes, scales)
            }
        };
        (&self.present, rows)
    }

    pub(crate) fn from_exact(dim: usize, present: Vec<bool>, rows: Vec<f32>) -> Option<Self> {
        (rows.len() == dim * present.len()).then_some(Self {
            dim,
            present,
            rows: Rows::Exact(rows),
            limit: EXACT_LIMIT,
        })
    }

    pub(crate) fn from_codes(dim: usize, present: Vec<bool>, codes: Vec<i8>, scales: Vec<f32>) -> Option<Self> {
        let codes = Codes::from_parts(dim, codes, scales).filter(|codes| codes.parts().1.len() == present.len())?;
        Some(Self { dim, present, rows: Rows::Compact(codes), limit: EXACT_LIMIT })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::Scan;

    fn similarities(index: &DenseIndex, query: &[f32], texts: &[u32]) -> Vec<Option<f64>> {
        let mut found = Vec::new();
        Scan::new(index, query, texts).each(|_, cosine| found.push(cosine));
        found
    }

    /// Pseudo-random unit vectors: reproducible, spread over the sphere.
    fn vectors(n: usize, dim: usize) -> Vec<Vec<f32>> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        (0..n)
            .map(|_| {
                let v: Vec<f32> = (0..dim).map(|_| next()).collect();
                let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
                v.into_iter().map(|x| x / norm).collect()
            })
            .collect()
    }

    #[test]
    fn a_text_without_a_vector_has_no_similarity() {
        let mut index = DenseIndex::new(2);
        index.push(Some(&[1.0, 0.0]));
        index.push(None);
        index.push(Some(&[0.6, 0.8]));
        let found = similarities(&index, &[1.0, 0.0], &[2, 1, 0]);
        assert_eq!(found, [Some(f64::from(0.6f32)), None, Some(1.0)]);
        assert_eq!(index.vectors(), 2);
    }

    #[test]
    fn a_large_index_ranks_its_best_like_an_exact_scan() {
        let rows = vectors(EXACT_LIMIT + 1000, 32);
        let mut index = DenseIndex::new(32);
        rows.iter().for_each(|row| index.push(Some(row)));
        assert!(!index.is_exact());
        let real = |texts: &[u32]| {
            let data = texts.iter().flat_map(|&t| rows[t as usize].clone()).collect();
            Ok(Vectors::new(32, data).unwrap())
        };
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let query = &rows[17];
        let exact = |i: usize| f64::from(dot(query, &rows[i]));
        let mut found: Vec<f64> = similarities(&index, query, &all).into_iter().flatten().collect();
        assert!((0..rows.len()).all(|i| (found[i] - exact(i)).abs() < 0.02));
        let known = found.clone().into_iter().enumerate();
        for (i, cosine) in index.rescored((query, 256), known, |i| i as u32, &real).unwrap() {
            found[i] = cosine;
        }
        let best = |score: &dyn Fn(usize) -> f64| {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
            order.truncate(50);
            order
        };
        assert_eq!(best(&|i| found[i]), best(&exact));
        assert_eq!(found[17], exact(17));
    }

    #[test]
    fn mean_norm_by_hand() {
        let mut index = DenseIndex::new(2);
        index.push(Some(&[1.0, 0.0]));
        index.push(Some(&[0.0, 1.0]));
        assert!((index.mean_norm(&[0, 1]) - 0.5f64.sqrt()).abs() < 1e-12);
        assert_eq!(index.mean_norm(&[]), 0.0);
    }
}
