//! Runs the `.sir` files of this folder; `case_file` describes them.
//!
//! Every case is parsed, printed and parsed again, which must give the same text, and is validated.
//! What the runner says of a case is the rendered diagnostics, then the answers to its directives:
//!
//! * `// canonical:` says nothing, and fails unless the case is written exactly as it is printed;
//! * `// info:` says what validation learnt about each function;
//! * `// lower:` prints the lowered module;
//! * `// run:` says what a kernel leaves in memory, or its fault; `launch` describes it.

mod case_file;
mod codes;
mod launch;
mod robustness;

use std::fmt::Write as _;

use case_file::{Case, Directive};
use situ_ir::transform::lower;
use situ_ir::{Function, FunctionInfo, Module, Source, ValidModule, text, validate};

#[test]
fn every_case_is_as_expected() {
    let files = case_file::files();
    assert!(!files.is_empty());
    for file in files {
        case_file::check(&file, run);
    }
}

/// What there is to say about a case.
fn run(case: &Case) -> String {
    let source = Source::new(&case.file, &case.text).starting_at_line(case.first_line);
    let module = match text::parse(source) {
        Ok(module) => module,
        Err(diagnostics) => return diagnostics.to_string(),
    };
    let printed = check_round_trip(case, &module);
    let module = match validate(module) {
        Ok(module) => module,
        Err(diagnostics) => return diagnostics.to_string(),
    };
    let answers: Vec<_> = case
        .directives()
        .iter()
        .map(|directive| obey(case, directive, &module, &printed))
        .filter(|answer| !answer.is_empty())
        .collect();
    answers.join("\n")
}

/// Prints a module, parses that and prints again; both texts must be the same.
fn check_round_trip(case: &Case, module: &Module) -> String {
    let printed = text::print(module);
    let again = match text::parse(Source::new("printed", &printed)) {
        Ok(module) => text::print(&module),
        Err(diagnostics) => panic!("{}: {}\n{diagnostics}", case.file, case.title),
    };
    assert_eq!(printed, again, "{}: {}", case.file, case.title);
    printed
}

fn obey(case: &Case, directive: &Directive, module: &ValidModule, printed: &str) -> String {
    let arguments = &directive.arguments;
    match directive.name.as_str() {
        "canonical" | "info" | "lower" if !arguments.is_empty() => {
            panic!("{}: `{}` takes no arguments", case.file, directive.name)
        }
        "canonical" => {
            let lines = case.text.lines().filter(|line| !line.starts_with("//"));
            let written: Vec<_> = lines.collect();
            assert_eq!(
                written.join("\n").trim(),
                printed.trim(),
                "{}: {}",
                case.file,
                case.title
            );
            String::new()
        }
        "info" => {
            let described = module
                .functions
                .iter()
                .map(|(handle, function)| describe(function, module.info(handle)));
            described.collect::<Vec<_>>().join("\n")
        }
        "lower" => match lower(module) {
            Ok(lowered) => text::print(&lowered),
            Err(error) => panic!("{}: {}\n{error}", case.file, case.title),
        },
        "run" => launch::run(module, arguments),
        other => panic!("{}: nothing obeys `{other}`", case.file),
    }
}

/// What validation learnt about a function.
fn describe(function: &Function, info: &FunctionInfo) -> String {
    let mut text = function.name.clone();
    let facts = [
        (info.synchronises, "synchronises"),
        (info.needs_groups, "needs groups"),
        (info.needs_sub_groups, "needs sub-groups"),
        (info.has_atomics, "has atomics"),
    ];
    for (holds, fact) in facts {
        if holds {
            let _ = write!(text, ", {fact}");
        }
    }
    for (parameter, access) in function.parameters.iter().zip(&info.parameter_access) {
        let how = match (access.reads, access.writes) {
            (true, true) => "read and written",
            (true, false) => "read",
            (false, true) => "written",
            (false, false) => continue,
        };
        let _ = write!(text, "\n  {} is {how}", parameter.name);
    }
    let values = function.values.iter();
    let uniform_values = values.map(|(handle, value)| (&value.name, info.is_uniform_value(handle)));
    let variables = function.variables.iter();
    let uniform_variables =
        variables.map(|(handle, variable)| (&variable.name, info.is_uniform_variable(handle)));
    for (name, uniform) in uniform_values.chain(uniform_variables) {
        let how = if uniform { "uniform" } else { "varying" };
        let _ = write!(text, "\n  {name} is {how}");
    }
    text
}
