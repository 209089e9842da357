//! Which memories the beginning of an id may mean.

use std::ops::ControlFlow;

use super::numbers::numbered;
use crate::{
    error::StoreError,
    store::{lookup::MemoryRef, tables::Tables},
};

/// Up to `limit` memories whose ids begin as that of `beginning` does, by id.
///
/// A number is never cut: `s:1` may have been forgotten, and does not mean `s:12`.
pub(super) fn ids_starting(
    tables: &dyn Tables,
    beginning: &MemoryRef,
    limit: usize,
) -> Result<Vec<MemoryRef>, StoreError> {
    let mut found = Vec::new();
    if limit == 0 {
        return Ok(found);
    }
    tables.each_id_starting(beginning, &mut |candidate| {
        if !cuts_number(beginning.id.as_str(), candidate.id.as_str()) {
            found.push(candidate);
        }
        Ok(if found.len() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found)
}

/// Whether an id is numbered, and a beginning of it ends within the number.
fn cuts_number(beginning: &str, id: &str) -> bool {
    numbered(id).is_some_and(|(group, _)| beginning.len() > group.len() + 1 && beginning.len() < id.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_not_cut() {
        assert!(cuts_number("session:1", "session:12"));
        for (beginning, id) in
            [("session:", "session:12"), ("sess", "session:12"), ("3f2a1", "3f2a12"), ("s:12", "s:12")]
        {
            assert!(!cuts_number(beginning, id), "{beginning} {id}");
        }
    }
}
