//! Why one memory stands where it does among the hits of a query, or is none.

use std::num::NonZeroUsize;

use aforesaid_core::{
    index::Index,
    pipeline::{Cut, Detail, Expects, Filter, Preset, Shares, Stages, Standing, Unranked, Word, WordPlace, stand},
    store::{Address, Store},
    types::{
        ConversationId, Kind, Memory as Remembered, MemoryId, Namespace, Query, Scope, SessionId, Timestamp, Unit,
    },
};
use serde::Serialize;

use super::{Posed, RETRIES, Ready, check_vectors, unless_outdated, with_exact};
use crate::{
    answer::{NoHits, Warning},
    error::Error,
    memory::Memory,
};

/// Words named in a sentence.
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
    pub unit: Unit,
    /// The pipeline's name.
    pub preset: String,
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
    /// Why nothing is looked for at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoHits>,
    /// What keeps it out of the scope; empty for one that may be found.
    pub excluded_by: Vec<Filter>,
    /// Where it stands; not there where it is not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
    /// What the user should know, such as a leg that is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// What is asked about.
enum Subject {
    Memory(Box<Remembered>),
    Session { conversation: ConversationId, name: SessionId },
}

/// What the index says of it.
struct Found {
    began: Option<Timestamp>,
    excluded_by: Vec<Filter>,
    standing: Option<Standing>,
    warnings: Vec<Warning>,
}

impl Memory {
    /// Says where a turn or note, or for [`Unit::Session`] a session, stands in the search of `query`: its rank and
    /// score in every stage, what it lacks to be a hit, and how its score came about.
    ///
    /// It rests on the same scores as [`Memory::search`], in order of relevance.
    ///
    /// # Errors
    /// As [`Memory::search`]; and when nothing has that id, or several have and the query names no conversation.
    pub fn why(&self, query: &Query, preset: &Preset, id: &str) -> Result<Why, Error> {
        let posed = self.pose(query, preset, Detail::Explained, None)?;
        let mut subject = self.subject(&posed, id)?;
        if let Some(reason) = posed.unanswerable() {
            let mut why = Why::of(query, preset, subject);
            why.summary = format!("nothing is looked for: {reason}");
            why.reason = Some(reason);
            return Ok(why);
        }
        let ready = self.make_ready(&posed)?;
        for attempt in 0..=RETRIES {
            let look = |store: &dyn Store, index: &Index| self.stand_in(store, index, &posed, &ready, &subject);
            let looked = match attempt {
                RETRIES => self.in_steady_index(&posed, &ready, look).map(|(_, looked)| looked),
                _ => self.in_index(&posed, &ready, |index| look(&*self.store, index)),
            };
            if let Some(found) = unless_outdated(looked)?.flatten() {
                let mut why = Why::of(query, preset, subject);
                why.said_at = why.said_at.or(found.began);
                why.summary = summary(&found, query);
                (why.excluded_by, why.standing, why.warnings) = (found.excluded_by, found.standing, found.warnings);
                return Ok(why);
            }
            // Forgotten meanwhile, or forgotten and said again.
            subject = self.subject(&posed, id)?;
        }
        Err(posed.never_at_rest())
    }

