//! Asking OpenCL's objects about themselves.
//!
//! A query says how many bytes the answer has, then gives them. Answers are numbers, lists of numbers or
//! text; what a driver does not know or refuses to say is an error status, which most callers treat as
//! "no".

use std::ffi::c_void;
use std::ptr;

use super::api::{Api, platform};
use super::handle::{DeviceId, KernelId, PlatformId, ProgramId};
use super::status::Status;

/// A type whose values may have any bits.
///
/// # Safety
/// Every pattern of bits is a value.
pub(super) unsafe trait Plain: Copy {
    /// Some value.
    const ZERO: Self;
}

// SAFETY: integers have a value for all bits.
unsafe impl Plain for u8 {
    const ZERO: Self = 0;
}
// SAFETY: as above.
unsafe impl Plain for u32 {
    const ZERO: Self = 0;
}
// SAFETY: as above.
unsafe impl Plain for u64 {
    const ZERO: Self = 0;
}
// SAFETY: as above.
unsafe impl Plain for usize {
    const ZERO: Self = 0;
}
// SAFETY: as above.
unsafe impl Plain for isize {
    const ZERO: Self = 0;
}
// SAFETY: a handle is an address, which may be anything as long as nobody uses it.
unsafe impl Plain for DeviceId {
    const ZERO: Self = Self::NULL;
}

/// Something that can be asked: writes at most so many bytes to a place and tells how many there are.
type Ask<'a> = dyn Fn(usize, *mut c_void, *mut usize) -> i32 + 'a;

/// All elements of an answer.
pub(super) fn list<T: Plain>(ask: &Ask<'_>) -> Result<Vec<T>, Status> {
    let mut size = 0;
    Status(ask(0, ptr::null_mut(), &raw mut size)).check()?;
    let mut elements = vec![T::ZERO; size / size_of::<T>()];
    let size = size_of_val(elements.as_slice());
    Status(ask(size, elements.as_mut_ptr().cast(), ptr::null_mut())).check()?;
    Ok(elements)
}

/// An answer of one element.
pub(super) fn value<T: Plain>(ask: &Ask<'_>) -> Result<T, Status> {
    let mut value = T::ZERO;
    Status(ask(
        size_of::<T>(),
        (&raw mut value).cast(),
        ptr::null_mut(),
    ))
    .check()?;
    Ok(value)
}

/// An answer in words, without the zero byte at its end and without spaces around.
pub(super) fn text(ask: &Ask<'_>) -> Result<String, Status> {
    let mut bytes = list::<u8>(ask)?;
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

impl Api {
    /// A text about a platform.
    pub(super) fn platform_text(&self, platform: PlatformId, what: u32) -> Result<String, Status> {
        text(&|size, place, needed| {
            // SAFETY: `text` gives a place of `size` bytes.
            unsafe { (self.get_platform_info)(platform, what, size, place, needed) }
        })
    }

    /// What a platform is called, whatever happens.
    pub(super) fn platform_name(&self, id: PlatformId) -> String {
        self.platform_text(id, platform::NAME)
            .unwrap_or_else(|status| format!("a platform without a name ({status})"))
    }

    /// A text about a device.
    pub(super) fn device_text(&self, device: DeviceId, what: u32) -> Result<String, Status> {
        text(&|size, place, needed| {
            // SAFETY: `text` gives a place of `size` bytes.
            unsafe { (self.get_device_info)(device, what, size, place, needed) }
        })
    }

    /// A number about a device.
    pub(super) fn device_value<T: Plain>(&self, device: DeviceId, what: u32) -> Result<T, Status> {
        value(&|size, place, needed| {
            // SAFETY: `value` gives a place of `size` bytes.
            unsafe { (self.get_device_info)(device, what, size, place, needed) }
        })
    }

    /// Several numbers about a device.
    pub(super) fn device_list<T: Plain>(
        &self,
        device: DeviceId,
        what: u32,
    ) -> Result<Vec<T>, Status> {
        list(&|size, place, needed| {
            // SAFETY: `list` gives a place of `size` bytes.
            unsafe { (self.get_device_info)(device, what, size, place, needed) }
        })
    }

    /// Several values about a program.
    pub(super) fn program_list<T: Plain>(
        &self,
        program: ProgramId,
        what: u32,
    ) -> Result<Vec<T>, Status> {
        list(&|size, place, needed| {
            // SAFETY: `list` gives a place of `size` bytes.
            unsafe { (self.get_program_info)(program, what, size, place, needed) }
        })
    }

    /// A text about a program's code for a device.
    pub(super) fn build_text(
        &self,
        program: ProgramId,
        device: DeviceId,
        what: u32,
    ) -> Result<String, Status> {
        text(&|size, place, needed| {
            // SAFETY: `text` gives a place of `size` bytes.
            unsafe { (self.get_program_build_info)(program, device, what, size, place, needed) }
        })
    }

    /// A number about a kernel on a device.
    pub(super) fn kernel_value<T: Plain>(
        &self,
        kernel: KernelId,
        device: DeviceId,
        what: u32,
    ) -> Result<T, Status> {
        value(&|size, place, needed| {
            // SAFETY: `value` gives a place of `size` bytes.
            unsafe { (self.get_kernel_work_group_info)(kernel, device, what, size, place, needed) }
        })
    }

    /// All platforms.
    pub(super) fn platforms(&self) -> Result<Vec<PlatformId>, Status> {
        let mut count = 0;
        // SAFETY: only the number is asked for.
        let status = Status(unsafe { (self.get_platform_ids)(0, ptr::null_mut(), &raw mut count) });
        if status == Status::PLATFORM_NOT_FOUND_KHR {
            return Ok(Vec::new());
        }
        status.check()?;
        let mut platforms = vec![PlatformId::NULL; count as usize];
        // SAFETY: there is room for as many as are asked for.
        Status(unsafe { (self.get_platform_ids)(count, platforms.as_mut_ptr(), ptr::null_mut()) })
            .check()?;
        Ok(platforms)
    }

    /// All devices of a platform.
    pub(super) fn devices(&self, platform: PlatformId) -> Result<Vec<DeviceId>, Status> {
        let all = super::api::DEVICE_TYPE_ALL;
        let mut count = 0;
        // SAFETY: only the number is asked for.
        let status = Status(unsafe {
            (self.get_device_ids)(platform, all, 0, ptr::null_mut(), &raw mut count)
        });
        if status == Status::DEVICE_NOT_FOUND {
            return Ok(Vec::new());
        }
        status.check()?;
        let mut devices = vec![DeviceId::NULL; count as usize];
        // SAFETY: there is room for as many as are asked for.
        Status(unsafe {
            (self.get_device_ids)(platform, all, count, devices.as_mut_ptr(), ptr::null_mut())
        })
        .check()?;
        Ok(devices)
    }
}
