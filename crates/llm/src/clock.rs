//! The time, and waiting for it to pass.

use std::{
    thread,
    time::{Duration, SystemTime},
};

/// What tells the time and waits between attempts; a test gives one that does not wait.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> SystemTime;

    /// Waits.
    fn sleep(&self, time: Duration);
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }
}
