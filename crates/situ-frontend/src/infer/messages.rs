//! `assert` and `print`, in terms of everything else: atomics and stores to the report.
//!
//! What the words of the report mean is in [`crate::message`]. Nothing after this knows of messages, but that a work-item
//! gives up after a failed assertion ([`StatementKind::GiveUp`]).

use situ_ir::{
    AddressSpace, AtomicOperation, BinaryOperator as Ir, DType, Literal, MemoryOrder, MemoryScope,
    Span, UnaryOperator, WorkItemQuery,
};

use crate::host::is_made_name;
use crate::infer::calls::Written;
use crate::infer::expressions::cast;
use crate::infer::operators::{ir_binary, ir_unary};
use crate::infer::value::{Number, Static, Value};
use crate::infer::{Inference, constants, problems};
use crate::message::{
    CAPACITY, FAILED, MAX_VALUES, Message, MessageKind, MessagePart, PRINTED, RECORDS, VALUES,
    WORK_ITEM,
};
use crate::plan::Layout;
use crate::syntax;
use crate::typed::{
    Array, ArrayId, ArrayOrigin, Atomic, Expression, ExpressionKind, Parameter, ParameterKind,
    Statement, StatementKind,
};

/// What a message says, as far as it is known when compiling, and the numbers that are not.
#[derive(Default)]
struct Content {
    parts: Vec<MessagePart>,
    values: Vec<Expression>,
}

