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
//! | `kind`, `importance`, `tags`, `source`, `meta`, `title` | as an export of a store has them |
//! | `group` | histories that know nothing of each other; where there is none, the `conversation`, and else `default`. One session cannot be of two conversations of a group |
//!
//! | query | |
//! |---|---|
//! | `id`, `query` | required; the question is called `<group>::<id>` |
//! | `gold_ids` | required: memories of the group; `[]` where nobody knows which, or, with the category `abstention`, where none answers. On sessions a memory stands for its session, and the name of a session for itself |
//! | `group` | as above; where there is none, the one group that has all the gold, and else `default` |
//! | `category` | any word |
//! | `before` | a memory of the group: only memories before it are candidates |
//! | `now` | when it is asked, in ISO 8601 |
//!
//! Ids, groups, sessions and categories may be whole numbers. A field that is `null` is absent, one that is there
//! twice an error. Other fields are not read, and remarked.

mod fields;
mod line;

use std::collections::{BTreeMap, HashMap, HashSet};

use aforesaid::types::{Draft, Granularity, SessionId};

use self::line::{GROUP, Line, MemoryLine, Query, read_line};
use super::{
    Benchmark, DataError, DataSet,
    benchmark::ABSTENTION,
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

pub(super) fn load(dataset: DataSet, files: &Files, unit: Granularity) -> Result<Benchmark, DataError> {
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
    let mut intake = Intake::new(dataset, unit);
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

    /// The group that a query without one is asked of.
    fn group_of(&self, query: &Query, place: &str) -> Result<String, DataError> {
        let holds = |lines: &&Lines| query.gold_ids.iter().all(|id| lines.places.contains_key(id));
        let holding: Vec<&Lines> = self.all.iter().filter(holds).collect();
        match (holding.as_slice(), self.all.as_slice()) {
            ([one], _) => Ok(one.group.clone()),
            ([], [only]) => Ok(only.group.clone()),
            _ if self.places.contains_key(GROUP) => Ok(GROUP.to_owned()),
            (_, []) => Ok(GROUP.to_owned()),
            (holding, all) => Err(DataError::Wrong {
                place: place.to_owned(),
                what: format!("the group of query {:?}", query.id),
                found: match query.gold_ids.as_slice() {
                    [] => "not named, and without gold nothing tells it".to_owned(),
                    _ => format!("not named, and {} of {} groups have all of its gold", holding.len(), all.len()),
                },
                expected: "a \"group\"".to_owned(),
            }),
        }
    }

    fn with_queries(mut self) -> Result<Vec<Lines>, DataError> {
        for (mut query, place) in std::mem::take(&mut self.queries) {
            let group = match query.group.take() {
                Some(group) => group,
                None => self.group_of(&query, &place)?,
            };
            query.group = Some(group.clone());
            match self.places.get(&group).and_then(|at| self.all.get_mut(*at)) {
                Some(lines) => lines.queries.push((query, place)),
                None => {
                    let known: Vec<&str> = self.all.iter().map(|lines| lines.group.as_str()).collect();
                    let id = query.id;
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
            expected: format!("a memory of group {:?}", query.group.as_deref().unwrap_or(GROUP)),
        })?),
    };
    let mut seen = HashSet::new();
    let ids = query.gold_ids.into_iter().filter(|id| seen.insert(id.clone()));
    let evidence: Vec<Evidence> = ids.map(|id| resolve(id, before, intake)).collect();
    let gold = match query.category.as_deref() {
        Some(ABSTENTION) if evidence.is_empty() => Label::Abstention,
        _ => Label::Evidence(evidence),
    };
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
