//! Applying an elementwise function: from operands to a launched kernel.

use situ_ir::interpret::number;
use situ_ir::promotion::PythonScalar;
use situ_ir::{DType, Literal, Module, NdRange};
use situ_runtime::{Argument, BorrowedArgument, Program, Queue};
use smallvec::SmallVec;

use crate::array::Array;
use crate::broadcast::broadcast_shapes;
use crate::casting::Casting;
use crate::error::Error;
use crate::functions::call_dtypes::{
    Available, CallDTypes, OperandType, is_square, only_integers_overflow, scalar_literal,
};
use crate::functions::deferred::Call;
use crate::functions::elementwise::{self, Elementwise, Signature, TypeRule};
use crate::functions::fusion::TypedFusion;
use crate::functions::statistical::{Extreme, Nan, Over, extreme};
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::MapBody;
use crate::kernels::map::{self, MapOperand, MapShape};
use crate::layout::{Layout, Shape};
use crate::loop_nest::{LoopNest, StrideClass};
use crate::placement::{Operation, Participant, Placement, Placer};
use crate::result_layout::result_layout;

/// What an elementwise function is applied to.
#[derive(Clone, Debug)]
pub enum Operand {
    /// An array.
    Array(Array),
    /// A Python scalar, which adapts to the arrays.
    Scalar(PythonScalar),
    /// A number that brings its own dtype.
    Literal(Literal),
    /// An array in host memory: placement refuses it.
    HostArray,
}

impl Operand {
    /// The array, if it is one.
    pub(super) fn array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            Self::Scalar(_) | Self::Literal(_) | Self::HostArray => None,
        }
    }

    /// What it means for placement.
    pub(super) fn participant(&self) -> Participant<'_> {
        match self {
            Self::Array(array) => Participant::Array(array),
            Self::Scalar(_) | Self::Literal(_) => Participant::Scalar,
            Self::HostArray => Participant::HostArray,
        }
    }

    /// What the type rules know of it.
    pub(super) fn ty(&self) -> OperandType {
        match self {
            Self::Array(array) => OperandType::Array(array.dtype()),
            Self::Literal(literal) => OperandType::Literal(literal.dtype()),
            Self::Scalar(scalar) => OperandType::Weak(*scalar),
            // Refused before anybody asks.
            Self::HostArray => OperandType::Array(DType::F64),
        }
    }

    /// How it lies in memory, if it is an array.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.array().map(Array::layout)
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.array().map_or(&[], Array::shape)
    }
}

/// What a call may say beside its operands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Where the result goes; new memory by default.
    pub out: Option<&'a Array>,
    /// Where elements are computed; elsewhere the output stays as it is. Everywhere by default.
    pub mask: Option<&'a Operand>,
    /// The dtype to compute in and of the result; it follows from the operands by default.
    pub dtype: Option<DType>,
    /// How far `out` and `dtype` may be from what follows from the operands.
    pub casting: Casting,
    /// What runs the function; where the arrays live by default.
    pub queue: Option<&'a Queue>,
    /// Whether the work is submitted at once, also where it would wait for what follows.
    pub is_eager: bool,
}

impl Options<'_> {
    /// Whether there is nothing to know but the operands.
    fn is_plain(&self) -> bool {
        let is_asked_for = self.out.is_some() || self.mask.is_some() || self.dtype.is_some();
        !is_asked_for && self.queue.is_none() && self.casting == Casting::default()
    }
}

/// Applies a function; the result goes to `out`, or to new memory if there is none. The work runs on
/// `queue`, or where the arrays live if none is named. Work on large arrays may wait for what follows, see
/// [`super::deferred`].
///
/// # Errors
/// If the operands do not fit together in place, shape or dtype, or the launch fails.
pub fn apply(
    function: &'static Elementwise,
    operands: &[Operand],
    out: Option<&Array>,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let options = Options {
        out,
        queue,
        ..Options::default()
    };
    apply_with(function, operands, options)
}

