//! Results that are written past the cache are the same.

use situ_ir::{BinaryOperator, DType, FunctionBuilder, NdRange, ValidModule};
use situ_runtime::{Allocation, Argument, BackendKind, Program, Queue, UsmKind};

use crate::{download, on_every_device, pointer, pointer_to, upload, validated};

/// `out[i] = x[i] + x[i]`, and `marks[i] = x[i] == x[i]`.
fn doubling(dtype: DType) -> ValidModule {
    let mut f = FunctionBuilder::kernel("double", 1);
    let out = pointer(&mut f, "out", dtype);
    let marks = pointer(&mut f, "marks", DType::Bool);
    let x = pointer(&mut f, "x", dtype);
    let i = f.global_id(0);
    let element = f.load(x, i);
    let element = f.bind("element", element);
    let sum = f.add(element, element);
    f.store(out, i, sum);
    let is_same = f.binary(BinaryOperator::Equal, element, element);
    f.store(marks, i, is_same);
    validated(f)
}

fn run(queue: &Queue, program: &std::sync::Arc<Program>, bytes: &[u8], len: usize) -> Vec<u8> {
    let x = upload(queue, bytes);
    let out = upload(queue, &vec![0xff_u8; bytes.len()]);
    let marks = upload(queue, &vec![0xff_u8; len]);
    let arguments = [pointer_to(&out), pointer_to(&marks), pointer_to(&x)];
    let range = NdRange::new(&[len as u64]).unwrap();
    let kernel = program.kernel("double").unwrap();
    let event = queue.launch(&kernel, &range, &arguments).unwrap();
    event.wait().unwrap();
    let mut found = download::<u8>(queue, &out);
    found.extend(download::<u8>(queue, &marks));
    found
}

#[test]
fn every_dtype_and_length_gives_the_same_bytes() {
    on_every_device(|queue| {
        for dtype in [
            DType::I8,
            DType::I16,
            DType::I64,
            DType::F32,
            DType::F64,
            DType::C128,
        ] {
            let module = doubling(dtype);
            let plain = Program::compile(queue.device(), &module).unwrap();
            let streaming = Program::compile_streaming(queue.device(), &module).unwrap();
            for len in [1usize, 7, 63, 64, 65, 130, 1023, 5000, 70_001] {
                // Small integers are numbers of no special kind in every dtype.
                let size_bytes = len * dtype.size_bytes();
                let bytes: Vec<u8> = (0..size_bytes).map(|i| (i * 7 % 61) as u8).collect();
                let expected = run(queue, &plain, &bytes, len);
                let found = run(queue, &streaming, &bytes, len);
                assert!(found == expected, "{dtype:?} of {len}");
            }
        }
    });
}

/// An address that such stores cannot write to is refused, and does not end the process.
#[test]
fn memory_that_does_not_start_at_a_line_is_refused() {
    on_every_device(|queue| {
        let program = Program::compile_streaming(queue.device(), &doubling(DType::F64)).unwrap();
        let kernel = program.kernel("double").unwrap();
        let memory = |size_bytes| Allocation::new(queue, size_bytes, UsmKind::Device).unwrap();
        let (out, marks, x) = (memory(8008), memory(1000), upload(queue, &[1.0; 1000]));
        let arguments = [
            Argument::Pointer {
                allocation: out.clone(),
                byte_offset: 8,
            },
            pointer_to(&marks),
            pointer_to(&x),
        ];
        let range = NdRange::new(&[1000]).unwrap();
        let launched = queue.launch(&kernel, &range, &arguments);
        let ended = launched.and_then(|event| event.wait());
        let runs_here = queue.device().streams_from_bytes().is_some();
        match ended {
            Ok(()) => assert!(!runs_here),
            Err(error) => {
                assert!(
                    error.to_string().contains("starts at a cache line"),
                    "{error}"
                );
                assert!(runs_here);
            }
        }
        assert_eq!(
            runs_here,
            matches!(
                queue.device().backend(),
                BackendKind::Native | BackendKind::Virtual
            )
        );
    });
}
