//! Charts of a report, drawn with plotters as SVG.
//!
//! [`Bars`] compares systems over groups of questions, [`Lines`] shows a measure over a parameter. Series have the
//! colours of Okabe and Ito (2008), which people with any colour vision can tell apart.

mod bars;
mod canvas;
mod error;
mod lines;
#[cfg(test)]
mod tests;

pub use bars::{BarSeries, Bars};
pub use error::FigureError;
pub use lines::{LineSeries, Lines, Mark, Point};

/// A chart that has been drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The chart as an SVG document.
    pub svg: String,
}

/// The texts around a plot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Titles {
    /// Above the chart; errors name the chart by it.
    pub chart: String,
    /// Below the horizontal axis.
    pub x: String,
    /// Beside the vertical axis, with the unit.
    pub y: String,
}

/// A measured value and, where known, its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value, in the unit of the vertical axis.
    pub value: f64,
    /// Lower and upper end of the interval (95% by convention), in the same unit.
    pub interval: Option<(f64, f64)>,
}

impl Estimate {
    /// The value and the ends of its interval.
    fn numbers(self) -> impl Iterator<Item = f64> {
        let ends = self.interval.into_iter().flat_map(|(low, high)| [low, high]);
        std::iter::once(self.value).chain(ends)
    }
}

/// A horizontal line to compare with, named at the right of the plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Its name, such as `BM25`.
    pub label: String,
    /// Where it lies on the vertical axis.
    pub value: f64,
}
