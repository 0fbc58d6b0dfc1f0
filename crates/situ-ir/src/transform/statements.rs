//! Rewriting one function, statement by statement.
//!
//! Statements keep their order and places in the source. In front of a statement come the `Let`s
//! and `Call`s that its expressions need ([`super::expressions`]). A statement about a complex
//! number becomes two; the second must not see the first one's effect, so what it needs is bound
//! before both.

use super::core_form::{is_leaf, uses};
use super::library::Library;
use super::pairs::Term;
use super::{LoweredFunction, LoweredParameter};
use crate::arena::Handle;
use crate::builder::FunctionBuilder;
use crate::dtype::DType;
use crate::expression::Expression;
use crate::module::{ArrayVariable, Function, FunctionKind, Value, Variable};
use crate::span::Span;
use crate::statement::{Atomic, Block, Parallel, Statement, StatementKind};
use crate::types::Type;
use crate::validate::{FunctionInfo, MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_NODES, ValidModule};

/// A function on its way to core IR.
pub(super) struct FunctionLowering<'a> {
    pub(super) source: &'a Function,
    pub(super) info: &'a FunctionInfo,
    /// The function among those of the original module.
    original: Handle<Function>,
    /// What became of the functions before this one, which are those it may call besides itself.
    earlier: &'a [LoweredFunction],
    pub(super) library: &'a mut Library,
    /// The function that is being made.
    pub(super) f: FunctionBuilder,
    pub(super) parameters: Vec<LoweredParameter>,
    pub(super) values: Vec<Parts<Handle<Value>>>,
    pub(super) variables: Vec<Parts<Handle<Variable>>>,
    pub(super) arrays: Vec<Handle<ArrayVariable>>,
    /// Where a complex result is stored.
    pub(super) result: Option<Handle<Expression>>,
    /// The expressions of the present statement that have been lowered.
    pub(super) terms: Vec<Option<Term>>,
    /// How large each expression of the new function is.
    sizes: Vec<Size>,
}

/// How large an expression is when it is written out.
#[derive(Clone, Copy)]
struct Size {
    depth: usize,
    nodes: usize,
}

/// Expressions larger than this are bound. One node of the source becomes a tree of at most some
/// dozens, so what validation allows is not exceeded.
const LARGEST_DEPTH: usize = MAX_EXPRESSION_DEPTH / 4;
const LARGEST_NODES: usize = MAX_EXPRESSION_NODES / 64;

/// One thing for a real number, or one for each part of a complex number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parts<T> {
    One(T),
    Pair(T, T),
}

impl<T: Copy> Parts<T> {
    /// The only thing, or the one for the real part.
    fn real(self) -> T {
        match self {
            Self::One(thing) | Self::Pair(thing, _) => thing,
        }
    }
}

impl<'a> FunctionLowering<'a> {
    pub(super) fn new(
        module: &'a ValidModule,
        function: Handle<Function>,
        earlier: &'a [LoweredFunction],
        library: &'a mut Library,
    ) -> Self {
        let source = &module.functions[function];
        let f = match source.kind {
            FunctionKind::Kernel { dims } => FunctionBuilder::kernel(&source.name, dims),
            FunctionKind::Device => FunctionBuilder::device(&source.name, source.result),
        };
        Self {
            source,
            info: module.info(function),
            original: function,
            earlier,
            library,
            f,
            parameters: Vec::new(),
            values: Vec::new(),
            variables: Vec::new(),
            arrays: Vec::new(),
            result: None,
            terms: vec![None; source.expressions.len()],
            sizes: Vec::new(),
        }
    }

    /// Rewrites the function and adds it to the output.
    pub(super) fn lower(mut self) -> LoweredFunction {
        self.f.set_function_span(self.source.span);
        self.declare_parameters();
        self.declare_values();
        self.declare_variables();
        self.declare_arrays();
        self.statements(&self.source.body);
        LoweredFunction {
            function: self.library.append(self.f),
            parameters: self.parameters,
        }
    }

    fn block(&mut self, block: &Block) -> Block {
        self.f.open_block();
        self.statements(block);
        self.f.close_block()
    }

