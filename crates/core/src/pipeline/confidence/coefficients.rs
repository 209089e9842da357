//! The coefficients that ship.
//!
//! `aforesaid-studies confidence` fits them and prints what stands below; which data they are fitted on, and how well
//! they do, is in `docs/studies/confidence/report.md`. They are for the presets `adapted` and `lexical` with ten hits:
//! of another pipeline the probability is a guess. Those after the evidence reranker come from `aforesaid-studies
//! reranked-confidence`.

use super::{Basis, Model, Signal, Target};

/// The model of a target, for searches by what took part in them.
pub fn shipped(target: Target, basis: Basis) -> &'static Model {
    match (target, basis.dense, basis.reranked) {
        (Target::FirstHit, true, true) => &FIRST_HIT_RERANKED,
        (Target::FirstHit, true, false) => &FIRST_HIT_DENSE,
        (Target::FirstHit, false, _) => &FIRST_HIT_LEXICAL,
        (Target::Answerable, true, true) => &ANSWERABLE_RERANKED,
        (Target::Answerable, true, false) => &ANSWERABLE_DENSE,
        (Target::Answerable, false, _) => &ANSWERABLE_LEXICAL,
    }
}

/// That the first hit answers, by words and meaning.
static FIRST_HIT_DENSE: Model = Model {
    intercept: -2.0883,
    weights: &[
        (Signal::Coverage, 0.7863),
        (Signal::Support, -0.4042),
        (Signal::Unknown, -0.4359),
        (Signal::Lead, 0.6037),
        (Signal::SaidByNamed, 0.4010),
        (Signal::OthersHold, -0.7207),
        (Signal::Sessions, 0.3706),
        (Signal::Titled, 4.0575),
        (Signal::Dated, 1.1422),
        (Signal::WordsRank, -0.0583),
        (Signal::MeaningRank, -0.1929),
        (Signal::Cosine, 1.5518),
    ],
};

/// That the first hit answers, by words only.
static FIRST_HIT_LEXICAL: Model = Model {
    intercept: -2.2176,
    weights: &[
        (Signal::Coverage, 1.9724),
        (Signal::Support, -0.6749),
        (Signal::Unknown, -0.4305),
        (Signal::Lead, 0.6156),
        (Signal::SaidByNamed, 0.3227),
        (Signal::OthersHold, -0.4996),
        (Signal::Sessions, 0.4118),
        (Signal::Titled, 3.5173),
        (Signal::Dated, 1.0168),
    ],
};

/// That the history has an answer, by words and meaning.
static ANSWERABLE_DENSE: Model = Model {
    intercept: -0.4277,
    weights: &[
        (Signal::Coverage, -0.0186),
        (Signal::Support, 0.7227),
        (Signal::Unknown, -0.0669),
        (Signal::Lead, 0.2307),
        (Signal::SaidByNamed, 0.1089),
        (Signal::OthersHold, -1.5580),
        (Signal::Sessions, -0.0908),
        (Signal::Titled, 4.2987),
        (Signal::Dated, 0.2937),
        (Signal::WordsRank, 0.1243),
        (Signal::MeaningRank, 0.1909),
        (Signal::Cosine, 2.2730),
    ],
};

/// That the history has an answer, by words only.
static ANSWERABLE_LEXICAL: Model = Model {
    intercept: 0.7851,
    weights: &[
        (Signal::Coverage, -0.0907),
        (Signal::Support, 1.1495),
        (Signal::Unknown, -0.1934),
        (Signal::Lead, 0.2410),
        (Signal::SaidByNamed, 0.1476),
        (Signal::OthersHold, -1.1522),
        (Signal::Sessions, -0.3165),
        (Signal::Titled, 4.2273),
        (Signal::Dated, 0.2783),
    ],
};

/// That the first hit answers, by words, meaning and the evidence reranker.
static FIRST_HIT_RERANKED: Model = Model {
    intercept: -0.7251,
    weights: &[
        (Signal::Coverage, 0.4689),
        (Signal::Support, -0.3100),
        (Signal::Unknown, -0.2524),
        (Signal::Lead, 0.3363),
        (Signal::SaidByNamed, 0.2277),
        (Signal::OthersHold, -0.2774),
        (Signal::Sessions, 0.2289),
        (Signal::Titled, 1.9943),
        (Signal::Dated, 0.6500),
        (Signal::WordsRank, -0.0467),
        (Signal::MeaningRank, -0.1330),
        (Signal::Cosine, 0.7019),
        (Signal::RerankScore, 0.0),
        (Signal::RerankGap, 0.0432),
        (Signal::RerankLead, 0.0119),
        (Signal::RerankAnswer, 0.2438),
        (Signal::RerankBestAnswer, 0.0),
        (Signal::RerankBestFit, -0.1449),
    ],
};

/// That the history has an answer, by words, meaning and the evidence reranker.
static ANSWERABLE_RERANKED: Model = Model {
    intercept: 0.9290,
    weights: &[
        (Signal::Coverage, -0.0125),
        (Signal::Support, 0.4871),
        (Signal::Unknown, -0.0451),
        (Signal::Lead, 0.1555),
        (Signal::SaidByNamed, 0.0734),
        (Signal::OthersHold, -1.0500),
        (Signal::Sessions, -0.0612),
        (Signal::Titled, 2.8971),
        (Signal::Dated, 0.1979),
        (Signal::WordsRank, 0.0838),
        (Signal::MeaningRank, 0.1287),
        (Signal::Cosine, 1.5319),
        (Signal::RerankScore, 0.0),
        (Signal::RerankGap, 0.0),
        (Signal::RerankLead, 0.0),
        (Signal::RerankAnswer, 0.0),
        (Signal::RerankBestAnswer, 0.4044),
        (Signal::RerankBestFit, -0.3639),
    ],
};
