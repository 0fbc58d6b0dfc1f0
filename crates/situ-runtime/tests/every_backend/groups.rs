//! Work-groups: barriers, local memory, and sizes nobody gave.

use situ_ir::{
    AddressSpace, DType, FunctionBuilder, Literal, MemorySpaces, NdRange, Type, WorkItemQuery,
};
use situ_runtime::{Argument, Error};

use crate::{compile, download, on_every_device, pointer, pointer_to, upload};

/// Reverses each work-group's elements through local memory that is passed as an argument.
fn reversing_kernel() -> FunctionBuilder {
    let mut f = FunctionBuilder::kernel("reverse", 1);
    let out = pointer(&mut f, "out", DType::I64);
    let buffer = f.parameter("buffer", Type::pointer(DType::I64, AddressSpace::Local));
    let global = f.global_id(0);
    let local = f.work_item(WorkItemQuery::LocalId(0));
    let size = f.work_item(WorkItemQuery::LocalSize(0));
    let element = f.load(out, global);
    f.store(buffer, local, element);
    f.barrier(MemorySpaces::Local);
    let minus_one = f.literal(Literal::I64(-1));
    let negative = f.multiply(local, minus_one);
    let last = f.add(size, minus_one);
    let mirrored = f.add(last, negative);
    let other = f.load(buffer, mirrored);
    f.store(out, global, other);
    f
}

#[test]
fn work_items_of_a_group_meet_at_a_barrier() {
    on_every_device(|queue| {
        let kernel = compile(queue, reversing_kernel());
        for (global, local) in [(8u64, 4u64), (300, 100), (64, 64), (5, 1), (4096, 4096)] {
            let input: Vec<i64> = (0..global as i64).collect();
            let out = upload(queue, &input);
            let arguments = [
                pointer_to(&out),
                Argument::Local {
                    size_bytes: local as usize * 8,
                },
            ];
            let range = NdRange::with_local(&[global], &[local]).unwrap();
            queue.launch(&kernel, &range, &arguments).unwrap();
            let expected: Vec<i64> = input
                .chunks(local as usize)
                .flat_map(|group| group.iter().rev().copied())
                .collect();
            assert_eq!(
                download::<i64>(queue, &out),
                expected,
                "{global} by {local}"
            );
        }
    });
}

#[test]
fn a_group_size_is_chosen_when_none_is_given() {
    on_every_device(|queue| {
        let mut f = FunctionBuilder::kernel("sizes", 2);
        let out = pointer(&mut f, "out", DType::I64);
        let row = f.global_id(0);
        let column = f.global_id(1);
        let width = f.work_item(WorkItemQuery::GlobalSize(1));
        let before = f.multiply(row, width);
        let place = f.add(before, column);
        let group_height = f.work_item(WorkItemQuery::LocalSize(0));
        let group_width = f.work_item(WorkItemQuery::LocalSize(1));
        let group_size = f.multiply(group_height, group_width);
        f.store(out, place, group_size);
        let kernel = compile(queue, f);
        assert!(kernel.needs_groups());
        for (height, width, expected) in [(6u64, 10u64, 60i64), (3, 512, 256), (1, 997, 1)] {
            let out = upload(queue, &vec![0i64; (height * width) as usize]);
            let range = NdRange::new(&[height, width]).unwrap();
            queue.launch(&kernel, &range, &[pointer_to(&out)]).unwrap();
            assert!(
                download::<i64>(queue, &out)
                    .iter()
                    .all(|size| *size == expected)
            );
        }
    });
}

#[test]
fn local_memory_beyond_the_limit_is_refused() {
    on_every_device(|queue| {
        let kernel = compile(queue, reversing_kernel());
        let out = upload(queue, &[0i64; 4]);
        let limit = queue.device().info().max_local_bytes as usize;
        for size_bytes in [usize::MAX, 1 << 40, limit + 1] {
            let arguments = [pointer_to(&out), Argument::Local { size_bytes }];
            let range = NdRange::with_local(&[4], &[4]).unwrap();
            let result = queue.launch(&kernel, &range, &arguments);
            assert!(
                matches!(result, Err(Error::LocalMemoryTooLarge { .. })),
                "{result:?}"
            );
        }
    });
}
