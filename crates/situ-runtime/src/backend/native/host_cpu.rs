//! The processor that native code is generated for.
//!
//! Usually the host, as LLVM sees it; tests and portable builds may name another. Nothing here
//! requires AVX2: on an older processor kernels use narrower vectors.

use situ_codegen::llvm::VectorIsa;

use super::compiler;

/// Processors that are slower at one gather than at loading its elements one by one. Some never were quick at it; to
/// most it came with a change of their microcode, since gathers could leak data between processes.
const SLOW_GATHERS: [&str; 14] = [
    "broadwell",
    "cannonlake",
    "cascadelake",
    "cooperlake",
    "haswell",
    "icelake-client",
    "icelake-server",
    "rocketlake",
    "skylake",
    "skylake-avx512",
    "tigerlake",
    "znver1",
    "znver2",
    "znver3",
];

/// A processor model and its features, in LLVM's words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CpuTarget {
    /// LLVM's name of the model, such as `haswell`.
    pub name: String,
    /// Comma-separated `+feature` and `-feature`.
    pub features: String,
}

impl CpuTarget {
    /// The processor this process runs on.
    pub fn host() -> Self {
        compiler::initialise();
        compiler::host_cpu().tuned()
    }

    /// The same with what LLVM does not know of the model.
    fn tuned(mut self) -> Self {
        if SLOW_GATHERS.contains(&self.name.as_str()) {
            self.features.push_str(",+prefer-no-gather");
        }
        self
    }

    /// Any x86-64 processor: SSE2 and nothing more.
    pub fn baseline() -> Self {
        Self {
            name: "x86-64".to_owned(),
            features: String::new(),
        }
    }

    /// The vectors code for this processor should use.
    ///
    /// The first processors with AVX-512 lower their clock when they use 512-bit vectors; those
    /// with its later extensions (Ice Lake, Zen 4 and after) do not.
    pub fn vector_isa(&self) -> VectorIsa {
        let avx512 = ["avx512f", "avx512dq", "avx512vl", "avx512vbmi2"];
        if avx512.into_iter().all(|feature| self.has(feature)) {
            VectorIsa::Avx512
        } else if self.has("avx2") && self.has("fma") {
            VectorIsa::Avx2
        } else {
            VectorIsa::Sse2
        }
    }

    /// Whether it has a feature, by LLVM's name.
    pub fn has(&self, feature: &str) -> bool {
        self.features
            .split(',')
            .any(|entry| entry.strip_prefix('+') == Some(feature))
    }
}

/// Bits in one vector register.
pub const fn vector_bits(isa: VectorIsa) -> u32 {
    match isa {
        VectorIsa::Sse2 => 128,
        VectorIsa::Avx2 => 256,
        VectorIsa::Avx512 => 512,
    }
}

/// The brand string the processor gives itself, for people to read.
pub fn brand() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        const BRAND_LEAVES: std::ops::RangeInclusive<u32> = 0x8000_0002..=0x8000_0004;
        if __cpuid(0x8000_0000).eax >= *BRAND_LEAVES.end() {
            let bytes: Vec<u8> = BRAND_LEAVES
                .map(__cpuid)
                .flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx])
                .flat_map(u32::to_le_bytes)
                .take_while(|byte| *byte != 0)
                .collect();
            let text = String::from_utf8_lossy(&bytes);
            return text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
    format!("{} processor", std::env::consts::ARCH)
}

/// The maker, in the processor's own twelve letters, such as `GenuineIntel`.
pub fn vendor() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    {
        let leaf = core::arch::x86_64::__cpuid(0);
        let letters = [leaf.ebx, leaf.edx, leaf.ecx]
            .map(u32::to_le_bytes)
            .concat();
        Some(String::from_utf8_lossy(&letters).trim().to_owned())
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The highest clock rate: what Linux allows, else what the processor says it is made for, else the
/// rate at this moment.
pub fn clock_mhz() -> Option<u64> {
    let allowed = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if let Some(khz) = allowed
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok())
    {
        return Some(khz / 1000);
    }
    rated_mhz().or_else(|| {
        let description = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = description
            .lines()
            .find(|line| line.starts_with("cpu MHz"))?;
        let mhz: f64 = line.split_once(':')?.1.trim().parse().ok()?;
        (mhz > 0.0).then_some(mhz as u64)
    })
}

/// The maximum that the processor was made for, where it says so.
fn rated_mhz() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        const FREQUENCIES: u32 = 0x16;
        if __cpuid(0).eax >= FREQUENCIES {
            let maximum = u64::from(__cpuid(FREQUENCIES).ebx & 0xffff);
            return (maximum > 0).then_some(maximum);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_has_a_name_and_features() {
        let host = CpuTarget::host();
        assert!(!host.name.is_empty());
        assert!(host.has("sse2"), "{host:?}");
        assert!(!brand().is_empty());
        assert!(vendor().is_some_and(|vendor| vendor.len() > 3));
        assert!(clock_mhz().is_none_or(|mhz| (100..20_000).contains(&mhz)));
    }

    #[test]
    fn the_vector_level_follows_the_features() {
        let with = |features: &str| CpuTarget {
            name: "x86-64".into(),
            features: features.into(),
        };
        assert_eq!(CpuTarget::baseline().vector_isa(), VectorIsa::Sse2);
        assert_eq!(with("+avx,+sse2").vector_isa(), VectorIsa::Sse2);
        assert_eq!(with("+avx2,+fma").vector_isa(), VectorIsa::Avx2);
        assert_eq!(with("+avx2,+fma,+avx512f").vector_isa(), VectorIsa::Avx2);
        let first_avx512 = "+avx2,+fma,+avx512f,+avx512dq,+avx512vl";
        assert_eq!(with(first_avx512).vector_isa(), VectorIsa::Avx2);
        let later_avx512 = format!("{first_avx512},+avx512vbmi2");
        assert_eq!(with(&later_avx512).vector_isa(), VectorIsa::Avx512);
        assert_eq!(with("-avx2,-fma").vector_isa(), VectorIsa::Sse2);
    }

    #[test]
    fn slow_gathers_are_avoided() {
        let of = |name: &str| {
            let features = "+avx2".to_owned();
            let name = name.to_owned();
            CpuTarget { name, features }.tuned()
        };
        assert!(of("icelake-server").has("prefer-no-gather"));
        assert!(of("icelake-server").has("avx2"));
        assert!(!of("sapphirerapids").has("prefer-no-gather"));
        assert!(SLOW_GATHERS.is_sorted());
    }

    #[test]
    fn the_detected_level_agrees_with_the_standard_library() {
        let isa = CpuTarget::host().vector_isa();
        assert_eq!(
            isa >= VectorIsa::Avx2,
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
        );
    }
}
