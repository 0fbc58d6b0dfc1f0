//! What does fusing an expression save, and what does calling one cost?
//!
//! Expressions are evaluated in one kernel and by one call after the other, sums of them in one pass and by way of an
//! array. The last lines are of arrays so small that only the call itself takes time.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::sync::Arc;
use std::time::Instant;

use situ_array::Array;
use situ_array::functions::apply::{Operand, apply};
use situ_array::functions::creation::full;
use situ_array::functions::elementwise::find;
use situ_array::functions::fusion::{Fusion, Node, Reducer, evaluate, reduce};
use situ_array::functions::statistical::{Nan, Over, sum};
use situ_array::placement::default_queue;
use situ_ir::promotion::PythonScalar;
use situ_ir::{DType, Literal};
use situ_runtime::{Device, Queue, UsmKind};

/// How often each action is timed; the quickest counts, because other work only ever adds time.
const ROUNDS: usize = 30;

/// Milliseconds of each action, the rounds of all of them interleaved.
fn quickest_ms(queue: &Queue, actions: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut times = vec![f64::INFINITY; actions.len()];
    for _ in 0..ROUNDS {
        for (time, action) in times.iter_mut().zip(actions.iter_mut()) {
            let start = Instant::now();
            action();
            queue.wait().expect("the work is done");
            *time = time.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    times
}

fn call(name: &str, operands: &[usize]) -> Node {
    Node::Apply {
        function: find(name).expect("the table has it"),
        operands: operands.into(),
    }
}

fn number(value: f64) -> Node {
    Node::Constant(PythonScalar::Float(value))
}

/// One call after the other.
fn one_by_one(fusion: &Fusion, operands: &[Operand]) -> Operand {
    let mut values: Vec<Operand> = Vec::new();
    for node in fusion.nodes() {
        values.push(match node {
            Node::Input(operand) => operands[*operand].clone(),
            Node::Constant(scalar) => Operand::Scalar(*scalar),
            Node::Apply { function, operands } => {
                let operands: Vec<_> = operands.iter().map(|&node| values[node].clone()).collect();
                Operand::Array(apply(function, &operands, None, None).expect("it is applied"))
            }
            Node::Cast { .. } => panic!("these expressions have none"),
        });
    }
    values.pop().expect("there is a node")
}

/// `a*b + c - d`.
fn chain() -> Fusion {
    let mut nodes: Vec<_> = (0..4).map(Node::Input).collect();
    nodes.push(call("multiply", &[0, 1]));
    nodes.push(call("add", &[4, 2]));
    nodes.push(call("subtract", &[5, 3]));
    Fusion::new(nodes)
}

/// The price of a call option; the normal distribution by way of `tanh`.
fn black_scholes() -> Fusion {
    Fusion::new(vec![
        Node::Input(0),              // 0: price
        Node::Input(1),              // 1: strike
        Node::Input(2),              // 2: time
        number(0.1),                 // 3: rate
        number(0.2),                 // 4: volatility
        call("divide", &[0, 1]),     // 5
        call("log", &[5]),           // 6
        number(0.12),                // 7: rate + volatility**2 / 2
        call("multiply", &[2, 7]),   // 8
        call("add", &[6, 8]),        // 9
        call("sqrt", &[2]),          // 10
        call("multiply", &[10, 4]),  // 11
        call("divide", &[9, 11]),    // 12: d1
        call("subtract", &[12, 11]), // 13: d2
        number(0.8),                 // 14
        call("multiply", &[12, 14]), // 15
        call("tanh", &[15]),         // 16
        call("multiply", &[13, 14]), // 17
        call("tanh", &[17]),         // 18
        number(1.0),                 // 19
        call("add", &[16, 19]),      // 20
        call("add", &[18, 19]),      // 21
        call("multiply", &[0, 20]),  // 22
        call("negative", &[2]),      // 23
        call("multiply", &[23, 3]),  // 24
        call("exp", &[24]),          // 25
        call("multiply", &[1, 25]),  // 26
        call("multiply", &[26, 21]), // 27
        call("subtract", &[22, 27]), // 28
    ])
}

/// `(x - y)**2`.
fn squared_distance() -> Fusion {
    let two = Node::Constant(PythonScalar::Int(2));
    let (difference, square) = (call("subtract", &[0, 1]), call("pow", &[2, 3]));
    Fusion::new(vec![
        Node::Input(0),
        Node::Input(1),
        difference,
        two,
        square,
    ])
}

/// `exp(x - y)`.
fn exponential() -> Fusion {
    let (difference, power) = (call("subtract", &[0, 1]), call("exp", &[2]));
    Fusion::new(vec![Node::Input(0), Node::Input(1), difference, power])
}

fn filled(shape: &[usize], dtype: DType, queue: &Queue) -> Operand {
    let value = Literal::from_f64(dtype, 1.5);
    Operand::Array(full(shape, value, queue, UsmKind::Device).expect("there is memory"))
}

fn array(operand: Operand) -> Array {
    match operand {
        Operand::Array(array) => array,
        other => panic!("{other:?} is no array"),
    }
}

fn evaluations(queue: &Queue) {
    let expressions = [
        ("a*b + c - d", chain(), 4, 10_000_000),
        ("Black-Scholes", black_scholes(), 3, 1_000_000),
    ];
    for (name, fusion, count, size) in expressions {
        let fusion = Arc::new(fusion);
        for dtype in [DType::F32, DType::F64] {
            let operands: Vec<_> = (0..count).map(|_| filled(&[size], dtype, queue)).collect();
            let out = array(filled(&[size], dtype, queue));
            let times = quickest_ms(
                queue,
                &mut [
                    &mut || {
                        evaluate(&fusion, &operands, Some(&out), None).expect("it is evaluated");
                    },
                    &mut || {
                        one_by_one(&fusion, &operands);
                    },
                ],
            );
            let bytes = ((count + 1) * size * dtype.size_bytes()) as f64;
            println!(
                "{name}, {size} {dtype}: {:.2} ms fused ({:.1} GB/s), {:.2} ms one by one",
                times[0],
                bytes / times[0] / 1e6,
                times[1]
            );
        }
    }
}

fn reductions(queue: &Queue) {
    let expressions = [
        ("(x - y)**2", squared_distance()),
        ("exp(x - y)", exponential()),
    ];
    let shapes: [(&[usize], Option<&[i64]>); 3] = [
        (&[9_000_000], None),
        (&[3000, 3000], Some(&[0])),
        (&[3000, 3000], Some(&[1])),
    ];
    for (name, fusion) in expressions {
        let fusion = Arc::new(fusion);
        for dtype in [DType::F32, DType::F64] {
            for (shape, axes) in shapes {
                let operands = [filled(shape, dtype, queue), filled(shape, dtype, queue)];
                let x = array(operands[0].clone());
                let over = Over {
                    axes,
                    ..Over::default()
                };
                let by_way_of_array = || {
                    let whole = evaluate(&fusion, &operands, None, None).expect("it is evaluated");
                    sum(&whole, None, Nan::Counts, over).expect("it is summed");
                };
                let times = quickest_ms(
                    queue,
                    &mut [
                        &mut || {
                            reduce(&fusion, &operands, Reducer::Sum, over, None)
                                .expect("it is summed");
                        },
                        &mut || by_way_of_array(),
                        &mut || {
                            evaluate(&fusion, &operands, None, None).expect("it is evaluated");
                        },
                        &mut || {
                            sum(&x, None, Nan::Counts, over).expect("it is summed");
                        },
                    ],
                );
                println!(
                    "sum of {name}, {dtype} {shape:?} over {axes:?}: {:.2} ms in one pass, {:.2} ms by way of an \
                     array; {:.2} ms the expression alone, {:.2} ms the sum of x",
                    times[0], times[1], times[2], times[3]
                );
            }
        }
    }
}

fn calls(queue: &Queue) {
    let operands: Vec<_> = (0..4).map(|_| filled(&[10], DType::F64, queue)).collect();
    let out = array(filled(&[10], DType::F64, queue));
    let (chain, options) = (Arc::new(chain()), Arc::new(black_scholes()));
    let add = find("add").expect("the table has it");
    let repeat = 1000;
    let mut times = quickest_ms(
        queue,
        &mut [
            &mut || {
                for _ in 0..repeat {
                    apply(add, &operands[..2], Some(&out), None).expect("it is applied");
                }
            },
            &mut || {
                for _ in 0..repeat {
                    evaluate(&chain, &operands, Some(&out), None).expect("it is evaluated");
                }
            },
            &mut || {
                for _ in 0..repeat {
                    evaluate(&options, &operands, Some(&out), None).expect("it is evaluated");
                }
            },
        ],
    );
    for time in &mut times {
        *time *= 1e3 / f64::from(repeat);
    }
    println!(
        "a call with 10 elements: {:.2} us `add`, {:.2} us a*b + c - d, {:.2} us Black-Scholes",
        times[0], times[1], times[2]
    );
}

fn main() {
    let queue = default_queue(&Device::default_device());
    let start = Instant::now();
    let operands: Vec<_> = (0..3).map(|_| filled(&[10], DType::F64, &queue)).collect();
    let first = start.elapsed().as_secs_f64() * 1e3;
    let fusion = Arc::new(black_scholes());
    evaluate(&fusion, &operands, None, None).expect("it is evaluated");
    let all = start.elapsed().as_secs_f64() * 1e3;
    println!(
        "first Black-Scholes: {:.1} ms (compiled, or from disk)",
        all - first
    );
    calls(&queue);
    evaluations(&queue);
    reductions(&queue);
}
