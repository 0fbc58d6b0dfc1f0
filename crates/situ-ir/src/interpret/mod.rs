//! The interpreter: what a kernel does, executed.
//!
//! This is the executable meaning of the IR and the oracle that every backend is compared with. It is
//! deterministic, needs no threads and no `unsafe`, and finds what has no meaning: accesses outside of
//! an array, races, reads of uninitialised memory, barriers that not everybody reaches, endless loops.
//!
//! ```
//! use situ_ir::interpret::{Argument, Options, interpret};
//! use situ_ir::{AddressSpace, DType, FunctionBuilder, Module, NdRange, Type, validate};
//!
//! let mut f = FunctionBuilder::kernel("double", 1);
//! let x = f.parameter("x", Type::pointer(DType::F32, AddressSpace::Global));
//! let i = f.global_id(0);
//! let element = f.load(x, i);
//! let sum = f.add(element, element);
//! f.store(x, i, sum);
//! let mut module = Module::new("example");
//! f.finish(&mut module);
//! let module = validate(module)?;
//!
//! let mut bytes: Vec<u8> = [1.5_f32, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
//! let arguments = [Argument::Pointer { buffer: 0, offset_bytes: 0 }];
//! let range = NdRange::new(&[2])?;
//! interpret(&module, "double", &range, &arguments, &mut [&mut bytes], &Options::default())?;
//! assert_eq!(bytes[..4], 3.0_f32.to_le_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it runs
//!
//! A kernel is first flattened (`flatten.rs`) into instructions on registers. The work-items of a group
//! run one after the other, each up to its end or to the next barrier or collective; when all have
//! arrived there, the next round starts. Device functions contain neither, so a work-item that waits
//! is always in the kernel itself, and waiting costs one frame of registers. Groups run one after the
//! other; `shadow.rs` explains how races are found all the same.

mod assignment;
mod fault;
mod flatten;
mod geometry;
mod memory;
pub mod number;
mod operands;
mod program;
mod shadow;
mod work_group;
mod work_item;

#[cfg(test)]
mod tests;

pub use fault::{ArgumentKind, Error, Fault, FaultKind, WorkItem};

use geometry::Geometry;
use memory::{Binding, LocalMemory, Memory, PrivateMemory, Space};
use number::Cell;
use program::{ArrayShape, Program};
use shadow::{MAX_GROUP_SIZE, Order, Shadow};

use crate::literal::Literal;
use crate::module::{Function, FunctionKind, Parameter};
use crate::range::NdRange;
use crate::span::Source;
use crate::types::{AddressSpace, Type};
use crate::validate::{ParameterAccess, ValidModule};

/// What a parameter of the kernel gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number of the parameter's dtype.
    Scalar(Literal),
    /// A place in one of the caller's buffers. Several parameters may point into one buffer.
    Pointer {
        /// Which buffer.
        buffer: usize,
        /// Where in it.
        offset_bytes: usize,
    },
    /// Local memory for a pointer parameter into local memory; each group gets its own.
    Local {
        /// How much; bytes that do not fill an element are left over.
        size_bytes: usize,
    },
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Work-items of a sub-group.
    pub sub_group_size: u64,
    /// The largest work-group to choose for a range that does not give one.
    pub local_size: u64,
    /// How many rounds of loops one work-item may run; `None` for any number.
    pub step_limit: Option<u64>,
    /// Whether to look for races and uninitialised reads. Bounds, barriers and the step limit are
    /// always checked.
    pub checks: bool,
    /// Asked now and then whether to stop.
    pub must_stop: Option<fn() -> bool>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            sub_group_size: 8,
            local_size: 64,
            step_limit: Some(1 << 30),
            checks: true,
            must_stop: None,
        }
    }
}

