//! The array: a dtype and a layout over an allocation, at home on a queue.

use std::ops::Range;
use std::sync::Arc;

use situ_ir::DType;
use situ_runtime::memory::copy::{copy_from_host, copy_to_host};
use situ_runtime::memory::host_view::HostView;
use situ_runtime::{Allocation, Argument, BorrowedArgument, Queue, UsmKind};

use crate::device_dtypes;
use crate::error::Error;
use crate::index::{self, IndexItem};
use crate::layout::Layout;

/// An n-dimensional view of USM memory.
///
/// Cloning is cheap and shares the memory.
#[derive(Clone, Debug)]
pub struct Array {
    allocation: Arc<Allocation>,
    layout: Layout,
    dtype: DType,
    queue: Queue,
}

impl Array {
    /// New memory for a shape, its elements undefined.
    ///
    /// # Errors
    /// If the device does not have the dtype, the size cannot be counted, or the memory cannot be had.
    pub fn empty(
        shape: &[usize],
        dtype: DType,
        queue: &Queue,
        usm_kind: UsmKind,
    ) -> Result<Self, Error> {
        device_dtypes::check(dtype, queue.device())?;
        let layout = Layout::contiguous(shape)?;
        let size_bytes = Self::checked_size(&layout, dtype)?;
        let allocation = Allocation::new(queue, size_bytes, usm_kind)?;
        Ok(Self::of_whole(allocation, layout, dtype, queue))
    }

    /// As [`Self::empty`], of memory that lies idle; `None` if there is none. It never blocks.
    pub(crate) fn of_idle_memory(
        shape: &[usize],
        dtype: DType,
        queue: &Queue,
        usm_kind: UsmKind,
    ) -> Option<Self> {
        let layout = Layout::contiguous(shape).ok()?;
        let size_bytes = Self::checked_size(&layout, dtype).ok()?;
        let allocation = Allocation::of_idle_memory(queue, size_bytes, usm_kind)?;
        Some(Self::of_whole(allocation, layout, dtype, queue))
    }

    /// How many bytes a contiguous array takes.
    pub(crate) fn checked_size(layout: &Layout, dtype: DType) -> Result<usize, Error> {
        layout
            .size()
            .checked_mul(dtype.size_bytes())
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or_else(|| Error::TooManyElements {
                shape: layout.shape().to_vec(),
            })
    }

    /// An array over memory that is there already.
    ///
    /// # Errors
    /// [`Error::ViewOutside`] if the layout reaches outside of the allocation.
    ///
    /// # Panics
    /// If the queue belongs to another context, so that it cannot reach the memory.
    pub fn over(
        allocation: Arc<Allocation>,
        layout: Layout,
        dtype: DType,
        queue: &Queue,
    ) -> Result<Self, Error> {
        assert!(
            queue.context() == allocation.context(),
            "a queue reaches memory of its own context only"
        );
        let capacity = allocation.size_bytes() / dtype.size_bytes();
        if layout.checked_extent().is_none_or(|last| last >= capacity) && !layout.is_empty() {
            return Err(Error::ViewOutside {
                shape: layout.shape().to_vec(),
                dtype,
                size_bytes: allocation.size_bytes(),
            });
        }
        Ok(Self {
            allocation,
            layout,
            dtype,
            queue: queue.clone(),
        })
    }

    /// An array over all of an allocation that was made for it.
    pub(crate) fn of_whole(
        allocation: Arc<Allocation>,
        layout: Layout,
        dtype: DType,
        queue: &Queue,
    ) -> Self {
        debug_assert!(layout.size() * dtype.size_bytes() <= allocation.size_bytes());
        Self {
            allocation,
            layout,
            dtype,
            queue: queue.clone(),
        }
    }

    /// Another view of the same memory.
    ///
    /// # Panics
    /// If the layout reaches outside of the allocation.
    #[must_use]
    pub fn with_layout(&self, layout: Layout) -> Self {
        let capacity = self.allocation.size_bytes() / self.dtype.size_bytes();
        let fits = layout.extent().is_none_or(|(_, last)| last < capacity);
        assert!(fits, "a view stays inside of its allocation");
        Self {
            allocation: Arc::clone(&self.allocation),
            layout,
            dtype: self.dtype,
            queue: self.queue.clone(),
        }
    }

    /// The same elements as an array of another queue of the same context.
    ///
    /// # Panics
    /// If the queue's context is another one, so that it cannot reach the memory.
    #[must_use]
    pub fn with_queue(&self, queue: &Queue) -> Self {
        assert!(
            queue.context() == self.queue.context(),
            "a queue reaches memory of its own context only"
        );
        Self {
            queue: queue.clone(),
            ..self.clone()
        }
    }

