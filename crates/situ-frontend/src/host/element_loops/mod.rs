//! Work on rows and other parts of arrays in the rounds of a `prange` loop, as loops over elements.
//!
//! Rounds run at the same time, so none of them can call the array library. What they may do with whole arrays is
//! written out instead: `out[i] = a[i] * 2.0` becomes a loop over the elements of the row, `np.sum(a[i] * w)` a loop
//! that adds up, and a name that stands for such an expression is replaced by it. Shapes are compared when the
//! loop runs, by the rules of broadcasting.
//!
//! What makes new arrays, indexes with arrays or needs an array as a whole (`np.sort(row)`) is not written out; neither
//! is a statement that reads what it writes at another place. [`with_element_loops`] then tells which
//! statement it is, and whoever asked runs the rounds one after the other.

mod expressions;
mod folds;
mod loops;
mod shapes;
mod statements;
mod stored;

use std::collections::HashMap;

use situ_ir::{DType, Span};

use super::assigned_names;
use super::index_loops::IndexLoops;
use crate::syntax::{Expression, Statement};
use stored::{count_assignments, stored_arrays};

/// What the names around a loop stand for.
pub trait Meanings {
    /// The dtype and the number of dimensions of an array; `None` for everything else.
    fn array(&self, name: &str) -> Option<(DType, usize)>;
    /// What a function does that is called by this name.
    fn called(&self, function: &Expression) -> Called;
    /// Whether two arrays may have elements in common.
    fn may_overlap(&self, left: &str, right: &str) -> bool;
}

/// What a function does with arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// The same to each element.
    Elementwise,
    /// It makes one number of an array.
    Fold(Fold),
    /// Something else; arrays are passed as they are.
    Other,
}

/// How the elements of an array become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// `sum`.
    Sum,
    /// `prod`.
    Product,
    /// `mean`.
    Mean,
    /// `min`.
    Minimum,
    /// `max`.
    Maximum,
    /// `any`.
    Any,
    /// `all`.
    All,
    /// The sum of the products of two vectors.
    Dot,
}

impl Fold {
    /// The fold of a name of NumPy's.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "sum" => Self::Sum,
            "prod" => Self::Product,
            "mean" => Self::Mean,
            "min" | "amin" => Self::Minimum,
            "max" | "amax" => Self::Maximum,
            "any" => Self::Any,
            "all" => Self::All,
            "dot" | "vdot" => Self::Dot,
            _ => return None,
        })
    }
}

// Names in the compiled function. No user's name looks like these.
pub(super) const RANGE: &str = "situ__range";
pub(super) const LEN: &str = "situ__len";
pub(super) const MINIMUM: &str = "situ__minimum";
pub(super) const MAXIMUM: &str = "situ__maximum";
const LOCAL: &str = "situ__local";

/// Whether a name was made here, so that it stands for a number or a function of numbers.
pub fn is_made_name(name: &str) -> bool {
    name.starts_with("situ__")
}

/// The rounds of a loop with their work on parts of arrays written out.
///
/// Names in `accumulators` are arrays that rounds combine something with.
///
/// # Errors
/// The place of a statement that cannot be written out.
pub fn with_element_loops(
    body: &[Statement],
    accumulators: &[String],
    meanings: &dyn Meanings,
) -> Result<Vec<Statement>, Span> {
    let assigned = assigned_names(body);
    // An array that rounds hand to each other.
    let is_carried = |name: &&str| {
        meanings.array(name).is_some() && !accumulators.iter().any(|each| each == *name)
    };
    if assigned.iter().any(is_carried) {
        return Err(body.first().map_or(Span::NONE, |first| first.span));
    }
    let mut writer = Writer {
        meanings,
        locals: HashMap::new(),
        stored: stored_arrays(body),
        assignments: HashMap::new(),
        index_loops: IndexLoops::default(),
        made: 0,
        refused: Span::NONE,
    };
    count_assignments(body, &mut writer.assignments);
    writer.block(body).ok_or(writer.refused)
}

/// What a name of the rounds stands for.
#[derive(Clone)]
enum Local {
    Number,
    /// A part of an array: which one, and how many dimensions it has.
    Part(String, usize),
    /// An expression that is computed for each element where it is used.
    Delayed(Elements),
}

/// An expression of which an element is computed at a time.
#[derive(Clone)]
struct Elements {
    /// The expression with a name for each part of an array.
    of: Expression,
    parts: Vec<Part>,
}

/// A part of an array that a name stands for.
#[derive(Clone)]
struct Part {
    name: String,
    root: String,
    ndim: usize,
}

impl Elements {
    fn ndim(&self) -> usize {
        self.parts.iter().map(|part| part.ndim).max().unwrap_or(0)
    }
}

struct Writer<'a> {
    meanings: &'a dyn Meanings,
    locals: HashMap<String, Local>,
    /// Arrays that the rounds store elements of.
    stored: Vec<String>,
    assignments: HashMap<String, usize>,
    index_loops: IndexLoops,
    /// How many names were made.
    made: usize,
    /// The statement that cannot be written out, once there is one.
    refused: Span,
}

type Code = Vec<Statement>;

impl Writer<'_> {
    fn made_name(&mut self) -> String {
        self.made += 1;
        format!("{LOCAL}{}", self.made)
    }
}
