//! The store behind a PgBouncer in transaction mode, where the program is installed; else the test says that it was skipped.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::panic, reason = "test code")]

use std::{
    fs,
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use aforesaid_core::store::{Erasure, conformance};
use aforesaid_postgres::{Creation, PostgresStore};
use aforesaid_postgres_server::server;

/// A pooler, which ends with the test.
struct PgBouncer {
    process: Child,
    port: u16,
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl PgBouncer {
    /// One before the server at `HOST:PORT`, with fewer connections than its clients want; `None` where it is not installed.
    fn start(folder: &std::path::Path, server: &str) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (host, server_port) = server.split_once(':').unwrap();
        let settings = format!(
            "[databases]\npostgres = host={host} port={server_port} dbname=postgres user=postgres\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 200\n"
        );
        let file = folder.join("pgbouncer.ini");
        fs::write(&file, settings).unwrap();
        let mut command = Command::new("pgbouncer");
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        if is_root {
            // It refuses to run as root.
            command.args(["-u", "nobody"]);
        }
        let started = command.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = match started {
            Ok(process) => process,
            Err(error) => {
                eprintln!("\nSKIPPED, NOT TESTED: pgbouncer: {error}\n");
                return None;
            }
        };
        let pooler = Self { process, port };
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "pgbouncer does not answer");
            thread::sleep(Duration::from_millis(50));
        }
        Some(pooler)
    }
}

#[test]
fn the_store_conforms_behind_a_pooler_in_transaction_mode() {
    let Some(server) = server() else { return };
    let url = server.new_store();
    let Some(place) = url.strip_prefix("postgres://postgres@").and_then(|rest| rest.split('/').next()) else {
        eprintln!("\nSKIPPED, NOT TESTED: the server of AFORESAID_POSTGRES may want more than the user postgres\n");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(pooler) = PgBouncer::start(folder.path(), place) else { return };
    let behind = format!("127.0.0.1:{}", pooler.port);
    conformance::run_all_with(Erasure::LeftToServer, || {
        let url = format!("{}&prepared_statements=off", server.new_store().replace(place, &behind));
        PostgresStore::open(&url, Creation::Allowed).unwrap()
    });
}
