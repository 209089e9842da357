//! A linear map with a low-rank update that is learned.

use std::{ops::Range, sync::Arc};

use crate::{
    Adapter, ModelError,
    adapter::Update,
    bert::Tensors,
    kernels::{
        Activations, Arithmetic, Finish, PartialSums, Rows, RowsMut, Weights,
        gradients::{Left, add_product},
    },
};

/// A map whose weights stay, and what is added to them.
///
/// Several maps with one input are one, their outputs side by side.
pub(super) struct Linear {
    /// The names of the maps in the weights' file.
    names: Vec<String>,
    inputs: usize,
    /// Outputs of each map.
    outputs: usize,
    rank: usize,
    /// `[maps, outputs, inputs]`
    weights: Vec<f32>,
    bias: Vec<f32>,
    /// Where its parameters begin: of each map `[rank, inputs]`, then `[rank, outputs]`.
    start: usize,
    /// The weights with the present update, to multiply with.
    forward: Weights,
    /// Their transpose.
    backward: Weights,
}

/// Memory that is used again.
#[derive(Default)]
pub(super) struct Space {
    left: Activations,
    sums: PartialSums,
}

impl Linear {
    /// Reads maps of one shape, with what adapters add to them; their parameters begin at `start`.
    ///
    /// # Errors
    /// When a tensor is missing, of another type or shape, or cannot be read.
    pub(super) fn load(
        tensors: &Tensors,
        adapters: &[Arc<Adapter>],
        names: Vec<String>,
        [inputs, outputs]: [usize; 2],
        rank: usize,
        start: usize,
        arithmetic: Arithmetic,
    ) -> Result<Self, ModelError> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in &names {
            let mut rows = tensors.read(&format!("{name}.weight"), &[outputs, inputs])?;
            for update in adapters.iter().filter_map(|adapter| adapter.update(name)) {
                update.add_to(arithmetic.family(), 0, &mut rows);
            }
            weights.extend(rows);
            bias.extend(tensors.read(&format!("{name}.bias"), &[outputs])?);
        }
        let all = names.len() * outputs;
        let (forward, backward) = (arithmetic.weights(inputs, all), arithmetic.weights(all, inputs));
        Ok(Self { names, inputs, outputs, rank, weights, bias, start, forward, backward })
    }

    /// Where its parameters stand.
    pub(super) fn parameters(&self) -> Range<usize> {
        self.start..self.start + self.names.len() * self.rank * (self.inputs + self.outputs)
    }

    /// The parameters of a map: `[rank, inputs]` and `[rank, outputs]`.
    fn of_map(&self, map: usize) -> [Range<usize>; 2] {
        let start = self.start + map * self.rank * (self.inputs + self.outputs);
        let middle = start + self.rank * self.inputs;
        [start..middle, middle..middle + self.rank * self.outputs]
    }

    /// The parameters that begin as random numbers; the others begin as 0, so that nothing changes at first.
    pub(super) fn random_parameters(&self) -> impl Iterator<Item = (Range<usize>, f32)> + '_ {
        let bound = 1.0 / (self.inputs as f32).sqrt();
        (0..self.names.len()).map(move |map| (self.of_map(map)[0].clone(), bound))
    }

    /// Begins with the updates of an adapter.
    ///
    /// # Errors
    /// When it has none for a map, or one of another shape.
    pub(super) fn begin(&self, adapter: &Adapter, parameters: &mut [f32]) -> Result<(), String> {
        for (map, name) in self.names.iter().enumerate() {
            let [down_at, up_at] = self.of_map(map);
            let update = adapter.update(name).ok_or_else(|| format!("a reranker to begin with without {name}"))?;
            if [update.down.len(), update.up.len()] != [down_at.len(), up_at.len()] {
                let rank = update.down.len() / update.inputs.max(1);
                return Err(format!(
                    "a reranker to begin with of rank {rank} for {name}, for a training of {}",
                    self.rank
                ));
            }
            parameters[down_at].copy_from_slice(&update.down);
            parameters[up_at].copy_from_slice(&transposed(&update.up, self.rank));
        }
        Ok(())
    }

    /// Makes its update a part of itself.
    pub(super) fn weaken(&self, parameters: &mut [f32], strength: f32) {
        for map in 0..self.names.len() {
            let [_, up] = self.of_map(map);
            parameters[up].iter_mut().for_each(|value| *value *= strength);
        }
    }

    /// Takes the parameters of the next step.
    pub(super) fn prepare(&mut self, parameters: &[f32], arithmetic: Arithmetic) {
        let (inputs, outputs) = (self.inputs, self.outputs);
        let mut merged = self.weights.clone();
        for (map, rows) in merged.chunks_exact_mut(inputs * outputs).enumerate() {
            let [down, up] = self.of_map(map).map(|range| &parameters[range]);
            add_product(arithmetic.family(), Left::transposed(up, outputs), down, inputs, rows);
        }
        self.forward.set_columns(0, Rows::whole(&merged, inputs));
        self.forward.set_bias(0, &self.bias);
        let all = self.names.len() * outputs;
        self.backward.set_columns(0, Rows::whole(&transposed(&merged, inputs), all));
    }

    /// The outputs of rows of inputs, `[rows, maps, outputs]`.
    pub(super) fn forward(&self, inputs: &[f32], arithmetic: Arithmetic, space: &mut Space) -> Vec<f32> {
        let all = self.names.len() * self.outputs;
        let mut out = vec![0.0; inputs.len() / self.inputs * all];
        arithmetic.take(Rows::whole(inputs, self.inputs), &mut space.left);
        let rows = RowsMut::whole(&mut out, all);
        arithmetic.multiply(&space.left, &self.forward, rows, Finish::Set, &mut space.sums);
        out
    }

    /// Adds the derivatives by the inputs, given those by the outputs.
    pub(super) fn through(&self, outputs: &[f32], inputs: &mut [f32], arithmetic: Arithmetic, space: &mut Space) {
        arithmetic.take(Rows::whole(outputs, self.names.len() * self.outputs), &mut space.left);
        let rows = RowsMut::whole(inputs, self.inputs);
        arithmetic.multiply(&space.left, &self.backward, rows, Finish::Add, &mut space.sums);
    }

    /// Adds the derivatives by the parameters to `gradient`, given the inputs and the derivatives by the outputs.
    pub(super) fn learn(
        &self,
        inputs: &[f32],
        outputs: &[f32],
        parameters: &[f32],
        gradient: &mut [f32],
        arithmetic: Arithmetic,
    ) {
        let (family, rank) = (arithmetic.family(), self.rank);
        let all = self.names.len() * self.outputs;
        let rows = inputs.len() / self.inputs;
        for map in 0..self.names.len() {
            let mut of_map = Vec::with_capacity(rows * self.outputs);
            for row in outputs.chunks_exact(all) {
                of_map.extend_from_slice(&row[map * self.outputs..][..self.outputs]);
            }
            let [down_at, up_at] = self.of_map(map);
            let down = transposed(&parameters[down_at.clone()], self.inputs);
            let up = transposed(&parameters[up_at.clone()], self.outputs);
            let mut inner = vec![0.0; rows * rank];
            add_product(family, Left::rows(inputs, self.inputs), &down, rank, &mut inner);
            add_product(family, Left::transposed(&inner, rank), &of_map, self.outputs, &mut gradient[up_at]);
            inner.fill(0.0);
            add_product(family, Left::rows(&of_map, self.outputs), &up, rank, &mut inner);
            add_product(family, Left::transposed(&inner, rank), inputs, self.inputs, &mut gradient[down_at]);
        }
    }

    /// The updates as an adapter has them, by the name of the map.
    pub(super) fn updates(&self, parameters: &[f32]) -> Vec<(String, Update)> {
        let update = |(map, name): (usize, &String)| {
            let [down, up] = self.of_map(map).map(|range| &parameters[range]);
            let up = transposed(up, self.outputs);
            (name.clone(), Update { inputs: self.inputs, outputs: self.outputs, down: down.to_vec(), up })
        };
        self.names.iter().enumerate().map(update).collect()
    }
}

/// The transpose of rows of `width` numbers.
pub(super) fn transposed(rows: &[f32], width: usize) -> Vec<f32> {
    /// Rows and columns that stay in the first-level cache.
    const BLOCK: usize = 32;
    let count = rows.len() / width;
    let mut out = vec![0.0; rows.len()];
    for top in (0..count).step_by(BLOCK) {
        for left in (0..width).step_by(BLOCK) {
            for row in top..(top + BLOCK).min(count) {
                for column in left..(left + BLOCK).min(width) {
                    out[column * count + row] = rows[row * width + column];
                }
            }
        }
    }
    out
}
