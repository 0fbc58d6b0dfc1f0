//! Numbers about memory pools; `situ.memory.stats` gives them names.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use situ_runtime::memory::statistics::{ContextStatistics, PoolStatistics};
use situ_runtime::memory::{process_statistics, trim_all};
use situ_runtime::{Context, Device};

use crate::context::PyContext;
use crate::error::guard;
use crate::queue;

/// A context's devices, and for each USM kind the fields of `PoolStatistics`.
type Row = (Vec<String>, BTreeMap<&'static str, [u64; 9]>);

/// What the pools of one context hold, or of all.
#[pyfunction]
#[pyo3(signature = (place = None))]
pub(crate) fn memory_statistics(
    py: Python<'_>,
    place: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Row>> {
    guard(|| {
        if place.is_none() {
            return Ok(process_statistics().iter().map(row).collect());
        }
        let context = context_of(py, place)?;
        let statistics = ContextStatistics {
            context_id: context.id(),
            devices: context.devices().to_vec(),
            kinds: context.memory_statistics(),
        };
        Ok(vec![row(&statistics)])
    })
}

/// Returns idle memory of one context to the system, or of all; how many bytes that was.
#[pyfunction]
#[pyo3(signature = (place = None))]
pub(crate) fn trim_memory(py: Python<'_>, place: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    guard(|| {
        if place.is_none() {
            return Ok(py.detach(trim_all));
        }
        let context = context_of(py, place)?;
        Ok(py.detach(|| context.trim_memory()))
    })
}

/// A context itself, or that of a queue, device, array or selector.
fn context_of(py: Python<'_>, place: Option<&Bound<'_, PyAny>>) -> PyResult<Context> {
    if let Some(context) = place.and_then(|place| place.cast::<PyContext>().ok()) {
        return Ok(context.get().context.clone());
    }
    Ok(queue::select(py, place)?.context().clone())
}

fn row(statistics: &ContextStatistics) -> Row {
    let ContextStatistics { devices, kinds, .. } = statistics;
    let devices = devices.iter().map(Device::filter_string);
    let kinds = kinds.iter().map(|(kind, pool)| (kind.name(), fields(pool)));
    (devices.collect(), kinds.collect())
}

/// In the order in which `situ.memory.PoolStatistics` declares them.
fn fields(pool: &PoolStatistics) -> [u64; 9] {
    let PoolStatistics {
        used_bytes,
        used_blocks,
        pending_bytes,
        pending_blocks,
        idle_bytes,
        idle_blocks,
        peak_bytes,
        requests,
        system_requests,
    } = *pool;
    [
        used_bytes,
        used_blocks,
        pending_bytes,
        pending_blocks,
        idle_bytes,
        idle_blocks,
        peak_bytes,
        requests,
        system_requests,
    ]
}
