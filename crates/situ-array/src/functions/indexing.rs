//! Indexing with arrays: integers choose elements, masks those that hold.
//!
//! An index expression is resolved in three steps. Masks become index arrays, one for each of their
//! dimensions ([`nonzero`]). Everything that makes views is applied first, which leaves a view whose
//! remaining axes are either kept or indexed by an array. Index arrays are broadcast together, and their
//! dimensions take the place of the first indexed axis, or come first where something stands between
//! indexed axes, as NumPy has it.

use situ_ir::interpret::number;
use situ_ir::{DType, Literal, NdRange};
use situ_runtime::{Argument, BorrowedArgument, DeviceType, IndexedAxis, Queue, index_report};
use smallvec::SmallVec;

use crate::array::Array;
use crate::broadcast::broadcast_shapes;
use crate::error::Error;
use crate::functions::apply::{Input, Mapped, Operand, assigned_scalar, contiguous_copy};
use crate::functions::creation::as_contiguous;
use crate::functions::elementwise;
use crate::functions::manipulation::{broadcast_to, expand_dims, reshape};
use crate::functions::scanning::{self, Along, Cumulative};
use crate::functions::statistical::{self, Over, Truth};
use crate::functions::{apply, manipulation, small_masks};
use crate::index::IndexItem;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::compact::{self, CompactShape};
use crate::kernels::indexed::{self, Direction, IndexedShape, RUN_LENGTH, Sequence};
use crate::kernels::map::{self, MapOperand, MapShape};
use crate::layout::{Layout, Shape, Strides};
use crate::loop_nest::{Loop, LoopNest, StrideClass};
use crate::placement::{Operation, Participant, Placement, Placer};

/// One entry of an index expression that may have arrays in it.
#[derive(Clone, Debug)]
pub enum ArrayIndexItem {
    /// What makes a view.
    Basic(IndexItem),
    /// Integers, or a mask.
    Array(Array),
    /// A mask of no dimensions.
    Bool(bool),
}

/// What an index expression selects: a view, and index arrays for some of its axes.
struct Selection {
    /// The data, with whole axes where arrays index.
    view: Array,
    /// The axes that arrays index, in order.
    axes: SmallVec<[usize; 2]>,
    /// The index arrays, broadcast to one shape.
    indices: SmallVec<[Array; 2]>,
    /// Where the dimensions of the index arrays are in the result.
    position: usize,
}

impl Selection {
    fn index_shape(&self) -> &[usize] {
        self.indices.first().map_or(&[], Array::shape)
    }

    /// The shape of what is selected.
    fn shape(&self) -> Shape {
        let kept = self.kept_axes();
        let size = |axis: &usize| self.view.shape()[*axis];
        let mut shape: Shape = kept.iter().map(size).collect();
        shape.insert_from_slice(self.position, self.index_shape());
        shape
    }

    fn kept_axes(&self) -> SmallVec<[usize; 4]> {
        (0..self.view.shape().len())
            .filter(|axis| !self.axes.contains(axis))
            .collect()
    }

    /// How the data moves with the dimensions of the result: not at all with those of the indices.
    fn data_strides(&self) -> Strides {
        let kept = self.kept_axes();
        let stride = |axis: &usize| self.view.layout().strides()[*axis];
        let mut strides: Strides = kept.iter().map(stride).collect();
        let still = Strides::from_elem(0, self.index_shape().len());
        strides.insert_from_slice(self.position, &still);
        strides
    }

    /// Has indices checked that select no element, because other axes have none.
    fn check_indices(&self) -> Result<(), Error> {
        if self.index_shape().contains(&0) {
            return Ok(());
        }
        let (queue, usm_kind) = (self.view.queue(), self.view.usm_kind());
        // One element stands for all: the same selection with axes of one step where none is indexed.
        let zero = Literal::zero(self.view.dtype());
        let element = super::creation::full(&[1], zero, queue, usm_kind)?;
        let axes = self.view.shape().iter().enumerate();
        let sizes: Shape = axes
            .map(|(axis, &size)| if self.axes.contains(&axis) { size } else { 1 })
            .collect();
        let still = Strides::from_elem(0, sizes.len());
        let selection = Self {
            view: element.with_layout(Layout::from_parts(&sizes, &still, 0)),
            axes: self.axes.clone(),
            indices: self.indices.clone(),
            position: self.position,
        };
        let (shape, dtype) = (selection.shape(), self.view.dtype());
        let unused = Array::empty(&shape, dtype, queue, usm_kind)?;
        let transfer = Transfer {
            direction: Direction::Gather,
            sequence: Sequence::Any,
        };
        transfer.launch(&selection, &Input::Array(unused))
    }

