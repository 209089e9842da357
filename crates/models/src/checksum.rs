//! The sha256 of files and of what streams by.

use std::{
    io::{self, Read},
    path::Path,
};

use sha2::{Digest, Sha256};

use crate::files::open_regular;

/// Bytes read at a time: enough to make calls cheap, little enough to stay in the cache.
const CHUNK: usize = 256 * 1024;

/// Passes all of `reader` to `each`, chunk by chunk, and returns its sha256 in lower-case hex.
///
/// # Errors
/// When reading or `each` fails.
pub fn sha256_while(mut reader: impl Read, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(read) => {
                hasher.update(&chunk[..read]);
                each(&chunk[..read])?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The sha256 of a regular file in lower-case hex.
///
/// # Errors
/// When it cannot be read or is no regular file.
pub fn sha256_of(path: &Path) -> io::Result<String> {
    sha256_while(open_regular(path)?, |_| Ok(()))
}

/// The sha256 of some bytes in lower-case hex.
pub fn sha256_of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn equals_the_published_vectors() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_of_bytes(b""), empty);
        let mut seen = Vec::new();
        let found = sha256_while(&b"abc"[..], |chunk| seen.write_all(chunk)).unwrap();
        assert_eq!((found.as_str(), seen.as_slice()), (abc, &b"abc"[..]));
    }
}
