-- The tables of a store of version 1, to the letter: a check compares them.
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
