//! Lowered kernels compute what the kernels they came from compute, on hard numbers.
//!
//! The interpreter runs both. Everything the IR defines exactly must agree bit for bit (a NaN with
//! any NaN); functions that are only nearly exact must be near.

#![expect(
    clippy::unwrap_used,
    reason = "everything in this file is part of a test"
)]

use situ_ir::interpret::{Argument, Options, interpret};
use situ_ir::transform::{LoweredParameter, is_core, lower};
use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal,
    MathFunction, Module, NdRange, Source, Type, UnaryOperator, ValidModule, text, validate,
};

/// Numbers at which operators have corner cases.
fn interesting(dtype: DType) -> Vec<Literal> {
    let bits = dtype.bits();
    match dtype {
        DType::Bool => vec![Literal::Bool(false), Literal::Bool(true)],
        DType::F16 | DType::F32 | DType::F64 => {
            let mut numbers: Vec<_> = [
                0.0,
                1.0,
                0.5,
                1.5,
                2.0,
                2.5,
                3.0,
                7.3,
                0.1,
                1e-3,
                255.5,
                1000.0,
                65504.0,
                65519.9,
                65520.1,
                1e5,
                3e9,
                1e19,
                1e300,
                1e-30,
                6e-8,
                2.9e-8,
                2.99e-8,
                f64::INFINITY,
            ]
            .into_iter()
            .flat_map(|value| [value, -value])
            .map(|value| Literal::from_f64(dtype, value))
            .collect();
            numbers.push(Literal::from_f64(dtype, f64::NAN));
            numbers.push(Literal::from_bits(dtype, 1));
            // Just beside a tie of float16 and float32.
            for value in [
                1.0 + 2_f64.powi(-11),
                1.0 + 3.0 * 2_f64.powi(-11),
                2_f64.powi(-25),
            ] {
                numbers.push(Literal::from_f64(dtype, value));
                numbers.push(Literal::from_f64(dtype, value + 2_f64.powi(-50)));
                numbers.push(Literal::from_f64(dtype, value - 2_f64.powi(-50)));
            }
            numbers
        }
        DType::C64 | DType::C128 => {
            let parts = [0.0, -0.0, 1.0, -2.5, 0.3, 1e30, f64::INFINITY, f64::NAN];
            let pair = |re: f64, im: f64| match dtype {
                DType::C64 => Literal::C64(num_complex::Complex::new(re as f32, im as f32)),
                _ => Literal::C128(num_complex::Complex::new(re, im)),
            };
            let all = parts
                .into_iter()
                .flat_map(|re| parts.map(|im| pair(re, im)));
            all.collect()
        }
        _ => {
            let ends = [1 << (bits - 1), (1 << (bits - 1)) - 1, u128::MAX];
            let small = [0, 1, 2, 3, 5, 7, 8, 31, 63, 64, 100];
            let negative = small.map(|value| u128::MAX - value);
            let all = ends.into_iter().chain(small).chain(negative);
            all.map(|value| Literal::from_bits(dtype, value)).collect()
        }
    }
}

type Compute<'a> = &'a dyn Fn(&mut FunctionBuilder, &[Handle<Expression>]) -> Handle<Expression>;

/// A kernel that applies `compute` to one element of each of several arrays.
fn elementwise(operands: &[DType], result: DType, compute: Compute) -> ValidModule {
    let mut f = FunctionBuilder::kernel("k", 1);
    let i = f.global_id(0);
    let elements: Vec<_> = (operands.iter().enumerate())
        .map(|(position, &dtype)| {
            let name = format!("x{position}");
            let x = f.parameter(name, Type::pointer(dtype, AddressSpace::Global));
            f.load(x, i)
        })
        .collect();
    let out = f.parameter("out", Type::pointer(result, AddressSpace::Global));
    let value = compute(&mut f, &elements);
    f.store(out, i, value);
    let mut module = Module::new("m");
    f.finish(&mut module);
    validate(module).unwrap()
}

