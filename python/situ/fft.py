"""Discrete Fourier transforms.

Transforms run on the host, by all its cores, whatever device the data is on: memory that the host
cannot reach is copied there and back. ``float32`` stays in single precision, and so does
``float16``; integers and bools are transformed as the widest floats that the device has. Results
differ from NumPy's in the last digits only.

Differences
-----------
An axis that is named twice is refused, where NumPy transforms along it twice.
"""

import operator
import sys
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._array_arguments import set_name, takes_arrays
from situ._creation import arange
from situ._manipulation import roll
from situ._native import ndarray
from situ._offload import BoundModule, on_queue
from situ._queue_manager import Place
from situ.exceptions import DTypeError

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "on",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


class Transform(Protocol):
    """A transform along one axis."""

    def __call__(
        self,
        x: ndarray,
        /,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        *,
        out: ndarray | None = None,
        queue: Place | None = None,
    ) -> ndarray:
        """Transform lines along an axis."""
        ...


class TransformOfAxes(Protocol):
    """A transform along several axes."""

    def __call__(
        self,
        x: ndarray,
        /,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str | None = None,
        *,
        out: ndarray | None = None,
        queue: Place | None = None,
    ) -> ndarray:
        """Transform lines along axes."""
        ...


_REST = """norm
        What is divided by the number of elements of a line: ``"backward"`` (default) the inverse
        transforms, ``"forward"`` the others, ``"ortho"`` all of them, by its root.
    out
        Where the result goes; to new memory by default.
    queue
        What runs it: a queue from which the arrays are accessible; theirs by default."""


def _along_one(
    name: str, summary: str, n: str, result: str, example: str, expected: str
) -> Transform:
    # The parameter below has the name of a text that is only needed here.
    documentation = f"""{summary}

    Parameters
    ----------
    x
        An array.
    n
        {n}
    axis
        The axis; the last by default.
    {_REST}

    Returns
    -------
    ndarray
        {result}

    Examples
    --------
    >>> import situ
    >>> {example}
    {expected}
    """

    def function(
        x: ndarray,
        /,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        *,
        out: ndarray | None = None,
        queue: Place | None = None,
    ) -> ndarray:
        return _native.fourier_transform(name, x, n, axis, norm, out=out, queue=queue)

    set_name(function, name)
    function.__doc__ = documentation
    return function


def _along_several(
    name: str, summary: str, lengths: str, result: str, example: str, expected: str
) -> TransformOfAxes:
    documentation = f"""{summary}

    Parameters
    ----------
    x
        An array.
    s
        {lengths}
        A length of -1 is that of `x`.
    axes
        The axes; by default all, or as many of the last as `s` has lengths.
    {_REST}

    Returns
    -------
    ndarray
        {result}

    Examples
    --------
    >>> import situ
    >>> {example}
    {expected}
    """

    def function(
        x: ndarray,
        /,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str | None = None,
        *,
        out: ndarray | None = None,
        queue: Place | None = None,
    ) -> ndarray:
        return _native.fourier_transform_axes(name, x, s, axes, norm, out=out, queue=queue)

    set_name(function, name)
    function.__doc__ = documentation
    return function


def _along_two(
    name: str, summary: str, result: str, example: str, expected: str
) -> TransformOfAxes:
    documentation = f"""{summary}

    Parameters
    ----------
    x
        An array of two or more dimensions.
    s
        As for the transform of any number of axes.
    axes
        The axes; the last two by default.
    {_REST}

    Returns
    -------
    ndarray
        {result}

    Examples
    --------
    >>> import situ
    >>> {example}
    {expected}
    """

    def function(
        x: ndarray,
        /,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = (-2, -1),
        norm: str | None = None,
        *,
        out: ndarray | None = None,
        queue: Place | None = None,
    ) -> ndarray:
        return _native.fourier_transform_axes(name, x, s, axes, norm, out=out, queue=queue)

    set_name(function, name)
    function.__doc__ = documentation
    return function


_CUT = "Elements of a line, which is cut or filled up with zeros; by default as it is."
_WHOLE = "Elements of a line of the result; by default ``2 * (m - 1)``, with ``m`` those of `x`."

