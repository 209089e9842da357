//! Answers that a language model writes from what a search finds, and the context for other models.

use std::{collections::BTreeSet, time::Instant};

use aforesaid_core::{
    analysis::Question,
    pipeline::{Detail, Pipeline, confidence::Confidence},
    store::Store,
    time::Times,
    types::{Granularity, Namespace, Query, Record, Sensitivity, SortBy, Timestamp, Zone},
};
use aforesaid_llm::{
    AnswerSettings, Ask, Chat, ContextMemory, Freshness, Outcome, ReplyFault, Sought, StreamFilter, Support, Usage,
    citations, context_block, not_given, without_reasoning,
};
use serde::Serialize;

use super::{FoundHits, PreparedQuery, Reranking};
use crate::{
    answer::{NoHits, Timing, Warning, millis},
    calendar::{calendar, calendar_in},
    error::Error,
    memory::Memory,
};

/// Below this probability that the history has an answer at all, a model is told that it may well have none: it is then
/// likelier not to. The probability is calibrated (docs/decisions/0009).
const DOUBTFUL: f64 = 0.5;

/// Characters shown of what a model says instead of answering.
const SHOWN: usize = 200;

/// What is asked, and from what it is answered.
#[derive(Debug, Clone)]
pub struct Asking<'a> {
    /// The question; its `k` memories are the context (k_ctx, 5 in ROXY), turns and notes by relevance, whatever its
    /// `unit` and `sort_by` say.
    pub query: &'a Query,
    /// The pipeline that finds them.
    pub pipeline: &'a Pipeline,
    /// How they are reranked, if they are.
    pub reranking: Option<Reranking<'a>>,
    /// How many turns before and after each are shown too.
    pub around: u32,
    /// How the answer is written.
    pub settings: AnswerSettings,
}

/// Whether a context holds memories that may not leave this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SensitiveMemories {
    /// It does not, and a warning counts them.
    #[default]
    LeaveOut,
    /// It does.
    Include,
}

/// A memory of a context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    /// What it is cited by: its id; where another memory of the context has that too, the conversation stands before it.
    pub cite: String,
    /// The memory.
    #[serde(flatten)]
    pub memory: Record,
    /// Fused score; not there for one that was not found itself, but stands beside one that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Its score by a reranker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank_score: Option<f64>,
}

/// The memories that a question is to be answered from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Context {
    /// The question as asked.
    pub query: String,
    /// Who was asked.
    pub namespace: Namespace,
    /// The pipeline's name.
    pub pipeline: String,
    /// How sure the search is.
    pub confidence: Confidence,
    /// What was found, best first, each between the turns around it; none twice.
    pub memories: Vec<Source>,
    /// How what the question says of time was understood.
    #[serde(flatten)]
    pub times: Times,
    /// Why nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoHits>,
    /// What the user should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Where the time went.
    pub timing_ms: Timing,
}

/// What came of asking; serializes as the JSON of `ask --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The answer with its citations as the model wrote them; `None` where the memories do not hold it.
    pub answer: Option<String>,
    /// Whether the memories hold the answer: what the model said, or that there was nothing to show it.
    pub mentioned: bool,
    /// The [`Source::cite`] of the memories that the answer cites, in the order of citing.
    pub citations: Vec<String>,
    /// What the answer cites as an id and the model was not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_shown: Vec<String>,
    /// Tokens that the answer took, now or when it was kept; `None` where no model was asked for one.
    pub usage: Option<Usage>,
    /// What the model was shown.
    #[serde(flatten)]
    pub context: Context,
}

impl Context {
    /// The memories as text for any model: see [`context_block`].
    pub fn prompt(&self) -> String {
        context_block(&self.shown())
    }

    /// [`Context::prompt`], with times as clocks show them in a zone.
    pub fn prompt_in(&self, zone: &Zone) -> String {
        context_block(&self.shown_by(&|said_at| calendar_in(zone, said_at)))
    }

    fn shown(&self) -> Vec<ContextMemory> {
        self.shown_by(&calendar)
    }

    fn shown_by(&self, time: &dyn Fn(Timestamp) -> String) -> Vec<ContextMemory> {
        let shown = |source: &Source| ContextMemory {
            id: source.cite.clone(),
            passage: source.memory.passage(),
            said_at: source.memory.said_at.map(time),
        };
        self.memories.iter().map(shown).collect()
    }
}

