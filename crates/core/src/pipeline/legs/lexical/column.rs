//! The lexical leg in the table of signals.

use std::sync::Arc;

use super::{
    features::{AnswerFeatures, TurnFeatures},
    form,
    leg::{LexicalLeg, UnitWeights},
    scores::LexicalScores,
};
use crate::{
    analysis::Analyzer,
    error::StoreError,
    explain::Explain,
    pipeline::{
        cue_terms::CueTerms,
        leg::{Column, Leg, LegInput},
        matches::{FeatureMatch, TermMatch, TermPlace},
        request::{LegHit, SearchContext},
        shared::TermWeights,
    },
    types::Granularity,
};

/// Terms named in a sentence.
const NAMED: usize = 5;

impl Leg for LexicalLeg {
    fn spelling(&self) -> u8 {
        self.spelling
    }

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, analyzer: Analyzer) -> String {
        form::write(*self, analyzer)
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        let SearchContext { index, candidates, request } = input.context;
        let query = (request.question, input.shared.cue_terms());
        let scores = self.candidate_scores(index, candidates, query, request.unit);
        Ok(Some(Box::new(LexicalColumn { leg: *self, scores })))
    }

    fn term_weights(&self) -> Option<TermWeights> {
        Some(TermWeights { bm25: self.bm25, bigrams: self.bigrams })
    }

    fn without_cues(&self) -> Option<Arc<dyn Leg>> {
        Some(Arc::new(Self { cues: Self::PLAIN.cues, ..*self }))
    }
}

struct LexicalColumn {
    leg: LexicalLeg,
    scores: LexicalScores,
}

impl Column for LexicalColumn {
    fn scores(&self) -> &[f64] {
        &self.scores.units
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    fn turn_scores(&self, turns: &[u32]) -> Option<Vec<f64>> {
        Some(turns.iter().map(|&turn| self.scores.turns[turn as usize]).collect())
    }

    fn best_texts(&self, context: SearchContext<'_>) -> Vec<u32> {
        self.scores.best_texts(context.candidates)
    }

    fn explain(&self, context: SearchContext<'_>, place: usize, hit: Option<LegHit>) -> Option<Explain> {
        let SearchContext { index, candidates, request } = context;
        let unit = context.units()[place];
        let parts = self.leg.explain_parts(&self.scores, index, candidates, request.question, request.unit, unit);
        let (label, score) = match hit {
            Some(hit) => (format!("lexical score, rank {}", hit.rank), hit.score),
            None => ("lexical score: no term of the query".to_owned(), self.scores.units[place]),
        };
        Some(if parts.is_empty() { Explain::leaf(label, score) } else { Explain::sum(label, score, parts) })
    }

    fn terms(&self, context: SearchContext<'_>, place: usize) -> Vec<TermMatch> {
        let SearchContext { index, candidates, request } = context;
        self.leg.term_matches(index, candidates, request.question, request.unit, context.units()[place])
    }

    fn features(&self, context: SearchContext<'_>, place: usize) -> Vec<FeatureMatch> {
        let counts = |text: u32| self.scores.turns[text as usize] > 0.0;
        let unit = context.units()[place];
        let text = match context.request.unit {
            Granularity::Turn => Some(unit),
            Granularity::Session => {
                self.scores.best_turn(context.candidates.turns_of(context.index, unit)).filter(|&text| counts(text))
            }
        };
        let weighs_turns = self.leg.unit_weights(context.request.unit).turn > 0.0;
        text.filter(|_| weighs_turns).map_or_else(Vec::new, |text| self.turn_features(context, text, counts(text)))
    }

    fn strength(&self, context: SearchContext<'_>, place: usize) -> Option<String> {
        let terms = self.terms(context, place);
        let at = |place: TermPlace| named(terms.iter().filter(move |term| term.place == place));
        let (own, around) = (at(TermPlace::Own), at(TermPlace::Around));
        Some(match () {
            () if !own.is_empty() => format!("it holds {own}"),
            () if !around.is_empty() => format!("its neighbours hold {around}"),
            () => "its session holds terms of the query".to_owned(),
        })
    }

    fn weakness(&self, context: SearchContext<'_>, place: usize, _cut: usize) -> Option<String> {
        let (terms, features) = (self.terms(context, place), self.features(context, place));
        let turn = if context.request.unit == Granularity::Turn { "it" } else { "its best turn" };
        // A term that nobody holds does not set others above it.
        let missing = |term: &&TermMatch| term.place == TermPlace::Missing && term.holders > 0;
        let missing = named(terms.iter().filter(missing));
        let unmet = |name: &str| features.iter().any(|of| of.feature == name && !of.met);
        Some(match () {
            () if !missing.is_empty() => format!("it lacks {missing}"),
            () if terms.iter().all(|term| term.place != TermPlace::Own) => {
                "it holds no term of the query itself".to_owned()
            }
            () if unmet("speaker_match") => format!("{turn} was not said by whom the query is about"),
            () if unmet("time_expression") => format!("{turn} has no time expression"),
            () if unmet("question_penalty") => format!("{turn} is a question"),
            () => "others match the same terms better".to_owned(),
        })
    }

    fn signals(&self, context: SearchContext<'_>, places: &[usize]) -> Vec<(&'static str, Vec<f64>)> {
        self.bm25_signals(context, places).into_iter().chain(self.feature_signals(context, places)).collect()
    }
}

impl LexicalColumn {
    fn turn_features(&self, context: SearchContext<'_>, text: u32, counts: bool) -> Vec<FeatureMatch> {
        let (expected, weights) = (&self.scores.expected, self.leg.features);
        let of = expected.of_turn(context.index, text, self.leg.context_weight(context.index, text));
        let all = [
            (
                expected.is_about_someone(),
                "speaker_match",
                "said by whom the query is about",
                of.speaker_match,
                weights.speaker_match,
            ),
            (
                expected.asks_when(),
                "time_expression",
                "has a time expression",
                of.time_expression,
                weights.time_expression,
            ),
            (weights.question_penalty > 0.0, "question_penalty", "is not only a question", of.question_penalty, 0.0),
            (weights.short_penalty > 0.0, "short_penalty", "is not short", of.short_penalty, 0.0),
        ];
        let matched = all.into_iter().filter(|(expected, ..)| *expected).map(|(_, feature, label, adds, at_best)| {
            // Adding 0.0 keeps a -0.0 from being printed.
            FeatureMatch { feature, label, met: adds == at_best, adds: if counts { adds + 0.0 } else { 0.0 }, at_best }
        });
        matched.collect()
    }