    /// How index arrays move with the dimensions of the result.
    fn index_strides(&self, index: &Array) -> Strides {
        let mut strides = Strides::from_elem(0, self.kept_axes().len());
        strides.insert_from_slice(self.position, index.layout().strides());
        strides
    }
}

/// The elements that an index expression with arrays selects, in a new array.
///
/// # Errors
/// If the arrays live in different places, an index does not fit, there is no memory or a launch fails.
/// Integers in arrays that do not exist are reported by the next wait.
pub fn get(array: &Array, index: &[ArrayIndexItem]) -> Result<Array, Error> {
    let placement = place(array, index, None)?;
    let usm_kind = placement.map_or(array.usm_kind(), |placement| placement.usm_kind);
    if let [ArrayIndexItem::Array(mask)] = index
        && let Some(chosen) = small_masks::choose(array, mask, usm_kind)?
    {
        return Ok(chosen);
    }
    let selection = resolve(array, index)?;
    let shape = selection.shape();
    let result = Array::empty(&shape, array.dtype(), array.queue(), usm_kind)?;
    let transfer = Transfer {
        direction: Direction::Gather,
        sequence: Sequence::Any,
    };
    transfer.launch(&selection, &Input::Array(result.clone()))?;
    Ok(result)
}

/// Assigns to the elements that an index expression with arrays selects. Where an element is selected
/// several times, it gets the last of its values.
///
/// # Errors
/// As [`get`], and if the value does not broadcast to what is selected.
pub fn set(array: &Array, index: &[ArrayIndexItem], value: &Operand) -> Result<(), Error> {
    place(array, index, Some(value))?;
    if let [ArrayIndexItem::Array(mask)] = index
        && let Some(value) = single(value, array.dtype())?
        && let Some(mask) = spread_mask(mask, array.shape())
    {
        return assign_where(array, &mask, value);
    }
    let sequence = sequence(array, index, value);
    let selection = resolve(array, index)?;
    let shape = selection.shape();
    let value = match value {
        Operand::Scalar(scalar) => Input::Scalar(assigned_scalar(*scalar, array.dtype())?),
        Operand::Literal(literal) => Input::Scalar(*literal),
        Operand::Array(value) => {
            let Ok(spread) = broadcast_to(value, &shape) else {
                return Err(Error::AssignmentShape {
                    value: value.shape().to_vec(),
                    target: shape.to_vec(),
                });
            };
            // What is assigned must not change on the way.
            Input::Array(apart_from(&spread, array)?)
        }
        Operand::HostArray => {
            return Err(Error::Internal {
                invariant: "placement refuses host arrays".to_owned(),
            });
        }
    };
    let transfer = Transfer {
        direction: Direction::Scatter,
        sequence,
    };
    transfer.launch(&selection, &value)
}

/// The one number that a value is, if it is one, in a dtype.
fn single(value: &Operand, dtype: DType) -> Result<Option<Input>, Error> {
    Ok(match value {
        Operand::Scalar(scalar) => Some(Input::Scalar(assigned_scalar(*scalar, dtype)?)),
        // Converted here, because the device may not have the literal's dtype.
        Operand::Literal(literal) => Some(Input::Scalar(number::cast(*literal, dtype))),
        Operand::Array(value) if value.shape().is_empty() => Some(Input::Array(value.clone())),
        Operand::Array(_) | Operand::HostArray => None,
    })
}

/// A mask over the first dimensions of a shape as one over all of them.
fn spread_mask(mask: &Array, shape: &[usize]) -> Option<Array> {
    if !mask.dtype().is_bool() || !shape.starts_with(mask.shape()) {
        return None;
    }
    let mut strides = Strides::from(mask.layout().strides());
    strides.resize(shape.len(), 0);
    let layout = Layout::from_parts(shape, &strides, mask.layout().offset());
    Some(mask.with_layout(layout))
}

