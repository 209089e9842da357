//! Small changes of a JSON file that people write by hand: comments, order and white space around a change stay.

use super::EditError;

/// A member of an object, as places in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    key: String,
    begin: usize,
    value: usize,
    end: usize,
}

/// An object or array of a text: its members, and where it ends.
#[derive(Debug)]
struct Container {
    open: usize,
    members: Vec<Member>,
    close: usize,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

type Scanned<T> = Result<T, EditError>;

impl<'t> Scanner<'t> {
    fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    fn broken<T>(&self, expected: &'static str) -> Scanned<T> {
        let line = 1 + self.text[..self.at.min(self.text.len())].matches('\n').count();
        Err(EditError::Broken { line, expected })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over white space and comments.
    fn trivia(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']).len();
            self.at += blank;
            let rest = &self.text[self.at..];
            let comment = match () {
                () if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                () if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                () => return,
            };
            self.at += comment;
        }
    }

    fn string(&mut self) -> Scanned<String> {
        let begin = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => {
                    let read = self.text.get(begin..self.at).and_then(|text| serde_json::from_str(text).ok());
                    return read.map_or_else(|| self.broken("a string"), Ok);
                }
                b'\n' => break,
                _ => {}
            }
        }
        self.broken("the end of a string")
    }

    /// Passes over a value.
    fn value(&mut self, depth: usize) -> Scanned<()> {
        match self.peek() {
            Some(b'{') => self.container(b'}', depth).map(drop),
            Some(b'[') => self.container(b']', depth).map(drop),
            Some(b'"') => self.string().map(drop),
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'-' => {
                while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
                    self.at += 1;
                }
                Ok(())
            }
            _ => self.broken("a value"),
        }
    }

    /// Reads an object or an array; members of an array have no key.
    fn container(&mut self, closes: u8, depth: usize) -> Scanned<Container> {
        if depth > 100 {
            return self.broken("fewer values in one another");
        }
        let open = self.at;
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.trivia();
            if self.peek() == Some(closes) {
                let close = self.at;
                self.at += 1;
                return Ok(Container { open, members, close });
            }
            let begin = self.at;
            let mut key = String::new();
            if closes == b'}' {
                if self.peek() != Some(b'"') {
                    return self.broken("a name in quotes");
                }
                key = self.string()?;
                self.trivia();
                if self.peek() != Some(b':') {
                    return self.broken("a colon");
                }
                self.at += 1;
                self.trivia();
            }
            let value = self.at;
            self.value(depth + 1)?;
            members.push(Member { key, begin, value, end: self.at });
            self.trivia();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == closes => {}
                _ => return self.broken("a comma or the end"),
            }
        }
    }
}

fn container(text: &str, at: usize) -> Scanned<Container> {
    let closes = if text.as_bytes().get(at) == Some(&b'[') { b']' } else { b'}' };
    Scanner::new(text, at).container(closes, 0)
}

/// The object that the whole text is.
fn root(text: &str) -> Scanned<Container> {
    let mut scanner = Scanner::new(text, 0);
    scanner.trivia();
    if scanner.peek() != Some(b'{') {
        return scanner.broken("an object");
    }
    let root = scanner.container(b'}', 0)?;
    scanner.trivia();
    if scanner.peek().is_some() {
        return scanner.broken("nothing after the object");
    }
    Ok(root)
}

/// The text of the value at a path of names, where it is there.
pub(super) fn get<'t>(text: &'t str, path: &[&str]) -> Scanned<Option<&'t str>> {
    let mut object = root(text)?;
    for (depth, name) in path.iter().enumerate() {
        let Some(member) = object.members.iter().find(|member| member.key == *name) else { return Ok(None) };
        if depth + 1 == path.len() {
            return Ok(text.get(member.value..member.end));
        }
        if text.as_bytes().get(member.value) != Some(&b'{') {
            return Ok(None);
        }
        object = container(text, member.value)?;
    }
    Ok(None)
}

/// The text with this in the place of the value at a path of names, where one is there.
pub(super) fn replace(text: &str, path: &[&str], value: &str) -> Scanned<String> {
    let Some(found) = get(text, path)? else { return Ok(text.to_owned()) };
    let at = found.as_ptr() as usize - text.as_ptr() as usize;
    Ok(format!("{}{value}{}", &text[..at], &text[at + found.len()..]))
}

/// The elements of the array at a path of names that say something.
pub(super) fn elements<'t>(text: &'t str, path: &[&str], says: &str) -> Scanned<Vec<&'t str>> {
    let Some(array) = get(text, path)?.filter(|array| array.starts_with('[')) else { return Ok(Vec::new()) };
    let elements = container(array, 0)?.members.into_iter().map(|member| &array[member.value..member.end]);
    Ok(elements.filter(|element| element.contains(says)).collect())
}

