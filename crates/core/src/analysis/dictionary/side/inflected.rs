//! Words that the dictionary has in another form, or as two parts.

use super::{Meaning, PART, Side};
use crate::analysis::{dictionary::endings::Endings, fold::fold, stems::Stems};

/// Letters of the stem that is left of a word without its ending.
const STEM: usize = 3;
/// Last parts of names of streets, which are not taken apart.
const STREETS: [&str; 8] = ["straße", "strasse", "gasse", "allee", "straat", "gracht", "laan", "gatan"];
/// Bytes of the longest word that is taken apart or loses its ending: what is longer is no word.
const LONGEST_COMPOUND: usize = 60;
/// What stands between the parts of a compound.
const LINKS: [&str; 6] = ["", "s", "es", "n", "en", "e"];

impl Side {
    /// What a word means whose ending the stemmer leaves.
    pub(super) fn inflected(&self, word: &str, stems: &mut Stems) -> Option<&[Meaning]> {
        let Endings { inflected, participle, .. } = self.endings.filter(|_| word.len() <= LONGEST_COMPOUND)?;
        let bare = participle.and_then(|start| word.strip_prefix(start));
        [Some(word), bare].into_iter().flatten().find_map(|word| {
            let stems_left = inflected.iter().filter_map(|ending| without(word, &[ending]));
            let mut known = stems_left.filter_map(|left| {
                self.meanings.get(&self.stem_of(stems, left)).or_else(|| self.roots.get(fold(left).as_ref()))
            });
            known.next().map(Vec::as_slice)
        })
    }

    /// What the two parts of a word mean, where both are known: the longest last part that is.
    pub(super) fn compound(&self, word: &str, stems: &mut Stems) -> Option<[&[Meaning]; 2]> {
        let is_street = || STREETS.iter().any(|street| word.ends_with(street));
        if !self.has_compounds || word.len() > LONGEST_COMPOUND || is_street() {
            return None;
        }
        let letters = |part: &str| part.chars().count();
        word.char_indices().skip(PART - 1).find_map(|(at, _)| {
            let (first, last) = word.split_at(at);
            if letters(last) < PART {
                return None;
            }
            let last = self.meanings.get(&self.stem_of(stems, last))?;
            let firsts =
                LINKS.iter().filter_map(|link| first.strip_suffix(link)).filter(|first| letters(first) + 1 >= PART);
            let mut known = firsts.filter_map(|first| self.meanings.get(&self.stem_of(stems, first)));
            known.next().map(|first| [&first[..], &last[..]])
        })
    }
}

/// A word without the first of some endings that it has and that leaves a stem.
pub(super) fn without<'w>(word: &'w str, endings: &[&str]) -> Option<&'w str> {
    endings.iter().filter_map(|ending| word.strip_suffix(ending)).find(|stem| stem.chars().count() >= STEM)
}
