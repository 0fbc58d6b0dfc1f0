//! What can go wrong with arrays.

use situ_ir::DType;
use situ_runtime::{Aspect, UsmKind};
use thiserror::Error;

use crate::casting::Casting;
use crate::functions::moving::CopyReason;
use crate::layout::MAX_DIMS;
use crate::placement::Refusal;
use situ_host::decomposition::Problem;

/// Everything that array functions refuse, with the facts a message needs.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Shapes that do not broadcast together.
    #[error(
        "`{operation}` cannot combine arrays of shapes {}\n  why:  matching from the last dimension, sizes \
         must be equal or 1\n  help: insert dimensions of size 1 with `x[:, None]`, or reshape one \
         of the arrays",
        listed(shapes)
    )]
    ShapeMismatch {
        /// The function.
        operation: &'static str,
        /// The operands' shapes.
        shapes: Vec<Vec<usize>>,
    },
    /// A value does not fit the place it is assigned to.
    #[error(
        "cannot assign a value of shape {} to a view of shape {}\n  why:  the value must broadcast \
         to the view's shape\n  help: reshape the value, or choose a view of its shape",
        tuple(value),
        tuple(target)
    )]
    AssignmentShape {
        /// Shape of what is assigned.
        value: Vec<usize>,
        /// Shape of where it goes.
        target: Vec<usize>,
    },
    /// A dtype that the device has not.
    #[error(
        "{device} has no {dtype}\n  \
         why:  it lacks the aspect `{aspect}`\n  \
         help: use `dtype=\"{instead}\"`, convert data with `astype(\"{instead}\")`, or use another \
         device; `situ.devices(aspects=[\"{aspect}\"])` lists those that have it"
    )]
    DTypeMissing {
        /// The dtype.
        dtype: DType,
        /// The device.
        device: String,
        /// What the device lacks.
        aspect: Aspect,
        /// The nearest dtype that it has.
        instead: DType,
    },
    /// More elements than memory can be addressed with.
    #[error(
        "an array of shape {} has more elements than can be counted\n  why:  positions are numbers of 64 \
         bits\n  help: check the sizes, or work on smaller pieces",
        tuple(shape)
    )]
    TooManyElements {
        /// The shape asked for.
        shape: Vec<usize>,
    },
    /// More dimensions than arrays have.
    #[error(
        "an array cannot have {ndim} dimensions\n  why:  there are at most {MAX_DIMS}\n  help: merge dimensions, \
         e.g. with `reshape`"
    )]
    TooManyDimensions {
        /// How many there would be.
        ndim: usize,
    },
    /// An integer index outside of its dimension.
    #[error(
        "index {index} is out of bounds for axis {axis} with size {size}\n  help: valid indices are \
         {} to {}",
        -(*size as i64),
        *size as i64 - 1
    )]
    IndexOutOfBounds {
        /// The index.
        index: i64,
        /// The dimension.
        axis: usize,
        /// Its size.
        size: usize,
    },
    /// More indices than dimensions.
    #[error(
        "too many indices: the array has {}, but {given} were indexed\n  why:  each index is for one of them\n  \
         help: remove {} of them",
        dimensions(*ndim),
        given - ndim
    )]
    TooManyIndices {
        /// Dimensions of the array.
        ndim: usize,
        /// Dimensions the indices would use.
        given: usize,
    },
    /// `...` twice.
    #[error("an index can only have one ellipsis ('...')")]
    TwoEllipses,
    /// A slice that does not move.
    #[error("slice step cannot be zero")]
    ZeroStep,
    /// An axis that the array does not have.
    #[error(
        "axis {axis} is out of bounds for an array of {}\n  why:  {}\n  help: {}",
        dimensions(*ndim),
        if *ndim == 0 {
            "a single element has no axes".to_owned()
        } else {
            format!("its axes are {} to {}", -(*ndim as i64), *ndim as i64 - 1)
        },
        if *ndim == 0 {
            "leave the axis out, or add a dimension with `x[None]`"
        } else {
            "check `x.shape`; negative axes count from the last one"
        }
    )]
    AxisOutOfBounds {
        /// The axis asked for.
        axis: i64,
        /// Dimensions of the array.
        ndim: usize,
    },
    /// An axis named twice.
    #[error(
        "axis {axis} is named twice\n  why:  each axis is used once; negative ones count from the last\n  help: \
         leave one of them out"
    )]
    RepeatedAxis {
        /// The axis.
        axis: usize,
    },
    /// A permutation that leaves dimensions out.
    #[error(
        "{given} axes were given for an array of {}\n  why:  a new order has every axis in it\n  help: name \
         every axis once",
        dimensions(*ndim)
    )]
    AxesCount {
        /// How many axes were given.
        given: usize,
        /// Dimensions of the array.
        ndim: usize,
    },
    /// A shape with another number of elements.
    #[error(
        "cannot reshape an array of size {size} into shape {}\n  why:  the number of elements stays \
         the same\n  help: one size may be -1, which stands for what is left",
        tuple(target)
    )]
    ReshapeSize {
        /// Elements of the array.
        size: usize,
        /// The shape asked for.
        target: Vec<usize>,
    },
    /// A function that is not defined for these dtypes.
    #[error(
        "`{operation}` is not defined for {}\n  why:  there is no answer that all programs would expect\n  help: \
         {help}",
        dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(" and ")
    )]
    DTypeNotSupported {
        /// The function.
        operation: &'static str,
        /// The operands' dtypes.
        dtypes: Vec<DType>,
        /// What to do instead.
        help: &'static str,
    },
    /// A function along one axis of an array that has several, or none.
    #[error(
        "`{operation}` of an array with {} needs an axis\n  why:  without one it works on \
         arrays of one dimension\n  help: name the axis, e.g. `axis=-1`, or flatten with `x.reshape(-1)`",
        dimensions(*ndim)
    )]
    AxisNeeded {
        /// The function.
        operation: &'static str,
        /// How many dimensions.
        ndim: usize,
    },
    /// Arrays of positions that do not broadcast together.
    #[error(
        "index arrays of shapes {} do not fit together\n  why:  matching from the last dimension, sizes must be equal \
         or 1\n  help: `i[:, None]` and `j[None, :]` choose all combinations of rows and columns, as `situ.ix_` does",
        listed(shapes)
    )]
    IndexShapes {
        /// What they have.
        shapes: Vec<Vec<usize>>,
    },
    /// An index that would add more dimensions than arrays have.
    #[error(
        "this index would make an array of {ndim} dimensions\n  why:  there are at most {MAX_DIMS}\n  help: leave \
         `None` out of it, or merge dimensions first, e.g. with `reshape`"
    )]
    IndexDimensions {
        /// How many there would be.
        ndim: usize,
    },
    /// Positions that are no integers.
    #[error(
        "`{operation}` needs positions that are integers, not {dtype}\n  why:  they count entries along an axis\n  help: convert them, e.g. \
         `indices.astype(\"int64\")`; a mask chooses elements by `x[mask]`"
    )]
    PositionDType {
        /// The function.
        operation: &'static str,
        /// What they have.
        dtype: DType,
    },
    /// An array that is no index.
    #[error(
        "an array of dtype {dtype} is no index\n  why:  indices are integers, and masks are bools\n  help: convert it, \
         e.g. `i.astype(\"int64\")`, or compare, e.g. `x[i > 0]`"
    )]
    IndexDType {
        /// What it has.
        dtype: DType,
    },
    /// A mask that does not fit.
    #[error(
        "a mask of shape {} does not fit an array of shape {}\n  why:  along axis {axis} the sizes differ\n  help: masks \
         have the sizes of the dimensions they stand for",
        tuple(mask),
        tuple(shape)
    )]
    MaskShape {
        /// The mask's shape.
        mask: Vec<usize>,
        /// The array's shape.
        shape: Vec<usize>,
        /// The first dimension where they differ.
        axis: usize,
    },
    /// A shape that does not broadcast to another.
    #[error(
        "cannot broadcast an array of shape {} to {}\n  why:  matching from the last dimension, each size must \
         be that of the target, or 1\n  help: insert dimensions of size 1 with `x[:, None]`, or reshape",
        tuple(shape),
        tuple(target)
    )]
    BroadcastTo {
        /// What the array has.
        shape: Vec<usize>,
        /// What was asked for.
        target: Vec<usize>,
    },
    /// A dimension that cannot be left out.
    #[error(
        "cannot squeeze axis {axis}, which has size {size}\n  why:  only dimensions of size 1 can be left \
         out\n  help: index it, e.g. with 0, to keep one element of it"
    )]
    SqueezeSize {
        /// The dimension.
        axis: usize,
        /// Its size.
        size: usize,
    },
    /// Axes to move and places to move them to that are not as many.
    #[error(
        "`moveaxis` has {from} axes to move and {to} places for them\n  help: name as many of one as of \
         the other"
    )]
    MoveCount {
        /// How many axes.
        from: usize,
        /// How many places.
        to: usize,
    },
    /// Shifts and axes that are not as many.
    #[error(
        "`roll` has {shifts} shifts for {axes} axes\n  help: name as many of one as of the other, or \
         one shift for all axes"
    )]
    RollCount {
        /// How many shifts.
        shifts: usize,
        /// How many axes.
        axes: usize,
    },
    /// Arrays that cannot follow each other.
    #[error(
        "cannot concatenate arrays of shapes {} along axis {axis}\n  why:  all other dimensions must have the \
         same size\n  help: reshape or slice them first, or use another axis",
        listed(shapes)
    )]
    ConcatShapes {
        /// The axis.
        axis: usize,
        /// The shapes.
        shapes: Vec<Vec<usize>>,
    },
    /// Arrays of different shapes in a stack.
    #[error(
        "cannot stack arrays of shapes {}\n  why:  all of them must have the same shape\n  help: broadcast them \
         first, e.g. with `situ.broadcast_arrays`",
        listed(shapes)
    )]
    StackShapes {
        /// The shapes.
        shapes: Vec<Vec<usize>>,
    },
    /// A search in something that is not a row.
    #[error(
        "`searchsorted` searches in an array of one dimension, not {ndim}\n  help: choose a row, or flatten with \
         `x1.reshape(-1)`"
    )]
    SearchedDimensions {
        /// How many dimensions it has.
        ndim: usize,
    },
    /// A sorter that does not fit.
    #[error(
        "a sorter of shape {} does not fit a row of {length} elements\n  why:  it says for each place which element \
         belongs there\n  help: make it with `situ.argsort(x1)`",
        tuple(sorter)
    )]
    SorterShape {
        /// The sorter's shape.
        sorter: Vec<usize>,
        /// How long the row is.
        length: usize,
    },
    /// Counts that do not fit.
    #[error(
        "`repeat` has counts of shape {} for the {size} elements along axis {axis}\n  help: give one count for \
         each, or one for all",
        tuple(counts)
    )]
    RepeatCounts {
        /// The counts' shape.
        counts: Vec<usize>,
        /// The axis.
        axis: usize,
        /// How many elements it has.
        size: usize,
    },
    /// A negative count.
    #[error("`repeat` cannot repeat an element {count} times\n  help: counts are zero or more")]
    NegativeCount {
        /// The smallest count.
        count: i64,
    },
    /// An array that is no matrix.
    #[error(
        "`{operation}` needs matrices, but the array has {}\n  why:  matrices are in the last two \
         dimensions\n  help: add dimensions, e.g. with `x[None, :]`",
        dimensions(*ndim)
    )]
    MatrixNeeded {
        /// The function.
        operation: &'static str,
        /// How many dimensions there are.
        ndim: usize,
    },
    /// Matrices with more rows than columns, or fewer.
    #[error(
        "`{operation}` needs square matrices, not {rows} rows and {columns} columns\n  why:  the array has the shape \
         {}, and its matrices are in the last two dimensions\n  help: for other matrices there are `linalg.svd`, \
         `linalg.qr`, `linalg.pinv` and `linalg.lstsq`",
        tuple(shape)
    )]
    NotSquare {
        /// The function.
        operation: &'static str,
        /// The array's shape.
        shape: Vec<usize>,
        /// Rows of a matrix.
        rows: usize,
        /// Columns of a matrix.
        columns: usize,
    },
    /// A matrix that has no decomposition, or no inverse.
    #[error(
        "`{operation}` has no answer for {}\n  why:  {}\n  help: {}",
        matrix_name(*matrix, shape),
        problem_reason(*problem),
        problem_help(*problem)
    )]
    NoDecomposition {
        /// The function.
        operation: &'static str,
        /// Which matrix, counted flat.
        matrix: usize,
        /// The array's shape.
        shape: Vec<usize>,
        /// What is wrong with it.
        problem: Problem,
    },
    /// Systems of equations and right sides that do not fit together.
    #[error(
        "cannot solve equations with matrices of shape {} and right sides of shape {}\n  why:  {why}\n  help: right \
         sides are one vector, or columns of matrices in the last two dimensions; `b[..., None]` makes a column of each \
         vector",
        tuple(matrices),
        tuple(right)
    )]
    EquationShapes {
        /// The matrices' shape.
        matrices: Vec<usize>,
        /// The right sides' shape.
        right: Vec<usize>,
        /// What does not fit.
        why: &'static str,
    },
    /// Operands of a product whose shapes do not fit together.
    #[error(
        "cannot multiply {what} of shapes {} and {}\n  why:  {why}\n  help: transpose or reshape one of them, e.g. \
         with `x.mT`",
        tuple(left),
        tuple(right)
    )]
    ProductShapes {
        /// What they are.
        what: &'static str,
        /// What does not fit.
        why: &'static str,
        /// The left operand's shape.
        left: Vec<usize>,
        /// The right operand's shape.
        right: Vec<usize>,
    },
    /// An array with too few dimensions.
    #[error(
        "`{operation}` needs an array with at least {}, not {ndim}\n  help: add dimensions, \
         e.g. with `x[None, :]`",
        dimensions(*needed)
    )]
    TooFewDimensions {
        /// The function.
        operation: &'static str,
        /// How many there are.
        ndim: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A Fourier transform of no elements.
    #[error(
        "`{operation}` cannot transform lines of {length} elements\n  why:  axis {axis} has size {size}, and a line has \
         at least one element before it is transformed, and after\n  help: leave empty arrays out, or give a length of 1 or more, \
         e.g. `n=8` (`s=(8,)` for several axes)"
    )]
    TransformLength {
        /// The function.
        operation: &'static str,
        /// The axis.
        axis: usize,
        /// How long lines would be.
        length: i64,
        /// How long they are before.
        size: usize,
    },
    /// Lengths and axes of a Fourier transform that are not as many.
    #[error(
        "`{operation}` has {lengths} lengths `s` for {axes} axes\n  why:  each axis has a length of its own\n  \
         help: give as many of one as of the other; -1 is the length that the array has"
    )]
    TransformCounts {
        /// The function.
        operation: &'static str,
        /// How many lengths.
        lengths: usize,
        /// How many axes.
        axes: usize,
    },
    /// A reduction that has no answer for no elements.
    #[error(
        "`{operation}` of no elements has no answer\n  why:  the shape is {}, so there is nothing to choose \
         from\n  help: check the size first, or name axes that are not empty",
        tuple(shape)
    )]
    NothingToReduce {
        /// The function.
        operation: &'static str,
        /// The shape of the array.
        shape: Vec<usize>,
    },
    /// A Python integer next to an array whose dtype cannot hold it.
    #[error(
        "the integer {value} does not fit into {dtype}\n  why:  a Python int takes the dtype of \
         the array it is combined with\n  help: convert the array first, e.g. `x.astype(\"int64\")`"
    )]
    ScalarOverflow {
        /// The integer.
        value: i128,
        /// The array's dtype.
        dtype: DType,
    },
    /// Integers to the power of a negative integer.
    #[error(
        "integers of {dtype} cannot be raised to the power {exponent}\n  why:  the result is an integer, \
         too, and most answers are not\n  help: use a float, e.g. `x ** {exponent}.0`, or \
         `y.astype(\"float64\")` for an array of exponents"
    )]
    NegativeExponent {
        /// The exponent.
        exponent: i128,
        /// What is raised.
        dtype: DType,
    },
    /// A Python integer that is assigned to elements which cannot hold it.
    #[error(
        "cannot assign the integer {value} to elements of {dtype}\n  why:  {dtype} cannot hold \
         it\n  help: assign a smaller number, or convert the array first with `x.astype`"
    )]
    AssignmentOverflow {
        /// The integer.
        value: i128,
        /// The elements' dtype.
        dtype: DType,
    },
    /// A complex number that is assigned to real elements.
    #[error(
        "cannot assign a complex number to elements of {dtype}\n  why:  they have no place for its imaginary \
         part\n  help: assign its real part, e.g. `z.real`, or convert the array first with `x.astype`"
    )]
    AssignmentComplex {
        /// The elements' dtype.
        dtype: DType,
    },
    /// A float without an integer value that is assigned to integers.
    #[error(
        "cannot assign {value} to elements of {dtype}\n  why:  no integer stands for it\n  help: use an array of \
         floats, e.g. of the dtype \"float64\""
    )]
    AssignmentNotFinite {
        /// NaN or an infinity.
        value: f64,
        /// The elements' dtype.
        dtype: DType,
    },
    /// An output array of the wrong shape.
    #[error(
        "`{operation}` makes a result of shape {}, which does not fit `out` of shape {}\n  why:  a result \
         is stored in an array of its own shape\n  help: pass an `out` of shape {}, or leave it out",
        tuple(result),
        tuple(out),
        tuple(result)
    )]
    OutputShape {
        /// The function.
        operation: &'static str,
        /// The result's shape.
        result: Vec<usize>,
        /// The shape of `out`.
        out: Vec<usize>,
    },
    /// An output array that cannot hold the result's dtype.
    #[error(
        "`{operation}` makes {result}, which cannot be stored in `out` of {out}\n  why:  the rule \
         \"{}\" does not allow this conversion\n  help: pass an `out` of {result}, or \
         `casting=\"unsafe\"`",
        casting.name()
    )]
    OutputDType {
        /// The function.
        operation: &'static str,
        /// The result's dtype.
        result: DType,
        /// The dtype of `out`.
        out: DType,
        /// How far conversions may go.
        casting: Casting,
    },
    /// A dtype that a function cannot make.
    #[error(
        "`{operation}` does not make {result}\n  why:  it is not defined for numbers of the dtype that was \
         asked for\n  help: leave `dtype` out, and convert the result, e.g. with `.astype(\"{result}\")`"
    )]
    ResultDType {
        /// The function.
        operation: &'static str,
        /// What was asked for.
        result: DType,
    },
    /// An operand that a call may not convert.
    #[error(
        "`{operation}` cannot compute with {from} as {to}\n  why:  the rule \"{}\" does not allow this \
         conversion\n  help: choose another `dtype`, or pass `casting=\"unsafe\"`",
        casting.name()
    )]
    OperandConversion {
        /// The function.
        operation: &'static str,
        /// The dtype of the operand.
        from: DType,
        /// The dtype to compute in.
        to: DType,
        /// How far conversions may go.
        casting: Casting,
    },
    /// A mask that is not one.
    #[error(
        "`where` of `{operation}` is an array of {dtype}\n  why:  a mask has elements of bool\n  help: say what \
         should hold, e.g. `where=mask != 0`"
    )]
    MaskDType {
        /// The function.
        operation: &'static str,
        /// The dtype of what was given.
        dtype: DType,
    },
    /// Arguments that do not agree on where to compute.
    #[error("{0}")]
    Placement(Box<Refusal>),
    /// A function was called with numbers only.
    #[error(
        "`{operation}` was called without an array, so there is no queue to run it on\n  help: make \
         an array first, e.g. `x = situ.asarray(x)`, or name a queue with `queue=`"
    )]
    NoArray {
        /// The function.
        operation: &'static str,
    },
    /// Elements that are not in the memory they are said to be in.
    #[error(
        "an array of shape {} and dtype {dtype} does not lie inside of its memory of {size_bytes} \
         bytes\n  why:  shape, strides and offset reach outside",
        tuple(shape)
    )]
    ViewOutside {
        /// The shape.
        shape: Vec<usize>,
        /// What the elements are.
        dtype: DType,
        /// How much memory there is.
        size_bytes: usize,
    },
    /// A copy would be needed, but none is allowed.
    #[error(
        "cannot bring an array of {dtype} to {destination} without a copy\n  why:  {}\n  help: leave \
         `copy` out, or use `copy=None`",
        reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    CopyNeeded {
        /// The array's dtype.
        dtype: DType,
        /// The device that was asked for.
        destination: String,
        /// Why the memory cannot stay what it is.
        reasons: Vec<CopyReason>,
    },
    /// The host cannot reach an array's memory.
    #[error(
        "the host cannot read {usm_kind} memory of {device}\n  why:  only the device itself can reach \
         it\n  help: copy it with `x.to_numpy()`, or allocate it with `usm_type=\"shared\"`"
    )]
    NotHostAccessible {
        /// The device.
        device: String,
        /// The array's kind of memory.
        usm_kind: UsmKind,
    },
    /// The runtime refused or failed.
    #[error(transparent)]
    Runtime(#[from] situ_runtime::Error),
    /// A kernel that situ wrote itself did not validate.
    #[error(
        "situ broke one of its own rules: the kernel `{kernel}` it wrote is not valid\n{source}"
    )]
    InvalidTemplate {
        /// The kernel.
        kernel: String,
        /// What the validator says.
        source: situ_ir::Diagnostics,
    },
    /// A bug in situ.
    #[error("situ broke one of its own rules: {invariant}")]
    Internal {
        /// What should have held.
        invariant: String,
    },
}

