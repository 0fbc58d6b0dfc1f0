"""scikit-learn with ``array_api_dispatch=True``: it computes where its arrays are."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from agreement import assert_agrees

import situ

sklearn = pytest.importorskip("sklearn")

from sklearn import (  # noqa: E402
    decomposition,
    discriminant_analysis,
    linear_model,
    metrics,
    mixture,
    model_selection,
    naive_bayes,
    preprocessing,
)

Case = Callable[[Any, Any, Any], Any]

_RANDOM = np.random.default_rng(8)
CLASSES = np.repeat(np.arange(2), 30)
SAMPLES = _RANDOM.normal(size=(60, 5)) + CLASSES[:, None] * [1.0, 0.5, 0.0, 2.0, 0.0]
TARGETS = SAMPLES @ _RANDOM.normal(size=5) + 0.1 * _RANDOM.normal(size=60)
PREDICTED = CLASSES[_RANDOM.permutation(60)]


@pytest.fixture(autouse=True)
def _dispatch() -> Iterator[None]:
    with sklearn.config_context(array_api_dispatch=True):
        yield


def fitted(model: Any, *names: str) -> Case:
    """Return what a model learns from targets, and what it predicts."""

    def case(x: Any, classes: Any, targets: Any) -> Any:
        target = classes if sklearn.base.is_classifier(model) else targets
        own = sklearn.clone(model).fit(x, target)
        learned = tuple(getattr(own, name) for name in names)
        return *learned, own.predict(x), own.score(x, target)

    return case


def components(**options: Any) -> Case:
    """Return what a principal component analysis finds."""

    def case(x: Any, classes: Any, targets: Any) -> Any:
        model = decomposition.PCA(3, random_state=0, **options).fit(x)
        reduced = model.transform(x)
        back = model.inverse_transform(reduced)
        return model.mean_, model.components_, model.explained_variance_, reduced, back

    return case


def transformed(model: Any) -> Case:
    """Return samples as a transformer makes them."""
    return lambda x, classes, targets: sklearn.clone(model).fit_transform(x)


ESTIMATORS = {
    "pca, all": components(svd_solver="full"),
    "pca, covariance": components(svd_solver="covariance_eigh"),
    "pca, random": components(svd_solver="randomized", power_iteration_normalizer="QR"),
    "pca, whiten": components(whiten=True),
    "ridge": fitted(linear_model.Ridge(solver="svd"), "coef_", "intercept_"),
    "ridge, validated": fitted(linear_model.RidgeCV(), "coef_"),
    "ridge, classes": fitted(linear_model.RidgeClassifier(solver="svd"), "coef_"),
    "logistic regression": fitted(linear_model.LogisticRegression(tol=1e-10), "coef_"),
    "discriminants": fitted(
        discriminant_analysis.LinearDiscriminantAnalysis(), "coef_", "intercept_", "means_"
    ),
    "naive Bayes": fitted(naive_bayes.GaussianNB(), "theta_", "var_"),
}

TRANSFORMERS = {
    "standard": preprocessing.StandardScaler(),
    "standard, only centred": preprocessing.StandardScaler(with_std=False),
    "range": preprocessing.MinMaxScaler((-1, 1)),
    "range, clipped": preprocessing.MinMaxScaler(clip=True),
    "largest": preprocessing.MaxAbsScaler(),
    "norm": preprocessing.Normalizer(),
    "norm l1": preprocessing.Normalizer("l1"),
    "norm max": preprocessing.Normalizer("max"),
    "two values": preprocessing.Binarizer(threshold=0.3),
    "polynomials": preprocessing.PolynomialFeatures(2),
}

METRICS: dict[str, Case] = {
    "accuracy": lambda x, c, t: metrics.accuracy_score(c, predicted_like(c)),
    "zero-one loss": lambda x, c, t: metrics.zero_one_loss(c, predicted_like(c)),
    "confusion": lambda x, c, t: metrics.confusion_matrix(c, predicted_like(c)),
    "roc_auc": lambda x, c, t: metrics.roc_auc_score(c, x[:, 0]),
    "r2": lambda x, c, t: metrics.r2_score(t, x[:, 0]),
    "mean squared error": lambda x, c, t: metrics.mean_squared_error(t, x[:, 0]),
    "mean absolute error": lambda x, c, t: metrics.mean_absolute_error(t, x[:, 0]),
    "median absolute error": lambda x, c, t: metrics.median_absolute_error(t, x[:, 0]),
    "largest error": lambda x, c, t: metrics.max_error(t, x[:, 0]),
    "explained variance": lambda x, c, t: metrics.explained_variance_score(t, x[:, 0]),
    "pinball": lambda x, c, t: metrics.mean_pinball_loss(t, x[:, 0]),
    "distances": lambda x, c, t: metrics.pairwise.manhattan_distances(x),
    "rbf": lambda x, c, t: metrics.pairwise.rbf_kernel(x),
    "cosine": lambda x, c, t: metrics.pairwise.cosine_similarity(x),
}


def predicted_like(classes: Any) -> Any:
    """Return predictions in the same kind of array as the truth."""
    if isinstance(classes, situ.ndarray):
        return situ.asarray(PREDICTED, queue=classes.queue)
    return PREDICTED


def check(case: Case, place: situ.Device, *, rtol: float = 1e-7) -> None:
    """Assert that a computation has the same results on a device."""
    host = SAMPLES, CLASSES, TARGETS
    expected = case(*host)
    result = case(*(situ.asarray(array, device=place) for array in host))
    assert_agrees(result, expected, place, rtol=rtol)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_learn_where_the_samples_are(place: situ.Device, name: str) -> None:
    check(ESTIMATORS[name], place)


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_preprocessing_stays_where_the_samples_are(place: situ.Device, name: str) -> None:
    check(transformed(TRANSFORMERS[name]), place)


@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_computed_where_the_samples_are(place: situ.Device, name: str) -> None:
    check(METRICS[name], place)


def test_samples_are_split_where_they_are(place: situ.Device) -> None:
    check(lambda x, c, t: tuple(model_selection.train_test_split(x, c, random_state=0)), place)


def test_predictions_are_validated_where_the_samples_are(place: situ.Device) -> None:
    ridge = linear_model.Ridge(solver="svd")
    check(lambda x, c, t: model_selection.cross_val_predict(ridge, x, t), place)


def test_a_ridge_without_a_penalty_is_a_linear_regression(place: situ.Device) -> None:
    x, targets = (situ.asarray(array, device=place) for array in (SAMPLES, TARGETS))
    model = linear_model.Ridge(alpha=0, solver="svd").fit(x, targets)
    expected = linear_model.LinearRegression().fit(SAMPLES, TARGETS)
    assert_agrees(model.coef_, expected.coef_, place, rtol=1e-7)
    assert_agrees(model.intercept_, expected.intercept_, place, rtol=1e-7)


def test_a_mixture_is_found_where_the_samples_are(place: situ.Device) -> None:
    def case(x: Any, classes: Any, targets: Any) -> Any:
        model = mixture.GaussianMixture(2, init_params="random", random_state=0, reg_covar=1e-3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sklearn.exceptions.ConvergenceWarning)
            model.fit(x)
        return model.means_, model.weights_, model.predict(x)

    check(case, place, rtol=1e-5)


def test_a_pipeline_of_steps_stays_where_the_samples_are(place: situ.Device) -> None:
    def case(x: Any, classes: Any, targets: Any) -> Any:
        scaled = preprocessing.StandardScaler().fit_transform(x)
        reduced = decomposition.PCA(2).fit_transform(scaled)
        model = discriminant_analysis.LinearDiscriminantAnalysis().fit(reduced, classes)
        return model.predict_proba(reduced), metrics.accuracy_score(classes, model.predict(reduced))

    check(case, place)


def scores(x: Any, classes: Any, targets: Any) -> Any:
    """Return scores of predictions that are all wrong: for these it makes an array anywhere."""
    return metrics.multilabel_confusion_matrix(classes, 1 - classes)


def test_arrays_made_without_a_place_are_refused_elsewhere_and_fine_in_a_block() -> None:
    expected = scores(SAMPLES, CLASSES, TARGETS)
    with situ.testing.virtual_devices("gpu") as (gpu,):
        classes = situ.asarray(CLASSES, device=gpu)
        with pytest.raises(situ.PlacementError, match="native:cpu:0"):
            scores(None, classes, None)
        with situ.current(gpu):
            assert_agrees(scores(None, classes, None), expected, gpu)


def test_arrays_of_a_bound_module_need_no_block() -> None:
    expected = scores(SAMPLES, CLASSES, TARGETS)
    with situ.testing.virtual_devices("gpu") as (gpu,):
        bound = situ.offload_to(gpu)
        assert_agrees(scores(None, bound.asarray(CLASSES), None), expected, gpu)


@pytest.mark.parametrize("name", ["pca, all", "ridge", "discriminants", "naive Bayes"])
def test_devices_without_double_precision_learn_in_single_precision(name: str) -> None:
    case = ESTIMATORS[name]
    single = SAMPLES.astype("float32"), CLASSES, TARGETS.astype("float32")
    expected = case(*single)
    # For the score it asks for the default dtype, without saying where.
    with situ.testing.virtual_devices("gpu", without=["fp64"]) as (gpu,), situ.current(gpu):
        result = case(*(situ.asarray(array, device=gpu) for array in single))
        assert result[0].dtype == np.float32
        assert_agrees(result, expected, gpu, rtol=2e-3)


def test_without_dispatch_memory_of_a_device_is_not_copied_silently() -> None:
    with (
        sklearn.config_context(array_api_dispatch=False),
        situ.testing.virtual_devices("gpu") as (gpu,),
        pytest.raises(situ.HostAccessError, match=r"x\.to_numpy\(\)"),
    ):
        decomposition.PCA(2).fit(situ.asarray(SAMPLES, device=gpu))
