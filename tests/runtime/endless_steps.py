"""Program with endless loops on the reference device: `python endless_steps.py CASE SETTING`.

Prints the error, and `usable` if the queue still works.
"""

import sys

import situ


def main(case: str, setting: str) -> None:
    # The folder of this program is searched only when it is run.
    from endless import never_in_elements, never_in_parallel, spin, spin_in_groups

    device = "cpu" if setting == "sanitize" else "reference"
    queue = situ.Queue(device)
    situ.set_default_queue(queue)
    x = situ.zeros(64, queue=queue)
    try:
        if case == "kernel":
            spin[64](x, 1.0)
        elif case == "groups":
            spin_in_groups[situ.NdRange(64, 32)](x, 1.0)
        elif case == "njit":
            never_in_elements(x, 1.0)
        else:
            never_in_parallel(1)
        queue.wait()
    except situ.KernelError as error:
        print(error)
    y = situ.ones(3, queue=queue)
    assert (y + 1.0).tolist() == [2.0, 2.0, 2.0]
    queue.wait()
    print("usable")


if __name__ == "__main__":
    main(*sys.argv[1:])
