//! The parts of a study's report.

use serde_json::{Value, json};

use crate::figures::Figure;
use aforesaid_eval::reports::Table;

/// A table or a figure under a title.
pub struct Section {
    /// What it shows.
    pub title: String,
    /// What a reader should know, in Markdown.
    pub note: String,
    /// Its figures as a table, where it has any.
    pub table: Option<Table>,
    /// File stem and drawing of its figure, where it has one.
    pub figure: Option<(String, Figure)>,
}

/// A whole study.
pub struct Study {
    /// Its name.
    pub title: String,
    /// Data, encoder and protocol, in Markdown.
    pub preface: String,
    /// Its tables and figures, in order.
    pub sections: Vec<Section>,
    /// One row a question and system, as CSV.
    pub questions: String,
}

impl Section {
    pub(super) fn table(title: impl Into<String>, note: impl Into<String>, table: Table) -> Self {
        Self { title: title.into(), note: note.into(), table: Some(table), figure: None }
    }

    pub(super) fn figure(title: impl Into<String>, note: impl Into<String>, stem: &str, figure: Figure) -> Self {
        Self { title: title.into(), note: note.into(), table: None, figure: Some((stem.to_owned(), figure)) }
    }

    pub(super) fn note(title: impl Into<String>, note: impl Into<String>) -> Self {
        Self { title: title.into(), note: note.into(), table: None, figure: None }
    }
}

impl Study {
    /// The study as Markdown; figures are linked as `<stem>.svg`.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}\n", self.title, self.preface);
        for Section { title, note, table, figure } in &self.sections {
            text.push_str(&format!("\n## {title}\n\n"));
            if !note.is_empty() {
                text.push_str(&format!("{note}\n\n"));
            }
            if let Some(table) = table {
                text.push_str(&table.to_string());
            }
            if let Some((stem, _)) = figure {
                text.push_str(&format!("![{title}]({stem}.svg)\n"));
            }
        }
        text
    }

    /// The study as JSON.
    pub fn to_json(&self) -> Value {
        let section = |section: &Section| {
            json!({
                "title": section.title,
                "note": section.note,
                "table": section.table,
                "figure": section.figure.as_ref().map(|(stem, _)| stem),
            })
        };
        json!({
            "title": self.title,
            "preface": self.preface,
            "sections": self.sections.iter().map(section).collect::<Vec<_>>(),
        })
    }
}
