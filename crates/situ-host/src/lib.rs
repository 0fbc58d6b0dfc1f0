//! Library code on host memory: for what well-kept crates do better than a kernel would.
//!
//! Everything here takes slices of bytes and gives slices of bytes. Which array they belong to, and when it is their
//! turn, is known above, in `situ-array`. What is public is not generic: the dtype is a value ([`Element`],
//! [`Precision`]), so that the generic code of `faer` and `rustfft`, which takes minutes to compile, is compiled with
//! this crate and not with everyone who calls it.
//!
//! | module | about |
//! |---|---|
//! | `crew` | threads that work together on many short steps |
//! | [`decomposition`] | decompositions of matrices |
//! | [`element`] | what the bytes are |
//! | [`fourier`] | discrete Fourier transforms |
//! | [`matrix_product`] | products of matrices |
//! | [`matrix_vector`] | products of a matrix and a vector |
//! | [`parallel`] | loops and pairs of calls on several threads |
//! | [`threads`] | the threads that work is shared among |
//! | `tiled` | products of matrices in tiles, for processors with AVX2 |
//! | `vectorised` | loops in vectors |

mod crew;
pub mod decomposition;
pub mod element;
pub mod fourier;
pub mod matrix_product;
pub mod matrix_vector;
pub mod parallel;
pub mod threads;
mod tiled;
mod vectorised;

pub use element::{Element, Precision};
pub use threads::{Team, Threads};
