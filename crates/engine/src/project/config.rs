//! Remotes in a repository's configuration (git-config(1), "Syntax").

use std::{collections::BTreeMap, iter::Peekable, str::Chars};

/// The remote that a repository without any other name would be known by.
const ORIGIN: &str = "origin";

/// The URL of `origin`, or of the first remote by name where there is no `origin`.
pub(super) fn remote(config: &str) -> Option<String> {
    let mut urls = BTreeMap::new();
    let mut reader = Reader { rest: config.chars().peekable() };
    let mut remote: Option<String> = None;
    while let Some(line) = reader.line() {
        match line {
            Line::Section { name, subsection } => remote = subsection.filter(|_| name.eq_ignore_ascii_case("remote")),
            Line::Value { key, value } => {
                if let Some(remote) = remote.as_ref().filter(|_| key.eq_ignore_ascii_case("url") && !value.is_empty()) {
                    // Of several, Git fetches from the first.
                    urls.entry(remote.clone()).or_insert(value);
                }
            }
        }
    }
    let first = urls.iter().next().map(|(_, url)| url.clone());
    urls.remove(ORIGIN).or(first)
}

/// A line that says something.
enum Line {
    Section { name: String, subsection: Option<String> },
    Value { key: String, value: String },
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
}

impl Reader<'_> {
    /// The next line that says something; a section may have a value on its line.
    fn line(&mut self) -> Option<Line> {
        loop {
            match *self.rest.peek()? {
                '#' | ';' => self.skip_line(),
                '[' => return Some(self.section()),
                c if c.is_alphabetic() => return Some(self.value()),
                _ => {
                    self.rest.next();
                }
            }
        }
    }

    fn skip_line(&mut self) {
        self.rest.by_ref().find(|c| *c == '\n');
    }

    /// `[name]` or `[name "subsection"]`.
    fn section(&mut self) -> Line {
        let (mut name, mut subsection, mut is_quoted) = (String::new(), None::<String>, false);
        self.rest.next();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            match (c, is_quoted) {
                ('"', _) => {
                    is_quoted = !is_quoted;
                    subsection.get_or_insert_default();
                }
                (']', false) => break,
                ('\\', true) => subsection.get_or_insert_default().extend(self.rest.next()),
                (c, true) => subsection.get_or_insert_default().push(c),
                (c, false) if c.is_whitespace() => {}
                (c, false) => name.push(c),
            }
        }
        Line::Section { name, subsection }
    }

    /// `key = value`, or `key` alone.
    fn value(&mut self) -> Line {
        let (mut key, mut value) = (String::new(), String::new());
        while let Some(c) = self.rest.next_if(|c| !matches!(c, '=' | '\n')) {
            key.push(c);
        }
        let key = key.trim().to_owned();
        if self.rest.next() != Some('=') {
            return Line::Value { key, value };
        }
        // White space at the end goes, unless it was quoted.
        let (mut is_quoted, mut kept) = (false, 0);
        while let Some(c) = self.rest.next() {
            match c {
                '\n' => break,
                '"' => is_quoted = !is_quoted,
                '#' | ';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                '\\' => match self.rest.next() {
                    // The value goes on in the next line.
                    Some('\n') | None => continue,
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('b') => {
                        value.pop();
                    }
                    Some(c) => value.push(c),
                },
                c if c.is_whitespace() && !is_quoted => {
                    // White space in front goes.
                    if !value.is_empty() {
                        value.push(c);
                    }
                    continue;
                }
                c => value.push(c),
            }
            kept = value.len();
        }
        value.truncate(kept);
        Line::Value { key, value }
    }
}

#[cfg(test)]
mod tests {
    use super::remote;

    #[test]
    fn origin_goes_before_other_remotes() {
        let config =
            "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = a\n[remote \"origin\"]\n\turl = b\n\turl = c\n";
        assert_eq!(remote(config).as_deref(), Some("b"));
        assert_eq!(remote("[remote \"z\"]\nurl=z\n[remote \"b\"]\nurl=b").as_deref(), Some("b"));
        assert_eq!(remote("[core]\nurl = a\n[branch \"origin\"]\nurl = b"), None);
        assert_eq!(remote("[remote]\nurl = a\n[remote \"origin\"]\nfetch = +refs/*\nurl\nurl ="), None);
    }

    #[test]
    fn values_are_written_as_git_writes_them() {
        let one = |value: &str| remote(&format!("[Remote \"origin\"] URL = {value}\r\n[x]\n"));
        assert_eq!(one("https://h/a b  # c").as_deref(), Some("https://h/a b"));
        assert_eq!(one("\"https://h/a;b \" ; c").as_deref(), Some("https://h/a;b "));
        assert_eq!(one("C:\\\\work\\\\a\\\n b").as_deref(), Some("C:\\work\\a b"));
        assert_eq!(one("a\\\"b").as_deref(), Some("a\"b"));
        let quoted = "[remote \"ori\\\"gin\"]\nurl = a\n; [remote \"origin\"]\n# url = b\n";
        assert_eq!(remote(quoted).as_deref(), Some("a"));
    }
}
