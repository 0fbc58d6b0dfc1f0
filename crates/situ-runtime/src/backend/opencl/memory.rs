//! The two ways in which OpenCL gives memory that kernels reach by its address.
//!
//! The USM extension (`cl_intel_unified_shared_memory`) knows the three kinds as we do. Without it, shared virtual
//! memory of OpenCL 2.0 serves: coarse-grained as `device`, fine-grained as `shared` and `host`.
//!
//! `device` memory never counts as accessible to the host, not even where the device is a processor:
//! coarse-grained memory must be mapped first, and a program that reads it anyway fails elsewhere.

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use super::api::{self, Api, UsmApi, device};
use super::handle::{CommandQueueId, ContextId, DeviceId, KernelId};
use super::platform::ClPlatform;
use super::status::Status;
use crate::aspect::Aspect;
use crate::memory::usm::UsmKind;

/// What every address is a multiple of.
const ALIGNMENT: u32 = 64;

/// What addresses of large blocks are a multiple of, where the driver can.
const PAGE: u32 = 4096;

/// From here on blocks are large.
const LARGE_BYTES: usize = 1 << 20;

/// The bytes of a fill are written this many at a time where they fit.
const PATTERN_BYTES: usize = 16;

/// A call that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct FailedCall {
    /// The function.
    pub(super) call: &'static str,
    /// What it said.
    pub(super) status: Status,
}

/// Names the call if it failed.
pub(super) fn named(call: &'static str, status: i32) -> Result<(), FailedCall> {
    let status = Status(status);
    status.check().map_err(|status| FailedCall { call, status })
}

/// How a device gives memory.
#[derive(Clone, Copy)]
pub(super) enum MemoryModel {
    /// By the USM extension.
    Usm {
        functions: UsmApi,
        /// What can be done with memory of each kind, in the order of [`UsmKind::ALL`].
        capabilities: [u64; 3],
    },
    /// By shared virtual memory.
    Svm {
        /// Which sorts of it there are.
        capabilities: u64,
    },
}

impl MemoryModel {
    /// The best way that a device has; `None` when it has none.
    pub(super) fn of(platform: &ClPlatform, device: DeviceId, extensions: &str) -> Option<Self> {
        let ask = |what| platform.api.device_value::<u64>(device, what).unwrap_or(0);
        let has_extension = extensions
            .split_whitespace()
            .any(|one| one == "cl_intel_unified_shared_memory");
        if let (true, Some(functions)) = (has_extension, platform.usm) {
            let capabilities = [
                ask(device::DEVICE_MEM_CAPABILITIES),
                ask(device::SHARED_MEM_CAPABILITIES),
                ask(device::HOST_MEM_CAPABILITIES),
            ];
            if capabilities[0] & api::USM_ACCESS != 0 {
                return Some(Self::Usm {
                    functions,
                    capabilities,
                });
            }
        }
        let capabilities = ask(device::SVM_CAPABILITIES);
        let any = api::SVM_COARSE_GRAIN_BUFFER | api::SVM_FINE_GRAIN_BUFFER;
        (capabilities & any != 0).then_some(Self::Svm { capabilities })
    }

    /// Whether there is memory of a kind.
    pub(super) fn has(&self, kind: UsmKind) -> bool {
        match self {
            Self::Usm { capabilities, .. } => capabilities[kind as usize] & api::USM_ACCESS != 0,
            Self::Svm { capabilities } => {
                kind == UsmKind::Device || capabilities & api::SVM_FINE_GRAIN_BUFFER != 0
            }
        }
    }