    fn statements(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Let { value, expression } => {
                let term = self.evaluate(*expression);
                self.f.at(span);
                self.bind_value(*value, term);
            }
            StatementKind::Assign {
                variable,
                expression,
            } => {
                let term = self.evaluate(*expression);
                self.f.at(span);
                self.assign(*variable, term);
            }
            StatementKind::Store {
                pointer,
                index,
                value,
            } => {
                let [pointer, index, value] = self.evaluate_all(&[*pointer, *index, *value]);
                self.f.at(span);
                self.store(pointer.one(), index.one(), value);
            }
            // A hint, which complex elements do without.
            StatementKind::Prefetch { pointer, .. } if self.is_of_pairs(*pointer) => {}
            StatementKind::Prefetch { pointer, index } => {
                let [pointer, index] = self.evaluate_all(&[*pointer, *index]);
                self.f.at(span);
                self.f.prefetch(pointer.one(), index.one());
            }
            StatementKind::Atomic(atomic) => {
                let atomic = self.atomic(atomic);
                self.f.at(span).atomic(atomic);
            }
            StatementKind::Call {
                function,
                arguments,
                result,
            } => {
                let terms = self.evaluate_list(arguments);
                self.f.at(span);
                self.call(*function, &terms, *result);
            }
            StatementKind::If {
                condition,
                accept,
                reject,
            } => {
                let condition = self.evaluate(*condition).one();
                let accept = self.block(accept);
                let reject = self.block(reject);
                self.f.at(span).statement(StatementKind::If {
                    condition,
                    accept,
                    reject,
                });
            }
            StatementKind::Loop {
                condition,
                body,
                step,
            } => {
                self.loop_(*condition, body, step, span);
            }
            StatementKind::Parallel(parallel) => {
                let count = self.evaluate(parallel.count).one();
                let [index, worker] = [parallel.index, parallel.worker]
                    .map(|variable| self.variables[variable.index()].real());
                let body = self.block(&parallel.body);
                let parallel = Parallel {
                    count,
                    index,
                    worker,
                    body,
                };
                self.f.at(span).statement(StatementKind::Parallel(parallel));
            }
            StatementKind::Return(result) => {
                let term = result.map(|result| self.evaluate(result));
                self.f.at(span);
                self.return_(term);
            }
            StatementKind::Collective(collective) => self.collective(collective, span),
            StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Barrier(_)
            | StatementKind::Fence { .. } => self.f.at(span).statement(statement.kind.clone()),
        }
    }

    /// Whether a pointer of the source points to complex numbers.
    fn is_of_pairs(&self, pointer: Handle<Expression>) -> bool {
        let element = self.info.type_of(pointer).element();
        element.is_some_and(DType::is_complex)
    }

    fn bind_value(&mut self, value: Handle<Value>, term: Term) {
        let mut bind = |value, expression| {
            self.f.statement(StatementKind::Let { value, expression });
        };
        match (self.values[value.index()], term) {
            (Parts::Pair(real, imaginary), term) => {
                let (from_real, from_imaginary) = term.pair();
                bind(real, from_real);
                bind(imaginary, from_imaginary);
            }
            (Parts::One(value), term) => bind(value, term.one()),
        }
    }

    fn assign(&mut self, variable: Handle<Variable>, term: Term) {
        match self.variables[variable.index()] {
            Parts::One(variable) => self.f.assign(variable, term.one()),
            Parts::Pair(to_real, to_imaginary) => {
                let (real, imaginary) = term.pair();
                let imaginary = self.freeze(imaginary);
                self.f.assign(to_real, real);
                self.f.assign(to_imaginary, imaginary);
            }
        }
    }

    fn store(&mut self, pointer: Handle<Expression>, index: Handle<Expression>, value: Term) {
        match value {
            Term::One(value) => self.f.store(pointer, index, value),
            Term::Pair(real, imaginary) => {
                let pointer = self.share(pointer);
                let (index, next) = self.part_indices(index);
                let imaginary = self.share(imaginary);
                self.f.store(pointer, index, real);
                self.f.store(pointer, next, imaginary);
            }
        }
    }

    fn atomic(&mut self, atomic: &Atomic) -> Atomic {
        let mut roots = vec![atomic.pointer, atomic.index];
        roots.extend(atomic.operand);
        roots.extend(atomic.expected);
        let mut terms = self.evaluate_list(&roots).into_iter().map(Term::one);
        let mut next = || terms.next().expect("one term for each root");
        Atomic {
            pointer: next(),
            index: next(),
            operand: atomic.operand.map(|_| next()),
            expected: atomic.expected.map(|_| next()),
            result: atomic.result.map(|value| self.values[value.index()].real()),
            ..atomic.clone()
        }
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Term],
        result: Option<Handle<Value>>,
    ) {
        let function = if function == self.original {
            FunctionBuilder::itself()
        } else {
            self.earlier[function.index()].function
        };
        let arguments: Vec<_> = arguments.iter().flat_map(|term| term.parts()).collect();
        match result.map(|value| self.values[value.index()]) {
            Some(Parts::Pair(real, imaginary)) => {
                let term =
                    self.call_complex(function, arguments, self.f.function().values[real].ty);
                let (from_real, from_imaginary) = term.pair();
                for (value, expression) in [(real, from_real), (imaginary, from_imaginary)] {
                    self.f.statement(StatementKind::Let { value, expression });
                }
            }
            Some(Parts::One(value)) => self.f.statement(StatementKind::Call {
                function,
                arguments,
                result: Some(value),
            }),
            None => self.f.statement(StatementKind::Call {
                function,
                arguments,
                result: None,
            }),
        }
    }

    fn loop_(
        &mut self,
        condition: Option<Handle<Expression>>,
        body: &Block,
        step: &Block,
        span: Span,
    ) {
        self.f.open_block();
        let first = condition.map(|condition| self.evaluate(condition).one());
        let needed = self.f.close_block().statements;
        let (condition, body, step) = match (condition, first) {
            (Some(condition), Some(first)) if !needed.is_empty() => {
                for statement in needed {
                    self.f.at(statement.span).statement(statement.kind);
                }
                let goes_on = self.f.at(span).variable("goes_on", DType::Bool);
                self.f.assign(goes_on, first);
                let body = self.block(body);
                self.f.open_block();
                self.statements(step);
                let next = self.evaluate(condition).one();
                self.f.at(span).assign(goes_on, next);
                let step = self.f.close_block();
                (Some(self.f.get(goes_on)), body, step)
            }
            (_, first) => (first, self.block(body), self.block(step)),
        };
        self.f.at(span).statement(StatementKind::Loop {
            condition,
            body,
            step,
        });
    }

    fn return_(&mut self, term: Option<Term>) {
        match (term, self.result) {
            (Some(term), Some(result)) => {
                let zero = self.f.index(0);
                let one = self.f.index(1);
                let (real, imaginary) = term.pair();
                let imaginary = self.share(imaginary);
                self.f.store(result, zero, real);
                self.f.store(result, one, imaginary);
                self.f.return_(None);
            }
            (term, _) => self.f.return_(term.map(Term::one)),
        }
    }

    // ----- expressions of a statement -----

    fn evaluate(&mut self, root: Handle<Expression>) -> Term {
        let [term] = self.evaluate_all(&[root]);
        term
    }

    pub(super) fn evaluate_all<const N: usize>(
        &mut self,
        roots: &[Handle<Expression>; N],
    ) -> [Term; N] {
        let terms = self.evaluate_list(roots);
        std::array::from_fn(|position| terms[position])
    }

    /// Lowers the expressions of one statement; what they need first goes to the open block.
    fn evaluate_list(&mut self, roots: &[Handle<Expression>]) -> Vec<Term> {
        let used = uses(self.source, roots);
        for &(handle, count) in &used {
            self.f.at(self.source.expressions.span(handle));
            let mut term = self.expression(handle);
            if count > 1 || self.is_large(term) {
                term = self.share_term(term);
            }
            self.terms[handle.index()] = Some(term);
        }
        let terms = roots.iter().map(|&root| self.term(root)).collect();
        for (handle, _) in used {
            self.terms[handle.index()] = None;
        }
        terms
    }

    /// What an operand of the expression that is being lowered became.
    pub(super) fn term(&self, operand: Handle<Expression>) -> Term {
        self.terms[operand.index()].expect("operands are lowered before their users")
    }

    /// The same expression in a form that may be used several times by one statement.
    pub(super) fn share(&mut self, expression: Handle<Expression>) -> Handle<Expression> {
        if is_leaf(&self.f.function().expressions[expression]) {
            expression
        } else {
            self.f.bind("shared", expression)
        }
    }

    /// Whether an expression has grown so much that validation might refuse what is made of it.
    fn is_large(&mut self, term: Term) -> bool {
        let expressions = &self.f.function().expressions;
        for handle in expressions.handles().skip(self.sizes.len()) {
            let mut size = Size { depth: 0, nodes: 1 };
            expressions[handle].for_each_operand(|operand| {
                let part = self.sizes[operand.index()];
                size.depth = size.depth.max(part.depth + 1);
                size.nodes = size.nodes.saturating_add(part.nodes);
            });
            self.sizes.push(size);
        }
        term.parts().any(|part| {
            let size = self.sizes[part.index()];
            size.depth > LARGEST_DEPTH || size.nodes > LARGEST_NODES
        })
    }

    /// [`FunctionLowering::share`] for each part.
    pub(super) fn share_term(&mut self, term: Term) -> Term {
        match term {
            Term::One(expression) => Term::One(self.share(expression)),
            Term::Pair(real, imaginary) => Term::Pair(self.share(real), self.share(imaginary)),
        }
    }

    /// The same expression in a form that keeps its value when variables are assigned.
    fn freeze(&mut self, expression: Handle<Expression>) -> Handle<Expression> {
        match self.f.function().expressions[expression] {
            Expression::Variable(_) => self.f.bind("frozen", expression),
            _ => self.share(expression),
        }
    }

    /// The dtype of a scalar expression of the source.
    pub(super) fn source_dtype(&self, expression: Handle<Expression>) -> DType {
        match self.info.type_of(expression) {
            Type::Scalar(dtype) | Type::Pointer { element: dtype, .. } => dtype,
        }
    }
}
