//! Words of a command as a shell takes them.

/// A path, a name or an option as one word of a POSIX shell; on Windows, where paths have them, backslashes stay as they are.
pub(crate) fn quoted(word: &str) -> String {
    let plain = if cfg!(windows) { "/.-_:@\\" } else { "/.-_:@" };
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || plain.contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[cfg(not(windows))]
    #[test]
    fn a_shell_reads_one_word() {
        for (word, expected) in [
            ("git.example/tiefbau", "git.example/tiefbau"),
            ("/work/My Project $x", "'/work/My Project $x'"),
            (r"C:\src\App", r"'C:\src\App'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
