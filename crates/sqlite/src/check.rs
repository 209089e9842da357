//! Looking for damage: SQLite's own check, counters, what belongs together, and in full every row.

mod files;
mod relations;
mod rows;

use std::collections::BTreeMap;

use aforesaid_core::{
    StoreError,
    store::{CheckDepth, Finding},
    types::EncoderId,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{counts, erasure, errors::Context, schema};

/// Lines of SQLite's own check that are told.
const SHOWN: usize = 20;

/// Namespaces looked at when a store is opened after an unclean end.
const NAMESPACES_AT_OPEN: usize = 64;

/// A check under way, inside one read transaction.
struct Checking<'a> {
    connection: &'a Connection,
    context: Context<'a>,
    /// Names of namespaces by number.
    names: BTreeMap<i64, String>,
    findings: Vec<Finding>,
}

/// Looks for damage in one consistent view of a store.
pub(crate) fn check(
    connection: &Connection,
    context: Context<'_>,
    depth: CheckDepth,
    step: &mut dyn FnMut(&str),
) -> Result<Vec<Finding>, StoreError> {
    // Where even this cannot be read, the schema is a finding of its own.
    let erasure = erasure::state(connection, context).unwrap_or_default();
    let findings = files::findings(connection, erasure);
    let mut checking = Checking { connection, context, names: BTreeMap::new(), findings };
    step("pages");
    checking.attempt("the file", Checking::size)?;
    checking.attempt("the schema", Checking::schema)?;
    checking.attempt("the file", |checking| checking.pages(depth))?;
    step("counters");
    checking.attempt("the table of namespaces", Checking::read_names)?;
    checking.attempt("the counters", Checking::counters)?;
    step("what belongs together");
    for relation in &relations::ALL {
        checking.attempt(relation.of, |checking| checking.relation(relation))?;
    }
    checking.attempt("the vectors", Checking::missing_vectors)?;
    checking.attempt("the staged vectors", Checking::staged)?;
    if depth == CheckDepth::Full {
        step("rows");
        checking.rows()?;
    }
    Ok(checking.findings)
}

/// The part of a check that an unclean end makes worth its time: whether the file is as long as it says, whether the
/// schema is there, and whether the counters can be right. It takes some lookups a namespace and reads no table.
///
/// # Errors
/// [`StoreError::Damaged`], or when the store cannot be read.
pub(crate) fn after_unclean_end(connection: &Connection, context: Context<'_>) -> Result<(), StoreError> {
    let mut checking = Checking { connection, context, names: BTreeMap::new(), findings: Vec::new() };
    checking.size()?;
    checking.schema()?;
    let sql = "SELECT n.name, n.last, n.memories, n.cues, n.questions,
                      (SELECT max(seq) FROM memory m WHERE m.namespace = n.id),
                      (SELECT max(id) FROM cue c WHERE c.namespace = n.id)
               FROM namespace n LIMIT ?1";
    let mut select = context.run(connection.prepare(sql))?;
    let mut rows = context.run(select.query([NAMESPACES_AT_OPEN]))?;
    while let Some(row) = context.run(rows.next())? {
        let finding = context.run(unlikely(row))?;
        checking.findings.extend(finding);
    }
    match checking.findings.into_iter().next() {
        None => Ok(()),
        Some(finding) => Err(context.damaged(format!("{}: {}", finding.subject, finding.found))),
    }
}

/// What cannot be of the counters of a namespace and the last of its rows.
fn unlikely(row: &Row<'_>) -> rusqlite::Result<Option<Finding>> {
    let name: String = row.get(0)?;
    for (column, noun, last_noun) in [(1, "memories", "last memory"), (3, "cue questions", "last cue")] {
        let (last, counted): (i64, i64) = (row.get(column)?, row.get(column + 1)?);
        let newest: Option<i64> = row.get(if column == 1 { 5 } else { 6 })?;
        let found = match newest {
            Some(newest) if newest > last => format!("a {last_noun} {newest} after the last one recorded, {last}"),
            None if counted != 0 => format!("none of {counted} {noun}"),
            Some(newest) if !(0..=newest).contains(&counted) => format!("{counted} {noun} up to number {newest}"),
            _ => continue,
        };
        return Ok(Some(Finding::damage(format!("namespace {name:?}"), found, "counters that fit the rows")));
    }
    Ok(None)
}

