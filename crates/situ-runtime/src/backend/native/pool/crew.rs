//! The workers of one process: how they learn of launches, and what they do when there is none.

use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{CoreSet, Job};
use crate::interrupt;
use crate::memory::relief::retry_after_trim;

/// How long an idle worker watches before it sleeps: as long as it takes a caller to come back with the next launch from Python, whose data a
/// large launch has driven out of the caches.
const SPIN: Duration = Duration::from_micros(100);

/// How long a worker, or a caller, watches while a launch is under way that has nothing left to take: waking it
/// afterwards takes a good part of that.
const SPIN_WHILE_OPEN: Duration = Duration::from_micros(500);

/// After how long others may have the core of a thread that watches: perhaps those who are waited for have none.
const POLITE_AFTER: Duration = Duration::from_micros(30);

/// After how long a worker that watches calls the reminders it was given: time enough to begin a wait.
const GRACE: Duration = Duration::from_micros(15);

/// The workers, who end with it.
pub(super) struct Crew {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

impl Crew {
    /// Starts workers. With fewer than asked for, launches are slower but complete.
    pub(super) fn start(count: usize, cores: Option<&CoreSet>) -> Self {
        let shared = Arc::new(Shared::default());
        let workers = (0..count)
            .map_while(|index| {
                let start = || {
                    let shared = Arc::clone(&shared);
                    let cores = cores.cloned();
                    thread::Builder::new()
                        .name(format!("situ-worker-{index}"))
                        .spawn(move || {
                            if let Some(cores) = cores {
                                // A system that does not allow it costs locality, not results.
                                cores.pin_this_thread();
                            }
                            shared.work();
                        })
                };
                retry_after_trim(start).ok()
            })
            .collect();
        Self { shared, workers }
    }

    /// Lets workers join a job, until [`Crew::retire`]. Meanwhile it must stay where it is.
    pub(super) fn publish(&self, job: &Job<'_>) {
        self.shared.publish(job);
    }

    /// Takes a job off the board, so that no more workers join, and waits for those that did.
    pub(super) fn retire(&self, job: &Job<'_>) {
        self.shared.retire(job);
    }

    /// Has a worker that watches call `reminder`; false if none does.
    pub(super) fn remind(&self, reminder: impl FnOnce() + Send + 'static) -> bool {
        let mut board = self.shared.lock();
        if board.watching == 0 {
            return false;
        }
        board.reminders.push(Box::new(reminder));
        self.shared
            .reminders
            .store(board.reminders.len(), Ordering::Relaxed);
        true
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.epoch.fetch_add(1, Ordering::Release);
        self.shared.work_published.notify_all();
        for worker in self.workers.drain(..) {
            // Workers catch panics of the work, so joining cannot fail.
            let _ = worker.join();
        }
    }
}

#[derive(Default)]
struct Shared {
    board: Mutex<Board>,
    work_published: Condvar,
    /// Counts publications; idle workers watch it without the lock.
    epoch: AtomicUsize,
    /// How many jobs and reminders are on the board, for those who watch.
    jobs: AtomicUsize,
    reminders: AtomicUsize,
}

/// The launches that workers may join.
#[derive(Default)]
struct Board {
    jobs: Vec<JobRef>,
    reminders: Vec<Box<dyn FnOnce() + Send>>,
    watching: usize,
    sleeping: usize,
    is_closing: bool,
}

/// A job on some caller's stack. It stays valid while it is on the board or a worker that joined
/// it is active: see [`Shared::retire`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct JobRef(*const ());

// SAFETY: `Job` is made of atomics, locks and `Sync` data; the reference only travels.
unsafe impl Send for JobRef {}

/// What a worker does next.
enum Next {
    /// Takes part in a job, as its participant of this number.
    Join(JobRef, usize),
    /// Watches for a publication after this many.
    Watch(usize),
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, job: &Job<'_>) {
        let helpers_wanted = job.runs.len() - 1;
        let to_wake = {
            let mut board = self.lock();
            board.jobs.push(JobRef::new(job));
            self.jobs.store(board.jobs.len(), Ordering::Relaxed);
            self.epoch.fetch_add(1, Ordering::Release);
            board.sleeping.min(helpers_wanted)
        };
        for _ in 0..to_wake {
            self.work_published.notify_one();
        }
    }

