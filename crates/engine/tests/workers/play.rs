//! The other side: a process that does as it is told.

use std::{
    collections::HashMap,
    io::BufRead,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use aforesaid::{
    Error, Explanations, IdleVectors, Locality, Memory, Target,
    formats::{Captions, Format, Source},
    store::{MemoryRef, Store},
    types::{Record, *},
};
use aforesaid_postgres::PostgresStore;
use aforesaid_sqlite::{Creation, SqliteStore};
use rusqlite::{Connection, OpenFlags};

use super::{Answer, Command, Found, Idle, Line, MARK, many_lines};
use crate::bags::{Bags, ns};

/// The namespace all workers share.
const NAMESPACE: &str = "shared";

#[test]
#[ignore = "run by the other tests as a process of its own"]
fn play() {
    if std::env::var_os("AFORESAID_WORKER").is_none() {
        return;
    }
    let mut slots = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let command: Command = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = obey(&mut slots, &command).unwrap_or_else(|error| Answer::failed(&error));
        println!("\n{MARK}{}", serde_json::to_string(&answer).unwrap());
    }
}

fn obey(slots: &mut HashMap<usize, Memory>, command: &Command) -> Result<Answer, Error> {
    use Command as C;
    let namespace = &ns(NAMESPACE);
    // A slot whose memory could not be opened holds none.
    let memory = |slot: &usize| {
        slots.get(slot).ok_or_else(|| Error::UnknownLocation { location: format!("slot {slot}, which is empty") })
    };
    match command {
        C::Open { slot, path, encoder } => {
            // The new one first: opening beside another is what has gone wrong before.
            let opened = Memory::builder().encoders(source(encoder)).open(path)?;
            drop(slots.insert(*slot, opened));
            Ok(Answer::Done)
        }
        C::Drop { slot } => {
            drop(slots.remove(slot));
            Ok(Answer::Done)
        }
        C::Add { slot, conversation, lines } => {
            let turns = lines.iter().map(|line| line.turn(conversation)).collect();
            let added = memory(slot)?.add_turns(namespace, turns)?;
            Ok(Answer::Added { ids: added.ids.into_iter().map(String::from).collect(), added: added.added })
        }
        C::Import { slot, conversation, lines } => {
            let lines: String = lines.iter().map(Line::json).collect();
            import(memory(slot)?, namespace, conversation, &lines)
        }
        C::ImportMany { slot, conversation, session, word, turns } => {
            import(memory(slot)?, namespace, conversation, &many(session, word, *turns))
        }
        C::ForgetOne { slot, conversation, id } => {
            let conversation = Some(ConversationId::new(conversation).unwrap());
            let address = MemoryRef { id: MemoryId::new(id).unwrap(), conversation };
            forget(memory(slot)?, &Target::One(address))
        }
        C::ForgetSession { slot, conversation, session } => {
            let session = Some(SessionId::new(session).unwrap());
            forget(memory(slot)?, &Target::Within(Scope { session, ..within(conversation) }))
        }
        C::ForgetConversation { slot, conversation } => forget(memory(slot)?, &Target::Within(within(conversation))),
        C::ForgetAll { slot } => forget(memory(slot)?, &Target::Within(Scope::default())),
        C::Reembed { slot, idle } => {
            let idle = match idle {
                Idle::Keep => IdleVectors::Keep,
                Idle::Drop => IdleVectors::Drop,
            };
            memory(slot)?.reembed(namespace, idle, &mut |_| {})?;
            Ok(Answer::Done)
        }
        C::Search { slot, pipeline, text } => {
            let pipeline = pipeline.parse().unwrap();
            let query = Query::new(namespace.clone(), text.clone());
            let answer = memory(slot)?.search(&query, &pipeline, Explanations::Omit)?;
            let found = answer.hits.into_iter().map(|hit| Found {
                conversation: hit.conversation.map(String::from).unwrap_or_default(),
                session: hit.session.map(String::from).unwrap_or_default(),
                id: hit.id,
                text: hit.text,
            });
            Ok(Answer::Turns(found.collect()))
        }
        C::Read { slot, conversation } => {
            let mut turns = Vec::new();
            memory(slot)?.visit(namespace, &within(conversation), &mut |memory| turns.push(found(memory)))?;
            Ok(Answer::Turns(turns))
        }
        C::Export { slot } => {
            let mut bytes = Vec::new();
            memory(slot)?.export(namespace, &Scope::default(), &mut bytes)?;
            let lines = String::from_utf8(bytes).unwrap();
            Ok(Answer::Turns(lines.lines().map(|line| exported(line).unwrap()).collect()))
        }
        C::Stats { slot } => {
            let stats = memory(slot)?.stats(namespace)?;
            Ok(Answer::Counts {
                turns: stats.turns,
                vectors: stats.vectors.into_iter().collect(),
                serving: stats.active_encoder.map(String::from),
            })
        }
        C::Intrude { path } => Ok(Answer::LetIn(intrude(path).is_ok())),
        C::Await { moment } => {
            let moment = UNIX_EPOCH + Duration::from_micros(*moment);
            std::thread::sleep(moment.duration_since(SystemTime::now()).unwrap_or_default());
            Ok(Answer::Done)
        }
        C::Version { path } => {
            let version = match aforesaid::is_postgres_url(path) {
                true => PostgresStore::open(path, aforesaid_postgres::Creation::Forbidden)?.version(namespace)?,
                false => SqliteStore::open(path, Creation::Forbidden)?.version(namespace)?,
            };
            Ok(Answer::Version(version.map(|version| ((version.epoch, version.removed), version.last.0))))
        }
    }
}

/// Reads the store alone in it, without its shared memory: only locks on the file itself keep it out. On closing it
/// removes the log, as the last one does.
fn intrude(path: &str) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

fn source(encoder: &str) -> aforesaid::EncoderSource {
    aforesaid::EncoderSource::Ready(Bags::new(encoder, Locality::Local))
}

fn within(conversation: &str) -> Scope {
    Scope { conversation: Some(ConversationId::new(conversation).unwrap()), ..Scope::default() }
}

fn many(session: &str, word: &str, turns: usize) -> String {
    many_lines(session, word, turns).iter().map(Line::json).collect()
}

fn import(memory: &Memory, namespace: &Namespace, conversation: &str, lines: &str) -> Result<Answer, Error> {
    let source = Source { file: "f", stem: conversation, conversation: None, captions: Captions::Keep, zone: None };
    let imported = memory.import(namespace, Some(Format::Jsonl), lines.as_bytes(), &source, &mut |_| {})?;
    Ok(Answer::Added { ids: Vec::new(), added: imported.added })
}

fn forget(memory: &Memory, target: &Target) -> Result<Answer, Error> {
    let forgotten = memory.forget(&ns(NAMESPACE), target)?;
    Ok(Answer::Forgotten(forgotten.turns + forgotten.notes))
}

fn found(memory: Record) -> Found {
    Found {
        conversation: memory.conversation.map(String::from).unwrap_or_default(),
        session: memory.session.map(String::from).unwrap_or_default(),
        id: String::from(memory.id),
        text: memory.text,
    }
}

fn exported(line: &str) -> Option<Found> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let field = |name: &str| line.get(name)?.as_str().map(str::to_owned);
    Some(Found {
        conversation: field("conversation")?,
        session: field("session")?,
        id: field("id")?,
        text: field("text")?,
    })
}
