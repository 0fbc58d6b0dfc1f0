//! Everything that can go wrong in the runtime, as data.
//!
//! Each variant keeps the facts (names, sizes, choices) in fields; `Display` arranges them in the
//! three parts every situ message has: what happened, `why:`, and `help:`. Problems that only cost
//! speed or convenience are not errors: see [`crate::warnings`].

use std::any::Any;
use std::fmt;

use situ_ir::{DType, RangeError, Source, Span, Type};

use crate::backend::opencl::Status;
use crate::backend::sycl::{LibraryProblem, Refusal};
use crate::backend::virtual_::RequestProblem;
use crate::failed_assertion::FailedAssertion;
use crate::memory::byte_count::ByteCount;
use crate::memory::usm::UsmKind;
use crate::outside_access::OutsideAccess;
use crate::partition::{Partition, PartitionInfo, PartitionProblem};
use crate::queue::HostError;
use crate::selector::SelectorProblem;
use crate::submission::Site;

/// The result of a runtime call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure in the runtime.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No device fits a selector.
    #[error(
        "there is no device `{selector}`\n  \
         why:  {}\n  \
         help: the selectors that work here are {}; `situ doctor` says what became of every driver",
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        quoted_list(available)
    )]
    UnknownSelector {
        /// What was asked for.
        selector: String,
        /// What is wrong with it.
        problems: Vec<SelectorProblem>,
        /// What would have worked, the nearest first.
        available: Vec<String>,
    },

    /// No aspect has this name.
    #[error(
        "there is no aspect `{name}`\n  \
         why:  aspects have the names of SYCL\n  \
         help: choose among {}",
        quoted_list(available)
    )]
    UnknownAspect {
        /// What was asked for.
        name: String,
        /// All there are, the nearest first.
        available: Vec<&'static str>,
    },

    /// A backend has no devices here.
    #[error(
        "there is no platform `{backend}`\n  \
         why:  the platforms with devices are {}\n  \
         help: use one of those; `situ.platforms()` lists them",
        quoted_list(available)
    )]
    UnknownPlatform {
        /// What was asked for.
        backend: String,
        /// The backends that have devices.
        available: Vec<String>,
    },

    /// A device cannot be cut into sub-devices in the way that was asked for.
    #[error(
        "cannot partition `{device}` as {partition}\n  \
         why:  {problem}\n  \
         help: {}",
        possible.advice()
    )]
    PartitionImpossible {
        /// The device.
        device: String,
        /// How it was to be cut.
        partition: Partition,
        /// What stands in the way.
        problem: PartitionProblem,
        /// What would have worked.
        possible: PartitionInfo,
    },

    /// A sub-device of another process does not exist in this one.
    #[error(
        "there is no sub-device {index} of `{device}` partitioned as {partition}\n  \
         why:  that makes {count} sub-devices here\n  \
         help: use a machine like the one it came from, or make the sub-devices anew"
    )]
    NoSuchPart {
        /// The device that was cut.
        device: String,
        /// How.
        partition: Partition,
        /// Which part was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },

    /// A text that asks for virtual devices makes no sense.
    #[error(
        "cannot add the virtual devices `{request}`\n  \
         why:  {problem}\n  \
         help: write types and numbers, such as `gpu:2,cpu:1` or `gpu:1:no-fp64`"
    )]
    BadVirtualDevices {
        /// The text.
        request: String,
        /// What is wrong with it.
        problem: RequestProblem,
    },

    /// Devices that cannot share memory, or none at all.
    #[error(
        "cannot make a context over {}\n  \
         why:  a context needs at least one device, and all of them from one platform\n  \
         help: make one context per platform",
        quoted_list(devices)
    )]
    BadContext {
        /// The devices that were given.
        devices: Vec<String>,
    },

    /// A queue was to be made for a device outside of its context.
    #[error(
        "cannot make a queue for `{device}` in this context\n  \
         why:  the context is over {}\n  \
         help: use one of its devices, or a context that contains `{device}`",
        quoted_list(devices)
    )]
    DeviceNotInContext {
        /// The queue's device.
        device: String,
        /// The context's devices.
        devices: Vec<String>,
    },

    /// There is not enough memory.
    #[error(
        "out of memory: cannot allocate {} of {kind} memory on {device}\n  \
         why:  {}the device has {} in all{}; situ's arrays use {}, unfinished work {}, and {} are kept \
         for reuse\n  \
         help: release arrays that are no longer needed, or work on smaller pieces",
        ByteCount(*size_bytes as u64),
        most_at_once(*size_bytes, *max_allocation_bytes),
        ByteCount(*device_bytes),
        free_bytes.map_or_else(String::new, |free| format!(", {} free", ByteCount(free))),
        ByteCount(*used_bytes),
        ByteCount(*pending_bytes),
        ByteCount(*idle_bytes)
    )]
    OutOfMemory {
        /// What was asked for.
        size_bytes: usize,
        /// Of which kind.
        kind: UsmKind,
        /// Where.
        device: String,
        /// What the device has.
        device_bytes: u64,
        /// What of it nobody uses, if it is known.
        free_bytes: Option<u64>,
        /// The most that the device gives at once.
        max_allocation_bytes: u64,
        /// What allocations hold at present.
        used_bytes: u64,
        /// What unfinished work holds beyond that.
        pending_bytes: u64,
        /// What the pools keep for reuse.
        idle_bytes: u64,
    },

    /// A copy would leave the allocation.
    #[error(
        "cannot copy {len} bytes at byte {byte_offset} of an allocation of {size_bytes} bytes\n  \
         why:  the copy would reach beyond its end\n  \
         help: check offset and length; both count bytes"
    )]
    CopyOutOfRange {
        /// Where the copy starts.
        byte_offset: usize,
        /// How long it is.
        len: usize,
        /// How long the allocation is.
        size_bytes: usize,
    },

    /// An address that leads to no memory of situ.
    #[error(
        "there is no memory of situ at address {address:#x}\n  \
         why:  the address belongs to the host or to another library, or its allocation was freed\n  \
         help: pass a situ array or a `situ.memory.Allocation`, and keep it alive while its address \
         is in use"
    )]
    UnknownAddress {
        /// The address.
        address: usize,
    },

    /// Memory of another context was used.
    #[error(
        "cannot use {} on {device}\n  \
         why:  the memory belongs to another context, which this device cannot see\n  \
         help: copy the data to this device first",
        parameter.as_ref().map_or_else(
            || "this memory".to_owned(),
            |(kernel, name)| format!("argument `{name}` of `{kernel}`")
        )
    )]
    ForeignAllocation {
        /// The kernel and the parameter it was passed to, if it was a launch.
        parameter: Option<(String, String)>,
        /// The device that was to use it.
        device: String,
    },

    /// A kernel was launched on another device than it was compiled for.
    #[error(
        "cannot launch `{kernel}` on {device}\n  \
         why:  it was compiled for {compiled_for}\n  \
         help: compile the module for {device}, too"
    )]
    WrongDevice {
        /// The kernel.
        kernel: String,
        /// Its program's device.
        compiled_for: String,
        /// The queue's device.
        device: String,
    },

    /// Too few or too many arguments.
    #[error(
        "`{kernel}` takes {} arguments, not {found}\n  \
         why:  its parameters are {}\n  \
         help: pass one argument for each",
        parameters.len(),
        quoted_list(parameters)
    )]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// The names of its parameters.
        parameters: Vec<String>,
        /// How many arguments there were.
        found: usize,
    },

    /// An argument of another kind or dtype than its parameter.
    #[error(
        "argument `{parameter}` of `{kernel}` does not fit\n  \
         why:  the parameter is `{expected}`, the argument is {found}\n  \
         help: convert the argument, or compile the kernel for other types"
    )]
    ArgumentType {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// Its type.
        expected: Type,
        /// What was passed.
        found: ArgumentKind,
    },

    /// A pointer argument outside of its allocation, or between elements.
    #[error(
        "argument `{parameter}` of `{kernel}` points at byte {byte_offset} of an allocation of \
         {size_bytes} bytes\n  \
         why:  it must be inside, at a multiple of {align_bytes}\n  \
         help: check the offset; it counts bytes"
    )]
    PointerOffset {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// Where it points.
        byte_offset: usize,
        /// How long the allocation is.
        size_bytes: usize,
        /// What the elements are aligned to.
        align_bytes: usize,
    },

    /// A range that no kernel can be launched over.
    #[error("cannot launch over this range\n  why:  {source}\n  help: choose other sizes")]
    BadRange {
        /// What is wrong with it.
        #[from]
        source: RangeError,
    },

    /// A range with other dimensions than the kernel.
    #[error(
        "cannot launch `{kernel}` over a range of {found} dimensions\n  \
         why:  the kernel is written for {expected}\n  \
         help: {}", range_help(kernel, *expected)
    )]
    RangeDimensions {
        /// The kernel.
        kernel: String,
        /// Its dimensions.
        expected: usize,
        /// The range's.
        found: usize,
    },

    /// A work-group beyond the device's limit.
    #[error(
        "cannot launch `{kernel}` in work-groups of {local:?}\n  \
         why:  that is {work_items} work-items, and the device can run {limit} in a group\n  \
         help: use smaller work-groups, or leave the local size out"
    )]
    WorkGroupTooLarge {
        /// The kernel.
        kernel: String,
        /// The local sizes.
        local: Vec<u64>,
        /// Their product.
        work_items: u64,
        /// The device's limit.
        limit: u64,
    },

    /// A work-group that is too long along one dimension.
    #[error(
        "cannot launch `{kernel}` in work-groups of {local:?}\n  \
         why:  the device can run groups of at most {} work-items along dimension {dimension}\n  \
         help: stay within {limits:?}, or leave the local size out",
        limits[*dimension]
    )]
    WorkGroupTooLong {
        /// The kernel.
        kernel: String,
        /// The local sizes.
        local: Vec<u64>,
        /// The dimension that is too long.
        dimension: usize,
        /// What the device can do along each dimension.
        limits: Vec<u64>,
    },

    /// An assertion in a kernel that does not hold.
    #[error("{0}")]
    AssertionFailed(Box<FailedAssertion>),

    /// An access outside of an array that a kernel made and that was skipped.
    #[error("{0}")]
    OutsideAccess(Box<OutsideAccess>),

    /// An index in memory that does not exist.
    #[error(
        "index {index} is out of bounds for axis {axis} with size {size}\n  why:  it was read on the device, so \
         this was found while the work ran\n  help: {}; the other elements of the result are right",
        valid_indices(*size)
    )]
    IndexOutOfRange {
        /// The index.
        index: i64,
        /// The dimension.
        axis: usize,
        /// Its size.
        size: usize,
    },
    /// More local memory than the device has.
    #[error(
        "cannot launch `{kernel}` with {size_bytes} bytes of local memory\n  \
         why:  {device} has {limit} bytes for a work-group\n  \
         help: use smaller local arrays or smaller work-groups"
    )]
    LocalMemoryTooLarge {
        /// The kernel.
        kernel: String,
        /// What a work-group needs.
        size_bytes: u64,
        /// The device.
        device: String,
        /// The device's limit.
        limit: u64,
    },

    /// A kernel is written for sub-groups of a size that the device has not.
    #[error(
        "cannot compile `{kernel}` for {device} with sub-groups of {size}\n  \
         why:  {}\n  \
         help: use one of the device's sizes or another device, or leave the size to situ",
        sub_groups(available)
    )]
    SubGroupSizeMissing {
        /// The kernel.
        kernel: String,
        /// The size that was asked for.
        size: u32,
        /// The device.
        device: String,
        /// The sizes there are.
        available: Vec<u32>,
    },

    /// A kernel needs something that the device has not.
    #[error(
        "cannot compile `{kernel}` for {device}\n  \
         why:  it uses {feature}, which the device does not have{}\n  \
         help: {}, or use another device: `situ devices` lists what each can do",
        origin.as_ref().map_or_else(String::new, |origin| format!(": {origin}")),
        instead_of(feature)
    )]
    FeatureMissing {
        /// The kernel.
        kernel: String,
        /// What it uses.
        feature: &'static str,
        /// The device.
        device: String,
        /// The line that uses it first.
        origin: Option<Box<SourceLine>>,
    },

    /// A module could not be written in the device's language.
    #[error(
        "cannot compile `{module}` for {device}\n  \
         why:  {source}\n  \
         help: use another device, or a kernel without that feature"
    )]
    EmitFailed {
        /// The module.
        module: String,
        /// The backend.
        device: &'static str,
        /// What the emitter says.
        source: Box<situ_codegen::Error>,
    },

    /// The reference device found a mistake in a kernel.
    #[error("the reference device stopped a kernel: {source}")]
    KernelFault {
        /// What it found, and where.
        source: Box<situ_ir::interpret::Error>,
    },

    /// A driver's compiler refused a program that situ wrote.
    #[error(
        "cannot compile `{module}` for {device}: the driver's compiler refuses it\n  \
         why:  {}\n  \
         help: this is a bug in situ or in the driver; please report it with the output of \
         SITU_TRACE=code{}{}",
        indented(log.trim()),
        line.map_or_else(String::new, |line| excerpt(line, code)),
        origin.as_ref().map_or_else(String::new, |origin| format!("\n  note: that was written for {origin}"))
    )]
    BuildFailed {
        /// Name of the module that was being compiled.
        module: String,
        /// The device.
        device: String,
        /// The compiler's own words.
        log: String,
        /// What it was given.
        code: String,
        /// The line of it that the compiler complains about first, from one.
        line: Option<u32>,
        /// The user's line that it was written for.
        origin: Option<Box<SourceLine>>,
    },

    /// A call of a driver failed.
    #[error(
        "{call} failed{} on {device}\n  \
         why:  the driver says {status}\n  \
         help: {}",
        subject.as_ref().map_or_else(String::new, |subject| format!(" for `{subject}`")),
        status.advice()
    )]
    DriverFailed {
        /// The device.
        device: String,
        /// The kernel that was to run, or the module that was to be compiled.
        subject: Option<String>,
        /// The function.
        call: &'static str,
        /// What it said.
        status: Status,
    },

    /// A call of the SYCL runtime failed.
    #[error(
        "{call} failed{} on {device}\n  \
         why:  {}\n  \
         help: with DPCTL_VERBOSITY=error in the environment, dpctl prints what the SYCL runtime says",
        subject.as_ref().map_or_else(String::new, |subject| format!(" for `{subject}`")),
        message.as_deref().unwrap_or("the SYCL runtime refuses, and dpctl does not pass on its reason")
    )]
    SyclFailed {
        /// The device.
        device: String,
        /// The kernel that was to run.
        subject: Option<String>,
        /// The function of dpctl's library.
        call: &'static str,
        /// What the runtime said, if that came through.
        message: Option<String>,
    },

    /// Something of the SYCL runtime's was passed, and situ does not use it.
    #[error(
        "cannot use an object of the SYCL runtime\n  \
         why:  {problem}\n  \
         help: install `dpctl` where situ is, and leave SITU_SYCL_LIBRARY unset"
    )]
    SyclMissing {
        /// Why not.
        problem: LibraryProblem,
    },

    /// A queue or context of another package is for a device that situ cannot use.
    #[error(
        "cannot use the SYCL device `{name}`\n  \
         why:  {reason}\n  \
         help: use a queue of another device; `situ doctor` lists them with the reasons"
    )]
    SyclDeviceRefused {
        /// What the manufacturer calls it.
        name: String,
        /// Why not.
        reason: Refusal,
    },

    /// An object of the SYCL runtime's was asked for something that is not there.
    #[error(
        "{device} has no queue, context or memory of the SYCL runtime\n  \
         why:  it is driven by another backend\n  \
         help: use a device of the backend `sycl`, such as `situ.Device(\"sycl\")`"
    )]
    NotSycl {
        /// The device.
        device: String,
    },

    /// An address is not one of memory that the SYCL runtime allocated in a context.
    #[error(
        "cannot use the memory at {address:#x} on {device}\n  \
         why:  it is not USM memory of the context of that device\n  \
         help: pass a queue of the context that it was allocated in, or copy the data"
    )]
    NotUsmHere {
        /// Where it starts.
        address: usize,
        /// The device that was to use it.
        device: String,
    },

    /// There is no memory for a copy between two overlapping places.
    #[error(
        "cannot copy {size_bytes} bytes between overlapping places\n  \
         why:  this driver needs as much memory in between, and there is none\n  \
         help: copy in smaller pieces, or free memory first"
    )]
    NoRoomForCopy {
        /// How much was to be copied.
        size_bytes: usize,
    },

    /// A driver does not work in a forked process.
    #[error(
        "cannot use {device} in a forked process\n  \
         why:  its driver was started by the parent process, and its threads are there\n  \
         help: start child processes by spawning, or use this device in children only"
    )]
    DriverLostInFork {
        /// The device.
        device: String,
    },

    /// The device has no memory of a kind.
    #[error(
        "{device} has no {kind} memory\n  \
         why:  its driver does not offer that; the device has {}\n  \
         help: use one of those kinds, or another device",
        quoted_list(available)
    )]
    UsmKindMissing {
        /// The device.
        device: String,
        /// What was asked for.
        kind: UsmKind,
        /// The kinds it has.
        available: Vec<&'static str>,
    },

    /// LLVM refused a module that situ wrote. The user cannot cause this with valid input.
    #[error(
        "cannot compile `{module}` for the native device: LLVM failed to {stage} it\n  \
         why:  {message}\n  \
         help: this is a bug in situ; please report it with the output of SITU_TRACE=code"
    )]
    CompileFailed {
        /// Name of the module that was being compiled.
        module: String,
        /// How far LLVM came.
        stage: CompileStage,
        /// LLVM's own words.
        message: String,
    },

    /// LLVM cannot generate code for the requested CPU.
    #[error(
        "cannot generate code for CPU `{cpu}`\n  \
         why:  {message}\n  \
         help: situ's native device supports x86-64 processors"
    )]
    UnsupportedCpu {
        /// The CPU name that was asked for.
        cpu: String,
        /// LLVM's own words.
        message: String,
    },

    /// An object file calls functions this machine does not have.
    #[error(
        "cannot load compiled code: {} it calls {} not available on this machine\n  \
         why:  missing {}\n  \
         help: the code was probably compiled elsewhere; clear the compile cache and try again",
        if symbols.len() == 1 { "a function" } else { "functions" },
        if symbols.len() == 1 { "is" } else { "are" },
        quoted_list(symbols)
    )]
    MissingSymbols {
        /// The unresolved names.
        symbols: Vec<String>,
    },

    /// The JIT linker could not load an object file.
    #[error(
        "cannot load compiled code: the JIT linker failed to {action}\n  \
         why:  {message}\n  \
         help: clear the compile cache and try again; if it happens again, please report it"
    )]
    LoadFailed {
        /// What the linker was doing.
        action: &'static str,
        /// The linker's own words.
        message: String,
    },

    /// Bytes that should be an object file are not one.
    #[error(
        "cannot load compiled code: the object file is malformed\n  \
         why:  {detail}\n  \
         help: clear the compile cache and try again"
    )]
    MalformedObject {
        /// Which part of the file is wrong.
        detail: &'static str,
    },

    /// A loaded program has no such entry point.
    #[error(
        "there is no kernel `{name}` in this program\n  \
         why:  it contains {}\n  \
         help: ask for one of those",
        quoted_list(available)
    )]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// The kernels the program has.
        available: Vec<String>,
    },

    /// A command failed after its submission had returned.
    #[error(
        "{source}\n  note: this happened in {command}{}",
        submitted_at(site.as_ref())
    )]
    CommandFailed {
        /// What it was.
        command: String,
        /// The line that submitted it.
        site: Option<Site>,
        /// What went wrong.
        source: Box<Error>,
    },

    /// A command was not run because another one failed.
    #[error(
        "{command}{} was not run\n  \
         why:  it depends on work that failed: {source}\n  \
         help: mend that first; nothing was written by this command",
        submitted_at(site.as_ref())
    )]
    DependencyFailed {
        /// What was not run.
        command: String,
        /// The line that submitted it.
        site: Option<Site>,
        /// The failure it depends on.
        source: Box<Error>,
    },

    /// More than one command failed since the last wait.
    #[error("{first}\n  note: {others} more failed since the last wait for this queue")]
    SeveralFailed {
        /// The first of them.
        first: Box<Error>,
        /// How many there were beside it.
        others: usize,
    },

    /// A host task returned an error.
    #[error("a host task failed\n  why:  {source}\n  help: see the task's own error")]
    HostTaskFailed {
        /// The task's own error.
        source: HostError,
    },

    /// Library code of the host returned an error.
    #[error("{source}")]
    HostWorkFailed {
        /// What was to be done.
        name: &'static str,
        /// Its own error.
        source: HostError,
    },

    /// The host cannot reach memory.
    #[error(
        "the host does not reach {kind} memory of `{device}`\n  \
         why:  only the device reads and writes it\n  \
         help: copy it to shared or host memory first"
    )]
    NotHostAccessible {
        /// The device.
        device: String,
        /// The kind of memory.
        kind: UsmKind,
    },

    /// A host task waits for something that waits for the task.
    #[error(
        "a host task cannot wait for {command}\n  \
         why:  that comes after the task, on its in-order queue or by the events it depends on, so \
         the task would wait for itself\n  \
         help: wait outside of the task, or submit the task to a queue of its own"
    )]
    WaitInsideQueue {
        /// What it would wait for.
        command: String,
    },

    /// The user broke a wait off.
    #[error(
        "the wait for {command} was interrupted{}\n  \
         why:  the program was interrupted, for example with Ctrl-C{}\n  \
         help: {}",
        running.as_ref().map_or(String::new(), |running| format!(", and {running} still runs")),
        if running.is_some() { ", and this device cannot stop work that it has begun" } else { "" },
        match running {
            Some(_) => "later work of the queue waits until it ends; use another queue, or end the process",
            None => "work that was submitted goes on, except for kernels that were running; wait again when \
                     you need it",
        }
    )]
    Interrupted {
        /// What was waited for.
        command: String,
        /// What could not be stopped.
        running: Option<String>,
    },

    /// The user stopped something.
    #[error(
        "it was stopped before its end\n  \
         why:  the program was interrupted, for example with Ctrl-C\n  \
         help: what it was to write is undefined now; launch it again if you need it"
    )]
    Stopped,

    /// The user stopped a kernel, which another thread may have launched.
    #[error(
        "kernel `{kernel}` was stopped before its end\n  \
         why:  the program was interrupted, for example with Ctrl-C\n  \
         help: what it was to write is undefined now; launch it again if you need it"
    )]
    KernelStopped {
        /// Its name.
        kernel: String,
    },

    /// Work was pending when the process forked.
    #[error(
        "work on {device} was lost in a fork\n  \
         why:  the parent process was still running it; a child has no part in that, and what it \
         would have written is missing here\n  \
         help: call `queue.wait()` before the process forks, or start child processes by spawning"
    )]
    LostInFork {
        /// The device.
        device: String,
    },

    /// An event without times.
    #[error(
        "this event has no profiling times\n  why:  {}\n  help: {}",
        if *is_recorded { "its work has not ended" } else { "its queue does not record them" },
        if *is_recorded { "wait for it first" } else { "make the queue with `enable_profiling=True`" }
    )]
    NoProfile {
        /// Whether times are recorded at all.
        is_recorded: bool,
    },

    /// Work running on the pool panicked.
    #[error(
        "a worker thread stopped unexpectedly while running a kernel\n  \
         why:  {message}\n  \
         help: this is a bug in situ; results of this launch are incomplete; please report it"
    )]
    WorkPanicked {
        /// The panic message.
        message: String,
    },

    /// There is no memory for a kernel's local arrays.
    #[error(
        "out of memory: a work-group needs {size_bytes} bytes of working memory\n  \
         why:  its local arrays, or the values its work-items keep across barriers, do not fit\n  \
         help: use a smaller work-group or smaller local arrays"
    )]
    ScratchUnavailable {
        /// What one work-group needs.
        size_bytes: usize,
    },

    /// There is no memory for the stack that something needs.
    #[error(
        "out of memory: there is no room for a stack of {size_bytes} bytes\n  \
         why:  the kernel's private arrays or nested calls take more than the thread's own stack has left\n  \
         help: use smaller private arrays, or run it on a thread with a larger stack, see \
         `threading.stack_size`"
    )]
    StackUnavailable {
        /// What was asked for.
        size_bytes: usize,
    },

    /// The operating system refused a thread.
    #[error(
        "cannot start a {purpose} thread\n  \
         why:  {message}\n  \
         help: raise the limit on threads, or set SITU_NUM_THREADS to a smaller number"
    )]
    ThreadUnavailable {
        /// What the thread was for.
        purpose: &'static str,
        /// The operating system's words.
        message: String,
    },

    /// An environment variable has a value situ does not understand.
    #[error(
        "{variable} has a value situ does not understand: `{value}`\n  \
         why:  it must be {choices}\n  \
         help: correct or unset {variable}; the default `{default}` is used meanwhile"
    )]
    BadEnvironmentValue {
        /// The variable's name.
        variable: &'static str,
        /// What it was set to.
        value: String,
        /// What it may be set to.
        choices: &'static str,
        /// What situ uses instead.
        default: String,
    },

    /// An assumption inside situ turned out to be wrong.
    #[error(
        "internal error in situ\n  \
         why:  this should always hold, but did not: {invariant}\n  \
         help: please report it with the code that led here"
    )]
    Internal {
        /// The statement that was expected to be true.
        invariant: &'static str,
    },
}

