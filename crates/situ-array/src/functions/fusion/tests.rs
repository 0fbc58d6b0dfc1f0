//! Expressions against one call after the other: the same results, bit for bit, or the same error.

use std::sync::Arc;

use proptest::prelude::*;
use situ_ir::interpret::number;
use situ_ir::promotion::PythonScalar;
use situ_ir::{DType, Literal};
use situ_runtime::{Device, Queue, UsmKind};
use smallvec::SmallVec;

use super::reduce::reduce_array;
use super::{Fusion, FusionError, Node, OperandType, Reducer, evaluate, evaluate_at_once, reduce};
use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Operand, apply};
use crate::functions::call_dtypes::scalar_literal;
use crate::functions::creation::{as_contiguous, astype, full};
use crate::functions::elementwise::{Elementwise, FUNCTIONS, find};
use crate::functions::statistical::Over;
use crate::index::IndexItem;
use crate::layout::Layout;
use crate::placement::default_queue;

fn queue() -> Queue {
    default_queue(&Device::default_device())
}

fn function(name: &str) -> &'static Elementwise {
    find(name).expect("the table has it")
}

fn call(name: &str, operands: &[usize]) -> Node {
    Node::Apply {
        function: function(name),
        operands: operands.into(),
    }
}

fn number(value: f64) -> Node {
    Node::Constant(PythonScalar::Float(value))
}

/// A new array of these numbers.
fn array(shape: &[usize], dtype: DType, value: impl Fn(usize) -> f64) -> Array {
    array_on(&queue(), shape, dtype, value)
}

fn array_on(queue: &Queue, shape: &[usize], dtype: DType, value: impl Fn(usize) -> f64) -> Array {
    let array = Array::empty(shape, dtype, queue, UsmKind::Device).unwrap();
    let mut bytes = Vec::new();
    for index in 0..array.size() {
        let bits = Literal::from_f64(dtype, value(index)).to_bits();
        bytes.extend_from_slice(&bits.to_le_bytes()[..dtype.size_bytes()]);
    }
    array.write_bytes(&bytes).unwrap();
    array
}

/// The elements in row-major order.
fn elements(array: &Array) -> Vec<Literal> {
    let array = as_contiguous(array).unwrap();
    let mut bytes = vec![0; array.size() * array.dtype().size_bytes()];
    array.read_bytes(&mut bytes).unwrap();
    bytes
        .chunks(array.dtype().size_bytes())
        .map(|chunk| {
            let mut bits = [0; 16];
            bits[..chunk.len()].copy_from_slice(chunk);
            Literal::from_bits(array.dtype(), u128::from_le_bytes(bits))
        })
        .collect()
}

/// One call after the other.
fn one_by_one(fusion: &Fusion, operands: &[Operand]) -> Result<Array, FusionError> {
    let mut values: Vec<Operand> = Vec::new();
    for (position, node) in fusion.nodes().iter().enumerate() {
        let value = match node {
            Node::Input(operand) => Ok(operands[*operand].clone()),
            Node::Constant(scalar) => Ok(Operand::Scalar(*scalar)),
            Node::Apply { function, operands } => {
                let operands: Vec<_> = operands.iter().map(|&node| values[node].clone()).collect();
                apply(function, &operands, None, Some(&queue())).map(Operand::Array)
            }
            Node::Cast { operand, dtype } => match &values[*operand] {
                Operand::Array(array) => astype(array, *dtype).map(Operand::Array),
                Operand::Literal(literal) => Ok(Operand::Literal(number::cast(*literal, *dtype))),
                Operand::Scalar(scalar) => scalar_literal(*scalar, *dtype).map(Operand::Literal),
                Operand::HostArray => panic!("there are none"),
            },
        };
        values.push(value.map_err(FusionError::at(position))?);
    }
    match values.pop() {
        Some(Operand::Array(array)) => Ok(array),
        Some(Operand::Scalar(scalar)) => {
            let literal = scalar_literal(scalar, scalar.default_dtype(DType::F64));
            let literal = literal.map_err(FusionError::at(fusion.last()))?;
            Ok(full(&[], literal, &queue(), UsmKind::Device)?)
        }
        Some(Operand::Literal(literal)) => Ok(full(&[], literal, &queue(), UsmKind::Device)?),
        Some(Operand::HostArray) | None => panic!("an expression has a result"),
    }
}

