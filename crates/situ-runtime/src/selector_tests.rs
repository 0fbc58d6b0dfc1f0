//! Selectors over a fixed list: the two devices that are always there, two GPUs and a second CPU.

use super::*;
use crate::backend::virtual_::{VirtualRequest, append};

/// Numbers are those of a machine without other virtual devices, whatever other tests add.
fn devices() -> Vec<Device> {
    let requests = VirtualRequest::parse_list("gpu:2,cpu:1").unwrap();
    let virtual_devices = append(&mut Vec::new(), &requests, None);
    let always_there = registry::built_in()[..2].to_vec();
    [always_there, virtual_devices].concat()
}

fn found(selector: &str) -> Vec<String> {
    let found = select_all_among(&devices(), selector).unwrap();
    found.iter().map(Device::filter_string).collect()
}

fn problems(selector: &str) -> Vec<SelectorProblem> {
    match select_among(&devices(), selector) {
        Err(Error::UnknownSelector {
            selector: named,
            problems,
            available,
        }) => {
            assert_eq!(named, selector);
            for working in &available {
                assert!(select_among(&devices(), working).is_ok(), "{working}");
            }
            for name in [
                "gpu:1",
                "native:cpu:0",
                "reference:cpu:0",
                "virtual:gpu:1",
                "gpu",
                "cpu:1",
            ] {
                assert!(available.iter().any(|working| working == name), "{name}");
            }
            problems
        }
        other => panic!("`{selector}` gave {other:?}"),
    }
}

#[test]
fn every_form_finds_its_device() {
    for (selector, expected) in [
        ("cpu", "native:cpu:0"),
        ("cpu:0", "native:cpu:0"),
        ("cpu:1", "virtual:cpu:0"),
        ("gpu", "virtual:gpu:0"),
        ("gpu:1", "virtual:gpu:1"),
        ("virtual", "virtual:gpu:0"),
        ("virtual:cpu", "virtual:cpu:0"),
        ("virtual:2", "virtual:cpu:0"),
        ("native", "native:cpu:0"),
        ("native:0", "native:cpu:0"),
        ("native:cpu:0", "native:cpu:0"),
        ("0", "native:cpu:0"),
        ("1", "virtual:gpu:0"),
        (" Native : CPU ", "native:cpu:0"),
        ("reference", "reference:cpu:0"),
        ("reference:cpu:0", "reference:cpu:0"),
    ] {
        let device = select_among(&devices(), selector).unwrap();
        assert_eq!(device.filter_string(), expected, "{selector}");
        assert_eq!(found(selector)[0], expected, "{selector}");
    }
}

/// Looking for drivers takes long, so it is not done for devices that are found without.
#[test]
fn what_no_driver_can_change_is_found_without_drivers() {
    let found = |selector| {
        let device = select_built_in(&devices(), selector)?;
        Some(device.filter_string())
    };
    for (selector, expected) in [
        ("cpu", "native:cpu:0"),
        ("0", "native:cpu:0"),
        ("native", "native:cpu:0"),
        ("reference", "reference:cpu:0"),
        ("virtual:gpu:1", "virtual:gpu:1"),
        ("native:gpu,cpu+fp64", "native:cpu:0"),
    ] {
        assert_eq!(found(selector).as_deref(), Some(expected), "{selector}");
    }
    for selector in [
        "gpu",
        "cpu:1",
        "opencl",
        "opencl:cpu,native",
        "gpu,native",
        "tpu",
    ] {
        assert_eq!(found(selector), None, "{selector}");
    }
}

#[test]
fn the_first_alternative_that_exists_is_meant() {
    for (selector, expected) in [
        ("gpu,cpu", "virtual:gpu:0"),
        ("accelerator,cpu", "native:cpu:0"),
        ("gpu:7, virtual:gpu:1 ,cpu", "virtual:gpu:1"),
    ] {
        let device = select_among(&devices(), selector).unwrap();
        assert_eq!(device.filter_string(), expected, "{selector}");
    }
    assert_eq!(
        found("gpu:1,virtual"),
        ["virtual:gpu:1", "virtual:gpu:0", "virtual:cpu:0"]
    );
    assert_eq!(found("accelerator"), [""; 0]);
}

#[test]
fn aspects_are_required_and_excluded() {
    assert_eq!(found("cpu-emulated"), ["native:cpu:0"]);
    assert_eq!(found("cpu+emulated"), ["virtual:cpu:0"]);
    assert_eq!(found("+gpu+fp64"), ["virtual:gpu:0", "virtual:gpu:1"]);
    assert_eq!(found("cpu:0 + Emulated"), ["virtual:cpu:0"]);
    assert_eq!(found("gpu+fp64-atomic64"), [""; 0]);
    assert_eq!(aspect("FP64").ok(), Some(Aspect::Fp64));
    match aspect("pf64") {
        Err(Error::UnknownAspect { available, .. }) => assert_eq!(available[0], "fp64"),
        other => panic!("unexpected {other:?}"),
    }
}

#[test]
fn what_means_nothing_is_pointed_at() {
    let word = |word: &str| SelectorProblem::UnknownWord { word: word.into() };
    let aspect = |word: &str| SelectorProblem::UnknownAspect { word: word.into() };
    let misplaced = |word: &str| SelectorProblem::Misplaced { word: word.into() };
    let none = |wanted: &str, count| SelectorProblem::NoDevice {
        wanted: wanted.into(),
        count,
    };
    assert_eq!(problems(""), [SelectorProblem::Empty]);
    assert_eq!(problems("gpu,"), [SelectorProblem::Empty]);
    assert_eq!(problems("tpu"), [word("tpu")]);
    assert_eq!(problems(":"), [word("")]);
    assert_eq!(problems("gpu:x"), [word("x")]);
    assert_eq!(problems("gpuu,cpu+fp46"), [word("gpuu"), aspect("fp46")]);
    assert_eq!(problems("-1"), [aspect("1")]);
    assert_eq!(problems("cpu:native"), [misplaced("native")]);
    assert_eq!(problems("native:cpu:0:0"), [misplaced("0")]);
    assert_eq!(problems("cpu:cpu"), [misplaced("cpu")]);
    assert_eq!(problems("gpu:7"), [none("gpu", 2)]);
    assert_eq!(
        problems("accelerator,native:gpu"),
        [none("accelerator", 0), none("native:gpu", 0)]
    );
    assert_eq!(problems("gpu-emulated"), [none("gpu-emulated", 0)]);
    assert_eq!(
        problems("99999999999999999999"),
        [word("99999999999999999999")]
    );
}

#[test]
fn messages_say_what_is_meant_and_list_what_works_nearest_first() {
    let text = select_among(&devices(), "virtal:gpu:1")
        .unwrap_err()
        .to_string();
    assert!(
        text.starts_with("there is no device `virtal:gpu:1`\n"),
        "{text}"
    );
    assert!(text.contains("`virtal` is no backend, device type or number (is `virtual` meant?)"));
    let first = text.split("work here are ").nth(1).unwrap();
    assert!(first.starts_with("`virtual:gpu:1`, "), "{text}");
    let text = select_among(&devices(), "gpu:2").unwrap_err().to_string();
    assert!(
        text.contains("2 devices fit `gpu`, so their numbers are 0 to 1"),
        "{text}"
    );
}