/// The text with a value at a path of names; objects on the way are made.
pub(super) fn set(text: &str, path: &[&str], value: &serde_json::Value) -> Scanned<String> {
    let text = if text.trim().is_empty() { "{\n}\n" } else { text };
    let mut object = root(text)?;
    for (depth, name) in path.iter().enumerate() {
        let is_last = depth + 1 == path.len();
        match object.members.iter().find(|member| member.key == *name) {
            Some(member) if is_last => {
                let shown = indented(value, &indent_of(text, &object, depth));
                return Ok(format!("{}{shown}{}", &text[..member.value], &text[member.end..]));
            }
            Some(member) if text.as_bytes().get(member.value) == Some(&b'{') => object = container(text, member.value)?,
            Some(_) => return Err(EditError::NoObject { name: (*name).to_owned() }),
            None => {
                let nested =
                    path[depth + 1..].iter().rev().fold(value.clone(), |inner, name| serde_json::json!({*name: inner}));
                let key = serde_json::Value::from(*name).to_string();
                let indent = indent_of(text, &object, depth);
                return Ok(insert(text, &object, depth, &format!("{key}: {}", indented(&nested, &indent))));
            }
        }
    }
    Ok(text.to_owned())
}

/// The text with another element at the end of the array at a path of names; the array is made where it is not there.
pub(super) fn push(text: &str, path: &[&str], value: &serde_json::Value) -> Scanned<String> {
    let (Some(array), whole) = (get(text_or_object(text), path)?, text_or_object(text)) else {
        return set(text, path, &serde_json::json!([value]));
    };
    let at = array.as_ptr() as usize - whole.as_ptr() as usize;
    if !array.starts_with('[') {
        return Err(EditError::NoObject { name: path.last().copied().unwrap_or_default().to_owned() });
    }
    let array = container(whole, at)?;
    let indent = indent_of(whole, &array, path.len());
    Ok(insert(whole, &array, path.len(), &indented(value, &indent)))
}

fn text_or_object(text: &str) -> &str {
    if text.trim().is_empty() { "{\n}\n" } else { text }
}

/// The text without the member at a path of names.
pub(super) fn remove(text: &str, path: &[&str]) -> Scanned<String> {
    let mut object = root(text)?;
    for (depth, name) in path.iter().enumerate() {
        let Some(place) = object.members.iter().position(|member| member.key == *name) else { break };
        if depth + 1 == path.len() {
            return Ok(without(text, &object, place));
        }
        let value = object.members[place].value;
        if text.as_bytes().get(value) != Some(&b'{') {
            break;
        }
        object = container(text, value)?;
    }
    Ok(text.to_owned())
}

/// The text without the elements of the array at a path of names that say something.
pub(super) fn remove_elements(text: &str, path: &[&str], says: &str) -> Scanned<String> {
    let mut text = text.to_owned();
    loop {
        let Some(array) = get(&text, path)?.filter(|array| array.starts_with('[')) else { return Ok(text) };
        let at = array.as_ptr() as usize - text.as_ptr() as usize;
        let array = container(&text, at)?;
        let found = array.members.iter().position(|member| text[member.value..member.end].contains(says));
        match found {
            Some(place) => text = without(&text, &array, place),
            None => return Ok(text),
        }
    }
}

/// The white space before a member.
fn indent_of(text: &str, container: &Container, depth: usize) -> String {
    let begin = container.members.first().map(|member| member.begin);
    let line = begin.map(|begin| &text[text[..begin].rfind('\n').map_or(0, |at| at + 1)..begin]);
    match line.filter(|line| line.trim().is_empty()) {
        Some(line) => line.to_owned(),
        None => "  ".repeat(depth + 1),
    }
}

fn indented(value: &serde_json::Value, indent: &str) -> String {
    let pretty = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    pretty.replace('\n', &format!("\n{indent}"))
}

/// The text with another member at the end of a container.
fn insert(text: &str, container: &Container, depth: usize, member: &str) -> String {
    let indent = indent_of(text, container, depth);
    match container.members.last() {
        Some(last) => format!("{},\n{indent}{member}{}", &text[..last.end], &text[last.end..]),
        None => {
            let close = "  ".repeat(depth);
            // Comments in an empty container stay.
            let inside = text[container.open + 1..container.close].trim_end();
            let (before, after) = (&text[..=container.open], &text[container.close..]);
            format!("{before}{inside}\n{indent}{member}\n{close}{after}")
        }
    }
}

