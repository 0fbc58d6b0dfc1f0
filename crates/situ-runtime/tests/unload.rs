//! Code that is no longer used gives its memory back. Alone in its process, because it watches the
//! size of the address space.

#![expect(
    clippy::unwrap_used,
    reason = "this is a test: a failure may stop it right there"
)]

use situ_runtime::backend::native::compiler::{CompileOptions, Passes, compile};
use situ_runtime::backend::native::host_cpu::CpuTarget;
use situ_runtime::backend::native::jit::LoadedObject;
use situ_runtime::backend::native::vector_math::VectorMath;

#[test]
fn dropped_objects_give_their_memory_back() {
    // 4 MB of code each: a hundred of them would not go unnoticed.
    let text = "@filler = constant [4194304 x i8] zeroinitializer
        @other = constant [64 x i8] c\"0123456789012345678901234567890123456789012345678901234567890123\"
        define ptr @f(i1 %which) { %p = select i1 %which, ptr @filler, ptr @other\n ret ptr %p }";
    let options = CompileOptions {
        cpu: CpuTarget::host(),
        passes: Passes::Full,
    };
    let bytes = compile("large", text, &options).unwrap();
    let load = || LoadedObject::load(&bytes, VectorMath::process()).unwrap();
    drop(load());
    let before = mapped_kib();
    for _ in 0..100 {
        drop(load());
    }
    let growth = mapped_kib().saturating_sub(before);
    assert!(growth < 100 * 1024, "the process grew by {growth} KiB");
}

/// The size of this process's address space.
fn mapped_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmSize:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
