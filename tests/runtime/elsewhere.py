"""Functions that tests call in other processes, which must be able to import them."""

import situ


def double(numbers: list[int]) -> list[int]:
    """Return twice the numbers."""
    x = situ.asarray(numbers)
    return (x + x).to_numpy().tolist()
