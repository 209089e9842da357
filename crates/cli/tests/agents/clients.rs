//! Settings of clients: shown, changed, kept, given back; and the server as a client starts it.

use std::fs;

use crate::sandbox::{Outcome, PROGRAM, STORE, Sandbox, finish};

const CLIENTS: [(&str, &str, &str); 8] = [
    ("claude-code", "home/.claude.json", "{\n  \"numStartups\": 3\n}\n"),
    ("claude-desktop", "home/config/Claude/claude_desktop_config.json", "{}\n"),
    ("codex", "home/.codex/config.toml", "model = \"gpt\" # mine\n"),
    ("cursor", "home/.cursor/mcp.json", "{\"mcpServers\": {\"other\": {\"command\": \"other\"}}}\n"),
    ("vscode", "home/config/Code/User/mcp.json", "{\n\t// servers\n\t\"servers\": {}\n}\n"),
    ("gemini-cli", "home/.gemini/settings.json", "{\"theme\": \"dark\"}\n"),
    ("zed", "home/config/zed/settings.json", "// Zed settings\n{\n  \"vim_mode\": true, // yes\n}\n"),
    ("opencode", "home/config/opencode/opencode.json", "{\"$schema\": \"https://opencode.ai/config.json\"}\n"),
];

#[test]
#[cfg(target_os = "linux")]
fn a_client_gets_the_server_and_its_settings_are_given_back_byte_by_byte() {
    for (client, file, before) in CLIENTS {
        let sandbox = Sandbox::new();
        sandbox.write(file, before);
        let shown = sandbox.done(&["agents", "install", client, "--yes"]);
        assert!(shown.contains("+ ") && shown.contains(PROGRAM) && shown.contains("changed"), "{shown}");
        let changed = sandbox.read(file);
        assert!(changed.contains(PROGRAM), "{changed}");
        assert_eq!(sandbox.read(&format!("{file}.aforesaid-backup")), before);
        assert_eq!(sandbox.done(&["agents", "install", client, "--yes"]), "nothing to change\n");
        let doctor = sandbox.done(&["agents", "doctor", client]);
        assert!(doctor.contains("answers in") && doctor.contains("with 5 tools"), "{doctor}");
        sandbox.done(&["agents", "uninstall", client, "--yes"]);
        assert_eq!(sandbox.read(file), before, "{client}");
        assert_eq!(beside(&sandbox, file), [""; 0]);
        // Where there was no file, none is left.
        fs::remove_file(sandbox.path(file)).unwrap();
        sandbox.done(&["agents", "install", client, "--yes"]);
        sandbox.done(&["agents", "uninstall", client, "--yes"]);
        assert!(!sandbox.path(file).exists(), "{client}: {}", sandbox.read(file));
        assert_eq!(beside(&sandbox, file), [""; 0]);
    }
}

/// Files beside a file whose names begin with its name, by their endings.
fn beside(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let file = sandbox.path(file).to_string_lossy().into_owned();
    let found = sandbox.files().into_keys().map(|path| path.to_string_lossy().into_owned());
    found.filter_map(|path| path.strip_prefix(&file).map(str::to_owned)).filter(|ending| !ending.is_empty()).collect()
}

