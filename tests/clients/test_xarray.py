"""xarray: labelled arrays over situ arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import assert_agrees

import situ

xr = pytest.importorskip("xarray")

HOST = np.random.default_rng(9).normal(size=(2, 3, 4))

# What works wherever the array is.
CASES: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda a: a * 2 + 1 - a / 3,
    "comparison": lambda a: a > 0.5,
    "broadcast": lambda a: a - a.mean("time"),
    "ufunc": np.exp,
    "sum": lambda a: a.sum(),
    "mean": lambda a: a.mean("y"),
    "std": lambda a: a.std("x"),
    "var": lambda a: a.var("x", ddof=1),
    "max": lambda a: a.max(["time", "x"]),
    "median": lambda a: a.median("x"),
    "quantile": lambda a: a.quantile([0.25, 0.5], "x"),
    "argmax": lambda a: a.argmax("x"),
    "cumsum": lambda a: a.cumsum("x"),
    "count": lambda a: a.count("x"),
    "select a label": lambda a: a.sel(time=20),
    "select labels between": lambda a: a.sel(y=slice(0, 1)),
    "select nearest": lambda a: a.sel(time=14, method="nearest"),
    "select positions": lambda a: a.isel(x=slice(None, None, 2), y=-1),
    "transpose": lambda a: a.transpose("x", "time", "y"),
    "stack": lambda a: a.stack(pixel=("y", "x")),
    "concat": lambda a: xr.concat([a, a * 2], "time"),
    "where": lambda a: a.where(a > 0),
    "clip": lambda a: a.clip(-0.5, 0.5),
    "shift": lambda a: a.shift(x=1),
    "roll": lambda a: a.roll(x=1),
    "difference": lambda a: a.diff("x"),
    "margin": lambda a: a.pad(x=(1, 2), constant_values=7.0),
    "coarsen": lambda a: a.coarsen(x=2).mean(),
    "group": lambda a: a.groupby("time").mean(),
    "product": lambda a: xr.dot(a, a, dim="x"),
    "correlation": lambda a: xr.corr(a, a * a, "x"),
    "dtype": lambda a: a.astype("float32"),
    "function": lambda a: xr.apply_ufunc(lambda x: x * 2, a),
    "dataset": lambda a: a.to_dataset().mean("y")["height"],
}

# For these it makes arrays without saying where.
CASES_IN_A_BLOCK: dict[str, Callable[[Any], Any]] = {
    "where else": lambda a: a.where(a > 0, 0.0),
    "fill": lambda a: a.where(a > 0).fillna(1.0),
    "integrate": lambda a: a.integrate("time"),
    "weighted": lambda a: a.weighted(abs(a.isel(time=0, y=0))).mean("x"),
}


def labelled(data: Any) -> Any:
    coords = {"time": [10, 20], "y": [0, 1, 2]}
    return xr.DataArray(data, dims=("time", "y", "x"), coords=coords, name="height")


def check(case: Callable[[Any], Any], place: situ.Device) -> None:
    result = case(labelled(situ.asarray(HOST, device=place)))
    expected = case(labelled(HOST))
    assert isinstance(result.data, situ.ndarray)
    assert result.dims == expected.dims
    assert_agrees(result.data, expected.data, place)


@pytest.mark.parametrize("name", CASES)
def test_the_data_stays_where_it_is(place: situ.Device, name: str) -> None:
    check(CASES[name], place)


@pytest.mark.parametrize("name", CASES_IN_A_BLOCK)
def test_in_a_block_new_arrays_are_where_the_data_is(place: situ.Device, name: str) -> None:
    with situ.current(place):
        check(CASES_IN_A_BLOCK[name], place)


@pytest.mark.parametrize("name", CASES_IN_A_BLOCK)
def test_arrays_of_a_bound_module_need_no_block(name: str) -> None:
    with situ.testing.virtual_devices("gpu") as (gpu,):
        result = CASES_IN_A_BLOCK[name](labelled(situ.offload_to(gpu).asarray(HOST)))
        assert_agrees(result.data, CASES_IN_A_BLOCK[name](labelled(HOST)).data, gpu)


def test_labels_go_where_a_bound_module_is() -> None:
    with situ.testing.virtual_devices("gpu") as (gpu,):
        result = labelled(situ.offload_to(gpu).asarray(HOST)).differentiate("time")
        assert_agrees(result.data, labelled(HOST).differentiate("time").data, gpu)


def test_arrays_are_shown_and_compared(place: situ.Device) -> None:
    a = labelled(situ.asarray(HOST, device=place))
    assert "situ.ndarray" in repr(a)
    assert a.equals(a * 1)
    assert not a.equals(a + 1)
    xr.testing.assert_allclose(a, a + 1e-12)
    assert a.sum().item() == pytest.approx(HOST.sum())


def test_copies_to_the_host_are_asked_for() -> None:
    with situ.testing.virtual_devices("gpu") as (gpu,):
        a = labelled(situ.asarray(HOST, device=gpu))
        with pytest.raises(situ.HostAccessError):
            a.values  # noqa: B018 - reading it is the test
        np.testing.assert_array_equal(a.as_numpy().values, HOST)


def test_positions_in_memory_of_the_host_are_refused(place: situ.Device) -> None:
    a = labelled(situ.asarray(HOST, device=place))
    with pytest.raises(IndexError, match="in host memory"):
        a.sel(time=[20, 10])
