//! ROXY, generative indexing, done again with recorded cue questions: which way of indexing them brings what.

mod charts;
mod model;
mod published;
mod tables;

use std::{fmt, path::Path, sync::Arc};

use aforesaid::{CueIndexing, Pipeline, formats::Captions, llm::ChatRequest, types::Granularity};

pub use model::ModelTasks;

use self::model::Findings;
use crate::{Section, Study};
use crate::{StudyError, encoder_of};
use aforesaid_eval::{
    datasets::{Benchmark, DataSet, RecordedCues},
    experiments::{Bench, Observer, Setup},
    measures::{Evaluation, Measure, cutoff, evaluate},
    recipe::{Equipment, Recording},
    reports::systems_csv,
};

/// Questions a memory gets at the most (ROXY's n_q); the recorded ones are up to three.
const QUESTIONS: [usize; 3] = [0, 1, 3];

/// How many candidates a judge would see (ROXY's k_ret).
const DEPTHS: [usize; 3] = [30, 40, 50];

/// How cue questions are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strategy {
    /// One vector of the text with its questions (equation 3).
    Concat,
    /// The best of the text's vector and its questions' (equation 5).
    Multivec,
    /// The questions' words beside the text's, under BM25.
    Lexical,
    /// The default pipeline: both, and more than questions.
    All,
}

impl Strategy {
    const ALL: [Strategy; 4] = [Strategy::Concat, Strategy::Multivec, Strategy::Lexical, Strategy::All];

    /// The pipeline that indexes and searches so; without questions each is what it is without them.
    fn pipeline(self) -> &'static str {
        match self {
            Strategy::Concat => "dense(max, concat)",
            Strategy::Multivec => "dense(max, multivec)",
            Strategy::Lexical => "bm25(cues=1:1)",
            Strategy::All => "hybrid",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Concat => "concat",
            Strategy::Multivec => "multivec",
            Strategy::Lexical => "lexical",
            Strategy::All => "all (default)",
        })
    }
}

/// One strategy with so many questions on one unit.
struct Cell {
    strategy: Strategy,
    questions: usize,
    evaluation: Evaluation,
}

/// Every strategy with every number of questions, on one unit.
struct Grid {
    benchmark: Benchmark,
    clusters: Vec<usize>,
    cells: Vec<Cell>,
}

impl Grid {
    fn at(&self, strategy: Strategy, questions: usize) -> Option<&Evaluation> {
        let wanted = |cell: &&Cell| cell.strategy == strategy && cell.questions == questions;
        self.cells.iter().find(wanted).map(|cell| &cell.evaluation)
    }

    /// Places of the questions of each category, in the order of the paper's tables.
    fn categories(&self) -> Vec<(&'static str, Vec<usize>)> {
        let of = |name: &'static str| {
            let places = self.benchmark.questions().enumerate();
            let ours = places.filter(|(_, question)| question.category.as_deref() == Some(name));
            (name, ours.map(|(place, _)| place).collect())
        };
        published::CATEGORIES.map(of).into()
    }
}

/// What the study stands on.
#[derive(Debug, Clone, Copy)]
pub struct RoxyStudy<'a> {
    /// LoCoMo's file or folder.
    pub locomo: &'a Path,
    /// The cue questions.
    pub cues: &'a Recording,
    /// What a language model is asked for, if one is at hand.
    pub model: Option<&'a ModelTasks<'a>>,
}

/// Runs the whole study.
///
/// # Errors
/// When the data or the cues cannot be read, there is no encoder, or a search fails.
pub fn roxy_study(study: &RoxyStudy<'_>, equipment: &Equipment, observe: &Observer<'_>) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of generative indexing", equipment)?;
    let data = DataSet::Locomo.fingerprint(study.locomo)?;
    let cues = study.cues.read(DataSet::Locomo, study.locomo)?;
    let cues_sha256 = cues.sha256().to_owned();
    let mut findings = Findings::default();
    let turns = grid(study, (Granularity::Turn, &turn_measures()), &cues, equipment, observe, &mut findings)?;
    let sessions = grid(study, (Granularity::Session, &session_measures()), &cues, equipment, observe, &mut findings)?;
    let mut sections = tables::of_study(&turns, &sessions);
    sections.extend(charts::of_study(&turns)?);
    match study.model {
        Some(asked) => sections.extend(model::of_study(&turns, &findings, &asked.chat.client().endpoint().model)),
        None => sections.push(Section::note("Judge and answers", NOT_MEASURED)),
    }
    Ok(Study {
        title: "Generative indexing (ROXY) with recorded cue questions".to_owned(),
        preface: format!(
            "LoCoMo: {} questions on turns, {} on sessions; encoder {encoder}; data sha256 {data}, cue questions sha256 \
             {cues_sha256}. The cue questions, up to three a turn, were written by a large language model that saw the \
             dialogue in order (contextual prompt) and none of the data set's questions; the data set is public, so that \
             it may have known them cannot be ruled out. Nothing is trained; the weights of the default pipeline were \
             set on this data, and `receipts/locomo-*-cues-loco.toml` has them chosen by leave-one-conversation-out. \
             The paper's figures are with Titan embeddings and its own cues and judge: another encoder, other questions.",
            turns.benchmark.questions().count(),
            sessions.benchmark.questions().count(),
        ),
        sections,
        questions: csv(&turns)?,
    })
}

