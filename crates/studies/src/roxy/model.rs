//! What of the paper needs a language model: the judge, and answers in words.

use std::{fmt, num::NonZeroUsize};

use aforesaid::{
    Context, LlmReranker, Pipeline, Reranking,
    llm::{
        AnswerPrompt, AnswerSettings, Chat, ChatRequest, ContextMemory, Freshness, JudgeSettings, LlmError, Outcome,
        without_reasoning,
    },
};

use super::{DEPTHS, Grid, Section, Strategy, published, recall, tables::percent, turn_measures};
use crate::StudyError;
use aforesaid_eval::{
    datasets::Question,
    experiments::{Bench, Observer, Step},
    measures::{Category, Evaluation, evaluate, score},
    reports::Table,
};

/// Memories that an answer is written from (ROXY's k_ctx).
const CONTEXT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4);

/// What a model is asked for.
#[derive(Debug, Clone)]
pub struct ModelTasks<'a> {
    /// The model; what its cache holds is not asked for again.
    pub chat: &'a Chat,
    /// How it judges, if it is to.
    pub judge: Option<JudgeSettings>,
    /// Whether it answers.
    pub answers: bool,
}

/// A pipeline under a judge of some depth.
struct Judged {
    strategy: Strategy,
    questions: usize,
    depth: usize,
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, n_q {}, k_ret {}", self.strategy, self.questions, self.depth)
    }
}

/// Every strategy at the paper's depth, the default at every depth.
fn plan(questions: usize) -> impl Iterator<Item = Judged> {
    let at = move |strategy, depth| Judged { strategy, questions, depth };
    let usual = Strategy::ALL.map(|strategy| at(strategy, 40));
    let others = DEPTHS.into_iter().filter(|&depth| depth != 40).map(move |depth| at(Strategy::All, depth));
    usual.into_iter().chain(others.filter(move |_| questions == 3))
}

/// What came of it for turns.
#[derive(Default)]
pub(super) struct Findings {
    judged: Vec<(Judged, Evaluation, usize)>,
    /// The score of each question's answer.
    answers: Option<Vec<f64>>,
}

fn depth(turns: usize) -> NonZeroUsize {
    NonZeroUsize::new(turns).unwrap_or(LlmReranker::DEPTH)
}

impl ModelTasks<'_> {
    fn reranker(&self, settings: &JudgeSettings) -> LlmReranker<'_> {
        LlmReranker { settings: settings.clone(), ..LlmReranker::new(self.chat) }
    }

    /// What a bench of turns with so many questions a memory shows.
    pub(super) fn measure(
        &self,
        bench: &Bench<'_>,
        questions: usize,
        observe: &Observer<'_>,
        findings: &mut Findings,
    ) -> Result<(), StudyError> {
        let qrels = bench.benchmark().qrels()?;
        for judged in self.judge.iter().flat_map(|_| plan(questions)).filter(|_| questions != 1) {
            let Some(settings) = &self.judge else { continue };
            let pipeline: Pipeline = judged.strategy.pipeline().parse()?;
            let reranker = self.reranker(settings);
            let reranking = Reranking { reranker: &reranker, depth: depth(judged.depth) };
            let (run, skipped) = bench.reranked(&judged.to_string(), &pipeline, reranking, observe)?;
            findings.judged.push((judged, evaluate(&run, &qrels, &turn_measures())?, skipped));
        }
        if self.answers && questions == 3 {
            findings.answers = Some(self.answer(bench, observe)?);
        }
        Ok(())
    }

    /// Requests of [`ModelTasks::measure`] for a batch service; those of answers where nothing is judged before.
    pub(super) fn requests(
        &self,
        bench: &Bench<'_>,
        questions: usize,
        observe: &Observer<'_>,
    ) -> Result<Vec<ChatRequest>, StudyError> {
        let mut requests = Vec::new();
        for judged in plan(questions).filter(|_| questions != 1) {
            let Some(settings) = &self.judge else { continue };
            let pipeline: Pipeline = judged.strategy.pipeline().parse()?;
            requests.extend(bench.rerank_requests(&pipeline, (settings, depth(judged.depth)), observe)?);
        }
        if self.answers && self.judge.is_none() && questions == 3 {
            let contexts = bench.contexts(&Pipeline::hybrid(), None, CONTEXT, observe)?;
            let asked = bench.benchmark().questions().zip(&contexts);
            requests.extend(asked.map(|(question, context)| request(question, context)));
        }
        Ok(requests)
    }

    /// The scores of answers, each from the best memories of the default pipeline, judged where there is a judge.
    fn answer(&self, bench: &Bench<'_>, observe: &Observer<'_>) -> Result<Vec<f64>, StudyError> {
        let reranker = self.judge.as_ref().map(|settings| self.reranker(settings));
        let reranking = reranker.as_ref().map(|reranker| Reranking::new(reranker));
        let contexts = bench.contexts(&Pipeline::hybrid(), reranking, CONTEXT, observe)?;
        let total = contexts.len();
        let asked = bench.benchmark().questions().zip(&contexts).enumerate();
        let scores = asked.map(|(place, (question, context))| {
            observe(Step { work: "answering", done: place + 1, total });
            let reply = self.chat.complete(&request(question, context), Freshness::CacheAllowed)?;
            let said = match reply.outcome {
                Outcome::Text(text) => without_reasoning(&text).trim().to_owned(),
                // A model that refuses or is cut says nothing of the answer.
                _ => String::new(),
            };
            let (kind, gold) = (kind(question), question.answer.as_deref().unwrap_or_default());
            Ok::<f64, LlmError>(score(&chosen(&said, kind, gold), gold, kind))
        });
        scores.collect::<Result<Vec<f64>, LlmError>>().map_err(StudyError::Llm)
    }
}

