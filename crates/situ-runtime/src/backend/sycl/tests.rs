//! What can only be seen from inside: exceptions of the real library, and programs that do not compile.
//!
//! They need the library (`SITU_SYCL_LIBRARY`); the suite for every backend insists on it where the
//! tests' machine is set up.

use std::sync::Arc;

use situ_codegen::opencl_c::{OpenClModule, TargetOptions};

use super::api::FailedCall;
use super::capabilities::Asker;
use super::code::{Code, kernel};
use super::device::{SyclDevice, make_queue};
use super::handle::{ContextRef, DeviceRef, Owned};
use super::{discovery, report};
use crate::aspect::Aspect;

type Shared<H> = Arc<Owned<H>>;

/// Every device, used or refused, with the context that the library keeps for it.
fn devices() -> Vec<(Shared<DeviceRef>, Shared<ContextRef>)> {
    let Ok(facts) = &report().library else {
        return Vec::new();
    };
    let library = super::library::load(&facts.file).unwrap();
    let devices = discovery::list(library).unwrap().into_iter();
    let with_context = |device: Owned<DeviceRef>| {
        // SAFETY: the device is alive, and the context is a copy for this call.
        let context = unsafe { library.own("", library.api.cached_context(device.raw())) };
        (Arc::new(device), Arc::new(context.unwrap()))
    };
    devices.map(with_context).collect()
}

/// The function does not catch what the runtime throws; without the guard, the process would end.
#[test]
fn memory_that_a_device_has_not_is_an_error_with_the_runtimes_own_words() {
    for (device, context) in devices() {
        if (Asker { device: &device }).has(Aspect::UsmHostAllocations) {
            continue;
        }
        let api = &device.library().api;
        for _ in 0..3 {
            let queue = make_queue(&context, &device).unwrap();
            // SAFETY: the queue is alive. That its device has no such memory is the point.
            let failed = unsafe { api.allocate_host(64, 4096, queue.raw()) }.unwrap_err();
            assert_eq!(failed.call, "DPCTLaligned_alloc_host");
            assert!(
                failed.message.is_some_and(|text| text.contains("USM")),
                "{}",
                (Asker { device: &device }).name()
            );
        }
    }
}

#[test]
fn a_program_that_does_not_compile_is_an_error_and_the_next_one_works() {
    for (device, context) in devices() {
        if !(Asker { device: &device }).has(Aspect::UsmDeviceAllocations) {
            continue;
        }
        let code = Code::new(context, device, TargetOptions::default());
        let module = |text: &str| OpenClModule {
            text: text.to_owned(),
            build_options: String::new(),
            kernels: Vec::new(),
            origins: Vec::new(),
        };
        let broken = code.build(&module("kernel void f(global int *x) { x[0] = nothing; }"));
        let failed = broken.err().expect("`nothing` is not declared");
        assert_eq!(failed.call, "DPCTLKernelBundle_CreateFromOCLSource");
        let works = code.build(&module("kernel void f(global int *x) { x[0] = 1; }"));
        let works = works.unwrap();
        kernel(&works, "f").unwrap();
        let missing = kernel(&works, "g").err().expect("there is no `g`");
        assert_eq!(missing.call, "DPCTLKernelBundle_GetKernel");
    }
}

#[test]
fn a_command_that_fails_is_told_and_the_device_goes_on() {
    for (id, context) in devices() {
        if !(Asker { device: &id }).has(Aspect::UsmSharedAllocations) {
            continue;
        }
        let device = SyclDevice::new(context, Arc::clone(&id), id, "sycl:test".to_owned()).unwrap();
        let api = &device.library().api;
        // SAFETY: nothing is submitted.
        let failed = unsafe {
            device.run("DPCTLQueue_Memset", |_| {
                Err(FailedCall {
                    call: "DPCTLQueue_Memset",
                    message: Some("out of luck".to_owned()),
                })
            })
        };
        let text = failed.unwrap_err().to_string();
        assert!(
            text.starts_with("DPCTLQueue_Memset failed on sycl:test"),
            "{text}"
        );
        assert!(text.contains("why:  out of luck"), "{text}");
        // SAFETY: the memory has as many bytes, is read when the command has ended, and freed once.
        unsafe {
            let start = api.allocate_shared(64, 64, device.memory_queue()).unwrap();
            let fill = |queue| api.queue_memset(queue, start, 7, 64);
            device.run("DPCTLQueue_Memset", fill).unwrap();
            assert_eq!(start.cast::<[u8; 64]>().read(), [7; 64]);
            api.free(start, device.context.raw()).unwrap();
        }
    }
}
