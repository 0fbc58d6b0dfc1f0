//! What queues promise, apart from running work: `tests/every_backend` does that.

use super::*;

#[test]
fn queues_of_one_device_are_equivalent_but_not_equal() {
    let device = Device::default_device();
    let (first, second) = (Queue::new(&device), Queue::new(&device));
    assert!(first.is_equivalent(&second));
    assert_ne!(first, second);
    assert_eq!(first, first.clone());
    assert!(!first.is_equivalent(&Queue::new(&Device::all()[1])));
}

#[test]
fn context_and_properties_matter_for_equivalence() {
    let device = Device::default_device();
    let plain = Queue::new(&device);
    let profiling = QueueProperties {
        enable_profiling: true,
        ..QueueProperties::default()
    };
    let default = device.default_context();
    let profiled = Queue::with_context(default, &device, profiling).unwrap();
    assert!(!plain.is_equivalent(&profiled));
    let own_context = Context::new(std::slice::from_ref(&device)).unwrap();
    let apart = Queue::with_context(&own_context, &device, plain.properties()).unwrap();
    assert!(!plain.is_equivalent(&apart));
    let same = Queue::with_context(default, &device, plain.properties()).unwrap();
    assert!(plain.is_equivalent(&same));
}

#[test]
fn a_queue_needs_a_device_of_its_context() {
    let devices = Device::all();
    let (native, reference) = (&devices[0], &devices[1]);
    let properties = QueueProperties::default();
    let result = Queue::with_context(native.default_context(), reference, properties);
    assert!(
        matches!(result, Err(Error::DeviceNotInContext { .. })),
        "{result:?}"
    );
    let mixed = Context::new(&[native.clone(), reference.clone()]);
    assert!(matches!(mixed, Err(Error::BadContext { .. })), "{mixed:?}");
    assert!(matches!(Context::new(&[]), Err(Error::BadContext { .. })));
}
