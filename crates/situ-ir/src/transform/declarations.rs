//! What becomes of a function's parameters, values, variables and arrays.
//!
//! A complex scalar becomes two reals, with `_re` and `_im` added to its name. What is complex in memory
//! becomes twice as many reals at the same place.

use super::LoweredParameter;
use super::statements::{FunctionLowering, Parts};
use crate::arena::Handle;
use crate::types::{AddressSpace, Type};

impl FunctionLowering<'_> {
    pub(super) fn declare_parameters(&mut self) {
        for parameter in &self.source.parameters {
            self.f.at(parameter.span);
            let position = self.f.function().parameters.len() as u32;
            let lowered = match parameter.ty {
                Type::Scalar(dtype) if dtype.is_complex() => {
                    let real = self.unique_parameter_name(&parameter.name, "_re");
                    self.f.parameter(real, dtype.real().into());
                    let imaginary = self.unique_parameter_name(&parameter.name, "_im");
                    self.f.parameter(imaginary, dtype.real().into());
                    LoweredParameter::Pair {
                        real: position,
                        imaginary: position + 1,
                    }
                }
                Type::Scalar(_) => {
                    self.f.parameter(&parameter.name, parameter.ty);
                    LoweredParameter::One(position)
                }
                Type::Pointer { element, space } => {
                    let ty = Type::pointer(element.real(), space);
                    self.f.parameter(&parameter.name, ty);
                    LoweredParameter::One(position)
                }
            };
            self.parameters.push(lowered);
        }
        if let Some(dtype) = self.source.result.filter(|dtype| dtype.is_complex()) {
            self.f.at(self.source.span);
            let name = self.unique_parameter_name("result", "");
            let ty = Type::pointer(dtype.real(), AddressSpace::Private);
            self.result = Some(self.f.parameter(name, ty));
            self.f.set_result(None);
        }
    }

    /// A name no parameter has, before or after lowering.
    fn unique_parameter_name(&self, stem: &str, suffix: &str) -> String {
        let mut name = format!("{stem}{suffix}");
        let taken = |name: &str| {
            let mut all = (self.source.parameters.iter()).chain(&self.f.function().parameters);
            all.any(|parameter| parameter.name == name)
        };
        while taken(&name) {
            name.push('_');
        }
        name
    }

    pub(super) fn declare_values(&mut self) {
        for (handle, value) in self.source.values.iter() {
            self.f.at(self.source.values.span(handle));
            let parts = match value.ty {
                Type::Scalar(dtype) if dtype.is_complex() => {
                    let real = self
                        .f
                        .value(format!("{}_re", value.name), dtype.real().into());
                    let imaginary = self
                        .f
                        .value(format!("{}_im", value.name), dtype.real().into());
                    Parts::Pair(real, imaginary)
                }
                Type::Scalar(_) => Parts::One(self.f.value(&value.name, value.ty)),
                Type::Pointer { element, space } => {
                    let ty = Type::pointer(element.real(), space);
                    Parts::One(self.f.value(&value.name, ty))
                }
            };
            self.values.push(parts);
        }
    }

    pub(super) fn declare_variables(&mut self) {
        for (handle, variable) in self.source.variables.iter() {
            self.f.at(self.source.variables.span(handle));
            let dtype = variable.dtype;
            let parts = if dtype.is_complex() {
                let real = self
                    .f
                    .variable(format!("{}_re", variable.name), dtype.real());
                let imaginary = self
                    .f
                    .variable(format!("{}_im", variable.name), dtype.real());
                Parts::Pair(real, imaginary)
            } else {
                Parts::One(self.f.variable(&variable.name, dtype))
            };
            self.variables.push(parts);
        }
    }

    pub(super) fn declare_arrays(&mut self) {
        for (handle, array) in self.source.arrays.iter() {
            self.f.at(self.source.arrays.span(handle));
            let length = if array.element.is_complex() {
                array.length.saturating_mul(2)
            } else {
                array.length
            };
            self.arrays
                .push(Handle::new(self.f.function().arrays.len()));
            self.f
                .array(&array.name, array.element.real(), length, array.space);
        }
    }
}
