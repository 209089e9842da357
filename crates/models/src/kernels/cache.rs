//! How much of a product's right-hand side is multiplied at once: what the processor's first-level cache holds.
//!
//! A step changes when sums are set aside, and never in which order they are formed: results are the same on any
//! cache.

use std::sync::OnceLock;

use super::weights::{PANEL, STRIP};

/// Bytes of a first-level data cache where the processor does not say: the smallest of those that are common.
const USUAL: usize = 32 << 10;

/// What a report is believed within, in bytes.
const LEAST: usize = 8 << 10;
const MOST: usize = 256 << 10;

/// Most depths, in words, of a part of a strip or of a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DepthSteps {
    /// Of [`STRIP`] columns.
    pub(super) strip: usize,
    /// Of [`PANEL`] columns.
    pub(super) panel: usize,
    /// Of [`PANEL`] columns, of which an instruction reads a tile at once.
    pub(super) tiles: usize,
}

impl DepthSteps {
    /// The steps for this processor, asked once a process.
    pub(super) fn here() -> Self {
        static HERE: OnceLock<DepthSteps> = OnceLock::new();
        *HERE.get_or_init(|| Self::within(reported()))
    }

    /// The steps for a first-level data cache of so many bytes; `None` where the processor does not say.
    ///
    /// A part takes three quarters of it, so that rows pass by beside it; where an instruction reads tiles, half
    /// (docs/decisions/0011).
    fn within(bytes: Option<usize>) -> Self {
        let bytes = bytes.filter(|bytes| (LEAST..=MOST).contains(bytes)).unwrap_or(USUAL);
        let words = bytes / size_of::<u32>();
        Self { strip: words * 3 / 4 / STRIP, panel: words * 3 / 4 / PANEL, tiles: words / 2 / PANEL }
    }
}

/// Bytes of the first-level data cache of one core.
fn reported() -> Option<usize> {
    // An interpreter has no processor to ask, and no files.
    if cfg!(miri) {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    let by_instruction = super::simd::cpuid::first_level_data_cache();
    #[cfg(not(target_arch = "x86_64"))]
    let by_instruction = None;
    by_instruction.or_else(by_linux)
}

/// What Linux says of the first core; other systems have no such files.
fn by_linux() -> Option<usize> {
    (0..8).find_map(|index| {
        let read = |name: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
            std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
        };
        let is_data = read("level")? == "1" && read("type")? != "Instruction";
        is_data.then(|| read("size")).flatten().and_then(|size| bytes(&size))
    })
}

/// `48K` as bytes.
fn bytes(size: &str) -> Option<usize> {
    let (digits, factor) = match size.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => (size, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_weights_fits_the_cache() {
        assert_eq!(DepthSteps::within(Some(32 << 10)), DepthSteps { strip: 384, panel: 128, tiles: 85 });
        assert_eq!(DepthSteps::within(Some(48 << 10)), DepthSteps { strip: 576, panel: 192, tiles: 128 });
        assert_eq!(DepthSteps::within(Some(64 << 10)), DepthSteps { strip: 768, panel: 256, tiles: 170 });
    }

    #[test]
    fn what_is_not_reported_or_no_cache_at_all_is_taken_for_the_usual_one() {
        for bytes in [None, Some(0), Some(4 << 10), Some(1 << 30), Some(usize::MAX)] {
            assert_eq!(DepthSteps::within(bytes), DepthSteps::within(Some(USUAL)));
        }
    }

    #[test]
    fn what_this_processor_reports_is_a_cache() {
        let steps = DepthSteps::here();
        assert!(steps.strip >= LEAST / 4 * 3 / 4 / STRIP && steps.strip <= MOST / 4 / STRIP, "{steps:?}");
        // Two ways to ask agree where both answer.
        let Some(all) = reported() else { return };
        assert_eq!(by_linux().unwrap_or(all), all);
    }

    #[test]
    fn sizes_are_read_as_linux_writes_them() {
        assert_eq!(
            ["48K", "32768", "K", "", "99999999999999999999K"].map(bytes),
            [Some(49_152), Some(32_768), None, None, None]
        );
    }
}
