//! Reads the time expressions of a text.

use std::{cell::OnceCell, ops::Range};

use serde::Serialize;

use super::{
    clock::Clock,
    digits::{Writing, digits},
    language::{Language, Meaning, Modifier},
    languages::ALL,
    pattern::Bound,
    query_text::QueryText,
    range::TimeRange,
    resolve::{joined, modified, resolve},
    sentences::Sentence,
    stretch::Stretch,
    tokens::{Token, is_unspaced, tokens},
};
use crate::{analysis, types::Zone};

/// Modifiers in front of an expression at the most, as in "since the middle of last May".
const MODIFIERS: usize = 4;

/// Words that are read of one text at the most: nobody asks longer than that.
const WORDS: usize = 2_000;

/// A text of more words is a message that tells something and asks something: only what it asks is read.
const QUESTION: usize = 40;

/// What a text says about time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Times {
    /// The expressions that name a time, in order.
    #[serde(rename = "time", skip_serializing_if = "Vec::is_empty")]
    pub expressions: Vec<TimeExpression>,
    /// Whether the newest or the oldest is asked for that speaks of the same matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Where the first or the last turn is asked for that names a matter ("when did I first mention her?"): the bytes of the
    /// words that say so. They are no part of the matter.
    #[serde(skip)]
    pub mention: Vec<Range<usize>>,
}

/// Words of a text that name a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TimeExpression {
    /// The words.
    pub text: String,
    /// Their bytes in the text.
    #[serde(skip)]
    pub place: Range<usize>,
    /// The time they name.
    #[serde(flatten)]
    pub range: TimeRange,
}

/// Which of several that speak of the same matter is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// What holds now, which takes the place of what held before: "currently", "these days", "latest".
    Current,
    /// The newest: "in the end", "still", "last".
    Newest,
    /// The oldest: "originally", "for the first time".
    Oldest,
}

impl Order {
    /// Whether it is the newest that comes first.
    pub fn is_newest_first(self) -> bool {
        self != Self::Oldest
    }
}

impl Times {
    /// Whether what holds now is asked for, and no other time is named beside it.
    pub fn asks_for_now(&self) -> bool {
        self.order == Some(Order::Current) && self.expressions.is_empty()
    }

    /// Reads a text as somebody means it at the moment of `clock`.
    ///
    /// Without a clock, only times are read that name their year, in UTC.
    pub fn read(text: &str, clock: Option<&Clock>) -> Self {
        Self::written(text, clock, Writing::of(text))
    }

    fn written(text: &str, clock: Option<&Clock>, writing: Writing) -> Self {
        let mut tokens = tokens(text);
        tokens.truncate(WORDS);
        let end = tokens.last().map_or(0, |last| last.place.end);
        let mut sentences = Sentence::all_in(text);
        sentences.retain(|sentence| sentence.place.start < end);
        if length(&tokens) > QUESTION {
            sentences.retain(|sentence| sentence.asks);
            tokens.retain(|token| sentences.iter().any(|sentence| sentence.holds(token)));
        }
        let utc = Zone::UTC;
        let zone = clock.map_or(&utc, |clock| &clock.zone);
        let (languages, own) = languages(text, &tokens);
        let query = QueryText {
            text,
            tokens: &tokens,
            sentences: &sentences,
            languages: &languages,
            own: &own,
            telling: OnceCell::new(),
            named: OnceCell::new(),
        };
        let (mut expressions, mut taken, mut at) = (Vec::new(), Vec::new(), 0);
        while at < tokens.len() {
            let starting = languages.iter().filter(|language| language.may_start(&tokens[at].word));
            match starting
                .clone()
                .rev()
                .filter_map(|language| ExpressionMatch::at(language, &tokens, at, clock, writing))
                .max_by_key(|of| of.end)
            {
                Some(found) => {
                    if let Some(range) = found.stretch.range(zone) {
                        let place = tokens[found.shown].place.start..tokens[found.end - 1].place.end;
                        if clock.is_none_or(|clock| query.asks_for(&found, &range, clock)) {
                            expressions.push(TimeExpression { text: text[place.clone()].to_owned(), place, range });
                        }
                        taken.push(found.core..found.end);
                    }
                    at = found.end;
                }
                None => at += starting.filter_map(|of| no_time(of, &tokens[at..])).max().unwrap_or(1),
            }
        }
        let sought = query.order(&taken);
        let (order, counting) = sought.map_or((None, Vec::new()), |(order, words)| (Some(order), words));
        let mention = query.mention(counting);
        Self { expressions, order, mention }
    }

    /// The same without times that have not begun: what is to come ("am I free next week?") was spoken of before it.
    #[must_use]
    pub fn begun(mut self, clock: &Clock) -> Self {
        self.expressions.retain(|expression| expression.range.from.is_none_or(|from| from <= clock.now));
        self
    }

