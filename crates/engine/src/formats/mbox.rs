//! A mailbox as mbox: messages after each other, each begun by a line `From SENDER DATE`.
//!
//! A thread is a session, by `References` and `In-Reply-To`, else by the subject of what says that it is a reply. Plain text
//! is preferred to a web page. Lines that are quoted from another message are left out.

use std::collections::{HashMap, HashSet};

use aforesaid_core::types::{MemoryId, SessionId, Timestamp, Turn};
use mail_parser::{HeaderValue, Message, MessageParser};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{FormatError, Intake, SkipReason, Spot, record::name, refusal::Refusal, titles::Titles};

/// Bytes of an id that is kept as it is.
const MOST_ID: usize = 200;

/// Whether bytes begin as a mailbox does.
pub(super) fn begins(bytes: &[u8]) -> bool {
    begins_message(bytes)
}

/// Whether a message begins here: `From `, and a header field in the next line. A sentence may begin with the word, too.
fn begins_message(bytes: &[u8]) -> bool {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n').filter(|_| bytes.starts_with(b"From ")) else {
        return false;
    };
    let next = &bytes[end + 1..];
    let name = next.iter().take_while(|byte| (33..127).contains(*byte) && **byte != b':').count();
    // Some programs repeat their own mark as `>From ` before the first field.
    name > 0 && next.get(name) == Some(&b':') || next.starts_with(b">From ")
}

/// The messages of a mailbox: the number of the line that each begins in, and its bytes.
fn messages(bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let (mut starts, mut is_after_blank, mut at) = (Vec::new(), true, 0);
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if is_after_blank && begins_message(&bytes[at..]) {
            starts.push((number + 1, at, at + line.len()));
        }
        is_after_blank = line.trim_ascii().is_empty();
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(_, start, _)| *start).chain([bytes.len()]);
    starts.iter().zip(ends).map(|((line, _, begin), end)| (*line, &bytes[*begin..end])).collect()
}

/// A message without the signs that keep its lines from beginning another.
fn unescaped(message: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        let signs = line.iter().take_while(|byte| **byte == b'>').count();
        let is_escaped = signs > 0 && line[signs..].starts_with(b"From ");
        plain.extend_from_slice(if is_escaped { &line[1..] } else { line });
    }
    plain
}

/// What is read of a message.
struct Mail {
    line: usize,
    id: String,
    /// The messages that it answers, the first first.
    references: Vec<String>,
    subject: String,
    is_reply: bool,
    speaker: String,
    address: Option<String>,
    said_at: Option<Timestamp>,
    text: Result<String, SkipReason>,
}

/// Reads a mailbox.
pub(super) fn read(bytes: &[u8], intake: &mut Intake) -> Result<(), FormatError> {
    let conversation = intake.source().conversation()?;
    let parser = MessageParser::default();
    let (mut mails, mut first): (Vec<Mail>, HashMap<String, usize>) = Default::default();
    for (line, bytes) in messages(bytes) {
        let spot = Spot::line(line);
        let bytes = unescaped(bytes);
        let Some(message) = parser.parse(&bytes) else {
            intake.skip(spot, SkipReason::UnknownType("message that cannot be read".to_owned()));
            continue;
        };
        let mail = mail(&message, line);
        match first.get(&mail.id) {
            // A message to several folders or lists is there several times, and not always the same to the last byte.
            Some(first) => {
                let first = Spot::line(*first).to_string();
                intake.skip(spot, SkipReason::Repeated { id: mail.id, first });
            }
            None => {
                first.insert(mail.id.clone(), line);
                mails.push(mail);
            }
        }
    }
    let threads = threads(&mails);
    let mut titles: HashMap<SessionId, Titles> = HashMap::new();
    for (mail, thread) in mails.into_iter().zip(threads) {
        let spot = Spot::line(mail.line);
        let session: SessionId = name(thread, "thread", intake.place(spot))?;
        let id: MemoryId = name(mail.id, "Message-ID", intake.place(spot))?;
        let turn = match mail.text {
            Err(why) => Err(Refusal::from(why)),
            Ok(text) => {
                let title =
                    titles.entry(session.clone()).or_insert_with(|| Titles::new(Some(base(&mail.subject).to_owned())));
                let meta = mail.address.map(|address| Map::from_iter([("from".to_owned(), Value::from(address))]));
                Ok(Turn {
                    id: Some(id),
                    said_at: mail.said_at,
                    title: title.next(&session),
                    meta,
                    ..Turn::new(conversation.clone(), session, mail.speaker, text)
                })
            }
        };
        intake.keep_exported(turn, spot)?;
    }
    Ok(())
}

