use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::quoted::tests::{INJECTIONS, block_of, messages_of, texts_of, wording};

fn subject() -> CueSubject {
    CueSubject {
        passage: "Ann: I flew it yesterday! [image: a red kite]".into(),
        said_at: Some("2024-05-02".into()),
        before: (1..=8).map(|n| format!("Bob: {n}")).collect(),
    }
}

fn settings(prompt: CuePrompt) -> CueSettings {
    CueSettings { prompt, ..CueSettings::default() }
}

fn read(questions: &Value) -> Result<Vec<String>, CueFault> {
    CueSettings::default().read(&Outcome::Json(json!({"questions": questions})))
}

/// Each question was compared with all before it: a reply of a megabyte took half a minute.
#[test]
fn very_many_questions_are_counted_at_once() {
    let many: Vec<String> = (0..200_000).map(|n| n.to_string()).collect();
    assert_eq!(read(&json!(many)), Err(CueFault::TooMany { found: many.len(), asked: 3 }));
}

/// Other words are another prompt: give it the next version, then pin its digest here.
#[test]
fn a_version_belongs_to_its_words() {
    let pinned = [CuePrompt::Isolated, CuePrompt::Contextual]
        .map(|prompt| (prompt.id(), wording(&settings(prompt).request(&subject()))));
    assert_eq!(pinned, [("isolated/1", "fc3032de88e1".to_owned()), ("contextual/1", "f4c2d670d5b8".to_owned())]);
}

#[test]
fn each_prompt_shows_what_it_should() {
    let request = settings(CuePrompt::Contextual).request(&subject());
    let (system, user) = messages_of(&request);
    assert!(system.contains("Write 3 question(s); fewer where"), "{system}");
    let expected = "<dialogue>\n\"Bob: 3\"\n\"Bob: 4\"\n\"Bob: 5\"\n\"Bob: 6\"\n\"Bob: 7\"\n\"Bob: 8\"\n</dialogue>\n\
                    <said_at>\n\"2024-05-02\"\n</said_at>\n\
                    <passage>\n\"Ann: I flew it yesterday! [image: a red kite]\"\n</passage>\n";
    assert_eq!(user, expected);
    let alone = CueSubject { passage: subject().passage, ..CueSubject::default() };
    let isolated = settings(CuePrompt::Isolated);
    let expected = "<passage>\n\"Ann: I flew it yesterday! [image: a red kite]\"\n</passage>\n";
    assert_eq!(messages_of(&isolated.request(&subject())).1, expected);
    assert_eq!(isolated.request(&subject()), isolated.request(&alone), "what it does not see changes nothing");
    assert_eq!(messages_of(&settings(CuePrompt::Contextual).request(&alone)).1, expected);
}

#[test]
fn what_is_asked_for_is_fixed_by_the_settings() {
    let request = CueSettings { questions: 7, ..CueSettings::default() }.request(&subject());
    assert_eq!((request.temperature, request.max_tokens), (Some(0.1), Some(1024)));
    let Format::Json(schema) = &request.format else { panic!("{request:?}") };
    let expected = r#"{"type":"object","properties":{"questions":{"type":"array","items":{"type":"string"},"maxItems":7}},"required":["questions"],"additionalProperties":false}"#;
    assert_eq!(schema.schema.to_string(), expected);
    assert!(messages_of(&request).0.contains("Write 7 question(s)"));
}

#[test]
fn settings_out_of_range_are_refused() {
    CueSettings::default().check().unwrap();
    for questions in [0, 11] {
        let message = CueSettings { questions, ..CueSettings::default() }.check().unwrap_err().to_string();
        assert!(message.contains(&format!("found {questions}, expected a number from 1 to 10")), "{message}");
    }
    assert!(CueSettings { max_tokens: 0, ..CueSettings::default() }.check().is_err());
    assert!(CueSettings { temperature: f64::NAN, ..CueSettings::default() }.check().is_err());
}

#[test]
fn questions_are_trimmed_and_those_that_say_nothing_new_left_out() {
    let questions = json!([" Who flew the kite?\n", "", "Who flew the kite?", "  ", "When did Ann fly the kite?"]);
    assert_eq!(read(&questions).unwrap(), ["Who flew the kite?", "When did Ann fly the kite?"]);
    assert_eq!(read(&json!([])).unwrap(), Vec::<String>::new(), "small talk");
    let longest = "é".repeat(300);
    assert_eq!(read(&json!([longest])).unwrap(), [longest]);
}

