//! Building functions without touching arenas.
//!
//! [`FunctionBuilder`] appends expressions and statements to the block that is open. It does not check
//! anything: [`validate`](crate::validate()) does, once, for every producer of IR. It does know the type
//! of every expression it made ([`FunctionBuilder::type_of`]), so that front ends can insert casts.
//!
//! ```
//! use situ_ir::{AddressSpace, DType, FunctionBuilder, Module, Type, validate};
//!
//! let mut f = FunctionBuilder::kernel("double", 1);
//! let x = f.parameter("x", Type::pointer(DType::F64, AddressSpace::Global));
//! let i = f.global_id(0);
//! let element = f.load(x, i);
//! let sum = f.add(element, element);
//! f.store(x, i, sum);
//!
//! let mut module = Module::new("example");
//! f.finish(&mut module);
//! assert!(validate(module).is_ok());
//! ```

use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression, MathFunction, UnaryOperator, WorkItemQuery};
use crate::literal::Literal;
use crate::module::{ArrayVariable, Function, FunctionKind, Module, Parameter, Value, Variable};
use crate::span::Span;
use crate::statement::{
    Atomic, Block, Collective, CollectiveOperation, CollectiveScope, MemoryOrder, MemoryScope,
    MemorySpaces, Parallel, Statement, StatementKind,
};
use crate::types::{AddressSpace, Type};

/// A function under construction.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    /// The blocks that are open, outermost first; never empty.
    open: Vec<Block>,
    /// Given to everything that is appended.
    span: Span,
    types: Vec<Type>,
}

impl FunctionBuilder {
    /// Starts a kernel for ranges of 1 to 3 dimensions.
    pub fn kernel(name: impl Into<String>, dims: u8) -> Self {
        Self::new(Function::new(name, FunctionKind::Kernel { dims }))
    }

    /// Starts a device function.
    pub fn device(name: impl Into<String>, result: Option<DType>) -> Self {
        let mut function = Function::new(name, FunctionKind::Device);
        function.result = result;
        Self::new(function)
    }

    fn new(function: Function) -> Self {
        Self {
            function,
            open: vec![Block::default()],
            span: Span::NONE,
            types: Vec::new(),
        }
    }

    /// Stands for the function that is being built in calls of itself, until it has a place in a module.
    pub fn itself() -> Handle<Function> {
        Handle::new(u32::MAX as usize)
    }

    /// Ends the function and adds it to a module.
    ///
    /// # Panics
    /// If a block opened with [`FunctionBuilder::open_block`] was not closed.
    pub fn finish(mut self, module: &mut Module) -> Handle<Function> {
        assert_eq!(self.open.len(), 1, "every opened block is closed");
        self.function.body = self.open.pop().expect("there is one block");
        let own = Handle::new(module.functions.len());
        self.function.body.for_each_statement_mut(&mut |statement| {
            if let StatementKind::Call { function, .. } = &mut statement.kind
                && *function == Self::itself()
            {
                *function = own;
            }
        });
        let span = self.function.span;
        module.functions.append(self.function, span)
    }

    /// Sets the place in the source that the next expressions and statements come from.
    pub fn at(&mut self, span: Span) -> &mut Self {
        self.span = span;
        self
    }

    /// The place in the source that is given to new nodes.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The place of the whole function in the source.
    pub fn set_function_span(&mut self, span: Span) {
        self.function.span = span;
    }

    /// The function as it is so far; its body is empty until [`FunctionBuilder::finish`].
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// Sets what a device function returns, for producers that learn it late.
    pub fn set_result(&mut self, result: Option<DType>) {
        self.function.result = result;
    }

    /// The type of an expression; for operands that do not fit together, the type of the first.
    pub fn type_of(&self, expression: Handle<Expression>) -> Type {
        self.types[expression.index()]
    }

