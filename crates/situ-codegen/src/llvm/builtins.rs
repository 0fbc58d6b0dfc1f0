//! Mathematical functions.
//!
//! What IEEE 754 defines exactly becomes an LLVM intrinsic or an exact function of the C library.
//! Some of the others are written out in `math`; the rest comes from the C library, or from its
//! vector library where that has them.
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
use super::math::Elementary;
use super::target::{TargetOptions, VectorIsa};
use super::types::{LaneType, scalar_type};
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
        let name = format!("llvm.{name}.{}", code.suffix(dtype));
        Some(code.intrinsic(&name, code.ty(dtype), arguments))
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
    let (ty, bits) = (code.ty(dtype), code.ty(DType::Bool));
    let (x, y) = (arguments[0], arguments[1]);
    let compares = code.binary(&format!("fcmp {comparison} {ty}"), x, y);
    let is_nan = code.instruction(format_args!("fcmp uno {ty} {y}, {y}"));
    let take_x = code.binary(&format!("or {bits}"), &compares, &is_nan);
    code.select(ty, &take_x, x, y)
}

/// Calls a function of the C library or what stands for it.
fn call(code: &mut Code<'_, '_>, name: &str, dtype: DType, arguments: &[&Operand]) -> Operand {
    let (arity, ty) = (arguments.len(), scalar_type(dtype));
    if let Some(function) = Elementary::find(code.library.options, name, dtype) {
        return function.call(code, arguments);
    }
    let Some(vector) = VectorFunction::find(code.library.options, name, dtype, arity) else {
        let symbol = c_name(name, dtype);
        code.library
            .import(&symbol, ty, &vec![ty; arity].join(", "));
        return code.call_in_each_lane(&symbol, dtype, dtype, arguments);
    };
    if code.lanes() == 1 {
        let name = format!("situ.{name}.{}", dtype.short_name());
        let callee = vector.define(code.library, &name);
        return code.call(callee, ty, ty, arguments);
    }
    vector.call(code, arguments)
}

/// Whether vectors of numbers are computed by a vector function, not one by one.
pub(super) fn has_vector_function(
    options: &TargetOptions,
    name: &str,
    dtype: DType,
    arity: usize,
) -> bool {
    Elementary::find(options, name, dtype).is_some()
        || VectorFunction::find(options, name, dtype, arity).is_some()
}

/// The C library's name of a function for a dtype.
fn c_name(name: &str, dtype: DType) -> String {
    let suffix = if dtype == DType::F32 { "f" } else { "" };
    format!("{name}{suffix}")
}

/// The indices of a shuffle.
fn index_list(indices: impl Iterator<Item = usize>) -> String {
    let indices: Vec<_> = indices.map(|index| format!("i32 {index}")).collect();
    indices.join(", ")
}

/// A function of the vector mathematics library, or one like it.
struct VectorFunction {
    symbol: String,
    dtype: DType,
    arity: usize,
    lanes: usize,
    /// What it is, if it is written here.
    written: Option<Elementary>,
}

impl VectorFunction {
    /// The vector function to call for a function of the C library, named without the `f` of its
    /// `f32` form.
    fn find(options: &TargetOptions, name: &str, dtype: DType, arity: usize) -> Option<Self> {
        if let Some(function) = Elementary::of_registers(options, name, dtype) {
            let lanes = options.vector_isa.vector_bytes() / dtype.size_bytes();
            return Some(Self {
                symbol: function.symbol(lanes as u32),
                dtype,
                arity,
                lanes,
                written: Some(function),
            });
        }
        let vector = Self::new(options.vector_isa, &c_name(name, dtype), dtype, arity);
        let is_there = options.vector_functions.contains(&vector.symbol);
        (is_there && options.math == MathMode::Fast).then_some(vector)
    }

    /// Calls it for vectors of any length: shorter ones are filled up, longer ones are cut.
    fn call(&self, code: &mut Code<'_, '_>, arguments: &[&Operand]) -> Operand {
        let vector = self.vector(self.lanes);
        self.import(code.library);
        let lanes = code.lanes() as usize;
        if lanes == self.lanes {
            return code.call(&self.symbol, &vector, &vector, arguments);
        }
        let whole = self.vector(lanes);
        let mut parts = Vec::new();
        for first in (0..lanes).step_by(self.lanes) {
            // Lanes are repeated where there are too few of them.
            let taken = (0..self.lanes).map(|lane| first + lane % lanes);
            let indices = index_list(taken);
            let cut: Vec<_> = arguments
                .iter()
                .map(|x| {
                    code.instruction(format_args!(
                        "shufflevector {whole} {x}, {whole} poison, <{} x i32> <{indices}>",
                        self.lanes
                    ))
                })
                .collect();
            let cut: Vec<_> = cut.iter().collect();
            parts.push(code.call(&self.symbol, &vector, &vector, &cut));
        }
        self.join(code, parts, lanes)
    }

    /// The first `lanes` elements of some vectors put behind each other.
    fn join(&self, code: &mut Code<'_, '_>, mut parts: Vec<Operand>, lanes: usize) -> Operand {
        let mut length = self.lanes;
        if lanes < length {
            let (part, whole) = (&parts[0], self.vector(length));
            return code.instruction(format_args!(
                "shufflevector {whole} {part}, {whole} poison, <{lanes} x i32> <{}>",
                index_list(0..lanes)
            ));
        }
        while parts.len() > 1 {
            let ty = self.vector(length);
            length *= 2;
            let indices = index_list(0..length);
            parts = parts
                .chunks(2)
                .map(|pair| {
                    code.instruction(format_args!(
                        "shufflevector {ty} {}, {ty} {}, <{length} x i32> <{indices}>",
                        pair[0], pair[1]
                    ))
                })
                .collect();
        }
        parts.remove(0)
    }

    fn import(&self, library: &mut Library<'_>) {
        if let Some(function) = self.written {
            let ty = LaneType {
                scalar: scalar_type(self.dtype),
                lanes: self.lanes as u32,
            };
            return function.define(library, ty);
        }
        let vector = self.vector(self.lanes);
        let parameters = vec![&*vector; self.arity].join(", ");
        library.import(&self.symbol, &vector, &parameters);
    }

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
            written: None,
        }
    }

    /// Writes the function `name` that scalar code calls, unless it is there.
    fn define(&self, library: &mut Library<'_>, name: &str) -> String {
        if library.defines(name) {
            return name.to_owned();
        }
        self.import(library);
        library.keep(&self.symbol);
        let parameters = "v".repeat(self.arity);
        let variant =
            |lanes: usize, symbol: &str| format!("_ZGV_LLVM_N{lanes}{parameters}_{name}({symbol})");
        let mut variants = vec![variant(self.lanes, &self.symbol)];
        if let Some(function) = self.written
            && let Some(lanes) = function.work_items(library.options)
        {
            let ty = LaneType {
                scalar: scalar_type(self.dtype),
                lanes: u32::from(lanes),
            };
            function.define(library, ty);
            let symbol = function.symbol(ty.lanes);
            library.keep(&symbol);
            variants.push(variant(usize::from(lanes), &symbol));
        }
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
        let indices = |count: usize| index_list((0..count).map(|lane| lane % half));
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
