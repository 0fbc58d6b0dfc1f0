//! LLVM IR text to object file. With `jit.rs` and what is done to instructions after LLVM's passes, the only file that touches LLVM.
//!
//! Nothing LLVM can do to a module ends the process:
//! - parse, verify and pass failures come back as values;
//! - diagnostics go to a handler of ours, because LLVM's own exits on errors;
//! - what LLVM calls a fatal error cannot be returned from. Each compilation therefore runs on a
//!   thread of its own, with a stack large enough for deeply nested kernels; the fatal-error
//!   handler hands the message to the waiting caller and parks that thread for good. This leaks
//!   one compilation's memory, in a situation that is a bug anyway.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Once;
use std::sync::mpsc::{SyncSender, sync_channel};

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::{
    LLVMContextCreate, LLVMContextDispose, LLVMContextSetDiagnosticHandler,
    LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMDisposeMemoryBuffer, LLVMDisposeMessage,
    LLVMDisposeModule, LLVMGetBufferSize, LLVMGetBufferStart, LLVMGetDiagInfoDescription,
    LLVMGetDiagInfoSeverity, LLVMSetTarget,
};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::prelude::*;
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::target::{
    LLVMDisposeTargetData, LLVMInitializeX86AsmParser, LLVMInitializeX86AsmPrinter,
    LLVMInitializeX86Target, LLVMInitializeX86TargetInfo, LLVMInitializeX86TargetMC,
    LLVMSetModuleDataLayout,
};
use llvm_sys::target_machine::{
    LLVMCodeGenFileType, LLVMCodeGenOptLevel, LLVMCodeModel, LLVMCreateTargetDataLayout,
    LLVMCreateTargetMachine, LLVMDisposeTargetMachine, LLVMGetDefaultTargetTriple,
    LLVMGetHostCPUFeatures, LLVMGetHostCPUName, LLVMGetTargetFromTriple, LLVMRelocMode,
    LLVMTargetMachineEmitToMemoryBuffer, LLVMTargetMachineRef,
};
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions,
    LLVMPassBuilderOptionsSetLoopInterleaving, LLVMPassBuilderOptionsSetLoopUnrolling,
    LLVMPassBuilderOptionsSetLoopVectorization, LLVMPassBuilderOptionsSetSLPVectorization,
    LLVMRunPasses,
};

use super::host_cpu::CpuTarget;
use super::{constants_in_memory, streamed_stores};
use crate::backend::host_memory;
use crate::error::{CompileStage, Error, Result};
use crate::memory::relief::retry_after_trim;
use crate::memory::trim_all;

/// LLVM's version, part of the key of every cached object.
pub const LLVM_VERSION: &str = env!("SITU_LLVM_VERSION");

/// Deeply nested expressions make LLVM recurse; pages that are never touched cost nothing.
const COMPILE_STACK_BYTES: usize = 64 << 20;

/// Which optimisation passes run before code generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Passes {
    /// LLVM's own `-O3`; and functions of registers, which only vectorised loops call, are inlined there.
    Full,
    /// A short list for work-item loops: clean up, hoist, vectorise, clean up again.
    Short,
    /// Variables into registers and nothing else, with the fastest code generator: for code that runs
    /// once, such as that of tests.
    Least,
}

impl Passes {
    /// The pipeline in LLVM's textual form.
    pub const fn pipeline(self) -> &'static str {
        match self {
            Self::Full => "default<O3>,always-inline",
            Self::Short => SHORT_PIPELINE,
            Self::Least => "function(sroa)",
        }
    }

    const fn code_generation(self) -> LLVMCodeGenOptLevel {
        match self {
            Self::Full | Self::Short => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            Self::Least => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
        }
    }
}

const SHORT_PIPELINE: &str = "cgscc(inline),\
    function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
    loop-mssa(loop-simplifycfg,loop-rotate<header-duplication;prepare-for-lto>,licm<allowspeculation>,simple-loop-unswitch<nontrivial;trivial>),\
    instcombine<no-verify-fixpoint>,simplifycfg,\
    loop(loop-idiom,indvars,loop-deletion),gvn<pre;load-pre>,\
    loop-vectorize<no-interleave-forced-only;no-vectorize-forced-only;>,\
    slp-vectorizer,instcombine<no-verify-fixpoint>,loop-unroll<O3>,\
    simplifycfg<forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;sink-common-insts>,\
    instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),alignment-from-assumptions,infer-alignment),\
    always-inline,globaldce";

