//! Emitted LLVM IR, compared with reviewed snapshots: each `tests/cases/*.sir` gives one `.ll`.
//!
//! That LLVM accepts the text and that it means what it should is tested where there is an LLVM to
//! compile it, in `situ-runtime/tests/random_programs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use insta::{assert_snapshot, with_settings};
use situ_codegen::MathMode;
use situ_codegen::llvm::{KernelShape, LlvmModule, TargetOptions, VectorIsa, Vectorise, emit};
use situ_ir::{Source, ValidModule, text, validate};

fn read(path: &Path) -> ValidModule {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).expect("the case can be read");
    parse(&name, &text)
}

fn parse(name: &str, text: &str) -> ValidModule {
    let module = text::parse(Source::new(name, text)).unwrap_or_else(|error| panic!("{error}"));
    validate(module).unwrap_or_else(|error| panic!("{error}"))
}

/// A processor with 256-bit vectors and some vector functions; kernels are written for one work-item at a time.
fn haswell() -> TargetOptions {
    let functions = [
        "_ZGVdN4v_sin",
        "_ZGVdN8v_sinf",
        "_ZGVdN4vv_pow",
        "_ZGVdN8vv_powf",
    ];
    TargetOptions {
        vector_isa: VectorIsa::Avx2,
        vector_functions: functions.map(str::to_owned).into(),
        vectorise: Vectorise::Never,
        ..TargetOptions::default()
    }
}

fn emit_text(text: &str, options: &TargetOptions) -> LlvmModule {
    emit(&parse("test.sir", text), options).expect("valid modules are emitted")
}

fn compare(name: &str, text: &str) {
    with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        assert_snapshot!(name, text);
    });
}

#[test]
fn cases_are_emitted_as_reviewed() {
    let mut paths: Vec<_> = fs::read_dir("tests/cases")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy();
        let emitted = emit(&read(&path), &haswell()).unwrap();
        compare(&format!("{name}.ll"), &emitted.text);
    }
}

/// Processors without an instruction for it convert `float16` in integer arithmetic.
#[test]
fn half_precision_needs_no_support_library_on_any_processor() {
    let text = "kernel[1] k(x: global f16*) { x[0] = x[1] + x[2]; }";
    let plain = TargetOptions::default();
    let emitted = emit_text(text, &plain);
    assert!(!emitted.text.contains("fpext half"), "{}", emitted.text);
    assert!(!emitted.text.contains("fptrunc float"), "{}", emitted.text);
    compare("half.any_processor.ll", &emitted.text);
}

#[test]
fn the_same_module_gives_the_same_text() {
    for name in ["collectives", "math"] {
        let path = Path::new("tests/cases").join(name).with_extension("sir");
        let module = read(&path);
        assert_eq!(emit(&module, &haswell()), emit(&module, &haswell()));
    }
}

#[test]
fn the_facts_describe_the_lowered_kernels() {
    let text = "
        kernel[2] plain(z: c64, x: global c128*) { x[0] = complex(1.0, cast(f64, imag(z))); }
        kernel[3] grouped(x: global i32*, size: local f32*) {
            array tile: local i16[33];
            array own: private i32[3];
            let total = collective inclusive_scan add(x[local_linear_id()]) work_group;
            own[0] = total;
            barrier(local);
            tile[0] = cast(i16, total);
            size[0] = cast(f32, own[0]);
        }";
    let emitted = emit_text(text, &haswell());
    let [plain, grouped] = emitted.kernels.as_slice() else {
        panic!("there are two kernels")
    };
    let types = |kernel: &situ_codegen::llvm::KernelAbi| -> Vec<String> {
        kernel.parameters.iter().map(|p| p.ty.to_string()).collect()
    };
    assert_eq!((plain.shape, plain.dims), (KernelShape::Items, 2));
    assert_eq!((plain.local_bytes, plain.frame_bytes_per_item), (0, 0));
    assert_eq!(plain.symbol, "situ_kernel_plain");
    assert_eq!(types(plain), ["f32", "f32", "global f64*"]);
    assert_eq!((grouped.shape, grouped.dims), (KernelShape::Groups, 3));
    assert_eq!(types(grouped), ["global i32*", "local f32*"]);
    // 66 bytes of local memory; a contribution, a result and an array for each work-item.
    assert_eq!(grouped.local_bytes, 128);
    assert_eq!(grouped.frame_bytes_per_item, 8 + 4 + 12);
}

