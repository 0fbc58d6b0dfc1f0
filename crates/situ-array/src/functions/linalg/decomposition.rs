//! Decompositions of the matrices in the last two dimensions of an array.
//!
//! They run on host memory ([`situ_host::decomposition`]), in their place among the commands of the array's queue;
//! memory that the host does not reach makes a round trip. What depends on the content of a matrix (whether it
//! is singular, whether iterations converge) is known only afterwards, so functions that can fail wait for
//! their result, and the others do not.
//!
//! Integers and bools are decomposed as floats of the device's default width.

use std::iter;
use std::sync::{Arc, OnceLock};

use situ_host::decomposition::batch::{Batch, SingularVectorBytes};
use situ_host::decomposition::elimination::Systems;
use situ_host::decomposition::{Effort, Failure};
use situ_host::{Element, Precision};
use situ_ir::promotion::{complex_of, promote};
use situ_ir::{DType, Literal};
use situ_runtime::{Queue, UsmKind};

use crate::array::Array;
use crate::broadcast::broadcast_shapes;
use crate::device_dtypes;
use crate::error::Error;
use crate::functions::apply::{Input, copy_into};
use crate::functions::creation::{as_contiguous, astype};
use crate::functions::manipulation::diagonal;
use crate::host::{HostCall, HostMemory, pool};
use crate::layout::{Layout, Shape};
use crate::placement::{Operation, Participant, Placer};

pub use situ_host::decomposition::factor::{QrColumns, Triangle};

/// Triangular factors of Hermitian, positive definite matrices.
///
/// # Errors
/// If the array has no square matrices, one is not positive definite, there is no memory or work failed.
pub fn cholesky(array: &Array, triangle: Triangle, queue: Option<&Queue>) -> Result<Array, Error> {
    let matrices = Matrices::square("cholesky", array, queue)?;
    let (size, dtype) = (matrices.rows, matrices.array.dtype());
    let factors = matrices.empty(&[size, size], dtype)?;
    let work = move |mut memory: HostMemory<'_>| {
        let [input] = [memory.reads[0]];
        let output = &mut *memory.writes[0];
        in_batch(dtype, input).cholesky(size, triangle, output)
    };
    matrices.run(&[&factors], CanFail::Yes, work)?;
    Ok(factors)
}

/// Orthogonal and triangular factors.
///
/// # Errors
/// If the array has no matrices, there is no memory or work failed.
pub fn qr(array: &Array, columns: QrColumns, queue: Option<&Queue>) -> Result<[Array; 2], Error> {
    let matrices = Matrices::new("qr", array, queue)?;
    let (sizes, dtype) = (matrices.sizes(), matrices.array.dtype());
    let middle = match columns {
        QrColumns::Reduced => sizes[0].min(sizes[1]),
        QrColumns::Complete => sizes[0],
    };
    let orthogonal = matrices.empty(&[sizes[0], middle], dtype)?;
    let triangular = matrices.empty(&[middle, sizes[1]], dtype)?;
    if sizes[0] * sizes[1] == 0 {
        fill_identity(&orthogonal)?;
        return Ok([orthogonal, triangular]);
    }
    let work = move |memory: HostMemory<'_>| {
        let (input, [q, r], _) = one_and_two(memory);
        in_batch(dtype, input).qr(sizes, columns, q, r)
    };
    matrices.run(&[&orthogonal, &triangular], CanFail::No, work)?;
    Ok([orthogonal, triangular])
}

/// Determinants.
///
/// # Errors
/// If the array has no square matrices, there is no memory or work failed.
pub fn det(array: &Array, queue: Option<&Queue>) -> Result<Array, Error> {
    let matrices = Matrices::square("det", array, queue)?;
    let (size, dtype) = (matrices.rows, matrices.array.dtype());
    let determinants = matrices.empty(&[], dtype)?;
    if size == 0 {
        copy_into(&determinants, &Input::Scalar(Literal::one(dtype)))?;
        return Ok(determinants);
    }
    let room = room(size, dtype, matrices.array.queue())?;
    let writes: Vec<&Array> = iter::once(&determinants).chain(&room).collect();
    let work = move |memory: HostMemory<'_>| {
        let (input, output, room) = one_and_optional(memory);
        in_room(dtype, input, room).determinants(size, output)
    };
    matrices.run(&writes, CanFail::No, work)?;
    Ok(determinants)
}

