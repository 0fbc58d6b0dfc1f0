//! Real matrices as orthogonal transforms of bidiagonal ones, for their singular values.
//!
//! Reflections leave one number of a column, and one of a row beside it, in turns. What both of them take is found in one go over the
//! matrix: the product of the columns and the vector of the left reflection gives a row, and the vector of the right reflection is a multiple of that row but
//! for one number; so the sum of the columns times the row can be formed while a column is in the cache. As in
//! [`super::tridiagonal`], reflections are put off, and a [crew](crate::crew) shares the columns in groups, so that
//! answers do not depend on how many threads there are.
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

/// How many pairs of reflections are put off.
const PAIRS: usize = 8;

/// How many products of a column and a row tell of them.
const PRODUCTS: usize = 2 * PAIRS;

/// How many sums a product has, which is the most threads that share it.
const GROUPS: usize = 8;

/// How many columns are read side by side.
const COLUMNS: usize = 4;

/// A matrix that has numbers on the diagonal and to the right of it only.
#[derive(Debug)]
pub(super) struct Bidiagonal<T> {
    pub(super) diagonal: Vec<T>,
    /// One number less.
    pub(super) beside: Vec<T>,
}

/// The bidiagonal form of a matrix that has at least as many rows as columns. The reflections of columns and of rows that lead to it are added to
/// some, if they are wanted.
///
/// Is shared inside of [`Threads::install`] only.
pub(super) fn bidiagonal<T: Float>(
    matrix: MatRef<'_, T>,
    mut reflections: Option<[&mut Reflections<T>; 2]>,
    threads: Threads<'_>,
) -> Bidiagonal<T> {
    let (rows, columns) = matrix.shape();
    let groups: [_; GROUPS] = array::from_fn(|group| Mutex::new(Group::new(matrix, group)));
    let step = RwLock::new(Step::new(rows, columns));
    let work = |number: usize| {
        let step = &step.read().unwrap_or_else(PoisonError::into_inner);
        T::vectorised(GroupStep {
            group: &mut lock(&groups[number]),
            step,
        });
    };
    let mut found = Bidiagonal {
        diagonal: Vec::with_capacity(columns),
        beside: Vec::with_capacity(columns),
    };
    lead_crew(threads, GROUPS, &work, |lead: &mut Lead<'_, _>| {
        let mut column = Lanes::zeros(rows);
        if columns > 0 {
            lock(&groups[0]).copy_column(0, &mut column);
        }
        for head in 0..columns {
            let left = Reflection::of(&mut column, head);
            found.diagonal.push(left.left);
            if let Some([of_columns, _]) = &mut reflections {
                of_columns.push(&column, head, left);
            }
            if head + 1 == columns {
                break;
            }
            T::vectorised(Start {
                step: &mut step.write().unwrap_or_else(PoisonError::into_inner),
                head,
                factor: left.factor,
                column: &mut column,
            });
            lead.step();
            let groups = groups.each_ref().map(lock);
            let step = &mut *step.write().unwrap_or_else(PoisonError::into_inner);
            let mut row = step.gather(&groups);
            let first = at(&row, head + 1);
            let right = Reflection::of(&mut row, head + 1);
            found.beside.push(right.left);
            if let Some([_, of_rows]) = &mut reflections {
                of_rows.push(&row, head + 1, right);
            }
            let next = head + 1;
            groups[next / WIDTH % GROUPS].copy_column(next, &mut column);
            T::vectorised(Finish {
                step,
                groups: &groups,
                first,
                right,
                row: &row,
                column: &mut column,
            });
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
    /// The column whose reflection is the newest.
    head: usize,
    /// The vector of that reflection.
    vector: Vec<Lanes<T>>,
    /// Its factor.
    factor: T,
    /// How many pairs of reflections are put off.
    pairs: usize,
    /// Whether the columns are brought up to date in this step.
    is_due: bool,
    /// The columns of the products that are to be subtracted: for all of them what belongs to the first rows, and so on.
    tall: Vec<Lanes<T>>,
    /// Their rows: for all of them what belongs to the first columns, and so on.
    wide: Vec<Lanes<T>>,
    /// The dot products of the vector and the columns.
    dots: [T; PRODUCTS],
    /// What the vector leaves of the row at its head.
    shadow: Vec<Lanes<T>>,
}

impl<T: Float> Step<T> {
    fn new(rows: usize, columns: usize) -> Self {
        let (vector, shadow) = (Lanes::zeros(rows), Lanes::zeros(columns));
        Self {
            head: 0,
            factor: T::ZERO,
            pairs: 0,
            is_due: false,
            tall: vec![Lanes::ZERO; PRODUCTS * vector.len()],
            wide: vec![Lanes::ZERO; PRODUCTS * shadow.len()],
            dots: [T::ZERO; PRODUCTS],
            vector,
            shadow,
        }
    }

    /// Takes the row at the head, and its shadow, from the groups.
    fn gather(&mut self, groups: &[MutexGuard<'_, Group<T>>; GROUPS]) -> Vec<Lanes<T>> {
        if self.is_due {
            self.pairs = 0;
        }
        let mut row = vec![Lanes::ZERO; self.shadow.len()];
        for number in self.head / WIDTH..row.len() {
            let block = &groups[number % GROUPS].blocks[number / GROUPS];
            row[number] = block.row;
            self.shadow[number] = block.shadow;
        }
        row
    }
}

/// Begins a step with the vector of a column's reflection.
struct Start<'a, T> {
    step: &'a mut Step<T>,
    head: usize,
    factor: T,
    column: &'a mut Vec<Lanes<T>>,
}

impl<T: Float> Loops<T> for Start<'_, T> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) {
        let step = self.step;
        step.head = self.head;
        step.factor = self.factor;
        step.is_due = step.pairs == PAIRS;
        std::mem::swap(&mut step.vector, self.column);
        let first = self.head / WIDTH;
        let (tall, _) = step.tall[first * PRODUCTS..].as_chunks::<PRODUCTS>();
        for index in 0..2 * step.pairs {
            let mut dots = simd.splat(T::ZERO);
            for (tall, vector) in tall.iter().zip(&step.vector[first..]) {
                dots = simd.multiply_add(simd.load(&tall[index]), simd.load(vector), dots);
            }
            step.dots[index] = sum(simd, dots);
        }
    }
}

