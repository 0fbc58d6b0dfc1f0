//! The threads that work is shared among.
//!
//! Who owns them is known above: a pool must be made anew in a forked child, and be as large as the native device. There
//! are two sorts, for two sorts of sharing:
//!
//! - a [`Team`] is for a few equal parts that take about as long as waking a thread does. Its threads are those of
//!   kernels, which watch for more work for a while after they had some;
//! - `rayon`'s are for everything that is split again and again. Such work must run inside of [`Threads::install`]: outside
//!   of it `rayon` would start a pool of its own.

use std::fmt::Debug;

use rayon::ThreadPool;

use crate::parallel::Parts;

/// Threads that are ready at once, and run a few parts of some work at the same time.
pub trait Team: Debug + Sync {
    /// How many threads there are, the caller included.
    fn count(&self) -> usize;

    /// Runs `part` for each of `0..parts` and returns when all are done.
    ///
    /// # Panics
    /// If a part does.
    fn share(&self, parts: usize, part: &(dyn Fn(usize) + Sync));
}

/// The threads of a team or a pool, or only the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads<'a> {
    pool: Option<&'a ThreadPool>,
    team: Option<&'a dyn Team>,
}

impl<'a> Threads<'a> {
    /// Those of a pool. Without one nothing is shared but by what `rayon` has itself.
    pub fn new(pool: Option<&'a ThreadPool>) -> Self {
        Self { pool, team: None }
    }

    /// With a team for what is cut into a few parts.
    #[must_use]
    pub fn with_team(self, team: Option<&'a dyn Team>) -> Self {
        Self { team, ..self }
    }

    /// How many work at the same time.
    pub fn count(self) -> usize {
        match self.team {
            Some(team) => team.count(),
            None => self.pool.map_or(1, ThreadPool::current_num_threads),
        }
    }

    /// How many parts work is best cut into that is shared by [`Threads::share`], if they may be small: threads of a
    /// team take parts of each other, so that nobody waits for one that came late.
    pub(crate) fn parts(self) -> usize {
        match self.team {
            Some(team) => 4 * team.count(),
            None => self.count(),
        }
    }

    /// Runs something that shares its work by `rayon`.
    ///
    /// Handing it over takes some ten microseconds, so brief work is better done by the caller alone, without `rayon`.
    pub fn install<T: Send>(self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool {
            Some(pool) => {
                let (mut work, mut found) = (Some(work), None);
                install_call(pool, &mut || found = work.take().map(|work| work()));
                found.expect("`rayon` calls it once, or panics")
            }
            None => work(),
        }
    }

    /// Does the work of all parts at the same time: one on this thread, and each of the others on another one.
    pub(crate) fn share<P: Send>(self, parts: Vec<P>, work: impl Fn(P) + Sync) {
        let parts = Parts::new(parts);
        let part = |index| parts.hand_out(index, &work);
        if let Some(team) = self.team {
            team.share(parts.count(), &part);
        } else if let Some(pool) = self.pool {
            spawn_parts(pool, parts.count(), &part);
        } else {
            (0..parts.count()).for_each(part);
        }
    }
}

// What follows is not generic, so that `rayon`'s code for it is compiled once.

fn install_call(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

/// Runs the first part here, and the others on threads of the pool.
fn spawn_parts(pool: &ThreadPool, parts: usize, part: &(dyn Fn(usize) + Sync)) {
    pool.in_place_scope(|scope| {
        for index in 1..parts {
            scope.spawn(move |_| part(index));
        }
        if parts > 0 {
            part(0);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread;

    use super::*;

    #[test]
    fn all_parts_are_done_one_of_them_here() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let threads = Threads::new(Some(&pool));
        let done = Mutex::new(Vec::new());
        threads.share(vec![0, 1, 2], |part| {
            done.lock().unwrap().push((part, thread::current().id()));
        });
        let mut done = done.into_inner().unwrap();
        done.sort_by_key(|(part, _)| *part);
        let is_here = done.iter().map(|(_, id)| *id == thread::current().id());
        assert_eq!(is_here.collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn a_team_is_preferred() {
        #[derive(Debug)]
        struct Four;
        impl Team for Four {
            fn count(&self) -> usize {
                4
            }

            fn share(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
                (0..parts).rev().for_each(part);
            }
        }
        let threads = Threads::default().with_team(Some(&Four));
        assert_eq!(threads.count(), 4);
        let done = Mutex::new(Vec::new());
        threads.share(vec![1, 2, 3], |part| done.lock().unwrap().push(part));
        assert_eq!(done.into_inner().unwrap(), [3, 2, 1]);
    }
}
