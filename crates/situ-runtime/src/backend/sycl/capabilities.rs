//! What a device can do, from what the SYCL runtime says.

use std::ffi::{CStr, c_char, c_int};

use situ_codegen::opencl_c::TargetOptions;

use super::api::{BACKENDS, FailedCall, TYPE_CPU, TYPE_GPU};
use super::fission;
use super::handle::{DeviceRef, Owned};
use super::library::SyclLibrary;
use crate::aspect::Aspect;
use crate::device::DeviceType;
use crate::device_info::{CacheInfo, DeviceInfo, VectorWidths};

/// The aspects of SYCL's that are asked for, by the library's numbers. `fp16` is not among them: every
/// device computes with half-precision numbers, see [`aspects`].
const ASPECTS: [(Aspect, c_int); 16] = [
    (Aspect::Cpu, 1),
    (Aspect::Gpu, 2),
    (Aspect::Accelerator, 3),
    (Aspect::Fp64, 6),
    (Aspect::Atomic64, 7),
    (Aspect::Image, 8),
    (Aspect::OnlineCompiler, 9),
    (Aspect::OnlineLinker, 10),
    (Aspect::UsmDeviceAllocations, 12),
    (Aspect::UsmHostAllocations, 13),
    (Aspect::UsmSharedAllocations, 14),
    (Aspect::UsmSystemAllocations, 15),
    (Aspect::UsmAtomicHostAllocations, 16),
    (Aspect::UsmAtomicSharedAllocations, 17),
    (Aspect::HostDebuggable, 18),
    (Aspect::Emulated, 19),
];

impl SyclLibrary {
    /// A text that the library made; nothing if it does not say.
    ///
    /// # Safety
    /// It came from the library, for the caller.
    pub(super) unsafe fn text(&self, made: Result<*const c_char, FailedCall>) -> String {
        let Some(text) = made.ok().filter(|text| !text.is_null()) else {
            return String::new();
        };
        // SAFETY: a C string, which is copied before it is given back.
        unsafe {
            let copy = CStr::from_ptr(text).to_string_lossy().trim().to_owned();
            let _ = self.api.string_delete(text);
            copy
        }
    }
}

/// Asks one device. What the runtime fails to answer is nothing, zero or no.
pub(super) struct Asker<'a> {
    pub(super) device: &'a Owned<DeviceRef>,
}

impl Asker<'_> {
    /// What the manufacturer calls it.
    pub(super) fn name(&self) -> String {
        let library = self.device.library();
        // SAFETY: the device is alive, and the text is for this call.
        unsafe { library.text(library.api.device_name(self.device.raw())) }
    }

    fn vendor(&self) -> String {
        let library = self.device.library();
        // SAFETY: as above.
        unsafe { library.text(library.api.device_vendor(self.device.raw())) }
    }

    /// The version of its driver.
    pub(super) fn driver_version(&self) -> String {
        let library = self.device.library();
        // SAFETY: as above.
        unsafe { library.text(library.api.device_driver_version(self.device.raw())) }
    }

    /// Which of SYCL's backends drives it, by number and by word.
    pub(super) fn backend(&self) -> (c_int, &'static str) {
        // SAFETY: the device is alive.
        let number = unsafe { self.device.library().api.device_backend(self.device.raw()) };
        let known = BACKENDS
            .into_iter()
            .find(|(known, _)| number.as_ref() == Ok(known));
        known.unwrap_or((0, "unknown"))
    }

    /// What sort of hardware it is, by the library's number.
    pub(super) fn type_number(&self) -> c_int {
        // SAFETY: the device is alive.
        unsafe { self.device.library().api.device_type(self.device.raw()) }.unwrap_or(0)
    }

    /// What sort of hardware it is.
    pub(super) fn device_type(&self) -> DeviceType {
        match self.type_number() {
            TYPE_CPU => DeviceType::Cpu,
            TYPE_GPU => DeviceType::Gpu,
            _ => DeviceType::Accelerator,
        }
    }

    /// Whether it has an aspect of SYCL's.
    pub(super) fn has(&self, aspect: Aspect) -> bool {
        let number = ASPECTS.iter().find(|(known, _)| *known == aspect);
        number.is_some_and(|(_, number)| {
            // SAFETY: the device is alive.
            let answer = unsafe {
                let api = &self.device.library().api;
                api.device_has_aspect(self.device.raw(), *number)
            };
            answer.unwrap_or(false)
        })
    }

    fn max_work_item_sizes(&self) -> Option<[u64; 3]> {
        let api = &self.device.library().api;
        // SAFETY: the device is alive; the answer is an array of three, which is copied before it is
        // given back.
        unsafe {
            let sizes = api.device_max_work_item_sizes(self.device.raw()).ok()?;
            if sizes.is_null() {
                return None;
            }
            let copy = sizes.cast::<[usize; 3]>().read();
            let _ = api.sizes_delete(sizes);
            // SYCL counts dimensions from the slowest, as situ does.
            Some(copy.map(|size| size as u64))
        }
    }

    /// Every size of sub-groups; with 1 alone, each work-item is its own.
    fn sub_group_sizes(&self) -> Vec<u32> {
        let api = &self.device.library().api;
        let mut len = 0;
        // SAFETY: the device is alive; the answer has as many numbers as it says, which are copied
        // before it is given back.
        let sizes = unsafe {
            match api.device_sub_group_sizes(self.device.raw(), &raw mut len) {
                Ok(sizes) if !sizes.is_null() => {
                    let copy = std::slice::from_raw_parts(sizes, len).to_vec();
                    let _ = api.sizes_delete(sizes);
                    copy
                }
                _ => Vec::new(),
            }
        };
        let sizes: Vec<u32> = sizes
            .into_iter()
            .filter_map(|size| u32::try_from(size).ok().filter(|size| *size > 0))
            .collect();
        if sizes.is_empty() { vec![1] } else { sizes }
    }

    fn native_vector_widths(&self) -> VectorWidths {
        let (api, device) = (&self.device.library().api, self.device.raw());
        // SAFETY: the device is alive.
        unsafe {
            VectorWidths {
                char: api.device_native_char(device).unwrap_or(0),
                short: api.device_native_short(device).unwrap_or(0),
                int: api.device_native_int(device).unwrap_or(0),
                long: api.device_native_long(device).unwrap_or(0),
                half: api.device_native_half(device).unwrap_or(0),
                float: api.device_native_float(device).unwrap_or(0),
                double: api.device_native_double(device).unwrap_or(0),
            }
        }
    }

    fn preferred_vector_widths(&self) -> VectorWidths {
        let (api, device) = (&self.device.library().api, self.device.raw());
        // SAFETY: the device is alive.
        unsafe {
            VectorWidths {
                char: api.device_preferred_char(device).unwrap_or(0),
                short: api.device_preferred_short(device).unwrap_or(0),
                int: api.device_preferred_int(device).unwrap_or(0),
                long: api.device_preferred_long(device).unwrap_or(0),
                half: api.device_preferred_half(device).unwrap_or(0),
                float: api.device_preferred_float(device).unwrap_or(0),
                double: api.device_preferred_double(device).unwrap_or(0),
            }
        }
    }
}

