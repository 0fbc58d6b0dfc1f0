//! The functions of dpctl's C library that situ calls, and the constants they take.
//!
//! Types are those of the library's headers. Each function here is a method that goes through the
//! [guard](super::guard), so none can be called without it. Exceptions that the library catches itself
//! end as a null handle; what they said is lost, unless `DPCTL_VERBOSITY` has it printed.

use std::ffi::{c_char, c_int, c_void};
use std::fmt;

use libloading::Library;

use super::guard::guarded;
use super::handle::{
    BundleRef, ContextRef, DeviceRef, DeviceVectorRef, EventRef, Handle, KernelRef, Owned,
    PlatformRef, QueueRef,
};
use super::library::SyclLibrary;

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCall {
    /// The function.
    pub call: &'static str,
    /// What the SYCL runtime said, if it came through.
    pub message: Option<String>,
}

impl fmt::Display for FailedCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            Some(message) => write!(formatter, "{} failed: {message}", self.call),
            None => write!(formatter, "{} failed", self.call),
        }
    }
}

/// What is called for failures of asynchronous work.
pub(super) type ErrorHandler = unsafe extern "C" fn(c_int);

/// Asynchronous failures are told by the wait as well.
pub(super) unsafe extern "C" fn ignore_failure(_code: c_int) {}

macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($parameter:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        /// The library's functions.
        pub(super) struct Api {
            $($field: unsafe extern "C-unwind" fn($($type),*) $(-> $result)?,)*
        }

        impl Api {
            /// Looks the functions up. The library stays loaded for ever: drivers have threads.
            pub(super) fn of(library: Library) -> Result<Self, libloading::Error> {
                let api = Self {
                    // SAFETY: the types are those of the library's headers, and it is never
                    // unloaded.
                    $($field: *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?,)*
                };
                std::mem::forget(library);
                Ok(api)
            }

            $(
                /// Calls
                #[doc = concat!("`", $symbol, "`.")]
                ///
                /// # Safety
                /// What the library's header asks for.
                #[allow(
                    clippy::too_many_arguments,
                    reason = "the library's functions have as many as they have"
                )]
                pub(super) unsafe fn $field(&self, $($parameter: $type),*)
                    -> Result<functions!(@result $($result)?), FailedCall>
                {
                    let function = self.$field;
                    // SAFETY: the caller promises what the header asks for.
                    guarded(|| unsafe { function($($parameter),*) }).map_err(|message| FailedCall {
                        call: $symbol,
                        message: Some(message),
                    })
                }
            )*
        }
    };
    (@result) => { () };
    (@result $result:ty) => { $result };
}

