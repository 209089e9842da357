//! An HNSW index over the vectors of one large namespace, which it earns by its size.
//!
//! One index over many namespaces gives a small one too few of its rows, without a word. So each large namespace has an
//! index of its own, a partial one, up to a number: every one costs all statements on the table a lock and planning time.
//! Where there is none, vectors are compared one by one. Indexes are made and dropped without locking the table, by a
//! thread of the store, while searches go on; the catalogue of the database says what there is.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use aforesaid_core::StoreError;

use crate::{
    connection::{Connection, Whose},
    errors::Context,
    pool::Pool,
    row, shared,
    tables::NamespaceTables,
    value::{Tenant, Value, values},
};

/// What the names of all begin with.
const PREFIX: &str = "half_hnsw_";

/// Components that an index can have of vectors of half precision.
const MOST_COMPONENTS: usize = 4_000;

/// Candidates that a scan keeps; pgvector takes no more.
const MOST_KEPT: usize = 1_000;

/// What there is of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HnswState {
    Missing,
    /// Somebody makes it, or was interrupted.
    Unfinished,
    Ready,
}

/// The index of the vectors of one namespace by one encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HnswIndex {
    pub(crate) tenant: Tenant,
    pub(crate) encoder: i64,
    pub(crate) dim: usize,
}

/// What is done with indexes: from how many memories on a namespace has one, and how many there are at the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HnswLimits {
    pub(crate) from: u64,
    pub(crate) most: usize,
}

impl HnswIndex {
    /// Its name, of at most 63 characters.
    fn name(&self) -> String {
        format!("{PREFIX}{}_{}_{}", self.tenant.hex(), self.encoder, self.dim)
    }

    /// The index of a name.
    fn named(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(PREFIX)?.split('_');
        let (tenant, encoder, dim) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { tenant: Tenant::of_hex(tenant)?, encoder: encoder.parse().ok()?, dim: dim.parse().ok()? })
    }

    pub(crate) fn state(&self, connection: &Connection, context: Context<'_>) -> Result<HnswState, StoreError> {
        let values = values![connection.schema_name(), &*self.name()];
        let rows = connection.shared_rows(context, &shared::HNSW_STATE, values)?;
        let Some(row) = rows.first() else { return Ok(HnswState::Missing) };
        let is_ready: bool = row.try_get(0).map_err(|_| context.unreadable())?;
        Ok(if is_ready { HnswState::Ready } else { HnswState::Unfinished })
    }

    /// Makes it, unless somebody does or there are enough.
    fn make(&self, connection: &Connection, context: Context<'_>, limits: HnswLimits) -> Result<(), StoreError> {
        let Some(pgvector) = connection.pgvector() else { return Ok(()) };
        if self.others(connection, context, limits)? >= limits.most {
            return Ok(());
        }
        self.drop(connection, context)?;
        let (halfvec, operators) = (pgvector.halfvec(), pgvector.cosine_operators());
        let (tenant, encoder, dim) = (self.tenant.uuid(), self.encoder, self.dim);
        let make = format!(
            "CREATE INDEX CONCURRENTLY {} ON @half USING hnsw ((CAST(data AS {halfvec}({dim}))) {operators})
             WHERE tenant = '{tenant}' AND encoder = {encoder} AND {}(data) = {dim}",
            self.name(),
            pgvector.dims(),
        );
        connection.run_commands(context, &make)
    }

    /// How many other namespaces have one, after those that have become small lost theirs. As many as there may be where
    /// somebody makes this one.
    fn others(&self, connection: &Connection, context: Context<'_>, limits: HnswLimits) -> Result<usize, StoreError> {
        let (own, mut others) = (self.name(), 0);
        for row in &connection.shared_rows(context, &shared::HNSW_ALL, values![connection.schema_name()])? {
            let name: String = row.try_get(0).map_err(|_| context.unreadable())?;
            let is_under_way: bool = row.try_get(1).map_err(|_| context.unreadable())?;
            if name == own {
                others += if is_under_way { limits.most } else { 0 };
                continue;
            }
            let Some(other) = Self::named(&name) else { continue };
            // Numbers of encoders are given again, and then their vectors may be of another size.
            if other.tenant == self.tenant && !is_under_way {
                other.drop(connection, context)?;
                continue;
            }
            let memories = other.memories(connection, context)?;
            match other.is_due(HnswState::Ready, memories, limits) && !is_under_way {
                true => other.drop(connection, context)?,
                false => others += 1,
            }
        }
        Ok(others)
    }

    /// Memories of its namespace; 0 where that is gone.
    fn memories(&self, connection: &Connection, context: Context<'_>) -> Result<u64, StoreError> {
        // A transaction of its own: policies on rows, where a store has them, show what its setting names.
        connection.command("BEGIN READ ONLY".to_owned());
        connection.see(Whose::Tenant(self.tenant));
        let sql = "SELECT n.memories FROM @namespace n WHERE n.tenant = $1";
        let found = connection.rows(context, self.tenant, sql, values![]);
        connection.run_commands(context, "ROLLBACK")?;
        found?.first().map_or(Ok(0), |row| row::number(context, row, 0))
    }

    fn drop(&self, connection: &Connection, context: Context<'_>) -> Result<(), StoreError> {
        connection.run_commands(context, &format!("DROP INDEX CONCURRENTLY IF EXISTS @{}", self.name()))
    }

    /// Whether it should be made or dropped, for a namespace of so many memories.
    fn is_due(&self, state: HnswState, memories: u64, limits: HnswLimits) -> bool {
        match state {
            HnswState::Ready => memories < limits.from / 2,
            HnswState::Missing | HnswState::Unfinished => {
                limits.most > 0 && memories >= limits.from && self.dim <= MOST_COMPONENTS
            }
        }
    }

    /// Has a thread make it or drop it where that is due; one at a time.
    pub(crate) fn tend(
        self,
        pool: &Pool,
        busy: &Arc<AtomicBool>,
        (state, memories): (HnswState, u64),
        limits: HnswLimits,
    ) {
        if !self.is_due(state, memories, limits) || busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let (pool, busy) = (pool.beside(), Arc::clone(busy));
        let tended = thread::Builder::new().name("aforesaid-hnsw".to_owned()).spawn({
            let busy = Arc::clone(&busy);
            move || {
                let context = Context::new(pool.location(), "tend the index of vectors");
                let work = |connection: &Connection| match state {
                    HnswState::Ready => self.drop(connection, context),
                    _ => self.make(connection, context, limits),
                };
                // Where it fails vectors are compared one by one, and a later search has it tried again.
                let _ = pool.connect(context).and_then(|connection| work(&connection));
                busy.store(false, Ordering::Release);
            }
        });
        if tended.is_err() {
            busy.store(false, Ordering::Release);
        }
    }
}