/// Assigns one number to the elements where a mask holds. Nobody needs to know which these are.
fn assign_where(array: &Array, mask: &Array, value: Input) -> Result<(), Error> {
    let value = match value {
        Input::Array(value) => Input::Array(apart_from(&value, array)?),
        number @ Input::Scalar(_) => number,
    };
    let mask = Input::Array(apply::separated(mask, array)?);
    let compute = SmallVec::from_slice(&[array.dtype(), DType::Bool]);
    apply::launch(
        Mapped::Function("copy"),
        array.queue(),
        array,
        &[value, mask],
        (compute, true),
        &|_, x| x[0],
    )
}

/// Whether the order of assignments matters: an element may be selected several times, with different values. Masks
/// select no element twice. Of equal values any may be the last, but a device that looks for races would report them.
fn sequence(array: &Array, index: &[ArrayIndexItem], value: &Operand) -> Sequence {
    let may_repeat = index.iter().any(|item| match item {
        ArrayIndexItem::Array(indices) => !indices.dtype().is_bool() && indices.size() > 1,
        ArrayIndexItem::Basic(_) | ArrayIndexItem::Bool(_) => false,
    });
    let differ = matches!(value, Operand::Array(values) if values.size() > 1);
    if may_repeat && (differ || array.queue().device().finds_races()) {
        Sequence::InOrder
    } else {
        Sequence::Any
    }
}

/// Puts values at positions of an array of one dimension, each of which is named once.
///
/// # Errors
/// If there is no memory or the launch fails.
pub(super) fn scatter(array: &Array, positions: &Array, values: &Array) -> Result<(), Error> {
    let selection = resolve(array, &[ArrayIndexItem::Array(positions.clone())])?;
    let transfer = Transfer {
        direction: Direction::Scatter,
        sequence: Sequence::Any,
    };
    transfer.launch(&selection, &Input::Array(values.clone()))
}

/// Everything that takes part must live in one place.
fn place(
    array: &Array,
    index: &[ArrayIndexItem],
    value: Option<&Operand>,
) -> Result<Option<Placement>, Error> {
    let placer = Placer {
        operation: if value.is_some() {
            Operation::Assignment
        } else {
            Operation::Function("indexing")
        },
        explicit: None,
    };
    let own = match value {
        Some(_) => Participant::Output(array),
        None => Participant::Array(array),
    };
    let indices = index.iter().filter_map(|item| match item {
        ArrayIndexItem::Array(array) => Some(("index", Participant::Array(array))),
        ArrayIndexItem::Basic(_) | ArrayIndexItem::Bool(_) => None,
    });
    let value = value.map(|value| ("value", value.participant()));
    let all = std::iter::once(("x", own)).chain(indices).chain(value);
    placer.place(all)
}

fn apart_from(array: &Array, target: &Array) -> Result<Array, Error> {
    if array.may_overlap(target) {
        contiguous_copy(array)
    } else {
        Ok(array.clone())
    }
}

/// An index entry once masks are gone.
enum Resolved {
    View(IndexItem),
    /// Indices for the next axis.
    Indices(Array),
    /// Indices for a new axis of size one, which is what NumPy makes of a mask of no dimensions.
    OnNewAxis(Array),
}

fn resolve(array: &Array, index: &[ArrayIndexItem]) -> Result<Selection, Error> {
    let items = without_masks(array, index)?;
    // Integers beside arrays are indices like them.
    let mut view_items: SmallVec<[IndexItem; 4]> = SmallVec::new();
    let mut indices: SmallVec<[Array; 2]> = SmallVec::new();
    let mut places: SmallVec<[usize; 2]> = SmallVec::new();
    for (place, item) in items.iter().enumerate() {
        match item {
            Resolved::View(IndexItem::Integer(position)) => {
                view_items.push(IndexItem::ALL);
                indices.push(integer(array, *position)?);
                places.push(place);
            }
            Resolved::View(item) => view_items.push(*item),
            Resolved::Indices(positions) | Resolved::OnNewAxis(positions) => {
                let is_new = matches!(item, Resolved::OnNewAxis(_));
                view_items.push(if is_new {
                    IndexItem::NewAxis
                } else {
                    IndexItem::ALL
                });
                indices.push(positions.clone());
                places.push(place);
            }
        }
    }
    let view = array.view(&view_items)?;
    let axes = indexed_axes(&view_items, &places, view.shape().len());
    check_integers(&items, &axes, &view)?;
    let shapes: SmallVec<[&[usize]; 2]> = indices.iter().map(Array::shape).collect();
    let shape = broadcast_shapes("index", &shapes).map_err(|_| Error::IndexShapes {
        shapes: shapes.iter().map(|shape| shape.to_vec()).collect(),
    })?;
    let indices = indices
        .iter()
        .map(|index| broadcast_to(index, &shape))
        .collect::<Result<SmallVec<[Array; 2]>, Error>>()?;
    let is_together = places.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let position = if is_together {
        axes.first().copied().unwrap_or(0)
    } else {
        0
    };
    Ok(Selection {
        view,
        axes,
        indices,
        position,
    })
}

