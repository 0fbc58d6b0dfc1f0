"""Memory of a work-item, as a class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from situ._simulation import current, undefined_array

__all__ = ["PrivateArray"]


class PrivateArray:
    """An array that only this work-item sees; the same as `situ.private.array`.

    Parameters
    ----------
    shape : int or tuple of int
        Known when the kernel is compiled: literals or global constants.
    dtype : dtype
        What the elements are.
    fill_zeros : bool, default False
        Whether they are 0 at first; undefined otherwise.
    """

    def __new__(
        cls, shape: int | Sequence[int], dtype: npt.DTypeLike, fill_zeros: bool = False
    ) -> Any:  # noqa: ANN401 - an array, which the class pretends to be
        """Make it in a simulation."""
        current("PrivateArray")
        return np.zeros(shape, dtype) if fill_zeros else undefined_array(shape, dtype)
