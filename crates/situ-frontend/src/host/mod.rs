//! Functions of the host: what `njit` compiles.
//!
//! Such a function mixes work on whole arrays, which the array library does on devices, with work on
//! numbers. Only the numbers are this crate's business: [`read_host_function`] gives the tree that whoever runs the
//! function walks, and statements of it that need no array library become compiled code: those that run one after
//! the other on the host a [piece](compile_piece), loops over `prange` a [kernel](compile_parallel_loop).
//! Work on parts of arrays in the rounds of such loops is [written out](with_element_loops) first. A loop over `prange`
//! that is part of a piece is [shared out](mod@parallel_rounds) while the piece runs.
//! [`Liveness`] tells which values are needed later.

mod accumulators;
mod element_loops;
mod index_loops;
mod liveness;
mod made_trees;
mod parallel_loop;
mod parallel_rounds;
mod piece;
mod recursion;
mod wording;

use std::sync::Arc;

use situ_ir::Source;

pub use accumulators::{Accumulator, accumulators};
pub use element_loops::{Called, Fold, Meanings, is_made_name, with_element_loops};
pub use liveness::{Liveness, assigned_names, for_each_name, read_names};
pub use parallel_loop::{
    Combination, CompiledLoop, LoopReduction, ParallelLoop, compile_parallel_loop,
};
pub(crate) use parallel_rounds::{ALL_OF, NEW_PARTIALS, ONE_OF, PARALLEL, ROUNDS, ZERO_OF};
pub use piece::{CompiledPiece, Piece, PieceMemory, SameSizes, ValueType, compile_piece};
pub use recursion::MAX_RECURSION;
pub(crate) use recursion::{DEPTH, STACK_LEFT, with_depth, written_parameters};

pub use crate::infer::elements::{ARENA_WORDS, FIRST_ARENA, SizeBound};
pub use crate::looped::Looped;

use crate::error::{Error, Refusal};
use crate::infer::assigned::is_assigned_once;
use crate::parse::{Dialect, parse_function_as};
use crate::stack::with_stack;
use crate::syntax::{ExpressionKind, Function, Statement, StatementKind};
use piece::identifier;
use wording::in_host_words;

/// Reads the function called `name` from `source`.
///
/// # Errors
/// Every syntax error, and everything in the function that no compiled function can contain.
pub fn read_host_function(source: &Source, name: &str) -> Result<Function, Error> {
    let mut function = parse_function_as(Dialect::Host, source, name)
        .map_err(|own| in_host_words(Refusal::new(name, source, own.into())))?;
    let mut body = copies(&function.body);
    define_lambdas(&mut body, &|name| is_assigned_once(&function, name));
    function.body = body;
    Ok(function)
}

/// Makes `name = lambda …` the `def` that it is, so that all parts of the function can call it, unless the name also stands for
/// something else.
fn define_lambdas(body: &mut [Statement], is_assigned_once: &dyn Fn(&str) -> bool) {
    for statement in body {
        match &mut statement.kind {
            StatementKind::If { accept, reject, .. } => {
                define_lambdas(accept, is_assigned_once);
                define_lambdas(reject, is_assigned_once);
            }
            StatementKind::While { body, .. } | StatementKind::For { body, .. } => {
                define_lambdas(body, is_assigned_once);
            }
            StatementKind::Assign { targets, value } => {
                if let ([target], ExpressionKind::Lambda(lambda)) = (&targets[..], &value.kind)
                    && let ExpressionKind::Name(name) = &target.kind
                    && is_assigned_once(name)
                {
                    let name = identifier(name, target.span);
                    let definition = Function {
                        name,
                        ..Function::clone(lambda)
                    };
                    statement.kind = StatementKind::Function(Arc::new(definition));
                }
            }
            _ => {}
        }
    }
}

/// Copies of statements. Copying a deep tree takes more stack than a small thread of the user's may have.
pub fn copies<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> Vec<Statement> {
    with_stack(|| statements.into_iter().cloned().collect())
}
