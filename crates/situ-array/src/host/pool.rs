//! The threads that library code on the host shares its work among.
//!
//! One pool for the process, as large as the native device. Library code must run inside of [`install`]:
//! outside of it `rayon` would start a pool of its own, which a forked child could not use.

use rayon::{ThreadPool, ThreadPoolBuilder};
use situ_runtime::config::process_config;
use situ_runtime::fork::ForkLocal;

static POOL: ForkLocal<Option<ThreadPool>> = ForkLocal::new();

/// How many threads work at the same time inside of [`install`].
pub fn threads() -> usize {
    pool().map_or(1, ThreadPool::current_num_threads)
}

/// Runs something that shares its work by `rayon`, on the threads of the pool.
///
/// Handing it over takes some ten microseconds, so brief work is better done by the caller alone, without `rayon`.
pub fn install<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(work),
        // Not a single thread can be had; then `rayon` itself will do what it can.
        None => work(),
    }
}

/// Runs two things at the same time: one on this thread, and the other one on a thread of the pool.
///
/// That wakes one thread, where [`install`] wakes two and puts the caller to sleep. What runs on this thread must not
/// use `rayon` but through here.
pub fn join(mine: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    let is_member = rayon::current_thread_index().is_some();
    match pool() {
        Some(pool) if !is_member => pool.in_place_scope(|scope| {
            scope.spawn(|_| other());
            mine();
        }),
        _ => {
            rayon::join(mine, other);
        }
    }
}

fn pool() -> Option<&'static ThreadPool> {
    let make = || {
        ThreadPoolBuilder::new()
            .num_threads(process_config().num_threads)
            .thread_name(|index| format!("situ-host-{index}"))
            .build()
            .ok()
    };
    POOL.get_or_init(make).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_shared_by_as_many_threads_as_the_native_device_has() {
        assert_eq!(threads(), process_config().num_threads);
        assert_eq!(install(rayon::current_num_threads), threads());
    }
}
