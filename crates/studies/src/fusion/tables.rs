//! Tables 1 to 10, the combiners, and the shipped presets beside them.

use std::{collections::BTreeMap, path::Path};

use aforesaid::types::{Draft, Granularity};

use super::findings::{EARLY, Findings, LATE, OPERATORS};
use crate::{Section, StudyError};
use aforesaid_eval::{
    datasets::{Benchmark, DataSet, Group, Question},
    experiments::{Bench, CRITERION, Observer, System, try_system},
    measures::{Evaluation, Measure},
    recipe::Equipment,
    reports::{Table, four, points},
    statistics::{Paired, holm},
};

/// The study's measures (section 3): Hit@1, Recall@3, Recall@5, MRR, nDCG@5.
const FIVE: [Measure; 5] =
    [Measure::STANDARD[0], Measure::STANDARD[3], Measure::STANDARD[4], Measure::STANDARD[7], Measure::STANDARD[8]];

/// Bounds of the buckets of Table 10, in turns of the longest gold session.
const BUCKETS: [(&str, usize, usize); 4] =
    [("under 8", 0, 7), ("8 to 15", 8, 15), ("16 to 25", 16, 25), ("26 and more", 26, usize::MAX)];

pub(super) fn of_study(findings: &Findings, benchmark: &Benchmark, encoder: &str) -> Result<Vec<Section>, StudyError> {
    let (early, late) = (&findings.dense[EARLY], &findings.dense[LATE]);
    let fused = &findings.fused[LATE].chosen;
    Ok(vec![
        Section::table("Table 1: early and late interaction, Hit@1", "", early_late(findings, encoder)?),
        Section::table(
            "Table 2: early and late interaction, all measures",
            "",
            measures([("early (mean)", early), ("late (max-sim)", late)]),
        ),
        Section::table("Table 3: late interaction alone, and with BM25", "", with_bm25(findings)?),
        Section::table(
            "Table 4: BM25 and late interaction, all measures",
            "One row an operator; Table 4 of the study has max-sim.",
            measures(OPERATORS.iter().zip(&findings.fused).map(|((name, _), sweep)| (*name, &sweep.chosen))),
        ),
        Section::table(
            "Table 5: reference rows",
            "",
            measures([
                ("BM25", &findings.bm25),
                ("dense, mean-pool (early)", early),
                ("dense, max-sim (late)", late),
                ("BM25 + mean-pool", &findings.fused[EARLY].chosen),
                ("BM25 + max-sim", fused),
            ]),
        ),
        Section::note(
            "Table 6: cross-encoder",
            "Not run: a cross-encoder is fetched or a directory, and none was at hand. `Bench::reranked` measures one on \
             sessions. The study lost 6.88 points of Hit@1 by one.",
        ),
        Section::table("Table 7: pooling operators, Hit@1, dense alone", "", operators(findings)),
        Section::table("Table 9: Hit@1 by category", "", by_category(findings, benchmark)),
        Section::table(
            "Table 10: late minus early, Hit@1, by turns of the longest gold session",
            "",
            by_length(findings, benchmark),
        ),
        Section::table(
            "Combiners of BM25 and max-sim",
            "The decision record left open whether a convex combination beats reciprocal rank fusion; here they are \
             on the same legs. Differences are to zscore.",
            combiners(findings)?,
        ),
    ])
}

fn mean(evaluation: &Evaluation, measure: Measure) -> String {
    evaluation.mean(measure).map(four).unwrap_or_default()
}

fn interval(gain: &Paired) -> String {
    format!("{} [{}, {}]", points(gain.difference), points(gain.low), points(gain.high))
}

fn measures<'a>(rows: impl IntoIterator<Item = (&'a str, &'a Evaluation)>) -> Table {
    let mut table = Table::new(["system", "Hit@1", "R@3", "R@5", "MRR", "nDCG@5"]);
    for (name, evaluation) in rows {
        table.push([name.to_owned()].into_iter().chain(FIVE.map(|measure| mean(evaluation, measure))));
    }
    table
}

