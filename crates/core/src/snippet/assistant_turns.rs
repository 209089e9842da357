//! Snippets of turns as assistants and those who ask them write: what answers is in them.

use proptest::prelude::*;

use super::*;

/// The snippet of a turn for a question, whose terms all weigh as much.
fn shown(question: &str, turn: &str) -> String {
    shown_near(question, turn, 0..turn.len()).text
}

fn shown_near(question: &str, turn: &str, part: Range<usize>) -> Snippet {
    let terms = Analyzer::English.query_terms(question).into_iter().map(|term| (term, 1.0));
    Highlighter::new(Analyzer::English, terms).for_question(question).snippet_near(turn, part)
}

/// Fails unless the snippet holds all of `answers`.
fn answers(question: &str, turn: &str, answers: &[&str]) {
    let shown = shown(question, turn);
    assert!(turn.chars().count() > whole(SNIPPET_CHARS), "{question}: the turn is shown whole");
    for answer in answers {
        assert!(shown.contains(answer), "{question}: {answer:?} is not in {shown:?}");
    }
}

const BIKES: &str = "There are three shops near the ferry, and all of them take bookings by phone. The prices are for the \
    season from May to September, in the other months they take about a third less.\n\n\
    ## Shops\n\n\
    | Shop | City bike, a day | Electric, a day | Deposit |\n\
    |---|---|---|---|\n\
    | Hafenrad | €14.50 | €34 | €50 |\n\
    | Velo Maritim | €12 | €29.90 | €100 |\n\
    | Inselrad Petersen | €11 | not rented | none |\n\n\
    ## What I would do\n\n\
    Take the first, because they have child seats. Ask whether the lock is included: last year it was not, and a lock is \
    what you need at the beach.";

const GLUE: &str = "For the leg of the chair I would take a wood glue of class D3, since the chair stands in the kitchen.\n\n\
    1. Scrape the old glue off both parts. Fresh glue does not hold on old glue.\n\
    2. Spread it thinly on both sides with a brush, press the parts together and wipe off what comes out.\n\
    3. Clamp it for 45 to 60 minutes, with a piece of cardboard beneath the jaws.\n\
    4. Nobody should sit on the chair before the next day: glue needs 24 hours until it is hard.\n\n\
    If the peg is loose as well, wrap it in a strip of thin cotton with glue. Old chairs have shrunk pegs, and the cloth fills \
    the gap better than glue alone.";

#[test]
fn an_amount_at_the_end_of_a_long_sentence_is_not_cut_off() {
    let turn = "hello again, we talked about the boat engine before but I forgot what we said. The old one, a Yanmar from 1994 \
        that smokes when it is cold and has leaked oil into the bilge since we sailed back from Ireland with the children in \
        August, has to go, and for the new engine we can spend at most £4,250, fitted, because the mooring has gone up as well \
        and the sails will not last for another two summers. What should I look for?";
    answers("how much can we spend on the engine", turn, &["at most £4,250"]);
}

#[test]
fn a_row_of_a_table_is_whole_and_read_with_its_header() {
    answers(
        "Velo Maritim electric",
        BIKES,
        &["| Shop | City bike, a day | Electric, a day | Deposit | \u{2026} | Velo Maritim | €12 | €29.90 | €100 |"],
    );
    let first = shown("Hafenrad price", BIKES);
    assert!(first.contains("| Deposit | | Hafenrad | €14.50 | €34 | €50 |"), "no line of dashes, and no gap: {first}");
}

#[test]
fn a_row_is_chosen_by_the_words_of_its_header_too() {
    answers(
        "what deposit does Inselrad Petersen want",
        BIKES,
        &["| Deposit |", "| Inselrad Petersen | €11 | not rented | none |"],
    );
}

#[test]
fn an_item_of_a_list_with_a_duration_comes_before_one_without() {
    answers("how long do I clamp the chair", GLUE, &["3. Clamp it for 45 to 60 minutes"]);
    answers("how many hours until the glue is hard", GLUE, &["24 hours until it is hard."]);
    let shown = shown("why scrape the old glue", GLUE);
    assert!(shown.contains("1. Scrape the old glue off both parts. Fresh glue does not hold"), "{shown}");
}

