//! Mathematical functions: every one, on every device, as on the reference device.
//!
//! One kernel calls them all, because drivers need up to a second for a program.

use situ_ir::{BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, MathFunction};
use situ_ir::{NdRange, Type};
use situ_runtime::{BackendKind, Device, Queue};

use crate::{compile, download, every_device, pointer, pointer_to, upload};

/// What a row of results is about.
enum Row {
    Function(MathFunction),
    /// An operator of the IR, and a function of C.
    Power,
}

impl Row {
    fn all() -> Vec<Self> {
        let functions = MathFunction::ALL.iter().copied().map(Self::Function);
        functions.chain([Self::Power]).collect()
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Function(function) => function.name(),
            Self::Power => "power",
        }
    }

    /// The result with `x` as every argument.
    fn apply(&self, f: &mut FunctionBuilder, x: Handle<Expression>) -> Handle<Expression> {
        match *self {
            Self::Function(function) => f.math(function, &vec![x; function.arity()]),
            Self::Power => f.binary(BinaryOperator::Power, x, x),
        }
    }
}

/// Stores a number or a truth value as a `f64`.
fn store(
    f: &mut FunctionBuilder,
    to: Handle<Expression>,
    at: Handle<Expression>,
    value: Handle<Expression>,
) {
    let number = if f.type_of(value) == Type::BOOL {
        let [one, zero] = [1.0, 0.0].map(|number| f.literal(Literal::F64(number)));
        f.select(value, one, zero)
    } else {
        f.cast(value, DType::F64)
    };
    f.store(to, at, number);
}

/// Runs a kernel with some work-items that writes a column of results for each argument.
fn run(device: &Device, kernel: FunctionBuilder, items: usize, arguments: &[f64]) -> Vec<f64> {
    let queue = Queue::new(device);
    let kernel = compile(&queue, kernel);
    let inputs = upload(&queue, arguments);
    // A number that no function has as a result tells what was never written.
    let out = upload(&queue, &vec![-12.1875; Row::all().len() * arguments.len()]);
    let range = NdRange::new(&[items as u64]).unwrap();
    let launched = queue.launch(&kernel, &range, &[pointer_to(&inputs), pointer_to(&out)]);
    launched.unwrap().wait().unwrap();
    download::<f64>(&queue, &out)
}

/// Compares all devices with the reference device. Where two results are NaN they are equal.
fn compare(dtype: DType, items: usize, arguments: &[f64], kernel: impl Fn() -> FunctionBuilder) {
    let devices = every_device();
    let is_reference = |device: &&Device| device.backend() == BackendKind::Reference;
    let reference = devices.iter().find(is_reference).unwrap();
    let expected = run(reference, kernel(), items, arguments);
    let tolerance = if dtype == DType::F32 { 1e-6 } else { 4e-15 };
    for device in devices.iter().filter(|device| !is_reference(device)) {
        let found = run(device, kernel(), items, arguments);
        for (k, (&x, &y)) in expected.iter().zip(&found).enumerate() {
            let is_close = (x.is_nan() && y.is_nan())
                || x == y
                || (x - y).abs() <= tolerance * x.abs().max(f64::MIN_POSITIVE);
            let (row, argument) = (k / arguments.len(), arguments[k % arguments.len()]);
            let (name, device) = (Row::all()[row].name(), device.filter_string());
            assert!(
                is_close,
                "{name}({argument}) of {dtype:?} is {y} on {device}, not {x}"
            );
        }
    }
}

#[test]
fn every_math_function_agrees_with_the_reference_device() {
    // From 0.1 on for the logarithm of gamma, which loses digits between its zeros on the negative axis.
    let arguments: Vec<f64> = (0..37).map(|i| f64::from(i) * 0.26 - 3.0).collect();
    for dtype in [DType::F32, DType::F64] {
        compare(dtype, arguments.len(), &arguments, || {
            let mut f = FunctionBuilder::kernel("apply", 1);
            let x = pointer(&mut f, "x", DType::F64);
            let out = pointer(&mut f, "out", DType::F64);
            let i = f.global_id(0);
            let element = f.load(x, i);
            let element = f.cast(element, dtype);
            for (k, row) in Row::all().iter().enumerate() {
                let argument = if row.name() == MathFunction::Lgamma.name() {
                    let least = f.literal(Literal::F64(0.1));
                    let least = f.cast(least, dtype);
                    f.binary(BinaryOperator::Maximum, element, least)
                } else {
                    element
                };
                let result = row.apply(&mut f, argument);
                let start = f.index(k as i64 * 37);
                let at = f.add(start, i);
                store(&mut f, out, at, result);
            }
            f
        });
    }
}

/// A compiler may know the argument, and must not conclude from it that a call is never reached.
#[test]
fn math_functions_of_constants_are_those_of_variables() {
    let constants = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e30,
        -1e30,
        3e9,
        0.0,
        -0.0,
    ];
    for dtype in [DType::F32, DType::F64] {
        compare(dtype, 1, &constants, || {
            let mut f = FunctionBuilder::kernel("apply", 1);
            pointer(&mut f, "x", DType::F64);
            let out = pointer(&mut f, "out", DType::F64);
            let known = constants.map(|constant| {
                let known = f.literal(Literal::F64(constant));
                f.cast(known, dtype)
            });
            for (k, row) in Row::all().iter().enumerate() {
                for (column, &known) in known.iter().enumerate() {
                    let result = row.apply(&mut f, known);
                    let at = f.index((k * constants.len() + column) as i64);
                    store(&mut f, out, at, result);
                }
            }
            f
        });
    }
}
