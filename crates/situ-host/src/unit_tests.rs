//! The unit tests of this crate: its modules once more, as the root of a test.
//!
//! As the tests of the library itself they would take as long to compile as the library does, and most of that is generic
//! code of `faer` and `rustfft`. A test that depends on the library finds the same functions in there, and links them. (The compiler looks for them in
//! optimised builds of level 1, which is the level of this crate in tests.)

extern crate situ_host as _;

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
