//! Programs without meaning, and what is said of them.

use super::*;

/// A kernel that writes element `global_id + 1` on line 2 of its source.
fn shifted_store() -> ValidModule {
    let mut f = FunctionBuilder::kernel("shift", 1);
    f.at(Span::new(13, 24));
    let x = f.parameter("pixels", GLOBAL_I64);
    let i = f.global_id(0);
    let one = f.index(1);
    let next = f.add(i, one);
    f.store(x, next, i);
    let mut module = Module::new("test");
    module.source = Some(Source::new("shift.py", "def shift():\npixels[i+1] = i\n"));
    f.finish(&mut module);
    validate(module).unwrap()
}

#[test]
fn an_index_outside_names_array_index_work_item_and_line() {
    let module = shifted_store();
    let mut bytes = bytes_of(&[0; 6]);
    let result = interpret(
        &module,
        "shift",
        &groups(6, 3),
        &[at(0)],
        &mut [&mut bytes],
        &Options::default(),
    );
    let fault = fault_of(result);
    assert_eq!(
        fault.kind,
        FaultKind::OutOfBounds {
            array: "pixels".into(),
            index: 6,
            elements: 0..6
        }
    );
    assert_eq!(fault.work_item, item(5, 2, 1));
    assert_eq!((fault.kernel.as_str(), fault.line()), ("shift", Some(2)));
    let expected = "\
error[F001]: index 6 is outside of `pixels`, which has 6 elements
 --> shift.py:2:1
  |
2 | pixels[i+1] = i
  | ^^^^^^^^^^^ this access
  = why:  it happened in kernel `shift`, work-item [5] ([2] of work-group [1])
  = why:  valid indices are 0 to 5
  = help: launch over a smaller range, or compare the index with the size of `pixels` before the access; \
    a range that is rounded up to whole work-groups has work-items to spare";
    assert_eq!(fault.to_string(), expected);
}

#[test]
fn huge_indices_are_outside() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let huge = f.index(i64::MAX);
        let far = f.offset(x, huge);
        f.store(far, huge, huge);
    });
    let fault = fault_of(run(&module, &NdRange::new(&[1]).unwrap(), &[0; 4]));
    assert!(matches!(
        fault.kind,
        FaultKind::OutOfBounds {
            index: i64::MAX,
            ..
        }
    ));
}

#[test]
fn two_groups_writing_one_element_race() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let zero = f.index(0);
        f.store(x, zero, zero);
    });
    let fault = fault_of(run(&module, &groups(2, 1), &[9]));
    let expected = FaultKind::Race {
        array: "x".into(),
        index: 0,
        writes: true,
        other_wrote: true,
        other: Some(item(0, 0, 0)),
    };
    assert_eq!(fault.kind, expected);
    assert_eq!(fault.work_item, item(1, 0, 1));
    let unchecked = Options {
        checks: false,
        ..Options::default()
    };
    assert_eq!(
        run_with(&module, &groups(2, 1), &[9], &unchecked).unwrap(),
        [0]
    );
}

#[test]
fn a_write_races_with_any_of_many_readers() {
    // Everybody reads element 0; then work-item 3, which is also the last reader, writes it.
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let zero = f.index(0);
        let one = f.index(1);
        let i = f.global_id(0);
        let element = f.load(x, zero);
        let own = f.add(i, one);
        f.store(x, own, element);
        let three = f.index(3);
        let last = f.binary(BinaryOperator::Equal, i, three);
        f.if_(last, |f| f.store(x, zero, i));
    });
    for local in [4, 1] {
        let fault = fault_of(run(&module, &groups(4, local), &[0; 5]));
        assert!(matches!(
            fault.kind,
            FaultKind::Race {
                writes: true,
                other_wrote: false,
                other: Some(_),
                index: 0,
                ..
            }
        ));
    }
}

