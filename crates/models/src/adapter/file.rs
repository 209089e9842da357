//! The file of an adapter: safetensors with the names that PEFT gives, in bfloat16.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
};

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Adapter, ReadWith, Update};
use crate::{ModelError, ShippedAdapter, checksum::sha256_of_bytes, files::read_regular};

/// Bytes of an adapter at most: rank 32 of the default encoder has 2.7 million.
const MOST_ADAPTER: u64 = 256 << 20;
/// The one entry of the file's metadata: several would come in any order, and the same adapter have several checksums.
const ABOUT: &str = "aforesaid";
/// The forms of the file.
const FORMATS: [(ReadWith, &str); 2] = [(ReadWith::Both, "adapter-1"), (ReadWith::Queries, "query-adapter-1")];
/// What PEFT writes before the names of a model's modules.
const PREFIX: &str = "base_model.model.";
const DOWN: &str = ".lora_A.weight";
const UP: &str = ".lora_B.weight";

/// What a file says of its adapter.
#[derive(Serialize, Deserialize)]
struct About {
    format: String,
    base: String,
    note: String,
}

impl Adapter {
    /// An adapter of these updates, and its file.
    ///
    /// Numbers are rounded to bfloat16, in the adapter as in the file.
    ///
    /// # Errors
    /// When the updates have no rank in common.
    pub(crate) fn new(
        base: &str,
        note: &str,
        read_with: ReadWith,
        updates: BTreeMap<String, Update>,
    ) -> Result<(Self, Vec<u8>), String> {
        let format = FORMATS.iter().find(|(of, _)| *of == read_with).map_or("", |(_, format)| format);
        let about = About { format: format.to_owned(), base: base.to_owned(), note: note.to_owned() };
        let file = write(&about, tensors_of(&updates))?;
        Ok((Self::parse(&file)?, file))
    }

    /// An adapter of the published model that does what these do, one after another, and then these updates; and its file. It
    /// has the directions of all of them: `[up, up'] * [down, down']` is the sum of both products.
    ///
    /// # Errors
    /// When the updates have no rank in common.
    pub(crate) fn after(
        adapters: &[Arc<Self>],
        base: &str,
        note: &str,
        mut updates: BTreeMap<String, Update>,
    ) -> Result<(Self, Vec<u8>), String> {
        for (map, update) in adapters.iter().flat_map(|adapter| adapter.maps()) {
            match updates.get_mut(map) {
                Some(more) => *more = update.beside(more),
                None => {
                    updates.insert(map.to_owned(), update.clone());
                }
            }
        }
        let notes: Vec<&str> = adapters.iter().map(|adapter| adapter.note.as_str()).chain([note]).collect();
        Self::new(base, &notes.join("; then "), ReadWith::Both, updates)
    }

    /// An adapter with a part of this one's updates, and its file: a model between the base and what was learned
    /// (Wortsman et al. 2022, section 3). `strength` is in (0, 1].
    ///
    /// # Errors
    /// When `strength` is not in that range.
    pub fn weakened(&self, strength: f32) -> Result<(Self, Vec<u8>), ModelError> {
        let unfit = |found: String| ModelError::Training {
            model: self.base.clone(),
            found,
            expected: "a strength above 0, at most 1".to_owned(),
        };
        if !(strength > 0.0 && strength <= 1.0) {
            return Err(unfit(format!("a strength of {strength}")));
        }
        let mut updates = self.updates.clone();
        updates.values_mut().flat_map(|update| &mut update.up).for_each(|value| *value *= strength);
        let note = format!("{}; {strength} of what was learned", self.note);
        Self::new(&self.base, &note, self.read_with, updates).map_err(unfit)
    }

    /// An adapter whose updates stand in a file with more than that.
    pub(crate) fn within(
        base: String,
        note: String,
        updates: BTreeMap<String, Update>,
        sha256: String,
    ) -> Result<Self, String> {
        let rank = updates.values().map(|update| update.down.len() / update.inputs.max(1)).max().ok_or("no update")?;
        Ok(Self { base, note, rank, read_with: ReadWith::Both, updates, sha256 })
    }

