//! English words that say when, or ask for it.

/// They name a time by themselves.
const TIMES: [&str; 32] = [
    "ago",
    "april",
    "august",
    "december",
    "earlier",
    "february",
    "fortnight",
    "friday",
    "january",
    "july",
    "june",
    "lately",
    "march",
    "monday",
    "nowadays",
    "november",
    "october",
    "recently",
    "saturday",
    "september",
    "since",
    "sunday",
    "thursday",
    "today",
    "tomorrow",
    "tonight",
    "tuesday",
    "wednesday",
    "weekdays",
    "weekends",
    "yesterday",
    "yesterdays",
];

/// They do after a number, or after a word of [`BEFORE_UNITS`].
const UNITS: [&str; 24] = [
    "afternoon",
    "autumn",
    "day",
    "days",
    "decade",
    "decades",
    "evening",
    "fall",
    "hour",
    "hours",
    "month",
    "months",
    "morning",
    "night",
    "spring",
    "summer",
    "time",
    "week",
    "weekend",
    "weeks",
    "winter",
    "year",
    "years",
    "birthday",
];

const BEFORE_UNITS: [&str; 9] = ["couple", "few", "last", "next", "other", "past", "previous", "several", "this"];

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// They say that a question is about what was.
const PAST: [&str; 8] = ["did", "didn", "had", "happened", "said", "told", "was", "were"];

/// What one asks for after "what" or "which".
const ASKED: [&str; 9] = ["date", "day", "hour", "month", "season", "time", "week", "weekday", "year"];

/// Whether a text names a time.
pub(super) fn tells_when(text: &str) -> bool {
    let mut previous = "";
    words(text).any(|word| {
        let before = std::mem::replace(&mut previous, word);
        let counts = is_number(before) || among(&NUMBERS, before) || among(&BEFORE_UNITS, before);
        among(&TIMES, word) || (among(&UNITS, word) && counts) || is_year(word)
    })
}

/// Whether a question asks for a time.
pub(super) fn asks_when(question: &str) -> bool {
    let mut previous = "";
    words(question).any(|word| {
        let before = std::mem::replace(&mut previous, word);
        let what = among(&["what", "which"], before) && among(&ASKED, word);
        among(&["when"], word) || what || (among(&["how"], before) && among(&["long"], word))
    })
}

/// Whether a question is about what was.
pub(super) fn is_of_the_past(question: &str) -> bool {
    words(question).any(|word| among(&PAST, word))
}

/// Whether a question is about the one who asks it.
pub(super) fn in_first_person(question: &str) -> bool {
    let has = |list: &[&str]| words(question).any(|word| among(list, word));
    has(&["i", "me", "mine", "my", "myself"]) && !has(&["you", "your", "yours"])
}

/// Whether a question is about the one who is asked: "what did you suggest?", but not "can you tell me what I said?"
pub(super) fn in_second_person(question: &str) -> bool {
    let has = |list: &[&str]| words(question).any(|word| among(list, word));
    let asks_a_favour = || {
        let next = words(question).skip(1);
        words(question)
            .zip(next)
            .any(|(word, next)| among(&["can", "could", "would", "will"], word) && among(&["you"], next))
    };
    has(&["you", "your", "yours"]) && !has(&["i", "me", "mine", "my", "myself"]) && !asks_a_favour()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn among(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty()
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && is_number(word) && (word.starts_with("19") || word.starts_with("20"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_of_the_past_are_told() {
        for question in ["What did we plant in May?", "how WAS the concert", "Who told me?", "Why didn't he call?"] {
            assert!(is_of_the_past(question), "{question}");
        }
        for question in ["", "Am I free on Tuesday?", "Plan a weekend for July", "What shall I wear?"] {
            assert!(!is_of_the_past(question), "{question}");
        }
    }

    #[test]
    fn times_are_found() {
        for text in [
            "We met Yesterday.",
            "3 days later",
            "a few weeks off",
            "in 2019",
            "Last Summer!",
            "two years ago",
            "since then",
            "the other day",
        ] {
            assert!(tells_when(text), "{text}");
        }
        for text in ["", "a good day", "the last bus", "room 2150b", "1875 kites", "I may go", "weekly", "two dogs"] {
            assert!(!tells_when(text), "{text}");
        }
    }

    #[test]
    fn questions_for_a_time() {
        for text in ["When did Ann come?", "Which year was it", "on what date", "How long has she been there?"] {
            assert!(asks_when(text), "{text}");
        }
        for text in ["What did Ann do?", "how far", "whenever", "which dog day"] {
            assert!(!asks_when(text), "{text}");
        }
    }

    #[test]
    fn questions_about_oneself() {
        assert!(
            in_first_person("What did I buy?")
                && in_first_person("where is MY kite")
                && in_first_person("I've lost it")
        );
        assert!(!in_first_person("what did you tell me?") && !in_first_person("What did Ida buy?"));
        assert!(in_second_person("what did you suggest?") && !in_second_person("What did the youth buy?"));
        assert!(!in_second_person("Could you list the cookers?") && !in_second_person("what did you tell me?"));
    }
}
