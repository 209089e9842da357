//! Relative links between documents.

use std::{fs, path::Path};

/// Fails where a link of a document leads to no file, or to no heading of it.
pub(crate) fn check(root: &Path, name: &str, text: &str) {
    let folder = root.join(name).parent().unwrap().to_owned();
    for link in links(text) {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (path, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = if path.is_empty() { root.join(name) } else { folder.join(path) };
        assert!(target.exists(), "{name}: the link {link} leads nowhere");
        if !heading.is_empty() {
            let text = fs::read_to_string(&target).unwrap();
            assert!(headings(&text).any(|known| known == heading), "{name}: the link {link} leads to no heading");
        }
    }
}

fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link)
}

/// Headings as a link names them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}
