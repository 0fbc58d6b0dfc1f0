//! The CPU backend: LLVM compiles, ORC loads, a thread pool runs.
//!
//! | file | about |
//! |---|---|
//! | `compiler`, `streamed_stores`, `constants_in_memory`, `instructions`, `jit` | the only files that touch LLVM |
//! | `object_file` | what compiled code defines and needs |
//! | `cached_code` | compiled code on disk, for people to look at |
//! | `host_cpu`, `vector_math` | what this machine offers |
//! | `program` | kernels ready to run: arguments into slots, ranges into chunks |
//! | `pool`, `scratch` | threads and their working memory |
//! | `rounds` | loops of compiled code that the pool shares |
//! | `stoppable` | calls of compiled code that Ctrl-C ends |
//! | `block` | copies and fills with all threads |
//! | `topology` | which processors there are and what they share |

mod block;
pub mod cached_code;
pub mod compiler;
mod constants_in_memory;
pub mod host_cpu;
mod instructions;
pub mod jit;
mod object_file;
pub mod pool;
mod program;
pub(crate) mod rounds;
pub mod scratch;
mod stoppable;
mod streamed_stores;
pub(crate) mod topology;
pub mod vector_math;

use std::sync::Arc;

use situ_codegen::MathMode;
use situ_codegen::llvm::{self, TargetOptions, Vectorise};
use situ_ir::ValidModule;

use crate::aspect::Aspect;
use crate::backend::{DeviceMemory, DeviceProgram, Driver, host_memory};
use crate::compile_cache::{CacheKey, CompileCache};
use crate::config::{self, Config, Streaming};
use crate::device_info::{DeviceInfo, VectorWidths};
use crate::error::{Error, Result};
use crate::memory::usm::UsmKind;
use crate::partition::{
    AffinityDomain, Partition, PartitionInfo, PartitionProblem, affinity_domains,
};
use crate::trace;
use block::BlockMover;
use compiler::{CompileOptions, LLVM_VERSION, Passes};
use host_cpu::CpuTarget;
use jit::LoadedObject;
use pool::Pool;
use program::NativeProgram;
use topology::{CoreSet, Topology};
use vector_math::VectorMath;

/// Changes whenever compiled code of an older situ could not be called by this one.
const ABI_VERSION: u32 = 1;

/// Results of more than the last cache divided by this are written past it.
const STREAMED_SHARE: u64 = 8;

/// The largest work-group. Every value that lives across a barrier costs this many slots.
const MAX_WORK_GROUP_SIZE: u64 = 4096;

/// The most local memory for a work-group: what stays in a second-level cache.
const MAX_LOCAL_BYTES: u64 = 1 << 20;

/// The host's processor, or some of its cores.
pub(crate) struct NativeDriver {
    code: Arc<Code>,
    topology: &'static Topology,
    /// The processor of each compute unit.
    units: Vec<usize>,
    pool: Arc<Pool>,
    mover: BlockMover,
    streams_from_bytes: Option<u64>,
}

/// What makes code. The whole device and its parts share it, so each kernel is compiled once.
struct Code {
    target: TargetOptions,
    compile_options: CompileOptions,
    cache: CompileCache<LoadedObject>,
}

impl NativeDriver {
    /// The driver of the whole device, with the user's settings. Nothing is started or opened yet.
    pub(crate) fn new(config: &Config) -> Self {
        let cpu = CpuTarget::host();
        let topology = Topology::process();
        Self {
            code: Arc::new(Code {
                target: target_options(&cpu, config),
                compile_options: CompileOptions {
                    cpu,
                    passes: Passes::Full,
                },
                cache: CompileCache::new(cached_code::process_disk_cache()),
            }),
            topology,
            units: topology.units(config.num_threads),
            pool: Arc::new(Pool::new(config.num_threads)),
            mover: BlockMover::default(),
            streams_from_bytes: streams_from_bytes(config.streaming, topology),
        }
    }

    /// The driver of a part: the same code on its own threads.
    fn part(&self, units: Vec<usize>) -> Self {
        let pool = Pool::pinned(units.len(), CoreSet::new(units.clone()));
        Self {
            code: Arc::clone(&self.code),
            topology: self.topology,
            units,
            pool: Arc::new(pool),
            mover: BlockMover::default(),
            streams_from_bytes: self.streams_from_bytes,
        }
    }

