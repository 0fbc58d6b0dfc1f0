//! Loops in the widest vectors that the processor has.
//!
//! What [`Loops::run`] does is compiled several times, for different [instructions](Simd), and so is what it calls if that
//! is inlined.

use bytemuck::Pod;

/// How many numbers are side by side: one or more registers.
pub(crate) const WIDTH: usize = 16;

/// [`WIDTH`] numbers in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lanes<T>(pub(crate) [T; WIDTH]);

/// Instructions of a processor for [`WIDTH`] numbers at a time.
pub(crate) trait Simd<T>: Copy {
    /// The numbers, in registers.
    type Pack: Copy;

    /// How many sums of [`WIDTH`] numbers each there are registers for, beside what is added to them.
    const SUMS: usize;

    /// Reads them.
    fn load(self, lanes: &Lanes<T>) -> Self::Pack;
    /// Reads them wherever they are.
    fn load_anywhere(self, numbers: &[T; WIDTH]) -> Self::Pack;
    /// The numbers where all bits of a mask are set, and zeros where none are.
    fn keep(self, pack: Self::Pack, mask: Self::Pack) -> Self::Pack;
    /// Writes them.
    fn store(self, pack: Self::Pack, lanes: &mut Lanes<T>);
    /// A number, many times.
    fn splat(self, number: T) -> Self::Pack;
    /// Sums.
    fn add(self, left: Self::Pack, right: Self::Pack) -> Self::Pack;
    /// Products of two, and the third added, rounded once.
    fn multiply_add(self, left: Self::Pack, right: Self::Pack, sum: Self::Pack) -> Self::Pack;
    /// Quotients.
    fn divide(self, left: Self::Pack, right: Self::Pack) -> Self::Pack;
}

/// A number that there are vector instructions for.
pub(crate) trait Vectorised: Pod {
    /// Runs loops in the widest vectors that there are.
    fn vectorised<L: Loops<Self>>(loops: L) -> L::Found;
}

/// Some loops over numbers.
pub(crate) trait Loops<T> {
    /// What they find.
    type Found;

    /// Runs them. To be inlined always.
    fn run<S: Simd<T>>(self, simd: S) -> Self::Found;
}

/// Whether this processor multiplies and adds in one step, without which all of this is slow.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_supported() -> bool {
    is_x86_feature_detected!("avx512f")
        || is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// Whether this processor multiplies and adds in one step, without which all of this is slow.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn is_supported() -> bool {
    cfg!(target_arch = "aarch64")
}

/// What the compiler makes of it.
#[derive(Clone, Copy)]
struct Portable;

macro_rules! portable {
    ($real:ty, $sums:literal) => {
        impl Simd<$real> for Portable {
            type Pack = [$real; WIDTH];

            const SUMS: usize = $sums;

            #[inline(always)]
            fn load(self, lanes: &Lanes<$real>) -> Self::Pack {
                lanes.0
            }

            #[inline(always)]
            fn load_anywhere(self, numbers: &[$real; WIDTH]) -> Self::Pack {
                *numbers
            }

            #[inline(always)]
            fn keep(self, pack: Self::Pack, mask: Self::Pack) -> Self::Pack {
                std::array::from_fn(|lane| {
                    <$real>::from_bits(pack[lane].to_bits() & mask[lane].to_bits())
                })
            }

            #[inline(always)]
            fn store(self, pack: Self::Pack, lanes: &mut Lanes<$real>) {
                lanes.0 = pack;
            }

            #[inline(always)]
            fn splat(self, number: $real) -> Self::Pack {
                [number; WIDTH]
            }

            #[inline(always)]
            fn add(self, left: Self::Pack, right: Self::Pack) -> Self::Pack {
                std::array::from_fn(|lane| left[lane] + right[lane])
            }

            #[inline(always)]
            fn multiply_add(
                self,
                left: Self::Pack,
                right: Self::Pack,
                sum: Self::Pack,
            ) -> Self::Pack {
                std::array::from_fn(|lane| left[lane].mul_add(right[lane], sum[lane]))
            }

            #[inline(always)]
            fn divide(self, left: Self::Pack, right: Self::Pack) -> Self::Pack {
                std::array::from_fn(|lane| left[lane] / right[lane])
            }
        }
    };
}

