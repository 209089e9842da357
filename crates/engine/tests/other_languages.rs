//! What was said in one language is found in the words of another.

use aforesaid::{Explanations, Memory, Pipeline, types::*};

/// What a lexical search finds among turns with ids.
fn found(turns: &[(&str, &str)], query: &str, pipeline: &Pipeline) -> Vec<String> {
    let memory = Memory::builder().open("memory:").unwrap();
    let namespace = Namespace::new("me").unwrap();
    let turn = |(id, text): &(&str, &str)| Turn {
        id: Some(MemoryId::new(*id).unwrap()),
        ..Turn::new(ConversationId::new("chat").unwrap(), SessionId::new("s1").unwrap(), "Mia", *text)
    };
    memory.add_turns(&namespace, turns.iter().map(turn).collect()).unwrap();
    let response = memory.search(&Query::new(namespace, query), pipeline, Explanations::Omit).unwrap();
    response.hits.into_iter().map(|hit| hit.id).collect()
}

const MIXED: [(&str, &str); 5] = [
    ("landlord", "Der Vermieter hat gesagt, dass die Wohnung im Mai frei wird."),
    ("dog", "El perro se ha comido los zapatos de la vecina."),
    ("cat", "我们的猫昨天在厨房里打碎了杯子。"),
    ("bike", "I sold my old bicycle to a neighbour."),
    ("gift", "Das Gift gegen die Ratten steht im Keller."),
];

#[test]
fn a_question_finds_what_was_said_in_another_language() {
    let lexical = Pipeline::lexical();
    for (query, first) in [
        ("What did the landlord say about the flat?", "landlord"),
        ("Which shoes did the dog eat?", "dog"),
        ("What did the cat do in the kitchen?", "cat"),
        ("Wem habe ich mein Fahrrad verkauft?", "bike"),
        ("¿Qué dijo el casero del piso?", "landlord"),
    ] {
        assert_eq!(found(&MIXED, query, &lexical).first().map(String::as_str), Some(first), "{query}");
    }
}

#[test]
fn words_of_two_languages_that_are_written_alike_are_not_taken_for_each_other() {
    // "Gift" is poison, and no present.
    let german: Vec<(&str, &str)> = MIXED.into_iter().filter(|(id, _)| ["landlord", "gift"].contains(id)).collect();
    assert_eq!(found(&german, "Was für ein Geschenk gab es für uns?", &Pipeline::lexical()), Vec::<String>::new());
}

#[test]
fn where_no_spelling_is_looked_up_words_are_searched_as_they_are_written() {
    let plain: Pipeline = "bm25".parse().unwrap();
    assert_eq!(found(&MIXED, "What did the landlord say about the flat?", &plain), Vec::<String>::new());
}
