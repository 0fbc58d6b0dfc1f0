//! Products of matrices and of vectors: shapes, dtypes, and who computes them.
//!
//! - Sums of products that are bound by memory (dot products, a matrix times a vector) are the kernel
//!   [`crate::kernels::dot`] on every device; but a matrix of floats in host memory is
//!   [`situ_host::matrix_vector`]'s.
//! - Floats on the native device, where the host reaches the memory, are `faer`'s product.
//! - Everything else is the kernel [`crate::kernels::matmul`].

use situ_host::Precision;
use situ_host::matrix_product::{BatchProduct, Order};
use situ_host::matrix_vector::{MatrixVector, Way};
use situ_ir::promotion::promote;
use situ_ir::{DType, Literal};
use situ_runtime::device::BackendKind;
use situ_runtime::{Queue, UsmKind};

use super::decomposition::{element, matrix_pairs};
use super::launch::{DotLoops, launch_dot, launch_tiles};
use crate::array::Array;
use crate::broadcast::broadcast_shapes;
use crate::casting::Casting;
use crate::device_dtypes;
use crate::error::Error;
use crate::functions::apply::{Input, Operand, copy_into};
use crate::functions::creation::{as_contiguous, astype, full};
use crate::functions::manipulation::normalized_axes;
use crate::host::HostCall;
use crate::host::pool::KernelThreads;
use crate::layout::{Layout, Shape, Strides};
use crate::placement::{Operation, Participant, Placer};

/// The product of matrices in the last two dimensions, for all matrices along the others, which
/// broadcast. A vector on the left is a row, one on the right is a column, and that dimension is left
/// out of the result. Products of bools are truths: whether any pair is true.
///
/// # Errors
/// If the operands do not fit together in place or shape, there is no memory, or a launch fails.
pub fn matmul(
    operands: [&Operand; 2],
    out: Option<&Array>,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let placed = Placed::new("matmul", operands, out, queue)?;
    let factors = Factors::new(&placed)?;
    if let Some(out) = out {
        check_out(out, &factors.result_shape, placed.dtype)?;
    }
    let result = placed.product(&factors)?;
    let layout = result.layout().reshaped(&factors.result_shape);
    let result = result.with_layout(layout.ok_or_else(not_contiguous)?);
    let Some(out) = out else {
        return Ok(result);
    };
    copy_into(out, &Input::Array(result))?;
    Ok(out.clone())
}

/// The sum of products along an axis of two arrays that broadcast, the left elements conjugated.
///
/// # Errors
/// If the operands do not fit together in place or shape, there is no memory, or a launch fails.
pub fn vecdot(operands: [&Operand; 2], axis: i64, queue: Option<&Queue>) -> Result<Array, Error> {
    let placed = Placed::new("vecdot", operands, None, queue)?;
    let shapes = placed.shapes();
    // The axis counts from the end, so that it means the same in both arrays and in what they broadcast to.
    let smaller = shapes[0].len().min(shapes[1].len());
    let axis = if axis >= 0 && shapes[0].len() == shapes[1].len() {
        axis - smaller as i64
    } else {
        axis
    };
    if axis >= 0 || axis < -(smaller as i64) {
        return Err(Error::AxisOutOfBounds {
            axis,
            ndim: smaller,
        });
    }
    let from_end = axis.unsigned_abs() as usize;
    let sizes = shapes.map(|shape| shape[shape.len() - from_end]);
    if sizes[0] != sizes[1] {
        return Err(placed.mismatch("`vecdot`", "the axis has different sizes"));
    }
    let common = broadcast_shapes("vecdot", &shapes)?;
    let axis = normalized_axes(&[axis], common.len())?[0];
    let mut shape = common.clone();
    shape.remove(axis);
    let strides = [&placed.left, &placed.right].map(|operand| {
        let mut strides = Strides::from(operand.layout().broadcast_to(&common).strides());
        let step = strides.remove(axis);
        (strides, step)
    });
    let [(left, left_step), (right, right_step)] = strides;
    let loops = DotLoops {
        shape: &shape,
        strides: [&left, &right],
        length: common[axis],
        steps: [left_step, right_step],
        conjugate: true,
    };
    if shape.contains(&0) || common[axis] == 0 {
        return placed.zeros(&shape);
    }
    let sums = launch_dot(&placed, &loops)?;
    let layout = sums.layout().reshaped(&shape).ok_or_else(not_contiguous)?;
    Ok(sums.with_layout(layout))
}

