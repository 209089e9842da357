//! What people say of time, and what it means at a certain moment.
#![allow(clippy::unwrap_used, reason = "test code")]

mod asked;
mod dutch;
mod french;
mod italian;
mod planned;
mod portuguese;
mod russian;
mod swedish;

use aforesaid_core::{
    time::{Clock, Order, TimeExpression, TimeRange, Times},
    types::Timestamp,
};
use proptest::prelude::*;

/// A Wednesday.
const NOW: &str = "2024-05-15T12:00:00Z";

fn clock(now: &str, zone: &str) -> Clock {
    Clock { now: now.parse().unwrap(), zone: zone.parse().unwrap() }
}

fn short(moment: Option<Timestamp>) -> String {
    let shown = moment.map(|moment| moment.to_string()).unwrap_or_default();
    shown.strip_suffix("T00:00:00Z").map(str::to_owned).unwrap_or(shown)
}

/// `words: from..to`, one an expression.
fn read_at(text: &str, clock: Option<&Clock>) -> Vec<String> {
    let times = Times::read(text, clock);
    let shown = |of: &TimeExpression| format!("{}: {}..{}", of.text, short(of.range.from), short(of.range.to));
    times.expressions.iter().map(shown).collect()
}

fn read(text: &str) -> Vec<String> {
    read_at(text, Some(&clock(NOW, "UTC")))
}

#[track_caller]
fn means(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(read(text), [*expected], "{text}");
    }
}