    /// BM25 of turns (of a session, the largest), of sessions (of a turn, its session's), and of bigrams at weight 1.
    fn bm25_signals(&self, context: SearchContext<'_>, places: &[usize]) -> [(&'static str, Vec<f64>); 3] {
        let SearchContext { index, candidates, request } = context;
        let terms = &request.question.terms;
        let bm25 = |bigrams: f64| {
            let leg = LexicalLeg { bigrams, ..self.leg };
            let both = UnitWeights { session: 1.0, turn: 1.0 };
            leg.score_words(index, candidates, (terms, &CueTerms::of(index, terms, bigrams > 0.0)), both)
        };
        let (plain, with_bigrams) = (bm25(0.0), bm25(1.0));
        let session = |unit: u32| match request.unit {
            Granularity::Turn => index.documents().session_of(unit),
            Granularity::Session => Some(unit),
        };
        let of_units = |value: &dyn Fn(u32) -> f64| places.iter().map(|&place| value(context.units()[place])).collect();
        let largest = |unit: u32, of: &dyn Fn(usize) -> f64| {
            context.texts_of(&unit).iter().map(|&text| of(text as usize)).fold(0.0, f64::max)
        };
        [
            ("bm25", of_units(&|unit| largest(unit, &|text| plain.texts[text]))),
            ("bm25_session", of_units(&|unit| session(unit).map_or(0.0, |number| plain.sessions[number as usize]))),
            ("bigrams", of_units(&|unit| largest(unit, &|text| with_bigrams.texts[text] - plain.texts[text]))),
        ]
    }

    /// Features at weight 1, of a session those of its best turn.
    fn feature_signals(&self, context: SearchContext<'_>, places: &[usize]) -> [(&'static str, Vec<f64>); 4] {
        let once =
            AnswerFeatures { speaker_match: 1.0, time_expression: 1.0, question_penalty: 1.0, short_penalty: 1.0 };
        let expected = once.of(context.request.question, context.index);
        let of_turn = |&place: &usize| {
            let turn = self.scores.best_turn(context.texts_of(&context.units()[place]));
            turn.map_or_else(TurnFeatures::default, |turn| {
                expected.of_turn(context.index, turn, self.leg.context_weight(context.index, turn))
            })
        };
        let features: Vec<TurnFeatures> = places.iter().map(of_turn).collect();
        // Adding 0.0 keeps a -0.0 from being printed.
        let all = |value: fn(&TurnFeatures) -> f64| features.iter().map(|of| value(of) + 0.0).collect();
        [
            ("speaker_match", all(|of| of.speaker_match)),
            ("time_expression", all(|of| of.time_expression)),
            ("question_penalty", all(|of| of.question_penalty)),
            ("short_penalty", all(|of| of.short_penalty)),
        ]
    }
}

fn named<'t>(terms: impl Iterator<Item = &'t TermMatch>) -> String {
    let terms: Vec<String> = terms.map(|matched| format!("{:?}", matched.term)).collect();
    let more = if terms.len() > NAMED { format!(" and {} more", terms.len() - NAMED) } else { String::new() };
    format!("{}{more}", terms[..terms.len().min(NAMED)].join(", "))
}
