//! An expression as text, in the forms that the places it can be written to want.

use situ_ir::DType;

use super::precedence::Term;
use super::types::scalar;

/// An expression in C, in the forms that its users may choose from.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// Of exactly the C type of the dtype.
    pub(super) exact: Term,
    /// Shorter, for places that convert to the type: initialisers, assignments, stores.
    pub(super) converting: Option<Term>,
    /// Of the unsigned type of the same width: wrap-around arithmetic can go on in it.
    pub(super) unsigned: Option<Term>,
    /// The same number in the simplest notation, perhaps of another integer type: for constants and
    /// answers about the work-item, in places where C finds the type from the other operand.
    pub(super) plain: Option<Term>,
    /// How many expressions are nested in it.
    pub(super) depth: u32,
}

impl Written {
    /// An expression with one form.
    pub(super) fn new(exact: Term) -> Self {
        Self {
            exact,
            converting: None,
            unsigned: None,
            plain: None,
            depth: 0,
        }
    }

    /// `text` brought to the type of `dtype` by a cast, which a conversion makes superfluous.
    pub(super) fn cast(dtype: DType, text: Term) -> Self {
        Self {
            exact: Term::prefix(&format!("({})", scalar(dtype)), &text),
            converting: Some(text),
            unsigned: None,
            plain: None,
            depth: 0,
        }
    }

    /// A result of wrap-around arithmetic in the unsigned type.
    pub(super) fn wrapping(dtype: DType, text: Term) -> Self {
        Self {
            unsigned: Some(text.clone()),
            ..Self::cast(dtype, text)
        }
    }

    /// A name of exactly the right type.
    pub(super) fn name(name: &str) -> Self {
        Self::new(Term::primary(name))
    }

    /// The text for a place that wants the type itself.
    pub(super) fn exact(&self) -> &str {
        &self.exact.text
    }

    /// The text for a place that converts to the type.
    pub(super) fn converting(&self) -> &str {
        &self.converting.as_ref().unwrap_or(&self.exact).text
    }

    /// The text for a place where any integer type will do.
    pub(super) fn plain(&self) -> &Term {
        self.plain.as_ref().unwrap_or(&self.exact)
    }

    /// The text as the operand of a postfix operator.
    pub(super) fn as_primary(&self) -> String {
        self.exact.as_primary()
    }

    /// The text as the operand of `!`.
    pub(super) fn negated(&self) -> String {
        Term::prefix("!", &self.exact).text
    }
}
