//! One suite for every backend: what a device must do, whatever is behind it.
//!
//! Each test is a plain function that runs over all devices of the machine.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests: a failure may stop them right there"
)]

mod arguments;
mod arithmetic;
mod drivers;
mod expected;
mod faults;
mod groups;
mod math_functions;
mod memory;
mod queues;
mod random;
mod ranges;
mod sharing;
mod streaming;
mod sub_groups;
mod transfers;
mod written;

use std::sync::{Arc, Once};

use situ_ir::{
    AddressSpace, DType, Expression, FunctionBuilder, Handle, Module, Type, ValidModule, validate,
};
use situ_runtime::backend::virtual_::{self, VirtualRequest};
use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Argument, Device, Kernel, Program, Queue, UsmKind};

/// Runs a test on every device, saying which one it is about.
fn on_every_device(test: impl Fn(&Queue)) {
    for device in every_device().iter() {
        eprintln!("on {}", device.filter_string());
        test(&Queue::new(device));
    }
}

/// Every device of the machine and a virtual one.
fn every_device() -> Arc<[Device]> {
    static VIRTUAL: Once = Once::new();
    VIRTUAL.call_once(|| {
        virtual_::add(&VirtualRequest::parse_list("gpu:1").unwrap(), None);
    });
    Device::all()
}

/// Builds, validates and compiles a module with one kernel.
fn compile(queue: &Queue, f: FunctionBuilder) -> Kernel {
    let module = validated(f);
    let program = Program::compile(queue.device(), &module).unwrap();
    let name = program.kernel_names().next().unwrap().to_owned();
    program.kernel(&name).unwrap()
}

fn validated(f: FunctionBuilder) -> ValidModule {
    let mut module = Module::new("test");
    f.finish(&mut module);
    validate(module).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}"))
}

/// A parameter that points at elements in global memory.
fn pointer(f: &mut FunctionBuilder, name: &str, element: DType) -> Handle<Expression> {
    f.parameter(name, Type::pointer(element, AddressSpace::Global))
}

/// Elements that can travel to a device and back.
trait Element: Copy {
    fn to_bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
    const SIZE_BYTES: usize = size_of::<Self>();
}

macro_rules! elements {
    ($($type:ty),*) => {$(
        impl Element for $type {
            fn to_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )*};
}
elements!(u8, i32, i64, u64, f32, f64);

/// An allocation with these elements.
fn upload<T: Element>(queue: &Queue, elements: &[T]) -> Arc<Allocation> {
    let bytes: Vec<u8> = elements
        .iter()
        .flat_map(|element| element.to_bytes())
        .collect();
    let allocation = Allocation::new(queue, bytes.len(), UsmKind::Device).unwrap();
    copy::copy_from_host(queue, &bytes, &allocation, 0).unwrap();
    allocation
}

fn download<T: Element>(queue: &Queue, allocation: &Allocation) -> Vec<T> {
    let mut bytes = vec![0; allocation.size_bytes()];
    copy::copy_to_host(queue, allocation, 0, &mut bytes).unwrap();
    bytes
        .chunks_exact(T::SIZE_BYTES)
        .map(T::from_bytes)
        .collect()
}

fn pointer_to(allocation: &Arc<Allocation>) -> Argument {
    Argument::Pointer {
        allocation: Arc::clone(allocation),
        byte_offset: 0,
    }
}

/// `out[i] = i`, with the kernel named `count`.
fn counting_kernel() -> FunctionBuilder {
    let mut f = FunctionBuilder::kernel("count", 1);
    let out = pointer(&mut f, "out", DType::I64);
    let i = f.global_id(0);
    f.store(out, i, i);
    f
}
