//! What a search gives back.

use std::time::Instant;

use aforesaid_core::{
    explain::Explain,
    pipeline::{Correction, Legs, confidence::Confidence},
    snippet::Snippet,
    store::Erasure,
    time::Times,
    types::{
        ConversationId, Granularity, Importance, Kind, MemoryId, Namespace, Record, Sensitivity, SessionId, Timestamp,
    },
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::no_vectors::NoVectors;

/// The hits of one query, or why there are none; serializes as the JSON of `search --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResponse {
    /// The question as asked.
    pub query: String,
    /// Who was asked.
    pub namespace: Namespace,
    /// What the hits are.
    pub unit: Granularity,
    /// The pipeline's name.
    pub pipeline: String,
    /// How sure this is that the best hit answers the question.
    pub confidence: Confidence,
    /// How many turns and notes, or how many sessions, could have been found.
    pub searched: usize,
    /// Best first, unless another order was asked for.
    pub hits: Vec<Hit>,
    /// The id of the best hit, which the confidence is about, where another order than that by relevance was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// How what the question says of time was understood: `time` and `order`, where it says something, and the query says
    /// when it is asked.
    #[serde(flatten)]
    pub times: Times,
    /// Why there are no hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoHits>,
    /// What the user should know, such as a leg that is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Where the time went.
    pub timing_ms: Timing,
}

/// One memory that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// Id of the turn or note; name of the session.
    pub id: String,
    /// Turn or note; not there for a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Its conversation.
    pub conversation: Option<ConversationId>,
    /// Its session.
    pub session: Option<SessionId>,
    /// The title of its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who said it; of a session, who said its best turn.
    pub speaker: Option<String>,
    /// When; of a session, when it began.
    pub said_at: Option<Timestamp>,
    /// What was said; of a session, its best turn.
    pub text: String,
    /// The part of the text that matches most.
    pub snippet: Snippet,
    /// The words of the whole text that match, as bytes from the first to before the last.
    #[serde(skip)]
    pub marks: Vec<[usize; 2]>,
    /// What an attached image shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_caption: Option<String>,
    /// Labels; of a session, those of its best turn.
    pub tags: Vec<String>,
    /// How much it matters, from 0 to 1; of a session, its best turn.
    pub importance: Importance,
    /// Whether its text may leave this machine; of a session, whether any turn shown may not.
    #[serde(rename = "sensitive")]
    pub sensitivity: Sensitivity,
    /// Anything else the source knew; of a session, of its best turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// What was said before it in its session, in order, where [`Memory::surround`](crate::Memory::surround) was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Record>,
    /// What was said after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Record>,
    /// Fused score; comparable within one answer only.
    pub score: f64,
    /// Where each leg put it.
    pub legs: Legs,
    /// Ids of older hits that would come before it if the question did not ask for what holds now. Only the first turn of a
    /// reranked search has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// Its score by a reranker; of a session, one by its turns. Not there without a reranker, and for what it
    /// was not shown or did not score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank_score: Option<f64>,
    /// A session's turns that speak most for it, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<BestTurn>,
    /// The cue question that speaks most for it, where it has some; of a session, one of its turns'.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
    /// How the score came about, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
}

/// A turn shown with its session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BestTurn {
    /// Its id.
    pub id: MemoryId,
    /// Who said it.
    pub speaker: Option<String>,
    /// When.
    pub said_at: Option<Timestamp>,
    /// What was said.
    pub text: String,
    /// The part of the text that matches most.
    pub snippet: Snippet,
    /// The words of the whole text that match, as bytes from the first to before the last.
    #[serde(skip)]
    pub marks: Vec<[usize; 2]>,
}

/// Why a search found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoHits {
    /// The query is blank.
    #[error("the query is empty; ask something")]
    EmptyQuery,
    /// No word of the query can tell one turn from another.
    #[error("the query has only stop words or signs; add a word that the answer is about")]
    OnlyStopWords,
    /// Nothing is stored there.
    #[error("nothing is stored in this scope")]
    EmptyHistory,
    /// No word of the query occurs.
    #[error("no word of the query occurs in this scope; try other words")]
    NothingMatches,
    /// What was found is less sure than asked for; the answer's confidence says how sure.
    #[error("nothing found is as likely to answer this as asked for")]
    LowConfidence,
}

