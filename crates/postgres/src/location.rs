//! Where a store is: `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?OPTIONS]`, and options of our own among them.

use std::time::Duration;

use aforesaid_core::StoreError;
use percent_encoding::percent_decode_str;
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

use crate::{errors::location_error, hnsw::HnswLimits};

/// The schema of a store that names none.
const SCHEMA: &str = "aforesaid";

/// Candidates of each leg where nothing else is said: as many as core fuses.
const CANDIDATES: usize = 1_000;

/// Memories from which a namespace has an index of its vectors, and the most indexes, where nothing else is said.
const HNSW: HnswLimits = HnswLimits { from: 20_000, most: 64 };

/// How long a statement may take where nothing else is said.
const STATEMENT: Duration = Duration::from_secs(120);

/// How long a connection may take to be made.
pub(crate) const CONNECT: Duration = Duration::from_secs(10);

/// Connections at once where nothing else is said.
const CONNECTIONS: usize = 8;

/// How a URL is written, for messages.
const EXPECTED: &str =
    "write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %-escapes for what else would end a part";

/// Whether a location is for this store. A scheme in capitals is, too: it is refused, and its password not shown.
pub fn is_url(location: &str) -> bool {
    location
        .split_once("://")
        .is_some_and(|(scheme, _)| ["postgres", "postgresql"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

/// A location as it may be shown: without the password and the options of a URL.
pub fn without_password(location: &str) -> String {
    match is_url(location) {
        true => Location::read(location).map_or_else(|_| "postgres://...".to_owned(), |location| location.shown),
        false => location.to_owned(),
    }
}

/// A URL, read.
#[derive(Clone)]
pub(crate) struct Location {
    /// Without password and options.
    pub(crate) shown: String,
    pub(crate) config: Config,
    /// A file of certificates to trust, in PEM.
    pub(crate) root_certificates: Option<String>,
    pub(crate) options: Options,
}

/// Settings of our own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    /// The schema that holds the tables.
    pub(crate) schema: String,
    /// Connections at once.
    pub(crate) connections: usize,
    /// Whether statements are prepared under names, which a pooler may not keep.
    pub(crate) statements: Statements,
    /// How long a statement may take; zero is for ever.
    pub(crate) statement_timeout: Duration,
    /// Memories of a namespace that is held in memory; `None` for as many as fit.
    pub(crate) held_memories: Option<u64>,
    /// How many the best of each leg are that are picked in the database.
    pub(crate) candidates: usize,
    /// When a namespace has an index of its vectors.
    pub(crate) hnsw: HnswLimits,
}

/// How statements reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Statements {
    /// Prepared once a connection, under a name.
    Named,
    /// Parsed each time, for poolers that give each transaction another connection and know no prepared statements.
    Unnamed,
}

/// When a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    Never,
    /// Where the server can, unless it is on this machine.
    IfOffered,
    Always,
}

impl Location {
    pub(crate) fn read(url: &str) -> Result<Self, StoreError> {
        // The URL is in no message: it may hold a password, and where it is badly written nobody knows where.
        let wrong = |found: String| location_error("postgres://...", found, EXPECTED);
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut options = Options {
            schema: SCHEMA.to_owned(),
            connections: CONNECTIONS,
            statements: Statements::Named,
            statement_timeout: STATEMENT,
            held_memories: None,
            candidates: CANDIDATES,
            hnsw: HNSW,
        };
        let (mut encryption, mut root_certificates, mut others) = (Encryption::IfOffered, None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if key.is_empty() || !key.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                return Err(wrong("has an option without a name".to_owned()));
            }
            let value = percent_decode_str(value)
                .decode_utf8()
                .map_err(|_| wrong(format!("has bytes in {key} that are not UTF-8")))?;
            let bad = |expected: &str| wrong(format!("has option {key}={value:?}, expected {expected}"));
            match key {
                "schema" => {
                    options.schema = value.to_string();
                    if !is_schema(&value) {
                        return Err(bad("a name of a-z, 0-9 and _ that does not begin with a digit or pg_"));
                    }
                }
                "pool_size" => {
                    let size = value.parse().ok().filter(|size| (1..=1000).contains(size));
                    options.connections = size.ok_or_else(|| bad("a number from 1 to 1000"))?;
                }
                "prepared_statements" => {
                    options.statements = match &*value {
                        "on" => Statements::Named,
                        "off" => Statements::Unnamed,
                        _ => return Err(bad("on or off")),
                    };
                }
                "statement_timeout" => {
                    let seconds = value.parse().ok().filter(|seconds| *seconds <= 86_400);
                    options.statement_timeout =
                        Duration::from_secs(seconds.ok_or_else(|| bad("seconds, from 0 (none) to 86400"))?);
                }
                "held_memories" => {
                    let most = value.parse().ok().filter(|most| *most <= i64::MAX as u64);
                    options.held_memories = Some(most.ok_or_else(|| bad("a number of memories, from 0"))?);
                }
                "candidates" => {
                    let count = value.parse().ok().filter(|count| (1..=10_000).contains(count));
                    options.candidates = count.ok_or_else(|| bad("a number from 1 to 10000"))?;
                }
                "hnsw_from" => {
                    let from = value.parse().ok().filter(|from| *from <= i64::MAX as u64);
                    options.hnsw.from = from.ok_or_else(|| bad("a number of memories, from 0"))?;
                }
                "hnsw_indexes" => {
                    let most = value.parse().ok().filter(|most| *most <= 1_000);
                    options.hnsw.most = most.ok_or_else(|| bad("a number from 0 (none) to 1000"))?;
                }
                "sslmode" => {
                    encryption = match &*value {
                        "disable" => Encryption::Never,
                        "allow" | "prefer" => Encryption::IfOffered,
                        "require" | "verify-ca" | "verify-full" => Encryption::Always,
                        _ => return Err(bad("disable, prefer, require or verify-full")),
                    };
                }
                "sslrootcert" => root_certificates = Some(value.to_string()).filter(|file| file != "system"),
                "sslcert" | "sslkey" => {
                    return Err(location_error(
                        "postgres://...",
                        format!("has option {key}, and certificates of clients are not supported"),
                        "use a password",
                    ));
                }
                _ => others.push(pair),
            }
        }
        let joined = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
        let mut config: Config = joined.parse().map_err(|_| {
            let keys: Vec<&str> = others.iter().map(|pair| pair.split('=').next().unwrap_or_default()).collect();
            match keys.is_empty() {
                true => wrong("cannot be read".to_owned()),
                false => wrong(format!("cannot be read, or an option is none: {}", keys.join(", "))),
            }
        })?;
        if config.get_hosts().is_empty() {
            return Err(wrong("names no host".to_owned()));
        }
        if encryption == Encryption::IfOffered && config.get_hosts().iter().all(is_here) {
            encryption = Encryption::Never;
        }
        config.ssl_mode(match encryption {
            Encryption::Never => SslMode::Disable,
            Encryption::IfOffered => SslMode::Prefer,
            Encryption::Always => SslMode::Require,
        });
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("aforesaid");
        }
        let shown = shown(&config, &options);
        Ok(Self { shown, config, root_certificates, options })
    }
}

