//! Type rules: which dtypes a function takes, computes in and makes.

use situ_ir::promotion::{float_for, promote_all};
use situ_ir::{BinaryOperator, DType};
use smallvec::SmallVec;

use super::Signature;

/// How the result's dtype follows from the operands'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRule {
    /// Works in the operands' common dtype. `bool` uses the second operator, if there is one.
    Arithmetic {
        /// What `bool` operands do instead, as NumPy has it.
        on_bool: OnBool,
        /// Whether complex numbers are taken.
        complex: bool,
    },
    /// True division: integers become `float64`.
    Divide,
    /// A mathematical function: integers become floats wide enough for them.
    Math {
        /// Whether complex numbers are taken.
        complex: bool,
    },
    /// Rounding: integers and `bool` stay what they are.
    Rounding {
        /// Whether complex numbers are taken.
        complex: bool,
    },
    /// Compares in the common dtype and gives `bool`.
    Comparison {
        /// Whether complex numbers are taken.
        complex: bool,
    },
    /// Integers and `bool`.
    Bitwise,
    /// Integers.
    Shift,
    /// Operands are taken as `bool`.
    Logical,
    /// Asks about one number of any dtype and gives `bool`.
    Test {
        /// Whether complex numbers are taken.
        complex: bool,
    },
    /// Compares as floats or complex numbers, and gives `bool`.
    Nearness,
    /// A real number that belongs to a number of any dtype: a part or the magnitude.
    Part,
    /// The first operand is taken as `bool` and chooses between the others.
    Choice,
}

/// What arithmetic does with two `bool` operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBool {
    /// Computes with another operator, in `bool`.
    Use(BinaryOperator),
    /// Works in `int8`.
    AsInt8,
    /// Refuses, with this advice.
    Refuse(&'static str),
    /// Works in `bool`.
    Same,
}

const NO_COMPLEX: &str = "take `abs`, `real` or `imag` of the complex operand first";
const ONLY_INTEGERS: &str = "convert to an integer dtype first, e.g. `x.astype(\"int64\")`";

impl TypeRule {
    /// Which of the operands decide the common dtype.
    pub(super) fn deciding<T>(self, operands: &[T]) -> &[T] {
        match self {
            Self::Choice => &operands[1..],
            _ => operands,
        }
    }

    /// The dtypes of a call with operands of the given dtypes, or what to do if there is none.
    pub(super) fn signature(self, dtypes: &[DType]) -> Result<Signature, &'static str> {
        let common =
            promote_all(self.deciding(dtypes).iter().copied()).expect("a function has operands");
        let signature = |compute, result| {
            let compute = SmallVec::from_elem(compute, dtypes.len());
            Ok(Signature { compute, result })
        };
        let same = |dtype| signature(dtype, dtype);
        match self {
            Self::Arithmetic { complex: false, .. }
            | Self::Math { complex: false }
            | Self::Comparison { complex: false }
            | Self::Test { complex: false }
            | Self::Rounding { complex: false }
                if common.is_complex() =>
            {
                Err(NO_COMPLEX)
            }
            Self::Arithmetic { on_bool, .. } if common.is_bool() => match on_bool {
                OnBool::Use(_) | OnBool::Same => same(DType::Bool),
                OnBool::AsInt8 => same(DType::I8),
                OnBool::Refuse(help) => Err(help),
            },
            Self::Arithmetic { .. } | Self::Rounding { .. } => same(common),
            Self::Divide if common.is_integer() || common.is_bool() => same(DType::F64),
            Self::Divide => same(common),
            // Each operand chooses its float; their common dtype could be wider than needed.
            Self::Math { .. } if !common.is_complex() => {
                let floats = dtypes.iter().copied().map(float_for);
                same(promote_all(floats).unwrap_or(common))
            }
            Self::Math { .. } => same(common),
            Self::Comparison { .. } => Ok(comparison(dtypes, common)),
            Self::Bitwise if common.is_bool() || common.is_integer() => same(common),
            Self::Shift if common.is_bool() => same(DType::I8),
            Self::Shift if common.is_integer() => same(common),
            Self::Bitwise | Self::Shift => Err(ONLY_INTEGERS),
            Self::Logical => signature(DType::Bool, DType::Bool),
            Self::Test { .. } => signature(common, DType::Bool),
            // Tolerances would vanish in `float16`, where integers of 8 bits would be compared.
            Self::Nearness if common.is_integer() || common.is_bool() => {
                signature(DType::F64, DType::Bool)
            }
            Self::Nearness => signature(common, DType::Bool),
            Self::Part => signature(common, common.real()),
            Self::Choice => {
                let mut compute = SmallVec::from_elem(common, dtypes.len());
                compute[0] = DType::Bool;
                Ok(Signature {
                    compute,
                    result: common,
                })
            }
        }
    }
}

fn comparison(dtypes: &[DType], common: DType) -> Signature {
    let compute = match dtypes {
        // No dtype holds both, so they are compared as they are.
        [DType::U64, other] | [other, DType::U64] if other.is_signed() => dtypes
            .iter()
            .map(|dtype| match dtype {
                DType::U64 => DType::U64,
                _ => DType::I64,
            })
            .collect(),
        // The IR does not order bools; as bytes they order the same.
        _ if common.is_bool() => SmallVec::from_elem(DType::U8, dtypes.len()),
        _ => SmallVec::from_elem(common, dtypes.len()),
    };
    Signature {
        compute,
        result: DType::Bool,
    }
}
