//! Ctrl-C during work that can be stopped between two steps.

use std::{
    ops::ControlFlow,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::terminal::aside;

/// The exit code of a process that Ctrl-C ended.
pub(crate) const EXIT_CODE: u8 = 130;

/// Whether somebody pressed Ctrl-C.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// Takes Ctrl-C from now on: the first asks to stop, the second ends the process.
    ///
    /// Where it cannot be taken, the first ends the process as ever: what is stored is stored then, too.
    pub(crate) fn watch() -> Self {
        Self::watch_and(|| aside(format_args!("stopping after this step; Ctrl-C again stops at once")))
    }

    /// As [`Interruption::watch`]; the first Ctrl-C calls `react`.
    pub(crate) fn watch_and(react: impl Fn() + Send + 'static) -> Self {
        let pressed = Self::default();
        let flag = Arc::clone(&pressed.0);
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::SeqCst) {
                process::exit(EXIT_CODE.into());
            }
            react();
        });
        pressed
    }

    /// What becomes true when it is asked for.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }

    pub(crate) fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Whether to go on.
    pub(crate) fn step(&self) -> ControlFlow<()> {
        if self.is_asked_for() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
