//! Steps, each of them one call of a store, through all it can do.

use std::path::{Path, PathBuf};

use aforesaid_core::{
    StoreError,
    store::{
        Audience, Batch, CueStore, CueVectors, DeleteTarget, Erasure, Fingerprint, MemoryRef, NewCues, NewVectors,
        Segment, SegmentKind, Store,
    },
    types::{
        ConversationId, CueId, CueSource, Draft, EncoderId, Importance, MemoryId, Namespace, Note, Scope, Sensitivity,
        Seq, SessionId, Turn, VectorSet,
    },
};
use aforesaid_sqlite::{Creation, SqliteStore};

use crate::world::{FIRST, SECOND, encoder, mark, namespace, snapshot_name, vector};

/// A step's kind, for the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Create,
    Migrate,
    Reopen,
    Add,
    Import,
    Forget,
    Cues,
    Reembed,
    Snapshot,
    Checkpoint,
}

/// A store that is open, or is not.
pub(crate) struct Bench {
    pub(crate) path: PathBuf,
    pub(crate) store: Option<SqliteStore>,
}

type Run = Box<dyn Fn(&mut Bench) -> Result<(), StoreError>>;

pub(crate) struct Step {
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    run: Run,
}

impl Step {
    pub(crate) fn run(&self, bench: &mut Bench) -> Result<(), StoreError> {
        (self.run)(bench)
    }
}

impl Bench {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), store: None }
    }

    /// The store, opened where it is not.
    pub(crate) fn open(&mut self) -> Result<&SqliteStore, StoreError> {
        if self.store.is_none() {
            self.store = Some(SqliteStore::open(&self.path, Creation::Allowed)?);
        }
        Ok(self.store.as_ref().unwrap())
    }
}

fn step(kind: Kind, name: &'static str, run: impl Fn(&SqliteStore) -> Result<(), StoreError> + 'static) -> Step {
    Step { kind, name, run: Box::new(move |bench| run(bench.open()?)) }
}

fn reopen() -> Step {
    let run = |bench: &mut Bench| {
        bench.store = None;
        bench.open().map(|_| ())
    };
    Step { kind: Kind::Reopen, name: "close and open", run: Box::new(run) }
}

fn checkpoint() -> Step {
    let run = |bench: &mut Bench| {
        bench.open()?;
        let connection = rusqlite::Connection::open(&bench.path);
        let done = connection.and_then(|c| c.query_row("PRAGMA wal_checkpoint(FULL)", [], |row| row.get::<_, bool>(0)));
        match done {
            Ok(_) => Ok(()),
            Err(error) => {
                let location = bench.path.display().to_string();
                Err(StoreError::Backend { location, action: "checkpoint", source: Box::new(error) })
            }
        }
    };
    Step { kind: Kind::Checkpoint, name: "checkpoint", run: Box::new(run) }
}

fn turn(session: &str, n: usize, length: usize) -> Draft {
    let mark = mark(n);
    let text = format!("{mark} {}", "and so on ".repeat(length / 10));
    let conversation = ConversationId::new(if n.is_multiple_of(3) { "c1" } else { "c2" }).unwrap();
    let turn = Turn::new(conversation, SessionId::new(session).unwrap(), "Ann", text.trim_end());
    Draft::Turn(Turn { image_caption: n.is_multiple_of(5).then(|| "a kite".to_owned()), ..turn })
}

fn note(n: usize) -> Draft {
    Draft::Note(Note {
        id: None,
        conversation: None,
        text: format!("{} is worth knowing", mark(n)),
        said_at: None,
        importance: Importance::new(0.9).unwrap(),
        tags: vec!["tag".to_owned()],
        sensitivity: Sensitivity::Sensitive,
        source: Vec::new(),
    })
}

/// Turns called `from` and on, each with an id: what is repeated changes nothing.
fn named(session: &str, from: usize, count: usize, length: usize) -> Vec<Draft> {
    let name = |(n, draft)| match draft {
        Draft::Turn(turn) => Draft::Turn(Turn { id: Some(MemoryId::new(format!("id{n}")).unwrap()), ..turn }),
        note => note,
    };
    (from..from + count).map(|n| (n, turn(session, n, length + 37 * (n % 7)))).map(name).collect()
}

fn add(
    to: Namespace,
    drafts: Vec<Draft>,
    by: Option<(&'static str, usize)>,
) -> impl Fn(&SqliteStore) -> Result<(), StoreError> {
    move |store| {
        let Some((name, first)) = by else { return store.append(&to, Batch::of(&drafts)).map(|_| ()) };
        let made: Vec<Vec<f32>> = (first..first + drafts.len()).map(vector).collect();
        let given: Vec<Option<&[f32]>> = made.iter().map(|made| Some(&made[..])).collect();
        let name = encoder(name);
        let vectors = NewVectors::Given { set: set(&name), vectors: &given };
        store.append(&to, Batch { drafts: &drafts, vectors }).map(|_| ())
    }
}

/// The set of an encoder.
fn set(encoder: &EncoderId) -> VectorSet<'_> {
    VectorSet { encoder, dim: vector(0).len() }
}