/// What to generate code for, and how hard to try.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CompileOptions {
    /// The processor.
    pub cpu: CpuTarget,
    /// The optimisation passes.
    pub passes: Passes,
}

/// Compiles the text of one LLVM module to the bytes of an ELF object file.
///
/// # Errors
/// [`Error::CompileFailed`] with LLVM's message when any stage fails, [`Error::UnsupportedCpu`]
/// when there is no code generator for the processor.
pub fn compile(name: &str, text: &str, options: &CompileOptions) -> Result<Vec<u8>> {
    answered(name, text, options, Output::Object)
}

/// Compiles the text of one LLVM module to assembly, as [`compile`] compiles it to bytes.
///
/// # Errors
/// As [`compile`].
pub fn assembly(name: &str, text: &str, options: &CompileOptions) -> Result<String> {
    let bytes = answered(name, text, options, Output::Assembly)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a compilation gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    /// The bytes of an ELF object file.
    Object,
    /// Text for people.
    Assembly,
}

impl Output {
    const fn file_type(self) -> LLVMCodeGenFileType {
        match self {
            Self::Object => LLVMCodeGenFileType::LLVMObjectFile,
            Self::Assembly => LLVMCodeGenFileType::LLVMAssemblyFile,
        }
    }
}

/// Address space that compiling a kernel takes, with the stack of its thread; large ones take more.
const COMPILER_BYTES: usize = 256 << 20;

/// Compiles on a thread of its own, and waits for the answer.
fn answered(name: &str, text: &str, options: &CompileOptions, output: Output) -> Result<Vec<u8>> {
    initialise();
    // LLVM ends the process where it finds no memory, so it is not left to find out.
    if !host_memory::has_address_space(COMPILER_BYTES) {
        trim_all();
    }
    let (sender, receiver) = sync_channel(1);
    let start = || {
        let request = Request {
            name: name.to_owned(),
            text: text.to_owned(),
            options: options.clone(),
            output,
            reply: sender.clone(),
        };
        std::thread::Builder::new()
            .name("situ-compile".to_owned())
            .stack_size(COMPILE_STACK_BYTES)
            .spawn(move || request.serve())
    };
    retry_after_trim(start).map_err(|error| Error::ThreadUnavailable {
        purpose: "compiler",
        message: error.to_string(),
    })?;
    // Only the thread may answer from here on.
    drop(sender);
    receiver.recv().unwrap_or(Err(Error::Internal {
        invariant: "a compiler thread always answers",
    }))
}

struct Request {
    name: String,
    text: String,
    options: CompileOptions,
    output: Output,
    reply: SyncSender<Result<Vec<u8>>>,
}

impl Request {
    fn serve(self) {
        IN_FLIGHT.set(Some(InFlight {
            name: self.name.clone(),
            reply: self.reply.clone(),
        }));
        let result = compile_on_this_thread(&self.name, &self.text, &self.options, self.output);
        IN_FLIGHT.set(None);
        // The caller waits on the other end and never leaves before an answer.
        let _ = self.reply.send(result);
    }
}

/// What the fatal-error handler needs to answer for a compilation on its thread.
struct InFlight {
    name: String,
    reply: SyncSender<Result<Vec<u8>>>,
}

thread_local! {
    static IN_FLIGHT: RefCell<Option<InFlight>> = const { RefCell::new(None) };
}

extern "C" fn answer_fatal_error(reason: *const c_char) {
    let Some(in_flight) = IN_FLIGHT.take() else {
        // Not our compilation: somebody else in this process uses the same LLVM library.
        return;
    };
    // SAFETY: LLVM passes a valid C string.
    let message = unsafe { CStr::from_ptr(reason) }
        .to_string_lossy()
        .into_owned();
    let _ = in_flight.reply.send(Err(Error::CompileFailed {
        module: in_flight.name,
        stage: CompileStage::Emit,
        message,
    }));
    // Returning would make LLVM exit the process.
    loop {
        std::thread::park();
    }
}

