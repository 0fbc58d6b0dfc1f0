//! Typed arenas: vectors addressed by typed ids.
//!
//! IR nodes refer to each other by [`Handle`], a `u32` that knows the type it points at. Handles are
//! `Copy`, compare and hash cheaply, survive growth of the arena and cannot be mixed up between
//! kinds of nodes. An arena never removes an item. Each item remembers the [`Span`] of the source it
//! came from, so that every later stage can point back at the user's text.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use crate::span::Span;

/// The id of an item in an [`Arena`] of `T`.
pub struct Handle<T> {
    index: u32,
    item: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    /// Makes a handle from a position; meaningful only for the arena that has that position.
    pub fn new(index: usize) -> Self {
        let index = u32::try_from(index).expect("an arena holds fewer than 2^32 items");
        Self {
            index,
            item: PhantomData,
        }
    }

    /// The position in the arena.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl<T> Eq for Handle<T> {}

impl<T> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.index.cmp(&other.index)
    }
}

impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.index)
    }
}

/// An append-only vector whose items are addressed by [`Handle`] and carry a [`Span`].
#[derive(Clone, Debug)]
pub struct Arena<T> {
    items: Vec<T>,
    spans: Vec<Span>,
}

impl<T> Arena<T> {
    /// An arena without items.
    pub fn new() -> Self {
        Self {
            items: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// Adds an item and returns its handle.
    pub fn append(&mut self, item: T, span: Span) -> Handle<T> {
        let handle = Handle::new(self.items.len());
        self.items.push(item);
        self.spans.push(span);
        handle
    }

    /// The item, or `None` if the handle belongs to another (longer) arena.
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        self.items.get(handle.index())
    }

    /// Where the item came from; [`Span::NONE`] if the handle belongs to another arena.
    pub fn span(&self, handle: Handle<T>) -> Span {
        self.spans
            .get(handle.index())
            .copied()
            .unwrap_or(Span::NONE)
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All items with their handles, in the order they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Handle<T>, &T)> {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (Handle::new(index), item))
    }

    /// All handles, in the order the items were added.
    pub fn handles(&self) -> impl ExactSizeIterator<Item = Handle<T>> + use<T> {
        (0..self.items.len()).map(Handle::new)
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Index<Handle<T>> for Arena<T> {
    type Output = T;

    fn index(&self, handle: Handle<T>) -> &T {
        &self.items[handle.index()]
    }
}

impl<T> IndexMut<Handle<T>> for Arena<T> {
    fn index_mut(&mut self, handle: Handle<T>) -> &mut T {
        &mut self.items[handle.index()]
    }
}
