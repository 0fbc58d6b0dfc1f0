//! Device functions that lowering adds to a module: what needs a loop.
//!
//! A function is added when the first use asks for it, before the function that uses it, so that
//! callees come before callers. Its name starts with `situ_` and ends with the dtype.

use std::collections::{HashMap, HashSet};

use crate::arena::Handle;
use crate::builder::FunctionBuilder;
use crate::dtype::DType;
use crate::expression::BinaryOperator;
use crate::literal::Literal;
use crate::module::{Function, Module};
use crate::statement::StatementKind;

/// A function that lowering can add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LibraryFunction {
    /// A power of integers.
    IntegerPower(DType),
}

impl LibraryFunction {
    fn name(self) -> String {
        match self {
            Self::IntegerPower(dtype) => format!("situ_pow_{}", dtype.short_name()),
        }
    }

    fn build(self, name: String) -> FunctionBuilder {
        match self {
            Self::IntegerPower(dtype) => integer_power(name, dtype),
        }
    }
}

/// The module that lowering makes, with the functions it added so far.
#[derive(Debug)]
pub(super) struct Library {
    module: Module,
    added: HashMap<LibraryFunction, Handle<Function>>,
    /// The names of the source's functions, which added functions must not take.
    taken: HashSet<String>,
}

impl Library {
    /// An empty module in the place of `source`.
    pub(super) fn new(source: &Module) -> Self {
        let mut module = Module::new(&source.name);
        module.source.clone_from(&source.source);
        let names = source.functions.iter();
        Self {
            module,
            added: HashMap::new(),
            taken: names.map(|(_, function)| function.name.clone()).collect(),
        }
    }

    /// Adds a function of the source that has been lowered.
    pub(super) fn append(&mut self, function: FunctionBuilder) -> Handle<Function> {
        function.finish(&mut self.module)
    }

    /// A library function, added if it is not there yet.
    pub(super) fn function(&mut self, function: LibraryFunction) -> Handle<Function> {
        if let Some(&handle) = self.added.get(&function) {
            return handle;
        }
        let mut name = function.name();
        while self.taken.contains(&name) {
            name.push('_');
        }
        let handle = function.build(name).finish(&mut self.module);
        self.added.insert(function, handle);
        handle
    }

    /// The finished module.
    pub(super) fn into_module(self) -> Module {
        self.module
    }
}

/// Squares and multiplies from the lowest bit of the exponent on.
fn integer_power(name: String, dtype: DType) -> FunctionBuilder {
    let mut f = FunctionBuilder::device(name, Some(dtype));
    let base = f.parameter("base", dtype.into());
    let exponent = f.parameter("exponent", dtype.into());
    let zero = f.literal(Literal::zero(dtype));
    let one = f.literal(Literal::one(dtype));
    if dtype.is_signed() {
        let is_negative = f.binary(BinaryOperator::Less, exponent, zero);
        f.if_(is_negative, |f| {
            let minus_one = f.literal(Literal::from_f64(dtype, -1.0));
            let last_bit = f.binary(BinaryOperator::BitAnd, exponent, one);
            let is_odd = f.binary(BinaryOperator::Equal, last_bit, one);
            let unit = f.select(is_odd, minus_one, one);
            let is_minus_one = f.binary(BinaryOperator::Equal, base, minus_one);
            let small = f.select(is_minus_one, unit, zero);
            let is_one = f.binary(BinaryOperator::Equal, base, one);
            let result = f.select(is_one, one, small);
            f.return_(Some(result));
        });
    }
    let result = f.variable("result", dtype);
    let square = f.variable("square", dtype);
    let rest = f.variable("rest", dtype);
    f.assign(result, one);
    f.assign(square, base);
    f.assign(rest, exponent);

    let now = f.get(rest);
    let condition = f.binary(BinaryOperator::NotEqual, now, zero);
    let body = f.block(|f| {
        let now = f.get(rest);
        let last_bit = f.binary(BinaryOperator::BitAnd, now, one);
        let is_odd = f.binary(BinaryOperator::Equal, last_bit, one);
        f.if_(is_odd, |f| {
            let (so_far, factor) = (f.get(result), f.get(square));
            let product = f.multiply(so_far, factor);
            f.assign(result, product);
        });
        let factor = f.get(square);
        let squared = f.multiply(factor, factor);
        f.assign(square, squared);
        let halved = f.binary(BinaryOperator::ShiftRight, now, one);
        f.assign(rest, halved);
    });
    f.statement(StatementKind::Loop {
        condition: Some(condition),
        body,
        step: crate::statement::Block::default(),
    });
    let result = f.get(result);
    f.return_(Some(result));
    f
}
