//! Freeing and allocating large memory again costs no page faults. The only test of its process, so
//! that nobody else's faults are counted.

use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Device, Queue, UsmKind};

const SIZE_BYTES: usize = 80_000_000;
const ROUNDS: i64 = 100;

/// Page faults of this process that needed no disk.
fn minor_faults() -> i64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the system fills the structure, which has the right size.
    unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()), 0);
        usage.assume_init().ru_minflt
    }
}

#[test]
fn large_memory_is_faulted_in_once() {
    let queue = Queue::new(&Device::default_device());
    let submit = || {
        let allocation = Allocation::new(&queue, SIZE_BYTES, UsmKind::Device).unwrap();
        copy::fill(&queue, &allocation, 0, SIZE_BYTES, 1).unwrap()
    };
    let faults = |work: &dyn Fn()| {
        let start = minor_faults();
        work();
        minor_faults() - start
    };

    let first = faults(&|| submit().wait().unwrap());
    // One for each huge page if the system gives them, one for each small page if not.
    assert!(first >= (SIZE_BYTES >> 21) as i64, "{first}");

    let waiting = faults(&|| {
        for _ in 0..ROUNDS {
            submit().wait().unwrap();
        }
    });
    // Fresh memory would cost `first` in each round; this leaves room for strays.
    assert!(
        waiting < first.min(ROUNDS),
        "{waiting} after {first} in the first round"
    );

    // Each round drops memory that is still being filled. The next waits for it instead of taking
    // fresh memory, unless filling is slower than page faults; then it takes a few blocks more.
    let pending = faults(&|| {
        for _ in 0..ROUNDS {
            submit();
        }
        queue.wait().unwrap();
    });
    assert!(pending < first * ROUNDS / 5, "{pending} after {first}");
}
