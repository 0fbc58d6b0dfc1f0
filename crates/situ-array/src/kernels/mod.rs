//! Kernel templates: IR expressions plus loops over operands' memory.
//!
//! A template turns *what* is computed (an expression given by the function) and *how the operands
//! lie in memory* (a [`LoopNest`](crate::loop_nest::LoopNest)) into a kernel. Shapes and strides are
//! arguments of the kernel, so one kernel serves every size.

pub mod compact;
pub mod dot;
pub mod elements;
pub mod first_extreme;
mod first_match;
pub mod indexed;
pub mod iota;
pub mod locate;
pub mod map;
pub mod matmul;
pub mod merge_sort;
pub mod order;
pub mod reduce;
mod rows;
pub mod scan;
pub mod search;
mod side_by_side;

use situ_ir::{Expression, FunctionBuilder, Handle};

/// What a function computes for one element: appends expressions to the builder and gives the result.
pub type MapBody<'a> =
    dyn Fn(&mut FunctionBuilder, &[Handle<Expression>]) -> Handle<Expression> + 'a;