/// Applies a function as the options say.
///
/// # Errors
/// As [`apply`], and if the options ask for a dtype that the function does not have, or a conversion
/// that they do not allow.
pub fn apply_with(
    function: &'static Elementwise,
    operands: &[Operand],
    options: Options<'_>,
) -> Result<Array, Error> {
    let placement = place(function, operands, options)?;
    let shape = result_shape(function.name, operands, options)?;
    let types: SmallVec<[OperandType; 3]> = operands.iter().map(Operand::ty).collect();
    let device = placement.queue.device();
    let dtypes = CallDTypes::resolve(function, &types, options.dtype, Available::On(device))?;
    let mut signature = dtypes.signature.clone();
    // Nobody asked for what follows from the operands, unless the rule is a strict one.
    if options.dtype.is_some() || options.casting < Casting::default() {
        check_conversions(function, operands, &signature, options.casting)?;
    }
    if function.name == "pow" && signature.compute[0].is_signed() && !shape.contains(&0) {
        check_exponents(
            &operands[1],
            options.mask,
            signature.compute[0],
            &placement.queue,
        )?;
    }
    if options.is_plain() && !options.is_eager {
        let call = Call {
            function,
            operands,
            shape: &shape,
            dtype: signature.result,
            placement: &placement,
        };
        if call.pays() {
            for (position, operand) in operands.iter().enumerate() {
                if let Operand::Scalar(scalar) = operand {
                    dtypes.literal(position, *scalar)?;
                }
            }
            return call.put_off();
        }
    }
    let out = match options.out {
        Some(out) => {
            let result = signature.result;
            if !options.casting.allows(result, out.dtype()) {
                return Err(Error::OutputDType {
                    operation: function.name,
                    result,
                    out: out.dtype(),
                    casting: options.casting,
                });
            }
            out.clone()
        }
        None => Array::empty_with_layout(
            result_layout(
                &shape,
                operands
                    .iter()
                    .chain(options.mask)
                    .filter_map(Operand::layout),
            )?,
            signature.result,
            &placement.queue,
            placement.usm_kind,
        )?,
    };
    let input = |position: usize, operand: &Operand| match operand {
        Operand::Array(array) => separated(array, &out).map(Input::Array),
        Operand::Scalar(scalar) => dtypes.literal(position, *scalar).map(Input::Scalar),
        Operand::Literal(literal) => Ok(Input::Scalar(*literal)),
        Operand::HostArray => Err(host_array_placed()),
    };
    let mut inputs: SmallVec<[Input; 4]> = operands
        .iter()
        .enumerate()
        .map(|(position, operand)| input(position, operand))
        .collect::<Result<_, Error>>()?;
    let is_square = is_square(function, &types, &signature.compute);
    if is_square {
        inputs.truncate(1);
        signature.compute.truncate(1);
    }
    if let Some(mask) = options.mask {
        check_mask(function.name, mask)?;
        inputs.push(match mask {
            Operand::Array(array) => separated(array, &out).map(Input::Array)?,
            Operand::Scalar(scalar) => Input::Scalar(scalar_literal(*scalar, DType::Bool)?),
            Operand::Literal(literal) => Input::Scalar(*literal),
            Operand::HostArray => return Err(host_array_placed()),
        });
        signature.compute.push(DType::Bool);
    }
    let (name, body): (_, &MapBody<'_>) = if is_square {
        ("square", &|f, x| f.multiply(x[0], x[0]))
    } else {
        (function.name, &|f, x| function.expression(f, x))
    };
    launch(
        Mapped::Function(name),
        &placement.queue,
        &out,
        &inputs,
        (signature.compute, options.mask.is_some()),
        body,
    )?;
    Ok(out)
}

