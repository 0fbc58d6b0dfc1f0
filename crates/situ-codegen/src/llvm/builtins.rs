//! Mathematical functions.
//!
//! What IEEE 754 defines exactly becomes an LLVM intrinsic or an exact function of the C library.
//! The others come from the C library, or from its vector library where that has them.
//!
//! A vectorised loop has a remainder that runs one element at a time, and vector and scalar
//! functions differ in the last bits. So that a result depends neither on the length of the loop
//! nor on how the launch was cut into chunks, scalar code calls a function of ours that fills a
//! vector with the argument, calls the vector function and takes the first element. This function
//! is what names the vector function to LLVM's vectoriser, and it is not inlined, so that the
//! vectoriser sees it. There is one width of vectors for each element type; where the loop has half
//! as many elements in flight (because it also handles wider types), a second function of ours
//! fills the vector up, so that the same function computes every result.

use std::fmt::Write as _;

use situ_ir::{DType, MathFunction};

use super::code::Code;
use super::library::{Library, PURE};
use super::target::VectorIsa;
use super::types::{intrinsic_suffix, scalar_type};
use super::writer::Operand;
use crate::target::MathMode;

/// The result of a mathematical function; `None` for those that lowering removes.
pub(super) fn math(
    code: &mut Code<'_, '_>,
    function: MathFunction,
    dtype: DType,
    arguments: &[&Operand],
) -> Option<Operand> {
    use MathFunction as Function;
    let intrinsic = |code: &mut Code<'_, '_>, name: &str| {
        let name = format!("llvm.{name}.{}", intrinsic_suffix(dtype));
        Some(code.intrinsic(&name, scalar_type(dtype), arguments))
    };
    match function {
        Function::Sqrt
        | Function::Floor
        | Function::Ceil
        | Function::Trunc
        | Function::Rint
        | Function::Copysign
        | Function::Fma => intrinsic(code, function.name()),
        Function::Fmin => Some(number_extremum(code, "ole", dtype, arguments)),
        Function::Fmax => Some(number_extremum(code, "oge", dtype, arguments)),
        Function::Rsqrt => None,
        _ => Some(call(code, function.name(), dtype, arguments)),
    }
}

/// `x` to the power `y`.
pub(super) fn power(code: &mut Code<'_, '_>, dtype: DType, x: &Operand, y: &Operand) -> Operand {
    call(code, "pow", dtype, &[x, y])
}

/// `x` if it compares so with `y` or `y` is NaN, else `y`.
fn number_extremum(
    code: &mut Code<'_, '_>,
    comparison: &str,
    dtype: DType,
    arguments: &[&Operand],
) -> Operand {
    let ty = scalar_type(dtype);
    let (x, y) = (arguments[0], arguments[1]);
    let compares = code.binary(&format!("fcmp {comparison} {ty}"), x, y);
    let is_nan = code.instruction(format_args!("fcmp uno {ty} {y}, {y}"));
    let take_x = code.binary("or i1", &compares, &is_nan);
    code.select(ty, &take_x, x, y)
}

/// Calls a function of the C library or what stands for it.
fn call(code: &mut Code<'_, '_>, name: &str, dtype: DType, arguments: &[&Operand]) -> Operand {
    let callee = callee(code.library, name, dtype, arguments.len());
    let ty = scalar_type(dtype);
    code.call(callee, ty, ty, arguments)
}

/// The name of the function to call, which is declared or defined if it is not yet.
fn callee(library: &mut Library<'_>, name: &str, dtype: DType, arity: usize) -> String {
    let suffix = if dtype == DType::F32 { "f" } else { "" };
    let scalar = format!("{name}{suffix}");
    let vector = VectorFunction::new(library.options.vector_isa, &scalar, dtype, arity);
    let is_fast = library.options.math == MathMode::Fast;
    if is_fast && library.options.vector_functions.contains(&vector.symbol) {
        return vector.define(library, &format!("situ.{name}.{}", dtype.short_name()));
    }
    let ty = scalar_type(dtype);
    library.import(&scalar, ty, &vec![ty; arity].join(", "));
    scalar
}

/// A function of the vector mathematics library.
struct VectorFunction {
    symbol: String,
    dtype: DType,
    arity: usize,
    lanes: usize,
}

