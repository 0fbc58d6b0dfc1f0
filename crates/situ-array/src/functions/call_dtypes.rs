//! The dtypes of a call: what each operand is converted to, and what the result is.
//!
//! This is where Python numbers adapt to what they meet. Nothing here looks at elements, so whole expressions
//! are typed before there is any array.

use situ_ir::promotion::{PythonScalar, narrowed, promote_all};
use situ_ir::{DType, Literal};
use situ_runtime::Device;
use smallvec::SmallVec;

use crate::device_dtypes;
use crate::error::Error;
use crate::functions::elementwise::{Elementwise, Signature, TypeRule};

/// What is known of an operand before its elements are there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandType {
    /// An array.
    Array(DType),
    /// A number that brings its own dtype.
    Literal(DType),
    /// A Python number, which adapts. Its value matters where an integer may not fit.
    Weak(PythonScalar),
}

impl OperandType {
    /// The dtype, if the operand insists on one.
    pub fn dtype(self) -> Option<DType> {
        match self {
            Self::Array(dtype) | Self::Literal(dtype) => Some(dtype),
            Self::Weak(_) => None,
        }
    }

    /// The kind of the operand: all but its value.
    pub(super) fn kind(self) -> OperandKind {
        match self {
            Self::Array(dtype) => OperandKind::Array(dtype),
            Self::Literal(dtype) => OperandKind::Literal(dtype),
            Self::Weak(PythonScalar::Bool(_)) => OperandKind::Bool,
            Self::Weak(PythonScalar::Int(_)) => OperandKind::Int,
            Self::Weak(PythonScalar::Float(_)) => OperandKind::Float,
            Self::Weak(PythonScalar::Complex(..)) => OperandKind::Complex,
        }
    }
}

/// The kind of an operand: all but its value. Kernels and remembered calls are looked up by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// An array.
    Array(DType),
    /// A number that brings its own dtype.
    Literal(DType),
    /// A Python `bool`.
    Bool,
    /// A Python `int`.
    Int,
    /// A Python `float`.
    Float,
    /// A Python `complex`.
    Complex,
}

/// Which dtypes there are where a call is to run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Available<'a> {
    /// Those of a device.
    On(&'a Device),
    /// All of them, or all but the double ones, by the default float of a device that is not known yet.
    ByDefaultFloat(DType),
}

impl Available<'_> {
    /// The dtype of Python floats that meet nothing else.
    pub(super) fn default_float(self) -> DType {
        match self {
            Self::On(device) => device_dtypes::default_float(device),
            Self::ByDefaultFloat(dtype) => dtype,
        }
    }

    /// Refuses a dtype that somebody asks for and the device has not.
    pub(super) fn check(self, dtype: DType) -> Result<(), Error> {
        match self {
            Self::On(device) => device_dtypes::check(dtype, device),
            Self::ByDefaultFloat(_) => Ok(()),
        }
    }

    /// The dtypes of a call that nobody asked for, as they are there.
    fn signature(self, mut signature: Signature) -> Signature {
        match self {
            Self::On(device) => signature.on(device),
            Self::ByDefaultFloat(float) => {
                for dtype in &mut signature.compute {
                    *dtype = narrowed(*dtype, float);
                }
                signature.result = narrowed(signature.result, float);
                signature
            }
        }
    }
}

/// The dtypes of one call of an elementwise function.
#[derive(Clone, Debug)]
pub(super) struct CallDTypes {
    /// What operands are converted to, and what comes out.
    pub(super) signature: Signature,
    /// What takes the place of Python integers that are compared with dtypes which cannot hold them.
    stand_ins: SmallVec<[Option<Literal>; 3]>,
}

impl CallDTypes {
    /// Finds them; `asked` is the dtype that somebody wants to have, if anybody does.
    pub(super) fn resolve(
        function: &Elementwise,
        operands: &[OperandType],
        asked: Option<DType>,
        available: Available<'_>,
    ) -> Result<Self, Error> {
        let stand_ins: SmallVec<[Option<Literal>; 3]> = operands
            .iter()
            .map(|operand| stand_in(function, *operand, operands))
            .collect();
        let strong: SmallVec<[OperandType; 3]> = operands
            .iter()
            .zip(&stand_ins)
            .map(|(operand, stand_in)| {
                stand_in.map_or(*operand, |literal| OperandType::Literal(literal.dtype()))
            })
            .collect();
        for dtype in strong.iter().filter_map(|operand| operand.dtype()) {
            available.check(dtype)?;
        }
        let dtypes = adapted(function, &strong, available.default_float());
        let signature = match asked {
            None => available.signature(function.signature(&dtypes)?),
            Some(dtype) => {
                available.check(dtype)?;
                function.signature_for(&dtypes, dtype)?
            }
        };
        check_exponent(function, operands, &signature.compute)?;
        Ok(Self {
            signature,
            stand_ins,
        })
    }

