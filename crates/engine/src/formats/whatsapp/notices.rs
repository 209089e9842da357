//! What stands in a chat that nobody said: notices of the program, and what it writes in the place of a picture.

/// The mark that an iPhone puts before what the program wrote itself.
const WRITTEN_BY_PROGRAM: char = '\u{200e}';

/// What is left of a message where something was deleted, missed, or shown once. An Android telephone marks none of these.
const INSTEAD: &[&str] = &[
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
    "este mensaje fue eliminado",
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
    "mensagem apagada",
    "você apagou esta mensagem",
    "chamada de voz perdida",
    "dit bericht is verwijderd",
    "je hebt dit bericht verwijderd",
    "gemiste spraakoproep",
    "ta wiadomość została usunięta",
    "usunięto tę wiadomość",
    "usunięto wiadomość",
    "nieodebrane połączenie głosowe",
    "nieodebrane połączenie wideo",
    "данное сообщение удалено",
    "вы удалили данное сообщение",
    "bu mesaj silindi",
    "bu mesajı sildiniz",
    "det här meddelandet raderades",
    "du raderade det här meddelandet",
    "denne besked blev slettet",
    "denne meldingen ble slettet",
    "tämä viesti poistettiin",
    "tato zpráva byla odstraněna",
    "此消息已删除",
    "你已删除此消息",
    "このメッセージは削除されました",
    "삭제된 메시지입니다",
];

/// Beginnings of the words by which a message is said to have been changed. An Android telephone puts no mark before them.
const CHANGED: &[&str] =
    &["edit", "bearbeit", "modifi", "bewerkt", "edyt", "измен", "отредакт", "düzenlen", "redig", "upraven", "muokat"];

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
        // A place that was sent is an address of a map.
        () if by_program && plain.contains("https://") => Said::Words(plain),
        () if by_program || INSTEAD.contains(&plain.trim_end_matches('.').to_lowercase().as_str()) => Said::Notice,
        () => Said::Words(plain),
    }
}

/// A message without `<This message was edited>` at its end: in whatever language where a mark stands before it, else where its
/// words say so.
fn without_mark_of_change(text: &str) -> &str {
    let Some((words, mark)) = text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) else { return text };
    let says_so = || {
        let said = mark.to_lowercase();
        said.contains(' ') && said.split(' ').any(|word| CHANGED.iter().any(|changed| word.starts_with(changed)))
    };
    let is_mark = words.ends_with(WRITTEN_BY_PROGRAM) || says_so();
    let words = words.trim_end_matches(|c: char| c == WRITTEN_BY_PROGRAM || c.is_whitespace());
    if is_mark && !words.is_empty() { words } else { text }
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
        for notice in [
            "\u{200e}Ann hat das Gruppenbild geändert.",
            "Diese Nachricht wurde gelöscht.",
            "Ta wiadomość została usunięta",
            "null",
        ] {
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
        for (edited, words) in [
            ("It jams. \u{200e}<This message was edited>", "It jams."),
            ("o ósmej <Wiadomość edytowano>", "o ósmej"),
            ("a las ocho <Se editó este mensaje.>", "a las ocho"),
            ("I edit <b> and <This is not it>", "I edit <b> and <This is not it>"),
            ("see <edited>", "see <edited>"),
            ("\u{200e}Location: https://maps.google.com/?q=1.5,2.5", "Location: https://maps.google.com/?q=1.5,2.5"),
        ] {
            assert_eq!(said(edited), Said::Words(words), "{edited}");
        }
        assert_eq!(
            said("\u{200e}POLL:\nWho comes?\n\u{200e}OPTION: Ann"),
            Said::Words("POLL:\nWho comes?\n\u{200e}OPTION: Ann")
        );
    }
}
