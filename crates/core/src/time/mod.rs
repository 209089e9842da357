//! Time expressions: what "last week", "around Christmas" or "currently" mean to somebody who asks at a certain moment.
//!
//! | file | what it does |
//! |---|---|
//! | `languages/*.rs` | one table a language: its words, the patterns they stand in, and what these mean |
//! | `language.rs` | what such a table holds |
//! | `digits.rs` | reads a date in digits |
//! | `pattern.rs` | finds a pattern of a table in a text |
//! | `starts.rs` | the words at which there is anything to find |
//! | `resolve.rs` | turns a pattern that was found into a stretch of the calendar |
//! | `range.rs` | a stretch of time, and how well a moment fits it |
//! | `sentences.rs` | which sentences of a text ask, and whether they are about what was |
//! | `order_verb.rs` | whether a word of order is a verb ("how long did it last?") |
//! | `query_text.rs` | which of the times a text asks for, and whether it asks for the newest, the oldest or a mention |
//! | `read.rs` | reads all expressions of a text |
//! | `argument.rs` | reads one that is an argument of its own |
//!
//! A week starts on Monday. Seasons are those of the northern hemisphere; the southern one is left out.

mod argument;
mod clock;
mod digits;
mod holidays;
mod language;
mod languages;
mod order_verb;
mod pattern;
mod query_text;
mod range;
mod read;
mod resolve;
mod sentences;
mod starts;
mod stretch;
mod tokens;

pub use argument::InvalidTime;
pub use clock::Clock;
pub use range::TimeRange;
pub use read::{Order, TimeExpression, Times};
pub(crate) use sentences::dot_ends_sentence;
