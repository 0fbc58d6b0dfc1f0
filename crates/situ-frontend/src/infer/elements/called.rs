//! Functions that are called with arrays and return arrays: what is passed so that they can make new ones.
//!
//! After its parameters such a function gets the place of each, counted from the start of the heap, the heap in each
//! dtype, and where the heap's own words are. An array that it returns is a part of the heap's memory whose block is kept
//! for the caller, who gives it up at the end of the statement.

use situ_ir::{DType, Span};

use super::memory::{HEAP_FUNCTIONS, heap_name, place_name};
use crate::infer::value::{LocalType, Object, ObjectKind, Value};
use crate::infer::views::{Region, index_literal};
use crate::infer::{Inference, ParameterType};
use crate::plan::Layout;
use crate::syntax;
use crate::typed::{Argument, ArrayId, ArrayOrigin, Call, FunctionId, Statement};

/// The parameter that tells where the heap's own words are.
pub(in crate::infer) const HEAD: &str = "situ__head";

/// What the parameters for memory of a function are called.
pub(in crate::infer) fn memory_names(
    function: &syntax::Function,
) -> impl Iterator<Item = String> + use<> {
    let places = function.parameters.iter();
    let places: Vec<_> = places.map(|name| place_name(&name.name)).collect();
    let heaps = DType::ALL.iter().map(|dtype| heap_name(*dtype));
    places.into_iter().chain(heaps).chain([HEAD.to_owned()])
}

/// Whether a parameter is an array, or has one among its items.
fn is_array(ty: &ParameterType) -> bool {
    match ty {
        ParameterType::Array { .. } => true,
        ParameterType::Tuple(items) => items.iter().any(is_array),
        _ => false,
    }
}

/// Whether there are arrays among what a function returns.
pub(in crate::infer) fn has_arrays(result: &LocalType) -> bool {
    match result {
        LocalType::Object { .. } => true,
        LocalType::Tuple(items) => items.iter().any(has_arrays),
        _ => false,
    }
}

impl Inference<'_, '_, '_> {
    /// Whether a function that is called gets memory: not from code that has none, nor one that hands it out.
    pub(in crate::infer) fn passes_memory(&self, function: usize) -> bool {
        let environment = self.program.environment;
        let is_heaps = environment
            .functions
            .get(function)
            .is_some_and(|definition| HEAP_FUNCTIONS.contains(&definition.name.as_str()));
        self.writes_out_arrays() && !is_heaps && self.heap(DType::I64).is_some()
    }

    /// What is passed for the parameters for memory; `None`, and reported, if it is not known where an array is.
    pub(in crate::infer) fn memory_arguments(
        &mut self,
        given: &[(ParameterType, Vec<Argument>)],
        span: Span,
    ) -> Option<Vec<(ParameterType, Vec<Argument>)>> {
        let number = |value| {
            (
                ParameterType::Scalar(DType::I64),
                vec![Argument::Scalar(value)],
            )
        };
        let mut memory = Vec::new();
        for (ty, arguments) in given {
            let place = match (ty, arguments.as_slice()) {
                (ParameterType::Array { .. }, [Argument::Array(array)]) => {
                    let whole = self.whole(*array, span);
                    self.on_heap(whole, span)
                }
                (ParameterType::Array { .. }, [Argument::View(view)]) => {
                    let array = self.of_flat(view.flat);
                    let part = Region {
                        array,
                        offset: view.offset.clone(),
                        shape: Vec::new(),
                        strides: Vec::new(),
                        is_contiguous: false,
                        owner: self.is_heap(array).then(|| index_literal(0, span)),
                    };
                    self.on_heap(part, span)
                }
                (ty, _) if !is_array(ty) => {
                    memory.push(number(index_literal(0, span)));
                    continue;
                }
                _ => None,
            };
            let Some(place) = place else {
                self.not_written_out("an argument that has arrays among its items", span);
                return None;
            };
            memory.push(number(place.offset));
        }
        for dtype in DType::ALL {
            memory.push(match self.heap(dtype) {
                Some(heap) => {
                    let ty = ParameterType::Array {
                        dtype,
                        ndim: 1,
                        layout: Layout::Contiguous,
                        space: self.array(heap).space,
                    };
                    (ty, vec![Argument::Array(heap)])
                }
                None => number(index_literal(0, span)),
            });
        }
        let head = self.head(span);
        memory.push(number(head));
        Some(memory)
    }

    /// What a function returns, in terms of the caller's heap.
    pub(in crate::infer) fn mapped_result(&self, result: LocalType, id: FunctionId) -> LocalType {
        match result {
            LocalType::Tuple(items) => {
                let items = items.into_iter();
                LocalType::Tuple(items.map(|item| self.mapped_result(item, id)).collect())
            }
            LocalType::Object {
                kind:
                    ObjectKind::View {
                        array,
                        ndim,
                        is_contiguous,
                        is_owned: true,
                    },
                parts,
            } => {
                let dtype = self.program.functions[id.0].arrays[array.0].dtype;
                LocalType::Object {
                    kind: ObjectKind::View {
                        array: self.heap(dtype).unwrap_or(array),
                        ndim,
                        is_contiguous,
                        is_owned: true,
                    },
                    parts,
                }
            }
            other => other,
        }
    }

    /// Calls a function now that returns arrays.
    pub(in crate::infer) fn returned_arrays(
        &mut self,
        call: Call,
        result: &LocalType,
        span: Span,
    ) -> Value {
        let mut code = std::mem::take(&mut self.before);
        let value = self.call_now(call, result, span, &mut code);
        self.before = code;
        self.keep_returned(&value);
        value
    }

    /// Notes the blocks that a function has kept for its caller.
    fn keep_returned(&mut self, value: &Value) {
        match value {
            Value::Tuple(items) => items.iter().for_each(|item| self.keep_returned(item)),
            Value::Object(Object {
                kind: ObjectKind::View { is_owned: true, .. },
                parts,
            }) => self.kept.extend(parts.last().cloned()),
            _ => {}
        }
    }

    /// Whether this function is called with memory, so that it must leave none behind.
    pub(in crate::infer) fn is_called_with_memory(&self) -> bool {
        matches!(
            self.locals.get(HEAD).map(|local| &local.ty),
            Some(LocalType::Scalar(_))
        )
    }

    /// Gives up the blocks that names hold, at the end of a function.
    pub(in crate::infer) fn release_names(&mut self, span: Span) -> Vec<Statement> {
        let mut code = Vec::new();
        for (name, position) in self.block_positions() {
            let variable = self.variable_id(&name, position, DType::I64);
            let block = super::loops::variable(variable, DType::I64, span);
            code.extend(self.release_block(block, span));
        }
        code
    }

    /// Whether an array is the heap.
    pub(in crate::infer) fn is_heap(&self, array: ArrayId) -> bool {
        self.heap(self.array(array).dtype) == Some(array)
    }

    /// The array that a flat one is of.
    fn of_flat(&self, flat: ArrayId) -> ArrayId {
        match self.array(flat).origin {
            ArrayOrigin::Flat { of } => of,
            _ => flat,
        }
    }
}
