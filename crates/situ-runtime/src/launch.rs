//! Launching: does everything fit together, and if so, go.
//!
//! What is checked here, for every backend alike, before anything runs:
//! - the kernel was compiled for the queue's device;
//! - there is an argument of the right kind and dtype for each parameter;
//! - pointers lead into allocations of the queue's context and are aligned for their elements;
//! - the range has the kernel's dimensions, and its work-groups fit the device.
//!
//! A kernel that needs groups and is launched without a local size gets one that tiles the range.

use std::panic::Location;
use std::sync::Arc;

use situ_ir::{AddressSpace, Literal, NdRange, Parameter, Type};
use smallvec::SmallVec;

use crate::command::{Label, Work};
use crate::device::Device;
use crate::error::{ArgumentKind, Error, Result};
use crate::event::Event;
use crate::memory::report::Report;
use crate::memory::usm::{Allocation, Memory};
use crate::order::{self, Access};
use crate::program::Kernel;
use crate::queue::{Queue, Task};
use crate::trace;

/// The size of the work-groups we choose: enough to vectorise, small enough for caches.
const CHOSEN_GROUP_SIZE: u64 = 256;

/// What a kernel's parameter gets.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A number of exactly the parameter's dtype.
    Scalar(Literal),
    /// An address inside an allocation.
    Pointer {
        /// The allocation.
        allocation: Arc<Allocation>,
        /// Where in it.
        byte_offset: usize,
    },
    /// Local memory; each work-group gets its own.
    Local {
        /// How much.
        size_bytes: usize,
    },
}

impl Argument {
    /// What is passed, in words.
    fn kind(&self) -> ArgumentKind {
        match self {
            Self::Scalar(literal) => ArgumentKind::Scalar(literal.dtype()),
            Self::Pointer { .. } => ArgumentKind::Pointer,
            Self::Local { .. } => ArgumentKind::Local,
        }
    }
}

/// An argument in the form a device takes it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DeviceArgument<'a> {
    /// A number of exactly the parameter's dtype.
    Scalar(Literal),
    /// An address inside memory that is alive.
    Pointer {
        memory: &'a Memory,
        byte_offset: usize,
    },
    /// Local memory.
    Local { size_bytes: usize },
}

impl DeviceArgument<'_> {
    fn of(argument: &Argument) -> DeviceArgument<'_> {
        match argument {
            Argument::Scalar(literal) => DeviceArgument::Scalar(*literal),
            Argument::Pointer {
                allocation,
                byte_offset,
            } => DeviceArgument::Pointer {
                memory: allocation.memory(),
                byte_offset: *byte_offset,
            },
            Argument::Local { size_bytes } => DeviceArgument::Local {
                size_bytes: *size_bytes,
            },
        }
    }
}

/// An argument of a launch that runs later: it keeps the memory alive, without counting as one of
/// its users.
enum KeptArgument {
    Scalar(Literal),
    Pointer {
        memory: Arc<Memory>,
        byte_offset: usize,
    },
    Local {
        size_bytes: usize,
    },
}

impl KeptArgument {
    fn of(argument: &Argument) -> Self {
        match argument {
            Argument::Scalar(literal) => Self::Scalar(*literal),
            Argument::Pointer {
                allocation,
                byte_offset,
            } => Self::Pointer {
                memory: Arc::clone(allocation.memory()),
                byte_offset: *byte_offset,
            },
            Argument::Local { size_bytes } => Self::Local {
                size_bytes: *size_bytes,
            },
        }
    }

    fn borrow(&self) -> DeviceArgument<'_> {
        match self {
            Self::Scalar(literal) => DeviceArgument::Scalar(*literal),
            Self::Pointer {
                memory,
                byte_offset,
            } => DeviceArgument::Pointer {
                memory,
                byte_offset: *byte_offset,
            },
            Self::Local { size_bytes } => DeviceArgument::Local {
                size_bytes: *size_bytes,
            },
        }
    }
}

/// As many arguments as most kernels have.
const USUAL_ARGUMENTS: usize = 12;

/// What a launch may have beside its arguments.
#[derive(Clone, Copy, Default)]
pub(crate) struct Options<'a> {
    /// What it comes after, instead of what uses the same data.
    pub(crate) events: Option<&'a [Event]>,
    /// Where the kernel writes what the host is to know.
    pub(crate) report: Option<&'a Report>,
}

