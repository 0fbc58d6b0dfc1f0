//! Elementwise calls on few elements, done on the spot.
//!
//! What a call on ten numbers computes takes nanoseconds; finding out which kernel that is takes a microsecond. But in
//! a program the same few calls come again and again. So each thread remembers, by function and by the types of its
//! operands, which kernel a call came to. Such a call is placed and given memory, and its kernel run, without anything
//! being looked up, copied or submitted ([`situ_runtime::immediate`]).
//!
//! This is for plain calls alone: contiguous arrays of one shape, on one queue, and Python's numbers. For everything else
//! the answer is `None`: [`super::apply`] knows all the rules, compiles kernels and tells what is wrong. The results
//! are the same, because the kernels are.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use situ_ir::promotion::PythonScalar;
use situ_ir::{DType, Literal, NdRange};
use situ_runtime::{BorrowedArgument, Device, Kernel, Queue, UsmKind};
use smallvec::SmallVec;

use crate::array::Array;
use crate::functions::apply::assigned_scalar;
use crate::functions::call_dtypes::{
    Available, CallDTypes, OperandKind, OperandType, scalar_literal,
};
use crate::functions::deferred;
use crate::functions::elementwise::Elementwise;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::map::{self, MapOperand, MapShape};
use crate::layout::Layout;
use crate::loop_nest::{LoopNest, StrideClass};

/// The most operands of a call that is remembered.
const MAX_OPERANDS: usize = 3;

/// How many calls a thread remembers; a power of two.
const REMEMBERED: usize = 128;

/// What a function is applied to.
#[derive(Clone, Copy, Debug)]
pub enum PlainOperand<'a> {
    /// An array.
    Array(&'a Array),
    /// A Python number, which adapts to the arrays.
    Number(PythonScalar),
}

impl PlainOperand<'_> {
    fn ty(&self) -> OperandType {
        match self {
            Self::Array(array) => OperandType::Array(array.dtype()),
            Self::Number(number) => OperandType::Weak(*number),
        }
    }
}

/// The kinds of the operands; `None` where there is none.
type Kinds = [Option<OperandKind>; MAX_OPERANDS];

/// A small number that tells most kinds apart.
fn code(kind: Option<OperandKind>) -> usize {
    match kind {
        None => 0,
        Some(OperandKind::Bool) => 1,
        Some(OperandKind::Int) => 2,
        Some(OperandKind::Float) => 3,
        Some(OperandKind::Complex) => 4,
        Some(OperandKind::Array(dtype) | OperandKind::Literal(dtype)) => 5 + dtype as usize,
    }
}

/// What a call comes to.
#[derive(Debug)]
struct Plan {
    function: &'static Elementwise,
    kinds: Kinds,
    /// The device that the kernel was compiled for decides about dtypes, too.
    kernel: Arc<Kernel>,
    /// What numbers are converted to, by the position of the operand.
    compute: SmallVec<[DType; 4]>,
    result: DType,
}

thread_local! {
    static PLANS: RefCell<[Option<Rc<Plan>>; REMEMBERED]> =
        const { RefCell::new([const { None }; REMEMBERED]) };
}

/// Applies a function to operands at once, if it is one of the calls that are remembered and can be.
pub fn apply(function: &'static Elementwise, operands: &[PlainOperand<'_>]) -> Option<Array> {
    let call = Call::of(operands)?;
    let plan = Plan::of(function, operands, call.first.queue().device())?;
    if !plan.kernel.is_immediate(&call.range) {
        return None;
    }
    let (shape, queue) = (call.first.shape(), call.first.queue());
    let out = Array::of_idle_memory(shape, plan.result, queue, call.usm_kind)?;
    call.run(&plan, operands, &out).then_some(out)
}

