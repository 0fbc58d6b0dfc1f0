//! Emitted OpenCL C, compared with reviewed snapshots: each `tests/cases/*.sir` gives one `.cl`.
//!
//! That the text means what it should is tested where there is a driver to run it, in
//! `situ-runtime/tests/opencl_c.rs`.

use std::fs;
use std::path::Path;

use insta::{assert_snapshot, with_settings};
use situ_codegen::Error;
use situ_codegen::opencl_c::{LanguageVersion, OpenClModule, TargetOptions, emit, emit_all};
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

/// What a device with everything can do.
fn everything() -> TargetOptions {
    TargetOptions {
        version: LanguageVersion::V3_0,
        sub_group_size: 16,
        required_sub_group_size: true,
        all_devices_scope: true,
        ..TargetOptions::default()
    }
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
        let emitted = emit(&read(&path), &TargetOptions::default()).unwrap();
        compare(&format!("{name}.cl"), &emitted.text);
    }
}

/// Only what depends on the target differs from the plain cases.
#[test]
fn optional_features_are_used_where_the_device_has_them() {
    for name in ["sub_groups", "atomics"] {
        let path = Path::new("tests/cases").join(name).with_extension("sir");
        let emitted = emit(&read(&path), &everything()).unwrap();
        compare(&format!("{name}.opencl_3.cl"), &emitted.text);
    }
}

/// Kernels that notice are left alone.
#[test]
fn ranges_can_be_rounded_up_where_the_kernel_does_not_notice() {
    let options = TargetOptions {
        pads_ranges: true,
        ..TargetOptions::default()
    };
    let emitted = emit(&read(Path::new("tests/cases/padded.sir")), &options).unwrap();
    let kernels = emitted.kernels.iter();
    let padded: Vec<_> = kernels
        .map(|one| (one.name.as_str(), one.has_extents))
        .collect();
    assert_eq!(
        padded,
        [
            ("line", true),
            ("plane", true),
            ("space", true),
            ("asks_elsewhere", false),
            ("has_groups", false),
        ]
    );
    compare("padded.rounded_up.cl", &emitted.text);
}

/// Where no size can be demanded of the device.
#[test]
fn sub_groups_can_be_made_of_local_memory() {
    let options = TargetOptions {
        sub_group_size: 16,
        ..TargetOptions::default()
    };
    let emitted = emit(&read(Path::new("tests/cases/sub_groups.sir")), &options).unwrap();
    assert!(!emitted.text.contains("sub_group_broadcast"));
    assert_eq!(emitted.kernels[1].scratch_bytes_per_item, 8);
    compare("sub_groups.memory.cl", &emitted.text);
}

#[test]
fn the_same_module_gives_the_same_text() {
    let module = read(Path::new("tests/cases/collectives.sir"));
    assert_eq!(
        emit(&module, &TargetOptions::default()),
        emit(&module, &TargetOptions::default())
    );
}

/// What the source says where a line of the text comes from.
fn origin_of<'a>(emitted: &OpenClModule, modules: &[&'a ValidModule], line: &str) -> &'a str {
    let number = emitted.text.lines().position(|one| one.contains(line));
    let number = number.unwrap_or_else(|| panic!("`{line}` is not in\n{}", emitted.text));
    let Some(origin) = emitted.origins[number] else {
        return "";
    };
    let source = modules[origin.module]
        .source
        .as_ref()
        .expect("it was read from text");
    source.line_at(origin.span.start).trim()
}

#[test]
fn lines_know_where_they_come_from() {
    let first = parse(
        "first.sir",
        "kernel[1] first(x: global f32*, n: i64) {
            let i = global_id(0);
            if i < n {
                x[i] = x[i] * 2.0f32;
            } else {
                x[i] = 7.0f32;
            }
            let k = floor_div(i, n);
            x[k] = 1.0f32;
        }",
    );
    let second = parse(
        "second.sir",
        "kernel[1] second(x: global f32*) {
            x[global_id(0)] = 3.0f32;
        }",
    );
    let modules = [&first, &second];
    let emitted = emit_all(&modules, &TargetOptions::default()).unwrap();
    assert_eq!(emitted.origins.len(), emitted.text.lines().count());
    let of = |line| origin_of(&emitted, &modules, line);
    assert_eq!(of("if (i < n)"), "if i < n {");
    assert_eq!(of("* 2.0f"), "x[i] = x[i] * 2.0f32;");
    assert_eq!(of("= 7.0f"), "x[i] = 7.0f32;");
    assert_eq!(of("= 1.0f"), "x[k] = 1.0f32;");
    assert_eq!(of("= 3.0f"), "x[global_id(0)] = 3.0f32;");
    assert_eq!(
        of("__kernel void second"),
        "kernel[1] second(x: global f32*) {"
    );
    // The emitter's own lines come from nowhere.
    assert_eq!(of("#pragma OPENCL FP_CONTRACT"), "");
}

