//! `aforesaid models bench`: how fast a model is on this machine.

use std::time::{Duration, Instant};

use aforesaid::{
    EncodeError, Encoder, ModelPolicy,
    models::{
        BertEncoder, CrossEncoder, Instructions, ModelFiles, ModelKind, PairScorer, Precision, Runtime, Threads, find,
        from_directory,
    },
    resolve::ModelChoice,
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    commands::print_json,
    failure::Failure,
    render::{QUIET, STRONG, say},
    settings::{Output, Settings},
};

/// What is read: the conversation of the demo, and what is asked of it.
const CONVERSATION: &str = include_str!("../../../demo/conversation.jsonl");
const QUESTIONS: &str = include_str!("../../../demo/questions.jsonl");

/// Texts handed over at once, as in an import.
const CHUNK: usize = 64;

/// A measurement ends after so many texts, or so much time.
const TEXTS: usize = 512;
const QUERIES: usize = 50;
const TIME: Duration = Duration::from_secs(2);

/// How long what a core can do at most is looked for.
const PEAK_TIME: Duration = Duration::from_millis(100);

/// The same for every precision of instructions that are not used.
const CHOICE_TIME: Duration = Duration::from_millis(10);

#[derive(Deserialize)]
struct Turn {
    speaker: String,
    text: String,
}

#[derive(Deserialize)]
struct Question {
    query: String,
}

/// What one precision on one number of threads came to.
struct Speed {
    precision: Precision,
    threads: usize,
    /// Texts, or pairs, a second.
    rate: f64,
    /// The median for a single one, in milliseconds.
    single_ms: f64,
    /// Of what the cores could do with all operands in registers; for encoders.
    share_of_peak: Option<f64>,
}

/// Instructions that this processor has, and how fast they multiply.
struct Choice {
    instructions: Instructions,
    /// Multiply-adds a second of one core in each precision, with all operands in registers.
    peaks: Vec<(Precision, f64)>,
}

/// Measures the model in use, in every precision, on one thread and on all.
pub(super) fn bench(settings: &Settings) -> Result<(), Failure> {
    let files = match &settings.models.model {
        ModelChoice::Directory(dir) => from_directory(dir, &settings.models.cache)?,
        ModelChoice::Named { .. } | ModelChoice::Adapted { .. } | ModelChoice::Off | ModelChoice::Server(_) => {
            find(settings.entry()?, &settings.models.paths(ModelPolicy::Find))?
        }
    };
    let (turns, questions) = (turns()?, questions()?);
    let all = settings.models.threads;
    let counts = if all == Threads::ONE { vec![all] } else { vec![Threads::ONE, all] };
    if settings.output == Output::People {
        header(&files, settings.models.instructions)?;
    }
    let choices = choices(settings.models.threads);
    let mut speeds = Vec::new();
    for precision in Precision::ALL {
        for threads in &counts {
            let runtime = Runtime { precision, instructions: settings.models.instructions, threads: *threads };
            let speed = Speed::measure(&files, runtime, &turns, &questions)?;
            if settings.output == Output::People {
                let Speed { precision, threads, rate, single_ms, share_of_peak } = &speed;
                let share = share_of_peak.map_or_else(String::new, |share| format!("{:.0}%", 100.0 * share));
                say!("{precision:<10} {threads:>7} {rate:>10.1} {single_ms:>10.2} {share:>10}")?;
            }
            speeds.push(speed);
        }
    }
    match settings.output {
        Output::People => print_choices(&choices, settings.models.instructions),
        Output::Programs => print_json(&json!({
            "model": files.pinned,
            "kind": files.kind.to_string(),
            "directory": files.dir,
            "instructions": settings.models.instructions.to_string(),
            "default_precision": Precision::default_on(settings.models.instructions).to_string(),
            "available": choices.iter().map(Choice::json).collect::<Vec<_>>(),
            "runs": speeds.iter().map(Speed::json).collect::<Vec<_>>(),
        })),
    }
}

fn header(files: &ModelFiles, instructions: Instructions) -> Result<(), Failure> {
    let (rate, single) = match files.kind {
        ModelKind::Encoder => ("texts/s", "query ms"),
        ModelKind::Reranker => ("pairs/s", "pair ms"),
    };
    say!("{STRONG}{}{STRONG:#}  {}, {}", files.pinned, files.kind, instructions)?;
    say!("{QUIET}{:<10} {:>7} {rate:>10} {single:>10} {:>10}{QUIET:#}", "precision", "threads", "of peak")
}

/// The instructions there are, in the order in which they are chosen.
fn choices(threads: Threads) -> Vec<Choice> {
    let available = Instructions::ALL.into_iter().filter(|instructions| instructions.is_available());
    let of = |instructions| {
        let peak = |precision| Some((precision, Runtime { precision, instructions, threads }.peak(CHOICE_TIME)?));
        Choice { instructions, peaks: Precision::ALL.into_iter().filter_map(peak).collect() }
    };
    available.map(of).collect()
}

