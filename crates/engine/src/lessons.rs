//! What a namespace's own cue questions teach an encoder.

use std::collections::{BTreeMap, BTreeSet};

use aforesaid_core::{
    analysis::{Analyzer, Question, SpeakerName},
    types::{Namespace, Record, Scope, Sensitivity, Seq},
};
use aforesaid_models::training::{TrainingPair, TrainingSet};

use crate::{CuedMemory, Error, Memory};

/// Of so many sessions one is held out.
const HELD_OUT: usize = 5;

/// Questions to learn from, and questions to see by whether that helped.
#[derive(Debug, Clone, Default)]
pub struct Lessons {
    /// A set a conversation, without the sessions that are held out.
    pub learned: Vec<TrainingSet>,
    /// The questions of the sessions held out, each among all memories of its conversation.
    pub held_out: Vec<TrainingSet>,
    /// The session of each question held out, by number, set after set.
    pub sessions: Vec<usize>,
    /// The memories that are learned from, by their positions.
    pub memories: BTreeSet<Seq>,
    /// Sensitive memories, which are left out: an adapter may leave this machine.
    pub sensitive: usize,
}

/// A memory and its questions.
struct Taught {
    seq: Seq,
    session: usize,
    speaker: Option<String>,
    forms: Vec<String>,
    questions: Vec<String>,
}

impl Memory {
    /// The cue questions of a namespace as lessons; a fifth of the sessions is held out.
    ///
    /// # Errors
    /// When the namespace does not exist or the store fails.
    pub fn lessons(&self, namespace: &Namespace) -> Result<Lessons, Error> {
        let mut lessons = Lessons::default();
        let mut conversations: BTreeMap<String, Vec<Taught>> = BTreeMap::new();
        let mut sessions: BTreeMap<(String, String), usize> = BTreeMap::new();
        self.visit_cues(namespace, &Scope::default(), &mut |CuedMemory { memory, cues }| {
            if memory.sensitivity == Sensitivity::Sensitive {
                lessons.sensitive += 1;
                return;
            }
            let name = |part: Option<&str>| part.unwrap_or_default().to_owned();
            let conversation = name(memory.conversation.as_ref().map(|id| id.as_str()));
            let next = sessions.len();
            let session = (conversation.clone(), name(memory.session.as_ref().map(|id| id.as_str())));
            let session = *sessions.entry(session).or_insert(next);
            let questions = cues.map(|cues| cues.questions).unwrap_or_default();
            let taught =
                Taught { seq: memory.seq, session, forms: forms_of(&memory), questions, speaker: memory.speaker };
            conversations.entry(conversation).or_default().push(taught);
        })?;
        for (name, memories) in conversations {
            lessons.add(&name, &memories);
        }
        Ok(lessons)
    }
}

/// With who said it and without.
fn forms_of(memory: &Record) -> Vec<String> {
    let mut forms = vec![memory.passage()];
    forms.extend(memory.speaker.is_some().then(|| memory.text.clone()).filter(|text| !text.trim().is_empty()));
    forms
}

impl Lessons {
    /// Adds a conversation.
    fn add(&mut self, name: &str, memories: &[Taught]) {
        // Sessions are counted over the namespace: an assistant's chats have one each.
        let is_held = |session: usize| session % HELD_OUT == HELD_OUT - 1;
        let mut speakers: Vec<&str> = memories.iter().filter_map(|memory| memory.speaker.as_deref()).collect();
        speakers.sort_unstable();
        speakers.dedup();
        let speakers: Vec<SpeakerName> = speakers.into_iter().map(SpeakerName::new).collect();
        let empty = || TrainingSet { name: name.to_owned(), weight: 1.0, ..TrainingSet::default() };
        let (mut learned, mut held_out) = (empty(), empty());
        for memory in memories {
            let held = is_held(memory.session);
            let in_all = held_out.passages.len();
            held_out.passages.push(memory.forms.clone());
            if held {
                let pairs = memory.questions.iter().map(|question| pair(question, in_all, &speakers));
                held_out.pairs.extend(pairs);
                self.sessions.extend(memory.questions.iter().map(|_| memory.session));
            } else {
                let place = learned.passages.len();
                learned.passages.push(memory.forms.clone());
                learned.pairs.extend(memory.questions.iter().map(|question| pair(question, place, &speakers)));
            }
        }
        if !learned.pairs.is_empty() {
            let is_learned = |memory: &&Taught| !memory.questions.is_empty() && !is_held(memory.session);
            self.memories.extend(memories.iter().filter(is_learned).map(|memory| memory.seq));
            self.learned.push(learned);
        }
        self.held_out.extend(Some(held_out).filter(|set| !set.pairs.is_empty()));
    }

    /// Questions to learn from, and questions held out.
    pub fn counts(&self) -> (usize, usize) {
        let count = |sets: &[TrainingSet]| sets.iter().map(|set| set.pairs.len()).sum();
        (count(&self.learned), count(&self.held_out))
    }
}

/// A question with and without the names of speakers: searches leave them out.
fn pair(question: &str, passage: usize, speakers: &[SpeakerName]) -> TrainingPair {
    let bare = Question::new(question, Analyzer::English).without_names(speakers);
    let mut questions = vec![bare];
    questions.extend((questions[0] != question).then(|| question.to_owned()));
    TrainingPair { questions, passage, also: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(session: usize, text: &str) -> Taught {
        let forms = vec![format!("Ann: {text}"), text.to_owned()];
        Taught {
            seq: Seq(session as u64),
            session,
            speaker: Some("Ann".into()),
            forms,
            questions: vec![format!("What did Ann say of {text}?")],
        }
    }

    #[test]
    fn a_fifth_of_the_sessions_is_asked_among_all_and_learned_by_none() {
        let memories: Vec<Taught> = (0..20).map(|i| memory(i / 2, &format!("kite {i}"))).collect();
        let mut lessons = Lessons::default();
        lessons.add("c", &memories);
        assert_eq!(lessons.counts(), (16, 4));
        assert_eq!(lessons.sessions, [4, 4, 9, 9]);
        let held = [Seq(4), Seq(9)];
        assert!(lessons.memories.len() == 8 && held.iter().all(|seq| !lessons.memories.contains(seq)), "{lessons:?}");
        let (learned, held_out) = (&lessons.learned[0], &lessons.held_out[0]);
        assert_eq!((learned.passages.len(), held_out.passages.len()), (16, 20));
        for pair in &held_out.pairs {
            let passage = &held_out.passages[pair.passage];
            assert!(pair.questions[0].ends_with(&format!("{}?", passage[1])), "{pair:?} {passage:?}");
            assert!(!pair.questions[0].contains("Ann") && pair.questions[1].contains("Ann"), "{pair:?}");
            assert!(!learned.passages.contains(passage));
        }
    }

    /// Where each conversation has one session, as an assistant's chats have, none was held out, and nothing could be learned.
    #[test]
    fn of_conversations_of_one_session_each_a_fifth_is_held_out() {
        let mut lessons = Lessons::default();
        for session in 0..10 {
            let memories = ["kite", "rope"].map(|text| memory(session, text));
            lessons.add(&format!("c{session}"), &memories);
        }
        assert_eq!(lessons.counts(), (16, 4));
        assert_eq!(lessons.sessions, [4, 4, 9, 9]);
        assert_eq!((lessons.learned.len(), lessons.held_out.len()), (8, 2));
    }
}
