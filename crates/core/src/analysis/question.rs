//! What a question asks for besides its terms: whom it is about, whether it asks when.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use super::{
    Analyzer, Language, NamedDate, continuing, distinct, fold::fold, languages::LANGUAGES, requests, stopwords,
    time_words,
};
use crate::time::{Clock, Times};

/// The one who asks, where turns are those of a chat with an assistant.
const ASKER: [&str; 2] = ["user", "human"];

/// The one who is asked there.
const ASSISTANT: [&str; 4] = ["assistant", "ai", "bot", "model"];

/// What a tool of the one who is asked did, in the log of a coding agent.
const TOOL: [&str; 1] = ["tool"];

/// Speakers that are roles: a topic like any other, not somebody's name.
const ROLES: [&str; 7] = ["user", "human", "assistant", "ai", "bot", "system", "model"];

/// A question, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    text: String,
    language: Option<Language>,
    /// Its distinct terms in order of first use.
    pub terms: Vec<String>,
    /// Whether it asks for a time.
    pub asks_when: bool,
    /// The dates it names.
    pub dates: Vec<NamedDate>,
    /// What it says of time, read at the moment of asking; `None` where nobody says when that is.
    pub times: Option<Times>,
    /// Whether it is about what was, by its English words.
    pub is_of_the_past: bool,
    /// How likely it asks for something new, advice or work, and not for what was said or done, in [0, 1].
    pub request: f64,
    /// How likely it goes on with something that an earlier conversation was about, in [0, 1].
    pub continues: f64,
    in_first_person: bool,
    in_second_person: bool,
    /// Of words that texts of several languages have in several forms, the terms of each.
    forms: Vec<Vec<String>>,
    /// Which of them a term is of.
    word_of: HashMap<String, usize>,
}

/// The name of a speaker, by the words people use for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeakerName {
    /// Its distinct words, folded; stop words are left out, but for initials.
    words: Vec<String>,
}

impl SpeakerName {
    /// The name as stored.
    pub fn new(name: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        for word in fold(name).unicode_words().filter(|word| word.len() == 1 || !stopwords::is_english(word)) {
            if !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
        Self { words }
    }

    /// Share of the name that `named` has.
    fn share(&self, named: &[(usize, String)]) -> f64 {
        let has = |word: &&String| named.iter().any(|(_, name)| name == *word);
        self.words.iter().filter(has).count() as f64 / self.words.len().max(1) as f64
    }

    fn is_one_of(&self, roles: &[&str]) -> bool {
        self.words.iter().any(|word| roles.contains(&word.as_str()))
    }

    /// Whether it is the role of an assistant.
    pub fn is_assistant(&self) -> bool {
        self.is_one_of(&ASSISTANT)
    }

    /// Whether it is the role of a tool.
    pub fn is_tool(&self) -> bool {
        self.words == TOOL
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }
}

impl Question {
    /// Takes a question apart.
    pub fn new(text: &str, analyzer: Analyzer) -> Self {
        let language = Language::of(text);
        Self {
            text: text.to_owned(),
            language,
            terms: distinct(analyzer.query_words(text, language, others(language)).into_iter().flatten()),
            asks_when: time_words::asks_when(text),
            dates: NamedDate::all_in(text),
            times: None,
            is_of_the_past: time_words::is_of_the_past(text),
            request: requests::request(text, language),
            continues: continuing::continues(text, language),
            in_first_person: time_words::in_first_person(text),
            in_second_person: time_words::in_second_person(text),
            forms: Vec::new(),
            word_of: HashMap::new(),
        }
    }

    /// The same question with other terms.
    pub(crate) fn with_terms(&self, terms: Vec<String>) -> Self {
        Self { terms, ..self.clone() }
    }

    /// The same with the terms that each of its words may be.
    pub(crate) fn with_forms(self, forms: Vec<Vec<String>>) -> Self {
        let mut word_of = HashMap::new();
        for (word, forms) in forms.iter().enumerate() {
            for form in forms {
                word_of.entry(form.clone()).or_insert(word);
            }
        }
        Self { forms, word_of, ..self }
    }

    /// All terms that the word of a term may be, itself included.
    pub(crate) fn forms_of<'t>(&'t self, term: &'t String) -> &'t [String] {
        self.word_of.get(term).map_or(std::slice::from_ref(term), |&word| &self.forms[word])
    }

    /// The same, asked at the moment of `clock`.
    pub fn asked_at(self, clock: &Clock) -> Self {
        Self { times: Some(Times::read(&self.text, Some(clock)).begun(clock)), ..self }
    }

