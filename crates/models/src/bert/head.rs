//! What makes one score of a pair: a dense layer with tanh over the first token, and a row of weights.
//!
//! In BERT the dense layer is the pooler (`BertForSequenceClassification`), in
//! RoBERTa part of the classifier (`RobertaClassificationHead`); the arithmetic is the same.

use super::{Tensors, family::Family};
use crate::ModelError;

/// A classifier of one label.
pub(crate) struct ScoreHead {
    /// `[hidden, hidden]`, a row an output.
    dense: Vec<f32>,
    dense_bias: Vec<f32>,
    /// `[hidden]`
    row: Vec<f32>,
    row_bias: f32,
}

impl ScoreHead {
    /// Reads the head of a model with token vectors of `hidden` components.
    ///
    /// # Errors
    /// When a tensor is missing, of another shape or type, or the family has no such head here.
    pub(crate) fn load(tensors: &Tensors, family: &Family, hidden: usize) -> Result<Self, ModelError> {
        // The classifier stands beside the model, the pooler within it.
        let (dense, row) = match family {
            Family::Bert => (tensors.within("pooler.dense"), "classifier"),
            Family::Roberta | Family::MpNet | Family::Other(_) => {
                ("classifier.dense".to_owned(), "classifier.out_proj")
            }
        };
        let read = |name: String, shape: &[usize]| tensors.read_exactly(&name, shape);
        Ok(Self {
            dense: read(format!("{dense}.weight"), &[hidden, hidden])?,
            dense_bias: read(format!("{dense}.bias"), &[hidden])?,
            row: read(format!("{row}.weight"), &[1, hidden])?,
            row_bias: read(format!("{row}.bias"), &[1])?[0],
        })
    }

    /// A head that was learned, of `[hidden, hidden]`, `[hidden]` and `[hidden]` numbers.
    pub(crate) fn new(dense: Vec<f32>, dense_bias: Vec<f32>, row: Vec<f32>) -> Self {
        Self { dense, dense_bias, row, row_bias: 0.0 }
    }

    /// The score of a sequence by the vector of its first token: a logit, without a sigmoid.
    pub(crate) fn score(&self, first: &[f32]) -> f32 {
        let dot = |row: &[f32], vector: &[f32]| row.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>();
        let rows = self.dense.chunks_exact(first.len()).zip(&self.dense_bias);
        let pooled: Vec<f32> = rows.map(|(row, bias)| (dot(row, first) + bias).tanh()).collect();
        dot(&self.row, &pooled) + self.row_bias
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_by_hand() {
        let head = ScoreHead {
            dense: vec![1.0, 0.0, 0.5, -1.0],
            dense_bias: vec![0.0, 1.0],
            row: vec![2.0, 4.0],
            row_bias: 0.5,
        };
        // tanh(2 * 1 + 3 * 0) = tanh(2), tanh(2 * 0.5 - 3 + 1) = tanh(-1)
        let expected = 2.0 * 2f32.tanh() + 4.0 * (-1f32).tanh() + 0.5;
        assert!((head.score(&[2.0, 3.0]) - expected).abs() < 1e-6);
    }
}
