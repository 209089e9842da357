//! Where a memory stands in a search, for people to read.

use aforesaid::{
    Why,
    pipeline::{LegHit, Met, Standing, Word, WordPlace},
};

use super::{QUIET, STRONG, count, explanation, printable, say, warnings, when};
use crate::failure::Failure;

/// Prints where a memory stands: the main reason, then stage by stage, what it has and lacks, and the arithmetic.
pub(crate) fn why(why: &Why) -> Result<(), Failure> {
    warnings(&why.warnings);
    let origin = [why.conversation.as_ref().map(|c| c.as_str()), why.session.as_ref().map(|s| s.as_str())];
    let origin = printable(&origin.into_iter().flatten().collect::<Vec<_>>().join(" / "));
    say!("{STRONG}{}{STRONG:#}  {}  {QUIET}{origin}{QUIET:#}", printable(&why.id), when(why.said_at))?;
    say!("{}", printable(&why.summary))?;
    let Some(standing) = &why.standing else { return Ok(()) };
    say!("")?;
    stages(standing)?;
    if !standing.words.is_empty() {
        say!("")?;
        standing.words.iter().try_for_each(word)?;
    }
    if !standing.expectations.is_empty() {
        say!("")?;
        standing.expectations.iter().try_for_each(expectation)?;
    }
    if let Some(explain) = &standing.explain {
        say!("")?;
        explanation(explain, "")?;
    }
    Ok(())
}

/// A table: rank and score in each leg and after each stage, beside those of the last hit.
fn stages(standing: &Standing) -> Result<(), Failure> {
    let last = standing.cut.as_ref().map(|cut| format!("at place {}", cut.rank)).unwrap_or_default();
    let head = format!("{:<18} {:>6} {:>10} {:>10} {last:>12}", "stage", "rank", "score", "adds");
    say!("{QUIET}{}{QUIET:#}", head.trim_end())?;
    let shares = standing.stages.map(|stages| stages.shares);
    let cut = standing.cut.map(|cut| cut.shares);
    let row = |name: &str, hit: Option<LegHit>, adds: Option<f64>, other: Option<f64>| {
        let number = |number: Option<f64>| number.map(|number| format!("{number:.4}")).unwrap_or_default();
        let rank = hit.map_or("none".to_owned(), |hit| format!("#{}", hit.rank));
        let line = format!(
            "{name:<18} {rank:>6} {:>10} {:>10} {:>12}",
            number(hit.map(|hit| hit.score)),
            number(adds),
            number(other)
        );
        say!("{}", line.trim_end())
    };
    row("words", standing.legs.lexical, shares.map(|s| s.lexical), cut.map(|c| c.lexical))?;
    match standing.has_vector {
        Some(true) => row("meaning", standing.legs.dense, shares.map(|s| s.dense), cut.map(|c| c.dense))?,
        Some(false) => row("meaning: no vector", standing.legs.dense, shares.map(|s| s.dense), cut.map(|c| c.dense))?,
        None => {}
    }
    if let Some(stages) = &standing.stages {
        row("fused", Some(stages.fused), None, None)?;
        if stages.dated.is_some() {
            row("dates", stages.dated, shares.map(|s| s.dated), cut.map(|c| c.dated))?;
        }
        if stages.prior.is_some() {
            row("importance", stages.prior, shares.map(|s| s.prior), cut.map(|c| c.prior))?;
        }
        row("final", Some(stages.last), None, standing.cut.map(|cut| cut.score))?;
    }
    say!("{QUIET}{}, {} ranked{QUIET:#}", count(standing.candidates, "candidate"), standing.ranked)
}

fn word(word: &Word) -> Result<(), Failure> {
    let place = match word.place {
        WordPlace::Missing => "lacks",
        WordPlace::Session => "in its session only",
        WordPlace::Around => "around it only",
        WordPlace::Own => "holds",
    };
    let holders = if word.holders == 0 { "nobody's".to_owned() } else { format!("held by {}", word.holders) };
    say!("{place:<19} {:?}  {QUIET}worth {:.2}, {holders}{QUIET:#}", printable(&word.term), word.idf)
}

fn expectation(met: &Met) -> Result<(), Failure> {
    let word = if met.met { "meets" } else { "does not meet" };
    say!("{word:<19} {}  {QUIET}adds {:.2} of {:.2}{QUIET:#}", met.expects, met.adds, met.at_best)
}
