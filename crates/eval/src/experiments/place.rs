//! Where a benchmark's memories are kept while it is measured.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use aforesaid::{
    EncoderRegistry, EncoderSource, Error, Memory, Target,
    types::{Namespace, Scope},
};

/// Where a benchmark's memories are kept while it is measured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Place {
    /// In this process.
    #[default]
    Process,
    /// In a store, by its location: in namespaces of the run's own, which are forgotten when it ends.
    Store(String),
}

/// A place while a run lasts.
pub(super) struct OpenPlace {
    /// The memory of all groups, where they are in a store.
    shared: Option<Arc<Memory>>,
    encoders: Arc<EncoderRegistry>,
    /// What the run's namespaces begin with.
    prefix: String,
}

/// A namespace of one group; where it is in a store, it is forgotten when this is dropped.
pub(super) struct Lodging {
    pub(super) memory: Arc<Memory>,
    pub(super) namespace: Namespace,
    is_lent: bool,
}

impl Place {
    pub(super) fn open(&self, encoder: EncoderSource) -> Result<OpenPlace, Error> {
        let encoders: Arc<EncoderRegistry> = encoder.into();
        let shared = match self {
            Self::Process => None,
            Self::Store(location) => Some(Arc::new(Memory::builder().encoders(Arc::clone(&encoders)).open(location)?)),
        };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Ok(OpenPlace { shared, encoders, prefix: format!("aforesaid-eval-{}-{since}", std::process::id()) })
    }
}

impl OpenPlace {
    /// A namespace for a group, by its place among the groups.
    pub(super) fn lodge(&self, group: usize) -> Result<Lodging, Error> {
        let (memory, name) = match &self.shared {
            Some(memory) => (Arc::clone(memory), format!("{}-{group}", self.prefix)),
            None => (
                Arc::new(Memory::builder().encoders(Arc::clone(&self.encoders)).open("memory:")?),
                "benchmark".to_owned(),
            ),
        };
        Ok(Lodging { memory, namespace: Namespace::new(name)?, is_lent: self.shared.is_some() })
    }
}

impl Drop for Lodging {
    fn drop(&mut self) {
        if self.is_lent {
            // Where even this fails, the namespace stays under its name, which says whose it is.
            let _ = self.memory.forget(&self.namespace, &Target::Within(Scope::default()));
        }
    }
}
