//! The functions of OpenCL that situ calls, and the constants they take.
//!
//! Types are those of the Khronos headers. The functions are looked up in the loader when it is
//! loaded; those of OpenCL 2.0 may be missing from an old one. Functions of extensions belong to a
//! driver and are asked for by platform.

use std::ffi::{CStr, c_char, c_void};

use libloading::Library;

use super::handle::{
    CommandQueueId, ContextId, DeviceId, EventId, KernelId, PlatformId, ProgramId,
};

/// A callback. situ gives none.
type Notify = Option<unsafe extern "C" fn()>;

macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($parameter:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        /// The loader's functions.
        pub(super) struct Api {
            $(pub(super) $field: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
        }

        impl Api {
            /// Looks the functions up. The library stays loaded for ever: drivers have threads.
            pub(super) fn of(library: Library) -> Result<Self, libloading::Error> {
                let api = Self {
                    // SAFETY: the types are those of the Khronos headers, and the library is never
                    // unloaded.
                    $($field: *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?,)*
                };
                std::mem::forget(library);
                Ok(api)
            }
        }
    };
}

functions! {
    get_platform_ids = "clGetPlatformIDs": fn(u32, *mut PlatformId, *mut u32) -> i32;
    get_platform_info = "clGetPlatformInfo": fn(PlatformId, u32, usize, *mut c_void, *mut usize) -> i32;
    get_device_ids = "clGetDeviceIDs": fn(PlatformId, u64, u32, *mut DeviceId, *mut u32) -> i32;
    get_device_info = "clGetDeviceInfo": fn(DeviceId, u32, usize, *mut c_void, *mut usize) -> i32;
    create_sub_devices = "clCreateSubDevices": fn(DeviceId, *const isize, u32, *mut DeviceId, *mut u32) -> i32;
    release_device = "clReleaseDevice": fn(DeviceId) -> i32;
    create_context = "clCreateContext": fn(*const isize, u32, *const DeviceId, Notify, *mut c_void, *mut i32) -> ContextId;
    release_context = "clReleaseContext": fn(ContextId) -> i32;
    create_command_queue = "clCreateCommandQueue": fn(ContextId, DeviceId, u64, *mut i32) -> CommandQueueId;
    release_command_queue = "clReleaseCommandQueue": fn(CommandQueueId) -> i32;
    create_program_with_source = "clCreateProgramWithSource": fn(ContextId, u32, *const *const c_char, *const usize, *mut i32) -> ProgramId;
    create_program_with_binary = "clCreateProgramWithBinary": fn(ContextId, u32, *const DeviceId, *const usize, *const *const u8, *mut i32, *mut i32) -> ProgramId;
    build_program = "clBuildProgram": fn(ProgramId, u32, *const DeviceId, *const c_char, Notify, *mut c_void) -> i32;
    get_program_info = "clGetProgramInfo": fn(ProgramId, u32, usize, *mut c_void, *mut usize) -> i32;
    get_program_build_info = "clGetProgramBuildInfo": fn(ProgramId, DeviceId, u32, usize, *mut c_void, *mut usize) -> i32;
    release_program = "clReleaseProgram": fn(ProgramId) -> i32;
    create_kernel = "clCreateKernel": fn(ProgramId, *const c_char, *mut i32) -> KernelId;
    set_kernel_arg = "clSetKernelArg": fn(KernelId, u32, usize, *const c_void) -> i32;
    get_kernel_work_group_info = "clGetKernelWorkGroupInfo": fn(KernelId, DeviceId, u32, usize, *mut c_void, *mut usize) -> i32;
    release_kernel = "clReleaseKernel": fn(KernelId) -> i32;
    enqueue_nd_range_kernel = "clEnqueueNDRangeKernel": fn(CommandQueueId, KernelId, u32, *const usize, *const usize, *const usize, u32, *const EventId, *mut EventId) -> i32;
    finish = "clFinish": fn(CommandQueueId) -> i32;
    get_extension_function = "clGetExtensionFunctionAddressForPlatform": fn(PlatformId, *const c_char) -> *mut c_void;
    svm_alloc = "clSVMAlloc": fn(ContextId, u64, usize, u32) -> *mut c_void;
    svm_free = "clSVMFree": fn(ContextId, *mut c_void);
    set_kernel_arg_svm_pointer = "clSetKernelArgSVMPointer": fn(KernelId, u32, *const c_void) -> i32;
    enqueue_svm_memcpy = "clEnqueueSVMMemcpy": fn(CommandQueueId, u32, *mut c_void, *const c_void, usize, u32, *const EventId, *mut EventId) -> i32;
    enqueue_svm_mem_fill = "clEnqueueSVMMemFill": fn(CommandQueueId, *mut c_void, *const c_void, usize, usize, u32, *const EventId, *mut EventId) -> i32;
}

