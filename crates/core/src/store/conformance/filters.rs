//! What a memory must be like: the same memories pass in every store, whatever characters names and values have.

use serde_json::json;

use super::{add, export, note, ns, turn};
use crate::{
    store::{CueStore, DeleteTarget, Store},
    types::{ConversationId, Draft, Kind, MemoryFilter, MemoryId, MetaField, Note, Record, Scope, SessionId, Turn},
};

const HOSTILE: &str = "'); DROP TABLE memory; --";

fn labelled() -> Vec<Draft> {
    let said = |id: &str, speaker: &str, tags: &[&str], meta: serde_json::Value| {
        Draft::Turn(Turn {
            speaker: speaker.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            meta: meta.as_object().cloned(),
            ..turn(Some(id), "c", "s", id)
        })
    };
    let drawn = |id: &str, sources: &[&str]| {
        let source = sources.iter().map(|id| MemoryId::new(*id).unwrap()).collect();
        Draft::Note(Note { source, tags: vec!["food".to_owned()], ..note(id, id) })
    };
    vec![
        said("a", "Ann", &["food", "Ünïcode"], json!({"$.k": "v", "n": 1})),
        said("b", "ann", &["foo"], json!({"k": {"$.k": "v"}, "n": 1.0})),
        said("c", HOSTILE, &[HOSTILE, "food"], json!({HOSTILE: HOSTILE})),
        said("d", "Ann", &["a\u{0}b", "x%"], json!({"k": "v\u{0}w", "": true})),
        said("e", "Bo", &[], json!(null)),
        drawn("f", &["a", "c"]),
        drawn("g", &[]),
    ]
}

fn speakers(names: &[&str]) -> MemoryFilter {
    MemoryFilter { speakers: names.iter().map(|name| (*name).to_owned()).collect(), ..MemoryFilter::default() }
}

fn tags(tags: &[&str]) -> MemoryFilter {
    MemoryFilter { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..MemoryFilter::default() }
}

fn meta(fields: &[(&str, &str)]) -> MemoryFilter {
    let field = |(key, value): &(&str, &str)| MetaField { key: (*key).to_owned(), value: (*value).to_owned() };
    MemoryFilter { meta: fields.iter().map(field).collect(), ..MemoryFilter::default() }
}

fn sources(ids: &[&str]) -> MemoryFilter {
    let sources = ids.iter().map(|id| MemoryId::new(*id).unwrap()).collect();
    MemoryFilter { sources, ..MemoryFilter::default() }
}

/// Filters, and the ids of what passes.
fn expected() -> Vec<(MemoryFilter, &'static str)> {
    let of_kind = |kind| MemoryFilter { kind: Some(kind), ..MemoryFilter::default() };
    vec![
        (MemoryFilter::default(), "abcdefg"),
        (speakers(&["Ann"]), "ad"),
        (speakers(&["ann", "Bo"]), "be"),
        (speakers(&[HOSTILE]), "c"),
        (speakers(&["An%"]), ""),
        (tags(&["food"]), "acfg"),
        (tags(&["food", "Ünïcode"]), "a"),
        (tags(&[HOSTILE]), "c"),
        (tags(&["a"]), ""),
        (tags(&["a\u{0}b"]), "d"),
        (tags(&["x%"]), "d"),
        (of_kind(Kind::Note), "fg"),
        (of_kind(Kind::Turn), "abcde"),
        (sources(&["c", "zzz"]), "f"),
        (meta(&[("$.k", "v")]), "a"),
        (meta(&[("k", "v")]), ""),
        (meta(&[("k", "v\u{0}w"), ("", "true")]), "d"),
        (meta(&[("n", "1")]), "a"),
        (meta(&[("n", "1.0")]), "b"),
        (meta(&[(HOSTILE, HOSTILE)]), "c"),
        (MemoryFilter { kind: Some(Kind::Turn), ..tags(&["food"]) }, "ac"),
        (MemoryFilter { speakers: speakers(&["Ann"]).speakers, ..tags(&["food"]) }, "a"),
    ]
}

fn ids(memories: &[Record]) -> String {
    memories.iter().map(|memory| memory.id.as_str()).collect()
}

