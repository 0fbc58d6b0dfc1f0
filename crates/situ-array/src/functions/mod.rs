//! The functions of the library, by the chapters of the array API standard.

pub mod apply;
pub mod call_dtypes;
pub mod creation;
pub mod deferred;
pub mod differences;
pub mod elementwise;
pub mod foresight;
pub mod fourier;
pub mod fusion;
pub mod immediate;
pub mod indexing;
pub mod linalg;
pub mod manipulation;
pub mod moving;
pub mod scanning;
pub mod searching;
pub mod sets;
pub mod small_gathers;
mod small_masks;
pub mod small_reductions;
pub mod sorted_search;
pub mod sorting;
pub mod statistical;
pub mod triangles;
