//! Looking for numbers among sorted ones.

use situ_ir::promotion::promote;
use situ_ir::{DType, Literal, NdRange};
use situ_runtime::{Argument, IndexedAxis, Queue, index_report};
use smallvec::SmallVec;

use crate::array::Array;
use crate::device_dtypes;
use crate::error::Error;
use crate::functions::apply::Operand;
use crate::functions::creation::{as_contiguous, full};
use crate::functions::manipulation::reshape;
use crate::functions::sorting::{self, Direction, SortAlong};
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::search::{self, Question, SearchShape};
use crate::placement::{Operation, Participant, Placement, Placer};

/// Which place a number gets among its equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before them.
    Left,
    /// After them.
    Right,
}

/// Where numbers must go for a sorted row to stay sorted.
///
/// `sorter` says in which order the row is sorted, if it is not as it lies.
///
/// # Errors
/// If the arrays live in different places, or the row has not one dimension, or the sorter has other elements
/// than positions of the row, or there is no memory, or a launch fails. Positions in the sorter that do not exist
/// are reported by the next wait.
pub fn searchsorted(
    sorted: &Array,
    values: &Operand,
    side: Side,
    sorter: Option<&Array>,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let operation = "searchsorted";
    let arguments = [
        ("x1", Participant::Array(sorted)),
        ("x2", values.participant()),
    ];
    let sorter_argument = sorter.map(|sorter| ("sorter", Participant::Array(sorter)));
    let placer = Placer {
        operation: Operation::Function(operation),
        explicit: queue,
    };
    let placement = placer.place(arguments.into_iter().chain(sorter_argument))?;
    let placement = placement.ok_or(Error::NoArray { operation })?;
    let &[length] = sorted.shape() else {
        return Err(Error::SearchedDimensions {
            ndim: sorted.shape().len(),
        });
    };
    if let Some(sorter) = sorter {
        check_sorter(sorter, length)?;
    }
    let values = as_array(values, Some(sorted.dtype()), &placement)?;
    let question = match side {
        Side::Left => Question::Left,
        Side::Right => Question::Right,
    };
    let search = Search {
        sorted,
        sorter,
        question,
    };
    search.run(&values, &placement)
}

/// Whether each number is one of others; none of them if `invert`.
///
/// # Errors
/// If the arrays live in different places or there is none, or there is no memory, or a launch fails.
pub fn isin(
    numbers: &Operand,
    others: &Operand,
    invert: bool,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let operation = "isin";
    let placer = Placer {
        operation: Operation::Function(operation),
        explicit: queue,
    };
    let arguments = [("x1", numbers.participant()), ("x2", others.participant())];
    let placement = placer.place(arguments.into_iter())?;
    let placement = placement.ok_or(Error::NoArray { operation })?;
    let dtype_of = |operand: &Operand| match operand {
        Operand::Array(array) => Some(array.dtype()),
        Operand::Scalar(_) | Operand::Literal(_) | Operand::HostArray => None,
    };
    let dtype = dtype_of(numbers).or_else(|| dtype_of(others));
    let numbers = as_array(numbers, dtype, &placement)?;
    let others = as_array(others, dtype, &placement)?.with_queue(&placement.queue);
    let along = SortAlong {
        axis: None,
        direction: Direction::Ascending,
        queue: None,
    };
    let search = Search {
        sorted: &sorting::sort(&others, along)?,
        sorter: None,
        question: if invert {
            Question::IsMissing
        } else {
            Question::IsThere
        },
    };
    search.run(&numbers, &placement)
}

