//! Statements and functions.
//!
//! The IR's control flow is C's, with two exceptions. A `Continue` goes on with the loop's `step`,
//! which is a block; where it does not fit into the head of a `for`, the body is wrapped in
//! `do { … } while (false)`, so that C's `continue` leads to the step. And C evaluates the condition
//! of a loop as one expression; where it needs names bound first, it is tested inside.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use situ_ir::{
    AddressSpace, Block, Expression, Function, FunctionInfo, FunctionKind, Handle, MemorySpaces,
    Parallel, PointerRoot, Span, Statement, StatementKind, Type, ValidModule, Value,
};

use super::collectives::Way;
use super::declarations::Declarations;
use super::expressions::Operands;
use super::library::Library;
use super::written::Written;
use super::{TargetOptions, reserved_words, types};
use crate::names::Names;

/// Lines longer than this are broken, where that is easy.
const LINE_WIDTH: usize = 100;

/// What the functions of a module have in common.
pub(super) struct ModuleContext<'a> {
    pub(super) module: &'a ValidModule,
    pub(super) options: &'a TargetOptions,
    /// The name of each function in the program.
    pub(super) function_names: Vec<String>,
    /// The dimensions of the launches that each function can run in, if they agree.
    pub(super) function_dims: Vec<Option<u8>>,
    /// Every name at program scope.
    pub(super) global_names: &'a Names,
}

/// Writes one function.
pub(super) struct FunctionWriter<'a> {
    context: &'a ModuleContext<'a>,
    pub(super) options: &'a TargetOptions,
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) library: &'a mut Library,
    pub(super) names: Names,
    pub(super) parameter_names: Vec<String>,
    pub(super) value_names: Vec<String>,
    pub(super) variable_names: Vec<String>,
    pub(super) array_names: Vec<String>,
    pub(super) dims: Option<u8>,
    /// The local memory that collectives of the work-group use.
    pub(super) scratch_name: String,
    /// The parameters with the true sizes of the range, if it may be launched rounded up.
    pub(super) extent_names: Vec<String>,
    declarations: Declarations,
    /// The loops around the present statement, outermost first.
    loops: Vec<LoopForm>,
    /// Labels at the ends of the rounds around the statement, innermost last.
    rounds: Vec<String>,
    text: String,
    /// The place in the source of each line of the text.
    spans: Vec<Span>,
    /// The place of the lines that are written at present.
    span: Span,
    indent: usize,
}

/// How a loop was written.
enum LoopForm {
    /// C's `break` leaves it.
    Plain,
    /// It is wrapped in a loop of one round, which sets this flag to leave both.
    Wrapped { leave: String },
}

impl<'a> FunctionWriter<'a> {
    pub(super) fn new(
        context: &'a ModuleContext<'a>,
        handle: Handle<Function>,
        has_extents: bool,
        library: &'a mut Library,
    ) -> Self {
        let function = &context.module.functions[handle];
        let mut names = context.global_names.clone();
        let mut name = |wanted: &str| names.unique(&reserved_words::avoid(wanted));
        let parameter_names = function.parameters.iter().map(|p| name(&p.name)).collect();
        let scratch_name = name("scratch");
        let extent_names = match function.kind {
            FunctionKind::Kernel { dims: 1 } if has_extents => vec![name("extent")],
            FunctionKind::Kernel { dims } if has_extents => {
                (0..dims).map(|d| name(&format!("extent_{d}"))).collect()
            }
            FunctionKind::Kernel { .. } | FunctionKind::Device => Vec::new(),
        };
        let array_names = function.arrays.iter().map(|(_, a)| name(&a.name)).collect();
        let variable_names = function
            .variables
            .iter()
            .map(|(_, v)| name(&v.name))
            .collect();
        let value_names = function.values.iter().map(|(_, v)| name(&v.name)).collect();
        Self {
            context,
            options: context.options,
            function,
            info: context.module.info(handle),
            library,
            names,
            parameter_names,
            value_names,
            variable_names,
            array_names,
            dims: context.function_dims[handle.index()],
            scratch_name,
            extent_names,
            declarations: Declarations::new(function),
            loops: Vec::new(),
            rounds: Vec::new(),
            text: String::new(),
            spans: Vec::new(),
            span: function.span,
            indent: 0,
        }
    }

