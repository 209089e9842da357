//! From a question to an answer.

mod ask;
mod hits;
mod judging;
mod why;

pub use ask::{Asked, Asking, Context, SensitiveMemories, Source};
pub use judging::Judging;
pub use why::Why;

use std::{num::NonZeroUsize, thread, time::Instant};

use aforesaid_core::{
    analysis::Question,
    dense::DenseIndex,
    error::StoreError,
    index::{CueIndex, Index, IndexSpec, Owned},
    pipeline::{
        self, Candidates, Detail, Exact, Legs, Names, Preset, RankedHit, Request, confidence::Confidence, rank,
    },
    store::{Address, Store},
    types::{ConversationId, CueId, Query, Scope, Seq, Tail, Unit, Vectors},
};

use crate::{
    answer::{Answer, NoHits, Timing, Warning, millis},
    encoder::LazyEncoder,
    error::Error,
    memory::{Memory, must_serve},
    search::{hits::Place, judging::Evidence},
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
    /// Where each leg put it; told of the first hit of the first stage only.
    pub legs: Legs,
    /// What a judge gave it, from 0 to 1.
    pub judged: Option<f64>,
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

impl Posed<'_> {
    fn request<'r>(&'r self, vector: &'r Result<Vec<f32>, String>) -> Request<'r> {
        Request {
            question: &self.question,
            vector: vector.as_deref().ok(),
            unit: self.query.unit,
            k: self.depth.map_or(self.query.k, |depth| self.query.k.max(depth)),
            tail: self.query.tail,
            detail: self.detail,
        }
    }

    /// What is looked for keeps changing.
    fn never_at_rest(&self) -> Error {
        Error::Store(StoreError::Outdated { namespace: self.query.namespace.clone() })
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
struct Posed<'a> {
    query: &'a Query,
    preset: &'a Preset,
    /// How many turns a judge is shown, if one is.
    depth: Option<NonZeroUsize>,
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
    /// What a judge is shown, best first.
    evidence: Vec<Evidence>,
    /// What judging took, where a judge was asked.
    judging_millis: Option<f64>,
    reason: Option<NoHits>,
    warnings: Vec<Warning>,
    confidence: Confidence,
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
        self.answer(query, preset, explanations, None)
    }

    /// [`Memory::search`], whose best turns a language model puts in order before the `k` best are taken.
    ///
    /// Of sessions the turns are judged, and each is worth what its best turn is. Score and confidence stay those of the
    /// first stage. Where judging fails, so does the order, and a warning says why.
    ///
    /// # Errors
    /// As [`Memory::search`]; and when the judge's settings make no sense.
    pub fn search_judged(
        &self,
        query: &Query,
        preset: &Preset,
        explanations: Explanations,
        judging: &Judging<'_>,
    ) -> Result<Answer, Error> {
        self.answer(query, preset, explanations, Some(judging))
    }

    fn answer(
        &self,
        query: &Query,
        preset: &Preset,
        explanations: Explanations,
        judging: Option<&Judging<'_>>,
    ) -> Result<Answer, Error> {
        let started = Instant::now();
        let detail = match explanations {
            Explanations::Omit => Detail::BestTurns,
            Explanations::Include => Detail::Explained,
        };
        let posed = self.pose(query, preset, detail, judging.map(|judging| judging.depth))?;
        let mut answer = Answer {
            query: query.text.clone(),
            namespace: query.namespace.clone(),
            unit: query.unit,
            preset: preset.name.clone(),
            confidence: Confidence::default(),
            hits: Vec::new(),
            reason: posed.unanswerable(),
            warnings: Vec::new(),
            timing_ms: Timing::default(),
        };
        if answer.reason.is_none() {
            let finished = self.find_judged(&posed, judging, |store, found| Self::load(store, query, found))?;
            answer.hits = finished.made;
            answer.reason = finished.found.reason;
            answer.warnings = finished.found.warnings;
            answer.confidence = match explanations {
                Explanations::Include => finished.found.confidence,
                Explanations::Omit => Confidence { signals: None, ..finished.found.confidence },
            };
            answer.timing_ms.encode = finished.encoding_millis;
            answer.timing_ms.judge = finished.found.judging_millis;
        }
        answer.timing_ms.end(started);
        Ok(answer)
    }

    /// Ids and scores of the hits of [`Memory::search`] in the same order, for who needs no content;
    /// the order is by relevance.
    ///
    /// # Errors
    /// As [`Memory::search`].
    pub fn rank(&self, query: &Query, preset: &Preset) -> Result<Ranking, Error> {
        self.ranking(query, preset, None)
    }

    /// Ids and scores of the hits of [`Memory::search_judged`] in the same order.
    ///
    /// # Errors
    /// As [`Memory::search_judged`].
    pub fn rank_judged(&self, query: &Query, preset: &Preset, judging: &Judging<'_>) -> Result<Ranking, Error> {
        self.ranking(query, preset, Some(judging))
    }

    fn ranking(&self, query: &Query, preset: &Preset, judging: Option<&Judging<'_>>) -> Result<Ranking, Error> {
        let posed = self.pose(query, preset, Detail::Scores, judging.map(|judging| judging.depth))?;
        match posed.unanswerable() {
            Some(_) => Ok(Ranking::default()),
            None => {
                let finished = self.find_judged(&posed, judging, |store, found| Self::name(store, query, found))?;
                let Found { warnings, confidence, .. } = finished.found;
                Ok(Ranking { hits: finished.made, warnings, confidence })
            }
        }
    }

    fn pose<'a>(
        &self,
        query: &'a Query,
        preset: &'a Preset,
        detail: Detail,
        depth: Option<NonZeroUsize>,
    ) -> Result<Posed<'a>, Error> {
        self.must_exist(&query.namespace)?;
        let scope = self.settle(&query.namespace, &query.scope)?;
        let part = Part { before: self.place_of(query, &scope)?, scope };
        Ok(Posed { query, preset, depth, part, question: Question::new(&query.text, preset.analyzer), detail })
    }

    /// The place of the memory that a query asks to stop before.
    fn place_of(&self, query: &Query, scope: &Scope) -> Result<Option<Seq>, Error> {
        let Some(id) = &query.before else { return Ok(None) };
        let address = Address { id: id.clone(), conversation: scope.conversation.clone() };
        Ok(Some(self.one(&query.namespace, &address)?.seq))
    }

    /// Ranks, and has `finish` make something of the hits; it starts over where something of them is gone meanwhile.
    ///
    /// Others may forget without end: at last it holds a view in which nothing changes.
    fn find<T>(
        &self,
        posed: &Posed<'_>,
        finish: impl Fn(&dyn Store, &mut Found) -> Result<Option<T>, Error>,
    ) -> Result<Finished<T>, Error> {
        let ready = self.make_ready(posed)?;
        let look = |store: &dyn Store, index: &Index| self.find_in(store, index, posed, &ready.vector);
        let finished = |made, found| Finished { made, found, encoding_millis: ready.encoding_millis };
        for _ in 0..RETRIES {
            let found =
                self.in_index(posed, &ready, |index| look(&*self.store, index).map(|found| (found, index.version())));
            let Some((mut found, version)) = unless_outdated(found)? else { continue };
            if let Some(made) = unless_outdated(finish(&*self.store, &mut found))?.flatten() {
                return Ok(finished(made, found));
            }
            // Nothing was forgotten since: starting over would find the same.
            if self.store.version(&posed.query.namespace)? == version {
                break;
            }
        }
        let (view, mut found) = self.in_steady_index(posed, &ready, look)?;
        match finish(&*view, &mut found)? {
            Some(made) => Ok(finished(made, found)),
            // Nothing was forgotten in this view: the row was lost, and will not come back.
            None => Err(Error::Store(StoreError::Damaged {
                location: self.location(),
                found: "the index names memories that the store does not have".to_owned(),
            })),
        }
    }

    /// Encodes the question, where its preset wants that.
    fn make_ready(&self, posed: &Posed<'_>) -> Result<Ready, Error> {
        let encoder = self.encoder_of(&posed.query.namespace, posed.preset)?;
        let id = encoder.as_ref().ok().map(|encoder| encoder.id().clone());
        let spec = IndexSpec { analyzer: posed.preset.analyzer, encoder: id };
        match encoder {
            Ok(encoder) => {
                let Encoded { vector, millis } = self.encode(encoder, posed, &spec)?;
                Ok(Ready { spec, dim: encoder.dim(), vector, encoding_millis: millis })
            }
            Err(reason) => Ok(Ready { spec, dim: 1, vector: Err(reason), encoding_millis: 0.0 }),
        }
    }

    /// Shows the up-to-date index of a query to `look`.
    fn in_index<T>(
        &self,
        posed: &Posed<'_>,
        ready: &Ready,
        look: impl FnOnce(&Index) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let looked = self.indexes.with(&*self.store, &posed.query.namespace, &ready.spec, ready.dim, look)?;
        self.still_serves(&*self.store, posed, ready)?;
        looked
    }

    /// Shows the index of a query to `look` with a view of the store at the same version, and keeps that view.
    fn in_steady_index<T>(
        &self,
        posed: &Posed<'_>,
        ready: &Ready,
        look: impl FnOnce(&dyn Store, &Index) -> Result<T, Error>,
    ) -> Result<(Box<dyn Store>, T), Error> {
        let namespace = &posed.query.namespace;
        let (view, looked) = self.indexes.with_steady(&*self.store, namespace, &ready.spec, ready.dim, look)?;
        self.still_serves(&*view, posed, ready)?;
        Ok((view, looked?))
    }

    /// Other vectors may have begun to serve since the question was encoded: then an index lacks those it was made for.
    fn still_serves(&self, store: &dyn Store, posed: &Posed<'_>, ready: &Ready) -> Result<(), Error> {
        match &ready.spec.encoder {
            Some(encoder) => must_serve(store, &posed.query.namespace, encoder).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The question's vector; a model that is still to be loaded is, while the index is brought up to date.
    fn encode(&self, encoder: &LazyEncoder, posed: &Posed<'_>, spec: &IndexSpec) -> Result<Encoded, Error> {
        let leaves_names = posed.preset.dense.as_ref().is_some_and(|dense| dense.names == Names::Drop);
        let text = || match leaves_names {
            false => Ok(posed.query.text.clone()),
            true => self.indexes.with(&*self.store, &posed.query.namespace, spec, encoder.dim(), |index| {
                posed.question.without_names(index.documents().speakers())
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

    fn find_in(
        &self,
        store: &dyn Store,
        index: &Index,
        posed: &Posed<'_>,
        vector: &Result<Vec<f32>, String>,
    ) -> Result<Found, Error> {
        let Posed { query, preset, .. } = posed;
        let candidates = self.candidates(index, posed)?;
        if candidates.is_empty() {
            return Ok(Found::nothing(NoHits::EmptyHistory));
        }
        let warnings = check_vectors(index, preset, vector)?;
        let request = posed.request(vector);
        let ranked = with_exact(store, index, query, |exact| rank(index, preset, &candidates, &request, exact));
        let pipeline::Found { mut hits, signals } = ranked?;
        let confidence = Confidence::of(signals);
        let mut reason = hits.is_empty().then_some(NoHits::NothingMatches);
        if !hits.is_empty() && confidence.probability < query.min_confidence {
            hits.clear();
            reason = Some(NoHits::LowConfidence);
        }
        let places: Vec<Place> = hits.iter().map(|hit| Place::of(index, hit, query.unit)).collect();
        let evidence = match posed.depth.filter(|_| !hits.is_empty()) {
            None => Vec::new(),
            Some(depth) => match query.unit {
                Unit::Turn => Evidence::of_turns(&places, depth),
                Unit::Session => {
                    let turns = Request { unit: Unit::Turn, k: depth, detail: Detail::Scores, ..request };
                    let ranked =
                        with_exact(store, index, query, |exact| rank(index, preset, &candidates, &turns, exact));
                    Evidence::of_sessions(index, &hits, &ranked?.hits)
                }
            },
        };
        Ok(Found { hits, places, evidence, judging_millis: None, reason, warnings, confidence })
    }

    /// What a query may find; a conversation that is not there was probably mistyped.
    fn candidates(&self, index: &Index, posed: &Posed<'_>) -> Result<Candidates, Error> {
        let scope = &posed.part.scope;
        let candidates = Candidates::within(index, scope, posed.part.before);
        let known = |name: &ConversationId| index.documents().conversation_number(name.as_str()).is_some();
        match candidates.is_empty() && !scope.conversation.as_ref().is_none_or(known) {
            true => Err(self.nothing_in(&posed.query.namespace, scope)),
            false => Ok(candidates),
        }
    }
}

/// Lends `look` the vectors of an index as they are in the store.
fn with_exact<T>(store: &dyn Store, index: &Index, query: &Query, look: impl FnOnce(Exact<'_>) -> T) -> T {
    let namespace = &query.namespace;
    let of = index.spec().encoder.as_ref().zip(index.version());
    let texts = |texts: &[u32]| {
        let places: Vec<Seq> = texts.iter().map(|&text| index.documents().seq(text)).collect();
        of.map_or_else(|| Ok(Vectors::default()), |(encoder, at)| store.vectors(namespace, encoder, &places, at))
    };
    let cues = |rows: Option<&Owned>, places: &[u32]| {
        let ids: Vec<CueId> = rows.map_or_else(Vec::new, |rows| places.iter().map(|&row| rows.id(row)).collect());
        of.map_or_else(|| Ok(Vectors::default()), |(encoder, at)| store.cue_vectors(namespace, encoder, &ids, at))
    };
    let questions = |rows: &[u32]| cues(index.cues().map(|cues| cues.questions().rows()), rows);
    let passages = |rows: &[u32]| cues(index.cues().map(CueIndex::passages), rows);
    look(Exact { texts: &texts, questions: &questions, passages: &passages })
}

/// What was found, or nothing where others changed what was being read.
fn unless_outdated<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Err(Error::Store(StoreError::Outdated { .. })) => Ok(None),
        found => found.map(Some),
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

impl Found {
    /// Where the content of all hits is, in their order.
    fn seqs(&self) -> Vec<Seq> {
        self.places.iter().flat_map(|place| place.seqs.iter().copied()).collect()
    }

    fn nothing(reason: NoHits) -> Self {
        Self {
            hits: Vec::new(),
            places: Vec::new(),
            evidence: Vec::new(),
            judging_millis: None,
            reason: Some(reason),
            warnings: Vec::new(),
            confidence: Confidence::default(),
        }
    }
}
