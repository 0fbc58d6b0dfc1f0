//! A determinant as a product of pivots that is not limited by the largest and the smallest number.

use super::field::{Field, Float};

/// A number multiplied by a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Determinant<T> {
    /// Its larger part is near one, or it is zero.
    pub(super) number: T,
    /// The power of two.
    pub(super) power: i64,
}

impl<T: Field> Determinant<T> {
    /// Of no factors yet but a sign.
    pub(super) fn new(sign: T) -> Self {
        Self {
            number: sign,
            power: 0,
        }
    }

    /// Multiplies it by a pivot. After one that is zero it stays zero: what follows was divided by that.
    pub(super) fn multiply(&mut self, pivot: T) {
        let zero = T::Part::ZERO;
        if self.number.largest_part() == zero || pivot.largest_part() == zero {
            self.number = T::from_real(zero);
            return;
        }
        let factor = self.without_power(pivot);
        let product = self.number * factor;
        self.number = self.without_power(product);
    }

    /// A number whose larger part is near one, after its power of two was taken into account.
    fn without_power(&mut self, number: T) -> T {
        let largest = number.largest_part();
        if !number.is_number() {
            return number;
        }
        let power = largest.exponent();
        self.power += i64::from(power);
        number.times_power_of_two(-power)
    }

    /// The determinant, if it is a number, and otherwise infinity or zero.
    pub(super) fn value(self) -> T {
        let beyond = i64::from(i32::MAX / 2);
        self.number
            .times_power_of_two(self.power.clamp(-beyond, beyond) as i32)
    }

    /// A number of magnitude one, or zero, and the logarithm of the magnitude.
    pub(super) fn sign_and_logarithm(self) -> (T, T::Part) {
        let magnitude = self.number.magnitude();
        if magnitude == T::Part::ZERO {
            return (self.number, T::Part::MINUS_INFINITY);
        }
        let logarithm = magnitude.to_double().ln() + self.power as f64 * std::f64::consts::LN_2;
        (
            self.number / T::from_real(magnitude),
            T::Part::from_double(logarithm),
        )
    }
}
