//! LoCoMo: ten long conversations of two people, and 1,986 questions about them.
//!
//! Turns are read by the engine's own reader, so that what is measured is what `aforesaid import` stores.
//!
//! On sessions the gold is that of the fusion study (protocol S): every evidence item that is exactly
//! `D<session>:<turn>` after trimming stands for its session, even if that turn does not exist; 1,978 questions.
//! On turns it is that of the reranker papers (protocol T): evidence ids that exist as they are written, untrimmed;
//! 1,977 questions. Questions are called `<conversation>::qa<index>`, from 0 in their conversation.

use std::collections::HashMap;

use aforesaid::{
    formats::{self, Captions, Format, SkipReason, Source},
    types::{Draft, Granularity},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Benchmark, DataError, DataSet,
    audit::Audit,
    files::Files,
    intake::{Evidence, Intake, Label, LabelledQuestion},
    value::{label, labels, wrong},
};

const DOCUMENT: &str = "the samples of LoCoMo: an array of objects with sample_id, conversation and qa";
const CATEGORIES: [&str; 5] = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"];

/// Whose gold is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gold {
    /// The authors'.
    Published,
    /// The authors', corrected by `audit.json` where that names evidence.
    Audited,
}

#[derive(Deserialize)]
struct Sample {
    sample_id: Value,
    #[serde(default)]
    qa: Vec<Qa>,
}

#[derive(Deserialize)]
struct Qa {
    question: String,
    #[serde(default)]
    evidence: Value,
    category: Value,
    #[serde(default)]
    answer: Value,
    /// Of an adversarial question, what somebody who was misled would say.
    #[serde(default)]
    adversarial_answer: Value,
}

pub(super) fn load(files: &Files, unit: Granularity, gold: Gold) -> Result<Benchmark, DataError> {
    let dataset = match gold {
        Gold::Published => DataSet::Locomo,
        Gold::Audited => DataSet::LocomoAudit,
    };
    let mut intake = Intake::new(dataset, unit);
    let [name, ..] = files.names() else { return intake.finish(files) };
    let file = files.label(name);
    let bytes = files.bytes(name)?;
    let mut turns = read_turns(&bytes, name, &file, &mut intake)?;
    let mut audit = match gold {
        Gold::Published => Audit::default(),
        Gold::Audited => Audit::read(files)?,
    };
    for (conversation, sample) in files.parse::<Vec<Sample>>(name, &bytes, DOCUMENT)?.into_iter().enumerate() {
        let id = label(&sample.sample_id).ok_or_else(|| {
            wrong("sample_id", &sample.sample_id, "a string", &format!("{file}, sample {conversation}"))
        })?;
        intake.open(id.clone(), turns.remove(&id).unwrap_or_default(), &format!("{file}, {id}"))?;
        for (index, qa) in sample.qa.into_iter().enumerate() {
            let place = format!("{file}, {id}, qa {index}");
            let published = labels(&qa.evidence, "evidence", &place)?;
            let evidence = audit.correct(conversation, index, &qa.question, published)?;
            let asked = LabelledQuestion {
                name: format!("qa{index}"),
                category: Some(category(&qa.category, &place)?),
                text: qa.question,
                before: None,
                now: None,
                answer: label(&qa.answer).or_else(|| label(&qa.adversarial_answer)),
                gold: Label::Evidence(evidence.into_iter().map(|item| resolve(item, unit)).collect()),
            };
            intake.ask(asked, &place)?;
        }
    }
    audit.report(&mut intake)?;
    intake.finish(files)
}

/// The turns of every conversation, by its id.
fn read_turns(
    bytes: &[u8],
    name: &str,
    file: &str,
    intake: &mut Intake,
) -> Result<HashMap<String, Vec<Draft>>, DataError> {
    let source = Source { file, stem: name, conversation: None, captions: Captions::Keep, zone: None };
    let parsed = formats::parse(Format::Locomo, bytes, &source)?;
    for skipped in parsed.skipped {
        let kind = match skipped.why {
            SkipReason::EmptyText => "blank turn",
            _ => "turn left out",
        };
        intake.remark(kind, skipped.to_string());
    }
    let mut turns: HashMap<String, Vec<Draft>> = HashMap::new();
    for draft in parsed.drafts {
        let conversation = draft.conversation().map(ToString::to_string).unwrap_or_default();
        turns.entry(conversation).or_default().push(draft);
    }
    Ok(turns)
}

fn category(code: &Value, place: &str) -> Result<String, DataError> {
    let known =
        code.as_u64().and_then(|code| usize::try_from(code).ok()?.checked_sub(1)).and_then(|at| CATEGORIES.get(at));
    known.map(|name| (*name).to_owned()).ok_or_else(|| wrong("category", code, "a code from 1 to 5", place))
}

fn resolve(item: String, unit: Granularity) -> Evidence {
    match unit {
        Granularity::Turn => Evidence::named(item),
        Granularity::Session => {
            let units = session_of(&item).map(|number| format!("session_{number}")).into_iter().collect();
            Evidence { written: item, units }
        }
    }
}

/// The session of an item that is exactly `D<session>:<turn>` after trimming.
fn session_of(item: &str) -> Option<u64> {
    let (session, turn) = item.trim().strip_prefix('D')?.split_once(':')?;
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(session) && is_number(turn)).then(|| session.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_whole_id_stands_for_a_session() {
        for (item, session) in [("D3:14", Some(3)), (" D30:05\n", Some(30)), ("D03:1", Some(3))] {
            assert_eq!(session_of(item), session, "{item}");
        }
        for item in ["", "D", "D:1:2", "D1:2; D3:4", "D1:2 D3:4", "D1:", "D:2", "D1:+2", "d1:2", "D1", "xD1:2"] {
            assert_eq!(session_of(item), None, "{item}");
        }
    }
}