/// Runs an elementwise kernel before and after lowering; gives both results.
fn both(
    module: &ValidModule,
    inputs: &[Vec<Literal>],
    result: DType,
) -> (Vec<Literal>, Vec<Literal>) {
    let lowered = lower(module).unwrap();
    assert!(is_core(&lowered));
    let count = inputs[0].len();
    let run = |module: &ValidModule| {
        let mut buffers: Vec<Vec<u8>> = inputs.iter().map(|input| bytes_of(input)).collect();
        buffers.push(vec![0; count * result.size_bytes()]);
        let arguments: Vec<_> = (0..buffers.len())
            .map(|buffer| Argument::Pointer {
                buffer,
                offset_bytes: 0,
            })
            .collect();
        let mut slices: Vec<_> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        let range = NdRange::new(&[count as u64]).unwrap();
        let options = Options::default();
        interpret(module, "k", &range, &arguments, &mut slices, &options).unwrap();
        literals_of(result, buffers.last().unwrap())
    };
    (run(module), run(&lowered))
}

fn bytes_of(literals: &[Literal]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for literal in literals {
        let start = bytes.len();
        bytes.resize(start + literal.dtype().size_bytes(), 0);
        literal.write_bytes(&mut bytes[start..]);
    }
    bytes
}

fn literals_of(dtype: DType, bytes: &[u8]) -> Vec<Literal> {
    let chunks = bytes.chunks(dtype.size_bytes());
    chunks
        .map(|chunk| Literal::from_bytes(dtype, chunk).unwrap())
        .collect()
}

/// The parts of a number; a real number has one.
fn parts(literal: Literal) -> Vec<Literal> {
    match literal {
        Literal::C64(value) => vec![Literal::F32(value.re), Literal::F32(value.im)],
        Literal::C128(value) => vec![Literal::F64(value.re), Literal::F64(value.im)],
        real => vec![real],
    }
}

/// How many numbers of the dtype lie between two floats; 0 for two NaNs and for other equal
/// numbers.
fn distance(left: Literal, right: Literal) -> u128 {
    let is_nan = |literal| match literal {
        Literal::F16(value) => value.is_nan(),
        Literal::F32(value) => value.is_nan(),
        Literal::F64(value) => value.is_nan(),
        _ => false,
    };
    if left == right || (is_nan(left) && is_nan(right)) {
        return 0;
    }
    if !left.dtype().is_float() || is_nan(left) || is_nan(right) {
        return u128::MAX;
    }
    let sign = 1 << (left.dtype().bits() - 1);
    let ordered = |literal: Literal| {
        let bits = literal.to_bits();
        if bits & sign == 0 {
            bits as i128
        } else {
            -((bits & !sign) as i128) - 1
        }
    };
    ordered(left).abs_diff(ordered(right))
}

/// Asserts that lowering keeps the results of an elementwise kernel within some ulp.
fn assert_kept(
    what: &str,
    module: &ValidModule,
    inputs: &[Vec<Literal>],
    result: DType,
    ulp: u128,
) {
    let (original, lowered) = both(module, inputs, result);
    for (position, (&original, &lowered)) in original.iter().zip(&lowered).enumerate() {
        let arguments: Vec<_> = inputs.iter().map(|input| input[position]).collect();
        let near = parts(original)
            .into_iter()
            .zip(parts(lowered))
            .all(|(original, lowered)| distance(original, lowered) <= ulp);
        assert!(
            near,
            "{what} of {arguments:?}: {original:?} became {lowered:?}"
        );
    }
}

/// Every pair of interesting numbers, as two columns.
fn pairs(dtype: DType) -> Vec<Vec<Literal>> {
    let numbers = interesting(dtype);
    let left = numbers.iter().flat_map(|&x| vec![x; numbers.len()]);
    let right = numbers.iter().flat_map(|_| numbers.clone());
    vec![left.collect(), right.collect()]
}

