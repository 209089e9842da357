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
    let mut text = remove(text)?;
    let string = |text: &str| toml::Value::from(text).to_string();
    let args: Vec<String> = server.args.iter().map(|arg| string(arg)).collect();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str(&format!("{}\ncommand = {}\nargs = [{}]\n", header(), string(&server.command), args.join(", ")));
    read(&text).map(|_| text)
}

/// The text without the table.
pub(super) fn remove(text: &str) -> Result<String, EditError> {
    if get(text)?.is_none() {
        return Ok(text.to_owned());
    }
    let below = format!("[mcp_servers.{SERVER}.");
    let (mut kept, mut is_in) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        if start.starts_with('[') {
            is_in = start.starts_with(&header()) || start.starts_with(&below);
        }
        if !is_in {
            kept.push_str(line);
        }
    }
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
