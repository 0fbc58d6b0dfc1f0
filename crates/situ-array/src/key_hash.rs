//! A quick hash for the keys of kernels.
//!
//! The standard library's hash withstands keys that an enemy chose. Nobody chooses these, and looking a kernel up is a
//! good part of what a call on few elements costs.

use std::hash::{BuildHasherDefault, Hasher};

/// Makes [`KeyHasher`]s, for maps.
pub(crate) type BuildKeyHasher = BuildHasherDefault<KeyHasher>;

/// An odd number without a pattern: 2 to the power of 64, divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes one word after the other into the state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyHasher(u64);

impl KeyHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(SPREAD);
    }
}

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        // Products are good in their upper bits, and maps look at both ends.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in words.by_ref() {
            self.mix(u64::from_le_bytes(word.try_into().expect("eight bytes")));
        }
        for byte in words.remainder() {
            self.mix(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.mix(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, Hash};

    use super::*;

    fn hash(value: impl Hash) -> u64 {
        BuildKeyHasher::default().hash_one(value)
    }

    #[test]
    fn what_differs_a_little_is_far_apart() {
        let small: HashSet<u64> = (0_u8..16)
            .flat_map(|a| (0_u8..16).flat_map(move |b| (0_u8..16).map(move |c| hash((a, b, c)))))
            .map(|hash| hash & 0xF_FFFF)
            .collect();
        // 4096 keys in a million places: a few of them meet, whatever the hash.
        assert!(small.len() > 4070, "{}", small.len());
        assert_ne!(hash("add"), hash("abs"));
        assert_ne!(hash("subtract"), hash("subtract "));
        assert_ne!(hash((1_usize, 2_usize)), hash((2_usize, 1_usize)));
    }
}