/// What the code generator is told, for all modules: if two registers are to become one, leave a copy where nothing waits for
/// it. Else each round of a loop may wait for a copy, as Collatz's did, which took 31 ms where it takes 26 now. Newer
/// versions of LLVM do so by themselves.
pub(super) const GENERATOR_OPTION: &CStr = c"-terminal-rule";

/// Registers the x86 code generator and our error handler. Cheap after the first time.
pub(super) fn initialise() {
    static ONCE: Once = Once::new();
    // SAFETY: plain registrations, made once before any other use of LLVM.
    ONCE.call_once(|| unsafe {
        LLVMInstallFatalErrorHandler(Some(answer_fatal_error));
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
        let arguments = [c"situ".as_ptr(), GENERATOR_OPTION.as_ptr()];
        LLVMParseCommandLineOptions(arguments.len() as i32, arguments.as_ptr(), ptr::null());
    });
}

/// The processor LLVM detects.
pub(super) fn host_cpu() -> CpuTarget {
    // SAFETY: both return owned C strings.
    let (name, features) = unsafe {
        (
            take_message(LLVMGetHostCPUName()),
            take_message(LLVMGetHostCPUFeatures()),
        )
    };
    CpuTarget { name, features }
}

fn compile_on_this_thread(
    name: &str,
    text: &str,
    options: &CompileOptions,
    output: Output,
) -> Result<Vec<u8>> {
    let failed = |stage, message: String| Error::CompileFailed {
        module: name.to_owned(),
        stage,
        message,
    };
    let context = Context::new();
    let machine = TargetMachine::new(&options.cpu, options.passes)?;
    let module = Module::parse(&context, name, text)
        .map_err(|message| failed(CompileStage::Parse, message))?;
    module.set_target(&machine);
    module
        .verify()
        .map_err(|message| failed(CompileStage::Verify, message))?;
    module
        .run_passes(options.passes, &machine)
        .and_then(|()| context.check_diagnostics())
        .map_err(|message| failed(CompileStage::Optimise, message))?;
    module.mark_streamed_stores();
    if constants_in_memory::is_worth_it(&options.cpu) {
        module.put_constants_into_memory();
    }
    let object = module
        .emit(&machine, output)
        .and_then(|object| context.check_diagnostics().map(|()| object))
        .map_err(|message| failed(CompileStage::Emit, message))?;
    Ok(object)
}

/// An LLVM context together with the errors LLVM reported in it.
struct Context {
    raw: LLVMContextRef,
    /// Boxed so that the handler's pointer stays valid when the context moves.
    errors: Box<RefCell<Vec<String>>>,
}

impl Context {
    fn new() -> Self {
        let errors = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the handler's data lives as long as the context.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let data: *const RefCell<Vec<String>> = &raw const *errors;
            LLVMContextSetDiagnosticHandler(raw, Some(record_diagnostic), data.cast_mut().cast());
            raw
        };
        Self { raw, errors }
    }

    fn check_diagnostics(&self) -> Result<(), String> {
        let errors = self.errors.take();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors.join("; "))
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context and are gone by now.
        unsafe { LLVMContextDispose(self.raw) };
    }
}

extern "C" fn record_diagnostic(diagnostic: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // SAFETY: called by LLVM on the thread that owns the context, with the pointer given in `new`.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) == LLVMDiagnosticSeverity::LLVMDSError {
            let errors = &*errors.cast::<RefCell<Vec<String>>>();
            errors
                .borrow_mut()
                .push(take_message(LLVMGetDiagInfoDescription(diagnostic)));
        }
    }
}

struct TargetMachine {
    raw: LLVMTargetMachineRef,
    triple: CString,
}

impl TargetMachine {
    fn new(cpu: &CpuTarget, passes: Passes) -> Result<Self> {
        let unsupported = |message: String| Error::UnsupportedCpu {
            cpu: cpu.name.clone(),
            message,
        };
        let c_name = CString::new(cpu.name.as_str())
            .map_err(|_| unsupported("the name contains a zero byte".to_owned()))?;
        let c_features = CString::new(cpu.features.as_str())
            .map_err(|_| unsupported("the feature list contains a zero byte".to_owned()))?;
        // SAFETY: all strings are valid C strings; the triple is copied before it is disposed.
        unsafe {
            let triple = CString::new(take_message(LLVMGetDefaultTargetTriple()))
                .map_err(|_| unsupported("the target triple contains a zero byte".to_owned()))?;
            let mut target = ptr::null_mut();
            let mut message = ptr::null_mut();
            if LLVMGetTargetFromTriple(triple.as_ptr(), &raw mut target, &raw mut message) != 0 {
                return Err(unsupported(take_message(message)));
            }
            let raw = LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                c_name.as_ptr(),
                c_features.as_ptr(),
                passes.code_generation(),
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelSmall,
            );
            if raw.is_null() {
                return Err(unsupported("LLVM has no code generator for it".to_owned()));
            }
            Ok(Self { raw, triple })
        }
    }
}

