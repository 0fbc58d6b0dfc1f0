//! Where the constants of vectors are.

use situ_codegen::llvm::{TargetOptions, VectorIsa, emit};
use situ_ir::{Source, text, validate};
use situ_runtime::backend::native::compiler::{CompileOptions, assembly};
use situ_runtime::backend::native::host_cpu::CpuTarget;

use crate::host_options;

/// How many constants the code of a kernel for a processor with AVX2 brings to all lanes of a register.
fn repeated_constants(expression: &str, features: &str) -> usize {
    let kernel = format!(
        "kernel[1] k(out: global f64*, x: global f64*) {{
            let i = global_id(0);
            out[i] = {expression};
        }}"
    );
    let module = text::parse(Source::new("test.sir", kernel.as_str())).unwrap();
    let target = TargetOptions {
        vector_isa: VectorIsa::Avx2,
        ..TargetOptions::default()
    };
    let emitted = emit(&validate(module).unwrap(), &target).unwrap();
    let options = CompileOptions {
        cpu: CpuTarget {
            name: "haswell".to_owned(),
            features: features.to_owned(),
        },
        ..host_options()
    };
    let code = assembly("test", &emitted.text, &options).unwrap();
    code.matches("vbroadcastsd").count()
}

/// What has many of them reads them as operands.
#[test]
fn many_constants_are_in_memory_as_whole_vectors() {
    let many = "exp(x[i])";
    let as_llvm_likes = repeated_constants(many, "");
    let in_memory = repeated_constants(many, "+avx2,+fma");
    assert!(
        2 * in_memory < as_llvm_likes,
        "{in_memory} of {as_llvm_likes}"
    );
    let few = "(x[i] * 2.5) + 1.5";
    assert_eq!(
        repeated_constants(few, "+avx2,+fma"),
        repeated_constants(few, "")
    );
}
