//! Where each text stands: its place in the store, its session, its time.

use std::collections::HashMap;

use crate::{
    analysis::{Form, Language, SpeakerName},
    store::IndexRow,
    types::{Seq, Timestamp},
};

/// No session, no conversation, no time.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const NO_TIME: i64 = i64::MIN;

/// A session and its turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its conversation, by number.
    pub conversation: u32,
    /// Its name in that conversation.
    pub name: String,
    /// Its turns by position, in the order they were said.
    pub turns: Vec<u32>,
    /// Terms of all its turns, repeats included.
    pub terms: u64,
}

/// Columns of a namespace, one entry a text, in order of arrival.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Documents {
    pub(super) seq: Vec<u64>,
    pub(super) session: Vec<u32>,
    pub(super) conversation: Vec<u32>,
    pub(super) said_at: Vec<i64>,
    pub(super) importance: Vec<f32>,
    pub(super) speaker: Vec<u32>,
    pub(super) form: Vec<Form>,
    /// Where each text stands among the turns of its session.
    place: Vec<u32>,
    pub(super) speakers: Vec<String>,
    speaker_names: Vec<SpeakerName>,
    pub(super) sessions: Vec<Session>,
    pub(super) conversations: Vec<String>,
    speaker_numbers: HashMap<String, u32>,
    session_numbers: HashMap<(u32, String), u32>,
    conversation_numbers: HashMap<String, u32>,
}

/// What conversations, sessions and speakers of other columns are called here, once that was found out.
struct Numbers {
    conversations: Vec<Option<u32>>,
    sessions: Vec<Option<u32>>,
    speakers: Vec<Option<u32>>,
}

impl Numbers {
    fn of(other: &Documents) -> Self {
        Self {
            conversations: vec![None; other.conversations.len()],
            sessions: vec![None; other.sessions.len()],
            speakers: vec![None; other.speakers.len()],
        }
    }

    fn conversation(&mut self, here: &mut Documents, other: &Documents, number: u32) -> u32 {
        match number {
            NONE => NONE,
            _ => *self.conversations[number as usize]
                .get_or_insert_with(|| here.number_conversation(&other.conversations[number as usize])),
        }
    }

    fn session(&mut self, here: &mut Documents, other: &Documents, number: u32) -> u32 {
        if number == NONE {
            return NONE;
        }
        if let Some(known) = self.sessions[number as usize] {
            return known;
        }
        let Session { conversation, name, .. } = &other.sessions[number as usize];
        let conversation = self.conversation(here, other, *conversation);
        let known = here.number_session(conversation, name);
        self.sessions[number as usize] = Some(known);
        known
    }
}

impl Documents {
    pub(super) fn push(&mut self, row: &IndexRow<'_>, terms: u32) {
        let position = self.seq.len() as u32;
        let conversation = row.conversation.map_or(NONE, |name| self.number_conversation(name));
        let session = row.session.map_or(NONE, |name| self.number_session(conversation, name));
        let speaker = row.speaker.map_or(NONE, |name| self.number_speaker(name));
        self.join_session(position, session, terms);
        self.seq.push(row.seq.0);
        self.session.push(session);
        self.conversation.push(conversation);
        self.said_at.push(row.said_at.map_or(NO_TIME, Timestamp::millis));
        self.importance.push(row.importance as f32);
        self.speaker.push(speaker);
        self.form.push(Form::of(row.text));
    }

    /// Appends texts of others, by their positions there: as if each were pushed. `terms` says how many each has there.
    pub(super) fn take(&mut self, other: &Self, texts: impl IntoIterator<Item = u32>, terms: &[u32]) {
        let mut known = Numbers::of(other);
        for text in texts {
            let at = text as usize;
            let conversation = known.conversation(self, other, other.conversation[at]);
            let session = known.session(self, other, other.session[at]);
            let speaker = match other.speaker[at] {
                NONE => NONE,
                number => *known.speakers[number as usize]
                    .get_or_insert_with(|| self.number_speaker(&other.speakers[number as usize])),
            };
            self.join_session(self.seq.len() as u32, session, terms[at]);
            self.seq.push(other.seq[at]);
            self.session.push(session);
            self.conversation.push(conversation);
            self.said_at.push(other.said_at[at]);
            self.importance.push(other.importance[at]);
            self.speaker.push(speaker);
            self.form.push(other.form[at]);
        }
    }

    fn join_session(&mut self, position: u32, session: u32, terms: u32) {
        let session = self.sessions.get_mut(session as usize);
        self.place.push(session.as_ref().map_or(0, |session| session.turns.len() as u32));
        if let Some(session) = session {
            session.turns.push(position);
            session.terms += u64::from(terms);
        }
    }

    pub(super) fn number_speaker(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.speaker_numbers.get(name) {
            return number;
        }
        let number = self.speakers.len() as u32;
        self.speakers.push(name.to_owned());
        self.speaker_names.push(SpeakerName::new(name));
        self.speaker_numbers.insert(name.to_owned(), number);
        number
    }

    pub(super) fn number_conversation(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.conversation_numbers.get(name) {
            return number;
        }
        let number = self.conversations.len() as u32;
        self.conversations.push(name.to_owned());
        self.conversation_numbers.insert(name.to_owned(), number);
        number
    }

    pub(super) fn number_session(&mut self, conversation: u32, name: &str) -> u32 {
        let key = (conversation, name.to_owned());
        if let Some(&number) = self.session_numbers.get(&key) {
            return number;
        }
        let number = self.sessions.len() as u32;
        self.sessions.push(Session { conversation, name: name.to_owned(), turns: Vec::new(), terms: 0 });
        self.session_numbers.insert(key, number);
        number
    }