/// Refuses negative exponents of integers, as NumPy does. That depends on their elements, so it waits for them. Python's
/// numbers are checked with the dtypes.
pub(super) fn check_exponents(
    exponents: &Operand,
    mask: Option<&Operand>,
    dtype: DType,
    queue: &Queue,
) -> Result<(), Error> {
    let smallest = match exponents {
        Operand::Array(array) if array.dtype().is_signed() => {
            let considered = match mask {
                Some(mask) => &considered(array, mask, queue)?,
                None => array,
            };
            smallest(considered, queue)?
        }
        Operand::Literal(literal) if literal.dtype().is_signed() => *literal,
        _ => return Ok(()),
    };
    match number::cast(smallest, DType::I64) {
        Literal::I64(exponent) if exponent < 0 => Err(Error::NegativeExponent {
            exponent: exponent.into(),
            dtype,
        }),
        _ => Ok(()),
    }
}

/// Zeros where a mask does not hold.
fn considered(array: &Array, mask: &Operand, queue: &Queue) -> Result<Array, Error> {
    let choose = elementwise::find("where").expect("it is a function of the table");
    let zero = Operand::Literal(Literal::zero(array.dtype()));
    let operands = [mask.clone(), Operand::Array(array.clone()), zero];
    apply(choose, &operands, None, Some(queue))
}

/// The smallest of integers, of which there is one at least.
fn smallest(array: &Array, queue: &Queue) -> Result<Literal, Error> {
    let over = Over {
        axes: None,
        keepdims: false,
        queue: Some(queue),
    };
    let found = extreme(array, Extreme::Min, Nan::Counts, over)?;
    let mut bytes = vec![0; array.dtype().size_bytes()];
    found.read_bytes(&mut bytes)?;
    let literal = Literal::from_bytes(array.dtype(), &bytes);
    Ok(literal.expect("there are as many bytes as the dtype has"))
}

/// The first conversion of a call that leaves imaginary parts out: which dtype becomes which. There is none in calls that
/// will be refused, and by rules other than [`Casting::Unsafe`] all that have one will be.
pub fn discarding(
    function: &'static Elementwise,
    operands: &[Operand],
    options: Options<'_>,
) -> Option<(DType, DType)> {
    let types: SmallVec<[OperandType; 3]> = operands.iter().map(Operand::ty).collect();
    let available = Available::ByDefaultFloat(DType::F64);
    let dtypes = CallDTypes::resolve(function, &types, options.dtype, available).ok()?;
    let Signature { compute, result } = dtypes.signature;
    let inputs = types.iter().zip(compute).map(|(operand, to)| {
        let from = match *operand {
            OperandType::Weak(scalar) => scalar.default_dtype(DType::F64),
            OperandType::Array(dtype) | OperandType::Literal(dtype) => dtype,
        };
        (from, to)
    });
    let output = options.out.map(|out| (result, out.dtype()));
    inputs
        .chain(output)
        .find(|(from, to)| from.is_complex() && !to.is_complex() && !to.is_bool())
}

/// Where the work runs, and what kind of memory a new result has.
fn place(
    function: &'static Elementwise,
    operands: &[Operand],
    options: Options<'_>,
) -> Result<Placement, Error> {
    let placer = Placer {
        operation: Operation::Function(function.name),
        explicit: options.queue,
    };
    let inputs = operands.iter().map(Operand::participant);
    let named = operand_names(function).iter().copied().zip(inputs);
    let mask = options.mask.map(|mask| ("where", mask.participant()));
    let output = options.out.map(|out| ("out", Participant::Output(out)));
    let placement = placer.place(named.chain(mask).chain(output))?;
    placement.ok_or(Error::NoArray {
        operation: function.name,
    })
}

/// The shape that operands and mask broadcast to, which must fit into the output's.
fn result_shape(
    operation: &'static str,
    operands: &[Operand],
    options: Options<'_>,
) -> Result<Shape, Error> {
    let all = operands.iter().chain(options.mask);
    let shapes: SmallVec<[&[usize]; 4]> = all.map(Operand::shape).collect();
    let shape = broadcast_shapes(operation, &shapes)?;
    if let Some(out) = options.out {
        check_output_shape(operation, &shape, out)?;
    }
    Ok(shape)
}

