//! As much of an OpenCL driver as the tests need: build a program, launch a kernel on bytes.
//!
//! Only the tests use this. It has no queues to choose, no events and no memory to keep: each launch
//! copies its buffers to the device and back. Memory is shared virtual memory, because kernels get
//! pointers into the middle of buffers. The functions are looked up in the loader at run time, so that
//! the tests compile without it.

use std::ffi::{CStr, CString, c_void};
use std::fmt;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::api::{self, Api};

/// What to do when there is no driver.
const INSTALL: &str = "apt-get install --no-install-recommends ocl-icd-libopencl1 pocl-opencl-icd";

/// A failed call.
#[derive(Debug)]
pub(crate) struct DriverError {
    /// The function that failed.
    call: &'static str,
    /// OpenCL's number for the reason.
    status: i32,
    /// What the compiler said, if it was asked.
    log: String,
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, status, log } = self;
        write!(f, "{call} failed with status {status}\n{log}")
    }
}

impl std::error::Error for DriverError {}

pub(crate) fn check(call: &'static str, status: i32) -> Result<(), DriverError> {
    if status == 0 {
        return Ok(());
    }
    let log = String::new();
    Err(DriverError { call, status, log })
}

/// What a kernel is given.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// The bytes of a number.
    Scalar(Vec<u8>),
    /// A place in one of the launch's buffers.
    Pointer { buffer: usize, offset_bytes: usize },
    /// So many bytes of local memory.
    Local(usize),
}

/// The sizes of a launch in OpenCL's order, fastest dimension first.
#[derive(Clone, Debug)]
pub(crate) struct Sizes {
    pub(crate) global: Vec<usize>,
    pub(crate) local: Option<Vec<usize>>,
}

/// A device, with a context and a queue.
pub(crate) struct Device {
    api: Api,
    id: *mut c_void,
    context: *mut c_void,
    queue: *mut c_void,
}

impl Device {
    /// PoCL's CPU device; none where it is not installed and nobody expects it.
    ///
    /// # Panics
    /// If PoCL is expected and not there: a test that did not run did not pass.
    #[expect(
        clippy::disallowed_methods,
        reason = "the variable is for tests, not for situ"
    )]
    pub(crate) fn pocl() -> Option<Self> {
        // PoCL 3.1 finds no device if two threads ask at the same time for the first time.
        static ASKING: Mutex<()> = Mutex::new(());
        let _asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
        let why = match Self::find("Portable Computing Language") {
            Ok(device) => return Some(device),
            Err(why) => why,
        };
        let expected = std::env::var("EXPECTED_DRIVERS").unwrap_or_default();
        assert!(
            !expected.contains("opencl/pocl"),
            "the OpenCL C tests need PoCL ({why}); install it with\n    {INSTALL}"
        );
        eprintln!("not tested without PoCL ({why}); install it with\n    {INSTALL}");
        None
    }

    /// The first device of the platform with a name.
    fn find(platform_name: &str) -> Result<Self, String> {
        let api = Api::load().map_err(|error| format!("no OpenCL loader: {error}"))?;
        let platforms = api.platforms().map_err(|error| error.to_string())?;
        let platform = platforms
            .into_iter()
            .find(|&platform| {
                api.platform_name(platform)
                    .is_ok_and(|name| name == platform_name)
            })
            .ok_or_else(|| format!("the loader has no platform `{platform_name}`"))?;
        Self::open(api, platform).map_err(|error| error.to_string())
    }

    fn open(api: Api, platform: *mut c_void) -> Result<Self, DriverError> {
        let (mut id, mut status) = (ptr::null_mut(), 0);
        let all = api::DEVICE_TYPE_ALL;
        // SAFETY: there is room for the one device that is asked for.
        check("clGetDeviceIDs", unsafe {
            (api.get_device_ids)(platform, all, 1, &raw mut id, ptr::null_mut())
        })?;
        let (none, nothing) = (ptr::null(), ptr::null_mut());
        // SAFETY: `id` is one device; there are no properties and no callback.
        let context =
            unsafe { (api.create_context)(none, 1, &raw const id, None, nothing, &raw mut status) };
        check("clCreateContext", status)?;
        // SAFETY: the device belongs to the context.
        let queue = unsafe { (api.create_command_queue)(context, id, 0, &raw mut status) };
        check("clCreateCommandQueue", status)?;
        Ok(Self {
            api,
            id,
            context,
            queue,
        })
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// If it does not compile; the error has the compiler's log.
    pub(crate) fn build(&self, text: &str, options: &str) -> Result<Program<'_>, DriverError> {
        let api = &self.api;
        let source = CString::new(text).expect("emitted text has no zero bytes");
        let options = CString::new(options).expect("options have no zero bytes");
        let (pointer, mut status) = (source.as_ptr(), 0);
        let whole = ptr::null();
        // SAFETY: one string, ended by a zero byte, which the driver copies.
        let id = unsafe {
            (api.create_program_with_source)(
                self.context,
                1,
                &raw const pointer,
                whole,
                &raw mut status,
            )
        };
        check("clCreateProgramWithSource", status)?;
        let program = Program { device: self, id };
        let (devices, nothing) = (&raw const self.id, ptr::null_mut());
        // SAFETY: the device belongs to the program's context; without callback the call waits.
        let status =
            unsafe { (api.build_program)(id, 1, devices, options.as_ptr(), None, nothing) };
        check("clBuildProgram", status).map_err(|error| DriverError {
            log: api.build_log(id, self.id),
            ..error
        })?;
        Ok(program)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: both were created by `open` and nothing else has them: programs borrow the device.
        unsafe {
            (self.api.release_command_queue)(self.queue);
            (self.api.release_context)(self.context);
        }
    }
}

