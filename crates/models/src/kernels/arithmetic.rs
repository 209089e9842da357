//! Which kernels a model runs on: a precision in the instructions of a processor family.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use super::dot::amx::Amx;
#[cfg(target_arch = "x86_64")]
use super::dot::{avx_vnni::AvxVnni, avx2_bytes::Bytes, avx512_bf16::Bf16, avx512_vnni::Vnni};
#[cfg(target_arch = "aarch64")]
use super::dot::{
    neon_bf16::Bf16Dot,
    neon_bytes::{MixedDot, SignedDot},
};
use super::{
    Activations, Attending, AttentionSpace, Finish, Heads, LayerNorm, MARGIN, PartialSums, Rows, RowsMut, ScoreBias,
    Weights,
    activations::Take,
    attention::Attend,
    dot::{
        Dot, Encoding, Product,
        emulated::{Single, WidenedBf16, WidenedBytes},
    },
    layer_norm::Normalise,
    multiply::Multiply,
    simd::{Family, Kernel, Simd},
    weights::PANEL,
};
use crate::{Instructions, Precision};

/// The kernels of one precision and processor family.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arithmetic {
    precision: Precision,
    family: Family,
    native: Native,
    /// Whether results are the same bits with tiles and without.
    is_portable: bool,
}

/// The instruction that does a precision's product better than plain vector instructions.
#[derive(Debug, Clone, Copy)]
enum Native {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    AmxBytes(Amx<Vnni>),
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    AmxBf16(Amx<Bf16>),
    #[cfg(target_arch = "x86_64")]
    Vnni(Vnni),
    #[cfg(target_arch = "x86_64")]
    Bf16(Bf16),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Bytes(Bytes),
    #[cfg(target_arch = "aarch64")]
    SignedDot(SignedDot),
    #[cfg(target_arch = "aarch64")]
    MixedDot(MixedDot),
    #[cfg(target_arch = "aarch64")]
    Bf16Dot(Bf16Dot),
    None,
}

impl Native {
    /// Whether it multiplies tiles of bfloat16.
    fn has_tiles(self) -> bool {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        return matches!(self, Self::AmxBf16(_));
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        false
    }

    fn of(precision: Precision, family: Family) -> Self {
        match (precision, family) {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            (Precision::Int8, Family::Amx(_)) => Amx::detect(Vnni::detect()).map_or(Self::None, Self::AmxBytes),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            (Precision::Bf16, Family::Amx(_)) => Amx::detect(Bf16::detect()).map_or(Self::None, Self::AmxBf16),
            #[cfg(target_arch = "x86_64")]
            (Precision::Int8, Family::Avx512(_)) => Vnni::detect().map_or(Self::None, Self::Vnni),
            #[cfg(target_arch = "x86_64")]
            (Precision::Bf16, Family::Avx512(_)) => Bf16::detect().map_or(Self::None, Self::Bf16),
            #[cfg(target_arch = "x86_64")]
            (Precision::Int8, Family::AvxVnni(_)) => AvxVnni::detect().map_or(Self::None, Self::AvxVnni),
            #[cfg(target_arch = "x86_64")]
            (Precision::Int8, Family::Avx2(simd)) => Self::Bytes(Bytes(simd)),
            #[cfg(target_arch = "aarch64")]
            (Precision::Int8, Family::Neon(_)) => {
                let mixed = MixedDot::detect().map(Self::MixedDot);
                mixed.or_else(|| SignedDot::detect().map(Self::SignedDot)).unwrap_or(Self::None)
            }
            #[cfg(target_arch = "aarch64")]
            (Precision::Bf16, Family::Neon(_)) => Bf16Dot::detect().map_or(Self::None, Self::Bf16Dot),
            _ => Self::None,
        }
    }
}

impl Arithmetic {
    /// The kernels of a precision, where this processor has the instructions.
    pub(crate) fn new(precision: Precision, instructions: Instructions) -> Option<Self> {
        let family = Family::of(instructions)?;
        Some(Self { precision, family, native: Native::of(precision, family), is_portable: true })
    }

    /// The same for scores, which are not kept: attention beside bytes is by tiles, too, where there are some, though their
    /// sums have another order.
    pub(crate) fn for_scores(self) -> Self {
        Self { is_portable: false, ..self }
    }

    /// Whether a precision's products have an instruction of their own.
    pub(crate) fn has_native(precision: Precision, instructions: Instructions) -> bool {
        Self::new(precision, instructions).is_some_and(|arithmetic| !matches!(arithmetic.native, Native::None))
    }

    /// The precision.
    #[cfg(test)]
    pub(crate) fn precision(self) -> Precision {
        self.precision
    }

    /// The processor family.
    pub(crate) fn family(self) -> Family {
        self.family
    }

