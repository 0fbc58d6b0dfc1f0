"""Every function of arrays takes arrays of other packages that describe their memory.

The arrays here are those of a package that does not exist, over memory of the native device: all
they have is `__sycl_usm_array_interface__`. What is done with those of dpnp is in `test_dpnp.py`.
"""

import inspect

import numpy as np
import pytest
from differential import test_everyday_names, test_numpy_names

import situ


class Described:
    """An array of another package: a description of memory, and nothing else."""

    def __init__(self, x: situ.ndarray) -> None:
        self.__sycl_usm_array_interface__ = x.__sycl_usm_array_interface__
        self.keep = x


def places(argument, make):
    """Return an argument with its NumPy arrays on the device, by `make`."""
    if isinstance(argument, np.ndarray) and argument.ndim:
        return make(situ.asarray(argument))
    if isinstance(argument, list | tuple):
        return type(argument)(places(item, make) for item in argument)
    return argument


def host(result):
    """Return a result with NumPy arrays in the place of situ's."""
    if isinstance(result, situ.ndarray):
        return result.to_numpy()
    if isinstance(result, list | tuple):
        return [host(item) for item in result]
    assert not isinstance(result, Described)
    return result


def outcome(function, arguments, keywords, make):
    """Return what a call gives, or the class of its exception."""
    arguments = [places(argument, make) for argument in arguments]
    keywords = {name: places(argument, make) for name, argument in keywords.items()}
    try:
        return host(function(*arguments, **keywords))
    except (TypeError, ValueError, IndexError) as error:
        return type(error)


A = np.arange(24.0).reshape(2, 3, 4)
M = np.asarray([[3.0, 1.0, 2.0], [1.0, 4.0, 0.5], [2.0, 0.5, 9.0]])
V = np.asarray([5.0, -3.0, 2.0, 8.0])
I = np.asarray([1, 0, 2, 1])  # noqa: E741 - integers
B = np.asarray([True, False, True, True])


def elementwise(count):
    """Return the names of elementwise functions of so many arrays."""
    functions = situ._native.elementwise_functions()
    return [name for name, arity in functions if arity == count and hasattr(situ, name)]


