//! Memories, conversations and sessions.

use std::{
    collections::{BTreeSet, HashSet},
    ops::ControlFlow,
};

use super::{
    access::{self, each_memory, memory},
    key::{Key, Row, StoredMemory},
    rows::{self, KeyedRows},
};
use crate::{
    error::StoreError,
    store::{
        lookup::{MemoryRef, NamespaceStats},
        sink::{IndexRow, IndexSink, TitleRow},
        tables::{
            ConversationRow, Counter, EmptiedGroups, EmptiedSession, Groups, IdRow, MemoryTable, NO_GROUP, Selection,
            SessionRow,
        },
    },
    types::{ConversationId, EncoderId, Kind, MemoryId, Record, Scope, Seq, SessionId},
};

/// A group in the order of an export: what belongs to none comes last.
fn rank(group: u64) -> u64 {
    if group == NO_GROUP { u64::MAX } else { group }
}

fn order_of(memory: &StoredMemory) -> Key {
    Key::Order(rank(memory.conversation), rank(memory.session), memory.record.seq)
}

/// Positions of what a deletion is about.
pub(super) fn selected<R: KeyedRows>(rows: &R, selection: Selection<'_>) -> Result<Vec<Seq>, StoreError> {
    match selection {
        Selection::One(seq) => Ok(rows.has_memory(seq)?.then_some(seq).into_iter().collect()),
        Selection::Within(scope) => rows.positions(scope),
    }
}

/// Changes the row of a conversation; says how many there are of that number.
fn change_conversation<R: KeyedRows>(
    rows: &mut R,
    number: u64,
    change: impl FnOnce(&mut ConversationRow),
) -> Result<u64, StoreError> {
    let key = Key::Conversation(number);
    let found = rows::get(rows, &key, |row| match row.into_owned() {
        Row::Conversation(name, row) => Some((name, row)),
        _ => None,
    })?;
    let Some((name, mut row)) = found else { return Ok(0) };
    change(&mut row);
    rows.put(key, Row::Conversation(name, row))?;
    Ok(1)
}

/// The name of a conversation by number.
fn conversation_named<R: KeyedRows>(rows: &R, number: u64) -> Result<Option<ConversationId>, StoreError> {
    rows::get(rows, &Key::Conversation(number), |row| match row.into_owned() {
        Row::Conversation(name, _) => Some(name),
        _ => None,
    })
}

/// The session of a number, with the number of its conversation and its name.
fn session_numbered<R: KeyedRows>(rows: &R, number: u64) -> Result<Option<(u64, SessionId, SessionRow)>, StoreError> {
    rows::get(rows, &Key::Session(number), |row| match row.into_owned() {
        Row::Session(conversation, name, row) => Some((conversation, name, row)),
        _ => None,
    })
}

/// Raises the counters of some sessions; says how many.
fn raise_sessions<R: KeyedRows>(
    rows: &mut R,
    sessions: impl IntoIterator<Item = (u64, SessionId, SessionRow)>,
    number: u64,
) -> Result<u64, StoreError> {
    let mut count = 0;
    for (conversation, name, row) in sessions {
        let raised = SessionRow { given: number.max(row.given), ..row };
        rows.put(Key::Session(row.number), Row::Session(conversation, name, raised))?;
        count += 1;
    }
    Ok(count)
}

/// The number of a new conversation or session.
fn new_group<R: KeyedRows>(rows: &mut R) -> Result<u64, StoreError> {
    let number = access::number(rows, &Key::LastGroup)?.unwrap_or(NO_GROUP) + 1;
    rows.put(Key::LastGroup, Row::Number(number))?;
    Ok(number)
}