/// Refuses an output that results of a shape do not broadcast to.
pub(super) fn check_output_shape(
    operation: &'static str,
    shape: &[usize],
    out: &Array,
) -> Result<(), Error> {
    let with_out = broadcast_shapes(operation, &[shape, out.shape()]);
    if !with_out.is_ok_and(|shape| *shape == *out.shape()) {
        return Err(Error::OutputShape {
            operation,
            result: shape.to_vec(),
            out: out.shape().to_vec(),
        });
    }
    Ok(())
}

/// Refuses masks that are not of `bool`.
fn check_mask(operation: &'static str, mask: &Operand) -> Result<(), Error> {
    match mask.ty().dtype() {
        Some(dtype) if !dtype.is_bool() => Err(Error::MaskDType { operation, dtype }),
        _ => Ok(()),
    }
}

/// Refuses operands that a dtype which the user asked for does not hold, as far as the rule says.
fn check_conversions(
    function: &'static Elementwise,
    operands: &[Operand],
    signature: &Signature,
    casting: Casting,
) -> Result<(), Error> {
    if function.rule == TypeRule::Logical {
        // Every dtype has truth values; this is no conversion.
        return Ok(());
    }
    for (operand, &to) in operands.iter().zip(&signature.compute) {
        let from = match operand {
            // A Python number has no size, so only its kind counts.
            Operand::Scalar(PythonScalar::Bool(_)) => continue,
            Operand::Scalar(PythonScalar::Int(_)) if !to.is_bool() => continue,
            Operand::Scalar(scalar) => scalar.default_dtype(to.real()),
            Operand::Array(array) => array.dtype(),
            Operand::Literal(literal) => literal.dtype(),
            Operand::HostArray => continue,
        };
        if !casting.allows(from, to) {
            return Err(Error::OperandConversion {
                operation: function.name,
                from,
                to,
                casting,
            });
        }
    }
    Ok(())
}

/// What the array API calls the operands of a function.
fn operand_names(function: &Elementwise) -> &'static [&'static str] {
    match (function.name, function.arity) {
        ("where", _) => &["condition", "x1", "x2"],
        ("clip", _) => &["x", "min", "max"],
        ("nan_to_num", _) => &["x", "nan", "posinf", "neginf"],
        ("isclose" | "isclose_or_nan", _) => &["a", "b", "rtol", "atol"],
        (_, 1) => &["x"],
        _ => &["x1", "x2"],
    }
}

/// Assigns a value to the elements of a view, as `x[...] = value` does.
///
/// # Errors
/// If the two live in different places, the value does not fit the view, or the launch fails.
pub fn assign(target: &Array, value: &Operand) -> Result<(), Error> {
    let placer = Placer {
        operation: Operation::Assignment,
        explicit: None,
    };
    let arguments = [
        ("x", Participant::Output(target)),
        ("value", value.participant()),
    ];
    placer.place(arguments.into_iter())?;
    let source = match value {
        Operand::Array(array) => Input::Array(array.clone()),
        // Converted here, because the device may not have the literal's dtype.
        Operand::Literal(literal) => Input::Scalar(number::cast(*literal, target.dtype())),
        Operand::Scalar(scalar) => Input::Scalar(assigned_scalar(*scalar, target.dtype())?),
        Operand::HostArray => return Err(host_array_placed()),
    };
    copy_into(target, &source)
}

/// Refuses NaN and infinities where elements are integers.
///
/// # Errors
/// [`Error::AssignmentNotFinite`].
pub fn check_finite(scalar: PythonScalar, dtype: DType) -> Result<(), Error> {
    match scalar {
        PythonScalar::Float(value) if dtype.is_integer() && !value.is_finite() => {
            Err(Error::AssignmentNotFinite { value, dtype })
        }
        _ => Ok(()),
    }
}

