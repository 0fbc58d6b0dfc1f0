"""Two devices at once: each half of the data on its own GPU, and a picture of who worked when.

Run it with ``python examples/overlap.py``. The GPUs are virtual, so it works on any machine; with
two real ones, take out `virtual_devices` and everything else stays as it is.
"""

import numpy as np

import situ
from situ.testing import virtual_devices

STEPS = 6
WIDTH = 64


@situ.kernel
def accumulate(x, total):
    """Add the sine of each element."""
    i = situ.get_global_id(0)
    total[i] = total[i] + situ.sin(x[i])


def timeline(rows: dict[str, list[situ.Event]]) -> str:
    """Draw when the work of each row ran."""
    begin = min(event.submit_ns for events in rows.values() for event in events)
    end = max(event.end_ns for events in rows.values() for event in events)

    def column(ns: int) -> int:
        return (ns - begin) * (WIDTH - 1) // (end - begin)

    lines = []
    for name, events in rows.items():
        line = ["·"] * WIDTH
        for number, event in enumerate(events):
            for position in range(column(event.start_ns), column(event.end_ns) + 1):
                line[position] = str(number % 10)
        lines.append(f"{name:>14} {''.join(line)}")
    lines.append(f"{'':>14} {(end - begin) / 1e6:.1f} ms in all")
    return "\n".join(lines)


def main() -> None:
    """Submit everything, then wait once."""
    values = np.linspace(0.0, 10.0, 1_000_000)
    halves = np.split(values, 2)
    with virtual_devices("gpu:2") as gpus:
        queues = [situ.Queue(gpu, enable_profiling=True) for gpu in gpus]
        parts = [situ.asarray(half, queue=q) for half, q in zip(halves, queues, strict=True)]
        totals = [situ.zeros(part.shape, queue=part.queue) for part in parts]
        for queue, part in zip(queues, parts, strict=True):
            accumulate(part, part.copy())  # compiles, so that the picture shows work only
            queue.wait()
        events = {gpu.filter_string: [] for gpu in gpus}
        for _ in range(STEPS):
            for queue, part, total in zip(queues, parts, totals, strict=True):
                event = queue.submit(accumulate, part.shape, part, total)
                events[queue.device.filter_string].append(event)
        print(f"submitted {2 * STEPS} launches; {sum(q.pending for q in queues)} still pending")
        try:
            totals[0] + totals[1]
        except situ.PlacementError as error:
            print(f"\nand two GPUs do not mix by accident:\n{error}\n")
        together = totals[0] + totals[1].to_device(queues[0])
        expected = STEPS * (np.sin(halves[0]) + np.sin(halves[1]))
        print("right answer:", np.allclose(together.to_numpy(), expected), "\n")
        print(timeline(events))


if __name__ == "__main__":
    main()
