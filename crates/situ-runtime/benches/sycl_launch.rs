//! What does situ add to dpctl's own cost of a launch? For each SYCL device: launch and wait of an empty
//! kernel through a queue of situ's, through one that is shared with dpctl, and by bare calls of dpctl's
//! C library in the same process. `SITU_SYCL_LIBRARY` says where that is.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::time::Instant;

use libloading::{Library, Symbol};
use situ_ir::{FunctionBuilder, Module, NdRange, validate};
use situ_runtime::backend::sycl::{self, sharing};
use situ_runtime::{BackendKind, Device, Program, Queue};

const ROUNDS: usize = 20_000;

/// The middle of many rounds, in microseconds.
fn median_us(mut action: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            action();
            start.elapsed().as_nanos() as f64 * 1e-3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn main() {
    for device in Device::all().iter() {
        if device.backend() == BackendKind::Sycl {
            let shared = Queue::new(device);
            let address = sharing::export_queue(&shared).expect("it is a queue of SYCL's");
            let bare = bare_us(address.as_ptr());
            let ours = situ_us(&Queue::new(device));
            let company = situ_us(&shared);
            println!(
                "{}: bare {bare:.2} us, situ {ours:.2} us, in a shared queue {company:.2} us",
                device.filter_string(),
            );
        }
    }
    if let Err(problem) = &sycl::report().library {
        println!("{problem}");
    }
}

fn situ_us(queue: &Queue) -> f64 {
    let mut module = Module::new("bench");
    FunctionBuilder::kernel("nothing", 1).finish(&mut module);
    let module = validate(module).expect("the module is valid");
    let start = Instant::now();
    let program = Program::compile(queue.device(), &module).expect("it compiles");
    println!(
        "  program built or found: {:.2} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    let kernel = program.kernel("nothing").expect("it has this kernel");
    let range = NdRange::new(&[1]).expect("it can be counted");
    median_us(|| {
        let event = queue.launch(&kernel, &range, &[]).expect("it runs");
        event.wait().expect("it ran");
    })
}

type Handle = *mut c_void;
type Submit = unsafe extern "C" fn(
    Handle,
    Handle,
    *const Handle,
    *const c_int,
    usize,
    *const usize,
    usize,
    *const Handle,
    usize,
) -> Handle;
type Build = unsafe extern "C" fn(Handle, Handle, *const c_char, *const c_char) -> Handle;
/// Gives an object of another.
type OfOne = unsafe extern "C" fn(Handle) -> Handle;

/// The same by calls of dpctl's library, in a `sycl::queue`.
fn bare_us(queue: Handle) -> f64 {
    let report = sycl::report().library.as_ref().expect("it has devices");
    // SAFETY: the types are those of the library's headers, and every call gets what it asks for.
    unsafe {
        let library = Library::new(&report.file).expect("situ has loaded it");
        let get_context: Symbol<'_, OfOne> =
            library.get(b"DPCTLQueue_GetContext\0").expect("it is");
        let get_device: Symbol<'_, OfOne> = library.get(b"DPCTLQueue_GetDevice\0").expect("it is");
        let build: Symbol<'_, Build> = library
            .get(b"DPCTLKernelBundle_CreateFromOCLSource\0")
            .expect("it is there");
        let get_kernel: Symbol<'_, unsafe extern "C" fn(Handle, *const c_char) -> Handle> = library
            .get(b"DPCTLKernelBundle_GetKernel\0")
            .expect("it is there");
        let submit: Symbol<'_, Submit> = library
            .get(b"DPCTLQueue_SubmitRange\0")
            .expect("it is there");
        let wait: Symbol<'_, unsafe extern "C" fn(Handle)> =
            library.get(b"DPCTLQueue_Wait\0").expect("it is there");
        let delete_event: Symbol<'_, unsafe extern "C" fn(Handle)> =
            library.get(b"DPCTLEvent_Delete\0").expect("it is there");
        let text = c"kernel void nothing(void) {}";
        let bundle = build(
            get_context(queue),
            get_device(queue),
            text.as_ptr(),
            c"".as_ptr(),
        );
        let kernel = get_kernel(bundle, c"nothing".as_ptr());
        assert!(!kernel.is_null(), "the program was built");
        let size = 1_usize;
        median_us(|| {
            let event = submit(
                kernel,
                queue,
                ptr::null(),
                ptr::null(),
                0,
                &raw const size,
                1,
                ptr::null(),
                0,
            );
            wait(queue);
            delete_event(event);
        })
    }
}
