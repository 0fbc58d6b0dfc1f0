"""Arrays in NumPy's files."""

import io

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices

HOST = np.arange(12, dtype="float32").reshape(3, 4)


def test_save_and_load(tmp_path):
    path = tmp_path / "x.npy"
    situ.save(path, situ.asarray(HOST)[:, ::-1])
    np.testing.assert_array_equal(np.load(path), HOST[:, ::-1])
    x = situ.load(path, usm_type="shared")
    assert isinstance(x, situ.ndarray)
    assert (x.dtype, x.usm_type) == (situ.float32, "shared")
    np.testing.assert_array_equal(x.to_numpy(), HOST[:, ::-1])


@pytest.mark.parametrize(
    "host", [np.array(2.5), np.zeros((0, 3)), np.asfortranarray(HOST), HOST > 3]
)
def test_any_array_comes_back(tmp_path, host):
    path = tmp_path / "x.npy"
    np.save(path, host)
    x = situ.load(str(path))
    assert (x.shape, x.dtype) == (host.shape, host.dtype)
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_other_byte_orders_are_converted(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, HOST.astype(">f4"))
    np.testing.assert_array_equal(situ.load(path).to_numpy(), HOST)


def test_open_files():
    file = io.BytesIO()
    situ.save(file, situ.asarray(HOST))
    file.seek(0)
    np.testing.assert_array_equal(situ.load(file).to_numpy(), HOST)


@pytest.mark.parametrize("write", [situ.savez, situ.savez_compressed])
def test_several_arrays(tmp_path, write):
    path = tmp_path / "all.npz"
    write(path, situ.asarray(HOST), mask=situ.asarray(HOST > 3))
    found = situ.load(path, device="reference")
    assert set(found) == {"arr_0", "mask"}
    assert found["mask"].device == situ.Device("reference")
    np.testing.assert_array_equal(found["arr_0"].to_numpy(), HOST)
    np.testing.assert_array_equal(found["mask"].to_numpy(), HOST > 3)


def test_memory_of_devices(tmp_path):
    path = tmp_path / "x.npy"
    with virtual_devices("gpu") as (gpu,):
        situ.save(path, situ.asarray(HOST, device=gpu))
        x = situ.load(path, device=gpu)
        assert x.device == gpu
        np.testing.assert_array_equal(x.to_numpy(), HOST)


def test_objects_are_not_read(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="Python objects"):
        situ.load(path)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match="pickle"):
        situ.load(tmp_path / "text")
