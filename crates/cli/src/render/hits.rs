//! Hits of a search: what a person reads first, and no more than that.

use aforesaid::{
    BestTurn, Explain, Hit, SearchResponse, Snippet, Timing,
    pipeline::{Legs, confidence::Word},
    types::{Granularity, Record},
};

use super::{
    NAME, QUIET, STRONG, count,
    ids::ShortIds,
    labels::Labels,
    layout::{Extent, Layout},
    origin,
    painted::{Painted, Tone},
    printable, when,
};
use crate::{
    page::Page,
    remedies,
    wrap::{columns, shortened},
};

/// The ids that a response shows.
pub(crate) fn ids_of(answer: &SearchResponse) -> impl Iterator<Item = &str> {
    answer.hits.iter().flat_map(ids)
}

/// Columns that what belongs to a hit is indented by.
const INDENT: usize = 3;

/// Puts the response to a search on a page: how sure it is, and its hits or why there are none. `others` are ids of the store that
/// begin as theirs do ([`alike`](super::alike)).
pub(crate) fn answer(page: &mut Page, answer: &SearchResponse, others: &[String], layout: Layout) {
    let others = others.iter().map(String::as_str);
    let ids = ShortIds::of(ids_of(answer).chain(others), layout.extent);
    if let Some(reason) = answer.reason {
        page.line(format_args!("no hits: {reason}{}", remedies::of_no_hits(reason)));
    }
    if answer.reason.is_none() || answer.searched > 0 {
        head(page, answer, &ids, layout.width);
    }
    for (n, found) in (1..).zip(&answer.hits) {
        if n > 1 {
            page.line(format_args!(""));
        }
        hit(page, (n, found), &ids, layout);
    }
    let signals = answer.confidence.signals.as_ref();
    if signals.is_some() || layout.extent == Extent::Full {
        page.line(format_args!(""));
    }
    if let Some(signals) = signals {
        let line =
            |page: &mut Page, value: f64, what: &str| page.line(format_args!("{QUIET}{value:>9.4}  {what}{QUIET:#}"));
        line(page, answer.confidence.probability, "that the first hit answers this");
        line(page, answer.confidence.answerable, "that this can be answered from here");
        for (signal, value) in signals.iter() {
            page.line(format_args!("{QUIET}  {value:>9.4}  {}{QUIET:#}", signal.name()));
        }
    }
    if signals.is_some() || layout.extent == Extent::Full {
        page.line(format_args!("{QUIET}{}, {}{QUIET:#}", super::took(&answer.timing_ms), answer.pipeline));
    }
}

/// The first line: how likely the best hit is to answer the question, which that is where it is not the first, and what was
/// searched.
fn head(page: &mut Page, answer: &SearchResponse, ids: &ShortIds, width: usize) {
    let noun = match answer.unit {
        Granularity::Turn => "turn",
        Granularity::Session => "session",
    };
    let probability = answer.confidence.probability;
    let likelihood = || format!("{} ({probability:.2})", likelihood(answer.confidence.word));
    let sure = match answer.hits.is_empty() {
        true if probability == 0.0 => String::new(),
        // What was found is withheld.
        true => format!("best found: {}", likelihood()),
        false => likelihood(),
    };
    let first = answer.hits.first().map(|hit| &hit.id);
    let elsewhere = answer.best.as_ref().filter(|best| first.is_some_and(|first| first != *best));
    let sure = sure + &elsewhere.map(|best| format!(", {}", ids.shown(best))).unwrap_or_default();
    let searched = format!("{} of {}, {}", answer.hits.len(), count(answer.searched, noun), brief(&answer.timing_ms));
    let space = width.saturating_sub(columns(&sure) + columns(&searched)).max(2);
    match sure.as_str() {
        "" => page.line(format_args!("{QUIET}{searched}{QUIET:#}")),
        sure => page.line(format_args!("{STRONG}{sure}{STRONG:#}{:space$}{QUIET}{searched}{QUIET:#}", "")),
    }
}

/// The word of a probability, for people.
fn likelihood(word: Word) -> &'static str {
    match word {
        Word::Strong => "very likely",
        Word::Good => "likely",
        Word::Fair => "possible",
        Word::Weak => "unlikely",
        Word::None => "very unlikely",
    }
}

/// `4 ms`, or `4 ms after 310 ms to load the model`.
fn brief(timing: &Timing) -> String {
    let millis = |millis: f64| if millis < 1.0 { "under 1 ms".to_owned() } else { format!("{millis:.0} ms") };
    let load = timing.load.filter(|load| *load >= 1.0);
    let loading = load.map(|load| format!(" after {} to load the model", millis(load)));
    millis(timing.total - load.unwrap_or_default()) + &loading.unwrap_or_default()
}

