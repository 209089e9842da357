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
    intercept: -2.4611,
    weights: &[
        (Signal::Coverage, 1.3819),
        (Signal::Support, -0.8709),
        (Signal::Unknown, -0.1586),
        (Signal::Lead, 0.4448),
        (Signal::SaidByNamed, 0.4911),
        (Signal::OthersHold, -0.6677),
        (Signal::Sessions, 0.2685),
        (Signal::WordsRank, -0.3833),
        (Signal::MeaningRank, -0.1128),
        (Signal::Cosine, 2.2423),
    ],
};

/// That the first hit answers, by words only.
static FIRST_HIT_LEXICAL: Model = Model {
    intercept: -2.2689,
    weights: &[
        (Signal::Coverage, 2.1239),
        (Signal::Support, -0.9377),
        (Signal::Unknown, -0.0232),
        (Signal::Lead, 0.5964),
        (Signal::SaidByNamed, 0.4177),
        (Signal::OthersHold, -0.5555),
        (Signal::Sessions, 0.3936),
    ],
};

/// That the history has an answer, by words and meaning.
static ANSWERABLE_HYBRID: Model = Model {
    intercept: -0.6587,
    weights: &[
        (Signal::Coverage, 0.7604),
        (Signal::Support, 0.3400),
        (Signal::Unknown, 0.3284),
        (Signal::Lead, 0.0694),
        (Signal::SaidByNamed, 0.0686),
        (Signal::OthersHold, -2.0714),
        (Signal::Sessions, -0.3267),
        (Signal::WordsRank, -0.0880),
        (Signal::MeaningRank, 0.1129),
        (Signal::Cosine, 3.1771),
    ],
};

/// That the history has an answer, by words only.
static ANSWERABLE_LEXICAL: Model = Model {
    intercept: 0.7196,
    weights: &[
        (Signal::Coverage, 0.6853),
        (Signal::Support, 0.9474),
        (Signal::Unknown, 0.0505),
        (Signal::Lead, 0.1729),
        (Signal::SaidByNamed, 0.0946),
        (Signal::OthersHold, -1.5726),
        (Signal::Sessions, -0.4632),
    ],
};
