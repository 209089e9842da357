//! An index from which rows went, or that was put together from segments, is one made anew: in every part of it, and so in
//! every score.

use proptest::prelude::*;

use super::*;
use crate::{
    analysis::{Analyzer, Question},
    pipeline::{Candidates, Detail, Exact, Pipeline, Request, rank},
    store::{
        BLOCK, Batch, CueStore, CueVectors, DeleteTarget, InMemoryStore, NewCues, NewVectors, SnapshotOutcome, Store,
        WindowRef,
    },
    types::{
        ConversationId, CueId, CueSource, Draft, Granularity, Importance, Namespace, Note, Scope, Sensitivity, Seq,
        SessionId, Timestamp, Turn, Unmatched, VectorSet, Vectors,
    },
};

/// More vectors than this are coded.
const LIMIT: usize = 12;
const DIM: usize = 3;
const PRESETS: [&str; 10] = [
    "hybrid",
    "lexical",
    "fast",
    "paper-bm25",
    "paper-dense-max",
    "paper-dense-top3",
    "paper-dense-mean",
    "paper-dense-lse",
    "rrf(bm25(cues=1:1), dense(multivec))",
    "minmax(0.5, bm25, dense(concat))",
];
const WORDS: [&str; 12] =
    ["kite", "red", "the", "kites", "ladder", "soup", "Sunday", "boat", "is", "Ann", "yesterday", "pumpkins"];

fn spec() -> IndexSpec {
    IndexSpec { analyzer: Analyzer::English, encoder: Some(encoder()) }
}

fn encoder() -> EncoderId {
    EncoderId::new("test@1").unwrap()
}

fn ns() -> Namespace {
    Namespace::new("me").unwrap()
}

fn empty() -> Index {
    let mut index = Index::new(spec(), DIM);
    index.dense = index.dense.map(|dense| dense.limited(LIMIT));
    let rows = [&mut index.windows, &mut index.cues.questions.rows, &mut index.cues.passages];
    rows.into_iter().for_each(|rows| rows.dense = rows.dense.take().map(|dense| dense.limited(LIMIT)));
    index
}

/// What is done to a namespace.
#[derive(Debug, Clone)]
enum Step {
    Add { place: u8, words: Vec<u8>, windows: Vec<[i8; DIM]> },
    Note { words: Vec<u8>, importance: f64 },
    Forget(u8),
    ForgetSession(u8),
    ForgetConversation(u8),
    ForgetTimes { from: u8, days: u8 },
    Cue { memory: u8, words: Vec<Vec<u8>>, vectors: bool },
    DropCues(u8),
    CatchUp,
    Keep,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = || prop::collection::vec(0u8..WORDS.len() as u8, 0..7);
    let vector = || prop::array::uniform3(-9i8..=9);
    let windows = prop_oneof![
        1 => Just(Vec::new()),
        7 => prop::collection::vec(vector(), 1),
        2 => prop::collection::vec(vector(), 2..5),
    ];
    let add = (0u8..12, words(), windows).prop_map(|(place, words, windows)| Step::Add { place, words, windows });
    let cue = (any::<u8>(), prop::collection::vec(words(), 0..3), any::<bool>());
    let step = prop_oneof![
        12 => add,
        1 => (words(), 0.0..=1.0).prop_map(|(words, importance)| Step::Note { words, importance }),
        3 => any::<u8>().prop_map(Step::Forget),
        1 => any::<u8>().prop_map(Step::ForgetSession),
        1 => any::<u8>().prop_map(Step::ForgetConversation),
        1 => (0u8..28, 0u8..4).prop_map(|(from, days)| Step::ForgetTimes { from, days }),
        4 => cue.prop_map(|(memory, words, vectors)| Step::Cue { memory, words, vectors }),
        1 => any::<u8>().prop_map(Step::DropCues),
        3 => Just(Step::CatchUp),
        2 => Just(Step::Keep),
    ];
    prop::collection::vec(step, 1..70)
}

fn said(words: &[u8]) -> String {
    let words: Vec<&str> = words.iter().map(|&word| WORDS[word as usize]).collect();
    format!("{}.", words.join(" "))
}

fn unit(vector: [i8; DIM]) -> Vec<f32> {
    let vector = vector.map(|x| f32::from(x) + 0.5);
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter().map(|x| x / norm).collect()
}

fn day(number: u8) -> Timestamp {
    format!("2024-01-{:02}", 1 + number % 28).parse().unwrap()
}

/// A namespace and an index that follows it.
struct World {
    store: InMemoryStore,
    index: Index,
    added: u64,
}

impl World {
    fn new() -> Self {
        let world = Self { store: InMemoryStore::new(), index: empty(), added: 0 };
        world.add(Draft::Turn(turn(0, 0, "the first is never forgotten alone")), &[[1, 2, 3]]);
        world
    }

