//! The emitters' own cases, on every device.
//!
//! Each construct of the IR is in one of them, with numbers that break things. What a driver is known to get
//! wrong is listed and must go wrong.

#[path = "../opencl_c/cases.rs"]
mod cases;

use situ_ir::arbitrary::Case;
use situ_runtime::{Device, Queue};

use super::random::{compared_devices, difference, options};
use cases::snapshot_cases;

/// The platform whose mistakes are known.
const POCL: &str = "Portable Computing Language";

/// Cases that PoCL 3.1 gets wrong, as module and kernel, with the reason. They must fail: when one of them
/// passes, it is removed from here.
const EXPECTED_FAILURES: [(&str, &str, &str); 1] = [(
    "barriers",
    "alone",
    "in a loop, some work-items `continue` out of a conditional that contains a barrier, after \
         the barrier; PoCL 3.1 then computes what follows the conditional for all of them",
)];

fn is_expected_to_fail(device: &Device, case: &Case) -> bool {
    device.platform().name() == POCL
        && EXPECTED_FAILURES
            .iter()
            .any(|(module, kernel, _)| case.module.name == *module && case.kernel == *kernel)
}

#[test]
fn written_cases_agree_with_the_interpreter() {
    let cases = snapshot_cases();
    std::thread::scope(|scope| {
        for device in compared_devices() {
            let cases = &cases;
            scope.spawn(move || {
                let queue = Queue::new(&device);
                let options = options(device.info().sub_group_size());
                for case in cases {
                    let found = difference(&queue, case, &options);
                    let name = device.filter_string();
                    match (found, is_expected_to_fail(&device, case)) {
                        (None, false) | (Some(_), true) => {}
                        (Some(mismatch), false) => panic!("on {name}: {mismatch}\n{case}"),
                        (None, true) => panic!("`{}` works now on {name}", case.kernel),
                    }
                }
            });
        }
    });
}