    /// Whether all its times are told from the moment of asking ("on Friday", "last May"), and none by its year.
    pub fn are_relative(&self) -> bool {
        // The words of an expression alone do not tell how the text writes dates.
        let read = |expression: &TimeExpression| Self::written(&expression.text, None, Writing::Argument);
        self.expressions.iter().all(|expression| read(expression).expressions.is_empty())
    }

    /// Whether a text says nothing beside its times but that something was then ("what happened on May 3?").
    pub fn are_all_of(&self, text: &str) -> bool {
        let is_in_a_time = |token: &Token| self.expressions.iter().any(|time| time.place.contains(&token.place.start));
        let tokens = tokens(text);
        let is_all = |language: &&Language| {
            let is_of_any_time = |token: &Token| language.of_any_time.contains(&token.word.as_str());
            tokens.iter().all(|token| is_in_a_time(token) || is_of_any_time(token))
        };
        !self.expressions.is_empty() && languages(text, &tokens).0.iter().any(is_all)
    }

    /// How well a moment fits the best of its expressions, in [0, 1]; `None` where it has none.
    pub fn fit(&self, moment: crate::types::Timestamp) -> Option<f64> {
        self.expressions.iter().map(|expression| expression.range.fit(moment)).reduce(f64::max)
    }
}

/// What an expression means that is the whole text; `None` where the text is more, or less.
pub(super) fn whole(text: &str, clock: &Clock) -> Option<TimeRange> {
    let mut tokens = tokens(text);
    tokens.truncate(WORDS);
    let is_whole = |of: &ExpressionMatch| of.end == tokens.len();
    let found = |language: &&'static Language| {
        // Whoever gives a time as an argument means a time.
        let single =
            ExpressionMatch::single(language, &tokens, 0, Some(clock), Writing::Argument, true).filter(is_whole);
        single.or_else(|| ExpressionMatch::at(language, &tokens, 0, Some(clock), Writing::Argument).filter(is_whole))
    };
    (!tokens.is_empty()).then(|| ALL.iter().find_map(found)).flatten()?.stretch.range(&clock.zone)
}

/// The languages whose words are looked for in a text, and those of them that it may be in: a word means what it means there,
/// so that "actual" in English is not the one of Spanish. English is quoted in every other.
fn languages(text: &str, tokens: &[Token]) -> (Vec<&'static Language>, Vec<&'static Language>) {
    let has_unspaced = tokens.iter().any(|token| token.word.starts_with(is_unspaced));
    let may_be = analysis::Language::may_be(text);
    let is_own = |language: &&Language| match language.unspaced {
        true => has_unspaced,
        false => may_be(language.of),
    };
    let is_tried = |language: &&Language| language.of == analysis::Language::English || is_own(language);
    (ALL.into_iter().filter(is_tried).collect(), ALL.into_iter().filter(is_own).collect())
}

/// An expression in a row of words.
#[derive(Debug, Clone)]
pub(super) struct ExpressionMatch {
    /// The first word of it, modifiers included.
    pub(super) start: usize,
    /// The first word that says something of the time.
    shown: usize,
    /// The first word behind modifiers.
    pub(super) core: usize,
    /// The first word after it.
    pub(super) end: usize,
    stretch: Stretch,
    pub(super) naming: Naming,
}

/// Which of its kind an expression names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// One that is over by its words: "two days ago", "the past week".
    Over,
    /// A day, a month or the like without a year, of which there is one to come too: "Friday", "May".
    Recurring,
    /// The same of a holiday: people speak of it before it comes more than of any other day.
    Holiday,
    /// Any other.
    Plain,
}

impl Naming {
    fn of(meaning: Meaning, bound: &Bound) -> Self {
        match meaning {
            Meaning::Named if bound.year.is_none() && bound.decade.is_none() => match bound.holiday {
                Some(_) => Self::Holiday,
                None => Self::Recurring,
            },
            _ if meaning.is_over() => Self::Over,
            _ => Self::Plain,
        }
    }
}

impl ExpressionMatch {
    /// The longest expression of a language at a place.
    fn at(language: &Language, tokens: &[Token], at: usize, clock: Option<&Clock>, writing: Writing) -> Option<Self> {
        let single = Self::single(language, tokens, at, clock, writing, false);
        let between = Self::between(language, tokens, at, clock, writing);
        match (single, between) {
            (Some(single), Some(between)) if single.end > between.end => Some(single),
            (single, between) => between.or(single),
        }
    }

