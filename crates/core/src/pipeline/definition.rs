//! What a pipeline is made of.

use std::{fmt, sync::Arc};

use super::{
    boost::Boost,
    candidate::{CandidateRanker, CandidateStage, Misfit},
    leg::Leg,
    legs::DenseLeg,
    presets::LEARNED,
    request::SearchContext,
    shared::TermWeights,
    vectors::{SpeakerNames, VectorUse},
};
use crate::{analysis::Analyzer, dense::DenseIndex, fusion::Fusion};

/// Legs, how they are fused, and what is added to the fused scores.
///
/// Its text form reads back: the name of a preset, or a description such as `zscore(0.7, bm25(k1=0.9), dense(max))`;
/// [`fmt::Display`] prints the description.
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    /// What it is called; its description where it has no other name.
    pub name: String,
    /// How text becomes terms.
    pub analyzer: Analyzer,
    /// The legs that are fused, in order.
    pub legs: Vec<Arc<dyn Leg>>,
    /// How their scores become one.
    pub fusion: Fusion,
    /// What is added to the fused scores, in order.
    pub boosts: Vec<Boost>,
    /// What puts the best candidates in another order at last, by what it learned.
    pub stage: Option<CandidateStage>,
}

impl Pipeline {
    /// The fused leg of type `L`, if there is one.
    pub fn leg<L: Leg>(&self) -> Option<&L> {
        self.legs.iter().find_map(|leg| leg.downcast())
    }

    /// Changes the fused leg of type `L`, where there is one.
    pub fn change<L: Leg + Clone>(&mut self, change: impl FnOnce(&mut L)) {
        for leg in &mut self.legs {
            if let Some(found) = leg.downcast::<L>() {
                let mut changed = found.clone();
                change(&mut changed);
                *leg = Arc::new(changed);
                return;
            }
        }
    }

    /// The same with one leg more, at the end and of this weight. Its name becomes its description.
    pub fn with_leg(mut self, leg: impl Leg, weight: f64) -> Self {
        self.fusion.weights.resize(self.legs.len(), 1.0);
        self.fusion.weights.push(weight);
        self.legs.push(Arc::new(leg));
        self.described()
    }

    /// The same without the leg of type `L`.
    pub fn without_leg<L: Leg>(mut self) -> Self {
        if let Some(place) = self.legs.iter().position(|leg| leg.downcast::<L>().is_some()) {
            self.legs.remove(place);
            if place < self.fusion.weights.len() {
                self.fusion.weights.remove(place);
            }
        }
        self
    }

    /// The weights of the boost written with a word; empty where it has none.
    pub fn boost(&self, word: &str) -> Vec<f64> {
        let boost = self.boosts.iter().find(|boost| boost.word == word);
        boost.map_or_else(Vec::new, |boost| boost.legs.iter().map(|(_, weight)| *weight).collect())
    }

    /// The most edits at which another term takes the place of one that nothing holds; 0 for none.
    pub fn spelling(&self) -> u8 {
        self.legs.iter().map(|leg| leg.spelling()).max().unwrap_or(0)
    }

    /// The same with a boost, in place of one written with the same word or behind the others.
    pub fn with_boost(mut self, boost: Boost) -> Self {
        match self.boosts.iter_mut().find(|other| other.word == boost.word) {
            Some(other) => *other = boost,
            None => self.boosts.push(boost),
        }
        self
    }

    /// The same without the boost written with a word.
    pub fn without_boost(mut self, word: &str) -> Self {
        self.boosts.retain(|boost| boost.word != word);
        self
    }

    /// The same with a learned stage at last. Its name becomes its description.
    pub fn with_stage(self, stage: CandidateStage) -> Self {
        Self { stage: Some(stage), ..self }.described()
    }

    /// The same without a learned stage, under its description.
    pub fn without_stage(self) -> Self {
        match self.stage {
            Some(_) => Self { stage: None, ..self }.described(),
            None => self,
        }
    }

    /// The same with queries as the query adapter of that name reads them, under its description.
    pub fn with_query_adapter(mut self, name: &str) -> Self {
        self.change(|leg: &mut DenseLeg| leg.query_adapter = Some(name.to_owned()));
        self.described()
    }

    /// The same with queries as the encoder reads them without a query adapter, under its description.
    pub fn without_query_adapter(mut self) -> Self {
        self.change(|leg: &mut DenseLeg| leg.query_adapter = None);
        self.described()
    }

