//! Whole cases: sizes, parameters, memory, device functions and the kernel around them.

use super::Flavour;
use super::case::{Buffer, Case, Exactness};
use super::functions::{DeviceFunction, OFFERED_LENGTH, device_function};
use super::generator::{Context, Counters, Exchange, Generator, Owned, Plan, Readable};
use super::nasty;
use super::random::Random;
use crate::builder::FunctionBuilder;
use crate::dtype::DType;
use crate::interpret::Argument;
use crate::module::Module;
use crate::range::NdRange;
use crate::statement::AtomicOperation;
use crate::types::{AddressSpace, Type};
use crate::validate::validate;

/// Operations on integers that give the same result in any order, by family.
const COMMUTING: [&[AtomicOperation]; 6] = [
    &[AtomicOperation::Add, AtomicOperation::Subtract],
    &[AtomicOperation::Minimum],
    &[AtomicOperation::Maximum],
    &[AtomicOperation::BitAnd],
    &[AtomicOperation::BitOr],
    &[AtomicOperation::BitXor],
];

/// How far a device's real function may be from the interpreter's: 4 ulp are allowed by the IR, and
/// the interpreter itself is rounded.
const REAL_ULPS: u32 = 5;

/// Complex functions are formulas of several real ones.
const COMPLEX_ULPS: u32 = 32;

/// Makes the case of a seed.
///
/// # Panics
/// If the program is not valid, which is a defect of the generator.
pub fn generate(seed: u64, flavour: Flavour) -> Case {
    let mut random = Random::new(seed ^ ((flavour as u64) << 63));
    let (plan, range) = plan(&mut random, flavour);
    let mut module = Module::new(format!("random_{seed}"));
    let mut functions: Vec<DeviceFunction> = Vec::new();
    for position in 0..random.below(4) {
        let function = device_function(&mut random, &mut module, &functions, plan, position);
        functions.push(function);
    }
    let mut memory = CaseMemory::default();
    let f = FunctionBuilder::kernel("generated", plan.dims);
    let budget = random.between(5, 40) as u32;
    let mut generator = Generator::new(&mut random, f, &module, &functions, plan, budget);
    generator.declare_parameters(&mut memory);
    generator.body();
    let f = generator.f;
    f.finish(&mut module);
    let module = validate(module)
        .unwrap_or_else(|problems| panic!("seed {seed} ({flavour:?}) is not valid:\n{problems}"));
    Case {
        seed,
        flavour,
        module,
        kernel: "generated".to_owned(),
        range,
        arguments: memory.arguments,
        buffers: memory.buffers,
        uses_sub_groups: plan.uses_sub_groups,
    }
}

/// Chooses sizes and features.
fn plan(random: &mut Random, flavour: Flavour) -> (Plan, NdRange) {
    let dims = random.pick(&[1, 1, 1, 2, 2, 3]);
    let mut local = Vec::new();
    let mut global = Vec::new();
    for _ in 0..dims {
        let largest = [9, 4, 3][dims - 1];
        local.push(random.between(1, largest));
        // Some rows are long, so that they have whole vectors of work-items and a remainder.
        let most = if random.chance(20) { 4 } else { 1 };
        let groups = random.between(1, most * [5, 3, 2][dims - 1]);
        global.push(local[local.len() - 1] * groups);
    }
    let uses_groups = random.chance(65);
    let range = if uses_groups || random.chance(30) {
        NdRange::with_local(&global, &local)
    } else {
        NdRange::new(&global)
    };
    let range = range.expect("small groups that tile the range");
    let plan = Plan {
        flavour,
        dims: dims as u8,
        work_items: range.work_items() as i64,
        group_size: local.iter().product::<u64>() as i64,
        uses_groups,
        uses_sub_groups: uses_groups && random.chance(12),
    };
    (plan, range)
}

/// Arguments and buffers, as parameters are declared.
#[derive(Default)]
struct CaseMemory {
    arguments: Vec<Argument>,
    buffers: Vec<Buffer>,
}

impl CaseMemory {
    /// Adds a buffer of nasty numbers and points at one of its elements.
    fn point(
        &mut self,
        random: &mut Random,
        dtype: DType,
        length: i64,
        first: i64,
        exactness: Exactness,
    ) {
        let mut bytes = vec![0; length as usize * dtype.size_bytes()];
        for chunk in bytes.chunks_exact_mut(dtype.size_bytes()) {
            nasty::element(random, dtype, chunk);
        }
        self.arguments.push(Argument::Pointer {
            buffer: self.buffers.len(),
            offset_bytes: -first as usize * dtype.size_bytes(),
        });
        self.buffers.push(Buffer {
            dtype,
            bytes,
            exactness,
        });
    }
}

