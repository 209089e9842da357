//! Cue questions: added, written by a language model, read from files, counted, dropped.

mod add;
mod asking;
mod coverage;
mod file;
mod take;
mod write;
mod written;

pub use self::{
    add::{AddedCues, CueDraft, CueIndexing, CuedMemory, MAX_QUESTION_CHARS, MAX_QUESTIONS},
    asking::CueRequest,
    coverage::CueCoverage,
    file::{CueFile, CueLine, read_cue_file},
    take::TakenCues,
    write::CueWriting,
    written::{SHOWN_SKIPPED, SkippedCues, SkippedMemory, WrittenCues},
};
