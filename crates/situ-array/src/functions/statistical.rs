//! Reductions over axes.
//!
//! What they have in common: without axes everything is reduced; the answer is the same for any number of
//! threads; floats are combined in the next wider dtype where the device has it, else pairwise.

use situ_ir::{BinaryOperator, DType, Literal};
use situ_runtime::{Device, Queue};

use crate::array::Array;
use crate::casting::Casting;
use crate::device_dtypes;
use crate::error::Error;
use crate::functions::apply::{self, Operand};
use crate::functions::creation;
use crate::functions::elementwise::find;
use crate::kernels::reduce::{Finish, Prepare};
use crate::placement::{Operation, Placer};
use crate::reduction::{ReducedAxes, Reduction, accumulator};

/// What all reductions are told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Over<'a> {
    /// The axes to reduce; all of them if none are named.
    pub axes: Option<&'a [i64]>,
    /// Whether reduced axes stay, with size one.
    pub keepdims: bool,
    /// What runs it; where the array lives if nothing is named.
    pub queue: Option<&'a Queue>,
}

/// What becomes of NaNs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nan {
    /// They make the result NaN.
    Counts,
    /// They are left out.
    Skipped,
}

/// The dtype of a result: the one that was asked for, if the device has it, or else a default as the
/// device has it.
pub(super) fn result_dtype(
    asked: Option<DType>,
    default: DType,
    device: &Device,
) -> Result<DType, Error> {
    match asked {
        Some(dtype) => {
            device_dtypes::check(dtype, device)?;
            Ok(dtype)
        }
        None => Ok(device_dtypes::nearest(default, device)),
    }
}

/// The array as the queue sees it, and its axes.
fn prepared(
    name: &'static str,
    array: &Array,
    over: Over<'_>,
) -> Result<(Array, ReducedAxes), Error> {
    let placer = Placer {
        operation: Operation::Function(name),
        explicit: over.queue,
    };
    let array = placer.place_one("x", array)?;
    let axes = ReducedAxes::new(array.shape(), over.axes, over.keepdims)?;
    Ok((array, axes))
}

/// Sums and products of integers and bools are made in 64 bits.
pub(super) fn widened(dtype: DType) -> DType {
    match dtype {
        DType::Bool => DType::I64,
        dtype if dtype.is_signed() => DType::I64,
        dtype if dtype.is_unsigned() => DType::U64,
        dtype => dtype,
    }
}

/// Means of integers and bools are `float64`.
pub(super) fn averaged(dtype: DType) -> DType {
    if dtype.is_float() || dtype.is_complex() {
        dtype
    } else {
        DType::F64
    }
}

fn combined(
    name: &'static str,
    array: &Array,
    combine: BinaryOperator,
    (dtype, nan): (Option<DType>, Nan),
    over: Over<'_>,
) -> Result<Array, Error> {
    let (array, axes) = prepared(name, array, over)?;
    let device = array.queue().device();
    let mut reduction = combination(combine, array.dtype(), dtype, device)?;
    if nan == Nan::Skipped {
        reduction.prepare = Prepare::SkipNan;
    }
    axes.shaped(&reduction.run_once(&array, &axes)?)
}

/// What sums and products are combined with in a dtype: of bools, they are `or` and `and`.
pub(super) fn combination_in(combine: BinaryOperator, dtype: DType) -> BinaryOperator {
    match combine {
        BinaryOperator::Add if dtype.is_bool() => BinaryOperator::BitOr,
        BinaryOperator::Multiply if dtype.is_bool() => BinaryOperator::BitAnd,
        _ => combine,
    }
}

/// A sum or product of elements of a dtype, with the dtype that was asked for.
pub(super) fn combination(
    combine: BinaryOperator,
    elements: DType,
    asked: Option<DType>,
    device: &Device,
) -> Result<Reduction<'static>, Error> {
    let dtype = result_dtype(asked, widened(elements), device)?;
    let prepare = if dtype.is_bool() {
        Prepare::IsNonZero
    } else {
        Prepare::Convert
    };
    Ok(Reduction {
        prepare,
        combine: combination_in(combine, dtype),
        finish: None,
        center: None,
        accumulate: accumulator(dtype, device),
        dtype,
    })
}

/// The sum. Without a dtype, integers and `bool` are summed in 64 bits and floats in their own dtype.
///
/// # Errors
/// If the queue cannot reach the array, or an axis does not exist, or there is no memory, or a
/// launch fails.
pub fn sum(array: &Array, dtype: Option<DType>, nan: Nan, over: Over<'_>) -> Result<Array, Error> {
    combined("sum", array, BinaryOperator::Add, (dtype, nan), over)
}

