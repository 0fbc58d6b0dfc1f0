//! The law of placement over every pair and triple of queues and USM kinds.

use std::sync::LazyLock;

use situ_ir::DType;
use situ_runtime::backend::virtual_::{self, VirtualRequest};
use situ_runtime::{Context, Partition, QueueProperties};

use super::*;

/// Queues that differ in every way two queues can differ; the first two are equivalent, and the last
/// two are of parts of one device.
fn queues() -> Vec<Queue> {
    let device = Device::default_device();
    let other = situ_runtime::select("reference").expect("it is always there");
    let apart = Context::new(std::slice::from_ref(&device)).unwrap();
    let plain = QueueProperties::default();
    let profiling = QueueProperties {
        enable_profiling: true,
        ..plain
    };
    let default = device.default_context();
    vec![
        Queue::new(&device),
        Queue::with_context(default, &device, plain).unwrap(),
        Queue::with_context(default, &device, profiling).unwrap(),
        Queue::with_context(&apart, &device, plain).unwrap(),
        Queue::new(&other),
        Queue::new(&tile(0)),
        Queue::new(&tile(1)),
    ]
}

/// A part of a virtual device.
fn tile(index: usize) -> Device {
    static TILES: LazyLock<Vec<Device>> = LazyLock::new(|| {
        let requests = VirtualRequest::parse_list("gpu").unwrap();
        let gpus = virtual_::add(&requests, None);
        gpus[0].create_sub_devices(&Partition::Equally(4)).unwrap()
    });
    TILES[index].clone()
}

fn array(queue: &Queue, usm_kind: UsmKind) -> Array {
    Array::empty(&[2], DType::F64, queue, usm_kind).unwrap()
}

fn placer(explicit: Option<&Queue>) -> Placer<'_> {
    Placer {
        operation: Operation::Function("add"),
        explicit,
    }
}

fn place(explicit: Option<&Queue>, arrays: &[&Array]) -> Result<Option<Placement>, Error> {
    let names = ["x1", "x2", "x3"];
    let participants = arrays.iter().map(|array| Participant::Array(array));
    placer(explicit).place(names.into_iter().zip(participants))
}

