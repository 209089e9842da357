//! Trying again: what, how often, and how long to wait before.

use std::{
    hash::{BuildHasher, RandomState},
    num::NonZeroU32,
    time::Duration,
};

use crate::{Clock, LlmError};

/// What is done about statuses 408, 429 and 5xx, broken connections and timeouts. Nothing else is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts in all.
    pub attempts: NonZeroU32,
    /// About the wait after the first attempt; it doubles with each.
    pub first_wait: Duration,
    /// The longest wait of our own choice; a server's `Retry-After` may ask for more.
    pub longest_wait: Duration,
    /// No attempt begins later than this after the first, whatever a server asks for.
    pub patience: Duration,
}

impl Default for RetryPolicy {
    /// Five attempts within two minutes, with waits of about 0.5, 1, 2 and 4 seconds.
    fn default() -> Self {
        Self {
            attempts: NonZeroU32::MIN.saturating_add(4),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            patience: Duration::from_secs(120),
        }
    }
}

impl RetryPolicy {
    /// One attempt.
    pub fn never() -> Self {
        Self { attempts: NonZeroU32::MIN, ..Self::default() }
    }

    /// The wait after attempt `attempt` (from 1): exponential, from half to all of it by `unit` in [0, 1].
    fn wait(&self, attempt: u32, unit: f64) -> Duration {
        let doubled = 2u32.checked_pow(attempt.saturating_sub(1)).and_then(|times| self.first_wait.checked_mul(times));
        doubled.map_or(self.longest_wait, |wait| wait.min(self.longest_wait)).mul_f64(0.5 + 0.5 * unit)
    }
}

/// What may be done about a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Nothing: it would fail again.
    None,
    /// Another attempt.
    Retry,
    /// Another attempt, when this much time has passed.
    RetryAfter(Duration),
}

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: LlmError,
    pub(crate) remedy: Remedy,
}

/// Makes attempts, told their number from 1, until one succeeds or the policy is exhausted.
pub(crate) fn persist<T>(
    policy: &RetryPolicy,
    clock: &dyn Clock,
    mut attempt: impl FnMut(u32) -> Result<T, Failure>,
) -> Result<T, LlmError> {
    let begun = clock.now();
    let mut number = 1;
    loop {
        let Failure { error, remedy } = match attempt(number) {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        let own = policy.wait(number, random_unit());
        let wait = match remedy {
            Remedy::None => return Err(error),
            Remedy::Retry => own,
            Remedy::RetryAfter(asked) => own.max(asked),
        };
        // A clock that was set back tells nothing: the number of attempts still ends it.
        let spent = clock.now().duration_since(begun).unwrap_or_default();
        if number >= policy.attempts.get() || spent.saturating_add(wait) > policy.patience {
            return Err(error);
        }
        clock.sleep(wait);
        number += 1;
    }
}

/// A number in [0, 1], another one each time, so that clients that failed together do not come back together.
fn random_unit() -> f64 {
    RandomState::new().hash_one(0u8) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use std::{
        sync::Mutex,
        time::{SystemTime, UNIX_EPOCH},
    };

    use proptest::prelude::*;

    use super::*;

    /// Time passes only while it sleeps.
    #[derive(Default)]
    struct Dozing(Mutex<Vec<Duration>>);

    impl Clock for Dozing {
        fn now(&self) -> SystemTime {
            UNIX_EPOCH + self.0.lock().unwrap().iter().sum::<Duration>()
        }

        fn sleep(&self, time: Duration) {
            self.0.lock().unwrap().push(time);
        }
    }

    fn failing(policy: &RetryPolicy, remedy: Remedy) -> (u32, Vec<Duration>) {
        let (clock, mut made) = (Dozing::default(), 0);
        let result = persist(policy, &clock, |number| -> Result<(), _> {
            made = number;
            Err(Failure { error: LlmError::Proxy, remedy })
        });
        assert!(result.is_err());
        (made, clock.0.into_inner().unwrap())
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let policy = RetryPolicy { longest_wait: Duration::from_secs(3), ..RetryPolicy::default() };
        let whole: Vec<f64> = (1..=6).map(|attempt| policy.wait(attempt, 1.0).as_secs_f64()).collect();
        assert_eq!(whole, [0.5, 1.0, 2.0, 3.0, 3.0, 3.0]);
        assert_eq!(policy.wait(2, 0.0), Duration::from_millis(500));
        assert_eq!(policy.wait(u32::MAX, 1.0), policy.longest_wait);
    }

    #[test]
    fn the_server_is_given_the_time_it_asks_for_or_left() {
        let policy = RetryPolicy { attempts: NonZeroU32::MIN.saturating_add(2), ..RetryPolicy::default() };
        let minute = Duration::from_secs(59);
        assert_eq!(failing(&policy, Remedy::RetryAfter(minute)), (3, vec![minute, minute]));
        assert_eq!(failing(&policy, Remedy::RetryAfter(Duration::from_secs(121))), (1, vec![]));
        assert_eq!(failing(&policy, Remedy::RetryAfter(Duration::MAX)), (1, vec![]));
        assert_eq!(failing(&policy, Remedy::None), (1, vec![]));
        assert_eq!(failing(&RetryPolicy::never(), Remedy::Retry), (1, vec![]));
    }

    proptest! {
        #[test]
        fn neither_attempts_nor_patience_are_overdrawn(
            attempts in 1u32..40, first in 0u64..10_000, longest in 0u64..100_000, patience in 0u64..300_000, asked in 0u64..50_000,
        ) {
            let ms = Duration::from_millis;
            let policy = RetryPolicy {
                attempts: NonZeroU32::new(attempts).unwrap(),
                first_wait: ms(first),
                longest_wait: ms(longest),
                patience: ms(patience),
            };
            for remedy in [Remedy::Retry, Remedy::RetryAfter(ms(asked))] {
                let (made, sleeps) = failing(&policy, remedy);
                prop_assert!(made <= attempts && sleeps.len() as u32 + 1 == made);
                prop_assert!(sleeps.iter().sum::<Duration>() <= ms(patience));
            }
        }
    }
}