impl Inference<'_, '_, '_> {
    /// `assert test, message`.
    pub(super) fn assertion(
        &mut self,
        test: &syntax::Expression,
        parts: &[syntax::MessagePart],
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let condition = self.condition(test);
        let content = self.content(parts);
        if let Some(Number::Constant(constant)) = &condition
            && constants::truth(*constant)
        {
            return;
        }
        let condition = condition.and_then(|test| self.convert(test, DType::Bool, span));
        let Some(condition) = condition else {
            return;
        };
        let condition_text = self.subject.source.slice(test.span).to_owned();
        let kind = MessageKind::Assertion {
            condition: condition_text,
        };
        let reject = self.failure(kind, content, span);
        let fails = ir_unary(UnaryOperator::Not, condition, span);
        out.push(branch(fails, reject, span));
    }

    /// `raise Class(message)`.
    pub(super) fn raise(
        &mut self,
        class: &syntax::Identifier,
        parts: &[syntax::MessagePart],
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let content = self.content(parts);
        let class = class.name.clone();
        out.extend(self.failure(MessageKind::Exception { class }, content, span));
    }

    /// The numbers of a `range`. Functions of the host raise what Python does if the step is zero; in a kernel, which
    /// raises nothing, such a range is empty.
    pub(super) fn checked_range(
        &mut self,
        [start, stop, step]: [Number; 3],
        range: Written<'_>,
        out: &mut Vec<Statement>,
    ) -> [Number; 3] {
        if !self.program.options.is_host() {
            return [start, stop, step];
        }
        let span = range.arguments.last().map_or(range.span, |step| step.span);
        match step {
            Number::Constant(constant) if constants::truth(constant) => [start, stop, step],
            Number::Constant(_) => {
                out.extend(self.zero_step(span));
                // Nothing gets here, but what follows has to have types.
                [start, stop, Number::Constant(syntax::Constant::Int(1))]
            }
            Number::Typed(step) => {
                // Python evaluates the others first.
                let [start, stop] = [start, stop].map(|number| match number {
                    Number::Constant(_) => number,
                    Number::Typed(number) => Number::Typed(self.bind(number, span, out)),
                });
                let step = self.bind(step, span, out);
                let zero = Expression::literal(Literal::I64(0), span);
                let is_zero = ir_binary(Ir::Equal, step.clone(), zero, span);
                let reject = self.zero_step(span);
                out.push(branch(is_zero, reject, span));
                [start, stop, Number::Typed(step)]
            }
        }
    }

    /// Raises what Python raises for a range whose step is zero.
    fn zero_step(&mut self, span: Span) -> Vec<Statement> {
        let source = self.subject.source;
        let text = format!(
            "range() arg 3 must not be zero\n  why:  the step `{}` is 0, so the loop would never end\n  help: use a \
             positive step to count up or a negative one to count down\n  at:   {}:{}, in njit function `{}`",
            source.slice(span),
            source.name,
            source.location(span.start).line,
            self.program.title,
        );
        self.raised("ValueError", &text, span)
    }

    /// Statements that raise an exception which names shapes and the place: `text` has a `{}` for each shape.
    pub(super) fn shape_error(
        &mut self,
        text: &str,
        shapes: Vec<Vec<Expression>>,
        span: Span,
    ) -> Vec<Statement> {
        self.error_with_shapes("situ.ShapeError", text, shapes, span)
    }

    /// The same of an index.
    pub(super) fn index_error(
        &mut self,
        text: &str,
        shapes: Vec<Vec<Expression>>,
        span: Span,
    ) -> Vec<Statement> {
        self.error_with_shapes("IndexError", text, shapes, span)
    }

    fn error_with_shapes(
        &mut self,
        class: &str,
        text: &str,
        shapes: Vec<Vec<Expression>>,
        span: Span,
    ) -> Vec<Statement> {
        let source = self.subject.source;
        let mut content = Content::default();
        let mut shapes = shapes.into_iter();
        for (position, words) in text.split("{}").enumerate() {
            if position > 0 {
                let sizes = shapes.next().unwrap_or_default().into_iter();
                let shape = Value::Tuple(sizes.map(Value::Scalar).collect());
                self.add_value(shape, "", span, &mut content);
            }
            content.parts.push(MessagePart::Text(words.to_owned()));
        }
        let place = format!(
            "\n  at:   {}:{}, in njit function `{}`: `{}`",
            source.name,
            source.location(span.start).line,
            self.function_title(),
            source.slice(span),
        );
        content.parts.push(MessagePart::Text(place));
        let class = class.to_owned();
        self.failure(MessageKind::Exception { class }, content, span)
    }

    /// What the user calls the function that is read.
    fn function_title(&self) -> &str {
        let name = &self.subject.syntax.name.name;
        if is_made_name(name) {
            &self.program.title
        } else {
            name
        }
    }

    /// Statements that raise an exception.
    pub(super) fn raised(&mut self, class: &str, text: &str, span: Span) -> Vec<Statement> {
        let content = Content {
            parts: vec![MessagePart::Text(text.to_owned())],
            values: Vec::new(),
        };
        let class = class.to_owned();
        self.failure(MessageKind::Exception { class }, content, span)
    }

    /// Statements that report a failure, if it is the first, and give up.
    fn failure(&mut self, kind: MessageKind, content: Content, span: Span) -> Vec<Statement> {
        let Content { parts, values } = content;
        let number = self.message_number(kind, parts, span);
        let report = self.message_array();
        let mut reject = Vec::new();
        let words = self.bound_words(values, span, &mut reject);
        if words.len() > MAX_VALUES {
            self.report(problems::long_assertion(span));
        }
        // A piece of a host function is one work-item, whichever thread runs its rounds.
        let work_item = if self.writes_out_arrays() {
            Expression::literal(Literal::I64(0), span)
        } else {
            linear_id(span)
        };
        reject.extend(failure(report, number, work_item, words, span));
        reject.push(Statement {
            kind: StatementKind::GiveUp,
            span,
        });
        reject
    }

    /// `print(...)`.
    pub(super) fn print(
        &mut self,
        parts: &[syntax::MessagePart],
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let Content { parts, values } = self.content(parts);
        let number = self.message_number(MessageKind::Line, parts, span);
        let report = self.message_array();
        let words = self.bound_words(values, span, out);
        let length = words.len() + 1;
        let taken = ExpressionKind::Atomic(Box::new(Atomic {
            operation: AtomicOperation::Add,
            operand: Some(word(length as i32, span)),
            ..counter(report, PRINTED, span)
        }));
        let taken = Expression::new(taken, DType::I32, span);
        let taken = self.bound(taken, out);
        let last = word((CAPACITY - length) as i32, span);
        // The count runs over after two billion words; what is negative then does not fit either.
        let fits = ir_binary(Ir::LessEqual, taken.clone(), last, span);
        let is_counted = ir_binary(Ir::GreaterEqual, taken.clone(), word(0, span), span);
        let fits = ir_binary(Ir::BitAnd, fits, is_counted, span);
        let words = std::iter::once(word(number as i32, span)).chain(words);
        let stores = words
            .zip(RECORDS..)
            .map(|(value, offset)| {
                let start = cast(taken.clone(), DType::I64);
                let at = ir_binary(Ir::Add, start, index(offset, span), span);
                store(report, at, value, span)
            })
            .collect();
        out.push(branch(fits, stores, span));
    }

    /// The array that a function writes its messages to: one more parameter, after those of the user.
    pub(super) fn message_array(&mut self) -> ArrayId {
        if let Some(report) = self.message_array {
            return report;
        }
        let array = ArrayId(self.arrays.len());
        self.arrays.push(Array {
            name: "report".to_owned(),
            dtype: DType::I32,
            ndim: 1,
            space: AddressSpace::Global,
            origin: ArrayOrigin::Parameter {
                layout: Layout::Contiguous,
            },
        });
        self.parameters.push(Parameter {
            name: "report".to_owned(),
            span: self.subject.syntax.name.span,
            kind: ParameterKind::Array(array),
        });
        self.message_array = Some(array);
        array
    }

    /// The number of the message at a place, counted from one. Every walk finds the same number.
    fn message_number(&mut self, kind: MessageKind, parts: Vec<MessagePart>, span: Span) -> usize {
        let source = self.subject.source;
        let line = source.location(span.start).line;
        let message = Message {
            kind,
            parts,
            place: format!("{}:{line}", source.name),
        };
        let next = self.program.messages.len();
        // A statement may fail in several ways.
        let words = match message.parts.first() {
            Some(MessagePart::Text(words)) => words.clone(),
            _ => String::new(),
        };
        let place = (span, self.unrolling.rounds.clone(), words);
        let number = *self.messages.entry(place).or_insert(next);
        match self.program.messages.get_mut(number) {
            Some(known) => *known = message,
            None => self.program.messages.push(message),
        }
        number + 1
    }

    fn content(&mut self, parts: &[syntax::MessagePart]) -> Content {
        let mut content = Content::default();
        for part in parts {
            match part {
                syntax::MessagePart::Text(text) => {
                    content.parts.push(MessagePart::Text(text.clone()));
                }
                syntax::MessagePart::Value { expression, format } => {
                    let value = self.value(expression);
                    self.add_value(value, format, expression.span, &mut content);
                }
            }
        }
        content
    }

    fn add_value(&mut self, value: Value, format: &str, span: Span, content: &mut Content) {
        let text = |text: &str| MessagePart::Text(text.to_owned());
        match value {
            Value::Constant(constant) => {
                if let Some(value) = self.with_dtype(Number::Constant(constant), span) {
                    content.add(value, format);
                }
            }
            Value::Scalar(value) => content.add(value, format),
            Value::Tuple(items) => {
                let end = if items.len() == 1 { ",)" } else { ")" };
                content.parts.push(text("("));
                for (position, item) in items.into_iter().enumerate() {
                    if position > 0 {
                        content.parts.push(text(", "));
                    }
                    self.add_value(item, format, span, content);
                }
                content.parts.push(text(end));
            }
            Value::Static(Static::DType(dtype)) => content.parts.push(text(dtype.name())),
            Value::Unknown => {}
            other => self.report(problems::not_printable(&other.describe(), span)),
        }
    }

    /// Evaluates numbers once, and makes words of them.
    fn bound_words(
        &mut self,
        values: Vec<Expression>,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Vec<Expression> {
        let bound: Vec<_> = values
            .into_iter()
            .map(|value| self.bound(value, out))
            .collect();
        bound
            .into_iter()
            .flat_map(|value| words_of(value, span))
            .collect()
    }

    fn bound(&mut self, value: Expression, out: &mut Vec<Statement>) -> Expression {
        let (reference, shared) = self.share(value);
        if let Some((slot, value)) = shared {
            let span = value.span;
            let kind = StatementKind::Bind { slot, value };
            out.push(Statement { kind, span });
        }
        reference
    }
}

