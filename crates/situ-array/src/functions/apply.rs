//! Applying an elementwise function: from operands to a launched kernel.

use situ_ir::interpret::number;
use situ_ir::promotion::{PythonScalar, promote};
use situ_ir::{DType, Literal, NdRange};
use situ_runtime::{Argument, Queue};
use smallvec::SmallVec;

use crate::array::Array;
use crate::broadcast::broadcast_shapes;
use crate::casting::Casting;
use crate::device_dtypes;
use crate::error::Error;
use crate::functions::elementwise::{Elementwise, Signature, TypeRule};
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::MapBody;
use crate::kernels::map::{self, MapOperand, MapShape};
use crate::layout::{Layout, Shape};
use crate::loop_nest::LoopNest;
use crate::placement::{Operation, Participant, Placement, Placer};

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
    fn array(&self) -> Option<&Array> {
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

    /// The dtype, if the operand insists on one.
    fn dtype(&self) -> Option<DType> {
        match self {
            Self::Array(array) => Some(array.dtype()),
            Self::Scalar(_) | Self::HostArray => None,
            Self::Literal(literal) => Some(literal.dtype()),
        }
    }

    fn shape(&self) -> &[usize] {
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
}

/// Applies a function; the result goes to `out`, or to new memory if there is none. The work runs on
/// `queue`, or where the arrays live if none is named.
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
    let operands: SmallVec<[Operand; 3]> = operands
        .iter()
        .map(|each| strong(function, each, operands))
        .collect();
    let device = placement.queue.device();
    for dtype in operands.iter().filter_map(Operand::dtype) {
        device_dtypes::check(dtype, device)?;
    }
    let default_float = device_dtypes::default_float(device);
    let dtypes = operand_dtypes(function, &operands, default_float);
    let mut signature = match options.dtype {
        None => function.signature(&dtypes)?.on(device),
        Some(dtype) => {
            device_dtypes::check(dtype, device)?;
            function.signature_for(&dtypes, dtype)?
        }
    };
    check_exponent(function, &operands, &signature.compute)?;
    // Nobody asked for what follows from the operands, unless the rule is a strict one.
    if options.dtype.is_some() || options.casting < Casting::default() {
        check_conversions(function, &operands, &signature, options.casting)?;
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
        None => Array::empty(
            &shape,
            signature.result,
            &placement.queue,
            placement.usm_kind,
        )?,
    };
    let input = |(operand, &compute): (&Operand, &DType)| match operand {
        Operand::Array(array) => separated(array, &out).map(Input::Array),
        Operand::Scalar(scalar) => scalar_literal(*scalar, compute).map(Input::Scalar),
        Operand::Literal(literal) => Ok(Input::Scalar(*literal)),
        Operand::HostArray => Err(host_array_placed()),
    };
    let mut inputs: SmallVec<[Input; 3]> = operands
        .iter()
        .zip(&signature.compute)
        .map(input)
        .collect::<Result<_, Error>>()?;
    if let Some(mask) = options.mask {
        check_mask(function.name, mask)?;
        inputs.push(input((mask, &DType::Bool))?);
        signature.compute.push(DType::Bool);
    }
    let body: &MapBody<'_> = &|f, x| function.expression(f, x);
    launch(
        function.name,
        &placement.queue,
        &out,
        &inputs,
        (signature.compute, options.mask.is_some()),
        body,
    )?;
    Ok(out)
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
        let with_out = broadcast_shapes(operation, &[&shape, out.shape()]);
        if !with_out.is_ok_and(|shape| *shape == *out.shape()) {
            return Err(Error::OutputShape {
                operation,
                result: shape.to_vec(),
                out: out.shape().to_vec(),
            });
        }
    }
    Ok(shape)
}

