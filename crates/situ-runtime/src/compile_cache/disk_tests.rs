//! Tests of the disk level: private, shared between processes, bounded, never in the way.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::*;

/// A directory that is removed at the end of a test.
struct TestDirectory(PathBuf);

impl TestDirectory {
    fn new(name: &str) -> Self {
        let unique = format!("situ-cache-test-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(unique);
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn cache(&self) -> (DiskCache, WarningSink) {
        self.cache_with_limit(1 << 20)
    }

    fn cache_with_limit(&self, limit_bytes: u64) -> (DiskCache, WarningSink) {
        let warnings = WarningSink::default();
        (
            DiskCache::new(self.0.clone(), limit_bytes, warnings.clone()),
            warnings,
        )
    }
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        let _ = fs::set_permissions(&self.0, fs::Permissions::from_mode(0o700));
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl DiskCache {
    fn path_of(&self, key: &CacheKey) -> PathBuf {
        self.directory.join(name_of(key))
    }
}

fn key(number: usize) -> CacheKey {
    CacheKey::new([&number.to_le_bytes()[..]])
}

fn reasons(warnings: &WarningSink) -> Vec<CacheProblem> {
    let problems = warnings.drain().into_iter().map(|warning| match warning {
        Warning::CacheUnavailable { reason, .. } => reason,
        other => panic!("unexpected {other:?}"),
    });
    problems.collect()
}

#[test]
fn what_one_cache_writes_another_reads() {
    let directory = TestDirectory::new("round-trip");
    let (writer, warnings) = directory.cache();
    assert_eq!(writer.read(&key(1)), None);
    writer.write(&key(1), b"code");
    let (reader, _) = directory.cache();
    assert_eq!(reader.read(&key(1)).as_deref(), Some(&b"code"[..]));
    assert_eq!(reader.read(&key(2)), None);
    assert_eq!(reader.usage().entries, 1);
    assert!(warnings.drain().is_empty());
}

#[test]
fn the_directory_and_its_files_are_private() {
    let directory = TestDirectory::new("private");
    let (cache, _) = directory.cache();
    cache.write(&key(1), b"code");
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&directory.0), 0o700);
    assert_eq!(mode(&cache.path_of(&key(1))), 0o600);
}

#[test]
fn a_directory_others_may_write_to_is_refused() {
    for mode in [0o777, 0o770, 0o702, 0o720, 0o1777] {
        let directory = TestDirectory::new("shared");
        fs::create_dir(&directory.0).unwrap();
        fs::set_permissions(&directory.0, fs::Permissions::from_mode(mode)).unwrap();
        let (cache, warnings) = directory.cache();
        cache.write(&key(1), b"code");
        assert_eq!(cache.read(&key(1)), None);
        assert_eq!(
            reasons(&warnings),
            [CacheProblem::Untrusted {
                path: directory.0.clone(),
                reason: AccessProblem::WritableByOthers { mode },
            }]
        );
        assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 0);
    }
}

#[test]
fn a_directory_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root can give a directory away.
    }
    let directory = TestDirectory::new("foreign");
    fs::create_dir(&directory.0).unwrap();
    std::os::unix::fs::chown(&directory.0, Some(12345), None).unwrap();
    let (cache, warnings) = directory.cache();
    assert!(!cache.is_usable());
    let reason = AccessProblem::OwnedByAnotherUser {
        owner: 12345,
        user: 0,
    };
    let path = directory.0.clone();
    assert_eq!(
        reasons(&warnings),
        [CacheProblem::Untrusted { path, reason }]
    );
}

#[test]
fn a_file_in_the_way_is_refused() {
    let directory = TestDirectory::new("file");
    fs::write(&directory.0, b"not a directory").unwrap();
    let (cache, warnings) = directory.cache();
    assert_eq!(cache.read(&key(1)), None);
    let path = directory.0.clone();
    let reason = AccessProblem::NotADirectory;
    assert_eq!(
        reasons(&warnings),
        [CacheProblem::Untrusted { path, reason }]
    );
    fs::remove_file(&directory.0).unwrap();
}

#[test]
fn a_directory_that_cannot_be_made_is_refused_once() {
    // Not even root can make a directory below a file.
    let directory = TestDirectory::new("impossible");
    fs::write(&directory.0, b"not a directory").unwrap();
    let warnings = WarningSink::default();
    let cache = DiskCache::new(directory.0.join("below"), 1 << 20, warnings.clone());
    for number in 0..3 {
        cache.write(&key(number), b"code");
        assert_eq!(cache.read(&key(number)), None);
    }
    let reasons = reasons(&warnings);
    assert!(
        matches!(
            reasons[..],
            [CacheProblem::Untrusted {
                reason: AccessProblem::NotADirectory,
                ..
            }]
        ),
        "{reasons:?}"
    );
    fs::remove_file(&directory.0).unwrap();
}

#[test]
fn a_directory_that_is_moved_or_replaced_stays_the_one_in_use() {
    let directory = TestDirectory::new("moved");
    let (cache, warnings) = directory.cache();
    cache.write(&key(1), b"code");
    let moved = directory.0.with_extension("moved");
    fs::rename(&directory.0, &moved).unwrap();
    directory.cache().0.write(&key(1), b"code of somebody else");
    assert_eq!(cache.read(&key(1)).as_deref(), Some(&b"code"[..]));
    cache.write(&key(2), b"code");
    assert!(moved.join(name_of(&key(2))).exists());
    assert_eq!(cache.usage().entries, 2);
    assert!(warnings.drain().is_empty());
    fs::remove_dir_all(moved).unwrap();
}

