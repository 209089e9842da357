//! What is kept of answers, readable only with a key that whoever said what they quote can throw away.

use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, Generate, KeyInit, Payload},
};
use sha2::{Digest, Sha256};

/// Bytes before what is sealed: a number used once.
const NONCE: usize = 24;

/// The key of kept answers. A namespace has one and changes it with every forget: answers quote what was said, and
/// cannot be looked through for what must go.
#[derive(Clone, PartialEq, Eq)]
pub struct CacheKey([u8; 32]);

impl CacheKey {
    /// A key of random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Encrypts `plain`, and binds it to a name; `None` where the machine has no randomness to give.
    pub(crate) fn seal(&self, name: &str, plain: &[u8]) -> Option<Vec<u8>> {
        let nonce = XNonce::try_generate().ok()?;
        let payload = Payload { msg: plain, aad: name.as_bytes() };
        let sealed = XChaCha20Poly1305::new(&self.0.into()).encrypt(&nonce, payload).ok()?;
        Some([nonce.as_slice(), &sealed].concat())
    }

    /// What was sealed under a name; `None` where it was under another or by another key, or has changed.
    pub(crate) fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload { msg: sealed, aad: name.as_bytes() };
        XChaCha20Poly1305::new(&self.0.into()).decrypt(&XNonce::from(*nonce), payload).ok()
    }

    /// A name for a file, from which nobody without the key can tell what was asked.
    pub(crate) fn name(&self, name: &str) -> String {
        let digest = Sha256::new().chain_update(self.0).chain_update(name).finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl std::fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CacheKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_and_the_name_open_what_was_sealed() {
        let (key, other) = (CacheKey::new([1; 32]), CacheKey::new([2; 32]));
        let sealed = key.seal("a", b"the kite").unwrap();
        assert_eq!(key.open("a", &sealed).as_deref(), Some(&b"the kite"[..]));
        assert!(!sealed.windows(4).any(|window| window == b"kite"));
        assert_ne!(key.seal("a", b"the kite").unwrap(), sealed, "no number is used twice");
        assert_eq!(key.open("b", &sealed), None);
        assert_eq!(other.open("a", &sealed), None);
        assert_eq!(key.open("a", &sealed[..NONCE - 1]), None);
        let mut changed = sealed;
        changed[NONCE + 2] ^= 1;
        assert_eq!(key.open("a", &changed), None);
        assert_ne!(key.name("a"), other.name("a"));
        assert_eq!(format!("{key:?}"), "CacheKey(..)");
    }
}
