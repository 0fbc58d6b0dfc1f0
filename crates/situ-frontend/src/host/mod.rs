//! Functions of the host: what `njit` compiles.
//!
//! Such a function mixes work on whole arrays, which the array library does on devices, with work on
//! numbers. Only the numbers are this crate's business: [`read_host_function`] gives the tree that whoever runs the
//! function walks, and statements of it that need no array library become compiled code: those that run one after
//! the other on the host a [piece](compile_piece), loops over `prange` a [kernel](compile_parallel_loop).
//! Work on parts of arrays in the rounds of such loops is [written out](with_element_loops) first.
//! [`Liveness`] tells which values are needed later.

mod accumulators;
mod element_loops;
mod index_loops;
mod liveness;
mod made_trees;
mod parallel_loop;
mod piece;
mod recursion;
mod wording;

use situ_ir::Source;

pub use accumulators::{Accumulator, accumulators};
pub use element_loops::{Called, Fold, Meanings, is_made_name, with_element_loops};
pub use liveness::{Liveness, assigned_names, for_each_name, read_names};
pub use parallel_loop::{
    Combination, CompiledLoop, LoopReduction, ParallelLoop, compile_parallel_loop,
};
pub use piece::{CompiledPiece, Piece, PieceMemory, ValueType, compile_piece};
pub use recursion::MAX_RECURSION;
pub(crate) use recursion::{DEPTH, STACK_LEFT, with_depth, written_parameters};

pub use crate::infer::elements::SizeBound;
pub use crate::looped::Looped;

use crate::error::{Error, Refusal};
use crate::parse::{Dialect, parse_function_as};
use crate::stack::with_stack;
use crate::syntax::{Function, Statement};
use wording::in_host_words;

/// Reads the function called `name` from `source`.
///
/// # Errors
/// Every syntax error, and everything in the function that no compiled function can contain.
pub fn read_host_function(source: &Source, name: &str) -> Result<Function, Error> {
    parse_function_as(Dialect::Host, source, name)
        .map_err(|own| in_host_words(Refusal::new(name, source, own.into())))
}

/// Copies of statements. Copying a deep tree takes more stack than a small thread of the user's may have.
pub fn copies<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> Vec<Statement> {
    with_stack(|| statements.into_iter().cloned().collect())
}
