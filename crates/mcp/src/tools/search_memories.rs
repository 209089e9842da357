//! `search_memories`: short hits for a question.

use std::num::NonZeroUsize;

use aforesaid::{
    Explanations, Hit, SearchResponse,
    types::{Granularity, Kind, MemoryFilter, Query, Scope, Sensitivity, SortBy, Timestamp, Unmatched, Zone},
};
use serde_json::{Value, json};

use super::{Effect, Rerank, Tool, ToolResult, Toolbox, news, notes, warnings_json, without_nulls};
use crate::{
    arguments::{Given, Kind as Takes, optional, required},
    cursor::Pages,
    failure::ToolError,
    text::{Origin, count, name},
    times,
};

/// Hits of a page, where a call does not say.
const USUAL: u64 = 8;

/// Hits that can be paged through.
const MOST: usize = 200;

pub(super) const TOOL: Tool = Tool {
    name: "search_memories",
    title: "Search memories",
    description: "Finds what was said before: turns and notes, or sessions, best first, each with id, date and the \
                  part that matches. confidence is the probability that the first hit answers the query.",
    arguments: &[
        required("query", Takes::Text, "Question or topic in plain words"),
        optional("unit", Takes::Choice(&["turn", "session"]), "Default turn"),
        optional("speaker", Takes::Text, "Only what this speaker said, by name"),
        optional("from", Takes::Text, "Since this time: 2025-03-09, \"last week\""),
        optional("to", Takes::Text, "Until this time"),
        optional("k", Takes::Whole { least: 1, most: 50 }, "Hits, default 8"),
        optional("cursor", Takes::Text, "next_cursor, for more hits"),
    ],
    answer: &[
        ("confidence", "number", true),
        ("hits", "array", true),
        ("next_cursor", "string", false),
        ("reason", "string", false),
        ("warnings", "array", false),
    ],
    effect: Effect::Reads,
    run,
};

fn run(tools: &Toolbox, given: Given<'_>) -> Result<ToolResult, ToolError> {
    let clock = times::clock(&tools.zone)?;
    let text = given.text("query").unwrap_or_default();
    let unit = if given.text("unit") == Some("session") { Granularity::Session } else { Granularity::Turn };
    let [speaker, from, to] = ["speaker", "from", "to"].map(|name| given.text(name));
    let asked = [text, given.text("unit").unwrap_or("turn")];
    let asked: Vec<&str> = asked.into_iter().chain([speaker, from, to].map(Option::unwrap_or_default)).collect();
    let pages = Pages::new(&asked, given.text("cursor"))?;
    let size = usize::try_from(given.whole("k").unwrap_or(USUAL)).unwrap_or(MOST);
    let (from, to) = times::between(from, to, &clock)?;
    let query = Query {
        scope: Scope {
            from,
            to,
            filter: MemoryFilter {
                speakers: speaker.map(str::to_owned).into_iter().collect(),
                ..MemoryFilter::default()
            },
            ..Scope::default()
        },
        now: Some(clock.now),
        zone: clock.zone,
        unit,
        // One more says whether there are more.
        k: NonZeroUsize::MIN.saturating_add(pages.before().saturating_add(size).min(MOST)),
        sort_by: SortBy::Relevance,
        unmatched: Unmatched::Exclude,
        min_confidence: tools.min_confidence,
        ..Query::new(tools.namespace.clone(), text)
    };
    let (memory, pipeline) = (&tools.memory, &tools.pipeline);
    let (found, skipped) = match tools.rerank.as_ref().map(Rerank::ready) {
        Some(Ok(reranking)) => (memory.search_reranked(&query, pipeline, Explanations::Omit, reranking), None),
        unready => (memory.search(&query, pipeline, Explanations::Omit), unready.and_then(Result::err)),
    };
    let found = match found.map_err(ToolError::from) {
        Err(error) if error.is_of_new_namespace() => {
            let fields = json!({"confidence": 0.0, "hits": [], "reason": error.message});
            return Ok(ToolResult::new(format!("no hits: {}\n", error.message), fields));
        }
        found => found?,
    };
    let SearchResponse { confidence, searched, reason, warnings, hits, .. } = found;
    let warnings = news(warnings.into_iter().chain(skipped).collect());
    let key = |hit: &Hit| -> Vec<String> {
        let conversation = hit.conversation.as_ref().map(ToString::to_string);
        vec![conversation.unwrap_or_default(), hit.id.clone()]
    };
    let hits: Vec<(Vec<String>, Hit)> = hits.into_iter().take(MOST).map(|hit| (key(&hit), hit)).collect();
    let (hits, next) = pages.page(hits, size, |(key, _)| key.iter().map(String::as_str).collect())?;
    let searched = match unit {
        Granularity::Session => count(searched as u64, "session"),
        Granularity::Turn => memories(searched),
    };
    let reason = reason.map(|reason| reason.to_string());
    let mut shown = match &reason {
        Some(reason) => format!("no hits: {reason} ({searched} searched)\n"),
        None => format!(
            "confidence {:.2} ({}) that the first hit answers this; {searched} searched\n",
            confidence.probability, confidence.word
        ),
    };
    shown += &notes(&warnings);
    for (number, (_, hit)) in hits.iter().enumerate() {
        shown += &hit_text(pages.before() + number + 1, hit, &tools.zone);
    }
    if let Some(next) = &next {
        shown += &format!("more: cursor {next}\n");
    }
    let fields = json!({
        "confidence": (confidence.probability * 1000.0).round() / 1000.0,
        "hits": hits.iter().map(|(_, hit)| hit_json(hit)).collect::<Vec<_>>(),
        "next_cursor": next,
        "reason": reason,
        "warnings": warnings_json(&warnings),
    });
    Ok(ToolResult::new(shown, fields))
}

