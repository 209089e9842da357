//! The confidence of a search whose best hits the evidence reranker orders: how likely its first hit answers.

use aforesaid::{
    Pipeline, Reranking,
    formats::Captions,
    pipeline::confidence::{Basis, Confidence, Model, Signal, Signals, Target, shipped},
    types::Granularity,
};

use super::{
    ConfidenceStudy, cases,
    cases::{Case, MEETINGS, Sample, Source},
    charts, fit,
    fit::UNANSWERABLE,
    tables,
    tables::may_ship,
    variants::{published, without_gold},
};
use crate::{Section, Study, StudyError, encoder_of, place_of};
use aforesaid_eval::{
    EvalError,
    datasets::DataSet,
    experiments::{Bench, Observer},
    recipe::Equipment,
    reports::Table,
    statistics::Logistic,
};

/// The preset that is asked.
const SYSTEM: &str = "learned, reranked";

/// The data sets of the study. The dialogues' dev side and RealMem are none: the reranker learned from them.
const SOURCES: [Source; 13] = [
    Source::of(DataSet::Locomo, Granularity::Turn),
    Source::of(DataSet::Locomo, Granularity::Session),
    Source::of(DataSet::DialoguesTest, Granularity::Turn),
    Source::of(DataSet::DialoguesTest, Granularity::Session),
    Source { removed: true, ..Source::of(DataSet::Beam, Granularity::Turn) },
    Source { removed: true, ..Source::of(DataSet::Beam, Granularity::Session) },
    Source { removed: true, ..Source::of(DataSet::Assistants, Granularity::Turn) },
    Source { removed: true, ..Source::of(DataSet::Assistants, Granularity::Session) },
    Source { removed: true, ..Source::of(DataSet::Ranking, Granularity::Turn) },
    Source { removed: true, ..Source::of(DataSet::Ranking, Granularity::Session) },
    Source { removed: true, ..Source::of(DataSet::LongMemEvalPooled, Granularity::Turn) },
    Source { removed: true, ..Source::of(DataSet::LongMemEvalPooled, Granularity::Session) },
    Source { most: MEETINGS, ..Source::of(DataSet::QmSum, Granularity::Turn) },
];

/// What took part in a search before it is reranked.
const BEFORE: Basis = Basis { dense: true, reranked: false };

/// What the model is fitted on: the log odds of both models of the search before, and what the reranker says.
const ROW: [&str; 5] = ["first hit", "answerable", "rerank_score", "rerank_gap", "rerank_lead"];

/// Runs the study, and fits the coefficients to be shipped.
///
/// # Errors
/// When the data cannot be read, there is no encoder or no reranker, or a search fails.
pub fn reranked_confidence_study(
    study: &ConfidenceStudy<'_>,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of reranked confidence", equipment)?;
    let samples =
        SOURCES.iter().map(|source| gather(source, study, equipment, observe)).collect::<Result<Vec<_>, _>>()?;
    let fitted_on: Vec<&Sample> = samples.iter().filter(|sample| may_ship(sample)).collect();
    let model = fit::balanced(&fitted_on, Target::FirstHit)?;
    let sections = vec![
        Section::table("Questions", "", tables::counted(&samples)),
        Section::table(
            "Shipped coefficients on data never fitted on",
            "",
            tables::of_shipped(&samples, false, &[Target::FirstHit])?,
        ),
        Section::table(
            "Called strong",
            format!(
                "How many first hits are called strong, and how many of these are right. {:.0}% of the questions of each \
                 row count as having no answer.",
                100.0 * UNANSWERABLE
            ),
            tables::strong(&samples)?,
        ),
        Section::table(
            "Beside the confidence in the first hit before",
            "What the search says of the order before, held against the first hit after the reranker.",
            beside(&samples)?,
        ),
        Section::table(
            "Fitted on the other data sets",
            "As the shipped coefficients, but without the data set that they are tested on.",
            tables::another_data_set(&samples, &[Target::FirstHit])?,
        ),
        Section::table(
            "Signals alone",
            "AUROC of the first hit being right / of the question being answerable.",
            tables::signals(&samples)?,
        ),
        charts::by_set(&samples, Granularity::Turn, SYSTEM)?,
        charts::by_set(&samples, Granularity::Session, SYSTEM)?,
        Section::note(
            "Coefficients",
            format!(
                "Fitted in this run: {}. In the signals they belong into `crates/core/src/pipeline/confidence/coefficients.rs`.\n\n```rust\n{}```",
                weights(&model),
                fit::source(
                    "FIRST_HIT_RERANKED",
                    "That the first hit answers, by words, meaning and the evidence reranker.",
                    &in_signals(&model),
                    Basis { reranked: true, ..BEFORE },
                )
            ),
        ),
    ];
    Ok(Study {
        title: "Knowing that nothing is relevant, after the evidence reranker".to_owned(),
        preface: preface(&encoder),
        sections,
        questions: super::questions_csv(samples.iter())?,
    })
}

