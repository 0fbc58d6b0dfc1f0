//! Compiling, loading, running and unloading.

use situ_codegen::llvm::VectorIsa;
use situ_runtime::Error;
use situ_runtime::backend::native::compiler::{CompileOptions, Passes, compile};
use situ_runtime::backend::native::host_cpu::{CpuTarget, vector_bits};
use situ_runtime::backend::native::jit::LoadedObject;
use situ_runtime::backend::native::vector_math::VectorMath;
use situ_runtime::error::CompileStage;

use crate::{baseline_options, call, call_chunk, host_options, kernels};

fn load(text: &str, options: &CompileOptions) -> LoadedObject {
    let bytes = compile("test", text, options).unwrap();
    LoadedObject::load(&bytes, VectorMath::process()).unwrap()
}

fn check_multiply_add(options: &CompileOptions) {
    check_multiply_add_text(&kernels::multiply_add("fma_all"), options);
}

fn check_multiply_add_text(text: &str, options: &CompileOptions) {
    let object = load(text, options);
    for len in [0usize, 1, 3, 8, 100, 1001] {
        let input = |seed: usize| {
            (0..len)
                .map(|i| (i * seed) as f64 + 0.5)
                .collect::<Vec<_>>()
        };
        let mut arrays = vec![input(1), input(2), input(3), vec![0.0; len]];
        call(&object, "fma_all", &mut arrays);
        let expected: Vec<f64> = (0..len)
            .map(|i| arrays[0][i] * arrays[1][i] + arrays[2][i])
            .collect();
        assert_eq!(arrays[3], expected);
    }
}

#[test]
fn kernels_compute_the_right_values() {
    for passes in [Passes::Full, Passes::Short] {
        let options = CompileOptions {
            passes,
            ..host_options()
        };
        check_multiply_add(&options);
        for bits in [128, 512] {
            let text = kernels::with_vector_bits(&kernels::multiply_add("fma_all"), bits);
            check_multiply_add_text(&text, &options);
        }
    }
}

#[test]
fn code_for_any_x86_64_processor_runs_here() {
    check_multiply_add(&baseline_options());
    let object = load(&kernels::scalar_sine("sine"), &baseline_options());
    let mut arrays = vec![vec![0.0, 1.0, -2.5], vec![0.0; 3]];
    call(&object, "sine", &mut arrays);
    for (x, y) in arrays[0].iter().zip(&arrays[1]) {
        assert!((y - x.sin()).abs() < 1e-15);
    }
}

#[test]
fn half_precision_works_without_an_instruction_for_it() {
    let text = "define void @widen(ptr %args, ptr %launch) {
        %from = load ptr, ptr %args
        %to.at = getelementptr i8, ptr %args, i64 8
        %to = load ptr, ptr %to.at
        %h = load half, ptr %from
        %d = fpext half %h to double
        %twice = fmul double %d, 2.0
        %back = fptrunc double %twice to half
        %again = fpext half %back to float
        %wide = fpext float %again to double
        store double %wide, ptr %to
        ret void }";
    for options in [baseline_options(), host_options()] {
        let object = load(text, &options);
        // 0x3e00 is 1.5 in half precision.
        let mut arrays = vec![vec![f64::from_bits(0x3e00)], vec![0.0]];
        call(&object, "widen", &mut arrays);
        assert_eq!(arrays[1][0], 3.0);
    }
}

#[test]
fn vector_math_does_not_depend_on_how_the_range_is_cut() {
    let cpu = CpuTarget::host();
    let math = VectorMath::process();
    let levels = [VectorIsa::Sse2, VectorIsa::Avx2, VectorIsa::Avx512];
    for isa in levels.into_iter().filter(|isa| *isa <= cpu.vector_isa()) {
        let functions = math.functions(isa);
        let Some(sin) = functions.iter().find(|function| function.scalar == "sin") else {
            continue; // No vector library on this machine.
        };
        let text = kernels::vector_sine("sine", &sin.symbol, sin.lanes);
        let text = kernels::with_vector_bits(&text, vector_bits(isa));
        let object = load(&text, &host_options());
        let len = 1003;
        let input: Vec<f64> = (0..len).map(|i| f64::from(i) * 0.37 - 150.0).collect();
        let mut whole = vec![input.clone(), vec![0.0; input.len()]];
        call(&object, "sine", &mut whole);
        let mut cut = vec![input.clone(), vec![0.0; input.len()]];
        let bounds = [0, 1, 4, 9, 500, 501, 777, 1003];
        for pair in bounds.windows(2) {
            call_chunk(&object, "sine", &mut cut, pair[0]..pair[1]);
        }
        assert_eq!(whole[1], cut[1], "{isa:?}");
        for (x, y) in input.iter().zip(&whole[1]) {
            assert!((x.sin() - y).abs() < 4e-16, "sin({x}) = {y}");
        }
    }
}

