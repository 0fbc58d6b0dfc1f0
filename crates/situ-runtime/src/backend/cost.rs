//! What work costs, as measured: to tell brief launches from long ones.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Launches expected to take less than this stay on the caller.
pub(super) const INLINE_NS: f32 = 20_000.0;

/// Work that all threads together are expected to finish in less than this is brief: handing it to
/// an executor, and the switches of threads on the way there and back, would cost a good part of it.
/// Whoever submits one such launch after the other also finds its data in the caches.
pub(super) const BRIEF_NS: f32 = 100_000.0;

/// The same for work that is given all cores of the machine: an executor would take one of them from those who
/// share the work, and there is none for anything else meanwhile.
pub(super) const BRIEF_EVERYWHERE_NS: f32 = 1_000_000.0;

/// A running estimate of nanoseconds per granule of one kind of work.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct CostEstimate {
    /// An `f32`'s bits; zero means unknown.
    ns_per_granule: AtomicU32,
}

impl CostEstimate {
    /// Nothing is known yet.
    pub const fn new() -> Self {
        Self {
            ns_per_granule: AtomicU32::new(0),
        }
    }

    /// Nanoseconds per granule, if some were measured.
    pub(super) fn get(&self) -> Option<f32> {
        let ns = f32::from_bits(self.ns_per_granule.load(Ordering::Relaxed));
        (ns > 0.0).then_some(ns)
    }

    /// What so much work will take, if that is known.
    pub(super) fn expected_ns(&self, granules: u64) -> Option<f32> {
        self.get().map(|ns| ns * (granules as f32))
    }

    /// Learns from a measurement. Lost updates between threads do no harm.
    ///
    /// A lower cost is believed at once: nothing makes work faster than it is. A higher one may be a
    /// thread that lost its processor for a while, so the estimate at most doubles. What says little
    /// new is not written at all, or threads that launch the same kernel would fight for the cache
    /// line.
    pub(super) fn update(&self, elapsed: Duration, granules: u64) {
        let measured = elapsed.as_nanos() as f32 / granules as f32;
        let learnt = match self.get() {
            None => measured,
            Some(old) if measured < 0.8 * old => measured,
            Some(old) if measured > 1.5 * old => (2.0 * old).min(0.5 * (old + measured)),
            Some(_) => return,
        };
        self.ns_per_granule
            .store(learnt.max(f32::MIN_POSITIVE).to_bits(), Ordering::Relaxed);
    }
}

/// The shortest time that a launch on a device took so far: what its driver needs for itself, whatever
/// the kernel.
#[derive(Debug)]
pub(super) struct LaunchOverhead {
    shortest_ns: AtomicU32,
}

impl LaunchOverhead {
    /// Nothing is known yet.
    pub(super) const fn new() -> Self {
        Self {
            shortest_ns: AtomicU32::new(u32::MAX),
        }
    }

    /// Learns from a launch; gives what of it was the kernel's own.
    pub(super) fn subtract_from(&self, elapsed: Duration) -> Duration {
        let nanos = u32::try_from(elapsed.as_nanos()).unwrap_or(u32::MAX);
        let known = self.shortest_ns.load(Ordering::Relaxed);
        if nanos < known {
            self.shortest_ns.store(nanos, Ordering::Relaxed);
            return Duration::ZERO;
        }
        elapsed.saturating_sub(Duration::from_nanos(u64::from(known)))
    }
}
