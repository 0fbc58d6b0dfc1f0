//! Queues that situ shares with other packages.
//!
//! A package that uses the same runtime as a backend of ours may hand its queue to situ, or ask for one
//! of situ's. Work of both then meets in one place. A [`Companion`] is that place as situ sees it:
//! commands of the queue run in it, after everything it holds at that moment.
//!
//! Memory that other packages may use is marked ([`Allocation::share`]). Commands that use such memory wait
//! for all companions of its context, and end before their submission returns: so whoever submits
//! elsewhere afterwards finds their results.
//!
//! [`Allocation::share`]: crate::Allocation::share

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::command::{Label, Work};
use crate::context::Context;
use crate::error::Result;
use crate::queue::Task;

/// A queue of a backend's runtime that other packages know, too.
pub(crate) trait Companion: Any + Send + Sync {
    /// Waits for everything that was submitted to it, by whomever.
    fn wait(&self) -> Result<()>;

    /// Does work of this thread so that the backend submits it here.
    fn run(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// The backend's own type.
    fn as_any(&self) -> &dyn Any;
}

/// The companions of a context's queues.
#[derive(Default)]
pub(crate) struct Companions {
    /// Whether there ever was one.
    is_used: AtomicBool,
    known: Mutex<Vec<Weak<dyn Companion>>>,
}

impl Companions {
    /// Takes note of one, for as long as its queue lives.
    pub(crate) fn add(&self, companion: &Arc<dyn Companion>) {
        let mut known = self.lock();
        known.retain(|one| one.strong_count() > 0);
        known.push(Arc::downgrade(companion));
        self.is_used.store(true, Ordering::Release);
    }

    /// Waits for what is in any of them.
    pub(crate) fn wait(&self) -> Result<()> {
        if !self.is_used.load(Ordering::Acquire) {
            return Ok(());
        }
        let known: Vec<_> = self.lock().iter().filter_map(Weak::upgrade).collect();
        known.iter().try_for_each(|companion| companion.wait())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Weak<dyn Companion>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task in the company of other packages' work.
pub(crate) struct Accompanied<T> {
    pub(crate) task: T,
    /// Where it runs, if its queue is shared.
    pub(crate) companion: Option<Arc<dyn Companion>>,
    /// The context whose companions it waits for, if it uses memory that is shared.
    pub(crate) context: Option<Context>,
}

impl<T: Task> Task for Accompanied<T> {
    fn label(&self) -> Label {
        self.task.label()
    }

    fn is_brief(&self) -> bool {
        self.task.is_brief()
    }

    fn run(self) -> Result<()> {
        let mut task = Some(self.task);
        let run = || task.take().map_or(Ok(()), Task::run);
        accompany(self.companion.as_deref(), self.context.as_ref(), run)
    }

    fn into_work(self) -> Work {
        let mut work = Some(self.task.into_work());
        Box::new(move || {
            let run = || work.take().map_or(Ok(()), |work| work());
            accompany(self.companion.as_deref(), self.context.as_ref(), run)
        })
    }
}

fn accompany(
    companion: Option<&dyn Companion>,
    context: Option<&Context>,
    mut work: impl FnMut() -> Result<()>,
) -> Result<()> {
    if let Some(context) = context {
        context.companions().wait()?;
    }
    match companion {
        Some(companion) => {
            companion.wait()?;
            companion.run(&mut work)
        }
        None => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::device::Device;
    use crate::memory::copy;
    use crate::memory::usm::{Allocation, UsmKind};
    use crate::queue::{Queue, QueueProperties};

    /// Counts what is asked of it.
    #[derive(Default)]
    struct Counting {
        waits: AtomicUsize,
        runs: AtomicUsize,
    }

    impl Companion for Counting {
        fn wait(&self) -> Result<()> {
            self.waits.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        fn run(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
            let waits = self.waits.load(Ordering::Relaxed);
            let runs = self.runs.fetch_add(1, Ordering::Relaxed);
            assert!(waits > runs, "work runs after a wait of its own");
            work()
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    impl Counting {
        fn counts(&self) -> (usize, usize) {
            let load = |count: &AtomicUsize| count.load(Ordering::Relaxed);
            (load(&self.waits), load(&self.runs))
        }
    }

    #[test]
    fn work_of_a_shared_queue_runs_in_its_companion() {
        let queue = Queue::new(&Device::default_device());
        let companion = Arc::new(Counting::default());
        queue.share(companion.clone());
        let memory = Allocation::new(&queue, 10, UsmKind::Shared).unwrap();
        copy::fill(&queue, &memory, 0, 10, 1).unwrap();
        assert_eq!(companion.counts(), (1, 1));
        queue.host_task("nothing", &[], || Ok(())).unwrap();
        queue.barrier(&[]).unwrap().wait().unwrap();
        assert_eq!(companion.counts(), (3, 3));
        queue.wait().unwrap();
        assert_eq!(companion.counts(), (4, 3));
    }

    #[test]
    fn work_on_shared_memory_waits_for_all_companions_of_the_context_and_is_done_on_return() {
        let device = Device::default_device();
        let context = Context::new(std::slice::from_ref(&device)).unwrap();
        let queue = || Queue::with_context(&context, &device, QueueProperties::default()).unwrap();
        let (own, theirs) = (queue(), queue());
        let size_bytes = 8 << 20;
        let memory = Allocation::new(&own, size_bytes, UsmKind::Shared).unwrap();
        let companion = Arc::new(Counting::default());
        theirs.share(companion.clone());
        copy::fill(&own, &memory, 0, size_bytes, 1).unwrap();
        memory.wait_for_all().unwrap();
        assert_eq!(companion.counts(), (0, 0), "nobody else knows the memory");
        memory.share();
        let event = copy::fill(&own, &memory, 0, size_bytes, 2).unwrap();
        assert!(event.is_complete());
        assert_eq!(companion.counts(), (1, 0));
        copy::copy_to_host(&own, &memory, 0, &mut [0]).unwrap();
        assert_eq!(companion.counts(), (2, 0));
        drop(theirs);
        assert_eq!(Arc::strong_count(&companion), 1, "only its queue keeps it");
    }
}
