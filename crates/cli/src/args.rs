//! The command line: options of every command, and the commands.

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

use crate::{
    commands,
    global::Global,
    settings::Settings,
    unused::{Unused, no_search},
};

/// A memory for conversations: store turns, search them later, and get the exact turns back.
#[derive(Debug, Parser)]
#[command(
    name = "aforesaid",
    version,
    propagate_version = true,
    after_help = "Precedence: options, AFORESAID_* environment variables, configuration file, defaults.\n\
        Exit codes: 0 success; 1 store or system error; 2 usage error; 3 not found; 4 invalid input; 5 model error; 6 some files of an import could not be read, and the others are in; 130 interrupted."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Import conversations from files.
    Import(commands::import::Import),
    /// Add a turn or a note.
    Add(commands::add::Add),
    /// Search for turns or sessions.
    Search(Box<commands::search::Search>),
    /// Answer a question with a language model from the turns found.
    Ask(Box<commands::ask::Ask>),
    /// Explain why a turn, note or session is ranked where it is, or not found.
    Why(Box<commands::why::Why>),
    /// List conversations, sessions, speakers or the latest turns and notes.
    List(commands::list::List),
    /// Show a turn or note with the turns around it.
    Show(commands::show::Show),
    /// Change tags, importance, sensitivity or metadata; of a note also the text.
    Update(commands::update::Update),
    /// Delete turns and notes permanently.
    Forget(commands::forget::Forget),
    /// Export turns and notes as JSON Lines.
    Export(commands::export::Export),
    /// Show what is stored.
    Stats(commands::stats::Stats),
    /// Check the store for damage.
    Check(commands::check::Check),
    /// Back up the store to a file while it is in use.
    Backup(commands::backup::Backup),
    /// Make a store ahead of its use.
    Store(commands::store::StoreCommand),
    /// Copy namespaces to another store: a file, or a PostgreSQL database.
    Migrate(commands::migrate::Migrate),
    /// Make missing vectors, or switch to another embedding model.
    Reembed(commands::reembed::Reembed),
    /// Manage cue questions: questions a turn answers, which it is also found by (document expansion).
    Cues(Box<commands::cues::CuesCommand>),
    /// List, download or verify models.
    Models(commands::models::Models),
    /// Train what finds: an embedding model's adapter from cue questions, or rerankers from labelled questions.
    Train(commands::train::Train),
    /// Serve agents: search and keep memories over the Model Context Protocol (MCP).
    Mcp(commands::mcp::Mcp),
    /// Read what coding agents wrote since the last time: Claude Code, Codex, Gemini CLI, OpenCode, Cursor.
    Sync(commands::sync::Sync),
    /// Add the MCP server to an agent's settings, take it out, or find out what is wrong.
    Agents(commands::agents::Agents),
    /// Answer a hook of an agent: keep up with its log, and hand over what fits.
    Hook(commands::hook::Hook),
    /// Evaluate retrieval on public data sets or your own labelled history.
    Eval(Box<commands::eval::Eval>),
    /// Try it on a small conversation.
    Demo(commands::demo::Demo),
    /// Print the manual page of the program, or write those of all commands.
    Man(commands::man::Man),
    /// Print a completion script for a shell.
    Completions(commands::completions::Completions),
}

/// The command line as clap knows it: the short help of each command says where the rest is.
pub(crate) fn command() -> clap::Command {
    const REST: &str = "`--help` lists all options.";
    Cli::command().mut_subcommands(|command| {
        let has_more = command.get_subcommands().next().is_none() && command.get_after_help().is_none();
        if has_more { command.after_help(REST).after_long_help("") } else { command }
    })
}

/// [`command`], where the variable of an option that is typed is left unread: what it says does not count, be it wrong or right.
pub(crate) fn command_for(typed: &[OsString]) -> clap::Command {
    let typed: Vec<&str> = typed.iter().take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str()).collect();
    let is_typed = |long: &str| {
        let mut rests = typed.iter().filter_map(|arg| arg.strip_prefix("--")?.strip_prefix(long));
        rests.any(|rest| rest.is_empty() || rest.starts_with('='))
    };
    command().mut_args(|arg| match arg.get_long().is_some_and(is_typed) {
        true => arg.env(None::<&'static str>),
        false => arg,
    })
}

impl Command {
    /// The options that it does not use as it was called.
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        match self {
            Command::Import(_) | Command::Reembed(_) | Command::Demo(_) | Command::Hook(_) => Vec::new(),
            Command::Add(command) => command.unused(settings),
            Command::Search(command) => command.unused(settings),
            Command::Ask(command) => command.unused(settings),
            Command::Why(command) => command.unused(settings),
            Command::Cues(command) => command.unused(),
            Command::Models(command) => command.unused(settings),
            Command::Eval(command) => command.unused(),
            Command::Train(command) => command.unused(settings),
            Command::Mcp(command) => command.unused(),
            Command::Sync(command) => command.unused(),
            Command::Agents(command) => command.unused(),
            Command::Update(command) => command.unused(),
            Command::Show(_)
            | Command::List(_)
            | Command::Forget(_)
            | Command::Export(_)
            | Command::Stats(_)
            | Command::Check(_)
            | Command::Backup(_)
            | Command::Migrate(_)
            | Command::Store(_)
            | Command::Man(_)
            | Command::Completions(_) => no_search(),
        }
    }
}
