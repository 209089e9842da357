//! Dialogues: conversations of many genres and languages, written for this project.
//!
//! A folder holds one to three files per conversation, and `splits.json` where some of it is for measuring. A conversation
//! is a group, called by its file. The title of a session stands on its first turn.
//!
//! | file | a line of it | side of its questions |
//! |---|---|---|
//! | `NAME.jsonl` | a turn: `id`, `conversation`, `session`, `speaker`, `said_at`, `text`, `title`, and cue questions `q`, which are read where they are asked for | |
//! | `NAME.questions.jsonl` | a question: `id`, `query`, `gold_ids`, `category`, `now` | that of the conversation: test where `splits.json` says so, dev otherwise |
//! | `NAME.further.jsonl` | the same, with `side` | its own |
//!
//! A question without `now` is asked a day after the last turn: whoever asks, asks at some moment.
//!
//! Gold is turns. On sessions a turn stands for its session. A question without gold is an abstention.

use std::collections::{BTreeMap, HashSet};

use aforesaid::{
    CueDraft,
    models::checksum,
    types::{Draft, Granularity, Timestamp, Turn},
};
use serde::{Deserialize, de::IgnoredAny};

use super::{
    Benchmark, DataError, DataSet, RecordedCues, Splits,
    files::Files,
    intake::{Evidence, Intake, Label, LabelledQuestion},
    turn::Session,
};

pub(super) const SPLITS: &str = "splits.json";
const LINES: &str = ".jsonl";
const QUESTIONS: &str = ".questions";
const FURTHER: &str = ".further";
const TURN: &str = "a turn of the dialogues: an object with id, conversation, session, speaker, said_at and text";
const QUESTION: &str = "a question on the dialogues: an object with id, query, gold_ids and category";

/// Which part of the questions is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side {
    /// To choose settings on.
    Dev,
    /// To report.
    Test,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    conversation: String,
    session: String,
    #[serde(default)]
    title: Option<String>,
    speaker: String,
    said_at: String,
    text: String,
    #[serde(default, rename = "q")]
    _cues: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: String,
    query: String,
    gold_ids: Vec<String>,
    category: String,
    #[serde(default)]
    side: Option<Side>,
    #[serde(default)]
    now: Option<String>,
}

/// Where the questions of a conversation are, by the name of its file of turns.
type Conversations<'f> = BTreeMap<&'f str, Vec<(&'f str, Source)>>;

/// What decides on which side the questions of a file are.
#[derive(Debug, Clone, Copy)]
enum Source {
    Conversation,
    Question,
}

/// Reads the questions of one side, or of both.
pub(super) fn load(
    dataset: DataSet,
    files: &Files,
    unit: Granularity,
    side: Option<Side>,
) -> Result<Benchmark, DataError> {
    let conversations = conversations(files)?;
    let tested = match files.names().iter().any(|name| name == SPLITS) {
        true => tested(files, &conversations.keys().copied().collect())?,
        // All of it is to learn from.
        false => HashSet::new(),
    };
    let mut intake = Intake::new(dataset, unit);
    for (name, sources) in conversations {
        let file = format!("{name}{LINES}");
        let turns = read_turns(files, &file, name)?;
        let asked_at = day_after(&turns);
        intake.open(name.to_owned(), turns, &files.label(&file))?;
        let own = if tested.contains(name) { Side::Test } else { Side::Dev };
        for (file, source) in sources {
            for (asked, place) in read_questions(files, file, source, own, side)? {
                intake.ask(labelled(asked, asked_at, &intake), &place)?;
            }
        }
    }
    intake.finish(files)
}

/// The conversations on the test side.
fn tested(files: &Files, conversations: &HashSet<&str>) -> Result<HashSet<String>, DataError> {
    let splits = Splits::parse(&files.label(SPLITS), &files.bytes(SPLITS)?)?;
    splits.check(conversations, &files.label(SPLITS))?;
    Ok(splits.by_seed.into_values().flat_map(|split| split.test).collect())
}

/// A line of a file of turns, for its cue questions.
#[derive(Deserialize)]
struct CueLine {
    id: String,
    #[serde(default)]
    q: Vec<String>,
}

/// The cue questions of all turns.
pub(super) fn cues(files: &Files) -> Result<RecordedCues, DataError> {
    let mut by_group = BTreeMap::new();
    let mut manifest = String::new();
    for name in conversations(files)?.into_keys() {
        let file = format!("{name}{LINES}");
        let label = files.label(&file);
        manifest.push_str(&format!("{}  {file}\n", checksum::sha256_of_bytes(&files.bytes(&file)?)));
        let draft = |(number, text): (usize, String)| {
            let CueLine { id, q } =
                serde_json::from_str(&text).map_err(|error| DataError::json(&error, &label, number - 1, TURN))?;
            RecordedCues::draft(id, q, &format!("{label}, line {number}"))
        };
        let drafts = files.lines(&file)?.into_iter().map(draft).collect::<Result<Vec<CueDraft>, DataError>>()?;
        by_group.insert(name.to_owned(), drafts.into_iter().filter(|draft| !draft.questions.is_empty()).collect());
    }
    Ok(RecordedCues::new(by_group, &manifest))
}

/// The conversations and the files of their questions, by name.
fn conversations(files: &Files) -> Result<Conversations<'_>, DataError> {
    let stems = || files.names().iter().filter_map(|name| Some((name.as_str(), name.strip_suffix(LINES)?)));
    let of_turns = |stem: &str| !stem.ends_with(QUESTIONS) && !stem.ends_with(FURTHER);
    let mut all: Conversations<'_> =
        stems().filter(|(_, stem)| of_turns(stem)).map(|(_, stem)| (stem, Vec::new())).collect();
    for (file, stem) in stems().filter(|(_, stem)| !of_turns(stem)) {
        let (name, source) = match (stem.strip_suffix(QUESTIONS), stem.strip_suffix(FURTHER)) {
            (Some(name), _) => (name, Source::Conversation),
            (None, further) => (further.unwrap_or(stem), Source::Question),
        };
        let sources = all.get_mut(name).ok_or_else(|| DataError::Wrong {
            place: files.label(file),
            what: "the file".to_owned(),
            found: format!("questions on {name:?} without its turns"),
            expected: format!("{name}{LINES} beside it"),
        })?;
        sources.push((file, source));
    }
    Ok(all)
}

