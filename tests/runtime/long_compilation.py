"""Program that interrupts the compilation of a large function: `python long_compilation.py HOW`.

Prints the first line of what situ says. Ctrl-C that comes before the compilation has begun is
pressed again, later, with another function.
"""

import linecache
import os
import signal
import sys
import threading

import numpy as np

import situ

# Enough for several seconds of compilation: kernels are optimised for vectors, too.
STATEMENTS = {"kernel": 1500, "njit": 6000}
DELAYS_SECONDS = (1.0, 2.0, 4.0, 8.0)


def large_function(how: str, number: int) -> object:
    """Return a kernel or njit function that takes long to compile."""
    body = [
        f"    if v > {k}.{number}:\n        v = v * x[(i + {k}) % 64] + np.sin(v)"
        for k in range(STATEMENTS[how])
    ]
    if how == "kernel":
        head = [f"def big{number}(x):", "    i = situ.get_global_id(0)", "    v = x[i]"]
        tail = ["    x[i] = v"]
    else:
        head = [f"def big{number}(x, i):", "    v = x[i]"]
        tail = ["    return v"]
    text = "\n".join([*head, *body, *tail]) + "\n"
    name = f"<large function {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"situ": situ, "np": np}
    exec(compile(text, name, "exec"), namespace)
    return getattr(situ, how)(namespace[f"big{number}"])


def main(how: str) -> None:
    # Programs that are started in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    x = situ.zeros(64)
    for number, delay in enumerate(DELAYS_SECONDS):
        function = large_function(how, number)
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            function[64](x) if how == "kernel" else function(x, 0)
            print("the compilation ended", flush=True)
            break
        except KeyboardInterrupt as error:
            notes = getattr(error, "__notes__", None)
            if notes:
                print(notes[0].split("\n")[0], flush=True)
                break
    # Compilers cannot be stopped; nothing waits for them.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
