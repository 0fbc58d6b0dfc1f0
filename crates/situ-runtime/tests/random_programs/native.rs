//! Runs kernels with the code that LLVM made of them.

use std::ffi::c_void;

use situ_codegen::MathMode;
use situ_codegen::llvm::{
    KernelAbi, KernelShape, LaunchFrame, LlvmModule, TargetOptions, VectorIsa, Vectorise, emit,
};
use situ_ir::interpret::Argument;
use situ_ir::transform::{LoweredFunction, LoweredParameter, lower};
use situ_ir::{Literal, NdRange, Type, ValidModule};
use situ_runtime::backend::native::compiler::{CompileOptions, Passes, compile};
use situ_runtime::backend::native::host_cpu::CpuTarget;
use situ_runtime::backend::native::jit::LoadedObject;
use situ_runtime::backend::native::vector_math::VectorMath;

/// What machine code is made for, and how.
#[derive(Clone, Debug)]
pub(crate) struct NativeTarget {
    pub(crate) options: TargetOptions,
    compile: CompileOptions,
}

impl NativeTarget {
    /// The processor of this machine.
    pub(crate) fn host(passes: Passes, math: MathMode) -> Self {
        Self::new(CpuTarget::host(), passes, math)
    }

    /// Any x86-64 processor.
    pub(crate) fn baseline(passes: Passes, math: MathMode) -> Self {
        Self::new(CpuTarget::baseline(), passes, math)
    }

    /// The same, with kernels written for one work-item at a time and for vectors of them, which gather elements or load
    /// them one by one.
    pub(crate) fn forms(&self) -> [Self; 3] {
        let forms = [
            (Vectorise::Never, false),
            (Vectorise::Always, false),
            (Vectorise::Always, true),
        ];
        forms.map(|(vectorise, gathers_slowly)| Self {
            options: TargetOptions {
                vectorise,
                gathers_slowly,
                ..self.options.clone()
            },
            compile: self.compile.clone(),
        })
    }

    fn new(cpu: CpuTarget, passes: Passes, math: MathMode) -> Self {
        let vector_isa = cpu.vector_isa();
        let functions = VectorMath::process().functions(vector_isa);
        Self {
            options: TargetOptions {
                vector_isa,
                vector_functions: functions.into_iter().map(|f| f.symbol).collect(),
                math,
                sub_group_size: 4,
                vectorise: Vectorise::Never,
                gathers_slowly: false,
                reorders_floats: false,
                streams: false,
            },
            compile: CompileOptions { cpu, passes },
        }
    }
}

/// A compiled module.
pub(crate) struct NativeModule {
    object: LoadedObject,
    kernels: Vec<KernelAbi>,
    lowered: Vec<(String, LoweredFunction)>,
}

type KernelFunction = unsafe extern "C" fn(*const u64, *const LaunchFrame);

/// What is written behind every area, to see whether anything strays there.
const GUARD: u8 = 0xa5;

impl NativeModule {
    /// The text that is compiled.
    pub(crate) fn emit(module: &ValidModule, target: &NativeTarget) -> LlvmModule {
        emit(module, &target.options).unwrap()
    }

    pub(crate) fn compile(module: &ValidModule, target: &NativeTarget) -> Self {
        let emitted = Self::emit(module, target);
        let object = compile(&module.name, &emitted.text, &target.compile)
            .unwrap_or_else(|error| panic!("{error}\n{}", emitted.text));
        let object = LoadedObject::load(&object, VectorMath::process())
            .unwrap_or_else(|error| panic!("{error}\n{}", emitted.text));
        let lowering = lower(module).unwrap();
        let lowered = module
            .kernels()
            .map(|(handle, kernel)| (kernel.name.clone(), lowering.lowered(handle).clone()))
            .collect();
        Self {
            object,
            kernels: emitted.kernels,
            lowered,
        }
    }

