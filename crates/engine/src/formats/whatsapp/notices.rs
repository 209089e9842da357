//! What stands in a chat that nobody said: notices of the program, and what it writes in the place of a picture.

/// The mark that an iPhone puts before what the program wrote itself.
const WRITTEN_BY_PROGRAM: char = '\u{200e}';

/// What is left of a message where something was deleted, missed, or shown once. An Android telephone marks none of these.
const INSTEAD: [&str; 27] = [
    "null",
    "this message was deleted",
    "you deleted this message",
    "missed voice call",
    "missed video call",
    "diese nachricht wurde gelöscht",
    "du hast diese nachricht gelöscht",
    "verpasster sprachanruf",
    "verpasster videoanruf",
    "se eliminó este mensaje",
    "eliminaste este mensaje",
    "llamada perdida",
    "videollamada perdida",
    "ce message a été supprimé",
    "vous avez supprimé ce message",
    "appel vocal manqué",
    "appel vidéo manqué",
    "questo messaggio è stato eliminato",
    "hai eliminato questo messaggio",
    "chiamata vocale persa",
    "esta mensagem foi apagada",
    "esta mensagem foi excluída",
    "você apagou esta mensagem",
    "chamada de voz perdida",
    "dit bericht is verwijderd",
    "je hebt dit bericht verwijderd",
    "gemiste spraakoproep",
];

/// What a message says, as it stands behind the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said<'t> {
    /// Somebody said this.
    Words(&'t str),
    /// A picture or another file came without words.
    Attachment,
    /// The program wrote it.
    Notice,
}

/// Tells what a message says from what the program wrote.
pub(super) fn said(text: &str) -> Said<'_> {
    let text = text.trim();
    let by_program = text.starts_with(WRITTEN_BY_PROGRAM) && !text.contains('\n');
    let plain = without_mark_of_change(text).trim_matches(WRITTEN_BY_PROGRAM).trim();
    let (first, rest) = plain.split_once('\n').unwrap_or((plain, ""));
    if is_attached(first) {
        // What was written below a picture follows its name.
        return if rest.trim().is_empty() { Said::Attachment } else { Said::Words(rest.trim()) };
    }
    match () {
        () if is_left_out(plain) => Said::Attachment,
        () if by_program || INSTEAD.contains(&plain.trim_end_matches('.').to_lowercase().as_str()) => Said::Notice,
        () => Said::Words(plain),
    }
}

/// A message without `<This message was edited>` at its end, in whatever language.
fn without_mark_of_change(text: &str) -> &str {
    match text.rsplit_once(WRITTEN_BY_PROGRAM) {
        Some((words, mark)) if mark.starts_with('<') && mark.ends_with('>') && !words.trim().is_empty() => {
            words.trim_end()
        }
        _ => text,
    }
}

/// `IMG-20240706-WA0001.jpg (file attached)`, in whatever language; `<attached: 0001-PHOTO.jpg>`.
fn is_attached(line: &str) -> bool {
    let line = line.trim().trim_matches(WRITTEN_BY_PROGRAM);
    let named = line.strip_suffix(')').and_then(|line| line.rsplit_once(" ("));
    named.is_some_and(|(file, note)| is_file_name(file) && !note.contains(|c: char| c.is_ascii_digit()))
        || line.starts_with('<') && line.strip_suffix('>').is_some_and(|line| line.split(' ').any(is_file_name))
}

/// A name without spaces, with an extension; no address of a page.
fn is_file_name(text: &str) -> bool {
    let is_inside = |c: char| !c.is_whitespace() && c != '/';
    let extension = text.rsplit_once('.').filter(|(name, _)| !name.is_empty() && text.chars().all(is_inside));
    extension.is_some_and(|(_, end)| (2..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// `<Media omitted>`, in whatever language, and `image omitted`.
fn is_left_out(text: &str) -> bool {
    let words = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    let is_words = |text: &str| text.contains(' ') && text.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '-');
    words.is_some_and(is_words) || text.ends_with(" omitted") && !text.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_said_is_told_from_words() {
        for words in [
            "Ann: <3",
            "See <b>this</b>",
            "<https://example.org/a.html>",
            "I omitted it.",
            "null and void",
            "It costs 3.50 (about)",
            "v1.2 (new)",
        ] {
            assert_eq!(said(words), Said::Words(words));
        }
        for notice in ["\u{200e}Ann hat das Gruppenbild geändert.", "Diese Nachricht wurde gelöscht.", "null"] {
            assert_eq!(said(notice), Said::Notice, "{notice}");
        }
        let attachments = [
            "<Medien ausgeschlossen>",
            "<Multimedia omitido>",
            "\u{200e}image omitted",
            "\u{200e}<attached: 0001-P.jpg>",
        ];
        for attachment in attachments {
            assert_eq!(said(attachment), Said::Attachment, "{attachment}");
        }
        assert_eq!(said("IMG-1.jpg (Datei angehängt)"), Said::Attachment);
        assert_eq!(said("IMG-1.jpg (file attached)\nThe reel"), Said::Words("The reel"));
        assert_eq!(said("It jams. \u{200e}<This message was edited>"), Said::Words("It jams."));
        assert_eq!(
            said("\u{200e}POLL:\nWho comes?\n\u{200e}OPTION: Ann"),
            Said::Words("POLL:\nWho comes?\n\u{200e}OPTION: Ann")
        );
    }
}