/// Checks a launch and submits it.
pub(crate) fn launch(
    queue: &Queue,
    kernel: &Kernel,
    range: &NdRange,
    arguments: &[Argument],
    options: Options<'_>,
    location: &'static Location<'static>,
) -> Result<Event> {
    let Options { events, report } = options;
    let device = queue.device();
    if kernel.program().device() != device {
        return Err(Error::WrongDevice {
            kernel: kernel.name().to_owned(),
            compiled_for: kernel.program().device().filter_string(),
            device: device.filter_string(),
        });
    }
    let argument_bytes = check_arguments(queue, kernel, arguments)?;
    for argument in arguments {
        if let Argument::Pointer { allocation, .. } = argument {
            allocation.settle()?;
        }
    }
    let range = check_range(device, kernel, argument_bytes, range)?;
    trace::launch(device, kernel, &range);
    let launch = Launch {
        kernel,
        range,
        arguments,
        report,
    };
    let uses = uses(kernel, arguments);
    order::submit(queue, launch, uses, events, location)
}

/// What a kernel does to the allocations it is given.
fn uses<'a>(
    kernel: &'a Kernel,
    arguments: &'a [Argument],
) -> impl Iterator<Item = (&'a Allocation, Access)> + Clone {
    let accesses = kernel.parameter_access().iter();
    accesses
        .zip(arguments)
        .filter_map(|(access, argument)| match argument {
            Argument::Pointer { allocation, .. } => {
                let access = if access.writes {
                    Access::Write
                } else {
                    Access::Read
                };
                Some((&**allocation, access))
            }
            Argument::Scalar(_) | Argument::Local { .. } => None,
        })
}

/// A launch that was checked.
struct Launch<'a> {
    kernel: &'a Kernel,
    range: NdRange,
    arguments: &'a [Argument],
    report: Option<&'a Report>,
}

impl Task for Launch<'_> {
    fn label(&self) -> Label {
        Label::Kernel(self.kernel.clone())
    }

    fn is_brief(&self) -> bool {
        let (code, index) = self.kernel.code();
        let is_brief = || code.is_brief(index, &self.range) && !self.kernel.may_block_interrupts();
        self.range.is_empty() || is_brief()
    }

    fn run(self) -> Result<()> {
        let arguments = self.arguments.iter().map(DeviceArgument::of);
        let run = || run(self.kernel, &self.range, arguments);
        match self.report {
            Some(report) => report.kept().around(run),
            None => run(),
        }
    }

    fn into_work(self) -> Work {
        let (kernel, range) = (self.kernel.clone(), self.range);
        // Exactly as large as it must be: thousands of launches may be pending.
        let kept: Box<[KeptArgument]> = self.arguments.iter().map(KeptArgument::of).collect();
        let report = self.report.map(Report::kept);
        Box::new(move || {
            let run = || run(&kernel, &range, kept.iter().map(KeptArgument::borrow));
            match &report {
                Some(report) => report.around(run),
                None => run(),
            }
        })
    }
}

fn run<'a>(
    kernel: &Kernel,
    range: &NdRange,
    arguments: impl Iterator<Item = DeviceArgument<'a>>,
) -> Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let arguments: SmallVec<[DeviceArgument<'_>; USUAL_ARGUMENTS]> = arguments.collect();
    let (code, index) = kernel.code();
    code.run(index, range, &arguments)
        .map_err(|error| match error {
            Error::Stopped => Error::KernelStopped {
                kernel: kernel.name().to_owned(),
            },
            other => other,
        })
}

/// Checks arguments against parameters; returns the local memory that they ask for.
fn check_arguments(queue: &Queue, kernel: &Kernel, arguments: &[Argument]) -> Result<u64> {
    let parameters = kernel.parameters();
    if parameters.len() != arguments.len() {
        return Err(Error::ArgumentCount {
            kernel: kernel.name().to_owned(),
            parameters: parameters
                .iter()
                .map(|parameter| parameter.name.clone())
                .collect(),
            found: arguments.len(),
        });
    }
    let mut local_bytes = 0_u64;
    for (parameter, argument) in parameters.iter().zip(arguments) {
        match (parameter.ty, argument) {
            (Type::Scalar(dtype), Argument::Scalar(literal)) if literal.dtype() == dtype => {}
            (
                Type::Pointer {
                    element,
                    space: AddressSpace::Global,
                },
                Argument::Pointer {
                    allocation,
                    byte_offset,
                },
            ) => check_pointer(
                queue,
                kernel,
                parameter,
                element.align_bytes(),
                (allocation, *byte_offset),
            )?,
            (
                Type::Pointer {
                    space: AddressSpace::Local,
                    ..
                },
                Argument::Local { size_bytes },
            ) => {
                local_bytes = local_bytes.saturating_add(*size_bytes as u64);
            }
            _ => {
                return Err(Error::ArgumentType {
                    kernel: kernel.name().to_owned(),
                    parameter: parameter.name.clone(),
                    expected: parameter.ty,
                    found: argument.kind(),
                });
            }
        }
    }
    Ok(local_bytes)
}

