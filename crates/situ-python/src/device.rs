//! `situ.Device` and `situ.devices`.
//!
//! Facts and aspects become properties by the tables of the runtime, when the module is made: there
//! is no list of them here.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFrozenSet, PyString, PyTuple, PyType};
use situ_runtime::device_info::{FACTS, FactValue};
use situ_runtime::selector::{self, select_all};
use situ_runtime::{AffinityDomain, Aspect, Device, Partition, Queue};

use crate::array::PyArray;
use crate::context::PyContext;
use crate::error::{IntoPyErr, guard};
use crate::platform::PyPlatform;
use crate::queue::PyQueue;
use crate::{sycl, warnings};

/// Something kernels run on.
///
/// Beside the methods below there is a property for each fact of `Device.info` and one for each
/// aspect, such as `memory_bytes` and `has_aspect_fp64`.
///
/// Parameters
/// ----------
/// selector
///     A selector such as ``"gpu:1"`` or ``"gpu+fp64,cpu"``, a device, a queue or an array (its device is
///     meant), or a number among the devices like the default one. The default device if left out.
///
/// Raises
/// ------
/// situ.DeviceError
///     If no device fits; the message lists the selectors that work, the nearest first.
///
/// Examples
/// --------
/// >>> import situ
/// >>> situ.Device().filter_string
/// 'native:cpu:0'
/// >>> situ.Device("gpu,cpu").device_type in ("gpu", "cpu")
/// True
#[pyclass(frozen, eq, hash, name = "Device", module = "situ")]
#[derive(Clone)]
pub(crate) struct PyDevice {
    pub(crate) device: Device,
    /// If this is the device of an array: the array's queue, so that what is made with
    /// `device=x.device` goes together with `x`. Otherwise devices are what they are.
    pub(crate) queue: Option<Queue>,
}

impl From<Device> for PyDevice {
    fn from(device: Device) -> Self {
        Self {
            device,
            queue: None,
        }
    }
}

impl PartialEq for PyDevice {
    fn eq(&self, other: &Self) -> bool {
        self.device == other.device
    }
}

impl Eq for PyDevice {}

impl Hash for PyDevice {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.device.hash(state);
    }
}

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (selector = None))]
    fn new(py: Python<'_>, selector: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        guard(|| {
            let device = select(py, selector)?;
            warnings::deliver(py)?;
            Ok(Self::from(device))
        })
    }

    /// Everything that is known about it, by name.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guard(|| {
            let info = PyDict::new(py);
            for (fact, value) in self.device.facts() {
                info.set_item(fact.name, python_value(py, value)?)?;
            }
            Ok(info)
        })
    }

    /// The names of what it can do, or is, that not every device can or is.
    #[getter]
    fn aspects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        let aspects = &self.device.info().aspects;
        PyFrozenSet::new(py, aspects.iter().map(|aspect| aspect.name()))
    }

    /// Whether it has an aspect, by its name.
    fn has_aspect(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        guard(|| {
            let aspect = selector::aspect(name).map_err(|error| error.into_py_err(py))?;
            Ok(self.device.has_aspect(aspect))
        })
    }

    /// The platform it belongs to.
    #[getter]
    fn platform(&self) -> PyPlatform {
        PyPlatform {
            platform: self.device.platform(),
        }
    }

    /// The context its queues share unless they name another; a sub-device has that of the whole.
    #[getter]
    fn default_context(&self) -> PyContext {
        PyContext {
            context: self.device.default_context().clone(),
        }
    }

    /// The device this one is a part of, or `None`.
    #[getter]
    fn parent_device(&self) -> Option<Self> {
        let parent = self.device.parent()?;
        Some(Self::from(parent.clone()))
    }

    /// The whole this device is a part of; the device itself if it is not a part.
    #[getter]
    fn root_device(&self) -> Self {
        Self::from(self.device.root_device().clone())
    }

    /// Cut the device into sub-devices, which can be cut again.
    ///
    /// The same partition gives the same devices every time. Exactly one argument is given: the keywords
    /// `equally`, `by_counts` and `by_affinity` take what `partition` takes, one kind each, where
    /// guessing by the type is not wanted.
    ///
    /// Parameters
    /// ----------
    /// partition
    ///     A number of compute units for each part (what is left over belongs to none), a sequence of such
    ///     numbers, or what the units of each
    ///     part share: ``"numa"``, ``"L4_cache"``, ``"L3_cache"``, ``"L2_cache"``, ``"L1_cache"``, or
    ///     ``"next_partitionable"`` for the outermost of these that makes more than one part.
    ///
    /// Raises
    /// ------
    /// situ.DeviceError
    ///     If that is not possible; the message says what is.
    #[pyo3(signature = (partition = None, *, equally = None, by_counts = None, by_affinity = None))]
    fn create_sub_devices(
        &self,
        py: Python<'_>,
        partition: Option<&Bound<'_, PyAny>>,
        equally: Option<&Bound<'_, PyAny>>,
        by_counts: Option<&Bound<'_, PyAny>>,
        by_affinity: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Self>> {
        guard(|| {
            let partition = match (partition, equally, by_counts, by_affinity) {
                (Some(partition), None, None, None) => read_partition(partition)?,
                (None, Some(units), None, None) => Partition::Equally(read_units(units)?),
                (None, None, Some(counts), None) => Partition::ByCounts(read_counts(counts)?),
                (None, None, None, Some(domain)) => Partition::ByAffinity(read_domain(domain)?),
                _ => {
                    return Err(PyTypeError::new_err(
                        "create_sub_devices takes exactly one of `partition`, `equally`, `by_counts` \
                         and `by_affinity`",
                    ));
                }
            };
            let devices = self.device.create_sub_devices(&partition);
            let devices = devices.map_err(|error| error.into_py_err(py))?;
            Ok(devices.into_iter().map(Self::from).collect())
        })
    }

    fn __repr__(&self) -> String {
        format!(
            "<situ.Device {} ({})>",
            self.device.filter_string(),
            self.device.name()
        )
    }

    /// A root device is found again by its filter string, a sub-device by cutting its parent again.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        guard(|| match self.device.part_of() {
            None => {
                let class = py.get_type::<Self>().into_any();
                Ok((class, (self.device.filter_string(),).into_pyobject(py)?))
            }
            Some((parent, partition, index)) => {
                let parent = Self::from(parent.clone());
                let restore = py.import("situ._native")?.getattr("restore_sub_device")?;
                let partition = python_partition(py, partition)?;
                Ok((restore, (parent, partition, index).into_pyobject(py)?))
            }
        })
    }
}

