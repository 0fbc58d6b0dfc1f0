//! Vectors of constants as operands in memory.
//!
//! Processors with AVX2 have sixteen vector registers. LLVM keeps a vector of equal numbers as one number, which an instruction of
//! its own brings to all lanes of a register; in elementary functions, which have dozens of constants, that is a fourth of all
//! instructions, and of the results that a processor can have under way. A constant that is in memory as a whole vector is an operand of
//! the instruction that needs it, and takes neither. Powers take 0.89 of their time, logarithms and exponentials 0.95. Processors
//! with AVX-512 repeat a number from memory in any instruction.

use std::collections::HashSet;

use llvm_sys::core::{
    LLVMAddGlobal, LLVMBuildLoad2, LLVMCreateBuilderInContext, LLVMDisposeBuilder,
    LLVMGetElementType, LLVMGetInstructionOpcode, LLVMGetModuleContext, LLVMGetNumOperands,
    LLVMGetOperand, LLVMGetTypeKind, LLVMIsAConstantDataVector, LLVMIsAIntrinsicInst,
    LLVMMDNodeInContext2, LLVMMetadataAsValue, LLVMPositionBuilderBefore, LLVMSetAlignment,
    LLVMSetGlobalConstant, LLVMSetInitializer, LLVMSetLinkage, LLVMSetMetadata, LLVMSetOperand,
    LLVMTypeOf,
};
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMStoreSizeOfType};
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind};

use super::host_cpu::CpuTarget;
use super::instructions::{functions, instructions, metadata_kind};

/// What tells LLVM that memory never changes.
const INVARIANT: &str = "invariant.load";

/// Functions with fewer constants than this keep them in registers.
const MANY: usize = 16;

/// Whether the code of a processor gains by it.
pub(super) fn is_worth_it(cpu: &CpuTarget) -> bool {
    let has = |feature: &str| cpu.features.split(',').any(|each| each == feature);
    has("+avx2") && !has("+avx512f")
}

/// Puts the constants of an optimised module's functions with many of them into memory.
///
/// # Safety
/// The module is alive and nobody else uses its context.
pub(super) unsafe fn put(module: LLVMModuleRef) {
    // SAFETY: as the caller promises; all values come from the module itself.
    unsafe {
        for function in functions(module) {
            let uses = uses(function);
            let constants: HashSet<_> = uses.iter().map(|each| each.constant).collect();
            if constants.len() >= MANY {
                let mut places = Places::new(module);
                for each in &uses {
                    places.replace(each);
                }
            }
        }
    }
}

/// An operand that is a constant.
struct Use {
    instruction: LLVMValueRef,
    position: u32,
    constant: LLVMValueRef,
}

/// The operands of arithmetic on floats in a function that are vectors of constants.
///
/// # Safety
/// The function is alive.
unsafe fn uses(function: LLVMValueRef) -> Vec<Use> {
    let mut uses = Vec::new();
    // SAFETY: as the caller promises; instructions are asked for operands that they have.
    unsafe {
        for instruction in instructions(function) {
            if !is_arithmetic(instruction) {
                continue;
            }
            for position in 0..LLVMGetNumOperands(instruction) as u32 {
                let constant = LLVMGetOperand(instruction, position);
                if is_vector_of_floats(constant) {
                    uses.push(Use {
                        instruction,
                        position,
                        constant,
                    });
                }
            }
        }
    }
    uses
}

/// # Safety
/// The instruction is alive.
unsafe fn is_arithmetic(instruction: LLVMValueRef) -> bool {
    use LLVMOpcode as Opcode;
    // SAFETY: as the caller promises.
    unsafe {
        match LLVMGetInstructionOpcode(instruction) {
            Opcode::LLVMFAdd | Opcode::LLVMFSub | Opcode::LLVMFMul | Opcode::LLVMFDiv => true,
            // Of intrinsics that take constants, those on floats have no operand that must be one.
            Opcode::LLVMCall => !LLVMIsAIntrinsicInst(instruction).is_null(),
            _ => false,
        }
    }
}

/// # Safety
/// The value is alive.
unsafe fn is_vector_of_floats(value: LLVMValueRef) -> bool {
    // SAFETY: as the caller promises; vectors have elements.
    unsafe {
        !LLVMIsAConstantDataVector(value).is_null()
            && LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(value)))
                == LLVMTypeKind::LLVMDoubleTypeKind
    }
}

/// Where constants are.
struct Places {
    module: LLVMModuleRef,
    builder: LLVMBuilderRef,
    /// The kind of metadata of loads of what never changes, and its content.
    invariant: (u32, LLVMValueRef),
    /// Constants and their places.
    known: Vec<(LLVMValueRef, LLVMValueRef)>,
}

impl Places {
    /// # Safety
    /// As [`put`], and the module outlives this.
    unsafe fn new(module: LLVMModuleRef) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let context = LLVMGetModuleContext(module);
            let node = LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0);
            Self {
                module,
                builder: LLVMCreateBuilderInContext(context),
                invariant: (
                    metadata_kind(module, INVARIANT),
                    LLVMMetadataAsValue(context, node),
                ),
                known: Vec::new(),
            }
        }
    }

    /// Makes an instruction read a constant from memory.
    ///
    /// # Safety
    /// The instruction is one of the module's.
    unsafe fn replace(&mut self, found: &Use) {
        // SAFETY: as the caller promises; the builder and the place are the module's.
        unsafe {
            let ty = LLVMTypeOf(found.constant);
            let place = self.place(found.constant);
            LLVMPositionBuilderBefore(self.builder, found.instruction);
            let load = LLVMBuildLoad2(self.builder, ty, place, c"constant".as_ptr());
            LLVMSetAlignment(load, self.size_bytes(ty));
            let (kind, content) = self.invariant;
            LLVMSetMetadata(load, kind, content);
            LLVMSetOperand(found.instruction, found.position, load);
        }
    }

    /// The place of a constant, which is made if there is none.
    ///
    /// # Safety
    /// The constant belongs to the module's context.
    unsafe fn place(&mut self, constant: LLVMValueRef) -> LLVMValueRef {
        if let Some((_, place)) = self.known.iter().find(|(known, _)| *known == constant) {
            return *place;
        }
        // SAFETY: as the caller promises; the global is new, and of the constant's type.
        let place = unsafe {
            let ty = LLVMTypeOf(constant);
            let place = LLVMAddGlobal(self.module, ty, c"situ.constant".as_ptr());
            LLVMSetInitializer(place, constant);
            LLVMSetGlobalConstant(place, 1);
            LLVMSetLinkage(place, LLVMLinkage::LLVMPrivateLinkage);
            LLVMSetAlignment(place, self.size_bytes(ty));
            place
        };
        self.known.push((constant, place));
        place
    }

    /// # Safety
    /// The type belongs to the module's context, and has a size.
    unsafe fn size_bytes(&self, ty: LLVMTypeRef) -> u32 {
        // SAFETY: as the caller promises.
        unsafe { LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.module), ty) as u32 }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        // SAFETY: the builder is ours.
        unsafe { LLVMDisposeBuilder(self.builder) };
    }
}