    /// The ranker of its learned stage for what is searched; `None` where it has no such stage.
    ///
    /// # Errors
    /// Why the ranker is not used: the request is ranked without it.
    pub(super) fn ranker(&self, context: SearchContext<'_>) -> Result<Option<&CandidateRanker>, Misfit> {
        let Some(stage) = &self.stage else { return Ok(None) };
        let ranker = stage.ranker()?;
        let SearchContext { index, candidates, request } = context;
        let compares = request.vector.is_some() && index.dense().is_some_and(DenseIndex::has_any);
        let encoder = index.spec().encoder.as_ref().filter(|_| compares);
        ranker.check(&self.fitted(&ranker.record.pipeline), encoder)?;
        if index.collection().is_some() {
            return Err(Misfit::InStore);
        }
        if ranker.record.among_people && candidates.have_assistant(index) {
            return Err(Misfit::Assistant);
        }
        Ok(Some(ranker))
    }

    /// The description of all but its learned stage.
    pub(super) fn first_stage(&self) -> String {
        Self { stage: None, ..self.clone() }.to_string()
    }

    /// The description of its first stage that a ranker learned with is compared with. A ranker that learned without a query
    /// adapter fits with one too (`docs/decisions/0025-query-adapter.md`).
    fn fitted(&self, learned_with: &str) -> String {
        let plain = self.clone().without_query_adapter().first_stage();
        if plain == learned_with { plain } else { self.first_stage() }
    }

    /// The same under its description.
    pub fn described(mut self) -> Self {
        self.name = self.to_string();
        self
    }

    /// What it comes to where nothing has cue questions.
    pub fn without_cues(mut self) -> Self {
        for leg in &mut self.legs {
            if let Some(without) = leg.without_cues() {
                *leg = without;
            }
        }
        self.without_boost(super::presets::CUE_BOOST)
    }

    /// Whether it compares vectors: one of its fused legs does.
    pub fn compares_vectors(&self) -> bool {
        self.legs.iter().any(|leg| leg.vectors().is_some())
    }

    /// The vectors it compares, those of boosts included; `None` where no fused leg compares any.
    pub fn vectors(&self) -> Option<VectorUse<'_>> {
        let mut all = self.legs.iter().find_map(|leg| leg.vectors())?;
        for more in self.legs.iter().chain(self.boosted()).filter_map(|leg| leg.vectors()) {
            all.cue_questions |= more.cue_questions;
            all.cue_passages |= more.cue_passages;
        }
        Some(all)
    }

    /// The model it asks for by name, if it does.
    pub fn encoder(&self) -> Option<&str> {
        self.legs.iter().find_map(|leg| leg.vectors()?.encoder)
    }

    /// Whether speakers' names are part of the query that is encoded.
    pub fn speaker_names(&self) -> SpeakerNames {
        self.vectors().map(|vectors| vectors.speaker_names).unwrap_or_default()
    }

    /// The query adapter that queries are encoded with, by name, where the encoder has it.
    pub fn query_adapter(&self) -> Option<&str> {
        self.vectors()?.query_adapter
    }

    /// How its first leg that scores words weighs terms.
    pub(super) fn term_weights(&self) -> TermWeights {
        self.legs.iter().find_map(|leg| leg.term_weights()).unwrap_or_default()
    }

    /// The legs of boosts that count.
    pub(super) fn boosted(&self) -> impl Iterator<Item = &Arc<dyn Leg>> {
        self.boosts.iter().flat_map(|boost| &boost.legs).filter(|(_, weight)| *weight > 0.0).map(|(leg, _)| leg)
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(stage) = &self.stage {
            let first_stage = self.first_stage();
            return match stage.is_shipped() {
                true => write!(f, "{LEARNED}({first_stage})"),
                false => write!(f, "{LEARNED}({}, {first_stage})", stage.id()),
            };
        }
        let boosts: Vec<&Boost> = self.boosts.iter().filter(|boost| boost.is_used()).collect();
        boosts.iter().rev().try_for_each(|boost| write!(f, "{}, ", boost.form()))?;
        let legs: Vec<String> = self.legs.iter().map(|leg| leg.form(self.analyzer)).collect();
        match legs.as_slice() {
            [] => f.write_str("nothing")?,
            [one] => f.write_str(one)?,
            _ => {
                let numbers: Vec<String> = self.fusion.numbers().iter().map(f64::to_string).collect();
                write!(f, "{}({})", self.fusion.method.name(), [numbers, legs].concat().join(", "))?;
            }
        }
        boosts.iter().try_for_each(|_| f.write_str(")"))
    }
}