fn refusal(result: Result<Option<Placement>, Error>) -> Refusal {
    match result {
        Err(Error::Placement(refusal)) => *refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn equivalent_queues_agree_and_the_first_runs_the_call() {
    let queues = queues();
    for (i, first) in queues.iter().enumerate() {
        for (j, second) in queues.iter().enumerate() {
            let (x1, x2) = (
                array(first, UsmKind::Device),
                array(second, UsmKind::Device),
            );
            let result = place(None, &[&x1, &x2]);
            if i == j || (i < 2 && j < 2) {
                assert_eq!(result.unwrap().unwrap().queue, *first, "{i} {j}");
            } else {
                refusal(result);
            }
        }
    }
}

#[test]
fn the_lowest_kind_wins() {
    let queue = Queue::new(&Device::default_device());
    for a in UsmKind::ALL {
        for b in UsmKind::ALL {
            for c in UsmKind::ALL {
                let [x1, x2, x3] = [a, b, c].map(|kind| array(&queue, kind));
                let placed = place(None, &[&x1, &x2, &x3]).unwrap().unwrap();
                let expected = if [a, b, c].contains(&UsmKind::Device) {
                    UsmKind::Device
                } else if [a, b, c].contains(&UsmKind::Shared) {
                    UsmKind::Shared
                } else {
                    UsmKind::Host
                };
                assert_eq!(placed.usm_kind, expected, "{a} {b} {c}");
            }
        }
    }
}

#[test]
fn each_reason_is_told_apart() {
    let queues = queues();
    let [plain, _, profiling, apart, other, tile, neighbour] = &queues[..] else {
        panic!("seven queues")
    };
    for (first, queue, reason) in [
        (plain, profiling, Reason::Properties),
        (plain, apart, Reason::Contexts),
        (plain, other, Reason::Devices),
        (plain, tile, Reason::Devices),
        (tile, neighbour, Reason::DevicesOfOneContext),
    ] {
        let (x1, x2) = (array(first, UsmKind::Host), array(queue, UsmKind::Shared));
        let refused = refusal(place(None, &[&x1, &x2]));
        assert_eq!(refused.reason, reason);
        let Role::Array { home, usm_kind, .. } = &refused.arguments[1].1 else {
            panic!("{refused:?}")
        };
        assert_eq!(home.queue, queue.id());
        assert_eq!(home.context, queue.context().id());
        assert_eq!(home.device, queue.device().filter_string());
        assert_eq!(*usm_kind, UsmKind::Shared);
    }
}

#[test]
fn a_named_queue_needs_the_same_context_only() {
    let queues = queues();
    let x = array(&queues[0], UsmKind::Shared);
    for (position, queue) in queues.iter().enumerate() {
        let result = place(Some(queue), &[&x]);
        if position < 3 {
            let placed = result.unwrap().unwrap();
            assert_eq!(placed.queue, *queue);
            assert_eq!(placed.usm_kind, UsmKind::Shared);
        } else {
            assert_eq!(refusal(result).reason, Reason::NotAccessible);
        }
    }
}

#[test]
fn a_tile_computes_on_what_its_neighbour_allocated() {
    let (here, there) = (Queue::new(&tile(0)), Queue::new(&tile(1)));
    let x = array(&there, UsmKind::Device);
    let placed = place(Some(&here), &[&x]).unwrap().unwrap();
    assert_eq!(placed.queue, here);
    let text = refusal(place(None, &[&array(&here, UsmKind::Device), &x])).to_string();
    assert!(text.contains("`queue=x1.queue`"), "{text}");
    assert!(
        text.contains("`x2 = x2.to_device(x1.queue)`, which copies nothing"),
        "{text}"
    );
}

#[test]
fn scalars_never_decide_and_host_arrays_are_refused() {
    let queue = Queue::new(&Device::default_device());
    let x = array(&queue, UsmKind::Device);
    let scalars = [("x1", Participant::Scalar), ("x2", Participant::Scalar)];
    assert!(placer(None).place(scalars.into_iter()).unwrap().is_none());
    let named = placer(Some(&queue)).place(scalars.into_iter());
    assert_eq!(named.unwrap().unwrap().queue, queue);
    for (arguments, reason) in [
        (
            [
                ("x1", Participant::HostArray),
                ("x2", Participant::Array(&x)),
            ],
            Reason::HostAndDevice,
        ),
        (
            [("x1", Participant::Scalar), ("x2", Participant::HostArray)],
            Reason::HostOnly,
        ),
    ] {
        for explicit in [None, Some(&queue)] {
            let result = placer(explicit).place(arguments.into_iter());
            assert_eq!(refusal(result).reason, reason);
        }
    }
}

#[test]
fn outputs_take_part_and_others_are_brought_to_them() {
    let queues = queues();
    let (x, out) = (
        array(&queues[0], UsmKind::Device),
        array(&queues[4], UsmKind::Device),
    );
    let arguments = [
        ("x", Participant::Array(&x)),
        ("out", Participant::Output(&out)),
    ];
    let refused = refusal(placer(None).place(arguments.into_iter()));
    let text = refused.to_string();
    assert!(text.contains("`x = x.to_device(out.queue)`"), "{text}");
}

#[test]
fn the_text_names_everything() {
    let queues = queues();
    let x1 = array(&queues[0], UsmKind::Device);
    let x2 = array(&queues[4], UsmKind::Host);
    let text = refusal(place(None, &[&x1, &x2])).to_string();
    let (home1, home2) = (queues[0].clone(), queues[4].clone());
    let expected = format!(
        "cannot run `add` on arrays of different devices\n  why:  `x1` is device memory on \
         native:cpu:0 (queue {}, context {})\n        `x2` is host memory on reference:cpu:0 (queue \
         {}, context {})\n        the devices differ, and situ computes where the data lives\n  help: \
         bring the arrays together first, e.g. `x2 = x2.to_device(x1.queue)`",
        home1.id(),
        home1.context().id(),
        home2.id(),
        home2.context().id()
    );
    assert_eq!(text, expected);
}

#[test]
fn an_array_that_is_changed_in_place_is_named_once() {
    let queues = queues();
    let (x1, x2) = (
        array(&queues[0], UsmKind::Device),
        array(&queues[3], UsmKind::Device),
    );
    let arguments = [
        ("x1", Participant::Array(&x1)),
        ("x2", Participant::Array(&x2)),
        ("out", Participant::Output(&x1)),
    ];
    let text = refusal(placer(None).place(arguments.into_iter())).to_string();
    assert!(!text.contains("`out`"), "{text}");
    assert!(text.contains("`x2 = x2.to_device(x1.queue)`"), "{text}");
}
