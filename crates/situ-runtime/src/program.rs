//! Compiled, loaded code of one module for one device.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, mpsc};

use situ_ir::{FunctionKind, Parameter, ParameterAccess, StatementKind, ValidModule};

use crate::backend::{DeviceProgram, Driver};
use crate::device::Device;
use crate::error::{Error, Result, panic_message};
use crate::executor;
use crate::interrupt;
use crate::requirements;
use crate::trace;

/// The kernels of a module, ready to be launched on a device.
pub struct Program {
    device: Device,
    kernels: Vec<KernelInfo>,
    code: Arc<dyn DeviceProgram>,
}

/// What a driver makes of a module.
type Compiled = Result<Arc<dyn DeviceProgram>>;

/// What a launch must know about a kernel.
struct KernelInfo {
    name: String,
    parameters: Vec<Parameter>,
    dims: usize,
    needs_groups: bool,
    local_bytes: u64,
    access: Vec<ParameterAccess>,
    /// Whether it has loops of the user's, which may have no end.
    may_not_end: bool,
}

impl Program {
    /// What the addresses of memory are multiples of that is written past the cache.
    pub const STREAM_ALIGN_BYTES: usize = situ_codegen::llvm::abi::BLOCK_ALIGN_BYTES;

    /// Emits, compiles and loads a module.
    ///
    /// Code that was compiled before, by this process or another one, is found in the compile
    /// cache.
    ///
    /// # Errors
    /// When the device cannot run the module; otherwise only for bugs of situ.
    pub fn compile(device: &Device, module: &ValidModule) -> Result<Arc<Self>> {
        Self::of(device, module, |driver, module| driver.compile(module))
    }

    /// The same with leave to compute sums and products of floats in another order, which is faster and rounds
    /// differently. Drivers that cannot tell the difference keep the order.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn compile_reordered(device: &Device, module: &ValidModule) -> Result<Arc<Self>> {
        Self::of(device, module, |driver, module| {
            driver.compile_reordered(module)
        })
    }

    /// The same for kernels whose results are too large for the cache: memory that a kernel over one dimension
    /// writes and does not read is written past the cache, by devices that can do so. At a launch it must start at a multiple of
    /// [`Program::STREAM_ALIGN_BYTES`], as all memory does that situ allocates.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn compile_streaming(device: &Device, module: &ValidModule) -> Result<Arc<Self>> {
        Self::of(device, module, |driver, module| {
            driver.compile_streaming(module)
        })
    }

    /// The same for kernels that are arranged by hand so that LLVM vectorises them: none is rewritten for
    /// vectors of work-items.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn compile_as_written(device: &Device, module: &ValidModule) -> Result<Arc<Self>> {
        Self::of(device, module, |driver, module| {
            driver.compile_as_written(module)
        })
    }

    /// The same with sub-groups of a given size, for kernels that are written for one.
    ///
    /// # Errors
    /// [`Error::SubGroupSizeMissing`] when a kernel uses sub-groups and the device has none of this
    /// size; otherwise as [`Program::compile`].
    pub fn compile_for_sub_groups(
        device: &Device,
        module: &ValidModule,
        size: u32,
    ) -> Result<Arc<Self>> {
        let uses_sub_groups = |handle| module.info(handle).needs_sub_groups;
        let user = module
            .kernels()
            .find(|(handle, _)| uses_sub_groups(*handle));
        let Some((_, kernel)) = user else {
            return Self::compile(device, module);
        };
        let available = &device.info().sub_group_sizes;
        if !available.contains(&size) {
            return Err(Error::SubGroupSizeMissing {
                kernel: kernel.name.clone(),
                size,
                device: device.filter_string(),
                available: available.clone(),
            });
        }
        Self::of(device, module, move |driver, module| {
            driver.compile_for_sub_groups(module, size)
        })
    }

    fn of(
        device: &Device,
        module: &ValidModule,
        compile: impl FnOnce(&dyn Driver, &ValidModule) -> Compiled + Send + 'static,
    ) -> Result<Arc<Self>> {
        requirements::check(device, module)?;
        trace::module(device, module);
        let may_not_end = module.source.is_some() && has_loops(module);
        let kernels = module
            .kernels()
            .map(|(handle, function)| {
                let info = module.info(handle);
                KernelInfo {
                    name: function.name.clone(),
                    parameters: function.parameters.clone(),
                    dims: match function.kind {
                        FunctionKind::Kernel { dims } => usize::from(dims),
                        FunctionKind::Device => 0,
                    },
                    needs_groups: info.needs_groups,
                    local_bytes: info.local_bytes,
                    access: info.parameter_access.clone(),
                    may_not_end,
                }
            })
            .collect();
        let code = if interrupt::is_listening() {
            compile_elsewhere(device, module, compile)?
        } else {
            compile(device.driver(), module)?
        };
        Ok(Arc::new(Self {
            device: device.clone(),
            kernels,
            code,
        }))
    }

    /// The device it was compiled for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The names of its kernels.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// One of its kernels.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`], which lists those there are.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Kernel> {
        let index = self.kernels.iter().position(|kernel| kernel.name == name);
        let index = index.ok_or_else(|| Error::UnknownKernel {
            name: name.to_owned(),
            available: self.kernel_names().map(str::to_owned).collect(),
        })?;
        Ok(Kernel {
            program: Arc::clone(self),
            index,
        })
    }
}