    /// What is asked about: in the conversation asked for, or anywhere if it is nowhere else.
    fn subject(&self, posed: &Posed<'_>, id: &str) -> Result<Subject, Error> {
        let (namespace, conversation) = (&posed.query.namespace, &posed.part.scope.conversation);
        match posed.query.unit {
            Unit::Turn => {
                let id = MemoryId::new(id)?;
                let there = Address { id: id.clone(), conversation: conversation.clone() };
                let outside = || self.one(namespace, &Address { id, conversation: None });
                let memory = match (self.one(namespace, &there), conversation) {
                    (Err(error @ Error::UnknownMemory { .. }), Some(_)) => outside().map_err(|_| error),
                    (found, _) => found,
                };
                Ok(Subject::Memory(Box::new(memory?)))
            }
            Unit::Session => {
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

    /// Where a subject stands in an index; `None` when it is gone since it was found.
    fn stand_in(
        &self,
        store: &dyn Store,
        index: &Index,
        posed: &Posed<'_>,
        ready: &Ready,
        subject: &Subject,
    ) -> Result<Option<Found>, Error> {
        let documents = index.documents();
        let number = match subject {
            Subject::Memory(memory) => documents.position(memory.seq),
            Subject::Session { conversation, name } => documents.session_number(conversation.as_str(), name.as_str()),
        };
        let Some(number) = number else { return Ok(None) };
        let Posed { query, preset, part, .. } = posed;
        let candidates = self.candidates(index, posed)?;
        let began = match query.unit {
            Unit::Turn => None,
            Unit::Session => {
                let turns = documents.sessions()[number as usize].turns.iter();
                turns.filter_map(|&turn| documents.said_at(turn)).min()
            }
        };
        let excluded_by = candidates.excluded_by(index, &part.scope, query.unit, number);
        if !excluded_by.is_empty() {
            return Ok(Some(Found { began, excluded_by, standing: None, warnings: Vec::new() }));
        }
        let warnings = check_vectors(index, preset, &ready.vector)?;
        let request = posed.request(&ready.vector);
        let standing =
            with_exact(store, index, query, |exact| stand(index, preset, &candidates, &request, exact, number))?;
        Ok(Some(Found { began, excluded_by, standing, warnings }))
    }
}

impl Why {
    /// Nothing but what it is about.
    fn of(query: &Query, preset: &Preset, subject: Subject) -> Self {
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
            preset: preset.name.clone(),
            k: query.k,
            id,
            kind,
            conversation,
            session,
            said_at,
            summary: String::new(),
            reason: None,
            excluded_by: Vec::new(),
            standing: None,
            warnings: Vec::new(),
        }
    }
}

/// The main reason in one sentence.
fn summary(found: &Found, query: &Query) -> String {
    if !found.excluded_by.is_empty() {
        let filters: Vec<String> = found.excluded_by.iter().map(Filter::to_string).collect();
        return format!("not searched: {}", filters.join(", and "));
    }
    let Some(standing) = &found.standing else { return String::new() };
    match (&standing.stages, &standing.unranked, &standing.cut) {
        (Some(stages), _, Some(cut)) => {
            let (rank, ranked) = (ordinal(stages.last.rank), standing.ranked);
            match (stages.last.rank <= query.k.get(), cut.lacks) {
                (true, _) => format!("ranked {rank} of {ranked}, so it is a hit: {}", merit(standing)),
                (false, Some(lacks)) if lacks > 0.0 => {
                    let cause = deficit(standing, query.unit, stages, cut);
                    format!("ranked {rank} of {ranked}, {lacks:.4} below the {}: {cause}", ordinal(cut.rank))
                }
                (false, _) => {
                    format!("ranked {rank} of {ranked}: it equals the {}, which came first", ordinal(cut.rank))
                }
            }
        }
        (_, Some(Unranked::BelowPool { width }), _) => {
            let legs = [("words", standing.legs.lexical), ("meaning", standing.legs.dense)];
            let legs = legs.into_iter().filter_map(|(name, hit)| Some(format!("{} by {name}", ordinal(hit?.rank))));
            format!("not ranked: it is {}, and no leg's best {width} have it", legs.collect::<Vec<_>>().join(", "))
        }
        _ => match standing.words.is_empty() {
            true => "not ranked: nothing speaks for it".to_owned(),
            false => format!("not ranked: it has none of {}", named(standing.words.iter())),
        },
    }
}

/// What speaks for a hit.
fn merit(standing: &Standing) -> String {
    let at = |place: WordPlace| named(standing.words.iter().filter(move |word| word.place == place));
    let meaning = standing.legs.dense.map(|hit| format!("{} by meaning", ordinal(hit.rank)));
    let (own, around) = (at(WordPlace::Own), at(WordPlace::Around));
    let words = match () {
        () if !own.is_empty() => Some(format!("it holds {own}")),
        () if !around.is_empty() => Some(format!("the turns around it hold {around}")),
        () => standing.legs.lexical.map(|_| "its session holds words of the question".to_owned()),
    };
    match (words, meaning) {
        (Some(words), Some(meaning)) => format!("{words}, and is {meaning}"),
        (Some(words), None) => words,
        (None, Some(meaning)) => format!("it is {meaning}"),
        (None, None) => "everything is listed".to_owned(),
    }
}

/// Where a candidate that is no hit falls most behind the last hit.
fn deficit(standing: &Standing, unit: Unit, stages: &Stages, cut: &Cut) -> String {
    let last = ordinal(cut.rank);
    let (own, of_cut) = (stages.shares, cut.shares);
    let behind = |share: fn(&Shares) -> f64| share(&of_cut) - share(&own);
    let stages: [(f64, &dyn Fn() -> String); 5] = [
        (behind(|shares| shares.lexical), &|| format!("most of it by its words, for {}", wordless(standing, unit))),
        (behind(|shares| shares.dense), &|| match (standing.has_vector, standing.legs.dense, cut.legs.dense) {
            (Some(true), Some(own), Some(other)) => {
                format!("most of it by its meaning, {:.4} where the {last} has {:.4}", own.score, other.score)
            }
            _ => "most of it by its meaning, for it has no vector".to_owned(),
        }),
        (behind(|shares| shares.cues), &|| "most of it for the questions it answers".to_owned()),
        (behind(|shares| shares.dated), &|| "most of it for when it was said".to_owned()),
        (behind(|shares| shares.prior), &|| "most of it for being less important".to_owned()),
    ];
    let most = stages.into_iter().max_by(|(a, _), (b, _)| a.total_cmp(b));
    most.map(|(_, cause)| cause()).unwrap_or_default()
}

/// What a candidate lacks by its words.
fn wordless(standing: &Standing, unit: Unit) -> String {
    let turn = if unit == Unit::Turn { "it" } else { "its best turn" };
    // A word that nobody has is no reason to stand behind others.
    let missing = |word: &&Word| word.place == WordPlace::Missing && word.holders > 0;
    let missing = named(standing.words.iter().filter(missing));
    let unmet = |expects: Expects| standing.expectations.iter().any(|met| met.expects == expects && !met.met);
    match () {
        () if !missing.is_empty() => format!("it lacks {missing}"),
        () if standing.words.iter().all(|word| word.place != WordPlace::Own) => {
            "it holds no word of the question itself".to_owned()
        }
        () if unmet(Expects::Speaker) => format!("{turn} was not said by whom the question is about"),
        () if unmet(Expects::Time) => format!("{turn} names no time"),
        () if unmet(Expects::Statement) => format!("{turn} asks something itself"),
        () => "others say more of the same words".to_owned(),
    }
}

fn named<'w>(words: impl Iterator<Item = &'w Word>) -> String {
    let words: Vec<String> = words.map(|word| format!("{:?}", word.term)).collect();
    let more = if words.len() > NAMED { format!(" and {} more", words.len() - NAMED) } else { String::new() };
    format!("{}{more}", words[..words.len().min(NAMED)].join(", "))
}

/// 1st, 2nd, 3rd, 4th, 11th.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals() {
        let found = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal);
        assert_eq!(found, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]);
    }
}
