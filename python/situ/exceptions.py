"""Every exception and warning situ raises, in one place.

All errors share `SituError`, so ``except situ.SituError`` catches whatever situ can raise, and each
also derives from the built-in that NumPy users already expect for that kind of mistake
(``except ValueError`` around a shape mismatch keeps working).

Messages have three parts: what happened, why (with the caller's own names and values) and what to
do about it. Nothing here formats messages; the Rust layers write them and
``crates/situ-python/src/error.rs`` chooses the class.
"""

import numpy as np


class SituError(Exception):
    """Base of every error situ raises.

    Examples
    --------
    >>> import situ
    >>> issubclass(situ.PlacementError, situ.SituError)
    True
    """


class PlacementError(SituError, ValueError):
    """The arrays of one call do not agree on where to compute.

    Raised before anything runs: no data was copied and no argument was changed.

    Examples
    --------
    >>> import situ
    >>> issubclass(situ.PlacementError, ValueError)
    True
    """


class HostAccessError(SituError, BufferError):
    """The host was about to read or write memory that only a device can reach.

    The message has the line that copies it instead.
    """


class AddressError(SituError, ValueError):
    """Memory was named that is not there.

    An address that belongs to no live allocation of situ, or bytes beyond the end of one.
    """


class ShapeError(SituError, ValueError):
    """Shapes, axes or ranges do not fit together."""


class DTypeError(SituError, TypeError):
    """An element type is unknown here, or two of them have no common type."""


class DTypeKindError(DTypeError, ValueError):
    """A question about floats or integers was asked of another dtype; NumPy's is a ``ValueError``.

    Examples
    --------
    >>> import situ
    >>> try:
    ...     situ.finfo(int)
    ... except ValueError as error:
    ...     print(type(error).__name__)
    DTypeKindError
    """


class LinAlgError(SituError, np.linalg.LinAlgError):
    """A matrix does not have what was asked for: an inverse, a decomposition, a square shape.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> issubclass(situ.LinAlgError, np.linalg.LinAlgError)
    True
    """


class KernelError(SituError):
    """A Python function could not be made into a kernel, or could not be launched.

    The message shows every problem found, each with the source line it is about.
    """


class KernelAssertionError(KernelError, AssertionError):
    """An ``assert`` in a kernel failed; raised by the next wait for the kernel."""


class KernelIndexError(KernelError, IndexError):
    """A kernel that checks its bounds reached outside of an array.

    Raised by the next wait for the kernel; the access itself was skipped.
    """


class KernelTypeError(KernelError, TypeError):
    """A kernel's arguments, or the expressions inside it, have types that do not fit."""


class DeviceError(SituError, RuntimeError):
    """A device, driver or compiler refused what it was asked to do, or no device matches."""


# `MemoryError` has a `__new__` of its own, so it comes first: `cls.__new__(cls)`, with which dask
# and tblib rebuild exceptions, finds the one that fits.
class OutOfMemoryError(MemoryError, SituError):
    """An allocation did not fit.

    The message names the request, what the memory pool holds and what the device has. Everything
    allocated before stays valid.
    """


class HostTaskError(SituError, RuntimeError):
    """A function given to `Queue.host_task` raised; its exception is the cause of this one."""


class InternalError(SituError, RuntimeError):
    """situ broke one of its own rules. This is a bug in situ; please report it."""


class SituWarning(UserWarning):
    """Base of every warning situ gives."""


class PlacementWarning(SituWarning):
    """A request about placement was understood, but has no effect or another one."""


class UnseenFailureWarning(SituWarning):
    """Work failed, and nobody waited for its event or its queue."""


class CacheWarning(SituWarning):
    """The on-disk kernel cache cannot be used; kernels are compiled anew in each process."""
