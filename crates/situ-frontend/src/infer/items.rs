//! Index objects: `Item`, `NdItem`, and the groups they belong to.
//!
//! They exist only while compiling. A method stands for the function of the same meaning, so that both
//! styles of kernels become the same code.

use situ_ir::{BinaryOperator, Literal, Span, WorkItemQuery};

use crate::infer::calls::Written;
use crate::infer::expressions::member_value;
use crate::infer::library::IndexClass;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Static, Value};
use crate::infer::{Inference, problems};
use crate::syntax::{Constant, Identifier};
use crate::typed::{Expression, ExpressionKind};

impl Inference<'_, '_, '_> {
    /// A member of an index object or a group.
    pub(super) fn index_member(
        &mut self,
        owner: &Value,
        attribute: &Identifier,
        span: Span,
    ) -> Value {
        let (class, dims) = match owner {
            Value::Static(Static::Item(item)) if item.has_groups => (IndexClass::NdItem, item.dims),
            Value::Static(Static::Item(item)) => (IndexClass::Item, item.dims),
            Value::Static(Static::Group(dims)) => (IndexClass::Group, *dims),
            _ => (IndexClass::SubGroup, 1),
        };
        let name = attribute.name.as_str();
        let leader = match class {
            IndexClass::Group => Some(WorkItemQuery::LocalLinearId),
            IndexClass::SubGroup => Some(WorkItemQuery::SubGroupLocalId),
            IndexClass::Item | IndexClass::NdItem => None,
        };
        match (name, leader) {
            ("dimensions", _) => Value::Constant(Constant::Int(i128::from(dims))),
            ("leader", Some(query)) => Value::Scalar(is_first(query, span)),
            _ => {
                if let Some(member) = class.method(name) {
                    return member_value(member);
                }
                self.report(unknown_member(owner, class, attribute));
                Value::Unknown
            }
        }
    }

    /// `item.get_group()`.
    pub(super) fn group_of_item(&mut self, call: Written<'_>) -> Value {
        if !self.check_count(call, 0, 0) {
            return Value::Unknown;
        }
        // Without an index object, what is asked about the group decides the dimensions.
        let dims = self.item_dims.or(self.program.options.dims);
        Value::Static(Static::Group(dims.unwrap_or(1)))
    }

    /// `item.get_sub_group()`.
    pub(super) fn sub_group_of_item(&mut self, call: Written<'_>) -> Value {
        if !self.check_count(call, 0, 0) {
            return Value::Unknown;
        }
        Value::Static(Static::SubGroup)
    }
}

/// Whether an id is 0.
fn is_first(query: WorkItemQuery, span: Span) -> Expression {
    let id = Expression::new(ExpressionKind::WorkItem(query), situ_ir::DType::I64, span);
    let zero = Expression::literal(Literal::I64(0), span);
    ir_binary(BinaryOperator::Equal, id, zero, span)
}

fn unknown_member(owner: &Value, class: IndexClass, attribute: &Identifier) -> situ_ir::Diagnostic {
    let needs_groups =
        class == IndexClass::Item && IndexClass::NdItem.method(&attribute.name).is_some();
    if needs_groups {
        return problems::item_without_groups(attribute);
    }
    let names: Vec<_> = class.method_names().chain(["dimensions"]).collect();
    problems::unknown_attribute(&owner.describe(), attribute, &names)
}
