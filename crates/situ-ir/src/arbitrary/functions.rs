//! Device functions, and the arguments they are called with.

use super::generator::{Context, Generator, Node, Plan, Readable};
use super::random::Random;
use crate::arena::Handle;
use crate::builder::FunctionBuilder;
use crate::dtype::DType;
use crate::module::{Function, Module};
use crate::types::{AddressSpace, Type};

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct DeviceFunction {
    pub(super) handle: Handle<Function>,
    pub(super) parameters: Vec<ParameterKind>,
}

/// What a device function needs.
#[derive(Clone, Copy, Debug)]
pub(super) enum ParameterKind {
    Scalar(DType),
    /// Elements that are only read.
    Input {
        dtype: DType,
        length: i64,
    },
    /// Elements of the caller's private memory, read and written.
    Private {
        dtype: DType,
        length: i64,
    },
}

/// Memory that callers can offer: kernels declare at least this much of each dtype they use.
pub(super) const OFFERED_LENGTH: i64 = 4;

/// Adds a device function to a module.
pub(super) fn device_function(
    random: &mut Random,
    module: &mut Module,
    functions: &[DeviceFunction],
    plan: Plan,
    position: usize,
) -> DeviceFunction {
    let result = random.chance(90).then(|| random.pick(&DType::ALL));
    let f = FunctionBuilder::device(format!("helper{position}"), result);
    let budget = random.between(2, 10) as u32;
    let mut generator = Generator::new(random, f, module, functions, plan, budget);
    generator.result = result;
    let parameters = generator.parameters();
    for _ in 0..generator.random.below(3) {
        generator.declare(false);
    }
    if generator.random.chance(30) {
        generator.private_array();
    }
    generator.statements(Context {
        is_uniform: false,
        depth: 2,
        in_loop: None,
        may_return: true,
    });
    let value = result.map(|dtype| generator.scalar(dtype, false, 2));
    generator.f.return_(value);
    let f = generator.f;
    let handle = f.finish(module);
    DeviceFunction { handle, parameters }
}

impl Generator<'_> {
    fn parameters(&mut self) -> Vec<ParameterKind> {
        let mut kinds = Vec::new();
        for _ in 0..self.random.between(1, 4) {
            let dtype = self.dtype();
            let name = self.name("p");
            let length = self.random.between(1, OFFERED_LENGTH as u64) as i64;
            let (kind, space) = match self.random.below(4) {
                0 => (ParameterKind::Input { dtype, length }, AddressSpace::Global),
                1 => (
                    ParameterKind::Private { dtype, length },
                    AddressSpace::Private,
                ),
                _ => {
                    let scalar = self.f.parameter(name, dtype.into());
                    self.scalars.push((scalar, dtype));
                    kinds.push(ParameterKind::Scalar(dtype));
                    continue;
                }
            };
            let pointer = self.f.parameter(name, Type::pointer(dtype, space));
            let is_constant = space == AddressSpace::Global;
            let memory = Readable {
                pointer,
                dtype,
                first: 0,
                length,
                is_shared: false,
                is_constant,
            };
            if is_constant {
                self.readable.push(memory);
            } else {
                self.private.push(memory);
            }
            kinds.push(kind);
        }
        kinds
    }

    /// Something that fits a parameter; `None` if there is no such memory.
    pub(super) fn argument(&mut self, parameter: &ParameterKind) -> Option<Node> {
        match *parameter {
            ParameterKind::Scalar(dtype) => Some(self.scalar(dtype, false, 2)),
            ParameterKind::Input { dtype, length } => {
                let memories: Vec<_> = self
                    .readable
                    .iter()
                    .filter(|memory| memory.is_constant)
                    .copied()
                    .collect();
                self.pointer_into(&memories, dtype, length)
            }
            ParameterKind::Private { dtype, length } => {
                let memories = self.private.clone();
                self.pointer_into(&memories, dtype, length)
            }
        }
    }

    /// A pointer behind which there are enough elements.
    fn pointer_into(&mut self, memories: &[Readable], dtype: DType, length: i64) -> Option<Node> {
        let fits = |memory: &&Readable| memory.dtype == dtype && memory.length >= length;
        let memories: Vec<_> = memories.iter().filter(fits).collect();
        if memories.is_empty() {
            return None;
        }
        let memory = *memories[self.random.below(memories.len())];
        let spare = (memory.length - length) as u64;
        let start = memory.first + self.random.between(0, spare) as i64;
        if start == 0 {
            return Some(memory.pointer);
        }
        let start = self.f.index(start);
        Some(self.f.offset(memory.pointer, start))
    }
}