#[test]
fn vector_functions_are_used_where_they_are_and_when_speed_is_asked_for() {
    let text = "kernel[1] k(x: global f64*) { x[0] = sin(x[1]) + (erf(x[2]) + sqrt(x[3])); }";
    let fast = emit_text(text, &haswell());
    assert_eq!(fast.imports, ["_ZGVdN4v_sin", "erf"]);
    let exact = TargetOptions {
        math: MathMode::Exact,
        ..haswell()
    };
    assert_eq!(emit_text(text, &exact).imports, ["erf", "sin"]);
    let without = TargetOptions {
        vector_functions: BTreeSet::new(),
        ..haswell()
    };
    assert_eq!(emit_text(text, &without).imports, ["erf", "sin"]);
}

/// Some functions of `f64` are written out. LLVM vectorises them, but for powers, which are functions of registers.
#[test]
fn functions_that_are_written_out_import_nothing() {
    let text = "kernel[1] k(x: global f64*) { x[0] = exp(x[1]) + (log(x[2]) + pow(x[3], x[4])); }";
    let with = |vector_isa| TargetOptions {
        vector_isa,
        ..haswell()
    };
    let narrow = emit_text(text, &with(VectorIsa::Avx2));
    assert!(narrow.imports.is_empty(), "{:?}", narrow.imports);
    assert!(
        narrow
            .text
            .contains("_ZGV_LLVM_N4vv_situ.pow.f64(situ.pow.f64.x4),_ZGV_LLVM_N8vv_")
    );
    let wide = emit_text(text, &with(VectorIsa::Avx512));
    assert!(wide.imports.is_empty(), "{:?}", wide.imports);
    assert!(
        wide.text
            .contains("_ZGV_LLVM_N8vv_situ.pow.f64(situ.pow.f64.x8)")
    );
    let without = emit_text(text, &with(VectorIsa::Sse2));
    assert_eq!(without.imports, ["exp", "log", "pow"]);
    let exact = TargetOptions {
        math: MathMode::Exact,
        ..with(VectorIsa::Avx512)
    };
    assert_eq!(emit_text(text, &exact).imports, ["exp", "log", "pow"]);
}

/// With few registers, several vectors share the constants of functions that are written out.
#[test]
fn loops_with_written_functions_do_more_in_a_round() {
    let hints = |expression: &str, vector_isa| {
        let text = format!(
            "kernel[1] k(x: global f64*, y: global f64*) {{ y[global_id(0)] = {expression}; }}"
        );
        let options = TargetOptions {
            vector_isa,
            ..haswell()
        };
        let text = emit_text(&text, &options).text;
        [
            "interleave.count\", i32 4",
            "interleave.count\", i32 2",
            "vectorize.width\", i32 8",
        ]
        .map(|hint| text.contains(hint))
    };
    let element = "x[global_id(0)]";
    let [one, two, power, other] = [
        format!("exp({element})"),
        format!("exp({element}) + exp(2.0f64)"),
        format!("exp({element}) + pow({element}, 1.5f64)"),
        format!("sin({element}) + {element}"),
    ];
    assert_eq!(hints(&one, VectorIsa::Avx2), [true, false, false]);
    assert_eq!(hints(&two, VectorIsa::Avx2), [false, true, false]);
    assert_eq!(hints(&power, VectorIsa::Avx2), [false, false, true]);
    assert_eq!(hints(&other, VectorIsa::Avx2), [false, false, false]);
    assert_eq!(hints(&one, VectorIsa::Avx512), [false, false, false]);
}

