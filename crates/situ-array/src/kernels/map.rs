//! The map template: one output element from one element of each input.
//!
//! A kernel is specialised for the operands' dtypes, for how they move in the innermost loop and for
//! the number of loops. Its parameters are, in this order:
//!
//! 1. for the output and then each input: a pointer to the first element, or the scalar itself;
//! 2. with four loops or more, the sizes of the loops that are folded into the first dimension of
//!    the range, all but the outermost;
//! 3. for each operand in memory: its stride in every loop but the innermost, and in the innermost
//!    too if it is [`StrideClass::Strided`].
//!
//! Up to three loops are the dimensions of the launch; further outer loops are folded into the first
//! and taken apart by division, once per row and not per element.

use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, Module, Type,
};
use smallvec::SmallVec;

use crate::kernels::MapBody;
use crate::loop_nest::{LoopNest, StrideClass};

/// How an operand reaches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapOperand {
    /// Elements in memory.
    Memory {
        /// What the elements are.
        dtype: DType,
        /// How the operand moves in the innermost loop.
        stride: StrideClass,
    },
    /// One number, passed by value.
    Scalar {
        /// What it is.
        dtype: DType,
    },
}

/// What a map kernel is specialised for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MapShape {
    /// The output, then the inputs.
    pub operands: SmallVec<[MapOperand; 4]>,
    /// The dtype each input is converted to before the expression sees it.
    pub compute: SmallVec<[DType; 4]>,
    /// How many loops.
    pub rank: u8,
    /// Whether the last input is a mask: only where it holds is there a result.
    pub is_masked: bool,
    /// Whether the output is written past the cache.
    pub streams: bool,
}

/// The largest number of dimensions of a launch.
const LAUNCH_DIMS: usize = situ_ir::range::MAX_DIMS;