    /// The whole function, and the place in the source of each of its lines.
    pub(super) fn write(mut self, symbol: &str, has_scratch: bool) -> (String, Vec<Span>) {
        if Way::SubGroup.is_used(self.function, self.options) {
            let size = self.options.sub_group_size;
            self.line(&format!(
                "__attribute__((intel_reqd_sub_group_size({size})))"
            ));
        }
        let head = self.head(symbol, has_scratch);
        self.line(&head);
        self.indent += 1;
        self.leave_padding();
        self.declare_arrays();
        self.declare_variables();
        self.block(&self.function.body);
        self.indent -= 1;
        self.line("}");
        (self.text, self.spans)
    }

    fn head(&self, symbol: &str, has_scratch: bool) -> String {
        let mut parameters: Vec<_> = (0..self.function.parameters.len())
            .map(|position| self.declare_parameter(position))
            .collect();
        if has_scratch {
            parameters.push(format!("__local ulong *{}", self.scratch_name));
        }
        let extents = self.extent_names.iter();
        parameters.extend(extents.map(|name| format!("ulong {name}")));
        if parameters.is_empty() {
            parameters.push("void".to_owned());
        }
        let start = match self.function.kind {
            FunctionKind::Kernel { .. } => format!("__kernel void {symbol}("),
            FunctionKind::Device => {
                let result = self.function.result.map_or("void", types::scalar);
                format!("static {result} {symbol}(")
            }
        };
        let line = format!("{start}{}) {{", parameters.join(", "));
        if line.len() <= LINE_WIDTH {
            return line;
        }
        format!("{start}\n    {}\n) {{", parameters.join(",\n    "))
    }

    fn declare_parameter(&self, position: usize) -> String {
        let name = &self.parameter_names[position];
        match self.function.parameters[position].ty {
            Type::Scalar(dtype) if self.function.is_kernel() => {
                format!("{} {name}", types::element(dtype))
            }
            ty => {
                let is_written = self.info.parameter_access[position].writes;
                types::declaration(ty, is_written, name)
            }
        }
    }

    /// Ends work-items beyond the true range.
    fn leave_padding(&mut self) {
        let dims = self.extent_names.len();
        let beyond: Vec<String> = self
            .extent_names
            .iter()
            .enumerate()
            .map(|(d, extent)| format!("get_global_id({}) >= {extent}", dims - 1 - d))
            .collect();
        if !beyond.is_empty() {
            self.line(&format!("if ({}) {{", beyond.join(" || ")));
            self.line("    return;");
            self.line("}");
        }
    }

    fn declare_arrays(&mut self) {
        for (handle, array) in self.function.arrays.iter() {
            let name = &self.array_names[handle.index()];
            let space = match array.space {
                AddressSpace::Local => "__local ",
                AddressSpace::Private | AddressSpace::Global => "",
            };
            let declaration = format!(
                "{space}{} {name}[{}];",
                types::element(array.element),
                array.length
            );
            self.line(&declaration);
        }
    }

    fn declare_variables(&mut self) {
        for variable in self.declarations.at_start.clone() {
            let dtype = self.function.variables[variable].dtype;
            let zero = match types::scalar(dtype) {
                "bool" => "false",
                _ => "0",
            };
            let name = &self.variable_names[variable.index()];
            let declaration = format!("{} {name} = {zero};", types::scalar(dtype));
            self.line(&declaration);
        }
    }

    /// `name` declared to be bound once. `pointer` is the expression it is bound to.
    pub(super) fn declare_constant(
        &self,
        ty: Type,
        pointer: Option<Handle<Expression>>,
        name: &str,
    ) -> String {
        match ty {
            Type::Scalar(_) => format!("const {}", types::declaration(ty, true, name)),
            Type::Pointer { .. } => {
                let is_written = pointer.is_none_or(|pointer| self.is_written(pointer));
                types::declaration(ty, is_written, name)
            }
        }
    }

