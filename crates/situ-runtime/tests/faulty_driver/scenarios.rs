//! What children do. Each scenario knows which faults it is run with, and checks that the error is the
//! right one, that queues and the process go on, and that nothing is left behind.

use std::sync::Arc;

use situ_ir::{NdRange, Source, ValidModule, text, validate};
use situ_runtime::backend::opencl::{self, Refusal};
use situ_runtime::memory::copy;
use situ_runtime::{
    Allocation, Argument, Aspect, BackendKind, Device, Error, Event, Kernel, Program, Queue,
    UsmKind,
};

/// Work-items of the launches here.
const ITEMS: usize = 1000;

/// The devices of drivers. A scenario without them would prove nothing.
fn opencl_devices() -> Vec<Device> {
    let all = Device::all();
    let devices: Vec<Device> = all
        .iter()
        .filter(|device| device.backend() == BackendKind::OpenCl)
        .cloned()
        .collect();
    assert!(!devices.is_empty(), "{:?}", opencl::report());
    devices
}

fn module(name: &str, source: &str) -> ValidModule {
    let module = text::parse(Source::new(name, source)).unwrap();
    validate(module).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// Each element becomes its index.
fn counting() -> ValidModule {
    module(
        "written.sir",
        "module \"written\"
kernel[1] count(out: global i64*) {
    let i: i64 = global_id(0);
    out[i] = i;
}",
    )
}

fn kernel(device: &Device, module: &ValidModule) -> Kernel {
    let program = Program::compile(device, module).unwrap();
    let name = program.kernel_names().next().unwrap().to_owned();
    program.kernel(&name).unwrap()
}

fn memory(queue: &Queue, size_bytes: usize) -> Arc<Allocation> {
    Allocation::new(queue, size_bytes, UsmKind::Device).unwrap()
}

fn launch(queue: &Queue, kernel: &Kernel, out: &Arc<Allocation>) -> Result<Event, Error> {
    let range = NdRange::new(&[ITEMS as u64]).unwrap();
    queue.launch(kernel, &range, &[pointer(out)])
}

fn pointer(allocation: &Arc<Allocation>) -> Argument {
    Argument::Pointer {
        allocation: Arc::clone(allocation),
        byte_offset: 0,
    }
}

/// Launches and waits.
fn run(queue: &Queue, kernel: &Kernel, out: &Arc<Allocation>) -> Result<(), Error> {
    launch(queue, kernel, out)?.wait()
}

fn assert_counted(queue: &Queue, out: &Allocation) {
    let mut bytes = vec![0; ITEMS * 8];
    copy::copy_to_host(queue, out, 0, &mut bytes).unwrap();
    let words = bytes.chunks_exact(8);
    let found = words.map(|word| i64::from_le_bytes(word.try_into().unwrap()));
    assert!(found.eq(0..ITEMS as i64));
}

/// The native device is not touched by anything that happens to drivers.
fn assert_native_works() {
    let device = situ_runtime::select("native").unwrap();
    let queue = Queue::new(&device);
    let out = memory(&queue, ITEMS * 8);
    run(&queue, &kernel(&device, &counting()), &out).unwrap();
    assert_counted(&queue, &out);
}

/// What the driver was asked to make and not to release.
fn live_objects() -> i64 {
    let name = match &opencl::report().loader {
        Ok(name) => name.clone(),
        Err(problem) => panic!("{problem}"),
    };
    // SAFETY: the library is loaded already, and has this function.
    unsafe {
        let library = libloading::Library::new(name).unwrap();
        let objects: libloading::Symbol<'_, unsafe extern "C" fn() -> i64> =
            library.get(b"faulty_objects\0").unwrap();
        objects()
    }
}

fn root_cause(error: &Error) -> &Error {
    match error {
        Error::CommandFailed { source, .. } | Error::DependencyFailed { source, .. } => {
            root_cause(source)
        }
        Error::SeveralFailed { first, .. } => root_cause(first),
        other => other,
    }
}

#[test]
#[ignore = "run in a child process"]
fn works() {
    for device in opencl_devices() {
        let queue = Queue::new(&device);
        let kernel = kernel(&device, &counting());
        for kind in UsmKind::ALL {
            let out = Allocation::new(&queue, ITEMS * 8, kind).unwrap();
            copy::fill(&queue, &out, 0, ITEMS * 8, 9).unwrap();
            run(&queue, &kernel, &out).unwrap();
            assert_counted(&queue, &out);
        }
    }
    assert_native_works();
}

#[test]
#[ignore = "run in a child process"]
fn no_opencl() {
    let report = opencl::report();
    match &report.loader {
        Ok(_) => assert_eq!(report.platforms, []),
        Err(problem) => println!("{problem}"),
    }
    assert!(situ_runtime::select("opencl").is_err());
    assert_native_works();
}

#[test]
#[ignore = "run in a child process"]
fn all_refused() {
    let report = opencl::report();
    assert!(report.loader.is_ok() && !report.platforms.is_empty());
    let mut refusals: Vec<&Refusal> = Vec::new();
    for platform in &report.platforms {
        match &platform.devices {
            Err(why) => refusals.push(why),
            // A driver may have none: it found no hardware that it is for.
            Ok(devices) => {
                let outcomes = devices.iter().map(|device| device.outcome.as_ref());
                refusals.extend(outcomes.map(Result::unwrap_err));
            }
        }
    }
    assert!(!refusals.is_empty());
    for why in refusals {
        println!("{why}");
    }
    assert!(situ_runtime::select("opencl").is_err());
    assert_native_works();
}

/// One call fails; all before and after it work.
#[test]
#[ignore = "run in a child process"]
fn fails_once() {
    let mut failures = 0;
    for device in opencl_devices() {
        let queue = Queue::new(&device);
        let kernel = kernel(&device, &counting());
        let out = memory(&queue, ITEMS * 8);
        for _ in 0..6 {
            match run(&queue, &kernel, &out) {
                Ok(()) => assert_counted(&queue, &out),
                Err(error) => {
                    failures += 1;
                    let named = matches!(root_cause(&error), Error::DriverFailed { subject: Some(name), .. } if name == "count");
                    assert!(named, "{error}");
                }
            }
        }
        // Nobody is told again.
        queue.wait().unwrap();
        run(&queue, &kernel, &out).unwrap();
        assert_counted(&queue, &out);
    }
    assert_eq!(failures, 1);
}

/// Every launch fails.
#[test]
#[ignore = "run in a child process"]
fn lost() {
    for device in opencl_devices() {
        let queue = Queue::new(&device);
        let kernel = kernel(&device, &counting());
        let out = memory(&queue, ITEMS * 8);
        let mut before = 0;
        for round in 0..20 {
            let error = run(&queue, &kernel, &out).unwrap_err();
            assert!(
                matches!(root_cause(&error), Error::DriverFailed { .. }),
                "{error}"
            );
            match round {
                // What the first launch makes may be kept for the next.
                0 => {
                    println!("{error}");
                    before = live_objects();
                }
                _ => assert_eq!(live_objects(), before),
            }
        }
        // A launch that depends on one that failed says so, and so does the queue.
        let events: Vec<Event> = (0..3)
            .filter_map(|_| launch(&queue, &kernel, &out).ok())
            .collect();
        assert!(events.iter().all(|event| event.wait().is_err()));
        let _ = queue.wait();
        queue.wait().unwrap();
        assert_native_works();
    }
}

#[test]
#[ignore = "run in a child process"]
fn copies_fail() {
    for device in opencl_devices() {
        let queue = Queue::new(&device);
        let out = memory(&queue, ITEMS * 8);
        let mut bytes = vec![0; ITEMS * 8];
        let filled = copy::fill(&queue, &out, 0, ITEMS * 8, 9).and_then(|event| event.wait());
        let copied = copy::copy_to_host(&queue, &out, 0, &mut bytes);
        let failed: Vec<Error> = [filled, copied]
            .into_iter()
            .filter_map(Result::err)
            .collect();
        assert!(!failed.is_empty());
        for error in failed {
            println!("{error}");
            let known = matches!(
                root_cause(&error),
                Error::DriverFailed { subject: None, .. }
            );
            assert!(known, "{error}");
        }
        let _ = queue.wait();
        queue.wait().unwrap();
    }
    assert_native_works();
}

#[test]
#[ignore = "run in a child process"]
fn out_of_memory() {
    for device in opencl_devices() {
        let queue = Queue::new(&device);
        for kind in UsmKind::ALL {
            let error = Allocation::new(&queue, 5 << 20, kind).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
            let message = error.to_string();
            for part in ["5 MiB", kind.name(), &device.filter_string()] {
                assert!(message.contains(part), "{message}");
            }
        }
        queue.wait().unwrap();
    }
    assert_native_works();
}

#[test]
#[ignore = "run in a child process"]
fn does_not_compile() {
    for device in opencl_devices() {
        for round in 0..3 {
            let before = live_objects();
            let error = Program::compile(&device, &counting()).unwrap_err();
            println!("{error}");
            if round > 0 {
                assert_eq!(live_objects(), before);
            }
        }
        let queue = Queue::new(&device);
        copy::fill(&queue, &memory(&queue, 64), 0, 64, 1).unwrap();
        queue.wait().unwrap();
    }
    assert_native_works();
}

#[test]
#[ignore = "run in a child process"]
fn no_fp64() {
    let halve = module(
        "halve.sir",
        "kernel[1] halve(x: global f64*) {
    let i: i64 = global_id(0);
    x[i] = x[i] / 2.0;
}",
    );
    for device in opencl_devices() {
        assert!(!device.info().aspects.contains(&Aspect::Fp64));
        let error = Program::compile(&device, &halve).unwrap_err();
        println!("{error}");
        assert!(
            error.to_string().contains(&device.filter_string()),
            "{error}"
        );
        // Single precision is rounded correctly all the same, where the device can.
        let queue = Queue::new(&device);
        let out = memory(&queue, ITEMS * 8);
        run(&queue, &kernel(&device, &counting()), &out).unwrap();
        assert_counted(&queue, &out);
    }
}