/// Integers that the user wrote are checked at once.
fn check_integers(items: &[Resolved], axes: &[usize], view: &Array) -> Result<(), Error> {
    let indexed = items.iter().filter_map(|item| match item {
        Resolved::View(IndexItem::Integer(index)) => Some(Some(*index)),
        Resolved::View(_) => None,
        Resolved::Indices(_) | Resolved::OnNewAxis(_) => Some(None),
    });
    for (index, &axis) in indexed.zip(axes) {
        let size = view.shape()[axis];
        let Some(index) = index else { continue };
        if index >= size as i64 || index < -(size as i64) {
            return Err(Error::IndexOutOfBounds { index, axis, size });
        }
    }
    Ok(())
}

/// Which axes of a view the entries at some places of the index became.
fn indexed_axes(items: &[IndexItem], places: &[usize], ndim: usize) -> SmallVec<[usize; 2]> {
    let others = items
        .iter()
        .filter(|item| **item != IndexItem::Ellipsis)
        .count();
    let mut axis = 0;
    let mut axes = SmallVec::new();
    for (place, item) in items.iter().enumerate() {
        if places.contains(&place) {
            axes.push(axis);
        }
        axis += match item {
            IndexItem::Ellipsis => ndim - others,
            _ => 1,
        };
    }
    axes
}

/// An index array of no dimensions.
fn integer(array: &Array, position: i64) -> Result<Array, Error> {
    let literal = Literal::I64(position);
    super::creation::full(&[], literal, array.queue(), array.usm_kind())
}

/// The index with the positions of what holds in the place of masks.
fn without_masks(array: &Array, index: &[ArrayIndexItem]) -> Result<Vec<Resolved>, Error> {
    let mut axis = 0;
    let consumed = |item: &ArrayIndexItem| match item {
        ArrayIndexItem::Basic(IndexItem::Integer(_) | IndexItem::Slice { .. }) => 1,
        ArrayIndexItem::Basic(_) | ArrayIndexItem::Bool(_) => 0,
        ArrayIndexItem::Array(mask) if mask.dtype().is_bool() => mask.shape().len(),
        ArrayIndexItem::Array(_) => 1,
    };
    let ndim = array.shape().len();
    let given: usize = index.iter().map(consumed).sum();
    if given > ndim {
        return Err(Error::TooManyIndices { ndim, given });
    }
    let mut items = Vec::with_capacity(index.len());
    for item in index {
        match item {
            ArrayIndexItem::Basic(item) => items.push(Resolved::View(*item)),
            ArrayIndexItem::Bool(holds) => {
                items.push(Resolved::OnNewAxis(zeros(array, usize::from(*holds))?));
            }
            ArrayIndexItem::Array(indices) if indices.dtype().is_integer() => {
                items.push(Resolved::Indices(indices.clone()));
            }
            ArrayIndexItem::Array(mask) if mask.dtype().is_bool() => {
                check_mask(array, mask, axis)?;
                if mask.shape().is_empty() {
                    let flat = reshape(mask, &[1])?;
                    items.extend(nonzero(&flat)?.into_iter().map(Resolved::OnNewAxis));
                } else {
                    items.extend(nonzero(mask)?.into_iter().map(Resolved::Indices));
                }
            }
            ArrayIndexItem::Array(other) => {
                return Err(Error::IndexDType {
                    dtype: other.dtype(),
                });
            }
        }
        axis += match item {
            ArrayIndexItem::Basic(IndexItem::Ellipsis) => ndim - given,
            other => consumed(other),
        };
    }
    Ok(items)
}