#[test]
fn the_facts_describe_the_lowered_kernel() {
    let text = "kernel[2] k(z: c64, x: global c128*, size: local f32*) {
        array tile: local f32[16];
        tile[local_linear_id()] = real(z);
        let total = collective reduce add(real(z)) work_group;
        size[0] = total;
    }";
    let emitted = emit(&parse("facts.sir", text), &TargetOptions::default()).unwrap();
    let [kernel] = emitted.kernels.as_slice() else {
        panic!("there is one kernel")
    };
    let types: Vec<_> = kernel.parameters.iter().map(|p| p.ty.to_string()).collect();
    assert_eq!(types, ["f32", "f32", "global f64*", "local f32*"]);
    assert_eq!((kernel.dims, kernel.local_bytes), (2, 64));
    assert_eq!(kernel.scratch_bytes_per_item, 8);
    let options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
    assert_eq!(emitted.build_options, options);
}

#[test]
fn kernels_of_several_modules_get_different_symbols() {
    let text = "kernel[1] k(x: global i64*) { x[0] = trunc_div(x[1], x[2]); }";
    let module = parse("twice.sir", text);
    let emitted = emit_all(&[&module, &module], &TargetOptions::default()).unwrap();
    let symbols: Vec<_> = emitted.kernels.iter().map(|k| k.symbol.as_str()).collect();
    assert_eq!(symbols, ["k", "k_2"]);
    assert_eq!(emitted.text.matches("static long divide_long(").count(), 1);
}

#[test]
fn a_missing_feature_is_an_error_that_names_the_kernel() {
    let missing = |text: &str, options: &TargetOptions| match emit(&parse("m.sir", text), options) {
        Err(Error::MissingFeature { function, feature }) => format!("{function}: {feature}"),
        other => panic!("{other:?}"),
    };
    let bare = TargetOptions {
        fp64: false,
        int64_atomics: false,
        ..TargetOptions::default()
    };
    let inner = "device twice(x: f64) -> f64 { return x + x; }
        kernel[1] ints(x: global i32*) { x[0] = 1i32; }
        kernel[1] floats(x: global f32*) {
            let y = call twice(cast(f64, x[0]));
            x[1] = cast(f32, y);
        }";
    assert_eq!(missing(inner, &bare), "floats: float64");
    let half = "kernel[1] halves(x: global f16*) { x[0] = x[1] + x[2]; }";
    assert!(emit(&parse("half.sir", half), &bare).is_ok());
    let atomic = "kernel[1] count(x: global i64*) { atomic add(x[0], 1) relaxed device; }";
    assert_eq!(missing(atomic, &bare), "count: 64-bit atomics");
    let recursive = "device down(n: i64) { if n > 0 { call down(n - 1); } }
        kernel[1] k(x: global i64*) { call down(x[0]); }";
    assert_eq!(
        missing(recursive, &TargetOptions::default()),
        "down: recursion"
    );
}

#[test]
fn division_is_rounded_through_double_where_the_device_cannot_do_better() {
    let text = "kernel[1] k(x: global f32*) { x[0] = sqrt(x[1] / x[2]); }";
    let inexact = TargetOptions {
        correctly_rounded_divide_sqrt: false,
        ..TargetOptions::default()
    };
    let emitted = emit(&parse("divide.sir", text), &inexact).unwrap();
    let line = "x[0] = sqrt((double)((float)((double)x[1] / x[2])));";
    assert!(emitted.text.contains(line), "{}", emitted.text);
    assert_eq!(emitted.build_options, "-cl-std=CL1.2");
}
