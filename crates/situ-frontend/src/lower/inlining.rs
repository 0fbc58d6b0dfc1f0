//! Calls of device functions in which work-items meet: the function's body takes the place of the call.
//!
//! Barriers, collectives and local arrays belong to a kernel: whether all work-items of a group get there is only seen
//! there, and local memory is reserved for it. Such a function returns at its end only, which inference has checked,
//! so its results are variables and nothing jumps.

use std::mem::replace;

use situ_ir::{Expression as IrExpression, Handle, Variable};

use crate::lower::expressions::Called;
use crate::lower::{LoweredArray, Lowering};
use crate::typed::{Argument, Call, Function, FunctionResult, ParameterKind};

impl<'a> Lowering<'a> {
    /// Appends the body of a function; `numbers` are the lowered numbers of each argument.
    pub(super) fn inlined(
        &mut self,
        function: &'a Function,
        call: &Call,
        numbers: &[Vec<Handle<IrExpression>>],
    ) -> Called {
        let mut scalars = vec![None; function.parameters.len()];
        let mut arrays = vec![LoweredArray::default(); function.arrays.len()];
        for (position, parameter) in function.parameters.iter().enumerate() {
            match (parameter.kind, &call.arguments[position]) {
                (ParameterKind::Scalar { .. }, Argument::Scalar(_)) => {
                    let value = numbers[position][0];
                    scalars[position] = Some(self.builder.bind("argument", value));
                }
                (ParameterKind::Array(id), Argument::Array(passed)) => {
                    arrays[id.0] = self.arrays[passed.0].clone();
                }
                (ParameterKind::Array(id), Argument::View(view)) => {
                    let parts = numbers[position].iter();
                    let bound: Vec<_> =
                        parts.map(|part| self.builder.bind("part", *part)).collect();
                    let (sizes, strides) = bound[1..].split_at(view.shape.len());
                    let pointer = self.pointer(view.flat);
                    arrays[id.0] = LoweredArray {
                        pointer: Some(self.builder.offset(pointer, bound[0])),
                        shape: sizes.iter().copied().enumerate().collect(),
                        stride: strides.iter().copied().enumerate().collect(),
                    };
                }
                _ => {}
            }
        }
        let dtypes = match &function.result {
            FunctionResult::Nothing => Vec::new(),
            FunctionResult::Number(dtype) => vec![*dtype],
            FunctionResult::Tuple(dtypes) => dtypes.clone(),
        };
        let results: Vec<_> = dtypes
            .into_iter()
            .map(|dtype| self.builder.variable("result", dtype))
            .collect();
        self.append_body(function, scalars, arrays, results.clone());
        let mut numbers: Vec<_> = results
            .into_iter()
            .map(|result| {
                let result = self.builder.get(result);
                self.builder.bind("result", result)
            })
            .collect();
        match function.result {
            FunctionResult::Nothing => Called::Nothing,
            FunctionResult::Number(_) => Called::Number(numbers.remove(0)),
            FunctionResult::Tuple(_) => Called::Tuple(numbers),
        }
    }

    /// Lowers a function's body as if it were written here.
    fn append_body(
        &mut self,
        function: &'a Function,
        scalars: Vec<Option<Handle<IrExpression>>>,
        arrays: Vec<LoweredArray>,
        results: Vec<Handle<Variable>>,
    ) {
        let outer = (
            replace(&mut self.function, function),
            replace(&mut self.scalars, scalars),
            replace(&mut self.arrays, arrays),
            self.returned.replace(results),
            std::mem::take(&mut self.variables),
            std::mem::take(&mut self.slots),
            std::mem::take(&mut self.checks),
        );
        self.declare_body();
        self.block(&function.body);
        (
            self.function,
            self.scalars,
            self.arrays,
            self.returned,
            self.variables,
            self.slots,
            self.checks,
        ) = outer;
    }
}
