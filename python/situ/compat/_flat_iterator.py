"""The elements of an array in one row: the peers' ``flat``."""

from collections.abc import Iterator

import situ
from situ._native import ndarray

__all__ = ["flatiter"]


class flatiter:
    """All elements of an array in C order; elements can be read and assigned.

    Parameters
    ----------
    x : ndarray
        The array.
    """

    def __init__(self, x: ndarray) -> None:
        self._x = x

    def __len__(self) -> int:
        return self._x.size

    def __getitem__(self, key: int | slice) -> ndarray:
        """Return an element, or several in one dimension."""
        return self._x.reshape(-1)[key]

    def __setitem__(self, key: int | slice, value: "ndarray | complex") -> None:
        """Assign an element, or several."""
        row = self._x.reshape(-1)
        row[key] = value
        if not situ.may_share_memory(row, self._x):
            self._x[...] = row.reshape(self._x.shape)

    def __iter__(self) -> Iterator[ndarray]:
        """Yield the elements as 0-d arrays."""
        return iter(self._x.reshape(-1))
