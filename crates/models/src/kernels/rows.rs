//! Row-major matrices.

/// `count` rows of `width` components.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    data: &'a [f32],
    width: usize,
    count: usize,
}

impl<'a> Rows<'a> {
    /// Whole rows, one right after the other.
    pub(crate) fn whole(data: &'a [f32], width: usize) -> Self {
        Self { data, width, count: data.len() / width }
    }

    /// How many rows there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Components of a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Row `i`.
    pub(crate) fn row(&self, i: usize) -> &'a [f32] {
        &self.data[i * self.width..][..self.width]
    }
}

/// [`Rows`] that can be written.
pub(crate) struct RowsMut<'a> {
    data: &'a mut [f32],
    width: usize,
    count: usize,
}

impl<'a> RowsMut<'a> {
    /// Whole rows, one right after the other.
    pub(crate) fn whole(data: &'a mut [f32], width: usize) -> Self {
        let count = data.len() / width;
        Self { data, width, count }
    }

    /// How many rows there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Components of a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Row `i`.
    pub(crate) fn row(&mut self, i: usize) -> &mut [f32] {
        &mut self.data[i * self.width..][..self.width]
    }
}
