//! What survives `fork`, what must be made anew in the child, and what a fork must not come between.
//!
//! Only the forking thread exists in the child. Locks that another thread held stay locked for
//! ever, and worker threads are gone. [`ForkLocal`] holds a value that belongs to one process:
//! the child sees none and makes its own, and the parent's copy is left alone (leaked) because
//! nothing can be said about its locks. [`undivided`] is for locks of other people's that a child needs.

use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

static GENERATION: AtomicU64 = AtomicU64::new(0);

/// How many threads are about to fork.
static FORKING: AtomicUsize = AtomicUsize::new(0);

/// How many threads do something undivided.
static UNDIVIDED: AtomicUsize = AtomicUsize::new(0);

/// A number that is different in every forked child.
///
/// Cheaper than asking for the process id, which is a system call.
pub(crate) fn generation() -> u64 {
    install();
    GENERATION.load(Ordering::Relaxed)
}

/// Does something briefly that no fork happens in the middle of.
///
/// A child would find the locks taken that are held meanwhile. It must not wait for a thread that
/// forks, nor fork itself.
pub fn undivided<T>(work: impl FnOnce() -> T) -> T {
    install();
    loop {
        UNDIVIDED.fetch_add(1, Ordering::SeqCst);
        if FORKING.load(Ordering::SeqCst) == 0 {
            break;
        }
        UNDIVIDED.fetch_sub(1, Ordering::SeqCst);
        std::thread::yield_now();
    }
    let _ending = Ending;
    work()
}

/// The end of something undivided, also when it panics.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        UNDIVIDED.fetch_sub(1, Ordering::SeqCst);
    }
}

fn install() {
    extern "C" fn before() {
        FORKING.fetch_add(1, Ordering::SeqCst);
        while UNDIVIDED.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
    }
    extern "C" fn after_in_parent() {
        FORKING.fetch_sub(1, Ordering::SeqCst);
    }
    extern "C" fn after_in_child() {
        // Other threads that were about to fork or had a look are not here.
        FORKING.store(0, Ordering::SeqCst);
        UNDIVIDED.store(0, Ordering::SeqCst);
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: the handlers only touch lock-free atomics, which is allowed around fork. If the
        // registration fails for lack of memory, children behave as without this module.
        unsafe {
            libc::pthread_atfork(Some(before), Some(after_in_parent), Some(after_in_child));
        }
    });
}

/// A lazily made value that a forked child makes again.
pub struct ForkLocal<T> {
    current: AtomicPtr<Tagged<T>>,
}

struct Tagged<T> {
    generation: u64,
    value: T,
}

impl<T: Send + Sync> ForkLocal<T> {
    /// Holds nothing yet.
    pub const fn new() -> Self {
        Self {
            current: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The value of this process, made now if there is none. Two threads may both make one; the
    /// first to finish wins and the other's is dropped.
    pub(crate) fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        let found = self.current.load(Ordering::Acquire);
        // SAFETY: a non-null pointer came from `Box::into_raw` below and is freed only in `drop`,
        // which needs exclusive access.
        if let Some(tagged) = unsafe { found.as_ref() }
            && tagged.generation == generation()
        {
            return Ok(&tagged.value);
        }
        Ok(self.install(found, make()?))
    }

    /// As [`Self::get_or_try_init`], for values that can always be made.
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        match self.get_or_try_init(|| Ok::<T, std::convert::Infallible>(make())) {
            Ok(value) => value,
            Err(impossible) => match impossible {},
        }
    }

    /// The value of this process, made now if there is none. `make` may look at the value of the
    /// parent process, if there was one, but must not wait for its locks: the threads that hold them
    /// do not exist here.
    pub fn get_or_init_after(&self, make: impl FnOnce(Option<&T>) -> T) -> &T {
        let found = self.current.load(Ordering::Acquire);
        // SAFETY: as in `get_or_try_init`.
        let tagged = unsafe { found.as_ref() };
        match tagged {
            Some(tagged) if tagged.generation == generation() => &tagged.value,
            _ => self.install(found, make(tagged.map(|tagged| &tagged.value))),
        }
    }

    /// The value of this process, if there is one.
    pub(crate) fn get(&self) -> Option<&T> {
        // SAFETY: as in `get_or_try_init`.
        let tagged = unsafe { self.current.load(Ordering::Acquire).as_ref() };
        tagged
            .filter(|tagged| tagged.generation == generation())
            .map(|tagged| &tagged.value)
    }

    #[cold]
    fn install(&self, expected: *mut Tagged<T>, value: T) -> &T {
        let fresh = Box::into_raw(Box::new(Tagged {
            generation: generation(),
            value,
        }));
        let installed = match self.current.compare_exchange(
            expected,
            fresh,
            Ordering::AcqRel,
            Ordering::Acquire,
        ) {
            Ok(_) => fresh,
            Err(winner) => {
                // SAFETY: `fresh` was made above and nobody else has seen it.
                drop(unsafe { Box::from_raw(fresh) });
                winner
            }
        };
        // SAFETY: installed pointers are valid until `drop`, as above; the winner is non-null
        // because `current` never goes back to null.
        unsafe { &(*installed).value }
    }
}

impl<T: Send + Sync> Default for ForkLocal<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for ForkLocal<T> {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        // SAFETY: exclusive access; the pointer came from `Box::into_raw`. A value of the parent
        // process is leaked on purpose, see the module documentation.
        unsafe {
            if !current.is_null() && (*current).generation == generation() {
                drop(Box::from_raw(current));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_value_is_made_once_per_process() {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let local = ForkLocal::new();
        for _ in 0..3 {
            assert_eq!(
                *local.get_or_init(|| MADE.fetch_add(1, Ordering::Relaxed)),
                0
            );
        }
        assert_eq!(MADE.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn forks_wait_for_what_is_undivided() {
        static BUSY: AtomicUsize = AtomicUsize::new(0);
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        undivided(|| {
                            BUSY.fetch_add(1, Ordering::SeqCst);
                            std::thread::yield_now();
                            BUSY.fetch_sub(1, Ordering::SeqCst);
                        });
                    }
                });
            }
            for _ in 0..200 {
                // SAFETY: the child reads an atomic and ends.
                let child = unsafe { libc::fork() };
                if child == 0 {
                    let busy = BUSY.load(Ordering::SeqCst) as i32;
                    // SAFETY: it only ends the process.
                    unsafe { libc::_exit(busy) };
                }
                let mut status = -1;
                // SAFETY: the child is ours, and the status may be written.
                unsafe { libc::waitpid(child, &raw mut status, 0) };
                assert_eq!(status, 0, "threads that were busy in the child");
            }
            is_over.store(true, Ordering::Relaxed);
        });
        assert_eq!(undivided(|| 5), 5);
    }

    #[test]
    fn a_failed_attempt_leaves_room_for_the_next() {
        let local = ForkLocal::new();
        assert_eq!(local.get_or_try_init(|| Err::<u32, _>("no")), Err("no"));
        assert_eq!(local.get_or_try_init(|| Ok::<_, &str>(5)), Ok(&5));
    }

    #[test]
    fn racing_threads_agree_on_one_value() {
        let local = ForkLocal::new();
        let seen: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|id| {
                    scope.spawn({
                        let local = &local;
                        move || *local.get_or_init(|| id)
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
    }
}
