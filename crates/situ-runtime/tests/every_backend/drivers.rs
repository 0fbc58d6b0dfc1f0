//! What only devices of drivers can get wrong.

use std::ffi::CStr;

use situ_ir::NdRange;
use situ_runtime::backend::{opencl, sycl};
use situ_runtime::memory::copy;
use situ_runtime::{Allocation, BackendKind, Device, Error, Program, Queue, UsmKind};

use super::{
    compile, counting_kernel, download, every_device, on_every_device, pointer_to, upload,
    validated,
};

#[test]
fn everything_that_drivers_offer_is_explained() {
    let report = opencl::report();
    let listed = every_device();
    for platform in &report.platforms {
        assert!(platform.facts.file.is_some(), "{platform:?}");
        for device in platform.devices.as_ref().unwrap() {
            match &device.outcome {
                Ok(name) => assert!(listed.iter().any(|one| one.filter_string() == *name)),
                Err(why) => assert!(!why.to_string().is_empty()),
            }
        }
    }
    assert_eq!(listed[0].backend(), BackendKind::Native);
}

#[test]
fn everything_that_the_sycl_runtime_offers_is_explained() {
    let report = sycl::report();
    let listed = every_device();
    let devices = report.platforms.iter().flat_map(|one| &one.devices);
    let mut accepted = 0;
    for device in devices {
        assert!(!device.name.is_empty() && !device.version.is_empty());
        match &device.outcome {
            Ok(name) => {
                let found = listed.iter().find(|one| one.filter_string() == *name);
                assert_eq!(found.map(Device::name), Some(device.name.as_str()));
                accepted += 1;
            }
            Err(why) => assert!(!why.to_string().is_empty()),
        }
    }
    let of_sycl = |device: &&Device| device.backend() == BackendKind::Sycl;
    assert_eq!(listed.iter().filter(of_sycl).count(), accepted);
    if let Ok(library) = &report.library {
        assert!(library.file.ends_with(sycl::FILE_NAME), "{library:?}");
        assert!(!library.version.is_empty(), "{library:?}");
    }
}

/// Whether a device is driven by other people's code.
fn has_driver(device: &Device) -> bool {
    matches!(device.backend(), BackendKind::OpenCl | BackendKind::Sycl)
}

#[test]
fn device_memory_is_not_the_hosts_but_shared_and_host_memory_is() {
    on_every_device(|queue| {
        if !has_driver(queue.device()) {
            return;
        }
        for kind in UsmKind::ALL {
            let allocation = Allocation::new(queue, 1000, kind).unwrap();
            assert_eq!(allocation.is_host_accessible(), kind != UsmKind::Device);
            copy::fill(queue, &allocation, 0, 1000, 7).unwrap();
            allocation.wait_for_writes().unwrap();
            if allocation.is_host_accessible() {
                // SAFETY: the memory is the host's, too, and no command is pending.
                let last = unsafe { allocation.as_ptr().add(999).read() };
                assert_eq!(last, 7);
            }
        }
    });
}

#[test]
fn overlapping_copies_are_as_if_the_source_was_read_first() {
    on_every_device(|queue| {
        for (from, to) in [(0, 1), (1, 0), (0, 37), (37, 0), (5, 5)] {
            let bytes: Vec<u8> = (0..100).collect();
            let allocation = upload(queue, &bytes);
            copy::copy(queue, (&allocation, from), (&allocation, to), 60).unwrap();
            let mut expected = bytes.clone();
            expected.copy_within(from..from + 60, to);
            assert_eq!(download::<u8>(queue, &allocation), expected);
        }
    });
}

#[test]
fn fills_reach_exactly_their_range() {
    on_every_device(|queue| {
        for (start, len) in [(0, 64), (1, 64), (16, 33), (63, 1), (0, 0)] {
            let allocation = upload(queue, &[1u8; 128]);
            copy::fill(queue, &allocation, start, len, 9).unwrap();
            let mut expected = [1; 128];
            expected[start..start + len].fill(9);
            assert_eq!(download::<u8>(queue, &allocation), expected);
        }
    });
}

/// A child's driver has no threads: it would wait for ever.
#[test]
fn a_forked_child_is_told_that_the_driver_is_lost() {
    for device in every_device().iter() {
        if !has_driver(device) {
            continue;
        }
        let queue = Queue::new(device);
        let kernel = compile(&queue, counting_kernel());
        let memory = upload(&queue, &[0i64; 4]);
        let module = validated(counting_kernel());
        let told = in_child(|| {
            let is_lost = |error: Error| matches!(error, Error::DriverLostInFork { .. });
            let range = NdRange::new(&[4]).unwrap();
            let launched = queue
                .launch(&kernel, &range, &[pointer_to(&memory)])
                .and_then(|event| event.wait());
            let compiled = Program::compile(queue.device(), &module).map(drop);
            let allocated = Allocation::new(&queue, 1 << 20, UsmKind::Device).map(drop);
            let copied = copy::copy_to_host(&queue, &memory, 0, &mut [0; 8]);
            [launched, compiled, allocated, copied]
                .into_iter()
                .all(|result| result.err().is_some_and(|error| is_lost(root_cause(error))))
        });
        assert!(told, "{}", device.filter_string());
    }
}

fn root_cause(error: Error) -> Error {
    match error {
        Error::CommandFailed { source, .. } => root_cause(*source),
        other => other,
    }
}

/// Whether something holds in a forked child.
fn in_child(check: impl Fn() -> bool) -> bool {
    // SAFETY: the child only computes and leaves without running anybody's destructors.
    unsafe {
        match libc::fork() {
            -1 => panic!(
                "{:?}",
                CStr::from_ptr(libc::strerror(*libc::__errno_location()))
            ),
            0 => libc::_exit(i32::from(!check())),
            child => {
                let mut status = 0;
                libc::waitpid(child, &raw mut status, 0);
                libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
            }
        }
    }
}
