//! Which memories an operation is about.

use crate::{
    store::deletion::DeleteTarget,
    types::{Scope, Seq},
};

/// Which memories an operation is about.
#[derive(Debug, Clone, Copy)]
pub enum Selection<'a> {
    /// One memory, if it is there.
    One(Seq),
    /// Everything in a scope.
    Within(&'a Scope),
}

impl Selection<'_> {
    /// Whether it is the whole namespace.
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::Within(scope) if scope.is_everything())
    }
}

impl<'a> From<&'a DeleteTarget> for Selection<'a> {
    fn from(target: &'a DeleteTarget) -> Self {
        match target {
            DeleteTarget::One(seq) => Self::One(*seq),
            DeleteTarget::Within(scope) => Self::Within(scope),
        }
    }
}
