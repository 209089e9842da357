//! Terms of the memories of a namespace that is searched in the database, and what is counted of them.
//!
//! They are derived from the texts by core's analyzer, and kept as 64-bit hashes of namespace and term: a GIN index over
//! them begins with the namespace without an extension, and holds nothing that was said. A namespace that is held in
//! memory has none. Counts change with the rows, in their transaction: those of every session that changes are taken off
//! as it was, and added as it is.

use std::collections::BTreeMap;

use aforesaid_core::{
    StoreError,
    analysis::{Analysis, Analyzer, SpeakerName},
    index::terms_fingerprint,
    store::tables::NO_GROUP,
    types::passage,
};
use sha2::{Digest, Sha256};
use tokio_postgres::Row;

use crate::{
    row,
    tables::NamespaceTables,
    value::{Tenant, Value, values},
};

/// What made the terms.
pub(crate) const ANALYZER: Analyzer = Analyzer::English;

/// Memories whose terms are derived in one transaction of their own.
pub(crate) const AT_ONCE: usize = 2_048;

/// Memories whose terms are derived in the transaction that adds them, at the most; those of a large import follow.
const WITH_CHANGE: u64 = 16_384;

/// How far what is derived has come, as the row of a namespace says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Derived {
    /// What made the terms; `None` where there are none.
    pub(crate) maker: Option<String>,
    /// The last position that has terms.
    pub(crate) upto: u64,
    /// The encoder, by number, whose vectors are kept in half precision, too.
    pub(crate) half_encoder: Option<i64>,
    /// The last position of which that is so, while they are made.
    pub(crate) half_upto: u64,
    /// Whether that is so of all.
    pub(crate) half_whole: bool,
    /// Memories of the namespace when the row was read.
    pub(crate) memories: u64,
}

/// The terms of one memory.
struct Terms {
    seq: i64,
    session: i64,
    /// How many, repeats included.
    count: i64,
    /// Whether a tool did it, which stands aside of what is said.
    is_aside: bool,
    /// Each once, as keys.
    words: Vec<i64>,
    /// Two side by side, each pair once, as keys.
    pairs: Vec<i64>,
    speaker: Value,
}

/// What changes of the counts of a namespace.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Texts and sessions by word.
    words: BTreeMap<i64, [i64; 2]>,
    /// Texts, turns, and terms of neighbours one and two places away, by length.
    lengths: BTreeMap<i64, [i64; 4]>,
}

/// The key of a term of a namespace.
pub(crate) fn word_key(tenant: Tenant, term: &str) -> i64 {
    key(tenant, &["w", term])
}

/// The key of two terms side by side.
pub(crate) fn pair_key(tenant: Tenant, first: &str, second: &str) -> i64 {
    key(tenant, &["p", first, second])
}

/// Whether what this speaker says stands aside of what is said in a session.
pub(crate) fn is_aside(speaker: Option<&str>) -> bool {
    speaker.is_some_and(|name| SpeakerName::new(name).is_tool())
}

fn key(tenant: Tenant, parts: &[&str]) -> i64 {
    let mut hash = Sha256::new().chain_update(tenant.bytes());
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    i64::from_le_bytes(std::array::from_fn(|i| digest[i]))
}

impl Counts {
    /// Adds the turns of a session, in order, or with `by` -1 takes them off. What stands aside is nobody's neighbour.
    fn session(&mut self, turns: &[&Terms], by: i64) {
        let (asides, said): (Vec<&Terms>, Vec<&Terms>) = turns.iter().partition(|turn| turn.is_aside);
        let at = |place: Option<usize>| place.and_then(|place| said.get(place)).map_or(0, |turn| turn.count);
        let mut held: Vec<i64> = Vec::new();
        for turn in asides {
            self.text(turn, [by, by, 0, 0]);
            held.extend(&turn.words);
        }
        for (place, turn) in said.iter().enumerate() {
            let near = at(place.checked_sub(1)) + at(Some(place + 1));
            let far = at(place.checked_sub(2)) + at(Some(place + 2));
            self.text(turn, [by, by, by * near, by * far]);
            held.extend(&turn.words);
        }
        held.sort_unstable();
        held.dedup();
        held.into_iter().for_each(|word| self.words.entry(word).or_default()[1] += by);
    }

