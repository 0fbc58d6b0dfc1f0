//! What a module needs of a device: dtypes and atomics that not every device has.
//!
//! This is checked before a backend sees the module, so that the refusal is the same on every device,
//! and names the kernel and the user's line.

use std::collections::HashSet;

use situ_ir::{
    DType, Function, FunctionInfo, Handle, Span, Statement, StatementKind, Type, ValidModule,
};

use crate::aspect::Aspect;
use crate::device::Device;
use crate::error::{Error, Result, SourceLine};

/// Something that a device can lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Requirement {
    /// A dtype whose numbers the device computes with.
    Dtype(DType),
    /// Atomics on elements of 8 bytes.
    LongAtomics,
}

impl Requirement {
    const ALL: [Self; 4] = [
        Self::Dtype(DType::F64),
        Self::Dtype(DType::C128),
        Self::Dtype(DType::F16),
        Self::LongAtomics,
    ];

    fn aspect(self) -> Aspect {
        match self {
            Self::Dtype(DType::F16) => Aspect::Fp16,
            Self::Dtype(_) => Aspect::Fp64,
            Self::LongAtomics => Aspect::Atomic64,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Dtype(dtype) => dtype.name(),
            Self::LongAtomics => "64-bit atomics",
        }
    }

    /// Whether a function itself has something of this sort; also the functions it calls, for dtypes.
    fn is_in(self, function: &Function, info: &FunctionInfo) -> bool {
        match self {
            Self::Dtype(dtype) => info.uses_dtype(dtype),
            Self::LongAtomics => self.first_use(function, info).is_some(),
        }
    }

    /// Where a function itself uses it first.
    fn first_use(self, function: &Function, info: &FunctionInfo) -> Option<Span> {
        let mut found = None;
        function.body.for_each_statement(&mut |statement| {
            if found.is_none() && self.is_used_by(function, info, statement) {
                found = Some(statement.span);
            }
        });
        let parameter = || {
            let parameters = function.parameters.iter();
            let mut of_type = parameters.filter(|one| Self::Dtype(element(one.ty)) == self);
            of_type.next().map(|one| one.span)
        };
        found.or_else(parameter)
    }

    fn is_used_by(self, function: &Function, info: &FunctionInfo, statement: &Statement) -> bool {
        match self {
            Self::LongAtomics => matches!(&statement.kind, StatementKind::Atomic(atomic)
                if element(info.type_of(atomic.pointer)).size_bytes() == 8),
            Self::Dtype(dtype) => {
                let mut pending = Vec::new();
                statement
                    .kind
                    .for_each_expression(|expression| pending.push(expression));
                // Expressions are shared, so each is looked at once.
                let mut seen = HashSet::new();
                while let Some(expression) = pending.pop() {
                    if !seen.insert(expression) {
                        continue;
                    }
                    if element(info.type_of(expression)) == dtype {
                        return true;
                    }
                    let operands = &function.expressions[expression];
                    operands.for_each_operand(|operand| pending.push(operand));
                }
                false
            }
        }
    }
}

/// The dtype of a scalar, or of what a pointer points at.
fn element(ty: Type) -> DType {
    match ty {
        Type::Scalar(dtype) | Type::Pointer { element: dtype, .. } => dtype,
    }
}

/// Checks that a device has what a module needs.
///
/// # Errors
/// [`Error::FeatureMissing`].
pub(crate) fn check(device: &Device, module: &ValidModule) -> Result<()> {
    let aspects = &device.info().aspects;
    for requirement in Requirement::ALL {
        if aspects.contains(&requirement.aspect()) {
            continue;
        }
        let user = module
            .functions
            .handles()
            .find(|handle| requirement.is_in(&module.functions[*handle], module.info(*handle)));
        if let Some(user) = user {
            return Err(Error::FeatureMissing {
                kernel: kernel_with(module, requirement, user),
                feature: requirement.name(),
                device: device.filter_string(),
                origin: first_line(module, requirement),
            });
        }
    }
    Ok(())
}

/// The kernel to name: one that has it, or else the first that could call the function that has.
fn kernel_with(module: &ValidModule, requirement: Requirement, user: Handle<Function>) -> String {
    let mut kernels = module.kernels();
    let has = |(handle, function): &(Handle<Function>, &Function)| {
        requirement.is_in(function, module.info(*handle))
    };
    let named = kernels.find(has).map(|(_, function)| function);
    named.unwrap_or(&module.functions[user]).name.clone()
}

fn first_line(module: &ValidModule, requirement: Requirement) -> Option<Box<SourceLine>> {
    let source = module.source.as_ref()?;
    let kernels = module.kernels().map(|(handle, _)| handle);
    let span = kernels
        .chain(module.functions.handles())
        .find_map(|handle| requirement.first_use(&module.functions[handle], module.info(handle)))
        .filter(|span| span.is_some())?;
    Some(Box::new(SourceLine::at(source, span)))
}
