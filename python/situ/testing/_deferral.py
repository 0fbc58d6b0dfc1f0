"""When elementwise functions wait for what follows, for the time of a test."""

from contextlib import ContextDecorator

from situ._native import set_deferral

# More elements than any array has.
_NEVER = 2**63 - 1


class deferral(ContextDecorator):
    """Choose when elementwise functions wait, for the time of a block or of a function.

    Elementwise functions of large arrays wait for what follows, so that an expression of several
    becomes one kernel. A program cannot tell, except by its speed; this is for tests of such
    claims, and for measurements. It is in force in the whole process, all threads included.

    Parameters
    ----------
    smallest
        The least number of elements of a result that waits; `None` if none does.
    fuses
        Whether expressions become one kernel: ``True`` as soon as they have several functions,
        ``False`` never, `None` where that pays.

    Examples
    --------
    >>> import situ, situ.testing
    >>> x = situ.arange(3.0)
    >>> with situ.testing.deferral(smallest=1, fuses=True):
    ...     y = (x + 1.0) * x - 2.0
    ...     print(y)
    [-2.  0.  4.]

    As if there were no such thing:

    >>> with situ.testing.deferral(None):
    ...     print((x + 1.0) * x - 2.0)
    [-2.  0.  4.]
    """

    def __init__(self, smallest: int | None, *, fuses: bool | None = None) -> None:
        self._smallest = _NEVER if smallest is None else max(smallest, 1)
        self._fuses = fuses
        self._before: list[tuple[int, int]] = []

    def __enter__(self) -> None:
        """Put it in force."""
        before = set_deferral(self._smallest, 0)
        price = before[1] if self._fuses is None else (0 if self._fuses else _NEVER)
        set_deferral(self._smallest, price)
        self._before.append(before)

    def __exit__(self, *exception: object) -> None:
        """Put in force what was before the innermost block that is still open."""
        set_deferral(*self._before.pop())