fn early_late(findings: &Findings, encoder: &str) -> Result<Table, StudyError> {
    let (early, late) = (&findings.dense[EARLY], &findings.dense[LATE]);
    let gain = findings.gain(early, late, CRITERION)?;
    let mut table = Table::new(["encoder", "early", "late", "late - early, points [95%]", "p", "BM25"]);
    table.push([
        encoder.to_owned(),
        mean(early, CRITERION),
        mean(late, CRITERION),
        interval(&gain),
        gain.p_text(),
        mean(&findings.bm25, CRITERION),
    ]);
    Ok(table)
}

fn with_bm25(findings: &Findings) -> Result<Table, StudyError> {
    let mut table =
        Table::new(["operator", "alone", "with BM25", "gain, points [95%]", "p", "over BM25", "weight of BM25"]);
    for ((name, _), (dense, fused)) in OPERATORS.iter().zip(findings.dense.iter().zip(&findings.fused)) {
        let gain = findings.gain(dense, &fused.chosen, CRITERION)?;
        let over = findings.gain(&findings.bm25, &fused.chosen, CRITERION)?;
        table.push([
            (*name).to_owned(),
            mean(dense, CRITERION),
            mean(&fused.chosen, CRITERION),
            interval(&gain),
            gain.p_text(),
            interval(&over),
            fused.weights_text(),
        ]);
    }
    Ok(table)
}

fn operators(findings: &Findings) -> Table {
    let mut table = Table { head: OPERATORS.iter().map(|(name, _)| (*name).to_owned()).collect(), rows: Vec::new() };
    table.push(findings.dense.iter().map(|evaluation| mean(evaluation, CRITERION)));
    table
}

/// Places of the questions of each category, in alphabetical order.
pub(super) fn categories(benchmark: &Benchmark) -> BTreeMap<&str, Vec<usize>> {
    let mut categories: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, question) in benchmark.questions().enumerate() {
        categories.entry(question.category.as_deref().unwrap_or("none")).or_default().push(place);
    }
    categories
}

fn by_category(findings: &Findings, benchmark: &Benchmark) -> Table {
    let mut table = Table::new(["category", "n", "BM25", "dense", "fusion", "fusion - BM25, points"]);
    for (category, places) in categories(benchmark) {
        let over = |evaluation: &Evaluation| evaluation.mean_over(CRITERION, &places).unwrap_or_default();
        let (bm25, dense) = (over(&findings.bm25), over(&findings.dense[LATE]));
        let fused = over(&findings.fused[LATE].chosen);
        let cells = [category.to_owned(), places.len().to_string(), four(bm25), four(dense), four(fused)];
        table.push(cells.into_iter().chain([points(fused - bm25)]));
    }
    table
}

fn by_length(findings: &Findings, benchmark: &Benchmark) -> Table {
    let lengths: Vec<usize> = benchmark
        .groups
        .iter()
        .flat_map(|group| group.questions.iter().map(move |question| longest_gold(group, question)))
        .collect();
    let mut table = Table::new(["turns", "n", "early", "late", "late - early, points"]);
    for (name, from, to) in BUCKETS {
        let places: Vec<usize> = (0..lengths.len()).filter(|&i| (from..=to).contains(&lengths[i])).collect();
        let over = |evaluation: &Evaluation| evaluation.mean_over(CRITERION, &places);
        if let (Some(early), Some(late)) = (over(&findings.dense[EARLY]), over(&findings.dense[LATE])) {
            table.push([name.to_owned(), places.len().to_string(), four(early), four(late), points(late - early)]);
        }
    }
    table
}

fn longest_gold(group: &Group, question: &Question) -> usize {
    let turns_of = |session: &String| {
        let of_session = |draft: &&Draft| matches!(draft, Draft::Turn(turn) if turn.session.as_str() == session);
        group.memories.iter().filter(of_session).count()
    };
    question.gold.iter().map(turns_of).max().unwrap_or(0)
}

