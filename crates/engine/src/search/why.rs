//! Why one memory stands where it does among the hits of a query, or is none.

use std::num::NonZeroUsize;

use aforesaid_core::{
    index::Index,
    pipeline::{CandidateReport, Cut, Detail, Filter, Pipeline, TermMatch, Unranked, diagnose, ordinal},
    store::{MemoryRef, Store},
    time::Times,
    types::{ConversationId, Granularity, Kind, MemoryId, Namespace, Query, Record, Scope, Seq, SessionId, Timestamp},
};
use serde::Serialize;

use super::{EncodedQuery, PreparedQuery, RETRIES, check_vectors, in_store::left_out, unless_outdated, with_exact};
use crate::{
    answer::{NoHits, Warning},
    error::Error,
    memory::Memory,
};

/// Terms named in a sentence.
const NAMED: usize = 5;

/// Where one turn, note or session stands in every stage of a search, and what it lacks; never what it says.
///
/// Serializes as the JSON of `why --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// The question as posed.
    pub query: String,
    /// Who was posed.
    pub namespace: Namespace,
    /// What is ranked.
    pub unit: Granularity,
    /// The pipeline's name.
    pub pipeline: String,
    /// How many hits the search returns at the most.
    pub k: NonZeroUsize,
    /// Id of the turn or note; name of the session.
    pub id: String,
    /// Turn or note; not there for a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Its conversation.
    pub conversation: Option<ConversationId>,
    /// Its session.
    pub session: Option<SessionId>,
    /// When it was said; of a session, when it began.
    pub said_at: Option<Timestamp>,
    /// The main reason, in one sentence.
    pub summary: String,
    /// How what the question says of time was understood.
    #[serde(flatten)]
    pub times: Times,
    /// Why nothing is looked for at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoHits>,
    /// What keeps it out of the scope; empty for one that may be found.
    pub excluded_by: Vec<Filter>,
    /// Where it stands; not there where it is not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<CandidateReport>,
    /// What the user should know, such as a leg that is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// What is asked about.
enum Subject {
    Memory(Box<Record>),
    Session { conversation: ConversationId, name: SessionId },
}

/// What the index says of it.
struct Diagnosis {
    began: Option<Timestamp>,
    excluded_by: Vec<Filter>,
    report: Option<CandidateReport>,
    warnings: Vec<Warning>,
}

impl Memory {
    /// Says where a turn or note, or for [`Granularity::Session`] a session, stands in the search of `query`: its rank and
    /// score in every stage, what it lacks to be a hit, and how its score came about.
    ///
    /// It rests on the same scores as [`Memory::search`], in order of relevance.
    ///
    /// # Errors
    /// As [`Memory::search`]; and when nothing has that id, or several have and the query names no conversation.
    pub fn why(&self, query: &Query, pipeline: &Pipeline, id: &str) -> Result<Why, Error> {
        let mut posed = self.pose(query, pipeline, Detail::Explained, None)?;
        let mut subject = self.subject(&posed, id)?;
        if let Some(reason) = posed.unanswerable() {
            let mut why = Why::of(query, pipeline, subject);
            why.times = posed.times();
            why.summary = format!("nothing is looked for: {reason}");
            why.reason = Some(reason);
            return Ok(why);
        }
        let ready = self.make_ready(&posed)?;
        for attempt in 0..=RETRIES {
            posed.include = self.position_of(query, &subject)?;
            let look = |store: &dyn Store, index: &Index| self.report_in(store, index, &posed, &ready, &subject);
            let looked = match attempt {
                RETRIES => self.in_steady_index(&posed, &ready, look).map(|(_, looked)| looked),
                _ => self.in_index(&posed, &ready, |index| look(&*self.store, index)),
            };
            if let Some(found) = unless_outdated(looked)?.flatten() {
                let mut why = Why::of(query, pipeline, subject);
                why.said_at = why.said_at.or(found.began);
                why.times = posed.times();
                why.summary = summary(&found, query);
                (why.excluded_by, why.report, why.warnings) = (found.excluded_by, found.report, found.warnings);
                return Ok(why);
            }
            // Forgotten meanwhile, or forgotten and said again.
            subject = self.subject(&posed, id)?;
        }
        Err(posed.never_at_rest())
    }

    /// What is asked about: in the conversation asked for, or anywhere if it is nowhere else.
    fn subject(&self, posed: &PreparedQuery<'_>, id: &str) -> Result<Subject, Error> {
        let (namespace, conversation) = (&posed.query.namespace, &posed.part.scope.conversation);
        match posed.query.unit {
            Granularity::Turn => {
                let id = MemoryId::new(id)?;
                let there = MemoryRef { id: id.clone(), conversation: conversation.clone() };
                let outside = || self.one(namespace, &MemoryRef { id, conversation: None });
                let memory = match (self.one(namespace, &there), conversation) {
                    (Err(error @ Error::UnknownMemory { .. }), Some(_)) => outside().map_err(|_| error),
                    (found, _) => found,
                };
                Ok(Subject::Memory(Box::new(memory?)))
            }
            Granularity::Session => {
                let name = SessionId::new(id)?;
                let mut all = self.store.conversations_with(namespace, &name)?;
                if let Some(named) = conversation.as_ref().filter(|named| all.contains(named)) {
                    all = vec![named.clone()];
                }
                match all.as_slice() {
                    [one] => Ok(Subject::Session { conversation: one.clone(), name }),
                    [_, _, ..] if conversation.is_none() => {
                        Err(Error::AmbiguousSession { session: name, conversations: all })
                    }
                    _ => {
                        let scope =
                            Scope { conversation: conversation.clone(), session: Some(name), ..Scope::default() };
                        Err(self.nothing_in(namespace, &scope))
                    }
                }
            }
        }
    }

