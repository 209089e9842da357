//! What disks do to a file is noticed: by whoever reads everything, by a quick check, or by a full one.
#![allow(clippy::unwrap_used, reason = "test code")]

mod pages;

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use aforesaid_core::{
    StoreError,
    store::{
        Batch, CheckDepth, CueRow, CueStore, CueVectors, DeleteTarget, Finding, Gravity, IndexRow, IndexSink, NewCues,
        NewVectors, Removed, Salvaged, Store,
    },
    types::{
        ConversationId, CueSource, Draft, EncoderId, MemoryId, Namespace, Record, Scope, Seq, SessionId, Timestamp,
        Turn, VectorSet,
    },
};
use aforesaid_sqlite::{Creation, SqliteStore};
use pages::Pages;
use rusqlite::Connection;

fn me() -> Namespace {
    Namespace::new("me").unwrap()
}

fn turn(n: u64) -> Draft {
    let conversation = ConversationId::new(format!("c{}", n % 3)).unwrap();
    let session = SessionId::new(format!("s{}", n / 20)).unwrap();
    let text = format!("Turn {n} is about a {}", "kite ".repeat((n % 7 + 1) as usize));
    Draft::Turn(Turn {
        id: Some(MemoryId::new(format!("t{n}")).unwrap()),
        said_at: Timestamp::from_millis(n as i64 * 60_000).ok(),
        title: Some(format!("About kites, part {}", n / 20)),
        image_caption: n.is_multiple_of(5).then(|| format!("picture {n}")),
        ..Turn::new(conversation, session, "Ann", text)
    })
}

/// A store of so many turns with vectors, and cues of every tenth; closed again.
fn filled(path: &Path, turns: u64) {
    let store = SqliteStore::open(path, Creation::Allowed).unwrap();
    let drafts: Vec<Draft> = (1..=turns).map(turn).collect();
    let encoder = EncoderId::new("test@1/f32").unwrap();
    let vectors: Vec<Vec<f32>> = (0..turns).map(|n| (0..16).map(|i| (n * i) as f32).collect()).collect();
    let vectors: Vec<Option<&[f32]>> = vectors.iter().map(|vector| Some(vector.as_slice())).collect();
    let batch = Batch {
        drafts: &drafts,
        vectors: NewVectors::Given { set: VectorSet { encoder: &encoder, dim: 16 }, vectors: &vectors },
    };
    store.append(&me(), batch).unwrap();
    let source = CueSource { model: "m".to_owned(), prompt: "p".to_owned() };
    let cues: Vec<NewCues> = (1..=turns)
        .step_by(10)
        .map(|n| NewCues {
            seq: Seq(n),
            questions: vec![format!("Whose kite is {n}?"), format!("What is {n} about?")],
            vectors: CueVectors::default(),
        })
        .collect();
    store.put_cues(&me(), &source, None, &cues).unwrap();
}

fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, Creation::Forbidden)
}

fn exported(store: &SqliteStore) -> Result<Vec<Record>, StoreError> {
    let mut all = Vec::new();
    store.export(&me(), &Scope::default(), &mut |memory| {
        all.push(memory);
        Ok(())
    })?;
    Ok(all)
}

/// What a search would read.
#[derive(Default, PartialEq, Debug)]
struct Read(Vec<(u64, String, Option<String>)>);

impl IndexSink for Read {
    fn reset(&mut self) {
        self.0.clear();
    }

    fn remove(&mut self, _: &Removed) -> Result<(), StoreError> {
        Ok(())
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        self.0.push((row.seq.0, row.text.to_owned(), row.session.map(str::to_owned)));
        Ok(())
    }

