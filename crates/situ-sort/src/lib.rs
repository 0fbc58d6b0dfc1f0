//! Sorting networks in vector registers.
//!
//! [`Key::sort`] sorts up to some hundred unsigned keys without a branch, several times quicker than comparing
//! them one by one; who has more deals them out first. It is a crate of its own because vector instructions need
//! `unsafe`: all of it is in `avx512.rs`, behind a token that only exists where the processor has them.
//!
//! It knows processors with AVX-512. On others there is no token, and keys have to be sorted in another way. It uses one
//! thread, and what is equal cannot be told apart.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod network;
#[cfg(not(target_arch = "x86_64"))]
mod nothing;
#[cfg(target_arch = "x86_64")]
mod vector;

#[cfg(target_arch = "x86_64")]
pub use avx512::WideVectors;
#[cfg(not(target_arch = "x86_64"))]
pub use nothing::WideVectors;

/// What is sorted.
pub trait Key: Sized {
    /// How many keys are sorted at most.
    const MOST: usize;

    /// Sorts up to [`Key::MOST`] keys.
    ///
    /// # Panics
    /// If there are more.
    fn sort(keys: &mut [Self], vectors: WideVectors);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check<K: Key + Copy + Ord + std::fmt::Debug>(keys: &[K]) -> Result<(), TestCaseError> {
        let Some(vectors) = WideVectors::detect() else {
            return Ok(());
        };
        let mut expected = keys.to_vec();
        expected.sort_unstable();
        let mut sorted = keys.to_vec();
        K::sort(&mut sorted, vectors);
        prop_assert_eq!(sorted, expected);
        Ok(())
    }

    /// Every number of keys has its own way through vectors that are not full.
    #[test]
    fn any_number_of_keys_is_sorted() {
        for count in 0..=u64::MOST {
            let mixed = (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            check(&mixed.collect::<Vec<u64>>()).unwrap();
        }
        for count in 0..=u32::MOST {
            let mixed = (0..count as u32).map(|i| i.wrapping_mul(0x9e37_79b9));
            check(&mixed.collect::<Vec<u32>>()).unwrap();
        }
    }

    /// A network that sorts all zeros and ones sorts everything; of those that are sorted but for one place there are few.
    #[test]
    fn zeros_and_ones_are_sorted_wherever_they_are() {
        for ones in 0..=u64::MOST {
            for shift in 0..u64::MOST {
                let at = |i: usize| u64::from((i * 37 + shift) % u64::MOST < ones);
                check(&(0..u64::MOST).map(at).collect::<Vec<u64>>()).unwrap();
            }
        }
    }

    #[test]
    #[should_panic(expected = "no place for so many keys")]
    fn more_keys_are_refused() {
        let vectors = WideVectors::detect().expect("no place for so many keys");
        Key::sort(&mut [0_u64; 129], vectors);
    }

    proptest! {
        #[test]
        fn keys_of_64_bits_are_sorted(keys in prop::collection::vec(any::<u64>(), 0..=u64::MOST), bits in 0..64_u32) {
            check(&keys)?;
            check(&keys.iter().map(|key| key >> bits).collect::<Vec<u64>>())?;
        }

        #[test]
        fn keys_of_32_bits_are_sorted(keys in prop::collection::vec(any::<u32>(), 0..=u32::MOST), bits in 0..32_u32) {
            check(&keys)?;
            check(&keys.iter().map(|key| key >> bits).collect::<Vec<u32>>())?;
        }
    }
}
