//! A device of SYCL's or a part of one, with what is shared by everybody who uses it.

use std::cell::Cell;
use std::sync::Arc;

use super::api::{FailedCall, IN_ORDER, ignore_failure};
use super::handle::{ContextRef, DeviceRef, EventRef, Owned, QueueRef};
use super::library::SyclLibrary;
use crate::backend::cost::LaunchOverhead;
use crate::backend::host_reach::HostReach;
use crate::backend::idle::Idle;
use crate::error::{Error, Result};

/// A device that can be used, in a context that contains it.
pub(super) struct SyclDevice {
    pub(super) context: Arc<Owned<ContextRef>>,
    /// What queues are made for.
    pub(super) id: Arc<Owned<DeviceRef>>,
    /// The whole, of which this may be a part: programs and memory are made for it.
    pub(super) root: Arc<Owned<DeviceRef>>,
    /// Its filter string, for messages.
    pub(super) label: String,
    /// Memory is asked for by a queue: this one, of the whole device.
    memory_queue: Owned<QueueRef>,
    idle_queues: Idle<Owned<QueueRef>>,
    pub(super) overhead: LaunchOverhead,
    pub(super) host_reach: HostReach,
}

impl SyclDevice {
    /// The device, if queues can be made for it.
    pub(super) fn new(
        context: Arc<Owned<ContextRef>>,
        id: Arc<Owned<DeviceRef>>,
        root: Arc<Owned<DeviceRef>>,
        label: String,
    ) -> Result<Self, FailedCall> {
        let memory_queue = make_queue(&context, &root)?;
        let idle_queues = Idle::default();
        idle_queues.give_back(make_queue(&context, &id)?);
        Ok(Self {
            context,
            id,
            root,
            label,
            memory_queue,
            idle_queues,
            overhead: LaunchOverhead::new(),
            host_reach: HostReach::default(),
        })
    }

    pub(super) fn library(&self) -> &'static SyclLibrary {
        self.context.library()
    }

    /// A queue that memory can be asked for by; nothing is submitted to it.
    pub(super) fn memory_queue(&self) -> QueueRef {
        self.memory_queue.raw()
    }

    /// Whether this process may use the driver. A forked child may not: the driver's threads are the
    /// parent's, so it would wait for ever.
    pub(super) fn check_process(&self) -> Result<()> {
        if self.library().is_of_this_process() {
            return Ok(());
        }
        Err(Error::DriverLostInFork {
            device: self.label.clone(),
        })
    }

    /// An error that names the device.
    pub(super) fn failed(&self, FailedCall { call, message }: FailedCall) -> Error {
        Error::SyclFailed {
            device: self.label.clone(),
            subject: None,
            call,
            message,
        }
    }

    /// Submits one command to a queue that nobody else uses meanwhile, and waits for its end.
    ///
    /// # Safety
    /// What the command uses stays alive until then.
    pub(super) unsafe fn run(
        &self,
        call: &'static str,
        submit: impl FnOnce(QueueRef) -> Result<EventRef, FailedCall>,
    ) -> Result<()> {
        let library = self.library();
        let submit_and_wait = |queue: QueueRef| {
            // SAFETY: the event is this call's. The queue is alive, and the wait is the caller's
            // promise kept.
            let outcome = unsafe {
                let event = library.own(call, submit(queue));
                event.and_then(|_| library.api.queue_wait(queue))
            };
            outcome.map_err(|failed| self.failed(failed))
        };
        if let Some(queue) = self.chosen_queue() {
            return submit_and_wait(queue);
        }
        let queue = match self.idle_queues.take() {
            Some(queue) => queue,
            None => make_queue(&self.context, &self.id).map_err(|failed| self.failed(failed))?,
        };
        submit_and_wait(queue.raw())?;
        // One that failed is not used again.
        self.idle_queues.give_back(queue);
        Ok(())
    }

    /// The queue that this thread submits to, if it was told to use one of this device.
    fn chosen_queue(&self) -> Option<QueueRef> {
        let (device, queue) = CHOSEN.get()?;
        std::ptr::eq(device, self).then_some(queue)
    }
}

thread_local! {
    /// A device, and the queue that this thread submits its commands to.
    static CHOSEN: Cell<Option<(*const SyclDevice, QueueRef)>> = const { Cell::new(None) };
}

/// Does work of this thread so that what it submits to a device goes to one of its queues.
pub(super) fn submit_to<T>(device: &SyclDevice, queue: QueueRef, work: impl FnOnce() -> T) -> T {
    /// Puts back what was chosen before, whatever becomes of the work.
    struct Restore(Option<(*const SyclDevice, QueueRef)>);

    impl Drop for Restore {
        fn drop(&mut self) {
            CHOSEN.set(self.0);
        }
    }

    let _before = Restore(CHOSEN.replace(Some((device, queue))));
    work()
}

/// A queue in order.
pub(super) fn make_queue(
    context: &Owned<ContextRef>,
    device: &Owned<DeviceRef>,
) -> Result<Owned<QueueRef>, FailedCall> {
    let library = context.library();
    // SAFETY: context and device are alive; the handler may be called from any thread.
    unsafe {
        let made = library
            .api
            .queue_create(context.raw(), device.raw(), ignore_failure, IN_ORDER);
        library.own("DPCTLQueue_Create", made)
    }
}
