//! What x86-64 processors say of themselves.

use std::arch::x86_64::{__cpuid, __cpuid_count};

/// Leaves that describe caches: Intel's, and AMD's in the same form.
const CACHES: [u32; 2] = [4, 0x8000_001d];

/// Bytes of the first-level data cache of the core that asks; `None` where the processor does not say.
pub(in crate::kernels) fn first_level_data_cache() -> Option<usize> {
    let is_there = |leaf: u32| __cpuid(leaf & 0x8000_0000).eax >= leaf;
    let mut every = CACHES.into_iter().filter(|leaf| is_there(*leaf)).flat_map(|leaf| {
        // A list that ends with a cache of no kind; never longer than this.
        (0..8).map(move |i| __cpuid_count(leaf, i)).take_while(|cache| cache.eax & 0x1f != 0)
    });
    every.find_map(|cache| size(cache.eax, cache.ebx, cache.ecx))
}

/// Whether the processor has AMX with bfloat16 and with bytes.
#[cfg(target_os = "linux")]
pub(in crate::kernels) fn has_amx() -> bool {
    const BF16: u32 = 1 << 22;
    const TILE: u32 = 1 << 24;
    const INT8: u32 = 1 << 25;
    let every = BF16 | TILE | INT8;
    __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & every == every
}

/// The bytes of a cache if it is one of data, or of both kinds, on the first level.
///
/// Ways, partitions, bytes of a line and sets are each one more than the field says (Intel's manual, volume 2, CPUID).
fn size(eax: u32, ebx: u32, ecx: u32) -> Option<usize> {
    let (kind, level) = (eax & 0x1f, eax >> 5 & 7);
    let field = |from: u32, bits: u32| (ebx >> from & ((1 << bits) - 1)) as usize + 1;
    let bytes = field(22, 10) * field(12, 10) * field(0, 12) * (ecx as usize + 1);
    (level == 1 && matches!(kind, 1 | 3)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_of_ways_lines_and_sets_is_the_size() {
        // Data, first level; 12 ways of lines of 64 bytes in 64 sets, as a Sapphire Rapids answers.
        assert_eq!(size(0x0000_0021, 0x02c0_003f, 63), Some(48 << 10));
        // The same as instructions, and on the second level.
        assert_eq!((size(0x0000_0022, 0x02c0_003f, 63), size(0x0000_0041, 0x02c0_003f, 63)), (None, None));
    }
}
