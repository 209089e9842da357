//! From a question to an answer.

mod why;

pub use why::Why;

use std::{collections::HashMap, thread, time::Instant};

use aforesaid_core::{
    analysis::Question,
    dense::DenseIndex,
    error::StoreError,
    index::{CueIndex, Index, IndexSpec, Owned},
    pipeline::{
        self, Candidates, Detail, Exact, Legs, Names, Preset, RankedHit, Request, confidence::Confidence, rank,
    },
    store::Address,
    types::{ConversationId, CueId, Memory as Remembered, Query, Scope, Seq, SortBy, Tail, Timestamp, Unit, Vectors},
};

use crate::{
    answer::{Answer, BestTurn, Hit, NoHits, Timing, Warning},
    encoder::LazyEncoder,
    error::Error,
    memory::Memory,
};

/// How often a search starts over because another process took a hit away meanwhile.
const RETRIES: usize = 5;

/// Whether hits say how their scores came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Explanations {
    /// No.
    #[default]
    Omit,
    /// Yes.
    Include,
}

/// The hits of one query without their content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Best first.
    pub hits: Vec<Ranked>,
    /// What made the ranking less than it could be, such as a leg that is missing.
    pub warnings: Vec<Warning>,
    /// How sure the search is of its first hit, with the signals it was made from.
    pub confidence: Confidence,
}

/// A hit without its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Id of the turn or note; name of the session.
    pub id: String,
    /// Fused score; comparable within one answer only.
    pub score: f64,
    /// Where each leg put it.
    pub legs: Legs,
}

/// The dense side of one query.
struct Encoded {
    vector: Result<Vec<f32>, String>,
    millis: f64,
}

/// The part of a namespace that a query is about, with its names settled.
struct Part {
    scope: Scope,
    /// Nothing from this place on.
    before: Option<Seq>,
}

/// A query whose vector, if it has one, is made.
struct Ready {
    spec: IndexSpec,
    dim: usize,
    vector: Result<Vec<f32>, String>,
    encoding_millis: f64,
}

impl Asked<'_> {
    fn request<'r>(&'r self, vector: &'r Result<Vec<f32>, String>) -> Request<'r> {
        Request {
            question: &self.question,
            vector: vector.as_deref().ok(),
            unit: self.query.unit,
            k: self.query.k,
            tail: self.query.tail,
            detail: self.detail,
        }
    }

    /// Why there is nothing to look for, if so.
    fn unanswerable(&self) -> Option<NoHits> {
        match () {
            () if self.query.text.trim().is_empty() => Some(NoHits::EmptyQuery),
            // Everything can be listed without a word to go by.
            () if self.question.terms.is_empty() && self.query.tail == Tail::Matched => Some(NoHits::OnlyStopWords),
            () => None,
        }
    }
}

/// A query that is about to be answered.
struct Asked<'a> {
    query: &'a Query,
    preset: &'a Preset,
    part: Part,
    question: Question,
    detail: Detail,
}

/// What was made of the hits of a query.
struct Finished<T> {
    made: T,
    found: Found,
    encoding_millis: f64,
}

/// Hits by position in an index, translated to places in the store.
struct Found {
    hits: Vec<RankedHit>,
    places: Vec<Place>,
    reason: Option<NoHits>,
    warnings: Vec<Warning>,
    confidence: Confidence,
}

/// Where a hit's content is.
struct Place {
    /// The session, where the hit is one.
    session: Option<SessionPlace>,
    /// The hit itself, or a session's best turns.
    seqs: Vec<Seq>,
}

struct SessionPlace {
    name: String,
    began: Option<Timestamp>,
}

impl Memory {
    /// Finds the `k` best turns or sessions for a question.
    ///
    /// Every write that finished before the call is seen, by whichever process.
    /// Without an encoder the answer goes by words only and says so.
    ///
    /// # Errors
    /// When the namespace or a named part of it does not exist, when the namespace's vectors
    /// are another encoder's, or when the store fails.
    pub fn search(&self, query: &Query, preset: &Preset, explanations: Explanations) -> Result<Answer, Error> {
        let started = Instant::now();
        let detail = match explanations {
            Explanations::Omit => Detail::BestTurns,
            Explanations::Include => Detail::Explained,
        };
        let asked = self.ask(query, preset, detail)?;
        let mut answer = Answer {
            query: query.text.clone(),
            namespace: query.namespace.clone(),
            unit: query.unit,
            preset: preset.name.clone(),
            confidence: Confidence::default(),
            hits: Vec::new(),
            reason: asked.unanswerable(),
            warnings: Vec::new(),
            timing_ms: Timing::default(),
        };
        if answer.reason.is_none() {
            let finished = self.find(&asked, |found| self.load(query, found))?;
            answer.hits = finished.made;
            answer.reason = finished.found.reason;
            answer.warnings = finished.found.warnings;
            answer.confidence = match explanations {
                Explanations::Include => finished.found.confidence,
                Explanations::Omit => Confidence { signals: None, ..finished.found.confidence },
            };
            answer.timing_ms.encode = finished.encoding_millis;
        }
        answer.timing_ms.total = millis(started);
        answer.timing_ms.search = (answer.timing_ms.total - answer.timing_ms.encode).max(0.0);
        Ok(answer)
    }

