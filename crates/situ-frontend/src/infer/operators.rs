//! Operators between numbers.

use situ_ir::promotion;
use situ_ir::{BinaryOperator as Ir, DType, Literal, MathFunction, Span, UnaryOperator as IrUnary};

use crate::infer::elements::Operation;
use crate::infer::expressions::{cast, negated};
use crate::infer::value::{Number, Static, Value};
use crate::infer::{Inference, constants, problems};
use crate::syntax::{self, BinaryOperator, ComparisonOperator, Constant, UnaryOperator};
use crate::typed::{Expression, ExpressionKind};

impl Inference<'_, '_, '_> {
    pub(super) fn unary_expression(
        &mut self,
        operator: UnaryOperator,
        operand: &syntax::Expression,
        span: Span,
    ) -> Value {
        if self.writes_out_arrays() && operator != UnaryOperator::Not {
            let value = self.value(operand);
            if self.is_array(&value) {
                return self.elementwise(Operation::Unary(operator), vec![value], span);
            }
            let number = self.as_number(value, operand.span);
            let number = number.and_then(|number| self.unary(operator, number, span));
            return number.map_or(Value::Unknown, Value::from);
        }
        let number = if operator == UnaryOperator::Not {
            self.condition(operand)
                .map(|condition| super::expressions::negated(condition, span))
        } else {
            let operand = self.number(operand);
            operand.and_then(|operand| self.unary(operator, operand, span))
        };
        number.map_or(Value::Unknown, Value::from)
    }

    /// `operator operand`.
    pub(super) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: Number,
        span: Span,
    ) -> Option<Number> {
        let operand = match operand {
            Number::Constant(constant) => {
                let folded = constants::unary(operator, constant).map(Number::Constant);
                if folded.is_none() {
                    let found = Number::Constant(constant).describe();
                    self.report(problems::unary_operands(operator.symbol(), &found, span));
                }
                return folded;
            }
            Number::Typed(operand) => operand,
        };
        // As in Python, arithmetic on a bool is arithmetic on 0 and 1.
        let operand = match operator {
            UnaryOperator::Negate | UnaryOperator::Plus if operand.dtype.is_bool() => {
                cast(operand, DType::I64)
            }
            _ => operand,
        };
        let operator = match operator {
            UnaryOperator::Plus => return Some(Number::Typed(operand)),
            UnaryOperator::Negate => IrUnary::Negate,
            UnaryOperator::Invert if operand.dtype.is_float() || operand.dtype.is_complex() => {
                let found = Number::Typed(operand).describe();
                self.report(problems::unary_operands("~", &found, span));
                return None;
            }
            UnaryOperator::Invert | UnaryOperator::Not => IrUnary::Not,
        };
        Some(Number::Typed(ir_unary(operator, operand, span)))
    }

    /// `left operator right`.
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Number,
        right: Number,
        span: Span,
    ) -> Option<Number> {
        if let (Some(x), Some(y)) = (left.constant(), right.constant()) {
            let folded = constants::binary(operator, x, y).map(Number::Constant);
            if folded.is_none() {
                self.report(problems::constant_operands(operator.symbol(), x, y, span));
            }
            return folded;
        }
        if operator == BinaryOperator::Power {
            return self.power(left, right, span);
        }
        let common = self.common_dtype(&left, &right);
        let Some((ir, dtype)) = self.operation(operator, common) else {
            let (left, right) = (left.describe(), right.describe());
            let symbol = operator.symbol();
            self.report(problems::binary_operands(
                symbol, &left, &right, common, span,
            ));
            return None;
        };
        self.ir_binary(ir, left, right, dtype, span)
    }

    /// The IR operator and the dtype it works in, or `None` if the dtype has no such operator.
    fn operation(&self, operator: BinaryOperator, common: DType) -> Option<(Ir, DType)> {
        // As in Python, arithmetic on two bools is arithmetic on 0 and 1.
        let number = if common.is_bool() { DType::I64 } else { common };
        let is_real = !common.is_complex();
        let is_bits = common.is_integer() || common.is_bool();
        Some(match operator {
            BinaryOperator::Add => (Ir::Add, number),
            BinaryOperator::Subtract => (Ir::Subtract, number),
            BinaryOperator::Multiply => (Ir::Multiply, number),
            BinaryOperator::Divide if is_bits => (Ir::Divide, self.default_float()),
            BinaryOperator::Divide => (Ir::Divide, common),
            BinaryOperator::FloorDivide if is_real => (Ir::FloorDivide, number),
            BinaryOperator::Modulo if is_real => (Ir::Modulo, number),
            BinaryOperator::ShiftLeft if is_bits => (Ir::ShiftLeft, number),
            BinaryOperator::ShiftRight if is_bits => (Ir::ShiftRight, number),
            BinaryOperator::BitAnd if is_bits => (Ir::BitAnd, common),
            BinaryOperator::BitOr if is_bits => (Ir::BitOr, common),
            BinaryOperator::BitXor if is_bits => (Ir::BitXor, common),
            BinaryOperator::Power => (Ir::Power, number),
            _ => return None,
        })
    }

    /// An IR operator on two numbers converted to a dtype.
    pub(super) fn ir_binary(
        &mut self,
        operator: Ir,
        left: Number,
        right: Number,
        dtype: DType,
        span: Span,
    ) -> Option<Number> {
        let left = self.convert(left, dtype, span);
        let right = self.convert(right, dtype, span);
        Some(Number::Typed(ir_binary(operator, left?, right?, span)))
    }

    /// `base ** exponent`.
    ///
    /// An integer to a negative constant is a float, as in Python; to a negative number known only
    /// at run time it is 0 or ±1, since the dtype cannot depend on a value. A square is a product,
    /// exactly as NumPy computes it.
    fn power(&mut self, base: Number, exponent: Number, span: Span) -> Option<Number> {
        let common = self.common_dtype(&base, &exponent);
        let constant = exponent.constant().and_then(constants::as_int);
        let mut dtype = if common.is_bool() { DType::I64 } else { common };
        if dtype.is_integer() && constant.is_some_and(|exponent| exponent < 0) {
            dtype = self.default_float();
        }
        if constant == Some(2) {
            let base = self.convert(base, dtype, span)?;
            return Some(Number::Typed(self.square(base, span)));
        }
        self.ir_binary(Ir::Power, base, exponent, dtype, span)
    }

    /// `operand * operand`, evaluated once.
    pub(super) fn square(&mut self, operand: Expression, span: Span) -> Expression {
        self.with_shared(operand, |_, x| ir_binary(Ir::Multiply, x.clone(), x, span))
    }

    /// `x.dtype == np.float32`, and `!=`: known when compiling, so that a branch on it is decided then.
    pub(super) fn dtype_comparison(
        &mut self,
        first: &syntax::Expression,
        rest: &[(ComparisonOperator, syntax::Expression)],
    ) -> Option<bool> {
        let [(operator, second)] = rest else {
            return None;
        };
        let wants_same = match operator {
            ComparisonOperator::Equal => true,
            ComparisonOperator::NotEqual => false,
            _ => return None,
        };
        // Only what is quickly looked up is asked, since other operands are looked up again.
        let mut dtype_of = |expression: &syntax::Expression| {
            let is_name = matches!(
                expression.kind,
                syntax::ExpressionKind::Name(_) | syntax::ExpressionKind::Attribute { .. }
            );
            match is_name.then(|| self.silently(expression)) {
                Some(Value::Static(Static::DType(dtype))) => Some(dtype),
                _ => None,
            }
        };
        let (left, right) = (dtype_of(first)?, dtype_of(second)?);
        Some((left == right) == wants_same)
    }

    /// Whether a comparison begins with a tuple, as `a.shape == b.shape` does.
    pub(super) fn compares_tuples(
        &mut self,
        first: &syntax::Expression,
        rest: &[(ComparisonOperator, syntax::Expression)],
    ) -> bool {
        // Only what is quickly looked up is asked, since it is looked up again.
        let may_be_tuple = matches!(
            first.kind,
            syntax::ExpressionKind::Name(_)
                | syntax::ExpressionKind::Attribute { .. }
                | syntax::ExpressionKind::Tuple(_)
        );
        may_be_tuple && rest.len() == 1 && matches!(self.silently(first), Value::Tuple(_))
    }

    /// `first == second` and `first != second` of tuples: item by item. Tuples of different lengths differ.
    pub(super) fn tuple_comparison(
        &mut self,
        first: &syntax::Expression,
        rest: &[(ComparisonOperator, syntax::Expression)],
        span: Span,
    ) -> Option<Number> {
        let (operator, second) = rest.first()?;
        let (left, right) = (self.value(first), self.value(second));
        self.compared_tuples(*operator, left, right, span)
    }

    /// The same of values.
    pub(super) fn compared_tuples(
        &mut self,
        operator: ComparisonOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Option<Number> {
        let wants_same = match operator {
            ComparisonOperator::Equal => true,
            ComparisonOperator::NotEqual => false,
            _ => {
                self.report(problems::tuple_order(operator.symbol(), span));
                return None;
            }
        };
        let is_same = self.is_same_value(left, right, span)?;
        Some(if wants_same {
            is_same
        } else {
            negated(is_same, span)
        })
    }

    fn is_same_value(&mut self, left: Value, right: Value, span: Span) -> Option<Number> {
        let constant = |value| Some(Number::Constant(Constant::Bool(value)));
        let (left, right) = match (left, right) {
            (Value::Unknown, _) | (_, Value::Unknown) => return None,
            (Value::Tuple(left), Value::Tuple(right)) if left.len() == right.len() => (left, right),
            // Whatever has another length, or is no tuple, is something else.
            (Value::Tuple(_), _) | (_, Value::Tuple(_)) => return constant(false),
            (left, right) => {
                let numbers = (self.as_number(left, span)?, self.as_number(right, span)?);
                return self.compare(ComparisonOperator::Equal, numbers.0, numbers.1, span);
            }
        };
        let mut all = Number::Constant(Constant::Bool(true));
        for (left, right) in left.into_iter().zip(right).rev() {
            let is_same = self.is_same_value(left, right, span)?;
            all = both(is_same, all, span);
        }
        Some(all)
    }

    /// `first < second <= third …`: each operand is evaluated at most once, and none after the first
    /// comparison that fails.
    pub(super) fn comparison_chain(
        &mut self,
        first: &syntax::Expression,
        rest: &[(ComparisonOperator, syntax::Expression)],
        span: Span,
    ) -> Option<Number> {
        let reported = self.failure.own.len();
        let mut numbers = vec![self.number(first)];
        // Of something that is unknown because of an earlier mistake, nobody can say what it should be compared with.
        let is_unknown = numbers[0].is_none() && self.failure.own.len() == reported;
        for (_, operand) in rest {
            numbers.push(if is_unknown {
                self.value(operand);
                None
            } else {
                self.number(operand)
            });
        }
        let numbers: Option<Vec<_>> = numbers.into_iter().collect();
        let mut numbers = numbers?.into_iter();
        let mut left = numbers.next()?;
        let mut links = Vec::new();
        let mut shared = Vec::new();
        let last = rest.len() - 1;
        for (position, ((operator, _), right)) in rest.iter().zip(numbers).enumerate() {
            // Operands in the middle are compared twice.
            let (right, kept) = match right {
                Number::Typed(right) if position < last => {
                    let (reference, kept) = self.share(right);
                    (Number::Typed(reference), kept)
                }
                other => (other, None),
            };
            links.push(self.compare(*operator, left, right.clone(), span)?);
            shared.push(kept);
            left = right;
        }
        // From the last link back: each link guards what comes after it, and an operand is computed
        // before the first link that uses it.
        let mut chain: Option<Number> = None;
        for (link, kept) in links.into_iter().zip(shared).rev() {
            let joined = match chain {
                None => link,
                Some(rest) => both(link, rest, span),
            };
            chain = Some(match (kept, joined) {
                (Some((slot, value)), Number::Typed(body)) => {
                    let (value, body) = (Box::new(value), Box::new(body));
                    let kind = ExpressionKind::Let { slot, value, body };
                    Number::Typed(Expression::new(kind, DType::Bool, span))
                }
                (_, joined) => joined,
            });
        }
        chain
    }

    /// `item in container`: whether one of a tuple's numbers is equal to it.
    pub(super) fn membership(
        &mut self,
        item: &syntax::Expression,
        container: &syntax::Expression,
        is_negated: bool,
        span: Span,
    ) -> Option<Number> {
        let wanted = self.number(item);
        let candidates = match self.value(container) {
            Value::Tuple(candidates) => candidates,
            Value::Unknown => return None,
            other => {
                let problem = problems::membership(&other.describe(), container.span);
                self.report(problem);
                return None;
            }
        };
        let candidates: Vec<_> = candidates
            .into_iter()
            .map(|candidate| self.as_number(candidate, container.span))
            .collect();
        let candidates: Option<Vec<_>> = candidates.into_iter().collect();
        let (wanted, kept) = match wanted? {
            Number::Typed(wanted) => {
                let (reference, kept) = self.share(wanted);
                (Number::Typed(reference), kept)
            }
            constant @ Number::Constant(_) => (constant, None),
        };
        let mut is_absent = Number::Constant(Constant::Bool(true));
        for candidate in candidates?.into_iter().rev() {
            let operator = ComparisonOperator::NotEqual;
            let differs = self.compare(operator, wanted.clone(), candidate, span)?;
            is_absent = both(differs, is_absent, span);
        }
        let found = if is_negated {
            is_absent
        } else {
            negated(is_absent, span)
        };
        Some(match (kept, found) {
            (Some((slot, value)), Number::Typed(body)) => {
                let (value, body) = (Box::new(value), Box::new(body));
                let kind = ExpressionKind::Let { slot, value, body };
                Number::Typed(Expression::new(kind, DType::Bool, span))
            }
            (_, found) => found,
        })
    }

    /// `left operator right` as a `bool`.
    pub(super) fn compare(
        &mut self,
        operator: ComparisonOperator,
        left: Number,
        right: Number,
        span: Span,
    ) -> Option<Number> {
        if let (Some(x), Some(y)) = (left.constant(), right.constant()) {
            let folded = constants::compare(operator, x, y);
            if folded.is_none() {
                self.report(problems::constant_operands(operator.symbol(), x, y, span));
            }
            return folded.map(|value| Number::Constant(Constant::Bool(value)));
        }
        if let Some(decided) = decided_by_range(operator, &left, &right) {
            return Some(Number::Constant(Constant::Bool(decided)));
        }
        let common = self.common_dtype(&left, &right);
        let is_order = !matches!(
            operator,
            ComparisonOperator::Equal | ComparisonOperator::NotEqual
        );
        if is_order && common.is_complex() {
            let (left, right) = (left.describe(), right.describe());
            let symbol = operator.symbol();
            self.report(problems::binary_operands(
                symbol, &left, &right, common, span,
            ));
            return None;
        }
        if let (Number::Typed(x), Number::Typed(y)) = (&left, &right) {
            let (x, y) = (x.clone(), y.clone());
            match (x.dtype, y.dtype) {
                (signed, DType::U64) if signed.is_signed() => {
                    return Some(self.compare_signed_unsigned(operator, x, y, span));
                }
                (DType::U64, signed) if signed.is_signed() => {
                    let operator = mirrored(operator);
                    return Some(self.compare_signed_unsigned(operator, y, x, span));
                }
                _ => {}
            }
        }
        let dtype = if is_order && common.is_bool() {
            DType::I64
        } else {
            common
        };
        self.ir_binary(comparison(operator), left, right, dtype, span)
    }

    /// Compares a signed integer with a `uint64` exactly: they have no common integer dtype.
    fn compare_signed_unsigned(
        &mut self,
        operator: ComparisonOperator,
        signed: Expression,
        unsigned: Expression,
        span: Span,
    ) -> Number {
        let when_negative = matches!(
            operator,
            ComparisonOperator::Less | ComparisonOperator::LessEqual | ComparisonOperator::NotEqual
        );
        let compared = self.with_shared(unsigned, |this, unsigned| {
            this.with_shared(signed, |_, signed| {
                let zero = Expression::literal(Literal::zero(signed.dtype), span);
                let is_negative = ir_binary(Ir::Less, signed.clone(), zero, span);
                let as_unsigned = cast(signed, DType::U64);
                let otherwise = ir_binary(comparison(operator), as_unsigned, unsigned, span);
                let kind = ExpressionKind::Conditional {
                    condition: Box::new(is_negative),
                    accept: Box::new(Expression::literal(Literal::Bool(when_negative), span)),
                    reject: Box::new(otherwise),
                };
                Expression::new(kind, DType::Bool, span)
            })
        });
        Number::Typed(compared)
    }

    /// A function of floats or complex numbers.
    pub(super) fn math(
        &mut self,
        function: MathFunction,
        arguments: Vec<Number>,
        span: Span,
    ) -> Option<Number> {
        let dtype = self.float_dtype(&arguments);
        if function.result(dtype).is_none() {
            let found = super::value::with_article(dtype.name());
            self.report(problems::no_complex_function(function.name(), &found, span));
            return None;
        }
        let arguments: Option<Vec<_>> = arguments
            .into_iter()
            .map(|argument| self.convert(argument, dtype, span))
            .collect();
        let kind = ExpressionKind::Math {
            function,
            arguments: arguments?,
        };
        Some(Number::Typed(Expression::new(kind, dtype, span)))
    }

    /// The float or complex dtype that numbers are computed in.
    pub(super) fn float_dtype(&self, numbers: &[Number]) -> DType {
        let default_float = self.default_float();
        let typed = numbers.iter().filter(|number| number.constant().is_none());
        let typed = typed
            .map(|number| self.own_dtype(number))
            .reduce(|one, other| promotion::promote_for(one, other, default_float));
        let constants = numbers.iter().filter_map(Number::constant);
        let joined = constants.fold(typed, |so_far, constant| {
            Some(match so_far {
                None => constant.default_dtype(default_float),
                Some(dtype) => constant.promote_with(dtype, default_float),
            })
        });
        let dtype = joined.unwrap_or(default_float);
        if dtype.is_float() || dtype.is_complex() {
            dtype
        } else {
            self.default_float()
        }
    }
}

