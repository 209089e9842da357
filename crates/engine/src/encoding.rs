//! Encoding, with a stage that reads before it and one that writes after it, all three at work at once.

use std::{
    ops::{ControlFlow, Range},
    panic::resume_unwind,
    sync::mpsc::sync_channel,
    thread,
};

use aforesaid_core::{
    EncodeError, Encoder, Locality,
    store::Audience,
    types::{EncoderId, VectorSet, Vectors},
};

use crate::error::Error;

/// Passages of one call of an encoder: enough to sort them by length and to share them among threads.
pub(crate) const CHUNK: usize = 1024;

/// Chunks that may wait between two stages.
const WAITING: usize = 1;

/// Passages on their way through the stages.
pub(crate) struct Chunk<K> {
    /// What each will be known by.
    pub(crate) keys: Vec<K>,
    /// The passages.
    pub(crate) passages: Vec<String>,
    /// How far the whole will have come with them.
    pub(crate) done: usize,
}

/// Whom an encoder's texts are shown to.
pub(crate) fn audience(encoder: &dyn Encoder) -> Audience {
    match encoder.locality() {
        Locality::Local => Audience::LocalModels,
        Locality::Remote => Audience::AnyModel,
    }
}

/// The set of an encoder's vectors.
pub(crate) fn set_of(encoder: &dyn Encoder) -> VectorSet<'_> {
    VectorSet { encoder: encoder.id(), dim: encoder.dim() }
}

/// Which parts of a passage get a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    /// The passage, as far as the model reads it.
    Passage,
    /// Each of its windows, so that all of it is read.
    Windows,
}

/// Vectors of passages, each of one part or of several.
pub(crate) struct PassageVectors {
    vectors: Vectors,
    /// How many parts there are up to the end of each passage.
    ends: Vec<usize>,
}

impl PassageVectors {
    /// The vectors of each passage's parts, one after the other.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[f32]> {
        let (all, dim) = (self.vectors.as_slice(), self.vectors.dim());
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(move |(start, end)| &all[start * dim..end * dim])
    }
}

/// Encodes passages.
pub(crate) fn encode_parts<T: AsRef<str>>(
    encoder: &dyn Encoder,
    parts: Parts,
    passages: &[T],
) -> Result<PassageVectors, Error> {
    let mut texts: Vec<&str> = Vec::with_capacity(passages.len());
    let mut ends = Vec::with_capacity(passages.len());
    for passage in passages.iter().map(AsRef::as_ref) {
        match parts {
            Parts::Passage => texts.push(passage),
            Parts::Windows => texts.extend(windows(encoder, passage)?.into_iter().map(|window| &passage[window])),
        }
        ends.push(texts.len());
    }
    Ok(PassageVectors { vectors: encode(encoder, &texts)?, ends })
}

/// The windows of a passage; at least one, and all of it.
pub(crate) fn windows(encoder: &dyn Encoder, passage: &str) -> Result<Vec<Range<usize>>, Error> {
    let windows = encoder.windows(passage)?;
    let follow = windows.windows(2).all(|pair| pair[0].end == pair[1].start);
    let whole = windows.first().map(|window| window.start) == Some(0)
        && windows.last().map(|window| window.end) == Some(passage.len());
    let cut = |window: &Range<usize>| window.start <= window.end && passage.is_char_boundary(window.end);
    if whole && follow && windows.iter().all(cut) {
        return Ok(windows);
    }
    Err(Error::Encode(EncodeError {
        encoder: EncoderId::clone(encoder.id()),
        message: format!("its windows of a passage of {} bytes do not hold all of it in order", passage.len()),
    }))
}

/// One vector a text; a short answer from the encoder is an error, never a shift.
pub(crate) fn encode<T: AsRef<str>>(encoder: &dyn Encoder, texts: &[T]) -> Result<Vectors, Error> {
    if texts.is_empty() {
        return Ok(Vectors::default());
    }
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let vectors = encoder.encode_passages(&texts)?;
    if vectors.len() != texts.len() {
        return Err(Error::Encode(EncodeError {
            encoder: EncoderId::clone(encoder.id()),
            message: format!("{} texts went in and {} vectors came out", texts.len(), vectors.len()),
        }));
    }
    Ok(vectors)
}

