//! Expressions.

use super::{FunctionParser, Key, Named, Parse, cursor};
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::expression::{Expression, WorkItemQuery};
use crate::literal::Literal;
use crate::span::Span;
use crate::text::lexer::TokenKind;
use crate::text::literal;
use crate::text::words::{INFIX, Operation, about_dimension, operation, operation_words};
use crate::validate::MAX_EXPRESSION_DEPTH;

impl<'a> FunctionParser<'_, 'a> {
    /// Reads an expression with at most one operator outside of parentheses.
    pub(super) fn expression(&mut self) -> Parse<Handle<Expression>> {
        if self.expression_depth > MAX_EXPRESSION_DEPTH {
            let diagnostic = Diagnostic::error(
                "T005",
                format!("an expression is nested more than {MAX_EXPRESSION_DEPTH} deep"),
            )
            .label(self.cursor.span(), "")
            .help("bind parts of it to values with `let`");
            return Err(diagnostic.into());
        }
        self.expression_depth += 1;
        let start = self.cursor.span();
        let left = self.primary()?;
        let operator = INFIX.iter().find(|(mark, _)| self.cursor.is(mark));
        let whole = match operator {
            Some((_, operator)) => {
                self.cursor.advance();
                let right = self.primary()?;
                self.refuse_second_operator()?;
                self.builder.at(start.join(self.cursor.last_span()));
                self.builder.binary(*operator, left, right)
            }
            None => left,
        };
        self.expression_depth -= 1;
        Ok(whole)
    }

    fn refuse_second_operator(&self) -> Parse<()> {
        if INFIX.iter().any(|(mark, _)| self.cursor.is(mark)) {
            let diagnostic = Diagnostic::error("T002", "two operators without parentheses")
                .label(self.cursor.span(), "the second one")
                .why("operators have no precedence here")
                .help("put parentheses around one of them");
            return Err(diagnostic.into());
        }
        Ok(())
    }

    /// Reads what can be indexed, and its indices.
    fn primary(&mut self) -> Parse<Handle<Expression>> {
        let start = self.cursor.span();
        let mut expression = self.base()?;
        while self.cursor.accept("[") {
            let index = self.expression()?;
            self.cursor.expect("]")?;
            self.builder.at(start.join(self.cursor.last_span()));
            expression = self.builder.load(expression, index);
        }
        Ok(expression)
    }

    /// Reads what can be indexed.
    pub(super) fn base(&mut self) -> Parse<Handle<Expression>> {
        let start = self.cursor.span();
        if self.cursor.accept("(") {
            let inner = self.expression()?;
            self.cursor.expect(")")?;
            return Ok(inner);
        }
        if let Some(literal) = self.literal()? {
            return Ok(self.constant(literal, start));
        }
        if let (TokenKind::Word(word), TokenKind::Mark("(")) =
            (self.cursor.kind(), self.cursor.second_kind())
        {
            self.cursor.advance();
            return self.operation(word, start);
        }
        let key = self.cursor.name("an expression")?;
        self.name(key, start)
    }

    fn constant(&mut self, literal: Literal, start: Span) -> Handle<Expression> {
        self.builder.at(start.join(self.cursor.last_span()));
        self.builder.literal(literal)
    }

    /// Refers to what a name stands for.
    pub(super) fn name(&mut self, key: Key<'a>, start: Span) -> Parse<Handle<Expression>> {
        let span = start.join(self.cursor.last_span());
        let expression = match self.named(key, span)? {
            Named::Parameter(position) => Expression::Parameter(position),
            Named::Value(value) => Expression::Value(value),
            Named::Variable(variable) => Expression::Variable(variable),
            Named::Array(array) => Expression::Array(array),
        };
        self.builder.at(span);
        Ok(self.builder.expression(expression))
    }

    /// Reads a constant that is one word or number, with its sign.
    fn literal(&mut self) -> Parse<Option<Literal>> {
        let start = self.cursor.span();
        let negative = self.cursor.accept("-");
        let literal = match *self.cursor.kind() {
            TokenKind::Number(text) => {
                Some(literal::number(text, negative).map_err(|problem| {
                    let span = start.join(self.cursor.span());
                    bad_literal(text, &problem, span)
                })?)
            }
            TokenKind::Word("true") if !negative => Some(Literal::Bool(true)),
            TokenKind::Word("false") if !negative => Some(Literal::Bool(false)),
            TokenKind::Word(word) => literal::infinity(word, negative),
            _ => None,
        };
        if literal.is_some() {
            self.cursor.advance();
        } else if negative {
            let diagnostic = self
                .cursor
                .unexpected("a number after `-`")
                .help("to negate an expression, write `neg(...)`");
            return Err(diagnostic.into());
        }
        Ok(literal)
    }

    pub(super) fn arguments(&mut self) -> Parse<Vec<Handle<Expression>>> {
        self.cursor.expect("(")?;
        let mut arguments = Vec::new();
        while !self.cursor.accept(")") {
            if !arguments.is_empty() {
                self.cursor.expect(",")?;
            }
            arguments.push(self.expression()?);
        }
        Ok(arguments)
    }

    /// Reads a fixed number of arguments.
    fn operands<const N: usize>(&mut self, word: &str) -> Parse<[Handle<Expression>; N]> {
        let start = self.cursor.span();
        let arguments = self.arguments()?;
        arguments.try_into().map_err(|arguments: Vec<_>| {
            let found = arguments.len();
            Box::new(
                Diagnostic::error("T002", format!("`{word}` does not take {found} operands"))
                    .label(start.join(self.cursor.last_span()), "")
                    .help(format!("it takes {N}")),
            )
        })
    }

    /// Reads what follows the word of an operation.
    fn operation(&mut self, word: &str, start: Span) -> Parse<Handle<Expression>> {
        let Some(operation) = operation(word) else {
            return Err(cursor::unknown("operation", word, operation_words(), start).into());
        };
        let expression = match operation {
            Operation::Unary(operator) => {
                let [operand] = self.operands(word)?;
                Expression::Unary { operator, operand }
            }
            Operation::Binary(operator) => {
                let [left, right] = self.operands(word)?;
                Expression::Binary {
                    operator,
                    left,
                    right,
                }
            }
            Operation::Math(function) => Expression::Math {
                function,
                arguments: self.arguments()?,
            },
            Operation::Query(query) => Expression::WorkItem(self.query(query)?),
            Operation::Select => {
                let [condition, accept, reject] = self.operands(word)?;
                Expression::Select {
                    condition,
                    accept,
                    reject,
                }
            }
            Operation::Cast => {
                let (to, operand) = self.conversion()?;
                Expression::Cast { operand, to }
            }
            Operation::Bitcast => {
                let (to, operand) = self.conversion()?;
                Expression::Bitcast { operand, to }
            }
            Operation::Complex => {
                let [real, imaginary] = self.operands(word)?;
                Expression::Complex { real, imaginary }
            }
            Operation::Offset => {
                let [pointer, index] = self.operands(word)?;
                Expression::Offset { pointer, index }
            }
            Operation::Constant(dtype) => Expression::Literal(self.complex_constant(dtype, start)?),
            Operation::Nan(dtype) => Expression::Literal(self.nan(dtype)?),
        };
        self.builder.at(start.join(self.cursor.last_span()));
        Ok(self.builder.expression(expression))
    }

    fn query(&mut self, query: WorkItemQuery) -> Parse<WorkItemQuery> {
        self.cursor.expect("(")?;
        let query = match query.dimension() {
            Some(_) => about_dimension(query, self.cursor.integer("a dimension")?),
            None => query,
        };
        self.cursor.expect(")")?;
        Ok(query)
    }

    fn conversion(&mut self) -> Parse<(DType, Handle<Expression>)> {
        self.cursor.expect("(")?;
        let to = self.cursor.vocabulary()?;
        self.cursor.expect(",")?;
        let operand = self.expression()?;
        self.cursor.expect(")")?;
        Ok((to, operand))
    }

    fn nan(&mut self, dtype: DType) -> Parse<Literal> {
        self.cursor.expect("(")?;
        let TokenKind::Number(text) = *self.cursor.kind() else {
            return Err(self.cursor.unexpected("the bits of a NaN").into());
        };
        let literal = literal::nan(dtype, text)
            .map_err(|problem| bad_literal(text, &problem, self.cursor.span()))?;
        self.cursor.advance();
        self.cursor.expect(")")?;
        Ok(literal)
    }

    fn complex_constant(&mut self, dtype: DType, start: Span) -> Parse<Literal> {
        self.cursor.expect("(")?;
        let real = self.part(dtype.real())?;
        self.cursor.expect(",")?;
        let imaginary = self.part(dtype.real())?;
        self.cursor.expect(")")?;
        literal::complex(dtype, real, imaginary).ok_or_else(|| {
            let name = dtype.short_name();
            bad_literal(
                name,
                "has parts of another dtype",
                start.join(self.cursor.last_span()),
            )
            .into()
        })
    }

    /// Reads one part of a complex constant, which has its dtype from the whole.
    fn part(&mut self, dtype: DType) -> Parse<Literal> {
        if let TokenKind::Word(word) = *self.cursor.kind()
            && let Some(dtype) = literal::nan_dtype(word)
        {
            self.cursor.advance();
            return self.nan(dtype);
        }
        let start = self.cursor.span();
        let negative = self.cursor.accept("-");
        let literal = match *self.cursor.kind() {
            TokenKind::Number(text) => {
                literal::number(&format!("{text}{}", dtype.short_name()), negative).map_err(
                    |problem| bad_literal(text, &problem, start.join(self.cursor.span())),
                )?
            }
            TokenKind::Word(word) => literal::infinity(word, negative)
                .ok_or_else(|| self.cursor.unexpected("a float"))?,
            _ => return Err(self.cursor.unexpected("a float").into()),
        };
        self.cursor.advance();
        Ok(literal)
    }
}

fn bad_literal(text: &str, problem: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T004", format!("`{text}` {problem}"))
        .label(span, "")
        .help("literals are written like `1`, `1u8`, `0.5`, `0.5f32`, `c64(1.0, -1.0)`")
}
