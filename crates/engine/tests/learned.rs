//! The learned stage of a pipeline: what it does to an order, and that a ranker that does not fit is left out and named.

use std::sync::Arc;

use aforesaid::{
    Explanations, Memory, Pipeline, SearchResponse, Warning,
    pipeline::candidate::{Branch, CandidateRanker, CandidateStage, FEATURES, RankerRecord, Side, Tree},
    types::*,
};

use crate::bags::{local, ns, open, turn};

fn memory() -> Memory {
    let memory = open("memory:", local());
    let said = |id: &str, text: &str| turn("talk", "s1", id, "Ann", text);
    let turns = vec![
        said("asks", "Is the red kite in the chestnut tree?"),
        said("tells", "The red kite lies in the attic, beside the sledge and the skates of my brother."),
        said("other", "We had soup and bread at noon."),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    memory
}

/// A ranker that sets what asks a long way up.
fn ranker(pipeline: &Pipeline, encoder: &str) -> CandidateRanker {
    let asking = FEATURES.iter().position(|feature| feature.name == "asking").unwrap() as u16;
    let children = Box::new([Branch::Leaf { value: 0.0 }, Branch::Leaf { value: 9.0 }]);
    let tree = Branch::Split { feature: asking, threshold: 0.5, missing: Side::Left, value: 3.0, children };
    let record = RankerRecord {
        pipeline: pipeline.to_string(),
        encoder: encoder.to_owned(),
        trained_on: vec!["nothing".to_owned()],
        questions: 0,
        seed: 0,
        base_weight: 1.0,
        among_people: false,
        plain_queries: false,
    };
    CandidateRanker::new(record, vec![Tree::new(&tree)])
}

fn encoder_of_bags() -> String {
    CandidateRanker::encoder_of(&local().id).to_owned()
}

fn search(stage: Option<CandidateStage>, unit: Granularity) -> SearchResponse {
    let pipeline = stage.into_iter().fold(Pipeline::hybrid(), Pipeline::with_stage);
    let query = Query { unit, ..Query::new(ns("me"), "where is the red kite") };
    memory().search(&query, &pipeline, Explanations::Include).unwrap()
}

fn learned() -> CandidateStage {
    CandidateStage::Ranker(Arc::new(ranker(&Pipeline::hybrid(), &encoder_of_bags())))
}

fn ids(found: &SearchResponse) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.id.as_str()).collect()
}

#[test]
fn a_ranker_changes_the_order_and_says_what_each_feature_adds() {
    let (before, after) = (search(None, Granularity::Turn), search(Some(learned()), Granularity::Turn));
    assert_eq!((ids(&before)[0], ids(&after)[0]), ("tells", "asks"), "{:?}", after.warnings);
    assert_eq!(after.warnings, before.warnings);
    let told = after.hits.last().unwrap().explain.as_ref().unwrap();
    assert!(told.label.starts_with("candidate ranker "), "{told}");
    let asking = after.hits.iter().find(|hit| hit.id == "asks").unwrap().explain.as_ref().unwrap();
    let share = asking.parts.iter().find(|part| part.label.starts_with("asking 1.000")).unwrap();
    assert!((share.value - 6.0).abs() < 1e-9, "{asking}");
    let sum: f64 = asking.parts.iter().map(|part| part.value).sum();
    assert!((sum - asking.value).abs() < 1e-6, "{asking}");
}

#[test]
fn a_ranker_that_learned_without_a_query_adapter_ranks_with_one_and_not_the_other_way_round() {
    let skipped = |learned_with: Pipeline, searched: Pipeline| {
        let stage = CandidateStage::Ranker(Arc::new(ranker(&learned_with, &encoder_of_bags())));
        let query = Query::new(ns("me"), "where is the red kite");
        let found = memory().search(&query, &searched.with_stage(stage), Explanations::Include).unwrap();
        found.warnings.iter().any(|warning| matches!(warning, Warning::RankerSkipped { .. }))
    };
    assert!(!skipped(Pipeline::hybrid(), Pipeline::hybrid().with_query_adapter("any")));
    assert!(skipped(Pipeline::hybrid().with_query_adapter("any"), Pipeline::hybrid()));
    assert!(skipped(Pipeline::hybrid().with_query_adapter("any"), Pipeline::hybrid().with_query_adapter("other")));
}