#[test]
fn binary_operators_keep_their_results() {
    for operator in BinaryOperator::ALL {
        for dtype in DType::ALL {
            let Some(result) = operator.result(dtype) else {
                continue;
            };
            if operator == BinaryOperator::Power && dtype.is_complex() {
                continue;
            }
            // Float powers are not exact, and float16's go through float32.
            let ulp = u128::from(operator == BinaryOperator::Power && dtype == DType::F16);
            let module = elementwise(&[dtype, dtype], result, &|f, x| {
                f.binary(operator, x[0], x[1])
            });
            let what = format!("{operator:?} {dtype}");
            assert_kept(&what, &module, &pairs(dtype), result, ulp);
        }
    }
}

#[test]
fn powers_with_constant_exponents_keep_their_results() {
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_integer()) {
        for exponent in [0, 1, 2, 3, 7, 15, 16, 17, 100] {
            let exponent = Literal::from_bits(dtype, exponent);
            let module = elementwise(&[dtype], dtype, &|f, x| {
                let exponent = f.literal(exponent);
                f.binary(BinaryOperator::Power, x[0], exponent)
            });
            let what = format!("power {exponent:?}");
            assert_kept(&what, &module, &[interesting(dtype)], dtype, 0);
        }
    }
}

#[test]
fn unary_operators_keep_their_results() {
    for operator in UnaryOperator::ALL {
        for dtype in DType::ALL {
            if let Some(result) = operator.result(dtype) {
                let module = elementwise(&[dtype], result, &|f, x| f.unary(operator, x[0]));
                let what = format!("{operator:?} {dtype}");
                assert_kept(&what, &module, &[interesting(dtype)], result, 0);
            }
        }
    }
}

#[test]
fn casts_keep_their_results() {
    for from in DType::ALL {
        for to in DType::ALL {
            let module = elementwise(&[from], to, &|f, x| {
                f.expression(Expression::Cast { operand: x[0], to })
            });
            let what = format!("cast {from} {to}");
            assert_kept(&what, &module, &[interesting(from)], to, 0);
        }
    }
}

#[test]
fn selects_keep_their_results() {
    for dtype in DType::ALL {
        let module = elementwise(&[dtype, dtype], dtype, &|f, x| {
            let condition = f.binary(BinaryOperator::Equal, x[0], x[1]);
            let not = f.unary(UnaryOperator::Not, condition);
            f.select(not, x[0], x[1])
        });
        assert_kept("select", &module, &pairs(dtype), dtype, 0);
    }
}

#[test]
fn real_functions_keep_their_results() {
    for &function in MathFunction::ALL {
        for dtype in [DType::F16, DType::F32, DType::F64] {
            let ulp = u128::from(!function.is_exact() && dtype == DType::F16);
            let module = elementwise(&[dtype, dtype], dtype, &|f, x| {
                f.math(function, &[x[0], x[1], x[0]][..function.arity()])
            });
            assert_kept(function.name(), &module, &pairs(dtype), dtype, ulp);
        }
    }
}

/// Complex numbers without corner cases; those are tested beside the formulas.
fn ordinary(dtype: DType) -> Vec<Literal> {
    let parts = [-1.5, -0.7, 0.01, 0.6, 3.0, 8.25];
    let pair = |re: f64, im: f64| match dtype {
        DType::C64 => Literal::C64(num_complex::Complex::new(re as f32, im as f32)),
        _ => Literal::C128(num_complex::Complex::new(re, im)),
    };
    let all = parts
        .into_iter()
        .flat_map(|re| parts.map(|im| pair(re, im)));
    all.collect()
}

#[test]
fn complex_functions_keep_their_results() {
    for &function in MathFunction::ALL {
        for dtype in [DType::C64, DType::C128] {
            if function.result(dtype).is_some() {
                let module = elementwise(&[dtype], dtype, &|f, x| f.math(function, &[x[0]]));
                assert_kept(function.name(), &module, &[ordinary(dtype)], dtype, 6);
            }
        }
    }
}

