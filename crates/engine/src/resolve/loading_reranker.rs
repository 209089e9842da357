//! The evidence reranker that ships, where its model is on this machine already.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread::{self, JoinHandle},
};

use aforesaid_core::{
    Locality,
    rerank::{CandidateScore, EvidenceReranker, PairForm, RerankCandidate, RerankError, Reranker},
};
use aforesaid_models::{EvidenceModel, ModelError};

use super::{EvidenceChoice, ModelChoice, ModelResolver};
use crate::registry::ModelPolicy;

type Loaded = Result<EvidenceReranker, String>;

/// A reranker that a thread of its own loads: the first search waits for it where it comes to it sooner.
struct LoadingReranker {
    form: PairForm,
    loading: Mutex<Option<JoinHandle<Loaded>>>,
    loaded: OnceLock<Loaded>,
}

impl ModelResolver {
    /// The evidence reranker that ships, if the settings choose its model, with or without an adapter, and its files are on
    /// this machine. Nothing is downloaded. It is loaded while the caller goes on.
    pub fn installed_evidence_reranker(&self) -> Option<Arc<dyn Reranker>> {
        let choice = EvidenceChoice::Shipped;
        let model = EvidenceModel::shipped().ok()?;
        let named = match &self.settings().model {
            ModelChoice::Named { name, .. } => name.split('+').next()?,
            _ => return None,
        };
        if !named.eq_ignore_ascii_case(model.entry().ok()?.name) {
            return None;
        }
        let files = self.evidence_files(&model, ModelPolicy::Find).ok()?;
        let (form, runtime) = (model.record().form, self.settings().evidence_runtime());
        let load = move || choice.load(&model, files, runtime).map_err(|error: ModelError| error.to_string());
        let loading = Mutex::new(Some(thread::spawn(load)));
        Some(Arc::new(LoadingReranker { form, loading, loaded: OnceLock::new() }))
    }
}

impl LoadingReranker {
    fn loaded(&self) -> &Loaded {
        self.loaded.get_or_init(|| {
            let loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner).take();
            let ended = || Err("loading it ended without a result; run the command again".to_owned());
            loading.and_then(|thread| thread.join().ok()).unwrap_or_else(ended)
        })
    }
}

impl Reranker for LoadingReranker {
    fn name(&self) -> String {
        self.loaded().as_ref().map_or_else(|_| "evidence".to_owned(), EvidenceReranker::name)
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn default_depth(&self) -> NonZeroUsize {
        EvidenceReranker::CALIBRATED_DEPTH
    }

    fn neighbours(&self) -> u32 {
        self.form.neighbours()
    }

    fn is_calibrated(&self) -> bool {
        true
    }

    fn score(&self, query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        Ok(self.score_candidates(query, candidates)?.into_iter().map(|of| of.score).collect())
    }

    fn score_candidates(
        &self,
        query: &str,
        candidates: &[RerankCandidate],
    ) -> Result<Vec<CandidateScore>, RerankError> {
        match self.loaded() {
            Ok(reranker) => reranker.score_candidates(query, candidates),
            Err(reason) => Err(RerankError::Failed(format!("the evidence reranker: {reason}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loading(load: impl FnOnce() -> Loaded + Send + 'static) -> LoadingReranker {
        let loading = Mutex::new(Some(thread::spawn(load)));
        LoadingReranker { form: PairForm::Dialogue, loading, loaded: OnceLock::new() }
    }

    #[test]
    fn what_fails_to_load_says_why_at_every_search() {
        let failing = loading(|| Err("the file is damaged".to_owned()));
        for _ in 0..2 {
            let error = failing.score_candidates("kite", &[]).unwrap_err().to_string();
            assert_eq!(error, "the evidence reranker: the file is damaged");
        }
        let ending = loading(|| std::panic::resume_unwind(Box::new(())));
        assert!(ending.score("kite", &[]).unwrap_err().to_string().contains("run the command again"));
    }
}
