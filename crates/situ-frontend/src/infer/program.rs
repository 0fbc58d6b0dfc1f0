//! The device functions a kernel calls, each specialised for the types it is called with.

use std::collections::BTreeMap;
use std::rc::Rc;

use situ_ir::{AddressSpace, DType, Diagnostics};

use crate::environment::Environment;
use crate::infer::{Failure, Subject, infer};
use crate::parse::parse_function;
use crate::plan::{ArgumentType, Layout};
use crate::specialize::Options;
use crate::syntax;
use crate::typed::{Function, FunctionId};

/// The type of a parameter of a kernel or device function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ParameterType {
    Scalar(DType),
    Array {
        dtype: DType,
        ndim: usize,
        layout: Layout,
        space: AddressSpace,
    },
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
    known: BTreeMap<(usize, Vec<ParameterType>), Specialised>,
}

impl<'e> Program<'e> {
    pub(crate) fn new(environment: &'e Environment, options: Options) -> Self {
        Self {
            environment,
            options,
            functions: Vec::new(),
            parsed: BTreeMap::new(),
            known: BTreeMap::new(),
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
        let key = (function, parameters.to_vec());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        self.known.insert(key.clone(), Specialised::Recursive);
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
        self.known.insert(key, specialised.clone());
        specialised
    }
}