    fn compile_for(
        &self,
        module: &ValidModule,
        target: &TargetOptions,
    ) -> Result<Arc<dyn DeviceProgram>> {
        let Code {
            compile_options,
            cache,
            ..
        } = &*self.code;
        let emitted = emitted(module, target)?;
        trace::code(&module.name, &emitted.text);
        let (object, _) = cache.get_or_compile(
            &self.code.cache_key(&emitted.text),
            || compiler::compile(&module.name, &emitted.text, compile_options),
            |bytes| LoadedObject::load(bytes, VectorMath::process()),
        )?;
        let program = NativeProgram::new(object, emitted.kernels, Arc::clone(&self.pool))?;
        Ok(Arc::new(program))
    }

    fn shared_by(&self) -> impl Fn(usize, AffinityDomain) -> Option<usize> + Copy + use<> {
        let topology = self.topology;
        move |unit, domain| topology.shared_by(unit, domain)
    }
}

fn emitted(module: &ValidModule, target: &TargetOptions) -> Result<llvm::LlvmModule> {
    llvm::emit(module, target).map_err(|source| Error::EmitFailed {
        module: module.name.clone(),
        device: "the native device",
        source: Box::new(source),
    })
}

impl Code {
    /// Everything that compiled bytes depend on.
    fn cache_key(&self, text: &str) -> CacheKey {
        let CompileOptions { cpu, passes } = &self.compile_options;
        CacheKey::new([
            b"native",
            env!("CARGO_PKG_VERSION").as_bytes(),
            &ABI_VERSION.to_le_bytes(),
            LLVM_VERSION.as_bytes(),
            cpu.name.as_bytes(),
            cpu.features.as_bytes(),
            passes.pipeline().as_bytes(),
            compiler::GENERATOR_OPTION.to_bytes(),
            text.as_bytes(),
        ])
    }
}

/// The size from which on results are written past the cache.
fn streams_from_bytes(setting: Streaming, topology: &Topology) -> Option<u64> {
    match setting {
        Streaming::Never => None,
        Streaming::From(size_bytes) => Some(size_bytes),
        Streaming::Auto => topology
            .last_cache()
            .map(|cache| cache.size_bytes / STREAMED_SHARE),
    }
}

/// What the emitter is told about a processor.
fn target_options(cpu: &CpuTarget, config: &Config) -> TargetOptions {
    let vector_isa = cpu.vector_isa();
    let functions = VectorMath::process().functions(vector_isa);
    TargetOptions {
        vector_isa,
        vector_functions: functions
            .into_iter()
            .map(|function| function.symbol)
            .collect(),
        math: match config.math {
            config::MathMode::Fast => MathMode::Fast,
            config::MathMode::Exact => MathMode::Exact,
        },
        vectorise: config.vectorise,
        gathers_slowly: cpu.has("prefer-no-gather"),
        ..TargetOptions::default()
    }
}

impl Driver for NativeDriver {
    fn info(&self) -> DeviceInfo {
        let memory_bytes = host_memory::total_bytes();
        let cpu = &self.code.compile_options.cpu;
        let register_bits = host_cpu::vector_bits(self.code.target.vector_isa);
        let native_half = if cpu.has("avx512fp16") {
            register_bits / 16
        } else {
            0
        };
        let domains = affinity_domains(&self.units, self.shared_by());
        DeviceInfo {
            name: host_cpu::brand(),
            vendor: host_cpu::vendor(),
            driver_version: format!("{}, LLVM {LLVM_VERSION}", env!("CARGO_PKG_VERSION")),
            compute_units: self.units.len(),
            clock_mhz: host_cpu::clock_mhz(),
            memory_bytes,
            max_allocation_bytes: memory_bytes,
            cache: self.topology.last_cache(),
            max_local_bytes: MAX_LOCAL_BYTES,
            max_work_group_size: MAX_WORK_GROUP_SIZE,
            max_work_item_sizes: [MAX_WORK_GROUP_SIZE; 3],
            sub_group_sizes: vec![self.code.target.sub_group_size],
            sub_groups_progress_independently: false,
            native_vector_widths: VectorWidths::of_register(register_bits, native_half),
            // Half-precision numbers are computed with as single-precision ones.
            preferred_vector_widths: VectorWidths::of_register(register_bits, register_bits / 32),
            timer_resolution_ns: timer_resolution_ns(),
            address_bits: usize::BITS,
            is_little_endian: cfg!(target_endian = "little"),
            partition: PartitionInfo::new(self.units.len(), domains),
            aspects: vec![
                Aspect::Atomic64,
                Aspect::Cpu,
                Aspect::Fp16,
                Aspect::Fp64,
                Aspect::OnlineCompiler,
                Aspect::QueueProfiling,
                Aspect::UsmAtomicHostAllocations,
                Aspect::UsmAtomicSharedAllocations,
                Aspect::UsmDeviceAllocations,
                Aspect::UsmHostAllocations,
                Aspect::UsmSharedAllocations,
                Aspect::UsmSystemAllocations,
            ],
        }
    }

