//! Where the public data sets are at home, and under which terms.
//!
//! Addresses name a fixed revision, except those of BEAM, whose files are not all known to be in one. The checksums
//! of LoCoMo, BEAM, RealMem and QMSum are of files that this crate's counts were checked on; the one of
//! LongMemEval-S is what others record for that revision, and no loader was run on that file.

mod beam;
mod files;

use super::DataSet;

/// A file of a public data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicFile {
    /// Its address, after [`Entry::base`].
    pub path: &'static str,
    /// What it is saved as: a path with `/` below the folder of the data set.
    pub name: &'static str,
    /// Bytes.
    pub size: u64,
    /// In lower-case hex.
    pub sha256: &'static str,
}

/// What is known of a data set before it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The data set.
    pub dataset: DataSet,
    /// One line on what it is.
    pub title: &'static str,
    /// The page of its authors, where it has one.
    pub home: Option<&'static str>,
    /// SPDX identifier, or words.
    pub licence: &'static str,
    /// What the licence means for a user, in one line.
    pub rule: &'static str,
    /// What the files' addresses start with; ends in `/`.
    pub base: &'static str,
    /// What can be fetched; nothing for sets that are not public files.
    pub files: &'static [PublicFile],
    /// What to put where by hand.
    pub place: &'static str,
}

impl Entry {
    /// Bytes of all files.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

impl DataSet {
    /// Its entry in the catalogue.
    pub fn entry(self) -> &'static Entry {
        match self {
            DataSet::Locomo => &LOCOMO,
            DataSet::LocomoAudit => &LOCOMO_AUDIT,
            DataSet::LongMemEval => &LONGMEMEVAL,
            DataSet::LongMemEvalPooled => &LONGMEMEVAL_POOLED,
            DataSet::Beam => &BEAM,
            DataSet::RealMem => &REALMEM,
            DataSet::QmSum => &QMSUM,
            DataSet::Dialogues => &DIALOGUES,
            DataSet::DialoguesDev => &DIALOGUES_DEV,
            DataSet::DialoguesTest => &DIALOGUES_TEST,
            DataSet::Conversations => &CONVERSATIONS,
            DataSet::Ranking => &RANKING,
            DataSet::Assistants => &ASSISTANTS,
            DataSet::Languages => &LANGUAGES,
            DataSet::OneUser => &ONE_USER,
            DataSet::ThreeStores => &THREE_STORES,
            DataSet::Jsonl => &JSONL,
        }
    }
}

static LOCOMO: Entry = Entry {
    dataset: DataSet::Locomo,
    title: "LoCoMo: 10 long conversations of two people, 1,986 questions",
    home: Some("https://github.com/snap-research/locomo"),
    licence: "CC-BY-NC-4.0",
    rule: "non-commercial: evaluation only; never part of a product or of a model that ships",
    base: "https://raw.githubusercontent.com/snap-research/locomo/3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/",
    files: &files::LOCOMO,
    place: "put locomo10.json into a folder and name that",
};

static LOCOMO_AUDIT: Entry = Entry {
    dataset: DataSet::LocomoAudit,
    title: "LoCoMo with 155 published corrections of its gold",
    home: None,
    licence: "CC-BY-NC-4.0",
    rule: "non-commercial: evaluation only; never part of a product or of a model that ships",
    base: "",
    files: &[],
    place: "put audit.json (an array of objects with question_id, question and correct_evidence) beside locomo10.json",
};

static LONGMEMEVAL: Entry = Entry {
    dataset: DataSet::LongMemEval,
    title: "LongMemEval-S (cleaned): 500 questions, each with a history of its own",
    home: Some("https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned"),
    licence: "MIT",
    rule: "free to use with its notice",
    base: "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/98d7416c24c778c2fee6e6f3006e7a073259d48f/",
    files: &files::LONGMEMEVAL,
    place: "put longmemeval_s_cleaned.json into a folder and name that, or name any file of the official format",
};

static LONGMEMEVAL_POOLED: Entry = Entry {
    dataset: DataSet::LongMemEvalPooled,
    title: "LongMemEval evidence pooled into one history with distractors (ours)",
    home: None,
    licence: "MIT",
    rule: "free to use with its notice; not comparable with published LongMemEval figures",
    base: "",
    files: &[],
    place: "put evidence_turns.json and full_sessions.json into one folder and name that",
};

static BEAM: Entry = Entry {
    dataset: DataSet::Beam,
    title: "BEAM 100K: 20 chats, 400 questions on ten abilities",
    home: Some("https://github.com/mohammadtavakoli78/BEAM"),
    licence: "CC-BY-SA-4.0",
    rule: "share alike: what is made from its text keeps the licence",
    base: "https://raw.githubusercontent.com/mohammadtavakoli78/BEAM/main/chats/",
    files: &beam::FILES,
    place: "put chat.json and probing_questions.json of chat n into 100K/n of a folder and name that",
};

