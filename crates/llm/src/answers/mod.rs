//! Answers from memories: what a model is told, and what it cites (ROXY 3.4).

mod ask;
mod citations;
mod context;
mod prompt;
mod settings;

pub use self::{
    ask::{Ask, NOT_MENTIONED, Sought, Support},
    citations::{citations, not_given},
    context::{ContextMemory, context_block},
    prompt::AnswerPrompt,
    settings::AnswerSettings,
};
