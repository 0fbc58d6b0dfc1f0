//! A Python function as its source: what kernels and device functions are made of.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use situ_array::device_dtypes;
use situ_frontend::{ItemParameter, ItemType, Options, Purpose, item_parameter};
use situ_ir::{NdRange, Source};
use situ_runtime::config::process_config;
use situ_runtime::{BackendKind, Device};

use crate::error::exceptions::KernelTypeError;

/// A function read from its source.
pub(crate) struct Definition {
    pub(crate) function: Py<PyAny>,
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) parameters: Vec<String>,
    /// What the last parameters are if no argument is passed for them, as Python evaluated it.
    defaults: Vec<Py<PyAny>>,
    /// Whether the first parameter is an index object, which the launch makes.
    pub(crate) item: ItemParameter,
    /// Whether an index that is negative at run time counts from the end.
    pub(crate) wrap_indices: bool,
    /// Whether accesses outside of arrays are skipped and reported.
    pub(crate) check_bounds: bool,
    /// Whether each argument is one parameter: no `*args`, no keyword-only parameters.
    pub(crate) is_plain: bool,
}

impl Definition {
    pub(crate) fn new(
        function: &Bound<'_, PyAny>,
        text: String,
        file: String,
        line: u32,
    ) -> PyResult<Self> {
        // `inspect.CO_VARARGS` and `inspect.CO_VARKEYWORDS`.
        const VARIADIC: u32 = 0x04;
        const KEYWORDS: u32 = 0x08;
        let code = function.getattr("__code__")?;
        let count: usize = code.getattr("co_argcount")?.extract()?;
        let keyword_only: usize = code.getattr("co_kwonlyargcount")?.extract()?;
        let flags: u32 = code.getattr("co_flags")?.extract()?;
        let mut parameters: Vec<String> = code.getattr("co_varnames")?.extract()?;
        // Python keeps `*args` after the parameters that are given by name only; they are written the other way round.
        let is_variadic = flags & VARIADIC != 0;
        parameters.truncate(count + keyword_only + usize::from(is_variadic));
        if is_variadic {
            parameters[count..].rotate_right(1);
        }
        let defaults: Option<Vec<Py<PyAny>>> = function.getattr("__defaults__")?.extract()?;
        let name: String = function.getattr("__name__")?.extract()?;
        let source = Source::new(file, text).starting_at_line(line);
        Ok(Self {
            item: item_parameter(&source, &name),
            name,
            source,
            parameters,
            defaults: defaults.unwrap_or_default(),
            is_plain: keyword_only == 0 && flags & (VARIADIC | KEYWORDS) == 0,
            wrap_indices: false,
            check_bounds: false,
            function: function.clone().unbind(),
        })
    }

    /// What is compiled for ranges of so many dimensions on a device.
    pub(crate) fn options(&self, dims: Option<u8>, device: &Device) -> Options {
        Options {
            default_float: device_dtypes::default_float(device),
            dims,
            wrap_indices: self.wrap_indices,
            // Settings are read now and not by the decorator, which runs when modules are imported.
            check_bounds: self.check_bounds
                || process_config().check_bounds
                || finds_mistakes(device),
            purpose: Purpose::Kernel,
        }
    }