impl Content {
    fn add(&mut self, value: Expression, format: &str) {
        self.parts.push(MessagePart::Value {
            dtype: value.dtype,
            format: format.to_owned(),
        });
        self.values.push(value);
    }
}

/// Writes a failure to the report, unless there was one before.
pub(crate) fn failure(
    report: ArrayId,
    number: usize,
    work_item: Expression,
    words: Vec<Expression>,
    span: Span,
) -> Vec<Statement> {
    let before = ExpressionKind::Atomic(Box::new(Atomic {
        operation: AtomicOperation::CompareExchange,
        operand: Some(word(number as i32, span)),
        expected: Some(word(0, span)),
        ..counter(report, FAILED, span)
    }));
    let before = Expression::new(before, DType::I32, span);
    let is_first = ir_binary(Ir::Equal, before, word(0, span), span);
    let place = halves(work_item, span).into_iter().zip(WORK_ITEM..);
    let stores = place
        .chain(words.into_iter().zip(VALUES..))
        .map(|(value, at)| store(report, index(at, span), value, span))
        .collect();
    vec![branch(is_first, stores, span)]
}

/// The number of the running work-item.
pub(crate) fn linear_id(span: Span) -> Expression {
    let kind = ExpressionKind::WorkItem(WorkItemQuery::GlobalLinearId);
    Expression::new(kind, DType::I64, span)
}