fn read_turns(files: &Files, file: &str, name: &str) -> Result<Vec<Draft>, DataError> {
    let label = files.label(file);
    let read = |(number, text): (usize, String)| {
        let line: Line =
            serde_json::from_str(&text).map_err(|error| DataError::json(&error, &label, number - 1, TURN))?;
        let place = format!("{label}, line {number}");
        let wrong = |what: &str, found: &str, expected: &str| DataError::Wrong {
            place: place.clone(),
            what: what.to_owned(),
            found: format!("{found:?}"),
            expected: expected.to_owned(),
        };
        if line.conversation != name {
            return Err(wrong(
                "field \"conversation\"",
                &line.conversation,
                &format!("{name:?}, as the file is called"),
            ));
        }
        let said_at: Timestamp =
            line.said_at.parse().map_err(|_| wrong("field \"said_at\"", &line.said_at, "ISO 8601"))?;
        let session = Session::new(name, &line.session, Some(said_at), &place)?;
        Ok(titled(session.turn(line.id, line.speaker, line.text, &place)?, line.title))
    };
    files.lines(file)?.into_iter().map(read).collect()
}

/// The turn with the title of the session that it begins.
fn titled(draft: Draft, title: Option<String>) -> Draft {
    match draft {
        Draft::Turn(turn) => Draft::Turn(Turn { title, ..turn }),
        note @ Draft::Note(_) => note,
    }
}

/// The questions of a file that are on the side wanted, and where they are.
fn read_questions(
    files: &Files,
    file: &str,
    source: Source,
    own: Side,
    wanted: Option<Side>,
) -> Result<Vec<(Asked, String)>, DataError> {
    let label = files.label(file);
    let mut kept = Vec::new();
    let mut seen = HashSet::new();
    for (number, text) in files.lines(file)? {
        let asked: Asked =
            serde_json::from_str(&text).map_err(|error| DataError::json(&error, &label, number - 1, QUESTION))?;
        let place = format!("{label}, line {number}");
        // Those of the other side count too.
        if !seen.insert(asked.id.clone()) {
            return Err(DataError::Repeated { place, what: "question", id: asked.id, first: None });
        }
        let side = match (source, asked.side) {
            (Source::Conversation, None) => own,
            (Source::Question, Some(side)) => side,
            (Source::Question, None) => {
                return Err(DataError::Missing { place, field: "side", expected: "dev or test" });
            }
            (Source::Conversation, Some(_)) => {
                return Err(DataError::Wrong {
                    place,
                    what: "field \"side\"".to_owned(),
                    found: "there".to_owned(),
                    expected: format!("none: {SPLITS} says on which side the conversation is"),
                });
            }
        };
        if wanted.is_none_or(|wanted| wanted == side) {
            kept.push((asked, place));
        }
    }
    Ok(kept)
}

/// A day after the last of some turns.
fn day_after(turns: &[Draft]) -> Option<Timestamp> {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let said_at = |draft: &Draft| match draft {
        Draft::Turn(turn) => turn.said_at,
        Draft::Note(note) => note.said_at,
    };
    let last = turns.iter().filter_map(said_at).max()?;
    Timestamp::from_millis(last.millis() + DAY).ok()
}

fn labelled(asked: Asked, asked_at: Option<Timestamp>, intake: &Intake) -> LabelledQuestion {
    let gold = match asked.gold_ids.is_empty() {
        true => Label::Abstention,
        false => Label::Evidence(asked.gold_ids.into_iter().map(|id| resolve(id, intake)).collect()),
    };
    LabelledQuestion {
        name: asked.id,
        text: asked.query,
        category: Some(asked.category),
        before: None,
        now: asked.now.or_else(|| asked_at.map(|moment| moment.to_string())),
        gold,
        answer: None,
    }
}

fn resolve(id: String, intake: &Intake) -> Evidence {
    let units = match intake.unit() {
        Granularity::Turn => vec![id.clone()],
        Granularity::Session => intake.history().session_of(&id).map(str::to_owned).into_iter().collect(),
    };
    Evidence { written: id, units }
}