/// A compiled program.
pub(crate) struct Program<'a> {
    device: &'a Device,
    id: *mut c_void,
}

impl Program<'_> {
    /// Runs a kernel and waits for it; the buffers then have what it left in them.
    ///
    /// # Errors
    /// If a call fails.
    pub(crate) fn launch(
        &self,
        kernel: &str,
        arguments: &[Argument],
        buffers: &mut [Vec<u8>],
        sizes: &Sizes,
    ) -> Result<(), DriverError> {
        let api = &self.device.api;
        let name = CString::new(kernel).expect("symbols have no zero bytes");
        let mut status = 0;
        // SAFETY: the program was built; the name is a C string.
        let id = unsafe { (api.create_kernel)(self.id, name.as_ptr(), &raw mut status) };
        check("clCreateKernel", status)?;
        let kernel = Kernel { api, id };
        let memory: Vec<_> = buffers
            .iter()
            .map(|bytes| SharedMemory::new(self.device, bytes))
            .collect::<Result<_, _>>()?;
        for (position, argument) in arguments.iter().enumerate() {
            kernel.set(position as u32, argument, &memory)?;
        }
        let local = sizes.local.as_ref().map_or(ptr::null(), Vec::as_ptr);
        // SAFETY: all arguments are set; the sizes have as many entries as dimensions are named.
        check("clEnqueueNDRangeKernel", unsafe {
            (api.enqueue_nd_range_kernel)(
                self.device.queue,
                kernel.id,
                sizes.global.len() as u32,
                ptr::null(),
                sizes.global.as_ptr(),
                local,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })?;
        // SAFETY: the queue is alive.
        check("clFinish", unsafe { (api.finish)(self.device.queue) })?;
        for (bytes, memory) in buffers.iter_mut().zip(&memory) {
            memory.read(bytes)?;
        }
        Ok(())
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the program was created by `build`; kernels do not outlive `launch`.
        unsafe { (self.device.api.release_program)(self.id) };
    }
}

struct Kernel<'a> {
    api: &'a Api,
    id: *mut c_void,
}

impl Kernel<'_> {
    fn set(
        &self,
        position: u32,
        argument: &Argument,
        memory: &[SharedMemory],
    ) -> Result<(), DriverError> {
        let api = self.api;
        match argument {
            Argument::Scalar(bytes) => {
                let value = bytes.as_ptr().cast();
                // SAFETY: `value` points at as many bytes as are named, which the driver copies.
                let status = unsafe { (api.set_kernel_arg)(self.id, position, bytes.len(), value) };
                check("clSetKernelArg", status)
            }
            Argument::Local(size) => {
                // SAFETY: a null pointer with a size asks for local memory.
                let status = unsafe { (api.set_kernel_arg)(self.id, position, *size, ptr::null()) };
                check("clSetKernelArg", status)
            }
            Argument::Pointer {
                buffer,
                offset_bytes,
            } => {
                let place = memory[*buffer].start.wrapping_byte_add(*offset_bytes);
                // SAFETY: the place is in shared memory that outlives the launch.
                let status = unsafe { (api.set_kernel_arg_svm_pointer)(self.id, position, place) };
                check("clSetKernelArgSVMPointer", status)
            }
        }
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: the kernel was created by `launch`, which owns this.
        unsafe { (self.api.release_kernel)(self.id) };
    }
}

/// Memory that host and device share.
struct SharedMemory<'a> {
    device: &'a Device,
    start: *mut c_void,
}

impl<'a> SharedMemory<'a> {
    /// A copy of some bytes.
    fn new(device: &'a Device, bytes: &[u8]) -> Result<Self, DriverError> {
        // No memory at all cannot be had, but a kernel may have an empty array.
        let size = bytes.len().max(1);
        // SAFETY: the context is alive; 0 asks for the default alignment.
        let start = unsafe { (device.api.svm_alloc)(device.context, api::MEM_READ_WRITE, size, 0) };
        // OpenCL's number for memory that cannot be had.
        check("clSVMAlloc", if start.is_null() { -4 } else { 0 })?;
        let memory = Self { device, start };
        memory.copy(start, bytes.as_ptr().cast(), bytes.len())?;
        Ok(memory)
    }

    fn read(&self, bytes: &mut [u8]) -> Result<(), DriverError> {
        self.copy(bytes.as_mut_ptr().cast(), self.start, bytes.len())
    }

    fn copy(&self, to: *mut c_void, from: *const c_void, size: usize) -> Result<(), DriverError> {
        if size == 0 {
            return Ok(());
        }
        let (queue, events) = (self.device.queue, ptr::null());
        // SAFETY: one side is `size` bytes of a slice, the other the start of this memory, which has
        // as many; the call waits for the copy.
        check("clEnqueueSVMMemcpy", unsafe {
            (self.device.api.enqueue_svm_memcpy)(
                queue,
                1,
                to,
                from,
                size,
                0,
                events,
                ptr::null_mut(),
            )
        })
    }
}

impl Drop for SharedMemory<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory was had from this context, and every launch that used it has ended.
        unsafe { (self.device.api.svm_free)(self.device.context, self.start) };
    }
}

/// Text from a buffer that the driver ended with a zero byte.
pub(crate) fn text(bytes: &[u8]) -> String {
    CStr::from_bytes_until_nul(bytes)
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}
