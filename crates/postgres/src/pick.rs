//! Candidates of one query, picked in the database: the best by words, the best by vectors, each with its whole session.
//!
//! The order that candidates are picked in is a rough one; their scores are core's.

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
};

use aforesaid_core::{
    StoreError,
    index::{CollectionStatistics, CueQuestions, HolderCount, LengthCount, VectorCandidates},
    lexical::Bm25,
    store::{CandidateQuery, CandidateSet, IndexSink, TitleRow},
    types::{CueId, EncoderId, Granularity, Scope},
};

use crate::{
    hnsw::{HnswIndex, HnswState},
    kept_text,
    lexical::{is_aside, pair_key, word_key},
    row,
    tables::NamespaceTables,
    value::{Value, values},
};

/// Memories that are read for one candidate of a leg, on average and at the most: each comes with its session.
const ROWS_A_CANDIDATE: usize = 4;

/// Texts that may hold the terms that candidates are picked by.
const HOLDERS_READ: usize = 100_000;

/// Turns on either side of a candidate that are read of a session that is too long to be read whole.
const AROUND: usize = 8;

/// Memories of a scope that are told by their positions.
const LISTED: usize = 100_000;

/// An index of vectors is used where a scope has one memory in so many, or more.
const FILTERED: usize = 8;

/// Names of speakers that are read.
const SPEAKERS: u64 = 1_000;

/// Memories whose vectors are read at once: so many are put in order without a file.
const AT_ONCE: usize = 1_024;

/// An index of vectors, what there is of it, and how many memories its namespace has.
pub(crate) type Tending = (HnswIndex, HnswState, u64);

/// SQL that keeps some of the memories `m`, and its values from `$2`.
#[derive(Clone)]
struct Condition {
    sql: String,
    values: Vec<Value>,
    form: Form,
}

/// How a condition keeps memories.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By what they are.
    Columns,
    /// By their positions, which are `$2`.
    Positions,
}

impl Condition {
    /// What a query may find.
    fn of(tables: &NamespaceTables<'_>, scope: &Scope, query: &CandidateQuery<'_>) -> Result<Self, StoreError> {
        let (mut sql, mut values) = tables.within(scope)?;
        if let Some(before) = query.before {
            values.push(before.0.into());
            sql.push_str(&format!(" AND m.seq < ${}", values.len() + 1));
        }
        Ok(Self { sql, values, form: Form::Columns })
    }

    /// The same by positions: what is few is looked up by key, where a plan might go through all.
    fn by_positions(self, tables: &NamespaceTables<'_>) -> Result<Self, StoreError> {
        let sql = format!("SELECT m.seq FROM @memory m WHERE m.tenant = $1 {}", self.sql);
        let positions = tables.positions_of(&sql, self.values)?;
        Ok(Self { sql: " AND m.seq = ANY($2)".to_owned(), values: values![positions], form: Form::Positions })
    }

    /// SQL that keeps rows of another table, by their position.
    fn on(&self, position: &str) -> String {
        match self.form {
            _ if self.sql.is_empty() => String::new(),
            Form::Positions => format!("AND {position} = ANY($2)"),
            Form::Columns => {
                format!("AND {position} IN (SELECT m.seq FROM @memory m WHERE m.tenant = $1 {})", self.sql)
            }
        }
    }

    /// The values with more, and the place of the first of these.
    fn with(&self, more: Vec<Value>) -> (Vec<Value>, usize) {
        let first = self.values.len() + 2;
        (self.values.iter().cloned().chain(more).collect(), first)
    }
}