/// Bits, but all NaNs are one.
fn canonical(literal: Literal) -> (bool, bool, u128) {
    match literal {
        Literal::F16(value) if value.is_nan() => (true, false, 0),
        Literal::F32(value) if value.is_nan() => (true, false, 0),
        Literal::F64(value) if value.is_nan() => (true, false, 0),
        Literal::C64(value) if value.is_nan() => (value.re.is_nan(), value.im.is_nan(), 0),
        Literal::C128(value) if value.is_nan() => (value.re.is_nan(), value.im.is_nan(), 0),
        other => (false, false, other.to_bits()),
    }
}

fn assert_same(found: &Array, expected: &Array, what: &str) {
    assert_eq!(found.dtype(), expected.dtype(), "{what}");
    assert_eq!(found.shape(), expected.shape(), "{what}");
    let (found, expected) = (elements(found), elements(expected));
    for (index, (found, expected)) in found.into_iter().zip(expected).enumerate() {
        assert_eq!(
            canonical(found),
            canonical(expected),
            "{what} at {index}: {found:?}, not {expected:?}"
        );
    }
}

/// Evaluates both ways and compares what comes out.
fn check(fusion: &Arc<Fusion>, operands: &[Operand]) {
    let found = evaluate(fusion, operands, None, Some(&queue()));
    match (found, one_by_one(fusion, operands)) {
        (Ok(found), Ok(expected)) => assert_same(&found, &expected, &fusion.to_string()),
        (Err(found), Err(expected)) => {
            // Shapes are looked at before dtypes here, and values after them, so that another node may be the first.
            let is_shape = |error: &Error| matches!(error, Error::ShapeMismatch { .. });
            let is_value = matches!(*expected.error, Error::NegativeExponent { .. });
            assert!(
                is_shape(&found.error) || is_value || found.node == expected.node,
                "{fusion}: {found} at {:?}, not {expected} at {:?}",
                found.node,
                expected.node
            );
            if found.node == expected.node && is_shape(&found.error) == is_shape(&expected.error) {
                assert_eq!(found.to_string(), expected.to_string());
            }
        }
        (found, expected) => panic!("{fusion}: {found:?}, not {expected:?}"),
    }
}

