//! How an older store becomes a newer one.

use aforesaid_core::StoreError;
use rusqlite::{Connection, TransactionBehavior};

use crate::{
    erasure,
    errors::{Context, location_error},
    header::{APPLICATION_ID, foreign, is_ours, pragma},
    migrations::MIGRATIONS,
};

/// The version this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Checks whose file it is and brings it to [`VERSION`].
pub(crate) fn prepare(connection: &mut Connection, location: &str) -> Result<(), StoreError> {
    if is_current(connection, location)? {
        return Ok(());
    }
    let context = Context::new(location, "bring the store to this version");
    let transaction = context.run(connection.transaction_with_behavior(TransactionBehavior::Immediate))?;
    let mut begun = false;
    // Another process may have been first: look again under the lock.
    if !is_current(&transaction, location)? {
        let from = pragma(&transaction, "user_version", location)?;
        for step in &MIGRATIONS[from as usize..] {
            context.run(transaction.execute_batch(step))?;
        }
        context.run(transaction.pragma_update(None, "application_id", APPLICATION_ID))?;
        context.run(transaction.pragma_update(None, "user_version", VERSION))?;
        if from > 0 {
            // What older versions forgot may be on pages still. A store too damaged for that can be opened all the same.
            begun = erasure::begin(&transaction, context).is_ok();
        }
    }
    context.run(transaction.commit())?;
    if begun {
        // Where this fails it stays to be done.
        let _ = erasure::end(connection, context);
    }
    Ok(())
}

/// An empty store in memory, to compare the schema of another with.
pub(crate) fn model(context: Context<'_>) -> Result<Connection, StoreError> {
    let model = context.run(Connection::open_in_memory())?;
    MIGRATIONS.iter().try_for_each(|step| context.run(model.execute_batch(step)))?;
    Ok(model)
}

/// Checks that a store which cannot be written can at least be read.
pub(crate) fn check(connection: &Connection, location: &str) -> Result<(), StoreError> {
    match is_current(connection, location)? {
        true => Ok(()),
        false => Err(location_error(
            location,
            "is of an older format and cannot be written",
            "open it once where it can be written",
        )),
    }
}

