//! Code under construction: a function's text together with the library it draws on.

use std::fmt::Display;
use std::ops::{Deref, DerefMut};

use super::library::Library;
use super::writer::{Operand, Writer};

/// A function's text and the module's library. Dereferences to the [`Writer`].
#[derive(Debug)]
pub(super) struct Code<'m, 'o> {
    writer: Writer,
    /// Shared by all functions of the module.
    pub(super) library: &'m mut Library<'o>,
}

impl<'m, 'o> Code<'m, 'o> {
    pub(super) fn new(library: &'m mut Library<'o>) -> Self {
        Self {
            writer: Writer::new(),
            library,
        }
    }

    /// The finished text of the function.
    pub(super) fn into_writer(self) -> Writer {
        self.writer
    }

    /// Calls an intrinsic whose arguments all have one type.
    pub(super) fn intrinsic(&mut self, name: &str, ty: &str, arguments: &[&Operand]) -> Operand {
        let types = vec![ty; arguments.len()].join(", ");
        self.library.intrinsic(name, ty, &types);
        self.call(name, ty, ty, arguments)
    }

    /// Calls a function whose arguments all have one type.
    pub(super) fn call(
        &mut self,
        name: impl Display,
        result: &str,
        ty: &str,
        arguments: &[&Operand],
    ) -> Operand {
        let arguments: Vec<_> = arguments.iter().map(|x| format!("{ty} {x}")).collect();
        self.instruction(format_args!(
            "call {result} @{name}({})",
            arguments.join(", ")
        ))
    }

    /// One of two values.
    pub(super) fn select(
        &mut self,
        ty: &str,
        condition: &Operand,
        accept: &Operand,
        reject: &Operand,
    ) -> Operand {
        self.instruction(format_args!(
            "select i1 {condition}, {ty} {accept}, {ty} {reject}"
        ))
    }

    /// An instruction with two operands of one type, such as `add i64`.
    pub(super) fn binary(&mut self, operation: &str, left: &Operand, right: &Operand) -> Operand {
        self.instruction(format_args!("{operation} {left}, {right}"))
    }
}

impl Deref for Code<'_, '_> {
    type Target = Writer;

    fn deref(&self) -> &Writer {
        &self.writer
    }
}

impl DerefMut for Code<'_, '_> {
    fn deref_mut(&mut self) -> &mut Writer {
        &mut self.writer
    }
}
