//! Elementary functions of `float64` that are computed here, not in a library.
//!
//! The vector library of the C library looks numbers up in tables, with instructions that current
//! processors are slow at, and is called once for each register, which empties all others. The functions
//! here are straight lines of multiplications and additions without a table or a branch. So LLVM vectorises
//! them like any other arithmetic, and interleaves them with what stands around.
//!
//! Each is written once, for any number of lanes. Its operations are those of IEEE 754, none of which
//! depends on its neighbours; so a result has the same bits in every lane of every width, and remainders
//! need no care.
//!
//! There are exceptions, which LLVM cannot make of scalar code: with AVX-512 `pow` looks numbers up in registers, and with AVX2 `pow` and
//! `log` have a way of their own for registers without special numbers. They are functions of registers, and are called like
//! those of the vector library.
//!
//! Errors are below 1 ulp, those of powers with AVX2 below 1.25, in subnormal numbers too; infinities, NaN and
//! signed zeros are those of C.
//! The functions need an instruction that multiplies and adds with one rounding, as processors with
//! AVX2 have; elsewhere the libraries' functions are used.
//!
//! | file | about |
//! |---|---|
//! | `exponential` | e to the power of a number |
//! | `logarithm`, `logarithm_by_quotient` | the logarithm, with AVX-512 and with AVX2 |
//! | `power_by_tables`, `power` | powers, with AVX-512 and with AVX2 |
//! | `ordinary` | registers without special numbers |
//! | `registers` | instructions of AVX-512 |
//! | `reduction` | numbers as powers of two times something close to 1, and back |
//! | `arithmetic` | what they are written with |

mod arithmetic;
mod exponential;
mod logarithm;
mod logarithm_by_quotient;
mod ordinary;
mod power;
mod power_by_tables;
mod reduction;
mod registers;

use situ_ir::DType;

use super::code::Code;
use super::library::{Library, PURE};
use super::target::{TargetOptions, VectorIsa};
use super::types::LaneType;
use super::writer::Operand;
use crate::target::MathMode;
use arithmetic::Arithmetic;
use ordinary::unless_ordinary;

/// A function of this folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elementary {
    /// e to the power of a number.
    Exp,
    /// The natural logarithm.
    Log,
    /// A number to the power of another.
    Pow,
}

impl Elementary {
    /// The function with a name of the C library, if it is computed here and LLVM vectorises it.
    pub(super) fn find(options: &TargetOptions, name: &str, dtype: DType) -> Option<Self> {
        Self::written(options, name, dtype).filter(|function| !function.is_for_registers(options))
    }

    /// The same, if it is a function of one register.
    pub(super) fn of_registers(options: &TargetOptions, name: &str, dtype: DType) -> Option<Self> {
        Self::written(options, name, dtype).filter(|function| function.is_for_registers(options))
    }

    /// The function with a name of the C library, if it is computed here.
    pub(super) fn written(options: &TargetOptions, name: &str, dtype: DType) -> Option<Self> {
        let applies = options.math == MathMode::Fast
            && options.vector_isa >= VectorIsa::Avx2
            && dtype == DType::F64;
        match name {
            "exp" if applies => Some(Self::Exp),
            "log" if applies => Some(Self::Log),
            "pow" if applies => Some(Self::Pow),
            _ => None,
        }
    }

    fn is_for_registers(self, options: &TargetOptions) -> bool {
        match self {
            Self::Exp => false,
            Self::Log => options.vector_isa == VectorIsa::Avx2,
            Self::Pow => true,
        }
    }

    /// How many work-items loops that call it should work on at once, if it is a function for more numbers than a register
    /// has: of AVX2, two registers share what is loaded.
    pub(super) fn work_items(self, options: &TargetOptions) -> Option<u8> {
        (self.is_for_registers(options) && options.vector_isa == VectorIsa::Avx2).then_some(8)
    }

