//! Which vector instructions the processor has, as a token.

use crate::Key;
use crate::avx2::Avx2;
use crate::avx512::Avx512;
use crate::network;
use crate::vector::Instructions;

/// Proof that the processor has vectors which are wide enough: AVX-512 or AVX2.
#[derive(Clone, Copy, Debug)]
pub struct WideVectors(InstructionSet);

#[derive(Clone, Copy, Debug)]
enum InstructionSet {
    Avx512(Avx512),
    Avx2(Avx2),
}

impl WideVectors {
    /// The proof for the widest vectors, if there are any.
    #[inline]
    pub fn detect() -> Option<Self> {
        Self::avx512().or_else(Self::avx2)
    }

    /// A proof for each instruction set that the processor has.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        Self::avx512().into_iter().chain(Self::avx2()).collect()
    }

    #[inline]
    fn avx512() -> Option<Self> {
        Avx512::detect().map(|proof| Self(InstructionSet::Avx512(proof)))
    }

    #[inline]
    fn avx2() -> Option<Self> {
        Avx2::detect().map(|proof| Self(InstructionSet::Avx2(proof)))
    }

    /// Runs something that is compiled for such processors, as far as it is inlined here.
    #[inline]
    pub fn run<T>(self, work: impl FnOnce() -> T) -> T {
        match self.0 {
            InstructionSet::Avx512(proof) => proof.run(work),
            InstructionSet::Avx2(proof) => proof.run(work),
        }
    }
}

macro_rules! keys {
    ($($key:ty)*) => {$(
        impl Key for $key {
            #[inline]
            fn most(vectors: WideVectors) -> usize {
                match vectors.0 {
                    InstructionSet::Avx512(_) => network::most::<Self, Avx512>(),
                    InstructionSet::Avx2(_) => network::most::<Self, Avx2>(),
                }
            }

            #[inline]
            fn sort(keys: &mut [Self], vectors: WideVectors) {
                match vectors.0 {
                    InstructionSet::Avx512(proof) => network::sort(proof, keys),
                    InstructionSet::Avx2(proof) => network::sort(proof, keys),
                }
            }
        }
    )*};
}

keys! { u32 u64 }