/// An operand as an array; Python scalars get the dtype of the arrays where that holds them.
fn as_array(
    operand: &Operand,
    beside: Option<DType>,
    placement: &Placement,
) -> Result<Array, Error> {
    let (queue, usm_kind) = (&placement.queue, placement.usm_kind);
    let literal = match operand {
        Operand::Array(array) => return Ok(array.clone()),
        Operand::Literal(literal) => *literal,
        Operand::Scalar(scalar) => {
            let default_float = device_dtypes::default_float(queue.device());
            let default = scalar.default_dtype(default_float);
            let adapted = beside.map_or(default, |dtype| scalar.promote_with(dtype, default_float));
            let wide = scalar.to_literal(default);
            let wide = wide.or_else(|| scalar.to_literal(DType::U64));
            let literal = scalar.to_literal(adapted).or(wide);
            literal.ok_or_else(|| Error::Internal {
                invariant: "a number fits into its own dtype".to_owned(),
            })?
        }
        Operand::HostArray => {
            return Err(Error::Internal {
                invariant: "placement refuses host arrays".to_owned(),
            });
        }
    };
    full(&[], literal, queue, usm_kind)
}

fn check_sorter(sorter: &Array, length: usize) -> Result<(), Error> {
    if !sorter.dtype().is_integer() {
        return Err(Error::DTypeNotSupported {
            operation: "searchsorted",
            dtypes: vec![sorter.dtype()],
            help: "a sorter has positions, e.g. those of `situ.argsort`",
        });
    }
    if sorter.shape() != [length] {
        return Err(Error::SorterShape {
            sorter: sorter.shape().to_vec(),
            length,
        });
    }
    Ok(())
}

/// What numbers are looked for in, and why.
struct Search<'a> {
    sorted: &'a Array,
    sorter: Option<&'a Array>,
    question: Question,
}

impl Search<'_> {
    fn run(&self, values: &Array, placement: &Placement) -> Result<Array, Error> {
        let (queue, usm_kind) = (&placement.queue, placement.usm_kind);
        let dtype = self.question.dtype();
        let result = Array::empty(values.shape(), dtype, queue, usm_kind)?;
        if result.layout().is_empty() {
            return Ok(result);
        }
        let values = as_contiguous(&values.with_queue(queue))?;
        let compare = promote(self.sorted.dtype(), values.dtype());
        let shape = SearchShape {
            question: self.question,
            sorted: self.sorted.dtype(),
            values: values.dtype(),
            compare: device_dtypes::nearest(compare, queue.device()),
            sorter: self.sorter.map(Array::dtype),
        };
        let key = KernelKey::Search(shape);
        let kernel = kernel_cache::kernel(queue.device(), key, |_| {
            search::module("search_sorted", &shape)
        })?;
        let index = |value: i64| Argument::Scalar(Literal::I64(value));
        let step = |array: &Array| index(array.layout().strides()[0] as i64);
        let length = self.sorted.size();
        let mut arguments: SmallVec<[Argument; 8]> = SmallVec::new();
        arguments.extend([result.argument(), self.sorted.argument(), values.argument()]);
        arguments.extend(self.sorter.map(Array::argument));
        arguments.extend([index(length as i64), step(self.sorted)]);
        let range = NdRange::new(&[values.size() as u64]).map_err(situ_runtime::Error::from)?;
        if let Some(sorter) = self.sorter {
            let axis = IndexedAxis {
                axis: 0,
                size: length,
            };
            let report = index_report(queue, &[axis])?;
            arguments.extend([step(sorter), report.argument()]);
            queue.launch_reporting(&kernel, &range, &arguments, &report, None)?;
        } else {
            queue.launch(&kernel, &range, &arguments)?;
        }
        Ok(result)
    }
}

/// For each number from zero to `total`, which of ascending numbers is the first above it.
///
/// # Errors
/// If there is no memory or a launch fails.
pub(super) fn segments(ends: &Array, total: usize) -> Result<Array, Error> {
    let (queue, usm_kind) = (ends.queue(), ends.usm_kind());
    let counting = (Literal::I64(0), Literal::I64(1));
    let numbers = super::creation::iota(total, counting, DType::I64, queue, usm_kind)?;
    let search = Search {
        sorted: &reshape(ends, &[ends.size()])?,
        sorter: None,
        question: Question::Right,
    };
    let placement = Placement {
        queue: queue.clone(),
        usm_kind,
    };
    search.run(&numbers, &placement)
}
