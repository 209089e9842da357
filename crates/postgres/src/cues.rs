//! Cue questions and their vectors: rows under (tenant, id), gone with their memory.

use std::collections::{BTreeMap, HashMap};

use aforesaid_core::{
    StoreError,
    store::{
        Audience, CuePart, CueRow, CueStats, DroppedCues, IdRanges, IndexSink, UnembeddedCue,
        tables::{CueTable, DeletedCues, MemoryTable, RowKind, Selection, components_into, vector_to_bytes},
    },
    types::{CueId, CueSource, Cues, EncoderId, Record, Scope, Seq, Vectors, cued_passage},
};

use crate::{
    kept_text, row,
    tables::NamespaceTables,
    value::{Value, number, values},
};

/// The part of a cue that is no question: the text with all of them. Questions count from 1.
const PASSAGE: i64 = 0;

impl NamespaceTables<'_> {
    fn said(&self, row: &tokio_postgres::Row, column: usize) -> Result<String, StoreError> {
        Ok(row::said(self.context, row, column)?.unwrap_or_default())
    }

    fn questions_of(&self, positions: &[Seq]) -> Result<HashMap<u64, Vec<String>>, StoreError> {
        let sql = "SELECT q.seq, q.question FROM @cue q
                   WHERE q.tenant = $1 AND q.seq = ANY($2) AND q.part > 0 ORDER BY q.seq, q.part";
        let mut questions: HashMap<u64, Vec<String>> = HashMap::new();
        for row in &self.rows(sql, values![positions])? {
            questions.entry(self.number(row, 0)?).or_default().push(self.said(row, 1)?);
        }
        Ok(questions)
    }

    fn cued_passage(&self, seq: Seq) -> Result<String, StoreError> {
        let memories = self.fetch(&[seq])?;
        let passage = memories.first().map(Record::passage).unwrap_or_default();
        let questions = self.questions_of(&[seq])?.remove(&seq.0).unwrap_or_default();
        Ok(cued_passage(&passage, questions.iter().map(String::as_str)))
    }

    /// The number of a source, which gets a row where it has none.
    fn source_number(&mut self, source: &CueSource) -> Result<i64, StoreError> {
        if let Some((_, number)) = self.source.as_ref().filter(|(known, _)| known == source) {
            return Ok(*number);
        }
        let key = || vec![Value::said(&source.model), Value::said(&source.prompt)];
        let known = "SELECT k.id FROM @cue_source k WHERE k.tenant = $1 AND k.model = $2 AND k.prompt = $3";
        let number = match self.row(known, key())? {
            Some(row) => self.get(&row, 0)?,
            None => {
                let last = "SELECT coalesce(max(k.id), 0)::int8 FROM @cue_source k WHERE k.tenant = $1";
                let number = number(self.count_of(last, values![])?) + 1;
                let sql = "INSERT INTO @cue_source (tenant, model, prompt, id) VALUES ($1, $2, $3, $4)";
                let mut values = key();
                values.push(number.into());
                self.send(sql, values)?;
                number
            }
        };
        self.source = Some((source.clone(), number));
        Ok(number)
    }

    /// Shows cues under a condition, whose values begin at `$3`, to an index; says how many questions are among them.
    pub(crate) fn feed_cue_rows(
        &self,
        encoder: Option<&EncoderId>,
        condition: &str,
        values: Vec<Value>,
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT q.id, q.seq, q.part, q.question, v.data FROM @cue q
             LEFT JOIN @cue_vector v ON v.tenant = $1 AND v.encoder = $2 AND v.id = q.id
             WHERE q.tenant = $1 {condition} ORDER BY q.id"
        );
        let mut all = values![self.encoder_number(encoder)?];
        all.extend(values);
        let mut rows = self.stream(&sql, all)?;
        let (mut vector, mut questions) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            vector.clear();
            let blob: Option<&[u8]> = self.get(&row, 4)?;
            if let Some(blob) = blob {
                components_into(blob, &mut vector);
            }
            let question = kept_text::said(self.get(&row, 3)?);
            let part = match self.get::<i64>(&row, 2)? {
                PASSAGE => CuePart::Passage,
                _ => CuePart::Question(&question),
            };
            questions += u64::from(matches!(part, CuePart::Question(_)));
            sink.cue(CueRow {
                id: CueId(self.number(&row, 0)?),
                seq: Seq(self.number(&row, 1)?),
                part,
                vector: blob.map(|_| vector.as_slice()),
            })?;
        }
        Ok(questions)
    }

    fn counts_by_name(&self, sql: &str) -> Result<BTreeMap<String, u64>, StoreError> {
        self.rows(sql, values![])?.iter().map(|row| Ok((self.said(row, 0)?, self.number(row, 1)?))).collect()
    }
}

