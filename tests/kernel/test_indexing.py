"""Indices and parts of arrays in kernels."""

import numpy as np
import pytest

import situ


@situ.device_func
def total(row):
    result = row.dtype.type(0)
    for k in range(len(row)):
        result += row[k]
    return result


@situ.device_func
def fill(row, value):
    for k in range(row.shape[0]):
        row[k] = value + k


def test_negative_indices_wrap_if_asked(device):
    @situ.kernel(wrap_indices=True)
    def shift(a, out):
        i = situ.get_global_id(0)
        out[i] = a[i - 2] + 10 * a[-1]

    @situ.kernel(wrap_indices=True)
    def corner(m, out, k):
        i = situ.get_global_id(0)
        tile = situ.private.array((2, 3), m.dtype)
        tile[k, -1] = m[k, i - 3]
        out[i] = tile[1, k + 1 - 1 + 3 * 0] if k < -2 else tile[k, k]

    values = np.arange(5.0)
    a, out = situ.asarray(values, device=device), situ.asarray(np.zeros(5), device=device)
    shift(a, out)
    np.testing.assert_array_equal(out.to_numpy(), np.roll(values, 2) + 40)
    m = situ.asarray(np.arange(6.0).reshape(2, 3), device=device)
    corner[2](m, out, -1)
    np.testing.assert_array_equal(out.to_numpy()[:2], [3, 4])


def test_without_the_option_there_is_no_test():
    @situ.kernel
    def plain(a):
        i = situ.get_global_id(0)
        a[i - 1 + 1] = 1

    plain(situ.asarray(np.zeros(3)))
    assert "select" not in plain.inspect()


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_rows_of_global_arrays_are_arrays(dtype, device):
    @situ.kernel
    def kernel(m, out):
        i = situ.get_global_id(0)
        row = m[i]
        out[i, 0] = total(row)
        out[i, 1] = total(m[i, 1:-1])
        out[i, 2] = total(m[i, ::2])
        out[i, 3] = total(m[:, 4])
        out[i, 4] = row[-1] + len(row) + row.ndim + row.size + m[i][2]
        fill(m[i, 1:3], i)

    values = np.arange(20).reshape(4, 5).astype(dtype)
    for stored in (values, np.asfortranarray(values)):
        m = situ.asarray(stored, device=device)
        out = situ.asarray(np.zeros((4, 5)), device=device)
        expected, changed = np.zeros((4, 5)), values.copy()
        kernel[4].simulate(changed, expected)
        kernel[4](m, out)
        np.testing.assert_array_equal(m.to_numpy(), changed)
        np.testing.assert_array_equal(out.to_numpy(), expected)


def test_parts_of_local_and_private_arrays(device):
    @situ.kernel
    def kernel(out, n):
        WIDTH = 6
        tile = situ.local.array((3, WIDTH), situ.float64)
        own = situ.private.array(WIDTH, situ.float64)
        fill(own, 10)
        for r in range(3):
            fill(tile[r], 100 * r)
        part = tile[1:]
        middle = part[0, 2:4]
        out[0] = total(own[n:])
        out[1] = total(own[:100]) + own[1:][0]
        out[2] = total(middle) + part.shape[0] * 1000
        middle[1] = -1
        out[3] = tile[1, 3]
        out[4] = total(tile[:, 0][1:])
        out[5] = total(own[4:2]) + total(own[n::2])

    out = situ.asarray(np.zeros(6), device=device)
    kernel[(1,), (1,)](out, 4)
    expected = np.zeros(6)
    kernel[(1,), (1,)].simulate(expected, 4)
    np.testing.assert_array_equal(out.to_numpy(), expected)
    own = np.arange(10.0, 16)
    np.testing.assert_array_equal(
        expected, [own[4:].sum(), own.sum() + 11, 205 + 2000, -1, 300, own[4::2].sum()]
    )


def test_a_part_can_be_chosen_at_run_time(device):
    @situ.kernel
    def kernel(m, out):
        i = situ.get_global_id(0)
        row = m[0]
        for k in range(1, m.shape[0]):
            if total(m[k]) > total(row):
                row = m[k]
        out[i] = row[i]

    values = np.array([[1.0, 2, 3], [7, 8, 9], [4, 5, 6]])
    out = situ.asarray(np.zeros(3), device=device)
    kernel[3](situ.asarray(values, device=device), out)
    np.testing.assert_array_equal(out.to_numpy(), [7, 8, 9])


def test_attributes_are_those_of_numpy(device):
    @situ.kernel
    def kernel(m, out):
        out[0], out[1] = m.strides
        out[2], out[3] = m.shape
        out[4] = m.size + m.nbytes + m.itemsize + m.ndim
        out[5], out[6] = m[1:, ::2].strides
        out[7], out[8] = m[1:, ::2].shape

    base = np.zeros((6, 8), "float32")
    for view in (base, base[1:5, ::2], base.T):
        sent = situ.asarray(base, device=device)
        sent = sent[1:5, ::2] if view.shape == (4, 4) else sent.T if view is not base else sent
        out = situ.asarray(np.zeros(9, "int64"), device=device)
        kernel[1](sent, out)
        part = view[1:, ::2]
        sizes = view.size + view.nbytes + view.itemsize + view.ndim
        expected = [*view.strides, *view.shape, sizes, *part.strides, *part.shape]
        np.testing.assert_array_equal(out.to_numpy(), expected)
