//! The secular equation `1 + Σ wⱼ² / (pⱼ - λ) = 0`, whose roots are the eigenvalues of a diagonal matrix `p` to which
//! `w wᵀ` is added.
//!
//! Halves of a problem are put together by it, when eigenvalues or singular values are found by dividing and conquering.
//! There is one root to the right of every pole, before the next one. It is known by its distance from the closer pole, and so are its distances from all other poles, to
//! almost all digits however close they are; and from these the weights are found again for which the roots are exact, by Löwner's formula. That makes vectors
//! orthogonal that are formed from them (Gu and Eisenstat).
//!
//! For singular values the poles are squares. Differences of squares are products of a sum and a difference, so nothing else is new
//! about them ([`Poles`]).
//!
//! Weights that are zero, and poles that are the same, must have been [set aside](super::deflation).
#![expect(
    clippy::inline_always,
    reason = "what is inlined is compiled for the instructions of its caller"
)]

use std::array;
use std::cmp::Ordering;
use std::marker::PhantomData;

use super::lanes::{Lanes, WIDTH, at, sum};
use super::sharing::Sharing;
use crate::vectorised::{Loops, Simd, Vectorised};

/// What the poles are, given some numbers.
pub(super) trait Poles: Send + Sync {
    /// How far some poles are from another one.
    fn apart<S: Simd<f64>>(simd: S, numbers: S::Pack, from: f64) -> S::Pack;
    /// How far a pole is from another one.
    fn one_apart(number: f64, from: f64) -> f64;
    /// The number that belongs to what is at a distance from a pole.
    fn number(from: f64, offset: f64) -> f64;
}

/// The numbers themselves.
#[derive(Debug)]
pub(super) struct Plain;

/// Their squares.
#[derive(Debug)]
pub(super) struct Squares;

impl Poles for Plain {
    #[inline(always)]
    fn apart<S: Simd<f64>>(simd: S, numbers: S::Pack, from: f64) -> S::Pack {
        simd.add(numbers, simd.splat(-from))
    }

    fn one_apart(number: f64, from: f64) -> f64 {
        number - from
    }

    fn number(from: f64, offset: f64) -> f64 {
        from + offset
    }
}

impl Poles for Squares {
    #[inline(always)]
    fn apart<S: Simd<f64>>(simd: S, numbers: S::Pack, from: f64) -> S::Pack {
        let difference = simd.add(numbers, simd.splat(-from));
        let total = simd.add(numbers, simd.splat(from));
        simd.multiply_add(difference, total, simd.splat(0.0))
    }

    fn one_apart(number: f64, from: f64) -> f64 {
        (number - from) * (number + from)
    }

    fn number(from: f64, offset: f64) -> f64 {
        from + offset / (from + from.mul_add(from, offset).sqrt())
    }
}

/// How many roots are found at a time by one thread.
const ROOTS: usize = 32;

/// How many [`Lanes`] of weights are found at a time by one thread.
const LOEWNER: usize = 4;

/// Fewer poles are not worth a second thread.
const SHARED_FROM: usize = 96;

/// Beyond all numbers, and with a square that is finite.
const FAR: f64 = 1e150;

/// Steps after which every other one halves what is left.
const PATIENCE: usize = 8;

/// No root takes so many steps.
const MOST_STEPS: usize = 400;

/// An equation with poles in ascending order.
#[derive(Debug)]
pub(super) struct Secular<P> {
    count: usize,
    numbers: Vec<Lanes<f64>>,
    weights: Vec<Lanes<f64>>,
    poles: PhantomData<P>,
}

impl<P: Poles> Secular<P> {
    /// An equation with some numbers, and a weight for each of them.
    pub(super) fn new(numbers: &[f64], weights: &[f64]) -> Self {
        Self {
            count: numbers.len(),
            numbers: padded(numbers, FAR),
            weights: padded(weights, 0.0),
            poles: PhantomData,
        }
    }

    /// How many poles and roots there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// How many [`Lanes`] there are in all columns of distances.
    pub(super) fn room(count: usize) -> usize {
        count.div_ceil(WIDTH) * count
    }

    fn is_worth_sharing(&self) -> bool {
        self.count >= SHARED_FROM
    }

