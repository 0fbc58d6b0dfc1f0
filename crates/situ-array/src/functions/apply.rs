//! Applying an elementwise function: from operands to a launched kernel.

use situ_ir::interpret::number;
use situ_ir::promotion::{PythonScalar, promote};
use situ_ir::{DType, Literal, NdRange};
use situ_runtime::{Argument, Queue};
use smallvec::SmallVec;

use crate::array::Array;
use crate::broadcast::broadcast_shapes;
use crate::device_dtypes;
use crate::error::Error;
use crate::functions::elementwise::{Elementwise, TypeRule};
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::MapBody;
use crate::kernels::map::{self, MapOperand, MapShape};
use crate::layout::Layout;
use crate::loop_nest::LoopNest;
use crate::placement::{Operation, Participant, Placer};

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
    let placer = Placer {
        operation: Operation::Function(function.name),
        explicit: queue,
    };
    let inputs = operands.iter().map(Operand::participant);
    let named = operand_names(function).iter().copied().zip(inputs);
    let output = out.map(|out| ("out", Participant::Output(out)));
    let placement = placer.place(named.chain(output))?;
    let placement = placement.ok_or(Error::NoArray {
        operation: function.name,
    })?;
    let shapes: SmallVec<[&[usize]; 3]> = operands.iter().map(Operand::shape).collect();
    let shape = broadcast_shapes(function.name, &shapes)?;
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
    let signature = function.signature(&dtypes)?.on(device);
    let out = match out {
        Some(out) => {
            check_out(function.name, out, &shape, signature.result)?;
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
    let inputs: SmallVec<[Input; 3]> = operands
        .iter()
        .zip(&signature.compute)
        .map(input)
        .collect::<Result<_, Error>>()?;
    let body: &MapBody<'_> = &|f, x| function.expression(f, x);
    launch(
        function.name,
        &placement.queue,
        &out,
        &inputs,
        signature.compute,
        body,
    )?;
    Ok(out)
}

/// What the array API calls the operands of a function.
fn operand_names(function: &Elementwise) -> &'static [&'static str] {
    match (function.name, function.arity) {
        ("where", _) => &["condition", "x1", "x2"],
        ("clip", _) => &["x", "min", "max"],
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
        compute,
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
    compute: SmallVec<[DType; 4]>,
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
        if dtype.is_some_and(|dtype| dtype.is_integer() && fits(dtype).is_none())
            && let Some(literal) = fits(DType::I64).or_else(|| fits(DType::U64))
        {
            return Operand::Literal(literal);
        }
    }
    operand.clone()
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

fn check_out(
    operation: &'static str,
    out: &Array,
    shape: &[usize],
    result: DType,
) -> Result<(), Error> {
    if out.shape() != shape {
        let (result, out) = (shape.to_vec(), out.shape().to_vec());
        return Err(Error::OutputShape {
            operation,
            result,
            out,
        });
    }
    // NumPy's "same kind" rule: the kind may rise, never fall.
    if out.dtype().kind() < result.kind() {
        return Err(Error::OutputDType {
            operation,
            result,
            out: out.dtype(),
        });
    }
    Ok(())
}
