"""Nothing runs over the end of a stack: private arrays, recursion and nesting, on any thread.

A mistake here ends the process, so every case runs in one of its own.
"""

import subprocess
import sys
from pathlib import Path

import pytest

# The documented limit of private arrays.
LIMIT_BYTES = 262_144

SIZES = {"bool": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint64": 8}
SIZES |= {"float16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16}

# Calls `work()` on the main thread, or on one with a stack of this many bytes.
ON_THREAD = """
import sys, threading
size = int(sys.argv[1])
if size:
    threading.stack_size(size)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    work()
"""

# Sums up a private array in two loops, which are vectorised if that pays.
PRIVATE = """
@situ.kernel
def private_{dtype}(a, out):
    i = situ.get_global_id(0)
    p = situ.private.array({length}, situ.{dtype})
    for j in range({length}):
        p[j] = a[i]
    s = p[0]
    for j in range({length}):
        s = s {operator} p[j]
    out[i] = s
"""


def run(folder: Path, source: str, stack_bytes: int = 0) -> list[str]:
    """Return the lines that a program prints that ends well."""
    file = folder / "program.py"
    file.write_text("import situ\n" + source + ON_THREAD)
    command = [sys.executable, str(file), str(stack_bytes)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    assert not done.stderr, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("stack_bytes", [0, 131_072])
def test_private_arrays_of_the_largest_size_work(tmp_path: Path, stack_bytes: int) -> None:
    source, calls = "", ""
    for dtype, size in SIZES.items():
        length, operator = LIMIT_BYTES // size, "|" if dtype == "bool" else "+"
        source += PRIVATE.format(dtype=dtype, length=length, operator=operator)
        calls += f"""
    a, out = situ.zeros(1000, dtype=situ.{dtype}), situ.ones(1000, dtype=situ.{dtype})
    for _ in range(2):
        private_{dtype}(a, out)
        out.queue.wait()
    print("{dtype}", not out.to_numpy().any())
"""
    lines = run(tmp_path, f"{source}\ndef work():{calls}", stack_bytes)
    assert lines == [f"{dtype} True" for dtype in SIZES]


@pytest.mark.parametrize("dtype", ["int8", "float64"])
def test_one_element_more_is_an_error(tmp_path: Path, dtype: str) -> None:
    length = LIMIT_BYTES // SIZES[dtype] + 1
    source = PRIVATE.format(dtype=dtype, length=length, operator="+")
    source += f"""
def work():
    a = situ.zeros(10, dtype=situ.{dtype})
    try:
        private_{dtype}(a, a)
    except situ.KernelError as error:
        print({LIMIT_BYTES} in map(int, filter(str.isdigit, str(error).split())))
"""
    assert run(tmp_path, source) == ["True"]


FUNCTIONS = """
@situ.device_func
def inner(x):
    q = situ.private.array(10000, situ.float32)
    for j in range(10000):
        q[j] = x + j
    return q[1] - q[0]

@situ.device_func
def outer(x):
    p = situ.private.array(10000, situ.float32)
    for j in range(10000):
        p[j] = x
    return inner(p[0]) + inner(p[9999]) + inner(p[5])

@situ.kernel
def nested(a, out):
    i = situ.get_global_id(0)
    one = situ.private.array(20000, situ.float32)
    two = situ.private.array(20000, situ.float32)
    for j in range(20000):
        one[j] = a[i]
        two[j] = a[i]
    out[i] = outer(one[3]) + outer(two[4]) + outer(a[i])

@situ.kernel
def with_barrier(a, out):
    g = situ.get_global_id(0)
    p = situ.private.array(65536, situ.float32)
    for j in range(65536):
        p[j] = a[g] + j
    situ.barrier()
    out[g] = p[65535] - p[0]

def work():
    a, out = situ.zeros(640), situ.zeros(640)
    a, out = situ.astype(a, situ.float32), situ.astype(out, situ.float32)
    nested(a, out)
    print(set(out.to_numpy().tolist()))
    with_barrier[(64,), (16,)](a, out)
    print(set(out.to_numpy()[:64].tolist()))
"""


@pytest.mark.parametrize("stack_bytes", [0, 131_072])
def test_private_arrays_of_functions_and_across_barriers(tmp_path: Path, stack_bytes: int) -> None:
    assert run(tmp_path, FUNCTIONS, stack_bytes) == ["{9.0}", "{65535.0}"]


# Many numbers are needed after the call.
WIDE = "@situ.njit\ndef wide(n, x):\n    if n == 0:\n        return x\n"
WIDE += "".join(f"    v{i} = x * {i}.5 + n\n" for i in range(200))
WIDE += "    r = wide(n - 1, x * 0.5)\n"
WIDE += "".join(f"    r = r * 0.5 + v{i} * r\n" for i in range(200))
WIDE += "    return r * 0.0\n"
WIDE += """
def work():
    print(wide(7990, 0.0))
    try:
        wide(100_000, 0.0)
    except RecursionError as error:
        print(str(error).splitlines()[0])
"""


@pytest.mark.parametrize("stack_bytes", [0, 131_072, 1 << 20])
def test_recursion_with_many_numbers(tmp_path: Path, stack_bytes: int) -> None:
    lines = run(tmp_path, WIDE, stack_bytes)
    assert lines[0] == "0.0"
    assert lines[1] == "njit function `wide` calls itself more than 8000 times deep"


# What is loaded before the call has to be kept: the call may write there.
HUGE = "@situ.njit\ndef huge(n, x):\n    if n == 0:\n        return 0.0\n"
HUGE += "".join(f"    v{i} = x[{i}]\n" for i in range(1500))
HUGE += "    x[n % 1500] = 0.0\n    r = huge(n - 1, x)\n"
HUGE += "".join(f"    r = r + v{i} * r\n" for i in range(1500))
HUGE += "    return r\n"
HUGE += """
def work():
    x = situ.ones(1500)
    print(huge(1000, x))
    try:
        huge(100_000, x)
    except RecursionError as error:
        words = str(error).splitlines()[0].split()
        print(" ".join(words[:7]), 1000 < int(words[7]) < 8000)
"""


def test_recursion_that_fills_the_stack_before_it_is_too_deep(tmp_path: Path) -> None:
    lines = run(tmp_path, HUGE, 131_072)
    assert lines == ["0.0", "njit function `huge` calls itself more than True"]


WALKED = """
@situ.njit
def even(x, n):
    if n == 0:
        return x
    return odd(x + 1, n - 1)

@situ.njit
def odd(x, n):
    if n == 0:
        return x
    return even(x + 1, n - 1)

def work():
    for depth in (20, 390, 5000):
        try:
            print(float(even(situ.ones(4), depth)[0]))
        except RecursionError:
            print("RecursionError")
"""


@pytest.mark.parametrize("stack_bytes", [0, 65_536, 131_072, 262_144, 524_288, 786_432])
def test_walked_recursion(tmp_path: Path, stack_bytes: int) -> None:
    lines = run(tmp_path, WALKED, stack_bytes)
    assert lines[2] == "RecursionError"
    if stack_bytes == 0:
        assert lines == ["21.0", "391.0", "RecursionError"]
    elif stack_bytes > 131_072:
        assert lines[0] == "21.0"
    assert set(lines) <= {"21.0", "391.0", "RecursionError"}


NESTED = {
    "parentheses": "(" * 190 + "a[0]" + ")" * 190,
    "sums": " + ".join(["a[0]"] * 190),
    "longer sums": " + ".join(["a[0]"] * 2000),
    "signs": "-" * 196 + "a[0]",
    "calls": "abs(" * 190 + "a[0]" + ")" * 190,
    "conditions": "".join(f"{i} if a[0] > {i} else " for i in range(150)) + "0",
}


@pytest.mark.parametrize("decorator", ["kernel", "njit"])
@pytest.mark.parametrize("stack_bytes", [0, 131_072])
def test_nested_code(tmp_path: Path, decorator: str, stack_bytes: int) -> None:
    source, calls = "", ""
    for number, code in enumerate(NESTED.values()):
        source += f"@situ.{decorator}\ndef f{number}(a, out):\n    out[0] = {code}\n"
        calls += f"""
    try:
        f{number}(situ.ones(1), situ.ones(1))
        print("done")
    except (situ.KernelError, RecursionError) as error:
        print("nested too deeply" in str(error) or "stack left" in str(error))
"""
    lines = run(tmp_path, f"{source}\ndef work():{calls}", stack_bytes)
    assert len(lines) == len(NESTED)
    assert lines[2] == "True"
    assert set(lines) <= {"done", "True"}
    if stack_bytes == 0 or decorator == "kernel":
        assert lines.count("done") == len(NESTED) - 1


ARRAYS = """
def work():
    a = situ.ones((60, 60))
    b = situ.linalg.inv(a + 3 * situ.eye(60)) @ a
    total = a
    for _ in range(500):
        total = total + a
    print(float(total[0, 0]), b.shape, situ.sort(a.ravel()).shape, situ.linalg.svd(a)[1].shape)
"""


def test_array_functions_on_a_small_stack(tmp_path: Path) -> None:
    assert run(tmp_path, ARRAYS, 131_072) == ["501.0 (60, 60) (3600,) (60,)"]


def test_a_stack_that_is_too_small_is_an_error(tmp_path: Path) -> None:
    source = """
def work():
    try:
        situ.ones(3)
    except RecursionError as error:
        print(str(error).splitlines()[0][-19:], "threading.stack_size" in str(error))
"""
    assert run(tmp_path, source, 32_768) == ["bytes of stack left True"]