    /// Finds the numbers of all roots, and how far the poles are from them: a column for each root.
    pub(super) fn solve(&self, roots: &mut [f64], distances: &mut [Lanes<f64>], sharing: Sharing) {
        let height = self.numbers.len();
        let parts = roots.chunks_mut(ROOTS);
        let parts = parts.zip(distances.chunks_mut(ROOTS * height)).enumerate();
        sharing.only_if(self.is_worth_sharing()).each(
            parts.collect(),
            |(part, (roots, distances))| {
                f64::vectorised(FindRoots {
                    equation: self,
                    first: part * ROOTS,
                    roots,
                    distances,
                });
            },
        );
    }

    /// Replaces the weights by those for which the roots are exact.
    pub(super) fn refine(&mut self, distances: &[Lanes<f64>], sharing: Sharing) {
        let mut weights = std::mem::take(&mut self.weights);
        let parts = weights.chunks_mut(LOEWNER).enumerate().collect();
        let equation = &*self;
        sharing
            .only_if(self.is_worth_sharing())
            .each(parts, |(part, weights)| {
                f64::vectorised(Refine {
                    equation,
                    first: part * LOEWNER,
                    weights,
                    distances,
                });
            });
        self.weights = weights;
    }
}

impl Secular<Plain> {
    /// The eigenvector that belongs to a root with these distances, of length one.
    pub(super) fn eigenvector(&self, distances: &[Lanes<f64>], vector: &mut [Lanes<f64>]) {
        f64::vectorised(Vector {
            weights: &self.weights,
            distances,
            numbers: None,
            out: vector,
        });
    }
}

impl Secular<Squares> {
    /// The right singular vector that belongs to a root with these distances, of length one.
    pub(super) fn right_vector(&self, distances: &[Lanes<f64>], vector: &mut [Lanes<f64>]) {
        f64::vectorised(Vector {
            weights: &self.weights,
            distances,
            numbers: None,
            out: vector,
        });
    }

    /// The left singular vector that belongs to a root with these distances, of length one. The first pole is zero; there are the weights in that row.
    pub(super) fn left_vector(&self, distances: &[Lanes<f64>], vector: &mut [Lanes<f64>]) {
        f64::vectorised(Vector {
            weights: &self.weights,
            distances,
            numbers: Some(&self.numbers),
            out: vector,
        });
    }
}

fn padded(numbers: &[f64], padding: f64) -> Vec<Lanes<f64>> {
    let lanes = numbers.chunks(WIDTH).map(|chunk| {
        Lanes(array::from_fn(|lane| {
            chunk.get(lane).copied().unwrap_or(padding)
        }))
    });
    lanes.collect()
}

/// Finds some roots, beginning with the `first`.
struct FindRoots<'a, P> {
    equation: &'a Secular<P>,
    first: usize,
    roots: &'a mut [f64],
    distances: &'a mut [Lanes<f64>],
}

impl<P: Poles> Loops<f64> for FindRoots<'_, P> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<f64>>(self, simd: S) {
        let columns = self.distances.chunks_exact_mut(self.equation.numbers.len());
        for (index, (root, distances)) in self.roots.iter_mut().zip(columns).enumerate() {
            let mut search = Search {
                equation: self.equation,
                distances,
            };
            *root = search.find(simd, self.first + index);
        }
    }
}

/// The search for one root.
struct Search<'a, P> {
    equation: &'a Secular<P>,
    /// How far the poles are from the one that the root is looked for from.
    distances: &'a mut [Lanes<f64>],
}

/// What the equation adds up to at some place.
#[derive(Clone, Copy, Debug)]
struct Sums {
    /// The terms before the split, and those after it.
    terms: [f64; 2],
    /// Their slopes.
    slopes: [f64; 2],
}

impl Sums {
    fn value(&self) -> f64 {
        1.0 + (self.terms[0] + self.terms[1])
    }

    fn slope(&self) -> f64 {
        self.slopes[0] + self.slopes[1]
    }

    /// Whether the value is as close to zero as rounding lets it be.
    fn is_zero(&self) -> bool {
        let magnitude = 1.0 + self.terms[0].abs() + self.terms[1].abs();
        self.value().abs() <= 4.0 * f64::EPSILON * magnitude
    }
}