    /// The dtype of a scalar expression, or a pointer's element.
    pub fn dtype_of(&self, expression: Handle<Expression>) -> DType {
        match self.type_of(expression) {
            Type::Scalar(dtype) | Type::Pointer { element: dtype, .. } => dtype,
        }
    }

    // ----- declarations -----

    /// Declares the next parameter and refers to it.
    pub fn parameter(&mut self, name: impl Into<String>, ty: Type) -> Handle<Expression> {
        let position = self.function.parameters.len() as u32;
        let parameter = Parameter {
            name: name.into(),
            ty,
            span: self.span,
        };
        self.function.parameters.push(parameter);
        self.expression(Expression::Parameter(position))
    }

    /// Declares a variable.
    pub fn variable(&mut self, name: impl Into<String>, dtype: DType) -> Handle<Variable> {
        self.function.variables.append(
            Variable {
                name: name.into(),
                dtype,
            },
            self.span,
        )
    }

    /// Declares a local or private array and points at it.
    pub fn array(
        &mut self,
        name: impl Into<String>,
        element: DType,
        length: u64,
        space: AddressSpace,
    ) -> Handle<Expression> {
        let array = ArrayVariable {
            name: name.into(),
            element,
            length,
            space,
        };
        let array = self.function.arrays.append(array, self.span);
        self.expression(Expression::Array(array))
    }

    /// Declares a value for a statement to bind.
    pub fn value(&mut self, name: impl Into<String>, ty: Type) -> Handle<Value> {
        self.function.values.append(
            Value {
                name: name.into(),
                ty,
            },
            self.span,
        )
    }

    // ----- expressions -----

    /// Appends any expression.
    pub fn expression(&mut self, expression: Expression) -> Handle<Expression> {
        let ty = self.guess_type(&expression);
        self.types.push(ty);
        self.function.expressions.append(expression, self.span)
    }

    /// A constant.
    pub fn literal(&mut self, literal: Literal) -> Handle<Expression> {
        self.expression(Expression::Literal(literal))
    }

    /// An index (`int64`) constant.
    pub fn index(&mut self, value: i64) -> Handle<Expression> {
        self.literal(Literal::I64(value))
    }

    /// What a variable holds.
    pub fn get(&mut self, variable: Handle<Variable>) -> Handle<Expression> {
        self.expression(Expression::Variable(variable))
    }

    /// An id or size of the running work-item.
    pub fn work_item(&mut self, query: WorkItemQuery) -> Handle<Expression> {
        self.expression(Expression::WorkItem(query))
    }

    /// The position in the range along a dimension.
    pub fn global_id(&mut self, dimension: u8) -> Handle<Expression> {
        self.work_item(WorkItemQuery::GlobalId(dimension))
    }

