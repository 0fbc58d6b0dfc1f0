//! Reducing an array along some of its axes: the passes that the reduce template is launched for.
//!
//! What is reduced is an array, or what an expression makes of several ([`MappedElements`]), which is then never
//! written to memory. Loops are reduced one after the other, the one with the smallest step first, each in as many passes
//! as it takes until one block is left. Only the first pass sees the elements, only the last one
//! makes the result; what lies between are accumulators in memory.

mod locating;

use std::sync::Arc;

use situ_ir::interpret::number;
use situ_ir::{BinaryOperator, DType, Literal, NdRange};
use situ_runtime::device::Aspect;
use situ_runtime::{Argument, BorrowedArgument, Device, DeviceType, Kernel, Queue, UsmKind};
use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, copy_into};
use crate::functions::deferred;
use crate::functions::fusion::TypedFusion;
use crate::functions::manipulation::normalized_axes;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::MapBody;
use crate::kernels::elements::{ElementOperand, ElementsBody, ElementsShape, Moves};
use crate::kernels::reduce::{self, Finish, Prepare, ReduceShape, Walk};
use crate::layout::{Layout, Shape};
use crate::loop_nest::{Loop, LoopNest, StrideClass};

/// Loops, the outermost first.
type Loops = SmallVec<[Loop; 4]>;

/// What a reduction computes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction<'a> {
    /// What becomes of an element first.
    pub(crate) prepare: Prepare,
    /// What two of them become.
    pub(crate) combine: BinaryOperator,
    /// What becomes of the combination, with the number it is divided by.
    pub(crate) finish: Option<(Finish, f64)>,
    /// What elements are compared with, if they are: a number for each result, contiguous.
    pub(crate) center: Option<&'a Array>,
    /// The dtype of the accumulators and of partial results.
    pub(crate) accumulate: DType,
    /// The dtype of the result.
    pub(crate) dtype: DType,
}

/// The axes of an array that a reduction keeps, and those it does not.
#[derive(Clone, Debug)]
pub(crate) struct ReducedAxes {
    kept: SmallVec<[usize; 4]>,
    reduced: SmallVec<[usize; 4]>,
    /// The sizes of the kept axes.
    kept_shape: Shape,
    /// The shape of the result.
    result_shape: Shape,
    /// How many elements become one.
    pub(crate) count: usize,
}

impl ReducedAxes {
    /// For axes that the user names, or all of them.
    pub(crate) fn new(
        shape: &[usize],
        axes: Option<&[i64]>,
        keepdims: bool,
    ) -> Result<Self, Error> {
        let ndim = shape.len();
        let reduced = match axes {
            Some(axes) => normalized_axes(axes, ndim)?,
            None => (0..ndim).collect(),
        };
        let kept: SmallVec<[usize; 4]> = (0..ndim).filter(|axis| !reduced.contains(axis)).collect();
        let size = |axis: usize| shape[axis];
        let result_shape = (0..ndim)
            .filter(|axis| keepdims || kept.contains(axis))
            .map(|axis| if kept.contains(&axis) { size(axis) } else { 1 })
            .collect();
        Ok(Self {
            kept_shape: kept.iter().map(|&axis| size(axis)).collect(),
            count: reduced.iter().map(|&axis| size(axis)).product(),
            kept,
            reduced,
            result_shape,
        })
    }

    /// Whether there is no result at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept_shape.contains(&0)
    }

    /// Refuses to reduce no elements.
    pub(crate) fn check_not_empty(
        &self,
        operation: &'static str,
        shape: &[usize],
    ) -> Result<(), Error> {
        if self.count == 0 {
            return Err(Error::NothingToReduce {
                operation,
                shape: shape.to_vec(),
            });
        }
        Ok(())
    }

    /// A new, contiguous array of results as it is handed out.
    pub(crate) fn shaped(&self, results: &Array) -> Result<Array, Error> {
        reshaped(results, &self.result_shape)
    }
}