fn mail(message: &Message<'_>, line: usize) -> Mail {
    let sender = message.from().and_then(|from| from.first());
    let trimmed = |text: Option<&str>| {
        let text: String = text.unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let address = trimmed(sender.and_then(|sender| sender.address()));
    let speaker = trimmed(sender.and_then(|sender| sender.name())).or_else(|| address.clone());
    let subject = trimmed(message.subject()).unwrap_or_default();
    let text = text(message);
    let mut references = ids(message.references());
    for id in ids(message.in_reply_to()) {
        if !references.contains(&id) {
            references.push(id);
        }
    }
    let date = message.date().filter(|date| date.is_valid());
    let said_at = date.and_then(|date| Timestamp::from_seconds(date.to_timestamp() as f64).ok());
    let id = match message.message_id().map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => label(id),
        // What has no id is known by what it says.
        None => hashed(&format!("{said_at:?}\n{speaker:?}\n{subject}\n{text:?}")),
    };
    Mail {
        line,
        id,
        references,
        is_reply: base(&subject) != subject,
        subject,
        speaker: speaker.unwrap_or_else(|| "unknown".to_owned()),
        address,
        said_at,
        text,
    }
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    let all = value.as_text_list().unwrap_or_default().iter();
    all.map(|id| id.trim()).filter(|id| !id.is_empty()).map(label).collect()
}

/// An id as it is kept.
fn label(id: &str) -> String {
    if id.len() <= MOST_ID && !id.chars().any(char::is_control) { id.to_owned() } else { hashed(id) }
}

fn hashed(text: &str) -> String {
    let digits: String = Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("mail-{digits}")
}

/// A subject without what programs put before that of an answer.
fn base(subject: &str) -> &str {
    let mut rest = subject.trim();
    loop {
        let Some((mark, after)) = rest.split_once(':') else { return rest };
        let mark = mark.trim_end_matches(|c: char| c.is_ascii_digit() || "[]()".contains(c));
        if !["re", "aw", "fw", "fwd", "wg", "sv", "rv"].iter().any(|known| mark.eq_ignore_ascii_case(known)) {
            return rest;
        }
        rest = after.trim_start();
    }
}

/// The name of the thread of each message: the id of the first message of it that any names.
fn threads(mails: &[Mail]) -> Vec<String> {
    let mut parents: HashMap<&str, &str> = HashMap::new();
    for mail in mails {
        let chain = mail.references.iter().chain([&mail.id]).map(String::as_str);
        let chain: Vec<&str> = chain.collect();
        for pair in chain.windows(2) {
            if let [parent, id] = pair
                && parent != id
            {
                parents.entry(id).or_insert(parent);
            }
        }
    }
    let mut begun: HashMap<&str, &str> = HashMap::new();
    for mail in mails.iter().filter(|mail| mail.references.is_empty() && !mail.is_reply) {
        begun.entry(base(&mail.subject)).or_insert(&mail.id);
    }
    let mut known: HashMap<&str, &str> = HashMap::new();
    let mut root = |id| {
        let (mut at, mut path, mut seen) = (id, Vec::new(), HashSet::new());
        // Ids that answer each other in a ring end where it closes.
        while let Some(parent) = parents.get(at).copied().filter(|_| !known.contains_key(at) && seen.insert(at)) {
            path.push(at);
            at = parent;
        }
        let root = known.get(at).copied().unwrap_or(at);
        for id in path {
            known.insert(id, root);
        }
        root
    };
    let thread = |mail: &Mail| {
        let subject = base(&mail.subject);
        let first = begun.get(subject).filter(|_| mail.references.is_empty() && mail.is_reply && !subject.is_empty());
        first.map_or(mail.id.as_str(), |first| first).to_owned()
    };
    let firsts: Vec<String> = mails.iter().map(thread).collect();
    mails
        .iter()
        .zip(&firsts)
        .map(|(mail, first)| if *first == mail.id { root(mail.id.as_str()).to_owned() } else { first.clone() })
        .collect()
}

