//! Reads the Python files under `tests/cases` and compiles what is in them.
//!
//! A case is a Python file with one `@situ.kernel` and any number of `@situ.device_func`. Comments say
//! what a launch and the interpreter would know:
//!
//! ```text
//! # types: float64[:], float32[:, :] strided, int64     one for each parameter; also `local float64[:]`,
//!                                                       `Item[1]` and `NdItem[2]`
//! # constant: N = 4                                     also floats, bools, complex, tuples, float32(4)
//! # unsupported: names = a list                         a global that kernels cannot use
//! ```

#![allow(
    dead_code,
    reason = "each test binary uses its own part of the harness"
)]

use std::path::{Path, PathBuf};

use situ_frontend::{
    ArgumentType, Binding, Bindings, Compiled, Constant, DeviceFunction, Environment, Error,
    ItemType, KnownModule, Layout, Options, specialize,
};
use situ_ir::{DType, Literal, Source};

/// A kernel, its argument types and what is around it.
pub(crate) struct Case {
    pub(crate) source: Source,
    pub(crate) kernel: String,
    pub(crate) types: Vec<ArgumentType>,
    pub(crate) environment: Environment,
}

impl Case {
    /// Reads a case from Python text.
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let source = Source::new(name, text);
        let directive = |word: &'static str| {
            text.lines()
                .filter_map(move |line| line.strip_prefix(&format!("# {word}: ")))
        };
        let types = directive("types")
            .flat_map(split_types)
            .map(|ty| parse_type(&ty))
            .collect();
        let mut bindings = Bindings::new();
        for (name, module) in [
            ("math", KnownModule::Math),
            ("cmath", KnownModule::Cmath),
            ("np", KnownModule::NumPy),
            ("numpy", KnownModule::NumPy),
            ("situ", KnownModule::Situ),
            ("kernel_api", KnownModule::SituKernelApi),
        ] {
            bindings.insert(name.to_owned(), Binding::Module(module));
        }
        for line in directive("constant") {
            let (name, value) = line.split_once(" = ").expect("`name = value`");
            bindings.insert(name.to_owned(), parse_binding(value.trim()));
        }
        for line in directive("unsupported") {
            let (name, description) = line.split_once(" = ").expect("`name = description`");
            let description = description.to_owned();
            bindings.insert(name.to_owned(), Binding::Unsupported { description });
        }
        let names = decorated(text, "@situ.device_func");
        for (index, name) in names.iter().enumerate() {
            bindings.insert(name.clone(), Binding::DeviceFunction(index));
        }
        let functions = names
            .into_iter()
            .map(|name| DeviceFunction {
                source: source.clone(),
                bindings: bindings.clone(),
                defaults: directive("default")
                    .filter_map(|line| line.split_once(" = "))
                    .filter(|(function, _)| *function == name)
                    .map(|(_, value)| parse_binding(value.trim()))
                    .collect(),
                name,
            })
            .collect();
        let kernel = decorated(text, "@situ.kernel")
            .pop()
            .unwrap_or_else(|| "kernel".to_owned());
        Self {
            source,
            kernel,
            types,
            environment: Environment {
                bindings,
                functions,
                ..Environment::default()
            },
        }
    }

    /// Compiles the kernel.
    pub(crate) fn compile(&self) -> Result<Compiled, Error> {
        let dims = self.types.iter().find_map(|ty| match ty {
            ArgumentType::Item(item) => Some(item.dims),
            _ => None,
        });
        let options = Options {
            dims,
            ..Options::default()
        };
        specialize(
            &self.source,
            &self.kernel,
            &self.types,
            &self.environment,
            options,
        )
    }
}

/// The cases of a folder, by name.
pub(crate) fn cases(folder: &str) -> Vec<(String, Case)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(folder);
    let entries = std::fs::read_dir(&root).expect("the folder of cases exists");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable entry").path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path
                .file_stem()
                .expect("a file has a name")
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(&path).expect("a readable case");
            let case = Case::new(&format!("{name}.py"), &text);
            (name, case)
        })
        .collect()
}

/// Names of the functions under a decorator.
fn decorated(text: &str, decorator: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_wanted = false;
    for line in text.lines() {
        let line = line.trim();
        if line == decorator {
            is_wanted = true;
        } else if let Some(rest) = line
            .strip_prefix("def ")
            .or(line.strip_prefix("async def "))
        {
            let name = rest.split(['(', '[']).next().unwrap_or(rest);
            if std::mem::take(&mut is_wanted) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn split_types(line: &str) -> Vec<String> {
    let mut types = vec![String::new()];
    let mut depth = 0;
    for character in line.chars() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                types.push(String::new());
                continue;
            }
            _ => {}
        }
        types.last_mut().expect("never empty").push(character);
    }
    types
        .into_iter()
        .map(|ty| ty.trim().to_owned())
        .filter(|ty| !ty.is_empty())
        .collect()
}

fn parse_type(text: &str) -> ArgumentType {
    let dtype = |name: &str| DType::from_name(name).unwrap_or_else(|| panic!("no dtype {name}"));
    let Some((name, rest)) = text.split_once('[') else {
        return ArgumentType::Scalar(dtype(text));
    };
    let (axes, layout) = rest.split_once(']').expect("closed bracket");
    if let "Item" | "NdItem" = name {
        return ArgumentType::Item(ItemType {
            dims: axes.parse().expect("a number of dimensions"),
            has_groups: name == "NdItem",
        });
    }
    if let Some(name) = name.strip_prefix("local ") {
        return ArgumentType::Local {
            dtype: dtype(name),
            ndim: axes.matches(':').count(),
        };
    }
    ArgumentType::Array {
        dtype: dtype(name),
        ndim: axes.matches(':').count(),
        layout: match layout.trim() {
            "strided" => Layout::Strided,
            _ => Layout::Contiguous,
        },
    }
}

fn parse_binding(text: &str) -> Binding {
    if let Some(items) = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        return Binding::Tuple(
            items
                .split(',')
                .map(|item| parse_binding(item.trim()))
                .collect(),
        );
    }
    if let Some((name, rest)) = text.split_once('(') {
        let dtype = DType::from_name(name).expect("a dtype");
        let value = rest.trim_end_matches(')').parse().expect("a number");
        return Binding::Scalar(Literal::from_f64(dtype, value));
    }
    if let Some(dtype) = text.strip_prefix("dtype ") {
        return Binding::DType(DType::from_name(dtype).expect("a dtype"));
    }
    if let Some((module, function)) = text.split_once('.')
        && let Some(module) = KnownModule::from_name(module)
    {
        return Binding::Function(module, function.to_owned());
    }
    Binding::Constant(match text {
        "True" => Constant::Bool(true),
        "False" => Constant::Bool(false),
        text if text.ends_with('j') => {
            Constant::Complex(0.0, text.trim_end_matches('j').parse().expect("a number"))
        }
        text => match text.parse::<i128>() {
            Ok(int) => Constant::Int(int),
            Err(_) => Constant::Float(text.parse().expect("a number")),
        },
    })
}
