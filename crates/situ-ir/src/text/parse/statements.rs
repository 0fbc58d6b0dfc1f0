//! Statements.

use super::{FunctionParser, Named, Parse, cursor};
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::module::{Value, Variable};
use crate::span::Span;
use crate::statement::{Atomic, Block, Collective, CollectiveOperation, Parallel, StatementKind};
use crate::text::lexer::TokenKind;
use crate::types::Type;
use crate::validate::MAX_BLOCK_DEPTH;

/// What a `let` is to name: its key in the text and its type, if given.
type Binding<'a> = (super::Key<'a>, Option<Type>, Span);

impl<'a> FunctionParser<'_, 'a> {
    /// Reads statements and the brace that ends them.
    pub(super) fn statements_to_brace(&mut self) -> Parse<()> {
        while !self.cursor.accept("}") {
            if self.cursor.at_end() {
                return Err(self.cursor.unexpected("a statement or `}`").into());
            }
            self.statement()?;
        }
        Ok(())
    }

    fn block(&mut self) -> Parse<Block> {
        self.enter_block()?;
        self.cursor.expect("{")?;
        self.builder.open_block();
        self.statements_to_brace()?;
        self.block_depth -= 1;
        Ok(self.builder.close_block())
    }

    fn enter_block(&mut self) -> Parse<()> {
        if self.block_depth == MAX_BLOCK_DEPTH {
            let diagnostic = Diagnostic::error(
                "T005",
                format!("blocks are nested more than {MAX_BLOCK_DEPTH} deep"),
            )
            .label(self.cursor.span(), "")
            .help("move inner blocks to a device function");
            return Err(diagnostic.into());
        }
        self.block_depth += 1;
        Ok(())
    }

    fn statement(&mut self) -> Parse<()> {
        let start = self.cursor.span();
        let TokenKind::Word(word) = *self.cursor.kind() else {
            return self.store_or_assign(start);
        };
        match word {
            "if" => return self.branch(),
            "while" | "loop" => return self.repeat(),
            "parallel" => return self.parallel(),
            "let" => {
                self.cursor.advance();
                return self.bind(start);
            }
            "break" => self.simple(start, StatementKind::Break),
            "continue" => self.simple(start, StatementKind::Continue),
            "return" => self.end_function(start)?,
            "barrier" => {
                self.cursor.advance();
                self.cursor.expect("(")?;
                let spaces = self.cursor.vocabulary()?;
                self.cursor.expect(")")?;
                self.push(start, StatementKind::Barrier(spaces));
            }
            "fence" => {
                self.cursor.advance();
                self.cursor.expect("(")?;
                let order = self.cursor.vocabulary()?;
                self.cursor.expect(",")?;
                let scope = self.cursor.vocabulary()?;
                self.cursor.expect(")")?;
                self.push(start, StatementKind::Fence { order, scope });
            }
            "prefetch" => {
                self.cursor.advance();
                self.cursor.expect("(")?;
                let base = self.base()?;
                let (pointer, index) = self.element(start, base)?;
                self.cursor.expect(")")?;
                self.push(start, StatementKind::Prefetch { pointer, index });
            }
            "call" | "atomic" | "collective" => self.effect(start, None)?,
            _ => return self.store_or_assign(start),
        }
        self.cursor.expect(";")
    }

    /// Appends a statement that started at `start` and ends with the last token.
    fn push(&mut self, start: Span, kind: StatementKind) {
        self.builder.at(start.join(self.cursor.last_span()));
        self.builder.statement(kind);
    }

    fn simple(&mut self, start: Span, kind: StatementKind) {
        self.cursor.advance();
        self.push(start, kind);
    }

    fn end_function(&mut self, start: Span) -> Parse<()> {
        self.cursor.advance();
        let result = if self.cursor.is(";") {
            None
        } else {
            Some(self.expression()?)
        };
        self.push(start, StatementKind::Return(result));
        Ok(())
    }

    fn store_or_assign(&mut self, start: Span) -> Parse<()> {
        if let (
            TokenKind::Word(_) | TokenKind::Quoted(_),
            TokenKind::Mark("=") | TokenKind::Suffix(_),
        ) = (self.cursor.kind(), self.cursor.second_kind())
        {
            let key = self.cursor.name("the name of a variable")?;
            if self.cursor.accept("=") {
                return self.assign(start, key);
            }
            let base = self.name(key, start)?;
            return self.store(start, base);
        }
        let base = self.base()?;
        self.store(start, base)
    }

    /// Reads the name of a variable.
    fn assigned_variable(&mut self) -> Parse<Handle<Variable>> {
        let span = self.cursor.span();
        let key = self.cursor.name("the name of a variable")?;
        self.named_variable(key, span)
    }

    fn named_variable(&mut self, key: super::Key<'a>, span: Span) -> Parse<Handle<Variable>> {
        if let Named::Variable(variable) = self.named(key, span)? {
            return Ok(variable);
        }
        let diagnostic = Diagnostic::error("T002", format!("`{}` is not a variable", key.0))
            .label(span, "")
            .help("declare it with `var`, or bind a new value with `let`");
        Err(diagnostic.into())
    }

    fn assign(&mut self, start: Span, key: super::Key<'a>) -> Parse<()> {
        let variable = self.named_variable(key, start)?;
        let expression = self.expression()?;
        self.push(
            start,
            StatementKind::Assign {
                variable,
                expression,
            },
        );
        self.cursor.expect(";")
    }

    fn store(&mut self, start: Span, base: Handle<Expression>) -> Parse<()> {
        let (pointer, index) = self.element(start, base)?;
        self.cursor.expect("=")?;
        let value = self.expression()?;
        self.push(
            start,
            StatementKind::Store {
                pointer,
                index,
                value,
            },
        );
        self.cursor.expect(";")
    }

    /// Reads the indices after a pointer; all but the last load.
    fn element(
        &mut self,
        start: Span,
        mut pointer: Handle<Expression>,
    ) -> Parse<(Handle<Expression>, Handle<Expression>)> {
        loop {
            self.cursor.expect("[")?;
            let index = self.expression()?;
            self.cursor.expect("]")?;
            if !self.cursor.is("[") {
                return Ok((pointer, index));
            }
            self.builder.at(start.join(self.cursor.last_span()));
            pointer = self.builder.load(pointer, index);
        }
    }

    fn bind(&mut self, start: Span) -> Parse<()> {
        let at = self.cursor.span();
        let key = self.cursor.name("the name of a value")?;
        let ty = self.bound_type()?;
        self.cursor.expect("=")?;
        if let TokenKind::Word("call" | "atomic" | "collective") = self.cursor.kind() {
            self.effect(start, Some((key, ty, at)))?;
        } else {
            let expression = self.expression()?;
            let guess = self.builder.type_of(expression);
            let value = self.declare((key, ty, at), guess);
            self.push(start, StatementKind::Let { value, expression });
        }
        self.cursor.expect(";")
    }

    /// Makes the value that a `let` names; without a type in the text it has the guessed one.
    fn declare(&mut self, (key, ty, span): Binding<'a>, guess: Type) -> Handle<Value> {
        self.builder.at(span);
        let value = self.builder.value(key.0, ty.unwrap_or(guess));
        self.names.insert(key, Named::Value(value));
        value
    }

    fn effect(&mut self, start: Span, binding: Option<Binding<'a>>) -> Parse<()> {
        if self.cursor.accept_word("call") {
            self.call(start, binding)
        } else if self.cursor.accept_word("atomic") {
            self.atomic(start, binding)
        } else {
            self.cursor.advance();
            let Some(binding) = binding else {
                let diagnostic =
                    Diagnostic::error("T002", "the result of a collective has no name")
                        .label(start, "")
                        .help("write `let name = collective ...`");
                return Err(diagnostic.into());
            };
            self.collective(start, binding)
        }
    }

    fn call(&mut self, start: Span, binding: Option<Binding<'a>>) -> Parse<()> {
        let at = self.cursor.span();
        let (name, _) = self.cursor.name("the name of a function")?;
        let Some(&callee) = self.functions.get(name) else {
            let known = self.functions.keys().copied();
            return Err(cursor::unknown("function", name, known, at).into());
        };
        let arguments = self.arguments()?;
        let guess = callee.result.map_or(Type::INDEX, Type::Scalar);
        let result = binding.map(|binding| self.declare(binding, guess));
        self.push(
            start,
            StatementKind::Call {
                function: callee.handle,
                arguments,
                result,
            },
        );
        Ok(())
    }

    fn atomic(&mut self, start: Span, binding: Option<Binding<'a>>) -> Parse<()> {
        let operation = self.cursor.vocabulary()?;
        self.cursor.expect("(")?;
        let at = self.cursor.span();
        let base = self.base()?;
        let (pointer, index) = self.element(at, base)?;
        let mut operand = None;
        let mut expected = None;
        while self.cursor.accept(",") {
            let place = if self.cursor.accept_word("expect") {
                &mut expected
            } else {
                &mut operand
            };
            if place.is_some() {
                return Err(self.cursor.unexpected("`)`").into());
            }
            *place = Some(self.expression()?);
        }
        self.cursor.expect(")")?;
        let order = self.cursor.vocabulary()?;
        let scope = self.cursor.vocabulary()?;
        let guess = Type::Scalar(self.builder.dtype_of(pointer));
        let result = binding.map(|binding| self.declare(binding, guess));
        self.push(
            start,
            StatementKind::Atomic(Atomic {
                operation,
                pointer,
                index,
                operand,
                expected,
                result,
                order,
                scope,
            }),
        );
        Ok(())
    }

    fn collective(&mut self, start: Span, binding: Binding<'a>) -> Parse<()> {
        let TokenKind::Word(word) = *self.cursor.kind() else {
            return Err(self.cursor.unexpected("a collective").into());
        };
        let at = self.cursor.span();
        self.cursor.advance();
        let combined = match word {
            "reduce" => Some(CollectiveOperation::Reduce(self.cursor.vocabulary()?)),
            "inclusive_scan" => Some(CollectiveOperation::InclusiveScan(
                self.cursor.vocabulary()?,
            )),
            "exclusive_scan" => Some(CollectiveOperation::ExclusiveScan(
                self.cursor.vocabulary()?,
            )),
            "any" => Some(CollectiveOperation::Any),
            "all" => Some(CollectiveOperation::All),
            "broadcast" => None,
            _ => {
                let known = [
                    "reduce",
                    "inclusive_scan",
                    "exclusive_scan",
                    "broadcast",
                    "any",
                    "all",
                ];
                return Err(cursor::unknown("collective", word, known.into_iter(), at).into());
            }
        };
        self.cursor.expect("(")?;
        let operand = self.expression()?;
        let operation = if let Some(operation) = combined {
            operation
        } else {
            self.cursor.expect(",")?;
            CollectiveOperation::Broadcast(self.expression()?)
        };
        self.cursor.expect(")")?;
        let scope = self.cursor.vocabulary()?;
        let guess = self.builder.type_of(operand);
        let result = self.declare(binding, guess);
        self.push(
            start,
            StatementKind::Collective(Collective {
                operation,
                scope,
                operand,
                result,
            }),
        );
        Ok(())
    }

    fn branch(&mut self) -> Parse<()> {
        let start = self.cursor.span();
        self.cursor.advance();
        let condition = self.expression()?;
        let span = start.join(self.cursor.last_span());
        let accept = self.block()?;
        let reject = if !self.cursor.accept_word("else") {
            Block::default()
        } else if let TokenKind::Word("if") = self.cursor.kind() {
            self.enter_block()?;
            self.builder.open_block();
            self.branch()?;
            self.block_depth -= 1;
            self.builder.close_block()
        } else {
            self.block()?
        };
        self.builder.at(span);
        self.builder.statement(StatementKind::If {
            condition,
            accept,
            reject,
        });
        Ok(())
    }

    fn parallel(&mut self) -> Parse<()> {
        let start = self.cursor.span();
        self.cursor.advance();
        let index = self.assigned_variable()?;
        self.cursor.expect(",")?;
        let worker = self.assigned_variable()?;
        if !self.cursor.accept_word("below") {
            return Err(self.cursor.unexpected("`below`").into());
        }
        let count = self.expression()?;
        let span = start.join(self.cursor.last_span());
        let body = self.block()?;
        self.builder.at(span);
        self.builder.statement(StatementKind::Parallel(Parallel {
            count,
            index,
            worker,
            body,
        }));
        Ok(())
    }

    fn repeat(&mut self) -> Parse<()> {
        let start = self.cursor.span();
        let condition = if self.cursor.accept_word("while") {
            Some(self.expression()?)
        } else {
            self.cursor.advance();
            None
        };
        let span = start.join(self.cursor.last_span());
        let body = self.block()?;
        let step = if self.cursor.accept_word("step") {
            self.block()?
        } else {
            Block::default()
        };
        self.builder.at(span);
        self.builder.statement(StatementKind::Loop {
            condition,
            body,
            step,
        });
        Ok(())
    }
}
