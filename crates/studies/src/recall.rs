//! What a hook hands an agent: how often it holds what the agent needs, and how often it has nothing to do with the prompt.

use std::{collections::HashSet, path::Path};

use aforesaid::{
    Pipeline, RecallOptions, Recalled, Reranking,
    analysis::SpeakerName,
    formats::Captions,
    types::{Draft, Granularity},
};
use aforesaid_eval::{
    EvalError,
    datasets::{Benchmark, DataSet, Group, Question, WithAbstentions, is_answerable},
    experiments::{Bench, Observer},
    recipe::Equipment,
    reports::{Table, four},
};

use crate::{Section, Study, StudyError, encoder_of};

/// What the best turn must be likely at least.
const LEAST: [f64; 7] = [0.0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5];
/// Prompts of every other history that a history is asked, spread over it.
const PROMPTS: usize = 2;

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct RecallStudy<'a> {
    /// A data set in the form of the dialogues, and where it is.
    pub dataset: DataSet,
    /// Its folder.
    pub data: &'a Path,
    /// Histories; all where none is named.
    pub groups: &'a [String],
}

/// What is right for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Some turns are what is asked for.
    Answered,
    /// Nobody said it.
    Unanswered,
    /// It was said to an assistant in another history.
    Foreign,
}

/// Runs the study.
///
/// # Errors
/// When the data cannot be read, there is no encoder or no reranker, or a search fails.
pub fn recall_study(
    study: &RecallStudy<'_>,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of what is handed over", equipment)?;
    let reranker = equipment
        .reranker
        .as_deref()
        .ok_or_else(|| EvalError::NoReranker { system: Pipeline::default().name.clone() })?;
    let mut benchmark = study.dataset.load(study.data, Granularity::Turn)?;
    if !study.groups.is_empty() {
        benchmark.groups.retain(|group| study.groups.contains(&group.id));
    }
    let (benchmark, kinds) = ask_more(&benchmark);
    let bench = Bench::new(&benchmark, &equipment.setup(Captions::Keep), observe)?;
    let options = RecallOptions { min_confidence: Some(0.0), ..RecallOptions::default() };
    let mut table = Table::new([
        "search",
        "least",
        "answered: handed over",
        "answered: right",
        "characters",
        "not answered: handed over",
        "other histories': handed over",
    ]);
    let mut rows = String::from("search,question,kind,confidence,right,characters\n");
    for (name, pipeline, reranked) in [
        ("keywords", Pipeline::lexical(), false),
        ("keywords, reranked", Pipeline::lexical(), true),
        ("full, not reranked", Pipeline::default(), false),
        ("full", Pipeline::default(), true),
    ] {
        let reranking = reranked.then(|| Reranking::new(reranker));
        let recalled = bench.recalled(&pipeline, reranking, &options, observe)?;
        let found: Vec<Found> = benchmark.questions().zip(&kinds).zip(recalled).map(Found::of).collect();
        for found in &found {
            rows.push_str(&format!("{name:?},{}\n", found.to_csv()));
        }
        LEAST.iter().for_each(|least| table.push([vec![name.to_owned()], cells(&found, *least)].concat()));
    }
    let count = |kind| kinds.iter().filter(|of| **of == kind).count();
    let note = format!(
        "{} questions that are answered in {} histories, {} that are not, and {} messages that were said to an assistant in another of \
         these histories. Handed over: the share for which the best turn is at least so likely. Right: the share of all \
         answered questions of which some gold is among what is handed over, at most {} characters; characters are the mean.",
        count(Kind::Answered),
        benchmark.groups.len(),
        count(Kind::Unanswered),
        count(Kind::Foreign),
        options.most_chars,
    );
    Ok(Study {
        title: "What a hook hands over".to_owned(),
        preface: format!("Data {}. Encoder {encoder}, reranker {}.", benchmark.dataset, reranker.name()),
        sections: vec![Section::table("By how likely the best turn must be", note, table)],
        questions: rows,
    })
}

