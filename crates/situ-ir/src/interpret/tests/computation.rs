//! What kernels compute.

use super::*;

#[test]
fn loops_break_continue_and_step() {
    // Sums the odd numbers below 10 that are not 5, leaving at 9.
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let sum = f.variable("sum", DType::I64);
        let zero = f.index(0);
        f.assign(sum, zero);
        let ten = f.index(10);
        f.for_range("i", zero, ten, |f, i| {
            let (one, two, five, nine) = (f.index(1), f.index(2), f.index(5), f.index(9));
            let parity = f.binary(BinaryOperator::Modulo, i, two);
            let even = f.binary(BinaryOperator::NotEqual, parity, one);
            f.if_(even, |f| f.statement(StatementKind::Continue));
            let is_five = f.binary(BinaryOperator::Equal, i, five);
            f.if_(is_five, |f| f.statement(StatementKind::Continue));
            let is_nine = f.binary(BinaryOperator::Equal, i, nine);
            f.if_(is_nine, |f| f.statement(StatementKind::Break));
            let now = f.get(sum);
            let next = f.add(now, i);
            f.assign(sum, next);
        });
        let total = f.get(sum);
        f.store(x, zero, total);
    });
    let result = run(&module, &NdRange::new(&[1]).unwrap(), &[0]).unwrap();
    assert_eq!(result, [1 + 3 + 7]);
}

#[test]
fn expressions_are_evaluated_anew_by_each_statement() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let zero = f.index(0);
        let one = f.index(1);
        let content = f.load(x, zero);
        let bound = f.bind("before", content);
        let next = f.add(content, one);
        f.store(x, zero, next);
        f.store(x, zero, next);
        f.store(x, one, bound);
    });
    let result = run(&module, &NdRange::new(&[1]).unwrap(), &[5, 0]).unwrap();
    assert_eq!(result, [7, 5]);
}

#[test]
fn device_functions_have_their_own_variables_and_arrays() {
    let mut module = Module::new("test");
    // square_sum(p, n) = sum of squares, through a private array.
    let mut g = FunctionBuilder::device("square", Some(DType::I64));
    let value = g.parameter("value", DType::I64.into());
    let scratch = g.array("scratch", DType::I64, 2, AddressSpace::Private);
    let one = g.index(1);
    let square = g.multiply(value, value);
    g.store(scratch, one, square);
    let result = g.load(scratch, one);
    g.return_(Some(result));
    let square = g.finish(&mut module);

    let mut h = FunctionBuilder::device("fourth_power", Some(DType::I64));
    let value = h.parameter("value", DType::I64.into());
    let once = h.call(&module, square, &[value]).unwrap();
    let twice = h.call(&module, square, &[once]).unwrap();
    h.return_(Some(twice));
    let fourth_power = h.finish(&mut module);

    let mut f = FunctionBuilder::kernel("k", 1);
    let x = f.parameter("x", GLOBAL_I64);
    let i = f.global_id(0);
    let element = f.load(x, i);
    let power = f.call(&module, fourth_power, &[element]).unwrap();
    f.store(x, i, power);
    f.finish(&mut module);
    let module = validate(module).unwrap();
    let result = run(&module, &groups(4, 2), &[1, -2, 3, 10]).unwrap();
    assert_eq!(result, [1, 16, 81, 10_000]);
}

#[test]
fn barriers_let_work_items_exchange_values() {
    // Reverses each group of four through local memory, twice in a uniform loop.
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let tile = f.array("tile", DType::I64, 4, AddressSpace::Local);
        let (zero, three) = (f.index(0), f.index(3));
        f.for_range("round", zero, three, |f, _| {
            let i = f.global_id(0);
            let l = f.work_item(WorkItemQuery::LocalId(0));
            let element = f.load(x, i);
            f.store(tile, l, element);
            f.barrier(MemorySpaces::Local);
            let mirror = f.binary(BinaryOperator::Subtract, three, l);
            let other = f.load(tile, mirror);
            f.store(x, i, other);
            f.barrier(MemorySpaces::Local);
        });
    });
    let result = run(&module, &groups(8, 4), &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    assert_eq!(result, [4, 3, 2, 1, 8, 7, 6, 5]);
}

#[test]
fn collectives_combine_in_the_order_of_local_ids() {
    use CollectiveOperation as Operation;
    use CollectiveScope::{SubGroup, WorkGroup};
    let collective = |operation, scope| {
        module_of(|f| {
            let x = f.parameter("x", GLOBAL_I64);
            let i = f.global_id(0);
            let element = f.load(x, i);
            let result = f.collective(operation, scope, element);
            f.store(x, i, result);
        })
    };
    let options = Options {
        sub_group_size: 2,
        ..Options::default()
    };
    let input = [1, 2, 3, 4, 5, 6];
    let of = |operation, scope| {
        run_with(
            &collective(operation, scope),
            &groups(6, 3),
            &input,
            &options,
        )
        .unwrap()
    };
    let add = CombineOperator::Add;
    assert_eq!(of(Operation::Reduce(add), WorkGroup), [6, 6, 6, 15, 15, 15]);
    assert_eq!(of(Operation::Reduce(add), SubGroup), [3, 3, 3, 9, 9, 6]);
    assert_eq!(
        of(Operation::InclusiveScan(add), WorkGroup),
        [1, 3, 6, 4, 9, 15]
    );
    let minimum = CombineOperator::Minimum;
    let scan = of(Operation::ExclusiveScan(minimum), SubGroup);
    assert_eq!(scan, [i64::MAX, 1, i64::MAX, i64::MAX, 4, i64::MAX]);
}

