//! Histories whose licences allow a model of them, with questions of several kinds.

use std::collections::HashSet;

use aforesaid::types::{Draft, Granularity};
use aforesaid_eval::{
    datasets::{Benchmark, DataSet, Group, Question, RecordedCues, WithAbstentions},
    recipe::Recording,
};

use super::labelled::LabelledQuestions;
use crate::{
    ShippableData, StudyError,
    shippable::{LEARNED_PERSONAS, is_evidence},
};

/// Questions of one kind.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The histories with these questions alone. Where sessions are ranked, gold is all their turns.
    pub(super) benchmark: Benchmark,
    /// How many of a history are learned from, evenly taken from all.
    pub(super) most: usize,
}

impl ShippableData<'_> {
    /// All kinds of questions.
    ///
    /// Of the dialogues, conversations on the test side are not read, and no test question is; of LongMemEval only distractor
    /// sessions are, and of RealMem three personas.
    ///
    /// # Errors
    /// When the files of a folder that is there cannot be read.
    pub(super) fn kinds(&self) -> Result<Vec<Kind>, StudyError> {
        let mut kinds = self.dialogues()?;
        if self.conversations.is_dir() {
            kinds.extend(self.conversations()?);
        }
        if self.data.join("realmem").is_dir() {
            kinds.extend(self.realmem()?);
        }
        if self.data.join("longmemeval").is_dir() {
            kinds.extend(self.longmemeval()?);
        }
        Ok(kinds)
    }

    fn dialogues(&self) -> Result<Vec<Kind>, StudyError> {
        let dataset = DataSet::DialoguesDev;
        let mut labelled = dataset.load(self.dialogues, Granularity::Turn)?;
        let splits = dataset.splits(self.dialogues, &labelled)?;
        let tested = |id: &String| splits.by_seed.values().any(|split| split.test.contains(id));
        labelled.groups.retain(|group| !tested(&group.id));
        let written = Recording::default().read(dataset, self.dialogues)?;
        let literal = RecordedCues::read(&self.cues.join("dialogues"))?;
        let kind = |name, cues, most| Kind { name, benchmark: asked(&labelled, cues, str::to_owned), most };
        Ok(vec![
            kind("cue questions of the dialogues", &written, 230),
            kind("literal questions on the dialogues", &literal, 60),
            Kind { name: "dev questions of the dialogues", benchmark: with_abstentions(&labelled), most: usize::MAX },
        ])
    }

    /// The conversations that are written to learn from: cue questions of them, and all labelled questions.
    fn conversations(&self) -> Result<[Kind; 2], StudyError> {
        let dataset = DataSet::Conversations;
        let labelled = dataset.load(self.conversations, Granularity::Turn)?;
        let written = Recording::default().read(dataset, self.conversations)?;
        let asked = asked(&labelled, &written, str::to_owned);
        Ok([
            Kind { name: "cue questions of the conversations", benchmark: asked, most: 300 },
            Kind { name: "questions on the conversations", benchmark: with_abstentions(&labelled), most: usize::MAX },
        ])
    }

    fn realmem(&self) -> Result<Vec<Kind>, StudyError> {
        let mut labelled = DataSet::RealMem.load(&self.data.join("realmem"), Granularity::Session)?;
        labelled.groups.retain(|group| LEARNED_PERSONAS.contains(&group.id.as_str()));
        let cues = RecordedCues::read(&self.cues.join("realmem"))?;
        let of_turns = Benchmark { unit: Granularity::Turn, ..labelled.clone() };
        let benchmark = asked(&of_turns, &cues, counted_from_one);
        labelled.groups.iter_mut().for_each(name_turns);
        let mut kinds = vec![
            Kind { name: "questions on RealMem", benchmark, most: 250 },
            Kind { name: "queries of RealMem", benchmark: labelled, most: usize::MAX },
        ];
        let questions = LabelledQuestions::read(&self.questions.join("realmem"))?;
        kinds.extend(questions.kind("labelled questions on RealMem", of_turns, |group| &group.id)?);
        Ok(kinds)
    }

    /// Distractor sessions without those of evidence, which are called by their question and a number.
    fn longmemeval(&self) -> Result<Vec<Kind>, StudyError> {
        let mut all = DataSet::LongMemEvalPooled.load(&self.data.join("longmemeval"), Granularity::Turn)?;
        let cues = RecordedCues::read(&self.cues.join("longmemeval"))?;
        let is_distractor = |draft: &Draft| session_of(draft).is_some_and(|id| !id.contains("/e") && !is_evidence(id));
        all.groups.iter_mut().for_each(|group| group.memories.retain(is_distractor));
        let drafts = cues.of("distractors");
        let questions = drafts.iter().flat_map(|draft| draft.questions.iter().map(|text| (draft.id.as_str(), text)));
        let questions: Vec<(String, String)> =
            questions.map(|(id, text)| (counted_from_one(id), text.clone())).collect();
        let mut with_cues = all.clone();
        with_cues.groups.iter_mut().for_each(|group| ask(group, questions.clone()));
        let mut kinds = vec![Kind { name: "questions on LongMemEval's distractors", benchmark: with_cues, most: 400 }];
        let questions = LabelledQuestions::read(&self.questions.join("longmemeval"))?;
        kinds.extend(questions.kind("labelled questions on LongMemEval's distractors", all, |_| "distractors")?);
        Ok(kinds)
    }
}