pub(super) fn ir_unary(operator: IrUnary, operand: Expression, span: Span) -> Expression {
    let dtype = operator.result(operand.dtype).unwrap_or(operand.dtype);
    let kind = ExpressionKind::Unary {
        operator,
        operand: Box::new(operand),
    };
    Expression::new(kind, dtype, span)
}

pub(super) fn ir_binary(
    operator: Ir,
    left: Expression,
    right: Expression,
    span: Span,
) -> Expression {
    let dtype = operator.result(left.dtype).unwrap_or(left.dtype);
    let kind = ExpressionKind::Binary {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    };
    Expression::new(kind, dtype, span)
}

/// Both of two conditions.
fn both(left: Number, right: Number, span: Span) -> Number {
    match (left, right) {
        (Number::Constant(constant), right) if constants::truth(constant) => right,
        (left @ Number::Constant(_), _) => left,
        (Number::Typed(left), Number::Constant(constant)) if constants::truth(constant) => {
            Number::Typed(left)
        }
        (Number::Typed(left), right @ Number::Constant(_)) if !left.has_effects() => right,
        (Number::Typed(left), right) => {
            let right = match right {
                Number::Typed(right) => right,
                Number::Constant(_) => Expression::literal(Literal::Bool(false), span),
            };
            let kind = ExpressionKind::Logical {
                is_and: true,
                left: Box::new(left),
                right: Box::new(right),
            };
            Number::Typed(Expression::new(kind, DType::Bool, span))
        }
    }
}