fn fingerprint(n: usize) -> Fingerprint {
    let mut print = [0xAB; 16];
    print[..8].copy_from_slice(&(n as u64).to_le_bytes());
    print
}

fn stage(to: &Namespace, store: &SqliteStore, names: std::ops::Range<usize>) -> Result<(), StoreError> {
    let made: Vec<(Fingerprint, Vec<f32>)> = names.map(|n| (fingerprint(n), vector(n))).collect();
    let rows: Vec<(Fingerprint, &[f32])> = made.iter().map(|(print, made)| (*print, &made[..])).collect();
    store.stage(to, &encoder(FIRST), &rows)
}

/// Appends what is staged; what was lost of it is staged again, as an import does.
fn append_staged(to: &Namespace, store: &SqliteStore, drafts: &[Draft], first: usize) -> Result<(), StoreError> {
    let prints: Vec<Fingerprint> = (first..first + drafts.len()).map(fingerprint).collect();
    // An import that was done before it was told so asks first what is there.
    let known = store.find_existing(to, drafts)?;
    if known.iter().all(Option::is_some) {
        return Ok(());
    }
    let staged = store.staged(to, &encoder(FIRST), &prints)?;
    for (n, _) in (first..).zip(staged).filter(|(_, staged)| !staged) {
        stage(to, store, n..n + 1)?;
    }
    let prints: Vec<Option<Fingerprint>> = prints.into_iter().map(Some).collect();
    let name = encoder(FIRST);
    let vectors = NewVectors::Staged { set: set(&name), fingerprints: &prints };
    store.append(to, Batch { drafts, vectors }).map(|_| ())
}

fn put_cues(
    to: Namespace,
    by: &'static str,
    seqs: &'static [u64],
    first: usize,
) -> impl Fn(&SqliteStore) -> Result<(), StoreError> {
    move |store| {
        let source = CueSource { model: "m".to_owned(), prompt: "p/1".to_owned() };
        let cues: Vec<NewCues> = seqs
            .iter()
            .enumerate()
            .map(|(i, seq)| {
                let n = first + 10 * i;
                NewCues {
                    seq: Seq(*seq),
                    questions: vec![format!("who is {}?", mark(n)), format!("what is {}?", mark(n + 1))],
                    vectors: CueVectors { questions: vec![vector(n), vector(n + 1)], passage: Some(vector(n + 2)) },
                }
            })
            .collect();
        store.put_cues(&to, &source, Some(&encoder(by)), &cues).map(|_| ())
    }
}

/// Makes up to `limit` missing vectors, each named after the place of its memory.
fn embed(to: Namespace, by: EncoderId, first: usize, limit: usize) -> impl Fn(&SqliteStore) -> Result<(), StoreError> {
    move |store| {
        let missing = store.unembedded(&to, &by, Audience::LocalModels, Seq(0), limit)?;
        let made: Vec<(Seq, Vec<f32>)> =
            missing.into_iter().map(|memory| (memory.seq, vector(first + memory.seq.0 as usize))).collect();
        let rows: Vec<(Seq, &[f32])> = made.iter().map(|(seq, made)| (*seq, &made[..])).collect();
        store.embed(&to, set(&by), &rows)
    }
}

fn embed_cues(to: Namespace, by: EncoderId, first: usize) -> impl Fn(&SqliteStore) -> Result<(), StoreError> {
    move |store| {
        let missing = store.unembedded_cues(&to, &by, Audience::LocalModels, CueId(0), 1_000)?;
        let made: Vec<(CueId, Vec<f32>)> =
            missing.into_iter().map(|cue| (cue.id, vector(first + cue.id.0 as usize))).collect();
        let rows: Vec<(CueId, &[f32])> = made.iter().map(|(id, made)| (*id, &made[..])).collect();
        store.embed_cues(&to, &by, &rows)
    }
}

fn keep_snapshot(of: Namespace, n: usize) -> impl Fn(&SqliteStore) -> Result<(), StoreError> {
    move |store| match store.version(&of)? {
        Some(version) => {
            let snapshot = format!("{} and other terms ", mark(n)).repeat(800);
            let (rows, upto) = (SegmentKind::Memories, version.last.0);
            let segment = Segment { rows, block: 0, upto, bytes: snapshot.into_bytes() };
            store.keep_snapshot(&of, &snapshot_name(), version, &[segment]).map(|_| ())
        }
        None => Ok(()),
    }
}

