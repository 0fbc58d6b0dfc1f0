//! The memory of a work-group: where its names are, and what it needs beside them.

use situ_ir::{DType, Type};

use super::frame::{FrameLayout, SlotNumber};
use super::regions::Node;
use super::storage::{ArrayStorage, Plan, ValueStorage, VariableStorage};
use crate::error::Error;
use crate::llvm::abi::{BLOCK_ALIGN_BYTES, offset};
use crate::llvm::body::Body;
use crate::llvm::kernels::KernelMemory;
use crate::llvm::places::{ArrayPlace, Slot, ValuePlace, VariablePlace};
use crate::llvm::writer::Operand;

/// The type of a work-item's status: 0 while it runs, else an `Exit`.
const STATUS: Type = Type::Scalar(DType::U8);

/// Memory of a group beside that of its names.
pub(super) struct GroupMemory {
    /// How each work-item left, if it matters.
    pub(super) status: Option<Slot>,
    /// Where work-items put what they give to collectives, each of at most 8 bytes.
    pub(super) contributions: Option<Operand>,
}

/// The slots that a plan asks for.
struct Slots {
    layout: FrameLayout,
    values: Vec<Option<SlotNumber>>,
    variables: Vec<Option<SlotNumber>>,
    arrays: Vec<Option<SlotNumber>>,
    status: Option<SlotNumber>,
    contributions: Option<SlotNumber>,
}

impl Slots {
    fn new(body: &Body<'_, '_, '_>, plan: &Plan<'_>) -> Self {
        let function = body.function;
        let mut layout = FrameLayout::default();
        let mut scalar = |ty: Type| {
            let bytes = ty.scalar().map_or(8, DType::size_bytes) as u64;
            layout.add(bytes, bytes)
        };
        let values = function
            .values
            .iter()
            .zip(&plan.values)
            .map(|((_, value), storage)| (*storage == ValueStorage::Slot).then(|| scalar(value.ty)))
            .collect();
        let variables = function
            .variables
            .iter()
            .zip(&plan.variables)
            .map(|((_, variable), storage)| {
                let is_slot = matches!(storage, VariableStorage::Slot { .. });
                is_slot.then(|| scalar(variable.dtype.into()))
            })
            .collect();
        let status = plan.structure.uses_status.then(|| scalar(STATUS));
        let contributions = has_collectives(&plan.structure.nodes).then(|| layout.add(8, 8));
        let arrays = function
            .arrays
            .iter()
            .zip(&plan.arrays)
            .map(|((_, array), storage)| {
                let (size, align) = (array.size_bytes(), array.element.align_bytes() as u64);
                (*storage == ArrayStorage::Frame).then(|| layout.add(size, align))
            })
            .collect();
        Self {
            layout,
            values,
            variables,
            arrays,
            status,
            contributions,
        }
    }
}

/// Gives everything that the plan names a place.
pub(super) fn place(
    body: &mut Body<'_, '_, '_>,
    plan: &Plan<'_>,
) -> Result<(GroupMemory, KernelMemory), Error> {
    let slots = Slots::new(body, plan);
    let frame = Frame::load(body, &slots.layout)?;
    place_values(body, plan, &slots, &frame);
    place_variables(body, plan, &slots, &frame);
    let local_bytes = place_arrays(body, plan, &slots, &frame);
    let group = GroupMemory {
        status: slots.status.map(|slot| Slot {
            base: frame.base(body, &slots.layout, slot),
            ty: STATUS,
        }),
        contributions: slots
            .contributions
            .map(|slot| frame.base(body, &slots.layout, slot)),
    };
    let memory = KernelMemory {
        local_bytes,
        frame_bytes_per_item: slots.layout.bytes_per_item(),
    };
    Ok((group, memory))
}