/// Runs a kernel over a range; the buffers are changed in place.
///
/// # Errors
/// If the arguments do not fit the kernel, before anything runs; or with the first [`Fault`], after
/// which the buffers hold what was written so far.
pub fn interpret(
    module: &ValidModule,
    kernel: &str,
    range: &NdRange,
    arguments: &[Argument],
    buffers: &mut [&mut [u8]],
    options: &Options,
) -> Result<(), Error> {
    Interpreter::new(module, kernel)?.run(range, arguments, buffers, options)
}

/// A kernel that is ready to be interpreted any number of times.
#[derive(Clone, Debug)]
pub struct Interpreter {
    kernel: String,
    dims: u8,
    parameters: Vec<Parameter>,
    access: Vec<ParameterAccess>,
    program: Program,
    source: Option<Source>,
}

impl Interpreter {
    /// Prepares a kernel.
    ///
    /// # Errors
    /// If the module has no kernel of that name.
    pub fn new(module: &ValidModule, kernel: &str) -> Result<Self, Error> {
        let unknown = || Error::UnknownKernel {
            module: module.name.clone(),
            kernel: kernel.to_owned(),
        };
        let (handle, function) = module.function(kernel).ok_or_else(unknown)?;
        let &Function {
            kind: FunctionKind::Kernel { dims },
            ..
        } = function
        else {
            return Err(unknown());
        };
        Ok(Self {
            kernel: function.name.clone(),
            dims,
            parameters: function.parameters.clone(),
            access: module.info(handle).parameter_access.clone(),
            program: flatten::flatten(module, handle),
            source: module.source.clone(),
        })
    }

    /// Runs the kernel over a range; the buffers are changed in place.
    ///
    /// # Errors
    /// As [`interpret`].
    pub fn run(
        &self,
        range: &NdRange,
        arguments: &[Argument],
        buffers: &mut [&mut [u8]],
        options: &Options,
    ) -> Result<(), Error> {
        if range.dims() != usize::from(self.dims) {
            return Err(Error::Dimensions {
                kernel: self.kernel.clone(),
                expected: usize::from(self.dims),
                found: range.dims(),
            });
        }
        let bound = self.bind(arguments, buffers)?;
        if range.is_empty() {
            return Ok(());
        }
        let geometry = Geometry::new(range, options.local_size, options.sub_group_size);
        let group_size = geometry.group_size();
        if group_size > MAX_GROUP_SIZE {
            return Err(Error::GroupTooLarge {
                work_items: group_size,
                limit: MAX_GROUP_SIZE,
            });
        }
        let out_of_memory = || Error::OutOfMemory {
            kernel: self.kernel.clone(),
        };
        let slots = if self.program.synchronises {
            group_size as usize
        } else {
            1
        };
        let shadows = if options.checks {
            self.shadows(&bound.bindings, buffers)
        } else {
            buffers.iter().map(|_| None).collect()
        };
        let memory = Memory {
            buffers,
            shadows,
            order: Order::new(),
            checks: options.checks,
            local: LocalMemory::new(&bound.local, options.checks).ok_or_else(out_of_memory)?,
            private: PrivateMemory::new(&self.program.kernel().private_arrays, slots)
                .ok_or_else(out_of_memory)?,
            bindings: bound.bindings,
        };
        let launch = work_item::Launch {
            kernel: &self.kernel,
            parameters: &self.parameters,
            program: &self.program,
            source: self.source.as_ref(),
            geometry,
            step_limit: options.step_limit.unwrap_or(u64::MAX),
            must_stop: options.must_stop,
            local: &bound.local,
        };
        work_group::run(launch, memory, &bound.cells, slots)
    }