    /// An operator with one operand.
    pub fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: Handle<Expression>,
    ) -> Handle<Expression> {
        self.expression(Expression::Unary { operator, operand })
    }

    /// An operator with two operands.
    pub fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.expression(Expression::Binary {
            operator,
            left,
            right,
        })
    }

    /// `left + right`.
    pub fn add(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.binary(BinaryOperator::Add, left, right)
    }

    /// `left * right`.
    pub fn multiply(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.binary(BinaryOperator::Multiply, left, right)
    }

    /// One of two values.
    pub fn select(
        &mut self,
        condition: Handle<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
    ) -> Handle<Expression> {
        self.expression(Expression::Select {
            condition,
            accept,
            reject,
        })
    }

    /// A value converted to a dtype; nothing is appended if it has that dtype already.
    pub fn cast(&mut self, operand: Handle<Expression>, to: DType) -> Handle<Expression> {
        if self.type_of(operand) == Type::Scalar(to) {
            return operand;
        }
        self.expression(Expression::Cast { operand, to })
    }

    /// A mathematical function.
    pub fn math(
        &mut self,
        function: MathFunction,
        arguments: &[Handle<Expression>],
    ) -> Handle<Expression> {
        self.expression(Expression::Math {
            function,
            arguments: arguments.to_vec(),
        })
    }

    /// The element at a pointer.
    pub fn load(
        &mut self,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Handle<Expression> {
        self.expression(Expression::Load { pointer, index })
    }

    /// A pointer moved by some elements.
    pub fn offset(
        &mut self,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Handle<Expression> {
        self.expression(Expression::Offset { pointer, index })
    }

    // ----- statements -----

    /// Appends any statement to the open block.
    pub fn statement(&mut self, kind: StatementKind) {
        let statement = Statement {
            kind,
            span: self.span,
        };
        self.open
            .last_mut()
            .expect("a block is open")
            .statements
            .push(statement);
    }

    /// Evaluates an expression now and refers to its result.
    pub fn bind(
        &mut self,
        name: impl Into<String>,
        expression: Handle<Expression>,
    ) -> Handle<Expression> {
        let value = self.value(name, self.type_of(expression));
        self.statement(StatementKind::Let { value, expression });
        self.expression(Expression::Value(value))
    }

    /// Gives a variable a new content.
    pub fn assign(&mut self, variable: Handle<Variable>, expression: Handle<Expression>) {
        self.statement(StatementKind::Assign {
            variable,
            expression,
        });
    }

    /// Writes one element.
    pub fn store(
        &mut self,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
        value: Handle<Expression>,
    ) {
        self.statement(StatementKind::Store {
            pointer,
            index,
            value,
        });
    }

    /// Says that an element may be read soon.
    pub fn prefetch(&mut self, pointer: Handle<Expression>, index: Handle<Expression>) {
        self.statement(StatementKind::Prefetch { pointer, index });
    }

    /// Opens a block: statements go there until [`FunctionBuilder::close_block`].
    pub fn open_block(&mut self) {
        self.open.push(Block::default());
    }

    /// Closes the block that was opened last and gives it back.
    ///
    /// # Panics
    /// If no block was opened.
    pub fn close_block(&mut self) -> Block {
        assert!(self.open.len() > 1, "a block was opened");
        self.open.pop().expect("a block was opened")
    }

    /// The statements that `fill` appends, as a block.
    pub fn block(&mut self, fill: impl FnOnce(&mut Self)) -> Block {
        self.open_block();
        fill(self);
        self.close_block()
    }

    /// Runs what `accept` appends if the condition holds.
    pub fn if_(&mut self, condition: Handle<Expression>, accept: impl FnOnce(&mut Self)) {
        self.if_else(condition, accept, |_| {});
    }

    /// Runs what one of two closures appends.
    pub fn if_else(
        &mut self,
        condition: Handle<Expression>,
        accept: impl FnOnce(&mut Self),
        reject: impl FnOnce(&mut Self),
    ) {
        let accept = self.block(accept);
        let reject = self.block(reject);
        self.statement(StatementKind::If {
            condition,
            accept,
            reject,
        });
    }

    /// Counts a new `int64` variable from `start` while it is less than `end`, by 1, and repeats what
    /// `body` appends with the variable's content.
    pub fn for_range(
        &mut self,
        name: impl Into<String>,
        start: Handle<Expression>,
        end: Handle<Expression>,
        body: impl FnOnce(&mut Self, Handle<Expression>),
    ) {
        let counter = self.variable(name, DType::I64);
        self.assign(counter, start);
        let now = self.get(counter);
        let condition = self.binary(BinaryOperator::Less, now, end);
        let body = self.block(|f| {
            let now = f.get(counter);
            body(f, now);
        });
        let step = self.block(|f| {
            let now = f.get(counter);
            let one = f.index(1);
            let next = f.add(now, one);
            f.assign(counter, next);
        });
        self.statement(StatementKind::Loop {
            condition: Some(condition),
            body,
            step,
        });
    }

    /// Appends rounds that do not depend on each other; `body` gets the number of the round and that of the worker.
    pub fn parallel(
        &mut self,
        count: Handle<Expression>,
        body: impl FnOnce(&mut Self, Handle<Expression>, Handle<Expression>),
    ) {
        let [index, worker] = ["round", "worker"].map(|name| self.variable(name, DType::I64));
        let body = self.block(|f| {
            let numbers = [f.get(index), f.get(worker)];
            body(f, numbers[0], numbers[1]);
        });
        self.statement(StatementKind::Parallel(Parallel {
            count,
            index,
            worker,
            body,
        }));
    }

    /// Calls a device function, or [`FunctionBuilder::itself`]; refers to the result if it has one.
    pub fn call(
        &mut self,
        module: &Module,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
    ) -> Option<Handle<Expression>> {
        let callee = if function == Self::itself() {
            &self.function
        } else {
            &module.functions[function]
        };
        let (name, result) = (callee.name.clone(), callee.result);
        let result = result.map(|dtype| self.value(name, dtype.into()));
        let arguments = arguments.to_vec();
        self.statement(StatementKind::Call {
            function,
            arguments,
            result,
        });
        result.map(|value| self.expression(Expression::Value(value)))
    }

    /// Waits for the work-group.
    pub fn barrier(&mut self, spaces: MemorySpaces) {
        self.statement(StatementKind::Barrier(spaces));
    }

    /// Orders memory accesses.
    pub fn fence(&mut self, order: MemoryOrder, scope: MemoryScope) {
        self.statement(StatementKind::Fence { order, scope });
    }

    /// Appends an atomic access.
    pub fn atomic(&mut self, atomic: Atomic) {
        self.statement(StatementKind::Atomic(atomic));
    }

    /// Computes something with the whole (sub-)group and refers to this work-item's result.
    pub fn collective(
        &mut self,
        operation: CollectiveOperation,
        scope: CollectiveScope,
        operand: Handle<Expression>,
    ) -> Handle<Expression> {
        let result = self.value("collective", self.type_of(operand));
        let collective = Collective {
            operation,
            scope,
            operand,
            result,
        };
        self.statement(StatementKind::Collective(collective));
        self.expression(Expression::Value(result))
    }

    /// Ends the function.
    pub fn return_(&mut self, result: Option<Handle<Expression>>) {
        self.statement(StatementKind::Return(result));
    }

    /// The type an expression has if it is well-formed.
    fn guess_type(&self, expression: &Expression) -> Type {
        let of = |handle: &Handle<Expression>| self.type_of(*handle);
        let scalar = |handle: &Handle<Expression>| self.dtype_of(*handle);
        match expression {
            Expression::Literal(literal) => literal.dtype().into(),
            Expression::Parameter(position) => self.function.parameters[*position as usize].ty,
            Expression::Value(value) => self.function.values[*value].ty,
            Expression::Variable(variable) => self.function.variables[*variable].dtype.into(),
            Expression::Array(array) => {
                let array = &self.function.arrays[*array];
                Type::pointer(array.element, array.space)
            }
            Expression::WorkItem(_) => Type::INDEX,
            Expression::Unary { operator, operand } => operator
                .result(scalar(operand))
                .unwrap_or(scalar(operand))
                .into(),
            Expression::Binary { operator, left, .. } => {
                operator.result(scalar(left)).unwrap_or(scalar(left)).into()
            }
            Expression::Select { accept, .. } => of(accept),
            Expression::Cast { to, .. } | Expression::Bitcast { to, .. } => (*to).into(),
            Expression::Math { arguments, .. } => arguments.first().map_or(Type::INDEX, of),
            Expression::Complex { real, .. } => match scalar(real) {
                DType::F32 => DType::C64.into(),
                _ => DType::C128.into(),
            },
            Expression::Load { pointer, .. } => scalar(pointer).into(),
            Expression::Offset { pointer, .. } => of(pointer),
        }
    }
}