/// Prints which instructions and which precision are chosen, and what each could do.
fn print_choices(choices: &[Choice], used: Instructions) -> Result<(), Failure> {
    say!("")?;
    say!("{QUIET}{:<12} {}{QUIET:#}", "instructions", "billions of products a second and core, in registers")?;
    for Choice { instructions, peaks } in choices {
        let peaks: Vec<_> = peaks.iter().map(|(precision, peak)| format!("{precision} {:.0}", peak / 1e9)).collect();
        let mark = if *instructions == used { ", used" } else { "" };
        say!("{instructions:<12} {}{mark}", peaks.join(", "))?;
    }
    say!("new vectors are made in {} unless --precision says otherwise", Precision::default_on(used))
}

impl Choice {
    fn json(&self) -> serde_json::Value {
        let peaks = self.peaks.iter().map(|(precision, peak)| (precision.to_string(), json!(peak)));
        json!({
            "instructions": self.instructions.to_string(),
            "multiply_adds_per_second": peaks.collect::<serde_json::Map<_, _>>(),
        })
    }
}

impl Speed {
    fn measure(files: &ModelFiles, runtime: Runtime, turns: &[String], questions: &[String]) -> Result<Self, Failure> {
        let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
        let (rate, single, work) = match files.kind {
            ModelKind::Encoder => {
                let encoder = BertEncoder::load(files, runtime)?;
                let rate = rate(&turns, |chunk| encoder.encode_passages(chunk).map(drop))?;
                let tokens: usize = encoder.count_tokens(&turns).map_err(aforesaid::Error::from)?.iter().sum();
                let work = (tokens * encoder.multiply_adds_per_token().map_err(aforesaid::Error::from)?) as f64
                    / turns.len() as f64;
                (rate, median(questions, |question| encoder.encode_queries(&[question]).map(drop))?, Some(work))
            }
            ModelKind::Reranker => {
                let scorer = CrossEncoder::load(files, runtime)?;
                let question = questions.first().map_or("", String::as_str);
                let rate = rate(&turns, |chunk| scorer.score(question, chunk).map(drop))?;
                let single =
                    median(questions, |question| scorer.score(question, &turns[..turns.len().min(1)]).map(drop))?;
                (rate, single, None)
            }
        };
        let Runtime { precision, threads, .. } = runtime;
        let peak = runtime.peak(PEAK_TIME).map(|peak| peak * threads.get() as f64);
        Ok(Self {
            precision,
            threads: threads.get(),
            rate,
            single_ms: single.as_secs_f64() * 1e3,
            share_of_peak: work.zip(peak).map(|(work, peak)| rate * work / peak),
        })
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "precision": self.precision.to_string(),
            "threads": self.threads,
            "texts_per_second": self.rate,
            "single_ms": self.single_ms,
            "share_of_peak": self.share_of_peak,
        })
    }
}

/// Texts a second, after a first chunk that is not counted: it makes the memory that later ones use again.
fn rate(texts: &[&str], run: impl Fn(&[&str]) -> Result<(), EncodeError>) -> Result<f64, aforesaid::Error> {
    texts.chunks(CHUNK).take(1).try_for_each(&run)?;
    let (start, mut done) = (Instant::now(), 0);
    for chunk in texts.chunks(CHUNK).cycle() {
        run(chunk)?;
        done += chunk.len();
        if done >= TEXTS || start.elapsed() >= TIME {
            break;
        }
    }
    Ok(done as f64 / start.elapsed().as_secs_f64())
}

/// The median time of single runs, the first one not counted.
fn median(questions: &[String], run: impl Fn(&str) -> Result<(), EncodeError>) -> Result<Duration, aforesaid::Error> {
    let start = Instant::now();
    let mut times = Vec::new();
    for question in questions.iter().cycle().take(QUERIES + 1) {
        let begun = Instant::now();
        run(question)?;
        times.push(begun.elapsed());
        if start.elapsed() >= TIME && times.len() > 2 {
            break;
        }
    }
    let mut counted = times.split_off(times.len().min(1));
    counted.sort();
    Ok(counted.get(counted.len() / 2).copied().unwrap_or_default())
}

fn turns() -> Result<Vec<String>, Failure> {
    let turn = |line| serde_json::from_str(line).map(|turn: Turn| format!("{}: {}", turn.speaker, turn.text));
    CONVERSATION.lines().map(turn).collect::<Result<_, _>>().map_err(damaged)
}

fn questions() -> Result<Vec<String>, Failure> {
    let question = |line| serde_json::from_str(line).map(|question: Question| question.query);
    QUESTIONS.lines().map(question).collect::<Result<_, _>>().map_err(damaged)
}

fn damaged(error: serde_json::Error) -> Failure {
    Failure::Input(format!("the conversation that comes with the program: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_enough_to_read_and_to_ask() {
        assert!(turns().unwrap().len() > CHUNK && questions().unwrap().len() >= 20);
    }

    #[test]
    fn a_rate_counts_texts_and_a_median_leaves_the_first_out() {
        let texts = vec!["ba"; 2 * CHUNK];
        assert!(rate(&texts, |_| Ok(())).unwrap() > 0.0);
        let slow_first = std::cell::Cell::new(true);
        let single = median(&["ba".to_owned()], |_| {
            if slow_first.replace(false) {
                std::thread::sleep(Duration::from_millis(30));
            }
            Ok(())
        });
        assert!(single.unwrap() < Duration::from_millis(30));
    }
}