    /// Reads the file of an adapter.
    ///
    /// # Errors
    /// When it cannot be read or is no adapter.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let bytes = read_regular(path, MOST_ADAPTER).map_err(ModelError::io("read the adapter", path))?;
        Self::parse(&bytes).map_err(|found| ModelError::Weights {
            path: path.to_owned(),
            found,
            expected: "the file of an adapter for one of the registered models".to_owned(),
        })
    }

    /// An adapter that is part of this crate.
    ///
    /// # Errors
    /// Never where the crate's own tests pass.
    pub(crate) fn shipped(shipped: &ShippedAdapter) -> Result<Self, ModelError> {
        Self::parse(shipped.file).map_err(|found| ModelError::Adapter { found, expected: shipped.sha256.to_owned() })
    }

    /// Reads an adapter from the bytes of its file.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let (about, tensors) = read_about::<About>(bytes, "a safetensors file that is no adapter")?;
        let About { format, base, note } = about;
        let known = FORMATS.iter().find(|(_, known)| *known == format);
        let (read_with, _) = *known.ok_or_else(|| format!("the format {format:?}"))?;
        let updates = read_updates(&tensors)?;
        if updates.len() * 2 != tensors.len() {
            return Err(format!("{} tensors for {} maps", tensors.len(), updates.len()));
        }
        let adapter = Self::within(base, note, updates, sha256_of_bytes(bytes))?;
        Ok(Self { read_with, ..adapter })
    }
}

/// A tensor to be written: its name, shape and bytes in bfloat16.
pub(crate) type WrittenTensor = (String, Vec<usize>, Vec<u8>);

/// The tensor of some numbers, rounded to bfloat16.
pub(crate) fn tensor(name: String, shape: Vec<usize>, values: &[f32]) -> WrittenTensor {
    (name, shape, values.iter().flat_map(|value| rounded(*value).to_le_bytes()).collect())
}

/// The tensors of updates, by PEFT's names.
pub(crate) fn tensors_of(updates: &BTreeMap<String, Update>) -> Vec<WrittenTensor> {
    let mut tensors = Vec::new();
    for (map, update) in updates {
        let rank = update.down.len() / update.inputs.max(1);
        tensors.push(tensor(format!("{PREFIX}{map}{DOWN}"), vec![rank, update.inputs], &update.down));
        tensors.push(tensor(format!("{PREFIX}{map}{UP}"), vec![update.outputs, rank], &update.up));
    }
    tensors
}

/// A safetensors file of tensors in bfloat16, with what it is in its metadata.
///
/// # Errors
/// When a tensor's shape is not that of its bytes.
pub(crate) fn write(about: &impl Serialize, tensors: Vec<WrittenTensor>) -> Result<Vec<u8>, String> {
    let views = tensors
        .iter()
        .map(|(name, shape, data)| TensorView::new(Dtype::BF16, shape.clone(), data).map(|view| (name.as_str(), view)));
    let views = views.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let about = serde_json::to_string(about).map_err(|error| error.to_string())?;
    let metadata = HashMap::from([(ABOUT.to_owned(), about)]);
    safetensors::serialize(views, Some(metadata)).map_err(|error| error.to_string())
}

/// Reads what a file says it is, and its tensors; `other` says what a file without that is.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read_about<'b, T: DeserializeOwned>(
    bytes: &'b [u8],
    other: &str,
) -> Result<(T, SafeTensors<'b>), String> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let about = header.metadata().as_ref().and_then(|metadata| metadata.get(ABOUT)).ok_or(other)?;
    let about = serde_json::from_str(about).map_err(|error| error.to_string())?;
    Ok((about, SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?))
}

/// The updates among a file's tensors.
///
/// # Errors
/// When a tensor lacks its other half, or is of another type or shape.
pub(crate) fn read_updates(tensors: &SafeTensors<'_>) -> Result<BTreeMap<String, Update>, String> {
    let mut updates = BTreeMap::new();
    for name in tensors.names().into_iter().filter(|name| name.ends_with(DOWN)) {
        let map = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(DOWN)).ok_or_else(|| odd(name))?;
        let (down_shape, down) = matrix(tensors, name)?;
        let (up_shape, up) = matrix(tensors, &format!("{PREFIX}{map}{UP}"))?;
        let ([rank, inputs], [outputs, of_up]) = (down_shape, up_shape);
        if rank != of_up || rank == 0 || inputs == 0 || outputs == 0 {
            return Err(format!("the shapes {down_shape:?} and {up_shape:?} of {map}"));
        }
        updates.insert(map.to_owned(), Update { inputs, outputs, down, up });
    }
    Ok(updates)
}

fn odd(name: &str) -> String {
    format!("the tensor {name:?}")
}

