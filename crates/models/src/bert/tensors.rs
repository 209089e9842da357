//! Tensors of a safetensors file, read one by one.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use safetensors::{Dtype, tensor::Metadata};

use super::word_rows::WordRows;
use crate::{
    ModelError,
    files::{MOST_WEIGHTS, open_regular},
};

/// Largest header accepted, in bytes: a model of 400 tensors has some 50,000.
const MAX_HEADER: u64 = 16 << 20;

/// What the names of an encoder's tensors begin with where a head stands beside it.
const PREFIXES: [&str; 4] = ["bert.", "roberta.", "mpnet.", "model."];

/// The word embeddings, which every encoder has: as BERT's family calls them, and ModernBERT.
const WORDS: [&str; 2] = ["embeddings.word_embeddings.weight", "embeddings.tok_embeddings.weight"];

/// Numbers converted at a time, so that raw bytes stay in the cache.
const CHUNK: usize = 16 * 1024;

/// The header of a weights file: where its tensors are.
pub(crate) struct Tensors {
    path: PathBuf,
    metadata: Metadata,
    data_start: u64,
    prefix: &'static str,
}

impl Tensors {
    /// Reads the header and checks that the file has all the bytes it promises.
    ///
    /// # Errors
    /// When the file cannot be read, has no valid header, or is shorter or longer than that says.
    pub(crate) fn open(path: &Path) -> Result<Self, ModelError> {
        let mut file = open(path)?;
        let size = file.metadata().map_err(ModelError::io("read the size of the weights", path))?.len();
        let broken = |found: String, expected: String| ModelError::Weights { path: path.to_owned(), found, expected };
        if size > MOST_WEIGHTS {
            return Err(broken(format!("{size} bytes"), format!("at most {MOST_WEIGHTS}")));
        }

        let mut length = [0; 8];
        let header_size = match file.read_exact(&mut length) {
            Ok(()) => u64::from_le_bytes(length),
            Err(_) => return Err(broken(format!("{size} bytes"), "at least 8".to_owned())),
        };
        let data_start = header_size.saturating_add(8);
        if header_size > MAX_HEADER || data_start > size {
            let expected = format!("a header of at most {} bytes", size.min(MAX_HEADER).saturating_sub(8));
            return Err(broken(format!("a header of {header_size} bytes"), expected));
        }
        let mut header = vec![0; header_size as usize];
        file.read_exact(&mut header).map_err(ModelError::io("read the header of the weights", path))?;
        let metadata: Metadata = serde_json::from_slice(&header)
            .map_err(|error| broken(format!("a header that says {error}"), "a safetensors header".to_owned()))?;
        let expected = data_start.saturating_add(metadata.data_len() as u64);
        if size != expected {
            return Err(broken(format!("{size} bytes"), format!("{expected}, as its header says")));
        }
        let has = |prefix: &&str| WORDS.iter().any(|words| metadata.info(&format!("{prefix}{words}")).is_some());
        let prefix = PREFIXES.into_iter().find(has).unwrap_or("");
        Ok(Self { path: path.to_owned(), metadata, data_start, prefix })
    }

