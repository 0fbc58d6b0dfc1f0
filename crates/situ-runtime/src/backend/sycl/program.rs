//! Kernels ready to run: arguments are gathered, the range is put into a queue, and its end is waited
//! for.
//!
//! The SYCL runtime keeps launches of one kernel apart by itself, so one object serves all threads.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::time::Instant;

use situ_codegen::opencl_c::KernelAbi;
use situ_ir::NdRange;
use smallvec::SmallVec;

use super::api::{LocalAccessor, argument};
use super::code::{self, Bundle};
use super::device::SyclDevice;
use super::handle::{EventRef, KernelRef, Owned};
use crate::backend::cost::{BRIEF_NS, CostEstimate};
use crate::backend::grouping::GroupLimits;
use crate::backend::{DeviceProgram, opencl_c};
use crate::error::{Error, Result};
use crate::launch::DeviceArgument;

/// As many arguments as most kernels have.
const USUAL_ARGUMENTS: usize = 12;

/// The loaded kernels of a module.
pub(super) struct SyclProgram {
    kernels: Vec<SyclKernel>,
    limits: GroupLimits,
    device: Arc<SyclDevice>,
    /// Kernels come from it.
    _bundle: Arc<Bundle>,
}

struct SyclKernel {
    abi: KernelAbi,
    object: Owned<KernelRef>,
    max_work_group_size: Option<u64>,
    /// What a work-item costs, without the runtime's own time for a launch.
    cost: CostEstimate,
}

impl SyclProgram {
    pub(super) fn new(
        device: Arc<SyclDevice>,
        bundle: Arc<Bundle>,
        kernels: Vec<KernelAbi>,
        limits: GroupLimits,
    ) -> Result<Self> {
        let kernels = kernels
            .into_iter()
            .map(|abi| SyclKernel::new(&device, &bundle, abi))
            .collect::<Result<_>>()?;
        Ok(Self {
            kernels,
            limits,
            device,
            _bundle: bundle,
        })
    }
}

impl SyclKernel {
    fn new(device: &SyclDevice, bundle: &Bundle, abi: KernelAbi) -> Result<Self> {
        let object = code::kernel(bundle, &abi.symbol).map_err(|failed| device.failed(failed))?;
        // SAFETY: the kernel is alive.
        let limit = unsafe { device.library().api.kernel_work_group_size(object.raw()) };
        Ok(Self {
            abi,
            object,
            // Some drivers say 0 for "no other limit than the device's".
            max_work_group_size: limit
                .ok()
                .filter(|limit| *limit > 0)
                .map(|limit| limit as u64),
            cost: CostEstimate::new(),
        })
    }
}

impl SyclKernel {
    /// The same error, which says that it happened to this kernel.
    fn name_in(&self, error: Error) -> Error {
        match error {
            Error::SyclFailed {
                device,
                call,
                message,
                ..
            } => Error::SyclFailed {
                device,
                subject: Some(self.abi.name.clone()),
                call,
                message,
            },
            other => other,
        }
    }
}

/// An argument as the library takes it.
enum Value {
    Number { bits: u64, size_bytes: usize },
    Pointer(*mut c_void),
    Local(LocalAccessor),
}

impl Value {
    fn local(size_bytes: usize) -> Self {
        Self::Local(LocalAccessor {
            dims: 1,
            element: argument::UINT8,
            // No memory at all cannot be asked for, but a kernel may have an empty array.
            sizes: [size_bytes.max(1), 1, 1],
        })
    }

    /// Its type, and where it is: for a pointer, where that leads.
    fn as_raw(&self) -> (c_int, *mut c_void) {
        match self {
            Self::Number { bits, size_bytes } => {
                let kind = match size_bytes {
                    1 => argument::UINT8,
                    2 => argument::UINT16,
                    4 => argument::UINT32,
                    _ => argument::UINT64,
                };
                (kind, ptr::from_ref(bits).cast_mut().cast())
            }
            Self::Pointer(address) => (argument::POINTER, *address),
            Self::Local(accessor) => (argument::LOCAL, ptr::from_ref(accessor).cast_mut().cast()),
        }
    }
}