    pub(crate) fn attribute<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.function.bind(py).getattr(name)
    }

    /// The parameters that arguments are passed for.
    pub(crate) fn passed_parameters(&self) -> &[String] {
        self.parameters.get(self.item.count()..).unwrap_or_default()
    }

    /// The name of the parameter that an argument is for.
    pub(crate) fn parameter_name(&self, position: usize) -> &str {
        self.passed_parameters()
            .get(position)
            .map_or("argument", String::as_str)
    }

    /// The arguments of a launch in the order of the parameters, one for each: those that are given by position, then
    /// by name, then what Python has as defaults.
    ///
    /// # Errors
    /// `KernelTypeError` for arguments that do not fit the parameters.
    pub(crate) fn ordered<'py>(
        &self,
        positional: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut objects: Vec<_> = positional.iter().collect();
        let keywords = keywords.filter(|keywords| !keywords.is_empty());
        let parameters = self.passed_parameters();
        // Parameters that kernels cannot have are the front end's to explain.
        if !self.is_plain || (keywords.is_none() && objects.len() == parameters.len()) {
            return Ok(objects);
        }
        if let Some(keywords) = keywords {
            self.check_keywords(positional.len(), keywords)?;
        }
        let found = objects.len() + keywords.map_or(0, PyDictMethods::len);
        let mut missing = Vec::new();
        for (position, name) in parameters.iter().enumerate().skip(positional.len()) {
            let named = keywords
                .map(|keywords| keywords.get_item(name))
                .transpose()?;
            match named
                .flatten()
                .or_else(|| self.default(positional.py(), position))
            {
                Some(object) => objects.push(object),
                None => missing.push(name.clone()),
            }
        }
        if missing.is_empty() && objects.len() == parameters.len() {
            return Ok(objects);
        }
        Err(self.wrong_count(found, &missing))
    }

    /// What a parameter is if no argument is passed for it.
    fn default<'py>(&self, py: Python<'py>, position: usize) -> Option<Bound<'py, PyAny>> {
        let position = position.checked_sub(self.required())?;
        let default = self.defaults.get(self.surplus_defaults() + position)?;
        Some(default.bind(py).clone())
    }

    /// What the last parameters are if no argument is passed for them, as far as all after them have defaults, too.
    ///
    /// # Errors
    /// Only what Python raises while the function is looked at.
    pub(crate) fn last_defaults<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let positional: usize = self
            .attribute(py, "__code__")?
            .getattr("co_argcount")?
            .extract()?;
        let named: Option<Bound<'py, PyDict>> = self.attribute(py, "__kwdefaults__")?.extract()?;
        let mut defaults = Vec::new();
        for (position, name) in self.parameters.iter().enumerate().rev() {
            let default = if position < positional {
                let place = (position + self.defaults.len()).checked_sub(positional);
                place.map(|place| self.defaults[place].bind(py).clone())
            } else {
                let named = named.as_ref().map(|named| named.get_item(name));
                named.transpose()?.flatten()
            };
            let Some(default) = default else { break };
            defaults.push(default);
        }
        defaults.reverse();
        Ok(defaults)
    }

    /// How many arguments there must be.
    fn required(&self) -> usize {
        self.passed_parameters()
            .len()
            .saturating_sub(self.defaults.len())
    }

    /// How many defaults are for parameters that nothing is passed for: one, if the index object has one.
    fn surplus_defaults(&self) -> usize {
        self.defaults
            .len()
            .saturating_sub(self.passed_parameters().len())
    }

    /// Checks that a range has the index object that the kernel takes; tells which one.
    ///
    /// # Errors
    /// `KernelTypeError` if the parameter is annotated as the other one.
    pub(crate) fn check_range(&self, range: Option<NdRange>) -> PyResult<ItemType> {
        let item = ItemType {
            dims: range.map_or(1, |range| range.dims() as u8),
            has_groups: range.is_some_and(|range| range.local().is_some()),
        };
        let is_right = self.item == ItemParameter::None || self.item.accepts(item);
        if is_right {
            return Ok(item);
        }
        Err(self.wrong_range())
    }

    /// Why the range of a launch is not one that the kernel is written for.
    fn wrong_range(&self) -> PyErr {
        let kernel = &self.name;
        let item = self.parameters.first().map_or("item", String::as_str);
        let (class, gives, help) = match self.item {
            ItemParameter::NdItem => (
                "NdItem",
                "this range has no work-groups",
                "launch over `situ.NdRange(global_size, local_size)`",
            ),
            _ => (
                "Item",
                "this range is cut into work-groups",
                "launch over `situ.Range(n)`",
            ),
        };
        KernelTypeError::new_err(format!(
            "kernel `{kernel}` is written for another kind of range\n  why:  its parameter `{item}` \
             is annotated as `{class}`, and {gives}\n  help: {help}, or change the annotation"
        ))
    }

    /// Why a launch has too few or too many arguments.
    fn wrong_count(&self, found: usize, missing: &[String]) -> PyErr {
        let name = &self.name;
        let parameters = self.passed_parameters();
        let (required, most) = (self.required(), parameters.len());
        let takes = if required == most {
            most.to_string()
        } else {
            format!("{required} to {most}")
        };
        let arguments = if most == 1 { "argument" } else { "arguments" };
        let verb = if found == 1 { "was" } else { "were" };
        let missing = match missing {
            [] => String::new(),
            missing => format!("; nothing is given for {}", quoted(missing)),
        };
        KernelTypeError::new_err(format!(
            "kernel `{name}` takes {takes} {arguments}, but {found} {verb} given\n  why:  its parameters \
             are {}{}{missing}\n  help: {}",
            quoted(parameters),
            self.item_note(),
            self.count_help(found),
        ))
    }

    fn count_help(&self, found: usize) -> String {
        let one_is_missing = found + 1 == self.parameters.len();
        match self.parameters.first() {
            Some(first) if one_is_missing && self.item == ItemParameter::None => format!(
                "pass one argument for each; if `{first}` is meant to be the index object, write \
                 `{first}: situ.kernel_api.Item` or `NdItem`"
            ),
            _ if self.defaults.is_empty() => "pass one argument for each".to_owned(),
            _ => "pass one argument for each that has no default".to_owned(),
        }
    }

    fn item_note(&self) -> String {
        match self.parameters.first() {
            Some(first) if self.item != ItemParameter::None => {
                format!(", after the index object `{first}` that every launch makes itself")
            }
            _ => String::new(),
        }
    }

    /// Checks that arguments given by name are for parameters that got none by position.
    fn check_keywords(&self, positional: usize, keywords: &Bound<'_, PyDict>) -> PyResult<()> {
        let parameters = self.passed_parameters();
        for keyword in keywords.keys() {
            let keyword: String = keyword.extract()?;
            let position = parameters.iter().position(|name| *name == keyword);
            let problem = match position {
                Some(position) if position >= positional => continue,
                Some(_) => "was given twice",
                None => "does not exist",
            };
            return Err(KernelTypeError::new_err(format!(
                "argument `{keyword}` of kernel `{}` {problem}\n  why:  its parameters are {}{}\n  \
                 help: pass one argument for each",
                self.name,
                quoted(parameters),
                self.item_note(),
            )));
        }
        Ok(())
    }
}

/// Whether a device is for finding mistakes and not for speed. The reference device sees accesses outside of an
/// allocation by itself, but only the kernel knows where a row or a part of an array ends.
fn finds_mistakes(device: &Device) -> bool {
    matches!(
        device.backend(),
        BackendKind::Virtual | BackendKind::Reference
    ) || process_config().sanitize
}

/// Names in backticks, with commas and a final "and".
pub(crate) fn quoted<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
