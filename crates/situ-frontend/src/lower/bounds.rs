//! Accesses that are checked: an element that does not exist is reported and left alone.
//!
//! With [`Options::check_bounds`](crate::Options) each index is compared with the size of its axis right before the access.
//! An access outside is skipped; the first one of a launch is written to the report, as a failed assertion is, and the
//! work-item ends if no others wait for it. Where they do it goes on, and what it failed to read is 0.

use situ_ir::{
    BinaryOperator, Block, DType, Expression as IrExpression, Handle, Literal, Span,
    StatementKind as IrStatement,
};

use crate::infer::messages::{failure, linear_id, words_of};
use crate::lower::Lowering;
use crate::message::{MAX_VALUES, Message, MessageKind, MessagePart};
use crate::typed::{ArrayId, ArrayOrigin, Expression, ExpressionKind, FunctionResult, SlotId};

/// An index and the size it must be less than.
#[derive(Clone, Copy)]
pub(super) struct Check {
    index: Handle<IrExpression>,
    size: Handle<IrExpression>,
}

/// Where an element is.
pub(super) struct Place {
    /// Counted from element `[0, ..., 0]`.
    pub(super) offset: Handle<IrExpression>,
    array: ArrayId,
    /// Whether it exists is asked of these.
    checks: Vec<Check>,
}

impl Place {
    /// Whether it has to be asked whether the element exists.
    pub(super) fn is_checked(&self) -> bool {
        !self.checks.is_empty()
    }
}