    fn streams_from_bytes(&self) -> Option<u64> {
        self.streams_from_bytes
    }

    fn llvm_target(&self) -> Option<&TargetOptions> {
        Some(&self.code.target)
    }

    fn assembly(&self, module: &ValidModule) -> Option<Result<String>> {
        let text = emitted(module, &self.code.target).map(|emitted| emitted.text);
        let options = &self.code.compile_options;
        Some(text.and_then(|text| compiler::assembly(&module.name, &text, options)))
    }

    fn compile(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.compile_for(module, &self.code.target)
    }

    fn compile_reordered(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        let target = TargetOptions {
            reorders_floats: true,
            ..self.code.target.clone()
        };
        self.compile_for(module, &target)
    }

    fn compile_streaming(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        let target = TargetOptions {
            streams: true,
            ..self.code.target.clone()
        };
        self.compile_for(module, &target)
    }

    fn compile_as_written(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        let target = TargetOptions {
            vectorise: Vectorise::Never,
            ..self.code.target.clone()
        };
        self.compile_for(module, &target)
    }

    fn allocate(&self, size_bytes: usize, _kind: UsmKind) -> Option<DeviceMemory> {
        host_memory::allocate(size_bytes).map(DeviceMemory::on_host)
    }

    unsafe fn free(&self, memory: DeviceMemory, size_bytes: usize, _kind: UsmKind) {
        // SAFETY: the caller keeps the contract of `Driver::free`, which is the same.
        unsafe { host_memory::free(memory.backing, size_bytes) };
    }

    unsafe fn copy(&self, from: *const u8, to: *mut u8, size_bytes: usize) -> Result<()> {
        // SAFETY: as the caller promises; all memory of this device is the host's.
        unsafe { self.mover.copy(&self.pool, from, to, size_bytes) }
    }

    unsafe fn fill(&self, to: *mut u8, size_bytes: usize, value: u8) -> Result<()> {
        // SAFETY: as above.
        unsafe { self.mover.fill(&self.pool, to, size_bytes, value) }
    }

    fn is_host_accessible(&self, _kind: UsmKind) -> bool {
        true
    }

    fn free_memory_bytes(&self) -> Option<u64> {
        host_memory::available_bytes().map(|bytes| bytes.min(host_memory::total_bytes()))
    }

    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Driver>>, PartitionProblem> {
        let parts = partition.cut(&self.units, self.shared_by())?;
        let driver = |units| Arc::new(self.part(units)) as Arc<dyn Driver>;
        Ok(parts.into_iter().map(driver).collect())
    }

    fn cores(&self) -> Option<&CoreSet> {
        self.pool.cores()
    }

    fn pool(&self) -> Option<&Arc<Pool>> {
        Some(&self.pool)
    }
}

/// The tick of the clock that events take their times from.
fn timer_resolution_ns() -> Option<u64> {
    let mut tick = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to the structure it is given.
    let status = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &raw mut tick) };
    let ns = u64::try_from(tick.tv_nsec).ok().filter(|ns| *ns > 0)?;
    (status == 0 && tick.tv_sec == 0).then_some(ns)
}
