//! The math functions of the machine: glibc's vector library and the C math library.
//!
//! Both are looked up at run time. A system without `libmvec` is a slower machine, not a broken
//! one: the list of vector functions is empty, and kernels call the scalar functions. Nothing but
//! the names below is ever offered to compiled code.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::LazyLock;

use libloading::Library;
use situ_codegen::llvm::VectorIsa;

use super::host_cpu::vector_bits;

/// Functions of one argument that some version of `libmvec` has, without the `f` of the `f32` form.
const UNARY: [&str; 24] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp10", "exp2", "expm1", "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan",
    "tanh",
];

/// Functions of two arguments that some version of `libmvec` has.
const BINARY: [&str; 3] = ["atan2", "hypot", "pow"];

/// Functions of the C library that LLVM may call on its own for plain loads, stores and compares.
const MEMORY: [&str; 5] = ["memcpy", "memmove", "memset", "memcmp", "bcmp"];

/// A vector function that is present on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VectorFunction {
    /// The scalar C function it computes, such as `sin` or `sinf`.
    pub scalar: String,
    /// The vector function's symbol, such as `_ZGVdN4v_sin`.
    pub symbol: String,
    /// How many elements it takes at once.
    pub lanes: usize,
    /// How many arguments it takes.
    pub arguments: usize,
}

/// The math libraries of this process.
#[derive(Debug)]
pub struct VectorMath {
    /// In the order in which names are looked up.
    libraries: Vec<Library>,
    has_vector_library: bool,
}

impl VectorMath {
    /// The libraries of this machine, opened once.
    pub fn process() -> &'static Self {
        static PROCESS: LazyLock<VectorMath> = LazyLock::new(|| {
            VectorMath::open("libmvec.so.1", &["libm.so.6", "libgcc_s.so.1", "libc.so.6"])
        });
        &PROCESS
    }

    fn open(vector_library: &str, scalar_libraries: &[&str]) -> Self {
        let vector = load(vector_library);
        let has_vector_library = vector.is_some();
        let libraries = vector
            .into_iter()
            .chain(scalar_libraries.iter().copied().filter_map(load))
            .collect();
        Self {
            libraries,
            has_vector_library,
        }
    }

    /// Whether glibc's vector math library was found.
    pub fn has_vector_library(&self) -> bool {
        self.has_vector_library
    }

    /// The vector functions for one vector width; empty when there is no vector library.
    pub fn functions(&self, isa: VectorIsa) -> Vec<VectorFunction> {
        if !self.has_vector_library {
            return Vec::new();
        }
        let names = UNARY
            .map(|name| (name, 1))
            .into_iter()
            .chain(BINARY.map(|name| (name, 2)));
        names
            .flat_map(|(name, arguments)| {
                [(name.to_owned(), 64), (format!("{name}f"), 32)]
                    .map(|(scalar, element_bits)| describe(isa, scalar, element_bits, arguments))
            })
            .filter(|function| self.lookup(&function.symbol).is_some())
            .collect()
    }

    /// The address of a function compiled code may call, or `None` when it is not one of ours or
    /// not present.
    pub fn resolve(&self, symbol: &str) -> Option<*const c_void> {
        if is_offered(symbol) {
            self.lookup(symbol)
        } else {
            None
        }
    }

    fn lookup(&self, symbol: &str) -> Option<*const c_void> {
        self.libraries.iter().find_map(|library| {
            // SAFETY: only the address is taken here; generated code calls it with the type the
            // C standard or the vector function ABI gives it.
            unsafe {
                let found = library.get::<*const c_void>(symbol).ok()?;
                found.try_as_raw_ptr().map(<*mut c_void>::cast_const)
            }
        })
    }
}

fn load(name: &str) -> Option<Library> {
    // SAFETY: these are libraries of the C implementation, whose initialisers are safe to run.
    unsafe { Library::new(name) }.ok()
}