impl NamespaceTables<'_> {
    /// Positions by the distance of their vectors as an index finds them, of which there may be too few. `on` keeps some
    /// rows, by `values`.
    pub(crate) fn nearest_by_index(
        &self,
        index: HnswIndex,
        vector: &[f32],
        (on, mut values): (&str, Vec<Value>),
        depth: usize,
    ) -> Result<Vec<i64>, StoreError> {
        let Some(pgvector) = self.connection.pgvector() else { return Ok(Vec::new()) };
        let first = values.len() + 2;
        values.push(index.encoder.into());
        values.push(Value::Reals(vector.to_vec()));
        values.push(depth.into());
        let typed = format!("{}({})", pgvector.halfvec(), index.dim);
        let sql = format!(
            "SELECT h.seq FROM @half h WHERE h.tenant = $1 AND h.encoder = ${first} AND {}(h.data) = {} {on}
             ORDER BY CAST(h.data AS {typed}) {} CAST(${} AS {typed}) LIMIT ${}",
            pgvector.dims(),
            index.dim,
            pgvector.distance(),
            first + 1,
            first + 2,
        );
        // A plan for any namespace could not use the index of one.
        let kept = depth.clamp(40, MOST_KEPT);
        self.connection.command(format!(
            "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL hnsw.ef_search = {kept};
             SET LOCAL hnsw.iterative_scan = strict_order"
        ));
        self.rows(&sql, values)?.iter().map(|row| self.get(row, 0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use aforesaid_core::types::Namespace;

    use super::*;

    #[test]
    fn an_index_is_earned_and_lost_by_size() {
        let index = HnswIndex { tenant: Tenant::of(&Namespace::new("me").unwrap()), encoder: 3, dim: 384 };
        let due = |state, memories| index.is_due(state, memories, HnswLimits { from: 100, most: 4 });
        assert!(!due(HnswState::Missing, 99) && due(HnswState::Missing, 100) && due(HnswState::Unfinished, 100));
        assert!(!due(HnswState::Ready, 50) && due(HnswState::Ready, 49));
        assert!(!index.is_due(HnswState::Missing, 1_000, HnswLimits { from: 100, most: 0 }));
        assert_eq!(HnswIndex::named(&index.name()), Some(index));
        assert_eq!(Tenant::of_hex(&index.tenant.hex()), Some(index.tenant));
        assert!(Tenant::of_hex("xyz").is_none() && Tenant::of_hex(&"é".repeat(16)).is_none());
        assert!(index.name().len() <= 63, "{}", index.name());
    }
}
