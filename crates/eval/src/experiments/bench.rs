//! A benchmark inside a memory, ready to be asked.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use aforesaid::{
    Asking, CandidateFeatures, Context, CueIndexing, Encoder, EncoderSource, NoVectors, Pipeline, Ranking,
    RecallOptions, Recalled, Reranking, SensitiveMemories, Warning,
    formats::Captions,
    llm::{AnswerSettings, ChatRequest, JudgeSettings},
    rerank::RerankCandidate,
    types::{Draft, Granularity, Query, Turn, Unmatched, Zone},
};

use super::{
    ExperimentError,
    place::{Lodging, Place},
};
use crate::{
    datasets::{Benchmark, Group, Question, RecordedCues, asked_at},
    measures::Run,
};

/// Questions encoded at a time.
const BATCH: usize = 64;

/// How far a long piece of work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is being done.
    pub work: &'static str,
    /// How much of it is done.
    pub done: usize,
    /// How much there is.
    pub total: usize,
}

/// Where progress goes; called from several threads.
pub type Observer<'a> = dyn Fn(Step) + Sync + 'a;

/// How a benchmark is put into memory.
#[derive(Clone)]
pub struct Setup {
    /// Makes the vectors; an `Err` says why there are none, and only words are measured.
    pub encoder: Result<Arc<dyn Encoder>, String>,
    /// Whether image captions are indexed.
    pub captions: Captions,
    /// Cue questions of the memories, and which vectors of them are made.
    pub cues: Option<(Arc<RecordedCues>, CueIndexing)>,
    /// Questions asked at a time.
    pub threads: NonZeroUsize,
    /// Where the memories are kept.
    pub place: Place,
}

/// Every group of a benchmark in a memory of its own.
pub struct Bench<'a> {
    benchmark: &'a Benchmark,
    groups: Vec<LoadedGroup<'a>>,
    threads: NonZeroUsize,
}

struct LoadedGroup<'a> {
    group: &'a Group,
    lodging: Lodging,
}

impl<'a> Bench<'a> {
    /// Imports a benchmark and encodes its questions.
    ///
    /// # Errors
    /// When a memory of the benchmark cannot be kept, or a text cannot be encoded.
    pub fn new(benchmark: &'a Benchmark, setup: &Setup, observe: &Observer<'_>) -> Result<Self, ExperimentError> {
        let total = benchmark.groups.iter().map(|group| group.memories.len()).sum();
        let mut groups = Vec::with_capacity(benchmark.groups.len());
        let mut before = 0;
        let encoder = match &setup.encoder {
            Ok(encoder) => EncoderSource::Ready(Arc::clone(encoder)),
            Err(reason) => EncoderSource::Unavailable { reason: NoVectors::failed(reason.as_str()) },
        };
        let place = setup.place.open(encoder).map_err(|source| engine("the store".to_owned(), source))?;
        for (number, group) in benchmark.groups.iter().enumerate() {
            let failed = |source| engine(format!("group {}", group.id), source);
            let lodging = place.lodge(number).map_err(failed)?;
            let (memory, namespace) = (&*lodging.memory, &lodging.namespace);
            let drafts: Vec<Draft> =
                group.memories.iter().filter_map(|draft| captioned(draft, setup.captions)).collect();
            let mut report =
                |progress: aforesaid::Progress| observe(Step { work: "encoding", done: before + progress.done, total });
            memory.add(namespace, &drafts, &mut report).map_err(failed)?;
            if let Some((cues, indexing)) = &setup.cues {
                // Memories that are left out, blank without their caption, have no cues either.
                memory
                    .add_cues(namespace, &RecordedCues::source(), cues.of(&group.id), *indexing, &mut |_| {})
                    .map_err(failed)?;
            }
            before += group.memories.len();
            groups.push(LoadedGroup { group, lodging });
        }
        if let Ok(encoder) = &setup.encoder {
            encode_questions(benchmark, &**encoder, observe)?;
        }
        Ok(Self { benchmark, groups, threads: setup.threads })
    }

