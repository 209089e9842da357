//! Which data sets there are.

use std::{fmt, path::Path, str::FromStr};

use aforesaid::{
    models::checksum,
    types::{Granularity, UnknownChoice},
};

use super::{
    Benchmark, DataError, RecordedCues, Splits, beam, dialogues, files::locate, jsonl, locomo, longmemeval, pooled,
    qmsum, realmem,
};

/// A kind of labelled history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DataSet {
    /// Ten long conversations of two people, with the gold as published.
    Locomo,
    /// The same with the published corrections of its gold.
    LocomoAudit,
    /// One history of a user and an assistant for every question, in the official format.
    LongMemEval,
    /// All evidence turns of LongMemEval and some distractors as one history; ours.
    LongMemEvalPooled,
    /// Chats with questions on ten abilities.
    Beam,
    /// Personas whose dialogue asks for earlier sessions.
    RealMem,
    /// Meetings with questions about their parts.
    QmSum,
    /// Conversations of many genres and languages, written for this project.
    Dialogues,
    /// The same with the questions to choose settings on.
    DialoguesDev,
    /// The same with the questions to report.
    DialoguesTest,
    /// More conversations of the same shape, written to learn from; no model is measured on them.
    Conversations,
    /// Conversations of the same shape that no encoder learned from: confidence is fitted on them.
    Ranking,
    /// Histories of people with an assistant, of the same shape, written to measure on.
    Assistants,
    /// Chats in other languages than English, of the same shape, written to measure on.
    Languages,
    /// All that one person has in a store: chats with two assistants, a group's chat and coding agents' logs.
    OneUser,
    /// What a team, a household and a person with two assistants have, as their programs export it.
    ThreeStores,
    /// Anyone's own labelled history.
    Jsonl,
}

const NAMES: &str = "locomo, locomo-audit, longmemeval, longmemeval-pooled, beam, realmem, qmsum, dialogues, \
                     dialogues-dev, dialogues-test, conversations, ranking, assistants, languages, one-user, \
                     three-stores or jsonl";

/// The folder of the dialogues, from the root of the repository.
const DIALOGUES: &str = "datasets/dialogues";
/// The folder of the conversations to learn from.
const CONVERSATIONS: &str = "datasets/conversations";
/// The folder of the conversations that no encoder learned from.
const RANKING: &str = "datasets/ranking";
/// The folder of the histories with an assistant.
const ASSISTANTS: &str = "datasets/assistants";
/// The folder of the chats in other languages than English.
const LANGUAGES: &str = "datasets/languages";
/// The folder of one person's store.
const ONE_USER: &str = "datasets/one-user";
/// The folder of the stores of a team, a household and a person.
const THREE_STORES: &str = "datasets/three-stores";

impl DataSet {
    /// Every data set, in the order in which they are listed to people.
    pub const ALL: [DataSet; 17] = [
        DataSet::Locomo,
        DataSet::LocomoAudit,
        DataSet::LongMemEval,
        DataSet::LongMemEvalPooled,
        DataSet::Beam,
        DataSet::RealMem,
        DataSet::QmSum,
        DataSet::Dialogues,
        DataSet::DialoguesDev,
        DataSet::DialoguesTest,
        DataSet::Conversations,
        DataSet::Ranking,
        DataSet::Assistants,
        DataSet::Languages,
        DataSet::OneUser,
        DataSet::ThreeStores,
        DataSet::Jsonl,
    ];

