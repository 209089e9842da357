//! The branch of a conversation tree that was shown last.
//!
//! An answer can be asked for again and a question be put anew: an export has all branches.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The nodes from the root to `current`, in that order.
///
/// Where `current` is absent or no node, the last node without a child takes
/// its place. A parent that is no node ends the branch, and so does a parent
/// that was there before: a damaged export must not hold an import for ever.
pub(super) fn shown(mapping: &Map<String, Value>, current: Option<&str>) -> Vec<String> {
    let start = current.filter(|node| mapping.contains_key(*node)).or_else(|| last_leaf(mapping));
    path(start, |node| mapping.get(node).map(parent))
}

/// The nodes from the root to `end`; `parent_of` knows the nodes, and the parent of each that has one.
pub(super) fn path<'a>(end: Option<&'a str>, parent_of: impl Fn(&str) -> Option<Option<&'a str>>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut branch = Vec::new();
    let mut next = end;
    while let Some((node, parent)) = next.and_then(|node| Some((node, parent_of(node)?)))
        && seen.insert(node)
    {
        branch.push(node.to_owned());
        next = parent;
    }
    branch.reverse();
    branch
}

fn last_leaf(mapping: &Map<String, Value>) -> Option<&str> {
    let parents: HashSet<&str> = mapping.values().filter_map(parent).collect();
    let leaf = mapping.keys().rev().find(|node| !parents.contains(node.as_str()));
    leaf.or_else(|| mapping.keys().next_back()).map(String::as_str)
}

fn parent(node: &Value) -> Option<&str> {
    node.get("parent")?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown_of(mapping: Value, current: Option<&str>) -> Vec<String> {
        shown(mapping.as_object().unwrap(), current)
    }

    #[test]
    fn follows_the_parents_of_the_current_node() {
        let tree = json!({"r": {}, "a": {"parent": "r"}, "b": {"parent": "a"}, "c": {"parent": "a"}});
        assert_eq!(shown_of(tree.clone(), Some("b")), ["r", "a", "b"]);
        assert_eq!(shown_of(tree.clone(), None), ["r", "a", "c"]);
        assert_eq!(shown_of(tree, Some("gone")), ["r", "a", "c"]);
        assert!(shown_of(json!({}), Some("a")).is_empty());
    }

    #[test]
    fn a_cycle_and_a_lost_parent_end_the_branch() {
        assert_eq!(shown_of(json!({"a": {"parent": "b"}, "b": {"parent": "a"}}), None), ["a", "b"]);
        assert_eq!(shown_of(json!({"a": {"parent": "a"}}), Some("a")), ["a"]);
        assert_eq!(shown_of(json!({"a": {"parent": "lost"}, "n": 3}), Some("a")), ["a"]);
    }
}