/// Some columns of the matrix.
struct Group<T> {
    blocks: Vec<Block<T>>,
    /// Their sum, each multiplied by its number in the row.
    product: Vec<Lanes<T>>,
}

impl<T: Float> Group<T> {
    fn new(matrix: MatRef<'_, T>, number: usize) -> Self {
        let blocks = (number * WIDTH..matrix.ncols()).step_by(GROUPS * WIDTH);
        Self {
            blocks: blocks.map(|start| Block::new(matrix, start)).collect(),
            product: Lanes::zeros(matrix.nrows()),
        }
    }

    fn copy_column(&self, column: usize, target: &mut [Lanes<T>]) {
        let block = &self.blocks[column / WIDTH / GROUPS];
        let start = column % WIDTH * target.len();
        target.copy_from_slice(&block.elements[start..][..target.len()]);
    }
}

/// [`WIDTH`] columns of the matrix.
struct Block<T> {
    /// The first of them.
    start: usize,
    elements: Vec<Lanes<T>>,
    /// The numbers of these columns in the row at the head.
    row: Lanes<T>,
    /// What the vector took from them.
    shadow: Lanes<T>,
}

impl<T: Float> Block<T> {
    fn new(matrix: MatRef<'_, T>, start: usize) -> Self {
        let (rows, columns) = matrix.shape();
        let mut elements = Vec::with_capacity(rows.div_ceil(WIDTH) * WIDTH);
        for column in start..start + WIDTH {
            for row in (0..rows).step_by(WIDTH) {
                elements.push(Lanes(array::from_fn(|lane| {
                    if row + lane < rows && column < columns {
                        matrix[(row + lane, column)]
                    } else {
                        T::ZERO
                    }
                })));
            }
        }
        Self {
            start,
            elements,
            row: Lanes::ZERO,
            shadow: Lanes::ZERO,
        }
    }

