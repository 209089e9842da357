//! What each piece brings: `hybrid` without it, and the plain pipeline with it alone.

use aforesaid::Pipeline;

use super::{
    Findings,
    corpus::Corpus,
    gains::{Gain, adjust},
    ground::Stage,
    pieces::{PIECES, Piece, all, bare, hybrid, plain},
};
use crate::{
    Section, StudyError,
    figures::{BarSeries, Bars, Estimate, Titles},
};
use aforesaid_eval::{
    measures::{Evaluation, Measure},
    reports::{Table, four},
};

/// Pieces in one figure; more would be too thin to read.
const DRAWN: usize = 6;

/// Evaluations by piece, in the order of [`all`]; `None` where the piece changes nothing.
pub(super) struct Ablation {
    pub(super) without: Vec<Option<Evaluation>>,
    plain: Evaluation,
    alone: Vec<Option<Evaluation>>,
}

impl Ablation {
    pub(super) fn of(stage: &Stage<'_>) -> Result<Self, StudyError> {
        let (default, bare, plain) = (hybrid(), bare()?, plain()?);
        let measure = |piece: &Piece, changed: Option<(Pipeline, Corpus)>| match (changed, piece.left_out()) {
            (None, _) => Ok(None),
            (_, Some(corpus)) if !stage.differs_without(corpus) => Ok(None),
            (Some((pipeline, corpus)), _) => stage.evaluate(piece.name, &pipeline, corpus).map(Some),
        };
        let without = |piece: &Piece| measure(piece, piece.without(&default, &bare));
        let alone = |piece: &Piece| measure(piece, piece.alone(&plain, &default));
        Ok(Self {
            without: all().map(without).collect::<Result<_, _>>()?,
            plain: stage.evaluate("plain", &plain, Corpus::PLAIN)?,
            alone: all().map(alone).collect::<Result<_, _>>()?,
        })
    }
}

/// What pieces do to a base, everywhere and by every measure.
struct Changes<'a> {
    columns: Vec<Column<'a>>,
}

struct Column<'a> {
    findings: &'a Findings,
    measure: Measure,
    base: f64,
    /// By piece.
    gains: Vec<Option<Gain>>,
}

impl<'a> Changes<'a> {
    /// `side` gives the base and what becomes of it with each piece changed.
    fn new(
        all_findings: &'a [Findings],
        side: impl Fn(&'a Findings) -> (&'a Evaluation, &'a [Option<Evaluation>]),
    ) -> Result<Self, StudyError> {
        let mut columns = Vec::new();
        for findings in all_findings {
            let (base, changed) = side(findings);
            for &measure in findings.against.plan.measures {
                let gain = |changed: &Evaluation| findings.against.resampling.gain_in(measure, base, changed);
                let mut gains = changed.iter().map(|changed| changed.as_ref().map(gain).transpose()).collect::<Result<
                    Vec<_>,
                    _,
                >>(
                )?;
                adjust(gains.iter_mut().flatten())?;
                columns.push(Column { findings, measure, base: base.mean(measure).unwrap_or_default(), gains });
            }
        }
        Ok(Self { columns })
    }

    /// Pieces that change something somewhere, with their places.
    fn rows(&self) -> impl Iterator<Item = (usize, &'static Piece)> {
        all().enumerate().filter(|(place, _)| self.columns.iter().any(|column| column.gains[*place].is_some()))
    }

    /// Every measure: the base's, then what each piece adds to it.
    fn every_measure(&self, base: &str) -> Table {
        let mut table = Table::new(["piece"]);
        table
            .head
            .extend(self.columns.iter().map(|column| format!("{} {}", column.findings.name(), word(column.measure))));
        table.push([base.to_owned()].into_iter().chain(self.columns.iter().map(|column| four(column.base))));
        for (place, piece) in self.rows() {
            let cell = |column: &Column<'_>| column.gains[place].map(|gain| gain.marked()).unwrap_or_default();
            table.push([piece.name.to_owned()].into_iter().chain(self.columns.iter().map(cell)));
        }
        table
    }

    fn by_mrr(&self) -> impl Iterator<Item = &Column<'a>> {
        self.columns.iter().filter(|column| column.measure == Measure::Mrr)
    }

