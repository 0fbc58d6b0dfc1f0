//! Source text to [`syntax`](crate::syntax) tree.
//!
//! The only file that knows the parser (see `docs/design/0003-python-parser.md`), so that it can be
//! replaced. It walks the parser's tree once and keeps what a kernel may contain; for everything
//! else it asks [`crate::subset`] for the diagnostic and goes on, so that one run shows all of them.
//!
//! The text is parsed as the user wrote it, indentation and decorators included, and spans count
//! bytes of that text. It does not look up names and knows no types.

mod messages;

use std::sync::Arc;

use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_python_parser::{ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};
use situ_ir::{Diagnostic, Source, Span};

use crate::stack::with_stack;
use crate::subset::{MAX_DEPTH, Refused};
use crate::syntax::{
    BinaryOperator, ComparisonOperator, Comprehension, Constant, Expression, ExpressionKind,
    Function, IS_NONE, Identifier, LogicalOperator, Statement, StatementKind, UnaryOperator,
};

/// Put before indented text so that it parses where it stands: a method or a nested function keeps
/// the columns it has in the user's file.
const SHELTER: &str = "if 1:\n";

/// What a function is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A kernel or a device function.
    Kernel,
    /// A function of the host, which may use arrays as values.
    Host,
}

/// Reads the function called `name` from `source`.
///
/// # Errors
/// Every syntax error, or everything in the function that a kernel cannot contain.
pub(crate) fn parse_function(source: &Source, name: &str) -> Result<Function, Vec<Diagnostic>> {
    parse_function_as(Dialect::Kernel, source, name)
}

/// Reads the function called `name` from `source` as what it is.
///
/// # Errors
/// Every syntax error, or everything in the function that it cannot contain.
pub(crate) fn parse_function_as(
    dialect: Dialect,
    source: &Source,
    name: &str,
) -> Result<Function, Vec<Diagnostic>> {
    let (function, mut refused) = with_stack(|| read_function_as(dialect, source, name))?;
    if refused.is_empty() {
        return Ok(function);
    }
    refused.sort_by_key(|diagnostic| {
        let main = diagnostic.labels.first();
        main.map_or(Span::NONE, |label| label.span)
    });
    Err(refused)
}

/// Reads the function called `name`, and gives what a kernel cannot contain along with the rest.
///
/// # Errors
/// Every syntax error, or that there is no such function.
pub(crate) fn read_function(
    source: &Source,
    name: &str,
) -> Result<(Function, Vec<Diagnostic>), Vec<Diagnostic>> {
    with_stack(|| read_function_as(Dialect::Kernel, source, name))
}

fn read_function_as(
    dialect: Dialect,
    source: &Source,
    name: &str,
) -> Result<(Function, Vec<Diagnostic>), Vec<Diagnostic>> {
    let is_indented = starts_indented(&source.text);
    let text = if is_indented {
        &format!("{SHELTER}{}", source.text)
    } else {
        &source.text
    };
    let mut reader = Reader {
        dialect,
        text,
        shift: if is_indented { SHELTER.len() as u32 } else { 0 },
        end: source.text.len() as u32,
        depth: 0,
        is_too_deep: false,
        loops: 0,
        renamed: Vec::new(),
        comprehensions: 0,
        diagnostics: Vec::new(),
    };
    let parsed = parse_unchecked(text, ParseOptions::from(ast::PySourceType::Python));
    for error in parsed.errors() {
        reader.diagnostics.push(reader.syntax_error(error));
    }
    if !reader.diagnostics.is_empty() {
        return Err(reader.diagnostics);
    }
    let ast::Mod::Module(module) = parsed.into_syntax() else {
        return Err(vec![no_function(name, Span::NONE)]);
    };
    let Some(definition) = find_function(&module.body, name) else {
        let is_import = |stmt: &&Stmt| matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_));
        let first = module.body.iter().find(|stmt| !is_import(stmt));
        let span = first.map_or(Span::NONE, |stmt| reader.span(stmt));
        return Err(vec![no_function(name, span)]);
    };
    let function = reader.function(definition, false);
    Ok((function, reader.diagnostics))
}

/// Whether the first line with code begins with a blank.
fn starts_indented(text: &str) -> bool {
    text.lines()
        .find(|line| !line.trim_start().is_empty() && !line.trim_start().starts_with('#'))
        .is_some_and(|line| line.starts_with([' ', '\t']))
}