/// Two operands as arrays of the queue that multiplies them.
pub(super) struct Placed {
    operation: &'static str,
    pub(super) left: Array,
    pub(super) right: Array,
    pub(super) queue: Queue,
    pub(super) usm_kind: UsmKind,
    /// The dtype of the result.
    pub(super) dtype: DType,
}

impl Placed {
    fn new(
        operation: &'static str,
        operands: [&Operand; 2],
        out: Option<&Array>,
        queue: Option<&Queue>,
    ) -> Result<Self, Error> {
        let placer = Placer {
            operation: Operation::Function(operation),
            explicit: queue,
        };
        let inputs = operands.into_iter().map(Operand::participant);
        let named = ["x1", "x2"].into_iter().zip(inputs);
        let output = out.map(|out| ("out", Participant::Output(out)));
        let placement = placer
            .place(named.chain(output))?
            .ok_or(Error::NoArray { operation })?;
        let [left, right] = operands.map(|operand| match operand {
            Operand::Array(array) => Ok(array.with_queue(&placement.queue)),
            Operand::Scalar(_) | Operand::Literal(_) | Operand::HostArray => {
                Err(Error::TooFewDimensions {
                    operation,
                    ndim: 0,
                    needed: 1,
                })
            }
        });
        let (left, right) = (left?, right?);
        for array in [&left, &right] {
            if array.shape().is_empty() {
                return Err(Error::TooFewDimensions {
                    operation,
                    ndim: 0,
                    needed: 1,
                });
            }
        }
        let device = placement.queue.device();
        let dtype = device_dtypes::nearest(promote(left.dtype(), right.dtype()), device);
        Ok(Self {
            operation,
            left,
            right,
            queue: placement.queue,
            usm_kind: placement.usm_kind,
            dtype,
        })
    }

    fn shapes(&self) -> [&[usize]; 2] {
        [self.left.shape(), self.right.shape()]
    }

    fn mismatch(&self, what: &'static str, why: &'static str) -> Error {
        let [left, right] = self.shapes().map(<[usize]>::to_vec);
        Error::ProductShapes {
            what,
            why,
            left,
            right,
        }
    }

    /// New, contiguous memory for a result.
    pub(super) fn empty(&self, shape: &[usize], dtype: DType) -> Result<Array, Error> {
        Array::empty(shape, dtype, &self.queue, self.usm_kind)
    }

    fn zeros(&self, shape: &[usize]) -> Result<Array, Error> {
        full(shape, Literal::zero(self.dtype), &self.queue, self.usm_kind)
    }

    /// The products of all matrices, contiguous.
    fn product(&self, factors: &Factors) -> Result<Array, Error> {
        let shape = factors.product_shape();
        if shape.contains(&0) || factors.inner == 0 {
            return self.zeros(&shape);
        }
        let is_native = self.queue.device().backend() == BackendKind::Native;
        let is_reachable = [&self.left, &self.right]
            .iter()
            .all(|array| array.allocation().is_host_accessible());
        let on_host = is_native && is_reachable;
        if factors.rows == 1 || factors.columns == 1 {
            if on_host && let Some(product) = self.host_matrix_vector(factors)? {
                return Ok(product);
            }
            return launch_dot(self, &factors.dot_loops().loops(factors.inner));
        }
        match self.dtype {
            DType::F16 if on_host => {
                let product = self.host_product(factors, DType::F32)?;
                astype(&product, DType::F16)
            }
            dtype if (dtype.is_float() || dtype.is_complex()) && on_host => {
                self.host_product(factors, dtype)
            }
            _ => launch_tiles(self, factors),
        }
    }

