//! Between which keys a hand lies, and by which digit it is dealt out.

use situ_host::parallel::for_each_part;

use super::item::Item;
use super::{MANY, for_wide_vectors};

/// How many bits a digit has at most.
pub(super) const DIGIT_BITS: u32 = 11;

/// Keys between two.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Span {
    smallest: u64,
    largest: u64,
}

impl Span {
    const NONE: Self = Self {
        smallest: u64::MAX,
        largest: 0,
    };

    /// The span of some items.
    pub(super) fn of<T: Item>(items: &[T]) -> Self {
        Order::of_piece(items, 0, &|_, item| item).span
    }

    /// The smallest key.
    pub(super) fn smallest(self) -> u64 {
        self.smallest
    }

    /// How many bits a key has above the smallest one; none if there are no keys.
    pub(super) fn bits(self) -> u32 {
        u64::BITS - self.largest.saturating_sub(self.smallest).leading_zeros()
    }

    /// How far a key is above the smallest one.
    #[inline]
    pub(super) fn above_smallest(self, key: u64) -> u64 {
        key - self.smallest
    }

    /// By what to deal so many items, so that hands have some `few / 2`. Where that takes several deals, they are about
    /// equally fine.
    pub(super) fn digit(self, count: usize, few: usize) -> Digit {
        let wanted = (2 * count).div_ceil(few).max(2).next_power_of_two().ilog2();
        let deals = wanted.div_ceil(DIGIT_BITS);
        self.digit_of(wanted.div_ceil(deals))
    }

    /// The highest so many bits.
    pub(super) fn digit_of(self, bits: u32) -> Digit {
        Digit {
            span: self,
            shift: self.bits().saturating_sub(bits),
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            smallest: self.smallest.min(other.smallest),
            largest: self.largest.max(other.largest),
        }
    }
}

/// What is to know of a row before it is sorted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// Between which keys it lies.
    pub(super) span: Span,
    /// Whether it is in order.
    pub(super) is_sorted: bool,
}

impl Order {
    /// The order of elements that are not items yet.
    pub(super) fn of<S, T>(elements: &[S], encode: &(impl Fn(usize, S) -> T + Sync)) -> Self
    where
        S: Copy + Sync,
        T: Item,
    {
        if elements.len() < MANY {
            return Self::of_piece(elements, 0, encode);
        }
        let piece_length = elements.len().div_ceil(rayon::current_num_threads());
        let starts = (0..elements.len()).step_by(piece_length);
        let nothing = Self {
            span: Span::NONE,
            is_sorted: true,
        };
        let mut orders = vec![nothing; starts.len()];
        for_each_part(orders.iter_mut().zip(starts), |(order, start)| {
            // With the first element of the next piece, so that no pair of neighbours is missed.
            let end = (start + piece_length + 1).min(elements.len());
            *order = Self::of_piece(&elements[start..end], start, encode);
        });
        orders.into_iter().fold(nothing, |left, right| Self {
            span: left.span.with(right.span),
            is_sorted: left.is_sorted & right.is_sorted,
        })
    }

    fn of_piece<S, T>(elements: &[S], start: usize, encode: &impl Fn(usize, S) -> T) -> Self
    where
        S: Copy,
        T: Item,
    {
        for_wide_vectors(
            #[inline(always)]
            || {
                let mut span = Span::NONE;
                let mut is_sorted = true;
                let mut last = 0;
                for (position, element) in elements.iter().enumerate() {
                    let key = encode(start + position, *element).key();
                    span.smallest = span.smallest.min(key);
                    span.largest = span.largest.max(key);
                    is_sorted &= last <= key;
                    last = key;
                }
                Self { span, is_sorted }
            },
        )
    }
}

/// The highest bits in which keys differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digit {
    span: Span,
    shift: u32,
}

impl Digit {
    #[inline]
    pub(super) fn of(self, key: u64) -> usize {
        (self.span.above_smallest(key) >> self.shift) as usize
    }

    /// How many values it has.
    pub(super) fn values(self) -> usize {
        self.of(self.span.largest) + 1
    }

    /// Whether it is all in which keys differ.
    pub(super) fn is_whole(self) -> bool {
        self.shift == 0
    }

    /// The keys that have a value.
    pub(super) fn span_of(self, value: usize) -> Span {
        let smallest = self.span.smallest + ((value as u64) << self.shift);
        let largest = smallest.saturating_add((1 << self.shift) - 1);
        Span {
            smallest,
            largest: largest.min(self.span.largest),
        }
    }
}