functions! {
    get_devices = "DPCTLDeviceMgr_GetDevices": fn(which: c_int) -> DeviceVectorRef;
    cached_context = "DPCTLDeviceMgr_GetCachedContext": fn(device: DeviceRef) -> ContextRef;
    dpcpp_version = "DPCTLService_GetDPCPPVersion": fn() -> *const c_char;
    string_delete = "DPCTLCString_Delete": fn(text: *const c_char);
    sizes_delete = "DPCTLSize_t_Array_Delete": fn(sizes: *mut usize);
    device_vector_delete = "DPCTLDeviceVector_Delete": fn(vector: DeviceVectorRef);
    device_vector_size = "DPCTLDeviceVector_Size": fn(vector: DeviceVectorRef) -> usize;
    device_vector_at = "DPCTLDeviceVector_GetAt": fn(vector: DeviceVectorRef, index: usize) -> DeviceRef;
    device_vector_of = "DPCTLDeviceVector_CreateFromArray": fn(count: usize, devices: *const DeviceRef) -> DeviceVectorRef;
    platform_delete = "DPCTLPlatform_Delete": fn(platform: PlatformRef);
    platform_name = "DPCTLPlatform_GetName": fn(platform: PlatformRef) -> *const c_char;
    platform_vendor = "DPCTLPlatform_GetVendor": fn(platform: PlatformRef) -> *const c_char;
    platform_version = "DPCTLPlatform_GetVersion": fn(platform: PlatformRef) -> *const c_char;
    device_delete = "DPCTLDevice_Delete": fn(device: DeviceRef);
    device_are_equal = "DPCTLDevice_AreEq": fn(left: DeviceRef, right: DeviceRef) -> bool;
    device_parent = "DPCTLDevice_GetParentDevice": fn(device: DeviceRef) -> DeviceRef;
    device_backend = "DPCTLDevice_GetBackend": fn(device: DeviceRef) -> c_int;
    device_type = "DPCTLDevice_GetDeviceType": fn(device: DeviceRef) -> c_int;
    device_platform = "DPCTLDevice_GetPlatform": fn(device: DeviceRef) -> PlatformRef;
    device_name = "DPCTLDevice_GetName": fn(device: DeviceRef) -> *const c_char;
    device_vendor = "DPCTLDevice_GetVendor": fn(device: DeviceRef) -> *const c_char;
    device_driver_version = "DPCTLDevice_GetDriverVersion": fn(device: DeviceRef) -> *const c_char;
    device_has_aspect = "DPCTLDevice_HasAspect": fn(device: DeviceRef, aspect: c_int) -> bool;
    device_compute_units = "DPCTLDevice_GetMaxComputeUnits": fn(device: DeviceRef) -> u32;
    device_clock_mhz = "DPCTLDevice_GetMaxClockFrequency": fn(device: DeviceRef) -> u32;
    device_memory_bytes = "DPCTLDevice_GetGlobalMemSize": fn(device: DeviceRef) -> u64;
    device_max_allocation_bytes = "DPCTLDevice_GetMaxMemAllocSize": fn(device: DeviceRef) -> u64;
    device_cache_bytes = "DPCTLDevice_GetGlobalMemCacheSize": fn(device: DeviceRef) -> u64;
    device_cache_line_bytes = "DPCTLDevice_GetGlobalMemCacheLineSize": fn(device: DeviceRef) -> u32;
    device_local_bytes = "DPCTLDevice_GetLocalMemSize": fn(device: DeviceRef) -> u64;
    device_max_work_group_size = "DPCTLDevice_GetMaxWorkGroupSize": fn(device: DeviceRef) -> usize;
    device_max_work_item_sizes = "DPCTLDevice_GetMaxWorkItemSizes3d": fn(device: DeviceRef) -> *mut usize;
    device_timer_resolution_ns = "DPCTLDevice_GetProfilingTimerResolution": fn(device: DeviceRef) -> usize;
    device_sub_group_sizes = "DPCTLDevice_GetSubGroupSizes": fn(device: DeviceRef, len: *mut usize) -> *mut usize;
    device_native_char = "DPCTLDevice_GetNativeVectorWidthChar": fn(device: DeviceRef) -> u32;
    device_native_short = "DPCTLDevice_GetNativeVectorWidthShort": fn(device: DeviceRef) -> u32;
    device_native_int = "DPCTLDevice_GetNativeVectorWidthInt": fn(device: DeviceRef) -> u32;
    device_native_long = "DPCTLDevice_GetNativeVectorWidthLong": fn(device: DeviceRef) -> u32;
    device_native_half = "DPCTLDevice_GetNativeVectorWidthHalf": fn(device: DeviceRef) -> u32;
    device_native_float = "DPCTLDevice_GetNativeVectorWidthFloat": fn(device: DeviceRef) -> u32;
    device_native_double = "DPCTLDevice_GetNativeVectorWidthDouble": fn(device: DeviceRef) -> u32;
    device_preferred_char = "DPCTLDevice_GetPreferredVectorWidthChar": fn(device: DeviceRef) -> u32;
    device_preferred_short = "DPCTLDevice_GetPreferredVectorWidthShort": fn(device: DeviceRef) -> u32;
    device_preferred_int = "DPCTLDevice_GetPreferredVectorWidthInt": fn(device: DeviceRef) -> u32;
    device_preferred_long = "DPCTLDevice_GetPreferredVectorWidthLong": fn(device: DeviceRef) -> u32;
    device_preferred_half = "DPCTLDevice_GetPreferredVectorWidthHalf": fn(device: DeviceRef) -> u32;
    device_preferred_float = "DPCTLDevice_GetPreferredVectorWidthFloat": fn(device: DeviceRef) -> u32;
    device_preferred_double = "DPCTLDevice_GetPreferredVectorWidthDouble": fn(device: DeviceRef) -> u32;
    device_max_sub_devices = "DPCTLDevice_GetPartitionMaxSubDevices": fn(device: DeviceRef) -> u32;
    device_parts_equally = "DPCTLDevice_CreateSubDevicesEqually": fn(device: DeviceRef, units: usize) -> DeviceVectorRef;
    device_parts_by_counts = "DPCTLDevice_CreateSubDevicesByCounts": fn(device: DeviceRef, counts: *const usize, len: usize) -> DeviceVectorRef;
    device_parts_by_affinity = "DPCTLDevice_CreateSubDevicesByAffinity": fn(device: DeviceRef, domain: c_int) -> DeviceVectorRef;
    context_of_devices = "DPCTLContext_CreateFromDevices": fn(devices: DeviceVectorRef, handler: ErrorHandler, properties: c_int) -> ContextRef;
    context_are_equal = "DPCTLContext_AreEq": fn(left: ContextRef, right: ContextRef) -> bool;
    context_copy = "DPCTLContext_Copy": fn(context: ContextRef) -> ContextRef;
    context_devices = "DPCTLContext_GetDevices": fn(context: ContextRef) -> DeviceVectorRef;
    context_delete = "DPCTLContext_Delete": fn(context: ContextRef);
    queue_create = "DPCTLQueue_Create": fn(context: ContextRef, device: DeviceRef, handler: ErrorHandler, properties: c_int) -> QueueRef;
    queue_copy = "DPCTLQueue_Copy": fn(queue: QueueRef) -> QueueRef;
    queue_are_equal = "DPCTLQueue_AreEq": fn(left: QueueRef, right: QueueRef) -> bool;
    queue_context = "DPCTLQueue_GetContext": fn(queue: QueueRef) -> ContextRef;
    queue_device = "DPCTLQueue_GetDevice": fn(queue: QueueRef) -> DeviceRef;
    queue_is_in_order = "DPCTLQueue_IsInOrder": fn(queue: QueueRef) -> bool;
    queue_has_profiling = "DPCTLQueue_HasEnableProfiling": fn(queue: QueueRef) -> bool;
    queue_delete = "DPCTLQueue_Delete": fn(queue: QueueRef);
    queue_wait = "DPCTLQueue_Wait": fn(queue: QueueRef);
    queue_memcpy = "DPCTLQueue_Memcpy": fn(queue: QueueRef, to: *mut c_void, from: *const c_void, size_bytes: usize) -> EventRef;
    queue_memset = "DPCTLQueue_Memset": fn(queue: QueueRef, to: *mut c_void, value: u8, size_bytes: usize) -> EventRef;
    queue_submit_range = "DPCTLQueue_SubmitRange": fn(kernel: KernelRef, queue: QueueRef, arguments: *const *mut c_void, types: *const c_int, len: usize, global: *const usize, dims: usize, events: *const EventRef, event_count: usize) -> EventRef;
    queue_submit_nd_range = "DPCTLQueue_SubmitNDRange": fn(kernel: KernelRef, queue: QueueRef, arguments: *const *mut c_void, types: *const c_int, len: usize, global: *const usize, local: *const usize, dims: usize, events: *const EventRef, event_count: usize) -> EventRef;
    event_delete = "DPCTLEvent_Delete": fn(event: EventRef);
    allocate_device = "DPCTLaligned_alloc_device": fn(alignment: usize, size_bytes: usize, queue: QueueRef) -> *mut c_void;
    allocate_shared = "DPCTLaligned_alloc_shared": fn(alignment: usize, size_bytes: usize, queue: QueueRef) -> *mut c_void;
    allocate_host = "DPCTLaligned_alloc_host": fn(alignment: usize, size_bytes: usize, queue: QueueRef) -> *mut c_void;
    free = "DPCTLfree_with_context": fn(start: *mut c_void, context: ContextRef);
    pointer_type = "DPCTLUSM_GetPointerType": fn(address: *const c_void, context: ContextRef) -> c_int;
    bundle_of_source = "DPCTLKernelBundle_CreateFromOCLSource": fn(context: ContextRef, device: DeviceRef, text: *const c_char, options: *const c_char) -> BundleRef;
    bundle_kernel = "DPCTLKernelBundle_GetKernel": fn(bundle: BundleRef, name: *const c_char) -> KernelRef;
    bundle_delete = "DPCTLKernelBundle_Delete": fn(bundle: BundleRef);
    kernel_work_group_size = "DPCTLKernel_GetWorkGroupSize": fn(kernel: KernelRef) -> usize;
    kernel_delete = "DPCTLKernel_Delete": fn(kernel: KernelRef);
}