/// Writes the kernel `name` for operands of the given shape.
///
/// # Panics
/// If the output is not in memory or the inputs' number differs from that of their compute dtypes.
pub fn module(name: &str, shape: &MapShape, body: &MapBody<'_>) -> Module {
    let dims = usize::from(shape.rank).min(LAUNCH_DIMS);
    let mut f = FunctionBuilder::kernel(name, dims as u8);
    let operands = declare_operands(&mut f, shape);
    let ids = loop_indices(&mut f, usize::from(shape.rank));
    let positions = declare_positions(&mut f, shape, &ids);

    let mut inputs: SmallVec<[Handle<Expression>; 4]> = SmallVec::new();
    for position in 1..shape.operands.len() {
        let value = match positions[position] {
            Some(at) => f.load(operands[position], at),
            None => operands[position],
        };
        let value = f.cast(value, shape.compute[position - 1]);
        inputs.push(f.bind(format!("x{position}"), value));
    }
    let mask = if shape.is_masked { inputs.pop() } else { None };
    let result = body(&mut f, &inputs);
    let MapOperand::Memory { dtype, .. } = shape.operands[0] else {
        panic!("the output is in memory")
    };
    let result = f.cast(result, dtype);
    let at = positions[0].expect("the output is in memory");
    match mask {
        Some(mask) => f.if_(mask, |f| f.store(operands[0], at, result)),
        None => f.store(operands[0], at, result),
    }

    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

/// The sizes and strides a launch passes after the operands themselves.
pub fn layout_arguments(shape: &MapShape, nest: &LoopNest) -> SmallVec<[i64; 8]> {
    let folded = folded_loops(nest.rank());
    let mut arguments: SmallVec<[i64; 8]> = nest.loops[..folded]
        .iter()
        .skip(1)
        .map(|each| each.size as i64)
        .collect();
    arguments.extend(stride_arguments(shape, nest));
    arguments
}

/// The strides alone.
pub(crate) fn stride_arguments(shape: &MapShape, nest: &LoopNest) -> SmallVec<[i64; 8]> {
    let mut arguments = SmallVec::new();
    for (position, operand) in shape.operands.iter().enumerate() {
        let MapOperand::Memory { stride, .. } = operand else {
            continue;
        };
        let strided = usize::from(*stride == StrideClass::Strided);
        let counted = nest.rank() - 1 + strided;
        arguments.extend(
            nest.loops[..counted]
                .iter()
                .map(|each| each.strides[position] as i64),
        );
    }
    arguments
}

/// The range to launch over.
pub fn launch_sizes(nest: &LoopNest) -> SmallVec<[u64; 3]> {
    let folded = folded_loops(nest.rank());
    let outer: usize = nest.loops[..folded].iter().map(|each| each.size).product();
    let first = (folded > 0).then_some(outer as u64);
    first
        .into_iter()
        .chain(nest.loops[folded..].iter().map(|each| each.size as u64))
        .collect()
}

/// How many outer loops share the first dimension of the launch; none if every loop has its own.
fn folded_loops(rank: usize) -> usize {
    if rank > LAUNCH_DIMS {
        rank - LAUNCH_DIMS + 1
    } else {
        0
    }
}

pub(super) fn declare_operands(
    f: &mut FunctionBuilder,
    shape: &MapShape,
) -> SmallVec<[Handle<Expression>; 4]> {
    let name = |position| {
        if position == 0 {
            "out".to_owned()
        } else {
            format!("in{position}")
        }
    };
    let declare = |(position, operand): (usize, &MapOperand)| {
        let ty = match *operand {
            MapOperand::Memory { dtype, .. } => Type::pointer(dtype, AddressSpace::Global),
            MapOperand::Scalar { dtype } => dtype.into(),
        };
        f.parameter(name(position), ty)
    };
    shape.operands.iter().enumerate().map(declare).collect()
}

/// The index of each loop for the running work-item.
pub(super) fn loop_indices(
    f: &mut FunctionBuilder,
    rank: usize,
) -> SmallVec<[Handle<Expression>; 4]> {
    let folded = folded_loops(rank);
    if folded == 0 {
        return (0..rank as u8)
            .map(|dimension| f.global_id(dimension))
            .collect();
    }
    let sizes: Vec<_> = (1..folded)
        .map(|axis| f.parameter(format!("size{axis}"), Type::INDEX))
        .collect();
    // Take the folded index apart from its fastest loop outwards.
    let mut rest = f.global_id(0);
    let mut indices: SmallVec<[Handle<Expression>; 4]> = SmallVec::new();
    for axis in (1..folded).rev() {
        let size = sizes[axis - 1];
        let index = f.binary(BinaryOperator::TruncatingRemainder, rest, size);
        indices.push(f.bind(format!("i{axis}"), index));
        let quotient = f.binary(BinaryOperator::TruncatingDivide, rest, size);
        rest = f.bind("rest", quotient);
    }
    indices.push(rest);
    indices.reverse();
    indices.extend((1..LAUNCH_DIMS as u8).map(|dimension| f.global_id(dimension)));
    indices
}

/// Where each operand's element for the running work-item is; `None` for scalars.
pub(super) fn declare_positions(
    f: &mut FunctionBuilder,
    shape: &MapShape,
    ids: &[Handle<Expression>],
) -> SmallVec<[Option<Handle<Expression>>; 4]> {
    let mut positions = SmallVec::new();
    for (position, operand) in shape.operands.iter().enumerate() {
        let MapOperand::Memory { stride, .. } = *operand else {
            positions.push(None);
            continue;
        };
        let (&inner, outer) = ids.split_last().expect("there is a loop");
        let mut at = None;
        for (axis, &index) in outer.iter().enumerate() {
            at = Some(step(f, position, axis, index, at));
        }
        let at = match stride {
            StrideClass::Broadcast => at.unwrap_or_else(|| f.index(0)),
            StrideClass::Contiguous => at.map_or(inner, |base| f.add(base, inner)),
            StrideClass::Strided => step(f, position, outer.len(), inner, at),
        };
        positions.push(Some(f.bind(format!("at{position}"), at)));
    }
    positions
}

/// `base + index * stride`, with the stride of an operand in a loop as a new parameter.
fn step(
    f: &mut FunctionBuilder,
    operand: usize,
    axis: usize,
    index: Handle<Expression>,
    base: Option<Handle<Expression>>,
) -> Handle<Expression> {
    let stride = f.parameter(format!("stride{operand}_{axis}"), Type::INDEX);
    let moved = f.multiply(index, stride);
    base.map_or(moved, |base| f.add(base, moved))
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    fn memory(dtype: DType, stride: StrideClass) -> MapOperand {
        MapOperand::Memory { dtype, stride }
    }

    #[test]
    fn every_rank_and_stride_class_validates() {
        let classes = [
            StrideClass::Broadcast,
            StrideClass::Contiguous,
            StrideClass::Strided,
        ];
        for rank in 1..=6 {
            for class in classes {
                let operands = SmallVec::from_slice(&[
                    memory(DType::F64, StrideClass::Strided),
                    memory(DType::I32, class),
                    MapOperand::Scalar { dtype: DType::F32 },
                ]);
                let compute = SmallVec::from_elem(DType::F64, 2);
                let shape = MapShape {
                    operands,
                    compute,
                    rank,
                    is_masked: false,
                    streams: false,
                };
                let module = module("add", &shape, &|f, x| f.add(x[0], x[1]));
                validate(module).unwrap();
            }
        }
    }

    #[test]
    fn a_mask_is_no_operand_of_the_body() {
        let operands = SmallVec::from_slice(&[
            memory(DType::F32, StrideClass::Contiguous),
            memory(DType::F32, StrideClass::Contiguous),
            memory(DType::Bool, StrideClass::Strided),
        ]);
        let shape = MapShape {
            operands,
            compute: SmallVec::from_slice(&[DType::F32, DType::Bool]),
            rank: 1,
            is_masked: true,
            streams: false,
        };
        let module = module("copy", &shape, &|_, x| {
            assert_eq!(x.len(), 1);
            x[0]
        });
        validate(module).unwrap();
    }

    #[test]
    fn arguments_match_parameters() {
        let sizes = [2, 3, 4, 5, 6];
        let strides: [isize; 5] = [1000, 200, 40, 7, 3];
        let reversed: [isize; 5] = [9, 1, 50, 300, 0];
        let nest = LoopNest::new(&sizes, &[&strides, &reversed]);
        assert_eq!(nest.rank(), 5);
        let classes: Vec<_> = nest.inner_classes().collect();
        let operands = classes
            .iter()
            .map(|&class| memory(DType::F32, class))
            .collect();
        let compute = SmallVec::from_elem(DType::F32, 1);
        let shape = MapShape {
            operands,
            compute,
            rank: 5,
            is_masked: false,
            streams: false,
        };
        let module = module("copy", &shape, &|_, x| x[0]);
        let (_, kernel) = module.kernels().next().unwrap();
        let arguments = layout_arguments(&shape, &nest);
        assert_eq!(kernel.parameters.len(), 2 + arguments.len());
        assert_eq!(launch_sizes(&nest).as_slice(), [24, 5, 6]);
        assert_eq!(
            arguments.as_slice(),
            [3, 4, 1000, 200, 40, 7, 3, 9, 1, 50, 300]
        );
    }
}
