//! What a text asks for of all that it tells: which of its times, the newest or the oldest, a mention.

use std::{cell::OnceCell, ops::Range};

use super::{
    clock::Clock,
    language::{Language, Sought, Tense},
    range::TimeRange,
    read::{ExpressionMatch, Naming, Order},
    sentences::Sentence,
    tokens::Token,
};
use crate::analysis;

/// Words of a question without a verb at the most: "which paint first?"
const WITHOUT_VERB: usize = 3;

/// A text that tells something and asks something.
pub(super) struct QueryText<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
    pub(super) sentences: &'t [Sentence],
    pub(super) languages: &'t [&'static Language],
    /// Those of them that the text may be in.
    pub(super) own: &'t [&'static Language],
    /// Those by whose words its tenses are told, once these were looked for.
    pub(super) telling: OnceCell<Vec<&'static Language>>,
    /// Where a word for a mention stands, once that was looked for.
    pub(super) named: OnceCell<Vec<Range<usize>>>,
}

impl QueryText<'_> {
    /// The sentence of a word.
    fn sentence_of(&self, word: usize) -> Option<&Sentence> {
        self.sentences.iter().find(|sentence| sentence.holds(&self.tokens[word]))
    }

    fn tense_of(&self, sentence: &Sentence) -> Option<Tense> {
        sentence.tense(self.tokens, self.telling())
    }

    /// The table of the language that a text is in, or those of all that it may be in: "was" is German for "what".
    fn telling(&self) -> &[&'static Language] {
        self.telling.get_or_init(|| {
            let told = analysis::Language::of(self.text);
            let of_it: Vec<_> = self.own.iter().copied().filter(|language| Some(language.of) == told).collect();
            if of_it.is_empty() { self.own.to_vec() } else { of_it }
        })
    }

    /// Whether a sentence asks, or is of a text in which none does.
    fn asks(&self, sentence: &Sentence) -> bool {
        sentence.asks || !self.sentences.iter().any(|sentence| sentence.asks)
    }

    /// Whether what a text asks for may have been said at a time that it names.
    ///
    /// In a sentence about what is and will be, it was not said at a time that is not over ("this week"), nor at one of which the next
    /// may be meant ("on Friday"): what is planned for Friday was said before. What stands beside a question is when it is asked
    /// ("I am ill today. What ..?") or why ("I was ill last week. What should I eat?"), but where that asks for what was ("I
    /// planted something last week. What was it?").
    ///
    /// Of a holiday without a year, the one to come is meant where nothing says that it was ("Christmas lunch"): what is planned
    /// for it was said before, at any time.
    pub(super) fn asks_for(&self, found: &ExpressionMatch, range: &TimeRange, clock: &Clock) -> bool {
        let lasts = found.naming != Naming::Over && range.from.is_some() && range.to.is_some_and(|to| to > clock.now);
        let may_be_to_come = lasts || matches!(found.naming, Naming::Recurring | Naming::Holiday);
        let Some(sentence) = self.sentence_of(found.core) else { return true };
        if range.from.is_some_and(|from| from > clock.now) {
            return true;
        }
        let may_be_next = found.naming == Naming::Holiday && range.to.is_some();
        if may_be_next && !self.is_of_what_was(sentence, found) {
            return false;
        }
        let is_told = !self.asks(sentence);
        !(may_be_to_come && self.tense_of(sentence) == Some(Tense::Is))
            && !(is_told && (lasts || self.asks_for_what_is()))
    }

    /// Whether a sentence says that the holiday it names was, or holds nothing beside it, or is in a language that leaves it open.
    fn is_of_what_was(&self, sentence: &Sentence, found: &ExpressionMatch) -> bool {
        let is_beside = |(at, token): &(usize, &Token)| sentence.holds(token) && !(found.start..found.end).contains(at);
        let says_more = |(_, token): (usize, &Token)| {
            !self.languages.iter().any(|language| language.of_any_time.contains(&token.word.as_str()))
        };
        match self.tense_of(sentence) {
            Some(Tense::Was) => true,
            Some(Tense::Is) => false,
            Some(Tense::Untold) | None => {
                self.telling().iter().all(|language| language.past.is_none())
                    || sentence.looks_past(self.text, self.tokens, self.telling())
                    || !self.tokens.iter().enumerate().filter(is_beside).any(says_more)
            }
        }
    }

    /// Whether all that a text asks is about what is and will be.
    fn asks_for_what_is(&self) -> bool {
        let mut asking = self.sentences.iter().filter(|sentence| self.asks(sentence));
        asking.all(|sentence| self.tense_of(sentence) == Some(Tense::Is))
    }

    /// What the words of order ask for that stand in no expression, and those of them that count what happened; nothing where
    /// they ask for both ends.
    pub(super) fn order(&self, taken: &[Range<usize>]) -> Option<(Order, Vec<Range<usize>>)> {
        let (mut current, mut newest, mut oldest, mut counting, mut at) = (false, false, false, Vec::new(), 0);
        while at < self.tokens.len() {
            let Some((words, sought)) = self.sought_at(at) else {
                at += 1;
                continue;
            };
            let own = at..at + words;
            // "Today" is a day, and the present too.
            let is_free = taken.iter().all(|of| *of == own || of.end <= own.start || own.end <= of.start);
            if is_free && self.counts(&own, sought) {
                current |= sought == Sought::Current;
                newest |= matches!(sought, Sought::Current | Sought::Newest | Sought::LastTime);
                oldest |= matches!(sought, Sought::Oldest | Sought::FirstTime | Sought::FirstInTurn);
                let counts = matches!(sought, Sought::FirstTime | Sought::FirstInTurn | Sought::LastTime);
                counting.extend(counts.then_some(own));
            }
            at += words;
        }
        match (newest, oldest) {
            (true, false) if current => Some((Order::Current, counting)),
            (true, false) => Some((Order::Newest, counting)),
            (false, true) => Some((Order::Oldest, counting)),
            _ => None,
        }
    }

    /// The bytes of the words that ask for a mention: that it was one, that it was the first or the last, and when it was. Nothing
    /// where one of the first two is missing.
    pub(super) fn mention(&self, counting: Vec<Range<usize>>) -> Vec<Range<usize>> {
        if counting.is_empty() || self.named().is_empty() {
            return Vec::new();
        }
        let place = |words: Range<usize>| self.tokens[words.start].place.start..self.tokens[words.end - 1].place.end;
        self.named().iter().cloned().chain(counting).chain(self.all_of(|language| language.when)).map(place).collect()
    }

    /// Where a word for a mention stands.
    fn named(&self) -> &[Range<usize>] {
        self.named.get_or_init(|| self.all_of(|language| language.mentions))
    }

    /// The longest words of order that begin at a word.
    fn sought_at(&self, at: usize) -> Option<(usize, Sought)> {
        let starting = self.languages.iter().rev().filter(|language| language.may_start(&self.tokens[at].word));
        let all = starting.flat_map(|language| {
            language.orders.iter().filter_map(move |(pattern, sought)| {
                let (words, _) = language.find(pattern, &self.tokens[at..])?;
                Some((words, *sought))
            })
        });
        all.max_by_key(|(words, _)| *words)
    }

    /// Whether words of order are about what is asked for.
    ///
    /// They are not where they only tell something or are a verb ("how long did it last?"), nor where the first of what is to
    /// come is asked for ("what do I do first?", "which paint first?"), nor where they begin a list ("first, which paint?"), nor
    /// where two are compared ("which came first, the tent or the stove?"): one turn of each is needed.
    fn counts(&self, words: &Range<usize>, sought: Sought) -> bool {
        let Some(sentence) = self.sentence_of(words.start) else { return true };
        if !self.asks(sentence) || self.is_verb(words, sentence) {
            return false;
        }
        if !matches!(sought, Sought::FirstTime | Sought::FirstInTurn) {
            return true;
        }
        let is_to_come = || match self.tense_of(sentence) {
            Some(Tense::Was) => false,
            Some(Tense::Is) => true,
            Some(Tense::Untold) | None => {
                let ends = self.tokens.get(words.end).is_none_or(|token| !sentence.holds(token));
                let was = || sentence.looks_past(self.text, self.tokens, self.telling());
                sought == Sought::FirstInTurn && ends && self.tells_what_was(sentence) && !was()
            }
        };
        let names_here = || self.named().iter().any(|words| sentence.holds(&self.tokens[words.start]));
        !self.begins_list(words, sentence) && !self.compares(words.end, sentence) && (!is_to_come() || names_here())
    }

    /// Whether a sentence would tell by its words that it is about what was. One of few words, which has no verb, would.
    fn tells_what_was(&self, sentence: &Sentence) -> bool {
        let is_short = || self.tokens.iter().filter(|token| sentence.holds(token)).count() <= WITHOUT_VERB;
        let is_certain = |language: &&Language| language.past.is_some_and(|form| form.is_certain);
        self.telling().iter().all(is_certain) || is_short()
    }

    /// Whether words of order begin a sentence and a comma follows.
    fn begins_list(&self, words: &Range<usize>, sentence: &Sentence) -> bool {
        let begins = words.start == 0 || !sentence.holds(&self.tokens[words.start - 1]);
        begins
            && words.len() == 1
            && matches!(self.text[self.tokens[words.start].place.end..].chars().next(), Some(',' | ':'))
    }

    /// Whether a sentence names several behind a word of order of which one is asked for.
    fn compares(&self, behind: usize, sentence: &Sentence) -> bool {
        let rest = self.tokens[behind..].iter().take_while(|token| sentence.holds(token));
        let is_or = |token: &Token| self.languages.iter().any(|language| language.or.contains(&token.word.as_str()));
        let Some(or) = rest.clone().find(|token| is_or(token)) else { return false };
        let from = self.tokens[behind - 1].place.end;
        self.text[from..or.place.start].contains([',', ':', ';', '–', '—', '-', '，', '、'])
    }

    /// Where patterns of any language stand, one behind the other, the longest at each place.
    fn all_of(&self, patterns: fn(&Language) -> &'static [&'static str]) -> Vec<Range<usize>> {
        let words_at = |start: usize| {
            let of = |language: &&Language| {
                let rest = &self.tokens[start..];
                patterns(language).iter().filter_map(|pattern| Some(language.find(pattern, rest)?.0)).max()
            };
            self.languages.iter().filter_map(of).max()
        };
        let (mut found, mut at) = (Vec::new(), 0);
        while at < self.tokens.len() {
            let words = words_at(at);
            found.extend(words.map(|words| at..at + words));
            at += words.unwrap_or(1);
        }
        found
    }
}