/// Numbers that decide, one after the other.
struct Choices(std::vec::IntoIter<u32>);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn python_scalar(&mut self) -> PythonScalar {
        match self.below(5) {
            0 => PythonScalar::Bool(self.below(2) == 1),
            1 | 2 => {
                PythonScalar::Int(self.of(&[0, 1, 3, -1, 127, 300, -70_000, 1 << 40, 1 << 70]))
            }
            3 => PythonScalar::Float(self.of(&[0.0, 0.5, -3.0, 1e10, f64::INFINITY])),
            _ => PythonScalar::Complex(1.5, -2.0),
        }
    }

    fn dtype(&mut self) -> DType {
        self.of(&DType::ALL)
    }

    /// A view that broadcasts to the shape, more often than not.
    fn array(&mut self, shape: &[usize]) -> Array {
        let dtype = self.dtype();
        let skipped = self.below(shape.len() + 1);
        let mut own: Vec<usize> = shape[skipped..].to_vec();
        for size in &mut own {
            match self.below(12) {
                0 | 1 => *size = 1,
                2 if self.below(8) == 0 => *size += 2,
                _ => {}
            }
        }
        let values = [
            0.0,
            1.0,
            -1.5,
            2.0,
            0.25,
            7.0,
            -3.0,
            100.0,
            65.5,
            f64::NAN,
            1e5,
        ];
        let start = self.below(values.len());
        let value = |index: usize| values[(index * 7 + start) % values.len()];
        let slice = |step| IndexItem::Slice {
            start: None,
            stop: None,
            step: Some(step),
        };
        match self.below(4) {
            // Every other element, the last first.
            1 if !own.is_empty() => {
                let wide: Vec<usize> = own.iter().map(|&size| size * 2).collect();
                let index: Vec<_> = own.iter().map(|_| slice(-2)).collect();
                array(&wide, dtype, value).view(&index).unwrap()
            }
            2 if own.len() > 1 => {
                let turned: Vec<usize> = own.iter().rev().copied().collect();
                let axes: Vec<usize> = (0..own.len()).rev().collect();
                let array = array(&turned, dtype, value);
                array.with_layout(array.layout().permuted(&axes))
            }
            _ => array(&own, dtype, value),
        }
    }

    fn operand(&mut self, shape: &[usize]) -> Operand {
        match self.below(8) {
            0 | 1 => Operand::Scalar(self.python_scalar()),
            2 => {
                let dtype = self.dtype();
                Operand::Literal(Literal::from_f64(dtype, self.of(&[0.0, 1.0, 5.0])))
            }
            _ => Operand::Array(self.array(shape)),
        }
    }

    fn fusion(&mut self, operands: usize) -> Fusion {
        let mut nodes: Vec<Node> = (0..operands).map(Node::Input).collect();
        for _ in 0..=self.below(6) {
            // The latest nodes more often, so that expressions become deep.
            let count = nodes.len();
            let node = |choices: &mut Self| match choices.below(2) {
                0 => count - 1,
                _ => choices.below(count),
            };
            let next = match self.below(8) {
                0 => Node::Constant(self.python_scalar()),
                1 => Node::Cast {
                    operand: node(self),
                    dtype: self.dtype(),
                },
                _ => {
                    let index = self.below(FUNCTIONS.len());
                    let function = &FUNCTIONS[index];
                    let operands = (0..function.arity).map(|_| node(self)).collect();
                    Node::Apply { function, operands }
                }
            };
            nodes.push(next);
        }
        Fusion::new(nodes)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn random_expressions_are_their_calls(
        choices in prop::collection::vec(any::<u32>(), 96),
        shape in prop::collection::vec(prop::sample::select(vec![0_usize, 1, 2, 3, 19]), 0..4),
    ) {
        let mut choices = Choices(choices.into_iter());
        let count = 1 + choices.below(4);
        let operands: Vec<_> = (0..count).map(|_| choices.operand(&shape)).collect();
        check(&Arc::new(choices.fusion(count)), &operands);
    }
}

#[test]
fn every_function_of_two_steps_is_its_calls() {
    let values = array(&[37], DType::F32, |index| index as f64 / 8.0 - 2.0);
    let others = array(&[37], DType::F32, |index| 3.0 - index as f64 / 16.0);
    for first in FUNCTIONS.iter().filter(|function| function.arity <= 2) {
        let operands: SmallVec<[usize; 3]> = (0..first.arity).collect();
        let nodes = vec![
            Node::Input(0),
            Node::Input(1),
            Node::Apply {
                function: first,
                operands,
            },
            call("multiply", &[2, 0]),
            call("add", &[3, 1]),
        ];
        let operands = [
            Operand::Array(values.clone()),
            Operand::Array(others.clone()),
        ];
        check(&Arc::new(Fusion::new(nodes)), &operands);
    }
}

#[test]
fn products_and_sums_are_not_contracted() {
    let x = array(&[100], DType::F32, |index| 1.0 + index as f64 * 1e-4);
    let nodes = vec![
        Node::Input(0),
        call("multiply", &[0, 0]),
        number(-1.0),
        call("add", &[1, 2]),
    ];
    check(&Arc::new(Fusion::new(nodes)), &[Operand::Array(x)]);
}

