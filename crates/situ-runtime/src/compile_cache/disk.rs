//! The disk level of the compile cache: one file per entry in one private directory.
//!
//! The files hold machine code that situ will run, so nobody else may be able to change them, nor
//! the directory, nor any directory above it: see [`private_directory`](super::private_directory).
//! A directory that does not comply is refused with a warning, and so is one that cannot be created
//! or written: the process then compiles for itself alone. An entry that does not comply is refused,
//! compiled and replaced. Each warning is given once. Nothing here returns an error.
//!
//! Processes share the directory without locks: an entry is written under a temporary name and
//! renamed into place, so a reader sees a whole entry or none. Damaged entries are treated as
//! absent and written anew. When the directory outgrows its limit the files unused for longest
//! go first (by modification time, which reading refreshes).

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use super::private_directory::{PrivateDirectory, Purpose, check_file};
use super::{CacheKey, entry};
use crate::fork::ForkLocal;
use crate::warnings::{AccessProblem, CacheProblem, Warning, WarningSink};

const EXTENSION: &str = "situ-code";
const TEMPORARY_EXTENSION: &str = "situ-tmp";

/// Reading refreshes the modification time when it is older than this.
const REFRESH_AFTER: Duration = Duration::from_mins(10);

/// Temporary files older than this were left by a process that died.
const STALE_AFTER: Duration = Duration::from_hours(1);

/// A directory of compiled code.
pub struct DiskCache {
    directory: PathBuf,
    limit_bytes: u64,
    warnings: WarningSink,
    purpose: Purpose,
    /// The directory, or what keeps it from being used; found out at the first access. `None` when
    /// it is missing and only to be looked at. A forked child opens it again.
    opened: ForkLocal<Result<Option<PrivateDirectory>, CacheProblem>>,
    /// Set when an entry was refused: one warning is enough.
    has_refused_entry: AtomicBool,
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
    /// How many of the entries are refused.
    pub refused: usize,
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
    /// Why it is not used, if it is not.
    pub problem: Option<AccessProblem>,
}

impl DiskCache {
    /// A cache in `directory`, an absolute path, which is created and checked when first needed.
    pub const fn new(directory: PathBuf, limit_bytes: u64, warnings: WarningSink) -> Self {
        Self {
            directory,
            limit_bytes,
            warnings,
            purpose: Purpose::Use,
            opened: ForkLocal::new(),
            has_refused_entry: AtomicBool::new(false),
            is_read_only: AtomicBool::new(false),
            size_bytes: AtomicI64::new(-1),
            trimming: Mutex::new(()),
        }
    }

    /// Creates nothing: a missing directory is an empty cache.
    #[must_use]
    pub const fn for_looking(mut self) -> Self {
        self.purpose = Purpose::Look;
        self
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
        let name = name_of(key);
        let (mut file, metadata, verdict) = self.opened()?.read(&name)?;
        if let Err(reason) = verdict {
            self.refuse_entry(&name, reason);
            return None;
        }
        let payload = self.decode(key, &mut file, metadata.len())?;
        Some((payload, file, metadata))
    }

    /// The payload of a file, which may have any content and size.
    fn decode(&self, key: &CacheKey, file: &mut File, file_bytes: u64) -> Option<Vec<u8>> {
        let mut header = [0; entry::HEADER_BYTES];
        file.read_exact(&mut header).ok()?;
        if file_bytes > self.limit_bytes || !entry::is_plausible(key, &header, file_bytes) {
            return None;
        }
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(usize::try_from(file_bytes).ok()?)
            .ok()?;
        bytes.extend_from_slice(&header);
        file.take(file_bytes - header.len() as u64)
            .read_to_end(&mut bytes)
            .ok()?;
        entry::decode(key, bytes)
    }

    /// Stores a payload; failures cost a warning at most.
    pub fn write(&self, key: &CacheKey, payload: &[u8]) {
        if self.is_read_only.load(Ordering::Relaxed) {
            return;
        }
        let Some(directory) = self.opened() else {
            return;
        };
        let bytes = entry::encode(key, payload);
        if bytes.len() as u64 > self.limit_bytes {
            return;
        }
        match write_entry(directory, key, &bytes) {
            Ok(()) => self.account_for(bytes.len()),
            // A directory in the place of the entry. Reading has complained about it.
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {}
            Err(error) => {
                self.is_read_only.store(true, Ordering::Relaxed);
                self.refuse(match error.kind() {
                    io::ErrorKind::NotFound => CacheProblem::Removed,
                    _ => CacheProblem::Io {
                        action: "write to it".to_owned(),
                        message: error.to_string(),
                    },
                });
            }
        }
    }

    /// Deletes the entry for a key.
    pub fn remove(&self, key: &CacheKey) {
        // Somebody else may have removed it already, which is as good.
        if let Some(directory) = self.opened() {
            let _ = directory.remove(&name_of(key));
        }
    }

    /// Deletes all entries and returns what they amounted to.
    pub fn clear(&self) -> DiskUsage {
        let mut removed = DiskUsage::default();
        let Some(directory) = self.opened() else {
            return removed;
        };
        for file in files_in(directory) {
            if directory.remove(&file.name).is_ok() && !file.is_temporary {
                removed.entries += 1;
                removed.size_bytes += file.size_bytes;
            }
        }
        self.size_bytes.store(0, Ordering::Relaxed);
        removed
    }