impl Lowering<'_> {
    /// Where an element is, and how to find out whether it exists.
    pub(super) fn place(&mut self, array: ArrayId, indices: &[Expression]) -> Place {
        if !self.checks_bounds || self.function.report == Some(array) {
            return Place {
                offset: self.offset(array, indices),
                array,
                checks: Vec::new(),
            };
        }
        let span = self.builder.span();
        let outer = std::mem::take(&mut self.checks);
        let indices: Vec<_> = indices.iter().collect();
        let mut indices = self.operands(&indices);
        self.builder.at(span);
        let mut checks = std::mem::replace(&mut self.checks, outer);
        if !matches!(
            self.function.arrays[array.0].origin,
            ArrayOrigin::Flat { .. }
        ) {
            for (axis, index) in indices.iter_mut().enumerate() {
                *index = self.builder.bind("index", *index);
                let size = self.arrays[array.0].shape[&axis];
                checks.push(Check {
                    index: *index,
                    size,
                });
            }
        }
        Place {
            offset: self.offset_of(array, indices),
            array,
            checks,
        }
    }

    /// An index of a view: checked by the access it is for.
    pub(super) fn bounded(
        &mut self,
        index: &Expression,
        size: &Expression,
    ) -> Handle<IrExpression> {
        let index = self.expression(index);
        let index = self.builder.bind("index", index);
        let size = self.expression(size);
        let size = self.builder.bind("size", size);
        self.checks.push(Check { index, size });
        index
    }

    /// Where a view starts: at its array's start if the indices do not exist.
    pub(super) fn view_start(
        &mut self,
        array: ArrayId,
        offset: &Expression,
        span: Span,
    ) -> Handle<IrExpression> {
        let outer = std::mem::take(&mut self.checks);
        let offset = self.expression(offset);
        let offset = self.builder.bind("start", offset);
        let checks = std::mem::replace(&mut self.checks, outer);
        let Some(inside) = self.all_inside(&checks) else {
            return offset;
        };
        let reject = self.rejecting(array, &checks, span);
        self.at(span);
        let accept = Block::default();
        self.builder.statement(IrStatement::If {
            condition: inside,
            accept,
            reject,
        });
        let start = self.builder.index(0);
        self.builder.select(inside, offset, start)
    }

    /// The content of an element; 0 if there is none.
    pub(super) fn load_checked(&mut self, place: &Place, span: Span) -> Handle<IrExpression> {
        let pointer = self.pointer(place.array);
        let Some(inside) = self.all_inside(&place.checks) else {
            return self.builder.load(pointer, place.offset);
        };
        let dtype = self.function.arrays[place.array.0].dtype;
        let element = self.builder.variable("element", dtype);
        let zero = self.builder.literal(Literal::zero(dtype));
        self.builder.assign(element, zero);
        self.builder.open_block();
        let loaded = self.builder.load(pointer, place.offset);
        self.builder.assign(element, loaded);
        let accept = self.builder.close_block();
        let reject = self.rejecting(place.array, &place.checks, span);
        self.at(span);
        self.builder.statement(IrStatement::If {
            condition: inside,
            accept,
            reject,
        });
        self.builder.get(element)
    }

    /// Appends what `access` appends, if the elements exist.
    pub(super) fn access(&mut self, places: &[&Place], span: Span, access: impl FnOnce(&mut Self)) {
        // The first place that is wrong is reported, so the last one is asked innermost.
        let Some((place, others)) = places.split_first() else {
            access(self);
            return;
        };
        let Some(inside) = self.all_inside(&place.checks) else {
            self.access(others, span, access);
            return;
        };
        self.builder.open_block();
        self.access(others, span, access);
        let accept = self.builder.close_block();
        let reject = self.rejecting(place.array, &place.checks, span);
        self.at(span);
        self.builder.statement(IrStatement::If {
            condition: inside,
            accept,
            reject,
        });
    }

    /// Whether all indices exist; `None` if there is nothing to ask.
    fn all_inside(&mut self, checks: &[Check]) -> Option<Handle<IrExpression>> {
        let mut all: Option<Handle<IrExpression>> = None;
        for Check { index, size } in checks {
            let zero = self.builder.index(0);
            let at_least = self
                .builder
                .binary(BinaryOperator::GreaterEqual, *index, zero);
            let below = self.builder.binary(BinaryOperator::Less, *index, *size);
            let inside = self.builder.binary(BinaryOperator::BitAnd, at_least, below);
            all = Some(match all {
                None => inside,
                Some(all) => self.builder.binary(BinaryOperator::BitAnd, all, inside),
            });
        }
        all.map(|all| self.builder.bind("inside", all))
    }

    /// Reports an access outside of an array, and ends the work-item if nobody waits for it.
    fn rejecting(&mut self, array: ArrayId, checks: &[Check], span: Span) -> Block {
        self.builder.open_block();
        if let Some(report) = self.function.report {
            // Two words for each index and size. Kernels of more dimensions have other worries.
            let shown = checks.iter().take(MAX_VALUES / 4);
            let (indices, sizes): (Vec<_>, Vec<_>) =
                shown.map(|check| (check.index, check.size)).unzip();
            let number = self.add_message(array, indices.len(), span);
            let words = indices.into_iter().chain(sizes).flat_map(|value| {
                let slot = SlotId(self.function.slot_count + self.slots.len());
                self.slots.insert(slot, value);
                let value = Expression::new(ExpressionKind::Slot(slot), DType::I64, span);
                words_of(value, span)
            });
            let words: Vec<_> = words.collect();
            self.block(&failure(report, number, linear_id(span), words, span));
        }
        if self.may_give_up {
            self.give_up();
        }
        self.builder.close_block()
    }

    /// The number of the message about an access, counted from one.
    fn add_message(&mut self, array: ArrayId, ndim: usize, span: Span) -> usize {
        let function = self.function;
        let text = |text: &str| MessagePart::Text(text.to_owned());
        let mut parts = vec![text("the index is ")];
        push_tuple(&mut parts, ndim);
        parts.push(text(", and its shape is "));
        push_tuple(&mut parts, ndim);
        let line = function.source.location(span.start).line;
        self.messages.push(Message {
            kind: MessageKind::OutOfBounds {
                array: function.arrays[array.0].name.clone(),
            },
            parts,
            place: format!("{}:{line}", function.source.name),
        });
        self.messages.len()
    }

    /// Ends the work-item.
    pub(super) fn give_up(&mut self) {
        let result = match self.function.result {
            _ if self.is_in_round => None,
            FunctionResult::Number(dtype) => Some(self.builder.literal(Literal::zero(dtype))),
            FunctionResult::Nothing | FunctionResult::Tuple(_) => None,
        };
        self.builder.return_(result);
    }
}

/// Numbers as Python writes a tuple of them.
fn push_tuple(parts: &mut Vec<MessagePart>, count: usize) {
    let text = |text: &str| MessagePart::Text(text.to_owned());
    parts.push(text("("));
    for position in 0..count {
        if position > 0 {
            parts.push(text(", "));
        }
        parts.push(MessagePart::Value {
            dtype: DType::I64,
            format: String::new(),
        });
    }
    parts.push(text(if count == 1 { ",)" } else { ")" }));
}