/// What the emitter is told about a device.
pub(super) fn target(asker: &Asker<'_>) -> TargetOptions {
    TargetOptions {
        fp64: asker.has(Aspect::Fp64),
        int64_atomics: asker.has(Aspect::Atomic64),
        sub_group_size: DeviceInfo::usual_sub_group_size(&asker.sub_group_sizes()),
        // The sizes that SYCL lists are those that kernels can demand.
        required_sub_group_size: asker.sub_group_sizes() != [1],
        pads_ranges: true,
        // dpctl does not say, and a program that asks for it in vain is refused. The emitter then
        // computes in double precision and rounds.
        correctly_rounded_divide_sqrt: false,
        ..TargetOptions::default()
    }
}

/// Facts and limits of a device.
pub(super) fn info(asker: &Asker<'_>) -> Result<DeviceInfo, FailedCall> {
    let (api, device) = (&asker.device.library().api, asker.device.raw());
    let positive = |number: u64| Some(number).filter(|number| *number > 0);
    // SAFETY: the device is alive.
    unsafe {
        let compute_units = api.device_compute_units(device)? as usize;
        let cache_bytes = api.device_cache_bytes(device).unwrap_or(0);
        let line_bytes = api.device_cache_line_bytes(device).unwrap_or(0);
        let max_work_group_size = api.device_max_work_group_size(device)? as u64;
        Ok(DeviceInfo {
            name: asker.name(),
            vendor: Some(asker.vendor()).filter(|vendor| !vendor.is_empty()),
            driver_version: asker.driver_version(),
            compute_units,
            clock_mhz: positive(api.device_clock_mhz(device).unwrap_or(0).into()),
            memory_bytes: api.device_memory_bytes(device)?,
            max_allocation_bytes: api.device_max_allocation_bytes(device)?,
            cache: positive(cache_bytes).map(|size_bytes| CacheInfo {
                size_bytes,
                line_bytes: positive(line_bytes.into()),
            }),
            max_local_bytes: api.device_local_bytes(device)?,
            max_work_group_size,
            max_work_item_sizes: asker
                .max_work_item_sizes()
                .unwrap_or([max_work_group_size; 3]),
            sub_group_sizes: asker.sub_group_sizes(),
            sub_groups_progress_independently: false,
            native_vector_widths: asker.native_vector_widths(),
            preferred_vector_widths: asker.preferred_vector_widths(),
            timer_resolution_ns: positive(
                api.device_timer_resolution_ns(device).unwrap_or(0) as u64
            ),
            // SYCL has no devices with other addresses than the host's.
            address_bits: usize::BITS,
            is_little_endian: cfg!(target_endian = "little"),
            partition: fission::possible(asker.device, compute_units),
            aspects: aspects(asker),
        })
    }
}

fn aspects(asker: &Asker<'_>) -> Vec<Aspect> {
    // Half-precision numbers are converted with functions that every device has, and computed with as
    // single-precision ones. Times are taken by situ's own clock.
    let mut aspects = vec![Aspect::Fp16, Aspect::QueueProfiling];
    let asked = ASPECTS.iter().map(|(aspect, _)| *aspect);
    aspects.extend(asked.filter(|aspect| asker.has(*aspect)));
    aspects.sort_unstable();
    aspects
}
