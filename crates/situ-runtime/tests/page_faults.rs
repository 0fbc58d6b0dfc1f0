//! Freeing and allocating large memory again costs no page faults. The only test of its process, so
//! that nobody else's faults are counted.

use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Device, Queue, UsmKind};

const SIZE_BYTES: usize = 80_000_000;
const ROUNDS: usize = 100;

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
    let use_once = || {
        let allocation = Allocation::new(&queue, SIZE_BYTES, UsmKind::Device).unwrap();
        copy::fill(&queue, &allocation, 0, SIZE_BYTES, 1).unwrap();
    };
    let start = minor_faults();
    use_once();
    let first = minor_faults() - start;
    // One for each huge page if the system gives them, one for each small page if not.
    assert!(first >= (SIZE_BYTES >> 21) as i64, "{first}");

    let start = minor_faults();
    for _ in 0..ROUNDS {
        use_once();
    }
    let later = minor_faults() - start;
    // Fresh memory would cost `first` in each round; this leaves room for strays.
    assert!(
        later < first.min(ROUNDS as i64),
        "{later} after {first} in the first round"
    );
}
