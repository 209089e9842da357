//! What a namespace holds, as counts and one checksum that is the same in every store.

use aforesaid_core::{
    StoreError,
    store::tables::{NamespaceState, vector_to_bytes},
    types::EncoderId,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    groups::AllGroups,
    rows::{CopiedCue, CueNumbers, MemoryRow, Side, parts},
};

/// How much a namespace holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct MigratedRows {
    /// Conversations.
    pub conversations: u64,
    /// Sessions.
    pub sessions: u64,
    /// Turns and notes.
    pub memories: u64,
    /// Turns and notes with vectors, counted once an encoder.
    pub vectors: u64,
    /// Cue questions.
    pub questions: u64,
    /// Vectors of cue questions and of texts with them.
    pub question_vectors: u64,
}

/// Counts and SHA-256 of a namespace, row by row in order: every field, position, id, counter and vector, but no number
/// that only one store gives.
#[derive(Debug, Clone, Default)]
pub(super) struct Checksum {
    hash: Sha256,
    pub(super) rows: MigratedRows,
}

impl Checksum {
    /// That of a whole namespace.
    pub(super) fn of(side: Side<'_>, encoders: &[EncoderId]) -> Result<Option<Self>, StoreError> {
        let Some((state, groups)) = side.read(|tables| Ok((tables.state()?, AllGroups::read(tables)?)))? else {
            return Ok(None);
        };
        let mut checksum = Self::default();
        checksum.add_groups(&state, &groups);
        for part in parts(0, state.version.last.0) {
            side.memories(encoders, part)?.iter().for_each(|row| checksum.add_memory(row, encoders));
        }
        let mut numbers = CueNumbers::default();
        for part in parts(0, state.version.cues.0) {
            side.cues(encoders, part, &mut numbers)?.iter().for_each(|cue| checksum.add_cue(cue, encoders));
        }
        Ok(Some(checksum))
    }

    /// Adds how far the namespace has come, its conversations and sessions.
    pub(super) fn add_groups(&mut self, state: &NamespaceState, groups: &AllGroups) {
        let NamespaceState { version, active_encoder, floor, notes } = state;
        self.numbers(&[version.last.0, version.cues.0, *floor, *notes]);
        self.text(active_encoder.as_ref().map(EncoderId::as_str));
        for (name, row) in &groups.conversations {
            self.text(Some(name.as_str()));
            self.numbers(&[row.floor, row.notes]);
        }
        for session in &groups.sessions {
            self.text(Some(session.conversation.as_str()));
            self.text(Some(session.name.as_str()));
            self.text(session.title.as_deref());
            self.numbers(&[session.given]);
        }
        self.rows.conversations = groups.conversations.len() as u64;
        self.rows.sessions = groups.sessions.len() as u64;
    }

    /// Adds a memory.
    pub(super) fn add_memory(&mut self, row: &MemoryRow, encoders: &[EncoderId]) {
        self.rows.memories += 1;
        self.numbers(&[row.record.seq.0]);
        // A record always serializes.
        self.text(serde_json::to_string(&row.record).ok().as_deref());
        self.text(row.cued.as_ref().map(|source| source.model.as_str()));
        self.text(row.cued.as_ref().map(|source| source.prompt.as_str()));
        self.rows.vectors += self.vectors(&row.vectors, encoders);
    }

    /// Adds a cue.
    pub(super) fn add_cue(&mut self, cue: &CopiedCue, encoders: &[EncoderId]) {
        self.rows.questions += u64::from(cue.question.is_some());
        self.numbers(&[cue.id.0, cue.seq.0, cue.number]);
        self.text(cue.question.as_deref());
        self.rows.question_vectors += self.vectors(&cue.vectors, encoders);
    }

    /// The hash so far, in hexadecimal digits.
    pub(super) fn digits(&self) -> String {
        self.hash.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Adds vectors, each under the name of its encoder; says how many there are.
    fn vectors(&mut self, vectors: &[Option<Vec<f32>>], encoders: &[EncoderId]) -> u64 {
        let mut found = 0;
        for (encoder, vector) in encoders.iter().zip(vectors) {
            if let Some(vector) = vector {
                self.text(Some(encoder.as_str()));
                self.numbers(&[vector.len() as u64]);
                self.hash.update(vector_to_bytes(vector));
                found += 1;
            }
        }
        self.numbers(&[found]);
        found
    }

    fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|number| self.hash.update(number.to_le_bytes()));
    }

    fn text(&mut self, text: Option<&str>) {
        let text = text.map(str::as_bytes);
        self.numbers(&[text.map_or(u64::MAX, |text| text.len() as u64)]);
        self.hash.update(text.unwrap_or_default());
    }
}