#[test]
fn a_mismatch_names_the_innermost_node_and_both_shapes() {
    let operand = |shape: &[usize]| Operand::Array(array(shape, DType::F64, |_| 1.0));
    let nodes = vec![
        Node::Input(0),
        Node::Input(1),
        Node::Input(2),
        call("add", &[0, 1]),
        call("subtract", &[1, 2]),
        call("multiply", &[3, 4]),
    ];
    let fusion = Arc::new(Fusion::new(nodes));
    let operands = [operand(&[4, 3]), operand(&[3]), operand(&[2])];
    let error = evaluate(&fusion, &operands, None, None).unwrap_err();
    assert_eq!(error.node, Some(4));
    let Error::ShapeMismatch { operation, shapes } = *error.error else {
        panic!("{error}");
    };
    assert_eq!((operation, shapes), ("subtract", vec![vec![3], vec![2]]));
}

#[test]
fn an_output_may_be_an_operand_and_may_overlap_one() {
    let x = array(&[9], DType::F64, |index| index as f64);
    let nodes = vec![
        Node::Input(0),
        Node::Input(1),
        call("add", &[0, 1]),
        call("multiply", &[2, 0]),
    ];
    let fusion = Arc::new(Fusion::new(nodes));
    let part = |start, stop| {
        let slice = IndexItem::Slice {
            start: Some(start),
            stop: Some(stop),
            step: None,
        };
        x.view(&[slice]).unwrap()
    };
    let (first, second) = (part(0, 8), part(1, 9));
    let operands = [
        Operand::Array(first.clone()),
        Operand::Array(second.clone()),
    ];
    let expected = one_by_one(&fusion, &operands).unwrap();
    let result = evaluate(&fusion, &operands, Some(&second), None).unwrap();
    assert!(result.is_same_view(&second));
    assert_same(&second, &expected, "overlapping");

    let operands = [Operand::Array(first.clone()), Operand::Array(first.clone())];
    let expected = one_by_one(&fusion, &operands).unwrap();
    evaluate(&fusion, &operands, Some(&first), None).unwrap();
    assert_same(&first, &expected, "in place");
}

#[test]
fn outputs_that_do_not_fit_are_refused() {
    let x = Operand::Array(array(&[3], DType::F64, |_| 1.0));
    let fusion = Arc::new(Fusion::new(vec![Node::Input(0), call("sqrt", &[0])]));
    let evaluated = |out: &Array| evaluate(&fusion, std::slice::from_ref(&x), Some(out), None);
    let error = evaluated(&array(&[2], DType::F64, |_| 0.0)).unwrap_err();
    assert!(matches!(*error.error, Error::OutputShape { .. }), "{error}");
    let error = evaluated(&array(&[3], DType::I32, |_| 0.0)).unwrap_err();
    assert!(matches!(*error.error, Error::OutputDType { .. }), "{error}");
    assert_eq!(error.node, Some(1));
    // A result broadcasts to its output, and floats may lose precision there.
    let out = evaluated(&array(&[2, 3], DType::F32, |_| 0.0)).unwrap();
    assert_eq!(elements(&out), vec![Literal::F32(1.0); 6]);
}

#[test]
fn an_operand_alone_is_copied() {
    let x = array(&[2, 3], DType::I16, |index| index as f64);
    let turned = x.with_layout(x.layout().permuted(&[1, 0]));
    let fusion = Arc::new(Fusion::new(vec![Node::Input(0)]));
    let copy = evaluate(&fusion, &[Operand::Array(turned.clone())], None, None).unwrap();
    assert!(copy.layout().is_contiguous());
    assert_same(&copy, &turned, "copy");
    for scalar in [PythonScalar::Int(1 << 63), PythonScalar::Float(0.5)] {
        check(&fusion, &[Operand::Scalar(scalar)]);
    }
}

