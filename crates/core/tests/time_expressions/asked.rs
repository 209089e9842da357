//! What a text tells beside what it asks, and what was beside what is planned.

use aforesaid_core::time::{Order, Times};

use super::{NOW, clock, means, means_nothing};

fn order(text: &str) -> Option<Order> {
    Times::read(text, Some(&clock(NOW, "UTC"))).order
}

#[test]
fn words_of_order_count_where_something_is_asked() {
    for text in [
        "I am still tired. What did the physiotherapist suggest?",
        "My back is much better now. Which stretches did you show me?",
        "That was my first session! What did we write down?",
        "I have been sneezing a lot lately. Any tips?",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    assert_eq!(order("We moved. Where do I live now?"), Some(Order::Current));
    assert_eq!(order("Dr. Chen called. What did Dr. Chen say last?"), Some(Order::Newest));
    // Where nothing is asked, all is read.
    assert_eq!(order("Thanks. The current rent."), Some(Order::Current));
}

#[test]
fn the_first_of_what_is_to_come_is_not_the_oldest() {
    for text in [
        "What should I do first?",
        "What's the first step?",
        "When does my first sprint end?",
        "What do we have to pack first?",
        "I am ready to start with the flashcards",
        "What did she say of the first two weeks?",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    for text in [
        "What did I do first?",
        "Who was the first to arrive?",
        "When do I first mention Noor?",
        "what was the budget to start with",
        "the first boat",
    ] {
        assert_eq!(order(text), Some(Order::Oldest), "{text}");
    }
}

#[test]
fn of_two_that_are_compared_both_are_asked_for() {
    for text in [
        "Which came first, the tent or the stove?",
        "Who did I meet first: Ebbe or Noor?",
        "Was kam zuerst, das Zelt oder der Kocher?",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    assert_eq!(order("Which tent or stove did I buy first?"), Some(Order::Oldest));
    assert_eq!(order("Did I most recently raise or lower the limit?"), Some(Order::Newest));
}

#[test]
fn what_is_not_over_is_asked_for_only_where_it_was() {
    means(&[
        ("What did I eat today?", "today: 2024-05-15..2024-05-16"),
        ("How many eggs have we sold this month?", "this month: 2024-05-01..2024-06-01"),
        ("Which calls were missed this week?", "this week: 2024-05-13..2024-05-20"),
        ("this week", "this week: 2024-05-13..2024-05-20"),
        ("Can you list today's calls?", "today's: 2024-05-15..2024-05-16"),
        // What is over is asked for in any tense.
        ("What is the sum of the past two months?", "the past two months: 2024-03-15..2024-05-16"),
        ("I planted something two weeks ago. What was it?", "two weeks ago: 2024-04-28..2024-05-05"),
    ]);
    means_nothing(&[
        "What should I do today?",
        "What's the plan for this week?",
        "What is my budget for gifts this year?",
        "I was ill today. What did the doctor say of tea?",
        "I was ill last week. What should I eat?",
    ]);
}

#[test]
fn a_day_to_come_is_not_the_one_that_was() {
    means_nothing(&[
        "Am I free on Tuesday?",
        "What time do I wake up on Saturday?",
        "Which song will the choir sing at Christmas?",
        "What does the Christmas tin sell for?",
    ]);
    means(&[
        ("Who came on Tuesday?", "Tuesday: 2024-05-14..2024-05-15"),
        ("What are the books I finished in January?", "January: 2024-01-01..2024-02-01"),
        ("Where is the note that I wrote on Friday?", "Friday: 2024-05-10..2024-05-11"),
        ("notes of Friday", "Friday: 2024-05-10..2024-05-11"),
        // A year that is over is not to come.
        ("What does the letter of May 2023 say?", "May 2023: 2023-05-01..2023-06-01"),
    ]);
}

#[test]
fn how_long_ago_names_no_time() {
    means_nothing(&["How many weeks ago did I plant the beans?", "how many days back was it"]);
    means(&[("many weeks ago", "many weeks ago: 2023-12-24..2024-04-14")]);
}

#[test]
fn what_is_planned_in_other_languages() {
    for text in [
        "Was soll ich zuerst machen?",
        "¿Qué tengo que hacer primero?",
        "Que dois-je faire en premier ?",
        "Che cosa devo fare per prima?",
        "O que devo fazer primeiro?",
        "Wat moet ik eerst doen?",
        "Vad ska jag göra först?",
        "Что мне нужно сделать сначала?",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    for text in ["Was habe ich zuerst gekauft?", "Wat hebben we eerst gekocht?", "Vad gjorde vi först?"] {
        assert_eq!(order(text), Some(Order::Oldest), "{text}");
    }
    means_nothing(&[
        "Was soll ich heute kochen?",
        "Kann ich am Freitag kommen?",
        "¿Qué debería hacer hoy?",
        "Wat moet ik vandaag doen?",
    ]);
    means(&[
        ("Was habe ich heute gekocht?", "heute: 2024-05-15..2024-05-16"),
        ("Wer kam am Freitag?", "Freitag: 2024-05-10..2024-05-11"),
        ("¿Qué compramos el viernes?", "viernes: 2024-05-10..2024-05-11"),
    ]);
}
