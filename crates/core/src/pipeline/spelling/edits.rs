//! How many edits one word is from another.

/// Three rows of the table of edits, kept between words.
#[derive(Default)]
pub(super) struct Rows {
    other: Vec<char>,
    before: Vec<usize>,
    last: Vec<usize>,
    this: Vec<usize>,
}

impl Rows {
    /// Edits from one word to another, at most `most`; `None` for more.
    pub(super) fn edits(&mut self, word: &[char], other: &str, most: usize) -> Option<usize> {
        self.other.clear();
        self.other.extend(other.chars());
        let other = &self.other;
        if word.len().abs_diff(other.len()) > most {
            return None;
        }
        let width = other.len() + 1;
        self.last.clear();
        self.last.extend(0..width);
        self.before.clear();
        self.before.resize(width, 0);
        self.this.resize(width, 0);
        for (row, &letter) in (1..).zip(word) {
            self.this[0] = row;
            for column in 1..width {
                let same = usize::from(letter != other[column - 1]);
                let mut least =
                    (self.last[column - 1] + same).min(self.last[column] + 1).min(self.this[column - 1] + 1);
                let swapped =
                    row > 1 && column > 1 && letter == other[column - 2] && word[row - 2] == other[column - 1];
                if swapped {
                    least = least.min(self.before[column - 2] + 1);
                }
                self.this[column] = least;
            }
            if self.this.iter().take(width).all(|&edits| edits > most) {
                return None;
            }
            std::mem::swap(&mut self.before, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.this);
            self.this.resize(width, 0);
        }
        Some(self.last[width - 1]).filter(|&edits| edits <= most)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edits(word: &str, other: &str, most: usize) -> Option<usize> {
        Rows::default().edits(&word.chars().collect::<Vec<_>>(), other, most)
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("pasport", "passport", 1), Some(1));
        assert_eq!(edits("recieve", "receive", 1), Some(1), "swapped letters are one edit");
        assert_eq!(edits("kitten", "sitting", 3), Some(3));
        assert_eq!(edits("kitten", "sitting", 2), None);
        assert_eq!(edits("straße", "strasse", 2), Some(2));
        assert_eq!(edits("same", "same", 1), Some(0));
    }

    proptest! {
        #[test]
        fn edits_are_symmetric_and_bounded(a in "[abc]{0,6}", b in "[abc]{0,6}") {
            let found = edits(&a, &b, 6).unwrap();
            prop_assert_eq!(edits(&b, &a, 6), Some(found));
            prop_assert!(found <= a.len().max(b.len()) && found >= a.len().abs_diff(b.len()));
            prop_assert_eq!(edits(&a, &b, 2), Some(found).filter(|&found| found <= 2), "a bound changes nothing else");
        }
    }
}
