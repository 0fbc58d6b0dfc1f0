//! Who touched which element, to find races.
//!
//! Every element has a [`Record`] of its last write and of its reads since. An access conflicts with a
//! recorded one of another work-item when nothing orders them. The interpreter runs one work-item
//! after the other, so "earlier" is known; what must be decided is whether the program *guarantees*
//! the order. It does so by barriers within a work-group, and by an acquire that follows a release.
//!
//! Releases and acquires are followed per work-item within a group and per group across groups, but
//! not per address, and only two of many readers are remembered: a race can be missed, a correct
//! program is never accused.

use crate::statement::{MemoryOrder, MemorySpaces};

/// The largest work-group whose work-items a record can tell apart.
pub(super) const MAX_GROUP_SIZE: u64 = 1 << ITEM_BITS;
const ITEM_BITS: u32 = 22;
const ITEM_SHIFT: u32 = 2;
const CLOCK_SHIFT: u32 = ITEM_BITS + ITEM_SHIFT;
const ATOMIC: u64 = 1;
const MANY: u64 = 2;

/// A packed access: when, by which work-item, whether atomic, whether by further work-items too.
///
/// The clock grows with every group, barrier and release, so it also says which group it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Access(u64);

impl Access {
    const NONE: Self = Self(0);

    fn new(clock: u64, item: u32, atomic: bool) -> Self {
        Self((clock << CLOCK_SHIFT) | (u64::from(item) << ITEM_SHIFT) | u64::from(atomic))
    }

    /// When it was.
    pub(super) fn clock(self) -> u64 {
        self.0 >> CLOCK_SHIFT
    }

    /// The linear local id of the work-item.
    pub(super) fn item(self) -> u32 {
        ((self.0 >> ITEM_SHIFT) & (MAX_GROUP_SIZE - 1)) as u32
    }

    fn is_atomic(self) -> bool {
        self.0 & ATOMIC != 0
    }

    /// Whether work-items other than [`Access::item`] did the same in this interval.
    fn is_by_many(self) -> bool {
        self.0 & MANY != 0
    }
}

/// What is known of one element.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    write: Access,
    read: Access,
}

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    /// Reads and writes.
    AtomicUpdate,
}

impl Touch {
    pub(super) fn is_read(self) -> bool {
        matches!(self, Self::Read | Self::AtomicRead | Self::AtomicUpdate)
    }

    pub(super) fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite | Self::AtomicUpdate)
    }

    fn is_atomic(self) -> bool {
        !matches!(self, Self::Read | Self::Write)
    }
}

/// Which recorded accesses count for memory of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    /// Older ones were to other memory: local memory belongs to one group.
    first: u64,
    /// Older ones of this group are ordered by a barrier.
    epoch: u64,
}

/// Two accesses that nothing orders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    /// The recorded access.
    pub(super) earlier: Access,
    /// Whether it wrote.
    pub(super) earlier_wrote: bool,
}

/// The records of one stretch of memory.
#[derive(Clone, Debug)]
pub(super) struct Shadow {
    records: Vec<Record>,
    /// Bytes of one record, as a power of two.
    granule_shift: u32,
}

impl Shadow {
    /// Records for some bytes, one per `1 << granule_shift` of them.
    pub(super) fn new(size_bytes: usize, granule_shift: u32) -> Self {
        Self {
            records: vec![Record::default(); size_bytes.div_ceil(1 << granule_shift)],
            granule_shift,
        }
    }

    /// Notes an access and gives the recorded one it races with.
    #[inline]
    pub(super) fn touch(
        &mut self,
        order: &Order,
        interval: Interval,
        byte: usize,
        size: usize,
        touch: Touch,
    ) -> Option<Conflict> {
        let first = byte >> self.granule_shift;
        let last = (byte + size - 1) >> self.granule_shift;
        for record in &mut self.records[first..=last] {
            if let Some(conflict) = record.touch(order, interval, touch) {
                return Some(conflict);
            }
        }
        None
    }

    /// Whether the element at a byte was written since a clock.
    #[inline]
    pub(super) fn was_written_since(&self, clock: u64, byte: usize) -> bool {
        let write = self.records[byte >> self.granule_shift].write;
        write != Access::NONE && write.clock() >= clock
    }
}

impl Record {
    #[inline]
    fn touch(&mut self, order: &Order, interval: Interval, touch: Touch) -> Option<Conflict> {
        let access = Access::new(order.now, order.item, touch.is_atomic());
        let clashes = |earlier: Access| {
            order.is_unordered(earlier, interval) && !(earlier.is_atomic() && touch.is_atomic())
        };
        if clashes(self.write) {
            return Some(Conflict {
                earlier: self.write,
                earlier_wrote: true,
            });
        }
        if !touch.is_write() {
            self.read = order.merge(self.read, access, interval);
            return None;
        }
        if clashes(self.read) {
            return Some(Conflict {
                earlier: self.read,
                earlier_wrote: false,
            });
        }
        self.write = order.merge(self.write, access, interval);
        None
    }
}

/// What orders accesses: the clock, the barriers, the releases and acquires.
#[derive(Clone, Debug)]
pub(super) struct Order {
    now: u64,
    /// The work-item that runs now, by linear local id.
    item: u32,
    /// The clock when each group started.
    group_starts: Vec<u64>,
    /// The clock of the last barrier of each space, or of the group's start.
    local_epoch: u64,
    global_epoch: u64,
    /// For each work-item of the group, the clock of its last release and acquire; 0 if none. Empty
    /// for programs that have neither.
    released: Vec<u64>,
    acquired: Vec<u64>,
    /// Start and last release of the finished groups that released.
    released_groups: Vec<ReleasedGroup>,
}

