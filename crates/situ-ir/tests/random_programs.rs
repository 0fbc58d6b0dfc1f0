//! Random programs: they are valid, run without faults, and mean the same after printing and parsing
//! and after lowering.

use std::collections::HashSet;

use situ_ir::arbitrary::{Case, Flavour, generate};
use situ_ir::interpret::{Argument, Interpreter, Options};
use situ_ir::transform::{LoweredParameter, lower};
use situ_ir::{DType, Expression, Literal, Source, StatementKind, ValidModule, text, validate};

/// Programs of each flavour.
const SEEDS: u64 = 1000;

fn cases() -> impl Iterator<Item = Case> {
    let flavours = Flavour::ALL.into_iter();
    flavours.flat_map(|flavour| (0..SEEDS).map(move |seed| generate(seed, flavour)))
}

fn interpret(case: &Case, options: &Options) -> Vec<Vec<u8>> {
    match case.interpret(options) {
        Ok(contents) => contents,
        Err(error) => panic!("{error}\n{case}"),
    }
}

/// Runs another form of a case's kernel, which takes the given arguments.
fn interpret_form(case: &Case, module: &ValidModule, arguments: &[Argument]) -> Vec<Vec<u8>> {
    let mut contents = case.contents();
    let mut buffers: Vec<&mut [u8]> = contents.iter_mut().map(Vec::as_mut_slice).collect();
    let kernel = Interpreter::new(module, &case.kernel).expect("the kernel has kept its name");
    let result = kernel.run(&case.range, arguments, &mut buffers, &Options::default());
    if let Err(error) = result {
        panic!("{error}\n{case}\nbecame\n{}", text::print(module));
    }
    contents
}

#[test]
fn random_programs_run_without_faults_and_change_memory() {
    let mut unchanged = 0;
    for case in cases() {
        let contents = interpret(&case, &Options::default());
        unchanged += u64::from(contents == case.contents());
    }
    assert!(unchanged < SEEDS / 50, "{unchanged} programs do nothing");
}

#[test]
fn a_seed_gives_one_program() {
    for seed in 0..20 {
        let (first, second) = (
            generate(seed, Flavour::Exact),
            generate(seed, Flavour::Exact),
        );
        assert_eq!(first.to_string(), second.to_string());
        assert_eq!(first.contents(), second.contents());
    }
}

#[test]
fn results_depend_on_sub_groups_only_where_it_is_said() {
    let with_size = |sub_group_size| Options {
        sub_group_size,
        ..Options::default()
    };
    for case in cases().step_by(7) {
        let (small, large) = (
            interpret(&case, &with_size(1)),
            interpret(&case, &with_size(5)),
        );
        if !case.uses_sub_groups {
            assert_eq!(small, large, "{case}");
        }
    }
}

#[test]
fn groups_of_another_size_do_not_matter_where_none_are_given() {
    let with_size = |local_size| Options {
        local_size,
        ..Options::default()
    };
    for case in cases()
        .filter(|case| case.range.local().is_none())
        .step_by(3)
    {
        let (small, large) = (
            interpret(&case, &with_size(1)),
            interpret(&case, &with_size(4)),
        );
        assert_eq!(small, large, "{case}");
    }
}

#[test]
fn printed_and_parsed_programs_are_the_same() {
    for case in cases() {
        let printed = text::print(&case.module);
        let parsed = text::parse(Source::new("random.sir", printed.clone()))
            .unwrap_or_else(|problems| panic!("{problems}\n{case}"));
        assert_eq!(text::print(&parsed), printed);
        let parsed = validate(parsed).unwrap_or_else(|problems| panic!("{problems}\n{case}"));
        let expected = interpret(&case, &Options::default());
        assert_eq!(
            interpret_form(&case, &parsed, &case.arguments),
            expected,
            "{case}"
        );
    }
}

/// The arguments of a lowered kernel: complex scalars became two reals.
fn lowered_arguments(case: &Case, parameters: &[LoweredParameter]) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for (parameter, argument) in parameters.iter().zip(&case.arguments) {
        match (parameter, *argument) {
            (LoweredParameter::One(position), argument) => {
                arguments.push((*position, argument));
            }
            (LoweredParameter::Pair { real, imaginary }, Argument::Scalar(literal)) => {
                let (re, im) = match literal {
                    Literal::C64(z) => (Literal::F32(z.re), Literal::F32(z.im)),
                    Literal::C128(z) => (Literal::F64(z.re), Literal::F64(z.im)),
                    other => panic!("{other:?} is not complex"),
                };
                arguments.push((*real, Argument::Scalar(re)));
                arguments.push((*imaginary, Argument::Scalar(im)));
            }
            (pair, argument) => panic!("{argument:?} cannot become {pair:?}"),
        }
    }
    arguments.sort_by_key(|(position, _)| *position);
    arguments
        .into_iter()
        .map(|(_, argument)| argument)
        .collect()
}

