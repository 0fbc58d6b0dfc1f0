//! The square root.

use super::exponential::Scaling;
use super::real::{Pair, Real};

/// With `t = sqrt((|x| + |z|) / 2)` the parts are `t` and `y / 2t`: nothing cancels.
pub(super) fn sqrt<R: Real>(z: Pair<R>) -> Pair<R> {
    let (x, y) = (z.re.abs(), z.im.abs());
    let scaling = Scaling::new(x.larger(y));
    let (scaled_x, scaled_y) = (x * scaling.factor, y * scaling.factor);
    let half = x.constant(0.5);
    let t = (half * (scaled_x + scaled_x.hypot(scaled_y))).sqrt();
    let other = half * scaled_y / t;
    let (t, other) = (t * scaling.inverse_root, other * scaling.inverse_root);

    let is_left = z.re.less(x.constant(0.0));
    let root = Pair::new(
        R::select(is_left, other, t),
        R::select(is_left, t, other).with_sign_of(z.im),
    );
    let is_zero = z.re.is_zero() & z.im.is_zero();
    let zero = Pair::new(x.constant(0.0), z.im);
    let root = Pair::select(is_zero, zero, root);
    // Whatever the real part, even NaN.
    Pair::select(z.im.is_infinite(), Pair::new(y, z.im), root)
}
