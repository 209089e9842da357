//! `aforesaid ask`

use std::num::NonZeroUsize;

use aforesaid::{
    Asking, Creation, Memory, SensitiveMemories,
    types::{MemoryId, Query},
    wire::{Costed, PromptText},
};
use aforesaid_llm::AnswerSettings;
use clap::Args;

use super::print_json;
use crate::{
    failure::Failure,
    llm::{LanguageModel, LlmArgs},
    question, render,
    rerank::RerankArgs,
    scope::ScopeArgs,
    settings::{Output, Settings},
    unused::{LLM, Unused, no_vectors_in, unused},
    values::{at_least_one, probability},
};

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The question, with or without quotes; - reads it from standard input.
    #[arg(value_name = "QUESTION", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only turns and notes that were stored before this one, as if it and all later ones were not there; --to goes by time.
    #[arg(long, value_name = "ID")]
    before: Option<MemoryId>,
    /// Maximum number of memories in the prompt.
    #[arg(short, default_value = "5", value_parser = at_least_one)]
    k: NonZeroUsize,
    /// Turns around each memory to include in the prompt.
    #[arg(long, value_name = "N", default_value_t = 0)]
    around: u32,
    /// Ask no model if the confidence in the first memory is below this, from 0 to 1 [default: 0].
    #[arg(long, value_name = "P", env = "AFORESAID_MIN_CONFIDENCE", value_parser = probability)]
    min_confidence: Option<f64>,
    /// Print the prompt's context for another model, and ask none.
    #[arg(long)]
    context: bool,
    /// Include sensitive memories; mind where you send the text.
    #[arg(long, requires = "context")]
    include_sensitive: bool,
    #[command(flatten)]
    rerank: RerankArgs,
    #[command(flatten)]
    llm: LlmArgs,
}

impl Ask {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        let rerank = self.rerank.or_configured(settings);
        let unasked = self.context && !rerank.asks_model();
        let unasked =
            unasked.then(|| unused(LLM, "--context asks no language model; add --rerank llm, or leave --context out"));
        let no_vectors = no_vectors_in(&settings.pipeline).into_iter().filter(|_| !rerank.runs_model());
        unasked.into_iter().chain(no_vectors).collect()
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let question = question::of_words(&self.words)?;
        let scope = self.scope.scope(settings)?;
        let rerank = self.rerank.or_configured(settings);
        let needs_model = !self.context || rerank.asks_model();
        let model = needs_model.then(|| self.llm.connect_promptly(settings)).transpose()?;
        let reranker = rerank.load(settings, model.as_ref())?;
        let memory = settings.open(Creation::Forbidden)?;
        let query = Query {
            scope,
            before: self.before.clone(),
            now: Some(settings.clock.now),
            zone: settings.clock.zone.clone(),
            k: self.k,
            min_confidence: self.min_confidence.or(settings.min_confidence).unwrap_or(0.0),
            ..Query::new(settings.namespace.clone(), question)
        };
        let asking = Asking {
            query: &query,
            pipeline: &settings.pipeline,
            reranking: reranker.as_ref().map(|reranker| rerank.reranking(reranker.as_ref())),
            around: self.around,
            settings: AnswerSettings::default(),
        };
        match &model {
            Some(model) if !self.context => answer(&memory, &asking, model, settings.output),
            _ => self.print_context(&memory, &asking, settings),
        }
    }

    fn print_context(&self, memory: &Memory, asking: &Asking<'_>, settings: &Settings) -> Result<(), Failure> {
        let sensitive = match self.include_sensitive {
            true => SensitiveMemories::Include,
            false => SensitiveMemories::LeaveOut,
        };
        let context = memory.context(asking, sensitive)?;
        let zone = &settings.clock.zone;
        match settings.output {
            Output::Programs => print_json(&PromptText { prompt: context.prompt_in(zone), context: &context }),
            Output::People => render::context(&context, zone),
        }
    }
}

fn answer(memory: &Memory, asking: &Asking<'_>, model: &LanguageModel, output: Output) -> Result<(), Failure> {
    if output == Output::Programs {
        let asked = memory.ask(asking, &model.chat, &mut |_| {})?;
        return print_json(&Costed { result: &asked, spent: model.budget.spent() });
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
