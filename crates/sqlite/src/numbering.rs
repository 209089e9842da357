//! How far the numbers of ids have come, so that none is given twice; see [`numbers`].

use std::collections::HashMap;

use aforesaid_core::{
    StoreError,
    store::numbers::{self, GROUP_CHARS, NOTES},
};
use rusqlite::{Connection, Row, Transaction, params, params_from_iter, types::Value};

use crate::{errors::Context, row::NO_GROUP};

/// The counters that a batch moves.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// By conversation and session; that of notes has no session.
    highest: HashMap<(i64, i64), Counter>,
    /// Where new sessions of a conversation begin.
    floors: HashMap<i64, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Counter {
    stored: u64,
    now: u64,
}

impl Counters {
    pub(crate) fn know(&mut self, conversation: i64, session: i64, stored: u64) {
        self.highest.insert((conversation, session), Counter { stored, now: stored });
    }

    pub(crate) fn know_floor(&mut self, conversation: i64, floor: u64) {
        self.floors.insert(conversation, floor);
    }

    pub(crate) fn highest(&self, conversation: i64, session: i64) -> u64 {
        self.highest.get(&(conversation, session)).map_or(0, |counter| counter.now)
    }

    /// Where a new session begins.
    pub(crate) fn start(&self, conversation: i64, session: &str) -> u64 {
        let floor = self.floors.get(&conversation).copied().unwrap_or(0);
        // The turns of a session of that name have ids like those of the notes.
        if session == NOTES { floor.max(self.highest(conversation, NO_GROUP)) } else { floor }
    }

    pub(crate) fn set(&mut self, conversation: i64, session: i64, highest: u64) {
        self.highest.entry((conversation, session)).or_insert(Counter { stored: 0, now: 0 }).now = highest;
    }

    /// Writes what moved.
    pub(crate) fn write(
        &mut self,
        connection: &Connection,
        context: Context<'_>,
        tenant: i64,
    ) -> Result<(), StoreError> {
        for ((conversation, session), counter) in
            self.highest.iter_mut().filter(|(_, counter)| counter.now != counter.stored)
        {
            let (sql, group) = match (*conversation, *session) {
                (NO_GROUP, _) => ("UPDATE namespace SET notes = ?3 WHERE id = ?1 AND ?2 = 0", NO_GROUP),
                (conversation, NO_GROUP) => {
                    ("UPDATE conversation SET notes = ?3 WHERE namespace = ?1 AND id = ?2", conversation)
                }
                (_, session) => ("UPDATE session SET given = ?3 WHERE namespace = ?1 AND id = ?2", session),
            };
            let update = connection.prepare_cached(sql);
            context.run(update.and_then(|mut update| update.execute(params![tenant, group, counter.now])))?;
            counter.stored = counter.now;
        }
        Ok(())
    }
}

/// Ids that are about to go, as far as the numbering must stay above them.
pub(crate) struct Passed {
    /// The highest number by conversation and what the ids begin with.
    highest: HashMap<(i64, String), u64>,
}

impl Passed {
    /// Reads the ids of memories that are about to go: `chosen` is SQL that selects their places; `?1` is the tenant.
    pub(crate) fn read(
        transaction: &Transaction<'_>,
        context: Context<'_>,
        chosen: &str,
        values: &[Value],
    ) -> Result<Self, StoreError> {
        let sql = format!("SELECT conversation, id FROM memory WHERE namespace = ?1 AND seq IN ({chosen})");
        let mut select = context.run(transaction.prepare(&sql))?;
        let mut rows = context.run(select.query(params_from_iter(values)))?;
        let mut highest = HashMap::new();
        while let Some(row) = context.run(rows.next())? {
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let (conversation, id): (i64, String) = context.run(read(row))?;
            if let Some((group, number)) = numbers::numbered(&id) {
                let known: &mut u64 = highest.entry((conversation, group.to_owned())).or_default();
                *known = number.max(*known);
            }
        }
        Ok(Self { highest })
    }

    /// Moves the counters above these ids, now that they are gone, and saves those of sessions and conversations that
    /// are empty now: their names will go, and their numbers stay.
    pub(crate) fn settle(
        self,
        transaction: &Transaction<'_>,
        context: Context<'_>,
        tenant: i64,
    ) -> Result<(), StoreError> {
        let run = |sql: &str, key: &[&dyn rusqlite::ToSql]| {
            context.run(transaction.prepare_cached(sql).and_then(|mut update| update.execute(key)))
        };
        for ((conversation, group), number) in self.highest {
            if conversation == NO_GROUP {
                if group == NOTES {
                    run("UPDATE namespace SET notes = max(notes, ?2) WHERE id = ?1", &[&tenant, &number])?;
                }
                continue;
            }
            let key: [&dyn rusqlite::ToSql; 4] = [&tenant, &conversation, &number, &group];
            if group == NOTES {
                run("UPDATE conversation SET notes = max(notes, ?3) WHERE namespace = ?1 AND id = ?2", &key[..3])?;
            }
            let is_cut = group.chars().count() == GROUP_CHARS;
            let named = if is_cut { "name >= ?4 AND substr(name, 1, length(?4)) = ?4" } else { "name = ?4" };
            let given = format!(
                "UPDATE session SET given = max(given, ?3) WHERE namespace = ?1 AND conversation = ?2 AND {named}"
            );
            let were_there = run(&given, &key)? > 0 && !is_cut;
            if !were_there && group != NOTES {
                run("UPDATE conversation SET floor = max(floor, ?3) WHERE namespace = ?1 AND id = ?2", &key[..3])?;
            }
        }
        run(
            "UPDATE conversation SET floor = gone.given
             FROM (SELECT s.conversation, max(s.given) AS given FROM session s
                   WHERE s.namespace = ?1
                   AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = ?1 AND m.session = s.id)
                   GROUP BY s.conversation) AS gone
             WHERE namespace = ?1 AND id = gone.conversation AND floor < gone.given",
            &[&tenant],
        )?;
        run(
            "UPDATE namespace SET floor = max(floor, coalesce((
                 SELECT max(max(c.floor, c.notes)) FROM conversation c
                 WHERE c.namespace = ?1
                 AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = ?1 AND m.conversation = c.id)), 0))
             WHERE id = ?1",
            &[&tenant],
        )?;
        Ok(())
    }
}
