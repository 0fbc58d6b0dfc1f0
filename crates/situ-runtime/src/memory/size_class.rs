//! Sizes of blocks: whole cache lines, and each power of two is cut into four classes, so at most a
//! fifth of a block that has more than a few lines is unused.

/// The smallest block: one cache line.
const MIN_BLOCK_BYTES: usize = 64;

/// Classes per power of two.
const STEPS: usize = 4;

/// Classes up to 2^48 bytes, more than any machine has.
const COUNT: usize = (48 - MIN_BLOCK_BYTES.ilog2() as usize) * STEPS + 1;

/// Blocks from this size on are few and costly: fresh ones are paid for with page faults.
const LARGE_BYTES: usize = 1 << 20;

/// One of the sizes blocks have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SizeClass(u16);

impl SizeClass {
    /// How many classes are smaller than large.
    pub(super) const SMALL: usize =
        (LARGE_BYTES.ilog2() - MIN_BLOCK_BYTES.ilog2()) as usize * STEPS;

    /// How many classes are large.
    pub(super) const LARGE: usize = COUNT - Self::SMALL;

    /// The smallest class that holds `size_bytes`; `None` when no class does.
    pub(super) fn holding(size_bytes: usize) -> Option<Self> {
        let size_bytes = size_bytes.checked_next_multiple_of(MIN_BLOCK_BYTES)?;
        if size_bytes <= MIN_BLOCK_BYTES {
            return Some(Self(0));
        }
        // Within a power of two, the two bits below the leading one of `size - 1` tell the quarter.
        let last = size_bytes - 1;
        let power = last.ilog2() as usize;
        let quarter = (last >> (power - 2)) & (STEPS - 1);
        let class = (power - MIN_BLOCK_BYTES.ilog2() as usize) * STEPS + quarter + 1;
        (class < COUNT).then_some(Self(class as u16))
    }

    /// The small class with a number below [`Self::SMALL`].
    pub(super) fn small(position: usize) -> Self {
        Self(position as u16)
    }

    /// The large class with a number below [`Self::LARGE`].
    pub(super) fn large(position: usize) -> Self {
        Self((Self::SMALL + position) as u16)
    }

    /// The size of its blocks.
    pub(super) fn size_bytes(self) -> usize {
        match usize::from(self.0).checked_sub(1) {
            None => MIN_BLOCK_BYTES,
            Some(step) => {
                let power = MIN_BLOCK_BYTES << (step / STEPS);
                power + (power / STEPS) * (step % STEPS + 1)
            }
        }
    }

    /// Its number among the large classes, or among the small ones.
    pub(super) fn position(self) -> Position {
        match usize::from(self.0).checked_sub(Self::SMALL) {
            Some(position) => Position::Large(position),
            None => Position::Small(usize::from(self.0)),
        }
    }
}

/// Where a class is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// With the small ones.
    Small(usize),
    /// With the large ones.
    Large(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_sizes_with_little_waste() {
        for size in (0..5000).chain((12..47).flat_map(|p| [(1 << p) - 1, 1 << p, (1 << p) + 1])) {
            let class = SizeClass::holding(size).unwrap();
            let smaller = class.0.checked_sub(1).map(SizeClass);
            assert!(class.size_bytes() >= size, "{size}");
            assert_eq!(class.size_bytes() % MIN_BLOCK_BYTES, 0, "{size}");
            assert!(
                smaller.is_none_or(|class| class.size_bytes() < size.next_multiple_of(64)),
                "{size}"
            );
            assert!(
                size < 256 || class.size_bytes() <= size + size / 4 + 1,
                "{size}"
            );
        }
        assert_eq!(SizeClass::holding(1 << 60), None);
        assert_eq!(SizeClass::holding(usize::MAX), None);
    }

    #[test]
    fn large_classes_start_at_one_mebibyte() {
        assert_eq!(SizeClass::large(0).size_bytes(), LARGE_BYTES);
        assert_eq!(SizeClass::holding(LARGE_BYTES), Some(SizeClass::large(0)));
        assert_eq!(SizeClass::large(0).position(), Position::Large(0));
        let last_small = SizeClass::small(SizeClass::SMALL - 1);
        assert!(last_small.size_bytes() < LARGE_BYTES);
        assert_eq!(last_small.position(), Position::Small(SizeClass::SMALL - 1));
        let largest = SizeClass::large(SizeClass::LARGE - 1);
        assert_eq!(SizeClass::holding(largest.size_bytes()), Some(largest));
        assert_eq!(SizeClass::holding(largest.size_bytes() + 1), None);
    }
}
