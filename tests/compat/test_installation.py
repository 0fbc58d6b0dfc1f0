"""The peers' modules come and go; real ones are not mixed with them."""

import textwrap

from compat.program import output


def printed(code: str) -> list[str]:
    """Return the lines that a program prints."""
    return output("-c", textwrap.dedent(code)).splitlines()


def test_modules_and_attributes_come_and_go():
    assert printed("""
        import sys
        import situ, situ.compat
        before = {c: set(vars(c)) for c in (situ.Device, situ.Queue, situ.Event, situ.ndarray)}
        backend = situ.Device().backend
        situ.compat.install()
        situ.compat.install()
        import dpctl.tensor, dpnp.tensor, dpnp.linalg, numba_dpex.kernel_api, numba_dppy
        assert dpctl.tensor.sin is dpnp.tensor.sin
        assert situ.Device().backend == backend and situ.Device().backend.name == backend
        assert dpctl.SyclQueue().is_in_order
        situ.compat.uninstall()
        situ.compat.uninstall()
        assert {c: set(vars(c)) for c in before} == before
        assert type(situ.Device().backend) is str
        print([m for m in sys.modules if m.startswith(("dpctl", "dpnp", "numba_dp"))])
        situ.compat.install()
        import dpctl
        print(dpctl)
    """) == ["[]", "<module 'dpctl' of situ.compat>"]


def test_real_module_that_is_in_use_is_not_mixed():
    lines = printed("""
        import sys, types
        sys.modules["dpctl"] = real = types.ModuleType("dpctl")
        sys.modules["dpctl.memory"] = types.ModuleType("dpctl.memory")
        import situ, situ.compat
        try:
            situ.compat.install()
        except situ.compat.CompatError as error:
            print(error)
        assert "dpnp" not in sys.modules
        situ.compat.install(replace=True)
        import dpctl
        assert dpctl is not real and dpctl.SyclQueue()
        situ.compat.uninstall()
        assert sys.modules["dpctl"] is real and "dpctl.memory" in sys.modules
    """)
    assert lines[0] == "`dpctl` is imported already"
    assert "install(replace=True)" in lines[2]


def test_global_queue_that_was_set_stays():
    assert printed("""
        import situ, situ.compat
        situ.set_global_queue("reference")
        situ.compat.install()
        import dpnp
        print(dpnp.zeros(1).sycl_device.filter_string)
        situ.compat.uninstall()
        print(situ.global_queue().device.filter_string)
    """) == ["reference:cpu:0", "reference:cpu:0"]


def test_names_that_are_not_there():
    lines = printed("""
        import situ.compat
        situ.compat.install()
        import dpnp
        try:
            dpnp.linalg.normm
        except AttributeError as error:
            print(str(error).splitlines()[2])
        try:
            import dpctl.nothing
        except ModuleNotFoundError as error:
            print(error)
        try:
            from dpnp import nothing
        except ImportError as error:
            print(error)
        from dpnp import gcd
        print(hasattr(dpnp, "nothing"), gcd)
        try:
            dpnp.meshgrid(dpnp.zeros(2), sparse=True)
        except NotImplementedError as error:
            print(str(error).splitlines()[0])
        try:
            dpnp.sum(dpnp.zeros(2), nothing=1)
        except TypeError as error:
            print(error)
    """)
    assert "`dpnp.linalg.norm`" in lines[0]
    assert lines[1] == "No module named 'dpctl.nothing'"
    assert lines[2].startswith("cannot import name 'nothing' from 'dpnp'")
    assert lines[3] == "False <dpnp.gcd, which is not in situ>"
    assert lines[4] == "`dpnp.meshgrid` cannot take `sparse=True` here"
    assert lines[5] == "dpnp.sum() got an unexpected keyword argument 'nothing'"
