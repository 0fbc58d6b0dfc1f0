//! What does situ add to a driver's own cost of a launch? For each OpenCL device: launch and wait of an
//! empty kernel through a queue of situ's, and by bare calls of OpenCL in the same process.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::ffi::{c_char, c_void};
use std::ptr;
use std::time::Instant;

use libloading::{Library, Symbol};
use situ_ir::{FunctionBuilder, Module, NdRange, validate};
use situ_runtime::{BackendKind, Device, Platform, Program, Queue};

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
    let start = Instant::now();
    let devices = Device::all();
    println!(
        "finding all drivers: {:.1} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    for device in devices.iter() {
        if device.backend() == BackendKind::OpenCl {
            let bare = bare_us(device.platform());
            let ours = situ_us(device);
            println!(
                "{} ({}): bare {bare:.2} us, situ {ours:.2} us, difference {:.2} us",
                device.filter_string(),
                device.platform().name(),
                ours - bare
            );
        }
    }
}

fn situ_us(device: &Device) -> f64 {
    let mut module = Module::new("bench");
    FunctionBuilder::kernel("nothing", 1).finish(&mut module);
    let module = validate(module).expect("the module is valid");
    let start = Instant::now();
    let program = Program::compile(device, &module).expect("it compiles");
    println!(
        "  program built or found on disk: {:.2} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    let kernel = program.kernel("nothing").expect("it has this kernel");
    let queue = Queue::new(device);
    let range = NdRange::new(&[1]).expect("it can be counted");
    median_us(|| {
        let event = queue.launch(&kernel, &range, &[]).expect("it runs");
        event.wait().expect("it ran");
    })
}

type Handle = *mut c_void;

/// The same by calls of OpenCL, for the first device of the platform with this name.
fn bare_us(platform: Platform) -> f64 {
    // SAFETY: the types are those of the Khronos headers, and every call gets what it asks for.
    unsafe {
        let library = Library::new("libOpenCL.so.1").expect("situ has found it");
        let get_platforms: Symbol<'_, unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32> =
            library.get(b"clGetPlatformIDs\0").expect("it is there");
        let get_info: Symbol<
            '_,
            unsafe extern "C" fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32,
        > = library.get(b"clGetPlatformInfo\0").expect("it is there");
        let get_devices: Symbol<
            '_,
            unsafe extern "C" fn(Handle, u64, u32, *mut Handle, *mut u32) -> i32,
        > = library.get(b"clGetDeviceIDs\0").expect("it is there");
        let create_context: Symbol<
            '_,
            unsafe extern "C" fn(
                *const isize,
                u32,
                *const Handle,
                Handle,
                Handle,
                *mut i32,
            ) -> Handle,
        > = library.get(b"clCreateContext\0").expect("it is there");
        let create_queue: Symbol<
            '_,
            unsafe extern "C" fn(Handle, Handle, u64, *mut i32) -> Handle,
        > = library.get(b"clCreateCommandQueue\0").expect("it is there");
        let create_program: Symbol<
            '_,
            unsafe extern "C" fn(
                Handle,
                u32,
                *const *const c_char,
                *const usize,
                *mut i32,
            ) -> Handle,
        > = library
            .get(b"clCreateProgramWithSource\0")
            .expect("it is there");
        let build: Symbol<
            '_,
            unsafe extern "C" fn(Handle, u32, *const Handle, *const c_char, Handle, Handle) -> i32,
        > = library.get(b"clBuildProgram\0").expect("it is there");
        let create_kernel: Symbol<
            '_,
            unsafe extern "C" fn(Handle, *const c_char, *mut i32) -> Handle,
        > = library.get(b"clCreateKernel\0").expect("it is there");
        let enqueue: Symbol<
            '_,
            unsafe extern "C" fn(
                Handle,
                Handle,
                u32,
                *const usize,
                *const usize,
                *const usize,
                u32,
                *const Handle,
                *mut Handle,
            ) -> i32,
        > = library
            .get(b"clEnqueueNDRangeKernel\0")
            .expect("it is there");
        let finish: Symbol<'_, unsafe extern "C" fn(Handle) -> i32> =
            library.get(b"clFinish\0").expect("it is there");

        let mut ids = [ptr::null_mut(); 16];
        let mut count = 0;
        assert_eq!(get_platforms(16, ids.as_mut_ptr(), &raw mut count), 0);
        let name_of = |id: Handle| {
            let (mut bytes, mut len) = ([0_u8; 256], 0);
            assert_eq!(
                get_info(id, 0x0902, 256, bytes.as_mut_ptr().cast(), &raw mut len),
                0
            );
            String::from_utf8_lossy(&bytes[..len - 1]).trim().to_owned()
        };
        let id = ids[..count as usize]
            .iter()
            .find(|id| name_of(**id) == platform.name())
            .expect("situ has found it");
        let (mut device, mut status) = (ptr::null_mut(), 0);
        assert_eq!(
            get_devices(*id, 0xFFFF_FFFF, 1, &raw mut device, ptr::null_mut()),
            0
        );
        let null = ptr::null_mut();
        let context = create_context(
            ptr::null(),
            1,
            &raw const device,
            null,
            null,
            &raw mut status,
        );
        let queue = create_queue(context, device, 0, &raw mut status);
        let text = c"__kernel void nothing(void) {}".as_ptr();
        let program = create_program(context, 1, &raw const text, ptr::null(), &raw mut status);
        assert_eq!(
            build(program, 1, &raw const device, ptr::null(), null, null),
            0
        );
        let kernel = create_kernel(program, c"nothing".as_ptr(), &raw mut status);
        assert_eq!(status, 0);
        let one = 1;
        median_us(|| {
            let (none, events) = (ptr::null(), ptr::null_mut());
            enqueue(
                queue,
                kernel,
                1,
                none,
                &raw const one,
                none,
                0,
                ptr::null(),
                events,
            );
            finish(queue);
        })
    }
}