/// Refuses masks that are not of `bool`.
fn check_mask(operation: &'static str, mask: &Operand) -> Result<(), Error> {
    match mask.dtype() {
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

/// The constant that a scalar becomes when it is assigned to elements of a dtype.
pub(super) fn assigned_scalar(scalar: PythonScalar, dtype: DType) -> Result<Literal, Error> {
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
        "copy",
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

/// Launches the map kernel of a function; `out` has its final shape and dtype.
fn launch(
    function: &'static str,
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
    };

    let mut arguments: SmallVec<[Argument; 12]> = SmallVec::new();
    arguments.push(out.argument());
    arguments.extend(inputs.iter().map(|input| match input {
        Input::Array(array) => array.argument(),
        Input::Scalar(literal) => Argument::Scalar(*literal),
    }));
    let layout = map::layout_arguments(&shape, &nest);
    arguments.extend(
        layout
            .into_iter()
            .map(|value| Argument::Scalar(Literal::I64(value))),
    );

    let key = KernelKey::Map { function, shape };
    let kernel = kernel_cache::kernel(queue.device(), key, |key| match key {
        KernelKey::Map { shape, .. } => map::module(function, shape, body),
        _ => unreachable!("the key was made above"),
    })?;
    let range = NdRange::new(&map::launch_sizes(&nest)).map_err(situ_runtime::Error::from)?;
    queue.launch(&kernel, &range, &arguments)?;
    Ok(())
}

fn no_output() -> Error {
    Error::Internal {
        invariant: "a loop nest has an output".to_owned(),
    }
}

/// The array itself, or a copy if writing `out` would change elements that are still to be read.
fn separated(array: &Array, out: &Array) -> Result<Array, Error> {
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

/// The operand itself, but for an integer that is compared with an array whose dtype cannot hold it:
/// that has an answer, so the integer gets a dtype of its own.
fn strong(function: &Elementwise, operand: &Operand, all: &[Operand]) -> Operand {
    if let (TypeRule::Comparison { .. }, Operand::Scalar(PythonScalar::Int(value))) =
        (function.rule, operand)
    {
        let integer = PythonScalar::Int(*value);
        let dtype = all.iter().filter_map(Operand::dtype).reduce(promote);
        let fits = |dtype: DType| integer.to_literal(dtype);
        if dtype.is_some_and(|dtype| dtype.is_integer() && fits(dtype).is_none()) {
            let literal = fits(DType::I64).or_else(|| fits(DType::U64));
            // No integer is beyond it, as none is beyond infinity.
            let beyond = Literal::F32(f32::INFINITY.copysign(*value as f32));
            return Operand::Literal(literal.unwrap_or(beyond));
        }
    }
    operand.clone()
}

/// Refuses a negative Python integer as the exponent of integers: most results are no integers.
fn check_exponent(
    function: &Elementwise,
    operands: &[Operand],
    compute: &[DType],
) -> Result<(), Error> {
    match (function.name, operands, compute) {
        ("pow", [_, Operand::Scalar(PythonScalar::Int(exponent))], [dtype, _])
            if *exponent < 0 && dtype.is_integer() =>
        {
            Err(Error::NegativeExponent {
                exponent: *exponent,
                dtype: *dtype,
            })
        }
        _ => Ok(()),
    }
}

/// The dtype each operand has for the type rules: Python scalars adapt to the others.
fn operand_dtypes(
    function: &Elementwise,
    operands: &[Operand],
    default_float: DType,
) -> SmallVec<[DType; 3]> {
    let deciding = function.deciding(operands).iter();
    let strong = deciding.filter_map(Operand::dtype).reduce(promote);
    let adapted = |scalar: &PythonScalar| match strong {
        Some(dtype) => scalar.promote_with(dtype, default_float),
        None => scalar.default_dtype(default_float),
    };
    operands
        .iter()
        .map(|operand| match operand {
            Operand::Scalar(scalar) => adapted(scalar),
            Operand::Array(array) => array.dtype(),
            Operand::Literal(literal) => literal.dtype(),
            // Refused before anybody asks.
            Operand::HostArray => DType::F64,
        })
        .collect()
}

/// The constant that a Python scalar becomes.
fn scalar_literal(scalar: PythonScalar, compute: DType) -> Result<Literal, Error> {
    if compute.is_bool() {
        let truth = match scalar {
            PythonScalar::Bool(value) => value,
            PythonScalar::Int(value) => value != 0,
            PythonScalar::Float(value) => value != 0.0,
            PythonScalar::Complex(re, im) => re != 0.0 || im != 0.0,
        };
        return Ok(Literal::Bool(truth));
    }
    scalar.to_literal(compute).ok_or_else(|| match scalar {
        PythonScalar::Int(value) => Error::ScalarOverflow {
            value,
            dtype: compute,
        },
        _ => only_integers_overflow(),
    })
}

fn only_integers_overflow() -> Error {
    Error::Internal {
        invariant: "only integers can fail to fit".to_owned(),
    }
}

fn host_array_placed() -> Error {
    Error::Internal {
        invariant: "placement refuses host arrays".to_owned(),
    }
}
