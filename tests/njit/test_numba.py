"""Functions that Numba compiles, called with situ arrays.

One test for each use case and requirement of the proposal to support such arrays in `numba.njit`.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import situ

numba = pytest.importorskip("numba")


@numba.njit
def saxpy(a, x, y):
    return a * x + y


@numba.njit(parallel=True)
def parallel_sum(x):
    total = 0.0
    for i in numba.prange(x.shape[0]):
        total += x[i]
    return total


@numba.njit
def inner(x):
    return x * 2.0


@numba.njit
def outer(x):
    return inner(x) + 1.0


@numba.njit
def norm(x):
    return np.sqrt(np.sum(x * x))


@numba.njit
def separately(on_host, on_device):
    return on_host * 2.0, on_device + 1.0


@numba.njit
def together(left, right):
    return left + right


@pytest.mark.parametrize(
    "imports",
    [
        "import numba, situ",
        "import situ, numba",
        # Looking for it is not importing it.
        "import situ, importlib.util; importlib.util.find_spec('numba'); import numba",
        "import situ, numba.core",
    ],
)
def test_the_first_call_of_a_process_may_be_on_a_device(imports: str, tmp_path: Path) -> None:
    """Numba looks at the types of arguments before it looks for extensions."""
    program = tmp_path / "program.py"
    text = f"""
{imports}
import situ.testing

@numba.njit
def twice(x):
    return 2.0 * x

with situ.testing.virtual_devices("gpu") as (gpu,):
    x = situ.ones(3, device=gpu)
    y = twice(x)
    assert y.device == x.device, y
    print(y.to_numpy().tolist(), numba.__spec__.loader is numba.__loader__)
"""
    program.write_text(text)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.stdout == "[2.0, 2.0, 2.0] True\n", done.stderr


def test_a_situ_array_offloads_an_existing_function(device: situ.Device) -> None:
    """Use case 1: passing the array is enough, and the result is where it was."""
    x = situ.arange(10.0, device=device)
    result = saxpy(3.0, x, x)
    assert isinstance(result, situ.ndarray)
    assert result.device == device
    np.testing.assert_array_equal(result.to_numpy(), 4.0 * np.arange(10.0))


def test_situ_functions_stand_in_for_numpys(device: situ.Device) -> None:
    """Use case 1a: `np.sqrt` and `np.sum` are situ's."""
    x = situ.asarray(np.array([3.0, 4.0]), device=device)
    assert norm(x) == pytest.approx(5.0)


def test_the_queue_is_found_by_equivalence() -> None:
    """Use case 1b: equivalent queues agree, others do not."""
    device = situ.Device("native")
    context = situ.Context([device])
    first, second = situ.Queue(context, device), situ.Queue(context, device)
    assert situ.queues_equivalent(first, second)
    x, y = situ.ones(4, queue=first), situ.ones(4, queue=second)
    assert saxpy(2.0, x, y).queue == first
    other = situ.ones(4, queue=situ.Queue(situ.Context([device]), device))
    with pytest.raises(situ.PlacementError):
        saxpy(2.0, x, other)


def test_mixing_numpy_and_situ_arrays_is_refused_with_the_line() -> None:
    """Use case 2."""
    with pytest.raises(situ.KernelTypeError, match=r"mixes NumPy and situ arrays: `left \+ right`"):
        together(np.ones(3), situ.ones(3))


def test_both_kinds_may_be_used_separately() -> None:
    """Use case 3."""
    on_host, on_device = separately(np.ones(3), situ.ones(3))
    assert isinstance(on_host, np.ndarray)
    assert isinstance(on_device, situ.ndarray)
    np.testing.assert_array_equal(on_host, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(on_device.to_numpy(), [2.0, 2.0, 2.0])


def test_numpy_functions_take_situ_arrays() -> None:
    """Use case 4: they mean situ's functions, and the result stays where it is."""

    @numba.njit
    def functions(x):
        return np.sin(x), np.concatenate((x, x)), np.argsort(-x)

    x = situ.asarray(np.array([1.0, 3.0, 2.0]))
    sine, twice, order = functions(x)
    np.testing.assert_allclose(sine.to_numpy(), np.sin([1.0, 3.0, 2.0]), rtol=1e-14)
    np.testing.assert_array_equal(twice.to_numpy(), [1.0, 3.0, 2.0] * 2)
    np.testing.assert_array_equal(order.to_numpy(), [1, 2, 0])


def test_calls_are_dispatched_by_their_arguments() -> None:
    """Use case 5: without situ arrays, a call is Numba's own."""
    assert isinstance(saxpy(2.0, np.ones(3), np.ones(3)), np.ndarray)
    assert saxpy(2.0, 3.0, 4.0) == 10.0
    compiled = len(saxpy.signatures)
    assert isinstance(saxpy(2.0, situ.ones(3), situ.ones(3)), situ.ndarray)
    assert len(saxpy.signatures) == compiled
    assert isinstance(saxpy(2.0, np.ones(3), np.ones(3)), np.ndarray)


def test_prange_is_a_kernel(device: situ.Device) -> None:
    """Requirement 1: what is written for Numba works, parallel loops included."""
    x = situ.arange(5000.0, device=device)
    assert parallel_sum(x) == pytest.approx(np.arange(5000.0).sum())


def test_functions_call_each_other() -> None:
    """Requirement 1: a function of Numba's calls another one."""
    np.testing.assert_array_equal(outer(situ.ones(3)).to_numpy(), [3.0, 3.0, 3.0])


def test_no_global_state_chooses_the_device() -> None:
    """Requirement 3: neither blocks nor global queues matter where there is an array."""
    x = situ.ones(3, device="native")
    with situ.current("reference"), situ.host_data_on("reference"):
        assert saxpy(2.0, x, x).device == situ.Device("native")


def test_errors_are_numbas_too() -> None:
    """What cannot be compiled is an error that code written for Numba catches."""

    @numba.njit
    def tables(x):
        return {value: value + 1.0 for value in x}

    with pytest.raises(numba.core.errors.TypingError, match="comprehension"):
        tables(situ.ones(3))


def test_types_of_numbas_are_dtypes() -> None:
    """Kernels written for Numba name dtypes by its types."""
    single = numba.float32

    @situ.kernel
    def halves(x, out):
        scratch = situ.private.array(2, single)
        i = situ.get_global_id(0)
        scratch[0] = x[i]
        out[i] = scratch[0] * single(0.5) + numba.int16(1)

    x = situ.asarray(np.arange(4.0))
    out = situ.zeros(4)
    halves(x, out)
    np.testing.assert_array_equal(out.to_numpy(), np.arange(4.0) / 2 + 1)
