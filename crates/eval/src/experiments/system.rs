//! What is measured: a pipeline, and how its numbers are found.

use std::str::FromStr;

use aforesaid::{
    Pipeline,
    analysis::Analyzer,
    formats::Captions,
    lexical::Bm25,
    pipeline::{InvalidPipeline, LexicalLeg},
};

use super::{Choices, Criterion, choices::Set};

/// A pipeline under a name.
///
/// Its text form is a preset's name or description (see [`Pipeline`]); in a description, a set of numbers in the place of
/// a number (`bm25(k1={0.9, 1.2})`, see [`Choices`]) has it chosen by leave-one-conversation-out.
/// `paper-fusion-max`, `-mean`, `-top3` and `-lse` are the fusion study's (section 3, eq. 5).
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// As asked for.
    pub name: String,
    /// The pipeline; where numbers are to be chosen, with the first of each set.
    pub pipeline: Pipeline,
    /// Its description with the numbers that are to be chosen, if any.
    pub choices: Choices,
    /// By what they are chosen.
    pub criterion: Criterion,
    /// Whether image captions are part of what is indexed; the published baselines leave them out.
    pub captions: Captions,
}

/// A text that describes no system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSystem {
    /// A set of numbers that is none.
    #[error("system {system:?}: {problem}")]
    Choices {
        /// The text.
        system: String,
        /// What was found and what was expected.
        problem: String,
    },
    /// The description, or a value of a set in its place.
    #[error(transparent)]
    Pipeline(#[from] InvalidPipeline),
}

impl System {
    /// Whether numbers of it are to be chosen.
    pub fn chooses(&self) -> bool {
        !self.choices.sets().is_empty()
    }

    /// The pipeline with one value of each set, by place.
    ///
    /// # Errors
    /// When values that each go with the first of the other sets do not go together.
    pub fn at(&self, configuration: &[usize]) -> Result<Pipeline, InvalidSystem> {
        match self.chooses() {
            true => Ok(self.choices.describe(configuration).parse()?),
            false => Ok(self.pipeline.clone()),
        }
    }

    /// The pipelines along the first set, the others at their first value; the pipeline itself where there is no set.
    ///
    /// # Errors
    /// None for a system that was read.
    pub fn along_first(&self) -> Result<Vec<Pipeline>, InvalidSystem> {
        let values = self.choices.sets().first().map_or(1, |set| set.values.len());
        (0..values).map(|place| self.at(&[place])).collect()
    }

    /// The system itself where it has numbers to choose; otherwise with the usual ones opened: the fusion weight, and
    /// BM25's k1 and b, each with the value it has in front.
    ///
    /// # Errors
    /// None for a system that was read.
    pub fn opened(&self) -> Result<Self, InvalidSystem> {
        if self.chooses() {
            return Ok(self.clone());
        }
        let lexical = self.pipeline.leg::<LexicalLeg>().copied();
        // Plain values are not printed, and those to be chosen can be put there.
        // A ranker is of one pipeline, and these are many.
        let mut plain = Pipeline { boosts: Vec::new(), stage: None, ..self.pipeline.clone() };
        plain.change(|leg: &mut LexicalLeg| leg.bm25 = LexicalLeg::PLAIN.bm25);
        let mut described = plain.to_string();
        if let (2, Some((fusion, rest))) = (plain.legs.len(), described.split_once('(')) {
            described = match (fusion, rest.split_once(',')) {
                ("rrf", _) => format!("rrf(loco,{}", rest.splitn(4, ',').last().unwrap_or_default()),
                (_, Some((weight, legs))) => format!("{fusion}({{{weight}, 0..1/0.05}},{legs}"),
                _ => described,
            };
        }
        if let Some(LexicalLeg { bm25: Bm25 { k1, b }, .. }) = lexical {
            let sets = format!("k1={{{k1}, 0.6, 0.9, 1.2, 1.5, 2}}, b={{{b}, 0.2, 0.4, 0.6, 0.75}}");
            described = match described.contains("bm25(") {
                true => described.replacen("bm25(", &format!("bm25({sets}, "), 1),
                false => described.replacen("bm25", &format!("bm25({sets})"), 1),
            };
        }
        for boost in &self.pipeline.boosts {
            let weights: Vec<String> = boost.legs.iter().map(|(_, weight)| weight.to_string()).collect();
            described = format!("{}({}, {described})", boost.word, weights.join(":"));
        }
        let opened: Self = described.parse()?;
        Ok(Self { captions: self.captions, criterion: self.criterion.clone(), ..opened })
    }
}

impl FromStr for System {
    type Err = InvalidSystem;

