//! Real symmetric matrices as orthogonal transforms of tridiagonal ones.
//!
//! Column by column, a [`Reflection`] leaves one number below the diagonal. Its effect on the columns to the right takes
//! the product of their lower triangle and a vector, which takes almost all of the time; the columns themselves
//! are brought up to date only once for every [`PAIRS`] reflections, in the same go with the next product. That is what
//! a [crew](crate::crew) shares: the columns, [`WIDTH`] at a time, are dealt out to [`GROUPS`] groups, and a thread has
//! the same groups all the time, which so stay in its cache. As every group has a sum of its own, answers do not depend on how many
//! threads there are.
#![expect(
    clippy::inline_always,
    reason = "what is inlined is compiled for the instructions of its caller"
)]

use std::array;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use faer::MatRef;

use super::field::Float;
use super::lanes::{Lanes, WIDTH, at, sum};
use super::reflection::Reflection;
use super::reflections::Reflections;
use crate::crew::{Lead, lead_crew};
use crate::threads::Threads;
use crate::vectorised::{Loops, Simd};

/// How many reflections are put off.
const PAIRS: usize = 8;

/// How many vectors tell of them.
const VECTORS: usize = 2 * PAIRS;

/// How many sums a product has, which is the most threads that share it.
const GROUPS: usize = 8;

/// How many columns are read side by side.
const COLUMNS: usize = 4;

/// A symmetric matrix that has numbers on and beside the diagonal only.
#[derive(Debug)]
pub(super) struct Tridiagonal<T> {
    pub(super) diagonal: Vec<T>,
    /// One number less.
    pub(super) beside: Vec<T>,
}

/// The tridiagonal form of a symmetric matrix, of which the lower triangle is read. The reflections that lead to it are added to some, if they are wanted.
///
/// Is shared inside of [`Threads::install`] only.
pub(super) fn tridiagonal<T: Float>(
    matrix: MatRef<'_, T>,
    mut reflections: Option<&mut Reflections<T>>,
    threads: Threads<'_>,
) -> Tridiagonal<T> {
    let size = matrix.nrows();
    let groups: [_; GROUPS] = array::from_fn(|group| Mutex::new(Group::new(matrix, group)));
    let step = RwLock::new(Step::new(size));
    let work = |number: usize| {
        let step = &step.read().unwrap_or_else(PoisonError::into_inner);
        let group = &mut lock(&groups[number]);
        T::vectorised(GroupStep {
            group,
            number,
            step,
        });
    };
    let mut found = Tridiagonal {
        diagonal: Vec::with_capacity(size),
        beside: Vec::with_capacity(size),
    };
    lead_crew(threads, GROUPS, &work, |lead: &mut Lead<'_, _>| {
        let mut column = Lanes::zeros(size);
        if size > 0 {
            lock(&groups[0]).copy_column(0, &mut column);
        }
        for head in 1..size {
            found.diagonal.push(at(&column, head - 1));
            let reflection = Reflection::of(&mut column, head);
            found.beside.push(reflection.left);
            if let Some(reflections) = &mut reflections {
                reflections.push(&column, head, reflection);
            }
            step.write()
                .unwrap_or_else(PoisonError::into_inner)
                .start(head, &mut column);
            lead.step();
            let groups = groups.each_ref().map(lock);
            groups[head / WIDTH % GROUPS].copy_column(head, &mut column);
            T::vectorised(Finish {
                step: &mut step.write().unwrap_or_else(PoisonError::into_inner),
                groups: &groups,
                factor: reflection.factor,
                head,
                column: &mut column,
            });
        }
        if size > 0 {
            found.diagonal.push(at(&column, size - 1));
        }
    });
    found
}

/// A lock that nobody waits for: who works on what is settled by the steps of the crew.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What all threads know of a step.
struct Step<T> {
    /// Where the vector begins, in whole [`Lanes`].
    first: usize,
    /// The vector of the newest reflection.
    vector: Vec<Lanes<T>>,
    /// How many reflections are put off.
    pairs: usize,
    /// Whether the columns are brought up to date in this step.
    is_due: bool,
    /// For each reflection `v` that was put off `v` and `w`, such that `v wᵀ + w vᵀ` is to be subtracted: for all of them what belongs
    /// to the first rows, and so on.
    put_off: Vec<Lanes<T>>,
}

impl<T: Float> Step<T> {
    fn new(size: usize) -> Self {
        let vector = Lanes::zeros(size);
        Self {
            first: 0,
            pairs: 0,
            is_due: false,
            put_off: vec![Lanes::ZERO; VECTORS * vector.len()],
            vector,
        }
    }

    /// Gives a vector to multiply with, which begins at `head`.
    fn start(&mut self, head: usize, vector: &mut Vec<Lanes<T>>) {
        self.first = head / WIDTH;
        self.is_due = self.pairs == PAIRS;
        std::mem::swap(&mut self.vector, vector);
    }
}