impl<P: Poles> Search<'_, P> {
    /// The number that belongs to a root; what is left are the distances of the poles from it.
    #[inline(always)]
    fn find<S: Simd<f64>>(&mut self, simd: S, index: usize) -> f64 {
        let (origin, offset) = if index + 1 < self.equation.count {
            self.find_between(simd, index)
        } else {
            self.find_last(simd)
        };
        let offset_pack = simd.splat(-offset);
        for lanes in &mut *self.distances {
            simd.store(simd.add(simd.load(lanes), offset_pack), lanes);
        }
        P::number(at(&self.equation.numbers, origin), offset)
    }

    /// Measures the distances of all poles from one of them.
    #[inline(always)]
    fn measure<S: Simd<f64>>(&mut self, simd: S, origin: usize) {
        let from = at(&self.equation.numbers, origin);
        for (lanes, numbers) in self.distances.iter_mut().zip(&self.equation.numbers) {
            simd.store(P::apart(simd, simd.load(numbers), from), lanes);
        }
    }

    /// The closer pole to a root that has one on either side, and the root's distance from it.
    #[inline(always)]
    fn find_between<S: Simd<f64>>(&mut self, simd: S, left: usize) -> (usize, f64) {
        let right = left + 1;
        self.measure(simd, left);
        let gap = at(self.distances, right);
        let half = 0.5 * gap;
        let [low, high] = [left, right].map(|pole| {
            let weight = at(&self.equation.weights, pole);
            weight * weight
        });
        let middle = self.sums(simd, right, half).value();
        // What all other poles add in the middle, as if that were a constant.
        let others = middle - (high - low) / half;
        let (origin, guess, bracket) = if middle >= 0.0 {
            let guess = smaller_root(others, others * gap + low + high, low * gap);
            let least = 0.5 * low / (middle + low / half);
            (left, guess, [least, half])
        } else {
            self.measure(simd, right);
            let guess = smaller_root(others, low + high - others * gap, -high * gap);
            let least = 0.5 * high / (high / half - middle);
            (right, guess, [-half, -least])
        };
        let offset = self.iterate(simd, [left, right], origin, bracket, guess);
        (origin, offset)
    }

    /// The last pole, and the distance of the last root from it.
    #[inline(always)]
    fn find_last<S: Simd<f64>>(&mut self, simd: S) -> (usize, f64) {
        let last = self.equation.count - 1;
        let weight = at(&self.equation.weights, last);
        let own = weight * weight;
        if last == 0 {
            self.measure(simd, 0);
            return (0, own);
        }
        self.measure(simd, last);
        let mut others = simd.splat(0.0);
        for weights in &self.equation.weights {
            let weights = simd.load(weights);
            others = simd.multiply_add(weights, weights, others);
        }
        let others = (sum(simd, others) - own).max(0.0);
        // If all other poles were as close as the closest: the root would be there, and so it is no further away.
        let gap = -at(self.distances, last - 1);
        let half = 0.5 * (own + others - gap);
        let root = half.mul_add(half, own * gap).sqrt();
        let most = if half >= 0.0 {
            half + root
        } else {
            own * gap / (root - half)
        };
        let bracket = [own * (1.0 - 1e-10), most * (1.0 + 1e-10)];
        let offset = self.iterate(simd, [last - 1, last], last, bracket, most);
        (last, offset)
    }

    /// The sums at an offset, with the pole `split` as the first after the split.
    #[inline(always)]
    fn sums<S: Simd<f64>>(&self, simd: S, split: usize, offset: f64) -> Sums {
        let (middle, lane) = (split / WIDTH, split % WIDTH);
        let offset = simd.splat(-offset);
        let zero = simd.splat(0.0);
        let (mut terms, mut slopes) = ([zero; 2], [zero; 2]);
        let mut mixed = [self.equation.weights[middle]; 2];
        mixed[0].0[lane..].fill(0.0);
        mixed[1].0[..lane].fill(0.0);
        for (side, weights) in mixed.iter().enumerate() {
            let distance = simd.add(simd.load(&self.distances[middle]), offset);
            let weight = simd.load(weights);
            let quotient = simd.divide(weight, distance);
            terms[side] = simd.multiply_add(weight, quotient, zero);
            slopes[side] = simd.multiply_add(quotient, quotient, zero);
        }
        let sides = [0..middle, middle + 1..self.distances.len()];
        for (side, range) in sides.into_iter().enumerate() {
            let (mut term, mut slope) = (terms[side], slopes[side]);
            let weights = &self.equation.weights[range.clone()];
            for (distance, weight) in self.distances[range].iter().zip(weights) {
                let distance = simd.add(simd.load(distance), offset);
                let weight = simd.load(weight);
                let quotient = simd.divide(weight, distance);
                term = simd.multiply_add(weight, quotient, term);
                slope = simd.multiply_add(quotient, quotient, slope);
            }
            (terms[side], slopes[side]) = (term, slope);
        }
        Sums {
            terms: [sum(simd, terms[0]), sum(simd, terms[1])],
            slopes: [sum(simd, slopes[0]), sum(simd, slopes[1])],
        }
    }

    /// The offset of the root within a bracket, whose ends have the same sign. The terms on either side of two poles are taken for those of
    /// one pole and a constant.
    #[inline(always)]
    fn iterate<S: Simd<f64>>(
        &self,
        simd: S,
        [left, right]: [usize; 2],
        origin: usize,
        [mut low, mut high]: [f64; 2],
        guess: f64,
    ) -> f64 {
        let is_last = origin == right && low > 0.0;
        let mut offset = guess;
        if !(low < offset && offset < high) {
            offset = between(low, high);
        }
        let mut previous = f64::INFINITY;
        let mut is_fixed = !is_last;
        for step in 0..MOST_STEPS {
            let sums = self.sums(simd, right, offset);
            let value = sums.value();
            if sums.is_zero() {
                break;
            }
            if value < 0.0 {
                low = offset;
            } else {
                high = offset;
            }
            if high - low <= f64::EPSILON * offset.abs() {
                break;
            }
            if value.abs() > 0.1 * previous {
                is_fixed = !is_fixed && !is_last;
            }
            previous = value.abs();
            let poles = [left, right].map(|pole| at(self.distances, pole) - offset);
            let constant = if is_fixed {
                // The closer pole has its own weight, and the other one the rest of the slope.
                let (own, other) = if origin == left { (0, 1) } else { (1, 0) };
                let quotient = at(&self.equation.weights, origin) / poles[own];
                value
                    - poles[other] * sums.slope()
                    - (poles[own] - poles[other]) * quotient * quotient
            } else {
                value - poles[0] * sums.slopes[0] - poles[1] * sums.slopes[1]
            };
            let both = poles[0] * poles[1];
            let linear = (poles[0] + poles[1]) * value - both * sums.slope();
            let mut change = if is_last {
                larger_root(constant, linear, both * value)
            } else {
                smaller_root(constant, linear, both * value)
            };
            // The sum ascends, so the root is on the other side.
            let is_right_way = value * change < 0.0;
            if !is_right_way {
                change = -value / sums.slope();
            }
            let next = offset + change;
            offset = if low < next && next < high && (step < PATIENCE || step % 2 == 0) {
                if next == offset {
                    break;
                }
                next
            } else {
                between(low, high)
            };
        }
        offset
    }
}