/// All ids that are printed of a hit.
fn ids(hit: &Hit) -> impl Iterator<Item = &str> {
    let around = hit.before.iter().chain(&hit.after).map(|other| other.id.as_str());
    [hit.id.as_str()].into_iter().chain(hit.turns.iter().map(|turn| turn.id.as_str())).chain(around)
}

/// Puts one hit on a page: where it is from in one line, what it says, and what was said around it.
fn hit(page: &mut Page, (n, hit): (usize, &Hit), ids: &ShortIds, layout: Layout) {
    header(page, n, hit, ids, layout.width);
    for other in &hit.before {
        neighbour(page, other, ids, layout);
    }
    if stands_among_others(hit) {
        speaker_line(page, ids.shown(&hit.id), hit.speaker.as_deref());
    }
    if hit.turns.is_empty() {
        let caption = hit.image_caption.as_deref();
        said(page, (&hit.text, &hit.marks), &hit.snippet, caption, layout);
    }
    for BestTurn { id, speaker, text, snippet, marks, .. } in &hit.turns {
        speaker_line(page, ids.shown(id.as_str()), speaker.as_deref());
        said(page, (text, marks), snippet, None, layout);
    }
    for other in &hit.after {
        neighbour(page, other, ids, layout);
    }
    if !hit.supersedes.is_empty() {
        let superseded: Vec<String> = hit.supersedes.iter().map(|id| ids.shown(id)).collect();
        let superseded = superseded.join(", ");
        page.line(format_args!("{:INDENT$}{QUIET}supersedes {superseded}{QUIET:#}", ""));
    }
    if let Some(cue) = &hit.cue {
        page.line(format_args!("{:INDENT$}{QUIET}answers \"{}\"{QUIET:#}", "", printable(cue)));
    }
    let conversation = hit.conversation.as_ref().filter(|_| layout.extent == Extent::Full);
    if let Some(conversation) = conversation {
        let session = hit.session.as_ref().map(|session| format!(" / {session}")).unwrap_or_default();
        let names = printable(&format!("{conversation}{session}"));
        page.line(format_args!("{:INDENT$}{QUIET}{names}{QUIET:#}", ""));
    }
    let labels = (layout.extent == Extent::Full).then(|| Labels::from(hit).line()).flatten();
    if let Some(labels) = labels {
        page.line(format_args!("{:INDENT$}{QUIET}{labels}{QUIET:#}", ""));
    }
    if layout.extent == Extent::Full || hit.explain.is_some() {
        let reranked = hit.rerank_score.map(|score| format!("reranked {score:.1}"));
        let places: Vec<String> =
            [legs(&hit.legs)].into_iter().filter(|legs| !legs.is_empty()).chain(reranked).collect();
        page.line(format_args!("{:INDENT$}{QUIET}{}{QUIET:#}", "", places.join(", ")));
    }
    if let (Some(_), Some(score)) = (&hit.explain, hit.rerank_score) {
        let what = "by the reranker, which goes before the score";
        page.line(format_args!("{:INDENT$}{QUIET}{score:>9.4}  {what}{QUIET:#}", ""));
    }
    if let Some(explain) = &hit.explain {
        explanation(page, explain);
    }
}

fn stands_among_others(hit: &Hit) -> bool {
    !hit.before.is_empty() || !hit.after.is_empty()
}

