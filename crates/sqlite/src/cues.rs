//! Cue questions and their vectors: rows under (tenant, id), gone with their memory.

use std::collections::BTreeMap;

use aforesaid_core::{
    StoreError,
    store::{Audience, CuePart, CueRow, CueStats, CueVectors, DroppedCues, IndexSink, NewCues, UnembeddedCue},
    types::{CueId, CueSource, Cues, EncoderId, Memory, Namespace, Scope, Seq, Vectors, cued_passage},
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, params, params_from_iter, types::Value};

use crate::{
    counters::Counter,
    errors::Context,
    read::{Reader, within},
    row, serving,
    vectors::{self, read_into, to_bytes},
};

/// The part of a cue that is no question: the text with all of them. Questions count from 1.
const PASSAGE: i64 = 0;

/// Cues by memory; left to itself, the planner reads all cues of the namespace.
const OF_MEMORY: &str = "cue INDEXED BY cue_by_memory";

/// Cues on their way into one namespace, inside one transaction.
pub(crate) struct Putting<'a> {
    pub(crate) transaction: &'a Transaction<'a>,
    pub(crate) context: Context<'a>,
    pub(crate) namespace: &'a Namespace,
    pub(crate) tenant: i64,
    /// The last id given.
    pub(crate) last: u64,
}

impl Putting<'_> {
    /// Gives memories that are there their cues; says how many got theirs.
    pub(crate) fn put(
        mut self,
        source: &CueSource,
        encoder: Option<&EncoderId>,
        cues: &[NewCues],
    ) -> Result<u64, StoreError> {
        let source = self.source(source)?;
        let encoder = encoder.map(|name| Ok::<_, StoreError>((name, self.encoder(name, cues)?))).transpose()?;
        let encoder = encoder.and_then(|(name, known)| Some((name, known?)));
        let (mut put, mut replaced) = (0, false);
        for new in cues {
            let there = "SELECT 1 FROM memory WHERE namespace = ?1 AND seq = ?2";
            let key = params![self.tenant, new.seq.0];
            let there =
                self.transaction.prepare_cached(there).and_then(|mut s| s.query_row(key, |_| Ok(())).optional());
            if self.context.run(there)?.is_none() {
                continue;
            }
            replaced |= self.remove(new.seq)?;
            self.insert(source, encoder, new)?;
            put += 1;
        }
        let last = "UPDATE namespace SET cues = ?2 WHERE id = ?1";
        self.context.run(self.transaction.execute(last, params![self.tenant, self.last]))?;
        if replaced {
            forget_indexes(self.transaction, self.context, self.tenant)?;
        }
        Ok(put)
    }

    fn source(&self, source: &CueSource) -> Result<i64, StoreError> {
        let key = params![self.tenant, source.model, source.prompt];
        self.context.run(self.transaction.execute(
            "INSERT INTO cue_source (namespace, id, model, prompt)
             SELECT ?1, coalesce((SELECT max(id) FROM cue_source WHERE namespace = ?1), 0) + 1, ?2, ?3
             WHERE NOT EXISTS (SELECT 1 FROM cue_source WHERE namespace = ?1 AND model = ?2 AND prompt = ?3)",
            key,
        ))?;
        let number = "SELECT id FROM cue_source WHERE namespace = ?1 AND model = ?2 AND prompt = ?3";
        self.context.run(self.transaction.query_row(number, key, |row| row.get(0)))
    }

    /// The encoder of these cues' vectors, which must serve; `None` where there is no vector.
    fn encoder(&self, name: &EncoderId, cues: &[NewCues]) -> Result<Option<vectors::Encoder>, StoreError> {
        let first = cues.iter().find_map(|new| new.vectors.passage.as_ref().or(new.vectors.questions.first()));
        let Some(first) = first else { return Ok(None) };
        serving::settle(self.transaction, self.context, self.namespace, name)?;
        vectors::encoder_or_new(self.transaction, self.context, self.tenant, name, first.len()).map(Some)
    }

    /// Takes the cues of one memory away; says whether it was asked for any.
    fn remove(&self, seq: Seq) -> Result<bool, StoreError> {
        let ids = format!("SELECT id FROM {OF_MEMORY} WHERE namespace = ?1 AND seq = ?2");
        let steps = [
            format!("DELETE FROM cue_vector WHERE namespace = ?1 AND id IN ({ids})"),
            format!("DELETE FROM {OF_MEMORY} WHERE namespace = ?1 AND seq = ?2"),
            "DELETE FROM cued WHERE namespace = ?1 AND seq = ?2".to_owned(),
        ];
        let mut changed = 0;
        for step in steps {
            let run = self.transaction.prepare_cached(&step);
            changed = self.context.run(run.and_then(|mut step| step.execute(params![self.tenant, seq.0])))?;
        }
        Ok(changed > 0)
    }

    fn insert(
        &mut self,
        source: i64,
        encoder: Option<(&EncoderId, vectors::Encoder)>,
        new: &NewCues,
    ) -> Result<(), StoreError> {
        let NewCues { seq, questions, vectors: CueVectors { questions: by_question, passage } } = new;
        let cued = "INSERT INTO cued (namespace, seq, source) VALUES (?1, ?2, ?3)";
        let cued = self.transaction.prepare_cached(cued);
        self.context.run(cued.and_then(|mut cued| cued.execute(params![self.tenant, seq.0, source])))?;
        let whole = passage.iter().map(|vector| (PASSAGE, "", Some(vector)));
        let single = (1i64..)
            .zip(questions)
            .enumerate()
            .map(|(i, (part, question))| (part, question.as_str(), by_question.get(i)));
        for (part, question, vector) in whole.chain(single) {
            self.last += 1;
            let row = "INSERT INTO cue (namespace, id, seq, part, question) VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = self.transaction.prepare_cached(row);
            let key = params![self.tenant, self.last, seq.0, part, question];
            self.context.run(row.and_then(|mut row| row.execute(key)))?;
            if let (Some((name, encoder)), Some(vector)) = (encoder, vector) {
                insert_vector(self.transaction, self.context, self.tenant, (name, encoder), CueId(self.last), vector)?;
            }
        }
        Ok(())
    }
}