    fn add(&self, draft: Draft, windows: &[[i8; DIM]]) {
        let windows: Vec<f32> = windows.iter().flat_map(|window| unit(*window)).collect();
        let vectors = [Some(windows.as_slice()).filter(|windows| !windows.is_empty())];
        let set = VectorSet { encoder: &encoder(), dim: DIM };
        let vectors = NewVectors::Given { set, vectors: &vectors };
        self.store.append(&ns(), Batch { drafts: &[draft], vectors }).unwrap();
    }

    fn forget(&self, doomed: DeleteTarget) {
        self.store.forget(&ns(), &doomed).unwrap();
    }

    fn cue(&self, seq: Seq, questions: Vec<String>, has_vectors: bool) {
        let vector = |at: usize| unit([at as i8, seq.0 as i8 % 9, -3]);
        let vectors = match has_vectors {
            true => CueVectors { questions: (0..questions.len()).map(vector).collect(), passage: Some(vector(7)) },
            false => CueVectors::default(),
        };
        let source = CueSource { model: "writer".to_owned(), prompt: "test/1".to_owned() };
        let new = NewCues { seq, questions, vectors };
        self.store.put_cues(&ns(), &source, Some(&encoder()), &[new]).unwrap();
    }

    fn take(&mut self, step: Step) {
        let place = |number: u8| Seq(1 + u64::from(number) % self.store.version(&ns()).unwrap().unwrap().last.0);
        let conversation = |number: u8| ConversationId::new(format!("c{}", number % 3)).unwrap();
        let session = |number: u8| SessionId::new(format!("s{}", number % 4)).unwrap();
        let within = |number: u8| Scope { conversation: Some(conversation(number)), ..Scope::default() };
        match step {
            Step::Add { place, words, windows } => {
                self.added += 1;
                self.add(Draft::Turn(turn(place, self.added as u8, &said(&words))), &windows);
            }
            Step::Note { words, importance } => self.add(note(&said(&words), importance), &[[3, -2, 1]]),
            Step::Forget(number) => self.forget(DeleteTarget::One(place(number))),
            Step::ForgetSession(number) => {
                self.forget(DeleteTarget::Within(Scope { session: Some(session(number / 3)), ..within(number) }));
            }
            Step::ForgetConversation(number) => self.forget(DeleteTarget::Within(within(number))),
            Step::ForgetTimes { from, days } => {
                let (from, to) = (Some(day(from)), Some(day((from + days).min(27))));
                self.forget(DeleteTarget::Within(Scope { from, to, ..Scope::default() }));
            }
            Step::Cue { memory, words, vectors } => {
                let questions = words.iter().map(|words| said(words)).collect();
                self.cue(place(memory), questions, vectors);
            }
            Step::DropCues(number) => _ = self.store.drop_cues(&ns(), &within(number)).unwrap(),
            Step::CatchUp => follow(&self.store, &mut self.index),
            Step::Keep => {
                follow(&self.store, &mut self.index);
                let (version, name) = (self.index.version().unwrap(), spec().snapshot_name());
                let segments: Vec<Segment> = self.index.unkept_segments().collect();
                assert_eq!(self.store.keep_snapshot(&ns(), &name, version, &segments).unwrap(), SnapshotOutcome::Yes);
                assert!(self.index.set_kept(version, &segments));
                assert_eq!(self.index.unkept_rows(), 0);
            }
        }
    }
}

fn turn(place: u8, number: u8, text: &str) -> Turn {
    Turn {
        said_at: (!number.is_multiple_of(5)).then(|| day(number)),
        title: number.is_multiple_of(4).then(|| format!("{} and kites {}", WORDS[usize::from(number) % 9], place % 5)),
        ..Turn::new(
            ConversationId::new(format!("c{}", place % 3)).unwrap(),
            SessionId::new(format!("s{}", place / 3)).unwrap(),
            ["Ann", "Bob", "Cyd"][usize::from(number % 3)].to_owned(),
            text.to_owned(),
        )
    }
}

