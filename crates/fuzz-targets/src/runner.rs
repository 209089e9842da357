//! A target on many inputs.

use std::{
    env,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use crate::{Mutator, Target};

/// Time that one input may take at most, on a busy machine and without optimisation.
const LONGEST: Duration = Duration::from_secs(20);

/// What became of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Inputs that were parsed.
    pub inputs: u64,
    /// The longest that one took.
    pub longest: Duration,
    /// The first input that made the target panic or took too long, and what happened.
    pub failure: Option<(Vec<u8>, String)>,
}

/// How many inputs each target gets: `AFORESAID_FUZZ`, or else as many as it usually gets.
pub fn iterations(target: &Target) -> u64 {
    env::var("AFORESAID_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(target.usual)
}

/// Runs a target on its corpus and then on `count` inputs made of it.
pub fn run(target: &Target, count: u64) -> Outcome {
    let corpus = (target.corpus)(target.name);
    let seed = u64::from(crc32fast::hash(target.name.as_bytes()));
    let mut mutator = Mutator::new(seed, &corpus, target.words);
    let mut outcome = Outcome { inputs: 0, longest: Duration::ZERO, failure: None };
    let made = (0..count).map(|_| mutator.input());
    for input in corpus.iter().cloned().chain(made) {
        let begun = Instant::now();
        let checked = catch_unwind(AssertUnwindSafe(|| (target.check)(&input)));
        let took = begun.elapsed();
        outcome.inputs += 1;
        outcome.longest = outcome.longest.max(took);
        let what = match checked {
            Err(_) => "it panicked".to_owned(),
            Ok(()) if took > LONGEST => format!("it took {took:?}"),
            Ok(()) => continue,
        };
        outcome.failure = Some((input, what));
        break;
    }
    outcome
}
