//! The device functions a kernel calls, each specialised for the types it is called with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use situ_ir::{AddressSpace, DType, Diagnostics, Source};

use crate::environment::{Binding, Bindings, Environment, KnownModule};
use crate::host::{SameSizes, read_names, with_depth, written_parameters};
use crate::infer::elements::{SizeBound, memory_names};
use crate::infer::value::{LocalType, Static, Value};
use crate::infer::{Failure, Inferred, Subject, infer};
use crate::message::Message;
use crate::parse::{Dialect, parse_function_as};
use crate::plan::{ArgumentType, Layout};
use crate::specialize::Options;
use crate::syntax::{self, Constant};
use crate::typed::{Function, FunctionId};

/// The type of a parameter of a kernel or device function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParameterType {
    Scalar(DType),
    /// A number known when compiling, which takes the dtype of what it meets.
    Constant(Constant),
    Array {
        dtype: DType,
        ndim: usize,
        layout: Layout,
        space: AddressSpace,
    },
    /// Several values, each known by position.
    Tuple(Vec<ParameterType>),
    /// Something that is no number and no array: an index object, a dtype, a function.
    Static(Static),
}

impl From<ArgumentType> for ParameterType {
    fn from(argument: ArgumentType) -> Self {
        match argument {
            ArgumentType::Scalar(dtype) => Self::Scalar(dtype),
            ArgumentType::Array {
                dtype,
                ndim,
                layout,
            } => Self::Array {
                dtype,
                ndim,
                layout,
                space: AddressSpace::Global,
            },
            ArgumentType::Local { dtype, ndim } => Self::Array {
                dtype,
                ndim,
                layout: Layout::Contiguous,
                space: AddressSpace::Local,
            },
            ArgumentType::Item(item) => Self::Static(Static::Item(item)),
        }
    }
}

/// What came of specialising a device function.
#[derive(Clone, Debug)]
pub(crate) enum Specialised {
    Function(FunctionId),
    /// It has mistakes, in itself or in what it calls.
    Refused(Vec<Diagnostics>),
    /// It is the function that calls it.
    Itself,
    /// It is being specialised: it calls itself, in a way that cannot be compiled.
    Recursive,
}

/// What a parameter is if no argument is given.
pub(crate) enum DefaultArgument<'e> {
    /// Of a function inside of another.
    Evaluated(Value),
    /// Of any other, as Python evaluated it.
    Outside(&'e Binding),
}

/// Everything that is compiled together.
pub(crate) struct Program<'e> {
    pub(crate) environment: &'e Environment,
    pub(crate) options: Options,
    /// Specialised functions; each comes after those it calls.
    pub(crate) functions: Vec<Function>,
    /// What each of them returns.
    pub(crate) results: Vec<Option<LocalType>>,
    kernel_source: &'e Source,
    /// What the user calls the function that is compiled.
    pub(crate) title: String,
    /// How far loops over elements may count, in terms of the parameters of the function they are in.
    pub(crate) size_bounds: BTreeSet<Vec<SizeBound>>,
    /// Sizes of parameters that are the same as another, and which.
    pub(crate) same_sizes: SameSizes,
    /// The sizes of products of matrices, likewise.
    pub(crate) product_bounds: BTreeSet<Vec<SizeBound>>,
    /// What the functions say to the host.
    pub(crate) messages: Vec<Message>,
    parsed: BTreeMap<usize, Result<Arc<syntax::Function>, Diagnostics>>,
    /// Functions with parameters for memory, by number.
    with_memory: BTreeMap<usize, Arc<syntax::Function>>,
    /// Functions defined inside of others, numbered after those of the environment.
    inner: Vec<Inner<'e>>,
    /// What came of each function and list of types; few, so a list is quickest.
    known: Vec<(usize, Vec<ParameterType>, Specialised)>,
    /// Functions that are being specialised, innermost last, and what for.
    open: Vec<(usize, Vec<ParameterType>)>,
}

/// A function defined inside of another.
struct Inner<'e> {
    /// As it is written.
    written: Arc<syntax::Function>,
    /// With a parameter for each variable of the outer function that it uses.
    syntax: Arc<syntax::Function>,
    bindings: &'e Bindings,
    source: &'e Source,
    /// What its last parameters are if no argument is given.
    defaults: Vec<Value>,
}

impl<'e> Program<'e> {
    pub(crate) fn new(
        environment: &'e Environment,
        kernel_source: &'e Source,
        options: Options,
    ) -> Self {
        Self {
            environment,
            options,
            functions: Vec::new(),
            results: Vec::new(),
            kernel_source,
            title: String::new(),
            size_bounds: BTreeSet::new(),
            product_bounds: BTreeSet::new(),
            same_sizes: SameSizes::new(),
            messages: Vec::new(),
            parsed: BTreeMap::new(),
            with_memory: BTreeMap::new(),
            inner: Vec::new(),
            known: Vec::new(),
            open: Vec::new(),
        }
    }

