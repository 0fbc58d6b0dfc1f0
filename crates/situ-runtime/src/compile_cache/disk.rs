//! The disk level of the compile cache: one file per entry in one private directory.
//!
//! The files hold machine code that situ will run, so the directory must belong to this user and
//! nobody else may write to it. One that does not comply is refused with a warning, and so is one
//! that cannot be created or written: the process then compiles for itself alone. The warning is
//! given once. Nothing here returns an error.
//!
//! Processes share the directory without locks: an entry is written under a temporary name and
//! renamed into place, so a reader sees a whole entry or none. Damaged entries are treated as
//! absent and written anew. When the directory outgrows its limit the files unused for longest
//! go first (by modification time, which reading refreshes).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use super::{CacheKey, entry};
use crate::warnings::{CacheProblem, Warning, WarningSink};

const EXTENSION: &str = "situ-code";
const TEMPORARY_EXTENSION: &str = "situ-tmp";

/// Reading refreshes the modification time when it is older than this.
const REFRESH_AFTER: Duration = Duration::from_mins(10);

/// Temporary files older than this were left by a process that died.
const STALE_AFTER: Duration = Duration::from_hours(1);

/// A directory of compiled code.
#[derive(Debug)]
pub struct DiskCache {
    directory: PathBuf,
    limit_bytes: u64,
    warnings: WarningSink,
    /// What keeps the directory from being used, if anything; found out at the first access.
    problem: OnceLock<Option<CacheProblem>>,
    /// Set when a write failed: reading goes on, writing does not.
    is_read_only: AtomicBool,
    /// Bytes in the directory as far as this process knows; negative before the first scan.
    size_bytes: AtomicI64,
    /// Only one thread of a process tidies up.
    trimming: Mutex<()>,
}

/// What is in the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskUsage {
    /// Number of entries.
    pub entries: usize,
    /// Their total size.
    pub size_bytes: u64,
}

/// One entry of the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskEntry {
    /// What it is stored for.
    pub key: CacheKey,
    /// The size of its file.
    pub size_bytes: u64,
    /// When it was last read or written, to within ten minutes.
    pub last_used: SystemTime,
}

impl DiskCache {
    /// A cache in `directory`, which is created and checked when it is first needed.
    pub const fn new(directory: PathBuf, limit_bytes: u64, warnings: WarningSink) -> Self {
        Self {
            directory,
            limit_bytes,
            warnings,
            problem: OnceLock::new(),
            is_read_only: AtomicBool::new(false),
            size_bytes: AtomicI64::new(-1),
            trimming: Mutex::new(()),
        }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The size that it may grow to.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// The payload stored for a key, if there is an undamaged entry. Marks it as used.
    pub fn read(&self, key: &CacheKey) -> Option<Vec<u8>> {
        let (payload, file, metadata) = self.open(key)?;
        refresh(&file, &metadata);
        Some(payload)
    }

    /// As [`Self::read`], without marking it as used.
    pub fn peek(&self, key: &CacheKey) -> Option<Vec<u8>> {
        self.open(key).map(|(payload, ..)| payload)
    }

    fn open(&self, key: &CacheKey) -> Option<(Vec<u8>, File, fs::Metadata)> {
        if !self.is_usable() {
            return None;
        }
        let mut options = OpenOptions::new();
        // A link in our own directory is nothing we made.
        let mut file = options
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
            .open(self.path_of(key))
            .ok()?;
        let metadata = file.metadata().ok()?;
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        file.read_to_end(&mut bytes).ok()?;
        let payload = entry::decode(key, bytes)?;
        Some((payload, file, metadata))
    }

    /// Stores a payload; failures cost a warning at most.
    pub fn write(&self, key: &CacheKey, payload: &[u8]) {
        if !self.is_usable() || self.is_read_only.load(Ordering::Relaxed) {
            return;
        }
        let bytes = entry::encode(key, payload);
        if bytes.len() as u64 > self.limit_bytes {
            return;
        }
        match self.write_entry(key, &bytes) {
            Ok(()) => self.account_for(bytes.len()),
            Err(error) => {
                self.is_read_only.store(true, Ordering::Relaxed);
                self.refuse(CacheProblem::Io {
                    action: "write to it",
                    message: error.to_string(),
                });
            }
        }
    }

    /// Deletes the entry for a key.
    pub fn remove(&self, key: &CacheKey) {
        // Somebody else may have removed it already, which is as good.
        let _ = fs::remove_file(self.path_of(key));
    }

    /// Deletes all entries and returns what they amounted to.
    pub fn clear(&self) -> DiskUsage {
        let mut removed = DiskUsage::default();
        if !self.is_usable() {
            return removed;
        }
        for file in self.files() {
            if fs::remove_file(&file.path).is_ok() && !file.is_temporary {
                removed.entries += 1;
                removed.size_bytes += file.size_bytes;
            }
        }
        self.size_bytes.store(0, Ordering::Relaxed);
        removed
    }

    /// Counts the entries.
    pub fn usage(&self) -> DiskUsage {
        if !self.is_usable() {
            return DiskUsage::default();
        }
        let entries = self.files().into_iter().filter(|file| !file.is_temporary);
        entries.fold(DiskUsage::default(), |usage, file| DiskUsage {
            entries: usage.entries + 1,
            size_bytes: usage.size_bytes + file.size_bytes,
        })
    }

    /// Every entry, damaged ones included, the most recently used first.
    pub fn entries(&self) -> Vec<DiskEntry> {
        if !self.is_usable() {
            return Vec::new();
        }
        let files = self.files().into_iter().filter(|file| !file.is_temporary);
        let mut entries: Vec<DiskEntry> = files.filter_map(|file| file.entry()).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_used));
        entries
    }

    /// Whether the directory exists (it is created on the way) and is safe to use.
    pub fn is_usable(&self) -> bool {
        self.problem().is_none()
    }

    /// Why the directory is not used, if it is not. Creates it if it does not exist.
    pub fn problem(&self) -> Option<&CacheProblem> {
        let find = || {
            let problem = prepare(&self.directory).err();
            if let Some(problem) = &problem {
                self.refuse(problem.clone());
            }
            problem
        };
        self.problem.get_or_init(find).as_ref()
    }

    fn refuse(&self, reason: CacheProblem) {
        self.warnings.push(Warning::CacheUnavailable {
            directory: self.directory.clone(),
            reason,
        });
    }

    fn path_of(&self, key: &CacheKey) -> PathBuf {
        self.directory.join(key.to_hex()).with_extension(EXTENSION)
    }

    fn write_entry(&self, key: &CacheKey, bytes: &[u8]) -> io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let unique = format!(
            "{}-{}-{}",
            key.to_hex(),
            std::process::id(),
            COUNTER.fetch_add(1, Ordering::Relaxed)
        );
        let temporary = self
            .directory
            .join(unique)
            .with_extension(TEMPORARY_EXTENSION);
        let result = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&temporary, self.path_of(key)));
        if result.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_file(&temporary);
        }
        result
    }

    /// Notes the growth and makes room when the limit is passed.
    fn account_for(&self, added: usize) {
        let known = self.size_bytes.load(Ordering::Relaxed);
        let total = if known < 0 {
            let total = self.usage().size_bytes as i64;
            self.size_bytes.store(total, Ordering::Relaxed);
            total
        } else {
            self.size_bytes.fetch_add(added as i64, Ordering::Relaxed) + added as i64
        };
        if total as u64 > self.limit_bytes {
            self.trim();
        }
    }

    /// Deletes the entries unused for longest until three quarters of the limit are left.
    fn trim(&self) {
        let _only_one = self.trimming.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = self.files();
        files.retain(|file| !file.is_temporary || !remove_stale(file));
        let mut total: u64 = files.iter().map(|file| file.size_bytes).sum();
        let target = self.limit_bytes / 4 * 3;
        files.sort_by_key(|file| file.modified);
        for file in files.iter().filter(|file| !file.is_temporary) {
            if total <= target {
                break;
            }
            if fs::remove_file(&file.path).is_ok() {
                total -= file.size_bytes;
            }
        }
        self.size_bytes.store(total as i64, Ordering::Relaxed);
    }

    /// Our files in the directory; anything else that may be there is not touched.
    fn files(&self) -> Vec<CacheFile> {
        let Ok(listing) = fs::read_dir(&self.directory) else {
            return Vec::new();
        };
        listing
            .flatten()
            .filter_map(|item| CacheFile::describe(&item))
            .collect()
    }
}

