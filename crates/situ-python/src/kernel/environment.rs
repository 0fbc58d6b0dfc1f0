//! What the names around a kernel stand for, looked up in a living Python.
//!
//! Objects become data that the front end
//! understands; what has no meaning on a device is kept as a description, and is an error only if the
//! kernel uses it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyModule, PyNone, PyString, PyTuple, PyType};
use situ_frontend::{Binding, Bindings, Constant, DeviceFunction, Environment, KnownModule};
use situ_ir::DType;

use super::frozen_names::{FrozenNames, MAX_DEPTH};
use super::{Definition, PyDeviceFunction, PyKernel};
use crate::array::PyArray;
use crate::njit::PyNjit;
use crate::{dtype, operand};

/// Looks up every name a function uses.
///
/// # Errors
/// Only what Python raises while its objects are looked at.
pub(crate) fn collect(function: &Bound<'_, PyAny>) -> PyResult<Environment> {
    collected(
        function.py(),
        &FrozenNames::of(function)?,
        &[],
        Collector::default(),
    )
}

/// What names around an njit function stand for that were looked up before, and some that stand for objects that are given.
///
/// # Errors
/// Only what Python raises while its objects are looked at.
pub(crate) fn collect_frozen(
    py: Python<'_>,
    names: &FrozenNames,
    given: &[(String, Py<PyAny>)],
) -> PyResult<Environment> {
    let collector = Collector {
        has_arrays: true,
        ..Collector::default()
    };
    collected(py, names, given, collector)
}

fn collected(
    py: Python<'_>,
    names: &FrozenNames,
    given: &[(String, Py<PyAny>)],
    mut collector: Collector,
) -> PyResult<Environment> {
    let mut bindings = collector.bindings(py, names)?;
    for (name, object) in given {
        let binding = collector.binding(object.bind(py), names, MAX_DEPTH)?;
        bindings.insert(name.clone(), binding);
    }
    Ok(Environment {
        bindings,
        functions: collector.functions,
        members: collector.members,
    })
}

#[derive(Default)]
struct Collector {
    /// Whether functions of arrays are found.
    has_arrays: bool,
    functions: Vec<DeviceFunction>,
    /// Device functions by the address of their object, so that each is read once.
    known: HashMap<usize, usize>,
    /// Members of known modules that are written in Python.
    members: BTreeMap<KnownModule, Bindings>,
}

impl Collector {
    fn bindings(&mut self, py: Python<'_>, names: &FrozenNames) -> PyResult<Bindings> {
        let objects = names.objects(py);
        let bindings = objects.map(|(name, object)| {
            let binding = self.binding(&object, names, MAX_DEPTH)?;
            Ok((name.clone(), binding))
        });
        bindings.collect()
    }

    fn binding(
        &mut self,
        object: &Bound<'_, PyAny>,
        names: &FrozenNames,
        depth: usize,
    ) -> PyResult<Binding> {
        if let Some(constant) = number(object)? {
            return Ok(constant);
        }
        if let Ok(items) = object.cast::<PyTuple>() {
            let items = items.iter().map(|item| self.binding(&item, names, depth));
            return Ok(Binding::Tuple(items.collect::<PyResult<_>>()?));
        }
        if let Ok(function) = object.cast::<PyDeviceFunction>() {
            return self.device_function(function).map(Binding::DeviceFunction);
        }
        if let Some(function) = njit_function(object)? {
            return self.njit_function(&function).map(Binding::DeviceFunction);
        }
        if let Some(dtype) = element_type(object)? {
            return Ok(dtype);
        }
        if let Ok(module) = object.cast::<PyModule>() {
            let name = module.name()?.to_string();
            return match KnownModule::from_name(&name) {
                Some(known) => {
                    self.add_members(known, object, names, depth)?;
                    Ok(Binding::Module(known))
                }
                None => self.namespace(object, names, depth),
            };
        }
        if let Some(known) = enum_class(object)? {
            return Ok(Binding::Module(known));
        }
        if let Some(function) = library_function(object)? {
            if let Binding::Function(known, name) = &function {
                self.add_member(*known, name, object, names, depth)?;
            }
            return Ok(function);
        }
        if object.is_instance_of::<PyType>() {
            return self.namespace(object, names, depth);
        }
        let description = describe(object)?;
        Ok(Binding::Unsupported { description })
    }

