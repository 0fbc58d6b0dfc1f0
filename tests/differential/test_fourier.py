"""Every Fourier transform against NumPy: value, dtype, shape and refusal, any axes and strides."""

import warnings

import numpy as np
import pytest
from differential.strategies import DTYPES, View, views
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from places import driver_devices

import situ
from situ.testing import virtual_devices

ALONG_ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
ALONG_SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]
ALONG_TWO = ["fft2", "ifft2", "rfft2", "irfft2"]
NORMS = [None, "backward", "ortho", "forward"]

norms = st.sampled_from(NORMS)


def numbers(shape, dtype, seed=0):
    """Make numbers of moderate size, whose transforms have digits to compare."""
    rng = np.random.default_rng(seed)
    host = rng.normal(0, 50, shape)
    if np.dtype(dtype).kind == "c":
        host = host + 1j * rng.normal(0, 50, shape)
    return np.abs(host).astype(dtype) if np.dtype(dtype).kind == "u" else host.astype(dtype)


@st.composite
def number_views(draw, shape):
    """Make views of moderate numbers, permuted, reversed and full of holes."""
    view = draw(views(shape, np.dtype("bool")))
    dtype = draw(st.sampled_from(DTYPES))
    base = numbers(view.base.shape, dtype, draw(st.integers(0, 1000)))
    return View(base, view.axes, view.index)


@st.composite
def single_cases(draw):
    """Make a view, and what a transform along one axis is told."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=9))
    return draw(number_views(shape)), {
        "n": draw(st.none() | st.integers(-1, 20)),
        "axis": draw(st.integers(-len(shape), len(shape) - 1)),
        "norm": draw(norms),
    }


@st.composite
def several_cases(draw):
    """Make a view, and what a transform along several axes is told."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=9))
    every = st.permutations(range(-len(shape), 0))
    counts = st.integers(1, len(shape))
    axes = draw(st.none() | st.tuples(every, counts).map(lambda pair: tuple(pair[0][: pair[1]])))
    lengths = None
    if axes is not None or draw(st.booleans()):
        count = draw(counts) if axes is None else len(axes)
        size = st.sampled_from([-1, *range(1, 12)])
        lengths = draw(st.none() | st.lists(size, min_size=count, max_size=count))
    with_both = lengths is not None and axes is None
    axes = tuple(range(-len(lengths), 0)) if with_both else axes
    return draw(number_views(shape)), {"s": lengths, "axes": axes, "norm": draw(norms)}