fn insert_vector(
    connection: &Connection,
    context: Context<'_>,
    tenant: i64,
    (name, encoder): (&EncoderId, vectors::Encoder),
    id: CueId,
    vector: &[f32],
) -> Result<(), StoreError> {
    encoder.check(name, vector)?;
    let sql = "INSERT OR REPLACE INTO cue_vector (namespace, encoder, id, data) VALUES (?1, ?2, ?3, ?4)";
    let key = params![tenant, encoder.number, id.0, to_bytes(vector)];
    context.run(connection.prepare_cached(sql).and_then(|mut insert| insert.execute(key)))?;
    Ok(())
}

/// Adds vectors to cues that are there.
pub(crate) fn embed(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    tenant: i64,
    name: &EncoderId,
    vectors: &[(CueId, &[f32])],
) -> Result<(), StoreError> {
    let Some((_, first)) = vectors.first() else { return Ok(()) };
    let encoder = vectors::encoder_or_new(transaction, context, tenant, name, first.len())?;
    for (id, vector) in vectors {
        let there = "SELECT 1 FROM cue WHERE namespace = ?1 AND id = ?2";
        let there = transaction.query_row(there, params![tenant, id.0], |_| Ok(())).optional();
        if context.run(there)?.is_some() {
            insert_vector(transaction, context, tenant, (name, encoder), *id, vector)?;
        }
    }
    // Only what serves is searched, and an index of it would lack these.
    let epoch = "UPDATE namespace SET epoch = epoch + 1 WHERE id = ?1 AND serving = ?2";
    context.run(transaction.execute(epoch, params![tenant, name.as_str()]))?;
    Ok(())
}

/// Takes the cues of chosen memories away: `chosen` is SQL that selects their places; `?1` is the tenant.
pub(crate) fn remove(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    chosen: &str,
    values: &[Value],
) -> Result<DroppedCues, StoreError> {
    let run = |sql: String| context.run(transaction.execute(&sql, params_from_iter(values)));
    let vectors = run(format!(
        "DELETE FROM cue_vector WHERE namespace = ?1
         AND id IN (SELECT id FROM {OF_MEMORY} WHERE namespace = ?1 AND seq IN ({chosen}))"
    ))?;
    run(format!("DELETE FROM {OF_MEMORY} WHERE namespace = ?1 AND part = {PASSAGE} AND seq IN ({chosen})"))?;
    let questions = run(format!("DELETE FROM {OF_MEMORY} WHERE namespace = ?1 AND seq IN ({chosen})"))?;
    let memories = run(format!("DELETE FROM cued WHERE namespace = ?1 AND seq IN ({chosen})"))?;
    context.run(transaction.execute(
        "DELETE FROM cue_source WHERE namespace = ?1
         AND NOT EXISTS (SELECT 1 FROM cued c WHERE c.namespace = ?1 AND c.source = cue_source.id)",
        params_from_iter(&values[..1]),
    ))?;
    Ok(DroppedCues { memories: memories as u64, questions: questions as u64, vectors: vectors as u64 })
}

