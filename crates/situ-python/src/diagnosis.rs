//! What the command line asks: settings, the compile cache, and what this build is made of.

use std::time::UNIX_EPOCH;

use pyo3::prelude::*;
use situ_runtime::backend::native::cached_code::CachedCode;
use situ_runtime::backend::native::{compiler::LLVM_VERSION, vector_math::VectorMath};
use situ_runtime::config;

use crate::error::guard;

/// Name, choices, meaning, value and the reason why the value is ignored.
type Setting = (
    &'static str,
    &'static str,
    &'static str,
    Option<String>,
    Option<String>,
);

/// Every environment variable situ reads, with its value in this process.
#[pyfunction]
pub(crate) fn environment_variables() -> PyResult<Vec<Setting>> {
    guard(|| {
        let settings = config::settings().into_iter().map(|setting| {
            let problem = setting.problem.map(|problem| problem.to_string());
            let variable = setting.variable;
            (
                variable.name,
                variable.choices,
                variable.doc,
                setting.value,
                problem,
            )
        });
        Ok(settings.collect())
    })
}

/// Variables that start with `SITU_` and that situ does not read: name, value, and the one that was
/// probably meant.
#[pyfunction]
pub(crate) fn unknown_environment_variables()
-> PyResult<Vec<(String, String, Option<&'static str>)>> {
    guard(|| {
        let unknown = config::unknown_variables().into_iter();
        Ok(unknown
            .map(|variable| (variable.name, variable.value, variable.nearest))
            .collect())
    })
}

/// LLVM's version, and whether glibc's vector math library was found.
#[pyfunction]
pub(crate) fn build_info() -> PyResult<(&'static str, bool)> {
    guard(|| Ok((LLVM_VERSION, VectorMath::process().has_vector_library())))
}

/// Where the compile cache is, its limit in bytes, why it is not used and what to do about that, its
/// entries, their bytes, and how many of them are refused.
type CacheState = (
    Option<String>,
    Option<u64>,
    Option<(String, String)>,
    usize,
    u64,
    usize,
);

/// The state of the compile cache.
#[pyfunction]
pub(crate) fn cache_state() -> PyResult<CacheState> {
    guard(|| {
        let code = CachedCode::of_process();
        let usage = code.usage();
        Ok((
            code.directory().map(|path| path.display().to_string()),
            code.limit_bytes(),
            code.problem()
                .map(|problem| (problem.to_string(), problem.help())),
            usage.entries,
            usage.size_bytes,
            usage.refused,
        ))
    })
}

/// Key, bytes, time of the last use in seconds since 1970, kernels (`None` if damaged), and why the
/// file is refused.
type CachedProgram = (String, u64, f64, Option<Vec<String>>, Option<String>);

/// The programs in the compile cache, the most recently used first.
#[pyfunction]
pub(crate) fn cached_programs(py: Python<'_>) -> PyResult<Vec<CachedProgram>> {
    guard(|| {
        let programs = py.detach(|| CachedCode::of_process().programs());
        let programs = programs.into_iter().map(|program| {
            let last_used = program.last_used.duration_since(UNIX_EPOCH);
            let seconds = last_used.unwrap_or_default().as_secs_f64();
            let problem = program.problem.map(|problem| problem.to_string());
            let (key, size_bytes) = (program.key, program.size_bytes);
            (key, size_bytes, seconds, program.kernels, problem)
        });
        Ok(programs.collect())
    })
}

/// Empties the compile cache; returns the number of entries and their bytes.
#[pyfunction]
pub(crate) fn clear_cache(py: Python<'_>) -> PyResult<(usize, u64)> {
    guard(|| {
        let removed = py.detach(|| CachedCode::of_process().clear());
        Ok((removed.entries, removed.size_bytes))
    })
}
