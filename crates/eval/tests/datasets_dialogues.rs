//! The dialogues: made-up files, and the data set in this repository.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs,
    path::{Path, PathBuf},
};

use aforesaid::types::{Draft, Granularity};
use aforesaid_eval::datasets::{Benchmark, DataSet, Entry};
use serde_json::Value;

use crate::folder::{assert_refused, excluded, fixture, memories, question, remarks, unresolved};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The data set as it is in this repository.
fn checkout() -> PathBuf {
    repository().join(DataSet::Dialogues.in_repository().unwrap())
}

fn asked(benchmark: &Benchmark) -> BTreeSet<&str> {
    let excluded = benchmark.ledger.excluded.values().flatten().map(|excluded| excluded.question.as_str());
    benchmark.questions().map(|question| question.id.as_str()).chain(excluded).collect()
}

#[test]
fn a_folder_of_conversations_is_read() {
    let benchmark = DataSet::Dialogues.load(&fixture("dialogues"), Granularity::Turn).unwrap();
    assert_eq!(
        memories(&benchmark, "ferry"),
        [
            "S1/S1:1@2025-01-10T08:00:00Z Ilse: When does the last boat leave?",
            "S1/S1:2@2025-01-10T08:01:00Z Assistant: At 17:40.",
            "S2/S2:1@2025-02-01T08:00:00Z Ilse: I missed it.",
        ]
    );
    let Draft::Turn(first) = &benchmark.groups[0].memories[0] else { panic!("a turn") };
    assert_eq!(first.title.as_deref(), Some("Winter timetable"));
    let relative = question(&benchmark, "ferry::ferry-f1");
    assert_eq!((relative.gold.join(" "), relative.category.as_deref()), ("S2:1 S1:1".into(), Some("relative_date")));
    assert_eq!(relative.now.as_deref(), Some("2025-03-01T09:00+01:00"));
    assert_eq!(question(&benchmark, "ferry::ferry-q1").now.as_deref(), Some("2025-02-02T08:00:00Z"), "a day later");
    assert_eq!(excluded(&benchmark, "abstention"), ["ferry::ferry-f3", "ferry::ferry-q2"]);
    assert!(benchmark.abstentions("ferry").any(|excluded| excluded.now.is_some()));
    assert_eq!(unresolved(&benchmark), [("quarry::quarry-q2", "S9:1")]);

    let sessions = DataSet::Dialogues.load(&fixture("dialogues"), Granularity::Session).unwrap();
    assert_eq!(question(&sessions, "ferry::ferry-f1").gold, ["S2", "S1"]);
}

#[test]
fn a_side_is_the_conversations_or_the_questions_own() {
    let side = |dataset: DataSet| dataset.load(&fixture("dialogues"), Granularity::Turn).unwrap();
    let (dev, test) = (side(DataSet::DialoguesDev), side(DataSet::DialoguesTest));
    assert_eq!(asked(&dev), BTreeSet::from(["ferry::ferry-f2", "ferry::ferry-q1", "ferry::ferry-q2"]));
    let tested = ["ferry::ferry-f1", "ferry::ferry-f3", "quarry::quarry-q1", "quarry::quarry-q2"];
    assert_eq!(asked(&test), BTreeSet::from(tested));
    assert_eq!(remarks(&dev, "history without questions"), ["quarry"]);
    assert_eq!((dev.dataset.as_str(), test.dataset.as_str()), ("dialogues-dev", "dialogues-test"));
    assert_eq!(dev.groups[0].memories, test.groups[0].memories);

    let benchmark = side(DataSet::Dialogues);
    let splits = DataSet::Dialogues.splits(&fixture("dialogues"), &benchmark).unwrap();
    let split = &splits.by_seed[&1];
    assert_eq!(
        (&split.train[..], &split.dev[..], &split.test[..]),
        (&["ferry".into()][..], &["ferry".into()][..], &["quarry".into()][..])
    );
}

