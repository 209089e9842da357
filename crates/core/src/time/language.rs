//! What the table of a language holds.

use crate::analysis;

/// The time expressions of one language.
///
/// All words are folded: small letters without accents. In Chinese and Japanese each character is a word. A pattern is a
/// row of words; `a|b` stands for either, a `?` at the end makes a word optional, and a slot in braces stands for a word of
/// one of the lists below, or for a number: `{number}`, `{unit}`, `{day}`, `{nth}`, `{weekday}`, `{month}`, `{year}`,
/// `{decade}`, `{quarter}`, `{week}`, `{season}`, `{holiday}`, `{daypart}`; `{word}` is any word, and starts no pattern.
#[derive(Debug)]
pub(super) struct Language {
    /// Which it is.
    pub(super) of: analysis::Language,
    /// Whether it is written without spaces, so that each of its characters is a word here.
    pub(super) unspaced: bool,
    /// January first; names of one or more words, as those of weekdays and seasons.
    pub(super) months: [&'static [&'static str]; 12],
    /// Monday first.
    pub(super) weekdays: [&'static [&'static str]; 7],
    /// Spring first.
    pub(super) seasons: [&'static [&'static str]; 4],
    /// Of one or more words.
    pub(super) units: &'static [(&'static str, Unit)],
    /// Number words; digits are read without a table.
    pub(super) numbers: &'static [(&'static str, Amount)],
    /// The words for first, second and so on.
    pub(super) ordinals: &'static [&'static [&'static str]],
    /// What follows the digits of an ordinal, as in `8th`.
    pub(super) ordinal_endings: &'static [&'static str],
    /// Names of one or more words.
    pub(super) holidays: &'static [(&'static str, Holiday)],
    pub(super) dayparts: &'static [(&'static str, DayPart)],
    /// Words that are also something else, or what recurs ("on Mondays"); alone they count only behind a modifier that leads.
    pub(super) ambiguous: &'static [&'static str],
    /// What stands before an expression and changes it.
    pub(super) modifiers: &'static [(&'static str, Modifier)],
    /// What stands behind an expression and changes it.
    pub(super) followers: &'static [(&'static str, Modifier)],
    pub(super) expressions: &'static [(&'static str, Meaning)],
    /// The word between the two ends of a stretch, each with the one in front of it: "between" and "and".
    pub(super) stretches: &'static [(&'static str, &'static str)],
    /// What names no time, though words of it would: what recurs ("los lunes"), and what is only called so ("Rio de Janeiro").
    pub(super) no_times: &'static [&'static str],
    /// Words of a question that asks what was at a time, and for nothing else of it.
    pub(super) of_any_time: &'static [&'static str],
    /// What stands before a date in digits, so that `28.11.` is one and `3/4/2024` begins with the day.
    pub(super) before_dates: &'static [&'static str],
    /// What asks for the newest or the oldest of its kind.
    pub(super) orders: &'static [(&'static str, Sought)],
    /// What says that a matter was named: beside the words for the first or the last time, the turn is asked for that names it.
    pub(super) mentions: &'static [&'static str],
    /// What asks when. Beside words for a mention, it is no part of the matter.
    pub(super) when: &'static [&'static str],
    /// What says whether a sentence is about what was or about what is and will be. Where a table has nothing of it, every
    /// sentence may be about what was.
    pub(super) tenses: &'static [(&'static str, Tense)],
    /// How verbs of the past are known that are in no table.
    pub(super) past: Option<PastForm>,
    /// The word of order that is a verb too.
    pub(super) order_verb: Option<OrderVerb>,
    /// The word between two of which one is asked for: "which came first, the tent or the stove?"
    pub(super) or: &'static [&'static str],
}

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Weekend,
    Month,
    Quarter,
    Year,
    Decade,
}

/// A number, or two between which a vague one lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) least: i64,
    pub(super) most: i64,
}

/// A number that is what it says.
pub(super) const fn exactly(number: i64) -> Amount {
    Amount { least: number, most: number }
}

/// A vague number, such as a few.
pub(super) const fn between(least: i64, most: i64) -> Amount {
    Amount { least, most }
}

/// A day that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holiday {
    /// These days of every year: month, first and last day.
    Fixed(i8, i8, i8),
    /// 31 December and 1 January.
    NewYear,
    /// From one day of every year to another, which may be of the next year: month and day of each.
    Span((i8, i8), (i8, i8)),
    /// So many days after Easter Sunday: the first and the last of them.
    FromEaster(i64, i64),
    /// The so-many-th of a weekday in a month, from the end where below zero: month, weekday from 0 for Monday, which.
    Nth(i8, i8, i8),
    /// A day of another calendar, so many days after it: those of each year, the first and the last of them.
    Of(&'static [(i16, i8, i8)], i64, i64),
}

/// A part of the day: from an hour to another, which may be of the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DayPart {
    pub(super) from: i8,
    pub(super) to: i8,
}

