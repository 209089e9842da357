//! Which language a short text is in, as far as its script and its function words tell.

use std::fmt;

use unicode_segmentation::UnicodeSegmentation;

use super::{
    dictionary::told_by,
    fold::{fold, lowered},
    languages::{Known, KnownLanguage, LANGUAGES, known},
};

/// A language, or the script of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// it has more of that language's function words than of English stop words. So a name or a title in another language does not
    /// make a question foreign.
    pub fn of(text: &str) -> Option<Self> {
        Self::counted(text, || count(&lowered(text)))
    }

    fn counted(text: &str, counted: impl FnOnce() -> Counted) -> Option<Self> {
        match by_script(text) {
            None => by_words(text, &counted()),
            Some(CYRILLIC) if is_russian(text) => Some(Language::Named("Russian")),
            script => script,
        }
    }

    /// Whether a text may be in a language: not where it has two words or more of the one that it is taken for, and more than
    /// twice as many as of that language.
    pub(crate) fn may_be(text: &str) -> impl Fn(Self) -> bool {
        let counted = count(&lowered(text));
        let words = move |language: Self| match language {
            Language::English => counted.english,
            _ => language.number().map_or(0, |number| counted.evidence[number].all()),
        };
        let taken_for = Self::counted(text, || counted).map_or(0, words);
        move |language| taken_for < 2 || taken_for <= 2 * words(language)
    }

    /// How many are known by their words.
    pub(crate) const KNOWN: usize = LANGUAGES.len();

    /// Its number among those that are known by their words.
    pub(crate) fn number(self) -> Option<usize> {
        let Language::Named(name) = self else { return None };
        LANGUAGES.iter().position(|language| language.name == name)
    }

    /// The one of a number that [`Language::number`] gave.
    pub(crate) fn numbered(number: usize) -> Self {
        Language::Named(LANGUAGES[number].name)
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
const CYRILLIC: Language = Language::Written("Cyrillic");

/// Whether a Cyrillic text has no letter that Russian lacks: Ukrainian, Belarusian, Serbian and Macedonian texts of a few words
/// have one. A Bulgarian one is taken for Russian.
fn is_russian(text: &str) -> bool {
    let lower = lowered(text);
    let has = |letters: &str| lower.contains(|c| letters.contains(c));
    !has("\u{456}\u{457}\u{454}\u{491}\u{45e}\u{452}\u{458}\u{459}\u{45a}\u{45b}\u{45f}")
}

/// The language of a letter that is not Latin.
fn script(c: char) -> Option<Language> {
    Some(match u32::from(c) {
        0x0370..=0x03FF | 0x1F00..=0x1FFF => Language::Named("Greek"),
        0x0400..=0x052F => CYRILLIC,
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

/// Of so many distinct words of a text one at least is a function word of its language.
const ONE_IN: usize = 10;

/// What speaks for a language.
#[derive(Clone, Copy, Default)]
struct Evidence {
    /// Words that are of it and not of English.
    own: usize,
    /// Words that are of both, and its letters.
    other: usize,
}

impl Evidence {
    fn all(self) -> usize {
        self.own + self.other
    }
}

/// What the words of a text, and its letters, speak for.
#[derive(Clone, Copy)]
struct Counted {
    evidence: [Evidence; LANGUAGES.len()],
    /// English stop words.
    english: usize,
    /// Distinct words.
    words: usize,
}

fn count(lower: &str) -> Counted {
    let folded = fold(lower);
    let mut words: Vec<&str> = folded.unicode_words().collect();
    words.sort_unstable();
    words.dedup();
    let mut evidence = [Evidence::default(); LANGUAGES.len()];
    let mut english = 0;
    for word in &words {
        let mut found = known(word);
        if let Some((before, after)) = word.split_once('\'') {
            // Of "j'ai", both parts tell.
            let elides = |language: &KnownLanguage| language.elided.split_whitespace().any(|elided| elided == before);
            let of_both = LANGUAGES.iter().zip(&mut evidence).filter(|(language, _)| elides(language));
            of_both.for_each(|(_, evidence)| evidence.own += 1);
            if found.languages == 0 && !found.is_english {
                found = known(after);
            }
        }
        let Known { languages, is_english, is_also_english } = found;
        english += usize::from(is_english);
        // A letter alone is a word of many.
        if word.len() < 2 {
            continue;
        }
        let mut left = languages;
        while left != 0 {
            let Evidence { own, other } = &mut evidence[left.trailing_zeros() as usize];
            *(if is_english || is_also_english { other } else { own }) += 1;
            left &= left - 1;
        }
    }
    let accented = if lower.is_ascii() { &mut [] } else { evidence.as_mut_slice() };
    for (language, evidence) in LANGUAGES.iter().zip(accented) {
        evidence.other += usize::from(lower.contains(|c| language.letters.contains(c)));
    }
    Counted { evidence, english, words: words.len() }
}

/// The language whose function words, and letters, a text has most of. Where these do not tell, or tell two, the dictionary's do.
fn by_words(text: &str, counted: &Counted) -> Option<Language> {
    let Counted { evidence, english, words } = *counted;
    // A long text of a language without a list has a function word of some list by chance.
    let tells = |found: &Evidence| {
        // Words that are English too tell a language where there are many of them.
        let are_few = found.own == 0 && (found.all() < 3 || found.all() * 2 < words);
        found.all() > 1 && !are_few && found.all() > english && found.all() * ONE_IN >= words
    };
    let best = (0..LANGUAGES.len()).rev().max_by_key(|&number| (evidence[number].all(), evidence[number].own))?;
    let Evidence { own, .. } = evidence[best];
    let is_told = tells(&evidence[best]);
    let is_told_alone = is_told && evidence.iter().filter(|other| other.all() == evidence[best].all()).count() == 1;
    let is_surely_english = !is_told && own == 0 && english > 2;
    let by_dictionary = || {
        let lower = lowered(text);
        let mut words: Vec<&str> = lower.unicode_words().collect();
        words.sort_unstable();
        words.dedup();
        let other = |language: Language| language.number().map_or(0, |number| evidence[number].all());
        told_by(&words, |word| known(&fold(word)).is_english, other)
    };
    let told = if is_told_alone || is_surely_english { None } else { by_dictionary() };
    let may_be = |language: &Language| {
        !is_told || language.number().is_some_and(|number| evidence[number].all() == evidence[best].all())
    };
    told.filter(may_be).or_else(|| match is_told {
        true => Some(Language::Named(LANGUAGES[best].name)),
        false => (english > 0).then_some(Language::English),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two of its words are Italian stop words.
    const INDONESIAN: &str = "Iya bener banget, kemarin nonton film non fiksi di rumah, kepala sudah tidak pusing lagi, jadi bisa \
                              lebih fokus kerja, besok minum obat lagi supaya sehat";

    #[test]
    fn a_text_may_be_in_languages_that_have_as_many_of_its_words() {
        let may_be = |text: &str, name: &'static str| Language::may_be(text)(Language::Named(name));
        assert!(may_be("Wer wohnt hier bei uns?", "German") && !may_be("Wer wohnt hier bei uns?", "French"));
        assert!(!may_be("What was the actual price of the boat?", "Spanish"));
        // "Was" alone is English too, and "Wie" and "er" are German and Dutch.
        assert!(may_be("Was war gestern?", "German"));
        assert!(may_be("Wie belde er gisteravond?", "German") && may_be("Wie belde er gisteravond?", "Dutch"));
        assert!(may_be("slow cooker", "Swedish"), "nothing is told");
    }

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
            ("j'ai vu l'appartement", Some("French")),
            ("Vem har s\u{e5}lt b\u{e5}ten?", Some("Swedish")),
            ("Was war das?", Some("German")),
            ("Was hat Friederike am linken Handgelenk?", Some("German")),
            ("Was fühlte Matthias am ersten freien Dienstag?", Some("German")),
            ("Wo hat Mehmet die Blockflötenkiste hingestellt?", Some("German")),
            ("¿Y la gotera?", Some("Spanish")),
            ("A las seis.", Some("Spanish")),
            ("Que três coisas a Tainá devia propor ao senhorio?", Some("Portuguese")),
            ("Priyanka住在班加罗尔哪儿?", Some("Chinese")),
            ("Is the cast on?", Some("English")),
            ("What is the plan, go on?", Some("English")),
            ("Thanks, let's keep in touch, take care!", Some("English")),
            ("\u{43a}\u{43e}\u{433}\u{434}\u{430} \u{43c}\u{44b}", Some("Russian")),
            (
                "\u{43a}\u{43e}\u{43b}\u{438} \u{43c}\u{438} \u{457}\u{434}\u{435}\u{43c}\u{43e}",
                Some("a language in Cyrillic script"),
            ),
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