    /// The product of one matrix and a vector, if the host is good at it: floats that need no copy.
    fn host_matrix_vector(&self, factors: &Factors) -> Result<Option<Array>, Error> {
        let is_one_dtype = [&self.left, &self.right]
            .iter()
            .all(|array| array.dtype() == self.dtype);
        let is_float = matches!(self.dtype, DType::F32 | DType::F64);
        if !is_float || !is_one_dtype || factors.batch.iter().any(|&size| size != 1) {
            return Ok(None);
        }
        // A row times a matrix is the transposed matrix times a column.
        let is_left = factors.columns == 1;
        let (matrix, vector) = if is_left {
            (&self.left, &self.right)
        } else {
            (&self.right, &self.left)
        };
        let Some((matrix, order)) = stored_already(matrix) else {
            return Ok(None);
        };
        if !vector.layout().is_contiguous() {
            return Ok(None);
        }
        let len = factors.rows.max(factors.columns);
        let plan = if is_left == (order == Order::ByRows) {
            MatrixVector {
                rows: len,
                columns: factors.inner,
                way: Way::Dots,
            }
        } else {
            MatrixVector {
                rows: factors.inner,
                columns: len,
                way: Way::Combination,
            }
        };
        if !plan.is_quickest() {
            return Ok(None);
        }
        let product = self.empty(&factors.product_shape(), self.dtype)?;
        let call = HostCall {
            name: "matmul",
            queue: &self.queue,
            reads: &[&matrix, vector],
            writes: &[&product],
            is_brief: plan.is_brief(),
        };
        let precision = match self.dtype {
            DType::F32 => Precision::Single,
            _ => Precision::Double,
        };
        let kernel_threads = KernelThreads::new(self.queue.device());
        call.submit(move |mut memory| {
            let factors = [memory.reads[0], memory.reads[1]];
            plan.run(
                precision,
                factors,
                memory.writes[0],
                kernel_threads.threads(),
            );
            Ok(())
        })?;
        Ok(Some(product))
    }

    /// The products by `faer`.
    fn host_product(&self, factors: &Factors, dtype: DType) -> Result<Array, Error> {
        let (left, left_order) = stored(&self.left, dtype)?;
        let (right, right_order) = stored(&self.right, dtype)?;
        let product = self.empty(&factors.product_shape(), dtype)?;
        let own_batches = [&*factors.own_batches[0], &*factors.own_batches[1]];
        let plan = BatchProduct {
            rows: factors.rows,
            inner: factors.inner,
            columns: factors.columns,
            left_order,
            right_order,
            matrices: matrix_pairs(&factors.batch, own_batches),
        };
        let call = HostCall {
            name: "matmul",
            queue: &self.queue,
            reads: &[&left, &right],
            writes: &[&product],
            is_brief: plan.is_brief(),
        };
        let kernel_threads = KernelThreads::new(self.queue.device());
        call.submit(move |mut memory| {
            let factors = [memory.reads[0], memory.reads[1]];
            plan.run(
                element(dtype),
                factors,
                memory.writes[0],
                kernel_threads.threads(),
            );
            Ok(())
        })?;
        Ok(product)
    }
}

/// An operand in a dtype, its matrices contiguous row by row or column by column.
fn stored(array: &Array, dtype: DType) -> Result<(Array, Order), Error> {
    let array = if array.dtype() == dtype {
        array.clone()
    } else {
        astype(array, dtype)?
    };
    match stored_already(&array) {
        Some(stored) => Ok(stored),
        None => Ok((as_contiguous(&array)?, Order::ByRows)),
    }
}

/// An operand whose matrices are contiguous row by row or column by column as they are.
fn stored_already(array: &Array) -> Option<(Array, Order)> {
    if array.layout().is_contiguous() {
        return Some((array.clone(), Order::ByRows));
    }
    let ndim = array.shape().len();
    if ndim < 2 {
        return None;
    }
    let mut axes: Vec<usize> = (0..ndim).collect();
    axes.swap(ndim - 2, ndim - 1);
    let transposed = array.layout().permuted(&axes);
    let is_stored = transposed.is_contiguous();
    is_stored.then(|| (array.with_layout(transposed), Order::ByColumns))
}

/// What is multiplied with what: batches of matrices that broadcast.
pub(super) struct Factors {
    pub(super) rows: usize,
    pub(super) inner: usize,
    pub(super) columns: usize,
    /// The common shape of the batches.
    pub(super) batch: Shape,
    /// The operands as (batch, rows, inner) and (batch, inner, columns).
    pub(super) left: Layout,
    pub(super) right: Layout,
    /// The shapes of the operands' own batches.
    own_batches: [Shape; 2],
    /// The result's shape, without dimensions that vectors do not have.
    result_shape: Shape,
}

