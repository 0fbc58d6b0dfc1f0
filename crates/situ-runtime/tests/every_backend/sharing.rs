//! Many threads at once, programs used again, arguments that share memory.

use situ_ir::{DType, FunctionBuilder, NdRange};
use situ_runtime::{Argument, Partition, Program, Queue};

use crate::{
    compile, counting_kernel, download, on_every_device, pointer, pointer_to, upload, validated,
};

#[test]
fn two_arguments_may_point_into_one_allocation() {
    on_every_device(|queue| {
        let mut f = FunctionBuilder::kernel("shift", 1);
        let from = pointer(&mut f, "from", DType::I64);
        let to = pointer(&mut f, "to", DType::I64);
        let i = f.global_id(0);
        let element = f.load(from, i);
        f.store(to, i, element);
        let kernel = compile(queue, f);
        let memory = upload(queue, &[1i64, 2, 3, 4, 0, 0, 0, 0]);
        let arguments = [
            pointer_to(&memory),
            Argument::Pointer {
                allocation: memory.clone(),
                byte_offset: 32,
            },
        ];
        queue
            .launch(&kernel, &NdRange::new(&[4]).unwrap(), &arguments)
            .unwrap();
        assert_eq!(download::<i64>(queue, &memory), [1, 2, 3, 4, 1, 2, 3, 4]);
    });
}

#[test]
fn threads_launch_on_queues_of_their_own() {
    on_every_device(|queue| {
        let kernel = compile(queue, counting_kernel());
        std::thread::scope(|scope| {
            for thread in 1..=6usize {
                let kernel = &kernel;
                scope.spawn(move || {
                    let queue = Queue::new(queue.device());
                    for round in 0..10 {
                        let len = thread * 101 + round;
                        let out = upload(&queue, &vec![0i64; len]);
                        let range = NdRange::new(&[len as u64]).unwrap();
                        queue.launch(kernel, &range, &[pointer_to(&out)]).unwrap();
                        let expected: Vec<i64> = (0..len as i64).collect();
                        assert_eq!(download::<i64>(&queue, &out), expected);
                    }
                });
            }
        });
    });
}

#[test]
fn threads_compile_the_same_module_at_once() {
    on_every_device(|queue| {
        let module = validated(counting_kernel());
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let program = Program::compile(queue.device(), &module).unwrap();
                    let kernel = program.kernel("count").unwrap();
                    let out = upload(queue, &[0i64; 5]);
                    queue
                        .launch(&kernel, &NdRange::new(&[5]).unwrap(), &[pointer_to(&out)])
                        .unwrap();
                    assert_eq!(download::<i64>(queue, &out), [0, 1, 2, 3, 4]);
                });
            }
        });
    });
}

#[test]
fn a_kernel_outlives_its_program_and_module() {
    on_every_device(|queue| {
        let kernel = compile(queue, counting_kernel());
        let copy = kernel.clone();
        drop(kernel);
        let out = upload(queue, &[0i64; 3]);
        queue
            .launch(&copy, &NdRange::new(&[3]).unwrap(), &[pointer_to(&out)])
            .unwrap();
        assert_eq!(download::<i64>(queue, &out), [0, 1, 2]);
    });
}

#[test]
fn parts_of_a_device_work_on_memory_of_the_whole() {
    on_every_device(|whole| {
        let memory = upload(whole, &[0i64; 500]);
        // A device of a single unit has no parts.
        let parts = whole.device().create_sub_devices(&Partition::Equally(1));
        for part in parts.unwrap_or_default() {
            let queue = Queue::new(&part);
            assert_eq!(queue.context(), whole.context());
            let kernel = compile(&queue, counting_kernel());
            let range = NdRange::new(&[500]).unwrap();
            let event = queue.launch(&kernel, &range, &[pointer_to(&memory)]);
            event.unwrap().wait().unwrap();
            let expected: Vec<i64> = (0..500).collect();
            assert_eq!(download::<i64>(whole, &memory), expected);
        }
    });
}
