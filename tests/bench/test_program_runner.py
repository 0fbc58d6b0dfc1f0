"""``situ bench --programs``: tables, means, bars, and what becomes of programs that go wrong."""

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from bench import made_up
from cli.command import run

from situ._bench._programs import _chart, _command, _program, _results, _table
from situ._bench._programs._trial import difference
from situ._bench._results import OtherSchemaError

PROGRAM = '''\
"""A program that is not one of situ's."""

import os
import signal

import numpy as np

import situ

KIND = "made up"
SIZES = {"test": {"n": 4}, "bench": {"n": 4}}
ARRAY = None


def inputs(n):
    return (np.arange(1.0, n + 1.0),)


def reference(x):
    return x + 1.0


'''


def bench(tmp_path, *arguments):
    return run("bench", "--quick", *arguments, cache=tmp_path / "cache")


def write(folder, **programs):
    """Write a folder of programs: the code that follows what all of them have in common."""
    folder.mkdir()
    for name, code in programs.items():
        (folder / f"{name}.py").write_text(PROGRAM + code)
    return folder


def test_programs_are_measured_shown_and_written(tmp_path):
    folder = write(
        tmp_path / "programs",
        good="def kernel(x):\n    return x + 1.0\n\n\nnjit = reference\n",
        wrong="def kernel(x):\n    return x + 1.5\n",
        shape="def kernel(x):\n    return x[1:] + 1.0\n",
        dies="def kernel(x):\n    os.kill(os.getpid(), signal.SIGKILL)\n",
        raises="def kernel(x):\n    raise ValueError('not today')\n",
        hangs="def kernel(x):\n    signal.pause()\n",
    )
    json_file, svg_file = tmp_path / "found.json", tmp_path / "chart.svg"
    done = bench(
        tmp_path,
        *("--programs", "--programs-from", str(folder), "--against", "numpy"),
        *("--time-limit", "5", "--json", str(json_file), "--svg", str(svg_file)),
    )
    # Something is wrong, and everything was measured nevertheless.
    assert done.returncode == 1, done.stderr
    assert "good     made up  njit" in done.stdout
    assert "dies, kernel: situ: its process ended with signal 9" in done.stdout
    assert "hangs, kernel: situ: it did not end within 5 s" in done.stdout
    assert "raises, kernel: situ: ValueError: not today" in done.stdout
    says = "its result is off by 0.5 where NumPy's is up to 5"
    assert f"wrong, kernel: situ: wrong result: {says}" in done.stdout
    assert "shape, kernel: situ: wrong result: its result has shape (3,)" in done.stdout
    results = _results.from_json(json.loads(json_file.read_text()))
    found = {(result.program, result.style): result for result in results.styles}
    assert len(found) == 7
    assert all("numpy" in result.times for result in results.styles)
    measured = {key for key, result in found.items() if "situ" in result.times}
    assert measured == {("good", "njit"), ("good", "kernel")}
    # Another process found what the first one had compiled.
    assert found["good", "njit"].times["situ"].cached_first_s > 0
    assert results.is_complete
    assert ElementTree.fromstring(svg_file.read_text()).tag.endswith("svg")


@pytest.mark.slow
def test_numba_compiles_the_same_source_with_helpers_and_prange(tmp_path):
    pytest.importorskip("numba")
    folder = write(
        tmp_path / "programs",
        rows="from situ import prange\n\n\ndef _plus(x):\n    return x + 1.0\n\n\n"
        "def parallel(x):\n    y = np.empty_like(x)\n    for i in prange(x.shape[0]):\n"
        "        y[i] = _plus(x[i])\n    return y\n",
    )
    file = tmp_path / "found.json"
    done = bench(
        tmp_path, "--programs", "rows", "--programs-from", str(folder), "--json", str(file)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = _results.from_json(json.loads(file.read_text())).styles
    assert result.times.keys() == {"numpy", "numba", "situ"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--programs", "lu", "jakobi_2d"], "did you mean `jacobi_2d`?"),
        (["--programs", "--programs-from", "/nowhere"], "there is no such directory"),
        (["--programs", "--against", "jax"], "programs cannot be compared with `jax`"),
        (["--programs", "--lines", "add"], "--lines does nothing with `--programs`"),
        (["--programs", "--device", "gpux"], "gpux"),
        (["--programs", "--json", "/nowhere/found.json"], "there is no directory /nowhere"),
    ],
)
def test_options_that_make_no_sense_are_explained(arguments, says, tmp_path):
    done = bench(tmp_path, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("situ bench: ")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def reference(x:\n", "SyntaxError"),
        ("KIND = 'odd'\n", "has no attribute 'SIZES'"),
        (PROGRAM.replace("def reference", "def referenze"), "has no attribute 'reference'"),
    ],
)
def test_a_file_that_is_no_program_is_named_before_anything_is_measured(code, says, tmp_path):
    (tmp_path / "odd.py").write_text(code)
    done = bench(tmp_path, "--programs-from", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"situ bench: {tmp_path / 'odd.py'} is not a program")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_checkout_the_error_names_the_option(monkeypatch, tmp_path):
    monkeypatch.setattr(_program, "__file__", str(tmp_path / "a" / "b" / "c" / "d" / "e.py"))
    with pytest.raises(_program.ProgramChoiceError, match="--programs-from FOLDER"):
        _program.find_folder(None)


