//! What a question asks for that a text says in figures: money, a number, a duration, a date.

use crate::analysis::folded;

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Money,
    Number,
    Duration,
    Date,
}

/// How well a unit of a text answers what is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holding {
    Nothing,
    /// A figure of another kind.
    Figure,
    /// What is asked for.
    Wanted,
}

/// Folded words that ask for a quantity, alone.
const WORDS: [(Quantity, &[&str]); 4] = [
    (
        Quantity::Money,
        &[
            "price",
            "prices",
            "cost",
            "costs",
            "budget",
            "salary",
            "rent",
            "fee",
            "fees",
            "fare",
            "deposit",
            "earn",
            "pay",
            "paid",
            "spend",
            "spent",
            "afford",
            "charge",
            "charged",
            "quote",
            "quoted",
            "refund",
            "kostet",
            "kosten",
            "preis",
            "gehalt",
            "miete",
            "gebuhr",
            "bezahlt",
            "cuesta",
            "costo",
            "precio",
            "sueldo",
            "alquiler",
            "presupuesto",
            "prix",
            "coute",
            "salaire",
            "loyer",
            "prezzo",
            "costa",
            "stipendio",
            "affitto",
            "preco",
            "custa",
            "custou",
            "aluguel",
            "prijs",
            "kost",
            "huur",
            "pris",
            "kostar",
            "kostade",
            "lon",
            "hyra",
            "цена",
            "стоит",
            "стоило",
            "зарплата",
        ],
    ),
    (
        Quantity::Number,
        &[
            "amount",
            "size",
            "temperature",
            "percentage",
            "dose",
            "dosage",
            "weight",
            "distance",
            "wieviel",
            "wieviele",
            "wie viel",
            "wie viele",
            "wie hoch",
            "wie oft",
            "wie gross",
            "wie groß",
            "how much",
            "how many",
            "how often",
            "how far",
            "how big",
            "how tall",
            "how high",
            "how hot",
            "how old",
            "how heavy",
            "how fast",
            "cuanto",
            "cuanta",
            "cuantos",
            "cuantas",
            "combien",
            "quanto",
            "quanta",
            "quanti",
            "quante",
            "quantos",
            "quantas",
            "hoeveel",
            "hoe vaak",
            "hur mycket",
            "hur manga",
            "hur ofta",
            "сколько",
        ],
    ),
    (
        Quantity::Duration,
        &[
            "how long",
            "wie lange",
            "cuanto tiempo",
            "combien de temps",
            "quanto tempo",
            "hoe lang",
            "hoelang",
            "hur lange",
            "как долго",
            "duration",
        ],
    ),
    (
        Quantity::Date,
        &[
            "when",
            "date",
            "dates",
            "deadline",
            "timetable",
            "schedule",
            "what time",
            "which day",
            "what day",
            "wann",
            "datum",
            "termin",
            "frist",
            "uhrzeit",
            "cuando",
            "fecha",
            "plazo",
            "quand",
            "quando",
            "data",
            "wanneer",
            "когда",
            "nar",
        ],
    ),
];

/// Words that ask for a quantity in a script without spaces.
const UNSPACED: [(Quantity, &[&str]); 4] = [
    (Quantity::Money, &["多少钱", "多少錢", "价格", "價格", "预算", "預算", "工资", "いくら", "値段", "予算"]),
    (Quantity::Number, &["多少", "几个", "幾個", "几次", "いくつ", "何人", "何個", "何回"]),
    (Quantity::Duration, &["多久", "多长时间", "多長時間", "どのくらい", "何時間", "何日間"]),
    (
        Quantity::Date,
        &["什么时候", "什麼時候", "何时", "何時", "几点", "幾點", "哪天", "几号", "いつ", "何日", "締め切り"],
    ),
];

/// Folded beginnings of words that stand beside the figures of money.
const MONEY: [&str; 26] = [
    "eur", "usd", "gbp", "chf", "jpy", "cny", "pound", "quid", "dollar", "pence", "cent", "franken", "peso", "libra",
    "dolar", "reais", "kron", "rub", "руб", "yuan", "yen", "grand", "sek", "nok", "dkk", "p/m",
];