    /// Those members of a known module that the function may mean and the compiler does not know.
    fn add_members(
        &mut self,
        known: KnownModule,
        module: &Bound<'_, PyAny>,
        names: &FrozenNames,
        depth: usize,
    ) -> PyResult<()> {
        for name in names.used() {
            if let Some(object) = module.getattr_opt(name)? {
                self.add_member(known, name, &object, names, depth)?;
            }
        }
        Ok(())
    }

    /// A member of a known module: a device function or a module of situ's own, or a function of
    /// Python or NumPy that situ has written as one.
    fn add_member(
        &mut self,
        known: KnownModule,
        name: &str,
        object: &Bound<'_, PyAny>,
        names: &FrozenNames,
        depth: usize,
    ) -> PyResult<()> {
        let is_there = |members: &Bindings| members.contains_key(name);
        if known.has_member(name) || self.members.get(&known).is_some_and(is_there) {
            return Ok(());
        }
        let py = object.py();
        if self.has_arrays
            && name == "linalg"
            && let Ok(module) = object.cast::<PyModule>()
        {
            let binding = self.linear_algebra(module, names)?;
            self.insert_member(known, name, binding);
            return Ok(());
        }
        let is_ours = matches!(known, KnownModule::Situ | KnownModule::SituKernelApi);
        let binding = if is_ours {
            let is_member = object.is_instance_of::<PyDeviceFunction>()
                || (object.is_instance_of::<PyModule>() && depth > 0);
            if !is_member {
                // Its element-wise functions are NumPy's, under the same names.
                let Some(binding) = self.library_member(py, KnownModule::NumPy, name)? else {
                    return Ok(());
                };
                self.insert_member(known, name, binding);
                return Ok(());
            }
            // Known before it is looked into: modules mention each other.
            let unknown = Binding::Namespace(Bindings::new());
            self.insert_member(known, name, unknown);
            self.binding(object, names, depth.saturating_sub(1))?
        } else {
            let Some(binding) = self.library_member(py, known, name)? else {
                return Ok(());
            };
            binding
        };
        self.insert_member(known, name, binding);
        Ok(())
    }

    /// A function of Python or NumPy that situ has written as a device function.
    fn library_member(
        &mut self,
        py: Python<'_>,
        known: KnownModule,
        name: &str,
    ) -> PyResult<Option<Binding>> {
        let found = self.written_in_python(py, "situ._device_library", known.name(), name)?;
        match found {
            None if self.has_arrays => {
                self.written_in_python(py, "situ._array_library", known.name(), name)
            }
            found => Ok(found),
        }
    }

    /// A function that a library has for one of a module.
    fn written_in_python(
        &mut self,
        py: Python<'_>,
        library: &str,
        module: &str,
        name: &str,
    ) -> PyResult<Option<Binding>> {
        let found = py.import(library)?.call_method1("find", (module, name))?;
        let Ok(function) = found.cast::<PyDeviceFunction>() else {
            return Ok(None);
        };
        let function = self.device_function(function)?;
        Ok(Some(Binding::DeviceFunction(function)))
    }

    /// Those functions of `numpy.linalg`, or of situ's, that the function may mean.
    fn linear_algebra(
        &mut self,
        module: &Bound<'_, PyModule>,
        names: &FrozenNames,
    ) -> PyResult<Binding> {
        let mut members = Bindings::new();
        for name in names.used() {
            if !module.hasattr(name.as_str())? {
                continue;
            }
            let py = module.py();
            let found = self.written_in_python(py, "situ._array_library", "numpy.linalg", name)?;
            members.extend(found.map(|binding| (name.clone(), binding)));
        }
        Ok(Binding::Namespace(members))
    }

    fn insert_member(&mut self, known: KnownModule, name: &str, binding: Binding) {
        let members = self.members.entry(known).or_default();
        members.insert(name.to_owned(), binding);
    }

