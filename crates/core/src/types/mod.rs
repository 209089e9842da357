//! The nouns: turn, note, memory, cue, namespace, query, vector.

mod cue;
mod memory;
mod names;
mod query;
mod time;
mod vectors;

pub use cue::{CueId, CueSource, Cues, cued_passage};
pub use memory::{Draft, Importance, Kind, MAX_TEXT_BYTES, Memory, Note, Sensitivity, Seq, Turn, passage};
pub use names::{ConversationId, EncoderId, InvalidName, MAX_NAME_BYTES, MemoryId, Namespace, SessionId};
pub use query::{Query, Scope, SortBy, Tail, Unit, UnknownChoice};
pub use time::{InvalidTimestamp, Timestamp};
pub use vectors::Vectors;