    fn from_str(text: &str) -> Result<Self, InvalidSystem> {
        let name = text.trim();
        let pooled = |pooling: &str| format!("zscore(loco, paper-bm25, dense({pooling}))");
        let described = match name {
            "paper-fusion-mean" => pooled("mean"),
            "paper-fusion-max" => pooled("max"),
            "paper-fusion-top3" => pooled("top3"),
            "paper-fusion-lse" => pooled("lse10"),
            _ => name.to_owned(),
        };
        let choices =
            Choices::read(&described).map_err(|problem| InvalidSystem::Choices { system: name.to_owned(), problem })?;
        let pipeline: Pipeline = choices.describe(&[]).parse()?;
        for (set, Set { values, .. }) in choices.sets().iter().enumerate() {
            for place in 1..values.len() {
                let mut configuration = vec![0; set + 1];
                configuration[set] = place;
                choices.describe(&configuration).parse::<Pipeline>()?;
            }
        }
        // The published baselines, and the analyzer that serves them alone, know no captions.
        let published = name.starts_with("paper-") || pipeline.analyzer == Analyzer::FusionStudy;
        let captions = if published { Captions::Drop } else { Captions::Keep };
        Ok(Self { name: name.to_owned(), pipeline, choices, criterion: Criterion::default(), captions })
    }
}

#[cfg(test)]
mod tests {
    use aforesaid::fusion::Fusion;

    use super::*;

    #[test]
    fn names_and_descriptions() {
        let system: System = "paper-fusion-top3".parse().unwrap();
        assert_eq!((system.chooses(), system.captions), (true, Captions::Drop));
        assert_eq!(system.at(&[5]).unwrap().to_string(), "zscore(0.25, bm25(paper-2606), dense(top3))");

        let system: System = "minmax( loco , lexical, dense(max))".parse().unwrap();
        assert_eq!((system.chooses(), system.captions), (true, Captions::Keep));
        assert_eq!(system.pipeline.fusion, Fusion::minmax(0.0));

        let system: System = "rrf(loco, bm25, dense)".parse().unwrap();
        assert_eq!(system.at(&[5]).unwrap().fusion, Fusion::rrf(60.0, [0.25, 0.75]));
        let weights: Vec<Fusion> = system.along_first().unwrap().into_iter().map(|pipeline| pipeline.fusion).collect();
        let expected = crate::experiments::tuning::alphas();
        assert_eq!(weights, expected.map(|a| Fusion::rrf(60.0, [a, 1.0 - a])).collect::<Vec<_>>());

        let system: System = "hybrid".parse().unwrap();
        assert_eq!((&system.pipeline, system.chooses()), (&Pipeline::hybrid(), false));
        assert_eq!(system.along_first().unwrap(), [Pipeline::hybrid()]);
    }

    #[test]
    fn any_number_may_be_a_set() {
        let described = "zscore({0.7, 0.5}, bm25(k1={0.9,1.2}, turns={0.6,0.9}:1), dense(lse{5, 10}))";
        let system: System = described.parse().unwrap();
        assert_eq!(system.pipeline.to_string(), "zscore(0.7, bm25(k1=0.9, turns=0.6:1), dense(lse5))");
        assert_eq!(
            system.at(&[1, 1, 1, 1]).unwrap().to_string(),
            "zscore(0.5, bm25(k1=1.2, turns=0.9:1), dense(lse10))"
        );
    }

    #[test]
    fn every_value_is_read_before_anything_runs() {
        for (system, named) in [
            ("zscore(loco, dense)", "found 1 leg"),
            ("hibrid", "hibrid"),
            ("bm25(k1={0.9, 1.2}, b={0.4, 0.75, 4})", "b=4"),
            ("bm25(k2={0.9})", "k2"),
            ("bm25(k1={0.9}", "bracket"),
            ("bm25(k1={})", "system \"bm25(k1={})\": the set {}: found \"\""),
        ] {
            let error = system.parse::<System>().unwrap_err().to_string();
            assert!(error.contains(named), "{system}: {error}");
        }
    }

    #[test]
    fn values_may_not_go_together() {
        // Each goes with the first of the other, but a mix of nothing and nothing is none.
        let system: System = "bm25(turns={1, 0}:{1, 0})".parse().unwrap();
        assert!(system.at(&[1, 0]).is_ok() && system.at(&[0, 1]).is_ok());
        assert!(system.at(&[1, 1]).unwrap_err().to_string().contains("turns=0:0"));
    }

    #[test]
    fn the_usual_numbers_are_opened() {
        let opened = |system: &str| system.parse::<System>().unwrap().opened().unwrap();
        for system in ["hybrid", "lexical", "bm25", "dense(max)", "paper-bm25", "minmax(0.25, bm25(b=0.5), dense)"] {
            let before: Pipeline = system.parse().unwrap();
            assert_eq!(opened(system).pipeline.to_string(), before.to_string());
        }
        let sets = |system: &str| {
            let opened = opened(system);
            opened.choices.sets().iter().map(|set| (set.name.clone(), set.values.len())).collect::<Vec<_>>()
        };
        let named = |sets: &[(&str, usize)]| sets.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect::<Vec<_>>();
        assert_eq!(sets("hybrid"), named(&[("zscore argument 1", 21), ("k1", 5), ("b", 4)]));
        assert_eq!(sets("rrf(bm25(b=0.5), dense)"), named(&[("rrf argument 1", 21), ("k1", 5), ("b", 5)]));
        assert_eq!(sets("dense(max)"), []);
        assert_eq!(opened("paper-bm25").captions, Captions::Drop);
        assert_eq!(opened("bm25(k1={1, 2})").name, "bm25(k1={1, 2})");
    }
}
