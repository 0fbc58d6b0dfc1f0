//! How many elements array expressions may have, in terms of the arrays that a piece gets.
//!
//! Small array expressions are best written out, large ones are better done by the array library, which uses all cores.
//! Which they are is asked before a piece runs, so every loop over elements notes an upper bound of what it counts to.

use situ_ir::{BinaryOperator as Ir, Literal};

use crate::infer::Inference;
use crate::typed::{ArrayOrigin, Expression, ExpressionKind, SlotId};

/// An upper bound of a number of elements along an axis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeBound {
    /// So many.
    Constant(i64),
    /// The size of a parameter along an axis.
    Axis(String, usize),
    /// The value of a parameter.
    Number(String),
    /// A sum of so many of each.
    Sum(Vec<(i64, SizeBound)>),
    /// A product.
    Product(Box<SizeBound>, Box<SizeBound>),
    /// Not known before the code runs.
    Unknown,
}

impl Inference<'_, '_, '_> {
    /// Notes the sizes of a product of matrices, unless another has the same bounds.
    pub(super) fn note_product<'s>(&mut self, sizes: impl IntoIterator<Item = &'s Expression>) {
        let sizes = sizes.into_iter();
        let bounds = sizes.map(|size| self.size_bound(size)).collect();
        self.program.product_bounds.insert(bounds);
    }

    /// Notes how far loops over elements may count, unless another has the same bounds.
    pub(super) fn note_sizes<'s>(&mut self, sizes: impl IntoIterator<Item = &'s Expression>) {
        let bounds: Vec<_> = sizes
            .into_iter()
            .map(|size| self.size_bound(size))
            .collect();
        self.program.size_bounds.insert(bounds);
    }

    pub(super) fn size_bound(&self, size: &Expression) -> SizeBound {
        if let Some(known) = self.form_bound(size) {
            return known;
        }
        match &size.kind {
            ExpressionKind::Literal(Literal::I64(size)) => SizeBound::Constant(*size),
            ExpressionKind::Slot(slot) => self.slot_bound(*slot),
            ExpressionKind::Shape { array, axis } => {
                let array = self.array(*array);
                match array.origin {
                    ArrayOrigin::Parameter { .. } => SizeBound::Axis(array.name.clone(), *axis),
                    _ => SizeBound::Unknown,
                }
            }
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => match operator {
                // The larger side of a maximum is an index, the smaller one zero.
                Ir::Subtract | Ir::Add | Ir::FloorDivide | Ir::Maximum => self.size_bound(left),
                Ir::Minimum => match (self.size_bound(left), self.size_bound(right)) {
                    (SizeBound::Unknown, other) | (other, SizeBound::Unknown) => other,
                    (constant @ SizeBound::Constant(_), _)
                    | (_, constant @ SizeBound::Constant(_)) => constant,
                    (axis, _) => axis,
                },
                _ => SizeBound::Unknown,
            },
            ExpressionKind::Conditional { accept, reject, .. } => {
                match (self.size_bound(accept), self.size_bound(reject)) {
                    (SizeBound::Constant(0 | 1), other) | (other, SizeBound::Constant(0 | 1)) => {
                        other
                    }
                    (one, other) if one == other => one,
                    (one @ SizeBound::Axis(..), _) => one,
                    (_, other) => other,
                }
            }
            ExpressionKind::Let { body, .. } => self.size_bound(body),
            _ => SizeBound::Unknown,
        }
    }

    fn slot_bound(&self, slot: SlotId) -> SizeBound {
        let known = self.slot_bounds.get(&slot);
        known.cloned().unwrap_or(SizeBound::Unknown)
    }
}
