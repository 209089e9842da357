//! Settings of clients: shown, changed, kept, given back; and the server as a client starts it.

use std::fs;

use super::sandbox::{PROGRAM, Sandbox, finish};

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
        // The server that it starts looks for no model, either.
        let mut doctor = sandbox.command(&["agents", "doctor", client]);
        let doctor = finish(doctor.env("AFORESAID_MODEL", "none")).succeeded();
        assert!(doctor.contains("answers in") && doctor.contains("with 5 tools"), "{doctor}");
        sandbox.done(&["agents", "uninstall", client, "--yes"]);
        assert_eq!(sandbox.read(file), before, "{client}");
        assert!(!sandbox.path(&format!("{file}.aforesaid-backup")).exists());
        // Where there was no file, none is left.
        fs::remove_file(sandbox.path(file)).unwrap();
        sandbox.done(&["agents", "install", client, "--yes"]);
        sandbox.done(&["agents", "uninstall", client, "--yes"]);
        assert!(!sandbox.path(file).exists(), "{client}: {}", sandbox.read(file));
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
    let store = sandbox.path(super::sandbox::STORE);
    let store = store.to_string_lossy();
    assert!(server.contains(&*store), "{server}");
    assert!(hooks.contains(&format!("hook Stop --store {store}\"")), "{hooks}");
    let doctor = |sandbox: &Sandbox| {
        finish(sandbox.command(&["agents", "doctor", "claude-code"]).env("AFORESAID_MODEL", "none"))
    };
    assert!(doctor(&sandbox).stdout.contains("has the hooks"), "{:?}", doctor(&sandbox));
    sandbox.write("home/.claude/settings.json", hooks.replace(&*store, "/elsewhere/m.db"));
    let wrong = doctor(&sandbox);
    assert!(wrong.code == 4 && wrong.stdout.contains("hooks that use another store than the server"), "{wrong:?}");
    // Installed again, each hook is there once.
    sandbox.write("home/.claude/settings.json", hooks);
    assert_eq!(sandbox.done(&["agents", "install", "claude-code", "--hooks", "--yes"]), "nothing to change\n");
}