/// An entry of the same name that somebody had written was lost when the server was taken out, and its backup with it.
#[test]
#[cfg(target_os = "linux")]
fn an_entry_of_ones_own_comes_back() {
    for (client, file, _) in CLIENTS {
        let sandbox = Sandbox::new();
        let servers = match client {
            "vscode" => "servers",
            "zed" => "context_servers",
            "opencode" => "mcp",
            _ => "mcpServers",
        };
        let (own, more) = match client {
            "codex" => ("[mcp_servers.aforesaid]\ncommand = \"/old\" # old\nenv = { A = \"b\" }\n".to_owned(), "\n[more]\na = 1\n"),
            // In the words of the installation, too.
            "cursor" => (
                "{\n  \"mcpServers\": {\n    \"aforesaid\": {\n      \"command\": \"/old\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n"
                    .to_owned(),
                "// more\n",
            ),
            _ => (format!("{{\"{servers}\": {{\"aforesaid\": {{\"command\":\"/old\" /* old */,\"args\":[\"mcp\"]}}}}}}\n"), "// more\n"),
        };
        sandbox.write(file, &own);
        let said = sandbox.done(&["agents", "install", client, "--yes"]);
        assert!(said.contains("had an entry of that name") && !sandbox.read(file).contains("/old"), "{said}");
        // Installed again with other options, what is kept is still the first.
        let said = sandbox.done(&["agents", "install", client, "--yes", "--offline"]);
        assert!(!said.contains("had an entry"), "{said}");
        let said = sandbox.done(&["agents", "uninstall", client, "--yes"]);
        assert!(said.contains("the entry of before the installation is back"), "{said}");
        assert_eq!(sandbox.read(file), own, "{client}");
        assert_eq!(beside(&sandbox, file), [""; 0]);
        // What was changed in between stays.
        sandbox.done(&["agents", "install", client, "--yes"]);
        sandbox.write(file, sandbox.read(file) + more);
        sandbox.done(&["agents", "uninstall", client, "--yes"]);
        let left = sandbox.read(file);
        assert!(left.contains("/old") && left.contains(more.trim()) && !left.contains(PROGRAM), "{client}: {left}");
    }
}

/// A server of that name that this program never installed was deleted, and nothing kept it.
#[test]
fn a_server_of_another_program_stays() {
    let sandbox = Sandbox::new();
    for (command, stays) in [("/opt/vendor/tool", true), ("aforesaid", false), ("/usr/bin/Aforesaid.exe", false)] {
        let own = format!("{{\"mcpServers\": {{\"aforesaid\": {{\"command\": \"{command}\", \"args\": [\"mcp\"]}}}}}}");
        sandbox.write("home/.cursor/mcp.json", &own);
        let outcome = finish(&mut sandbox.command(&["agents", "uninstall", "cursor", "--yes"]));
        assert_eq!(sandbox.read("home/.cursor/mcp.json") == own, stays, "{command}: {outcome:?}");
        assert_eq!(
            outcome.stderr.contains("starts /opt/vendor/tool, not this program; it stays"),
            stays,
            "{outcome:?}"
        );
    }
}

#[test]
fn empty_and_absent_settings_come_back_so() {
    let hooks = |client| match client {
        "claude-code" => Some("home/.claude/settings.json"),
        "codex" => Some("home/.codex/hooks.json"),
        _ => None,
    };
    for (client, file, other) in CLIENTS {
        for before in [None, Some(""), Some("\n")] {
            let sandbox = Sandbox::new();
            let files: Vec<&str> = [file].into_iter().chain(hooks(client)).collect();
            if let Some(text) = before {
                files.iter().for_each(|file| sandbox.write(file, text));
            }
            let mut install = vec!["agents", "install", client, "--yes"];
            install.extend(hooks(client).map(|_| "--hooks"));
            sandbox.done(&install);
            // Again, with other options: the first entry is none of the user's.
            sandbox.done(&[&install[..], &["--offline"]].concat());
            sandbox.done(&["agents", "uninstall", client, "--yes"]);
            for file in &files {
                assert_eq!(
                    sandbox.path(file).exists().then(|| sandbox.read(file)).as_deref(),
                    before,
                    "{client}: {file}"
                );
                assert_eq!(beside(&sandbox, file), [""; 0]);
            }
            // What somebody took out by hand and wrote anew is what comes back.
            sandbox.done(&install);
            sandbox.write(file, other);
            sandbox.done(&install);
            sandbox.done(&["agents", "uninstall", client, "--yes"]);
            assert_eq!(sandbox.read(file), other, "{client}");
        }
    }
}

/// Settings with keys in them, which their owner alone could read, were there for everyone after an installation.
#[test]
#[cfg(unix)]
fn settings_that_others_may_not_read_stay_so() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let file = "home/.claude.json";
    sandbox.write(file, "{\"key\": \"secret\"}\n");
    fs::set_permissions(sandbox.path(file), fs::Permissions::from_mode(0o600)).unwrap();
    let mode = |file: &str| fs::metadata(sandbox.path(file)).unwrap().permissions().mode() & 0o777;
    sandbox.done(&["agents", "install", "claude-code", "--yes"]);
    assert_eq!((mode(file), mode("home/.claude.json.aforesaid-backup")), (0o600, 0o600));
    sandbox.done(&["agents", "uninstall", "claude-code", "--yes"]);
    assert_eq!(mode(file), 0o600);
}