/// The definition of `name`, else the only definition there is.
fn find_function<'a>(body: &'a [Stmt], name: &str) -> Option<&'a ast::StmtFunctionDef> {
    let mut definitions = Vec::new();
    for statement in body {
        match statement {
            Stmt::FunctionDef(definition) => definitions.push(definition),
            // The shelter, or a definition under a condition of the user's.
            Stmt::If(branch) => definitions.extend(branch.body.iter().filter_map(as_function)),
            _ => {}
        }
    }
    let named = definitions
        .iter()
        .rev()
        .find(|definition| definition.name.as_str() == name);
    match (named, definitions.as_slice()) {
        (Some(definition), _) => Some(definition),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

fn as_function(statement: &Stmt) -> Option<&ast::StmtFunctionDef> {
    match statement {
        Stmt::FunctionDef(definition) => Some(definition),
        _ => None,
    }
}

fn no_function(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K002", format!("the source of `{name}` has no `def {name}`"))
        .label(span, "this is not a `def` statement")
        .why("a kernel is compiled from the text of its `def`, so lambdas and made-up functions cannot be kernels")
        .help("write the kernel as a `def` in a file or notebook cell")
}

/// The last name of the first parameter's annotation, also of one in quotes.
fn first_annotation(parameters: &ast::Parameters) -> Option<String> {
    let first = parameters
        .posonlyargs
        .iter()
        .chain(&parameters.args)
        .next()?;
    match first.parameter.annotation.as_deref()? {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => Some(attribute.attr.id.to_string()),
        Expr::StringLiteral(text) => {
            let text = text.value.to_str();
            Some(text.rsplit('.').next().unwrap_or(text).trim().to_owned())
        }
        _ => None,
    }
}

/// Where a function is defined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a file, by Python, which evaluates its defaults.
    Outside,
    /// In the function that is read.
    Inside,
}

/// What a function takes.
#[derive(Default)]
struct Parameters {
    names: Vec<Identifier>,
    /// How many are given by position.
    positional: usize,
    /// Whether the one after those takes all other arguments.
    is_variadic: bool,
    /// What the last of them are if no argument is given.
    defaults: Vec<Expression>,
}

