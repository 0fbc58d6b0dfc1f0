//! The emitter's snapshot cases, with arguments to run them.
//!
//! Comments at the top of a case say how: `launch: 4 12 / 2 6` gives the range and the work-group (a
//! kernel of fewer dimensions takes the last ones), `local: 64` the bytes of each launch-sized local
//! area. Every global pointer gets memory of its own, full of numbers that break things.

use std::fs;
use std::path::PathBuf;

use situ_ir::arbitrary::{Buffer, Case, Exactness, Flavour};
use situ_ir::interpret::Argument;
use situ_ir::{
    AddressSpace, DType, Expression, Function, FunctionKind, Literal, NdRange, Source, Type,
    ValidModule, text, validate,
};

/// Elements of each buffer.
const ELEMENTS: usize = 1200;

/// One case for each kernel of each file.
pub(crate) fn snapshot_cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../situ-codegen/tests/cases");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("the cases are there")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    paths.sort();
    paths.iter().flat_map(cases_of).collect()
}

/// None if the file says `launch: never`, because its kernels do not bear any numbers whatever.
fn cases_of(path: &PathBuf) -> Vec<Case> {
    let text = fs::read_to_string(path).expect("the case can be read");
    if note(&text, "launch") == Some("never") {
        return Vec::new();
    }
    let source = Source::new(path.display().to_string(), text.as_str());
    let module = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let module = validate(module).unwrap_or_else(|error| panic!("{error}"));
    module
        .kernels()
        .map(|(_, kernel)| case(&module, kernel, &text))
        .collect()
}

/// What stands after `word:` in the comments of a case.
fn note<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let start = format!("// {word}: ");
    text.lines().find_map(|line| line.strip_prefix(&start))
}

fn numbers(list: &str) -> Vec<u64> {
    let words = list.split_whitespace();
    words.map(|word| word.parse().expect("a number")).collect()
}

fn range(text: &str, dims: usize) -> NdRange {
    let note = note(text, "launch").expect("a case says how to launch it");
    let last = |list: &str| {
        let numbers = numbers(list);
        numbers[numbers.len() - dims..].to_vec()
    };
    match note.split_once('/') {
        Some((global, local)) => NdRange::with_local(&last(global), &last(local)),
        None => NdRange::new(&last(note)),
    }
    .expect("a legal range")
}

fn case(module: &ValidModule, kernel: &Function, text: &str) -> Case {
    let FunctionKind::Kernel { dims } = kernel.kind else {
        unreachable!("only kernels are asked for")
    };
    let is_approximate = uses_inexact_functions(module);
    let mut numbers = Numbers { state: 1 };
    let mut buffers = Vec::new();
    let mut arguments = Vec::new();
    for parameter in &kernel.parameters {
        arguments.push(match parameter.ty {
            Type::Scalar(dtype) => Argument::Scalar(numbers.next(dtype)),
            Type::Pointer {
                space: AddressSpace::Local,
                ..
            } => {
                let size = note(text, "local").expect("a case says how much local memory it wants");
                Argument::Local {
                    size_bytes: size.parse().expect("a number"),
                }
            }
            Type::Pointer { element, .. } => {
                buffers.push(Buffer {
                    dtype: element,
                    bytes: numbers.fill(element),
                    exactness: if is_approximate {
                        Exactness::Ulps(5)
                    } else {
                        Exactness::Exact
                    },
                });
                Argument::Pointer {
                    buffer: buffers.len() - 1,
                    offset_bytes: 0,
                }
            }
        });
    }
    Case {
        seed: 0,
        flavour: if is_approximate {
            Flavour::Approximate
        } else {
            Flavour::Exact
        },
        module: module.clone(),
        kernel: kernel.name.clone(),
        range: range(text, usize::from(dims)),
        arguments,
        buffers,
        uses_sub_groups: true,
    }
}

fn uses_inexact_functions(module: &ValidModule) -> bool {
    let functions = module.functions.iter();
    functions
        .flat_map(|(_, function)| function.expressions.iter())
        .any(|(_, expression)| match expression {
            Expression::Math { function, .. } => !function.is_exact(),
            _ => false,
        })
}

/// Numbers that look random, many of them extreme.
struct Numbers {
    state: u64,
}

impl Numbers {
    fn bits(&mut self) -> u64 {
        // Knuth's multiplier; the high bits are the good ones.
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.state ^ (self.state >> 32)
    }

    fn next(&mut self, dtype: DType) -> Literal {
        let bits = self.bits();
        let choice = bits % 16;
        let wide = u128::from(self.bits()) << 64 | u128::from(self.bits());
        let small = (self.bits() % 200) as f64 / 8.0 - 10.0;
        match choice {
            0 => Literal::zero(dtype),
            1 => Literal::from_f64(dtype, f64::INFINITY),
            2 => Literal::from_f64(dtype, f64::NEG_INFINITY),
            3 => Literal::from_f64(dtype, f64::NAN),
            4 => Literal::from_f64(dtype, -1.0),
            5 => Literal::from_bits(dtype, 1),
            6..=8 => Literal::from_bits(dtype, wide),
            9 => Literal::from_f64(dtype, -0.0),
            _ => Literal::from_f64(dtype, small),
        }
    }

    fn fill(&mut self, dtype: DType) -> Vec<u8> {
        let size = dtype.size_bytes();
        let mut bytes = vec![0; ELEMENTS * size];
        for element in bytes.chunks_mut(size) {
            if dtype.is_bool() {
                // Any byte but 0 is true.
                element[0] = [0, 1, 2, 255][self.bits() as usize % 4];
            } else {
                self.next(dtype).write_bytes(element);
            }
        }
        bytes
    }
}
