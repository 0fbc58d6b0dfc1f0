//! Object file to callable functions, by LLVM's ORC. With `compiler.rs`, the only file that
//! touches LLVM.
//!
//! ORC only ever sees finished objects, whether they were just compiled or come from the disk.
//! Every object is loaded into a library of its own, so two kernels may have the same name, and
//! it can see exactly the functions [`VectorMath`] offers, the one that runs [rounds], and nothing else of the process.
//! Dropping a [`LoadedObject`] unmaps its code; the empty library is used again, because ORC has
//! no way to delete one from C.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::error::{LLVMConsumeError, LLVMErrorRef};
use llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcDisposeLLJIT, LLVMOrcLLJITAddObjectFileWithRT,
    LLVMOrcLLJITGetExecutionSession, LLVMOrcLLJITRef,
};
use llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCJITDylibSearchOrderElement, LLVMOrcCLookupSetElement, LLVMOrcCSymbolMapPair,
    LLVMOrcCSymbolMapPairs, LLVMOrcDisposeMaterializationUnit,
    LLVMOrcExecutionSessionCreateBareJITDylib, LLVMOrcExecutionSessionIntern,
    LLVMOrcExecutionSessionLookup, LLVMOrcExecutionSessionRef,
    LLVMOrcExecutionSessionSetErrorReporter, LLVMOrcJITDylibClear,
    LLVMOrcJITDylibCreateResourceTracker, LLVMOrcJITDylibDefine, LLVMOrcJITDylibLookupFlags,
    LLVMOrcJITDylibRef, LLVMOrcLookupKind, LLVMOrcReleaseResourceTracker, LLVMOrcSymbolLookupFlags,
    LLVMOrcSymbolStringPoolEntryStr,
};

use situ_codegen::llvm::RUN_ROUNDS;

use super::compiler::{self, check};
use super::object_file::ObjectSymbols;
use super::rounds;
use super::vector_math::VectorMath;
use crate::error::{Error, Result};
use crate::fork::{self, ForkLocal};

/// Machine code in memory. Unloaded on drop, so whoever holds a function address holds this too.
#[derive(Debug)]
pub struct LoadedObject {
    functions: BTreeMap<String, usize>,
    library: Library,
    /// The process the code was loaded in; see [`crate::fork`].
    generation: u64,
}

impl LoadedObject {
    /// Links an object file into this process.
    ///
    /// # Errors
    /// [`Error::MalformedObject`], [`Error::MissingSymbols`] or [`Error::LoadFailed`].
    pub fn load(object: &[u8], math: &VectorMath) -> Result<Self> {
        let symbols = ObjectSymbols::read(object)?;
        let addresses = resolve_all(&symbols.undefined, math)?;
        let engine = Engine::process()?;
        let mut loaded = Self {
            functions: BTreeMap::new(),
            library: engine.take_library()?,
            generation: fork::generation(),
        };
        engine.define(loaded.library, &addresses)?;
        engine.add_object(loaded.library, object)?;
        loaded.functions = engine.lookup(loaded.library, &symbols.defined)?;
        Ok(loaded)
    }

    /// The address of a function the object defines.
    pub fn function(&self, name: &str) -> Option<*const c_void> {
        self.functions
            .get(name)
            .map(|address| ptr::with_exposed_provenance(*address))
    }

    /// The names of all functions the object defines.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }
}

impl Drop for LoadedObject {
    fn drop(&mut self) {
        // In a forked child the engine's locks may be held by threads that no longer exist.
        if self.generation == fork::generation()
            && let Ok(engine) = Engine::process()
        {
            engine.give_back(self.library);
        }
    }
}

fn resolve_all(names: &[String], math: &VectorMath) -> Result<Vec<(CString, usize)>> {
    let mut found = Vec::with_capacity(names.len());
    let mut missing = Vec::new();
    for name in names {
        let address = if name == RUN_ROUNDS {
            Some(rounds::address())
        } else {
            math.resolve(name)
        };
        match (address, CString::new(name.as_str())) {
            (Some(address), Ok(c_name)) => found.push((c_name, address.expose_provenance())),
            // Position-independent code names its offset table; the linker makes one up.
            _ if name == "_GLOBAL_OFFSET_TABLE_" => {}
            _ => missing.push(name.clone()),
        }
    }
    if missing.is_empty() {
        Ok(found)
    } else {
        Err(Error::MissingSymbols { symbols: missing })
    }
}

