"""Arrays in files, in NumPy's formats.

Any program that reads ``.npy`` and ``.npz`` reads them. Files hold elements, shape and dtype, and
nothing about devices; pickles know those as well.
"""

import os
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from situ._creation import asarray
from situ._native import ndarray
from situ._queue_manager import Place

__all__ = ["load", "save", "savez", "savez_compressed"]

File = str | os.PathLike[str] | BinaryIO


def save(file: File, x: ndarray, /) -> None:
    """Write an array to a file in NumPy's ``.npy`` format.

    Parameters
    ----------
    file
        A path, to which ``.npy`` is appended if it has no such ending, or an open binary file.
    x
        The array.

    Examples
    --------
    >>> import situ, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     situ.save(pathlib.Path(folder) / "x.npy", situ.asarray([1, 2, 3]))
    ...     situ.load(pathlib.Path(folder) / "x.npy").to_numpy()
    array([1, 2, 3])
    """
    np.save(file, _host(x), allow_pickle=False)


def savez(file: File, /, *arrays: ndarray, **named: ndarray) -> None:
    """Write arrays to one file in NumPy's ``.npz`` format.

    Parameters
    ----------
    file
        A path, to which ``.npz`` is appended if it has no such ending, or an open binary file.
    *arrays
        Arrays without a name; they are called ``arr_0``, ``arr_1`` and so on.
    **named
        Arrays with their names.
    """
    hosts = {name: _host(x) for name, x in named.items()}
    np.savez(file, *[_host(x) for x in arrays], allow_pickle=False, **hosts)


def savez_compressed(file: File, /, *arrays: ndarray, **named: ndarray) -> None:
    """Write arrays to one compressed file in NumPy's ``.npz`` format, as `savez`.

    Parameters
    ----------
    file
        A path, to which ``.npz`` is appended if it has no such ending, or an open binary file.
    *arrays
        Arrays without a name; they are called ``arr_0``, ``arr_1`` and so on.
    **named
        Arrays with their names.
    """
    hosts = {name: _host(x) for name, x in named.items()}
    np.savez_compressed(file, *[_host(x) for x in arrays], allow_pickle=False, **hosts)


def load(
    file: File,
    /,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray | dict[str, ndarray]:
    """Read an array, or several, from a file in NumPy's ``.npy`` or ``.npz`` format.

    Parameters
    ----------
    file
        A path or an open binary file. A file of one array that is named by its path goes straight
        to the device's memory.
    device, queue, usm_type
        Where to, as for `asarray`.

    Returns
    -------
    ndarray or dict
        The array; of an ``.npz`` file all arrays by their names.

    Raises
    ------
    ValueError
        If the file holds Python objects, which are not read, or has another format.
    """
    mode = "r" if isinstance(file, str | os.PathLike) else None
    found = np.load(file, mmap_mode=mode, allow_pickle=False)
    if not hasattr(found, "files"):
        return asarray(found, device=device, queue=queue, usm_type=usm_type)
    with found:
        return {
            str(name): asarray(found[name], device=device, queue=queue, usm_type=usm_type)
            for name in found.files
        }


def _host(x: ndarray) -> npt.NDArray[Any]:
    """Return elements on the host, in place where it reaches them."""
    try:
        return np.asarray(x)
    except BufferError:
        return x.to_numpy()
