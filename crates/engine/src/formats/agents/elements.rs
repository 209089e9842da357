//! What a program puts into a person's message: elements such as `<system-reminder>`.

use std::collections::HashSet;

/// A text without the elements of these names that stand at its beginning, and of those names wherever they stand.
///
/// A name that ends in `*` stands for all that begin so. What has no end is no element: somebody writes of one.
pub(super) fn without(text: &str, leading: &[&str], anywhere: &[&str]) -> String {
    let mut rest = text.trim_start();
    while let Some(after) = element(rest, leading, &mut HashSet::new()) {
        rest = after.trim_start();
    }
    let mut kept = String::with_capacity(rest.len());
    let mut from = 0;
    let mut endless = HashSet::new();
    while let Some(at) = rest.get(from..).and_then(|tail| tail.find('<')).map(|at| from + at) {
        match element(&rest[at..], anywhere, &mut endless) {
            Some(after) => {
                kept.push_str(&rest[from..at]);
                from = rest.len() - after.len();
            }
            None => {
                kept.push_str(&rest[from..=at]);
                from = at + 1;
            }
        }
    }
    kept.push_str(&rest[from..]);
    kept.trim().to_owned()
}

/// What follows the element that a text begins with, if it has one of the names. Names in `endless` have no end in the rest of
/// the text, which is not looked through again for each.
fn element<'t>(text: &'t str, names: &[&str], endless: &mut HashSet<&'t str>) -> Option<&'t str> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))?;
    let name = &inside[..end];
    if name.is_empty() || !inside[end..].starts_with(['>', ' ']) {
        return None;
    }
    let is_named = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => *pattern == name,
    };
    if endless.contains(name) || !names.iter().any(is_named) {
        return None;
    }
    let close = format!("</{name}>");
    let end = text.find(&close);
    if end.is_none() {
        endless.insert(name);
    }
    end.map(|at| &text[at + close.len()..])
}

/// What stands in the first element of this name.
pub(super) fn within<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    Some(after.split_once(&format!("</{name}>"))?.0.trim())
}

#[cfg(test)]
mod tests {
    use super::without;

    const LEADING: &[&str] = &["command-name", "local-command-*"];
    const ANYWHERE: &[&str] = &["system-reminder"];

    #[test]
    fn elements_of_programs_go_and_words_stay() {
        let plain = |text| without(text, LEADING, ANYWHERE);
        assert_eq!(plain("<command-name>/clear</command-name>\n<local-command-stdout></local-command-stdout>"), "");
        assert_eq!(plain("a <b>c</b> <system-reminder>x</system-reminder>d <"), "a <b>c</b> d <");
        assert_eq!(plain("<command-name>/x</command-name> why?"), "why?");
        assert_eq!(plain("use <command-name>x</command-name>"), "use <command-name>x</command-name>");
        assert_eq!(plain("what is <system-reminder> for?"), "what is <system-reminder> for?");
        assert_eq!(plain("<command-name> should be plural"), "<command-name> should be plural");
        // In time by its length, whatever is repeated.
        let many = "<system-reminder>".repeat(50_000) + "</x>";
        assert_eq!(plain(&many), many);
        assert_eq!(plain("<é> <system-reminder2>a"), "<é> <system-reminder2>a");
    }
}
