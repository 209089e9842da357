//! Titles of sessions.

use super::*;

fn titled(id: &str, conversation: &str, session: &str, title: Option<&str>) -> Draft {
    Draft::Turn(Turn { title: title.map(str::to_owned), ..turn(Some(id), conversation, session, "words") })
}

fn titles(store: &dyn Store) -> Vec<Option<String>> {
    export(store, "a", &Scope::default()).into_iter().map(|memory| memory.title).collect()
}

fn some(titles: &[&str]) -> Vec<Option<String>> {
    titles.iter().map(|title| Some((*title).to_owned())).collect()
}

pub(super) fn a_session_has_one_title(store: &dyn Store) {
    add(store, "a", &[titled("t1", "c", "s", None), titled("t2", "c", "s", Some(" Robert'); DROP TABLE session;-- "))]);
    assert_eq!(titles(store), some(&["Robert'); DROP TABLE session;--"; 2]), "trimmed, and of all its turns");
    // A repeat adds nothing, but a chat may have another title by now; a blank one is none.
    add(store, "a", &[titled("t1", "c", "s", Some("Kites"))]);
    add(store, "a", &[titled("t2", "c", "s", Some(" ")), titled("t2", "c", "s", None)]);
    assert_eq!(titles(store), some(&["Kites"; 2]));
    add(store, "a", &[titled("t1", "d", "s", Some("Boats")), titled("t2", "d", "other", None)]);
    let mut found = some(&["Kites", "Kites", "Boats"]);
    found.push(None);
    assert_eq!(titles(store), found, "a session of the same name elsewhere has its own");
    assert_eq!(store.fetch(&ns("a"), &[Seq(3)]).unwrap()[0].title.as_deref(), Some("Boats"));
    assert_eq!(find(store, "a", "t2")[0].title.as_deref(), Some("Kites"));

    let long = [titled("t9", "c", "s", Some(&"x".repeat(MAX_TITLE_BYTES + 1)))];
    assert!(store.append(&ns("a"), Batch::of(&long)).unwrap_err().to_string().contains("4097 bytes"));

    // A session that was deleted and comes again has lost it.
    let session = Scope { session: Some(SessionId::new("s").unwrap()), ..Scope::default() };
    store.forget(&ns("a"), &DeleteTarget::Within(session)).unwrap();
    add(store, "a", &[titled("t5", "c", "s", None)]);
    assert_eq!(titles(store), [None, None]);
}

pub(super) fn an_index_is_told_titles(store: &dyn Store) {
    let told = |seen: &Seen| seen.titles.iter().map(|(_, c, s, title)| format!("{c}/{s} {title}")).collect::<Vec<_>>();
    let mut seen = Seen::default();
    let follow = |seen: &mut Seen, since| store.catch_up(&ns("a"), None, since, seen).unwrap();
    add(store, "a", &[titled("t1", "c", "s", Some("Kites")), titled("t2", "c", "plain", None)]);
    let first = follow(&mut seen, None);
    assert_eq!((told(&seen), seen.resets), (vec!["c/s Kites".to_owned()], 1));

    // New ones come alone.
    add(store, "a", &[titled("t3", "d", "s", Some("Boats")), titled("t4", "c", "s", Some("Kites"))]);
    let second = follow(&mut seen, Some(first));
    assert_eq!((told(&seen), seen.resets), (vec!["c/s Kites".to_owned(), "d/s Boats".to_owned()], 1));

    // One that changes, or comes late, has the index made anew.
    add(store, "a", &[titled("t2", "c", "plain", Some("Late"))]);
    let third = follow(&mut seen, Some(second));
    assert_eq!(told(&seen), ["c/s Kites", "c/plain Late", "d/s Boats"]);
    assert_eq!(seen.resets, 2);

    store
        .forget(
            &ns("a"),
            &DeleteTarget::Within(Scope { conversation: Some(ConversationId::new("c").unwrap()), ..Scope::default() }),
        )
        .unwrap();
    follow(&mut seen, Some(third));
    assert_eq!(told(&seen), ["d/s Boats"]);
}