/// As [`apply`], with the result in an array; whether that was done.
pub fn apply_into(
    function: &'static Elementwise,
    operands: &[PlainOperand<'_>],
    out: &Array,
) -> bool {
    let Some(call) = Call::of(operands).filter(|call| call.fits(out)) else {
        return false;
    };
    let is_read_too_late = |operand: &PlainOperand<'_>| match operand {
        PlainOperand::Array(array) => array.may_overlap(out) && !array.is_same_view(out),
        PlainOperand::Number(_) => false,
    };
    if operands.iter().any(is_read_too_late) {
        return false;
    }
    Plan::of(function, operands, out.queue().device())
        .filter(|plan| plan.result == out.dtype())
        .is_some_and(|plan| call.run(&plan, operands, out))
}

/// A new array of one number, which decides the dtype, if that can be done at once.
pub fn filled(shape: &[usize], value: Literal, queue: &Queue, usm_kind: UsmKind) -> Option<Array> {
    let size = shape
        .iter()
        .try_fold(1_usize, |size, &each| size.checked_mul(each));
    let (range, dtype) = (few(size?)?, value.dtype());
    let kernel = copy_kernel(queue.device(), MapOperand::Scalar { dtype }, dtype)?;
    if !kernel.is_immediate(&range) {
        return None;
    }
    let array = Array::of_idle_memory(shape, dtype, queue, usm_kind)?;
    let arguments = [array.borrowed_argument(), BorrowedArgument::Scalar(value)];
    let is_done = queue.run_at_once(&kernel, &range, &arguments);
    is_done.then_some(array)
}

/// A new array of the same elements, converted to a dtype, if that can be done at once.
pub fn converted(array: &Array, dtype: DType) -> Option<Array> {
    if !array.layout().is_contiguous() {
        return rearranged(array, dtype);
    }
    let (range, queue) = (range_of(array)?, array.queue());
    let kernel = copy_kernel(queue.device(), contiguous(array.dtype()), dtype)?;
    if !kernel.is_immediate(&range) {
        return None;
    }
    let copy = Array::of_idle_memory(array.shape(), dtype, queue, array.usm_kind())?;
    let arguments = [copy.borrowed_argument(), array.borrowed_argument()];
    let is_done = queue.run_at_once(&kernel, &range, &arguments);
    is_done.then_some(copy)
}

/// As [`converted`], of elements that do not lie in a row.
fn rearranged(array: &Array, dtype: DType) -> Option<Array> {
    few(array.size())?;
    let queue = array.queue();
    let row_major = Layout::contiguous(array.shape()).ok()?;
    let strides = [row_major.strides(), array.layout().strides()];
    let nest = LoopNest::new(array.shape(), &strides);
    let dtypes = [dtype, array.dtype()].into_iter().zip(nest.inner_classes());
    let shape = MapShape {
        operands: dtypes
            .map(|(dtype, stride)| MapOperand::Memory { dtype, stride })
            .collect(),
        compute: SmallVec::from_elem(dtype, 1),
        rank: nest.rank() as u8,
        is_masked: false,
        streams: false,
    };
    let range = NdRange::new(&map::launch_sizes(&nest)).ok()?;
    let numbers = map::layout_arguments(&shape, &nest);
    let function = "copy";
    let kernel = kernel_cache::known(queue.device(), KernelKey::Map { function, shape })?;
    if !kernel.is_immediate(&range) {
        return None;
    }
    let copy = Array::of_idle_memory(array.shape(), dtype, queue, array.usm_kind())?;
    let mut arguments: SmallVec<[BorrowedArgument<'_>; 8]> = SmallVec::new();
    arguments.extend([copy.borrowed_argument(), array.borrowed_argument()]);
    let numbers = numbers.into_iter().map(Literal::I64);
    arguments.extend(numbers.map(BorrowedArgument::Scalar));
    let is_done = queue.run_at_once(&kernel, &range, &arguments);
    drop(arguments);
    is_done.then_some(copy)
}

/// Assigns a value to all elements of a view, as [`super::apply::assign`]; whether that was done at once.
pub fn assign(target: &Array, value: &PlainOperand<'_>) -> bool {
    let Some(range) = range_of(target) else {
        return false;
    };
    let (queue, dtype) = (target.queue(), target.dtype());
    let (operand, argument) = match value {
        PlainOperand::Number(number) => match assigned_scalar(*number, dtype) {
            Ok(literal) => (
                MapOperand::Scalar { dtype },
                BorrowedArgument::Scalar(literal),
            ),
            Err(_) => return false,
        },
        PlainOperand::Array(array) => {
            let is_plain = array.shape() == target.shape()
                && array.layout().is_contiguous()
                && array.queue() == queue
                && !array.may_overlap(target);
            if !is_plain {
                return false;
            }
            (contiguous(array.dtype()), array.borrowed_argument())
        }
    };
    copy_kernel(queue.device(), operand, dtype).is_some_and(|kernel| {
        queue.run_at_once(&kernel, &range, &[target.borrowed_argument(), argument])
    })
}

/// The kernel that copies elements or a number to contiguous memory, if there is one.
fn copy_kernel(device: &Device, source: MapOperand, target: DType) -> Option<Arc<Kernel>> {
    let shape = MapShape {
        operands: SmallVec::from_iter([contiguous(target), source]),
        compute: SmallVec::from_elem(target, 1),
        rank: 1,
        is_masked: false,
        streams: false,
    };
    let function = "copy";
    kernel_cache::known(device, KernelKey::Map { function, shape })
}

/// An operand whose elements lie in a row.
pub(super) fn contiguous(dtype: DType) -> MapOperand {
    MapOperand::Memory {
        dtype,
        stride: StrideClass::Contiguous,
    }
}

/// Arrays that agree on everything but their dtypes.
pub(super) struct Call<'a> {
    pub(super) first: &'a Array,
    pub(super) range: NdRange,
    pub(super) usm_kind: UsmKind,
}

