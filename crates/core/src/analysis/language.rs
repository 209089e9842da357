//! Which language a short text is in, as far as its script and its stop words tell.

use std::fmt;

use unicode_segmentation::UnicodeSegmentation;

use super::stopwords;

/// A language, or the script of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Another language, by its name.
    Named(&'static str),
    /// One of the languages of a script.
    Written(&'static str),
}

impl Language {
    /// The language of a text; `None` where too little tells it.
    ///
    /// A text is taken for another language than English only where most of its letters are of another script, or where
    /// it has more of that language's stop words than of English ones. So a name or a title in another language does not
    /// make a question foreign.
    pub fn of(text: &str) -> Option<Self> {
        by_script(text).or_else(|| by_stop_words(text))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Language::English => f.write_str("English"),
            Language::Named(name) => f.write_str(name),
            Language::Written(script) => write!(f, "a language in {script} script"),
        }
    }
}

/// The language of the script that most letters are of, unless that is Latin.
fn by_script(text: &str) -> Option<Language> {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let mut counts: Vec<(Language, usize)> = Vec::new();
    let mut kana = false;
    for language in text.chars().filter_map(script) {
        kana |= language == JAPANESE;
        match counts.iter_mut().find(|(known, _)| *known == language) {
            Some((_, count)) => *count += 1,
            None => counts.push((language, 1)),
        }
    }
    let of_script: usize = counts.iter().map(|(_, count)| count).sum();
    let (most, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (2 * of_script > letters).then_some(if kana && most == CHINESE { JAPANESE } else { most })
}

pub(super) const CHINESE: Language = Language::Named("Chinese");
pub(super) const JAPANESE: Language = Language::Named("Japanese");

/// The language of a letter that is not Latin.
fn script(c: char) -> Option<Language> {
    Some(match u32::from(c) {
        0x0370..=0x03FF | 0x1F00..=0x1FFF => Language::Named("Greek"),
        0x0400..=0x052F => Language::Written("Cyrillic"),
        0x0530..=0x058F => Language::Named("Armenian"),
        0x0590..=0x05FF => Language::Named("Hebrew"),
        0x0600..=0x06FF | 0x0750..=0x077F => Language::Written("Arabic"),
        0x0900..=0x0DFF => Language::Written("an Indian"),
        0x0E00..=0x0E7F => Language::Named("Thai"),
        0x10A0..=0x10FF => Language::Named("Georgian"),
        0x1100..=0x11FF | 0xAC00..=0xD7AF => Language::Named("Korean"),
        0x3040..=0x30FF => JAPANESE,
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0x20000..=0x323AF => CHINESE,
        _ => return None,
    })
}

/// Stop words of languages in Latin script; none of a single letter.
#[rustfmt::skip]
const STOP_WORDS: [(&str, &[&str]); 9] = [
    ("German", &["auf", "das", "dem", "den", "der", "die", "ein", "eine", "für", "habe", "haben", "hat", "ich", "im",
        "ist", "mein", "meine", "mit", "nicht", "sich", "und", "von", "wann", "war", "warum", "was", "welche", "wer",
        "wie", "wir", "wo", "zu"]),
    ("French", &["ai", "au", "avec", "avons", "comment", "dans", "de", "des", "du", "elle", "est", "et", "je", "la",
        "le", "les", "ma", "mon", "nous", "où", "pas", "pour", "pourquoi", "quand", "que", "quel", "quelle", "qui",
        "sur", "une"]),
    ("Spanish", &["al", "con", "cuál", "cuándo", "cómo", "de", "del", "dónde", "el", "en", "es", "está", "fue", "la",
        "las", "los", "mi", "para", "por", "que", "qué", "quién", "se", "su", "un", "una", "yo"]),
    ("Italian", &["abbiamo", "che", "chi", "come", "con", "cosa", "del", "della", "di", "dove", "gli", "ho", "il", "la",
        "mia", "mio", "non", "per", "perché", "quando", "sono", "un", "una"]),
    ("Portuguese", &["as", "com", "como", "da", "de", "do", "em", "eu", "foi", "meu", "minha", "não", "onde", "os",
        "para", "por", "qual", "quando", "que", "quem", "um", "uma"]),
    ("Dutch", &["de", "een", "en", "heb", "heeft", "het", "hoe", "ik", "is", "met", "mijn", "niet", "op", "van", "voor",
        "waar", "waarom", "wanneer", "wat", "welke", "wie", "wij", "zijn"]),
    ("Swedish", &["av", "det", "en", "ett", "för", "har", "hur", "inte", "jag", "med", "min", "mitt", "när", "och",
        "på", "som", "vad", "var", "vem", "är"]),
    ("Polish", &["co", "do", "gdzie", "jak", "jest", "kiedy", "kto", "mnie", "moja", "mój", "na", "nie", "się", "że"]),
    ("Turkish", &["benim", "bir", "bu", "için", "kim", "mi", "mı", "nasıl", "ne", "nerede", "ve", "zaman"]),
];

/// Of so many distinct words of a text one at least is a stop word of its language.
const ONE_IN: usize = 10;

fn by_stop_words(text: &str) -> Option<Language> {
    let lower = text.to_lowercase();
    let mut words: Vec<&str> = lower.unicode_words().collect();
    words.sort_unstable();
    words.dedup();
    let count = |list: &[&str]| words.iter().filter(|word| list.contains(word)).count();
    let english = words.iter().filter(|word| stopwords::is_english(word)).count();
    let mut best: Option<(&str, usize)> = None;
    for (name, list) in STOP_WORDS {
        let found = count(list);
        if found > best.map_or(0, |(_, most)| most) {
            best = Some((name, found));
        }
    }
    let accented = lower.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
    // A long text of a language without a list has a stop word of some list by chance.
    let tells = |found: usize| found > english && (found > 1 || accented) && found * ONE_IN >= words.len();
    match best {
        Some((name, found)) if tells(found) => Some(Language::Named(name)),
        _ => (english > 0).then_some(Language::English),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two of its words are Italian stop words.
    const INDONESIAN: &str = "Iya bener banget, kemarin nonton film non fiksi di rumah, kepala sudah tidak pusing lagi, jadi bisa \
                              lebih fokus kerja, besok minum obat lagi supaya sehat";

    #[test]
    fn questions_tell_their_language() {
        for (text, language) in [
            ("When did we move to Leeds?", Some("English")),
            ("where is the Caf\u{e9} de la Paix", Some("English")),
            ("was it the die that I lost", Some("English")),
            ("slow cooker", None),
            ("Z\u{fc}rich", None),
            ("Le Creuset pot", None),
            ("Wann sind wir umgezogen?", Some("German")),
            ("O\u{f9} est-ce que nous avons d\u{e9}jeun\u{e9} ?", Some("French")),
            ("\u{bf}D\u{f3}nde dejamos las llaves?", Some("Spanish")),
            ("quando abbiamo traslocato e chi era con noi", Some("Italian")),
            ("wanneer zijn we naar Utrecht verhuisd", Some("Dutch")),
            ("\u{43a}\u{43e}\u{433}\u{434}\u{430} \u{43c}\u{44b}", Some("a language in Cyrillic script")),
            ("\u{732b}\u{306f}\u{3069}\u{3053}", Some("Japanese")),
            ("\u{732b}\u{5728}\u{54ea}\u{91cc}", Some("Chinese")),
            ("\u{ace0}\u{c591}\u{c774}", Some("Korean")),
            ("What does \u{732b} mean?", Some("English")),
            ("", None),
            ("42?", None),
            (INDONESIAN, None),
        ] {
            let found = Language::of(text).map(|language| language.to_string());
            assert_eq!(found.as_deref(), language, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "\\PC{0,40}") {
            let _ = Language::of(&text);
        }
    }
}