    /// Checks the arguments and gives each parameter its register.
    fn bind(&self, arguments: &[Argument], buffers: &[&mut [u8]]) -> Result<Bound, Error> {
        if arguments.len() != self.parameters.len() {
            return Err(Error::ArgumentCount {
                kernel: self.kernel.clone(),
                expected: self.parameters.len(),
                found: arguments.len(),
            });
        }
        let mut bound = Bound {
            cells: Vec::new(),
            bindings: Vec::new(),
            local: self.program.local_arrays.clone(),
        };
        for (position, (parameter, argument)) in self.parameters.iter().zip(arguments).enumerate() {
            let mut binding = None;
            let cell = match (parameter.ty, *argument) {
                (Type::Scalar(dtype), Argument::Scalar(literal)) if literal.dtype() == dtype => {
                    literal.into()
                }
                (
                    Type::Pointer {
                        element,
                        space: AddressSpace::Global,
                    },
                    Argument::Pointer {
                        buffer,
                        offset_bytes,
                    },
                ) => {
                    let size_bytes = buffers.get(buffer).map(|buffer| buffer.len());
                    let size_bytes = size_bytes.ok_or_else(|| Error::MissingBuffer {
                        kernel: self.kernel.clone(),
                        parameter: parameter.name.clone(),
                        buffer,
                        buffers: buffers.len(),
                    })?;
                    let align_bytes = element.align_bytes();
                    if offset_bytes > size_bytes || offset_bytes % align_bytes != 0 {
                        return Err(Error::PointerOffset {
                            kernel: self.kernel.clone(),
                            parameter: parameter.name.clone(),
                            offset_bytes,
                            size_bytes,
                            align_bytes,
                        });
                    }
                    let before = (offset_bytes / element.size_bytes()) as i64;
                    let after = ((size_bytes - offset_bytes) / element.size_bytes()) as i64;
                    binding = Some(Binding {
                        buffer,
                        offset_bytes,
                        elements: -before..after,
                    });
                    Space::Global.pointer(position)
                }
                (
                    Type::Pointer {
                        element,
                        space: AddressSpace::Local,
                    },
                    Argument::Local { size_bytes },
                ) => {
                    bound.local.push(ArrayShape {
                        name: parameter.name.clone(),
                        element,
                        length: (size_bytes / element.size_bytes()) as u64,
                    });
                    Space::Local.pointer(bound.local.len() - 1)
                }
                (expected, argument) => {
                    return Err(Error::ArgumentType {
                        kernel: self.kernel.clone(),
                        parameter: parameter.name.clone(),
                        expected,
                        found: match argument {
                            Argument::Scalar(literal) => ArgumentKind::Scalar(literal.dtype()),
                            Argument::Pointer { .. } => ArgumentKind::Pointer,
                            Argument::Local { .. } => ArgumentKind::Local,
                        },
                    });
                }
            };
            bound.cells.push(cell);
            bound.bindings.push(binding);
        }
        Ok(bound)
    }

    /// Records for the buffers that the kernel writes; memory that is only read has no races.
    fn shadows(&self, bindings: &[Option<Binding>], buffers: &[&mut [u8]]) -> Vec<Option<Shadow>> {
        let mut written = vec![false; buffers.len()];
        let mut granule_shift = vec![u32::MAX; buffers.len()];
        for (position, (parameter, binding)) in self.parameters.iter().zip(bindings).enumerate() {
            let (Some(binding), Type::Pointer { element, .. }) = (binding, parameter.ty) else {
                continue;
            };
            // Elements of all parameters that share the buffer must be whole numbers of granules.
            let size = element.size_bytes().trailing_zeros();
            let shift = size.min((binding.offset_bytes | (1 << size)).trailing_zeros());
            let known = &mut granule_shift[binding.buffer];
            *known = (*known).min(shift);
            written[binding.buffer] |= self.access.get(position).is_none_or(|access| access.writes);
        }
        let sizes = buffers.iter().map(|buffer| buffer.len());
        written
            .iter()
            .zip(granule_shift)
            .zip(sizes)
            .map(|((written, shift), size)| written.then(|| Shadow::new(size, shift)))
            .collect()
    }
}

/// Arguments that fit.
struct Bound {
    /// The kernel's first registers.
    cells: Vec<Cell>,
    bindings: Vec<Option<Binding>>,
    /// The kernel's local arrays and local parameters.
    local: Vec<ArrayShape>,
}
