//! Where kernels and copies are submitted.
//!
//! A queue belongs to one device and one context. Work on it runs in the order of submission; at
//! present each call returns when its work is done.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use situ_ir::NdRange;

use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::launch::{self, Argument};
use crate::program::Kernel;

/// How a queue behaves; part of what makes queues equivalent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QueueProperties {
    /// Work runs in the order of submission.
    pub in_order: bool,
    /// Events record times.
    pub enable_profiling: bool,
}

impl Default for QueueProperties {
    fn default() -> Self {
        Self {
            in_order: true,
            enable_profiling: false,
        }
    }
}

/// Where work is submitted. Cloning gives another handle of the same queue; equality is identity.
#[derive(Clone)]
pub struct Queue(Arc<Inner>);

struct Inner {
    id: u64,
    device: Device,
    context: Context,
    properties: QueueProperties,
}

/// The number of the next queue.
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Queue {
    /// A queue in the device's default context.
    pub fn new(device: &Device) -> Self {
        Self(Arc::new(Inner {
            id: next_id(),
            device: device.clone(),
            context: device.default_context().clone(),
            properties: QueueProperties::default(),
        }))
    }

    /// A queue in a context of the caller's choice.
    ///
    /// # Errors
    /// [`Error::DeviceNotInContext`].
    pub fn with_context(
        context: &Context,
        device: &Device,
        properties: QueueProperties,
    ) -> Result<Self> {
        if !context.covers(device) {
            return Err(Error::DeviceNotInContext {
                device: device.filter_string(),
                devices: context
                    .devices()
                    .iter()
                    .map(Device::filter_string)
                    .collect(),
            });
        }
        Ok(Self(Arc::new(Inner {
            id: next_id(),
            device: device.clone(),
            context: context.clone(),
            properties,
        })))
    }

    /// A small number by which messages name this queue; no other queue of the process has it.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// The device work runs on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The context whose allocations work can use.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// How the queue behaves.
    pub fn properties(&self) -> QueueProperties {
        self.0.properties
    }

    /// Whether work may go to either queue with the same effect: same context, same device, same
    /// properties.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        self == other
            || (self.context() == other.context()
                && self.device() == other.device()
                && self.properties() == other.properties())
    }

    /// Runs a kernel over a range.
    ///
    /// # Errors
    /// Before anything runs: arguments, range or kernel do not fit each other or the device.
    /// Afterwards: what went wrong in the kernel, where the device can tell.
    pub fn launch(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[Argument],
    ) -> Result<Event> {
        launch::launch(self, kernel, range, arguments)?;
        Ok(Event::complete())
    }

    /// Returns when everything submitted so far is done.
    ///
    /// # Errors
    /// What went wrong since the last wait.
    pub fn wait(&self) -> Result<()> {
        Ok(())
    }
}

impl PartialEq for Queue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Queue {}

impl Hash for Queue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Queue")
            .field("device", self.device())
            .field("properties", &self.properties())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_of_one_device_are_equivalent_but_not_equal() {
        let device = Device::default_device();
        let (first, second) = (Queue::new(&device), Queue::new(&device));
        assert!(first.is_equivalent(&second));
        assert_ne!(first, second);
        assert_eq!(first, first.clone());
        assert!(!first.is_equivalent(&Queue::new(&Device::all()[1])));
    }

    #[test]
    fn context_and_properties_matter_for_equivalence() {
        let device = Device::default_device();
        let plain = Queue::new(&device);
        let profiling = QueueProperties {
            enable_profiling: true,
            ..QueueProperties::default()
        };
        let default = device.default_context();
        let profiled = Queue::with_context(default, &device, profiling).unwrap();
        assert!(!plain.is_equivalent(&profiled));
        let own_context = Context::new(std::slice::from_ref(&device)).unwrap();
        let apart = Queue::with_context(&own_context, &device, plain.properties()).unwrap();
        assert!(!plain.is_equivalent(&apart));
        let same = Queue::with_context(default, &device, plain.properties()).unwrap();
        assert!(plain.is_equivalent(&same));
    }

    #[test]
    fn a_queue_needs_a_device_of_its_context() {
        let devices = Device::all();
        let (native, reference) = (&devices[0], &devices[1]);
        let properties = QueueProperties::default();
        let result = Queue::with_context(native.default_context(), reference, properties);
        assert!(
            matches!(result, Err(Error::DeviceNotInContext { .. })),
            "{result:?}"
        );
        let mixed = Context::new(&[native.clone(), reference.clone()]);
        assert!(matches!(mixed, Err(Error::BadContext { .. })), "{mixed:?}");
        assert!(matches!(Context::new(&[]), Err(Error::BadContext { .. })));
    }
}
