//! Arbitrary modules, most of them nonsense: the validator and the printer take all of them.
//!
//! Nodes are chosen by random numbers, with handles that may not exist and types that rarely fit. What
//! validation accepts must print and parse.

use proptest::prelude::*;
use situ_ir::{
    AddressSpace, ArrayVariable, Atomic, AtomicOperation, BinaryOperator, Block, Collective,
    CollectiveOperation, CollectiveScope, CombineOperator, DType, Expression, Function,
    FunctionKind, Handle, Literal, MathFunction, MemoryOrder, MemoryScope, MemorySpaces, Module,
    Parameter, Source, Span, Statement, StatementKind, Type, UnaryOperator, Value, Variable,
    WorkItemQuery, text, validate,
};

/// Random numbers in the order they are asked for; zeros when they are used up.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    /// A number less than `count`.
    fn below(&mut self, count: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte) % count)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A handle into an arena of some length, rarely outside of it.
    fn handle<T>(&mut self, length: usize) -> Handle<T> {
        let outside = usize::from(self.below(64) == 63);
        Handle::new(self.below(length.max(1)) + outside * length)
    }

    fn dtype(&mut self) -> DType {
        // Mostly two types, so that operands fit together now and then.
        match self.below(4) {
            0 => self.one_of(&DType::ALL),
            1 => DType::F64,
            _ => DType::I64,
        }
    }

    fn space(&mut self) -> AddressSpace {
        self.one_of(&[
            AddressSpace::Global,
            AddressSpace::Local,
            AddressSpace::Private,
        ])
    }

    fn ty(&mut self) -> Type {
        match self.below(2) {
            0 => self.dtype().into(),
            _ => Type::pointer(self.dtype(), self.space()),
        }
    }

    fn query(&mut self) -> WorkItemQuery {
        let dimension = self.below(4) as u8;
        self.one_of(&[
            WorkItemQuery::GlobalId(dimension),
            WorkItemQuery::LocalSize(dimension),
            WorkItemQuery::GroupLinearId,
            WorkItemQuery::SubGroupSize,
        ])
    }

    fn expression(&mut self, function: &Function) -> Expression {
        let length = function.expressions.len();
        let mut operand = || self.handle(length);
        let (first, second, third) = (operand(), operand(), operand());
        match self.below(15) {
            0 => Expression::Literal(Literal::from_bits(self.dtype(), self.below(256) as u128)),
            1 => Expression::Parameter(self.below(4) as u32),
            2 => Expression::Value(self.handle(function.values.len())),
            3 => Expression::Variable(self.handle(function.variables.len())),
            4 => Expression::Array(self.handle(function.arrays.len())),
            5 => Expression::WorkItem(self.query()),
            6 => Expression::Unary {
                operator: self.one_of(&UnaryOperator::ALL),
                operand: first,
            },
            7 | 8 => Expression::Binary {
                operator: self.one_of(&BinaryOperator::ALL),
                left: first,
                right: second,
            },
            9 => Expression::Select {
                condition: first,
                accept: second,
                reject: third,
            },
            10 => Expression::Cast {
                operand: first,
                to: self.dtype(),
            },
            11 => Expression::Bitcast {
                operand: first,
                to: self.dtype(),
            },
            12 => Expression::Math {
                function: self.one_of(MathFunction::ALL),
                arguments: vec![first; self.below(4)],
            },
            13 => Expression::Load {
                pointer: first,
                index: second,
            },
            _ => Expression::Offset {
                pointer: first,
                index: second,
            },
        }
    }

    fn block(&mut self, function: &Function, depth: usize) -> Block {
        let mut block = Block::default();
        for _ in 0..self.below(4) {
            let kind = self.statement(function, depth);
            let span = Span::NONE;
            block.statements.push(Statement { kind, span });
        }
        block
    }

    fn statement(&mut self, function: &Function, depth: usize) -> StatementKind {
        let length = function.expressions.len();
        let mut expression = || self.handle(length);
        let (first, second, third) = (expression(), expression(), expression());
        let value = self.handle(function.values.len());
        let result = (self.below(2) == 0).then_some(value);
        if self.below(12) == 0 {
            return StatementKind::Prefetch {
                pointer: first,
                index: second,
            };
        }
        match self.below(if depth < 4 { 13 } else { 11 }) {
            0 => StatementKind::Let {
                value,
                expression: first,
            },
            1 => StatementKind::Assign {
                variable: self.handle(function.variables.len()),
                expression: first,
            },
            2 => StatementKind::Store {
                pointer: first,
                index: second,
                value: third,
            },
            3 => StatementKind::Atomic(Atomic {
                operation: self.one_of(&AtomicOperation::ALL),
                pointer: first,
                index: second,
                operand: (self.below(2) == 0).then_some(third),
                expected: (self.below(4) == 0).then_some(third),
                result,
                order: self.one_of(&[MemoryOrder::Relaxed, MemoryOrder::AcquireRelease]),
                scope: MemoryScope::Device,
            }),
            4 => StatementKind::Call {
                function: self.handle(3),
                arguments: vec![first; self.below(3)],
                result,
            },
            5 => StatementKind::Break,
            6 => StatementKind::Continue,
            7 => StatementKind::Return((self.below(2) == 0).then_some(first)),
            8 => StatementKind::Barrier(MemorySpaces::Local),
            9 => StatementKind::Fence {
                order: self.one_of(&[MemoryOrder::Relaxed, MemoryOrder::Acquire]),
                scope: MemoryScope::WorkGroup,
            },
            10 => StatementKind::Collective(Collective {
                operation: match self.below(3) {
                    0 => CollectiveOperation::Reduce(self.one_of(&CombineOperator::ALL)),
                    1 => CollectiveOperation::Broadcast(second),
                    _ => CollectiveOperation::Any,
                },
                scope: CollectiveScope::WorkGroup,
                operand: first,
                result: value,
            }),
            11 => StatementKind::If {
                condition: first,
                accept: self.block(function, depth + 1),
                reject: self.block(function, depth + 1),
            },
            _ => StatementKind::Loop {
                condition: (self.below(2) == 0).then_some(first),
                body: self.block(function, depth + 1),
                step: self.block(function, depth + 1),
            },
        }
    }

    fn function(&mut self) -> Function {
        let kind = match self.below(2) {
            0 => FunctionKind::Device,
            _ => FunctionKind::Kernel {
                dims: self.below(5) as u8,
            },
        };
        let name = self.one_of(&["f", "g", "h", "two words", ""]);
        let mut function = Function::new(name, kind);
        function.result = (self.below(3) == 0).then(|| self.dtype());
        let names = ["x", "y", "x", "if"];
        for _ in 0..self.below(4) {
            function.parameters.push(Parameter {
                name: self.one_of(&names).to_owned(),
                ty: self.ty(),
                span: Span::NONE,
            });
        }
        for _ in 0..self.below(4) {
            let name = self.one_of(&names).to_owned();
            let ty = self.ty();
            function.values.append(Value { name, ty }, Span::NONE);
        }
        for _ in 0..self.below(3) {
            let name = self.one_of(&names).to_owned();
            let dtype = self.dtype();
            let variable = Variable { name, dtype };
            function.variables.append(variable, Span::NONE);
        }
        for _ in 0..self.below(3) {
            let array = ArrayVariable {
                name: self.one_of(&names).to_owned(),
                element: self.dtype(),
                length: self.one_of(&[0, 1, 16, u64::MAX]),
                space: self.space(),
            };
            function.arrays.append(array, Span::NONE);
        }
        for _ in 0..self.below(16) {
            let expression = self.expression(&function);
            function.expressions.append(expression, Span::NONE);
        }
        function.body = self.block(&function, 1);
        function
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arbitrary_modules_are_accepted_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut choices = Choices(bytes.iter());
        let mut module = Module::new("arbitrary");
        for _ in 0..=choices.below(3) {
            module.functions.append(choices.function(), Span::NONE);
        }
        let printed = text::print(&module);
        match validate(module) {
            Ok(module) => {
                let again = text::parse(Source::new("printed", &printed));
                prop_assert_eq!(text::print(&again.expect("valid modules are read")), printed);
                for (handle, function) in module.functions.iter() {
                    let info = module.info(handle);
                    prop_assert_eq!(info.parameter_access.len(), function.parameters.len());
                    for expression in function.expressions.handles() {
                        let is_pointer = info.type_of(expression).element().is_some();
                        let is_used = info.is_used(expression);
                        let root = info.pointer_root(expression);
                        prop_assert!(root.is_some() == is_pointer || !is_used);
                        let _ = info.is_uniform(expression);
                    }
                }
            }
            Err(diagnostics) => prop_assert!(diagnostics.to_string().contains("error[V")),
        }
    }
}