/// The dtype to combine in: the next wider one, if the device has it, so that the result is as good as
/// rounded once.
pub(crate) fn accumulator(dtype: DType, device: &Device) -> DType {
    match dtype {
        DType::F16 => DType::F32,
        DType::F32 if device.has_aspect(Aspect::Fp64) => DType::F64,
        DType::C64 if device.has_aspect(Aspect::Fp64) => DType::C128,
        other => other,
    }
}

impl Reduction<'_> {
    /// As [`Self::run`], where elements are not looked at once more: if they are still to be computed, they are reduced as they
    /// are, and not written.
    pub(crate) fn run_once(self, array: &Array, axes: &ReducedAxes) -> Result<Array, Error> {
        match deferred::reduce_waiting(self.of_made_elements(), array, axes)? {
            Some(result) => Ok(result),
            None => self.run(array, axes),
        }
    }

    /// The same reduction of elements that are made on the way: truth values are told by the greatest or the least of their
    /// bytes, of which registers hold many.
    pub(crate) fn of_made_elements(self) -> Self {
        // Numbers that are combined as they are would lose what a byte does not hold.
        let is_truth = matches!(self.prepare, Prepare::IsNonZero | Prepare::IsNumber);
        let combine = match self.combine {
            BinaryOperator::BitOr if is_truth => BinaryOperator::Maximum,
            BinaryOperator::BitAnd if is_truth => BinaryOperator::Minimum,
            _ => return self,
        };
        Self {
            combine,
            accumulate: DType::U8,
            ..self
        }
    }

    /// A new, contiguous array with the sizes of the kept axes. Of no elements the result is what
    /// changes nothing, finished as any other.
    pub(crate) fn run(self, array: &Array, axes: &ReducedAxes) -> Result<Array, Error> {
        if array.layout().is_empty() {
            return self.of_nothing((array.queue(), array.usm_kind()), axes);
        }
        let (reduction, array) = self.of_small_integers(array)?;
        let (shape, strides) = (array.shape(), array.layout().strides());
        let loops = |axes| merged_loops(shape, &[strides], axes);
        let (reduced, kept) = (loops(&axes.reduced), loops(&axes.kept));
        reduction.run_loops(Source::elements(&array), (reduced, kept), axes)
    }

    /// All elements as one number, if they are few, lie in a row and can be reduced on the spot.
    pub(crate) fn run_at_once(self, array: &Array) -> Option<Array> {
        let is_narrow = !array.dtype().is_float() && array.dtype().size_bytes() <= 2;
        if is_narrow {
            let (reduction, array) = self.of_small_integers(array).ok()?;
            return reduction.reduce_block(&array, BlockOutput::Result);
        }
        self.reduce_block(array, BlockOutput::Result)
    }

    /// Reduces the elements of one block, which lie in a row, on the spot.
    fn reduce_block(self, array: &Array, output: BlockOutput<'_>) -> Option<Array> {
        let (walk, length) = (Walk::Along, array.size());
        let is_one_block = (1..=walk.block_length(array.dtype())).contains(&length);
        if !is_one_block || !array.layout().is_contiguous() {
            return None;
        }
        let is_final = matches!(output, BlockOutput::Result);
        let shape = ReduceShape {
            locates: !is_final,
            ..self.shape(array.dtype(), false, (walk, false, 0), is_final)
        };
        let queue = array.queue();
        let kernel = kernel_cache::known(queue.device(), KernelKey::Reduce(shape, false))?;
        let range = NdRange::new(&[1, 1]).ok()?;
        if !kernel.is_immediate(&range) {
            return None;
        }
        let result = Array::of_idle_memory(&[], shape.output, queue, array.usm_kind())?;
        let mut arguments: SmallVec<[BorrowedArgument<'_>; 4]> = SmallVec::new();
        arguments.push(result.borrowed_argument());
        if let BlockOutput::ResultAndPosition(position) = output {
            arguments.push(position.borrowed_argument());
        }
        arguments.push(array.borrowed_argument());
        if let Some((_, divisor)) = self.finish.filter(|_| is_final) {
            let divisor = Literal::from_f64(self.accumulate.real(), divisor);
            arguments.push(BorrowedArgument::Scalar(divisor));
        }
        arguments.push(BorrowedArgument::Scalar(Literal::I64(length as i64)));
        let is_done = queue.run_at_once(&kernel, &range, &arguments);
        drop(arguments);
        is_done.then_some(result)
    }

    /// The same for what an expression gives.
    pub(crate) fn run_mapped(
        self,
        elements: &MappedElements<'_>,
        axes: &ReducedAxes,
    ) -> Result<Array, Error> {
        if elements.shape.contains(&0) {
            return self.of_nothing((elements.queue, elements.usm_kind), axes);
        }
        let (source, places) = elements.source();
        let strides: SmallVec<[&[isize]; 2]> = places.iter().map(Layout::strides).collect();
        let loops = |axes| merged_loops(elements.shape, &strides, axes);
        let (reduced, kept) = (loops(&axes.reduced), loops(&axes.kept));
        self.run_loops(source, (reduced, kept), axes)
    }

    /// The same reduction of bools and small integers seen as unsigned ones. What is asked about them is
    /// then answered by the least or the greatest, and bools are counted as bytes, which are
    /// instructions for many elements at once. A true bool is any byte but 0, not only 1.
    fn of_small_integers(mut self, array: &Array) -> Result<(Self, Array), Error> {
        let unsigned = match array.dtype() {
            DType::Bool | DType::I8 | DType::U8 => DType::U8,
            DType::I16 | DType::U16 => DType::U16,
            _ => return Ok((self, array.clone())),
        };
        let is_bool = array.dtype().is_bool();
        match (self.prepare, self.combine) {
            (Prepare::IsNonZero, BinaryOperator::BitOr) => {
                self.prepare = Prepare::Convert;
                self.combine = BinaryOperator::Maximum;
                self.accumulate = unsigned;
            }
            (Prepare::IsNonZero, BinaryOperator::BitAnd) => {
                self.prepare = Prepare::Convert;
                self.combine = BinaryOperator::Minimum;
                self.accumulate = unsigned;
            }
            (Prepare::IsNonZero | Prepare::Convert, BinaryOperator::Add) if is_bool => {
                self.prepare = Prepare::IsNonZero;
            }
            _ => return Ok((self, array.clone())),
        }
        let allocation = std::sync::Arc::clone(array.allocation());
        let layout = array.layout().clone();
        let seen = Array::over(allocation, layout, unsigned, array.queue())?;
        Ok((self, seen))
    }

    fn run_loops(
        self,
        mut source: Source<'_>,
        (mut reduced, mut kept): (Loops, Loops),
        axes: &ReducedAxes,
    ) -> Result<Array, Error> {
        // The loop with the smallest step goes first: it is the one caches like.
        reduced.sort_by_key(|each| std::cmp::Reverse(each.strides[0].unsigned_abs()));
        loop {
            let innermost = reduced.pop().unwrap_or_else(|| Loop {
                size: 1,
                strides: SmallVec::from_elem(1, source.places),
            });
            // Loops that are still to be reduced are kept in this pass.
            let group: usize = reduced.iter().map(|each| each.size).product();
            let passed: Loops = kept.iter().chain(&reduced).cloned().collect();
            let is_last = reduced.is_empty();
            let result = self.reduce_loop(source, passed, innermost, (group, is_last))?;
            if is_last {
                return reshaped(&result, &axes.kept_shape);
            }
            // What was passed is now contiguous, in the order it was passed in.
            let mut step = 1;
            for each in reduced.iter_mut().rev().chain(kept.iter_mut().rev()) {
                each.strides = SmallVec::from_elem(step, 1);
                step *= each.size as isize;
            }
            source = Source::partial(&result);
        }
    }

    fn of_nothing(
        self,
        (queue, usm_kind): (&Queue, UsmKind),
        axes: &ReducedAxes,
    ) -> Result<Array, Error> {
        let results = Array::empty(&axes.kept_shape, self.dtype, queue, usm_kind)?;
        let nothing = match self.finish {
            // Nothing divided by nothing.
            Some(_) => Literal::from_f64(self.dtype, f64::NAN),
            None if self.combine == BinaryOperator::Add => Literal::zero(self.dtype),
            // Bools may be combined as bytes, of which the least is false.
            None => number::cast(reduce::identity(self.combine, self.accumulate), self.dtype),
        };
        copy_into(&results, &Input::Scalar(nothing))?;
        Ok(results)
    }

    /// Reduces one loop, block by block, to a contiguous array over the kept loops.
    fn reduce_loop(
        self,
        mut source: Source<'_>,
        mut kept: Loops,
        mut along: Loop,
        (group, is_last): (usize, bool),
    ) -> Result<Array, Error> {
        let count: usize = kept.iter().map(|each| each.size).product();
        loop {
            let walk = source.walk(along.strides[0], innermost(&kept));
            let blocks = along.size.div_ceil(walk.block_length(source.dtype));
            let pass = Pass {
                length: along.size,
                steps: along.strides,
                walk,
                blocks,
                group,
                is_final: is_last && blocks == 1,
                positions: None,
            };
            let partial = self.launch(&source, &kept, &pass)?;
            if blocks == 1 {
                return Ok(partial);
            }
            // Reduce the blocks next.
            let (kept_stride, block_stride) = walk.partial_strides(count, blocks);
            let strides = SmallVec::from_elem(kept_stride, 1);
            let size = count;
            kept = SmallVec::from_elem(Loop { size, strides }, 1);
            along = Loop {
                size: blocks,
                strides: SmallVec::from_elem(block_stride, 1),
            };
            source = Source::partial(&partial);
        }
    }

    fn launch(self, source: &Source<'_>, kept: &[Loop], pass: &Pass) -> Result<Array, Error> {
        let count: usize = kept.iter().map(|each| each.size).product();
        let (queue, usm_kind) = (&source.queue, source.usm_kind);
        let is_spread = pass.walk.is_spread(pass.steps[0], innermost(kept).1);
        let shape = ReduceShape {
            locates: pass.positions.is_some(),
            ..self.shape(
                source.dtype,
                source.is_prepared,
                (pass.walk, is_spread, kept.len()),
                pass.is_final,
            )
        };
        let partial = Array::empty(&[count * pass.blocks], shape.output, queue, usm_kind)?;
        let index = |value: i64| Argument::Scalar(Literal::I64(value));
        let mut arguments: SmallVec<[Argument; 12]> = SmallVec::new();
        arguments.push(partial.argument());
        arguments.extend(pass.positions.as_ref().map(Array::argument));
        arguments.extend(source.arguments.iter().cloned());
        if let (true, Some(center)) = (shape.prepare.has_center(), self.center) {
            arguments.push(center.argument());
            arguments.push(index(pass.group as i64));
        }
        if let (true, Some((_, divisor))) = (pass.is_final, self.finish) {
            let divisor = Literal::from_f64(self.accumulate.real(), divisor);
            arguments.push(Argument::Scalar(divisor));
        }
        arguments.push(index(pass.length as i64));
        let has_columns = pass.walk != Walk::Along;
        if has_columns || shape.is_spread {
            arguments.push(index(pass.steps[0] as i64));
        }
        if has_columns {
            let (columns, stride) = innermost(kept);
            arguments.push(index(columns as i64));
            if shape.is_spread {
                arguments.push(index(stride as i64));
            }
        }
        let flat = kept.len() - usize::from(has_columns);
        let inner_sizes = kept[..flat].iter().skip(1);
        arguments.extend(inner_sizes.map(|each| index(each.size as i64)));
        for place in 0..source.places {
            arguments.extend(kept.iter().map(|each| index(each.strides[place] as i64)));
        }
        let moves = pass.moves(kept);
        for (place, moves) in (1..).zip(&moves) {
            if moves.step == StrideClass::Strided {
                arguments.push(index(pass.steps[place] as i64));
            }
            if let (StrideClass::Strided, Some(column)) = (moves.column, kept.last()) {
                arguments.push(index(column.strides[place] as i64));
            }
        }
        let (blocks, count) = (pass.blocks as u64, count as u64);
        let sizes: SmallVec<[u64; 3]> = match pass.walk {
            Walk::Along => SmallVec::from_slice(&[count, blocks]),
            Walk::Beside(_) => {
                let columns = innermost(kept).0 as u64;
                let width = pass.walk.columns(source.is_buffered(shape));
                let groups = columns.div_ceil(width as u64);
                SmallVec::from_slice(&[blocks, count / columns, groups])
            }
        };
        let kernel = source.kernel(shape, moves)?;
        let range = NdRange::new(&sizes).map_err(situ_runtime::Error::from)?;
        queue.launch(&kernel, &range, &arguments)?;
        Ok(partial)
    }

    /// The dtype that a work-item combines elements in. What is counted, or small integers that are
    /// added, need fewer bits within a block than in all, and a register holds more of those.
    fn within_block(self, input: DType) -> DType {
        let is_small = !input.is_float() && input.size_bytes() <= 2;
        match (self.prepare, self.combine, self.accumulate) {
            (Prepare::IsNonZero | Prepare::IsNumber, BinaryOperator::Add, DType::I64) => DType::I32,
            (Prepare::IsNonZero, BinaryOperator::Add, DType::U64) => DType::U32,
            (Prepare::Convert, BinaryOperator::Add, DType::I64) if is_small => DType::I32,
            // Negative numbers must keep their sign until they have 64 bits.
            (Prepare::Convert, BinaryOperator::Add, DType::U64)
                if is_small && input.is_signed() =>
            {
                DType::I32
            }
            (Prepare::Convert, BinaryOperator::Add, DType::U64) if is_small => DType::U32,
            (_, _, accumulate) => accumulate,
        }
    }

    /// What the kernel of a pass is specialised for.
    fn shape(
        self,
        input: DType,
        is_prepared: bool,
        (walk, is_spread, kept_rank): (Walk, bool, usize),
        is_final: bool,
    ) -> ReduceShape {
        let prepare = if is_prepared {
            Prepare::Convert
        } else {
            self.prepare
        };
        let accumulate = if is_prepared {
            self.accumulate
        } else {
            self.within_block(input)
        };
        let (finish, output) = if is_final {
            let finish = self.finish.map_or(Finish::Convert, |finish| finish.0);
            (finish, self.dtype)
        } else {
            (Finish::Convert, self.accumulate)
        };
        ReduceShape {
            prepare,
            finish,
            combine: self.combine,
            input,
            accumulate,
            output,
            walk,
            is_spread,
            locates: false,
            kept_rank: kept_rank as u8,
        }
    }
}

