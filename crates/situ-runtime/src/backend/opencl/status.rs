//! What a driver answers: OpenCL's status codes with their names and, for those that users can do
//! something about, their meaning.

use std::fmt;

/// A status code of OpenCL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub i32);

impl Status {
    /// The program was not built.
    pub(super) const BUILD_PROGRAM_FAILURE: Self = Self(-11);
    /// There is no such device.
    pub(super) const DEVICE_NOT_FOUND: Self = Self(-1);
    /// A binary was made by another driver, or for another device.
    pub(super) const INVALID_BINARY: Self = Self(-42);
    /// No driver is installed, as the loader says it.
    pub(super) const PLATFORM_NOT_FOUND_KHR: Self = Self(-1001);

    /// Whether memory of the device or of the host was not enough.
    pub const fn is_out_of_memory(self) -> bool {
        matches!(self.0, -4 | -6)
    }

    /// `Ok` for success.
    pub(super) fn check(self) -> Result<(), Self> {
        if self.0 == 0 { Ok(()) } else { Err(self) }
    }

    /// The name of the constant, without `CL_`.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "SUCCESS",
            -1 => "DEVICE_NOT_FOUND",
            -2 => "DEVICE_NOT_AVAILABLE",
            -3 => "COMPILER_NOT_AVAILABLE",
            -4 => "MEM_OBJECT_ALLOCATION_FAILURE",
            -5 => "OUT_OF_RESOURCES",
            -6 => "OUT_OF_HOST_MEMORY",
            -7 => "PROFILING_INFO_NOT_AVAILABLE",
            -8 => "MEM_COPY_OVERLAP",
            -11 => "BUILD_PROGRAM_FAILURE",
            -12 => "MAP_FAILURE",
            -13 => "MISALIGNED_SUB_BUFFER_OFFSET",
            -14 => "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
            -15 => "COMPILE_PROGRAM_FAILURE",
            -16 => "LINKER_NOT_AVAILABLE",
            -17 => "LINK_PROGRAM_FAILURE",
            -18 => "DEVICE_PARTITION_FAILED",
            -19 => "KERNEL_ARG_INFO_NOT_AVAILABLE",
            -30 => "INVALID_VALUE",
            -31 => "INVALID_DEVICE_TYPE",
            -32 => "INVALID_PLATFORM",
            -33 => "INVALID_DEVICE",
            -34 => "INVALID_CONTEXT",
            -35 => "INVALID_QUEUE_PROPERTIES",
            -36 => "INVALID_COMMAND_QUEUE",
            -38 => "INVALID_MEM_OBJECT",
            -42 => "INVALID_BINARY",
            -43 => "INVALID_BUILD_OPTIONS",
            -44 => "INVALID_PROGRAM",
            -45 => "INVALID_PROGRAM_EXECUTABLE",
            -46 => "INVALID_KERNEL_NAME",
            -47 => "INVALID_KERNEL_DEFINITION",
            -48 => "INVALID_KERNEL",
            -49 => "INVALID_ARG_INDEX",
            -50 => "INVALID_ARG_VALUE",
            -51 => "INVALID_ARG_SIZE",
            -52 => "INVALID_KERNEL_ARGS",
            -53 => "INVALID_WORK_DIMENSION",
            -54 => "INVALID_WORK_GROUP_SIZE",
            -55 => "INVALID_WORK_ITEM_SIZE",
            -56 => "INVALID_GLOBAL_OFFSET",
            -57 => "INVALID_EVENT_WAIT_LIST",
            -58 => "INVALID_EVENT",
            -59 => "INVALID_OPERATION",
            -61 => "INVALID_BUFFER_SIZE",
            -63 => "INVALID_GLOBAL_WORK_SIZE",
            -64 => "INVALID_PROPERTY",
            -66 => "INVALID_COMPILER_OPTIONS",
            -67 => "INVALID_LINKER_OPTIONS",
            -68 => "INVALID_DEVICE_PARTITION_COUNT",
            -1001 => "PLATFORM_NOT_FOUND_KHR",
            _ => return None,
        })
    }

    /// What the user can do about it.
    pub const fn advice(self) -> &'static str {
        match self.0 {
            -6..=-4 => {
                "the device has too little memory or too few registers for this; use smaller arrays, \
                 smaller work-groups or less local memory"
            }
            -2 | -36 => {
                "the driver has lost the device; work on other devices goes on, and the process must \
                 be started again to use this one"
            }
            -14 | -9999 => {
                "drivers say this when a kernel has left its arrays; run it on the `reference` \
                 device, which names the line, and start the process again to use this one"
            }
            _ => {
                "this is probably a bug in situ or in the driver; please report it with the output \
                 of `situ doctor`"
            }
        }
    }
}

/// Written as `CL_OUT_OF_RESOURCES (-5)`.
impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(formatter, "CL_{name} ({})", self.0),
            None => write!(formatter, "status {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_the_names_of_the_specification() {
        assert_eq!(Status(-5).to_string(), "CL_OUT_OF_RESOURCES (-5)");
        assert_eq!(Status(-9999).to_string(), "status -9999");
        assert_eq!(Status(0).check(), Ok(()));
        assert_eq!(Status(-30).check(), Err(Status(-30)));
    }
}