fn combiners(findings: &Findings) -> Result<Table, StudyError> {
    let zscore = &findings.fused[LATE];
    let mut gains = Vec::new();
    for combiner in &findings.combiners {
        gains.push(findings.gain(&zscore.chosen, &combiner.evaluation, CRITERION)?);
    }
    // A combiner that is worse has p near 1 for being better: what is asked is whether it differs.
    let two_sided: Vec<f64> = gains.iter().map(|gain| (2.0 * gain.p.min(1.0 - gain.p)).min(1.0)).collect();
    let adjusted = holm(&two_sided)?;
    let mut table =
        Table::new(["combiner", "weight of BM25", "Hit@1", "R@5", "MRR", "Hit@1, points [95%]", "p, two-sided (Holm)"]);
    let row = |name: &str, weights: &str, evaluation: &Evaluation| {
        let [hit, _, recall, mrr, _] = FIVE.map(|measure| mean(evaluation, measure));
        [name.to_owned(), weights.to_owned(), hit, recall, mrr]
    };
    table.push(row("zscore, LOCO weight", &zscore.weights_text(), &zscore.chosen));
    for ((combiner, gain), p) in findings.combiners.iter().zip(&gains).zip(adjusted) {
        let cells = row(combiner.name, &combiner.weights, &combiner.evaluation);
        table.push(cells.into_iter().chain([interval(gain), four(p)]));
    }
    Ok(table)
}

/// The presets people get, on the same questions, captions and all.
pub(super) fn shipped(
    benchmark: &Benchmark,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Section, StudyError> {
    let systems = ["lexical", "hybrid"].map(str::parse::<System>);
    let mut evaluations = Vec::new();
    let mut bench = None;
    for system in systems {
        let system = system?;
        let bench = match &mut bench {
            Some(bench) => bench,
            none => none.insert(Bench::new(benchmark, &equipment.setup(system.captions), observe)?),
        };
        evaluations.push((system.name.clone(), try_system(bench, &system, &Measure::STANDARD, observe)?.evaluation));
    }
    let rows = evaluations.iter().map(|(name, evaluation)| (name.as_str(), evaluation));
    Ok(Section::table(
        "The shipped presets on the same questions",
        "With image captions, as `aforesaid import` indexes them. The presets' weights were set on this data.",
        measures(rows),
    ))
}

const BOUNDARY: &str = "Table 8: LongMemEval-S";

pub(super) fn no_longmemeval() -> Section {
    Section::note(BOUNDARY, "Not run: no LongMemEval file was given (`--longmemeval PATH`).")
}

pub(super) fn longmemeval(path: &Path, equipment: &Equipment, observe: &Observer<'_>) -> Result<Section, StudyError> {
    let benchmark = DataSet::LongMemEval.load(path, Granularity::Session)?;
    let mut table = Table::new(["method", "Hit@1", "R@3", "R@5", "MRR", "nDCG@5"]);
    let mut systems = vec![
        ("BM25", "paper-bm25"),
        ("dense, early (mean)", "paper-dense-mean"),
        ("dense, late (max-sim)", "paper-dense-max"),
        ("dense, late (top-3)", "paper-dense-top3"),
        ("RRF(BM25, late)", "rrf(60, 1, 1, paper-bm25, dense(max))"),
    ];
    // One history has nothing to choose a weight on.
    if benchmark.groups.len() > 1 {
        systems.push(("BM25 + late", "paper-fusion-max"));
    }
    let first: System = systems[0].1.parse()?;
    let bench = Bench::new(&benchmark, &equipment.setup(first.captions), observe)?;
    for (name, spec) in systems {
        let evaluation = try_system(&bench, &spec.parse()?, &Measure::STANDARD, observe)?.evaluation;
        table.push([name.to_owned()].into_iter().chain(FIVE.map(|measure| mean(&evaluation, measure))));
    }
    let note = format!(
        "{} questions, each over its own history; the study took 150 of them, which it does not list.",
        benchmark.questions().count()
    );
    Ok(Section::table(BOUNDARY, note, table))
}
