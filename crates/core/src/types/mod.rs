//! The nouns: turn, note, memory, cue, namespace, query, vector.

mod choice;
mod cue;
mod filter;
mod limits;
mod memory;
mod names;
mod query;
mod time;
mod vectors;
mod zone;

pub use choice::UnknownChoice;
pub use cue::{CueId, CueSource, Cues, MOST_BEFORE, USUAL_BEFORE, cued_passage};
pub use filter::{MemoryFilter, MetaField};
pub use limits::{MAX_TEXT_BYTES, MAX_TITLE_BYTES};
pub(crate) use memory::check_text;
pub use memory::{Draft, Importance, Kind, Note, Record, Sensitivity, Seq, Turn, passage};
pub use names::{ConversationId, EncoderId, InvalidName, MAX_NAME_BYTES, MemoryId, Namespace, SessionId};
pub use query::{Granularity, Query, Scope, SortBy, Unmatched};
pub use time::{InvalidTimestamp, Timestamp};
pub use vectors::{VectorSet, Vectors};
pub use zone::{InvalidZone, Zone};