    fn retire(&self, job: &Job<'_>) {
        let reference = JobRef::new(job);
        {
            let mut board = self.lock();
            board.jobs.retain(|listed| *listed != reference);
            self.jobs.store(board.jobs.len(), Ordering::Relaxed);
        }
        let mut watch = Watch::begin();
        while job.active.load(Ordering::Acquire) > 0 {
            if !watch.goes_on(true, false) {
                thread::park();
            }
        }
    }

    /// The life of a worker.
    fn work(&self) {
        loop {
            match self.next() {
                Next::Join(job, own) => {
                    // SAFETY: joining made this worker active, so the caller keeps the job alive
                    // until `leave`.
                    let job = unsafe { job.as_job() };
                    interrupt::while_stoppable(job.flag.clone(), || job.participate(own));
                    leave(job);
                }
                Next::Watch(seen) => {
                    self.watch(seen);
                    if !self.sleep(seen) {
                        return;
                    }
                }
            }
        }
    }

    /// Joins a job that has work, or begins to watch.
    fn next(&self) -> Next {
        let mut board = self.lock();
        let joined = board.jobs.iter().find_map(|reference| {
            // SAFETY: jobs on the board are alive, and retiring one needs the lock we hold.
            let job = unsafe { reference.as_job() };
            let own = job.joined.load(Ordering::Relaxed);
            if own == job.runs.len() || !job.has_work() {
                return None;
            }
            job.joined.store(own + 1, Ordering::Relaxed);
            job.active.fetch_add(1, Ordering::Relaxed);
            Some(Next::Join(*reference, own))
        });
        joined.unwrap_or_else(|| {
            board.watching += 1;
            Next::Watch(self.epoch.load(Ordering::Acquire))
        })
    }

    /// Watches until something is published after `seen` or time is up, and then calls the reminders of that time.
    fn watch(&self, seen: usize) {
        let mut watch = Watch::begin();
        while self.epoch.load(Ordering::Acquire) == seen {
            let is_open = self.jobs.load(Ordering::Relaxed) > 0;
            let has_reminders = self.reminders.load(Ordering::Relaxed) > 0;
            if !watch.goes_on(is_open, has_reminders) {
                break;
            }
        }
        let reminders = {
            let mut board = self.lock();
            board.watching -= 1;
            self.reminders.store(0, Ordering::Relaxed);
            mem::take(&mut board.reminders)
        };
        for remind in reminders {
            remind();
        }
    }

    /// Returns when something was published after `seen`, or `false` when the pool closes.
    fn sleep(&self, seen: usize) -> bool {
        let mut board = self.lock();
        while !board.is_closing && self.epoch.load(Ordering::Acquire) == seen {
            board.sleeping += 1;
            board = self
                .work_published
                .wait(board)
                .unwrap_or_else(PoisonError::into_inner);
            board.sleeping -= 1;
        }
        !board.is_closing
    }
}

impl JobRef {
    fn new(job: &Job<'_>) -> Self {
        Self(std::ptr::from_ref(job).cast())
    }

    /// # Safety
    /// The job is still on its caller's stack, see the type's documentation.
    unsafe fn as_job<'a>(self) -> &'a Job<'a> {
        // SAFETY: as required of the caller.
        unsafe { &*self.0.cast() }
    }
}

/// Ends a worker's part in a job. The job may be gone the moment `active` drops, so everything
/// needed afterwards is copied before.
fn leave(job: &Job<'_>) {
    let caller = job.caller.clone();
    if job.active.fetch_sub(1, Ordering::Release) == 1 {
        caller.unpark();
    }
}

/// A thread that watches for something, for a short while.
struct Watch {
    begin: Instant,
    /// When it ends if nothing is open any more.
    end: Instant,
    /// When the first reminder was seen.
    reminded: Option<Instant>,
}

impl Watch {
    fn begin() -> Self {
        let begin = Instant::now();
        Self {
            begin,
            end: begin + SPIN,
            reminded: None,
        }
    }

    /// Passes a moment; false when it is time to sleep.
    ///
    /// It takes longer while something `is_open` that probably brings what is watched for.
    fn goes_on(&mut self, is_open: bool, has_reminders: bool) -> bool {
        let now = Instant::now();
        if is_open && now < self.begin + SPIN_WHILE_OPEN {
            self.end = now + SPIN;
        }
        if has_reminders {
            self.end = self.end.min(*self.reminded.get_or_insert(now) + GRACE);
        }
        if now >= self.begin + POLITE_AFTER {
            thread::yield_now();
        } else {
            for _ in 0..16 {
                std::hint::spin_loop();
            }
        }
        now < self.end
    }
}
