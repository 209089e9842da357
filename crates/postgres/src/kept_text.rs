//! What was said, as PostgreSQL can keep it: its text has no U+0000.
//!
//! U+0000 becomes U+10FFFF and a `0`, and U+10FFFF, which is no character, U+10FFFF and a `1`. All other text is kept as it
//! is, and can be searched and read in the database.

use std::borrow::Cow;

const MARK: char = '\u{10FFFF}';

/// Text as it is kept.
pub(crate) fn kept(said: &str) -> Cow<'_, str> {
    if !said.contains(['\0', MARK]) {
        return Cow::Borrowed(said);
    }
    let mut kept = String::with_capacity(said.len() + 8);
    for c in said.chars() {
        match c {
            '\0' => kept.extend([MARK, '0']),
            MARK => kept.extend([MARK, '1']),
            c => kept.push(c),
        }
    }
    Cow::Owned(kept)
}

/// Text as it was said.
pub(crate) fn said(kept: &str) -> Cow<'_, str> {
    if !kept.contains(MARK) {
        return Cow::Borrowed(kept);
    }
    let (mut said, mut chars) = (String::with_capacity(kept.len()), kept.chars());
    while let Some(c) = chars.next() {
        if c != MARK {
            said.push(c);
            continue;
        }
        said.push(if chars.next() == Some('0') { '\0' } else { MARK });
    }
    Cow::Owned(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in ["", "plain", "\0", "a\0b", "\u{10FFFF}", "\u{10FFFF}0", "\0\u{10FFFF}1\0", "0\u{10FFFF}\u{10FFFF}"]
        {
            let kept = kept(text);
            assert!(!kept.contains('\0'));
            assert_eq!(said(&kept), text, "{text:?}");
        }
        assert!(matches!(kept("plain"), Cow::Borrowed(_)));
    }
}