/// A matrix of finite numbers, with its shape.
///
/// # Errors
/// When there is none of that name, or it is of another type or shape.
pub(crate) fn matrix(tensors: &SafeTensors<'_>, name: &str) -> Result<([usize; 2], Vec<f32>), String> {
    let tensor = tensors.tensor(name).map_err(|_| format!("no tensor {name:?}"))?;
    let (&[rows, columns], Dtype::BF16) = (tensor.shape(), tensor.dtype()) else {
        return Err(format!("{name:?} of type {:?} and shape {:?}", tensor.dtype(), tensor.shape()));
    };
    let (pairs, _) = tensor.data().as_chunks::<2>();
    let values: Vec<f32> =
        pairs.iter().map(|pair| f32::from_bits(u32::from(u16::from_le_bytes(*pair)) << 16)).collect();
    if values.iter().all(|value| value.is_finite()) {
        Ok(([rows, columns], values))
    } else {
        Err(format!("numbers in {name:?} that are not finite"))
    }
}

/// The nearest bfloat16, ties to even.
fn rounded(value: f32) -> u16 {
    let bits = value.to_bits();
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Family;

    fn updates() -> BTreeMap<String, Update> {
        let down = vec![1.0, 2.0, -0.5, 0.25, 0.0, 3.0];
        let update = Update { inputs: 3, outputs: 4, down, up: (0..8).map(|i| i as f32).collect() };
        [("encoder.layer.0.output.dense".to_owned(), update)].into()
    }

    #[test]
    fn what_is_written_is_read() {
        let (adapter, file) = Adapter::new("fake@0123", "for a test", ReadWith::Both, updates()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("adapter.safetensors");
        std::fs::write(&path, &file).unwrap();
        let read = Adapter::read(&path).unwrap();
        assert_eq!((read.base(), read.note(), read.rank(), read.parameters()), ("fake@0123", "for a test", 2, 14));
        assert_eq!((&read, read.update("encoder.layer.0.output.dense")), (&adapter, updates().values().next()));
        assert_eq!((read.maps().count(), read.read_with()), (1, ReadWith::Both));
        let (_, file) = Adapter::new("fake@0123", "for a test", ReadWith::Queries, updates()).unwrap();
        let of_queries = Adapter::parse(&file).unwrap();
        assert!(of_queries.read_with() == ReadWith::Queries && of_queries != adapter);
    }

    #[test]
    fn what_is_no_adapter_is_refused() {
        let (_, file) = Adapter::new("fake@0123", "", ReadWith::Both, updates()).unwrap();
        for cut in [0, 7, 8, 40, file.len() - 1] {
            assert!(Adapter::parse(&file[..cut]).is_err(), "{cut}");
        }
        let mut other = file.clone();
        let at = other.windows(9).position(|window| window == b"adapter-1").unwrap();
        other[at] = b'A';
        assert!(Adapter::parse(&other).unwrap_err().contains("Adapter-1"));
        let mut infinite = file.clone();
        let end = infinite.len();
        infinite[end - 2..].copy_from_slice(&0x7f80u16.to_le_bytes());
        assert!(Adapter::parse(&infinite).unwrap_err().contains("finite"));
        assert!(Adapter::new("fake@0123", "", ReadWith::Both, BTreeMap::new()).unwrap_err().contains("no update"));
    }

    #[test]
    fn a_part_is_kept_of_what_is_added() {
        let (whole, _) = Adapter::new("fake@0123", "for a test", ReadWith::Both, updates()).unwrap();
        let (half, file) = whole.weakened(0.5).unwrap();
        let of = |adapter: &Adapter| adapter.update("encoder.layer.0.output.dense").cloned().unwrap();
        assert_eq!(of(&half).down, of(&whole).down);
        assert_eq!(of(&half).up, of(&whole).up.iter().map(|value| 0.5 * value).collect::<Vec<_>>());
        assert_eq!((half.note(), &Adapter::parse(&file).unwrap()), ("for a test; 0.5 of what was learned", &half));
        for odd in [0.0, -1.0, 1.5, f32::NAN] {
            assert!(whole.weakened(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn rounding_goes_to_the_nearest() {
        let near = |value: f32| f32::from_bits(u32::from(rounded(value)) << 16);
        assert_eq!([near(1.0), near(-0.5), near(1.0 + 1.0 / 512.0)], [1.0, -0.5, 1.0]);
        assert_eq!(near(1.0 + 3.0 / 512.0), 1.0 + 4.0 / 256.0 / 2.0);
    }

    #[test]
    fn an_update_is_added_row_by_row() {
        let updates = updates();
        let update = updates.values().next().unwrap();
        let family = Family::of(crate::Instructions::Portable).unwrap();
        let mut whole = vec![1.0; 12];
        update.add_to(family, 0, &mut whole);
        // Row 1 of up is (2, 3): 2 * (1, 2, -0.5) + 3 * (0.25, 0, 3), and 1.
        assert_eq!(whole[3..6], [3.75, 5.0, 9.0]);
        let mut last = vec![1.0; 6];
        update.add_to(family, 2, &mut last);
        assert_eq!(last, whole[6..]);
    }
}
