//! The devices situ can run on, one folder each.

pub mod native;
