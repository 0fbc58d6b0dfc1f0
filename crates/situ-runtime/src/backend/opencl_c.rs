//! What the backends have in common that compile OpenCL C: the text, and what its kernels are given.

use situ_codegen::opencl_c::{self, KernelAbi, OpenClModule, TargetOptions};
use situ_ir::{Literal, NdRange, ValidModule};

use super::grouping::{self, GroupLimits, Grouping};
use crate::error::{Error, Result};
use crate::trace;

/// Writes a module for a device.
pub(super) fn emit(
    module: &ValidModule,
    target: &TargetOptions,
    device: &'static str,
) -> Result<OpenClModule> {
    let emitted = opencl_c::emit(module, target).map_err(|source| Error::EmitFailed {
        module: module.name.clone(),
        device,
        source: Box::new(source),
    })?;
    trace::code(&module.name, &emitted.text);
    Ok(emitted)
}

/// The most private memory of a work-group: PoCL has that of all its work-items on the stack of a thread, at once.
const MAX_PRIVATE_BYTES: u64 = 4 << 20;

/// The largest work-group of a kernel, given what the driver says.
pub(super) fn max_work_group_size(abi: &KernelAbi, of_driver: Option<u64>) -> Option<u64> {
    let by_stack = MAX_PRIVATE_BYTES.checked_div(abi.private_bytes);
    [of_driver, by_stack.map(|limit| limit.max(1))]
        .into_iter()
        .flatten()
        .min()
}

/// Local memory that a kernel's collectives need.
pub(super) fn scratch_bytes(abi: &KernelAbi, range: &NdRange) -> u64 {
    let work_items: u64 = range.local().map_or(1, |local| local.iter().product());
    abi.scratch_bytes_per_item.saturating_mul(work_items)
}

/// Local memory of a group of so many work-items, given what the driver says that the kernel uses.
pub(super) fn local_bytes(abi: &KernelAbi, of_driver: u64, group_items: u64) -> u64 {
    let scratch_bytes = abi.scratch_bytes_per_item.saturating_mul(group_items);
    of_driver.max(abi.local_bytes).saturating_add(scratch_bytes)
}

/// The sizes that a driver gets, slowest dimension first, and those of groups unless it is to choose them.
pub(super) fn sizes(
    abi: &KernelAbi,
    range: &NdRange,
    limits: GroupLimits,
) -> ([u64; 3], Option<[u64; 3]>) {
    if range.local().is_some() || !abi.has_extents {
        return (range.global(), range.local());
    }
    let Grouping { global, local } = grouping::choose(range, limits);
    (global, Some(local))
}

/// The numbers that a scalar is passed as, by their bits and their size: complex numbers were lowered to
/// a pair of reals.
pub(super) fn scalar_parts(literal: Literal) -> impl Iterator<Item = (u64, usize)> {
    let bits = literal.to_bits();
    let size_bytes = literal.dtype().size_bytes();
    let (part_bytes, count) = match literal {
        Literal::C64(_) | Literal::C128(_) => (size_bytes / 2, 2),
        _ => (size_bytes, 1),
    };
    let mask = u64::MAX >> (64 - 8 * part_bytes);
    (0..count).map(move |part| {
        let bits = (bits >> (8 * part_bytes * part)) as u64;
        (bits & mask, part_bytes)
    })
}

#[cfg(test)]
mod tests {
    use num_complex::Complex32;

    use super::*;

    #[test]
    fn complex_scalars_are_two_numbers() {
        let parts = |literal| scalar_parts(literal).collect::<Vec<_>>();
        assert_eq!(parts(Literal::I16(-2)), [(0xfffe, 2)]);
        assert_eq!(parts(Literal::F64(1.0)), [(1.0_f64.to_bits(), 8)]);
        let complex = Literal::C64(Complex32::new(1.5, -2.0));
        let [real, imaginary] = [1.5_f32, -2.0].map(|part| u64::from(part.to_bits()));
        assert_eq!(parts(complex), [(real, 4), (imaginary, 4)]);
    }
}
