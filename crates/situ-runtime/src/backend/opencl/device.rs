//! A device of OpenCL or a part of one, with what is shared by everybody who uses it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::handle::{CommandQueueId, DeviceId};
use super::host_reach;
use super::memory::{FailedCall, MemoryModel, named};
use super::platform::{ClContext, ClPlatform};
use super::status::Status;
use crate::error::{Error, Result};
use crate::fork;

/// A device that can be used.
pub(super) struct ClDevice {
    pub(super) platform: Arc<ClPlatform>,
    pub(super) context: Arc<ClContext>,
    /// What command queues are made for.
    pub(super) id: DeviceId,
    /// The whole, of which this may be a part: programs and memory are made for it.
    pub(super) root: DeviceId,
    pub(super) memory: MemoryModel,
    /// Its filter string, for messages.
    pub(super) label: String,
    idle_queues: Mutex<Vec<CommandQueueId>>,
    /// The shortest time that a launch took so far, in nanoseconds: what the driver needs for itself.
    shortest_launch_ns: AtomicU32,
    /// Whether the host reaches `device` memory, once that was tried.
    host_reaches_memory: OnceLock<bool>,
    /// The process whose driver this is.
    generation: u64,
}

impl ClDevice {
    pub(super) fn new(
        platform: Arc<ClPlatform>,
        context: Arc<ClContext>,
        (id, root): (DeviceId, DeviceId),
        memory: MemoryModel,
        label: String,
    ) -> Self {
        Self {
            platform,
            context,
            id,
            root,
            memory,
            label,
            idle_queues: Mutex::default(),
            shortest_launch_ns: AtomicU32::new(u32::MAX),
            host_reaches_memory: OnceLock::new(),
            generation: fork::generation(),
        }
    }

    /// Whether this process may use the driver. A forked child may not: the driver's threads are the
    /// parent's, so it would wait for ever.
    pub(super) fn check_process(&self) -> Result<()> {
        if self.is_of_this_process() {
            return Ok(());
        }
        Err(Error::DriverLostInFork {
            device: self.label.clone(),
        })
    }

    pub(super) fn is_of_this_process(&self) -> bool {
        self.generation == fork::generation()
    }

    /// Whether the host's own code reaches `device` memory. For processors only.
    pub(super) fn host_reaches_memory(&self) -> bool {
        *self
            .host_reaches_memory
            .get_or_init(|| host_reach::host_reaches(self))
    }

    /// An error that names the device.
    pub(super) fn failed(&self, FailedCall { call, status }: FailedCall) -> Error {
        Error::DriverFailed {
            device: self.label.clone(),
            subject: None,
            call,
            status,
        }
    }

    /// A command queue that nobody else uses meanwhile.
    pub(super) fn take_queue(&self) -> Result<QueueGuard<'_>> {
        let mut idle = self.lock_queues();
        let id = idle.pop();
        drop(idle);
        let id = match id {
            Some(id) => id,
            None => self.make_queue().map_err(|failed| self.failed(failed))?,
        };
        Ok(QueueGuard {
            device: self,
            id,
            has_failed: Cell::new(false),
        })
    }

    /// Whether queues of the device can be made in its context.
    pub(super) fn try_queue(&self) -> Result<(), FailedCall> {
        let id = self.make_queue()?;
        self.lock_queues().push(id);
        Ok(())
    }

    fn make_queue(&self) -> Result<CommandQueueId, FailedCall> {
        let mut status = 0;
        // SAFETY: context and device are alive; 0 asks for a queue in order, without profiling.
        let id = unsafe {
            let create = self.platform.api.create_command_queue;
            create(self.context.id(), self.id, 0, &raw mut status)
        };
        named("clCreateCommandQueue", status)?;
        Ok(id)
    }

    fn lock_queues(&self) -> std::sync::MutexGuard<'_, Vec<CommandQueueId>> {
        self.idle_queues
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns how long a launch takes at least; gives what of this one was the kernel's own.
    pub(super) fn without_overhead(&self, elapsed: Duration) -> Duration {
        let nanos = u32::try_from(elapsed.as_nanos()).unwrap_or(u32::MAX);
        let known = self.shortest_launch_ns.load(Ordering::Relaxed);
        if nanos < known {
            self.shortest_launch_ns.store(nanos, Ordering::Relaxed);
            return Duration::ZERO;
        }
        elapsed.saturating_sub(Duration::from_nanos(u64::from(known)))
    }
}

impl Drop for ClDevice {
    fn drop(&mut self) {
        if !self.is_of_this_process() {
            return;
        }
        for id in self.lock_queues().drain(..) {
            // SAFETY: made by `make_queue`, and nobody uses it.
            unsafe { (self.platform.api.release_command_queue)(id) };
        }
        if self.id != self.root {
            // SAFETY: a part is made for one `ClDevice` only.
            unsafe { (self.platform.api.release_device)(self.id) };
        }
    }
}

/// A command queue on loan.
pub(super) struct QueueGuard<'a> {
    device: &'a ClDevice,
    id: CommandQueueId,
    /// A command queue whose command failed may refuse all that come after it: it is not used again.
    has_failed: Cell<bool>,
}

impl QueueGuard<'_> {
    pub(super) fn id(&self) -> CommandQueueId {
        self.id
    }

    /// Waits for a command that was put into the queue, or takes note that it was not.
    pub(super) fn finish(&self, enqueued: Result<(), FailedCall>) -> Result<()> {
        let finished = enqueued.and_then(|()| {
            // SAFETY: the queue is alive.
            named("clFinish", unsafe {
                (self.device.platform.api.finish)(self.id)
            })
        });
        self.checked(finished)
    }

    /// The outcome of a command that was waited for.
    pub(super) fn checked(&self, outcome: Result<(), FailedCall>) -> Result<()> {
        outcome.map_err(|failed| {
            self.has_failed.set(true);
            self.device.failed(failed)
        })
    }
}

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        if self.has_failed.get() {
            // SAFETY: made by `make_queue`, and nobody uses it.
            unsafe { (self.device.platform.api.release_command_queue)(self.id) };
        } else {
            self.device.lock_queues().push(self.id);
        }
    }
}

/// The failure of a query.
pub(super) fn asked(call: &'static str) -> impl Fn(Status) -> FailedCall {
    move |status| FailedCall { call, status }
}
