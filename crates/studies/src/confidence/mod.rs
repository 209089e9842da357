//! How well a search knows whether it has found the answer: fits and measures the model of confidence.

mod cases;
mod charts;
mod fit;
mod reranked;
mod tables;
mod variants;

use std::path::Path;

pub use reranked::reranked_confidence_study;

use aforesaid::pipeline::confidence::{Basis, Signal, Target, Word};

use self::{
    cases::{SOURCES, Sample},
    fit::{UNANSWERABLE, balanced, source},
    tables::{BINS, may_ship},
};
use crate::{Section, Study};
use crate::{StudyError, encoder_of};
use aforesaid_eval::{experiments::Observer, recipe::Equipment};

/// What both models of a search are of.
const BOTH: [Target; 2] = [Target::FirstHit, Target::Answerable];

/// What the study is run on.
#[derive(Debug, Clone, Copy)]
pub struct ConfidenceStudy<'a> {
    /// The folder with the data sets, each in a folder of its name: locomo, beam, realmem, longmemeval and qmsum. The dialogues
    /// and the conversations to rank from are in the repository.
    pub data: &'a Path,
}

/// Runs the whole study, and fits the coefficients to be shipped.
///
/// # Errors
/// When the data cannot be read, there is no encoder, or a search fails.
pub fn confidence_study(
    study: &ConfidenceStudy<'_>,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of confidence", equipment)?;
    let (mut samples, mut ranked): (Vec<Sample>, Vec<Sample>) = Default::default();
    let mut without_cues = false;
    for source in SOURCES {
        if !source.is_there(study.data)? {
            without_cues = true;
            continue;
        }
        let gathered = source.gather(study.data, equipment, observe)?;
        samples.extend(gathered.samples);
        ranked.extend(gathered.ranked);
    }
    Ok(Study {
        title: "Knowing that nothing is relevant".to_owned(),
        preface: preface(&encoder) + if without_cues { WITHOUT_CUES } else { "" },
        sections: sections(&samples, &ranked)?,
        questions: questions_csv(samples.iter().chain(&ranked))?,
    })
}

const WITHOUT_CUES: &str =
    "\n\nThere is no folder `cues` beside LoCoMo, so that nothing is measured with cue questions.";

fn preface(encoder: &str) -> String {
    format!(
        "Two probabilities of every search: that the first hit answers the question (`probability`), and that the \
         question can be answered from what was searched (`answerable`). Both are logistic in the signals of the first \
         ten hits; encoder {encoder}; ten hits, as `aforesaid search` gives them.\n\n\
         Not answerable are: LoCoMo's adversarial questions and the abstention questions of BEAM and LongMemEval \
         (*marked*); questions asked of their history without the sessions that hold the gold (*gold removed*); and \
         questions of the conversations to rank from that ask of the wrong person, and questions with the name of somebody who said nothing of the gold after them (*misattributed*; with the name of \
         one who said it, *attributed*, only that one's turns are gold). The gold of LoCoMo's adversarial questions counts \
         for nothing. AUROC counts ties half; ECE has {BINS} bins of equal weight; AURC is the area under risk over \
         coverage, less is better. Intervals resample whole histories (4,000 times, 95%).\n\n\
         Shipped coefficients are fitted on BEAM, RealMem, LongMemEval (pooled), the dialogues' dev side, the conversations to rank from and 48 meetings of QMSum, which count alike by row of the first table, with \
         {:.0}% of each not answerable, in equal parts for each reason. LoCoMo, whose licence forbids commercial use, is never fitted on, but it is no \
         untouched test: which signals there are, and which data sets the coefficients are fitted on, was decided with \
         its figures in view. The dialogues' test side is never fitted on either, but the threshold of `strong` and the equal \
         parts were decided with the figures of both in view.",
        100.0 * UNANSWERABLE
    )
}

