//! `situ.Kernel`: a Python function that runs once for each work-item of a range.
//!
//! The way of a call: read the arguments into a small key (`arguments.rs`), find the specialisation
//! for that key and device, or compile it (`specialisation.rs`, `environment.rs`), find the range
//! (`range.rs`), fill in the kernel's parameters by its plan, launch. Nothing on that way is written in
//! Python, and nothing but a first call takes longer than a few microseconds.

mod arguments;
mod definition;
pub(crate) mod environment;
mod frozen_names;
pub(crate) mod host_data;
mod local_accessor;
pub(crate) mod messages;
mod range;
mod refused_argument;
mod specialisation;

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use situ_frontend::{Environment, ItemParameter};
use situ_ir::NdRange;
use situ_runtime::{Event, Queue};

use crate::detach::detach;
use crate::error::exceptions::KernelError;
use crate::error::{IntoPyErr, guard};
use crate::event::{PyEvent, events_from_python};
use crate::{placement, queue, usm_interface};
use arguments::Arguments;
pub(crate) use definition::{Definition, quoted};
pub(crate) use frozen_names::FrozenNames;
use host_data::Visit;
pub(crate) use local_accessor::PyLocalAccessor;
pub(crate) use refused_argument::missing_dtype;
pub(crate) use specialisation::compile_error;
use specialisation::{Form, Meaning, Specialisation};

/// A Python function that runs once for each work-item of a range.
// The dictionary holds the function's docstring and module; getters would hide the class's.
#[pyclass(frozen, dict, name = "Kernel", module = "situ")]
pub(crate) struct PyKernel {
    definition: Definition,
    /// What the names around the function stand for; read at the first call, then fixed.
    environment: PyOnceLock<Environment>,
    /// One for each list of argument types and device; few, so a list is quickest.
    specialisations: RwLock<Vec<Arc<Specialisation>>>,
}

#[pymethods]
impl PyKernel {
    /// Made by `situ.kernel`, which reads the source.
    #[new]
    #[pyo3(signature = (function, text, file, line, *, wrap_indices = false, bounds = false))]
    fn new(
        function: &Bound<'_, PyAny>,
        text: String,
        file: String,
        line: u32,
        wrap_indices: bool,
        bounds: bool,
    ) -> PyResult<Self> {
        guard(|| {
            let mut definition = Definition::new(function, text, file, line)?;
            definition.wrap_indices = wrap_indices;
            definition.check_bounds = bounds;
            Ok(Self {
                definition,
                environment: PyOnceLock::new(),
                specialisations: RwLock::default(),
            })
        })
    }

    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__(
        &self,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        guard(|| {
            self.launch(Target::default(), arguments, keywords)
                .map(drop)
        })
    }

    fn __getitem__(slf: &Bound<'_, Self>, range: &Bound<'_, PyAny>) -> PyResult<PyRangedKernel> {
        guard(|| {
            let range = range::from_python(range, &slf.get().definition.name)?;
            let kernel = slf.clone().unbind();
            Ok(PyRangedKernel {
                kernel,
                range,
                queue: None,
            })
        })
    }

    /// Runs the function as plain Python, one call for each work-item.
    #[pyo3(signature = (*arguments, **keywords))]
    fn simulate(
        &self,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        guard(|| self.simulate_over(None, arguments, keywords))
    }