/// The text without a member of a container.
fn without(text: &str, container: &Container, place: usize) -> String {
    let member = &container.members[place];
    let (from, to) = match (place.checked_sub(1), container.members.get(place + 1)) {
        (Some(before), _) => (container.members[before].end, member.end),
        (None, Some(next)) => (member.begin, next.begin),
        (None, None) => {
            // A comma after the only member goes, too.
            let rest = &text[member.end..container.close];
            let comma = rest.find(',').map_or(0, |at| at + 1);
            (container.open + 1, member.end + comma)
        }
    };
    let (kept, rest) = (&text[..from], &text[to..]);
    match place == 0 && container.members.len() == 1 {
        true => format!("{kept}{}", rest.trim_start()),
        false => format!("{kept}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SETTINGS: &str = "// mine\n{\n    \"theme\": \"dark\", /* always */\n    \"servers\": {\n        \"a\": {\"command\": \"a\"},\n    },\n}\n";

    #[test]
    fn a_change_leaves_the_rest_as_it_is() {
        let changed = set(SETTINGS, &["servers", "b"], &json!({"command": "b"})).unwrap();
        let expected = "// mine\n{\n    \"theme\": \"dark\", /* always */\n    \"servers\": {\n        \"a\": {\"command\": \"a\"},\n        \"b\": {\n          \"command\": \"b\"\n        },\n    },\n}\n";
        assert_eq!(changed, expected);
        assert_eq!(remove(&changed, &["servers", "b"]).unwrap(), SETTINGS);
        assert_eq!(get(&changed, &["servers", "a", "command"]).unwrap(), Some("\"a\""));
        assert_eq!(get(&changed, &["theme", "a"]).unwrap(), None);
        let replaced = replace(&changed, &["servers", "b"], "{ /* b */ }").unwrap();
        assert_eq!(replaced, expected.replace("{\n          \"command\": \"b\"\n        }", "{ /* b */ }"));
        assert_eq!(replace(SETTINGS, &["servers", "b"], "1").unwrap(), SETTINGS);
    }

    #[test]
    fn what_is_not_there_is_made() {
        let made = set("", &["mcp", "x"], &json!(1)).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&made).unwrap(), json!({"mcp": {"x": 1}}));
        assert_eq!(remove(&made, &["mcp", "x"]).unwrap(), "{\n  \"mcp\": {}\n}\n");
        assert_eq!(set("{\"mcp\": {\"x\": 1}}", &["mcp", "x"], &json!(2)).unwrap(), "{\"mcp\": {\"x\": 2}}");
        assert_eq!(set("{ // none\n}", &["x"], &json!(1)).unwrap(), "{ // none\n  \"x\": 1\n}");
    }

    #[test]
    fn elements_of_arrays_come_and_go() {
        let hooks = "{\"hooks\": {\"Stop\": [{\"command\": \"mine\"}]}}";
        let added = push(hooks, &["hooks", "Stop"], &json!({"command": "aforesaid hook Stop"})).unwrap();
        let added = push(&added, &["hooks", "SessionEnd"], &json!({"command": "aforesaid hook SessionEnd"})).unwrap();
        let value: serde_json::Value = serde_json::from_str(&added).unwrap();
        assert_eq!(value["hooks"]["Stop"].as_array().unwrap().len(), 2);
        assert_eq!(value["hooks"]["SessionEnd"][0]["command"], "aforesaid hook SessionEnd");
        assert_eq!(elements(hooks, &["hooks", "Stop"], "mine").unwrap(), ["{\"command\": \"mine\"}"]);
        assert!(elements(hooks, &["hooks", "SessionEnd"], "mine").unwrap().is_empty());
        let removed = remove_elements(&added, &["hooks", "Stop"], "aforesaid hook").unwrap();
        let value: serde_json::Value = serde_json::from_str(&removed).unwrap();
        assert_eq!(value["hooks"]["Stop"], json!([{"command": "mine"}]));
    }

    #[test]
    fn what_is_broken_is_refused_with_its_line() {
        for (text, expected) in [
            ("{\n\"a\": }", "line 2: expected a value"),
            ("[]", "line 1: expected an object"),
            ("{\"a\": 1} x", "line 1: expected nothing after"),
            ("{\"a", "expected the end of a string"),
        ] {
            let message = set(text, &["b"], &json!(1)).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        assert!(
            set("{\"mcp\": 3}", &["mcp", "x"], &json!(1)).unwrap_err().to_string().contains("\"mcp\" is no object")
        );
        assert!(set(&"[".repeat(10_000), &["a"], &json!(1)).is_err());
        assert!(set(&format!("{{\"a\":{}", "[".repeat(10_000)), &["a"], &json!(1)).is_err());
    }
}
