//! Programs for a device: from text, or from a binary that the driver made before.

use std::cell::Cell;
use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

use situ_codegen::opencl_c::{OpenClModule, TargetOptions};
use situ_ir::ValidModule;

use super::api::{device, program};
use super::binary;
use super::build_log;
use super::capabilities::Asker;
use super::handle::{DeviceId, ProgramId};
use super::memory::{FailedCall, named};
use super::platform::{ClContext, ClPlatform};
use super::status::Status;
use crate::backend::native::cached_code;
use crate::backend::native::host_cpu::CpuTarget;
use crate::compile_cache::{CacheKey, CompileCache};
use crate::error::{Error, Result};

/// What makes code. A device and its parts share it, so each kernel is compiled once.
pub(super) struct Code {
    platform: Arc<ClPlatform>,
    context: Arc<ClContext>,
    /// The whole device: a part can run what was compiled for the whole.
    root: DeviceId,
    pub(super) target: TargetOptions,
    /// Everything that binaries depend on beside the text.
    identity: Vec<String>,
    cache: CompileCache<BuiltProgram>,
}

impl Code {
    pub(super) fn new(
        asker: &Asker<'_>,
        platform: &Arc<ClPlatform>,
        context: Arc<ClContext>,
        target: TargetOptions,
    ) -> Self {
        let cpu = CpuTarget::host();
        let facts = &platform.facts;
        Self {
            platform: Arc::clone(platform),
            context,
            root: asker.device,
            target,
            identity: vec![
                facts.name.clone(),
                facts.version.clone(),
                asker.text(device::NAME),
                asker.text(device::VERSION),
                asker.text(device::DRIVER_VERSION),
                // Drivers of processors compile for the one they are on, and some do not say which.
                cpu.name,
                cpu.features,
            ],
            cache: CompileCache::new(cached_code::process_disk_cache()),
        }
    }

    /// The same for another context, which has its own programs.
    pub(super) fn for_context(&self, context: Arc<ClContext>) -> Self {
        Self {
            platform: Arc::clone(&self.platform),
            context,
            root: self.root,
            target: self.target.clone(),
            identity: self.identity.clone(),
            cache: CompileCache::new(cached_code::process_disk_cache()),
        }
    }

    /// The program of a module, compiled or found again.
    pub(super) fn program(
        &self,
        module: &ValidModule,
        emitted: &OpenClModule,
        label: &str,
    ) -> Result<Arc<BuiltProgram>> {
        // What was compiled just now need not be loaded from its own binary.
        let fresh = Cell::new(None);
        let names = emitted.kernels.iter().map(|kernel| kernel.name.as_str());
        let compile = || {
            let built = self.build(module, emitted, label)?;
            // A driver that gives no binary is asked again in the next process.
            let code = built.binary(self.root).unwrap_or_default();
            fresh.set(Some(built));
            Ok(binary::encode(names, &code))
        };
        let load = |bytes: &[u8]| {
            if let Some(built) = fresh.take() {
                return Ok(built);
            }
            let (_, code) = binary::decode(bytes).ok_or(Error::MalformedObject {
                detail: "it does not start as a program for OpenCL does",
            })?;
            let loaded = self.load(code, &emitted.build_options);
            loaded.map_err(|failed| failed_on(label, module, failed))
        };
        let (program, _) = self
            .cache
            .get_or_compile(&self.cache_key(emitted), compile, load)?;
        Ok(program)
    }

    fn cache_key(&self, emitted: &OpenClModule) -> CacheKey {
        let fixed = ["opencl", env!("CARGO_PKG_VERSION")];
        let own = self.identity.iter().map(String::as_str);
        let text = [emitted.build_options.as_str(), emitted.text.as_str()];
        let parts = fixed.into_iter().chain(own).chain(text);
        CacheKey::new(parts.map(str::as_bytes))
    }