    /// Those attributes of a module or class that the function may mean.
    fn namespace(
        &mut self,
        object: &Bound<'_, PyAny>,
        names: &FrozenNames,
        depth: usize,
    ) -> PyResult<Binding> {
        let mut members = Bindings::new();
        if depth > 0 {
            for name in names.used() {
                if let Some(member) = names.member(object, name)? {
                    members.insert(name.clone(), self.binding(&member, names, depth - 1)?);
                }
            }
        }
        Ok(Binding::Namespace(members))
    }

    fn device_function(&mut self, function: &Bound<'_, PyDeviceFunction>) -> PyResult<usize> {
        let definition = &function.get().definition;
        let names = || FrozenNames::of(definition.function.bind(function.py())).map(Arc::new);
        self.defined(function.as_any(), definition, names)
    }

    /// A function of the host, which compiled code may call as long as it works with numbers.
    fn njit_function(&mut self, function: &Bound<'_, PyNjit>) -> PyResult<usize> {
        let njit = function.get();
        let names = || njit.names(function.py());
        self.defined(function.as_any(), &njit.definition, names)
    }

    fn defined(
        &mut self,
        function: &Bound<'_, PyAny>,
        definition: &Definition,
        names: impl FnOnce() -> PyResult<Arc<FrozenNames>>,
    ) -> PyResult<usize> {
        let (py, address) = (function.py(), function.as_ptr() as usize);
        if let Some(index) = self.known.get(&address) {
            return Ok(*index);
        }
        let index = self.functions.len();
        // Known before its names are looked up: it may mention itself.
        self.known.insert(address, index);
        self.functions.push(DeviceFunction {
            name: definition.name.clone(),
            source: definition.source.clone(),
            bindings: Bindings::new(),
            defaults: Vec::new(),
        });
        let names = names()?;
        self.functions[index].bindings = self.bindings(py, &names)?;
        let defaults = definition.last_defaults(py)?;
        let defaults = defaults
            .iter()
            .map(|default| self.binding(default, &names, MAX_DEPTH));
        self.functions[index].defaults = defaults.collect::<PyResult<_>>()?;
        Ok(index)
    }
}

/// A function decorated with `situ.njit`, or one of Numba's as such.
pub(super) fn njit_function<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyNjit>>> {
    if let Ok(function) = object.cast::<PyNjit>() {
        return Ok(Some(function.clone()));
    }
    if object.getattr_opt("py_func")?.is_none() {
        return Ok(None);
    }
    let module = object.py().import("situ._njit")?;
    let function = module.call_method1("of_dispatcher", (object,))?;
    Ok(function.cast_into::<PyNjit>().ok())
}

/// A Python or NumPy number.
fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<Binding>> {
    if let Some(literal) = operand::numpy_scalar(object)? {
        return Ok(Some(Binding::Scalar(literal)));
    }
    let constant = if let Ok(value) = object.cast::<PyBool>() {
        Constant::Bool(value.is_true())
    } else if object.is_instance_of::<PyInt>() {
        let Ok(value) = object.extract() else {
            let description = "an integer of more than 128 bits".to_owned();
            return Ok(Some(Binding::Unsupported { description }));
        };
        Constant::Int(value)
    } else if object.is_instance_of::<PyFloat>() {
        Constant::Float(object.extract()?)
    } else if object.is_instance_of::<PyComplex>() {
        let real = object.getattr("real")?.extract()?;
        Constant::Complex(real, object.getattr("imag")?.extract()?)
    } else {
        return Ok(None);
    };
    Ok(Some(Binding::Constant(constant)))
}

/// A NumPy dtype or scalar type, or a type of Numba's that stands for one.
pub(crate) fn element_type(object: &Bound<'_, PyAny>) -> PyResult<Option<Binding>> {
    if let Some(dtype) = numba_type(object)? {
        return Ok(Some(Binding::DType(dtype)));
    }
    let numpy = object.py().import("numpy")?;
    let is_dtype = object.is_instance(&numpy.getattr("dtype")?)?;
    let is_scalar_type = match object.cast::<PyType>() {
        Ok(class) => class.is_subclass(&numpy.getattr("generic")?)?,
        Err(_) => false,
    };
    if !is_dtype && !is_scalar_type {
        return Ok(None);
    }
    Ok(Some(match dtype::from_python(object) {
        Ok(dtype) => Binding::DType(dtype),
        Err(_) => Binding::Unsupported {
            description: format!("the dtype `{object}`, which situ does not have"),
        },
    }))
}

