//! What a model that ships may be learned from.
//!
//! LoCoMo and BEAM, whose licences do not allow a checkpoint, are no part of it.

use std::path::Path;

/// The personas of RealMem that are learned from. Another one is looked at while learning, and the rest is what is measured on.
pub(crate) const LEARNED_PERSONAS: [&str; 3] = ["Adeleke_Okonjo", "Kim_Ji_young", "Liam_O_Connor"];

/// Where the data is.
#[derive(Debug, Clone, Copy)]
pub struct ShippableData<'a> {
    /// The folder of the dialogues.
    pub dialogues: &'a Path,
    /// The folder of conversations that are written to learn from; left out where it is not there.
    pub conversations: &'a Path,
    /// The folder of further questions: for the dialogues, for RealMem and LongMemEval. A folder of it that is not there is left
    /// out.
    pub cues: &'a Path,
    /// The folder of labelled questions on RealMem and LongMemEval. A folder of it that is not there is left out.
    pub questions: &'a Path,
    /// The folder with the data sets, each in a folder of its name: realmem, longmemeval and qmsum. One that is not there is
    /// left out.
    pub data: &'a Path,
}

/// Whether a session of LongMemEval is called evidence of a question, which is never learned from.
pub(crate) fn is_evidence(session: &str) -> bool {
    session.contains("answer")
}