/// The constant that a scalar becomes when it is assigned to elements of a dtype.
///
/// # Errors
/// If the dtype does not hold it: an integer that is too large, NaN or an infinity where elements are integers, or a complex number where
/// elements are real. NumPy refuses the latter whatever its imaginary part is, and asks other dtypes than `bool`.
pub(super) fn assigned_scalar(scalar: PythonScalar, dtype: DType) -> Result<Literal, Error> {
    if matches!(scalar, PythonScalar::Complex(..)) && !dtype.is_complex() && !dtype.is_bool() {
        return Err(Error::AssignmentComplex { dtype });
    }
    check_finite(scalar, dtype)?;
    scalar.to_literal(dtype).ok_or(match scalar {
        PythonScalar::Int(value) => Error::AssignmentOverflow { value, dtype },
        _ => only_integers_overflow(),
    })
}

/// Copies elements, converted to the target's dtype and broadcast to its shape, on the target's queue.
/// The source must be accessible from there.
///
/// # Errors
/// If the source does not broadcast to the target, or the launch fails.
pub fn copy_into(target: &Array, source: &Input) -> Result<(), Error> {
    if let Input::Array(array) = source {
        let shapes = [array.shape(), target.shape()];
        let fits = broadcast_shapes("copy", &shapes).is_ok_and(|shape| *shape == *target.shape());
        if !fits {
            let (value, target) = (array.shape().to_vec(), target.shape().to_vec());
            return Err(Error::AssignmentShape { value, target });
        }
    }
    let source = match source {
        Input::Array(array) => Input::Array(separated(array, target)?),
        scalar @ Input::Scalar(_) => scalar.clone(),
    };
    let compute = SmallVec::from_elem(target.dtype(), 1);
    launch(
        Mapped::Function("copy"),
        target.queue(),
        target,
        &[source],
        (compute, false),
        &|_, x| x[0],
    )
}

/// An input whose dtype and place are settled.
#[derive(Clone, Debug)]
pub enum Input {
    /// An array that broadcasts to the output's shape.
    Array(Array),
    /// A constant.
    Scalar(Literal),
}

impl Input {
    /// What it is before it is converted.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Self::Array(array) => array.dtype(),
            Self::Scalar(literal) => literal.dtype(),
        }
    }

    /// It as an argument of a kernel, borrowed.
    pub(crate) fn borrowed_argument(&self) -> BorrowedArgument<'_> {
        match self {
            Self::Array(array) => array.borrowed_argument(),
            Self::Scalar(literal) => BorrowedArgument::Scalar(*literal),
        }
    }

    /// It as an argument of a kernel.
    pub(crate) fn argument(&self) -> Argument {
        match self {
            Self::Array(array) => array.argument(),
            Self::Scalar(literal) => Argument::Scalar(*literal),
        }
    }
}

/// What a map kernel computes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mapped<'a> {
    /// A function, by the name it has in its table.
    Function(&'static str),
    /// An expression.
    Fusion(&'a TypedFusion),
}

impl Mapped<'_> {
    fn key(self, shape: MapShape) -> KernelKey {
        match self {
            Self::Function(function) => KernelKey::Map { function, shape },
            Self::Fusion(fusion) => KernelKey::Fused {
                fusion: fusion.clone(),
                shape,
            },
        }
    }

    fn module(self, shape: &MapShape, body: &MapBody<'_>) -> Module {
        match self {
            Self::Function(name) => map::module(name, shape, body),
            Self::Fusion(fusion) => map::module(&fusion.kernel_name(), shape, body),
        }
    }
}

