//! `situ_device`: what native code may want to know about a queue's device.

use std::ffi::{CString, c_char};

use situ_runtime::{Aspect, Device};

/// Facts about a device. The layout is the header's.
#[repr(C)]
pub(super) struct CDevice {
    filter_string: *const c_char,
    name: *const c_char,
    backend: *const c_char,
    device_type: *const c_char,
    driver_version: *const c_char,
    memory_bytes: u64,
    max_allocation_bytes: u64,
    local_memory_bytes: u64,
    max_work_group_size: u64,
    compute_units: u32,
    aspects: u32,
    // What follows is not in the header.
    _texts: [CString; 5],
}

// SAFETY: the pointers lead to texts that belong to it and never change.
unsafe impl Send for CDevice {}
// SAFETY: as above.
unsafe impl Sync for CDevice {}

/// Aspects that have a bit, from the lowest on. The header has the same list.
const ASPECTS: [Aspect; 8] = [
    Aspect::Fp16,
    Aspect::Fp64,
    Aspect::Atomic64,
    Aspect::UsmDeviceAllocations,
    Aspect::UsmSharedAllocations,
    Aspect::UsmHostAllocations,
    Aspect::UsmSystemAllocations,
    Aspect::Emulated,
];

impl CDevice {
    pub(super) fn of(device: &Device) -> Self {
        let info = device.info();
        let texts = [
            device.filter_string(),
            device.name().to_owned(),
            device.backend().to_string(),
            device.device_type().to_string(),
            info.driver_version.clone(),
        ]
        .map(text);
        let bits = ASPECTS.iter().enumerate();
        let aspects = bits
            .filter(|(_, aspect)| device.has_aspect(**aspect))
            .fold(0, |aspects, (bit, _)| aspects | 1 << bit);
        // The texts are on the heap, so that they stay where they are when the array moves.
        let [filter_string, name, backend, device_type, driver_version] =
            texts.each_ref().map(|text| text.as_ptr());
        Self {
            filter_string,
            name,
            backend,
            device_type,
            driver_version,
            memory_bytes: info.memory_bytes,
            max_allocation_bytes: info.max_allocation_bytes,
            local_memory_bytes: info.max_local_bytes,
            max_work_group_size: info.max_work_group_size,
            compute_units: u32::try_from(info.compute_units).unwrap_or(u32::MAX),
            aspects,
            _texts: texts,
        }
    }
}

fn text(text: String) -> CString {
    CString::new(text.replace('\0', " ")).expect("zero bytes were replaced")
}
