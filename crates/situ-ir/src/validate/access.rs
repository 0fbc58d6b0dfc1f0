//! What a function does with its parameters, with memory and with groups.
//!
//! No invariants are enforced here; the answers go into [`FunctionInfo`]. Only expressions that some
//! statement uses count.

use super::{FunctionInfo, ParameterAccess, PointerRoot};
use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::{Expression, WorkItemQuery};
use crate::module::Function;
use crate::statement::{Atomic, AtomicOperation, CollectiveScope, Statement, StatementKind};
use crate::types::{AddressSpace, Type};

/// Analyses a function whose handles are known to exist. Types and uniformity are left empty.
pub(super) fn analyse(function: &Function, earlier: &[FunctionInfo]) -> FunctionInfo {
    let mut analysis = Analysis {
        function,
        earlier,
        value_roots: vec![None; function.values.len()],
        callee_private_bytes: 0,
        info: FunctionInfo::unknown(function),
    };
    analysis.info.used = vec![false; function.expressions.len()];
    analysis.declarations();
    function
        .body
        .for_each_statement(&mut |statement| analysis.statement(statement));
    analysis.used_expressions();
    analysis.info.private_bytes = analysis
        .info
        .private_bytes
        .saturating_add(analysis.callee_private_bytes);
    analysis.info
}

struct Analysis<'a> {
    function: &'a Function,
    earlier: &'a [FunctionInfo],
    /// What each value points into, if it is a pointer.
    value_roots: Vec<Option<PointerRoot>>,
    /// The largest among the called functions: calls come one after the other.
    callee_private_bytes: u64,
    info: FunctionInfo,
}

