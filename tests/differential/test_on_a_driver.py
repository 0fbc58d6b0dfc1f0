"""The random tests of array functions once more, on a device of a driver.

Any strides, zero sizes, all dtypes and refusals, as on the native device. Drivers take a fifth of a
second to compile a kernel, so there are fewer examples, and each is another function.
"""

import pytest
from differential import (
    test_elementwise,
    test_indexing,
    test_manipulation,
    test_matmul,
    test_reductions,
    test_sorting,
)
from differential.strategies import operands
from hypothesis import given, settings
from hypothesis import strategies as st
from places import driver_devices

import situ

pytestmark = pytest.mark.parametrize("device", driver_devices()[:1])

UNARY, TERNARY = test_elementwise.UNARY, test_elementwise.TERNARY
BINARY = [name for name in test_elementwise.BINARY if name != "pow"]

few = settings(max_examples=40)


def agree(check):
    """Run a comparison, unless the device has no such dtype, and says so."""
    try:
        check()
    except situ.DTypeError as error:
        if "lacks the aspect" not in str(error):
            raise


@few
@given(name=st.sampled_from(UNARY), views=operands(1))
def test_unary_functions(device, name, views):
    agree(lambda: test_elementwise.check(name, views, device))


@few
@given(name=st.sampled_from(BINARY), views=operands(2))
def test_binary_functions(device, name, views):
    agree(lambda: test_elementwise.check(name, views, device))


@few
@given(name=st.sampled_from(TERNARY), views=operands(3))
def test_ternary_functions(device, name, views):
    agree(lambda: test_elementwise.check(name, views, device))


@few
@given(name=st.sampled_from(test_reductions.NAMES), case=test_reductions.cases())
def test_reducing(device, name, case):
    agree(lambda: test_reductions.check_reduction(name, case, device))


@few
@given(name=st.sampled_from(["argmax", "argmin"]), case=test_reductions.cases())
def test_positions_of_extremes(device, name, case):
    agree(lambda: test_reductions.check_position(name, case, device))


@few
@given(name=st.sampled_from(list(test_reductions.NUMPY_CUMULATIVE)), case=test_reductions.cases())
def test_accumulating(device, name, case):
    agree(lambda: test_reductions.check_accumulation(name, case, device))


@few
@given(case=test_indexing.indexed())
def test_reading_by_an_index(device, case):
    agree(lambda: test_indexing.check_reading(case, device))


@few
@given(case=test_indexing.indexed(), data=st.data())
def test_assigning_by_an_index(device, case, data):
    agree(lambda: test_indexing.check_assignment(case, data, device))


@few
@given(case=test_sorting.rows())
def test_sorting_rows(device, case):
    agree(lambda: test_sorting.check_order(case, device))


@few
@given(view=test_manipulation.any_view(), data=st.data())
def test_rolling(device, view, data):
    agree(lambda: test_manipulation.check_rolling(view, data, device))


@few
@given(view=test_manipulation.any_view(min_dims=1), data=st.data())
def test_joining(device, view, data):
    agree(lambda: test_manipulation.check_joining(view, data, device))


@few
@given(pair=test_matmul.factors())
def test_multiplying_matrices(device, pair):
    agree(lambda: test_matmul.check_product(pair, device))