/// The labelled questions and those that nothing answers: a reranker learns from these that no candidate does.
pub(super) fn with_abstentions(of: &Benchmark) -> Benchmark {
    WithAbstentions::of(of).benchmark
}

/// The histories with written questions in the place of theirs; those without any are left out. `id` is what the data set
/// calls the turn that the questions are for.
fn asked(of: &Benchmark, cues: &RecordedCues, id: fn(&str) -> String) -> Benchmark {
    let mut benchmark = of.clone();
    for group in &mut benchmark.groups {
        let drafts = cues.of(&group.id).iter();
        let questions =
            drafts.flat_map(|draft| draft.questions.iter().map(|text| (id(draft.id.as_str()), text.clone()))).collect();
        ask(group, questions);
    }
    benchmark.groups.retain(|group| !group.questions.is_empty());
    benchmark
}

/// Puts questions, each with the turn that answers it, in the place of a history's. They are asked when its are.
fn ask(group: &mut Group, questions: Vec<(String, String)>) {
    let now = group.questions.first().and_then(|question| question.now.clone());
    let ids: HashSet<&str> = group.memories.iter().filter_map(|draft| Some(draft.id()?.as_str())).collect();
    let there = questions.into_iter().filter(|(id, _)| ids.contains(id.as_str())).enumerate();
    let question = |(place, (id, text)): (usize, (String, String))| Question {
        id: format!("{}::cue-{place}", group.id),
        text,
        gold: vec![id],
        category: None,
        before: None,
        now: now.clone(),
        answer: None,
    };
    group.questions = there.map(question).collect();
}

/// `SESSION:3` of `SESSION:2`: the files of questions count turns from 0, the data sets from 1.
fn counted_from_one(id: &str) -> String {
    let counted = id.rsplit_once(':').and_then(|(session, place)| Some((session, place.parse::<usize>().ok()? + 1)));
    counted.map_or_else(|| id.to_owned(), |(session, place)| format!("{session}:{place}"))
}

/// Puts the turns of gold sessions in their place.
fn name_turns(group: &mut Group) {
    for question in &mut group.questions {
        let of_gold = |draft: &&Draft| session_of(draft).is_some_and(|id| question.gold.iter().any(|gold| gold == id));
        let turns = group.memories.iter().filter(of_gold).filter_map(|draft| draft.id().map(ToString::to_string));
        question.gold = turns.collect();
    }
}

fn session_of(draft: &Draft) -> Option<&str> {
    match draft {
        Draft::Turn(turn) => Some(turn.session.as_str()),
        Draft::Note(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use aforesaid::types::{ConversationId, MemoryId, SessionId, Turn};

    use super::*;

    fn group() -> Group {
        let turn = |id: &str| {
            let session = SessionId::new(id.split(':').next().unwrap()).unwrap();
            let turn = Turn::new(ConversationId::new("c").unwrap(), session, "Ann".to_owned(), "We moved.".to_owned());
            Draft::Turn(Turn { id: Some(MemoryId::new(id).unwrap()), ..turn })
        };
        let question = Question {
            id: "c::1".to_owned(),
            text: "Where?".to_owned(),
            gold: vec!["s2".to_owned()],
            category: None,
            before: None,
            now: Some("2024-01-01".to_owned()),
            answer: None,
        };
        Group { id: "c".to_owned(), memories: ["s1:1", "s2:1", "s2:2"].map(turn).to_vec(), questions: vec![question] }
    }

    #[test]
    fn gold_sessions_become_all_their_turns() {
        let mut group = group();
        name_turns(&mut group);
        assert_eq!(group.questions[0].gold, ["s2:1", "s2:2"]);
    }

    #[test]
    fn written_questions_replace_the_others_and_keep_their_moment() {
        let mut group = group();
        let written = ["s2:0", "s9:0", "s1:0"].map(|id| (counted_from_one(id), format!("What of {id}?")));
        ask(&mut group, written.to_vec());
        let asked: Vec<(&str, &str)> =
            group.questions.iter().map(|question| (question.gold[0].as_str(), question.text.as_str())).collect();
        assert_eq!(asked, [("s2:1", "What of s2:0?"), ("s1:1", "What of s1:0?")]);
        assert_eq!(group.questions[1].now.as_deref(), Some("2024-01-01"));
        assert_ne!(group.questions[0].id, group.questions[1].id);
    }
}