    fn cue(&mut self, _: CueRow<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

fn indexed(store: &SqliteStore) -> Result<Read, StoreError> {
    let mut read = Read::default();
    store.catch_up(&me(), None, None, &mut read)?;
    Ok(read)
}

fn salvaged(store: &SqliteStore) -> Result<(Salvaged, Vec<Record>), StoreError> {
    let mut all = Vec::new();
    let salvaged = store.salvage(&me(), &mut |memory| {
        all.push(memory);
        Ok(())
    })?;
    Ok((salvaged, all))
}

/// What a check says is damaged; a store that cannot even be looked at is.
fn damage(path: &Path, depth: CheckDepth) -> Vec<Finding> {
    let found = open(path).and_then(|store| store.check(depth, &mut |_| ()));
    let mut findings = found.unwrap_or_else(|error| vec![Finding::damage("the store", error.to_string(), "a store")]);
    findings.retain(|finding| finding.gravity == Gravity::Damage);
    findings
}

fn assert_sound(path: &Path) {
    assert_eq!(damage(path, CheckDepth::Full), [], "nothing happened to it");
    assert_eq!(damage(path, CheckDepth::Quick), []);
}

/// A cell count was changed, and export, stats and search gave 38 turns fewer with exit code 0.
#[test]
fn turns_that_a_page_lost_are_missed_by_whoever_reads_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 400);
    assert_sound(&path);
    let mut pages = Pages::of(&path);
    let leaf = pages.leaves("memory")[1];
    pages.lose_cells(leaf, 38);
    pages.write();
    let store = open(&path).unwrap();
    let expected = "namespace \"me\" has 362 memories, and 400 are recorded";
    let answers = [
        exported(&store).map(drop).unwrap_err(),
        indexed(&store).map(drop).unwrap_err(),
        store.stats(&me()).map(drop).unwrap_err(),
    ];
    for error in answers {
        let message = error.to_string();
        assert!(matches!(error, StoreError::Damaged { .. }) && message.contains(expected), "{message}");
    }
    let (saved, memories) = salvaged(&store).unwrap();
    assert_eq!((saved.read, saved.lost, memories.len()), (362, 38, 362));
    drop(store);
    let findings = damage(&path, CheckDepth::Quick);
    assert!(findings.iter().any(|finding| finding.found == "362 memories"), "{findings:?}");
}

#[test]
fn questions_that_a_page_lost_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 400);
    let mut pages = Pages::of(&path);
    let leaf = pages.leaves("cue")[0];
    pages.lose_cells(leaf, 3);
    pages.write();
    let store = open(&path).unwrap();
    assert!(matches!(indexed(&store), Err(StoreError::Damaged { .. })));
    assert!(matches!(store.cue_stats(&me()), Err(StoreError::Damaged { .. })));
    assert_eq!(exported(&store).unwrap().len(), 400, "turns are all there");
    drop(store);
    assert!(!damage(&path, CheckDepth::Quick).is_empty());
}

#[test]
fn every_page_zeroed_swapped_or_cut_off_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 250);
    let sound = exported(&open(&path).unwrap()).unwrap();
    let mut pages = Pages::of(&path);
    let count = pages.count();
    for number in 1..=count {
        pages.page(number).fill(0);
        pages.write();
        assert!(!damage(&path, CheckDepth::Quick).is_empty(), "page {number} of {count} is zero");
        pages.mend();
    }
    let leaves = pages.leaves("memory");
    for pair in leaves.windows(2) {
        pages.swap(pair[0], pair[1]);
        pages.write();
        assert!(!damage(&path, CheckDepth::Full).is_empty(), "pages {pair:?} are swapped");
        let read = open(&path).and_then(|store| exported(&store));
        assert!(read.is_err() || read.is_ok_and(|read| read == sound), "pages {pair:?} are swapped");
        pages.mend();
    }
    for left in [count - 1, count / 2, 1] {
        pages.bytes.truncate(left * pages.size);
        pages.write();
        assert!(!damage(&path, CheckDepth::Quick).is_empty(), "{left} pages of {count} are left");
        assert!(open(&path).and_then(|store| exported(&store)).is_err(), "{left} pages of {count} are left");
        pages.mend();
    }
    pages.write();
    assert_sound(&path);
}

/// SQLite keeps no checksum: a text with a flipped bit was another text.
#[test]
fn a_flipped_bit_in_a_text_is_noticed_by_who_reads_it_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 60);
    let mut pages = Pages::of(&path);
    let at = pages.find("Turn 7 is about");
    pages.bytes[at] ^= 1;
    pages.write();
    let store = open(&path).unwrap();
    let error = exported(&store).unwrap_err().to_string();
    assert!(error.contains("the memory at position 7 has another checksum than it was stored with"), "{error}");
    assert!(store.fetch(&me(), &[Seq(7)]).is_err() && store.fetch(&me(), &[Seq(8)]).is_ok());
    let (saved, memories) = salvaged(&store).unwrap();
    assert_eq!((saved.changed, saved.lost, memories.len()), (vec![7], 0, 60), "what it says is saved all the same");
    drop(store);
    assert_eq!(damage(&path, CheckDepth::Quick), [], "only a full check reads texts");
    let findings = damage(&path, CheckDepth::Full);
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert!(finding.subject == "namespace \"me\"" && finding.found.contains("position 7"), "{finding:?}");
}

