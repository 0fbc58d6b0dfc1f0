//! Sorting networks in vector registers.
//!
//! [`Key::sort`] sorts up to some hundred unsigned keys without comparing them one by one, which is several times quicker;
//! who has more deals them out first. It is a crate of its own because vector instructions need
//! `unsafe`: all of it is in `avx512.rs` and `avx2.rs`, behind tokens that only exist where the processor has them.
//!
//! It knows processors with AVX-512 or AVX2. On others there is no token, and keys have to be sorted in another way. It uses one
//! thread, and what is equal cannot be told apart.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod network;
#[cfg(not(target_arch = "x86_64"))]
mod nothing;
#[cfg(target_arch = "x86_64")]
mod vector;
#[cfg(target_arch = "x86_64")]
mod wide_vectors;

#[cfg(not(target_arch = "x86_64"))]
pub use nothing::WideVectors;
#[cfg(target_arch = "x86_64")]
pub use wide_vectors::WideVectors;

/// What is sorted.
pub trait Key: Sized {
    /// How many keys these vectors sort at most.
    fn most(vectors: WideVectors) -> usize;

    /// Sorts up to [`Key::most`] keys.
    ///
    /// # Panics
    /// If there are more.
    fn sort(keys: &mut [Self], vectors: WideVectors);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sorts keys by every instruction set that the processor has, the first of them where there is no place for all.
    fn check<K: Key + Copy + Ord + std::fmt::Debug>(keys: &[K]) -> Result<(), TestCaseError> {
        for vectors in WideVectors::all() {
            let mut sorted = keys[..keys.len().min(K::most(vectors))].to_vec();
            let mut expected = sorted.clone();
            expected.sort_unstable();
            K::sort(&mut sorted, vectors);
            prop_assert_eq!(sorted, expected, "{:?}", vectors);
        }
        Ok(())
    }

    /// How many keys any of the instruction sets sorts at most.
    fn most<K: Key>() -> usize {
        WideVectors::all()
            .into_iter()
            .map(K::most)
            .max()
            .unwrap_or(0)
    }

    /// Every number of keys has its own way through vectors that are not full.
    #[test]
    fn any_number_of_keys_is_sorted() {
        for count in 0..=most::<u64>() {
            let mixed = (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            check(&mixed.collect::<Vec<u64>>()).unwrap();
        }
        for count in 0..=most::<u32>() {
            let mixed = (0..count as u32).map(|i| i.wrapping_mul(0x9e37_79b9));
            check(&mixed.collect::<Vec<u32>>()).unwrap();
        }
    }

    /// A network that sorts all zeros and ones sorts everything; of those that are sorted but for one place there are few.
    #[test]
    fn zeros_and_ones_are_sorted_wherever_they_are() {
        for most in WideVectors::all().into_iter().map(u64::most) {
            for ones in 0..=most {
                for shift in 0..most {
                    let at = |i: usize| u64::from((i * 37 + shift) % most < ones);
                    check(&(0..most).map(at).collect::<Vec<u64>>()).unwrap();
                }
            }
        }
    }

    #[test]
    fn more_keys_are_refused() {
        for vectors in WideVectors::all() {
            let mut keys = vec![0_u64; u64::most(vectors) + 1];
            let sort = || u64::sort(&mut keys, vectors);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(sort)).unwrap_err();
        }
    }

    proptest! {
        #[test]
        fn keys_of_64_bits_are_sorted(keys in prop::collection::vec(any::<u64>(), 0..=most::<u64>()), bits in 0..64_u32) {
            check(&keys)?;
            check(&keys.iter().map(|key| key >> bits).collect::<Vec<u64>>())?;
        }

        #[test]
        fn keys_of_32_bits_are_sorted(keys in prop::collection::vec(any::<u32>(), 0..=most::<u32>()), bits in 0..32_u32) {
            check(&keys)?;
            check(&keys.iter().map(|key| key >> bits).collect::<Vec<u32>>())?;
        }
    }
}