/// What the elements of one block become.
#[derive(Clone, Copy)]
enum BlockOutput<'a> {
    /// The result.
    Result,
    /// What they are combined to, and where that is, which is written here.
    ResultAndPosition(&'a Array),
}

/// One launch of a reduction.
struct Pass {
    /// Elements of the reduced loop.
    length: usize,
    /// Its stride for each place.
    steps: SmallVec<[isize; 4]>,
    walk: Walk,
    /// Into how many blocks it is cut.
    blocks: usize,
    /// How many neighbours among the kept elements will become one later.
    group: usize,
    /// Whether it makes the result.
    is_final: bool,
    /// Where it writes the positions of what blocks are reduced to, if it does.
    positions: Option<Array>,
}

impl Pass {
    /// How places move, but the first.
    fn moves(&self, kept: &[Loop]) -> SmallVec<[Moves; 2]> {
        let column = |place: usize| match (self.walk, kept.last()) {
            (Walk::Beside(_), Some(columns)) => StrideClass::of(columns.strides[place]),
            _ => StrideClass::Broadcast,
        };
        (1..self.steps.len())
            .map(|place| Moves {
                step: StrideClass::of(self.steps[place]),
                column: column(place),
            })
            .collect()
    }
}

/// What does not stay in the caches of a core.
const FAR_BYTES: usize = 8 << 20;

