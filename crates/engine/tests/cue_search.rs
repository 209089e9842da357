//! Cue questions beside memories: found by, told apart, gone with them.

use aforesaid::{
    AddedCues, CueDraft, CueIndexing, Error, Explanations, Locality, Memory, Pipeline, SearchResponse, Target, Warning,
    types::*,
};

use crate::bags::*;

fn source() -> CueSource {
    CueSource { model: "test".to_owned(), prompt: "isolated/1".to_owned() }
}

fn draft(id: &str, questions: &[&str]) -> CueDraft {
    let questions = questions.iter().map(|&question| question.to_owned()).collect();
    CueDraft { id: MemoryId::new(id).unwrap(), conversation: None, questions }
}

fn add(memory: &Memory, drafts: &[CueDraft]) -> AddedCues {
    memory.add_cues(&ns("me"), &source(), drafts, CueIndexing::default(), &mut |_| {}).unwrap()
}

fn filled() -> Memory {
    let memory = open("memory:", local());
    memory.add_turns(&ns("me"), history()).unwrap();
    memory
}

fn ask(memory: &Memory, question: &str, pipeline: &str) -> SearchResponse {
    let pipeline: Pipeline = pipeline.parse().unwrap();
    memory.search(&Query::new(ns("me"), question), &pipeline, Explanations::Omit).unwrap()
}

#[test]
fn a_question_finds_the_turn_that_answers_one_like_it() {
    let memory = filled();
    assert!(ask(&memory, "where is the dragon?", "lexical").hits.is_empty());
    let added = add(&memory, &[draft("k1", &["Where is Ann's paper dragon?", "What flies?"]), draft("p1", &[])]);
    assert_eq!((added.added, added.unchanged, added.unknown.len(), added.warnings.len()), (2, 0, 0, 0));
    for pipeline in ["lexical", "hybrid", "cued(0:1, dense)", "bm25(cues=0:1)", "dense(multivec)"] {
        let answer = ask(&memory, "where is the dragon?", pipeline);
        assert_eq!(answer.hits[0].id, "k1", "{pipeline}");
        let compared = pipeline.contains("hybrid") || pipeline == "lexical" || pipeline.starts_with("cued");
        let expected = compared.then_some("Where is Ann's paper dragon?");
        assert_eq!(answer.hits[0].cue.as_deref(), expected, "{pipeline}");
    }
    let sessions = Query { unit: Granularity::Session, ..Query::new(ns("me"), "where is the dragon?") };
    let answer = memory.search(&sessions, &Pipeline::lexical(), Explanations::Omit).unwrap();
    assert_eq!(answer.hits[0].turns[0].id.as_str(), "k1");
    assert_eq!(answer.hits[0].cue.as_deref(), Some("Where is Ann's paper dragon?"));
    // A turn without questions has nothing to say where only they are compared.
    let answer = memory.search(&sessions, &"cued(1:0, bm25)".parse().unwrap(), Explanations::Omit).unwrap();
    let turns: Vec<&str> = answer.hits[0].turns.iter().map(|turn| turn.id.as_str()).collect();
    assert_eq!(turns, ["k1"]);
}

#[test]
fn a_namespace_without_cues_is_searched_as_before() {
    let (memory, bare) = (filled(), "dated(4, zscore(0.55, lexical, dense(max, nameless)))");
    for question in ["who has the red kite?", "when did Ann borrow the ladder?"] {
        for unit in [Granularity::Turn, Granularity::Session] {
            let ranked = |pipeline: &str| {
                let query = Query { unit, ..Query::new(ns("me"), question) };
                let ranking = memory.rank(&query, &pipeline.parse().unwrap()).unwrap();
                ranking.hits.into_iter().map(|hit| (hit.id, hit.score.to_bits())).collect::<Vec<_>>()
            };
            assert_eq!(ranked("hybrid"), ranked(&bare.replace("lexical", LEXICAL)));
        }
    }
}

/// The lexical leg of the default without cues.
const LEXICAL: &str = "bm25(k1=0.9, pairs=0.5, context=0.5:0.5, half=40, speaker=2.5, time=1, question=0.8, brief=0.6, \
                       sessions=1:1, turns=0.4:1)";

#[test]
fn the_same_cues_again_change_nothing() {
    let memory = filled();
    let cues = [draft("k1", &["Where is the dragon?"]), draft("p1", &[])];
    add(&memory, &cues);
    let again = add(&memory, &cues);
    assert_eq!((again.added, again.unchanged), (0, 2));
    let other = add(&memory, &[draft("k1", &["Who flies?"]), draft("zz", &["Nobody's?"])]);
    assert_eq!((other.added, other.unknown), (1, vec![MemoryId::new("zz").unwrap()]));
    assert!(ask(&memory, "where is the dragon?", "lexical").hits.is_empty());
}