static REALMEM: Entry = Entry {
    dataset: DataSet::RealMem,
    title: "RealMem: 6 of its 10 personas, 816 queries in the course of dialogue",
    home: Some("https://github.com/AvatarMemory/RealMemBench"),
    licence: "Apache-2.0",
    rule: "free to use with its notice",
    base: "https://raw.githubusercontent.com/AvatarMemory/RealMemBench/67afd0891d603adcc4458ff0449df306ef296b7a/dataset/",
    files: &files::REALMEM,
    place: "put the personas' .json files into a folder and name that",
};

static QMSUM: Entry = Entry {
    dataset: DataSet::QmSum,
    title: "QMSum train: 162 meetings, 1,095 questions about parts of them",
    home: Some("https://github.com/Yale-LILY/QMSum"),
    licence: "MIT",
    rule: "free to use with its notice; its authors ask for research use and a citation",
    base: "https://raw.githubusercontent.com/Yale-LILY/QMSum/83d7768c1f2b4dfeb091385d3dc7e239b8e5bb7e/data/ALL/jsonl/",
    files: &files::QMSUM,
    place: "put train.jsonl into a folder and name that, or name any .jsonl file of its format",
};

static DIALOGUES: Entry =
    dialogues(DataSet::Dialogues, "Dialogues: conversations of many genres and languages, written for this project");

static DIALOGUES_DEV: Entry = dialogues(DataSet::DialoguesDev, "Dialogues, with the questions to choose settings on");

static DIALOGUES_TEST: Entry = dialogues(DataSet::DialoguesTest, "Dialogues, with the questions to report");

static CONVERSATIONS: Entry = Entry {
    dataset: DataSet::Conversations,
    title: "Conversations to learn from, written for this project as the dialogues were",
    rule: "public domain; what ships learned from them, so that they measure nothing",
    place: "name the folder datasets/conversations of the repository",
    ..DIALOGUES
};

static RANKING: Entry = Entry {
    dataset: DataSet::Ranking,
    title: "Conversations to learn to rank from, written for this project; no encoder that ships learned from them",
    rule: "public domain; the confidence that ships is fitted on them",
    place: "name the folder datasets/ranking of the repository",
    ..DIALOGUES
};

static ASSISTANTS: Entry = Entry {
    dataset: DataSet::Assistants,
    title: "Histories of people with an assistant, written for this project to measure on",
    rule: "public domain; for measuring, never for training",
    place: "name the folder datasets/assistants of the repository",
    ..DIALOGUES
};

static LANGUAGES: Entry = Entry {
    dataset: DataSet::Languages,
    title: "Chats in German, Dutch, Italian, Portuguese, Russian and Swedish, written for this project to measure on",
    rule: "public domain; for measuring, never for training",
    place: "name the folder datasets/languages of the repository",
    ..DIALOGUES
};

static ONE_USER: Entry = Entry {
    dataset: DataSet::OneUser,
    title: "One person's store: chats with two assistants, a group's chat and coding agents' logs, written to measure on",
    rule: "public domain; for measuring, never for training",
    place: "name the folder datasets/one-user of the repository",
    ..DIALOGUES
};

static THREE_STORES: Entry = Entry {
    dataset: DataSet::ThreeStores,
    title: "What a team, a household and a person with two assistants have, as their programs export it",
    rule: "public domain; to choose settings on",
    place: "name the folder datasets/three-stores of the repository",
    ..DIALOGUES
};

const fn dialogues(dataset: DataSet, title: &'static str) -> Entry {
    Entry {
        dataset,
        title,
        home: Some("https://github.com/aforesaid/aforesaid"),
        licence: "CC0-1.0",
        rule: "public domain; its test conversations are for measuring, never for training",
        base: "",
        files: &[],
        place: "name the folder datasets/dialogues of the repository",
    }
}

static JSONL: Entry = Entry {
    dataset: DataSet::Jsonl,
    title: "your own labelled history",
    home: None,
    licence: "yours",
    rule: "stays on this machine",
    base: "",
    files: &[],
    place: "write memories.jsonl {id, text, session, speaker, said_at, title, group} and queries.jsonl {id, query, gold_ids, group, category, before, now} into one folder and name that",
};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_entry_is_its_data_sets_own_and_pins_whole_files() {
        for dataset in DataSet::ALL {
            let entry = dataset.entry();
            assert_eq!(entry.dataset, dataset);
            assert_eq!(entry.files.is_empty(), entry.base.is_empty(), "{dataset}");
            assert!(entry.files.is_empty() || (entry.base.ends_with('/') && entry.home.is_some()), "{dataset}");
            let names: HashSet<_> = entry.files.iter().map(|file| file.name).collect();
            assert_eq!(names.len(), entry.files.len(), "{dataset}");
            for file in entry.files {
                let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
                assert!(file.sha256.len() == 64 && file.sha256.chars().all(is_hex), "{}", file.name);
                assert!(file.size > 0 && !file.name.starts_with('/') && !file.name.contains(".."), "{}", file.name);
            }
        }
        assert_eq!(DataSet::Beam.entry().files.len(), 40);
        assert_eq!(DataSet::Locomo.entry().size(), 2_805_274);
    }
}
