//! Names that user code must not have in OpenCL C.
//!
//! Keywords, types and qualifiers of the language, its built-in functions (which drivers may define
//! as macros, so that even a local variable must not be called so) and its constants; and what the
//! library may define ([`super::library`]). A name with one of these spellings gets an underscore.

use super::library;

/// `wanted`, or the nearest spelling that means nothing to the compiler.
pub(super) fn avoid(wanted: &str) -> String {
    // C keeps names with two underscores, or one and a capital, for the compiler.
    let belongs_to_compiler = wanted.starts_with("__")
        || wanted.starts_with('_') && wanted[1..].starts_with(|c: char| c.is_ascii_uppercase());
    if belongs_to_compiler {
        return format!("x{wanted}");
    }
    if is_reserved(wanted) {
        return format!("{wanted}_");
    }
    wanted.to_owned()
}

fn is_reserved(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
        || is_sized_type(word)
        || is_built_in_family(word)
        || library::may_define(word)
}

/// `float4`, `uchar16`, `float4x4`, …
fn is_sized_type(word: &str) -> bool {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'x');
    stem.len() < word.len() && VECTOR_ELEMENTS.contains(&stem)
}

/// Functions that exist for many types, and macros, by how they begin.
fn is_built_in_family(word: &str) -> bool {
    FAMILIES.iter().any(|family| word.starts_with(family))
}

const VECTOR_ELEMENTS: &[&str] = &[
    "bool", "char", "double", "float", "half", "int", "long", "quad", "short", "uchar", "uint",
    "ulong", "ushort",
];

const FAMILIES: &[&str] = &[
    "CHAR_",
    "CLK_",
    "DBL_",
    "FLT_",
    "FP_",
    "HALF_",
    "INT_",
    "LONG_",
    "MAXFLOAT",
    "M_",
    "SCHAR_",
    "SHRT_",
    "UCHAR_",
    "UINT_",
    "ULONG_",
    "USHRT_",
    "as_",
    "async_work_group_",
    "atom_",
    "atomic_",
    "cl_",
    "convert_",
    "get_",
    "half_",
    "image1d_",
    "image2d_",
    "image3d_",
    "intel_",
    "memory_",
    "native_",
    "read_image",
    "read_mem_fence",
    "read_pipe",
    "reserve_",
    "sub_group_",
    "vload",
    "vstore",
    "work_group_",
    "work_item_",
    "write_image",
    "write_mem_fence",
    "write_pipe",
];

/// Sorted.
const WORDS: &[&str] = &[
    "HUGE_VAL",
    "HUGE_VALF",
    "INFINITY",
    "NAN",
    "NULL",
    "abs",
    "abs_diff",
    "acos",
    "acosh",
    "acospi",
    "add_sat",
    "all",
    "any",
    "asin",
    "asinh",
    "asinpi",
    "asm",
    "atan",
    "atan2",
    "atan2pi",
    "atanh",
    "atanpi",
    "auto",
    "barrier",
    "bitselect",
    "bool",
    "break",
    "case",
    "cbrt",
    "ceil",
    "char",
    "clamp",
    "clk_event_t",
    "clz",
    "complex",
    "const",
    "constant",
    "continue",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cross",
    "ctz",
    "default",
    "defined",
    "degrees",
    "distance",
    "do",
    "dot",
    "double",
    "else",
    "enqueue_kernel",
    "enqueue_marker",
    "enum",
    "erf",
    "erfc",
    "event_t",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "extern",
    "fabs",
    "false",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "fdim",
    "float",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "for",
    "fract",
    "frexp",
    "generic",
    "global",
    "goto",
    "hadd",
    "half",
    "hypot",
    "if",
    "ilogb",
    "inline",
    "int",
    "intptr_t",
    "is_valid_event",
    "isequal",
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isnotequal",
    "isordered",
    "isunordered",
    "kernel",
    "kernel_enqueue_flags_t",
    "kernel_exec",
    "ldexp",
    "length",
    "lgamma",
    "lgamma_r",
    "local",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "long",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "main",
    "max",
    "maxmag",
    "mem_fence",
    "min",
    "minmag",
    "mix",
    "modf",
    "mul24",
    "mul_hi",
    "nan",
    "nanf",
    "ndrange_t",
    "nextafter",
    "normalize",
    "pipe",
    "pow",
    "pown",
    "powr",
    "prefetch",
    "printf",
    "private",
    "ptrdiff_t",
    "queue_t",
    "radians",
    "register",
    "release_event",
    "remainder",
    "remquo",
    "reserve_id_t",
    "restrict",
    "retain_event",
    "return",
    "rhadd",
    "rint",
    "rootn",
    "rotate",
    "round",
    "rsqrt",
    "sampler_t",
    "select",
    "set_user_event_status",
    "short",
    "shuffle",
    "shuffle2",
    "sign",
    "signbit",
    "signed",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "size_t",
    "sizeof",
    "smoothstep",
    "sqrt",
    "static",
    "step",
    "struct",
    "sub_sat",
    "switch",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "to_global",
    "to_local",
    "to_private",
    "true",
    "trunc",
    "typedef",
    "typeof",
    "uchar",
    "uint",
    "uintptr_t",
    "ulong",
    "uniform",
    "union",
    "unsigned",
    "upsample",
    "ushort",
    "vec_step",
    "void",
    "volatile",
    "wait_group_events",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_so_that_they_are_found() {
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn words_of_the_language_get_an_underscore() {
        for word in [
            "float",
            "kernel",
            "sin",
            "float4",
            "get_global_id",
            "CLK_LOCAL_MEM_FENCE",
        ] {
            assert_eq!(avoid(word), format!("{word}_"));
        }
    }

    #[test]
    fn names_of_the_compiler_get_a_letter() {
        assert_eq!(avoid("__global"), "x__global");
        assert_eq!(avoid("_Complex"), "x_Complex");
        assert_eq!(avoid("_"), "_");
        assert_eq!(avoid("_x"), "_x");
    }

    #[test]
    fn other_names_stay() {
        for word in ["x", "floats", "tile", "scratch", "i2", "doubled"] {
            assert_eq!(avoid(word), word);
        }
    }
}
