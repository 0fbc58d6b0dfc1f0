//! Kernels with groups.
//!
//! A call runs a chunk of work-groups, one after the other. `regions` says how the kernel is cut and
//! `storage` where its names live; this file writes the loops.

use std::collections::HashSet;

use situ_ir::{DType, Handle, Literal, Statement, StatementKind, Type, Variable};

use super::abi::{BLOCK_ALIGN_BYTES, offset};
use super::body::{Body, Exits, LaunchPosition, LoopLabels, WorkItem};
use super::frame::{FrameLayout, SlotNumber};
use super::kernels::KernelMemory;
use super::places::{ArrayPlace, Places, Slot, ValuePlace, VariablePlace};
use super::regions::{Node, Region};
use super::statements::Exit;
use super::storage::{ArrayStorage, Plan, ValueStorage, VariableStorage, plan};
use super::types::literal;
use super::writer::{Label, Operand};
use crate::error::Error;

/// The type of a work-item's status: 0 while it runs, else an [`Exit`].
const STATUS: Type = Type::Scalar(DType::U8);

/// Writes the body of a kernel that is called with chunks of work-groups.
pub(super) fn emit(body: &mut Body<'_, '_, '_>, dims: u8) -> Result<KernelMemory, Error> {
    let function = body.function;
    let plan = plan(function, body.info);
    let global_size = body.launch_sizes("global_size", dims, offset::GLOBAL_SIZE);
    let local_size = body.launch_sizes("local_size", dims, offset::LOCAL_SIZE);
    let begin = body.launch_field("begin", "i64", offset::BEGIN);
    let end = body.launch_field("end", "i64", offset::END);
    let mut group_count = [1; 3].map(Operand::integer);
    let mut group_items = local_size[0].clone();
    for dimension in 0..usize::from(dims) {
        let (global, local) = (&global_size[dimension], &local_size[dimension]);
        group_count[dimension] = body
            .code
            .entry_instruction(format_args!("udiv i64 {global}, {local}"));
        if dimension > 0 {
            group_items = body
                .code
                .entry_instruction(format_args!("mul i64 {group_items}, {local}"));
        }
    }
    body.launch = Some(LaunchPosition {
        global_size,
        local_size,
        group_count,
        group_items,
        group_id: [0; 3].map(Operand::integer),
        group_linear_id: Operand::integer(0),
    });
    let (places, memory) = place(body, &plan)?;
    let group = Group {
        dims: usize::from(dims),
        plan: &plan,
        home: body.places.clone(),
        places,
    };

    let work = body.code.label("work");
    let done = body.code.label("done");
    let has_groups = body
        .code
        .instruction(format_args!("icmp ult i64 {begin}, {end}"));
    body.code.branch_if(&has_groups, &work, &done);
    body.code.begin(&work);
    body.counted_loop("groups", (&begin, &end), false, |body, number, next| {
        group.run(body, number, next)
    })?;
    body.code.begin(&done);
    body.code.terminate("ret void");
    Ok(memory)
}

/// Memory of a group beside that of its names.
struct GroupPlaces {
    status: Option<Slot>,
    /// What work-items give to collectives, each of at most 8 bytes.
    contributions: Option<Operand>,
}

