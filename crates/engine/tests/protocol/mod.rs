//! Protocol S: session retrieval on LoCoMo (fusion study, section 4; every session of the
//! question's conversation is a candidate).

use std::num::NonZeroUsize;

use aforesaid::{
    Explanations, Memory, Preset,
    types::{ConversationId, Namespace, Query, Scope, Tail, Unit},
};
use serde_json::Value;

/// A question and the sessions that hold its evidence.
pub(crate) struct Question {
    text: String,
    conversation: ConversationId,
    gold: Vec<String>,
}

/// All questions with at least one evidence item that is exactly `D<int>:<int>` after trimming.
pub(crate) fn questions(bytes: &[u8]) -> Vec<Question> {
    let samples: Vec<Value> = serde_json::from_slice(bytes).expect("LoCoMo JSON");
    let mut questions = Vec::new();
    for sample in &samples {
        let conversation = ConversationId::new(sample["sample_id"].as_str().unwrap()).unwrap();
        for qa in sample["qa"].as_array().unwrap() {
            let evidence = qa["evidence"].as_array().map(Vec::as_slice).unwrap_or_default();
            let mut gold: Vec<String> = evidence.iter().filter_map(|item| session_of(item.as_str()?.trim())).collect();
            gold.sort();
            gold.dedup();
            if !gold.is_empty() {
                let text = qa["question"].as_str().unwrap().to_owned();
                questions.push(Question { text, conversation: conversation.clone(), gold });
            }
        }
    }
    questions
}

fn session_of(evidence: &str) -> Option<String> {
    let (session, turn) = evidence.strip_prefix('D')?.split_once(':')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(session) && digits(turn)).then(|| format!("session_{session}"))
}

/// Mean Hit@1, Recall@3, Recall@5, reciprocal rank and nDCG@5.
pub(crate) fn evaluate(memory: &Memory, namespace: &Namespace, preset: &Preset, questions: &[Question]) -> [f64; 5] {
    let mut sums = [0.0; 5];
    for question in questions {
        let query = Query {
            scope: Scope { conversation: Some(question.conversation.clone()), ..Scope::default() },
            unit: Unit::Session,
            k: NonZeroUsize::MAX,
            tail: Tail::All,
            ..Query::new(namespace.clone(), &question.text)
        };
        let answer = memory.search(&query, preset, Explanations::Omit).expect("a search");
        let found: Vec<bool> = answer.hits.iter().map(|hit| question.gold.contains(&hit.id)).collect();
        let recall = |k: usize| found.iter().take(k).filter(|hit| **hit).count() as f64 / question.gold.len() as f64;
        let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let ideal: f64 = (0..question.gold.len().min(5)).map(gain).sum();
        let gained: f64 = (0..found.len().min(5)).filter(|&rank| found[rank]).map(gain).sum();
        let first = found.iter().position(|hit| *hit);
        let measures = [
            f64::from(u8::from(first == Some(0))),
            recall(3),
            recall(5),
            first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
            gained / ideal,
        ];
        sums.iter_mut().zip(measures).for_each(|(sum, measure)| *sum += measure);
    }
    sums.map(|sum| sum / questions.len() as f64)
}