    /// MRR with intervals.
    fn intervals(&self) -> Table {
        let mut table = Table::new(["piece"]);
        table.head.extend(self.by_mrr().map(|column| column.findings.name().to_owned()));
        for (place, piece) in self.rows() {
            let cell = |column: &Column<'_>| column.gains[place].map(|gain| gain.with_interval()).unwrap_or_default();
            table.push([piece.name.to_owned()].into_iter().chain(self.by_mrr().map(cell)));
        }
        table
    }

    /// Bars of the change of MRR, for the pieces at these places.
    fn figure(&self, title: &str, stem: &str, places: &[(usize, &'static Piece)]) -> Result<Section, StudyError> {
        let estimate = |gain: &Gain| Estimate {
            value: 100.0 * gain.paired.difference,
            interval: Some((100.0 * gain.paired.low, 100.0 * gain.paired.high)),
        };
        let nothing = Estimate { value: 0.0, interval: None };
        let series = |column: &Column<'_>| BarSeries {
            name: column.findings.name().to_owned(),
            values: places.iter().map(|(place, _)| column.gains[*place].as_ref().map_or(nothing, estimate)).collect(),
        };
        let figure = Bars {
            titles: Titles {
                chart: "hybrid without a piece".to_owned(),
                x: "piece taken away".to_owned(),
                y: "change of MRR, points".to_owned(),
            },
            groups: places.iter().map(|(_, piece)| piece.name.to_owned()).collect(),
            series: self.by_mrr().map(series).collect(),
            references: Vec::new(),
            notes: Vec::new(),
            decimals: 1,
        };
        Ok(Section::figure(title, "", stem, figure.draw()?))
    }

    fn figures(&self) -> Result<Vec<Section>, StudyError> {
        let (pieces, legs): (Vec<_>, Vec<_>) = self.rows().partition(|(place, _)| *place < PIECES.len());
        let figures = pieces.len().div_ceil(DRAWN).max(1);
        let mut drawn: Vec<&[(usize, &'static Piece)]> = pieces.chunks(pieces.len().div_ceil(figures).max(1)).collect();
        drawn.push(&legs);
        (1..)
            .zip(drawn.into_iter().filter(|places| !places.is_empty()))
            .map(|(number, places)| {
                let title = format!("Figure {number}: hybrid without a piece");
                self.figure(&title, &format!("figure-{number}-ablation"), places)
            })
            .collect()
    }
}

/// A measure as tables of the studies write it.
pub(super) fn word(measure: Measure) -> String {
    match measure {
        Measure::HitAt(k) => format!("Hit@{k}"),
        Measure::RecallAt(k) => format!("R@{k}"),
        Measure::Mrr => "MRR".to_owned(),
        other => other.to_string(),
    }
}

const MARKS: &str = "A star marks a change that is significant at 5% by the paired bootstrap, two-sided, after Holm's \
    correction over the pieces of its column.";

pub(super) fn sections(findings: &[Findings]) -> Result<Vec<Section>, StudyError> {
    let without = Changes::new(findings, |f| (&f.against.default, &f.ablation.without))?;
    let alone = Changes::new(findings, |f| (&f.ablation.plain, &f.ablation.alone))?;
    let mut sections = vec![
        Section::table(
            "Without a piece",
            format!(
                "`hybrid`, and by how many points it changes when a piece is taken away: below zero, the piece \
                 helps. What is taken away is replaced by the same part of `{}`; without a leg the other one ranks. \
                 {MARKS}",
                bare()?
            ),
            without.every_measure("hybrid"),
        ),
        Section::table("Without a piece, MRR with intervals", "", without.intervals()),
    ];
    sections.extend(without.figures()?);
    sections.push(Section::table(
        "A piece alone",
        format!("`{}` without image captions and with one vector a turn, and what each piece of `hybrid` adds to it. {MARKS}", plain()?),
        alone.every_measure("plain"),
    ));
    sections.push(Section::table("A piece alone, MRR with intervals", "", alone.intervals()));
    Ok(sections)
}