#[test]
fn what_may_not_be_kept_is_a_fault_and_is_not_repaired() {
    assert_eq!(read(&json!(["a", "b", "c", "d"])), Err(CueFault::TooMany { found: 4, asked: 3 }));
    assert_eq!(read(&json!(["a", "b", "c", "c"])).unwrap().len(), 3);
    assert_eq!(read(&json!(["é".repeat(301)])), Err(CueFault::TooLong { found: 301 }));
    for found in ['\0', '\n', '\u{1b}', '\u{85}', '\u{2028}', '\u{202e}'] {
        assert_eq!(read(&json!([format!("a{found}b")])), Err(CueFault::ControlCharacter { found }));
    }
    for shape in [json!("a"), json!([1]), json!([["a"]]), json!(null), json!([{"question": "a"}])] {
        assert!(matches!(read(&shape), Err(CueFault::Reply(crate::ReplyFault::Shape(_)))), "{shape}");
    }
    let settings = CueSettings::default();
    for whole in [json!({}), json!([]), json!([["a"]]), json!({"questions": [], "note": "x"}), json!({"scores": []})] {
        assert!(settings.read(&Outcome::Json(whole)).is_err());
    }
    assert_eq!(settings.read(&Outcome::Cut("{".into())), Err(CueFault::Reply(crate::ReplyFault::Cut)));
    let message = CueFault::ControlCharacter { found: '\u{1b}' }.to_string();
    assert!(message.contains("U+001B"), "{message}");
    assert!(CueFault::TooLong { found: 301 }.to_string().contains("301 characters: expected 300 at most"));
}

#[test]
fn injections_stay_data() {
    for injection in INJECTIONS {
        let said_at = Some(injection.to_owned());
        let subject = CueSubject { passage: injection.into(), said_at, before: vec![injection.into(); 2] };
        let request = settings(CuePrompt::Contextual).request(&subject);
        let (system, user) = messages_of(&request);
        assert_eq!(system, CuePrompt::Contextual.instruction(3), "nothing that was said is in the instruction");
        assert_eq!(texts_of(user, "passage"), [injection]);
        assert_eq!(texts_of(user, "said_at"), [injection]);
        assert_eq!(texts_of(user, "dialogue"), [injection, injection]);
        assert_eq!(user.lines().count(), 10, "{user}");
    }
}

proptest! {
    #[test]
    fn any_dialogue_keeps_its_blocks(passage in ".*", before in prop::collection::vec("(.|\n|<|\")*", 0..9)) {
        let subject = CueSubject { passage: passage.clone(), said_at: None, before: before.clone() };
        let request = settings(CuePrompt::Contextual).request(&subject);
        let (_, user) = messages_of(&request);
        prop_assert_eq!(texts_of(user, "passage"), [passage]);
        let shown = &before[before.len().saturating_sub(6)..];
        if shown.is_empty() {
            prop_assert!(!user.contains("<dialogue>"));
        } else {
            prop_assert_eq!(block_of(user, "dialogue").len(), shown.len());
            prop_assert_eq!(texts_of(user, "dialogue"), shown);
        }
    }

    #[test]
    fn what_is_read_may_be_kept(questions in prop::collection::vec("[ a-c\n]{0,4}", 0..6)) {
        if let Ok(kept) = read(&json!(questions)) {
            prop_assert!(kept.len() <= 3);
            prop_assert!(kept.iter().all(|question| !question.is_empty() && questions.iter().any(|raw| raw.trim() == question)));
        }
    }
}

#[test]
fn what_somebody_pasted_does_not_fill_the_prompt() {
    let (long, longest) = ("a ".repeat(5_000), "b ".repeat(9_000));
    let subject = CueSubject { passage: longest.clone(), said_at: None, before: vec![long.clone(); 6] };
    let request = CueSettings::default().request(&subject);
    let shown: usize = request.messages.iter().map(|message| message.content.len()).sum();
    assert!(shown < 8_000 + 6 * 1_000 + 4_000, "{shown}");
    let user = &request.messages[1].content;
    assert!(user.contains(&longest[..8_000]) && user.contains(&long[..1_000]));
    assert!(!user.contains(&longest[..8_001]) && !user.contains(&long[..1_001]));
}