/// Some columns of the matrix.
struct Group<T> {
    blocks: Vec<Block<T>>,
    /// Their part of the product.
    product: Vec<Lanes<T>>,
    /// This group's part of the dot products of the vector and those that tell what was put off.
    dots: [T; VECTORS],
}

impl<T: Float> Group<T> {
    fn new(matrix: MatRef<'_, T>, number: usize) -> Self {
        let product = Lanes::zeros(matrix.nrows());
        let blocks = (number..product.len()).step_by(GROUPS);
        Self {
            blocks: blocks.map(|first| Block::new(matrix, first)).collect(),
            product,
            dots: [T::ZERO; VECTORS],
        }
    }

    /// Copies a column, from the first row of its block on.
    fn copy_column(&self, column: usize, target: &mut [Lanes<T>]) {
        let block = &self.blocks[column / WIDTH / GROUPS];
        let target = &mut target[block.first..];
        let start = column % WIDTH * target.len();
        target.copy_from_slice(&block.elements[start..][..target.len()]);
    }
}

/// [`WIDTH`] columns of the matrix, from the first that is on the diagonal on. The square on the
/// diagonal is whole.
struct Block<T> {
    /// Where it begins, in whole [`Lanes`].
    first: usize,
    elements: Vec<Lanes<T>>,
}

impl<T: Float> Block<T> {
    fn new(matrix: MatRef<'_, T>, first: usize) -> Self {
        let size = matrix.nrows();
        let start = first * WIDTH;
        let mut elements = Vec::with_capacity(Lanes::<T>::zeros(size - start).len() * WIDTH);
        for column in start..start + WIDTH {
            for row in (start..size).step_by(WIDTH) {
                elements.push(Lanes(array::from_fn(|lane| {
                    let (row, column) = (column.max(row + lane), column.min(row + lane));
                    if row < size {
                        matrix[(row, column)]
                    } else {
                        T::ZERO
                    }
                })));
            }
        }
        Self { first, elements }
    }

    /// Adds the product of these columns and of what mirrors them to `product`, after bringing them up to date if that
    /// `IS_DUE`.
    #[inline(always)]
    fn pass<S: Simd<T>, const IS_DUE: bool>(
        &mut self,
        simd: S,
        step: &Step<T>,
        product: &mut [Lanes<T>],
    ) {
        let vector = &step.vector[self.first..];
        let (put_off, _) = step.put_off[self.first * VECTORS..].as_chunks::<VECTORS>();
        let height = vector.len();
        let (product, put_off) = (&mut product[self.first..][..height], &put_off[..height]);
        let mut mirrored = Lanes::ZERO;
        let quads = self.elements.chunks_exact_mut(COLUMNS * height);
        for (quad, columns) in quads.enumerate() {
            let mut columns = split_columns(columns, height);
            let own = quad * COLUMNS;
            // No closures here: they would be compiled for fewer instructions.
            let zero = simd.splat(T::ZERO);
            let mut by = [zero; COLUMNS];
            let mut partner = [[T::ZERO; COLUMNS]; VECTORS];
            for column in 0..COLUMNS {
                by[column] = simd.splat(vector[0].0[own + column]);
                for (index, partner) in partner.iter_mut().enumerate() {
                    partner[column] = -put_off[0][index ^ 1].0[own + column];
                }
            }
            let mut dots = [zero; COLUMNS];
            for row in 0..height {
                let mut elements = [zero; COLUMNS];
                for (element, column) in elements.iter_mut().zip(&columns) {
                    *element = simd.load(&column[row]);
                }
                if IS_DUE {
                    for (other, partner) in put_off[row].iter().zip(&partner) {
                        let other = simd.load(other);
                        for (element, &partner) in elements.iter_mut().zip(partner) {
                            *element = simd.multiply_add(other, simd.splat(partner), *element);
                        }
                    }
                    for (column, &element) in columns.iter_mut().zip(&elements) {
                        simd.store(element, &mut column[row]);
                    }
                }
                let mut sum = simd.load(&product[row]);
                for (&element, &by) in elements.iter().zip(&by) {
                    sum = simd.multiply_add(element, by, sum);
                }
                simd.store(sum, &mut product[row]);
                if row > 0 {
                    let factor = simd.load(&vector[row]);
                    for (dot, &element) in dots.iter_mut().zip(&elements) {
                        *dot = simd.multiply_add(element, factor, *dot);
                    }
                }
            }
            for (column, &dot) in dots.iter().enumerate() {
                mirrored.0[own + column] = sum(simd, dot);
            }
        }
        let mirrored = simd.add(simd.load(&product[0]), simd.load(&mirrored));
        simd.store(mirrored, &mut product[0]);
    }
}