pub(super) fn filters_choose_the_same_everywhere(store: &dyn Store) {
    add(store, "a", &labelled());
    for (filter, passing) in expected() {
        let within = |conversation: Option<&str>| Scope {
            conversation: conversation.map(|name| ConversationId::new(name).unwrap()),
            filter: filter.clone(),
            ..Scope::default()
        };
        let (all, of_c) = (within(None), within(Some("c")));
        let found = export(store, "a", &all);
        assert_eq!(ids(&found), passing, "{filter:?}");
        assert_eq!(store.count(&ns("a"), &all).unwrap(), passing.len() as u64, "{filter:?}");
        assert_eq!(store.positions(&ns("a"), &all).unwrap(), found.iter().map(|of| of.seq).collect::<Vec<_>>());
        assert_eq!(ids(&export(store, "a", &of_c)), passing.replace(['f', 'g'], ""), "{filter:?}");
        let summed: u64 = store.sessions(&ns("a"), &all).unwrap().iter().map(|of| of.memories).sum();
        assert_eq!(summed, passing.len() as u64);
        let uncued = crate::store::Audience::LocalModels;
        let uncued = CueStore::uncued(store, &ns("a"), &all, uncued, crate::types::Seq(0), 99).unwrap();
        assert_eq!(ids(&uncued), passing, "{filter:?}");
    }
}

pub(super) fn forgetting_by_every_filter(store: &dyn Store) {
    for (i, (filter, passing)) in expected().into_iter().enumerate() {
        let name = format!("n{i}");
        add(store, &name, &labelled());
        let target = DeleteTarget::Within(Scope { filter, ..Scope::default() });
        let report = store.forget(&ns(&name), &target).unwrap();
        assert_eq!(report.turns + report.notes, passing.len() as u64);
        match passing.len() {
            7 => assert!(store.version(&ns(&name)).unwrap().is_none(), "a whole namespace goes with its name"),
            _ => {
                let left: String = "abcdefg".chars().filter(|id| !passing.contains(*id)).collect();
                assert_eq!(ids(&export(store, &name, &Scope::default())), left);
            }
        }
    }
}

/// What is in a conversation that a scope leaves out is not in the scope; notes of no conversation are, and so is everything
/// where the conversation is not known.
pub(super) fn a_scope_leaves_conversations_out(store: &dyn Store) {
    let said = |id: &str, conversation: &str, session: &str| Draft::Turn(turn(Some(id), conversation, session, id));
    let about_c = Note { conversation: Some(ConversationId::new("c").unwrap()), ..note("f", "f") };
    let drafts = [
        said("a", "c", "s"),
        said("b", "c", "t"),
        said("d", "d", "s"),
        said("e", HOSTILE, "s"),
        Draft::Note(about_c),
        Draft::Note(note("g", "g")),
    ];
    let scope = |names: &[&str]| Scope {
        except: names.iter().map(|name| ConversationId::new(*name).unwrap()).collect(),
        ..Scope::default()
    };
    let of_c = Scope { conversation: Some(ConversationId::new("c").unwrap()), ..scope(&["c"]) };
    let of_s = Scope { session: Some(SessionId::new("s").unwrap()), ..scope(&["c"]) };
    let notes = MemoryFilter { kind: Some(Kind::Note), ..MemoryFilter::default() };
    let cases = [
        (scope(&["c"]), "deg"),
        (scope(&["c", HOSTILE]), "dg"),
        (scope(&["never said"]), "abfdeg"),
        (scope(&["never said", "d"]), "abfeg"),
        (scope(&["c", "d", HOSTILE]), "g"),
        (of_c, ""),
        (of_s, "de"),
        (Scope { filter: notes, ..scope(&["c"]) }, "g"),
    ];
    let sorted = |ids: &str| {
        let mut ids: Vec<char> = ids.chars().collect();
        ids.sort_unstable();
        ids
    };
    for (i, (scope, left)) in cases.into_iter().enumerate() {
        let name = format!("n{i}");
        add(store, &name, &drafts);
        let found = export(store, &name, &scope);
        assert_eq!(sorted(&ids(&found)), sorted(left), "{scope:?}");
        assert_eq!(store.count(&ns(&name), &scope).unwrap(), left.len() as u64, "{scope:?}");
        assert_eq!(store.positions(&ns(&name), &scope).unwrap(), found.iter().map(|of| of.seq).collect::<Vec<_>>());
        let listed: u64 = store.sessions(&ns(&name), &scope).unwrap().iter().map(|of| of.memories).sum();
        assert_eq!(listed, left.len() as u64, "{scope:?}");
        assert_eq!(sorted(&ids(&store.latest(&ns(&name), &scope, 9).unwrap())), sorted(left), "{scope:?}");
        let report = store.forget(&ns(&name), &DeleteTarget::Within(scope.clone())).unwrap();
        assert_eq!(report.turns + report.notes, left.len() as u64, "{scope:?}");
        if left.len() < drafts.len() {
            let stay: String = "abdefg".chars().filter(|id| !left.contains(*id)).collect();
            assert_eq!(sorted(&ids(&export(store, &name, &Scope::default()))), sorted(&stay), "{scope:?}");
        }
    }
}