#[test]
fn errors_name_the_line_and_the_field() {
    const SPLITS: &str = r#"{"1": {"dev": ["a"], "test": ["b"]}}"#;
    const TURN: &str = r#"{"id": "S1:1", "conversation": "a", "session": "S1", "speaker": "Ola", "said_at": "2025-01-10", "text": "Hi.", "q": []}"#;
    const ASKED: &str = r#"{"id": "a-q1", "query": "Who?", "gold_ids": ["S1:1"], "category": "single"}"#;
    let b = TURN.replace("\"a\"", "\"b\"");
    let refused = |splits: &str, turn: &str, questions: &str, further: &str, parts: &[&str]| {
        let files = [
            ("splits.json", splits),
            ("a.jsonl", turn),
            ("b.jsonl", &b),
            ("a.questions.jsonl", questions),
            ("a.further.jsonl", further),
        ];
        assert_refused(DataSet::Dialogues, Granularity::Turn, &files, parts);
    };
    let turn = |from: &str, to: &str, parts: &[&str]| refused(SPLITS, &TURN.replacen(from, to, 1), ASKED, "", parts);
    turn("\"a\"", "\"z\"", &["a.jsonl, line 1", "\"conversation\" is \"z\"", "\"a\""]);
    turn("2025-01-10", "soon", &["a.jsonl, line 1", "\"said_at\" is \"soon\"", "ISO 8601"]);
    turn("\"q\"", "\"cues\"", &["a.jsonl, line 1", "cues", "a turn of the dialogues"]);
    turn("}", "}\n{", &["a.jsonl, line 2"]);
    refused(SPLITS, &format!("{TURN}\n{TURN}"), ASKED, "", &["a.jsonl", "memory \"S1:1\" is there already"]);

    let sided = ASKED.replace("\"single\"", "\"single\", \"side\": \"dev\"");
    refused(SPLITS, TURN, &sided, "", &["a.questions.jsonl, line 1", "\"side\"", "splits.json"]);
    refused(SPLITS, TURN, "", ASKED, &["a.further.jsonl, line 1", "\"side\"", "dev or test"]);
    refused(SPLITS, TURN, ASKED, &sided.replace("dev", "left"), &["a.further.jsonl, line 1", "left"]);
    refused(SPLITS, TURN, ASKED, &sided, &["a.questions.jsonl, line 1", "\"a::a-q1\" is there already"]);
    refused(SPLITS, TURN, &format!("{ASKED}\n{ASKED}"), "", &["a.questions.jsonl, line 2", "is there already"]);
    refused(SPLITS, TURN, &ASKED.replace("Who?", " "), "", &["a.questions.jsonl, line 1", "is blank"]);
    let now = ASKED.replace("\"single\"", "\"single\", \"now\": \"today\"");
    refused(SPLITS, TURN, &now, "", &["a.questions.jsonl, line 1", "\"now\" is \"today\"", "ISO 8601"]);

    refused(r#"{"1": {"dev": ["a"], "test": ["z"]}}"#, TURN, ASKED, "", &["splits.json, seed 1", "\"z\""]);
    let trained = r#"{"1": {"train": ["b"], "dev": ["a"], "test": ["b"]}}"#;
    refused(trained, TURN, ASKED, "", &["splits.json, seed 1", "group \"b\" is there already"]);
    refused("{}", TURN, ASKED, "", &["splits.json", "at least one seed"]);

    let files = [("splits.json", SPLITS), ("a.jsonl", TURN), ("c.questions.jsonl", ASKED)];
    assert_refused(DataSet::Dialogues, Granularity::Turn, &files, &["c.questions.jsonl", "\"c\"", "c.jsonl beside it"]);
    let files = [("a.jsonl", TURN), ("a.questions.jsonl", ASKED)];
    assert_refused(DataSet::Dialogues, Granularity::Turn, &files, &["splits.json", "datasets/dialogues of the"]);
}

#[test]
fn the_repository_holds_the_whole_data_set() {
    let folder = checkout();
    let all = DataSet::Dialogues.load(&folder, Granularity::Turn).unwrap();
    assert!(all.groups.len() >= 24, "{}", all.groups.len());
    assert!(all.ledger.unresolved.is_empty(), "{:?}", all.ledger.unresolved);
    assert_eq!(all.ledger.excluded.keys().copied().collect::<Vec<_>>(), ["abstention"], "gold is missing elsewhere");
    let remarked: Vec<_> = all.ledger.remarks.keys().filter(|kind| **kind != "repeated question").collect();
    assert!(remarked.is_empty(), "{:?}", all.ledger.remarks);
    let unanswerable = categories(&folder).into_iter().filter(|(_, category, _)| category == "unanswerable");
    let unanswerable: HashSet<String> = unanswerable.map(|(id, ..)| id).collect();
    let abstentions = &all.ledger.excluded["abstention"];
    let named = |id: &str| id.split_once("::").is_some_and(|(_, name)| unanswerable.contains(name));
    assert!(abstentions.iter().all(|left| named(&left.question)) && abstentions.len() == unanswerable.len());

    let (dev, test) = (
        DataSet::DialoguesDev.load(&folder, Granularity::Turn).unwrap(),
        DataSet::DialoguesTest.load(&folder, Granularity::Turn).unwrap(),
    );
    assert!(asked(&dev).is_disjoint(&asked(&test)));
    assert_eq!(asked(&dev).len() + asked(&test).len(), asked(&all).len());
    let sessions = DataSet::Dialogues.load(&folder, Granularity::Session).unwrap();
    assert_eq!(sessions.questions().count(), all.questions().count());

    let split = &DataSet::Dialogues.splits(&folder, &all).unwrap().by_seed[&1];
    assert_eq!(split.dev.len() + split.test.len(), all.groups.len(), "every conversation is on a side");
    let trained: HashSet<_> = split.train.iter().collect();
    assert!(split.test.iter().all(|group| !trained.contains(group)));
}

#[test]
fn ids_in_the_repository_are_unique_and_sides_are_halves() {
    let questions = categories(&checkout());
    let ids: HashSet<&str> = questions.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(ids.len(), questions.len());
    // By category, dev less test.
    let mut balance: BTreeMap<&str, i32> = BTreeMap::new();
    for (id, category, side) in &questions {
        let Some(side) = side else { continue };
        assert!(id.contains("-f"), "{id}: a side is for further questions");
        *balance.entry(category).or_default() += if side == "dev" { 1 } else { -1 };
    }
    assert!(balance.len() >= 13, "{balance:?}");
    let odd: Vec<_> = balance.iter().filter(|(_, difference)| difference.abs() > 1).collect();
    assert!(odd.is_empty(), "dev and test differ by more than one: {odd:?}");
}

/// Id, category and side of every question of the folder.
fn categories(folder: &Path) -> Vec<(String, String, Option<String>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".questions.jsonl") && !name.ends_with(".further.jsonl") {
            continue;
        }
        for line in fs::read_to_string(&path).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = |field: &str| line[field].as_str().map(str::to_owned);
            all.push((text("id").unwrap(), text("category").unwrap(), text("side")));
        }
    }
    all
}