    /// The types and targets it was compiled for so far. A device and its parts are one target.
    #[getter]
    fn specializations(&self) -> Vec<String> {
        let known = self.known();
        let mut texts: Vec<String> = Vec::with_capacity(known.len());
        for text in known.iter().map(ToString::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    /// The code of all specialisations so far, as IR or in the forms that are asked for: by name, as in
    /// `inspect("llvm")`, or by keywords, as in `inspect(llvm=True, asm=True)`.
    #[pyo3(signature = (form = None, /, *, ir = false, llvm = false, opencl = false, asm = false))]
    #[expect(
        clippy::fn_params_excessive_bools,
        reason = "they are the keywords of the Python method"
    )]
    fn inspect(
        &self,
        py: Python<'_>,
        form: Option<&str>,
        ir: bool,
        llvm: bool,
        opencl: bool,
        asm: bool,
    ) -> PyResult<String> {
        guard(|| {
            let named = form.map(Form::from_name).transpose()?;
            let asked = [
                (Form::Ir, ir),
                (Form::Llvm, llvm),
                (Form::OpenCl, opencl),
                (Form::Assembly, asm),
            ];
            let asked = asked.into_iter().filter(|(_, is_asked)| *is_asked);
            let mut forms: Vec<_> = named
                .into_iter()
                .chain(asked.map(|(form, _)| form))
                .collect();
            if forms.is_empty() {
                forms.push(Form::Ir);
            }
            let known = self.known().clone();
            let name = &self.definition.name;
            if known.is_empty() {
                return Err(KernelError::new_err(format!(
                    "`{name}` has not been compiled yet\n  why:  a kernel is compiled for the \
                     types it is called with\n  help: call it once, then look at it"
                )));
            }
            let mut texts = Vec::new();
            for form in forms {
                let before = texts.len();
                for each in &known {
                    texts.extend(each.text(py, name, form)?);
                }
                if texts.len() == before {
                    return Err(KernelError::new_err(format!(
                        "there is no assembly of `{name}` to show\n  why:  only the native device compiles to \
                         machine code here; drivers keep theirs to themselves\n  help: run `{name}` on the native \
                         device, or inspect it as `ir`, `llvm` or `opencl`"
                    )));
                }
            }
            texts.dedup();
            Ok(texts.join("\n"))
        })
    }

    #[getter]
    fn __wrapped__(&self, py: Python<'_>) -> Py<PyAny> {
        self.definition.function.clone_ref(py)
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.definition.name
    }

    #[getter]
    fn __qualname__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.definition.attribute(py, "__qualname__")
    }

    fn __repr__(&self) -> String {
        let parameters = self.definition.parameters.join(", ");
        format!("<situ.Kernel {}({parameters})>", self.definition.name)
    }
}