    /// Whether it names a time and asks for nothing else than what was then ("what happened on May 3?").
    pub fn asks_for_a_time_alone(&self) -> bool {
        self.times.as_ref().is_some_and(|times| times.are_all_of(&self.text))
    }

    /// The distinct terms of a part of it: a part may be too short to tell its language.
    pub(crate) fn terms_of(&self, part: &str, analyzer: Analyzer) -> Vec<String> {
        distinct(analyzer.query_words(part, self.language, others(self.language)).into_iter().flatten())
    }

    /// The words of a part of it, each with the terms that it may be in texts of its own language, and of others.
    pub(crate) fn words_of(&self, part: &str, analyzer: Analyzer, languages: &[Language]) -> Vec<Vec<String>> {
        let languages = languages.iter().copied().map(Some);
        let languages: Vec<Option<Language>> = others(self.language).iter().copied().chain(languages).collect();
        analyzer.query_words(part, self.language, &languages)
    }

    /// Whether its language, or one of those given where it tells none, writes compounds as one word.
    pub(crate) fn has_compounds(&self, languages: &[Language]) -> bool {
        let has = |language: &Language| language.number().is_some_and(|number| LANGUAGES[number].compounds);
        self.language.as_ref().map_or_else(|| languages.iter().any(has), has)
    }

    /// The language it is in, as far as it tells.
    pub(crate) fn language(&self) -> Option<Language> {
        self.language
    }

    /// The question as asked.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it more likely than not asks for something new.
    pub fn is_request(&self) -> bool {
        self.request >= 0.5
    }

    /// Which of the speakers it is about: those it names, in the first person the one who asks, and in the second
    /// person the assistant. What asks an assistant for something new is about the one who asks.
    ///
    /// The one who asks is the user. Where there is none, but an assistant and one other speaker, it is that one.
    /// A word that is of several names means the one of which most is there: of Grad A and Grad B, "grad B" is one.
    pub fn is_about(&self, speakers: &[SpeakerName]) -> Vec<bool> {
        let named: Vec<(usize, String)> = self.name_words().collect();
        let shares: Vec<f64> = speakers.iter().map(|speaker| speaker.share(&named)).collect();
        let asker = if self.in_first_person || self.is_request() { asker(speakers) } else { Vec::new() };
        let is_addressed = self.in_second_person && !self.is_request();
        let addressed = |speaker: &SpeakerName| is_addressed && speaker.is_one_of(&ASSISTANT);
        let mut about: Vec<bool> = (speakers.iter().enumerate())
            .map(|(number, speaker)| asker.contains(&number) || addressed(speaker))
            .collect();
        for (_, word) in &named {
            let bearers = || (0..speakers.len()).filter(|&number| speakers[number].has(word));
            let most = bearers().map(|number| shares[number]).fold(0.0, f64::max);
            bearers().filter(|&number| shares[number] == most).for_each(|number| about[number] = true);
        }
        about
    }

    /// The question without the names of speakers, for an encoder.
    ///
    /// In a conversation of two every turn is Ann's or Ben's: a vector that leans towards a name is drawn to
    /// half of the history, and away from the topic. Where nothing but names is asked, they stay.
    pub fn without_names(&self, speakers: &[SpeakerName]) -> String {
        let mut bare = String::with_capacity(self.text.len());
        let mut end = 0;
        for (start, word) in self.name_words() {
            if speakers.iter().any(|speaker| speaker.has(&word) && !speaker.is_one_of(&ROLES)) {
                bare.push_str(&self.text[end..start]);
                // What follows the name in its own word, a possessive, goes with it.
                end = start + self.text[start..].unicode_words().next().map_or(0, str::len);
            }
        }
        bare.push_str(&self.text[end..]);
        let bare = bare.split_whitespace().collect::<Vec<_>>().join(" ");
        if bare.chars().any(char::is_alphanumeric) { bare } else { self.text.clone() }
    }

    /// Where words stand that may be names, folded and without a possessive.
    ///
    /// "Mark" is a name where "mark" is none, in a question that knows capitals.
    fn name_words(&self) -> impl Iterator<Item = (usize, String)> {
        let knows_capitals = self.text.chars().any(char::is_uppercase);
        self.text.unicode_word_indices().filter_map(move |(start, word)| {
            let small = word.chars().next().is_some_and(char::is_lowercase);
            let folded = fold(word);
            let name = folded.strip_suffix("'s").unwrap_or(&folded);
            (!(small && knows_capitals)).then(|| (start, name.to_owned()))
        })
    }
}

/// The languages whose stems a question in a language may have to be looked for with: a text may be too short to tell its own.
fn others(language: Option<Language>) -> &'static [Option<Language>] {
    if language.and_then(Language::number).is_some() { &[None] } else { &[] }
}