impl SyclLibrary {
    /// Takes over an object that a call made.
    ///
    /// # Safety
    /// The object is nobody else's.
    pub(super) unsafe fn own<H: Handle>(
        &'static self,
        call: &'static str,
        made: Result<H, FailedCall>,
    ) -> Result<Owned<H>, FailedCall> {
        // SAFETY: as the caller promises.
        unsafe { Owned::new(self, made?) }.ok_or(FailedCall {
            call,
            message: None,
        })
    }
}

/// Every device of every backend of SYCL's.
pub(super) const ALL_DEVICES: c_int = ((1 << 5) - 1) << 16 | ((1 << 6) - 1);

/// The backends of SYCL's, by what they are called in its filter strings.
pub(super) const BACKENDS: [(c_int, &str); 4] = [
    (1 << 16, "cuda"),
    (1 << 17, "level_zero"),
    (OPENCL, "opencl"),
    (1 << 19, "hip"),
];
/// Devices of OpenCL drivers.
pub(super) const OPENCL: c_int = 1 << 18;

/// A device's type: a processor.
pub(super) const TYPE_CPU: c_int = 1 << 2;
/// It runs no kernels.
pub(super) const TYPE_CUSTOM: c_int = 1 << 3;
/// A graphics processor.
pub(super) const TYPE_GPU: c_int = 1 << 4;

/// A queue whose events have times.
pub(super) const PROFILING: c_int = 1;
/// A queue whose commands run one after the other.
pub(super) const IN_ORDER: c_int = 1 << 1;

/// Types of arguments.
pub(super) mod argument {
    use std::ffi::c_int;

    pub(crate) const UINT8: c_int = 1;
    pub(crate) const UINT16: c_int = 3;
    pub(crate) const UINT32: c_int = 5;
    pub(crate) const UINT64: c_int = 7;
    pub(crate) const POINTER: c_int = 10;
    pub(crate) const LOCAL: c_int = 11;
}

/// An argument that asks for local memory.
#[repr(C)]
pub(super) struct LocalAccessor {
    pub(super) dims: usize,
    pub(super) element: c_int,
    pub(super) sizes: [usize; 3],
}
