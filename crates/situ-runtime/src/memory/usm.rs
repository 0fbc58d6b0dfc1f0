//! USM allocations: bytes that a context's devices can reach, by a plain address.

use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::backend::DeviceMemory;
use crate::context::Context;
use crate::error::Result;
use crate::memory::deferred::{Producer, Promise, Promises};
use crate::memory::pool::Block;
use crate::order::{self, Access, Accesses};
use crate::queue::Queue;

/// Where an allocation lives and who may touch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UsmKind {
    /// On the device; the host need not be able to read it.
    Device,
    /// Moves between host and device.
    Shared,
    /// On the host; the device reads it over the bus.
    Host,
}

impl UsmKind {
    /// Every kind, in the order of `device < shared < host`.
    pub const ALL: [Self; 3] = [Self::Device, Self::Shared, Self::Host];

    /// The word users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Shared => "shared",
            Self::Host => "host",
        }
    }

    /// The kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for UsmKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Owned USM bytes. Returned to the context's pool when this and all work that uses them is gone.
///
/// Contents are shared memory: kernels, copies and (where it is accessible) the host all reach
/// them by address, and keeping them apart is the business of whoever submits the work.
///
/// There may be no bytes yet: see [`super::deferred`].
#[derive(Debug)]
pub struct Allocation {
    /// Set as soon as the work that makes the contents is submitted; at once unless that is put off.
    memory: OnceLock<Arc<Memory>>,
    /// How the memory comes about, if it was put off.
    promise: Option<Box<Promise>>,
    /// What is put off and reads this.
    readers: Promises,
    accesses: Accesses,
    /// How many host views there are.
    host_views: AtomicUsize,
    /// How many hold its address and order their work by themselves, see [`super::address_loan`].
    loans: AtomicUsize,
    /// Whether other packages may use it.
    is_shared: AtomicBool,
}

impl Allocation {
    /// Allocates in the queue's context. Contents are undefined.
    ///
    /// The address is a multiple of 64, and of the page size for large allocations. An empty
    /// allocation has an address, too.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn new(queue: &Queue, size_bytes: usize, kind: UsmKind) -> Result<Arc<Self>> {
        let memory = Memory::new(queue.context(), size_bytes, kind)?;
        Ok(Arc::new(Self::of(memory)))
    }

    /// As [`Self::new`], of memory that lies idle; `None` if there is none of that size. It never blocks.
    pub fn of_idle_memory(queue: &Queue, size_bytes: usize, kind: UsmKind) -> Option<Arc<Self>> {
        let context = queue.context();
        let block = context.memory().take_idle(size_bytes, kind)?;
        let memory = Memory::over(context, block, size_bytes, kind);
        Some(Arc::new(Self::of(memory)))
    }

    /// An allocation in the queue's context whose memory is not taken yet: `producer` will, when the contents are needed.
    ///
    /// Whoever calls this says what the work reads, by [`Self::promise_reads`], and where it belongs, by
    /// [`Queue::promise`].
    pub fn deferred(
        queue: &Queue,
        size_bytes: usize,
        kind: UsmKind,
        producer: Arc<dyn Producer>,
    ) -> Arc<Self> {
        let promise = Promise::new(queue.context(), size_bytes, kind, producer);
        Arc::new(Self::with(OnceLock::new(), Some(Box::new(promise))))
    }

    /// Bytes of another package's, which are shared from the beginning.
    pub(crate) fn foreign(memory: Memory) -> Arc<Self> {
        let allocation = Self::of(memory);
        allocation.share();
        Arc::new(allocation)
    }

    fn of(memory: Memory) -> Self {
        Self::with(OnceLock::from(Arc::new(memory)), None)
    }

    fn with(memory: OnceLock<Arc<Memory>>, promise: Option<Box<Promise>>) -> Self {
        Self {
            memory,
            promise,
            readers: Promises::default(),
            accesses: Accesses::default(),
            host_views: AtomicUsize::new(0),
            loans: AtomicUsize::new(0),
            is_shared: AtomicBool::new(false),
        }
    }

    /// Lets other packages use it from now on: commands of ours then wait for theirs, and end before
    /// their submission returns. See [`crate::queue`].
    pub fn share(&self) {
        self.is_shared.store(true, Ordering::Release);
    }

    /// Whether somebody else allocated it.
    pub fn is_foreign(&self) -> bool {
        let storage = self.memory.get().map(|memory| &memory.storage);
        matches!(storage, Some(Storage::Foreign { .. }))
    }

    /// Whether other packages may use it.
    pub fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Acquire)
    }

    /// The address of the first byte.
    ///
    /// The host may use it only if [`Self::is_host_accessible`]; on some devices, reading it
    /// anyway ends the process.
    ///
    /// # Panics
    /// If the memory is not there yet: [`Self::settle`] comes first where that is possible.
    pub fn as_ptr(&self) -> *mut u8 {
        self.memory().as_ptr()
    }

    /// Whether the host may read and write the bytes by their address.
    pub fn is_host_accessible(&self) -> bool {
        self.context().memory().is_host_accessible(self.kind())
    }

    /// How many bytes there are.
    pub fn size_bytes(&self) -> usize {
        self.fact(Memory::size_bytes, Promise::size_bytes)
    }

    /// Where it lives.
    pub fn kind(&self) -> UsmKind {
        self.fact(Memory::kind, Promise::kind)
    }

    /// Which devices can reach it.
    pub fn context(&self) -> &Context {
        self.fact(Memory::context, Promise::context)
    }

    /// Something that is known also while there is no memory.
    fn fact<'a, T>(
        &'a self,
        of_memory: impl FnOnce(&'a Memory) -> T,
        of_promise: impl FnOnce(&'a Promise) -> T,
    ) -> T {
        match (self.memory.get(), &self.promise) {
            (Some(memory), _) => of_memory(memory),
            (None, Some(promise)) => of_promise(promise),
            (None, None) => unreachable!("an allocation has memory or a promise of it"),
        }
    }

    /// The bytes themselves, for work that may outlive this handle. Commands are checked, and settle what they use, before
    /// they ask for it.
    pub(crate) fn memory(&self) -> &Arc<Memory> {
        self.memory
            .get()
            .expect("commands use memory that is settled")
    }
}