    /// Ids and scores of the hits of [`Memory::search`] in the same order, for who needs no content;
    /// the order is by relevance.
    ///
    /// # Errors
    /// As [`Memory::search`].
    pub fn rank(&self, query: &Query, preset: &Preset) -> Result<Ranking, Error> {
        let asked = self.ask(query, preset, Detail::Scores)?;
        match asked.unanswerable() {
            Some(_) => Ok(Ranking::default()),
            None => {
                let finished = self.find(&asked, |found| self.name(query, found))?;
                let Found { warnings, confidence, .. } = finished.found;
                Ok(Ranking { hits: finished.made, warnings, confidence })
            }
        }
    }

    fn ask<'a>(&self, query: &'a Query, preset: &'a Preset, detail: Detail) -> Result<Asked<'a>, Error> {
        self.must_exist(&query.namespace)?;
        let scope = self.settle(&query.namespace, &query.scope)?;
        let part = Part { before: self.place_of(query, &scope)?, scope };
        Ok(Asked { query, preset, part, question: Question::new(&query.text, preset.analyzer), detail })
    }

    /// The place of the memory that a query asks to stop before.
    fn place_of(&self, query: &Query, scope: &Scope) -> Result<Option<Seq>, Error> {
        let Some(id) = &query.before else { return Ok(None) };
        let address = Address { id: id.clone(), conversation: scope.conversation.clone() };
        Ok(Some(self.one(&query.namespace, &address)?.seq))
    }

    /// Ranks, and has `finish` make something of the hits; it starts over where `finish` finds one gone.
    fn find<T>(
        &self,
        asked: &Asked<'_>,
        finish: impl Fn(&Found) -> Result<Option<T>, Error>,
    ) -> Result<Finished<T>, Error> {
        let ready = self.make_ready(asked)?;
        for _ in 0..RETRIES {
            let found = self.in_index(asked, &ready, |index| self.find_in(index, asked, &ready.vector))?;
            if let Some(made) = finish(&found)? {
                return Ok(Finished { made, found, encoding_millis: ready.encoding_millis });
            }
        }
        Err(self.never_at_rest())
    }

    /// Hits kept vanishing under a process that forgets without end.
    fn never_at_rest(&self) -> Error {
        Error::Store(StoreError::Damaged {
            location: self.location(),
            found: "the index names memories that the store does not have".to_owned(),
        })
    }

    /// Encodes the question, where its preset wants that.
    fn make_ready(&self, asked: &Asked<'_>) -> Result<Ready, Error> {
        let encoder = self.encoder_of(&asked.query.namespace, asked.preset)?;
        let id = encoder.as_ref().ok().map(|encoder| encoder.id().clone());
        let spec = IndexSpec { analyzer: asked.preset.analyzer, encoder: id };
        match encoder {
            Ok(encoder) => {
                let Encoded { vector, millis } = self.encode(encoder, asked, &spec)?;
                Ok(Ready { spec, dim: encoder.dim(), vector, encoding_millis: millis })
            }
            Err(reason) => Ok(Ready { spec, dim: 1, vector: Err(reason), encoding_millis: 0.0 }),
        }
    }

    /// Shows the up-to-date index of a query to `look`.
    fn in_index<T>(
        &self,
        asked: &Asked<'_>,
        ready: &Ready,
        look: impl FnOnce(&Index) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.indexes.with(&*self.store, &asked.query.namespace, &ready.spec, ready.dim, look)?
    }

    /// The question's vector; a model that is still to be loaded is, while the index is brought up to date.
    fn encode(&self, encoder: &LazyEncoder, asked: &Asked<'_>, spec: &IndexSpec) -> Result<Encoded, Error> {
        let leaves_names = asked.preset.dense.as_ref().is_some_and(|dense| dense.names == Names::Drop);
        let text = || match leaves_names {
            false => Ok(asked.query.text.clone()),
            true => self.indexes.with(&*self.store, &asked.query.namespace, spec, encoder.dim(), |index| {
                asked.question.without_names(index.documents().speakers())
            }),
        };
        let text = match encoder.is_loaded() {
            true => text(),
            false => thread::scope(|threads| {
                let loading = threads.spawn(|| encoder.get().map(|_| ()));
                let text = text();
                // Whatever became of it, the encoder says so when it is asked.
                let _ = loading.join();
                text
            }),
        }?;
        let started = Instant::now();
        let vector = encoder.get().and_then(|encoder| {
            let vectors = encoder.encode_queries(&[&text]).map_err(|error| error.to_string())?;
            vectors.get(0).map(<[f32]>::to_vec).ok_or_else(|| format!("{} gave no vector", encoder.id()))
        });
        Ok(Encoded { vector, millis: millis(started) })
    }

