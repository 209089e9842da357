//! Tables beside the paper's.

use super::{DEPTHS, Grid, QUESTIONS, Section, Strategy, published, recall};
use aforesaid_eval::{
    measures::{Evaluation, Measure},
    reports::{Table, four},
};

pub(super) fn of_study(turns: &Grid, sessions: &Grid) -> Vec<Section> {
    vec![
        Section::table("Strategies, turns", "", strategies(turns, &super::turn_measures())),
        Section::table("Strategies, sessions", "", strategies(sessions, &super::session_measures())),
        Section::table(
            "Table 1: sessions, Recall@5 by category, per cent",
            "Ours are without any judge, from all recorded questions.",
            by_category(sessions),
        ),
        Section::table(
            "Table 3: turns, Recall@5, per cent",
            "By category only ours: the paper's columns of this table and of its Table 1 do not fit each other.",
            turns_by_category(turns),
        ),
        Section::table(
            "What a judge could reach: turns, Recall at k_ret",
            format!(
                "The share of gold among the candidates that a judge would be shown; the paper's concat has \
                 {:.3} at 40.",
                published::CEILING / 100.0
            ),
            ceiling(turns),
        ),
    ]
}

fn mean(evaluation: Option<&Evaluation>, measure: Measure) -> String {
    evaluation.and_then(|evaluation| evaluation.mean(measure)).map(four).unwrap_or_default()
}

/// Every strategy with every number of questions.
fn strategies(grid: &Grid, measures: &[Measure]) -> Table {
    let mut table = Table::new(["strategy", "n_q"]);
    table.head.extend(measures.iter().map(Measure::to_string));
    for strategy in Strategy::ALL {
        for questions in QUESTIONS {
            let cells = measures.iter().map(|&measure| mean(grid.at(strategy, questions), measure));
            table.push([strategy.to_string(), questions.to_string()].into_iter().chain(cells));
        }
    }
    table
}

pub(super) fn percent(value: f64) -> String {
    format!("{:.1}", 100.0 * value)
}

/// Recall@5 of one evaluation, by category and overall.
fn row(grid: &Grid, name: String, evaluation: &Evaluation) -> Vec<String> {
    let of = |(_, places): (&str, Vec<usize>)| evaluation.mean_over(recall(5), &places);
    let cells = grid.categories().into_iter().map(of).chain([evaluation.mean(recall(5))]);
    [name].into_iter().chain(cells.map(|mean| mean.map(percent).unwrap_or_default())).collect()
}

fn head() -> Table {
    let mut table = Table::new(["system"]);
    table.head.extend(published::CATEGORIES.map(str::to_owned));
    table.head.push("all".to_owned());
    table
}

fn ours(grid: &Grid, table: &mut Table) {
    for questions in [0, 3] {
        for strategy in Strategy::ALL {
            if let Some(evaluation) = grid.at(strategy, questions) {
                table.push(row(grid, format!("{strategy}, n_q {questions}"), evaluation));
            }
        }
    }
}

fn by_category(sessions: &Grid) -> Table {
    let mut table = head();
    for (name, by_category, all) in published::SESSIONS {
        let cells = by_category.into_iter().chain([all]).map(|value| format!("{value:.1}"));
        table.push([name.to_owned()].into_iter().chain(cells));
    }
    ours(sessions, &mut table);
    table
}

fn turns_by_category(turns: &Grid) -> Table {
    let mut table = head();
    for (name, all) in published::TURNS {
        let empty = published::CATEGORIES.map(|_| String::new());
        table.push([name.to_owned()].into_iter().chain(empty).chain([format!("{all:.1}")]));
    }
    ours(turns, &mut table);
    table
}

fn ceiling(turns: &Grid) -> Table {
    let mut table = Table::new(["strategy", "n_q"]);
    table.head.extend(DEPTHS.map(|depth| format!("recall@{depth}")));
    for strategy in Strategy::ALL {
        for questions in QUESTIONS {
            let cells = DEPTHS.map(|depth| mean(turns.at(strategy, questions), recall(depth)));
            table.push([strategy.to_string(), questions.to_string()].into_iter().chain(cells));
        }
    }
    table
}