impl Memory {
    /// Finds what a question can be answered from. No language model is asked, unless it is the reranker.
    ///
    /// # Errors
    /// As [`Memory::search`], or, with a reranker, [`Memory::search_reranked`].
    pub fn context(&self, asking: &Asking<'_>, sensitive: SensitiveMemories) -> Result<Context, Error> {
        let started = Instant::now();
        let query = Query { unit: Granularity::Turn, sort_by: SortBy::Relevance, ..asking.query.clone() };
        let reranking = asking.reranking;
        let posed = self.pose(&query, asking.pipeline, Detail::Scores, reranking.map(Reranking::plan))?;
        let mut context = Context {
            query: query.text.clone(),
            namespace: query.namespace.clone(),
            pipeline: asking.pipeline.name.clone(),
            confidence: Confidence::default(),
            memories: Vec::new(),
            times: posed.times(),
            reason: posed.unanswerable(),
            warnings: Vec::new(),
            timing_ms: Timing::default(),
        };
        if context.reason.is_none() {
            let sources = |store: &dyn Store, found: &FoundHits| Self::sources(store, &posed, found, asking.around);
            let finished = self.find_reranked(&posed, reranking, sources)?;
            let found = finished.found;
            context.confidence = Confidence { signals: None, ..found.confidence };
            context.reason = found.reason;
            context.warnings = found.warnings;
            context.timing_ms.load = finished.loading_millis;
            context.timing_ms.encode = finished.encoding_millis;
            context.timing_ms.rerank = found.rerank_millis;
            context.memories = finished.made;
        }
        if sensitive == SensitiveMemories::LeaveOut {
            let found = context.memories.len();
            context.memories.retain(|source| source.memory.sensitivity == Sensitivity::Ordinary);
            let count = found - context.memories.len();
            context.warnings.extend((count > 0).then_some(Warning::SensitiveLeftOut { count }));
        }
        cite(&mut context.memories);
        context.timing_ms.end(started);
        Ok(context)
    }

    /// Has a language model answer from the memories that a search finds, and hands each piece of the answer to `each`
    /// as it comes. Sensitive memories are not shown to it. Without a memory to show, no model is asked.
    ///
    /// # Errors
    /// As [`Memory::context`]; when the settings make no sense, the model cannot be asked or does not answer; and when
    /// the answer breaks off, after the pieces that came.
    pub fn ask(&self, asking: &Asking<'_>, chat: &Chat, each: &mut dyn FnMut(&str)) -> Result<Answer, Error> {
        let started = Instant::now();
        asking.settings.check()?;
        let context = self.context(asking, SensitiveMemories::LeaveOut)?;
        let mut asked = Answer {
            answer: None,
            mentioned: false,
            citations: Vec::new(),
            not_shown: Vec::new(),
            usage: None,
            context,
        };
        if asked.context.memories.is_empty() {
            return Ok(asked);
        }
        let (query, answering) = (asking.query, Instant::now());
        let memories = asked.context.shown();
        let ask = Ask {
            question: &query.text,
            memories: &memories,
            sought: match Question::new(&query.text, asking.pipeline.analyzer).asks_when {
                true => Sought::Date,
                false => Sought::Fact,
            },
            support: match asked.context.confidence.answerable < DOUBTFUL {
                true => Support::Doubtful,
                false => Support::Likely,
            },
        };
        let mut filter = StreamFilter::new(each);
        let mut hear = |piece: &str| filter.push(piece);
        let reply = chat.stream(&ask.request(&asking.settings), Freshness::CacheAllowed, &mut hear)?;
        filter.end();
        let (text, cut) = text_of(reply.outcome)?;
        if cut {
            asked.context.warnings.push(Warning::AnswerCut { tokens: asking.settings.max_tokens });
        }
        asked.usage = Some(reply.usage);
        asked.mentioned = !denies(&text);
        if asked.mentioned {
            let given: Vec<&str> = memories.iter().map(|memory| memory.id.as_str()).collect();
            asked.citations = citations(&text, &given);
            asked.not_shown = not_given(&text, &given);
            asked.answer = Some(text);
        }
        asked.context.timing_ms.answer = Some(millis(answering));
        asked.context.timing_ms.end(started);
        Ok(asked)
    }

