//! What makes virtual devices different from the processor that runs them. What they have in common
//! with every device is tested by `tests/every_backend`.

use super::*;
use crate::context::Context;
use crate::memory::copy;
use crate::{Allocation, Error, Queue, QueueProperties, selector};

/// Devices for the time of a test. Tests run side by side, so numbers are whatever is free.
struct Added(Vec<Device>);

impl Added {
    fn new(text: &str, memory_bytes: Option<u64>) -> Self {
        Self(add(
            &VirtualRequest::parse_list(text).unwrap(),
            memory_bytes,
        ))
    }
}

impl Drop for Added {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

#[test]
fn devices_come_and_go_and_work_on_after_they_went() {
    let added = Added::new("gpu:2,cpu:1", None);
    let devices = added.0.clone();
    let types: Vec<DeviceType> = devices.iter().map(Device::device_type).collect();
    assert_eq!(types, [DeviceType::Gpu, DeviceType::Gpu, DeviceType::Cpu]);
    for device in &devices {
        assert!(Device::all().contains(device));
        assert_eq!(selector::select(&device.filter_string()).unwrap(), *device);
        assert!(device.has_aspect(Aspect::Emulated));
    }
    assert_eq!(Device::default_device().filter_string(), "native:cpu:0");
    let queue = Queue::new(&devices[0]);
    drop(added);
    assert!(devices.iter().all(|device| !Device::all().contains(device)));
    let allocation = Allocation::new(&queue, 4, UsmKind::Device).unwrap();
    let mut bytes = [0; 4];
    copy::copy_from_host(&queue, &[1, 2, 3, 4], &allocation, 0).unwrap();
    copy::copy_to_host(&queue, &allocation, 0, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 2, 3, 4]);
}

#[test]
fn the_processor_cannot_be_removed() {
    // Not all devices: other tests' virtual ones are among them.
    remove(&registry::built_in()[..2]);
    assert_eq!(Device::default_device().filter_string(), "native:cpu:0");
}

#[test]
fn devices_with_the_same_name_and_memory_are_the_same() {
    let memory = Some(12_345_678);
    let first = Added::new("accelerator", memory).0[0].clone();
    let second = Added::new("accelerator", memory).0[0].clone();
    assert_eq!(first == second, first.relative_id() == second.relative_id());
    let other = Added::new("accelerator", Some(1 << 20)).0[0].clone();
    assert_ne!(first, other);
}

#[test]
fn device_memory_is_where_the_host_cannot_reach_it() {
    let added = Added::new("gpu", None);
    let queue = Queue::new(&added.0[0]);
    for kind in UsmKind::ALL {
        let allocation = Allocation::new(&queue, 100, kind).unwrap();
        assert_eq!(allocation.is_host_accessible(), kind != UsmKind::Device);
        let is_apart = allocation.as_ptr() != allocation.memory().backing_ptr();
        assert_eq!(is_apart, kind == UsmKind::Device);
    }
    let allocation = Allocation::new(&queue, 100, UsmKind::Device).unwrap();
    // The kernel reads the bytes for us and reports that it may not, instead of a fault.
    let mut pipe = [0; 2];
    // SAFETY: the calls get a valid array and descriptors, and an address they check themselves.
    let written = unsafe {
        assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
        let written = libc::write(pipe[1], allocation.as_ptr().cast(), 1);
        let why = std::io::Error::last_os_error();
        libc::close(pipe[0]);
        libc::close(pipe[1]);
        (written, why.raw_os_error())
    };
    assert_eq!(written, (-1, Some(libc::EFAULT)));
}

