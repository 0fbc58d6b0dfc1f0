//! What a device can do, from what its driver says.

use situ_codegen::opencl_c::TargetOptions;

use super::api::{self, device};
use super::device::asked;
use super::fission;
use super::handle::DeviceId;
use super::memory::{FailedCall, MemoryModel};
use super::platform::ClPlatform;
use super::query::Plain;
use crate::aspect::Aspect;
use crate::device::DeviceType;
use crate::device_info::{CacheInfo, DeviceInfo, VectorWidths};

/// Kernels can demand a size of sub-groups.
const REQUIRED_SUB_GROUP_SIZE: &str = "cl_intel_required_subgroup_size";

/// Asks one device.
pub(super) struct Asker<'a> {
    pub(super) platform: &'a ClPlatform,
    pub(super) device: DeviceId,
}

impl Asker<'_> {
    /// A number that every driver must know.
    pub(super) fn required<T: Plain>(&self, what: u32) -> Result<T, FailedCall> {
        let answer = self.platform.api.device_value(self.device, what);
        answer.map_err(asked("clGetDeviceInfo"))
    }

    /// A number that a driver may not know.
    pub(super) fn optional<T: Plain>(&self, what: u32) -> Option<T> {
        self.platform.api.device_value(self.device, what).ok()
    }

    /// Whether a flag is set.
    pub(super) fn flag(&self, what: u32) -> bool {
        self.optional::<u32>(what).is_some_and(|flag| flag != 0)
    }

    /// A text; nothing if the driver does not say.
    pub(super) fn text(&self, what: u32) -> String {
        let answer = self.platform.api.device_text(self.device, what);
        answer.unwrap_or_default()
    }

    /// What sort of hardware it is.
    pub(super) fn device_type(&self) -> DeviceType {
        match self.optional::<u64>(device::TYPE).unwrap_or(0) {
            kind if kind & api::DEVICE_TYPE_CPU != 0 => DeviceType::Cpu,
            kind if kind & api::DEVICE_TYPE_GPU != 0 => DeviceType::Gpu,
            _ => DeviceType::Accelerator,
        }
    }

    fn vector_widths(&self, first: u32, half: u32) -> VectorWidths {
        let width = |what| self.optional(what).unwrap_or(0);
        VectorWidths {
            char: width(first),
            short: width(first + 1),
            int: width(first + 2),
            long: width(first + 3),
            half: width(half),
            float: width(first + 4),
            double: width(first + 5),
        }
    }
}

/// Whether a list of extensions, separated by spaces, has one.
pub(super) fn has_extension(extensions: &str, name: &str) -> bool {
    extensions.split_whitespace().any(|one| one == name)
}

/// What the emitter is told about a device.
pub(super) fn target(asker: &Asker<'_>) -> TargetOptions {
    let extensions = asker.text(device::EXTENSIONS);
    let has = |name| has_extension(&extensions, name);
    let float = asker.optional::<u64>(device::SINGLE_FP_CONFIG).unwrap_or(0);
    TargetOptions {
        fp64: has("cl_khr_fp64"),
        int64_atomics: has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics"),
        sub_group_size: DeviceInfo::usual_sub_group_size(&sub_group_sizes(asker, &extensions)),
        required_sub_group_size: has(REQUIRED_SUB_GROUP_SIZE),
        pads_ranges: true,
        correctly_rounded_divide_sqrt: float & api::FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
        ..TargetOptions::default()
    }
}

/// Which sizes of sub-groups kernels can demand.
///
/// Without the extension a driver chooses the size for each kernel, and the meaning of a program would
/// be the driver's to choose: then each work-item is its own sub-group.
fn sub_group_sizes(asker: &Asker<'_>, extensions: &str) -> Vec<u32> {
    let (api, id) = (asker.platform.api, asker.device);
    let sizes = if has_extension(extensions, REQUIRED_SUB_GROUP_SIZE) {
        let sizes = api.device_list::<usize>(id, device::SUB_GROUP_SIZES_INTEL);
        sizes.unwrap_or_default()
    } else {
        Vec::new()
    };
    let sizes: Vec<u32> = sizes
        .into_iter()
        .filter_map(|size| u32::try_from(size).ok().filter(|size| *size > 0))
        .collect();
    if sizes.is_empty() { vec![1] } else { sizes }
}

