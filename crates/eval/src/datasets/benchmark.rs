//! What every data set comes to: histories, and questions with their gold.

use std::collections::BTreeMap;

use aforesaid::types::{Draft, Granularity, MemoryId};

use crate::measures::{InvalidQrels, Qrels};

/// Why a question is excluded whose right answer is that nobody said so.
pub(super) const ABSTENTION: &str = "abstention";

/// Histories with labelled questions, ready to be measured on one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Benchmark {
    /// The data set's name.
    pub dataset: String,
    /// What is retrieved, and what the gold ids name: turns and notes by id, sessions by name.
    pub unit: Granularity,
    /// Histories that know nothing of each other, in the order of the data.
    pub groups: Vec<Group>,
    /// What was left out or did not fit, for the report.
    pub ledger: Ledger,
}

/// One history and what is asked of it: a conversation, a persona, a meeting.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Unique in the data set; the resampling unit of a cluster bootstrap.
    pub id: String,
    /// Everything that may be found, in the order it came about.
    pub memories: Vec<Draft>,
    /// Questions with at least one gold unit.
    pub questions: Vec<Question>,
}

/// A question and the units that hold its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Unique in the data set: `<group>::<name>`.
    pub id: String,
    /// As asked.
    pub text: String,
    /// Ids of the gold units, without repeats, in the order of the data; never empty.
    pub gold: Vec<String>,
    /// The kind of question, as the data set names it.
    pub category: Option<String>,
    /// The first memory that did not exist yet when this was asked; only those before it are candidates.
    pub before: Option<MemoryId>,
    /// The moment of asking, as the data set writes it: ISO 8601, with its offset where it has one.
    pub now: Option<String>,
    /// The right answer in words, where the data set has one; of LoCoMo's adversarial questions the wrong one.
    pub answer: Option<String>,
}

/// What a loader did not use, by reason; nothing is dropped without a line here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    /// Questions that are not measured, by reason.
    pub excluded: BTreeMap<&'static str, Vec<Excluded>>,
    /// Evidence that names nothing in its history.
    pub unresolved: Vec<Unresolved>,
    /// Anything else worth telling, by kind: repeated questions, blank turns, histories nobody asks about.
    pub remarks: BTreeMap<&'static str, Vec<String>>,
}

/// A question that is not measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excluded {
    /// Its id.
    pub question: String,
    /// As asked: whether a memory knows that it does not know is measured on these.
    pub text: String,
    /// The group it was asked of.
    pub group: String,
    /// As [`Question::before`].
    pub before: Option<MemoryId>,
    /// As [`Question::now`].
    pub now: Option<String>,
}

/// An evidence id that names nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The question.
    pub question: String,
    /// The id, as written.
    pub evidence: String,
}

impl Benchmark {
    /// Questions that are measured.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.groups.iter().flat_map(|group| &group.questions)
    }

    /// The gold of every question.
    ///
    /// # Errors
    /// When a question is asked twice, or has no gold.
    pub fn qrels(&self) -> Result<Qrels, InvalidQrels> {
        let mut qrels = Qrels::default();
        self.questions().try_for_each(|question| qrels.add(&question.id, &question.gold))?;
        Ok(qrels)
    }

    /// Questions of a group whose right answer is that nobody said so; they have no gold, and no run knows them.
    pub fn abstentions(&self, group: &str) -> impl Iterator<Item = &Excluded> {
        let all = self.ledger.excluded.get(ABSTENTION).into_iter().flatten();
        all.filter(move |excluded| excluded.group == group)
    }

    /// How many questions are not measured.
    pub fn excluded(&self) -> usize {
        self.ledger.excluded.values().map(Vec::len).sum()
    }
}