/// The steps LLVM takes from text to machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompileStage {
    /// Reading the text form of LLVM IR.
    Parse,
    /// Checking the module's invariants.
    Verify,
    /// Running the optimisation passes.
    Optimise,
    /// Writing the object file.
    Emit,
}

impl fmt::Display for CompileStage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Parse => "parse",
            Self::Verify => "verify",
            Self::Optimise => "optimise",
            Self::Emit => "emit code for",
        })
    }
}

/// A line of the user's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// Where it is.
    pub site: Site,
    /// What it says.
    pub text: String,
}

impl SourceLine {
    /// The line in which a span starts.
    pub fn at(source: &Source, span: Span) -> Self {
        Self {
            site: Site {
                file: source.name.clone().into(),
                line: source.location(span.start).line,
            },
            text: source.line_at(span.start).trim().to_owned(),
        }
    }
}

/// Written as ``model.py:12: `x[i] = 0` ``.
impl fmt::Display for SourceLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: `{}`", self.site, self.text)
    }
}

/// What was passed to a parameter, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A number.
    Scalar(DType),
    /// An address in an allocation.
    Pointer,
    /// An amount of local memory.
    Local,
}

impl fmt::Display for ArgumentKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(dtype) => write!(formatter, "a {} scalar", dtype.name()),
            Self::Pointer => formatter.write_str("an array in global memory"),
            Self::Local => formatter.write_str("an amount of local memory"),
        }
    }
}

