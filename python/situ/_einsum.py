"""Einstein's summation: products of arrays, named by letters.

Arrays are multiplied two at a time, the pair with the smallest product first. Letters that only one
of them has and nobody else needs are summed before; then a pair is one product of matrices.
"""

import math
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy.typing as npt

from situ import _elementwise, _native, _statistical
from situ._array_arguments import takes_arrays
from situ._dtypes import result_type
from situ._manipulation import permute_dims, reshape
from situ._native import ndarray
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = ["einsum"]


@dataclass
class _Term:
    """An array, with a letter for each of its dimensions."""

    letters: str
    array: ndarray


@takes_arrays
def einsum(
    subscripts: str | ndarray,
    /,
    *operands: ndarray | Sequence[object],
    out: ndarray | None = None,
    dtype: npt.DTypeLike | None = None,
    optimize: object = True,
    queue: Place | None = None,
) -> ndarray:
    """Multiply arrays and add up, along dimensions that are named by letters.

    Parameters
    ----------
    subscripts
        The letters of each array's dimensions, separated by commas, and behind ``->`` those of the
        result. Letters that the result does not have are summed over. Without ``->`` it has the
        letters that occur once, in alphabetical order. ``...`` stands for any other dimensions.
        As in NumPy, arrays and lists of numbers in turn are another way to say the same.
    *operands
        The arrays.
    out
        Where the result goes.
    dtype
        The dtype to compute in, and of the result; by default that of the arrays together.
    optimize
        Accepted for NumPy's sake; the order of products is always chosen.
    queue
        What runs it: a queue from which all are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The sums.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[1, 2], [3, 4]])
    >>> situ.einsum("ij,jk->ik", x, x).to_numpy()
    array([[ 7, 10],
           [15, 22]])
    >>> situ.einsum("ii", x).item()
    5
    """
    del optimize
    text, arrays = _as_text(subscripts, operands)
    if dtype is None and len(arrays) > 1:
        # A product of two must not be narrower than the third one.
        dtype = result_type(*arrays)
    if dtype is not None:
        arrays = [x.astype(dtype, copy=False) for x in arrays]
    terms, result = _parsed(text, arrays)
    sizes = _sizes(terms)
    terms = [_without_repeats(_without_stretched(term, sizes), queue) for term in terms]
    while len(terms) > 1:
        left, right = _next_pair(terms, result, sizes)
        rest = [term for term in terms if term is not left and term is not right]
        needed = set(result).union(*(term.letters for term in rest))
        terms = [*rest, _product(left, right, needed, sizes, queue)]
    (term,) = terms
    term = _summed(term, set(result), queue)
    missing = [letter for letter in result if letter not in term.letters]
    if missing:
        message = f"the result of `einsum` has a letter {missing[0]!r} that no array has"
        raise ValueError(message)
    value = permute_dims(term.array, tuple(term.letters.index(letter) for letter in result))
    if out is not None:
        return _elementwise.positive(value, out=out, queue=queue)
    return value


def _as_text(
    subscripts: str | ndarray, operands: Sequence[ndarray | Sequence[object]]
) -> tuple[str, list[ndarray]]:
    """Return letters and arrays, whichever way they were given."""
    if isinstance(subscripts, str):
        arrays = [x for x in operands if isinstance(x, ndarray)]
        if len(arrays) != len(operands):
            message = (
                "`einsum` takes situ arrays\n"
                "  help: make an array first, e.g. `x = situ.asarray(x)`"
            )
            raise TypeError(message)
        return subscripts.replace(" ", ""), arrays
    everything = [subscripts, *operands]
    arrays: list[ndarray] = []
    texts: list[str] = []
    while len(everything) >= 2:
        array, letters, *everything = everything
        if not isinstance(array, ndarray) or isinstance(letters, ndarray):
            message = "`einsum` takes letters and arrays, or arrays and lists of numbers in turn"
            raise TypeError(message)
        arrays.append(array)
        texts.append(_letters(letters))
    text = ",".join(texts)
    if everything:
        (letters,) = everything
        if isinstance(letters, ndarray):
            message = "the last list of numbers of `einsum` is that of the result"
            raise TypeError(message)
        text += "->" + _letters(letters)
    return text, arrays


def _letters(numbers: Sequence[object]) -> str:
    names = string.ascii_uppercase + string.ascii_lowercase
    return "".join(
        "..." if number is Ellipsis else names[int(number)]  # type: ignore[call-overload]
        for number in numbers
    )


def _parsed(text: str, arrays: Sequence[ndarray]) -> tuple[list[_Term], str]:
    """Return arrays with their letters, and the letters of the result."""
    inputs, arrow, result = text.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(arrays):
        message = f"`einsum` has letters for {len(parts)} arrays, but {len(arrays)} arrays"
        raise ValueError(message)
    # Dimensions that `...` stands for get names that nobody can write, counted from the last.
    extra = max(
        (x.ndim - len(part.replace("...", "")) for part, x in zip(parts, arrays, strict=True)),
        default=0,
    )
    names = "".join(chr(0x2460 + i) for i in range(max(extra, 0)))
    terms: list[_Term] = []
    for part, x in zip(parts, arrays, strict=True):
        if "..." in part:
            count = x.ndim - len(part.replace("...", ""))
            part = part.replace("...", names[len(names) - count :] if count > 0 else "", 1)
        _check_letters(part, names)
        if len(part) != x.ndim:
            message = (
                f"`einsum` has {len(part)} letters for an array with {x.ndim} dimensions\n"
                f"  why:  the letters are {part!r}, and the shape is {x.shape}\n"
                "  help: name every dimension, or let `...` stand for some"
            )
            raise ShapeError(message)
        terms.append(_Term(part, x))
    if arrow:
        present = "".join(name for name in names if any(name in term.letters for term in terms))
        result = result.replace("...", present, 1)
        _check_letters(result, names)
    else:
        counts = Counter("".join(term.letters for term in terms))
        once = sorted(
            letter for letter, count in counts.items() if count == 1 and letter not in names
        )
        result = "".join(name for name in names if counts[name]) + "".join(once)
    if len(set(result)) != len(result):
        message = f"the result of `einsum` names a letter twice: {result!r}"
        raise ValueError(message)
    return terms, result


