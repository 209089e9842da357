//! A model of BERT's shape that keeps what its derivative needs.

use std::sync::Arc;

use rayon::prelude::*;

use super::{
    attention::Attention,
    linear::{Linear, Space},
};
use crate::{
    EvidenceModel, ModelError, Pooling,
    adapter::{Adapter, Update},
    bert::{BertConfig, Embeddings, Sequence, Tensors},
    kernels::{
        Arithmetic, LayerNorm,
        gradients::{Normalised, gelu_with_slopes, normalise, through_norm},
    },
};

/// Frozen weights with updates to be learned.
pub(super) struct Network {
    embeddings: Embeddings,
    norm: LayerNorm,
    layers: Vec<Layer>,
    attention: Attention,
    arithmetic: Arithmetic,
    hidden: usize,
    pooling: Pooling,
    parameters: usize,
}

struct Layer {
    projections: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    widen: Linear,
    narrow: Linear,
    output_norm: LayerNorm,
}

/// What a forward pass over some texts leaves for the backward pass.
pub(super) struct LayersTape {
    /// Tokens of each text.
    pub(super) lengths: Vec<usize>,
    layers: Vec<LayerTape>,
}

/// What a forward pass to vectors leaves for the backward pass.
pub(super) struct Tape {
    tokens: LayersTape,
    /// The lengths of the pooled vectors before they were brought to 1.
    norms: Vec<f32>,
    /// The vectors of the texts, `[texts, hidden]`, of length 1.
    pub(super) vectors: Vec<f32>,
}

/// The tokens whose vectors a layer makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    All,
    /// The first of each text: behind the last layer nothing reads the others.
    Firsts,
}

struct LayerTape {
    made: Made,
    input: Vec<f32>,
    projections: Vec<f32>,
    /// Of each text, `[heads, tokens, tokens]`.
    shares: Vec<Vec<f32>>,
    context: Vec<f32>,
    attended: Normalised,
    middle: Vec<f32>,
    slopes: Vec<f32>,
    inner: Vec<f32>,
    output: Normalised,
}

impl Network {
    /// Reads a model, with what its adapters add, whose every linear map gets an update of this rank.
    ///
    /// # Errors
    /// When a tensor is missing, of another type or shape, or the file cannot be read.
    pub(super) fn load(
        config: &BertConfig,
        tensors: &Tensors,
        adapters: &[Arc<Adapter>],
        pooling: Pooling,
        rank: usize,
        arithmetic: Arithmetic,
    ) -> Result<Self, ModelError> {
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let norm = |name: &str| {
            let read = |part: &str| tensors.read(&format!("{name}.{part}"), &[hidden]);
            Ok::<_, ModelError>(LayerNorm {
                scale: read("weight")?,
                shift: read("bias")?,
                epsilon: config.layer_norm_eps,
            })
        };
        let mut parameters = 0;
        let mut linear = |names: Vec<String>, shape| {
            let map = Linear::load(tensors, adapters, names, shape, rank, parameters, arithmetic)?;
            parameters = map.parameters().end;
            Ok::<_, ModelError>(map)
        };
        let names = config.family.layer_names();
        let layer = |i: usize| {
            let at = |part: &str| format!("encoder.layer.{i}.{part}");
            Ok::<_, ModelError>(Layer {
                projections: linear([names.query, names.key, names.value].map(at).to_vec(), [hidden, hidden])?,
                attention_output: linear(vec![at(names.attention_output)], [hidden, hidden])?,
                attention_norm: norm(&at(names.attention_norm))?,
                widen: linear(vec![at("intermediate.dense")], [hidden, inner])?,
                narrow: linear(vec![at("output.dense")], [inner, hidden])?,
                output_norm: norm(&at("output.LayerNorm"))?,
            })
        };
        let layers = (0..config.num_hidden_layers).map(layer).collect::<Result<_, _>>()?;
        let attention = Attention { heads: config.heads(), family: arithmetic.family() };
        let embeddings = Embeddings::load(config, tensors)?;
        let norm = norm("embeddings.LayerNorm")?;
        Ok(Self { embeddings, norm, layers, attention, arithmetic, hidden, pooling, parameters })
    }

    /// How many numbers are learned.
    pub(super) fn parameters(&self) -> usize {
        self.parameters
    }

    /// Components of a vector.
    pub(super) fn dim(&self) -> usize {
        self.hidden
    }

    /// The maps that are learned.
    pub(super) fn maps(&self) -> impl Iterator<Item = &Linear> {
        self.layers.iter().flat_map(|layer| [&layer.projections, &layer.attention_output, &layer.widen, &layer.narrow])
    }