# What neither catalogue of NumPy's names has.
MORE = [
    *((name, (V,), {}) for name in elementwise(1)),
    *((name, (V, V), {}) for name in elementwise(2)),
    ("all", (B,), {}),
    ("any", (B,), {}),
    ("argmax", (A,), {"axis": 1}),
    ("argmin", (A,), {}),
    ("argsort", (V,), {}),
    ("astype", (V, "float32"), {}),
    ("broadcast_arrays", (V, A), {}),
    ("broadcast_to", (V, (2, 4)), {}),
    ("clip", (V, 0, 4), {}),
    ("concat", ([V, V],), {}),
    ("count_nonzero", (V,), {}),
    ("cumulative_prod", (V,), {}),
    ("cumulative_sum", (V,), {}),
    ("diff", (V,), {"prepend": V, "append": V}),
    ("empty_like", (V[:0],), {}),
    ("expand_dims", (A,), {"axis": 0}),
    ("flip", (A,), {}),
    ("full_like", (V, 3), {}),
    ("isin", (V, V), {}),
    ("matmul", (A, A.mT), {}),
    ("matrix_transpose", (A,), {}),
    ("max", (A,), {"axis": 0}),
    ("mean", (A,), {}),
    ("meshgrid", (V, V), {}),
    ("min", (A,), {}),
    ("moveaxis", (A, 0, 2), {}),
    ("nonzero", (A,), {}),
    ("ones_like", (V,), {}),
    ("permute_dims", (A, (2, 0, 1)), {}),
    ("prod", (V,), {}),
    ("repeat", (V, I), {}),
    ("reshape", (A, (4, 6)), {}),
    ("result_type", (V, I), {}),
    ("roll", (A, 1), {}),
    ("searchsorted", (np.sort(V), V), {"sorter": np.arange(4)}),
    ("sort", (A,), {}),
    ("squeeze", (A[:1],), {"axis": 0}),
    ("stack", ((V, V),), {}),
    ("std", (A,), {}),
    ("sum", (A,), {}),
    ("take", (V, I), {}),
    ("take_along_axis", (V, I), {}),
    ("tensordot", (A, A), {"axes": 3}),
    ("tile", (V, (2, 2)), {}),
    ("tril", (M,), {}),
    ("triu", (M,), {}),
    ("unique_all", (I,), {}),
    ("unique_counts", (I,), {}),
    ("unique_inverse", (I,), {}),
    ("unique_values", (I,), {}),
    ("unstack", (A,), {}),
    ("var", (A,), {}),
    ("vecdot", (V, V), {}),
    ("where", (B, V, I), {}),
    ("zeros_like", (V,), {}),
    ("asarray", (V,), {}),
    ("asarray", ([V, V],), {}),
    ("array", (V,), {}),
    ("argpartition", (V, 1), {}),
    ("average", (V,), {"weights": I}),
    ("bincount", (I,), {"weights": V}),
    ("can_cast", (V, "float32"), {}),
    *((name, (A,), {}) for name in ["cumprod", "cumsum", "median", "nancumprod", "nancumsum"]),
    *(
        (f"nan{name}", (A,), {})
        for name in ["max", "mean", "median", "min", "prod", "std", "sum", "var"]
    ),
    *((name, (A, 25), {}) for name in ("percentile", "nanpercentile")),
    *((name, (A, 0.25), {}) for name in ("quantile", "nanquantile")),
    *((name, (I, V), {}) for name in ["intersect1d", "setdiff1d", "setxor1d", "union1d"]),
    *((name, (V, V), {}) for name in ["dot", "inner", "kron", "may_share_memory", "outer", "vdot"]),
    ("diag", (V,), {}),
    ("diagonal", (A,), {}),
    ("digitize", (V, np.sort(V)), {}),
    ("einsum", ("ij,jk", M, M), {}),
    ("finfo", (V,), {}),
    ("iinfo", (I,), {}),
    ("linspace", (V, V + 1), {"num": 3}),
    ("partition", (V, 1), {}),
    ("polyfit", (np.arange(4.0), V, 1), {}),
    ("trace", (M,), {}),
    ("linalg.cond", (M,), {}),
    ("linalg.diagonal", (M,), {}),
    ("linalg.eig", (M,), {}),
    ("linalg.eigvals", (M,), {}),
    ("linalg.lstsq", (M, M), {}),
    ("linalg.multi_dot", ([M, M, M],), {}),
    ("linalg.norm", (M,), {}),
    *((f"fft.{name}", (V,), {}) for name in ["ifft", "ihfft", "irfft"]),
    *(
        (f"fft.{name}", (M,), {})
        for name in ["ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn"]
    ),
    ("linalg.cholesky", (M,), {}),
    ("linalg.cross", (V[:3], V[:3]), {}),
    ("linalg.det", (M,), {}),
    ("linalg.eigh", (M,), {}),
    ("linalg.eigvalsh", (M,), {}),
    ("linalg.inv", (M,), {}),
    ("linalg.matmul", (M, M), {}),
    ("linalg.matrix_norm", (M,), {}),
    ("linalg.matrix_power", (M, 3), {}),
    ("linalg.matrix_rank", (M,), {}),
    ("linalg.outer", (V, V), {}),
    ("linalg.pinv", (M,), {}),
    ("linalg.qr", (M,), {}),
    ("linalg.slogdet", (M,), {}),
    ("linalg.solve", (M, M), {}),
    ("linalg.svd", (M,), {}),
    ("linalg.svdvals", (M,), {}),
    ("linalg.tensordot", (M, M), {}),
    ("linalg.trace", (M,), {}),
    ("linalg.vecdot", (V, V), {}),
    ("linalg.vector_norm", (V,), {}),
    ("fft.fft", (V,), {}),
    ("fft.fft2", (M,), {}),
    ("fft.fftn", (A,), {}),
    ("fft.fftshift", (V,), {}),
    ("fft.hfft", (V,), {}),
    ("fft.ifftshift", (V,), {}),
    ("fft.rfft", (V,), {}),
]

