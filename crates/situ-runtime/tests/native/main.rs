//! The native backend below the emitter: LLVM text in, results out.

#![expect(
    clippy::unwrap_used,
    reason = "this is a test: a failure may stop it right there"
)]

mod code;
mod constants;
mod forked;
mod kernels;
mod processes;
mod streaming;

use situ_codegen::llvm::LaunchFrame;
use situ_runtime::backend::native::compiler::{CompileOptions, Passes};
use situ_runtime::backend::native::host_cpu::CpuTarget;
use situ_runtime::backend::native::jit::LoadedObject;

type KernelFunction = unsafe extern "C" fn(*const u64, *const LaunchFrame);

fn host_options() -> CompileOptions {
    CompileOptions {
        cpu: CpuTarget::host(),
        passes: Passes::Full,
    }
}

fn baseline_options() -> CompileOptions {
    CompileOptions {
        cpu: CpuTarget::baseline(),
        ..host_options()
    }
}

/// Calls a kernel over all of its arrays, the last of which is the output.
fn call(object: &LoadedObject, symbol: &str, arrays: &mut [Vec<f64>]) {
    let len = arrays[0].len() as u64;
    call_chunk(object, symbol, arrays, 0..len);
}

fn call_chunk(
    object: &LoadedObject,
    symbol: &str,
    arrays: &mut [Vec<f64>],
    chunk: std::ops::Range<u64>,
) {
    let address = object.function(symbol).unwrap();
    // SAFETY: all kernels of these tests have this type.
    let kernel: KernelFunction = unsafe { std::mem::transmute(address) };
    let args: Vec<u64> = arrays
        .iter_mut()
        .map(|array| array.as_mut_ptr().expose_provenance() as u64)
        .collect();
    let frame = LaunchFrame {
        global_size: [arrays[0].len() as u64, 1, 1],
        local_size: [1; 3],
        begin: chunk.start,
        end: chunk.end,
        scratch: std::ptr::null_mut(),
        frame: std::ptr::null_mut(),
        stack_limit: 0,
    };
    // SAFETY: the arrays are as long as the range and alive during the call.
    unsafe { kernel(args.as_ptr(), &raw const frame) };
}