    /// Begins with the updates of a reranker that was learned.
    ///
    /// # Errors
    /// When it is of another shape.
    pub(super) fn begin(&self, model: &EvidenceModel, parameters: &mut [f32]) -> Result<(), String> {
        self.maps().try_for_each(|map| map.begin(model.adapter(), parameters))
    }

    /// The updates as an adapter has them, by the name of the map.
    pub(super) fn updates(&self, parameters: &[f32]) -> impl Iterator<Item = (String, Update)> {
        self.maps().flat_map(|map| map.updates(parameters))
    }

    /// Takes the parameters of the next step.
    pub(super) fn prepare(&mut self, parameters: &[f32]) {
        let arithmetic = self.arithmetic;
        self.layers.par_iter_mut().for_each(|layer| {
            for map in [&mut layer.projections, &mut layer.attention_output, &mut layer.widen, &mut layer.narrow] {
                map.prepare(parameters, arithmetic);
            }
        });
    }

    /// The vectors of the first tokens of some texts, `[texts, hidden]`, and what the backward pass needs.
    ///
    /// # Errors
    /// When the word embeddings cannot be read any more.
    pub(super) fn first_vectors(&self, texts: &[&Sequence]) -> Result<(LayersTape, Vec<f32>), ModelError> {
        self.through_layers(texts, Made::Firsts)
    }

