//! What requests cost, and when to stop.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use crate::LlmError;

/// Bytes of a text that count as a token where a server does not say.
const BYTES_A_TOKEN: usize = 4;

/// Whether a server counted tokens, or we had to guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// By the server.
    Reported,
    /// As one token every four bytes.
    Estimated,
}

/// Tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub prompt: u64,
    /// Tokens written.
    pub completion: u64,
    /// Who counted.
    pub counted: Counted,
}

impl Usage {
    /// A guess from the bytes of what was sent and of what came.
    pub(crate) fn estimated(sent: usize, came: usize) -> Self {
        let tokens = |bytes: usize| bytes.div_ceil(BYTES_A_TOKEN) as u64;
        Self { prompt: tokens(sent), completion: tokens(came), counted: Counted::Estimated }
    }
}

/// Prices in any currency, the same for all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Of a million tokens read.
    pub prompt_million: f64,
    /// Of a million tokens written.
    pub completion_million: f64,
}

impl Prices {
    fn of(self, usage: Usage) -> f64 {
        (usage.prompt as f64 * self.prompt_million + usage.completion as f64 * self.completion_million) / 1e6
    }
}

/// What may be spent; without limits nothing stops.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Tokens, read and written together.
    pub tokens: Option<u64>,
    /// Money, in the currency of the prices.
    pub money: Option<f64>,
}

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Spent {
    /// Requests that were answered.
    pub requests: u64,
    /// Of these, requests whose tokens were estimated.
    pub estimated: u64,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Money, where prices are known.
    pub money: Option<f64>,
}

impl Spent {
    /// Tokens, read and written together.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens in {} requests", self.tokens(), self.requests)?;
        self.money.map_or(Ok(()), |money| write!(f, ", {money:.4} in money"))
    }
}

/// Counts what requests cost and refuses the next one when a limit is reached.
///
/// What a request costs is known when it is answered: requests in flight at that moment still count, so that
/// the limit can be passed by as many as run at once. An attempt whose answer broke off and that was made again
/// is not counted, though a server may charge for it.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    prices: Option<Prices>,
    spent: Mutex<Spent>,
}

impl Budget {
    /// A budget of which nothing is spent.
    ///
    /// # Errors
    /// When a price or the limit of money is negative or no number, or money is limited without prices.
    pub fn new(limits: Limits, prices: Option<Prices>) -> Result<Self, LlmError> {
        let refused =
            |setting, found: f64, expected| Err(LlmError::Setting { setting, found: found.to_string(), expected });
        let amounts = [
            ("limit of money", limits.money),
            ("price of tokens read", prices.map(|prices| prices.prompt_million)),
            ("price of tokens written", prices.map(|prices| prices.completion_million)),
        ];
        for (setting, amount) in amounts {
            match amount {
                Some(amount) if !(amount.is_finite() && amount >= 0.0) => {
                    return refused(setting, amount, "a number from 0");
                }
                _ => {}
            }
        }
        if let (Some(money), None) = (limits.money, prices) {
            return refused("limit of money", money, "prices beside it, or a limit of tokens");
        }
        let spent = Spent { money: prices.map(|_| 0.0), ..Spent::default() };
        Ok(Self { limits, prices, spent: Mutex::new(spent) })
    }

    /// A budget that counts and never refuses.
    pub fn unlimited() -> Self {
        Self { limits: Limits::default(), prices: None, spent: Mutex::default() }
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spent {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether another request may be sent.
    pub(crate) fn admit(&self) -> Result<(), LlmError> {
        let spent = self.spent();
        let tokens = self.limits.tokens.filter(|limit| spent.tokens() >= *limit).map(|limit| format!("{limit} tokens"));
        let money = self.limits.money.filter(|limit| spent.money.is_some_and(|money| money >= *limit));
        let reached = tokens.or(money.map(|limit| format!("{limit} in money")));
        reached.map_or(Ok(()), |allowed| Err(LlmError::OutOfBudget { spent, allowed }))
    }

    /// Counts an answered request.
    pub(crate) fn charge(&self, usage: Usage) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.requests += 1;
        spent.estimated += u64::from(usage.counted == Counted::Estimated);
        spent.prompt_tokens = spent.prompt_tokens.saturating_add(usage.prompt);
        spent.completion_tokens = spent.completion_tokens.saturating_add(usage.completion);
        spent.money = self.prices.map(|prices| spent.money.unwrap_or_default() + prices.of(usage));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices = Prices { prompt_million: 2.0, completion_million: 8.0 };

    fn usage(prompt: u64, completion: u64) -> Usage {
        Usage { prompt, completion, counted: Counted::Reported }
    }

    #[test]
    fn counts_tokens_and_money_and_stops_at_either_limit() {
        let limits = Limits { tokens: Some(1500), money: Some(0.004) };
        let budget = Budget::new(limits, Some(PRICES)).unwrap();
        budget.charge(usage(1000, 100));
        budget.admit().unwrap();
        budget.charge(Usage::estimated(799, 400));
        let spent = budget.spent();
        // 1000 * 2 + 100 * 8 + 200 * 2 + 100 * 8 = 4000 millionths
        assert_eq!((spent.requests, spent.estimated, spent.prompt_tokens, spent.completion_tokens), (2, 1, 1200, 200));
        assert!((spent.money.unwrap() - 0.004).abs() < 1e-12);
        let message = budget.admit().unwrap_err().to_string();
        assert!(message.contains("1400 tokens in 2 requests, 0.0040 in money, allowed 0.004 in money"), "{message}");
        budget.charge(usage(100, 0));
        assert!(budget.admit().unwrap_err().to_string().contains("allowed 1500 tokens"));
    }

    #[test]
    fn a_limit_of_nothing_sends_nothing_and_none_never_stops() {
        assert!(Budget::new(Limits { tokens: Some(0), money: None }, None).unwrap().admit().is_err());
        let free = Budget::unlimited();
        free.charge(usage(u64::MAX, u64::MAX));
        free.admit().unwrap();
        assert_eq!((free.spent().tokens(), free.spent().money), (u64::MAX, None));
    }

    #[test]
    fn amounts_that_make_no_sense_are_refused() {
        let money = |money| Limits { tokens: None, money: Some(money) };
        assert!(Budget::new(money(1.0), None).unwrap_err().to_string().contains("prices"));
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Budget::new(money(bad), Some(PRICES)).is_err());
            assert!(Budget::new(Limits::default(), Some(Prices { prompt_million: bad, ..PRICES })).is_err());
            assert!(Budget::new(Limits::default(), Some(Prices { completion_million: bad, ..PRICES })).is_err());
        }
    }
}
