//! A test file that `main.rs` does not name is not compiled, and says nothing of it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The modules of a folder of tests: its files, and its folders that have a `mod.rs`.
fn modules(tests: &Path) -> Vec<String> {
    let paths = fs::read_dir(tests).unwrap().map(|entry| entry.unwrap().path());
    let is_module =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs") || path.join("mod.rs").exists();
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.filter(is_module).map(name).filter(|name| name != "main").collect()
}

#[test]
fn every_test_file_is_named() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let tests = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("tests"));
    let mut programs = 0;
    for tests in tests.filter(|tests| tests.join("main.rs").exists()) {
        programs += 1;
        let main = fs::read_to_string(tests.join("main.rs")).unwrap();
        for module in modules(&tests) {
            assert!(main.lines().any(|line| line == format!("mod {module};")), "{}: {module}", tests.display());
        }
    }
    assert_eq!(programs, 3, "the programs of the engine, of the evaluation and of the command line");
}