/// What a message says, without what it quotes.
fn text(message: &Message<'_>) -> Result<String, SkipReason> {
    let parts = (0..message.text_body_count()).filter_map(|part| message.body_text(part));
    let whole = parts.collect::<Vec<_>>().join("\n\n").replace("\r\n", "\n");
    if whole.trim().is_empty() {
        return Err(match message.attachment_count() {
            0 => SkipReason::EmptyText,
            _ => SkipReason::OnlyAttachments,
        });
    }
    let said = unquoted(&whole);
    if said.is_empty() { Err(SkipReason::NothingSaid("only quoted text".to_owned())) } else { Ok(said) }
}

/// A text without lines that begin with `>`, the line that says whose they are, and a whole message that follows a mark.
fn unquoted(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut is_quoted = false;
    for line in text.lines() {
        if line.starts_with('>') {
            if !is_quoted {
                drop_introduction(&mut kept);
            }
            is_quoted = true;
            continue;
        }
        if is_mark(line) {
            break;
        }
        // Empty lines among those that are quoted are, too.
        if !(is_quoted && line.trim().is_empty()) {
            is_quoted = false;
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Takes out the line before a quotation that says whose it is, which programs break in two.
fn drop_introduction(kept: &mut Vec<&str>) {
    while kept.last().is_some_and(|line| line.trim().is_empty()) {
        kept.pop();
    }
    let says_who = |line: &str| {
        let line = line.trim_end().to_lowercase();
        line.ends_with(':') && ["wrote", "schrieb", "escribió", "écrit"].iter().any(|word| line.contains(word))
    };
    let begins = |line: &str| ["On ", "Am ", "El ", "Le "].iter().any(|word| line.starts_with(word));
    if kept.last().is_some_and(|line| says_who(line)) {
        let last = kept.pop().unwrap_or_default();
        if !begins(last) && kept.last().is_some_and(|line| begins(line) && line.len() < 100) {
            kept.pop();
        }
    }
}

/// Whether a whole message is quoted after a line.
fn is_mark(line: &str) -> bool {
    let inside = line.trim().trim_matches('-').trim();
    line.starts_with("-----")
        && ["Original Message", "Ursprüngliche Nachricht", "Mensaje original"]
            .iter()
            .any(|mark| inside.eq_ignore_ascii_case(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plainly_quoted_is_left_out() {
        let text = "Yes.\n\nOn Mon, 1 Jan 2024 at 10:00,\nAnn <ann@example.org> wrote:\n\n> Does it fly?\n>\n\n> Well?\nHigh, too.\n";
        assert_eq!(unquoted(text), "Yes.\n\nHigh, too.");
        assert_eq!(unquoted("Ja.\nAm 1.1. schrieb Ann:\n> Und?\n"), "Ja.");
        assert_eq!(unquoted("Here:\n-----Original Message-----\nFrom: Ann\n\nOld."), "Here:");
        assert_eq!(unquoted("She wrote:\n5 > 3 and\n ----- \nso on"), "She wrote:\n5 > 3 and\n ----- \nso on");
        assert_eq!(unquoted("> all of it"), "");
    }

    #[test]
    fn subjects_of_answers_are_those_of_questions() {
        assert_eq!(base("Re: AW: Re[2]: The reel"), "The reel");
        assert_eq!(base("Reel: it jams"), "Reel: it jams");
        assert_eq!(base("Re:"), "");
    }
}