/// An ORC library (a "`JITDylib`"). Owned by the engine, so copying the reference is harmless.
#[derive(Debug, Clone, Copy)]
struct Library(LLVMOrcJITDylibRef);

// SAFETY: ORC's libraries may be used from any thread; the session locks around them.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// The process's ORC session.
struct Engine {
    lljit: LLVMOrcLLJITRef,
    session: LLVMOrcExecutionSessionRef,
    idle: Mutex<Vec<Library>>,
    libraries_made: AtomicU64,
}

// SAFETY: ORC's sessions are made for use by several threads at once.
unsafe impl Send for Engine {}
// SAFETY: as above.
unsafe impl Sync for Engine {}

impl Engine {
    fn process() -> Result<&'static Self> {
        static ENGINE: ForkLocal<Engine> = ForkLocal::new();
        ENGINE.get_or_try_init(Self::new)
    }

    fn new() -> Result<Self> {
        compiler::initialise();
        let mut lljit = ptr::null_mut();
        // SAFETY: a null builder asks for the defaults; the session lives as long as the JIT.
        let session = unsafe {
            check(LLVMOrcCreateLLJIT(&raw mut lljit, ptr::null_mut())).map_err(failed("start"))?;
            let session = LLVMOrcLLJITGetExecutionSession(lljit);
            LLVMOrcExecutionSessionSetErrorReporter(session, ignore_error, ptr::null_mut());
            session
        };
        Ok(Self {
            lljit,
            session,
            idle: Mutex::new(Vec::new()),
            libraries_made: AtomicU64::new(0),
        })
    }

    /// An empty library: one that was given back, otherwise a new one.
    fn take_library(&self) -> Result<Library> {
        if let Some(library) = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
        {
            return Ok(library);
        }
        let number = self.libraries_made.fetch_add(1, Ordering::Relaxed);
        let name = CString::new(format!("situ-{number}")).expect("digits have no zero bytes");
        // SAFETY: the session copies the name; names are unique, which ORC requires.
        let raw = unsafe { LLVMOrcExecutionSessionCreateBareJITDylib(self.session, name.as_ptr()) };
        if raw.is_null() {
            return Err(Error::Internal {
                invariant: "ORC creates libraries with unique names",
            });
        }
        Ok(Library(raw))
    }

    /// Unloads everything in a library and keeps it for the next object.
    fn give_back(&self, library: Library) {
        // SAFETY: the library is ours and nobody holds functions of it any more.
        if unsafe { check(LLVMOrcJITDylibClear(library.0)) }.is_ok() {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(library);
        }
    }

    fn define(&self, library: Library, addresses: &[(CString, usize)]) -> Result<()> {
        if addresses.is_empty() {
            return Ok(());
        }
        let flags = LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
            | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8;
        // SAFETY: interned names are owned by the pairs, which the definition takes over; the
        // definition itself is taken over by the library unless it reports an error.
        unsafe {
            let mut pairs: Vec<LLVMOrcCSymbolMapPair> = addresses
                .iter()
                .map(|(name, address)| LLVMOrcCSymbolMapPair {
                    Name: LLVMOrcExecutionSessionIntern(self.session, name.as_ptr()),
                    Sym: LLVMJITEvaluatedSymbol {
                        Address: *address as u64,
                        Flags: LLVMJITSymbolFlags {
                            GenericFlags: flags,
                            TargetFlags: 0,
                        },
                    },
                })
                .collect();
            let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
            check(LLVMOrcJITDylibDefine(library.0, unit)).map_err(|message| {
                LLVMOrcDisposeMaterializationUnit(unit);
                failed("define the math functions")(message)
            })
        }
    }

    fn add_object(&self, library: Library, object: &[u8]) -> Result<()> {
        // SAFETY: the buffer copies the bytes, and the JIT takes the buffer over. The tracker only
        // has to live until the object is added; clearing the library removes what it tracks.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                object.as_ptr().cast(),
                object.len(),
                c"situ-object".as_ptr(),
            );
            let tracker = LLVMOrcJITDylibCreateResourceTracker(library.0);
            let result = check(LLVMOrcLLJITAddObjectFileWithRT(self.lljit, tracker, buffer));
            LLVMOrcReleaseResourceTracker(tracker);
            result.map_err(failed("add the object"))
        }
    }

    /// Links the library and returns the addresses of the given functions.
    fn lookup(&self, library: Library, names: &[String]) -> Result<BTreeMap<String, usize>> {
        if names.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (sender, receiver) = sync_channel::<LookupResult>(1);
        let mut order = [LLVMOrcCJITDylibSearchOrderElement {
            JD: library.0,
            JDLookupFlags:
                LLVMOrcJITDylibLookupFlags::LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly,
        }];
        // SAFETY: the look-up takes over the interned names. The handler is called exactly once,
        // on this thread or another, and takes over the boxed sender.
        unsafe {
            let mut wanted: Vec<LLVMOrcCLookupSetElement> = Vec::with_capacity(names.len());
            for name in names {
                let c_name = CString::new(name.as_str()).map_err(|_| Error::MalformedObject {
                    detail: "a name has a zero byte",
                })?;
                wanted.push(LLVMOrcCLookupSetElement {
                    Name: LLVMOrcExecutionSessionIntern(self.session, c_name.as_ptr()),
                    LookupFlags: LLVMOrcSymbolLookupFlags::LLVMOrcSymbolLookupFlagsRequiredSymbol,
                });
            }
            LLVMOrcExecutionSessionLookup(
                self.session,
                LLVMOrcLookupKind::LLVMOrcLookupKindStatic,
                order.as_mut_ptr(),
                order.len(),
                wanted.as_mut_ptr(),
                wanted.len(),
                deliver_lookup,
                Box::into_raw(Box::new(sender)).cast(),
            );
        }
        receiver
            .recv()
            .map_err(|_| Error::Internal {
                invariant: "ORC answers every look-up",
            })?
            .map_err(failed("link the object"))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Only an engine that lost the race to become the process's is ever dropped: it has
        // loaded nothing.
        // SAFETY: the JIT is ours.
        let error = unsafe { LLVMOrcDisposeLLJIT(self.lljit) };
        if !error.is_null() {
            // SAFETY: errors must be consumed.
            unsafe { LLVMConsumeError(error) };
        }
    }
}

