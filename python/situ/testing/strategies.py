"""Hypothesis strategies that make arrays; needs the package ``hypothesis``."""

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from situ._creation import asarray
from situ._dtypes import ALL, dtypes_of, is_on
from situ._namespace import device_of
from situ._native import ndarray
from situ._queue_manager import Place

__all__ = ["arrays", "dtypes", "shapes"]

shapes = npst.array_shapes


def dtypes(kind: str = "", *, device: Place | None = None) -> st.SearchStrategy[np.dtype[Any]]:
    """Draw dtypes that a device has.

    Parameters
    ----------
    kind
        Only those of a kind, as `situ.isdtype` names them; any by default.
    device
        The device; the default device if none is given.

    Returns
    -------
    SearchStrategy
        A strategy of dtypes.
    """
    where = device_of(device)
    among = dtypes_of(kind) if kind else ALL
    return st.sampled_from([dtype for dtype in among if is_on(dtype, where)])


@st.composite
def arrays(
    draw: st.DrawFn,
    dtype: npt.DTypeLike | st.SearchStrategy[np.dtype[Any]],
    shape: int | tuple[int, ...] | st.SearchStrategy[tuple[int, ...]],
    *,
    elements: st.SearchStrategy[Any] | None = None,
    unique: bool = False,
    device: Place | None = None,
    usm_type: str | None = None,
    views: bool = True,
) -> ndarray:
    """Draw arrays, by default also views with steps, turned dimensions and offsets.

    Parameters
    ----------
    draw
        Given by Hypothesis.
    dtype
        Element type, or a strategy such as `dtypes`.
    shape
        Sizes of the dimensions, or a strategy such as `shapes`.
    elements
        A strategy of elements; by default all numbers that the dtype has.
    unique
        Whether all elements differ.
    device, usm_type
        Where the arrays are, as for `situ.asarray`.
    views
        Whether some arrays are views of larger ones, with any strides.

    Returns
    -------
    ndarray
        An array. Shrinking makes it contiguous, small and full of zeros. Bools that are true have
        another byte than 1 in some arrays.
    """
    element_type = draw(dtype) if isinstance(dtype, st.SearchStrategy) else np.dtype(dtype)
    sizes = draw(shape) if isinstance(shape, st.SearchStrategy) else shape
    drawn = draw(npst.arrays(element_type, sizes, elements=elements, unique=unique))
    if element_type.kind == "b" and draw(st.booleans()):
        # Any byte but 0 is true, and masks of other libraries have such bytes.
        byte = draw(st.integers(2, 255))
        drawn = (drawn.view(np.uint8) * np.uint8(byte)).view(np.bool_)
    if not views or drawn.ndim == 0 or not draw(st.booleans()):
        return asarray(drawn, device=device, usm_type=usm_type)
    steps = draw(st.tuples(*[st.sampled_from([1, 2, -1, -2])] * drawn.ndim))
    order = draw(st.permutations(range(drawn.ndim)))
    # The array is laid out in another order, with gaps, and looked at so that it is as drawn.
    spread = [size * abs(step) for size, step in zip(drawn.shape, steps, strict=True)]
    memory = np.zeros([spread[axis] for axis in order], dtype=element_type)
    back = np.argsort(order)
    window = tuple(slice(None, None, step) for step in steps)
    memory.transpose(back)[window] = drawn
    return asarray(memory, device=device, usm_type=usm_type).transpose(*back.tolist())[window]
