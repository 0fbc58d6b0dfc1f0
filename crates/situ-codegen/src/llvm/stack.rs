//! How much stack a kernel needs.
//!
//! Private arrays and numbers that find no register are on the stack of the thread that runs the kernel, which may be
//! any thread of the user's. So the runtime is told an upper bound, and provides that much. Where functions call
//! themselves there is none: these compare the stack pointer with [`LaunchFrame::stack_limit`] on every call.
//!
//! [`LaunchFrame::stack_limit`]: super::abi::LaunchFrame::stack_limit

use situ_ir::{AddressSpace, StatementKind, ValidModule, WorkItemQuery};

use super::abi::offset;
use super::body::Body;
use super::functions::ALWAYS_INLINE;
use super::writer::Operand;
use crate::error::Error;

/// Functions with more bytes of private arrays are never inlined: of two copies in one caller, both might be there at
/// the same time.
const MAX_INLINED_BYTES: u64 = 4 << 10;

/// Reserve for the C library's math functions, for signal handlers, and for spills that LLVM adds.
const RESERVE_BYTES: u64 = 64 << 10;

/// How many calls deep functions that call themselves find room for, if it is not more than [`DEEPEST_BYTES`].
const USUAL_DEPTH: u64 = 8000;

/// The most stack that is asked for because functions call themselves.
const DEEPEST_BYTES: u64 = 64 << 20;

/// The stack that a function needs, for one work-item at a time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StackNeed {
    /// Private arrays of the function and of those that are inlined into it.
    array_bytes: u64,
    /// The function and those that it calls, each of them once.
    chain_bytes: u64,
    /// What functions that call themselves need beyond that.
    deep_bytes: u64,
    /// Whether it calls itself, or a function that does.
    pub(super) recurs: bool,
}

impl StackNeed {
    /// Whether the function has private arrays, or one of those that it calls.
    pub(super) fn has_arrays(&self) -> bool {
        self.chain_bytes > 0
    }

    /// Whether the arrays are so small that a caller may have several copies of them.
    pub(super) fn may_be_inlined(&self) -> bool {
        self.array_bytes <= MAX_INLINED_BYTES
    }

    /// What a call of a kernel needs that runs for so many work-items at once.
    pub(super) fn total_bytes(&self, lanes: u32) -> u64 {
        self.chain_bytes
            .saturating_mul(u64::from(lanes))
            .saturating_add(self.deep_bytes.min(DEEPEST_BYTES))
            .saturating_add(RESERVE_BYTES)
    }
}

/// What each function needs, by position. Functions call earlier ones and themselves.
pub(super) fn needed(module: &ValidModule, inlined_sizes: &[usize]) -> Vec<StackNeed> {
    let mut needs: Vec<StackNeed> = Vec::with_capacity(module.functions.len());
    for (handle, function) in module.functions.iter() {
        let mut need = StackNeed::default();
        for (_, array) in function.arrays.iter() {
            if array.space == AddressSpace::Private {
                need.array_bytes = need.array_bytes.saturating_add(array.size_bytes());
            }
        }
        let mut calls_itself = false;
        let mut below = 0;
        function.body.for_each_statement(&mut |statement| {
            let StatementKind::Call { function, .. } = &statement.kind else {
                return;
            };
            let Some(callee) = needs.get(function.index()) else {
                calls_itself = true;
                return;
            };
            if inlined_sizes[function.index()] <= ALWAYS_INLINE && callee.may_be_inlined() {
                need.array_bytes = need.array_bytes.saturating_add(callee.array_bytes);
            }
            below = below.max(callee.chain_bytes);
            need.deep_bytes = need.deep_bytes.max(callee.deep_bytes);
            need.recurs |= callee.recurs;
        });
        // Every number may have to wait for its use on the stack.
        let numbers = inlined_sizes[handle.index()] as u64 * 8;
        let frame_bytes = need.array_bytes.saturating_add(numbers);
        need.chain_bytes = frame_bytes.saturating_add(below);
        if calls_itself {
            need.recurs = true;
            need.deep_bytes = need
                .deep_bytes
                .saturating_add(frame_bytes.saturating_mul(USUAL_DEPTH));
        }
        needs.push(need);
    }
    needs
}

impl Body<'_, '_, '_> {
    /// The lowest address of the stack, in a kernel.
    pub(super) fn stack_limit(&mut self) -> Operand {
        self.launch_field("stack_limit", "i64", offset::STACK_LIMIT)
    }

    /// The answer to [`WorkItemQuery::StackLeft`]: what is left when the function has called itself once more.
    pub(super) fn stack_left(&mut self) -> Result<Operand, Error> {
        let limit = self.answer(WorkItemQuery::StackLeft)?;
        let here = self.code.intrinsic("llvm.stacksave.p0", "ptr", &[]);
        let here = self
            .code
            .instruction(format_args!("ptrtoint ptr {here} to i64"));
        let left = self.code.binary("sub i64", &here, &limit);
        let reserve = Operand::integer(self.stack.chain_bytes.saturating_add(RESERVE_BYTES));
        Ok(self.code.binary("sub i64", &left, &reserve))
    }
}