#[test]
fn memory_is_limited_and_comes_back() {
    let added = Added::new("gpu", Some(1 << 20));
    let device = &added.0[0];
    assert_eq!(device.info().memory_bytes, 1 << 20);
    let context = Context::new(std::slice::from_ref(device)).unwrap();
    let queue = Queue::with_context(&context, device, QueueProperties::default()).unwrap();
    let before = device.free_memory_bytes().unwrap();
    let held = Allocation::new(&queue, 512 << 10, UsmKind::Device).unwrap();
    assert_eq!(device.free_memory_bytes(), Some(before - (512 << 10)));
    let refused = Allocation::new(&queue, 768 << 10, UsmKind::Shared);
    match refused {
        Err(Error::OutOfMemory { device_bytes, .. }) => assert_eq!(device_bytes, 1 << 20),
        other => panic!("unexpected {other:?}"),
    }
    assert!(Allocation::new(&queue, 768 << 10, UsmKind::Host).is_ok());
    drop(held);
    context.trim_memory();
    assert_eq!(device.free_memory_bytes(), Some(before));
}

/// Blocks are rounded up to sizes that are used again, but not beyond what there is.
#[test]
fn all_of_the_memory_can_be_had_at_once() {
    let added = Added::new("gpu", Some(1_000_000));
    let device = &added.0[0];
    let queue = Queue::new(device);
    for size_bytes in [1_000_000, 990_000] {
        let all = Allocation::new(&queue, size_bytes, UsmKind::Device).unwrap();
        copy::fill(&queue, &all, 0, size_bytes, 1).unwrap();
        assert_eq!(device.free_memory_bytes(), Some(0));
        drop(all);
        queue.context().trim_memory();
        assert_eq!(device.free_memory_bytes(), Some(1_000_000));
    }
    let refused = Allocation::new(&queue, 1_000_001, UsmKind::Device).unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("one allocation has at most 976.6 KiB"),
        "{text}"
    );
}

#[test]
fn a_gpu_has_two_tiles_that_are_partitioned_again() {
    let added = Added::new("gpu,cpu", None);
    let (gpu, cpu) = (&added.0[0], &added.0[1]);
    assert_eq!(gpu.info().compute_units, 8);
    let by = |device: &Device, partition: Partition| device.create_sub_devices(&partition);
    let affinity = |domain| Partition::ByAffinity(domain);
    let tiles = by(gpu, affinity(AffinityDomain::NextPartitionable)).unwrap();
    assert_eq!(tiles, by(gpu, affinity(AffinityDomain::Numa)).unwrap());
    assert_eq!(tiles.len(), 2);
    assert_eq!(by(gpu, affinity(AffinityDomain::L2Cache)).unwrap().len(), 2);
    assert_eq!(tiles[1].info().compute_units, 4);
    let quarters = by(&tiles[1], Partition::Equally(2)).unwrap();
    let label = format!("{}/by_affinity(numa)[1]/equally(2)[0]", gpu.filter_string());
    assert_eq!(quarters[0].filter_string(), label);
    assert_eq!(quarters[0].root_device(), gpu);
    assert!(by(&tiles[0], affinity(AffinityDomain::Numa)).is_err());
    assert!(by(gpu, affinity(AffinityDomain::L1Cache)).is_err());
    assert_eq!(by(cpu, Partition::ByCounts(vec![1, 3])).unwrap().len(), 2);
    assert!(by(cpu, affinity(AffinityDomain::NextPartitionable)).is_err());
}

#[test]
fn a_context_spans_devices_and_covers_their_parts() {
    let added = Added::new("gpu:2", None);
    let context = Context::new(&added.0).unwrap();
    let parts = added.0[1]
        .create_sub_devices(&Partition::Equally(4))
        .unwrap();
    assert!(context.covers(&added.0[1]) && context.covers(&parts[0]));
    assert!(!context.covers(&Device::default_device()));
    assert!(!context.is_default() && added.0[0].default_context().is_default());
    assert_eq!(parts[0].default_context(), added.0[1].default_context());
    let queue = Queue::with_context(&context, &parts[0], QueueProperties::default()).unwrap();
    let first = Queue::with_context(&context, &added.0[0], QueueProperties::default()).unwrap();
    let allocation = Allocation::new(&first, 8, UsmKind::Device).unwrap();
    copy::copy_from_host(&queue, &[7; 8], &allocation, 0).unwrap();
    let alone = Queue::new(&added.0[0]);
    let foreign = copy::copy_from_host(&alone, &[7; 8], &allocation, 0);
    assert!(matches!(foreign, Err(Error::ForeignAllocation { .. })));
}
