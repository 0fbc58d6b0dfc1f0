//! Idle blocks of one size class: the last one that came is the first to go, because its memory may still be in a cache.

use crate::backend::DeviceMemory;

/// Idle blocks, and how many of them nobody needs.
#[derive(Default)]
pub(super) struct Stack {
    blocks: Vec<DeviceMemory>,
    /// The fewest blocks there were since [`Stack::take_unused`]: as many, at the bottom, were not used.
    unused: usize,
}

impl Stack {
    pub(super) fn push(&mut self, memory: DeviceMemory) {
        self.blocks.push(memory);
    }

    pub(super) fn pop(&mut self) -> Option<DeviceMemory> {
        let memory = self.blocks.pop()?;
        self.unused = self.unused.min(self.blocks.len());
        Some(memory)
    }

    /// Removes the blocks that nobody took since the last call.
    pub(super) fn take_unused(&mut self) -> Vec<DeviceMemory> {
        let unused = self.blocks.drain(..self.unused).collect();
        self.unused = self.blocks.len();
        unused
    }
}