/// Launches a map kernel; `out` has its final shape and dtype.
pub(super) fn launch(
    mapped: Mapped<'_>,
    queue: &Queue,
    out: &Array,
    inputs: &[Input],
    (compute, is_masked): (SmallVec<[DType; 4]>, bool),
    body: &MapBody<'_>,
) -> Result<(), Error> {
    if out.layout().is_empty() {
        return Ok(());
    }
    let layouts: SmallVec<[Option<Layout>; 4]> = inputs
        .iter()
        .map(|input| match input {
            Input::Array(array) => Some(array.layout().broadcast_to(out.shape())),
            Input::Scalar(_) => None,
        })
        .collect();
    // Scalars take part in no loop; the output's strides stand in for theirs.
    let strides: SmallVec<[&[isize]; 4]> = std::iter::once(out.layout().strides())
        .chain(layouts.iter().map(|layout| {
            layout
                .as_ref()
                .map_or(out.layout().strides(), Layout::strides)
        }))
        .collect();
    let nest = LoopNest::new(out.shape(), &strides);
    let mut classes = nest.inner_classes();
    let stride = classes.next().ok_or_else(no_output)?;
    let output = MapOperand::Memory {
        dtype: out.dtype(),
        stride,
    };
    let operands = std::iter::once(output)
        .chain(
            inputs
                .iter()
                .zip(classes)
                .map(|(input, stride)| match input {
                    Input::Array(array) => MapOperand::Memory {
                        dtype: array.dtype(),
                        stride,
                    },
                    Input::Scalar(literal) => MapOperand::Scalar {
                        dtype: literal.dtype(),
                    },
                }),
        )
        .collect();
    let shape = MapShape {
        operands,
        compute,
        rank: nest.rank() as u8,
        is_masked,
        streams: !is_masked && nest.rank() == 1 && is_streamed(out, inputs, stride),
    };

    let mut arguments: SmallVec<[BorrowedArgument<'_>; 12]> = SmallVec::new();
    arguments.push(out.borrowed_argument());
    arguments.extend(inputs.iter().map(Input::borrowed_argument));
    let layout = map::layout_arguments(&shape, &nest);
    arguments.extend(
        layout
            .into_iter()
            .map(|value| BorrowedArgument::Scalar(Literal::I64(value))),
    );

    let kernel = kernel_cache::kernel(queue.device(), mapped.key(shape), |key| match key {
        KernelKey::Map { shape, .. } | KernelKey::Fused { shape, .. } => mapped.module(shape, body),
        _ => unreachable!("the key was made above"),
    })?;
    let range = NdRange::new(&map::launch_sizes(&nest)).map_err(situ_runtime::Error::from)?;
    Ok(queue.run(&kernel, &range, &arguments)?)
}

/// Whether a result should be written past the cache: it is too large to be found there afterwards, and its lines need not be
/// read before they are written.
fn is_streamed(out: &Array, inputs: &[Input], stride: StrideClass) -> bool {
    let size_bytes = out.size() * out.dtype().size_bytes();
    let is_large = out
        .queue()
        .device()
        .streams_from_bytes()
        .is_some_and(|least| size_bytes as u64 >= least);
    is_large
        && stride == StrideClass::Contiguous
        && !out.allocation().is_foreign()
        && out
            .byte_offset()
            .is_multiple_of(Program::STREAM_ALIGN_BYTES)
        && !inputs
            .iter()
            .any(|input| matches!(input, Input::Array(array) if array.may_overlap(out)))
}

fn no_output() -> Error {
    Error::Internal {
        invariant: "a loop nest has an output".to_owned(),
    }
}

/// The array itself, or a copy if writing `out` would change elements that are still to be read.
pub(super) fn separated(array: &Array, out: &Array) -> Result<Array, Error> {
    let harmless = !array.may_overlap(out) || array.is_same_view(out);
    if harmless {
        Ok(array.clone())
    } else {
        contiguous_copy(array)
    }
}

/// The same elements in new, contiguous memory.
///
/// # Errors
/// If there is no memory or the launch fails.
pub fn contiguous_copy(array: &Array) -> Result<Array, Error> {
    let copy = Array::empty(
        array.shape(),
        array.dtype(),
        array.queue(),
        array.usm_kind(),
    )?;
    copy_into(&copy, &Input::Array(array.clone()))?;
    Ok(copy)
}

pub(super) fn host_array_placed() -> Error {
    Error::Internal {
        invariant: "placement refuses host arrays".to_owned(),
    }
}
