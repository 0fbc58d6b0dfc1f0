//! Memory whose contents are put off until somebody needs them.
//!
//! A library may promise the contents of an allocation instead of submitting the work that makes them: work that
//! waits can be joined with what comes later, and work that nobody needs is never done. Nobody else has to know,
//! because a promise is kept in time:
//!
//! - before a command uses the allocation, or the host, or another package ([`Allocation::settle`]);
//! - before a command, the host or another package writes memory that the work reads
//!   ([`Allocation::promise_reads`]);
//! - before somebody waits for the queue that the work belongs to ([`crate::Queue::promise`]).
//!
//! Who keeps a promise holds a lock until the work is submitted; everybody else who asks for it waits that long. Promises
//! depend on earlier promises only, so these locks are always taken in the same order.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::fork;
use crate::memory::usm::{Allocation, UsmKind};

/// Work that is put off.
pub trait Producer: Any + Send + Sync {
    /// Submits the work, and gives the memory that it writes: a new allocation of the size and kind that were promised,
    /// which nobody else has.
    ///
    /// # Errors
    /// If there is no memory, or the work cannot be submitted. It may be asked again.
    fn produce(&self) -> Result<Arc<Allocation>>;
}

/// What an allocation is as long as it has no memory.
pub(crate) struct Promise {
    context: Context,
    kind: UsmKind,
    size_bytes: usize,
    /// Gone once it has produced.
    producer: Mutex<Option<Arc<dyn Producer>>>,
    /// The process that made the promise. In another one, nobody may be left to unlock it.
    generation: u64,
}

impl Promise {
    pub(crate) fn new(
        context: &Context,
        size_bytes: usize,
        kind: UsmKind,
        producer: Arc<dyn Producer>,
    ) -> Self {
        Self {
            context: context.clone(),
            kind,
            size_bytes,
            producer: Mutex::new(Some(producer)),
            generation: fork::generation(),
        }
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn kind(&self) -> UsmKind {
        self.kind
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// The work, if it is still to be done and nobody is about to do it.
    pub(crate) fn producer(&self) -> Option<Arc<dyn Producer>> {
        self.producer.try_lock().ok().and_then(|held| held.clone())
    }

    /// Has the work done unless it is, and hands the memory over while everybody else waits.
    pub(crate) fn keep(&self, hand_over: impl FnOnce(Arc<Allocation>)) -> Result<()> {
        let mut held = self.lock()?;
        if let Some(producer) = held.as_ref() {
            hand_over(producer.produce()?);
            let done = held.take();
            drop(held);
            // What it was made of may be the last handle of other memory: nothing that needs the lock.
            drop(done);
        }
        Ok(())
    }

    /// # Errors
    /// If a thread of the parent process was about to keep the promise at the fork: it is not here to go on.
    fn lock(&self) -> Result<MutexGuard<'_, Option<Arc<dyn Producer>>>> {
        if self.generation == fork::generation() {
            return Ok(self.producer.lock().unwrap_or_else(PoisonError::into_inner));
        }
        for _ in 0..1000 {
            match self.producer.try_lock() {
                Ok(held) => return Ok(held),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                // It may also be another thread of this process.
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        }
        let device = self.context.devices()[0].filter_string();
        Err(Error::LostInFork { device })
    }
}

impl fmt::Debug for Promise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Promise")
            .field("kind", &self.kind)
            .field("size_bytes", &self.size_bytes)
            .finish_non_exhaustive()
    }
}

/// Promises that somebody has to have kept at some point. It keeps none of them alive.
#[derive(Default)]
pub(crate) struct Promises {
    is_any: AtomicBool,
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    /// In the order in which they were made.
    promised: Vec<Weak<Allocation>>,
    /// The length at which those that are kept or forgotten are taken out.
    prune_at: usize,
}

impl List {
    fn prune(&mut self) {
        let is_open = |promised: &Weak<Allocation>| {
            let allocation = promised.upgrade();
            allocation.is_some_and(|allocation| !allocation.is_settled())
        };
        self.promised.retain(is_open);
        self.prune_at = (2 * self.promised.len()).max(16);
    }
}

