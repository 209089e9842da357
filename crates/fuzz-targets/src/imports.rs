//! Files with conversations and with cue questions.

use aforesaid::{
    CueFile,
    formats::{Captions, Format, Source, detect, parse},
    read_cue_file,
    types::CueSource,
};

const SOURCE: Source<'_> =
    Source { file: "file.json", stem: "file", conversation: None, captions: Captions::Keep, zone: None };

fn read(format: Format, bytes: &[u8]) {
    if let Ok(parsed) = parse(format, bytes, &SOURCE) {
        assert!(parsed.drafts.iter().all(|draft| draft.check().is_ok()), "a draft that could not be kept");
        let without = parse(format, bytes, &Source { captions: Captions::Drop, ..SOURCE });
        assert!(
            without.is_ok_and(|without| without.drafts.len() <= parsed.drafts.len()),
            "captions decide what is read"
        );
    }
}

pub(crate) fn detected(bytes: &[u8]) {
    if let Ok(format) = detect(bytes, SOURCE.file) {
        read(format, bytes);
    }
}

pub(crate) fn locomo(bytes: &[u8]) {
    read(Format::Locomo, bytes);
}

pub(crate) fn messages(bytes: &[u8]) {
    read(Format::Messages, bytes);
}

pub(crate) fn messages_jsonl(bytes: &[u8]) {
    read(Format::MessagesJsonl, bytes);
}

pub(crate) fn chatgpt(bytes: &[u8]) {
    read(Format::ChatGpt, bytes);
}

pub(crate) fn claude(bytes: &[u8]) {
    read(Format::Claude, bytes);
}

pub(crate) fn jsonl(bytes: &[u8]) {
    read(Format::Jsonl, bytes);
}

pub(crate) fn slack(bytes: &[u8]) {
    read(Format::Slack, bytes);
}

pub(crate) fn telegram(bytes: &[u8]) {
    read(Format::Telegram, bytes);
}

pub(crate) fn discord(bytes: &[u8]) {
    read(Format::Discord, bytes);
}

pub(crate) fn whatsapp(bytes: &[u8]) {
    read(Format::WhatsApp, bytes);
}

pub(crate) fn subtitles(bytes: &[u8]) {
    read(Format::Subtitles, bytes);
}

pub(crate) fn mbox(bytes: &[u8]) {
    read(Format::Mbox, bytes);
}

pub(crate) fn markdown(bytes: &[u8]) {
    read(Format::Markdown, bytes);
}

pub(crate) fn cues(bytes: &[u8]) {
    let source = CueSource { model: "m".to_owned(), prompt: "p".to_owned() };
    let _ = read_cue_file(bytes, &CueFile { name: "file.jsonl", conversation: None, source });
}
