//! How good probabilities are: what they tell apart, and whether they mean what they say.
//!
//! [`Forecasts`] are scores with what came true; they know nothing of where either came from.

mod forecasts;

pub use forecasts::{Bin, Forecasts, Risk};