#[test]
fn a_python_number_adapts_to_each_use() {
    let nodes = vec![
        Node::Input(0),
        Node::Input(1),
        Node::Input(2),
        call("multiply", &[0, 2]),
        call("multiply", &[1, 2]),
        call("less", &[1, 2]),
        call("where", &[5, 3, 4]),
    ];
    let fusion = Arc::new(Fusion::new(nodes));
    let single = Operand::Array(array(&[5], DType::F32, |index| index as f64));
    let byte = Operand::Array(array(&[5], DType::U8, |index| index as f64 * 40.0));
    for scalar in [
        PythonScalar::Int(3),
        PythonScalar::Int(100),
        PythonScalar::Float(0.1),
    ] {
        let operands = [single.clone(), byte.clone(), Operand::Scalar(scalar)];
        check(&fusion, &operands);
    }
    // It does not fit one of the uses.
    let operands = [single, byte, Operand::Scalar(PythonScalar::Int(300))];
    let error = evaluate(&fusion, &operands, None, None).unwrap_err();
    assert_eq!(error.node, Some(4));
    assert!(matches!(*error.error, Error::ScalarOverflow { .. }));
}

#[test]
fn what_is_not_needed_is_checked_but_not_computed() {
    let nodes = vec![
        Node::Input(0),
        Node::Input(1),
        call("bitwise_invert", &[1]),
        call("negative", &[0]),
    ];
    let fusion = Arc::new(Fusion::new(nodes));
    let x = Operand::Array(array(&[3], DType::F64, |_| 1.0));
    let wide = |dtype| Operand::Array(array(&[7], dtype, |_| 1.0));
    check(&fusion, &[x.clone(), wide(DType::I8)]);
    check(&fusion, &[x, wide(DType::F32)]);
}

#[test]
fn host_arrays_are_refused_by_name() {
    let nodes = vec![Node::Input(0), Node::Input(1), call("add", &[0, 1])];
    let names = ["prices", "rates"].map(str::to_owned);
    let fusion = Arc::new(Fusion::new(nodes).with_operand_names(names));
    let x = Operand::Array(array(&[3], DType::F64, |_| 1.0));
    let error = evaluate(&fusion, &[x, Operand::HostArray], None, None).unwrap_err();
    assert!(matches!(*error.error, Error::Placement(_)));
    let message = error.to_string();
    assert!(message.contains("cannot run an expression on host and device arrays"));
    assert!(message.contains("`rates` is a host array"), "{message}");
    let numbers = vec![Operand::Scalar(PythonScalar::Int(1)); 2];
    let error = evaluate(&fusion, &numbers, None, None).unwrap_err();
    assert!(matches!(*error.error, Error::NoArray { .. }));
}

#[test]
fn dtypes_are_known_without_arrays() {
    let nodes = vec![
        Node::Input(0),
        Node::Input(1),
        call("divide", &[0, 1]),
        number(2.0),
        call("multiply", &[2, 3]),
    ];
    let fusion = Fusion::new(nodes);
    let whole = [
        OperandType::Array(DType::I32),
        OperandType::Weak(PythonScalar::Int(3)),
    ];
    assert_eq!(fusion.dtype(&whole, DType::F64).unwrap(), DType::F64);
    assert_eq!(fusion.dtype(&whole, DType::F32).unwrap(), DType::F32);
    let single = [OperandType::Array(DType::F32), whole[1]];
    assert_eq!(fusion.dtype(&single, DType::F64).unwrap(), DType::F32);
    let refused = Fusion::new(vec![Node::Input(0), call("bitwise_invert", &[0])]);
    let error = refused.dtype(&single, DType::F64).unwrap_err();
    assert_eq!(error.node, Some(1));
}