#[test]
fn conversations_to_learn_from_have_no_sides_and_none_is_measured_on() {
    let folder = repository().join(DataSet::Conversations.in_repository().unwrap());
    let all = DataSet::Conversations.load(&folder, Granularity::Turn).unwrap();
    assert_eq!(all.dataset, "conversations");
    assert!(all.ledger.unresolved.is_empty(), "{:?}", all.ledger.unresolved);
    let measured = DataSet::Dialogues.load(&checkout(), Granularity::Turn).unwrap();
    let names = |benchmark: &Benchmark| benchmark.groups.iter().map(|group| group.id.clone()).collect::<HashSet<_>>();
    assert!(names(&all).is_disjoint(&names(&measured)));
    assert!(DataSet::Conversations.splits(&folder, &all).is_err(), "there is nothing to divide");
    let cues = DataSet::Conversations.cues(&folder).unwrap();
    assert!(all.groups.iter().all(|group| !cues.of(&group.id).is_empty()));

    let files = [("conversations/notes.txt", "none")];
    assert_refused(
        DataSet::Conversations,
        Granularity::Turn,
        &files,
        &[".jsonl files", "datasets/conversations of the"],
    );
}

#[test]
fn histories_with_an_assistant_are_none_that_anything_learned_from() {
    let folder = repository().join(DataSet::Assistants.in_repository().unwrap());
    let all = DataSet::Assistants.load(&folder, Granularity::Turn).unwrap();
    assert_eq!((all.dataset.as_str(), all.groups.len()), ("assistants", 11));
    assert!(all.ledger.unresolved.is_empty(), "{:?}", all.ledger.unresolved);
    let learned = repository().join(DataSet::Conversations.in_repository().unwrap());
    let learned = DataSet::Conversations.load(&learned, Granularity::Turn).unwrap();
    let names = |benchmark: &Benchmark| benchmark.groups.iter().map(|group| group.id.clone()).collect::<HashSet<_>>();
    assert!(names(&all).is_disjoint(&names(&learned)));
    assert!(all.groups.iter().all(|group| group.questions.len() >= 48));
}

