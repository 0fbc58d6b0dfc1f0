//! Cutting a device into sub-devices, as SYCL does it.
//!
//! Counts are checked here, so that mistakes get the same message on every backend; the driver then
//! makes the parts. What a device can do is not told reliably, so it is tried once.

use std::ffi::c_int;

use super::api::FailedCall;
use super::handle::{DeviceRef, DeviceVectorRef, Owned};
use crate::partition::{AffinityDomain, Partition, PartitionInfo, PartitionProblem};

/// The library's numbers for the domains.
const DOMAINS: [(AffinityDomain, c_int); 5] = [
    (AffinityDomain::Numa, 1),
    (AffinityDomain::L4Cache, 2),
    (AffinityDomain::L3Cache, 3),
    (AffinityDomain::L2Cache, 4),
    (AffinityDomain::L1Cache, 5),
];

/// Which partitions a device can make.
pub(super) fn possible(device: &Owned<DeviceRef>, compute_units: usize) -> PartitionInfo {
    // SAFETY: the device is alive.
    let max = unsafe { device.library().api.device_max_sub_devices(device.raw()) };
    let max = max.map_or(0, |max| max as usize).min(compute_units);
    let makes_parts =
        |partition: &Partition| cut(device, partition).is_ok_and(|parts| parts.len() > 1);
    let domains = DOMAINS.into_iter().map(|(domain, _)| domain);
    PartitionInfo {
        max_sub_devices: if max > 1 && makes_parts(&Partition::Equally(1)) {
            max
        } else {
            0
        },
        affinity_domains: domains
            .filter(|domain| makes_parts(&Partition::ByAffinity(*domain)))
            .collect(),
    }
}

/// Makes the parts of a device.
pub(super) fn parts(
    device: &Owned<DeviceRef>,
    possible: &PartitionInfo,
    compute_units: usize,
    partition: &Partition,
) -> Result<Vec<Owned<DeviceRef>>, PartitionProblem> {
    possible.check(partition, compute_units)?;
    cut(device, partition).map_err(|failed| PartitionProblem::RefusedBySycl {
        message: failed.message,
    })
}

fn cut(
    device: &Owned<DeviceRef>,
    partition: &Partition,
) -> Result<Vec<Owned<DeviceRef>>, FailedCall> {
    let library = device.library();
    // SAFETY: the device is alive, the counts are as many as are said, and the vector is this call's.
    let vector = unsafe {
        match partition {
            Partition::Equally(units) => {
                let made = library.api.device_parts_equally(device.raw(), *units);
                library.own("DPCTLDevice_CreateSubDevicesEqually", made)
            }
            Partition::ByCounts(counts) => {
                let (start, len) = (counts.as_ptr(), counts.len());
                let made = library.api.device_parts_by_counts(device.raw(), start, len);
                library.own("DPCTLDevice_CreateSubDevicesByCounts", made)
            }
            Partition::ByAffinity(domain) => {
                let number = DOMAINS.iter().find(|(known, _)| known == domain);
                let number = number.map_or(0, |(_, number)| *number);
                let made = library.api.device_parts_by_affinity(device.raw(), number);
                library.own("DPCTLDevice_CreateSubDevicesByAffinity", made)
            }
        }
    };
    elements(&vector?)
}

/// The devices in a vector.
pub(super) fn elements(
    vector: &Owned<DeviceVectorRef>,
) -> Result<Vec<Owned<DeviceRef>>, FailedCall> {
    let library = vector.library();
    // SAFETY: the vector is alive and has as many elements; each is copied for this call.
    unsafe {
        let size = library.api.device_vector_size(vector.raw())?;
        (0..size)
            .map(|index| {
                let element = library.api.device_vector_at(vector.raw(), index);
                library.own("DPCTLDeviceVector_GetAt", element)
            })
            .collect()
    }
}