impl PyKernel {
    fn known(&self) -> std::sync::RwLockReadGuard<'_, Vec<Arc<Specialisation>>> {
        self.specialisations
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Submits the kernel over a range, or over the common shape of its arrays.
    fn launch(
        &self,
        target: Target<'_>,
        positional: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Event> {
        let py = positional.py();
        let mut objects = self.definition.ordered(positional, keywords)?;
        usm_interface::adopt(&mut objects)?;
        match host_data::target(py, &self.definition, &objects)? {
            Some(queue) => self.launch_on_host_data(py, target, &objects, queue),
            None => self.prepare(py, target, &objects)?.submit(py),
        }
    }

    /// Brings arrays of the host to a queue, runs the kernel there and gives back what it wrote.
    fn launch_on_host_data<'py>(
        &self,
        py: Python<'py>,
        target: Target<'_>,
        objects: &[Bound<'py, PyAny>],
        queue: Queue,
    ) -> PyResult<Event> {
        let queue = target.queue.clone().unwrap_or(queue);
        let visit = Visit::new(py, &self.definition, objects, &queue)?;
        let target = Target {
            queue: Some(queue),
            ..target
        };
        let launch = self.prepare(py, target, &visit.arguments)?;
        let parameters = &self.definition.parameters;
        let written = launch.specialisation.written_arguments();
        let written: Vec<_> = written
            .filter_map(|each| parameters.get(each).map(String::as_str))
            .collect();
        visit.check(&written)?;
        let event = launch.submit(py)?;
        detach(py, || event.wait())?;
        visit.give_back(&written)?;
        Ok(event)
    }

    /// Finds out where and over what the kernel runs, and compiles it if need be.
    fn prepare<'a>(
        &'a self,
        py: Python<'_>,
        target: Target<'a>,
        objects: &'a [Bound<'_, PyAny>],
    ) -> PyResult<Launch<'a>> {
        let mut arguments = Arguments::read(&self.definition, objects, target.range)?;
        let queue = match arguments.queue(py, target.queue.as_ref())? {
            Some(queue) => queue,
            None => placement::current(py)?,
        };
        arguments.adapt_to(queue.device())?;
        let found = self
            .known()
            .iter()
            .find(|each| each.is_for(queue.device(), arguments.key()))
            .cloned();
        let specialisation = match found {
            Some(specialisation) => specialisation,
            None => self.compile(py, &arguments, queue.device())?,
        };
        let range = match target.range {
            Some(range) => range,
            None => arguments.common_range(specialisation.dims())?,
        };
        Ok(Launch {
            specialisation,
            arguments,
            queue,
            range,
            events: target.events,
        })
    }

    /// Runs the function as plain Python over a range, or over the common shape of its arrays.
    fn simulate_over(
        &self,
        range: Option<NdRange>,
        positional: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let py = positional.py();
        let mut objects = self.definition.ordered(positional, keywords)?;
        usm_interface::adopt(&mut objects)?;
        self.definition.check_range(range)?;
        let sizes = range.map(|range| {
            let sizes = |sizes: [u64; 3]| PyTuple::new(py, &sizes[..range.dims()]);
            let local = range.local().map(sizes).transpose();
            sizes(range.global()).and_then(|global| Ok((global, local?)))
        });
        let simulation = py.import("situ._simulation")?;
        let takes_item = self.definition.item != ItemParameter::None;
        let arguments = (
            self.__wrapped__(py),
            objects,
            sizes.transpose()?,
            takes_item,
        );
        simulation.call_method1("simulate", arguments)?;
        Ok(())
    }

    /// Submits the kernel over a range to a queue, or to that of its arrays; after exactly these events if there are
    /// any.
    pub(crate) fn submit(
        &self,
        range: &Bound<'_, PyAny>,
        (arguments, keywords): (&Bound<'_, PyTuple>, Option<&Bound<'_, PyDict>>),
        queue: Option<&Queue>,
        events: Option<&[Event]>,
    ) -> PyResult<Event> {
        let range = range::from_python(range, &self.definition.name)?;
        let target = Target::over(range, queue, events);
        self.launch(target, arguments, keywords)
    }

    fn compile(
        &self,
        py: Python<'_>,
        arguments: &Arguments<'_>,
        device: &situ_runtime::Device,
    ) -> PyResult<Arc<Specialisation>> {
        let definition = &self.definition;
        let environment = self
            .environment
            .get_or_try_init(py, || environment::collect(definition.function.bind(py)))?;
        let key = arguments.key();
        let (types, dims) = (arguments.types(), arguments.dims());
        let options = definition.options(dims, device);
        let known = self
            .known()
            .iter()
            .find_map(|each| each.meaning(options, key).cloned());
        let made = detach(py, || {
            let meaning = match known {
                Some(known) => known,
                None => Arc::new(Meaning::find(
                    definition,
                    environment,
                    key.clone(),
                    types,
                    options,
                )?),
            };
            Specialisation::compile(meaning, device)
        });
        let made = Arc::new(made?);
        let mut known = self
            .specialisations
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been quicker; then its kernel serves both.
        if let Some(theirs) = known.iter().find(|each| each.is_for(device, key)) {
            return Ok(Arc::clone(theirs));
        }
        known.push(Arc::clone(&made));
        Ok(made)
    }
}

/// Where and over what a kernel runs, as far as the caller has said.
#[derive(Clone, Default)]
struct Target<'a> {
    /// The range; the common shape of the arrays if `None`.
    range: Option<NdRange>,
    /// The queue; that of the arrays if `None`.
    queue: Option<Queue>,
    /// What it waits for; what uses the same data if `None`.
    events: Option<&'a [Event]>,
}

impl<'a> Target<'a> {
    fn over(range: NdRange, queue: Option<&Queue>, events: Option<&'a [Event]>) -> Self {
        Self {
            range: Some(range),
            queue: queue.cloned(),
            events,
        }
    }
}

/// A launch of which everything is known.
struct Launch<'a> {
    specialisation: Arc<Specialisation>,
    arguments: Arguments<'a>,
    queue: Queue,
    range: NdRange,
    events: Option<&'a [Event]>,
}

