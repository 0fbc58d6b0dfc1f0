//! What a kernel means.
//!
//! This crate is the language that everything in situ is compiled to and every device runs: array
//! functions, user kernels and njit functions all become a [`Module`]. It has no devices, no Python
//! and no `unsafe`.
//!
//! # The shape of a program
//!
//! A [`Module`] holds [`Function`]s: *kernels*, launched over an [`NdRange`] and run once for each
//! work-item, and *device functions*, called by kernels and by device functions that come later in
//! the module (so there is no recursion). A function body is a [`Block`] of [`Statement`]s with
//! structured control flow. Statements have effects; [`Expression`]s have none. Nodes live in typed
//! [`Arena`]s and refer to each other by [`Handle`]. Each node knows its [`Span`] in the user's source.
//!
//! The way of a program: build it ([`FunctionBuilder`]) or [parse](text) it, [validate](mod@validate) it,
//! and with the [`ValidModule`] in hand interpret it, lower it ([`transform`]) or emit it
//! (`situ-codegen`). Nothing runs a module that was not validated.
//!
//! # Evaluation
//!
//! An expression is evaluated anew by each statement that uses it, in the state that the statement
//! finds when it starts. `Let` evaluates once and binds the result. All operands are evaluated: both
//! sides of a `Select`, both operands of a logical `and`. A front end that wants short-circuit
//! evaluation uses `If`.
//!
//! Names have four kinds: *parameters*; *values*, bound once by a statement and visible to later
//! statements of the same block and blocks nested in it; *variables*, scalars that can be assigned,
//! visible in the whole function; *arrays* in local or private memory, visible in the whole function.
//!
//! Statements that cannot be reached are allowed. Expressions are at most
//! [`MAX_EXPRESSION_DEPTH`](validate::MAX_EXPRESSION_DEPTH) deep and
//! [`MAX_EXPRESSION_NODES`](validate::MAX_EXPRESSION_NODES) large with shared parts written out, blocks at
//! most [`MAX_BLOCK_DEPTH`](validate::MAX_BLOCK_DEPTH) deep, so that every stage may recurse.
//!
//! # Work-items
//!
//! The last dimension of a range is the fastest; `global_id(0)` is the slowest index. Work-items of
//! a launch run in any order and at the same time. Work-groups tile the range; sub-groups cut a
//! work-group into runs of consecutive linear local ids of a size the device chooses (1 is legal),
//! the last of which may be shorter. A barrier or collective must be reached by every work-item of
//! the work-group or by none, in every round of a loop; validation proves it or refuses the module.
//! Device functions contain neither barriers nor collectives nor local arrays.
//!
//! Two accesses of different work-items to the same element, at least one of them a write, without a
//! barrier (same group) or atomics between them, are a race: the program has no meaning. The
//! interpreter finds races.
//!
//! # Numbers
//!
//! Every operation is total: it has one defined result for every input, the same on every device.
//!
//! * Integers wrap around (`Add`, `Subtract`, `Multiply`, `Negate`, `Abs`, `Power`).
//! * `FloorDivide` and `Modulo` are Python's; `TruncatingDivide` and `TruncatingRemainder` are C's.
//!   Division and remainder of integers by zero give 0. The smallest integer divided by -1 is itself,
//!   with remainder 0.
//! * Float `FloorDivide`/`Modulo` follow NumPy: with `m = fmod(x, y)`, a non-zero `m` whose sign
//!   differs from `y`'s is moved by `y` and the quotient `(x - m) / y` lowered by 1; a zero remainder
//!   takes the sign of `y`; the quotient is snapped to the nearest integer (a zero quotient takes the
//!   sign of `x / y`). With `y == 0` the quotient is `x / y` and the remainder NaN.
//! * Integer `Power` with a negative exponent gives the true power rounded towards zero: 1 for base 1,
//!   ±1 for base -1, 0 otherwise (also for base 0).
//! * Shifts by a negative count or by at least the number of bits give 0, or all sign bits for a
//!   right shift of a negative number. The count has the operand's type.
//! * Floats are IEEE 754, rounded to nearest even after every operation, never contracted, subnormals
//!   kept. The sign and payload of a NaN result are unspecified.
//! * Each operator on `float16` is computed in `float32` and rounded once, also `FloorDivide`,
//!   `Modulo` and `Fma` with their inner steps; `Nextafter` steps in `float16`.
//! * `Minimum(x, y)` is `x` if `x <= y` or `x` is NaN, else `y`; `Maximum` likewise with `>=`.
//!   Comparisons with NaN are false, except `NotEqual`. `Fmin(x, y)` is `x` if `x <= y` or `y` is
//!   NaN, else `y`; `Fmax` likewise.
//! * Complex: `Multiply` is `(ac - bd) + (ad + bc)i`; `Abs` is `hypot`; `Equal` compares both parts.
//!   `Divide` of `a + bi` by `c + di` is Smith's method: if `|c| >= |d|`, with `r = d / c` and
//!   `s = 1 / (c + d*r)`, it is `(a + b*r)*s + (b - a*r)*s i` (if `c` and `d` are both zero,
//!   `a/|c| + b/|c| i`); else, with `r = c / d` and `s = 1 / (d + c*r)`, it is
//!   `(a*r + b)*s + (b*r - a)*s i`. `Power` is 1 for exponent 0; for base 0, it is 0 if the
//!   exponent's real part is positive and NaN otherwise; whole exponents below 100 in magnitude are
//!   products; else it is `exp(y * log(x))`. Elementary functions have the branch cuts and special
//!   values of C99 Annex G.
//! * `Cast`: to `bool`, anything but zero is true (NaN too); from `bool`, 0 or 1; between integers,
//!   the low bits; float to integer rounds towards zero, saturates at the ends of the range, and NaN
//!   is 0; integer to float and float to float round to nearest even; complex to real takes the real
//!   part; real to complex has imaginary part 0; complex to `bool` is true if either part is not zero.
//! * [`MathFunction`]s that IEEE 754 defines exactly ([`MathFunction::is_exact`]) are exact on every
//!   device; the others are within 4 ulp.
//! * An index counts elements and may be negative; reaching outside of the allocation is an error of
//!   the program, found by the interpreter.
//!
//! # Atomics
//!
//! Atomics work on 32- and 64-bit integers and floats in global and local memory. Float `Minimum` and
//! `Maximum` follow the binary operators; `CompareExchange` compares bits. Bitwise operations are for
//! integers.

#![forbid(unsafe_code)]

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
pub mod arena;
pub mod builder;
pub mod diagnostic;
pub mod dtype;
pub mod expression;
pub mod interpret;
pub mod literal;
pub mod module;
pub mod nearest;
pub mod promotion;
pub mod range;
pub mod span;
pub mod statement;
pub mod text;
pub mod transform;
pub mod types;
pub mod validate;

pub use arena::{Arena, Handle};
pub use builder::FunctionBuilder;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use dtype::{DType, DTypeKind};
pub use expression::{
    BinaryOperator, Expression, MathDomain, MathFunction, UnaryOperator, WorkItemQuery,
};
pub use literal::Literal;
pub use module::{ArrayVariable, Function, FunctionKind, Module, Parameter, Value, Variable};
pub use range::{NdRange, RangeError};
pub use span::{Location, Source, Span};
pub use statement::{
    Atomic, AtomicOperation, Block, Collective, CollectiveOperation, CollectiveScope,
    CombineOperator, MemoryOrder, MemoryScope, MemorySpaces, Parallel, Statement, StatementKind,
};
pub use types::{AddressSpace, Type};
pub use validate::{FunctionInfo, ParameterAccess, PointerRoot, ValidModule, validate};
