//! Finding the files of a data set at a path that a person gave.

use std::{
    fs,
    path::{Path, PathBuf},
};

use aforesaid::models::files::read_regular;
use serde::de::DeserializeOwned;

use super::{DataError, DataSet, dialogues::SPLITS};

/// Bytes of a file at most: the largest data set has 2.7 billion.
pub(super) const MOST_BYTES: u64 = 8 << 30;

const LOCOMO: &str = "locomo10.json";
const AUDIT: &str = "audit.json";
const LONGMEMEVAL: [&str; 4] =
    ["longmemeval_s_cleaned.json", "longmemeval_s.json", "longmemeval_m_cleaned.json", "longmemeval_m.json"];
const POOLED: [&str; 2] = ["evidence_turns.json", "full_sessions.json"];
const QMSUM: &str = "train.jsonl";
const JSONL: [&str; 2] = ["memories.jsonl", "queries.jsonl"];

/// The files a loader reads: names relative to a folder, with `/`, in the order in which they are read.
#[derive(Debug, PartialEq)]
pub(super) struct Files {
    root: PathBuf,
    names: Vec<String>,
}

impl Files {
    fn new(root: &Path, names: &[&str]) -> Self {
        Self { root: root.to_owned(), names: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// A file on its own.
    fn single(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { root: folder_of(path), names: vec![name] }
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The one file, or the folder of several, as messages name it.
    pub(super) fn shown(&self) -> String {
        match &self.names[..] {
            [only] => self.label(only),
            _ => self.root.display().to_string(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The file as messages name it.
    pub(super) fn label(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    pub(super) fn bytes(&self, name: &str) -> Result<Vec<u8>, DataError> {
        let path = self.path(name);
        read_regular(&path, MOST_BYTES).map_err(DataError::io("read the file", path))
    }

    /// A whole file of JSON; `expected` says what it should hold.
    pub(super) fn json<T: DeserializeOwned>(&self, name: &str, expected: &'static str) -> Result<T, DataError> {
        self.parse(name, &self.bytes(name)?, expected)
    }

    /// The bytes of a file as JSON.
    pub(super) fn parse<T: DeserializeOwned>(
        &self,
        name: &str,
        bytes: &[u8],
        expected: &'static str,
    ) -> Result<T, DataError> {
        let wrong = |error| DataError::json(&error, &self.label(name), 0, expected);
        serde_json::from_slice(without_mark(bytes)).map_err(wrong)
    }

    /// The lines of a text file that are not blank, with their numbers from 1.
    pub(super) fn lines(&self, name: &str) -> Result<Vec<(usize, String)>, DataError> {
        text_lines(&self.label(name), &self.bytes(name)?)
    }
}

/// The lines of a text that are not blank, with their numbers from 1.
pub(super) fn text_lines(file: &str, bytes: &[u8]) -> Result<Vec<(usize, String)>, DataError> {
    let text = std::str::from_utf8(without_mark(bytes)).map_err(|error| DataError::Wrong {
        place: file.to_owned(),
        what: format!("the byte after {} bytes", error.valid_up_to()),
        found: "not UTF-8".to_owned(),
        expected: "UTF-8 text".to_owned(),
    })?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    Ok(lines.map(|(index, line)| (index + 1, line.to_owned())).collect())
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Finds what `dataset` consists of at `path`: a file of it, its folder, the folder above, or a clone of its repository.
pub(super) fn locate(dataset: DataSet, path: &Path) -> Result<Files, DataError> {
    let search = Search { dataset, path };
    match dataset {
        DataSet::Locomo => search.file(&[LOCOMO], &["", "locomo", "data"]),
        DataSet::LocomoAudit => {
            let conversations = search.file(&[LOCOMO], &["", "locomo", "data"])?;
            let mut names = conversations.names;
            names.push(AUDIT.to_owned());
            search.beside(Files { root: conversations.root, names })
        }
        DataSet::LongMemEval => search.file(&LONGMEMEVAL, &["", "longmemeval", "data"]),
        DataSet::LongMemEvalPooled => search.folder(&POOLED, &["", "longmemeval"]),
        DataSet::Beam => search.chats(),
        DataSet::RealMem => search.personas(),
        DataSet::QmSum => search.file(&[QMSUM], &["", "qmsum", "data/ALL/jsonl"]),
        DataSet::Dialogues | DataSet::DialoguesDev | DataSet::DialoguesTest => search.dialogues(),
        DataSet::Conversations | DataSet::Ranking | DataSet::Assistants | DataSet::Languages => search.jsonl(),
        DataSet::OneUser => search.folder(&JSONL, &["", "one-user", "datasets/one-user"]),
        DataSet::ThreeStores => search.folder(&JSONL, &["", "three-stores", "datasets/three-stores"]),
        DataSet::Jsonl if path.is_dir() => search.folder(&JSONL, &[""]),
        DataSet::Jsonl => search.file(&[], &[]),
    }
}

struct Search<'a> {
    dataset: DataSet,
    path: &'a Path,
}

impl Search<'_> {
    /// The file that `path` is, or the one file of these names in one of these folders of it.
    fn file(&self, names: &[&str], folders: &[&str]) -> Result<Files, DataError> {
        if self.path.is_file() {
            return Ok(Files::single(self.path));
        }
        for folder in folders {
            let root = self.path.join(folder);
            let there: Vec<&str> = names.iter().copied().filter(|name| root.join(name).is_file()).collect();
            match there[..] {
                [] => {}
                [name] => return Ok(Files::new(&root, &[name])),
                _ => return Err(self.ambiguous(&there)),
            }
        }
        Err(self.not_found(match names {
            [] => "a .jsonl file, or a folder with memories.jsonl and queries.jsonl".to_owned(),
            _ => format!("the file itself, or {}{}", names.join(" or "), inside(folders)),
        }))
    }

    /// All of these names in one of these folders of `path`, which may be one of them.
    fn folder(&self, names: &[&str], folders: &[&str]) -> Result<Files, DataError> {
        let start = if self.path.is_file() { folder_of(self.path) } else { self.path.to_owned() };
        let roots = folders.iter().map(|folder| start.join(folder));
        let whole = |root: &PathBuf| names.iter().all(|name| root.join(name).is_file());
        match roots.into_iter().find(whole) {
            Some(root) => Ok(Files::new(&root, names)),
            None => Err(self.not_found(format!("all of {}{}", names.join(" and "), inside(folders)))),
        }
    }

    /// Requires the last of these files.
    fn beside(&self, files: Files) -> Result<Files, DataError> {
        match files.names.last() {
            Some(name) if !files.path(name).is_file() => {
                Err(self.not_found(format!("{} beside it", files.label(name))))
            }
            _ => Ok(files),
        }
    }

    /// BEAM: numbered folders in a folder named by its size.
    fn chats(&self) -> Result<Files, DataError> {
        if let Some(chat) = chat_files(self.path) {
            return Ok(Files { root: self.path.to_owned(), names: chat });
        }
        for folder in ["", "beam", "chats"] {
            let root = self.path.join(folder);
            if let Some(files) = numbered_chats(&root)? {
                return Ok(files);
            }
            let mut sizes = Vec::new();
            for size in folders_in(&root)? {
                sizes.extend(numbered_chats(&root.join(&size))?.map(|files| (size, files)));
            }
            if sizes.len() > 1 {
                let names: Vec<&str> = sizes.iter().map(|(size, _)| size.as_str()).collect();
                return Err(self.ambiguous(&names));
            }
            if let Some((_, files)) = sizes.pop() {
                return Ok(files);
            }
        }
        let places = "chat.json and probing_questions.json in folders 1, 2, ... of it, of 100K or of chats/100K";
        Err(self.not_found(places.to_owned()))
    }

    /// RealMem: every JSON file of a folder.
    fn personas(&self) -> Result<Files, DataError> {
        if self.path.is_file() {
            return Ok(Files::single(self.path));
        }
        for folder in ["", "realmem", "dataset"] {
            let root = self.path.join(folder);
            let mut names =
                names_in(&root, |path| path.is_file() && path.extension().is_some_and(|end| end == "json"))?;
            names.sort();
            if !names.is_empty() {
                return Ok(Files { root, names });
            }
        }
        Err(self.not_found("a persona's .json file, or some in the folder, in realmem or in dataset".to_owned()))
    }

    /// Dialogues: `splits.json`, and every JSONL file beside it.
    fn dialogues(&self) -> Result<Files, DataError> {
        let found = self.jsonl_in(["", "dialogues", "datasets/dialogues"], |root| root.join(SPLITS).is_file())?;
        let looked_for = || format!("{SPLITS} and .jsonl files in it, in dialogues or in datasets/dialogues");
        let mut files = found.ok_or_else(|| self.not_found(looked_for()))?;
        files.names.push(SPLITS.to_owned());
        Ok(files)
    }

    /// Every JSONL file of a folder, of the data set's own or of the one in the repository.
    fn jsonl(&self) -> Result<Files, DataError> {
        let name = self.dataset.name();
        let in_repository = format!("datasets/{name}");
        let found = self.jsonl_in(["", name, &in_repository], |_| true)?;
        found.ok_or_else(|| self.not_found(format!(".jsonl files in it, in {name} or in {in_repository}")))
    }

    /// The JSONL files of the first of some folders that has any and fits.
    fn jsonl_in(&self, folders: [&str; 3], fits: impl Fn(&Path) -> bool) -> Result<Option<Files>, DataError> {
        let start = if self.path.is_file() { folder_of(self.path) } else { self.path.to_owned() };
        for folder in folders {
            let root = start.join(folder);
            let mut names = names_in(&root, |path| path.extension().is_some_and(|end| end == "jsonl"))?;
            names.sort();
            if !names.is_empty() && fits(&root) {
                return Ok(Some(Files { root, names }));
            }
        }
        Ok(None)
    }

    fn not_found(&self, looked_for: String) -> DataError {
        let entry = self.dataset.entry();
        let next = if entry.files.is_empty() {
            entry.place.to_owned()
        } else {
            format!("fetch it with `aforesaid eval data fetch {}`, or by hand: {}", self.dataset, entry.place)
        };
        DataError::NotFound { dataset: self.dataset, path: self.path.to_owned(), looked_for, next }
    }

    fn ambiguous(&self, found: &[&str]) -> DataError {
        DataError::Ambiguous { dataset: self.dataset, path: self.path.to_owned(), found: found.join(" and ") }
    }
}

/// ` in it or in locomo or in data`.
fn inside(folders: &[&str]) -> String {
    let deeper = folders.iter().filter(|folder| !folder.is_empty()).map(|folder| format!(" or in {folder}"));
    format!(" in it{}", deeper.collect::<String>())
}

/// The files of one chat, where `folder` is one; the authors keep the questions a folder deeper.
///
/// Where one of the two is missing it is named all the same: reading it says so.
fn chat_files(folder: &Path) -> Option<Vec<String>> {
    let places = ["probing_questions.json", "probing_questions/probing_questions.json"];
    let questions = places.into_iter().find(|name| folder.join(name).is_file());
    let is_chat = questions.is_some() || folder.join("chat.json").is_file();
    is_chat.then(|| vec!["chat.json".to_owned(), questions.unwrap_or(places[0]).to_owned()])
}

fn numbered_chats(root: &Path) -> Result<Option<Files>, DataError> {
    let mut numbers: Vec<u32> = folders_in(root)?.iter().filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable();
    let mut names = Vec::new();
    for number in numbers {
        let chat = chat_files(&root.join(number.to_string())).unwrap_or_default();
        names.extend(chat.into_iter().map(|name| format!("{number}/{name}")));
    }
    Ok((!names.is_empty()).then(|| Files { root: root.to_owned(), names }))
}

fn folders_in(root: &Path) -> Result<Vec<String>, DataError> {
    let mut names = names_in(root, Path::is_dir)?;
    names.sort();
    Ok(names)
}

/// What a folder holds; nothing where there is no such folder.
fn names_in(root: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<String>, DataError> {
    if !root.is_dir() {
        return Ok(Vec::new());
    }
    let list = || DataError::io("list the folder", root);
    let mut names = Vec::new();
    for entry in fs::read_dir(root).map_err(list())? {
        let entry = entry.map_err(list())?;
        if wanted(&entry.path()) {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}
