//! Rounds of compiled code that run at the same time: what `situ_run_rounds` of `stoppable.c` hands to the pool.
//!
//! Short rounds never get here: C runs them where they are. Each thread that takes part is a *worker* with a number that
//! no other has meanwhile, by which rounds find scratch memory of their own.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use super::pool::{CostEstimate, Pool, Work};
use super::scratch::Scratch;
use super::stoppable;
use crate::error::Error;

/// The most threads that run rounds of one loop at the same time. Whoever gives each of them memory counts on it.
pub(crate) const MAX_WORKERS: usize = 64;

/// A function that runs some rounds; see `situ_codegen::llvm::abi::RUN_ROUNDS`.
pub(super) type RoundsFunction =
    unsafe extern "C" fn(context: *const c_void, first: i64, last: i64, worker: i64);

/// What C keeps for each loop: a [`CostEstimate`], and a counter of its own.
#[repr(C)]
pub(super) struct RoundsCost {
    estimate: CostEstimate,
    unmeasured: u32,
}

// SAFETY: the declarations are those of `stoppable.c`.
unsafe extern "C" {
    fn situ_run_rounds();
    fn situ_share_rounds_by(
        share: unsafe extern "C" fn(RoundsFunction, *const c_void, i64, *const RoundsCost) -> bool,
    );
}

thread_local! {
    /// Who shares the work of the kernel that this thread runs, and what stack it needs.
    static SHARING: Cell<Option<Sharing>> = const { Cell::new(None) };
}

#[derive(Clone, Copy)]
struct Sharing {
    pool: *const Pool,
    stack_bytes: usize,
}

/// Runs `call`, a call of a kernel whose rounds a pool shares.
pub(super) fn shared_by(pool: &Pool, stack_bytes: usize, call: impl FnOnce()) {
    let sharing = Sharing { pool, stack_bytes };
    let before = SHARING.replace(Some(sharing));
    call();
    SHARING.set(before);
}

/// The address of the function that compiled code calls.
pub(super) fn address() -> *const c_void {
    static PREPARED: Once = Once::new();
    // SAFETY: the function may be called from any thread.
    PREPARED.call_once(|| unsafe { situ_share_rounds_by(share) });
    situ_run_rounds as *const c_void
}

/// Shares rounds out; false if they were stopped before their end.
unsafe extern "C" fn share(
    function: RoundsFunction,
    context: *const c_void,
    count: i64,
    cost: *const RoundsCost,
) -> bool {
    let Some(sharing) = SHARING.get() else {
        // SAFETY: as the compiled code that calls promises.
        return unsafe { stoppable::call_rounds(function, context, 0..count, 0) };
    };
    // SAFETY: the pool outlives the call of the kernel that is under way, and the cost the code that is.
    let (pool, cost) = unsafe { (&*sharing.pool, &*cost) };
    let context = Context(context);
    let workers = Workers::default();
    let work = Work {
        len: count.unsigned_abs(),
        granule: 1,
        scratch_bytes: 0,
        stack_bytes: sharing.stack_bytes,
        cost: &cost.estimate,
    };
    let result = pool.run(&work, &|chunk: Range<u64>, _: &mut Scratch| {
        let worker = workers.join();
        let rounds = chunk.start as i64..chunk.end as i64;
        let call = || {
            // SAFETY: as above; the ranges that a pool gives are disjoint and part of all rounds.
            unsafe { stoppable::call_rounds(function, context.start(), rounds, worker.number()) };
        };
        shared_by(pool, sharing.stack_bytes, call);
    });
    match result {
        Ok(()) => true,
        Err(Error::Stopped) => false,
        Err(error) => {
            stoppable::fail_with(error);
            false
        }
    }
}

/// What rounds use of the function around them; it waits until they are done.
#[derive(Clone, Copy)]
struct Context(*const c_void);

// SAFETY: rounds only read it.
unsafe impl Sync for Context {}

impl Context {
    fn start(&self) -> *const c_void {
        self.0
    }
}

/// The numbers of workers that are in use, as bits.
#[derive(Default)]
struct Workers(AtomicU64);

/// A number while it is in use.
struct Worker<'a> {
    workers: &'a Workers,
    bit: u32,
}

impl Workers {
    /// Takes the lowest number that is free. A pool of more threads than there are numbers waits for one.
    fn join(&self) -> Worker<'_> {
        loop {
            let used = self.0.load(Ordering::Relaxed);
            let bit = used.trailing_ones();
            if bit as usize >= MAX_WORKERS {
                std::thread::yield_now();
                continue;
            }
            let taken = used | (1 << bit);
            let order = Ordering::Acquire;
            if self
                .0
                .compare_exchange_weak(used, taken, order, Ordering::Relaxed)
                .is_ok()
            {
                return Worker { workers: self, bit };
            }
        }
    }
}

impl Worker<'_> {
    /// Counted from 1: number 0 is the thread that runs the kernel, with rounds that nobody else takes part in.
    fn number(&self) -> i64 {
        i64::from(self.bit) + 1
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.workers
            .0
            .fetch_and(!(1 << self.bit), Ordering::Release);
    }
}
