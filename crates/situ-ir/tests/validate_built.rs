//! Validation of modules made with the builder: what the text format cannot say (broken handles,
//! values bound twice, bounds on size), and what validation learns about functions.

use situ_ir::validate::{MAX_BLOCK_DEPTH, MAX_EXPRESSION_DEPTH};
use situ_ir::{
    AddressSpace, BinaryOperator, DType, Diagnostics, Expression, Function, FunctionBuilder,
    FunctionInfo, FunctionKind, Handle, Literal, MathFunction, MemorySpaces, Module, PointerRoot,
    StatementKind, Type, WorkItemQuery, validate,
};

const FLOATS: Type = Type::Pointer {
    element: DType::F64,
    space: AddressSpace::Global,
};

/// Validates a module of one function.
fn check(builder: FunctionBuilder) -> Result<FunctionInfo, Diagnostics> {
    let mut module = Module::new("test");
    let function = builder.finish(&mut module);
    validate(module).map(|module| module.info(function).clone())
}

/// The codes of what is wrong with a module of one function.
fn codes(builder: FunctionBuilder) -> Vec<&'static str> {
    match check(builder) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.list.iter().map(|found| found.code).collect(),
    }
}

#[test]
fn operands_must_come_first() {
    let mut f = FunctionBuilder::kernel("f", 1);
    let mut function = Function::new("f", FunctionKind::Kernel { dims: 1 });
    let itself = Handle::new(0);
    function.expressions.append(
        Expression::Binary {
            operator: BinaryOperator::Add,
            left: itself,
            right: itself,
        },
        situ_ir::Span::NONE,
    );
    let mut module = Module::new("test");
    module.functions.append(function, situ_ir::Span::NONE);
    let diagnostics = validate(module).unwrap_err();
    assert_eq!(diagnostics.list[0].code, "V001");

    // The same for an operand that does not exist at all.
    let zero = f.index(0);
    f.statement(StatementKind::Return(Some(Handle::new(zero.index() + 7))));
    assert_eq!(codes(f), ["V002"]);
}

#[test]
fn handles_must_exist() {
    let mut f = FunctionBuilder::kernel("f", 1);
    let zero = f.index(0);
    f.statement(StatementKind::Assign {
        variable: Handle::new(3),
        expression: zero,
    });
    f.statement(StatementKind::Let {
        value: Handle::new(3),
        expression: zero,
    });
    f.statement(StatementKind::Call {
        function: Handle::new(9),
        arguments: Vec::new(),
        result: None,
    });
    assert_eq!(codes(f), ["V002", "V002", "V002"]);

    let mut module = Module::new("test");
    let mut function = Function::new("f", FunctionKind::Kernel { dims: 1 });
    for missing in [
        Expression::Parameter(0),
        Expression::Value(Handle::new(0)),
        Expression::Variable(Handle::new(0)),
        Expression::Array(Handle::new(0)),
    ] {
        function.expressions.append(missing, situ_ir::Span::NONE);
    }
    module.functions.append(function, situ_ir::Span::NONE);
    let diagnostics = validate(module).unwrap_err();
    assert_eq!(diagnostics.list.len(), 4);
    assert!(diagnostics.list.iter().all(|found| found.code == "V002"));
}

#[test]
fn a_value_is_bound_once() {
    let mut f = FunctionBuilder::kernel("f", 1);
    let value = f.value("x", Type::INDEX);
    let zero = f.index(0);
    for _ in 0..2 {
        f.statement(StatementKind::Let {
            value,
            expression: zero,
        });
    }
    assert_eq!(codes(f), ["V020"]);
}

#[test]
fn expressions_have_a_largest_depth() {
    let sum = |terms: usize| {
        let mut f = FunctionBuilder::kernel("f", 1);
        let one = f.index(1);
        let mut sum = one;
        for _ in 1..terms {
            sum = f.add(sum, one);
        }
        f.bind("sum", sum);
        f
    };
    assert!(codes(sum(MAX_EXPRESSION_DEPTH)).is_empty());
    assert_eq!(codes(sum(MAX_EXPRESSION_DEPTH + 1)), ["V006"]);
}

