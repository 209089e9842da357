//! What ends a server from outside.

/// Waits until the process is asked to end: Ctrl-C, or on Unix a termination signal.
///
/// Where signals cannot be watched, it waits without end, and a signal ends the process as ever: what is stored stays.
pub(crate) async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = pressed() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    pressed().await;
}

async fn pressed() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
