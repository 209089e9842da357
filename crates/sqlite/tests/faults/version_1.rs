//! A store as version 1 wrote it.

use std::path::Path;

use rusqlite::{Connection, params};

use crate::world::{FIRST, mark, vector};

const TABLES: &str = include_str!("version_1.sql");

/// "afsd", as a number.
const APPLICATION_ID: i64 = 0x6166_7364;

/// Turns `old1` and on in namespace `a`, each with a vector, and some vectors of an import that did not finish.
pub(crate) fn write(path: &Path) {
    const TURNS: i64 = 40;
    let file = Connection::open(path).unwrap();
    file.pragma_update(None, "page_size", 8192).unwrap();
    file.pragma_update(None, "journal_mode", "WAL").unwrap();
    file.pragma_update(None, "secure_delete", "ON").unwrap();
    file.execute_batch(&format!("BEGIN; {TABLES}")).unwrap();
    file.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    file.pragma_update(None, "user_version", 1).unwrap();
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| file.execute(sql, values).unwrap();
    run("INSERT INTO namespace (id, name, epoch, last) VALUES (1, 'a', 7, ?1)", params![TURNS]);
    run("INSERT INTO conversation (namespace, id, name) VALUES (1, 1, 'c1')", &[]);
    run("INSERT INTO session (namespace, id, conversation, name) VALUES (1, 1, 1, 's1')", &[]);
    let dim = vector(0).len();
    run("INSERT INTO encoder (namespace, id, name, dim) VALUES (1, 1, ?1, ?2)", params![FIRST, dim]);
    for seq in 1..=TURNS {
        let n = 700 + seq as usize;
        let text = format!("{} {}", mark(n), "and so on ".repeat(seq as usize * 11 % 60));
        run(
            "INSERT INTO memory (namespace, seq, id, kind, conversation, session, speaker, text, importance, sensitive)
             VALUES (1, ?1, ?2, 0, 1, 1, 'Ann', ?3, 0.5, 0)",
            params![seq, format!("old{seq}"), text.trim_end()],
        );
        let data: Vec<u8> = vector(n).iter().flat_map(|x| x.to_le_bytes()).collect();
        run("INSERT INTO vector (namespace, encoder, seq, data) VALUES (1, 1, ?1, ?2)", params![seq, data]);
        let print = [seq as u8; 16];
        run(
            "INSERT INTO staged (namespace, encoder, fingerprint, data) VALUES ('a', ?1, ?2, ?3)",
            params![FIRST, &print[..], data],
        );
    }
    file.execute_batch("COMMIT").unwrap();
}
