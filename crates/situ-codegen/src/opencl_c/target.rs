//! What the OpenCL C emitter must know about the device.

/// The version of the language to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LanguageVersion {
    /// OpenCL C 1.2, which every driver has.
    #[default]
    V1_2,
    /// OpenCL C 2.0.
    V2_0,
    /// OpenCL C 3.0.
    V3_0,
}

impl LanguageVersion {
    /// The compiler's option for it.
    pub fn build_option(self) -> &'static str {
        match self {
            Self::V1_2 => "-cl-std=CL1.2",
            Self::V2_0 => "-cl-std=CL2.0",
            Self::V3_0 => "-cl-std=CL3.0",
        }
    }
}

/// What a device and its driver can do.
///
/// The options are part of the emitted text's meaning: the same module with other options is
/// another program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "drivers answer one yes-or-no question for each feature"
)]
pub struct TargetOptions {
    /// The language to write.
    pub version: LanguageVersion,
    /// Whether there is `double` (`cl_khr_fp64`).
    pub fp64: bool,
    /// Whether there are 64-bit atomics (`cl_khr_int64_base_atomics` and `_extended_`).
    pub int64_atomics: bool,
    /// Work-items in a sub-group; with 1, each work-item is its own.
    pub sub_group_size: u32,
    /// Whether a kernel can demand that size of the device (`cl_intel_required_subgroup_size`).
    /// Otherwise drivers choose one, so sub-groups are made of local memory.
    pub required_sub_group_size: bool,
    /// Whether ranges without work-groups may be launched rounded up. Drivers cut a range into groups of
    /// equal size, so one of prime length runs one work-item at a time. Kernels whose meaning does
    /// not depend on groups then get the true sizes as their last parameters, and do nothing beyond.
    pub pads_ranges: bool,
    /// Whether `float` division and square root can be correctly rounded
    /// (`CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT`). Otherwise they are computed in `double` and rounded, or,
    /// if there is no `double` either, left as exact as the device makes them.
    pub correctly_rounded_divide_sqrt: bool,
    /// Whether memory can be ordered for the host and other devices too
    /// (`__opencl_c_atomic_scope_all_devices`; always in version 2.0). Only matters from 2.0 on.
    pub all_devices_scope: bool,
}

impl Default for TargetOptions {
    /// What the CPU drivers we know have in common, PoCL 3.1 and Intel's.
    fn default() -> Self {
        Self {
            version: LanguageVersion::V1_2,
            fp64: true,
            int64_atomics: true,
            sub_group_size: 1,
            required_sub_group_size: false,
            pads_ranges: false,
            correctly_rounded_divide_sqrt: true,
            all_devices_scope: false,
        }
    }
}

impl TargetOptions {
    /// The options that the text must be compiled with.
    pub(super) fn build_options(&self) -> String {
        let version = self.version.build_option();
        if self.correctly_rounded_divide_sqrt {
            format!("{version} -cl-fp32-correctly-rounded-divide-sqrt")
        } else {
            version.to_owned()
        }
    }

    /// Whether a `float` quotient or square root is computed in `double`. The result is the correctly
    /// rounded one, because `double` has more than twice the digits.
    pub(super) fn rounds_float_through_double(&self) -> bool {
        !self.correctly_rounded_divide_sqrt && self.fp64
    }
}
