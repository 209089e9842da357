//! What both kinds of charts have: title, legend, axes, reference lines.

use plotters::{
    coord::{Shift, types::RangedCoordf64},
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{Figure, FigureError, Reference, Titles};

/// Colours of the series, in an order that sets dark beside light.
pub(super) const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
];

/// Colour of axes, texts and intervals.
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);

const WIDTH: u32 = 760;
const HEIGHT: u32 = 480;
/// Font size of all texts but the title, in the unit of plotters: an em of the SVG has 1 / 1.24 of it.
pub(super) const FONT: i32 = 15;
const TITLE: i32 = 20;
/// Mean width of a character, in pixels. The library cannot measure text without a system font.
pub(super) const CHARACTER: f64 = 6.3;
const LINE: i32 = 16;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Failed = DrawingAreaErrorKind<std::io::Error>;

/// Draws a document: the title and the legend, and below them what `plot` draws.
pub(super) fn document(
    titles: &Titles,
    names: &[&str],
    plot: impl FnOnce(&Area<'_>) -> Result<(), Failed>,
) -> Result<Figure, FigureError> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
        let draw = || -> Result<(), Failed> {
            root.fill(&WHITE)?;
            let head = head(&root, titles, names)?;
            let (_, rest) = root.split_vertically(head);
            plot(&rest)?;
            root.present()
        };
        draw().map_err(|error| FigureError::Drawing { chart: titles.chart.clone(), why: error.to_string() })?;
    }
    Ok(Figure { svg })
}

/// Draws the title and the legend; returns the height that they take.
fn head(root: &Area<'_>, titles: &Titles, names: &[&str]) -> Result<i32, Failed> {
    let title = ("sans-serif", TITLE).into_font().color(&INK).pos(Pos::new(HPos::Center, VPos::Top));
    root.draw(&Text::new(titles.chart.clone(), (WIDTH as i32 / 2, 12), title))?;
    let (mut x, mut y) = (60, 44);
    for (name, colour) in names.iter().zip(COLOURS).filter(|(name, _)| !name.is_empty()) {
        let wide = 26 + (name.chars().count() as f64 * CHARACTER) as i32;
        if x > 60 && x + wide > WIDTH as i32 - 10 {
            (x, y) = (60, y + LINE + 4);
        }
        root.draw(&Rectangle::new([(x, y + 2), (x + 18, y + 12)], colour.filled()))?;
        root.draw(&Text::new((*name).to_owned(), (x + 24, y), text(HPos::Left, VPos::Top)))?;
        x += wide + 18;
    }
    Ok(y + LINE + 8)
}

/// The style of a text at a position of its box.
pub(super) fn text(horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    ("sans-serif", FONT).into_font().color(&INK).pos(Pos::new(horizontal, vertical))
}

/// Axes with `lines` lines of text below the horizontal one.
pub(super) fn axes<'a, 'b>(
    area: &'a Area<'b>,
    (x, y): ((f64, f64), (f64, f64)),
    lines: usize,
) -> Result<Plot<'a, 'b>, Failed> {
    ChartBuilder::on(area)
        .margin(10)
        .margin_right(20)
        .x_label_area_size(30 + LINE * i32::try_from(lines).unwrap_or(1))
        .y_label_area_size(62)
        .build_cartesian_2d(x.0..x.1, y.0..y.1)
}

/// Draws the reference lines, each named at the right.
pub(super) fn references(plot: &mut Plot<'_, '_>, (from, to): (f64, f64), lines: &[Reference]) -> Result<(), Failed> {
    for Reference { label, value } in lines {
        let ends = [(from, *value), (to, *value)];
        let line = plotters::series::DashedLineSeries::new(ends, 6, 4, INK.stroke_width(1));
        plot.draw_series(line)?;
        let at = (to, *value);
        let named = Text::new(format!("{label} "), at, text(HPos::Right, VPos::Bottom));
        plot.draw_series(std::iter::once(named))?;
    }
    Ok(())
}

/// The range of an axis: the numbers, with some room around them.
pub(super) fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), n| (low.min(n), high.max(n)));
    let room = if high > low { 0.06 * (high - low) } else { 0.05 * high.abs().max(1.0) };
    (low - room, high + room)
}

/// A text in lines of at most `most` characters; a longer word has a line of its own.
pub(super) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Pixels from one line of text to the next.
pub(super) fn line_pitch() -> i32 {
    LINE
}

/// A tick's number, without digits that say nothing.
pub(super) fn tick(number: &f64) -> String {
    let text = format!("{number:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.replace('-', "\u{2212}") }
}

/// Pixels across of the whole chart.
pub(super) fn width() -> f64 {
    f64::from(WIDTH)
}
