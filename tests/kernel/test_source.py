"""Where kernels come from, what they look like, and how mistakes in them are shown."""

import functools
import inspect
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import situ


def ones():
    return situ.asarray(np.ones(4))


def test_a_mistake_is_shown_with_its_file_line_and_caret():
    @situ.kernel
    def broken(a):
        i = situ.get_global_id(0)
        a[i] = totl + a[i]  # noqa: F821

    line = inspect.getsourcelines(broken.__wrapped__)[1] + 3
    with pytest.raises(situ.KernelError) as caught:
        broken(ones())
    message = str(caught.value)
    assert message.startswith("cannot compile kernel broken(float64[:])\n\nerror[K040]")
    assert f"--> {__file__}:{line}:16" in message
    assert f"{line} |         a[i] = totl + a[i]  # noqa: F821\n" in message
    assert " |                ^^^^ unknown name" in message


def test_all_mistakes_are_shown_at_once():
    @situ.kernel
    def broken(a, n):
        for x in a:
            a[0] = x
        a[0.5] = 1
        input(n)
        return a

    with pytest.raises(situ.KernelError) as caught:
        broken(ones(), 3)
    codes = [word for word in str(caught.value).split() if word.startswith("error[")]
    assert codes == ["error[K026]:", "error[K052]:", "error[K043]:", "error[K021]:"]


def test_mistakes_about_types_are_type_errors():
    @situ.kernel
    def broken(a):
        a[0.5] = 1

    with pytest.raises(situ.KernelTypeError) as caught:
        broken(ones())
    assert isinstance(caught.value, TypeError)


def test_mistakes_in_device_functions_are_shown_in_their_own_source():
    @situ.device_func
    def helper(x):
        return x + undefined  # noqa: F821

    @situ.kernel
    def kernel(a):
        a[0] = helper(a[0])

    with pytest.raises(situ.KernelError) as caught:
        kernel(ones())
    assert "return x + undefined" in str(caught.value)


def test_functions_without_source_are_refused():
    names = {"situ": situ}
    with pytest.raises(situ.KernelError) as caught:
        exec("@situ.kernel\ndef made(a):\n    a[0] = 1\n", names)
    assert "the source of `made` cannot be read" in str(caught.value)
    assert "define `made` in a file or a notebook cell" in str(caught.value)


def test_lambdas_are_refused():
    kernel = situ.kernel(lambda a: None)
    with pytest.raises(situ.KernelError, match="K002"):
        kernel(ones())


@pytest.mark.parametrize("thing", [3, print, len, Path, None])
@pytest.mark.parametrize("decorator", [situ.kernel, situ.device_func])
def test_only_functions_can_be_decorated(thing, decorator):
    with pytest.raises(situ.KernelTypeError, match="takes a Python function"):
        decorator(thing)


def test_a_wrapped_function_is_refused():
    def wrap(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            return function(*arguments)

        return wrapper

    @wrap
    def kernel(a):
        a[0] = 1

    with pytest.raises(situ.KernelTypeError, match="directly above the `def`"):
        situ.kernel(kernel)


def test_a_kernel_looks_like_its_function():
    @situ.kernel
    def documented(a, n):
        """Do it."""

    assert documented.__name__ == "documented"
    assert documented.__doc__ == "Do it."
    assert documented.__module__ == __name__
    assert documented.__qualname__.endswith("<locals>.documented")
    assert str(inspect.signature(documented)) == "(a, n)"
    assert repr(documented) == "<situ.Kernel documented(a, n)>"
    assert repr(documented[2, 3]) == "<situ.Kernel documented over [2, 3]>"
    assert repr(documented[4, (2,)]) == "<situ.Kernel documented over [4] in groups of [2]>"


def test_inspect_shows_each_form():
    @situ.kernel
    def kernel(a):
        i = situ.get_global_id(0)
        a[i] = 2 * a[i]

    with pytest.raises(situ.KernelError, match="has not been compiled yet"):
        kernel.inspect()
    kernel(ones())
    assert "a[i] = 2.0 * a[i];" in kernel.inspect()
    assert kernel.inspect("llvm").startswith("; kernel(float64[:]) on native:cpu:0\n")
    assert "define" in kernel.inspect("llvm")
    assert "__kernel" in kernel.inspect("opencl")
    with pytest.raises(ValueError, match="no form `assembler`"):
        kernel.inspect("assembler")


def test_inspect_takes_forms_as_keywords():
    @situ.kernel
    def kernel(a):
        i = situ.get_global_id(0)
        a[i] = 2 * a[i]

    kernel(ones())
    assert kernel.inspect(ir=True) == kernel.inspect() == kernel.inspect("ir")
    assert kernel.inspect(llvm=True) == kernel.inspect("llvm")
    assert kernel.inspect(opencl=True) == kernel.inspect("opencl")
    both = kernel.inspect(llvm=True, ir=True)
    assert both == kernel.inspect(ir=True) + "\n" + kernel.inspect(llvm=True)
    with pytest.raises(TypeError):
        kernel.inspect(ptx=True)


def test_assembly_is_that_of_the_native_device():
    @situ.kernel
    def kernel(a):
        a[situ.get_global_id(0)] = 1

    a = situ.asarray(np.zeros(2), device="reference")
    kernel(a)
    with pytest.raises(situ.KernelError, match="only the native device compiles to machine code"):
        kernel.inspect(asm=True)
    kernel(ones())
    text = kernel.inspect(asm=True)
    assert text.startswith("# kernel(float64[:]) on native:cpu:0\n")
    assert "situ_kernel_kernel:" in text
    assert "retq" in text
    assert kernel.inspect("asm") == text


def test_queues_parts_and_kinds_of_memory_make_no_specialisation(tmp_path):
    script = tmp_path / "targets.py"
    script.write_text(
        textwrap.dedent("""
        import numpy as np
        import situ

        @situ.kernel
        def scale(x):
            i = situ.get_global_id(0)
            x[i] = 3 * x[i]

        device = situ.Device("native")
        parts = device.create_sub_devices(1)
        queues = [situ.Queue(device), situ.Queue(device), *map(situ.Queue, parts)]
        for queue in queues:
            for kind in ("device", "shared", "host"):
                x = situ.asarray(np.arange(4.0), usm_type=kind, queue=queue)
                scale(x)
                np.testing.assert_array_equal(x.to_numpy(), 3 * np.arange(4.0))
        print(scale.specializations)
        """)
    )
    cache = tmp_path / "cache"
    environment = {**os.environ, "SITU_CACHE_DIR": str(cache), "SITU_NUM_THREADS": "2"}
    run = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout == "['(float64[:]) on native:cpu:0']\n"
    listed = subprocess.run(
        [sys.executable, "-m", "situ", "cache", "list", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    programs = json.loads(listed.stdout)
    assert [program["kernels"] for program in programs].count(["scale"]) == 1


@pytest.mark.parametrize(
    "function",
    [
        situ.get_global_id,
        situ.get_global_size,
        situ.get_group_id,
        situ.get_local_id,
        situ.get_local_size,
        situ.get_num_groups,
    ],
)
def test_kernel_functions_explain_themselves_outside(function):
    with pytest.raises(situ.KernelError, match="outside of a kernel"):
        function(0)


def test_kernel_memory_functions_explain_themselves_outside():
    for call in (
        situ.barrier,
        lambda: situ.local.array(3, situ.float32),
        lambda: situ.private.array(3, situ.float32),
        lambda: situ.atomic.add(None, 0, 1),
    ):
        with pytest.raises(situ.KernelError, match="outside of a kernel"):
            call()
