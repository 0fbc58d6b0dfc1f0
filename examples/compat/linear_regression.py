"""Linear regression with dpnp: by least squares, by the normal equations, and by gradients."""

import dpnp
import numpy as np


def main() -> None:
    """Fit a line through many points in several ways, and compare with NumPy."""
    rng = np.random.default_rng(11)
    features = rng.normal(size=(500, 4))
    weights = np.array([1.5, -2.0, 0.5, 3.0])
    target = features @ weights + 0.7 + rng.normal(scale=0.01, size=500)

    x = dpnp.asarray(features, usm_type="device")
    y = dpnp.asarray(target, device=x.device)
    design = dpnp.column_stack([dpnp.ones(x.shape[0], device=x.device), x])

    by_lstsq = dpnp.linalg.lstsq(design, y, rcond=None)[0]
    by_equations = dpnp.linalg.solve(design.T @ design, dpnp.dot(design.T, y))
    by_gradients = dpnp.zeros(design.shape[1], sycl_queue=y.sycl_queue)
    for _ in range(400):
        residuals = dpnp.matmul(design, by_gradients) - y
        by_gradients -= 0.3 * dpnp.dot(design.T, residuals) / y.size

    columns = np.column_stack([np.ones(500), features])
    expected = np.linalg.lstsq(columns, target, rcond=None)[0]
    for name, found in [
        ("least squares", by_lstsq),
        ("normal equations", by_equations),
        ("gradients", by_gradients),
    ]:
        np.testing.assert_allclose(dpnp.asnumpy(found), expected, rtol=1e-6)
        error = dpnp.sqrt(dpnp.mean(dpnp.square(design @ found - y)))
        print(f"{name:>16}: {found.asnumpy().round(3)}, off by {float(error):.4f}")


if __name__ == "__main__":
    main()
