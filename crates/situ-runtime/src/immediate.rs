//! Immediate launches: kernels over a few elements, run by the caller on the spot.
//!
//! A kernel over ten numbers takes less time than writing down what is to be launched: arguments that outlive the
//! call, what it comes after, who is told of its end. Where it is known to be over in microseconds, and nothing is in
//! its way, none of that is needed, and arguments can be borrowed.
//!
//! What is checked is what [`crate::launch`] checks. Whatever is not simple is refused without a word, and then
//! launched: only that way has errors to tell.

use std::sync::Arc;

use situ_ir::{AddressSpace, Literal, NdRange, Parameter, Type};
use smallvec::SmallVec;

use crate::config::process_config;
use crate::error::Result;
use crate::launch::{Argument, DeviceArgument};
use crate::memory::report::Report;
use crate::memory::usm::Allocation;
use crate::program::Kernel;
use crate::queue::Queue;

/// What a kernel's parameter gets, borrowed for the time of the call.
#[derive(Debug, Clone, Copy)]
pub enum BorrowedArgument<'a> {
    /// A number of exactly the parameter's dtype.
    Scalar(Literal),
    /// An address inside an allocation.
    Pointer {
        /// The allocation.
        allocation: &'a Arc<Allocation>,
        /// Where in it.
        byte_offset: usize,
    },
}

impl From<BorrowedArgument<'_>> for Argument {
    fn from(borrowed: BorrowedArgument<'_>) -> Self {
        match borrowed {
            BorrowedArgument::Scalar(literal) => Self::Scalar(literal),
            BorrowedArgument::Pointer {
                allocation,
                byte_offset,
            } => Self::Pointer {
                allocation: Arc::clone(allocation),
                byte_offset,
            },
        }
    }
}

impl Kernel {
    /// Whether a launch over a range is known to be over in microseconds, so that [`Queue::run_at_once`] is worth a try.
    pub fn is_immediate(&self, range: &NdRange) -> bool {
        let (code, index) = self.code();
        code.is_immediate(index, range)
    }
}