def test_means_are_geometric_and_the_worst_program_is_named():
    njit_numpy, njit_numba, array = made_up.program_results().summaries()
    assert (njit_numpy.style, njit_numpy.against, njit_numpy.programs) == ("njit", "numpy", 2)
    assert njit_numpy.mean == pytest.approx(4.0)
    assert (njit_numpy.worst, njit_numpy.worst_ratio) == ("b", 2.0)
    assert njit_numba.mean == pytest.approx(8.0)
    assert (array.style, array.against) == ("array", "numpy")


def test_bars_are_judged_for_full_sizes_only():
    judged = {each.title: each for each in made_up.program_results().judgements()}
    assert judged["njit against numpy, mean"].is_met
    assert judged["njit against numba, worst (b)"].is_met
    assert judged["array against numpy, mean"].is_information
    assert made_up.program_results(is_quick=True).judgements() == []
    slow = made_up.program_results()
    slow.styles[2].times["situ"].median_s = 100.0
    judged = {each.title: each for each in slow.judgements()}
    assert not judged["njit against numpy, worst (b)"].is_met


def test_the_table_says_what_became_of_every_library():
    head, *rows = _table.programs(made_up.program_results())
    assert head[3:8] == ["NumPy", "Numba", "situ", "x NumPy", "x Numba"]
    assert head[8:] == ["first, Numba", "first, situ", "first, situ cached"]
    assert rows[0][:8] == ["a", "kind", "njit", "8 s", "16 s", "1 s", "8.00", "16.0"]
    assert rows[0][8:] == ["9 s", "500 ms", "250 ms"]
    assert rows[-1][3:8] == ["1 s", "refused", "failed", "—", "—"]


def test_everything_is_printed_and_only_failures_of_situ_fail(capsys):
    results = made_up.program_results()
    _command.show(results)
    said = capsys.readouterr().out
    assert "njit   NumPy    2         4.00            2.00   b" in said
    assert "njit against numba, mean" in said
    assert "c, njit: numba: refused: no such function" in said
    assert results.is_failure()
    del results.styles[-1].failed["situ"]
    assert not results.is_failure()
    results.styles[0].wrong["numba"] = "its result is off by 1"
    assert results.is_failure()


def test_results_survive_their_file():
    results = made_up.program_results()
    again = _results.from_json(json.loads(json.dumps(results.to_json())))
    assert again == results
    with pytest.raises(OtherSchemaError, match="no results of `situ bench --programs`"):
        _results.from_json(made_up.results().to_json())


def test_the_chart_has_a_row_for_each_program_and_a_column_for_each_library():
    text = _chart.program_chart(made_up.program_results())
    ElementTree.fromstring(text)
    for word in (">a<", ">b<", ">c<", "x NumPy", "x Numba", "kernel"):
        assert word in text
    assert "njit against NumPy: 4.00 in the mean, 2.00 at worst (b)" in text


@pytest.mark.parametrize(
    ("own", "wanted", "says"),
    [
        ([np.ones(3)], [np.ones(3)], None),
        ([np.ones(3)], [np.ones(3) + 1e-12], None),
        ([np.ones(3)], [np.ones(3) + 1e-6], "off by 1e-06"),
        ([np.ones(3, np.float32)], [np.ones(3, np.float32) + np.float32(1e-6)], None),
        ([np.full(3, np.nan)], [np.ones(3)], "off by nan"),
        ([np.ones(3, np.float32)], [np.ones(3)], "its result is float32"),
        ([np.ones(3)], [np.ones(3), np.ones(3)], "it has 1 results, and NumPy has 2"),
        ([np.arange(4)], [np.arange(4)], None),
        ([np.arange(4)], [np.zeros(4, np.int64)], "3 of 4 elements"),
        ([np.arange(4) > 2], [np.arange(4) > 1], "1 of 4 elements"),
        ([np.asarray(2.0)], [np.asarray(2)], None),
    ],
)
def test_results_are_compared_by_the_precision_of_their_dtype(own, wanted, says):
    found = difference(own, wanted)
    assert (found is None) if says is None else (says in found)
