//! Markdown as a terminal shows it: tables with their columns under each other, headings without signs.

use super::STRONG;
use crate::wrap::columns;

/// The lines of a report for a terminal.
pub(crate) fn aligned(markdown: &str) -> Vec<String> {
    let (mut lines, mut table) = (Vec::new(), Vec::new());
    for line in markdown.lines() {
        match cells(line) {
            Some(row) => table.push(row),
            None => {
                lines.append(&mut columns_of(&table));
                table.clear();
                lines.push(match line.trim_start_matches('#') {
                    heading if heading.len() < line.len() && heading.starts_with(' ') => {
                        format!("{STRONG}{}{STRONG:#}", plain(heading.trim()))
                    }
                    _ => plain(line),
                });
            }
        }
    }
    lines.append(&mut columns_of(&table));
    lines
}

/// The cells of a row of a table; none of any other line.
fn cells(line: &str) -> Option<Vec<String>> {
    let mut rest = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = Vec::new();
    let mut from = 0;
    while let Some(at) = rest[from..].find(['\\', '|']) {
        let at = from + at;
        if rest[at..].starts_with('\\') {
            // What is escaped ends no cell.
            from = at + 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8);
            continue;
        }
        cells.push(plain(rest[..at].trim()));
        rest = &rest[at + 1..];
        from = 0;
    }
    cells.push(plain(rest.trim()));
    Some(cells)
}

/// Text without the signs that keep Markdown from reading it.
fn plain(text: &str) -> String {
    let (mut made, mut escaped) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            c => {
                made.push(c);
                escaped = false;
            }
        }
    }
    made
}

/// Rows of a table as lines: numbers to the right, all else to the left.
fn columns_of(table: &[Vec<String>]) -> Vec<String> {
    let is_rule =
        |row: &&Vec<String>| row.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| "-:".contains(c)));
    let rows: Vec<&Vec<String>> = table.iter().filter(|row| !is_rule(row)).collect();
    let count = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
    let widths: Vec<usize> =
        (0..count).map(|column| rows.iter().map(|row| columns(&cell(row, column))).max().unwrap_or(0)).collect();
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let numeric: Vec<bool> = (0..count)
        .map(|column| rows.iter().skip(1).all(|row| cell(row, column).is_empty() || is_number(&cell(row, column))))
        .collect();
    let line = |(number, row): (usize, &&Vec<String>)| {
        let cells = (0..count).map(|column| {
            let text = cell(row, column);
            let space = " ".repeat(widths[column] - columns(&text));
            if numeric[column] { space + &text } else { text + &space }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        if number == 0 { format!("{STRONG}{line}{STRONG:#}") } else { line.to_owned() }
    };
    rows.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other() {
        let report =
            "# A \\*report\\*\n\n| system | hit@1 |\n|---|---|\n| a\\|b | 0.5 |\n| \u{732b} | 12.25 |\n\nEnd \\[1\\].";
        let head = format!("{STRONG}system  hit@1{STRONG:#}");
        let title = format!("{STRONG}A *report*{STRONG:#}");
        let expected = [title.as_str(), "", &head, "a|b       0.5", "\u{732b}      12.25", "", "End [1]."];
        assert_eq!(aligned(report), expected);
        assert_eq!(aligned("| a |"), [format!("{STRONG}a{STRONG:#}")]);
        assert_eq!(cells("| a \\"), None);
    }
}