    /// The view that an index expression selects.
    ///
    /// # Errors
    /// If the index does not fit the shape.
    pub fn view(&self, index: &[IndexItem]) -> Result<Self, Error> {
        Ok(self.with_layout(index::view(&self.layout, index)?))
    }

    /// The memory.
    pub fn allocation(&self) -> &Arc<Allocation> {
        &self.allocation
    }

    /// The memory alone.
    pub(crate) fn into_allocation(self) -> Arc<Allocation> {
        self.allocation
    }

    /// Where the elements are in the memory.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Sizes of the dimensions.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// What the elements are.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The queue this array belongs to.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Which kind of USM memory this array views.
    pub fn usm_kind(&self) -> UsmKind {
        self.allocation.kind()
    }

    /// Whether two arrays may share an element.
    pub fn may_overlap(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.allocation, &other.allocation) {
            return self.dtype != other.dtype || self.layout.may_overlap(&other.layout);
        }
        // Memory that somebody else allocated may have come here more than once.
        let is_foreign = self.allocation.is_foreign() || other.allocation.is_foreign();
        is_foreign
            && self.addresses().is_some_and(|ours| {
                let theirs = other.addresses();
                theirs.is_some_and(|theirs| ours.start < theirs.end && theirs.start < ours.end)
            })
    }

    /// From the first to the last byte of elements, or `None` if there are no elements, or no memory yet.
    fn addresses(&self) -> Option<Range<usize>> {
        if !self.allocation.is_settled() {
            return None;
        }
        let (low, high) = self.layout.extent()?;
        let (start, size) = (self.allocation.as_ptr().addr(), self.dtype.size_bytes());
        Some(start + low * size..start + (high + 1) * size)
    }

    /// Whether two arrays are the same elements in the same order.
    pub fn is_same_view(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.allocation, &other.allocation)
            && self.dtype == other.dtype
            && self.layout == other.layout
    }

    /// Copies the elements of a contiguous array to host memory.
    ///
    /// # Errors
    /// If the device fails to deliver them.
    ///
    /// # Panics
    /// If the array is not contiguous or `target` has another size.
    pub fn read_bytes(&self, target: &mut [u8]) -> Result<(), Error> {
        assert!(
            self.layout.is_contiguous(),
            "only contiguous arrays are read as bytes"
        );
        assert_eq!(
            target.len(),
            self.size() * self.dtype.size_bytes(),
            "the sizes agree"
        );
        Ok(copy_to_host(
            &self.queue,
            &self.allocation,
            self.byte_offset(),
            target,
        )?)
    }

    /// Copies host memory to the elements of a contiguous array.
    ///
    /// # Errors
    /// If the device fails to take them.
    ///
    /// # Panics
    /// If the array is not contiguous or `source` has another size.
    pub fn write_bytes(&self, source: &[u8]) -> Result<(), Error> {
        assert!(
            self.layout.is_contiguous(),
            "only contiguous arrays are written as bytes"
        );
        assert_eq!(
            source.len(),
            self.size() * self.dtype.size_bytes(),
            "the sizes agree"
        );
        Ok(copy_from_host(
            &self.queue,
            source,
            &self.allocation,
            self.byte_offset(),
        )?)
    }

    /// The address of the first element for the host, which may read and write there as long as the
    /// view lives. Work that is still to be done on it is waited for, and so is work submitted later.
    ///
    /// # Errors
    /// If the host cannot reach the memory, or the work that was waited for failed.
    pub fn host_view(&self) -> Result<(*mut u8, HostView), Error> {
        if !self.allocation.is_host_accessible() {
            return Err(Error::NotHostAccessible {
                device: self.queue.device().filter_string(),
                usm_kind: self.usm_kind(),
            });
        }
        let view = HostView::new(&self.allocation)?;
        self.queue.check()?;
        let address = self.allocation.as_ptr().wrapping_add(self.byte_offset());
        Ok((address, view))
    }

    /// Where the first element is, in bytes from the start of the allocation.
    pub fn byte_offset(&self) -> usize {
        self.layout.offset() * self.dtype.size_bytes()
    }

    /// The first element as an argument of a kernel that is run on the spot.
    pub(crate) fn borrowed_argument(&self) -> BorrowedArgument<'_> {
        BorrowedArgument::Pointer {
            allocation: &self.allocation,
            byte_offset: self.byte_offset(),
        }
    }

    /// The first element as a kernel argument.
    pub fn argument(&self) -> Argument {
        Argument::Pointer {
            allocation: Arc::clone(&self.allocation),
            byte_offset: self.byte_offset(),
        }
    }
}