/// Numbers of the sessions of a name, each with that of its conversation.
fn sessions_named<R: KeyedRows>(rows: &R, name: &SessionId) -> Result<Vec<(u64, u64)>, StoreError> {
    let mut found = Vec::new();
    let conversation = |key: &Key| match key {
        Key::SessionName(other, conversation) if other == name => Some(*conversation),
        _ => None,
    };
    rows::each(rows, &Key::SessionName(name.clone(), 0), conversation, |conversation, row| {
        if let Row::Number(number) = row {
            found.push((*number, conversation));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Whether a group has a memory: a session, or a conversation where no session is given.
fn has_memories<R: KeyedRows>(rows: &R, conversation: u64, session: Option<u64>) -> Result<bool, StoreError> {
    let mut found = false;
    rows.scan(&Key::Order(conversation, session.unwrap_or(0), Seq(0)), &mut |key, _| {
        found = matches!(key, Key::Order(c, s, _) if *c == conversation && session.is_none_or(|session| session == *s));
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}

impl<R: KeyedRows> MemoryTable for R {
    fn conversation(&self, name: &ConversationId) -> Result<Option<ConversationRow>, StoreError> {
        match access::number(self, &Key::ConversationName(name.clone()))? {
            None => Ok(None),
            Some(number) => rows::get(self, &Key::Conversation(number), |row| match &*row {
                Row::Conversation(_, row) => Some(*row),
                _ => None,
            }),
        }
    }

    fn session(&self, conversation: u64, name: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        match access::number(self, &Key::SessionName(name.clone(), conversation))? {
            None => Ok(None),
            Some(number) => Ok(session_numbered(self, number)?.map(|(_, _, row)| row)),
        }
    }

    fn conversations_with(&self, session: &SessionId) -> Result<Vec<ConversationId>, StoreError> {
        let mut names = Vec::new();
        for (number, conversation) in sessions_named(self, session)? {
            names.extend(conversation_named(self, conversation)?.map(|name| (number, name)));
        }
        names.sort_unstable_by_key(|(number, _)| *number);
        Ok(names.into_iter().map(|(_, name)| name).collect())
    }

    fn conversations_titled(&self, title: &str) -> Result<Vec<ConversationId>, StoreError> {
        let number = |key: &Key| match key {
            Key::Title(number) => Some(*number),
            _ => None,
        };
        let mut sessions = Vec::new();
        rows::each(self, &Key::Title(0), number, |number, row| {
            if matches!(row, Row::Title(found) if found == title) {
                sessions.push(number);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let mut names = Vec::new();
        for session in sessions {
            let Some((conversation, ..)) = session_numbered(self, session)? else { continue };
            names.extend(conversation_named(self, conversation)?.filter(|name| !names.contains(name)));
        }
        Ok(names)
    }

    fn with_id(&self, conversation: u64, id: &MemoryId) -> Result<Option<Record>, StoreError> {
        let seq = rows::get(self, &Key::Id(id.clone(), conversation), |row| match *row {
            Row::Position(seq) => Some(seq),
            _ => None,
        })?;
        match seq {
            Some(seq) => access::record(self, seq),
            None => Ok(None),
        }
    }

    fn has_id(&self, conversation: u64, id: &MemoryId) -> Result<bool, StoreError> {
        rows::has(self, &Key::Id(id.clone(), conversation))
    }

    fn has_memory(&self, seq: Seq) -> Result<bool, StoreError> {
        rows::has(self, &Key::Memory(seq))
    }

    fn fetch(&self, positions: &[Seq]) -> Result<Vec<Record>, StoreError> {
        positions.iter().filter_map(|&seq| access::record(self, seq).transpose()).collect()
    }

    fn find(&self, memory_ref: &MemoryRef) -> Result<Vec<Record>, StoreError> {
        if let Some(name) = &memory_ref.conversation {
            let Some(row) = self.conversation(name)? else { return Ok(Vec::new()) };
            return Ok(self.with_id(row.number, &memory_ref.id)?.into_iter().collect());
        }
        let mut positions = BTreeSet::new();
        let same = |key: &Key| matches!(key, Key::Id(id, _) if *id == memory_ref.id).then_some(());
        rows::each(self, &Key::Id(memory_ref.id.clone(), 0), same, |(), row| {
            if let Row::Position(seq) = row {
                positions.insert(*seq);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        self.fetch(&positions.into_iter().collect::<Vec<_>>())
    }

    fn around(&self, seq: Seq, before: u32, after: u32) -> Result<Vec<Record>, StoreError> {
        let Some((conversation, session)) = memory(self, seq, |memory| (memory.conversation, memory.session))? else {
            return Ok(Vec::new());
        };
        if session == NO_GROUP {
            return self.fetch(&[seq]);
        }
        let turn = |key: &Key| match key {
            Key::Order(c, s, seq) if (*c, *s) == (conversation, session) => Some(*seq),
            _ => None,
        };
        let turns = rows::keys(self, &Key::Order(conversation, session, Seq(0)), turn)?;
        let at = turns.partition_point(|turn| *turn < seq);
        let end = turns.len().min(at.saturating_add(after as usize).saturating_add(1));
        self.fetch(&turns[at.saturating_sub(before as usize)..end])
    }

    fn positions(&self, scope: &Scope) -> Result<Vec<Seq>, StoreError> {
        let conversation = match &scope.conversation {
            None => None,
            Some(name) => match self.conversation(name)? {
                Some(row) => Some(row.number),
                None => return Ok(Vec::new()),
            },
        };
        let numbers: Option<HashSet<u64>> = match &scope.session {
            None => None,
            Some(name) => Some(sessions_named(self, name)?.into_iter().map(|(number, _)| number).collect()),
        };
        let mut except = HashSet::new();
        for name in &scope.except {
            except.extend(self.conversation(name)?.map(|row| row.number));
        }
        let within = |key: &Key| match key {
            Key::Order(c, s, seq) if conversation.is_none_or(|number| number == *c) => Some((*c, *s, *seq)),
            _ => None,
        };
        let all = rows::keys(self, &Key::Order(conversation.unwrap_or(0), 0, Seq(0)), within)?;
        let mut positions = Vec::new();
        for (conversation, session, seq) in all {
            let is_in_session =
                numbers.as_ref().is_none_or(|numbers| numbers.contains(&session)) && !except.contains(&conversation);
            let reads_rows = scope.from.is_some() || scope.to.is_some() || !scope.filter.admits_all();
            let covers = |StoredMemory { record, .. }: &StoredMemory| {
                scope.covers(record.said_at) && scope.filter.admits(record)
            };
            if is_in_session && (!reads_rows || memory(self, seq, covers)?.unwrap_or(false)) {
                positions.push(seq);
            }
        }
        Ok(positions)
    }

    fn each_id_starting(
        &self,
        beginning: &MemoryRef,
        visit: &mut dyn FnMut(MemoryRef) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let only = match &beginning.conversation {
            None => None,
            Some(name) => match self.conversation(name)? {
                Some(row) => Some(row.number),
                None => return Ok(()),
            },
        };
        let starting = |key: &Key| match key {
            Key::Id(id, of) if id.as_str().starts_with(beginning.id.as_str()) => Some((id.clone(), *of)),
            _ => None,
        };
        rows::each(self, &Key::Id(beginning.id.clone(), 0), starting, |(id, of), _| {
            if only.is_some_and(|only| only != of) {
                return Ok(ControlFlow::Continue(()));
            }
            let conversation = conversation_named(self, of)?;
            visit(MemoryRef { id, conversation })
        })
    }

    fn each_id(
        &self,
        selection: Selection<'_>,
        visit: &mut dyn FnMut(IdRow<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for seq in selected(self, selection)? {
            let visited = memory(self, seq, |memory| {
                let StoredMemory { record, conversation, .. } = memory;
                visit(IdRow { seq, kind: record.kind, conversation: *conversation, id: record.id.as_str() })
            })?;
            visited.unwrap_or(Ok(()))?;
        }
        Ok(())
    }

    fn feed_memories(
        &self,
        encoder: Option<&EncoderId>,
        (after, upto): (u64, u64),
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        let encoder = access::encoder_number(self, encoder)?;
        let mut fed = 0;
        each_memory(self, Seq(after), |memory| {
            let record = &memory.record;
            if record.seq.0 > upto {
                return Ok(ControlFlow::Break(()));
            }
            let vector = self.get(&Key::Vector(encoder, record.seq))?;
            fed += 1;
            sink.row(IndexRow {
                seq: record.seq,
                kind: record.kind,
                conversation: record.conversation.as_ref().map(ConversationId::as_str),
                session: record.session.as_ref().map(SessionId::as_str),
                speaker: record.speaker.as_deref(),
                text: &record.text,
                image_caption: record.image_caption.as_deref(),
                said_at: record.said_at,
                importance: record.importance.value(),
                vectors: vector.as_deref().and_then(access::components),
            })?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(fed)
    }

    fn feed_titles(&self, after: u64, sink: &mut dyn IndexSink) -> Result<(), StoreError> {
        let number = |key: &Key| match key {
            Key::Title(number) => Some(*number),
            _ => None,
        };
        let mut titles = Vec::new();
        rows::each(self, &Key::Title(after.saturating_add(1)), number, |number, row| {
            if let Row::Title(title) = row {
                titles.push((number, title.clone()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        for (number, title) in titles {
            let Some((conversation, session, _)) = session_numbered(self, number)? else { continue };
            let Some(conversation) = conversation_named(self, conversation)? else { continue };
            let (conversation, session) = (conversation.as_str(), session.as_str());
            sink.title(TitleRow { number, conversation, session, title: &title });
        }
        Ok(())
    }

    fn stats(&self) -> Result<NamespaceStats, StoreError> {
        let mut stats = NamespaceStats {
            conversations: access::conversations(self)?.len() as u64,
            sessions: access::sessions(self)?.len() as u64,
            vectors: access::count_by_encoder(self, &Key::Vector(0, Seq(0)), |key| match key {
                Key::Vector(encoder, _) => Some(*encoder),
                _ => None,
            })?,
            staged: access::staged(self)?.len() as u64,
            ..NamespaceStats::default()
        };
        each_memory(self, Seq(0), |memory| {
            match memory.record.kind {
                Kind::Turn => stats.turns += 1,
                Kind::Note => stats.notes += 1,
            }
            if let Some(at) = memory.record.said_at {
                stats.first = Some(stats.first.map_or(at, |first| first.min(at)));
                stats.last = Some(stats.last.map_or(at, |last| last.max(at)));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(stats)
    }

    fn insert_conversation(&mut self, name: &ConversationId, floor: u64) -> Result<ConversationRow, StoreError> {
        let number = new_group(self)?;
        let row = ConversationRow { number, floor, notes: floor };
        self.put(Key::ConversationName(name.clone()), Row::Number(number))?;
        self.put(Key::Conversation(number), Row::Conversation(name.clone(), row))?;
        Ok(row)
    }

    fn insert_session(&mut self, conversation: u64, name: &SessionId, given: u64) -> Result<SessionRow, StoreError> {
        let number = new_group(self)?;
        let row = SessionRow { number, given };
        self.put(Key::SessionName(name.clone(), conversation), Row::Number(number))?;
        self.put(Key::Session(number), Row::Session(conversation, name.clone(), row))?;
        Ok(row)
    }

    fn set_title(&mut self, session: u64, title: &str) -> Result<bool, StoreError> {
        let is_new = access::title(self, session)?.as_deref() != Some(title);
        if is_new {
            self.put(Key::Title(session), Row::Title(title.to_owned()))?;
        }
        Ok(is_new)
    }

    fn insert_memory(&mut self, memory: &Record, groups: Groups) -> Result<(), StoreError> {
        let Groups { conversation, session } = groups;
        let stored = StoredMemory { record: Record { title: None, ..memory.clone() }, conversation, session };
        self.put(Key::Id(memory.id.clone(), conversation), Row::Position(memory.seq))?;
        self.put(order_of(&stored), Row::Nothing)?;
        self.put(Key::Memory(memory.seq), Row::Memory(Box::new(stored)))
    }

    fn update_memory(&mut self, new: &Record) -> Result<(), StoreError> {
        let Some(stored) = memory(self, new.seq, StoredMemory::clone)? else { return Ok(()) };
        self.put(
            Key::Memory(new.seq),
            Row::Memory(Box::new(StoredMemory { record: Record { title: None, ..new.clone() }, ..stored })),
        )
    }

    fn advance_memories(&mut self, last: Seq, _added: u64) -> Result<(), StoreError> {
        access::update(self, |state| state.version.last = last)
    }

    fn raise(&mut self, counter: Counter<'_>, number: u64) -> Result<u64, StoreError> {
        let raise = |highest: &mut u64| *highest = number.max(*highest);
        match counter {
            Counter::Floor => access::update(self, |state| raise(&mut state.floor)).map(|()| 1),
            Counter::Notes => access::update(self, |state| raise(&mut state.notes)).map(|()| 1),
            Counter::ConversationFloor(of) => change_conversation(self, of, |row| raise(&mut row.floor)),
            Counter::ConversationNotes(of) => change_conversation(self, of, |row| raise(&mut row.notes)),
            Counter::Session(of) => raise_sessions(self, session_numbered(self, of)?, number),
            Counter::SessionNamed { conversation, name } => {
                let named = access::sessions(self)?;
                let named = named.into_iter().filter(|(of, other, _)| *of == conversation && other.as_str() == name);
                raise_sessions(self, named, number)
            }
            Counter::SessionsStarting { conversation, prefix } => {
                let all = access::sessions(self)?;
                let starting =
                    all.into_iter().filter(|(of, name, _)| *of == conversation && name.as_str().starts_with(prefix));
                raise_sessions(self, starting, number)
            }
        }
    }

    fn delete_memories(&mut self, selection: Selection<'_>) -> Result<u64, StoreError> {
        let mut vectors = 0;
        let encoders = access::encoders(self)?;
        for seq in selected(self, selection)? {
            let Some(stored) = access::memory(self, seq, StoredMemory::clone)? else { continue };
            for (encoder, _, _) in &encoders {
                let key = Key::Vector(*encoder, seq);
                if rows::has(self, &key)? {
                    self.delete(&key)?;
                    vectors += 1;
                }
            }
            self.delete(&Key::Id(stored.record.id.clone(), stored.conversation))?;
            self.delete(&order_of(&stored))?;
            self.delete(&Key::Memory(seq))?;
        }
        Ok(vectors)
    }

    fn delete_empty_groups(&mut self) -> Result<EmptiedGroups, StoreError> {
        let mut emptied = EmptiedGroups::default();
        for (conversation, name, row) in access::sessions(self)? {
            if !has_memories(self, conversation, Some(row.number))? {
                self.delete(&Key::Session(row.number))?;
                self.delete(&Key::SessionName(name, conversation))?;
                self.delete(&Key::Title(row.number))?;
                emptied.sessions.push(EmptiedSession { conversation, given: row.given });
            }
        }
        for (name, row) in access::conversations(self)? {
            if !has_memories(self, row.number, None)? {
                self.delete(&Key::Conversation(row.number))?;
                self.delete(&Key::ConversationName(name))?;
                emptied.conversations.push(row);
            }
        }
        Ok(emptied)
    }
}