/// What a pass reads.
struct Source<'a> {
    /// The operands that elements are made of.
    arguments: SmallVec<[Argument; 4]>,
    operands: SmallVec<[ElementOperand; 4]>,
    /// How many places operands are at.
    places: usize,
    /// What makes the elements, if they are not in memory.
    expression: Option<&'a MappedElements<'a>>,
    /// The elements' dtype.
    dtype: DType,
    /// Whether these are accumulators, and not elements.
    is_prepared: bool,
    /// Whether they come from beyond the caches of a processor.
    is_far: bool,
    queue: Queue,
    usm_kind: UsmKind,
}

impl Source<'_> {
    /// The elements of an array.
    fn elements(array: &Array) -> Self {
        Self {
            arguments: SmallVec::from_elem(array.argument(), 1),
            operands: ElementsShape::in_memory(array.dtype()).operands,
            places: 1,
            expression: None,
            dtype: array.dtype(),
            is_prepared: false,
            is_far: array.size() * array.dtype().size_bytes() >= FAR_BYTES
                && array.queue().device().device_type() == DeviceType::Cpu,
            queue: array.queue().clone(),
            usm_kind: array.usm_kind(),
        }
    }

    /// What a pass made.
    fn partial(array: &Array) -> Self {
        Self {
            is_prepared: true,
            ..Self::elements(array)
        }
    }

    /// Whether the elements of a block are all made before they are combined; of columns, whether accumulators are in
    /// memory. There are more columns then, so that more of each row is read at once, which memory is quicker at.
    fn is_buffered(&self, shape: ReduceShape) -> bool {
        if let Some(mapped) = self.expression {
            return mapped.is_buffered;
        }
        let is_plain = matches!(shape.prepare, Prepare::Convert | Prepare::IsNonZero);
        self.is_far && is_plain && shape.walk.is_wide()
    }

    /// How elements are best walked along a loop with this step, given size and stride of the innermost kept loop.
    fn walk(&self, step: isize, columns: (usize, isize)) -> Walk {
        match self.expression {
            Some(mapped) if mapped.is_buffered => Walk::of_costly(step, columns),
            _ => Walk::of(step, columns),
        }
    }

    /// The kernel that reduces it.
    fn kernel(
        &self,
        shape: ReduceShape,
        moves: SmallVec<[Moves; 2]>,
    ) -> Result<Arc<Kernel>, Error> {
        let elements = ElementsShape {
            operands: self.operands.clone(),
            moves,
            is_buffered: self.is_buffered(shape),
        };
        let write = |name: String, elements: &ElementsShape, body| {
            let body = ElementsBody {
                shape: elements,
                body,
            };
            reduce::module(&name, &shape, body)
        };
        let device = self.queue.device();
        match self.expression {
            None => {
                let key = KernelKey::Reduce(shape, elements.is_buffered);
                kernel_cache::kernel(device, key, |_| {
                    let name = format!("reduce_{}", shape.combine.name());
                    write(name, &elements, None)
                })
            }
            Some(mapped) => {
                let key = KernelKey::FusedReduce {
                    fusion: mapped.fusion.clone(),
                    elements: elements.clone(),
                    shape,
                };
                kernel_cache::kernel(device, key, |_| {
                    let name = mapped.fusion.kernel_name();
                    let name = format!("{name}_{}", shape.combine.name());
                    write(name, &elements, Some(mapped.body))
                })
            }
        }
    }
}

