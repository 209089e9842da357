//! Encoder, vector cache, threads and progress of an experiment.

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use aforesaid::Encoder;
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{CachedEncoder, NoEncoder, Place, Step},
    recipe::Equipment,
};
use clap::{Args, ValueHint};

use crate::{failure::Failure, progress, settings::Settings};

/// Where vectors are kept between runs.
#[derive(Debug, Args)]
pub(crate) struct VectorArgs {
    /// Keep vectors in this folder [default: vectors in your cache directory; for jsonl, your own data, nowhere].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    vector_cache: Option<PathBuf>,
    /// Keep no vectors between runs.
    #[arg(long, conflicts_with = "vector_cache")]
    no_vector_cache: bool,
    /// Measure in this store, a path or postgres://..., in namespaces that are forgotten afterwards [default: in this process].
    #[arg(long, value_name = "STORE")]
    scratch_store: Option<String>,
}

impl VectorArgs {
    fn folder(&self, dataset: DataSet, settings: &Settings) -> Option<PathBuf> {
        match (&self.vector_cache, dataset) {
            _ if self.no_vector_cache => None,
            (Some(folder), _) => Some(folder.clone()),
            // What was said in private leaves no trace unless asked to.
            (None, DataSet::Jsonl) => None,
            (None, _) => Some(settings.models.cache.with_file_name("vectors")),
        }
    }

    /// The encoder that the settings name, or `model` where a system names one.
    pub(crate) fn equipment(
        &self,
        dataset: DataSet,
        model: Option<&str>,
        settings: &Settings,
    ) -> Result<Equipment, Failure> {
        let source = settings.with_model(model).encoder(None)?;
        let encoder = match CachedEncoder::new(source, self.folder(dataset, settings).as_deref()) {
            Ok(encoder) => Ok(Arc::new(encoder) as Arc<dyn Encoder>),
            Err(NoEncoder::Unavailable(reason)) => Err(reason),
            Err(NoEncoder::Cache(error)) => return Err(Failure::Input(error.to_string())),
        };
        let threads = NonZeroUsize::new(settings.models.threads.get()).unwrap_or(NonZeroUsize::MIN);
        let place = self.scratch_store.clone().map_or(Place::Process, Place::Store);
        Ok(Equipment { encoder, threads, place, reranker: None })
    }
}

/// Runs an experiment under a bar that shows what it is at.
pub(crate) fn watched<T>(settings: &Settings, run: impl FnOnce(&(dyn Fn(Step) + Sync)) -> T) -> T {
    let bar = progress::bar(settings.output, "reading", "{msg} [{bar:30}] {pos}/{len}, {eta} left");
    let work = Mutex::new("");
    let result = run(&|step: Step| {
        let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
        if *work != step.work {
            *work = step.work;
            bar.set_message(step.work);
        }
        bar.set_length(step.total as u64);
        bar.set_position(step.done as u64);
    });
    bar.finish_and_clear();
    result
}
