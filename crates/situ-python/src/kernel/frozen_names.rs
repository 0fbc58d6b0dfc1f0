//! What the names around a function stood for at one moment.
//!
//! Compiled code has the values of globals and closure variables inside of it. What is not compiled must see the same
//! ones, or one call would compute with two values of a name. So they are looked up once and kept, with the
//! attributes of the modules and classes among them.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule, PyTuple, PyType};
use situ_frontend::KnownModule;

use crate::njit::PyNjit;

/// Deepest chain of modules and classes that is followed: `package.module.Class.NAME`.
pub(super) const MAX_DEPTH: usize = 4;

/// Closure variables, globals and their attributes, as far as a function may use them.
pub(crate) struct FrozenNames {
    /// Names in the function and in functions inside of it: globals and attributes.
    used: Vec<String>,
    /// Globals and closure variables that had a value.
    objects: HashMap<String, Py<PyAny>>,
    /// Attributes of modules and classes, by the address of the object, which is kept by another name.
    members: HashMap<(usize, String), Py<PyAny>>,
}

impl FrozenNames {
    /// Looks up the names that a function uses. Closure variables win over globals, as in Python.
    ///
    /// # Errors
    /// Only what Python raises while its objects are looked at.
    pub(crate) fn of(function: &Bound<'_, PyAny>) -> PyResult<Self> {
        let code = function.getattr("__code__")?;
        let mut names = Self {
            used: Vec::new(),
            objects: HashMap::new(),
            members: HashMap::new(),
        };
        names.add_used(&code)?;
        let globals = function.getattr("__globals__")?.cast_into::<PyDict>()?;
        for name in names.used.clone() {
            if let Some(object) = globals.get_item(&name)? {
                names.add(name, object);
            }
        }
        let free: Vec<String> = code.getattr("co_freevars")?.extract()?;
        let closure = function.getattr("__closure__")?;
        if !closure.is_none() {
            for (name, cell) in free.into_iter().zip(closure.try_iter()?) {
                // A cell that is still empty is a name that is not defined yet.
                if let Ok(object) = cell?.getattr("cell_contents") {
                    names.add(name, object);
                }
            }
        }
        Ok(names)
    }

    /// Names in code, and in the code of functions and comprehensions inside of it.
    fn add_used(&mut self, code: &Bound<'_, PyAny>) -> PyResult<()> {
        for name in code.getattr("co_names")?.extract::<Vec<String>>()? {
            if !self.used.contains(&name) {
                self.used.push(name);
            }
        }
        for constant in code.getattr("co_consts")?.try_iter()? {
            let constant = constant?;
            if constant.hasattr("co_names")? {
                self.add_used(&constant)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, name: String, object: Bound<'_, PyAny>) {
        self.add_members(&object, MAX_DEPTH);
        self.objects.insert(name, object.unbind());
    }

    /// Attributes of a module or class that the function may mean. Those of NumPy and the like do not change.
    fn add_members(&mut self, object: &Bound<'_, PyAny>, depth: usize) {
        if depth == 0 || !is_namespace(object) {
            return;
        }
        for name in self.used.clone() {
            let key = (object.as_ptr() as usize, name);
            // What raises an error is looked up when it is used.
            if !self.members.contains_key(&key)
                && let Ok(Some(member)) = object.getattr_opt(key.1.as_str())
            {
                self.members.insert(key, member.clone().unbind());
                self.add_members(&member, depth - 1);
            }
        }
    }

    /// Names in the function: globals and attributes.
    pub(super) fn used(&self) -> &[String] {
        &self.used
    }

    /// Globals and closure variables, in no order.
    pub(super) fn objects<'py>(
        &self,
        py: Python<'py>,
    ) -> impl Iterator<Item = (&String, Bound<'py, PyAny>)> {
        let objects = self.objects.iter();
        objects.map(move |(name, object)| (name, object.bind(py).clone()))
    }

    /// What a name stood for; `None` if it had no value.
    pub(crate) fn get<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
        self.objects.get(name).map(|object| object.bind(py).clone())
    }

    /// An attribute of a module or class, as it was.
    ///
    /// # Errors
    /// Only what Python raises.
    pub(crate) fn member<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        name: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let key = (object.as_ptr() as usize, name.to_owned());
        match self.members.get(&key) {
            Some(member) => Ok(Some(member.bind(object.py()).clone())),
            None => object.getattr_opt(name),
        }
    }

    /// The njit functions among them, which compiled code contains.
    pub(crate) fn for_each_njit(&self, py: Python<'_>, visit: &mut impl FnMut(&PyNjit)) {
        for object in self.objects.values().chain(self.members.values()) {
            for_each_njit(object.bind(py), visit);
        }
    }
}

fn for_each_njit(object: &Bound<'_, PyAny>, visit: &mut impl FnMut(&PyNjit)) {
    if let Ok(items) = object.cast::<PyTuple>() {
        items.iter().for_each(|item| for_each_njit(&item, visit));
    } else if let Ok(Some(function)) = super::environment::njit_function(object) {
        visit(function.get());
    }
}

/// Whether an object is a class or a module that the compiler does not know.
fn is_namespace(object: &Bound<'_, PyAny>) -> bool {
    match object.cast::<PyModule>() {
        Ok(module) => module
            .name()
            .is_ok_and(|name| KnownModule::from_name(&name.to_string()).is_none()),
        Err(_) => object.is_instance_of::<PyType>(),
    }
}
