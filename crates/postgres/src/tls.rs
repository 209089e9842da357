//! Encrypted connections: the certificate is always checked, and the host's name with it.

use std::sync::Arc;

use aforesaid_core::StoreError;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{errors::location_error, location::Location};

/// How connections to a location are encrypted, where they are.
pub(crate) fn connector(location: &Location) -> Result<MakeRustlsConnect, StoreError> {
    let failed = |found: String, next: &str| location_error(&location.shown, found, next);
    let mut roots = RootCertStore::empty();
    match &location.root_certificates {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(file) => {
            let next = "name a file of PEM certificates with sslrootcert";
            let certificates = CertificateDer::pem_file_iter(file)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(|error| failed(format!("certificates in {file:?} cannot be read ({error})"), next))?;
            let (added, _) = roots.add_parsable_certificates(certificates);
            if added == 0 {
                return Err(failed(format!("{file:?} holds no certificate"), next));
            }
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(format!("no encryption can be had ({error})"), "give sslmode=disable"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
