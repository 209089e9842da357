//! The Hugging Face Hub over HTTPS.

use std::{path::Path, time::Duration};

use super::{
    Origin, Progress,
    fetch::{Source, failed, save},
    lock::Lock,
};
use crate::{ModelEntry, ModelError, download::Downloader};

/// The most time for one file.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// A server with the Hub's addresses.
pub(super) struct Hub {
    base: String,
}

impl Default for Hub {
    fn default() -> Self {
        Self::at("https://huggingface.co")
    }
}

impl Hub {
    /// A server at another address.
    pub(super) fn at(base: &str) -> Self {
        Self { base: base.to_owned() }
    }

    fn url(&self, entry: &ModelEntry, file: &str) -> String {
        format!("{}/{}/resolve/{}/{file}", self.base, entry.repo, entry.revision)
    }
}

impl Source for Hub {
    fn origin(&self) -> Origin {
        Origin::Hub
    }

    fn place(&self, entry: &ModelEntry) -> String {
        format!("{}/{}", self.base, entry.repo)
    }

    fn fetch(
        &self,
        entry: &ModelEntry,
        lock: &Lock,
        into: &Path,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ModelError> {
        let downloader = Downloader::new(LIMIT);
        let expected = entry.files.map(|file| lock.expected(&file));
        let mut total: u64 = expected.iter().flatten().map(|expected| expected.fingerprint.size).sum();
        let mut before = 0;
        for (file, expected) in entry.files.iter().zip(&expected) {
            let url = self.url(entry, file.name);
            let opened = downloader.open(&url).map_err(|error| failed(&url, &error, expected.as_ref()));
            let (length, stream) = opened?;
            if expected.is_none() {
                total += length.unwrap_or(0);
            }
            before += save(stream, file, expected.as_ref(), into, &url, |done| {
                progress(Progress { origin: Origin::Hub, file: file.name, done: before + done, total });
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Fake, serve},
        *,
    };

    fn fetch(fake: &Fake, answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> (Result<(), String>, u64) {
        let into = fake.path("into");
        std::fs::create_dir_all(&into).unwrap();
        let mut last = 0;
        let hub = Hub::at(&serve(answer));
        let lock = Lock::read(&fake.entry, &fake.path("models")).unwrap();
        let fetched = hub.fetch(&fake.entry, &lock, &into, &mut |progress| last = progress.done);
        (fetched.map_err(|error| error.to_string()), last)
    }

    fn ok(body: &[u8], length: usize) -> Vec<u8> {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
        [head.as_bytes(), body].concat()
    }

    #[test]
    fn fetches_every_file_at_the_pinned_revision() {
        let fake = Fake::new();
        let (fetched, done) = fetch(&fake, |path| {
            let name = path.strip_prefix("/org/fake/resolve/0123456789abcdef/").unwrap();
            ok(Fake::content(name), Fake::content(name).len())
        });
        assert_eq!((fetched, Some(done)), (Ok(()), fake.entry.size()));
        assert_eq!(std::fs::read(fake.path("into").join("config.json")).unwrap(), Fake::content("config.json"));
    }

    #[test]
    fn follows_a_redirect() {
        let fake = Fake::new();
        let (fetched, _) = fetch(&fake, |path| match path.strip_prefix("/elsewhere/") {
            Some(name) => ok(Fake::content(name), Fake::content(name).len()),
            None => {
                let name = path.rsplit('/').next().unwrap();
                format!("HTTP/1.1 302 Found\r\nlocation: /elsewhere/{name}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into()
            }
        });
        assert_eq!(fetched, Ok(()));
    }

    #[test]
    fn an_interrupted_a_wrong_and_a_refused_download_say_so() {
        let fake = Fake::new();
        let (cut, _) = fetch(&fake, |_| ok(b"we", 7));
        let (wrong, _) = fetch(&fake, |_| ok(b"<html>a page to log in</html>", 29));
        let (refused, _) =
            fetch(&fake, |_| b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec());
        for (result, found) in
            [(cut, "found an interruption after 2 bytes"), (wrong, "found more than 7 bytes"), (refused, "404")]
        {
            let message = result.unwrap_err();
            assert!(message.contains("/resolve/0123456789abcdef/model.safetensors"), "{message}");
            assert!(message.contains(found) && message.contains("expected 7 bytes"), "{message}");
        }
    }

    #[test]
    fn a_file_without_a_checksum_is_fetched_whole_and_another_one_later_is_refused() {
        let fake = Fake::unpinned(&["model.safetensors"]);
        let answer = |weights: &'static [u8]| {
            move |path: &str| {
                let name = path.rsplit('/').next().unwrap();
                let body = if name == "model.safetensors" { weights } else { Fake::content(name) };
                ok(body, body.len())
            }
        };
        let (fetched, done) = fetch(&fake, answer(b"some weights"));
        assert_eq!((fetched, done), (Ok(()), 12 + 6 + 6));
        super::super::check::require(&fake.entry, &fake.path("into"), &fake.path("models"), "").unwrap();
        assert_eq!(fetch(&fake, answer(b"some weights")).0, Ok(()));
        let message = fetch(&fake, answer(b"more weights")).0.unwrap_err();
        for part in
            ["12 bytes with sha256", "expected 12 bytes with sha256", "delete ", "trusted/fake@0123456789ab.json"]
        {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}