/// Every device that fits, in order; without arguments all of them, the default one first.
#[pyfunction]
#[pyo3(signature = (selector = None, *, aspects = Vec::new(), without = Vec::new()))]
pub(crate) fn devices(
    py: Python<'_>,
    selector: Option<&str>,
    aspects: Vec<String>,
    without: Vec<String>,
) -> PyResult<Vec<PyDevice>> {
    guard(|| {
        let named = |names: Vec<String>| -> PyResult<Vec<Aspect>> {
            let aspects = names.iter().map(|name| selector::aspect(name));
            let aspects: Result<_, _> = aspects.collect();
            aspects.map_err(|error| error.into_py_err(py))
        };
        let (required, excluded) = (named(aspects)?, named(without)?);
        let mut devices = match selector {
            None => Device::all().to_vec(),
            Some(selector) => select_all(selector).map_err(|error| error.into_py_err(py))?,
        };
        devices.retain(|device| {
            required.iter().all(|aspect| device.has_aspect(*aspect))
                && !excluded.iter().any(|aspect| device.has_aspect(*aspect))
        });
        warnings::deliver(py)?;
        Ok(devices.into_iter().map(PyDevice::from).collect())
    })
}

/// Name, unit and meaning of every fact that `Device.info` can contain, in its order.
#[pyfunction]
pub(crate) fn device_facts() -> Vec<(&'static str, Option<&'static str>, &'static str)> {
    let describe = |fact: &situ_runtime::device_info::Fact| (fact.name, fact.unit, fact.doc);
    FACTS.iter().map(describe).collect()
}

/// Cuts a device again and returns one of the parts; what a pickled sub-device calls.
#[pyfunction]
pub(crate) fn restore_sub_device(
    py: Python<'_>,
    parent: &PyDevice,
    partition: &Bound<'_, PyAny>,
    index: usize,
) -> PyResult<PyDevice> {
    guard(|| {
        let partition = read_partition(partition)?;
        let parts = parent.device.create_sub_devices(&partition);
        let parts = parts.map_err(|error| error.into_py_err(py))?;
        let count = parts.len();
        let device = parts.into_iter().nth(index).ok_or_else(|| {
            situ_runtime::Error::NoSuchPart {
                device: parent.device.filter_string(),
                partition,
                index,
                count,
            }
            .into_py_err(py)
        })?;
        Ok(PyDevice::from(device))
    })
}