/// Adds to every history the questions that it does not answer, and what was said in the others; says what each is.
fn ask_more(benchmark: &Benchmark) -> (Benchmark, Vec<Kind>) {
    let said: Vec<Vec<String>> = benchmark.groups.iter().map(prompts).collect();
    let mut all = WithAbstentions::of(benchmark).benchmark;
    let mut kinds = Vec::new();
    for (at, group) in all.groups.iter_mut().enumerate() {
        let kind = |question| if is_answerable(question) { Kind::Answered } else { Kind::Unanswered };
        kinds.extend(group.questions.iter().map(kind));
        let now = group.questions.iter().rev().find_map(|question| question.now.clone());
        let others = said.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, prompts)| prompts);
        for (number, text) in others.enumerate() {
            kinds.push(Kind::Foreign);
            group.questions.push(Question {
                id: format!("{}::other-{number}", group.id),
                text: text.clone(),
                gold: Vec::new(),
                category: None,
                before: None,
                now: now.clone(),
                answer: None,
            });
        }
    }
    (all, kinds)
}

/// Some of what a person said in a history, spread over it.
fn prompts(group: &Group) -> Vec<String> {
    let of_person = |draft: &Draft| match draft {
        Draft::Turn(turn) => {
            let name = SpeakerName::new(&turn.speaker);
            (!name.is_assistant() && !name.is_tool()).then(|| turn.text.clone())
        }
        Draft::Note(_) => None,
    };
    let said: Vec<String> = group.memories.iter().filter_map(of_person).collect();
    (1..=PROMPTS).filter_map(|part| said.get(said.len() * part / (PROMPTS + 1)).cloned()).collect()
}

/// What was handed over for a prompt.
struct Found {
    question: String,
    kind: Kind,
    /// How likely the best turn is; `None` where there is none.
    confidence: Option<f64>,
    is_right: bool,
    characters: usize,
}

impl Found {
    fn of(((question, kind), recalled): ((&Question, &Kind), Option<Recalled>)) -> Self {
        let turns: HashSet<&String> = recalled.iter().flat_map(|recalled| &recalled.turns).collect();
        Self {
            question: question.id.clone(),
            kind: *kind,
            confidence: recalled.as_ref().map(|recalled| recalled.confidence),
            is_right: question.gold.iter().any(|gold| turns.contains(gold)),
            characters: recalled.as_ref().map_or(0, |recalled| recalled.text.chars().count()),
        }
    }

    fn to_csv(&self) -> String {
        let kind = match self.kind {
            Kind::Answered => "answered",
            Kind::Unanswered => "not answered",
            Kind::Foreign => "another history",
        };
        let confidence = self.confidence.map(four).unwrap_or_default();
        format!("{:?},{kind},{confidence},{},{}", self.question, u8::from(self.is_right), self.characters)
    }
}

/// The cells of a table behind the name of the search.
fn cells(found: &[Found], least: f64) -> Vec<String> {
    let share = |of: usize, all: usize| if all == 0 { "–".to_owned() } else { four(of as f64 / all as f64) };
    let handed = |kind: Kind| {
        let of_kind = || found.iter().filter(move |found| found.kind == kind);
        let handed: Vec<&Found> =
            of_kind().filter(|found| found.confidence.is_some_and(|confidence| confidence >= least)).collect();
        (of_kind().count(), handed)
    };
    let (answered, likely) = handed(Kind::Answered);
    let right = likely.iter().filter(|found| found.is_right).count();
    let characters: usize = likely.iter().map(|found| found.characters).sum();
    let [unanswered, foreign] = [Kind::Unanswered, Kind::Foreign].map(|kind| {
        let (all, handed) = handed(kind);
        share(handed.len(), all)
    });
    vec![
        format!("{least}"),
        share(likely.len(), answered),
        share(right, answered),
        (characters / likely.len().max(1)).to_string(),
        unanswered,
        foreign,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: Kind, confidence: Option<f64>, is_right: bool) -> Found {
        Found { question: "q".to_owned(), kind, confidence, is_right, characters: 100 }
    }

    #[test]
    fn shares_are_of_all_prompts_of_a_kind() {
        let all = [
            found(Kind::Answered, Some(0.5), true),
            found(Kind::Answered, Some(0.3), true),
            found(Kind::Answered, Some(0.4), false),
            found(Kind::Answered, None, false),
            found(Kind::Unanswered, Some(0.4), false),
            found(Kind::Unanswered, Some(0.1), false),
        ];
        assert_eq!(cells(&all, 0.4), ["0.4", "0.5000", "0.2500", "100", "0.5000", "–"]);
    }
}