struct CacheFile {
    path: PathBuf,
    is_temporary: bool,
    size_bytes: u64,
    modified: SystemTime,
}

impl CacheFile {
    /// The entry in the file; `None` if its name is not that of an entry.
    fn entry(&self) -> Option<DiskEntry> {
        Some(DiskEntry {
            key: CacheKey::from_hex(self.path.file_stem()?.to_str()?)?,
            size_bytes: self.size_bytes,
            last_used: self.modified,
        })
    }

    fn describe(item: &fs::DirEntry) -> Option<Self> {
        let path = item.path();
        let is_temporary = match path.extension()?.to_str()? {
            EXTENSION => false,
            TEMPORARY_EXTENSION => true,
            _ => return None,
        };
        let metadata = item.metadata().ok().filter(fs::Metadata::is_file)?;
        let modified = metadata.modified().ok()?;
        Some(Self {
            path,
            is_temporary,
            size_bytes: metadata.len(),
            modified,
        })
    }
}

fn remove_stale(file: &CacheFile) -> bool {
    let age = SystemTime::now()
        .duration_since(file.modified)
        .unwrap_or_default();
    age > STALE_AFTER && fs::remove_file(&file.path).is_ok()
}

/// Marks an entry as recently used. Not being allowed to is no reason not to use it.
fn refresh(file: &File, metadata: &fs::Metadata) {
    let now = SystemTime::now();
    let age = metadata
        .modified()
        .ok()
        .and_then(|modified| now.duration_since(modified).ok());
    if age.is_some_and(|age| age > REFRESH_AFTER) {
        let _ = file.set_modified(now);
    }
}

/// Creates the directory, private to the user, and checks who may write to it.
fn prepare(directory: &Path) -> Result<(), CacheProblem> {
    let failed = |action| {
        move |error: io::Error| CacheProblem::Io {
            action,
            message: error.to_string(),
        }
    };
    if let Some(parent) = directory.parent() {
        fs::create_dir_all(parent).map_err(failed("create the directory above it"))?;
    }
    match fs::DirBuilder::new().mode(0o700).create(directory) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed("create it")(error)),
    }
    let metadata = fs::metadata(directory).map_err(failed("examine it"))?;
    if !metadata.is_dir() {
        return Err(CacheProblem::NotADirectory);
    }
    // SAFETY: `geteuid` has no preconditions.
    let user = unsafe { libc::geteuid() };
    if metadata.uid() != user {
        return Err(CacheProblem::OwnedByAnotherUser {
            owner: metadata.uid(),
        });
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return Err(CacheProblem::WritableByOthers { mode });
    }
    Ok(())
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
