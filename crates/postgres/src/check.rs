//! What belongs together: counts, relations, rows that can be read, vectors that are numbers. Pages are the server's own.

use aforesaid_core::{
    StoreError,
    store::{
        CheckDepth, Finding,
        tables::{CueTable, MemoryTable},
    },
    types::{Namespace, Scope},
};

use crate::{
    connection::{Connection, Whose},
    errors::Context,
    halves::Pgvector,
    migrations, shared,
    tables::{Hold, NamespaceTables},
    value::values,
};

/// Rows that should not be there: what they are, and how they are found.
const RELATIONS: [(&str, &str); 9] = [
    (
        "turns without a session",
        "SELECT count(*)::int8 FROM @memory m WHERE m.tenant = $1 AND m.kind = 0 AND NOT EXISTS (
             SELECT 1 FROM @session s WHERE s.tenant = $1 AND s.id = m.session AND s.conversation = m.conversation
         )",
    ),
    (
        "memories of a conversation that is not there",
        "SELECT count(*)::int8 FROM @memory m WHERE m.tenant = $1 AND m.conversation <> 0 AND NOT EXISTS (
             SELECT 1 FROM @conversation c WHERE c.tenant = $1 AND c.id = m.conversation
         )",
    ),
    (
        "sessions without memories",
        "SELECT count(*)::int8 FROM @session s WHERE s.tenant = $1 AND NOT EXISTS (
             SELECT 1 FROM @memory m WHERE m.tenant = $1 AND m.session = s.id
         )",
    ),
    (
        "vectors without a memory",
        "SELECT count(*)::int8 FROM @vector v WHERE v.tenant = $1 AND NOT EXISTS (
             SELECT 1 FROM @memory m WHERE m.tenant = $1 AND m.seq = v.seq
         )",
    ),
    (
        "kept terms without a memory",
        "SELECT count(*)::int8 FROM @lexical l WHERE l.tenant = $1 AND NOT EXISTS (
             SELECT 1 FROM @memory m WHERE m.tenant = $1 AND m.seq = l.seq
         )",
    ),
    (
        "vectors of another length than their encoder's",
        "SELECT count(*)::int8 FROM @vector v LEFT JOIN @encoder e ON e.tenant = $1 AND e.id = v.encoder
         WHERE v.tenant = $1 AND (e.dim IS NULL OR length(v.data) = 0 OR length(v.data) % (4 * e.dim) <> 0)",
    ),
    (
        "cues without a memory",
        "SELECT count(*)::int8 FROM @cue q WHERE q.tenant = $1 AND NOT EXISTS (
             SELECT 1 FROM @memory m WHERE m.tenant = $1 AND m.seq = q.seq
         )",
    ),
    (
        "sources of no cues",
        "SELECT count(*)::int8 FROM @cue_source k WHERE k.tenant = $1 AND NOT EXISTS (
             SELECT 1 FROM @cued d WHERE d.tenant = $1 AND d.source = k.id
         )",
    ),
    (
        "vectors of cues that are not there, or of another length",
        "SELECT count(*)::int8 FROM @cue_vector v LEFT JOIN @encoder e ON e.tenant = $1 AND e.id = v.encoder
         LEFT JOIN @cue q ON q.tenant = $1 AND q.id = v.id
         WHERE v.tenant = $1 AND (e.dim IS NULL OR q.id IS NULL OR length(v.data) <> 4 * e.dim)",
    ),
];

/// Looks for damage in every namespace, in the transaction of a connection.
pub(crate) fn check(
    connection: &Connection,
    context: Context<'_>,
    depth: CheckDepth,
    step: &mut dyn FnMut(&str),
) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    let server = migrations::server(connection, context)?;
    for weak in server.weak {
        findings.push(Finding::note(
            "the server",
            weak,
            "on",
            "switch it on: a crash or a bad disk may else cost or change what was stored",
        ));
    }
    if let Some(weakness) = Pgvector::of(connection, context)?.and_then(|pgvector| pgvector.weakness()) {
        findings.push(Finding::note(
            "the server",
            weakness,
            "pgvector 0.8.4 or newer",
            "install a newer one, then ALTER EXTENSION vector UPDATE",
        ));
    }
    connection.see(Whose::Names);
    for row in &connection.shared_rows(context, &shared::NAMESPACES, values![])? {
        let name: String = row.try_get(0).map_err(|_| context.unreadable())?;
        let namespace = Namespace::new(name)?;
        let Some(tables) = NamespaceTables::open(connection, context, &namespace, Hold::Look)? else { continue };
        step(&format!("namespace {:?}", namespace.as_str()));
        let subject = format!("namespace {:?}", namespace.as_str());
        for (wrong, sql) in RELATIONS {
            let count = tables.count_of(sql, values![])?;
            if count > 0 {
                findings.push(Finding::damage(&subject, format!("{count} {wrong}"), "none"));
            }
        }
        if depth == CheckDepth::Full && !tables.counts_hold()? {
            let finding = Finding::damage(&subject, "what is counted of terms is not what is kept of them", "the same");
            findings.push(finding.remedied_by("search it with held_memories set to more than it has"));
        }
        let counted: [Result<(), StoreError>; 2] = [tables.stats().map(|_| ()), tables.cue_stats().map(|_| ())];
        for result in counted {
            take(&mut findings, &subject, result)?;
        }
        if depth == CheckDepth::Full {
            take(&mut findings, &subject, tables.export(&Scope::default(), &mut |_| Ok(())))?;
            for table in ["vector", "cue_vector"] {
                let bad = not_numbers(&tables, table)?;
                if bad > 0 {
                    let found = format!("{bad} vectors with a component that is no number");
                    let finding = Finding::damage(&subject, found, "none");
                    findings.push(finding.remedied_by("re-embed the namespace by another encoder and back"));
                }
            }
        }
    }
    Ok(findings)
}

/// Damage is a finding; anything else ends the check.
fn take(findings: &mut Vec<Finding>, subject: &str, result: Result<(), StoreError>) -> Result<(), StoreError> {
    match result {
        Err(StoreError::Damaged { found, .. }) => {
            findings.push(Finding::damage(subject, found, "what was stored"));
            Ok(())
        }
        other => other,
    }
}

/// Vectors with a component that makes every score of a search none.
fn not_numbers(tables: &NamespaceTables<'_>, table: &str) -> Result<u64, StoreError> {
    let sql = format!("SELECT v.data FROM @{table} v WHERE v.tenant = $1");
    let mut rows = tables.stream(&sql, values![])?;
    let mut bad = 0;
    while let Some(row) = rows.next()? {
        let data: &[u8] = tables.get(&row, 0)?;
        let finite = data.as_chunks::<4>().0.iter().all(|word| f32::from_le_bytes(*word).is_finite());
        bad += u64::from(!finite);
    }
    Ok(bad)
}