/// The middle of two numbers of the same sign, by their magnitudes if these are far apart.
fn between(low: f64, high: f64) -> f64 {
    let (least, most) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
    if most > 4.0 * least {
        (least.sqrt() * most.sqrt()).copysign(low)
    } else {
        low + 0.5 * (high - low)
    }
}

/// The root of `a x² - b x + c` that stays finite as `a` vanishes if `b` is positive, and the larger one's counterpart else.
fn smaller_root(a: f64, b: f64, c: f64) -> f64 {
    let root = b.mul_add(b, -4.0 * a * c).max(0.0).sqrt();
    if b <= 0.0 {
        (b - root) / (2.0 * a)
    } else {
        2.0 * c / (b + root)
    }
}

/// The other root of `a x² - b x + c`.
fn larger_root(a: f64, b: f64, c: f64) -> f64 {
    let root = b.mul_add(b, -4.0 * a * c).max(0.0).sqrt();
    if b >= 0.0 {
        (b + root) / (2.0 * a)
    } else {
        2.0 * c / (b - root)
    }
}

/// Finds some of the weights for which the roots are exact, by Löwner's formula.
struct Refine<'a, P> {
    equation: &'a Secular<P>,
    /// Where they begin, in whole [`Lanes`].
    first: usize,
    weights: &'a mut [Lanes<f64>],
    distances: &'a [Lanes<f64>],
}

