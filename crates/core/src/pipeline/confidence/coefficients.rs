//! The coefficients that ship.
//!
//! `aforesaid-studies confidence` fits them and prints what stands below; which data they are fitted on, and how well
//! they do, is in `docs/studies/confidence/report.md`. They are for the presets `hybrid` and `lexical` with ten hits:
//! of another pipeline the probability is a guess.

use super::{Model, Signal, Target};

/// The model of a target, for searches with or without a dense leg.
pub fn shipped(target: Target, dense: bool) -> &'static Model {
    match (target, dense) {
        (Target::FirstHit, true) => &FIRST_HIT_HYBRID,
        (Target::FirstHit, false) => &FIRST_HIT_LEXICAL,
        (Target::Answerable, true) => &ANSWERABLE_HYBRID,
        (Target::Answerable, false) => &ANSWERABLE_LEXICAL,
    }
}

/// That the first hit answers, by words and meaning.
static FIRST_HIT_HYBRID: Model = Model {
    intercept: -2.5263,
    weights: &[
        (Signal::Coverage, 1.5205),
        (Signal::Support, -1.1461),
        (Signal::Unknown, -0.3596),
        (Signal::Lead, 0.5058),
        (Signal::SaidByNamed, 0.3659),
        (Signal::OthersHold, -0.8828),
        (Signal::Sessions, 0.4037),
        (Signal::Titled, 4.1049),
        (Signal::Dated, 1.5838),
        (Signal::WordsRank, -0.2056),
        (Signal::MeaningRank, -0.1204),
        (Signal::Cosine, 2.3451),
    ],
};

/// That the first hit answers, by words only.
static FIRST_HIT_LEXICAL: Model = Model {
    intercept: -2.2115,
    weights: &[
        (Signal::Coverage, 2.3719),
        (Signal::Support, -1.1795),
        (Signal::Unknown, -0.4575),
        (Signal::Lead, 0.5907),
        (Signal::SaidByNamed, 0.3153),
        (Signal::OthersHold, -0.5344),
        (Signal::Sessions, 0.4719),
        (Signal::Titled, 3.6828),
        (Signal::Dated, 1.3156),
    ],
};

/// That the history has an answer, by words and meaning.
static ANSWERABLE_HYBRID: Model = Model {
    intercept: -0.5580,
    weights: &[
        (Signal::Coverage, 0.7662),
        (Signal::Support, 0.1909),
        (Signal::Unknown, 0.0997),
        (Signal::Lead, 0.1318),
        (Signal::SaidByNamed, 0.0470),
        (Signal::OthersHold, -1.9556),
        (Signal::Sessions, -0.2236),
        (Signal::Titled, 3.5939),
        (Signal::Dated, 0.6969),
        (Signal::WordsRank, 0.0032),
        (Signal::MeaningRank, 0.1037),
        (Signal::Cosine, 2.8262),
    ],
};

/// That the history has an answer, by words only.
static ANSWERABLE_LEXICAL: Model = Model {
    intercept: 0.7014,
    weights: &[
        (Signal::Coverage, 0.7142),
        (Signal::Support, 0.8604),
        (Signal::Unknown, -0.1611),
        (Signal::Lead, 0.1804),
        (Signal::SaidByNamed, 0.0797),
        (Signal::OthersHold, -1.4596),
        (Signal::Sessions, -0.3809),
        (Signal::Titled, 3.4950),
        (Signal::Dated, 0.5401),
    ],
};
