//! Figure 5 of the paper: what the number of questions and the depth bring.

use super::{DEPTHS, Grid, QUESTIONS, Section, Strategy, recall};
use crate::{
    StudyError,
    figures::{Estimate, LineSeries, Lines, Point, Titles},
};
use aforesaid_eval::{
    measures::Evaluation,
    statistics::{RESAMPLES, SEED, cluster_bootstrap},
};

pub(super) fn of_study(turns: &Grid) -> Result<Vec<Section>, StudyError> {
    Ok(vec![by_questions(turns)?, by_depth(turns)?])
}

fn estimate(grid: &Grid, evaluation: &Evaluation, k: usize) -> Result<Estimate, StudyError> {
    let values = evaluation.values(recall(k)).unwrap_or_default();
    let interval = cluster_bootstrap(values, &grid.clusters, RESAMPLES, SEED)?;
    Ok(Estimate { value: interval.mean, interval: Some((interval.low, interval.high)) })
}

fn by_questions(turns: &Grid) -> Result<Section, StudyError> {
    let mut series = Vec::new();
    for strategy in Strategy::ALL {
        let mut points = Vec::new();
        for questions in QUESTIONS {
            if let Some(evaluation) = turns.at(strategy, questions) {
                points.push(Point { x: questions as f64, y: estimate(turns, evaluation, 5)? });
            }
        }
        series.push(LineSeries { name: strategy.to_string(), points });
    }
    let titles = Titles {
        chart: "Cue questions a turn".to_owned(),
        x: "questions at the most".to_owned(),
        y: "turn Recall@5".to_owned(),
    };
    let figure = Lines { titles, series, ..Lines::default() }.draw()?;
    let note = "Bands are 95% intervals over conversations.";
    Ok(Section::figure("Figure 5, right: the number of questions", note, "figure-5-questions", figure))
}

fn by_depth(turns: &Grid) -> Result<Section, StudyError> {
    let mut series = Vec::new();
    for strategy in Strategy::ALL {
        let Some(evaluation) = turns.at(strategy, 3) else { continue };
        let mut points = Vec::new();
        for depth in [5, 10, 20].into_iter().chain(DEPTHS) {
            points.push(Point { x: depth as f64, y: estimate(turns, evaluation, depth)? });
        }
        series.push(LineSeries { name: strategy.to_string(), points });
    }
    let titles = Titles {
        chart: "How deep a judge would have to look".to_owned(),
        x: "candidates".to_owned(),
        y: "turn recall".to_owned(),
    };
    let figure = Lines { titles, series, ..Lines::default() }.draw()?;
    let note = "The share of gold among so many candidates, with all recorded questions and no judge.";
    Ok(Section::figure("Figure 5, left: the depth", note, "figure-5-depth", figure))
}
