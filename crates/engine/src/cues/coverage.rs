//! How much of a scope has cues.

use aforesaid_core::types::{Namespace, Scope, Sensitivity};
use serde::Serialize;

use crate::{error::Error, memory::Memory};

/// How many memories of a scope have cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CueCoverage {
    /// Turns and notes.
    pub memories: u64,
    /// Those that were asked for cues.
    pub asked: u64,
    /// Those that have a question at least.
    pub with_questions: u64,
    /// Questions.
    pub questions: u64,
    /// Those that were never asked for any.
    pub without_cues: u64,
    /// Those of them that are sensitive: no model behind a network is asked about them.
    pub sensitive: u64,
}

impl Memory {
    /// How many memories of a scope have cues.
    ///
    /// # Errors
    /// When the namespace or a named part of it does not exist, or the store fails.
    pub fn cue_coverage(&self, namespace: &Namespace, scope: &Scope) -> Result<CueCoverage, Error> {
        let mut coverage = CueCoverage::default();
        self.must_exist(namespace)?;
        self.visit_cues(namespace, scope, &mut |cued| {
            coverage.memories += 1;
            match cued.cues {
                Some(cues) => {
                    coverage.asked += 1;
                    coverage.with_questions += u64::from(!cues.questions.is_empty());
                    coverage.questions += cues.questions.len() as u64;
                }
                None => {
                    coverage.without_cues += 1;
                    coverage.sensitive += u64::from(cued.memory.sensitivity == Sensitivity::Sensitive);
                }
            }
        })?;
        self.some_of(namespace, scope, coverage.memories)?;
        Ok(coverage)
    }
}