CALLS = [*test_everyday_names.CALLS, *test_numpy_names.CALLS, *MORE]


def find(name):
    """Return a function by its name, which may have dots."""
    function = situ
    for part in filter(None, name.split(".")):
        function = getattr(function, part)
    return function


@pytest.mark.parametrize(
    ("name", "arguments", "keywords"), CALLS, ids=[f"{c[0]}-{i}" for i, c in enumerate(CALLS)]
)
def test_a_description_is_as_good_as_an_array(name, arguments, keywords):
    function = find(name)
    expected = outcome(function, arguments, keywords, lambda x: x)
    given = outcome(function, arguments, keywords, Described)
    if isinstance(expected, type):
        assert given is expected
        return
    np.testing.assert_equal(given, expected)


def takes_arrays(function) -> bool:
    """Return whether some parameter of a public function is an array."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    named = {"device", "queue", "out"}
    return any("ndarray" in str(each.annotation) for each in parameters if each.name not in named)


# Functions that write to their arguments, tried below, or that take arrays in another way.
ELSEWHERE = {
    *("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"),
    *("apply_along_axis", "apply_over_axes", "piecewise", "nditer", "ndenumerate"),
    *("call_kernel", "call_kernel_async", "from_dlpack", "placement_of", "queues_equivalent"),
    *("mask_indices", "save", "savez", "savez_compressed", "set_global_queue"),
}


def test_every_function_is_tried():
    tried = {find(name) for name, _, _ in CALLS}
    parts = ("", "linalg.", "fft.")
    public = [part + name for part in parts for name in find(part.strip(".")).__all__]
    missing = [
        name
        for name in public
        if inspect.isfunction(find(name))
        and takes_arrays(find(name))
        and find(name) not in tried
        and name not in ELSEWHERE
    ]
    assert missing == []


CHANGES = [
    *test_everyday_names.CHANGES,
    ("copyto", [M.copy(), V[:3]], {}),
    ("place", [M.copy(), M > 1, V], {}),
    ("put", [M.copy(), I, V], {}),
    ("putmask", [M.copy(), M > 1, V], {}),
]


@pytest.mark.parametrize(("name", "arguments", "keywords"), CHANGES)
def test_a_function_that_changes_an_array_changes_the_described_memory(name, arguments, keywords):
    first, *others = arguments
    expected = situ.asarray(first, copy=True)
    getattr(situ, name)(expected, *[places(each, lambda x: x) for each in others], **keywords)
    x = situ.asarray(first, copy=True)
    getattr(situ, name)(Described(x), *[places(each, Described) for each in others], **keywords)
    np.testing.assert_array_equal(x.to_numpy(), expected.to_numpy())


def test_outputs_come_back_as_they_were_given():
    x, out = situ.asarray(V), Described(situ.zeros(4))
    for call in (
        lambda: situ.sqrt(situ.abs(x), out=out),
        lambda: situ.matmul(situ.eye(4), Described(x), out=out),
        lambda: situ.median(Described(situ.ones((4, 3))), axis=1, out=out),
        lambda: situ.sum(Described(situ.ones((3, 4))), axis=0, out=out),
        lambda: situ.nanmax(Described(situ.ones((3, 4))), axis=0, out=out),
    ):
        assert call() is out
    assert out.keep.to_numpy().tolist() == [1.0] * 4


def test_methods_and_operators_take_descriptions():
    x, other = situ.asarray(V), Described(situ.asarray(V))
    for result in (x + other, x.__radd__(other), 2 * x):
        np.testing.assert_array_equal(result.to_numpy(), 2 * V)
    np.testing.assert_array_equal((x == other).to_numpy(), True)
    assert (x @ other).item() == V @ V
    x += other
    x[1:3] = Described(situ.zeros(2))
    assert x.to_numpy().tolist() == [10.0, 0.0, 0.0, 16.0]
    assert x[Described(situ.asarray([3, 0]))].to_numpy().tolist() == [16.0, 10.0]
    assert x.collocate(other).queue == x.queue
    assert x.dot(other).item() == 178.0
