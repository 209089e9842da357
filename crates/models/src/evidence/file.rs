//! The file of an evidence reranker: safetensors with the update by PEFT's names and the head, in bfloat16.

use std::{collections::BTreeMap, path::Path};

use safetensors::SafeTensors;
use serde::Serialize;
use serde_json::Value;

use super::{EvidenceHead, EvidenceModel, EvidenceRecord};
use crate::{
    Adapter, ModelError,
    adapter::{
        Update,
        file::{matrix, read_about, read_updates, tensor, tensors_of, write},
    },
    checksum::sha256_of_bytes,
    files::read_regular,
};

/// Bytes of a file at most: rank 32 of the default encoder has 3 million.
const MOST: u64 = 256 << 20;
/// The forms of the file: the second says of a candidate whether it answers, too.
const FORMATS: [&str; 2] = ["evidence-1", "evidence-2"];
const DENSE: &str = "head.dense.weight";
const BIAS: &str = "head.dense.bias";
const ROW: &str = "head.row.weight";
const ANSWERS: &str = "head.answers.weight";
const ANSWERS_BIAS: &str = "head.answers.bias";

#[derive(Serialize)]
struct About<'a> {
    format: &'static str,
    #[serde(flatten)]
    record: &'a EvidenceRecord,
}

impl EvidenceModel {
    /// A reranker of what was learned, and its file.
    ///
    /// Numbers are rounded to bfloat16, in the reranker as in the file.
    ///
    /// # Errors
    /// When the head's parts are not of one length.
    pub(crate) fn new(
        record: &EvidenceRecord,
        updates: &BTreeMap<String, Update>,
        head: &EvidenceHead,
    ) -> Result<(Self, Vec<u8>), String> {
        let hidden = head.row.len();
        let mut tensors = tensors_of(updates);
        tensors.push(tensor(DENSE.to_owned(), vec![hidden, hidden], &head.dense));
        tensors.push(tensor(BIAS.to_owned(), vec![1, hidden], &head.bias));
        tensors.push(tensor(ROW.to_owned(), vec![1, hidden], &head.row));
        if let Some((row, bias)) = &head.answers {
            tensors.push(tensor(ANSWERS.to_owned(), vec![1, hidden], row));
            tensors.push(tensor(ANSWERS_BIAS.to_owned(), vec![1, 1], &[*bias]));
        }
        let format = FORMATS[usize::from(head.answers.is_some())];
        let file = write(&About { format, record }, tensors)?;
        Ok((Self::parse(&file)?, file))
    }

    /// Reads the file of an evidence reranker.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or is something else.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let bytes = read_regular(path, MOST).map_err(ModelError::io("read the evidence reranker", path))?;
        Self::from_bytes(&bytes).map_err(|found| ModelError::Weights {
            path: path.to_owned(),
            found,
            expected: format!("the file of a trained evidence reranker, of the format {}", FORMATS.join(" or ")),
        })
    }

    /// Reads an evidence reranker from the bytes of its file.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        Self::parse(bytes)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let other = "a safetensors file without a record of its training";
        let (about, tensors) = read_about::<Value>(bytes, other)?;
        match about.get("format").and_then(Value::as_str) {
            Some(format) if FORMATS.contains(&format) => {}
            format => return Err(format!("the format {:?}", format.unwrap_or("none"))),
        }
        let record: EvidenceRecord = serde_json::from_value(about).map_err(|error| error.to_string())?;
        if !record.first_stage_weight.is_finite() || record.max_tokens == 0 {
            let EvidenceRecord { first_stage_weight, max_tokens, .. } = record;
            return Err(format!("the first stage's weight {first_stage_weight} and {max_tokens} tokens"));
        }
        let updates = read_updates(&tensors)?;
        let head = head(&tensors)?;
        let of_head = if head.answers.is_some() { 5 } else { 3 };
        if updates.len() * 2 + of_head != tensors.len() {
            return Err(format!("{} tensors for {} maps and a head", tensors.len(), updates.len()));
        }
        let note = record.trained_on.join(", ");
        let adapter = Adapter::within(record.base.clone(), note, updates, sha256_of_bytes(bytes))?;
        Ok(Self { record, adapter, head })
    }
}

