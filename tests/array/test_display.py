"""What arrays look like, and how little is read to show them."""

import numpy as np
import pytest

import situ
from situ import _display
from situ.testing import virtual_devices


@pytest.fixture
def reads(monkeypatch):
    """Collect how many bytes are copied to the host."""
    sizes = []

    def read(x):
        sizes.append(x.nbytes)
        return x.to_numpy()

    monkeypatch.setattr(_display, "read", read)
    return sizes


def test_repr_shows_elements_dtype_and_device():
    assert repr(situ.asarray([1.0, 2.5])) == "situ.ndarray([1. , 2.5], device='native:cpu:0')"
    short = situ.asarray([1, 2], dtype="int8")
    assert repr(short) == "situ.ndarray([1, 2], dtype=int8, device='native:cpu:0')"
    assert "shape=(0, 3)" in repr(situ.zeros((0, 3)))
    assert repr(situ.asarray(2.5)) == "situ.ndarray(2.5, device='native:cpu:0')"
    assert str(situ.asarray([[1, 2], [3, 4]])) == str(np.asarray([[1, 2], [3, 4]]))


SHAPES = [
    *((1001,), (5000,), (50, 70), (7, 300), (300, 7), (8, 8, 40), (2, 3000), (1, 1, 2000)),
    *((11, 9, 3, 12), (4, 4, 4, 4, 4, 2)),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("options", [{}, {"edgeitems": 2}, {"edgeitems": 1, "threshold": 10}])
def test_large_arrays_are_summarised_as_numpy_does(shape, options):
    host = np.arange(np.prod(shape)).reshape(shape)
    with np.printoptions(**options):
        assert str(situ.asarray(host)) == str(host)
        text = repr(situ.asarray(host))
    assert f"shape={shape}" in text


@pytest.mark.parametrize("shape", [(10_000_000,), (1000, 10_000), (10, 1_000_000), (5_000_000, 2)])
def test_only_the_edges_are_read(shape, reads):
    x = situ.ones(shape)
    assert x.nbytes == 80_000_000
    repr(x)
    assert sum(reads) <= 49 * 8
    assert len(repr(x)) < 1000


def test_printoptions_are_respected():
    x = situ.asarray([1 / 3, 2e-9])
    with np.printoptions(precision=3, suppress=True):
        assert str(x) == "[0.333 0.   ]"
    with np.printoptions(threshold=2, edgeitems=1):
        assert str(situ.arange(5)) == "[0 ... 4]"
    assert str(situ.arange(5)) == "[0 1 2 3 4]"


@pytest.mark.parametrize("number", [-2.0, 0.1, 3, True, 1 + 2j])
def test_a_number_without_dimensions_looks_as_numpys(number):
    assert str(situ.asarray(number)) == str(np.asarray(number))


def test_views_and_device_memory_are_shown():
    host = np.arange(6000).reshape(60, 100)
    assert str(situ.asarray(host).T[::-1]) == str(host.T[::-1])
    with virtual_devices("gpu") as (gpu,):
        assert str(situ.asarray(host, device=gpu)) == str(host)


def test_notebooks_show_what_and_where():
    page = situ.asarray([[1, 2]], dtype="int8", usm_type="shared")._repr_html_()
    for part in ("(1, 2)", "int8", "native:cpu:0", "shared, 2 bytes", "[[1 2]]"):
        assert part in page
    assert "76.3 MiB" in situ.ones(10_000_000)._repr_html_()
