//! Where a unit that is too long is cut: around its marks, at a clause or a word, never just before a figure.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{LONG_WORD, Mark, heaviest::heaviest, wanted::begins_with_figure};

/// Characters that are kept behind the last mark, where there are so many: answers follow.
const TAIL: usize = 80;

/// Characters that a cut goes back before a mark for the beginning of a word.
const BACK: usize = 24;

/// Characters that a part is longer at the most, so that it does not end before a figure.
const FIGURE: usize = 24;

/// The bytes of a long unit, of about `room` characters, with the marks in it that weigh most and what follows them. `marks`
/// are bytes of the unit.
pub(super) fn around(unit: &str, marks: &[Mark], weights: &[f64], room: usize) -> Range<usize> {
    let at: Vec<usize> = unit.char_indices().map(|(at, _)| at).chain([unit.len()]).collect();
    let all = at.len() - 1;
    let number = |byte: usize| at.partition_point(|&start| start < byte);
    let spans: Vec<Range<usize>> =
        marks.iter().map(|mark| number(mark.bytes.start)..number(mark.bytes.end).min(all)).collect();
    let tail = TAIL.min(room / 3);
    let Some((_, span)) = heaviest(marks, &spans, weights, room - tail) else { return 0..head(unit, room) };
    let end = at[span.end];
    if all <= room || span.end + tail <= room {
        return 0..head_with(unit, end, room);
    }
    let spare = (room - tail).saturating_sub(span.len());
    let (clause, word) =
        (|place: usize| begins_clause(&unit[..at[place]]), |place: usize| begins_word(&unit[..at[place]]));
    let back = |chars: usize| span.start.saturating_sub(chars)..=span.start;
    let begin =
        back(spare).rev().find(|&place| clause(place)).or_else(|| back(spare.min(BACK)).find(|&place| word(place)));
    let mut start = begin.unwrap_or_else(|| character_at(unit, &at, span.start - spare.min(BACK).min(span.start)));
    // At the end of a unit there is room before.
    if all - start < room {
        let least = all - room;
        let earlier = (least..start).find(|&place| clause(place)).or_else(|| (least..start).find(|&place| word(place)));
        start = earlier.unwrap_or_else(|| character_at(unit, &at, least));
    }
    // A character, as it is seen, may be several: the part is longer by these.
    let room = if span.len() < room { room.max((span.end - start).min(room + FIGURE)) } else { room };
    at[start]..at[start] + head_with(&unit[at[start]..], end - at[start], room)
}

/// The number of the character at which the one that is seen begins, of which `place` may be a part.
fn character_at(text: &str, at: &[usize], place: usize) -> usize {
    let from = place.saturating_sub(BACK);
    let seen = text[at[from]..at[(place + 1).min(at.len() - 1)]].grapheme_indices(true).next_back();
    seen.map_or(place, |(byte, _)| at.partition_point(|&start| start < at[from] + byte))
}

/// The bytes of the beginning of a text, of about so many characters.
pub(super) fn head(text: &str, chars: usize) -> usize {
    head_with(text, 0, chars)
}

/// The same with at least some bytes, as far as there is room.
fn head_with(text: &str, least: usize, chars: usize) -> usize {
    let Some((most, _)) = text.char_indices().nth(chars) else { return text.len() };
    let after = text[most..].char_indices().nth(LONG_WORD).map_or(text.len(), |(at, _)| most + at);
    let near = &text[..after];
    let holds = |end: &usize| *end >= least;
    let end = clause_end(near, most, chars).filter(holds).or_else(|| word_end(near, most).filter(holds));
    let end = end.unwrap_or_else(|| Some(character_end(near, most)).filter(holds).unwrap_or(most));
    past_figure(near, least, end)
}

/// The end of the last clause in the last quarter of so many characters.
fn clause_end(text: &str, most: usize, chars: usize) -> Option<usize> {
    let least = text.char_indices().nth(chars - chars / 4).map_or(most, |(at, _)| at);
    let ends = text.char_indices().take_while(|&(at, _)| at <= most).map(|(at, _)| at);
    ends.filter(|&at| at >= least && begins_clause(&text[..at])).last().map(|at| text[..at].trim_end().len())
}