fn zeros(array: &Array, count: usize) -> Result<Array, Error> {
    let literal = Literal::I64(0);
    super::creation::full(&[count], literal, array.queue(), array.usm_kind())
}

fn check_mask(array: &Array, mask: &Array, first: usize) -> Result<(), Error> {
    for (offset, &size) in mask.shape().iter().enumerate() {
        let axis = first + offset;
        let own = array.shape().get(axis).copied();
        // A mask without elements chooses none of any size, as in NumPy.
        if own != Some(size) && (own.is_none() || size != 0) {
            return Err(Error::MaskShape {
                mask: mask.shape().to_vec(),
                shape: array.shape().to_vec(),
                axis,
            });
        }
    }
    Ok(())
}

/// How elements go between values and selected data.
#[derive(Clone, Copy)]
struct Transfer {
    direction: Direction,
    sequence: Sequence,
}

impl Transfer {
    /// Launches the kernel that moves them.
    fn launch(self, selection: &Selection, values: &Input) -> Result<(), Error> {
        let shape = selection.shape();
        if shape.contains(&0) {
            return selection.check_indices();
        }
        let view = &selection.view;
        let queue = view.queue();
        let data_strides = selection.data_strides();
        let value_strides = match values {
            Input::Array(values) => Strides::from(values.layout().strides()),
            Input::Scalar(_) => Layout::contiguous(&shape)?.strides().into(),
        };
        let index_strides: SmallVec<[Strides; 2]> = selection
            .indices
            .iter()
            .map(|index| selection.index_strides(index))
            .collect();
        let strides: SmallVec<[&[isize]; 4]> = [&value_strides, &data_strides]
            .into_iter()
            .chain(&index_strides)
            .map(SmallVec::as_slice)
            .collect();
        let nest = match self.sequence {
            Sequence::Any | Sequence::Runs => LoopNest::new(&shape, &strides),
            Sequence::InOrder => LoopNest::in_order(&shape, &strides),
        };
        if nest.rank() == 0 {
            // One element has no order.
            let any = Self {
                sequence: Sequence::Any,
                ..self
            };
            return any.launch(selection, values);
        }
        let memory = |array: &Array, stride| MapOperand::Memory {
            dtype: array.dtype(),
            stride,
        };
        let mut classes = nest.inner_classes();
        let mut class = || {
            classes.next().ok_or_else(|| Error::Internal {
                invariant: "there is a stride for each operand".to_owned(),
            })
        };
        let of_values = class()?;
        let mut operands: SmallVec<[MapOperand; 4]> = SmallVec::new();
        operands.push(match values {
            Input::Array(values) => memory(values, of_values),
            Input::Scalar(literal) => MapOperand::Scalar {
                dtype: literal.dtype(),
            },
        });
        operands.push(memory(view, class()?));
        for index in &selection.indices {
            operands.push(memory(index, class()?));
        }
        let sequence = if self.sequence == Sequence::Any && moves_rows(&operands, &nest, queue) {
            Sequence::Runs
        } else {
            self.sequence
        };
        let prefetches = sequence != Sequence::InOrder
            && self.direction == Direction::Gather
            && are_next_to_each_other(&nest)
            && is_far_away(view);
        let map_shape = MapShape {
            operands,
            compute: SmallVec::new(),
            rank: nest.rank() as u8,
            is_masked: false,
            streams: false,
        };

        let sizes: SmallVec<[IndexedAxis; 2]> = selection
            .axes
            .iter()
            .map(|&axis| IndexedAxis {
                axis,
                size: view.shape()[axis],
            })
            .collect();
        let report = index_report(queue, &sizes)?;
        let index = |value: i64| BorrowedArgument::Scalar(Literal::I64(value));
        let mut arguments: SmallVec<[BorrowedArgument<'_>; 16]> = SmallVec::new();
        arguments.push(values.borrowed_argument());
        arguments.push(view.borrowed_argument());
        arguments.extend(selection.indices.iter().map(Array::borrowed_argument));
        let row_length = nest.loops.last().map_or(0, |inner| inner.size);
        let (layout, range) = match sequence {
            Sequence::Any => (
                map::layout_arguments(&map_shape, &nest),
                map::launch_sizes(&nest),
            ),
            Sequence::Runs => {
                let mut range = map::launch_sizes(&nest);
                if let Some(inner) = range.last_mut() {
                    *inner = row_length.div_ceil(RUN_LENGTH) as u64;
                }
                (map::layout_arguments(&map_shape, &nest), range)
            }
            Sequence::InOrder => {
                let count: usize = shape.iter().product();
                let inner = nest.loops.iter().skip(1).map(|each| each.size as i64);
                let mut layout: SmallVec<[i64; 8]> =
                    std::iter::once(count as i64).chain(inner).collect();
                layout.extend(map::stride_arguments(&map_shape, &nest));
                (layout, SmallVec::from_elem(1, 1))
            }
        };
        arguments.extend(layout.into_iter().map(index));
        for &axis in &selection.axes {
            arguments.push(index(view.shape()[axis] as i64));
            arguments.push(index(view.layout().strides()[axis] as i64));
        }
        arguments.push(report.borrowed_argument());
        if sequence == Sequence::Runs {
            arguments.push(index(row_length as i64));
        }

        let name = match self.direction {
            Direction::Gather => "gather",
            Direction::Scatter => "scatter",
        };
        let shape = IndexedShape {
            direction: self.direction,
            sequence,
            prefetches,
            map: map_shape,
        };
        let key = KernelKey::Indexed(shape.clone());
        let kernel = kernel_cache::kernel(queue.device(), key, |_| indexed::module(name, &shape))?;
        let range = NdRange::new(&range).map_err(situ_runtime::Error::from)?;
        match sequence {
            Sequence::Any => queue.run_reporting(&kernel, &range, &arguments, &report)?,
            // How long an item takes depends on how many elements it moves.
            Sequence::Runs | Sequence::InOrder => {
                let arguments: SmallVec<[Argument; 16]> =
                    arguments.into_iter().map(Argument::from).collect();
                queue.launch_reporting(&kernel, &range, &arguments, &report, None)?;
            }
        }
        Ok(())
    }
}

/// More bytes than the second cache of a processor has, by far.
const FAR_AWAY: usize = 8 << 20;

/// Whether an array has more memory than is near the processor.
pub(super) fn is_far_away(array: &Array) -> bool {
    array.queue().device().device_type() == DeviceType::Cpu
        && array.size().saturating_mul(array.dtype().size_bytes()) >= FAR_AWAY
}

/// Whether the next step of the outer of at most two loops has the next indices, and the inner one has the same, so that it is known where those of
/// later steps are.
fn are_next_to_each_other(nest: &LoopNest) -> bool {
    let has_strides =
        |each: &Loop, wanted| each.strides[2..].iter().all(|&stride| stride == wanted);
    match nest.loops.as_slice() {
        [only] => has_strides(only, 1),
        [outer, inner] => has_strides(outer, 1) && has_strides(inner, 0),
        _ => false,
    }
}

/// From how many elements on a row is moved as a whole.
const ROW_LENGTH: usize = 4;

/// Whether a transfer is one of whole rows, by a processor: neighbours go to neighbours, and no index tells them apart.
///
/// Other devices want neighbouring work-items to move neighbouring elements.
fn moves_rows(operands: &[MapOperand], nest: &LoopNest, queue: &Queue) -> bool {
    let has_stride = |operand: &MapOperand, wanted| matches!(operand, MapOperand::Memory { stride, .. } if *stride == wanted);
    let is_long = nest.rank() > 1 && nest.loops[nest.rank() - 1].size >= ROW_LENGTH;
    let (moved, indices) = operands.split_at(2);
    is_long
        && queue.device().device_type() == DeviceType::Cpu
        && moved
            .iter()
            .all(|operand| has_stride(operand, StrideClass::Contiguous))
        && indices
            .iter()
            .all(|operand| has_stride(operand, StrideClass::Broadcast))
}

/// How many elements a block has when positions are counted.
const BLOCK_LENGTH: usize = 4096;

/// The positions of elements that are not zero, in row-major order: one array for each dimension.
///
/// How many there are must be known before the result can be made, so this waits for the array.
///
/// # Errors
/// If the array has no dimensions, there is no memory or a launch fails.
pub fn nonzero(array: &Array) -> Result<Vec<Array>, Error> {
    let ndim = array.shape().len();
    if ndim == 0 {
        return Err(Error::TooFewDimensions {
            operation: "nonzero",
            ndim,
            needed: 1,
        });
    }
    let flat = positions(array)?;
    if ndim == 1 {
        return Ok(vec![flat]);
    }
    // Take flat positions apart, from the last dimension on.
    let mut rest = flat;
    let mut result = Vec::with_capacity(ndim);
    for (axis, &size) in array.shape().iter().enumerate().rev() {
        if axis == 0 {
            result.push(rest);
            break;
        }
        let size = Operand::Literal(Literal::I64(size.max(1) as i64));
        let apply_with = |name: &'static str, rest: &Array| {
            let function = elementwise::find(name).ok_or_else(|| Error::Internal {
                invariant: format!("there is a function {name}"),
            })?;
            let operands = [Operand::Array(rest.clone()), size.clone()];
            apply::apply(function, &operands, None, None)
        };
        result.push(apply_with("remainder", &rest)?);
        rest = apply_with("floor_divide", &rest)?;
    }
    result.reverse();
    Ok(result)
}