/// The signs of determinants, and the logarithms of their magnitudes.
///
/// # Errors
/// If the array has no square matrices, there is no memory or work failed.
pub fn slogdet(array: &Array, queue: Option<&Queue>) -> Result<[Array; 2], Error> {
    let matrices = Matrices::square("slogdet", array, queue)?;
    let (size, dtype) = (matrices.rows, matrices.array.dtype());
    let signs = matrices.empty(&[], dtype)?;
    let logarithms = matrices.empty(&[], dtype.real())?;
    if size == 0 {
        copy_into(&signs, &Input::Scalar(Literal::one(dtype)))?;
        copy_into(&logarithms, &Input::Scalar(Literal::zero(dtype.real())))?;
        return Ok([signs, logarithms]);
    }
    let room = room(size, dtype, matrices.array.queue())?;
    let writes: Vec<&Array> = [&signs, &logarithms].into_iter().chain(&room).collect();
    let work = move |memory: HostMemory<'_>| {
        let (input, [signs, logarithms], room) = one_and_two(memory);
        in_room(dtype, input, room).log_determinants(size, signs, logarithms)
    };
    matrices.run(&writes, CanFail::No, work)?;
    Ok([signs, logarithms])
}

/// Inverses.
///
/// # Errors
/// If the array has no square matrices, one is singular, there is no memory or work failed.
pub fn inv(array: &Array, queue: Option<&Queue>) -> Result<Array, Error> {
    let matrices = Matrices::square("inv", array, queue)?;
    let (size, dtype) = (matrices.rows, matrices.array.dtype());
    let inverses = matrices.empty(&[size, size], dtype)?;
    let room = room(size, dtype, matrices.array.queue())?;
    let writes: Vec<&Array> = iter::once(&inverses).chain(&room).collect();
    let work = move |memory: HostMemory<'_>| {
        let (input, output, room) = one_and_optional(memory);
        in_room(dtype, input, room).inverses(size, output)
    };
    matrices.run(&writes, CanFail::Yes, work)?;
    Ok(inverses)
}

/// Solutions of systems of linear equations. The right sides are one vector if they have one dimension, and
/// columns of matrices otherwise; batches broadcast.
///
/// # Errors
/// If the arrays do not fit together in place or shape, a matrix is singular, there is no memory or work failed.
pub fn solve(array: &Array, right: &Array, queue: Option<&Queue>) -> Result<Array, Error> {
    let operation = "solve";
    let placer = Placer {
        operation: Operation::Function(operation),
        explicit: queue,
    };
    let named = [("x1", array), ("x2", right)];
    let named = named.map(|(name, array)| (name, Participant::Array(array)));
    let placement = placer.place(named.into_iter())?;
    let placement = placement.ok_or(Error::NoArray { operation })?;
    let queue = &placement.queue;
    let dtype = promote(array.dtype(), right.dtype());
    let dtype = matrix_dtype(operation, dtype, queue)?;
    let matrices = Matrices::square(operation, &array.with_queue(queue), None)?;
    let is_vector = right.shape().len() == 1;
    let right = in_dtype(&right.with_queue(queue), dtype)?;
    let mismatch = |why| Error::EquationShapes {
        matrices: array.shape().to_vec(),
        right: right.shape().to_vec(),
        why,
    };
    let (right_batch, sizes) = match right.shape() {
        [] => return Err(mismatch("the right sides have no dimension")),
        [size] => (&[][..], [*size, 1]),
        [batch @ .., size, columns] => (batch, [*size, *columns]),
    };
    if sizes[0] != matrices.rows {
        return Err(mismatch("there are not as many right sides as equations"));
    }
    let batch = broadcast_shapes(operation, &[&matrices.batch, right_batch])
        .map_err(|_| mismatch("the dimensions before the matrices do not broadcast"))?;
    let mut shape = batch.clone();
    shape.push(sizes[0]);
    shape.extend((!is_vector).then_some(sizes[1]));
    let solutions = Array::empty(&shape, dtype, queue, placement.usm_kind)?;
    // Without right sides there is still a matrix that may be singular.
    let has_matrices = sizes[0] != 0 && !batch.contains(&0);
    if !has_matrices {
        return Ok(solutions);
    }
    let left = in_dtype(&matrices.array, dtype)?;
    let systems = Systems {
        size: sizes[0],
        columns: sizes[1],
        pairs: matrix_pairs(&batch, [&matrices.batch, right_batch]),
    };
    let room = room(systems.size, dtype, queue)?;
    let writes: Vec<&Array> = iter::once(&solutions).chain(&room).collect();
    let call = HostCall {
        name: operation,
        queue,
        reads: &[&left, &right],
        writes: &writes,
        is_brief: systems.effort().is_brief(),
    };
    let work = move |memory: HostMemory<'_>| {
        let right = memory.reads[1];
        let (matrices, output, room) = one_and_optional(memory);
        in_room(dtype, matrices, room).solve(&systems, right, output)
    };
    submit(
        call,
        CanFail::Yes,
        &shape_of_matrices(&batch, sizes[0]),
        work,
    )?;
    Ok(solutions)
}