type LookupResult = Result<BTreeMap<String, usize>, String>;

extern "C" fn deliver_lookup(
    error: LLVMErrorRef,
    pairs: LLVMOrcCSymbolMapPairs,
    count: usize,
    sender: *mut c_void,
) {
    // SAFETY: `sender` was boxed by `lookup`; the pairs are valid for the time of this call.
    unsafe {
        let sender = Box::from_raw(sender.cast::<SyncSender<LookupResult>>());
        let result = check(error).map(|()| {
            let pairs = if count == 0 {
                &[]
            } else {
                std::slice::from_raw_parts(pairs, count)
            };
            pairs
                .iter()
                .map(|pair| {
                    let name = std::ffi::CStr::from_ptr(LLVMOrcSymbolStringPoolEntryStr(pair.Name));
                    (
                        name.to_string_lossy().into_owned(),
                        pair.Sym.Address as usize,
                    )
                })
                .collect()
        });
        // The receiver waits for exactly this message.
        let _ = sender.send(result);
    }
}

/// ORC reports each failure twice: to the look-up that caused it and here, where by default it
/// would be printed.
extern "C" fn ignore_error(_context: *mut c_void, error: LLVMErrorRef) {
    // SAFETY: errors must be consumed.
    unsafe { LLVMConsumeError(error) };
}

fn failed(action: &'static str) -> impl Fn(String) -> Error {
    move |message| Error::LoadFailed { action, message }
}