fn memories(number: usize) -> String {
    if number == 1 { "1 memory".to_owned() } else { format!("{number} memories") }
}

/// The id that `get_memory` takes: of a session, that of its best turn.
fn id(hit: &Hit) -> &str {
    hit.turns.first().map_or(&hit.id, |turn| turn.id.as_str())
}

/// When that was said.
fn said_at(hit: &Hit) -> Option<Timestamp> {
    hit.turns.first().map_or(hit.said_at, |turn| turn.said_at)
}

fn hit_text(number: usize, hit: &Hit, zone: &Zone) -> String {
    let origin = Origin {
        id: id(hit),
        kind: hit.kind.unwrap_or(Kind::Turn),
        said_at: said_at(hit),
        speaker: hit.speaker.as_deref().filter(|_| hit.turns.is_empty()),
        conversation: hit.conversation.as_ref(),
        session: hit.session.as_ref(),
        title: hit.title.as_deref(),
        sensitivity: hit.sensitivity,
    };
    let mut text = format!("{number}. {}\n", origin.line(zone));
    match hit.turns.as_slice() {
        [] => text += &format!("  | {}\n", name(&hit.snippet.text)),
        turns => {
            for turn in turns {
                let speaker = turn.speaker.as_deref().map(|speaker| format!("{}: ", name(speaker))).unwrap_or_default();
                text += &format!("  | [{}] {speaker}{}\n", name(turn.id.as_str()), name(&turn.snippet.text));
            }
        }
    }
    if !hit.supersedes.is_empty() {
        let superseded: Vec<String> = hit.supersedes.iter().map(|id| format!("[{}]", name(id))).collect();
        text += &format!("  supersedes {}\n", superseded.join(", "));
    }
    text
}

