//! A limit on requests in flight.

use std::sync::{Condvar, Mutex, PoisonError};

/// A number of permits, lent one at a time.
pub(crate) struct Permits {
    free: Mutex<usize>,
    returned: Condvar,
}

impl Permits {
    pub(crate) fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), returned: Condvar::new() }
    }

    /// Takes a permit, and waits for one if none is free.
    pub(crate) fn take(&self) -> Permit<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.returned.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Permit(self)
    }
}

/// A permit, returned when dropped.
pub(crate) struct Permit<'a>(&'a Permits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.returned.notify_one();
    }
}
