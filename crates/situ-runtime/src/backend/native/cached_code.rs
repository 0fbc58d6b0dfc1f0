//! Compiled code on disk, of the native device and of OpenCL's, for people to look at and to clear.
//!
//! The command line asks here. A directory that does not exist is an empty cache and is not made for
//! looking at it.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use super::object_file::ObjectSymbols;
use crate::backend::opencl::binary;
use crate::compile_cache::DiskCache;
use crate::compile_cache::disk::DiskUsage;
use crate::config::{self, CacheLocation, Config};
use crate::warnings::{self, AccessProblem, CacheProblem, WarningSink};

/// What the emitter puts before a kernel's name.
const KERNEL_PREFIX: &str = "situ_kernel_";

/// The compile cache that this process uses or would use.
pub struct CachedCode {
    /// `None` when the user turned it off, or there is no place for it.
    disk: Option<DiskCache>,
}

/// A compiled module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedProgram {
    /// What it is stored under.
    pub key: String,
    /// The size of its file.
    pub size_bytes: u64,
    /// When it was last used, to within ten minutes.
    pub last_used: SystemTime,
    /// The kernels in it; `None` when the file is damaged or refused, so that it will be written
    /// anew.
    pub kernels: Option<Vec<String>>,
    /// Why the file is refused, if it is.
    pub problem: Option<AccessProblem>,
}

impl CachedCode {
    /// The cache by the settings of this process.
    pub fn of_process() -> Self {
        Self {
            // Whoever asks is told the problem; it need not be a warning as well.
            disk: disk_cache(config::process_config(), WarningSink::default())
                .map(DiskCache::for_looking),
        }
    }

    /// Where it is; `None` when there is none.
    pub fn directory(&self) -> Option<&Path> {
        self.disk.as_ref().map(DiskCache::directory)
    }

    /// The size it may grow to.
    pub fn limit_bytes(&self) -> Option<u64> {
        self.disk.as_ref().map(DiskCache::limit_bytes)
    }

    /// Why it is not used, if it is not.
    pub fn problem(&self) -> Option<&CacheProblem> {
        self.disk.as_ref()?.problem()
    }

    /// How much there is.
    pub fn usage(&self) -> DiskUsage {
        self.disk.as_ref().map(DiskCache::usage).unwrap_or_default()
    }

    /// What there is, the most recently used first.
    pub fn programs(&self) -> Vec<CachedProgram> {
        let Some(disk) = &self.disk else {
            return Vec::new();
        };
        let entries = disk.entries().into_iter();
        let describe = |entry: crate::compile_cache::disk::DiskEntry| CachedProgram {
            key: entry.key.to_hex(),
            size_bytes: entry.size_bytes,
            last_used: entry.last_used,
            kernels: disk.peek(&entry.key).and_then(|code| kernels_in(&code)),
            problem: entry.problem,
        };
        entries.map(describe).collect()
    }

    /// Removes everything and tells how much that was.
    pub fn clear(&self) -> DiskUsage {
        self.disk.as_ref().map(DiskCache::clear).unwrap_or_default()
    }
}

/// The disk level that all caches of this process share, so that its directory is opened once.
pub(in crate::backend) fn process_disk_cache() -> Option<Arc<DiskCache>> {
    static SHARED: LazyLock<Option<Arc<DiskCache>>> = LazyLock::new(|| {
        let warnings = warnings::process_sink().clone();
        disk_cache(config::process_config(), warnings).map(Arc::new)
    });
    SHARED.clone()
}

/// The disk level of the compile cache, by the user's settings.
fn disk_cache(config: &Config, warnings: WarningSink) -> Option<DiskCache> {
    match &config.cache_location {
        CacheLocation::Directory(directory) => Some(DiskCache::new(
            directory.clone(),
            config.cache_limit_bytes,
            warnings,
        )),
        CacheLocation::Off => None,
    }
}

/// The names of the kernels in an entry, in alphabetical order.
fn kernels_in(code: &[u8]) -> Option<Vec<String>> {
    if let Some((mut names, _)) = binary::decode(code) {
        names.sort_unstable();
        return Some(names);
    }
    let symbols = ObjectSymbols::read(code).ok()?.defined.into_iter();
    let mut names: Vec<String> = symbols
        .filter_map(|symbol| Some(symbol.strip_prefix(KERNEL_PREFIX)?.to_owned()))
        .collect();
    names.sort_unstable();
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::native::compiler::{self, CompileOptions, Passes};
    use crate::backend::native::host_cpu::CpuTarget;
    use crate::compile_cache::CacheKey;

    #[test]
    fn kernels_are_named_and_damage_is_seen() {
        let name = format!("situ-cached-code-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let cached = CachedCode {
            disk: Some(
                DiskCache::new(directory.clone(), 1 << 20, WarningSink::default()).for_looking(),
            ),
        };
        assert_eq!(cached.programs(), []);
        assert!(!directory.exists(), "looking makes no directory");

        let options = CompileOptions {
            cpu: CpuTarget::baseline(),
            passes: Passes::Least,
        };
        let text = "define void @situ_kernel_scale() { ret void }\n\
                    define void @situ_kernel_blur() { ret void }";
        let object = compiler::compile("test", text, &options).unwrap();
        let disk = DiskCache::new(directory.clone(), 1 << 20, WarningSink::default());
        disk.write(&CacheKey::new([&b"good"[..]]), &object);
        disk.write(&CacheKey::new([&b"bad"[..]]), b"no object");
        let cached = CachedCode { disk: Some(disk) };
        let mut kernels: Vec<_> = cached.programs().into_iter().map(|p| p.kernels).collect();
        kernels.sort_unstable();
        assert_eq!(
            kernels,
            [None, Some(vec!["blur".to_owned(), "scale".to_owned()])]
        );
        assert_eq!(cached.usage().entries, 2);
        assert_eq!(cached.problem(), None);
        assert_eq!(cached.clear().entries, 2);
        assert_eq!(cached.programs(), []);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