/// A number of dimensions, in words.
fn dimensions(ndim: usize) -> String {
    match ndim {
        1 => "1 dimension".to_owned(),
        _ => format!("{ndim} dimensions"),
    }
}

/// Which matrix of an array is meant.
fn matrix_name(matrix: usize, shape: &[usize]) -> String {
    let batch = &shape[..shape.len().saturating_sub(2)];
    if batch.is_empty() {
        return "this matrix".to_owned();
    }
    let mut rest = matrix;
    let mut indices: Vec<usize> = batch
        .iter()
        .rev()
        .map(|&size| {
            let index = rest % size.max(1);
            rest /= size.max(1);
            index
        })
        .collect();
    indices.reverse();
    let indices: Vec<_> = indices.iter().map(ToString::to_string).collect();
    format!("the matrix `x[{}]`", indices.join(", "))
}

fn problem_reason(problem: Problem) -> &'static str {
    match problem {
        Problem::Singular => "it is singular: its rows depend on each other",
        Problem::NotPositiveDefinite => "it is not positive definite",
        Problem::NotFinite => "it contains NaN or infinity",
        Problem::NoConvergence => "the iterations did not converge",
    }
}

fn problem_help(problem: Problem) -> &'static str {
    match problem {
        Problem::Singular => {
            "`linalg.matrix_rank` counts its independent rows; `linalg.pinv` and `linalg.lstsq` have an \
             answer for any matrix"
        }
        Problem::NotPositiveDefinite => {
            "`linalg.eigvalsh` shows its eigenvalues, which all have to be positive; adding a small multiple of the \
             identity raises them"
        }
        Problem::NotFinite => "find such elements with `situ.isfinite`",
        Problem::NoConvergence => "scale it so that its elements are of moderate size",
    }
}

/// A shape as Python writes it.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        many => {
            let sizes: Vec<_> = many.iter().map(ToString::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    }
}

/// Several shapes as a sentence.
fn listed(shapes: &[Vec<usize>]) -> String {
    shapes
        .iter()
        .map(|each| tuple(each))
        .collect::<Vec<_>>()
        .join(" and ")
}