/// Folded beginnings of words of units of time.
const TIMES: [&str; 42] = [
    "second",
    "minute",
    "min",
    "hour",
    "hr",
    "day",
    "week",
    "fortnight",
    "month",
    "year",
    "decade",
    "sekund",
    "stund",
    "tag",
    "woche",
    "monat",
    "jahr",
    "segundo",
    "hora",
    "dia",
    "semana",
    "mes",
    "ano",
    "heure",
    "jour",
    "semaine",
    "mois",
    "ans",
    "ora",
    "ore",
    "giorn",
    "settiman",
    "mesi",
    "ann",
    "uur",
    "dag",
    "weken",
    "maand",
    "jaar",
    "timm",
    "veck",
    "manad",
];

/// Units of time in a script without spaces.
const UNSPACED_TIMES: [&str; 13] =
    ["秒", "分钟", "分鐘", "小时", "小時", "天", "周", "週", "个月", "個月", "年", "時間", "日間"];

/// Signs of dates and times of day in a script without spaces.
const UNSPACED_DATES: [char; 9] = ['年', '月', '日', '号', '號', '点', '點', '時', '时'];

/// Folded beginnings of the names of months and days of the week.
const DATES: [&str; 67] = [
    "janu", "febr", "march", "april", "june", "july", "augu", "sept", "octo", "nove", "dece", "marz", "juni", "juli",
    "okto", "deze", "ener", "abri", "mayo", "agos", "octu", "novi", "dici", "janv", "fevr", "mars", "avri", "juin",
    "juil", "aout", "genn", "febb", "magg", "giug", "lugl", "otto", "dice", "janei", "feve", "junh", "julh", "outu",
    "янв", "фев", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек", "monday", "tuesd", "wednes", "thurs",
    "friday", "satur", "sunday", "montag", "diens", "mittw", "donners", "freitag", "samst", "sonnt",
];

/// Short names of months and days of the week.
const SHORT_DATES: [&str; 20] = [
    "jan", "feb", "mar", "apr", "may", "mai", "jun", "jul", "aug", "sep", "oct", "okt", "nov", "dec", "tue", "wed",
    "thu", "fri", "sat", "sun",
];

/// Small numbers in words, folded.
const NUMBERS: [&str; 44] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "half", "few",
    "couple", "einen", "eine", "ein", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht", "neun", "zehn", "uno",
    "una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "un", "une", "deux", "trois",
    "quatre", "due",
];

/// Currencies by their signs.
const CURRENCIES: [char; 11] = ['$', '£', '€', '¥', '₹', '₽', '₩', '₺', '元', '円', '块'];

/// What a question asks for; nothing where it asks for no quantity.
pub(super) fn asked(question: &str) -> Vec<Quantity> {
    let folded = folded(question);
    let mut words = String::from(" ");
    for word in folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.push_str(word);
        words.push(' ');
    }
    let has = |asks: &&str| words.contains(&format!(" {asks} "));
    let mut found: Vec<Quantity> = Vec::new();
    for (quantity, of) in WORDS {
        if of.iter().any(has) {
            found.push(quantity);
        }
    }
    for (quantity, of) in UNSPACED {
        if of.iter().any(|asks| folded.contains(asks)) {
            found.push(quantity);
        }
    }
    found
}

/// How well a unit of a text answers: its own number in a list is to be left out.
pub(super) fn holding(unit: &str, asked: &[Quantity]) -> Holding {
    if asked.is_empty() {
        return Holding::Nothing;
    }
    let mut best = Holding::Nothing;
    let mut before = String::new();
    let mut words = unit.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let this = plain(word);
        let is_number = this.chars().any(char::is_numeric);
        if is_number || NUMBERS.contains(&this.as_str()) {
            let after = words.peek().map(|word| plain(word)).unwrap_or_default();
            let is = |quantity: &Quantity| match quantity {
                Quantity::Money => is_number && is_money(word, &before, &after),
                Quantity::Number => is_number,
                Quantity::Duration => is_duration(&this, &after),
                Quantity::Date => is_number && is_date(word, &this, &before, &after),
            };
            let found = match (asked.iter().any(is), is_number) {
                (true, _) => Holding::Wanted,
                (false, true) => Holding::Figure,
                (false, false) => Holding::Nothing,
            };
            best = best.max(found);
            if best == Holding::Wanted {
                break;
            }
        }
        before = this;
    }
    best
}

