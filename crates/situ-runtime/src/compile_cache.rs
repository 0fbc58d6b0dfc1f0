//! Compiled code, found again: in memory within a process, on disk between processes.
//!
//! A [`CacheKey`] names everything the compiled bytes depend on. The memory level holds *loaded*
//! code (any `T`), the disk level the bytes it was loaded from. Whatever is wrong with the disk
//! level costs time and never a kernel: see [`disk`] for what is refused and why. Several threads
//! that ask for one key at once compile it once.
//!
//! `docs/design/0006-compile-cache.md` has the reasons.

pub mod disk;
mod entry;
mod private_directory;

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::fork::ForkLocal;

pub use disk::DiskCache;

/// Programs kept in memory after their last user has gone.
const MEMORY_ENTRIES: usize = 1024;

/// The identity of compiled code: a hash of everything it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey([u8; 32]);

impl CacheKey {
    /// Hashes the parts. Each is hashed with its length, so parts cannot run into each other.
    pub fn new<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"situ compile cache key");
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The raw hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key whose hash is written as `text`.
    pub fn from_hex(text: &str) -> Option<Self> {
        let hash = blake3::Hash::from_hex(text).ok()?;
        Some(Self(*hash.as_bytes()))
    }

    /// The hash as text, used as a file name.
    pub fn to_hex(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

/// Where compiled code came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was in memory already.
    Memory,
    /// It was read from the disk and loaded.
    Disk,
    /// It was compiled now.
    Compiled,
}

/// A two-level cache of compiled code.
pub struct CompileCache<T> {
    disk: Option<Arc<DiskCache>>,
    memory: ForkLocal<Memory<T>>,
    capacity: usize,
}

/// The memory level. A forked child starts with an empty one: another thread may have held the
/// lock, or been compiling, at the time of the fork.
struct Memory<T> {
    state: Mutex<State<T>>,
    finished: Condvar,
}

struct State<T> {
    slots: HashMap<CacheKey, Slot<T>>,
    clock: u64,
}

enum Slot<T> {
    /// A thread is compiling this; wait for it.
    InProgress,
    Ready {
        value: Arc<T>,
        last_used: u64,
    },
}

impl<T: Send + Sync> CompileCache<T> {
    /// A cache over a directory, or in memory only.
    pub const fn new(disk: Option<Arc<DiskCache>>) -> Self {
        Self {
            disk,
            memory: ForkLocal::new(),
            capacity: MEMORY_ENTRIES,
        }
    }

    /// Keeps at most `entries` loaded programs that nobody else holds.
    #[must_use]
    pub fn with_memory_entries(mut self, entries: usize) -> Self {
        self.capacity = entries;
        self
    }

    /// The disk level, if there is one.
    pub fn disk(&self) -> Option<&DiskCache> {
        self.disk.as_deref()
    }

    /// Finds the code for a key; otherwise compiles, stores and loads it.
    ///
    /// Bytes from the disk that do not load are thrown away and compiled again.
    ///
    /// # Errors
    /// Only those of `compile`, and of `load` on freshly compiled bytes.
    pub fn get_or_compile(
        &self,
        key: &CacheKey,
        compile: impl FnOnce() -> Result<Vec<u8>>,
        load: impl Fn(&[u8]) -> Result<T>,
    ) -> Result<(Arc<T>, Origin)> {
        let memory = self.memory.get_or_init(Memory::default);
        if let Some(value) = memory.find_or_reserve(key) {
            return Ok((value, Origin::Memory));
        }
        // From here on this thread owns the key; the guard frees it on errors and panics.
        let reservation = Reservation {
            memory,
            key,
            is_filled: false,
        };
        let (value, origin) = self.read_or_compile(key, compile, load)?;
        let value = Arc::new(value);
        reservation.fill(Arc::clone(&value), self.capacity);
        Ok((value, origin))
    }

    fn read_or_compile(
        &self,
        key: &CacheKey,
        compile: impl FnOnce() -> Result<Vec<u8>>,
        load: impl Fn(&[u8]) -> Result<T>,
    ) -> Result<(T, Origin)> {
        if let Some(disk) = &self.disk
            && let Some(bytes) = disk.read(key)
        {
            match load(&bytes) {
                Ok(value) => return Ok((value, Origin::Disk)),
                Err(_) => disk.remove(key),
            }
        }
        let bytes = compile()?;
        let value = load(&bytes)?;
        if let Some(disk) = &self.disk {
            disk.write(key, &bytes);
        }
        Ok((value, Origin::Compiled))
    }
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                slots: HashMap::new(),
                clock: 0,
            }),
            finished: Condvar::new(),
        }
    }
}

impl<T> Memory<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value if it is there; otherwise reserves the key for the caller.
    fn find_or_reserve(&self, key: &CacheKey) -> Option<Arc<T>> {
        let mut state = self.lock();
        loop {
            state.clock += 1;
            let now = state.clock;
            match state.slots.get_mut(key) {
                Some(Slot::Ready { value, last_used }) => {
                    *last_used = now;
                    return Some(Arc::clone(value));
                }
                Some(Slot::InProgress) => {
                    state = self
                        .finished
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                None => {
                    state.slots.insert(*key, Slot::InProgress);
                    return None;
                }
            }
        }
    }
}