/// Row-major positions of elements that are not zero.
fn positions(array: &Array) -> Result<Array, Error> {
    let (queue, usm_kind) = (array.queue(), array.usm_kind());
    let length = array.size();
    if length == 0 {
        return Array::empty(&[0], DType::I64, queue, usm_kind);
    }
    if let Some(found) = small_masks::positions(array)? {
        return Ok(found);
    }
    let flat = reshape(&as_contiguous(array)?, &[length])?;
    let (before, count) = counted_blocks(&flat)?;
    let result = Array::empty(&[count], DType::I64, queue, usm_kind)?;
    if count == 0 {
        return Ok(result);
    }
    let shape = CompactShape {
        input: flat.dtype(),
        block_length: BLOCK_LENGTH,
    };
    let key = KernelKey::Compact(shape);
    let kernel = kernel_cache::kernel(queue.device(), key, |_| compact::module("compact", shape))?;
    let blocks = length.div_ceil(BLOCK_LENGTH);
    let range = NdRange::new(&[blocks as u64]).map_err(situ_runtime::Error::from)?;
    let arguments = [
        result.argument(),
        flat.argument(),
        before.argument(),
        Argument::Scalar(Literal::I64(length as i64)),
    ];
    queue.launch(&kernel, &range, &arguments)?;
    Ok(result)
}