    fn build(
        &self,
        module: &ValidModule,
        emitted: &OpenClModule,
        label: &str,
    ) -> Result<BuiltProgram> {
        let text = emitted.text.as_str();
        let (pointer, len, mut status) = (text.as_ptr().cast(), text.len(), 0);
        // SAFETY: one string of the length that is given, which the driver copies.
        let id = unsafe {
            (self.platform.api.create_program_with_source)(
                self.context.id(),
                1,
                &raw const pointer,
                &raw const len,
                &raw mut status,
            )
        };
        named("clCreateProgramWithSource", status)
            .map_err(|failed| failed_on(label, module, failed))?;
        let program = self.own(id);
        let built = self.build_program(&program, &emitted.build_options);
        built.map_err(|failed| {
            if failed.status != Status::BUILD_PROGRAM_FAILURE {
                return failed_on(label, module, failed);
            }
            let log = self
                .platform
                .api
                .build_text(id, self.root, program::BUILD_LOG);
            let log = log.unwrap_or_else(|status| status.to_string());
            build_log::failure(module, emitted, label, log)
        })?;
        Ok(program)
    }

    fn load(&self, code: &[u8], options: &str) -> Result<BuiltProgram, FailedCall> {
        if code.is_empty() {
            return Err(FailedCall {
                call: "clCreateProgramWithBinary",
                status: Status::INVALID_BINARY,
            });
        }
        let (pointer, len) = (code.as_ptr(), code.len());
        let (mut binary_status, mut status) = (0, 0);
        // SAFETY: one device of the context and one binary of the length that is given, which the
        // driver copies.
        let id = unsafe {
            (self.platform.api.create_program_with_binary)(
                self.context.id(),
                1,
                &raw const self.root,
                &raw const len,
                &raw const pointer,
                &raw mut binary_status,
                &raw mut status,
            )
        };
        named("clCreateProgramWithBinary", status)?;
        let program = self.own(id);
        named("clCreateProgramWithBinary", binary_status)?;
        self.build_program(&program, options)?;
        Ok(program)
    }

    fn own(&self, id: ProgramId) -> BuiltProgram {
        BuiltProgram {
            platform: Arc::clone(&self.platform),
            id,
        }
    }

    fn build_program(&self, program: &BuiltProgram, options: &str) -> Result<(), FailedCall> {
        // Without warnings: PoCL writes their number to the process's standard error.
        let options = format!("{options} -w");
        let options = CString::new(options).expect("the emitter's options have no zero bytes");
        // SAFETY: the device belongs to the program's context; without a callback the call waits.
        named("clBuildProgram", unsafe {
            (self.platform.api.build_program)(
                program.id,
                1,
                &raw const self.root,
                options.as_ptr(),
                None,
                ptr::null_mut(),
            )
        })
    }
}

/// An error that names device and module.
fn failed_on(label: &str, module: &ValidModule, FailedCall { call, status }: FailedCall) -> Error {
    Error::DriverFailed {
        device: label.to_owned(),
        subject: Some(module.name.clone()),
        call,
        status,
    }
}

/// A program that can run.
pub(super) struct BuiltProgram {
    platform: Arc<ClPlatform>,
    pub(super) id: ProgramId,
}

impl BuiltProgram {
    /// The driver's code for a device.
    fn binary(&self, device: DeviceId) -> Option<Vec<u8>> {
        let api = self.platform.api;
        // A program has a place for every device of its context, whether or not it was built for it.
        let devices = api
            .program_list::<DeviceId>(self.id, program::DEVICES)
            .ok()?;
        let sizes = api
            .program_list::<usize>(self.id, program::BINARY_SIZES)
            .ok()?;
        let position = devices.iter().position(|one| *one == device)?;
        let mut code = vec![0_u8; *sizes.get(position)?];
        let mut places = vec![ptr::null_mut(); devices.len()];
        places[position] = code.as_mut_ptr();
        let size = size_of_val(places.as_slice());
        // SAFETY: there is a place for each device: null, which is skipped, or one of its binary's size.
        let status = unsafe {
            (api.get_program_info)(
                self.id,
                program::BINARIES,
                size,
                places.as_mut_ptr().cast(),
                ptr::null_mut(),
            )
        };
        Status(status).check().ok()?;
        Some(code)
    }
}

impl Drop for BuiltProgram {
    fn drop(&mut self) {
        // SAFETY: made by `Code`; kernels keep what they need of it.
        unsafe { (self.platform.api.release_program)(self.id) };
    }
}
