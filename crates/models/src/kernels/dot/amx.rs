//! Products of 16 rows by 16 columns an instruction: AMX, with bfloat16 or bytes, on Linux.
//!
//! The instructions are written out because their intrinsics are not stable. Tile registers are a state of their own
//! that compiled code never touches: what a block of assembly leaves in them is there in the next one.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::{arch::asm, marker::PhantomData, sync::OnceLock};

use super::{Dot, Encoding, Product};
use crate::kernels::{
    simd::{avx512::Avx512, cpuid},
    weights::PANEL,
};

/// Rows, and words of depth, of a tile: 16 lines of 64 bytes.
pub(in crate::kernels) const SIDE: usize = 16;

/// Bytes between the words of two depths of a panel, and between two rows of its sums.
const PANEL_BYTES: usize = PANEL * size_of::<u32>();

/// A precision's product by vectors, on a processor that also does it by tiles, and may.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amx<D>(D);

impl<D: Dot<Simd = Avx512>> Amx<D> {
    /// The proof, where it can be given: the instructions, and the system's leave to use their registers.
    pub(crate) fn detect(vectors: Option<D>) -> Option<Self> {
        vectors.filter(|_| matches!(D::ENCODING, Encoding::Bf16 | Encoding::Bytes) && is_available()).map(Self)
    }
}

/// Whether the processor has the instructions and this process may use their registers; asks Linux once.
pub(in crate::kernels) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| !cfg!(miri) && cpuid::has_amx() && request())
}

/// arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA): for every thread of the process, from now on (Linux 5.16 and later).
fn request() -> bool {
    const ARCH_PRCTL: isize = 158;
    const REQUEST: usize = 0x1023;
    const TILE_DATA: usize = 18;
    let mut answer = ARCH_PRCTL;
    // SAFETY: a system call of two numbers that reads and writes no memory of this process. The instruction itself
    // overwrites rcx and r11.
    unsafe {
        asm!("syscall", inlateout("rax") answer, in("rdi") REQUEST, in("rsi") TILE_DATA, out("rcx") _, out("r11") _,
            options(nostack));
    }
    answer == 0
}

/// Runs a product with the tiles' proof within the vectors' instructions.
struct Within<P, D> {
    product: P,
    dot: Amx<D>,
}

impl<P: Product, D: Dot<Simd = Avx512>> Product for Within<P, D> {
    #[inline(always)]
    fn run<V: Dot>(self, _: V) {
        self.product.run(self.dot);
    }
}

impl<D: Dot<Simd = Avx512>> Dot for Amx<D> {
    const ENCODING: Encoding = D::ENCODING;
    const ROWS: usize = SIDE;
    const ROW_STEP: usize = SIDE;
    const INTERLEAVED: bool = false;
    const DEPTH_STEP: usize = SIDE;
    type Simd = Avx512;
    type Sums = D::Sums;
    type Register = D::Register;

    #[inline(always)]
    fn simd(self) -> Avx512 {
        self.0.simd()
    }

    #[inline(always)]
    fn vectorize<P: Product>(self, product: P) {
        self.0.vectorize(Within { product, dot: self });
    }

    #[inline(always)]
    fn zero(self) -> D::Sums {
        self.0.zero()
    }

    #[inline(always)]
    fn splat(self, word: u32) -> D::Register {
        self.0.splat(word)
    }

    #[inline(always)]
    fn load(self, words: &[u32; 16]) -> D::Register {
        self.0.load(words)
    }

    #[inline(always)]
    fn dot(self, sums: D::Sums, row: D::Register, columns: D::Register) -> D::Sums {
        self.0.dot(sums, row, columns)
    }

    #[inline(always)]
    fn bf16_words(self, numbers: &[f32], words: &mut [u32]) {
        self.0.bf16_words(numbers, words);
    }

    #[inline(always)]
    fn store(self, sums: D::Sums, words: &mut [u32; 16]) {
        self.0.store(sums, words);
    }

    #[inline(always)]
    fn resume(self, words: &[u32; 16]) -> D::Sums {
        self.0.resume(words)
    }

    #[inline(always)]
    fn tiles(self) -> Option<Tiles> {
        Some(Tiles::configure(self))
    }
}

/// The tile registers of this thread, each of 16 lines of 64 bytes; given back when dropped.
///
/// Registers 0 to 2 hold sums, 3 words of rows, 4 to 6 words of columns. Exists only where [`Amx::detect`] found the
/// instructions.
pub(in crate::kernels) struct Tiles {
    encoding: Encoding,
    /// Registers belong to a thread.
    here: PhantomData<*const ()>,
}

/// What LDTILECFG reads (Intel's manual, volume 1, 18.2).
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    line_bytes: [u16; 16],
    lines: [u8; 16],
}