def _check_letters(letters: str, names: str) -> None:
    for letter in letters:
        if letter not in string.ascii_letters and letter not in names:
            message = f"`einsum` names dimensions by letters, and {letter!r} is none"
            raise ValueError(message)


def _sizes(terms: Sequence[_Term]) -> dict[str, int]:
    """Return the size that each letter stands for."""
    sizes: dict[str, int] = {}
    for term in terms:
        for letter, size in zip(term.letters, term.array.shape, strict=True):
            known = sizes.setdefault(letter, size)
            if known == 1:
                sizes[letter] = size
            elif size not in (1, known):
                message = (
                    f"the letter {letter!r} of `einsum` has the sizes {known} and {size}\n"
                    "  why:  a letter stands for one size in all arrays"
                )
                raise ShapeError(message)
    return sizes


def _without_stretched(term: _Term, sizes: dict[str, int]) -> _Term:
    """Leave out dimensions of size one that other arrays stretch."""
    pairs = list(zip(term.letters, term.array.shape, strict=True))
    kept = [(letter, size) for letter, size in pairs if size == sizes[letter]]
    if len(kept) == len(pairs):
        return term
    shape = tuple(size for _, size in kept)
    return _Term("".join(letter for letter, _ in kept), reshape(term.array, shape))


def _without_repeats(term: _Term, queue: Place | None) -> _Term:
    """Take the diagonals of dimensions that have the same letter."""
    del queue
    letters, array = term.letters, term.array
    for letter, count in Counter(letters).items():
        for _ in range(count - 1):
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            others = [i for i in range(len(letters)) if i not in (first, second)]
            array = _native.diagonal(permute_dims(array, (*others, first, second)), 0)
            letters = "".join(letters[i] for i in others) + letter
    return _Term(letters, array)


def _summed(term: _Term, needed: set[str], queue: Place | None) -> _Term:
    """Add up along dimensions that nobody needs."""
    axes = tuple(i for i, letter in enumerate(term.letters) if letter not in needed)
    if not axes:
        return term
    letters = "".join(letter for letter in term.letters if letter in needed)
    if term.array.dtype.kind == "b":
        return _Term(letters, _statistical.any(term.array, axis=axes, queue=queue))
    dtype = term.array.dtype
    return _Term(letters, _statistical.sum(term.array, axis=axes, dtype=dtype, queue=queue))


def _next_pair(terms: Sequence[_Term], result: str, sizes: dict[str, int]) -> tuple[_Term, _Term]:
    """Return the two arrays whose product adds the least to what is there."""

    def growth(pair: tuple[int, int]) -> int:
        left, right = (set(terms[i].letters) for i in pair)
        others = [set(term.letters) for i, term in enumerate(terms) if i not in pair]
        kept = (left | right) & set(result).union(*others)
        product = math.prod(sizes[letter] for letter in kept)
        return product - sum(
            math.prod(sizes[letter] for letter in letters) for letters in (left, right)
        )

    pairs = ((i, j) for i in range(len(terms)) for j in range(i + 1, len(terms)))
    first, second = min(pairs, key=growth)
    return terms[first], terms[second]


def _product(
    left: _Term, right: _Term, needed: set[str], sizes: dict[str, int], queue: Place | None
) -> _Term:
    """Multiply two arrays and add up along what they share and nobody needs."""
    left = _summed(left, needed | set(right.letters), queue)
    right = _summed(right, needed | set(left.letters), queue)
    shared = [letter for letter in left.letters if letter in right.letters]
    batch = [letter for letter in shared if letter in needed]
    inner = [letter for letter in shared if letter not in needed]
    rows = [letter for letter in left.letters if letter not in shared]
    columns = [letter for letter in right.letters if letter not in shared]

    def size(letters: Sequence[str]) -> int:
        return math.prod(sizes[letter] for letter in letters)

    def arranged(term: _Term, order: Sequence[str], shape: Sequence[int]) -> ndarray:
        axes = tuple(term.letters.index(letter) for letter in order)
        return reshape(permute_dims(term.array, axes), shape)

    batch_shape = [sizes[letter] for letter in batch]
    letters = [*batch, *rows, *columns]
    shape = [sizes[letter] for letter in letters]
    first = arranged(left, [*batch, *rows, *inner], [*batch_shape, size(rows), size(inner)])
    second = arranged(right, [*batch, *inner, *columns], [*batch_shape, size(inner), size(columns)])
    if inner:
        product = _native.matmul(first, second, queue=queue)
    else:
        product = _elementwise.multiply(first, second, queue=queue)
    return _Term("".join(letters), reshape(product, shape))
