//! The operations that elementary functions are made of, on `float64` and its bits.
//!
//! All of them are vector instructions with AVX2. Shifts that keep the sign and conversions between
//! integers and floats are not, and are not here.

use situ_ir::{DType, Literal};

use crate::llvm::code::Code;
use crate::llvm::types::LaneType;
use crate::llvm::writer::Operand;

/// Writes arithmetic on `float64` at the present number of lanes.
pub(super) struct Arithmetic<'c, 'm, 'o> {
    code: &'c mut Code<'m, 'o>,
}

impl<'c, 'm, 'o> Arithmetic<'c, 'm, 'o> {
    pub(super) fn new(code: &'c mut Code<'m, 'o>) -> Self {
        Self { code }
    }

    fn number(&self) -> LaneType {
        self.code.ty(DType::F64)
    }

    fn bits(&self) -> LaneType {
        self.code.ty(DType::U64)
    }

    /// A constant.
    pub(super) fn constant(&self, value: f64) -> Operand {
        self.code.constant(Literal::F64(value))
    }

    /// Constant bits.
    pub(super) fn constant_bits(&self, value: u64) -> Operand {
        self.code.constant(Literal::U64(value))
    }

    pub(super) fn add(&mut self, a: &Operand, b: &Operand) -> Operand {
        let operation = format!("fadd {}", self.number());
        self.code.binary(&operation, a, b)
    }

    pub(super) fn subtract(&mut self, a: &Operand, b: &Operand) -> Operand {
        let operation = format!("fsub {}", self.number());
        self.code.binary(&operation, a, b)
    }

    pub(super) fn multiply(&mut self, a: &Operand, b: &Operand) -> Operand {
        let operation = format!("fmul {}", self.number());
        self.code.binary(&operation, a, b)
    }

    pub(super) fn divide(&mut self, a: &Operand, b: &Operand) -> Operand {
        let operation = format!("fdiv {}", self.number());
        self.code.binary(&operation, a, b)
    }

    pub(super) fn negate(&mut self, a: &Operand) -> Operand {
        let ty = self.number();
        self.code.instruction(format_args!("fneg {ty} {a}"))
    }

    /// `a * b + c`, rounded once.
    pub(super) fn multiply_add(&mut self, a: &Operand, b: &Operand, c: &Operand) -> Operand {
        self.intrinsic("fma", &[a, b, c])
    }

    /// `a * b - c`, rounded once.
    pub(super) fn multiply_subtract(&mut self, a: &Operand, b: &Operand, c: &Operand) -> Operand {
        let c = self.negate(c);
        self.multiply_add(a, b, &c)
    }

    /// `c - a * b`, rounded once.
    pub(super) fn subtract_product(&mut self, a: &Operand, b: &Operand, c: &Operand) -> Operand {
        let a = self.negate(a);
        self.multiply_add(&a, b, c)
    }

    pub(super) fn absolute(&mut self, a: &Operand) -> Operand {
        self.intrinsic("fabs", &[a])
    }

    /// The nearest whole number, with ties to even ones.
    pub(super) fn round(&mut self, a: &Operand) -> Operand {
        self.intrinsic("rint", &[a])
    }

    fn intrinsic(&mut self, name: &str, arguments: &[&Operand]) -> Operand {
        let name = format!("llvm.{name}.{}", self.code.suffix(DType::F64));
        let ty = self.number();
        self.code.intrinsic(&name, ty, arguments)
    }

    /// Calls an intrinsic of a processor that gives `float64`.
    pub(super) fn instruction(&mut self, name: &str, types: &str, arguments: &str) -> Operand {
        let ty = self.number();
        self.code.library.intrinsic(name, &ty.to_string(), types);
        self.code
            .instruction(format_args!("call {ty} @{name}({arguments})"))
    }

    /// `coefficients[0] + coefficients[1] x + ...`, given the square of `x`.
    ///
    /// Even and odd powers are summed apart: a chain half as long, for one operation more.
    pub(super) fn polynomial(
        &mut self,
        x: &Operand,
        square: &Operand,
        coefficients: &[f64],
    ) -> Operand {
        let [even, odd] = [0, 1].map(|first| {
            let mut powers = coefficients.iter().skip(first).step_by(2).rev();
            let highest = powers
                .next()
                .expect("a polynomial has two coefficients or more");
            powers.fold(self.constant(*highest), |sum, coefficient| {
                let coefficient = self.constant(*coefficient);
                self.multiply_add(square, &sum, &coefficient)
            })
        });
        self.multiply_add(x, &odd, &even)
    }