fn preface(encoder: &str) -> String {
    format!(
        "The probability that the first hit answers, where the evidence reranker orders the ten best of the default. It is \
         logistic in five numbers: the log odds of both probabilities that the search says of itself before, the score of the hit that \
         the reranker puts first, how far it is ahead of the next, and of the mean of the others. Encoder {encoder}.\n\n\
         Questions without an answer and intervals are those of the [study of confidence](../confidence/report.md). The \
         coefficients are fitted on BEAM, histories with an assistant, the conversations to rank from, LongMemEval (pooled) and 48 \
         meetings of QMSum, which count alike by row of the first table, with {:.0}% of each not answerable, in equal parts for \
         each reason; never on LoCoMo or on the dialogues' test side. RealMem and the dialogues' dev side are left out: the reranker \
         learned from their questions.",
        100.0 * UNANSWERABLE
    )
}

/// Asks all questions of a source, reranked.
fn gather(
    source: &Source,
    study: &ConfidenceStudy<'_>,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Sample, StudyError> {
    let none = || EvalError::NoReranker { system: SYSTEM.to_owned() };
    let reranker = equipment.reranker.as_deref().ok_or_else(none)?;
    let mut benchmark = source.dataset.load(&place_of(source.dataset, study.data), source.unit)?;
    benchmark.groups.truncate(source.most);
    let setup = equipment.setup(Captions::Keep);
    let mut sample = Sample { source: *source, system: SYSTEM, dense: true, cases: Vec::new() };
    let variants = [Some(published(&benchmark)), source.removed.then(|| without_gold(&benchmark))];
    for variant in variants.into_iter().flatten() {
        let bench = Bench::new(&variant.benchmark, &setup, observe)?;
        let reranking = Some(Reranking::new(reranker));
        sample.cases.extend(cases::ask(&bench, &variant, &Pipeline::learned(), reranking, observe)?);
    }
    Ok(sample)
}

/// The numbers of a case that the model is fitted on.
pub(super) fn row(signals: &Signals) -> Vec<f64> {
    let before = [Target::FirstHit, Target::Answerable].map(|target| shipped(target, BEFORE).log_odds(signals));
    let of_reranker = [Signal::RerankScore, Signal::RerankGap, Signal::RerankLead].map(|signal| signals.get(signal));
    before.into_iter().chain(of_reranker).collect()
}

/// The same model, linear in the signals themselves.
fn in_signals(model: &Logistic) -> Logistic {
    let before: [&Model; 2] = [Target::FirstHit, Target::Answerable].map(|target| shipped(target, BEFORE));
    let weight_in = |of: &Model, signal: Signal| {
        of.weights.iter().find(|(weighed, _)| *weighed == signal).map_or(0.0, |(_, weight)| *weight)
    };
    let weights = Signal::of(Basis { reranked: true, ..BEFORE }).map(|signal| match signal {
        Signal::RerankScore => model.weights[2],
        Signal::RerankGap => model.weights[3],
        Signal::RerankLead => model.weights[4],
        signal => before.iter().zip(&model.weights).map(|(of, weight)| weight * weight_in(of, signal)).sum(),
    });
    let intercepts = before.iter().zip(&model.weights).map(|(of, weight)| weight * of.intercept);
    Logistic { intercept: model.intercept + intercepts.sum::<f64>(), weights: weights.collect() }
}

/// The fitted weights in words.
fn weights(model: &Logistic) -> String {
    let each = ROW.iter().zip(&model.weights).map(|(name, weight)| format!("{name} {weight:.4}"));
    format!("intercept {:.4}, {}", model.intercept, each.collect::<Vec<_>>().join(", "))
}

/// What was said before and after, of the first hit after.
fn beside(samples: &[Sample]) -> Result<Table, StudyError> {
    let mut table = Table::new(["data", "confidence", "AUROC [95%]", "strong", "right of these", "ECE"]);
    let target = Target::FirstHit;
    for sample in samples {
        let before = |case: &Case| Case {
            confidence: Confidence::of(case.confidence.signals.map(Signals::before_reranking)),
            ..case.clone()
        };
        let before = Sample { cases: sample.cases.iter().map(before).collect(), ..*sample };
        for (name, of) in [("before", &before), ("after", sample)] {
            let probabilities = tables::shipped(of, target);
            let [_, auroc, ..] = tables::figures(&probabilities, of, target)?;
            let cells = [of.name(), name.to_owned(), auroc].into_iter();
            table.push(cells.chain(tables::called_strong(of, &probabilities)?));
        }
    }
    Ok(table)
}
