//! Threads that work together on many short steps.
//!
//! Waking a thread takes longer than many a step, so the members of a crew stay: between steps they poll for the next
//! one. A step has the same parts every time. Every member has its own ones, so that what belongs to them stays in
//! its cache, and whoever has done those takes what the others have not begun. So nobody waits for a thread that
//! is busy with something else, or does not have a core at the moment; only for what it is in the middle of.
//! Which member does a part makes no difference to what is done.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::{hint, thread};

use crate::threads::Threads;

/// Who leads a crew.
pub(crate) struct Lead<'a, W> {
    signals: &'a Signals,
    work: &'a W,
    step: u64,
}

impl<W: Fn(usize) + Sync> Lead<'_, W> {
    /// Does all parts of the crew's work once, together with those who are there.
    pub(crate) fn step(&mut self) {
        self.step += 1;
        self.signals.published.0.store(self.step, Ordering::Release);
        self.signals.take_part(self.step, 0, self.work);
        for part in &self.signals.parts {
            poll(|| part.0.load(Ordering::Acquire) == done(self.step));
        }
    }
}

impl<W> Drop for Lead<'_, W> {
    /// Lets the others go, also when this thread panics.
    fn drop(&mut self) {
        self.signals.published.0.store(OVER, Ordering::Release);
    }
}

/// Runs `lead` here, which shares the steps of some `work` of so many parts with other threads: those that share the pool with this one, if it
/// runs inside of [`Threads::install`], and else none.
pub(crate) fn lead_crew<W: Fn(usize) + Sync, R>(
    threads: Threads<'_>,
    parts: usize,
    work: &W,
    lead: impl FnOnce(&mut Lead<'_, W>) -> R,
) -> R {
    let in_pool = match rayon::current_thread_index() {
        Some(_) => rayon::current_num_threads(),
        None => 1,
    };
    let companions = threads.count().min(in_pool).min(parts).saturating_sub(1);
    let signals = Signals {
        published: Alone::default(),
        joined: AtomicUsize::new(1),
        parts: (0..parts).map(|_| Alone(AtomicU64::new(done(0)))).collect(),
    };
    let run = || {
        lead(&mut Lead {
            signals: &signals,
            work,
            step: 0,
        })
    };
    if companions == 0 {
        return run();
    }
    rayon::in_place_scope(|scope| {
        for _ in 0..companions {
            scope.spawn(|_| signals.follow(work));
        }
        run()
    })
}

/// The number of the step after the last.
const OVER: u64 = u64::MAX;

/// How often a thread polls before it lets others have its core: some ten microseconds.
const POLLS: usize = 400;

fn poll(is_there: impl Fn() -> bool) {
    let mut polls = 0;
    while !is_there() {
        if polls < POLLS {
            polls += 1;
            hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}

/// What a part is in the course of a step: begun.
fn begun(step: u64) -> u64 {
    2 * step
}

/// What a part is after a step.
fn done(step: u64) -> u64 {
    2 * step + 1
}

/// A number that has cache lines for itself, as it is polled.
#[repr(align(128))]
#[derive(Default)]
struct Alone(AtomicU64);

/// How the members of a crew learn of each other.
struct Signals {
    /// The number of the step.
    published: Alone,
    /// How many have come.
    joined: AtomicUsize,
    /// How far each part is.
    parts: Vec<Alone>,
}

impl Signals {
    /// Works along until the crew is dissolved.
    fn follow<W: Fn(usize)>(&self, work: &W) {
        let member = self.joined.fetch_add(1, Ordering::Relaxed);
        let mut last = 0;
        loop {
            poll(|| self.published.0.load(Ordering::Acquire) != last);
            last = self.published.0.load(Ordering::Acquire);
            if last == OVER {
                break;
            }
            self.take_part(last, member, work);
        }
    }

    /// Does the parts of a step that are a member's, and then those that nobody has begun.
    ///
    /// The step may be over already, and another one under way: then no part of it can be had.
    fn take_part<W: Fn(usize)>(&self, step: u64, member: usize, work: &W) {
        let members = self.joined.load(Ordering::Relaxed);
        let own = (member..self.parts.len()).step_by(members);
        // From the end, as others begin with their first ones.
        let others = (0..self.parts.len()).rev();
        for part in own.chain(others.filter(|part| part % members != member)) {
            let state = &self.parts[part].0;
            let is_had = state.load(Ordering::Relaxed) == done(step - 1)
                && state
                    .compare_exchange(
                        done(step - 1),
                        begun(step),
                        Ordering::Acquire,
                        Ordering::Relaxed,
                    )
                    .is_ok();
            if is_had {
                let _done = Done { state, step };
                work(part);
            }
        }
    }
}

/// Tells that a part is done, also when this thread panics: the panic goes on where the crew was formed.
struct Done<'a> {
    state: &'a AtomicU64,
    step: u64,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.state.store(done(self.step), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// Counts in `parts` parts, for many steps.
    fn count(threads: Threads<'_>, parts: usize) -> Vec<usize> {
        let counts: Vec<_> = (0..parts).map(|_| Mutex::new(0)).collect();
        let work = |part: usize| *counts[part].try_lock().unwrap() += 1;
        lead_crew(threads, parts, &work, |lead| {
            for step in 1..=2000 {
                lead.step();
                for count in &counts {
                    assert_eq!(*count.try_lock().unwrap(), step);
                }
            }
        });
        let counts = counts.into_iter();
        counts.map(|count| count.into_inner().unwrap()).collect()
    }

    #[test]
    fn every_part_is_worked_on_once_in_every_step() {
        assert_eq!(count(Threads::default(), 3), [2000; 3]);
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.unwrap();
            for parts in [0, 1, 2, 8] {
                let threads = Threads::new(Some(&pool));
                let counts = threads.install(|| count(threads, parts));
                assert_eq!(counts, vec![2000; parts]);
            }
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_is_busy() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = Threads::new(Some(&pool));
        let is_over = AtomicBool::new(false);
        pool.scope(|scope| {
            scope.spawn(|_| poll(|| is_over.load(Ordering::Acquire)));
            assert_eq!(count(threads, 4), [2000; 4]);
            is_over.store(true, Ordering::Release);
        });
    }

    #[test]
    fn a_panic_of_any_member_ends_the_crew() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = Threads::new(Some(&pool));
        for bad in 0..2 {
            let work = move |part: usize| assert!(part != bad, "a part that cannot be done");
            let step = |lead: &mut Lead<'_, _>| lead.step();
            let run = || threads.install(|| lead_crew(threads, 2, &work, step));
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }
}