type Values = SmallVec<[Value; USUAL_ARGUMENTS]>;

fn values(abi: &KernelAbi, range: &NdRange, arguments: &[DeviceArgument<'_>]) -> Values {
    let mut values = Values::new();
    for argument in arguments {
        match argument {
            DeviceArgument::Scalar(literal) => {
                let parts = opencl_c::scalar_parts(*literal);
                values.extend(parts.map(|(bits, size_bytes)| Value::Number { bits, size_bytes }));
            }
            DeviceArgument::Pointer {
                memory,
                byte_offset,
            } => {
                let address = memory.backing_ptr().wrapping_add(*byte_offset);
                values.push(Value::Pointer(address.cast()));
            }
            DeviceArgument::Local { size_bytes } => values.push(Value::local(*size_bytes)),
        }
    }
    if abi.scratch_bytes_per_item > 0 {
        values.push(Value::local(opencl_c::scratch_bytes(abi, range) as usize));
    }
    if abi.has_extents {
        let sizes = range.global().into_iter().take(range.dims());
        values.extend(sizes.map(|bits| Value::Number {
            bits,
            size_bytes: 8,
        }));
    }
    values
}

impl DeviceProgram for SyclProgram {
    fn is_brief(&self, kernel: usize, range: &NdRange) -> bool {
        let kernel = &self.kernels[kernel];
        let expected = kernel.cost.expected_ns(range.work_items());
        expected.is_some_and(|ns| ns < BRIEF_NS)
    }

    fn max_work_group_size(&self, kernel: usize) -> Option<u64> {
        self.kernels[kernel].max_work_group_size
    }

    fn local_bytes(&self, kernel: usize, group_items: u64) -> u64 {
        opencl_c::local_bytes(&self.kernels[kernel].abi, 0, group_items)
    }

    fn run(&self, kernel: usize, range: &NdRange, arguments: &[DeviceArgument<'_>]) -> Result<()> {
        self.device.check_process()?;
        let kernel = &self.kernels[kernel];
        let begin = Instant::now();
        let launched = self.launch(kernel, range, &values(&kernel.abi, range, arguments));
        launched.map_err(|error| kernel.name_in(error))?;
        let own = self.device.overhead.subtract_from(begin.elapsed());
        kernel.cost.update(own, range.work_items().max(1));
        Ok(())
    }
}

impl SyclProgram {
    fn launch(&self, kernel: &SyclKernel, range: &NdRange, values: &[Value]) -> Result<()> {
        let raw = values.iter().map(Value::as_raw);
        let (types, places): (
            SmallVec<[c_int; USUAL_ARGUMENTS]>,
            SmallVec<[*mut c_void; USUAL_ARGUMENTS]>,
        ) = raw.unzip();
        let sizes = |sizes: [u64; 3]| sizes.map(|size| size as usize);
        // SYCL counts dimensions from the slowest, as situ does.
        let limits = self.limits.for_kernel(kernel.max_work_group_size);
        let (global, local) = opencl_c::sizes(&kernel.abi, range, limits);
        let (global, local, dims) = (sizes(global), local.map(sizes), range.dims());
        let call = match local {
            Some(_) => "DPCTLQueue_SubmitNDRange",
            None => "DPCTLQueue_SubmitRange",
        };
        let api = &self.device.library().api;
        let (object, len) = (kernel.object.raw(), values.len());
        let (places, types, global) = (places.as_ptr(), types.as_ptr(), global.as_ptr());
        let no_events: *const EventRef = ptr::null();
        // SAFETY: there is a place and a type for each argument, and they lead to live memory (checked
        // by the launch); the sizes have as many entries as dimensions are named.
        unsafe {
            self.device.run(call, |queue| match &local {
                Some(local) => api.queue_submit_nd_range(
                    object,
                    queue,
                    places,
                    types,
                    len,
                    global,
                    local.as_ptr(),
                    dims,
                    no_events,
                    0,
                ),
                None => api.queue_submit_range(
                    object, queue, places, types, len, global, dims, no_events, 0,
                ),
            })
        }
    }
}