/// How many elements are not zero before each block, and in all.
fn counted_blocks(flat: &Array) -> Result<(Array, usize), Error> {
    let length = flat.size();
    let whole = length / BLOCK_LENGTH;
    let slice = |start, stop| IndexItem::Slice {
        start,
        stop,
        step: None,
    };
    let cut = (whole * BLOCK_LENGTH) as i64;
    let over = Over {
        axes: Some(&[-1]),
        keepdims: false,
        queue: None,
    };
    let blocks = reshape(
        &flat.view(&[slice(None, Some(cut))])?,
        &[whole, BLOCK_LENGTH],
    )?;
    let counts = statistical::truth(&blocks, Truth::Count, over)?;
    let rest = flat.view(&[slice(Some(cut), None)])?;
    let rest = expand_dims(&statistical::truth(&rest, Truth::Count, over)?, &[0])?;
    let counts = manipulation::concat(&[counts, rest], Some(0), None)?;
    let along = Along {
        include_initial: true,
        ..Along::default()
    };
    let before = scanning::accumulate(&counts, Cumulative::Sum, along)?;
    let mut total = [0; size_of::<i64>()];
    before
        .view(&[slice(Some(-1), None)])?
        .read_bytes(&mut total)?;
    Ok((before, i64::from_le_bytes(total) as usize))
}

