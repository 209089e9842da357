//! What an import finds in folders, patterns and archives, and what an archive may not do.

use std::{
    fs,
    io::{Cursor, Write},
    ops::ControlFlow,
    path::Path,
};

use aforesaid::sources::{Found, Limits, visit, visit_bytes};
use zip::{ZipWriter, write::SimpleFileOptions};

/// An archive of these files.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A line for everything that was found: what it is, its name below the folder, and more.
fn list(found: &mut Vec<String>, top: &str) -> impl FnMut(Found) -> ControlFlow<()> {
    move |next| {
        let short = |name: &str| name.strip_prefix(top).unwrap_or(name).trim_start_matches('/').to_owned();
        found.push(match next {
            Found::File(file) => format!("{} ({}): {}", short(&file.name), file.stem, file.bytes.len()),
            Found::Left { name, kind } => format!("{} is left: {kind}", short(&name)),
            Found::Failed { name, error } => format!("{} failed: {}", short(&name), error.code()),
        });
        ControlFlow::Continue(())
    }
}

fn found_at(path: &Path, top: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let top = top.to_str().unwrap().to_owned();
    let _ = visit(path, Limits::default(), &mut list(&mut found, &top));
    found
}

fn found_in(archive: Vec<u8>, limits: Limits) -> Vec<String> {
    let mut found = Vec::new();
    let _ = visit_bytes("a.zip", "a", archive, limits, &mut list(&mut found, "a.zip"));
    found
}

/// What the only thing in an archive fails with.
fn refusal(archive: Vec<u8>, limits: Limits) -> String {
    let mut message = String::new();
    let _ = visit_bytes("a.zip", "a", archive, limits, &mut |found| {
        let Found::Failed { error, .. } = found else { panic!("{found:?}") };
        message = error.to_string();
        ControlFlow::Continue(())
    });
    message
}

/// A note is a conversation of whoever keeps it; in the archive of an export it is a file that somebody attached.
#[test]
fn notes_are_read_in_folders_and_mailboxes_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("vault")).unwrap();
    fs::write(folder.path().join("vault/Kites.md"), "# Kites").unwrap();
    fs::write(folder.path().join("inbox.mbox"), "From a").unwrap();
    let archive = zip(&[("Mail/All.mbox", b"From a"), ("attached.md", b"# Kites")]);
    fs::write(folder.path().join("takeout.zip"), archive).unwrap();
    assert_eq!(
        found_at(folder.path(), folder.path()),
        [
            "inbox.mbox (inbox): 6",
            "takeout.zip/Mail/All.mbox (Mail/All): 6",
            "takeout.zip/attached.md is left: document",
            "vault/Kites.md (vault/Kites): 7",
        ]
    );
}

#[test]
fn a_folder_is_walked_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("b/deep")).unwrap();
    fs::create_dir_all(at(".git")).unwrap();
    for name in
        ["c.json", "a.jsonl", "b/deep/x.ndjson", "b/y.json", ".hidden.json", ".git/z.json", "photo.JPG", "notes"]
    {
        fs::write(at(name), "{}").unwrap();
    }
    fs::write(at("b/export.zip"), zip(&[("conversations.json", b"[]"), ("voice.wav", b"RIFF")])).unwrap();
    assert_eq!(
        found_at(folder.path(), folder.path()),
        [
            "a.jsonl (a): 2",
            "b/deep/x.ndjson (b/deep/x): 2",
            "b/export.zip/conversations.json (conversations): 2",
            "b/export.zip/voice.wav is left: audio file",
            "b/y.json (b/y): 2",
            "c.json (c): 2",
            "notes is left: other file",
            "photo.JPG is left: image",
        ]
    );
}

/// The lists of names of a Slack export are read with its channels; those of other programs are files like any other.
#[test]
fn the_lists_of_a_slack_export_are_no_files_of_their_own() {
    let files: [(&str, &[u8]); 6] = [
        ("halden/ops/2025-09-02.json", b"[{}]"),
        ("halden/users.json", br#"[{"id": "U1", "name": "priya"}]"#),
        ("halden/dms.json", b"[]"),
        ("halden/channels.json", b"[{\"id\": \"C1\""),
        ("halden/integration_logs.json", b"[]"),
        ("claude/users.json", br#"[{"uuid": "1", "full_name": "Ann"}]"#),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let sorted = |mut found: Vec<String>| {
        found.sort();
        found
    };
    let expected = [
        "claude/users.json (claude/users): 35",
        "halden/channels.json (halden/channels): 12",
        "halden/integration_logs.json (halden/integration_logs): 2",
        "halden/ops/2025-09-02.json (halden/ops/2025-09-02): 4",
    ];
    assert_eq!(sorted(found_at(folder.path(), folder.path())), expected);
    assert_eq!(sorted(found_in(zip(&files), Limits::default())), expected);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), "{}").unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop.json")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("gone"), folder.path().join("lost.json")).unwrap();
    assert_eq!(found_at(folder.path(), folder.path()), ["a.json (a): 2", "lost.json failed: file_unreadable"]);
}

