//! A result depends on its input alone: not on the length of the loop, not on where a chunk begins,
//! not on what else is computed in it.

use std::fmt::Write as _;

use situ_codegen::MathMode;
use situ_ir::interpret::Argument;
use situ_ir::{DType, Literal, MathFunction, NdRange, Source, ValidModule, text, validate};
use situ_runtime::backend::native::compiler::Passes;

use super::native::{NativeModule, NativeTarget};
use super::program::{Buffer, Launch, is_same};

const LENGTH: usize = 203;

/// A kernel for each function that is not exact: alone, and in a loop that also handles `wide`
/// elements, which makes the vectoriser choose other widths.
fn module(dtype: DType) -> ValidModule {
    let name = dtype.short_name();
    let mut text = String::new();
    for function in MathFunction::ALL.iter().filter(|f| !f.is_exact()) {
        let word = function.name();
        let call = match function.arity() {
            1 => format!("{word}(x[i])"),
            _ => format!("{word}(x[i], y[i])"),
        };
        let _ = write!(
            text,
            "kernel[1] {word}(x: global {name}*, y: global {name}*, out: global {name}*, \
             wide: global f64*, flags: global u8*) {{
                let i = global_id(0);
                out[i] = {call};
            }}
            kernel[1] mixed_{word}(x: global {name}*, y: global {name}*, out: global {name}*, \
             wide: global f64*, flags: global u8*) {{
                let i = global_id(0);
                wide[i] = wide[i] + 1.0;
                if (flags[i] & 1u8) == 1u8 {{
                    out[i] = {call};
                }} else {{
                    out[i] = x[i];
                }}
            }}"
        );
    }
    let module = text::parse(Source::new("functions.sir", text)).unwrap();
    validate(module).unwrap()
}

/// Numbers of every size and sign, and the special ones.
fn numbers(dtype: DType, seed: u64) -> Vec<Literal> {
    let mut state = seed;
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    (0..LENGTH)
        .map(|position| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let fraction = (state >> 11) as f64 / (1_u64 << 53) as f64;
            let value = match position % 5 {
                0 => special[position % special.len()],
                1 => (fraction - 0.5) * 2.0,
                2 => (fraction - 0.5) * 200.0,
                3 => (fraction - 0.5) * 1e9,
                _ => (fraction - 0.5) * 1e-9,
            };
            Literal::from_f64(dtype, value)
        })
        .collect()
}

fn buffer(elements: &[Literal]) -> Buffer {
    let mut bytes = Vec::new();
    for element in elements {
        let mut whole = [0; 16];
        element.write_bytes(&mut whole);
        bytes.extend_from_slice(&whole[..element.dtype().size_bytes()]);
    }
    Buffer::new(&bytes)
}

fn outputs(native: &NativeModule, launch: &Launch, dtype: DType, chunk: u64) -> Vec<Literal> {
    let mut buffers = launch.run_native(native, chunk);
    buffers[2]
        .bytes_mut()
        .chunks_exact(dtype.size_bytes())
        .map(|bytes| Literal::from_bytes(dtype, bytes).unwrap())
        .collect()
}

fn check(dtype: DType, target: &NativeTarget) {
    let module = module(dtype);
    let native = NativeModule::compile(&module, target);
    let flags: Vec<_> = (0..LENGTH).map(|_| Literal::U8(1)).collect();
    let buffers = vec![
        buffer(&numbers(dtype, 1)),
        buffer(&numbers(dtype, 2)),
        buffer(&vec![Literal::zero(dtype); LENGTH]),
        buffer(&numbers(DType::F64, 3)),
        buffer(&flags),
    ];
    let arguments: Vec<_> = (0..buffers.len())
        .map(|buffer| Argument::Pointer {
            buffer,
            offset_bytes: 0,
        })
        .collect();
    let launch = |kernel: &str| Launch {
        kernel: kernel.to_owned(),
        range: NdRange::new(&[LENGTH as u64]).unwrap(),
        arguments: arguments.clone(),
        buffers: buffers.clone(),
    };
    for function in MathFunction::ALL.iter().filter(|f| !f.is_exact()) {
        let word = function.name();
        let one_by_one = outputs(&native, &launch(word), dtype, 1);
        for (kernel, chunk) in [
            (word.to_owned(), LENGTH as u64),
            (word.to_owned(), 61),
            (format!("mixed_{word}"), LENGTH as u64),
            (format!("mixed_{word}"), 17),
        ] {
            let found = outputs(&native, &launch(&kernel), dtype, chunk);
            for (position, (left, right)) in one_by_one.iter().zip(&found).enumerate() {
                assert!(
                    is_same(*left, *right),
                    "{kernel} of {dtype} in chunks of {chunk}: element {position} is {right:?}, \
                     alone it is {left:?}"
                );
            }
        }
    }
}

#[test]
fn functions_do_not_depend_on_the_length_of_the_loop() {
    for dtype in [DType::F32, DType::F64] {
        for target in [
            NativeTarget::host(Passes::Full, MathMode::Fast),
            NativeTarget::baseline(Passes::Full, MathMode::Fast),
        ] {
            target.forms().iter().for_each(|form| check(dtype, form));
        }
    }
}
