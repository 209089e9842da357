//! What a forward pass reads: token ids, and where the second of two texts begins.

/// The tokens of a text, or of two texts read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sequence {
    ids: Vec<u32>,
    /// Tokens of the first segment; the others are of the second.
    first: usize,
}

impl Sequence {
    /// A text of one segment.
    pub(crate) fn single(ids: Vec<u32>) -> Self {
        Self { first: ids.len(), ids }
    }

    /// Tokens whose first `first` are of the first segment.
    pub(crate) fn pair(ids: Vec<u32>, first: usize) -> Self {
        Self { first: first.min(ids.len()), ids }
    }

    /// How many tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The token ids.
    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Whether the token at `i` is of the second segment.
    pub(super) fn is_second(&self, i: usize) -> bool {
        i >= self.first
    }

    /// The row of the position embeddings that each token takes.
    ///
    /// Without a padding id they are counted from 0. With one they are counted from the id after it, and a
    /// padding token, which a text can spell out, takes the padding's row and does not count
    /// (`create_position_ids_from_input_ids` in transformers).
    pub(super) fn positions(&self, padding: Option<u32>) -> impl Iterator<Item = usize> {
        let mut next = padding.map_or(0, |padding| padding as usize + 1);
        self.ids.iter().map(move |id| match padding {
            Some(padding) if padding == *id => padding as usize,
            _ => {
                next += 1;
                next - 1
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_from_zero_or_after_padding() {
        let sequence = Sequence::single(vec![0, 5, 1, 1, 6, 2]);
        assert_eq!(sequence.positions(None).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(sequence.positions(Some(1)).collect::<Vec<_>>(), [2, 3, 1, 1, 4, 5]);
    }

    #[test]
    fn segments_change_once() {
        let pair = Sequence::pair(vec![7; 4], 3);
        assert_eq!((0..4).map(|i| pair.is_second(i)).collect::<Vec<_>>(), [false, false, false, true]);
        assert!(!(0..4).any(|i| Sequence::single(vec![7; 4]).is_second(i)));
    }
}
