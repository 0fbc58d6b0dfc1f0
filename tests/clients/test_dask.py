"""dask.array over chunks that are situ arrays."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from agreement import assert_agrees

import situ

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

HOST = np.random.default_rng(10).normal(size=(12, 20))

CASES: dict[str, Callable[[Any], Any]] = {
    "blocks": lambda a: a.map_blocks(lambda block: block * 2 + 1),
    "overlapping blocks": lambda a: da.map_overlap(
        lambda block: block * 2, a, depth=1, boundary="reflect"
    ),
    "blockwise": lambda a: da.blockwise(lambda x, y: x * y, "ij", a, "ij", a, "ij", dtype=a.dtype),
    "generalized": lambda a: da.apply_gufunc(
        lambda x: x.sum(axis=-1), "(i)->()", a.rechunk((5, 20)), output_dtypes="float64"
    ),
    "arithmetic": lambda a: a * 2 + a / 3,
    "ufunc": np.exp,
    "sum": lambda a: a.sum(),
    "sum of rows": lambda a: a.sum(axis=0),
    "max": lambda a: a.max(axis=1),
    "any": lambda a: (a > 2).any(axis=0),
    "product": lambda a: a.prod(axis=0),
    "nansum": lambda a: da.nansum(a, axis=0),
    "nanmean": lambda a: da.nanmean(a, axis=1),
    "cumsum": lambda a: da.cumsum(a, axis=0),
    "median": lambda a: da.median(a, axis=0),
    "largest": lambda a: da.topk(a, 2, axis=0),
    "norm": da.linalg.norm,
    "chunks": lambda a: a.rechunk((3, 20)),
    "slice": lambda a: a[2:9, ::3],
    "transpose": lambda a: a.T,
    "reshape": lambda a: a.reshape(3, 4, 20),
    "concatenate": lambda a: da.concatenate([a, a]),
    "stack": lambda a: da.stack([a, a]),
    "roll": lambda a: da.roll(a, 3, axis=1),
    "margin": lambda a: da.pad(a, 1, mode="constant", constant_values=2),
    "difference": lambda a: da.diff(a, axis=0),
    "where": lambda a: da.where(a > 0, a, 0.0),
    "clip": lambda a: a.clip(-0.5, 0.5),
    "matmul": lambda a: a @ a.T,
    "tensordot": lambda a: da.tensordot(a, a, axes=((0,), (0,))),
    "einsum": lambda a: da.einsum("ij,ik->jk", a, a),
    "outer": lambda a: da.outer(a[0], a[1]),
    "zeros": lambda a: a + da.zeros_like(a),
    "ones": lambda a: a + da.ones_like(a),
    "full": lambda a: a + da.full_like(a, 7.0),
    "fft": lambda a: da.fft.fft(a.rechunk((5, 20))),
    "triangle": lambda a: abs(da.linalg.qr(a.rechunk((12, 20)).T.rechunk((10, 12)))[1]),
}

# For these it counts elements on the host, unless it knows better.
CASES_WITH_COUNTS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda a: a.mean(axis=1),
    "std": lambda a: a.std(axis=0),
    "var": lambda a: a.var(),
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def counts() -> Iterator[None]:
    """Tell dask to count the elements of a chunk where the chunk is, as the page shows."""
    from dask.array.dispatch import nannumel_lookup, numel_lookup

    numel_lookup.register(situ.ndarray, nannumel_lookup.dispatch(object))
    yield
    del numel_lookup._lookup[situ.ndarray]


def chunked(array: Any) -> Any:
    return da.from_array(array, chunks=(5, 8))


def check(case: Callable[[Any], Any], place: situ.Device) -> None:
    result = case(chunked(situ.asarray(HOST, device=place))).compute()
    assert isinstance(result, situ.ndarray)
    assert_agrees(result, case(chunked(HOST)).compute(), place)


@pytest.mark.parametrize("name", CASES)
def test_chunks_stay_where_they_are(place: situ.Device, name: str) -> None:
    check(CASES[name], place)


@pytest.mark.usefixtures("counts")
@pytest.mark.parametrize("name", CASES_WITH_COUNTS)
def test_means_are_computed_where_the_chunks_are(place: situ.Device, name: str) -> None:
    check(CASES_WITH_COUNTS[name], place)


def test_counts_of_the_host_are_refused(place: situ.Device) -> None:
    with pytest.raises(situ.PlacementError, match="host"):
        chunked(situ.asarray(HOST, device=place)).mean(axis=1).compute()


def test_arrays_and_chunks_are_combined_once_dask_knows_them(
    place: situ.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dask.array.chunk_types._HANDLED_CHUNK_TYPES
    monkeypatch.setattr(dask.array.chunk_types, "_HANDLED_CHUNK_TYPES", [*known])
    da.register_chunk_type(situ.ndarray)
    x = situ.asarray(HOST, device=place)
    a = chunked(x)
    for combined in (a + x, x + a, np.add(a, x), np.add(x, a)):
        assert isinstance(combined, da.Array)
        assert_agrees(combined.compute(), HOST * 2, place)
    assert_agrees(np.concatenate([x, a]).compute(), np.concatenate([HOST, HOST]), place)


def test_many_threads_compute_chunks(place: situ.Device) -> None:
    a = chunked(situ.asarray(HOST, device=place))
    total = (a * 2).sum(axis=0).compute(scheduler="threads")
    assert_agrees(total, HOST.sum(axis=0) * 2, place)


def test_labelled_arrays_over_chunks(place: situ.Device) -> None:
    xr = pytest.importorskip("xarray")
    a = xr.DataArray(chunked(situ.asarray(HOST, device=place)), dims=("y", "x"))
    assert_agrees((a * 2).sum("y").compute().data, HOST.sum(axis=0) * 2, place)