#[test]
#[ignore = "run in a child process"]
fn no_long_atomics() {
    let tally = |dtype: &str, one: &str| {
        let source = format!(
            "kernel[1] tally(out: global {dtype}*) {{
    atomic add(out[0], {one}) relaxed device;
}}"
        );
        module("tally.sir", &source)
    };
    for device in opencl_devices() {
        assert!(!device.info().aspects.contains(&Aspect::Atomic64));
        let error = Program::compile(&device, &tally("i64", "1")).unwrap_err();
        println!("{error}");
        // Those of 32 bits, and float addition made of them, need nothing special.
        let queue = Queue::new(&device);
        for (dtype, one, expected) in [
            ("i32", "1i32", (ITEMS as i32).to_le_bytes()),
            ("f32", "1.0f32", (ITEMS as f32).to_le_bytes()),
        ] {
            let out = memory(&queue, 4);
            copy::fill(&queue, &out, 0, 4, 0).unwrap();
            run(&queue, &kernel(&device, &tally(dtype, one)), &out).unwrap();
            let mut found = [0; 4];
            copy::copy_to_host(&queue, &out, 0, &mut found).unwrap();
            assert_eq!(found, expected, "{dtype}");
        }
    }
}

#[test]
#[ignore = "run in a child process"]
fn half_works() {
    let double = module(
        "double.sir",
        "kernel[1] double(x: global f16*) {
    let i: i64 = global_id(0);
    x[i] = x[i] + x[i];
}",
    );
    for device in opencl_devices() {
        assert!(device.info().aspects.contains(&Aspect::Fp16));
        let queue = Queue::new(&device);
        let out = memory(&queue, ITEMS * 2);
        let one_and_a_half = 0x3e00_u16.to_le_bytes().repeat(ITEMS);
        copy::copy_from_host(&queue, &one_and_a_half, &out, 0).unwrap();
        run(&queue, &kernel(&device, &double), &out).unwrap();
        let mut found = vec![0; ITEMS * 2];
        copy::copy_to_host(&queue, &out, 0, &mut found).unwrap();
        assert_eq!(found, 0x4200_u16.to_le_bytes().repeat(ITEMS));
    }
}

