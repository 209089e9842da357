//! Grouped vertical bars.

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, VPos},
};

use super::{
    Estimate, Figure, FigureError, Reference, Titles,
    canvas::{self, CHARACTER, COLOURS, INK, Plot, line_pitch, text, tick, wrapped},
    error::{check_count, check_estimate, check_number},
};

/// A bar chart: for each group a bar of every series, in the order given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bars {
    /// The texts around it.
    pub titles: Titles,
    /// Labels of the groups.
    pub groups: Vec<String>,
    /// What is compared.
    pub series: Vec<BarSeries>,
    /// Lines to compare with.
    pub references: Vec<Reference>,
    /// A text above each group; empty for none.
    pub notes: Vec<String>,
    /// Decimals of the values above the bars, where there are few enough bars to write them.
    pub decimals: usize,
}

/// One colour of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct BarSeries {
    /// Name in the legend.
    pub name: String,
    /// One value for each group.
    pub values: Vec<Estimate>,
}

/// Share of a group's slot that its bars fill.
const FILLED: f64 = 0.8;
/// Most bars whose values are written.
const MOST_VALUES: usize = 15;

type Failed = DrawingAreaErrorKind<std::io::Error>;

impl Bars {
    /// Draws the chart.
    ///
    /// # Errors
    /// When there is nothing to draw, a number is not finite, or a series has not one value a group.
    pub fn draw(&self) -> Result<Figure, FigureError> {
        self.check()?;
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let slot = (canvas::width() - 92.0) / self.groups.len() as f64;
        let labels: Vec<Vec<String>> =
            self.groups.iter().map(|group| wrapped(group, ((slot - 6.0) / CHARACTER) as usize)).collect();
        let lines = labels.iter().map(Vec::len).max().unwrap_or(1);
        let numbers = self.series.iter().flat_map(|series| &series.values).flat_map(|at| at.numbers());
        let numbers = numbers.chain(self.references.iter().map(|line| line.value)).chain([0.0]);
        let (low, high) = canvas::range(numbers);
        // Bars stand on the axis where none is negative.
        let low = if low > -0.07 * high { 0.0 } else { low };
        let high = if self.notes.is_empty() { high } else { high + 0.08 * (high - low) };
        let x = (0.0, self.groups.len() as f64);
        canvas::document(&self.titles, &names, |area| {
            let mut plot = canvas::axes(area, (x, (low, high)), lines)?;
            let mut mesh = plot.configure_mesh();
            mesh.disable_x_mesh().x_labels(0).x_desc(self.titles.x.as_str()).y_desc(self.titles.y.as_str());
            mesh.axis_style(INK).light_line_style(WHITE).label_style(text(HPos::Left, VPos::Top));
            mesh.y_label_formatter(&tick).draw()?;
            self.bars(&mut plot)?;
            canvas::references(&mut plot, x, &self.references)?;
            self.words(&mut plot, high)?;
            for (group, label) in labels.iter().enumerate() {
                let (x, y) = plot.backend_coord(&(group as f64 + 0.5, low));
                let (left, top) = area.get_base_pixel();
                for (line, words) in (0..).zip(label) {
                    let at = (x - left, y - top + 6 + line * line_pitch());
                    area.draw(&Text::new(words.clone(), at, text(HPos::Center, VPos::Top)))?;
                }
            }
            Ok(())
        })
    }

    fn check(&self) -> Result<(), FigureError> {
        let chart = &self.titles.chart;
        check_count(chart, self.series.len())?;
        if self.groups.is_empty() {
            return Err(FigureError::Empty { chart: chart.clone(), missing: "groups" });
        }
        for line in &self.references {
            check_number(chart, &line.label, line.value)?;
        }
        for BarSeries { name, values } in &self.series {
            if values.len() != self.groups.len() {
                let (chart, series, found) = (chart.clone(), name.clone(), values.len());
                return Err(FigureError::Uneven { chart, series, found, expected: self.groups.len() });
            }
            values.iter().try_for_each(|at| check_estimate(chart, name, *at))?;
        }
        Ok(())
    }

    /// Left and right end of a bar.
    fn ends(&self, group: usize, series: usize) -> (f64, f64) {
        let wide = FILLED / self.series.len() as f64;
        let left = group as f64 + (1.0 - FILLED) / 2.0 + series as f64 * wide;
        (left + 0.05 * wide, left + 0.95 * wide)
    }

    fn bars(&self, plot: &mut Plot<'_, '_>) -> Result<(), Failed> {
        for (series, (bars, colour)) in self.series.iter().zip(COLOURS).enumerate() {
            for (group, at) in bars.values.iter().enumerate() {
                let (left, right) = self.ends(group, series);
                let bar = Rectangle::new([(left, 0.0), (right, at.value)], colour.filled());
                plot.draw_series(std::iter::once(bar))?;
                if let Some((low, high)) = at.interval {
                    let middle = f64::midpoint(left, right);
                    let whisker = ErrorBar::new_vertical(middle, low, at.value, high, INK.filled(), 6);
                    plot.draw_series(std::iter::once(whisker))?;
                }
            }
        }
        let base = PathElement::new([(0.0, 0.0), (self.groups.len() as f64, 0.0)], INK);
        plot.draw_series(std::iter::once(base)).map(drop)
    }

    /// Writes the values above the bars and the notes above the groups.
    fn words(&self, plot: &mut Plot<'_, '_>, top: f64) -> Result<(), Failed> {
        let few = self.groups.len() * self.series.len() <= MOST_VALUES;
        for (series, bars) in self.series.iter().enumerate().filter(|_| few) {
            for (group, at) in bars.values.iter().enumerate() {
                let (left, right) = self.ends(group, series);
                let upper = at.numbers().fold(0.0, f64::max);
                let words = format!("{:.*}", self.decimals, at.value).replace('-', "\u{2212}");
                let above = EmptyElement::at((f64::midpoint(left, right), upper))
                    + Text::new(words, (0, -3), text(HPos::Center, VPos::Bottom));
                plot.draw_series(std::iter::once(above))?;
            }
        }
        for (group, note) in self.notes.iter().enumerate() {
            let at = (group as f64 + 0.5, top);
            let note = Text::new(note.clone(), at, text(HPos::Center, VPos::Top));
            plot.draw_series(std::iter::once(note))?;
        }
        Ok(())
    }
}