fn place_values(body: &mut Body<'_, '_, '_>, plan: &Plan<'_>, slots: &Slots, frame: &Frame) {
    let function = body.function;
    for (handle, value) in function.values.iter() {
        let index = handle.index();
        let place = match (plan.values[index], slots.values[index]) {
            (ValueStorage::Expression(expression), _) => ValuePlace::Expression(expression),
            (_, Some(slot)) => ValuePlace::Slot(Slot {
                base: frame.base(body, &slots.layout, slot),
                ty: value.ty,
            }),
            _ => ValuePlace::Unbound,
        };
        body.places.values.push(place);
    }
}

fn place_variables(body: &mut Body<'_, '_, '_>, plan: &Plan<'_>, slots: &Slots, frame: &Frame) {
    let function = body.function;
    for (handle, variable) in function.variables.iter() {
        let index = handle.index();
        let place = match (plan.variables[index], slots.variables[index]) {
            (VariableStorage::Expression(expression), _) => VariablePlace::Expression(expression),
            (_, Some(slot)) => VariablePlace::Slot(Slot {
                base: frame.base(body, &slots.layout, slot),
                ty: variable.dtype.into(),
            }),
            _ => VariablePlace::Stack(body.stack_variable(variable.dtype)),
        };
        body.places.variables.push(place);
    }
}

/// Also gives the bytes of local memory.
fn place_arrays(body: &mut Body<'_, '_, '_>, plan: &Plan<'_>, slots: &Slots, frame: &Frame) -> u64 {
    let mut local_bytes = 0;
    let function = body.function;
    for (handle, array) in function.arrays.iter() {
        let index = handle.index();
        let place = match (plan.arrays[index], slots.arrays[index]) {
            (_, Some(slot)) => ArrayPlace::Frame {
                base: frame.base(body, &slots.layout, slot),
                stride_bytes: array.size_bytes(),
            },
            (ArrayStorage::Local, _) => {
                let place = local_address(body, local_bytes);
                let align_bytes = BLOCK_ALIGN_BYTES as u64;
                local_bytes += array.size_bytes().next_multiple_of(align_bytes);
                ArrayPlace::Address(place)
            }
            (ArrayStorage::Unused, _) => ArrayPlace::Address(Operand::new("poison")),
            _ => ArrayPlace::Address(body.stack_array(array.element, array.length)),
        };
        body.places.arrays.push(place);
    }
    local_bytes
}

fn has_collectives(nodes: &[Node<'_>]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Combine(_) => true,
        Node::If { accept, reject, .. } => has_collectives(accept) || has_collectives(reject),
        Node::Loop { body, step, .. } => has_collectives(body) || has_collectives(step),
        Node::Region(_) | Node::Once(_) | Node::Jump(_) => false,
    })
}

fn local_address(body: &mut Body<'_, '_, '_>, byte_offset: u64) -> Operand {
    let scratch = body.launch_field("scratch", "ptr", offset::SCRATCH);
    body.code.entry_instruction(format_args!(
        "getelementptr i8, ptr {scratch}, i64 {byte_offset}"
    ))
}

/// The frame of the launch, if the kernel has one.
struct Frame {
    start: Operand,
    items: Operand,
}

impl Frame {
    fn load(body: &mut Body<'_, '_, '_>, layout: &FrameLayout) -> Result<Self, Error> {
        let items = body.launch()?.group_items.clone();
        let start = if layout.bytes_per_item() > 0 {
            body.launch_field("frame", "ptr", offset::FRAME)
        } else {
            Operand::new("null")
        };
        Ok(Self { start, items })
    }

    /// The start of a slot.
    fn base(&self, body: &mut Body<'_, '_, '_>, layout: &FrameLayout, slot: SlotNumber) -> Operand {
        let before = layout.offset(slot).0;
        if before == 0 {
            return self.start.clone();
        }
        let (start, items) = (&self.start, &self.items);
        let bytes = body
            .code
            .entry_instruction(format_args!("mul i64 {items}, {before}"));
        body.code
            .entry_instruction(format_args!("getelementptr i8, ptr {start}, i64 {bytes}"))
    }
}