#[test]
fn a_heading_is_shown_with_what_it_is_the_heading_of() {
    let turn = format!(
        "You can keep it simple. {}\n\n### Watering the tomatoes\n\n- Every second day, 1.5 litres a plant.\n- In the morning, \
         at the root and never over the leaves.\n\n### Feeding\n\n- From June on, once a week.\n\n{}",
        "The balcony faces south and has no rain. ".repeat(6),
        "Watch for brown spots and take such leaves off. ".repeat(6)
    );
    let shown = shown("watering tomatoes", &turn);
    assert!(shown.starts_with("\u{2026} ### Watering the tomatoes - Every second day, 1.5 litres a plant."), "{shown}");
    // A heading at the end of a part would promise what is not shown.
    let ends = super::Highlighter::new(Analyzer::English, [("balconi".to_owned(), 1.0)]).snippet(&turn).text;
    assert!(!ends.trim_end_matches([' ', '\u{2026}']).ends_with("tomatoes"), "{ends}");
}

#[test]
fn what_a_heading_says_counts_for_what_stands_below_it() {
    let turn = "Both are possible, and neither is wrong. The insurer only wants to hear of it before you start.\n\n\
        ## Car\n\nThe premium rises with the mileage: above 12,000 km it is €410 a year, below that €355. They ask for the \
        reading every January, and a photo is enough.\n\n\
        ## House\n\nHere the premium goes by the floor. For your 96 m² it is €188 a year, with glass €231. Water damage is \
        included, floods are not.\n\n\
        Call them before the end of the month, the change is free of charge until then.";
    answers("what is the premium for the house", turn, &["€188 a year"]);
    answers("what is the premium for the car", turn, &["€410 a year"]);
}

#[test]
fn a_sentence_that_introduces_a_list_or_code_is_shown_with_it() {
    let turn = format!(
        "{} To see which process holds the port, run this:\n\n```sh\nlsof -nP -iTCP:8080 -sTCP:LISTEN\nkill 4711\n```\n\n{}",
        "The server did not start because something else answers there already. ".repeat(3),
        "If it comes back, a supervisor starts it anew and has to be stopped first. ".repeat(3)
    );
    answers("which process holds the port", &turn, &["run this: lsof -nP -iTCP:8080 -sTCP:LISTEN"]);
    let fence = shown("which process holds the port", &turn);
    assert!(!fence.contains("```"), "{fence}");
}

#[test]
fn lines_of_code_stay_whole() {
    let lines: Vec<String> =
        (1..30).map(|n| format!("export_{n} = client.export(table=\"readings_{n}\", limit={n}.5)")).collect();
    let turn = format!("Here is the script.\n\n```python\n{}\n```\n\nIt runs every night.", lines.join("\n"));
    let text = shown("readings_17", &turn);
    assert!(text.contains(&lines[16]), "{text}");
    let bare = text.trim_matches(['\u{2026}', ' ']);
    assert!(bare.starts_with("export_") && bare.ends_with(".5)"), "{text}");
}

#[test]
fn numbers_versions_paths_and_addresses_are_not_taken_apart() {
    let filling = "It is the usual story with old lock files, and nothing to worry about. ".repeat(4);
    for (question, sentence) in [
        ("which version of the parser", "The parser is fixed since 3.12.4. You have 3.11."),
        ("where is the secret", "The secret is in ./config/prod.d/vault.toml. Do not commit it."),
        ("address of the dashboard", "The dashboard is at https://ops.example.org/d/7?from=now-1.5h!x. Log in first."),
        ("rent of the stage", "The stage costs £1. Really: the rent is £1.50 with VAT."),
    ] {
        answers(question, &format!("{filling}{sentence} {filling}"), &[sentence]);
    }
}

#[test]
fn abbreviations_end_no_sentence() {
    let turn = format!(
        "{}Dr. Okafor takes approx. 40 ml of the syrup, i.e. two spoons, max. 3 times a day, cf. p. 12 of the leaflet. {}",
        "The cough sounds worse than it is. ".repeat(6),
        "Drink a lot and stay in bed. ".repeat(8)
    );
    let shown = shown("syrup leaflet", &turn);
    assert!(shown.starts_with("\u{2026} Dr. Okafor takes approx. 40 ml of the syrup"), "{shown}");
}

#[test]
fn of_parts_as_good_the_one_with_the_date_is_shown_where_one_asks_when() {
    let turn = "Garlic is easy. Plant garlic where no onions grew in the last years, or it gets rust. It likes sun, and a bed that \
        does not stay wet in winter. Never use cloves from the supermarket, they are often treated so that they do not sprout, \
        and come from warmer places. Mulch the bed with straw, and weed it by hand in spring.\n\n\
        Plant the garlic between 10 October and 15 November, 5 cm deep, with 15 cm between the cloves. You harvest it in July \
        when the lower third of the leaves is yellow.";
    answers("when do I plant the garlic", turn, &["between 10 October and 15 November"]);
    let rust = shown("where to plant garlic", turn);
    assert!(rust.contains("where no onions grew"), "what asks for no date is not drawn to one: {rust}");
}