/// A word without the signs around it, folded.
fn plain(word: &str) -> String {
    folded(word.trim_matches(|c: char| !c.is_alphanumeric())).into_owned()
}

fn is_money(word: &str, before: &str, after: &str) -> bool {
    let names = |word: &str| MONEY.iter().any(|money| word.starts_with(money));
    word.contains(CURRENCIES) || names(before) || names(after)
}

/// "90", "minutes"; "3-hour"; "两个小时" has no figure, "2小时" has.
fn is_duration(this: &str, after: &str) -> bool {
    let unit = |word: &str| {
        let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        TIMES.iter().any(|time| word[..end].starts_with(time) && end <= time.len() + 2)
    };
    let joined = this.trim_start_matches(|c: char| !c.is_alphabetic());
    unit(after)
        || joined.len() < this.len() && unit(joined)
        || UNSPACED_TIMES.iter().any(|time| after.starts_with(time) || this.contains(time))
}

fn is_date(word: &str, this: &str, before: &str, after: &str) -> bool {
    let names = |word: &str| SHORT_DATES.contains(&word) || DATES.iter().any(|date| word.starts_with(date));
    let is_year = this.len() == 4 && (this.starts_with("19") || this.starts_with("20"));
    let is_joined = this.split([':', '-', '/', '.', 'h']).filter(|part| is_figure(part)).count() > 1;
    let is_of_day = matches!(after, "am" | "pm" | "uhr") || this.ends_with("am") || this.ends_with("pm");
    is_year
        || is_joined && !word.contains(CURRENCIES)
        || is_of_day
        || names(before)
        || names(after)
        || this.contains(UNSPACED_DATES)
}

fn is_figure(part: &str) -> bool {
    (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a part of a text begins with a figure or with the sign of a currency.
pub(super) fn begins_with_figure(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '_' | '`' | '(' | '"' | '~' | '≈' | '±' | '„' | '“')
    });
    text.starts_with(|c: char| c.is_numeric() || CURRENCIES.contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_asks_for_is_told_in_several_languages() {
        for (question, quantity) in [
            ("What's the rent of the garage?", Quantity::Money),
            ("how many eggs go in", Quantity::Number),
            ("How long does the glue dry?", Quantity::Duration),
            ("when is the boiler serviced", Quantity::Date),
            ("Wie viele Gäste kommen?", Quantity::Number),
            ("¿Cuánto cuesta el curso?", Quantity::Money),
            ("¿Cuándo sale el tren?", Quantity::Date),
            ("Combien de temps dure la visite ?", Quantity::Duration),
            ("装修预算是多少", Quantity::Money),
            ("会议是什么时候", Quantity::Date),
        ] {
            assert!(asked(question).contains(&quantity), "{question}: {:?}", asked(question));
        }
        assert_eq!(asked("who painted the shed?"), []);
    }

    #[test]
    fn figures_are_told_by_what_stands_beside_them() {
        use Holding::{Figure, Nothing, Wanted};
        for (unit, asked, expected) in [
            ("at most **£900**", Quantity::Money, Wanted),
            ("about 40 euros", Quantity::Money, Wanted),
            ("about 40 chairs", Quantity::Money, Figure),
            ("about 40 chairs", Quantity::Number, Wanted),
            ("for 50 to 60 minutes", Quantity::Duration, Wanted),
            ("two weeks at least", Quantity::Duration, Wanted),
            ("etwa 3 Stunden", Quantity::Duration, Wanted),
            ("not before 8 December", Quantity::Date, Wanted),
            ("bis zum 31. Dezember", Quantity::Date, Wanted),
            ("at 09:30", Quantity::Date, Wanted),
            ("3月5日之前", Quantity::Date, Wanted),
            ("预算最多9000元", Quantity::Money, Wanted),
            ("the two of us", Quantity::Number, Nothing),
            ("none at all", Quantity::Money, Nothing),
        ] {
            assert_eq!(holding(unit, &[asked]), expected, "{unit}");
        }
    }
}
