//! The `projects.json` of a Claude data export: what a project is about, and its documents, as notes.

use aforesaid_core::types::{Draft, Importance, Note, Sensitivity, Timestamp};
use serde_json::Value;

use super::{
    FormatError, Intake, Place, SkipReason, Spot,
    elements::{Element, each},
    record::{JsonFields, name},
};

/// A label of every note.
const TAG: &str = "project";

/// Reads the projects.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    each(text, intake.file(), |element| {
        let (number, project) = match element {
            Element::Whole(project) => (1, project),
            Element::Item(number, project) => (number, project),
        };
        read_project(project, Spot::project(number), intake)
    })
}

fn read_project(project: Value, spot: Spot, intake: &mut Intake) -> Result<(), FormatError> {
    let place = intake.place(spot);
    let mut project = JsonFields::of(project, "the project", place)?;
    // It came with the account, and nobody wrote it.
    if project.take("is_starter_project") == Some(Value::Bool(true)) {
        intake.skip(spot, SkipReason::UnsupportedContent("starter project".to_owned()));
        return Ok(());
    }
    let id = project.required_text("uuid")?;
    let title = project.text("name")?.unwrap_or_default();
    let about = [project.text("description")?, project.text("prompt_template")?];
    let about: Vec<String> = about.into_iter().flatten().filter(|text| !text.trim().is_empty()).collect();
    let created_at = project.time("created_at")?;
    let text = match about.is_empty() {
        true => format!("Project \"{title}\""),
        false => format!("Project \"{title}\":\n\n{}", about.join("\n\n")),
    };
    intake.keep_exported_note(note(format!("project:{id}"), text, created_at, place)?, spot)?;
    for (index, document) in project.array("docs")?.unwrap_or_default().into_iter().enumerate() {
        let spot = spot.message(index + 1);
        let mut document = JsonFields::of(document, "the document", intake.place(spot))?;
        let file = document.text("filename")?.unwrap_or_default();
        let content = document.text("content")?.unwrap_or_default();
        if content.trim().is_empty() {
            intake.skip(spot, SkipReason::EmptyText);
            continue;
        }
        let text = format!("Document \"{file}\" of project \"{title}\":\n\n{content}");
        let id = match document.text("uuid")? {
            Some(id) => id,
            None => format!("project:{id}:{}", index + 1),
        };
        let said_at = document.time("created_at")?.or(created_at);
        intake.keep_exported_note(note(id, text, said_at, intake.place(spot))?, spot)?;
    }
    Ok(())
}

fn note(id: String, text: String, said_at: Option<Timestamp>, place: Place<'_>) -> Result<Draft, FormatError> {
    Ok(Draft::Note(Note {
        id: Some(name(id, "uuid", place)?),
        conversation: None,
        text,
        said_at,
        importance: Importance::default(),
        tags: vec![TAG.to_owned()],
        sensitivity: Sensitivity::default(),
        source: Vec::new(),
    }))
}