#[test]
#[ignore = "run in a child process"]
fn no_sub_groups() {
    let total = module(
        "total.sir",
        "kernel[1] total(out: global i64*) {
    let i: i64 = global_id(0);
    let sum = collective reduce add(i) sub_group;
    out[i] = sum;
}",
    );
    for device in opencl_devices() {
        assert_eq!(device.info().sub_group_sizes, [1]);
        let error = Program::compile_for_sub_groups(&device, &total, 16).unwrap_err();
        println!("{error}");
        // Without a size in mind it works: each work-item is its own sub-group.
        let queue = Queue::new(&device);
        let out = memory(&queue, ITEMS * 8);
        run(&queue, &kernel(&device, &total), &out).unwrap();
        assert_counted(&queue, &out);
    }
}

#[test]
#[ignore = "run in a child process"]
fn little_local_memory() {
    let tile = |length: usize| {
        let source = format!(
            "kernel[1] tile(out: global i64*) {{
    array tile: local i64[{length}];
    let i: i64 = global_id(0);
    tile[local_id(0)] = i;
    barrier(local);
    out[i] = tile[local_id(0)];
}}"
        );
        module("tile.sir", &source)
    };
    for device in opencl_devices() {
        assert_eq!(device.info().max_local_bytes, 4096);
        let queue = Queue::new(&device);
        let out = memory(&queue, ITEMS * 8);
        let error = run(&queue, &kernel(&device, &tile(513)), &out).unwrap_err();
        let Error::LocalMemoryTooLarge {
            kernel: name,
            size_bytes,
            limit,
            ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!(
            (name.as_str(), *size_bytes, *limit),
            ("tile", 513 * 8, 4096)
        );
        run(&queue, &kernel(&device, &tile(500)), &out).unwrap();
        assert_counted(&queue, &out);
        // What collectives need counts, too. Groups that situ chooses fit; the user's are refused.
        let sum = kernel(&device, &summing());
        run(&queue, &sum, &out).unwrap();
        let range = NdRange::with_local(&[1024], &[1024]).unwrap();
        let refused = queue.launch(&sum, &range, &[pointer(&out)]);
        assert!(
            matches!(
                &refused,
                Err(Error::LocalMemoryTooLarge {
                    size_bytes: 8192,
                    ..
                })
            ),
            "{refused:?}"
        );
        queue.wait().unwrap();
    }
}

