//! The head of a cross-encoder, learned whole: a dense layer with tanh over the first token, and a row of weights.
//!
//! The row has no bias: it would add the same to every candidate of a list, and nothing could be learned of it.

use std::ops::Range;

use super::draws::Draws;
use crate::{
    bert::Tensors,
    evidence::EvidenceHead,
    kernels::{
        Family,
        gradients::{Left, add_product},
    },
};

/// Where the parameters of a head stand: `[hidden, hidden]`, a row an output, `[hidden]` and `[hidden]`.
pub(super) struct Head {
    hidden: usize,
    start: usize,
    family: Family,
}

/// What a forward pass leaves for the backward pass.
pub(super) struct HeadTape {
    /// The vectors of the first tokens, `[texts, hidden]`.
    firsts: Vec<f32>,
    /// What the dense layer makes of them, `[texts, hidden]`.
    pooled: Vec<f32>,
    /// The logits, one a text.
    pub(super) scores: Vec<f32>,
}

impl Head {
    pub(super) fn new(hidden: usize, start: usize, family: Family) -> Self {
        Self { hidden, start, family }
    }

    /// Where all its parameters stand.
    pub(super) fn parameters(&self) -> Range<usize> {
        self.start..self.start + self.hidden * (self.hidden + 2)
    }

    /// Where those of the dense layer, of its bias and of the row stand.
    pub(super) fn parts(&self) -> [Range<usize>; 3] {
        let bias = self.start + self.hidden * self.hidden;
        let row = bias + self.hidden;
        [self.start..bias, bias..row, row..row + self.hidden]
    }

    /// Parameters to begin with: the model's own pooler where its file has one, and a random row.
    pub(super) fn begin(&self, tensors: &Tensors, draws: &mut Draws, parameters: &mut [f32]) {
        let [dense, bias, row] = self.parts();
        let bound = 1.0 / (self.hidden as f32).sqrt();
        let mut random = |range: Range<usize>| {
            parameters[range].fill_with(|| (2.0 * draws.uniform() as f32 - 1.0) * bound);
        };
        random(row);
        random(dense.clone());
        let pooler = tensors.read("pooler.dense.weight", &[self.hidden, self.hidden]);
        if let (Ok(weights), Ok(shifts)) = (pooler, tensors.read("pooler.dense.bias", &[self.hidden])) {
            parameters[dense].copy_from_slice(&weights);
            parameters[bias].copy_from_slice(&shifts);
        }
    }

    /// Begins with the head of a reranker that was learned.
    ///
    /// # Errors
    /// When it is of another size.
    pub(super) fn begin_from(&self, head: &EvidenceHead, parameters: &mut [f32]) -> Result<(), String> {
        if head.row.len() != self.hidden {
            return Err(format!("a reranker to begin with of {} components, for {}", head.row.len(), self.hidden));
        }
        for (range, values) in self.parts().into_iter().zip([&head.dense, &head.bias, &head.row]) {
            parameters[range].copy_from_slice(values);
        }
        Ok(())
    }

    /// The logits of texts by their first tokens' vectors, `[texts, hidden]`.
    pub(super) fn forward(&self, firsts: Vec<f32>, parameters: &[f32]) -> HeadTape {
        let [dense, bias, row] = self.parts().map(|range| &parameters[range]);
        let mut pooled = Vec::with_capacity(firsts.len());
        let mut scores = Vec::with_capacity(firsts.len() / self.hidden);
        for first in firsts.chunks_exact(self.hidden) {
            let outputs = dense.chunks_exact(self.hidden).zip(bias);
            let of_text = outputs.map(|(weights, bias)| (dot(weights, first) + bias).tanh());
            let of_text: Vec<f32> = of_text.collect();
            scores.push(dot(&of_text, row));
            pooled.extend(of_text);
        }
        HeadTape { firsts, pooled, scores }
    }

    /// The derivatives by the first tokens' vectors, given those by the logits; adds those by the parameters to `gradient`.
    pub(super) fn backward(
        &self,
        tape: &HeadTape,
        slopes: &[f32],
        parameters: &[f32],
        gradient: &mut [f32],
    ) -> Vec<f32> {
        let (hidden, family) = (self.hidden, self.family);
        let [dense, bias, row] = self.parts();
        let mut through = Vec::with_capacity(tape.pooled.len());
        for (pooled, slope) in tape.pooled.chunks_exact(hidden).zip(slopes) {
            gradient[row.clone()].iter_mut().zip(pooled).for_each(|(sum, x)| *sum += slope * x);
            let of_text = pooled.iter().zip(&parameters[row.clone()]);
            through.extend(of_text.map(|(x, weight)| slope * weight * (1.0 - x * x)));
        }
        for of_text in through.chunks_exact(hidden) {
            gradient[bias.clone()].iter_mut().zip(of_text).for_each(|(sum, x)| *sum += x);
        }
        add_product(family, Left::transposed(&through, hidden), &tape.firsts, hidden, &mut gradient[dense.clone()]);
        let mut firsts = vec![0.0; through.len()];
        add_product(family, Left::rows(&through, hidden), &parameters[dense], hidden, &mut firsts);
        firsts
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::families;

    const HIDDEN: usize = 3;

    fn values(count: usize, seed: u64) -> Vec<f32> {
        let mut draws = Draws::new(seed);
        (0..count).map(|_| 2.0 * draws.uniform() as f32 - 1.0).collect()
    }

    #[test]
    fn derivatives_are_those_of_small_steps() {
        for family in families() {
            let head = Head::new(HIDDEN, 2, family);
            let (parameters, firsts) = (values(head.parameters().end, 3), values(2 * HIDDEN, 5));
            let slopes = [0.7f32, -1.3];
            let loss = |firsts: &[f32], parameters: &[f32]| -> f64 {
                let scores = head.forward(firsts.to_vec(), parameters).scores;
                scores.iter().zip(slopes).map(|(score, slope)| f64::from(score * slope)).sum()
            };
            let tape = head.forward(firsts.clone(), &parameters);
            let mut gradient = vec![0.0; parameters.len()];
            let of_firsts = head.backward(&tape, &slopes, &parameters, &mut gradient);
            assert_eq!(gradient[..2], [0.0, 0.0]);
            assert!(gradient[2..].iter().all(|slope| *slope != 0.0));
            let moved = |values: &[f32], i: usize, step: f32| {
                let mut moved = values.to_vec();
                moved[i] += step;
                moved
            };
            for i in head.parameters() {
                let at = |step| loss(&firsts, &moved(&parameters, i, step));
                let expected = (at(0.01) - at(-0.01)) / 0.02;
                assert!((f64::from(gradient[i]) - expected).abs() < 1e-3, "{i}: {} {expected}", gradient[i]);
            }
            for (i, found) in of_firsts.iter().enumerate() {
                let at = |step| loss(&moved(&firsts, i, step), &parameters);
                let expected = (at(0.01) - at(-0.01)) / 0.02;
                assert!((f64::from(*found) - expected).abs() < 1e-3, "{i}: {found} {expected}");
            }
        }
    }
}