/// Sessions of two conversations may bear one name: a turn that changes over reads the same, out of its order.
#[test]
fn a_turn_in_a_session_of_another_conversation_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 60);
    let sound = exported(&open(&path).unwrap()).unwrap();
    let change = "UPDATE memory SET session = (
                      SELECT s.id FROM session s, session mine
                      WHERE mine.id = memory.session AND s.name = mine.name AND s.id <> mine.id LIMIT 1
                  ) WHERE seq = 29";
    Connection::open(&path).unwrap().execute_batch(change).unwrap();
    let store = open(&path).unwrap();
    let error = exported(&store).unwrap_err().to_string();
    assert!(error.contains("the memory at position 29 has no session"), "{error}");
    assert!(indexed(&store).is_err());
    let (saved, mut memories) = salvaged(&store).unwrap();
    assert_eq!((saved.changed, saved.lost), (vec![], 0));
    memories.sort_by_key(|memory| sound.iter().position(|record| record == memory));
    assert_eq!(memories, sound, "its name is still known");
    drop(store);
    let findings = damage(&path, CheckDepth::Quick);
    assert!(findings.iter().any(|f| f.found.contains("1 memories of a session that is not there")), "{findings:?}");
}

#[test]
fn no_error_and_no_finding_holds_what_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 60);
    let mut pages = Pages::of(&path);
    let places =
        [("Turn 7 is about", 0xFF), ("picture 10", 0xC0), ("Whose kite is 21", 0xF8), ("About kites, part 2", 0xFF)];
    for (text, byte) in places {
        let at = pages.find(text);
        pages.bytes[at + 2] = byte;
    }
    pages.write();
    let mut said = format!("{:?}", damage(&path, CheckDepth::Full));
    let store = open(&path).unwrap();
    said.push_str(&format!("{:?}{:?}", exported(&store).map(|_| ()), indexed(&store).map(|_| ())));
    assert!(said.contains("unreadable text"), "{said}");
    for word in ["about", "kite", "icture", "Whose"] {
        assert!(!said.contains(word), "{word}: {said}");
    }
}

#[test]
fn what_does_not_belong_together_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 30);
    let sound = fs::read(&path).unwrap();
    let cases = [
        ("DELETE FROM vector WHERE seq = 3", None),
        ("UPDATE vector SET seq = 99 WHERE seq = 3", Some("1 vectors without a memory")),
        ("UPDATE vector SET data = x'00000000' WHERE seq = 3", Some("1 vectors of another length")),
        ("DELETE FROM encoder", Some("30 vectors without an encoder")),
        ("DELETE FROM session WHERE id = 1", Some("of a session that is not there")),
        ("DELETE FROM conversation WHERE id = 1", Some("of a conversation that is not there")),
        (
            "INSERT INTO session (namespace, id, conversation, name) VALUES (1, 99, 1, 'empty')",
            Some("1 sessions without memories"),
        ),
        (
            "INSERT INTO conversation (namespace, id, name) VALUES (1, 99, 'empty')",
            Some("1 conversations without memories"),
        ),
        ("DELETE FROM cued WHERE seq = 1", Some("2 cues of a memory that was asked for none")),
        ("DELETE FROM cue_source", Some("memories with cues of an unknown source")),
        ("DELETE FROM cue WHERE seq = 1; UPDATE namespace SET questions = 6", Some("4 cue questions")),
        ("UPDATE namespace SET memories = 29", Some("30 memories")),
        ("UPDATE namespace SET last = 29", Some("a row of memory numbered 30")),
        ("UPDATE memory SET kind = 5 WHERE seq = 3", Some("1 memories that are neither turn nor note")),
        ("DROP INDEX memory_by_id", Some("nothing")),
        ("DROP TRIGGER memory_removed", Some("nothing")),
        ("INSERT INTO snapshot VALUES (9, 0, 0, 'english', 'test', 1, x'00')", Some("1 parts of snapshots")),
    ];
    for (change, expected) in cases {
        fs::write(&path, &sound).unwrap();
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        let findings = damage(&path, CheckDepth::Quick);
        match expected {
            None => assert_eq!(findings, [], "{change}"),
            Some(expected) => {
                assert!(findings.iter().any(|finding| finding.found.contains(expected)), "{change}: {findings:?}");
            }
        }
    }
}

#[test]
fn a_component_that_is_no_number_is_found_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 30);
    let change = "UPDATE vector SET data = CAST(x'0000c07f' || substr(data, 5) AS BLOB) WHERE seq = 3";
    Connection::open(&path).unwrap().execute_batch(change).unwrap();
    assert_eq!(damage(&path, CheckDepth::Quick), []);
    let findings = damage(&path, CheckDepth::Full);
    assert!(findings.iter().any(|finding| finding.found.contains("1 vectors with a component")), "{findings:?}");
}

/// A salvage takes what stands before, behind and beside what cannot be read.
#[test]
fn a_salvage_goes_around_a_page_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 400);
    let sound = exported(&open(&path).unwrap()).unwrap();
    let mut pages = Pages::of(&path);
    let leaves = pages.leaves("memory");
    assert!(leaves.len() > 4);
    let lost = pages.cells(leaves[2]) as u64;
    pages.page(leaves[2]).fill(0x5A);
    pages.write();
    let store = open(&path).unwrap();
    assert!(exported(&store).is_err());
    let (saved, memories) = salvaged(&store).unwrap();
    assert_eq!(saved.lost + saved.read, 400);
    assert!((lost..=lost + 1).contains(&saved.lost), "{lost} lie on that page: {saved:?}");
    assert!(memories.windows(2).all(|pair| pair[0].seq < pair[1].seq), "in order of arrival");
    assert!(memories.iter().all(|memory| sound.contains(memory)));
}