impl Checking<'_> {
    /// Does one step; where it cannot be done for damage, that is what it found.
    fn attempt(
        &mut self,
        subject: &str,
        step: impl FnOnce(&mut Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let found = match step(self) {
            Ok(()) => return Ok(()),
            Err(StoreError::Damaged { found, .. }) => found,
            // A statement that cannot even be prepared misses a table.
            Err(StoreError::Backend { source, .. }) => source.to_string(),
            Err(error) => return Err(error),
        };
        self.damage(subject, found, "what can be read");
        Ok(())
    }

    fn damage(&mut self, subject: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) {
        self.findings.push(Finding::damage(subject, found, expected));
    }

    fn number(&self, sql: &str) -> Result<i64, StoreError> {
        self.context.run(self.connection.query_row(sql, [], |row| row.get(0)))
    }

    fn namespace(&self, number: i64) -> String {
        match self.names.get(&number) {
            Some(name) => format!("namespace {name:?}"),
            None => format!("namespace number {number}, which is not there"),
        }
    }

    /// Whether file and log hold as many pages as the store has.
    fn size(&mut self) -> Result<(), StoreError> {
        let expected = self.number("SELECT page_count FROM pragma_page_count")?;
        let page = self.number("SELECT page_size FROM pragma_page_size")?;
        if let Some(found) = files::pages(self.connection, page).filter(|found| *found < expected) {
            self.damage("the file", format!("{found} pages"), format!("{expected} pages"));
        }
        Ok(())
    }

    /// Compares tables, indexes and triggers with those of a new store.
    fn schema(&mut self) -> Result<(), StoreError> {
        let (expected, found) =
            (schema_of(&schema::model(self.context)?, self.context)?, schema_of(self.connection, self.context)?);
        for (name, sql) in &expected {
            let found = match found.get(name) {
                Some(found) if found == sql => continue,
                Some(_) => "another definition",
                None => "nothing",
            };
            self.damage(format!("{name} of the schema"), found, "the definition of a new store");
        }
        Ok(())
    }

    fn pages(&mut self, depth: CheckDepth) -> Result<(), StoreError> {
        let sql = match depth {
            CheckDepth::Quick => "PRAGMA quick_check",
            CheckDepth::Full => "PRAGMA integrity_check",
        };
        let mut select = self.context.run(self.connection.prepare(sql))?;
        let mut rows = self.context.run(select.query([]))?;
        let mut lines: Vec<String> = Vec::new();
        while let Some(row) = self.context.run(rows.next())? {
            let text: String = self.context.run(row.get(0))?;
            lines.extend(text.lines().filter(|line| *line != "ok" && !line.starts_with("***")).map(str::to_owned));
        }
        drop(rows);
        let more = lines.len().saturating_sub(SHOWN);
        for line in lines.into_iter().take(SHOWN) {
            self.damage("the file", line, "sound pages");
        }
        if more > 0 {
            self.damage("the file", format!("{more} more of the kind"), "sound pages");
        }
        Ok(())
    }

    fn read_names(&mut self) -> Result<(), StoreError> {
        let names = self.connection.prepare("SELECT id, name FROM namespace NOT INDEXED");
        self.names = self
            .context
            .run(names.and_then(|mut names| names.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()))?;
        Ok(())
    }

    /// Compares what is there with what was counted as it was written.
    fn counters(&mut self) -> Result<(), StoreError> {
        for kind in counts::ALL {
            let (column, rows) = (counts::column(kind), counts::rows(kind));
            let sql = format!(
                "SELECT n.name, n.{column}, (SELECT count(*) FROM {rows}) FROM namespace n NOT INDEXED
                 WHERE n.{column} IS NOT (SELECT count(*) FROM {rows})"
            );
            let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            let select = self.connection.prepare(&sql);
            let wrong: Vec<(String, i64, i64)> =
                self.context.run(select.and_then(|mut select| select.query_map([], row)?.collect()))?;
            for (name, expected, found) in wrong {
                let noun = counts::noun(kind);
                self.damage(format!("namespace {name:?}"), format!("{found} {noun}"), format!("{expected} {noun}"));
            }
        }
        for (table, key, column) in [("memory", "seq", "last"), ("cue", "id", "cues")] {
            let sql = format!(
                "SELECT n.name, n.{column}, max(x.{key}) FROM namespace n JOIN {table} x ON x.namespace = n.id
                 GROUP BY n.id HAVING max(x.{key}) > n.{column}"
            );
            let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            let select = self.connection.prepare(&sql);
            let wrong: Vec<(String, i64, i64)> =
                self.context.run(select.and_then(|mut select| select.query_map([], row)?.collect()))?;
            for (name, last, found) in wrong {
                self.damage(
                    format!("namespace {name:?}"),
                    format!("a row of {table} numbered {found}"),
                    format!("none after {last}"),
                );
            }
        }
        Ok(())
    }

    fn relation(&mut self, relation: &relations::Relation) -> Result<(), StoreError> {
        let select = self.connection.prepare(&relation.sql());
        let wrong: Vec<(i64, i64)> = self
            .context
            .run(select.and_then(|mut s| s.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()))?;
        for (namespace, count) in wrong {
            let finding = Finding::damage(self.namespace(namespace), format!("{count} {}", relation.found), "none");
            self.findings.push(match relation.next {
                Some(next) => finding.remedied_by(next),
                None => finding,
            });
        }
        Ok(())
    }

    /// Memories that a search by vectors does not see: those of an encoder on a server never get sensitive ones.
    fn missing_vectors(&mut self) -> Result<(), StoreError> {
        let names: Vec<(i64, String)> = self.names.iter().map(|(number, name)| (*number, name.clone())).collect();
        for (number, name) in names {
            let active = "SELECT serving FROM namespace WHERE id = ?1";
            let active: Option<Option<String>> =
                self.context.run(self.connection.query_row(active, [number], |row| row.get(0)).optional())?;
            let Some(active) = active.flatten() else { continue };
            let Ok(encoder) = EncoderId::new(active.clone()) else {
                self.damage(format!("namespace {name:?}"), "an unreadable name of the encoder in use", "a name");
                continue;
            };
            let sql = "SELECT count(*) FROM memory m WHERE m.namespace = ?1 AND (?3 OR NOT m.sensitive)
                       AND NOT EXISTS (SELECT 1 FROM encoder e JOIN vector v ON v.namespace = ?1 AND v.encoder = e.id
                                       WHERE e.namespace = ?1 AND e.name = ?2 AND v.seq = m.seq)";
            let key = params![number, active, !encoder.is_remote()];
            let missing: i64 = self.context.run(self.connection.query_row(sql, key, |row| row.get(0)))?;
            if missing > 0 {
                self.findings.push(Finding::note(
                    format!("namespace {name:?}"),
                    format!("{missing} memories without a vector by {active}"),
                    "a vector each",
                    "re-embed the namespace",
                ));
            }
        }
        Ok(())
    }

    /// What an import that did not finish has left.
    fn staged(&mut self) -> Result<(), StoreError> {
        let staged = self.number("SELECT count(*) FROM staged")?;
        if staged > 0 {
            self.findings.push(Finding::note(
                "staged vectors",
                format!("{staged} of an import that did not finish"),
                "none, unless an import is under way",
                "import the same file again, or forget the namespace it was for",
            ));
        }
        Ok(())
    }
}

