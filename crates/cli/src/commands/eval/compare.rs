//! `aforesaid eval compare`

use std::path::{Path, PathBuf};

use aforesaid_eval::{
    measures::{Qrels, Run},
    reports::Comparison,
};
use clap::{Args, ValueHint};
use serde_json::json;

use super::{MeasureArgs, print_json};
use crate::{
    failure::Failure,
    files::read_input,
    render::{aligned, count, printable, say},
    screen::Screen,
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The first run, a TREC run file.
    #[arg(value_hint = ValueHint::FilePath)]
    first: PathBuf,
    /// The second run; differences are second minus first.
    #[arg(value_hint = ValueHint::FilePath)]
    second: PathBuf,
    /// The gold of both, as TREC qrels [default: <FIRST>.qrels, which `eval run --run` writes].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    qrels: Option<PathBuf>,
    #[command(flatten)]
    measures: MeasureArgs,
}

/// Where `eval run --run` puts the gold of a run.
pub(super) fn qrels_beside(run: &Path) -> PathBuf {
    let mut name = run.as_os_str().to_owned();
    name.push(".qrels");
    PathBuf::from(name)
}

impl Compare {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let gold = self.qrels.clone().unwrap_or_else(|| qrels_beside(&self.first));
        if self.qrels.is_none() && !gold.exists() {
            return Err(Failure::Usage(format!(
                "the gold of {} is not beside it as {}: name it with --qrels, or write the run with `aforesaid eval run --run`",
                self.first.display(),
                gold.display()
            )));
        }
        let text = read(&gold)?;
        let [first, second] = [run(&self.first)?, run(&self.second)?];
        let other = qrels_beside(&self.second);
        if self.qrels.is_none() && other.exists() && read(&other)? != text {
            return Err(Failure::Input(format!(
                "{} and {}: the two runs have different gold; compare runs on one data set and unit, or name the \
                 gold with --qrels",
                gold.display(),
                other.display()
            )));
        }
        let qrels = Qrels::from_trec(&text).map_err(|error| named(&gold, error))?;
        let comparison = Comparison::of_runs(&first, &second, &qrels, &self.measures.measures())?;
        if settings.output == Output::Programs {
            return print_json(&json!(comparison));
        }
        // Two runs of one pipeline are told apart by their files.
        let is_named = comparison.first != comparison.second;
        let file = |path: &Path| if is_named { String::new() } else { format!(" ({})", path.display()) };
        let unanswered = ["first", "second"].into_iter().zip(comparison.unanswered).filter(|(_, number)| *number > 0);
        let unanswered = unanswered.map(|(which, number)| {
            format!("note: the {which} run has no ranking of {}, which count as 0\n", count(number, "question"))
        });
        say!(
            "first: {}{}\nsecond: {}{}\n{} questions, {} resampled\n{}{}\n{}",
            super::plain(&comparison.first),
            printable(&file(&self.first)),
            super::plain(&comparison.second),
            printable(&file(&self.second)),
            comparison.n,
            comparison.resampled,
            comparison.caveat.as_ref().map(|caveat| format!("note: {caveat}\n")).unwrap_or_default(),
            unanswered.collect::<String>(),
            table(&comparison.to_table().to_string())
        )
    }
}

/// Columns under each other on a terminal, else Markdown.
fn table(markdown: &str) -> String {
    match Screen::of_output().height {
        Some(_) => aligned(markdown.trim_end()).join("\n"),
        None => markdown.trim_end().to_owned(),
    }
}

fn run(path: &Path) -> Result<Run, Failure> {
    Run::from_trec(&read(path)?).map_err(|error| named(path, error))
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = read_input(path).map_err(Failure::io(format!("file {}", path.display())))?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::Input(format!("file {}: found bytes that are not UTF-8", path.display())))
}

fn named(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("file {}: {error}", path.display()))
}
