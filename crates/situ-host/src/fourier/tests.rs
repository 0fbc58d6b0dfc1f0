//! Transforms against their definition, and long ones against what they must keep.

use std::f64::consts::PI;

use super::line::half_len;
use super::*;

type Number = Complex<f64>;

/// Numbers without any pattern, the same every time.
fn numbers(count: usize) -> Vec<f64> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

fn complex_numbers(count: usize) -> Vec<Number> {
    let parts = numbers(2 * count);
    parts
        .chunks_exact(2)
        .map(|pair| Complex::new(pair[0], pair[1]))
        .collect()
}

/// The transform of one line by its definition.
fn defined(line: &[Number], is_inverse: bool) -> Vec<Number> {
    let length = line.len();
    let sign = if is_inverse { 2.0 } else { -2.0 };
    let at = |k: usize| {
        let terms = line.iter().enumerate();
        let turned = terms.map(|(j, x)| {
            let angle = sign * PI * ((j * k) % length) as f64 / length as f64;
            x * Complex::from_polar(1.0, angle)
        });
        turned.sum()
    };
    (0..length).map(at).collect()
}

/// Every line of `source` along the middle of three axes, by its definition.
fn defined_lines(source: &[Number], length: usize, inner: usize, is_inverse: bool) -> Vec<Number> {
    let mut target = vec![Number::default(); source.len()];
    for block in (0..source.len()).step_by(length * inner) {
        for column in 0..inner {
            let place = |k: usize| block + k * inner + column;
            let line: Vec<_> = (0..length).map(|k| source[place(k)]).collect();
            for (k, number) in defined(&line, is_inverse).into_iter().enumerate() {
                target[place(k)] = number;
            }
        }
    }
    target
}

fn pass(elements: Elements, length: usize, inner: usize, is_inverse: bool) -> Pass {
    Pass {
        elements,
        is_inverse,
        length,
        inner,
        scale: 1.0,
    }
}

fn run<I: Pod, O: Pod>(pass: &Pass, source: &[I], count: usize) -> Vec<O> {
    let mut target = vec![O::zeroed(); count];
    let mut scratch = vec![Number::default(); pass.scratch_len_in::<f64>()];
    let bytes = bytemuck::cast_slice(source);
    pass.run_in(bytes, bytemuck::cast_slice_mut(&mut target), &mut scratch);
    target
}

fn assert_close(found: &[Number], expected: &[Number], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let worst = found
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).norm())
        .fold(0.0, f64::max);
    assert!(worst < tolerance, "off by {worst}");
}

/// Outer, length and inner: lines alone, side by side, more than a tile, in many blocks.
const SHAPES: [(usize, usize, usize); 9] = [
    (1, 1, 1),
    (1, 2, 1),
    (3, 7, 1),
    (1, 12, 5),
    (2, 30, 9),
    (50, 4, 3),
    (900, 8, 5),
    (1, 64, 700),
    (700, 64, 1),
];

#[test]
fn complex_lines_are_transformed_as_defined() {
    for (outer, length, inner) in SHAPES {
        let source = complex_numbers(outer * length * inner);
        for is_inverse in [false, true] {
            let pass = pass(Elements::Complex, length, inner, is_inverse);
            let found = run(&pass, &source, source.len());
            let expected = defined_lines(&source, length, inner, is_inverse);
            assert_close(&found, &expected, 1e-12);
        }
    }
}

#[test]
fn real_lines_are_transformed_as_complex_ones() {
    for (outer, length, inner) in SHAPES {
        let source = numbers(outer * length * inner);
        let complex: Vec<Number> = source.iter().map(|&x| x.into()).collect();
        for is_inverse in [false, true] {
            let expected = defined_lines(&complex, length, inner, is_inverse);
            let whole = pass(Elements::Real, length, inner, is_inverse);
            assert_close(&run(&whole, &source, source.len()), &expected, 1e-12);
            let half = pass(Elements::RealToHalf, length, inner, is_inverse);
            let kept = half_len(length) * inner;
            let expected: Vec<_> = expected
                .chunks_exact(length * inner)
                .flat_map(|block| block[..kept].iter().copied())
                .collect();
            let found: Vec<Number> = run(&half, &source, outer * kept);
            assert_close(&found, &expected, 1e-12);
            // And back, in the other direction.
            let back = pass(Elements::HalfToReal, length, inner, !is_inverse);
            let again: Vec<f64> = run(&back, &found, source.len());
            for (x, y) in again.iter().zip(&source) {
                assert!((x / length as f64 - y).abs() < 1e-14, "{length} {inner}");
            }
        }
    }
}

/// Lengths for all ways of long lines: many factors, a square of a prime, a prime, twice a prime.
const LONG_LENGTHS: [usize; 5] = [1 << 16, 100_000, 263 * 263, 65_537, 2 * 65_537];

#[test]
fn long_lines_are_transformed_as_defined() {
    for length in LONG_LENGTHS {
        let source = complex_numbers(length);
        for is_inverse in [false, true] {
            let pass = pass(Elements::Complex, length, 1, is_inverse);
            let found: Vec<Number> = run(&pass, &source, length);
            let sign = if is_inverse { 2.0 } else { -2.0 };
            for k in [0, 1, 2, 255, length / 3, length / 2, length - 1] {
                let turned = source.iter().enumerate().map(|(j, x)| {
                    let turns = ((j * k) % length) as f64 / length as f64;
                    x * Complex::from_polar(1.0, sign * PI * turns)
                });
                let expected: Number = turned.sum();
                let error = (found[k] - expected).norm();
                assert!(error < 1e-9, "element {k} of {length} is off by {error}");
            }
        }
    }
}

#[test]
fn long_real_lines_come_back() {
    for length in LONG_LENGTHS.into_iter().chain([(1 << 17) + 1, 1 << 18]) {
        for inner in [1, 2] {
            let source = numbers(length * inner);
            let there = pass(Elements::RealToHalf, length, inner, false);
            let half: Vec<Number> = run(&there, &source, half_len(length) * inner);
            let complex: Vec<Number> = source.iter().map(|&x| x.into()).collect();
            let whole = pass(Elements::Complex, length, inner, false);
            let expected: Vec<Number> = run(&whole, &complex, length * inner);
            assert_close(&half, &expected[..half.len()], 1e-10);
            let mirrored = pass(Elements::Real, length, inner, false);
            assert_close(&run(&mirrored, &source, length * inner), &expected, 1e-10);
            let back = Pass {
                scale: 1.0 / length as f64,
                ..pass(Elements::HalfToReal, length, inner, true)
            };
            let again: Vec<f64> = run(&back, &half, source.len());
            for (x, y) in again.iter().zip(&source) {
                assert!((x - y).abs() < 1e-13, "{length}");
            }
        }
    }
}

#[test]
fn single_precision_is_used_for_single_precision() {
    let source: Vec<f32> = numbers(1000).iter().map(|&x| x as f32).collect();
    let there = pass(Elements::RealToHalf, 1000, 1, false);
    let mut half = vec![Complex::<f32>::default(); 501];
    let (from, to) = (
        bytemuck::cast_slice(&source),
        bytemuck::cast_slice_mut(&mut half),
    );
    there.run_in::<f32>(from, to, &mut []);
    let wide: Vec<Number> = source.iter().map(|&x| f64::from(x).into()).collect();
    for (found, expected) in half.iter().zip(defined(&wide, false)) {
        assert!((f64::from(found.re) - expected.re).abs() < 2e-5);
        assert!((f64::from(found.im) - expected.im).abs() < 2e-5);
    }
}