def outcome(function, *arguments, **keywords):
    """Call a function; give its result, or the built-in class of its exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments, **keywords)
        except (ValueError, TypeError) as error:
            return ValueError if isinstance(error, ValueError) else TypeError


def assert_same(name, host, x, **keywords):
    """Compare what NumPy and situ make of the same call."""
    expected = outcome(getattr(np.fft, name), host, **keywords)
    found = outcome(getattr(situ.fft, name), x, **keywords)
    if isinstance(expected, type) or isinstance(found, type):
        # Of two mistakes, either may be told.
        has_two = name == "rfftn" and host.dtype.kind == "c" and 0 in host.shape
        assert found == expected or (has_two and isinstance(found, type))
        return
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if host.dtype == np.float16:
        # NumPy rounds the norm to half precision; the result deserves better.
        expected = getattr(np.fft, name)(host.astype(np.float32), **keywords).astype(found.dtype)
    if not host.size:
        # Nothing filled up with zeros. NumPy's `irfft` reads memory here that nobody wrote.
        assert not found.to_numpy().any()
        return
    assert_close(found.to_numpy(), expected, host)


def assert_close(found, expected, host):
    """Allow a few ulp for each doubling of the length, relative to the whole of the data."""
    if not expected.size:
        return
    eps = float(np.finfo(expected.dtype).eps)
    doublings = 1 + np.log2(max(expected.size, host.size, 2))
    wide = np.complex128
    # With any norm and any padding, no element is larger than this.
    largest = max(np.abs(expected.astype(wide)).max(), np.linalg.norm(expected.astype(wide)))
    error = np.abs(found.astype(wide) - expected.astype(wide)).max()
    assert error <= 4 * eps * doublings * largest + float(np.finfo(expected.dtype).tiny)


@pytest.mark.parametrize("name", ALONG_ONE)
@given(case=single_cases())
def test_transforms_along_an_axis_agree_with_numpy(name, case):
    view, keywords = case
    assert_same(name, view.host, view.on("native"), **keywords)


@pytest.mark.parametrize("name", ALONG_SEVERAL)
@given(case=several_cases())
def test_transforms_along_axes_agree_with_numpy(name, case):
    view, keywords = case
    assert_same(name, view.host, view.on("native"), **keywords)


@pytest.mark.parametrize("name", ALONG_TWO)
@given(shape=hnp.array_shapes(min_dims=2, max_dims=3, max_side=7), data=st.data(), norm=norms)
@settings(max_examples=30)
def test_transforms_along_two_axes_agree_with_numpy(name, shape, data, norm):
    view = data.draw(number_views(shape))
    lengths = data.draw(st.none() | st.tuples(st.integers(1, 9), st.integers(1, 9)))
    assert_same(name, view.host, view.on("native"), s=lengths, norm=norm)


@pytest.mark.parametrize("name", ALONG_ONE)
@pytest.mark.parametrize("length", [1000, 4096, 6007, 65_536, 65_537, 131_074, 200_000])
def test_long_lines_agree_with_numpy(name, length):
    dtype = "float64" if name in {"rfft", "ihfft"} else "complex128"
    host = numbers((length,), dtype)
    assert_same(name, host, situ.asarray(host))
    single = host.astype("float32" if dtype == "float64" else "complex64")
    assert_same(name, single, situ.asarray(single))


@pytest.mark.parametrize("shape", [(65_536, 11), (65_537, 3), (2, 70_000, 5)])
@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float64"])
def test_long_lines_side_by_side_agree_with_numpy(shape, dtype):
    numbers = np.random.default_rng(5).standard_normal((2, *shape))
    x = (numbers[0] + 1j * numbers[1] if dtype[0] == "c" else numbers[0]).astype(dtype)
    for name in ("fft", "ifft") if dtype[0] == "c" else ("fft", "rfft"):
        expected = getattr(np.fft, name)(x, axis=-2)
        found = getattr(situ.fft, name)(situ.asarray(x), axis=-2)
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        tolerance = 16 * np.finfo(expected.dtype).eps * np.abs(expected).max()
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("shape", [(400, 300), (7, 20_011), (20_011, 7), (40, 30, 50)])
def test_many_lines_agree_with_numpy(shape):
    host = numbers(shape, "complex64")
    x = situ.asarray(host)
    for axis in range(len(shape)):
        assert_same("fft", host, x, axis=axis)
        assert_same("fft", host.real, situ.real(x), axis=axis)
        assert_same("irfft", host, x, axis=axis)
    assert_same("fftn", host, x)
    assert_same("rfftn", host.real, situ.real(x))
    assert_same("irfftn", host, x)
    assert_same("fft", host.T, x.T, axis=0)


@pytest.mark.parametrize(
    ("there", "back", "is_real"),
    [("fftn", "ifftn", False), ("rfftn", "irfftn", True), ("ihfft", "hfft", True)],
)
@pytest.mark.parametrize("norm", NORMS)
def test_back_and_forth_is_the_same(there, back, is_real, norm):
    host = numbers((6, 35), "float64" if is_real else "complex128")
    x = situ.asarray(host)
    lengths = {"n": 35} if there == "ihfft" else {"s": (6, 35)}
    gone = getattr(situ.fft, there)(x, norm=norm)
    found = getattr(situ.fft, back)(gone, norm=norm, **lengths)
    np.testing.assert_allclose(found.to_numpy(), host, rtol=0, atol=1e-12)


def test_no_axes_is_a_copy():
    x = situ.asarray([[1.0, 2.0]])
    found = situ.fft.fftn(x, axes=())
    np.testing.assert_array_equal(found.to_numpy(), x.to_numpy())
    assert not situ._native.shares_memory(found, x)


def test_out_gets_the_result():
    host = numbers((4, 6), "float64")
    x = situ.asarray(host)
    out = situ.empty((4, 4), dtype="complex128")
    assert situ.fft.rfft(x, out=out) is out
    np.testing.assert_allclose(out.to_numpy(), np.fft.rfft(host), atol=1e-12)
    # NumPy transforms in place as well.
    line = situ.asarray(host[0] + 0j)
    situ.fft.fft(line, out=line)
    np.testing.assert_allclose(line.to_numpy(), np.fft.fft(host[0]), atol=1e-12)
    with pytest.raises(situ.ShapeError, match="does not fit `out`"):
        situ.fft.fft(x, out=out)
    with pytest.raises(situ.DTypeError, match="cannot be stored in `out`"):
        situ.fft.rfft(x, out=situ.empty((4, 4)))


def test_another_queue_runs_it():
    x = situ.asarray([1.0, 2.0, 3.0])
    other = situ.Queue(x.device, in_order=False)
    found = situ.fft.fft(x, queue=other)
    assert found.queue == other
    np.testing.assert_allclose(found.to_numpy(), np.fft.fft([1.0, 2.0, 3.0]))


def test_results_are_in_memory_of_the_same_kind():
    for usm_type in ("device", "shared", "host"):
        x = situ.ones(8, usm_type=usm_type)
        assert situ.fft.rfft(x).usm_type == usm_type
        assert situ.fft.fft(x, n=16).usm_type == usm_type


@pytest.mark.parametrize("device", ["reference", *driver_devices()])
def test_every_device_transforms(device):
    host = numbers((6, 10), "float32")
    x = situ.asarray(host, device=device)
    assert_same("fft", host, x)
    assert_same("rfftn", host, x, s=(4, 12))
    assert_same("irfft", host, x)


def test_memory_of_the_device_alone_is_transformed():
    with virtual_devices("gpu") as (device,):
        host = numbers((300, 200), "float64")
        x = situ.asarray(host, device=device)
        assert_same("fftn", host, x)
        assert_same("irfftn", host[::2], x[::2])
        assert situ.fft.fft(x).usm_type == "device"


def test_a_device_without_double_precision_has_single():
    with virtual_devices("gpu", without=["fp64"]) as (device,):
        x = situ.asarray([1, 2, 3, 4], device=device)
        found = situ.fft.fft(x)
        assert found.dtype == np.complex64
        np.testing.assert_allclose(found.to_numpy(), np.fft.fft([1, 2, 3, 4]), atol=1e-6)
        assert situ.fft.fftfreq(4, device=device).dtype == np.float32


@given(n=st.integers(1, 300), d=st.floats(0.001, 1000))
@settings(max_examples=50)
def test_frequencies_agree_with_numpy(n, d):
    for name in ("fftfreq", "rfftfreq"):
        expected = getattr(np.fft, name)(n, d)
        found = getattr(situ.fft, name)(n, d=d)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.to_numpy(), expected)


def test_frequencies_have_a_dtype_and_a_place():
    with virtual_devices("gpu") as (device,):
        found = situ.fft.fftfreq(5, dtype="float32", device=device, usm_type="shared")
        assert (found.dtype, found.usm_type) == (np.float32, "shared")
        assert found.device == device
        np.testing.assert_array_equal(found.to_numpy(), np.fft.fftfreq(5).astype("float32"))
    with pytest.raises(situ.DTypeError, match="frequencies are real numbers"):
        situ.fft.rfftfreq(5, dtype="complex64")
    for n in (0, -3, 2.0):
        with pytest.raises(ValueError, match="give an integer of 1 or more"):
            situ.fft.fftfreq(n)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@given(data=st.data(), shape=hnp.array_shapes(max_dims=3, min_side=0, max_side=6))
@settings(max_examples=50)
def test_shifts_agree_with_numpy(name, data, shape):
    view = data.draw(number_views(shape))
    axis = st.integers(-len(shape) - 1, len(shape))
    axes = data.draw(st.none() | axis | st.lists(axis, min_size=1, max_size=3).map(tuple))
    try:
        expected = getattr(np.fft, name)(view.host, axes=axes)
    except IndexError:
        with pytest.raises(IndexError):
            getattr(situ.fft, name)(view.on("native"), axes=axes)
        return
    found = getattr(situ.fft, name)(view.on("native"), axes=axes)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.to_numpy(), expected)


def refusal(function, *arguments, **keywords):
    """Return what a call is refused with, having seen that it explains and helps."""
    with pytest.raises((ValueError, TypeError)) as caught:
        function(*arguments, **keywords)
    return caught.value


def test_refusals_say_what_to_do():
    fft, x = situ.fft, situ.ones((3, 4))
    error = refusal(fft.fft, x, n=0)
    assert isinstance(error, situ.ShapeError)
    assert "`fft` cannot transform lines of 0 elements" in str(error)
    assert "axis 1 has size 4" in str(error)
    assert "-2 elements" in str(refusal(fft.fft, x, n=-2))
    assert "lines of 0 elements" in str(refusal(fft.fftn, situ.ones((2, 0))))
    assert "lines of 0 elements" in str(refusal(fft.irfft, situ.ones(1)))
    error = refusal(fft.fftn, x, s=(2,), axes=(0, 1))
    assert isinstance(error, situ.ShapeError)
    assert "`fftn` has 1 lengths `s` for 2 axes" in str(error)
    assert "axis 0 is named twice" in str(refusal(fft.fftn, x, axes=(0, -2)))
    error = refusal(fft.ifft, x, norm="orto")
    assert type(error) is ValueError
    assert all(f'"{name}"' in str(error) for name in ("orto", "backward", "ortho", "forward"))
    error = refusal(fft.rfft, x + 0j)
    assert isinstance(error, situ.DTypeError)
    assert "`rfft` is not defined for complex128" in str(error)
    assert isinstance(refusal(fft.fft, x, n=2.0), TypeError)
    assert isinstance(refusal(fft.fft, x, axis=2), np.exceptions.AxisError)
    assert isinstance(refusal(fft.fft, situ.asarray(1.0)), np.exceptions.AxisError)
    assert isinstance(refusal(fft.rfftn, situ.asarray(1.0)), np.exceptions.AxisError)
    assert isinstance(refusal(fft.fftn, x, s=(2, 2, 2)), np.exceptions.AxisError)


def test_arrays_without_lines_have_no_transform_to_do():
    for name in ALONG_ONE:
        host = np.empty((0, 4))
        assert_same(name, host, situ.asarray(host))
