//! What library functions compute, in terms of operators.
//!
//! A function of Python follows Python (`min` keeps the first of equals, `round` halves to even,
//! `math.floor` gives an integer); a function of NumPy follows NumPy (`minimum` hands on NaN, `floor`
//! keeps the dtype). Integers given to a function of floats are converted to the default float dtype.

use situ_ir::promotion;
use situ_ir::{BinaryOperator as Ir, DType, Literal, MathFunction, Span, UnaryOperator as IrUnary};

use crate::infer::attributes::{conjugate, imaginary_part, real_part};
use crate::infer::calls::Written;
use crate::infer::elements::Operation;
use crate::infer::expressions::{cast, negated, truth};
use crate::infer::library::LibraryFunction;
use crate::infer::operators::{ir_binary, ir_unary};
use crate::infer::value::{LocalType, Number, Object, ObjectKind, Static, Value};
use crate::infer::{Inference, constants, problems};
use crate::syntax::{BinaryOperator, ComparisonOperator, Constant, UnaryOperator};
use crate::typed::{Expression, ExpressionKind};

impl Inference<'_, '_, '_> {
    /// A call of a library function.
    pub(super) fn library_call(&mut self, function: LibraryFunction, call: Written<'_>) -> Value {
        match function {
            LibraryFunction::Range => {
                self.report(problems::range_outside_for(call.span));
                Value::Unknown
            }
            LibraryFunction::NewPartials => self.new_partials(call).unwrap_or(Value::Unknown),
            LibraryFunction::Identity(identity) => {
                self.identity(identity, call).unwrap_or(Value::Unknown)
            }
            LibraryFunction::Len => self.len(call),
            LibraryFunction::Divmod => self.divmod(call),
            LibraryFunction::WorkItem(query) => self.work_item(query, call),
            LibraryFunction::LinearId(query) => self.linear_id(query, call),
            LibraryFunction::LinearSize(query) => self.linear_size(query, call),
            LibraryFunction::WorkDimensions => self.work_dimensions(call),
            LibraryFunction::GetGroup => self.group_of_item(call),
            LibraryFunction::GetSubGroup => self.sub_group_of_item(call),
            LibraryFunction::AtomicRef => self.atomic_ref(call),
            LibraryFunction::Collective(function) => self.collective(function, call),
            LibraryFunction::Barrier
            | LibraryFunction::GroupBarrier
            | LibraryFunction::AtomicFence
            | LibraryFunction::MemoryFence => {
                self.synchronise(function, call);
                Value::Nothing
            }
            LibraryFunction::NewArray(module) => self.new_array(module, call),
            LibraryFunction::Atomic(operation) => self.atomic_value(operation, call),
            LibraryFunction::Array(function) => self.array_call(function, None, call),
            numeric => {
                let (least, most) = arity(numeric);
                let numbers = if self.writes_out_arrays() && call.keywords.is_empty() {
                    let arguments = call.arguments.iter();
                    let values: Vec<_> = arguments.map(|argument| self.value(argument)).collect();
                    if values.iter().any(|value| self.is_array(value)) {
                        return self.elementwise(Operation::Call(numeric), values, call.span);
                    }
                    self.numbers_of_values(values, call, least, most)
                } else {
                    self.numbers(call, least, most)
                };
                let result = numbers.and_then(|numbers| self.numeric(numeric, numbers, call));
                result.map_or(Value::Unknown, Value::from)
            }
        }
    }

    /// A function from numbers to a number.
    pub(super) fn numeric(
        &mut self,
        function: LibraryFunction,
        numbers: Vec<Number>,
        call: Written<'_>,
    ) -> Option<Number> {
        let span = call.span;
        let mut arguments = numbers.clone().into_iter();
        let mut next = || arguments.next();
        match function {
            LibraryFunction::Min => self.fold_extremum(ComparisonOperator::Less, numbers, span),
            LibraryFunction::Max => self.fold_extremum(ComparisonOperator::Greater, numbers, span),
            LibraryFunction::Abs => abs(next()?, span),
            LibraryFunction::FloatAbs => {
                self.require_real(&numbers[0], call)?;
                let dtype = self.float_dtype(&numbers);
                let operand = self.convert(next()?, dtype, span)?;
                Some(Number::Typed(ir_unary(IrUnary::Abs, operand, span)))
            }
            LibraryFunction::Round => {
                let number = next()?;
                match next() {
                    Some(digits) => self.rounded_to_digits(number, &digits, call),
                    None => self.rounded_to_int(Some(MathFunction::Rint), number, call),
                }
            }
            LibraryFunction::RoundToDigits => {
                let number = next()?;
                let digits = next().unwrap_or(Number::Constant(Constant::Int(0)));
                self.rounded_to_digits(number, &digits, call)
            }
            LibraryFunction::MathToInt(rounding) => {
                self.rounded_to_int(Some(rounding), next()?, call)
            }
            LibraryFunction::Int => self.rounded_to_int(None, next()?, call),
            LibraryFunction::Float => {
                let number = next()?;
                self.require_real(&number, call)?;
                if let Some(value) = number.constant().and_then(constants::as_float) {
                    Some(Number::Constant(Constant::Float(value)))
                } else {
                    let dtype = self.default_float();
                    self.convert(number, dtype, span).map(Number::Typed)
                }
            }
            LibraryFunction::Bool => Some(truth(next()?)),
            LibraryFunction::Complex => self.complex(next()?, next(), call),
            LibraryFunction::Pow => self.binary(BinaryOperator::Power, next()?, next()?, span),
            LibraryFunction::FloatPow => {
                for number in &numbers {
                    self.require_real(number, call)?;
                }
                let dtype = self.float_dtype(&numbers);
                self.ir_binary(Ir::Power, next()?, next()?, dtype, span)
            }
            LibraryFunction::Math(function) => self.math(function, numbers, span),
            LibraryFunction::NumPyMath(function) => self.numpy_math(function, numbers, span),
            LibraryFunction::Logarithm => {
                let value = self.math(MathFunction::Log, vec![next()?], span)?;
                match next() {
                    None => Some(value),
                    Some(base) => {
                        let base = self.math(MathFunction::Log, vec![base], span)?;
                        self.binary(BinaryOperator::Divide, value, base, span)
                    }
                }
            }
            LibraryFunction::ComplexMath(function) => {
                let argument = self.as_complex(next()?, span)?;
                self.math(function, vec![argument], span)
            }
            LibraryFunction::ComplexLogarithm => {
                let argument = self.as_complex(next()?, span)?;
                let value = self.math(MathFunction::Log, vec![argument], span)?;
                match next() {
                    None => Some(value),
                    Some(base) => {
                        let base = self.as_complex(base, span)?;
                        let base = self.math(MathFunction::Log, vec![base], span)?;
                        self.binary(BinaryOperator::Divide, value, base, span)
                    }
                }
            }
            LibraryFunction::Hypot => {
                let mut length = next()?;
                let mut is_first = true;
                for component in numbers.into_iter().skip(1) {
                    length = self.math(MathFunction::Hypot, vec![length, component], span)?;
                    is_first = false;
                }
                if is_first {
                    let zero = Number::Constant(Constant::Float(0.0));
                    length = self.math(MathFunction::Hypot, vec![length, zero], span)?;
                }
                Some(length)
            }
            LibraryFunction::FloatTest(operator) => self.float_test(operator, next()?, call),
            LibraryFunction::Scale(factor) => {
                self.require_real(&numbers[0], call)?;
                let dtype = self.float_dtype(&numbers);
                let factor = Number::Constant(Constant::Float(factor));
                self.ir_binary(Ir::Multiply, next()?, factor, dtype, span)
            }
            LibraryFunction::Square => {
                let two = Number::Constant(Constant::Int(2));
                self.binary(BinaryOperator::Power, next()?, two, span)
            }
            LibraryFunction::Reciprocal => self.reciprocal(next()?, span),
            LibraryFunction::Sign => self.sign(next()?, span),
            LibraryFunction::Clip => {
                let (value, low, high) = (next()?, next()?, next()?);
                let raised = self.numpy_extremum(Ir::Maximum, value, low, span)?;
                self.numpy_extremum(Ir::Minimum, raised, high, span)
            }
            LibraryFunction::Where => {
                let (condition, accept, reject) = (truth(next()?), next()?, next()?);
                match condition {
                    Number::Constant(chosen) if constants::truth(chosen) => Some(accept),
                    Number::Constant(_) => Some(reject),
                    Number::Typed(condition) => self.choose(condition, accept, reject, span),
                }
            }
            LibraryFunction::Negative => self.unary(UnaryOperator::Negate, next()?, span),
            LibraryFunction::Positive => self.unary(UnaryOperator::Plus, next()?, span),
            LibraryFunction::Invert => self.unary(UnaryOperator::Invert, next()?, span),
            LibraryFunction::LogicalNot => Some(negated(truth(next()?), span)),
            LibraryFunction::LogicalAnd => self.bool_binary(Ir::BitAnd, next()?, next()?, span),
            LibraryFunction::LogicalOr => self.bool_binary(Ir::BitOr, next()?, next()?, span),
            LibraryFunction::LogicalXor => self.bool_binary(Ir::BitXor, next()?, next()?, span),
            LibraryFunction::Minimum => self.numpy_extremum(Ir::Minimum, next()?, next()?, span),
            LibraryFunction::Maximum => self.numpy_extremum(Ir::Maximum, next()?, next()?, span),
            LibraryFunction::Real => Some(real_part(next()?, span)),
            LibraryFunction::Imaginary => Some(imaginary_part(next()?, span)),
            LibraryFunction::Conjugate => Some(conjugate(next()?, span)),
            LibraryFunction::Binary(operator) => self.binary(operator, next()?, next()?, span),
            LibraryFunction::Compare(operator) => self.compare(operator, next()?, next()?, span),
            // These take more than numbers and are handled by the caller.
            LibraryFunction::Range
            | LibraryFunction::Parallel
            | LibraryFunction::NewPartials
            | LibraryFunction::Identity(_)
            | LibraryFunction::Len
            | LibraryFunction::Divmod
            | LibraryFunction::WorkItem(_)
            | LibraryFunction::LinearId(_)
            | LibraryFunction::LinearSize(_)
            | LibraryFunction::WorkDimensions
            | LibraryFunction::GetGroup
            | LibraryFunction::GetSubGroup
            | LibraryFunction::Barrier
            | LibraryFunction::GroupBarrier
            | LibraryFunction::AtomicFence
            | LibraryFunction::MemoryFence
            | LibraryFunction::AtomicRef
            | LibraryFunction::Collective(_)
            | LibraryFunction::NewArray(_)
            | LibraryFunction::Array(_)
            | LibraryFunction::Atomic(_) => None,
        }
    }

    fn len(&mut self, call: Written<'_>) -> Value {
        if !self.check_count(call, 1, 1) {
            return Value::Unknown;
        }
        let argument = &call.arguments[0];
        match self.value(argument) {
            Value::Static(Static::Array(array)) if self.array(array).ndim > 0 => {
                Value::Scalar(self.shape(array, 0, call.span))
            }
            Value::Tuple(items) => Value::Constant(Constant::Int(items.len() as i128)),
            Value::Call {
                result: LocalType::Tuple(items),
                ..
            } => Value::Constant(Constant::Int(items.len() as i128)),
            Value::Object(
                object @ Object {
                    kind: ObjectKind::View { .. },
                    ..
                },
            ) => match Self::region(&object).and_then(|region| region.shape.into_iter().next()) {
                Some(size) => Value::Scalar(size),
                None => Value::Unknown,
            },
            Value::Unknown => Value::Unknown,
            other => {
                self.report(problems::no_length(&other.describe(), argument.span));
                Value::Unknown
            }
        }
    }

    fn divmod(&mut self, call: Written<'_>) -> Value {
        let Some(numbers) = self.numbers(call, 2, 2) else {
            return Value::Unknown;
        };
        // Both results contain both arguments, so those must not do anything but compute.
        let has_effects = numbers
            .iter()
            .any(|number| matches!(number, Number::Typed(typed) if typed.has_effects()));
        if has_effects {
            self.report(problems::effect_in_divmod(call.span));
            return Value::Unknown;
        }
        let [left, right] = <[Number; 2]>::try_from(numbers).expect("two arguments were counted");
        let quotient = self.binary(
            BinaryOperator::FloorDivide,
            left.clone(),
            right.clone(),
            call.span,
        );
        let Some(quotient) = quotient else {
            return Value::Unknown;
        };
        match self.binary(BinaryOperator::Modulo, left, right, call.span) {
            Some(remainder) => Value::Tuple(vec![quotient.into(), remainder.into()]),
            None => Value::Unknown,
        }
    }

    /// Python's `min` (`Less`) and `max` (`Greater`): the first of equals.
    fn fold_extremum(
        &mut self,
        better: ComparisonOperator,
        numbers: Vec<Number>,
        span: Span,
    ) -> Option<Number> {
        let mut numbers = numbers.into_iter();
        let mut best = numbers.next()?;
        for next in numbers {
            best = self.extremum(better, best, next, span)?;
        }
        Some(best)
    }

    fn extremum(
        &mut self,
        better: ComparisonOperator,
        best: Number,
        next: Number,
        span: Span,
    ) -> Option<Number> {
        if let (Some(x), Some(y)) = (best.constant(), next.constant()) {
            let is_better = constants::compare(better, y, x);
            if is_better.is_none() {
                self.report(problems::constant_operands(better.symbol(), y, x, span));
            }
            return is_better.map(|is_better| if is_better { next } else { best });
        }
        let dtype = self.common_dtype(&best, &next);
        let best = self.convert(best, dtype, span)?;
        let next = self.convert(next, dtype, span)?;
        if dtype.is_complex() {
            self.report(problems::no_order(better, dtype, span));
            return None;
        }
        let operator = if better == ComparisonOperator::Less {
            Ir::Less
        } else {
            Ir::Greater
        };
        let chosen = self.with_shared(best, |this, best| {
            this.with_shared(next, |_, next| {
                // Booleans have no order of their own.
                let comparable = if dtype.is_bool() { DType::I64 } else { dtype };
                let (x, y) = (
                    cast(next.clone(), comparable),
                    cast(best.clone(), comparable),
                );
                let kind = ExpressionKind::Conditional {
                    condition: Box::new(ir_binary(operator, x, y, span)),
                    accept: Box::new(next),
                    reject: Box::new(best),
                };
                Expression::new(kind, dtype, span)
            })
        });
        Some(Number::Typed(chosen))
    }

    /// NumPy's `minimum` and `maximum`: NaN if either is NaN.
    pub(super) fn numpy_extremum(
        &mut self,
        operator: Ir,
        left: Number,
        right: Number,
        span: Span,
    ) -> Option<Number> {
        let dtype = self.common_dtype(&left, &right);
        if dtype.is_bool() {
            let logical = if operator == Ir::Minimum {
                Ir::BitAnd
            } else {
                Ir::BitOr
            };
            return self.ir_binary(logical, left, right, dtype, span);
        }
        if dtype.is_complex() {
            let (left, right) = (left.describe(), right.describe());
            let symbol = operator.name();
            self.report(problems::binary_operands(
                symbol, &left, &right, dtype, span,
            ));
            return None;
        }
        self.ir_binary(operator, left, right, dtype, span)
    }

    /// The integer that a number is rounded to; without a function, towards zero.
    fn rounded_to_int(
        &mut self,
        rounding: Option<MathFunction>,
        number: Number,
        call: Written<'_>,
    ) -> Option<Number> {
        self.require_real(&number, call)?;
        match number {
            Number::Constant(Constant::Float(value)) => {
                let rounded = match rounding {
                    Some(MathFunction::Rint) => value.round_ties_even(),
                    Some(MathFunction::Floor) => value.floor(),
                    Some(MathFunction::Ceil) => value.ceil(),
                    _ => value.trunc(),
                };
                if !rounded.is_finite() {
                    self.report(problems::no_integer(value, call.span));
                    return None;
                }
                Some(Number::Constant(Constant::Int(rounded as i128)))
            }
            Number::Constant(int) => Some(Number::Constant(Constant::Int(constants::as_int(int)?))),
            Number::Typed(value) if value.dtype.is_float() => {
                let rounded = match rounding {
                    Some(function) => self.math(function, vec![Number::Typed(value)], call.span)?,
                    None => Number::Typed(value),
                };
                self.convert(rounded, DType::I64, call.span)
                    .map(Number::Typed)
            }
            Number::Typed(value) if value.dtype == DType::U64 => Some(Number::Typed(value)),
            Number::Typed(value) => Some(Number::Typed(cast(value, DType::I64))),
        }
    }

    /// Refuses complex numbers.
    pub(super) fn require_real(&mut self, number: &Number, call: Written<'_>) -> Option<()> {
        if self.own_dtype(number).is_complex() {
            let found = number.describe();
            self.report(problems::no_complex_function(call.name, &found, call.span));
            return None;
        }
        Some(())
    }

    fn complex(
        &mut self,
        real: Number,
        imaginary: Option<Number>,
        call: Written<'_>,
    ) -> Option<Number> {
        let span = call.span;
        let Some(imaginary) = imaginary else {
            let dtype = promotion::complex_of(self.default_float());
            return self.convert(real, dtype, span).map(Number::Typed);
        };
        self.require_real(&real, call)?;
        self.require_real(&imaginary, call)?;
        if let (Some(real), Some(imaginary)) = (real.constant(), imaginary.constant()) {
            let parts = (constants::as_float(real)?, constants::as_float(imaginary)?);
            return Some(Number::Constant(Constant::Complex(parts.0, parts.1)));
        }
        let dtype = match self.float_dtype(&[real.clone(), imaginary.clone()]) {
            DType::F16 => DType::F32,
            dtype => dtype,
        };
        let real = self.convert(real, dtype, span)?;
        let imaginary = self.convert(imaginary, dtype, span)?;
        let kind = ExpressionKind::Complex {
            real: Box::new(real),
            imaginary: Box::new(imaginary),
        };
        let dtype = promotion::complex_of(dtype);
        Some(Number::Typed(Expression::new(kind, dtype, span)))
    }

    /// A number as a complex one, of the precision it has.
    fn as_complex(&mut self, number: Number, span: Span) -> Option<Number> {
        let own = self.own_dtype(&number);
        if own.is_complex() {
            return Some(number);
        }
        let real = match self.float_dtype(std::slice::from_ref(&number)) {
            DType::F16 => DType::F32,
            dtype => dtype,
        };
        let converted = self.convert(number, promotion::complex_of(real), span)?;
        Some(Number::Typed(converted))
    }

    /// `isnan` and the like.
    fn float_test(
        &mut self,
        operator: IrUnary,
        number: Number,
        call: Written<'_>,
    ) -> Option<Number> {
        let span = call.span;
        let typed = match number {
            Number::Constant(constant) => {
                return Some(Number::Constant(Constant::Bool(test_constant(
                    operator, constant,
                ))));
            }
            Number::Typed(typed) => typed,
        };
        if typed.dtype.is_float() {
            return Some(Number::Typed(ir_unary(operator, typed, span)));
        }
        if typed.dtype.is_complex() {
            if operator == IrUnary::SignBit {
                self.require_real(&Number::Typed(typed), call)?;
                return None;
            }
            let join = if operator == IrUnary::IsFinite {
                Ir::BitAnd
            } else {
                Ir::BitOr
            };
            let tested = self.with_shared(typed, |_, value| {
                let real = ir_unary(IrUnary::Real, value.clone(), span);
                let imaginary = ir_unary(IrUnary::Imaginary, value, span);
                let real = ir_unary(operator, real, span);
                ir_binary(join, real, ir_unary(operator, imaginary, span), span)
            });
            return Some(Number::Typed(tested));
        }
        // Integers are finite, and have a sign instead of a sign bit.
        if operator == IrUnary::SignBit && typed.dtype.is_signed() {
            let zero = Expression::literal(Literal::zero(typed.dtype), span);
            return Some(Number::Typed(ir_binary(Ir::Less, typed, zero, span)));
        }
        let answer = operator == IrUnary::IsFinite;
        Some(Number::Constant(Constant::Bool(answer)))
    }

    /// A logical operation on the truth of two numbers; both are evaluated.
    fn bool_binary(
        &mut self,
        operator: Ir,
        left: Number,
        right: Number,
        span: Span,
    ) -> Option<Number> {
        let (left, right) = (truth(left), truth(right));
        self.ir_binary(operator, left, right, DType::Bool, span)
    }
}