/// What an expression makes of its operands, for each element of a shape.
pub(crate) struct MappedElements<'a> {
    /// The expression and what its operands are.
    pub(crate) fusion: &'a TypedFusion,
    /// How it is written for the inputs.
    pub(crate) body: &'a MapBody<'a>,
    /// What it gives.
    pub(crate) dtype: DType,
    /// What it is made of. Arrays broadcast to the shape.
    pub(crate) inputs: &'a [Input],
    /// The shape of all of them together.
    pub(crate) shape: &'a [usize],
    /// Whether the elements of a block are all made before they are combined.
    pub(crate) is_buffered: bool,
    /// What runs the reduction.
    pub(crate) queue: &'a Queue,
    /// The kind of memory of results.
    pub(crate) usm_kind: UsmKind,
}

impl MappedElements<'_> {
    /// The source of a first pass, and how the places lie that its operands are at: the first is the one that is
    /// stretched least, because the walk is best chosen for it.
    fn source(&self) -> (Source<'_>, SmallVec<[Layout; 2]>) {
        let layouts: SmallVec<[Option<Layout>; 4]> = self
            .inputs
            .iter()
            .map(|input| match input {
                Input::Array(array) => Some(array.layout().broadcast_to(self.shape)),
                Input::Scalar(_) => None,
            })
            .collect();
        let mut places: SmallVec<[Layout; 2]> = SmallVec::new();
        for layout in layouts.iter().flatten() {
            if !places
                .iter()
                .any(|place| place.strides() == layout.strides())
            {
                places.push(layout.clone());
            }
        }
        let stretched = |place: &Layout| {
            let dimensions = place.shape().iter().zip(place.strides());
            let count = dimensions
                .filter(|(size, stride)| **size > 1 && **stride == 0)
                .count();
            (count, !place.is_contiguous())
        };
        places.sort_by_key(stretched);
        let operand = |(input, layout): (&Input, &Option<Layout>)| {
            let dtype = input.dtype();
            let Some(layout) = layout else {
                return ElementOperand::Scalar { dtype };
            };
            let is_there = |place: &Layout| place.strides() == layout.strides();
            let place = places.iter().position(is_there).unwrap_or_default() as u8;
            ElementOperand::Memory { dtype, place }
        };
        let source = Source {
            arguments: self.inputs.iter().map(Input::argument).collect(),
            operands: self.inputs.iter().zip(&layouts).map(operand).collect(),
            places: places.len(),
            expression: Some(self),
            dtype: self.dtype,
            is_prepared: false,
            is_far: false,
            queue: self.queue.clone(),
            usm_kind: self.usm_kind,
        };
        (source, places)
    }
}