    /// Adds one text as it counts by its length, and its words.
    fn text(&mut self, text: &Terms, by: [i64; 4]) {
        text.words.iter().for_each(|word| self.words.entry(*word).or_default()[0] += by[0]);
        let length = self.lengths.entry(text.count).or_default();
        length.iter_mut().zip(by).for_each(|(sum, by)| *sum += by);
    }

    /// Adds texts, which are whole sessions in order of session and position, and notes.
    fn all<'t>(&mut self, texts: impl IntoIterator<Item = &'t Terms>, by: i64) {
        let mut sessions: BTreeMap<i64, Vec<&Terms>> = BTreeMap::new();
        for text in texts {
            match text.session == 0 {
                true => self.text(text, [by, 0, 0, 0]),
                false => sessions.entry(text.session).or_default().push(text),
            }
        }
        sessions.values_mut().for_each(|turns| {
            turns.sort_by_key(|turn| turn.seq);
            self.session(turns, by);
        });
    }
}

impl NamespaceTables<'_> {
    /// Whether every memory has its terms.
    pub(crate) fn has_terms(&self) -> bool {
        self.derived.maker.as_deref() == Some(terms_fingerprint()) && self.derived.upto == self.state.version.last.0
    }

    /// Derives terms of memories that were added in this transaction, if those before have theirs.
    pub(crate) fn follow_terms(&mut self, last_before: u64) -> Result<(), StoreError> {
        let Self { state, derived, .. } = self;
        let is_complete = derived.maker.as_deref() == Some(terms_fingerprint()) && derived.upto == last_before;
        if !is_complete || state.version.last.0.saturating_sub(last_before) > WITH_CHANGE {
            return Ok(());
        }
        while self.derived.upto < self.state.version.last.0 {
            self.derive_terms(AT_ONCE)?;
        }
        Ok(())
    }

    /// Derives terms of up to `limit` memories that have none yet.
    pub(crate) fn derive_terms(&mut self, limit: usize) -> Result<(), StoreError> {
        if self.derived.maker.as_deref() != Some(terms_fingerprint()) {
            for table in ["lexical", "term", "length"] {
                self.send(&format!("DELETE FROM @{table} x WHERE x.tenant = $1"), values![])?;
            }
            let sql = "UPDATE @namespace n SET lexical_maker = $2, lexical_upto = 0 WHERE n.tenant = $1";
            self.send(sql, values![terms_fingerprint()])?;
            (self.derived.maker, self.derived.upto) = (Some(terms_fingerprint().to_owned()), 0);
        }
        let sql = "SELECT m.seq, m.session, m.speaker, m.text, m.image_caption FROM @memory m
                   WHERE m.tenant = $1 AND m.seq > $2 ORDER BY m.seq LIMIT $3";
        let rows = self.rows(sql, values![self.derived.upto, limit])?;
        let mut analysis = ANALYZER.session();
        let new = rows.iter().map(|row| self.terms_of(row, &mut analysis)).collect::<Result<Vec<_>, _>>()?;
        let upto = match new.last() {
            Some(last) if new.len() == limit => last.seq.unsigned_abs(),
            _ => self.state.version.last.0,
        };
        let before = self.terms_in(new.iter().map(|text| text.session))?;
        let mut counts = Counts::default();
        counts.all(&before, -1);
        counts.all(before.iter().chain(&new), 1);
        for text in new {
            let mut all = values![text.seq, text.session];
            all.push(text.speaker);
            all.extend(values![text.count, text.words, text.pairs]);
            let sql = "INSERT INTO @lexical (tenant, seq, session, speaker, terms, words, pairs)
                       VALUES ($1, $2, $3, $4, $5, $6, $7)";
            self.send(sql, all)?;
        }
        self.put_counts(&counts)?;
        self.send("UPDATE @namespace n SET lexical_upto = $2 WHERE n.tenant = $1", values![upto])?;
        self.derived.upto = upto;
        Ok(())
    }

    /// Deletes the terms of memories under a condition, which are there still, and what is counted of them.
    pub(crate) fn delete_terms(&self, condition: &str, values: &[Value]) -> Result<(), StoreError> {
        if self.derived.maker.is_none() {
            return Ok(());
        }
        let chosen = format!("SELECT m.seq FROM @memory m WHERE m.tenant = $1 {condition}");
        let gone = format!(
            "SELECT l.seq, l.session, l.terms, l.words, l.speaker FROM @lexical l WHERE l.tenant = $1 AND l.seq IN ({chosen})"
        );
        let gone = self.rows(&gone, values.to_vec())?;
        let gone = gone.iter().map(|row| self.kept_terms(row)).collect::<Result<Vec<_>, _>>()?;
        if gone.is_empty() {
            return Ok(());
        }
        let before = self.terms_in(gone.iter().map(|text| text.session))?;
        let positions: std::collections::HashSet<i64> = gone.iter().map(|text| text.seq).collect();
        let mut counts = Counts::default();
        counts.all(before.iter().chain(gone.iter().filter(|text| text.session == 0)), -1);
        counts.all(before.iter().filter(|text| !positions.contains(&text.seq)), 1);
        let sql = format!("DELETE FROM @lexical l WHERE l.tenant = $1 AND l.seq IN ({chosen})");
        self.send(&sql, values.to_vec())?;
        self.put_counts(&counts)
    }

    fn terms_of(&self, row: &Row, analysis: &mut Analysis) -> Result<Terms, StoreError> {
        let said = |column| row::said(self.context, row, column);
        let (speaker, text, caption) = (said(2)?, said(3)?.unwrap_or_default(), said(4)?);
        let mut terms: Vec<String> = Vec::new();
        analysis
            .terms(&passage(speaker.as_deref(), &text, caption.as_deref()), &mut |term| terms.push(term.to_owned()));
        let distinct = |mut keys: Vec<i64>| {
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        Ok(Terms {
            seq: self.get(row, 0)?,
            session: self.get(row, 1)?,
            count: terms.len() as i64,
            is_aside: is_aside(speaker.as_deref()),
            words: distinct(terms.iter().map(|term| word_key(self.tenant, term)).collect()),
            pairs: distinct(terms.windows(2).map(|pair| pair_key(self.tenant, &pair[0], &pair[1])).collect()),
            speaker: Value::said_if(speaker.as_deref()),
        })
    }

    /// Terms as they were kept; what stood side by side is not counted.
    fn kept_terms(&self, row: &Row) -> Result<Terms, StoreError> {
        Ok(Terms {
            seq: self.get(row, 0)?,
            session: self.get(row, 1)?,
            count: self.get(row, 2)?,
            words: self.get(row, 3)?,
            is_aside: is_aside(row::said(self.context, row, 4)?.as_deref()),
            pairs: Vec::new(),
            speaker: Value::Text(None),
        })
    }

    /// The kept terms of all turns of some sessions.
    fn terms_in(&self, sessions: impl Iterator<Item = i64>) -> Result<Vec<Terms>, StoreError> {
        let mut sessions: Vec<i64> = sessions.filter(|session| *session != NO_GROUP as i64).collect();
        sessions.sort_unstable();
        sessions.dedup();
        if sessions.is_empty() {
            return Ok(Vec::new());
        }
        let sql = "SELECT l.seq, l.session, l.terms, l.words, l.speaker FROM @lexical l WHERE l.tenant = $1 AND l.session = ANY($2)";
        self.rows(sql, values![sessions])?.iter().map(|row| self.kept_terms(row)).collect()
    }

    fn put_counts(&self, counts: &Counts) -> Result<(), StoreError> {
        let words: Vec<(i64, [i64; 2])> =
            counts.words.iter().filter(|(_, by)| **by != [0, 0]).map(|(word, by)| (*word, *by)).collect();
        if !words.is_empty() {
            let column = |of: fn(&(i64, [i64; 2])) -> i64| words.iter().map(of).collect::<Vec<i64>>();
            let sql = "INSERT INTO @term (tenant, key, texts, sessions)
                       SELECT $1, d.key, d.texts, d.sessions FROM unnest($2::int8[], $3::int8[], $4::int8[])
                           AS d (key, texts, sessions)
                       ON CONFLICT (tenant, key) DO UPDATE
                       SET texts = term.texts + excluded.texts, sessions = term.sessions + excluded.sessions";
            self.send(sql, values![column(|word| word.0), column(|word| word.1[0]), column(|word| word.1[1])])?;
            let less: Vec<i64> = words.iter().filter(|(_, by)| by[0] < 0).map(|(word, _)| *word).collect();
            if !less.is_empty() {
                let sql = "DELETE FROM @term t WHERE t.tenant = $1 AND t.key = ANY($2) AND t.texts <= 0";
                self.send(sql, values![less])?;
            }
        }
        let lengths: Vec<(i64, [i64; 4])> =
            counts.lengths.iter().filter(|(_, by)| **by != [0; 4]).map(|(length, by)| (*length, *by)).collect();
        if !lengths.is_empty() {
            let of = |place: usize| lengths.iter().map(|(_, by)| by[place]).collect::<Vec<i64>>();
            let terms: Vec<i64> = lengths.iter().map(|(length, _)| *length).collect();
            let sql = "INSERT INTO @length (tenant, terms, texts, turns, near, far)
                       SELECT $1, d.terms, d.texts, d.turns, d.near, d.far
                       FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[])
                           AS d (terms, texts, turns, near, far)
                       ON CONFLICT (tenant, terms) DO UPDATE
                       SET texts = length.texts + excluded.texts, turns = length.turns + excluded.turns,
                           near = length.near + excluded.near, far = length.far + excluded.far";
            self.send(sql, values![terms, of(0), of(1), of(2), of(3)])?;
            self.send("DELETE FROM @length x WHERE x.tenant = $1 AND x.texts <= 0", values![])?;
        }
        Ok(())
    }

    /// Whether what is counted is what the kept terms come to.
    pub(crate) fn counts_hold(&self) -> Result<bool, StoreError> {
        let rows = self.rows(
            "SELECT l.seq, l.session, l.terms, l.words, l.speaker FROM @lexical l WHERE l.tenant = $1",
            values![],
        )?;
        let texts = rows.iter().map(|row| self.kept_terms(row)).collect::<Result<Vec<_>, _>>()?;
        let (mut expected, mut found) = (Counts::default(), Counts::default());
        expected.all(&texts, 1);
        for row in &self.rows("SELECT t.key, t.texts, t.sessions FROM @term t WHERE t.tenant = $1", values![])? {
            found.words.insert(self.get(row, 0)?, [self.get(row, 1)?, self.get(row, 2)?]);
        }
        let sql = "SELECT x.terms, x.texts, x.turns, x.near, x.far FROM @length x WHERE x.tenant = $1";
        for row in &self.rows(sql, values![])? {
            let of = [self.get(row, 1)?, self.get(row, 2)?, self.get(row, 3)?, self.get(row, 4)?];
            found.lengths.insert(self.get(row, 0)?, of);
        }
        Ok(expected == found)
    }
}

