//! Ranges: which work-items run, and which ranges are refused.

use situ_ir::{DType, FunctionBuilder, Literal, NdRange, RangeError, Type, WorkItemQuery};
use situ_runtime::{Argument, Error};

use crate::{compile, counting_kernel, download, on_every_device, pointer, pointer_to, upload};

#[test]
fn the_last_dimension_is_the_fastest() {
    on_every_device(|queue| {
        for sizes in [&[5u64][..], &[3, 7], &[2, 3, 5], &[1, 1, 1], &[4, 1, 6]] {
            let dims = sizes.len() as u8;
            let mut f = FunctionBuilder::kernel("mark", dims);
            let out = pointer(&mut f, "out", DType::I64);
            let mut linear = f.global_id(0);
            let mut code = f.global_id(0);
            for dimension in 1..dims {
                let size = f.literal(Literal::I64(sizes[usize::from(dimension)] as i64));
                let hundred = f.literal(Literal::I64(100));
                let id = f.global_id(dimension);
                let row = f.multiply(linear, size);
                linear = f.add(row, id);
                let shifted = f.multiply(code, hundred);
                code = f.add(shifted, id);
            }
            f.store(out, linear, code);
            let kernel = compile(queue, f);
            let total = sizes.iter().product::<u64>() as usize;
            let out = upload(queue, &vec![-1i64; total]);
            queue
                .launch(&kernel, &NdRange::new(sizes).unwrap(), &[pointer_to(&out)])
                .unwrap();
            let mut expected = vec![0i64];
            for size in sizes {
                expected = expected
                    .iter()
                    .flat_map(|prefix| (0..*size as i64).map(move |id| prefix * 100 + id))
                    .collect();
            }
            assert_eq!(download::<i64>(queue, &out), expected, "{sizes:?}");
        }
    });
}

#[test]
fn an_empty_range_runs_nothing() {
    on_every_device(|queue| {
        let kernel = compile(queue, counting_kernel());
        let out = upload(queue, &[-1i64]);
        let range = NdRange::new(&[0]).unwrap();
        queue
            .launch(&kernel, &range, &[pointer_to(&out)])
            .unwrap()
            .wait()
            .unwrap();
        assert_eq!(download::<i64>(queue, &out), [-1]);
    });
}

#[test]
fn large_ranges_cover_every_work_item_once() {
    on_every_device(|queue| {
        let mut f = FunctionBuilder::kernel("increment", 1);
        let out = pointer(&mut f, "out", DType::I32);
        let amount = f.parameter("amount", Type::Scalar(DType::I32));
        let i = f.global_id(0);
        let old = f.load(out, i);
        let new = f.add(old, amount);
        f.store(out, i, new);
        let kernel = compile(queue, f);
        let len = 100_003;
        let out = upload(queue, &vec![0i32; len]);
        let range = NdRange::new(&[len as u64]).unwrap();
        let arguments = [pointer_to(&out), Argument::Scalar(Literal::I32(3))];
        for _ in 0..3 {
            queue.launch(&kernel, &range, &arguments).unwrap();
        }
        assert!(download::<i32>(queue, &out).iter().all(|value| *value == 9));
    });
}

#[test]
fn ranges_of_other_dimensions_are_refused() {
    on_every_device(|queue| {
        let kernel = compile(queue, counting_kernel());
        let out = upload(queue, &[0i64; 4]);
        let range = NdRange::new(&[2, 2]).unwrap();
        match queue.launch(&kernel, &range, &[pointer_to(&out)]) {
            Err(Error::RangeDimensions {
                kernel,
                expected: 1,
                found: 2,
            }) => {
                assert_eq!(kernel, "count");
            }
            other => panic!("unexpected {other:?}"),
        }
    });
}

#[test]
fn work_groups_beyond_the_limit_are_refused() {
    on_every_device(|queue| {
        let limit = queue.device().info().max_work_group_size;
        let kernel = compile(queue, counting_kernel());
        let out = upload(queue, &[0i64; 4]);
        let range = NdRange::with_local(&[limit * 2], &[limit * 2]).unwrap();
        match queue.launch(&kernel, &range, &[pointer_to(&out)]) {
            Err(Error::WorkGroupTooLarge {
                work_items,
                limit: named,
                ..
            }) => {
                assert_eq!((work_items, named), (limit * 2, limit));
            }
            other => panic!("unexpected {other:?}"),
        }
    });
}

#[test]
fn ranges_nobody_can_count_are_typed_errors_of_the_runtime_too() {
    let range = NdRange::new(&[1 << 40, 1 << 40]).map_err(Error::from);
    match range {
        Err(Error::BadRange {
            source: RangeError::TooLarge { .. },
        }) => {}
        other => panic!("unexpected {other:?}"),
    }
}

/// A range whose sizes nothing divides is rounded up on some devices. Kernels must not notice.
#[test]
fn kernels_see_the_true_range_and_nothing_beyond() {
    let sizes: [&[u64]; 9] = [
        &[1],
        &[997],
        &[100_003],
        &[997, 3],
        &[3, 997],
        &[1, 1009],
        &[5, 7, 11],
        &[101, 1, 3],
        &[2, 103, 107],
    ];
    on_every_device(|queue| {
        for global in sizes {
            let dims = global.len();
            let mut f = FunctionBuilder::kernel("look", dims as u8);
            let out = pointer(&mut f, "out", DType::I64);
            let place = f.work_item(WorkItemQuery::GlobalLinearId);
            let mut sum = f.work_item(WorkItemQuery::GlobalLinearId);
            for d in 0..dims as u8 {
                let size = f.work_item(WorkItemQuery::GlobalSize(d));
                sum = f.multiply(sum, size);
            }
            f.store(out, place, sum);
            let kernel = compile(queue, f);
            let count: u64 = global.iter().product();
            let spare = 5000;
            let memory = upload(queue, &vec![-7_i64; count as usize + spare]);
            let range = NdRange::new(global).unwrap();
            queue
                .launch(&kernel, &range, &[pointer_to(&memory)])
                .unwrap();
            let found = download::<i64>(queue, &memory);
            let (inside, beyond) = found.split_at(count as usize);
            let expected = (0..count as i64).map(|id| id * count as i64);
            assert!(inside.iter().copied().eq(expected), "{global:?}");
            assert!(beyond.iter().all(|word| *word == -7), "{global:?}");
        }
    });
}