    /// Counts the entries.
    pub fn usage(&self) -> DiskUsage {
        let files = self.opened().map(files_in).unwrap_or_default();
        let entries = files.into_iter().filter(|file| !file.is_temporary);
        entries.fold(DiskUsage::default(), |usage, file| DiskUsage {
            entries: usage.entries + 1,
            size_bytes: usage.size_bytes + file.size_bytes,
            refused: usage.refused + usize::from(file.problem.is_some()),
        })
    }

    /// Every entry, damaged ones included, the most recently used first.
    pub fn entries(&self) -> Vec<DiskEntry> {
        let files = self.opened().map(files_in).unwrap_or_default();
        let files = files.into_iter().filter(|file| !file.is_temporary);
        let mut entries: Vec<DiskEntry> = files.filter_map(CacheFile::entry).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_used));
        entries
    }

    /// Whether the directory exists (it is created on the way) and is safe to use.
    pub fn is_usable(&self) -> bool {
        self.problem().is_none()
    }

    /// Why the directory is not used, if it is not. Creates it if it does not exist.
    pub fn problem(&self) -> Option<&CacheProblem> {
        self.open_once().as_ref().err()
    }

    fn opened(&self) -> Option<&PrivateDirectory> {
        self.open_once().as_ref().ok()?.as_ref()
    }

    fn open_once(&self) -> &Result<Option<PrivateDirectory>, CacheProblem> {
        self.opened.get_or_init(|| {
            let opened = PrivateDirectory::open(&self.directory, self.purpose);
            if let Err(problem) = &opened {
                self.refuse(problem.clone());
            }
            opened
        })
    }

    fn refuse(&self, reason: CacheProblem) {
        self.warnings.push(Warning::CacheUnavailable {
            directory: self.directory.clone(),
            reason,
        });
    }

    fn refuse_entry(&self, name: &OsStr, reason: AccessProblem) {
        if !self.has_refused_entry.swap(true, Ordering::Relaxed) {
            self.warnings.push(Warning::CacheEntryRefused {
                path: self.directory.join(name),
                reason,
            });
        }
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
        // Another thread is at it, or was when this process was forked.
        let Ok(_only_one) = self.trimming.try_lock() else {
            return;
        };
        let Some(directory) = self.opened() else {
            return;
        };
        let mut files = files_in(directory);
        files.retain(|file| !file.is_stale() || directory.remove(&file.name).is_err());
        let mut total: u64 = files.iter().map(|file| file.size_bytes).sum();
        let target = self.limit_bytes / 4 * 3;
        files.sort_by_key(|file| file.modified);
        for file in files.iter().filter(|file| !file.is_temporary) {
            if total <= target {
                break;
            }
            if directory.remove(&file.name).is_ok() {
                total -= file.size_bytes;
            }
        }
        self.size_bytes.store(total as i64, Ordering::Relaxed);
    }
}

struct CacheFile {
    name: OsString,
    is_temporary: bool,
    size_bytes: u64,
    modified: SystemTime,
    problem: Option<AccessProblem>,
}

impl CacheFile {
    /// The entry in the file; `None` if its name is not that of an entry.
    fn entry(self) -> Option<DiskEntry> {
        Some(DiskEntry {
            key: CacheKey::from_hex(Path::new(&self.name).file_stem()?.to_str()?)?,
            size_bytes: self.size_bytes,
            last_used: self.modified,
            problem: self.problem,
        })
    }

    fn describe((name, metadata): (OsString, fs::Metadata)) -> Option<Self> {
        let is_temporary = match Path::new(&name).extension()?.to_str()? {
            EXTENSION => false,
            TEMPORARY_EXTENSION => true,
            _ => return None,
        };
        Some(Self {
            is_temporary,
            size_bytes: metadata.len(),
            modified: metadata.modified().ok()?,
            problem: check_file(&metadata).err(),
            name,
        })
    }

    /// Whether this was left by a process that died.
    fn is_stale(&self) -> bool {
        let age = SystemTime::now().duration_since(self.modified);
        self.is_temporary && age.unwrap_or_default() > STALE_AFTER
    }
}

/// Our files in the directory; anything else that may be there is not touched.
fn files_in(directory: &PrivateDirectory) -> Vec<CacheFile> {
    let files = directory.list().into_iter();
    files.filter_map(CacheFile::describe).collect()
}

fn name_of(key: &CacheKey) -> OsString {
    format!("{}.{EXTENSION}", key.to_hex()).into()
}

fn write_entry(directory: &PrivateDirectory, key: &CacheKey, bytes: &[u8]) -> io::Result<()> {
    // Random, because processes in containers that share the directory have the same numbers.
    let random = RandomState::new().build_hasher().finish();
    let temporary = format!("{}-{random:016x}.{TEMPORARY_EXTENSION}", key.to_hex());
    let temporary = OsString::from(temporary);
    let result = directory
        .create(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| directory.rename(&temporary, &name_of(key)));
    if result.is_err() {
        // The first error is the one to report.
        let _ = directory.remove(&temporary);
    }
    result
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

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
