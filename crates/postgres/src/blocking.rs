//! Waiting for what is asynchronous, in a thread that is not.
//!
//! The connections of a store are driven by a thread of its own, so that a caller may be anywhere, also in a task of
//! another runtime: it waits by parking its thread.

use std::{
    future::Future,
    io,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake},
    thread::{self, Thread},
};

use tokio::{
    runtime::{Builder, Handle},
    sync::oneshot,
};

/// A thread that drives connections until it is dropped.
pub(crate) struct Driver {
    handle: Handle,
    /// Dropped, it ends the thread.
    _running: oneshot::Sender<()>,
}

impl Driver {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (running, ended) = oneshot::channel();
        thread::Builder::new().name("aforesaid-postgres".to_owned()).spawn(move || {
            // An error is the end, too.
            let _ = runtime.block_on(ended);
        })?;
        Ok(Self { handle, _running: running })
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future in this thread.
pub(crate) fn wait<F: Future>(future: F) -> F::Output {
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
