//! A small deterministic encoder and history for tests of the engine.
//!
//! Words hash to components, so texts that share words are alike: enough to test
//! everything around an encoder. The real one is tested in `aforesaid-models` and
//! end to end in `aforesaid-cli`.
#![allow(dead_code, reason = "each test file uses its part")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use aforesaid::{
    EncodeError, Encoder, EncoderSource, Locality, Memory,
    models::PairScorer,
    rerank::{EvidenceReranker, PairForm},
    types::*,
};

pub(crate) const DIM: usize = 64;

/// Counts the passages it has seen.
pub(crate) struct Bags {
    pub id: EncoderId,
    pub locality: Locality,
    pub passages: AtomicUsize,
    pub seen: Mutex<Vec<String>>,
    /// How long each passage takes.
    pub pause: Duration,
    /// Passages after which it fails.
    pub limit: usize,
}

impl Bags {
    fn plain(id: &str, locality: Locality) -> Self {
        Self {
            id: EncoderId::new(id).unwrap(),
            locality,
            passages: AtomicUsize::new(0),
            seen: Mutex::default(),
            pause: Duration::ZERO,
            limit: usize::MAX,
        }
    }

    pub(crate) fn new(id: &str, locality: Locality) -> Arc<Self> {
        Arc::new(Self::plain(id, locality))
    }

    pub(crate) fn slow(pause: Duration) -> Arc<Self> {
        Arc::new(Self { pause, ..Self::plain("bags@1/f32", Locality::Local) })
    }

    pub(crate) fn failing_after(id: &str, limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, ..Self::plain(id, Locality::Local) })
    }

    fn vectors(&self, texts: &[&str]) -> Vectors {
        Vectors::new(DIM, texts.iter().flat_map(|text| bag(text)).collect()).unwrap()
    }
}

fn bag(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01f32; DIM];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 2) {
        let hash =
            word.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        vector[(hash % DIM as u64) as usize] += 1.0;
    }
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / norm).collect()
}

impl Encoder for Bags {
    fn id(&self) -> &EncoderId {
        &self.id
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn locality(&self) -> Locality {
        self.locality
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        Ok(self.vectors(texts))
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        std::thread::sleep(self.pause * texts.len() as u32);
        if self.passages.fetch_add(texts.len(), Ordering::Relaxed) + texts.len() > self.limit {
            return Err(EncodeError { encoder: self.id.clone(), message: "out of order".to_owned() });
        }
        self.seen.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(self.vectors(texts))
    }
}

pub(crate) fn local() -> Arc<Bags> {
    Bags::new("bags@1/f32", Locality::Local)
}

pub(crate) fn open(location: &str, encoder: Arc<Bags>) -> Memory {
    Memory::builder().encoders(EncoderSource::Ready(encoder)).open(location).unwrap()
}

pub(crate) fn ns(name: &str) -> Namespace {
    Namespace::new(name).unwrap()
}

pub(crate) fn turn(conversation: &str, session: &str, id: &str, speaker: &str, text: &str) -> Turn {
    Turn {
        id: Some(MemoryId::new(id).unwrap()),
        ..Turn::new(ConversationId::new(conversation).unwrap(), SessionId::new(session).unwrap(), speaker, text)
    }
}

/// Two conversations of two sessions each.
pub(crate) fn history() -> Vec<Turn> {
    let dated = |turn: Turn, day: &str| Turn { said_at: Some(day.parse().unwrap()), ..turn };
    [
        ("kites", "s1", "k1", "Ann", "My red kite is stuck in the chestnut tree.", "2024-01-01"),
        ("kites", "s1", "k2", "Bob", "Borrow a ladder from the neighbours.", "2024-01-01"),
        ("kites", "s2", "k3", "Ann", "The kite is down, with one torn wing.", "2024-02-01"),
        ("kites", "s2", "k4", "Bob", "I can sew it on Sunday.", "2024-02-01"),
        ("soup", "s1", "p1", "Cyd", "Lentil soup wants cumin, not curry.", "2024-03-01"),
        ("soup", "s2", "p2", "Dee", "We had pumpkin soup on the ladder of the boat.", "2024-04-01"),
    ]
    .into_iter()
    .map(|(c, s, id, who, text, day)| dated(turn(c, s, id, who, text), day))
    .collect()
}

/// Takes the last word of a turn for how well it fits.
struct LastWord(EncoderId);

impl PairScorer for LastWord {
    fn id(&self) -> &EncoderId {
        &self.0
    }

    fn score(&self, _query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
        Ok(passages.iter().map(|passage| passage.rsplit(' ').next().unwrap().parse().unwrap()).collect())
    }
}

/// A reranker that goes by the last words of turns alone.
pub(crate) fn by_last_word() -> EvidenceReranker {
    EvidenceReranker::new(Arc::new(LastWord(EncoderId::new("last@1/f32").unwrap())), PairForm::Turn, 0.0)
}
