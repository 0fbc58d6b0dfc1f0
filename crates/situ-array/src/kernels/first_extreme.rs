//! The first-extreme template: which block of a row has the least or the greatest of all, and where in it.
//!
//! It follows a reduction that wrote what each block was reduced to and where that is
//! ([`ReduceShape::locates`](super::reduce::ReduceShape)). Of blocks that are equal the first counts, and NaN is an extreme.
//!
//! A work-item has one row. Parameters, in this order: `out`, `partial` (what blocks were reduced to, row by row), `positions` (where
//! that is), `blocks` (how many a row has).

use situ_ir::{AddressSpace, BinaryOperator, DType, FunctionBuilder, Module, Type, UnaryOperator};

/// Writes the kernel `name` for the extremes that an operator finds among numbers of a dtype.
///
/// # Panics
/// If the operator is neither of the two that look for extremes.
pub fn module(name: &str, operator: BinaryOperator, dtype: DType) -> Module {
    let comparison = match operator {
        BinaryOperator::Minimum => BinaryOperator::Less,
        BinaryOperator::Maximum => BinaryOperator::Greater,
        other => panic!("{} does not look for extremes", other.name()),
    };
    let mut f = FunctionBuilder::kernel(name, 1);
    let global = |dtype| Type::pointer(dtype, AddressSpace::Global);
    let out = f.parameter("out", global(DType::I64));
    let partial = f.parameter("partial", global(dtype));
    let positions = f.parameter("positions", global(DType::I64));
    let blocks = f.parameter("blocks", Type::INDEX);
    let row = f.global_id(0);
    let first = f.multiply(row, blocks);
    let first = f.bind("first", first);
    let end = f.add(first, blocks);

    let extreme = f.variable("extreme", dtype);
    let found = f.variable("found", DType::I64);
    let so_far = f.load(partial, first);
    f.assign(extreme, so_far);
    f.assign(found, first);
    let one = f.index(1);
    let second = f.add(first, one);
    f.for_range("block", second, end, |f, block| {
        let candidate = f.load(partial, block);
        let candidate = f.bind("candidate", candidate);
        let so_far = f.get(extreme);
        let so_far = f.bind("so_far", so_far);
        let mut is_more = f.binary(comparison, candidate, so_far);
        if dtype.is_float() {
            let is_nan = f.unary(UnaryOperator::IsNan, candidate);
            let was_nan = f.unary(UnaryOperator::IsNan, so_far);
            let was_number = f.unary(UnaryOperator::Not, was_nan);
            let is_first_nan = f.binary(BinaryOperator::BitAnd, is_nan, was_number);
            is_more = f.binary(BinaryOperator::BitOr, is_more, is_first_nan);
        }
        let is_more = f.bind("is_more", is_more);
        let better = f.select(is_more, candidate, so_far);
        f.assign(extreme, better);
        let found_so_far = f.get(found);
        let at = f.select(is_more, block, found_so_far);
        f.assign(found, at);
    });
    let found = f.get(found);
    let position = f.load(positions, found);
    f.store(out, row, position);
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    #[test]
    fn extremes_of_every_dtype_validate() {
        for operator in [BinaryOperator::Minimum, BinaryOperator::Maximum] {
            for dtype in [DType::F16, DType::F64, DType::U8, DType::I64] {
                validate(module("first_extreme", operator, dtype)).unwrap();
            }
        }
    }
}
