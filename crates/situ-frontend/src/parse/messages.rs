//! `assert` and `print`: the only places of a kernel where text has a meaning.

use ruff_python_ast::{self as ast, Expr, FStringPart, InterpolatedStringElement};
use ruff_text_size::Ranged;

use super::Reader;
use crate::subset::Refused;
use crate::syntax::{Expression, Identifier, MessagePart, StatementKind};

impl Reader<'_> {
    /// `assert test, message`.
    pub(super) fn assertion(&mut self, assertion: &ast::StmtAssert) -> StatementKind {
        let test = self.expression(&assertion.test);
        let mut parts = Vec::new();
        if let Some(message) = &assertion.msg {
            self.message(message, &mut parts);
        }
        StatementKind::Assert { test, parts }
    }

    /// `raise Class(message)`; `None` if it is refused.
    pub(super) fn raise(&mut self, raise: &ast::StmtRaise) -> Option<StatementKind> {
        let span = self.span(raise);
        let (raised, arguments) = match raise.exc.as_deref() {
            Some(Expr::Call(call)) if call.arguments.keywords.is_empty() => {
                (Some(&*call.func), &*call.arguments.args)
            }
            raised => (raised, &[][..]),
        };
        let Some(Expr::Name(class)) = raised else {
            self.refuse(Refused::RaisedValue, span);
            return None;
        };
        let mut parts = Vec::new();
        for (position, argument) in arguments.iter().enumerate() {
            if position > 0 {
                parts.push(MessagePart::Text(", ".to_owned()));
            }
            self.message(argument, &mut parts);
        }
        let class = Identifier {
            name: class.id.to_string(),
            span: self.span(class),
        };
        Some(StatementKind::Raise { class, parts })
    }

    /// A call of `print` as a statement; `None` if the call is of something else.
    pub(super) fn print(&mut self, expression: &Expr) -> Option<StatementKind> {
        let Expr::Call(call) = expression else {
            return None;
        };
        let is_print = matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "print");
        if !is_print {
            return None;
        }
        let (mut separator, mut end) = (" ".to_owned(), "\n".to_owned());
        for keyword in &call.arguments.keywords {
            let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
            let text = match &keyword.value {
                Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
                _ => None,
            };
            match (name, text) {
                ("sep", Some(text)) => separator = text,
                ("end", Some(text)) => end = text,
                ("flush", _) => {}
                _ => self.refuse(Refused::PrintOption, self.span(keyword)),
            }
        }
        let mut parts = Vec::new();
        for (position, argument) in call.arguments.args.iter().enumerate() {
            if position > 0 {
                parts.push(MessagePart::Text(separator.clone()));
            }
            self.message(argument, &mut parts);
        }
        parts.push(MessagePart::Text(end));
        Some(StatementKind::Print(parts))
    }

    /// Text, formatted text, or a number.
    fn message(&mut self, expression: &Expr, parts: &mut Vec<MessagePart>) {
        match expression {
            Expr::StringLiteral(text) => {
                parts.push(MessagePart::Text(text.value.to_str().to_owned()));
            }
            Expr::FString(text) => {
                for part in &text.value {
                    match part {
                        FStringPart::Literal(text) => {
                            parts.push(MessagePart::Text(text.value.to_string()));
                        }
                        FStringPart::FString(text) => {
                            for element in &text.elements {
                                self.element(element, parts);
                            }
                        }
                    }
                }
            }
            value => {
                let expression = self.expression(value);
                parts.push(plain(expression));
            }
        }
    }

    fn element(&mut self, element: &InterpolatedStringElement, parts: &mut Vec<MessagePart>) {
        let value = match element {
            InterpolatedStringElement::Literal(text) => {
                parts.push(MessagePart::Text(text.value.to_string()));
                return;
            }
            InterpolatedStringElement::Interpolation(value) => value,
        };
        // `f"{x=}"` says what it prints.
        if let Some(debug) = &value.debug_text {
            let written = &self.text[value.expression.range()];
            let text = format!("{}{written}{}", debug.leading(), debug.trailing());
            parts.push(MessagePart::Text(text));
        }
        let mut format = String::new();
        if let Some(specification) = &value.format_spec {
            for element in &specification.elements {
                match element {
                    InterpolatedStringElement::Literal(text) => format.push_str(&text.value),
                    InterpolatedStringElement::Interpolation(inner) => {
                        self.refuse(Refused::NestedFormat, self.span(inner));
                    }
                }
            }
        }
        let expression = self.expression(&value.expression);
        parts.push(MessagePart::Value { expression, format });
    }
}

fn plain(expression: Expression) -> MessagePart {
    MessagePart::Value {
        expression,
        format: String::new(),
    }
}