/// The paper's prompt for a question of its category (appendix A.5.3).
fn request(question: &Question, context: &Context) -> ChatRequest {
    let memories = context.memories.iter().map(|source| ContextMemory {
        id: source.cite.clone(),
        passage: source.memory.passage(),
        said_at: source.memory.said_at.map(|at| at.to_string()),
    });
    let prompt = match kind(question) {
        Category::Temporal => AnswerPrompt::Temporal,
        Category::Adversarial => AnswerPrompt::Choice { offered: question.answer.clone().unwrap_or_default() },
        _ => AnswerPrompt::Plain,
    };
    prompt.request(&AnswerSettings::default(), &question.text, &memories.collect::<Vec<_>>())
}

/// Unknown categories are answered and scored like single-hop ones; LoCoMo has none.
fn kind(question: &Question) -> Category {
    question.category.as_deref().and_then(|name| name.parse().ok()).unwrap_or(Category::SingleHop)
}

/// The words of a choice that was named by its letter.
fn chosen(said: &str, kind: Category, offered: &str) -> String {
    let letter = said.trim().trim_start_matches('(').chars().next().map(|c| c.to_ascii_lowercase());
    let is_letter = said.trim().chars().filter(|c| c.is_alphanumeric()).count() == 1 || said.trim().starts_with('(');
    match (kind, letter) {
        (Category::Adversarial, Some('a')) if is_letter => "Not mentioned in the conversation".to_owned(),
        (Category::Adversarial, Some('b')) if is_letter => offered.to_owned(),
        _ => said.to_owned(),
    }
}

pub(super) fn of_study(turns: &Grid, findings: &Findings, model: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    if !findings.judged.is_empty() {
        let note =
            format!("Judged by {model}. Where it gave no judgement the pipeline's order stands, and is counted.");
        sections.push(Section::table("With a judge: turns, Recall@5, per cent", note, judged(turns, findings)));
    }
    if let Some(scores) = &findings.answers {
        let note = format!("Answered by {model} from five memories, with the paper's prompts and LoCoMo's F1.");
        sections.push(Section::table("Table 2: answers, F1, per cent", note, answers(turns, scores)));
    }
    sections
}

fn judged(turns: &Grid, findings: &Findings) -> Table {
    let mut table = Table::new(["system"]);
    table.head.extend(published::CATEGORIES.map(str::to_owned));
    table.head.extend(["all", "recall@40", "not judged"].map(str::to_owned));
    for (judged, evaluation, skipped) in &findings.judged {
        let of = |(_, places): (&str, Vec<usize>)| evaluation.mean_over(recall(5), &places);
        let means = turns.categories().into_iter().map(of).chain([evaluation.mean(recall(5))]);
        let cells = means.chain([evaluation.mean(recall(40))]).map(|mean| mean.map(percent).unwrap_or_default());
        table.push([judged.to_string()].into_iter().chain(cells).chain([skipped.to_string()]));
    }
    table
}

fn answers(turns: &Grid, scores: &[f64]) -> Table {
    let mut table = Table::new(["system"]);
    table.head.extend(published::CATEGORIES.map(str::to_owned));
    table.head.push("all".to_owned());
    let (name, by_category, all) = published::ANSWERS;
    let cells = by_category.into_iter().chain([all]).map(|value| format!("{value:.1}"));
    table.push([name.to_owned()].into_iter().chain(cells));
    let mean = |places: &[usize]| match places.len() {
        0 => String::new(),
        count => percent(places.iter().map(|&place| scores[place]).sum::<f64>() / count as f64),
    };
    let cells = turns.categories().into_iter().map(|(_, places)| mean(&places));
    table.push(["ours".to_owned()].into_iter().chain(cells).chain([mean(&(0..scores.len()).collect::<Vec<_>>())]));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_stands_for_its_choice() {
        let chosen = |said: &str| chosen(said, Category::Adversarial, "a red kite");
        for said in ["(a)", "a", " (A) Not mentioned in the conversation", "a."] {
            assert_eq!(chosen(said), "Not mentioned in the conversation", "{said}");
        }
        assert_eq!((chosen("(b)").as_str(), chosen("B").as_str()), ("a red kite", "a red kite"));
        assert_eq!(chosen("a blue boat"), "a blue boat");
        assert_eq!(super::chosen("a", Category::SingleHop, "x"), "a");
    }

    #[test]
    fn the_default_is_judged_at_every_depth() {
        let names: Vec<String> = plan(3).map(|judged| judged.to_string()).collect();
        assert_eq!((names.len(), plan(0).count()), (6, 4));
        assert_eq!(names[5], "all (default), n_q 3, k_ret 50");
    }
}
