//! What makes one score of a pair: a dense layer with tanh over the first token, and a row of weights.
//!
//! In BERT the dense layer is the pooler (`BertForSequenceClassification`), in
//! RoBERTa part of the classifier (`RobertaClassificationHead`); the arithmetic is the same.

use super::{Tensors, family::Family};
use crate::{ModelError, evidence::EvidenceHead};

/// A classifier of one label.
pub(crate) struct ScoreHead {
    /// `[hidden, hidden]`, a row an output.
    dense: Vec<f32>,
    dense_bias: Vec<f32>,
    /// `[hidden]`
    row: Vec<f32>,
    row_bias: f32,
    /// The row and the bias of the logit that the passage answers, where that was learned.
    answers: Option<(Vec<f32>, f32)>,
}

/// What a head makes of a pair: logits, without a sigmoid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairLogits {
    /// How well the passage fits the question.
    pub(crate) score: f32,
    /// Whether it answers it, where that was learned.
    pub(crate) answers: Option<f32>,
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
            answers: None,
        })
    }

    /// A head that was learned for a reranker.
    pub(crate) fn learned(head: EvidenceHead) -> Self {
        let EvidenceHead { dense, bias, row, answers } = head;
        Self { dense, dense_bias: bias, row, row_bias: 0.0, answers }
    }

    /// What it makes of a sequence by the vector of its first token.
    pub(crate) fn logits(&self, first: &[f32]) -> PairLogits {
        let dot = |row: &[f32], vector: &[f32]| row.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>();
        let rows = self.dense.chunks_exact(first.len()).zip(&self.dense_bias);
        let pooled: Vec<f32> = rows.map(|(row, bias)| (dot(row, first) + bias).tanh()).collect();
        PairLogits {
            score: dot(&self.row, &pooled) + self.row_bias,
            answers: self.answers.as_ref().map(|(row, bias)| dot(row, &pooled) + bias),
        }
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
            answers: Some((vec![-1.0, 2.0], 0.25)),
        };
        // tanh(2 * 1 + 3 * 0) = tanh(2), tanh(2 * 0.5 - 3 + 1) = tanh(-1)
        let [one, two] = [2f32.tanh(), (-1f32).tanh()];
        let PairLogits { score, answers } = head.logits(&[2.0, 3.0]);
        assert!((score - (2.0 * one + 4.0 * two + 0.5)).abs() < 1e-6);
        assert!((answers.unwrap() - (2.0 * two - one + 0.25)).abs() < 1e-6);
        assert_eq!(ScoreHead { answers: None, ..head }.logits(&[2.0, 3.0]), PairLogits { score, answers: None });
    }
}