fn word_end(text: &str, most: usize) -> Option<usize> {
    let end = match text[most..].starts_with(char::is_whitespace) {
        true => most,
        false => text[..most].rfind(char::is_whitespace)?,
    };
    let end = text[..end].trim_end().len();
    (end > 0 && text[end..most].chars().nth(LONG_WORD).is_none()).then_some(end)
}

/// The end of the last character, as it is seen, that is whole.
fn character_end(text: &str, most: usize) -> usize {
    let from = text[..most].char_indices().rev().nth(2 * LONG_WORD).map_or(0, |(at, _)| at);
    let seen = text[from..].grapheme_indices(true).map(|(at, _)| from + at).take_while(|&at| at <= most).last();
    seen.filter(|&end| end > 0).unwrap_or(most)
}

/// The same end, or one behind the figure that would follow it, or before the word that leads to a long one.
fn past_figure(text: &str, least: usize, end: usize) -> usize {
    if !begins_with_figure(&text[end..]) {
        return end;
    }
    let mut past = end;
    for _ in 0..2 {
        let rest = &text[past..];
        let word = rest.len() - rest.trim_start().len();
        let word = rest[word..].find(char::is_whitespace).map_or(rest.len(), |at| word + at);
        if text[end..past + word].chars().count() > FIGURE {
            break;
        }
        past += word;
    }
    if past > end && !begins_with_figure(&text[past..]) {
        return past;
    }
    let figure = text[end..]
        .char_indices()
        .take(FIGURE)
        .find(|&(at, c)| at > 0 && !c.is_numeric() && !matches!(c, '.' | ',' | ':' | '-'));
    let figure =
        figure.map(|(at, _)| end + at).filter(|_| past == end && !text[end..].starts_with(char::is_whitespace));
    figure.unwrap_or_else(|| {
        if past > end { past } else { before_word(text, end).filter(|&end| end >= least).unwrap_or(end) }
    })
}

/// The end of what stands before the last word until `end`.
fn before_word(text: &str, end: usize) -> Option<usize> {
    let before = text[..end].trim_end().rfind(char::is_whitespace)?;
    Some(text[..before].trim_end().len()).filter(|&end| end > 0)
}

/// Whether a word begins behind a text.
fn begins_word(before: &str) -> bool {
    before.chars().next_back().is_none_or(char::is_whitespace)
}

/// Whether a clause begins behind a text.
fn begins_clause(before: &str) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        None | Some('，' | '、' | '；' | '：' | '。' | '！' | '？') => true,
        Some(' ') => {
            back.next().is_some_and(|sign| matches!(sign, '.' | ',' | ';' | ':' | '!' | '?' | '—' | '–' | '|'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_part_never_ends_just_before_a_figure() {
        let text = "We can pay at most £1,250 for it, delivered";
        for chars in 12..text.len() {
            let part = &text[..head(text, chars)];
            assert!(!begins_with_figure(&text[part.len()..]), "{chars}: {part}");
            assert!(!part.ends_with('£'), "{chars}: {part}");
        }
    }

    #[test]
    fn a_part_ends_with_a_clause_or_a_word() {
        assert_eq!(&"one two, three four five"[..head("one two, three four five", 10)], "one two,");
        assert_eq!(&"one two three four"[..head("one two three four", 10)], "one two");
        assert_eq!(head("short", 10), 5);
    }

    proptest! {
        #[test]
        fn any_text_is_cut_between_characters(text in "([a-c]{1,9} |£?[0-9]{1,9}[ ,.]|猫|e\u{301}|👩\u{200d}👩|, |\\PC){0,60}", room in 4..40usize) {
            let end = head(&text, room);
            prop_assert!(text.get(..end).is_some());
            prop_assert!(text[..end].chars().count() <= room + FIGURE);
            prop_assert!(end > 0 || text.is_empty() || text.starts_with(char::is_whitespace));
            for (byte, c) in text.char_indices() {
                let mark = Mark { bytes: byte..byte + c.len_utf8(), term: 0 };
                let part = around(&text, &[mark], &[1.0], room);
                prop_assert!(text.get(part.clone()).is_some_and(|part| part.chars().count() <= room + 2 * FIGURE));
                prop_assert!(part.contains(&byte) || c.is_whitespace(), "{byte} {part:?}");
            }
        }
    }
}