fn is_current(connection: &Connection, location: &str) -> Result<bool, StoreError> {
    let version = pragma(connection, "user_version", location)?;
    if !is_ours(connection, location)? {
        return Err(foreign(location));
    }
    if !(0..=VERSION).contains(&version) {
        return Err(location_error(
            location,
            format!("has format {version}; this program knows formats up to {VERSION}"),
            "use the newer version of aforesaid that wrote it",
        ));
    }
    Ok(version == VERSION)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aforesaid_core::{
        store::{Batch, Store},
        types::*,
    };

    use super::*;
    use crate::{Creation, SqliteStore};

    /// A store as version 1 wrote it: each namespace with as many vectors by each encoder.
    fn of_version_1(path: &Path, namespaces: &[(&str, &[(&str, i64)])]) {
        let file = Connection::open(path).unwrap();
        file.execute_batch(MIGRATIONS[0]).unwrap();
        file.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        file.pragma_update(None, "user_version", 1).unwrap();
        for (tenant, (name, encoders)) in (1i64..).zip(namespaces) {
            let namespace = "INSERT INTO namespace (id, name, epoch, last) VALUES (?1, ?2, 7, 3)";
            file.execute(namespace, (tenant, name)).unwrap();
            for (number, (name, vectors)) in (1i64..).zip(*encoders) {
                let encoder = "INSERT INTO encoder (namespace, id, name, dim) VALUES (?1, ?2, ?3, 1)";
                file.execute(encoder, (tenant, number, name)).unwrap();
                for seq in 1..=*vectors {
                    let vector = "INSERT INTO vector (namespace, encoder, seq, data) VALUES (?1, ?2, ?3, x'00000000')";
                    file.execute(vector, (tenant, number, seq)).unwrap();
                }
            }
        }
        let staged =
            "INSERT INTO staged (namespace, encoder, fingerprint, data) VALUES ('one', 'a@1/f32', x'01', x'00')";
        file.execute(staged, []).unwrap();
    }

    #[test]
    fn the_most_complete_set_of_an_old_store_is_active() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        of_version_1(
            &path,
            &[
                ("none", &[]),
                ("one", &[("a@1/f32", 2)]),
                ("several", &[("a@1/f32", 2), ("b@1/f32", 3), ("c@1/f32", 1)]),
                ("equal", &[("a@1/f32", 2), ("b@1/f32", 2)]),
                ("forgotten", &[("a@1/f32", 0)]),
            ],
        );
        let store = SqliteStore::open(&path, Creation::Forbidden).unwrap();
        let active = |name: &str| {
            let namespace = Namespace::new(name).unwrap();
            let version = store.version(&namespace).unwrap().unwrap();
            assert_eq!((version.epoch, version.last.0), (7, 3), "indexes of {name} stay valid");
            store.active_encoder(&namespace).unwrap().map(String::from)
        };
        let found = ["none", "one", "several", "equal", "forgotten"].map(active);
        assert_eq!(
            found.each_ref().map(Option::as_deref),
            [None, Some("a@1/f32"), Some("b@1/f32"), Some("b@1/f32"), None]
        );
        drop(store);
        let file = Connection::open(&path).unwrap();
        assert!(is_current(&file, "old.db").unwrap());
        let vectors =
            "SELECT count(*), min(data), count(DISTINCT namespace || '/' || encoder || '/' || seq) FROM vector";
        let kept: (i64, Vec<u8>, i64) =
            file.query_row(vectors, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        assert_eq!(kept, (12, vec![0; 4], 12), "every vector is there");
    }

    /// Steps before ids were numbered by counters.
    const BEFORE_COUNTERS: usize = 4;

    /// A store without counters: in each namespace two turns of session `s` and a note, all without ids of their own,
    /// and how many memories were forgotten.
    fn without_counters(path: &Path, namespaces: &[(&str, i64)]) {
        let file = Connection::open(path).unwrap();
        MIGRATIONS[..BEFORE_COUNTERS].iter().for_each(|step| file.execute_batch(step).unwrap());
        file.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        file.pragma_update(None, "user_version", BEFORE_COUNTERS as i64).unwrap();
        for (tenant, (name, forgotten)) in (1i64..).zip(namespaces) {
            let namespace = "INSERT INTO namespace (id, name, epoch, last) VALUES (?1, ?2, 7, 3 + ?3)";
            file.execute(namespace, (tenant, name, forgotten)).unwrap();
            file.execute("INSERT INTO conversation (namespace, id, name) VALUES (?1, 1, 'c')", [tenant]).unwrap();
            file.execute("INSERT INTO session (namespace, id, conversation, name) VALUES (?1, 1, 1, 's')", [tenant])
                .unwrap();
            let memory =
                "INSERT INTO memory (namespace, seq, id, kind, conversation, session, speaker, text, importance,
                                              sensitive)
                          VALUES (?1, ?2, ?3, ?4, ?5, ?5, 'Ann', 'words', 0.5, 0)";
            for (seq, id, kind, group) in [(1, "s:1", 0, 1), (2, "s:2", 0, 1), (3, "note:1", 1, 0)] {
                file.execute(memory, (tenant, seq, id, kind, group)).unwrap();
            }
        }
    }

    #[test]
    fn an_old_store_goes_on_numbering_above_what_it_forgot() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        without_counters(&path, &[("whole", 0), ("forgetful", 4)]);
        let store = SqliteStore::open(&path, Creation::Forbidden).unwrap();
        let turn = |session: &str| {
            Draft::Turn(Turn::new(
                ConversationId::new("c").unwrap(),
                SessionId::new(session).unwrap(),
                "Ann",
                "more words",
            ))
        };
        let note = |conversation: Option<&str>| {
            Draft::Note(Note {
                id: None,
                conversation: conversation.map(|name| ConversationId::new(name).unwrap()),
                text: "words".to_owned(),
                said_at: None,
                importance: Importance::default(),
                tags: Vec::new(),
                sensitivity: Sensitivity::Ordinary,
                source: Vec::new(),
            })
        };
        let drafts = [turn("s"), turn("new"), note(None), note(Some("c")), note(Some("d"))];
        for (name, expected) in [
            ("whole", ["s:3", "new:1", "note:2", "note:3", "note:4"]),
            ("forgetful", ["s:7", "new:5", "note:6", "note:7", "note:8"]),
        ] {
            let outcomes = store.append(&Namespace::new(name).unwrap(), Batch::of(&drafts)).unwrap();
            let ids = outcomes.iter().map(|outcome| outcome.id().to_string());
            assert_eq!(ids.collect::<Vec<_>>(), expected, "{name}");
        }
    }

    /// Older versions left copies of forgotten texts on pages, and nobody would have cleared them before the next forget.
    #[test]
    fn what_an_older_version_left_of_forgotten_texts_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let mut file = Connection::open(&path).unwrap();
        file.execute_batch("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON").unwrap();
        MIGRATIONS[..4].iter().for_each(|step| file.execute_batch(step).unwrap());
        file.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        file.pragma_update(None, "user_version", 4).unwrap();
        let rows = file.transaction().unwrap();
        rows.execute("INSERT INTO namespace (id, name, epoch, last) VALUES (1, 'a', 7, 2000), (2, 'b', 7, 2000)", [])
            .unwrap();
        for n in 0..2_000 {
            // Namespaces in turn, so that rows come between others.
            let (tenant, text) = (1 + n % 2, format!("<{}>", ["kept", "gone"][n / 2 % 2]).repeat(1 + n % 60));
            let memory =
                "INSERT INTO memory (namespace, seq, id, kind, conversation, session, text, importance, sensitive)
                          VALUES (?1, ?2, ?2, 1, 0, 0, ?3, 0.5, 0)";
            rows.execute(memory, (tenant as i64, n as i64, text)).unwrap();
        }
        rows.execute("DELETE FROM memory WHERE text LIKE '<gone>%'", []).unwrap();
        rows.commit().unwrap();
        drop(file);
        let holds_gone = || std::fs::read(&path).unwrap().windows(6).any(|window| window == b"<gone>");
        assert!(holds_gone(), "else this tests nothing");
        let store = SqliteStore::open(&path, Creation::Forbidden).unwrap();
        assert_eq!(store.erasure().unwrap(), aforesaid_core::store::Erasure::Complete);
        drop(store);
        assert!(!holds_gone());
    }

    #[test]
    fn titles_of_an_old_store_are_those_of_its_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let file = Connection::open(&path).unwrap();
        MIGRATIONS[..8].iter().for_each(|step| file.execute_batch(step).unwrap());
        file.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        file.pragma_update(None, "user_version", 8).unwrap();
        file.execute_batch(
            r#"INSERT INTO namespace (id, name, epoch, last, memories) VALUES (1, 'one', 7, 5, 5);
               INSERT INTO conversation (namespace, id, name) VALUES (1, 1, 'c');
               INSERT INTO session (namespace, id, conversation, name) VALUES (1, 1, 1, 's'), (1, 2, 1, 'plain');
               INSERT INTO memory (namespace, seq, id, kind, conversation, session, speaker, text, importance, sensitive, meta)
               VALUES (1, 1, 't1', 0, 1, 1, 'Ann', 'a kite', 0.5, 0, '{"mood": "fine"}'),
                      (1, 2, 't2', 0, 1, 1, 'Ann', 'a kite', 0.5, 0, '{"title": " Kites ", "mood": "fine"}'),
                      (1, 3, 't3', 0, 1, 1, 'Ann', 'a kite', 0.5, 0, '{"title": "Later"}'),
                      (1, 4, 't4', 0, 1, 2, 'Ann', 'a kite', 0.5, 0, '{"title": ["no text"]}'),
                      (1, 5, 't5', 0, 1, 2, 'Ann', 'a kite', 0.5, 0, '{"title": "  "}');"#,
        )
        .unwrap();
        drop(file);
        let store = SqliteStore::open(&path, Creation::Forbidden).unwrap();
        let all: Vec<Seq> = (1..=5).map(Seq).collect();
        let memories = store.fetch(&Namespace::new("one").unwrap(), &all).unwrap();
        let titles: Vec<_> = memories.iter().map(|memory| memory.title.as_deref()).collect();
        assert_eq!(titles, [Some("Kites"), Some("Kites"), Some("Kites"), None, None]);
        assert!(memories[1].meta.as_ref().unwrap().contains_key("title"), "metadata is as it was");
    }

    #[test]
    fn long_texts_of_an_old_store_wait_for_their_vectors_again() {
        const BEFORE_WINDOWS: usize = 9;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let file = Connection::open(&path).unwrap();
        MIGRATIONS[..BEFORE_WINDOWS].iter().for_each(|step| file.execute_batch(step).unwrap());
        file.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        file.pragma_update(None, "user_version", BEFORE_WINDOWS as i64).unwrap();
        file.execute_batch(
            "INSERT INTO namespace (id, name, epoch, last, serving, memories) VALUES (1, 'one', 7, 3, 'a@1/f32', 3);
             INSERT INTO encoder (namespace, id, name, dim) VALUES (1, 1, 'a@1/f32', 1);
             INSERT INTO memory (namespace, seq, id, kind, conversation, session, text, image_caption, importance, sensitive)
                 VALUES (1, 1, 'short', 1, 0, 0, 'a kite', NULL, 0.5, 0),
                        (1, 2, 'long', 1, 0, 0, printf('%.*c', 101, 'x'), NULL, 0.5, 0),
                        (1, 3, 'shown', 1, 0, 0, 'a kite', printf('%.*c', 101, 'x'), 0.5, 0);
             INSERT INTO vector (namespace, encoder, seq, data)
                 VALUES (1, 1, 1, x'00000000'), (1, 1, 2, x'00000000'), (1, 1, 3, x'00000000');
             INSERT INTO staged (namespace, fingerprint, encoder, data) VALUES (1, x'01', 'a@1/f32', x'00000000');",
        )
        .unwrap();
        drop(file);
        let store = SqliteStore::open(&path, Creation::Forbidden).unwrap();
        let (namespace, encoder) = (Namespace::new("one").unwrap(), EncoderId::new("a@1/f32").unwrap());
        let everyone = aforesaid_core::store::Audience::LocalModels;
        let waiting = store.unembedded(&namespace, &encoder, everyone, Seq(0), 9).unwrap();
        assert_eq!(waiting.iter().map(|memory| memory.seq).collect::<Vec<_>>(), [Seq(2), Seq(3)]);
        assert_eq!(store.active_encoder(&namespace).unwrap(), Some(encoder));
        assert_eq!(store.version(&namespace).unwrap().unwrap().epoch, 8, "an index of before is not used");
        drop(store);
        let file = Connection::open(&path).unwrap();
        assert_eq!(file.query_row("SELECT count(*) FROM staged", [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    }

    #[test]
    fn an_old_store_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let file = Connection::open(&path).unwrap();
        MIGRATIONS[..4].iter().for_each(|step| file.execute_batch(step).unwrap());
        file.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        file.pragma_update(None, "user_version", 4).unwrap();
        file.execute_batch(
            "INSERT INTO namespace (id, name, epoch, last, cues) VALUES (1, 'one', 7, 3, 3), (2, 'empty', 7, 0, 0);
             INSERT INTO memory (namespace, seq, id, kind, conversation, session, text, importance, sensitive)
                 VALUES (1, 2, 'note:1', 1, 0, 0, 'a kite', 0.5, 0), (1, 3, 'note:2', 1, 0, 0, 'a tree', 0.5, 0);
             INSERT INTO cue_source VALUES (1, 1, 'm', 'p');
             INSERT INTO cued VALUES (1, 2, 1);
             INSERT INTO cue VALUES (1, 1, 2, 0, ''), (1, 2, 2, 1, 'Who?'), (1, 3, 2, 2, 'What?');",
        )
        .unwrap();
        drop(file);
        let store = SqliteStore::open(&path, Creation::Forbidden).unwrap();
        let namespace = Namespace::new("one").unwrap();
        assert_eq!(store.stats(&namespace).unwrap().notes, 2);
        assert_eq!(aforesaid_core::store::CueStore::cue_stats(&store, &namespace).unwrap().questions, 2);
        let findings = store.check(aforesaid_core::store::CheckDepth::Full, &mut |_| ()).unwrap();
        assert!(
            findings.iter().any(|finding| finding.found.contains("2 memories that an older version")),
            "{findings:?}"
        );
        assert!(findings.iter().all(|finding| finding.gravity == aforesaid_core::store::Gravity::Note), "{findings:?}");
    }
}
