"""Program that interrupts endless work: `python endless.py CASE DEVICE [PROPERTY...]`.

Prints `interrupted` for each time that Ctrl-C ended the work and the queue was usable afterwards.
On a busy machine Ctrl-C may come after a launch and before the wait, when nothing waits that could
stop the kernel. Then it is pressed again, and `interrupted again` is printed.
"""

# ruff: noqa: D102 -- the methods of `Case` are the cases, named after what they do.

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

import numpy as np

import situ
from situ.kernel_api import NdItem, group_barrier

REPEATS = 3
DELAY_SECONDS = 0.3
AGAIN_SECONDS = 5.0


@situ.kernel
def spin(x, limit):
    i = situ.get_global_id(0)
    while x[i] < limit:
        x[i] = x[i] * 1.0


@situ.kernel
def count(x, rounds):
    i = situ.get_global_id(0)
    total = 0.0
    for k in range(rounds):
        total = total * 0.5 + k
    x[i] = total


@situ.kernel
def spin_in_groups(item: NdItem, x, limit):
    while limit > 0.0:
        group_barrier(item.get_group())
        x[item.get_global_id(0)] = limit


@situ.njit
def never(value):
    total = 0
    while value != 0:
        total = (total * 3 + value) & 1023
    return total


@situ.njit
def never_in_parallel(value):
    total = 0
    for _ in situ.prange(64):
        own = 0
        while value != 0:
            own = (own * 3 + value) & 1023
        total += own
    return total


@situ.njit
def never_in_elements(x, value):
    while x[0] < value:
        x[1] = x[1] + 1.0
    return x[1]


@situ.njit
def never_in_rounds(x, value):
    total = 0.0
    while value != 0:
        for i in situ.prange(x.shape[0]):
            total += x[i] * 0.5
    return total


@situ.njit
def never_out_of_a_round(x, value):
    for _ in range(2):
        for i in situ.prange(x.shape[0]):
            while x[i] < value:
                x[i] = x[i] * 1.0
    return x


@situ.njit
def never_with_arrays(x, value):
    while value != 0:
        x = situ.sqrt(x)
    return x


def never_for_numba(x, value):
    while value != 0:
        x = np.sqrt(x)
    return x


@situ.njit
def recurse(depth):
    if depth == 0:
        return 1
    return recurse(depth - 1) + recurse(depth - 1)


