//! The threads that work is shared among.
//!
//! Who owns them is known above: a pool must be made anew in a forked child, and be as large as the native device.
//! Work that is shared by `rayon` must run inside of [`Threads::install`]: outside of it `rayon` would start a pool of
//! its own.

use rayon::ThreadPool;

/// The threads of a pool, or only the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads<'a> {
    pool: Option<&'a ThreadPool>,
}

impl<'a> Threads<'a> {
    /// Those of a pool. Without one nothing is shared but by what `rayon` has itself.
    pub fn new(pool: Option<&'a ThreadPool>) -> Self {
        Self { pool }
    }

    /// How many work at the same time inside of [`Threads::install`].
    pub fn count(self) -> usize {
        self.pool.map_or(1, ThreadPool::current_num_threads)
    }

    /// Runs something that shares its work by `rayon`.
    ///
    /// Handing it over takes some ten microseconds, so brief work is better done by the caller alone, without `rayon`.
    pub fn install<T: Send>(self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs two things at the same time: one on this thread, and the other one on a thread of the pool.
    ///
    /// That wakes one thread, where [`Threads::install`] wakes two and puts the caller to sleep. What runs on this thread
    /// must not use `rayon` but through here.
    pub(crate) fn join(self, mine: impl FnOnce() + Send, other: impl FnOnce() + Send) {
        let is_member = rayon::current_thread_index().is_some();
        match self.pool {
            Some(pool) if !is_member => pool.in_place_scope(|scope| {
                scope.spawn(|_| other());
                mine();
            }),
            _ => {
                rayon::join(mine, other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn both_halves_of_a_join_are_done_one_of_them_here() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let threads = Threads::new(Some(&pool));
        let (mut mine, mut other) = (None, None);
        threads.join(
            || mine = Some(thread::current().id()),
            || other = Some(thread::current().id()),
        );
        assert_eq!(mine, Some(thread::current().id()));
        assert!(other.is_some() && other != mine);
    }
}