fn is_schema(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_lowercase() || c == '_');
    first
        && name.len() <= 63
        && !name.starts_with("pg_")
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Whether a server is on this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// A URL without password and options, but for the schema.
fn shown(config: &Config, options: &Options) -> String {
    let mut ports = config.get_ports().iter();
    let hosts = config.get_hosts().iter().map(|host| {
        let port = ports.next().or(config.get_ports().first()).map_or_else(String::new, |port| format!(":{port}"));
        match host {
            Host::Tcp(name) => format!("{name}{port}"),
            #[cfg(unix)]
            Host::Unix(path) => format!("{}{port}", path.display()),
        }
    });
    let hosts = hosts.collect::<Vec<_>>().join(",");
    let user = config.get_user().map_or_else(String::new, |user| format!("{user}@"));
    let database = config.get_dbname().map_or_else(String::new, |name| format!("/{name}"));
    let schema = if options.schema == SCHEMA { String::new() } else { format!("?schema={}", options.schema) };
    format!("postgres://{user}{hosts}{database}{schema}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_and_shown_without_its_password() {
        let read = Location::read(
            "postgres://ann:s3cr%40t@db.example:6432/memory?schema=team_1&prepared_statements=off&pool_size=3\
             &sslmode=require&statement_timeout=7&connect_timeout=2&held_memories=0&candidates=20&hnsw_from=50&hnsw_indexes=2",
        )
        .unwrap();
        assert_eq!(read.shown, "postgres://ann@db.example:6432/memory?schema=team_1");
        assert_eq!(read.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(read.config.get_password(), Some(&b"s3cr@t"[..]));
        assert_eq!(read.config.get_connect_timeout(), Some(&Duration::from_secs(2)));
        let options = Options {
            schema: "team_1".to_owned(),
            connections: 3,
            statements: Statements::Unnamed,
            statement_timeout: Duration::from_secs(7),
            held_memories: Some(0),
            candidates: 20,
            hnsw: HnswLimits { from: 50, most: 2 },
        };
        assert_eq!(read.options, options);
        assert_eq!(without_password("postgres://ann:s3cret@h/m?schema=x"), "postgres://ann@h:5432/m?schema=x");
        assert_eq!(without_password("m.db"), "m.db");
    }

    #[test]
    fn a_connection_to_this_machine_is_not_encrypted_unless_asked() {
        let of = |url: &str| Location::read(url).unwrap().config.get_ssl_mode();
        assert_eq!(of("postgres://a@127.0.0.1/m"), SslMode::Disable);
        assert_eq!(of("postgres://a@localhost/m?sslmode=require"), SslMode::Require);
        assert_eq!(of("postgresql://a@db.example/m"), SslMode::Prefer);
    }

    #[test]
    fn no_message_holds_the_password() {
        for url in [
            "postgres://ann:s3cret?x@h/m",
            "postgres://ann:s3cret@h:port/m",
            "postgres://ann:s3cret@h/m?schema=Big",
            "postgres://ann:s3cret@h/m?sslmode=maybe",
            "postgres://ann:s3cret@h/m?sslcert=f",
            "postgres://ann:s3cret@h/m?colour=red",
            "postgres://ann:s3cret@h/m?pool_size=0",
            "postgres://ann:s3cret@h/m?held_memories=-1",
            "postgres://ann:s3cret@h/m?candidates=0",
            "postgres://",
        ] {
            let error = Location::read(url).err().unwrap_or_else(|| panic!("{url}")).to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