    /// Whether the memory behind a pointer is written in this function.
    fn is_written(&self, pointer: Handle<Expression>) -> bool {
        match self.info.pointer_root(pointer) {
            Some(PointerRoot::Parameter(position)) => {
                self.info.parameter_access[position as usize].writes
            }
            Some(PointerRoot::Array(_)) | None => true,
        }
    }

    // ----- lines -----

    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 4 * self.indent);
        let count = line.lines().count();
        self.spans.extend(std::iter::repeat_n(self.span, count));
    }

    pub(super) fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.line(line);
        }
    }

    // ----- statements -----

    fn block(&mut self, block: &Block) {
        let mut statements = block.statements.iter();
        let around = self.span;
        while let Some(statement) = statements.next() {
            self.span = if statement.span.is_some() {
                statement.span
            } else {
                around
            };
            if self.declarations.is_of_loop(statement) && self.assigns_simply(statement) {
                if let Some(next) = statements.next() {
                    self.counted_loop(statement, next);
                }
            } else {
                self.statement(statement);
            }
        }
        self.span = around;
    }

    fn nested(&mut self, block: &Block) {
        self.indent += 1;
        self.block(block);
        self.indent -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let { value, expression } => self.bind_value(*value, *expression),
            StatementKind::Assign { .. } => {
                let (bindings, text) = self.assignment(statement);
                self.lines(&bindings);
                self.line(&format!("{text};"));
            }
            StatementKind::Store {
                pointer,
                index,
                value,
            } => {
                let operands = self.bound_operands(&[*pointer, *index, *value]);
                let place = element(operands.get(*pointer), operands.get(*index));
                let value = operands.get(*value).converting();
                self.line(&format!("{place} = {value};"));
            }
            StatementKind::Atomic(atomic) => self.atomic(atomic),
            StatementKind::Call {
                function,
                arguments,
                result,
            } => self.call(*function, arguments, *result),
            StatementKind::If {
                condition,
                accept,
                reject,
            } => {
                let operands = self.bound_operands(&[*condition]);
                let condition = operands.get(*condition).exact().to_owned();
                self.if_else("", &condition, accept, reject);
            }
            StatementKind::Loop {
                condition,
                body,
                step,
            } => self.loop_("", *condition, body, step),
            StatementKind::Parallel(parallel) => self.parallel(parallel),
            StatementKind::Break => self.break_(),
            StatementKind::Continue => self.line("continue;"),
            StatementKind::Return(None) => {
                let line = match self.rounds.last() {
                    Some(end) => format!("goto {end};"),
                    None => "return;".to_owned(),
                };
                self.line(&line);
            }
            StatementKind::Return(Some(result)) => {
                let operands = self.bound_operands(&[*result]);
                self.line(&format!("return {};", operands.get(*result).converting()));
            }
            StatementKind::Barrier(spaces) => self.line(barrier(*spaces)),
            StatementKind::Fence { order, scope } => {
                if let Some(fence) = self.fence(*order, *scope) {
                    self.line(&fence);
                }
            }
            // OpenCL C prefetches for whole groups, which is another thing.
            StatementKind::Prefetch { .. } => {}
            StatementKind::Collective(collective) => self.collective(collective),
        }
    }

    /// Writes what some expressions need bound, and gives the expressions.
    pub(super) fn bound_operands(&mut self, roots: &[Handle<Expression>]) -> Operands {
        let operands = self.operands(roots);
        self.lines(&operands.bindings);
        operands
    }

    fn bind_value(&mut self, value: Handle<Value>, expression: Handle<Expression>) {
        let ty = self.function.values[value].ty;
        let operands = self.bound_operands(&[expression]);
        let name = &self.value_names[value.index()];
        let declaration = self.declare_constant(ty, Some(expression), name);
        let text = operands.get(expression).converting();
        self.line(&format!("{declaration} = {text};"));
    }

    /// Writes a statement that gives a value: `text` is an expression of the value's type.
    pub(super) fn bind_result(&mut self, result: Option<Handle<Value>>, text: &str) {
        match result {
            None => self.line(&format!("{text};")),
            Some(value) => {
                let ty = self.function.values[value].ty;
                let declaration = self.declare_constant(ty, None, &self.value_names[value.index()]);
                self.line(&format!("{declaration} = {text};"));
            }
        }
    }

    /// An assignment without its semicolon, and what must be bound before it.
    fn assignment(&mut self, statement: &Statement) -> (Vec<String>, String) {
        let StatementKind::Assign {
            variable,
            expression,
        } = statement.kind
        else {
            unreachable!("the caller looked")
        };
        let operands = self.operands(&[expression]);
        let name = &self.variable_names[variable.index()];
        let place = if self.declarations.is_first(statement) {
            let dtype = self.function.variables[variable].dtype;
            format!("{} {name}", types::scalar(dtype))
        } else {
            name.clone()
        };
        let value = operands.get(expression).converting();
        let text = format!("{place} = {value}");
        (operands.bindings, text)
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Value>>,
    ) {
        let operands = self.bound_operands(arguments);
        let arguments: Vec<_> = arguments
            .iter()
            .map(|&argument| operands.get(argument).converting())
            .collect();
        let callee = &self.context.function_names[function.index()];
        self.bind_result(result, &format!("{callee}({})", arguments.join(", ")));
    }

    fn if_else(&mut self, start: &str, condition: &str, accept: &Block, reject: &Block) {
        self.line(&format!("{start}if ({condition}) {{"));
        self.nested(accept);
        if let [only] = reject.statements.as_slice()
            && let StatementKind::If {
                condition,
                accept,
                reject,
            } = &only.kind
        {
            let operands = self.operands(&[*condition]);
            if operands.bindings.is_empty() {
                let condition = operands.get(*condition).exact().to_owned();
                self.if_else("} else ", &condition, accept, reject);
                return;
            }
        }
        if !reject.statements.is_empty() {
            self.line("} else {");
            self.nested(reject);
        }
        self.line("}");
    }

    // ----- loops -----

    /// Whether an assignment needs nothing bound before it, so that it fits into a loop's head.
    fn assigns_simply(&mut self, statement: &Statement) -> bool {
        let StatementKind::Assign { expression, .. } = statement.kind else {
            return false;
        };
        self.operands(&[expression]).bindings.is_empty()
    }

    /// A loop whose head declares the counter.
    fn counted_loop(&mut self, start: &Statement, repeat: &Statement) {
        let StatementKind::Loop {
            condition,
            body,
            step,
        } = &repeat.kind
        else {
            unreachable!("only a loop has a counter")
        };
        let (_, start) = self.assignment(start);
        self.loop_(&start, *condition, body, step);
    }

    fn loop_(
        &mut self,
        start: &str,
        condition: Option<Handle<Expression>>,
        body: &Block,
        step: &Block,
    ) {
        let (inside, test) = self.loop_condition(condition);
        let short_step = self.short_step(step);
        self.line(&loop_head(start, &test, short_step.as_deref()));
        self.indent += 1;
        self.lines(&inside);
        if short_step.is_some() {
            self.loops.push(LoopForm::Plain);
            self.block(body);
            self.loops.pop();
        } else {
            self.body_and_step(body, step);
        }
        self.indent -= 1;
        self.line("}");
    }

    /// The lines that test the condition inside the loop, if it does not fit into the head; and what
    /// goes into the head.
    fn loop_condition(&mut self, condition: Option<Handle<Expression>>) -> (Vec<String>, String) {
        let Some(condition) = condition else {
            return (Vec::new(), String::new());
        };
        let mut operands = self.operands(&[condition]);
        let test = operands.get(condition);
        if operands.bindings.is_empty() {
            let text = test.exact().to_owned();
            return (Vec::new(), text);
        }
        let negated = test.negated();
        let mut lines = std::mem::take(&mut operands.bindings);
        lines.push(format!("if ({negated}) {{"));
        lines.push("    break;".to_owned());
        lines.push("}".to_owned());
        (lines, String::new())
    }

    /// The step as one expression, if it consists of few simple assignments.
    fn short_step(&mut self, step: &Block) -> Option<String> {
        let mut parts = Vec::new();
        for statement in &step.statements {
            if !matches!(statement.kind, StatementKind::Assign { .. })
                || self.declarations.is_first(statement)
            {
                return None;
            }
            let (bindings, text) = self.assignment(statement);
            if !bindings.is_empty() {
                return None;
            }
            parts.push(text);
        }
        let text = parts.join(", ");
        (text.len() <= LINE_WIDTH / 2).then_some(text)
    }

    /// A body and a step that needs lines of its own.
    fn body_and_step(&mut self, body: &Block, step: &Block) {
        if !jumps(body, &StatementKind::Continue) {
            self.loops.push(LoopForm::Plain);
            self.block(body);
            self.loops.pop();
            self.block(step);
            return;
        }
        let leave = self.names.unique("leave");
        let leaves = jumps(body, &StatementKind::Break);
        if leaves {
            self.line(&format!("bool {leave} = false;"));
        }
        self.line("do {");
        self.loops.push(LoopForm::Wrapped {
            leave: leave.clone(),
        });
        self.nested(body);
        self.loops.pop();
        self.line("} while (false);");
        if leaves {
            self.line(&format!("if ({leave}) {{"));
            self.line("    break;");
            self.line("}");
        }
        self.block(step);
    }

    /// Rounds one after the other: work-items are what runs at the same time here.
    fn parallel(&mut self, parallel: &Parallel) {
        let operands = self.bound_operands(&[parallel.count]);
        let count = self.names.unique("count");
        let value = operands.get(parallel.count).converting();
        self.line(&format!("const long {count} = {value};"));
        let index = self.variable_names[parallel.index.index()].clone();
        self.line(&format!(
            "for ({index} = 0; {index} < {count}; {index}++) {{"
        ));
        self.indent += 1;
        let mut assigned = BTreeSet::new();
        let mut has_ends = false;
        parallel
            .body
            .for_each_statement(&mut |statement| match &statement.kind {
                StatementKind::Assign { variable, .. } => {
                    assigned.insert(*variable);
                }
                StatementKind::Return(_) => has_ends = true,
                _ => {}
            });
        for variable in assigned {
            if self.declarations.at_start.contains(&variable) {
                let name = &self.variable_names[variable.index()];
                let line = format!("{name} = 0;");
                self.line(&line);
            }
        }
        let end = self.names.unique("round_end");
        self.rounds.push(end.clone());
        let loops = std::mem::take(&mut self.loops);
        self.line("{");
        self.nested(&parallel.body);
        self.line("}");
        self.loops = loops;
        self.rounds.pop();
        if has_ends {
            self.line(&format!("{end}:;"));
        }
        self.indent -= 1;
        self.line("}");
    }

    fn break_(&mut self) {
        if let Some(LoopForm::Wrapped { leave }) = self.loops.last() {
            let line = format!("{leave} = true;");
            self.line(&line);
        }
        self.line("break;");
    }
}