fn note(text: &str, importance: f64) -> Draft {
    Draft::Note(Note {
        id: None,
        conversation: None,
        text: text.to_owned(),
        said_at: None,
        importance: Importance::new(importance).unwrap(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Ordinary,
        source: Vec::new(),
    })
}

/// Brings an index up to date as the engine does.
fn follow(store: &InMemoryStore, index: &mut Index) {
    let version = store.catch_up(&ns(), Some(&encoder()), index.version(), index).unwrap();
    index.set_version(version);
    if index.is_needlessly_coded() {
        index.start_over();
        let version = store.catch_up(&ns(), Some(&encoder()), None, index).unwrap();
        index.set_version(version);
    }
}

/// An index that reads every row, and no segment.
struct Rebuilt(Index);

impl IndexSink for Rebuilt {
    fn reset(&mut self) {
        self.0.reset();
    }

    fn remove(&mut self, gone: &Removed) -> Result<(), StoreError> {
        self.0.remove(gone)
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        self.0.row(row)
    }

    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError> {
        self.0.cue(cue)
    }

    fn titles_upto(&self) -> Option<u64> {
        self.0.titles_upto()
    }

    fn title(&mut self, title: TitleRow<'_>) {
        self.0.title(title);
    }
}

fn rebuilt(store: &InMemoryStore) -> Index {
    let mut rebuilt = Rebuilt(empty());
    let version = store.catch_up(&ns(), Some(&encoder()), None, &mut rebuilt).unwrap();
    rebuilt.0.set_version(version);
    rebuilt.0
}

/// Every hit of several questions by every preset, with scores and how they came about.
fn rankings(store: &InMemoryStore, index: &Index) -> Vec<String> {
    let mut all = Vec::new();
    let at = index.version().unwrap();
    let first = |text: u32| WindowRef { seq: index.documents().seq(text), number: 0 };
    let window =
        |row: u32| WindowRef { number: index.windows.id(row) as u32, ..first(index.windows.owners()[row as usize]) };
    let ids = |rows: &OwnedRows, of: &[u32]| of.iter().map(|&row| CueId(rows.id(row))).collect::<Vec<CueId>>();
    let of_windows = |of: Vec<WindowRef>| store.vectors(&ns(), &encoder(), &of, at);
    let vectors = |texts: &[u32]| of_windows(texts.iter().map(|&text| first(text)).collect());
    let windows = |rows: &[u32]| of_windows(rows.iter().map(|&row| window(row)).collect());
    let of_cues = |ids: Vec<CueId>| -> Result<Vectors, StoreError> { store.cue_vectors(&ns(), &encoder(), &ids, at) };
    let questions = |rows: &[u32]| of_cues(ids(index.cues.questions().rows(), rows));
    let passages = |rows: &[u32]| of_cues(ids(index.cues.passages(), rows));
    let candidates = Candidates::within(index, &Scope::default(), None);
    let scoped = Scope { conversation: Some(ConversationId::new("c1").unwrap()), ..Scope::default() };
    let scoped = Candidates::within(index, &scoped, None);
    for spelled in PRESETS {
        let pipeline: Pipeline = spelled.parse().unwrap();
        for (text, vector) in [("red kites on the boat", [1, -2, 3]), ("When did Ann have soup?", [-4, 0, 2])] {
            let question = Question::new(text, pipeline.analyzer);
            let vector = unit(vector);
            for (unit, candidates) in
                [(Granularity::Turn, &candidates), (Granularity::Session, &candidates), (Granularity::Turn, &scoped)]
            {
                let request = Request {
                    question: &question,
                    vector: Some(&vector),
                    unit,
                    k: std::num::NonZeroUsize::new(20).unwrap(),
                    unmatched: Unmatched::Exclude,
                    detail: Detail::Explained,
                };
                let exact = Exact { texts: &vectors, windows: &windows, questions: &questions, passages: &passages };
                let found = rank(index, &pipeline, candidates, &request, exact).unwrap();
                // A double is printed so that no other is printed alike.
                all.push(format!("{spelled} {text} {unit:?} {:?} {:?}", found.hits, found.signals));
            }
        }
    }
    all
}

fn assert_same(found: &Index, expected: &Index) {
    assert_eq!(found.documents, expected.documents);
    assert_eq!(found.postings, expected.postings);
    assert_eq!(found.dense, expected.dense);
    assert_eq!(found.windows, expected.windows);
    assert_eq!(found.cues, expected.cues);
    assert_eq!(found.titles, expected.titles);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn what_is_left_is_an_index_made_anew(steps in steps()) {
        let mut world = World::new();
        for step in steps {
            world.take(step);
        }
        follow(&world.store, &mut world.index);
        let expected = rebuilt(&world.store);
        assert_same(&world.index, &expected);
        prop_assert_eq!(rankings(&world.store, &world.index), rankings(&world.store, &expected));
        // The next process, which has what segments are left.
        let mut next = empty();
        follow(&world.store, &mut next);
        assert_same(&next, &expected);
    }
}

/// A namespace of several blocks, kept whole.
fn several_blocks() -> World {
    let mut world = World::new();
    let numbers = || 1..3 * BLOCK + 100;
    let said = |number: u64| format!("{} and number {number}", said(&[(number % 12) as u8, (number % 7) as u8]));
    let turn = |number: u64| turn((number % 24) as u8, (number % 200) as u8, &said(number));
    let drafts: Vec<Draft> = numbers().map(|number| Draft::Turn(turn(number))).collect();
    let windows = |number: u64| (0..=i8::from(number.is_multiple_of(10))).map(move |n| [(number % 9) as i8, 1, n - 2]);
    let vectors: Vec<Vec<f32>> = numbers().map(|number| windows(number).flat_map(unit).collect()).collect();
    let vectors: Vec<Option<&[f32]>> = vectors.iter().map(|vector| Some(vector.as_slice())).collect();
    let vectors = NewVectors::Given { set: VectorSet { encoder: &encoder(), dim: DIM }, vectors: &vectors };
    world.store.append(&ns(), Batch { drafts: &drafts, vectors }).unwrap();
    for seq in [5, 9, BLOCK + 3, 2 * BLOCK + 7] {
        world.cue(Seq(seq), vec!["Who has the kite?".to_owned(), format!("What is number {seq}?")], true);
    }
    world.take(Step::Keep);
    world
}

/// How many rows an index made anew has to read one by one.
fn read_one_by_one(world: &World) -> usize {
    let mut next = empty();
    follow(&world.store, &mut next);
    assert_same(&next, &rebuilt(&world.store));
    next.unkept_rows()
}

#[test]
fn a_forgotten_turn_costs_the_next_process_its_block_and_no_more() {
    // Any forget threw every index away, that of the next process too.
    let mut world = several_blocks();
    assert_eq!(read_one_by_one(&world), 0);
    let middle = Seq(BLOCK + 100);
    world.forget(DeleteTarget::One(middle));
    assert_eq!(read_one_by_one(&world), BLOCK as usize - 1);
    follow(&world.store, &mut world.index);
    assert_same(&world.index, &rebuilt(&world.store));
    assert_eq!(world.index.unkept_rows(), BLOCK as usize - 1, "it knows which segment is gone");
    world.take(Step::Keep);
    assert_eq!(read_one_by_one(&world), 0);
    world.take(Step::DropCues(0));
    let before = read_one_by_one(&world);
    assert!(before < 20, "only cues are read: {before}");
}

#[test]
fn segments_of_a_forgotten_text_hold_nothing_of_it() {
    let world = several_blocks();
    let secret = "xyzzyplugh";
    world.add(Draft::Turn(turn(1, 1, secret)), &[[1, 1, 1], [1, 1, 2]]);
    let seq = world.store.version(&ns()).unwrap().unwrap().last;
    world.cue(seq, vec![format!("Who is {secret}?")], true);
    let mut index = empty();
    follow(&world.store, &mut index);
    let holds = |index: &Index| {
        let segments: Vec<Segment> = index.unkept_segments().collect();
        segments.iter().any(|segment| segment.bytes.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()))
    };
    assert!(holds(&index));
    world.forget(DeleteTarget::One(seq));
    follow(&world.store, &mut index);
    index.kept.clear();
    assert!(!holds(&index) && index.postings.number_of(secret).is_none());
}

