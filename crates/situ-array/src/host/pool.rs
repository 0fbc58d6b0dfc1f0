//! The threads that library code on the host shares its work among.
//!
//! One pool for the process, as large as the native device; a forked child makes its own.

use rayon::{ThreadPool, ThreadPoolBuilder};
use situ_host::Threads;
use situ_runtime::config::process_config;
use situ_runtime::fork::ForkLocal;

static POOL: ForkLocal<Option<ThreadPool>> = ForkLocal::new();

/// The threads of this process. If not a single one can be had, `rayon` itself will do what it can.
pub fn threads() -> Threads<'static> {
    let make = || {
        ThreadPoolBuilder::new()
            .num_threads(process_config().num_threads)
            .thread_name(|index| format!("situ-host-{index}"))
            .build()
            .ok()
    };
    Threads::new(POOL.get_or_init(make).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_shared_by_as_many_threads_as_the_native_device_has() {
        assert_eq!(threads().count(), process_config().num_threads);
        let inside = threads().install(rayon::current_num_threads);
        assert_eq!(inside, threads().count());
    }
}
