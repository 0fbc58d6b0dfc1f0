//! The drivers that must be there: a backend that is missing is not a backend that passes.
//!
//! `tools/with_drivers.py` sets `EXPECTED_DRIVERS`, and says what is in it. Without the variable every
//! test runs over whatever devices there are.

use situ_runtime::backend::{opencl, sycl};

/// A driver that was found, and what became of its devices.
struct Found {
    backend: &'static str,
    /// Its name and the file it is in, in lower case.
    described: String,
    accepted: usize,
    refused: usize,
}

fn found() -> Vec<Found> {
    let opencl = opencl::report().platforms.iter().map(|platform| {
        let devices = platform.devices.as_deref().unwrap_or_default();
        let accepted = devices.iter().filter(|one| one.outcome.is_ok()).count();
        Found {
            backend: "opencl",
            described: format!("{} {:?}", platform.facts.name, platform.facts.file).to_lowercase(),
            accepted,
            refused: devices.len() - accepted,
        }
    });
    let sycl = sycl::report().platforms.iter().map(|platform| {
        let devices = &platform.devices;
        let accepted = devices.iter().filter(|one| one.outcome.is_ok()).count();
        Found {
            backend: "sycl",
            described: platform.facts.name.to_lowercase(),
            accepted,
            refused: devices.len() - accepted,
        }
    });
    opencl.chain(sycl).collect()
}

/// What is wrong with a driver that is expected as `backend/name` or `backend/name=refused`.
fn problem_with(expected: &str, found: &[Found]) -> Option<&'static str> {
    let (driver, outcome) = expected.split_once('=').unwrap_or((expected, "accepted"));
    let (backend, name) = driver.split_once('/').unwrap_or((driver, ""));
    let Some(driver) = found
        .iter()
        .find(|one| one.backend == backend && one.described.contains(name))
    else {
        return Some("is not there");
    };
    match outcome {
        "accepted" if driver.accepted == 0 => Some("has no device that can be used"),
        "refused" if driver.refused == 0 => Some("has no device that is refused"),
        "accepted" | "refused" => None,
        _ => Some("is neither accepted nor refused: mistyped"),
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the variable is for tests, not for situ"
)]
fn every_driver_that_is_expected_is_there() {
    let expected = std::env::var("EXPECTED_DRIVERS").unwrap_or_default();
    let found = found();
    let problems: Vec<_> = expected
        .split_whitespace()
        .filter_map(|driver| problem_with(driver, &found).map(|why| format!("{driver} {why}")))
        .collect();
    assert!(
        problems.is_empty(),
        "{}\nhelp: `make test-rust` installs and registers all drivers; what was found: {:#?} {:#?}",
        problems.join("\n"),
        opencl::report(),
        sycl::report()
    );
}

#[test]
fn a_driver_that_is_missing_refused_or_mistyped_is_a_problem() {
    let found = [
        ("opencl", "works some(\"libworks.so\")", 1, 0),
        ("opencl", "poor", 0, 1),
    ]
    .map(|(backend, described, accepted, refused)| Found {
        backend,
        described: described.to_owned(),
        accepted,
        refused,
    });
    for good in ["opencl/works", "opencl/libworks", "opencl/poor=refused"] {
        assert_eq!(problem_with(good, &found), None, "{good}");
    }
    for bad in [
        "opencl/other",
        "sycl/works",
        "opencl/poor",
        "opencl/works=refused",
        "opencl/works=fine",
    ] {
        assert!(problem_with(bad, &found).is_some(), "{bad}");
    }
}
