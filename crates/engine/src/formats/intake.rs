//! Where drafts gather while a file is read.

use std::collections::HashSet;

use aforesaid_core::{
    InvalidMemory,
    store::MemoryRef,
    types::{ConversationId, Draft, MemoryId, Record, Seq, Turn},
};

use super::{
    Captions, FormatError, Parsed, Place, SkipReason, Skipped, Source, Spot, refusal::Refusal, repeats::Repeats,
};

/// Checks drafts one by one and keeps them.
pub(super) struct Intake<'s> {
    source: &'s Source<'s>,
    drafts: Vec<Draft>,
    spots: Vec<Spot>,
    repeats: Repeats,
    skipped: Vec<Skipped>,
    left: Vec<MemoryRef>,
}

impl<'s> Intake<'s> {
    pub(super) fn new(source: &'s Source<'s>) -> Self {
        Self {
            source,
            drafts: Vec::new(),
            spots: Vec::new(),
            repeats: Repeats::default(),
            skipped: Vec::new(),
            left: Vec::new(),
        }
    }

    pub(super) fn source(&self) -> &'s Source<'s> {
        self.source
    }

    pub(super) fn file(&self) -> &'s str {
        self.source.file
    }

    pub(super) fn place(&self, spot: Spot) -> Place<'s> {
        Place { file: self.source.file, spot }
    }

    /// Keeps a draft that its writer can correct: a bad one is an error.
    pub(super) fn keep(&mut self, mut draft: Draft, spot: Spot) -> Result<(), FormatError> {
        draft.check().map_err(|why| self.invalid(why, spot))?;
        if let Draft::Turn(turn) = &mut draft {
            self.apply_captions(turn);
            if turn.text.trim().is_empty() && turn.image_caption.is_none() {
                self.skip(spot, SkipReason::EmptyText);
                return Ok(());
            }
        }
        self.push(draft, spot)
    }

    /// Keeps a turn that a program exported, or notes why there is none.
    ///
    /// Nobody can correct such a file, so an empty or endless turn is skipped.
    pub(super) fn keep_exported(&mut self, turn: Result<Turn, Refusal>, spot: Spot) -> Result<(), FormatError> {
        let mut turn = match turn {
            Ok(turn) => turn,
            Err(Refusal::Fail(error)) => return Err(error),
            Err(Refusal::Skip(why)) => {
                self.skip(spot, why);
                return Ok(());
            }
        };
        self.apply_captions(&mut turn);
        self.keep_if_possible(Draft::Turn(turn), spot)
    }

    /// Keeps a note that a program exported, unless it is endless.
    pub(super) fn keep_exported_note(&mut self, note: Draft, spot: Spot) -> Result<(), FormatError> {
        self.keep_if_possible(note, spot)
    }

    fn keep_if_possible(&mut self, draft: Draft, spot: Spot) -> Result<(), FormatError> {
        match draft.check() {
            Ok(()) => self.push(draft, spot),
            Err(InvalidMemory::EmptyText { .. }) => {
                self.skip(spot, SkipReason::EmptyText);
                Ok(())
            }
            Err(InvalidMemory::TextTooLong { bytes, .. }) => {
                self.skip(spot, SkipReason::TextTooLong { bytes });
                Ok(())
            }
            Err(why) => Err(self.invalid(why, spot)),
        }
    }

    pub(super) fn skip(&mut self, spot: Spot, why: SkipReason) {
        self.skip_at(spot.to_string(), why);
    }

    pub(super) fn skip_at(&mut self, at: String, why: SkipReason) {
        self.skipped.push(Skipped { at, why });
    }

    /// Notes a turn of a branch that is not shown any more. A name that cannot be an id was never stored.
    pub(super) fn leave(&mut self, conversation: &ConversationId, id: impl Into<String>) {
        self.left.extend(MemoryId::new(id).ok().map(|id| MemoryRef { conversation: Some(conversation.clone()), id }));
    }

    pub(super) fn finish(self) -> Parsed {
        let Self { drafts, skipped, mut left, .. } = self;
        let read: HashSet<_> = drafts.iter().map(|draft| (draft.conversation(), draft.id())).collect();
        left.retain(|turn| !read.contains(&(turn.conversation.as_ref(), Some(&turn.id))));
        Parsed { drafts, skipped, left }
    }

    fn apply_captions(&self, turn: &mut Turn) {
        match self.source.captions {
            Captions::Keep => {}
            Captions::Drop => turn.image_caption = None,
        }
    }

    fn push(&mut self, draft: Draft, spot: Spot) -> Result<(), FormatError> {
        match self.repeats.find(&draft, &self.drafts) {
            None => {
                self.drafts.push(draft);
                self.spots.push(spot);
                Ok(())
            }
            Some(earlier) => self.repeated(earlier, draft, spot),
        }
    }

    fn repeated(&mut self, earlier: usize, draft: Draft, spot: Spot) -> Result<(), FormatError> {
        let id = draft.id().map(ToString::to_string).unwrap_or_default();
        let first = self.spots.get(earlier).map(ToString::to_string).unwrap_or_default();
        let conversation = draft.conversation().map(ToString::to_string);
        let kept = self.drafts.get(earlier).cloned().and_then(as_memory);
        let difference = kept.zip(as_memory(draft)).and_then(|(kept, new)| kept.difference(&new));
        match difference {
            None => {
                self.skip(spot, SkipReason::Repeated { id, first });
                Ok(())
            }
            Some(field) => Err(FormatError::Conflict {
                first: format!("{}, {first}", self.source.file),
                second: spot.to_string(),
                id,
                conversation,
                field,
            }),
        }
    }

    fn invalid(&self, why: InvalidMemory, spot: Spot) -> FormatError {
        FormatError::Invalid { place: self.place(spot).to_string(), why }
    }
}

// A store compares memories, so an import does too.
fn as_memory(draft: Draft) -> Option<Record> {
    let id = draft.id()?.clone();
    Some(draft.into_memory(Seq(0), id))
}