#[test]
fn broadcast_takes_the_position_modulo_the_group() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let i = f.global_id(0);
        let element = f.load(x, i);
        let position = f.index(-1);
        let operation = CollectiveOperation::Broadcast(position);
        let last = f.collective(operation, CollectiveScope::WorkGroup, element);
        f.store(x, i, last);
    });
    let result = run(&module, &groups(4, 2), &[1, 2, 3, 4]).unwrap();
    assert_eq!(result, [2, 2, 4, 4]);
}

#[test]
fn atomics_do_not_race() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let zero = f.index(0);
        let i = f.global_id(0);
        let add = AtomicOperation::Add;
        f.atomic(atomic(add, x, zero, Some(i), MemoryOrder::Relaxed));
    });
    assert_eq!(run(&module, &groups(100, 10), &[7]).unwrap(), [7 + 4950]);
}

#[test]
fn compare_exchange_gives_the_old_content() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let (zero, one, five, nine) = (f.index(0), f.index(1), f.index(5), f.index(9));
        let old = f.value("old", Type::INDEX);
        f.atomic(Atomic {
            expected: Some(five),
            result: Some(old),
            ..atomic(
                AtomicOperation::CompareExchange,
                x,
                zero,
                Some(nine),
                MemoryOrder::Relaxed,
            )
        });
        let old = f.expression(crate::Expression::Value(old));
        f.store(x, one, old);
    });
    let range = NdRange::new(&[1]).unwrap();
    assert_eq!(run(&module, &range, &[5, 0]).unwrap(), [9, 5]);
    assert_eq!(run(&module, &range, &[6, 0]).unwrap(), [6, 6]);
}

#[test]
fn parameters_may_share_a_buffer_and_point_into_its_middle() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let y = f.parameter("y", GLOBAL_I64);
        let scale = f.parameter("scale", DType::I64.into());
        let i = f.global_id(0);
        let two = f.index(-2);
        let behind = f.offset(y, two);
        let element = f.load(behind, i);
        let product = f.multiply(element, scale);
        f.store(x, i, product);
    });
    let arguments = [
        Argument::Pointer {
            buffer: 0,
            offset_bytes: 8,
        },
        Argument::Pointer {
            buffer: 0,
            offset_bytes: 24,
        },
        Argument::Scalar(Literal::I64(10)),
    ];
    let mut bytes = bytes_of(&[1, 2, 3, 4]);
    let range = NdRange::new(&[3]).unwrap();
    let options = Options::default();
    interpret(
        &module,
        "k",
        &range,
        &arguments,
        &mut [&mut bytes],
        &options,
    )
    .unwrap();
    assert_eq!(numbers_of(&bytes), [1, 20, 30, 40]);
}

#[test]
fn local_parameters_get_memory_for_each_group() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let tile = f.parameter("tile", Type::pointer(DType::I64, AddressSpace::Local));
        let i = f.global_id(0);
        let l = f.work_item(WorkItemQuery::LocalLinearId);
        let element = f.load(x, i);
        f.store(tile, l, element);
        f.barrier(MemorySpaces::Local);
        let zero = f.index(0);
        let first = f.load(tile, zero);
        f.store(x, i, first);
    });
    let mut bytes = bytes_of(&[1, 2, 3, 4]);
    let options = Options::default();
    let mut run = |size_bytes| {
        let arguments = [at(0), Argument::Local { size_bytes }];
        interpret(
            &module,
            "k",
            &groups(4, 2),
            &arguments,
            &mut [&mut bytes],
            &options,
        )
    };
    run(16).unwrap();
    let fault = fault_of(run(15));
    assert!(matches!(
        &fault.kind,
        FaultKind::OutOfBounds { array, index: 1, elements } if array == "tile" && *elements == (0..1)
    ));
    assert_eq!(numbers_of(&bytes), [1, 1, 3, 3]);
}

#[test]
fn ids_in_three_dimensions() {
    let mut f = FunctionBuilder::kernel("k", 3);
    let x = f.parameter("x", GLOBAL_I64);
    let mut sum = f.index(0);
    for (dimension, weight) in [(0, 100), (1, 10), (2, 1)] {
        let id = f.global_id(dimension);
        let weight = f.index(weight);
        let term = f.multiply(id, weight);
        sum = f.add(sum, term);
    }
    let linear = f.work_item(WorkItemQuery::GlobalLinearId);
    f.store(x, linear, sum);
    let mut module = Module::new("test");
    f.finish(&mut module);
    let module = validate(module).unwrap();
    let range = NdRange::with_local(&[2, 2, 3], &[1, 2, 3]).unwrap();
    let result = run(&module, &range, &[0; 12]).unwrap();
    assert_eq!(result, [0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112]);
}

#[test]
fn a_device_function_calls_itself() {
    let text = "device power(x: c128, n: i64) -> c128 {
            if n == 0 { return c128(1.0, 0.0); }
            let before = call power(x, n - 1);
            return before * x;
        }
        device factorial(n: i64) -> i64 {
            if n < 2 { return 1; }
            let before = call factorial(n - 1);
            return n * before;
        }
        kernel[1] k(x: global i64*) {
            let f = call factorial(x[0]);
            x[1] = f;
            let p = call power(c128(0.0, 2.0), 4);
            x[2] = cast(i64, real(p));
        }";
    let source = Source::new("recursion.sir", text);
    let module = validate(crate::text::parse(source).unwrap()).unwrap();
    let one = NdRange::new(&[1]).unwrap();
    assert_eq!(run(&module, &one, &[6, 0, 0]).unwrap(), [6, 720, 16]);
    let core = crate::transform::lower(&module).unwrap();
    assert_eq!(run(&core, &one, &[6, 0, 0]).unwrap(), [6, 720, 16]);
}
