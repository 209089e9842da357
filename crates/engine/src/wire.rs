//! Results as programs read them: the one schema of `--json`, and of any server or binding.
//!
//! Most results serialize by themselves; here is what puts them together.

use std::collections::BTreeMap;

use aforesaid_core::{
    store::{
        BackedUp, CheckDepth, CueStats, DeleteReport, DroppedCues, Erasure, Finding, Gravity, NamespaceStats, Salvaged,
    },
    types::{Namespace, Record},
};
use aforesaid_llm::Spent;
use serde::Serialize;

use crate::{
    adapter_records::RememberingAdapter,
    browse::{ListedConversation, ListedSession},
    completion::{Completed, unembedded},
    cues::{CueCoverage, TakenCues},
    error::Error,
    formats::grouped,
    ingest::Imported,
    memory::Memory,
    resolve::default_in_place_of,
    sources::FileKind,
    speakers::ListedSpeaker,
};

/// A result, with the namespace it is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InNamespace<'a, T> {
    /// The namespace.
    pub namespace: &'a Namespace,
    /// The result.
    #[serde(flatten)]
    pub result: T,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportedFile {
    /// Its name.
    pub file: String,
    /// What became of it.
    #[serde(flatten)]
    pub imported: Imported,
    /// How much of it was left out, by reason.
    pub skipped_by_reason: BTreeMap<String, usize>,
}

impl ImportedFile {
    /// A file of that name.
    pub fn new(file: String, imported: Imported) -> Self {
        let groups = grouped(&imported.skipped).into_iter().map(|group| (group.reason, group.count));
        let skipped_by_reason = groups.collect();
        Self { file, imported, skipped_by_reason }
    }
}

/// A file that could not be imported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedFile {
    /// Its name.
    pub file: String,
    /// Why, as [`ErrorReport`](crate::ErrorReport) serializes.
    pub error: serde_json::Value,
}

/// How many files were not read, since they hold no conversations, by kind.
pub type LeftOut = BTreeMap<FileKind, usize>;

/// What became of the files of an import.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportReport<'a> {
    /// Memories that were new.
    pub added: usize,
    /// Memories that were there already.
    pub unchanged: usize,
    /// Memories that took the place of another text with their id.
    pub replaced: usize,
    /// Memories left out for another text with their id.
    pub kept: usize,
    /// Memories taken out, since their branch is not shown any more or they were deleted where they come from.
    pub removed: usize,
    /// Parts of files that were left out.
    pub skipped: usize,
    /// The files, in order.
    pub files: &'a [ImportedFile],
    /// Files that could not be imported.
    pub failed: &'a [FailedFile],
    /// Files of folders and archives that were not read, by kind.
    pub left_out: &'a LeftOut,
    /// What became of the vectors; not there where no text came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<Completed>,
}

impl<'a> ImportReport<'a> {
    /// The sums over some files.
    pub fn new(
        files: &'a [ImportedFile],
        failed: &'a [FailedFile],
        left_out: &'a LeftOut,
        vectors: Option<Completed>,
    ) -> Self {
        let sum = |count: fn(&Imported) -> usize| files.iter().map(|file| count(&file.imported)).sum();
        Self {
            added: sum(|imported| imported.added),
            unchanged: sum(|imported| imported.unchanged),
            replaced: sum(|imported| imported.replaced),
            kept: sum(|imported| imported.kept),
            removed: sum(|imported| imported.removed),
            skipped: sum(|imported| imported.skipped.len()),
            files,
            failed,
            left_out,
            vectors,
        }
    }
}

/// What a forget took away.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForgetReport {
    /// What is gone.
    pub forgotten: DeleteReport,
    /// Adapters that learned from memories which are gone: their files remember.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub adapters: Vec<RememberingAdapter>,
}

/// How many memories were exported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportReport {
    /// Memories written.
    pub exported: u64,
    /// What could be read of a damaged namespace, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salvaged: Option<Salvaged>,
}

/// A list, cut where there is more than was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listing {
    /// What is shown of it.
    #[serde(flatten)]
    pub listed: Listed,
    /// How many there are.
    pub total: u64,
}

/// What is listed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Listed {
    /// Conversations.
    Conversations(Vec<ListedConversation>),
    /// Sessions.
    Sessions(Vec<ListedSession>),
    /// Speakers.
    Speakers(Vec<ListedSpeaker>),
    /// Turns and notes, the latest first.
    Recent(Vec<Record>),
}

impl Listing {
    /// The first conversations of a list.
    pub fn conversations(mut all: Vec<ListedConversation>, limit: usize) -> Self {
        let total = all.len() as u64;
        all.truncate(limit);
        Self { listed: Listed::Conversations(all), total }
    }

