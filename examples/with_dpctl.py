"""Memory and queues in common with dpctl: situ works in place, and dpctl reads the result.

Run it with ``python examples/with_dpctl.py``. It needs ``pip install dpctl intel-opencl-rt``, or
dpctl and the driver of a GPU.
"""

import numpy as np

import situ

try:
    import dpctl
    import dpctl.memory
except ImportError:
    dpctl = None


@situ.kernel
def heat(source, target):
    """Do one step of heat flowing along a rod."""
    i = situ.get_global_id(0)
    left = source[max(i - 1, 0)]
    right = source[min(i + 1, source.shape[0] - 1)]
    target[i] = 0.25 * left + 0.5 * source[i] + 0.25 * right


def main() -> None:
    """Heat a rod in memory of dpctl."""
    if dpctl is None:
        print("this example needs dpctl: pip install dpctl intel-opencl-rt")
        return
    if not situ.devices("sycl"):
        print("dpctl offers no device that situ can use; `situ doctor` says why")
        return

    ours = situ.Queue("sycl")
    queue = ours.to_dpctl()
    print(f"{ours} is {queue}")

    memory = dpctl.memory.MemoryUSMShared(64 * 8, queue=queue)
    np.frombuffer(memory, dtype="f8")[:] = 0.0
    np.frombuffer(memory, dtype="f8")[:8] = 100.0

    rod = situ.memory.as_array(memory, situ.float64)
    print(f"dpctl allocated it at {memory._pointer:#x}, situ works at", end=" ")
    print(f"{situ.memory.as_allocation(rod).pointer:#x}")
    assert rod.queue == situ.Queue(queue) == ours

    other = situ.zeros(64, queue=queue)
    for _ in range(50):
        heat(rod, other)
        heat(other, rod)

    # Read by dpctl, from its own memory.
    shades = np.frombuffer(memory.copy_to_host(), dtype="f8")
    print("".join(" .:-=+*#%@"[min(int(value / 10), 9)] for value in shades))

    total = dpctl.memory.as_usm_memory(situ.sum(rod))
    print(f"heat in all: {np.frombuffer(total.copy_to_host(), dtype='f8')[0]:.3f} of 800")


if __name__ == "__main__":
    main()