/// Each work-item writes its own element and reads its neighbour's after a barrier.
fn neighbours(spaces: MemorySpaces) -> ValidModule {
    module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let i = f.global_id(0);
        f.store(x, i, i);
        f.barrier(spaces);
        let one = f.index(1);
        let next = f.add(i, one);
        let size = f.work_item(WorkItemQuery::GlobalSize(0));
        let next = f.binary(BinaryOperator::Modulo, next, size);
        let other = f.load(x, next);
        let other = f.bind("other", other);
        f.barrier(spaces);
        f.store(x, i, other);
    })
}

#[test]
fn a_barrier_orders_a_group_but_not_two() {
    let module = neighbours(MemorySpaces::Global);
    assert_eq!(run(&module, &groups(4, 4), &[0; 4]).unwrap(), [1, 2, 3, 0]);
    let fault = fault_of(run(&module, &groups(4, 2), &[0; 4]));
    let expected = FaultKind::Race {
        array: "x".into(),
        index: 2,
        writes: true,
        other_wrote: false,
        other: Some(item(1, 1, 0)),
    };
    assert_eq!((fault.kind, fault.work_item), (expected, item(2, 0, 1)));
}

#[test]
fn a_local_barrier_does_not_order_global_memory() {
    let module = neighbours(MemorySpaces::Local);
    let fault = fault_of(run(&module, &groups(4, 4), &[0; 4]));
    assert_eq!(fault.work_item, item(0, 0, 0));
    assert!(matches!(
        fault.kind,
        FaultKind::Race { writes: false, other_wrote: true, index: 1, other: Some(other), .. }
            if other == item(1, 1, 0)
    ));
}

#[test]
fn a_plain_access_races_with_an_atomic_one() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let zero = f.index(0);
        let i = f.global_id(0);
        let first = f.binary(BinaryOperator::Equal, i, zero);
        f.if_else(
            first,
            |f| f.store(x, zero, i),
            |f| {
                let add = AtomicOperation::Add;
                f.atomic(atomic(add, x, zero, Some(i), MemoryOrder::Relaxed));
            },
        );
    });
    let fault = fault_of(run(&module, &groups(2, 2), &[0]));
    assert!(matches!(fault.kind, FaultKind::Race { .. }));
}

/// The last group to arrive, by an atomic counter in `x[0]`, reads what the others wrote.
fn last_group_reads(order: MemoryOrder) -> ValidModule {
    module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let (zero, one, two) = (f.index(0), f.index(1), f.index(2));
        let i = f.global_id(0);
        let own = f.add(i, one);
        f.store(x, own, own);
        let old = f.value("old", Type::INDEX);
        f.atomic(Atomic {
            result: Some(old),
            ..atomic(AtomicOperation::Add, x, zero, Some(one), order)
        });
        let old = f.expression(crate::Expression::Value(old));
        let last = f.binary(BinaryOperator::Equal, old, two);
        f.if_(last, |f| {
            let (first, second) = (f.load(x, one), f.load(x, two));
            let sum = f.add(first, second);
            f.store(x, one, sum);
        });
    })
}

#[test]
fn an_acquire_orders_what_was_released() {
    let module = last_group_reads(MemoryOrder::AcquireRelease);
    assert_eq!(run(&module, &groups(3, 1), &[0; 4]).unwrap(), [3, 3, 2, 3]);
    assert_eq!(run(&module, &groups(3, 3), &[0; 4]).unwrap(), [3, 3, 2, 3]);
    let relaxed = last_group_reads(MemoryOrder::Relaxed);
    for local in [1, 3] {
        let fault = fault_of(run(&relaxed, &groups(3, local), &[0; 4]));
        assert!(matches!(
            fault.kind,
            FaultKind::Race {
                index: 1,
                writes: false,
                ..
            }
        ));
    }
}

#[test]
fn reading_local_memory_nobody_wrote_is_found_in_every_group() {
    // Only the first group writes its tile.
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let tile = f.array("tile", DType::I64, 2, AddressSpace::Local);
        let zero = f.index(0);
        let i = f.global_id(0);
        let l = f.work_item(WorkItemQuery::LocalId(0));
        let group = f.work_item(WorkItemQuery::GroupId(0));
        let first = f.binary(BinaryOperator::Equal, group, zero);
        f.if_(first, |f| f.store(tile, l, i));
        f.barrier(MemorySpaces::Local);
        let element = f.load(tile, l);
        f.store(x, i, element);
    });
    let fault = fault_of(run(&module, &groups(4, 2), &[7; 4]));
    let expected = FaultKind::UninitialisedElement {
        array: "tile".into(),
        index: 0,
    };
    assert_eq!((fault.kind, fault.work_item), (expected, item(2, 0, 1)));
}

