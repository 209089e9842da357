//! `aforesaid ask`

use std::num::NonZeroUsize;

use aforesaid::{
    Asked, Asking, Context, Creation, Memory, SensitiveMemories,
    types::{MemoryId, Query},
};
use aforesaid_llm::{AnswerSettings, Spent};
use clap::Args;
use serde::Serialize;

use super::print_json;
use crate::{
    args::{ScopeArgs, at_least_one, probability},
    failure::Failure,
    llm::{JudgeArgs, LanguageModel, LlmArgs},
    opening::Effort,
    render,
    settings::{Output, Settings},
    unused::{LLM, Unused, no_vectors_in, unused},
};

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The question.
    question: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only what came before this turn or note, as if asked at that moment.
    #[arg(long, value_name = "ID")]
    before: Option<MemoryId>,
    /// How many memories the model is shown at the most.
    #[arg(short, default_value = "5", value_parser = at_least_one)]
    k: NonZeroUsize,
    /// Turns before and after each memory that it is shown too.
    #[arg(long, value_name = "N", default_value_t = 0)]
    around: u32,
    /// Ask no model where the first memory is less likely to answer the question than this, from 0 to 1 [default: 0].
    #[arg(long, value_name = "P", env = "AFORESAID_MIN_CONFIDENCE", value_parser = probability)]
    min_confidence: Option<f64>,
    /// Print the memories as text for another model, and ask none.
    #[arg(long)]
    context: bool,
    /// Print sensitive memories too; mind where they go then.
    #[arg(long, requires = "context")]
    include_sensitive: bool,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    llm: LlmArgs,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    asked: &'a Asked,
    /// For judging and answering; answers that were kept cost nothing.
    spent: Spending,
}

#[derive(Serialize)]
struct Spending {
    requests: u64,
    prompt_tokens: u64,
    completion_tokens: u64,
    money: Option<f64>,
}

impl From<Spent> for Spending {
    fn from(spent: Spent) -> Self {
        let Spent { requests, prompt_tokens, completion_tokens, money, .. } = spent;
        Self { requests, prompt_tokens, completion_tokens, money }
    }
}

/// What `--context --json` prints.
#[derive(Serialize)]
struct Prompt<'a> {
    prompt: String,
    #[serde(flatten)]
    context: &'a Context,
}

impl Ask {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        let unasked = self.context && !self.judge.is_given();
        let unasked =
            unasked.then(|| unused(LLM, "--context asks no language model; add --judge, or leave --context out"));
        unasked.into_iter().chain(no_vectors_in(&settings.preset)).collect()
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let needs_model = !self.context || self.judge.is_given();
        let model = needs_model.then(|| self.llm.connect_promptly(settings)).transpose()?;
        let memory = settings.open(&settings.namespace, Creation::Forbidden, Effort::Find)?;
        let query = Query {
            scope: self.scope.scope(),
            before: self.before.clone(),
            k: self.k,
            min_confidence: self.min_confidence.or(settings.min_confidence).unwrap_or(0.0),
            ..Query::new(settings.namespace.clone(), self.question.as_str())
        };
        let asking = Asking {
            query: &query,
            preset: &settings.preset,
            judging: model.as_ref().and_then(|model| self.judge.judging(&model.chat)),
            around: self.around,
            settings: AnswerSettings::default(),
        };
        match &model {
            Some(model) if !self.context => answer(&memory, &asking, model, settings.output),
            _ => self.print_context(&memory, &asking, settings.output),
        }
    }

    fn print_context(&self, memory: &Memory, asking: &Asking<'_>, output: Output) -> Result<(), Failure> {
        let sensitive = match self.include_sensitive {
            true => SensitiveMemories::Include,
            false => SensitiveMemories::LeaveOut,
        };
        let context = memory.context(asking, sensitive)?;
        match output {
            Output::Programs => print_json(&Prompt { prompt: context.prompt(), context: &context }),
            Output::People => render::context(&context),
        }
    }
}

fn answer(memory: &Memory, asking: &Asking<'_>, model: &LanguageModel, output: Output) -> Result<(), Failure> {
    if output == Output::Programs {
        let asked = memory.ask(asking, &model.chat, &mut |_| {})?;
        return print_json(&Report { asked: &asked, spent: model.budget.spent().into() });
    }
    let (mut reply, mut unprinted) = (render::Reply::default(), None);
    let asked = memory.ask(asking, &model.chat, &mut |piece| {
        if unprinted.is_none() {
            unprinted = reply.piece(piece).err();
        }
    });
    match (unprinted, asked) {
        (Some(failure), _) => Err(failure),
        (None, Ok(asked)) => render::asked(&asked, &model.budget.spent()),
        (None, Err(error)) => {
            reply.break_off()?;
            Err(error.into())
        }
    }
}
