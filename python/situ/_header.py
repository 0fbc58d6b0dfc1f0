"""Where the header of the C interface is, for packages in C, C++ and Cython.

What the interface offers is told in `include/situ.h` itself and in docs/native-packages.md.
"""

from pathlib import Path

__all__ = ["get_include"]


def get_include() -> str:
    """Return the folder with `situ.h`, the header of situ's C interface.

    Give it to the compiler of a package in C, C++ or Cython. Nothing needs to be linked.

    Returns
    -------
    str
        The folder, as an absolute path.

    Examples
    --------
    >>> from pathlib import Path
    >>> import situ
    >>> (Path(situ.get_include()) / "situ.h").is_file()
    True
    """
    return str(Path(__file__).resolve().parent / "include")
