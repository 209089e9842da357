//! Questions that a history can answer, and the same ones where it cannot.

use std::collections::HashSet;

use aforesaid::types::Draft;

use aforesaid_eval::datasets::{Benchmark, Group, Question, WithAbstentions, is_answerable};

/// Histories of fewer memories lose the gold of one question at a time, longer ones that of an eighth of them.
const SHORT: usize = 1_000;
const PARTS: usize = 8;

/// How it came about that a question can or cannot be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The data set has an answer.
    Answerable,
    /// The data set says that there is none.
    Marked,
    /// The sessions with the answer were taken out of the history.
    Removed,
    /// Somebody who said the answer is asked about by name.
    Attributed,
    /// Somebody is asked about by name who said nothing of the answer.
    Misattributed,
}

impl Kind {
    pub(super) fn is_answerable(self) -> bool {
        matches!(self, Kind::Answerable | Kind::Attributed)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Answerable => "answerable",
            Kind::Marked => "marked",
            Kind::Removed => "gold removed",
            Kind::Attributed => "attributed",
            Kind::Misattributed => "misattributed",
        }
    }
}

/// A benchmark made for the study, with the kind of each question and the history each group is of.
pub(super) struct Variant {
    pub(super) benchmark: Benchmark,
    /// In the order of [`Benchmark::questions`].
    pub(super) kinds: Vec<Kind>,
    /// The group of the published benchmark, by group here.
    pub(super) origins: Vec<usize>,
}

/// The category of questions that ask of the wrong person. Their gold is what the other one said, which is no answer.
const MISTAKEN: &str = "mistaken";

fn is_mistaken(question: &Question) -> bool {
    question.category.as_deref() == Some(MISTAKEN)
}

/// The benchmark with the questions that its authors mark as not answerable among the others.
pub(super) fn published(benchmark: &Benchmark) -> Variant {
    let WithAbstentions { benchmark, answerable } = WithAbstentions::of(benchmark);
    let kind = |(question, answerable)| match (is_mistaken(question), answerable) {
        (true, _) => Kind::Misattributed,
        (false, true) => Kind::Answerable,
        (false, false) => Kind::Marked,
    };
    let kinds = benchmark.questions().zip(answerable).map(kind).collect();
    Variant { origins: (0..benchmark.groups.len()).collect(), kinds, benchmark }
}

/// Every answerable question asked of its history without the sessions that hold its gold.
pub(super) fn without_gold(benchmark: &Benchmark) -> Variant {
    let (mut groups, mut origins) = (Vec::new(), Vec::new());
    for (origin, group) in benchmark.groups.iter().enumerate() {
        let parts = if group.memories.len() < SHORT { group.questions.len() } else { PARTS };
        for part in 0..parts {
            let asked = group.questions.iter().skip(part).step_by(parts.max(1));
            let asked: Vec<&Question> = asked.filter(|question| !is_mistaken(question)).collect();
            groups.extend(remainder(group, &asked, part));
            origins.resize(groups.len(), origin);
        }
    }
    derived(benchmark, groups, origins, Kind::Removed)
}

/// The group without the gold of some of its questions, which are asked of it; `None` where nothing is left.
fn remainder(group: &Group, asked: &[&Question], part: usize) -> Option<Group> {
    let session_of = |draft: &Draft| match draft {
        Draft::Turn(turn) => Some(turn.session.as_str().to_owned()),
        Draft::Note(_) => None,
    };
    let gold: HashSet<&str> = asked.iter().flat_map(|question| question.gold.iter().map(String::as_str)).collect();
    let is_gold = |draft: &&Draft| {
        draft.id().is_some_and(|id| gold.contains(id.as_str()))
            || session_of(draft).is_some_and(|session| gold.contains(session.as_str()))
    };
    let gone: HashSet<String> = group.memories.iter().filter(is_gold).filter_map(session_of).collect();
    let stays = |draft: &Draft| session_of(draft).is_none_or(|session| !gone.contains(&session));
    let memories: Vec<Draft> = group.memories.iter().filter(|draft| stays(draft)).cloned().collect();
    let questions = asked.iter().filter_map(|question| {
        let before = match &question.before {
            None => None,
            Some(before) => {
                // What it names may be gone: the next that stays bounds the same history.
                let at = group.memories.iter().position(|draft| draft.id() == Some(before))?;
                let next = group.memories[at..].iter().find(|draft| stays(draft));
                next.and_then(|draft| draft.id().cloned())
            }
        };
        let text = question.text.clone();
        let id = format!("{}::{part}", question.id);
        let now = question.now.clone();
        Some(Question { id, text, gold: Vec::new(), before, now, category: None, answer: None })
    });
    let questions: Vec<Question> = questions.collect();
    (!memories.is_empty() && !questions.is_empty()).then(|| Group {
        id: format!("{}::{part}", group.id),
        memories,
        questions,
    })
}

