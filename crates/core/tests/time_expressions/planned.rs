//! Holidays to come beside those that were, the first of a plan, and verbs that look like words of order.

use aforesaid_core::time::{Order, Times};

use super::{NOW, clock, means, means_nothing};

#[track_caller]
fn orders(cases: &[(&str, Option<Order>)]) {
    for (text, expected) in cases {
        assert_eq!(Times::read(text, Some(&clock(NOW, "UTC"))).order, *expected, "{text}");
    }
}

#[test]
fn last_is_a_verb_too() {
    for text in [
        "How long did the outage last?",
        "how long does it last",
        "did it last",
        "Did the truce last?",
        "do the candles last all night?",
        "will the battery last until evening?",
        "How many days was the trip supposed to last?",
        "How many minutes should the bread last?",
        "where did I get the soup, and how long did it last",
        "How long has the outage lasted?",
        "What did we agree at last?",
    ] {
        orders(&[(text, None)]);
    }
    for text in [
        "what did she say last?",
        "How long ago did we last meet?",
        "how long is it since we last met",
        "did they last meet in May?",
        "How long was the last race?",
        "When did the sea last get into the basement?",
        "letztens",
        "¿Cuál fue el último precio?",
        "quel est le dernier prix",
    ] {
        orders(&[(text, Some(Order::Newest))]);
    }
    orders(&[("¿Quién vive en el último piso?", None), ("Qui habite au dernier étage ?", None)]);
}

#[test]
fn the_first_of_a_plan_has_no_order() {
    for text in [
        "Which paint first?",
        "which comes first",
        "Who goes first?",
        "which band plays first",
        "First, which paint did we buy?",
        "who came first in the race",
        "which of us was first in the queue",
        "Welche Farbe zuerst?",
        "Qu'est-ce qu'on fait d'abord ?",
        "¿Qué pintamos primero?",
        "Wat eerst?",
    ] {
        orders(&[(text, None)]);
    }
    for text in [
        "when did the dog first escape",
        "when did I first meet Noor",
        "the first time",
        "first driving test",
        "what was the first wifi password",
        "What did we paint first",
        "Who mentions Noor first?",
        "Auf welcher Parzelle standen die Bienen zuerst?",
        "Was haben wir zuerst gekauft?",
        "Qu'est-ce qu'on a acheté d'abord ?",
        "la primera vez",
    ] {
        orders(&[(text, Some(Order::Oldest))]);
    }
}

#[test]
fn what_is_in_force_is_asked_for_in_more_words() {
    for text in [
        "which plan are we on",
        "what hourly rate am I on",
        "who has the pager",
        "who has the spare key",
        "who's on call",
        "who is on duty",
        "the rent as of now",
        "In welchem Tarif sind wir?",
        "wer hat Bereitschaft",
        "¿En qué plan estamos?",
        "¿Quién está de guardia?",
        "Qui est d'astreinte ?",
        "Sur quel forfait sommes-nous ?",
    ] {
        orders(&[(text, Some(Order::Current))]);
    }
    for text in ["are we on for dinner", "are we on time", "where does Ann live", "who has the best recipe"] {
        orders(&[(text, None)]);
    }
}

#[test]
fn a_holiday_is_the_one_to_come_where_nothing_says_that_it_was() {
    means_nothing(&[
        "christmas lunch",
        "when is christmas lunch",
        "Christmas plans",
        "who's bringing the pie for Thanksgiving?",
        "what are we doing at easter",
        "Plan a Christmas dinner for four.",
        "where are we spending christmas",
        "an Weihnachten was machen wir",
        "Wer kocht an Weihnachten?",
        "Wo feiern wir Silvester?",
        "¿Qué hacemos en Navidad?",
        "cena de Navidad",
        "Qu'est-ce qu'on fait à Noël ?",
        "repas de Noël",
        "Cosa facciamo a Natale?",
        "圣诞节做什么",
        "クリスマスに何をする",
    ]);
    means(&[
        ("where did we spend Christmas?", "Christmas: 2023-12-24..2023-12-27"),
        ("which band played at Christmas", "Christmas: 2023-12-24..2023-12-27"),
        ("last Christmas", "last Christmas: 2023-12-24..2023-12-27"),
        ("on Halloween", "Halloween: 2023-10-31..2023-11-01"),
        ("quiet days since Easter", "since Easter: 2024-03-29.."),
        ("Was gab es an Weihnachten?", "Weihnachten: 2023-12-24..2023-12-27"),
        ("Was haben wir an Ostern gemacht", "Ostern: 2024-03-29..2024-04-02"),
        ("¿Qué hicimos en Navidad?", "Navidad: 2023-12-24..2023-12-27"),
        ("¿Quién cocinó en Nochebuena?", "Nochebuena: 2023-12-24..2023-12-25"),
        ("Qu'est-ce qu'on a fait à Noël ?", "à Noël: 2023-12-24..2023-12-27"),
        ("Cosa abbiamo fatto a Natale?", "a Natale: 2023-12-24..2023-12-27"),
        ("O que fizemos no Natal?", "no Natal: 2023-12-24..2023-12-26"),
        ("Wat deden we met kerst?", "kerst: 2023-12-24..2023-12-27"),
        ("Что мы делали на Новый год?", "Новый год: 2023-12-31..2024-01-02"),
        ("圣诞节我们做了什么", "圣诞节: 2023-12-24..2023-12-27"),
        ("クリスマスに何をした", "クリスマス: 2023-12-24..2023-12-27"),
    ]);
}

#[test]
fn a_holiday_of_this_year_is_to_come() {
    means(&[
        ("what was planned this year at Christmas", "this year at Christmas: 2024-12-24..2024-12-27"),
        ("where is christmas this year", "christmas this year: 2024-12-24..2024-12-27"),
        ("Was machen wir dieses Jahr an Weihnachten?", "dieses Jahr an Weihnachten: 2024-12-24..2024-12-27"),
        ("¿Dónde celebramos la Navidad este año?", "Navidad este año: 2024-12-24..2024-12-27"),
        ("Où fête-t-on Noël cette année ?", "Noël cette année: 2024-12-24..2024-12-27"),
    ]);
}
