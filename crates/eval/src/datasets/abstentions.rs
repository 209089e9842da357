//! The questions that a history answers together with those that it does not.

use super::{Benchmark, Question};

/// LoCoMo's name for questions that its conversations cannot answer, though they have evidence as if they could.
const ADVERSARIAL: &str = "adversarial";

/// A benchmark in which all of its questions are asked.
#[derive(Debug, Clone, PartialEq)]
pub struct WithAbstentions {
    /// The benchmark; questions that nothing answers stand behind the others of their group, with no gold.
    pub benchmark: Benchmark,
    /// Whether its history answers a question, in the order of [`Benchmark::questions`].
    pub answerable: Vec<bool>,
}

impl WithAbstentions {
    /// The questions that the authors of a benchmark mark as not answerable, among the others.
    ///
    /// The gold of LoCoMo's adversarial questions counts for nothing.
    pub fn of(benchmark: &Benchmark) -> Self {
        let mut made = benchmark.clone();
        let mut answerable = Vec::new();
        for group in &mut made.groups {
            let marked = benchmark.abstentions(&group.id).map(|excluded| Question {
                id: excluded.question.clone(),
                text: excluded.text.clone(),
                gold: Vec::new(),
                category: None,
                before: excluded.before.clone(),
                now: excluded.now.clone(),
                answer: None,
            });
            group.questions.extend(marked);
            answerable.extend(group.questions.iter().map(is_answerable));
        }
        Self { benchmark: made, answerable }
    }
}

/// Whether the history of a question answers it.
pub fn is_answerable(question: &Question) -> bool {
    !question.gold.is_empty() && question.category.as_deref() != Some(ADVERSARIAL)
}
