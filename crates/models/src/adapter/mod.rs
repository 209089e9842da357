//! Low-rank updates of a model's linear maps (LoRA, Hu et al. 2021, section 4.1): a file of a few megabytes beside
//! weights that stay as they were published.

pub(crate) mod file;

use std::collections::BTreeMap;

use crate::{
    ModelEntry, ModelError,
    kernels::{
        Family,
        gradients::{Left, add_product},
    },
    registry,
};

/// What is added to a model's linear maps when it is loaded: `weight + up * down`, map by map.
///
/// Two are equal if their files are.
#[derive(Debug, Clone)]
pub struct Adapter {
    base: String,
    note: String,
    rank: usize,
    read_with: ReadWith,
    /// By the name of the map below the encoder, as in `encoder.layer.0.output.dense`.
    updates: BTreeMap<String, Update>,
    sha256: String,
}

/// What is read with an adapter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadWith {
    /// Queries and passages: vectors are others than the model's own.
    #[default]
    Both,
    /// Queries alone, to be compared with the model's own vectors of passages. It is a query adapter.
    Queries,
}

/// The update of one map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Update {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// `[rank, inputs]`
    pub(crate) down: Vec<f32>,
    /// `[outputs, rank]`
    pub(crate) up: Vec<f32>,
}

impl PartialEq for Adapter {
    fn eq(&self, other: &Self) -> bool {
        self.sha256 == other.sha256
    }
}

impl Eq for Adapter {}

impl Adapter {
    /// The model that it belongs to, with its revision, as in `all-MiniLM-L6-v2@1110a243fdf4`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The registered model that it belongs to.
    ///
    /// # Errors
    /// When none is registered in that revision.
    pub fn entry(&self) -> Result<&'static ModelEntry, ModelError> {
        let found = registry::all().find(|entry| entry.pinned_name() == self.base);
        found.ok_or_else(|| ModelError::Adapter {
            found: self.base.clone(),
            expected: "a registered model and its revision".to_owned(),
        })
    }

    /// What it was made from, in words.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Rows of `down`: how many directions of a map change.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// What is read with it.
    pub fn read_with(&self) -> ReadWith {
        self.read_with
    }

    /// Numbers in it.
    pub fn parameters(&self) -> usize {
        self.updates.values().map(|update| update.down.len() + update.up.len()).sum()
    }

    /// Checksum of its file, in hex.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The name by which a pipeline reads queries with it, where it does not come with the program: of its checksum, so that
    /// two adapters never share one.
    pub fn query_name(&self) -> String {
        format!("own-{}", self.sha256.get(..12).unwrap_or_default())
    }

    /// The update of a map, where there is one.
    pub(crate) fn update(&self, map: &str) -> Option<&Update> {
        self.updates.get(map)
    }

    /// The maps that it changes.
    pub(crate) fn maps(&self) -> impl Iterator<Item = (&str, &Update)> {
        self.updates.iter().map(|(map, update)| (map.as_str(), update))
    }
}

impl Update {
    /// The sum of this update and another of the same map, with the directions of both.
    pub(crate) fn beside(&self, other: &Self) -> Self {
        let [mine, theirs] = [self, other].map(|update| update.down.len() / update.inputs);
        let rows = self.up.chunks_exact(mine).zip(other.up.chunks_exact(theirs));
        let up = rows.flat_map(|(mine, theirs)| mine.iter().chain(theirs).copied()).collect();
        Self { inputs: self.inputs, outputs: self.outputs, down: [&self.down[..], &other.down].concat(), up }
    }

    /// Adds the update to rows of the map's weights, `[rows, inputs]`, of which the first is output `first`.
    pub(crate) fn add_to(&self, family: Family, first: usize, rows: &mut [f32]) {
        let rank = self.down.len() / self.inputs;
        let up = &self.up[first * rank..][..rows.len() / self.inputs * rank];
        add_product(family, Left::rows(up, rank), &self.down, self.inputs, rows);
    }
}