impl<P: Poles> Loops<f64> for Refine<'_, P> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<f64>>(self, simd: S) {
        let numbers = &self.equation.numbers;
        let height = numbers.len();
        let last = self.equation.count - 1;
        let mut squares = [simd.splat(-1.0); LOEWNER];
        for (root, distances) in self.distances.chunks_exact(height).enumerate().take(last) {
            let [before, after] = [root, root + 1].map(|pole| at(numbers, pole));
            let own = root / WIDTH;
            for (index, square) in squares.iter_mut().take(self.weights.len()).enumerate() {
                let block = self.first + index;
                let here = simd.load(&numbers[block]);
                // Every root is paired with the pole before it for the weights of poles after it, and the other way around.
                let pair = match block.cmp(&own) {
                    Ordering::Greater => P::apart(simd, here, before),
                    Ordering::Less => P::apart(simd, here, after),
                    Ordering::Equal => {
                        let mut mixed = Lanes([0.0; WIDTH]);
                        simd.store(P::apart(simd, here, after), &mut mixed);
                        for lane in root % WIDTH + 1..WIDTH {
                            mixed.0[lane] = P::one_apart(numbers[block].0[lane], before);
                        }
                        simd.load(&mixed)
                    }
                };
                let quotient = simd.divide(simd.load(&distances[block]), pair);
                *square = simd.multiply_add(*square, quotient, simd.splat(0.0));
            }
        }
        let distances = &self.distances[last * height..][self.first..];
        let weights = self.weights.iter_mut().enumerate();
        for ((index, weights), (square, distance)) in weights.zip(squares.iter().zip(distances)) {
            let square = simd.multiply_add(*square, simd.load(distance), simd.splat(0.0));
            let mut found = Lanes([0.0; WIDTH]);
            simd.store(square, &mut found);
            for (lane, weight) in weights.0.iter_mut().enumerate() {
                *weight = if (self.first + index) * WIDTH + lane <= last {
                    found.0[lane].max(0.0).sqrt().copysign(*weight)
                } else {
                    0.0
                };
            }
        }
    }
}

/// The vector that belongs to a root: weights over distances, each times a number if there are some, and then minus one at first.
struct Vector<'a> {
    weights: &'a [Lanes<f64>],
    distances: &'a [Lanes<f64>],
    numbers: Option<&'a [Lanes<f64>]>,
    out: &'a mut [Lanes<f64>],
}

