//! The memory a launch can reach: the caller's buffers, the group's local and the work-items' private
//! memory.
//!
//! A pointer is a cell: its low half counts elements from where the parameter or array starts, its
//! high half names that parameter or array. A pointer cannot leave what it was made from, so an
//! access outside is found whatever the arithmetic was, and can be told in the user's words.

use std::ops::Range;

use super::number::Cell;
use super::program::{ArrayShape, AtomicCall};
use super::shadow::{Conflict, Order, Shadow, Touch};
use crate::dtype::DType;
use crate::statement::AtomicOperation;

/// Which table the high half of a pointer refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// [`Memory::bindings`], by parameter of the kernel.
    Global,
    /// Areas of local memory: the kernel's local arrays, then its local parameters.
    Local,
    /// Areas of private memory: the arrays of the functions that are running.
    Private,
}

const SPACE_SHIFT: u32 = 32;

impl Space {
    /// A pointer to the first element of an entry of the table.
    pub(super) fn pointer(self, position: usize) -> Cell {
        Cell {
            low: 0,
            high: ((self as u64) << SPACE_SHIFT) | position as u64,
        }
    }

    /// Which table, and which entry of it.
    #[inline]
    pub(super) fn of(pointer: Cell) -> (Self, usize) {
        let position = pointer.high as u32 as usize;
        let space = match pointer.high >> SPACE_SHIFT {
            0 => Self::Global,
            1 => Self::Local,
            _ => Self::Private,
        };
        (space, position)
    }
}

/// A pointer parameter: where in which buffer it points.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) buffer: usize,
    pub(super) offset_bytes: usize,
    /// The elements of the buffer, counted from the pointer.
    pub(super) elements: Range<i64>,
}

/// A stretch of local or private memory.
#[derive(Clone, Debug)]
pub(super) struct Area {
    pub(super) start: usize,
    pub(super) length: i64,
}

/// Why an access is refused.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// The element is not there; which ones are.
    OutOfBounds { index: i64, elements: Range<i64> },
    /// Another work-item touches the element at the same time.
    Race { index: i64, conflict: Conflict },
    /// Nobody wrote the element.
    Uninitialised { index: i64 },
}

/// Everything a launch can read and write.
pub(super) struct Memory<'a, 'b> {
    pub(super) buffers: &'a mut [&'b mut [u8]],
    /// By parameter; scalars have none.
    pub(super) bindings: Vec<Option<Binding>>,
    /// By buffer; none for buffers that are only read.
    pub(super) shadows: Vec<Option<Shadow>>,
    pub(super) order: Order,
    pub(super) checks: bool,
    pub(super) local: LocalMemory,
    pub(super) private: PrivateMemory,
}

/// Memory of the running group.
pub(super) struct LocalMemory {
    pub(super) bytes: Vec<u8>,
    pub(super) areas: Vec<Area>,
    /// By area; empty without checks.
    pub(super) shadows: Vec<Shadow>,
}

impl LocalMemory {
    /// Memory for arrays, one after the other; `None` if it cannot be had.
    pub(super) fn new(arrays: &[ArrayShape], checks: bool) -> Option<Self> {
        let mut areas = Vec::new();
        let mut shadows = Vec::new();
        let mut size = 0_usize;
        for array in arrays {
            let size_bytes = array.size_bytes()?;
            areas.push(Area {
                start: size,
                length: i64::try_from(array.length).ok()?,
            });
            if checks {
                let granule = array.element.size_bytes().trailing_zeros();
                shadows.push(Shadow::new(size_bytes, granule));
            }
            size = size.checked_add(size_bytes)?;
        }
        Some(Self {
            bytes: zeros(size)?,
            areas,
            shadows,
        })
    }
}

/// Zero bytes; `None` if there is no room for them.
fn zeros(size: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).ok()?;
    bytes.resize(size, 0);
    Some(bytes)
}

/// Memory of the work-items of the running group, and of the functions they are in.
///
/// The kernel's arrays of all work-items come first; functions that are called add theirs behind.
pub(super) struct PrivateMemory {
    bytes: Vec<u8>,
    /// Whether the element that starts at a byte was written.
    written: Vec<bool>,
    areas: Vec<Area>,
    kernel_size: usize,
    items: usize,
}