#[test]
fn what_cannot_be_kept_is_refused_before_anything_is_written() {
    let memory = filled();
    let long = "x".repeat(1_001);
    let many: Vec<&str> = vec!["Who?"; 65];
    for (questions, named) in [(vec![" "], "empty"), (vec![long.as_str()], "1001 characters"), (many, "65 questions")] {
        let drafts = [draft("p1", &["Where is the soup?"]), draft("k1", &questions)];
        let refused = memory.add_cues(&ns("me"), &source(), &drafts, CueIndexing::default(), &mut |_| {});
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::InvalidCues { .. }) && error.to_string().contains(named), "{error}");
    }
    assert_eq!(memory.cue_stats(&ns("me")).unwrap().memories, 0);
}

#[test]
fn cues_go_with_their_memory_or_when_they_are_dropped() {
    let memory = filled();
    add(&memory, &[draft("k1", &["Where is the dragon?"]), draft("p1", &["Where is the unicorn?"])]);
    let k1 = aforesaid::store::MemoryRef { id: MemoryId::new("k1").unwrap(), conversation: None };
    assert_eq!(memory.forget(&ns("me"), &Target::One(k1)).unwrap().cues, 1);
    assert!(ask(&memory, "where is the dragon?", "lexical").hits.is_empty());
    assert_eq!(ask(&memory, "where is the unicorn?", "lexical").hits.len(), 1);
    let dropped = memory.drop_cues(&ns("me"), &Scope::default()).unwrap();
    assert_eq!((dropped.memories, dropped.questions, dropped.vectors), (1, 1, 1));
    assert!(ask(&memory, "where is the unicorn?", "lexical").hits.is_empty());
}

#[test]
fn nothing_leaves_the_machine_that_is_sensitive() {
    let bags = Bags::new("bags@1/f32", Locality::Remote);
    let memory = open("memory:", std::sync::Arc::clone(&bags));
    let note = |id: &str, sensitivity| Note {
        id: Some(MemoryId::new(id).unwrap()),
        conversation: None,
        text: format!("note {id}"),
        said_at: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity,
        source: Vec::new(),
    };
    memory.add_note(&ns("me"), note("secret", Sensitivity::Sensitive)).unwrap();
    memory.add_note(&ns("me"), note("plain", Sensitivity::Ordinary)).unwrap();
    let both = CueIndexing { questions: true, passage: true };
    let cues = [draft("secret", &["What is hidden?"]), draft("plain", &["What is plain?"])];
    memory.add_cues(&ns("me"), &source(), &cues, both, &mut |_| {}).unwrap();
    let seen = bags.seen.lock().unwrap().join("\n");
    assert!(seen.contains("What is plain?") && !seen.contains("hidden") && !seen.contains("secret"), "{seen}");
    assert_eq!(ask(&memory, "what is hidden?", "lexical").hits[0].id, "secret", "its words are searched here");
}

#[test]
fn without_an_encoder_cues_are_found_by_words_and_get_vectors_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db").display().to_string();
    let without = Memory::builder().open(&path).unwrap();
    without.add_turns(&ns("me"), history()).unwrap();
    let added = add(&without, &[draft("k1", &["Where is the dragon?", "What flies?"])]);
    assert!(matches!(added.warnings[..], [Warning::StoredWithoutVectors { .. }]), "{:?}", added.warnings);
    assert_eq!(ask(&without, "where is the dragon?", "lexical").hits[0].id, "k1");
    drop(without);
    let memory = open(&path, local());
    let made = memory.reembed(&ns("me"), aforesaid::IdleVectors::Keep, &mut |_| {}).unwrap();
    assert_eq!(made.embedded, history().len() + 2);
    assert_eq!(memory.cue_stats(&ns("me")).unwrap().vectors.values().sum::<u64>(), 2);
    assert_eq!(ask(&memory, "where is the dragon?", "cued(0:1, dense)").hits[0].id, "k1");
}

#[test]
fn forgotten_cues_are_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let memory = open(&path.display().to_string(), local());
    memory.add_turns(&ns("me"), history()).unwrap();
    add(&memory, &[draft("k1", &["Where is the xylophone?"]), draft("p1", &["Where is the zeppelin?"])]);
    memory.prepare(&ns("me"), &Pipeline::hybrid()).unwrap();
    let k1 = aforesaid::store::MemoryRef { id: MemoryId::new("k1").unwrap(), conversation: None };
    memory.forget(&ns("me"), &Target::One(k1)).unwrap();
    memory.drop_cues(&ns("me"), &Scope::default()).unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        for word in ["xylophon", "zeppelin"] {
            let found = bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()));
            assert!(!found, "{word} is still in a file");
        }
    }
}

#[test]
fn cues_are_visited_with_their_memories() {
    let memory = filled();
    add(&memory, &[draft("k1", &["Where is the dragon?"])]);
    let mut seen = Vec::new();
    memory.visit_cues(&ns("me"), &Scope::default(), &mut |cued| seen.push(cued)).unwrap();
    assert_eq!(seen.len(), history().len());
    let with: Vec<_> = seen.into_iter().filter_map(|cued| Some((cued.memory.id, cued.cues?))).collect();
    assert_eq!(with.len(), 1);
    assert_eq!((with[0].0.as_str(), with[0].1.questions.len(), &with[0].1.source), ("k1", 1, &source()));
}