/// Encodes what `read` gives until it gives nothing, and hands it to `write`.
///
/// Reading and writing have a thread each beside the caller's, which encodes. A stage waits for the next, so
/// that no more than five chunks are in memory. Where one fails the others stop, and what was encoded before
/// is written. So it is where `progress`, which is told how far it has come, asks to stop.
///
/// # Errors
/// The first of a stage's errors, of the last stage that had one.
pub(crate) fn run<K: Send>(
    encoder: &dyn Encoder,
    parts: Parts,
    mut read: impl FnMut() -> Result<Option<Chunk<K>>, Error> + Send,
    mut write: impl FnMut(&[K], &PassageVectors) -> Result<(), Error> + Send,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<(), Error> {
    thread::scope(|threads| {
        let (chunks, next) = sync_channel(WAITING);
        threads.spawn(move || {
            while let Some(chunk) = read().transpose() {
                let failed = chunk.is_err();
                // Nobody takes it any more where a later stage has failed.
                if chunks.send(chunk).is_err() || failed {
                    break;
                }
            }
        });
        let (made, finished) = sync_channel(WAITING);
        let writer = threads
            .spawn(move || finished.into_iter().try_for_each(|(keys, vectors): (Vec<K>, _)| write(&keys, &vectors)));
        let mut encoded = Ok(());
        for chunk in next {
            let step = chunk.and_then(|chunk| {
                let vectors = encode_parts(encoder, parts, &chunk.passages)?;
                Ok((chunk.done, made.send((chunk.keys, vectors)).is_ok()))
            });
            match step {
                Ok((done, true)) => {
                    if progress(done).is_break() {
                        break;
                    }
                }
                Ok((_, false)) => break,
                Err(error) => {
                    encoded = Err(error);
                    break;
                }
            }
        }
        drop(made);
        let written = writer.join().unwrap_or_else(|panic| resume_unwind(panic));
        written.and(encoded)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    /// Gives every text its length, and fails at one that says so.
    struct Lengths(EncoderId);

    impl Encoder for Lengths {
        fn id(&self) -> &EncoderId {
            &self.0
        }

        fn dim(&self) -> usize {
            1
        }

        fn locality(&self) -> Locality {
            Locality::Local
        }

        fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
            self.encode_passages(texts)
        }

        fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
            match texts.contains(&"fail") {
                true => Err(EncodeError { encoder: self.0.clone(), message: "asked to fail".to_owned() }),
                false => Ok(Vectors::new(1, texts.iter().map(|text| text.len() as f32).collect()).unwrap()),
            }
        }
    }

    fn lengths() -> Lengths {
        Lengths(EncoderId::new("lengths").unwrap())
    }

    fn chunk(n: usize, text: &str) -> Chunk<usize> {
        Chunk { keys: vec![n], passages: vec![text.to_owned()], done: n }
    }

    fn failure() -> Error {
        Error::NoEncoder { reason: crate::no_vectors::NoVectors::failed("broken") }
    }

    #[test]
    fn everything_is_written_in_order() {
        let (mut n, mut written, mut seen) = (0, Vec::new(), Vec::new());
        let read = || {
            n += 1;
            Ok((n <= 20).then(|| chunk(n, &"x".repeat(n))))
        };
        let write = |keys: &[usize], vectors: &PassageVectors| {
            written.push((keys[0], vectors.iter().next().unwrap()[0]));
            Ok(())
        };
        run(&lengths(), Parts::Windows, read, write, &mut |done| {
            seen.push(done);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(written, (1..=20).map(|n| (n, n as f32)).collect::<Vec<_>>());
        assert_eq!(seen, (1..=20).collect::<Vec<_>>());
    }

    #[test]
    fn what_was_encoded_before_a_failure_is_written() {
        for broken in ["read", "encode"] {
            let (mut n, mut written) = (0, 0);
            let read = || {
                n += 1;
                match (n, broken) {
                    (3, "read") => Err(failure()),
                    (3, _) => Ok(Some(chunk(n, "fail"))),
                    _ => Ok(Some(chunk(n, "x"))),
                }
            };
            let write = |_: &[usize], _: &PassageVectors| {
                written += 1;
                Ok(())
            };
            assert!(run(&lengths(), Parts::Windows, read, write, &mut |_| ControlFlow::Continue(())).is_err());
            assert_eq!(written, 2, "{broken}");
        }
    }

    #[test]
    fn what_was_encoded_before_somebody_stops_it_is_written() {
        let (mut n, mut written) = (0, 0);
        let read = || {
            n += 1;
            Ok(Some(chunk(n, "x")))
        };
        let write = |_: &[usize], _: &PassageVectors| {
            written += 1;
            Ok(())
        };
        let stop = |done| if done == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        run(&lengths(), Parts::Windows, read, write, &mut { stop }).unwrap();
        assert_eq!(written, 3);
    }

    #[test]
    fn a_writer_that_fails_stops_everything() {
        let read_so_far = AtomicUsize::new(0);
        let read = || Ok(Some(chunk(read_so_far.fetch_add(1, Ordering::Relaxed), "x")));
        let result = run(&lengths(), Parts::Windows, read, |_, _| Err(failure()), &mut |_| ControlFlow::Continue(()));
        assert!(matches!(result, Err(Error::NoEncoder { .. })));
    }

    #[test]
    fn no_stage_runs_ahead_of_the_next() {
        // Read, waiting, being encoded, waiting, being written: chunks that were read and not yet written.
        let in_memory = Mutex::new((0usize, 0usize));
        let mut n = 0;
        let read = || {
            n += 1;
            let mut in_memory = in_memory.lock().unwrap();
            in_memory.0 += 1;
            in_memory.1 = in_memory.1.max(in_memory.0);
            Ok((n <= 50).then(|| chunk(n, "x")))
        };
        let write = |_: &[usize], _: &PassageVectors| {
            thread::yield_now();
            in_memory.lock().unwrap().0 -= 1;
            Ok(())
        };
        run(&lengths(), Parts::Windows, read, write, &mut |_| ControlFlow::Continue(())).unwrap();
        let most = in_memory.lock().unwrap().1;
        assert!(most <= 3 + 2 * WAITING, "{most} chunks in memory at once");
    }
}