#[cfg(test)]
mod tests {
    use aforesaid_core::types::Namespace;

    use super::*;

    fn text(seq: i64, session: i64, count: i64, words: &[i64]) -> Terms {
        let words = words.to_vec();
        Terms { seq, session, count, is_aside: false, words, pairs: Vec::new(), speaker: Value::Text(None) }
    }

    #[test]
    fn a_session_counts_its_words_once_and_each_turn_its_neighbours() {
        let texts = [text(1, 7, 3, &[10, 11]), text(4, 7, 5, &[10]), text(2, 7, 2, &[11]), text(3, 0, 3, &[10])];
        let mut counts = Counts::default();
        counts.all(&texts, 1);
        assert_eq!(counts.words, BTreeMap::from([(10, [3, 1]), (11, [2, 1])]));
        // In order: 3, 2 and 5 terms. The note of 3 has no neighbours.
        let lengths = [(2, [1, 1, 3 + 5, 0]), (3, [2, 1, 2, 5]), (5, [1, 1, 2, 3])];
        assert_eq!(counts.lengths, BTreeMap::from(lengths));
        // What a tool did between them counts, and is nobody's neighbour.
        let mut aside = Counts::default();
        aside.all(&[Terms { is_aside: true, ..text(2, 7, 4, &[10]) }, text(1, 7, 3, &[]), text(3, 7, 5, &[])], 1);
        assert_eq!(aside.lengths, BTreeMap::from([(3, [1, 1, 5, 0]), (4, [1, 1, 0, 0]), (5, [1, 1, 3, 0])]));
        assert_eq!(aside.words, BTreeMap::from([(10, [1, 1])]));
        counts.all(&texts, -1);
        assert!(counts.words.values().all(|by| *by == [0, 0]) && counts.lengths.values().all(|by| *by == [0; 4]));
    }

    #[test]
    fn keys_of_namespaces_and_of_pairs_differ() {
        let tenant = |name: &str| Tenant::of(&Namespace::new(name).unwrap());
        assert_eq!(word_key(tenant("a"), "kite"), word_key(tenant("a"), "kite"));
        assert_ne!(word_key(tenant("a"), "kite"), word_key(tenant("b"), "kite"));
        assert_ne!(pair_key(tenant("a"), "ab", "c"), pair_key(tenant("a"), "a", "bc"));
    }
}