#[test]
fn why_reports_the_stage() {
    let (memory, pipeline) = (memory(), Pipeline::hybrid().with_stage(learned()));
    let query = Query::new(ns("me"), "where is the red kite");
    let report = memory.why(&query, &pipeline, "asks").unwrap().report.unwrap();
    let last = report.stages.last().unwrap();
    assert_eq!(last.stage, "learned");
    let sum: f64 = report.shares.iter().map(|(_, adds)| adds).sum();
    assert!((sum - last.hit.score).abs() < 1e-9, "{:?}", report.shares);
}

#[test]
fn a_ranker_that_does_not_fit_leaves_the_order_and_says_why() {
    let before = search(None, Granularity::Turn);
    let other_pipeline = ranker(&Pipeline::fast(), &encoder_of_bags());
    let other_encoder = ranker(&Pipeline::hybrid(), "minilm@1");
    let written = learned().ranker().unwrap().write();
    let stages = [
        (CandidateStage::Ranker(Arc::new(other_pipeline)), "it was trained on the pipeline"),
        (CandidateStage::Ranker(Arc::new(other_encoder)), "it was trained with the encoder minilm@1"),
        (CandidateStage::read("mine", &written.as_bytes()[..written.len() - 5]), "damaged"),
        (CandidateStage::shipped(), "it was trained on the pipeline"),
    ];
    for (stage, named) in stages {
        let found = search(Some(stage), Granularity::Turn);
        assert_eq!(ids(&found), ids(&before));
        let scores = |found: &SearchResponse| found.hits.iter().map(|hit| hit.score).collect::<Vec<f64>>();
        assert_eq!(scores(&found), scores(&before));
        let [Warning::RankerSkipped { reason }] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
        assert!(reason.contains(named), "{reason}");
    }
}

