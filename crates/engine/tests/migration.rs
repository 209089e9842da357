//! Namespaces moved between stores: SQLite, PostgreSQL and back, with everything they have.

use std::ops::ControlFlow;

use aforesaid::{
    CueDraft, CueIndexing, Error, ErrorKind, Explanations, IdleVectors, Locality, Memory, MigratedNamespace,
    MigrationOutcome, Pipeline, Target, formats::*, store::*, types::*,
};
use aforesaid_postgres_server::server;

use crate::bags::*;

const CONVERSATION: &str = include_str!("../../cli/demo/conversation.jsonl");
const QUESTIONS: &str = include_str!("../../cli/demo/questions.jsonl");

fn go_on(_: aforesaid::MigrationProgress<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn moved(from: &Memory, to: &Memory, name: &str) -> MigratedNamespace {
    let moved = from.migrate(to, &ns(name), &mut go_on).unwrap();
    assert!(matches!(moved.outcome, MigrationOutcome::Complete | MigrationOutcome::Unchanged), "{moved:?}");
    moved
}

fn id(id: &str) -> MemoryRef {
    MemoryRef { id: MemoryId::new(id).unwrap(), conversation: None }
}

fn source(stem: &str) -> Source<'_> {
    Source { file: "f", stem, conversation: None, captions: Captions::Keep, zone: None }
}

fn cues(memory: &Memory, model: &str, of: &[(&str, &[&str])], indexing: CueIndexing) {
    let source = CueSource { model: model.to_owned(), prompt: "plain/1".to_owned() };
    let drafts: Vec<CueDraft> = of
        .iter()
        .map(|(id, questions)| CueDraft {
            id: MemoryId::new(*id).unwrap(),
            conversation: None,
            questions: questions.iter().map(|question| (*question).to_owned()).collect(),
        })
        .collect();
    let added = memory.add_cues(&ns("demo"), &source, &drafts, indexing, &mut |_| {}).unwrap();
    assert!(added.unknown.is_empty());
}

/// A namespace with some of everything: titles, notes, long turns, marks, cues by two writers, two sets of vectors, and
/// gaps of what was forgotten.
fn fill(memory: &Memory) {
    let name = ns("demo");
    memory.import(&name, Some(Format::Jsonl), CONVERSATION.as_bytes(), &source("demo"), &mut |_| {}).unwrap();
    let titled = Turn { title: Some("Kites, \"red\"".to_owned()), ..turn("kites", "k", "k1", "Ann", "A red kite.") };
    let numbered = Turn { id: None, ..turn("kites", "k", "-", "Bob", "It is\0 in the tree.") };
    memory.add_turns(&name, vec![titled, numbered]).unwrap();
    let note = |text: &str, conversation: Option<&str>| Note {
        id: None,
        conversation: conversation.map(|name| ConversationId::new(name).unwrap()),
        text: text.to_owned(),
        said_at: Some("2025-03-01T10:00:00Z".parse().unwrap()),
        importance: Importance::new(0.875).unwrap(),
        tags: vec!["b".to_owned(), "a".to_owned()],
        sensitivity: Sensitivity::Sensitive,
        source: vec![MemoryId::new("k1").unwrap()],
    };
    for (text, conversation) in [("Ann likes kites.", Some("kites")), ("It rains.", None)] {
        memory.add_note(&name, note(text, conversation)).unwrap();
    }
    let both = CueIndexing { questions: true, passage: true };
    cues(memory, "someone", &[("S5:4", &["Does Maya drink coffee?", "Where was the cup?"]), ("S5:5", &[])], both);
    cues(memory, "another", &[("k1", &["What is red?"]), ("S2:4", &["When is the marathon?"])], both);
    // Cues that were replaced, a session and a note that are gone: their numbers are not given again.
    cues(memory, "another", &[("S2:4", &["Which race is it?"])], both);
    memory.forget(&name, &Target::One(id("S1:2"))).unwrap();
    let kites = Some(ConversationId::new("kites").unwrap());
    memory.forget(&name, &Target::One(MemoryRef { conversation: kites, ..id("note:1") })).unwrap();
    let session = Scope { session: Some(SessionId::new("session-3").unwrap()), ..Scope::default() };
    memory.forget(&name, &Target::Within(session)).unwrap();
    memory.reembed_by(&name, &*Bags::new("others@1/f32", Locality::Local), IdleVectors::Keep, &mut |_| {}).unwrap();
    memory.reembed_by(&name, &*local(), IdleVectors::Keep, &mut |_| {}).unwrap();
}

/// Everything that can be asked of a namespace, as bytes.
fn all_of(memory: &Memory, name: &str) -> Vec<String> {
    let mut export = Vec::new();
    memory.export(&ns(name), &Scope::default(), &mut export).unwrap();
    let mut cues = Vec::new();
    memory.export_cues(&ns(name), &Scope::default(), &mut cues).unwrap();
    let mut all = vec![String::from_utf8(export).unwrap(), String::from_utf8(cues).unwrap()];
    all.push(serde_json::to_string(&memory.stats(&ns(name)).unwrap()).unwrap());
    for line in QUESTIONS.lines() {
        let question: serde_json::Value = serde_json::from_str(line).unwrap();
        for pipeline in ["hybrid", "lexical"] {
            let query = Query::new(ns(name), question["query"].as_str().unwrap());
            let answer = memory.search(&query, &pipeline.parse::<Pipeline>().unwrap(), Explanations::Include).unwrap();
            let mut answer = serde_json::to_value(answer).unwrap();
            answer.as_object_mut().unwrap().retain(|key, _| !key.starts_with("timing"));
            all.push(answer.to_string());
        }
    }
    all
}