    /// The same, where every two neighbours are put together first, then every two of these, and so on: the shortest
    /// chain, for a few multiplications more.
    pub(super) fn polynomial_by_pairs(
        &mut self,
        x: &Operand,
        square: &Operand,
        coefficients: &[f64],
    ) -> Operand {
        let mut terms: Vec<_> = coefficients.iter().map(|x| self.constant(*x)).collect();
        let mut power = x.clone();
        let mut next = Some(square.clone());
        while terms.len() > 1 {
            terms = terms
                .chunks(2)
                .map(|pair| match pair {
                    [low, high] => self.multiply_add(&power, high, low),
                    rest => rest[0].clone(),
                })
                .collect();
            if terms.len() > 1 {
                power = next.take().unwrap_or_else(|| self.multiply(&power, &power));
            }
        }
        terms.remove(0)
    }

    /// The bits of a number.
    pub(super) fn bits_of(&mut self, a: &Operand) -> Operand {
        let (from, to) = (self.number(), self.bits());
        self.code
            .instruction(format_args!("bitcast {from} {a} to {to}"))
    }

    /// The number with these bits.
    pub(super) fn number_of(&mut self, a: &Operand) -> Operand {
        let (from, to) = (self.bits(), self.number());
        self.code
            .instruction(format_args!("bitcast {from} {a} to {to}"))
    }

    /// An operation of LLVM on bits, such as `add` or `icmp ult`.
    pub(super) fn on_bits(&mut self, operation: &str, a: &Operand, b: &Operand) -> Operand {
        let operation = format!("{operation} {}", self.bits());
        self.code.binary(&operation, a, b)
    }

    /// The same with a constant.
    pub(super) fn with_bits(&mut self, operation: &str, a: &Operand, b: u64) -> Operand {
        let b = self.constant_bits(b);
        self.on_bits(operation, a, &b)
    }

    /// Whether `a < b`; never with NaN.
    pub(super) fn is_less(&mut self, a: &Operand, b: &Operand) -> Operand {
        self.compare("olt", a, b)
    }

    /// Whether `a == b`; never with NaN.
    pub(super) fn is_equal(&mut self, a: &Operand, b: &Operand) -> Operand {
        self.compare("oeq", a, b)
    }

    fn compare(&mut self, condition: &str, a: &Operand, b: &Operand) -> Operand {
        let operation = format!("fcmp {condition} {}", self.number());
        self.code.binary(&operation, a, b)
    }

    /// Whether both conditions hold.
    pub(super) fn both(&mut self, a: &Operand, b: &Operand) -> Operand {
        let operation = format!("and {}", self.code.ty(DType::Bool));
        self.code.binary(&operation, a, b)
    }

    /// Whether one of two conditions holds.
    pub(super) fn either(&mut self, a: &Operand, b: &Operand) -> Operand {
        let operation = format!("or {}", self.code.ty(DType::Bool));
        self.code.binary(&operation, a, b)
    }

    /// Whether a condition does not hold.
    pub(super) fn not(&mut self, a: &Operand) -> Operand {
        let operation = format!("xor {}", self.code.ty(DType::Bool));
        let all = self.code.constant(Literal::Bool(true));
        self.code.binary(&operation, a, &all)
    }

    /// One of two numbers.
    pub(super) fn select(
        &mut self,
        condition: &Operand,
        accept: &Operand,
        reject: &Operand,
    ) -> Operand {
        let ty = self.number();
        self.code.select(ty, condition, accept, reject)
    }

    /// One of two patterns of bits.
    pub(super) fn select_bits(
        &mut self,
        condition: &Operand,
        accept: &Operand,
        reject: &Operand,
    ) -> Operand {
        let ty = self.bits();
        self.code.select(ty, condition, accept, reject)
    }

    /// `a`, but at least `low` and at most `high`; NaN stays NaN.
    pub(super) fn clamp(&mut self, a: &Operand, low: f64, high: f64) -> Operand {
        let (low, high) = (self.constant(low), self.constant(high));
        let is_low = self.is_less(a, &low);
        let a = self.select(&is_low, &low, a);
        let is_high = self.is_less(&high, &a);
        self.select(&is_high, &high, &a)
    }

    /// `a + b` and what is lost of it, where `a` is zero or not smaller than `b` in magnitude.
    pub(super) fn sum(&mut self, a: &Operand, b: &Operand) -> (Operand, Operand) {
        let high = self.add(a, b);
        let taken = self.subtract(a, &high);
        let low = self.add(&taken, b);
        (high, low)
    }

    /// `a * b` and what is lost of it.
    pub(super) fn product(&mut self, a: &Operand, b: &Operand) -> (Operand, Operand) {
        let high = self.multiply(a, b);
        let low = self.multiply_subtract(a, b, &high);
        (high, low)
    }
}