/// Eigenvalues of Hermitian matrices in ascending order, and their eigenvectors if they are wanted.
///
/// # Errors
/// If the array has no square matrices, an element is not finite, there is no memory or work failed.
pub fn eigh(
    operation: &'static str,
    array: &Array,
    triangle: Triangle,
    with_vectors: bool,
    queue: Option<&Queue>,
) -> Result<(Array, Option<Array>), Error> {
    let matrices = Matrices::square(operation, array, queue)?;
    let (size, dtype) = (matrices.rows, matrices.array.dtype());
    let values = matrices.empty(&[size], dtype.real())?;
    let vectors = with_vectors
        .then(|| matrices.empty(&[size, size], dtype))
        .transpose()?;
    let writes: Vec<&Array> = iter::once(&values).chain(&vectors).collect();
    let work = move |memory: HostMemory<'_>| {
        let (input, values, vectors) = one_and_optional(memory);
        in_batch(dtype, input).hermitian_eigen(size, triangle, values, vectors)
    };
    matrices.run(&writes, CanFail::Yes, work)?;
    Ok((values, vectors))
}

/// Eigenvalues, and their eigenvectors if they are wanted; all of them complex.
///
/// # Errors
/// If the array has no square matrices, an element is not finite, there is no memory or work failed.
pub fn eig(
    operation: &'static str,
    array: &Array,
    with_vectors: bool,
    queue: Option<&Queue>,
) -> Result<(Array, Option<Array>), Error> {
    let matrices = Matrices::square(operation, array, queue)?;
    let (size, dtype) = (matrices.rows, matrices.array.dtype());
    let complex = complex_of(dtype.real());
    let values = matrices.empty(&[size], complex)?;
    let vectors = with_vectors
        .then(|| matrices.empty(&[size, size], complex))
        .transpose()?;
    let writes: Vec<&Array> = iter::once(&values).chain(&vectors).collect();
    let work = move |memory: HostMemory<'_>| {
        let (input, values, vectors) = one_and_optional(memory);
        in_batch(dtype, input).eigen(size, values, vectors)
    };
    matrices.run(&writes, CanFail::Yes, work)?;
    Ok((values, vectors))
}

/// Singular values in descending order.
///
/// # Errors
/// If the array has no matrices, an element is not finite, there is no memory or work failed.
pub fn svdvals(array: &Array, queue: Option<&Queue>) -> Result<Array, Error> {
    let matrices = Matrices::new("svdvals", array, queue)?;
    let (sizes, dtype) = (matrices.sizes(), matrices.array.dtype());
    let values = matrices.empty(&[sizes[0].min(sizes[1])], dtype.real())?;
    let work = move |mut memory: HostMemory<'_>| {
        let [input] = [memory.reads[0]];
        let values = &mut *memory.writes[0];
        in_batch(dtype, input).singular(sizes, values, None)
    };
    matrices.run(&[&values], CanFail::Yes, work)?;
    Ok(values)
}