impl Factors {
    fn new(placed: &Placed) -> Result<Self, Error> {
        let [left_shape, right_shape] = placed.shapes();
        let left_is_vector = left_shape.len() == 1;
        let right_is_vector = right_shape.len() == 1;
        let left = if left_is_vector {
            with_dimension(placed.left.layout(), 0)
        } else {
            placed.left.layout().clone()
        };
        let right = if right_is_vector {
            with_dimension(placed.right.layout(), 1)
        } else {
            placed.right.layout().clone()
        };
        let (left_batch, [rows, inner]) = split(&left);
        let (right_batch, [right_inner, columns]) = split(&right);
        if inner != right_inner {
            let why = "the columns of the left one are not as many as the rows of the right one";
            return Err(placed.mismatch("matrices", why));
        }
        let batch = broadcast_shapes(placed.operation, &[left_batch, right_batch])
            .map_err(|_| placed.mismatch("matrices", "their other dimensions do not broadcast"))?;
        let mut result_shape = batch.clone();
        result_shape.extend((!left_is_vector).then_some(rows));
        result_shape.extend((!right_is_vector).then_some(columns));
        let broadcast = |layout: &Layout, sizes: [usize; 2]| {
            let mut shape = batch.clone();
            shape.extend(sizes);
            layout.broadcast_to(&shape)
        };
        Ok(Self {
            rows,
            inner,
            columns,
            left: broadcast(&left, [rows, inner]),
            right: broadcast(&right, [inner, columns]),
            own_batches: [left_batch.into(), right_batch.into()],
            batch,
            result_shape,
        })
    }

    /// The shape of the products: (batch, rows, columns).
    pub(super) fn product_shape(&self) -> Shape {
        let mut shape = self.batch.clone();
        shape.extend([self.rows, self.columns]);
        shape
    }

    /// The sums of products that make the result.
    fn dot_loops(&self) -> OwnedLoops {
        let ndim = self.batch.len();
        let (left, right) = (self.left.strides(), self.right.strides());
        let mut strides = [Strides::from(&left[..ndim]), Strides::from(&right[..ndim])];
        strides[0].extend([left[ndim], 0]);
        strides[1].extend([0, right[ndim + 1]]);
        OwnedLoops {
            shape: self.product_shape(),
            strides,
            steps: [left[ndim + 1], right[ndim]],
        }
    }
}

/// What [`DotLoops`] borrows from.
struct OwnedLoops {
    shape: Shape,
    strides: [Strides; 2],
    steps: [isize; 2],
}

impl OwnedLoops {
    fn loops(&self, length: usize) -> DotLoops<'_> {
        DotLoops {
            shape: &self.shape,
            strides: [&self.strides[0], &self.strides[1]],
            length,
            steps: self.steps,
            conjugate: false,
        }
    }
}

/// A layout with another dimension of size one.
fn with_dimension(layout: &Layout, axis: usize) -> Layout {
    let (mut shape, mut strides) = (Shape::from(layout.shape()), Strides::from(layout.strides()));
    shape.insert(axis, 1);
    strides.insert(axis, 0);
    Layout::from_parts(&shape, &strides, layout.offset())
}

/// The shape of a batch, and the sizes of its matrices.
fn split(layout: &Layout) -> (&[usize], [usize; 2]) {
    let (batch, sizes) = layout.shape().split_at(layout.ndim() - 2);
    (batch, [sizes[0], sizes[1]])
}

fn check_out(out: &Array, shape: &[usize], result: DType) -> Result<(), Error> {
    let operation = "matmul";
    if out.shape() != shape {
        return Err(Error::OutputShape {
            operation,
            result: shape.to_vec(),
            out: out.shape().to_vec(),
        });
    }
    let casting = Casting::SameKind;
    if !casting.allows(result, out.dtype()) {
        return Err(Error::OutputDType {
            operation,
            result,
            out: out.dtype(),
            casting,
        });
    }
    Ok(())
}

fn not_contiguous() -> Error {
    Error::Internal {
        invariant: "a new array can be reshaped".to_owned(),
    }
}