    /// Whether a number got a dtype of its own because of its value.
    pub(super) fn has_stand_in(&self) -> bool {
        self.stand_ins.iter().any(Option::is_some)
    }

    /// The constant that the Python number at a position becomes.
    pub(super) fn literal(&self, position: usize, scalar: PythonScalar) -> Result<Literal, Error> {
        match self.stand_ins.get(position) {
            Some(Some(literal)) => Ok(*literal),
            _ => scalar_literal(scalar, self.signature.compute[position]),
        }
    }
}

/// Whether a call is a square in disguise: `x**2`, which is one multiplication, and exact up to its rounding. Integers
/// have powers of their own, made of multiplications as well.
pub(super) fn is_square(
    function: &Elementwise,
    operands: &[OperandType],
    compute: &[DType],
) -> bool {
    let is_two = matches!(operands, [_, OperandType::Weak(PythonScalar::Int(2))])
        || matches!(operands, [_, OperandType::Weak(PythonScalar::Float(exponent))] if *exponent == 2.0);
    function.name == "pow" && is_two && (compute[0].is_float() || compute[0].is_complex())
}

/// What an integer becomes that is compared with elements whose dtype cannot hold it: that has an answer, so
/// the integer gets a dtype of its own. `None` for everything else.
fn stand_in(function: &Elementwise, operand: OperandType, all: &[OperandType]) -> Option<Literal> {
    let (TypeRule::Comparison { .. }, OperandType::Weak(PythonScalar::Int(value))) =
        (function.rule, operand)
    else {
        return None;
    };
    let integer = PythonScalar::Int(value);
    let strong = all.iter().filter_map(|operand| operand.dtype());
    let dtype = promote_all(strong)?;
    if !dtype.is_integer() || integer.to_literal(dtype).is_some() {
        return None;
    }
    let literal = integer
        .to_literal(DType::I64)
        .or_else(|| integer.to_literal(DType::U64));
    // No integer is beyond it, as none is beyond infinity.
    let beyond = Literal::F32(f32::INFINITY.copysign(value as f32));
    Some(literal.unwrap_or(beyond))
}

/// Refuses a negative Python integer as the exponent of integers: most results are no integers. Dtypes without a sign
/// do not even hold it.
fn check_exponent(
    function: &Elementwise,
    operands: &[OperandType],
    compute: &[DType],
) -> Result<(), Error> {
    match (function.name, operands, compute) {
        ("pow", [_, OperandType::Weak(PythonScalar::Int(exponent))], [dtype, _])
            if *exponent < 0 && dtype.is_signed() =>
        {
            Err(Error::NegativeExponent {
                exponent: *exponent,
                dtype: *dtype,
            })
        }
        _ => Ok(()),
    }
}

/// The dtype each operand has for the type rules: Python numbers adapt to the others.
fn adapted(
    function: &Elementwise,
    operands: &[OperandType],
    default_float: DType,
) -> SmallVec<[DType; 3]> {
    let deciding = function.deciding(operands).iter();
    let strong = promote_all(deciding.filter_map(|operand| operand.dtype()));
    operands
        .iter()
        .map(|operand| match (*operand, strong) {
            (OperandType::Array(dtype) | OperandType::Literal(dtype), _) => dtype,
            (OperandType::Weak(scalar), Some(dtype)) => scalar.promote_with(dtype, default_float),
            (OperandType::Weak(scalar), None) => scalar.default_dtype(default_float),
        })
        .collect()
}

/// The constant that a Python number becomes where elements are of a dtype.
pub(super) fn scalar_literal(scalar: PythonScalar, compute: DType) -> Result<Literal, Error> {
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

pub(super) fn only_integers_overflow() -> Error {
    Error::Internal {
        invariant: "only integers can fail to fit".to_owned(),
    }
}
