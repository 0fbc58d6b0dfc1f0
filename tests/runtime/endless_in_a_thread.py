"""Program that interrupts the main thread while another runs an endless kernel on the spot.

`python endless_in_a_thread.py CASE DEVICE` prints what became of the main thread and of the other.
"""

import os
import signal
import sys
import threading

import situ

PATIENCE_SECONDS = 60
DELAY_SECONDS = 0.5


@situ.kernel
def spin(x, limit):
    i = situ.get_global_id(0)
    while x[i] < limit:
        x[i] = x[i] * 1.0


class Other(threading.Thread):
    """A thread that runs an endless kernel, and notes how that ends."""

    def __init__(self, x: situ.ndarray) -> None:
        super().__init__(daemon=True)
        self.x = x
        self.outcome = "goes on"

    def run(self) -> None:
        """Run the kernel."""
        try:
            spin[64](self.x, 1.0)
            self.outcome = "ended"
        except situ.SituError as error:
            self.outcome = str(error).split("\n")[0]


def press() -> None:
    """Press Ctrl-C after a while."""
    timer = threading.Timer(DELAY_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()


def work(case: str, queue: situ.Queue, y: situ.ndarray) -> None:
    """Do something that comes after the endless kernel."""
    match case:
        case "launch":
            spin[64](y, 0.0)
        case "submit":
            queue.submit(spin, 64, y, 0.0).wait()
        case "wait":
            queue.wait()
        case "barrier":
            queue.barrier().wait()
        case "array":
            (y + 1.0).to_numpy()


def main(case: str, device: str) -> None:
    # Programs that are started in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    queue = situ.Queue(device)
    x = situ.zeros(64, queue=queue)
    # Kernels that are known to be brief are run by the thread that launches them.
    for _ in range(30):
        spin[64](x, 0.0)
    queue.wait()
    own = situ.Queue(queue.context, queue.device) if case == "other_queue" else queue
    y = situ.zeros(64, queue=own)
    own.wait()
    other = Other(x)
    other.start()
    # The other thread has let go of the GIL when it runs the kernel.
    other.join(DELAY_SECONDS)
    press()
    try:
        work("launch" if case == "other_queue" else case, own, y)
        print("main: ended", flush=True)
    except KeyboardInterrupt:
        print("main: interrupted", flush=True)
    if case == "other_queue":
        print(f"other: {other.outcome}", flush=True)
        os._exit(0)
    other.join(PATIENCE_SECONDS)
    print(f"other: {other.outcome}", flush=True)
    y += 1.0
    spin[64](y, 0.0)
    queue.wait()
    assert y.tolist() == [1.0] * 64
    print("the queue is usable", flush=True)
    # What still runs would keep the process.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