/// A kernel with a collective of the work-group.
fn summing() -> ValidModule {
    module(
        "sum.sir",
        "kernel[1] sum(out: global i64*) {
    let i: i64 = global_id(0);
    let sum = collective reduce add(i) work_group;
    out[i] = sum;
}",
    )
}

/// OpenCL's last dimension is the first of situ, the slowest.
#[test]
#[ignore = "run in a child process"]
fn flat_groups() {
    let count = module(
        "space.sir",
        "kernel[3] count(out: global i64*) {
    let i: i64 = global_linear_id();
    out[i] = i;
    let j: i64 = local_id(0);
}",
    );
    for device in opencl_devices() {
        let width = device.info().max_work_item_sizes[2];
        assert_eq!(device.info().max_work_item_sizes[0], 2);
        assert!(width > 2);
        let queue = Queue::new(&device);
        let out = memory(&queue, ITEMS * 8);
        let kernel = kernel(&device, &count);
        let range = NdRange::with_local(&[10, 10, 10], &[5, 1, 1]).unwrap();
        let error = queue.launch(&kernel, &range, &[pointer(&out)]).unwrap_err();
        let Error::WorkGroupTooLong {
            dimension, limits, ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!((*dimension, limits[0]), (0, 2));
        assert!(
            error
                .to_string()
                .contains("at most 2 work-items along dimension 0")
        );
        // Also where situ chooses.
        for range in [
            NdRange::with_local(&[10, 10, 10], &[2, 5, 10]),
            NdRange::new(&[10, 10, 10]),
            NdRange::new(&[1000, 1, 1]),
        ] {
            copy::fill(&queue, &out, 0, ITEMS * 8, 0).unwrap();
            let event = queue.launch(&kernel, &range.unwrap(), &[pointer(&out)]);
            event.unwrap().wait().unwrap();
            assert_counted(&queue, &out);
        }
    }
}

#[test]
#[ignore = "run in a child process"]
fn coarse_only() {
    for device in opencl_devices() {
        let queue = Queue::new(&device);
        for kind in [UsmKind::Shared, UsmKind::Host] {
            let error = Allocation::new(&queue, 1000, kind).unwrap_err();
            let Error::UsmKindMissing { available, .. } = &error else {
                panic!("{error}");
            };
            assert_eq!(*available, ["device"]);
        }
        let aspects = &device.info().aspects;
        assert!(aspects.contains(&Aspect::UsmDeviceAllocations));
        assert!(!aspects.contains(&Aspect::UsmSharedAllocations));
        assert!(!aspects.contains(&Aspect::UsmHostAllocations));
        let out = memory(&queue, ITEMS * 8);
        assert!(!out.is_host_accessible());
        copy::fill(&queue, &out, 0, ITEMS * 8, 9).unwrap();
        run(&queue, &kernel(&device, &counting()), &out).unwrap();
        assert_counted(&queue, &out);
        let other = memory(&queue, ITEMS * 8);
        copy::copy(&queue, (&out, 0), (&other, 0), ITEMS * 8).unwrap();
        assert_counted(&queue, &other);
    }
}