/// Gives everything that the plan names a place.
fn place(
    body: &mut Body<'_, '_, '_>,
    plan: &Plan<'_>,
) -> Result<(GroupPlaces, KernelMemory), Error> {
    let function = body.function;
    let mut layout = FrameLayout::default();
    let scalar_slot = |layout: &mut FrameLayout, ty: Type| {
        let bytes = ty.scalar().map_or(8, DType::size_bytes) as u64;
        layout.add(bytes, bytes)
    };
    let values: Vec<_> = function
        .values
        .iter()
        .zip(&plan.values)
        .map(|((_, value), storage)| {
            (*storage == ValueStorage::Slot).then(|| scalar_slot(&mut layout, value.ty))
        })
        .collect();
    let variables: Vec<_> = function
        .variables
        .iter()
        .zip(&plan.variables)
        .map(|((_, variable), storage)| {
            matches!(storage, VariableStorage::Slot { .. })
                .then(|| scalar_slot(&mut layout, variable.dtype.into()))
        })
        .collect();
    let arrays: Vec<_> = function
        .arrays
        .iter()
        .zip(&plan.arrays)
        .map(|((_, array), storage)| {
            let align_bytes = array.element.align_bytes() as u64;
            (*storage == ArrayStorage::Frame).then(|| layout.add(array.size_bytes(), align_bytes))
        })
        .collect();
    let status = plan
        .structure
        .uses_status
        .then(|| scalar_slot(&mut layout, STATUS));
    let contributions = has_collectives(&plan.structure.nodes).then(|| layout.add(8, 8));

    let frame = Frame::load(body, &layout)?;
    for ((_, value), (storage, slot)) in function.values.iter().zip(plan.values.iter().zip(values))
    {
        let place = match (storage, slot) {
            (ValueStorage::Expression(expression), _) => ValuePlace::Expression(*expression),
            (_, Some(slot)) => ValuePlace::Slot(Slot {
                base: frame.base(body, &layout, slot),
                ty: value.ty,
            }),
            _ => ValuePlace::Unbound,
        };
        body.places.values.push(place);
    }
    for ((_, variable), (storage, slot)) in function
        .variables
        .iter()
        .zip(plan.variables.iter().zip(variables))
    {
        let place = match (storage, slot) {
            (VariableStorage::Expression(expression), _) => VariablePlace::Expression(*expression),
            (_, Some(slot)) => VariablePlace::Slot(Slot {
                base: frame.base(body, &layout, slot),
                ty: variable.dtype.into(),
            }),
            _ => VariablePlace::Stack(body.stack_variable(variable.dtype)),
        };
        body.places.variables.push(place);
    }
    let mut local_bytes = 0;
    for ((_, array), (storage, slot)) in function.arrays.iter().zip(plan.arrays.iter().zip(arrays))
    {
        let place = match (storage, slot) {
            (_, Some(slot)) => ArrayPlace::Frame {
                base: frame.base(body, &layout, slot),
                stride_bytes: array.size_bytes(),
            },
            (ArrayStorage::Local, _) => {
                let place = local_address(body, local_bytes);
                local_bytes += array
                    .size_bytes()
                    .next_multiple_of(BLOCK_ALIGN_BYTES as u64);
                ArrayPlace::Address(place)
            }
            (ArrayStorage::Unused, _) => ArrayPlace::Address(Operand::new("poison")),
            _ => ArrayPlace::Address(body.stack_array(array.element, array.length)),
        };
        body.places.arrays.push(place);
    }
    let places = GroupPlaces {
        status: status.map(|slot| Slot {
            base: frame.base(body, &layout, slot),
            ty: STATUS,
        }),
        contributions: contributions.map(|slot| frame.base(body, &layout, slot)),
    };
    let memory = KernelMemory {
        local_bytes,
        frame_bytes_per_item: layout.bytes_per_item(),
    };
    Ok((places, memory))
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

/// A work-group while its code is written.
struct Group<'p, 'a> {
    dims: usize,
    plan: &'p Plan<'a>,
    /// Where names are between regions.
    home: Places,
    places: GroupPlaces,
}

impl Group<'_, '_> {
    /// Writes the code of the group with a linear id.
    fn run(
        &self,
        body: &mut Body<'_, '_, '_>,
        number: &Operand,
        next: &Label,
    ) -> Result<(), Error> {
        let group_id = self.group_id(body, number)?;
        if let Some(launch) = &mut body.launch {
            launch.group_id = group_id;
            launch.group_linear_id = number.clone();
        }
        self.zero(body)?;
        enter_group(body, next);
        self.nodes(body, &self.plan.structure.nodes, next)
    }

    fn group_id(
        &self,
        body: &mut Body<'_, '_, '_>,
        number: &Operand,
    ) -> Result<[Operand; 3], Error> {
        let count = body.launch()?.group_count.clone();
        let mut ids = [0; 3].map(Operand::integer);
        let mut rest = number.clone();
        for dimension in (1..self.dims).rev() {
            ids[dimension] = body.code.binary("urem i64", &rest, &count[dimension]);
            rest = body.code.binary("udiv i64", &rest, &count[dimension]);
        }
        ids[0] = rest;
        Ok(ids)
    }

    /// Gives everything that outlives a region its first content.
    fn zero(&self, body: &mut Body<'_, '_, '_>) -> Result<(), Error> {
        let items = body.launch()?.group_items.clone();
        let function = body.function;
        for ((handle, variable), storage) in function.variables.iter().zip(&self.plan.variables) {
            match (body.places.variables[handle.index()].clone(), storage) {
                (VariablePlace::Slot(slot), VariableStorage::Slot { needs_zero: true }) => {
                    zero_slot(body, &slot, variable.dtype, &items);
                }
                (VariablePlace::Stack(place), VariableStorage::Group) => {
                    let zero = literal(Literal::zero(variable.dtype));
                    body.store_scalar(variable.dtype, &zero, &place, "");
                }
                _ => {}
            }
        }
        if let Some(status) = &self.places.status {
            zero_slot(body, status, DType::U8, &items);
        }
        Ok(())
    }

    fn nodes(
        &self,
        body: &mut Body<'_, '_, '_>,
        nodes: &[Node<'_>],
        next: &Label,
    ) -> Result<(), Error> {
        for node in nodes {
            body.computed.clear();
            match node {
                Node::Region(region) => self.region(body, region, next)?,
                Node::Once(statement) => body.statement(statement)?,
                Node::Combine(collective) => {
                    let contributions =
                        self.places.contributions.clone().ok_or_else(|| {
                            body.broken("kernels with collectives have their slots")
                        })?;
                    body.combine(collective, contributions)?;
                }
                Node::If {
                    condition,
                    accept,
                    reject,
                } => {
                    let condition = body.evaluate(*condition)?;
                    body.choose(
                        &condition,
                        |body| self.nodes(body, accept, next),
                        |body| self.nodes(body, reject, next),
                    )?;
                }
                Node::Loop {
                    condition,
                    body: round,
                    step,
                } => {
                    body.repeat(
                        *condition,
                        |body| self.nodes(body, round, next),
                        |body| {
                            self.resume(body, Exit::Continue)?;
                            self.nodes(body, step, next)
                        },
                    )?;
                    self.resume(body, Exit::Break)?;
                }
                Node::Jump(exit) => body.jump(*exit)?,
            }
        }
        Ok(())
    }

    /// Runs a region for each work-item.
    fn region(
        &self,
        body: &mut Body<'_, '_, '_>,
        region: &Region<'_>,
        next: &Label,
    ) -> Result<(), Error> {
        if does_nothing(body, region) {
            return Ok(());
        }
        // Jumps to loops of the group are not jumps of a single work-item.
        let group_loops = std::mem::take(&mut body.loops);
        let is_parallel = body.is_parallel();
        self.for_each_item(body, is_parallel, |body, end| self.item(body, region, end))?;
        self.put_back(body);
        body.loops = group_loops;
        enter_group(body, next);
        if region.leaves_status {
            self.follow_leavers(body)?;
        }
        Ok(())
    }

    /// Writes a region for the running work-item.
    fn item(
        &self,
        body: &mut Body<'_, '_, '_>,
        region: &Region<'_>,
        next: &Label,
    ) -> Result<(), Error> {
        if let Some(status) = &self.places.status {
            let status = body.load_slot(status);
            let runs = body.code.label("runs");
            let is_running = body
                .code
                .instruction(format_args!("icmp eq i8 {status}, 0"));
            body.code.branch_if(&is_running, &runs, next);
            body.code.begin(&runs);
        }
        let end = body.code.label("item.end");
        body.exits = Exits::Item {
            end: end.clone(),
            status: self.places.status.clone().filter(|_| region.leaves_status),
        };
        self.take_out(body, region);
        self.zero_region(body, region);
        for statement in region.statements {
            body.statement(statement)?;
        }
        if let (Some(collective), Some(base)) = (region.contribution, &self.places.contributions) {
            body.contribute(collective, base.clone())?;
        }
        body.code.begin(&end);
        self.save(body, region);
        Ok(())
    }

    /// Loads what the work-item left in the frame, so that the region works on registers.
    fn take_out(&self, body: &mut Body<'_, '_, '_>, region: &Region<'_>) {
        let names = &self.plan.regions[region.number];
        for value in &names.values {
            if let ValuePlace::Slot(slot) = &self.home.values[value.index()] {
                let loaded = body.load_slot(slot);
                body.places.values[value.index()] = ValuePlace::Register(loaded);
            }
        }
        for variable in &names.variables {
            if let VariablePlace::Slot(slot) = &self.home.variables[variable.index()] {
                let dtype = body.function.variables[*variable].dtype;
                let loaded = body.load_slot(slot);
                let place = body.stack_variable(dtype);
                body.store_scalar(dtype, &loaded, &place, "");
                body.places.variables[variable.index()] = VariablePlace::Stack(place);
            }
        }
    }

    /// Stores what the next regions need of the work-item's variables.
    fn save(&self, body: &mut Body<'_, '_, '_>, region: &Region<'_>) {
        let assigned = assigned_variables(region);
        for variable in &self.plan.regions[region.number].variables {
            let home = &self.home.variables[variable.index()];
            let now = body.places.variables[variable.index()].clone();
            if let (VariablePlace::Slot(slot), VariablePlace::Stack(place)) = (home, now)
                && assigned.contains(variable)
            {
                let dtype = body.function.variables[*variable].dtype;
                let content = body.load_scalar(dtype, &place, "");
                body.store_slot(slot, &content);
            }
        }
    }

    /// From here on the frame is asked again.
    fn put_back(&self, body: &mut Body<'_, '_, '_>) {
        for (place, home) in body.places.values.iter_mut().zip(&self.home.values) {
            if let ValuePlace::Slot(_) = home {
                place.clone_from(home);
            }
        }
        for (place, home) in body.places.variables.iter_mut().zip(&self.home.variables) {
            if let VariablePlace::Slot(_) = home {
                place.clone_from(home);
            }
        }
    }

    /// Gives the variables of one region their first content.
    fn zero_region(&self, body: &mut Body<'_, '_, '_>, region: &Region<'_>) {
        for (handle, variable) in body.function.variables.iter() {
            let is_fresh = matches!(
                self.plan.variables[handle.index()],
                VariableStorage::Region { number, needs_zero: true } if number == region.number
            );
            if let VariablePlace::Stack(place) = body.places.variables[handle.index()].clone()
                && is_fresh
            {
                let zero = literal(Literal::zero(variable.dtype));
                body.store_scalar(variable.dtype, &zero, &place, "");
            }
        }
    }

    /// Repeats what `fill` writes for each work-item of the group; the innermost loop runs along the
    /// fastest dimension.
    fn for_each_item<'a, 'm, 'o>(
        &self,
        body: &mut Body<'a, 'm, 'o>,
        is_parallel: bool,
        fill: impl FnOnce(&mut Body<'a, 'm, 'o>, &Label) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let size = body.launch()?.local_size.clone();
        let zero = Operand::integer(0);
        let inner = |body: &mut Body<'a, 'm, 'o>, slow: &[Operand], before: &Operand| {
            let width = &size[self.dims - 1];
            body.counted_loop("items", (&zero, width), is_parallel, |body, index, end| {
                let mut local_id = [0; 3].map(Operand::integer);
                for (place, id) in local_id.iter_mut().zip(slow.iter().chain([index])) {
                    *place = id.clone();
                }
                let local_linear_id = if slow.is_empty() {
                    index.clone()
                } else {
                    body.code.binary("add nuw nsw i64", before, index)
                };
                body.item = WorkItem::Group {
                    local_id,
                    local_linear_id,
                };
                fill(body, end)
            })
        };
        match self.dims {
            1 => inner(body, &[], &zero),
            2 => body.counted_loop("rows", (&zero, &size[0]), false, |body, row, _| {
                let before = body.code.binary("mul nuw nsw i64", row, &size[1]);
                inner(body, std::slice::from_ref(row), &before)
            }),
            _ => body.counted_loop("planes", (&zero, &size[0]), false, |body, plane, _| {
                body.counted_loop("rows", (&zero, &size[1]), false, |body, row, _| {
                    let rows = body.code.binary("mul nuw nsw i64", plane, &size[1]);
                    let rows = body.code.binary("add nuw nsw i64", &rows, row);
                    let before = body.code.binary("mul nuw nsw i64", &rows, &size[2]);
                    inner(body, &[plane.clone(), row.clone()], &before)
                })
            }),
        }
    }

    /// If all work-items have left, the group goes where the first of them go: the end of the round comes
    /// before the end of the loop, and that before the end of the kernel.
    fn follow_leavers(&self, body: &mut Body<'_, '_, '_>) -> Result<(), Error> {
        let Some(status) = self.places.status.clone() else {
            return Ok(());
        };
        let least = body.code.entry_instruction("alloca i8");
        body.code.effect(format_args!("store i8 -1, ptr {least}"));
        self.for_each_item(body, false, |body, _| {
            let status = body.load_slot(&status);
            let so_far = body.code.instruction(format_args!("load i8, ptr {least}"));
            let less = body
                .code
                .intrinsic("llvm.umin.i8", "i8", &[&so_far, &status]);
            body.code
                .effect(format_args!("store i8 {less}, ptr {least}"));
            Ok(())
        })?;
        let least = body.code.instruction(format_args!("load i8, ptr {least}"));
        let Exits::Item { end, .. } = body.exits.clone() else {
            return Err(body.broken("kernels run for work-items"));
        };
        let mut targets = vec![(Exit::Return, end)];
        if let Some(LoopLabels { exit, step }) = body.loops.last().cloned() {
            targets.push((Exit::Break, exit));
            targets.push((Exit::Continue, step));
        }
        let targets: Vec<_> = targets
            .into_iter()
            .map(|(exit, label)| format!("i8 {}, label %{label}", exit as u8))
            .collect();
        let some_run = body.code.label("some.run");
        body.code.terminate(format_args!(
            "switch i8 {least}, label %{some_run} [ {} ]",
            targets.join(" ")
        ));
        body.code.begin(&some_run);
        Ok(())
    }

    /// Lets work-items run again that left a round or a loop of the group, which is now over.
    fn resume(&self, body: &mut Body<'_, '_, '_>, exit: Exit) -> Result<(), Error> {
        let Some(status) = self.places.status.clone() else {
            return Ok(());
        };
        let group = (body.item.clone(), body.exits.clone());
        self.for_each_item(body, true, |body, _| {
            let now = body.load_slot(&status);
            let is_back = body
                .code
                .instruction(format_args!("icmp eq i8 {now}, {}", exit as u8));
            let now = body.code.select("i8", &is_back, &Operand::integer(0), &now);
            body.store_slot(&status, &now);
            Ok(())
        })?;
        (body.item, body.exits) = group;
        Ok(())
    }
}

/// What is evaluated for the group is what the first work-item sees.
fn enter_group(body: &mut Body<'_, '_, '_>, next: &Label) {
    body.item = WorkItem::Group {
        local_id: [0; 3].map(Operand::integer),
        local_linear_id: Operand::integer(0),
    };
    body.exits = Exits::Item {
        end: next.clone(),
        status: None,
    };
}

/// Whether a region only names what is computed where it is used.
fn does_nothing(body: &Body<'_, '_, '_>, region: &Region<'_>) -> bool {
    region.contribution.is_none()
        && region
            .statements
            .iter()
            .all(|statement| match &statement.kind {
                StatementKind::Let { value, .. } => {
                    matches!(body.places.values[value.index()], ValuePlace::Expression(_))
                }
                StatementKind::Assign { variable, .. } => matches!(
                    body.places.variables[variable.index()],
                    VariablePlace::Expression(_)
                ),
                _ => false,
            })
}

/// The variables that a region assigns.
fn assigned_variables(region: &Region<'_>) -> HashSet<Handle<Variable>> {
    let mut assigned = HashSet::new();
    let mut visit = |statement: &Statement| {
        if let StatementKind::Assign { variable, .. } = &statement.kind {
            assigned.insert(*variable);
        }
    };
    for statement in region.statements {
        visit(statement);
        for block in statement.kind.blocks() {
            block.for_each_statement(&mut visit);
        }
    }
    assigned
}

fn zero_slot(body: &mut Body<'_, '_, '_>, slot: &Slot, dtype: DType, items: &Operand) {
    let name = "llvm.memset.p0.i64";
    body.code
        .library
        .intrinsic(name, "void", "ptr, i8, i64, i1");
    let bytes = dtype.size_bytes();
    let bytes = body
        .code
        .instruction(format_args!("mul i64 {items}, {bytes}"));
    body.code.effect(format_args!(
        "call void @{name}(ptr {}, i8 0, i64 {bytes}, i1 false)",
        slot.base
    ));
}
