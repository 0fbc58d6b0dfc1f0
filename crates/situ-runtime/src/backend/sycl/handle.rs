//! The objects of dpctl's C library: a Rust type for each sort of handle, and one that owns them.
//!
//! A handle is the address of a C++ object that was made for whoever asked, even where several such
//! objects stand for one queue or context; so each is deleted by its owner.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::api::Api;
use super::library::SyclLibrary;

/// A handle of some sort.
pub(super) trait Handle: Copy {
    /// The handle of the object at an address.
    fn at(address: NonNull<c_void>) -> Self;

    /// The object's address; null when there is none.
    fn address(self) -> *mut c_void;

    /// Ends the object's life.
    ///
    /// # Safety
    /// It is alive and not used again.
    unsafe fn delete(self, api: &Api);
}

macro_rules! handles {
    ($($(#[doc = $doc:literal])+ $name:ident: $delete:ident;)+) => {$(
        $(#[doc = $doc])+
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) struct $name(*mut c_void);

        // SAFETY: objects of SYCL may be used from any thread.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl Handle for $name {
            fn at(address: NonNull<c_void>) -> Self {
                Self(address.as_ptr())
            }

            fn address(self) -> *mut c_void {
                self.0
            }

            unsafe fn delete(self, api: &Api) {
                // What an object has to say about its end helps nobody.
                // SAFETY: as the caller promises.
                let _ = unsafe { api.$delete(self) };
            }
        }
    )+};
}

handles! {
    /// `sycl::device`.
    DeviceRef: device_delete;
    /// `sycl::platform`.
    PlatformRef: platform_delete;
    /// `sycl::context`.
    ContextRef: context_delete;
    /// `sycl::queue`.
    QueueRef: queue_delete;
    /// `sycl::event`.
    EventRef: event_delete;
    /// `sycl::kernel_bundle`.
    BundleRef: bundle_delete;
    /// `sycl::kernel`.
    KernelRef: kernel_delete;
    /// `std::vector<sycl::device>`.
    DeviceVectorRef: device_vector_delete;
}

/// An object that is deleted with this.
pub(super) struct Owned<H: Handle> {
    library: &'static SyclLibrary,
    raw: H,
}

impl<H: Handle> Owned<H> {
    /// Takes an object over; `None` when there is none.
    ///
    /// # Safety
    /// The object is alive, and nobody else deletes it.
    pub(super) unsafe fn new(library: &'static SyclLibrary, raw: H) -> Option<Self> {
        (!raw.address().is_null()).then_some(Self { library, raw })
    }

    /// The handle, which is good as long as this lives.
    pub(super) fn raw(&self) -> H {
        self.raw
    }

    /// Whose object it is.
    pub(super) fn library(&self) -> &'static SyclLibrary {
        self.library
    }
}

impl<H: Handle> Drop for Owned<H> {
    fn drop(&mut self) {
        // The objects of a forked child are its parent's: their locks may be held for ever.
        if self.library.is_of_this_process() {
            // SAFETY: this owns the object, and nobody uses it after.
            unsafe { self.raw.delete(&self.library.api) };
        }
    }
}
