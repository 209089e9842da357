//! From a question to an answer.

mod as_written;
mod ask;
mod features;
mod foreign;
mod found;
mod hits;
mod in_store;
mod llm_reranker;
mod prepared;
mod reranking;
mod surroundings;
mod why;

pub use ask::{Answer, Asking, Context, SensitiveMemories, Source};
pub use features::CandidateFeatures;
pub use found::{Ranked, Ranking};
pub use llm_reranker::LlmReranker;
pub use reranking::Reranking;
pub use why::Why;

use std::{thread, time::Instant};

use aforesaid_core::{
    analysis::Question,
    dense::DenseIndex,
    error::StoreError,
    index::{CueIndex, Index, IndexSpec, OwnedRows, VectorCandidates},
    lexical::Bm25,
    pipeline::{
        Candidates, Detail, Exact, Pipeline, RankedCandidates, Request, SpeakerNames, confidence::Confidence, rank,
    },
    store::{MemoryRef, Store, WindowRef},
    types::{ConversationId, CueId, Granularity, Query, Scope, Seq, SortBy, Vectors},
};

use crate::{
    answer::{NoHits, SearchResponse, Timing, Warning, millis},
    encoder::LazyEncoder,
    error::Error,
    memory::{Memory, must_be_active},
    no_vectors::NoVectors,
    search::{
        as_written::as_written,
        found::{Evidence, FoundHits, HitContent, Searched},
        prepared::{Encoded, EncodedQuery, PreparedQuery, QueryScope, RerankPlan},
    },
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

impl Memory {
    /// Finds the `k` best turns or sessions for a question.
    ///
    /// Every write that finished before the call is seen, by whichever process.
    /// Without an encoder the answer goes by words only and says so.
    ///
    /// # Errors
    /// When the namespace or a named part of it does not exist, when the namespace's vectors
    /// are another encoder's, or when the store fails.
    pub fn search(
        &self,
        query: &Query,
        pipeline: &Pipeline,
        explanations: Explanations,
    ) -> Result<SearchResponse, Error> {
        self.answer(query, pipeline, explanations, None)
    }

    /// [`Memory::search`], whose best turns a reranker puts in order before the `k` best are taken.
    ///
    /// Of sessions the turns are scored, and each has the score of its best turn. Score and confidence stay those of the
    /// first stage. Where the reranker fails, the order stays too, and a warning says why.
    ///
    /// # Errors
    /// As [`Memory::search`]; and when the reranker's settings make no sense.
    pub fn search_reranked(
        &self,
        query: &Query,
        pipeline: &Pipeline,
        explanations: Explanations,
        reranking: Reranking<'_>,
    ) -> Result<SearchResponse, Error> {
        self.answer(query, pipeline, explanations, Some(reranking))
    }

    fn answer(
        &self,
        query: &Query,
        pipeline: &Pipeline,
        explanations: Explanations,
        reranking: Option<Reranking<'_>>,
    ) -> Result<SearchResponse, Error> {
        let started = Instant::now();
        let detail = match explanations {
            Explanations::Omit => Detail::BestTurns,
            Explanations::Include => Detail::Explained,
        };
        let posed = self.pose(query, pipeline, detail, reranking.map(Reranking::plan))?;
        let mut answer = SearchResponse {
            query: query.text.clone(),
            namespace: query.namespace.clone(),
            unit: query.unit,
            pipeline: pipeline.name.clone(),
            confidence: Confidence::default(),
            searched: 0,
            hits: Vec::new(),
            best: None,
            times: posed.times(),
            reason: posed.unanswerable(),
            warnings: Vec::new(),
            timing_ms: Timing::default(),
        };
        if answer.reason.is_none() {
            let finished = self.find_reranked(&posed, reranking, |store, found| Self::load(store, query, found))?;
            answer.hits = finished.made;
            answer.best = answer.hits.first().filter(|_| query.sort_by != SortBy::Relevance).map(|hit| hit.id.clone());
            hits::order(&mut answer.hits, query.sort_by);
            answer.searched = finished.found.searched;
            answer.reason = finished.found.reason;
            answer.warnings = finished.found.warnings;
            as_written(&mut answer.warnings, &answer.hits, finished.found.analyzer);
            answer.confidence = match explanations {
                Explanations::Include => finished.found.confidence,
                Explanations::Omit => Confidence { signals: None, ..finished.found.confidence },
            };
            answer.timing_ms.load = finished.loading_millis;
            answer.timing_ms.encode = finished.encoding_millis;
            answer.timing_ms.rerank = finished.found.rerank_millis;
        }
        answer.timing_ms.end(started);
        Ok(answer)
    }

    /// Ids and scores of the hits of [`Memory::search`] in the same order, for who needs no content;
    /// the order is by relevance.
    ///
    /// # Errors
    /// As [`Memory::search`].
    pub fn rank(&self, query: &Query, pipeline: &Pipeline) -> Result<Ranking, Error> {
        self.ranking(query, pipeline, None)
    }

    /// Ids and scores of the hits of [`Memory::search_reranked`] in the same order.
    ///
    /// # Errors
    /// As [`Memory::search_reranked`].
    pub fn rank_reranked(
        &self,
        query: &Query,
        pipeline: &Pipeline,
        reranking: Reranking<'_>,
    ) -> Result<Ranking, Error> {
        self.ranking(query, pipeline, Some(reranking))
    }

    fn ranking(&self, query: &Query, pipeline: &Pipeline, reranking: Option<Reranking<'_>>) -> Result<Ranking, Error> {
        let posed = self.pose(query, pipeline, Detail::Scores, reranking.map(Reranking::plan))?;
        match posed.unanswerable() {
            Some(_) => Ok(Ranking::default()),
            None => {
                let finished = self.find_reranked(&posed, reranking, |store, found| Self::name(store, query, found))?;
                let FoundHits { warnings, confidence, .. } = finished.found;
                Ok(Ranking { hits: finished.made, warnings, confidence })
            }
        }
    }

    fn pose<'a>(
        &self,
        query: &'a Query,
        pipeline: &'a Pipeline,
        detail: Detail,
        rerank: Option<RerankPlan>,
    ) -> Result<PreparedQuery<'a>, Error> {
        self.must_exist(&query.namespace)?;
        let scope = self.resolve_scope(&query.namespace, &query.scope)?;
        let part = QueryScope { before: self.place_of(query, &scope)?, scope };
        let question = Question::new(&query.text, pipeline.analyzer);
        Ok(PreparedQuery {
            query,
            pipeline,
            rerank,
            part,
            include: None,
            question: match query.clock() {
                Some(clock) => question.asked_at(&clock),
                None => question,
            },
            detail,
        })
    }

    /// The place of the memory that a query asks to stop before.
    fn place_of(&self, query: &Query, scope: &Scope) -> Result<Option<Seq>, Error> {
        let Some(id) = &query.before else { return Ok(None) };
        let address = MemoryRef { id: id.clone(), conversation: scope.conversation.clone() };
        let address = self.resolve(&query.namespace, &address)?;
        Ok(Some(self.one(&query.namespace, &address)?.seq))
    }

    /// Ranks, and has `finish` make something of the hits; it starts over where something of them is gone meanwhile.
    ///
    /// Others may forget without end: at last it holds a view in which nothing changes.
    fn find<T>(
        &self,
        posed: &PreparedQuery<'_>,
        finish: impl Fn(&dyn Store, &mut FoundHits) -> Result<Option<T>, Error>,
    ) -> Result<Searched<T>, Error> {
        let ready = self.make_ready(posed)?;
        let look = |store: &dyn Store, index: &Index| self.find_in(store, index, posed, &ready);
        let finished = |made, found| Searched {
            made,
            found,
            encoding_millis: ready.encoding_millis,
            loading_millis: ready.loading_millis,
        };
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
    fn make_ready(&self, posed: &PreparedQuery<'_>) -> Result<EncodedQuery, Error> {
        let encoder = self.encoder_of(&posed.query.namespace, posed.pipeline)?;
        let id = encoder.as_ref().ok().map(|encoder| encoder.id().clone());
        let spec = IndexSpec { analyzer: posed.pipeline.analyzer, encoder: id };
        match encoder {
            Ok(encoder) => {
                let Encoded { vector, millis, loading_millis } = self.encode(&encoder, posed, &spec)?;
                Ok(EncodedQuery {
                    spec,
                    dim: encoder.dim(),
                    vector,
                    encoding_millis: millis,
                    loading_millis,
                    encoder: encoder.get_for(posed.pipeline.query_adapter()).ok().cloned(),
                })
            }
            Err(reason) => Ok(EncodedQuery {
                spec,
                dim: 1,
                vector: Err(reason),
                encoding_millis: 0.0,
                loading_millis: None,
                encoder: None,
            }),
        }
    }

    /// Shows the up-to-date index of a query to `look`.
    fn in_index<T>(
        &self,
        posed: &PreparedQuery<'_>,
        ready: &EncodedQuery,
        look: impl FnOnce(&Index) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let looked = match self.candidate_index(&*self.store, posed, ready)? {
            Some(index) => look(&index),
            None => self.indexes.with(&*self.store, &posed.query.namespace, &ready.spec, ready.dim, look)?,
        };
        self.still_serves(&*self.store, posed, ready)?;
        looked
    }

    /// Shows the index of a query to `look` with a view of the store at the same version, and keeps that view.
    fn in_steady_index<T>(
        &self,
        posed: &PreparedQuery<'_>,
        ready: &EncodedQuery,
        look: impl FnOnce(&dyn Store, &Index) -> Result<T, Error>,
    ) -> Result<(Box<dyn Store>, T), Error> {
        let namespace = &posed.query.namespace;
        // A store that picks no candidates is asked for one view, not for two.
        if self.store.candidate_source().is_some() {
            let view = self.store.steady()?;
            if let Some(index) = self.candidate_index(&*view, posed, ready)? {
                let looked = look(&*view, &index);
                self.still_serves(&*view, posed, ready)?;
                return Ok((view, looked?));
            }
        }
        let (view, looked) = self.indexes.with_steady(&*self.store, namespace, &ready.spec, ready.dim, look)?;
        self.still_serves(&*view, posed, ready)?;
        Ok((view, looked?))
    }

    /// Another encoder may have become active since the question was encoded: then an index lacks those it was made for.
    fn still_serves(&self, store: &dyn Store, posed: &PreparedQuery<'_>, ready: &EncodedQuery) -> Result<(), Error> {
        match &ready.spec.encoder {
            Some(encoder) => must_be_active(store, &posed.query.namespace, encoder).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The question's vector; a model that is still to be loaded is, while the index is brought up to date.
    fn encode(&self, encoder: &LazyEncoder, posed: &PreparedQuery<'_>, spec: &IndexSpec) -> Result<Encoded, Error> {
        let leaves_names = posed.pipeline.speaker_names() == SpeakerNames::Strip;
        let text = || match leaves_names {
            false => Ok(posed.query.text.clone()),
            true => match self.without_names_in_store(posed, encoder)? {
                Some(text) => Ok(text),
                None => self.indexes.with(&*self.store, &posed.query.namespace, spec, encoder.dim(), |index| {
                    let bare = posed.question.without_names(index.documents().speakers());
                    if encoder.id().reads_glosses() { foreign::in_english(bare, index) } else { bare }
                }),
            },
        };
        let adapter = posed.pipeline.query_adapter();
        let (text, loading_millis) = match encoder.is_loaded(adapter) {
            true => (text()?, None),
            false => thread::scope(|threads| {
                let loading = threads.spawn(|| {
                    let started = Instant::now();
                    // Whatever became of it, the encoder says so when it is asked.
                    let _ = encoder.get_for(adapter);
                    millis(started)
                });
                let text = text();
                let took = loading.join().ok();
                text.map(|text| (text, took))
            })?,
        };
        let started = Instant::now();
        let vector = encoder.get_for(adapter).and_then(|encoder| {
            let encoded = match adapter {
                Some(adapter) => encoder.encode_adapted_queries(adapter, &[&text]),
                None => encoder.encode_queries(&[&text]),
            };
            let vectors = encoded.map_err(|error| NoVectors::failed(error.to_string()))?;
            vectors
                .get(0)
                .map(<[f32]>::to_vec)
                .ok_or_else(|| NoVectors::failed(format!("{} gave no vector", encoder.id())))
        });
        Ok(Encoded { vector, millis: millis(started), loading_millis })
    }

    fn find_in(
        &self,
        store: &dyn Store,
        index: &Index,
        posed: &PreparedQuery<'_>,
        ready: &EncodedQuery,
    ) -> Result<FoundHits, Error> {
        let vector = &ready.vector;
        let PreparedQuery { query, pipeline, .. } = posed;
        let candidates = self.candidates(store, index, posed)?;
        if candidates.is_empty() {
            return Ok(FoundHits::nothing(NoHits::EmptyHistory));
        }
        let mut warnings = check_vectors(index, pipeline, vector)?;
        if posed.detail > Detail::Scores && vector.is_ok() {
            warnings.extend(foreign::warning(&query.text, index.spec().encoder.as_ref()));
        }
        warnings.extend(ready.read_plainly(posed));
        warnings.extend(in_store::left_out(index.collection()));
        let (question, corrections) = posed.corrected(index, ready.encoder.as_deref());
        warnings.extend(corrections);
        let request = posed.request(&question, vector);
        let ranked = with_exact(store, index, query, |exact| rank(index, pipeline, &candidates, &request, exact));
        let RankedCandidates { mut hits, signals, misfit } = ranked?;
        warnings.extend(posed.left_out(misfit));
        let confidence = Confidence::of(signals);
        let mut reason = hits.is_empty().then_some(NoHits::NothingMatches);
        if !hits.is_empty() && posed.is_sure_at_once() && confidence.probability < query.min_confidence {
            hits.clear();
            reason = Some(NoHits::LowConfidence);
        }
        let places: Vec<HitContent> = hits.iter().map(|hit| HitContent::of(index, hit, query.unit)).collect();
        let evidence = match posed.rerank.filter(|_| !hits.is_empty()) {
            None => Vec::new(),
            Some(RerankPlan { depth, .. }) => match query.unit {
                Granularity::Turn => Evidence::of_turns(&hits, &places, depth),
                Granularity::Session => {
                    let turns = Request { unit: Granularity::Turn, k: depth, detail: Detail::BestTurns, ..request };
                    let ranked =
                        with_exact(store, index, query, |exact| rank(index, pipeline, &candidates, &turns, exact));
                    Evidence::of_sessions(index, &hits, &ranked?.hits)
                }
            },
        };
        Ok(FoundHits {
            hits,
            places,
            evidence,
            searched: candidates.count_in(index, query.unit),
            analyzer: pipeline.analyzer,
            terms: if posed.detail > Detail::Scores { weighted_terms(index, &question) } else { Vec::new() },
            rerank_millis: None,
            reason,
            warnings,
            confidence,
        })
    }

    /// What a query may find; a conversation that is not there was probably mistyped.
    fn candidates(&self, store: &dyn Store, index: &Index, posed: &PreparedQuery<'_>) -> Result<Candidates, Error> {
        let scope = &posed.part.scope;
        let admitted = match scope.filter.admits_all() {
            true => None,
            // What is gone since the index was brought up to date is not among them; what came since it does not know.
            false => Some(
                store.positions(&posed.query.namespace, &Scope { filter: scope.filter.clone(), ..Scope::default() })?,
            ),
        };
        let candidates = Candidates::admitting(index, scope, posed.part.before, admitted.as_deref());
        let known = |name: &ConversationId| index.documents().conversation_number(name.as_str()).is_some();
        match candidates.is_empty() && !scope.conversation.as_ref().is_none_or(known) {
            true => Err(self.nothing_in(&posed.query.namespace, scope)),
            false => Ok(candidates),
        }
    }
}

/// The terms of a query, with how much each tells one text from another.
fn weighted_terms(index: &Index, question: &Question) -> Vec<(String, f64)> {
    let weight = |term: &String| (term.clone(), Bm25::idf(index.texts(), index.holders(term)));
    question.terms.iter().map(weight).collect()
}

/// Lends `look` the vectors of an index as they are in the store.
fn with_exact<T>(store: &dyn Store, index: &Index, query: &Query, look: impl FnOnce(Exact<'_>) -> T) -> T {
    let namespace = &query.namespace;
    let of = index.spec().encoder.as_ref().zip(index.version());
    let first = |text: u32| WindowRef::first(index.documents().seq(text));
    let other = |row: u32| WindowRef {
        number: index.windows().id(row) as u32,
        ..first(index.windows().owners()[row as usize])
    };
    let vectors = |windows: Vec<WindowRef>| {
        of.map_or_else(|| Ok(Vectors::default()), |(encoder, at)| store.vectors(namespace, encoder, &windows, at))
    };
    let texts = |texts: &[u32]| vectors(texts.iter().map(|&text| first(text)).collect());
    let windows = |rows: &[u32]| vectors(rows.iter().map(|&row| other(row)).collect());
    let cues = |rows: Option<&OwnedRows>, places: &[u32]| {
        let id = |rows: &OwnedRows, row: u32| CueId(rows.id(row));
        let ids: Vec<CueId> = rows.map_or_else(Vec::new, |rows| places.iter().map(|&row| id(rows, row)).collect());
        of.map_or_else(|| Ok(Vectors::default()), |(encoder, at)| store.cue_vectors(namespace, encoder, &ids, at))
    };
    let questions = |rows: &[u32]| cues(index.cues().map(|cues| cues.questions().rows()), rows);
    let passages = |rows: &[u32]| cues(index.cues().map(CueIndex::passages), rows);
    look(Exact { texts: &texts, windows: &windows, questions: &questions, passages: &passages })
}

/// What was found, or nothing where others changed what was being read.
fn unless_outdated<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Err(Error::Store(StoreError::Outdated { .. })) => Ok(None),
        found => found.map(Some),
    }
}

/// Says what is missing of the dense leg, if the preset has one.
fn check_vectors(
    index: &Index,
    pipeline: &Pipeline,
    vector: &Result<Vec<f32>, NoVectors>,
) -> Result<Vec<Warning>, Error> {
    if !pipeline.compares_vectors() {
        return Ok(Vec::new());
    }
    let total = index.documents().len();
    let is_unavailable =
        index.collection().is_some_and(|collection| collection.vectors == VectorCandidates::Unavailable);
    let reason = match (vector, index.dense().map(DenseIndex::vectors)) {
        (Err(reason), _) => reason.clone(),
        (Ok(_), _) if is_unavailable => NoVectors::NotInStore,
        (Ok(_), Some(present)) if present < total => {
            return Ok(vec![Warning::MissingVectors { missing: total - present, total }]);
        }
        (Ok(_), Some(_)) => return Ok(Vec::new()),
        (Ok(_), None) => NoVectors::NoneStored,
    };
    match pipeline.legs.iter().all(|leg| leg.vectors().is_some()) {
        true => Err(Error::NoDenseLeg { pipeline: pipeline.name.clone(), reason }),
        false => Ok(vec![Warning::LexicalOnly { reason }]),
    }
}
