//! All memory of one context, and what is tried before an allocation fails.
//!
//! A request is served, in this order, by
//! 1. an idle block of its size class;
//! 2. one that unfinished work is about to give back: see [`ContextMemory::wait_for_used`];
//! 3. the device;
//! 4. the device, after all idle memory of the process went back to it;
//! 5. the device, each time unfinished work of the context has given memory back.
//!
//! Then, or at once when the device could never serve it, it fails with the facts.
//!
//! Idle memory also goes back when it was not used for a while ([`idle_trim`](super::idle_trim)), and before anything else
//! fails that takes memory ([`relief`](super::relief)).

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::pool::{Block, MemoryPool};
use super::returns::Returns;
use super::size_class::{Position, SizeClass};
use super::statistics::{ContextStatistics, PoolStatistics};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor;
use crate::fork::{self, ForkLocal};
use crate::memory::usm::UsmKind;

/// How much memory unfinished work may hold before requests for small blocks wait.
const RUN_AHEAD_BYTES: u64 = 8 << 20;

/// How long a request waits for memory that unfinished work holds, before it takes fresh memory.
const PATIENCE: Duration = Duration::from_secs(1);

/// The part of the device's memory that unfinished work may hold without anything coming back.
/// Beyond that, waits in vain do not keep others from waiting.
const STALLED_SHARE: u64 = 16;

/// How long a request that would otherwise fail waits for work to give memory back. Work that takes
/// longer may be waiting for this very thread.
const LAST_RESORT: Duration = Duration::from_mins(1);

/// The pools of one context.
pub(crate) struct ContextMemory {
    context_id: u64,
    devices: Box<[Device]>,
    pools: [MemoryPool; UsmKind::ALL.len()],
    returns: ForkLocal<Returns>,
    /// How long a used block is waited for.
    patience: Duration,
    /// One more than the generation of the process that has it in its list; see [`fork`].
    listed: AtomicU64,
}

impl ContextMemory {
    /// Empty pools of memory that all of the devices reach. There is at least one.
    pub(crate) fn new(context_id: u64, devices: &[Device]) -> Arc<Self> {
        Arc::new(Self {
            context_id,
            devices: devices.into(),
            pools: UsmKind::ALL.map(|kind| MemoryPool::new(devices[0].clone(), kind)),
            returns: ForkLocal::new(),
            patience: PATIENCE,
            listed: AtomicU64::new(0),
        })
    }

    /// Whether the host may use memory of a kind by its address.
    pub(crate) fn is_host_accessible(&self, kind: UsmKind) -> bool {
        self.pool(kind).is_host_accessible()
    }