impl Queue {
    /// Runs a kernel on the spot or launches it, whichever takes less.
    ///
    /// This is for kernels whose work-items take about as long as they took when they were launched before. Others
    /// are launched: what runs on the spot is neither shared among threads nor measured.
    ///
    /// # Errors
    /// As [`Queue::launch`].
    #[track_caller]
    pub fn run(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[BorrowedArgument<'_>],
    ) -> Result<()> {
        if kernel.is_immediate(range) && self.run_at_once(kernel, range, arguments) {
            return Ok(());
        }
        let kept = kept(arguments);
        self.launch(kernel, range, &kept).map(drop)
    }

    /// As [`Self::run`], for a kernel that writes a report.
    ///
    /// # Errors
    /// As [`Queue::launch_reporting`].
    #[track_caller]
    pub fn run_reporting(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[BorrowedArgument<'_>],
        report: &Report,
    ) -> Result<()> {
        if kernel.is_immediate(range)
            && self.run_reporting_at_once(kernel, range, arguments, report)?
        {
            return Ok(());
        }
        let kept = kept(arguments);
        self.launch_reporting(kernel, range, &kept, report, None)
            .map(drop)
    }

    /// Runs a kernel over a range on the calling thread, if it is known to be over in microseconds and
    /// nothing is in its way. Nothing has happened if not: then it has to be launched.
    ///
    /// It never blocks, so the caller may hold a lock that other work needs.
    #[must_use]
    pub fn run_at_once(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[BorrowedArgument<'_>],
    ) -> bool {
        self.run_with(kernel, range, arguments, None)
            .unwrap_or(false)
    }

    /// As [`Self::run_at_once`], for a kernel that writes a report.
    ///
    /// # Errors
    /// What the report comes to, if the kernel has run.
    pub fn run_reporting_at_once(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[BorrowedArgument<'_>],
        report: &Report,
    ) -> Result<bool> {
        self.run_with(kernel, range, arguments, Some(report))
    }

    fn run_with(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[BorrowedArgument<'_>],
        report: Option<&Report>,
    ) -> Result<bool> {
        let is_plain = kernel.program().device() == self.device()
            && kernel.dims() == range.dims()
            && range.local().is_none()
            && !range.is_empty()
            && !self.properties().enable_profiling
            && self.companion().is_none()
            && !process_config().trace.launch;
        if !is_plain {
            return Ok(false);
        }
        let Some(arguments) = self.device_arguments(kernel, arguments) else {
            return Ok(false);
        };
        let (code, index) = kernel.code();
        let run = || code.run_at_once(index, range, &arguments);
        let is_done = self.in_turn(|| match report {
            Some(report) => report.around(|| Ok(run())),
            None => Ok(run()),
        });
        is_done.unwrap_or(Ok(false))
    }

    /// The arguments as the device takes them, if they fit and nobody has to be waited for.
    fn device_arguments<'a>(
        &self,
        kernel: &Kernel,
        arguments: &[BorrowedArgument<'a>],
    ) -> Option<SmallVec<[DeviceArgument<'a>; 8]>> {
        let parameters = kernel.parameters();
        if parameters.len() != arguments.len() {
            return None;
        }
        let accesses = kernel.parameter_access();
        let mut given = SmallVec::new();
        for ((parameter, access), argument) in parameters.iter().zip(accesses).zip(arguments) {
            given.push(match *argument {
                BorrowedArgument::Scalar(literal) => {
                    let fits = parameter.ty == Type::Scalar(literal.dtype());
                    fits.then_some(DeviceArgument::Scalar(literal))?
                }
                BorrowedArgument::Pointer {
                    allocation,
                    byte_offset,
                } => {
                    let fits = allocation.context() == self.context()
                        && is_inside(parameter, allocation, byte_offset);
                    let memory = allocation.idle_memory(access.writes).filter(|_| fits)?;
                    DeviceArgument::Pointer {
                        memory,
                        byte_offset,
                    }
                }
            });
        }
        Some(given)
    }
}

/// The arguments as a launch keeps them.
fn kept(arguments: &[BorrowedArgument<'_>]) -> SmallVec<[Argument; 12]> {
    arguments.iter().copied().map(Argument::from).collect()
}

/// Whether an offset leads into an allocation and is aligned for what a parameter points to.
fn is_inside(parameter: &Parameter, allocation: &Allocation, byte_offset: usize) -> bool {
    match parameter.ty {
        Type::Pointer {
            element,
            space: AddressSpace::Global,
        } => {
            byte_offset <= allocation.size_bytes()
                && byte_offset.is_multiple_of(element.align_bytes())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use situ_ir::{DType, FunctionBuilder, Module, validate};

    use super::*;
    use crate::device::Device;
    use crate::launch::Argument;
    use crate::memory::copy::copy_to_host;
    use crate::memory::usm::UsmKind;
    use crate::program::Program;
    use crate::queue::QueueProperties;

    fn ten() -> NdRange {
        NdRange::new(&[10]).unwrap()
    }

    struct Case {
        queue: Queue,
        kernel: Kernel,
        out: Arc<Allocation>,
    }

    impl Case {
        fn new(properties: QueueProperties) -> Self {
            let device = Device::default_device();
            let context = device.default_context();
            let queue = Queue::with_context(context, &device, properties).unwrap();
            let mut f = FunctionBuilder::kernel("fill", 1);
            let out = f.parameter("out", Type::pointer(DType::F32, AddressSpace::Global));
            let value = f.parameter("value", Type::Scalar(DType::F32));
            let i = f.global_id(0);
            f.store(out, i, value);
            let mut module = Module::new("fill");
            f.finish(&mut module);
            let program = Program::compile(&device, &validate(module).unwrap()).unwrap();
            let kernel = program.kernel("fill").unwrap();
            let out = Allocation::new(&queue, 40, UsmKind::Device).unwrap();
            Self { queue, kernel, out }
        }

        /// As many launches as it takes to know what the kernel costs. Nothing of them is left to wait for.
        fn warm_up(&self) {
            let arguments = [
                Argument::Pointer {
                    allocation: Arc::clone(&self.out),
                    byte_offset: 0,
                },
                Argument::Scalar(Literal::F32(0.0)),
            ];
            let range = ten();
            for _ in 0..1000 {
                let event = self.queue.launch(&self.kernel, &range, &arguments);
                event.unwrap().wait().unwrap();
                self.out.wait_for_all().unwrap();
                if self.kernel.is_immediate(&range) {
                    assert!(self.out.accesses().is_idle());
                    return;
                }
            }
            panic!("storing ten numbers takes some nanoseconds");
        }

        fn run(&self, value: Literal, byte_offset: usize) -> bool {
            let arguments = [
                BorrowedArgument::Pointer {
                    allocation: &self.out,
                    byte_offset,
                },
                BorrowedArgument::Scalar(value),
            ];
            self.queue.run_at_once(&self.kernel, &ten(), &arguments)
        }

        fn first(&self) -> f32 {
            let mut bytes = [0; 4];
            copy_to_host(&self.queue, &self.out, 0, &mut bytes).unwrap();
            f32::from_le_bytes(bytes)
        }
    }

    #[test]
    fn a_kernel_that_is_known_to_be_short_runs_on_the_spot() {
        let case = Case::new(QueueProperties::default());
        assert!(!case.run(Literal::F32(1.0), 0), "nobody knows its cost yet");
        case.warm_up();
        assert!(case.run(Literal::F32(2.5), 0));
        assert_eq!(case.first(), 2.5);
    }

    #[test]
    fn arguments_that_do_not_fit_are_left_to_the_launch() {
        let case = Case::new(QueueProperties::default());
        case.warm_up();
        assert!(!case.run(Literal::F64(1.0), 0), "another dtype");
        assert!(!case.run(Literal::F32(1.0), 2), "not aligned");
        assert!(!case.run(Literal::F32(1.0), 44), "outside");
        assert_eq!(case.first(), 0.0);
        let none = case.queue.run_at_once(&case.kernel, &ten(), &[]);
        assert!(!none, "too few");
        let square = NdRange::new(&[2, 5]).unwrap();
        let arguments = [
            BorrowedArgument::Pointer {
                allocation: &case.out,
                byte_offset: 0,
            },
            BorrowedArgument::Scalar(Literal::F32(1.0)),
        ];
        let flat = case.queue.run_at_once(&case.kernel, &square, &arguments);
        assert!(!flat, "too many dimensions");
        let other = Queue::with_context(
            &crate::context::Context::new(&[Device::default_device()]).unwrap(),
            &Device::default_device(),
            QueueProperties::default(),
        );
        let elsewhere = Case {
            queue: other.unwrap(),
            ..case
        };
        assert!(!elsewhere.run(Literal::F32(1.0), 0), "another context");
    }

    #[test]
    fn what_cannot_run_on_the_spot_is_launched() {
        let case = Case::new(QueueProperties::default());
        let run = |value| {
            let pointer = BorrowedArgument::Pointer {
                allocation: &case.out,
                byte_offset: 0,
            };
            let arguments = [pointer, BorrowedArgument::Scalar(value)];
            case.queue.run(&case.kernel, &ten(), &arguments)
        };
        run(Literal::F32(1.0)).unwrap();
        assert_eq!(case.first(), 1.0, "nobody knows its cost yet");
        case.warm_up();
        run(Literal::F32(2.0)).unwrap();
        assert_eq!(case.first(), 2.0);
        let refused = run(Literal::F64(3.0)).unwrap_err();
        assert!(matches!(refused, crate::error::Error::ArgumentType { .. }));
        assert_eq!(case.first(), 2.0);
    }

    #[test]
    fn whoever_wants_times_gets_commands() {
        let case = Case::new(QueueProperties {
            enable_profiling: true,
            ..QueueProperties::default()
        });
        case.warm_up();
        assert!(!case.run(Literal::F32(1.0), 0));
    }

    #[test]
    fn what_has_to_wait_is_left_to_the_launch() {
        let case = Case::new(QueueProperties::default());
        case.warm_up();
        let (release, gate) = std::sync::mpsc::channel::<()>();
        let task = case.queue.host_task("gate", &[], move || {
            let _ = gate.recv();
            Ok(())
        });
        assert!(!case.run(Literal::F32(1.0), 0), "the queue is busy");
        drop(release);
        task.unwrap().wait().unwrap();
        assert!(case.run(Literal::F32(1.0), 0));
    }
}