/// Compiles on another thread: a compiler cannot be interrupted, but the wait for it can.
fn compile_elsewhere(
    device: &Device,
    module: &ValidModule,
    compile: impl FnOnce(&dyn Driver, &ValidModule) -> Compiled + Send + 'static,
) -> Compiled {
    let (sender, receiver) = mpsc::sync_channel(1);
    let (owned_device, owned_module) = (device.clone(), module.clone());
    executor::run_on_host(Box::new(move || {
        let compile = || compile(owned_device.driver(), &owned_module);
        let compiled = catch_unwind(AssertUnwindSafe(compile)).unwrap_or_else(|panic| {
            Err(Error::WorkPanicked {
                message: panic_message(&*panic),
            })
        });
        // Nobody listens if the wait was interrupted. The compile cache has the result.
        let _ = sender.send(compiled);
    }));
    loop {
        match receiver.recv_timeout(interrupt::INTERVAL) {
            Ok(compiled) => return compiled,
            Err(RecvTimeoutError::Timeout) if interrupt::is_requested() => {
                return Err(Error::Interrupted {
                    command: format!("the compilation of `{}`", module.name),
                    running: None,
                });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Internal {
                    invariant: "whoever compiles tells the result",
                });
            }
        }
    }
}

fn has_loops(module: &ValidModule) -> bool {
    let mut has_loops = false;
    for (_, function) in module.functions.iter() {
        function.body.for_each_statement(&mut |statement| {
            has_loops |= matches!(statement.kind, StatementKind::Loop { .. });
        });
    }
    has_loops
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Program")
            .field("device", &self.device)
            .field("kernels", &self.kernel_names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A launchable function. Cheap to clone; keeps its program loaded.
#[derive(Debug, Clone)]
pub struct Kernel {
    program: Arc<Program>,
    index: usize,
}

impl Kernel {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.info().name
    }

    /// What it takes.
    pub fn parameters(&self) -> &[Parameter] {
        &self.info().parameters
    }

    /// How many dimensions the ranges have that it is launched over.
    pub fn dims(&self) -> usize {
        self.info().dims
    }

    /// Whether its meaning depends on work-groups.
    pub fn needs_groups(&self) -> bool {
        self.info().needs_groups
    }

    /// The program it is part of.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Bytes of its own local arrays.
    pub(crate) fn local_bytes(&self) -> u64 {
        self.info().local_bytes
    }

    /// How it uses the memory behind each parameter.
    pub fn parameter_access(&self) -> &[ParameterAccess] {
        &self.info().access
    }

    /// Whether this thread listens for interrupts and would hear none for as long as it runs the kernel itself.
    pub(crate) fn may_block_interrupts(&self) -> bool {
        self.info().may_not_end && interrupt::is_listening() && !self.program.code.is_stoppable()
    }

    pub(crate) fn code(&self) -> (&dyn DeviceProgram, usize) {
        (&*self.program.code, self.index)
    }

    fn info(&self) -> &KernelInfo {
        &self.program.kernels[self.index]
    }
}
