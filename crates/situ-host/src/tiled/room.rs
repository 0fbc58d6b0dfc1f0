//! Room for panels, which a thread keeps: fresh memory costs more than the panels of a small product do.

use std::cell::Cell;

use bytemuck::Pod;

thread_local! {
    static ROOM: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// The size of a line of a cache in bytes: registers are not read from two of them at once if panels begin with one.
const LINE: usize = 64;

/// Does something with room for so many numbers, which are whatever they were.
pub(super) fn with_room<T: Pod>(len: usize, work: impl FnOnce(&mut [T])) {
    let mut room = ROOM.take();
    let words = (len * size_of::<T>() + LINE).div_ceil(size_of::<u64>());
    if room.len() < words {
        // What was there is not worth a copy.
        room = vec![0; words];
    }
    let skipped = room.as_ptr().align_offset(LINE);
    let numbers = bytemuck::cast_slice_mut(&mut room[skipped..]);
    work(&mut numbers[..len]);
    ROOM.set(room);
}
