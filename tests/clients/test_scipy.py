"""SciPy with ``SCIPY_ARRAY_API=1``: which functions compute on the device, and which on the host.

The variable is set by ``tests/conftest.py``, before anything imports SciPy.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import assert_agrees

import situ

pytest.importorskip("scipy")

from scipy import (
    cluster,
    constants,
    differentiate,
    fft,
    integrate,
    linalg,
    ndimage,
    optimize,
    signal,
    special,
    stats,
)
from scipy.optimize import elementwise
from scipy.spatial.transform import Rotation

Case = Callable[[Any, Any, Any], Any]

_RANDOM = np.random.default_rng(11)
ROWS = _RANDOM.normal(size=(4, 32))
POSITIVE = np.abs(_RANDOM.normal(size=(4, 32))) + 0.1
TAPS = np.array([0.25, 0.5, 0.25])


def outcome(result: Any) -> Any:
    return result.statistic, result.pvalue


# Each takes rows of numbers, rows of positive numbers, and three numbers. These stay on the device.
ON_THE_DEVICE: dict[str, Case] = {
    "special.xlogy": lambda a, p, k: special.xlogy(p, p),
    "special.rel_entr": lambda a, p, k: special.rel_entr(p, p * 2),
    "special.logsumexp": lambda a, p, k: special.logsumexp(a, axis=1),
    "special.softmax": lambda a, p, k: special.softmax(a, axis=1),
    "special.log_softmax": lambda a, p, k: special.log_softmax(a, axis=1),
    "stats.zscore": lambda a, p, k: stats.zscore(a, axis=1),
    "stats.skew": lambda a, p, k: stats.skew(a, axis=1),
    "stats.kurtosis": lambda a, p, k: stats.kurtosis(a, axis=1),
    "stats.moment": lambda a, p, k: stats.moment(a, 3, axis=1),
    "stats.describe": lambda a, p, k: tuple(stats.describe(a, axis=1))[2:],
    "stats.gmean": lambda a, p, k: stats.gmean(p, axis=1),
    "stats.hmean": lambda a, p, k: stats.hmean(p, axis=1),
    "stats.pmean": lambda a, p, k: stats.pmean(p, 2, axis=1),
    "stats.sem": lambda a, p, k: stats.sem(a, axis=1),
    "stats.iqr": lambda a, p, k: stats.iqr(a, axis=1),
    "stats.quantile": lambda a, p, k: stats.quantile(a, 0.3, axis=1),
    "stats.variation": lambda a, p, k: stats.variation(p, axis=1),
    "stats.trim_mean": lambda a, p, k: stats.trim_mean(a, 0.1, axis=1),
    "stats.circmean": lambda a, p, k: stats.circmean(p, axis=1),
    "stats.median_abs_deviation": lambda a, p, k: stats.median_abs_deviation(a, axis=1),
    "stats.differential_entropy": lambda a, p, k: stats.differential_entropy(a, axis=1),
    "stats.boxcox_llf": lambda a, p, k: stats.boxcox_llf(0.5, p[0, :]),
    "signal.fftconvolve": lambda a, p, k: signal.fftconvolve(a, p, axes=1, mode="same"),
    "signal.oaconvolve": lambda a, p, k: signal.oaconvolve(a[0, :], k),
    "signal.correlate": lambda a, p, k: signal.correlate(a[0, :], k, method="fft"),
    "signal.hilbert": lambda a, p, k: signal.hilbert(a),
    "signal.envelope": lambda a, p, k: signal.envelope(a[0, :]),
    "signal.resample": lambda a, p, k: signal.resample(a[0, :], 40),
    "signal.gausspulse": lambda a, p, k: signal.gausspulse(a),
    "fft.fft": lambda a, p, k: fft.fft(a),
    "fft.rfft2": lambda a, p, k: fft.rfft2(a),
    "fft.irfft": lambda a, p, k: fft.irfft(fft.rfft(a)),
    "fft.fftn": lambda a, p, k: fft.fftn(a),
    "fft.hfft": lambda a, p, k: fft.hfft(a),
    "fft.fftshift": lambda a, p, k: fft.fftshift(a),
    "cluster.vq.whiten": lambda a, p, k: cluster.vq.whiten(a),
    "integrate.trapezoid": lambda a, p, k: integrate.trapezoid(a),
    "integrate.cumulative_trapezoid": lambda a, p, k: integrate.cumulative_trapezoid(a),
    "optimize.rosen": lambda a, p, k: optimize.rosen(a[0, :]),
    "spatial.transform.Rotation": lambda a, p, k: Rotation.from_rotvec(k).apply(k + 1),
    "constants.convert_temperature": lambda a, p, k: constants.convert_temperature(a, "C", "K"),
}

# So do these, but they make arrays without saying where.
IN_A_BLOCK: dict[str, Case] = {
    "differentiate.derivative": lambda a, p, k: differentiate.derivative(cube, k).df,
    "fft.fht": lambda a, p, k: fft.fht(a[0, :], 0.1, 0.2),
    "integrate.cumulative_simpson": lambda a, p, k: integrate.cumulative_simpson(a),
    "integrate.tanhsinh": lambda a, p, k: integrate.tanhsinh(cube, k * 0, k).integral,
    "integrate.cubature": lambda a, p, k: integrate.cubature(volume, k * 0, k).estimate,
    "linalg.block_diag": lambda a, p, k: linalg.block_diag(a, p),
    "optimize.elementwise.find_root": lambda a, p, k: (
        elementwise.find_root(lambda x, c: x * x - c, (k * 0, k * 0 + 9), args=(k,)).x
    ),
    "signal.freqz": lambda a, p, k: signal.freqz(k),
    "signal.freqs": lambda a, p, k: signal.freqs(k, k),
    "signal.tf2zpk": lambda a, p, k: signal.tf2zpk(k[:2], k[1:]),
    "stats.rankdata": lambda a, p, k: stats.rankdata(a, axis=1),
    "stats.mode": lambda a, p, k: tuple(stats.mode(p * 4 // 1, axis=1)),
}

# These compute on the host. Memory that it reaches is used in place, and the results are situ
# arrays again; other memory is refused.
ON_THE_HOST: dict[str, Case] = {
    "special.erf": lambda a, p, k: special.erf(a),
    "special.gammaln": lambda a, p, k: special.gammaln(p),
    "special.expit": lambda a, p, k: special.expit(a),
    "special.ndtri": lambda a, p, k: special.ndtri(p / 10),
    "special.i0": lambda a, p, k: special.i0(a),
    "special.betaln": lambda a, p, k: special.betaln(p, p),
    "special.gammainc": lambda a, p, k: special.gammainc(p, p),
    "stats.entropy": lambda a, p, k: stats.entropy(p, axis=1),
    "stats.pearsonr": lambda a, p, k: outcome(stats.pearsonr(a, p, axis=1)),
    "stats.ttest_1samp": lambda a, p, k: outcome(stats.ttest_1samp(a, 0.1, axis=1)),
    "stats.ttest_ind": lambda a, p, k: outcome(stats.ttest_ind(a, p, axis=1)),
    "stats.chisquare": lambda a, p, k: outcome(stats.chisquare(p, axis=1)),
    "stats.normaltest": lambda a, p, k: outcome(stats.normaltest(a, axis=1)),
    "stats.f_oneway": lambda a, p, k: outcome(stats.f_oneway(a[0, :], p[0, :])),
    "signal.convolve": lambda a, p, k: signal.convolve(a[0, :], k),
    "signal.lfilter": lambda a, p, k: signal.lfilter(k, k[:1] * 4, a),
    "signal.filtfilt": lambda a, p, k: signal.filtfilt(k, k[:1] * 4, a),
    "signal.medfilt": lambda a, p, k: signal.medfilt(a[0, :], 3),
    "signal.detrend": lambda a, p, k: signal.detrend(a),
    "signal.savgol_filter": lambda a, p, k: signal.savgol_filter(a, 5, 2),
    "fft.dct": lambda a, p, k: fft.dct(a),
    "linalg.det": lambda a, p, k: linalg.det(a[:, :4]),
    "ndimage.gaussian_filter": lambda a, p, k: ndimage.gaussian_filter(a, 1.0),
    "ndimage.label": lambda a, p, k: ndimage.label(a > 0)[0],
    "ndimage.zoom": lambda a, p, k: ndimage.zoom(a, 2),
    "cluster.vq.vq": lambda a, p, k: cluster.vq.vq(a.T, a.T[:2, :]),
    "cluster.hierarchy.linkage": lambda a, p, k: cluster.hierarchy.linkage(a),
}


def cube(x: Any) -> Any:
    return x * x * x


def volume(x: Any) -> Any:
    return x[:, 0] * x[:, 1] + x[:, 2]


def arguments(device: situ.Device) -> tuple[situ.ndarray, ...]:
    return tuple(situ.asarray(array, device=device) for array in (ROWS, POSITIVE, TAPS))


def check(case: Case, device: situ.Device) -> None:
    expected = case(ROWS, POSITIVE, TAPS)
    assert_agrees(case(*arguments(device)), expected, device, rtol=1e-7)


@pytest.mark.parametrize("name", ON_THE_DEVICE)
def test_functions_compute_where_the_data_is(place: situ.Device, name: str) -> None:
    check(ON_THE_DEVICE[name], place)


@pytest.mark.parametrize("name", IN_A_BLOCK)
def test_in_a_block_new_arrays_are_where_the_data_is(place: situ.Device, name: str) -> None:
    with situ.current(place):
        check(IN_A_BLOCK[name], place)


@pytest.mark.parametrize("name", ON_THE_HOST)
def test_functions_of_the_host_use_memory_that_it_reaches(name: str) -> None:
    check(ON_THE_HOST[name], situ.Device("native"))


@pytest.mark.parametrize("name", ON_THE_HOST)
def test_functions_of_the_host_do_not_copy_silently(name: str) -> None:
    with (
        situ.testing.virtual_devices("gpu") as (gpu,),
        situ.current(gpu),
        pytest.raises(situ.HostAccessError),
    ):
        ON_THE_HOST[name](*arguments(gpu))


def test_what_is_not_possible_is_an_error_and_not_a_copy() -> None:
    with situ.testing.virtual_devices("gpu") as (gpu,), situ.current(gpu):
        rows, positive, _ = arguments(gpu)
        refused = situ.HostAccessError, situ.PlacementError, TypeError, AttributeError
        for call in (
            lambda: signal.welch(rows[0, :], nperseg=16),
            lambda: stats.spearmanr(rows[0, :], positive[0, :]),
            lambda: linalg.inv(rows[:, :4]),
            lambda: linalg.issymmetric(rows[:, :4]),
        ):
            with pytest.raises(refused):
                call()


def test_windows_are_made_where_they_are_wanted(place: situ.Device) -> None:
    for name in ("hann", "hamming", "blackman", "cosine"):
        window = signal.get_window(name, 16, xp=situ, device=place)
        assert_agrees(window, signal.get_window(name, 16), place)


def test_arrays_of_a_bound_module_need_no_block() -> None:
    with situ.testing.virtual_devices("gpu") as (gpu,):
        bound = situ.offload_to(gpu)
        ranks = stats.rankdata(bound.asarray(ROWS), axis=1)
        assert_agrees(ranks, stats.rankdata(ROWS, axis=1), gpu)
