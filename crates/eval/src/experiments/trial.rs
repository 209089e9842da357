//! One system on one benchmark.

use aforesaid::{Pipeline, Reranking};

use super::{
    Bench, Criterion, ExperimentError, Observer, Search, Set, Step, System,
    tuning::{alphas, leave_one_out},
};
use crate::measures::{Evaluation, Measure, Run, evaluate};

/// The published studies choose weights by this measure (fusion study, section 3).
pub const CRITERION: Measure = Measure::STANDARD[0];

/// What came of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The full rankings.
    pub run: Run,
    /// Their measures.
    pub evaluation: Evaluation,
    /// The pipeline of each group, in the benchmark's order.
    pub pipelines: Vec<Pipeline>,
    /// How it was chosen, where the system has numbers to choose.
    pub chosen: Option<Chosen>,
}

/// Numbers chosen for each group on all others.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// By this.
    pub criterion: Criterion,
    /// The sets chosen from.
    pub sets: Vec<Set>,
    /// For each group, in the benchmark's order, the place of the value of each set.
    pub by_group: Vec<Vec<usize>>,
    /// Configurations that were run.
    pub configurations: usize,
    /// Groups, by place, whose search was stopped after [`super::PASSES`] passes.
    pub unsettled: Vec<usize>,
}

/// A system under every weight, and what leave-one-conversation-out makes of that.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// One evaluation for each weight of [`alphas`].
    pub by_alpha: Vec<Evaluation>,
    /// The pipeline chosen for each group, in the benchmark's order.
    pub pipelines: Vec<Pipeline>,
    /// Its weight of the lexical leg.
    pub weights: Vec<f64>,
}

impl Chosen {
    /// How many groups each value of a set was chosen for, in the order of [`Set::values`].
    pub fn counts(&self, set: usize) -> Vec<usize> {
        let mut counts = vec![0; self.sets[set].values.len()];
        self.by_group.iter().for_each(|configuration| counts[configuration[set]] += 1);
        counts
    }
}

/// Runs a system, with numbers chosen by leave-one-conversation-out where it leaves some to choose.
///
/// # Errors
/// When a search fails, or there is nothing to choose numbers on.
pub fn try_system(
    bench: &Bench<'_>,
    system: &System,
    measures: &[Measure],
    observe: &Observer<'_>,
) -> Result<Trial, ExperimentError> {
    try_reranked(bench, system, None, measures, observe)
}

/// As [`try_system`], the best hits reranked where that is asked for.
///
/// # Errors
/// As [`try_system`], and when a question is not reranked.
pub fn try_reranked(
    bench: &Bench<'_>,
    system: &System,
    reranking: Option<Reranking<'_>>,
    measures: &[Measure],
    observe: &Observer<'_>,
) -> Result<Trial, ExperimentError> {
    let (pipelines, chosen) = match system.chooses() {
        false => (vec![system.pipeline.clone(); bench.benchmark().groups.len()], None),
        true => {
            let chosen = choose(bench, system, observe)?;
            let pipelines = chosen.by_group.iter().map(|configuration| system.at(configuration));
            (pipelines.collect::<Result<_, _>>()?, Some(chosen))
        }
    };
    let (run, skipped) = bench.reranked_where(&system.name, |group| Some(&pipelines[group]), reranking, observe)?;
    if skipped > 0 {
        return Err(ExperimentError::NotReranked { system: system.name.clone(), questions: skipped });
    }
    let evaluation = evaluate(&run, &bench.benchmark().qrels()?, measures)?;
    Ok(Trial { run, evaluation, pipelines, chosen })
}

/// Chooses the numbers of a system for each group on all others.
fn choose(bench: &Bench<'_>, system: &System, observe: &Observer<'_>) -> Result<Chosen, ExperimentError> {
    let groups = bench.benchmark().groups.len();
    if groups < 2 {
        return Err(ExperimentError::OneGroup { system: system.name.clone() });
    }
    let mut search = search(bench, system, observe)?;
    let mut chosen = Chosen {
        criterion: system.criterion.clone(),
        sets: system.choices.sets().to_vec(),
        by_group: Vec::with_capacity(groups),
        configurations: 0,
        unsettled: Vec::new(),
    };
    for held_out in 0..groups {
        let others: Vec<bool> = (0..groups).map(|group| group != held_out).collect();
        let found = search.best_on(&others)?;
        if !found.settled {
            chosen.unsettled.push(held_out);
        }
        chosen.by_group.push(found.configuration);
    }
    chosen.configurations = search.runs();
    Ok(chosen)
}

/// Runs a configuration of a system, and values each question.
pub(super) type Runs<'a> = Box<dyn FnMut(&[usize]) -> Result<Vec<f64>, ExperimentError> + 'a>;

/// A search over the configurations of a system on a bench, by the system's criterion.
///
/// # Errors
/// When the benchmark's gold is not usable.
pub(super) fn search<'a>(
    bench: &'a Bench<'_>,
    system: &'a System,
    observe: &'a Observer<'_>,
) -> Result<Search<Runs<'a>>, ExperimentError> {
    let qrels = bench.benchmark().qrels()?;
    let sizes: Vec<usize> = system.choices.sets().iter().map(|set| set.values.len()).collect();
    let a_pass = 1 + sizes.iter().map(|size| size - 1).sum::<usize>();
    let mut done = 0;
    let run: Runs<'a> = Box::new(move |configuration| {
        let pipeline = system.at(configuration)?;
        let run = bench.run(&system.name, |_| &pipeline, &|_| {})?;
        let evaluation = evaluate(&run, &qrels, system.criterion.measures())?;
        done += 1;
        // How many passes there will be is not known.
        observe(Step { work: "choosing numbers", done, total: done.div_ceil(a_pass) * a_pass });
        Ok(system.criterion.values(&evaluation).unwrap_or_default())
    });
    Ok(Search::new(sizes, bench.clusters(), run))
}

/// Runs a system under every weight of its lexical leg (its first set), and chooses one for each group on all others.
///
/// `measures` hold [`CRITERION`].
///
/// # Errors
/// When a search fails, or there is one group only.
pub fn sweep(
    bench: &Bench<'_>,
    system: &System,
    measures: &[Measure],
    observe: &Observer<'_>,
) -> Result<Sweep, ExperimentError> {
    let one_group = || ExperimentError::OneGroup { system: system.name.clone() };
    let groups = bench.benchmark().groups.len();
    if groups < 2 {
        return Err(one_group());
    }
    let qrels = bench.benchmark().qrels()?;
    let candidates = system.along_first()?;
    let mut by_alpha = Vec::with_capacity(candidates.len());
    for candidate in &candidates {
        let run = bench.run(&system.name, |_| candidate, observe)?;
        by_alpha.push(evaluate(&run, &qrels, measures)?);
    }
    let chosen = leave_one_out(&by_alpha, &bench.clusters(), groups, CRITERION).ok_or_else(one_group)?;
    let weights: Vec<f64> = alphas().collect();
    Ok(Sweep {
        pipelines: chosen.iter().map(|&place| candidates[place].clone()).collect(),
        weights: chosen.iter().map(|&place| weights[place]).collect(),
        by_alpha,
    })
}