/// What is added afterwards gets the same ids.
fn goes_on(memory: &Memory) -> Vec<String> {
    let name = ns("demo");
    let of = |session: &str| Turn { id: None, ..turn("kites", session, "-", "Ann", &format!("And then {session}.")) };
    memory.add_turns(&name, vec![of("k"), of("new"), of("session-3")]).unwrap();
    let mut export = Vec::new();
    memory.export(&name, &Scope::default(), &mut export).unwrap();
    String::from_utf8(export).unwrap().lines().map(str::to_owned).collect()
}

fn is_sound(memory: &Memory) {
    let findings = memory.check(CheckDepth::Full, &mut |_| {}).unwrap();
    let damage: Vec<&Finding> = findings.iter().filter(|finding| finding.gravity == Gravity::Damage).collect();
    assert!(damage.is_empty(), "{damage:?}");
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn store(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

/// Locations to move between: files, and a server where there is one.
fn targets(folder: &Folder) -> Vec<String> {
    let server = server().map(|server| server.new_store());
    [folder.store("target.db")].into_iter().chain(server).collect()
}

#[test]
fn there_and_back_nothing_is_lost() {
    let folder = Folder::new();
    let first = open(&folder.store("first.db"), local());
    fill(&first);
    first.add_turns(&ns("other"), history()).unwrap();
    let expected = all_of(&first, "demo");
    assert!(expected[1].contains("Which race is it?") && expected.len() > 10);
    for (i, target) in targets(&folder).into_iter().enumerate() {
        let between = open(&target, local());
        let there = moved(&first, &between, "demo");
        assert!(
            there.passes == 2 && there.written == 100 && there.removed == 0 && !there.written_meanwhile,
            "{there:?}"
        );
        assert_eq!((there.rows.questions, there.rows.vectors > there.rows.memories), (4, true), "{there:?}");
        assert_eq!(between.namespaces().unwrap(), [ns("demo")]);
        assert_eq!(all_of(&between, "demo"), expected, "{target}");
        is_sound(&between);
        // What is complete is recognised.
        let again = moved(&first, &between, "demo");
        assert_eq!((again.outcome, again.written, again.passes), (MigrationOutcome::Unchanged, 0, 1));
        assert_eq!(again.checksum, there.checksum);

        let back = open(&folder.store(&format!("back{i}.db")), local());
        assert_eq!(moved(&between, &back, "demo").checksum, there.checksum);
        assert_eq!(all_of(&back, "demo"), expected);
        is_sound(&back);
        let copy = open(&folder.store(&format!("copy{i}.db")), local());
        moved(&first, &copy, "demo");
        let [first, second, third] = [&between, &back, &copy].map(goes_on);
        assert!(first == second && second == third && first.len() == 95, "{target}");
    }
}

/// Stopped after every transaction, run after run, it comes to the same.
#[test]
fn a_migration_that_is_stopped_goes_on() {
    let folder = Folder::new();
    let from = open(&folder.store("first.db"), local());
    fill(&from);
    for n in 0..3 {
        let turns = (0..300).map(|i| turn("long", "s", &format!("l{n}-{i}"), "Ann", &format!("Kite {i} of {n}.")));
        from.add_turns(&ns("demo"), turns.collect()).unwrap();
    }
    for target in targets(&folder) {
        let to = open(&target, local());
        let mut stops = 0;
        let last = loop {
            let mut steps = 0;
            let run = from.migrate(&to, &ns("demo"), &mut |progress| {
                assert!(progress.done <= progress.total, "{progress:?}");
                steps += 1;
                // One part further each time.
                if steps > stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let run = run.unwrap();
            is_sound(&to);
            if run.outcome != MigrationOutcome::Interrupted {
                break run;
            }
            stops += 1;
        };
        assert!(stops > 5, "{stops}");
        assert!(last.written < 100, "{last:?}");
        assert_eq!(all_of(&to, "demo"), all_of(&from, "demo"), "{target}");
    }
}

#[test]
fn a_target_with_something_else_is_refused_by_name() {
    let folder = Folder::new();
    let from = open(&folder.store("first.db"), local());
    fill(&from);
    for target in targets(&folder) {
        let to = open(&target, local());
        to.add_turns(&ns("demo"), history()).unwrap();
        let before = all_of(&to, "demo");
        let refused = from.migrate(&to, &ns("demo"), &mut go_on).unwrap_err();
        assert!(matches!(&refused, Error::TargetTaken { namespace, .. } if namespace.as_str() == "demo"));
        assert_eq!((refused.kind(), refused.code()), (ErrorKind::InvalidInput, "target_taken"));
        assert!(refused.message().contains("\"demo\"") && refused.message().contains("no copy"), "{refused}");
        assert_eq!(all_of(&to, "demo"), before);

        // A copy that somebody wrote to is no copy any more, whatever was written.
        to.forget(&ns("demo"), &Target::Within(Scope::default())).unwrap();
        let changes: [&dyn Fn(&Memory); 3] = [
            &|to| drop(to.add_turns(&ns("demo"), vec![turn("c", "s", "mine", "Ann", "My own words.")]).unwrap()),
            &|to| assert_eq!(to.forget(&ns("demo"), &Target::One(id("S5:4"))).unwrap().turns, 1),
            &|to| cues(to, "mine", &[("S2:5", &["Whose?"])], CueIndexing { questions: true, passage: false }),
        ];
        for change in changes {
            moved(&from, &to, "demo");
            change(&to);
            let before = all_of(&to, "demo");
            let refused = from.migrate(&to, &ns("demo"), &mut go_on).unwrap_err();
            assert!(refused.message().contains("changed since"), "{refused}");
            assert_eq!(all_of(&to, "demo"), before);
            to.forget(&ns("demo"), &Target::Within(Scope::default())).unwrap();
        }
        // Both sides went on: what one has at a position is not what the other has there.
        moved(&from, &to, "demo");
        for (memory, text) in [(&from, "Here."), (&to, "There.")] {
            memory.add_turns(&ns("demo"), vec![turn("c", text, text.trim_matches('.'), "Ann", text)]).unwrap();
        }
        assert!(matches!(from.migrate(&to, &ns("demo"), &mut go_on), Err(Error::TargetTaken { .. })));
        from.forget(&ns("demo"), &Target::One(id("Here"))).unwrap();
    }
    let same = open(&folder.store("first.db"), local());
    assert!(matches!(from.migrate(&same, &ns("demo"), &mut go_on), Err(Error::SameStore { .. })));
}

/// The source is written, forgotten from, marked and asked for cues while it is copied: a later pass takes all of it.
#[test]
fn what_is_written_meanwhile_is_taken() {
    let folder = Folder::new();
    for target in targets(&folder) {
        let path = folder.store(&format!("from{}.db", target.len()));
        let from = open(&path, local());
        fill(&from);
        let turns = (0..600).map(|i| turn("long", "s", &format!("l{i}"), "Ann", &format!("Kite number {i}.")));
        from.add_turns(&ns("demo"), turns.collect()).unwrap();
        let writer = open(&path, local());
        let to = open(&target, local());
        let mut steps = 0;
        let run = from.migrate(&to, &ns("demo"), &mut |_| {
            steps += 1;
            if steps == 2 {
                let name = ns("demo");
                writer.add_turns(&name, vec![turn("late", "l", "late", "Bob", "A late kite.")]).unwrap();
                writer.forget(&name, &Target::One(id("S5:4"))).unwrap();
                let session = Scope { session: Some(SessionId::new("session-2").unwrap()), ..Scope::default() };
                writer.forget(&name, &Target::Within(session)).unwrap();
                let marks = MemoryUpdate { sensitivity: Some(Sensitivity::Sensitive), ..MemoryUpdate::default() };
                writer.update(&name, &id("S1:1"), &marks).unwrap();
                let both = CueIndexing { questions: true, passage: true };
                cues(&writer, "late", &[("k1", &["What is new?"]), ("l5", &["Which kite?"])], both);
            }
            ControlFlow::Continue(())
        });
        let run = run.unwrap();
        assert!(run.passes > 2 && run.removed > 1 && !run.written_meanwhile, "{run:?}");
        assert_eq!(all_of(&to, "demo"), all_of(&writer, "demo"), "{target}");
        is_sound(&to);
        let gone = to.show(&ns("demo"), &id("S5:4"), 0, 0);
        assert!(matches!(gone, Err(Error::UnknownMemory { .. })));

        // And between two runs.
        writer.forget(&ns("demo"), &Target::One(id("l7"))).unwrap();
        writer.add_turns(&ns("demo"), vec![turn("late", "l", "later", "Bob", "A later kite.")]).unwrap();
        let run = moved(&from, &to, "demo");
        assert_eq!((run.written, run.removed), (1, 1), "{run:?}");
        assert_eq!(all_of(&to, "demo"), all_of(&writer, "demo"), "{target}");
        // A source that never holds still is left at some moment, and the report says so.
        let mut number = 0;
        let run = from.migrate(&to, &ns("demo"), &mut |_| {
            number += 1;
            let text = format!("Kite {number}.");
            writer.add_turns(&ns("demo"), vec![turn("late", "l", &format!("n{number}"), "Bob", &text)]).unwrap();
            ControlFlow::Continue(())
        });
        let run = run.unwrap();
        assert!(
            run.written_meanwhile && run.outcome == MigrationOutcome::Complete && run.checksum.is_some(),
            "{run:?}"
        );
        let gone = from.migrate(&to, &ns("nobody"), &mut go_on).unwrap();
        assert_eq!(gone.outcome, MigrationOutcome::Gone);
    }
}
