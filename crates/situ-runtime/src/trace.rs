//! `SITU_TRACE`: what is on its way, on standard error.
//!
//! This is the one place where the runtime prints, and only when the user asked for it.

use situ_ir::{NdRange, ValidModule};

use crate::config;
use crate::device::Device;
use crate::program::Kernel;

/// The kernel IR of a module that is about to be compiled.
pub(crate) fn module(device: &Device, module: &ValidModule) {
    if config::process_config().trace.ir {
        let text = situ_ir::text::print(module);
        eprintln!(
            "situ: module `{}` for {}\n{text}",
            module.name,
            device.filter_string()
        );
    }
}

/// The code emitted for a module.
pub(crate) fn code(module: &str, text: &str) {
    if config::process_config().trace.code {
        eprintln!("situ: code of `{module}`\n{text}");
    }
}

/// A launch that is about to run.
pub(crate) fn launch(device: &Device, kernel: &Kernel, range: &NdRange) {
    if config::process_config().trace.launch {
        let global = &range.global()[..range.dims()];
        let name = kernel.name();
        match range.local() {
            Some(local) => eprintln!(
                "situ: launch `{name}` on {} over {global:?} in groups of {:?}",
                device.filter_string(),
                &local[..range.dims()]
            ),
            None => eprintln!(
                "situ: launch `{name}` on {} over {global:?}",
                device.filter_string()
            ),
        }
    }
}