/// Facts and limits of a device.
pub(super) fn info(
    asker: &Asker<'_>,
    memory: &MemoryModel,
    target: &TargetOptions,
) -> Result<DeviceInfo, FailedCall> {
    let Asker {
        platform,
        device: id,
    } = *asker;
    let compute_units = asker.required::<u32>(device::MAX_COMPUTE_UNITS)? as usize;
    let sizes = platform
        .api
        .device_list::<usize>(id, device::MAX_WORK_ITEM_SIZES)
        .map_err(asked("clGetDeviceInfo"))?;
    let size = |dimension: usize| sizes.get(dimension).map_or(1, |size| *size as u64);
    let cache_bytes = asker.optional::<u64>(device::GLOBAL_MEM_CACHE_SIZE);
    let line_bytes = asker.optional::<u32>(device::GLOBAL_MEM_CACHELINE_SIZE);
    Ok(DeviceInfo {
        name: asker.text(device::NAME),
        vendor: Some(asker.text(device::VENDOR)).filter(|vendor| !vendor.is_empty()),
        driver_version: asker.text(device::DRIVER_VERSION),
        compute_units,
        clock_mhz: asker
            .optional::<u32>(device::MAX_CLOCK_FREQUENCY)
            .filter(|mhz| *mhz > 0)
            .map(u64::from),
        memory_bytes: asker.required(device::GLOBAL_MEM_SIZE)?,
        max_allocation_bytes: asker.required(device::MAX_MEM_ALLOC_SIZE)?,
        cache: cache_bytes
            .filter(|bytes| *bytes > 0)
            .map(|size_bytes| CacheInfo {
                size_bytes,
                line_bytes: line_bytes.filter(|bytes| *bytes > 0).map(u64::from),
            }),
        max_local_bytes: asker.required(device::LOCAL_MEM_SIZE)?,
        max_work_group_size: asker.required::<usize>(device::MAX_WORK_GROUP_SIZE)? as u64,
        // OpenCL counts dimensions from the fastest, situ from the slowest.
        max_work_item_sizes: [size(2), size(1), size(0)],
        sub_group_sizes: sub_group_sizes(asker, &asker.text(device::EXTENSIONS)),
        sub_groups_progress_independently: false,
        native_vector_widths: asker.vector_widths(
            device::NATIVE_VECTOR_WIDTH_CHAR,
            device::NATIVE_VECTOR_WIDTH_HALF,
        ),
        preferred_vector_widths: asker.vector_widths(
            device::PREFERRED_VECTOR_WIDTH_CHAR,
            device::PREFERRED_VECTOR_WIDTH_HALF,
        ),
        timer_resolution_ns: asker
            .optional::<usize>(device::PROFILING_TIMER_RESOLUTION)
            .filter(|ns| *ns > 0)
            .map(|ns| ns as u64),
        address_bits: asker.required(device::ADDRESS_BITS)?,
        is_little_endian: asker.flag(device::ENDIAN_LITTLE),
        partition: fission::possible(asker, compute_units),
        aspects: aspects(asker, memory, target),
    })
}

fn aspects(asker: &Asker<'_>, memory: &MemoryModel, target: &TargetOptions) -> Vec<Aspect> {
    let own_type = match asker.device_type() {
        DeviceType::Cpu => Aspect::Cpu,
        DeviceType::Gpu => Aspect::Gpu,
        DeviceType::Accelerator => Aspect::Accelerator,
    };
    // Half-precision numbers are converted with functions that every device has, and computed with as
    // single-precision ones. Times are taken by situ's own clock.
    let mut aspects = vec![
        own_type,
        Aspect::Fp16,
        Aspect::OnlineCompiler,
        Aspect::QueueProfiling,
    ];
    let more = [
        (target.fp64, Aspect::Fp64),
        (target.int64_atomics, Aspect::Atomic64),
        (asker.flag(device::IMAGE_SUPPORT), Aspect::Image),
        (asker.flag(device::LINKER_AVAILABLE), Aspect::OnlineLinker),
    ];
    aspects.extend(more.into_iter().filter(|one| one.0).map(|one| one.1));
    aspects.extend(memory.aspects(asker.platform, asker.device));
    aspects.sort_unstable();
    aspects
}