#[test]
fn conversations_to_rank_from_are_none_that_an_encoder_learned_from() {
    let folder = |dataset: DataSet| repository().join(dataset.in_repository().unwrap());
    let all = DataSet::Ranking.load(&folder(DataSet::Ranking), Granularity::Turn).unwrap();
    assert_eq!((all.dataset.as_str(), all.groups.len()), ("ranking", 16));
    assert!(all.ledger.unresolved.is_empty(), "{:?}", all.ledger.unresolved);
    let names = |benchmark: &Benchmark| benchmark.groups.iter().map(|group| group.id.clone()).collect::<HashSet<_>>();
    for other in [DataSet::Conversations, DataSet::Dialogues, DataSet::Assistants] {
        let other = other.load(&folder(other), Granularity::Turn).unwrap();
        assert!(names(&all).is_disjoint(&names(&other)), "{}", other.dataset);
    }
    let cues = DataSet::Ranking.cues(&folder(DataSet::Ranking)).unwrap();
    assert!(all.groups.iter().all(|group| !cues.of(&group.id).is_empty() && group.questions.len() >= 72));
}

#[test]
fn chats_in_other_languages_are_none_that_anything_learned_from() {
    let folder = |dataset: DataSet| repository().join(dataset.in_repository().unwrap());
    let all = DataSet::Languages.load(&folder(DataSet::Languages), Granularity::Turn).unwrap();
    assert_eq!((all.dataset.as_str(), all.groups.len()), ("languages", 6));
    assert!(all.ledger.unresolved.is_empty(), "{:?}", all.ledger.unresolved);
    let names = |benchmark: &Benchmark| benchmark.groups.iter().map(|group| group.id.clone()).collect::<HashSet<_>>();
    for other in [DataSet::Conversations, DataSet::Ranking, DataSet::Dialogues] {
        let other = other.load(&folder(other), Granularity::Turn).unwrap();
        assert!(names(&all).is_disjoint(&names(&other)), "{}", other.dataset);
    }
    assert!(all.groups.iter().all(|group| group.memories.len() >= 180 && group.questions.len() == 41));
    let cues = DataSet::Languages.cues(&folder(DataSet::Languages)).unwrap();
    assert!(all.groups.iter().all(|group| cues.of(&group.id).is_empty()), "its turns have no cue questions");
}

#[test]
fn the_catalogue_says_that_it_is_here() {
    let dialogues = [DataSet::Dialogues, DataSet::DialoguesDev, DataSet::DialoguesTest];
    let others = [
        DataSet::Conversations,
        DataSet::Ranking,
        DataSet::Assistants,
        DataSet::Languages,
        DataSet::OneUser,
        DataSet::ThreeStores,
    ];
    for dataset in dialogues.into_iter().chain(others) {
        let Entry { licence, files, place, .. } = dataset.entry();
        assert_eq!((*licence, files.len()), ("CC0-1.0", 0));
        let folder = dataset.in_repository().unwrap();
        assert!(place.contains(&folder.display().to_string()));
        assert!(folder.ends_with(dataset.folder()));
        // Found from the root of the repository, too.
        assert_eq!(
            dataset.fingerprint(&repository()).unwrap(),
            dataset.fingerprint(&repository().join(folder)).unwrap()
        );
    }
    assert_eq!(DataSet::Locomo.in_repository(), None);
}

#[test]
fn the_store_of_one_person_is_one_history_whose_answers_are_all_there() {
    let folder = repository().join(DataSet::OneUser.in_repository().unwrap());
    let all = DataSet::OneUser.load(&folder, Granularity::Turn).unwrap();
    assert_eq!((all.dataset.as_str(), all.groups.len()), ("one-user", 1));
    assert!(all.ledger.unresolved.is_empty() && all.ledger.remarks.is_empty(), "{:?}", all.ledger);
    assert_eq!((all.groups[0].memories.len(), all.groups[0].questions.len()), (578, 111));
    assert_eq!(all.abstentions("marek").count(), 16);
    assert!(all.groups[0].questions.iter().all(|question| question.now.is_some()));
    assert!(!DataSet::OneUser.has_cues(&folder).unwrap(), "its turns have no cue questions");
    assert_eq!(DataSet::OneUser.load(&repository(), Granularity::Session).unwrap().groups[0].questions.len(), 111);
}

#[test]
fn the_three_stores_know_nothing_of_each_other_and_all_gold_is_there() {
    let folder = repository().join(DataSet::ThreeStores.in_repository().unwrap());
    let all = DataSet::ThreeStores.load(&folder, Granularity::Turn).unwrap();
    assert!(all.ledger.unresolved.is_empty() && all.ledger.remarks.is_empty(), "{:?}", all.ledger);
    let found = all.groups.iter().map(|group| {
        (group.id.as_str(), group.memories.len(), group.questions.len(), all.abstentions(&group.id).count())
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        [("team", 192, 96, 8), ("assistant", 160, 187, 16), ("family", 536, 213, 12)]
    );
    assert!(all.questions().all(|question| question.now.is_some()));
}
