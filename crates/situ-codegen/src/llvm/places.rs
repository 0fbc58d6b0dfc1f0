//! Where values, variables and arrays are kept.

use situ_ir::{DType, Expression, Handle, Literal, Type};

use super::body::Body;
use super::library::INDEPENDENT;
use super::types::{literal, memory_type, register_type};
use super::writer::Operand;

/// One element for each work-item of a group, in the group's frame.
///
/// Slots of one name are next to each other, so that a loop over work-items reads and writes
/// whole vectors.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The slot of the first work-item.
    pub(super) base: Operand,
    pub(super) ty: Type,
}

/// Where a value is.
#[derive(Clone, Debug)]
pub(super) enum ValuePlace {
    /// Nowhere yet: its statement has not been written.
    Unbound,
    /// In a register.
    Register(Operand),
    /// Nowhere: it is computed again where it is used, because that is cheap and shows LLVM how an
    /// index depends on the work-item.
    Expression(Handle<Expression>),
    /// In the frame.
    Slot(Slot),
}

/// Where a variable is.
#[derive(Clone, Debug)]
pub(super) enum VariablePlace {
    /// On the stack, from where LLVM moves it to a register.
    Stack(Operand),
    /// Nowhere, like [`ValuePlace::Expression`]: it is assigned once, before it is read.
    Expression(Handle<Expression>),
    /// In the frame.
    Slot(Slot),
}

/// Where an array is.
#[derive(Clone, Debug)]
pub(super) enum ArrayPlace {
    /// At one address, the same for all work-items that share it: local memory, or private memory
    /// on the stack.
    Address(Operand),
    /// In the frame, one array after the other.
    Frame {
        /// The array of the first work-item.
        base: Operand,
        /// From one work-item's array to the next.
        stride_bytes: u64,
    },
}

/// Where everything that a function names is, by position in the function's arenas.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) values: Vec<ValuePlace>,
    pub(super) variables: Vec<VariablePlace>,
    pub(super) arrays: Vec<ArrayPlace>,
}

impl Body<'_, '_, '_> {
    /// Puts everything on the stack and in registers: right where one work-item runs from beginning
    /// to end.
    pub(super) fn place_everything_on_the_stack(&mut self) {
        let function = self.function;
        self.places.values = vec![ValuePlace::Unbound; function.values.len()];
        for (_, variable) in function.variables.iter() {
            let place = self.stack_variable(variable.dtype);
            self.places.variables.push(VariablePlace::Stack(place));
        }
        for (_, array) in function.arrays.iter() {
            let place = self.stack_array(array.element, array.length);
            self.places.arrays.push(ArrayPlace::Address(place));
        }
    }

    /// Stack memory for a variable.
    pub(super) fn stack_variable(&mut self, dtype: DType) -> Operand {
        self.code
            .entry_instruction(format_args!("alloca {}", memory_type(dtype)))
    }

    /// Stack memory for an array.
    pub(super) fn stack_array(&mut self, element: DType, length: u64) -> Operand {
        self.code
            .entry_instruction(format_args!("alloca [{length} x {}]", memory_type(element)))
    }

    /// Writes zero to every variable on the stack.
    pub(super) fn zero_stack_variables(&mut self) {
        for (handle, variable) in self.function.variables.iter() {
            if let VariablePlace::Stack(place) = self.places.variables[handle.index()].clone() {
                let zero = literal(Literal::zero(variable.dtype));
                self.store_scalar(variable.dtype, &zero, &place, "");
            }
        }
    }

    /// Reads a scalar from memory.
    pub(super) fn load_scalar(&mut self, dtype: DType, address: &Operand, marks: &str) -> Operand {
        let ty = memory_type(dtype);
        let loaded = self
            .code
            .instruction(format_args!("load {ty}, ptr {address}{marks}"));
        if dtype == DType::Bool {
            return self
                .code
                .instruction(format_args!("icmp ne i8 {loaded}, 0"));
        }
        loaded
    }

    /// Writes a scalar to memory.
    pub(super) fn store_scalar(
        &mut self,
        dtype: DType,
        value: &Operand,
        address: &Operand,
        marks: &str,
    ) {
        let ty = memory_type(dtype);
        let value = if dtype == DType::Bool {
            self.code.instruction(format_args!("zext i1 {value} to i8"))
        } else {
            value.clone()
        };
        self.code
            .effect(format_args!("store {ty} {value}, ptr {address}{marks}"));
    }

    /// Reads the running work-item's slot.
    pub(super) fn load_slot(&mut self, slot: &Slot) -> Operand {
        let item = self.local_linear_id();
        self.load_slot_of(slot, &item)
    }

    /// Writes the running work-item's slot.
    pub(super) fn store_slot(&mut self, slot: &Slot, value: &Operand) {
        let item = self.local_linear_id();
        self.store_slot_of(slot, &item, value);
    }

    /// Reads the slot of the work-item with a linear local id.
    pub(super) fn load_slot_of(&mut self, slot: &Slot, item: &Operand) -> Operand {
        let address = self.slot_address(slot, item);
        match slot.ty {
            Type::Scalar(dtype) => self.load_scalar(dtype, &address, INDEPENDENT),
            Type::Pointer { .. } => self
                .code
                .instruction(format_args!("load ptr, ptr {address}{INDEPENDENT}")),
        }
    }

    /// Writes the slot of the work-item with a linear local id.
    pub(super) fn store_slot_of(&mut self, slot: &Slot, item: &Operand, value: &Operand) {
        let address = self.slot_address(slot, item);
        match slot.ty {
            Type::Scalar(dtype) => self.store_scalar(dtype, value, &address, INDEPENDENT),
            Type::Pointer { .. } => self.code.effect(format_args!(
                "store ptr {value}, ptr {address}{INDEPENDENT}"
            )),
        }
    }

    fn slot_address(&mut self, slot: &Slot, item: &Operand) -> Operand {
        let ty = match slot.ty {
            Type::Scalar(dtype) => memory_type(dtype),
            pointer @ Type::Pointer { .. } => register_type(pointer),
        };
        let base = &slot.base;
        self.code
            .instruction(format_args!("getelementptr {ty}, ptr {base}, i64 {item}"))
    }
}