fn describe(
    isa: VectorIsa,
    scalar: String,
    element_bits: usize,
    arguments: usize,
) -> VectorFunction {
    let lanes = vector_bits(isa) as usize / element_bits;
    let letter = match isa {
        VectorIsa::Sse2 => 'b',
        VectorIsa::Avx2 => 'd',
        VectorIsa::Avx512 => 'e',
    };
    let parameters = "v".repeat(arguments);
    let symbol = format!("_ZGV{letter}N{lanes}{parameters}_{scalar}");
    VectorFunction {
        scalar,
        symbol,
        lanes,
        arguments,
    }
}

/// Whether generated code may call this name: math functions (scalar and vector), the memory
/// functions, and the conversions of half-precision numbers that compilers call on processors
/// without an instruction for them.
fn is_offered(symbol: &str) -> bool {
    static OFFERED: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let scalar_only = [
            "ceil",
            "copysign",
            "fabs",
            "floor",
            "fma",
            "fmax",
            "fmin",
            "fmod",
            "ldexp",
            "lgamma",
            "nearbyint",
            "nextafter",
            "rint",
            "round",
            "roundeven",
            "tgamma",
            "trunc",
            "remainder",
            "modf",
            "frexp",
            "logb",
            "ilogb",
            "lround",
            "llround",
            "lrint",
            "llrint",
        ];
        let conversions = [
            "__extendhfsf2",
            "__truncsfhf2",
            "__truncdfhf2",
            "__gnu_h2f_ieee",
            "__gnu_f2h_ieee",
            "__udivti3",
            "__umodti3",
            "__divti3",
            "__modti3",
            "__multi3",
            "__fixunsdfti",
        ];
        let math = UNARY.into_iter().chain(BINARY).chain(scalar_only);
        math.flat_map(|name| [name.to_owned(), format!("{name}f")])
            .chain(MEMORY.into_iter().chain(conversions).map(str::to_owned))
            .chain(["sincos", "sincosf"].map(str::to_owned))
            .collect()
    });
    match symbol.strip_prefix("_ZGV") {
        Some(rest) => rest
            .split_once('_')
            .is_some_and(|(_, scalar)| OFFERED.contains(scalar)),
        None => OFFERED.contains(symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalar_functions_are_always_there() {
        let math = VectorMath::process();
        for name in [
            "sin", "sinf", "pow", "fmod", "fma", "fmaf", "memcpy", "memset",
        ] {
            assert!(math.resolve(name).is_some(), "{name}");
        }
    }

    #[test]
    fn nothing_else_is_offered() {
        let math = VectorMath::process();
        for name in ["system", "malloc", "exit", "_ZGVdN4v_system", "", "sin_"] {
            assert!(math.resolve(name).is_none(), "{name}");
        }
    }

    #[test]
    fn every_level_of_the_vector_library_is_listed_with_its_lanes() {
        let math = VectorMath::process();
        if !math.has_vector_library() {
            return;
        }
        for (isa, symbol, lanes) in [
            (VectorIsa::Sse2, "_ZGVbN2v_sin", 2),
            (VectorIsa::Avx2, "_ZGVdN4v_sin", 4),
            (VectorIsa::Avx512, "_ZGVeN8v_sin", 8),
        ] {
            let functions = math.functions(isa);
            let sin = functions
                .iter()
                .find(|function| function.scalar == "sin")
                .unwrap();
            assert_eq!(
                (sin.symbol.as_str(), sin.lanes, sin.arguments),
                (symbol, lanes, 1)
            );
            let powf = functions
                .iter()
                .find(|function| function.scalar == "powf")
                .unwrap();
            assert_eq!((powf.lanes, powf.arguments), (lanes * 2, 2));
            assert!(
                functions
                    .iter()
                    .all(|function| math.resolve(&function.symbol).is_some())
            );
        }
    }

    #[test]
    fn a_missing_vector_library_leaves_the_scalar_functions() {
        let math = VectorMath::open("libsitu-has-no-such-library.so.1", &["libm.so.6"]);
        assert!(!math.has_vector_library());
        assert!(
            [VectorIsa::Sse2, VectorIsa::Avx2, VectorIsa::Avx512]
                .into_iter()
                .all(|isa| math.functions(isa).is_empty())
        );
        assert!(math.resolve("_ZGVdN4v_sin").is_none());
        assert!(math.resolve("sin").is_some());
    }
}
