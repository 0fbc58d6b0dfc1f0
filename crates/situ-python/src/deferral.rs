//! What `situ.testing.deferral` is made of.

use pyo3::prelude::*;
use situ_array::functions::deferred::Policy;

use crate::error::guard;

/// Sets the least elements of results that wait, and how many elements have to be spared a way through memory before
/// a kernel is compiled for that. Returns what was in force.
#[pyfunction]
pub(crate) fn set_deferral(smallest: usize, price: u64) -> PyResult<(usize, u64)> {
    guard(|| {
        let before = Policy::current();
        Policy { smallest, price }.install();
        Ok((before.smallest, before.price))
    })
}
