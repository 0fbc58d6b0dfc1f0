//! Reflections that leave one number of a vector.
#![expect(
    clippy::inline_always,
    reason = "what is inlined is compiled for the instructions of its caller"
)]

use super::field::Float;
use super::lanes::{Lanes, WIDTH, at, sum};
use crate::vectorised::{Loops, Simd};

/// What belongs to a reflection `1 - factor v vᵀ`, apart from its vector `v`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reflection<T> {
    /// What is left of the vector that was reflected.
    pub(super) left: T,
    /// Zero if nothing is reflected, and else two over the square of the vector's length.
    pub(super) factor: T,
}

impl<T: Float> Reflection<T> {
    /// The reflection that leaves zeros behind the number at `head`. The vector becomes that of the reflection: nothing
    /// before the head, and one at it.
    pub(super) fn of(vector: &mut [Lanes<T>], head: usize) -> Self {
        let first = at(vector, head);
        let found = Self::try_of(vector, head).or_else(|| {
            // Squares may be too small for a number; those of a multiple are not, unless the head is very much larger.
            let vector = &mut vector[head / WIDTH..];
            let largest = largest(vector);
            // The reciprocals of the smallest numbers are infinite. They are nothing beside the largest of the matrix.
            if !T::RECIPROCALS.contains(&largest) {
                return None;
            }
            let power = largest.exponent();
            scale(vector, -power);
            let found = Self::try_of(vector, head % WIDTH)?;
            Some(Self {
                left: found.left.times_power_of_two(power),
                ..found
            })
        });
        found.unwrap_or_else(|| {
            vector[head / WIDTH..].fill(Lanes::ZERO);
            vector[head / WIDTH].0[head % WIDTH] = T::ONE;
            Self {
                left: first,
                factor: T::ZERO,
            }
        })
    }

    fn try_of(vector: &mut [Lanes<T>], head: usize) -> Option<Self> {
        let vector = &mut vector[head / WIDTH..];
        let lane = head % WIDTH;
        let first = vector[0].0[lane];
        vector[0] = vector[0].without_first(lane + 1);
        let square = T::vectorised(Square(vector));
        vector[0].0[lane] = first;
        if square < T::SMALL_SQUARE {
            return None;
        }
        let length = first.times_plus(first, square).root();
        let left = if first < T::ZERO { length } else { -length };
        let divisor = first - left;
        T::vectorised(Multiple(vector, T::ONE / divisor));
        vector[0].0[lane] = T::ONE;
        let factor = -divisor / left;
        Some(Self { left, factor })
    }
}

/// The largest distance of a number from zero.
fn largest<T: Float>(vector: &[Lanes<T>]) -> T {
    let numbers = vector.iter().flat_map(|lanes| lanes.0);
    numbers.fold(T::ZERO, |largest, number| {
        largest.larger(number).larger(-number)
    })
}

fn scale<T: Float>(vector: &mut [Lanes<T>], power: i32) {
    for number in vector.iter_mut().flat_map(|lanes| &mut lanes.0) {
        *number = number.times_power_of_two(power);
    }
}

/// The sum of squares.
struct Square<'a, T>(&'a [Lanes<T>]);

impl<T: Float> Loops<T> for Square<'_, T> {
    type Found = T;

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) -> T {
        let (mut even, mut odd) = (simd.splat(T::ZERO), simd.splat(T::ZERO));
        let (pairs, rest) = self.0.as_chunks::<2>();
        for [one, other] in pairs {
            let (one, other) = (simd.load(one), simd.load(other));
            even = simd.multiply_add(one, one, even);
            odd = simd.multiply_add(other, other, odd);
        }
        for one in rest {
            let one = simd.load(one);
            even = simd.multiply_add(one, one, even);
        }
        sum(simd, simd.add(even, odd))
    }
}

/// Multiplies all numbers.
struct Multiple<'a, T>(&'a mut [Lanes<T>], T);

impl<T: Float> Loops<T> for Multiple<'_, T> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) {
        let (zero, factor) = (simd.splat(T::ZERO), simd.splat(self.1));
        for lanes in self.0 {
            simd.store(simd.multiply_add(simd.load(lanes), factor, zero), lanes);
        }
    }
}