    /// What is measured.
    pub fn benchmark(&self) -> &'a Benchmark {
        self.benchmark
    }

    /// The group of each question, by place, in the order of [`Benchmark::questions`].
    pub fn clusters(&self) -> Vec<usize> {
        let of_group = |(place, asked): (usize, &LoadedGroup<'_>)| vec![place; asked.group.questions.len()];
        self.groups.iter().enumerate().flat_map(of_group).collect()
    }

    /// Asks every question, at full depth, of the pipeline that `preset` gives its group.
    ///
    /// # Errors
    /// When a search fails; a run is whole or not at all.
    pub fn run<'p>(
        &self,
        name: &str,
        pipeline: impl Fn(usize) -> &'p Pipeline + Sync,
        observe: &Observer<'_>,
    ) -> Result<Run, ExperimentError> {
        let unit = self.benchmark.unit;
        let rankings = self.each(|asked, place, question| asked.ask(question, unit, pipeline(place)), observe)?;
        let mut run = Run::new(name)?;
        for (question, ranking) in self.benchmark.questions().zip(rankings) {
            run.rank(&question.id, ranking)?;
        }
        Ok(run)
    }

    /// Asks every question as people do: the ten best, of what has evidence, and how sure that is.
    ///
    /// # Errors
    /// When a search fails, or is not reranked though it should be.
    pub fn answers(
        &self,
        pipeline: &Pipeline,
        reranking: Option<Reranking<'_>>,
        observe: &Observer<'_>,
    ) -> Result<Vec<Ranking>, ExperimentError> {
        let unit = self.benchmark.unit;
        self.each(
            |asked, _, question| {
                let before = question.before.clone();
                asked.rank(&Query { unit, before, ..asked.query(question) }, question, pipeline, reranking)
            },
            observe,
        )
    }

    /// What every question brings up for an agent that is handed it.
    ///
    /// # Errors
    /// When a search fails.
    pub fn recalled(
        &self,
        pipeline: &Pipeline,
        reranking: Option<Reranking<'_>>,
        options: &RecallOptions,
        observe: &Observer<'_>,
    ) -> Result<Vec<Option<Recalled>>, ExperimentError> {
        self.each(
            |asked, _, question| {
                let failed = |source| engine(format!("question {}", question.id), source);
                let query = Query { before: question.before.clone(), ..asked.query(question) };
                asked.lodging.memory.recall(&query, pipeline, reranking, options).map_err(failed)
            },
            observe,
        )
    }

    /// The features of the best candidates of every question, for who learns to rank them.
    ///
    /// # Errors
    /// When a search fails.
    pub fn features(
        &self,
        pipeline: &Pipeline,
        observe: &Observer<'_>,
    ) -> Result<Vec<CandidateFeatures>, ExperimentError> {
        self.each(
            |asked, _, question| {
                let failed = |source| engine(format!("question {}", question.id), source);
                let query = Query { before: question.before.clone(), ..asked.query(question) };
                asked.lodging.memory.candidate_features(&query, pipeline).map_err(failed)
            },
            observe,
        )
    }

    /// As [`Bench::run`], with the best candidates reranked; and how many questions were not, which stand as the pipeline
    /// ranks them.
    ///
    /// # Errors
    /// When a search fails.
    pub fn reranked(
        &self,
        name: &str,
        pipeline: &Pipeline,
        reranking: Reranking<'_>,
        observe: &Observer<'_>,
    ) -> Result<(Run, usize), ExperimentError> {
        self.reranked_where(name, |_| Some(pipeline), Some(reranking), observe)
    }

    /// As [`Bench::reranked`], of the groups that have a pipeline; the questions of the others are not asked. Without a
    /// reranker it is the pipeline's own ranking, and no question counts as skipped.
    ///
    /// # Errors
    /// When a search fails.
    pub fn reranked_where<'p>(
        &self,
        name: &str,
        pipeline: impl Fn(usize) -> Option<&'p Pipeline> + Sync,
        reranking: Option<Reranking<'_>>,
        observe: &Observer<'_>,
    ) -> Result<(Run, usize), ExperimentError> {
        let unit = self.benchmark.unit;
        let rank = |asked: &LoadedGroup<'_>, place: usize, question: &Question| match (pipeline(place), reranking) {
            (None, _) => Ok(None),
            (Some(pipeline), Some(reranking)) => asked.reranked(question, unit, pipeline, reranking).map(Some),
            (Some(pipeline), None) => asked.ask(question, unit, pipeline).map(|ranking| Some((ranking, true))),
        };
        let rankings = self.each(rank, observe)?;
        let mut run = Run::new(name)?;
        let mut skipped = 0;
        for (question, ranking) in self.benchmark.questions().zip(rankings) {
            if let Some((ranking, reranked)) = ranking {
                skipped += usize::from(!reranked);
                run.rank(&question.id, ranking)?;
            }
        }
        Ok((run, skipped))
    }

    /// What a reranker with so many neighbours would be shown of every question, to a depth; nothing of the groups without
    /// a pipeline.
    ///
    /// # Errors
    /// When a search fails.
    pub fn rerank_candidates<'p>(
        &self,
        pipeline: impl Fn(usize) -> Option<&'p Pipeline> + Sync,
        (depth, neighbours): (NonZeroUsize, u32),
        observe: &Observer<'_>,
    ) -> Result<Vec<Vec<RerankCandidate>>, ExperimentError> {
        let unit = self.benchmark.unit;
        self.each(
            |asked, place, question| {
                let Some(pipeline) = pipeline(place) else { return Ok(Vec::new()) };
                let failed = |source| engine(format!("question {}", question.id), source);
                let before = question.before.clone();
                let query = Query { unit, before, k: depth, unmatched: Unmatched::Include, ..asked.query(question) };
                asked.lodging.memory.rerank_candidates(&query, pipeline, depth, neighbours).map_err(failed)
            },
            observe,
        )
    }

    /// What a language model that reranks would be asked of every question, for a batch service.
    ///
    /// # Errors
    /// When a search fails.
    pub fn rerank_requests(
        &self,
        pipeline: &Pipeline,
        (settings, depth): (&JudgeSettings, NonZeroUsize),
        observe: &Observer<'_>,
    ) -> Result<Vec<ChatRequest>, ExperimentError> {
        let requests = self.each(
            |asked, _, question| {
                let failed = |source| engine(format!("question {}", question.id), source);
                let query = Query { before: question.before.clone(), ..asked.query(question) };
                asked.lodging.memory.rerank_requests(&query, pipeline, settings, depth).map_err(failed)
            },
            observe,
        )?;
        Ok(requests.into_iter().flatten().collect())
    }

    /// The `k` memories that a model would answer every question from.
    ///
    /// # Errors
    /// When a search fails.
    pub fn contexts(
        &self,
        pipeline: &Pipeline,
        reranking: Option<Reranking<'_>>,
        k: NonZeroUsize,
        observe: &Observer<'_>,
    ) -> Result<Vec<Context>, ExperimentError> {
        self.each(
            |asked, _, question| {
                let query = Query { before: question.before.clone(), k, ..asked.query(question) };
                let settings = AnswerSettings::default();
                let asking = Asking { query: &query, pipeline, reranking, around: 0, settings };
                let failed = |source| engine(format!("question {}", question.id), source);
                asked.lodging.memory.context(&asking, SensitiveMemories::LeaveOut).map_err(failed)
            },
            observe,
        )
    }

    /// What `ask` makes of every question, in the order of [`Benchmark::questions`].
    fn each<T: Send>(
        &self,
        ask: impl Fn(&LoadedGroup<'a>, usize, &Question) -> Result<T, ExperimentError> + Sync,
        observe: &Observer<'_>,
    ) -> Result<Vec<T>, ExperimentError> {
        let questions: Vec<(usize, &Question)> = self
            .groups
            .iter()
            .enumerate()
            .flat_map(|(place, asked)| asked.group.questions.iter().map(move |question| (place, question)))
            .collect();
        let total = questions.len();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let answers = Mutex::new((0..total).map(|_| None).collect::<Vec<Option<T>>>());
        let work = || -> Result<(), ExperimentError> {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((place, question)) = questions.get(at) else { return Ok(()) };
                let failed = next_is_last(&next, total);
                let answer = ask(&self.groups[*place], *place, question).map_err(failed)?;
                answers.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(answer);
                observe(Step { work: "searching", done: 1 + done.fetch_add(1, Ordering::Relaxed), total });
            }
        };
        thread::scope(|threads| {
            let workers: Vec<_> = (0..self.threads.get()).map(|_| threads.spawn(work)).collect();
            let joined = workers.into_iter().map(|worker| worker.join().unwrap_or(Err(ExperimentError::Lost)));
            joined.collect::<Result<Vec<()>, _>>()
        })?;
        let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
        answers.into_iter().collect::<Option<Vec<T>>>().ok_or(ExperimentError::Lost)
    }
}