/// A small generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// How often single bytes are changed; 500 take some seconds.
fn mutations() -> usize {
    std::env::var("AFORESAID_MUTATIONS").ok().and_then(|number| number.parse().ok()).unwrap_or(500)
}

/// Either every turn comes back as it was, or somebody says that something is wrong.
#[test]
fn no_changed_byte_takes_or_changes_a_turn_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 60);
    let store = open(&path).unwrap();
    let (sound, sound_index) = (exported(&store).unwrap(), indexed(&store).unwrap());
    drop(store);
    let mut pages = Pages::of(&path);
    let used: Vec<usize> = (0..pages.bytes.len()).filter(|&at| pages.bytes[at] != 0).collect();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let (mut by_reading, mut by_quick, mut by_full, mut harmless) = (0, 0, 0, 0);
    for n in 0..mutations() {
        let at = if n % 2 == 0 { used[numbers.below(used.len())] } else { numbers.below(pages.bytes.len()) };
        let change = 1 + numbers.below(255) as u8;
        pages.bytes[at] ^= change;
        pages.write();
        let started = Instant::now();
        let store = open(&path);
        let read = store.as_ref().ok().map(|store| (exported(store), indexed(store), store.stats(&me())));
        drop(store);
        let all = matches!(&read, Some((Ok(memories), _, _)) if *memories == sound);
        // What is read without an error is whole, if not as it was; of the index a flipped bit is not known.
        if let Some((exported, indexed, stats)) = &read {
            assert!(exported.as_ref().is_err() || all, "byte {at} ^ {change:#x} changed an export in silence");
            assert!(indexed.as_ref().is_ok_and(|read| read.0.len() == 60) || indexed.is_err(), "byte {at}");
            assert!(stats.as_ref().is_ok_and(|stats| stats.turns == 60) || stats.is_err(), "byte {at} ^ {change:#x}");
        }
        let silent = matches!(&read, Some((Ok(_), Ok(index), Ok(_))) if *index == sound_index);
        let seen_in_full = !damage(&path, CheckDepth::Full).is_empty();
        match (silent, damage(&path, CheckDepth::Quick).is_empty()) {
            (false, true) => by_reading += 1,
            (_, false) => by_quick += 1,
            (true, true) if seen_in_full => by_full += 1,
            (true, true) => harmless += 1,
        }
        assert!(
            silent || seen_in_full || !all,
            "byte {at} ^ {change:#x}: an index is not that of the turns, and no check says so"
        );
        assert!(started.elapsed() < Duration::from_secs(20), "byte {at} ^ {change:#x} took {:?}", started.elapsed());
        pages.mend();
    }
    eprintln!(
        "of {} changed bytes {by_quick} were found by a quick check, {by_reading} by reading and not by a quick check, \
         {by_full} by a full check only, and {harmless} changed nothing that is read",
        mutations()
    );
    assert!(by_quick > 0 && harmless > 0);
}

#[test]
fn counters_hold_whatever_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path, 100);
    let store = open(&path).unwrap();
    let sound =
        || assert!(store.check(CheckDepth::Full, &mut |_| ()).unwrap().iter().all(|f| f.gravity == Gravity::Note));
    store.append(&me(), Batch::of(&(90..=120).map(turn).collect::<Vec<_>>())).unwrap();
    sound();
    store.forget(&me(), &DeleteTarget::One(Seq(1))).unwrap();
    sound();
    let scope = Scope { session: Some(SessionId::new("s2").unwrap()), ..Scope::default() };
    store.forget(&me(), &DeleteTarget::Within(scope.clone())).unwrap();
    assert_eq!(store.stats(&me()).unwrap().turns, 99);
    let source = CueSource { model: "other".to_owned(), prompt: "p".to_owned() };
    let cues = NewCues { seq: Seq(11), questions: vec!["Only one?".to_owned()], vectors: CueVectors::default() };
    store.put_cues(&me(), &source, None, &[cues]).unwrap();
    sound();
    store.drop_cues(&me(), &Scope::default()).unwrap();
    assert_eq!(store.cue_stats(&me()).unwrap().questions, 0);
    sound();
    store.forget(&me(), &DeleteTarget::Within(Scope::default())).unwrap();
    sound();
    store.append(&me(), Batch::of(&[turn(1)])).unwrap();
    assert_eq!(store.stats(&me()).unwrap().turns, 1);
    sound();
}
