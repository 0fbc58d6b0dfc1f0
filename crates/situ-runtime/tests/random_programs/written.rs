//! Kernels written by hand: one for each way of cutting them at barriers, and one for each thing
//! that could go wrong when work-items become lanes of a vector.

use situ_codegen::MathMode;
use situ_ir::interpret::Argument;
use situ_ir::{AddressSpace, DType, FunctionKind, Literal, NdRange, Source, Type, ValidModule};
use situ_ir::{text, validate};
use situ_runtime::backend::native::compiler::Passes;

use super::native::{NativeModule, NativeTarget};
use super::program::{Buffer, Launch, assert_agrees};

fn read(text: &str) -> ValidModule {
    let source = Source::new("case.sir", text);
    let module = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    validate(module).unwrap_or_else(|error| panic!("{error}"))
}

/// Elements that are small, so that sums stay exact, and different from each other.
fn elements(dtype: DType, count: usize) -> Buffer {
    let mut bytes = Vec::new();
    for position in 0..count {
        let value = Literal::from_f64(dtype, ((position * 37 + 11) % 101) as f64);
        let mut element = [0; 16];
        value.write_bytes(&mut element);
        bytes.extend_from_slice(&element[..dtype.size_bytes()]);
    }
    Buffer::new(&bytes)
}

fn launch(module: &ValidModule, kernel: &str, range: NdRange, scalar: i64) -> Launch {
    let (_, function) = module.function(kernel).unwrap();
    let count = range.work_items() as usize;
    let mut buffers = Vec::new();
    let mut arguments = Vec::new();
    for parameter in &function.parameters {
        arguments.push(match parameter.ty {
            Type::Scalar(dtype) => {
                assert_eq!(dtype, DType::I64);
                Argument::Scalar(Literal::I64(scalar))
            }
            Type::Pointer {
                element,
                space: AddressSpace::Local,
            } => Argument::Local {
                size_bytes: 64 * element.size_bytes(),
            },
            Type::Pointer { element, .. } => {
                buffers.push(elements(element, count * 13 + 64));
                Argument::Pointer {
                    buffer: buffers.len() - 1,
                    offset_bytes: 0,
                }
            }
        });
    }
    Launch {
        kernel: kernel.to_owned(),
        range,
        arguments,
        buffers,
    }
}

/// Ranges that are long enough for the vectoriser, and some that are not.
fn ranges(dims: u8) -> Vec<NdRange> {
    let ranges: &[&[u64]] = match dims {
        1 => &[&[1], &[7], &[203]],
        2 => &[&[5, 3], &[3, 70]],
        _ => &[&[3, 5, 2], &[2, 3, 37]],
    };
    ranges
        .iter()
        .map(|global| NdRange::new(global).unwrap())
        .collect()
}

fn ranges_with_groups(dims: u8) -> Vec<NdRange> {
    let ranges: &[(&[u64], &[u64])] = match dims {
        1 => &[
            (&[64], &[16]),
            (&[30], &[10]),
            (&[7], &[1]),
            (&[64], &[64]),
            (&[26], &[13]),
        ],
        2 => &[(&[8, 8], &[4, 4]), (&[16, 16], &[4, 4])],
        _ => &[(&[2, 6, 8], &[1, 3, 4]), (&[4, 3, 5], &[2, 3, 5])],
    };
    ranges
        .iter()
        .map(|(global, local)| NdRange::with_local(global, local).unwrap())
        .collect()
}

fn check(module: &ValidModule, ranges: impl Fn(u8) -> Vec<NdRange>, target: &NativeTarget) {
    let native = NativeModule::compile(module, target);
    for (_, kernel) in module.kernels() {
        let FunctionKind::Kernel { dims } = kernel.kind else {
            unreachable!("kernels are kernels")
        };
        let has_scalars = kernel.parameters.iter().any(|p| p.ty.scalar().is_some());
        for range in ranges(dims) {
            let scalars: &[i64] = match kernel.name.as_str() {
                "tiled_matmul" => &[range.global()[0] as i64],
                "jumps_of_the_group" => &[0, 1, 2, 5, 12],
                _ if has_scalars => &[0, 1, 2, 5, 12, -3],
                _ => &[0],
            };
            for &scalar in scalars {
                for chunk in [1, 3, 50, u64::MAX / 2] {
                    let launch = launch(module, &kernel.name, range, scalar);
                    assert_agrees(module, &native, target, &launch, chunk);
                }
            }
        }
    }
}

fn check_all(target: &NativeTarget) {
    for target in &target.forms() {
        check(&read(include_str!("cases/items.sir")), ranges, target);
        check(&read(include_str!("cases/lanes.sir")), ranges, target);
        check(
            &read(include_str!("cases/groups.sir")),
            ranges_with_groups,
            target,
        );
    }
}

#[test]
fn kernels_agree_with_the_interpreter_after_full_optimisation() {
    check_all(&NativeTarget::host(Passes::Full, MathMode::Exact));
}

#[test]
fn kernels_agree_with_the_interpreter_after_short_optimisation() {
    check_all(&NativeTarget::host(Passes::Short, MathMode::Exact));
}

#[test]
fn kernels_agree_with_the_interpreter_without_optimisation() {
    check_all(&NativeTarget::host(Passes::Least, MathMode::Exact));
}

#[test]
fn kernels_agree_with_the_interpreter_on_any_processor() {
    check_all(&NativeTarget::baseline(Passes::Full, MathMode::Exact));
}