impl Loops<f64> for Vector<'_> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<f64>>(self, simd: S) {
        let zero = simd.splat(0.0);
        let vector = &mut *self.out;
        for ((vector, weights), distances) in
            vector.iter_mut().zip(self.weights).zip(self.distances)
        {
            let quotient = simd.divide(simd.load(weights), simd.load(distances));
            simd.store(quotient, vector);
        }
        if let Some(numbers) = self.numbers {
            for (vector, numbers) in vector.iter_mut().zip(numbers) {
                let product = simd.multiply_add(simd.load(vector), simd.load(numbers), zero);
                simd.store(product, vector);
            }
            vector[0].0[0] = -1.0;
        }
        let mut squares = zero;
        for lanes in &*vector {
            let lanes = simd.load(lanes);
            squares = simd.multiply_add(lanes, lanes, squares);
        }
        let scale = simd.splat(1.0 / sum(simd, squares).sqrt());
        for lanes in vector {
            simd.store(simd.multiply_add(simd.load(lanes), scale, zero), lanes);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::threads::Threads;

    fn alone() -> Sharing {
        Sharing::among(Threads::default())
    }

    /// The roots of an equation, and its vectors by columns.
    fn solved<P: Poles>(
        numbers: &[f64],
        weights: &[f64],
        vector: impl Fn(&Secular<P>, &[Lanes<f64>], &mut [Lanes<f64>]),
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut equation = Secular::<P>::new(numbers, weights);
        let count = equation.count();
        let mut roots = vec![0.0; count];
        let mut distances = vec![Lanes::ZERO; Secular::<P>::room(count)];
        equation.solve(&mut roots, &mut distances, alone());
        equation.refine(&distances, alone());
        let height = count.div_ceil(WIDTH);
        let vectors = distances.chunks_exact(height).map(|distances| {
            let mut found = vec![Lanes::ZERO; height];
            vector(&equation, distances, &mut found);
            let numbers = found.iter().flat_map(|lanes| lanes.0);
            numbers.take(count).collect()
        });
        let vectors = vectors.collect();
        (roots, vectors)
    }

    fn dot(one: &[f64], other: &[f64]) -> f64 {
        one.iter().zip(other).map(|(one, other)| one * other).sum()
    }

    fn check_orthogonal(vectors: &[Vec<f64>]) {
        let tolerance = 8.0 * (vectors.len() as f64 + 4.0) * f64::EPSILON;
        for (index, one) in vectors.iter().enumerate() {
            for other in &vectors[..index] {
                assert!(dot(one, other).abs() <= tolerance, "{one:?} {other:?}");
            }
            assert!((dot(one, one) - 1.0).abs() <= tolerance, "{one:?}");
        }
    }

    /// Poles and weights of very different sizes, but no smaller than what deflation lets pass.
    fn equations() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
        let one = (-45..1, 1.0..2.0, -45..1, 1.0..2.0, any::<bool>());
        prop::collection::vec(one, 1..70).prop_map(|all| {
            let mut place = 0.0;
            let each = all.into_iter().map(|(step, by, size, times, sign)| {
                place += by * 2.0_f64.powi(step);
                let weight: f64 = times * 2.0_f64.powi(size);
                (place, if sign { weight } else { -weight })
            });
            each.unzip()
        })
    }

    #[test]
    fn roots_of_small_equations_are_known() {
        let (roots, _) = solved::<Plain>(&[3.0], &[2.0], Secular::eigenvector);
        assert_eq!(roots, [7.0]);
        let (roots, _) = solved::<Squares>(&[0.0], &[-2.0], Secular::left_vector);
        assert_eq!(roots, [2.0]);
        // The matrix [[1, 1], [1, 1]] is a product of a vector with itself.
        let (roots, _) = solved::<Plain>(&[0.0, 3.0], &[1.0, 1.0], Secular::eigenvector);
        for root in roots {
            assert!(((1.0 - root) * (4.0 - root) - 1.0).abs() < 1e-14, "{root}");
        }
    }

    proptest! {
        #[test]
        fn eigenvectors_are_those_of_the_sum((numbers, weights) in equations()) {
            let (roots, vectors) = solved::<Plain>(&numbers, &weights, Secular::eigenvector);
            check_orthogonal(&vectors);
            let length = dot(&weights, &weights);
            let norm = numbers[numbers.len() - 1] + length;
            let tolerance = 8.0 * (numbers.len() as f64 + 4.0) * f64::EPSILON * norm;
            for (index, (&root, vector)) in roots.iter().zip(&vectors).enumerate() {
                prop_assert!(root >= numbers[index]);
                prop_assert!(root <= *numbers.get(index + 1).unwrap_or(&(norm + tolerance)));
                let along = dot(&weights, vector);
                for (row, &number) in vector.iter().enumerate() {
                    let product = numbers[row] * number + weights[row] * along;
                    prop_assert!((product - root * number).abs() <= tolerance);
                }
            }
        }

        #[test]
        fn singular_vectors_are_those_of_a_diagonal_and_a_row((mut numbers, weights) in equations()) {
            let first = numbers[0];
            for number in &mut numbers {
                *number -= first;
            }
            let (roots, right) = solved::<Squares>(&numbers, &weights, Secular::right_vector);
            let (_, left) = solved::<Squares>(&numbers, &weights, Secular::left_vector);
            check_orthogonal(&left);
            check_orthogonal(&right);
            let norm = numbers[numbers.len() - 1] + dot(&weights, &weights).sqrt();
            let tolerance = 8.0 * (numbers.len() as f64 + 4.0) * f64::EPSILON * norm;
            for ((root, left), right) in roots.iter().zip(&left).zip(&right) {
                prop_assert!((dot(&weights, right) - root * left[0]).abs() <= tolerance);
                for row in 1..numbers.len() {
                    prop_assert!((numbers[row] * right[row] - root * left[row]).abs() <= tolerance);
                }
            }
        }
    }
}