/// Contents that are put off, see [`super::deferred`].
impl Allocation {
    /// Whether the work that makes the contents was submitted.
    pub fn is_settled(&self) -> bool {
        self.memory.get().is_some()
    }

    /// Submits the work that makes the contents, if that was put off.
    ///
    /// # Errors
    /// If there is no memory, or the work cannot be submitted.
    pub fn settle(&self) -> Result<()> {
        match &self.promise {
            Some(promise) if !self.is_settled() => promise.keep(|made| self.take_over(made)),
            _ => Ok(()),
        }
    }

    /// The work that makes the contents, as long as it waits.
    pub fn producer(&self) -> Option<Arc<dyn Producer>> {
        self.promise.as_ref().and_then(|promise| promise.producer())
    }

    /// Has work that was put off submitted before anybody writes this: it reads this.
    pub fn promise_reads(&self, promised: &Arc<Self>) {
        self.readers.add(promised);
    }

    /// Whether nobody but commands looks at it, so that reading it may be put off.
    pub fn is_private(&self) -> bool {
        !self.is_seen_by_others() && self.loans.load(Ordering::Acquire) == 0
    }

    pub(super) fn begin_loan(&self) {
        self.loans.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn end_loan(&self) {
        self.loans.fetch_sub(1, Ordering::AcqRel);
    }

    /// Submits work that was put off and reads this, so that it may be written.
    pub(crate) fn settle_readers(&self) -> Result<()> {
        self.readers.settle()
    }

    /// How many promises are remembered that read this.
    #[cfg(test)]
    pub(super) fn readers_len(&self) -> usize {
        self.readers.len()
    }

    /// Takes over memory, and the commands that use it, from an allocation that nobody else has.
    fn take_over(&self, mut made: Arc<Self>) {
        let made = Arc::get_mut(&mut made).expect("a producer gives its memory away");
        self.accesses.take_over(&mut made.accesses);
        let memory = made.memory.take().expect("a producer gives memory");
        assert_eq!(memory.size_bytes, self.size_bytes(), "as promised");
        let is_first = self.memory.set(memory).is_ok();
        assert!(is_first, "a promise is kept once");
    }
}

impl Allocation {
    /// Whether somebody who does not wait for commands may look at it at any moment: the host, see
    /// [`super::host_view`], or another package.
    pub(crate) fn is_seen_by_others(&self) -> bool {
        self.host_views.load(Ordering::Acquire) > 0 || self.is_shared()
    }

    pub(super) fn begin_host_view(&self) {
        self.host_views.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn end_host_view(&self) {
        self.host_views.fetch_sub(1, Ordering::AcqRel);
    }

    /// The bytes, if a command may use them this instant: they are there, nothing has to be waited for, and nobody
    /// else may use them.
    pub(crate) fn idle_memory(&self, is_written: bool) -> Option<&Memory> {
        let memory = self.memory.get()?;
        let is_idle = self.accesses.is_idle() && !self.is_shared();
        let is_promised = is_written && self.readers.is_any();
        (is_idle && !is_promised).then_some(memory)
    }

    /// The commands that use it and have not ended.
    pub(crate) fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    /// Waits until no command writes it any more, so that the host may read it.
    ///
    /// # Errors
    /// The failure of a command that was to write it.
    pub fn wait_for_writes(&self) -> Result<()> {
        order::wait(self, Access::Read)
    }

    /// Waits until no command uses it any more, so that the host may write it.
    ///
    /// # Errors
    /// The failure of a command that was to write it.
    pub fn wait_for_all(&self) -> Result<()> {
        order::wait(self, Access::Write)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // Nobody else can take another handle now: only `&self` gives them out.
        if let Some(memory) = self.memory.get()
            && Arc::strong_count(memory) > 1
        {
            memory.mark_pending();
        }
    }
}

/// Whatever keeps bytes alive that are not situ's.
pub type Owner = Box<dyn Any + Send + Sync>;

/// Whose the bytes are.
enum Storage {
    /// The pool's, which gets them back.
    Pool(Block),
    /// Somebody else's.
    Foreign {
        memory: DeviceMemory,
        /// Dropped when nobody here needs them any more.
        _owner: Owner,
    },
}

impl fmt::Debug for Storage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool(block) => block.fmt(formatter),
            Self::Foreign { memory, .. } => memory.fmt(formatter),
        }
    }
}