#[test]
fn local_memory_without_a_barrier_races() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let tile = f.array("tile", DType::I32, 1, AddressSpace::Local);
        let zero = f.index(0);
        let i = f.global_id(0);
        let narrow = f.cast(i, DType::I32);
        f.store(tile, zero, narrow);
        f.store(x, i, i);
    });
    let fault = fault_of(run(&module, &groups(4, 2), &[0; 4]));
    assert!(matches!(fault.kind, FaultKind::Race { array, .. } if array == "tile"));
    // One work-item per group has the memory for itself.
    run(&module, &groups(4, 1), &[0; 4]).unwrap();
}

#[test]
fn private_arrays_are_forgotten_by_the_next_work_item() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let scratch = f.array("scratch", DType::I64, 2, AddressSpace::Private);
        let (zero, one) = (f.index(0), f.index(1));
        let i = f.global_id(0);
        let first = f.binary(BinaryOperator::Equal, i, zero);
        f.if_(first, |f| f.store(scratch, one, i));
        let element = f.load(scratch, one);
        f.store(x, i, element);
    });
    let fault = fault_of(run(&module, &groups(2, 2), &[7; 2]));
    let expected = FaultKind::UninitialisedElement {
        array: "scratch".into(),
        index: 1,
    };
    assert_eq!((fault.kind, fault.work_item), (expected, item(1, 1, 0)));
}

#[test]
fn a_private_array_of_a_device_function_is_named() {
    let mut module = Module::new("test");
    let mut g = FunctionBuilder::device("helper", Some(DType::I64));
    let index = g.parameter("index", DType::I64.into());
    let scratch = g.array("scratch", DType::I64, 3, AddressSpace::Private);
    g.store(scratch, index, index);
    g.return_(Some(index));
    let helper = g.finish(&mut module);
    let mut f = FunctionBuilder::kernel("k", 1);
    let x = f.parameter("x", GLOBAL_I64);
    let mine = f.array("mine", DType::I64, 1, AddressSpace::Private);
    let i = f.global_id(0);
    let zero = f.index(0);
    f.store(mine, zero, i);
    let result = f.call(&module, helper, &[i]).unwrap();
    f.store(x, i, result);
    f.finish(&mut module);
    let module = validate(module).unwrap();
    let fault = fault_of(run(&module, &groups(4, 4), &[0; 4]));
    let expected = FaultKind::OutOfBounds {
        array: "scratch".into(),
        index: 3,
        elements: 0..3,
    };
    assert_eq!((fault.kind, fault.function.as_str()), (expected, "helper"));
    assert_eq!(fault.work_item, item(3, 3, 0));
}

#[test]
fn a_variable_assigned_in_one_branch_only_is_watched() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let total = f.variable("total", DType::I64);
        let i = f.global_id(0);
        let two = f.index(2);
        let small = f.binary(BinaryOperator::Less, i, two);
        f.if_(small, |f| f.assign(total, i));
        let now = f.get(total);
        f.store(x, i, now);
    });
    assert_eq!(run(&module, &groups(2, 1), &[9, 9]).unwrap(), [0, 1]);
    let fault = fault_of(run(&module, &groups(3, 3), &[9; 3]));
    let expected = FaultKind::UninitialisedVariable {
        variable: "total".into(),
    };
    assert_eq!((fault.kind, fault.work_item), (expected, item(2, 2, 0)));
    let unchecked = Options {
        checks: false,
        ..Options::default()
    };
    let result = run_with(&module, &groups(3, 3), &[9; 3], &unchecked).unwrap();
    assert_eq!(result, [0, 1, 0], "variables start at zero");
}

