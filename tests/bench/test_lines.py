"""Every line and every cell, at tiny sizes: they run, and both sides agree."""

import numpy as np
import pytest

import situ
from situ._bench import _bars, _scaling, _task
from situ._bench._libraries import (
    NAMES,
    TITLES,
    NotForThisLibraryError,
    Numba,
    NumPy,
    Situ,
    is_installed,
)
from situ._bench._lines import lines
from situ._bench._scaling import LAYOUTS, OPERATIONS, SHAPES, Cell
from situ.testing import virtual_devices

LINES = list(lines().values())


@pytest.fixture(scope="module")
def library():
    return Situ(situ.Device())


@pytest.mark.parametrize("line", LINES, ids=[line.name for line in LINES])
def test_a_line_runs_and_agrees_with_numpy(line, library):
    task = _task.for_line(line, line.quick_size, library)
    task.run()
    assert task.difference() is None


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_cell_runs_and_agrees_with_numpy(operation, layout, library):
    task = _task.for_cell(Cell(operation, layout, 1000), library)
    task.run()
    assert task.difference() is None


def test_numba_compiles_the_work_of_a_line_and_refuses_what_it_does_not_know():
    if not is_installed("numba"):
        pytest.skip("numba is not installed")
    numba = Numba()
    task = _task.for_line(lines()["chain-f64"], 1000, numba)
    task.run()
    assert task.difference() is None
    with pytest.raises(numba.refusals):
        _task.for_line(lines()["fft-c128"], 64, numba).run()


def test_every_line_has_a_bar_and_every_bar_a_line():
    assert set(_bars.SPEED) == set(lines())


def test_every_library_has_a_title():
    assert set(TITLES) == set(NAMES)


@pytest.mark.parametrize("line", LINES, ids=[line.name for line in LINES])
def test_inputs_are_the_same_every_time_and_have_the_size_of_the_line(line):
    first, second = line.inputs(line.quick_size), line.inputs(line.quick_size)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
    if line.is_square:
        assert first[0].shape == (line.quick_size, line.quick_size)


def test_a_wrong_result_is_noticed():
    line = lines()["add-f64"]

    class Wrong(NumPy):
        def prepared(self, work, *, is_data_dependent):
            right = super().prepared(work, is_data_dependent=is_data_dependent)
            return lambda a, b: right(a, b) * 1.001

    difference = _task.for_line(line, 100, Wrong()).difference()
    assert difference is not None
    assert "is off by 0.00" in difference


def test_a_result_of_another_shape_is_noticed():
    class Short(NumPy):
        def prepared(self, work, *, is_data_dependent):
            right = super().prepared(work, is_data_dependent=is_data_dependent)
            return lambda a, b: right(a, b)[1:]

    difference = _task.for_line(lines()["add-f64"], 100, Short()).difference()
    assert difference == "its result has shape (99,), and NumPy's has (100,)"


def test_nan_is_not_agreement():
    class Nan(NumPy):
        def prepared(self, work, *, is_data_dependent):
            return lambda a, b: a * np.nan

    assert _task.for_line(lines()["add-f64"], 10, Nan()).difference() is not None


def test_vectors_of_either_sign_and_equal_elements_in_any_order_agree():
    svd, argsort = lines()["svd"], lines()["argsort-f32"]
    matrix = np.array([[2.0, 1.0], [0.5, 3.0]])
    u, values, v = np.linalg.svd(matrix)
    flipped = svd.comparable((matrix,), (-u, values, -v))
    for one, other in zip(flipped, svd.comparable((matrix,), (u, values, v)), strict=True):
        np.testing.assert_allclose(one, other)
    equal = np.zeros(3, np.float32)
    (one,) = argsort.comparable((equal,), [np.array([0, 1, 2])])
    (other,) = argsort.comparable((equal,), [np.array([2, 0, 1])])
    np.testing.assert_array_equal(one, other)


def test_layouts_are_what_they_are_called():
    rows, columns = SHAPES[1000]
    by_layout = {
        layout: _scaling.operands(Cell("sin", layout, 1000), NumPy())[0] for layout in LAYOUTS
    }
    assert {array.shape for array in by_layout.values()} == {(rows, columns)}
    assert by_layout["contiguous"].flags.c_contiguous
    assert by_layout["strided"].strides == (2 * columns * 8, 16)
    assert by_layout["transposed"].flags.f_contiguous
    assert by_layout["broadcast"].strides == (0, 8)


def test_shapes_have_as_many_elements_as_they_say():
    assert all(rows * columns == size for size, (rows, columns) in SHAPES.items())


def test_float64_is_refused_where_the_device_has_none():
    with virtual_devices("gpu:1:no-fp64"):
        library = Situ(situ.Device("gpu"))
        with pytest.raises(NotForThisLibraryError, match="has no float64"):
            _task.for_line(lines()["add-f64"], 10, library)
        task = _task.for_line(lines()["add-f32"], 10, library)
        assert task.difference() is None