/// The bytes of an allocation: what work holds on to while it runs.
///
/// Users hold an [`Allocation`], commands hold this. So the pool can tell memory that somebody
/// wants from memory that only waits for the end of work, and will come back by itself.
#[derive(Debug)]
pub(crate) struct Memory {
    context: Context,
    kind: UsmKind,
    size_bytes: usize,
    storage: Storage,
    /// No user is left; the pool was told.
    is_pending: AtomicBool,
}

impl Memory {
    /// Bytes from the context's pool.
    pub(super) fn new(context: &Context, size_bytes: usize, kind: UsmKind) -> Result<Self> {
        let block = context.memory().take(size_bytes, kind)?;
        Ok(Self::over(context, block, size_bytes, kind))
    }

    /// Bytes of a block of the context's pool.
    fn over(context: &Context, block: Block, size_bytes: usize, kind: UsmKind) -> Self {
        Self {
            context: context.clone(),
            kind,
            size_bytes,
            storage: Storage::Pool(block),
            is_pending: AtomicBool::new(false),
        }
    }

    /// Bytes that belong to somebody else, who keeps them as long as `owner` lives.
    ///
    /// # Safety
    /// There are as many bytes of this kind, and the context's devices can reach them.
    pub(crate) unsafe fn foreign(
        context: &Context,
        start: NonNull<u8>,
        size_bytes: usize,
        kind: UsmKind,
        owner: Owner,
    ) -> Self {
        Self {
            context: context.clone(),
            kind,
            size_bytes,
            storage: Storage::Foreign {
                memory: DeviceMemory::on_host(start),
                _owner: owner,
            },
            is_pending: AtomicBool::new(false),
        }
    }

    fn device_memory(&self) -> DeviceMemory {
        match &self.storage {
            Storage::Pool(block) => block.memory(),
            Storage::Foreign { memory, .. } => *memory,
        }
    }

    /// As [`Allocation::as_ptr`].
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.device_memory().address.as_ptr()
    }

    /// Where the bytes are for code that runs on the device.
    pub(crate) fn backing_ptr(&self) -> *mut u8 {
        self.device_memory().backing.as_ptr()
    }

    /// As [`Allocation::size_bytes`].
    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// As [`Allocation::kind`].
    pub(crate) fn kind(&self) -> UsmKind {
        self.kind
    }

    /// As [`Allocation::context`].
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    fn mark_pending(&self) {
        self.is_pending.store(true, Ordering::Relaxed);
        if let Storage::Pool(block) = &self.storage {
            self.context.memory().mark_pending(block, self.kind);
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // The count of the `Arc` orders this after `mark_pending`.
        let was_pending = *self.is_pending.get_mut();
        if let Storage::Pool(block) = &self.storage {
            let memory = self.context.memory();
            memory.give_back(block, self.kind, was_pending);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn memory_comes_back_when_user_and_work_are_done() {
        let context = Context::new(&[Device::default_device()]).unwrap();
        let queue = Queue::with_context(
            &context,
            &Device::default_device(),
            crate::queue::QueueProperties::default(),
        )
        .unwrap();
        let blocks = || {
            let (_, statistics) = context.memory_statistics()[0];
            (statistics.used_blocks, statistics.pending_blocks)
        };
        let allocation = Allocation::new(&queue, 1000, UsmKind::Device).unwrap();
        let command = Arc::clone(allocation.memory());
        assert_eq!(blocks(), (1, 0));
        drop(allocation);
        assert_eq!(blocks(), (0, 1), "only the command is left");
        drop(command);
        assert_eq!(blocks(), (0, 0));

        let allocation = Allocation::new(&queue, 1000, UsmKind::Device).unwrap();
        drop(Arc::clone(allocation.memory()));
        assert_eq!(
            blocks(),
            (1, 0),
            "work that is done does not free the user's memory"
        );
        drop(allocation);
        assert_eq!(blocks(), (0, 0));
    }
}
