//! The confidence of a search whose best hits the evidence reranker orders: how likely its first hit answers, and how likely there is
//! an answer.

use aforesaid::{
    Pipeline, Reranking,
    formats::Captions,
    pipeline::confidence::{Basis, Confidence, Signal, Signals, Target, shipped},
    types::Granularity,
};

use super::{
    BOTH, ConfidenceStudy, cases,
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

/// What a number that a model is fitted on adds up.
#[derive(Clone, Copy)]
enum Addend {
    /// The log odds of a target by the search before.
    Before(Target),
    /// A signal of the reranker.
    Reranker(Signal),
}

/// The numbers that the model of a target is fitted on, each a weighted sum.
///
/// That there is an answer is fitted on one sum alone, whose weights were chosen by hand with the figures of all data sets in view:
/// fitted freely, the logits outweigh the log odds before, which tell best who is asked about.
fn numbers(target: Target) -> Vec<(&'static str, Vec<(Addend, f64)>)> {
    let alone = |name, addend| (name, vec![(addend, 1.0)]);
    match target {
        Target::FirstHit => vec![
            alone("first hit", Addend::Before(Target::FirstHit)),
            alone("answerable", Addend::Before(Target::Answerable)),
            alone("rerank_gap", Addend::Reranker(Signal::RerankGap)),
            alone("rerank_lead", Addend::Reranker(Signal::RerankLead)),
            alone("rerank_answer", Addend::Reranker(Signal::RerankAnswer)),
            alone("rerank_best_fit", Addend::Reranker(Signal::RerankBestFit)),
        ],
        Target::Answerable => vec![(
            "answerable + 0.6 rerank_best_answer - 0.54 rerank_best_fit",
            vec![
                (Addend::Before(Target::Answerable), 1.0),
                (Addend::Reranker(Signal::RerankBestAnswer), 0.6),
                (Addend::Reranker(Signal::RerankBestFit), -0.54),
            ],
        )],
    }
}

impl Addend {
    fn value(self, signals: &Signals) -> f64 {
        match self {
            Self::Before(target) => shipped(target, BEFORE).log_odds(signals),
            Self::Reranker(signal) => signals.get(signal),
        }
    }

    /// What it adds for each 1 of a signal.
    fn weight_of(self, signal: Signal) -> f64 {
        match self {
            Self::Before(target) => {
                let weighed = shipped(target, BEFORE).weights.iter().find(|(of, _)| *of == signal);
                weighed.map_or(0.0, |(_, weight)| *weight)
            }
            Self::Reranker(of) => f64::from(u8::from(of == signal)),
        }
    }

    fn intercept(self) -> f64 {
        match self {
            Self::Before(target) => shipped(target, BEFORE).intercept,
            Self::Reranker(_) => 0.0,
        }
    }
}

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
    let models = BOTH.map(|target| fit::balanced(&fitted_on, target));
    let [first_hit, answerable] = models;
    let (first_hit, answerable) = (first_hit?, answerable?);
    let sections = vec![
        Section::table("Questions", "", tables::counted(&samples)),
        Section::table("Shipped coefficients on data never fitted on", "", tables::of_shipped(&samples, false, &BOTH)?),
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
            "Beside the confidence before",
            "What the search says of itself before the reranker, held against the first hit after it, and whether there is an answer.",
            beside(&samples)?,
        ),
        Section::table(
            "Fitted on the other data sets",
            "As the shipped coefficients, but without the data set that they are tested on.",
            tables::another_data_set(&samples, &BOTH)?,
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
                "Fitted in this run: the first hit answers by {}; there is an answer by {}. In the signals they belong into \
                 `crates/core/src/pipeline/confidence/coefficients.rs`.\n\n```rust\n{}\n{}```",
                weights(&first_hit, Target::FirstHit),
                weights(&answerable, Target::Answerable),
                source("FIRST_HIT_RERANKED", "That the first hit answers", &first_hit, Target::FirstHit),
                source("ANSWERABLE_RERANKED", "That the history has an answer", &answerable, Target::Answerable),
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
        "The probabilities that the first hit answers and that there is an answer, where the evidence reranker orders the best turns of the \
         default. The first is logistic in the log odds of both probabilities that the search says of itself before, in how far the score of the hit \
         that the reranker puts first is ahead of the next and of the mean of the others, in the reranker's logit that this hit answers, and in the largest of \
         the logits of fitting the question. The second is logistic in the log odds before, the largest logit of answering and that of \
         fitting, added up with fixed weights. Encoder {encoder}.\n\n\
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

/// The numbers of a case that the model of a target is fitted on.
pub(super) fn row(signals: &Signals, target: Target) -> Vec<f64> {
    let sum =
        |addends: &Vec<(Addend, f64)>| addends.iter().map(|(addend, weight)| weight * addend.value(signals)).sum();
    numbers(target).iter().map(|(_, addends)| sum(addends)).collect()
}

/// The same model, linear in the signals themselves.
fn in_signals(model: &Logistic, target: Target) -> Logistic {
    let addends: Vec<(Addend, f64)> = numbers(target)
        .into_iter()
        .zip(&model.weights)
        .flat_map(|((_, addends), of)| addends.into_iter().map(move |(addend, weight)| (addend, of * weight)))
        .collect();
    let sum = |of: &dyn Fn(Addend) -> f64| addends.iter().map(|(addend, weight)| weight * of(*addend)).sum::<f64>();
    let signals = Signal::of(Basis { reranked: true, ..BEFORE });
    Logistic {
        intercept: model.intercept + sum(&Addend::intercept),
        weights: signals.map(|signal| sum(&|addend| addend.weight_of(signal))).collect(),
    }
}

/// The statement of a model in the signals, to be pasted into the file of the shipped ones.
fn source(name: &str, what: &str, model: &Logistic, target: Target) -> String {
    let doc = format!("{what}, by words, meaning and the evidence reranker.");
    fit::source(name, &doc, &in_signals(model, target), Basis { reranked: true, ..BEFORE })
}

/// The fitted weights in words.
fn weights(model: &Logistic, target: Target) -> String {
    let numbers = numbers(target);
    let each = numbers.iter().zip(&model.weights).map(|((name, _), weight)| format!("{weight:.4} ({name})"));
    format!("intercept {:.4}, {}", model.intercept, each.collect::<Vec<_>>().join(", "))
}

/// What was said before and after, of the first hit after and of there being an answer.
fn beside(samples: &[Sample]) -> Result<Table, StudyError> {
    let columns = ["data", "confidence", "AUROC [95%]", "answerable, AUROC [95%]", "strong", "right of these", "ECE"];
    let mut table = Table::new(columns);
    for sample in samples {
        let before = |case: &Case| Case {
            confidence: Confidence::of(case.confidence.signals.map(Signals::before_reranking)),
            ..case.clone()
        };
        let before = Sample { cases: sample.cases.iter().map(before).collect(), ..*sample };
        for (name, of) in [("before", &before), ("after", sample)] {
            let [first_hit, answerable] = BOTH.map(|target| tables::figures(&tables::shipped(of, target), of, target));
            let ([_, first_hit, ..], [_, answerable, ..]) = (first_hit?, answerable?);
            let cells = [of.name(), name.to_owned(), first_hit, answerable].into_iter();
            table.push(cells.chain(tables::called_strong(of, &tables::shipped(of, Target::FirstHit))?));
        }
    }
    Ok(table)
}
