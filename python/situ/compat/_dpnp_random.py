"""The names of ``dpnp.random``: NumPy draws the numbers on the host, and they are brought over.

The peer draws them on the device, by other generators: with the same seed the numbers are others,
and the distributions are the same.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import situ
from situ import _native
from situ._native import Device, Queue, ndarray
from situ.compat._dpnp import on_host
from situ.compat._filter_strings import place

__all__ = ["NAMES"]

# What NumPy's generator of the older kind has under the same name.
_DISTRIBUTIONS = (
    "beta binomial chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric "
    "laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial "
    "noncentral_chisquare noncentral_f normal pareto permutation poisson power rand randint randn "
    "random random_integers random_sample rayleigh standard_cauchy standard_exponential "
    "standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf"
)

_generator = np.random.RandomState()


def seed(seed: int | None = None, device: object = None, sycl_queue: object = None) -> None:
    """Begin a new sequence of numbers."""
    del device, sycl_queue
    _generator.seed(seed)


def shuffle(x1: ndarray) -> None:
    """Put the rows of an array in a random order, in place."""
    order = situ.asarray(_generator.permutation(x1.shape[0]), device=x1.queue)
    x1[...] = situ.take(x1, order, axis=0)


def _drawn(name: str) -> Callable[..., ndarray]:
    """Return a function that draws numbers; arrays among its arguments are brought to the host."""
    # NumPy has no other name for these two.
    own = {"random": "random_sample", "random_integers": "randint"}.get(name, name)

    def draw(*arguments: object, **keywords: object) -> Any:  # noqa: ANN401
        if name == "random_integers":
            low, high, *rest = (*arguments, None)[:2] if len(arguments) < 2 else arguments
            low, high = (1, low) if high is None else (low, high)
            arguments = (low, int(high) + 1, *rest)  # pyright: ignore
        host = [one.to_numpy() if isinstance(one, ndarray) else one for one in arguments]
        return getattr(_generator, own)(*host, **keywords)

    return on_host(draw, f"dpnp.random.{name}")


class RandomState:
    """A sequence of random numbers of its own.

    Parameters
    ----------
    seed : int, optional
        Which sequence.
    device, sycl_queue : optional
        Where its arrays are made.
    """

    def __init__(
        self,
        seed: Any = None,  # noqa: ANN401 - what NumPy takes
        device: Any = None,  # noqa: ANN401
        sycl_queue: Queue | None = None,
    ) -> None:
        self._generator = np.random.RandomState(seed)
        where = device if sycl_queue is None else sycl_queue
        self._queue = situ.current() if where is None else _native.find_queue(place(where))

    def get_state(self) -> object:
        """Return the state of the generator."""
        return self._generator.get_state()

    def get_sycl_device(self) -> Device:
        """Return the device of its arrays."""
        return self._queue.device

    def get_sycl_queue(self) -> Queue:
        """Return the queue of its arrays."""
        return self._queue

    def _array(self, host: Any, usm_type: str, dtype: npt.DTypeLike | None = None) -> ndarray:  # noqa: ANN401
        return situ.asarray(host, dtype=dtype, queue=self._queue, usm_type=usm_type)

    def normal(
        self,
        loc: float = 0.0,
        scale: float = 1.0,
        size: Any = None,  # noqa: ANN401 - an integer, or several
        dtype: npt.DTypeLike | None = None,
        usm_type: str = "device",
    ) -> ndarray:
        """Draw from the normal distribution."""
        return self._array(self._generator.normal(loc, scale, size), usm_type, dtype)

    def rand(self, *args: int, usm_type: str = "device") -> ndarray:
        """Draw evenly from [0, 1)."""
        return self._array(self._generator.rand(*args), usm_type)

    def randint(
        self,
        low: int,
        high: int | None = None,
        size: Any = None,  # noqa: ANN401
        dtype: Any = int,  # noqa: ANN401
        usm_type: str = "device",
    ) -> ndarray:
        """Draw integers evenly."""
        return self._array(self._generator.randint(low, high, size, dtype), usm_type)

    def randn(self, *args: int, usm_type: str = "device") -> ndarray:
        """Draw from the standard normal distribution."""
        return self._array(self._generator.randn(*args), usm_type)

    def random_sample(self, size: Any = None, usm_type: str = "device") -> ndarray:  # noqa: ANN401
        """Draw evenly from [0, 1)."""
        return self._array(self._generator.random_sample(size), usm_type)

    def standard_normal(self, size: Any = None, usm_type: str = "device") -> ndarray:  # noqa: ANN401
        """Draw from the standard normal distribution."""
        return self._array(self._generator.standard_normal(size), usm_type)

    def uniform(
        self,
        low: float = 0.0,
        high: float = 1.0,
        size: Any = None,  # noqa: ANN401
        dtype: npt.DTypeLike | None = None,
        usm_type: str = "device",
    ) -> ndarray:
        """Draw evenly from an interval."""
        return self._array(self._generator.uniform(low, high, size), usm_type, dtype)


NAMES: dict[str, object] = {
    **{name: _drawn(name) for name in _DISTRIBUTIONS.split()},
    "RandomState": RandomState,
    "bytes": _generator.bytes,
    "ranf": _drawn("random"),
    "sample": _drawn("random"),
    "seed": seed,
    "shuffle": shuffle,
}