    /// The position of a subject, of a session that of one of its turns.
    fn position_of(&self, query: &Query, subject: &Subject) -> Result<Option<Seq>, Error> {
        Ok(match subject {
            Subject::Memory(memory) => Some(memory.seq),
            // Who holds every memory needs none.
            Subject::Session { .. } if self.store.candidate_source().is_none() => None,
            Subject::Session { conversation, name } => {
                let scope =
                    Scope { conversation: Some(conversation.clone()), session: Some(name.clone()), ..Scope::default() };
                self.store.latest(&query.namespace, &scope, 1)?.first().map(|turn| turn.seq)
            }
        })
    }

    /// Where a subject stands in an index; `None` when it is gone since it was found.
    fn report_in(
        &self,
        store: &dyn Store,
        index: &Index,
        posed: &PreparedQuery<'_>,
        ready: &EncodedQuery,
        subject: &Subject,
    ) -> Result<Option<Diagnosis>, Error> {
        let documents = index.documents();
        let number = match subject {
            Subject::Memory(memory) => documents.position(memory.seq),
            Subject::Session { conversation, name } => documents.session_number(conversation.as_str(), name.as_str()),
        };
        let Some(number) = number else { return Ok(None) };
        let PreparedQuery { query, pipeline, part, .. } = posed;
        let candidates = self.candidates(store, index, posed)?;
        let began = match query.unit {
            Granularity::Turn => None,
            Granularity::Session => {
                let turns = documents.sessions()[number as usize].turns.iter();
                turns.filter_map(|&turn| documents.said_at(turn)).min()
            }
        };
        let excluded_by = candidates.excluded_by(index, &part.scope, query.unit, number);
        if !excluded_by.is_empty() {
            return Ok(Some(Diagnosis { began, excluded_by, report: None, warnings: Vec::new() }));
        }
        let mut warnings = check_vectors(index, pipeline, &ready.vector)?;
        warnings.extend(ready.read_plainly(posed));
        warnings.extend(left_out(index.collection()));
        let (question, corrections) = posed.corrected(index, ready.encoder.as_deref());
        warnings.extend(corrections);
        let request = posed.request(&question, &ready.vector);
        let report =
            with_exact(store, index, query, |exact| diagnose(index, pipeline, &candidates, &request, exact, number))?;
        Ok(Some(Diagnosis { began, excluded_by, report, warnings }))
    }
}

impl Why {
    /// Nothing but what it is about.
    fn of(query: &Query, pipeline: &Pipeline, subject: Subject) -> Self {
        let (id, kind, conversation, session, said_at) = match subject {
            Subject::Memory(memory) => {
                (memory.id.into(), Some(memory.kind), memory.conversation, memory.session, memory.said_at)
            }
            Subject::Session { conversation, name } => (name.to_string(), None, Some(conversation), Some(name), None),
        };
        Self {
            query: query.text.clone(),
            namespace: query.namespace.clone(),
            unit: query.unit,
            pipeline: pipeline.name.clone(),
            k: query.k,
            id,
            kind,
            conversation,
            session,
            said_at,
            summary: String::new(),
            times: Times::default(),
            reason: None,
            excluded_by: Vec::new(),
            report: None,
            warnings: Vec::new(),
        }
    }
}

/// The main reason in one sentence.
fn summary(found: &Diagnosis, query: &Query) -> String {
    if !found.excluded_by.is_empty() {
        let filters: Vec<String> = found.excluded_by.iter().map(Filter::to_string).collect();
        return format!("not searched: {}", filters.join(", and "));
    }
    let Some(report) = &found.report else { return String::new() };
    match (report.last(), &report.unranked, &report.cut) {
        (Some(last), _, Some(cut)) => ranked_summary(report, (last.rank, cut), query),
        (_, Some(Unranked::BelowPool { width }), _) => {
            let legs = report.legs.iter().map(|(name, hit)| format!("{} in the {name} leg", ordinal(hit.rank)));
            format!("not ranked: it is {}, and no leg's best {width} have it", legs.collect::<Vec<_>>().join(", "))
        }
        _ => match report.terms.is_empty() {
            true => "not ranked: no leg has evidence for it".to_owned(),
            false => format!("not ranked: it has none of {}", named(&report.terms)),
        },
    }
}

/// Why a candidate is a hit, or what it lacks to be one.
fn ranked_summary(report: &CandidateReport, (rank, cut): (usize, &Cut), query: &Query) -> String {
    let place = format!("ranked {} of {}", ordinal(rank), report.ranked);
    match (rank <= query.k.get(), cut.lacks) {
        (true, _) if report.strengths.is_empty() => format!("{place}, so it is a hit: every candidate is listed"),
        (true, _) => format!("{place}, so it is a hit: {}", report.strengths.join("; ")),
        (false, Some(lacks)) if lacks > 0.0 => {
            let weakness = report.weakness.as_ref().map(|weakness| format!(": {weakness}")).unwrap_or_default();
            format!("{place}, {lacks:.4} below the {}{weakness}", ordinal(cut.rank))
        }
        (false, _) => format!("{place}: it equals the {}, which came first", ordinal(cut.rank)),
    }
}

fn named(terms: &[TermMatch]) -> String {
    let more = if terms.len() > NAMED { format!(" and {} more", terms.len() - NAMED) } else { String::new() };
    let terms: Vec<String> = terms.iter().take(NAMED).map(|matched| format!("{:?}", matched.term)).collect();
    format!("{}{more}", terms.join(", "))
}