    /// The full name of a tensor of the encoder.
    pub(super) fn within(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Reads a tensor of the encoder of exactly this shape as f32.
    ///
    /// # Errors
    /// When it is missing, of another shape or type, or cannot be read.
    pub(crate) fn read(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        self.read_exactly(&self.within(name), shape)
    }

    /// Reads a tensor by its full name.
    ///
    /// # Errors
    /// As [`Tensors::read`].
    pub(crate) fn read_exactly(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        // Before room is made: so many numbers are in the file.
        self.locate(name, shape)?;
        let mut values = Vec::with_capacity(shape.iter().product());
        self.stream(name, shape, CHUNK, |chunk| values.extend_from_slice(chunk))?;
        Ok(values)
    }

    /// Reads a matrix in bands of at most `rows` rows.
    ///
    /// # Errors
    /// As [`Tensors::read`].
    pub(crate) fn read_bands(
        &self,
        name: &str,
        shape: [usize; 2],
        rows: usize,
        each: impl FnMut(&mut [f32]),
    ) -> Result<(), ModelError> {
        self.stream(&self.within(name), &shape, rows * shape[1], each)
    }

    /// Requires a tensor of the encoder of exactly this shape, before room is made for it.
    ///
    /// # Errors
    /// When it is missing or of another shape or type.
    pub(crate) fn require(&self, name: &str, shape: &[usize]) -> Result<(), ModelError> {
        self.locate(&self.within(name), shape).map(drop)
    }

    /// A matrix whose rows are read when they are needed.
    ///
    /// # Errors
    /// As [`Tensors::read`].
    pub(crate) fn rows_on_disk(&self, name: &str, shape: [usize; 2]) -> Result<WordRows, ModelError> {
        let (number, start) = self.locate(&self.within(name), &shape)?;
        Ok(WordRows::new(self.path.clone(), open(&self.path)?, start, number, shape))
    }

    fn stream(
        &self,
        name: &str,
        shape: &[usize],
        step: usize,
        mut each: impl FnMut(&mut [f32]),
    ) -> Result<(), ModelError> {
        let (number, offset) = self.locate(name, shape)?;
        let unreadable = || ModelError::io("read the weights", &self.path);
        let mut file = open(&self.path)?;
        file.seek(SeekFrom::Start(offset)).map_err(unreadable())?;

        let mut left: usize = shape.iter().product();
        let mut bytes = vec![0; step.min(left) * number.bytes()];
        let mut values = vec![0.0; step.min(left)];
        while left > 0 {
            let count = step.min(left);
            let bytes = &mut bytes[..count * number.bytes()];
            file.read_exact(bytes).map_err(unreadable())?;
            number.decode(bytes, &mut values[..count]);
            each(&mut values[..count]);
            left -= count;
        }
        Ok(())
    }

    fn locate(&self, name: &str, shape: &[usize]) -> Result<(Number, u64), ModelError> {
        let wrong = |found: String| ModelError::Tensor {
            path: self.path.clone(),
            tensor: name.to_owned(),
            found,
            expected: format!("F32, F16 or BF16 {shape:?}"),
        };
        let info = self.metadata.info(name).ok_or_else(|| wrong("no such tensor".to_owned()))?;
        let number = Number::of(info.dtype).filter(|_| info.shape == shape);
        let number = number.ok_or_else(|| wrong(format!("{:?} {:?}", info.dtype, info.shape)))?;
        Ok((number, self.data_start + info.data_offsets.0 as u64))
    }
}

fn open(path: &Path) -> Result<File, ModelError> {
    open_regular(path).map_err(ModelError::io("open the weights", path))
}

/// The number types that weights come in, all little-endian.
#[derive(Clone, Copy)]
pub(super) enum Number {
    F32,
    F16,
    Bf16,
}

impl Number {
    fn of(dtype: Dtype) -> Option<Self> {
        match dtype {
            Dtype::F32 => Some(Self::F32),
            Dtype::F16 => Some(Self::F16),
            Dtype::BF16 => Some(Self::Bf16),
            _ => None,
        }
    }

    /// Bytes of one number.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    /// Converts as many numbers as both slices hold.
    pub(super) fn decode(self, bytes: &[u8], values: &mut [f32]) {
        match self {
            Self::F32 => fill(values, bytes, f32::from_le_bytes),
            Self::F16 => fill(values, bytes, |pair| from_f16(u16::from_le_bytes(pair))),
            Self::Bf16 => fill(values, bytes, |pair| f32::from_bits(u32::from(u16::from_le_bytes(pair)) << 16)),
        }
    }
}

fn fill<const N: usize>(values: &mut [f32], bytes: &[u8], decode: impl Fn([u8; N]) -> f32) {
    for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *value = decode(*bytes);
    }
}