fn head(tensors: &SafeTensors<'_>) -> Result<EvidenceHead, String> {
    let ([outputs, inputs], dense) = matrix(tensors, DENSE)?;
    let (of_bias, bias) = matrix(tensors, BIAS)?;
    let (of_row, row) = matrix(tensors, ROW)?;
    if outputs != inputs || of_bias != [1, outputs] || of_row != [1, outputs] || outputs == 0 {
        return Err(format!("a head of the shapes {:?}, {of_bias:?} and {of_row:?}", [outputs, inputs]));
    }
    let answers = if tensors.tensor(ANSWERS).is_ok() {
        let (of_answers, row) = matrix(tensors, ANSWERS)?;
        let (of_bias, bias) = matrix(tensors, ANSWERS_BIAS)?;
        if of_answers != [1, outputs] || of_bias != [1, 1] {
            return Err(format!("a head for answers of the shapes {of_answers:?} and {of_bias:?}"));
        }
        Some((row, bias[0]))
    } else {
        None
    };
    Ok(EvidenceHead { dense, bias, row, answers })
}

#[cfg(test)]
mod tests {
    use aforesaid_core::rerank::PairForm;

    use super::*;

    fn written() -> (EvidenceModel, Vec<u8>) {
        written_with(None)
    }

    fn written_with(answers: Option<(Vec<f32>, f32)>) -> (EvidenceModel, Vec<u8>) {
        let record = EvidenceRecord {
            base: "fake@0123".to_owned(),
            form: PairForm::Dialogue,
            max_tokens: 256,
            first_stage_weight: 1.25,
            first_stage: "hybrid".to_owned(),
            trained_on: vec!["dialogues-dev".to_owned()],
            questions: 12,
            seed: 7,
            reads_english: true,
        };
        let update = Update { inputs: 2, outputs: 3, down: vec![1.0, -0.5], up: vec![0.25, 2.0, -1.0] };
        let head =
            EvidenceHead { dense: vec![1.0, 0.0, 0.5, -1.0], bias: vec![0.0, 1.0], row: vec![2.0, 4.0], answers };
        EvidenceModel::new(&record, &[("encoder.layer.0.output.dense".to_owned(), update)].into(), &head).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let (model, file) = written();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evidence.safetensors");
        std::fs::write(&path, &file).unwrap();
        let read = EvidenceModel::read(&path).unwrap();
        assert_eq!(read, model);
        assert_eq!((read.record().form, read.record().first_stage_weight), (PairForm::Dialogue, 1.25));
        assert_eq!((read.head.row.as_slice(), read.parameters()), (&[2.0, 4.0][..], 5 + 8));
        assert!(read.entry().unwrap_err().to_string().contains("fake@0123"));
    }

    #[test]
    fn with_a_head_for_answers_it_is_another_format() {
        let (model, file) = written_with(Some((vec![0.5, -2.0], -1.0)));
        let read = EvidenceModel::parse(&file).unwrap();
        assert_eq!(read, model);
        assert_eq!((&read.head.answers, read.parameters()), (&Some((vec![0.5, -2.0], -1.0)), 5 + 8 + 3));
        let has = |file: &[u8], word: &str| file.windows(word.len()).any(|at| at == word.as_bytes());
        assert!(has(&file, "evidence-2") && has(&written().1, "evidence-1"));
        let mut without = file;
        let at = without.windows(12).position(|at| at == b"head.answers").unwrap();
        without[at..at + 12].copy_from_slice(b"head.unknown");
        assert!(EvidenceModel::parse(&without).is_err(), "a bias alone");
    }

    #[test]
    fn what_is_damaged_or_something_else_is_refused() {
        let (_, file) = written();
        for cut in 0..file.len() {
            assert!(EvidenceModel::parse(&file[..cut]).is_err(), "{cut}");
        }
        let changed = |from: &str, to: &str| {
            let mut other = file.clone();
            let at = other.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
            other[at..at + to.len()].copy_from_slice(to.as_bytes());
            EvidenceModel::parse(&other).unwrap_err()
        };
        assert!(changed("evidence-1", "evidence-9").contains("\"evidence-9\""));
        assert!(changed("dialogue", "dialogus").contains("turn, dialogue or excerpt"));
        assert!(changed("head.row", "head.raw").contains("head.row.weight"));
        let (_, adapter) = Adapter::new(
            "fake@0123",
            "",
            crate::ReadWith::Both,
            [("map".to_owned(), Update { inputs: 1, outputs: 1, down: vec![1.0], up: vec![1.0] })].into(),
        )
        .unwrap();
        assert!(EvidenceModel::parse(&adapter).unwrap_err().contains("adapter-1"));
    }
}
