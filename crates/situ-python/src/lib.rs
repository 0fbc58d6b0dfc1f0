//! `situ._native`: the one door between Python and the Rust layers.
//!
//! Everything here converts: Python objects into the types of `situ-array`, `situ-runtime` and
//! `situ-frontend`, their answers back into Python objects, their errors into the classes of
//! `situ.exceptions` (see [`error`]). It holds no numerics and no policy of its own, and it is the
//! only crate that knows PyO3.
//!
//! The public face of the package is `python/situ`; nothing in this module is documented for
//! users except through it.

use pyo3::prelude::*;

mod error;

/// The version of the compiled module, which is the version of the package.
#[pyfunction]
fn version() -> PyResult<&'static str> {
    error::guard(|| Ok(env!("CARGO_PKG_VERSION")))
}

/// Compiled half of the `situ` package; use `import situ` instead.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::version;
}