#[test]
fn what_follows_the_words_is_kept_of_a_sentence_that_is_too_long() {
    let turn = format!(
        "Well, {}so as to the gas meter, the reading that they estimated for you in March was 8,412 m³, {}and that is it.",
        "I looked through the letters, and through the folder from the flat before, ".repeat(5),
        "and I would send them a photo with today's paper in it, ".repeat(6)
    );
    answers("estimated gas meter reading", &turn, &["in March was 8,412 m³"]);
}

#[test]
fn a_sentence_elsewhere_with_the_other_words_is_shown_besides() {
    let turn = format!(
        "The sofa comes from the shop in Aarhus. {}The delivery is between 8 and 12 on Friday. {}",
        "They sent the samples of cloth twice, and both times in the wrong grey. ".repeat(4),
        "Somebody has to be there who can lift. ".repeat(8)
    );
    answers(
        "sofa shop delivery",
        &turn,
        &["The sofa comes from the shop in Aarhus.", "The delivery is between 8 and 12 on Friday."],
    );
}

#[test]
fn german_turns_are_cut_where_germans_end_sentences() {
    let turn = "Gern. Für die Kündigung der Wohnung gilt für Mieter immer dieselbe Frist, egal wie lange Sie dort wohnen, s. \
        § 573c Abs. 1 BGB. Schreiben Sie die Kündigung von Hand oder am Rechner, aber unterschreiben Sie sie, eine E-Mail \
        reicht nicht.\n\n\
        - Der Brief muss bis zum 3. Werktag da sein, z. B. bis zum 4. Juli, damit der Vertrag am 30. September endet.\n\
        - Die Kaution von 1.450 Euro bekommen Sie nach etwa sechs Monaten zurück, wenn nichts kaputt ist.\n\
        - Den Nachmieter sucht die Vermieterin selbst, Frau Dr. Lindqvist hat das so gesagt.";
    answers(
        "Wie hoch ist die Kaution?",
        turn,
        &["Die Kaution von 1.450 Euro bekommen Sie nach etwa sechs Monaten zurück"],
    );
    answers("Wann muss der Brief da sein?", turn, &["bis zum 4. Juli, damit der Vertrag am 30. September endet."]);
}

#[test]
fn spanish_turns_are_cut_where_spaniards_end_sentences() {
    let turn = "Claro que sí. Para una semana en la isla os conviene alquilar un coche pequeño, porque las carreteras del norte son \
        estrechas y en el pueblo no hay donde aparcar. Preguntad por la Sra. Medina, que lleva la oficina de la Avda. Marítima, \
        n.º 12, y habla inglés.\n\n\
        **Precio.** El coche cuesta 214,50 € la semana con seguro, y la silla del niño 3 € al día. La gasolina va aparte: \
        recogéis el coche con el depósito lleno y lo devolvéis igual.\n\n\
        Para el aeropuerto hay que salir a las 6.15, porque el control tarda más los domingos.";
    answers("¿cuánto cuesta el coche?", turn, &["El coche cuesta 214,50 € la semana con seguro"]);
    answers("¿cuándo hay que salir para el aeropuerto?", turn, &["salir a las 6.15"]);
}

#[test]
fn chinese_turns_are_cut_between_sentences_and_never_within_a_number() {
    let filling = "先把旧的柜子拆掉，再请人看一下水管有没有问题。颜色可以以后再选，不用着急。".repeat(8);
    let turn = format!("{filling}厨房的装修预算最多是38500元，包括洗碗机和灯。工人三月五日来。{filling}");
    let shown = shown("厨房装修预算是多少", &turn);
    assert!(shown.starts_with("\u{2026} 厨房的装修预算最多是38500元，包括洗碗机和灯。工人三月五日来。"), "{shown}");
    for pad in 0..40 {
        let turn = format!("{}装修预算最多是38500元{}", "好".repeat(300 + pad), "的".repeat(300));
        let text = shown_near("装修预算", &turn, 0..turn.len()).text;
        assert!(text.contains("最多是38500元"), "{text}");
    }
}

