//! What belongs together: rows that another row must exist for.

/// Rows that should not be.
pub(super) struct Relation {
    /// What they are rows of, for a message.
    pub(super) of: &'static str,
    /// Their table.
    table: &'static str,
    /// SQL that is true of a wrong row `x`.
    wrong: &'static str,
    /// What they are, after a number.
    pub(super) found: &'static str,
    /// What mends it, where not only a backup does.
    pub(super) next: Option<&'static str>,
}

impl Relation {
    /// Selects namespaces with the number of such rows.
    pub(super) fn sql(&self) -> String {
        format!("SELECT x.namespace, count(*) FROM {} x WHERE {} GROUP BY x.namespace", self.table, self.wrong)
    }
}

const REEMBED: Option<&str> = Some("re-embed the namespace by another encoder and back");

const CUES: Option<&str> = Some("drop the cues, and import or write them again");

const SNAPSHOT: Option<&str> = Some("forget nothing: the next search makes the snapshot anew");

const fn lost(of: &'static str, table: &'static str, wrong: &'static str, found: &'static str) -> Relation {
    Relation { of, table, wrong, found, next: None }
}

const fn derived(
    of: &'static str,
    table: &'static str,
    wrong: &'static str,
    found: &'static str,
    next: Option<&'static str>,
) -> Relation {
    Relation { of, table, wrong, found, next }
}

const NO_NAMESPACE: &str = "NOT EXISTS (SELECT 1 FROM namespace n WHERE n.id = x.namespace)";

const NO_ENCODER: &str = "NOT EXISTS (SELECT 1 FROM encoder e WHERE e.namespace = x.namespace AND e.id = x.encoder)";

const NO_MEMORY: &str = "NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = x.namespace AND m.seq = x.seq)";

const WRONG_LENGTH: &str = "length(x.data) <>
    4 * (SELECT e.dim FROM encoder e WHERE e.namespace = x.namespace AND e.id = x.encoder)";

const NO_WHOLE_VECTORS: &str = "length(x.data) = 0 OR length(x.data) %
    (4 * (SELECT e.dim FROM encoder e WHERE e.namespace = x.namespace AND e.id = x.encoder)) <> 0";

pub(super) const ALL: [Relation; 28] = [
    lost("memories", "memory", NO_NAMESPACE, "memories"),
    lost("memories", "memory", "x.kind NOT IN (0, 1)", "memories that are neither turn nor note"),
    lost("memories", "memory", "x.kind = 0 AND (x.conversation = 0 OR x.session = 0)", "turns without a session"),
    lost(
        "memories",
        "memory",
        "x.conversation <> 0
         AND NOT EXISTS (SELECT 1 FROM conversation c WHERE c.namespace = x.namespace AND c.id = x.conversation)",
        "memories of a conversation that is not there",
    ),
    lost(
        "memories",
        "memory",
        "x.session <> 0 AND NOT EXISTS (SELECT 1 FROM session s WHERE s.namespace = x.namespace
                                        AND s.id = x.session AND s.conversation = x.conversation)",
        "memories of a session that is not there",
    ),
    lost("conversations", "conversation", NO_NAMESPACE, "conversations"),
    lost(
        "conversations",
        "conversation",
        "NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = x.namespace AND m.conversation = x.id)",
        "conversations without memories",
    ),
    lost("sessions", "session", NO_NAMESPACE, "sessions"),
    lost(
        "sessions",
        "session",
        "NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = x.namespace AND m.session = x.id)",
        "sessions without memories",
    ),
    lost("encoders", "encoder", NO_NAMESPACE, "encoders"),
    derived("vectors", "vector", NO_NAMESPACE, "vectors", None),
    derived("vectors", "vector", NO_MEMORY, "vectors without a memory", REEMBED),
    derived("vectors", "vector", NO_ENCODER, "vectors without an encoder", REEMBED),
    derived("vectors", "vector", NO_WHOLE_VECTORS, "vectors of another length than their encoder's", REEMBED),
    derived("snapshots", "snapshot", NO_NAMESPACE, "parts of snapshots", SNAPSHOT),
    derived(
        "snapshots",
        "snapshot",
        "x.part > 0 AND NOT EXISTS (SELECT 1 FROM snapshot s
                                    WHERE s.namespace = x.namespace AND s.name = x.name AND s.part = x.part - 1)",
        "parts of snapshots after one that is missing",
        SNAPSHOT,
    ),
    derived("cue sources", "cue_source", NO_NAMESPACE, "sources of cues", CUES),
    derived(
        "cue sources",
        "cue_source",
        "NOT EXISTS (SELECT 1 FROM cued c WHERE c.namespace = x.namespace AND c.source = x.id)",
        "sources of no cues",
        CUES,
    ),
    derived("cues", "cued", NO_NAMESPACE, "memories with cues", CUES),
    derived("cues", "cued", NO_MEMORY, "marks of cues without a memory", CUES),
    derived(
        "cues",
        "cued",
        "NOT EXISTS (SELECT 1 FROM cue_source s WHERE s.namespace = x.namespace AND s.id = x.source)",
        "memories with cues of an unknown source",
        CUES,
    ),
    derived("cues", "cue", NO_NAMESPACE, "cues", CUES),
    derived("cues", "cue", NO_MEMORY, "cues without a memory", CUES),
    derived(
        "cues",
        "cue",
        "NOT EXISTS (SELECT 1 FROM cued c WHERE c.namespace = x.namespace AND c.seq = x.seq)",
        "cues of a memory that was asked for none",
        CUES,
    ),
    derived("vectors of cues", "cue_vector", NO_NAMESPACE, "vectors of cues", CUES),
    derived(
        "vectors of cues",
        "cue_vector",
        "NOT EXISTS (SELECT 1 FROM cue c WHERE c.namespace = x.namespace AND c.id = x.id)",
        "vectors of cues that are not there",
        CUES,
    ),
    derived("vectors of cues", "cue_vector", NO_ENCODER, "vectors of cues without an encoder", CUES),
    derived(
        "vectors of cues",
        "cue_vector",
        WRONG_LENGTH,
        "vectors of cues of another length than their encoder's",
        CUES,
    ),
];

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::{errors::Context, schema};

    #[test]
    fn every_relation_is_sql_and_holds_of_an_empty_store() {
        let store: Connection = schema::model(Context::new("model", "make a model")).unwrap();
        for relation in &ALL {
            let found = store.prepare(&relation.sql()).and_then(|mut select| select.exists([]));
            assert_eq!(found, Ok(false), "{}", relation.found);
        }
    }
}
