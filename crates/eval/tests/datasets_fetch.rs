//! Fetching public files, from a server on this machine.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    thread,
};

use aforesaid_eval::datasets::{DataSet, Entry, Fetched, Origin, PublicFile};

use crate::folder::Folder;

const FILES: [PublicFile; 2] = [
    PublicFile {
        path: "v1/data/one.json",
        name: "one.json",
        size: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    },
    PublicFile {
        path: "v1/data/two.json",
        name: "deep/er/two.json",
        size: 1,
        // printf x | sha256sum
        sha256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    },
];

/// An entry whose files are at a server that answers by path.
fn entry(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Entry {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut byte = [0; 1];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                request.push(byte[0]);
            }
            let text = String::from_utf8_lossy(&request).into_owned();
            if let Some(path) = text.split(' ').nth(1) {
                let _ = stream.write_all(&answer(path));
            }
        }
    });
    Entry { base: base.leak(), files: &FILES, ..*DataSet::Locomo.entry() }
}

fn ok(body: &str, length: usize) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}").into_bytes()
}

fn right(path: &str) -> Vec<u8> {
    match path {
        "/v1/data/one.json" => ok("abc", 3),
        "/v1/data/two.json" => ok("x", 1),
        _ => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec(),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_file_is_fetched_once() {
    let folder = Folder::with(&[]);
    let into = folder.path("new/data");
    let entry = entry(right);
    let mut seen = Vec::new();
    let fetched =
        entry.fetch(&into, &mut |progress| seen.push((progress.file, progress.done, progress.total))).unwrap();
    let origins = |fetched: &[Fetched]| fetched.iter().map(|file| file.origin).collect::<Vec<_>>();
    assert_eq!(origins(&fetched), [Origin::Network; 2]);
    assert_eq!(fetched[1].path, into.join("deep/er/two.json"));
    assert_eq!(fs::read_to_string(into.join("one.json")).unwrap(), "abc");
    assert_eq!(fs::read_to_string(into.join("deep/er/two.json")).unwrap(), "x");
    assert!(seen.contains(&("one.json", 3, 4)) && seen.last() == Some(&("deep/er/two.json", 4, 4)), "{seen:?}");
    assert_eq!(
        (names(&into), names(&into.join("deep/er"))),
        (vec!["deep".into(), "one.json".into()], vec!["two.json".into()])
    );
    let again = entry.fetch(&into, &mut |_| {}).unwrap();
    assert_eq!(origins(&again), [Origin::Present; 2]);
}

#[test]
fn a_download_that_is_not_the_pinned_file_leaves_nothing_behind() {
    let refused = |_: &str| b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec();
    for (entry, found) in [
        (
            entry(|_| ok("abd", 3)),
            "found 3 bytes with sha256 a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9",
        ),
        (entry(|_| ok("abcd", 4)), "found more than 3 bytes"),
        (entry(|_| ok("a", 1)), "found 1 bytes"),
        (entry(|_| ok("ab", 3)), "found an interruption after 2 bytes"),
        (entry(refused), "404"),
    ] {
        let folder = Folder::with(&[]);
        let message = entry.fetch(&folder.path(""), &mut |_| {}).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{}v1/data/one.json: found ", entry.base)), "{message}");
        assert!(message.contains(found) && message.contains("expected 3 bytes with sha256 ba7816bf"), "{message}");
        assert!(message.contains("or by hand: put locomo10.json"), "{message}");
        assert!(names(&folder.path("")).is_empty());
    }
}

#[test]
fn nobody_listening_is_said() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let base: &str = format!("http://127.0.0.1:{port}/").leak();
    let entry = Entry { base, files: &FILES, ..*DataSet::Locomo.entry() };
    let message = entry.fetch(&Folder::with(&[]).path(""), &mut |_| {}).unwrap_err().to_string();
    assert!(message.contains("check the network"), "{message}");
}

#[test]
fn another_file_in_the_way_stays() {
    let folder = Folder::with(&[("one.json", "mine")]);
    let message = entry(right).fetch(&folder.path(""), &mut |_| {}).unwrap_err().to_string();
    assert!(message.contains("one.json: there is another file") && message.contains("move it away"), "{message}");
    assert_eq!(fs::read_to_string(folder.path("one.json")).unwrap(), "mine");
}

#[test]
fn sets_that_are_no_public_files_say_what_to_do() {
    for (dataset, part) in [
        (DataSet::LocomoAudit, "beside locomo10.json"),
        (DataSet::LongMemEvalPooled, "evidence_turns.json"),
        (DataSet::Jsonl, "gold_ids"),
    ] {
        let message = dataset.entry().fetch(Path::new("."), &mut |_| {}).unwrap_err().to_string();
        assert!(message.contains("no public file") && message.contains(part), "{message}");
    }
}
