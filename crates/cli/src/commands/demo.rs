//! `aforesaid demo`

use std::num::NonZeroUsize;

use aforesaid::{
    Creation, Explanations, Reranking,
    formats::{Captions, Format, Source},
    types::{Namespace, Query},
    without_password,
};
use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::print_json;
use crate::{
    failure::Failure,
    page::{Page, Paging},
    progress,
    quoted::quoted,
    render::{self, Extent, Layout, QUIET, STRONG, say},
    rerank,
    screen::Screen,
    settings::{Output, Settings},
};

const CONVERSATION: &str = include_str!("../../demo/conversation.jsonl");
const QUESTIONS: &str = include_str!("../../demo/questions.jsonl");

/// Questions that are asked; the file has more, which the tests use.
const ASKED: usize = 5;

#[derive(Debug, Args)]
pub(crate) struct Demo {}

#[derive(Debug, Deserialize)]
struct Question {
    query: String,
    gold_ids: Vec<String>,
    kind: String,
}

impl Demo {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let namespace = Namespace::new("demo").map_err(aforesaid::Error::from)?;
        let memory = settings.open(Creation::Allowed)?;
        let source =
            Source { file: "the demo", stem: "demo", conversation: None, captions: Captions::Keep, zone: None };
        let bar = progress::passages(settings.output, "encoding");
        let imported =
            memory.import(&namespace, Some(Format::Jsonl), CONVERSATION.as_bytes(), &source, &mut |progress| {
                bar.set_length(progress.total as u64);
                bar.set_position(progress.done as u64);
            });
        bar.finish_and_clear();
        let imported = imported?;
        if settings.output == Output::People {
            render::warnings(&imported.warnings);
            say!(
                "Maya and Tomas have been talking for fourteen months: {} turns in {} sessions are in memory now.\n\
                 Nobody has told it what to look out for. Ask:\n",
                imported.added + imported.unchanged,
                imported.sessions
            )?;
        }
        let reranker = settings.default_reranker();
        let mut asked = Vec::new();
        for line in QUESTIONS.lines().take(ASKED) {
            let question: Question =
                serde_json::from_str(line).map_err(|error| Failure::Input(format!("question of the demo: {error}")))?;
            let query =
                Query { k: NonZeroUsize::MIN.saturating_add(2), ..Query::new(namespace.clone(), &question.query) };
            let reranking = reranker.as_deref().map(Reranking::new);
            let answer = rerank::search(&memory, &query, &settings.pipeline, Explanations::Omit, reranking)?;
            if settings.output == Output::People {
                let mut page = Page::default();
                page.line(format_args!("{STRONG}? {}{STRONG:#}  {QUIET}({}){QUIET:#}", question.query, question.kind));
                let layout = Layout { width: Screen::of_output().width, extent: Extent::Snippets };
                render::answer(&mut page, &answer, &[], layout);
                page.line(format_args!(""));
                page.print(Paging::Never)?;
            }
            asked.push(json!({"kind": question.kind, "expected": question.gold_ids, "answer": answer}));
        }
        match settings.output {
            Output::Programs => print_json(&json!({"namespace": namespace, "questions": asked})),
            Output::People => next_steps(settings),
        }
    }
}

/// Commands that work as printed, from where the demo was started.
fn next_steps(settings: &Settings) -> Result<(), Failure> {
    if settings.store == "memory:" {
        return say!("That memory ended with the demo; with a file as --store it stays, and you can ask it yourself.");
    }
    let program = quoted(&std::env::args().next().unwrap_or_else(|| "aforesaid".to_owned()));
    let store = quoted(&without_password(&settings.store));
    say!(
        "The first line of each answer says how likely its first hit answers the question. Now you:\n\n  \
         {STRONG}{program} --store {store} -n demo search \"which flat has a view of the sea?\" --explain{STRONG:#}\n  \
         {STRONG}{program} --store {store} -n demo search \"the marathon\" --unit session -k 3{STRONG:#}\n  \
         {STRONG}{program} --store {store} -n demo show S4:2{STRONG:#}      {QUIET}a turn and what was said around it{QUIET:#}\n  \
         {STRONG}{program} --store {store} -n me import conversations.json{STRONG:#}      {QUIET}your own: ChatGPT, Claude, OpenAI messages, JSON lines{QUIET:#}\n  \
         {STRONG}{program} --store {store} -n demo forget --all{STRONG:#}      {QUIET}and it is gone{QUIET:#}"
    )
}