/// Stencils are as fast as memory is, so their loops take one vector in each round.
#[test]
fn loops_that_read_neighbours_are_not_interleaved() {
    let kernel = |expression: &str| {
        format!(
            "kernel[1] k(x: global f64*, y: global f64*) {{ let i: i64 = global_id(0); y[i] = {expression}; }}"
        )
    };
    let auto = TargetOptions {
        vectorise: Vectorise::Auto,
        ..haswell()
    };
    let is_limited = |expression: &str, options: &TargetOptions| {
        let text = emit_text(&kernel(expression), options).text;
        text.contains("llvm.loop.interleave.count")
    };
    let stencil = "(x[i] + x[i + 1]) + x[i + 2]";
    assert!(is_limited(stencil, &auto));
    assert!(!is_limited("x[i] + x[i + 1]", &auto));
    let as_written = TargetOptions {
        vectorise: Vectorise::Never,
        ..haswell()
    };
    assert!(!is_limited(stencil, &as_written));
}

/// Every node of the IR in its form for vectors of work-items.
#[test]
fn vectors_of_work_items_are_emitted_as_reviewed() {
    let options = TargetOptions {
        vectorise: Vectorise::Always,
        ..haswell()
    };
    for name in ["control_flow", "device_functions", "vectors"] {
        let path = Path::new("tests/cases").join(name).with_extension("sir");
        let emitted = emit(&read(&path), &options).unwrap();
        compare(&format!("{name}.vector.ll"), &emitted.text);
    }
}

/// Which parameters are written past the cache, if the emitter is asked to.
#[test]
fn memory_that_is_only_written_is_streamed() {
    let options = TargetOptions {
        streams: true,
        ..haswell()
    };
    let streamed = |text: &str| emit_text(text, &options).kernels[0].streamed.clone();
    let written = "kernel[1] k(x: global f64*, out: global f64*) {
        out[global_id(0)] = x[global_id(0)];
    }";
    assert_eq!(streamed(written), [1]);
    assert!(
        emit_text(written, &haswell()).kernels[0]
            .streamed
            .is_empty()
    );
    let in_place = "kernel[1] k(x: global f64*) { x[global_id(0)] = x[global_id(0)] + 1.0; }";
    assert!(streamed(in_place).is_empty());
    let in_rows = "kernel[2] k(out: global f64*) { out[global_id(1)] = 1.0; }";
    assert!(streamed(in_rows).is_empty());
    let in_groups = "kernel[1] k(out: global f64*) { out[local_id(0)] = 1.0; }";
    assert!(streamed(in_groups).is_empty());
}

/// How many work-items each kernel runs at once, if the emitter may choose.
#[test]
fn kernels_are_vectorised_where_it_pays() {
    let with_loop = |access: &str, ty: &str| {
        format!(
            "kernel[1] k(x: global {ty}*, out: global {ty}*, n: i64) {{
                var total: {ty};
                var k: i64;
                let i = global_id(0);
                while k < n {{
                    total = total + {access};
                }} step {{
                    k = k + 1;
                }}
                out[i] = total;
            }}"
        )
    };
    let lanes = |text: &str, options: &TargetOptions| emit_text(text, options).kernels[0].lanes;
    let avx2 = TargetOptions {
        vectorise: Vectorise::Auto,
        ..haswell()
    };
    assert_eq!(lanes(&with_loop("x[i + k]", "f64"), &avx2), 4);
    assert_eq!(lanes(&with_loop("(x[k] * x[i])", "f32"), &avx2), 8);
    // LLVM vectorises the sum of a row of integers, and every kernel without a loop.
    assert_eq!(lanes(&with_loop("x[(i * n) + k]", "i64"), &avx2), 1);
    let straight = "kernel[1] k(x: global f64*) { x[global_id(0)] = 1.0; }";
    assert_eq!(lanes(straight, &avx2), 1);
    // Two lanes are not worth the masks.
    let any = TargetOptions::default();
    assert_eq!(lanes(&with_loop("x[i + k]", "f64"), &any), 1);
    assert_eq!(lanes(&with_loop("x[i + k]", "f64"), &haswell()), 1);
    let always = TargetOptions {
        vectorise: Vectorise::Always,
        ..haswell()
    };
    assert_eq!(lanes(straight, &always), 4);
}

