//! What README.md and docs/*.md show is run, parsed or compiled: a document whose example is wrong fails here.
//!
//! The info string of a fenced block says what becomes of it; [`markdown::Kind`] lists the words. `rust` blocks are
//! compiled as doc tests of the crate `aforesaid`. Everything runs offline, without a model, in a folder of its own.

mod expected;
mod links;
mod markdown;
mod options;
mod pipelines;
mod script;
mod servers;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use markdown::{Document, Kind};
use script::{Encoder, run};

use crate::sandbox::{Sandbox, finish};

/// The documents, and the encoder that each has while its commands run.
const DOCUMENTS: [(&str, Encoder); 13] = [
    ("README.md", Encoder::None),
    ("docs/README.md", Encoder::None),
    ("docs/guide.md", Encoder::None),
    ("docs/mcp.md", Encoder::None),
    ("docs/agents.md", Encoder::None),
    ("docs/pipelines.md", Encoder::None),
    ("docs/settings.md", Encoder::None),
    ("docs/models.md", Encoder::None),
    ("docs/formats.md", Encoder::None),
    ("docs/language-models.md", Encoder::None),
    ("docs/evaluation.md", Encoder::Played),
    ("docs/library.md", Encoder::None),
    ("docs/postgres.md", Encoder::None),
];

/// Documents without a block that runs.
const PROSE: [&str; 2] = ["docs/operating.md", "docs/promises.md"];

/// Documents whose commands another test runs: `first_session`.
const TRANSCRIPTS: [&str; 1] = ["docs/first-session.md"];

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> Document {
    let text = fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    Document::read(name, &text).unwrap_or_else(|problem| panic!("{name}, {problem}"))
}

fn documents() -> impl Iterator<Item = Document> {
    DOCUMENTS.iter().map(|(name, _)| *name).chain(PROSE).chain(TRANSCRIPTS).map(read)
}

#[test]
fn every_document_is_read() {
    let known: BTreeSet<String> = documents().map(|document| document.name).collect();
    let found =
        fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let found = found.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}"));
    assert_eq!(
        found.chain(["README.md".to_owned()]).collect::<BTreeSet<_>>(),
        known,
        "add it to DOCUMENTS, PROSE or TRANSCRIPTS"
    );
    for name in PROSE {
        assert!(read(name).blocks.is_empty(), "{name} has a block: move it to DOCUMENTS");
    }
}

#[test]
fn commands_run_and_print_what_is_shown() {
    for (name, encoder) in DOCUMENTS {
        run(&read(name), encoder);
    }
}

#[test]
fn configuration_is_accepted() {
    for document in documents() {
        for block in document.blocks.iter().filter(|block| block.kind == Kind::Configuration) {
            let sandbox = Sandbox::new();
            sandbox.write("config.toml", &block.text);
            let outcome = finish(&mut sandbox.bare(&["--config", "config.toml", "models", "list"]));
            assert_eq!(outcome.code, 0, "{}, line {}: {}", document.name, block.line, outcome.stderr);
        }
    }
}

#[test]
fn pipelines_are_read() {
    let mut read = 0;
    for document in documents() {
        read += pipelines::check(&document);
    }
    assert!(read >= 20, "{read} pipelines in all documents");
}

#[test]
fn options_and_variables_are_those_of_the_program() {
    let known = options::Known::read();
    for document in documents() {
        let blocks = document.blocks.iter().filter(|block| block.kind != Kind::Rust).map(|block| block.text.as_str());
        for text in blocks.chain([document.prose.as_str()]) {
            assert_eq!(known.unknown(text), Vec::<&str>::new(), "{}: no command has these", document.name);
        }
    }
    let settings = read("docs/settings.md");
    assert_eq!(known.missing(&settings.prose), Vec::<&str>::new(), "docs/settings.md lacks these");
}

#[test]
fn rust_is_compiled_by_the_crate_it_is_about() {
    let library = fs::read_to_string(root().join("crates/engine/src/lib.rs")).unwrap();
    for document in documents().filter(|document| document.blocks.iter().any(|block| block.kind == Kind::Rust)) {
        let included = format!("include_str!(\"../../../{}\")", document.name);
        assert!(
            library.contains(&included),
            "{} has Rust in it: add {included} to crates/engine/src/lib.rs",
            document.name
        );
    }
}

#[test]
fn links_lead_somewhere() {
    let others = ["CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "docs/decisions/README.md"];
    for document in documents() {
        links::check(&root(), &document.name, &document.prose);
    }
    for name in others {
        links::check(&root(), name, &fs::read_to_string(root().join(name)).unwrap());
    }
}
