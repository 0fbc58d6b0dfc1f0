"""Bound modules give what NumPy gives, wherever their arguments come from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import situ
from situ.testing import assert_allclose, virtual_devices

# Where an argument may be, and how it gets there.
PLACES = {
    "host": lambda x: x,
    "same device": lambda x: situ.asarray(x, device="gpu:1"),
    "other device": lambda x: situ.asarray(x, device="gpu:0"),
    "other context": lambda x: situ.asarray(
        x, queue=situ.Queue(situ.Context("gpu:1"), situ.Device("gpu:1"))
    ),
    "other properties": lambda x: situ.asarray(x, queue=situ.Queue("gpu:1", in_order=False)),
    "shared memory": lambda x: situ.asarray(x, device="gpu:1", usm_type="shared"),
    "processor": lambda x: situ.asarray(x, device="native"),
    "view": lambda x: situ.asarray(np.repeat(x, 2, axis=-1), device="gpu:0")[..., ::2],
}

FUNCTIONS = [
    ("add", lambda xp, x, y: xp.add(x, y)),
    ("matmul", lambda xp, x, y: xp.matmul(x, y)),
    ("where", lambda xp, x, y: xp.where(xp.greater(x, y), x, y)),
    ("concat", lambda xp, x, y: xp.concat([x, y], axis=1)),
    ("stack", lambda xp, x, y: xp.stack((x, y))),
    ("sum", lambda xp, x, y: xp.sum(xp.multiply(x, y), axis=0)),
    ("einsum", lambda xp, x, y: xp.einsum("ij,kj->ik", x, y)),
    ("take", lambda xp, x, y: xp.take(x, xp.argmin(y, axis=1), axis=0)),
    ("searchsorted", lambda xp, x, y: xp.searchsorted(xp.sort(x[0]), y[1])),
    ("solve", lambda xp, x, y: xp.linalg.solve(xp.add(x, 20 * np.eye(3)), y)),
    ("fft", lambda xp, x, y: xp.fft.fft(xp.subtract(x, y))),
    ("clip", lambda xp, x, y: xp.clip(x, -1.0, y)),
]


@pytest.fixture(scope="module")
def lib():
    with virtual_devices("gpu:2"):
        yield situ.offload_to("gpu:1")


matrices = st.lists(st.floats(-4, 4, width=16), min_size=9, max_size=9).map(
    lambda numbers: np.reshape(numbers, (3, 3))
)


@pytest.mark.parametrize(("name", "function"), FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
@given(
    x=matrices,
    y=matrices,
    first=st.sampled_from(sorted(PLACES)),
    second=st.sampled_from(sorted(PLACES)),
)
def test_any_mix_of_places_computes_what_numpy_does(lib, name, function, x, y, first, second):
    if name == "clip":
        y = np.maximum(y, -1)
    expected = function(np, x, y)
    result = function(lib, PLACES[first](x), PLACES[second](y))
    assert result.queue == lib.queue
    assert result.__array_namespace__() is lib
    assert_allclose(result, expected, rtol=1e-9, atol=1e-9)
