//! The thread pool that runs kernels: ranges of work, taken in chunks, stolen when unbalanced.
//!
//! Made for launches rather than tasks (`docs/design/0007-thread-pool.md` compares it with rayon):
//! - The caller always takes part. A launch that is over in a few microseconds runs on the caller
//!   alone: nobody is woken, nothing is allocated. Whether it is that short is *measured*: the
//!   first chunks run inline against the clock, and the rest is shared out if time runs on. A
//!   [`CostEstimate`] kept with the kernel lets later launches skip the trial.
//! - A shared launch is cut into one contiguous run of chunks per thread, which keeps neighbouring
//!   memory on one core; a thread that runs dry steals the back half of the fullest run.
//! - Idle workers watch for work for a few microseconds before they sleep. Meanwhile they can be asked to
//!   [remind](Pool::remind) somebody afterwards, who then need not be woken at once.
//! - A launch waits only for threads that are executing its chunks, so launches from many threads,
//!   and launches from inside work, cannot wait in a circle.
//! - A panic in the work stops that launch and comes back as an error. After `fork` the child
//!   starts workers of its own when it first needs them.

mod crew;

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Instant;

use super::scratch::Scratch;
use super::topology::CoreSet;
pub use crate::backend::cost::CostEstimate;
use crate::backend::cost::{BRIEF_EVERYWHERE_NS, BRIEF_NS, INLINE_NS};
use crate::backend::stack;
use crate::error::{Error, Result, panic_message};
use crate::fork::ForkLocal;
use crate::interrupt::{self, StopFlag};
use crew::Crew;

/// The length of one inline trial chunk, and the time after which the rest is shared out.
const TRIAL_NS: f32 = 8_000.0;

/// The length of a chunk in a shared launch: long against the cost of taking one, short enough
/// to balance.
const CHUNK_NS: f32 = 40_000.0;

/// Chunks per thread below which balance would suffer.
const MIN_CHUNKS_PER_THREAD: u64 = 4;

/// A launch: how much work there is and what is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// Number of items; chunks are ranges of `0..len`.
    pub len: u64,
    /// Chunks begin at multiples of this, except for the end of the last. At least 1.
    pub granule: u64,
    /// Size of the scratch block each chunk may use.
    pub scratch_bytes: usize,
    /// The stack that the work needs.
    pub stack_bytes: usize,
    /// What earlier launches of the same kernel cost.
    pub cost: &'a CostEstimate,
}

/// The work of a launch: called with disjoint ranges, on any thread, in any order.
pub type Body<'a> = dyn Fn(Range<u64>, &mut Scratch) + Sync + 'a;

/// A set of threads that share launches.
pub struct Pool {
    threads: usize,
    /// Where the workers may run; anywhere if there is nothing here.
    cores: Option<CoreSet>,
    crew: ForkLocal<Crew>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Pool")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// A pool of `threads` threads including the caller; at least one. Workers start when a
    /// launch first needs them.
    pub const fn new(threads: usize) -> Self {
        let threads = if threads == 0 { 1 } else { threads };
        Self {
            threads,
            cores: None,
            crew: ForkLocal::new(),
        }
    }

    /// A pool whose workers keep to some processors. The caller of [`Pool::run`] takes part as it is:
    /// whoever wants all of the work there pins the calling thread as well.
    pub(crate) fn pinned(threads: usize, cores: CoreSet) -> Self {
        Self {
            cores: Some(cores),
            ..Self::new(threads)
        }
    }

    /// The processors that threads which run this pool's work should keep to, if not all will do.
    pub(crate) fn cores(&self) -> Option<&CoreSet> {
        self.cores.as_ref()
    }

    /// How many threads take part in a large launch, the caller included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether work is known to be over soon, so that the caller may as well do it.
    pub fn is_brief(&self, len: u64, granule: u64, cost: &CostEstimate) -> bool {
        let granules = len.div_ceil(granule.max(1));
        let threads = self
            .threads
            .min(usize::try_from(granules).unwrap_or(usize::MAX));
        let is_everywhere = self.cores.is_none() && threads == self.threads;
        let limit = if is_everywhere {
            BRIEF_EVERYWHERE_NS
        } else {
            BRIEF_NS
        };
        let limit = limit * threads.max(1) as f32;
        cost.expected_ns(granules).is_some_and(|ns| ns < limit)
    }

    /// Runs all of the work and returns when it is done.
    ///
    /// # Errors
    /// [`Error::WorkPanicked`] when the body panics, [`Error::Stopped`] when it is stopped, and
    /// [`Error::ScratchUnavailable`] or [`Error::StackUnavailable`] when there is no memory; some
    /// chunks may then not have run.
    pub fn run(&self, work: &Work<'_>, body: &Body<'_>) -> Result<()> {
        if work.len == 0 {
            return Ok(());
        }
        let granule = work.granule.max(1);
        let plan = Plan {
            len: work.len,
            granule,
            granules: work.len.div_ceil(granule),
        };
        let known = work.cost.get();
        let begin = match known {
            Some(ns)
                if self.threads > 1
                    && plan.granules > 1
                    && ns * plan.granules as f32 >= INLINE_NS =>
            {
                0
            }
            _ => stack::with_bytes(work.stack_bytes, || {
                self.run_inline(work, &plan, known, body)
            })??,
        };
        if begin < plan.granules {
            self.run_shared(work, &plan, begin, body)?;
        }
        Ok(())
    }

