"""Run by a test with the real dpctl and with situ's: tells what filter strings mean."""

import json

FILTERS = [
    *("cpu", "0", "cpu:0", "gpu,cpu", "level_zero,cpu", "cpu:opencl", "opencl:0", "opencl"),
    *("opencl:cpu", "opencl:cpu:0", "opencl:cpu:1", "cpu:opencl:1"),
    *("gpu", "level_zero:gpu", "level_zero", "opencl:gpu", "cuda", "hip:gpu:0", "accelerator"),
    *("", "foo", " cpu", "OPENCL:CPU", "*", "opencl:*:0", "cpu:cpu", "-1", "custom", "host", "99"),
]
FACTS = [
    *("name", "vendor", "is_cpu", "is_gpu", "max_compute_units", "global_mem_size"),
    *("max_work_group_size", "max_work_item_dims", "max_work_item_sizes3d", "has_aspect_fp64"),
    *("has_aspect_cpu", "native_vector_width_float", "partition_max_sub_devices"),
    *("has_aspect_usm_device_allocations", "has_aspect_atomic64", "filter_string"),
]


def outcome(make, text: str) -> str:
    """Return what a filter string leads to."""
    try:
        made = make(text)
    except Exception as error:
        return "refused" if type(error).__name__ != "TypeError" else "TypeError"
    device = getattr(made, "sycl_device", made)
    named = "opencl" in text and "level_zero" not in text
    return f"{device.device_type.name} {device.name if named else ''}"


def main() -> None:
    """Print what each filter string means, and what the first device of OpenCL's is."""
    import dpctl

    classes = [dpctl.SyclDevice, dpctl.SyclQueue]
    found = {text: [outcome(make, text) for make in classes] for text in FILTERS}
    facts = {}
    if dpctl.get_num_devices(backend="opencl"):
        device = dpctl.SyclDevice("opencl:cpu:0")
        facts = {name: getattr(device, name) for name in FACTS}
        facts["backend"] = device.backend.name
        facts["is_of_backend"] = device.backend == dpctl.backend_type.opencl
        facts["roundtrip"] = dpctl.SyclDevice(device.filter_string) == device
        facts["type_only"] = device.get_filter_string(include_device_type=False)
    found["counts"] = [
        dpctl.has_gpu_devices(),
        dpctl.has_cpu_devices(),
        len(dpctl.get_devices(backend="level_zero")),
        dpctl.SyclQueue("cpu", property=["in_order", "enable_profiling"]).has_enable_profiling,
        isinstance(dpctl.SyclQueue().sycl_device, dpctl.SyclDevice),
        dpctl.SyclEvent().execution_status == dpctl.event_status_type.complete,
    ]
    print(json.dumps({"filters": found, "facts": facts}, default=list))


if __name__ == "__main__":
    main()