#[test]
fn expressions_have_a_largest_size_when_written_out() {
    let doubled = |times: usize| {
        let mut f = FunctionBuilder::kernel("f", 1);
        let mut sum = f.index(1);
        for _ in 0..times {
            sum = f.add(sum, sum);
        }
        f.bind("sum", sum);
        f
    };
    assert!(codes(doubled(15)).is_empty());
    assert_eq!(codes(doubled(16)), ["V007"]);
}

#[test]
fn blocks_have_a_largest_depth() {
    let nested = |depth: usize| {
        let mut f = FunctionBuilder::kernel("f", 1);
        let condition = f.literal(Literal::Bool(true));
        for _ in 0..depth {
            f.open_block();
        }
        for _ in 0..depth {
            let accept = f.close_block();
            f.statement(StatementKind::If {
                condition,
                accept,
                reject: situ_ir::Block::default(),
            });
        }
        f
    };
    assert!(codes(nested(MAX_BLOCK_DEPTH - 1)).is_empty());
    assert_eq!(codes(nested(MAX_BLOCK_DEPTH)), ["V008"]);
    assert_eq!(codes(nested(10_000)), ["V008"]);
}

#[test]
fn function_names_are_c_identifiers() {
    for name in ["", "1x", "a-b", "π", "a b"] {
        assert_eq!(codes(FunctionBuilder::kernel(name, 1)), ["V010"], "{name}");
    }
    for name in ["_", "x1", "Kernel_2"] {
        assert!(codes(FunctionBuilder::kernel(name, 1)).is_empty(), "{name}");
    }
}

#[test]
fn one_mistake_is_reported_once() {
    let mut f = FunctionBuilder::kernel("f", 1);
    let x = f.parameter("x", FLOATS);
    let i = f.global_id(0);
    let element = f.load(x, i);
    let wrong = f.add(element, i);
    let more = f.multiply(wrong, element);
    f.store(x, i, more);
    let diagnostics = check(f).unwrap_err();
    assert_eq!(
        diagnostics.to_string(),
        "error[V004]: `add` in `f` does not take `f64` and `i64`\n \
         = why:  `add` takes two numbers of one type, but not `bool`\n \
         = help: cast the operands first"
    );
}

#[test]
fn parameter_access_follows_offsets_values_calls_and_atomics() {
    let mut module = Module::new("test");
    let mut g = FunctionBuilder::device("write_first", None);
    let to = g.parameter("to", FLOATS);
    let zero = g.index(0);
    let value = g.literal(Literal::F64(1.0));
    g.store(to, zero, value);
    let g = g.finish(&mut module);

    let mut f = FunctionBuilder::kernel("f", 1);
    let read = f.parameter("read", FLOATS);
    let written = f.parameter("written", FLOATS);
    let passed = f.parameter("passed", FLOATS);
    let unused = f.parameter("unused", FLOATS);
    let n = f.parameter("n", Type::INDEX);
    let moved = f.offset(read, n);
    let moved = f.bind("moved", moved);
    let element = f.load(moved, n);
    f.store(written, n, element);
    let moved_passed = f.offset(passed, n);
    f.call(&module, g, &[moved_passed]);
    f.load(unused, n); // no statement uses it
    let f = f.finish(&mut module);

    let module = validate(module).unwrap();
    let info = module.info(f);
    let access: Vec<_> = info
        .parameter_access
        .iter()
        .map(|access| (access.reads, access.writes))
        .collect();
    assert_eq!(
        access,
        [
            (true, false),
            (false, true),
            (false, true),
            (false, false),
            (false, false)
        ]
    );
    assert_eq!(
        info.pointer_root(moved_passed),
        Some(PointerRoot::Parameter(2))
    );
    assert_eq!(info.pointer_root(moved), Some(PointerRoot::Parameter(0)));
    assert_eq!(info.pointer_root(n), None);
    assert!(info.is_used(element));
    assert!(!info.is_used(unused));
}