    /// Runs `part` for each of `0..parts`, all at the same time if there are as many threads, and returns when
    /// all are done. Made for parts that are known to be long: nothing is tried on the caller first.
    ///
    /// # Errors
    /// [`Error::WorkPanicked`] when a part panics; some may then not have run.
    pub fn share(&self, parts: u64, part: &(dyn Fn(u64) + Sync)) -> Result<()> {
        let (cost, body) = (CostEstimate::new(), |parts: Range<u64>, _: &mut Scratch| {
            parts.for_each(part);
        });
        let plan = Plan {
            len: parts,
            granule: 1,
            granules: parts,
        };
        let work = Work {
            len: parts,
            granule: 1,
            scratch_bytes: 0,
            stack_bytes: 0,
            cost: &cost,
        };
        if self.threads == 1 || parts <= 1 {
            return self.run(&work, &body);
        }
        self.run_shared(&work, &plan, 0, &body)
    }

    /// Has a thread that watches for work call `reminder` in a moment; false, and nothing is called, if there is no such
    /// thread.
    ///
    /// This is for work that its submitter will probably do itself, by waiting for it. Whoever wakes a thread for it pays for the call, and
    /// the thread that wakes takes a core from those who do the work.
    pub(crate) fn remind(&self, reminder: impl FnOnce() + Send + 'static) -> bool {
        self.crew.get().is_some_and(|crew| crew.remind(reminder))
    }

    /// Runs from the start on the caller until done or out of time; returns the granules done.
    fn run_inline(
        &self,
        work: &Work<'_>,
        plan: &Plan,
        known_ns: Option<f32>,
        body: &Body<'_>,
    ) -> Result<u64> {
        let mut scratch = Scratch::take(work.scratch_bytes)?;
        let only_thread = self.threads == 1;
        let start = Instant::now();
        let mut done: u64 = 0;
        let mut step: u64 = match known_ns {
            _ if only_thread => plan.granules,
            Some(ns) => ((TRIAL_NS / ns) as u64).max(1),
            None => 1,
        };
        let result = loop {
            let end = done.saturating_add(step).min(plan.granules);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| {
                body(plan.items(done..end), &mut scratch);
            })) {
                break Err(panicked(panic.as_ref()));
            }
            // It lasts microseconds unless one call does, which the monitor of calls looks after.
            if let Err(stopped) = interrupt::check_stopped() {
                break Err(stopped);
            }
            done = end;
            if done == plan.granules || start.elapsed().as_nanos() as f32 >= TRIAL_NS {
                break Ok(done);
            }
            step = step.saturating_mul(2);
        };
        scratch.give_back();
        if result.is_ok() {
            work.cost.update(start.elapsed(), done);
        }
        result
    }

    fn run_shared(&self, work: &Work<'_>, plan: &Plan, begin: u64, body: &Body<'_>) -> Result<()> {
        let job = Job::new(work, plan, begin, self.threads, body);
        let crew = self
            .crew
            .get_or_init(|| Crew::start(self.threads - 1, self.cores.as_ref()));
        crew.publish(&job);
        // From here on `job` must outlive every participant, which `retire` waits for; nothing in
        // between can unwind, because `participate` catches panics.
        let start = Instant::now();
        let done = job.participate(0);
        let elapsed = start.elapsed();
        crew.retire(&job);
        if done > 0 {
            work.cost.update(elapsed, done);
        }
        job.into_result()
    }
}

/// How a range of items is cut into granules.
#[derive(Debug, Clone, Copy)]
struct Plan {
    len: u64,
    granule: u64,
    granules: u64,
}

impl Plan {
    fn items(&self, granules: Range<u64>) -> Range<u64> {
        granules.start * self.granule..granules.end.saturating_mul(self.granule).min(self.len)
    }
}

/// One shared launch. Lives on the caller's stack.
struct Job<'a> {
    body: &'a Body<'a>,
    plan: Plan,
    /// The first granule that is shared out.
    begin: u64,
    /// Granules per chunk.
    chunk: u64,
    scratch_bytes: usize,
    stack_bytes: usize,
    runs: Box<[Run]>,
    /// How many threads have joined, the caller included; also the next free run.
    joined: AtomicUsize,
    /// Workers that have joined and not left.
    active: AtomicUsize,
    caller: Thread,
    /// What stops the work that the launch is part of.
    flag: Option<Arc<StopFlag>>,
    stopped: AtomicBool,
    failure: Mutex<Option<Error>>,
}