    /// Modifiers and what they stand before.
    fn single(
        language: &Language,
        tokens: &[Token],
        at: usize,
        clock: Option<&Clock>,
        writing: Writing,
        is_led: bool,
    ) -> Option<Self> {
        let mut modifiers: Vec<(Modifier, Bound, usize)> = Vec::new();
        let (mut best, mut core): (Option<Self>, usize) = (None, at);
        loop {
            if no_time(language, tokens.get(core..).unwrap_or_default()).is_some() {
                return best;
            }
            let leads = is_led || modifiers.iter().any(|(modifier, ..)| modifier.leads());
            if let Some((end, stretch, naming)) = Self::core(language, tokens, core, clock, writing, leads)
                && best.as_ref().is_none_or(|best| end > best.end)
                && let Some(stretch) = apply(stretch, &modifiers)
            {
                let (end, stretch) = followed(language, tokens, end, stretch);
                let says = modifiers.iter().find(|(of, ..)| !matches!(of, Modifier::Leads | Modifier::Nothing));
                best = Some(Self {
                    start: at,
                    shown: says.map_or(core, |(.., place)| *place),
                    core,
                    end,
                    stretch,
                    naming,
                });
            }
            let next = (modifiers.len() < MODIFIERS).then(|| modifier(language, tokens.get(core..)?)).flatten();
            let Some((words, modifier, bound)) = next else { return best };
            modifiers.push((modifier, bound, core));
            core += words;
        }
    }

    /// An expression without what may stand before it.
    fn core(
        language: &Language,
        tokens: &[Token],
        at: usize,
        clock: Option<&Clock>,
        writing: Writing,
        is_led: bool,
    ) -> Option<(usize, Stretch, Naming)> {
        let rest = tokens.get(at..)?;
        let of_table = language.expressions.iter().filter_map(|(pattern, meaning)| {
            let (words, bound) = language.find(pattern, rest)?;
            let is_certain = is_led || words > 1 || !language.ambiguous.contains(&rest[0].word.as_str());
            is_certain.then_some((words, *meaning, bound))
        });
        let in_digits = digits(language, tokens, at, writing).map(|(words, bound)| (words, Meaning::Named, bound));
        let mut all: Vec<(usize, Meaning, Bound)> = of_table.chain(in_digits).collect();
        all.sort_by_key(|(words, ..)| std::cmp::Reverse(*words));
        let resolved = |(words, meaning, bound): (usize, Meaning, Bound)| {
            Some((at + words, resolve(meaning, &bound, clock)?, Naming::of(meaning, &bound)))
        };
        all.into_iter().find_map(resolved)
    }

    /// From one time to another.
    fn between(
        language: &Language,
        tokens: &[Token],
        at: usize,
        clock: Option<&Clock>,
        writing: Writing,
    ) -> Option<Self> {
        let opens = |(open, _): &&(&str, &str)| tokens[at].word == *open;
        language.stretches.iter().filter(opens).find_map(|(_, middle)| {
            let first = Self::single(language, tokens, at + 1, clock, writing, true)?;
            if tokens.get(first.end)?.word != *middle {
                return None;
            }
            let last = Self::single(language, tokens, first.end + 1, clock, writing, true)?;
            let stretch = joined(first.stretch, last.stretch)?;
            Some(Self { start: at, shown: at, core: at, end: last.end, stretch, naming: last.naming })
        })
    }
}

/// An expression with what stands behind it and changes it.
fn followed(language: &Language, tokens: &[Token], mut end: usize, mut stretch: Stretch) -> (usize, Stretch) {
    for _ in 0..MODIFIERS {
        let rest = tokens.get(end..).unwrap_or_default();
        let found = language.followers.iter().filter_map(|(pattern, of)| Some((language.find(pattern, rest)?.0, *of)));
        let Some((words, of)) = found.max_by_key(|(words, _)| *words) else { break };
        let Some(changed) = modified(stretch, of, &Bound::default()) else { break };
        (end, stretch) = (end + words, changed);
    }
    (end, stretch)
}

/// How many words at the start of some name no time, though they look so, at the most.
fn no_time(language: &Language, tokens: &[Token]) -> Option<usize> {
    language.no_times.iter().filter_map(|pattern| Some(language.find(pattern, tokens)?.0)).max()
}

/// How many words these are: two characters of a script without spaces are about one.
fn length(tokens: &[Token]) -> usize {
    let unspaced = tokens.iter().filter(|token| token.word.starts_with(is_unspaced)).count();
    tokens.len() - unspaced / 2
}

/// The longest modifier at the start of some words, how many it takes, and what its pattern holds.
fn modifier(language: &Language, tokens: &[Token]) -> Option<(usize, Modifier, Bound)> {
    let found = language.modifiers.iter().filter_map(|(pattern, modifier)| {
        let (words, bound) = language.find(pattern, tokens)?;
        Some((words, *modifier, bound))
    });
    found.max_by_key(|(words, ..)| *words)
}

/// The innermost modifier first.
fn apply(stretch: Stretch, modifiers: &[(Modifier, Bound, usize)]) -> Option<Stretch> {
    modifiers.iter().rev().try_fold(stretch, |stretch, (of, bound, _)| modified(stretch, *of, bound))
}
