//! How texts are divided into requests.

use std::{num::NonZeroUsize, ops::Range};

/// How much one request holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Texts.
    pub texts: NonZeroUsize,
    /// Characters of all texts together, prefixes included. A longer text goes alone.
    pub chars: NonZeroUsize,
}

impl Default for BatchLimits {
    /// 32 texts, as many as the strictest of the usual servers takes, of 64,000 characters.
    fn default() -> Self {
        Self { texts: NonZeroUsize::MIN.saturating_add(31), chars: NonZeroUsize::MIN.saturating_add(63_999) }
    }
}

impl BatchLimits {
    /// Consecutive ranges that together are all of `texts`, each as long as the limits allow.
    pub(crate) fn split(self, texts: &[String]) -> impl Iterator<Item = Range<usize>> {
        let mut begin = 0;
        std::iter::from_fn(move || {
            let first = texts.get(begin)?;
            let mut chars = first.chars().count();
            let more = texts[begin + 1..].iter().take(self.texts.get() - 1).take_while(|text| {
                chars += text.chars().count();
                chars <= self.chars.get()
            });
            let end = begin + 1 + more.count();
            Some(std::mem::replace(&mut begin, end)..end)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limits(texts: usize, chars: usize) -> BatchLimits {
        BatchLimits { texts: NonZeroUsize::new(texts).unwrap(), chars: NonZeroUsize::new(chars).unwrap() }
    }

    #[test]
    fn limits_count_characters_and_a_long_text_goes_alone() {
        let texts = ["éé", "éé", "a", "bbbbbbb", "c", "", "", "d"].map(str::to_owned);
        let ranges: Vec<_> = limits(3, 5).split(&texts).collect();
        assert_eq!(ranges, [0..3, 3..4, 4..7, 7..8]);
    }

    proptest! {
        #[test]
        fn batches_are_all_texts_in_order_and_none_could_take_one_more(
            texts in prop::collection::vec("[a-c]{0,6}", 0..40), most in 1usize..6, chars in 1usize..12,
        ) {
            let batches: Vec<_> = limits(most, chars).split(&texts).collect();
            prop_assert_eq!(batches.iter().cloned().flatten().collect::<Vec<_>>(), (0..texts.len()).collect::<Vec<_>>());
            let fits = |range: Range<usize>| {
                range.len() <= most && texts[range].iter().map(String::len).sum::<usize>() <= chars
            };
            for batch in &batches {
                prop_assert!(batch.len() == 1 || fits(batch.clone()));
                prop_assert!(batch.end == texts.len() || !fits(batch.start..batch.end + 1));
            }
        }
    }
}