/// What a word before an expression makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modifier {
    /// Nothing; it says that a time follows.
    Leads,
    /// Nothing at all, as an article.
    Nothing,
    /// Its ends are vague.
    About,
    /// Its first third.
    Early,
    /// Its middle third.
    Middle,
    /// Its last third.
    Late,
    /// Its first half.
    FirstHalf,
    /// Its second half.
    SecondHalf,
    /// From its beginning until now.
    Since,
    /// Until its end.
    Until,
    /// Until its beginning.
    Before,
    /// From its end until now.
    After,
    /// The `{unit}` that ends where it begins, or so many before it.
    UnitBefore,
    /// The `{unit}` that begins where it ends, or so many after it.
    UnitAfter,
    /// The days that end where it begins.
    SoonBefore,
    /// The days that begin where it ends.
    SoonAfter,
}

impl Modifier {
    /// Whether it shows that the word behind it is a time.
    pub(super) fn leads(self) -> bool {
        !matches!(self, Modifier::Nothing | Modifier::Before | Modifier::After)
    }
}

/// What a pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The day so many after today.
    Day(i64),
    /// The unit of the calendar so many after the present one.
    Of(Unit, i64),
    /// What is named, of the year so many after the present one.
    OfYear(i64),
    /// The day of that name, of the week so many after the present one.
    OfWeek(i64),
    /// The `{day}` of the month so many after the present one.
    OfMonth(i64),
    /// The so-many-th `{unit}` of the unit of the calendar so many after the present one.
    NthOf(Unit, i64),
    /// The present unit of the calendar, or the one before where that has not begun.
    Begun(Unit),
    /// A part of the present unit of the calendar (of `{unit}` where none is given), or of the one before where that part has
    /// not begun.
    Part(Modifier, Option<Unit>),
    /// The one before the present one.
    Last,
    /// The one before that.
    BeforeLast,
    /// The present one.
    This,
    /// The one after the present one.
    Next,
    /// So many units before now.
    Ago,
    /// The same with a number, and a unit where it has no `{unit}`.
    AgoOf(Amount, Option<Unit>),
    /// So many units and a half before now: `{number}`, or as many as are given.
    HalfAgo(Option<i64>),
    /// The weekday, month, season or holiday of that name, so many of them before now.
    TurnsAgo,
    /// So many units after now.
    Ahead,
    /// From so many units before now until now.
    Past,
    /// The same with a number, and a unit where it has no `{unit}`.
    PastOf(Amount, Option<Unit>),
    /// The day, month, year, season or holiday of that name: the last that has begun, where no year is named.
    Named,
    /// The week of a named day.
    WeekOf,
    /// The so-many-th `{unit}` of a named month, season or year.
    Nth,
    /// The same of a unit that the pattern names without a slot, so that its other forms do not count: "3 Tage im Mai".
    NthUnit(Unit),
    /// The last `{unit}` of it.
    LastOf,
}

impl Meaning {
    /// Whether what it names is over by its words: "two days ago", "the past week".
    pub(super) fn is_over(self) -> bool {
        matches!(
            self,
            Self::Ago
                | Self::AgoOf(..)
                | Self::HalfAgo(_)
                | Self::TurnsAgo
                | Self::Past
                | Self::PastOf(..)
                | Self::Last
                | Self::BeforeLast
        )
    }
}

/// What a word of order asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    /// What holds now: the newest that speaks of the matter, which takes the place of those before it.
    Current,
    /// The newest that speaks of the matter.
    Newest,
    /// The oldest.
    Oldest,
    /// The newest; of mentions, the last.
    LastTime,
    /// The oldest; of mentions, the first.
    FirstTime,
    /// The same, or the first thing of a plan: at the end of a sentence that does not say that it was, it orders nothing
    /// ("which paint first?").
    FirstInTurn,
    /// Neither: the words mean something else, such as a last name.
    Neither,
}

/// What a verb of the past looks like.
#[derive(Debug, Clone, Copy)]
pub(super) struct PastForm {
    /// How it ends: "missed". An accent counts: "compró".
    pub(super) endings: &'static [&'static str],
    /// How no such verb ends, though it looks so: "we need".
    pub(super) never: &'static [&'static str],
    /// The words behind which it surely is one. Elsewhere it may be an adjective, and tells of holidays and the first of a plan
    /// alone.
    pub(super) behind: &'static [&'static str],
    /// Whether nearly every sentence about what was is known by it and by the table's tenses.
    pub(super) is_certain: bool,
}

/// A word of order that is a verb too: "how long did it last?"
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderVerb {
    pub(super) word: &'static str,
    /// Patterns before it in its sentence that make it a verb: "how long did".
    pub(super) behind: &'static [&'static str],
    /// Patterns with which a sentence begins that make it a verb, with so many words between at the most: "did the truce last".
    pub(super) openings: (&'static [&'static str], usize),
    /// Words right before it that make it a verb: "to last".
    pub(super) auxiliaries: &'static [&'static str],
    /// Words right before it that make it none: "the last".
    pub(super) never_behind: &'static [&'static str],
    /// Words right behind which the verb ends: "last until". It also ends where the sentence does.
    pub(super) before: &'static [&'static str],
}

/// Which time a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    /// What was.
    Was,
    /// What is, will be or should be.
    Is,
    /// The words tell nothing of it: "can you tell me", before what may be either.
    Untold,
}