    /// Weights to be filled, `depth` x `columns`.
    pub(crate) fn weights(self, depth: usize, columns: usize) -> Weights {
        struct Ask<'a>(&'a mut (Encoding, usize, usize));
        impl Product for Ask<'_> {
            #[inline(always)]
            fn run<D: Dot>(self, _: D) {
                *self.0 = (D::ENCODING, D::Simd::STRIP, D::DEPTH_STEP);
            }
        }
        let mut answer = (Encoding::F32, PANEL, 1);
        self.run(Ask(&mut answer));
        Weights::zeros(depth, columns, answer.0, answer.1, answer.2)
    }

    /// Lays rows out as the left-hand side of a product.
    pub(crate) fn take(self, rows: Rows<'_>, into: &mut Activations) {
        self.run(Take { rows, into });
    }

    /// Normalises rows in place and lays them out as the left-hand side of a product.
    pub(crate) fn normalise(self, rows: &mut [f32], norm: &LayerNorm, into: &mut Activations) {
        self.run(Normalise { rows, norm, into });
    }

    /// Computes `left * right + bias` into `out`, `[rows, columns]`; `sums` is memory to reuse.
    ///
    /// # Panics
    /// When the shapes do not fit: they are checked when weights are loaded.
    pub(crate) fn multiply(
        self,
        left: &Activations,
        right: &Weights,
        out: RowsMut<'_>,
        finish: Finish,
        sums: &mut PartialSums,
    ) {
        assert!(left.depth() == right.word_depth() && out.width() == right.columns() && out.count() == left.rows());
        self.run(Multiply { left, right, out, finish, sums });
    }

    /// Attention within one text.
    ///
    /// `query_key_value` is `[tokens, 3, size, heads]` and `context`, `[queries, size, heads]`, is written; behind
    /// both there are [`MARGIN`] components, and those of `context` may be written too.
    ///
    /// # Panics
    /// When a buffer is shorter than that.
    pub(crate) fn attend(
        self,
        query_key_value: &[f32],
        context: &mut [f32],
        attending: Attending,
        heads: Heads,
        bias: Option<ScoreBias<'_>>,
        space: &mut AttentionSpace,
    ) {
        let hidden = heads.count * heads.size;
        let Attending { tokens, queries } = attending;
        assert!((1..=tokens).contains(&queries) && query_key_value.len() >= tokens * 3 * hidden + MARGIN);
        assert!(context.len() >= queries * hidden + MARGIN);
        self.of_attention().run(Attend { query_key_value, context, attending, heads, bias, space });
    }

    /// The kernels of attention: bfloat16 beside bytes, where a processor multiplies it and its error is lost in theirs, and
    /// beside bfloat16, where tiles of it make attention a quarter of what it takes in f32.
    fn of_attention(self) -> Self {
        let native = match self.precision {
            Precision::Bf16 if self.native.has_tiles() => self.native,
            Precision::F32 | Precision::Bf16 => Native::None,
            // Not by tiles, whose sums have another order: vectors in int8 are the same bits with AMX and without.
            Precision::Int8 if self.is_portable => Native::of(Precision::Bf16, self.family.without_tiles()),
            Precision::Int8 => Native::of(Precision::Bf16, self.family),
        };
        let precision = if matches!(native, Native::None) { Precision::F32 } else { Precision::Bf16 };
        Self { precision, native, ..self }
    }

    /// Whether attention rounds to bfloat16.
    #[cfg(test)]
    pub(crate) fn attends_in_bf16(self) -> bool {
        self.of_attention().precision == Precision::Bf16
    }

    pub(super) fn run<P: Product>(self, product: P) {
        struct Emulated<P> {
            product: P,
            precision: Precision,
        }
        impl<P: Product> Kernel for Emulated<P> {
            type Output = ();

            #[inline(always)]
            fn run<S: Simd>(self, simd: S) {
                match self.precision {
                    Precision::F32 => Single(simd).vectorize(self.product),
                    Precision::Bf16 => WidenedBf16(simd).vectorize(self.product),
                    Precision::Int8 => WidenedBytes(simd).vectorize(self.product),
                }
            }
        }
        match self.native {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Native::AmxBytes(dot) => dot.vectorize(product),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Native::AmxBf16(dot) => dot.vectorize(product),
            #[cfg(target_arch = "x86_64")]
            Native::Vnni(dot) => dot.vectorize(product),
            #[cfg(target_arch = "x86_64")]
            Native::Bf16(dot) => dot.vectorize(product),
            #[cfg(target_arch = "x86_64")]
            Native::AvxVnni(dot) => dot.vectorize(product),
            #[cfg(target_arch = "x86_64")]
            Native::Bytes(dot) => dot.vectorize(product),
            #[cfg(target_arch = "aarch64")]
            Native::SignedDot(dot) => dot.vectorize(product),
            #[cfg(target_arch = "aarch64")]
            Native::MixedDot(dot) => dot.vectorize(product),
            #[cfg(target_arch = "aarch64")]
            Native::Bf16Dot(dot) => dot.vectorize(product),
            Native::None => self.family.run(Emulated { product, precision: self.precision }),
        }
    }
}