/// Every answerable question asked twice, with a name after it: of somebody who said gold, which is gold no more
/// where others said it, and of the one who speaks most among those who said none.
pub(super) fn attributed(benchmark: &Benchmark) -> Variant {
    let mut groups = Vec::new();
    let mut kinds = Vec::new();
    for group in &benchmark.groups {
        let speakers = speakers(group);
        let mut questions = Vec::new();
        for question in group.questions.iter().filter(|question| is_answerable(question)) {
            let said_gold = |name: &str| -> Vec<String> {
                let turns = group.memories.iter().filter_map(|draft| match draft {
                    Draft::Turn(turn) if turn.speaker == name => turn.id.as_ref().map(ToString::to_string),
                    _ => None,
                });
                turns.filter(|id| question.gold.contains(id)).collect()
            };
            let gold: Vec<(&String, Vec<String>)> = speakers.iter().map(|name| (name, said_gold(name))).collect();
            let speaker = gold.iter().find(|(_, gold)| !gold.is_empty());
            let silent = gold.iter().find(|(_, gold)| gold.is_empty());
            for (kind, asked) in [(Kind::Attributed, speaker), (Kind::Misattributed, silent)] {
                let (Some((name, gold)), true) = (asked, speaker.is_some() && silent.is_some()) else { continue };
                questions.push(Question {
                    id: format!("{}::{}", question.id, kind.name()),
                    text: format!("{} ({name})", question.text),
                    gold: gold.clone(),
                    ..question.clone()
                });
                kinds.push(kind);
            }
        }
        groups.push(Group { id: group.id.clone(), memories: group.memories.clone(), questions });
    }
    Variant { origins: (0..groups.len()).collect(), benchmark: Benchmark { groups, ..benchmark.clone() }, kinds }
}

/// Who speaks in a group, those with most turns first.
fn speakers(group: &Group) -> Vec<String> {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for draft in &group.memories {
        let Draft::Turn(turn) = draft else { continue };
        match counted.iter_mut().find(|(name, _)| *name == turn.speaker) {
            Some((_, turns)) => *turns += 1,
            None => counted.push((turn.speaker.clone(), 1)),
        }
    }
    counted.sort_by_key(|(_, turns)| std::cmp::Reverse(*turns));
    counted.into_iter().map(|(name, _)| name).collect()
}

fn derived(benchmark: &Benchmark, groups: Vec<Group>, origins: Vec<usize>, kind: Kind) -> Variant {
    let made = Benchmark { groups, ..benchmark.clone() };
    Variant { kinds: vec![kind; made.questions().count()], benchmark: made, origins }
}

#[cfg(test)]
mod tests {
    use aforesaid::types::{ConversationId, Granularity, MemoryId, SessionId, Turn};

    use super::*;
    use aforesaid_eval::datasets::{Excluded, Ledger};

    fn turn(id: &str, session: &str, speaker: &str) -> Draft {
        Draft::Turn(Turn {
            id: Some(MemoryId::new(id).unwrap()),
            ..Turn::new(
                ConversationId::new("garden").unwrap(),
                SessionId::new(session).unwrap(),
                speaker,
                format!("said in {id}"),
            )
        })
    }

    fn question(id: &str, text: &str, gold: &str, category: &str) -> Question {
        Question {
            id: id.to_owned(),
            text: text.to_owned(),
            gold: vec![gold.to_owned()],
            category: Some(category.to_owned()),
            before: Some(MemoryId::new("t3").unwrap()),
            now: None,
            answer: None,
        }
    }

    fn benchmark() -> Benchmark {
        let memories =
            vec![turn("t1", "s1", "Ann"), turn("t2", "s1", "Bob"), turn("t3", "s2", "Ann"), turn("t4", "s3", "Ann")];
        let questions = vec![
            question("q1", "What was planted?", "t1", "fact"),
            question("q2", "What did he plant?", "t3", "adversarial"),
        ];
        let abstention = Excluded {
            question: "q3".to_owned(),
            text: "Who flew?".to_owned(),
            group: "garden".to_owned(),
            before: None,
            now: None,
        };
        Benchmark {
            dataset: "ours".to_owned(),
            unit: Granularity::Turn,
            groups: vec![Group { id: "garden".to_owned(), memories, questions }],
            ledger: Ledger { excluded: [("abstention", vec![abstention])].into(), ..Ledger::default() },
        }
    }

    #[test]
    fn what_the_authors_mark_is_marked() {
        let variant = published(&benchmark());
        assert_eq!(variant.kinds, [Kind::Answerable, Kind::Marked, Kind::Marked]);
        assert_eq!(variant.benchmark.questions().nth(2).unwrap().text, "Who flew?");
    }

    #[test]
    fn the_sessions_with_gold_are_gone() {
        let variant = without_gold(&benchmark());
        let ids =
            |group: &Group| -> Vec<String> { group.memories.iter().map(|m| m.id().unwrap().to_string()).collect() };
        assert_eq!(
            variant.benchmark.groups.iter().map(ids).collect::<Vec<_>>(),
            [vec!["t3", "t4"], vec!["t1", "t2", "t4"]]
        );
        let before: Vec<_> = variant.benchmark.questions().map(|q| q.before.clone().unwrap().to_string()).collect();
        assert_eq!(before, ["t3", "t4"], "the next that stays, where the session itself is gone");
        assert_eq!((variant.kinds, variant.origins), (vec![Kind::Removed; 2], vec![0, 0]));
    }

    #[test]
    fn a_name_is_asked_about() {
        let variant = attributed(&benchmark());
        let asked: Vec<(&str, &[String])> =
            variant.benchmark.questions().map(|question| (question.text.as_str(), &question.gold[..])).collect();
        let gold = ["t1".to_owned()];
        assert_eq!(asked, [("What was planted? (Ann)", &gold[..]), ("What was planted? (Bob)", &[])]);
        assert_eq!(variant.kinds, [Kind::Attributed, Kind::Misattributed]);
    }
}