impl<'a> Job<'a> {
    fn new(work: &Work<'_>, plan: &Plan, begin: u64, threads: usize, body: &'a Body<'a>) -> Self {
        let granules = plan.granules - begin;
        let by_time = work.cost.get().map_or(1, |ns| (CHUNK_NS / ns) as u64);
        let by_balance = granules / (threads as u64 * MIN_CHUNKS_PER_THREAD);
        let by_count = granules.div_ceil(u64::from(u32::MAX));
        let chunk = by_time.min(by_balance).max(by_count).max(1);
        let chunks = granules.div_ceil(chunk);
        let runs = (0..threads as u64)
            .map(|index| {
                let bound =
                    |index: u64| (u128::from(chunks) * u128::from(index) / threads as u128) as u32;
                Run::new(bound(index)..bound(index + 1))
            })
            .collect();
        Self {
            body,
            plan: *plan,
            begin,
            chunk,
            scratch_bytes: work.scratch_bytes,
            stack_bytes: work.stack_bytes,
            runs,
            joined: AtomicUsize::new(1),
            active: AtomicUsize::new(0),
            caller: thread::current(),
            flag: interrupt::current_flag(),
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// Executes chunks until none is left or the launch is stopped; returns how many granules that were.
    fn participate(&self, own: usize) -> u64 {
        stack::with_bytes(self.stack_bytes, || self.execute_chunks(own)).unwrap_or_else(|error| {
            self.stop(error);
            0
        })
    }

    fn execute_chunks(&self, own: usize) -> u64 {
        let mut scratch = match Scratch::take(self.scratch_bytes) {
            Ok(scratch) => scratch,
            Err(error) => {
                self.stop(error);
                return 0;
            }
        };
        let mut done = 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            while let Some(chunk) = self.next_chunk(own) {
                let start = self.begin + u64::from(chunk) * self.chunk;
                let end = start.saturating_add(self.chunk).min(self.plan.granules);
                (self.body)(self.plan.items(start..end), &mut scratch);
                if interrupt::must_stop_soon() {
                    self.stop(Error::Stopped);
                    break;
                }
                done += end - start;
            }
        }));
        scratch.give_back();
        if let Err(panic) = outcome {
            self.stop(panicked(panic.as_ref()));
        }
        done
    }

    fn next_chunk(&self, own: usize) -> Option<u32> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        loop {
            if let Some(chunk) = self.runs[own].take_front() {
                return Some(chunk);
            }
            let fullest = self.runs.iter().max_by_key(|run| run.remaining())?;
            if fullest.remaining() == 0 {
                return None;
            }
            if let Some(stolen) = fullest.steal_back() {
                self.runs[own].refill(stolen);
            }
        }
    }

    fn has_work(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed) && self.runs.iter().any(|run| run.remaining() > 0)
    }

    fn stop(&self, error: Error) {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn into_result(self) -> Result<()> {
        match self
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
        {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// The chunks one thread starts with: `begin..end` in one word, so that the owner at the front
/// and thieves at the back agree without a lock. On its own cache line.
#[repr(align(64))]
struct Run(AtomicU64);

impl Run {
    fn new(chunks: Range<u32>) -> Self {
        Self(AtomicU64::new(pack(&chunks)))
    }

    fn remaining(&self) -> u32 {
        let chunks = unpack(self.0.load(Ordering::Relaxed));
        chunks.end.saturating_sub(chunks.start)
    }

    fn take_front(&self) -> Option<u32> {
        self.0
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |word| {
                let chunks = unpack(word);
                (chunks.start < chunks.end).then(|| pack(&(chunks.start + 1..chunks.end)))
            })
            .ok()
            .map(|word| unpack(word).start)
    }

    /// Takes the back half, rounded up.
    fn steal_back(&self) -> Option<Range<u32>> {
        let middle = |chunks: &Range<u32>| chunks.start + (chunks.end - chunks.start) / 2;
        self.0
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |word| {
                let chunks = unpack(word);
                (chunks.start < chunks.end).then(|| pack(&(chunks.start..middle(&chunks))))
            })
            .ok()
            .map(|word| {
                let chunks = unpack(word);
                middle(&chunks)..chunks.end
            })
    }

    /// Gives the owner of an empty run new chunks. Thieves leave empty runs alone, so a plain
    /// store is enough.
    fn refill(&self, chunks: Range<u32>) {
        self.0.store(pack(&chunks), Ordering::Release);
    }
}

fn pack(chunks: &Range<u32>) -> u64 {
    u64::from(chunks.start) << 32 | u64::from(chunks.end)
}

fn unpack(word: u64) -> Range<u32> {
    (word >> 32) as u32..word as u32
}

fn panicked(payload: &(dyn Any + Send)) -> Error {
    Error::WorkPanicked {
        message: panic_message(payload),
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