impl VectorFunction {
    /// The function that computes `scalar` for the elements of one vector register, by the naming
    /// rules of the vector function ABI.
    fn new(isa: VectorIsa, scalar: &str, dtype: DType, arity: usize) -> Self {
        let (letter, bytes) = match isa {
            VectorIsa::Sse2 => ('b', 16),
            VectorIsa::Avx2 => ('d', 32),
            VectorIsa::Avx512 => ('e', 64),
        };
        let lanes = bytes / dtype.size_bytes();
        let parameters = "v".repeat(arity);
        Self {
            symbol: format!("_ZGV{letter}N{lanes}{parameters}_{scalar}"),
            dtype,
            arity,
            lanes,
        }
    }

    /// Writes the function `name` that scalar code calls, unless it is there.
    fn define(&self, library: &mut Library<'_>, name: &str) -> String {
        if library.defines(name) {
            return name.to_owned();
        }
        let vector = self.vector(self.lanes);
        library.import(
            &self.symbol,
            &vector,
            &vec![&*vector; self.arity].join(", "),
        );
        library.keep(&self.symbol);
        let parameters = "v".repeat(self.arity);
        let variant =
            |lanes: usize, symbol: &str| format!("_ZGV_LLVM_N{lanes}{parameters}_{name}({symbol})");
        let mut variants = vec![variant(self.lanes, &self.symbol)];
        if self.dtype == DType::F32 {
            let half = self.lanes / 2;
            let symbol = format!("{name}.x{half}");
            library.define(&symbol, self.half_vector_text(&symbol));
            library.keep(&symbol);
            variants.push(variant(half, &symbol));
        }
        library.define(name, self.scalar_text(name, &variants.join(",")));
        name.to_owned()
    }

    fn vector(&self, lanes: usize) -> String {
        format!("<{lanes} x {}>", scalar_type(self.dtype))
    }

    /// Fills vectors with the arguments and takes the first element of the result.
    fn scalar_text(&self, name: &str, variants: &str) -> String {
        let (ty, vector, lanes) = (scalar_type(self.dtype), self.vector(self.lanes), self.lanes);
        let mut body = String::new();
        for x in 0..self.arity {
            let _ = write!(
                body,
                "  %first{x} = insertelement {vector} poison, {ty} %x{x}, i64 0\n  \
                 %all{x} = shufflevector {vector} %first{x}, {vector} poison, \
                 <{lanes} x i32> zeroinitializer\n"
            );
        }
        let parameters = self.list(ty, "x");
        let arguments = self.list(&vector, "all");
        format!(
            "define internal {ty} @{name}({parameters}) noinline speculatable {PURE} \
             \"vector-function-abi-variant\"=\"{variants}\" {{\n{body}  \
             %results = call {vector} @{symbol}({arguments})\n  \
             %result = extractelement {vector} %results, i64 0\n  \
             ret {ty} %result\n}}\n",
            symbol = self.symbol
        )
    }

    /// Takes vectors of half the width, repeats their elements and takes the first half of the
    /// result.
    fn half_vector_text(&self, name: &str) -> String {
        let half = self.lanes / 2;
        let (narrow, wide) = (self.vector(half), self.vector(self.lanes));
        let indices = |count: usize| {
            let indices: Vec<_> = (0..count)
                .map(|lane| format!("i32 {}", lane % half))
                .collect();
            indices.join(", ")
        };
        let mut body = String::new();
        for x in 0..self.arity {
            let _ = writeln!(
                body,
                "  %all{x} = shufflevector {narrow} %x{x}, {narrow} poison, <{} x i32> <{}>",
                self.lanes,
                indices(self.lanes)
            );
        }
        let parameters = self.list(&narrow, "x");
        let arguments = self.list(&wide, "all");
        format!(
            "define internal {narrow} @{name}({parameters}) {PURE} {{\n{body}  \
             %results = call {wide} @{symbol}({arguments})\n  \
             %result = shufflevector {wide} %results, {wide} poison, <{half} x i32> <{}>\n  \
             ret {narrow} %result\n}}\n",
            indices(half),
            symbol = self.symbol
        )
    }

    fn list(&self, ty: &str, stem: &str) -> String {
        let items: Vec<_> = (0..self.arity)
            .map(|x| format!("{ty} %{stem}{x}"))
            .collect();
        items.join(", ")
    }
}
