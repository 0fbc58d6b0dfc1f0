//! Programs for a device, from text.
//!
//! The library takes OpenCL C, and gives no binary back, so programs are kept in memory only; another
//! process compiles them again.

use std::cell::Cell;
use std::ffi::CString;
use std::sync::Arc;

use situ_codegen::opencl_c::{OpenClModule, TargetOptions};
use situ_ir::ValidModule;

use super::api::FailedCall;
use super::handle::{BundleRef, ContextRef, DeviceRef, KernelRef, Owned};
use crate::backend::opencl::build_log;
use crate::compile_cache::{CacheKey, CompileCache};
use crate::error::{Error, Result};

/// What makes code. A device and its parts share it, so each kernel is compiled once.
pub(super) struct Code {
    context: Arc<Owned<ContextRef>>,
    /// The whole device: a part can run what was compiled for the whole.
    root: Arc<Owned<DeviceRef>>,
    pub(super) target: TargetOptions,
    cache: CompileCache<Bundle>,
}

/// What is said of a program that was refused for unknown reasons.
const NO_LOG: &str =
    "the SYCL runtime does not say; with DPCTL_VERBOSITY=error it prints what it knows";

/// A program that can run.
pub(super) type Bundle = Owned<BundleRef>;

impl Code {
    pub(super) fn new(
        context: Arc<Owned<ContextRef>>,
        root: Arc<Owned<DeviceRef>>,
        target: TargetOptions,
    ) -> Self {
        Self {
            context,
            root,
            target,
            cache: CompileCache::new(None),
        }
    }

    /// The same for another context, which has its own programs.
    pub(super) fn for_context(&self, context: Arc<Owned<ContextRef>>) -> Self {
        Self::new(context, Arc::clone(&self.root), self.target.clone())
    }

    /// The program of a module, compiled or found again. `log` is asked for the compiler's words when it
    /// refuses.
    pub(super) fn program(
        &self,
        module: &ValidModule,
        emitted: &OpenClModule,
        label: &str,
        log: impl Fn() -> Option<String>,
    ) -> Result<Arc<Bundle>> {
        let parts = [emitted.build_options.as_str(), emitted.text.as_str()];
        let key = CacheKey::new(parts.map(str::as_bytes));
        let built = Cell::new(None);
        let compile = || {
            let bundle = self.build(emitted).map_err(|failed| {
                let log = log().or(failed.message);
                build_log::failure(
                    module,
                    emitted,
                    label,
                    log.unwrap_or_else(|| NO_LOG.to_owned()),
                )
            })?;
            built.set(Some(bundle));
            Ok(Vec::new())
        };
        let load = |_: &[u8]| {
            built.take().ok_or(Error::Internal {
                invariant: "a program of SYCL's is loaded only after it was compiled",
            })
        };
        let (bundle, _) = self.cache.get_or_compile(&key, compile, load)?;
        Ok(bundle)
    }

    /// Compiles a text.
    pub(super) fn build(&self, emitted: &OpenClModule) -> Result<Bundle, FailedCall> {
        let library = self.context.library();
        let c_string = |text: &str| CString::new(text).expect("the emitter writes no zero bytes");
        let text = c_string(&emitted.text);
        let options = c_string(&format!("{} -w", emitted.build_options));
        // SAFETY: the device is in the context, and the texts are C strings that live until the call
        // returns. The bundle is this call's.
        unsafe {
            let (context, device) = (self.context.raw(), self.root.raw());
            let (text, options) = (text.as_ptr(), options.as_ptr());
            let made = library.api.bundle_of_source(context, device, text, options);
            library.own("DPCTLKernelBundle_CreateFromOCLSource", made)
        }
    }
}

/// A kernel of a program.
pub(super) fn kernel(bundle: &Bundle, symbol: &str) -> Result<Owned<KernelRef>, FailedCall> {
    let library = bundle.library();
    let symbol = CString::new(symbol).expect("symbols have no zero bytes");
    // SAFETY: the bundle is alive, and the name is a C string. The kernel is this call's.
    unsafe {
        let made = library.api.bundle_kernel(bundle.raw(), symbol.as_ptr());
        library.own("DPCTLKernelBundle_GetKernel", made)
    }
}