#[derive(Clone, Copy, Debug)]
struct ReleasedGroup {
    start: u64,
    end: u64,
    last_release: u64,
}

impl Order {
    /// The order of a launch before its first group.
    pub(super) fn new() -> Self {
        Self {
            now: 0,
            item: 0,
            group_starts: Vec::new(),
            local_epoch: 0,
            global_epoch: 0,
            released: Vec::new(),
            acquired: Vec::new(),
            released_groups: Vec::new(),
        }
    }

    /// Begins the next group; `items` is its size if the program orders accesses, else 0.
    pub(super) fn start_group(&mut self, items: usize) {
        self.finish_group();
        self.now += 1;
        self.group_starts.push(self.now);
        self.local_epoch = self.now;
        self.global_epoch = self.now;
        self.released.clear();
        self.released.resize(items, 0);
        self.acquired.clear();
        self.acquired.resize(items, 0);
    }

    fn finish_group(&mut self) {
        let last_release = self.released.iter().copied().max().unwrap_or(0);
        if last_release > 0 {
            let start = self.group_start();
            self.released_groups.push(ReleasedGroup {
                start,
                end: self.now,
                last_release,
            });
        }
    }

    /// Says which work-item runs from now on.
    #[inline]
    pub(super) fn run_item(&mut self, item: u32) {
        self.item = item;
    }

    /// Every work-item of the group met.
    pub(super) fn barrier(&mut self, spaces: MemorySpaces) {
        self.now += 1;
        if spaces != MemorySpaces::Global {
            self.local_epoch = self.now;
        }
        if spaces != MemorySpaces::Local {
            self.global_epoch = self.now;
        }
        // What one work-item acquired before the barrier, all have now.
        let acquired = self.acquired.iter().copied().max().unwrap_or(0);
        self.acquired.fill(acquired);
    }

    /// The running work-item makes its earlier accesses visible, or sees those of others.
    pub(super) fn fence(&mut self, order: MemoryOrder) {
        let item = self.item as usize;
        let (acquires, releases) = match order {
            MemoryOrder::Relaxed => (false, false),
            MemoryOrder::Acquire => (true, false),
            MemoryOrder::Release => (false, true),
            MemoryOrder::AcquireRelease | MemoryOrder::SequentiallyConsistent => (true, true),
        };
        if acquires {
            self.acquired[item] = self.now;
        }
        if releases {
            self.released[item] = self.now;
            self.now += 1;
        }
    }

    /// The clock when the running group started.
    #[inline]
    pub(super) fn group_start(&self) -> u64 {
        self.group_starts.last().copied().unwrap_or(0)
    }

    /// What counts for local memory now.
    #[inline]
    pub(super) fn local_interval(&self) -> Interval {
        Interval {
            first: self.group_start(),
            epoch: self.local_epoch,
        }
    }

    /// What counts for global memory now.
    #[inline]
    pub(super) fn global_interval(&self) -> Interval {
        Interval {
            first: 0,
            epoch: self.global_epoch,
        }
    }

    /// The linear id of the group that was running at a clock.
    pub(super) fn group_at(&self, clock: u64) -> u64 {
        let started = self.group_starts.partition_point(|&start| start <= clock);
        started.saturating_sub(1) as u64
    }

    /// Whether an earlier access is by another work-item and nothing guarantees that it is earlier.
    #[inline]
    fn is_unordered(&self, earlier: Access, interval: Interval) -> bool {
        let clock = earlier.clock();
        if earlier == Access::NONE || clock < interval.first {
            return false;
        }
        if clock >= interval.epoch {
            let mine = earlier.item() == self.item && !earlier.is_by_many();
            return !mine && !self.is_acquired_from_item(earlier);
        }
        clock < self.group_start() && !self.is_acquired_from_group(clock)
    }

    fn is_acquired_from_item(&self, earlier: Access) -> bool {
        let acquired = self.acquired.get(self.item as usize).copied().unwrap_or(0);
        let released = self
            .released
            .get(earlier.item() as usize)
            .copied()
            .unwrap_or(0);
        earlier.clock() <= released && released < acquired
    }

    fn is_acquired_from_group(&self, clock: u64) -> bool {
        let acquired = self.acquired.get(self.item as usize).copied().unwrap_or(0);
        if acquired == 0 {
            return false;
        }
        let groups = &self.released_groups;
        let started = groups.partition_point(|group| group.start <= clock);
        started
            .checked_sub(1)
            .map(|last| groups[last])
            .is_some_and(|group| clock <= group.last_release && clock <= group.end)
    }

    /// What to remember of two accesses of the same kind.
    #[inline]
    fn merge(&self, earlier: Access, access: Access, interval: Interval) -> Access {
        // An older plain access of somebody else conflicts with more than this one does: keep it. An
        // atomic one gives way to a plain one.
        let keep =
            self.is_unordered(earlier, interval) && (!earlier.is_atomic() || access.is_atomic());
        if !keep {
            return access;
        }
        let same_group = earlier.clock() >= interval.epoch;
        let another = same_group && earlier.item() != self.item;
        Access(earlier.0 | if another { MANY } else { 0 })
    }
}