impl Generator<'_> {
    fn declare_parameters(&mut self, memory: &mut CaseMemory) {
        for _ in 0..self.random.between(1, 4) {
            self.declare_input(memory);
        }
        for _ in 0..self.random.between(1, 3) {
            let dtype = self.dtype();
            let output = self.declare_owned(memory, "out", dtype, Exactness::Exact);
            self.outputs.push(output);
        }
        if self.plan.flavour == Flavour::Approximate {
            for _ in 0..self.random.between(1, 2) {
                self.declare_approximation(memory);
            }
        }
        for _ in 0..self.random.below(3) {
            self.declare_counters(memory);
        }
        for _ in 0..self.random.below(4) {
            let dtype = self.dtype();
            let name = self.name("scalar");
            let scalar = self.f.parameter(name, dtype.into());
            let literal = nasty::literal(self.random, dtype);
            memory.arguments.push(Argument::Scalar(literal));
            self.scalars.push((scalar, dtype));
        }
        if self.plan.uses_groups {
            for _ in 0..self.random.between(1, 2) {
                self.declare_exchange(memory);
            }
        }
    }

    fn global(&mut self, kind: &str, dtype: DType) -> super::generator::Node {
        let name = self.name(kind);
        self.f
            .parameter(name, Type::pointer(dtype, AddressSpace::Global))
    }

    /// A buffer that is only read; the pointer may be to its middle.
    fn declare_input(&mut self, memory: &mut CaseMemory) {
        let dtype = self.dtype();
        let pointer = self.global("in", dtype);
        let length = self.random.between(OFFERED_LENGTH as u64, 30) as i64;
        let first = if self.random.chance(25) {
            -(self.random.below(length as usize) as i64)
        } else {
            0
        };
        memory.point(self.random, dtype, length, first, Exactness::Exact);
        self.readable.push(Readable {
            pointer,
            dtype,
            first,
            length,
            is_shared: true,
            is_constant: true,
        });
    }

    /// A buffer with slots for each work-item, and some elements that nobody touches.
    fn declare_owned(
        &mut self,
        memory: &mut CaseMemory,
        kind: &str,
        dtype: DType,
        exactness: Exactness,
    ) -> Owned {
        let pointer = self.global(kind, dtype);
        let slots = self.random.between(1, 3) as i64;
        let length = self.plan.work_items * slots + self.random.below(3) as i64;
        memory.point(self.random, dtype, length, 0, exactness);
        Owned {
            pointer,
            dtype,
            slots,
        }
    }

    fn declare_approximation(&mut self, memory: &mut CaseMemory) {
        let dtype = self.random.pick(&[
            DType::F16,
            DType::F32,
            DType::F32,
            DType::F64,
            DType::F64,
            DType::C64,
            DType::C128,
        ]);
        let ulps = if dtype.is_complex() {
            COMPLEX_ULPS
        } else {
            REAL_ULPS
        };
        let approximation = self.declare_owned(memory, "near", dtype, Exactness::Ulps(ulps));
        self.approximations.push(approximation);
    }

    fn declare_counters(&mut self, memory: &mut CaseMemory) {
        let dtype = self
            .random
            .pick(&[DType::I32, DType::I64, DType::U32, DType::U64]);
        let pointer = self.global("count", dtype);
        let length = self.random.between(1, 5) as i64;
        memory.point(self.random, dtype, length, 0, Exactness::Exact);
        let operations = self.random.pick(&COMMUTING);
        self.counters.push(Counters {
            pointer,
            dtype,
            length,
            operations,
        });
    }

    /// Memory for stages: a local array, local memory sized at launch, or a global buffer.
    fn declare_exchange(&mut self, memory: &mut CaseMemory) {
        let dtype = self.dtype();
        let slots = self.random.between(1, 2) as i64;
        let length = self.plan.group_size * slots;
        let kind = self.random.below(3);
        let pointer = match kind {
            0 => {
                let name = self.name("tile");
                self.f
                    .array(name, dtype, length as u64, AddressSpace::Local)
            }
            1 => {
                let name = self.name("tile");
                let size_bytes = length as usize * dtype.size_bytes();
                memory.arguments.push(Argument::Local { size_bytes });
                self.f
                    .parameter(name, Type::pointer(dtype, AddressSpace::Local))
            }
            _ => {
                let pointer = self.global("shared", dtype);
                let length = self.plan.work_items * slots;
                memory.point(self.random, dtype, length, 0, Exactness::Exact);
                pointer
            }
        };
        self.exchanges.push(Exchange {
            pointer,
            dtype,
            slots,
            is_local: kind < 2,
            is_open: false,
        });
    }

    fn body(&mut self) {
        for _ in 0..self.random.between(1, 5) {
            let uniform = self.random.chance(40);
            self.declare(uniform);
        }
        if self.random.chance(40) {
            self.private_array();
        }
        let together = Context {
            is_uniform: true,
            depth: 3,
            in_loop: None,
            may_return: false,
        };
        if self.plan.uses_groups {
            self.count_group();
            self.stage(together);
        }
        while self.budget > 6 {
            self.statements(together);
        }
        // From here on nobody meets, so that work-items may end one by one.
        if self.random.chance(50) {
            let alone = Context {
                is_uniform: false,
                may_return: true,
                ..together
            };
            self.statements(alone);
        }
        self.store_results();
    }
}