#[test]
fn of_the_part_that_the_vector_chose_the_figure_is_shown_where_no_word_matches() {
    let filling = "They were kind on the phone and said that nothing is lost. ".repeat(12);
    let turn = format!(
        "Thanks for asking, 3 of them called. {filling}The woman was brief. She takes £62 an hour, and materials. {filling}"
    );
    let part = turn.find("The woman").unwrap_or_default();
    let Snippet { text, .. } = shown_near("what does the plumber charge", &turn, part..turn.len());
    assert!(text.contains("£62 an hour"), "{text}");
}

#[test]
fn marks_stand_on_their_words_in_every_part() {
    let Snippet { text, marks } = shown_near("Velo Maritim deposit beach", BIKES, 0..BIKES.len());
    let words: Vec<&str> = marks.into_iter().map(|[from, to]| &text[from..to]).collect();
    assert_eq!(words, ["Deposit", "Velo", "Maritim", "beach"], "{text}");
}

#[test]
fn signs_of_several_characters_are_not_cut() {
    let family = "\u{1F468}\u{200d}\u{1F469}\u{200d}\u{1F467}";
    let turn = format!("{}kite{}", family.repeat(200), family.repeat(200));
    let text = shown("kite", &turn);
    let bare = text.trim_matches(['\u{2026}', ' ']);
    assert!(bare.starts_with(family) && bare.ends_with(family) && bare.contains("kite"), "{text}");
    let accents = format!("{} kite {}", "e\u{301}".repeat(300), "o\u{308}".repeat(300));
    let text = shown("kite", &accents);
    assert!(text.contains("kite") && !text.contains("\u{2026} \u{301}") && !text.contains("o \u{2026}"), "{text}");
}

#[test]
fn hostile_turns_take_time_by_their_length() {
    let size = 1 << 18;
    let mut shapes: Vec<String> = [
        "a. ", "1. ", "*", "*)\n", "`", "| kite ", "|-\n", "# kite\n", "kite: ", "£", "9", ".", "\n", "```\n", "猫。",
        "kite 9 ",
    ]
    .iter()
    .map(|piece| piece.repeat(size / piece.len()))
    .collect();
    shapes.push(format!("# {}\n{}", "kite ".repeat(size / 10), "a. ".repeat(size / 6)));
    shapes.push(format!("| {}\n|-|\n{}", "kite ".repeat(size / 10), "| a |\n".repeat(size / 12)));
    shapes.push(format!("{}kite", "- \n---\n".repeat(size / 8)));
    for shape in shapes {
        let began = std::time::Instant::now();
        let text = shown("how much is the kite in April", &shape);
        assert!(text.chars().count() <= whole(SNIPPET_CHARS), "{text}");
        let shape: String = shape.chars().take(12).collect();
        assert!(began.elapsed().as_secs() < 5, "{shape:?} took {:?}", began.elapsed());
    }
}

proptest! {
    #[test]
    fn any_markdown_gives_a_snippet(
        turn in "(#{1,3} [a-d]{1,5}\n|[-*] |[1-9]\\. |\\| kite \\| £[0-9]{1,4} \\|\n|\\|--\\|--\\|\n|```\n|kite|[a-e]{1,9}[.!:]? |\n|£[0-9.,]{1,7} |猫。|\u{1F468}\u{200d}\u{1F469}|e\u{301}|`|\\*\\*|\\PC){0,160}",
        question in "(how much|when|how long|kite|[a-e]{1,3}|猫| ){0,5}",
        part in (0..200usize, 0..200usize),
    ) {
        let bound = |at: usize| (0..=at.min(turn.len())).rev().find(|&at| turn.is_char_boundary(at)).unwrap_or(0);
        let (from, to) = (bound(part.0.min(part.1)), bound(part.0.max(part.1)));
        let Snippet { text, marks } = shown_near(&question, &turn, from..to);
        prop_assert!(text.chars().count() <= whole(SNIPPET_CHARS), "{}", text);
        prop_assert_eq!(text.is_empty(), turn.split_whitespace().next().is_none());
        let line = on_one_line(&turn);
        if !line.contains('\u{2026}') {
            for part in text.split('\u{2026}') {
                // The line between a header and its rows, a fence and a rule are left out of a part.
                prop_assert!(part.split_whitespace().all(|word| line.contains(word)), "{}", part);
            }
        }
        let mut last = 0;
        for [from, to] in marks {
            prop_assert!(last <= from && from < to && text.get(from..to).is_some());
            last = to;
        }
    }
}