    /// The vectors of the last layer, of all tokens or of the first of each text.
    fn through_layers(&self, texts: &[&Sequence], made: Made) -> Result<(LayersTape, Vec<f32>), ModelError> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let mut rows = vec![0.0; lengths.iter().sum::<usize>() * self.hidden];
        self.embeddings.write(texts, &mut rows)?;
        normalise(self.arithmetic.family(), &self.norm, &mut rows);
        let mut layers = Vec::with_capacity(self.layers.len());
        let mut space = Space::default();
        for (i, layer) in self.layers.iter().enumerate() {
            let of_layer = if i + 1 == self.layers.len() { made } else { Made::All };
            let (tape, output) = self.through_layer(layer, rows, &lengths, &mut space, of_layer);
            layers.push(tape);
            rows = output;
        }
        Ok((LayersTape { lengths, layers }, rows))
    }

    /// The vectors of some texts, and what the backward pass needs.
    ///
    /// # Errors
    /// When the word embeddings cannot be read any more.
    pub(super) fn forward(&self, texts: &[&Sequence]) -> Result<Tape, ModelError> {
        let (tokens, rows) = self.through_layers(texts, Made::All)?;
        let lengths = &tokens.lengths;
        let (mut vectors, mut norms) = (Vec::new(), Vec::new());
        for tokens in self.texts(&rows, lengths) {
            let mut vector = self.pool(tokens);
            let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.iter_mut().for_each(|x| *x /= norm);
            norms.push(norm);
            vectors.extend(vector);
        }
        Ok(Tape { tokens, norms, vectors })
    }

    /// The rows of each text.
    fn texts<'a>(&self, mut rows: &'a [f32], lengths: &[usize]) -> impl Iterator<Item = &'a [f32]> {
        let hidden = self.hidden;
        lengths.iter().map(move |length| {
            let (text, rest) = rows.split_at(length * hidden);
            rows = rest;
            text
        })
    }

    /// The rows of the first tokens of texts, `[texts, hidden]`.
    fn firsts(&self, rows: &[f32], lengths: &[usize]) -> Vec<f32> {
        self.texts(rows, lengths).flat_map(|text| &text[..self.hidden]).copied().collect()
    }

    /// Rows of first tokens among rows of 0 for the others, `[tokens of all texts, hidden]`.
    fn at_firsts(&self, firsts: &[f32], lengths: &[usize]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(lengths.iter().sum::<usize>() * self.hidden);
        for (first, length) in firsts.chunks_exact(self.hidden).zip(lengths) {
            rows.extend_from_slice(first);
            rows.resize(rows.len() + (length - 1) * self.hidden, 0.0);
        }
        rows
    }

    fn pool(&self, tokens: &[f32]) -> Vec<f32> {
        let mut vector = tokens[..self.hidden].to_vec();
        if self.pooling == Pooling::Mean {
            for token in tokens.chunks_exact(self.hidden).skip(1) {
                vector.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
            }
            let share = self.hidden as f32 / tokens.len() as f32;
            vector.iter_mut().for_each(|sum| *sum *= share);
        }
        vector
    }

    fn through_layer(
        &self,
        layer: &Layer,
        input: Vec<f32>,
        lengths: &[usize],
        space: &mut Space,
        made: Made,
    ) -> (LayerTape, Vec<f32>) {
        let (arithmetic, family, hidden) = (self.arithmetic, self.arithmetic.family(), self.hidden);
        let projections = layer.projections.forward(&input, arithmetic, space);
        let mut context = vec![0.0; input.len()];
        let mut start = 0;
        let mut shares = Vec::with_capacity(lengths.len());
        for length in lengths {
            let of_text = &projections[start * 3 * hidden..][..length * 3 * hidden];
            shares.push(self.attention.forward(of_text, &mut context[start * hidden..][..length * hidden]));
            start += length;
        }
        if made == Made::Firsts {
            context = self.firsts(&context, lengths);
        }
        let mut middle = layer.attention_output.forward(&context, arithmetic, space);
        match made {
            Made::All => add(&mut middle, &input),
            Made::Firsts => add(&mut middle, &self.firsts(&input, lengths)),
        }
        let attended = normalise(family, &layer.attention_norm, &mut middle);
        let mut inner = layer.widen.forward(&middle, arithmetic, space);
        let mut slopes = vec![0.0; inner.len()];
        gelu_with_slopes(family, &mut inner, &mut slopes);
        let mut rows = layer.narrow.forward(&inner, arithmetic, space);
        add(&mut rows, &middle);
        let output = normalise(family, &layer.output_norm, &mut rows);
        (LayerTape { made, input, projections, shares, context, attended, middle, slopes, inner, output }, rows)
    }

    /// Adds the derivatives by the parameters to `gradient`, given those by the texts' vectors, `[texts, hidden]`.
    pub(super) fn backward(&self, tape: &Tape, derivatives: &[f32], parameters: &[f32], gradient: &mut [f32]) {
        let rows = self.through_pooling(tape, derivatives);
        self.backward_from(&tape.tokens, rows, parameters, gradient);
    }

    /// The same, given the derivatives by the vectors that the last layer made.
    pub(super) fn backward_from(
        &self,
        tape: &LayersTape,
        mut rows: Vec<f32>,
        parameters: &[f32],
        gradient: &mut [f32],
    ) {
        let mut space = Space::default();
        for (i, (layer, tape_of_layer)) in self.layers.iter().zip(&tape.layers).enumerate().rev() {
            self.learn_layer(layer, tape_of_layer, &tape.lengths, &mut rows, parameters, gradient, &mut space, i > 0);
        }
    }

    /// The derivatives by the token vectors.
    fn through_pooling(&self, tape: &Tape, derivatives: &[f32]) -> Vec<f32> {
        let lengths = &tape.tokens.lengths;
        let mut rows = Vec::with_capacity(lengths.iter().sum::<usize>() * self.hidden);
        let vectors = tape.vectors.chunks_exact(self.hidden).zip(derivatives.chunks_exact(self.hidden));
        for ((vector, derivative), (norm, length)) in vectors.zip(tape.norms.iter().zip(lengths)) {
            let along: f32 = vector.iter().zip(derivative).map(|(x, d)| x * d).sum();
            let tokens = if self.pooling == Pooling::Mean { *length } else { 1 };
            let scale = 1.0 / (norm * tokens as f32);
            let row: Vec<f32> = vector.iter().zip(derivative).map(|(x, d)| (d - along * x) * scale).collect();
            (0..tokens).for_each(|_| rows.extend_from_slice(&row));
            rows.resize(rows.len() + (length - tokens) * self.hidden, 0.0);
        }
        rows
    }

    /// Turns the derivatives by a layer's output into those by its input, and learns on the way.
    #[allow(clippy::too_many_arguments, reason = "it is called once")]
    fn learn_layer(
        &self,
        layer: &Layer,
        tape: &LayerTape,
        lengths: &[usize],
        rows: &mut Vec<f32>,
        parameters: &[f32],
        gradient: &mut [f32],
        space: &mut Space,
        is_needed_below: bool,
    ) {
        let (arithmetic, family, hidden) = (self.arithmetic, self.arithmetic.family(), self.hidden);
        through_norm(family, &layer.output_norm, &tape.output, rows);
        layer.narrow.learn(&tape.inner, rows, parameters, gradient, arithmetic);
        let mut inner = vec![0.0; tape.inner.len()];
        layer.narrow.through(rows, &mut inner, arithmetic, space);
        inner.iter_mut().zip(&tape.slopes).for_each(|(x, slope)| *x *= slope);
        layer.widen.learn(&tape.middle, &inner, parameters, gradient, arithmetic);
        layer.widen.through(&inner, rows, arithmetic, space);
        through_norm(family, &layer.attention_norm, &tape.attended, rows);
        layer.attention_output.learn(&tape.context, rows, parameters, gradient, arithmetic);
        let mut context = vec![0.0; tape.context.len()];
        layer.attention_output.through(rows, &mut context, arithmetic, space);
        if tape.made == Made::Firsts {
            context = self.at_firsts(&context, lengths);
            *rows = self.at_firsts(rows, lengths);
        }
        let mut projections = vec![0.0; tape.projections.len()];
        let mut start = 0;
        for (length, shares) in lengths.iter().zip(&tape.shares) {
            let wide = start * 3 * hidden..(start + length) * 3 * hidden;
            let of_text = &context[start * hidden..][..length * hidden];
            let out = &mut projections[wide.clone()];
            self.attention.through(&tape.projections[wide], shares, of_text, out);
            start += length;
        }
        layer.projections.learn(&tape.input, &projections, parameters, gradient, arithmetic);
        if is_needed_below {
            layer.projections.through(&projections, rows, arithmetic, space);
        }
    }
}

