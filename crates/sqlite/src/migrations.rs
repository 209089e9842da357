//! The tables, as steps from one format of a store to the next.

/// Step `i` takes a store from version `i` to `i + 1`. Steps are only ever added.
pub(crate) const MIGRATIONS: [&str; 10] = [
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
    // How far the numbers of ids have come (core, policy/counters.rs). What was forgotten before had no higher number than there are
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
    // Titles of sessions, each with its CRC-32. Imports kept that of a chat in the metadata of its first turn, and there
    // it stays; what was taken from there has no sum.
    "
    ALTER TABLE session ADD COLUMN title TEXT;
    ALTER TABLE session ADD COLUMN title_sum INTEGER;
    UPDATE session SET title = first.title FROM (
        SELECT namespace, session, min(seq), trim(meta ->> '$.title') AS title FROM memory
        WHERE session <> 0 AND meta IS NOT NULL AND json_valid(meta) AND json_type(meta, '$.title') = 'text'
        GROUP BY namespace, session
    ) AS first
    WHERE first.namespace = session.namespace AND first.session = session.id AND first.title <> '';
    ",
    // A long text has a vector for each window that its model reads, one after the other in its row. Until now it had one,
    // of its beginning: it waits for its vectors again. A shorter passage is read whole by any model: none reads fewer than
    // 128 tokens, and a token is a character at least.
    "
    UPDATE namespace SET epoch = epoch + 1 WHERE id IN (
        SELECT v.namespace FROM vector v JOIN memory m ON m.namespace = v.namespace AND m.seq = v.seq
        WHERE length(coalesce(m.speaker, '')) + length(m.text) + length(coalesce(m.image_caption, '')) > 100
    );
    DELETE FROM vector WHERE EXISTS (
        SELECT 1 FROM memory m WHERE m.namespace = vector.namespace AND m.seq = vector.seq
        AND length(coalesce(m.speaker, '')) + length(m.text) + length(coalesce(m.image_caption, '')) > 100
    );
    DELETE FROM staged;
    ",
];
