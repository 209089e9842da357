//! The Hugging Face Hub over HTTPS.

use std::{path::Path, time::Duration};

use ureq::Agent;

use super::{
    Origin, Progress,
    fetch::{Source, save},
};
use crate::{ModelEntry, ModelError};

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

    fn fetch(&self, entry: &ModelEntry, into: &Path, progress: &mut dyn FnMut(Progress<'_>)) -> Result<(), ModelError> {
        let agent = agent();
        let mut before = 0;
        for file in entry.files {
            let url = self.url(entry, file.name);
            let response = agent.get(&url).call().map_err(|error| ModelError::Download {
                origin: url.clone(),
                found: error.to_string(),
                expected: format!("{} bytes", file.size),
                next: "check the network".to_owned(),
            })?;
            save(response.into_body().into_reader(), file, into, &url, |done| {
                let (done, total) = (before + done, entry.size());
                progress(Progress { origin: Origin::Hub, file: file.name, done, total });
            })?;
            before += file.size;
        }
        Ok(())
    }
}

/// Short waits for a first sign of life, so that an unreachable Hub does not hold up the next source.
fn agent() -> Agent {
    Agent::config_builder()
        .timeout_resolve(Some(Duration::from_secs(5)))
        .timeout_connect(Some(Duration::from_secs(5)))
        .timeout_recv_response(Some(Duration::from_secs(20)))
        .timeout_per_read(Some(Duration::from_secs(30)))
        .timeout_global(Some(Duration::from_secs(30 * 60)))
        .user_agent(concat!("aforesaid/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
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
        let fetched = hub.fetch(&fake.entry, &into, &mut |progress| last = progress.done);
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
        assert_eq!((fetched, done), (Ok(()), fake.entry.size()));
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
}
