//! The instructions of a module, for what is done to them after LLVM's passes.

use llvm_sys::core::{
    LLVMGetFirstBasicBlock, LLVMGetFirstFunction, LLVMGetFirstInstruction,
    LLVMGetMDKindIDInContext, LLVMGetModuleContext, LLVMGetNextBasicBlock, LLVMGetNextFunction,
    LLVMGetNextInstruction,
};
use llvm_sys::prelude::*;

/// All functions of a module.
///
/// # Safety
/// The module is alive.
pub(super) unsafe fn functions(module: LLVMModuleRef) -> Vec<LLVMValueRef> {
    // SAFETY: as the caller promises; each function but the last has a next one.
    unsafe {
        listed(LLVMGetFirstFunction(module), |last| {
            LLVMGetNextFunction(last)
        })
    }
}

/// All instructions of a function.
///
/// # Safety
/// The function is alive.
pub(super) unsafe fn instructions(function: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: as the caller promises; blocks and instructions are the function's.
    unsafe {
        let first = LLVMGetFirstBasicBlock(function);
        let blocks = listed(first, |last| LLVMGetNextBasicBlock(last));
        let of_block = |block| {
            let first = LLVMGetFirstInstruction(block);
            listed(first, |last| LLVMGetNextInstruction(last))
        };
        blocks.into_iter().flat_map(of_block).collect()
    }
}

/// The number of a kind of metadata.
///
/// # Safety
/// The module is alive.
pub(super) unsafe fn metadata_kind(module: LLVMModuleRef, name: &str) -> u32 {
    let length = name.len() as u32;
    // SAFETY: as the caller promises; the name is passed with its length.
    unsafe { LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), name.as_ptr().cast(), length) }
}

/// The items of a list of LLVM's, which ends with a null pointer.
fn listed<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> Vec<*mut T> {
    let some = |item: *mut T| (!item.is_null()).then_some(item);
    std::iter::successors(some(first), |last| some(next(*last))).collect()
}
