//! A leg of your own, in one file: turns that were said lately score higher.
//!
//! Put it into a pipeline by `Pipeline::hybrid().with_leg(RecencyLeg { half_life: 30.0 }, 0.2)`, or read it from text by
//! `Pipeline::read_with("zscore(0.7, 0.3, bm25, recency(half_life=30))", &[READER])`. Search, fusion, `--explain`, `why`
//! and the JSON show it without another edit. The tests of this project compile and run this file.

use std::sync::Arc;

use aforesaid::{
    StoreError,
    analysis::Analyzer,
    pipeline::{Call, Column, Leg, LegInput, LegReader, ReadLeg, Scores, number},
};

/// Scores in (0, 1]: 1 for the newest candidate, half of it for one a half-life older. A candidate without a time
/// scores 0 and counts as not found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecencyLeg {
    /// Days, above 0.
    pub half_life: f64,
}

/// Reads `recency` and `recency(half_life=30)`.
pub const READER: LegReader = LegReader { word: "recency", read };

const DAY: f64 = 24.0 * 60.0 * 60.0 * 1000.0;

impl Leg for RecencyLeg {
    fn name(&self) -> &'static str {
        "recency"
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        format!("recency(half_life={})", self.half_life)
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        let documents = input.context.index.documents();
        let last_said = |unit: &u32| {
            let texts = input.context.texts_of(unit).iter();
            texts.filter_map(|&text| documents.said_at(text)).max()
        };
        let times: Vec<Option<i64>> = input.units.iter().map(|unit| Some(last_said(unit)?.millis())).collect();
        let Some(newest) = times.iter().flatten().max().copied() else { return Ok(None) };
        let score = |time: i64| (-((newest - time) as f64 / DAY) / self.half_life).exp2();
        let scores = times.into_iter().map(|time| time.map_or(0.0, score)).collect();
        Ok(Some(Box::new(Scores::new(scores, Some(0.0)))))
    }

    /// It reorders what other legs find: being new is no evidence.
    fn feeds_pool(&self) -> bool {
        false
    }
}

fn read(call: &Call<'_>) -> Result<ReadLeg, String> {
    let mut half_life = 30.0;
    for argument in &call.arguments {
        match argument.key {
            Some("half_life") => half_life = number("half_life", argument.value, f64::MAX)?,
            _ => return Err(format!("recency has one parameter, half_life; found {:?}", argument.text)),
        }
    }
    match half_life > 0.0 {
        true => Ok(ReadLeg { leg: Arc::new(RecencyLeg { half_life }), analyzer: None }),
        false => Err("half_life=0: expected a number of days above 0".to_owned()),
    }
}