fn check_pointer(
    queue: &Queue,
    kernel: &Kernel,
    parameter: &Parameter,
    align_bytes: usize,
    (allocation, byte_offset): (&Allocation, usize),
) -> Result<()> {
    if allocation.context() != queue.context() {
        return Err(Error::ForeignAllocation {
            parameter: Some((kernel.name().to_owned(), parameter.name.clone())),
            device: queue.device().filter_string(),
        });
    }
    if byte_offset > allocation.size_bytes() || byte_offset % align_bytes != 0 {
        return Err(Error::PointerOffset {
            kernel: kernel.name().to_owned(),
            parameter: parameter.name.clone(),
            byte_offset,
            size_bytes: allocation.size_bytes(),
            align_bytes,
        });
    }
    Ok(())
}

/// Checks the range against kernel and device; fills in a local size where one is needed.
fn check_range(
    device: &Device,
    kernel: &Kernel,
    argument_bytes: u64,
    range: &NdRange,
) -> Result<NdRange> {
    let dims = range.dims();
    if dims != kernel.dims() {
        return Err(Error::RangeDimensions {
            kernel: kernel.name().to_owned(),
            expected: kernel.dims(),
            found: dims,
        });
    }
    let info = device.info();
    let (code, index) = kernel.code();
    let limit = code.max_work_group_size(index);
    let limit = limit.map_or(info.max_work_group_size, |own| {
        own.min(info.max_work_group_size)
    });
    // A range of fewer dimensions has the fastest ones.
    let along = &info.max_work_item_sizes[info.max_work_item_sizes.len() - dims..];
    let local_bytes = |group_items| {
        let own = code
            .local_bytes(index, group_items)
            .max(kernel.local_bytes());
        own.saturating_add(argument_bytes)
    };
    let range = match range.local() {
        Some(local) => {
            check_group(kernel, &local[..dims], limit, along)?;
            *range
        }
        None if kernel.needs_groups() && !range.is_empty() => {
            let mut limit = CHOSEN_GROUP_SIZE.min(limit);
            while limit > 1 && local_bytes(limit) > info.max_local_bytes {
                limit /= 2;
            }
            let local = choose_local(&range.global()[..dims], limit, along);
            NdRange::with_local(&range.global()[..dims], &local)?
        }
        None => *range,
    };
    let size_bytes = local_bytes(group_items(&range));
    if size_bytes > info.max_local_bytes {
        return Err(Error::LocalMemoryTooLarge {
            kernel: kernel.name().to_owned(),
            size_bytes,
            device: device.filter_string(),
            limit: info.max_local_bytes,
        });
    }
    Ok(range)
}

/// How many work-items a group has; one if there are no groups.
fn group_items(range: &NdRange) -> u64 {
    let sizes = range.local().unwrap_or([1; 3]);
    sizes
        .iter()
        .fold(1_u64, |product, size| product.saturating_mul(*size))
}

/// Checks a work-group that the user chose.
fn check_group(kernel: &Kernel, local: &[u64], limit: u64, along: &[u64]) -> Result<()> {
    let work_items = local
        .iter()
        .fold(1_u64, |product, size| product.saturating_mul(*size));
    if work_items > limit {
        return Err(Error::WorkGroupTooLarge {
            kernel: kernel.name().to_owned(),
            local: local.to_vec(),
            work_items,
            limit,
        });
    }
    let too_long = local
        .iter()
        .zip(along)
        .position(|(size, limit)| size > limit);
    if let Some(dimension) = too_long {
        return Err(Error::WorkGroupTooLong {
            kernel: kernel.name().to_owned(),
            local: local.to_vec(),
            dimension,
            limits: along.to_vec(),
        });
    }
    Ok(())
}

/// A work-group that tiles the range, as large as allowed along the fastest dimensions.
fn choose_local(global: &[u64], limit: u64, along: &[u64]) -> Vec<u64> {
    let mut budget = limit;
    let mut local = vec![1; global.len()];
    for ((size, chosen), longest) in global.iter().zip(&mut local).zip(along).rev() {
        *chosen = largest_divisor(*size, budget.min(*longest));
        budget /= *chosen;
    }
    local
}

fn largest_divisor(size: u64, limit: u64) -> u64 {
    (1..=limit.min(size))
        .rev()
        .find(|divisor| size.is_multiple_of(*divisor))
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_groups_tile_the_range_and_respect_the_limits() {
        const FREE: [u64; 3] = [4096; 3];
        assert_eq!(choose_local(&[1024], 256, &FREE), [256]);
        assert_eq!(choose_local(&[1000], 256, &FREE), [250]);
        assert_eq!(choose_local(&[997], 256, &FREE), [1]);
        assert_eq!(choose_local(&[7], 256, &FREE), [7]);
        assert_eq!(choose_local(&[64, 16], 256, &FREE), [16, 16]);
        assert_eq!(choose_local(&[6, 10, 10], 256, &FREE), [2, 10, 10]);
        assert_eq!(choose_local(&[1 << 40, 3], 256, &FREE), [64, 3]);
        assert_eq!(choose_local(&[64, 64], 256, &[2, 100]), [2, 64]);
    }
}