/// Who asks, by number, where turns are those of a chat with an assistant.
fn asker(speakers: &[SpeakerName]) -> Vec<usize> {
    let of = |roles: &[&str]| (0..speakers.len()).filter(|&speaker| speakers[speaker].is_one_of(roles)).collect();
    let users: Vec<usize> = of(&ASKER);
    if !users.is_empty() {
        return users;
    }
    let others: Vec<usize> = (0..speakers.len()).filter(|&speaker| !speakers[speaker].is_one_of(&ROLES)).collect();
    let has_assistant = speakers.iter().any(|speaker| speaker.is_one_of(&ASSISTANT));
    if has_assistant && others.len() == 1 { others } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn question(text: &str) -> Question {
        Question::new(text, Analyzer::English)
    }

    fn speakers(names: &[&str]) -> Vec<SpeakerName> {
        names.iter().map(|name| SpeakerName::new(name)).collect()
    }

    #[test]
    fn a_request_is_about_the_one_who_asks() {
        let of = speakers(&["Ann", "Assistant"]);
        for text in ["How would you word a reminder?", "Suggest some quick dinners", "can you suggest a present"] {
            assert_eq!(question(text).is_about(&of), [true, false], "{text}");
        }
        assert_eq!(question("What did you suggest?").is_about(&of), [false, true]);
        assert_eq!(question("Suggest some quick dinners").is_about(&speakers(&["Ann", "Ben"])), [false, false]);
    }

    #[test]
    fn a_time_alone_is_told_from_a_matter_at_a_time() {
        let clock = Clock { now: "2024-05-15T12:00:00Z".parse().unwrap(), zone: crate::types::Zone::UTC };
        let alone = |text: &str| Question::new(text, Analyzer::English).asked_at(&clock).asks_for_a_time_alone();
        for text in ["what happened on March 20, 2024?", "Was war gestern?", "¿Qué pasó la semana pasada?", "last week"]
        {
            assert!(alone(text), "{text}");
        }
        // "Deed" says nothing in Dutch, where it is "did".
        for text in [
            "what did I pay yesterday?",
            "What happened?",
            "Was hat Ann gestern gesagt?",
            "What deed was on March 20, 2024?",
            "discussion March 2024",
        ] {
            assert!(!alone(text), "{text}");
        }
    }

    #[test]
    fn the_named_are_asked_about() {
        let speakers = speakers(&["Ann", "Dr. Mark Öberg", "user", "Will"]);
        let about = |text: &str| question(text).is_about(&speakers);
        assert_eq!(about("What did Ann's dog eat?"), [true, false, false, false]);
        assert_eq!(about("did oberg call ann"), [true, true, false, false]);
        assert_eq!(about("When will Ann come?"), [true, false, false, false]);
        assert_eq!(about("Where did I mark the page?"), [false, false, true, false]);
        assert_eq!(about("Annette?"), [false; 4]);
        let chat = [SpeakerName::new("Bronagh"), SpeakerName::new("Assistant")];
        let about = |text: &str| question(text).is_about(&chat);
        assert_eq!(about("Where did I put the key?"), [true, false]);
        assert_eq!(about("Which cooker did you recommend?"), [false, true]);
        assert_eq!(question("where did I go").is_about(&[SpeakerName::new("Ann"), SpeakerName::new("Bo")]), [false; 2]);
        let grads = [SpeakerName::new("Grad A"), SpeakerName::new("Grad B"), SpeakerName::new("Prof. Ito")];
        assert_eq!(question("What did grad B tell Ito?").is_about(&grads), [false, true, true]);
        assert_eq!(question("Did a Grad call?").is_about(&grads), [true, true, false]);
    }

    #[test]
    fn names_go_and_the_topic_stays() {
        let speakers = speakers(&["Ann", "Bo", "assistant"]);
        let bare = |text: &str| question(text).without_names(&speakers);
        assert_eq!(bare("When did Ann paint Bo’s kite?"), "When did paint kite?");
        assert_eq!(bare("what did the assistant say"), "what did the assistant say");
        assert_eq!(bare("Ann?"), "Ann?");
        assert_eq!(bare("  the red  kite "), "the red kite");
    }

    proptest! {
        #[test]
        fn no_question_is_a_panic(text in "\\PC{0,40}", name in "\\PC{0,10}") {
            let speakers = speakers(&[&name, "Ann"]);
            let question = question(&text);
            prop_assert_eq!(question.is_about(&speakers).len(), 2);
            let _ = question.without_names(&speakers);
        }
    }
}
