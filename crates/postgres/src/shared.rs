//! The statements that are about no tenant, all of them; every other one goes through `tenancy.rs`.

/// A statement that is about no tenant.
pub(crate) struct Shared(&'static str);

impl Shared {
    pub(crate) fn sql(&self) -> &'static str {
        self.0
    }
}

/// What the server is, and how it is set up.
pub(crate) const SERVER: Shared = Shared(
    "SELECT current_setting('server_version_num')::int8, current_setting('server_version'),
            current_setting('server_encoding'), current_setting('synchronous_commit'), current_setting('fsync'),
            current_setting('full_page_writes'), current_setting('data_checksums')",
);

/// Tables of a schema, and whether the format of a store is among them.
pub(crate) const HAS_FORMAT: Shared = Shared(
    "SELECT count(*)::int8, coalesce(bool_or(t.table_name = 'format'), false) FROM information_schema.tables t
     WHERE t.table_schema = $1",
);

/// The version of pgvector in the database, and the schema of its types, quoted.
pub(crate) const PGVECTOR: Shared = Shared(
    "SELECT e.extversion, pg_catalog.quote_ident(s.nspname) FROM pg_catalog.pg_extension e
     JOIN pg_catalog.pg_namespace s ON s.oid = e.extnamespace WHERE e.extname = 'vector'",
);

/// Whether a schema has the table of vectors in half precision.
pub(crate) const HAS_HALVES: Shared = Shared(
    "SELECT EXISTS (SELECT 1 FROM information_schema.tables t WHERE t.table_schema = $1 AND t.table_name = 'half')",
);

/// Whether the user may make tables in a schema.
pub(crate) const MAY_MAKE: Shared = Shared("SELECT pg_catalog.has_schema_privilege($1, 'CREATE')");

/// Whether the tables of a schema have policies on rows.
pub(crate) const HAS_POLICIES: Shared = Shared(
    "SELECT c.relrowsecurity FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
     WHERE s.nspname = $1 AND c.relname = 'vector'",
);

/// Whether an index is ready, by schema and name; no row where there is none.
pub(crate) const HNSW_STATE: Shared = Shared(
    "SELECT i.indisvalid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
     JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid WHERE s.nspname = $1 AND c.relname = $2",
);

/// Names of the indexes of vectors that a schema has, and whether each is being made.
pub(crate) const HNSW_ALL: Shared = Shared(
    "SELECT c.relname::text, p.pid IS NOT NULL
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
     LEFT JOIN pg_catalog.pg_stat_progress_create_index p ON p.index_relid = c.oid
     WHERE s.nspname = $1 AND c.relkind = 'i' AND starts_with(c.relname::text, 'half_hnsw_') ORDER BY c.relname",
);

/// The format of the store.
pub(crate) const FORMAT: Shared = Shared("SELECT f.version::int8 FROM @format f");

/// Sets the format.
pub(crate) const SET_FORMAT: Shared = Shared("UPDATE @format SET version = $1 RETURNING version::int8");

/// Has one process at a time change the format, until its transaction ends.
pub(crate) const LOCK_FORMAT: Shared = Shared("SELECT pg_advisory_xact_lock($1)::text");

/// Whether the database has Citus.
pub(crate) const HAS_CITUS: Shared =
    Shared("SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_extension e WHERE e.extname = 'citus')");

/// Tables of a schema that Citus knows.
pub(crate) const DISTRIBUTED: Shared = Shared(
    "SELECT c.relname::text FROM pg_catalog.pg_dist_partition p JOIN pg_catalog.pg_class c ON c.oid = p.logicalrelid
     JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = $1",
);

/// Names of namespaces.
pub(crate) const NAMESPACES: Shared = Shared("SELECT n.name FROM @namespace n ORDER BY n.name COLLATE \"C\"");

/// Namespaces of which something was forgotten since their tables were vacuumed.
pub(crate) const ERASING: Shared = Shared("SELECT n.name FROM @erasing n ORDER BY n.name COLLATE \"C\"");

/// The size of the tables of a schema in bytes, indexes left out.
pub(crate) const SIZE: Shared = Shared(
    "SELECT coalesce(sum(pg_catalog.pg_relation_size(c.oid)), 0)::int8 FROM pg_catalog.pg_class c
     JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = $1 AND c.relkind = 'r'",
);
