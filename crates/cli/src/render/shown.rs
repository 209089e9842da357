//! A memory with what was said around it, and all of a conversation.

use aforesaid::{Shown, Snippet, types::Record};
use anstyle::Style;

use super::{
    NAME, QUIET, STRONG,
    ids::ShortIds,
    labels::Labels,
    layout::{Extent, Layout},
    origin,
    painted::{Painted, Tone},
    printable, when,
};
use crate::page::Page;

/// Puts a memory on a page, whole, between the turns around it, of which the beginning is shown. `others` are ids of the store that
/// begin as theirs do.
pub(crate) fn shown(page: &mut Page, shown: &Shown, others: &[String], layout: Layout) {
    let memory = &shown.memory;
    place(page, memory);
    let all = shown.before.iter().chain([memory]).chain(&shown.after);
    let others = others.iter().map(String::as_str);
    let ids = ShortIds::of(all.map(|record| record.id.as_str()).chain(others), layout.extent);
    shown.before.iter().for_each(|record| around(page, record, &ids, layout));
    whole(page, memory, &ids, layout);
    shown.after.iter().for_each(|record| around(page, record, &ids, layout));
}

/// Puts all that was said in a conversation or session on a page, under where it was said.
pub(crate) fn read(page: &mut Page, memories: &[Record], layout: Layout) {
    let ids = ShortIds::of(memories.iter().map(|record| record.id.as_str()), layout.extent);
    let place_of = |record: &Record| (record.conversation.clone(), record.session.clone());
    for (n, session) in memories.chunk_by(|one, next| place_of(one) == place_of(next)).enumerate() {
        if n > 0 {
            page.line(format_args!(""));
        }
        session.iter().take(1).for_each(|first| place(page, first));
        session.iter().for_each(|record| whole(page, record, &ids, layout));
    }
}

/// The title of a memory's session and the names of where it was said, as far as people read them.
fn place(page: &mut Page, memory: &Record) {
    let session = memory.session.as_ref().map(|session| session.as_str());
    let names = origin(memory.conversation.as_ref().map(|conversation| conversation.as_str()), session);
    let title = memory.title.as_deref().map(printable);
    let title: Vec<String> = title.into_iter().chain([names]).filter(|part| !part.is_empty()).collect();
    if !title.is_empty() {
        page.line(format_args!("{QUIET}{}{QUIET:#}", title.join(" \u{b7} ")));
    }
}

/// A memory with its labels and all of its text.
fn whole(page: &mut Page, memory: &Record, ids: &ShortIds, layout: Layout) {
    said(page, memory, STRONG, ids);
    if let Some(labels) = Labels::from(memory).line() {
        page.line(format_args!("{QUIET}{labels}{QUIET:#}"));
    }
    text(page, &Painted::new(&memory.text, &[]), memory, Tone::Plain, layout.width);
}

fn around(page: &mut Page, record: &Record, ids: &ShortIds, layout: Layout) {
    said(page, record, QUIET, ids);
    let painted = match layout.extent {
        Extent::Full => Painted::new(&record.text, &[]),
        Extent::Snippets => Painted::new(&Snippet::beginning(&record.text).text, &[]),
    };
    text(page, &painted, record, Tone::Dimmed, layout.width);
}

/// Who said it and when.
fn said(page: &mut Page, record: &Record, style: Style, ids: &ShortIds) {
    let speaker = record.speaker.as_deref().map(|speaker| format!("  {NAME}{}{NAME:#}", printable(speaker)));
    let id = ids.shown(record.id.as_str());
    page.line(format_args!("{style}{id}  {}{style:#}{}", when(record.said_at), speaker.unwrap_or_default()));
}

fn text(page: &mut Page, painted: &Painted, record: &Record, tone: Tone, width: usize) {
    let mut put = |painted: &Painted, tone| {
        painted.lines(1, width, tone).iter().for_each(|line| page.line(format_args!("{line}")));
    };
    if !record.text.trim().is_empty() {
        put(painted, tone);
    }
    if let Some(caption) = &record.image_caption {
        put(&Painted::new(&format!("[image: {caption}]"), &[]), Tone::Dimmed);
    }
}