    fn find_in(&self, index: &Index, asked: &Asked<'_>, vector: &Result<Vec<f32>, String>) -> Result<Found, Error> {
        let Asked { query, preset, .. } = asked;
        let candidates = self.candidates(index, asked)?;
        if candidates.is_empty() {
            return Ok(Found::nothing(NoHits::EmptyHistory));
        }
        let warnings = check_vectors(index, preset, vector)?;
        let request = asked.request(vector);
        let ranked = self.with_exact(index, query, |exact| rank(index, preset, &candidates, &request, exact));
        let pipeline::Found { mut hits, signals } = ranked?;
        let confidence = Confidence::of(signals);
        let mut reason = hits.is_empty().then_some(NoHits::NothingMatches);
        if !hits.is_empty() && confidence.probability < query.min_confidence {
            hits.clear();
            reason = Some(NoHits::LowConfidence);
        }
        let places = hits.iter().map(|hit| place(index, hit, query.unit)).collect();
        Ok(Found { hits, places, reason, warnings, confidence })
    }

    /// What a query may find; a conversation that is not there was probably mistyped.
    fn candidates(&self, index: &Index, asked: &Asked<'_>) -> Result<Candidates, Error> {
        let scope = &asked.part.scope;
        let candidates = Candidates::within(index, scope, asked.part.before);
        let known = |name: &ConversationId| index.documents().conversation_number(name.as_str()).is_some();
        match candidates.is_empty() && !scope.conversation.as_ref().is_none_or(known) {
            true => Err(self.nothing_in(&asked.query.namespace, scope)),
            false => Ok(candidates),
        }
    }