    /// Finds what the step's vector leaves of the row at its head, and adds these columns times the row to `product`; after bringing them
    /// up to date if that `IS_DUE`.
    #[inline(always)]
    fn pass<S: Simd<T>, const IS_DUE: bool>(
        &mut self,
        simd: S,
        step: &Step<T>,
        product: &mut [Lanes<T>],
    ) {
        let (first, lane) = (step.head / WIDTH, step.head % WIDTH);
        let height = product.len() - first;
        let (product, vector) = (&mut product[first..], &step.vector[first..]);
        let vector = &vector[..height];
        let (tall, _) = step.tall[first * PRODUCTS..].as_chunks::<PRODUCTS>();
        let tall = &tall[..height];
        let (wide, _) = step.wide.as_chunks::<PRODUCTS>();
        let wide = &wide[self.start / WIDTH];
        let zero = simd.splat(T::ZERO);
        let whole = self.elements.len() / WIDTH;
        let quads = self.elements.chunks_exact_mut(COLUMNS * whole);
        for (quad, columns) in quads.enumerate() {
            let own = quad * COLUMNS;
            let mut columns = split_columns(columns, whole, first);
            let mut partner = [[T::ZERO; COLUMNS]; PRODUCTS];
            for (partner, wide) in partner.iter_mut().zip(wide) {
                for (column, partner) in partner.iter_mut().enumerate() {
                    *partner = -wide.0[own + column];
                }
            }
            let mut dots = [zero; COLUMNS];
            for row in 0..height {
                let mut elements = [zero; COLUMNS];
                for (element, column) in elements.iter_mut().zip(&columns) {
                    *element = simd.load(&column[row]);
                }
                if IS_DUE {
                    for (other, partner) in tall[row].iter().zip(&partner) {
                        let other = simd.load(other);
                        for (element, &partner) in elements.iter_mut().zip(partner) {
                            *element = simd.multiply_add(other, simd.splat(partner), *element);
                        }
                    }
                    for (column, &element) in columns.iter_mut().zip(&elements) {
                        simd.store(element, &mut column[row]);
                    }
                }
                let factor = simd.load(&vector[row]);
                for (dot, &element) in dots.iter_mut().zip(&elements) {
                    *dot = simd.multiply_add(element, factor, *dot);
                }
            }
            let mut by = [zero; COLUMNS];
            for (column, &dot) in dots.iter().enumerate() {
                let (mut shadow, mut number) = (sum(simd, dot), columns[column][0].0[lane]);
                if !IS_DUE {
                    for index in 0..2 * step.pairs {
                        let partner = partner[index][column];
                        shadow = step.dots[index].times_plus(partner, shadow);
                        number = tall[0][index].0[lane].times_plus(partner, number);
                    }
                }
                shadow *= step.factor;
                number -= shadow;
                if self.start + own + column <= step.head {
                    (shadow, number) = (T::ZERO, T::ZERO);
                }
                self.shadow.0[own + column] = shadow;
                self.row.0[own + column] = number;
                by[column] = simd.splat(number);
            }
            for row in 0..height {
                let mut total = simd.load(&product[row]);
                for (column, &by) in columns.iter().zip(&by) {
                    total = simd.multiply_add(simd.load(&column[row]), by, total);
                }
                simd.store(total, &mut product[row]);
            }
        }
    }
}