portable!(f32, 6);
portable!(f64, 3);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m256d, __m512, __m512d, _mm256_add_pd, _mm256_add_ps, _mm256_and_pd,
        _mm256_and_ps, _mm256_div_pd, _mm256_div_ps, _mm256_fmadd_pd, _mm256_fmadd_ps,
        _mm256_loadu_pd, _mm256_loadu_ps, _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_pd,
        _mm256_storeu_ps, _mm512_add_pd, _mm512_add_ps, _mm512_and_si512, _mm512_castpd_si512,
        _mm512_castps_si512, _mm512_castsi512_pd, _mm512_castsi512_ps, _mm512_div_pd,
        _mm512_div_ps, _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_loadu_pd, _mm512_loadu_ps,
        _mm512_set1_pd, _mm512_set1_ps, _mm512_storeu_pd, _mm512_storeu_ps,
    };

    use super::{Lanes, Loops, Portable, Simd, Vectorised, WIDTH};

    /// Exists only where the processor has AVX-512.
    #[derive(Clone, Copy)]
    struct Avx512(());

    /// Exists only where the processor has AVX2 and FMA.
    #[derive(Clone, Copy)]
    struct Avx2(());

    /// The bits that both have. What the processor has for numbers belongs to another set of instructions.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn and_ps(left: __m512, right: __m512) -> __m512 {
        let bits = _mm512_and_si512(_mm512_castps_si512(left), _mm512_castps_si512(right));
        _mm512_castsi512_ps(bits)
    }

    /// The same for numbers of double precision.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn and_pd(left: __m512d, right: __m512d) -> __m512d {
        let bits = _mm512_and_si512(_mm512_castpd_si512(left), _mm512_castpd_si512(right));
        _mm512_castsi512_pd(bits)
    }

    macro_rules! simd {
        ($name:ident, $real:ty, $register:ty, $count:literal, $sums:literal, $load:ident, $store:ident, $splat:ident, $add:ident, $multiply_add:ident, $divide:ident, $and:ident) => {
            impl Simd<$real> for $name {
                type Pack = [$register; $count];

                const SUMS: usize = $sums;

                #[inline(always)]
                fn load(self, lanes: &Lanes<$real>) -> Self::Pack {
                    <Self as Simd<$real>>::load_anywhere(self, &lanes.0)
                }

                #[inline(always)]
                fn load_anywhere(self, numbers: &[$real; WIDTH]) -> Self::Pack {
                    let (registers, _) = numbers.as_chunks::<{ WIDTH / $count }>();
                    let mut pack = <Self as Simd<$real>>::splat(self, 0.0);
                    for (register, numbers) in pack.iter_mut().zip(registers) {
                        // SAFETY: the processor has the instructions, and so many numbers fill a register.
                        *register = unsafe { $load(numbers.as_ptr()) };
                    }
                    pack
                }

                #[inline(always)]
                fn keep(self, mut pack: Self::Pack, mask: Self::Pack) -> Self::Pack {
                    for (register, mask) in pack.iter_mut().zip(mask) {
                        // SAFETY: the processor has the instructions.
                        *register = unsafe { $and(*register, mask) };
                    }
                    pack
                }

                #[inline(always)]
                fn store(self, pack: Self::Pack, lanes: &mut Lanes<$real>) {
                    let (registers, _) = lanes.0.as_chunks_mut::<{ WIDTH / $count }>();
                    for (register, numbers) in pack.iter().zip(registers) {
                        // SAFETY: the processor has the instructions, and so many numbers fill a register.
                        unsafe { $store(numbers.as_mut_ptr(), *register) };
                    }
                }

                #[inline(always)]
                fn splat(self, number: $real) -> Self::Pack {
                    // SAFETY: the processor has the instructions.
                    [unsafe { $splat(number) }; $count]
                }

                #[inline(always)]
                fn add(self, mut left: Self::Pack, right: Self::Pack) -> Self::Pack {
                    for (left, right) in left.iter_mut().zip(right) {
                        // SAFETY: the processor has the instructions.
                        *left = unsafe { $add(*left, right) };
                    }
                    left
                }

                #[inline(always)]
                fn multiply_add(
                    self,
                    left: Self::Pack,
                    right: Self::Pack,
                    mut sum: Self::Pack,
                ) -> Self::Pack {
                    for (register, sum) in sum.iter_mut().enumerate() {
                        // SAFETY: the processor has the instructions.
                        *sum = unsafe { $multiply_add(left[register], right[register], *sum) };
                    }
                    sum
                }

                #[inline(always)]
                fn divide(self, mut left: Self::Pack, right: Self::Pack) -> Self::Pack {
                    for (left, right) in left.iter_mut().zip(right) {
                        // SAFETY: the processor has the instructions.
                        *left = unsafe { $divide(*left, right) };
                    }
                    left
                }
            }
        };
    }

    simd!(
        Avx512,
        f32,
        __m512,
        1,
        8,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_add_ps,
        _mm512_fmadd_ps,
        _mm512_div_ps,
        and_ps
    );
    simd!(
        Avx512,
        f64,
        __m512d,
        2,
        8,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_add_pd,
        _mm512_fmadd_pd,
        _mm512_div_pd,
        and_pd
    );
    simd!(
        Avx2,
        f32,
        __m256,
        2,
        6,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_add_ps,
        _mm256_fmadd_ps,
        _mm256_div_ps,
        _mm256_and_ps
    );
    simd!(
        Avx2,
        f64,
        __m256d,
        4,
        3,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_add_pd,
        _mm256_fmadd_pd,
        _mm256_div_pd,
        _mm256_and_pd
    );

    macro_rules! vectorised {
        ($real:ty) => {
            impl Vectorised for $real {
                fn vectorised<L: Loops<Self>>(loops: L) -> L::Found {
                    #[target_feature(enable = "avx512f")]
                    fn avx512<L: Loops<$real>>(loops: L) -> L::Found {
                        loops.run(Avx512(()))
                    }
                    #[target_feature(enable = "avx2,fma")]
                    fn avx2<L: Loops<$real>>(loops: L) -> L::Found {
                        loops.run(Avx2(()))
                    }
                    if is_x86_feature_detected!("avx512f") {
                        // SAFETY: the processor has the instructions.
                        unsafe { avx512(loops) }
                    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                        // SAFETY: the processor has the instructions.
                        unsafe { avx2(loops) }
                    } else {
                        loops.run(Portable)
                    }
                }
            }
        };
    }

    vectorised!(f32);
    vectorised!(f64);
}

#[cfg(not(target_arch = "x86_64"))]
impl Vectorised for f32 {
    fn vectorised<L: Loops<Self>>(loops: L) -> L::Found {
        loops.run(Portable)
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Vectorised for f64 {
    fn vectorised<L: Loops<Self>>(loops: L) -> L::Found {
        loops.run(Portable)
    }
}