    /// A block of at least `size_bytes`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn take(self: &Arc<Self>, size_bytes: usize, kind: UsmKind) -> Result<Block> {
        let pool = self.pool(kind);
        let class = SizeClass::holding(size_bytes);
        let Some(class) = class.filter(|_| size_bytes <= pool.max_block_bytes()) else {
            self.check_available(kind)?;
            return Err(self.out_of_memory(size_bytes, kind));
        };
        if let Some(block) = pool.take_idle(class) {
            return Ok(block);
        }
        self.check_available(kind)?;
        self.take_fresh(pool, class, size_bytes, kind)
            .ok_or_else(|| self.out_of_memory(size_bytes, kind))
    }

    /// A block of at least `size_bytes` that lies idle, if there is one.
    pub(crate) fn take_idle(&self, size_bytes: usize, kind: UsmKind) -> Option<Block> {
        let pool = self.pool(kind);
        let class = SizeClass::holding(size_bytes);
        pool.take_idle(class.filter(|_| size_bytes <= pool.max_block_bytes())?)
    }

    /// Whether the device gives memory of a kind, and to this process.
    fn check_available(&self, kind: UsmKind) -> Result<()> {
        let device = self.device();
        device.driver().check_process()?;
        if device.has_usm_kind(kind) {
            return Ok(());
        }
        let available = UsmKind::ALL.into_iter();
        let available = available.filter(|kind| device.has_usm_kind(*kind));
        Err(Error::UsmKindMissing {
            device: device.filter_string(),
            kind,
            available: available.map(UsmKind::name).collect(),
        })
    }

    /// Notes that a block has no user left, but still work that is not done.
    pub(crate) fn mark_pending(&self, block: &Block, kind: UsmKind) {
        self.pool(kind).mark_pending(block);
    }

    /// Takes a block back; the caller does not use it any more.
    pub(crate) fn give_back(&self, block: &Block, kind: UsmKind, was_pending: bool) {
        self.pool(kind).give_back(block, was_pending);
        if was_pending {
            self.returns().notify();
        }
    }

    /// Returns all idle memory to the system, and how many bytes that was.
    pub(crate) fn trim(&self) -> u64 {
        self.pools.iter().map(MemoryPool::trim).sum()
    }

    /// Returns blocks to the system that nobody took since the last call; tells how many bytes are still idle.
    pub(super) fn release_unused(&self) -> u64 {
        self.pools.iter().map(MemoryPool::release_unused).sum()
    }

    /// What the pool of each kind holds.
    pub(crate) fn statistics(&self) -> [(UsmKind, PoolStatistics); UsmKind::ALL.len()] {
        UsmKind::ALL.map(|kind| (kind, self.pool(kind).statistics()))
    }

    /// The memory of every context of this process that has any, the oldest first.
    pub(crate) fn all() -> Vec<Arc<Self>> {
        let mut list = list().lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|memory| memory.strong_count() > 0);
        list.iter().filter_map(Weak::upgrade).collect()
    }

    /// The device whose driver is asked for memory.
    fn device(&self) -> &Device {
        &self.devices[0]
    }

    fn pool(&self, kind: UsmKind) -> &MemoryPool {
        &self.pools[kind as usize]
    }

    fn returns(&self) -> &Returns {
        self.returns.get_or_init(Returns::default)
    }

    /// Memory that is not idle in the pool: see the module documentation.
    #[cold]
    fn take_fresh(
        self: &Arc<Self>,
        pool: &MemoryPool,
        class: SizeClass,
        size_bytes: usize,
        kind: UsmKind,
    ) -> Option<Block> {
        if let Some(block) = self.wait_for_used(pool, class) {
            return Some(block);
        }
        self.join_list();
        pool.count_system_request();
        let limit = self.device().info().memory_bytes;
        if size_bytes as u64 > limit && kind != UsmKind::Host {
            return None;
        }
        pool.take_fresh(class)
            .or_else(|| {
                trim_all();
                pool.take_fresh(class)
            })
            .or_else(|| self.wait_for_work(pool, class))
    }

    /// A block that unfinished work gives back, if it holds so much that it is worth waiting for.
    ///
    /// A program that submits faster than the device works would otherwise take fresh memory for every
    /// step: pages that have to be made, and that are in no cache when their turn comes. So a large
    /// block is waited for as soon as work holds one of its size, and a small one when work holds many.
    /// What was submitted keeps the device busy meanwhile.
    fn wait_for_used(&self, pool: &MemoryPool, class: SizeClass) -> Option<Block> {
        let returns = self.returns();
        let stalled_limit = self.device().info().memory_bytes / STALLED_SHARE;
        let is_in_vain = returns.is_stalled() && pool.pending_bytes() < stalled_limit;
        if is_in_vain || !may_wait_for_work() {
            return None;
        }
        let deadline = Instant::now() + self.patience;
        if let Position::Large(_) = class.position() {
            return returns.wait(deadline, || {
                // Asked first: what comes back in between is then found, not given up on.
                let pending = pool.pending_large(class);
                match pool.take_idle(class) {
                    None if pending > 0 => ControlFlow::Continue(()),
                    found => ControlFlow::Break(found),
                }
            });
        }
        if pool.pending_bytes() <= RUN_AHEAD_BYTES {
            return None;
        }
        // Until there is much less, so that not every return wakes this thread up.
        returns.watch(deadline, || pool.pending_bytes() <= RUN_AHEAD_BYTES / 2);
        pool.take_idle(class)
    }

    /// A block from a device that had none, as soon as work has given enough back.
    fn wait_for_work(&self, pool: &MemoryPool, class: SizeClass) -> Option<Block> {
        if !may_wait_for_work() {
            return None;
        }
        self.returns().wait(Instant::now() + LAST_RESORT, || {
            let pending: u64 = self.pools.iter().map(MemoryPool::pending_bytes).sum();
            let found = pool.take_idle(class).or_else(|| {
                self.trim();
                pool.take_fresh(class)
            });
            match found {
                None if pending > 0 => ControlFlow::Continue(()),
                found => ControlFlow::Break(found),
            }
        })
    }

    /// Lists these pools for this process, as those of every context from which memory was taken.
    fn join_list(self: &Arc<Self>) {
        let mine = fork::generation() + 1;
        if self.listed.swap(mine, Ordering::Relaxed) != mine {
            let mut list = list().lock().unwrap_or_else(PoisonError::into_inner);
            list.push(Arc::downgrade(self));
        }
    }

    #[cold]
    fn out_of_memory(&self, size_bytes: usize, kind: UsmKind) -> Error {
        self.pool(kind).count_failed_request();
        let own = self.pools.iter();
        let others: Vec<_> = Self::all()
            .into_iter()
            .filter(|other| !std::ptr::eq(&raw const **other, self))
            .filter(|other| other.device().root_device() == self.device().root_device())
            .collect();
        let held: PoolStatistics = own
            .chain(others.iter().flat_map(|other| &other.pools))
            .map(MemoryPool::statistics)
            .sum();
        Error::OutOfMemory {
            size_bytes,
            kind,
            device: self.device().filter_string(),
            device_bytes: self.device().info().memory_bytes,
            free_bytes: self.device().free_memory_bytes(),
            max_allocation_bytes: self.device().info().max_allocation_bytes,
            used_bytes: held.used_bytes,
            pending_bytes: held.pending_bytes,
            idle_bytes: held.idle_bytes,
        }
    }
}

/// What the pools of every context of this process hold, the oldest context first. Contexts from
/// which no memory was taken are left out.
pub fn process_statistics() -> Vec<ContextStatistics> {
    let all = ContextMemory::all();
    all.iter()
        .map(|memory| ContextStatistics {
            context_id: memory.context_id,
            devices: memory.devices.to_vec(),
            kinds: memory.statistics(),
        })
        .collect()
}

/// Returns all idle memory of this process to the system, and how many bytes that was.
pub fn trim_all() -> u64 {
    let all = ContextMemory::all();
    all.iter().map(|memory| memory.trim()).sum()
}

/// Whether this thread may wait for memory that commands hold. One that runs a command may not: it
/// could be the one whose end is waited for.
fn may_wait_for_work() -> bool {
    !executor::is_running_command()
}

/// The memory of contexts in use. A forked child makes its own list, as it comes across them.
fn list() -> &'static Mutex<Vec<Weak<ContextMemory>>> {
    static LIST: ForkLocal<Mutex<Vec<Weak<ContextMemory>>>> = ForkLocal::new();
    LIST.get_or_init(Mutex::default)
}

#[cfg(test)]
#[path = "context_memory_tests.rs"]
mod tests;