    /// Runs a kernel in chunks of `chunk` work-items or work-groups.
    pub(crate) fn run(
        &self,
        kernel: &str,
        range: &NdRange,
        arguments: &[Argument],
        buffers: &mut [&mut [u8]],
        chunk: u64,
    ) {
        let abi = self.kernels.iter().find(|abi| abi.name == kernel).unwrap();
        let (_, lowered) = self
            .lowered
            .iter()
            .find(|(name, _)| name == kernel)
            .unwrap();
        let local_size = match (range.local(), abi.shape) {
            (Some(local_size), _) => local_size,
            (None, KernelShape::Items) => [1; 3],
            (None, KernelShape::Groups) => chosen_groups(range),
        };
        let group_items: u64 = local_size.iter().product();
        let mut slots = vec![0_u64; abi.parameters.len()];
        let mut scratch_bytes = abi.local_bytes as usize;
        for (argument, parameter) in arguments.iter().zip(&lowered.parameters) {
            match (argument, parameter) {
                (Argument::Scalar(literal), LoweredParameter::One(position)) => {
                    slots[*position as usize] = literal.to_bits() as u64;
                }
                (Argument::Scalar(literal), LoweredParameter::Pair { real, imaginary }) => {
                    let (re, im) = parts(*literal);
                    slots[*real as usize] = re;
                    slots[*imaginary as usize] = im;
                }
                (
                    Argument::Pointer {
                        buffer,
                        offset_bytes,
                    },
                    LoweredParameter::One(position),
                ) => {
                    let start = buffers[*buffer].as_mut_ptr().expose_provenance();
                    slots[*position as usize] = (start + offset_bytes) as u64;
                }
                (Argument::Local { size_bytes }, LoweredParameter::One(position)) => {
                    slots[*position as usize] = scratch_bytes as u64;
                    scratch_bytes += size_bytes.next_multiple_of(64);
                }
                _ => panic!("pointers stay one parameter"),
            }
        }
        let mut scratch = Area::new(scratch_bytes);
        let mut frame = Area::new((abi.frame_bytes_per_item * group_items) as usize);
        let total = match abi.shape {
            KernelShape::Items => range.work_items(),
            KernelShape::Groups => range.work_items() / group_items,
        };
        let function = self.object.function(&abi.symbol).unwrap();
        // SAFETY: the emitter gives every kernel this signature.
        let function: KernelFunction =
            unsafe { std::mem::transmute::<*const c_void, KernelFunction>(function) };
        let mut begin = 0;
        while begin < total {
            let end = total.min(begin + chunk);
            let launch = LaunchFrame {
                global_size: range.global(),
                local_size,
                begin,
                end,
                scratch: scratch.start(),
                frame: frame.start(),
                stack_limit: 0,
            };
            // SAFETY: arguments and areas are as large as the kernel was promised; the interpreter
            // found no access outside of the buffers before.
            unsafe { function(slots.as_ptr(), &raw const launch) };
            begin = end;
        }
        scratch.check();
        frame.check();
    }
}

/// Groups for a range that leaves them open: several work-items of the fastest dimension.
fn chosen_groups(range: &NdRange) -> [u64; 3] {
    let mut local_size = [1; 3];
    let fastest = range.dims() - 1;
    let size = range.global()[fastest];
    local_size[fastest] = (1..=6)
        .rev()
        .find(|&local| size.is_multiple_of(local))
        .unwrap_or(1);
    local_size
}

fn parts(literal: Literal) -> (u64, u64) {
    let bits = literal.to_bits();
    match Type::from(literal.dtype()).scalar().unwrap().size_bytes() {
        8 => (u64::from(bits as u32), (bits >> 32) as u64),
        _ => (bits as u64, (bits >> 64) as u64),
    }
}

/// Aligned memory with a guard behind it.
struct Area {
    memory: Vec<Line>,
    size_bytes: usize,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

impl Area {
    fn new(size_bytes: usize) -> Self {
        let lines = size_bytes.div_ceil(64) + 1;
        Self {
            memory: vec![Line([GUARD; 64]); lines],
            size_bytes,
        }
    }

    fn start(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr().cast()
    }

    fn check(&self) {
        let bytes = self.memory.iter().flat_map(|line| line.0);
        let strays = bytes.skip(self.size_bytes).any(|byte| byte != GUARD);
        assert!(!strays, "a kernel writes behind its scratch or frame");
    }
}

/// The vector level of a target, for messages.
pub(crate) fn level(target: &NativeTarget) -> VectorIsa {
    target.options.vector_isa
}