/// What to use where a feature is missing.
fn instead_of(feature: &str) -> &'static str {
    match feature {
        "complex128" => "use complex64",
        "64-bit atomics" => "use elements of 32 bits",
        _ => "use float32",
    }
}

/// Which sub-groups there are, in words.
fn sub_groups(sizes: &[u32]) -> String {
    match sizes {
        [] | [1] => "the device has no sub-groups; each work-item is its own".to_owned(),
        sizes => {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            format!(
                "the sizes of the device's sub-groups are {}",
                quoted_list(&sizes)
            )
        }
    }
}

fn submitted_at(site: Option<&Site>) -> String {
    site.map_or_else(String::new, |site| format!(", submitted at {site}"))
}

/// Lines of a text as they look inside of a message.
fn indented(text: &str) -> String {
    text.replace('\n', "\n        ")
}

/// A line of a program, counted from one, with its neighbours.
fn excerpt(number: u32, code: &str) -> String {
    let number = number as usize;
    let first = number.saturating_sub(3);
    let lines = code
        .lines()
        .enumerate()
        .skip(first)
        .take(number + 2 - first);
    let shown = lines.map(|(index, line)| {
        let mark = if index + 1 == number { '>' } else { ' ' };
        format!("\n  {mark} {:4} | {line}", index + 1)
    });
    shown.collect()
}

