//! Arguments: each mistake has its own error, which names the parameter.

use situ_ir::{DType, FunctionBuilder, Literal, NdRange, Type};
use situ_runtime::error::ArgumentKind;
use situ_runtime::{Allocation, Argument, Context, Error, Queue, QueueProperties, UsmKind};

use crate::{compile, download, every_device, on_every_device, pointer, pointer_to, upload};

/// `out[i] = value`.
fn filling_kernel() -> FunctionBuilder {
    let mut f = FunctionBuilder::kernel("fill", 1);
    let out = pointer(&mut f, "out", DType::I64);
    let value = f.parameter("value", Type::Scalar(DType::I64));
    let i = f.global_id(0);
    f.store(out, i, value);
    f
}

fn one() -> NdRange {
    NdRange::new(&[1]).unwrap()
}

#[test]
fn the_number_of_arguments_is_checked() {
    on_every_device(|queue| {
        let kernel = compile(queue, filling_kernel());
        let out = upload(queue, &[0i64]);
        for count in [0usize, 1, 3] {
            let arguments = vec![pointer_to(&out); count];
            match queue.launch(&kernel, &one(), &arguments) {
                Err(Error::ArgumentCount {
                    kernel,
                    parameters,
                    found,
                }) => {
                    assert_eq!(kernel, "fill");
                    assert_eq!(parameters, ["out", "value"]);
                    assert_eq!(found, count);
                }
                other => panic!("unexpected {other:?}"),
            }
        }
    });
}

#[test]
fn kinds_and_dtypes_are_checked() {
    on_every_device(|queue| {
        let kernel = compile(queue, filling_kernel());
        let out = upload(queue, &[0i64]);
        let number = Argument::Scalar(Literal::I64(1));
        let cases = [
            (
                [number.clone(), number.clone()],
                "out",
                ArgumentKind::Scalar(DType::I64),
            ),
            (
                [pointer_to(&out), pointer_to(&out)],
                "value",
                ArgumentKind::Pointer,
            ),
            (
                [pointer_to(&out), Argument::Scalar(Literal::F64(1.0))],
                "value",
                ArgumentKind::Scalar(DType::F64),
            ),
            (
                [Argument::Local { size_bytes: 8 }, number],
                "out",
                ArgumentKind::Local,
            ),
        ];
        for (arguments, name, kind) in cases {
            match queue.launch(&kernel, &one(), &arguments) {
                Err(Error::ArgumentType {
                    parameter, found, ..
                }) => {
                    assert_eq!((parameter.as_str(), found), (name, kind));
                }
                other => panic!("unexpected {other:?}"),
            }
        }
    });
}

#[test]
fn pointers_may_start_inside_an_allocation() {
    on_every_device(|queue| {
        let kernel = compile(queue, filling_kernel());
        let out = upload(queue, &[0i64; 4]);
        let arguments = [
            Argument::Pointer {
                allocation: out.clone(),
                byte_offset: 16,
            },
            Argument::Scalar(Literal::I64(7)),
        ];
        queue.launch(&kernel, &one(), &arguments).unwrap();
        assert_eq!(download::<i64>(queue, &out), [0, 0, 7, 0]);
    });
}

#[test]
fn pointers_outside_or_between_elements_are_refused() {
    on_every_device(|queue| {
        let kernel = compile(queue, filling_kernel());
        let out = upload(queue, &[0i64; 4]);
        for byte_offset in [33, 40, usize::MAX, 1, 4] {
            let arguments = [
                Argument::Pointer {
                    allocation: out.clone(),
                    byte_offset,
                },
                Argument::Scalar(Literal::I64(7)),
            ];
            let result = queue.launch(&kernel, &one(), &arguments);
            assert!(
                matches!(result, Err(Error::PointerOffset { .. })),
                "{result:?}"
            );
        }
        assert_eq!(download::<i64>(queue, &out), [0; 4]);
    });
}

#[test]
fn memory_of_another_device_is_refused() {
    on_every_device(|queue| {
        let devices = every_device();
        let other = devices
            .iter()
            .find(|device| *device != queue.device())
            .unwrap();
        let foreign = Allocation::new(&Queue::new(other), 8, UsmKind::Device).unwrap();
        let kernel = compile(queue, filling_kernel());
        let arguments = [pointer_to(&foreign), Argument::Scalar(Literal::I64(7))];
        match queue.launch(&kernel, &one(), &arguments) {
            Err(Error::ForeignAllocation { parameter, device }) => {
                assert_eq!(parameter, Some(("fill".to_owned(), "out".to_owned())));
                assert_eq!(device, queue.device().filter_string());
            }
            result => panic!("unexpected {result:?}"),
        }
    });
}

/// Also of the same device, and then the queue goes on.
#[test]
fn memory_of_another_context_is_refused() {
    on_every_device(|queue| {
        let device = queue.device();
        let context = Context::new(std::slice::from_ref(device)).unwrap();
        let elsewhere = Queue::with_context(&context, device, QueueProperties::default()).unwrap();
        let foreign = Allocation::new(&elsewhere, 8, UsmKind::Device).unwrap();
        let kernel = compile(queue, filling_kernel());
        let number = Argument::Scalar(Literal::I64(7));
        let arguments = [pointer_to(&foreign), number.clone()];
        let error = queue.launch(&kernel, &one(), &arguments).unwrap_err();
        let message = error.to_string();
        for part in [
            "argument `out` of `fill`",
            "another context",
            "copy the data",
        ] {
            assert!(message.contains(part), "{message}");
        }
        let own = upload(queue, &[0_i64]);
        queue
            .launch(&kernel, &one(), &[pointer_to(&own), number])
            .unwrap();
        assert_eq!(download::<i64>(queue, &own), [7]);
    });
}

#[test]
fn kernels_run_on_their_own_device_only() {
    on_every_device(|queue| {
        let devices = every_device();
        let other = devices
            .iter()
            .find(|device| *device != queue.device())
            .unwrap();
        let kernel = compile(queue, filling_kernel());
        let result = Queue::new(other).launch(&kernel, &one(), &[]);
        assert!(
            matches!(result, Err(Error::WrongDevice { .. })),
            "{result:?}"
        );
    });
}

#[test]
fn programs_list_the_kernels_they_have() {
    on_every_device(|queue| {
        let kernel = compile(queue, filling_kernel());
        match kernel.program().kernel("file") {
            Err(Error::UnknownKernel { name, available }) => {
                assert_eq!(
                    (name.as_str(), available),
                    ("file", vec!["fill".to_owned()])
                );
            }
            other => panic!("unexpected {other:?}"),
        }
    });
}

#[test]
fn kernels_may_have_many_arguments() {
    on_every_device(|queue| {
        let mut f = FunctionBuilder::kernel("sum", 1);
        let out = pointer(&mut f, "out", DType::I64);
        let parameters: Vec<_> = (0..60)
            .map(|k| f.parameter(format!("p{k}"), Type::Scalar(DType::I64)))
            .collect();
        let sum = parameters
            .into_iter()
            .reduce(|sum, next| f.add(sum, next))
            .unwrap();
        let i = f.global_id(0);
        f.store(out, i, sum);
        let kernel = compile(queue, f);
        let out = upload(queue, &[0i64]);
        let numbers = (0..60).map(|k| Argument::Scalar(Literal::I64(k * k)));
        let arguments: Vec<_> = std::iter::once(pointer_to(&out)).chain(numbers).collect();
        queue.launch(&kernel, &one(), &arguments).unwrap();
        assert_eq!(
            download::<i64>(queue, &out),
            [(0..60).map(|k| k * k).sum::<i64>()]
        );
    });
}