    /// Lends `look` the vectors of an index as they are in the store.
    fn with_exact<T>(&self, index: &Index, query: &Query, look: impl FnOnce(Exact<'_>) -> T) -> T {
        let (namespace, encoder) = (&query.namespace, index.spec().encoder.as_ref());
        let texts = |texts: &[u32]| {
            let places: Vec<Seq> = texts.iter().map(|&text| index.documents().seq(text)).collect();
            encoder.map_or_else(|| Ok(Vectors::default()), |encoder| self.store.vectors(namespace, encoder, &places))
        };
        let cues = |rows: Option<&Owned>, places: &[u32]| {
            let ids: Vec<CueId> = rows.map_or_else(Vec::new, |rows| places.iter().map(|&row| rows.id(row)).collect());
            encoder.map_or_else(|| Ok(Vectors::default()), |encoder| self.store.cue_vectors(namespace, encoder, &ids))
        };
        let questions = |rows: &[u32]| cues(index.cues().map(|cues| cues.questions().rows()), rows);
        let passages = |rows: &[u32]| cues(index.cues().map(CueIndex::passages), rows);
        look(Exact { texts: &texts, questions: &questions, passages: &passages })
    }

    /// The ids of hits; `None` when one is gone since they were ranked.
    fn name(&self, query: &Query, found: &Found) -> Result<Option<Vec<Ranked>>, Error> {
        let scores = found.hits.iter().map(|hit| (hit.score, hit.legs));
        let ids: Vec<String> = match query.unit {
            Unit::Session => {
                found.places.iter().filter_map(|place| Some(place.session.as_ref()?.name.clone())).collect()
            }
            Unit::Turn => {
                let places: Vec<Seq> = found.places.iter().flat_map(|place| place.seqs.iter().copied()).collect();
                self.store.ids(&query.namespace, &places)?.into_iter().map(String::from).collect()
            }
        };
        let whole = ids.len() == found.hits.len();
        let ranked = |(id, (score, legs))| Ranked { id, score, legs };
        Ok(whole.then(|| ids.into_iter().zip(scores).map(ranked).collect()))
    }

    /// Fetches the content of hits; `None` when one is gone since they were ranked.
    fn load(&self, query: &Query, found: &Found) -> Result<Option<Vec<Hit>>, Error> {
        let places: Vec<Seq> = found.places.iter().flat_map(|place| place.seqs.iter().copied()).collect();
        let Some(memories) = self.fetch_all(&query.namespace, &places)? else { return Ok(None) };
        let cues: Vec<CueId> = found.hits.iter().filter_map(|hit| hit.cue).collect();
        let questions: HashMap<CueId, String> = self.store.questions(&query.namespace, &cues)?.into_iter().collect();
        let mut memories = memories.into_iter();
        let mut hits = Vec::with_capacity(found.hits.len());
        for (ranked, place) in found.hits.iter().zip(&found.places) {
            let memories: Vec<Remembered> = memories.by_ref().take(place.seqs.len()).collect();
            let Some(best) = memories.first() else { return Ok(None) };
            let importance = best.importance.value();
            let mut hit = match &place.session {
                None => turn_hit(best.clone(), ranked),
                Some(session) => session_hit(session, memories, ranked),
            };
            hit.cue = ranked.cue.and_then(|id| questions.get(&id).cloned());
            hit.explain = ranked.explain.clone();
            hits.push((importance, hit));
        }
        Ok(Some(ordered(hits, query.sort_by)))
    }
}

/// Says what is missing of the dense leg, if the preset has one.
fn check_vectors(index: &Index, preset: &Preset, vector: &Result<Vec<f32>, String>) -> Result<Vec<Warning>, Error> {
    if preset.dense.is_none() {
        return Ok(Vec::new());
    }
    let total = index.documents().len();
    let reason = match (vector, index.dense().map(DenseIndex::vectors)) {
        (Err(reason), _) => reason.clone(),
        (Ok(_), Some(present)) if present < total => {
            return Ok(vec![Warning::MissingVectors { missing: total - present, total }]);
        }
        (Ok(_), Some(_)) => return Ok(Vec::new()),
        (Ok(_), None) => "none are stored; `aforesaid reembed` makes them".to_owned(),
    };
    match preset.lexical {
        None => Err(Error::NoDenseLeg { preset: preset.name.clone(), reason }),
        Some(_) => Ok(vec![Warning::LexicalOnly { reason }]),
    }
}

fn place(index: &Index, hit: &RankedHit, unit: Unit) -> Place {
    let documents = index.documents();
    match unit {
        Unit::Turn => Place { session: None, seqs: vec![documents.seq(hit.candidate)] },
        Unit::Session => {
            let session = &documents.sessions()[hit.candidate as usize];
            // A session that is only listed has no turn with evidence: its first stands for it.
            let turns = if hit.best_turns.is_empty() { &session.turns[..1] } else { &hit.best_turns[..] };
            Place {
                session: Some(SessionPlace {
                    name: session.name.clone(),
                    began: session.turns.iter().filter_map(|&turn| documents.said_at(turn)).min(),
                }),
                seqs: turns.iter().map(|&turn| documents.seq(turn)).collect(),
            }
        }
    }
}

fn turn_hit(memory: Remembered, ranked: &RankedHit) -> Hit {
    Hit {
        id: memory.id.into(),
        kind: Some(memory.kind),
        conversation: memory.conversation,
        session: memory.session,
        speaker: memory.speaker,
        said_at: memory.said_at,
        text: memory.text,
        image_caption: memory.image_caption,
        score: ranked.score,
        legs: ranked.legs,
        turns: Vec::new(),
        cue: None,
        explain: None,
    }
}

fn session_hit(session: &SessionPlace, turns: Vec<Remembered>, ranked: &RankedHit) -> Hit {
    let best = turns.first();
    Hit {
        id: session.name.clone(),
        kind: None,
        conversation: best.and_then(|turn| turn.conversation.clone()),
        session: best.and_then(|turn| turn.session.clone()),
        speaker: best.and_then(|turn| turn.speaker.clone()),
        said_at: session.began,
        text: best.map(|turn| turn.text.clone()).unwrap_or_default(),
        image_caption: best.and_then(|turn| turn.image_caption.clone()),
        score: ranked.score,
        legs: ranked.legs,
        turns: turns.into_iter().map(BestTurn::from).collect(),
        cue: None,
        explain: None,
    }
}

/// Sorts are stable: where the key ties, relevance decides.
fn ordered(mut hits: Vec<(f64, Hit)>, sort_by: SortBy) -> Vec<Hit> {
    match sort_by {
        SortBy::Relevance => {}
        SortBy::Importance => hits.sort_by(|(a, _), (b, _)| b.total_cmp(a)),
        SortBy::Recency => hits.sort_by_key(|(_, hit)| std::cmp::Reverse(hit.said_at)),
    }
    hits.into_iter().map(|(_, hit)| hit).collect()
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

impl Found {
    fn nothing(reason: NoHits) -> Self {
        Self {
            hits: Vec::new(),
            places: Vec::new(),
            reason: Some(reason),
            warnings: Vec::new(),
            confidence: Confidence::default(),
        }
    }
}