/// The server was told of the store alone: with a folder of models that a variable named, a client searched by keywords.
#[test]
fn the_server_is_told_what_decides_what_is_found_and_no_key() {
    let sandbox = Sandbox::new();
    sandbox.write("c.toml", "min_confidence = 0.1\n");
    let mut install = sandbox.bare(&["agents", "install", "claude-code", "--hooks", "--yes", "--model-dir", "m"]);
    let variables = [
        ("AFORESAID_STORE", "a b.db"),
        ("AFORESAID_MODEL_CACHE", "cache"),
        ("AFORESAID_MODEL", "e5-small-v2"),
        ("AFORESAID_CONFIG", "c.toml"),
        ("AFORESAID_ENCODER_KEY", "sk-secret"),
        ("AFORESAID_LLM_KEY", "sk-secret"),
        ("AFORESAID_MCP_KEY", "sk-secret"),
    ];
    finish(install.envs(variables)).succeeded();
    let (server, hooks) = (sandbox.read("home/.claude.json"), sandbox.read("home/.claude/settings.json"));
    let settings: serde_json::Value = serde_json::from_str(&server).unwrap();
    let at = |name: &str| sandbox.path(name).to_string_lossy().into_owned();
    let expected = [
        "mcp".to_owned(),
        "--store".to_owned(),
        at("a b.db"),
        "--config".to_owned(),
        at("c.toml"),
        "--model".to_owned(),
        "e5-small-v2".to_owned(),
        "--model-dir".to_owned(),
        at("m"),
        "--model-cache".to_owned(),
        at("cache"),
    ];
    assert_eq!(settings["mcpServers"]["aforesaid"]["args"], serde_json::json!(expected));
    let told = format!("hook Stop --store '{}' --config {}", at("a b.db"), at("c.toml"));
    assert!(hooks.contains(&told) && hooks.contains(&format!("--model-cache {}\"", at("cache"))), "{hooks}");
    assert!(!server.contains("secret") && !hooks.contains("secret"), "{server}{hooks}");
    // An encoder on a server is told too, and a URL with a password in it is refused.
    let url = |url: &str| {
        let mut install = sandbox.bare(&["agents", "install", "cursor", "--yes", "--encoder-url", url]);
        finish(
            install
                .args(["--encoder-model", "e"])
                .envs(variables.iter().filter(|(name, _)| name.ends_with("KEY")).copied()),
        )
    };
    url("http://localhost:9/v1").succeeded();
    let told = sandbox.read("home/.cursor/mcp.json");
    assert!(
        told.contains("http://localhost:9/v1") && told.contains("\"--encoder-model\"") && !told.contains("secret"),
        "{told}"
    );
    assert_ne!(url("http://ann:secret@localhost:9/v1").code, 0);
    assert!(!sandbox.read("home/.cursor/mcp.json").contains("secret"));
}

/// All was said to be well where no model was on the machine, and searches went by keywords alone.
#[test]
fn the_doctor_says_that_no_model_is_there() {
    let sandbox = Sandbox::new();
    let run =
        |args: &[&str]| -> Outcome { finish(&mut sandbox.bare(&[&["--store", STORE, "--offline"], args].concat())) };
    run(&["agents", "install", "claude-code", "--yes", "--model-cache", "models here"]).succeeded();
    let wrong = run(&["agents", "doctor", "claude-code"]);
    let command = format!(
        "`aforesaid models pull all-MiniLM-L6-v2+conversations --model-cache '{}'`",
        sandbox.path("models here").display()
    );
    assert!(wrong.code == 4 && wrong.stdout.contains("keywords alone") && wrong.stdout.contains(&command), "{wrong:?}");
    run(&["agents", "install", "claude-code", "--yes", "--model", "none"]).succeeded();
    let fine = run(&["agents", "doctor", "claude-code"]).succeeded();
    assert!(fine.contains("ok     searches go by keywords: no model is to be used"), "{fine}");
}