/// Definitions by name.
fn schema_of(connection: &Connection, context: Context<'_>) -> Result<BTreeMap<String, Option<String>>, StoreError> {
    let sql = "SELECT type || ' ' || name, sql FROM sqlite_schema";
    context.run(
        connection
            .prepare(sql)
            .and_then(|mut select| select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()),
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use aforesaid_core::{
        store::{Batch, CueStore, CueVectors, NewCues, Store},
        types::{CueSource, Draft, Namespace, Note, Seq},
    };

    use super::*;
    use crate::{Creation, SqliteStore};

    #[test]
    fn what_an_unclean_end_may_leave_is_noticed_by_a_few_lookups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let store = SqliteStore::open(&path, Creation::Allowed).unwrap();
        let me = Namespace::new("me").unwrap();
        let note = |n: u64| {
            Draft::Note(Note {
                id: None,
                conversation: None,
                text: format!("note {n}"),
                said_at: None,
                importance: aforesaid_core::types::Importance::default(),
                tags: Vec::new(),
                sensitivity: aforesaid_core::types::Sensitivity::Ordinary,
                source: Vec::new(),
            })
        };
        store.append(&me, Batch::of(&(0..200).map(note).collect::<Vec<_>>())).unwrap();
        let source = CueSource { model: "m".to_owned(), prompt: "p".to_owned() };
        let cues = NewCues { seq: Seq(7), questions: vec!["Which note?".to_owned()], vectors: CueVectors::default() };
        store.put_cues(&me, &source, None, &[cues]).unwrap();
        drop(store);
        let sound = fs::read(&path).unwrap();
        let look = |change: &str| {
            let file = Connection::open(&path).unwrap();
            file.execute_batch(change).unwrap();
            after_unclean_end(&file, Context::new("memory.db", "open the store")).map_err(|error| error.to_string())
        };
        assert_eq!(look(""), Ok(()));
        let changes = [
            ("DELETE FROM cue; UPDATE namespace SET questions = 1", "none of 1 cue questions"),
            ("UPDATE namespace SET last = 150", "a last memory 200 after the last one recorded, 150"),
            ("UPDATE namespace SET memories = 201", "201 memories up to number 200"),
            ("DROP INDEX memory_by_id", "index memory_by_id of the schema: nothing"),
        ];
        for (change, expected) in changes {
            let error = look(change).unwrap_err();
            assert!(error.contains(expected), "{change}: {error}");
            fs::write(&path, &sound).unwrap();
        }
        fs::write(&path, &sound[..sound.len() - 8192]).unwrap();
        assert!(look("").is_err(), "a page is cut off");
    }
}