/// The counter of a loop in a branch that only some lanes take stays one number.
#[test]
fn what_lanes_agree_on_stays_scalar_where_they_part() {
    let text = "
        kernel[1] k(x: global f64*, out: global f64*, n: i64) {
            var k: i64;
            var total: f64;
            let i = global_id(0);
            if x[i] > 0.0 {
                k = 0;
                total = 0.0;
                while k < n {
                    total = total + x[k];
                } step {
                    k = k + 1;
                }
                out[i] = total;
            }
        }";
    let options = TargetOptions {
        vectorise: Vectorise::Always,
        ..haswell()
    };
    let text = emit_text(text, &options).text;
    assert!(!text.contains("gather"), "{text}");
    assert!(!text.contains("alloca <4 x i64>"), "{text}");
}

/// Work-items that may meet through atomics are not independent.
#[test]
fn only_work_items_without_atomics_are_declared_independent() {
    let parallel = "kernel[1] k(x: global i32*) { x[global_id(0)] = 1i32; }";
    let meeting = "kernel[1] k(x: global i32*) { atomic add(x[0], 1i32) relaxed device; }";
    let is_parallel = |text: &str| emit_text(text, &haswell()).text.contains("!llvm.loop");
    assert!(is_parallel(parallel));
    assert!(!is_parallel(meeting));
}

/// A kernel's name may be that of a C function or of anything else of ours.
#[test]
fn names_do_not_clash_with_functions_of_the_c_library() {
    let text = "
        device erf(x: f64) -> f64 { return x + 1.0; }
        kernel[1] sin(x: global f64*, t0: f64, launch: f64) {
            let y = call erf(x[0]);
            x[0] = erf(y) + (t0 + launch);
        }";
    let emitted = emit_text(text, &TargetOptions::default());
    assert_eq!(emitted.kernels[0].symbol, "situ_kernel_sin");
    assert_eq!(emitted.imports, ["erf"]);
    assert!(emitted.text.contains("define internal double @device.erf("));
}

/// Test threads have little stack, as the threads of users may have.
#[test]
fn the_deepest_nesting_that_is_valid_is_emitted() {
    let depth = situ_ir::validate::MAX_BLOCK_DEPTH - 1;
    for (innermost, limit) in [
        ("x[0] = 1;", "n"),
        ("barrier(global); x[0] = 1;", "n"),
        ("x[global_id(0)] = 1;", "x[global_id(0)]"),
    ] {
        let open: String = (0..depth)
            .map(|level| match level % 2 {
                0 => format!("if {limit} > 0 {{ "),
                _ => format!("while {limit} > 1 {{ "),
            })
            .collect();
        let close = "}".repeat(depth);
        let text = format!("kernel[1] k(x: global i64*, n: i64) {{ {open} {innermost} {close} }}");
        for vectorise in [Vectorise::Never, Vectorise::Auto, Vectorise::Always] {
            let options = TargetOptions {
                vectorise,
                ..haswell()
            };
            let emitted = emit_text(&text, &options);
            let stores = [
                "store i64 1, ptr",
                "@llvm.masked.store.v4i64.p0(<4 x i64> splat (i64 1)",
            ];
            assert!(stores.iter().any(|store| emitted.text.contains(store)));
        }
    }
}
