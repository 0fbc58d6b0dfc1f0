"""The names of ``dpnp.random``.

Even and normal distributions are drawn on the device, by `situ.random`. NumPy draws the others on
the host, and they are brought over. Both have other generators than the peer: with the same seed
the numbers are others, and the distributions are the same.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

import situ
from situ import _native
from situ._native import Device, Queue, ndarray
from situ.compat._dpnp import on_host
from situ.compat._filter_strings import place

__all__ = ["NAMES"]

# What NumPy's generator of the older kind has under the same name, and situ has not.
_ON_HOST = (
    "beta binomial chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric "
    "laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial "
    "noncentral_chisquare noncentral_f pareto permutation poisson power rayleigh standard_cauchy "
    "standard_exponential standard_gamma standard_t triangular vonmises wald weibull zipf"
)

Size = int | Sequence[int] | None


class RandomState:
    """A sequence of random numbers of its own.

    Parameters
    ----------
    seed : int, optional
        Which sequence.
    device, sycl_queue : optional
        Where its arrays are made, if a call does not say.
    """

    def __init__(
        self,
        seed: Any = None,  # noqa: ANN401 - what NumPy takes
        device: Any = None,  # noqa: ANN401 - whatever names a place
        sycl_queue: Queue | None = None,
    ) -> None:
        where = device if sycl_queue is None else sycl_queue
        self._queue = None if where is None else _native.find_queue(place(where))
        self.begin(seed)

    def begin(self, seed: Any) -> None:  # noqa: ANN401
        """Begin a new sequence of numbers."""
        self.host = np.random.RandomState(seed)
        self._seed = int(self.host.randint(2**63, dtype=np.uint64))
        self._drawn = 0

    def get_state(self) -> object:
        """Return the state of the generators."""
        return self.host.get_state(), self._seed, self._drawn

    def get_sycl_device(self) -> Device:
        """Return the device of its arrays."""
        return self.get_sycl_queue().device

    def get_sycl_queue(self) -> Queue:
        """Return the queue of its arrays."""
        return situ.current() if self._queue is None else self._queue

    def _drawn_by(
        self,
        draw: Callable[..., ndarray],
        size: Size,
        options: dict[str, Any],
        usm_type: str | None,
        device: Any,  # noqa: ANN401
        sycl_queue: Queue | None,
    ) -> ndarray:
        shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        where = device if sycl_queue is None else sycl_queue
        where = self._queue if where is None else place(where)
        offset, self._drawn = self._drawn, self._drawn + prod(shape)
        return draw(shape, self._seed, offset=offset, device=where, usm_type=usm_type, **options)

    def uniform(
        self,
        low: Any = 0.0,  # noqa: ANN401 - a number, or an array
        high: Any = 1.0,  # noqa: ANN401
        size: Size = None,
        device: Any = None,  # noqa: ANN401
        usm_type: str | None = "device",
        sycl_queue: Queue | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> ndarray:
        """Draw evenly from an interval."""
        if not _are_numbers(low, high):
            size = _common_size(size, low, high)
            unit = self.uniform(0.0, 1.0, size, device, usm_type, sycl_queue, dtype)
            return unit * (high - low) + low
        options = {"low": low, "high": high, "dtype": dtype}
        if dtype is not None and np.dtype(dtype).kind in "iu":
            options = {"low": int(low), "high": int(high), "dtype": dtype}
            draw = situ.random.integers
            return self._drawn_by(draw, size, options, usm_type, device, sycl_queue)
        return self._drawn_by(situ.random.uniform, size, options, usm_type, device, sycl_queue)

    def normal(
        self,
        loc: Any = 0.0,  # noqa: ANN401 - a number, or an array
        scale: Any = 1.0,  # noqa: ANN401
        size: Size = None,
        device: Any = None,  # noqa: ANN401
        usm_type: str | None = "device",
        sycl_queue: Queue | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> ndarray:
        """Draw from the normal distribution."""
        if not _are_numbers(loc, scale):
            size = _common_size(size, loc, scale)
            standard = self.normal(0.0, 1.0, size, device, usm_type, sycl_queue, dtype)
            return standard * scale + loc
        if scale < 0:
            msg = f"`scale` is {scale}, and a deviation is not negative"
            raise ValueError(msg)
        options = {"mean": loc, "std": scale, "dtype": dtype}
        return self._drawn_by(situ.random.normal, size, options, usm_type, device, sycl_queue)

    def randint(
        self,
        low: int,
        high: int | None = None,
        size: Size = None,
        dtype: Any = int,  # noqa: ANN401
        device: Any = None,  # noqa: ANN401
        usm_type: str | None = "device",
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Draw integers evenly, below the second number."""
        low, high = (0, low) if high is None else (low, high)
        options = {"low": int(low), "high": int(high), "dtype": dtype}
        return self._drawn_by(situ.random.integers, size, options, usm_type, device, sycl_queue)

    def random_integers(
        self,
        low: int,
        high: int | None = None,
        size: Size = None,
        **places: Any,  # noqa: ANN401
    ) -> ndarray:
        """Draw integers evenly, up to the second number."""
        low, high = (1, low) if high is None else (low, high)
        return self.randint(low, int(high) + 1, size, **places)

    def random_sample(
        self,
        size: Size = None,
        device: Any = None,  # noqa: ANN401
        usm_type: str | None = "device",
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Draw evenly from [0, 1)."""
        return self.uniform(0.0, 1.0, size, device, usm_type, sycl_queue)

    def standard_normal(
        self,
        size: Size = None,
        device: Any = None,  # noqa: ANN401
        usm_type: str | None = "device",
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Draw from the standard normal distribution."""
        return self.normal(0.0, 1.0, size, device, usm_type, sycl_queue)

    def rand(self, *args: int, **places: Any) -> ndarray:  # noqa: ANN401
        """Draw evenly from [0, 1); the sizes come one by one."""
        return self.random_sample(args or None, **places)

    def randn(self, *args: int, **places: Any) -> ndarray:  # noqa: ANN401
        """Draw from the standard normal distribution; the sizes come one by one."""
        return self.standard_normal(args or None, **places)


def _are_numbers(*parameters: object) -> bool:
    return all(bool(np.isscalar(one)) for one in parameters)


def _common_size(size: Size, *parameters: object) -> Size:
    """Return the size that was asked for, or the one that arrays of parameters have together."""
    if size is not None:
        return size
    shapes = [one.shape for one in parameters if isinstance(one, ndarray)]
    return np.broadcast_shapes(*shapes)


_shared = RandomState()


def seed(seed: int | None = None, device: object = None, sycl_queue: object = None) -> None:
    """Begin a new sequence of numbers."""
    del device, sycl_queue
    _shared.begin(seed)


def shuffle(x1: ndarray) -> None:
    """Put the rows of an array in a random order, in place."""
    order = situ.asarray(_shared.host.permutation(x1.shape[0]), device=x1.queue)
    x1[...] = situ.take(x1, order, axis=0)


def _bytes(length: int) -> bytes:
    """Return random bytes."""
    return _shared.host.bytes(length)


def _by_numpy(name: str) -> Callable[..., ndarray]:
    """Return a function that draws on the host; arrays among its arguments are brought there."""

    def draw(*arguments: object, **keywords: object) -> Any:  # noqa: ANN401
        host = [one.to_numpy() if isinstance(one, ndarray) else one for one in arguments]
        return getattr(_shared.host, name)(*host, **keywords)

    return on_host(draw, f"dpnp.random.{name}")


NAMES: dict[str, object] = {
    **{name: _by_numpy(name) for name in _ON_HOST.split()},
    "RandomState": RandomState,
    "bytes": _bytes,
    "normal": _shared.normal,
    "rand": _shared.rand,
    "randint": _shared.randint,
    "randn": _shared.randn,
    "random": _shared.random_sample,
    "random_integers": _shared.random_integers,
    "random_sample": _shared.random_sample,
    "ranf": _shared.random_sample,
    "sample": _shared.random_sample,
    "seed": seed,
    "shuffle": shuffle,
    "standard_normal": _shared.standard_normal,
    "uniform": _shared.uniform,
}
