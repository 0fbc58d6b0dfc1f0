"""Every program of benches/programs computes the same in every style, at a tiny size."""

from pathlib import Path

import numpy as np
import pytest

import situ
from situ._bench import _libraries
from situ._bench._programs._program import STYLES, programs
from situ._bench._programs._trial import Trial
from situ._bench._worker import first_line

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {program.name: program for program in programs(ROOT / "benches" / "programs")}

_NO_QUEUE = "`sqrt` was called without an array, so there is no queue to run it on"

# What situ refuses or gets wrong today, with its exact words. An entry that has become better
# fails its test: remove it then.
KNOWN_PROBLEMS = {
    ("binomial_tree", "array"): _NO_QUEUE,
    ("connected_components", "array"): ("'function' object has no attribute 'at'"),
    ("longest_common_subsequence", "array"): ("'function' object has no attribute 'accumulate'"),
    ("monte_carlo", "array"): _NO_QUEUE,
}

CASES = [(name, style) for name, program in PROGRAMS.items() for style in program.styles()]


def problem_of(name, style):
    """Return how situ fails at a program, or nothing."""
    program = PROGRAMS[name]
    library = _libraries.Situ(situ.Device("native"))
    try:
        trial = Trial(program, style, "situ", library)
        return trial.first_call(program.size(is_quick=True))[1]
    except Exception as error:
        # Without its class, which is another one once some test has imported Numba.
        return first_line(error)


@pytest.mark.parametrize(("name", "style"), CASES)
def test_situ_gives_the_same_results_as_numpy(name, style):
    known = KNOWN_PROBLEMS.get((name, style))
    assert problem_of(name, style) == known
    if known is not None:
        pytest.xfail(known)


def test_known_problems_are_of_programs_that_exist():
    assert KNOWN_PROBLEMS.keys() <= set(CASES)


def test_there_are_enough_programs_of_every_style():
    counts = {style: sum(style == each for _, each in CASES) for style in STYLES}
    assert len(PROGRAMS) >= 48
    assert counts["njit"] >= 40
    assert counts["parallel"] >= 30
    assert counts["array"] >= 35
    assert counts["kernel"] >= 10


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_described_and_its_inputs_are_the_same_each_time(name):
    program = PROGRAMS[name]
    assert program.title.endswith(".")
    assert program.kind
    assert program.size(is_quick=False).keys() == program.size(is_quick=True).keys()
    size = program.size(is_quick=True)
    for one, other in zip(program.inputs(size), program.inputs(size), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_program_that_does_not_write_its_arguments_is_measured_on_the_same_ones():
    trials = {}
    for name in ("gesummv", "mvt"):
        program = PROGRAMS[name]
        trials[name] = Trial(program, "njit", "numpy", _libraries.NumPy())
        trials[name].first_call(program.size(is_quick=True))
    assert trials["gesummv"].arguments()[2] is trials["gesummv"].arguments()[2]
    assert trials["mvt"].arguments()[0] is not trials["mvt"].arguments()[0]
