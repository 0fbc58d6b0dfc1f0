//! Cutting a device into sub-devices, as OpenCL does it.
//!
//! Counts are checked here, so that mistakes get the same message on every backend; the driver then
//! makes the parts. Affinity is the driver's to know. Drivers claim domains and refuse them
//! afterwards (on a machine with one memory node, for example), so each is tried once.

use std::ptr;

use super::api::{
    Api, PARTITION_BY_AFFINITY_DOMAIN, PARTITION_BY_COUNTS, PARTITION_EQUALLY, device,
};
use super::capabilities::Asker;
use super::handle::DeviceId;
use super::status::Status;
use crate::partition::{AffinityDomain, Partition, PartitionInfo, PartitionProblem};

/// OpenCL's bits for the domains.
const DOMAINS: [(AffinityDomain, u64); 5] = [
    (AffinityDomain::Numa, 1),
    (AffinityDomain::L4Cache, 1 << 1),
    (AffinityDomain::L3Cache, 1 << 2),
    (AffinityDomain::L2Cache, 1 << 3),
    (AffinityDomain::L1Cache, 1 << 4),
];

/// Which partitions a device can make.
pub(super) fn possible(asker: &Asker<'_>, compute_units: usize) -> PartitionInfo {
    let api = asker.platform.api;
    let max = asker
        .optional::<u32>(device::PARTITION_MAX_SUB_DEVICES)
        .unwrap_or(0);
    let kinds = api
        .device_list::<isize>(asker.device, device::PARTITION_PROPERTIES)
        .unwrap_or_default();
    let has_counts = kinds.contains(&PARTITION_EQUALLY) && kinds.contains(&PARTITION_BY_COUNTS);
    let claimed = asker
        .optional::<u64>(device::PARTITION_AFFINITY_DOMAIN)
        .unwrap_or(0);
    let makes_parts = |bit: u64| {
        let properties = [PARTITION_BY_AFFINITY_DOMAIN, bit as isize, 0];
        create(api, asker.device, &properties).is_ok_and(|parts| {
            let count = parts.len();
            release(api, parts);
            count > 1
        })
    };
    let domains = DOMAINS
        .into_iter()
        .filter(|(_, bit)| claimed & bit != 0 && makes_parts(*bit))
        .map(|(domain, _)| domain);
    PartitionInfo {
        max_sub_devices: if has_counts && max > 1 {
            compute_units.min(max as usize)
        } else {
            0
        },
        affinity_domains: domains.collect(),
    }
}

/// Makes the parts of a device; the caller releases them.
pub(super) fn parts(
    api: &Api,
    id: DeviceId,
    possible: &PartitionInfo,
    compute_units: usize,
    partition: &Partition,
) -> Result<Vec<DeviceId>, PartitionProblem> {
    possible.check(partition, compute_units)?;
    let properties = match partition {
        Partition::ByAffinity(domain) => {
            let bit = DOMAINS.iter().find(|(known, _)| known == domain);
            let bit = bit.map_or(0, |(_, bit)| *bit as isize);
            vec![PARTITION_BY_AFFINITY_DOMAIN, bit, 0]
        }
        Partition::Equally(units) => vec![PARTITION_EQUALLY, *units as isize, 0],
        Partition::ByCounts(counts) => {
            let counts = counts.iter().map(|count| *count as isize);
            // The list has an end of its own before that of the properties.
            let list = std::iter::once(PARTITION_BY_COUNTS).chain(counts);
            list.chain([0, 0]).collect()
        }
    };
    create(api, id, &properties).map_err(|status| PartitionProblem::Refused { status })
}

fn create(api: &Api, id: DeviceId, properties: &[isize]) -> Result<Vec<DeviceId>, Status> {
    let mut count = 0;
    // SAFETY: the properties end with zero; only the number of parts is asked for.
    Status(unsafe {
        (api.create_sub_devices)(id, properties.as_ptr(), 0, ptr::null_mut(), &raw mut count)
    })
    .check()?;
    let mut parts = vec![DeviceId::NULL; count as usize];
    // SAFETY: as above; there is room for as many parts as are asked for.
    Status(unsafe {
        (api.create_sub_devices)(
            id,
            properties.as_ptr(),
            count,
            parts.as_mut_ptr(),
            ptr::null_mut(),
        )
    })
    .check()?;
    Ok(parts)
}

/// Gives parts back that nobody uses.
pub(super) fn release(api: &Api, parts: Vec<DeviceId>) {
    for part in parts {
        // SAFETY: made by `create`, and nobody uses it.
        unsafe { (api.release_device)(part) };
    }
}