impl Promises {
    /// Whether there may be some that have to be kept.
    pub(crate) fn is_any(&self) -> bool {
        self.is_any.load(Ordering::Acquire)
    }

    /// Adds one, and tells how many there are at most.
    pub(crate) fn add(&self, promised: &Arc<Allocation>) -> usize {
        self.with_list(|list| {
            if list.promised.len() >= list.prune_at {
                list.prune();
            }
            list.promised.push(Arc::downgrade(promised));
            self.is_any.store(true, Ordering::Release);
            list.promised.len()
        })
    }

    /// Those that still have to be kept.
    pub(crate) fn open(&self) -> Vec<Arc<Allocation>> {
        let promised = self.with_list(|list| list.promised.clone());
        let there = promised.iter().filter_map(Weak::upgrade);
        there
            .filter(|allocation| !allocation.is_settled())
            .collect()
    }

    /// Has all of them kept.
    ///
    /// They stay on the list until they are: whoever comes meanwhile has to wait for the same ones. The latest
    /// come first, because they may take earlier ones along that nobody else needs.
    ///
    /// # Errors
    /// The first failure. Those that are left stay promised.
    pub(crate) fn settle(&self) -> Result<()> {
        if !self.is_any() {
            return Ok(());
        }
        let promised = self.with_list(|list| list.promised.clone());
        for promised in promised.iter().rev() {
            if let Some(allocation) = promised.upgrade() {
                allocation.settle()?;
            }
        }
        self.with_list(|list| {
            list.prune();
            self.is_any
                .store(!list.promised.is_empty(), Ordering::Release);
        });
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.with_list(|list| list.promised.len())
    }

    /// Nobody forks meanwhile, so a child never finds the list locked.
    fn with_list<T>(&self, work: impl FnOnce(&mut List) -> T) -> T {
        fork::undivided(|| {
            let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut list)
        })
    }
}

impl fmt::Debug for Promises {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_any = self.is_any.load(Ordering::Relaxed);
        write!(formatter, "Promises(any: {is_any})")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use super::*;
    use crate::device::Device;
    use crate::memory::copy;
    use crate::memory::host_view::HostView;
    use crate::queue::Queue;

    const SIZE: usize = 64;

    /// Promises a copy of some memory.
    struct Copying {
        queue: Queue,
        source: Arc<Allocation>,
        times: AtomicUsize,
        is_refused: AtomicBool,
    }

    impl Producer for Copying {
        fn produce(&self) -> Result<Arc<Allocation>> {
            if self.is_refused.load(Ordering::Relaxed) {
                return Err(Error::Internal {
                    invariant: "asked too early",
                });
            }
            self.times.fetch_add(1, Ordering::Relaxed);
            // Others come meanwhile.
            std::thread::sleep(Duration::from_millis(2));
            let made = Allocation::new(&self.queue, SIZE, UsmKind::Shared)?;
            copy::copy(&self.queue, (&self.source, 0), (&made, 0), SIZE)?;
            Ok(made)
        }
    }

    fn queue() -> Queue {
        Queue::new(&Device::default_device())
    }

    fn filled(queue: &Queue, value: u8) -> Arc<Allocation> {
        let allocation = Allocation::new(queue, SIZE, UsmKind::Shared).unwrap();
        copy::fill(queue, &allocation, 0, SIZE, value).unwrap();
        allocation
    }

    fn promised_copy(queue: &Queue, source: &Arc<Allocation>) -> (Arc<Copying>, Arc<Allocation>) {
        let producer = Arc::new(Copying {
            queue: queue.clone(),
            source: Arc::clone(source),
            times: AtomicUsize::new(0),
            is_refused: AtomicBool::new(false),
        });
        let promised = Allocation::deferred(queue, SIZE, UsmKind::Shared, producer.clone());
        source.promise_reads(&promised);
        queue.promise(&promised);
        (producer, promised)
    }