#[test]
fn needs_of_called_functions_are_needs_of_the_caller() {
    let mut module = Module::new("test");
    let mut g = FunctionBuilder::device("g", Some(DType::F32));
    let id = g.work_item(WorkItemQuery::SubGroupLocalId);
    let id = g.cast(id, DType::F32);
    g.array("scratch", DType::F16, 8, AddressSpace::Private);
    g.return_(Some(id));
    let g = g.finish(&mut module);

    let mut f = FunctionBuilder::kernel("f", 1);
    f.array("own", DType::U8, 4, AddressSpace::Private);
    let result = f.call(&module, g, &[]).unwrap();
    let f = f.finish(&mut module);

    let module = validate(module).unwrap();
    let info = module.info(f);
    assert!(info.needs_groups && info.needs_sub_groups && !info.synchronises);
    assert!(info.uses_dtype(DType::F16) && info.uses_dtype(DType::F32));
    assert!(!info.uses_dtype(DType::F64));
    assert_eq!(info.private_bytes, 20);
    assert!(!info.is_uniform(result), "a sub-group id is in it");
}

#[test]
fn results_of_calls_are_uniform_if_the_arguments_are() {
    let mut module = Module::new("test");
    let mut g = FunctionBuilder::device("root", Some(DType::F64));
    let x = g.parameter("x", DType::F64.into());
    let root = g.math(MathFunction::Sqrt, &[x]);
    g.return_(Some(root));
    let g = g.finish(&mut module);

    let mut f = FunctionBuilder::kernel("f", 1);
    let data = f.parameter("data", FLOATS);
    let zero = f.index(0);
    let first = f.load(data, zero);
    let same = f.call(&module, g, &[first]).unwrap();
    let id = f.global_id(0);
    let own = f.load(data, id);
    let different = f.call(&module, g, &[own]).unwrap();
    let f = f.finish(&mut module);

    let module = validate(module).unwrap();
    assert!(module.info(f).is_uniform(same));
    assert!(!module.info(f).is_uniform(different));
    assert!(!module.info(g).is_uniform(root), "parameters vary there");
}

#[test]
fn a_counter_of_a_uniform_loop_is_uniform_and_an_accumulator_is_not() {
    let mut f = FunctionBuilder::kernel("f", 1);
    let data = f.parameter("data", FLOATS);
    let n = f.parameter("n", Type::INDEX);
    let id = f.global_id(0);
    let total = f.variable("total", DType::F64);
    let zero = f.index(0);
    let mut counter = None;
    f.for_range("k", zero, n, |f, k| {
        counter = Some(k);
        let at = f.add(id, k);
        let element = f.load(data, at);
        let now = f.get(total);
        let sum = f.add(now, element);
        f.assign(total, sum);
        f.barrier(MemorySpaces::Local);
    });
    let now = f.get(total);
    f.store(data, id, now);
    let info = check(f).unwrap();
    assert!(info.is_uniform(counter.unwrap()));
    assert!(!info.is_uniform(now));
    assert!(!info.is_uniform_variable(total));
    assert!(info.synchronises && info.needs_groups);
}

#[test]
fn a_variable_that_a_divergent_loop_assigns_varies() {
    // `k` counts alike for all while they count, but they stop at different ends.
    let mut f = FunctionBuilder::kernel("f", 1);
    let id = f.global_id(0);
    let zero = f.index(0);
    let mut counter = None;
    f.for_range("k", zero, id, |_, k| counter = Some(k));
    let k = counter.unwrap();
    let end = f.binary(BinaryOperator::Less, k, zero);
    f.if_(end, |f| f.barrier(MemorySpaces::Local));
    assert_eq!(codes(f), ["V070"]);
}
