//! Linear algebra: products, and decompositions of matrices.
//!
//! | module | about |
//! |---|---|
//! | [`product`] | `matmul` and `vecdot`: shapes, dtypes, and who computes them |
//! | [`decomposition`] | what `faer` does on host memory: factors, inverses, eigenvalues |
//!
//! What is an expression of other functions (norms, `tensordot`, powers) is written in Python, in terms
//! of these. The choices are explained in `docs/design/0019-linear-algebra.md`.

pub mod decomposition;
mod launch;
pub mod product;