/// The product, with the dtypes of [`sum`].
///
/// # Errors
/// As [`sum`].
pub fn prod(array: &Array, dtype: Option<DType>, nan: Nan, over: Over<'_>) -> Result<Array, Error> {
    combined("prod", array, BinaryOperator::Multiply, (dtype, nan), over)
}

/// Which end of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The smallest element.
    Min,
    /// The largest element.
    Max,
}

impl Extreme {
    /// The extreme of elements of a dtype.
    pub(super) fn reduction(self, dtype: DType) -> Reduction<'static> {
        Reduction {
            prepare: Prepare::Convert,
            combine: self.combine(),
            finish: None,
            center: None,
            // The IR does not order bools; as bytes they order the same.
            accumulate: if dtype.is_bool() { DType::U8 } else { dtype },
            dtype,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    pub(super) fn arg_name(self) -> &'static str {
        match self {
            Self::Min => "argmin",
            Self::Max => "argmax",
        }
    }

    pub(super) fn combine(self) -> BinaryOperator {
        match self {
            Self::Min => BinaryOperator::Minimum,
            Self::Max => BinaryOperator::Maximum,
        }
    }
}

/// Refuses numbers that have no order.
pub(super) fn check_ordered(operation: &'static str, dtype: DType) -> Result<(), Error> {
    if dtype.is_complex() {
        return Err(Error::DTypeNotSupported {
            operation,
            dtypes: vec![dtype],
            help: "complex numbers have no order; take `abs`, `real` or `imag` first",
        });
    }
    Ok(())
}

/// The smallest or largest element.
///
/// # Errors
/// As [`sum`], and if there are no elements, or they are complex.
pub fn extreme(array: &Array, extreme: Extreme, nan: Nan, over: Over<'_>) -> Result<Array, Error> {
    let (array, axes) = prepared(extreme.name(), array, over)?;
    let dtype = array.dtype();
    check_ordered(extreme.name(), dtype)?;
    axes.check_not_empty(extreme.name(), array.shape())?;
    let mut reduction = extreme.reduction(dtype);
    if nan == Nan::Counts {
        return axes.shaped(&reduction.run_once(&array, &axes)?);
    }
    reduction.prepare = Prepare::SkipNan;
    let found = reduction.run(&array, &axes)?;
    let found = if dtype.is_float() {
        // Of nothing but NaNs there is no extreme.
        let is_known = numbers(DType::Bool).run(&array, &axes)?;
        let none = Operand::Literal(Literal::from_f64(dtype, f64::NAN));
        let choice = [Operand::Array(is_known), Operand::Array(found), none];
        elementwise("where", &choice, dtype)?
    } else {
        found
    };
    axes.shaped(&found)
}

/// How many elements are not NaN, or whether there is one.
fn numbers(dtype: DType) -> Reduction<'static> {
    Reduction {
        prepare: Prepare::IsNumber,
        combine: if dtype.is_bool() {
            BinaryOperator::BitOr
        } else {
            BinaryOperator::Add
        },
        finish: None,
        center: None,
        accumulate: dtype,
        dtype,
    }
}

/// Applies an elementwise function to results.
fn elementwise(name: &'static str, operands: &[Operand], dtype: DType) -> Result<Array, Error> {
    let function = find(name).ok_or_else(|| Error::Internal {
        invariant: format!("there is a function `{name}`"),
    })?;
    let options = apply::Options {
        dtype: Some(dtype),
        casting: Casting::Unsafe,
        ..apply::Options::default()
    };
    apply::apply_with(function, operands, options)
}

/// The arithmetic mean; integers and `bool` have `float64` means.
///
/// # Errors
/// As [`sum`].
pub fn mean(array: &Array, dtype: Option<DType>, nan: Nan, over: Over<'_>) -> Result<Array, Error> {
    let (array, axes) = prepared("mean", array, over)?;
    let dtype = result_dtype(dtype, averaged(array.dtype()), array.queue().device())?;
    if !has_nan(dtype) {
        // As NumPy has it: elements are converted first, and then the mean is.
        let whole = creation::astype(&array, dtype)?;
        let float = device_dtypes::default_float(array.queue().device());
        let means = mean_of(float, dtype, axes.count);
        return axes.shaped(&means.run(&whole, &axes)?);
    }
    let accumulate = accumulator(dtype, array.queue().device());
    if nan == Nan::Skipped && has_nan(array.dtype()) {
        let counts = numbers(accumulate.real()).run(&array, &axes)?;
        let means = mean_of_numbers(&array, &axes, &counts, accumulate)?;
        let means = elementwise("positive", &[Operand::Array(means)], dtype)?;
        return axes.shaped(&means);
    }
    axes.shaped(&mean_of(accumulate, dtype, axes.count).run_once(&array, &axes)?)
}