/// Left singular vectors, singular values in descending order, and conjugated right singular vectors.
///
/// # Errors
/// If the array has no matrices, an element is not finite, there is no memory or work failed.
pub fn svd(array: &Array, full_matrices: bool, queue: Option<&Queue>) -> Result<[Array; 3], Error> {
    let matrices = Matrices::new("svd", array, queue)?;
    let (sizes, dtype) = (matrices.sizes(), matrices.array.dtype());
    let rank = sizes[0].min(sizes[1]);
    let [left_columns, right_rows] = if full_matrices { sizes } else { [rank, rank] };
    let left = matrices.empty(&[sizes[0], left_columns], dtype)?;
    let values = matrices.empty(&[rank], dtype.real())?;
    let right = matrices.empty(&[right_rows, sizes[1]], dtype)?;
    if rank == 0 {
        fill_identity(&left)?;
        fill_identity(&right)?;
        return Ok([left, values, right]);
    }
    let work = move |mut memory: HostMemory<'_>| {
        let input = memory.reads[0];
        let [left, values, right] = memory.writes.as_mut_slice() else {
            unreachable!("three arrays are written");
        };
        let vectors = SingularVectorBytes {
            full: full_matrices,
            left,
            right,
        };
        in_batch(dtype, input).singular(sizes, values, Some(vectors))
    };
    matrices.run(&[&left, &values, &right], CanFail::Yes, work)?;
    Ok([left, values, right])
}

/// Whether a function may find that a matrix has no answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CanFail {
    Yes,
    No,
}

/// The matrices of an array, in a dtype that they can be decomposed in.
struct Matrices {
    operation: &'static str,
    /// Contiguous.
    array: Array,
    batch: Shape,
    rows: usize,
    columns: usize,
}

impl Matrices {
    fn new(operation: &'static str, array: &Array, queue: Option<&Queue>) -> Result<Self, Error> {
        let placer = Placer {
            operation: Operation::Function(operation),
            explicit: queue,
        };
        let array = placer.place_one("x", array)?;
        let [batch @ .., rows, columns] = array.shape() else {
            return Err(Error::MatrixNeeded {
                operation,
                ndim: array.shape().len(),
            });
        };
        let dtype = matrix_dtype(operation, array.dtype(), array.queue())?;
        Ok(Self {
            operation,
            batch: batch.into(),
            rows: *rows,
            columns: *columns,
            array: in_dtype(&array, dtype)?,
        })
    }

    fn square(
        operation: &'static str,
        array: &Array,
        queue: Option<&Queue>,
    ) -> Result<Self, Error> {
        let matrices = Self::new(operation, array, queue)?;
        let (rows, columns) = (matrices.rows, matrices.columns);
        if rows != columns {
            return Err(Error::NotSquare {
                operation,
                shape: array.shape().to_vec(),
                rows,
                columns,
            });
        }
        Ok(matrices)
    }

