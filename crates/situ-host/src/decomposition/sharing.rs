//! How the parts of one decomposition are shared among threads.
//!
//! Parts are cut by who hands them over, by sizes alone, so that answers do not depend on who works on them.

use faer::MatMut;

use crate::parallel;
use crate::threads::Threads;

/// Whether there is anybody to share with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharing {
    has_others: bool,
}

impl Sharing {
    /// With those who share the pool with this thread, if it runs inside of [`Threads::install`], and else with nobody: `rayon` would start a pool of
    /// its own.
    pub(super) fn among(threads: Threads<'_>) -> Self {
        Self {
            has_others: threads.count() > 1 && rayon::current_thread_index().is_some(),
        }
    }

    /// With nobody unless it `is_worthwhile`.
    #[must_use]
    pub(super) fn only_if(self, is_worthwhile: bool) -> Self {
        Self {
            has_others: self.has_others && is_worthwhile,
        }
    }

    /// Does two things, at the same time if somebody has time for it.
    pub(super) fn both<A: Send, B: Send>(
        self,
        one: impl FnOnce() -> A + Send,
        other: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.has_others {
            parallel::join(one, other)
        } else {
            (one(), other())
        }
    }

    /// Does the work of every part.
    pub(super) fn each<P: Send>(self, parts: Vec<P>, work: impl Fn(P) + Sync + Send) {
        if self.has_others && parts.len() > 1 {
            parallel::for_each_large_part(parts, work);
        } else {
            parts.into_iter().for_each(work);
        }
    }
}

/// The columns of a matrix in parts of at most `width`, and the number of the first column of each.
pub(super) fn column_parts<T>(matrix: MatMut<'_, T>, width: usize) -> Vec<(usize, MatMut<'_, T>)> {
    let (mut parts, mut rest, mut first) = (Vec::new(), matrix, 0);
    while rest.ncols() > width {
        let (part, others) = rest.split_at_col_mut(width);
        parts.push((first, part));
        (rest, first) = (others, first + width);
    }
    if rest.ncols() > 0 {
        parts.push((first, rest));
    }
    parts
}
