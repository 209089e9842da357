//! A batch on its way into a namespace, inside one transaction.

use std::collections::{HashMap, HashSet};

use super::{
    counters::Counters,
    encoders,
    identity::{self, Stored},
    indexes,
    numbers::allocate_id,
    replace,
    staged::StagedVectors,
};
use crate::{
    error::StoreError,
    store::{
        batch::{AppendOutcome, Batch, Fingerprint, NewVectors, OnConflict},
        lookup::MemoryRef,
        tables::{Groups, NO_GROUP, Tables},
    },
    types::{ConversationId, Draft, MemoryId, Namespace, Record, Seq, SessionId, VectorSet},
};

/// Appends what is new of a batch; says what became of each draft.
pub(super) fn append(
    tables: &mut dyn Tables,
    namespace: &Namespace,
    batch: Batch<'_>,
    on_conflict: OnConflict,
) -> Result<Vec<AppendOutcome>, StoreError> {
    let mut appending = Appending::start(tables, namespace, on_conflict)?;
    let outcomes = match batch.vectors {
        NewVectors::None => {
            let added = batch.drafts.iter().map(|draft| Ok(appending.add(draft)?.0));
            added.collect::<Result<_, StoreError>>()?
        }
        NewVectors::Given { set, vectors } => appending.add_with_given(batch.drafts, set, vectors)?,
        NewVectors::Staged { set, fingerprints } => appending.add_with_staged(batch.drafts, set, fingerprints)?,
    };
    let Appending { tables, last, inserted, replaced, counters, titles, .. } = appending;
    if inserted > 0 {
        tables.advance_memories(Seq(last), inserted)?;
        counters.write(tables)?;
    }
    if replaced > 0 {
        // It begins an epoch, too.
        replace::clear_up(tables)?;
    } else if titles.is_changed {
        indexes::begin_epoch(tables)?;
    }
    Ok(outcomes)
}

struct Appending<'a> {
    tables: &'a mut dyn Tables,
    namespace: &'a Namespace,
    on_conflict: OnConflict,
    /// The position of the last memory.
    last: u64,
    /// Memories written, those that replace others included.
    inserted: u64,
    /// Memories that replace others.
    replaced: u64,
    /// Whether the set of the batch's vectors is known to be the active one: from the first that is due.
    is_settled: bool,
    conversations: HashMap<ConversationId, u64>,
    sessions: HashMap<(u64, SessionId), u64>,
    counters: Counters,
    titles: Titles,
    /// Where new conversations begin to number.
    floor: u64,
}

/// Titles that the batch gives.
#[derive(Default)]
struct Titles {
    /// The last one of each session.
    given: HashMap<u64, String>,
    /// Sessions that the batch made: no index knows a title of theirs.
    new: HashSet<u64>,
    /// Whether a session that was there has another title now.
    is_changed: bool,
}

impl<'a> Appending<'a> {
    fn start(
        tables: &'a mut dyn Tables,
        namespace: &'a Namespace,
        on_conflict: OnConflict,
    ) -> Result<Self, StoreError> {
        let state = tables.state()?;
        let mut counters = Counters::default();
        counters.know(Groups { conversation: NO_GROUP, session: NO_GROUP }, state.notes);
        Ok(Self {
            tables,
            namespace,
            on_conflict,
            last: state.version.last.0,
            inserted: 0,
            replaced: 0,
            is_settled: false,
            conversations: HashMap::new(),
            sessions: HashMap::new(),
            counters,
            titles: Titles::default(),
            floor: state.floor,
        })
    }

