//! Functions that look at a register as a whole.
//!
//! Much of an elementary function is for numbers that are seldom there: negative or subnormal ones, infinity and NaN. Of a register without
//! them a shorter function is enough; one with them is left to a function for any number, by a branch that the processor foresees.
//! Both take the same steps, so that a result does not depend on its neighbours.

use situ_ir::DType;

use super::arithmetic::Arithmetic;
use super::reduction::SMALLEST_NORMAL;
use crate::llvm::code::Code;
use crate::llvm::writer::Operand;

/// Whether a number is positive, finite and not subnormal.
pub(super) fn is_ordinary(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Operand {
    let bits = numbers.bits_of(x);
    let above_smallest = numbers.with_bits("sub", &bits, SMALLEST_NORMAL.to_bits());
    let range = f64::INFINITY.to_bits() - SMALLEST_NORMAL.to_bits();
    numbers.with_bits("icmp ult", &above_smallest, range)
}

/// Goes on where everything is ordinary, and returns what the function `any` makes of the arguments where it is not.
pub(super) fn unless_ordinary(
    code: &mut Code<'_, '_>,
    is_ordinary: &Operand,
    any: &str,
    arguments: &[&Operand],
) {
    let (ty, mask, lanes) = (code.ty(DType::F64), code.ty(DType::Bool), code.lanes());
    let bits = code.instruction(format_args!("bitcast {mask} {is_ordinary} to i{lanes}"));
    let are_all = code.instruction(format_args!("icmp eq i{lanes} {bits}, -1"));
    let [ordinary, other] = ["ordinary", "other"].map(|stem| code.label(stem));
    code.terminate(format_args!(
        "br i1 {are_all}, label %{ordinary}, label %{other}"
    ));
    code.begin(&other);
    let result = code.call(any, ty, ty, arguments);
    code.terminate(format_args!("ret {ty} {result}"));
    code.begin(&ordinary);
}
