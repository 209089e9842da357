//! A forget beside a reader failed with "run the same command again", which then found no such turn and emptied nothing.

use std::{fmt::Write, io::Read, process::Stdio};

use crate::sandbox::{Sandbox, finish};

/// Turns of more text than a pipe holds, one of them with a secret.
fn history() -> String {
    let mut lines = String::new();
    for n in 0..2_000 {
        let text = if n == 7 { "xyzzy-4711".to_owned() } else { format!("Turn {n} says something of no interest.") };
        writeln!(lines, r#"{{"id":"D1:{n}","conversation":"c1","session":"s1","speaker":"Ann","text":"{text}"}}"#)
            .unwrap();
    }
    lines
}

fn holds_secret(sandbox: &Sandbox) -> bool {
    let of_store = |name: &str| name.starts_with("memory.db");
    sandbox.files().into_iter().any(|(path, bytes)| {
        of_store(&path.file_name().unwrap().to_string_lossy())
            && bytes.windows(10).any(|window| window == b"xyzzy-4711")
    })
}

#[test]
fn a_forget_beside_a_reader_tells_what_went_and_is_finished_later() {
    let sandbox = Sandbox::holding(&history());
    assert!(holds_secret(&sandbox));
    // A reader in the middle of its work: nobody takes what it writes.
    let mut reader = sandbox.command(&["export"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 1];
    reader.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();

    let forgotten = sandbox.json(&["forget", "D1:7", "--yes"]);
    assert_eq!((&forgotten["forgotten"]["turns"], &forgotten["forgotten"]["erasure"]), (&1.into(), &"pending".into()));
    assert_eq!(sandbox.json(&["stats"])["erasure"], "pending");
    let told = finish(&mut sandbox.command(&["stats"]));
    assert!(told.stderr.contains("its log still holds the bytes"), "{told:?}");
    assert!(holds_secret(&sandbox), "else this tests nothing");

    reader.kill().unwrap();
    reader.wait().unwrap();
    let again = finish(&mut sandbox.command(&["forget", "D1:7", "--yes"]));
    assert_eq!(again.code, 3, "{again:?}");
    assert!(!holds_secret(&sandbox), "any later command finishes it");
    assert_eq!(sandbox.json(&["stats"])["erasure"], "complete");
}

#[test]
fn a_title_of_one_session_of_several_does_not_forget_the_others() {
    let sandbox = Sandbox::holding(concat!(
        r#"{"id":"a","conversation":"mail","session":"t1","title":"Your offer","speaker":"Ann","text":"We offer 900."}"#,
        "\n",
        r#"{"id":"b","conversation":"mail","session":"t2","title":"The lease","speaker":"Bo","text":"It ends in May."}"#,
    ));
    let refused = finish(&mut sandbox.command(&["forget", "--conversation", "your offer", "--yes"]));
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.contains(r#"--conversation "mail", with --session "t1""#), "{refused:?}");
    assert_eq!(
        sandbox.json(&["forget", "--conversation", "mail", "--session", "t1", "--yes"])["forgotten"]["turns"],
        1
    );
    // What is left has one title, which may stand for the conversation.
    assert_eq!(sandbox.json(&["forget", "--conversation", "The lease", "--yes"])["forgotten"]["turns"], 1);
}
