//! What can go wrong with a launch: wrong arguments, and faults of the program.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::span::{Source, Span};
use crate::types::Type;

/// Why a kernel was not interpreted to its end.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// It was stopped by [`Options::must_stop`](super::Options::must_stop).
    #[error("the kernel was stopped before its end")]
    Stopped,
    /// The module has no such kernel.
    #[error("the module `{module}` has no kernel `{kernel}`")]
    UnknownKernel {
        /// The module's name.
        module: String,
        /// The name asked for.
        kernel: String,
    },
    /// The range has the wrong number of dimensions.
    #[error("kernel `{kernel}` runs over {expected} dimensions, but the range has {found}")]
    Dimensions {
        /// The kernel.
        kernel: String,
        /// Dimensions of the kernel.
        expected: usize,
        /// Dimensions of the range.
        found: usize,
    },
    /// Too few or too many arguments.
    #[error("kernel `{kernel}` takes {expected} arguments, not {found}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Parameters of the kernel.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// An argument of another kind or dtype than the parameter.
    #[error("parameter `{parameter}` of kernel `{kernel}` is `{expected}`; {found} does not fit")]
    ArgumentType {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// Its type.
        expected: Type,
        /// What was given, in words.
        found: ArgumentKind,
    },
    /// A pointer argument into a buffer that was not passed.
    #[error(
        "parameter `{parameter}` of kernel `{kernel}` points into buffer {buffer}, but only \
         {buffers} buffers were passed"
    )]
    MissingBuffer {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// The buffer asked for.
        buffer: usize,
        /// How many there are.
        buffers: usize,
    },
    /// A pointer argument past the end of its buffer, or not at a multiple of the element's alignment.
    #[error(
        "parameter `{parameter}` of kernel `{kernel}` points at byte {offset_bytes} of a buffer of \
         {size_bytes} bytes; it must be inside and a multiple of {align_bytes}"
    )]
    PointerOffset {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// Where it points.
        offset_bytes: usize,
        /// The buffer's size.
        size_bytes: usize,
        /// What the offset must be a multiple of.
        align_bytes: usize,
    },
    /// A work-group with more work-items than the interpreter keeps apart.
    #[error(
        "a work-group of {work_items} work-items is larger than the interpreter's limit {limit}"
    )]
    GroupTooLarge {
        /// Its size.
        work_items: u64,
        /// The largest size.
        limit: u64,
    },
    /// Local or private arrays that do not fit into memory.
    #[error("the local and private arrays of kernel `{kernel}` do not fit into memory")]
    OutOfMemory {
        /// The kernel.
        kernel: String,
    },
    /// The program did something that has no meaning.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
}

/// What was given for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A scalar of some dtype.
    Scalar(DType),
    /// A pointer into a buffer.
    Pointer,
    /// Local memory.
    Local,
}

impl fmt::Display for ArgumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(dtype) => write!(f, "a scalar of dtype {dtype}"),
            Self::Pointer => f.write_str("a pointer into a buffer"),
            Self::Local => f.write_str("local memory"),
        }
    }
}

/// The ids of a work-item; only the first `dims` entries count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkItem {
    /// Dimensions of the range.
    pub dims: u8,
    /// Position in the range.
    pub global_id: [u64; 3],
    /// Position in the work-group.
    pub local_id: [u64; 3],
    /// Position of the work-group.
    pub group_id: [u64; 3],
}

impl fmt::Display for WorkItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims = usize::from(self.dims);
        write!(
            f,
            "work-item {:?} ({:?} of work-group {:?})",
            &self.global_id[..dims],
            &self.local_id[..dims],
            &self.group_id[..dims]
        )
    }
}

/// Something that gives the program no meaning, found while it ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The kernel that was launched.
    pub kernel: String,
    /// The function it happened in: the kernel or a device function.
    pub function: String,
    /// Who did it.
    pub work_item: WorkItem,
    /// Where in the source.
    pub span: Span,
    /// The source, so that the fault can say its line.
    pub source: Option<Source>,
}

/// What happened. `array` is the user's name for a parameter or a local or private array.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside of an array.
    OutOfBounds {
        /// The array.
        array: String,
        /// Which element was asked for, counted from the start of the array.
        index: i64,
        /// The elements there are; they start below zero for a pointer into an allocation's middle.
        elements: Range<i64>,
    },
    /// Two work-items touch one element, at least one writes, and nothing orders them.
    Race {
        /// The array.
        array: String,
        /// The element.
        index: i64,
        /// Whether this access writes.
        writes: bool,
        /// Whether the other access wrote.
        other_wrote: bool,
        /// Who made the other access, if it is still known.
        other: Option<WorkItem>,
    },
    /// A read of an element of a local or private array that nobody wrote.
    UninitialisedElement {
        /// The array.
        array: String,
        /// The element.
        index: i64,
    },
    /// A read of a variable before its first assignment.
    UninitialisedVariable {
        /// The variable.
        variable: String,
    },
    /// A barrier or collective that not every work-item of the group reached.
    DivergentBarrier {
        /// A work-item that does not come.
        other: WorkItem,
        /// Where that work-item waits instead, or `None` if it has finished.
        other_span: Option<Span>,
    },
    /// A broadcast from different positions within one group.
    DivergentBroadcast {
        /// The position this work-item asks for.
        position: i64,
        /// The position that another one asks for.
        other_position: i64,
    },
    /// More rounds of loops than allowed.
    StepLimit {
        /// The limit.
        limit: u64,
    },
}

