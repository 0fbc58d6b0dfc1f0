//! Stores past the cache.
//!
//! LLVM does not vectorise stores that are to go past the cache, because it cannot know that the vectors will be aligned as
//! such stores must be. So the emitter marks pointers instead ([`STREAMED`]), and gives LLVM the facts
//! to find out; after the passes have run, aligned vector stores through these pointers are told to go past the cache. Others
//! stay as they are: those of the few elements that are left when no vector is.

use llvm_sys::core::{
    LLVMConstInt, LLVMGetAlignment, LLVMGetInstructionOpcode, LLVMGetMetadata,
    LLVMGetModuleContext, LLVMGetOperand, LLVMGetTypeKind, LLVMInt32TypeInContext,
    LLVMIsAInstruction, LLVMMDNodeInContext2, LLVMMetadataAsValue, LLVMSetMetadata, LLVMTypeOf,
    LLVMValueAsMetadata,
};
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMStoreSizeOfType};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use situ_codegen::llvm::STREAMED;
use situ_codegen::llvm::abi::BLOCK_ALIGN_BYTES;

use super::instructions::{functions, instructions, metadata_kind};

/// What LLVM calls stores past the cache.
const NON_TEMPORAL: &str = "nontemporal";

/// The smallest vector that there are such stores for.
const LEAST_VECTOR_BYTES: u64 = 16;

/// Marks the stores of an optimised module.
///
/// # Safety
/// The module is alive and nobody else uses its context.
pub(super) unsafe fn mark(module: LLVMModuleRef) {
    // SAFETY: as the caller promises; all values come from the module itself.
    unsafe {
        let marks = Marks::new(module);
        for function in functions(module) {
            for instruction in instructions(function) {
                marks.consider(instruction);
            }
        }
    }
}

struct Marks {
    module: LLVMModuleRef,
    /// The kind of metadata of marked pointers.
    streamed: u32,
    /// The kind of metadata of marked stores, and its content.
    non_temporal: (u32, LLVMValueRef),
}

impl Marks {
    /// # Safety
    /// As [`mark`].
    unsafe fn new(module: LLVMModuleRef) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let context = LLVMGetModuleContext(module);
            let one = LLVMConstInt(LLVMInt32TypeInContext(context), 1, 0);
            let mut content = LLVMValueAsMetadata(one);
            let node = LLVMMDNodeInContext2(context, &raw mut content, 1);
            Self {
                module,
                streamed: metadata_kind(module, STREAMED),
                non_temporal: (
                    metadata_kind(module, NON_TEMPORAL),
                    LLVMMetadataAsValue(context, node),
                ),
            }
        }
    }

    /// Marks an instruction if it is a store that can go past the cache, and should.
    ///
    /// # Safety
    /// The instruction is one of the module's.
    unsafe fn consider(&self, instruction: LLVMValueRef) {
        // SAFETY: operands and types are asked of instructions that have them.
        unsafe {
            if LLVMGetInstructionOpcode(instruction) != LLVMOpcode::LLVMStore {
                return;
            }
            let ty = LLVMTypeOf(LLVMGetOperand(instruction, 0));
            if LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMVectorTypeKind {
                return;
            }
            let size_bytes = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.module), ty);
            let needed = size_bytes.min(BLOCK_ALIGN_BYTES as u64);
            let is_aligned = u64::from(LLVMGetAlignment(instruction)) >= needed;
            if size_bytes.is_multiple_of(LEAST_VECTOR_BYTES)
                && is_aligned
                && self.is_streamed(LLVMGetOperand(instruction, 1))
            {
                let (kind, content) = self.non_temporal;
                LLVMSetMetadata(instruction, kind, content);
            }
        }
    }

    /// Whether a pointer was made from a marked one.
    ///
    /// # Safety
    /// The pointer is a value of the module.
    unsafe fn is_streamed(&self, mut pointer: LLVMValueRef) -> bool {
        // SAFETY: as the caller promises; only instructions are asked for operands and metadata.
        unsafe {
            while !LLVMIsAInstruction(pointer).is_null() {
                match LLVMGetInstructionOpcode(pointer) {
                    LLVMOpcode::LLVMGetElementPtr => pointer = LLVMGetOperand(pointer, 0),
                    LLVMOpcode::LLVMLoad => {
                        return !LLVMGetMetadata(pointer, self.streamed).is_null();
                    }
                    _ => return false,
                }
            }
            false
        }
    }
}
