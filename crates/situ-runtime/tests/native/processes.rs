//! Several processes on one cache directory: they compile, read, damage and evict at once, and
//! every one of them gets the right code every time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use situ_runtime::backend::native::compiler::compile;
use situ_runtime::backend::native::jit::LoadedObject;
use situ_runtime::backend::native::vector_math::VectorMath;
use situ_runtime::compile_cache::{CacheKey, CompileCache, DiskCache, Origin};
use situ_runtime::warnings::WarningSink;

use crate::{call, host_options};

const KERNELS: u32 = 6;

fn text_of(number: u32) -> String {
    format!(
        "define void @f(ptr %args, ptr %launch) {{ %p = load ptr, ptr %args\n \
         store double {number}.0, ptr %p\n ret void }}"
    )
}

/// Gets a kernel through a fresh cache over `directory` and checks what it computes.
fn use_kernel(directory: &Path, number: u32, limit_bytes: u64) -> Origin {
    let warnings = WarningSink::default();
    let disk = DiskCache::new(directory.to_owned(), limit_bytes, warnings.clone());
    let cache = CompileCache::new(Some(Arc::new(disk)));
    let text = text_of(number);
    let key = CacheKey::new([text.as_bytes()]);
    let (object, origin) = cache
        .get_or_compile(
            &key,
            || compile("f", &text, &host_options()),
            |bytes| LoadedObject::load(bytes, VectorMath::process()),
        )
        .unwrap();
    let mut arrays = vec![vec![-1.0]];
    call(&object, "f", &mut arrays);
    assert_eq!(arrays[0][0], f64::from(number));
    assert_eq!(warnings.drain(), []);
    origin
}

fn test_directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("situ-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

#[test]
fn a_second_cache_finds_what_the_first_compiled() {
    let directory = test_directory("second");
    assert_eq!(use_kernel(&directory, 1, 1 << 20), Origin::Compiled);
    assert_eq!(use_kernel(&directory, 1, 1 << 20), Origin::Disk);
    assert_eq!(use_kernel(&directory, 2, 1 << 20), Origin::Compiled);
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn an_entry_that_does_not_load_is_compiled_again() {
    let directory = test_directory("unloadable");
    let disk = DiskCache::new(directory.clone(), 1 << 20, WarningSink::default());
    // Undamaged, with the right key, and yet not an object for this machine.
    disk.write(
        &CacheKey::new([text_of(1).as_bytes()]),
        b"code for another machine",
    );
    assert_eq!(use_kernel(&directory, 1, 1 << 20), Origin::Compiled);
    assert_eq!(use_kernel(&directory, 1, 1 << 20), Origin::Disk);
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn many_processes_share_one_directory() {
    let directory = test_directory("shared");
    std::fs::create_dir(&directory).unwrap();
    let children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "processes::one_of_many_processes", "--ignored"])
                .current_dir(&directory)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    std::fs::remove_dir_all(directory).unwrap();
}

/// One child of [`many_processes_share_one_directory`], started in the directory to share.
#[test]
#[ignore = "run by many_processes_share_one_directory"]
fn one_of_many_processes() {
    let directory = std::env::current_dir().unwrap().join("cache");
    for round in 0..12 {
        let number = (round * 5 + std::process::id()) % KERNELS;
        // A limit of a few entries makes the processes evict each other's.
        use_kernel(&directory, number, 3000);
        if round % 4 == 3 {
            damage_some_entry(&directory);
        }
    }
}

fn damage_some_entry(directory: &Path) {
    let files = std::fs::read_dir(directory).unwrap().flatten();
    let entry = files
        .map(|file| file.path())
        .find(|path| path.extension().is_some_and(|e| e == "situ-code"));
    if let Some(entry) = entry {
        // It may have been evicted meanwhile.
        let _ = std::fs::write(entry, b"damaged");
    }
}