impl Fault {
    /// The line of the user's file, if the source is known.
    pub fn line(&self) -> Option<u32> {
        let source = self.source.as_ref().filter(|_| self.span.is_some())?;
        Some(source.location(self.span.start).line)
    }

    /// The fault as data to render, with code `F001` … `F007`.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, message, label) = self.headline();
        let mut diagnostic = Diagnostic::error(code, message)
            .label(self.span, label)
            .why(format!("it happened in {}", self.where_it_happened()));
        diagnostic = match &self.kind {
            FaultKind::OutOfBounds {
                array, elements, ..
            } => {
                let valid = if elements.is_empty() {
                    "the array has no elements".to_owned()
                } else {
                    format!(
                        "valid indices are {} to {}",
                        elements.start,
                        elements.end - 1
                    )
                };
                diagnostic.why(valid).help(format!(
                    "launch over a smaller range, or compare the index with the size of `{array}` before the \
                     access; a range that is rounded up to whole work-groups has work-items to spare"
                ))
            }
            FaultKind::Race { other, .. } => {
                let by = other.map_or("another work-item".to_owned(), |other| other.to_string());
                diagnostic
                    .why(format!(
                        "the other access was by {by}, in no fixed order to this one"
                    ))
                    .help(
                        "use an atomic, give each work-item its own element, or put a barrier \
                         between the accesses of one work-group",
                    )
            }
            FaultKind::UninitialisedElement { .. } => {
                diagnostic.help("write the element first; local memory also needs a barrier")
            }
            FaultKind::UninitialisedVariable { .. } => {
                diagnostic.help("assign it on every path that leads here")
            }
            FaultKind::DivergentBarrier { other, other_span } => {
                let doing = if other_span.is_some() {
                    "waits at another barrier"
                } else {
                    "has finished"
                };
                diagnostic
                    .label(other_span.unwrap_or(Span::NONE), "the other one waits here")
                    .why(format!("{other} {doing}, so this one would wait for ever"))
                    .help("move the barrier out of the branch or loop that work-items leave early")
            }
            FaultKind::DivergentBroadcast { .. } => {
                diagnostic.help("compute the position from something all work-items share")
            }
            FaultKind::StepLimit { .. } => diagnostic
                .help("check the loop's condition, or set SITU_STEP_LIMIT to a larger number"),
        };
        diagnostic
    }

    /// Code, message and label.
    fn headline(&self) -> (&'static str, String, &'static str) {
        match &self.kind {
            FaultKind::OutOfBounds {
                array,
                index,
                elements,
            } => {
                let length = elements.end.saturating_sub(elements.start);
                let plural = if length == 1 { "" } else { "s" };
                let message = format!(
                    "index {index} is outside of `{array}`, which has {length} element{plural}"
                );
                ("F001", message, "this access")
            }
            FaultKind::Race {
                array,
                index,
                writes,
                other_wrote,
                ..
            } => {
                let message = match (writes, other_wrote) {
                    (true, true) => format!("two work-items write `{array}[{index}]` at once"),
                    _ => format!(
                        "one work-item writes `{array}[{index}]` while another one reads it"
                    ),
                };
                (
                    "F002",
                    message,
                    if *writes { "this write" } else { "this read" },
                )
            }
            FaultKind::UninitialisedElement { array, index } => {
                let message = format!("`{array}[{index}]` is read before anybody wrote it");
                ("F003", message, "this read")
            }
            FaultKind::UninitialisedVariable { variable } => {
                let message = format!("`{variable}` is read before it is assigned");
                ("F004", message, "this read")
            }
            FaultKind::DivergentBarrier { .. } => {
                let message = "not every work-item of the work-group reaches this barrier".into();
                ("F005", message, "waits here")
            }
            FaultKind::DivergentBroadcast {
                position,
                other_position,
            } => {
                let message = format!(
                    "work-items of one group broadcast from positions {position} and \
                     {other_position}"
                );
                ("F006", message, "this broadcast")
            }
            FaultKind::StepLimit { limit } => {
                let message = format!("a loop goes on after {limit} rounds");
                ("F007", message, "this loop")
            }
        }
    }

    fn where_it_happened(&self) -> String {
        let function = if self.function == self.kernel {
            String::new()
        } else {
            format!("function `{}` called by ", self.function)
        };
        format!("{function}kernel `{}`, {}", self.kernel, self.work_item)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic().render(self.source.as_ref()))
    }
}

impl std::error::Error for Fault {}
