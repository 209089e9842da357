//! The server in Codex's settings, which are TOML: a table of its own.

use super::{EditError, SERVER, ServerCommand};

fn header() -> String {
    format!("[mcp_servers.{SERVER}]")
}

fn read(text: &str) -> Result<toml::Table, EditError> {
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(before).filter(|byte| *byte == b'\n').count();
        EditError::Toml(format!("line {line}: {}", error.message()))
    })
}

/// How the settings have the server started.
pub(super) fn get(text: &str) -> Result<Option<ServerCommand>, EditError> {
    let table = read(text)?;
    let Some(entry) = table.get("mcp_servers").and_then(|servers| servers.get(SERVER)) else { return Ok(None) };
    let Some(command) = entry.get("command").and_then(toml::Value::as_str) else { return Err(EditError::OtherForm) };
    let args = entry.get("args").and_then(toml::Value::as_array).into_iter().flatten();
    let args = args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect();
    Ok(Some(ServerCommand { command: command.to_owned(), args }))
}

/// The text with the table in the place of the one that is there, or at its end.
pub(super) fn set(text: &str, server: &ServerCommand) -> Result<String, EditError> {
    if get(text)?.as_ref() == Some(server) {
        return Ok(text.to_owned());
    }
    let string = |text: &str| toml::Value::from(text).to_string();
    let args: Vec<String> = server.args.iter().map(|arg| string(arg)).collect();
    let table = format!("{}\ncommand = {}\nargs = [{}]\n", header(), string(&server.command), args.join(", "));
    with(remove(text)?, &table)
}

/// The text with the table as an earlier text has it in the place of the one that is there; without it where that has none.
pub(super) fn restore(text: &str, earlier: &str) -> Result<String, EditError> {
    let there = get(text)?.is_some();
    match parted(earlier) {
        (_, table) if there && !table.is_empty() => with(remove(text)?, &table),
        _ => remove(text),
    }
}

/// The text with a table at its end.
fn with(mut text: String, table: &str) -> Result<String, EditError> {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str(table);
    // What was read before takes no table where the servers are written in braces.
    read(&text).map(|_| text).map_err(|_| EditError::OtherForm)
}

/// The text without the table.
pub(super) fn remove(text: &str) -> Result<String, EditError> {
    if get(text)?.is_none() {
        return Ok(text.to_owned());
    }
    let (mut kept, _) = parted(text);
    let end = kept.trim_end().len();
    kept.truncate(end);
    if !kept.is_empty() {
        kept.push('\n');
    }
    // A table that is part of another value cannot be taken out so.
    match get(&kept) {
        Ok(None) => Ok(kept),
        _ => Err(EditError::OtherForm),
    }
}

/// The lines of other tables, and those of the table and the ones below it. Comments behind its last key are of what follows.
fn parted(text: &str) -> (String, String) {
    let below = format!("[mcp_servers.{SERVER}.");
    let (mut kept, mut table, mut comments, mut is_in) = (String::new(), String::new(), String::new(), false);
    for line in text.split_inclusive('\n') {
        let start = line.trim();
        if start.starts_with('[') {
            is_in = start.starts_with(&header()) || start.starts_with(&below);
        }
        if is_in && (start.is_empty() || start.starts_with('#')) {
            comments.push_str(line);
            continue;
        }
        let part = if is_in { &mut table } else { &mut kept };
        // One blank line is enough where the table was.
        let before = if part.ends_with("\n\n") { comments.trim_start_matches(['\r', '\n']) } else { &comments };
        part.push_str(before);
        part.push_str(line);
        comments.clear();
    }
    kept.push_str(&comments);
    (kept, table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> ServerCommand {
        ServerCommand { command: "/opt/aforesaid".to_owned(), args: vec!["mcp".to_owned()] }
    }

    #[test]
    fn a_comment_behind_the_table_stays() {
        let text = "a = 1\n\n[mcp_servers.aforesaid]\ncommand = \"x\"\n\n# of b\n[b]\nc = 2\n# the end\n";
        assert_eq!(remove(text).unwrap(), "a = 1\n\n# of b\n[b]\nc = 2\n# the end\n");
        let last = "[mcp_servers.aforesaid]\ncommand = \"x\"\n# the end\n";
        assert_eq!(remove(last).unwrap(), "# the end\n");
    }

    #[test]
    fn servers_in_braces_are_left_as_they_are() {
        let text = "mcp_servers = { other = { command = \"x\" } }\n";
        assert!(matches!(set(text, &server()), Err(EditError::OtherForm)));
        assert_eq!(remove(text).unwrap(), text);
    }

    #[test]
    fn a_table_of_ones_own_is_put_back_as_it_was() {
        let own = "[mcp_servers.aforesaid]\n# mine\ncommand = 'mine'\n\n[mcp_servers.aforesaid.env]\nA = \"b\"\n";
        let earlier = format!("a = 1\n\n{own}");
        let installed = set(&earlier, &server()).unwrap();
        assert_eq!(installed, "a = 1\n\n[mcp_servers.aforesaid]\ncommand = \"/opt/aforesaid\"\nargs = [\"mcp\"]\n");
        assert_eq!(restore(&installed, &earlier).unwrap(), earlier);
        let changed = format!("{installed}\n[more]\nb = 2\n");
        assert_eq!(restore(&changed, &earlier).unwrap(), format!("a = 1\n\n[more]\nb = 2\n\n{own}"));
        assert_eq!(restore(&changed, "a = 1\n").unwrap(), "a = 1\n\n[more]\nb = 2\n");
        // What somebody took out stays out.
        assert_eq!(restore("a = 1\n", &earlier).unwrap(), "a = 1\n");
    }
}