/// The device a selector means: a device, a queue's or an array's device, a selector string, a number
/// among the devices like the default one, or the default device for `None`.
///
/// # Errors
/// `TypeError` if the object is none of these; `DeviceError` if no device fits.
pub(crate) fn select(py: Python<'_>, selector: Option<&Bound<'_, PyAny>>) -> PyResult<Device> {
    let Some(object) = selector else {
        return Ok(Device::default_device());
    };
    if let Ok(device) = object.cast::<PyDevice>() {
        return Ok(device.get().device.clone());
    }
    if let Ok(queue) = object.cast::<PyQueue>() {
        return Ok(queue.get().queue.device().clone());
    }
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(array.get().array().queue().device().clone());
    }
    let text = if let Ok(text) = object.cast::<PyString>() {
        text.to_str()?.to_owned()
    } else if let Ok(number) = object.extract::<i64>() {
        let default = Device::default_device();
        format!("{}:{}:{number}", default.backend(), default.device_type())
    } else if let Some(queue) = sycl::queue_of(object)? {
        return Ok(queue.device().clone());
    } else {
        let kind = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a device is chosen by a selector string, a number, a situ.Device, a situ.Queue or an \
             array, not by `{kind}`\n  help: `situ.devices()` lists what there is"
        )));
    };
    selector::select(&text).map_err(|error| error.into_py_err(py))
}

/// Gives `Device` a property for each fact and each aspect.
pub(crate) fn add_properties(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<PyDevice>();
    for fact in FACTS {
        add_property(&class, fact.name, fact.doc, |device, py| {
            (fact.value)(device).map_or_else(|| Ok(py.None()), |value| python_value(py, value))
        })?;
    }
    for aspect in Aspect::ALL {
        let name = format!("has_aspect_{aspect}");
        add_property(&class, &name, aspect.doc(), |device, py| {
            let answer = device.has_aspect(*aspect).into_pyobject(py)?;
            Ok(answer.to_owned().into_any().unbind())
        })?;
    }
    Ok(())
}

fn add_property(
    class: &Bound<'_, PyType>,
    name: &str,
    doc: &str,
    get: impl Fn(&Device, Python<'_>) -> PyResult<Py<PyAny>> + Send + Sync + 'static,
) -> PyResult<()> {
    let py = class.py();
    let getter = PyCFunction::new_closure(
        py,
        None,
        None,
        move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            guard(|| {
                let device: PyRef<'_, PyDevice> = arguments.get_item(0)?.extract()?;
                get(&device.device, arguments.py())
            })
        },
    )?;
    let none = py.None();
    let property = py.import("builtins")?.getattr("property")?;
    class.setattr(name, property.call1((getter, &none, &none, doc))?)
}

fn python_value(py: Python<'_>, value: FactValue) -> PyResult<Py<PyAny>> {
    Ok(match value {
        FactValue::Number(number) => number.into_pyobject(py)?.into_any().unbind(),
        FactValue::Numbers(numbers) => PyTuple::new(py, numbers)?.into_any().unbind(),
        FactValue::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any().unbind(),
        FactValue::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
        FactValue::Words(words) => PyTuple::new(py, words)?.into_any().unbind(),
    })
}

/// A partition as Python writes it: a number, numbers, or the name of a domain.
fn read_partition(object: &Bound<'_, PyAny>) -> PyResult<Partition> {
    if object.is_instance_of::<PyString>() {
        return Ok(Partition::ByAffinity(read_domain(object)?));
    }
    if let Ok(units) = read_units(object) {
        return Ok(Partition::Equally(units));
    }
    if let Ok(counts) = read_counts(object) {
        return Ok(Partition::ByCounts(counts));
    }
    Err(PyTypeError::new_err(format!(
        "a partition is a number of compute units, a sequence of such numbers, or one of {}, not \
         `{}`",
        domain_names(),
        object.repr()?
    )))
}

/// A number of compute units. One below zero is as impossible as zero, and refused as such.
fn read_units(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(usize::try_from(object.extract::<i64>()?).unwrap_or(0))
}

fn read_counts(object: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let counts = object.extract::<Vec<Bound<'_, PyAny>>>()?;
    counts.iter().map(read_units).collect()
}

fn read_domain(object: &Bound<'_, PyAny>) -> PyResult<AffinityDomain> {
    let name = object.extract::<String>()?;
    AffinityDomain::from_name(&name).ok_or_else(|| {
        pyo3::exceptions::PyValueError::new_err(format!(
            "`{name}` is nothing that compute units share\n  help: choose one of {}",
            domain_names()
        ))
    })
}

fn domain_names() -> String {
    AffinityDomain::ALL
        .map(|domain| format!("`{domain}`"))
        .join(", ")
}

/// The reverse of [`read_partition`].
fn python_partition<'py>(py: Python<'py>, partition: &Partition) -> PyResult<Bound<'py, PyAny>> {
    Ok(match partition {
        Partition::Equally(units) => units.into_pyobject(py)?.into_any(),
        Partition::ByCounts(counts) => PyTuple::new(py, counts)?.into_any(),
        Partition::ByAffinity(domain) => domain.name().into_pyobject(py)?.into_any(),
    })
}

/// A number that is equal for equal values.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
