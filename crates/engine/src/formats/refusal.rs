//! Why a message yields no turn.

use super::{FormatError, SkipReason};

/// Either the message is left out, or the whole file cannot be read.
pub(super) enum Refusal {
    Skip(SkipReason),
    Fail(FormatError),
}

impl From<SkipReason> for Refusal {
    fn from(why: SkipReason) -> Self {
        Refusal::Skip(why)
    }
}

impl From<FormatError> for Refusal {
    fn from(error: FormatError) -> Self {
        Refusal::Fail(error)
    }
}
