"""How the elements of an array lie in memory, as the peers' ``flags``."""

from situ._native import ndarray

__all__ = ["LayoutFlags"]


_NAMES = {
    "C": "c_contiguous",
    "C_CONTIGUOUS": "c_contiguous",
    "F": "f_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "W": "writable",
    "WRITABLE": "writable",
    "FORC": "forc",
    "FNC": "fnc",
}


class LayoutFlags:
    """The ``flags`` of an array; each is an attribute and an item, ``flags["C"]``."""

    def __init__(self, x: ndarray) -> None:
        self.c_contiguous = _is_contiguous(x.shape[::-1], x.strides[::-1], x.itemsize)
        self.f_contiguous = _is_contiguous(x.shape, x.strides, x.itemsize)
        self.writable = True

    @property
    def contiguous(self) -> bool:
        """Whether the last index is the fastest."""
        return self.c_contiguous

    @property
    def forc(self) -> bool:
        """Whether elements have no gaps between them in either order."""
        return self.c_contiguous or self.f_contiguous

    @property
    def fnc(self) -> bool:
        """Whether only the first index can be the fastest."""
        return self.f_contiguous and not self.c_contiguous

    def __getitem__(self, name: str) -> bool:
        """Return a flag by its name in capitals."""
        return bool(getattr(self, _NAMES[name]))

    def __repr__(self) -> str:
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITABLE")
        return "\n".join(f"  {name} : {self[name]}" for name in names)


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether elements follow each other without gaps, the first dimension the fastest."""
    expected = itemsize
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            return True
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True
