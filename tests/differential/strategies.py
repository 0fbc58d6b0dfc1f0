"""Arrays in the shapes, strides and values that find bugs."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ

BOOLS = ["bool"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = [*BOOLS, *INTEGERS, *FLOATS, *COMPLEX]

dtypes = st.sampled_from(DTYPES).map(np.dtype)


def odd_bools(truth, rng):
    """Make bools that are true by any byte but 0, as other libraries' masks may be."""
    return np.where(truth, rng.integers(1, 256, np.shape(truth)), 0).astype(np.uint8).view(bool)


@st.composite
def elements(draw, dtype, shape):
    """Make an array of a dtype; bools sometimes have odd bytes."""
    array = draw(hnp.arrays(dtype, shape))
    if array.dtype == bool and draw(st.booleans()):
        array = odd_bools(array, np.random.default_rng(draw(st.integers(0, 7))))
    return array


@dataclass
class View:
    """A view of some memory that can be had in NumPy and on a device, strides and all."""

    base: np.ndarray
    axes: tuple[int, ...]
    index: tuple[slice, ...]

    @property
    def host(self):
        """The view in NumPy, which sorts bools by their bytes, so that these are 0 and 1 here."""
        base = self.base
        if base.dtype == bool and base.view(np.uint8).max(initial=0) > 1:
            base = base.view(np.uint8) != 0
        return np.transpose(base, self.axes)[self.index]

    def on(self, device):
        """Make the same view of a copy on a device."""
        return situ.permute_dims(situ.asarray(self.base, device=device), self.axes)[self.index]


@st.composite
def views(draw, shape, dtype):
    """Make views of a shape whose memory is permuted, reversed and full of holes."""
    axes = tuple(draw(st.permutations(range(len(shape)))))
    steps = [draw(st.sampled_from([1, 1, 1, 2, 3, -1, -2])) for _ in shape]
    base_shape = [0] * len(shape)
    for position, axis in enumerate(axes):
        base_shape[axis] = shape[position] * abs(steps[position])
    base = draw(elements(dtype, tuple(base_shape)))
    return View(base, axes, tuple(slice(None, None, step) for step in steps))


@st.composite
def operands(draw, count, dtype_strategy=dtypes):
    """Make views whose shapes broadcast together."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=count, max_dims=4, max_side=5))
    return [draw(views(shape, draw(dtype_strategy))) for shape in shapes.input_shapes]