fn engine(place: String, source: aforesaid::Error) -> ExperimentError {
    ExperimentError::Engine { place, source: Box::new(source) }
}

/// Has the other workers stop when one has failed.
fn next_is_last(next: &AtomicUsize, total: usize) -> impl FnOnce(ExperimentError) -> ExperimentError + '_ {
    move |error| {
        next.store(total, Ordering::Relaxed);
        error
    }
}

impl LoadedGroup<'_> {
    /// Ids and scores of every candidate, best first.
    fn ask(
        &self,
        question: &Question,
        unit: Granularity,
        pipeline: &Pipeline,
    ) -> Result<Vec<(String, f64)>, ExperimentError> {
        let query = Query {
            unit,
            before: question.before.clone(),
            k: NonZeroUsize::MAX,
            unmatched: Unmatched::Include,
            ..self.query(question)
        };
        let ranking = self.rank(&query, question, pipeline, None)?;
        Ok(ranking.hits.into_iter().map(|ranked| (ranked.id, ranked.score)).collect())
    }

    /// The same reranked, and whether it was.
    fn reranked(
        &self,
        question: &Question,
        unit: Granularity,
        pipeline: &Pipeline,
        reranking: Reranking<'_>,
    ) -> Result<(Vec<(String, f64)>, bool), ExperimentError> {
        let before = question.before.clone();
        let query = Query { unit, before, k: NonZeroUsize::MAX, unmatched: Unmatched::Include, ..self.query(question) };
        let failed = |source| engine(format!("question {}", question.id), source);
        let ranking = self.lodging.memory.rank_reranked(&query, pipeline, reranking).map_err(failed)?;
        let is_skipped = |warning: &Warning| matches!(warning, Warning::RerankSkipped { .. });
        let (skipped, lost): (Vec<_>, Vec<_>) = ranking.warnings.into_iter().partition(is_skipped);
        if let Some(warning) = lost.into_iter().find(is_lost) {
            return Err(ExperimentError::Degraded { question: question.id.clone(), warning });
        }
        // The reranker's order, not the pipeline's scores, is what is measured.
        let places = (0..ranking.hits.len()).rev().map(|place| place as f64);
        Ok((ranking.hits.into_iter().map(|ranked| ranked.id).zip(places).collect(), skipped.is_empty()))
    }

    fn query(&self, question: &Question) -> Query {
        let asked = question.now.as_deref().and_then(asked_at);
        let (now, zone) = asked.map_or((None, Zone::UTC), |(now, zone)| (Some(now), zone));
        Query { now, zone, ..Query::new(self.lodging.namespace.clone(), &question.text) }
    }

    fn rank(
        &self,
        query: &Query,
        question: &Question,
        pipeline: &Pipeline,
        reranking: Option<Reranking<'_>>,
    ) -> Result<Ranking, ExperimentError> {
        let failed = |source| engine(format!("question {}", question.id), source);
        let memory = &self.lodging.memory;
        let ranking = match reranking {
            Some(reranking) => memory.rank_reranked(query, pipeline, reranking),
            None => memory.rank(query, pipeline),
        };
        let ranking = ranking.map_err(failed)?;
        // A system that lost a leg is another system: its figures would pass for this one's.
        match ranking.warnings.iter().find(|warning| is_lost(warning)) {
            Some(warning) => Err(ExperimentError::Degraded { question: question.id.clone(), warning: warning.clone() }),
            None => Ok(ranking),
        }
    }
}

