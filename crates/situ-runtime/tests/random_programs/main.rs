//! The native backend against the interpreter.
//!
//! The interpreter is the meaning of the language. Every program here runs on both, and the bytes
//! of all buffers must agree afterwards.

#![expect(
    clippy::unwrap_used,
    reason = "this is a test: a failure may stop it right there"
)]

mod generated;
mod lengths;
mod native;
mod program;
mod written;