/// The words of a panic.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the panic carried no message".to_owned())
}

/// Writes `` `a`, `b` and `c` ``, or `nothing` for an empty list.
pub(crate) fn quoted_list<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

/// The reason why memory that is there is not given, if that is the reason.
fn most_at_once(size_bytes: usize, max_allocation_bytes: u64) -> String {
    if size_bytes as u64 <= max_allocation_bytes {
        return String::new();
    }
    format!(
        "one allocation has at most {}; ",
        ByteCount(max_allocation_bytes)
    )
}

/// The indices that an axis has.
fn valid_indices(size: usize) -> String {
    match size {
        0 => "this axis has no element, so no index is valid".to_owned(),
        _ => format!("valid indices are -{size} to {}", size - 1),
    }
}

/// How to write a range of so many dimensions, which is easily taken for that of a range and its groups.
fn range_help(kernel: &str, dimensions: usize) -> String {
    match dimensions {
        1 => format!(
            "write `{kernel}[n](...)`, or `{kernel}[(n,), (size,)](...)` for work-groups of that size"
        ),
        2 => format!(
            "write `{kernel}[m, n](...)`, or `{kernel}[(m, n), (8, 8)](...)` for work-groups of 8 by 8"
        ),
        _ => format!("give {dimensions} sizes, e.g. `{kernel}[k, m, n](...)`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_three_parts() {
        let error = Error::MissingSymbols {
            symbols: vec!["sin".into(), "cos".into()],
        };
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("cannot load compiled code"));
        assert_eq!(lines[1], "  why:  missing `sin` and `cos`");
        assert!(lines[2].starts_with("  help: "));
    }

    #[test]
    fn lists_read_as_prose() {
        assert_eq!(quoted_list::<&str>(&[]), "nothing");
        assert_eq!(quoted_list(&["a"]), "`a`");
        assert_eq!(quoted_list(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