    fn sizes(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// New memory with something for each matrix.
    fn empty(&self, each: &[usize], dtype: DType) -> Result<Array, Error> {
        let mut shape = self.batch.clone();
        shape.extend_from_slice(each);
        Array::empty(&shape, dtype, self.array.queue(), self.array.usm_kind())
    }

    /// Lets the host write arrays.
    fn run(
        &self,
        writes: &[&Array],
        can_fail: CanFail,
        work: impl FnOnce(HostMemory<'_>) -> Result<(), Failure> + Send + 'static,
    ) -> Result<(), Error> {
        if self.array.layout().is_empty() {
            return Ok(());
        }
        let effort = Effort {
            matrices: self.batch.iter().product(),
            each: self.rows * self.columns * self.rows.max(self.columns),
        };
        let call = HostCall {
            name: self.operation,
            queue: self.array.queue(),
            reads: &[&self.array],
            writes,
            is_brief: effort.is_brief(),
        };
        submit(call, can_fail, self.array.shape(), work)
    }
}

/// Submits work, and waits for it if it can fail.
fn submit(
    call: HostCall<'_>,
    can_fail: CanFail,
    shape: &[usize],
    work: impl FnOnce(HostMemory<'_>) -> Result<(), Failure> + Send + 'static,
) -> Result<(), Error> {
    let failure = Arc::new(OnceLock::new());
    let told = Arc::clone(&failure);
    let event = call.submit(move |memory| {
        if let Err(failure) = work(memory) {
            // Nobody else sets it.
            let _ = told.set(failure);
        }
        Ok(())
    })?;
    if can_fail == CanFail::No {
        return Ok(());
    }
    event.wait()?;
    match failure.get() {
        None => Ok(()),
        Some(&Failure { matrix, problem }) => Err(Error::NoDecomposition {
            operation: call.name,
            matrix,
            shape: shape.to_vec(),
            problem,
        }),
    }
}

/// The matrices that are in host memory.
fn in_batch(dtype: DType, matrices: &[u8]) -> Batch<'_> {
    Batch {
        element: element(dtype),
        matrices,
        room: None,
        threads: pool::threads(),
    }
}

/// Matrices that are in host memory, and the [`room`] to work in.
fn in_room<'a>(dtype: DType, matrices: &'a [u8], room: Option<&'a mut [u8]>) -> Batch<'a> {
    Batch {
        room,
        ..in_batch(dtype, matrices)
    }
}

/// Host memory for one matrix of a dtype to be eliminated in, if it is large enough that getting some takes time, and the
/// device has such memory.
fn room(size: usize, dtype: DType, queue: &Queue) -> Result<Option<Array>, Error> {
    const LARGE: usize = 128;
    if size <= LARGE || !queue.device().has_usm_kind(UsmKind::Host) {
        return Ok(None);
    }
    Array::empty(&[size, size], dtype, queue, UsmKind::Host).map(Some)
}

/// What matrices of a dtype consist of, if that is no integer.
pub(super) fn element(dtype: DType) -> Element {
    let precision = match dtype.real() {
        DType::F32 => Precision::Single,
        _ => Precision::Double,
    };
    if dtype.is_complex() {
        Element::Complex(precision)
    } else {
        Element::Real(precision)
    }
}

/// The dtype that matrices of a dtype are decomposed in.
fn matrix_dtype(operation: &'static str, dtype: DType, queue: &Queue) -> Result<DType, Error> {
    if dtype == DType::F16 {
        return Err(Error::DTypeNotSupported {
            operation,
            dtypes: vec![dtype],
            help: "convert to single precision first, with `x.astype(\"float32\")`",
        });
    }
    let is_inexact = dtype.is_float() || dtype.is_complex();
    Ok(if is_inexact {
        dtype
    } else {
        device_dtypes::default_float(queue.device())
    })
}

/// The array in a dtype, contiguous.
fn in_dtype(array: &Array, dtype: DType) -> Result<Array, Error> {
    if array.dtype() == dtype {
        as_contiguous(array)
    } else {
        astype(array, dtype)
    }
}

/// Makes every matrix of a new array the identity.
fn fill_identity(array: &Array) -> Result<(), Error> {
    let dtype = array.dtype();
    copy_into(array, &Input::Scalar(Literal::zero(dtype)))?;
    copy_into(&diagonal(array, 0)?, &Input::Scalar(Literal::one(dtype)))
}

/// For each matrix of a common batch, the numbers of the two that broadcast to it.
pub(super) fn matrix_pairs(batch: &[usize], own: [&[usize]; 2]) -> Vec<[usize; 2]> {
    let numbers = |own: &[usize]| {
        // Contiguous numbers of the own batch, seen through the common one.
        let numbered = Layout::contiguous(own).expect("the batch is that of an array");
        let layout = numbered.broadcast_to(batch);
        let mut numbers = vec![0_isize];
        for (&size, &stride) in layout.shape().iter().zip(layout.strides()) {
            numbers = numbers
                .iter()
                .flat_map(|&at| (0..size as isize).map(move |index| at + index * stride))
                .collect();
        }
        numbers
    };
    let [left, right] = own.map(numbers);
    left.into_iter()
        .zip(right)
        .map(|(left, right)| [left as usize, right as usize])
        .collect()
}

/// The shape of matrices of a batch.
fn shape_of_matrices(batch: &[usize], size: usize) -> Shape {
    let mut shape = Shape::from(batch);
    shape.extend([size, size]);
    shape
}

fn one_and_two(memory: HostMemory<'_>) -> (&[u8], [&mut [u8]; 2], Option<&mut [u8]>) {
    let mut writes = memory.writes.into_iter();
    let mut next = || writes.next().expect("two arrays are written");
    (memory.reads[0], [next(), next()], writes.next())
}

fn one_and_optional(memory: HostMemory<'_>) -> (&[u8], &mut [u8], Option<&mut [u8]>) {
    let mut writes = memory.writes.into_iter();
    let first = writes.next().expect("an array is written");
    (memory.reads[0], first, writes.next())
}