impl NamespaceTables<'_> {
    /// Shows the candidates of a query; `depth` is how many the best of each leg are, and `tending` is set to what was seen
    /// of the index of its vectors.
    pub(crate) fn pick(
        &self,
        query: &CandidateQuery<'_>,
        depth: usize,
        tending: &Cell<Option<Tending>>,
        sink: &mut dyn IndexSink,
    ) -> Result<CandidateSet, StoreError> {
        let most = depth.saturating_mul(ROWS_A_CANDIDATE);
        let version = self.state.version;
        let speakers = self.speaker_names()?;
        let encoder = query.vector.map(|(encoder, _)| encoder);
        if let Some(all) = self.small_collection(query, most)? {
            sink.reset();
            self.feed_chosen(encoder, &all, sink)?;
            self.feed_cues_of(encoder, &all, sink)?;
            self.feed_titles_of(&all, sink)?;
            return Ok(CandidateSet { version, collection: None, speakers });
        }
        let mut condition = Condition::of(self, query.scope, query)?;
        let mut collection = self.count_collection(query, &condition)?;
        if !condition.sql.is_empty() && collection.candidates.texts <= LISTED {
            condition = condition.by_positions(self)?;
        }
        let by_words = self.best_by_words(query, &collection, &condition, depth)?;
        let by_vectors = match query.vector {
            None => Vec::new(),
            Some((encoder, vector)) => {
                match self.best_by_vectors((encoder, vector), &condition, (depth, &collection), tending)? {
                    None => {
                        collection.vectors = VectorCandidates::Unavailable;
                        Vec::new()
                    }
                    Some(best) => {
                        collection.vectors = VectorCandidates::Picked;
                        best
                    }
                }
            }
        };
        let include = query.include.map(|seq| seq.0 as i64);
        let rest = match by_vectors.is_empty() {
            true => self.first_of(query, &condition, depth)?,
            false => Vec::new(),
        };
        let candidates = include.into_iter().chain(in_turns(&by_words, &by_vectors)).chain(rest);
        let chosen = self.with_sessions(candidates, most)?;
        let encoder = encoder.filter(|_| collection.vectors == VectorCandidates::Picked);
        sink.reset();
        self.feed_chosen(encoder, &chosen, sink)?;
        self.feed_titles_of(&chosen, sink)?;
        if version.cues > CueId(0) {
            collection.cues = CueQuestions::LeftOut;
        }
        Ok(CandidateSet { version, collection: Some(collection), speakers })
    }

    /// Names of everyone who said something, of so many.
    pub(crate) fn speaker_names(&self) -> Result<Vec<String>, StoreError> {
        // From each name to the next, so that an index gives them without reading every memory.
        let sql = "WITH RECURSIVE names (name) AS (
                       SELECT min(l.speaker) FROM @lexical l WHERE l.tenant = $1
                       UNION ALL
                       SELECT (SELECT min(k.speaker) FROM @lexical k WHERE k.tenant = $1 AND k.speaker > names.name)
                       FROM names WHERE names.name IS NOT NULL
                   )
                   SELECT names.name FROM names WHERE names.name IS NOT NULL LIMIT $2";
        let rows = self.rows(sql, values![SPEAKERS])?;
        rows.iter().map(|row| Ok(kept_text::said(self.get(row, 0)?).into_owned())).collect()
    }

    /// All memories that term weights are measured on, where these are a conversation's or end at a place, and are few.
    fn small_collection(&self, query: &CandidateQuery<'_>, most: usize) -> Result<Option<Vec<i64>>, StoreError> {
        if query.scope.conversation.is_none() && query.before.is_none() {
            return Ok(None);
        }
        let measured = Scope { conversation: query.scope.conversation.clone(), ..Scope::default() };
        let condition = Condition::of(self, &measured, query)?;
        let (values, first) = condition.with(values![most + 1]);
        let sql =
            format!("SELECT m.seq FROM @memory m WHERE m.tenant = $1 {} ORDER BY m.seq LIMIT ${first}", condition.sql);
        let all = self.positions_of(&sql, values)?;
        Ok(Some(all).filter(|all| all.len() <= most))
    }

    fn positions_of(&self, sql: &str, values: Vec<Value>) -> Result<Vec<i64>, StoreError> {
        self.rows(sql, values)?.iter().map(|row| self.get(row, 0)).collect()
    }

    fn count_collection(
        &self,
        query: &CandidateQuery<'_>,
        condition: &Condition,
    ) -> Result<CollectionStatistics, StoreError> {
        let mut collection = CollectionStatistics::default();
        let sql = "SELECT x.terms, x.texts, x.turns, x.near, x.far FROM @length x WHERE x.tenant = $1 ORDER BY x.terms";
        for row in &self.rows(sql, values![])? {
            collection.lengths.push(LengthCount {
                terms: self.number(row, 0)? as u32,
                texts: self.number(row, 1)?,
                turns: self.number(row, 2)?,
                near: self.number(row, 3)?,
                far: self.number(row, 4)?,
            });
        }
        collection.sessions =
            self.count_of("SELECT count(*)::int8 FROM @session s WHERE s.tenant = $1", values![])? as usize;
        let keys: HashMap<i64, &String> = query.terms.iter().map(|term| (word_key(self.tenant, term), term)).collect();
        let sql = "SELECT t.key, t.texts, t.sessions FROM @term t WHERE t.tenant = $1 AND t.key = ANY($2)";
        for row in &self.rows(sql, values![keys.keys().copied().collect::<Vec<i64>>()])? {
            if let Some(term) = keys.get(&self.get(row, 0)?) {
                collection.terms.insert((*term).clone(), self.holder_count(row)?);
            }
        }
        let held = |term: &String| collection.terms.contains_key(term);
        let pairs = query.terms.windows(2).filter(|pair| pair.iter().all(held));
        let pairs: HashMap<i64, (&String, &String)> =
            pairs.map(|pair| (pair_key(self.tenant, &pair[0], &pair[1]), (&pair[0], &pair[1]))).collect();
        if !pairs.is_empty() {
            let sql = "SELECT q.key, count(*), count(DISTINCT l.session) FILTER (WHERE l.session <> 0)
                       FROM unnest($2::int8[]) AS q (key)
                       JOIN @lexical l ON l.tenant = $1 AND l.pairs && ARRAY[q.key] GROUP BY q.key";
            for row in &self.rows(sql, values![pairs.keys().copied().collect::<Vec<i64>>()])? {
                if let Some((first, second)) = pairs.get(&self.get(row, 0)?) {
                    let holders = self.holder_count(row)?;
                    collection.pairs.insert(((*first).clone(), (*second).clone()), holders);
                }
            }
        }
        collection.candidates = match condition.sql.is_empty() {
            true => HolderCount { texts: collection.texts(), sessions: collection.sessions },
            false => {
                let sql = format!(
                    "SELECT 0::int8, count(*), count(DISTINCT m.session) FILTER (WHERE m.session <> 0)
                     FROM @memory m WHERE m.tenant = $1 {}",
                    condition.sql
                );
                let row = self.row(&sql, condition.values.clone())?;
                row.map_or(Ok(HolderCount::default()), |row| self.holder_count(&row))?
            }
        };
        Ok(collection)
    }

    fn holder_count(&self, row: &tokio_postgres::Row) -> Result<HolderCount, StoreError> {
        Ok(HolderCount { texts: self.number(row, 1)? as usize, sessions: self.number(row, 2)? as usize })
    }

    /// Positions by the weights of the terms that they hold, as BM25 has it of texts that hold each once.
    fn best_by_words(
        &self,
        query: &CandidateQuery<'_>,
        collection: &CollectionStatistics,
        condition: &Condition,
        depth: usize,
    ) -> Result<Vec<i64>, StoreError> {
        let terms = collection.selective_terms(query.terms, HOLDERS_READ);
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<i64> = terms.iter().map(|(term, _)| word_key(self.tenant, term)).collect();
        let weights: Vec<f64> = terms.iter().map(|(_, weight)| *weight).collect();
        let Bm25 { k1, b } = Bm25::default();
        let mut more = values![keys];
        more.push(Value::Reals64(weights));
        more.extend(values![1.0 + k1 * (1.0 - b), k1 * b / collection.mean_length(), depth]);
        let (values, first) = condition.with(more);
        let [keys, weights, base, each, limit]: [String; 5] = std::array::from_fn(|i| format!("${}", first + i));
        let sql = format!(
            "SELECT l.seq FROM unnest({keys}::int8[], {weights}::float8[]) AS q (key, weight)
             JOIN @lexical l ON l.tenant = $1 AND l.words && ARRAY[q.key] {}
             GROUP BY l.seq, l.terms ORDER BY sum(q.weight) / ({base} + {each} * l.terms) DESC, l.seq LIMIT {limit}",
            condition.on("l.seq")
        );
        self.positions_of(&sql, values)
    }

    /// Positions by the distance of the nearest of their vectors; `None` where the database cannot compare vectors.
    fn best_by_vectors(
        &self,
        (encoder, vector): (&EncoderId, &[f32]),
        condition: &Condition,
        (depth, collection): (usize, &CollectionStatistics),
        tending: &Cell<Option<Tending>>,
    ) -> Result<Option<Vec<i64>>, StoreError> {
        let Some(pgvector) = self.connection.pgvector() else { return Ok(None) };
        let Some(known) = self.encoder(encoder)? else { return Ok(Some(Vec::new())) };
        if !self.has_halves(known.number) {
            return Ok(None);
        }
        if known.dim != vector.len() {
            return Ok(Some(Vec::new()));
        }
        let index = HnswIndex { tenant: self.tenant, encoder: known.number, dim: known.dim };
        let state = index.state(self.connection, self.context)?;
        tending.set(Some((index, state, self.derived.memories)));
        let candidates = collection.candidates.texts;
        // Few that are spread over an index cost more to find by it than to compare.
        let is_most = candidates.saturating_mul(FILTERED) >= collection.texts();
        if state == HnswState::Ready && is_most {
            let (on, values) = (condition.on("h.seq"), condition.values.clone());
            let found = distinct(self.nearest_by_index(index, vector, (&on, values), depth)?);
            // Too few, and there are more: they are compared one by one.
            if found.len() >= depth.min(candidates) {
                return Ok(Some(found));
            }
        }
        let mut more = values![known.number];
        more.push(Value::Reals(vector.to_vec()));
        more.push(depth.into());
        let (values, first) = condition.with(more);
        let sql = format!(
            "SELECT h.seq FROM @half h WHERE h.tenant = $1 AND h.encoder = ${first} {}
             ORDER BY h.data {} CAST(${} AS {}) LIMIT ${}",
            condition.on("h.seq"),
            pgvector.distance(),
            first + 1,
            pgvector.halfvec(),
            first + 2,
        );
        Ok(Some(distinct(self.positions_of(&sql, values)?)))
    }

    /// The first that may be found, or one of each of the first sessions. Where words alone pick, core fuses these with those
    /// that hold a word: scores are measured against others that do not.
    fn first_of(
        &self,
        query: &CandidateQuery<'_>,
        condition: &Condition,
        depth: usize,
    ) -> Result<Vec<i64>, StoreError> {
        let (values, first) = condition.with(values![depth]);
        let on = condition.on("l.seq");
        let sql = match query.unit {
            Granularity::Turn => {
                format!("SELECT l.seq FROM @lexical l WHERE l.tenant = $1 {on} ORDER BY l.seq LIMIT ${first}")
            }
            Granularity::Session => format!(
                "SELECT f.seq FROM (SELECT s.id FROM @session s WHERE s.tenant = $1 ORDER BY s.id LIMIT ${first}) AS s
                 CROSS JOIN LATERAL (
                     SELECT l.seq FROM @lexical l WHERE l.tenant = $1 AND l.session = s.id {on} ORDER BY l.seq LIMIT 1
                 ) AS f"
            ),
        };
        self.positions_of(&sql, values)
    }

    /// Candidates and all turns of their sessions, ascending: so many at the most, more or less. Of a session that does not
    /// fit, the turns around the candidate.
    fn with_sessions(&self, candidates: impl Iterator<Item = i64>, most: usize) -> Result<Vec<i64>, StoreError> {
        let candidates: Vec<i64> = candidates.collect();
        let sql = "SELECT l.seq, l.session FROM @lexical l WHERE l.tenant = $1 AND l.seq = ANY($2)";
        let mut session_of: HashMap<i64, i64> = HashMap::with_capacity(candidates.len());
        for row in &self.rows(sql, values![candidates.clone()])? {
            session_of.insert(self.get(row, 0)?, self.get(row, 1)?);
        }
        let mut sessions: Vec<i64> = session_of.values().copied().filter(|session| *session != 0).collect();
        sessions.sort_unstable();
        sessions.dedup();
        let sql = "SELECT l.session, l.seq, l.speaker FROM @lexical l WHERE l.tenant = $1 AND l.session = ANY($2)";
        let mut turns_of: HashMap<i64, Vec<i64>> = HashMap::with_capacity(sessions.len());
        let mut asides: HashSet<i64> = HashSet::new();
        for row in &self.rows(sql, values![sessions])? {
            let turn = self.get(row, 1)?;
            turns_of.entry(self.get(row, 0)?).or_default().push(turn);
            if is_aside(row::said(self.context, row, 2)?.as_deref()) {
                asides.insert(turn);
            }
        }
        turns_of.values_mut().for_each(|turns| turns.sort_unstable());
        let mut chosen: HashSet<i64> = HashSet::new();
        for candidate in candidates {
            if chosen.len() >= most {
                break;
            }
            let Some(session) = session_of.get(&candidate) else { continue };
            let own = [candidate];
            let all = turns_of.get(session).map_or(&own[..], |turns| &turns[..]);
            match chosen.len() + all.len() <= most {
                true => chosen.extend(all),
                false => chosen.extend(around(all, candidate, |turn| asides.contains(turn))),
            }
        }
        let mut chosen: Vec<i64> = chosen.into_iter().collect();
        chosen.sort_unstable();
        Ok(chosen)
    }

    fn feed_chosen(
        &self,
        encoder: Option<&EncoderId>,
        chosen: &[i64],
        sink: &mut dyn IndexSink,
    ) -> Result<(), StoreError> {
        chosen.chunks(AT_ONCE).try_for_each(|chosen| {
            self.feed_rows(encoder, "AND m.seq = ANY($3)", values![chosen.to_vec()], sink).map(|_| ())
        })
    }

    fn feed_cues_of(
        &self,
        encoder: Option<&EncoderId>,
        chosen: &[i64],
        sink: &mut dyn IndexSink,
    ) -> Result<(), StoreError> {
        match self.state.version.cues > CueId(0) {
            true => self.feed_cue_rows(encoder, "AND q.seq = ANY($3)", values![chosen.to_vec()], sink).map(|_| ()),
            false => Ok(()),
        }
    }

    fn feed_titles_of(&self, chosen: &[i64], sink: &mut dyn IndexSink) -> Result<(), StoreError> {
        if sink.titles_upto().is_none() {
            return Ok(());
        }
        let sql = "SELECT s.id, c.name, s.name, s.title FROM @session s
                   JOIN @conversation c ON c.tenant = $1 AND c.id = s.conversation
                   WHERE s.tenant = $1 AND s.title IS NOT NULL AND s.id IN (
                       SELECT l.session FROM @lexical l WHERE l.tenant = $1 AND l.seq = ANY($2)
                   ) ORDER BY s.id";
        for row in &self.rows(sql, values![chosen.to_vec()])? {
            let title = kept_text::said(self.get(row, 3)?);
            sink.title(TitleRow {
                number: self.number(row, 0)?,
                conversation: self.get(row, 1)?,
                session: self.get(row, 2)?,
                title: &title,
            });
        }
        Ok(())
    }
}

