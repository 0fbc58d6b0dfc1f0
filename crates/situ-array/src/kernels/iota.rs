//! The iota template: numbers at even distances, from nothing but their position.
//!
//! Parameters: `out`, `start`, `step`.

use situ_ir::{AddressSpace, DType, FunctionBuilder, Module, Type};

/// What an iota kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IotaShape {
    /// The dtype that positions are multiplied and added in.
    pub compute: DType,
    /// The dtype of the results.
    pub output: DType,
}

/// Writes the kernel `name`: `out[i] = start + i * step`.
pub fn module(name: &str, shape: IotaShape) -> Module {
    let mut f = FunctionBuilder::kernel(name, 1);
    let out = f.parameter("out", Type::pointer(shape.output, AddressSpace::Global));
    let start = f.parameter("start", shape.compute.into());
    let step = f.parameter("step", shape.compute.into());
    let position = f.global_id(0);
    let number = f.cast(position, shape.compute);
    let moved = f.multiply(number, step);
    let result = f.add(start, moved);
    let result = f.cast(result, shape.output);
    f.store(out, position, result);
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    #[test]
    fn every_pair_of_dtypes_validates() {
        for compute in [DType::I64, DType::U64, DType::F32, DType::F64, DType::C128] {
            for output in DType::ALL {
                if !compute.is_complex() || output.is_complex() {
                    validate(module("iota", IotaShape { compute, output })).unwrap();
                }
            }
        }
    }
}