/// The requests that a study would send to a model, for a batch service. Where nothing is judged before, those of answers
/// are among them.
///
/// # Errors
/// As [`roxy_study`].
pub fn roxy_requests(
    study: &RoxyStudy<'_>,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Vec<ChatRequest>, StudyError> {
    let Some(asked) = study.model else { return Ok(Vec::new()) };
    let cues = study.cues.read(DataSet::Locomo, study.locomo)?;
    let benchmark = DataSet::Locomo.load(study.locomo, Granularity::Turn)?;
    let mut requests = Vec::new();
    for questions in QUESTIONS {
        let bench = Bench::new(&benchmark, &setup(&cues, questions, equipment), observe)?;
        requests.extend(asked.requests(&bench, questions, observe)?);
    }
    Ok(requests)
}

/// The data with so many cue questions a memory at the most, and every vector of them.
fn setup(cues: &RecordedCues, questions: usize, equipment: &Equipment) -> Setup {
    let recorded = Arc::new(cues.clone().at_most(questions));
    let indexing = CueIndexing { questions: true, passage: true };
    let cues = (questions > 0).then_some((recorded, indexing));
    Setup { cues, ..equipment.setup(Captions::Keep) }
}

fn grid(
    study: &RoxyStudy<'_>,
    (unit, measures): (Granularity, &[Measure]),
    cues: &RecordedCues,
    equipment: &Equipment,
    observe: &Observer<'_>,
    findings: &mut Findings,
) -> Result<Grid, StudyError> {
    let benchmark = DataSet::Locomo.load(study.locomo, unit)?;
    let mut cells = Vec::new();
    let mut clusters = Vec::new();
    for questions in QUESTIONS {
        let bench = Bench::new(&benchmark, &setup(cues, questions, equipment), observe)?;
        clusters = bench.clusters();
        for strategy in Strategy::ALL {
            let pipeline: Pipeline = strategy.pipeline().parse()?;
            let run = bench.run(&format!("{strategy} {questions}"), |_| &pipeline, observe)?;
            let evaluation = evaluate(&run, &benchmark.qrels()?, measures)?;
            cells.push(Cell { strategy, questions, evaluation });
        }
        if let Some(asked) = study.model.filter(|_| unit == Granularity::Turn) {
            asked.measure(&bench, questions, observe, findings)?;
        }
    }
    Ok(Grid { benchmark, clusters, cells })
}

const NOT_MEASURED: &str = "The paper's judge scores forty candidates a question with a language model, and its answers \
    are written by another. None was at hand, so that no figure of them stands in this report. `--judge` and `--answers` \
    put them there, with any OpenAI-compatible server or a batch service.";

const fn recall(k: usize) -> Measure {
    Measure::RecallAt(cutoff(k))
}

fn turn_measures() -> Vec<Measure> {
    let depths = [5, 10, 20].into_iter().chain(DEPTHS);
    [Measure::STANDARD[0], Measure::Mrr].into_iter().chain(depths.map(recall)).collect()
}

fn session_measures() -> Vec<Measure> {
    vec![Measure::STANDARD[0], Measure::Mrr, recall(5)]
}

fn csv(turns: &Grid) -> Result<String, StudyError> {
    let name = |cell: &Cell| format!("{} {}", cell.strategy, cell.questions);
    let systems: Vec<_> = turns.cells.iter().map(|cell| (name(cell), &cell.evaluation)).collect();
    Ok(systems_csv(&turns.benchmark, &systems, &[Measure::Mrr, recall(5), recall(10)])?)
}