fn sections(samples: &[Sample], ranked: &[Sample]) -> Result<Vec<Section>, StudyError> {
    let mut sections = vec![
        Section::table("Questions", "", tables::data(samples)),
        Section::table("Shipped coefficients on data never fitted on", "", tables::of_shipped(samples, false, &BOTH)?),
        Section::table(
            "Called strong",
            format!(
                "How many first hits have a probability of {} and more and stand out, and how many of these are right; adapted. {:.0}% of the \
                 questions of each row count as having no answer.",
                Word::STRONG,
                100.0 * UNANSWERABLE
            ),
            tables::strong(samples)?,
        ),
        Section::table(
            "In the order of the candidate ranker",
            format!(
                "The default, `learned`, beside `adapted`, which is the default where an assistant speaks. Shipped coefficients, which are fitted on orders without the ranker. \
                 Whether the first hit is right; {:.0}% of the questions of each row count as having no answer in the last three \
                 columns.",
                100.0 * UNANSWERABLE
            ),
            tables::ranked(samples, ranked)?,
        ),
        Section::table(
            "Beside raw scores",
            "What a reader could go by without a model. Higher AUROC and lower AURC are better.",
            tables::baselines(samples)?,
        ),
        Section::table(
            "Fitted on the other histories of the same data",
            "Leave one conversation out; on the data's own mixture of questions.",
            tables::held_out(samples)?,
        ),
        Section::table(
            "BEAM's own abstention questions only",
            "Without those whose gold was removed; shipped coefficients, which have seen them.",
            tables::marked(samples)?,
        ),
        Section::table("From LoCoMo to BEAM and back", "", tables::transfer(samples)?),
        Section::table(
            "Fitted on the other data sets",
            "As the shipped coefficients, but without the data set that they are tested on.",
            tables::another_data_set(samples, &BOTH)?,
        ),
        Section::table(
            "Shipped coefficients on data that they were fitted on",
            "No estimate of how they do elsewhere.",
            tables::of_shipped(samples, true, &BOTH)?,
        ),
        Section::table(
            "Signals alone",
            "AUROC of the first hit being right / of the question being answerable; adapted.",
            tables::signals(samples)?,
        ),
    ];
    sections.extend(charts::of_study(samples)?);
    sections.push(Section::note(
        "Coefficients",
        format!(
            "Fitted in this run; they belong into `crates/core/src/pipeline/confidence/coefficients.rs`.\n\n```rust\n{}```",
            coefficients(samples)?
        ),
    ));
    Ok(sections)
}

/// The four models, as source text.
fn coefficients(samples: &[Sample]) -> Result<String, StudyError> {
    let mut statements = Vec::new();
    for (target, name, doc) in [
        (Target::FirstHit, "FIRST_HIT", "That the first hit answers"),
        (Target::Answerable, "ANSWERABLE", "That the history has an answer"),
    ] {
        for (dense, suffix, how) in [(true, "DENSE", "by words and meaning"), (false, "LEXICAL", "by words only")] {
            let fitted_on: Vec<&Sample> =
                samples.iter().filter(|sample| may_ship(sample) && sample.dense == dense).collect();
            let model = balanced(&fitted_on, target)?;
            statements.push(source(
                &format!("{name}_{suffix}"),
                &format!("{doc}, {how}."),
                &model,
                Basis { dense, reranked: false },
            ));
        }
    }
    Ok(statements.join("\n"))
}

/// One row a question and system, without its text.
fn questions_csv<'a>(samples: impl Iterator<Item = &'a Sample>) -> Result<String, StudyError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fixed = ["data", "unit", "system", "question", "history", "kind", "right", "probability", "answerable"];
    writer.write_record(fixed.into_iter().chain(["fused", "words"]).chain(Signal::ALL.map(Signal::name)))?;
    for sample in samples {
        for case in &sample.cases {
            let signal = |signal: &Signal| {
                case.confidence.signals.map(|signals| format!("{:.6}", signals.get(*signal))).unwrap_or_default()
            };
            let fixed = [
                sample.source.dataset.to_string(),
                sample.source.unit.to_string(),
                sample.system.to_owned(),
                case.question.clone(),
                case.history.to_string(),
                case.kind.name().to_owned(),
                u8::from(case.right).to_string(),
                format!("{:.6}", case.confidence.probability),
                format!("{:.6}", case.confidence.answerable),
                format!("{:.6}", case.fused),
                format!("{:.6}", case.words),
            ];
            writer.write_record(fixed.into_iter().chain(Signal::ALL.iter().map(signal)))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