macro_rules! extension {
    ($(#[doc = $doc:literal])+ $name:ident;
     $($field:ident = $symbol:literal: fn($($parameter:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy)]
        pub(super) struct $name {
            $(pub(super) $field: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
        }

        impl $name {
            /// Asks the driver for the functions; `None` when one is missing.
            pub(super) fn of(api: &Api, platform: PlatformId) -> Option<Self> {
                Some(Self {
                    $($field: {
                        type Function = unsafe extern "C" fn($($parameter),*) $(-> $result)?;
                        let address = api.extension_function(platform, $symbol)?;
                        // SAFETY: the type is that of the extension's specification, and the
                        // driver that gave the address is never unloaded.
                        unsafe { std::mem::transmute::<*mut c_void, Function>(address) }
                    },)*
                })
            }
        }
    };
}

extension! {
    /// The functions of `cl_intel_unified_shared_memory`.
    UsmApi;
    host_mem_alloc = c"clHostMemAllocINTEL": fn(ContextId, *const u64, usize, u32, *mut i32) -> *mut c_void;
    device_mem_alloc = c"clDeviceMemAllocINTEL": fn(ContextId, DeviceId, *const u64, usize, u32, *mut i32) -> *mut c_void;
    shared_mem_alloc = c"clSharedMemAllocINTEL": fn(ContextId, DeviceId, *const u64, usize, u32, *mut i32) -> *mut c_void;
    mem_free = c"clMemFreeINTEL": fn(ContextId, *mut c_void) -> i32;
    set_kernel_arg_mem_pointer = c"clSetKernelArgMemPointerINTEL": fn(KernelId, u32, *const c_void) -> i32;
    enqueue_memcpy = c"clEnqueueMemcpyINTEL": fn(CommandQueueId, u32, *mut c_void, *const c_void, usize, u32, *const EventId, *mut EventId) -> i32;
    enqueue_mem_fill = c"clEnqueueMemFillINTEL": fn(CommandQueueId, *mut c_void, *const c_void, usize, usize, u32, *const EventId, *mut EventId) -> i32;
}

impl Api {
    fn extension_function(&self, platform: PlatformId, symbol: &CStr) -> Option<*mut c_void> {
        // SAFETY: the platform came from the loader; the name is a C string.
        let address = unsafe { (self.get_extension_function)(platform, symbol.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}

/// What can be asked about platforms.
pub(super) mod platform {
    pub(crate) const VERSION: u32 = 0x0901;
    pub(crate) const NAME: u32 = 0x0902;
    pub(crate) const VENDOR: u32 = 0x0903;
    /// The suffix of its functions, from `cl_khr_icd`.
    pub(crate) const ICD_SUFFIX: u32 = 0x0920;
}

/// What can be asked about devices.
pub(super) mod device {
    pub(crate) const TYPE: u32 = 0x1000;
    pub(crate) const MAX_COMPUTE_UNITS: u32 = 0x1002;
    pub(crate) const MAX_WORK_GROUP_SIZE: u32 = 0x1004;
    pub(crate) const MAX_WORK_ITEM_SIZES: u32 = 0x1005;
    /// For `char`; `short`, `int`, `long`, `float` and `double` follow.
    pub(crate) const PREFERRED_VECTOR_WIDTH_CHAR: u32 = 0x1006;
    pub(crate) const MAX_CLOCK_FREQUENCY: u32 = 0x100C;
    pub(crate) const ADDRESS_BITS: u32 = 0x100D;
    pub(crate) const MAX_MEM_ALLOC_SIZE: u32 = 0x1010;
    pub(crate) const IMAGE_SUPPORT: u32 = 0x1016;
    pub(crate) const SINGLE_FP_CONFIG: u32 = 0x101B;
    pub(crate) const GLOBAL_MEM_CACHELINE_SIZE: u32 = 0x101D;
    pub(crate) const GLOBAL_MEM_CACHE_SIZE: u32 = 0x101E;
    pub(crate) const GLOBAL_MEM_SIZE: u32 = 0x101F;
    pub(crate) const LOCAL_MEM_SIZE: u32 = 0x1023;
    pub(crate) const PROFILING_TIMER_RESOLUTION: u32 = 0x1025;
    pub(crate) const ENDIAN_LITTLE: u32 = 0x1026;
    pub(crate) const AVAILABLE: u32 = 0x1027;
    pub(crate) const COMPILER_AVAILABLE: u32 = 0x1028;
    pub(crate) const NAME: u32 = 0x102B;
    pub(crate) const VENDOR: u32 = 0x102C;
    pub(crate) const DRIVER_VERSION: u32 = 0x102D;
    pub(crate) const VERSION: u32 = 0x102F;
    pub(crate) const EXTENSIONS: u32 = 0x1030;
    pub(crate) const PREFERRED_VECTOR_WIDTH_HALF: u32 = 0x1034;
    /// For `char`; the others follow, `half` as the last.
    pub(crate) const NATIVE_VECTOR_WIDTH_CHAR: u32 = 0x1036;
    pub(crate) const NATIVE_VECTOR_WIDTH_HALF: u32 = 0x103C;
    pub(crate) const LINKER_AVAILABLE: u32 = 0x103E;
    pub(crate) const PARTITION_MAX_SUB_DEVICES: u32 = 0x1043;
    pub(crate) const PARTITION_PROPERTIES: u32 = 0x1044;
    pub(crate) const PARTITION_AFFINITY_DOMAIN: u32 = 0x1045;
    pub(crate) const SVM_CAPABILITIES: u32 = 0x1053;
    pub(crate) const SUB_GROUP_SIZES_INTEL: u32 = 0x4108;
    pub(crate) const HOST_MEM_CAPABILITIES: u32 = 0x4190;
    pub(crate) const DEVICE_MEM_CAPABILITIES: u32 = 0x4191;
    pub(crate) const SHARED_MEM_CAPABILITIES: u32 = 0x4192;
    pub(crate) const SHARED_SYSTEM_MEM_CAPABILITIES: u32 = 0x4194;
}

/// What can be asked about programs.
pub(super) mod program {
    pub(crate) const DEVICES: u32 = 0x1163;
    pub(crate) const BINARY_SIZES: u32 = 0x1165;
    pub(crate) const BINARIES: u32 = 0x1166;
    pub(crate) const BUILD_LOG: u32 = 0x1183;
}

/// The largest work-group that a kernel can run in.
pub(super) const KERNEL_WORK_GROUP_SIZE: u32 = 0x11B0;
/// Local memory that a kernel uses.
pub(super) const KERNEL_LOCAL_MEM_SIZE: u32 = 0x11B2;

/// Every type of device.
pub(super) const DEVICE_TYPE_ALL: u64 = 0xFFFF_FFFF;
/// A device's type, as bits.
pub(super) const DEVICE_TYPE_CPU: u64 = 1 << 1;
/// A graphics processor.
pub(super) const DEVICE_TYPE_GPU: u64 = 1 << 2;
/// A device that runs no kernels.
pub(super) const DEVICE_TYPE_CUSTOM: u64 = 1 << 4;

/// `float` division and square root can be rounded correctly.
pub(super) const FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: u64 = 1 << 7;

/// Shared virtual memory that the host reaches only when it is mapped.
pub(super) const SVM_COARSE_GRAIN_BUFFER: u64 = 1;
/// Shared virtual memory that host and device use at the same time.
pub(super) const SVM_FINE_GRAIN_BUFFER: u64 = 1 << 1;
/// Kernels can use any memory of the process.
pub(super) const SVM_FINE_GRAIN_SYSTEM: u64 = 1 << 2;
/// Host and device may use atomics at the same time.
pub(super) const SVM_ATOMICS: u64 = 1 << 3;

/// Memory of a USM kind can be had.
pub(super) const USM_ACCESS: u64 = 1;
/// Host and device may use atomics on it at the same time.
pub(super) const USM_CONCURRENT_ATOMIC_ACCESS: u64 = 1 << 3;

/// Memory that kernels read and write.
pub(super) const MEM_READ_WRITE: u64 = 1;
/// Asks for [`SVM_FINE_GRAIN_BUFFER`].
pub(super) const MEM_SVM_FINE_GRAIN_BUFFER: u64 = 1 << 10;
/// Asks for [`SVM_ATOMICS`].
pub(super) const MEM_SVM_ATOMICS: u64 = 1 << 11;

/// Sub-devices of the same number of compute units.
pub(super) const PARTITION_EQUALLY: isize = 0x1086;
/// Sub-devices of given numbers of compute units.
pub(super) const PARTITION_BY_COUNTS: isize = 0x1087;
/// Sub-devices of compute units that share something.
pub(super) const PARTITION_BY_AFFINITY_DOMAIN: isize = 0x1088;