/// Whether a part of the system did not do its work; to search for a known word instead of another, or to say that there is none, is such work.
fn is_lost(warning: &Warning) -> bool {
    !matches!(warning, Warning::Corrected { .. } | Warning::Unsaid { .. })
}

/// A memory as it is indexed; `None` where nothing of it is left without its caption.
fn captioned(draft: &Draft, captions: Captions) -> Option<Draft> {
    match (draft, captions) {
        (Draft::Turn(turn), Captions::Drop) => {
            (!turn.text.trim().is_empty()).then(|| Draft::Turn(Turn { image_caption: None, ..turn.clone() }))
        }
        _ => Some(draft.clone()),
    }
}

/// Encodes in batches what searches would otherwise encode one by one.
fn encode_questions(
    benchmark: &Benchmark,
    encoder: &dyn Encoder,
    observe: &Observer<'_>,
) -> Result<(), ExperimentError> {
    let texts: Vec<&str> = benchmark.questions().map(|question| question.text.as_str()).collect();
    let mut done = 0;
    for batch in texts.chunks(BATCH) {
        encoder.encode_queries(batch).map_err(|error| ExperimentError::Engine {
            place: "the questions".to_owned(),
            source: Box::new(error.into()),
        })?;
        done += batch.len();
        observe(Step { work: "encoding questions", done, total: texts.len() });
    }
    Ok(())
}
