//! Where histories and questions gather while a data set is read, under the rules that all data sets share.

use std::collections::{HashMap, HashSet};

use aforesaid::{
    InvalidMemory,
    types::{Draft, Granularity, MemoryId, Timestamp},
};

use super::{
    Benchmark, DataError, DataSet, Excluded, Group, Ledger, Question, Unresolved, benchmark::ABSTENTION, files::Files,
    history::History,
};

const NO_GOLD: &str = "no gold";
const NOTHING_BEFORE: &str = "nothing was said before";
const NOT_IN_HISTORY: &str = "gold not in the history";

/// A question as a loader reads it, with its label.
pub(super) struct LabelledQuestion {
    /// Its name, unique in its group.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) category: Option<String>,
    pub(super) before: Option<MemoryId>,
    /// The moment of asking, in ISO 8601.
    pub(super) now: Option<String>,
    pub(super) gold: Label,
    /// The right answer in words, where the data set has one.
    pub(super) answer: Option<String>,
}

/// What a question is labelled with.
pub(super) enum Label {
    /// The right answer is that nobody said so.
    Abstention,
    /// Where the answer is, as the data set has it.
    Evidence(Vec<Evidence>),
}

/// One piece of evidence.
pub(super) struct Evidence {
    /// As the data set writes it.
    pub(super) written: String,
    /// The units it means; those that the history lacks do not count, and without any it is unresolved.
    pub(super) units: Vec<String>,
}

impl Evidence {
    /// Evidence that is written as the unit is named.
    pub(super) fn named(unit: String) -> Self {
        Self { written: unit.clone(), units: vec![unit] }
    }
}

/// Checks group by group and question by question, and keeps the ledger.
pub(super) struct Intake {
    dataset: DataSet,
    benchmark: Benchmark,
    history: History,
    /// Question texts of the open group.
    texts: HashSet<String>,
    /// Questions asked of the open group, measured or not.
    asked: usize,
    groups: HashSet<String>,
    /// Where each question is, by id.
    places: HashMap<String, String>,
}

impl Intake {
    pub(super) fn new(dataset: DataSet, unit: Granularity) -> Self {
        let benchmark = Benchmark { dataset: dataset.to_string(), unit, groups: Vec::new(), ledger: Ledger::default() };
        Self {
            dataset,
            benchmark,
            history: History::default(),
            texts: HashSet::new(),
            asked: 0,
            groups: HashSet::new(),
            places: HashMap::new(),
        }
    }

    pub(super) fn unit(&self) -> Granularity {
        self.benchmark.unit
    }

    /// The open group.
    pub(super) fn history(&self) -> &History {
        &self.history
    }

    /// Opens a group; whatever is asked next is asked of it.
    ///
    /// Blank memories are left out and remarked. Every memory has an id.
    pub(super) fn open(&mut self, group: String, memories: Vec<Draft>, place: &str) -> Result<(), DataError> {
        self.close();
        if !self.groups.insert(group.clone()) {
            return Err(DataError::Repeated { place: place.to_owned(), what: "group", id: group, first: None });
        }
        let mut kept = Vec::with_capacity(memories.len());
        for memory in memories {
            match memory.check() {
                Ok(()) => {}
                Err(InvalidMemory::EmptyText { id }) => {
                    let id = id.map(|id| id.to_string()).unwrap_or_default();
                    self.remark("blank turn", format!("{group}::{id}"));
                    continue;
                }
                Err(why) => return Err(DataError::Memory { place: place.to_owned(), why }),
            }
            if !self.history.push(&memory) {
                let id = memory.id().map(ToString::to_string).unwrap_or_default();
                return Err(DataError::Repeated { place: place.to_owned(), what: "memory", id, first: None });
            }
            kept.push(memory);
        }
        self.benchmark.groups.push(Group { id: group, memories: kept, questions: Vec::new() });
        Ok(())
    }