/// Widens an IEEE 754 half: exactly, as every half is a single.
fn from_f16(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        // Subnormal halves count in steps of 2^-24.
        0 => return f32::from_bits(sign | (fraction as f32 * 2f32.powi(-24)).to_bits()),
        0x1f => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(header: &str, data: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    fn message<T>(result: Result<T, ModelError>) -> String {
        result.err().unwrap().to_string()
    }

    #[test]
    fn reads_the_three_number_types() {
        let header = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
            "b":{"dtype":"F16","shape":[5],"data_offsets":[8,18]},"c":{"dtype":"BF16","shape":[1,2],"data_offsets":[18,22]}}"#;
        let mut data = [1.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat();
        // 1, -2, the least subnormal, the largest half, infinity
        data.extend([0x3c00u16, 0xc000, 0x0001, 0x7bff, 0x7c00].iter().flat_map(|half| half.to_le_bytes()));
        data.extend([0x3f80u16, 0xc0a0].iter().flat_map(|half| half.to_le_bytes()));
        let file = write(header, &data);
        let tensors = Tensors::open(file.path()).unwrap();
        assert_eq!(tensors.read("a", &[2]).unwrap(), [1.5, -2.0]);
        assert_eq!(tensors.read("b", &[5]).unwrap(), [1.0, -2.0, 2f32.powi(-24), 65504.0, f32::INFINITY]);
        assert_eq!(tensors.read("c", &[1, 2]).unwrap(), [1.0, -5.0]);
    }

    #[test]
    fn finds_the_encoder_by_its_prefix_and_what_stands_beside_it() {
        for prefix in ["", "bert.", "roberta.", "mpnet."] {
            let header = format!(
                r#"{{"{prefix}embeddings.word_embeddings.weight":{{"dtype":"F32","shape":[1],"data_offsets":[0,4]}},
                "classifier.bias":{{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}}}"#
            );
            let file = write(&header, &[1f32.to_le_bytes(), 2f32.to_le_bytes()].concat());
            let tensors = Tensors::open(file.path()).unwrap();
            assert_eq!(tensors.read("embeddings.word_embeddings.weight", &[1]).unwrap(), [1.0], "{prefix:?}");
            assert_eq!(tensors.read_exactly("classifier.bias", &[1]).unwrap(), [2.0], "{prefix:?}");
        }
    }

    #[test]
    fn names_a_tensor_that_does_not_fit() {
        let header = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"I64","shape":[1],"data_offsets":[8,16]}}"#;
        let file = write(header, &[0; 16]);
        let tensors = Tensors::open(file.path()).unwrap();
        for (name, shape, expected) in [
            ("a", &[3][..], "tensor a: found F32 [2], expected F32, F16 or BF16 [3]"),
            ("b", &[1][..], "tensor b: found I64 [1], expected F32, F16 or BF16 [1]"),
            ("z", &[1][..], "tensor z: found no such tensor, expected F32, F16 or BF16 [1]"),
        ] {
            let message = message(tensors.read(name, shape));
            assert!(message.contains(expected) && message.contains("config.json"), "{message}");
        }
    }

    #[test]
    fn refuses_a_truncated_file() {
        let header = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        let short = write(header, &[0; 5]);
        let message_of = |bytes: &[u8]| {
            std::fs::write(short.path(), bytes).unwrap();
            message(Tensors::open(short.path()))
        };
        let whole = std::fs::read(short.path()).unwrap();
        let (size, expected) = (whole.len(), whole.len() + 3);
        let text = message_of(&whole);
        assert!(text.contains(&format!("found {size} bytes, expected {expected}")), "{text}");
        assert!(text.contains("download it again"), "{text}");
        assert!(message_of(&whole[..20]).contains("found a header of"), "header cut off");
        assert!(message_of(&whole[..3]).contains("found 3 bytes, expected at least 8"));
        assert!(message_of(b"\x02\0\0\0\0\0\0\0no").contains("expected a safetensors header"));
    }
}