impl<T> State<T> {
    /// Makes room by dropping the least recently used program that only the cache holds.
    fn evict(&mut self, capacity: usize) {
        while self.slots.len() > capacity {
            let oldest = self
                .slots
                .iter()
                .filter_map(|(key, slot)| match slot {
                    Slot::Ready { value, last_used } if Arc::strong_count(value) == 1 => {
                        Some((*last_used, *key))
                    }
                    _ => None,
                })
                .min_by_key(|(last_used, _)| *last_used);
            match oldest {
                Some((_, key)) => self.slots.remove(&key),
                None => return,
            };
        }
    }
}

/// A key that this thread has promised to fill.
struct Reservation<'a, T> {
    memory: &'a Memory<T>,
    key: &'a CacheKey,
    is_filled: bool,
}

impl<T> Reservation<'_, T> {
    fn fill(mut self, value: Arc<T>, capacity: usize) {
        self.is_filled = true;
        let mut state = self.memory.lock();
        let last_used = state.clock;
        state
            .slots
            .insert(*self.key, Slot::Ready { value, last_used });
        state.evict(capacity);
    }
}

impl<T> Drop for Reservation<'_, T> {
    fn drop(&mut self) {
        if !self.is_filled {
            self.memory.lock().slots.remove(self.key);
        }
        self.memory.finished.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn key(text: &str) -> CacheKey {
        CacheKey::new([text.as_bytes()])
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "stands in for a loader that can fail"
    )]
    fn text_of(bytes: &[u8]) -> Result<String> {
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    #[test]
    fn keys_do_not_confuse_their_parts() {
        let joined = CacheKey::new([&b"ab"[..], b"c"]);
        assert_ne!(joined, CacheKey::new([&b"a"[..], b"bc"]));
        assert_ne!(joined, CacheKey::new([&b"abc"[..]]));
        assert_eq!(joined, CacheKey::new([&b"ab"[..], b"c"]));
        assert_eq!(joined.to_hex().len(), 64);
        assert_eq!(CacheKey::from_hex(&joined.to_hex()), Some(joined));
        assert_eq!(CacheKey::from_hex("joined"), None);
    }

    #[test]
    fn a_key_is_compiled_once() {
        let cache = CompileCache::new(None);
        let compiled = AtomicUsize::new(0);
        for expected in [Origin::Compiled, Origin::Memory, Origin::Memory] {
            let compile = || {
                compiled.fetch_add(1, Ordering::Relaxed);
                Ok(b"code".to_vec())
            };
            let (value, origin) = cache.get_or_compile(&key("k"), compile, text_of).unwrap();
            assert_eq!((value.as_str(), origin), ("code", expected));
        }
        assert_eq!(compiled.into_inner(), 1);
    }

    #[test]
    fn threads_that_ask_at_once_share_one_compilation() {
        let cache = CompileCache::new(None);
        let compiled = AtomicUsize::new(0);
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    let compile = || {
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        compiled.fetch_add(1, Ordering::Relaxed);
                        Ok(b"code".to_vec())
                    };
                    cache.get_or_compile(&key("k"), compile, text_of).unwrap();
                });
            }
        });
        assert_eq!(compiled.into_inner(), 1);
    }

    #[test]
    fn a_failed_compilation_is_reported_and_may_be_tried_again() {
        let cache = CompileCache::new(None);
        let fail = || {
            Err(Error::Internal {
                invariant: "for the test",
            })
        };
        assert!(cache.get_or_compile(&key("k"), fail, text_of).is_err());
        let (_, origin) = cache
            .get_or_compile(&key("k"), || Ok(vec![]), text_of)
            .unwrap();
        assert_eq!(origin, Origin::Compiled);
    }

    #[test]
    fn a_panic_while_compiling_does_not_block_the_key() {
        let cache = CompileCache::new(None);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            cache.get_or_compile(&key("k"), || panic!("for the test"), text_of)
        }));
        assert!(outcome.is_err());
        assert!(
            cache
                .get_or_compile(&key("k"), || Ok(vec![]), text_of)
                .is_ok()
        );
    }

    #[test]
    fn memory_drops_the_least_recently_used_but_never_what_is_in_use() {
        let cache = CompileCache::new(None).with_memory_entries(2);
        let get = |name: &str| {
            cache
                .get_or_compile(&key(name), || Ok(name.as_bytes().to_vec()), text_of)
                .unwrap()
        };
        let (held, _) = get("held");
        get("a");
        get("b");
        get("c");
        assert_eq!(get("held").1, Origin::Memory);
        assert_eq!(get("a").1, Origin::Compiled);
        assert_eq!(held.as_str(), "held");
    }
}
