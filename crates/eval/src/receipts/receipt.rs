//! A published figure, and how to measure it again.

use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use aforesaid::types::{EncoderId, Granularity};
use toml::de::DeValue;

use super::{
    ReceiptError, Tolerance,
    keys::{Source, not, number, share, text, word},
};
use crate::{
    datasets::{DataSet, RECORDED},
    experiments::{Criterion, System},
    measures::Measure,
    recipe::{Recipe, Recording},
};

/// Lies beside receipts and is none.
pub(super) const TABLES: &str = "tables.toml";

/// The figures of one system on one data set, as published.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    pub(super) name: String,
    pub(super) dataset: DataSet,
    pub(super) data: Option<PathBuf>,
    pub(super) data_sha256: String,
    pub(super) encoder: Option<EncoderId>,
    pub(super) reranker: Option<EncoderId>,
    rerank_depth: Option<NonZeroUsize>,
    pub(super) cues_sha256: Option<String>,
    pub(super) n: usize,
    pub(super) tolerance: Tolerance,
    pub(super) expected: BTreeMap<Measure, f64>,
    title: String,
    note: Option<String>,
    unit: Granularity,
    system: System,
    /// Questions a memory at the most, where they were cut.
    cue_questions: Option<usize>,
}

impl Receipt {
    /// Reads a receipt; its name is that of the file.
    ///
    /// # Errors
    /// When the file cannot be read or is not TOML; when a key is missing, unknown or of a wrong value; when
    /// `command` does not say what the other keys say; when there is an encoder and the system uses none, or the
    /// other way round.
    pub fn read(path: &Path) -> Result<Self, ReceiptError> {
        let source = Source::read(path)?;
        let mut keys = source.keys()?;
        let title = keys.required("title", "what the row is called, as a string", text)?;
        let place = keys.place_of("command");
        let written = keys.required("command", "the command that measures it", text)?;
        let dataset: DataSet = keys.required("dataset", "the name of a data set", word)?;
        let unit: Granularity = keys.required("unit", "turn or session", word)?;
        let mut system: System = keys.required("system", "a preset or a description of a pipeline", word)?;
        let criterion_place = keys.place_of("criterion");
        let criterion: Option<Criterion> = keys.optional("criterion", word)?;
        let data = keys.optional("data", text)?;
        let data_sha256 = keys.required("data_sha256", SHA256, sha256)?;
        let cues_sha256 = keys.optional("cues_sha256", sha256)?;
        let cue_questions_place = keys.place_of("cue_questions");
        let cue_questions = keys.optional("cue_questions", |value| number(value, WHOLE).map(|(most, _)| most))?;
        let encoder_place = keys.place_of("encoder");
        let encoder: Option<EncoderId> = keys.optional("encoder", word)?;
        let reranker: Option<EncoderId> = keys.optional("reranker", word)?;
        let depth_place = keys.place_of("rerank_depth");
        let rerank_depth: Option<NonZeroUsize> =
            keys.optional("rerank_depth", |value| number(value, COUNT).map(|(depth, _)| depth))?;
        if reranker.is_some() && rerank_depth.is_none() {
            return Err(keys.missing("rerank_depth", "how many hits the reranker orders, a whole number from 1"));
        }
        let n: NonZeroUsize = keys.required("n", COUNT, |value| number(value, COUNT).map(|(n, _)| n))?;
        let tolerance = keys.required("tolerance", SMALL, |value| number(value, SMALL).map(|(small, _)| small))?;
        let note = keys.optional("note", text)?;
        let expected = match keys.table("expected")? {
            Some(table) => table.measures(|value| share(value).map(|(share, _)| share))?.into_iter().collect(),
            None => return Err(keys.missing("expected", "a table of measures and their values")),
        };
        if encoder.is_none() && system.pipeline.compares_vectors() {
            return Err(keys.missing("encoder", "the id of the encoder, since the system has a dense leg"));
        }
        keys.end()?;
        let wrong = |place, key: &str, why| ReceiptError::Wrong { place, key: key.to_owned(), why };
        if let (Some(encoder), false) = (&encoder, system.pipeline.compares_vectors()) {
            let why = format!("found {:?}; expected no such key, since the system has no dense leg", encoder.as_str());
            return Err(wrong(encoder_place, "encoder", why));
        }
        if let (Some(criterion), false) = (&criterion, system.chooses()) {
            let why = format!("found \"{criterion}\"; expected no such key, since the system has no numbers to choose");
            return Err(wrong(criterion_place, "criterion", why));
        }
        if let (Some(_), None) = (cue_questions, &cues_sha256) {
            let why = "expected no such key without cues_sha256".to_owned();
            return Err(wrong(cue_questions_place, "cue_questions", why));
        }
        if let (None, Some(depth)) = (&reranker, rerank_depth) {
            let why = format!("found {depth}; expected no such key without reranker");
            return Err(wrong(depth_place, "rerank_depth", why));
        }
        system.criterion = criterion.unwrap_or_default();
        let recording = cues_sha256.as_ref().map(|_| Recording { folder: None, at_most: cue_questions });
        let command =
            command(dataset, unit, &system, encoder.as_ref(), (reranker.as_ref(), rerank_depth), recording.as_ref());
        if written != command {
            let why = format!("found {written:?}; expected what the other keys say: {command:?}");
            return Err(wrong(place, "command", why));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let data = data.map(|data| path.parent().unwrap_or(Path::new("")).join(data));
        Ok(Self {
            name,
            title,
            note,
            dataset,
            unit,
            system,
            data,
            data_sha256,
            encoder,
            reranker,
            rerank_depth,
            cues_sha256,
            cue_questions,
            n: n.get(),
            tolerance,
            expected,
        })
    }

    /// Reads every `.toml` file of a folder except `tables.toml`, sorted by name.
    ///
    /// # Errors
    /// When the folder cannot be listed or has no receipts, and as [`Receipt::read`].
    pub fn read_all(folder: &Path) -> Result<Vec<Self>, ReceiptError> {
        let list = || ReceiptError::io("list the folder", folder);
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(list())? {
            let path = entry.map_err(list())?.path();
            let is_toml = path.extension().is_some_and(|end| end == "toml");
            if is_toml && path.file_name().is_some_and(|name| name != TABLES) {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            return Err(ReceiptError::NoReceipts { folder: folder.to_owned() });
        }
        let mut receipts = paths.iter().map(|path| Self::read(path)).collect::<Result<Vec<_>, _>>()?;
        receipts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(receipts)
    }

    /// Its file's name without `.toml`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the row is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What a reader should know, if anything.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The encoder it was measured with; `None` where the system has no dense leg.
    pub fn encoder(&self) -> Option<&EncoderId> {
        self.encoder.as_ref()
    }

    /// The reranker it was measured with, if any.
    pub fn reranker(&self) -> Option<&EncoderId> {
        self.reranker.as_ref()
    }

    /// The published measures.
    pub fn expected(&self) -> &BTreeMap<Measure, f64> {
        &self.expected
    }

    /// What has to be carried out to measure it again.
    pub fn recipe(&self) -> Recipe {
        Recipe {
            dataset: self.dataset,
            unit: self.unit,
            system: self.system.clone(),
            measures: self.expected.keys().copied().collect(),
            cues: self.recording(),
            rerank_depth: self.rerank_depth,
        }
    }

    /// The cue questions it was measured with: those beside the data, as far as they counted.
    pub(super) fn recording(&self) -> Option<Recording> {
        self.cues_sha256.as_ref().map(|_| Recording { folder: None, at_most: self.cue_questions })
    }

    /// The same as a command line, without the place of the data.
    pub fn command(&self) -> String {
        let reranked = (self.reranker.as_ref(), self.rerank_depth);
        command(self.dataset, self.unit, &self.system, self.encoder.as_ref(), reranked, self.recording().as_ref())
    }
}

/// The command line of a recipe, as receipts write it. It names the encoder's model, unless the system does: the default may be
/// another one some day.
pub(super) fn command(
    dataset: DataSet,
    unit: Granularity,
    system: &System,
    encoder: Option<&EncoderId>,
    (reranker, depth): (Option<&EncoderId>, Option<NonZeroUsize>),
    cues: Option<&Recording>,
) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/@=+,".contains(c);
    let name = match system.name.chars().all(plain) {
        true => system.name.clone(),
        false => format!("'{}'", system.name.replace('\'', r"'\''")),
    };
    let criterion = stated_criterion(system).map(|criterion| format!(" --criterion {criterion}"));
    let criterion = criterion.unwrap_or_default();
    let most = cues.and_then(|cues| cues.at_most).map(|most| format!(" --cue-questions {most}"));
    let cues = cues.map(|_| format!(" --cues {RECORDED}{}", most.unwrap_or_default())).unwrap_or_default();
    let unnamed = encoder.filter(|_| system.pipeline.encoder().is_none());
    let model = unnamed.map(|encoder| format!(" --model {}", encoder.model())).unwrap_or_default();
    // A reranker is called by what follows its model's name, as in all-MiniLM-L6-v2+evidence.
    let reranker = reranker.map(|id| id.model().rsplit_once('+').map_or(id.model(), |(_, name)| name));
    let rerank = reranker.zip(depth).map(|(name, depth)| format!(" --rerank {name} --rerank-depth {depth}"));
    let rerank = rerank.unwrap_or_default();
    format!("aforesaid eval run --dataset {dataset} --unit {unit} --system {name}{criterion}{cues}{rerank}{model}")
}

/// By what the numbers of a system are chosen, where it is not the published protocol's measure.
pub(super) fn stated_criterion(system: &System) -> Option<&Criterion> {
    (system.chooses() && system.criterion != Criterion::default()).then_some(&system.criterion)
}

const COUNT: &str = "a whole number from 1";
const WHOLE: &str = "a whole number from 0";
const SMALL: &str = "a number above 0 and below 1";
const SHA256: &str = "a SHA-256 in lower-case hex, 64 digits";

fn sha256(value: &DeValue<'_>) -> Result<String, String> {
    let digits = text(value)?;
    match digits.len() == 64 && digits.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')) {
        true => Ok(digits),
        false => Err(not(value, SHA256)),
    }
}