#[test]
fn a_pattern_is_expanded_where_the_shell_did_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    for name in ["b.json", "a.json", "c.txt", ".d.json", "sub/e.json", "odd[1].json"] {
        fs::write(at(name), "{}").unwrap();
    }
    assert_eq!(found_at(&at("?.json"), folder.path()), ["a.json (a): 2", "b.json (b): 2"]);
    assert_eq!(found_at(&at("s*"), folder.path()), ["sub/e.json (e): 2"]);
    assert_eq!(found_at(&at("odd[1].json"), folder.path()), ["odd[1].json (odd[1]): 2"], "a file of that name");
    assert_eq!(found_at(&at("x*"), folder.path()), ["x* failed: pattern_without_match"]);
    assert_eq!(found_at(&at("x.json"), folder.path()), ["x.json failed: file_unreadable"]);
}

#[test]
fn an_archive_is_read_as_it_was_downloaded() {
    let archive = zip(&[
        ("conversations.json", b"[1]"),
        ("sub/more.json", b"[22]"),
        ("chat.html", b"<html>"),
        ("image.png", b"PNG"),
        ("__MACOSX/._conversations.json", b"x"),
        (".hidden.json", b"x"),
    ]);
    let expected = [
        "conversations.json (conversations): 3",
        "sub/more.json (sub/more): 4",
        "chat.html is left: web page",
        "image.png is left: image",
    ];
    assert_eq!(found_in(archive.clone(), Limits::default()), expected);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("without an end");
    fs::write(&path, archive).unwrap();
    assert_eq!(found_at(&path, &path), expected, "an archive is told by its content");
    assert!(found_in(zip(&[]), Limits::default()).is_empty());
}

#[test]
fn a_bomb_is_named_before_it_fills_the_memory() {
    let zeros = vec![b' '; 8 << 20];
    let archive = zip(&[("bomb.json", &zeros), ("fine.json", b"{}")]);
    assert!(archive.len() < 64 << 10);
    assert_eq!(
        found_in(archive.clone(), Limits::default()),
        ["bomb.json failed: archive_ratio", "fine.json (fine): 2"]
    );
    let small = Limits { bytes: 1 << 20, ..Limits::default() };
    let message = refusal(zip(&[("large.json", &zeros)]), small);
    assert_eq!(
        message,
        "a.zip/large.json: found more than 1048576 bytes after unpacking; expected at most that; split the file"
    );
    // It may say that it is small: the directory's size of what follows is not what comes out.
    let lying = with_declared_size(archive, 2);
    let found = found_in(lying, Limits::default());
    assert!(found[0].starts_with("bomb.json failed: "), "{found:?}");
    let many: Vec<String> = (0..20).map(|n| format!("{n}.json")).collect();
    let files: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b"{}"[..])).collect();
    let few = Limits { entries: 19, ..Limits::default() };
    let message = refusal(zip(&files), few);
    assert!(message.contains("found 20 files in the archive; expected at most 19"), "{message}");
    assert_eq!(found_in(zip(&files), Limits { entries: 20, ..few }).len(), 20);
}

/// The archive with another unpacked size for its first file in the directory at its end.
fn with_declared_size(mut archive: Vec<u8>, size: u32) -> Vec<u8> {
    let at = archive.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    archive[at + 24..at + 28].copy_from_slice(&size.to_le_bytes());
    archive
}

#[test]
fn what_an_archive_may_not_have_is_named_and_the_rest_is_read() {
    let inner = zip(&[("conversations.json", b"[]")]);
    let archive = zip(&[("../up.json", b"{}"), ("more.zip", &inner), ("/abs.json", b"{}"), ("ok.json", b"{}")]);
    let found = found_in(archive, Limits::default());
    assert_eq!(found[0], "../up.json failed: archive_path");
    assert_eq!(found[1], "more.zip failed: nested_archive");
    assert_eq!(found.last().unwrap(), "ok.json (ok): 2");
    let mut locked = zip(&[("a.json", b"{}"), ("b.json", b"{}")]);
    for (magic, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = locked.windows(4).position(|bytes| bytes == magic).unwrap();
        locked[at + flags] |= 1;
    }
    assert_eq!(found_in(locked, Limits::default()), ["a.json failed: encrypted_archive", "b.json (b): 2"]);
}

#[test]
fn files_that_share_packed_bytes_are_refused() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a.json", SimpleFileOptions::default()).unwrap();
    zip.write_all(b"{\"one\": 1}").unwrap();
    zip.shallow_copy_file("a.json", "b.json").unwrap();
    let message = refusal(zip.finish().unwrap().into_inner(), Limits::default());
    assert!(message.contains("share packed bytes"), "{message}");
}

#[test]
fn a_damaged_archive_is_named() {
    let whole = zip(&[("a.json", &b"{\"a\": [1, 2, 3]}".repeat(50)), ("b.json", b"{}")]);
    assert!(refusal(whole[..whole.len() - 30].to_vec(), Limits::default()).contains("the zip archive cannot be read"));
    let mut flipped = whole;
    flipped[45] ^= 0xFF;
    assert_eq!(found_in(flipped, Limits::default()), ["a.json failed: broken_archive", "b.json (b): 2"]);
}
