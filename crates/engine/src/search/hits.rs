//! From hits of an index to what is shown of them.

use std::{collections::HashMap, ops::Range};

use aforesaid_core::{
    pipeline::RankedHit,
    snippet::{Highlighter, joined},
    store::Store,
    types::{CueId, Granularity, Query, Record, Sensitivity, SortBy},
};

use super::found::{FoundHits, Ranked, SessionPlace};
use crate::{
    answer::{BestTurn, Hit},
    error::Error,
    memory::Memory,
};

impl Memory {
    /// The ids of hits; `None` when one is gone since they were ranked.
    pub(super) fn name(store: &dyn Store, query: &Query, found: &FoundHits) -> Result<Option<Vec<Ranked>>, Error> {
        let scores =
            found.hits.iter().zip(&found.places).map(|(hit, place)| (hit.score, hit.legs.clone(), place.rerank.score));
        let ids: Vec<String> = match query.unit {
            Granularity::Session => {
                found.places.iter().filter_map(|place| Some(place.session.as_ref()?.name.clone())).collect()
            }
            Granularity::Turn => store.ids(&query.namespace, &found.seqs())?.into_iter().map(String::from).collect(),
        };
        let whole = ids.len() == found.hits.len();
        let first = found.places.iter().filter_map(|place| place.seqs.first().copied());
        let ranked = |((id, memory), (score, legs, rerank_score))| Ranked { id, memory, score, legs, rerank_score };
        Ok(whole.then(|| ids.into_iter().zip(first).zip(scores).map(ranked).collect()))
    }

    /// Fetches the content of hits, in order of relevance; `None` when one is gone since they were ranked.
    pub(super) fn load(store: &dyn Store, query: &Query, found: &FoundHits) -> Result<Option<Vec<Hit>>, Error> {
        let Some(memories) = Self::fetch_all(store, &query.namespace, &found.seqs())? else { return Ok(None) };
        let cues: Vec<CueId> = found.hits.iter().filter_map(|hit| hit.cue).collect();
        let questions: HashMap<CueId, String> = store.questions(&query.namespace, &cues)?.into_iter().collect();
        let mut memories = memories.into_iter();
        let mut highlighter = Highlighter::new(found.analyzer, found.terms.iter().cloned()).for_question(&query.text);
        let mut hits = Vec::with_capacity(found.hits.len());
        for (ranked, place) in found.hits.iter().zip(&found.places) {
            let memories: Vec<Record> = memories.by_ref().take(place.seqs.len()).collect();
            let Some(best) = memories.first() else { return Ok(None) };
            let parts: Vec<Range<usize>> =
                memories.iter().enumerate().map(|(i, memory)| best_part(memory, ranked, i)).collect();
            let mut hit = match &place.session {
                None => turn_hit(best.clone(), parts[0].clone(), ranked, &mut highlighter),
                Some(session) => session_hit(session, (memories, parts), ranked, &mut highlighter),
            };
            hit.cue = ranked.cue.and_then(|id| questions.get(&id).cloned());
            hit.explain = ranked.explain.clone();
            hit.rerank_score = place.rerank.score;
            hits.push(hit);
        }
        let superseded: Vec<String> = found.superseded().map(|place| hits[place].id.clone()).collect();
        if let Some(first) = hits.first_mut() {
            first.supersedes = superseded;
        }
        Ok(Some(hits))
    }
}

/// The bytes of the text of a hit, or of one of its turns, that speak most for it: a window of a long one.
fn best_part(memory: &Record, ranked: &RankedHit, place: usize) -> Range<usize> {
    let window = ranked.windows.get(place).copied().flatten();
    window.map_or(0..memory.text.len(), |window| memory.part_of_text(window.about(&memory.passage())))
}

fn turn_hit(memory: Record, part: Range<usize>, ranked: &RankedHit, highlighter: &mut Highlighter) -> Hit {
    Hit {
        snippet: highlighter.snippet_near(&memory.text, part),
        marks: joined(&highlighter.marks(&memory.text)),
        before: Vec::new(),
        after: Vec::new(),
        id: memory.id.into(),
        kind: Some(memory.kind),
        conversation: memory.conversation,
        session: memory.session,
        title: memory.title,
        speaker: memory.speaker,
        said_at: memory.said_at,
        text: memory.text,
        image_caption: memory.image_caption,
        tags: memory.tags,
        importance: memory.importance,
        sensitivity: memory.sensitivity,
        meta: memory.meta,
        score: ranked.score,
        legs: ranked.legs.clone(),
        supersedes: Vec::new(),
        rerank_score: None,
        turns: Vec::new(),
        cue: None,
        explain: None,
    }
}

fn best_turn(memory: &Record, part: Range<usize>, highlighter: &mut Highlighter) -> BestTurn {
    BestTurn {
        id: memory.id.clone(),
        speaker: memory.speaker.clone(),
        said_at: memory.said_at,
        text: memory.text.clone(),
        snippet: highlighter.snippet_near(&memory.text, part),
        marks: joined(&highlighter.marks(&memory.text)),
    }
}

fn session_hit(
    session: &SessionPlace,
    (memories, parts): (Vec<Record>, Vec<Range<usize>>),
    ranked: &RankedHit,
    highlighter: &mut Highlighter,
) -> Hit {
    let best = memories.first();
    let turns: Vec<BestTurn> =
        memories.iter().zip(parts).map(|(memory, part)| best_turn(memory, part, highlighter)).collect();
    Hit {
        snippet: turns.first().map(|turn| turn.snippet.clone()).unwrap_or_default(),
        marks: turns.first().map(|turn| turn.marks.clone()).unwrap_or_default(),
        before: Vec::new(),
        after: Vec::new(),
        id: session.name.clone(),
        kind: None,
        conversation: best.and_then(|turn| turn.conversation.clone()),
        session: best.and_then(|turn| turn.session.clone()),
        title: best.and_then(|turn| turn.title.clone()),
        speaker: best.and_then(|turn| turn.speaker.clone()),
        said_at: session.began,
        text: best.map(|turn| turn.text.clone()).unwrap_or_default(),
        image_caption: best.and_then(|turn| turn.image_caption.clone()),
        tags: best.map(|turn| turn.tags.clone()).unwrap_or_default(),
        importance: best.map(|turn| turn.importance).unwrap_or_default(),
        sensitivity: Sensitivity::from(memories.iter().any(|turn| turn.sensitivity == Sensitivity::Sensitive)),
        meta: best.and_then(|turn| turn.meta.clone()),
        score: ranked.score,
        legs: ranked.legs.clone(),
        supersedes: Vec::new(),
        rerank_score: None,
        turns,
        cue: None,
        explain: None,
    }
}

/// Puts hits in the order asked for. Sorts are stable: where the key ties, relevance decides.
pub(super) fn order(hits: &mut [Hit], sort_by: SortBy) {
    match sort_by {
        SortBy::Relevance => {}
        SortBy::Importance => hits.sort_by(|a, b| b.importance.value().total_cmp(&a.importance.value())),
        SortBy::Recency => hits.sort_by_key(|hit| std::cmp::Reverse(hit.said_at)),
    }
}