#[inline(always)]
fn split_columns<T>(columns: &mut [T], height: usize) -> [&mut [T]; COLUMNS] {
    let (left, right) = columns.split_at_mut(2 * height);
    let (a, b) = left.split_at_mut(height);
    let (c, d) = right.split_at_mut(height);
    [a, b, &mut c[..height], &mut d[..height]]
}

/// What a group has to do in a step.
struct GroupStep<'a, T> {
    group: &'a mut Group<T>,
    number: usize,
    step: &'a Step<T>,
}

impl<T: Float> Loops<T> for GroupStep<'_, T> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) {
        let Self { group, step, .. } = self;
        group.product[step.first..].fill(Lanes::ZERO);
        for block in &mut group.blocks {
            if block.first < step.first {
                continue;
            }
            if step.is_due {
                block.pass::<_, true>(simd, step, &mut group.product);
            } else {
                block.pass::<_, false>(simd, step, &mut group.product);
            }
        }
        if !step.is_due {
            // Rows are shared out for these.
            let rows = step.vector.len() - step.first;
            let start = step.first + rows * self.number / GROUPS;
            let end = step.first + rows * (self.number + 1) / GROUPS;
            let vector = &step.vector[start..end];
            let put_off = step.put_off[start * VECTORS..].as_chunks::<VECTORS>().0;
            for pair in 0..step.pairs {
                let mut sums = [simd.splat(T::ZERO); 2];
                for (put_off, factor) in put_off.iter().zip(vector) {
                    let factor = simd.load(factor);
                    for (side, sum) in sums.iter_mut().enumerate() {
                        let other = simd.load(&put_off[2 * pair + side]);
                        *sum = simd.multiply_add(other, factor, *sum);
                    }
                }
                for (side, &both) in sums.iter().enumerate() {
                    group.dots[2 * pair + side] = sum(simd, both);
                }
            }
        }
    }
}

/// What is left to do after the product, by one thread: puts the reflection off, and brings the next column up to date.
struct Finish<'a, 'b, T> {
    step: &'a mut Step<T>,
    groups: &'a [MutexGuard<'b, Group<T>>; GROUPS],
    factor: T,
    /// Where the vector begins, which is also the number of the next column.
    head: usize,
    /// The next column.
    column: &'a mut [Lanes<T>],
}

impl<T: Float> Loops<T> for Finish<'_, '_, T> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) {
        let step = self.step;
        if step.is_due {
            step.pairs = 0;
        }
        let (first, lane) = (step.first, self.head % WIDTH);
        let vector = &step.vector[first..];
        let column = &mut self.column[first..];
        let (put_off, _) = step.put_off[first * VECTORS..].as_chunks_mut::<VECTORS>();
        let mut of_product = [T::ZERO; VECTORS];
        let mut of_column = [T::ZERO; VECTORS];
        for index in 0..2 * step.pairs {
            for group in self.groups {
                of_product[index] += -group.dots[index ^ 1];
            }
            of_column[index] = -put_off[0][index ^ 1].0[lane];
        }
        let (done, zero) = (2 * step.pairs, simd.splat(T::ZERO));
        let mut dots = zero;
        for (row, put_off) in put_off.iter_mut().enumerate() {
            let mut product = zero;
            for group in self.groups {
                product = simd.add(product, simd.load(&group.product[first + row]));
            }
            let mut next = simd.load(&column[row]);
            for index in 0..done {
                let other = simd.load(&put_off[index]);
                product = simd.multiply_add(other, simd.splat(of_product[index]), product);
                next = simd.multiply_add(other, simd.splat(of_column[index]), next);
            }
            simd.store(next, &mut column[row]);
            put_off[done] = vector[row];
            simd.store(product, &mut put_off[done + 1]);
            if row == 0 {
                put_off[done + 1] = put_off[done + 1].without_first(lane);
                product = simd.load(&put_off[done + 1]);
            }
            dots = simd.multiply_add(product, simd.load(&vector[row]), dots);
        }
        // With w = factor (A v) - factor² (vᵀ A v) / 2 v the matrix becomes A - v wᵀ - w vᵀ.
        let half = T::from_double(-0.5);
        let along = half * self.factor * self.factor * sum(simd, dots);
        let head = put_off[0][done + 1].0[lane];
        // The vector is one at its head.
        let of_vector = simd.splat(-self.factor.times_plus(head, along));
        let (factor, along) = (simd.splat(self.factor), simd.splat(along));
        let minus = simd.splat(-T::ONE);
        for (row, put_off) in put_off.iter_mut().enumerate() {
            let vector = simd.load(&vector[row]);
            let other = simd.multiply_add(simd.load(&put_off[done + 1]), factor, zero);
            let other = simd.multiply_add(vector, along, other);
            simd.store(other, &mut put_off[done + 1]);
            let next = simd.multiply_add(vector, of_vector, simd.load(&column[row]));
            simd.store(simd.multiply_add(other, minus, next), &mut column[row]);
        }
        step.pairs += 1;
    }
}
