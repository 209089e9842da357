//! Lines over a parameter.

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, VPos},
};

use super::{
    Estimate, Figure, FigureError, Reference, Titles,
    canvas::{self, COLOURS, INK, Plot, text, tick},
    error::{check_count, check_estimate, check_number},
};

/// A line chart: values over a number, such as the weight of a leg.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lines {
    /// The texts around it.
    pub titles: Titles,
    /// What is compared.
    pub series: Vec<LineSeries>,
    /// Lines to compare with.
    pub references: Vec<Reference>,
    /// Points to name.
    pub marks: Vec<Mark>,
    /// The vertical axis; `None` fits it to the data.
    pub range: Option<(f64, f64)>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineSeries {
    /// Name in the legend; empty for none.
    pub name: String,
    /// Its points, joined in this order.
    pub points: Vec<Point>,
}

/// A value at a number. A band joins the intervals of consecutive points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where on the horizontal axis.
    pub x: f64,
    /// Where on the vertical axis.
    pub y: Estimate,
}

/// A point that has a ring and a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The point.
    pub point: Point,
    /// Words such as `best alpha = 0.35`.
    pub label: String,
}

/// Longer lines have no markers.
const MOST_MARKERS: usize = 30;

type Failed = DrawingAreaErrorKind<std::io::Error>;

impl Lines {
    /// Draws the chart.
    ///
    /// # Errors
    /// When there is nothing to draw, or a number is not finite.
    pub fn draw(&self) -> Result<Figure, FigureError> {
        self.check()?;
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = canvas::range(points().map(|point| point.x));
        let numbers = points().flat_map(|point| point.y.numbers());
        let y =
            self.range.unwrap_or_else(|| canvas::range(numbers.chain(self.references.iter().map(|line| line.value))));
        canvas::document(&self.titles, &names, |area| {
            let mut plot = canvas::axes(area, (x, y), 1)?;
            let mut mesh = plot.configure_mesh();
            mesh.x_desc(self.titles.x.as_str()).y_desc(self.titles.y.as_str());
            mesh.axis_style(INK).light_line_style(WHITE).label_style(text(HPos::Left, VPos::Top));
            mesh.x_label_formatter(&tick).y_label_formatter(&tick).draw()?;
            for (place, (series, colour)) in self.series.iter().zip(COLOURS).enumerate() {
                line(&mut plot, series, colour, place)?;
            }
            canvas::references(&mut plot, x, &self.references)?;
            for Mark { point, label } in &self.marks {
                let mark = EmptyElement::at((point.x, point.y.value))
                    + Circle::new((0, 0), 7, INK)
                    + Text::new(label.clone(), (0, -10), text(HPos::Center, VPos::Bottom));
                plot.draw_series(std::iter::once(mark))?;
            }
            Ok(())
        })
    }

    fn check(&self) -> Result<(), FigureError> {
        let chart = &self.titles.chart;
        check_count(chart, self.series.len())?;
        if self.series.iter().all(|series| series.points.is_empty()) {
            return Err(FigureError::Empty { chart: chart.clone(), missing: "points" });
        }
        for line in &self.references {
            check_number(chart, &line.label, line.value)?;
        }
        for LineSeries { name, points } in &self.series {
            for point in points {
                check_number(chart, name, point.x)?;
                check_estimate(chart, name, point.y)?;
            }
        }
        Ok(())
    }
}

fn line(plot: &mut Plot<'_, '_>, series: &LineSeries, colour: RGBColor, place: usize) -> Result<(), Failed> {
    let at = |point: &Point| (point.x, point.y.value);
    let bands = series.points.iter().filter_map(|point| Some((point.x, point.y.interval?)));
    let bands: Vec<(f64, (f64, f64))> = bands.collect();
    let upper = bands.iter().map(|(x, (_, high))| (*x, *high));
    let lower = bands.iter().rev().map(|(x, (low, _))| (*x, *low));
    let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
    plot.draw_series(std::iter::once(Polygon::new(outline, colour.mix(0.15))))?;
    plot.draw_series(plotters::series::LineSeries::new(series.points.iter().map(at), colour.stroke_width(2)))?;
    let marked = series.points.iter().filter(|_| series.points.len() <= MOST_MARKERS).map(at);
    match place % 3 {
        0 => plot.draw_series(marked.map(|at| Circle::new(at, 4, colour.filled()))).map(drop),
        1 => plot.draw_series(marked.map(|at| TriangleMarker::new(at, 5, colour.filled()))).map(drop),
        _ => plot.draw_series(marked.map(|at| Cross::new(at, 4, colour.stroke_width(2)))).map(drop),
    }
}
