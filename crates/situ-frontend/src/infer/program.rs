//! The device functions a kernel calls, each specialised for the types it is called with.

use std::collections::BTreeMap;
use std::rc::Rc;

use situ_ir::{AddressSpace, DType, Diagnostics};

use crate::environment::Environment;
use crate::infer::value::Static;
use crate::infer::{Failure, Subject, infer};
use crate::parse::parse_function;
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
    /// It is being specialised: it calls itself, directly or not.
    Recursive,
}

/// Everything that is compiled together.
pub(crate) struct Program<'e> {
    pub(crate) environment: &'e Environment,
    pub(crate) options: Options,
    /// Specialised functions; each comes after those it calls.
    pub(crate) functions: Vec<Function>,
    parsed: BTreeMap<usize, Result<Rc<syntax::Function>, Diagnostics>>,
    /// What came of each function and list of types; few, so a list is quickest.
    known: Vec<(usize, Vec<ParameterType>, Specialised)>,
    /// Functions that are being specialised, innermost last.
    open: Vec<usize>,
}

impl<'e> Program<'e> {
    pub(crate) fn new(environment: &'e Environment, options: Options) -> Self {
        Self {
            environment,
            options,
            functions: Vec::new(),
            parsed: BTreeMap::new(),
            known: Vec::new(),
            open: Vec::new(),
        }
    }

    /// The syntax of a device function.
    ///
    /// # Errors
    /// What is wrong with its source.
    pub(crate) fn syntax(&mut self, function: usize) -> Result<Rc<syntax::Function>, Diagnostics> {
        let environment = self.environment;
        self.parsed
            .entry(function)
            .or_insert_with(|| {
                let definition = &environment.functions[function];
                let source = &definition.source;
                parse_function(source, &definition.name)
                    .map(Rc::new)
                    .map_err(|list| Diagnostics {
                        list,
                        source: Some(source.clone()),
                    })
            })
            .clone()
    }

    /// The device function for these types, which are as many as it has parameters.
    pub(crate) fn specialise(
        &mut self,
        function: usize,
        syntax: &syntax::Function,
        parameters: &[ParameterType],
    ) -> Specialised {
        // Whatever the types are: a function that is on the way has no result yet.
        if self.open.contains(&function) {
            return Specialised::Recursive;
        }
        let mut known = self.known.iter();
        if let Some((_, _, known)) =
            known.find(|(other, types, _)| *other == function && types == parameters)
        {
            return known.clone();
        }
        self.open.push(function);
        let environment = self.environment;
        let definition = &environment.functions[function];
        let subject = Subject {
            syntax,
            bindings: &definition.bindings,
            parameters,
            origin: Some(function),
        };
        let specialised = match infer(self, subject) {
            Ok(typed) => {
                self.functions.push(typed);
                Specialised::Function(FunctionId(self.functions.len() - 1))
            }
            Err(Failure { own, mut callees }) => {
                if !own.is_empty() {
                    let source = Some(definition.source.clone());
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