    /// What was found with what stands around it; `None` where something of it is gone since.
    fn sources(
        store: &dyn Store,
        posed: &PreparedQuery<'_>,
        found: &FoundHits,
        around: u32,
    ) -> Result<Option<Vec<Source>>, Error> {
        let (namespace, part) = (&posed.query.namespace, &posed.part);
        let seqs = found.seqs();
        let Some(memories) = Self::fetch_all(store, namespace, &seqs)? else { return Ok(None) };
        let mut known: BTreeSet<_> = seqs.into_iter().collect();
        let mut sources = Vec::with_capacity(memories.len());
        for ((memory, hit), place) in memories.into_iter().zip(&found.hits).zip(&found.places) {
            let near = match around {
                0 => Vec::new(),
                turns => store.around(namespace, memory.seq, turns, turns)?,
            };
            // Whoever asks about a part of a history, or a moment in it, is not shown what lies beyond.
            let is_within = |other: &Record| {
                part.before.is_none_or(|before| other.seq < before)
                    && part.scope.covers(other.said_at)
                    && part.scope.filter.admits(other)
            };
            let new = near.into_iter().filter(|other| is_within(other) && known.insert(other.seq));
            let (before, after): (Vec<_>, Vec<_>) = new.partition(|other| other.seq < memory.seq);
            let beside = |memory| Source { cite: String::new(), memory, score: None, rerank_score: None };
            sources.extend(before.into_iter().map(beside));
            sources.push(Source {
                cite: String::new(),
                memory,
                score: Some(hit.score),
                rerank_score: place.rerank.score,
            });
            sources.extend(after.into_iter().map(beside));
        }
        Ok(Some(sources))
    }
}

/// Gives every memory a name of its own to be cited by.
fn cite(sources: &mut [Source]) {
    let mut taken = BTreeSet::new();
    for source in sources {
        let (id, conversation) = (source.memory.id.as_str(), &source.memory.conversation);
        let within = conversation.iter().map(|conversation| format!("{conversation}/{id}"));
        let numbered = (2..).map(|number: u64| format!("{id}#{number}"));
        let mut names = [id.to_owned()].into_iter().chain(within).chain(numbered);
        source.cite = names.find(|name| taken.insert(name.clone())).unwrap_or_default();
    }
}

/// The text of an answer without the reasoning before it, and whether its end is missing.
fn text_of(outcome: Outcome) -> Result<(String, bool), Error> {
    let refused = |reason: String| Err(Error::NoAnswer { reason });
    let (text, cut) = match outcome {
        Outcome::Text(text) => (text, false),
        Outcome::Cut(text) => (text, true),
        Outcome::Filtered => return refused(ReplyFault::Filtered.to_string()),
        Outcome::Refused(said) => {
            return refused(ReplyFault::Refused(said.chars().take(SHOWN).collect()).to_string());
        }
        _ => (String::new(), false),
    };
    match (without_reasoning(&text).trim(), cut) {
        ("", true) => refused(ReplyFault::Cut.to_string()),
        ("", false) => refused("it wrote nothing; ask another model".to_owned()),
        (text, cut) => Ok((text.to_owned(), cut)),
    }
}

/// Whether a model says that the memories do not hold the answer, give or take a sign.
fn denies(text: &str) -> bool {
    let letters = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    letters(text) == letters(aforesaid_llm::NOT_MENTIONED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_is_all_that_is_said() {
        for text in ["Not mentioned.", "not mentioned", "\"Not mentioned.\"\n", "**Not mentioned**"] {
            assert!(denies(text), "{text}");
        }
        for text in ["It was not mentioned.", "Not mentioned by Ann [1].", ""] {
            assert!(!denies(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_answer_says_what_to_do() {
        let message = |outcome| text_of(outcome).unwrap_err().to_string();
        assert!(message(Outcome::Refused("I cannot.".repeat(99))).len() < 300);
        assert!(message(Outcome::Refused("I cannot.".into())).contains("declined: I cannot.; ask another model"));
        assert!(message(Outcome::Cut(" ".into())).contains("allow more tokens"));
        assert!(message(Outcome::Filtered).contains("ask another server"));
        assert!(message(Outcome::Malformed(String::new())).contains("it wrote nothing"));
        assert!(message(Outcome::Cut("<think>A kite".into())).contains("allow more tokens"));
        assert_eq!(text_of(Outcome::Cut(" The kite".into())).unwrap(), ("The kite".to_owned(), true));
        assert_eq!(text_of(Outcome::Text("A kite?</think> The kite".into())).unwrap(), ("The kite".to_owned(), false));
    }
}
