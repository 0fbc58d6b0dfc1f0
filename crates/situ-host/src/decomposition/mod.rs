//! Decompositions of matrices in host memory, by `faer`.
//!
//! Matrices lie one after the other, row by row. [`Threads`] share the matrices of a batch, and
//! a large one where its decomposition lends itself to that. A matrix for which there is no answer is a
//! [`Failure`]; NaN and infinity never reach iterations that would not end.
//!
//! | module | about |
//! |---|---|
//! | [`batch`] | what can be asked of matrices |
//! | `field` | the numbers that matrices consist of |
//! | [`elimination`] | what is found by Gaussian elimination: determinants, inverses, solutions |
//! | [`factor`] | Cholesky's and the QR decomposition |
//! | `determinant`, `scales` | numbers of any size |
//! | `lower_upper`, `positive` | elimination and Cholesky's decomposition by several threads |
//! | [`spectrum`] | eigenvalues and singular values |
//! | `inverse_iteration` | eigenvectors for which there is no other way |
//! | `symmetric` | eigenvalues of real symmetric matrices, and their eigenvectors |
//! | `singular_values`, `singular_vectors` | singular values of real matrices, without vectors and with them |
//! | `tridiagonal`, `bidiagonal` | the forms from which they are found |
//! | `tridiagonal_values` | how eigenvalues alone are found from the first |
//! | `tridiagonal_vectors`, `bidiagonal_vectors` | how both forms are divided and conquered |
//! | `deflation`, `secular`, `merge` | how two halves are put together: what is final, the roots of an equation, a product |
//! | `lanes`, `reflection`, `reflections` | vectors of real numbers, and how they are reflected |
//! | `sharing`, `room` | how parts of a decomposition are shared, and where it works |

pub mod batch;
mod bidiagonal;
mod bidiagonal_vectors;
mod deflation;
mod determinant;
pub mod elimination;
pub mod factor;
mod field;
mod inverse_iteration;
mod lanes;
mod lower_upper;
mod merge;
mod positive;
mod reflection;
mod reflections;
mod room;
mod scales;
mod secular;
mod sharing;
mod singular_values;
mod singular_vectors;
pub mod spectrum;
mod symmetric;
mod tridiagonal;
mod tridiagonal_values;
mod tridiagonal_vectors;

use faer::Par;

use crate::parallel;
use crate::threads::Threads;

/// Why a matrix has no such decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A pivot is zero.
    Singular,
    /// A pivot is not positive.
    NotPositiveDefinite,
    /// There is a NaN or an infinity.
    NotFinite,
    /// Iterations did not come to an end.
    NoConvergence,
}

/// A matrix of a batch that has no such decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which one, counted flat.
    pub matrix: usize,
    /// Why.
    pub problem: Problem,
}

/// Multiplications and additions that take some 50 microseconds.
const SHARED_FROM: usize = 100_000;

/// Multiplications and additions that are worth the threads of one matrix meeting many times.
const LARGE: usize = 50_000_000;

/// How much work a batch is.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many matrices.
    pub matrices: usize,
    /// The product of the sizes that one of them takes time in proportion to.
    pub each: usize,
}

impl Effort {
    /// Whether it takes less than some 100 microseconds.
    pub fn is_brief(self) -> bool {
        self.matrices.saturating_mul(self.each) < SHARED_FROM
    }

    /// Whether one matrix is large enough to be shared among threads.
    fn is_large(self) -> bool {
        self.matrices == 1 && self.each >= LARGE
    }

    /// How `faer` is to decompose a matrix, inside of [`Effort::share`].
    fn parallelism(self, threads: Threads<'_>) -> Par {
        if self.is_large() && threads.count() > 1 {
            Par::rayon(threads.count())
        } else {
            Par::Seq
        }
    }

    /// Who is there to share one matrix, inside of [`Effort::share`].
    fn members(self, threads: Threads<'_>) -> Threads<'_> {
        if self.is_large() {
            threads
        } else {
            Threads::default()
        }
    }

    /// Decomposes every matrix; the first failure counts. A large one is decomposed on the threads, where it may be
    /// shared, and several are shared out one by one.
    fn share<A: Send>(
        self,
        threads: Threads<'_>,
        items: impl Iterator<Item = A>,
        decompose: impl Fn(A) -> Result<(), Problem> + Sync,
    ) -> Result<(), Failure> {
        let told = |(matrix, item): (usize, A)| {
            decompose(item).map_err(|problem| Failure { matrix, problem })
        };
        // What is not told otherwise shall stay on its thread: `faer` would ask for threads of its own.
        faer::set_global_parallelism(Par::Seq);
        let mut items = items.enumerate();
        if self.is_large() {
            return items.try_for_each(|item| threads.install(|| told(item)));
        }
        if self.matrices == 1 || self.is_brief() {
            return items.try_for_each(told);
        }
        let items: Vec<_> = items.collect();
        let mut outcomes = vec![Ok(()); items.len()];
        threads.install(|| {
            parallel::for_each_part(items.into_iter().zip(&mut outcomes), |(item, outcome)| {
                *outcome = told(item);
            });
        });
        outcomes.into_iter().collect()
    }
}