/// The dtype that a type of Numba's stands for, such as `numba.float32`. Numba is not imported for that.
fn numba_type(object: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    let module = object.get_type().getattr_opt("__module__")?;
    let module = module.and_then(|module| module.extract::<String>().ok());
    if !module.is_some_and(|module| module.starts_with("numba.core.types")) {
        return Ok(None);
    }
    let name = object.getattr_opt("name")?;
    let name = name.and_then(|name| name.extract::<String>().ok());
    Ok(name.and_then(|name| DType::ALL.into_iter().find(|dtype| dtype.name() == name)))
}

/// One of the enumerations of `situ.kernel_api`.
fn enum_class(object: &Bound<'_, PyAny>) -> PyResult<Option<KnownModule>> {
    if !object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    let module: String = object.getattr("__module__")?.extract()?;
    if !module.starts_with("situ.kernel_api") {
        return Ok(None);
    }
    let name: String = object.getattr("__name__")?.extract()?;
    Ok(KnownModule::from_name(&format!("situ.kernel_api.{name}")))
}

/// A function or type of a module that kernels know.
fn library_function(object: &Bound<'_, PyAny>) -> PyResult<Option<Binding>> {
    let name = object.getattr_opt("__name__")?;
    let Some(name) = name.and_then(|name| name.extract::<String>().ok()) else {
        return Ok(None);
    };
    let module = object.getattr_opt("__module__")?;
    let module = module.and_then(|module| module.extract::<String>().ok());
    let is_ufunc = object.get_type().name()? == "ufunc";
    if name == "prange" {
        return Ok(Some(Binding::Function(KnownModule::Situ, name)));
    }
    let known = match module.as_deref() {
        _ if is_ufunc => Some(KnownModule::NumPy),
        Some("numpy") => Some(KnownModule::NumPy),
        Some("math") => Some(KnownModule::Math),
        Some("cmath") => Some(KnownModule::Cmath),
        Some("builtins") => Some(KnownModule::Builtins),
        Some("situ.local") => Some(KnownModule::SituLocal),
        Some("situ.private") => Some(KnownModule::SituPrivate),
        Some("situ.atomic") => Some(KnownModule::SituAtomic),
        Some(module) if module.starts_with("situ.kernel_api") => Some(KnownModule::SituKernelApi),
        Some(module) if module.starts_with("situ.") => Some(KnownModule::Situ),
        _ => None,
    };
    let is_kernel = object.is_instance_of::<PyKernel>();
    let known = known.filter(|_| object.is_callable() && !is_kernel);
    Ok(known.map(|module| Binding::Function(module, name)))
}

/// What an object is, for messages.
fn describe(object: &Bound<'_, PyAny>) -> PyResult<String> {
    if object.is_instance_of::<PyNone>() {
        return Ok("`None`".to_owned());
    }
    if object.is_instance_of::<PyString>() {
        return Ok("a string".to_owned());
    }
    if object.is_instance_of::<PyKernel>() {
        return Ok("a kernel".to_owned());
    }
    if object.is_instance_of::<PyArray>() {
        return Ok("a situ array".to_owned());
    }
    let class = object.get_type();
    let name = class.name()?.to_string();
    let module: String = class.getattr("__module__")?.extract()?;
    Ok(match (module.as_str(), name.as_str()) {
        ("numpy", "ndarray") => "a NumPy array".to_owned(),
        ("builtins", "function") => "a Python function".to_owned(),
        ("builtins", "list" | "dict" | "set" | "bytes") => format!("a {name}"),
        ("builtins", _) => format!("a `{name}`"),
        _ => format!("a `{module}.{name}`"),
    })
}
