//! Expressions of numbers, and expressions of which an element is computed at a time.

use super::{Code, Elements, Local, Part, Writer};
use crate::host::made_trees::assignment;
use crate::host::piece::{expression, named};
use crate::syntax::{Expression, ExpressionKind};

impl Writer<'_> {
    /// An expression of numbers; what it folds is computed by statements before.
    pub(super) fn number(&mut self, given: &Expression, code: &mut Code) -> Option<Expression> {
        let span = given.span;
        if self.ndim(given)? != 0 {
            return None;
        }
        if let Some((fold, of)) = self.folded(given) {
            let elements = self.elements(&of, code)?;
            return self.fold(fold, &elements, span, code);
        }
        let mut each = |writer: &mut Self, list: &[Expression]| -> Option<Vec<Expression>> {
            list.iter().map(|item| writer.number(item, code)).collect()
        };
        let kind = match &given.kind {
            ExpressionKind::Unary { operator, operand } => ExpressionKind::Unary {
                operator: *operator,
                operand: Box::new(self.number(operand, code)?),
            },
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => ExpressionKind::Binary {
                operator: *operator,
                left: Box::new(self.number(left, code)?),
                right: Box::new(self.number(right, code)?),
            },
            ExpressionKind::Logical { operator, operands } => ExpressionKind::Logical {
                operator: *operator,
                operands: each(self, operands)?,
            },
            ExpressionKind::Tuple(items) => ExpressionKind::Tuple(each(self, items)?),
            ExpressionKind::Compare { first, rest } => {
                let first = Box::new(self.number(first, code)?);
                let mut compared = Vec::with_capacity(rest.len());
                for (operator, operand) in rest {
                    compared.push((*operator, self.number(operand, code)?));
                }
                ExpressionKind::Compare {
                    first,
                    rest: compared,
                }
            }
            ExpressionKind::Conditional {
                test,
                accept,
                reject,
            } => ExpressionKind::Conditional {
                test: Box::new(self.number(test, code)?),
                accept: Box::new(self.number(accept, code)?),
                reject: Box::new(self.number(reject, code)?),
            },
            ExpressionKind::Subscript { value, indices } => {
                let value = if self.part(value).is_some() {
                    self.number_indices(value, code)?
                } else {
                    self.number(value, code)?
                };
                let mut numbers = Vec::with_capacity(indices.len());
                for index in indices {
                    numbers.push(self.number(index, code)?);
                }
                ExpressionKind::Subscript {
                    value: Box::new(value),
                    indices: numbers,
                }
            }
            ExpressionKind::Call {
                function,
                arguments,
                keywords,
            } => {
                let mut passed = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    passed.push(match self.part(argument) {
                        Some(_) => self.number_indices(argument, code)?,
                        None => self.number(argument, code)?,
                    });
                }
                ExpressionKind::Call {
                    function: function.clone(),
                    arguments: passed,
                    keywords: keywords.clone(),
                }
            }
            other => other.clone(),
        };
        Some(expression(kind, span))
    }

    /// An expression of numbers that needs no statements before it.
    pub(super) fn number_in_place(&mut self, given: &Expression) -> Option<Expression> {
        let mut code = Vec::new();
        let number = self.number(given, &mut code)?;
        code.is_empty().then_some(number)
    }

    /// A number under a name, so that it stays what it is now.
    pub(super) fn kept(&mut self, number: Expression, code: &mut Code) -> Expression {
        if matches!(number.kind, ExpressionKind::Constant(_)) {
            return number;
        }
        let span = number.span;
        let name = self.made_name();
        code.push(assignment(named(&name, span), number, span));
        self.locals.insert(name.clone(), Local::Number);
        named(&name, span)
    }

    /// A part of an array with the numbers in its indices written out.
    pub(super) fn number_indices(
        &mut self,
        part: &Expression,
        code: &mut Code,
    ) -> Option<Expression> {
        let span = part.span;
        let kind = match &part.kind {
            ExpressionKind::Subscript { value, indices } => {
                let value = Box::new(self.number_indices(value, code)?);
                let mut written = Vec::with_capacity(indices.len());
                for index in indices {
                    written.push(match &index.kind {
                        ExpressionKind::Slice { .. } => {
                            self.number_in_place_of_slice(index)?;
                            index.clone()
                        }
                        _ => self.number(index, code)?,
                    });
                }
                ExpressionKind::Subscript {
                    value,
                    indices: written,
                }
            }
            ExpressionKind::Attribute { value, attribute } => ExpressionKind::Attribute {
                value: Box::new(self.number_indices(value, code)?),
                attribute: attribute.clone(),
            },
            other => other.clone(),
        };
        Some(expression(kind, span))
    }

    pub(super) fn number_in_place_of_slice(&mut self, slice: &Expression) -> Option<()> {
        let ExpressionKind::Slice { lower, upper, step } = &slice.kind else {
            return None;
        };
        for bound in [lower, upper, step].into_iter().flatten() {
            self.number_in_place(bound)?;
        }
        Some(())
    }

    /// An expression of arrays, of which elements can be computed.
    pub(super) fn elements(&mut self, given: &Expression, code: &mut Code) -> Option<Elements> {
        let span = given.span;
        if self.ndim(given)? == 0 {
            let number = self.number(given, code)?;
            return Some(Elements {
                of: self.kept(number, code),
                parts: Vec::new(),
            });
        }
        if let Some((root, ndim)) = self.part(given) {
            let part = self.number_indices(given, code)?;
            let name = self.named_part(part, &root, ndim, code);
            return Some(Elements {
                of: named(&name, span),
                parts: vec![Part { name, root, ndim }],
            });
        }
        let mut parts = Vec::new();
        let mut each = |writer: &mut Self, inner: &Expression| -> Option<Expression> {
            let inner = writer.elements(inner, code)?;
            for part in inner.parts {
                if !parts.iter().any(|known: &Part| known.name == part.name) {
                    parts.push(part);
                }
            }
            Some(inner.of)
        };
        let kind = match &given.kind {
            ExpressionKind::Name(name) => {
                let Some(Local::Delayed(elements)) = self.locals.get(name) else {
                    return None;
                };
                return Some(elements.clone());
            }
            ExpressionKind::Unary { operator, operand } => ExpressionKind::Unary {
                operator: *operator,
                operand: Box::new(each(self, operand)?),
            },
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => ExpressionKind::Binary {
                operator: *operator,
                left: Box::new(each(self, left)?),
                right: Box::new(each(self, right)?),
            },
            ExpressionKind::Compare { first, rest } => match rest.as_slice() {
                [(operator, second)] => ExpressionKind::Compare {
                    first: Box::new(each(self, first)?),
                    rest: vec![(*operator, each(self, second)?)],
                },
                _ => return None,
            },
            ExpressionKind::Call {
                function,
                arguments,
                ..
            } => {
                let arguments: Option<Vec<_>> = arguments
                    .iter()
                    .map(|argument| each(self, argument))
                    .collect();
                ExpressionKind::Call {
                    function: function.clone(),
                    arguments: arguments?,
                    keywords: Vec::new(),
                }
            }
            _ => return None,
        };
        Some(Elements {
            of: expression(kind, span),
            parts,
        })
    }

    /// The name of a part of an array; a new one, unless it has one that stays.
    pub(super) fn named_part(
        &mut self,
        part: Expression,
        root: &str,
        ndim: usize,
        code: &mut Code,
    ) -> String {
        let stays = |name: &String| self.assignments.get(name).copied() <= Some(1);
        if let ExpressionKind::Name(name) = &part.kind
            && (name == root || stays(name))
        {
            return name.clone();
        }
        let span = part.span;
        let name = self.made_name();
        code.push(assignment(named(&name, span), part, span));
        let local = Local::Part(root.to_owned(), ndim);
        self.locals.insert(name.clone(), local);
        name
    }
}