/// The bits of a number, in words of 32.
pub(crate) fn words_of(value: Expression, span: Span) -> Vec<Expression> {
    let bits =
        |value, dtype| Expression::new(ExpressionKind::Bitcast(Box::new(value)), dtype, span);
    match value.dtype {
        DType::F16 => {
            let bits = bits(value, DType::U16);
            vec![cast(bits, DType::I32)]
        }
        DType::F32 => vec![bits(value, DType::I32)],
        DType::F64 => halves(bits(value, DType::I64), span),
        DType::I64 => halves(value, span),
        DType::U64 => halves(bits(value, DType::I64), span),
        DType::C64 | DType::C128 => [UnaryOperator::Real, UnaryOperator::Imaginary]
            .into_iter()
            .flat_map(|part| words_of(ir_unary(part, value.clone(), span), span))
            .collect(),
        DType::Bool | DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 | DType::U32 => {
            vec![cast(value, DType::I32)]
        }
    }
}

/// The low and the high word of an `int64`.
fn halves(value: Expression, span: Span) -> Vec<Expression> {
    let shift = Expression::literal(Literal::I64(32), span);
    let high = ir_binary(Ir::ShiftRight, value.clone(), shift, span);
    vec![cast(value, DType::I32), cast(high, DType::I32)]
}

fn word(value: i32, span: Span) -> Expression {
    Expression::literal(Literal::I32(value), span)
}

fn index(position: usize, span: Span) -> Expression {
    Expression::literal(Literal::I64(position as i64), span)
}

/// A relaxed access to one word, for all work-items.
fn counter(report: ArrayId, position: usize, span: Span) -> Atomic {
    Atomic {
        operation: AtomicOperation::Load,
        array: report,
        indices: vec![index(position, span)],
        operand: None,
        expected: None,
        order: MemoryOrder::Relaxed,
        scope: MemoryScope::Device,
    }
}

fn store(report: ArrayId, at: Expression, value: Expression, span: Span) -> Statement {
    let kind = StatementKind::Store {
        array: report,
        indices: vec![at],
        value,
    };
    Statement { kind, span }
}

fn branch(condition: Expression, accept: Vec<Statement>, span: Span) -> Statement {
    let kind = StatementKind::If {
        condition,
        accept,
        reject: Vec::new(),
    };
    Statement { kind, span }
}
