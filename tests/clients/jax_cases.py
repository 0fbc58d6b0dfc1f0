"""Arrays of JAX and of situ in the same memory, by DLPack; run by `test_jax.py`."""

import jax.numpy as jnp
import numpy as np
import pytest

import situ

# Without `jax_enable_x64`, JAX has no others.
DTYPES = ["bool", "int8", "int32", "uint8", "uint32", "float16", "float32", "complex64"]


def address(x: situ.ndarray) -> int:
    return x.__sycl_usm_array_interface__["data"][0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_jax_uses_situ_memory_in_place(dtype: str) -> None:
    values = np.arange(1000).reshape(10, 100).astype(dtype)
    x = situ.asarray(values)
    there = jnp.from_dlpack(x, copy=False)
    assert there.unsafe_buffer_pointer() == address(x)
    assert there.dtype == values.dtype
    np.testing.assert_array_equal(np.asarray(there), values)


@pytest.mark.parametrize("dtype", DTYPES)
def test_situ_uses_jax_memory_in_place(dtype: str) -> None:
    there = jnp.asarray(np.arange(1000).reshape(10, 100).astype(dtype))
    x = situ.from_dlpack(there, copy=False)
    assert address(x) == there.unsafe_buffer_pointer()
    assert (x.dtype, x.shape, x.usm_type) == (there.dtype, there.shape, "host")
    np.testing.assert_array_equal(x.to_numpy(), np.asarray(there))


def test_there_and_back_again() -> None:
    x = situ.arange(100, dtype="float32")
    back = situ.from_dlpack(jnp.from_dlpack(x), copy=False)
    assert address(back) == address(x)
    back[0] = 7.0
    assert x[0].item() == 7.0


def test_results_of_each_go_to_the_other() -> None:
    x = situ.linspace(0, 1, 1000, dtype="float32")
    squared = situ.from_dlpack(jnp.square(jnp.from_dlpack(x * 2)))
    np.testing.assert_allclose((squared + 1).to_numpy(), (x.to_numpy() * 2) ** 2 + 1, rtol=1e-6)


def test_memory_outlives_its_producer() -> None:
    there = jnp.from_dlpack(situ.arange(1000, dtype="float32") * 2)
    here = situ.from_dlpack(jnp.arange(1000, dtype="float32") * 2)
    for _ in range(10):
        situ.zeros(1000, dtype="float32")
        jnp.zeros(1000).block_until_ready()
    expected = np.arange(1000, dtype="float32") * 2
    np.testing.assert_array_equal(np.asarray(there), expected)
    np.testing.assert_array_equal(here.to_numpy(), expected)


def test_transposed_arrays_go_and_others_with_gaps_are_refused_by_jax() -> None:
    x = situ.asarray(np.arange(12, dtype="float32").reshape(3, 4))
    np.testing.assert_array_equal(np.asarray(jnp.from_dlpack(x.T)), x.to_numpy().T)
    with pytest.raises(RuntimeError, match="striding"):
        jnp.from_dlpack(x[:, ::2])


def test_memory_that_only_a_device_reaches_is_refused() -> None:
    with situ.testing.virtual_devices("gpu") as (gpu,):
        with pytest.raises(situ.HostAccessError, match=r"x\.to_numpy\(\)"):
            jnp.from_dlpack(situ.ones(3, device=gpu))
        copied = situ.from_dlpack(jnp.ones(3), device=gpu)
        assert copied.device == gpu


def test_arrays_of_jax_are_not_mixed_in_silently() -> None:
    with pytest.raises(situ.PlacementError, match="host and device arrays together"):
        situ.ones(3, dtype="float32") + jnp.ones(3)