fn add(to: &mut [f32], values: &[f32]) {
    to.iter_mut().zip(values).for_each(|(x, value)| *x += value);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Precision, kernels::testing::families_of};

    const RANK: usize = 3;

    /// A model that is small enough to be committed, with parameters that are all away from 0.
    fn tiny(arithmetic: Arithmetic) -> (Network, Vec<f32>) {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/tiny");
        let config = BertConfig::load(&dir.join("config.json")).unwrap();
        let tensors = Tensors::open(&dir.join("model.safetensors")).unwrap();
        let mut network = Network::load(&config, &tensors, &[], Pooling::Mean, RANK, arithmetic).unwrap();
        let parameters: Vec<f32> =
            (0..network.parameters()).map(|i| ((i * 7919) % 211) as f32 / 211.0 * 0.2 - 0.1).collect();
        network.prepare(&parameters);
        (network, parameters)
    }

    fn texts() -> [Sequence; 2] {
        [Sequence::single(vec![2, 5, 9, 11, 3]), Sequence::single(vec![2, 7, 3])]
    }

    /// A number that depends on every component of both vectors.
    fn loss(network: &Network) -> f64 {
        let texts = texts();
        let tape = network.forward(&texts.each_ref()).unwrap();
        tape.vectors.iter().zip(weights(tape.vectors.len())).map(|(x, w)| f64::from(x * w)).sum()
    }

    fn weights(count: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 31) % 13) as f32 - 6.0).collect()
    }

    #[test]
    fn derivatives_are_those_of_small_steps() {
        for arithmetic in families_of(Precision::F32) {
            let (mut network, mut parameters) = tiny(arithmetic);
            let texts = texts();
            let tape = network.forward(&texts.each_ref()).unwrap();
            let mut gradient = vec![0.0; parameters.len()];
            network.backward(&tape, &weights(tape.vectors.len()), &parameters, &mut gradient);
            let maps: Vec<_> = network.maps().map(Linear::parameters).collect();
            assert_eq!(maps.last().unwrap().end, parameters.len());
            for map in maps {
                // Steps of the parameters that matter most are told from rounding.
                let largest = map.clone().max_by(|a, b| gradient[*a].abs().total_cmp(&gradient[*b].abs())).unwrap();
                for i in [largest, map.start, map.end - 1] {
                    let mut moved = |step: f32| {
                        let before = parameters[i];
                        parameters[i] += step;
                        network.prepare(&parameters);
                        parameters[i] = before;
                        loss(&network)
                    };
                    let expected = (moved(2e-2) - moved(-2e-2)) / 4e-2;
                    let found = f64::from(gradient[i]);
                    let scale = f64::from(gradient[largest].abs());
                    assert!((found - expected).abs() < 0.02 * scale + 1e-3, "{map:?} {i}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn every_parameter_is_learned() {
        let (network, parameters) = tiny(families_of(Precision::F32).next().unwrap());
        let texts = texts();
        let tape = network.forward(&texts.each_ref()).unwrap();
        let mut gradient = vec![0.0; parameters.len()];
        network.backward(&tape, &weights(tape.vectors.len()), &parameters, &mut gradient);
        let silent = gradient.iter().filter(|x| **x == 0.0).count();
        assert_eq!(silent, 0, "of {}", gradient.len());
    }
}