struct Reader<'a> {
    dialect: Dialect,
    /// What is parsed: the user's text, after the shelter if there is one.
    text: &'a str,
    /// Bytes of [`SHELTER`] before the user's text.
    shift: u32,
    /// Bytes of the user's text.
    end: u32,
    depth: usize,
    is_too_deep: bool,
    /// How many loops there are around the statement that is read.
    loops: usize,
    /// Names of the comprehensions around, innermost last, and what they are called instead.
    renamed: Vec<(String, String)>,
    /// How many such names there were.
    comprehensions: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn span(&self, node: &impl Ranged) -> Span {
        self.range(node.range())
    }

    fn range(&self, range: TextRange) -> Span {
        let place = |offset: u32| offset.saturating_sub(self.shift).min(self.end);
        Span::new(place(range.start().to_u32()), place(range.end().to_u32()))
    }

    fn refuse(&mut self, what: Refused, span: Span) {
        self.diagnostics.push(what.at(span));
    }

    fn syntax_error(&self, error: &ruff_python_parser::ParseError) -> Diagnostic {
        let words = error.error.to_string();
        Diagnostic::error("K001", "this is not Python")
            .label(self.range(error.location), lower_first(&words))
            .why("the kernel's source could not be parsed")
            .help("correct the syntax; if Python accepts it, the file may have changed since it was imported")
    }

    fn identifier(&self, identifier: &ast::Identifier) -> Identifier {
        Identifier {
            name: identifier.id.to_string(),
            span: self.span(identifier),
        }
    }

    // ----- functions -----

    fn function(&mut self, definition: &ast::StmtFunctionDef, is_inner: bool) -> Function {
        let name = self.identifier(&definition.name);
        if definition.is_async {
            self.refuse(Refused::AsyncFunction, name.span);
        }
        if let Some(parameters) = &definition.type_params {
            self.refuse(Refused::TypeParameters, self.span(&**parameters));
        }
        let place = if is_inner {
            Place::Inside
        } else {
            Place::Outside
        };
        let Parameters {
            names,
            positional,
            is_variadic,
            defaults,
        } = self.parameters(&definition.parameters, place);
        let first_annotation = first_annotation(&definition.parameters);
        let body = self.block(&definition.body);
        let start = name.span.start;
        let end = self.span(definition).end;
        Function {
            name,
            parameters: names,
            positional,
            is_variadic,
            defaults,
            first_annotation,
            body,
            span: Span::new(start, end),
        }
    }

    /// A `def` inside of the function: `break` and `continue` do not reach out of it.
    fn inner_function(&mut self, definition: &ast::StmtFunctionDef) -> Function {
        let loops = std::mem::take(&mut self.loops);
        let function = self.function(definition, true);
        self.loops = loops;
        function
    }

    fn lambda(&mut self, lambda: &ast::ExprLambda) -> Function {
        let span = self.span(lambda);
        let parameters = lambda.parameters.as_deref();
        let parameters = parameters.map(|parameters| self.parameters(parameters, Place::Inside));
        let Parameters {
            names,
            positional,
            is_variadic,
            defaults,
        } = parameters.unwrap_or_default();
        let value = self.expression(&lambda.body);
        let body = Statement {
            span: value.span,
            kind: StatementKind::Return(Some(value)),
        };
        Function {
            name: Identifier {
                name: "lambda".to_owned(),
                span,
            },
            parameters: names,
            positional,
            is_variadic,
            defaults,
            first_annotation: None,
            body: vec![body],
            span,
        }
    }

    /// What a function takes.
    fn parameters(&mut self, parameters: &ast::Parameters, place: Place) -> Parameters {
        // Functions inside of others are called by compiled code, which knows how many arguments there are.
        let is_free = self.dialect == Dialect::Host && place == Place::Outside;
        if let Some(keywords) = &parameters.kwarg {
            let refused = if is_free {
                Refused::KeywordsParameter
            } else {
                Refused::VariadicParameter
            };
            self.refuse(refused, self.span(&**keywords));
        }
        let mut read = Parameters::default();
        for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
            self.parameter(parameter, place, &mut read);
        }
        read.positional = read.names.len();
        if let Some(rest) = &parameters.vararg {
            if is_free {
                read.is_variadic = true;
                read.names.push(self.identifier(&rest.name));
            } else {
                self.refuse(Refused::VariadicParameter, self.span(&**rest));
            }
        }
        for parameter in &parameters.kwonlyargs {
            if is_free {
                self.parameter(parameter, place, &mut read);
            } else {
                self.refuse(Refused::KeywordOnlyParameter, self.span(parameter));
            }
        }
        read
    }

    fn parameter(
        &mut self,
        parameter: &ast::ParameterWithDefault,
        place: Place,
        read: &mut Parameters,
    ) {
        if let (Some(default), Place::Inside) = (&parameter.default, place) {
            read.defaults.push(self.expression(default));
        }
        let name = self.identifier(&parameter.parameter.name);
        if read.names.iter().any(|other| other.name == name.name) {
            self.refuse(Refused::RepeatedParameter, name.span);
        }
        read.names.push(name);
    }

    // ----- statements -----

    fn block(&mut self, body: &[Stmt]) -> Vec<Statement> {
        body.iter()
            .filter_map(|statement| self.nested(statement, Self::statement).flatten())
            .collect()
    }

    fn loop_body(&mut self, body: &[Stmt]) -> Vec<Statement> {
        self.loops += 1;
        let body = self.block(body);
        self.loops -= 1;
        body
    }

    /// Reads one level deeper; `None` if that is too deep.
    fn nested<N: Ranged, T>(&mut self, node: &N, read: fn(&mut Self, &N) -> T) -> Option<T> {
        if self.depth == MAX_DEPTH {
            // Once is enough: every neighbour down here is as deep.
            if !std::mem::replace(&mut self.is_too_deep, true) {
                self.refuse(Refused::TooDeep, self.span(node));
            }
            return None;
        }
        self.depth += 1;
        let result = read(self, node);
        self.depth -= 1;
        Some(result)
    }

    /// One statement, or `None` if it was refused.
    fn statement(&mut self, statement: &Stmt) -> Option<Statement> {
        let span = self.span(statement);
        let kind = match statement {
            Stmt::Assign(assign) => StatementKind::Assign {
                targets: self.expressions(&assign.targets),
                value: self.expression(&assign.value),
            },
            Stmt::AugAssign(assign) => StatementKind::AugmentedAssign {
                target: self.expression(&assign.target),
                operator: self.binary_operator(assign.op, span)?,
                value: self.expression(&assign.value),
            },
            Stmt::AnnAssign(assign) => match &assign.value {
                Some(value) => StatementKind::Assign {
                    targets: vec![self.expression(&assign.target)],
                    value: self.expression(value),
                },
                // `x: int` alone says nothing about a value.
                None => StatementKind::Pass,
            },
            Stmt::If(branch) => self.branch(branch),
            Stmt::While(loop_) => {
                self.refuse_else(&loop_.orelse);
                StatementKind::While {
                    test: self.expression(&loop_.test),
                    body: self.loop_body(&loop_.body),
                }
            }
            Stmt::For(loop_) => {
                if loop_.is_async {
                    self.refuse(Refused::AsyncStatement, span);
                }
                self.refuse_else(&loop_.orelse);
                StatementKind::For {
                    target: self.expression(&loop_.target),
                    iterable: self.expression(&loop_.iter),
                    body: self.loop_body(&loop_.body),
                }
            }
            Stmt::Break(_) | Stmt::Continue(_) if self.loops == 0 => {
                self.refuse(Refused::JumpOutsideLoop, span);
                return None;
            }
            Stmt::Break(_) => StatementKind::Break,
            Stmt::Continue(_) => StatementKind::Continue,
            Stmt::Return(result) => {
                StatementKind::Return(result.value.as_ref().map(|value| self.expression(value)))
            }
            Stmt::Assert(assertion) => self.assertion(assertion),
            Stmt::Raise(raise) if self.dialect == Dialect::Host => self.raise(raise)?,
            // A value is let go when nothing reads it any more, whether the function says so or not.
            Stmt::Delete(delete)
                if self.dialect == Dialect::Host
                    && delete.targets.iter().all(Expr::is_name_expr) =>
            {
                StatementKind::Pass
            }
            Stmt::Pass(_) => StatementKind::Pass,
            Stmt::FunctionDef(definition) if is_plain(definition) => {
                StatementKind::Function(Arc::new(self.inner_function(definition)))
            }
            Stmt::Expr(expression) => match &*expression.value {
                // Docstrings and `...` bodies do nothing.
                Expr::StringLiteral(_) | Expr::EllipsisLiteral(_) => StatementKind::Pass,
                value => match self.print(value) {
                    Some(print) => print,
                    None => StatementKind::Expression(self.expression(value)),
                },
            },
            refused => {
                self.refused_statement(refused);
                return None;
            }
        };
        Some(Statement { kind, span })
    }

    /// Refuses a statement that kernels cannot contain, and what is inside it.
    fn refused_statement(&mut self, statement: &Stmt) {
        let span = self.span(statement);
        let what = match statement {
            Stmt::FunctionDef(definition) if definition.is_async => Refused::AsyncFunction,
            Stmt::FunctionDef(_) => Refused::NestedFunction,
            Stmt::ClassDef(_) => Refused::Class,
            Stmt::Delete(_) => Refused::Delete,
            Stmt::TypeAlias(_) => Refused::TypeAlias,
            Stmt::With(with) if with.is_async => Refused::AsyncStatement,
            Stmt::With(_) => Refused::With,
            Stmt::Match(_) => Refused::Match,
            Stmt::Raise(_) => Refused::Raise,
            Stmt::Try(_) => Refused::Try,
            Stmt::Import(_) | Stmt::ImportFrom(_) => Refused::Import,
            Stmt::Global(_) | Stmt::Nonlocal(_) => Refused::Global,
            _ => Refused::IpythonCommand,
        };
        self.refuse(what, span);
        // What a `with` or `try` guards is ordinary kernel code with mistakes of its own to show.
        match statement {
            Stmt::With(with) => {
                self.block(&with.body);
            }
            Stmt::Try(guarded) => {
                self.block(&guarded.body);
            }
            _ => {}
        }
    }

    fn refuse_else(&mut self, orelse: &[Stmt]) {
        if let Some(first) = orelse.first() {
            self.refuse(Refused::LoopElse, self.span(first));
        }
    }

    fn branch(&mut self, branch: &ast::StmtIf) -> StatementKind {
        let test = self.expression(&branch.test);
        let accept = self.block(&branch.body);
        let reject = self.else_clauses(&branch.elif_else_clauses);
        StatementKind::If {
            test,
            accept,
            reject,
        }
    }

    /// `elif` and `else` as the statements of the `else` branch, built from the last clause back so
    /// that a long chain is not a deep recursion here.
    fn else_clauses(&mut self, clauses: &[ast::ElifElseClause]) -> Vec<Statement> {
        // Read in source order so that diagnostics come in source order.
        let read: Vec<_> = clauses
            .iter()
            .map(|clause| {
                let test = clause.test.as_ref().map(|test| self.expression(test));
                (test, self.block(&clause.body), self.span(clause))
            })
            .collect();
        if self.depth + read.len() > MAX_DEPTH {
            let last = read.last().map_or(Span::NONE, |(_, _, span)| *span);
            self.refuse(Refused::TooDeep, last);
            return Vec::new();
        }
        read.into_iter()
            .rev()
            .fold(Vec::new(), |reject, (test, accept, span)| match test {
                None => accept,
                Some(test) => {
                    let kind = StatementKind::If {
                        test,
                        accept,
                        reject,
                    };
                    vec![Statement { kind, span }]
                }
            })
    }

    // ----- expressions -----

    fn expressions(&mut self, expressions: &[Expr]) -> Vec<Expression> {
        expressions
            .iter()
            .map(|each| self.expression(each))
            .collect()
    }

    fn boxed(&mut self, expression: &Expr) -> Box<Expression> {
        Box::new(self.expression(expression))
    }

    fn expression(&mut self, expression: &Expr) -> Expression {
        let kind = self
            .nested(expression, Self::expression_kind)
            .unwrap_or(ExpressionKind::Refused);
        Expression {
            kind,
            span: self.span(expression),
        }
    }

    fn expression_kind(&mut self, expression: &Expr) -> ExpressionKind {
        let span = self.span(expression);
        match expression {
            Expr::NumberLiteral(number) => self.number(&number.value, span),
            Expr::BooleanLiteral(literal) => {
                ExpressionKind::Constant(Constant::Bool(literal.value))
            }
            Expr::Name(name) => ExpressionKind::Name(self.name(name)),
            Expr::Attribute(attribute) => ExpressionKind::Attribute {
                value: self.boxed(&attribute.value),
                attribute: self.identifier(&attribute.attr),
            },
            Expr::Subscript(subscript) => ExpressionKind::Subscript {
                value: self.boxed(&subscript.value),
                indices: match &*subscript.slice {
                    Expr::Tuple(tuple) => tuple.elts.iter().map(|each| self.index(each)).collect(),
                    single => vec![self.index(single)],
                },
            },
            Expr::Call(call) => self.call(call),
            Expr::UnaryOp(unary) => ExpressionKind::Unary {
                operator: match unary.op {
                    ast::UnaryOp::Invert => UnaryOperator::Invert,
                    ast::UnaryOp::Not => UnaryOperator::Not,
                    ast::UnaryOp::UAdd => UnaryOperator::Plus,
                    ast::UnaryOp::USub => UnaryOperator::Negate,
                },
                operand: self.boxed(&unary.operand),
            },
            Expr::BinOp(binary) => {
                let left = self.boxed(&binary.left);
                let right = self.boxed(&binary.right);
                match self.binary_operator(binary.op, span) {
                    Some(operator) => ExpressionKind::Binary {
                        operator,
                        left,
                        right,
                    },
                    None => ExpressionKind::Refused,
                }
            }
            Expr::BoolOp(logical) => ExpressionKind::Logical {
                operator: match logical.op {
                    ast::BoolOp::And => LogicalOperator::And,
                    ast::BoolOp::Or => LogicalOperator::Or,
                },
                operands: self.expressions(&logical.values),
            },
            Expr::Compare(compare) => self.compare(compare),
            Expr::If(conditional) => ExpressionKind::Conditional {
                test: self.boxed(&conditional.test),
                accept: self.boxed(&conditional.body),
                reject: self.boxed(&conditional.orelse),
            },
            Expr::Tuple(tuple) => ExpressionKind::Tuple(self.expressions(&tuple.elts)),
            Expr::Slice(slice) => ExpressionKind::Slice {
                lower: slice.lower.as_ref().map(|bound| self.boxed(bound)),
                upper: slice.upper.as_ref().map(|bound| self.boxed(bound)),
                step: slice.step.as_ref().map(|bound| self.boxed(bound)),
            },
            Expr::Lambda(lambda) => ExpressionKind::Lambda(Arc::new(self.lambda(lambda))),
            host if self.dialect == Dialect::Host => self.host_expression(host),
            refused => {
                self.refuse(refused_expression(refused), span);
                ExpressionKind::Refused
            }
        }
    }

    fn index(&mut self, index: &Expr) -> Expression {
        if matches!(index, Expr::List(_) | Expr::ListComp(_)) && self.dialect == Dialect::Host {
            self.refuse(Refused::ListIndex, self.span(index));
        }
        self.expression(index)
    }

    /// What only functions of the host can contain.
    fn host_expression(&mut self, expression: &Expr) -> ExpressionKind {
        match expression {
            Expr::StringLiteral(text) => ExpressionKind::Text(text.value.to_str().to_owned()),
            Expr::NoneLiteral(_) => ExpressionKind::None,
            Expr::EllipsisLiteral(_) => ExpressionKind::Ellipsis,
            Expr::List(list) => ExpressionKind::List(self.expressions(&list.elts)),
            Expr::ListComp(list) if let [generator] = &list.generators[..] => {
                self.comprehension(&list.elt, generator)
            }
            refused => {
                self.refuse(refused_expression(refused), self.span(refused));
                ExpressionKind::Refused
            }
        }
    }

    /// `[element for target in iterable if condition]`. Its names get others that nobody else uses, since it does not
    /// change variables around it.
    fn comprehension(&mut self, element: &Expr, generator: &ast::Comprehension) -> ExpressionKind {
        if generator.is_async {
            self.refuse(Refused::AsyncStatement, self.span(generator));
        }
        let iterable = self.expression(&generator.iter);
        let outer = self.renamed.len();
        self.rename(&generator.target);
        let made = Comprehension {
            iterable,
            target: self.expression(&generator.target),
            conditions: self.expressions(&generator.ifs),
            element: self.expression(element),
        };
        self.renamed.truncate(outer);
        ExpressionKind::Comprehension(Box::new(made))
    }

    /// A name as it is called in the tree.
    fn name(&self, name: &ast::ExprName) -> String {
        let mut renamed = self.renamed.iter().rev();
        let own = renamed.find(|(written, _)| *written == *name.id);
        own.map_or_else(|| name.id.to_string(), |(_, own)| own.clone())
    }

    /// Gives the names of a target other ones.
    fn rename(&mut self, target: &Expr) {
        match target {
            Expr::Name(name) => {
                self.comprehensions += 1;
                let own = format!("{}__{}", name.id, self.comprehensions);
                self.renamed.push((name.id.to_string(), own));
            }
            Expr::Tuple(targets) => targets.iter().for_each(|each| self.rename(each)),
            _ => {}
        }
    }

    fn number(&mut self, number: &ast::Number, span: Span) -> ExpressionKind {
        let constant = match number {
            ast::Number::Int(int) => {
                if let Some(value) = int.as_u64() {
                    Constant::Int(i128::from(value))
                } else {
                    self.refuse(Refused::HugeInteger, span);
                    return ExpressionKind::Refused;
                }
            }
            ast::Number::Float(value) => Constant::Float(*value),
            ast::Number::Complex { real, imag } => Constant::Complex(*real, *imag),
        };
        ExpressionKind::Constant(constant)
    }

    fn call(&mut self, call: &ast::ExprCall) -> ExpressionKind {
        let function = self.boxed(&call.func);
        let arguments = self.expressions(&call.arguments.args);
        let mut keywords = Vec::new();
        for keyword in &call.arguments.keywords {
            let value = self.expression(&keyword.value);
            match &keyword.arg {
                Some(name) => keywords.push((self.identifier(name), value)),
                None => self.refuse(Refused::Starred, self.span(keyword)),
            }
        }
        ExpressionKind::Call {
            function,
            arguments,
            keywords,
        }
    }

    fn compare(&mut self, compare: &ast::ExprCompare) -> ExpressionKind {
        let first = self.boxed(&compare.left);
        if let ([operator @ (ast::CmpOp::In | ast::CmpOp::NotIn)], [container]) =
            (&*compare.ops, &*compare.comparators)
        {
            return ExpressionKind::Membership {
                item: first,
                container: self.boxed(container),
                is_negated: *operator == ast::CmpOp::NotIn,
            };
        }
        if let (
            Dialect::Host,
            [operator @ (ast::CmpOp::Is | ast::CmpOp::IsNot)],
            [Expr::NoneLiteral(_)],
        ) = (self.dialect, &*compare.ops, &*compare.comparators)
        {
            let is_negated = *operator == ast::CmpOp::IsNot;
            return is_none(*first, is_negated, self.span(compare));
        }
        let mut rest = Vec::with_capacity(compare.ops.len());
        for (operator, operand) in compare.ops.iter().zip(&compare.comparators) {
            let read = self.expression(operand);
            let operator = match operator {
                ast::CmpOp::Eq => ComparisonOperator::Equal,
                ast::CmpOp::NotEq => ComparisonOperator::NotEqual,
                ast::CmpOp::Lt => ComparisonOperator::Less,
                ast::CmpOp::LtE => ComparisonOperator::LessEqual,
                ast::CmpOp::Gt => ComparisonOperator::Greater,
                ast::CmpOp::GtE => ComparisonOperator::GreaterEqual,
                ast::CmpOp::Is | ast::CmpOp::IsNot => {
                    self.refuse(Refused::Identity, self.span(compare));
                    return ExpressionKind::Refused;
                }
                ast::CmpOp::In | ast::CmpOp::NotIn => {
                    self.refuse(Refused::Membership, self.span(compare));
                    return ExpressionKind::Refused;
                }
            };
            rest.push((operator, read));
        }
        ExpressionKind::Compare { first, rest }
    }

    fn binary_operator(&mut self, operator: ast::Operator, span: Span) -> Option<BinaryOperator> {
        Some(match operator {
            ast::Operator::Add => BinaryOperator::Add,
            ast::Operator::Sub => BinaryOperator::Subtract,
            ast::Operator::Mult => BinaryOperator::Multiply,
            ast::Operator::Div => BinaryOperator::Divide,
            ast::Operator::FloorDiv => BinaryOperator::FloorDivide,
            ast::Operator::Mod => BinaryOperator::Modulo,
            ast::Operator::Pow => BinaryOperator::Power,
            ast::Operator::LShift => BinaryOperator::ShiftLeft,
            ast::Operator::RShift => BinaryOperator::ShiftRight,
            ast::Operator::BitOr => BinaryOperator::BitOr,
            ast::Operator::BitXor => BinaryOperator::BitXor,
            ast::Operator::BitAnd => BinaryOperator::BitAnd,
            ast::Operator::MatMult if self.dialect == Dialect::Host => {
                BinaryOperator::MatrixMultiply
            }
            ast::Operator::MatMult => {
                self.refuse(Refused::MatrixMultiply, span);
                return None;
            }
        })
    }
}

