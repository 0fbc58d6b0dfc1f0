//! Products and quotients, in the formulas that the IR's law fixes.

use super::real::{Pair, Real};

/// `(ac - bd) + (ad + bc)i`.
pub(super) fn multiply<R: Real>(x: Pair<R>, y: Pair<R>) -> Pair<R> {
    Pair::new(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)
}

/// Smith's method in NumPy's form: the ratio of the divisor's parts keeps the scale in range.
pub(in crate::transform) fn divide<R: Real>(x: Pair<R>, y: Pair<R>) -> Pair<R> {
    let one = y.re.constant(1.0);
    let (size_re, size_im) = (y.re.abs(), y.im.abs());
    // The order of NumPy's test decides what happens to NaN: it goes the second way.
    let real_dominates = size_im.less(size_re) | size_im.equals(size_re);
    let larger = R::select(real_dominates, y.re, y.im);
    let smaller = R::select(real_dominates, y.im, y.re);
    let ratio = smaller / larger;
    let scale = one / (larger + smaller * ratio);
    let first = R::select(real_dominates, x.re, x.im);
    let second = R::select(real_dominates, x.im, x.re);
    let scaled = first * ratio;
    let quotient = Pair::new(
        (first + second * ratio) * scale,
        R::select(real_dominates, second - scaled, scaled - second) * scale,
    );
    let by_zero = Pair::new(x.re / size_re, x.im / size_re);
    Pair::select(y.re.is_zero() & y.im.is_zero(), by_zero, quotient)
}