    /// The first sessions of a list.
    pub fn sessions(mut all: Vec<ListedSession>, limit: usize) -> Self {
        let total = all.len() as u64;
        all.truncate(limit);
        Self { listed: Listed::Sessions(all), total }
    }

    /// The first speakers of a list.
    pub fn speakers(mut all: Vec<ListedSpeaker>, limit: usize) -> Self {
        let total = all.len() as u64;
        all.truncate(limit);
        Self { listed: Listed::Speakers(all), total }
    }

    /// The latest of `total` memories.
    pub fn recent(latest: Vec<Record>, total: u64) -> Self {
        Self { listed: Listed::Recent(latest), total }
    }
}

/// Turns and notes as they were said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReadMemories {
    /// All of them.
    pub memories: Vec<Record>,
}

/// What a store holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoreStats {
    /// Path or URL of the store.
    pub store: String,
    /// Whether what was forgotten is gone from every file.
    pub erasure: Erasure,
    /// What each namespace holds.
    pub namespaces: BTreeMap<Namespace, NamespaceReport>,
}

/// What a namespace holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamespaceReport {
    /// Memories and vectors.
    #[serde(flatten)]
    pub stats: NamespaceStats,
    /// Turns and notes that have no vector by the active encoder.
    pub without_vectors: u64,
    /// The default model, where searches go by the same model without the adapter that the default has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub better_model: Option<&'static str>,
    /// Cues, where there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cues: Option<CueStats>,
}

/// How much of a namespace has cues, and where they come from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CueReport {
    /// How many memories have cues.
    pub coverage: CueCoverage,
    /// What is stored.
    #[serde(flatten)]
    pub stats: CueVectorsAndSources,
}

/// Vectors of cues by encoder, and memories by source of their cues.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CueVectorsAndSources {
    /// Vectors by encoder.
    pub vectors: BTreeMap<String, u64>,
    /// Memories by who wrote their cues, and how.
    pub sources: BTreeMap<String, u64>,
}

/// What dropping cues took away.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DropCuesReport {
    /// What is gone.
    pub dropped: DroppedCues,
    /// Whether its bytes are gone from every file.
    pub erasure: Erasure,
}

/// Cues taken from the results of a batch service.
#[derive(Debug, Serialize)]
pub struct BatchCues<'a> {
    /// What came of the answers.
    #[serde(flatten)]
    pub taken: &'a TakenCues,
    /// Lines of the results, by what became of them.
    pub lines: BTreeMap<&'static str, usize>,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckReport<'a> {
    /// Path or URL of the store.
    pub store: String,
    /// How far it went.
    pub depth: CheckDepth,
    /// Whether something was lost or changed.
    pub damaged: bool,
    /// What was found.
    pub findings: &'a [Finding],
}

impl<'a> CheckReport<'a> {
    /// The report of some findings.
    pub fn new(store: String, depth: CheckDepth, findings: &'a [Finding]) -> Self {
        let damaged = findings.iter().any(|finding| finding.gravity == Gravity::Damage);
        Self { store, depth, damaged, findings }
    }
}

/// A copy of a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BackupReport {
    /// What is in it.
    #[serde(flatten)]
    pub backed_up: BackedUp,
    /// Path or URL of the store.
    pub store: String,
    /// Path of the copy.
    pub file: String,
}

/// A result that a language model had a part in, and what that has cost. Stored responses cost nothing.
#[derive(Debug, Serialize)]
pub struct Costed<T> {
    /// The result.
    #[serde(flatten)]
    pub result: T,
    /// What it has cost.
    pub spent: Spent,
}

/// Memories for another model, and the same as text.
#[derive(Debug, Serialize)]
pub struct PromptText<T> {
    /// The text.
    pub prompt: String,
    /// The memories.
    #[serde(flatten)]
    pub context: T,
}

impl Memory {
    /// What the store and some of its namespaces hold.
    ///
    /// # Errors
    /// When a namespace does not exist, or the store fails.
    pub fn store_stats(&self, namespaces: Vec<Namespace>) -> Result<StoreStats, Error> {
        let mut reports = BTreeMap::new();
        for namespace in namespaces {
            let stats = self.stats(&namespace)?;
            let cues = Some(self.cue_stats(&namespace)?).filter(|cues| cues.memories > 0);
            let without_vectors = unembedded(&stats);
            let better_model = stats.active_encoder.as_ref().and_then(default_in_place_of);
            reports.insert(namespace, NamespaceReport { stats, without_vectors, better_model, cues });
        }
        Ok(StoreStats { store: self.location(), erasure: self.erasure()?, namespaces: reports })
    }
}
