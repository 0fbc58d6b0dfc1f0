"""``x[mask] = number``: one pass over the array, without a list of positions."""

import numpy as np
import pytest

import situ


@pytest.mark.parametrize("shape", [(10,), (4, 5), (3, 2, 2), (70, 70)])
def test_numbers_are_assigned_where_masks_hold(shape: tuple[int, ...], device: situ.Device) -> None:
    numbers = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    rows = np.arange(shape[0]) % 2 == 0
    for mask in (numbers % 3 == 0, rows, rows & ~rows, numbers >= 0):
        x, a = numbers.copy(), situ.asarray(numbers, device=device)
        holds = situ.asarray(mask, device=device)
        x[mask], a[holds] = 0.5, 0.5
        np.testing.assert_array_equal(a.to_numpy(), x)
        x[mask], a[holds] = np.float32(7), np.float32(7)
        np.testing.assert_array_equal(a.to_numpy(), x)
        if mask.ndim == x.ndim:
            x.T[mask.T], a.T[holds.T] = 2, 2
            np.testing.assert_array_equal(a.to_numpy(), x)
        # The value is one of the elements that change.
        x[...], a[...] = numbers, situ.asarray(numbers, device=device)
        x[mask], a[holds] = x.flat[-1], a.reshape(-1)[-1]
        np.testing.assert_array_equal(a.to_numpy(), x)


def test_masks_that_change_meanwhile_are_read_before() -> None:
    x = np.arange(9) % 4 < 2
    a = situ.asarray(x)
    x[x], a[a] = False, False
    assert a.to_numpy().tolist() == x.tolist()
    a = situ.asarray(np.arange(9) % 4 < 2)
    x = a.to_numpy()
    x[1:][x[:-1].copy()], a[1:][a[:-1]] = True, True
    assert a.to_numpy().tolist() == x.tolist()


def test_assigning_where_a_mask_holds_refuses_what_does_not_fit() -> None:
    a = situ.arange(4)
    with pytest.raises(OverflowError, match=str(2**70)):
        a[a > 1] = 2**70
    with pytest.raises(IndexError, match="mask"):
        a[situ.asarray([True, False])] = 1
    assert a.to_numpy().tolist() == [0, 1, 2, 3]