    /// The word that names it on a command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            DataSet::Locomo => "locomo",
            DataSet::LocomoAudit => "locomo-audit",
            DataSet::LongMemEval => "longmemeval",
            DataSet::LongMemEvalPooled => "longmemeval-pooled",
            DataSet::Beam => "beam",
            DataSet::RealMem => "realmem",
            DataSet::QmSum => "qmsum",
            DataSet::Dialogues => "dialogues",
            DataSet::DialoguesDev => "dialogues-dev",
            DataSet::DialoguesTest => "dialogues-test",
            DataSet::Conversations => "conversations",
            DataSet::Ranking => "ranking",
            DataSet::Assistants => "assistants",
            DataSet::Languages => "languages",
            DataSet::OneUser => "one-user",
            DataSet::ThreeStores => "three-stores",
            DataSet::Jsonl => "jsonl",
        }
    }

    /// The folder it is kept in, beside those of other data sets.
    pub fn folder(self) -> &'static str {
        match self {
            DataSet::LocomoAudit => DataSet::Locomo.name(),
            DataSet::LongMemEvalPooled => DataSet::LongMemEval.name(),
            DataSet::DialoguesDev | DataSet::DialoguesTest => DataSet::Dialogues.name(),
            _ => self.name(),
        }
    }

    /// Where it is in the repository of this project, if it is part of it.
    pub fn in_repository(self) -> Option<&'static Path> {
        match self {
            DataSet::Dialogues | DataSet::DialoguesDev | DataSet::DialoguesTest => Some(Path::new(DIALOGUES)),
            DataSet::Conversations => Some(Path::new(CONVERSATIONS)),
            DataSet::Ranking => Some(Path::new(RANKING)),
            DataSet::Assistants => Some(Path::new(ASSISTANTS)),
            DataSet::Languages => Some(Path::new(LANGUAGES)),
            DataSet::OneUser => Some(Path::new(ONE_USER)),
            DataSet::ThreeStores => Some(Path::new(THREE_STORES)),
            _ => None,
        }
    }

    /// Reads the histories at `path`, a file or the folder with it, and what is asked of them on `unit`.
    ///
    /// # Errors
    /// When the files are not there or not of this data set, when the data set does not label `unit`, and when a
    /// question or its gold makes no sense: a repeated id, a blank text, a group without memories, gold of a wrong
    /// type. Gold that names nothing is no error: it is listed in the ledger.
    pub fn load(self, path: &Path, unit: Granularity) -> Result<Benchmark, DataError> {
        self.check_unit(unit)?;
        let files = locate(self, path)?;
        match self {
            DataSet::Locomo => locomo::load(&files, unit, locomo::Gold::Published),
            DataSet::LocomoAudit => locomo::load(&files, unit, locomo::Gold::Audited),
            DataSet::LongMemEval => longmemeval::load(&files, unit),
            DataSet::LongMemEvalPooled => pooled::load(&files, unit),
            DataSet::Beam => beam::load(&files, unit),
            DataSet::RealMem => realmem::load(&files, unit),
            DataSet::QmSum => qmsum::load(&files, unit),
            DataSet::Dialogues
            | DataSet::Conversations
            | DataSet::Ranking
            | DataSet::Assistants
            | DataSet::Languages => dialogues::load(self, &files, unit, None),
            DataSet::DialoguesDev => dialogues::load(self, &files, unit, Some(dialogues::Side::Dev)),
            DataSet::DialoguesTest => dialogues::load(self, &files, unit, Some(dialogues::Side::Test)),
            DataSet::OneUser | DataSet::ThreeStores | DataSet::Jsonl => jsonl::load(self, &files, unit),
        }
    }

    /// The sha256, in hex, of what [`DataSet::load`] reads at `path`.
    ///
    /// Of one file it is the sha256 of its bytes. Of several it is the sha256 of what `sha256sum` prints for them
    /// when called in their folder: a line `<sha256>  <relative path>` each, sorted by relative path as bytes.
    ///
    /// # Errors
    /// When the files are not there or cannot be read.
    pub fn fingerprint(self, path: &Path) -> Result<String, DataError> {
        let files = locate(self, path)?;
        let of = |name: &str| {
            let path = files.path(name);
            checksum::sha256_of(&path).map_err(DataError::io("hash the file", path))
        };
        if let [only] = files.names() {
            return of(only);
        }
        let mut names: Vec<&String> = files.names().iter().collect();
        names.sort();
        let mut manifest = String::new();
        for name in names {
            manifest.push_str(&format!("{}  {name}\n", of(name)?));
        }
        Ok(checksum::sha256_of_bytes(manifest.as_bytes()))
    }

    /// The cue questions in the folder `cues` beside the data at `path`; those of the dialogues stand with their turns.
    ///
    /// # Errors
    /// When the data are not there, and as [`RecordedCues::read`].
    pub fn cues(self, path: &Path) -> Result<RecordedCues, DataError> {
        let files = locate(self, path)?;
        if self.has_cues_with_turns() { dialogues::cues(&files) } else { RecordedCues::read(&files.path("cues")) }
    }

    /// Whether cue questions are recorded for the data at `path`.
    ///
    /// # Errors
    /// When the data are not there.
    pub fn has_cues(self, path: &Path) -> Result<bool, DataError> {
        Ok(locate(self, path)?.path("cues").is_dir() || self.has_cues_with_turns())
    }

    /// Whether its turns hold their cue questions, as those of the dialogues do.
    fn has_cues_with_turns(self) -> bool {
        self.in_repository().is_some() && !matches!(self, DataSet::OneUser | DataSet::ThreeStores)
    }

    /// The divisions in `splits.json` beside the data at `path`.
    ///
    /// # Errors
    /// When the data are not there, and as [`Splits::read`].
    pub fn splits(self, path: &Path, benchmark: &Benchmark) -> Result<Splits, DataError> {
        Splits::read(&locate(self, path)?.path("splits.json"), benchmark)
    }

    fn check_unit(self, unit: Granularity) -> Result<(), DataError> {
        let (why, next) = match (self, unit) {
            (DataSet::RealMem, Granularity::Turn) => ("its gold names whole sessions", Granularity::Session),
            (DataSet::QmSum, Granularity::Session) => ("a meeting is one session", Granularity::Turn),
            _ => return Ok(()),
        };
        Err(DataError::Granularity { dataset: self, unit, why, next })
    }
}

impl fmt::Display for DataSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DataSet {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        DataSet::ALL.into_iter().find(|dataset| dataset.name() == word).ok_or_else(|| UnknownChoice {
            what: "data set",
            found: word.into(),
            expected: NAMES,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_and_offered() {
        for dataset in DataSet::ALL {
            assert_eq!(dataset.to_string().parse::<DataSet>().unwrap(), dataset);
            assert!(NAMES.contains(dataset.name()));
        }
        let message = "lokomo".parse::<DataSet>().unwrap_err().to_string();
        assert!(message.starts_with("data set \"lokomo\": expected locomo, "), "{message}");
    }
}
