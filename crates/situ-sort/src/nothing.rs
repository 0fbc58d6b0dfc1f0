//! Processors whose vector instructions are not used for sorting.

use crate::Key;

/// Proof that the processor has vectors which are wide enough; there is none.
#[derive(Clone, Copy, Debug)]
pub enum WideVectors {}

impl WideVectors {
    /// No proof.
    #[inline]
    pub fn detect() -> Option<Self> {
        None
    }

    /// No proof.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        Vec::new()
    }

    /// Runs something that is compiled for wide vectors.
    #[inline]
    pub fn run<T>(self, _work: impl FnOnce() -> T) -> T {
        match self {}
    }
}

impl Key for u32 {
    fn most(vectors: WideVectors) -> usize {
        match vectors {}
    }

    fn sort(_keys: &mut [Self], vectors: WideVectors) {
        match vectors {}
    }
}

impl Key for u64 {
    fn most(vectors: WideVectors) -> usize {
        match vectors {}
    }

    fn sort(_keys: &mut [Self], vectors: WideVectors) {
        match vectors {}
    }
}