    /// Texts.
    pub fn len(&self) -> usize {
        self.seq.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.seq.is_empty()
    }

    /// Place in the store of the text at `position`.
    pub fn seq(&self, position: u32) -> Seq {
        Seq(self.seq[position as usize])
    }

    /// Position of the first text that came at `seq` or after it.
    pub fn first_from(&self, seq: Seq) -> u32 {
        self.seq.partition_point(|&place| place < seq.0) as u32
    }

    /// Session number of the text at `position`; notes have none.
    pub fn session_of(&self, position: u32) -> Option<u32> {
        Some(self.session[position as usize]).filter(|&session| session != NONE)
    }

    /// Conversation number of the text at `position`.
    pub fn conversation_of(&self, position: u32) -> Option<u32> {
        Some(self.conversation[position as usize]).filter(|&conversation| conversation != NONE)
    }

    /// When the text at `position` was said.
    pub fn said_at(&self, position: u32) -> Option<Timestamp> {
        let millis = self.said_at[position as usize];
        if millis == NO_TIME { None } else { Timestamp::from_millis(millis).ok() }
    }

    /// Importance of the text at `position`, in [0, 1].
    pub fn importance(&self, position: u32) -> f64 {
        f64::from(self.importance[position as usize])
    }

    /// Number of who said the text at `position`.
    pub fn speaker_of(&self, position: u32) -> Option<u32> {
        Some(self.speaker[position as usize]).filter(|&speaker| speaker != NONE)
    }

    /// Everyone who said something, by number.
    pub fn speakers(&self) -> &[SpeakerName] {
        &self.speaker_names
    }

    /// Tells whether a text was said by an assistant.
    pub fn said_by_assistant(&self) -> impl Fn(u32) -> bool {
        // There are few speakers, and many texts.
        let is_assistant: Vec<bool> = self.speaker_names.iter().map(SpeakerName::is_assistant).collect();
        move |text| self.speaker_of(text).is_some_and(|speaker| is_assistant[speaker as usize])
    }

    /// A speaker's name as stored, by number.
    pub fn speaker(&self, number: u32) -> Option<&str> {
        self.speakers.get(number as usize).map(String::as_str)
    }

    /// What kind of statement the text at `position` is.
    pub fn form(&self, position: u32) -> Form {
        self.form[position as usize]
    }

    /// The languages other than English that texts are in, with the share of the texts of each, in (0, 1].
    pub fn languages(&self) -> Vec<(Language, f64)> {
        // Every search counts anew: by numbers, which need no hash.
        let mut counts = [0_usize; Language::KNOWN];
        self.form.iter().filter_map(|form| form.language_number()).for_each(|number| counts[number] += 1);
        let found = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        let share = |(number, count)| (Language::numbered(number), count as f64 / self.form.len() as f64);
        let mut shares: Vec<(Language, f64)> = found.map(share).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }

    /// Session number of the text at `position`, and its place among the session's turns; notes have none.
    pub fn in_session(&self, position: u32) -> Option<(u32, usize)> {
        Some((self.session_of(position)?, self.place[position as usize] as usize))
    }

    /// Whether the text at `position` is what a tool did, which stands aside of what is said.
    pub fn is_aside(&self, position: u32) -> bool {
        self.speaker_of(position).is_some_and(|speaker| self.speaker_names[speaker as usize].is_tool())
    }

    /// Whether a tool is among the speakers.
    pub fn has_asides(&self) -> bool {
        self.speaker_names.iter().any(SpeakerName::is_tool)
    }

    /// The turn that stands `distance` places after the text at `position` in its session, before it where negative. What
    /// tools did is passed over, and has no neighbours: an answer follows what was asked, whatever was run between them.
    pub fn neighbour(&self, position: u32, distance: isize) -> Option<u32> {
        let (session, place) = self.in_session(position)?;
        let turns = &self.sessions[session as usize].turns;
        if self.is_aside(position) {
            return None;
        }
        let mut left = distance.unsigned_abs();
        let mut at = place;
        while left > 0 {
            at = at.checked_add_signed(distance.signum())?;
            left -= usize::from(!self.is_aside(*turns.get(at)?));
        }
        Some(turns[at])
    }

    /// All sessions, in order of their first turn's arrival.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// Name of a conversation by number.
    pub fn conversation(&self, number: u32) -> Option<&str> {
        self.conversations.get(number as usize).map(String::as_str)
    }

    /// Number of a conversation by name.
    pub fn conversation_number(&self, name: &str) -> Option<u32> {
        self.conversation_numbers.get(name).copied()
    }

    /// Position of the text that came at `seq`.
    pub fn position(&self, seq: Seq) -> Option<u32> {
        let position = self.first_from(seq);
        (self.seq.get(position as usize) == Some(&seq.0)).then_some(position)
    }

    /// Number of a session by its conversation's name and its own.
    pub fn session_number(&self, conversation: &str, name: &str) -> Option<u32> {
        let key = (self.conversation_number(conversation)?, name.to_owned());
        self.session_numbers.get(&key).copied()
    }

    /// Bytes held, approximately.
    pub fn heap_bytes(&self) -> usize {
        let columns = self.seq.capacity() * (8 + 4 + 4 + 8 + 4 + 4 + 2 + 4);
        let sessions: usize = self.sessions.iter().map(|s| 2 * s.name.len() + 120).sum();
        let conversations: usize = self.conversations.iter().map(|c| 2 * c.len() + 80).sum();
        columns + sessions + conversations
    }
}
