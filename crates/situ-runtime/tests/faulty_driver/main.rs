//! What happens when a driver fails: `faulty.c` is an OpenCL loader that fails on demand.
//!
//! A process has one loader, and reads its settings once. So every test starts children of this program,
//! each of which runs one of the [`scenarios`] with the faults that the test wants. A child that
//! crashes, hangs or fails an assertion fails the test.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests: a failure may stop them right there"
)]

mod library;
mod scenarios;

use library::{Child, faulty};

#[test]
fn the_faulty_loader_is_harmless_without_faults() {
    if !library::has_drivers() {
        return;
    }
    faulty("works").run();
}

// ----- drivers that do not start -----

#[test]
fn a_loader_that_is_no_library_is_a_reason_and_not_an_error() {
    let garbage = library::directory().join("garbage.so");
    std::fs::write(&garbage, b"this is not a library").unwrap();
    let child = Child::new("no_opencl").set("SITU_OPENCL", garbage.to_str().unwrap());
    assert!(child.run().contains("garbage.so"));
}

#[test]
fn a_driver_that_cannot_be_loaded_is_left_out() {
    if !library::has_drivers() {
        return;
    }
    let vendors = library::directory().join("vendors");
    std::fs::create_dir_all(&vendors).unwrap();
    std::fs::write(vendors.join("broken.icd"), "libThereIsNoSuchDriver.so\n").unwrap();
    let vendors = vendors.to_str().unwrap();
    Child::new("no_opencl")
        .set("OCL_ICD_VENDORS", vendors)
        .run();
}

#[test]
fn a_loader_that_lists_nothing_is_a_reason() {
    if !library::has_drivers() {
        return;
    }
    let said = faulty("no_opencl").faults("platforms=-30").run();
    assert!(said.contains("CL_INVALID_VALUE (-30)"), "{said}");
    let said = faulty("all_refused").faults("devices=-6").run();
    assert!(
        said.contains("clGetDeviceIDs failed: CL_OUT_OF_HOST_MEMORY (-6)"),
        "{said}"
    );
}

#[test]
fn a_device_that_does_not_answer_is_refused_with_the_reason() {
    if !library::has_drivers() {
        return;
    }
    for (faults, says) in [
        (
            "info=-33",
            "clGetDeviceInfo failed: CL_INVALID_DEVICE (-33)",
        ),
        (
            "context=-5",
            "clCreateContext failed: CL_OUT_OF_RESOURCES (-5)",
        ),
        (
            "queue=-6",
            "clCreateCommandQueue failed: CL_OUT_OF_HOST_MEMORY (-6)",
        ),
        (
            "hide=cl_intel_unified_shared_memory svm=0",
            "neither the extension `cl_intel_unified_shared_memory` nor shared virtual memory",
        ),
    ] {
        let said = faulty("all_refused").faults(faults).run();
        assert!(said.contains(says), "{faults}: {said}");
    }
}

// ----- failures at run time -----

#[test]
fn a_failure_is_told_once_and_the_queue_goes_on() {
    if !library::has_drivers() {
        return;
    }
    for faults in [
        "launch=-5@3",
        "finish=-5@4",
        "argument=-51@2",
        "launch=-9999@3",
        "finish=-14@4",
    ] {
        faulty("fails_once").faults(faults).run();
    }
}

#[test]
fn a_lost_device_does_not_take_the_process_with_it() {
    if !library::has_drivers() {
        return;
    }
    for faults in ["launch=-2", "finish=-36", "launch=-5", "finish=-9999"] {
        let said = faulty("lost").faults(faults).run();
        assert!(said.contains("for `count` on opencl:"), "{said}");
        assert!(said.contains("submitted at"), "{said}");
        assert!(said.contains("scenarios.rs:"), "{said}");
    }
}

#[test]
fn the_advice_fits_the_failure() {
    if !library::has_drivers() {
        return;
    }
    for (faults, says) in [
        ("launch=-2", "the driver has lost the device"),
        ("launch=-5", "smaller work-groups"),
        ("launch=-9999", "`reference`"),
        ("launch=-30", "situ doctor"),
    ] {
        let said = faulty("lost").faults(faults).run();
        assert!(said.contains(says), "{faults}: {said}");
    }
}