/// How many arguments a function from numbers to a number takes.
fn arity(function: LibraryFunction) -> (usize, usize) {
    match function {
        LibraryFunction::Min | LibraryFunction::Max => (2, usize::MAX),
        LibraryFunction::Hypot => (1, usize::MAX),
        LibraryFunction::Math(function)
        | LibraryFunction::NumPyMath(function)
        | LibraryFunction::MathToInt(function) => (function.arity(), function.arity()),
        LibraryFunction::Complex
        | LibraryFunction::Round
        | LibraryFunction::RoundToDigits
        | LibraryFunction::Logarithm
        | LibraryFunction::ComplexLogarithm => (1, 2),
        LibraryFunction::Pow
        | LibraryFunction::FloatPow
        | LibraryFunction::Divmod
        | LibraryFunction::LogicalAnd
        | LibraryFunction::LogicalOr
        | LibraryFunction::LogicalXor
        | LibraryFunction::Minimum
        | LibraryFunction::Maximum
        | LibraryFunction::Binary(_)
        | LibraryFunction::Compare(_) => (2, 2),
        LibraryFunction::Clip | LibraryFunction::Where => (3, 3),
        _ => (1, 1),
    }
}

fn test_constant(operator: IrUnary, constant: Constant) -> bool {
    let test = |value: f64| match operator {
        IrUnary::IsNan => value.is_nan(),
        IrUnary::IsInf => value.is_infinite(),
        IrUnary::IsFinite => value.is_finite(),
        _ => value.is_sign_negative(),
    };
    match constant {
        Constant::Complex(real, imaginary) if operator == IrUnary::IsFinite => {
            test(real) && test(imaginary)
        }
        Constant::Complex(real, imaginary) => test(real) || test(imaginary),
        real => test(constants::as_float(real).unwrap_or(0.0)),
    }
}

/// The magnitude of a number.
fn abs(number: Number, span: Span) -> Option<Number> {
    Some(match number {
        Number::Constant(Constant::Float(value)) => Number::Constant(Constant::Float(value.abs())),
        Number::Constant(Constant::Complex(real, imaginary)) => {
            Number::Constant(Constant::Float(real.hypot(imaginary)))
        }
        Number::Constant(int) => Number::Constant(Constant::Int(constants::as_int(int)?.abs())),
        Number::Typed(operand) if operand.dtype.is_bool() => {
            Number::Typed(cast(operand, DType::I64))
        }
        Number::Typed(operand) if operand.dtype.is_unsigned() => Number::Typed(operand),
        Number::Typed(operand) => Number::Typed(ir_unary(IrUnary::Abs, operand, span)),
    })
}