#[test]
fn a_directory_that_is_removed_costs_one_warning() {
    let directory = TestDirectory::new("removed");
    let (cache, warnings) = directory.cache();
    cache.write(&key(1), b"code");
    fs::remove_dir_all(&directory.0).unwrap();
    for number in 1..4 {
        assert_eq!(cache.read(&key(number)), None);
        cache.write(&key(number), b"code");
    }
    assert_eq!(reasons(&warnings), [CacheProblem::Removed]);
    assert!(!directory.0.exists());
}

#[test]
fn a_temporary_file_that_was_left_behind_is_not_in_the_way() {
    let directory = TestDirectory::new("left-behind");
    let (cache, warnings) = directory.cache();
    cache.write(&key(1), b"code");
    // In a container every process has the same number and starts to count anew.
    for number in 0..3 {
        let name = format!("{}-{}-{number}", key(2).to_hex(), std::process::id());
        let left = directory.0.join(name).with_extension(TEMPORARY_EXTENSION);
        fs::write(left, b"half an entry").unwrap();
    }
    cache.write(&key(2), b"code");
    assert!(cache.read(&key(2)).is_some());
    assert!(warnings.drain().is_empty());
}

#[test]
fn a_read_only_directory_can_be_read() {
    if rustix::process::geteuid().is_root() {
        return; // Permissions do not stop root.
    }
    let directory = TestDirectory::new("read-only");
    directory.cache().0.write(&key(1), b"code");
    fs::set_permissions(&directory.0, fs::Permissions::from_mode(0o500)).unwrap();
    let (cache, warnings) = directory.cache();
    assert!(cache.read(&key(1)).is_some());
    cache.write(&key(2), b"code");
    assert!(matches!(reasons(&warnings)[..], [CacheProblem::Io { .. }]));
}

#[test]
fn damaged_entries_are_ignored_and_rewritten() {
    let directory = TestDirectory::new("damaged");
    let (cache, warnings) = directory.cache();
    let path = directory.0.join(key(1).to_hex()).with_extension(EXTENSION);
    for damage in [&b""[..], b"garbage", &[0; 4096]] {
        cache.write(&key(1), b"code");
        fs::write(&path, damage).unwrap();
        assert_eq!(cache.read(&key(1)), None);
        cache.write(&key(1), b"code");
        assert_eq!(cache.read(&key(1)).as_deref(), Some(&b"code"[..]));
    }
    // An entry under another entry's name is foreign.
    fs::copy(&path, cache.path_of(&key(2))).unwrap();
    assert_eq!(cache.read(&key(2)), None);
    assert!(warnings.drain().is_empty());
}

#[test]
fn links_are_not_followed() {
    let directory = TestDirectory::new("links");
    let (cache, warnings) = directory.cache();
    cache.write(&key(1), b"code");
    let outside = directory.0.with_extension("outside");
    fs::rename(cache.path_of(&key(1)), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, cache.path_of(&key(1))).unwrap();
    assert_eq!(cache.read(&key(1)), None);
    let expected = Warning::CacheEntryRefused {
        path: cache.path_of(&key(1)),
        reason: AccessProblem::NotAFile {
            kind: "symbolic link",
        },
    };
    assert_eq!(warnings.drain(), [expected]);
    // Writing replaces the link and leaves alone what it points to.
    let content = fs::read(&outside).unwrap();
    cache.write(&key(1), b"new code");
    assert_eq!(cache.read(&key(1)).as_deref(), Some(&b"new code"[..]));
    assert_eq!(fs::read(&outside).unwrap(), content);
    fs::remove_file(outside).unwrap();
}

#[test]
fn the_oldest_entries_go_when_the_limit_is_passed() {
    let directory = TestDirectory::new("limit");
    let (cache, _) = directory.cache_with_limit(10_000);
    for number in 0..9 {
        cache.write(&key(number), &[0; 1000]);
        let file = File::open(cache.path_of(&key(number))).unwrap();
        let age = Duration::from_secs(100_000 - 1000 * number as u64);
        file.set_modified(SystemTime::now() - age).unwrap();
    }
    // Reading makes the oldest one recent.
    assert!(cache.read(&key(0)).is_some());
    cache.write(&key(9), &[0; 1000]);
    assert!(cache.usage().size_bytes <= 7_500);
    assert!(cache.read(&key(0)).is_some());
    assert!(cache.read(&key(1)).is_none());
    assert!(cache.read(&key(9)).is_some());
}

#[test]
fn an_entry_larger_than_the_limit_is_not_kept() {
    let directory = TestDirectory::new("too-large");
    let (cache, warnings) = directory.cache_with_limit(500);
    cache.write(&key(1), &[0; 1000]);
    assert_eq!(cache.usage().entries, 0);
    assert!(warnings.drain().is_empty());
}

#[test]
fn clearing_leaves_other_files_alone() {
    let directory = TestDirectory::new("clear");
    let (cache, _) = directory.cache();
    cache.write(&key(1), b"code");
    fs::write(directory.0.join("notes.txt"), b"mine").unwrap();
    assert_eq!(cache.clear().entries, 1);
    assert_eq!(cache.usage(), DiskUsage::default());
    assert!(directory.0.join("notes.txt").exists());
}

#[test]
fn many_threads_share_a_directory() {
    let directory = TestDirectory::new("threads");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let directory = &directory;
            scope.spawn(move || {
                // A limit that is passed often makes trimming race with the rest.
                let (cache, _) = directory.cache_with_limit(40_000);
                for round in 0..200 {
                    let number = (thread * 7 + round * 13) % 50;
                    if let Some(payload) = cache.read(&key(number)) {
                        assert_eq!(payload, vec![number as u8; 1000]);
                    }
                    cache.write(&key(number), &vec![number as u8; 1000]);
                }
            });
        }
    });
    let (cache, _) = directory.cache();
    let files = files_in(cache.opened().unwrap());
    assert!(files.iter().all(|file| !file.is_temporary));
}