impl Analysis<'_> {
    fn declarations(&mut self) {
        for parameter in &self.function.parameters {
            self.dtype(parameter.ty);
            if let Type::Pointer {
                space: AddressSpace::Local,
                ..
            } = parameter.ty
            {
                self.info.needs_groups = true;
            }
        }
        if let Some(result) = self.function.result {
            self.dtype(result.into());
        }
        for (_, value) in self.function.values.iter() {
            self.dtype(value.ty);
        }
        for (_, variable) in self.function.variables.iter() {
            self.dtype(variable.dtype.into());
        }
        for (_, array) in self.function.arrays.iter() {
            self.dtype(array.element.into());
            let bytes = match array.space {
                AddressSpace::Private => &mut self.info.private_bytes,
                AddressSpace::Local | AddressSpace::Global => {
                    self.info.needs_groups = true;
                    &mut self.info.local_bytes
                }
            };
            *bytes = bytes.saturating_add(array.size_bytes());
        }
    }

    fn statement(&mut self, statement: &Statement) {
        statement
            .kind
            .for_each_expression(|root| self.info.used[root.index()] = true);
        match &statement.kind {
            StatementKind::Let { value, expression } => {
                self.value_roots[value.index()] = self.root(*expression);
            }
            StatementKind::Store { pointer, .. } => self.access(*pointer, false, true),
            StatementKind::Atomic(atomic) => self.atomic(atomic),
            StatementKind::Call {
                function,
                arguments,
                ..
            } => self.call(*function, arguments),
            StatementKind::Barrier(_) => self.meeting(),
            StatementKind::Collective(collective) => {
                self.meeting();
                self.info.needs_sub_groups |= collective.scope == CollectiveScope::SubGroup;
            }
            StatementKind::Assign { .. }
            | StatementKind::If { .. }
            | StatementKind::Loop { .. }
            | StatementKind::Parallel(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return(_)
            | StatementKind::Prefetch { .. }
            | StatementKind::Fence { .. } => {}
        }
    }

    /// What a pointer expression points into. Values are bound before they are used, so their roots
    /// are known when a statement that uses them is met.
    fn root(&self, mut expression: Handle<Expression>) -> Option<PointerRoot> {
        loop {
            match &self.function.expressions[expression] {
                Expression::Offset { pointer, .. } => expression = *pointer,
                Expression::Value(value) => return self.value_roots[value.index()],
                Expression::Array(array) => return Some(PointerRoot::Array(*array)),
                Expression::Parameter(position) => {
                    let ty = self.function.parameters[*position as usize].ty;
                    return ty.element().map(|_| PointerRoot::Parameter(*position));
                }
                _ => return None,
            }
        }
    }

    fn access(&mut self, pointer: Handle<Expression>, reads: bool, writes: bool) {
        if let Some(PointerRoot::Parameter(position)) = self.root(pointer) {
            self.info.parameter_access[position as usize].merge(ParameterAccess { reads, writes });
        }
    }

    fn atomic(&mut self, atomic: &Atomic) {
        self.info.has_atomics = true;
        self.info.result_varies |= atomic.result.is_some();
        let reads = atomic.operation != AtomicOperation::Store;
        let writes = atomic.operation != AtomicOperation::Load;
        self.access(atomic.pointer, reads, writes);
    }

    fn call(&mut self, callee: Handle<Function>, arguments: &[Handle<Expression>]) {
        // Of itself nothing is known yet but that it may do anything.
        if callee.index() == self.earlier.len() {
            for argument in arguments {
                self.access(*argument, true, true);
            }
            self.info.result_varies = true;
            return;
        }
        // A function that may not be called has been reported.
        let Some(callee) = self.earlier.get(callee.index()) else {
            return;
        };
        for (argument, access) in arguments.iter().zip(&callee.parameter_access) {
            self.access(*argument, access.reads, access.writes);
        }
        self.callee_private_bytes = self.callee_private_bytes.max(callee.private_bytes);
        let info = &mut self.info;
        info.asks |= callee.asks;
        info.needs_groups |= callee.needs_groups;
        info.needs_sub_groups |= callee.needs_sub_groups;
        info.has_atomics |= callee.has_atomics;
        info.result_varies |= callee.result_varies;
        info.dtypes |= callee.dtypes;
    }

    fn meeting(&mut self) {
        self.info.synchronises = true;
        self.info.needs_groups = true;
    }

    /// Goes backwards: operands come before the expressions that use them.
    fn used_expressions(&mut self) {
        let handles: Vec<_> = self.function.expressions.handles().collect();
        for &handle in handles.iter().rev() {
            if !self.info.used[handle.index()] {
                continue;
            }
            let expression = &self.function.expressions[handle];
            expression.for_each_operand(|operand| self.info.used[operand.index()] = true);
            match expression {
                Expression::Load { pointer, .. } => self.access(*pointer, true, false),
                Expression::WorkItem(query) => {
                    self.info.asks = true;
                    self.info.needs_groups |= query.needs_groups();
                    self.info.result_varies |= !query.is_group_uniform();
                    self.info.needs_sub_groups |= asks_sub_group(*query);
                }
                Expression::Literal(literal) => self.dtype(literal.dtype().into()),
                Expression::Cast { to, .. } | Expression::Bitcast { to, .. } => {
                    self.dtype((*to).into());
                }
                _ => {}
            }
        }
        self.info.roots = handles.iter().map(|&handle| self.root(handle)).collect();
    }

    fn dtype(&mut self, ty: Type) {
        let (Type::Scalar(dtype) | Type::Pointer { element: dtype, .. }) = ty;
        // A complex number is made of floats, which the device then needs as well.
        for dtype in [dtype, dtype.real()] {
            self.info.dtypes |= 1 << dtype as u8;
        }
    }
}

fn asks_sub_group(query: WorkItemQuery) -> bool {
    matches!(
        query,
        WorkItemQuery::SubGroupId
            | WorkItemQuery::SubGroupLocalId
            | WorkItemQuery::SubGroupSize
            | WorkItemQuery::SubGroupCount
    )
}

const _: () = assert!(DType::ALL.len() <= 16, "a set of dtypes fits in a `u16`");
