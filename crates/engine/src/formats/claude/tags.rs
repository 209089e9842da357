//! Artifacts and thoughts that older exports have between tags in the text of a message.

/// A part of what an assistant wrote.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    Said(&'t str),
    Thought,
    Artifact(WrittenArtifact<'t>),
}

/// An artifact between tags: the whole of it, each time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenArtifact<'t> {
    /// What the program calls it.
    pub(super) key: &'t str,
    pub(super) title: &'t str,
    pub(super) kind: &'t str,
    pub(super) text: &'t str,
}

const ARTIFACT: [&str; 2] = ["<antArtifact", "</antArtifact>"];
const THOUGHT: [&str; 2] = ["<antThinking>", "</antThinking>"];
/// What has more is no tag: each that begins within it would be read to its end.
const MOST_ATTRIBUTES: usize = 20;

/// The parts of a text, in order. An artifact that does not end was cut off, and goes on to the end of the text; any other tag
/// that does not end is something said, and so is an artifact without an identifier.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut said, mut rest) = (text, text);
    // Looked for once, not after every tag that begins.
    let after_last_thought = text.rfind(THOUGHT[1]).map_or(text.len(), |at| text.len() - at);
    while let Some(at) = rest.find("<ant") {
        let tag = &rest[at..];
        let thought = if tag.len() > after_last_thought { thought(tag) } else { None };
        let Some((part, after)) = thought.or_else(|| artifact(tag)) else {
            rest = &tag["<ant".len()..];
            continue;
        };
        parts.extend([Part::Said(&said[..said.len() - tag.len()]), part]);
        (said, rest) = (after, after);
    }
    parts.push(Part::Said(said));
    parts.retain(|part| !matches!(part, Part::Said(said) if said.trim().is_empty()));
    parts
}

fn thought(tag: &str) -> Option<(Part<'_>, &str)> {
    let (_, after) = tag.strip_prefix(THOUGHT[0])?.split_once(THOUGHT[1])?;
    Some((Part::Thought, after))
}

fn artifact(tag: &str) -> Option<(Part<'_>, &str)> {
    let mut rest = tag.strip_prefix(ARTIFACT[0]).filter(|rest| rest.starts_with([' ', '\n', '>']))?;
    let mut artifact = WrittenArtifact::default();
    for _ in 0..=MOST_ATTRIBUTES {
        rest = rest.trim_start();
        if let Some(begun) = rest.strip_prefix('>').filter(|_| !artifact.key.is_empty()) {
            let (text, after) = begun.split_once(ARTIFACT[1]).unwrap_or((begun, ""));
            return Some((Part::Artifact(WrittenArtifact { text: text.trim_matches('\n'), ..artifact }), after));
        }
        let after_name = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-'));
        let name = &rest[..rest.len() - after_name.len()];
        let (value, after) = after_name.strip_prefix("=\"")?.split_once('"')?;
        match name {
            "identifier" => artifact.key = value,
            "title" => artifact.title = value,
            "type" => artifact.kind = value,
            _ => {}
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn artifacts_and_thoughts_are_told_from_what_is_said() {
        let text = "Sure.\n\n<antThinking>A plan fits.</antThinking>\n\n<antArtifact identifier=\"plan\" type=\"text/markdown\" \
                    title=\"Beds > pots\" language=\"en\">\nKale.\n</antArtifact>\nShall I go on?";
        let artifact = WrittenArtifact { key: "plan", title: "Beds > pots", kind: "text/markdown", text: "Kale." };
        assert_eq!(
            parts(text),
            [Part::Said("Sure.\n\n"), Part::Thought, Part::Artifact(artifact), Part::Said("\nShall I go on?")]
        );
    }

    #[test]
    fn what_was_cut_off_is_kept_and_what_is_no_tag_is_said() {
        let cut = WrittenArtifact { key: "a", text: "Kale.", ..WrittenArtifact::default() };
        assert_eq!(parts("<antArtifact identifier=\"a\">Kale."), [Part::Artifact(cut)]);
        for text in [
            "<antThinking>hm",
            "<antArtifacts are new",
            "<antArtifact is a tag",
            "an <ant",
            "<antArtifact a b=\"c\">",
            "<antArtifact title=\"a\">Kale.</antArtifact>",
        ] {
            assert_eq!(parts(text), [Part::Said(text)]);
        }
    }

    /// Each was looked for from where it began.
    #[test]
    fn many_tags_that_do_not_end_are_said() {
        for tag in ["<antThinking>", "<antArtifact ", "<antArtifact a=\""] {
            let text = tag.repeat(200_000);
            assert_eq!(parts(&text), [Part::Said(text.as_str())]);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "(<antArtifact|<antThinking>|</antArtifact>|</antThinking>| a=\"|\"|>|<|\\PC){0,12}") {
            let _ = parts(&text);
        }
    }
}