    /// Its value, at the present number of lanes.
    pub(super) fn call(self, code: &mut Code<'_, '_>, arguments: &[&Operand]) -> Operand {
        let ty = code.ty(DType::F64);
        let callee = self.symbol(ty.lanes);
        self.define(code.library, ty);
        code.call(callee, ty, ty, arguments)
    }

    /// The name of the function for so many lanes.
    pub(super) fn symbol(self, lanes: u32) -> String {
        match lanes {
            1 => format!("situ.{}.f64", self.name()),
            lanes => format!("situ.{}.f64.x{lanes}", self.name()),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Pow => "pow",
        }
    }

    const fn arity(self) -> usize {
        match self {
            Self::Exp | Self::Log => 1,
            Self::Pow => 2,
        }
    }

    /// Writes the function for so many lanes, unless it is there.
    pub(super) fn define(self, library: &mut Library<'_>, ty: LaneType) {
        let name = self.symbol(ty.lanes);
        let is_wide = library.options.vector_isa == VectorIsa::Avx512;
        // What LLVM vectorises is inlined before, so that it sees arithmetic and no call; and registers of few numbers are
        // inlined after.
        let inlining = if self == Self::Pow && is_wide {
            "noinline"
        } else {
            "alwaysinline"
        };
        self.define_as(library, &name, inlining, ty, |code, x, y| match self {
            Self::Exp => exponential::write(&mut Arithmetic::new(code), x),
            Self::Log if is_wide => logarithm::write(&mut Arithmetic::new(code), x),
            Self::Log => self.write_ordinary(
                code,
                [x, y],
                |numbers, x, _| logarithm_by_quotient::write(numbers, x),
                |numbers, x, _| logarithm_by_quotient::write_any(numbers, x),
            ),
            Self::Pow if is_wide => power_by_tables::write(&mut Arithmetic::new(code), x, y),
            Self::Pow => self.write_ordinary(code, [x, y], power::write, power::write_any),
        });
    }

    /// Writes what `ordinary` writes, with a call of a function that `any` writes where something is not ordinary.
    fn write_ordinary(
        self,
        code: &mut Code<'_, '_>,
        [x, y]: [&Operand; 2],
        ordinary: impl FnOnce(&mut Arithmetic<'_, '_, '_>, &Operand, &Operand) -> (Operand, Operand),
        any: impl FnOnce(&mut Arithmetic<'_, '_, '_>, &Operand, &Operand) -> Operand,
    ) -> Operand {
        let ty = code.ty(DType::F64);
        let name = format!("{}.any", self.symbol(ty.lanes));
        self.define_as(code.library, &name, "noinline cold", ty, |code, x, y| {
            any(&mut Arithmetic::new(code), x, y)
        });
        let (result, is_ordinary) = ordinary(&mut Arithmetic::new(code), x, y);
        unless_ordinary(code, &is_ordinary, &name, &[x, y][..self.arity()]);
        result
    }

    /// Writes a function for so many lanes with what `write` writes, unless it is there.
    fn define_as(
        self,
        library: &mut Library<'_>,
        name: &str,
        inlining: &str,
        ty: LaneType,
        write: impl FnOnce(&mut Code<'_, '_>, &Operand, &Operand) -> Operand,
    ) {
        if library.defines(name) {
            return;
        }
        let mut code = Code::new(library);
        let start = code.label("body");
        code.begin(&start);
        let [x, y] = ["%x0", "%x1"].map(Operand::new);
        code.in_lanes(ty.lanes, |code| {
            let result = write(code, &x, &y);
            code.terminate(format_args!("ret {ty} {result}"));
        });
        let body = code.into_writer().finish(&start);
        let parameters: Vec<_> = (0..self.arity()).map(|x| format!("{ty} %x{x}")).collect();
        let parameters = parameters.join(", ");
        let text =
            format!("define internal {ty} @{name}({parameters}) {inlining} {PURE} {{\n{body}}}\n");
        library.define(name, text);
    }
}
