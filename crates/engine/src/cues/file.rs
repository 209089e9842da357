//! Files of cue questions: a memory a line, as `{"conversation": …, "id": …, "q": […], "model": …, "prompt": …}`.
//!
//! `id` and `q` are enough. Empty lines mean nothing.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::Write,
};

use aforesaid_core::{
    types::{ConversationId, CueSource, MemoryId, Namespace, Scope},
    visible::escaped_json,
};
use serde::{Deserialize, Serialize};

use super::add::{AddedCues, CueDraft, CueIndexing, checked};
use crate::{
    error::Error,
    formats,
    ingest::Progress,
    memory::{Memory, Target},
};

const LINE: &str = r#"one object such as {"id": "D1:3", "q": ["Who has the kite?"]}, with "conversation", "model" and "prompt" where they are known"#;

/// What is known of a file besides its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CueFile<'a> {
    /// Its name, as messages show it.
    pub name: &'a str,
    /// The conversation of lines that name none; `None` where their ids stand in one only.
    pub conversation: Option<ConversationId>,
    /// Model and prompt of lines that do not name theirs.
    pub source: CueSource,
}

/// A line of a file: questions, and where they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CueLine {
    /// The memory and its questions.
    pub draft: CueDraft,
    /// Who wrote them, and how they were asked to.
    pub source: CueSource,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<ConversationId>,
    id: MemoryId,
    q: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
}

/// Reads a whole file of cue questions.
///
/// # Errors
/// When it is no UTF-8 text, a line is none of a cue file or holds questions that cannot be kept, or two lines are
/// about one memory.
pub fn read_cue_file(bytes: &[u8], file: &CueFile<'_>) -> Result<Vec<CueLine>, Error> {
    let text = formats::decode(bytes, file.name)?;
    let (mut lines, mut places) = (Vec::new(), HashMap::new());
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let refused = |(found, expected)| Error::CueFile { file: file.name.to_owned(), line: number, found, expected };
        let Line { conversation, id, q, model, prompt } = read_line(line).map_err(refused)?;
        let questions = checked(&q).map_err(refused)?;
        let conversation = conversation.or_else(|| file.conversation.clone());
        if let Some(first) = places.insert((conversation.clone(), id.clone()), number) {
            let found = format!("id {:?}, which line {first} has too", id.as_str());
            return Err(refused((found, "each memory once, with all its questions".to_owned())));
        }
        let CueSource { model: usual_model, prompt: usual_prompt } = file.source.clone();
        let source = CueSource { model: model.unwrap_or(usual_model), prompt: prompt.unwrap_or(usual_prompt) };
        lines.push(CueLine { draft: CueDraft { id, conversation, questions }, source });
    }
    Ok(lines)
}

fn read_line(line: &str) -> Result<Line, (String, String)> {
    let refused = |found: String| (found, LINE.to_owned());
    // An array would pass for the fields of an object in their order.
    if !line.trim_start().starts_with('{') {
        return Err(refused("no object".to_owned()));
    }
    serde_json::from_str(line).map_err(|error| refused(without_place(&error)))
}

/// What the JSON reader says, short and without its line, which is always 1.
fn without_place(error: &serde_json::Error) -> String {
    const SHOWN: usize = 120;
    let said = error.to_string();
    let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
    match said.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &said[..end]),
        None => said.to_owned(),
    }
}

impl Memory {
    /// The conversation a file is named after, where there is one of that name.
    ///
    /// # Errors
    /// When the namespace does not exist or the store fails.
    pub fn conversation_named(&self, namespace: &Namespace, stem: &str) -> Result<Option<ConversationId>, Error> {
        let Ok(name) = ConversationId::new(stem) else { return Ok(None) };
        let scope = Scope { conversation: Some(name.clone()), ..Scope::default() };
        match self.count(namespace, &Target::Within(scope)) {
            Ok(_) => Ok(Some(name)),
            Err(Error::EmptyScope { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives memories the cue questions of files, in the place of those they have; as [`Memory::add_cues`].
    ///
    /// # Errors
    /// As [`Memory::add_cues`], and when two lines are about one memory.
    pub fn import_cues(
        &self,
        namespace: &Namespace,
        lines: &[CueLine],
        indexing: CueIndexing,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<AddedCues, Error> {
        self.must_exist(namespace)?;
        let mut by_source: BTreeMap<&CueSource, Vec<&CueDraft>> = BTreeMap::new();
        for line in lines {
            by_source.entry(&line.source).or_default().push(&line.draft);
        }
        let (mut added, mut seen) = (AddedCues::default(), HashSet::new());
        let mut cues = Vec::with_capacity(by_source.len());
        for (source, drafts) in by_source {
            let new = self.find_drafts(namespace, drafts, &mut added.unknown)?;
            if let Some((memory, _)) = new.iter().find(|(memory, _)| !seen.insert(memory.seq)) {
                let (found, expected) = ("two lines about it".to_owned(), "each memory once".to_owned());
                return Err(Error::InvalidCues { id: memory.id.clone(), found, expected });
            }
            cues.push((source.clone(), new));
        }
        self.add_found(namespace, &cues, indexing, progress, added)
    }

    /// Writes the cues of a scope as lines that [`read_cue_file`] reads; says how many.
    ///
    /// # Errors
    /// When the namespace or a named part of it does not exist, the store fails, or `out` does.
    pub fn export_cues(&self, namespace: &Namespace, scope: &Scope, out: &mut dyn Write) -> Result<u64, Error> {
        let (mut visited, mut written) = (0, 0);
        self.must_exist(namespace)?;
        self.try_visit_cues(namespace, scope, &mut |cued| {
            visited += 1;
            let Some(cues) = cued.cues else { return Ok(()) };
            let line = Line {
                conversation: cued.memory.conversation,
                id: cued.memory.id,
                q: cues.questions,
                model: Some(cues.source.model),
                prompt: Some(cues.source.prompt),
            };
            let line = serde_json::to_string(&line).map_err(std::io::Error::other);
            written += 1;
            line.and_then(|line| writeln!(out, "{}", escaped_json(&line))).map_err(Error::Write)
        })?;
        self.some_of(namespace, scope, visited)?;
        Ok(written)
    }
}
