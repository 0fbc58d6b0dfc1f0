//! From [`Module`] to text.
//!
//! Prints any module, valid or not: what does not exist is written `?`, and what is nested beyond the
//! validator's bounds `...`; neither is read back.

use std::fmt::Write as _;

use super::literal;
use super::names::{MISSING, Names, quote_if_needed};
use super::words::infix_mark;
use crate::arena::Handle;
use crate::expression::Expression;
use crate::module::{Function, FunctionKind, Module};
use crate::statement::{
    Atomic, Block, Collective, CollectiveOperation, Parallel, Statement, StatementKind,
};
use crate::validate::{MAX_BLOCK_DEPTH, MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_NODES};

/// Writes a module as text, as the [module documentation](super) describes it.
pub fn print(module: &Module) -> String {
    let mut text = format!("module \"{}\"\n", super::lexer::escape(&module.name));
    for (_, function) in module.functions.iter() {
        let mut printer = Printer {
            module,
            function,
            names: Names::new(function),
            text: &mut text,
            indent: 1,
            depth: 1,
            nodes_left: 0,
        };
        printer.function();
    }
    text
}

struct Printer<'a> {
    module: &'a Module,
    function: &'a Function,
    names: Names,
    text: &'a mut String,
    indent: usize,
    /// How many blocks are open; more than `indent` in a chain of `else if`.
    depth: usize,
    /// How many more nodes the expressions of the current statement may have.
    nodes_left: usize,
}

