//! How tightly C operators bind, and the fewest parentheses that keep a text's meaning clear.

/// From loosest to tightest, as in the C grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    Conditional,
    LogicalOr,
    LogicalAnd,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    Unary,
    Primary,
}

impl Precedence {
    /// Whether readers know by heart how this binds among other operators.
    fn is_arithmetic(self) -> bool {
        matches!(self, Self::Additive | Self::Multiplicative)
    }

    fn is_comparison(self) -> bool {
        matches!(self, Self::Equality | Self::Relational)
    }
}

/// A piece of C and how tightly its outermost operator binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) text: String,
    pub(super) precedence: Precedence,
}

impl Term {
    pub(super) fn new(text: impl Into<String>, precedence: Precedence) -> Self {
        Self {
            text: text.into(),
            precedence,
        }
    }

    /// A name, call, element or anything else that no operator can tear apart.
    pub(super) fn primary(text: impl Into<String>) -> Self {
        Self::new(text, Precedence::Primary)
    }

    /// `left operator right`.
    pub(super) fn binary(
        left: &Self,
        operator: &str,
        right: &Self,
        precedence: Precedence,
    ) -> Self {
        let left = left.as_operand(precedence, false);
        let right = right.as_operand(precedence, true);
        Self::new(format!("{left} {operator} {right}"), precedence)
    }

    /// `operator operand`, also for casts.
    pub(super) fn prefix(operator: &str, operand: &Self) -> Self {
        // `--x` is another operator, and so would `- -x` be without the space.
        let collides = operator.ends_with('-') && operand.text.starts_with('-');
        let operand = if operand.precedence < Precedence::Unary || collides {
            format!("({})", operand.text)
        } else {
            operand.text.clone()
        };
        Self::new(format!("{operator}{operand}"), Precedence::Unary)
    }

    /// The operand of a postfix operator (call, element, member).
    pub(super) fn as_primary(&self) -> String {
        if self.precedence < Precedence::Primary {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }

    /// The operand of a binary operator, in parentheses where C or a reader needs them.
    fn as_operand(&self, outer: Precedence, is_right: bool) -> String {
        let inner = self.precedence;
        let needed = inner < outer || (inner == outer && is_right);
        // Arithmetic in comparisons and comparisons in logic are clear. Other mixtures are what
        // compilers warn about.
        let negates_left = outer.is_comparison() && self.text.starts_with('!');
        let clear = inner >= Precedence::Unary && !negates_left
            || inner == outer
            || inner.is_arithmetic() && (outer.is_arithmetic() || outer.is_comparison())
            || inner.is_comparison()
                && matches!(outer, Precedence::LogicalAnd | Precedence::LogicalOr)
            || inner >= Precedence::BitOr && outer == Precedence::Conditional;
        if needed || !clear {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }

    /// `condition ? accept : reject`.
    pub(super) fn conditional(condition: &Self, accept: &Self, reject: &Self) -> Self {
        let part = |term: &Self| {
            if term.precedence <= Precedence::LogicalAnd {
                format!("({})", term.text)
            } else {
                term.text.clone()
            }
        };
        let text = format!("{} ? {} : {}", part(condition), part(accept), part(reject));
        Self::new(text, Precedence::Conditional)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(left: &Term, operator: &str, right: &Term, precedence: Precedence) -> Term {
        Term::binary(left, operator, right, precedence)
    }

    #[test]
    fn the_right_operand_of_an_equal_operator_is_in_parentheses() {
        let [a, b, c] = ["a", "b", "c"].map(Term::primary);
        let sum = binary(&a, "+", &b, Precedence::Additive);
        let left = binary(&sum, "-", &c, Precedence::Additive);
        let right = binary(&c, "-", &sum, Precedence::Additive);
        assert_eq!(left.text, "a + b - c");
        assert_eq!(right.text, "c - (a + b)");
    }

    #[test]
    fn unusual_mixtures_are_in_parentheses() {
        let [a, b, c] = ["a", "b", "c"].map(Term::primary);
        let sum = binary(&a, "+", &b, Precedence::Additive);
        let shift = binary(&sum, "<<", &c, Precedence::Shift);
        assert_eq!(shift.text, "(a + b) << c");
        let less = binary(&sum, "<", &c, Precedence::Relational);
        assert_eq!(less.text, "a + b < c");
        let both = binary(&less, "&&", &a, Precedence::LogicalAnd);
        let either = binary(&both, "||", &less, Precedence::LogicalOr);
        assert_eq!(either.text, "(a + b < c && a) || a + b < c");
    }

    #[test]
    fn a_negated_operand_of_a_comparison_is_in_parentheses() {
        let [a, b] = ["a", "b"].map(Term::primary);
        let negated = Term::prefix("!", &a);
        let equal = binary(&negated, "==", &b, Precedence::Equality);
        assert_eq!(equal.text, "(!a) == b");
    }

    #[test]
    fn two_minus_signs_never_touch() {
        let negative = Term::new("-1", Precedence::Unary);
        assert_eq!(Term::prefix("-", &negative).text, "-(-1)");
        assert_eq!(Term::prefix("(int)-", &negative).text, "(int)-(-1)");
        assert_eq!(Term::prefix("(int)", &negative).text, "(int)-1");
    }
}
