//! The nouns: turn, note, memory, cue, namespace, query, vector.

mod cue;
mod limits;
mod memory;
mod names;
mod query;
mod time;
mod vectors;

pub use cue::{CueId, CueSource, Cues, cued_passage};
pub use limits::{MAX_TEXT_BYTES, MAX_TITLE_BYTES};
pub use memory::{Draft, Importance, Kind, Note, Record, Sensitivity, Seq, Turn, passage};
pub use names::{ConversationId, EncoderId, InvalidName, MAX_NAME_BYTES, MemoryId, Namespace, SessionId};
pub use query::{Granularity, Query, Scope, SortBy, UnknownChoice, Unmatched};
pub use time::{InvalidTimestamp, Timestamp};
pub use vectors::Vectors;
