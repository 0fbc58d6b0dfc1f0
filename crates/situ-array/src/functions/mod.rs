//! The functions of the library, by the chapters of the array API standard.

pub mod apply;
pub mod creation;
pub mod elementwise;
pub mod indexing;
pub mod manipulation;
pub mod moving;
pub mod scanning;
pub mod searching;
pub mod statistical;