#[track_caller]
fn means_nothing(texts: &[&str]) {
    for text in texts {
        assert_eq!(read(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn days_and_weeks() {
    means(&[
        ("what did I do yesterday?", "yesterday: 2024-05-14..2024-05-15"),
        ("the day before yesterday", "the day before yesterday: 2024-05-13..2024-05-14"),
        ("What did she say today?", "today: 2024-05-15..2024-05-16"),
        ("last week's meeting", "last week: 2024-05-06..2024-05-13"),
        ("this week", "this week: 2024-05-13..2024-05-20"),
        ("Next week", "Next week: 2024-05-20..2024-05-27"),
        ("the week before last", "the week before last: 2024-04-29..2024-05-06"),
        ("last weekend", "last weekend: 2024-05-11..2024-05-13"),
        ("on Monday", "Monday: 2024-05-13..2024-05-14"),
        ("on Wednesday", "Wednesday: 2024-05-08..2024-05-09"),
        ("last Friday", "last Friday: 2024-05-10..2024-05-11"),
        ("next Friday", "next Friday: 2024-05-17..2024-05-18"),
        ("this Friday", "this Friday: 2024-05-17..2024-05-18"),
        ("on Monday last week", "Monday last week: 2024-05-06..2024-05-07"),
        ("last week's Tuesday", "last week's Tuesday: 2024-05-07..2024-05-08"),
        ("the Friday of the week before last", "the Friday of the week before last: 2024-05-03..2024-05-04"),
        ("last night", "last night: 2024-05-14T18:00:00Z..2024-05-15T06:00:00Z"),
        ("yesterday morning", "yesterday morning: 2024-05-14T05:00:00Z..2024-05-14T12:00:00Z"),
        ("the past three days", "the past three days: 2024-05-12..2024-05-16"),
        ("the week of 9 May", "the week of 9 May: 2024-05-06..2024-05-13"),
    ]);
}

#[test]
fn months_years_and_seasons() {
    means(&[
        ("last month", "last month: 2024-04-01..2024-05-01"),
        ("two months ago", "two months ago: 2024-02-29..2024-03-31"),
        ("about two months ago", "about two months ago: 2024-02-29..2024-03-31"),
        ("3 days ago", "3 days ago: 2024-05-12..2024-05-13"),
        ("a couple of weeks ago", "a couple of weeks ago: 2024-04-21..2024-05-05"),
        ("in May", "May: 2024-05-01..2024-06-01"),
        ("in june", "june: 2023-06-01..2023-07-01"),
        ("last May", "last May: 2023-05-01..2023-06-01"),
        ("back in March 2022", "March 2022: 2022-03-01..2022-04-01"),
        ("since 2022", "since 2022: 2022-01-01.."),
        ("before 2022-05-08", "before 2022-05-08: ..2022-05-08"),
        ("on 8 May 2023", "8 May 2023: 2023-05-08..2023-05-09"),
        ("the first of May", "the first of May: 2024-05-01..2024-05-02"),
        ("on the 20th of May", "the 20th of May: 2023-05-20..2023-05-21"),
        ("May 8th, 2023", "May 8th, 2023: 2023-05-08..2023-05-09"),
        ("on 29 February", "29 February: 2024-02-29..2024-03-01"),
        ("summer of 2022", "summer of 2022: 2022-06-01..2022-09-01"),
        ("in the winter of 2022", "the winter of 2022: 2022-12-01..2023-03-01"),
        ("last winter", "last winter: 2023-12-01..2024-03-01"),
        ("this summer", "this summer: 2024-06-01..2024-09-01"),
        ("last year", "last year: 2023-01-01..2024-01-01"),
        ("what did we plan in March last year?", "March last year: 2023-03-01..2023-04-01"),
        ("in the spring of last year", "the spring of last year: 2023-03-01..2023-06-01"),
        ("last year's Christmas", "last year's Christmas: 2023-12-24..2023-12-27"),
        ("in May of the year before last", "May of the year before last: 2022-05-01..2022-06-01"),
        ("the 3rd of June last year", "the 3rd of June last year: 2023-06-03..2023-06-04"),
        ("earlier this year", "earlier this year: 2024-01-01..2025-01-01"),
        ("in the 1990s", "the 1990s: 1990-01-01..2000-01-01"),
        ("Q3 2023", "Q3 2023: 2023-07-01..2023-10-01"),
        ("the second quarter of 2023", "the second quarter of 2023: 2023-04-01..2023-07-01"),
        ("2023-05", "2023-05: 2023-05-01..2023-06-01"),
        ("am 8.5.2023", "8.5.2023: 2023-05-08..2023-05-09"),
    ]);
}

#[test]
fn vague_ones_and_parts() {
    means(&[
        ("around Christmas", "around Christmas: 2023-12-24..2023-12-27"),
        ("at Easter 2023", "Easter 2023: 2023-04-07..2023-04-11"),
        ("on New Year's Eve", "New Year's Eve: 2023-12-31..2024-01-01"),
        ("after Thanksgiving", "after Thanksgiving: 2023-11-24.."),
        ("the week after Christmas", "the week after Christmas: 2023-12-27..2024-01-03"),
        ("in early May 2023", "early May 2023: 2023-05-01..2023-05-11T08:00:00Z"),
        ("at the end of last month", "the end of last month: 2024-04-21..2024-05-01"),
        ("mid July 2023", "mid July 2023: 2023-07-11T08:00:00Z..2023-07-21T16:00:00Z"),
        ("in the second week of May", "the second week of May: 2024-05-08..2024-05-15"),
        ("the last week of March 2024", "the last week of March 2024: 2024-03-25..2024-04-01"),
        ("the last two weeks of August 2023", "the last two weeks of August 2023: 2023-08-18..2023-09-01"),
        ("how many had we sold by March?", "March: 2024-03-01..2024-04-01"),
        ("between March and May", "between March and May: 2024-03-01..2024-06-01"),
        ("between June and February", "between June and February: 2023-06-01..2024-03-01"),
        ("from March 2022 to May", "from March 2022 to May: 2022-03-01..2022-06-01"),
        ("since the beginning of last summer", "since the beginning of last summer: 2023-06-01.."),
    ]);
    let slack = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).expressions[0].range.slack;
    assert!(slack("around Christmas") > slack("at Christmas"));
    assert!(slack("about two months ago") > slack("two months ago"));
    assert_eq!(slack("yesterday"), 0);
}

#[test]
fn words_that_are_something_else() {
    means_nothing(&[
        "May I ask?",
        "Did May call?",
        "the protesters march on",
        "the fall from the motorbike",
        "a spring in the mattress",
        "her last name",
        "the last time we met",
        "second opinion",
        "on the first floor",
        "room 2150",
        "at 8:30",
        "a minute, please",
        "Sunny side",
        "what may come",
        "mayo on the bread",
        "April said no",
        "his summer drives",
        "stored in each winter",
        "",
    ]);
}

#[test]
fn other_languages() {
    means(&[
        ("Was hat Cem gestern gesagt?", "gestern: 2024-05-14..2024-05-15"),
        ("letzte Woche", "letzte Woche: 2024-05-06..2024-05-13"),
        ("vor zwei Monaten", "vor zwei Monaten: 2024-02-29..2024-03-31"),
        ("vor etwa zwei Monaten", "vor etwa zwei Monaten: 2024-02-29..2024-03-31"),
        ("im Mai", "Mai: 2024-05-01..2024-06-01"),
        ("Ende März", "Ende März: 2024-03-21T16:00:00Z..2024-04-01"),
        ("im Sommer 2022", "Sommer 2022: 2022-06-01..2022-09-01"),
        ("am 10. Mai 2023", "10. Mai 2023: 2023-05-10..2023-05-11"),
        ("um Weihnachten herum", "um Weihnachten: 2023-12-24..2023-12-27"),
        ("am Montag letzter Woche", "Montag letzter Woche: 2024-05-06..2024-05-07"),
        ("im März letzten Jahres", "März letzten Jahres: 2023-03-01..2023-04-01"),
        ("letztes Jahr an Ostern", "letztes Jahr an Ostern: 2023-04-07..2023-04-11"),
        ("el martes de la semana pasada", "el martes de la semana pasada: 2024-05-07..2024-05-08"),
        ("en abril del año pasado", "abril del año pasado: 2023-04-01..2023-05-01"),
        ("am letzten Freitag", "letzten Freitag: 2024-05-10..2024-05-11"),
        ("zwischen März und Mai", "zwischen März und Mai: 2024-03-01..2024-06-01"),
        ("¿Qué dijo ayer?", "ayer: 2024-05-14..2024-05-15"),
        ("la semana pasada", "la semana pasada: 2024-05-06..2024-05-13"),
        ("hace dos meses", "hace dos meses: 2024-02-29..2024-03-31"),
        ("en mayo", "mayo: 2024-05-01..2024-06-01"),
        ("el verano pasado", "el verano pasado: 2023-06-01..2023-09-01"),
        ("en el verano de 2022", "verano de 2022: 2022-06-01..2022-09-01"),
        ("el 3 de junio de 2023", "el 3 de junio de 2023: 2023-06-03..2023-06-04"),
        ("a principios de abril", "a principios de abril: 2024-04-01..2024-04-11"),
        ("el fin de semana pasado", "el fin de semana pasado: 2024-05-11..2024-05-13"),
    ]);
}

#[test]
fn a_word_means_what_it_means_in_the_language_of_the_text() {
    means(&[
        ("Qu'est-ce que Marc a dit hier ?", "hier: 2024-05-14..2024-05-15"),
        ("hier", "hier: 2024-05-14..2024-05-15"),
    ]);
    means_nothing(&["Wer wohnt hier bei uns?", "Is dat hier in de buurt?", "What is on Mars?", "Der Hund war nie da."]);
}

#[test]
fn languages_without_spaces() {
    means(&[
        ("三个星期前涨价，涨了多少？", "三个星期前: 2024-04-21..2024-04-28"),
        ("上個月底我們騎完幾公里？", "上個月底: 2024-04-21..2024-05-01"),
        ("昨天她说了什么", "昨天: 2024-05-14..2024-05-15"),
        ("去年夏天的房租", "去年夏天: 2023-06-01..2023-09-01"),
        ("2023年11月27日", "2023年11月27日: 2023-11-27..2023-11-28"),
        ("十一月怎么样", "十一月: 2023-11-01..2023-12-01"),
        ("上周五", "上周五: 2024-05-10..2024-05-11"),
        ("上周一", "上周一: 2024-05-06..2024-05-07"),
        ("上上个星期二", "上上个星期二: 2024-04-30..2024-05-01"),
        ("上周末去哪儿了", "上周末: 2024-05-11..2024-05-13"),
        ("圣诞节前后", "圣诞节前后: 2023-12-24..2023-12-27"),
        ("先月、何を決めましたか。", "先月: 2024-04-01..2024-05-01"),
        ("二週間前に買った本", "二週間前: 2024-04-28..2024-05-05"),
        ("3か月前の話", "3か月前: 2024-01-31..2024-03-02"),
        ("昨年の秋ごろ", "昨年の秋ごろ: 2023-09-01..2023-12-01"),
        ("先週の金曜日に", "先週の金曜日: 2024-05-10..2024-05-11"),
        ("先週の月曜日", "先週の月曜日: 2024-05-06..2024-05-07"),
        ("5月の初めに", "5月の初め: 2024-05-01..2024-05-11T08:00:00Z"),
        ("一昨日", "一昨日: 2024-05-13..2024-05-14"),
    ]);
    means_nothing(&["去日本的机票", "春子さんの誕生日", "冬天環島在哪一邊會遇到逆風？"]);
    let order = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).order;
    assert_eq!(order("現在的房租是多少？"), Some(Order::Current));
    assert_eq!(order("今月の家賃"), None);
    assert_eq!(order("今の家賃は"), Some(Order::Current));
    for text in ["今后的计划", "叔父は雪について何と言いましたか。"] {
        assert_eq!(order(text), None, "{text}");
    }
}

#[test]
fn of_a_long_message_only_the_questions_are_read() {
    let told = "Last autumn I let the fruit hang until it was soft, and it was brown. ".repeat(4);
    assert_eq!(read(&format!("{told} What did I pick yesterday? Thanks.")), ["yesterday: 2024-05-14..2024-05-15"]);
    means_nothing(&[&told]);
}

#[test]
fn two_expressions_stand_side_by_side() {
    assert_eq!(
        read("yesterday or in June 2022?"),
        ["yesterday: 2024-05-14..2024-05-15", "June 2022: 2022-06-01..2022-07-01"]
    );
}

#[test]
fn without_a_clock_only_years_that_are_named_count() {
    assert_eq!(read_at("yesterday, last May, in May, on Friday", None), Vec::<String>::new());
    assert_eq!(read_at("in May 2023", None), ["May 2023: 2023-05-01..2023-06-01"]);
}

#[test]
fn days_begin_at_the_midnight_of_the_zone() {
    let berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
    // Half past midnight in Berlin.
    let at = |now: &str, text: &str| read_at(text, Some(&clock(now, berlin)));
    assert_eq!(at("2024-05-14T22:30:00Z", "today"), ["today: 2024-05-14T22:00:00Z..2024-05-15T22:00:00Z"]);
    // The day on which clocks go forward has 23 hours.
    assert_eq!(at("2024-03-31T12:00:00Z", "today"), ["today: 2024-03-30T23:00:00Z..2024-03-31T22:00:00Z"]);
    assert_eq!(at("2024-10-28T12:00:00Z", "yesterday"), ["yesterday: 2024-10-26T22:00:00Z..2024-10-27T23:00:00Z"]);
}

#[test]
fn weeks_months_and_leap_years_end_where_they_do() {
    let at = |now: &str, text: &str| read_at(text, Some(&clock(now, "UTC")));
    assert_eq!(at("2024-03-31T08:00:00Z", "last month"), ["last month: 2024-02-01..2024-03-01"]);
    assert_eq!(at("2024-05-12T08:00:00Z", "this week"), ["this week: 2024-05-06..2024-05-13"]);
    assert_eq!(at("2024-01-01T08:00:00Z", "last week"), ["last week: 2023-12-25..2024-01-01"]);
    assert_eq!(at("2024-02-29T08:00:00Z", "last year"), ["last year: 2023-01-01..2024-01-01"]);
    assert_eq!(at("2023-06-01T08:00:00Z", "on 29 February"), ["29 February: 2020-02-29..2020-03-01"]);
    assert_eq!(at("2024-02-10T08:00:00Z", "this winter"), ["this winter: 2023-12-01..2024-03-01"]);
}

#[test]
fn words_of_order() {
    let order = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).order;
    for text in [
        "What does Clive do now?",
        "the latest plan",
        "what car does he have these days",
        "Hartje Bestellschluss aktuell",
        "¿Dónde vive ahora?",
        "where do we stand with the roof",
        "How many layers has the canoe got as it stands?",
    ] {
        assert_eq!(order(text), Some(Order::Current), "{text}");
    }
    for text in [
        "Does she still paint?",
        "the last time we met",
        "Where is the will kept today?",
        "What was the truck called in the end?",
        "How many guests are we by the last count?",
        "Which date did the panel finally settle on?",
        "what name did the show end up with",
        "Has she said yes yet?",
        "Wie hieß das Boot letzten Endes?",
        "¿Para qué día quedó fijada al final la boda?",
        "结局最终怎么样",
        "結局どこに引っ越した？",
    ] {
        assert_eq!(order(text), Some(Order::Newest), "{text}");
    }
    for text in ["When did Ebbe first get in touch?", "what was the original plan originally", "zum ersten Mal"] {
        assert_eq!(order(text), Some(Order::Oldest), "{text}");
    }
    for text in [
        "last week",
        "her last name",
        "on the first floor",
        "the first of May",
        "from the first quote to the last",
        "what did I eat?",
        "now and then",
        "in the last two weeks",
        "what is yet to come",
        "What was the actual price of the boat?",
        "Was stand am Ende des Briefes?",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
}

#[test]
fn a_mention_needs_a_word_for_it_and_one_for_the_first_or_the_last() {
    let words = |text: &str| {
        let read = Times::read(text, Some(&clock(NOW, "UTC")));
        read.mention.into_iter().map(|place| text[place].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(words("When did I first mention Noor?"), ["mention", "first", "When"]);
    assert_eq!(words("When did the boat first come up?"), ["come up", "first", "When"]);
    assert_eq!(words("the last time we talked about Ebbe"), ["talked about", "the last time"]);
    assert_eq!(words("When did I first tell you about Dilan?"), ["tell you about", "first", "When"]);
    assert_eq!(words("Wann ging es zum ersten Mal um Frau Dörfler?"), ["ging es", "zum ersten Mal", "Wann"]);
    assert_eq!(words("¿Cuándo hablamos de Pepa por última vez?"), ["hablamos de", "última vez", "Cuándo"]);
    assert_eq!(words("思穎第一次提到環島是什麼時候？"), ["提到", "第一次", "是什麼時候"]);
    for text in
        ["When did I mention Noor?", "What did I first eat?", "the latest price we talked about", "her first name"]
    {
        assert_eq!(words(text), Vec::<String>::new(), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_is_a_panic_and_every_range_is_ordered(
        text in "((last|next|in|the|of|ago|back|half|a|May|since|week|weekend|Fridays|days|year|before|after|shortly|start|end|between|and|first|Christmas|Easter|vor|anderthalb|hace|medio|Monat|[0-9]{1,4}|winter|zwei|半|年|前|底|春节|\\PC) ?){0,10}",
        now in any::<i64>(),
    ) {
        let now = Timestamp::from_millis(now % 380_000_000_000_000).unwrap_or(NOW.parse().unwrap());
        for zone in ["UTC", "+14:00", "CET-1CEST,M3.5.0,M10.5.0/3"] {
            let clock = Clock { now, zone: zone.parse().unwrap() };
            for expression in Times::read(&text, Some(&clock)).expressions {
                let range = expression.range;
                prop_assert_eq!(&text[expression.place.clone()], &expression.text);
                prop_assert!(range.from.is_some() || range.to.is_some());
                if let (Some(from), Some(to)) = (range.from, range.to) {
                    prop_assert!(from < to, "{:?}", range);
                }
                prop_assert!((0.0..=1.0).contains(&range.fit(now)));
            }
        }
    }

    #[test]
    fn any_characters_may_stand_there(text in "\\PC{0,60}") {
        let _ = Times::read(&text, Some(&clock(NOW, "UTC")));
        let _ = Times::read(&text, None);
    }
}

#[test]
fn what_people_say_of_the_past() {
    means(&[
        ("a fortnight ago", "a fortnight ago: 2024-04-28..2024-05-05"),
        ("two weeks back", "two weeks back: 2024-04-28..2024-05-05"),
        ("a year or so ago", "a year or so ago: 2023-02-13..2023-08-15"),
        ("a day or two ago", "a day or two ago: 2024-05-13..2024-05-15"),
        ("half a year ago", "half a year ago: 2023-10-31..2023-12-01"),
        ("a year and a half ago", "a year and a half ago: 2022-10-31..2022-12-01"),
        ("this time last year", "this time last year: 2023-04-30..2023-05-31"),
        ("the night before last", "the night before last: 2024-05-13T18:00:00Z..2024-05-14T06:00:00Z"),
        ("over the weekend", "over the weekend: 2024-05-11..2024-05-13"),
        ("on the weekend of 4 May", "the weekend of 4 May: 2024-04-29..2024-05-06"),
        ("the other week", "the other week: 2024-04-24..2024-05-16"),
        ("two Fridays ago", "two Fridays ago: 2024-05-03..2024-05-04"),
        ("two summers ago", "two summers ago: 2022-06-01..2022-09-01"),
        ("at the start of the year", "the start of the year: 2024-01-01..2024-05-02"),
        ("at the end of the year", "the end of the year: 2023-09-01T08:00:00Z..2024-01-01"),
        ("the first half of 2024", "the first half of 2024: 2024-01-01..2024-07-02"),
        ("the first week of last month", "the first week of last month: 2024-04-01..2024-04-08"),
        ("on the 3rd of last month", "the 3rd of last month: 2024-04-03..2024-04-04"),
        ("two days before Christmas", "two days before Christmas: 2023-12-22..2023-12-23"),
        ("a few days before Christmas", "a few days before Christmas: 2023-12-19..2023-12-24"),
        ("shortly after Easter", "shortly after Easter: 2024-04-02..2024-04-09"),
        ("on Labor Day", "Labor Day: 2023-09-04..2023-09-05"),
        ("around Memorial Day", "around Memorial Day: 2023-05-29..2023-05-30"),
        ("vor einem halben Jahr", "vor einem halben Jahr: 2023-10-31..2023-12-01"),
        ("vor anderthalb Jahren", "vor anderthalb Jahren: 2022-10-31..2022-12-01"),
        ("am Wochenende", "am Wochenende: 2024-05-11..2024-05-13"),
        ("Anfang des Jahres", "Anfang des Jahres: 2024-01-01..2024-05-02"),
        ("zwischen den Jahren", "zwischen den Jahren: 2023-12-27..2024-01-01"),
        ("an Pfingsten", "Pfingsten: 2023-05-27..2023-05-30"),
        ("kurz vor Silvester", "kurz vor Silvester: 2023-12-24..2023-12-31"),
        ("hace un año y medio", "hace un año y medio: 2022-10-31..2022-12-01"),
        ("a finales del año pasado", "a finales del año pasado: 2023-09-01T08:00:00Z..2024-01-01"),
        ("el fin de semana", "el fin de semana: 2024-05-11..2024-05-13"),
        ("en carnaval", "carnaval: 2024-02-08..2024-02-14"),
        ("半年前", "半年前: 2023-10-31..2023-12-01"),
        ("去年年底", "去年年底: 2023-09-01T08:00:00Z..2024-01-01"),
        ("上半年花了多少？", "上半年: 2024-01-01..2024-07-02"),
        ("春节前后", "春节前后: 2024-02-09..2024-02-17"),
        ("中秋節那天", "中秋節: 2023-09-29..2023-09-30"),
        ("周末去哪儿了", "周末: 2024-05-11..2024-05-13"),
        ("一年半前の話", "一年半前: 2022-10-31..2022-12-01"),
        ("去年の暮れに", "去年の暮れ: 2023-09-01T08:00:00Z..2024-01-01"),
        ("この春の旅行", "この春: 2024-03-01..2024-06-01"),
        ("年末年始に", "年末年始: 2023-12-28..2024-01-05"),
    ]);
    let order = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).order;
    assert_eq!((order("the first week of last month"), order("a year ago today")), (None, None));
    means_nothing(&[
        "at the end of the day",
        "I want my money back",
        "two wheels back",
        "over the years",
        "half a pound of butter",
    ]);
}

#[test]
fn dates_in_digits() {
    means(&[
        ("Was war am 28.11.24?", "28.11.24: 2024-11-28..2024-11-29"),
        ("Was haben wir 3.2.24 besprochen und mit wem?", "3.2.24: 2024-02-03..2024-02-04"),
        ("28.11.23 Zahnarzt", "28.11.23: 2023-11-28..2023-11-29"),
        ("Wer kam am 28.11. vorbei?", "28.11: 2023-11-28..2023-11-29"),
        ("Wer kam am 3.5.?", "3.5: 2024-05-03..2024-05-04"),
        ("seit 28.11. krank", "seit 28.11: 2023-11-28.."),
        ("vom 28.11. bis 3.12. verreist", "vom 28.11. bis 3.12: 2023-11-28..2023-12-04"),
        ("Wer kam am 28.11.2022?", "28.11.2022: 2022-11-28..2022-11-29"),
        ("What did we say on 19/3/2024?", "19/3/2024: 2024-03-19..2024-03-20"),
        ("¿Qué dijo el 5/3/2024?", "5/3/2024: 2024-03-05..2024-03-06"),
        ("¿Qué dijo Ana en la reunión 5/3/2024?", "5/3/2024: 2024-03-05..2024-03-06"),
        // An English one may begin with the month.
        ("What did we say on 5/3/2024?", "2024: 2024-01-01..2025-01-01"),
    ]);
    means_nothing(&[
        "Läuft Version 1.10.24 bei dir?",
        "ab Version 1.2.3 läuft es wieder",
        "What changed in 1.10.24?",
        "seit v1.10. läuft es",
        "Die Note war eine 3.5. Nicht mehr.",
        "die Adresse ist 10.12.24.1 und nicht die andere",
        "am 32.11.24 und am 3.13.",
    ]);
    let option = |text: &str| TimeRange::read(text, &clock(NOW, "UTC")).ok().map(|range| short(range.from));
    for (text, from) in [("28.11.24", "2024-11-28"), ("28.11.", "2023-11-28"), ("3.5.24", "2024-05-03")] {
        assert_eq!(option(text).as_deref(), Some(from), "{text}");
    }
    assert_eq!((option("28/11/2024").as_deref(), option("5/3/2024"), option("3.5")), (Some("2024-11-28"), None, None));
    // A date that names its year is not told from now, whatever stands around it.
    assert!(!Times::read("Was haben wir am 3.2.24 gemacht?", Some(&clock(NOW, "UTC"))).are_relative());
}

#[test]
fn what_recurs_names_no_day() {
    means_nothing(&[
        "Wer gießt donnerstags die Tomaten?",
        "montags und freitags im Chor",
        "Was essen wir jeden Sonntag?",
        "¿Quién riega los jueves?",
        "los lunes y martes en el coro",
        "de los lunes a los viernes",
        "¿Qué comemos todos los sábados y cada martes?",
    ]);
    means(&[
        ("¿Quién vino el jueves?", "jueves: 2024-05-09..2024-05-10"),
        ("Wer kam am Donnerstag?", "Donnerstag: 2024-05-09..2024-05-10"),
        ("¿Qué hicimos ayer, como todos los martes?", "ayer: 2024-05-14..2024-05-15"),
    ]);
}

#[test]
fn the_recent_past_in_german_and_spanish() {
    means(&[
        ("hace quince días", "hace quince días: 2024-04-28..2024-05-05"),
        ("vor zwei Wochen", "vor zwei Wochen: 2024-04-28..2024-05-05"),
        ("hace 15 días", "hace 15 días: 2024-04-28..2024-05-05"),
        ("hace quince minutos", "hace quince minutos: 2024-05-15T11:40:00Z..2024-05-15T11:50:00Z"),
        ("Was haben wir heuer geerntet?", "heuer: 2024-01-01..2025-01-01"),
        ("heuer im März", "heuer im März: 2024-03-01..2024-04-01"),
        ("heuer zu Ostern", "heuer zu Ostern: 2024-03-29..2024-04-02"),
        ("Wen trafen wir neulich?", "neulich: 2024-05-01..2024-05-16"),
    ]);
    let times = Times::read("Was hat sie vor kurzem gekauft?", Some(&clock(NOW, "UTC")));
    assert_eq!((times.order, times.expressions), (Some(Order::Newest), Vec::new()));
}

#[test]
fn feast_days_in_german_and_spanish() {
    means(&[
        ("Wer kam an Heilig Abend?", "Heilig Abend: 2023-12-24..2023-12-25"),
        ("am Heiligen Abend 2022", "Heiligen Abend 2022: 2022-12-24..2022-12-25"),
        ("an Christi Himmelfahrt", "Christi Himmelfahrt: 2024-05-09..2024-05-10"),
        ("an Fronleichnam 2023", "Fronleichnam 2023: 2023-06-08..2023-06-09"),
        ("am Pfingstmontag 2023", "Pfingstmontag 2023: 2023-05-29..2023-05-30"),
        ("¿Qué hicimos el día de Reyes?", "día de Reyes: 2024-01-06..2024-01-07"),
        ("en el día de los Reyes Magos de 2022", "día de los Reyes Magos de 2022: 2022-01-06..2022-01-07"),
        ("después de los Reyes Magos", "después de los Reyes Magos: 2024-01-07.."),
        ("en Nochebuena", "Nochebuena: 2023-12-24..2023-12-25"),
        ("en Nochevieja", "Nochevieja: 2023-12-31..2024-01-01"),
    ]);
    means_nothing(&["¿Qué libro sobre los reyes de Navarra leímos?", "Ana Reyes"]);
}

#[test]
fn weeks_and_quarters_by_their_number() {
    means(&[
        ("Was war in KW 12 2025 los?", "KW 12 2025: 2025-03-17..2025-03-24"),
        ("Was lief in KW 12?", "KW 12: 2024-03-18..2024-03-25"),
        ("seit KW 40", "seit KW 40: 2023-10-02.."),
        ("in der 1. Kalenderwoche 2020", "1. Kalenderwoche 2020: 2019-12-30..2020-01-06"),
        ("in KW 53", "KW 53: 2020-12-28..2021-01-04"),
        ("im ersten Quartal 2025", "ersten Quartal 2025: 2025-01-01..2025-04-01"),
        ("im 2. Quartal des Jahres 2023", "2. Quartal des Jahres 2023: 2023-04-01..2023-07-01"),
        ("in Q1 2025", "Q1 2025: 2025-01-01..2025-04-01"),
        ("el primer trimestre de 2023", "primer trimestre de 2023: 2023-01-01..2023-04-01"),
        ("in der ersten Woche im Mai", "ersten Woche im Mai: 2024-05-01..2024-05-08"),
        ("la primera semana de mayo", "la primera semana de mayo: 2024-05-01..2024-05-08"),
        ("3 Tage im Mai", "Mai: 2024-05-01..2024-06-01"),
    ]);
    means_nothing(&["eine Wallbox mit 11 kW", "KW 54", "in KW 0"]);
    let at = |now: &str, text: &str| read_at(text, Some(&clock(now, "UTC")));
    assert_eq!(at("2024-12-31T08:00:00Z", "in KW 1"), ["KW 1: 2024-12-30..2025-01-06"]);
}
