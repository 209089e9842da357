//! Cue questions and their vectors: rows under (tenant, id), gone with their memory.

use std::collections::BTreeMap;

use aforesaid_core::{
    StoreError,
    store::{
        Audience, CuePart, CueRow, CueStats, DroppedCues, IdRanges, IndexSink, UnembeddedCue,
        tables::{CueTable, DeletedCues, MemoryTable, RowKind, Selection, components_into, vector_to_bytes},
    },
    types::{CueId, CueSource, Cues, EncoderId, Record, Scope, Seq, Vectors, cued_passage},
};
use rusqlite::{Row, params, params_from_iter, types::Value};

use crate::{
    counts, row,
    tables::{NamespaceTables, within},
};

/// The part of a cue that is no question: the text with all of them. Questions count from 1.
const PASSAGE: i64 = 0;

/// Cues by memory; left to itself, the planner reads all cues of the namespace.
const OF_MEMORY: &str = "cue INDEXED BY cue_by_memory";

impl NamespaceTables<'_> {
    fn questions_of(&self, seq: Seq) -> Result<Vec<String>, StoreError> {
        let sql =
            format!("SELECT question FROM {OF_MEMORY} WHERE namespace = ?1 AND seq = ?2 AND part > 0 ORDER BY part");
        self.rows(&sql, params![self.tenant, seq.0], |row| row.get(0))
    }

    fn cued_passage(&self, seq: Seq) -> Result<String, StoreError> {
        let memories = self.fetch(&[seq])?;
        let passage = memories.first().map(Record::passage).unwrap_or_default();
        Ok(cued_passage(&passage, self.questions_of(seq)?.iter().map(String::as_str)))
    }

    fn cues_of(&self, seq: Seq) -> Result<Option<Cues>, StoreError> {
        let sql = "SELECT s.model, s.prompt FROM cued c
                   JOIN cue_source s ON s.namespace = ?1 AND s.id = c.source
                   WHERE c.namespace = ?1 AND c.seq = ?2";
        let source = |row: &Row<'_>| Ok(CueSource { model: row.get(0)?, prompt: row.get(1)? });
        match self.row(sql, params![self.tenant, seq.0], source)? {
            None => Ok(None),
            Some(source) => Ok(Some(Cues { source, questions: self.questions_of(seq)? })),
        }
    }

    /// The number of a source, which gets a row where it has none.
    fn source_number(&mut self, source: &CueSource) -> Result<i64, StoreError> {
        if let Some((_, number)) = self.source.as_ref().filter(|(known, _)| known == source) {
            return Ok(*number);
        }
        let key = params![self.tenant, source.model, source.prompt];
        self.execute(
            "INSERT INTO cue_source (namespace, id, model, prompt)
             SELECT ?1, coalesce((SELECT max(id) FROM cue_source WHERE namespace = ?1), 0) + 1, ?2, ?3
             WHERE NOT EXISTS (SELECT 1 FROM cue_source WHERE namespace = ?1 AND model = ?2 AND prompt = ?3)",
            key,
        )?;
        let number = "SELECT id FROM cue_source WHERE namespace = ?1 AND model = ?2 AND prompt = ?3";
        let number = self.row(number, key, |row| row.get(0))?;
        let number = number.ok_or_else(|| self.context.damaged("a source of cues that was inserted is not there"))?;
        self.source = Some((source.clone(), number));
        Ok(number)
    }

    fn counts_by_name(&self, sql: &str) -> Result<BTreeMap<String, u64>, StoreError> {
        Ok(self.rows(sql, [self.tenant], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
    }
}

impl CueTable for NamespaceTables<'_> {
    fn has_cue(&self, id: CueId) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM cue WHERE namespace = ?1 AND id = ?2", params![self.tenant, id.0])
    }

    fn cues(&self, positions: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError> {
        positions.iter().map(|seq| self.cues_of(*seq)).collect()
    }

    fn questions(&self, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError> {
        let sql = "SELECT question FROM cue WHERE namespace = ?1 AND id = ?2 AND part > 0";
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let question = self.row(sql, params![self.tenant, id.0], |row| row.get(0))?;
            found.extend(question.map(|question| (*id, question)));
        }
        Ok(found)
    }

    fn uncued(&self, scope: &Scope, audience: Audience, after: Seq, limit: usize) -> Result<Vec<Record>, StoreError> {
        let (condition, mut values) = within(scope, self.tenant);
        let at = values.len();
        values.extend([
            Value::Integer(i64::from(audience == Audience::LocalModels)),
            Value::Integer(after.0 as i64),
            Value::Integer(limit as i64),
        ]);
        let sql = format!(
            "{} {condition} AND (?{} OR NOT m.sensitive) AND m.seq > ?{}
             AND NOT EXISTS (SELECT 1 FROM cued c WHERE c.namespace = ?1 AND c.seq = m.seq)
             ORDER BY m.seq LIMIT ?{}",
            row::SELECT,
            at + 1,
            at + 2,
            at + 3
        );
        self.rows(&sql, params_from_iter(&values), row::memory)
    }

    fn cue_stats(&self) -> Result<CueStats, StoreError> {
        let count =
            |sql: &str| -> Result<u64, StoreError> { Ok(self.row(sql, [self.tenant], |row| row.get(0))?.unwrap_or(0)) };
        let rows = counts::rows(RowKind::Questions);
        let questions = count(&format!("SELECT count(*) FROM (SELECT ?1 AS id) n, {rows}"))?;
        self.expect(RowKind::Questions, questions)?;
        Ok(CueStats {
            memories: count("SELECT count(*) FROM cued WHERE namespace = ?1")?,
            questions,
            vectors: self.counts_by_name(
                "SELECT e.name, count(*) FROM cue_vector v JOIN encoder e ON e.namespace = ?1 AND e.id = v.encoder
                 WHERE v.namespace = ?1 GROUP BY e.id",
            )?,
            sources: self.counts_by_name(
                "SELECT s.model || ', ' || s.prompt, count(*) FROM cued c
                 JOIN cue_source s ON s.namespace = ?1 AND s.id = c.source
                 WHERE c.namespace = ?1 GROUP BY s.id",
            )?,
        })
    }

    fn unembedded_cues(
        &self,
        encoder: &EncoderId,
        audience: Audience,
        after: CueId,
        limit: usize,
    ) -> Result<Vec<UnembeddedCue>, StoreError> {
        let (encoder, sees_all) = (self.encoder_number(Some(encoder))?, audience == Audience::LocalModels);
        let sql = "SELECT c.id, c.seq, c.part, c.question FROM cue c
                   JOIN memory m ON m.namespace = ?1 AND m.seq = c.seq AND (?3 OR NOT m.sensitive)
                   WHERE c.namespace = ?1 AND c.id > ?4
                   AND NOT EXISTS (SELECT 1 FROM cue_vector v WHERE v.namespace = ?1 AND v.encoder = ?2 AND v.id = c.id)
                   ORDER BY c.id LIMIT ?5";
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let found: Vec<(u64, u64, i64, String)> =
            self.rows(sql, params![self.tenant, encoder, sees_all, after.0, limit], row)?;
        let cue = |(id, seq, part, question)| {
            let text = if part == PASSAGE { self.cued_passage(Seq(seq))? } else { question };
            Ok(UnembeddedCue { id: CueId(id), text })
        };
        found.into_iter().map(cue).collect()
    }

    fn cue_vectors(&self, encoder: &EncoderId, ids: &[CueId]) -> Result<Option<Vectors>, StoreError> {
        let sql = "SELECT data FROM cue_vector WHERE namespace = ?1 AND encoder = ?2 AND id = ?3";
        self.blobs(encoder, sql, ids.iter().map(|id| (id.0, 0)))
    }

    fn feed_cues(
        &self,
        encoder: Option<&EncoderId>,
        (after, upto): (u64, u64),
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        let mut select = self.context.run(self.connection.prepare_cached(
            "SELECT c.id, c.seq, c.part, c.question, v.data FROM cue c
             LEFT JOIN cue_vector v ON v.namespace = ?1 AND v.encoder = ?2 AND v.id = c.id
             WHERE c.namespace = ?1 AND c.id > ?3 AND c.id <= ?4 ORDER BY c.id",
        ))?;
        let key = params![self.tenant, self.encoder_number(encoder)?, after, upto];
        let mut rows = self.context.run(select.query(key))?;
        let (mut vector, mut questions) = (Vec::new(), 0);
        while let Some(row) = self.context.run(rows.next())? {
            let cue = self.context.run(cue_row(row, &mut vector))?;
            questions += u64::from(matches!(cue.part, CuePart::Question(_)));
            sink.cue(cue)?;
        }
        Ok(questions)
    }

    fn insert_cued(&mut self, seq: Seq, source: &CueSource) -> Result<(), StoreError> {
        let source = self.source_number(source)?;
        let sql = "INSERT INTO cued (namespace, seq, source) VALUES (?1, ?2, ?3)";
        self.execute(sql, params![self.tenant, seq.0, source]).map(|_| ())
    }

    fn insert_cue(&mut self, id: CueId, seq: Seq, number: u64, part: CuePart<'_>) -> Result<(), StoreError> {
        let question = match part {
            CuePart::Passage => "",
            CuePart::Question(question) => question,
        };
        let sql = "INSERT INTO cue (namespace, id, seq, part, question) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.execute(sql, params![self.tenant, id.0, seq.0, number, question]).map(|_| ())
    }

    fn put_cue_vector(&mut self, encoder: &EncoderId, id: CueId, vector: &[f32]) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO cue_vector (namespace, encoder, id, data) VALUES (?1, ?2, ?3, ?4)";
        let number = self.known_encoder(encoder)?.number;
        self.execute(sql, params![self.tenant, number, id.0, vector_to_bytes(vector)]).map(|_| ())
    }

    fn advance_cues(&mut self, last: CueId, questions: u64) -> Result<(), StoreError> {
        let sql = "UPDATE namespace SET cues = ?2, questions = questions + ?3 WHERE id = ?1";
        self.execute(sql, params![self.tenant, last.0, questions])?;
        self.state.version.cues = last;
        Ok(())
    }

    fn delete_cues(&mut self, selection: Selection<'_>) -> Result<DeletedCues, StoreError> {
        let (chosen, values) = self.chosen(selection);
        let run = |sql: &str| self.execute(sql, params_from_iter(&values));
        let mut dropped = DroppedCues::default();
        let ids = format!("SELECT id FROM {OF_MEMORY} WHERE namespace = ?1 AND seq IN ({chosen})");
        let found: Vec<u64> = self.rows(&ids, params_from_iter(&values), |row| row.get(0))?;
        if !found.is_empty() {
            dropped.vectors = run(&format!("DELETE FROM cue_vector WHERE namespace = ?1 AND id IN ({ids})"))?;
            run(&format!("DELETE FROM {OF_MEMORY} WHERE namespace = ?1 AND part = {PASSAGE} AND seq IN ({chosen})"))?;
            dropped.questions = run(&format!("DELETE FROM {OF_MEMORY} WHERE namespace = ?1 AND seq IN ({chosen})"))?;
        }
        dropped.memories = run(&format!("DELETE FROM cued WHERE namespace = ?1 AND seq IN ({chosen})"))?;
        Ok(DeletedCues { dropped, ids: IdRanges::of(found) })
    }

    fn delete_unused_sources(&mut self) -> Result<(), StoreError> {
        self.source = None;
        let sql = "DELETE FROM cue_source WHERE namespace = ?1
                   AND NOT EXISTS (SELECT 1 FROM cued c WHERE c.namespace = ?1 AND c.source = cue_source.id)";
        self.execute(sql, [self.tenant]).map(|_| ())
    }
}

fn cue_row<'r>(row: &'r Row<'_>, vector: &'r mut Vec<f32>) -> rusqlite::Result<CueRow<'r>> {
    vector.clear();
    let blob = row.get_ref(4)?.as_blob_or_null()?;
    if let Some(blob) = blob {
        components_into(blob, vector);
    }
    let part = match row.get::<_, i64>(2)? {
        PASSAGE => CuePart::Passage,
        _ => CuePart::Question(row.get_ref(3)?.as_str()?),
    };
    Ok(CueRow { id: CueId(row.get(0)?), seq: Seq(row.get(1)?), part, vector: blob.map(|_| vector.as_slice()) })
}