/// Columns of `whole` length, without what comes `before`.
#[inline(always)]
fn split_columns<T>(columns: &mut [T], whole: usize, before: usize) -> [&mut [T]; COLUMNS] {
    let (left, right) = columns.split_at_mut(2 * whole);
    let (a, b) = left.split_at_mut(whole);
    let (c, d) = right.split_at_mut(whole);
    [
        &mut a[before..],
        &mut b[before..],
        &mut c[before..],
        &mut d[before..whole],
    ]
}

/// What a group has to do in a step.
struct GroupStep<'a, T> {
    group: &'a mut Group<T>,
    step: &'a Step<T>,
}

impl<T: Float> Loops<T> for GroupStep<'_, T> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) {
        let Self { group, step } = self;
        group.product[step.head / WIDTH..].fill(Lanes::ZERO);
        for block in &mut group.blocks {
            if block.start + WIDTH <= step.head {
                continue;
            }
            if step.is_due {
                block.pass::<_, true>(simd, step, &mut group.product);
            } else {
                block.pass::<_, false>(simd, step, &mut group.product);
            }
        }
    }
}

/// What is left to do after the product, by one thread: puts both reflections off, and brings the next column up to date.
struct Finish<'a, 'b, T> {
    step: &'a mut Step<T>,
    groups: &'a [MutexGuard<'b, Group<T>>; GROUPS],
    /// The first number of the row, before it was reflected.
    first: T,
    right: Reflection<T>,
    /// The vector of the right reflection.
    row: &'a [Lanes<T>],
    /// The next column.
    column: &'a mut [Lanes<T>],
}

impl<T: Float> Loops<T> for Finish<'_, '_, T> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) {
        let Self { step, right, .. } = self;
        let next = step.head + 1;
        let done = 2 * step.pairs;
        let begin = step.head / WIDTH;
        // The row's vector is (row - left e) / divisor, where e is one at its head only.
        let divisor = self.first - right.left;
        let scale = if right.factor == T::ZERO {
            T::ZERO
        } else {
            T::ONE / divisor
        };
        let (wide, _) = step.wide[begin * PRODUCTS..].as_chunks_mut::<PRODUCTS>();
        let zero = simd.splat(T::ZERO);
        let mut of_product = [T::ZERO; PRODUCTS];
        let mut of_column = [T::ZERO; PRODUCTS];
        for index in 0..=done {
            let mut dots = zero;
            for (number, wide) in wide.iter_mut().enumerate() {
                if index == done {
                    wide[done] = step.shadow[begin + number];
                    wide[done + 1] = self.row[begin + number];
                }
                let row = simd.load(&self.row[begin + number]);
                dots = simd.multiply_add(simd.load(&wide[index]), row, dots);
            }
            of_product[index] = -sum(simd, dots);
            of_column[index] = -wide[next / WIDTH - begin][index].0[next % WIDTH];
        }
        let (tall, _) = step.tall[begin * PRODUCTS..].as_chunks_mut::<PRODUCTS>();
        let of_head = simd.splat(-right.left * scale);
        let [scale, factor] = [simd.splat(scale), simd.splat(right.factor)];
        let minus = simd.splat(-T::ONE);
        for (row, tall) in tall.iter_mut().enumerate() {
            tall[done] = step.vector[begin + row];
            let mut product = zero;
            for group in self.groups {
                product = simd.add(product, simd.load(&group.product[begin + row]));
            }
            let mut column = simd.load(&self.column[begin + row]);
            product = simd.multiply_add(product, scale, zero);
            product = simd.multiply_add(column, of_head, product);
            for index in 0..=done {
                let other = simd.load(&tall[index]);
                product = simd.multiply_add(other, simd.splat(of_product[index]), product);
                column = simd.multiply_add(other, simd.splat(of_column[index]), column);
            }
            product = simd.multiply_add(product, factor, zero);
            simd.store(product, &mut tall[done + 1]);
            // The row's vector is one at its head.
            column = simd.multiply_add(product, minus, column);
            simd.store(column, &mut self.column[begin + row]);
        }
        step.pairs += 1;
    }
}