static SQUARE: Configuration = Configuration {
    palette: 1,
    start: 0,
    reserved: [0; 14],
    line_bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    lines: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

impl Tiles {
    fn configure<D>(_: Amx<D>) -> Self
    where
        D: Dot,
    {
        // SAFETY: the `Amx` exists only where `detect` found the instructions and leave to use them; 64 bytes are read.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const SQUARE, options(nostack, readonly, preserves_flags));
        }
        Self { encoding: D::ENCODING, here: PhantomData }
    }

    /// Multiplies 16 rows with a part of a panel; what came before that part is in `sums`.
    ///
    /// `rows` are rows of `depth` words one after the other, of which those from `from` on are multiplied; `part` has
    /// `PANEL` words for each of a multiple of 16 depths.
    ///
    /// # Panics
    /// When a buffer is shorter than that.
    #[inline]
    pub(in crate::kernels) fn multiply(
        &self,
        rows: &[u32],
        depth: usize,
        from: usize,
        part: &[u32],
        sums: &mut [[u32; PANEL]],
    ) {
        let steps = part.len() / (PANEL * SIDE);
        assert!(rows.len() >= SIDE * depth && from + steps * SIDE <= depth && sums.len() >= SIDE && steps > 0);
        let (sums, stride) = (sums.as_mut_ptr(), PANEL_BYTES);
        // SAFETY: `self` exists only where the instructions are. A tile of sums is 16 rows of 64 bytes, `PANEL_BYTES`
        // apart: three side by side are the 16 rows of `sums`, checked above.
        unsafe {
            if from > 0 {
                asm!(
                    "tileloadd tmm0, [{sums} + {stride}*1]",
                    "tileloadd tmm1, [{sums} + {stride}*1 + 64]",
                    "tileloadd tmm2, [{sums} + {stride}*1 + 128]",
                    sums = in(reg) sums, stride = in(reg) stride, options(nostack, readonly, preserves_flags)
                );
            } else {
                asm!("tilezero tmm0", "tilezero tmm1", "tilezero tmm2", options(nostack, nomem, preserves_flags));
            }
        }
        macro_rules! sum_up {
            ($product:literal) => {
                // SAFETY: as above. Step s reads words `from + 16 s` to `from + 16 s + 15` of each of 16 rows, which
                // are `depth` words long, and 16 times `PANEL` words of `part`: both were checked for every step.
                unsafe {
                    asm!(
                        "2:",
                        "tileloadd tmm3, [{rows} + {of_rows}*1]",
                        "tileloadd tmm4, [{part} + {stride}*1]",
                        "tileloadd tmm5, [{part} + {stride}*1 + 64]",
                        "tileloadd tmm6, [{part} + {stride}*1 + 128]",
                        concat!($product, " tmm0, tmm3, tmm4"),
                        concat!($product, " tmm1, tmm3, tmm5"),
                        concat!($product, " tmm2, tmm3, tmm6"),
                        "add {rows}, 64",
                        "add {part}, {step}",
                        "dec {steps}",
                        "jnz 2b",
                        rows = inout(reg) rows.as_ptr().add(from) => _,
                        part = inout(reg) part.as_ptr() => _,
                        steps = inout(reg) steps => _,
                        of_rows = in(reg) depth * size_of::<u32>(),
                        stride = in(reg) stride,
                        step = const SIDE * PANEL_BYTES,
                        options(nostack, readonly)
                    );
                }
            };
        }
        match self.encoding {
            Encoding::Bf16 => sum_up!("tdpbf16ps"),
            _ => sum_up!("tdpbusd"),
        }
        // SAFETY: as for the sums that were read.
        unsafe {
            asm!(
                "tilestored [{sums} + {stride}*1], tmm0",
                "tilestored [{sums} + {stride}*1 + 64], tmm1",
                "tilestored [{sums} + {stride}*1 + 128], tmm2",
                sums = in(reg) sums, stride = in(reg) stride, options(nostack, preserves_flags)
            );
        }
    }

    /// Writes the product of 16 rows of words and 16 columns.
    ///
    /// Each side is its words, and how many words its lines are apart: `rows` has 16 lines of `steps` times 16 words, `columns`
    /// `steps` times 16 lines of 16, and `out` 16 of 16.
    ///
    /// # Panics
    /// When a side is shorter than that.
    #[inline]
    pub(in crate::kernels) fn square(
        &self,
        steps: usize,
        (rows, of_rows): (&[u32], usize),
        (columns, of_columns): (&[u32], usize),
        (out, of_out): (&mut [u32], usize),
    ) {
        let holds = |words: usize, lines: usize, apart: usize, width: usize| {
            let last = (lines - 1).checked_mul(apart).and_then(|last| last.checked_add(width));
            last.is_some_and(|end| end <= words)
        };
        assert!(
            (1..1 << 20).contains(&steps)
                && holds(rows.len(), SIDE, of_rows, steps * SIDE)
                && holds(columns.len(), steps * SIDE, of_columns, SIDE)
                && holds(out.len(), SIDE, of_out, SIDE)
        );
        let step = SIDE * of_columns * size_of::<u32>();
        macro_rules! multiply {
            ($product:literal) => {
                // SAFETY: `self` exists only where the instructions are. Step s reads words `16 s` to `16 s + 15` of 16 rows
                // and lines `16 s` to `16 s + 15` of columns; these, and the 16 lines that are written, are within the slices
                // by the assertion above.
                unsafe {
                    asm!(
                        "tilezero tmm0",
                        "2:",
                        "tileloadd tmm3, [{rows} + {of_rows}*1]",
                        "tileloadd tmm4, [{columns} + {of_columns}*1]",
                        concat!($product, " tmm0, tmm3, tmm4"),
                        "add {rows}, 64",
                        "add {columns}, {step}",
                        "dec {steps}",
                        "jnz 2b",
                        "tilestored [{out} + {of_out}*1], tmm0",
                        rows = inout(reg) rows.as_ptr() => _,
                        columns = inout(reg) columns.as_ptr() => _,
                        steps = inout(reg) steps => _,
                        out = in(reg) out.as_mut_ptr(),
                        of_rows = in(reg) of_rows * size_of::<u32>(),
                        of_columns = in(reg) of_columns * size_of::<u32>(),
                        of_out = in(reg) of_out * size_of::<u32>(),
                        step = in(reg) step,
                        options(nostack)
                    );
                }
            };
        }
        match self.encoding {
            Encoding::Bf16 => multiply!("tdpbf16ps"),
            _ => multiply!("tdpbusd"),
        }
    }

    /// Multiplies what is in the registers `steps` times, four independent sums each: returns how many multiply-adds
    /// that is.
    pub(in crate::kernels) fn spin(&self, steps: usize) -> usize {
        macro_rules! spin {
            ($product:literal) => {
                // SAFETY: `self` exists only where the instructions are; their operands are registers.
                unsafe {
                    asm!(
                        "tilezero tmm4",
                        "tilezero tmm5",
                        "2:",
                        concat!($product, " tmm0, tmm4, tmm5"),
                        concat!($product, " tmm1, tmm4, tmm5"),
                        concat!($product, " tmm2, tmm4, tmm5"),
                        concat!($product, " tmm3, tmm4, tmm5"),
                        "dec {steps}",
                        "jnz 2b",
                        steps = inout(reg) steps.max(1) => _,
                        options(nostack, nomem)
                    );
                }
            };
        }
        match self.encoding {
            Encoding::Bf16 => spin!("tdpbf16ps"),
            _ => spin!("tdpbusd"),
        }
        steps.max(1) * 4 * SIDE * SIDE * SIDE * self.encoding.depth()
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: `self` exists only where the instructions are. Registers without content need not be saved when the
        // system changes threads.
        unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::dot::{avx512_bf16::Bf16, avx512_vnni::Vnni};

    #[test]
    fn threads_have_registers_of_their_own() {
        let Some(dot) = Amx::detect(Vnni::detect()) else { return };
        let multiply = move |byte: u32| {
            let (rows, part) = ([byte * 0x0101_0101; SIDE * SIDE], [0x0101_0101; SIDE * PANEL]);
            for _ in 0..200 {
                let mut sums = [[7; PANEL]; SIDE];
                Tiles::configure(dot).multiply(&rows, SIDE, 0, &part, &mut sums);
                assert_eq!(sums, [[byte * 64; PANEL]; SIDE]);
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            for byte in 1..5 {
                scope.spawn(move || multiply(byte));
            }
        });
    }

    #[test]
    fn rows_that_are_too_short_are_refused() {
        let Some(dot) = Amx::detect(Bf16::detect()) else { return };
        let multiply = |rows: &[u32]| {
            Tiles::configure(dot).multiply(rows, SIDE, 0, &[0; SIDE * PANEL], &mut [[0; PANEL]; SIDE]);
        };
        multiply(&[0; SIDE * SIDE]);
        assert!(std::panic::catch_unwind(|| multiply(&[0; 17])).is_err());
    }

    #[test]
    fn a_side_that_is_too_short_is_refused() {
        let Some(dot) = Amx::detect(Bf16::detect()) else { return };
        let square = |rows: usize, columns: usize, out: usize, steps: usize| {
            let (rows, columns, mut out) = (vec![0; rows], vec![0; columns], vec![7; out]);
            Tiles::configure(dot).square(steps, (&rows, SIDE * steps), (&columns, 20), (&mut out, 24));
            out
        };
        let (rows, columns, out) = (SIDE * SIDE * 2, 20 * 31 + SIDE, 24 * 15 + SIDE);
        let written = square(rows, columns, out, 2);
        assert!(written.chunks(24).all(|line| line[..SIDE] == [0; SIDE] && line[SIDE..].iter().all(|word| *word == 7)));
        for (rows, columns, out, steps) in [
            (rows - 1, columns, out, 2),
            (rows, columns - 1, out, 2),
            (rows, columns, out - 1, 2),
            (rows, columns, out, 0),
        ] {
            assert!(std::panic::catch_unwind(|| square(rows, columns, out, steps)).is_err());
        }
    }
}