/// A URL in an entry that somebody had written showed its password.
#[test]
fn a_password_in_an_entry_is_not_shown() {
    let sandbox = Sandbox::new();
    let entry = "{\"mcpServers\": {\"aforesaid\": {\"command\": \"/not/there\", \"args\": [\"mcp\", \"--store\", \"postgres://ann:hush@localhost/m\"]}}}";
    sandbox.write("home/.cursor/mcp.json", entry);
    for args in [&["agents", "status"][..], &["agents", "status", "--json"], &["agents", "doctor", "cursor"]] {
        let shown = finish(&mut sandbox.command(args));
        assert!(
            shown.stdout.contains("postgres://ann@localhost:5432/m") && !shown.stdout.contains("hush"),
            "{shown:?}"
        );
    }
}

#[test]
fn nothing_is_changed_without_a_yes_and_broken_settings_are_refused() {
    let sandbox = Sandbox::new();
    for json in [&[][..], &["--json"]] {
        let refused = finish(sandbox.command(&["agents", "install", "zed"]).args(json));
        assert!(refused.code == 2 && refused.stderr.contains("--yes"), "{refused:?}");
        assert!(!sandbox.path("home/config/zed").exists());
    }
    sandbox.write("home/.claude.json", "{\n\"mcpServers\": [\n");
    let refused = finish(&mut sandbox.command(&["agents", "install", "claude-code", "--yes"]));
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.contains(".claude.json: line 3: expected a value"), "{refused:?}");
    assert_eq!(sandbox.read("home/.claude.json"), "{\n\"mcpServers\": [\n");
}

#[test]
fn the_doctor_says_what_is_wrong() {
    let sandbox = Sandbox::new();
    let none = finish(&mut sandbox.command(&["agents", "doctor"]));
    assert!(none.code == 4 && none.stderr.contains("no client has the server"), "{none:?}");
    sandbox.write(
        "home/.cursor/mcp.json",
        "{\"mcpServers\": {\"aforesaid\": {\"command\": \"/not/there\", \"args\": [\"mcp\"]}}}",
    );
    let wrong = finish(&mut sandbox.command(&["agents", "doctor", "cursor"]));
    assert!(wrong.code == 4 && wrong.stdout.contains("WRONG  /not/there could not be started"), "{wrong:?}");
    let shell =
        "{\"mcpServers\": {\"aforesaid\": {\"command\": \"sh\", \"args\": [\"-c\", \"read line; echo hello\"]}}}";
    sandbox.write("home/.cursor/mcp.json", shell);
    let wrong = finish(&mut sandbox.command(&["agents", "doctor", "cursor"]));
    assert!(wrong.stdout.contains("WRONG  the answer to initialize is no message of the protocol: hello"), "{wrong:?}");
}

/// The hooks named no store, and wrote what the agent said into another one than the server reads.
#[test]
fn hooks_and_server_are_told_of_one_store() {
    let sandbox = Sandbox::new();
    sandbox.done(&["agents", "install", "claude-code", "--hooks", "--yes"]);
    let (server, hooks) = (sandbox.read("home/.claude.json"), sandbox.read("home/.claude/settings.json"));
    let store = sandbox.path(crate::sandbox::STORE);
    let store = store.to_string_lossy();
    assert!(server.contains(&*store), "{server}");
    assert!(hooks.contains(&format!("hook Stop --store {store} --model none\"")), "{hooks}");
    let doctor = |sandbox: &Sandbox| finish(&mut sandbox.command(&["agents", "doctor", "claude-code"]));
    assert!(doctor(&sandbox).stdout.contains("has the hooks"), "{:?}", doctor(&sandbox));
    sandbox.write("home/.claude/settings.json", hooks.replace(&*store, "/elsewhere/m.db"));
    let wrong = doctor(&sandbox);
    assert!(wrong.code == 4 && wrong.stdout.contains("hooks that use another store than the server"), "{wrong:?}");
    sandbox.write("home/.claude/settings.json", hooks.replace(" --model none", ""));
    let wrong = doctor(&sandbox);
    assert!(wrong.code == 4 && wrong.stdout.contains("hooks that use another model than the server"), "{wrong:?}");
    // Installed again, each hook is there once.
    sandbox.write("home/.claude/settings.json", hooks);
    assert_eq!(sandbox.done(&["agents", "install", "claude-code", "--hooks", "--yes"]), "nothing to change\n");
}