/// The elements along an axis at the positions in an array of one dimension.
///
/// # Errors
/// As [`get`], and if the axis does not exist or is missing although there are several.
pub fn take(
    array: &Array,
    indices: &Array,
    axis: Option<i64>,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function("take"),
        explicit: queue,
    };
    let arguments = [
        ("x", Participant::Array(array)),
        ("indices", Participant::Array(indices)),
    ];
    placer.place(arguments.into_iter())?;
    if !indices.dtype().is_integer() {
        return Err(Error::PositionDType {
            operation: "take",
            dtype: indices.dtype(),
        });
    }
    let array = queue.map_or_else(|| array.clone(), |queue| array.with_queue(queue));
    let ndim = array.shape().len();
    let axis = match axis {
        Some(axis) => manipulation::normalized_axes(&[axis], ndim)?[0],
        None if ndim == 1 => 0,
        None => {
            return Err(Error::AxisNeeded {
                operation: "take",
                ndim,
            });
        }
    };
    let whole = ArrayIndexItem::Basic(IndexItem::ALL);
    let mut index = vec![whole; axis];
    index.push(ArrayIndexItem::Array(indices.clone()));
    get(&array, &index)
}

/// For each element of `indices` the element at that position along an axis of `array`; all other
/// dimensions broadcast.
///
/// # Errors
/// As [`get`], and if the axis does not exist or the dimensions are not as many.
pub fn take_along_axis(
    array: &Array,
    indices: &Array,
    axis: i64,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function("take_along_axis"),
        explicit: queue,
    };
    let arguments = [
        ("x", Participant::Array(array)),
        ("indices", Participant::Array(indices)),
    ];
    placer.place(arguments.into_iter())?;
    let array = queue.map_or_else(|| array.clone(), |queue| array.with_queue(queue));
    let ndim = array.shape().len();
    let axis = manipulation::normalized_axes(&[axis], ndim)?[0];
    if !indices.dtype().is_integer() {
        return Err(Error::IndexDType {
            dtype: indices.dtype(),
        });
    }
    let mut shapes = [Shape::from(array.shape()), Shape::from(indices.shape())];
    if shapes[0].len() != shapes[1].len() {
        return Err(Error::ShapeMismatch {
            operation: "take_along_axis",
            shapes: shapes.iter().map(|shape| shape.to_vec()).collect(),
        });
    }
    let count = shapes[1][axis];
    for shape in &mut shapes {
        shape[axis] = 1;
    }
    let mut shape = broadcast_shapes("take_along_axis", &[&shapes[0], &shapes[1]])?;
    let mut data_shape = shape.clone();
    data_shape[axis] = array.shape()[axis];
    shape[axis] = count;
    // The array moves along all other dimensions, and along the axis as the indices say.
    let spread = broadcast_to(&array, &data_shape)?;
    let selection = AlongAxis {
        data: spread,
        indices: broadcast_to(indices, &shape)?,
        axis,
    };
    selection.gather()
}

/// Elements along one axis, chosen anew for each place along the others.
struct AlongAxis {
    data: Array,
    indices: Array,
    axis: usize,
}

impl AlongAxis {
    /// The same as indexing with the positions along every other axis: they are what dimensions of
    /// the index arrays would be, but need not be read.
    fn gather(self) -> Result<Array, Error> {
        let ndim = self.data.shape().len();
        let (queue, usm_kind) = (self.data.queue(), self.data.usm_kind());
        let mut index: Vec<ArrayIndexItem> = Vec::with_capacity(ndim);
        for axis in 0..ndim {
            if axis == self.axis {
                index.push(ArrayIndexItem::Array(self.indices.clone()));
                continue;
            }
            let ends = (Literal::I64(0), Literal::I64(1));
            let size = self.data.shape()[axis];
            let line = super::creation::iota(size, ends, DType::I64, queue, usm_kind)?;
            let mut shape = Shape::from_elem(1, ndim);
            shape[axis] = size;
            index.push(ArrayIndexItem::Array(reshape(&line, &shape)?));
        }
        get(&self.data, &index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_become_axes_of_the_view() {
        let items = [
            IndexItem::ALL,
            IndexItem::NewAxis,
            IndexItem::Ellipsis,
            IndexItem::ALL,
        ];
        assert_eq!(indexed_axes(&items, &[0, 3], 6).as_slice(), [0, 5]);
        assert_eq!(indexed_axes(&items[..2], &[0], 2).as_slice(), [0]);
    }
}
