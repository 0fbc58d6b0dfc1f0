//! OpenCL's handles, a Rust type each, so that they cannot be mixed up.
//!
//! They are plain numbers here. Who releases one, and when, is the business of the types that own them.

use std::ffi::c_void;
use std::ptr;

macro_rules! handles {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(super) struct $name(*mut c_void);

        // SAFETY: OpenCL's objects may be used from any thread; the one function that is not
        // thread-safe for a shared object, setting a kernel's arguments, is guarded in `program`.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    )+};
}

handles! {
    /// A driver: `cl_platform_id`.
    PlatformId;
    /// A device or a part of one: `cl_device_id`.
    DeviceId;
    /// `cl_context`.
    ContextId;
    /// `cl_command_queue`.
    CommandQueueId;
    /// `cl_program`.
    ProgramId;
    /// `cl_kernel`.
    KernelId;
    /// `cl_event`.
    EventId;
}

impl PlatformId {
    /// No platform.
    pub(super) const NULL: Self = Self(ptr::null_mut());

    /// The address of the driver's object.
    pub(super) const fn as_ptr(self) -> *mut c_void {
        self.0
    }
}

impl DeviceId {
    /// No device.
    pub(super) const NULL: Self = Self(ptr::null_mut());
}