/// Sessions: the first tells where the kite is, a turn of the second asks for it, and the third is about other things.
fn three_sessions() -> Memory {
    let memory = open("memory:", local());
    let said = |session: &str, id: &str, text: &str| turn("talk", session, id, "Ann", text);
    let turns = vec![
        said("s1", "tells", "The red kite lies in the attic, beside the sledge and the skates of my brother."),
        said("s1", "soup", "We had soup and bread at noon."),
        said("s2", "asks", "Is the red kite in the chestnut tree?"),
        said("s2", "rain", "It rained the whole day."),
        said("s3", "train", "My train leaves at seven."),
        said("s3", "stone", "A stone fell from the church."),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    memory
}

fn sessions(stage: Option<CandidateStage>) -> SearchResponse {
    let pipeline = stage.into_iter().fold(Pipeline::hybrid(), Pipeline::with_stage);
    let query = Query { unit: Granularity::Session, ..Query::new(ns("me"), "where does the red kite lie") };
    three_sessions().search(&query, &pipeline, Explanations::Include).unwrap()
}

#[test]
fn sessions_are_ranked_by_their_best_turns_too() {
    let (before, after) = (sessions(None), sessions(Some(learned())));
    assert_eq!((ids(&before)[0], ids(&after)[0]), ("s1", "s2"), "{:?}", after.warnings);
    assert_eq!(after.warnings, before.warnings);
    for hit in &after.hits {
        let told = hit.explain.as_ref().unwrap();
        assert_eq!(told.label, "session by its best turn");
        let sum: f64 = told.parts.iter().map(|part| part.value).sum();
        assert!((sum - hit.score).abs() < 1e-9 && told.parts.len() == 2, "{told}");
        let of_turn = &told.parts[1].parts[0];
        assert!(of_turn.label.starts_with("candidate ranker "), "{told}");
    }
    let asks = after.hits[0].explain.as_ref().unwrap();
    assert!(asks.to_string().contains("asking 1.000"), "{asks}");
}

#[test]
fn why_reports_the_stage_of_a_session() {
    let (memory, pipeline) = (three_sessions(), Pipeline::hybrid().with_stage(learned()));
    let query = Query { unit: Granularity::Session, ..Query::new(ns("me"), "where does the red kite lie") };
    let report = memory.why(&query, &pipeline, "s2").unwrap().report.unwrap();
    let last = report.stages.last().unwrap();
    assert_eq!((last.stage, last.hit.rank), ("learned", 1));
    let sum: f64 = report.shares.iter().map(|(_, adds)| adds).sum();
    assert!((sum - last.hit.score).abs() < 1e-9, "{:?}", report.shares);
}

#[test]
fn sessions_are_left_as_they_are_by_a_ranker_that_does_not_fit() {
    let other = CandidateStage::Ranker(Arc::new(ranker(&Pipeline::hybrid(), "minilm@1")));
    let (before, after) = (sessions(None), sessions(Some(other)));
    let scores = |found: &SearchResponse| found.hits.iter().map(|hit| hit.score).collect::<Vec<f64>>();
    assert_eq!((ids(&after), scores(&after)), (ids(&before), scores(&before)));
    let [Warning::RankerSkipped { reason }] = &after.warnings[..] else { panic!("{:?}", after.warnings) };
    assert!(reason.contains("it was trained with the encoder minilm@1"), "{reason}");
}

/// The memory of the kite, and a chat with an assistant in another conversation.
fn with_a_chat() -> Memory {
    let memory = memory();
    let said = |id: &str, speaker: &str, text: &str| turn("chat", "c1", id, speaker, text);
    let turns = vec![
        said("wishes", "user", "How do I mend a kite of paper?"),
        said("helps", "assistant", "Glue a strip of the same paper over the tear, and let it dry flat."),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    memory
}

#[test]
fn a_ranker_for_people_is_left_out_where_an_assistant_speaks() {
    let memory = with_a_chat();
    let mut of_people = ranker(&Pipeline::hybrid(), &encoder_of_bags());
    of_people.record.among_people = true;
    let pipeline = Pipeline::hybrid().with_stage(CandidateStage::Ranker(Arc::new(of_people)));
    let search = |pipeline: &Pipeline, scope: Scope| {
        let query = Query { scope, ..Query::new(ns("me"), "where is the red kite") };
        memory.search(&query, pipeline, Explanations::Omit).unwrap()
    };
    let (before, after) = (search(&Pipeline::hybrid(), Scope::default()), search(&pipeline, Scope::default()));
    assert_eq!(ids(&after), ids(&before));
    let [Warning::RankerSkipped { reason }] = &after.warnings[..] else { panic!("{:?}", after.warnings) };
    assert!(reason.contains("an assistant speaks"), "{reason}");

    let among_people = Scope { conversation: Some(ConversationId::new("talk").unwrap()), ..Scope::default() };
    let after = search(&pipeline, among_people.clone());
    assert_eq!((ids(&after)[0], &after.warnings[..]), ("asks", &[][..]));

    // What is shown of a session does not change who speaks in it.
    let users = MemoryFilter { speakers: vec!["user".to_owned()], ..MemoryFilter::default() };
    let after = search(&pipeline, Scope { filter: users, ..Scope::default() });
    assert!(matches!(after.warnings[..], [Warning::RankerSkipped { .. }]), "{:?}", after.warnings);
}

#[test]
fn what_ships_learned_says_why_it_rests_only_where_orders_are_explained() {
    let query = Query::new(ns("me"), "where is the red kite");
    let search = |explanations| memory().search(&query, &Pipeline::default(), explanations).unwrap();
    assert_eq!(search(Explanations::Omit).warnings, []);
    let explained = search(Explanations::Include);
    let [Warning::QueryAdapterMissing { adapter, .. }, Warning::RankerSkipped { reason }] = &explained.warnings[..]
    else {
        panic!("{:?}", explained.warnings)
    };
    assert_eq!(adapter, "dialogues");
    assert!(reason.contains("all-MiniLM-L6-v2"), "{reason}");
    let hybrid = memory().search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap();
    assert_eq!(ids(&explained), ids(&hybrid));
}
