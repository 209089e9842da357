//! The state of a training between two steps.

use std::collections::HashMap;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};

use super::evidence::{EvidenceList, EvidenceSettings};
use crate::{EvidenceRecord, checksum::sha256_of_bytes};

/// The one entry of the file's metadata.
const ABOUT: &str = "aforesaid";
const FORMAT: &str = "evidence-checkpoint-1";
const TENSORS: [&str; 4] = ["parameters", "best", "means", "squares"];

/// All that the next step depends on.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Checkpoint {
    /// What training it belongs to.
    fingerprint: String,
    /// Steps done.
    pub(super) step: usize,
    pub(super) parameters: Vec<f32>,
    /// The parameters of the best step; empty before the first look.
    pub(super) best: Vec<f32>,
    pub(super) best_step: usize,
    best_mean: f64,
    pub(super) looks_since_best: usize,
    /// The step of the last look.
    pub(super) looked_at: Option<usize>,
    /// The optimiser's running means; empty before the first step.
    pub(super) means: Vec<f32>,
    pub(super) squares: Vec<f32>,
}

#[derive(Serialize, Deserialize)]
struct About {
    format: String,
    fingerprint: String,
    step: usize,
    best_step: usize,
    best_mean: f64,
    looks_since_best: usize,
    looked_at: Option<usize>,
}

/// What tells one training from another: the model, the settings and the data.
pub(super) fn fingerprint(
    model: &str,
    record: &EvidenceRecord,
    settings: &EvidenceSettings,
    lists: [&[EvidenceList]; 2],
) -> String {
    let EvidenceSettings { begin, rank, first_stage_weight, shown, epochs, batch, rate, seed, .. } = settings;
    let EvidenceSettings { look_every, patience, precision, .. } = settings;
    let begin = begin.as_ref().map(|model| model.sha256());
    let how = format!(
        "{begin:?} {rank} {first_stage_weight:?} {shown} {epochs} {batch} {rate} {seed} {look_every} {patience} {precision}"
    );
    sha256_of_bytes(format!("{model}\n{record:?}\n{how}\n{lists:?}").as_bytes())
}

impl Checkpoint {
    pub(super) fn new(fingerprint: String, parameters: Vec<f32>) -> Self {
        let zeros = vec![0.0; parameters.len()];
        Self { fingerprint, parameters, means: zeros.clone(), squares: zeros, ..Self::default() }
    }

    /// Takes what a look found.
    pub(super) fn take(&mut self, step: usize, mean: f64, parameters: &[f32]) {
        self.looked_at = Some(step);
        self.looks_since_best += 1;
        if self.best.is_empty() || mean > self.best_mean {
            (self.best_step, self.best_mean, self.looks_since_best) = (step, mean, 0);
            self.best = parameters.to_vec();
        }
    }

    /// The state as a file.
    ///
    /// # Errors
    /// When a tensor's shape is not that of its bytes.
    pub(super) fn write(&self, parameters: &[f32], [means, squares]: [&[f32]; 2]) -> Result<Vec<u8>, String> {
        let about = About {
            format: FORMAT.to_owned(),
            fingerprint: self.fingerprint.clone(),
            step: self.step,
            best_step: self.best_step,
            best_mean: self.best_mean,
            looks_since_best: self.looks_since_best,
            looked_at: self.looked_at,
        };
        let bytes = [parameters, &self.best, means, squares]
            .map(|values| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        let views = TENSORS
            .iter()
            .zip(&bytes)
            .map(|(name, bytes)| TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes).map(|view| (*name, view)));
        let views = views.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let about = serde_json::to_string(&about).map_err(|error| error.to_string())?;
        let metadata = HashMap::from([(ABOUT.to_owned(), about)]);
        safetensors::serialize(views, Some(metadata)).map_err(|error| error.to_string())
    }

    /// Reads the state of a training with `parameters` numbers.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(bytes: &[u8], fingerprint: &str, parameters: usize) -> Result<Self, String> {
        let broken = |error: String| format!("a checkpoint that cannot be read: {error}");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| broken(error.to_string()))?;
        let about = header.metadata().as_ref().and_then(|metadata| metadata.get(ABOUT));
        let about = about.ok_or_else(|| broken("it is another safetensors file".to_owned()))?;
        let about: About = serde_json::from_str(about).map_err(|error| broken(error.to_string()))?;
        if about.format != FORMAT {
            return Err(format!("a checkpoint of the format {:?}, expected {FORMAT:?}", about.format));
        }
        if about.fingerprint != fingerprint {
            return Err("a checkpoint of a training with other data, another model or other settings".to_owned());
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| broken(error.to_string()))?;
        let mut values = TENSORS.iter().map(|name| {
            let tensor = tensors.tensor(name).map_err(|error| broken(error.to_string()))?;
            let (four, rest) = tensor.data().as_chunks::<4>();
            let values: Vec<f32> = four.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
            let fits = values.len() == parameters || (*name == "best" && values.is_empty());
            match tensor.dtype() == Dtype::F32 && rest.is_empty() && fits && values.iter().all(|x| x.is_finite()) {
                true => Ok(values),
                false => Err(broken(format!("{name} with {} numbers, expected {parameters}", values.len()))),
            }
        });
        let mut next = || values.next().unwrap_or_else(|| Ok(Vec::new()));
        Ok(Self {
            fingerprint: about.fingerprint,
            step: about.step,
            parameters: next()?,
            best: next()?,
            best_step: about.best_step,
            best_mean: about.best_mean,
            looks_since_best: about.looks_since_best,
            looked_at: about.looked_at,
            means: next()?,
            squares: next()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_anything_else_is_refused() {
        let mut state = Checkpoint::new("abc".to_owned(), vec![1.0, 2.0]);
        state.take(4, 0.5, &[3.0, 4.0]);
        state.take(8, 0.25, &[5.0, 6.0]);
        state.step = 9;
        assert_eq!((state.best_step, state.looks_since_best, state.looked_at), (4, 1, Some(8)));
        let file = state.write(&[7.0, 8.0], [&[0.1, 0.2], &[0.3, 0.4]]).unwrap();
        let read = Checkpoint::read(&file, "abc", 2).unwrap();
        assert_eq!((&read.parameters, &read.best), (&vec![7.0, 8.0], &vec![3.0, 4.0]));
        assert_eq!((read.means, read.squares, read.step), (vec![0.1, 0.2], vec![0.3, 0.4], 9));
        let refused = |bytes: &[u8], fingerprint: &str, count| Checkpoint::read(bytes, fingerprint, count).unwrap_err();
        assert!(refused(&file, "other", 2).contains("other data"));
        assert!(refused(&file, "abc", 3).contains("expected 3"));
        for cut in [0, 9, file.len() - 1] {
            assert!(refused(&file[..cut], "abc", 2).contains("cannot be read"), "{cut}");
        }
    }
}