#[test]
fn copies_and_fills_fail_with_an_error_that_says_where() {
    if !library::has_drivers() {
        return;
    }
    for (faults, says) in [
        ("copy=-5", "failed on opencl:"),
        ("fill=-5", "failed on opencl:"),
    ] {
        let said = faulty("copies_fail").faults(faults).run();
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn memory_that_cannot_be_had_is_out_of_memory() {
    if !library::has_drivers() {
        return;
    }
    faulty("out_of_memory").faults("allocate=-4").run();
}

// ----- programs -----

#[test]
fn a_kernel_that_cannot_be_made_is_an_error_that_names_it() {
    if !library::has_drivers() {
        return;
    }
    for (faults, says) in [
        ("kernel=-6", "clCreateKernel failed for `count` on opencl:"),
        (
            "source=-6",
            "clCreateProgramWithSource failed for `written` on opencl:",
        ),
        ("build=-6", "clBuildProgram failed for `written` on opencl:"),
    ] {
        let said = faulty("does_not_compile").faults(faults).run();
        assert!(said.contains(says), "{said}");
    }
}

/// What is in line 8 depends on the device; it is one of the user's.
#[test]
fn a_build_error_shows_log_code_and_source() {
    if !library::has_drivers() {
        return;
    }
    let said = faulty("does_not_compile")
        .faults("build=-11")
        .set("FAULTY_LOG", "1:8:3: error: the moon is in the wrong place")
        .run();
    for part in [
        "cannot compile `written` for opencl:",
        "why:  1:8:3: error: the moon is in the wrong place",
        "     7 |",
        ">    8 |",
        "     9 |",
        "note: that was written for written.sir:",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

/// The drivers' own compilers complain about code that is really broken.
#[test]
fn real_compilers_are_understood() {
    if !library::has_drivers() {
        return;
    }
    let said = faulty("does_not_compile")
        .set("FAULTY_CODE", "out[i] = i=>out[i] = nonsense")
        .run();
    for part in [
        "nonsense",
        "note: that was written for written.sir:4: `out[i] = i;`",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let marked: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("  >"))
        .collect();
    assert!(!marked.is_empty());
    assert!(
        marked.iter().all(|line| line.ends_with("out[i] = i;")),
        "{said}"
    );
}

// ----- devices that lack something -----

#[test]
fn a_device_without_fp64_says_so_and_refuses_such_kernels() {
    if !library::has_drivers() {
        return;
    }
    let said = faulty("no_fp64").faults("hide=cl_khr_fp64").run();
    for part in ["`halve`", "float64", "halve.sir:3: `x[i] = x[i] / 2.0;`"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn a_device_without_long_atomics_refuses_them_by_line() {
    if !library::has_drivers() {
        return;
    }
    let said = faulty("no_long_atomics")
        .faults("hide=cl_khr_int64_base_atomics")
        .run();
    for part in [
        "`tally`",
        "64-bit atomics",
        "tally.sir:2: `atomic add(out[0], 1) relaxed device;`",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn half_precision_needs_nothing_of_the_device() {
    if !library::has_drivers() {
        return;
    }
    faulty("half_works").faults("hide=cl_khr_fp16").run();
}

#[test]
fn sub_groups_that_are_not_there_are_refused_by_size() {
    if !library::has_drivers() {
        return;
    }
    let said = faulty("no_sub_groups")
        .faults("hide=cl_intel_required_subgroup_size")
        .run();
    assert!(said.contains("sub-groups of 16"), "{said}");
    assert!(said.contains("has no sub-groups"), "{said}");
}

#[test]
fn local_memory_is_limited_by_what_the_device_has() {
    if !library::has_drivers() {
        return;
    }
    faulty("little_local_memory").faults("local=4096").run();
}

#[test]
fn work_groups_are_limited_along_each_dimension() {
    if !library::has_drivers() {
        return;
    }
    faulty("flat_groups").faults("depth=2").run();
}

#[test]
fn a_device_without_the_usm_extension_uses_shared_virtual_memory() {
    if !library::has_drivers() {
        return;
    }
    faulty("works")
        .faults("hide=cl_intel_unified_shared_memory")
        .run();
}

#[test]
fn coarse_memory_alone_gives_device_memory_alone() {
    if !library::has_drivers() {
        return;
    }
    faulty("coarse_only")
        .faults("hide=cl_intel_unified_shared_memory svm=1")
        .run();
}