class Case:
    """A queue with an array that endless kernels use."""

    def __init__(self, device: str, **properties: bool) -> None:
        self.queue = situ.Queue(device, **properties)
        self.x = situ.zeros(64, queue=self.queue)

    def warm_up(self) -> None:
        """Launch the kernel until it is known to be brief."""
        for _ in range(30):
            spin[64](self.x, 0.0)
        self.queue.wait()

    def check_queue(self) -> None:
        """Check that the queue is usable."""
        y = situ.ones(3, queue=self.queue)
        y += 1.0
        assert y.tolist() == [2.0, 2.0, 2.0]
        self.queue.wait()
        spin[64](situ.zeros(64, queue=self.queue), 0.0)
        self.queue.wait()

    # Endless work, each with one way to wait.

    def inline(self) -> None:
        self.warm_up()
        spin[64](self.x, 1.0)
        self.queue.wait()

    def queue_wait(self) -> None:
        spin[64](self.x, 1.0)
        self.queue.wait()

    def event_wait(self) -> None:
        self.queue.submit(spin, 64, self.x, 1.0).wait()

    def later_work(self) -> None:
        spin[64](self.x, 1.0)
        other = situ.ones(8, queue=self.queue)
        other += 1.0
        other.to_numpy()

    def other_queue(self) -> None:
        spin[64](self.x, 1.0)
        queue = situ.Queue(self.queue.context, self.queue.device)
        (self.x.to_device(queue) + 1.0).to_numpy()

    def to_numpy(self) -> None:
        spin[64](self.x, 1.0)
        self.x.to_numpy()

    def asarray(self) -> None:
        spin[64](self.x, 1.0)
        np.asarray(self.x)

    def tolist(self) -> None:
        spin[64](self.x, 1.0)
        self.x.tolist()

    def repr(self) -> None:
        spin[64](self.x, 1.0)
        repr(self.x)

    def float(self) -> None:
        spin[64](self.x, 1.0)
        float(self.x[0])

    def bool(self) -> None:
        spin[64](self.x, 1.0)
        bool(self.x[0])

    def reduction(self) -> None:
        spin[64](self.x, 1.0)
        float(self.x.sum())

    def one_work_item(self) -> None:
        spin[1](self.x, 1.0)
        self.queue.wait()

    def counted_loop(self) -> None:
        for _ in range(30):
            count[64](self.x, 1)
        count[64](self.x, 10**15)
        self.queue.wait()

    def many_work_items(self) -> None:
        for _ in range(30):
            count[64](self.x, 1)
        count[8_000_000](situ.zeros(8_000_000, queue=self.queue), 10**6)
        self.queue.wait()

    def groups(self) -> None:
        spin_in_groups[situ.NdRange(64, 32)](self.x, 1.0)
        self.queue.wait()

    def njit(self) -> None:
        never(0)
        never(1)

    def njit_elements(self) -> None:
        never_in_elements(self.x, 0.0)
        never_in_elements(self.x, 1.0)

    def njit_prange(self) -> None:
        never_in_parallel(0)
        never_in_parallel(1)

    def njit_rounds(self) -> None:
        never_in_rounds(self.x, 0)
        never_in_rounds(self.x, 1)
        self.queue.wait()

    def njit_many_rounds(self) -> None:
        many = situ.zeros(1_000_000, queue=self.queue)
        never_in_rounds(many, 0)
        never_in_rounds(many, 1)
        self.queue.wait()

    def njit_round(self) -> None:
        never_out_of_a_round(self.x, -1.0)
        never_out_of_a_round(self.x, 1.0)
        self.queue.wait()

    def njit_walked(self) -> None:
        never_with_arrays(self.x, 1)

    def numba_njit(self) -> None:
        import numba

        numba.njit(never_for_numba)(self.x, 1)

    def njit_recursion(self) -> None:
        recurse(3)
        recurse(60)


class Presser:
    """Presses Ctrl-C after a while, and again every few seconds until it is told to stop."""

    def __init__(self) -> None:
        self.count = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._press)
        self._thread.start()

    def _press(self) -> None:
        delay = DELAY_SECONDS
        while not self._stopped.wait(delay):
            self.count += 1
            os.kill(os.getpid(), signal.SIGINT)
            delay = AGAIN_SECONDS

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()


def run(case: Case, work: Callable[[Case], None]) -> None:
    presser = Presser()
    try:
        work(case)
    except KeyboardInterrupt:
        presser.stop()
    else:
        print("the work ended", flush=True)
        os._exit(1)
    again = presser.count > 1 or is_still_running(case)
    case.check_queue()
    print("interrupted again" if again else "interrupted", flush=True)


def is_still_running(case: Case) -> bool:
    """Press Ctrl-C in a wait for the queue, unless the wait ends before; return whether it did."""
    presser = Presser()
    try:
        case.queue.wait()
        presser.stop()
    except KeyboardInterrupt:
        presser.stop()
        return True
    except situ.SituError:
        presser.stop()
    return False


def leave_running(case: Case) -> NoReturn:
    """Interrupt a kernel that goes on, print the first line of what situ says, and end."""
    case.warm_up()
    Presser()
    try:
        case.queue_wait()
    except KeyboardInterrupt as error:
        print("".join(error.__notes__).split("\n")[0], flush=True)
    # Nothing else would end the kernel.
    os._exit(0)


def main(name: str, device: str, *properties: str) -> None:
    # Programs that are started in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if name == "driver":
        leave_running(Case(device))
    for _ in range(REPEATS):
        case = Case(device, **{each: each != "in_order" for each in properties})
        run(case, getattr(Case, name))


if __name__ == "__main__":
    main(*sys.argv[1:])
