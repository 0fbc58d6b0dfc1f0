"""Text for people: sizes, times and aligned columns."""

import json
from collections.abc import Iterable, Sequence


def size(count: int) -> str:
    """Write a number of bytes with the unit that suits it.

    Examples
    --------
    >>> size(1), size(999), size(2048), size(25_274_793_984)
    ('1 byte', '999 bytes', '2.0 KiB', '23.5 GiB')
    """
    if count == 1:
        return "1 byte"
    if count < 1000:
        return f"{count} bytes"
    value = count / 1024
    for unit in ("KiB", "MiB", "GiB"):
        if value < 1000:
            return f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def counted(count: int, noun: str) -> str:
    """Write how many of something there are.

    Examples
    --------
    >>> counted(1, "kernel"), counted(0, "kernel")
    ('1 kernel', '0 kernels')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def age(seconds: float) -> str:
    """Write how long ago something was.

    Examples
    --------
    >>> age(5), age(90), age(7200), age(200_000)
    ('now', '1 minute ago', '2 hours ago', '2 days ago')
    """
    for length, noun in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= length:
            return f"{counted(int(seconds / length), noun)} ago"
    return "now"


def table(rows: Iterable[Sequence[str]], indent: str = "  ") -> str:
    """Write rows in aligned columns; the last column is as long as it is.

    Examples
    --------
    >>> print(table([("a", "one"), ("bcd", "two")]))
      a    one
      bcd  two
    """
    lines = [list(row) for row in rows]
    widths: dict[int, int] = {}
    for line in lines:
        for column, cell in enumerate(line[:-1]):
            widths[column] = max(widths.get(column, 0), len(cell))
    padded = (
        [cell.ljust(widths[column]) for column, cell in enumerate(line[:-1])] + line[-1:]
        for line in lines
    )
    return "\n".join((indent + "  ".join(line)).rstrip() for line in padded)


def indented(text: str) -> str:
    r"""Write a text as part of another one.

    Examples
    --------
    >>> indented("one\n  two")
    '  one\n    two'
    """
    return "\n".join(f"  {line}" for line in text.splitlines())


def as_json(data: object) -> str:
    """Write plain data as JSON."""
    return json.dumps(data, indent=2)
