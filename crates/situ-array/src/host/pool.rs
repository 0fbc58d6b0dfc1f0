//! The threads that library code on the host shares its work among.
//!
//! One pool for the process, as large as the native device; a forked child makes its own.

use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};
use situ_host::{Team, Threads};
use situ_runtime::Device;
use situ_runtime::backend::native::pool::Pool;
use situ_runtime::config::process_config;
use situ_runtime::fork::ForkLocal;
use situ_runtime::memory::relief::retry_after_trim;

static POOL: ForkLocal<Option<ThreadPool>> = ForkLocal::new();

/// The threads of this process. If not a single one can be had, `rayon` itself will do what it can.
pub fn threads() -> Threads<'static> {
    let build = || {
        ThreadPoolBuilder::new()
            .num_threads(process_config().num_threads)
            .thread_name(|index| format!("situ-host-{index}"))
            .build()
    };
    let make = || retry_after_trim(build).ok();
    Threads::new(POOL.get_or_init(make).as_ref())
}

/// The threads of kernels on a device, for library code that is cut into a few parts.
#[derive(Debug, Clone)]
pub struct KernelThreads(Option<Arc<Pool>>);

impl KernelThreads {
    /// Those of a device.
    pub fn new(device: &Device) -> Self {
        Self(device.pool().cloned())
    }

    /// All threads of this process, with these as a team.
    pub fn threads(&self) -> Threads<'_> {
        let team = self.0.as_ref().map(|_| self as &dyn Team);
        threads().with_team(team)
    }
}

impl Team for KernelThreads {
    fn count(&self) -> usize {
        self.0.as_ref().map_or(1, |pool| pool.threads())
    }

    fn share(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        match &self.0 {
            Some(pool) => pool
                .share(parts as u64, &|index| part(index as usize))
                .unwrap_or_else(|error| panic!("{error}")),
            None => (0..parts).for_each(part),
        }
    }
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
