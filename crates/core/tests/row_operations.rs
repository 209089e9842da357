//! A store in memory took time that grew with the square of its memories. Time is no test; the number of rows that are
//! touched is one.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::{
    borrow::Cow,
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use aforesaid_core::{
    StoreError,
    store::{
        Backend, Batch, Change, Erasure, NewVectors, Store, View, Written,
        keyed::{Key, KeyedRows, Row, make_namespace},
        tables::Tables,
    },
    types::{ConversationId, Draft, EncoderId, Namespace, SessionId, Turn, VectorSet},
};

/// Rows that count how often one is looked at or written.
#[derive(Default)]
struct Counted {
    rows: BTreeMap<Key, Row>,
    operations: AtomicU64,
}

impl Counted {
    fn count(&self) {
        self.operations.fetch_add(1, Ordering::Relaxed);
    }
}

impl KeyedRows for Counted {
    fn get(&self, key: &Key) -> Result<Option<Cow<'_, Row>>, StoreError> {
        self.count();
        Ok(self.rows.get(key).map(Cow::Borrowed))
    }

    fn scan(
        &self,
        first: &Key,
        visit: &mut dyn FnMut(&Key, &Row) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        for (key, row) in self.rows.range(first..) {
            self.count();
            if visit(key, row)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn put(&mut self, key: Key, row: Row) -> Result<(), StoreError> {
        self.count();
        self.rows.insert(key, row);
        Ok(())
    }

    fn delete(&mut self, key: &Key) -> Result<(), StoreError> {
        self.count();
        self.rows.remove(key);
        Ok(())
    }
}

/// One namespace, without a way to undo anything.
struct CountedStore(Mutex<Counted>);

impl Backend for CountedStore {
    fn location(&self) -> String {
        "counted:".to_owned()
    }

    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        Ok(Vec::new())
    }

    fn read<T>(
        &self,
        _: View<'_>,
        work: impl FnOnce(&dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        work(&*self.0.lock().unwrap()).map(Some)
    }

    fn write<T>(
        &self,
        _: Change<'_>,
        mut work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Written<T>, StoreError> {
        Ok(Written::Kept(work(&mut *self.0.lock().unwrap())?, Erasure::Complete))
    }

    fn steady(&self) -> Result<Box<dyn Store>, StoreError> {
        Err(StoreError::Damaged { location: Backend::location(self), found: "no views".to_owned() })
    }
}

/// Turns of a conversation of their own, without ids.
fn conversation(n: usize) -> Vec<Draft> {
    let turn = |i: usize| {
        let (conversation, session) = (format!("c{n}"), format!("s{}", i / 10));
        let (conversation, session) = (ConversationId::new(conversation).unwrap(), SessionId::new(session).unwrap());
        Draft::Turn(Turn::new(conversation, session, "Ann", format!("turn {i}")))
    };
    (0..50).map(turn).collect()
}

/// Rows touched by adding conversations one after another, or all at once.
fn touched(store: &CountedStore, conversations: std::ops::Range<usize>, at_once: usize) -> u64 {
    let operations = || store.0.lock().unwrap().operations.load(Ordering::Relaxed);
    let (before, me, encoder) = (operations(), Namespace::new("me").unwrap(), EncoderId::new("e@1/f32").unwrap());
    let drafts: Vec<Draft> = conversations.flat_map(conversation).collect();
    for batch in drafts.chunks(at_once) {
        let vectors = vec![Some(&[1.0f32, 0.0][..]); batch.len()];
        let vectors = NewVectors::Given { set: VectorSet { encoder: &encoder, dim: 2 }, vectors: &vectors };
        store.append(&me, Batch { drafts: batch, vectors }).unwrap();
    }
    operations() - before
}

#[test]
fn a_turn_touches_as_many_rows_in_a_large_store_as_in_a_small_one() {
    for at_once in [50, 1_000] {
        let mut rows = Counted::default();
        make_namespace(&mut rows, 0).unwrap();
        let store = CountedStore(Mutex::new(rows));
        let first = touched(&store, 0..20, at_once);
        touched(&store, 20..140, at_once);
        let last = touched(&store, 140..160, at_once);
        assert!(last <= first + first / 10, "{at_once} at once: 1,000 turns touched {first} rows, and later {last}");
    }
}