/// What is forgotten is promised to be gone once its bytes are, too.
fn erased(store: &SqliteStore) -> Result<(), StoreError> {
    match store.erasure()? {
        Erasure::Complete => Ok(()),
        Erasure::Pending | Erasure::LeftToServer => Err(StoreError::Backend {
            location: store.location(),
            action: "empty the log",
            source: "it is still to be done".into(),
        }),
    }
}

fn forget(of: Namespace, doomed: DeleteTarget) -> impl Fn(&SqliteStore) -> Result<(), StoreError> {
    move |store| store.forget(&of, &doomed).and_then(|_| erased(store))
}

fn forget_named(of: Namespace, id: &'static str) -> impl Fn(&SqliteStore) -> Result<(), StoreError> {
    move |store| {
        let address = MemoryRef { id: MemoryId::new(id)?, conversation: None };
        match store.find(&of, &address)?.first() {
            Some(memory) => store.forget(&of, &DeleteTarget::One(memory.seq)).and_then(|_| erased(store)),
            None => Ok(()),
        }
    }
}

fn within(conversation: &str, session: Option<&str>) -> Scope {
    Scope {
        conversation: Some(ConversationId::new(conversation).unwrap()),
        session: session.map(|session| SessionId::new(session).unwrap()),
        ..Scope::default()
    }
}

/// From no store to one that has been through everything.
pub(crate) fn all() -> Vec<Step> {
    use Kind::*;
    let (a, b) = (|| namespace("a"), || namespace("b"));
    let everything = || DeleteTarget::Within(Scope::default());
    let mut first = named("s1", 0, 6, 60);
    first.push(note(6));
    let imported = named("s2", 100, 24, 90);
    let appended = imported.clone();
    vec![
        step(Create, "make a store", |_| Ok(())),
        step(Add, "add with vectors", add(a(), first, Some((FIRST, 0)))),
        step(Add, "add long ones without vectors", add(b(), named("s1", 20, 8, 9_000), None)),
        step(Import, "stage", move |store| stage(&namespace("a"), store, 100..112)),
        step(Import, "stage more", move |store| stage(&namespace("a"), store, 112..124)),
        step(Import, "append what is staged", move |store| append_staged(&namespace("a"), store, &appended, 100)),
        step(Cues, "put cues", put_cues(a(), FIRST, &[2, 4, 9, 12], 200)),
        step(Snapshot, "keep a snapshot", keep_snapshot(a(), 300)),
        step(Forget, "forget one", forget_named(a(), "id3")),
        step(Cues, "put other cues", put_cues(a(), FIRST, &[4, 5], 310)),
        step(
            Add,
            "add ids of the store's",
            add(b(), (40..46).map(|n| turn("s2", n, 700)).collect(), Some((FIRST, 400))),
        ),
        checkpoint(),
        step(Snapshot, "keep another snapshot", keep_snapshot(a(), 301)),
        step(Reembed, "embed some", embed(a(), encoder(SECOND), 1_000, 15)),
        step(Reembed, "embed the rest", embed(a(), encoder(SECOND), 1_000, 1_000)),
        step(Reembed, "embed cues", embed_cues(a(), encoder(SECOND), 2_000)),
        step(Reembed, "have others serve", |store| {
            store.activate(&namespace("a"), &encoder(SECOND), Audience::LocalModels).map(|_| ())
        }),
        step(Reembed, "drop idle vectors", |store| {
            store.drop_idle_vectors(&namespace("a")).and_then(|_| erased(store))
        }),
        reopen(),
        step(Cues, "drop cues", |store| {
            store.drop_cues(&namespace("a"), &within("c2", None)).and_then(|_| erased(store))
        }),
        step(Forget, "forget a session", forget(a(), DeleteTarget::Within(within("c1", Some("s2"))))),
        step(Forget, "forget a long one", forget_named(b(), "id22")),
        step(Add, "add to both", add(a(), named("s3", 500, 10, 300), Some((SECOND, 500)))),
        checkpoint(),
        step(Forget, "forget a conversation", forget(b(), DeleteTarget::Within(within("c2", None)))),
        step(Forget, "forget a namespace", move |store| match store.version(&namespace("b"))? {
            Some(_) => store.forget(&namespace("b"), &everything()).and_then(|_| erased(store)),
            None => Ok(()),
        }),
        step(Add, "make it again", add(b(), named("s1", 600, 3, 60), Some((SECOND, 600)))),
        reopen(),
        step(Add, "add a last one", add(b(), named("s1", 603, 1, 60), Some((SECOND, 603)))),
    ]
}

/// From a store of version 1 to this one's.
pub(crate) fn migration() -> Vec<Step> {
    use Kind::*;
    vec![
        step(Migrate, "open a store of version 1", |_| Ok(())),
        step(Add, "add to it", add(namespace("a"), named("s1", 50, 4, 60), Some((FIRST, 50)))),
        step(Forget, "forget of it", forget_named(namespace("a"), "old3")),
        reopen(),
    ]
}