    /// Adds a question to the open group, or says in the ledger why it is not measured.
    pub(super) fn ask(&mut self, asked: LabelledQuestion, place: &str) -> Result<(), DataError> {
        let group = self.benchmark.groups.last().map(|group| group.id.clone()).unwrap_or_default();
        let id = format!("{group}::{}", asked.name);
        self.check(&asked, &id, &group, place)?;
        self.asked += 1;
        if !self.texts.insert(asked.text.clone()) {
            self.remark("repeated question", id.clone());
        }
        let first = self.start(&asked);
        let outcome = match asked.gold {
            Label::Abstention => Err(ABSTENTION),
            Label::Evidence(evidence) if evidence.is_empty() => Err(NO_GOLD),
            Label::Evidence(evidence) => match self.resolve(evidence, first, &id) {
                gold if !gold.is_empty() => Ok(gold),
                _ if first == Some(0) => Err(NOTHING_BEFORE),
                _ => Err(NOT_IN_HISTORY),
            },
        };
        match outcome {
            Ok(gold) => {
                let LabelledQuestion { text, category, before, now, answer, .. } = asked;
                let question = Question { id, text, gold, category, before, now, answer };
                if let Some(group) = self.benchmark.groups.last_mut() {
                    group.questions.push(question);
                }
            }
            Err(reason) => {
                let excluded = Excluded { question: id, text: asked.text, group, before: asked.before, now: asked.now };
                self.benchmark.ledger.excluded.entry(reason).or_default().push(excluded);
            }
        }
        Ok(())
    }

    pub(super) fn remark(&mut self, kind: &'static str, what: String) {
        self.benchmark.ledger.remarks.entry(kind).or_default().push(what);
    }

    /// The benchmark, if anything was asked at all.
    pub(super) fn finish(mut self, files: &Files) -> Result<Benchmark, DataError> {
        self.close();
        if self.places.is_empty() {
            return Err(DataError::NoQuestions { dataset: self.dataset, at: files.shown() });
        }
        Ok(self.benchmark)
    }

    fn close(&mut self) {
        if let Some(group) = self.benchmark.groups.last()
            && self.asked == 0
        {
            let id = group.id.clone();
            self.remark("history without questions", id);
        }
        self.history = History::default();
        self.texts.clear();
        self.asked = 0;
    }

    fn check(&mut self, asked: &LabelledQuestion, id: &str, group: &str, place: &str) -> Result<(), DataError> {
        if asked.text.trim().is_empty() {
            return Err(DataError::BlankQuestion { place: place.to_owned(), id: id.to_owned() });
        }
        if self.history.is_empty() {
            return Err(DataError::EmptyGroup {
                place: place.to_owned(),
                id: id.to_owned(),
                group: group.to_owned(),
                expected: "at least one turn that is not blank".to_owned(),
            });
        }
        if let Some(now) = asked.now.as_deref().filter(|now| now.parse::<Timestamp>().is_err()) {
            return Err(DataError::Wrong {
                place: place.to_owned(),
                what: "field \"now\"".to_owned(),
                found: format!("{now:?}"),
                expected: "ISO 8601 such as 2023-05-08T13:56:00+02:00".to_owned(),
            });
        }
        match self.places.insert(id.to_owned(), place.to_owned()) {
            None => Ok(()),
            Some(first) => Err(DataError::Repeated {
                place: place.to_owned(),
                what: "question",
                id: id.to_owned(),
                first: Some(first),
            }),
        }
    }

    /// How many memories the question can see, where it cannot see all.
    fn start(&self, asked: &LabelledQuestion) -> Option<usize> {
        self.history.position(asked.before.as_ref()?.as_str())
    }

    /// The units the evidence means, once each; what means none is listed.
    fn resolve(&mut self, evidence: Vec<Evidence>, first: Option<usize>, question: &str) -> Vec<String> {
        let mut gold = Vec::new();
        let mut known = HashSet::new();
        for Evidence { written, units } in evidence {
            let visible = |unit: &String| {
                let start = self.history.start(self.benchmark.unit, unit);
                start.is_some_and(|start| first.is_none_or(|first| start < first))
            };
            let units: Vec<String> = units.into_iter().filter(visible).collect();
            if units.is_empty() {
                let unresolved = Unresolved { question: question.to_owned(), evidence: written };
                self.benchmark.ledger.unresolved.push(unresolved);
            }
            gold.extend(units.into_iter().filter(|unit| known.insert(unit.clone())));
        }
        gold
    }
}