impl Printer<'_> {
    fn function(&mut self) {
        let function = self.function;
        let parameters: Vec<_> = function
            .parameters
            .iter()
            .zip(&self.names.parameters)
            .map(|(parameter, name)| format!("{name}: {}", parameter.ty))
            .collect();
        let start = match function.kind {
            FunctionKind::Kernel { dims } => format!("kernel[{dims}]"),
            FunctionKind::Device => "device".to_owned(),
        };
        let result = match function.result {
            Some(result) => format!(" -> {}", result.short_name()),
            None => String::new(),
        };
        let _ = writeln!(
            self.text,
            "\n{start} {}({}){result} {{",
            quote_if_needed(&function.name),
            parameters.join(", ")
        );
        for ((_, variable), name) in function.variables.iter().zip(&self.names.variables) {
            let dtype = variable.dtype.short_name();
            let _ = writeln!(self.text, "    var {name}: {dtype};");
        }
        for ((_, array), name) in function.arrays.iter().zip(&self.names.arrays) {
            let _ = writeln!(
                self.text,
                "    array {name}: {} {}[{}];",
                array.space,
                array.element.short_name(),
                array.length
            );
        }
        self.statements(&function.body);
        self.text.push_str("}\n");
    }

    fn line_start(&mut self) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
    }

    fn statements(&mut self, block: &Block) {
        for statement in &block.statements {
            self.line_start();
            self.statement(statement);
            self.text.push('\n');
        }
    }

    /// Writes a block from its opening brace to its closing one, on the current line.
    fn block(&mut self, block: &Block) {
        if block.statements.is_empty() {
            self.text.push_str("{}");
            return;
        }
        if self.depth == MAX_BLOCK_DEPTH {
            self.text.push_str("{ ... }");
            return;
        }
        self.text.push_str("{\n");
        self.indent += 1;
        self.depth += 1;
        self.statements(block);
        self.depth -= 1;
        self.indent -= 1;
        self.line_start();
        self.text.push('}');
    }

    fn statement(&mut self, statement: &Statement) {
        self.nodes_left = MAX_EXPRESSION_NODES * 4;
        if let Some(value) = statement.kind.bound_value() {
            let ty = match self.function.values.get(value) {
                Some(value) => value.ty.to_string(),
                None => MISSING.to_owned(),
            };
            let name = self.names.value(value);
            let _ = write!(self.text, "let {name}: {ty} = ");
        }
        match &statement.kind {
            StatementKind::Let { expression, .. } => self.expression(*expression),
            StatementKind::Assign {
                variable,
                expression,
            } => {
                let _ = write!(self.text, "{} = ", self.names.variable(*variable));
                self.expression(*expression);
            }
            StatementKind::Store {
                pointer,
                index,
                value,
            } => {
                self.element(*pointer, *index, 0);
                self.text.push_str(" = ");
                self.expression(*value);
            }
            StatementKind::Prefetch { pointer, index } => {
                self.text.push_str("prefetch(");
                self.element(*pointer, *index, 0);
                self.text.push(')');
            }
            StatementKind::Atomic(atomic) => self.atomic(atomic),
            StatementKind::Call {
                function,
                arguments,
                ..
            } => {
                let name = match self.module.functions.get(*function) {
                    Some(function) => quote_if_needed(&function.name),
                    None => MISSING.to_owned(),
                };
                let _ = write!(self.text, "call {name}");
                self.arguments(arguments, 0);
            }
            StatementKind::If {
                condition,
                accept,
                reject,
            } => return self.branch(*condition, accept, reject),
            StatementKind::Loop {
                condition,
                body,
                step,
            } => return self.repeat(*condition, body, step),
            StatementKind::Parallel(parallel) => return self.parallel(parallel),
            StatementKind::Break => self.text.push_str("break"),
            StatementKind::Continue => self.text.push_str("continue"),
            StatementKind::Return(result) => {
                self.text.push_str("return");
                if let Some(result) = result {
                    self.text.push(' ');
                    self.expression(*result);
                }
            }
            StatementKind::Barrier(spaces) => {
                let _ = write!(self.text, "barrier({})", spaces.name());
            }
            StatementKind::Fence { order, scope } => {
                let _ = write!(self.text, "fence({}, {})", order.name(), scope.name());
            }
            StatementKind::Collective(collective) => self.collective(collective),
        }
        self.text.push(';');
    }

    fn branch(&mut self, condition: Handle<Expression>, accept: &Block, reject: &Block) {
        self.text.push_str("if ");
        self.expression(condition);
        self.text.push(' ');
        self.block(accept);
        match reject.statements.as_slice() {
            [] => {}
            [only]
                if matches!(only.kind, StatementKind::If { .. })
                    && self.depth < MAX_BLOCK_DEPTH =>
            {
                self.text.push_str(" else ");
                self.depth += 1;
                self.statement(only);
                self.depth -= 1;
            }
            _ => {
                self.text.push_str(" else ");
                self.block(reject);
            }
        }
    }

    fn repeat(&mut self, condition: Option<Handle<Expression>>, body: &Block, step: &Block) {
        match condition {
            Some(condition) => {
                self.text.push_str("while ");
                self.expression(condition);
            }
            None => self.text.push_str("loop"),
        }
        self.text.push(' ');
        self.block(body);
        if !step.statements.is_empty() {
            self.text.push_str(" step ");
            self.block(step);
        }
    }

    fn parallel(&mut self, parallel: &Parallel) {
        let index = self.names.variable(parallel.index);
        let worker = self.names.variable(parallel.worker);
        let _ = write!(self.text, "parallel {index}, {worker} below ");
        self.expression(parallel.count);
        self.text.push(' ');
        self.block(&parallel.body);
    }

    fn atomic(&mut self, atomic: &Atomic) {
        let _ = write!(self.text, "atomic {}(", atomic.operation.name());
        self.element(atomic.pointer, atomic.index, 0);
        if let Some(operand) = atomic.operand {
            self.text.push_str(", ");
            self.expression(operand);
        }
        if let Some(expected) = atomic.expected {
            self.text.push_str(", expect ");
            self.expression(expected);
        }
        let _ = write!(
            self.text,
            ") {} {}",
            atomic.order.name(),
            atomic.scope.name()
        );
    }

    fn collective(&mut self, collective: &Collective) {
        let operation = collective.operation;
        let _ = write!(self.text, "collective {}", operation.name());
        if let Some(operator) = operation.combine() {
            let _ = write!(self.text, " {}", operator.name());
        }
        match operation {
            CollectiveOperation::Broadcast(position) => {
                self.arguments(&[collective.operand, position], 0);
            }
            _ => self.arguments(&[collective.operand], 0),
        }
        let _ = write!(self.text, " {}", collective.scope.name());
    }

    fn expression(&mut self, expression: Handle<Expression>) {
        self.nested(expression, 0);
    }

    /// Writes an expression where one operator may stand without parentheses.
    fn nested(&mut self, handle: Handle<Expression>, depth: usize) {
        if let Some(Expression::Binary {
            operator,
            left,
            right,
        }) = self.function.expressions.get(handle)
            && let Some(mark) = infix_mark(*operator)
            && self.spend(depth)
        {
            self.primary(*left, depth + 1);
            let _ = write!(self.text, " {mark} ");
            self.primary(*right, depth + 1);
        } else {
            self.primary(handle, depth);
        }
    }

    /// Counts a node; `false` if the expression is beyond the bounds of valid ones.
    fn spend(&mut self, depth: usize) -> bool {
        let within = self.nodes_left > 0 && depth <= MAX_EXPRESSION_DEPTH;
        self.nodes_left = self.nodes_left.saturating_sub(1);
        within
    }

    /// Writes an expression that can be indexed or stand beside an operator.
    fn primary(&mut self, handle: Handle<Expression>, depth: usize) {
        if !self.spend(depth) {
            self.text.push_str("...");
            return;
        }
        let Some(expression) = self.function.expressions.get(handle) else {
            self.text.push_str(MISSING);
            return;
        };
        match expression {
            Expression::Literal(value) => self.text.push_str(&literal::print(*value)),
            Expression::Parameter(position) => self.text.push_str(self.names.parameter(*position)),
            Expression::Value(value) => self.text.push_str(self.names.value(*value)),
            Expression::Variable(variable) => self.text.push_str(self.names.variable(*variable)),
            Expression::Array(array) => self.text.push_str(self.names.array(*array)),
            Expression::WorkItem(query) => {
                let dimension = query.dimension().map(|dimension| dimension.to_string());
                let dimension = dimension.unwrap_or_default();
                let _ = write!(self.text, "{}({dimension})", query.name());
            }
            Expression::Unary { operator, operand } => {
                self.call(operator.name(), &[*operand], depth);
            }
            Expression::Binary {
                operator,
                left,
                right,
            } => match infix_mark(*operator) {
                Some(_) => {
                    self.text.push('(');
                    self.nested(handle, depth);
                    self.text.push(')');
                }
                None => self.call(operator.name(), &[*left, *right], depth),
            },
            Expression::Select {
                condition,
                accept,
                reject,
            } => self.call("select", &[*condition, *accept, *reject], depth),
            Expression::Cast { operand, to } => {
                self.conversion("cast", to.short_name(), *operand, depth);
            }
            Expression::Bitcast { operand, to } => {
                self.conversion("bitcast", to.short_name(), *operand, depth);
            }
            Expression::Math {
                function,
                arguments,
            } => self.call(function.name(), arguments, depth),
            Expression::Complex { real, imaginary } => {
                self.call("complex", &[*real, *imaginary], depth);
            }
            Expression::Load { pointer, index } => self.element(*pointer, *index, depth),
            Expression::Offset { pointer, index } => {
                self.call("offset", &[*pointer, *index], depth);
            }
        }
    }

    fn element(&mut self, pointer: Handle<Expression>, index: Handle<Expression>, depth: usize) {
        self.primary(pointer, depth + 1);
        self.text.push('[');
        self.nested(index, depth + 1);
        self.text.push(']');
    }

    fn conversion(&mut self, word: &str, to: &str, operand: Handle<Expression>, depth: usize) {
        let _ = write!(self.text, "{word}({to}, ");
        self.nested(operand, depth + 1);
        self.text.push(')');
    }

    fn call(&mut self, word: &str, arguments: &[Handle<Expression>], depth: usize) {
        self.text.push_str(word);
        self.arguments(arguments, depth);
    }

    fn arguments(&mut self, arguments: &[Handle<Expression>], depth: usize) {
        self.text.push('(');
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.text.push_str(", ");
            }
            self.nested(*argument, depth + 1);
        }
        self.text.push(')');
    }
}