impl Drop for TargetMachine {
    fn drop(&mut self) {
        // SAFETY: created in `new` and not shared.
        unsafe { LLVMDisposeTargetMachine(self.raw) };
    }
}

struct Module<'context> {
    raw: LLVMModuleRef,
    /// The context must outlive the module.
    context: PhantomData<&'context Context>,
}

impl<'context> Module<'context> {
    fn parse(context: &'context Context, name: &str, text: &str) -> Result<Self, String> {
        let c_name = CString::new(name.replace('\0', "?")).expect("zero bytes were replaced");
        let mut raw = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the buffer copies the text (the parser wants a zero byte at its end), and the
        // parser takes the buffer over, whatever the result.
        let failed = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                text.as_ptr().cast(),
                text.len(),
                c_name.as_ptr(),
            );
            LLVMParseIRInContext(context.raw, buffer, &raw mut raw, &raw mut message)
        };
        if failed != 0 {
            // SAFETY: on failure LLVM leaves an owned message.
            return Err(unsafe { take_message(message) });
        }
        Ok(Self {
            raw,
            context: PhantomData,
        })
    }

    fn set_target(&self, machine: &TargetMachine) {
        // SAFETY: module and machine are alive; the data layout is copied into the module.
        unsafe {
            LLVMSetTarget(self.raw, machine.triple.as_ptr());
            let layout = LLVMCreateTargetDataLayout(machine.raw);
            LLVMSetModuleDataLayout(self.raw, layout);
            LLVMDisposeTargetData(layout);
        }
    }

    fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the message is owned by us whether or not verification fails.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let failed = LLVMVerifyModule(self.raw, action, &raw mut message) != 0;
            let message = take_message(message);
            if failed { Err(message) } else { Ok(()) }
        }
    }

    fn run_passes(&self, passes: Passes, machine: &TargetMachine) -> Result<(), String> {
        let pipeline = CString::new(passes.pipeline()).expect("pipelines have no zero bytes");
        // SAFETY: the options live for the call; the error is consumed.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
            LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
            LLVMPassBuilderOptionsSetLoopInterleaving(options, 1);
            LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
            let error = LLVMRunPasses(self.raw, pipeline.as_ptr(), machine.raw, options);
            LLVMDisposePassBuilderOptions(options);
            check(error)
        }
    }

    fn mark_streamed_stores(&self) {
        // SAFETY: the module is alive, and its context is this thread's.
        unsafe { streamed_stores::mark(self.raw) };
    }

    fn put_constants_into_memory(&self) {
        // SAFETY: the module is alive, and its context is this thread's.
        unsafe { constants_in_memory::put(self.raw) };
    }

    fn emit(&self, machine: &TargetMachine, output: Output) -> Result<Vec<u8>, String> {
        let mut message = ptr::null_mut();
        let mut buffer = ptr::null_mut();
        // SAFETY: on success the buffer is ours and is copied before it is disposed.
        unsafe {
            let failed = LLVMTargetMachineEmitToMemoryBuffer(
                machine.raw,
                self.raw,
                output.file_type(),
                &raw mut message,
                &raw mut buffer,
            );
            if failed != 0 {
                return Err(take_message(message));
            }
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bytes)
        }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is ours, and its context is alive.
        unsafe { LLVMDisposeModule(self.raw) };
    }
}

/// Turns an LLVM error into its message, consuming it.
///
/// # Safety
/// `error` is null or an error nobody else will consume.
pub(super) unsafe fn check(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: consuming the error gives an owned message, disposed with its own function.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}

/// Copies and frees a message that LLVM allocated.
///
/// # Safety
/// `message` is null or a C string that `LLVMDisposeMessage` may free.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: as required of the caller.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().trim().to_owned();
        LLVMDisposeMessage(message);
        text
    }
}