fn comparison(operator: ComparisonOperator) -> Ir {
    match operator {
        ComparisonOperator::Equal => Ir::Equal,
        ComparisonOperator::NotEqual => Ir::NotEqual,
        ComparisonOperator::Less => Ir::Less,
        ComparisonOperator::LessEqual => Ir::LessEqual,
        ComparisonOperator::Greater => Ir::Greater,
        ComparisonOperator::GreaterEqual => Ir::GreaterEqual,
    }
}

/// The operator with its operands exchanged.
fn mirrored(operator: ComparisonOperator) -> ComparisonOperator {
    match operator {
        ComparisonOperator::Less => ComparisonOperator::Greater,
        ComparisonOperator::LessEqual => ComparisonOperator::GreaterEqual,
        ComparisonOperator::Greater => ComparisonOperator::Less,
        ComparisonOperator::GreaterEqual => ComparisonOperator::LessEqual,
        same => same,
    }
}

/// The result of comparing an integer with a constant outside of its dtype's range, which is the
/// same for every value. NumPy compares such numbers exactly, too.
fn decided_by_range(operator: ComparisonOperator, left: &Number, right: &Number) -> Option<bool> {
    let (operator, typed, constant) = match (left, right) {
        (Number::Typed(typed), Number::Constant(Constant::Int(constant))) => {
            (operator, typed, *constant)
        }
        (Number::Constant(Constant::Int(constant)), Number::Typed(typed)) => {
            (mirrored(operator), typed, *constant)
        }
        _ => return None,
    };
    if !typed.dtype.is_integer()
        || typed.has_effects()
        || Constant::Int(constant).to_literal(typed.dtype).is_some()
    {
        return None;
    }
    let is_above = constant > 0;
    Some(match operator {
        ComparisonOperator::Equal => false,
        ComparisonOperator::NotEqual => true,
        ComparisonOperator::Less | ComparisonOperator::LessEqual => is_above,
        ComparisonOperator::Greater | ComparisonOperator::GreaterEqual => !is_above,
    })
}