impl Launch<'_> {
    fn submit(&self, py: Python<'_>) -> PyResult<Event> {
        let (kernel, range) = (self.specialisation.kernel(), &self.range);
        let messages = self.specialisation.messages();
        let report = messages::report(&self.queue, kernel, messages, *range)
            .map_err(|error| error.into_py_err(py))?;
        let report = report.as_ref();
        let passed = self.arguments.passed(self.specialisation.plan(), report);
        detach(py, || match (report, self.events) {
            (Some(report), events) => {
                let queue = &self.queue;
                queue.launch_reporting(kernel, range, &passed, report, events)
            }
            (None, Some(events)) => self.queue.launch_after(kernel, range, &passed, events),
            (None, None) => self.queue.launch(kernel, range, &passed),
        })
    }
}

/// A kernel and the range it is to run over: what `kernel[range]` gives.
#[pyclass(frozen, name = "RangedKernel", module = "situ._native")]
pub(crate) struct PyRangedKernel {
    kernel: Py<PyKernel>,
    range: NdRange,
    queue: Option<Queue>,
}

#[pymethods]
impl PyRangedKernel {
    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__(
        &self,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        guard(|| {
            let kernel = self.kernel.get();
            let target = Target::over(self.range, self.queue.as_ref(), None);
            kernel.launch(target, arguments, keywords).map(drop)
        })
    }

    /// Submits the kernel and returns its event. It waits for commands that use the same arrays, or, with
    /// `depends`, for exactly those events.
    #[pyo3(signature = (*arguments, depends = None, **keywords))]
    fn submit(
        &self,
        arguments: &Bound<'_, PyTuple>,
        depends: Option<&Bound<'_, PyAny>>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyEvent> {
        guard(|| {
            let events = depends.map(events_from_python).transpose()?;
            let target = Target::over(self.range, self.queue.as_ref(), events.as_deref());
            let event = self.kernel.get().launch(target, arguments, keywords)?;
            Ok(PyEvent { event })
        })
    }

    /// Runs the function as plain Python, one call for each work-item of the range.
    #[pyo3(signature = (*arguments, **keywords))]
    fn simulate(
        &self,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        guard(|| {
            let kernel = self.kernel.get();
            kernel.simulate_over(Some(self.range), arguments, keywords)
        })
    }

    /// The same kernel and range on a queue of the caller's choice.
    fn on(&self, py: Python<'_>, queue: &Bound<'_, PyAny>) -> PyResult<Self> {
        guard(|| {
            Ok(Self {
                kernel: self.kernel.clone_ref(py),
                range: self.range,
                queue: Some(queue::select(py, Some(queue))?),
            })
        })
    }

    fn __repr__(&self) -> String {
        let dims = self.range.dims();
        let global = &self.range.global()[..dims];
        let name = &self.kernel.get().definition.name;
        match self.range.local() {
            Some(local) => format!(
                "<situ.Kernel {name} over {global:?} in groups of {:?}>",
                &local[..dims]
            ),
            None => format!("<situ.Kernel {name} over {global:?}>"),
        }
    }
}

/// A Python function that kernels can call.
#[pyclass(frozen, dict, name = "DeviceFunction", module = "situ")]
pub(crate) struct PyDeviceFunction {
    definition: Definition,
}

#[pymethods]
impl PyDeviceFunction {
    /// Made by `situ.device_func`, which reads the source.
    #[new]
    fn new(function: &Bound<'_, PyAny>, text: String, file: String, line: u32) -> PyResult<Self> {
        guard(|| {
            let definition = Definition::new(function, text, file, line)?;
            Ok(Self { definition })
        })
    }

    /// Called outside of kernels, it is the Python function.
    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__<'py>(
        &self,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = self.definition.function.bind(arguments.py());
        function.call(arguments, keywords)
    }

    #[getter]
    fn __wrapped__(&self, py: Python<'_>) -> Py<PyAny> {
        self.definition.function.clone_ref(py)
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.definition.name
    }

    #[getter]
    fn __qualname__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.definition.attribute(py, "__qualname__")
    }

    fn __repr__(&self) -> String {
        let parameters = self.definition.parameters.join(", ");
        format!(
            "<situ.DeviceFunction {}({parameters})>",
            self.definition.name
        )
    }
}
