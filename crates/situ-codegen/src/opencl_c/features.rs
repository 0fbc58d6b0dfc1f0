//! Which optional features of OpenCL C a program uses, and whether the target has them.

use std::collections::BTreeSet;

use situ_ir::{DType, Function, FunctionInfo, StatementKind, Type, ValidModule};

use super::{TargetOptions, callees};
use crate::error::Error;

/// An optional part of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feature {
    Double,
    LongAtomics,
}

impl Feature {
    /// What users know it as.
    fn name(self) -> &'static str {
        match self {
            Self::Double => "float64",
            Self::LongAtomics => "64-bit atomics",
        }
    }

    fn is_in(self, options: &TargetOptions) -> bool {
        match self {
            Self::Double => options.fp64,
            Self::LongAtomics => options.int64_atomics,
        }
    }

    fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Double => &["cl_khr_fp64"],
            Self::LongAtomics => &["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"],
        }
    }
}

/// The features that a program uses.
#[derive(Debug, Default)]
pub(super) struct Features {
    used: BTreeSet<Feature>,
}

impl Features {
    /// Adds what a module uses.
    ///
    /// # Errors
    /// If the target lacks one of them; the error names the first kernel that needs it.
    pub(super) fn add(
        &mut self,
        module: &ValidModule,
        options: &TargetOptions,
    ) -> Result<(), Error> {
        let mut long_atomics: Vec<bool> = Vec::with_capacity(module.functions.len());
        for (handle, function) in module.functions.iter() {
            // Callees come first.
            let callees = callees(function);
            if callees.contains(&handle) {
                return Err(Error::MissingFeature {
                    function: function.name.clone(),
                    feature: "recursion",
                });
            }
            let is_called = callees.iter().any(|callee| long_atomics[callee.index()]);
            long_atomics.push(is_called || has_long_atomics(function, module.info(handle)));
        }
        let kernels = module.kernels().map(|(handle, _)| handle);
        let others = module.functions.handles();
        for handle in kernels.chain(others) {
            let info = module.info(handle);
            let used = [
                info.uses_dtype(DType::F64).then_some(Feature::Double),
                long_atomics[handle.index()].then_some(Feature::LongAtomics),
            ];
            for feature in used.into_iter().flatten() {
                if !feature.is_in(options) {
                    return Err(Error::MissingFeature {
                        function: module.functions[handle].name.clone(),
                        feature: feature.name(),
                    });
                }
                self.used.insert(feature);
            }
        }
        if options.rounds_float_through_double() {
            self.used.insert(Feature::Double);
        }
        Ok(())
    }

    /// The lines that a program starts with.
    pub(super) fn pragmas(&self) -> String {
        let mut text = "#pragma OPENCL FP_CONTRACT OFF\n".to_owned();
        for extension in self.used.iter().flat_map(|feature| feature.extensions()) {
            text.push_str("#pragma OPENCL EXTENSION ");
            text.push_str(extension);
            text.push_str(" : enable\n");
        }
        text
    }
}

/// Whether a function itself accesses 64-bit elements atomically.
fn has_long_atomics(function: &Function, info: &FunctionInfo) -> bool {
    let mut found = false;
    function.body.for_each_statement(&mut |statement| {
        if let StatementKind::Atomic(atomic) = &statement.kind
            && let Type::Pointer { element, .. } = info.type_of(atomic.pointer)
        {
            found |= element.size_bytes() == 8;
        }
    });
    found
}