#[test]
fn equal_expressions_share_their_kernels() {
    let nodes = |value| vec![Node::Input(0), number(value), call("add", &[0, 1])];
    let (one, same, other) = (
        Fusion::new(nodes(0.0)),
        Fusion::new(nodes(0.0)),
        Fusion::new(nodes(-0.0)),
    );
    assert_eq!(one, same);
    assert_eq!(one.kernel_name(), same.kernel_name());
    assert_ne!(one, other);
}

#[test]
#[should_panic(expected = "refers to nodes before it")]
fn nodes_refer_to_earlier_ones() {
    Fusion::new(vec![call("sin", &[0])]);
}

/// The real and imaginary part.
fn parts(literal: Literal) -> [f64; 2] {
    match number::cast(literal, DType::C128) {
        Literal::C128(value) => [value.re, value.im],
        other => panic!("{other:?} is no complex number"),
    }
}

/// Compares sums in different orders: they differ by roundings of numbers as large as what was added up.
fn assert_close(found: &Array, expected: &Array, scale: f64, what: &str) {
    assert_eq!(found.dtype(), expected.dtype(), "{what}");
    assert_eq!(found.shape(), expected.shape(), "{what}");
    let epsilon = match found.dtype().real() {
        DType::F16 => 2.0_f64.powi(-10),
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    let bound = 4.0 * epsilon * scale;
    for (found, expected) in elements(found).into_iter().zip(elements(expected)) {
        for (found, expected) in parts(found).into_iter().zip(parts(expected)) {
            let is_same = found == expected || (found.is_nan() && expected.is_nan());
            let distance = (found - expected).abs();
            assert!(
                is_same || distance <= bound,
                "{what}: {found}, not {expected} up to {bound}"
            );
        }
    }
}

const REDUCERS: [Reducer; 7] = [
    Reducer::Sum,
    Reducer::Prod,
    Reducer::Min,
    Reducer::Max,
    Reducer::Any,
    Reducer::All,
    Reducer::Mean,
];

/// Reduces in one pass and by way of an array, and compares.
fn check_reduced(fusion: &Arc<Fusion>, operands: &[Operand], over: Over<'_>, reducer: Reducer) {
    let what = format!("{reducer:?} over {:?} of {fusion}", over.axes);
    let queue = queue();
    let over = Over {
        queue: Some(&queue),
        ..over
    };
    let found = reduce(fusion, operands, reducer, over, None);
    let whole = match evaluate(fusion, operands, None, over.queue) {
        Ok(whole) => whole,
        Err(expected) => {
            let found = found.expect_err(&what);
            assert_eq!(found.node, expected.node, "{what}");
            assert_eq!(found.to_string(), expected.to_string(), "{what}");
            return;
        }
    };
    match (found, reduce_array(&whole, reducer, over, None)) {
        (Ok(found), Ok(expected)) => {
            let is_exact = !found.dtype().is_float() && !found.dtype().is_complex();
            if is_exact || matches!(reducer, Reducer::Min | Reducer::Max) {
                assert_same(&found, &expected, &what);
                return;
            }
            let magnitudes = elements(&whole).into_iter().flat_map(parts).map(f64::abs);
            let scale: f64 = magnitudes.filter(|value| !value.is_nan()).sum();
            // Products grow too quickly to say what another order makes of them, and so do numbers that are huge already.
            if reducer != Reducer::Prod && scale < 1e200 {
                assert_close(&found, &expected, scale, &what);
            }
        }
        (Err(found), Err(expected)) => {
            assert_eq!(found.node, None, "{what}");
            assert_eq!(found.to_string(), expected.to_string(), "{what}");
        }
        (found, expected) => panic!("{what}: {found:?}, not {expected:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_expressions_are_reduced_as_their_arrays_are(
        choices in prop::collection::vec(any::<u32>(), 96),
        shape in prop::sample::select(vec![
            vec![],
            vec![5],
            vec![2100],
            vec![3, 1100],
            vec![300, 40],
            vec![33, 5],
            vec![2, 3, 40],
            vec![4, 1, 33],
            vec![0, 3],
        ]),
        keepdims in any::<bool>(),
        reducer in prop::sample::select(REDUCERS.to_vec()),
    ) {
        let mut choices = Choices(choices.into_iter());
        let count = 1 + choices.below(3);
        let operands: Vec<_> = (0..count).map(|_| choices.operand(&shape)).collect();
        let axes: Vec<i64> = (0..shape.len() as i64).filter(|_| choices.below(2) == 1).collect();
        let axes = (choices.below(4) > 0).then_some(axes);
        let fusion = Arc::new(choices.fusion(count));
        let over = Over { axes: axes.as_deref(), keepdims, queue: None };
        check_reduced(&fusion, &operands, over, reducer);
    }
}

#[test]
fn every_walk_reduces_operands_at_several_places() {
    let size = |index: usize| (index % 17) as f64 / 4.0 - 1.5;
    let nodes = vec![
        Node::Input(0),
        Node::Input(1),
        Node::Input(2),
        call("subtract", &[0, 1]),
        Node::Constant(PythonScalar::Int(2)),
        call("pow", &[3, 4]),
        call("multiply", &[5, 2]),
    ];
    let fusion = Arc::new(Fusion::new(nodes));
    for shape in [[3, 1500], [600, 64], [70, 3]] {
        let whole = Operand::Array(array(&shape, DType::F32, size));
        let turned = array(&[shape[1], shape[0]], DType::F32, size);
        let turned = Operand::Array(turned.with_layout(turned.layout().permuted(&[1, 0])));
        let row = Operand::Array(array(&shape[1..], DType::F32, size));
        let column = Operand::Array(array(&[shape[0], 1], DType::F32, size));
        for operands in [
            [whole.clone(), turned.clone(), row.clone()],
            [whole.clone(), row.clone(), column.clone()],
            [turned.clone(), turned, column.clone()],
            [row, column, whole],
        ] {
            for axes in [None, Some(&[0][..]), Some(&[1])] {
                for reducer in [Reducer::Sum, Reducer::Min] {
                    let over = Over {
                        axes,
                        ..Over::default()
                    };
                    check_reduced(&fusion, &operands, over, reducer);
                }
            }
        }
    }
}

/// The reference device finds accesses outside of arrays and reads of what nobody has written.
#[test]
fn every_access_of_fused_reductions_is_in_place() {
    let queue = default_queue(&situ_runtime::select("reference").expect("it is always there"));
    let size = |index: usize| (index % 7) as f64;
    for name in ["exp", "negative"] {
        let nodes = vec![
            Node::Input(0),
            Node::Input(1),
            call("subtract", &[0, 1]),
            call(name, &[2]),
        ];
        let fusion = Arc::new(Fusion::new(nodes));
        for shape in [[2, 1100], [300, 2], [3, 300], [3, 40]] {
            let x = array_on(&queue, &shape, DType::F32, size);
            let row = array_on(&queue, &shape[1..], DType::F32, size);
            let operands = [Operand::Array(x), Operand::Array(row)];
            for axes in [None, Some(&[0][..]), Some(&[1])] {
                let over = Over {
                    axes,
                    ..Over::default()
                };
                let found = reduce(&fusion, &operands, Reducer::Sum, over, None).unwrap();
                let whole = evaluate(&fusion, &operands, None, None).unwrap();
                let expected = reduce_array(&whole, Reducer::Sum, over, None).unwrap();
                // It is what runs the kernels that complains.
                queue.wait().unwrap();
                assert_close(
                    &found,
                    &expected,
                    1000.0,
                    &format!("{name} of {shape:?} over {axes:?}"),
                );
            }
        }
    }
}

#[test]
fn sums_of_single_precision_are_accurate() {
    // A tenth is not exact, and its square is not either; added one by one they would lose three digits.
    let count = 300_000;
    let x = array(&[count], DType::F32, |_| 0.1);
    let nodes = vec![Node::Input(0), call("multiply", &[0, 0])];
    let fusion = Arc::new(Fusion::new(nodes));
    let sum = reduce(
        &fusion,
        &[Operand::Array(x)],
        Reducer::Sum,
        Over::default(),
        None,
    )
    .unwrap();
    let exact = f64::from(0.1_f32 * 0.1_f32) * count as f64;
    assert_eq!(elements(&sum), vec![Literal::F32(exact as f32)]);
}

#[test]
fn sums_and_means_take_a_dtype() {
    let x = Operand::Array(array(&[7], DType::I8, |index| index as f64 * 20.0));
    let nodes = vec![Node::Input(0), Node::Input(0), call("add", &[0, 1])];
    let fusion = Arc::new(Fusion::new(nodes));
    for dtype in [DType::F32, DType::I8, DType::U64, DType::C64] {
        for reducer in [Reducer::Sum, Reducer::Prod, Reducer::Mean] {
            let operands = std::slice::from_ref(&x);
            let over = Over::default();
            let found = reduce(&fusion, operands, reducer, over, Some(dtype)).unwrap();
            let whole = evaluate(&fusion, operands, None, None).unwrap();
            let expected = reduce_array(&whole, reducer, over, Some(dtype)).unwrap();
            assert_same(&found, &expected, &format!("{reducer:?} as {dtype}"));
        }
    }
}

#[test]
fn reductions_follow() {
    let x = Operand::Array(array(&[4, 5], DType::F32, |index| index as f64));
    let nodes = vec![Node::Input(0), number(1.0), call("add", &[0, 1])];
    let fusion = Arc::new(Fusion::new(nodes));
    let over = Over {
        axes: Some(&[1]),
        ..Over::default()
    };
    let sums = reduce(&fusion, std::slice::from_ref(&x), Reducer::Sum, over, None).unwrap();
    let expected: Vec<_> = [15.0, 40.0, 65.0, 90.0].map(Literal::F32).to_vec();
    assert_eq!(elements(&sums), expected);
    let all = reduce(&fusion, &[x], Reducer::Max, Over::default(), None).unwrap();
    assert_eq!(elements(&all), vec![Literal::F32(20.0)]);
}

#[test]
fn expressions_of_few_elements_are_evaluated_at_once() {
    let x = array(&[2, 3], DType::F64, |index| index as f64);
    let y = array(&[2, 3], DType::F32, |index| index as f64 + 0.5);
    let nodes = vec![
        Node::Input(0),
        Node::Input(1),
        Node::Input(2),
        call("multiply", &[0, 1]),
        call("add", &[3, 2]),
        number(2.0),
        call("subtract", &[4, 5]),
    ];
    let fusion = Arc::new(Fusion::new(nodes));
    let operands = |scalar| {
        [
            Operand::Array(x.clone()),
            Operand::Array(y.clone()),
            Operand::Scalar(PythonScalar::Float(scalar)),
        ]
    };
    assert!(
        evaluate_at_once(&fusion, &operands(1.0)).is_none(),
        "it is not compiled yet"
    );
    // As many launches as it takes to know what the kernel costs.
    let at_once = (0..1000).find_map(|_| {
        let usual = evaluate(&fusion, &operands(1.0), None, None).unwrap();
        usual.queue().wait().unwrap();
        drop(usual);
        evaluate_at_once(&fusion, &operands(7.0))
    });
    let expected = evaluate(&fusion, &operands(7.0), None, None).unwrap();
    assert_same(&at_once.unwrap(), &expected, "another number");
    let transposed = x.with_layout(Layout::from_parts(&[3, 2], &[1, 3], 0));
    let transposed = Operand::Array(transposed);
    let strided = [transposed.clone(), transposed, operands(1.0)[2].clone()];
    assert!(evaluate_at_once(&fusion, &strided).is_none());
}
