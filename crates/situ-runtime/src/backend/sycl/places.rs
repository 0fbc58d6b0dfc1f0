//! Which device and context of situ's stand for those of the SYCL runtime's.
//!
//! The listed devices are in the context that dpctl keeps for everybody who names none, so most objects
//! of other packages find themselves there. For another `sycl::context`, situ makes devices of their own:
//! programs and memory belong to a context, and nothing of the one may be used in the other. They are not
//! listed, and kept until the process ends.

use std::sync::{Arc, Mutex, PoisonError};

use super::capabilities::Asker;
use super::discovery::{self, Refusal};
use super::driver::SyclDriver;
use super::fission;
use super::handle::{ContextRef, DeviceRef, Owned};
use super::sharing::own;
use crate::backend::Driver;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};

/// Contexts that other packages made.
static FOREIGN: Mutex<Vec<Context>> = Mutex::new(Vec::new());

/// The device that stands for a `sycl::device` in a `sycl::context`, and its context.
pub(super) fn find(
    context: Owned<ContextRef>,
    device: &Owned<DeviceRef>,
) -> Result<(Device, Context)> {
    check(device)?;
    let candidates = match listed(&context) {
        Some(devices) => devices,
        None => foreign(context)?.devices().to_vec(),
    };
    let found = candidates.iter().find(|one| is_device(one, device));
    let found = found.ok_or_else(|| Error::DeviceNotInContext {
        device: Asker { device }.name(),
        devices: candidates.iter().map(Device::filter_string).collect(),
    })?;
    Ok((found.clone(), found.default_context().clone()))
}

/// The context that stands for a `sycl::context`.
pub(super) fn context(context: Owned<ContextRef>) -> Result<Context> {
    match listed(&context).as_deref() {
        Some([only]) => Ok(only.default_context().clone()),
        Some([first, ..]) => first.platform().default_context(),
        Some([]) | None => foreign(context),
    }
}

/// The listed devices in a context, if that is where they are.
fn listed(context: &Owned<ContextRef>) -> Option<Vec<Device>> {
    let all = discovery::process().devices.iter();
    let devices: Vec<Device> = all
        .filter(|device| is_in(device, context))
        .cloned()
        .collect();
    (!devices.is_empty()).then_some(devices)
}

/// The context that stands for one that nobody has listed devices in; made if there is none.
fn foreign(context: Owned<ContextRef>) -> Result<Context> {
    let mut known = FOREIGN.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |one: &&Context| is_in(&one.devices()[0], &context);
    if let Some(found) = known.iter().find(same) {
        return Ok(found.clone());
    }
    let made = make(&Arc::new(context), known.len() + 1)?;
    known.push(made.clone());
    Ok(made)
}

fn make(context: &Arc<Owned<ContextRef>>, number: usize) -> Result<Context> {
    let library = context.library();
    // SAFETY: the context is alive, and the vector is for this call.
    let vector = unsafe { library.api.context_devices(context.raw()) };
    let vector = own(library, "DPCTLContext_GetDevices", vector)?;
    let members = fission::elements(&vector).map_err(refused(String::new))?;
    let mut devices = Vec::new();
    let mut problem = None;
    for member in members {
        match make_device(context, member, number) {
            Ok(device) => devices.push(device),
            Err(error) => problem = problem.or(Some(error)),
        }
    }
    match problem {
        Some(problem) if devices.is_empty() => Err(problem),
        _ => Ok(Context::of_its_own(devices)),
    }
}

fn make_device(
    context: &Arc<Owned<ContextRef>>,
    id: Owned<DeviceRef>,
    number: usize,
) -> Result<Device> {
    check(&id)?;
    let name = Asker { device: &id }.name();
    let root = root_of(&id).ok_or_else(|| Error::SyclDeviceRefused {
        name: name.clone(),
        reason: Refusal::NotListed,
    })?;
    let label = format!("{}/context({number})", root.filter_string());
    let platform = root.driver().platform_number();
    let driver = SyclDriver::new(Arc::clone(context), Arc::new(id), platform, label);
    let driver: Arc<dyn Driver> = Arc::new(driver.map_err(refused(|| name))?);
    Ok(Device::in_context(&root, number, driver))
}

/// The listed device that a device is, or is a part of.
fn root_of(device: &Owned<DeviceRef>) -> Option<Device> {
    let listed = discovery::process().devices.iter();
    let found = listed.clone().find(|one| is_device(one, device));
    if let Some(found) = found {
        return Some(found.clone());
    }
    let library = device.library();
    // SAFETY: the device is alive, and its parent's object is for this call.
    let parent = unsafe { Owned::new(library, library.api.device_parent(device.raw()).ok()?) };
    root_of(&parent?)
}

fn check(device: &Owned<DeviceRef>) -> Result<()> {
    let asker = Asker { device };
    discovery::check(&asker).map_err(|reason| Error::SyclDeviceRefused {
        name: asker.name(),
        reason,
    })
}

fn refused<E: Into<Refusal>>(name: impl FnOnce() -> String) -> impl FnOnce(E) -> Error {
    |failed| Error::SyclDeviceRefused {
        name: name(),
        reason: failed.into(),
    }
}

/// Whether a device of situ's is in a context of the SYCL runtime's.
fn is_in(device: &Device, context: &Owned<ContextRef>) -> bool {
    device.driver().as_sycl().is_some_and(|driver| {
        let own = driver.device().context.raw();
        // SAFETY: both are alive.
        let equal = unsafe { context.library().api.context_are_equal(own, context.raw()) };
        equal.unwrap_or(false)
    })
}

/// Whether a device of situ's stands for one of the SYCL runtime's.
fn is_device(device: &Device, id: &Owned<DeviceRef>) -> bool {
    device.driver().as_sycl().is_some_and(|driver| {
        let own = driver.device().id.raw();
        // SAFETY: both are alive.
        let equal = unsafe { id.library().api.device_are_equal(own, id.raw()) };
        equal.unwrap_or(false)
    })
}
