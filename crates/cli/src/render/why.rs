//! Where a memory stands in a search, for people to read.

use aforesaid::{
    Why,
    pipeline::{CandidateReport, FeatureMatch, LegHit, TermMatch, TermPlace, ordinal},
};

use super::{QUIET, STRONG, count, explanation, printable, say, warnings, when};
use crate::{failure::Failure, remedies, searched::Searched};

/// Prints where a memory stands: the main reason, then stage by stage, what it has and lacks, and the arithmetic.
pub(crate) fn why(why: &Why, searched: Option<&Searched>) -> Result<(), Failure> {
    warnings(&why.warnings);
    let origin = [why.conversation.as_ref().map(|c| c.as_str()), why.session.as_ref().map(|s| s.as_str())];
    let origin = printable(&origin.into_iter().flatten().collect::<Vec<_>>().join(" / "));
    say!("{STRONG}{}{STRONG:#}  {}  {QUIET}{origin}{QUIET:#}", printable(&why.id), when(why.said_at))?;
    let place = searched.and_then(|searched| place_in_search(searched, why.k.get()));
    if let Some(place) = &place {
        say!("{}", printable(place))?;
    }
    let is_reranked = searched.is_some_and(|searched| searched.reranker.is_some());
    say!("{}{}", if is_reranked { "before the reranker: " } else { "" }, printable(&why.summary))?;
    let Some(report) = &why.report else { return Ok(()) };
    say!("")?;
    stages(report)?;
    if !report.terms.is_empty() {
        say!("")?;
        report.terms.iter().try_for_each(term)?;
    }
    if !report.features.is_empty() {
        say!("")?;
        report.features.iter().try_for_each(feature)?;
    }
    if let Some(explain) = &report.explain {
        say!("")?;
        explanation(explain, "")?;
    }
    Ok(())
}

/// Where the search has it, where that is not told by its rank in the stages.
fn place_in_search(of: &Searched, hits: usize) -> Option<String> {
    if let Some(reason) = of.reason {
        return Some(format!("the search has no hits: {reason}{}", remedies::of_no_hits(reason)));
    }
    let reranker = of.reranker.as_ref()?;
    let score = match of.rerank_score {
        Some(score) => format!("the reranker {reranker} gives it {score:.1}"),
        None => format!("the reranker {reranker} did not score it"),
    };
    let superseded = of.superseded_by.as_ref().map(|first| format!("; the first hit, {first}, supersedes it"));
    let place = match of.rank {
        Some(rank) if rank <= hits => format!("{} hit of the search: {score}", ordinal(rank)),
        Some(rank) => format!("{} in the search, and {hits} are hits: {score}", ordinal(rank)),
        None => format!("no hit of the search, and not among the first {}: {score}", of.of),
    };
    Some(place + &superseded.unwrap_or_default())
}

/// A table: rank and score in each leg and after each stage, and what a signal adds, beside what it adds to the last hit.
fn stages(report: &CandidateReport) -> Result<(), Failure> {
    let last = report.cut.as_ref().map(|cut| format!("at place {}", cut.rank)).unwrap_or_default();
    let head = format!("{:<18} {:>6} {:>10} {:>10} {last:>12}", "stage", "rank", "score", "adds");
    say!("{QUIET}{}{QUIET:#}", head.trim_end())?;
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
    for &name in &report.columns {
        let of_cut = report.cut.as_ref().and_then(|cut| cut.shares.get(name));
        row(name, report.legs.get(name), report.shares.get(name), of_cut)?;
    }
    for stage in &report.stages {
        let of_cut = report.cut.as_ref().and_then(|cut| cut.shares.get(stage.stage));
        row(stage.stage, Some(stage.hit), report.shares.get(stage.stage), of_cut)?;
    }
    row("final", report.last(), None, report.cut.as_ref().map(|cut| cut.score))?;
    if report.has_vector == Some(false) {
        say!("{QUIET}it has no vector{QUIET:#}")?;
    }
    say!("{QUIET}{}, {} ranked{QUIET:#}", count(report.candidates, "candidate"), report.ranked)
}

fn term(matched: &TermMatch) -> Result<(), Failure> {
    let place = match matched.place {
        TermPlace::Missing => "lacks",
        TermPlace::Session => "in its session only",
        TermPlace::Around => "in neighbours only",
        TermPlace::Own => "holds",
    };
    let holders = if matched.holders == 0 { "held by none".to_owned() } else { format!("held by {}", matched.holders) };
    say!("{place:<19} {:?}  {QUIET}idf {:.2}, {holders}{QUIET:#}", printable(&matched.term), matched.idf)
}

fn feature(of: &FeatureMatch) -> Result<(), Failure> {
    let word = if of.met { "met" } else { "not met" };
    say!("{word:<19} {}  {QUIET}adds {:.2} of {:.2}{QUIET:#}", of.label, of.adds, of.at_best)
}