/// Turns of a session, in order, that stand near one of them, and itself; what stands aside is near none.
fn around(turns: &[i64], candidate: i64, is_aside: impl Fn(&i64) -> bool) -> Vec<i64> {
    if is_aside(&candidate) {
        return vec![candidate];
    }
    let said: Vec<i64> = turns.iter().copied().filter(|turn| !is_aside(turn)).collect();
    let place = said.partition_point(|turn| *turn < candidate);
    said[place.saturating_sub(AROUND)..said.len().min(place + AROUND + 1)].to_vec()
}

/// Positions without repeats: a text may have several vectors.
fn distinct(mut positions: Vec<i64>) -> Vec<i64> {
    let mut seen = HashSet::new();
    positions.retain(|seq| seen.insert(*seq));
    positions
}

/// The best of both, then the second of both, and so on.
fn in_turns<'p>(first: &'p [i64], second: &'p [i64]) -> impl Iterator<Item = i64> + 'p {
    let longest = first.len().max(second.len());
    (0..longest).flat_map(|place| first.get(place).into_iter().chain(second.get(place))).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_of_two_legs_take_turns() {
        assert_eq!(in_turns(&[1, 2, 3], &[9]).collect::<Vec<_>>(), [1, 9, 2, 3]);
        assert_eq!(distinct(vec![4, 2, 4, 1, 2]), [4, 2, 1]);
    }

    #[test]
    fn of_a_long_session_the_turns_around_are_read() {
        let turns: Vec<i64> = (1..=100).map(|turn| 10 * turn).collect();
        let said = |_: &i64| false;
        assert_eq!(around(&turns, 10, said), &turns[..9]);
        assert_eq!(around(&turns, 500, said), &turns[41..58]);
        assert_eq!(around(&turns, 1_000, said), &turns[91..]);
        let aside = |turn: &i64| turn % 20 == 0;
        assert_eq!(around(&turns, 10, aside), [10, 30, 50, 70, 90, 110, 130, 150, 170]);
        assert_eq!(around(&turns, 500, aside), [500]);
    }
}
