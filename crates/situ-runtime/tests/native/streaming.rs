//! Which stores go past the cache.

use situ_codegen::llvm::{TargetOptions, emit};

use situ_ir::{Source, text, validate};
use situ_runtime::backend::native::compiler::{CompileOptions, assembly};

use crate::{baseline_options, host_options};

/// How many instructions of a kernel's loop store past the cache, and how many fences there are.
fn stores_past_the_cache(kernel: &str, streams: bool, options: &CompileOptions) -> (usize, usize) {
    let module = text::parse(Source::new("test.sir", kernel)).unwrap();
    let module = validate(module).unwrap();
    let target = TargetOptions {
        vector_isa: options.cpu.vector_isa(),
        streams,
        ..TargetOptions::default()
    };
    let emitted = emit(&module, &target).unwrap();
    let code = assembly("test", &emitted.text, options).unwrap();
    (
        code.matches("movnt").count(),
        code.matches("sfence").count(),
    )
}

fn map(ty: &str) -> String {
    format!(
        "kernel[1] k(out: global {ty}*, x: global {ty}*) {{
            let i = global_id(0);
            out[i] = x[i] + x[i];
        }}"
    )
}

#[test]
fn new_results_of_every_size_of_element_go_past_the_cache() {
    for options in [host_options(), baseline_options()] {
        for ty in ["f64", "f32", "i8", "u16", "i64", "c128", "c64"] {
            let (stores, fences) = stores_past_the_cache(&map(ty), true, &options);
            assert!(stores > 0, "{ty}, {}", options.cpu.name);
            assert_eq!(fences, 1, "{ty}");
            assert_eq!(stores_past_the_cache(&map(ty), false, &options), (0, 0));
        }
    }
}

#[test]
fn memory_that_is_read_as_well_stays_in_the_cache() {
    let in_place = "kernel[1] k(x: global f64*) {
        let i = global_id(0);
        x[i] = x[i] + 1.0;
    }";
    assert_eq!(
        stores_past_the_cache(in_place, true, &host_options()),
        (0, 0)
    );
}

/// Vectors that start anywhere cannot be written past the cache.
#[test]
fn shifted_results_stay_in_the_cache() {
    let shifted = "kernel[1] k(out: global f64*, x: global f64*) {
        let i = global_id(0);
        out[i + 1] = x[i];
    }";
    assert_eq!(stores_past_the_cache(shifted, true, &host_options()).0, 0);
}