fft = _along_one(
    "fft",
    "Transform along one axis.",
    _CUT,
    "Complex numbers.",
    "situ.fft.fft(situ.asarray([1.0, 2.0, 3.0, 2.0])).to_numpy().real",
    "array([ 8., -2.,  0., -2.])",
)
ifft = _along_one(
    "ifft",
    "Transform back along one axis, the inverse of `fft`.",
    _CUT,
    "Complex numbers.",
    "situ.fft.ifft(situ.asarray([8.0, -2.0, 0.0, -2.0])).to_numpy().real",
    "array([1., 2., 3., 2.])",
)
rfft = _along_one(
    "rfft",
    "Transform real numbers along one axis.",
    _CUT,
    "The first ``n // 2 + 1`` complex numbers of each line; the others are their conjugates.",
    "situ.fft.rfft(situ.asarray([1.0, 2.0, 3.0, 2.0])).to_numpy()",
    "array([ 8.+0.j, -2.+0.j,  0.+0.j])",
)
irfft = _along_one(
    "irfft",
    "Transform back to real numbers along one axis, the inverse of `rfft`.",
    _WHOLE,
    "Real numbers.",
    "situ.fft.irfft(situ.asarray([8.0, -2.0, 0.0])).to_numpy()",
    "array([1., 2., 3., 2.])",
)
hfft = _along_one(
    "hfft",
    "Transform lines whose other half is the conjugate of the one given, so that results are real.",
    _WHOLE,
    "Real numbers.",
    "situ.fft.hfft(situ.asarray([8.0, -2.0, 0.0])).to_numpy()",
    "array([ 4.,  8., 12.,  8.])",
)
ihfft = _along_one(
    "ihfft",
    "Transform real numbers back to half of a line, the inverse of `hfft`.",
    _CUT,
    "The first ``n // 2 + 1`` complex numbers of each line.",
    "situ.fft.ihfft(situ.asarray([4.0, 8.0, 12.0, 8.0])).to_numpy().real",
    "array([ 8., -2.,  0.])",
)

_CUTS = "Elements of lines along each axis, which are cut or filled up with zeros."
_WHOLES = (
    "Elements of lines of the result; by default those of `x`, and ``2 * (m - 1)`` for the last."
)

fftn = _along_several(
    "fftn",
    "Transform along several axes.",
    _CUTS,
    "Complex numbers.",
    "situ.fft.fftn(situ.asarray([[1.0, 2.0], [3.0, 4.0]])).to_numpy()",
    "array([[10.+0.j, -2.+0.j],\n           [-4.+0.j,  0.+0.j]])",
)
ifftn = _along_several(
    "ifftn",
    "Transform back along several axes, the inverse of `fftn`.",
    _CUTS,
    "Complex numbers.",
    "situ.fft.ifftn(situ.asarray([[10.0, -2.0], [-4.0, 0.0]])).to_numpy().real",
    "array([[1., 2.],\n           [3., 4.]])",
)
rfftn = _along_several(
    "rfftn",
    "Transform real numbers along several axes.",
    _CUTS,
    "Complex numbers; along the last of the axes the first half, as `rfft` gives it.",
    "situ.fft.rfftn(situ.ones((3, 4))).shape",
    "(3, 3)",
)
irfftn = _along_several(
    "irfftn",
    "Transform back to real numbers along several axes, the inverse of `rfftn`.",
    _WHOLES,
    "Real numbers.",
    "situ.fft.irfftn(situ.fft.rfftn(situ.asarray([[1.0, 2.0], [3.0, 4.0]]))).to_numpy()",
    "array([[1., 2.],\n           [3., 4.]])",
)
fft2 = _along_two(
    "fft2",
    "Transform along two axes, as `fftn` does.",
    "Complex numbers.",
    "situ.fft.fft2(situ.ones((2, 2))).to_numpy().real",
    "array([[4., 0.],\n           [0., 0.]])",
)
ifft2 = _along_two(
    "ifft2",
    "Transform back along two axes, the inverse of `fft2`.",
    "Complex numbers.",
    "situ.fft.ifft2(situ.ones((2, 2))).to_numpy().real",
    "array([[1., 0.],\n           [0., 0.]])",
)
rfft2 = _along_two(
    "rfft2",
    "Transform real numbers along two axes, as `rfftn` does.",
    "Complex numbers; along the last of the axes the first half.",
    "situ.fft.rfft2(situ.ones((3, 4))).shape",
    "(3, 3)",
)
irfft2 = _along_two(
    "irfft2",
    "Transform back to real numbers along two axes, the inverse of `rfft2`.",
    "Real numbers.",
    "situ.fft.irfft2(situ.ones((3, 3))).shape",
    "(3, 4)",
)