    fn first_byte(queue: &Queue, allocation: &Allocation) -> u8 {
        let mut bytes = [0];
        copy::copy_to_host(queue, allocation, 0, &mut bytes).unwrap();
        bytes[0]
    }

    #[test]
    fn contents_are_made_once_and_when_they_are_needed() {
        let queue = queue();
        let (producer, promised) = promised_copy(&queue, &filled(&queue, 7));
        assert!(!promised.is_settled());
        assert_eq!(
            (promised.size_bytes(), promised.kind()),
            (SIZE, UsmKind::Shared)
        );
        assert_eq!(producer.times.load(Ordering::Relaxed), 0);
        assert_eq!(first_byte(&queue, &promised), 7);
        assert_eq!(first_byte(&queue, &promised), 7);
        assert_eq!(producer.times.load(Ordering::Relaxed), 1);
        assert!(
            promised.producer().is_none(),
            "what it was made of is let go"
        );
    }

    #[test]
    fn what_is_read_is_read_before_it_is_written() {
        let queue = queue();
        let source = filled(&queue, 1);
        let (_, by_command) = promised_copy(&queue, &source);
        copy::fill(&queue, &source, 0, SIZE, 2).unwrap();
        let (_, by_host) = promised_copy(&queue, &source);
        copy::copy_from_host(&queue, &[3; SIZE], &source, 0).unwrap();
        let (_, by_view) = promised_copy(&queue, &source);
        drop(HostView::new(&source).unwrap());
        assert!(by_view.is_settled());
        copy::fill(&queue, &source, 0, SIZE, 4).unwrap();
        let read = [by_command, by_host, by_view].map(|one| first_byte(&queue, &one));
        assert_eq!(read, [1, 2, 3]);
    }

    #[test]
    fn waiting_for_the_queue_keeps_promises_of_what_is_still_there() {
        let queue = queue();
        let source = filled(&queue, 1);
        let (kept, promised) = promised_copy(&queue, &source);
        let (forgotten, unneeded) = promised_copy(&queue, &source);
        drop(unneeded);
        queue.wait().unwrap();
        assert!(promised.is_settled());
        let times = [kept, forgotten].map(|one| one.times.load(Ordering::Relaxed));
        assert_eq!(times, [1, 0]);
    }

    #[test]
    fn a_failure_is_told_and_the_promise_stands() {
        let queue = queue();
        let source = filled(&queue, 1);
        let (producer, promised) = promised_copy(&queue, &source);
        producer.is_refused.store(true, Ordering::Relaxed);
        assert!(promised.settle().is_err());
        assert!(copy::fill(&queue, &source, 0, SIZE, 2).is_err());
        assert!(queue.wait().is_err());
        producer.is_refused.store(false, Ordering::Relaxed);
        assert_eq!(
            first_byte(&queue, &source),
            1,
            "nothing was written meanwhile"
        );
        copy::fill(&queue, &source, 0, SIZE, 2).unwrap();
        assert_eq!(first_byte(&queue, &promised), 1);
        assert_eq!(first_byte(&queue, &source), 2);
    }

    #[test]
    fn threads_that_write_wait_for_the_one_that_reads() {
        for _ in 0..20 {
            let queue = queue();
            let source = filled(&queue, 1);
            let (producer, promised) = promised_copy(&queue, &source);
            let barrier = Barrier::new(4);
            std::thread::scope(|scope| {
                for value in 2..6 {
                    let (queue, source, barrier) = (&queue, &source, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        copy::fill(queue, source, 0, SIZE, value).unwrap();
                    });
                }
            });
            assert_eq!(first_byte(&queue, &promised), 1);
            assert_eq!(producer.times.load(Ordering::Relaxed), 1);
        }
    }

    #[test]
    fn promises_that_are_kept_or_forgotten_do_not_pile_up() {
        let queue = queue();
        let source = filled(&queue, 1);
        for _ in 0..1000 {
            promised_copy(&queue, &source);
        }
        let (_, last) = promised_copy(&queue, &source);
        assert!(queue.promise(&last) < 40);
        assert!(source.readers_len() < 40);
    }
}