#[test]
fn an_endless_loop_hits_the_step_limit() {
    let module = module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let body = f.block(|f| {
            let zero = f.index(0);
            let element = f.load(x, zero);
            let done = f.binary(BinaryOperator::NotEqual, element, zero);
            f.if_(done, |f| f.statement(StatementKind::Break));
        });
        f.statement(StatementKind::Loop {
            condition: None,
            body,
            step: crate::Block::default(),
        });
    });
    let options = Options {
        step_limit: Some(1000),
        ..Options::default()
    };
    let range = NdRange::new(&[1]).unwrap();
    let fault = fault_of(run_with(&module, &range, &[0], &options));
    assert_eq!(fault.kind, FaultKind::StepLimit { limit: 1000 });
    assert!(run_with(&module, &range, &[1], &options).is_ok());
}

/// The last work-item of the group writes `x[0]`, then everybody uses it as if it were uniform.
fn racing_flag(
    use_it: impl FnOnce(&mut FunctionBuilder, Handle<crate::Expression>),
) -> ValidModule {
    module_of(|f| {
        let x = f.parameter("x", GLOBAL_I64);
        let (zero, one) = (f.index(0), f.index(1));
        let l = f.work_item(WorkItemQuery::LocalId(0));
        let last = f.binary(BinaryOperator::Equal, l, one);
        f.if_(last, |f| f.store(x, zero, one));
        let flag = f.load(x, zero);
        use_it(f, flag);
    })
}

const UNCHECKED: Options = Options {
    sub_group_size: 1,
    local_size: 1,
    step_limit: None,
    checks: false,
    must_stop: None,
};

#[test]
fn a_barrier_that_not_everybody_reaches_is_a_fault_even_without_checks() {
    let module = racing_flag(|f, flag| {
        let zero = f.index(0);
        let set = f.binary(BinaryOperator::NotEqual, flag, zero);
        f.if_(set, |f| f.barrier(MemorySpaces::Local));
    });
    let fault = fault_of(run_with(&module, &groups(4, 2), &[0], &UNCHECKED));
    let expected = FaultKind::DivergentBarrier {
        other: item(0, 0, 0),
        other_span: None,
    };
    assert_eq!((&fault.kind, fault.work_item), (&expected, item(1, 1, 0)));
    assert_eq!(fault.diagnostic().code, "F005");
    let race = fault_of(run(&module, &groups(4, 2), &[0]));
    assert!(
        matches!(race.kind, FaultKind::Race { index: 0, .. }),
        "the race is what is wrong"
    );
}

#[test]
fn two_barriers_are_not_one() {
    let module = racing_flag(|f, flag| {
        let zero = f.index(0);
        let set = f.binary(BinaryOperator::NotEqual, flag, zero);
        f.at(Span::new(0, 1));
        let accept = f.block(|f| f.barrier(MemorySpaces::Local));
        f.at(Span::new(5, 6));
        let reject = f.block(|f| f.barrier(MemorySpaces::Local));
        f.statement(StatementKind::If {
            condition: set,
            accept,
            reject,
        });
    });
    let fault = fault_of(run_with(&module, &groups(2, 2), &[0], &UNCHECKED));
    let expected = FaultKind::DivergentBarrier {
        other: item(1, 1, 0),
        other_span: Some(Span::new(0, 1)),
    };
    assert_eq!((fault.kind, fault.span), (expected, Span::new(5, 6)));
}

#[test]
fn a_broadcast_from_two_positions_is_a_fault() {
    let module = racing_flag(|f, flag| {
        let operation = CollectiveOperation::Broadcast(flag);
        let one = f.index(1);
        f.collective(operation, CollectiveScope::WorkGroup, one);
    });
    let fault = fault_of(run_with(&module, &groups(2, 2), &[0], &UNCHECKED));
    let expected = FaultKind::DivergentBroadcast {
        position: 1,
        other_position: 0,
    };
    assert_eq!((&fault.kind, fault.work_item), (&expected, item(1, 1, 0)));
    assert_eq!(fault.diagnostic().code, "F006");
}