    /// What can be said about it by aspects.
    pub(super) fn aspects(&self, platform: &ClPlatform, device: DeviceId) -> Vec<Aspect> {
        let kinds = [
            (UsmKind::Device, Aspect::UsmDeviceAllocations),
            (UsmKind::Shared, Aspect::UsmSharedAllocations),
            (UsmKind::Host, Aspect::UsmHostAllocations),
        ];
        let kinds = kinds.into_iter().filter(|(kind, _)| self.has(*kind));
        let mut aspects: Vec<Aspect> = kinds.map(|(_, aspect)| aspect).collect();
        let ask = |what| platform.api.device_value::<u64>(device, what).unwrap_or(0);
        let is_atomic = |kind: UsmKind| match self {
            Self::Usm { capabilities, .. } => {
                capabilities[kind as usize] & api::USM_CONCURRENT_ATOMIC_ACCESS != 0
            }
            Self::Svm { capabilities } => capabilities & api::SVM_ATOMICS != 0,
        };
        let has_system = match self {
            Self::Usm { .. } => ask(device::SHARED_SYSTEM_MEM_CAPABILITIES) & api::USM_ACCESS != 0,
            Self::Svm { capabilities } => capabilities & api::SVM_FINE_GRAIN_SYSTEM != 0,
        };
        let more = [
            (
                is_atomic(UsmKind::Shared),
                Aspect::UsmAtomicSharedAllocations,
            ),
            (is_atomic(UsmKind::Host), Aspect::UsmAtomicHostAllocations),
            (has_system, Aspect::UsmSystemAllocations),
        ];
        aspects.extend(more.into_iter().filter(|one| one.0).map(|one| one.1));
        aspects
    }

    /// Memory of a context; `None` when there is none, or none of this kind.
    pub(super) fn allocate(
        &self,
        api: &Api,
        context: ContextId,
        device: DeviceId,
        size_bytes: usize,
        kind: UsmKind,
    ) -> Option<NonNull<u8>> {
        if !self.has(kind) {
            return None;
        }
        let aligned =
            |alignment| self.allocate_aligned(api, context, device, size_bytes, kind, alignment);
        // Drivers need not give more than the size of their largest vector; most give pages.
        if size_bytes >= LARGE_BYTES
            && let Some(start) = aligned(PAGE)
        {
            return Some(start);
        }
        aligned(ALIGNMENT)
    }

    fn allocate_aligned(
        &self,
        api: &Api,
        context: ContextId,
        device: DeviceId,
        size_bytes: usize,
        kind: UsmKind,
        alignment: u32,
    ) -> Option<NonNull<u8>> {
        let mut status = 0;
        let (none, status) = (ptr::null(), &raw mut status);
        // SAFETY: context and device are alive and belong together; there are no properties, and
        // `status` may be written.
        let start = unsafe {
            match (self, kind) {
                (Self::Usm { functions, .. }, UsmKind::Device) => (functions.device_mem_alloc)(
                    context, device, none, size_bytes, alignment, status,
                ),
                (Self::Usm { functions, .. }, UsmKind::Shared) => (functions.shared_mem_alloc)(
                    context, device, none, size_bytes, alignment, status,
                ),
                (Self::Usm { functions, .. }, UsmKind::Host) => {
                    (functions.host_mem_alloc)(context, none, size_bytes, alignment, status)
                }
                (Self::Svm { capabilities }, kind) => {
                    let flags = svm_flags(*capabilities, kind);
                    (api.svm_alloc)(context, flags, size_bytes, alignment)
                }
            }
        };
        NonNull::new(start.cast())
    }

    /// Takes memory back.
    ///
    /// # Safety
    /// It came from [`Self::allocate`] with the same context and is not used again.
    pub(super) unsafe fn free(&self, api: &Api, context: ContextId, start: NonNull<u8>) {
        let start = start.as_ptr().cast();
        // SAFETY: the caller promises what these functions ask for.
        unsafe {
            match self {
                Self::Usm { functions, .. } => {
                    (functions.mem_free)(context, start);
                }
                Self::Svm { .. } => (api.svm_free)(context, start),
            }
        }
    }

