//! `situ._native`: the one door between Python and the Rust layers.
//!
//! Everything here converts: Python objects into the types of `situ-array`, `situ-runtime` and
//! `situ-frontend`, their answers back into Python objects, their errors into the classes of
//! `situ.exceptions` (see `error.rs`). It holds no numerics and no policy of its own, and it is the
//! only crate that knows PyO3.
//!
//! The public face of the package is `python/situ`; nothing in this module is documented for
//! users except through it.

#![expect(
    clippy::doc_markdown,
    reason = "docstrings are written in NumPy's style, for readers of Python"
)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands converted arguments over by value"
)]

use pyo3::prelude::*;

mod array;
mod c_api;
mod call;
mod context;
mod deferral;
mod detach;
mod device;
mod diagnosis;
mod discarded_parts;
mod dlpack;
mod driver_report;
mod dtype;
mod error;
mod event;
mod fourier;
mod functions;
mod host_access;
mod host_memory;
mod index;
mod interrupt;
mod kernel;
mod linalg;
mod manipulation;
mod memory;
mod moving;
mod njit;
mod number;
mod operand;
mod operators;
mod placement;
mod platform;
mod queue;
mod reductions;
mod site;
mod sorting;
mod sycl;
mod usm_interface;
mod virtual_devices;
mod warnings;

/// The version of the compiled module, which is the version of the package.
#[pyfunction]
fn version() -> PyResult<&'static str> {
    error::guard(|| Ok(env!("CARGO_PKG_VERSION")))
}

/// Compiled half of the `situ` package; use `import situ` instead.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::array::PyArray;
    #[pymodule_export]
    use crate::context::{PyContext, restore_context};
    #[pymodule_export]
    use crate::deferral::set_deferral;
    #[pymodule_export]
    use crate::device::{PyDevice, device_facts, devices, restore_sub_device};
    #[pymodule_export]
    use crate::diagnosis::{
        build_info, cache_state, cached_programs, clear_cache, environment_variables,
        unknown_environment_variables,
    };
    #[pymodule_export]
    use crate::dlpack::{share_dlpack, share_dlpack_sycl};
    #[pymodule_export]
    use crate::driver_report::driver_reports;
    #[pymodule_export]
    use crate::event::{PyEvent, wait_at_exit};
    #[pymodule_export]
    use crate::fourier::{fourier_transform, fourier_transform_axes};
    #[pymodule_export]
    use crate::functions::{
        binary, elementwise, elementwise_functions, empty, eye, full, iota, triangle, unary,
    };
    #[pymodule_export]
    use crate::functions::{nonzero, take, take_along_axis};
    #[pymodule_export]
    use crate::host_memory::{default_float, from_numpy};
    #[pymodule_export]
    use crate::kernel::host_data::count_host_data_blocks;
    #[pymodule_export]
    use crate::kernel::{PyDeviceFunction, PyKernel, PyLocalAccessor, PyRangedKernel};
    #[pymodule_export]
    use crate::linalg::{
        cholesky, det, eig, eigh, inv, matmul, qr, slogdet, solve, svd, svdvals, vecdot,
    };
    #[pymodule_export]
    use crate::manipulation::{
        broadcast_to, concat, diagonal, expand_dims, flip, moveaxis, permute_dims, repeat, reshape,
        roll, shares_memory, squeeze, stack, tile, unstack,
    };
    #[pymodule_export]
    use crate::memory::{PyAllocation, as_allocation, memory_statistics, trim_memory};
    #[pymodule_export]
    use crate::moving::{bring, placement_of_nested};
    #[pymodule_export]
    use crate::njit::PyNjit;
    #[pymodule_export]
    use crate::placement::{PyPlacement, find_queue, placement_of, queues_equivalent};
    #[pymodule_export]
    use crate::platform::{PyPlatform, platforms};
    #[pymodule_export]
    use crate::queue::{PyQueue, restore_queue};
    #[pymodule_export]
    use crate::reductions::{accumulate, reduce};
    #[pymodule_export]
    use crate::sorting::{argsort, diff, isin, searchsorted, sort, unique};
    #[pymodule_export]
    use crate::usm_interface::from_usm_interface;
    #[pymodule_export]
    use crate::virtual_devices::{add_virtual_devices, remove_virtual_devices};

    #[pymodule_export]
    use super::version;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::error::exceptions::import(module.py());
        crate::call::install(module.py());
        crate::interrupt::install();
        crate::sycl::install();
        // Not by `add`, which would make it one of the names that `import *` brings.
        module.setattr(crate::c_api::ATTRIBUTE, crate::c_api::capsule(module.py())?)?;
        crate::device::add_properties(module.py())
    }
}
