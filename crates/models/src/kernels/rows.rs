//! Row-major matrices that may be a window of a wider one.

/// `count` rows of `width` components, `stride` components apart.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    data: &'a [f32],
    stride: usize,
    width: usize,
    count: usize,
}

impl<'a> Rows<'a> {
    /// Whole rows, one right after the other.
    pub(crate) fn whole(data: &'a [f32], width: usize) -> Self {
        Self { data, stride: width, width, count: data.len() / width }
    }

    /// Columns `column .. column + width` of rows `stride` wide.
    pub(crate) fn window(data: &'a [f32], stride: usize, column: usize, width: usize) -> Self {
        debug_assert!(column + width <= stride && data.len().is_multiple_of(stride));
        Self { data: &data[column.min(data.len())..], stride, width, count: data.len() / stride }
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
        &self.data[i * self.stride..][..self.width]
    }
}

/// [`Rows`] that can be written.
pub(crate) struct RowsMut<'a> {
    data: &'a mut [f32],
    stride: usize,
    width: usize,
    count: usize,
}

impl<'a> RowsMut<'a> {
    /// Whole rows, one right after the other.
    pub(crate) fn whole(data: &'a mut [f32], width: usize) -> Self {
        let count = data.len() / width;
        Self { data, stride: width, width, count }
    }

    /// Columns `column .. column + width` of rows `stride` wide.
    pub(crate) fn window(data: &'a mut [f32], stride: usize, column: usize, width: usize) -> Self {
        debug_assert!(column + width <= stride && data.len().is_multiple_of(stride));
        let count = data.len() / stride;
        let start = column.min(data.len());
        Self { data: &mut data[start..], stride, width, count }
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
        &mut self.data[i * self.stride..][..self.width]
    }
}
