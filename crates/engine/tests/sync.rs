//! Keeping up with logs: only what is new, nothing twice, nothing lost, nothing that was forgotten or cut out.

use std::{
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use aforesaid::{
    Memory, Target,
    formats::agents::{Agent, ToolTurns},
    secrets::SecretCutter,
    store::MemoryRef,
    sync::{Cursors, LogRoots, OlderTurns, ProjectRules, SyncOptions, SyncReport, discover},
    types::{MemoryId, Namespace, Scope},
};
use tempfile::TempDir;

use crate::secret_corpus;

const CLAUDE: &str = include_str!("../../fuzz-targets/corpus/import_claude_code/session.jsonl");
const SUBAGENT: &str = include_str!("../../fuzz-targets/corpus/import_claude_code/subagent.jsonl");
const CODEX: &str = include_str!("../../fuzz-targets/corpus/import_codex/legacy.jsonl");
const PAGINATED: &str = include_str!("../../fuzz-targets/corpus/import_codex/paginated.jsonl");
const FIRST: &str = include_str!("../../fuzz-targets/corpus/import_codex/first.jsonl");
const GEMINI: &str = include_str!("../../fuzz-targets/corpus/import_gemini_cli/session.jsonl");
const SESSION: &str = "0b8f5c1e-9a43-4a0e-8a53-5d8f6b2c7e10";

/// A home with logs, and a store.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// The text of a fixture with a project folder that is there.
    fn at_home(&self, text: &str) -> String {
        let project = self.folder.path().join("kites");
        fs::create_dir_all(&project).unwrap();
        text.replace("/home/ann/kites", project.to_str().unwrap())
    }

    fn namespace(&self) -> Namespace {
        let project = self.folder.path().join("kites").canonicalize().unwrap();
        Namespace::new(project.to_str().unwrap()).unwrap()
    }

    fn roots(&self) -> LogRoots {
        let root = |name: &str| vec![self.folder.path().join(name)];
        LogRoots {
            claude_code: root(".claude"),
            codex: root(".codex"),
            gemini_cli: root(".gemini"),
            opencode: root("opencode"),
            cursor: root("Cursor"),
        }
    }

    fn memory(&self) -> Memory {
        Memory::builder().open(self.folder.path().join("memory.db").to_str().unwrap()).unwrap()
    }

    fn cursors(&self) -> Cursors {
        Cursors::beside(&self.folder.path().join("memory.db"))
    }

    fn sync_with(&self, memory: &Memory, options: &SyncOptions) -> SyncReport {
        let (logs, failed) = discover(&self.roots(), &Agent::ALL);
        assert!(failed.is_empty(), "{failed:?}");
        let cursors = self.cursors();
        let lock = cursors.lock(|| ()).unwrap();
        let report = memory.sync(&logs, &cursors, &lock, options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(report.failed.is_empty(), "{:?}", report.failed);
        report
    }

    fn sync(&self, memory: &Memory) -> SyncReport {
        self.sync_with(memory, &options())
    }

    /// What the project holds, a line a memory.
    fn export(&self, memory: &Memory) -> String {
        self.export_of(memory, &self.namespace())
    }

    fn export_of(&self, memory: &Memory, namespace: &Namespace) -> String {
        let mut out = Vec::new();
        memory.export(namespace, &Scope::default(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// What all projects hold.
    fn export_all(&self, memory: &Memory) -> String {
        memory.namespaces().unwrap().iter().map(|namespace| self.export_of(memory, namespace)).collect()
    }
}

fn options() -> SyncOptions {
    SyncOptions {
        tools: ToolTurns::Short,
        since: None,
        older: OlderTurns::Read,
        rules: ProjectRules::default(),
        secrets: SecretCutter::new(None).unwrap(),
        namespace: None,
        most_turns: None,
    }
}

fn claude_path() -> String {
    format!(".claude/projects/-home-ann-kites/{SESSION}.jsonl")
}

#[test]
fn logs_of_all_line_agents_come_to_their_project_once() {
    let home = Home::new();
    home.write(&claude_path(), home.at_home(CLAUDE));
    home.write(
        &format!(".claude/projects/-home-ann-kites/{SESSION}/subagents/agent-c3d4.jsonl"),
        home.at_home(SUBAGENT),
    );
    let rollout = "rollout-2026-11-01T09-00-00-019a7c11-52c0-7d10-9f4e-aa11bb22cc33.jsonl";
    home.write(&format!(".codex/sessions/2026/11/01/{rollout}"), home.at_home(CODEX));
    home.write(".gemini/tmp/kites/.project_root", home.at_home("/home/ann/kites\n"));
    home.write(".gemini/tmp/kites/chats/session-1.jsonl", GEMINI);
    let memory = home.memory();
    let report = home.sync(&memory);
    let project = &report.projects[&home.namespace()];
    // Git's remote of the log is not that of the folder, which is no repository.
    assert_eq!((report.logs, report.read, project.added), (4, 4, 16 + 2 + 8 + 6));
    assert_eq!(project.agents.len(), 3);
    assert!(report.left_out[&Agent::ClaudeCode].unknown.contains_key("hologram"));
    assert_eq!(report.questions.len(), 3, "{:?}", report.questions);
    let before = home.export(&memory);
    let again = home.sync(&memory);
    assert_eq!((again.read, again.bytes, again.projects.len()), (0, 0, 0));
    assert_eq!(home.export(&memory), before);
    assert!(before.contains("\"session\":\"agent-c3d4\"") && before.contains("\"tags\":[\"tool\"]"));
}

#[test]
fn a_log_that_grows_in_random_cuts_is_as_one_that_was_read_at_once() {
    let codex =
        |number: u32| format!(".codex/sessions/2026/11/01/rollout-a-019a7c11-52c0-7d10-9f4e-aa11bb22cc{number}.jsonl");
    let all = [
        (claude_path(), CLAUDE),
        (format!(".claude/projects/-home-ann-kites/{SESSION}/subagents/agent-c3d4.jsonl"), SUBAGENT),
        (codex(33), CODEX),
        (codex(34), PAGINATED),
        (codex(35), FIRST),
        (".gemini/tmp/kites/chats/session-1.jsonl".to_owned(), GEMINI),
    ];
    for (path, text) in all {
        let whole = Home::new();
        whole.write(".gemini/tmp/kites/.project_root", whole.at_home("/home/ann/kites"));
        whole.write(&path, whole.at_home(text));
        let memory = whole.memory();
        whole.sync(&memory);
        let name = |home: &Home, text: String| text.replace(home.folder.path().to_str().unwrap(), "HOME");
        let expected = name(&whole, whole.export_all(&memory));
        assert!(!expected.is_empty(), "{path}");
        for seed in 1..6u64 {
            let home = Home::new();
            home.write(".gemini/tmp/kites/.project_root", home.at_home("/home/ann/kites"));
            let text = home.at_home(text);
            let memory = home.memory();
            let (mut at, mut state) = (0usize, seed);
            while at < text.len() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                at = (at + 1 + (state >> 33) as usize % 1_500).min(text.len());
                home.write(&path, &text.as_bytes()[..at]);
                home.sync(&memory);
            }
            assert_eq!(name(&home, home.export_all(&memory)), expected, "{path}, seed {seed}");
        }
    }
}

#[test]
fn a_log_that_is_moved_and_packed_is_the_same_log() {
    let home = Home::new();
    let name = "rollout-2026-11-01T09-00-00-019a7c11-52c0-7d10-9f4e-aa11bb22cc33.jsonl";
    let text = home.at_home(CODEX);
    home.write(&format!(".codex/sessions/2026/11/01/{name}"), &text);
    let memory = home.memory();
    home.sync(&memory);
    let before = home.export(&memory);
    fs::remove_file(home.folder.path().join(format!(".codex/sessions/2026/11/01/{name}"))).unwrap();
    let packed = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    home.write(&format!(".codex/archived_sessions/{name}.zst"), packed);
    let report = home.sync(&memory);
    assert_eq!((report.read, report.bytes, report.anew), (1, 0, 0));
    assert_eq!(home.export(&memory), before);
    // A log that was packed from the beginning is read, too.
    let fresh = Home::new();
    let text = fresh.at_home(CODEX);
    let packed = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    fresh.write(&format!(".codex/sessions/2026/11/01/{name}.zst"), packed);
    assert_eq!(fresh.sync(&fresh.memory()).projects[&fresh.namespace()].added, 8);
}

#[test]
fn a_log_that_was_replaced_is_read_anew_and_nothing_is_there_twice() {
    let home = Home::new();
    let text = home.at_home(CLAUDE);
    home.write(&claude_path(), &text);
    let memory = home.memory();
    home.sync(&memory);
    let count = home.export(&memory).lines().count();
    let rotated: String = text.lines().skip(4).map(|line| format!("{line}\n")).collect();
    home.write(&claude_path(), rotated);
    let report = home.sync(&memory);
    assert_eq!((report.anew, report.read), (1, 1));
    assert_eq!(home.export(&memory).lines().count(), count);
}

/// Every turn of a resumed session was stored again, and what was forgotten came back with it.
#[test]
fn what_a_resumed_session_repeats_is_stored_once_and_stays_forgotten() {
    let home = Home::new();
    let text = home.at_home(CLAUDE);
    home.write(&claude_path(), &text);
    let memory = home.memory();
    home.sync(&memory);
    let before = home.export(&memory);
    let forgotten = MemoryRef { id: MemoryId::new("u4").unwrap(), conversation: None };
    memory.forget(&home.namespace(), &Target::One(forgotten)).unwrap();
    let other = "7c1d2e3f-0000-4000-8000-aabbccddeeff";
    let resumed = text.replace(SESSION, other);
    let line = text.lines().find(|line| line.contains("\"u4\"")).unwrap();
    let next = line.replace(SESSION, other).replace("\"u4\"", "\"u9\"").replace("Did the reel hold", "And the string");
    home.write(&claude_path().replace(SESSION, other), format!("{resumed}{next}\n"));
    let report = home.sync(&memory);
    assert_eq!(report.projects[&home.namespace()].added, 1, "{report:?}");
    assert!(report.repeated > 10, "{report:?}");
    let after = home.export(&memory);
    assert!(after.contains("And the string") && !after.contains("Did the reel hold"), "{after}");
    assert_eq!(after.lines().count(), before.lines().count());
    // The same of a run of its own, and of a log that is read anew.
    let options = SyncOptions { tools: ToolTurns::Full, ..options() };
    home.sync_with(&memory, &options);
    assert_eq!(home.export(&memory).lines().count(), before.lines().count());
    assert!(!home.export(&memory).contains("Did the reel hold"));
}

/// A copy whose name comes first was read first: forgetting the session that it goes on with forgot nothing, and its hook was
/// handed what it had repeated.
#[test]
fn a_resumed_session_is_read_after_the_one_that_it_repeats_and_says_which_that_is() {
    let home = Home::new();
    let text = home.at_home(CLAUDE);
    let copy = "00000000-1111-4000-8000-aabbccddeeff";
    let line = text.lines().find(|line| line.contains("\"u4\"")).unwrap();
    let next = line.replace(SESSION, copy).replace("\"u4\"", "\"u9\"").replace("Did the reel hold", "And the string");
    let paths = [claude_path().replace(SESSION, copy), claude_path()];
    home.write(&paths[0], format!("{}{next}\n", text.replace(SESSION, copy)));
    home.write(&paths[1], &text);
    let log = |path: &str| home.folder.path().join(path);
    let an_hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    fs::File::options().write(true).open(log(&paths[1])).unwrap().set_modified(an_hour_ago).unwrap();
    let memory = home.memory();
    let report = home.sync(&memory);
    assert!(report.repeated > 10, "{report:?}");
    let cursors = home.cursors();
    let original = Agent::ClaudeCode.conversation(SESSION).unwrap();
    // The log of the fixture has a line of a fork, too.
    let of_fork = Agent::ClaudeCode.conversation("other").unwrap();
    assert_eq!(cursors.repeated_by(&log(&paths[0])), [original.clone(), of_fork.clone()]);
    assert_eq!(cursors.repeated_by(&log(&paths[1])), [of_fork]);
    let lock = cursors.lock(|| ()).unwrap();
    let forget = |path: &str| memory.forget_synced(&cursors, &lock, |_, file| file == log(path)).unwrap();
    let gone = forget(&paths[0]);
    let elsewhere: Vec<_> = gone.elsewhere.iter().map(|there| there.conversation.clone()).collect();
    assert_eq!((gone.turns, elsewhere), (1, vec![original]));
    let gone = forget(&paths[1]);
    assert!(gone.turns > 10 && gone.elsewhere.is_empty(), "{gone:?}");
    assert_eq!(home.export_all(&memory), "");
}

/// A fork marks the lines that it repeats, and gives them ids of its own.
#[test]
fn a_fork_says_which_session_it_repeats() {
    let home = Home::new();
    let text = home.at_home(CLAUDE);
    home.write(&claude_path(), &text);
    let fork = "7c1d2e3f-0000-4000-8000-aabbccddeeff";
    let forked_from = format!("{{\"forkedFrom\":{{\"sessionId\":\"{SESSION}\",\"messageUuid\":\"u1\"}},");
    let copied =
        text.replace(SESSION, fork).lines().map(|line| line.replacen('{', &forked_from, 1) + "\n").collect::<String>();
    let path = claude_path().replace(SESSION, fork);
    home.write(&path, copied);
    let memory = home.memory();
    home.sync(&memory);
    let repeated = home.cursors().repeated_by(&home.folder.path().join(&path));
    assert_eq!(repeated, [Agent::ClaudeCode.conversation(SESSION).unwrap()]);
}

#[test]
fn what_was_forgotten_stays_forgotten_while_the_log_grows() {
    let home = Home::new();
    let text = home.at_home(CLAUDE);
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    home.write(&claude_path(), &text[..last]);
    let memory = home.memory();
    home.sync(&memory);
    // It is in the round that is read again.
    let forgotten = MemoryRef { id: MemoryId::new("u4").unwrap(), conversation: None };
    memory.forget(&home.namespace(), &Target::One(forgotten)).unwrap();
    home.write(&claude_path(), &text);
    let report = home.sync(&memory);
    assert_eq!(report.projects[&home.namespace()].added, 1);
    assert!(!home.export(&memory).contains("Did the reel hold"));
}

/// A turn that was forgotten alone came back when its log was read anew: with other `--tools`, from an earlier `--since`,
/// under a new name of the project, or since the file was replaced.
#[test]
fn what_was_forgotten_stays_forgotten_when_a_log_is_read_anew() {
    let forgotten = "The shed has red paint.";
    let since = |moment: &str| Some(moment.parse().unwrap());
    let other = Namespace::new("forge.example/ann/kites").unwrap();
    let anew: [(&str, SyncOptions, SyncOptions); 3] = [
        ("other tools", options(), SyncOptions { tools: ToolTurns::Full, ..options() }),
        ("an earlier time", SyncOptions { since: since("2026-11-01T08:05:00Z"), ..options() }, options()),
        ("another name", options(), SyncOptions { namespace: Some(other.clone()), ..options() }),
    ];
    for (how, first, then) in anew {
        let home = Home::new();
        home.write(&claude_path(), home.at_home(CLAUDE));
        let memory = home.memory();
        home.sync_with(&memory, &first);
        let line = home.export(&memory).lines().find(|line| line.contains(forgotten)).unwrap().to_owned();
        let id = serde_json::from_str::<serde_json::Value>(&line).unwrap()["id"].as_str().unwrap().to_owned();
        let target = MemoryRef { id: MemoryId::new(id).unwrap(), conversation: None };
        memory.forget(&home.namespace(), &Target::One(target)).unwrap();
        // A log is looked at when it grows.
        let more = "{\"type\":\"user\",\"uuid\":\"u9\",\"message\":{\"content\":\"More?\"}}\n";
        home.write(&claude_path(), home.at_home(CLAUDE) + more);
        let report = home.sync_with(&memory, &then);
        assert_eq!((report.read, report.forgotten), (1, 1), "{how}");
        let namespace = then.namespace.clone().unwrap_or_else(|| home.namespace());
        let left = home.export_of(&memory, &namespace);
        assert!(!left.contains(forgotten), "{how}: {left}");
        assert_eq!(left.lines().count(), 16, "{how}");
        // And again, with the first options.
        home.sync_with(&memory, &SyncOptions { namespace: then.namespace.clone(), ..first });
        assert!(!home.export(&memory).contains(forgotten), "{how}");
    }
}

#[test]
fn what_was_forgotten_stays_forgotten_when_a_log_is_replaced() {
    let home = Home::new();
    let text = home.at_home(CLAUDE);
    home.write(&claude_path(), &text);
    let memory = home.memory();
    home.sync(&memory);
    let target = MemoryRef { id: MemoryId::new("u4").unwrap(), conversation: None };
    memory.forget(&home.namespace(), &Target::One(target)).unwrap();
    let count = home.export(&memory).lines().count();
    home.write(&claude_path(), text.replacen('\n', "\n\n", 1));
    let report = home.sync(&memory);
    assert_eq!((report.anew, report.forgotten), (1, 1));
    assert_eq!(home.export(&memory).lines().count(), count);
    // No cursor holds what could tell its text.
    for path in fs::read_dir(home.cursors().folder()).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "json") {
            let cursor: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            assert!(cursor["open"].get("u4").is_none() && cursor["open"].get("u1").is_some(), "{cursor}");
        }
    }
}

#[test]
fn a_secret_is_in_no_file() {
    let home = Home::new();
    let key = format!("{}_{}", "ghp", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5");
    let text = home.at_home(CLAUDE).replace("Mind the spring, too.", &format!("Mind the spring, {key}."));
    home.write(&claude_path(), text);
    let memory = home.memory();
    let report = home.sync_with(&memory, &SyncOptions { tools: ToolTurns::Full, ..options() });
    assert_eq!(report.cut["github token"], 1);
    assert!(home.export(&memory).contains("Mind the spring, [cut: github token]."));
    drop(memory);
    let holds = |path: &Path| fs::read(path).unwrap().windows(key.len()).any(|window| window == key.as_bytes());
    let mut files = vec![home.folder.path().join("memory.db")];
    files.extend(fs::read_dir(home.cursors().folder()).unwrap().map(|entry| entry.unwrap().path()));
    assert!(files.len() >= 3);
    assert!(files.iter().all(|path| !holds(path)));
}

/// A test of one key says little of the others.
#[test]
fn no_secret_of_the_corpus_is_in_any_file() {
    let home = Home::new();
    let corpus = secret_corpus::positives();
    home.at_home("");
    let cwd = home.folder.path().join("kites");
    let line = |(number, (text, _)): (usize, &(String, String))| {
        let said = serde_json::json!({
            "type": "user", "uuid": format!("u{number}"), "sessionId": SESSION, "cwd": cwd,
            "timestamp": "2026-03-01T10:00:00Z", "message": {"role": "user", "content": text},
        });
        format!("{said}\n")
    };
    let log: String = corpus.iter().enumerate().map(line).collect();
    home.write(&claude_path(), log);
    let memory = home.memory();
    let report = home.sync_with(&memory, &SyncOptions { tools: ToolTurns::Full, ..options() });
    assert!(report.cut.values().sum::<u64>() >= corpus.len() as u64, "{:?}", report.cut);
    assert!(home.export_all(&memory).matches("[cut: ").count() >= corpus.len());
    drop(memory);
    let mut files: Vec<PathBuf> =
        fs::read_dir(home.folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.extend(fs::read_dir(home.cursors().folder()).unwrap().map(|entry| entry.unwrap().path()));
    let mut looked_at = 0;
    for path in files.iter().filter(|path| path.is_file()) {
        let bytes = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let found: Vec<&str> = corpus
            .iter()
            .map(|(_, secret)| secret.lines().next().unwrap())
            .filter(|secret| bytes.contains(secret))
            .collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        looked_at += 1;
    }
    assert!(looked_at >= 3, "{files:?}");
}

#[test]
fn projects_times_and_size_are_bounded_and_the_report_says_so() {
    let home = Home::new();
    home.write(&claude_path(), home.at_home(CLAUDE));
    let memory = home.memory();
    let denied = ProjectRules::new(&[], &[home.folder.path().to_string_lossy().into_owned()]).unwrap();
    let report = home.sync_with(&memory, &SyncOptions { rules: denied, ..options() });
    assert_eq!((report.denied, report.projects.len()), (1, 0));
    let since = Some("2026-11-02".parse().unwrap());
    let report = home.sync_with(&memory, &SyncOptions { since, ..options() });
    assert_eq!((report.projects[&home.namespace()].added, report.too_old), (3, 13));
    // A hook that keeps up asks for nothing older.
    assert_eq!(home.sync_with(&memory, &SyncOptions { older: OlderTurns::Leave, ..options() }).read, 0);
    // Asked for more, it is read again.
    let report = home.sync(&memory);
    assert_eq!(report.projects[&home.namespace()].added, 13);
    home.write(
        &claude_path(),
        home.at_home(CLAUDE) + "{\"type\":\"user\",\"uuid\":\"u9\",\"message\":{\"content\":\"More?\"}}\n",
    );
    let report = home.sync_with(&memory, &SyncOptions { most_turns: Some(10), ..options() });
    let dropped = &report.dropped[0];
    assert!(dropped.turns >= 7 && dropped.sessions >= 1, "{dropped:?}");
    assert!(memory.stats(&home.namespace()).unwrap().turns <= 10);
    // Nothing is suggested that was dropped.
    let left = home.export(&memory);
    let is_left = |text: &str| left.contains(text.split_once(": ").map_or(text, |(_, about)| about));
    assert!(report.questions.iter().all(|question| is_left(&question.text)), "{:?}", report.questions);
}

#[test]
fn a_source_is_forgotten_and_not_read_again() {
    let home = Home::new();
    home.write(&claude_path(), home.at_home(CLAUDE));
    home.write(".codex/sessions/rollout-a-019a7c11-52c0-7d10-9f4e-aa11bb22cc33.jsonl", home.at_home(CODEX));
    let memory = home.memory();
    home.sync(&memory);
    let cursors = home.cursors();
    {
        let lock = cursors.lock(|| ()).unwrap();
        assert!(cursors.try_lock().unwrap().is_none());
        let gone = memory.forget_synced(&cursors, &lock, |agent, _| agent == Agent::ClaudeCode).unwrap().turns;
        assert_eq!(gone, 16);
    }
    assert_eq!(home.sync(&memory).projects.len(), 0);
    // Other options would read a log anew.
    assert_eq!(home.sync_with(&memory, &SyncOptions { tools: ToolTurns::Full, ..options() }).projects.len(), 1);
    let left = home.export(&memory);
    assert!(left.lines().all(|line| line.contains("codex:")) && left.lines().count() == 8);
}

#[test]
fn databases_of_opencode_and_cursor_are_read_as_they_change() {
    let home = Home::new();
    home.at_home("");
    let folder = home.folder.path().join("kites").to_string_lossy().into_owned();
    fs::create_dir_all(home.folder.path().join("opencode")).unwrap();
    let opencode = rusqlite::Connection::open(home.folder.path().join("opencode/opencode.db")).unwrap();
    opencode
        .execute_batch(
            "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
             CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
             CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);",
        )
        .unwrap();
    opencode.execute("INSERT INTO session VALUES ('ses_1', NULL, ?1, 'Sew', 1, 1)", [&folder]).unwrap();
    opencode.execute("INSERT INTO session VALUES ('ses_2', 'ses_1', ?1, 'Look', 2, 2)", [&folder]).unwrap();
    for (session, message, role) in
        [("ses_1", "msg_1", "user"), ("ses_1", "msg_2", "assistant"), ("ses_2", "msg_3", "assistant")]
    {
        let data = format!("{{\"role\":\"{role}\",\"time\":{{\"created\":1793000000000}}}}");
        opencode.execute("INSERT INTO message VALUES (?1, ?2, 1, 1, ?3)", [message, session, &data]).unwrap();
        let part = format!("{{\"type\":\"text\",\"text\":\"Said in {message}.\"}}");
        opencode
            .execute(
                "INSERT INTO part VALUES (?1, ?2, ?3, 1, 1, ?4)",
                [&format!("prt_{message}"), message, session, &part],
            )
            .unwrap();
    }
    fs::create_dir_all(home.folder.path().join("Cursor/globalStorage")).unwrap();
    let cursor = rusqlite::Connection::open(home.folder.path().join("Cursor/globalStorage/state.vscdb")).unwrap();
    cursor.execute_batch("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)").unwrap();
    let headers = r#""createdAt":1793100000000,"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1}]"#;
    let composer = format!("{{\"workspaceIdentifier\":{{\"uri\":{{\"fsPath\":{folder:?}}}}},{headers}}}");
    cursor.execute("INSERT INTO cursorDiskKV VALUES ('composerData:c1', ?1)", [composer.as_bytes()]).unwrap();
    cursor
        .execute("INSERT INTO cursorDiskKV VALUES ('bubbleId:c1:b1', '{\"type\":1,\"text\":\"Wax it.\"}')", [])
        .unwrap();

    let memory = home.memory();
    let report = home.sync(&memory);
    assert_eq!(report.projects[&home.namespace()].added, 4, "{report:?}");
    let told = home.export(&memory);
    assert!(told.contains("\"session\":\"agent-ses_2\"") && told.contains("Wax it."), "{told}");
    assert_eq!(home.sync(&memory).read, 0);

    // One message is taken back, and one goes on.
    opencode.execute_batch("DELETE FROM part WHERE message_id = 'msg_1'; DELETE FROM message WHERE id = 'msg_1'; UPDATE session SET time_updated = 9 WHERE id = 'ses_1'").unwrap();
    cursor
        .execute("INSERT INTO cursorDiskKV VALUES ('bubbleId:c1:b1', '{\"type\":1,\"text\":\"Wax it twice.\"}')", [])
        .unwrap();
    let report = home.sync(&memory);
    let project = &report.projects[&home.namespace()];
    assert_eq!((project.added, project.replaced, project.removed), (0, 1, 1), "{report:?}");
    let told = home.export(&memory);
    assert!(!told.contains("msg_1") && told.contains("Wax it twice."), "{told}");
}