fn hit_json(hit: &Hit) -> Value {
    let turns: Vec<Value> = hit
        .turns
        .iter()
        .map(|turn| json!({"id": turn.id, "speaker": turn.speaker, "said_at": turn.said_at, "text": turn.snippet.text}))
        .collect();
    let is_sensitive = hit.sensitivity == Sensitivity::Sensitive;
    let fields = json!({
        "id": id(hit),
        "kind": hit.kind,
        "conversation": hit.conversation,
        "session": hit.session,
        "title": hit.title,
        "speaker": hit.speaker,
        "said_at": said_at(hit),
        "session_start": hit.said_at.filter(|_| !hit.turns.is_empty()),
        "text": hit.snippet.text,
        "supersedes": (!hit.supersedes.is_empty()).then_some(&hit.supersedes),
        "tags": (!hit.tags.is_empty()).then_some(&hit.tags),
        "sensitive": is_sensitive.then_some(true),
        "turns": (!turns.is_empty()).then_some(turns),
    });
    without_nulls(fields).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{add_memory, tests::toolbox};

    fn call(tools: &Toolbox, tool: &Tool, given: &Value) -> Value {
        tools.call(tool, given.as_object().unwrap()).unwrap().structured.into()
    }

    /// It had the id of a turn, and the time of another.
    #[test]
    fn a_session_is_shown_by_one_turn() {
        let tools = toolbox();
        let turn = |id: &str, speaker: &str, text: &str, at: &str| json!({"id": id, "speaker": speaker, "text": text, "said_at": at});
        let turns = [
            turn("first", "Ann", "Good morning.", "2025-03-09T08:00:00Z"),
            turn("kite", "Ben", "The kite is red.", "2025-03-09T09:30:00Z"),
        ];
        call(&tools, &add_memory::TOOL, &json!({"turns": turns, "session": "monday"}));
        let query = json!({"query": "red kite", "unit": "session"});
        let shown = tools.call(&TOOL, query.as_object().unwrap()).unwrap();
        let hit = &shown.structured["hits"][0];
        assert_eq!((&hit["id"], &hit["speaker"]), (&json!("kite"), &json!("Ben")), "{hit}");
        assert_eq!(hit["said_at"], "2025-03-09T09:30:00Z");
        assert_eq!(hit["session_start"], "2025-03-09T08:00:00Z");
        assert!(shown.text.contains("1. [kite] 2025-03-09 09:30 \u{b7} default / monday\n"), "{}", shown.text);
        let turn = call(&tools, &TOOL, &json!({"query": "red kite"}));
        assert!(turn["hits"][0].get("session_start").is_none(), "{turn}");
    }

    #[test]
    fn a_hit_names_what_it_supersedes() {
        let tools = toolbox();
        call(&tools, &add_memory::TOOL, &json!({"note": "The kite is red."}));
        let query = Query::new(tools.namespace.clone(), "kite");
        let mut hit = tools.memory.search(&query, &tools.pipeline, Explanations::Omit).unwrap().hits.remove(0);
        assert!(
            !hit_text(1, &hit, &Zone::default()).contains("supersedes") && hit_json(&hit).get("supersedes").is_none()
        );
        hit.supersedes = vec!["S1:2".to_owned(), "a\n2. [x]".to_owned()];
        let text = hit_text(1, &hit, &Zone::default());
        assert!(text.ends_with("\n  supersedes [S1:2], [a 2. [x]]\n"), "{text}");
        assert_eq!(hit_json(&hit)["supersedes"], json!(["S1:2", "a\n2. [x]"]));
    }

    /// Each took minutes: the stemmer and the search for misspellings went through the whole word once for each letter.
    #[test]
    fn an_endless_word_is_answered() {
        let tools = toolbox();
        call(&tools, &add_memory::TOOL, &json!({"note": "The kite is red."}));
        for word in ["y".repeat(1 << 20), "a1".repeat(1 << 19)] {
            assert_eq!(call(&tools, &TOOL, &json!({"query": word}))["hits"], json!([]));
            let found = call(&tools, &TOOL, &json!({"query": format!("red {word}")}));
            assert_eq!(found["hits"][0]["text"], "The kite is red.");
        }
    }
}