#[test]
fn damage_and_other_kinds_of_index_are_refused() {
    let world = several_blocks();
    let mut whole = rebuilt(&world.store);
    whole.kept.clear();
    let segments: Vec<Segment> = whole.unkept_segments().collect();
    assert!(segments.iter().any(|segment| segment.rows == SegmentKind::Cues));
    let mut lexical = Index::new(IndexSpec { encoder: None, ..spec() }, 1);
    let mut wider = Index::new(spec(), DIM + 1);
    assert!(lexical.put_back(&segments[0]).is_err() && wider.put_back(&segments[0]).is_err());
    for rows in [SegmentKind::Memories, SegmentKind::Cues] {
        let segment = segments.iter().find(|segment| segment.rows == rows).unwrap();
        let mut before = empty();
        if rows == SegmentKind::Cues {
            for segment in segments.iter().filter(|segment| segment.rows == SegmentKind::Memories) {
                before.put_back(segment).unwrap();
            }
        }
        for at in (0..segment.bytes.len()).step_by(997) {
            let mut damaged = segment.clone();
            damaged.bytes[at] ^= 1 << (at % 8);
            assert!(before.put_back(&damaged).is_err(), "{rows:?} {at}");
        }
        let elsewhere = Segment { block: segment.block + 1, upto: segment.upto + BLOCK, ..segment.clone() };
        assert!(before.put_back(&elsewhere).is_err());
        before.put_back(segment).unwrap();
        assert!(before.put_back(segment).is_err(), "rows come once");
    }
}

proptest! {
    #[test]
    fn no_bytes_are_a_panic(mut body in prop::collection::vec(any::<u8>(), 0..200), cues in any::<bool>()) {
        // With the right magic and checksum, so that the reader itself is tested.
        let mut bytes = b"afseg\x00\x001".to_vec();
        bytes.append(&mut body);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        let rows = if cues { SegmentKind::Cues } else { SegmentKind::Memories };
        let _ = empty().put_back(&Segment { rows, block: 0, upto: 9, bytes });
    }
}