#[test]
fn complex_powers_keep_their_results() {
    for dtype in [DType::C64, DType::C128] {
        let numbers = ordinary(dtype);
        let exponents = numbers.iter().rev().copied().collect();
        let module = elementwise(&[dtype, dtype], dtype, &|f, x| {
            f.binary(BinaryOperator::Power, x[0], x[1])
        });
        // Rounding the exponent w log(z) costs about as many ulp as it is large; a part that is
        // small beside the other one loses more.
        assert_kept("power", &module, &[numbers, exponents], dtype, 500);
    }
}

/// Runs a kernel of a text before and after lowering and asserts that the buffers are the same.
fn assert_same_effect(
    module: &str,
    range: &NdRange,
    arguments: &[Argument],
    buffers: &[Vec<u8>],
) -> Vec<Vec<u8>> {
    let module = text::parse(Source::new("test.sir", module)).unwrap();
    let module = validate(module).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let lowered = lower(&module).unwrap();
    assert!(is_core(&lowered));
    let (kernel, function) = module.kernels().next().unwrap();

    let run = |module: &ValidModule, arguments: &[Argument]| {
        let mut buffers = buffers.to_vec();
        let mut slices: Vec<_> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        let options = Options::default();
        interpret(
            module,
            &function.name,
            range,
            arguments,
            &mut slices,
            &options,
        )
        .unwrap();
        buffers
    };
    let places = &lowered.lowered(kernel).parameters;
    let mut lowered_arguments = vec![
        None;
        lowered.functions[lowered.lowered(kernel).function]
            .parameters
            .len()
    ];
    for (place, argument) in places.iter().zip(arguments) {
        match (*place, *argument) {
            (LoweredParameter::One(position), argument) => {
                lowered_arguments[position as usize] = Some(argument);
            }
            (LoweredParameter::Pair { real, imaginary }, Argument::Scalar(literal)) => {
                for (position, part) in [real, imaginary].into_iter().zip(parts(literal)) {
                    lowered_arguments[position as usize] = Some(Argument::Scalar(part));
                }
            }
            other => panic!("a pair is a scalar: {other:?}"),
        }
    }
    let lowered_arguments: Vec<_> = lowered_arguments.into_iter().map(Option::unwrap).collect();
    let expected = run(&module, arguments);
    assert_eq!(run(&lowered, &lowered_arguments), expected);
    expected
}

fn complex_bytes(numbers: &[(f64, f64)]) -> Vec<u8> {
    let parts = numbers.iter().flat_map(|&(re, im)| [re, im]);
    parts.flat_map(f64::to_le_bytes).collect()
}

fn pointer(buffer: usize) -> Argument {
    Argument::Pointer {
        buffer,
        offset_bytes: 0,
    }
}

#[test]
fn both_parts_of_a_complex_number_are_written_at_once() {
    // Each statement reads what it writes, with the parts exchanged.
    let module = "\
        kernel[1] k(x: global c128*, z: c128) {
            var v: c128;
            v = z;
            v = complex(imag(v), real(v) + imag(v));
            let i: i64 = global_id(0);
            x[i] = complex(imag(x[i]), real(x[i])) * v;
            x[i] = select(real(x[i]) > 0.0, conj(x[i]), x[i] + v);
        }";
    let buffers = [complex_bytes(&[(1.0, 2.0), (-3.0, 0.5), (0.0, -1.0)])];
    let z = Literal::C128(num_complex::Complex::new(2.0, 5.0));
    let range = NdRange::new(&[3]).unwrap();
    let result = assert_same_effect(module, &range, &[pointer(0), Argument::Scalar(z)], &buffers);
    // v = 5 + 7i; x = (2 + i) v = 3 + 19i, conjugated.
    assert_eq!(result[0][..16], complex_bytes(&[(3.0, -19.0)]));
}

