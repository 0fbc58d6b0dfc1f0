//! What works in a forked child: everything, with threads and sessions of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use situ_runtime::backend::native::compiler::compile;
use situ_runtime::backend::native::jit::LoadedObject;
use situ_runtime::backend::native::pool::{CostEstimate, Pool, Work};
use situ_runtime::backend::native::vector_math::VectorMath;
use situ_runtime::compile_cache::{CacheKey, CompileCache};
use situ_runtime::{Allocation, Context, Device, Queue, QueueProperties, UsmKind};

use crate::{call, host_options, kernels};

/// Runs `work` in a forked child and returns whether it finished with `true`.
fn in_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child uses what this test is about and leaves by `_exit`; it is killed when it
    // hangs, so the test cannot.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0, "fork failed");
        if child == 0 {
            libc::alarm(20);
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            libc::_exit(i32::from(!matches!(outcome, Ok(true))));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
    }
}

fn sum_in_parallel(pool: &Pool) -> u64 {
    let total = AtomicU64::new(0);
    let work = Work {
        len: 400,
        granule: 1,
        scratch_bytes: 64,
        stack_bytes: 0,
        cost: &CostEstimate::new(),
    };
    pool.run(&work, &|chunk, _| {
        std::thread::sleep(Duration::from_micros(30));
        total.fetch_add(chunk.sum(), Ordering::Relaxed);
    })
    .unwrap();
    total.into_inner()
}

#[test]
fn the_pool_works_in_a_forked_child() {
    let pool = Pool::new(3);
    assert_eq!(sum_in_parallel(&pool), 400 * 399 / 2);
    assert!(in_child(|| sum_in_parallel(&pool) == 400 * 399 / 2));
    assert!(in_child(|| in_child(
        || sum_in_parallel(&pool) == 400 * 399 / 2
    )));
    assert_eq!(sum_in_parallel(&pool), 400 * 399 / 2);
}

#[test]
fn the_pool_works_in_a_child_forked_in_the_middle_of_a_launch() {
    let pool = Pool::new(3);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..30 {
                sum_in_parallel(&pool);
            }
        });
        for _ in 0..5 {
            assert!(in_child(|| sum_in_parallel(&pool) == 400 * 399 / 2));
        }
    });
}

#[test]
fn memory_of_the_parent_is_the_childs_own() {
    let device = Device::default_device();
    let context = Context::new(std::slice::from_ref(&device)).unwrap();
    let queue = Queue::with_context(&context, &device, QueueProperties::default()).unwrap();
    let allocate = |size_bytes| Allocation::new(&queue, size_bytes, UsmKind::Host).unwrap();
    let numbers = || {
        let statistics = context.memory_statistics()[UsmKind::Host as usize].1;
        (statistics.used_blocks, statistics.idle_blocks)
    };
    let mut held = vec![allocate(100), allocate(5 << 20)];
    drop(allocate(200));
    assert_eq!(numbers(), (2, 1));
    assert!(in_child(|| {
        let inherited = numbers();
        drop(std::mem::take(&mut held));
        let freed = numbers();
        drop(allocate(5 << 20));
        inherited == (2, 0) && freed == (0, 2) && numbers() == (0, 2)
    }));
    assert_eq!(numbers(), (2, 1));
}

#[test]
fn code_loaded_before_the_fork_runs_in_the_child_and_new_code_loads() {
    let bytes = compile("k", &kernels::multiply_add("k"), &host_options()).unwrap();
    let loaded = LoadedObject::load(&bytes, VectorMath::process()).unwrap();
    let run = |object: &LoadedObject| {
        let mut arrays = vec![vec![2.0; 9], vec![3.0; 9], vec![4.0; 9], vec![0.0; 9]];
        call(object, "k", &mut arrays);
        arrays[3] == vec![10.0; 9]
    };
    assert!(in_child(|| {
        let fresh = LoadedObject::load(&bytes, VectorMath::process()).unwrap();
        let both = run(&loaded) && run(&fresh);
        drop(fresh);
        both
    }));
    assert!(run(&loaded));
}

#[test]
fn a_compilation_under_way_at_the_fork_does_not_block_the_child() {
    let cache = CompileCache::new(None);
    let key = CacheKey::new([&b"k"[..]]);
    let load = |bytes: &[u8]| Ok(bytes.len());
    let (started, has_started) = std::sync::mpsc::channel();
    let (finish, may_finish) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let (cache, key) = (&cache, &key);
        scope.spawn(move || {
            let compile = || {
                started.send(()).unwrap();
                may_finish.recv().unwrap();
                Ok(vec![1])
            };
            cache.get_or_compile(key, compile, load).unwrap();
        });
        has_started.recv().unwrap();
        assert!(in_child(|| {
            let (value, _) = cache.get_or_compile(key, || Ok(vec![1, 2]), load).unwrap();
            *value == 2
        }));
        finish.send(()).unwrap();
    });
}