    /// Gives a kernel an address.
    ///
    /// # Safety
    /// The address stays valid until the kernel has run.
    pub(super) unsafe fn set_pointer(
        &self,
        api: &Api,
        kernel: KernelId,
        position: u32,
        address: *const u8,
    ) -> Result<(), FailedCall> {
        let address: *const c_void = address.cast();
        // SAFETY: the kernel is this thread's, and the caller answers for the address.
        unsafe {
            match self {
                Self::Usm { functions, .. } => named(
                    "clSetKernelArgMemPointerINTEL",
                    (functions.set_kernel_arg_mem_pointer)(kernel, position, address),
                ),
                Self::Svm { .. } => named(
                    "clSetKernelArgSVMPointer",
                    (api.set_kernel_arg_svm_pointer)(kernel, position, address),
                ),
            }
        }
    }

    /// Copies bytes between places that do not overlap and returns when that is done.
    ///
    /// # Safety
    /// Both places have as many bytes; each is memory of the queue's context or of the host.
    pub(super) unsafe fn copy(
        &self,
        api: &Api,
        queue: CommandQueueId,
        from: *const u8,
        to: *mut u8,
        size_bytes: usize,
    ) -> Result<(), FailedCall> {
        const BLOCKING: u32 = 1;
        let (events, event) = (ptr::null(), ptr::null_mut());
        let (from, to) = (from.cast(), to.cast());
        // SAFETY: the caller promises what these functions ask for; they return after the copy.
        unsafe {
            match self {
                Self::Usm { functions, .. } => named(
                    "clEnqueueMemcpyINTEL",
                    (functions.enqueue_memcpy)(
                        queue, BLOCKING, to, from, size_bytes, 0, events, event,
                    ),
                ),
                Self::Svm { .. } => named(
                    "clEnqueueSVMMemcpy",
                    (api.enqueue_svm_memcpy)(
                        queue, BLOCKING, to, from, size_bytes, 0, events, event,
                    ),
                ),
            }
        }
    }

    /// Sets bytes. The caller waits for the queue.
    ///
    /// # Safety
    /// The place has as many bytes and is memory of the queue's context.
    pub(super) unsafe fn enqueue_fill(
        &self,
        api: &Api,
        queue: CommandQueueId,
        to: *mut u8,
        size_bytes: usize,
        value: u8,
    ) -> Result<(), FailedCall> {
        let pattern = [value; PATTERN_BYTES];
        let fits =
            to.addr().is_multiple_of(PATTERN_BYTES) && size_bytes.is_multiple_of(PATTERN_BYTES);
        let pattern_bytes = if fits { PATTERN_BYTES } else { 1 };
        let (events, event) = (ptr::null(), ptr::null_mut());
        let (pattern, to) = (pattern.as_ptr().cast(), to.cast());
        // SAFETY: the caller promises what these functions ask for; the driver copies the pattern.
        unsafe {
            match self {
                Self::Usm { functions, .. } => named(
                    "clEnqueueMemFillINTEL",
                    (functions.enqueue_mem_fill)(
                        queue,
                        to,
                        pattern,
                        pattern_bytes,
                        size_bytes,
                        0,
                        events,
                        event,
                    ),
                ),
                Self::Svm { .. } => named(
                    "clEnqueueSVMMemFill",
                    (api.enqueue_svm_mem_fill)(
                        queue,
                        to,
                        pattern,
                        pattern_bytes,
                        size_bytes,
                        0,
                        events,
                        event,
                    ),
                ),
            }
        }
    }
}

/// How shared virtual memory is asked for.
fn svm_flags(capabilities: u64, kind: UsmKind) -> u64 {
    let is_fine = kind != UsmKind::Device || capabilities & api::SVM_COARSE_GRAIN_BUFFER == 0;
    let mut flags = api::MEM_READ_WRITE;
    if is_fine {
        flags |= api::MEM_SVM_FINE_GRAIN_BUFFER;
        if capabilities & api::SVM_ATOMICS != 0 {
            flags |= api::MEM_SVM_ATOMICS;
        }
    }
    flags
}
