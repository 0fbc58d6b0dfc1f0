//! How fast are decompositions of matrices, by one thread and by two? The quickest of several, so that other work on the
//! machine counts for little.
//!
//! Words after `--` choose among the lines: `cargo bench -p situ-host --bench decompositions -- det 3162`.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::env;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use situ_host::decomposition::batch::Batch;
use situ_host::decomposition::factor::Triangle;
use situ_host::{Element, Precision, Threads};

const SIZES: [usize; 6] = [100, 316, 500, 1000, 2048, 3162];

/// How long each line is measured.
const MEASURED: Duration = Duration::from_secs(2);

/// A decomposition, and how many operations it takes: a part of the cube of the size.
struct Decomposition {
    name: &'static str,
    operations: f64,
    /// Whether it is one of symmetric matrices that are positive definite, and not of any.
    is_of_positive: bool,
    run: fn(Batch<'_>, usize, &mut [u8]),
}

const DECOMPOSITIONS: [Decomposition; 3] = [
    Decomposition {
        name: "det",
        operations: 2.0 / 3.0,
        is_of_positive: false,
        run: |batch, size, out| batch.determinants(size, &mut out[..8]).expect("an answer"),
    },
    Decomposition {
        name: "inv",
        operations: 2.0,
        is_of_positive: false,
        run: |batch, size, out| batch.inverses(size, out).expect("a regular matrix"),
    },
    Decomposition {
        name: "cholesky",
        operations: 1.0 / 3.0,
        is_of_positive: true,
        run: |batch, size, out| {
            batch
                .cholesky(size, Triangle::Lower, out)
                .expect("a positive matrix");
        },
    },
];

fn main() {
    let words: Vec<String> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let pools = [1, 2].map(|count| {
        let pool = ThreadPoolBuilder::new().num_threads(count).build();
        pool.expect("there are threads")
    });
    for decomposition in DECOMPOSITIONS {
        for size in SIZES {
            let line = format!("{} {size}²", decomposition.name);
            if !words.iter().all(|word| line.contains(word.as_str())) {
                continue;
            }
            let [alone, shared] = seconds(&decomposition, size, &pools);
            let rate = 1e-9 * decomposition.operations * (size as f64).powi(3);
            println!(
                "{line:20} {:9.3} ms {:6.1} GFLOP/s   {:9.3} ms {:6.1} GFLOP/s",
                alone * 1e3,
                rate / alone,
                shared * 1e3,
                rate / shared
            );
        }
    }
}

/// The shortest times by one thread and by two, in turns.
fn seconds(decomposition: &Decomposition, size: usize, pools: &[ThreadPool; 2]) -> [f64; 2] {
    let number = |i: usize| {
        let (row, column) = (i / size, i % size);
        let noise = |row: usize, column: usize| ((row * row * 31 + column * 17) as f64).sin();
        match decomposition.is_of_positive {
            true if row == column => size as f64,
            true => noise(row.min(column), row.max(column)),
            false => noise(row, column),
        }
    };
    let matrix: Vec<f64> = (0..size * size).map(number).collect();
    let mut room = vec![0_u8; size * size * 8];
    let mut out = vec![0_u8; size * size * 8];
    let all_threads = pools.each_ref().map(|pool| Threads::new(Some(pool)));
    let mut best = [f64::INFINITY; 2];
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds < 4 || begin.elapsed() < MEASURED {
        for (best, threads) in best.iter_mut().zip(all_threads) {
            let batch = Batch {
                element: Element::Real(Precision::Double),
                matrices: bytemuck::cast_slice(&matrix),
                room: Some(&mut room),
                threads,
            };
            let start = Instant::now();
            (decomposition.run)(batch, size, &mut out);
            *best = best.min(start.elapsed().as_secs_f64());
        }
        rounds += 1;
    }
    best
}