impl PrivateMemory {
    /// Memory for the kernel's arrays of some work-items; `None` if it cannot be had.
    pub(super) fn new(kernel_arrays: &[ArrayShape], items: usize) -> Option<Self> {
        let mut memory = Self {
            bytes: Vec::new(),
            written: Vec::new(),
            areas: Vec::new(),
            kernel_size: 0,
            items,
        };
        for array in kernel_arrays {
            memory.areas.push(Area {
                start: memory.kernel_size,
                length: i64::try_from(array.length).ok()?,
            });
            memory.kernel_size = memory.kernel_size.checked_add(array.size_bytes()?)?;
        }
        let size = memory.kernel_size.checked_mul(items)?;
        memory.bytes = zeros(size)?;
        memory.written = vec![false; size];
        Some(memory)
    }

    /// How many arrays there are: the position of the next function's first.
    pub(super) fn area_count(&self) -> usize {
        self.areas.len()
    }

    /// Forgets everything that was written, for the next group.
    pub(super) fn start_group(&mut self) {
        self.written.fill(false);
    }

    /// Makes the kernel's arrays those of a work-item.
    #[inline]
    pub(super) fn select_item(&mut self, kernel_arrays: &[ArrayShape], item: usize) {
        let mut start = self.kernel_size * (item % self.items.max(1));
        for (area, array) in self.areas.iter_mut().zip(kernel_arrays) {
            area.start = start;
            start += array.element.size_bytes() * array.length as usize;
        }
    }

    /// Forgets what the work-item in a slot wrote, when the slot serves the next one.
    pub(super) fn clear_item(&mut self, item: usize) {
        let start = self.kernel_size * item;
        self.written[start..start + self.kernel_size].fill(false);
    }

    /// Adds the arrays of a function that is called; `false` if there is no room.
    pub(super) fn enter(&mut self, arrays: &[ArrayShape]) -> bool {
        for array in arrays {
            let start = self.bytes.len();
            let Some(size) = array.size_bytes() else {
                return false;
            };
            if self.bytes.try_reserve(size).is_err() || self.written.try_reserve(size).is_err() {
                return false;
            }
            self.bytes.resize(start + size, 0);
            self.written.resize(start + size, false);
            self.areas.push(Area {
                start,
                length: array.length as i64,
            });
        }
        true
    }

    /// Removes the arrays of a function that returns.
    pub(super) fn leave(&mut self, count: usize) {
        let kept = self.areas.len() - count;
        if let Some(area) = self.areas.get(kept) {
            self.bytes.truncate(area.start);
            self.written.truncate(area.start);
        }
        self.areas.truncate(kept);
    }
}

/// An element that exists.
struct Place {
    space: Space,
    /// The buffer or area.
    position: usize,
    byte: usize,
    /// The element's index, for messages.
    index: i64,
}

impl Memory<'_, '_> {
    #[inline]
    fn locate(&self, pointer: Cell, index: i64, size: usize) -> Result<Place, Refusal> {
        let (space, position) = Space::of(pointer);
        let element = (pointer.low as i64).checked_add(index);
        let (elements, base, position) = match space {
            Space::Global => {
                let binding = self.bindings[position]
                    .as_ref()
                    .expect("pointer parameters are bound");
                (
                    binding.elements.clone(),
                    binding.offset_bytes,
                    binding.buffer,
                )
            }
            Space::Local => {
                let area = &self.local.areas[position];
                (0..area.length, area.start, position)
            }
            Space::Private => {
                let area = &self.private.areas[position];
                (0..area.length, area.start, position)
            }
        };
        match element {
            Some(index) if elements.contains(&index) => Ok(Place {
                space,
                position,
                byte: (base as i64 + index * size as i64) as usize,
                index,
            }),
            _ => Err(Refusal::OutOfBounds {
                index: (pointer.low as i64).saturating_add(index),
                elements,
            }),
        }
    }

    /// Checks an access for races and uninitialised elements, and notes it.
    #[inline]
    fn check(&mut self, place: &Place, size: usize, touch: Touch) -> Result<(), Refusal> {
        let order = &self.order;
        let conflict = match place.space {
            Space::Global => match &mut self.shadows[place.position] {
                Some(shadow) => {
                    shadow.touch(order, order.global_interval(), place.byte, size, touch)
                }
                None => None,
            },
            Space::Local => {
                let byte = place.byte - self.local.areas[place.position].start;
                let shadow = &mut self.local.shadows[place.position];
                if touch.is_read() && !shadow.was_written_since(order.group_start(), byte) {
                    return Err(Refusal::Uninitialised { index: place.index });
                }
                shadow.touch(order, order.local_interval(), byte, size, touch)
            }
            Space::Private => {
                let written = &mut self.private.written[place.byte];
                *written |= touch.is_write();
                if !*written {
                    return Err(Refusal::Uninitialised { index: place.index });
                }
                None
            }
        };
        match conflict {
            None => Ok(()),
            Some(conflict) => Err(Refusal::Race {
                index: place.index,
                conflict,
            }),
        }
    }