/// Takes the cues of a scope away.
pub(crate) fn drop_within(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    tenant: i64,
    scope: &Scope,
) -> Result<DroppedCues, StoreError> {
    let (condition, values) = within(scope, tenant);
    let chosen = format!("SELECT m.seq FROM memory m WHERE m.namespace = ?1 {condition}");
    let dropped = remove(transaction, context, &chosen, &values)?;
    forget_indexes(transaction, context, tenant)?;
    Ok(dropped)
}

/// Snapshots hold words of cues that are gone, and so do indexes.
fn forget_indexes(transaction: &Transaction<'_>, context: Context<'_>, tenant: i64) -> Result<(), StoreError> {
    context.run(transaction.execute("DELETE FROM snapshot WHERE namespace = ?1", [tenant]))?;
    context.run(transaction.execute("UPDATE namespace SET epoch = epoch + 1 WHERE id = ?1", [tenant]))?;
    Ok(())
}

impl Reader<'_> {
    /// Feeds the cues after one; says how many questions were among them.
    pub(crate) fn feed_cues(
        &self,
        encoder: Option<vectors::Encoder>,
        after: CueId,
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        if after >= self.tenant.version.cues {
            return Ok(0);
        }
        let mut select = self.context.run(self.connection.prepare_cached(
            "SELECT c.id, c.seq, c.part, c.question, v.data FROM cue c
             LEFT JOIN cue_vector v ON v.namespace = ?1 AND v.encoder = ?2 AND v.id = c.id
             WHERE c.namespace = ?1 AND c.id > ?3 ORDER BY c.id",
        ))?;
        let key = params![self.tenant.number, encoder.map_or(-1, |encoder| encoder.number), after.0];
        let mut rows = self.context.run(select.query(key))?;
        let (mut vector, mut questions) = (Vec::new(), 0);
        while let Some(row) = self.context.run(rows.next())? {
            let cue = self.context.run(cue_row(row, &mut vector))?;
            questions += u64::from(matches!(cue.part, CuePart::Question(_)));
            sink.cue(cue)?;
        }
        Ok(questions)
    }

    pub(crate) fn cues(&self, places: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError> {
        places.iter().map(|seq| self.cues_of(*seq)).collect()
    }

    fn cues_of(&self, seq: Seq) -> Result<Option<Cues>, StoreError> {
        let key = params![self.tenant.number, seq.0];
        let source = "SELECT s.model, s.prompt FROM cued c
                      JOIN cue_source s ON s.namespace = ?1 AND s.id = c.source
                      WHERE c.namespace = ?1 AND c.seq = ?2";
        let read = |row: &Row<'_>| Ok(CueSource { model: row.get(0)?, prompt: row.get(1)? });
        let source = self.connection.prepare_cached(source).and_then(|mut s| s.query_row(key, read).optional());
        match self.context.run(source)? {
            None => Ok(None),
            Some(source) => Ok(Some(Cues { source, questions: self.questions_of(seq)? })),
        }
    }

    fn questions_of(&self, seq: Seq) -> Result<Vec<String>, StoreError> {
        let sql =
            format!("SELECT question FROM {OF_MEMORY} WHERE namespace = ?1 AND seq = ?2 AND part > 0 ORDER BY part");
        let key = params![self.tenant.number, seq.0];
        let select = self.connection.prepare_cached(&sql);
        self.context.run(select.and_then(|mut select| select.query_map(key, |row| row.get(0))?.collect()))
    }

    pub(crate) fn questions(&self, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError> {
        let sql = "SELECT question FROM cue WHERE namespace = ?1 AND id = ?2 AND part > 0";
        let mut select = self.context.run(self.connection.prepare_cached(sql))?;
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let question = select.query_row(params![self.tenant.number, id.0], |row| row.get(0)).optional();
            found.extend(self.context.run(question)?.map(|question| (*id, question)));
        }
        Ok(found)
    }

    pub(crate) fn uncued(
        &self,
        scope: &Scope,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Memory>, StoreError> {
        let (condition, mut values) = within(scope, self.tenant.number);
        let at = values.len();
        let more = [
            Value::Integer(i64::from(audience == Audience::LocalModels)),
            Value::Integer(after.0 as i64),
            Value::Integer(limit as i64),
        ];
        values.extend(more);
        let sql = format!(
            "{} {condition} AND (?{} OR NOT m.sensitive) AND m.seq > ?{}
             AND NOT EXISTS (SELECT 1 FROM cued c WHERE c.namespace = ?1 AND c.seq = m.seq)
             ORDER BY m.seq LIMIT ?{}",
            row::SELECT,
            at + 1,
            at + 2,
            at + 3
        );
        let select = self.connection.prepare_cached(&sql);
        let memories = |mut select: rusqlite::CachedStatement<'_>| {
            select.query_map(params_from_iter(&values), row::memory)?.collect::<Result<Vec<_>, _>>()
        };
        self.context.run(select.and_then(memories))
    }

    pub(crate) fn cue_stats(&self) -> Result<CueStats, StoreError> {
        let tenant = self.tenant.number;
        let count = |sql: &str| self.context.run(self.connection.query_row(sql, [tenant], |row| row.get(0)));
        let by_name = |sql: &str| -> Result<BTreeMap<String, u64>, StoreError> {
            let pair = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let select = self.connection.prepare_cached(sql);
            self.context.run(select.and_then(|mut select| select.query_map([tenant], pair)?.collect()))
        };
        let rows = Counter::Questions.rows();
        let questions = count(&format!("SELECT count(*) FROM (SELECT ?1 AS id) n, {rows}"))?;
        self.expect(Counter::Questions, questions)?;
        Ok(CueStats {
            memories: count("SELECT count(*) FROM cued WHERE namespace = ?1")?,
            questions,
            vectors: by_name(
                "SELECT e.name, count(*) FROM cue_vector v JOIN encoder e ON e.namespace = ?1 AND e.id = v.encoder
                 WHERE v.namespace = ?1 GROUP BY e.id",
            )?,
            sources: by_name(
                "SELECT s.model || ', ' || s.prompt, count(*) FROM cued c
                 JOIN cue_source s ON s.namespace = ?1 AND s.id = c.source
                 WHERE c.namespace = ?1 GROUP BY s.id",
            )?,
        })
    }

    pub(crate) fn unembedded_cues(
        &self,
        name: &EncoderId,
        audience: Audience,
        after: CueId,
        limit: usize,
    ) -> Result<Vec<UnembeddedCue>, StoreError> {
        let (encoder, sees_all) = (self.number_of(name)?, audience == Audience::LocalModels);
        let sql = "SELECT c.id, c.seq, c.part, c.question FROM cue c
                   JOIN memory m ON m.namespace = ?1 AND m.seq = c.seq AND (?3 OR NOT m.sensitive)
                   WHERE c.namespace = ?1 AND c.id > ?4
                   AND NOT EXISTS (SELECT 1 FROM cue_vector v WHERE v.namespace = ?1 AND v.encoder = ?2 AND v.id = c.id)
                   ORDER BY c.id LIMIT ?5";
        let key: [&dyn ToSql; 5] = [&self.tenant.number, &encoder, &sees_all, &after.0, &limit];
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?, row.get(3)?));
        let select = self.connection.prepare_cached(sql);
        let found: Vec<(u64, u64, i64, String)> =
            self.context.run(select.and_then(|mut select| select.query_map(key, row)?.collect()))?;
        let cue = |(id, seq, part, question)| {
            let text = if part == PASSAGE { self.cued_passage(Seq(seq))? } else { question };
            Ok(UnembeddedCue { id: CueId(id), text })
        };
        found.into_iter().map(cue).collect()
    }

    fn cued_passage(&self, seq: Seq) -> Result<String, StoreError> {
        let memories = self.fetch(&[seq])?;
        let passage = memories.first().map(Memory::passage).unwrap_or_default();
        Ok(cued_passage(&passage, self.questions_of(seq)?.iter().map(String::as_str)))
    }

    pub(crate) fn cue_vectors(&self, name: &EncoderId, ids: &[CueId]) -> Result<Option<Vectors>, StoreError> {
        let sql = "SELECT data FROM cue_vector WHERE namespace = ?1 AND encoder = ?2 AND id = ?3";
        self.blobs(name, sql, ids.iter().map(|id| id.0))
    }
}

fn cue_row<'r>(row: &'r Row<'_>, vector: &'r mut Vec<f32>) -> rusqlite::Result<CueRow<'r>> {
    vector.clear();
    let blob = row.get_ref(4)?.as_blob_or_null()?;
    if let Some(blob) = blob {
        read_into(blob, vector);
    }
    let part = match row.get::<_, i64>(2)? {
        PASSAGE => CuePart::Passage,
        _ => CuePart::Question(row.get_ref(3)?.as_str()?),
    };
    Ok(CueRow { id: CueId(row.get(0)?), seq: Seq(row.get(1)?), part, vector: blob.map(|_| vector.as_slice()) })
}