/// Something that made an answer, or an import, less than it could be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// Words only.
    #[error("vectors are off, so this went by words only: {reason}")]
    LexicalOnly {
        /// Why.
        #[serde(flatten)]
        reason: NoVectors,
    },
    /// Kept without vectors.
    #[error("stored without vectors, to be found by words only: {reason}")]
    StoredWithoutVectors {
        /// Why.
        #[serde(flatten)]
        reason: NoVectors,
    },
    /// A word of the query that nothing holds.
    #[error("no turn says {:?}; searched for {}", beginning(.written), shown(.words))]
    Corrected {
        /// The word as written.
        written: String,
        /// The terms, as stems, that took its place.
        terms: Vec<String>,
        /// These as words, where they are known as words.
        words: Vec<String>,
    },
    /// A code or number of the query that nothing holds, so that what was found is about others.
    #[error("no turn says {:?}", beginning(.written))]
    Unsaid {
        /// As written.
        written: String,
    },
    /// Cue questions count where a namespace is held.
    #[error("this namespace is searched in the database, where its cue questions do not count")]
    CuesNotSearched,
    /// Some memories are not searched by meaning.
    #[error("{missing} of {total} memories have no vector and are found by their words only")]
    MissingVectors {
        /// How many.
        missing: usize,
        /// Of how many.
        total: usize,
    },
    /// The question is in a language that the encoder does not know.
    #[error(
        "the question seems to be in {language}, and {encoder} knows English only, so that this went by common words rather \
         than by meaning"
    )]
    ForeignQuery {
        /// The language, or the script of several.
        language: String,
        /// The name of the namespace's active encoder.
        encoder: String,
        /// A registered encoder that knows many languages.
        #[serde(skip_serializing_if = "Option::is_none")]
        multilingual: Option<&'static str>,
    },
    /// The first stage's order.
    #[error("not reranked, so this is the order of the search alone: {reason}")]
    RerankSkipped {
        /// Why.
        reason: String,
    },
    /// The learned stage of the pipeline was left out.
    #[error("ranked without the candidate ranker: {reason}")]
    RankerSkipped {
        /// Why.
        reason: String,
    },
    /// The query was read as the encoder reads it.
    #[error("the query was read without the query adapter {adapter}: {encoder} has none of that name")]
    QueryAdapterMissing {
        /// Its name, as the pipeline writes it.
        adapter: String,
        /// The namespace's active encoder.
        encoder: String,
    },
    /// Sensitive memories go to no server.
    #[error("memories found that are sensitive, and so were not shown to a language model: {count}")]
    SensitiveLeftOut {
        /// How many.
        count: usize,
    },
    /// What was forgotten is still in the log.
    #[error(
        "what was forgotten is gone from the store, but its log still holds the bytes, because somebody is reading; the next \
         opening of the store after they have finished empties it"
    )]
    ErasurePending,
    /// What was forgotten is in no row, and the server's files are its own.
    #[error(
        "what was forgotten is in no row of the database any more; the server's files, write-ahead log, standbys and backups \
         keep its bytes until they are overwritten or deleted there"
    )]
    ErasureLeftToServer,
    /// The end of an answer is missing.
    #[error("the answer stops after {tokens} tokens, the most it may have")]
    AnswerCut {
        /// How many it may have.
        tokens: u32,
    },
}

impl Warning {
    /// What a deletion leaves to be said.
    pub fn of_erasure(erasure: Erasure) -> Option<Self> {
        match erasure {
            Erasure::Complete => None,
            Erasure::Pending => Some(Self::ErasurePending),
            Erasure::LeftToServer => Some(Self::ErasureLeftToServer),
        }
    }
}

impl From<Correction> for Warning {
    fn from(Correction { written, terms, words }: Correction) -> Self {
        Self::Corrected { written, terms, words }
    }
}

/// Characters of a word of a query that a warning shows.
const WRITTEN: usize = 60;

/// A word of a query, or its beginning where it is endless.
fn beginning(written: &str) -> String {
    match written.char_indices().nth(WRITTEN) {
        Some((end, _)) => format!("{}…", &written[..end]),
        None => written.to_owned(),
    }
}

fn shown(words: &[String]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" and ")
}

/// Milliseconds by stage.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Timing {
    /// Loading the model, where it was not loaded before; the index may have been read beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// Encoding the query.
    pub encode: f64,
    /// Reranking, where a reranker was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<f64>,
    /// Having a model write an answer, where one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<f64>,
    /// Everything else.
    pub search: f64,
    /// From call to answer.
    pub total: f64,
}

impl Timing {
    /// Counts what is left since `started` as the search.
    pub(crate) fn end(&mut self, started: Instant) {
        self.total = millis(started);
        let told = self.load.unwrap_or_default()
            + self.encode
            + self.rerank.unwrap_or_default()
            + self.answer.unwrap_or_default();
        self.search = (self.total - told).max(0.0);
    }
}

/// Milliseconds since a moment.
pub(crate) fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
