//! What can be asked of the matrices of a batch: the doors of this module.
//!
//! Outside, matrices are bytes. Here they become numbers, so that everything behind these functions is compiled for
//! every [`Element`] once, with this crate.

use super::Failure;
use super::elimination::{self, Systems};
use super::factor::{self, QrColumns, Triangle};
use super::spectrum::{self, SingularVectors};
use crate::element::{Element, over_elements};
use crate::threads::Threads;

/// Matrices that lie one after the other, row by row.
///
/// Every function panics if the bytes of a result are not as many as it takes.
#[derive(Debug)]
pub struct Batch<'a> {
    /// What they consist of.
    pub element: Element,
    /// Their bytes.
    pub matrices: &'a [u8],
    /// Memory for one of them, whatever is in it, that elimination may work in: new memory would take long to get for a
    /// large one.
    pub room: Option<&'a mut [u8]>,
    /// Who decomposes them.
    pub threads: Threads<'a>,
}

/// Where singular vectors go.
#[derive(Debug)]
pub struct SingularVectorBytes<'a> {
    /// Whether there are as many as the matrix has rows and columns, and not only as many as there are singular values.
    pub full: bool,
    /// The left ones, as columns.
    pub left: &'a mut [u8],
    /// The right ones, conjugated, as rows.
    pub right: &'a mut [u8],
}

impl Batch<'_> {
    /// The triangular factors of Hermitian matrices of `size` rows: lower `L` with `L Lᴴ`, or upper `U` with `Uᴴ U`.
    /// Only that triangle of the matrices is read.
    ///
    /// # Errors
    /// [`Problem::NotPositiveDefinite`](super::Problem::NotPositiveDefinite).
    pub fn cholesky(
        self,
        size: usize,
        triangle: Triangle,
        factors: &mut [u8],
    ) -> Result<(), Failure> {
        over_elements!(self.element, T => factor::cholesky::<T>(
            size,
            triangle,
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice_mut(factors),
            self.threads,
        ))
    }

    /// Matrices of so many rows and columns as products of unitary `Q` and upper triangular `R`.
    ///
    /// # Errors
    /// Never; the type is that of its kin.
    pub fn qr(
        self,
        sizes: [usize; 2],
        wanted: QrColumns,
        orthogonal: &mut [u8],
        triangular: &mut [u8],
    ) -> Result<(), Failure> {
        over_elements!(self.element, T => factor::qr::<T>(
            sizes,
            wanted,
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice_mut(orthogonal),
            bytemuck::cast_slice_mut(triangular),
            self.threads,
        ))
    }

    /// The determinants of matrices of `size` rows.
    ///
    /// # Errors
    /// Never; the type is that of its kin.
    pub fn determinants(self, size: usize, determinants: &mut [u8]) -> Result<(), Failure> {
        over_elements!(self.element, T => elimination::determinants::<T>(
            size,
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice_mut(determinants),
            self.room.map(bytemuck::cast_slice_mut),
            self.threads,
        ))
    }

    /// The determinants of matrices of `size` rows: their sign (a number of magnitude one, or zero), and the
    /// logarithm of their magnitude, which is real.
    ///
    /// # Errors
    /// Never; the type is that of its kin.
    pub fn log_determinants(
        self,
        size: usize,
        signs: &mut [u8],
        logarithms: &mut [u8],
    ) -> Result<(), Failure> {
        over_elements!(self.element, T => elimination::log_determinants::<T>(
            size,
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice_mut(signs),
            bytemuck::cast_slice_mut(logarithms),
            self.room.map(bytemuck::cast_slice_mut),
            self.threads,
        ))
    }

    /// The inverses of matrices of `size` rows.
    ///
    /// # Errors
    /// [`Problem::Singular`](super::Problem::Singular).
    pub fn inverses(self, size: usize, inverses: &mut [u8]) -> Result<(), Failure> {
        over_elements!(self.element, T => elimination::inverses::<T>(
            size,
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice_mut(inverses),
            self.room.map(bytemuck::cast_slice_mut),
            self.threads,
        ))
    }

    /// The solutions of systems of equations with these matrices.
    ///
    /// # Errors
    /// [`Problem::Singular`](super::Problem::Singular).
    pub fn solve(
        self,
        systems: &Systems,
        right_sides: &[u8],
        solutions: &mut [u8],
    ) -> Result<(), Failure> {
        over_elements!(self.element, T => systems.solve::<T>(
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice(right_sides),
            bytemuck::cast_slice_mut(solutions),
            self.room.map(bytemuck::cast_slice_mut),
            self.threads,
        ))
    }

    /// The eigenvalues of Hermitian matrices of `size` rows in ascending order, which are real, and their
    /// eigenvectors as columns, if they are wanted. Only one triangle of the matrices is read.
    ///
    /// # Errors
    /// [`Problem::NotFinite`](super::Problem::NotFinite), [`Problem::NoConvergence`](super::Problem::NoConvergence).
    pub fn hermitian_eigen(
        self,
        size: usize,
        triangle: Triangle,
        values: &mut [u8],
        vectors: Option<&mut [u8]>,
    ) -> Result<(), Failure> {
        over_elements!(self.element, T => spectrum::hermitian::<T>(
            size,
            triangle,
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice_mut(values),
            vectors.map(bytemuck::cast_slice_mut),
            self.threads,
        ))
    }

    /// The eigenvalues of matrices of `size` rows, and their eigenvectors of length one as columns, if they are
    /// wanted; all of them complex.
    ///
    /// # Errors
    /// [`Problem::NotFinite`](super::Problem::NotFinite), [`Problem::NoConvergence`](super::Problem::NoConvergence).
    pub fn eigen(
        self,
        size: usize,
        values: &mut [u8],
        vectors: Option<&mut [u8]>,
    ) -> Result<(), Failure> {
        over_elements!(self.element, T => spectrum::general::<T>(
            size,
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice_mut(values),
            vectors.map(bytemuck::cast_slice_mut),
            self.threads,
        ))
    }

    /// The singular values of matrices of so many rows and columns in descending order, which are real, and their
    /// singular vectors if they are wanted.
    ///
    /// # Errors
    /// [`Problem::NotFinite`](super::Problem::NotFinite), [`Problem::NoConvergence`](super::Problem::NoConvergence).
    pub fn singular(
        self,
        sizes: [usize; 2],
        values: &mut [u8],
        vectors: Option<SingularVectorBytes<'_>>,
    ) -> Result<(), Failure> {
        over_elements!(self.element, T => spectrum::singular::<T>(
            sizes,
            bytemuck::cast_slice(self.matrices),
            bytemuck::cast_slice_mut(values),
            vectors.map(|vectors| SingularVectors {
                full: vectors.full,
                left: bytemuck::cast_slice_mut(vectors.left),
                right: bytemuck::cast_slice_mut(vectors.right),
            }),
            self.threads,
        ))
    }
}
