//! A device of OpenCL or a part of one, with what is shared by everybody who uses it.

use std::cell::Cell;
use std::sync::Arc;

use super::handle::{CommandQueueId, DeviceId};
use super::memory::{FailedCall, MemoryModel, named};
use super::platform::{ClContext, ClPlatform};
use super::status::Status;
use crate::backend::cost::LaunchOverhead;
use crate::backend::host_reach::HostReach;
use crate::backend::idle::Idle;
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
    idle_queues: Idle<CommandQueueId>,
    pub(super) overhead: LaunchOverhead,
    pub(super) host_reach: HostReach,
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
            idle_queues: Idle::default(),
            overhead: LaunchOverhead::new(),
            host_reach: HostReach::default(),
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
        let id = match self.idle_queues.take() {
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
        self.idle_queues.give_back(id);
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
}

impl Drop for ClDevice {
    fn drop(&mut self) {
        if !self.is_of_this_process() {
            return;
        }
        while let Some(id) = self.idle_queues.take() {
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
            self.device.idle_queues.give_back(self.id);
        }
    }
}

/// The failure of a query.
pub(super) fn asked(call: &'static str) -> impl Fn(Status) -> FailedCall {
    move |status| FailedCall { call, status }
}