impl CueTable for NamespaceTables<'_> {
    fn has_cue(&self, id: CueId) -> Result<bool, StoreError> {
        Ok(self.row("SELECT 1::int8 FROM @cue q WHERE q.tenant = $1 AND q.id = $2", values![id.0])?.is_some())
    }

    fn cues(&self, positions: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError> {
        let sql = "SELECT d.seq, k.model, k.prompt FROM @cued d
                   JOIN @cue_source k ON k.tenant = $1 AND k.id = d.source
                   WHERE d.tenant = $1 AND d.seq = ANY($2)";
        let mut sources = HashMap::new();
        for row in &self.rows(sql, values![positions])? {
            let source = CueSource { model: self.said(row, 1)?, prompt: self.said(row, 2)? };
            sources.insert(self.number(row, 0)?, source);
        }
        let questions = self.questions_of(positions)?;
        let cues = |seq: &Seq| {
            let source = sources.get(&seq.0)?.clone();
            Some(Cues { source, questions: questions.get(&seq.0).cloned().unwrap_or_default() })
        };
        Ok(positions.iter().map(cues).collect())
    }

    fn questions(&self, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError> {
        let sql = "SELECT q.id, q.question FROM @cue q WHERE q.tenant = $1 AND q.id = ANY($2) AND q.part > 0";
        let keys: Vec<i64> = ids.iter().map(|id| number(id.0)).collect();
        let mut found = HashMap::new();
        for row in &self.rows(sql, values![keys])? {
            found.insert(CueId(self.number(row, 0)?), self.said(row, 1)?);
        }
        Ok(ids.iter().filter_map(|id| Some((*id, found.get(id)?.clone()))).collect())
    }

    fn uncued(&self, scope: &Scope, audience: Audience, after: Seq, limit: usize) -> Result<Vec<Record>, StoreError> {
        let (condition, mut values) = self.within(scope)?;
        let at = values.len() + 1;
        values.extend(values![audience == Audience::LocalModels, after.0, limit]);
        let condition = format!(
            "{condition} AND (${} OR NOT m.sensitive) AND m.seq > ${}
             AND NOT EXISTS (SELECT 1 FROM @cued d WHERE d.tenant = $1 AND d.seq = m.seq) ORDER BY m.seq LIMIT ${}",
            at + 1,
            at + 2,
            at + 3
        );
        self.memories(&condition, values)
    }

    fn cue_stats(&self) -> Result<CueStats, StoreError> {
        let questions = "SELECT count(*)::int8 FROM @cue q WHERE q.tenant = $1 AND q.part > 0";
        let questions = self.count_of(questions, values![])?;
        self.expect(RowKind::Questions, questions)?;
        Ok(CueStats {
            memories: self.count_of("SELECT count(*)::int8 FROM @cued d WHERE d.tenant = $1", values![])?,
            questions,
            vectors: self.counts_by_name(
                "SELECT e.name, count(*)::int8 FROM @cue_vector v
                 JOIN @encoder e ON e.tenant = $1 AND e.id = v.encoder
                 WHERE v.tenant = $1 GROUP BY e.id, e.name",
            )?,
            sources: self.counts_by_name(
                "SELECT k.model || ', ' || k.prompt, count(*)::int8 FROM @cued d
                 JOIN @cue_source k ON k.tenant = $1 AND k.id = d.source
                 WHERE d.tenant = $1 GROUP BY k.id, k.model, k.prompt",
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
        let sql = "SELECT q.id, q.seq, q.part, q.question FROM @cue q
                   JOIN @memory m ON m.tenant = $1 AND m.seq = q.seq AND ($3 OR NOT m.sensitive)
                   WHERE q.tenant = $1 AND q.id > $4
                   AND NOT EXISTS (
                       SELECT 1 FROM @cue_vector v WHERE v.tenant = $1 AND v.encoder = $2 AND v.id = q.id
                   )
                   ORDER BY q.id LIMIT $5";
        let rows = self.rows(sql, values![encoder, sees_all, after.0, limit])?;
        let cue = |row| {
            let text = match self.get::<i64>(row, 2)? {
                PASSAGE => self.cued_passage(Seq(self.number(row, 1)?))?,
                _ => self.said(row, 3)?,
            };
            Ok(UnembeddedCue { id: CueId(self.number(row, 0)?), text })
        };
        rows.iter().map(cue).collect()
    }

    fn cue_vectors(&self, encoder: &EncoderId, ids: &[CueId]) -> Result<Option<Vectors>, StoreError> {
        let sql = "SELECT v.id, v.data FROM @cue_vector v WHERE v.tenant = $1 AND v.encoder = $2 AND v.id = ANY($3)";
        let places: Vec<(i64, usize)> = ids.iter().map(|id| (number(id.0), 0)).collect();
        self.blobs(encoder, sql, &places)
    }

    fn feed_cues(
        &self,
        encoder: Option<&EncoderId>,
        (after, upto): (u64, u64),
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        self.feed_cue_rows(encoder, "AND q.id > $3 AND q.id <= $4", values![after, upto], sink)
    }

    fn insert_cued(&mut self, seq: Seq, source: &CueSource) -> Result<(), StoreError> {
        let source = self.source_number(source)?;
        self.send("INSERT INTO @cued (tenant, seq, source) VALUES ($1, $2, $3)", values![seq.0, source])
    }

    fn insert_cue(&mut self, id: CueId, seq: Seq, number: u64, part: CuePart<'_>) -> Result<(), StoreError> {
        let question = match part {
            CuePart::Passage => "",
            CuePart::Question(question) => question,
        };
        let mut values = values![id.0, seq.0, number];
        values.push(Value::said(question));
        self.send("INSERT INTO @cue (tenant, id, seq, part, question) VALUES ($1, $2, $3, $4, $5)", values)
    }

    fn put_cue_vector(&mut self, encoder: &EncoderId, id: CueId, vector: &[f32]) -> Result<(), StoreError> {
        let sql = "INSERT INTO @cue_vector (tenant, encoder, id, data) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (tenant, encoder, id) DO UPDATE SET data = excluded.data";
        self.send(sql, values![self.known_encoder(encoder)?.number, id.0, vector_to_bytes(vector)])
    }

    fn advance_cues(&mut self, last: CueId, questions: u64) -> Result<(), StoreError> {
        let sql = "UPDATE @namespace n SET cues = $2, questions = n.questions + $3 WHERE n.tenant = $1";
        self.send(sql, values![last.0, questions])?;
        self.state.version.cues = last;
        Ok(())
    }

    fn delete_cues(&mut self, selection: Selection<'_>) -> Result<DeletedCues, StoreError> {
        let (condition, values) = self.condition(selection)?;
        let chosen = format!("SELECT m.seq FROM @memory m WHERE m.tenant = $1 {condition}");
        let ids = format!("SELECT q.id FROM @cue q WHERE q.tenant = $1 AND q.seq IN ({chosen})");
        let found = self.rows(&ids, values.clone())?;
        let found = found.iter().map(|row| self.number(row, 0)).collect::<Result<Vec<u64>, _>>()?;
        let run = |sql: String| self.execute(&sql, values.clone());
        let mut dropped = DroppedCues::default();
        if !found.is_empty() {
            dropped.vectors = run(format!("DELETE FROM @cue_vector v WHERE v.tenant = $1 AND v.id IN ({ids})"))?;
            run(format!("DELETE FROM @cue q WHERE q.tenant = $1 AND q.part = {PASSAGE} AND q.seq IN ({chosen})"))?;
            dropped.questions = run(format!("DELETE FROM @cue q WHERE q.tenant = $1 AND q.seq IN ({chosen})"))?;
            let sql = "UPDATE @namespace n SET questions = n.questions - $2 WHERE n.tenant = $1";
            self.send(sql, values![dropped.questions])?;
        }
        dropped.memories = run(format!("DELETE FROM @cued d WHERE d.tenant = $1 AND d.seq IN ({chosen})"))?;
        Ok(DeletedCues { dropped, ids: IdRanges::of(found) })
    }

    fn delete_unused_sources(&mut self) -> Result<(), StoreError> {
        self.source = None;
        let sql = "DELETE FROM @cue_source k WHERE k.tenant = $1
                   AND NOT EXISTS (SELECT 1 FROM @cued d WHERE d.tenant = $1 AND d.source = k.id)";
        self.send(sql, values![])
    }
}
