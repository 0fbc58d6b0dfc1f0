//! Parallel loops on the threads of the `rayon` pool that they run in.
//!
//! `rayon`'s iterators are generic: every loop brings some thirty functions of theirs to compile, once for each dtype.
//! They were a fifth of this crate's machine code and a third of `situ-array`'s. Here the loops of `rayon` are over
//! indices and compiled once; what is generic only hands out the parts.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Runs `work` for every part. A thread takes several parts at a time, and fewer if others have nothing to do.
///
/// # Panics
/// If `work` does.
pub fn for_each_part<P: Send>(parts: impl IntoIterator<Item = P>, work: impl Fn(P) + Sync) {
    for_each_part_with(parts, || (), |(), part| work(part));
}

/// Runs `work` for every part, with a buffer that is made once for several parts.
///
/// # Panics
/// If `work` does.
pub fn for_each_part_with<P: Send, B>(
    parts: impl IntoIterator<Item = P>,
    new_buffer: impl Fn() -> B + Sync,
    work: impl Fn(&mut B, P) + Sync,
) {
    let parts = Parts::new(parts);
    for_each_range(parts.count(), &|range| {
        let mut buffer = new_buffer();
        range.for_each(|index| parts.hand_out(index, |part| work(&mut buffer, part)));
    });
}

/// Runs `work` for every part, where each takes so long that any thread shall be able to take it.
///
/// # Panics
/// If `work` does.
pub fn for_each_large_part<P: Send>(parts: impl IntoIterator<Item = P>, work: impl Fn(P) + Sync) {
    let parts = Parts::new(parts);
    for_each_index(parts.count(), &|index| parts.hand_out(index, &work));
}

/// Does two things, at the same time if a thread has nothing else to do.
///
/// # Panics
/// If one of them does.
pub fn join<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut one, mut other) = (Some(one), Some(other));
    let (mut found, mut other_found) = (None, None);
    join_calls(&mut || found = one.take().map(|one| one()), &mut || {
        other_found = other.take().map(|other| other());
    });
    let both = found.zip(other_found);
    both.expect("`rayon` calls each of them once, or panics")
}

/// Parts that are taken out one by one, in any order and by any thread.
pub(crate) struct Parts<P>(Vec<Mutex<Option<P>>>);

impl<P> Parts<P> {
    pub(crate) fn new(parts: impl IntoIterator<Item = P>) -> Self {
        let parts = parts.into_iter().map(|part| Mutex::new(Some(part)));
        Self(parts.collect())
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Runs `work` for a part, if that is still to be done.
    pub(crate) fn hand_out(&self, index: usize, work: impl FnOnce(P)) {
        let mut place = self.0[index].lock().unwrap_or_else(PoisonError::into_inner);
        let part = place.take();
        drop(place);
        if let Some(part) = part {
            work(part);
        }
    }
}

fn for_each_range(count: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    let halves = |range: Range<usize>| {
        let middle = range.start + range.len() / 2;
        if range.len() < 2 {
            (range, None)
        } else {
            (range.start..middle, Some(middle..range.end))
        }
    };
    rayon::iter::split(0..count, halves).for_each(work);
}

fn for_each_index(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(work);
}

fn join_calls(one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
    rayon::join(one, other);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_handed_out_once() {
        for count in [0, 1, 2, 3, 1000] {
            let mut counts = vec![0; count];
            for_each_part(counts.iter_mut().enumerate(), |(index, count)| {
                *count += index;
            });
            for_each_large_part(&mut counts, |count| *count += 1);
            assert_eq!(counts, (1..=count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn buffers_are_used_for_several_parts() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let mut places = vec![0; 1000];
        pool.install(|| {
            for_each_part_with(
                &mut places,
                || 0,
                |parts_before, place| {
                    *place = *parts_before;
                    *parts_before += 1;
                },
            );
        });
        assert!(places.iter().filter(|&&before| before == 0).count() < 100);
    }

    #[test]
    fn both_answers_are_returned() {
        assert_eq!(join(|| 1, || "two"), (1, "two"));
    }
}
