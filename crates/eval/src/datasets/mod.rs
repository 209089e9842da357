//! Labelled histories, and the loaders that read them.
//!
//! [`DataSet::load`] makes a [`Benchmark`] of files: histories as the engine takes them, and questions with their
//! gold. A loader never guesses. Evidence that names nothing and questions that are not measured are listed in the
//! [`Ledger`], with these reasons and remarks:
//!
//! | excluded | |
//! |---|---|
//! | `abstention` | the right answer is that nobody said so |
//! | `no gold` | nothing is labelled |
//! | `gold not in the history` | what is labelled names nothing that could be found |
//! | `nothing was said before` | it was asked before anything was said |
//!
//! | remark | |
//! |---|---|
//! | `repeated question` | the same words were asked of the group before; kept |
//! | `history without questions` | kept |
//! | `blank turn`, `turn left out`, `repeated session` | left out |
//! | `time not understood` | kept without a time |
//! | `gold corrected`, `audited without correct evidence` | of `locomo-audit` |
//! | `shared evidence session`, `distractor turn equal to evidence` | of `longmemeval-pooled`; there once |
//! | `field not read` | of `jsonl` |
//!
//! [`DataSet::entry`] is the catalogue: home, licence, pinned files, and [`Entry::fetch`].

mod abstentions;
mod audit;
mod beam;
mod benchmark;
mod catalogue;
mod cues;
mod dataset;
mod dialogues;
mod error;
mod fetch;
mod files;
mod history;
mod intake;
mod jsonl;
mod locomo;
mod longmemeval;
mod pooled;
mod qmsum;
mod realmem;
mod splits;
mod times;
mod turn;
mod value;

pub use abstentions::{WithAbstentions, is_answerable};
pub use benchmark::{Benchmark, Excluded, Group, Ledger, Question, Unresolved};
pub use catalogue::{Entry, PublicFile};
pub use cues::{RECORDED, RecordedCues};
pub use dataset::DataSet;
pub use error::DataError;
pub use fetch::{Fetched, Origin, Progress};
pub use splits::{Split, Splits};
pub(crate) use times::asked_at;
