//! Where the sentences of prose begin, as a reader takes them: never within a number, a name or an abbreviation.

use crate::time::dot_ends_sentence;

/// Words behind which a dot ends no sentence, in lower case; of a word with dots, the last part.
const ABBREVIATIONS: [&str; 52] = [
    "abs", "al", "allg", "approx", "art", "avda", "bspw", "bzw", "ca", "cf", "cit", "dott", "dr", "etc", "ev", "evtl",
    "fig", "ggf", "incl", "inkl", "jr", "max", "min", "mind", "mr", "mrs", "ms", "núm", "nr", "pag", "pág", "prof",
    "resp", "sig", "sog", "sr", "sra", "srta", "st", "std", "str", "tel", "usw", "vgl", "viz", "vol", "vs", "zzgl",
    "ud", "uds", "mme", "гг",
];

/// Letters of a word before a dot and a number that is taken for an abbreviation ("Art. 5", "Satz 3"), at the most.
const BEFORE_NUMBER: usize = 4;

/// Letters of the beginnings of months that tell a month from another word.
const MONTH: usize = 3;

/// Signs that are looked at for the end of a line or the beginning of a block, at the most.
const NEAR_END: usize = 16;

/// The beginnings of months in languages that write the day with a dot ("31. Dezember"), in lower case.
const MONTHS: [&str; 17] = [
    "jan", "jän", "feb", "mär", "mar", "apr", "mai", "maj", "jun", "jul", "aug", "sep", "okt", "nov", "dez", "dec",
    "des",
];

/// The bytes at which the sentences of a block of text begin, after the first; `block` holds no blank line.
pub(super) fn starts(block: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut code = CodeSpans::of(block);
    for (at, sign) in block.char_indices() {
        if code.holds(at, sign) {
            continue;
        }
        let after = at + sign.len_utf8();
        let is_new = found.last().is_none_or(|&last| last < after);
        if sign == '\n' && is_new && after < block.len() && !goes_on(block, at) {
            found.push(after);
        }
        if !matches!(sign, '。' | '！' | '？' | '．' | '｡' | '।' | '!' | '?' | '؟' | '…' | '.') {
            continue;
        }
        let rest = block[after..].trim_start_matches(closes);
        let is_end = match sign {
            '!' | '?' | '؟' | '…' => begins_apart(rest),
            '.' => ends(&block[..at], rest),
            _ => true,
        };
        let start = block.len() - rest.trim_start().len();
        if is_end && start < block.len() && found.last().is_none_or(|&last| last < start) {
            found.push(start);
        }
    }
    found
}

/// Whether a line goes on in the next: it ends no sentence, and the next begins with a small letter.
fn goes_on(block: &str, end: usize) -> bool {
    let last = block[..end].chars().rev().take(NEAR_END).find(|&c| !c.is_whitespace() && !closes(c));
    let ended = last.is_none_or(|last| matches!(last, '.' | '!' | '?' | ':' | ';' | '。' | '！' | '？' | '：' | '…'));
    !ended && block[end..].trim_start().chars().next().is_some_and(char::is_lowercase)
}

/// Signs that belong to the sentence before them.
fn closes(sign: char) -> bool {
    matches!(sign, '"' | '\'' | '”' | '’' | '“' | '»' | ')' | ']' | '*' | '_' | '~' | '」' | '』' | '）' | '】')
}

fn begins_apart(rest: &str) -> bool {
    let is_new = rest.trim_start().chars().next().is_some_and(|first| !first.is_lowercase());
    rest.starts_with(char::is_whitespace) && is_new
}

/// Whether a dot ends a sentence.
fn ends(before: &str, rest: &str) -> bool {
    if !dot_ends_sentence(before, rest) {
        return false;
    }
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let next = rest.trim_start();
    let next = next.trim_start_matches(['*', '_', '(', '"', '„', '“']);
    let before_number = next.starts_with(|c: char| c.is_numeric());
    if !word.is_empty() && word.chars().all(char::is_numeric) {
        // A list number, or a day before its month. "In 2019. May" ends, "17. May" does not.
        let begins = before.len() <= NEAR_END
            && before.trim_start_matches(|c: char| c.is_whitespace() || closes(c) || c == '>').len() == word.len();
        let month: String = next.chars().take(MONTH).flat_map(char::to_lowercase).collect();
        return !(begins || word.len() <= 2 && MONTHS.contains(&month.as_str()));
    }
    let letters = word.chars().count();
    let lower = if letters <= 6 { word.to_lowercase() } else { String::new() };
    let is_dotted = letters == 1 && before[..before.len() - word.len()].ends_with('.');
    !(is_dotted
        || ABBREVIATIONS.contains(&lower.as_str())
        || before_number && letters <= BEFORE_NUMBER && word.chars().all(char::is_alphabetic))
}

/// The spans of code between backticks, each on one line.
struct CodeSpans<'a> {
    block: &'a str,
    is_open: bool,
    /// Until where no other backtick is on the line.
    none_until: usize,
}

impl<'a> CodeSpans<'a> {
    fn of(block: &'a str) -> Self {
        Self { block, is_open: false, none_until: 0 }
    }

    /// Whether a sign is code; to be asked of each in order.
    fn holds(&mut self, at: usize, sign: char) -> bool {
        match sign {
            '\n' => self.is_open = false,
            '`' if self.is_open => self.is_open = false,
            '`' if at >= self.none_until => {
                // The first backtick after this one, or the end of the line: each is looked for once.
                let rest = &self.block[at + 1..];
                let end = rest.find(['`', '\n']).unwrap_or(rest.len());
                self.is_open = rest[end..].starts_with('`');
                self.none_until = at + 1 + end;
            }
            _ => {}
        }
        self.is_open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(block: &str) -> Vec<&str> {
        let mut bounds = starts(block);
        bounds.insert(0, 0);
        bounds.push(block.len());
        bounds.windows(2).map(|pair| block[pair[0]..pair[1]].trim()).collect()
    }

    #[test]
    fn a_dot_within_a_number_a_name_or_a_path_ends_nothing() {
        for whole in [
            "It was £1.50 and then £1,234.56 with VAT",
            "Run `make all. Then` from src/main.rs or see https://a.example/x?q=1.2!z and v1.2.3 of pandas.core",
            "1. Oven at 160 °C",
            "**2.** Fold the egg whites in",
            "Ask Dr. Weber or Mr. Hill, e.g. Tuesdays, approx. 30 minutes, cf. Fig. 3",
            "Nach § 556 Abs. 3 Satz 2 gilt das z.B. bis zum 31. Dezember bzw. Januar",
            "Vive en la Avda. Mayor, pág. 12, con la Sra. Ruiz",
            "a long line that goes\non in the next",
        ] {
            assert_eq!(sentences(whole), [whole], "{whole}");
        }
    }

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        assert_eq!(sentences("It costs £1. Then it rains."), ["It costs £1.", "Then it rains."]);
        assert_eq!(
            sentences("**The roof.** He came! \"Did he?\" Yes."),
            ["**The roof.**", "He came!", "\"Did he?\"", "Yes."]
        );
        assert_eq!(sentences("It was in 2019. May was wet."), ["It was in 2019.", "May was wet."]);
        assert_eq!(sentences("预算是9000元。最多！真的？"), ["预算是9000元。", "最多！", "真的？"]);
        assert_eq!(sentences("One line\nAnother line"), ["One line", "Another line"]);
        assert_eq!(sentences("an open ` tick. Then more"), ["an open ` tick.", "Then more"]);
    }
}
