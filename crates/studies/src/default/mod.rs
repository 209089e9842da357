//! The study of the default: what each piece of `hybrid` brings, what the candidate ranker adds, how far it is above
//! simple systems, which fusion serves it best, and what the importance prior does.

mod ablation;
mod corpus;
mod fusions;
mod gains;
mod ground;
mod importance;
mod pieces;
mod questions;
mod references;

use std::path::Path;

use self::{
    ablation::Ablation,
    fusions::HeadToHead,
    ground::{AUDITED, Ground, PLANS, Plan, Stage},
    importance::Prior,
    references::Against,
};
use crate::{Section, Study};
use crate::{StudyError, encoder_of};
use aforesaid_eval::{experiments::Observer, recipe::Equipment, reports::Table};

/// All that was measured on one ground.
struct Findings {
    against: Against,
    ablation: Ablation,
    fusions: HeadToHead,
}

impl Findings {
    fn of(stage: &Stage<'_>) -> Result<Self, StudyError> {
        Ok(Self { against: Against::of(stage)?, ablation: Ablation::of(stage)?, fusions: HeadToHead::of(stage)? })
    }

    fn name(&self) -> &'static str {
        self.against.plan.name
    }
}

/// Runs the whole study on the data sets in `folder`, each in the folder of its name; what is not there is left out.
///
/// # Errors
/// When none of the data sets is there, one cannot be read, there is no encoder, or a search fails.
pub fn default_study(folder: &Path, equipment: &Equipment, observe: &Observer<'_>) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of the default", equipment)?;
    let (mut all, mut audited, mut priors) = (Vec::new(), Vec::new(), Vec::new());
    let mut data = Table::new(["measured on", "questions", "histories", "resampled", "not measured", "sha256"]);
    let mut questions = questions::QuestionRows::new()?;
    for plan in &PLANS {
        let Some(ground) = plan.load(folder)? else {
            data.push(left_out(plan));
            continue;
        };
        let stage = Stage::new(&ground, equipment, observe)?;
        let findings = Findings::of(&stage)?;
        drop(stage);
        if importance::applies(&ground) {
            priors.push(Prior::of(&ground, equipment, observe)?);
        }
        data.push(described(&ground, &findings.against));
        questions.add(&ground, &findings)?;
        all.push(findings);
    }
    if all.is_empty() {
        return Err(nothing_there(folder));
    }
    for plan in &AUDITED {
        let Some(ground) = plan.load(folder)? else {
            data.push(left_out(plan));
            continue;
        };
        let against = Against::of(&Stage::new(&ground, equipment, observe)?)?;
        data.push(described(&ground, &against));
        audited.push(against);
    }
    let against: Vec<&Against> = all.iter().map(|findings| &findings.against).chain(&audited).collect();
    Ok(Study {
        title: "The default, piece by piece".to_owned(),
        preface: format!(
            "The default is `learned`: `hybrid`, and where no assistant speaks the candidate ranker over its best \
             turns. What is taken apart here is `hybrid`, `{}`; encoder {encoder}. Every ranking is the engine's own \
             search at full depth. Intervals and p-values come from the paired bootstrap (4,000 resamples, 95%) over whole conversations, or over \
             questions where there is one history; with as few conversations as here such \
             intervals are somewhat too narrow. The numbers of `hybrid` were set by hand with an eye on these sets: \
             nothing here is held out.",
            pieces::hybrid()
        ),
        sections: [
            vec![Section::table("Data", "", data)],
            ablation::sections(&all)?,
            references::sections(&against)?,
            fusions::sections(&all)?,
            importance::sections(&priors)?,
        ]
        .into_iter()
        .flatten()
        .collect(),
        questions: questions.finish()?,
    })
}

fn described(ground: &Ground, against: &Against) -> [String; 6] {
    [
        ground.plan.name.to_owned(),
        ground.benchmark.questions().count().to_string(),
        ground.benchmark.groups.len().to_string(),
        against.resampling.what.to_owned(),
        ground.benchmark.excluded().to_string(),
        ground.data.clone(),
    ]
}

fn left_out(plan: &Plan) -> [String; 2] {
    [plan.name.to_owned(), "left out: not there".to_owned()]
}

fn nothing_there(folder: &Path) -> StudyError {
    let mut names: Vec<&str> = PLANS.iter().map(|plan| plan.dataset.folder()).collect();
    names.dedup();
    StudyError::NoData { folder: folder.to_owned(), expected: names.join(", ") }
}
