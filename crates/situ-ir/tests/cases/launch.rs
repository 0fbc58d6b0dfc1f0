//! The directive `run`: interprets a kernel and says what it left in memory, or its fault.
//!
//! ```text
//! // run: kernel over 8/4: x = 1 2 3 4; scale = 2.5; tile = 16 bytes
//! ```
//!
//! The range is `over` its sizes, for example `2x3`, and after a slash those of a work-group. Parameters
//! come by name: the elements of a buffer, a scalar, or the size of local memory. Complex numbers
//! are written `real:imaginary`. Sub-groups have 4 work-items.

use situ_ir::interpret::{Argument, Error, Options, interpret};
use situ_ir::{AddressSpace, DType, DTypeKind, Function, Literal, NdRange, Type, ValidModule};

const OPTIONS: Options = Options {
    sub_group_size: 4,
    local_size: 64,
    step_limit: Some(1000),
    checks: true,
    must_stop: None,
};

/// What the directive's answer is.
pub(crate) fn run(module: &ValidModule, arguments: &str) -> String {
    let (launch, assignments) = arguments.split_once(':').unwrap_or((arguments, ""));
    let (kernel, range) = launch.split_once(" over ").expect("`kernel over sizes`");
    let (_, function) = module.function(kernel).expect("the module has the kernel");
    let assignments: Vec<_> = assignments
        .split(';')
        .filter_map(|assignment| assignment.split_once('='))
        .map(|(name, content)| (name.trim(), content.trim()))
        .collect();
    let mut memory = Launch::default();
    for parameter in &function.parameters {
        let content = assignments
            .iter()
            .find(|(name, _)| *name == parameter.name)
            .unwrap_or_else(|| panic!("`{}` has a value", parameter.name))
            .1;
        memory.add(parameter.ty, content);
    }
    let mut buffers: Vec<&mut [u8]> = memory.buffers.iter_mut().map(Vec::as_mut_slice).collect();
    let range = parse_range(range);
    match interpret(
        module,
        kernel,
        &range,
        &memory.arguments,
        &mut buffers,
        &OPTIONS,
    ) {
        Ok(()) => memory.describe(function),
        Err(Error::Fault(fault)) => fault.to_string(),
        Err(error) => error.to_string(),
    }
}

/// Arguments and memory of a launch.
#[derive(Default)]
struct Launch {
    arguments: Vec<Argument>,
    buffers: Vec<Vec<u8>>,
}

impl Launch {
    fn add(&mut self, ty: Type, content: &str) {
        let argument = match ty {
            Type::Scalar(dtype) => Argument::Scalar(parse_number(dtype, content)),
            Type::Pointer {
                space: AddressSpace::Local,
                ..
            } => {
                let size = content.strip_suffix("bytes").expect("`size bytes`").trim();
                let size_bytes = size.parse().expect("a number of bytes");
                Argument::Local { size_bytes }
            }
            Type::Pointer { element, .. } => {
                let mut bytes = Vec::new();
                for word in content.split_whitespace() {
                    let start = bytes.len();
                    bytes.resize(start + element.size_bytes(), 0);
                    parse_number(element, word).write_bytes(&mut bytes[start..]);
                }
                self.buffers.push(bytes);
                Argument::Pointer {
                    buffer: self.buffers.len() - 1,
                    offset_bytes: 0,
                }
            }
        };
        self.arguments.push(argument);
    }

    /// The content of every buffer, a line each.
    fn describe(&self, function: &Function) -> String {
        let mut lines = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(&self.arguments) {
            let (Argument::Pointer { buffer, .. }, Type::Pointer { element, .. }) =
                (argument, parameter.ty)
            else {
                continue;
            };
            let elements = self.buffers[*buffer].chunks_exact(element.size_bytes());
            let numbers: Vec<_> = elements
                .map(|bytes| print_number(Literal::from_bytes(element, bytes)))
                .collect();
            lines.push(format!("{} = {}", parameter.name, numbers.join(" ")));
        }
        lines.join("\n")
    }
}

fn parse_range(text: &str) -> NdRange {
    let sizes = |text: &str| -> Vec<u64> {
        let sizes = text.trim().split('x');
        sizes.map(|size| size.parse().expect("a size")).collect()
    };
    let range = match text.split_once('/') {
        Some((global, local)) => NdRange::with_local(&sizes(global), &sizes(local)),
        None => NdRange::new(&sizes(text)),
    };
    range.expect("a range")
}

fn parse_number(dtype: DType, word: &str) -> Literal {
    match dtype.kind() {
        DTypeKind::Bool => Literal::Bool(word.parse().expect("`true` or `false`")),
        DTypeKind::Signed | DTypeKind::Unsigned => {
            let number: i128 = word.parse().expect("an integer");
            Literal::from_bits(dtype, number as u128)
        }
        DTypeKind::Float => Literal::from_f64(dtype, word.parse().expect("a float")),
        DTypeKind::Complex => {
            let (real, imaginary) = word.split_once(':').expect("`real:imaginary`");
            let part = dtype.real();
            let bits = |word| parse_number(part, word).to_bits();
            Literal::from_bits(dtype, bits(real) | (bits(imaginary) << part.bits()))
        }
    }
}

fn print_number(number: Option<Literal>) -> String {
    match number.expect("the bytes of an element") {
        Literal::Bool(value) => value.to_string(),
        Literal::I8(value) => value.to_string(),
        Literal::I16(value) => value.to_string(),
        Literal::I32(value) => value.to_string(),
        Literal::I64(value) => value.to_string(),
        Literal::U8(value) => value.to_string(),
        Literal::U16(value) => value.to_string(),
        Literal::U32(value) => value.to_string(),
        Literal::U64(value) => value.to_string(),
        Literal::F16(value) => format!("{:?}", value.to_f32()),
        Literal::F32(value) => format!("{value:?}"),
        Literal::F64(value) => format!("{value:?}"),
        Literal::C64(value) => format!("{:?}:{:?}", value.re, value.im),
        Literal::C128(value) => format!("{:?}:{:?}", value.re, value.im),
    }
}