#[test]
fn bad_text_is_an_error_that_quotes_llvm() {
    let cases = [
        (
            "this is not LLVM IR",
            CompileStage::Parse,
            "expected top-level entity",
        ),
        (
            "define void @f() { ret i32 0 }",
            CompileStage::Parse,
            "value doesn't match",
        ),
        ("define void @f(", CompileStage::Parse, "expected"),
        ("", CompileStage::Parse, ""),
        (
            "define void @f() { entry:\n br label %entry }",
            CompileStage::Verify,
            "Entry block to function must not have predecessors",
        ),
    ];
    for (text, expected_stage, expected_words) in cases {
        match compile("broken", text, &host_options()) {
            Err(Error::CompileFailed {
                module,
                stage,
                message,
            }) => {
                assert_eq!(
                    (module.as_str(), stage),
                    ("broken", expected_stage),
                    "{message}"
                );
                assert!(message.contains(expected_words), "{message}");
            }
            // Nothing at all is a valid, empty module.
            Ok(_) => assert!(text.is_empty()),
            Err(other) => panic!("unexpected {other}"),
        }
    }
}

#[test]
fn what_llvm_calls_fatal_is_an_error_too() {
    // The parser and verifier accept scalable vectors; the x86 code generator does not.
    let text = "define void @f(ptr %p) {
        %v = load <vscale x 4 x i32>, ptr %p
        %w = add <vscale x 4 x i32> %v, %v
        store <vscale x 4 x i32> %w, ptr %p
        ret void }";
    for _ in 0..2 {
        let result = compile("scalable", text, &host_options());
        assert!(
            matches!(result, Err(Error::CompileFailed { .. })),
            "{result:?}"
        );
    }
    check_multiply_add(&host_options());
}

#[test]
fn bad_inline_assembly_is_an_error() {
    let text =
        "define void @f() { call void asm sideeffect \"no such instruction\", \"\"()\n ret void }";
    let result = compile("assembly", text, &host_options());
    assert!(
        matches!(
            result,
            Err(Error::CompileFailed {
                stage: CompileStage::Emit,
                ..
            })
        ),
        "{result:?}"
    );
}

#[test]
fn missing_functions_are_named() {
    let text = "declare void @not_offered()\ndeclare void @system(ptr)\n\
        define void @f() { call void @not_offered()\n call void @system(ptr null)\n ret void }";
    let bytes = compile("calls", text, &host_options()).unwrap();
    match LoadedObject::load(&bytes, VectorMath::process()) {
        Err(Error::MissingSymbols { mut symbols }) => {
            symbols.sort();
            assert_eq!(symbols, ["not_offered", "system"]);
        }
        other => panic!("unexpected {other:?}"),
    }
}

#[test]
fn damaged_objects_are_errors() {
    let bytes = compile("whole", &kernels::multiply_add("k"), &host_options()).unwrap();
    for damaged in [
        &bytes[..bytes.len() / 2],
        &bytes[1..],
        &b"\x7fELF\x02\x01\x01"[..],
    ] {
        let result = LoadedObject::load(damaged, VectorMath::process());
        assert!(matches!(
            result,
            Err(Error::MalformedObject { .. } | Error::LoadFailed { .. })
        ));
    }
}

#[test]
fn objects_with_the_same_names_live_side_by_side() {
    let add = |constant: f64| {
        format!(
            "define void @f(ptr %args, ptr %launch) {{ %p = load ptr, ptr %args\n \
             store double {constant:?}, ptr %p\n ret void }}"
        )
    };
    let objects: Vec<LoadedObject> = (0..20)
        .map(|n| load(&add(f64::from(n)), &host_options()))
        .collect();
    for (n, object) in objects.iter().enumerate() {
        let mut arrays = vec![vec![-1.0]];
        call(object, "f", &mut arrays);
        assert_eq!(arrays[0][0], n as f64);
    }
    assert_eq!(objects[0].function_names().collect::<Vec<_>>(), ["f"]);
    assert!(objects[0].function("g").is_none());
}

#[test]
fn inner_loops_stop_when_they_should() {
    let object = load(&kernels::escape_time("escape"), &host_options());
    let mut arrays = vec![vec![0.0, 3.0, 0.5, -1.0], vec![0.0; 4]];
    call(&object, "escape", &mut arrays);
    assert_eq!(arrays[1], [1000.0, 1.0, 5.0, 1000.0]);
}

#[test]
fn threads_compile_and_load_at_once() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    check_multiply_add(&host_options());
                }
            });
        }
    });
}