#[test]
fn lowered_programs_compute_the_same() {
    let mut wrong = Vec::new();
    for case in cases() {
        let lowered = lower(&case.module).unwrap_or_else(|error| panic!("{error}\n{case}"));
        let (handle, _) = case.module.function(&case.kernel).unwrap();
        let original = lowered.lowered(handle);
        let arguments = lowered_arguments(&case, &original.parameters);
        let expected = interpret(&case, &Options::default());
        let found = interpret_form(&case, &lowered, &arguments);
        if let Err(mismatch) = case.compare(&expected, &found) {
            wrong.push(format!("{mismatch} ({:?})", case.flavour));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn shrinking_keeps_what_fails_and_leaves_out_the_rest() {
    let stores = |case: &Case| {
        let mut stores = 0;
        for (_, function) in case.module.kernels() {
            function.body.for_each_statement(&mut |statement| {
                stores += usize::from(matches!(statement.kind, StatementKind::Store { .. }));
            });
        }
        stores
    };
    let case = generate(3, Flavour::Exact);
    assert!(stores(&case) > 1);
    let small = case.shrink(&Options::default(), |case| stores(case) >= 1);
    let (_, kernel) = small.module.kernels().next().unwrap();
    let mut statements = 0;
    kernel.body.for_each_statement(&mut |_| statements += 1);
    assert!(stores(&small) == 1 && statements <= 4, "{small}");
}

/// The name of a variant, from how it is printed for debugging.
fn first_word(debug: &str) -> String {
    let end = debug.find([' ', '(']).unwrap_or(debug.len());
    debug[..end].to_owned()
}

/// What occurs in programs, by name.
fn features(case: &Case, found: &mut HashSet<String>) {
    for (_, function) in case.module.functions.iter() {
        for (_, expression) in function.expressions.iter() {
            let name = match expression {
                Expression::Literal(_) => "literal".to_owned(),
                Expression::Unary { operator, .. } => format!("unary {}", operator.name()),
                Expression::Binary { operator, .. } => format!("binary {}", operator.name()),
                Expression::Math { function, .. } => format!("math {}", function.name()),
                Expression::WorkItem(query) => format!("query {}", query.name()),
                Expression::Cast { to, .. } => format!("cast {to}"),
                Expression::Bitcast { to, .. } => format!("bitcast {to}"),
                other => first_word(&format!("{other:?}")),
            };
            found.insert(name);
        }
        function.body.for_each_statement(&mut |statement| {
            let mut name = first_word(&format!("{:?}", statement.kind));
            if let StatementKind::Atomic(atomic) = &statement.kind {
                name = format!("atomic {}", atomic.operation.name());
            }
            found.insert(name);
        });
    }
}

#[test]
fn programs_use_the_whole_language() {
    let mut found = HashSet::new();
    for case in cases() {
        features(&case, &mut found);
    }
    let mut expected: Vec<String> = [
        "Parameter",
        "Value",
        "Variable",
        "Array",
        "Select",
        "Complex",
        "Load",
        "Offset",
        "Let",
        "Assign",
        "Store",
        "Call",
        "If",
        "Loop",
        "Break",
        "Continue",
        "Return",
        "Barrier",
        "Fence",
        "Collective",
    ]
    .map(str::to_owned)
    .to_vec();
    expected.extend(situ_ir::UnaryOperator::ALL.map(|x| format!("unary {}", x.name())));
    expected.extend(situ_ir::BinaryOperator::ALL.map(|x| format!("binary {}", x.name())));
    expected.extend(
        situ_ir::MathFunction::ALL
            .iter()
            .map(|x| format!("math {}", x.name())),
    );
    expected.extend(situ_ir::AtomicOperation::ALL.map(|x| format!("atomic {}", x.name())));
    expected.extend(DType::ALL.map(|x| format!("cast {x}")));
    let missing: Vec<_> = expected
        .iter()
        .filter(|name| !found.contains(*name))
        .collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
}