/// Number, title, time and speaker, and the id at the end of the line.
fn header(page: &mut Page, n: usize, hit: &Hit, ids: &ShortIds, width: usize) {
    let id = ids.shown(&hit.id);
    let session = hit.session.as_ref().map(|session| session.as_str());
    // A session is named at the end of the line.
    let session = session.filter(|_| hit.kind.is_some());
    let names = || origin(hit.conversation.as_ref().map(|conversation| conversation.as_str()), session);
    let title = hit.title.as_deref().map_or_else(names, printable);
    let time = hit.said_at.map(|at| when(Some(at)));
    // Where there are several turns, each has its speaker.
    let speaker = hit.speaker.as_deref().filter(|_| hit.turns.is_empty() && !stands_among_others(hit)).map(printable);
    let about: Vec<String> = [time.clone(), speaker.clone()].into_iter().flatten().collect();
    let painted = speaker.map(|speaker| format!("{NAME}{speaker}{NAME:#}"));
    let painted = [time, painted].into_iter().flatten().collect::<Vec<_>>().join(SEPARATOR);
    let about = columns(&about.join(SEPARATOR));
    // What there is for the title and all that is said about the hit, beside the number and the id.
    let room = width.saturating_sub(INDENT + 2 + columns(&id));
    let for_title = room.saturating_sub(about + columns(SEPARATOR));
    let is_one_line = title.is_empty() || for_title >= columns(&title).min(SHORTEST_TITLE);
    let title = shortened(&title, if is_one_line { for_title } else { room });
    let separator = if title.is_empty() || about == 0 { "" } else { SEPARATOR };
    let (beside, below) = match is_one_line {
        true => (format!("{separator}{painted}"), None),
        false => (String::new(), Some(painted).filter(|_| about > 0)),
    };
    let used = columns(&title) + if is_one_line { about + columns(separator) } else { 0 };
    let space = room.saturating_sub(used) + 2;
    let number = format!("{n:<width$}", width = INDENT - 1);
    page.line(format_args!("{STRONG}{number} {title}{STRONG:#}{beside}{:space$}{QUIET}{id}{QUIET:#}", ""));
    if let Some(below) = below {
        page.line(format_args!("{:INDENT$}{below}", ""));
    }
}

/// Columns of a title at the least, where all is on one line.
const SHORTEST_TITLE: usize = 24;

/// What stands between the parts of a header.
const SEPARATOR: &str = " \u{b7} ";

/// What was said, whole or the part that matches.
fn said(
    page: &mut Page,
    (text, marks): (&str, &[[usize; 2]]),
    snippet: &Snippet,
    caption: Option<&str>,
    layout: Layout,
) {
    let painted = match layout.extent {
        Extent::Full => Painted::new(text, marks),
        Extent::Snippets => Painted::new(&snippet.text, &snippet.marks),
    };
    if !text.trim().is_empty() {
        put(page, &painted, Tone::Plain, layout.width);
    }
    if let Some(caption) = caption {
        put(page, &Painted::new(&format!("[image: {caption}]"), &[]), Tone::Dimmed, layout.width);
    }
}

/// A turn before or after a hit: on one line, or whole.
fn neighbour(page: &mut Page, other: &Record, ids: &ShortIds, layout: Layout) {
    let id = ids.shown(other.id.as_str());
    match layout.extent {
        Extent::Full => {
            speaker_line(page, id, other.speaker.as_deref());
            put(page, &Painted::new(&other.text, &[]), Tone::Dimmed, layout.width);
        }
        Extent::Snippets => {
            let speaker = other.speaker.as_deref().map(|speaker| format!("{}: ", printable(speaker)));
            let text = printable(&Snippet::beginning(&other.text).text);
            let line = format!("{id}  {}{text}", speaker.unwrap_or_default());
            let line = shortened(&line, layout.width.saturating_sub(INDENT));
            page.line(format_args!("{:INDENT$}{QUIET}{line}{QUIET:#}", ""));
        }
    }
}

fn speaker_line(page: &mut Page, id: String, speaker: Option<&str>) {
    let speaker = speaker.map(|speaker| format!("  {NAME}{}{NAME:#}", printable(speaker))).unwrap_or_default();
    page.line(format_args!("{:INDENT$}{QUIET}{id}{QUIET:#}{speaker}", ""));
}

fn put(page: &mut Page, text: &Painted, tone: Tone, width: usize) {
    text.lines(INDENT, width, tone).iter().for_each(|line| page.line(format_args!("{line}")));
}

fn legs(legs: &Legs) -> String {
    legs.iter().map(|(name, hit)| format!("{name} #{}", hit.rank)).collect::<Vec<_>>().join(", ")
}

fn explanation(page: &mut Page, explain: &Explain) {
    for line in explain.to_string().lines() {
        page.line(format_args!("{:INDENT$}{QUIET}{}{QUIET:#}", "", printable(line)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_the_json_has_words_for_people() {
        let words = [Word::None, Word::Weak, Word::Fair, Word::Good, Word::Strong].map(likelihood);
        assert_eq!(words, ["very unlikely", "unlikely", "possible", "likely", "very likely"]);
    }

    #[test]
    fn loading_a_model_is_told_apart() {
        assert_eq!(brief(&Timing { total: 0.4, ..Timing::default() }), "under 1 ms");
        let timing = Timing { total: 314.6, load: Some(310.2), ..Timing::default() };
        assert_eq!(brief(&timing), "4 ms after 310 ms to load the model");
    }
}
