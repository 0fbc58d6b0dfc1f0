//! A driver that was accepted, and the contexts made with it.

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::api::{Api, UsmApi, platform};
use super::handle::{ContextId, DeviceId, PlatformId};
use super::loader::library_of;
use super::status::Status;

/// One driver.
pub(super) struct ClPlatform {
    pub(super) api: &'static Api,
    pub(super) facts: PlatformFacts,
    /// The functions of the USM extension, if the driver has it.
    pub(super) usm: Option<UsmApi>,
    /// Held by the launch that runs, where launches must take turns.
    turn: Option<Mutex<()>>,
}

/// The name of PoCL, whose launches must take turns.
///
/// It counts the users of loaded code by kernel and size of work-groups, but loads code anew for a range that is
/// larger than those before. With two launches of one kernel at the same time, the end of one is then
/// counted for the other, and an assertion ends the process (3.1; later versions count in the same way).
const POCL: &str = "Portable Computing Language";

/// What a driver says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformFacts {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// The version of OpenCL it has, and its own.
    pub version: String,
    /// The library it is in, where that can be found out.
    pub file: Option<PathBuf>,
}

impl ClPlatform {
    pub(super) fn new(api: &'static Api, id: PlatformId) -> Self {
        let text = |what| {
            api.platform_text(id, what)
                .unwrap_or_else(|status| status.to_string())
        };
        let name = api.platform_name(id);
        Self {
            api,
            turn: (name == POCL).then(Mutex::default),
            facts: PlatformFacts {
                name,
                vendor: text(platform::VENDOR),
                version: text(platform::VERSION),
                file: driver_file(api, id),
            },
            usm: UsmApi::of(api, id),
        }
    }

    /// Waits until a launch may run, and lets no other run as long as the guard lives, where launches must
    /// take turns.
    pub(super) fn take_turn(&self) -> Option<MutexGuard<'_, ()>> {
        let turn = self.turn.as_ref()?;
        Some(turn.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The library that a platform is implemented in.
fn driver_file(api: &Api, id: PlatformId) -> Option<PathBuf> {
    // A driver that the loader can use has this extension, which demands that every handle points at
    // an object that starts with the address of the driver's table of functions.
    api.platform_text(id, platform::ICD_SUFFIX).ok()?;
    // SAFETY: the handle leads to the table as said above, whose first entries are functions of the
    // driver.
    let function = unsafe {
        let table: *const *const c_void = *id.as_ptr().cast();
        *table
    };
    library_of(function)
}

/// A context of OpenCL: what memory and programs belong to.
pub(super) struct ClContext {
    api: &'static Api,
    id: ContextId,
}

impl ClContext {
    /// A context over devices of one platform.
    pub(super) fn new(api: &'static Api, devices: &[DeviceId]) -> Result<Self, Status> {
        let mut status = 0;
        // SAFETY: the devices are in a slice of the length that is given; there are no properties and
        // there is no callback.
        let id = unsafe {
            (api.create_context)(
                ptr::null(),
                devices.len() as u32,
                devices.as_ptr(),
                None,
                ptr::null_mut(),
                &raw mut status,
            )
        };
        Status(status).check()?;
        Ok(Self { api, id })
    }

    pub(super) fn id(&self) -> ContextId {
        self.id
    }

    /// Whether queues for a device can be made here.
    pub(super) fn takes(&self, device: DeviceId) -> bool {
        let mut status = 0;
        // SAFETY: context and device are alive; a queue that was made is released at once.
        unsafe {
            let queue = (self.api.create_command_queue)(self.id, device, 0, &raw mut status);
            if status == 0 {
                (self.api.release_command_queue)(queue);
            }
        }
        status == 0
    }
}

impl Drop for ClContext {
    fn drop(&mut self) {
        // SAFETY: made by `new`; what belongs to the context keeps it alive by itself.
        unsafe { (self.api.release_context)(self.id) };
    }
}
