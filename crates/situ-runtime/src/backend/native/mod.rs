//! The CPU backend: LLVM compiles, ORC loads, a thread pool runs.
//!
//! | file | about |
//! |---|---|
//! | `compiler`, `jit` | the only files that touch LLVM |
//! | `object_file` | what compiled code defines and needs |
//! | `host_cpu`, `vector_math` | what this machine offers |
//! | `program` | kernels ready to run: arguments into slots, ranges into chunks |
//! | `pool`, `scratch` | threads and their working memory |

pub mod compiler;
pub mod host_cpu;
pub mod jit;
mod object_file;
pub mod pool;
mod program;
pub mod scratch;
pub mod vector_math;

use std::sync::Arc;

use situ_codegen::MathMode;
use situ_codegen::llvm::{self, TargetOptions};
use situ_ir::ValidModule;

use crate::backend::{DeviceMemory, DeviceProgram, Driver, host_memory};
use crate::compile_cache::{CacheKey, CompileCache, DiskCache};
use crate::config::{self, CacheLocation, Config};
use crate::device::{Aspect, DeviceInfo};
use crate::error::{Error, Result};
use crate::memory::usm::UsmKind;
use crate::{trace, warnings};
use compiler::{CompileOptions, LLVM_VERSION, Passes};
use host_cpu::CpuTarget;
use jit::LoadedObject;
use pool::Pool;
use program::NativeProgram;
use vector_math::VectorMath;

/// Changes whenever compiled code of an older situ could not be called by this one.
const ABI_VERSION: u32 = 1;

/// The largest work-group. Every value that lives across a barrier costs this many slots.
const MAX_WORK_GROUP_SIZE: u64 = 4096;

/// The most local memory for a work-group: what stays in a second-level cache.
const MAX_LOCAL_BYTES: u64 = 1 << 20;

/// The host's processor.
pub(crate) struct NativeDriver {
    target: TargetOptions,
    compile_options: CompileOptions,
    cache: CompileCache<LoadedObject>,
    pool: Arc<Pool>,
}

impl NativeDriver {
    /// The driver with the user's settings. Nothing is started or opened yet.
    pub(crate) fn new(config: &Config) -> Self {
        let cpu = CpuTarget::host();
        let disk = match &config.cache_location {
            CacheLocation::Directory(directory) => Some(DiskCache::new(
                directory.clone(),
                config.cache_limit_bytes,
                warnings::process_sink().clone(),
            )),
            CacheLocation::Off => None,
        };
        Self {
            target: target_options(&cpu, config.math),
            compile_options: CompileOptions {
                cpu,
                passes: Passes::Full,
            },
            cache: CompileCache::new(disk),
            pool: Arc::new(Pool::new(config.num_threads)),
        }
    }

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
            text.as_bytes(),
        ])
    }
}

/// What the emitter is told about a processor.
fn target_options(cpu: &CpuTarget, math: config::MathMode) -> TargetOptions {
    let vector_isa = cpu.vector_isa();
    let functions = VectorMath::process().functions(vector_isa);
    TargetOptions {
        vector_isa,
        vector_functions: functions
            .into_iter()
            .map(|function| function.symbol)
            .collect(),
        math: match math {
            config::MathMode::Fast => MathMode::Fast,
            config::MathMode::Exact => MathMode::Exact,
        },
        ..TargetOptions::default()
    }
}

impl Driver for NativeDriver {
    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            name: host_cpu::brand(),
            compute_units: self.pool.threads(),
            memory_bytes: host_memory::total_bytes(),
            max_work_group_size: MAX_WORK_GROUP_SIZE,
            max_local_bytes: MAX_LOCAL_BYTES,
            sub_group_size: self.target.sub_group_size,
            aspects: vec![
                Aspect::Fp16,
                Aspect::Fp64,
                Aspect::Atomic64,
                Aspect::UsmDeviceAllocations,
                Aspect::UsmSharedAllocations,
                Aspect::UsmHostAllocations,
            ],
        }
    }

    fn compile(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        let emitted = llvm::emit(module, &self.target).map_err(|source| Error::EmitFailed {
            module: module.name.clone(),
            device: "the native device",
            source: Box::new(source),
        })?;
        trace::code(&module.name, &emitted.text);
        let (object, _) = self.cache.get_or_compile(
            &self.cache_key(&emitted.text),
            || compiler::compile(&module.name, &emitted.text, &self.compile_options),
            |bytes| LoadedObject::load(bytes, VectorMath::process()),
        )?;
        let program = NativeProgram::new(object, emitted.kernels, Arc::clone(&self.pool))?;
        Ok(Arc::new(program))
    }

    fn allocate(&self, size_bytes: usize, _kind: UsmKind) -> Option<DeviceMemory> {
        host_memory::allocate(size_bytes).map(DeviceMemory::on_host)
    }

    unsafe fn free(&self, memory: DeviceMemory, size_bytes: usize, _kind: UsmKind) {
        // SAFETY: the caller keeps the contract of `Driver::free`, which is the same.
        unsafe { host_memory::free(memory.backing, size_bytes) };
    }

    fn is_host_accessible(&self, _kind: UsmKind) -> bool {
        true
    }
}
