//! Anyone's own labelled history: memories and queries, one JSON object a line.
//!
//! Either a folder with `memories.jsonl` and `queries.jsonl`, or one file with both, where a line with `query` is a
//! query and a line with `text` a memory.
//!
//! | memory | |
//! |---|---|
//! | `id`, `text` | required; ids are unique in their group |
//! | `session`, `speaker` | both for a turn, none for a note |
//! | `said_at` | ISO 8601, or seconds since 1970 as a number |
//! | `image_caption` | what an attached image of a turn shows |
//! | `title` | of the turn's session |
//! | `conversation` | not read, but one session cannot be of two: then each conversation needs a `group` of its own |
//! | `group` | histories that know nothing of each other; `default` where there is none |
//!
//! | query | |
//! |---|---|
//! | `id`, `query` | required; the question is called `<group>::<id>` |
//! | `gold_ids` | required: memories of the group; `[]` where nobody knows. On sessions a memory stands for its session, and the name of a session for itself |
//! | `group`, `category` | as above; any word |
//! | `before` | a memory of the group: only memories before it are candidates |
//! | `now` | when it is asked, in ISO 8601 |
//!
//! Ids, groups, sessions and categories may be whole numbers. A field that is `null` is absent, one that is there
//! twice an error. Other fields are not read, and remarked.

mod fields;
mod line;

use std::collections::{BTreeMap, HashMap, HashSet};

use aforesaid::types::{Draft, Granularity, SessionId};

use self::line::{Line, MemoryLine, Query, read_line};
use super::{
    Benchmark, DataError, DataSet,
    files::Files,
    intake::{Evidence, Intake, Label, LabelledQuestion},
};

/// What a line may be.
#[derive(Debug, Clone, Copy)]
enum Expected {
    Memory,
    Query,
    Either,
}

/// A group while its lines are read.
struct Lines {
    group: String,
    memories: Vec<Draft>,
    /// Where each memory is, by id.
    places: HashMap<String, String>,
    /// The conversation of each session that names one, and where it does first.
    conversations: HashMap<SessionId, (String, String)>,
    queries: Vec<(Query, String)>,
}

/// Fields that nothing reads: how many lines have one, and the first of them.
type Unread = BTreeMap<(&'static str, String), (usize, String)>;

pub(super) fn load(files: &Files, unit: Granularity) -> Result<Benchmark, DataError> {
    let mut groups = Groups::default();
    let mut unread = Unread::new();
    for (number, name) in files.names().iter().enumerate() {
        let expected = match (files.names().len(), number) {
            (1, _) => Expected::Either,
            (_, 0) => Expected::Memory,
            _ => Expected::Query,
        };
        let file = files.label(name);
        for (number, text) in files.lines(name)? {
            let place = format!("{file}, line {number}");
            match read_line(&text, expected, &file, number, &mut unread)? {
                Line::Memory(memory) => groups.remember(memory, place)?,
                Line::Query(query) => groups.queries.push((query, place)),
            }
        }
    }
    let mut intake = Intake::new(DataSet::Jsonl, unit);
    for ((kind, field), (count, first)) in unread {
        let lines = if count == 1 { "line" } else { "lines" };
        intake.remark("field not read", format!("{kind}: {field} ({count} {lines}, first in {first})"));
    }
    for lines in groups.with_queries()? {
        intake.open(lines.group, lines.memories, &files.shown())?;
        for (query, place) in lines.queries {
            let asked = ask(query, &intake, &place)?;
            intake.ask(asked, &place)?;
        }
    }
    intake.finish(files)
}

/// Groups in the order of their first memories.
#[derive(Default)]
struct Groups {
    all: Vec<Lines>,
    places: HashMap<String, usize>,
    queries: Vec<(Query, String)>,
}

impl Groups {
    fn remember(&mut self, memory: MemoryLine, place: String) -> Result<(), DataError> {
        let at = *self.places.entry(memory.group.clone()).or_insert(self.all.len());
        if at == self.all.len() {
            self.all.push(Lines {
                group: memory.group,
                memories: Vec::new(),
                places: HashMap::new(),
                conversations: HashMap::new(),
                queries: Vec::new(),
            });
        }
        let Some(lines) = self.all.get_mut(at) else { return Ok(()) };
        let id = memory.draft.id().map(ToString::to_string).unwrap_or_default();
        if let Some(first) = lines.places.insert(id.clone(), place.clone()) {
            return Err(DataError::Repeated { place, what: "memory", id, first: Some(first) });
        }
        if let (Draft::Turn(turn), Some(conversation)) = (&memory.draft, memory.conversation) {
            let known = lines.conversations.entry(turn.session.clone());
            let (first, said) = known.or_insert_with(|| (conversation.clone(), place.clone()));
            if *first != conversation {
                return Err(DataError::Wrong {
                    what: format!("session {:?} of group {:?}", turn.session.as_str(), lines.group),
                    found: format!("conversation {conversation:?}, and {first:?} in {said}"),
                    expected: "sessions of one conversation in a group; give each conversation's lines a \"group\" \
                               of their own"
                        .to_owned(),
                    place,
                });
            }
        }
        lines.memories.push(memory.draft);
        Ok(())
    }

    fn with_queries(mut self) -> Result<Vec<Lines>, DataError> {
        for (query, place) in self.queries {
            match self.places.get(&query.group).and_then(|at| self.all.get_mut(*at)) {
                Some(lines) => lines.queries.push((query, place)),
                None => {
                    let known: Vec<&str> = self.all.iter().map(|lines| lines.group.as_str()).collect();
                    let (id, group) = (query.id, query.group);
                    return Err(DataError::EmptyGroup { place, id, group, expected: one_of(&known) });
                }
            }
        }
        Ok(self.all)
    }
}

fn one_of(groups: &[&str]) -> String {
    const SHOWN: usize = 5;
    match groups {
        [] => "at least one memory".to_owned(),
        _ if groups.len() > SHOWN => format!("one of {} and {} more", groups[..SHOWN].join(", "), groups.len() - SHOWN),
        _ => format!("one of {}", groups.join(", ")),
    }
}

fn ask(query: Query, intake: &Intake, place: &str) -> Result<LabelledQuestion, DataError> {
    let before = match &query.before {
        None => None,
        Some(memory) => Some(intake.history().position(memory.as_str()).ok_or_else(|| DataError::Wrong {
            place: place.to_owned(),
            what: "field \"before\"".to_owned(),
            found: format!("{:?}", memory.as_str()),
            expected: format!("a memory of group {:?}", query.group),
        })?),
    };
    let mut seen = HashSet::new();
    let ids = query.gold_ids.into_iter().filter(|id| seen.insert(id.clone()));
    let evidence = ids.map(|id| resolve(id, before, intake)).collect();
    let gold = Label::Evidence(evidence);
    let name = query.id;
    let Query { query: text, category, before, now, .. } = query;
    Ok(LabelledQuestion { name, text, category, before, now, gold, answer: None })
}

fn resolve(id: String, before: Option<usize>, intake: &Intake) -> Evidence {
    let history = intake.history();
    let units = match (history.position(&id), intake.unit()) {
        (Some(position), _) if before.is_some_and(|before| position >= before) => Vec::new(),
        (Some(_), Granularity::Turn) => vec![id.clone()],
        (Some(_), Granularity::Session) => history.session_of(&id).map(str::to_owned).into_iter().collect(),
        (None, Granularity::Session) if history.has_session(&id) => vec![id.clone()],
        (None, _) => Vec::new(),
    };
    Evidence { written: id, units }
}
