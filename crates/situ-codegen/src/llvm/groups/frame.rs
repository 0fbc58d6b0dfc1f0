//! The layout of a group's frame.
//!
//! The frame holds one element of each slot for each work-item, slot after slot. How many
//! work-items there are is known at launch, so a slot starts at `items * (bytes of the slots before
//! it)`. Slots with stricter alignment come first; each slot's size is a multiple of its alignment,
//! so every start is aligned whatever the number of work-items.

/// The position of a slot: what to multiply by the number of work-items to get its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotOffset(pub(super) u64);

/// Slots while they are being collected.
#[derive(Debug, Default)]
pub(super) struct FrameLayout {
    slots: Vec<SlotSize>,
}

#[derive(Clone, Copy, Debug)]
struct SlotSize {
    size_bytes: u64,
    align_bytes: u64,
}

/// A slot of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotNumber(usize);

impl FrameLayout {
    /// Adds a slot; its size is a multiple of its alignment, which is at most 8.
    pub(super) fn add(&mut self, size_bytes: u64, align_bytes: u64) -> SlotNumber {
        debug_assert!(size_bytes.is_multiple_of(align_bytes) && align_bytes <= 8);
        self.slots.push(SlotSize {
            size_bytes,
            align_bytes,
        });
        SlotNumber(self.slots.len() - 1)
    }

    /// Where a slot is.
    pub(super) fn offset(&self, slot: SlotNumber) -> SlotOffset {
        let align_bytes = self.slots[slot.0].align_bytes;
        let before = self.slots.iter().enumerate().filter(|(position, other)| {
            other.align_bytes > align_bytes
                || (other.align_bytes == align_bytes && *position < slot.0)
        });
        SlotOffset(before.map(|(_, other)| other.size_bytes).sum())
    }

    /// Bytes for each work-item, a multiple of 8.
    pub(super) fn bytes_per_item(&self) -> u64 {
        let bytes: u64 = self.slots.iter().map(|slot| slot.size_bytes).sum();
        bytes.next_multiple_of(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strictly_aligned_slots_come_first_and_others_keep_their_order() {
        let mut layout = FrameLayout::default();
        let flag = layout.add(1, 1);
        let array = layout.add(12, 4);
        let first = layout.add(8, 8);
        let number = layout.add(4, 4);
        let second = layout.add(8, 8);
        assert_eq!(layout.offset(first), SlotOffset(0));
        assert_eq!(layout.offset(second), SlotOffset(8));
        assert_eq!(layout.offset(array), SlotOffset(16));
        assert_eq!(layout.offset(number), SlotOffset(28));
        assert_eq!(layout.offset(flag), SlotOffset(32));
        assert_eq!(layout.bytes_per_item(), 40);
    }
}
