//! The functions of the OpenCL loader that [`super::driver`] calls.

use std::ffi::{c_char, c_void};
use std::ptr;

use libloading::Library;

use super::driver::{DriverError, check, text};

type Handle = *mut c_void;
type Notify = Option<unsafe extern "C" fn()>;

pub(crate) const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
pub(crate) const MEM_READ_WRITE: u64 = 1;
const PLATFORM_NAME: u32 = 0x0902;
const PROGRAM_BUILD_LOG: u32 = 0x1183;

macro_rules! api {
    ($($field:ident: $symbol:literal => fn($($parameter:ty),*) -> $result:ty;)*) => {
        /// The functions, and the library they are in.
        pub(crate) struct Api {
            $(pub(crate) $field: unsafe extern "C" fn($($parameter),*) -> $result,)*
            _library: Library,
        }

        impl Api {
            /// Loads the loader.
            pub(crate) fn load() -> Result<Self, libloading::Error> {
                // SAFETY: the OpenCL loader's initialisers only set up its own state.
                let library = unsafe { Library::new("libOpenCL.so.1") }?;
                Ok(Self {
                    // SAFETY: the types are those of the OpenCL 2.0 header; the library is kept.
                    $($field: *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?,)*
                    _library: library,
                })
            }
        }
    };
}

api! {
    get_platform_ids: "clGetPlatformIDs" => fn(u32, *mut Handle, *mut u32) -> i32;
    get_platform_info: "clGetPlatformInfo" => fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_device_ids: "clGetDeviceIDs" => fn(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    create_context: "clCreateContext" => fn(*const isize, u32, *const Handle, Notify, *mut c_void, *mut i32) -> Handle;
    create_command_queue: "clCreateCommandQueue" => fn(Handle, Handle, u64, *mut i32) -> Handle;
    create_program_with_source: "clCreateProgramWithSource" => fn(Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    build_program: "clBuildProgram" => fn(Handle, u32, *const Handle, *const c_char, Notify, *mut c_void) -> i32;
    get_program_build_info: "clGetProgramBuildInfo" => fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    create_kernel: "clCreateKernel" => fn(Handle, *const c_char, *mut i32) -> Handle;
    set_kernel_arg: "clSetKernelArg" => fn(Handle, u32, usize, *const c_void) -> i32;
    set_kernel_arg_svm_pointer: "clSetKernelArgSVMPointer" => fn(Handle, u32, *const c_void) -> i32;
    svm_alloc: "clSVMAlloc" => fn(Handle, u64, usize, u32) -> *mut c_void;
    svm_free: "clSVMFree" => fn(Handle, *mut c_void) -> ();
    enqueue_svm_memcpy: "clEnqueueSVMMemcpy" => fn(Handle, u32, *mut c_void, *const c_void, usize, u32, *const Handle, *mut Handle) -> i32;
    enqueue_nd_range_kernel: "clEnqueueNDRangeKernel" => fn(Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> i32;
    finish: "clFinish" => fn(Handle) -> i32;
    release_kernel: "clReleaseKernel" => fn(Handle) -> i32;
    release_program: "clReleaseProgram" => fn(Handle) -> i32;
    release_command_queue: "clReleaseCommandQueue" => fn(Handle) -> i32;
    release_context: "clReleaseContext" => fn(Handle) -> i32;
}

/// Something that writes at most so many bytes to a place, and tells how many it has.
type Query<'a> = &'a dyn Fn(usize, *mut c_void, *mut usize) -> i32;

impl Api {
    pub(crate) fn platforms(&self) -> Result<Vec<Handle>, DriverError> {
        let mut count = 0;
        // SAFETY: only the number is asked for.
        check("clGetPlatformIDs", unsafe {
            (self.get_platform_ids)(0, ptr::null_mut(), &raw mut count)
        })?;
        let mut platforms = vec![ptr::null_mut(); count as usize];
        // SAFETY: there is room for as many as are asked for.
        check("clGetPlatformIDs", unsafe {
            (self.get_platform_ids)(count, platforms.as_mut_ptr(), ptr::null_mut())
        })?;
        Ok(platforms)
    }

    pub(crate) fn platform_name(&self, platform: Handle) -> Result<String, DriverError> {
        query("clGetPlatformInfo", &|size, place, needed| {
            // SAFETY: `query` gives a place of `size` bytes.
            unsafe { (self.get_platform_info)(platform, PLATFORM_NAME, size, place, needed) }
        })
    }

    /// What the compiler said; nothing if it does not tell.
    pub(crate) fn build_log(&self, program: Handle, device: Handle) -> String {
        query("clGetProgramBuildInfo", &|size, place, needed| {
            let what = PROGRAM_BUILD_LOG;
            // SAFETY: `query` gives a place of `size` bytes.
            unsafe { (self.get_program_build_info)(program, device, what, size, place, needed) }
        })
        .unwrap_or_default()
    }
}

/// Asks for the length of a text, then for the text.
fn query(call: &'static str, ask: Query) -> Result<String, DriverError> {
    let mut size = 0;
    check(call, ask(0, ptr::null_mut(), &raw mut size))?;
    let mut bytes = vec![0; size];
    check(call, ask(size, bytes.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(text(&bytes))
}
