//! Sizes as people read them.

use std::fmt;

/// A number of bytes; prints as `1.5 GiB (1610612736 bytes)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteCount(pub u64);

impl fmt::Display for ByteCount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let Self(bytes) = *self;
        let Some(unit) = (bytes.max(1).ilog2() as usize / 10).checked_sub(1) else {
            return write!(
                formatter,
                "{bytes} byte{}",
                if bytes == 1 { "" } else { "s" }
            );
        };
        let count = bytes as f64 / (1024_u64 << (10 * unit)) as f64;
        let text = format!("{count:.1}");
        let text = text.strip_suffix(".0").unwrap_or(&text);
        write!(formatter, "{text} {} ({bytes} bytes)", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well_and_lose_nothing() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1 KiB (1024 bytes)"),
            (80_000_000, "76.3 MiB (80000000 bytes)"),
            (3 << 29, "1.5 GiB (1610612736 bytes)"),
            (1 << 60, "1 EiB (1152921504606846976 bytes)"),
            (u64::MAX, "16 EiB (18446744073709551615 bytes)"),
        ] {
            assert_eq!(ByteCount(bytes).to_string(), text);
        }
    }
}
