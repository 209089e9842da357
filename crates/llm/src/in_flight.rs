//! Work on several items at once, with results in the order of the items.

use std::{
    num::NonZeroUsize,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// Maps `items` on up to `most` threads.
///
/// # Errors
/// The error of the first item that failed; items not begun by then are left.
pub(crate) fn map_in_flight<I: Sync, T: Send, E: Send>(
    items: &[I],
    most: NonZeroUsize,
    work: impl Fn(&I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let workers = most.get().min(items.len());
    if workers <= 1 {
        return items.iter().map(work).collect();
    }
    let (next, failed, done) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let result = work(item);
                    failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((i, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    const THREE: NonZeroUsize = NonZeroUsize::new(3).unwrap();

    #[test]
    fn as_many_as_allowed_run_at_once_and_the_order_is_kept() {
        let together = Barrier::new(3);
        let squares = map_in_flight(&[3, 1, 2], THREE, |&x| {
            together.wait();
            Ok::<_, ()>(x * x)
        });
        assert_eq!(squares, Ok(vec![9, 1, 4]));
        assert_eq!(map_in_flight(&[0; 0], THREE, |_| Err::<(), _>("called")), Ok(vec![]));
    }

    #[test]
    fn a_failure_stops_what_has_not_begun() {
        let seen = AtomicUsize::new(0);
        let all: Vec<usize> = (0..1000).collect();
        let found = map_in_flight(&all, THREE, |&i| {
            seen.fetch_add(1, Ordering::Relaxed);
            if i == 0 { Err(i) } else { Ok(i) }
        });
        assert_eq!(found, Err(0));
        let one = map_in_flight(&all, NonZeroUsize::MIN, |&i| if i == 4 { Err(i) } else { Ok(i) });
        assert_eq!(one, Err(4));
    }
}
