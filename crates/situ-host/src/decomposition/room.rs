//! Memory that a decomposition works in.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

/// Memory for some numbers, lent or its own.
///
/// The pages of new memory are mapped one by one when they are written first, which takes as long as a good part of the
/// elimination of a large matrix. Who calls has memory that was used before.
pub(super) enum Room<'a, T> {
    Lent(&'a mut [T]),
    Own(Vec<T>),
}

impl<'a, T: Pod> Room<'a, T> {
    /// What is lent if it is so long, and new memory otherwise.
    pub(super) fn new(lent: Option<&'a mut [T]>, len: usize) -> Self {
        match lent {
            Some(lent) if lent.len() == len => Self::Lent(lent),
            _ => Self::Own(vec![T::zeroed(); len]),
        }
    }
}

impl<T> Deref for Room<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Lent(numbers) => numbers,
            Self::Own(numbers) => numbers,
        }
    }
}

impl<T> DerefMut for Room<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Lent(numbers) => numbers,
            Self::Own(numbers) => numbers,
        }
    }
}
