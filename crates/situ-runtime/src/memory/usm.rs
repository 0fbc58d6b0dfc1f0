//! USM allocations: bytes that a context's devices can reach, by a plain address.

use std::fmt;
use std::sync::Arc;

use crate::backend::DeviceMemory;
use crate::context::Context;
use crate::error::Result;
use crate::memory::pool::Block;
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

/// Owned USM bytes. Returned to the context's pool on drop.
///
/// Contents are shared memory: kernels, copies and (where it is accessible) the host all reach
/// them by address, and keeping them apart is the business of whoever submits the work.
#[derive(Debug)]
pub struct Allocation {
    context: Context,
    kind: UsmKind,
    size_bytes: usize,
    /// Taken out on drop.
    block: Option<Block>,
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
        let context = queue.context().clone();
        let block = context.pool(kind).take(size_bytes)?;
        Ok(Arc::new(Self {
            context,
            kind,
            size_bytes,
            block: Some(block),
        }))
    }

    /// The address of the first byte.
    ///
    /// The host may use it only if [`Self::is_host_accessible`]; on some devices, reading it
    /// anyway ends the process.
    pub fn as_ptr(&self) -> *mut u8 {
        self.device_memory().address.as_ptr()
    }

    /// Where the bytes are for code that runs on the device.
    pub(crate) fn backing_ptr(&self) -> *mut u8 {
        self.device_memory().backing.as_ptr()
    }

    /// Whether the host may read and write the bytes by their address.
    pub fn is_host_accessible(&self) -> bool {
        self.context.pool(self.kind).is_host_accessible()
    }

    /// How many bytes there are.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Where it lives.
    pub fn kind(&self) -> UsmKind {
        self.kind
    }

    /// Which devices can reach it.
    pub fn context(&self) -> &Context {
        &self.context
    }

    fn device_memory(&self) -> DeviceMemory {
        self.block
            .as_ref()
            .expect("only `drop` takes the block")
            .memory()
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.context.pool(self.kind).give_back(block);
        }
    }
}
