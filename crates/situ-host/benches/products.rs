//! How fast are products of matrices, by one thread and by two? The quickest of many, so that other work on the machine
//! counts for little.
//!
//! Words after `--` choose among the lines: `cargo bench -p situ-host --bench products -- float32 2048`.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::env;
use std::time::{Duration, Instant};

use situ_host::matrix_product::{BatchProduct, Order};
use situ_host::{Element, Precision, Threads};

/// Rows, depth, and columns.
const SHAPES: [[usize; 3]; 14] = [
    [32, 32, 32],
    [64, 64, 64],
    [100, 100, 100],
    [128, 128, 128],
    [215, 215, 215],
    [256, 256, 256],
    [512, 512, 512],
    [1000, 1000, 1000],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [4096, 64, 4096],
    [64, 4096, 64],
    [10_000, 30, 30],
    [1000, 96, 144],
];

/// How long each line is measured.
const MEASURED: Duration = Duration::from_millis(400);

fn main() {
    let words: Vec<String> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("there are threads");
    for (name, precision) in [
        ("float32", Precision::Single),
        ("float64", Precision::Double),
    ] {
        for shape in SHAPES {
            for orders in [
                [Order::ByRows, Order::ByRows],
                [Order::ByColumns, Order::ByRows],
                [Order::ByRows, Order::ByColumns],
                [Order::ByColumns, Order::ByColumns],
            ] {
                let [rows, inner, columns] = shape;
                let order = |order| if order == Order::ByRows { "" } else { ".T" };
                let line = format!(
                    "{name} {rows}x{inner}{} @ {inner}x{columns}{}",
                    order(orders[0]),
                    order(orders[1])
                );
                let is_plain = orders == [Order::ByRows; 2];
                let is_chosen = words.iter().all(|word| line.contains(word.as_str()));
                if !is_chosen || words.is_empty() && !is_plain && rows != 1000 {
                    continue;
                }
                let plan = BatchProduct {
                    rows,
                    inner,
                    columns,
                    left_order: orders[0],
                    right_order: orders[1],
                    matrices: vec![[0, 0]],
                };
                let [alone, shared] = seconds(&plan, precision, &pool);
                let rate = 2e-9 * rows as f64 * inner as f64 * columns as f64;
                println!(
                    "{line:40} {:9.4} ms {:6.1} GFLOP/s   {:9.4} ms {:6.1} GFLOP/s",
                    alone * 1e3,
                    rate / alone,
                    shared * 1e3,
                    rate / shared
                );
            }
        }
    }
}

/// The shortest times by one thread and by two, in turns.
fn seconds(plan: &BatchProduct, precision: Precision, pool: &rayon::ThreadPool) -> [f64; 2] {
    let size = match precision {
        Precision::Single => 4,
        Precision::Double => 8,
    };
    let numbers = |count: usize| -> Vec<u8> {
        let number = |i: usize| (i * 7 % 13) as f64 * 0.3 - 1.7;
        match precision {
            Precision::Single => (0..count)
                .flat_map(|i| (number(i) as f32).to_ne_bytes())
                .collect(),
            Precision::Double => (0..count).flat_map(|i| number(i).to_ne_bytes()).collect(),
        }
    };
    let left = numbers(plan.rows * plan.inner);
    let right = numbers(plan.inner * plan.columns);
    let mut out = vec![0_u8; plan.rows * plan.columns * size];
    let all_threads = [Threads::new(None), Threads::new(Some(pool))];
    let mut best = [f64::INFINITY; 2];
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds < 5 || begin.elapsed() < MEASURED {
        for (best, threads) in best.iter_mut().zip(all_threads) {
            let start = Instant::now();
            plan.run(Element::Real(precision), [&left, &right], &mut out, threads);
            *best = best.min(start.elapsed().as_secs_f64());
        }
        rounds += 1;
    }
    best
}