/// Whether numbers of a dtype can be NaN.
pub(super) fn has_nan(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

/// The mean of elements that are not NaN, of which there are so many.
fn mean_of_numbers(
    array: &Array,
    axes: &ReducedAxes,
    counts: &Array,
    accumulate: DType,
) -> Result<Array, Error> {
    let sum = Reduction {
        prepare: Prepare::SkipNan,
        finish: None,
        ..mean_of(accumulate, accumulate, axes.count)
    };
    let sums = sum.run(array, axes)?;
    let operands = [Operand::Array(sums), Operand::Array(counts.clone())];
    elementwise("divide", &operands, accumulate)
}

/// The mean of so many elements.
pub(super) fn mean_of(accumulate: DType, dtype: DType, count: usize) -> Reduction<'static> {
    Reduction {
        prepare: Prepare::Convert,
        combine: BinaryOperator::Add,
        finish: Some((Finish::Divide, count as f64)),
        center: None,
        accumulate,
        dtype,
    }
}

/// How elements spread around their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// The mean of the squares of the distances.
    Variance,
    /// Its square root.
    Deviation,
}

/// The variance or standard deviation; `correction` is subtracted from the number of elements that the
/// squares are divided by.
///
/// # Errors
/// As [`sum`].
pub fn spread(
    array: &Array,
    spread: Spread,
    (correction, nan): (f64, Nan),
    over: Over<'_>,
) -> Result<Array, Error> {
    let (name, finish) = match spread {
        Spread::Variance => ("var", Finish::Divide),
        Spread::Deviation => ("std", Finish::Root),
    };
    let (array, axes) = prepared(name, array, over)?;
    let dtype = result_dtype(None, averaged(array.dtype()), array.queue().device())?;
    let accumulate = accumulator(dtype, array.queue().device());
    if nan == Nan::Skipped && has_nan(array.dtype()) {
        let squares = SquaresOfNumbers {
            accumulate,
            correction,
        };
        let mean_squares = squares.mean(&array, &axes)?;
        let root = match spread {
            Spread::Variance => "positive",
            Spread::Deviation => "sqrt",
        };
        let result = elementwise(root, &[Operand::Array(mean_squares)], dtype.real())?;
        return axes.shaped(&result);
    }
    let means = mean_of(accumulate, accumulate, axes.count).run(&array, &axes)?;
    let divisor = (axes.count as f64 - correction).max(0.0);
    let reduction = Reduction {
        prepare: Prepare::SquaredDistance,
        combine: BinaryOperator::Add,
        finish: Some((finish, divisor)),
        center: Some(&means),
        accumulate: accumulate.real(),
        dtype: dtype.real(),
    };
    axes.shaped(&reduction.run(&array, &axes)?)
}

/// The squares of distances from the mean, without NaNs.
struct SquaresOfNumbers {
    accumulate: DType,
    correction: f64,
}

impl SquaresOfNumbers {
    /// Their sum, divided by how many there are, less the correction.
    fn mean(&self, array: &Array, axes: &ReducedAxes) -> Result<Array, Error> {
        let real = self.accumulate.real();
        let counts = numbers(real).run(array, axes)?;
        let means = mean_of_numbers(array, axes, &counts, self.accumulate)?;
        let squares = Reduction {
            prepare: Prepare::SquaredDistanceSkipNan,
            combine: BinaryOperator::Add,
            finish: None,
            center: Some(&means),
            accumulate: real,
            dtype: real,
        };
        let sums = squares.run(array, axes)?;
        let number = |value| Operand::Literal(Literal::from_f64(real, value));
        let divisors = [Operand::Array(counts), number(self.correction)];
        let divisors = elementwise("subtract", &divisors, real)?;
        let divisors = elementwise("maximum", &[Operand::Array(divisors), number(0.0)], real)?;
        elementwise(
            "divide",
            &[Operand::Array(sums), Operand::Array(divisors)],
            real,
        )
    }
}

/// Whether elements are not zero, taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// All of them.
    All,
    /// At least one of them.
    Any,
    /// How many.
    Count,
}

/// Asks whether elements are not zero. NaN is not.
///
/// # Errors
/// As [`sum`].
pub fn truth(array: &Array, truth: Truth, over: Over<'_>) -> Result<Array, Error> {
    let (array, axes) = prepared(truth.name(), array, over)?;
    axes.shaped(&truth.reduction().run_once(&array, &axes)?)
}

impl Truth {
    fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
            Self::Count => "count_nonzero",
        }
    }

    pub(super) fn reduction(self) -> Reduction<'static> {
        let (combine, dtype) = match self {
            Self::All => (BinaryOperator::BitAnd, DType::Bool),
            Self::Any => (BinaryOperator::BitOr, DType::Bool),
            Self::Count => (BinaryOperator::Add, DType::I64),
        };
        Reduction {
            prepare: Prepare::IsNonZero,
            combine,
            finish: None,
            center: None,
            accumulate: dtype,
            dtype,
        }
    }
}