    /// A member of a known module that is written in Python.
    pub(crate) fn member(&self, module: KnownModule, name: &str) -> Option<&'e Binding> {
        self.environment.members.get(&module)?.get(name)
    }

    /// The syntax of a device function, with a parameter for everything that is passed.
    ///
    /// # Errors
    /// What is wrong with its source.
    pub(crate) fn syntax(&mut self, function: usize) -> Result<Arc<syntax::Function>, Diagnostics> {
        let environment = self.environment;
        let Some(definition) = environment.functions.get(function) else {
            let inner = &self.inner[function - environment.functions.len()];
            return Ok(Arc::clone(&inner.syntax));
        };
        let dialect = if self.options.is_host() {
            Dialect::Host
        } else {
            Dialect::Kernel
        };
        self.parsed
            .entry(function)
            .or_insert_with(|| {
                let source = &definition.source;
                parse_function_as(dialect, source, &definition.name)
                    .map(|syntax| {
                        let is_itself = |name: &&str| {
                            matches!(definition.bindings.get(*name),
                                Some(Binding::DeviceFunction(called)) if *called == function)
                        };
                        if dialect == Dialect::Host
                            && read_names(&syntax.body).iter().any(is_itself)
                        {
                            with_depth(syntax)
                        } else {
                            syntax
                        }
                    })
                    .map(Arc::new)
                    .map_err(|list| Diagnostics {
                        list,
                        source: Some(source.clone()),
                    })
            })
            .clone()
    }

    /// A function with a parameter for the place of each other, and for the heap; `syntax` is what it is without.
    pub(crate) fn with_memory(
        &mut self,
        function: usize,
        syntax: &Arc<syntax::Function>,
    ) -> Arc<syntax::Function> {
        let made = self.with_memory.entry(function).or_insert_with(|| {
            let mut extended = syntax::Function::clone(syntax);
            let names: Vec<_> = memory_names(&extended).collect();
            let span = extended.name.span;
            extended.parameters.extend(
                names
                    .into_iter()
                    .map(|name| syntax::Identifier { name, span }),
            );
            Arc::new(extended)
        });
        Arc::clone(made)
    }

    /// The number of a function that is defined inside of another, where names mean what they mean
    /// there; `captured` are the variables of the outer function that it uses, `defaults` what its last parameters are
    /// if no argument is given.
    pub(crate) fn inner_function(
        &mut self,
        written: &Arc<syntax::Function>,
        (captured, defaults): (Vec<syntax::Identifier>, Vec<Value>),
        outer: Subject<'e, '_>,
    ) -> usize {
        let before = self.environment.functions.len();
        let mut known = self.inner.iter();
        if let Some(position) = known.position(|inner| Arc::ptr_eq(&inner.written, written)) {
            self.inner[position].defaults = defaults;
            return before + position;
        }
        let mut syntax = syntax::Function::clone(written);
        syntax.parameters.extend(captured);
        self.inner.push(Inner {
            written: Arc::clone(written),
            syntax: Arc::new(syntax),
            bindings: outer.bindings,
            source: outer.source,
            defaults,
        });
        before + self.inner.len() - 1
    }

    /// How many parameters of a function, the last ones, have defaults.
    pub(crate) fn default_count(&self, function: usize) -> usize {
        match self.environment.functions.get(function) {
            Some(definition) => definition.defaults.len(),
            None => self.inner[function - self.environment.functions.len()]
                .defaults
                .len(),
        }
    }

    /// What a parameter of a function is if no argument is given; `place` counts those that have defaults.
    pub(crate) fn default(&self, function: usize, place: usize) -> DefaultArgument<'e> {
        if let Some(definition) = self.environment.functions.get(function) {
            return DefaultArgument::Outside(&definition.defaults[place]);
        }
        let inner = &self.inner[function - self.environment.functions.len()];
        DefaultArgument::Evaluated(inner.defaults[place].clone())
    }

    /// How many of a function's parameters are written by the user; the others are captured.
    pub(crate) fn written_parameters(&self, function: usize, syntax: &syntax::Function) -> usize {
        let inner = function.checked_sub(self.environment.functions.len());
        inner.map_or_else(
            || written_parameters(syntax),
            |inner| self.inner[inner].written.parameters.len(),
        )
    }

    /// What a function is that is being specialised already, if it is.
    fn recursion(&self, function: usize, parameters: &[ParameterType]) -> Option<Specialised> {
        let is_it =
            |(open, types): &(usize, Vec<ParameterType>)| *open == function && types == parameters;
        if self.options.is_host() && self.open.last().is_some_and(is_it) {
            return Some(Specialised::Itself);
        }
        // A function that is on the way has no result yet. One that is called with a constant may call itself
        // with other numbers.
        let times = self.open.iter().filter(|(open, _)| *open == function);
        let is_hopeless = !self.options.is_host() || self.open.iter().any(is_it);
        let times = times.count();
        (times > 0 && is_hopeless || times > 2).then_some(Specialised::Recursive)
    }

    /// The device function for these types, which are as many as it has parameters.
    pub(crate) fn specialise(
        &mut self,
        function: usize,
        syntax: &syntax::Function,
        parameters: &[ParameterType],
    ) -> Specialised {
        if let Some(recursive) = self.recursion(function, parameters) {
            return recursive;
        }
        let mut known = self.known.iter();
        if let Some((_, _, known)) =
            known.find(|(other, types, _)| *other == function && types == parameters)
        {
            return known.clone();
        }
        let environment = self.environment;
        let (bindings, source) = if let Some(definition) = environment.functions.get(function) {
            (&definition.bindings, &definition.source)
        } else {
            let inner = &self.inner[function - environment.functions.len()];
            (inner.bindings, inner.source)
        };
        let subject = Subject {
            syntax,
            bindings,
            source,
            parameters,
            is_kernel: false,
            has_kernel_source: source == self.kernel_source,
        };
        self.open.push((function, parameters.to_vec()));
        let specialised = match infer(self, subject) {
            Ok(Inferred { function, result }) => {
                self.functions.push(function);
                self.results.push(result);
                Specialised::Function(FunctionId(self.functions.len() - 1))
            }
            Err(Failure { own, mut callees }) => {
                if !own.is_empty() {
                    let source = Some(source.clone());
                    callees.push(Diagnostics { list: own, source });
                }
                Specialised::Refused(callees)
            }
        };
        self.open.pop();
        self.known
            .push((function, parameters.to_vec(), specialised.clone()));
        specialised
    }
}
