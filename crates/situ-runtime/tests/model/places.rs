//! Where programs run: devices that share a context, devices that do not, parts of devices; and the
//! kernels, compiled once for each device.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use situ_ir::{
    AddressSpace, BinaryOperator, DType, FunctionBuilder, Literal, Module, Type, validate,
};
use situ_runtime::backend::virtual_::{self, VirtualRequest};
use situ_runtime::{Context, Device, Kernel, Partition, Program};

/// The devices of one context.
pub(crate) struct Place {
    pub(crate) context: Context,
    pub(crate) devices: Vec<Device>,
    /// Kernels that read outside of their arrays are caught.
    pub(crate) is_checked: bool,
}

/// Every sort of place, each with a context of its own so that nobody else uses its memory.
pub(crate) fn places() -> Vec<Place> {
    static DEVICES: OnceLock<[Vec<Device>; 3]> = OnceLock::new();
    let groups = DEVICES.get_or_init(|| {
        let native = Device::default_device();
        let request = VirtualRequest::parse_list("gpu:2").expect("it is a list");
        let gpus = virtual_::add(&request, None);
        let part = |whole: &Device, units| {
            let parts = whole.create_sub_devices(&Partition::Equally(units));
            parts.map_or_else(|_| Vec::new(), |mut parts| parts.drain(..1).collect())
        };
        let native_part = part(&native, 1);
        let gpu_part = part(&gpus[0], 2);
        [
            [vec![native], native_part].concat(),
            [gpus, gpu_part].concat(),
            vec![situ_runtime::select("reference").expect("it is always there")],
        ]
    });
    groups
        .iter()
        .map(|devices| {
            let whole: Vec<Device> = devices
                .iter()
                .filter(|device| device.parent().is_none())
                .cloned()
                .collect();
            Place {
                context: Context::new(&whole).expect("they are of one backend"),
                devices: devices.clone(),
                is_checked: whole[0].filter_string().starts_with("reference"),
            }
        })
        .collect()
}

/// The kernels of a device.
#[derive(Clone)]
pub(crate) struct Kernels {
    /// `x[i] = x[i] * 3 + 1`.
    pub(crate) step: Kernel,
    /// `to[i] = a[i] + 2 * b[i]`.
    pub(crate) combine: Kernel,
    /// `to[i] = from[last - i]`.
    pub(crate) reverse: Kernel,
}

/// The kernels for a device.
pub(crate) fn kernels(device: &Device) -> Kernels {
    static KNOWN: OnceLock<Mutex<HashMap<Device, Kernels>>> = OnceLock::new();
    let mut known = KNOWN
        .get_or_init(Mutex::default)
        .lock()
        .expect("nobody panics with it");
    let make = || Kernels {
        step: compile(device, step()),
        combine: compile(device, combine()),
        reverse: compile(device, reverse()),
    };
    known.entry(device.clone()).or_insert_with(make).clone()
}

fn pointer() -> Type {
    Type::pointer(DType::I64, AddressSpace::Global)
}

fn step() -> FunctionBuilder {
    let mut f = FunctionBuilder::kernel("step", 1);
    let x = f.parameter("x", pointer());
    let i = f.global_id(0);
    let (old, three) = (f.load(x, i), f.literal(Literal::I64(3)));
    let product = f.multiply(old, three);
    let one = f.literal(Literal::I64(1));
    let sum = f.add(product, one);
    f.store(x, i, sum);
    f
}

fn combine() -> FunctionBuilder {
    let mut f = FunctionBuilder::kernel("combine", 1);
    let [to, a, b] = ["to", "a", "b"].map(|name| f.parameter(name, pointer()));
    let i = f.global_id(0);
    let (first, second) = (f.load(a, i), f.load(b, i));
    let two = f.literal(Literal::I64(2));
    let product = f.multiply(second, two);
    let sum = f.add(first, product);
    f.store(to, i, sum);
    f
}

fn reverse() -> FunctionBuilder {
    let mut f = FunctionBuilder::kernel("reverse", 1);
    let to = f.parameter("to", pointer());
    let from = f.parameter("from", pointer());
    let last = f.parameter("last", Type::Scalar(DType::I64));
    let i = f.global_id(0);
    let mirrored = f.binary(BinaryOperator::Subtract, last, i);
    let element = f.load(from, mirrored);
    f.store(to, i, element);
    f
}

fn compile(device: &Device, f: FunctionBuilder) -> Kernel {
    let mut module = Module::new("model");
    f.finish(&mut module);
    let module = validate(module).expect("the kernels are valid");
    let program = Program::compile(device, &module).expect("they compile");
    let name = program
        .kernel_names()
        .next()
        .expect("there is one")
        .to_owned();
    program.kernel(&name).expect("it was just named")
}
