//! Which kernels take an index object.
//!
//! A launch gives a work-item its place in the range in one of two ways: the kernel asks for it
//! (`situ.get_global_id(0)`), or it has a first parameter for it (`def f(item, a, b)`), for which no
//! argument is passed. Which of them a kernel is written for is told by its source alone: the first
//! parameter is annotated as `Item` or `NdItem`, or the body uses a member of those classes on it.

use situ_ir::Source;

use crate::infer::assigned::for_each_expression;
use crate::infer::library;
use crate::parse::read_function;
use crate::plan::ItemType;
use crate::syntax::{Expression, ExpressionKind, Function};

/// What a kernel's first parameter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemParameter {
    /// An argument like all others.
    None,
    /// The index object of whichever range the kernel is launched over.
    Any,
    /// An `Item`: the kernel is launched over a range.
    Item,
    /// An `NdItem`: the kernel is launched over a range in work-groups.
    NdItem,
}

impl ItemParameter {
    /// How many parameters no argument is passed for.
    pub fn count(self) -> usize {
        usize::from(self != Self::None)
    }

    /// Whether the index object of a launch is the one that is asked for.
    pub fn accepts(self, item: ItemType) -> bool {
        match self {
            Self::None => false,
            Self::Any => true,
            Self::Item => !item.has_groups,
            Self::NdItem => item.has_groups,
        }
    }
}

/// What the first parameter of the function called `name` is for; `None` too if the source cannot be
/// read, which compiling it will explain.
pub fn item_parameter(source: &Source, name: &str) -> ItemParameter {
    // A function that cannot be compiled can still be simulated, so what is refused does not matter.
    let Ok((function, _)) = read_function(source, name) else {
        return ItemParameter::None;
    };
    match function.first_annotation.as_deref() {
        Some("Item") => ItemParameter::Item,
        Some("NdItem") => ItemParameter::NdItem,
        None if uses_item(&function) => ItemParameter::Any,
        _ => ItemParameter::None,
    }
}

/// Whether the body uses a member of an index object on the first parameter.
fn uses_item(function: &Function) -> bool {
    let Some(first) = function.parameters.first() else {
        return false;
    };
    let mut found = false;
    for_each_expression(&function.body, &mut |expression: &Expression| {
        if let ExpressionKind::Attribute { value, attribute } = &expression.kind
            && let ExpressionKind::Name(name) = &value.kind
        {
            found |= *name == first.name && library::is_item_member(&attribute.name);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ItemParameter {
        item_parameter(&Source::new("kernel.py", text), "f")
    }

    #[test]
    fn an_annotation_says_which_item() {
        assert_eq!(read("def f(item: Item, a): pass"), ItemParameter::Item);
        assert_eq!(
            read("def f(item: situ.kernel_api.NdItem, a): pass"),
            ItemParameter::NdItem
        );
        assert_eq!(
            read("def f(item: 'kernel_api.NdItem', a): pass"),
            ItemParameter::NdItem
        );
        assert_eq!(read("def f(a: int, b): a.get_id(0)"), ItemParameter::None);
    }

    #[test]
    fn the_use_of_a_member_says_so_too() {
        let text = "def f(it, a):\n    if a[0]:\n        a[0] = it.get_id(0)\n";
        assert_eq!(read(text), ItemParameter::Any);
        assert_eq!(
            read("def f(a):\n    a[situ.get_global_id(0)] = 1"),
            ItemParameter::None
        );
        assert_eq!(read("def f(a):\n    a[0] = a.size"), ItemParameter::None);
    }

    #[test]
    fn what_cannot_be_read_takes_none() {
        assert_eq!(read("def f(item: Item: pass"), ItemParameter::None);
    }
}