/// The size and stride of the innermost loop.
fn innermost(loops: &[Loop]) -> (usize, isize) {
    loops
        .last()
        .map_or((1, 0), |innermost| (innermost.size, innermost.strides[0]))
}

/// A new, contiguous array under another shape.
fn reshaped(array: &Array, shape: &[usize]) -> Result<Array, Error> {
    let layout = array.layout().reshaped(shape);
    let layout = layout.ok_or_else(|| Error::Internal {
        invariant: "a new array can be reshaped".to_owned(),
    })?;
    Ok(array.with_layout(layout))
}

/// The loops over some axes in their order, neighbours merged where the memory of all places allows it.
fn merged_loops(shape: &[usize], places: &[&[isize]], axes: &[usize]) -> Loops {
    let mut sorted: SmallVec<[usize; 4]> = axes.into();
    sorted.sort_unstable();
    let sizes: SmallVec<[usize; 4]> = sorted.iter().map(|&axis| shape[axis]).collect();
    let strides: SmallVec<[SmallVec<[isize; 4]>; 2]> = places
        .iter()
        .map(|strides| sorted.iter().map(|&axis| strides[axis]).collect())
        .collect();
    let strides: SmallVec<[&[isize]; 2]> = strides.iter().map(SmallVec::as_slice).collect();
    LoopNest::in_order(&sizes, &strides).loops
}
