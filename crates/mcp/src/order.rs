//! The order of calls: each takes a place in a queue when it arrives, and begins when those before it let it.
//!
//! A call that changes something runs alone. Calls that only read run beside each other, so many at once and no more. The queue
//! is the semaphore's, which is fair: whoever asks first is served first, also where the next one would need less.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    task::coop::unconstrained,
    time::timeout,
};

/// Calls that run at once; others wait.
const AT_ONCE: u32 = 8;

/// The right to run; the next calls begin when it is dropped.
pub(crate) type Permit = OwnedSemaphorePermit;

/// All calls of a server that wait or run.
#[derive(Clone)]
pub(crate) struct Order(Arc<Semaphore>);

/// A call's place among the others. Whoever drops it lets the next ones through.
pub(crate) enum Place {
    First(Result<Permit, AcquireError>),
    Waiting(Pin<Box<dyn Future<Output = Result<Permit, AcquireError>> + Send>>),
}

/// A place that goes with a request, for the one who takes it.
#[derive(Clone)]
pub(crate) struct Kept(Arc<Mutex<Option<Place>>>);

impl Order {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE as usize)))
    }

    /// The next place: of a call that runs beside others, which only reads.
    pub(crate) fn shared(&self) -> Place {
        self.place(1)
    }

    /// The next place: of a call that runs alone.
    pub(crate) fn alone(&self) -> Place {
        self.place(AT_ONCE)
    }

    fn place(&self, share: u32) -> Place {
        // A place is taken by the first poll, and a task that has used up its budget would take none.
        let mut waiting = Box::pin(unconstrained(Arc::clone(&self.0).acquire_many_owned(share)));
        match waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(permit) => Place::First(permit),
            Poll::Pending => Place::Waiting(waiting),
        }
    }

    /// Waits until no call is left of those that have a place by now.
    pub(crate) async fn idle(&self) {
        // Closed is idle, too.
        drop(self.0.acquire_many(AT_ONCE).await);
    }

    /// Waits until no call is left, so long and no longer; no further one begins. Says whether none was left.
    pub(crate) async fn end(&self, patience: Duration) -> bool {
        let all_done = timeout(patience, self.0.acquire_many(AT_ONCE)).await.is_ok();
        self.0.close();
        all_done
    }
}

impl Place {
    /// Waits until the call may begin.
    ///
    /// # Errors
    /// When the server ends before.
    pub(crate) async fn reached(self) -> Result<Permit, AcquireError> {
        match self {
            Self::First(permit) => permit,
            Self::Waiting(permit) => permit.await,
        }
    }

    /// Keeps the place with a request.
    pub(crate) fn keep(self) -> Kept {
        Kept(Arc::new(Mutex::new(Some(self))))
    }
}

impl Kept {
    /// The place, once.
    pub(crate) fn take(&self) -> Option<Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places whose calls may begin, by what they are called; those whose calls may not are kept.
    async fn begin(places: Vec<(&str, Place)>) -> (Vec<(&str, Permit)>, Vec<(&str, Place)>) {
        let (mut begun, mut waiting) = (Vec::new(), Vec::new());
        for (name, mut place) in places {
            if let Place::Waiting(permit) = &mut place
                && let Poll::Ready(permit) = permit.as_mut().poll(&mut Context::from_waker(Waker::noop()))
            {
                place = Place::First(permit);
            }
            match place {
                Place::First(permit) => begun.push((name, permit.unwrap())),
                place => waiting.push((name, place)),
            }
        }
        (begun, waiting)
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    fn names<T>(of: &[(&str, T)]) -> String {
        of.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn calls_begin_in_the_order_of_their_places_and_those_that_read_beside_each_other() {
        run(async {
            let order = Order::new();
            let mut waiting = vec![
                ("read1", order.shared()),
                ("read2", order.shared()),
                ("write1", order.alone()),
                ("write2", order.alone()),
                ("read3", order.shared()),
                ("read4", order.shared()),
            ];
            // Whoever asks first for his turn is not served first.
            for together in ["read1 read2", "write1", "write2", "read3 read4"] {
                waiting.reverse();
                let begun;
                (begun, waiting) = begin(waiting).await;
                let mut begun_names: Vec<&str> = begun.iter().map(|(name, _)| *name).collect();
                begun_names.sort_unstable();
                assert_eq!(begun_names.join(" "), together, "{} wait", names(&waiting));
            }
            assert!(waiting.is_empty());
        });
    }

    #[test]
    fn a_place_that_is_given_up_keeps_nobody_waiting_and_nobody_goes_before() {
        run(async {
            let order = Order::new();
            let first = order.shared().reached().await.unwrap();
            let (given_up, next) = (order.alone(), order.alone());
            drop(given_up);
            let (begun, waiting) = begin(vec![("next", next)]).await;
            assert_eq!((names(&begun).as_str(), names(&waiting).as_str()), ("", "next"), "the first one still runs");
            drop(first);
            assert_eq!(names(&begin(waiting).await.0), "next");
            let kept = order.shared().keep();
            assert!(kept.take().is_some() && kept.take().is_none());
        });
    }

    /// The queue was joined when a task was polled that may have used up its budget by then.
    #[test]
    fn a_task_without_budget_takes_its_places_all_the_same() {
        run(async {
            let order = Order::new();
            let first = order.alone().reached().await.unwrap();
            let mut places: Vec<Place> = (0..1_000).map(|_| order.alone()).collect();
            let (mut last, others) = (places.pop().unwrap(), places);
            drop(first);
            tokio::task::yield_now().await;
            let Place::Waiting(permit) = &mut last else { panic!("the last one begins first") };
            assert!(permit.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            for place in others {
                drop(place.reached().await.unwrap());
            }
            drop(last.reached().await.unwrap());
        });
    }

    #[test]
    fn it_is_idle_once_all_that_have_a_place_are_done_and_others_may_follow() {
        run(async {
            let order = Order::new();
            let (first, second) = (order.alone(), order.shared());
            let is_idle = async |order: &Order| timeout(Duration::from_millis(10), order.idle()).await.is_ok();
            assert!(!is_idle(&order).await);
            drop(first.reached().await);
            assert!(!is_idle(&order).await, "the second has a place");
            drop(second.reached().await);
            assert!(is_idle(&order).await && order.alone().reached().await.is_ok());
            order.end(Duration::from_secs(60)).await;
            assert!(is_idle(&order).await);
        });
    }

    #[test]
    fn the_end_waits_for_all_that_have_a_place_and_lets_nobody_else_begin() {
        run(async {
            let order = Order::new();
            let (first, second) = (order.alone(), order.alone());
            assert!(!order.end(Duration::from_millis(10)).await);
            assert!(first.reached().await.is_ok(), "it had begun");
            assert!(second.reached().await.is_err() && order.shared().reached().await.is_err());
            let order = Order::new();
            drop(order.alone());
            assert!(order.end(Duration::from_secs(60)).await);
        });
    }
}
