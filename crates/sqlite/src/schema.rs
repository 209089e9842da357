//! Tables, and how an older store becomes a newer one.

use aforesaid_core::StoreError;
use rusqlite::{Connection, TransactionBehavior};

use crate::{
    erasure,
    errors::{Context, location_error},
    identity::{APPLICATION_ID, foreign, pragma},
};

/// Step `i` takes a store from version `i` to `i + 1`. Steps are only ever added.
const MIGRATIONS: [&str; 8] = [
    // Tenant first in every key, so that one namespace lies together on disk.
    // `seq` counts arrivals in a namespace and is never given twice.
    "
    CREATE TABLE namespace (
        id    INTEGER PRIMARY KEY,
        name  TEXT NOT NULL UNIQUE,
        epoch INTEGER NOT NULL,
        last  INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE conversation (
        namespace INTEGER NOT NULL,
        id        INTEGER NOT NULL,
        name      TEXT NOT NULL,
        PRIMARY KEY (namespace, id),
        UNIQUE (namespace, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE session (
        namespace    INTEGER NOT NULL,
        id           INTEGER NOT NULL,
        conversation INTEGER NOT NULL,
        name         TEXT NOT NULL,
        PRIMARY KEY (namespace, id),
        UNIQUE (namespace, conversation, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE memory (
        namespace     INTEGER NOT NULL,
        seq           INTEGER NOT NULL,
        id            TEXT NOT NULL,
        kind          INTEGER NOT NULL,
        conversation  INTEGER NOT NULL,
        session       INTEGER NOT NULL,
        speaker       TEXT,
        text          TEXT NOT NULL,
        said_at       INTEGER,
        image_caption TEXT,
        importance    REAL NOT NULL,
        sensitive     INTEGER NOT NULL,
        tags          TEXT,
        source        TEXT,
        meta          TEXT,
        PRIMARY KEY (namespace, seq),
        UNIQUE (namespace, conversation, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX memory_by_id ON memory (namespace, id);
    CREATE INDEX memory_by_session ON memory (namespace, session, seq);
    CREATE TABLE encoder (
        namespace INTEGER NOT NULL,
        id        INTEGER NOT NULL,
        name      TEXT NOT NULL,
        dim       INTEGER NOT NULL,
        PRIMARY KEY (namespace, id),
        UNIQUE (namespace, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE vector (
        namespace INTEGER NOT NULL,
        encoder   INTEGER NOT NULL,
        seq       INTEGER NOT NULL,
        data      BLOB NOT NULL,
        PRIMARY KEY (namespace, encoder, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE snapshot (
        namespace INTEGER NOT NULL,
        name      TEXT NOT NULL,
        part      INTEGER NOT NULL,
        data      BLOB NOT NULL,
        PRIMARY KEY (namespace, name, part)
    ) STRICT, WITHOUT ROWID;
    -- By order of arrival: fingerprints are random, and rows that large would be written all over the file.
    CREATE TABLE staged (
        id          INTEGER PRIMARY KEY,
        namespace   TEXT NOT NULL,
        encoder     TEXT NOT NULL,
        fingerprint BLOB NOT NULL,
        data        BLOB NOT NULL,
        UNIQUE (namespace, encoder, fingerprint)
    ) STRICT;
    ",
    // Which encoder's vectors serve a namespace. Of several it is the most complete, of equals the latest.
    // Staged vectors are found by their fingerprint first: names that all of them share are slow to compare.
    "
    ALTER TABLE namespace ADD COLUMN serving TEXT;
    UPDATE namespace SET serving = (
        SELECT e.name FROM encoder e JOIN vector v ON v.namespace = e.namespace AND v.encoder = e.id
        WHERE e.namespace = namespace.id GROUP BY e.id ORDER BY count(*) DESC, e.id DESC LIMIT 1
    );
    DROP TABLE staged;
    CREATE TABLE staged (
        id          INTEGER PRIMARY KEY,
        fingerprint BLOB NOT NULL,
        namespace   TEXT NOT NULL,
        encoder     TEXT NOT NULL,
        data        BLOB NOT NULL,
        UNIQUE (fingerprint, namespace, encoder)
    ) STRICT;
    ",
    // Cue questions. `cued` has a row for every memory that was asked for some, though it got none. Part 0 of a
    // memory's cues stands for its text with all questions, the others are the questions in order. Their vectors are found
    // by the cue first: it goes with all of its vectors.
    "
    ALTER TABLE namespace ADD COLUMN cues INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE cue_source (
        namespace INTEGER NOT NULL,
        id        INTEGER NOT NULL,
        model     TEXT NOT NULL,
        prompt    TEXT NOT NULL,
        PRIMARY KEY (namespace, id),
        UNIQUE (namespace, model, prompt)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE cued (
        namespace INTEGER NOT NULL,
        seq       INTEGER NOT NULL,
        source    INTEGER NOT NULL,
        PRIMARY KEY (namespace, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE cue (
        namespace INTEGER NOT NULL,
        id        INTEGER NOT NULL,
        seq       INTEGER NOT NULL,
        part      INTEGER NOT NULL,
        question  TEXT NOT NULL,
        PRIMARY KEY (namespace, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX cue_by_memory ON cue (namespace, seq, part);
    CREATE TABLE cue_vector (
        namespace INTEGER NOT NULL,
        encoder   INTEGER NOT NULL,
        id        INTEGER NOT NULL,
        data      BLOB NOT NULL,
        PRIMARY KEY (namespace, id, encoder)
    ) STRICT, WITHOUT ROWID;
    ",
    // Vectors beside their keys: five rows as large as vectors fill a page, of the tree's inner pages too, so that it is
    // deep, and a search that looks a few hundred of them up read most of those pages for the first time.
    "
    CREATE TABLE keyed_vector (
        namespace INTEGER NOT NULL,
        encoder   INTEGER NOT NULL,
        seq       INTEGER NOT NULL,
        data      BLOB NOT NULL
    ) STRICT;
    INSERT INTO keyed_vector (namespace, encoder, seq, data)
        SELECT namespace, encoder, seq, data FROM vector ORDER BY namespace, encoder, seq;
    DROP TABLE vector;
    ALTER TABLE keyed_vector RENAME TO vector;
    CREATE UNIQUE INDEX vector_by_memory ON vector (namespace, encoder, seq);
    CREATE TABLE keyed_vector (
        namespace INTEGER NOT NULL,
        encoder   INTEGER NOT NULL,
        id        INTEGER NOT NULL,
        data      BLOB NOT NULL
    ) STRICT;
    INSERT INTO keyed_vector (namespace, encoder, id, data)
        SELECT namespace, encoder, id, data FROM cue_vector ORDER BY namespace, id, encoder;
    DROP TABLE cue_vector;
    ALTER TABLE keyed_vector RENAME TO cue_vector;
    CREATE UNIQUE INDEX cue_vector_by_cue ON cue_vector (namespace, id, encoder);
    ",
    // Staged vectors belong to a namespace from the first on, and are found by a salted hash of their text. `erasure` has a row
    // while a log may hold what was forgotten.
    "
    ALTER TABLE namespace ADD COLUMN salt BLOB;
    UPDATE namespace SET salt = randomblob(16);
    DROP TABLE staged;
    CREATE TABLE staged (
        id          INTEGER PRIMARY KEY,
        namespace   INTEGER NOT NULL,
        fingerprint BLOB NOT NULL,
        encoder     TEXT NOT NULL,
        data        BLOB NOT NULL,
        UNIQUE (namespace, fingerprint, encoder)
    ) STRICT;
    CREATE TABLE erasure (
        id    INTEGER PRIMARY KEY CHECK (id = 1),
        token INTEGER NOT NULL
    ) STRICT;
    ",
    // How far the numbers of ids have come (numbering.rs). What was forgotten before had no higher number than there are
    // memories in its group now and memories gone from the namespace together.
    "
    ALTER TABLE namespace ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE namespace ADD COLUMN notes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversation ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversation ADD COLUMN notes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE session ADD COLUMN given INTEGER NOT NULL DEFAULT 0;
    UPDATE namespace SET floor = last - (SELECT count(*) FROM memory m WHERE m.namespace = namespace.id);
    UPDATE namespace SET notes = floor + (
        SELECT count(*) FROM memory m WHERE m.namespace = namespace.id AND m.session = 0 AND m.conversation = 0
    );
    UPDATE conversation SET floor = n.floor, notes = n.floor FROM namespace n WHERE n.id = conversation.namespace;
    UPDATE conversation SET notes = floor + counted.notes FROM (
        SELECT namespace, conversation, count(*) AS notes FROM memory
        WHERE namespace IN (SELECT id FROM namespace) AND session = 0 GROUP BY namespace, conversation
    ) AS counted
    WHERE counted.namespace = conversation.namespace AND counted.conversation = conversation.id;
    UPDATE session SET given = (SELECT n.floor FROM namespace n WHERE n.id = session.namespace)
        + (SELECT count(*) FROM memory m WHERE m.namespace = session.namespace AND m.session = session.id);
    ",
    // How many rows there should be, so that a page that lost some is noticed by whoever reads them all. Who adds rows
    // counts them once a batch: a trigger took twice the time of the row. Who deletes cannot forget to: triggers do it.
    // A step that makes one of these tables anew has to make its triggers anew too.
    // The checksum is over a memory's fields (`checksum.rs`), NULL for what was stored before there were any.
    // Answers of language models that are kept outside are sealed with the secret: a forget takes it away, and what they
    // quote with it. SQLite's random bytes come from ChaCha20, seeded by the system.
    "
    ALTER TABLE namespace ADD COLUMN memories INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE namespace ADD COLUMN questions INTEGER NOT NULL DEFAULT 0;
    UPDATE namespace SET
        memories = (SELECT count(*) FROM memory m WHERE m.namespace = namespace.id),
        questions = (SELECT count(*) FROM cue c WHERE c.namespace = namespace.id AND c.part > 0);
    ALTER TABLE namespace ADD COLUMN secret BLOB;
    UPDATE namespace SET secret = randomblob(32);
    ALTER TABLE memory ADD COLUMN checksum INTEGER;
    CREATE TRIGGER namespace_added AFTER INSERT ON namespace BEGIN
        UPDATE namespace SET secret = randomblob(32) WHERE id = new.id;
    END;
    CREATE TRIGGER memory_removed AFTER DELETE ON memory BEGIN
        UPDATE namespace SET memories = memories - 1, secret = randomblob(32) WHERE id = old.namespace;
    END;
    CREATE TRIGGER question_removed AFTER DELETE ON cue WHEN old.part > 0 BEGIN
        UPDATE namespace SET questions = questions - 1 WHERE id = old.namespace;
    END;
    ",
    // Snapshots in segments, so that a forget takes those along that hold what is forgotten, and no others. `upto` is the
    // last place that a segment speaks for. `removed` says which places (part 0) and cues (part 1) went, so that an index
    // need not be made anew: numbers, and nothing of what they held.
    "
    DROP TABLE snapshot;
    CREATE TABLE snapshot (
        namespace INTEGER NOT NULL,
        part      INTEGER NOT NULL,
        block     INTEGER NOT NULL,
        name      TEXT NOT NULL,
        maker     TEXT NOT NULL,
        upto      INTEGER NOT NULL,
        data      BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX snapshot_by_block ON snapshot (namespace, part, block, name);
    ALTER TABLE namespace ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE removed (
        namespace INTEGER NOT NULL,
        number    INTEGER NOT NULL,
        part      INTEGER NOT NULL,
        first     INTEGER NOT NULL,
        last      INTEGER NOT NULL,
        PRIMARY KEY (namespace, number, part, first)
    ) STRICT, WITHOUT ROWID;
    ",
];

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

/// Whether a file is ours, as its log has it; it may be without a table yet.
pub(crate) fn is_ours(connection: &Connection, location: &str) -> Result<bool, StoreError> {
    let tables: i64 = Context::new(location, "read the schema").run(connection.query_row(
        "SELECT count(*) FROM sqlite_schema",
        [],
        |row| row.get(0),
    ))?;
    Ok(pragma(connection, "application_id", location)? == APPLICATION_ID || tables == 0)
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
        store::{Batch, Fate, Store},
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
    fn an_old_store_is_served_by_the_vectors_it_has() {
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
        let serving = |name: &str| {
            let namespace = Namespace::new(name).unwrap();
            let version = store.version(&namespace).unwrap().unwrap();
            assert_eq!((version.epoch, version.last.0), (7, 3), "indexes of {name} stay valid");
            store.serving(&namespace).unwrap().map(String::from)
        };
        let found = ["none", "one", "several", "equal", "forgotten"].map(serving);
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
            ("whole", ["s:3", "new:1", "note:2", "note:1", "note:1"]),
            ("forgetful", ["s:7", "new:5", "note:6", "note:5", "note:5"]),
        ] {
            let fates = store.append(&Namespace::new(name).unwrap(), Batch::of(&drafts)).unwrap();
            let ids = fates.into_iter().map(|fate| match fate {
                Fate::Added(id) | Fate::Unchanged(id) => id.to_string(),
            });
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
