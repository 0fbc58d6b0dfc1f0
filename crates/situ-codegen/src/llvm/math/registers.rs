//! Instructions of AVX-512 for which LLVM has no words that any processor understands.
//!
//! They work on one register of eight numbers. Functions that use them are written for that width alone, and
//! scalar code gets at them as it does at functions of the vector library.

use super::arithmetic::Arithmetic;
use crate::llvm::writer::Operand;

const NUMBERS: &str = "<8 x double>";
const BITS: &str = "<8 x i64>";
/// No lane is masked, and numbers are rounded as the processor is told to.
const PLAIN: &str = "<8 x double> zeroinitializer, i8 -1, i32 4";

/// The exponent of a number: a whole number, infinite for zero and infinity.
pub(super) fn exponent(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Operand {
    numbers.instruction(
        "llvm.x86.avx512.mask.getexp.pd.512",
        &format!("{NUMBERS}, {NUMBERS}, i8, i32"),
        &format!("{NUMBERS} {x}, {PLAIN}"),
    )
}

/// What stands before the power of two in a number: from 1 to 2, also of subnormal numbers.
pub(super) fn fraction(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Operand {
    numbers.instruction(
        "llvm.x86.avx512.mask.getmant.pd.512",
        &format!("{NUMBERS}, i32, {NUMBERS}, i8, i32"),
        &format!("{NUMBERS} {x}, i32 0, {PLAIN}"),
    )
}

/// The product of a number and 2 to the power of the largest whole number up to `exponent`.
pub(super) fn scale(
    numbers: &mut Arithmetic<'_, '_, '_>,
    x: &Operand,
    exponent: &Operand,
) -> Operand {
    numbers.instruction(
        "llvm.x86.avx512.mask.scalef.pd.512",
        &format!("{NUMBERS}, {NUMBERS}, {NUMBERS}, i8, i32"),
        &format!("{NUMBERS} {x}, {NUMBERS} {exponent}, {PLAIN}"),
    )
}

/// A number of a table that fits in two registers, by the lowest four bits of `index`.
pub(super) fn look_up(
    numbers: &mut Arithmetic<'_, '_, '_>,
    table: &[u64; 16],
    index: &Operand,
) -> Operand {
    let [first, second] = [&table[..8], &table[8..]].map(|half| {
        let entries: Vec<_> = half
            .iter()
            .map(|bits| format!("double 0x{bits:016X}"))
            .collect();
        format!("{NUMBERS} <{}>", entries.join(", "))
    });
    numbers.instruction(
        "llvm.x86.avx512.vpermi2var.pd.512",
        &format!("{NUMBERS}, {BITS}, {NUMBERS}"),
        &format!("{first}, {BITS} {index}, {second}"),
    )
}
