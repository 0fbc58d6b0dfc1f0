//! What sorting networks need of vector instructions.

/// Vector instructions; having a value proves that the processor has them.
pub(crate) trait Instructions: Copy {
    /// Runs something that is compiled for them, as far as it is inlined here.
    fn run<T>(self, work: impl FnOnce() -> T) -> T;
}

/// Vector instructions on keys of one kind.
pub(crate) trait Vectors<K>: Instructions {
    /// Some keys.
    type Vector: Copy;

    /// How many keys a vector has; a power of two, at most 16.
    const LANES: usize;

    /// The largest key in all lanes.
    fn largest(self) -> Self::Vector;

    /// The first keys of a slice that has some; the largest key in lanes for which there are none.
    fn load(self, keys: &[K]) -> Self::Vector;

    /// Writes the first keys of a slice that has some; lanes for which there are none are left out.
    fn store(self, keys: &mut [K], vector: Self::Vector);

    /// The smaller key of each lane, and the larger one.
    fn exchange(self, left: Self::Vector, right: Self::Vector) -> [Self::Vector; 2];

    /// The lanes of `second` where bits are set, else those of `first`.
    fn select(self, bits: u16, first: Self::Vector, second: Self::Vector) -> Self::Vector;

    /// Each lane from the one whose number differs by the bits of `distance`.
    fn swap_lanes(self, distance: usize, vector: Self::Vector) -> Self::Vector;

    /// Lanes of both vectors by turns, in two vectors.
    fn interleave(self, first: Self::Vector, second: Self::Vector) -> [Self::Vector; 2];
}