def fftfreq(
    n: int,
    /,
    d: float = 1.0,
    *,
    dtype: npt.DTypeLike | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make the frequencies that the elements of a transformed line stand for.

    Parameters
    ----------
    n
        Elements of the line.
    d
        The distance between neighbours before the transform.
    dtype
        Element type, a float; by default ``float64``, or ``float32`` on devices without it.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The frequencies in cycles per unit of `d`: first those from zero up, then the negative ones.

    Examples
    --------
    >>> import situ
    >>> situ.fft.fftfreq(4, d=0.5).to_numpy()
    array([ 0. ,  0.5, -1. , -0.5])
    """
    n = _line_length("fftfreq", n)
    first, last = -(n // 2), (n - 1) // 2
    whole = arange(first, last + 1, device=device, queue=queue, usm_type=usm_type)
    return roll(_frequencies("fftfreq", whole, n, d, dtype), first)


def rfftfreq(
    n: int,
    /,
    d: float = 1.0,
    *,
    dtype: npt.DTypeLike | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make the frequencies that the elements of a line transformed by `rfft` stand for.

    Parameters
    ----------
    n
        Elements of the line before the transform.
    d
        The distance between neighbours before the transform.
    dtype
        Element type, a float; by default ``float64``, or ``float32`` on devices without it.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The frequencies in cycles per unit of `d`.

    Examples
    --------
    >>> import situ
    >>> situ.fft.rfftfreq(4, d=0.5).to_numpy()
    array([0. , 0.5, 1. ])
    """
    n = _line_length("rfftfreq", n)
    whole = arange(0, n // 2 + 1, device=device, queue=queue, usm_type=usm_type)
    return _frequencies("rfftfreq", whole, n, d, dtype)


def _line_length(function: str, n: int) -> int:
    try:
        length = operator.index(n)
    except TypeError:
        length = 0
    if length < 1:
        msg = (
            f"`{function}` has no frequencies for n={n!r}\n"
            "  why:  `n` is how many elements a line has\n"
            "  help: give an integer of 1 or more"
        )
        raise ValueError(msg)
    return length


def _frequencies(
    function: str, whole: ndarray, n: int, d: float, dtype: npt.DTypeLike | None
) -> ndarray:
    default = _native.default_float(device=whole.queue)
    target = default if dtype is None else np.dtype(dtype)
    if target.kind != "f":
        msg = (
            f"`{function}` cannot make {target}\n"
            "  why:  frequencies are real numbers\n"
            '  help: give a float dtype, e.g. `dtype="float32"`'
        )
        raise DTypeError(msg)
    return (whole.astype(default) * (1.0 / (n * d))).astype(target, copy=False)


@takes_arrays
def fftshift(
    x: ndarray, /, axes: int | Sequence[int] | None = None, *, queue: Place | None = None
) -> ndarray:
    """Move the frequency zero to the middle.

    Parameters
    ----------
    x
        An array.
    axes
        Along which axes; all of them by default.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.fft.fftshift(situ.asarray([0, 1, 2, -2, -1])).to_numpy()
    array([-2, -1,  0,  1,  2])
    """
    return _shifted(x, axes, 1, queue)


@takes_arrays
def ifftshift(
    x: ndarray, /, axes: int | Sequence[int] | None = None, *, queue: Place | None = None
) -> ndarray:
    """Move the frequency zero from the middle to the front, the inverse of `fftshift`.

    Parameters
    ----------
    x
        An array.
    axes
        Along which axes; all of them by default.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.fft.ifftshift(situ.asarray([-2, -1, 0, 1, 2])).to_numpy()
    array([ 0,  1,  2, -2, -1])
    """
    return _shifted(x, axes, -1, queue)


def _shifted(
    x: ndarray, axes: int | Sequence[int] | None, sign: int, queue: Place | None
) -> ndarray:
    shape = x.shape
    if axes is None:
        axes = range(len(shape))
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    # An axis that does not exist is left to `roll` to refuse.
    sizes = [shape[axis] if -len(shape) <= axis < len(shape) else 0 for axis in axes]
    return roll(x, [sign * (size // 2) for size in sizes], axis=axes, queue=queue)


def on(queue: Place | None = None) -> BoundModule:
    """Return this module with all its functions bound to a queue.

    Parameters
    ----------
    queue
        A queue, or what says where: a filter string, device or array. By default the current
        default queue.

    Returns
    -------
    BoundModule
        Its functions run on that queue, and take any mix of arrays, as those of
        `situ.offload_to` do.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> transforms = situ.fft.on("reference")
    >>> transforms.fft(np.ones(4)).device.filter_string
    'reference:cpu:0'
    """
    return on_queue(sys.modules[__name__], queue)