/// `value is None`, as a call of a function that only whoever walks the tree has.
fn is_none(value: Expression, is_negated: bool, span: Span) -> ExpressionKind {
    let function = Expression {
        kind: ExpressionKind::Name(IS_NONE.to_owned()),
        span,
    };
    let call = ExpressionKind::Call {
        function: Box::new(function),
        arguments: vec![value],
        keywords: Vec::new(),
    };
    if !is_negated {
        return call;
    }
    ExpressionKind::Unary {
        operator: UnaryOperator::Not,
        operand: Box::new(Expression { kind: call, span }),
    }
}

/// Whether a `def` inside of a function is a device function: not `async`, and at most with the
/// decorator that says so.
fn is_plain(definition: &ast::StmtFunctionDef) -> bool {
    let is_device_func = |decorator: &ast::Decorator| match &decorator.expression {
        Expr::Name(name) => name.id.as_str() == "device_func",
        Expr::Attribute(attribute) => attribute.attr.id.as_str() == "device_func",
        _ => false,
    };
    !definition.is_async && definition.decorator_list.iter().all(is_device_func)
}

/// What to say about an expression that kernels cannot contain.
fn refused_expression(expression: &Expr) -> Refused {
    match expression {
        Expr::List(_) => Refused::List,
        Expr::Dict(_) => Refused::Dict,
        Expr::Set(_) => Refused::Set,
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
            Refused::Comprehension
        }
        Expr::Named(_) => Refused::NamedExpression,
        Expr::Await(_) => Refused::Await,
        Expr::Yield(_) | Expr::YieldFrom(_) => Refused::Yield,
        Expr::NoneLiteral(_) => Refused::NoneValue,
        Expr::EllipsisLiteral(_) => Refused::Ellipsis,
        Expr::Starred(_) => Refused::Starred,
        Expr::IpyEscapeCommand(_) => Refused::IpythonCommand,
        // Plain, formatted, template and byte strings.
        _ => Refused::String,
    }
}

/// The parser's messages begin with a capital; our labels do not.
fn lower_first(words: &str) -> String {
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(characters).collect()
    })
}