impl<'a> Call<'a> {
    fn of(operands: &[PlainOperand<'a>]) -> Option<Self> {
        Self::of_arrays(operands.iter().filter_map(|operand| match operand {
            PlainOperand::Array(array) => Some(*array),
            PlainOperand::Number(_) => None,
        }))
    }

    pub(super) fn of_arrays(mut arrays: impl Iterator<Item = &'a Array>) -> Option<Self> {
        let first = arrays.next()?;
        let mut call = Self {
            first,
            range: range_of(first)?,
            usm_kind: first.usm_kind(),
        };
        for array in arrays {
            if !call.fits(array) {
                return None;
            }
            call.usm_kind = call.usm_kind.min(array.usm_kind());
        }
        Some(call)
    }

    /// Whether another array has the same elements to walk along, in the same place.
    fn fits(&self, array: &Array) -> bool {
        array.shape() == self.first.shape()
            && array.layout().is_contiguous()
            && array.queue() == self.first.queue()
    }

    fn run(&self, plan: &Plan, operands: &[PlainOperand<'_>], out: &Array) -> bool {
        let mut arguments: SmallVec<[BorrowedArgument<'_>; 1 + MAX_OPERANDS]> = SmallVec::new();
        arguments.push(out.borrowed_argument());
        for (operand, compute) in operands.iter().zip(&plan.compute) {
            arguments.push(match operand {
                PlainOperand::Array(array) => array.borrowed_argument(),
                // What does not fit is told in the usual way.
                PlainOperand::Number(number) => match scalar_literal(*number, *compute) {
                    Ok(literal) => BorrowedArgument::Scalar(literal),
                    Err(_) => return false,
                },
            });
        }
        let queue: &Queue = self.first.queue();
        queue.run_at_once(&plan.kernel, &self.range, &arguments)
    }
}

/// The range over the elements of an array, if they are few and lie in a row.
fn range_of(array: &Array) -> Option<NdRange> {
    let is_row = array.layout().is_contiguous();
    few(array.size()).filter(|_| is_row)
}

/// The range over so many elements, if they are few.
fn few(size: usize) -> Option<NdRange> {
    // What waits for more is no call on few elements.
    let is_few = size > 0 && size < deferred::smallest();
    NdRange::new(&[size as u64]).ok().filter(|_| is_few)
}

impl Plan {
    /// The plan for a call, remembered or found out now; `None` if there is none that holds for all such calls, or its
    /// kernel is not compiled yet.
    fn of(
        function: &'static Elementwise,
        operands: &[PlainOperand<'_>],
        device: &Device,
    ) -> Option<Rc<Self>> {
        let mut kinds = [None; MAX_OPERANDS];
        for (position, operand) in operands.iter().enumerate() {
            *kinds.get_mut(position)? = Some(operand.ty().kind());
        }
        let slot = slot(function, kinds);
        PLANS.with_borrow_mut(|plans| {
            let remembered = &mut plans[slot];
            if let Some(plan) = remembered
                && std::ptr::eq(plan.function, function)
                && plan.kinds == kinds
                && plan.kernel.program().device() == device
            {
                return Some(Rc::clone(plan));
            }
            let plan = Rc::new(Self::new(function, operands, kinds, device)?);
            *remembered = Some(Rc::clone(&plan));
            Some(plan)
        })
    }

    #[cold]
    fn new(
        function: &'static Elementwise,
        operands: &[PlainOperand<'_>],
        kinds: Kinds,
        device: &Device,
    ) -> Option<Self> {
        let types: SmallVec<[OperandType; MAX_OPERANDS]> =
            operands.iter().map(PlainOperand::ty).collect();
        let has_number = types.iter().any(|ty| matches!(ty, OperandType::Weak(_)));
        // The exponent decides whether a power is a square, or none at all.
        if function.name == "pow" && has_number {
            return None;
        }
        let dtypes = CallDTypes::resolve(function, &types, None, Available::On(device)).ok()?;
        // Another number of the same kind may need nobody to stand in for it.
        if dtypes.has_stand_in() {
            return None;
        }
        let (compute, result) = (dtypes.signature.compute, dtypes.signature.result);
        // Negative exponents of integers are refused.
        if function.name == "pow" && compute[0].is_signed() {
            return None;
        }
        let inputs = types.iter().zip(&compute).map(|(ty, compute)| match ty {
            OperandType::Array(dtype) | OperandType::Literal(dtype) => contiguous(*dtype),
            OperandType::Weak(_) => MapOperand::Scalar { dtype: *compute },
        });
        let shape = MapShape {
            operands: std::iter::once(contiguous(result)).chain(inputs).collect(),
            compute: compute.clone(),
            rank: 1,
            is_masked: false,
            streams: false,
        };
        let key = KernelKey::Map {
            function: function.name,
            shape,
        };
        Some(Self {
            function,
            kinds,
            kernel: kernel_cache::known(device, key)?,
            compute,
            result,
        })
    }
}

/// Where a plan is remembered, if it is; others may be there in its place.
fn slot(function: &'static Elementwise, kinds: Kinds) -> usize {
    let start = std::ptr::from_ref(function).addr() / align_of::<Elementwise>();
    let mixed = kinds.iter().fold(start, |mixed, kind| {
        mixed.wrapping_mul(31).wrapping_add(code(*kind))
    });
    (mixed ^ (mixed >> 7)) % REMEMBERED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::apply::{self, Operand};
    use crate::functions::elementwise::find;
    use crate::placement::default_queue;

    fn array(values: &[f64]) -> Array {
        let queue = default_queue(&Device::default_device());
        let array = Array::empty(&[values.len()], DType::F64, &queue, UsmKind::Device).unwrap();
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        array.write_bytes(&bytes).unwrap();
        array
    }

    fn values(array: &Array) -> Vec<f64> {
        let mut bytes = vec![0; array.size() * 8];
        array.read_bytes(&mut bytes).unwrap();
        let chunks = bytes.chunks_exact(8);
        chunks
            .map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap()))
            .collect()
    }

    /// Applies a function in the usual way until the short way is open.
    fn warm_up(function: &'static Elementwise, operands: &[PlainOperand<'_>]) {
        let usual: Vec<Operand> = operands
            .iter()
            .map(|operand| match operand {
                PlainOperand::Array(array) => Operand::Array((*array).clone()),
                PlainOperand::Number(number) => Operand::Scalar(*number),
            })
            .collect();
        for _ in 0..1000 {
            let result = apply::apply(function, &usual, None, None).unwrap();
            result.queue().wait().unwrap();
            drop(result);
            if apply(function, operands).is_some() {
                return;
            }
        }
        panic!("`{}` of a few numbers is over at once", function.name);
    }

    #[test]
    fn calls_that_were_made_before_are_done_at_once() {
        let (x, y) = (array(&[1.0, 2.0, 3.0]), array(&[10.0, 20.0, 30.0]));
        let operands = [PlainOperand::Array(&x), PlainOperand::Array(&y)];
        let add = find("add").unwrap();
        warm_up(add, &operands);
        assert_eq!(values(&apply(add, &operands).unwrap()), [11.0, 22.0, 33.0]);
        assert!(apply_into(add, &operands, &x));
        assert_eq!(values(&x), [11.0, 22.0, 33.0]);
    }

    #[test]
    fn numbers_are_those_of_the_call() {
        let x = array(&[1.0, 2.0, 3.0]);
        let multiply = find("multiply").unwrap();
        let times = |number| [PlainOperand::Array(&x), PlainOperand::Number(number)];
        warm_up(multiply, &times(PythonScalar::Float(2.0)));
        let result = apply(multiply, &times(PythonScalar::Float(0.5))).unwrap();
        assert_eq!(values(&result), [0.5, 1.0, 1.5]);
        let pow = find("pow").unwrap();
        assert!(apply(pow, &times(PythonScalar::Float(2.0))).is_none());
    }

    #[test]
    fn copies_and_assignments_are_done_at_once() {
        let (x, y) = (array(&[1.0, 2.0, 3.0]), array(&[7.0, 8.0, 9.0]));
        let copy = (0..1000).find_map(|_| {
            apply::contiguous_copy(&x).unwrap().queue().wait().unwrap();
            converted(&x, DType::F64)
        });
        assert_eq!(values(&copy.unwrap()), [1.0, 2.0, 3.0]);
        assert!(assign(&x, &PlainOperand::Array(&y)));
        assert_eq!(values(&x), [7.0, 8.0, 9.0]);
        let (low, high) = (
            x.with_layout(Layout::from_parts(&[2], &[1], 0)),
            x.with_layout(Layout::from_parts(&[2], &[1], 1)),
        );
        assert!(!assign(&high, &PlainOperand::Array(&low)), "they overlap");
        let five = PythonScalar::Int(5);
        let is_done = (0..1000).any(|_| {
            apply::assign(&y, &Operand::Scalar(five)).unwrap();
            y.queue().wait().unwrap();
            assign(&high, &PlainOperand::Number(five))
        });
        assert!(is_done);
        assert_eq!(values(&x), [7.0, 5.0, 5.0]);
    }

    #[test]
    fn what_is_not_plain_takes_the_usual_way() {
        let (x, short) = (array(&[1.0, 2.0, 3.0]), array(&[1.0]));
        let add = find("add").unwrap();
        let both = [PlainOperand::Array(&x), PlainOperand::Array(&x)];
        warm_up(add, &both);
        let broadcast = [PlainOperand::Array(&x), PlainOperand::Array(&short)];
        assert!(apply(add, &broadcast).is_none());
        let backwards = x.with_layout(Layout::from_parts(&[3], &[-1], 2));
        let reversed = [PlainOperand::Array(&x), PlainOperand::Array(&backwards)];
        assert!(apply(add, &reversed).is_none());
        let numbers = [PlainOperand::Number(PythonScalar::Int(1)); 2];
        assert!(apply(add, &numbers).is_none());
        let (low, high) = (
            x.with_layout(Layout::from_parts(&[2], &[1], 0)),
            x.with_layout(Layout::from_parts(&[2], &[1], 1)),
        );
        let overlapping = [PlainOperand::Array(&low), PlainOperand::Array(&low)];
        assert!(!apply_into(add, &overlapping, &high));
        assert_eq!(values(&x), [1.0, 2.0, 3.0]);
    }
}