    #[inline]
    fn bytes(&mut self, place: &Place, size: usize) -> &mut [u8] {
        let bytes = match place.space {
            Space::Global => &mut self.buffers[place.position][..],
            Space::Local => &mut self.local.bytes[..],
            Space::Private => &mut self.private.bytes[..],
        };
        &mut bytes[place.byte..place.byte + size]
    }

    /// Reads an element.
    #[inline]
    pub(super) fn load(
        &mut self,
        pointer: Cell,
        index: i64,
        element: DType,
    ) -> Result<Cell, Refusal> {
        let size = element.size_bytes();
        let place = self.locate(pointer, index, size)?;
        if self.checks {
            self.check(&place, size, Touch::Read)?;
        }
        Ok(read(self.bytes(&place, size), element))
    }

    /// Writes an element.
    #[inline]
    pub(super) fn store(
        &mut self,
        pointer: Cell,
        index: i64,
        element: DType,
        value: Cell,
    ) -> Result<(), Refusal> {
        let size = element.size_bytes();
        let place = self.locate(pointer, index, size)?;
        if self.checks {
            self.check(&place, size, Touch::Write)?;
        }
        write(self.bytes(&place, size), value);
        Ok(())
    }

    /// Reads and changes an element; gives the old content.
    pub(super) fn atomic(&mut self, call: &AtomicCall, frame: &[Cell]) -> Result<Cell, Refusal> {
        let at = |register: u32| frame[register as usize];
        let size = call.element.size_bytes();
        let place = self.locate(at(call.pointer), at(call.index).low as i64, size)?;
        if self.checks {
            let touch = match call.operation {
                AtomicOperation::Load => Touch::AtomicRead,
                AtomicOperation::Store => Touch::AtomicWrite,
                _ => Touch::AtomicUpdate,
            };
            self.check(&place, size, touch)?;
        }
        let bytes = self.bytes(&place, size);
        let old = read(bytes, call.element);
        let operand = call.operand.map(at).unwrap_or_default();
        let new = match (call.operation, call.function, call.expected) {
            (AtomicOperation::Load, ..) => None,
            (AtomicOperation::CompareExchange, _, Some(expected)) => {
                (at(expected) == old).then_some(operand)
            }
            (_, Some(function), _) => Some(function(old, operand)),
            _ => Some(operand),
        };
        if let Some(new) = new {
            write(bytes, new);
        }
        Ok(old)
    }
}

#[inline]
fn read(bytes: &[u8], element: DType) -> Cell {
    const SIZED: &str = "the slice has the element's size";
    match bytes.len() {
        1 if element.is_bool() => Cell::new(u64::from(bytes[0] != 0)),
        1 => Cell::new(u64::from(bytes[0])),
        2 => Cell::new(u64::from(u16::from_le_bytes(
            bytes.try_into().expect(SIZED),
        ))),
        4 => Cell::new(u64::from(u32::from_le_bytes(
            bytes.try_into().expect(SIZED),
        ))),
        8 => Cell::new(u64::from_le_bytes(bytes.try_into().expect(SIZED))),
        _ => {
            let (low, high) = bytes.split_at(8);
            Cell {
                low: u64::from_le_bytes(low.try_into().expect(SIZED)),
                high: u64::from_le_bytes(high.try_into().expect(SIZED)),
            }
        }
    }
}

#[inline]
fn write(bytes: &mut [u8], cell: Cell) {
    let low = cell.low.to_le_bytes();
    match bytes.len() {
        1 => bytes[0] = low[0],
        2 => bytes.copy_from_slice(&low[..2]),
        4 => bytes.copy_from_slice(&low[..4]),
        8 => bytes.copy_from_slice(&low),
        _ => {
            bytes[..8].copy_from_slice(&low);
            bytes[8..].copy_from_slice(&cell.high.to_le_bytes());
        }
    }
}