    fn add_with_given(
        &mut self,
        drafts: &[Draft],
        set: VectorSet<'_>,
        vectors: &[Option<&[f32]>],
    ) -> Result<Vec<AppendOutcome>, StoreError> {
        let mut outcomes = Vec::with_capacity(drafts.len());
        for (i, draft) in drafts.iter().enumerate() {
            let (outcome, written) = self.add(draft)?;
            if let (Some(seq), Some(vector)) = (written, vectors.get(i).copied().flatten()) {
                self.settle(set)?;
                encoders::check_windows(set, vector)?;
                self.tables.put_vector(set.encoder, seq, vector)?;
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    fn add_with_staged(
        &mut self,
        drafts: &[Draft],
        set: VectorSet<'_>,
        fingerprints: &[Option<Fingerprint>],
    ) -> Result<Vec<AppendOutcome>, StoreError> {
        let mut staged = StagedVectors::of(set, fingerprints);
        let mut outcomes = Vec::with_capacity(drafts.len());
        for (i, draft) in drafts.iter().enumerate() {
            let (outcome, written) = self.add(draft)?;
            if let Some(fingerprint) = fingerprints.get(i).copied().flatten() {
                if let Some(seq) = written {
                    self.settle(set)?;
                    staged.copy(self.tables, &fingerprint, seq)?;
                }
                staged.release(self.tables, &fingerprint)?;
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Makes sure that the set of the batch's vectors is the active one.
    fn settle(&mut self, set: VectorSet<'_>) -> Result<(), StoreError> {
        if !self.is_settled {
            encoders::claim(self.tables, self.namespace, set)?;
            self.is_settled = true;
        }
        Ok(())
    }

    /// Adds one draft, unless it is there already; says at which position it was written, if it was.
    fn add(&mut self, draft: &Draft) -> Result<(AppendOutcome, Option<Seq>), StoreError> {
        draft.check()?;
        let known = self.known_conversation(draft)?;
        if let (Some(conversation), Some(id)) = (known, draft.id())
            && let Some(stored) = identity::compare(self.tables, conversation, draft, id)?
        {
            return match (stored, self.on_conflict) {
                (Stored::Same, _) => {
                    if draft.title().is_some() {
                        let groups = self.groups(known, draft)?;
                        self.entitle(groups.session, draft)?;
                    }
                    Ok((AppendOutcome::Unchanged(id.clone()), None))
                }
                (Stored::Other { .. }, OnConflict::Keep) => Ok((AppendOutcome::Kept(id.clone()), None)),
                (Stored::Other { field, .. }, OnConflict::Fail) => Err(identity::conflict(draft, id, field)),
                (Stored::Other { memory, .. }, OnConflict::Newest) => self.replace(conversation, &memory, draft, id),
            };
        }
        let groups = self.groups(known, draft)?;
        self.entitle(groups.session, draft)?;
        let highest = self.counters.highest(groups);
        let (id, number) = match (draft.id(), draft) {
            (Some(id), _) => (id.clone(), highest + 1),
            (None, Draft::Turn(_)) => allocate_id(draft, highest, |id| self.tables.has_id(groups.conversation, id))?,
            (None, Draft::Note(_)) => self.note_id(draft, highest)?,
        };
        self.counters.set(groups, number);
        self.last += 1;
        self.insert(draft.clone().into_memory(Seq(self.last), id), groups, AppendOutcome::Added)
    }

    /// The id of a note that brought none, and its number: no memory of the namespace has it, so that it names the note alone.
    fn note_id(&mut self, note: &Draft, highest: u64) -> Result<(MemoryId, u64), StoreError> {
        let all = Groups { conversation: NO_GROUP, session: NO_GROUP };
        let highest = highest.max(self.counters.highest(all));
        let (id, number) = allocate_id(note, highest, |id| {
            let anywhere = MemoryRef { id: id.clone(), conversation: None };
            Ok(!self.tables.find(&anywhere)?.is_empty())
        })?;
        self.counters.set(all, number);
        Ok((id, number))
    }

    /// Puts a draft in the place of the memory that has its id.
    fn replace(
        &mut self,
        conversation: u64,
        old: &Record,
        draft: &Draft,
        id: &MemoryId,
    ) -> Result<(AppendOutcome, Option<Seq>), StoreError> {
        replace::make_room(self.tables, old.seq)?;
        let groups = self.groups(Some(conversation), draft)?;
        self.entitle(groups.session, draft)?;
        let session = match draft {
            Draft::Turn(turn) => Some(&turn.session),
            Draft::Note(_) => None,
        };
        // In its own session it counts already.
        if old.session.as_ref() != session {
            self.counters.set(groups, self.counters.highest(groups) + 1);
        }
        self.replaced += 1;
        self.insert(identity::in_place_of(old, draft, id), groups, AppendOutcome::Replaced)
    }

    fn insert(
        &mut self,
        memory: Record,
        groups: Groups,
        outcome: fn(MemoryId) -> AppendOutcome,
    ) -> Result<(AppendOutcome, Option<Seq>), StoreError> {
        self.tables.insert_memory(&memory, groups)?;
        self.inserted += 1;
        Ok((outcome(memory.id), Some(memory.seq)))
    }

    /// The number of a draft's conversation, if it has one that is there, or of none.
    fn known_conversation(&mut self, draft: &Draft) -> Result<Option<u64>, StoreError> {
        let Some(name) = draft.conversation() else { return Ok(Some(NO_GROUP)) };
        if let Some(&number) = self.conversations.get(name) {
            return Ok(Some(number));
        }
        let Some(row) = self.tables.conversation(name)? else { return Ok(None) };
        self.counters.know_conversation(row);
        self.conversations.insert(name.clone(), row.number);
        Ok(Some(row.number))
    }

    /// The groups of a draft, made where they are missing; `known` is its conversation where that is there.
    fn groups(&mut self, known: Option<u64>, draft: &Draft) -> Result<Groups, StoreError> {
        let conversation = match (known, draft.conversation()) {
            (Some(conversation), _) => conversation,
            (None, None) => NO_GROUP,
            (None, Some(name)) => {
                let row = self.tables.insert_conversation(name, self.floor)?;
                self.counters.know_conversation(row);
                self.conversations.insert(name.clone(), row.number);
                row.number
            }
        };
        let session = match draft {
            Draft::Turn(turn) => self.session(conversation, &turn.session)?,
            Draft::Note(_) => NO_GROUP,
        };
        Ok(Groups { conversation, session })
    }

    /// Gives a session the title of a draft, if that has one.
    fn entitle(&mut self, session: u64, draft: &Draft) -> Result<(), StoreError> {
        let Some(title) = draft.title() else { return Ok(()) };
        if self.titles.given.get(&session).is_some_and(|given| given == title) {
            return Ok(());
        }
        self.titles.given.insert(session, title.to_owned());
        self.titles.is_changed |= self.tables.set_title(session, title)? && !self.titles.new.contains(&session);
        Ok(())
    }

    fn session(&mut self, conversation: u64, name: &SessionId) -> Result<u64, StoreError> {
        let key = (conversation, name.clone());
        if let Some(&number) = self.sessions.get(&key) {
            return Ok(number);
        }
        let row = match self.tables.session(conversation, name)? {
            Some(row) => row,
            None => {
                let start = self.counters.start(conversation, name.as_str());
                let row = self.tables.insert_session(conversation, name, start)?;
                self.titles.new.insert(row.number);
                row
            }
        };
        self.counters.know(Groups { conversation, session: row.number }, row.given);
        self.sessions.insert(key, row.number);
        Ok(row.number)
    }
}