fn loop_head(start: &str, test: &str, step: Option<&str>) -> String {
    let step = step.unwrap_or("");
    match (start, test, step) {
        ("", "", "") => "for (;;) {".to_owned(),
        ("", test, "") => format!("while ({test}) {{"),
        _ => {
            let part = |text: &str| match text {
                "" => String::new(),
                text => format!(" {text}"),
            };
            format!("for ({start};{};{}) {{", part(test), part(step))
        }
    }
}

/// Whether a `Break` or `Continue` of the loop around a block is in it.
fn jumps(block: &Block, jump: &StatementKind) -> bool {
    block.statements.iter().any(|statement| {
        statement.kind == *jump
            || !matches!(statement.kind, StatementKind::Loop { .. })
                && statement.kind.blocks().any(|nested| jumps(nested, jump))
    })
}

/// An element of memory.
pub(super) fn element(pointer: &Written, index: &Written) -> String {
    format!("{}[{}]", pointer.as_primary(), index.plain().text)
}

fn barrier(spaces: MemorySpaces) -> &'static str {
    match spaces {
        MemorySpaces::Local => "barrier(CLK_LOCAL_MEM_FENCE);",
        MemorySpaces::Global => "barrier(CLK_GLOBAL_MEM_FENCE);",
        MemorySpaces::LocalAndGlobal => "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    }
}
