"""What array functions refuse: NumPy's exception class, and a message in three parts."""

import numpy as np
import pytest

import situ

AxisError = np.exceptions.AxisError


def z(*shape, dtype=None):
    return situ.zeros(shape, dtype)


def assign(x, value):
    x[0] = value


CASES = {
    "shapes": (lambda: z(2, 3) + z(4), ValueError, "(2, 3) and (4,)"),
    "three shapes": (lambda: situ.where(z(2, 3) > 0, z(4), z(5)), ValueError, "`where`"),
    "axis": (lambda: situ.sum(z(2, 3), axis=2), AxisError, "-2 to 1"),
    "axis of an element": (lambda: situ.unstack(situ.asarray(1.0)), AxisError, "no axes"),
    "axis twice": (lambda: situ.sum(z(2, 3), axis=(0, -2)), ValueError, "named twice"),
    "axis between": (lambda: situ.sum(z(2, 3), axis=1.5), TypeError, "not 1.5"),
    "order of axes": (lambda: situ.permute_dims(z(2, 3), (0,)), ValueError, "every axis once"),
    "nothing to join": (lambda: situ.concat([]), ValueError, "at least one"),
    "nothing to stack": (lambda: situ.stack([]), ValueError, "at least one"),
    "host array to join": (lambda: situ.concat([z(2), np.zeros(2)]), TypeError, "numpy.ndarray"),
    "list to sum": (lambda: situ.sum([1, 2]), TypeError, "not `list`"),
    "host array to sum": (lambda: situ.sum(np.ones(2)), TypeError, "never copies silently"),
    "sizes": (lambda: situ.reshape(z(6), (4, 2)), ValueError, "(4, 2)"),
    "two unknown sizes": (lambda: situ.reshape(z(6), (-1, -1)), ValueError, "no shape"),
    "more than memory": (lambda: z(6).reshape(2**40, 2**40), ValueError, "reshape"),
    "bits of floats": (lambda: z(2) & z(2), TypeError, "bitwise_and"),
    "order of complex": (lambda: z(2, dtype="complex64") < 1, TypeError, "abs"),
    "large integer": (lambda: z(2, dtype="int8") + 300, OverflowError, "int8"),
    "step": (lambda: situ.arange(0, 5, 0), ZeroDivisionError, "steps of zero"),
    "floats of integers": (lambda: situ.finfo("int8"), ValueError, "of int8"),
    "integers of floats": (lambda: situ.iinfo("float32"), ValueError, "of float32"),
    "endless": (lambda: situ.arange(0, float("inf")), ValueError, "counted"),
    "too long": (lambda: situ.arange(10**30), ValueError, "counted"),
    "too far": (lambda: situ.arange(2**70, 2**70 + 3), OverflowError, "64 bits"),
    "negative number": (lambda: situ.linspace(0, 1, -1), ValueError, "at least 0"),
    "too many": (lambda: situ.linspace(0, 1, 2**62), ValueError, "counted"),
    "negative size": (lambda: situ.zeros((-1, 2)), ValueError, "not negative"),
    "half a size": (lambda: situ.zeros((2.5,)), TypeError, "integers"),
    "huge": (lambda: situ.zeros((2**40, 2**40)), ValueError, "counted"),
    "huge size": (lambda: situ.zeros(2**64), ValueError, "counted"),
    "fill": (lambda: situ.full(2, 300, "int8"), OverflowError, "int8"),
    "large fill": (lambda: situ.full(2, 2**70), OverflowError, "does not fit"),
    "places": (
        lambda: situ.zeros(2, device="native:cpu", queue="native:cpu"),
        ValueError,
        "`device` and `queue`",
    ),
    "tiles": (lambda: situ.tile(z(2), -1), ValueError, "not negative"),
    "axis needed": (lambda: situ.take(z(3, 3), situ.asarray([0])), ValueError, "needs an axis"),
    "65 sizes": (lambda: situ.zeros((1,) * 65), ValueError, "at most 64"),
    "65th by index": (lambda: z(*(1,) * 64)[None], IndexError, "at most 64"),
    "65th by shape": (lambda: z(1).reshape((1,) * 65), ValueError, "at most 64"),
    "65th by place": (lambda: situ.expand_dims(z(*(1,) * 64), 0), ValueError, "at most 64"),
    "65th by stack": (lambda: situ.stack([z(*(1,) * 64)]), ValueError, "at most 64"),
    "rows of different lengths": (lambda: situ.asarray([[1, 2], [3]]), ValueError, "lengths"),
    "large data": (lambda: situ.asarray([300], dtype="int8"), OverflowError, "wider dtype"),
    "no dtype": (lambda: situ.zeros(2, "float63"), TypeError, "'float63' is no dtype"),
    "fill of NaN": (lambda: situ.full(2, np.nan, "int8"), ValueError, "NaN to elements of int8"),
    "fill of inf": (lambda: situ.full(2, np.inf, "uint8"), OverflowError, "inf to elements"),
    "NaN among integers": (lambda: assign(z(2, dtype="int64"), np.nan), ValueError, "NaN"),
    "inf among integers": (lambda: assign(z(2, dtype="int64"), -np.inf), OverflowError, "-inf"),
    "complex ends": (lambda: situ.arange(0, 3j), TypeError, "no order"),
    "half a number": (lambda: situ.linspace(0, 1, 2.5), TypeError, "2.5 numbers"),
    "half a power": (lambda: situ.linalg.matrix_power(z(2, 2), 0.5), TypeError, "0.5"),
    "order of a norm": (lambda: situ.linalg.vector_norm(z(2), ord="fro"), ValueError, "'fro'"),
    "axis of a norm": (lambda: situ.linalg.vector_norm(z(2), axis=1), AxisError, "-1 to 0"),
    "axis of a norm, twice": (
        lambda: situ.linalg.vector_norm(z(2, 2), axis=(0, -2)),
        ValueError,
        "named twice",
    ),
    "axis to contract": (
        lambda: situ.tensordot(z(2), z(2), axes=((1,), (0,))),
        AxisError,
        "1 dimension\n",
    ),
    "shapes of indices": (
        lambda: z(3, 4)[situ.asarray([0, 1]), situ.asarray([0, 1, 2])],
        IndexError,
        "(2,) and (3,)",
    ),
    "positions between": (lambda: situ.take(z(3), z(3)), TypeError, "integers, not float64"),
    "positions of a mask": (lambda: situ.take(z(3), z(3) > 0), TypeError, "x[mask]"),
    "too many indices": (lambda: z(3)[0, 0], IndexError, "has 1 dimension,"),
    "65th by stretch": (lambda: situ.broadcast_to(z(1), (1,) * 65), ValueError, "at most 64"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_refusal_says_what_why_and_what_to_do(name):
    call, error, words = CASES[name]
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert words in message
    headline, *parts = message.splitlines()
    assert headline[0].islower() or not headline[0].isalpha()
    assert not headline.endswith(".")
    assert [part.split(":")[0].strip() for part in parts] == ["why", "help"]


@pytest.mark.parametrize(
    "call", [lambda: situ.sum(z(3), axs=0), lambda: z(3).sum(axs=0), lambda: situ.sin(z(3), axs=0)]
)
def test_unknown_arguments_are_those_of_the_function_that_was_called(call):
    with pytest.raises(TypeError, match=r"^(sum|sin)\(\) got an unexpected keyword argument 'axs'"):
        call()


def test_arrays_of_ten_and_of_64_dimensions_work():
    host = np.arange(2.0**10).reshape((2,) * 10)
    x = situ.asarray(host)
    np.testing.assert_array_equal((x + x.T).to_numpy(), host + host.T)
    np.testing.assert_array_equal(x.sum(axis=(1, 3, 9)).to_numpy(), host.sum(axis=(1, 3, 9)))
    np.testing.assert_array_equal(
        situ.flip(x, axis=4)[0, ..., 1].to_numpy(), host[0, ..., 1][:, :, :, ::-1]
    )
    sizes = (3, *[1] * 61, 2, 2)
    host = np.arange(12.0).reshape(sizes)
    x = situ.asarray(host)
    order = tuple(range(64))[::-1]
    found = situ.permute_dims(x, order) * 2 + 1
    np.testing.assert_array_equal(found.to_numpy(), np.transpose(host, order) * 2 + 1)
    np.testing.assert_array_equal(x.max(axis=-1).to_numpy(), host.max(axis=-1))


def test_masks_without_elements_choose_none():
    x = situ.zeros((2, 3))
    assert x[situ.zeros((2, 0), "bool")].shape == (0,)
    assert x[situ.zeros(0, "bool")].shape == (0, 3)
    with pytest.raises(IndexError, match="does not fit"):
        x[situ.zeros(1, "bool")]


def test_ranges_of_the_largest_integers():
    found = situ.arange(2**63, 2**63 + 3)
    assert found.dtype == np.uint64
    np.testing.assert_array_equal(found.to_numpy(), np.arange(2**63, 2**63 + 3, dtype="uint64"))
    found = situ.arange(2**63 + 4, 2**63, -2)
    assert found.to_numpy().tolist() == [2**63 + 4, 2**63 + 2]
    assert situ.arange(-(2**63), 2**63 - 1, 2**63).to_numpy().tolist() == [-(2**63), 0]
    assert situ.arange(2**63 - 1, 2**63).to_numpy().tolist() == [2**63 - 1]


@pytest.mark.parametrize("k", [-(2**70), -3, 0, 2, 2**70])
def test_diagonals_outside_of_the_matrix(k):
    near = max(-9, min(k, 9))
    np.testing.assert_array_equal(situ.eye(2, 3, k=k).to_numpy(), np.eye(2, 3, near))
    host = np.ones((2, 3))
    np.testing.assert_array_equal(
        situ.tril(situ.asarray(host), k=k).to_numpy(), np.tril(host, near)
    )
    np.testing.assert_array_equal(
        situ.triu(situ.asarray(host), k=k).to_numpy(), np.triu(host, near)
    )


def test_means_in_integers_are_those_of_converted_elements():
    host = np.asarray([1.9, 1.9, 0.3])
    found = situ.mean(situ.asarray(host), dtype="int32")
    assert found.dtype == np.int32
    assert int(found) == np.mean(host, dtype="int32")


@pytest.mark.parametrize("name", ["vstack", "hstack", "dstack", "column_stack", "stack", "concat"])
def test_no_arrays_cannot_be_joined(name):
    queue = situ.zeros(1).queue
    for arrays in ([], situ.zeros((0, 3))):
        for options in ({}, {"queue": queue}):
            with pytest.raises(ValueError, match=f"`{name}` got no arrays"):
                getattr(situ, name)(arrays, **options)


def test_points_without_coordinates_have_no_histogram():
    for points in ([], situ.zeros((3, 0))):
        with pytest.raises(situ.ShapeError, match="points without coordinates"):
            situ.histogramdd(points)


def test_a_polynomial_can_be_differentiated_any_number_of_times():
    p = situ.asarray([3, 2, 1])
    assert situ.polyder(p, 2).to_numpy().tolist() == [6]
    assert situ.polyder(p, 2**64).to_numpy().tolist() == []
