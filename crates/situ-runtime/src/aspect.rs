//! What a device can do, or is, that not every device can or is.
//!
//! The names are those of SYCL 2020. The one table below is what selectors, `Device.aspects` and the
//! `has_aspect_...` properties of Python are made from.

use std::fmt;

macro_rules! aspects {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// Something a device can do, or is, that not every device can or is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Aspect {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Aspect {
            /// Every aspect, in alphabetical order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word used in selectors and properties.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// What it means, in one sentence.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
}

aspects! {
    /// It is an accelerator: neither a processor nor a graphics processor.
    Accelerator = "accelerator",
    /// Atomics work on 64-bit numbers.
    Atomic64 = "atomic64",
    /// It is a processor.
    Cpu = "cpu",
    /// It runs a fixed set of functions and no kernels.
    Custom = "custom",
    /// It stands in for other hardware, so its speed says nothing about that.
    Emulated = "emulated",
    /// Kernels compute with half-precision numbers.
    Fp16 = "fp16",
    /// Kernels compute with double-precision numbers.
    Fp64 = "fp64",
    /// It is a graphics processor.
    Gpu = "gpu",
    /// Kernels can be stepped through with the host's debugger.
    HostDebuggable = "host_debuggable",
    /// Kernels can read and write images.
    Image = "image",
    /// It is one of the parts of a composite device.
    IsComponent = "is_component",
    /// It is made of several devices.
    IsComposite = "is_composite",
    /// Kernels are compiled while the program runs.
    OnlineCompiler = "online_compiler",
    /// Separately compiled kernels are linked while the program runs.
    OnlineLinker = "online_linker",
    /// Events of its queues can record times.
    QueueProfiling = "queue_profiling",
    /// Host and device may use atomics on host allocations at the same time.
    UsmAtomicHostAllocations = "usm_atomic_host_allocations",
    /// Host and device may use atomics on shared allocations at the same time.
    UsmAtomicSharedAllocations = "usm_atomic_shared_allocations",
    /// It has USM device allocations.
    UsmDeviceAllocations = "usm_device_allocations",
    /// It has USM host allocations.
    UsmHostAllocations = "usm_host_allocations",
    /// It has USM shared allocations.
    UsmSharedAllocations = "usm_shared_allocations",
    /// Kernels can use any memory of the process.
    UsmSystemAllocations = "usm_system_allocations",
}

impl Aspect {
    /// The aspect with a name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let named = |aspect: &&Self| aspect.name().eq_ignore_ascii_case(name);
        Self::ALL.iter().find(named).copied()
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_aspect_is_found_by_its_name() {
        for aspect in Aspect::ALL {
            assert_eq!(Aspect::from_name(aspect.name()), Some(*aspect));
            assert_eq!(
                Aspect::from_name(&aspect.name().to_uppercase()),
                Some(*aspect)
            );
            assert!(aspect.doc().ends_with('.') && !aspect.doc().starts_with(' '));
        }
        assert_eq!(Aspect::from_name("fp32"), None);
        assert!(Aspect::ALL.is_sorted_by_key(|aspect| aspect.name()));
    }
}