#[test]
fn device_functions_with_complex_results_keep_them() {
    let module = "\
        device halve(z: c128, result: i64) -> c128 {
            if result > 1 {
                return z * complex(0.5, 0.0);
            }
            return complex(imag(z), real(z));
        }
        device twice(p: private c128*, z: c128) -> c128 {
            let first: c128 = call halve(z, 2);
            p[1] = first;
            let second: c128 = call halve(p[1], 0);
            return second;
        }
        kernel[1] k(x: global c128*) {
            array scratch: private c128[3];
            let i: i64 = global_id(0);
            let z: c128 = call twice(offset(scratch, 1), x[i]);
            let y: c128 = call halve(z, i);
            x[i] = y + scratch[2];
        }";
    let buffers = [complex_bytes(&[(1.0, 2.0), (-3.0, 0.5), (0.0, -1.0)])];
    let range = NdRange::new(&[3]).unwrap();
    assert_same_effect(module, &range, &[pointer(0)], &buffers);
}

#[test]
fn loops_with_long_conditions_run_as_often_as_before() {
    let module = "\
        kernel[1] k(x: global i64*) {
            var n: i64;
            var sum: i64;
            let i: i64 = global_id(0);
            n = i;
            sum = 0;
            while (mod(n, 7) != 3) & (floor_div(neg(n), 2) > neg(40)) {
                if mod(n, 2) == 0 {
                    continue;
                }
                if n > 30 {
                    break;
                }
                sum = sum + pow(n, n & 3);
            } step {
                n = n + (1 + mod(n, 3));
            }
            x[i] = (sum * 1000) + n;
        }";
    let buffers = [vec![0; 8 * 40]];
    let range = NdRange::new(&[40]).unwrap();
    assert_same_effect(module, &range, &[pointer(0)], &buffers);
}

#[test]
fn complex_collectives_and_local_memory_keep_their_results() {
    let module = "\
        kernel[1] k(x: global c128*, shared: local c128*) {
            array tile: local c128[8];
            let i: i64 = global_id(0);
            let l: i64 = local_id(0);
            tile[l] = x[i];
            shared[l] = conj(x[i]);
            barrier(local);
            let neighbour: c128 = tile[mod(l + 1, 8)] + shared[7 - l];
            let sum: c128 = collective reduce add(neighbour * x[i]) work_group;
            let before: c128 = collective exclusive_scan add(x[i]) sub_group;
            let third: c128 = collective broadcast(neighbour, 3) work_group;
            x[i] = (sum + before) - third;
        }";
    let numbers: Vec<_> = (0..16)
        .map(|n| (f64::from(n), 0.5 - f64::from(n * n)))
        .collect();
    let buffers = [complex_bytes(&numbers)];
    let range = NdRange::with_local(&[16], &[8]).unwrap();
    let arguments = [pointer(0), Argument::Local { size_bytes: 8 * 16 }];
    assert_same_effect(module, &range, &arguments, &buffers);
}

#[test]
fn a_loop_around_a_barrier_may_depend_on_complex_results() {
    // All work-items agree on `z`, and lowering must not hide it from the validator.
    let module = "\
        device square(z: c128) -> c128 {
            return z * z;
        }
        kernel[1] k(x: global f64*, c: c128) {
            array tile: local f64[4];
            var z: c128;
            let i: i64 = global_id(0);
            tile[local_id(0)] = x[i];
            z = c;
            while abs(sqrt(z)) < 3.0 {
                barrier(local);
                let next: f64 = tile[mod(local_id(0) + 1, 4)];
                barrier(local);
                tile[local_id(0)] = next;
                let s: c128 = call square(z);
                z = s + c;
            }
            x[i] = tile[local_id(0)];
        }";
    let buffers = [[1.0_f64, 2.0, 3.0, 4.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect()];
    let range = NdRange::with_local(&[4], &[4]).unwrap();
    let c = Literal::C128(num_complex::Complex::new(1.0, 0.5));
    assert_same_effect(module, &range, &[pointer(0), Argument::Scalar(c)], &buffers);
}
