//! What a memory is, as a number.

use aforesaid_core::types::Kind;

pub(crate) fn kind(number: i64) -> Kind {
    if number == number_of(Kind::Note) { Kind::Note } else { Kind::Turn }
}

pub(crate) fn number_of(kind: Kind) -> i64 {
    match kind {
        Kind::Turn => 0,
        Kind::Note => 1,
    }
}
